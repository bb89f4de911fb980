//! What is wrong with a policy expression, said before it is switched on.
//!
//! Nothing is guessed from the form of an expression that can be seen by evaluating it: `probe`
//! makes held jobs of every code, subcode, age and count, and what the expression does with them is
//! what the findings say. That it is true of none of them is said only where nothing else in an ad
//! could make it true (`never`).
//!
//! - `again`: whether what held a job holds it again.
//! - `codes`: codes and subcodes that are asked for.
//! - `macros`: macros in a text looked at by itself.
//! - `names`: attributes and functions by name.
//! - `never`: whether an expression can be true at all.
//! - `parts`: names, functions, types, alternatives.
//! - `probe`: held jobs of every kind, and what an expression does with them.
//! - `release`: what a release policy does.
//! - `repair`: what was meant by a text that is no expression.
//! - `rules`: the table of rules.
//! - `running`: policies of jobs that are not held.
//! - `together`: what settings of one file do together.
//! - `reasons`: the reason and the subcode of a policy.
//! - `units`: unit letters behind numbers.

mod again;
mod codes;
mod macros;
pub(crate) mod names;
mod never;
mod parts;
mod probe;
mod reasons;
mod release;
mod repair;
mod rules;
mod running;
#[cfg(test)]
mod tests;
mod together;
mod units;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use classads::{Expr, Value};

pub use rules::{LintRule, RULES, Severity};
pub use together::together;

use super::{Kind, Version};
use rules::{ERROR_VALUE, LEFT_OUT, MISSPELT, QUOTED, UNKNOWN_FUNCTION, UNPARSABLE};

use crate::text::{Foreign, plural, shorten};

/// Bytes of an expression that is looked at: those that people write have a few thousand at most.
const MAX_TEXT: usize = 64 * 1024;

/// Findings about one expression.
const MAX_FINDINGS: usize = 100;

/// Bytes of an expression that is repeated with each finding.
pub const MAX_REPEATED: usize = 4 * 1024;

/// Characters of what a message quotes. Assumed.
const MAX_QUOTED: usize = 600;

/// Characters of a message: it may quote what it is about.
const MAX_MESSAGE: usize = 2_000;

/// What an expression is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `periodic_release` and its like: evaluated on held jobs.
    Release,
    /// `periodic_hold` and its like.
    Hold,
    /// `periodic_remove` and its like.
    Remove,
    /// `on_exit_hold`, `on_exit_remove`: evaluated when the job has exited.
    OnExit,
    /// `periodic_hold_reason` and its like: the text of what a policy did.
    Reason,
    /// `periodic_hold_subcode` and its like: the number of what a policy did.
    Subcode,
}

impl Role {
    /// The roles of policies.
    pub const ALL: [Self; 4] = [Self::Release, Self::Hold, Self::Remove, Self::OnExit];

    /// The periodic policies of this role.
    const fn kind(self) -> Option<Kind> {
        match self {
            Self::Release => Some(Kind::Release),
            Self::Hold => Some(Kind::Hold),
            Self::Remove => Some(Kind::Remove),
            Self::OnExit | Self::Reason | Self::Subcode => None,
        }
    }

    /// Commands of a submit description, attributes and knobs that hold such an expression.
    fn names(self) -> Vec<&'static str> {
        self.kind().map_or_else(
            || vec!["on_exit_hold", "on_exit_remove", "OnExitHold", "OnExitRemove"],
            |kind| kind.names().to_vec(),
        )
    }

    /// The role of a command, attribute or knob, also of a named one,
    /// `SYSTEM_PERIODIC_RELEASE_<name>`; `None` for others.
    pub fn of(name: &str) -> Option<Self> {
        let upper = name.to_ascii_uppercase();
        let line = if upper.contains('_') { "_" } else { "" };
        let ends = [("REASON", Self::Reason), ("SUBCODE", Self::Subcode)];
        for (end, role) in ends {
            if let Some(policy) = upper.strip_suffix(&format!("{line}{end}")) {
                return Self::of_policy(policy).map(|_| role);
            }
        }
        Self::of_policy(&upper)
    }

    fn of_policy(upper: &str) -> Option<Self> {
        let is_named = |role: Self| {
            let tag = role.kind().and_then(|kind| upper.strip_prefix(kind.system_knob()));
            tag.is_some_and(|tag| tag.starts_with('_') && !tag.ends_with("_NAMES"))
        };
        Self::ALL.into_iter().find(|&role| {
            is_named(role) || role.names().iter().any(|own| own.eq_ignore_ascii_case(upper))
        })
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// What it is for.
    pub role: Role,
    /// The HTCondor that evaluates it.
    pub version: Version,
    /// Attributes that the submit description sets, besides HTCondor's, and the text of their
    /// values.
    pub own_attributes: &'a [(String, String)],
    /// Whether the submit description raises the request of memory or disk; `None` where there is
    /// none.
    pub raises_request: Option<bool>,
    /// Whether the job is one of the grid universe.
    pub is_grid: bool,
}

impl Setting<'_> {
    /// An expression by itself.
    pub const fn alone(role: Role) -> Self {
        Self {
            role,
            version: Version::NEWEST,
            own_attributes: &[],
            raises_request: None,
            is_grid: false,
        }
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// The rule.
    pub rule: &'static LintRule,
    /// Bytes of the text it is about.
    pub span: Range<usize>,
    /// What is wrong here and why, a clause or two without full stop.
    pub message: String,
    /// The whole text with this corrected, where that can be said.
    pub corrected: Option<String>,
    /// Whether `corrected` is what differs only: the whole is longer than [`MAX_REPEATED`].
    pub is_part: bool,
}

impl LintFinding {
    fn new(
        rule: &'static LintRule,
        span: Range<usize>,
        message: String,
        corrected: Option<String>,
    ) -> Self {
        let cut = match shorten(&message, MAX_MESSAGE) {
            Cow::Owned(cut) => Some(cut),
            Cow::Borrowed(_) => None,
        };
        let message = cut.unwrap_or(message);
        Self { rule, span, message, corrected, is_part: false }
    }

    /// It is about a setting that was meant as a policy, and is none.
    pub fn is_misspelt(&self) -> bool {
        self.rule == &MISSPELT
    }

    /// Something that is not said, or not looked at.
    pub fn left_out(message: String) -> Self {
        Self::new(&LEFT_OUT, 0..0, message, None)
    }
}

/// Looks at the text of an expression; findings in the order of their places, graver ones first.
///
/// The text is read as `condor_submit` and the configuration read it, in the old syntax. Of a text
/// that is no expression only that is said. Macros that are left in it stand for values that are
/// not known.
///
/// Of more than 100 findings the gravest are given, and how many more there are. A text of more
/// than 64 KiB is not looked at, which is said.
pub fn lint(text: &str, setting: &Setting<'_>) -> Vec<LintFinding> {
    if text.len() > MAX_TEXT {
        let length = text.len();
        let message = format!(
            "the expression has {length} bytes: one of more than {MAX_TEXT} is not looked at"
        );
        return vec![LintFinding { span: 0..length, ..LintFinding::left_out(message) }];
    }
    let mut findings = all_findings(text, setting);
    let more = gravest(&mut findings);
    findings.sort_by_key(|finding| (finding.span.start, Reverse(finding.rule.severity)));
    for finding in &mut findings {
        let is_long = |corrected: &String| corrected.len().max(text.len()) > MAX_REPEATED;
        finding.is_part = finding.corrected.as_ref().is_some_and(is_long);
        if let Some(corrected) =
            finding.corrected.take_if(|corrected| corrected.len() > MAX_REPEATED)
        {
            finding.corrected = Some(parts::part(text, &corrected));
        }
    }
    findings.extend(more.map(|more| LintFinding { span: text.len()..text.len(), ..more }));
    findings
}

/// Leaves the gravest, of the same severity the first, and says how many more there were.
fn gravest(findings: &mut Vec<LintFinding>) -> Option<LintFinding> {
    if findings.len() <= MAX_FINDINGS {
        return None;
    }
    findings.sort_by_key(|finding| (Reverse(finding.rule.severity), finding.span.start));
    let rest = findings.split_off(MAX_FINDINGS);
    let counts = [Severity::Error, Severity::Warning, Severity::Note].map(|severity| {
        let count = rest.iter().filter(|finding| finding.rule.severity == severity).count();
        plural(count, severity.word())
    });
    let message = format!("{} left out: {}", plural(rest.len(), "more finding"), counts.join(", "));
    Some(LintFinding::left_out(message))
}

/// A part of an expression in a message.
fn written(source: &str) -> String {
    Foreign::from(source.trim()).expression(MAX_QUOTED)
}

/// A name in a message.
fn named(name: &str) -> String {
    Foreign::from(name).named(MAX_QUOTED)
}

/// Whether a policy by itself holds a job again that was released.
pub fn held_again(text: &str, setting: &Setting<'_>) -> Option<LintFinding> {
    if setting.role != Role::Hold || text.len() > MAX_TEXT || text.contains("$(") {
        return None;
    }
    again::alone(text, &Expr::parse_old(text).ok()?, setting.own_attributes)
}

fn all_findings(text: &str, setting: &Setting<'_>) -> Vec<LintFinding> {
    if setting.version < units::GONE
        && let Some(written) = units::written_out(text)
    {
        let mut findings = all_findings(&written.text, setting);
        for finding in &mut findings {
            finding.span = written.origin(&finding.span);
        }
        return findings;
    }
    let is_said = matches!(setting.role, Role::Reason | Role::Subcode);
    let (plain, mut findings) = macros::without(text);
    match Expr::parse_old(&plain) {
        Err(error) => {
            // A macro's stand-in is as long as the macro.
            let at = text.floor_char_boundary(error.offset());
            let length = text[at..].chars().next().map_or(0, char::len_utf8);
            let repair = match setting.role {
                Role::Reason => reasons::repair(text).or_else(|| repair::repair(&plain)),
                _ => repair::repair(&plain),
            };
            let what = repair.as_ref().map(|(_, what)| *what).filter(|what| !what.is_empty());
            let message = match what {
                // What the parser advises about its '=' would not do.
                Some(repair::OWN_COMMAND) => repair::OWN_COMMAND.to_owned(),
                Some(what) => format!("{}; {what}", error.message()),
                None => error.message().to_owned(),
            };
            let corrected = repair.map(|(corrected, _)| corrected).filter(|_| findings.is_empty());
            let message = with_what_is_left(message, corrected.as_deref(), setting);
            findings.push(LintFinding::new(&UNPARSABLE, at..at + length, message, corrected));
        }
        Ok(expr) if is_said => {
            let has_macros = !findings.is_empty();
            findings = Vec::new();
            let wrong = reasons::wrong_type(text, &expr, setting).filter(|_| !has_macros);
            match wrong {
                Some(wrong) => findings.push(wrong),
                None => findings.extend(parts::findings(text, &expr, setting)),
            }
        }
        Ok(expr) => match expr.as_literal() {
            Some(Value::String(inside)) => findings.push(quoted(text, inside, setting)),
            _ => {
                let has_macros = !findings.is_empty();
                findings.extend(parts::findings(text, &expr, setting));
                findings.extend(units::beyond_memory(text, &expr));
                if matches!(setting.role, Role::Release | Role::Remove) {
                    findings.extend(codes::unused(text, &expr));
                    findings.extend(codes::impossible_subcodes(text, &expr));
                }
                if setting.role == Role::Remove {
                    findings.extend(codes::memory_subcode(text, &expr, setting.version, |_| false));
                }
                if setting.role == Role::Release {
                    let is_error = |finding: &LintFinding| {
                        [&ERROR_VALUE, &UNKNOWN_FUNCTION].contains(&finding.rule)
                    };
                    let known = !has_macros && !findings.iter().any(is_error);
                    findings.extend(release::findings(text, &expr, setting, known));
                } else if !has_macros {
                    findings.extend(running::findings(text, &expr, setting));
                }
            }
        },
    }
    findings
}

/// A string: what is in it was probably meant.
fn quoted(text: &str, inside: &str, setting: &Setting<'_>) -> LintFinding {
    let inside = inside.replace("\"\"", "\"");
    let message =
        "a string is never true: submit descriptions want no quotation marks around an expression"
            .to_owned();
    let corrected = Expr::parse_old(&inside).is_ok().then_some(inside);
    let message = with_what_is_left(message, corrected.as_deref(), setting);
    LintFinding::new(&QUOTED, 0..text.len(), message, corrected)
}

/// The message, and what is still an error in the corrected text.
fn with_what_is_left(message: String, corrected: Option<&str>, setting: &Setting<'_>) -> String {
    let left = corrected.map(|corrected| lint(corrected, setting)).unwrap_or_default();
    match left.into_iter().find(|finding| finding.rule.severity == Severity::Error) {
        Some(left) => format!("{message}; corrected, it is still an error ({})", left.rule.name),
        None => message,
    }
}
