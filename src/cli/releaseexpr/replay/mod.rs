//! `-replay`: what expressions would have done with the holds of logs.
//!
//! - `json`: the answer as JSON.
//! - `text`: the answer for people.

mod json;
mod text;

pub(super) use json::{Line, Object};

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use super::input::{no_policy, read_settings};
use super::lint::is_file;
use super::past;
use super::request::Replay;
use crate::cli::RunError;
use crate::cli::output::say;
use crate::policy::Version;
use crate::policy::lint::{Role, Setting, Severity, lint};
use crate::replay::{Releaser, ReplayExpression, Sources, replay};
use crate::text::Foreign;

/// Expressions that are put side by side. Assumed.
const MOST: usize = 100;

/// Characters of an expression in an error.
const SHOWN: usize = 100;

/// What is compared.
#[derive(Debug)]
struct Policy {
    /// A number for an expression, words for what it is compared with.
    name: String,
    /// The expression.
    text: Option<String>,
    releaser: Releaser,
}

/// Replays, and prints what came of it.
///
/// # Errors
/// [`RunError`] when a text is no expression, or a file cannot be read.
pub(super) fn answer(asked: &Replay, out: &mut dyn Write) -> Result<(), RunError> {
    let mut policies = Vec::new();
    let mut expressions = expressions(&asked.what)?;
    if expressions.len() > MOST {
        say(
            "Warning",
            &format!("{} expressions, only the first {MOST} are tried", expressions.len()),
        );
        expressions.truncate(MOST);
    }
    for (number, text) in expressions.into_iter().enumerate() {
        let name = (number + 1).to_string();
        look_at(&name, &text, asked.past.condor);
        let expression = ReplayExpression::parse(&text).map_err(|error| {
            let text = Foreign::from(text.as_str()).quoted(SHOWN);
            RunError::failed(format!("{text} is not an expression: {error}; -lint shows the place"))
        })?;
        let releaser = Releaser::Expression(Box::new(expression));
        policies.push(Policy { name, text: Some(text), releaser });
    }
    let attributes: BTreeSet<String> =
        expressions_of(&policies).flat_map(ReplayExpression::of_ads).collect();
    let wanted = Sources {
        attributes: attributes.into_iter().collect(),
        reasons: expressions_of(&policies).any(|expression| expression.names("HoldReason")),
        ..Sources::default()
    };
    let mut read = past::read(&asked.past, wanted)?;
    for (name, releaser) in [("in force", Releaser::InForce), ("by hand", Releaser::Nobody)] {
        policies.push(Policy { name: name.to_owned(), text: None, releaser });
    }
    if let Some(said) = read.ask(&asked.past)? {
        let releaser = Releaser::Advice(said.into());
        policies.push(Policy { name: "advice".to_owned(), text: None, releaser });
    }
    if asked.each_hold {
        return Ok(json::lines(&read, &mut policies, out)?);
    }
    let releasers: Vec<Releaser> = policies.iter().map(|policy| policy.releaser.clone()).collect();
    let replayed = replay(&read.past.holds, &read.successes, &releasers, &read.rules);
    if asked.print.json {
        json::print(&read, &policies, &replayed, out)?;
    } else {
        text::print(&read, &policies, &replayed, asked.print.columns, out)?;
    }
    Ok(())
}

/// The expressions named, and those of the files named.
fn expressions(named: &[String]) -> Result<Vec<String>, RunError> {
    let mut out = Vec::new();
    for what in named {
        if what != "-" && !is_file(what) {
            out.push(what.clone());
            continue;
        }
        let settings = read_settings(Path::new(what))?;
        let before = out.len();
        let own = settings.assignments().iter();
        out.extend(
            own.filter(|one| Role::of(&one.name) == Some(Role::Release))
                .map(|one| one.value.text.clone()),
        );
        if out.len() == before {
            return Err(no_policy(what));
        }
    }
    Ok(out)
}

/// Says what is plainly wrong with an expression before it is replayed: what it does then is not
/// what it says.
fn look_at(name: &str, text: &str, version: Option<Version>) {
    let version = version.unwrap_or(Version::NEWEST);
    let setting = Setting { version, ..Setting::alone(Role::Release) };
    for finding in lint(text, &setting) {
        let is_name = ["unknown-attribute", "left-out"].contains(&finding.rule.name);
        if is_name || finding.rule.severity == Severity::Error && finding.rule.name != "unparsable"
        {
            let message = format!("expression {name}: {}: {}", finding.rule.name, finding.message);
            say("Warning", &message);
        }
    }
}

fn expressions_of(policies: &[Policy]) -> impl Iterator<Item = &ReplayExpression> {
    policies.iter().filter_map(|policy| match &policy.releaser {
        Releaser::Expression(expression) => Some(expression.as_ref()),
        _ => None,
    })
}
