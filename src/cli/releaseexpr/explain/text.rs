//! Explanations for people: a block for each job, a line for each clause.

use std::fmt::Write as _;

use super::{Explained, Page};
use crate::hold_code::HoldCode;
use crate::policy::{ExplainedPolicy, Form, Kind, MissingAttribute, Named, Part, Prospect, Truth};
use crate::print::wrap;
use crate::sentences::times::{length, second};
use crate::sentences::{self, with_usual_change};
use crate::text::{Foreign, printable, shown};

/// Columns the labels take.
const LABEL: usize = 15;

/// Columns that values take.
const VALUE: usize = 10;

/// Columns before a clause: room for a mark.
const MARGIN: usize = 4;

/// Characters of a hold reason that are shown.
const REASON: usize = 300;

/// Characters of a policy that are shown.
const POLICY: usize = 1000;

/// Characters of a clause that are shown.
const CLAUSE: usize = 200;

/// Characters of an attribute's value that are shown.
const VALUE_SHOWN: usize = 60;

impl Page {
    /// What there is to say of one job.
    pub(super) fn job(&self, job: &Explained) -> String {
        let explanation = &job.explanation;
        let forecast = &explanation.forecast;
        let mut out = wrap("", 4, &self.head(job), self.columns);
        out.push('\n');
        let reason = job.hold.reason.as_deref().unwrap_or_default();
        self.line(
            &mut out,
            "Why held:",
            &with_usual_change(Some(job.hold.code), Some(job.hold.subcode), reason),
        );
        if let Some(code) = HoldCode::of(job.hold.code) {
            self.line(&mut out, "Code set by:", &format!("{}.", code.set_by_words()));
        }
        if !reason.is_empty() {
            self.line(&mut out, "Hold reason:", &Foreign::from(reason).quoted(REASON));
        }
        self.line(&mut out, "By policy:", &sentences::gate(forecast.gate));
        if forecast.gate.lets_remove() {
            let (least, most) = forecast.interval;
            let default = if explanation.knobs_known { "" } else { ", by HTCondor's defaults" };
            let evaluated =
                format!("every {least} s or less often, but every {most} s at least{default}");
            self.line(&mut out, "Evaluated:", &evaluated);
        }
        // That nothing is done cannot be said without the access point's policies.
        let is_sure = explanation.knobs_known || forecast.deed.is_some();
        if let Some(first) = forecast.first_prediction().filter(|_| is_sure) {
            let sentence = sentences::prediction(&first, &self.zone);
            self.line(&mut out, "By itself:", &sentence);
        }
        if !explanation.knobs_known {
            let unknown = "The access point's policies and SYSTEM_MAX_RELEASES are not known here; -config reads them from a file.";
            self.line(&mut out, "Not known:", unknown);
        }
        for policy in &explanation.policies {
            out.push('\n');
            self.policy(&mut out, policy);
        }
        out.push('\n');
        let id = job.id.to_string();
        for (number, sentence) in explanation.conclusion(&id).iter().enumerate() {
            self.line(&mut out, if number == 0 { "To do:" } else { "" }, sentence);
        }
        out
    }

    /// `Job 7.0 of alice, held since 2026-11-21 16:26:10 (30s, hold 2), code 13/256`
    fn head(&self, job: &Explained) -> String {
        let hold = &job.hold;
        let owner = job.owner.as_deref().map(|owner| format!(" of {}", named(owner)));
        let times = hold.num_holds.map(|times| format!("hold {times}"));
        let (since, age) = match hold.entered_current_status {
            0 => (String::new(), None),
            at => {
                let age = length(self.now.saturating_sub(at));
                (format!(" since {}", second(at, &self.zone)), Some(age))
            }
        };
        let more: Vec<String> = age.into_iter().chain(times).collect();
        let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
        let owner = owner.unwrap_or_default();
        format!("Job {}{owner}, held{since}{more}, code {}/{}", job.id, hold.code, hold.subcode)
    }

    fn line(&self, out: &mut String, label: &str, text: &str) {
        let text = printable(text);
        out.push_str(&wrap(&format!("{label:<LABEL$}"), LABEL, &text, self.columns));
    }

    fn policy(&self, out: &mut String, explained: &ExplainedPolicy) {
        let policy = &explained.policy;
        let name = printable(&policy.name);
        let is = match (policy.kind, policy.now) {
            (_, Truth::Unparsable) => {
                let fault = explained.root.as_ref().err().map(String::as_str).unwrap_or_default();
                format!("{name} is not an expression, and left out: {}", printable(fault))
            }
            (Kind::Hold, value) => {
                format!("{name} would be {} if the job were released now", value.word())
            }
            (_, value) => {
                let when =
                    explained.prospect().and_then(|prospect| self.when(prospect, Some(value)));
                let when = when.map(|when| format!(", {when}")).unwrap_or_default();
                format!("{name} is {}{when}", value.word())
            }
        };
        out.push_str(&wrap("", 4, &is, self.columns));
        // What is no expression may be any text.
        let text = match explained.root {
            Ok(_) => Foreign::from(policy.text.as_str()).expression(POLICY),
            Err(_) => Foreign::from(policy.text.as_str()).quoted(POLICY),
        };
        if !text.eq_ignore_ascii_case(policy.now.word()) {
            out.push_str(&wrap("  = ", 4, &text, self.columns));
        }
        if let Ok(root) = &explained.root {
            match root.form {
                Form::All => self.parts(out, root, 0),
                // A constant says all of itself above.
                Form::Clause if root.attributes.is_empty() => {}
                _ => self.part(out, root, 0),
            }
        }
        for missing in &explained.missing {
            let text = not_in_ad(missing);
            out.push_str(&wrap(&" ".repeat(MARGIN), MARGIN, &text, self.columns));
        }
    }

    fn parts(&self, out: &mut String, part: &Part, depth: usize) {
        for inner in &part.parts {
            self.part(out, inner, depth);
        }
        if part.left_out > 0 {
            let indent = MARGIN + 2 * depth;
            let _ = writeln!(out, "{}and {} more", " ".repeat(indent), part.left_out);
        }
    }

    fn part(&self, out: &mut String, part: &Part, depth: usize) {
        let mark = if part.blocks { "  > " } else { "    " };
        let value = part.value.map_or("not known", word);
        let first = format!("{mark}{}{value:<VALUE$} ", "  ".repeat(depth));
        let expression = || Foreign::from(part.text.as_str()).expression(CLAUSE);
        let text = match part.form {
            Form::Clause => expression(),
            Form::All => "all of".to_owned(),
            Form::Any => "one of".to_owned(),
            Form::Attribute => format!("{}, which is", expression()),
        };
        let nearest = if part.is_nearest { " (nearest)" } else { "" };
        let attributes = attributes(&part.attributes);
        let when = part.prospect.and_then(|prospect| self.when(prospect, part.value));
        let when = when.map(|when| format!(": {when}")).unwrap_or_default();
        let line = format!("{text}{nearest}{when}{attributes}");
        let rest = first.len() + 2;
        out.push_str(&wrap(&first, rest, &line, self.columns));
        self.parts(out, part, depth + 1);
    }

    /// When it becomes true; `None` where it is true.
    fn when(&self, prospect: Prospect, value: Option<Truth>) -> Option<String> {
        Some(match prospect {
            Prospect::From(at) if at <= self.now => return None,
            Prospect::From(at) => format!(
                "true from {} (in {})",
                second(at, &self.zone),
                length(at.saturating_sub(self.now))
            ),
            Prospect::Stays => format!("stays {}", value.map_or("so", word)),
            Prospect::NotWithin => "not true within 30 days".to_owned(),
            Prospect::NotKnown => "when it becomes true is not known".to_owned(),
        })
    }
}

/// The value in a word.
pub(super) fn word(value: Truth) -> &'static str {
    match value {
        Truth::Error => "error",
        Truth::Unparsable => "none",
        other => other.word(),
    }
}

/// ` [NumHolds = 4]`
fn attributes(all: &[Named]) -> String {
    let text = |one: &Named| {
        let name = named(&one.name);
        match &one.value {
            _ if one.is_missing => format!("no {name}"),
            Some(value) => format!("{name} = {}", shown(&value.to_string(), VALUE_SHOWN)),
            None => format!("{name} takes too long to evaluate"),
        }
    };
    let texts: Vec<String> = all.iter().map(text).collect();
    if texts.is_empty() { String::new() } else { format!(" [{}]", texts.join(", ")) }
}

fn not_in_ad(missing: &MissingAttribute) -> String {
    let name = named(&missing.name);
    match &missing.nearest {
        Some(nearest) => format!("The ad has no {name}; did you mean {}?", named(nearest)),
        None if missing.is_known => format!("The ad has no {name} (yet)."),
        None if name.starts_with("TARGET.") => {
            format!("{name} is undefined: a policy is evaluated without the ad of a machine.")
        }
        None => format!("The ad has no {name}, and HTCondor sets none."),
    }
}

/// A name that somebody chose.
fn named(name: &str) -> String {
    Foreign::from(name).named(VALUE_SHOWN)
}
