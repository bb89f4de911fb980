//! `-replay`: what expressions would have done with the holds of logs.

mod json;
mod text;

use std::io::Write;
use std::path::Path;

use super::input::read_settings;
use super::lint::is_file;
use super::past::{self, Read, Wanted};
use super::request::{Replay, Request};
use super::run::RunError;
use crate::cli::output::say;
use crate::policy::Version;
use crate::policy::lint::{Role, Setting, Severity, lint};
use crate::queue::display_path;
use crate::replay::{Contender, ReplayExpression, Replayed, replay};
use crate::text::shown;

/// Characters of an expression in an error.
const SHOWN: usize = 100;

/// What is compared.
#[derive(Debug)]
struct Policy {
    /// A number for an expression, words for what it is compared with.
    name: String,
    /// The expression.
    text: Option<String>,
    contender: Contender,
}

/// Replays, and prints what came of it.
///
/// # Errors
/// [`RunError`] when a text is no expression, or a file cannot be read.
pub(super) fn answer(
    request: &Request,
    replay: &Replay,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let mut policies = Vec::new();
    for (number, text) in expressions(replay)?.into_iter().enumerate() {
        let name = (number + 1).to_string();
        look_at(&name, &text, replay);
        let expression = parse(&text)?;
        let contender = Contender::Expression(Box::new(expression));
        policies.push(Policy { name, text: Some(text), contender });
    }
    let wanted = Wanted {
        attributes: attributes(&policies),
        reasons: names(&policies, "HoldReason"),
        ..Wanted::default()
    };
    let mut read = past::read(&replay.past, wanted)?;
    for (name, contender) in [("in force", Contender::InForce), ("by hand", Contender::Nobody)] {
        policies.push(Policy { name: name.to_owned(), text: None, contender });
    }
    if let Some(said) = read.ask(&replay.past)? {
        let contender = Contender::Advice(said.into());
        policies.push(Policy { name: "advice".to_owned(), text: None, contender });
    }
    if replay.each_hold {
        return Ok(json::lines(&read, &mut policies, out)?);
    }
    let replayed = replayed(&read, &policies);
    if request.json {
        json::print(&read, &policies, &replayed, out)?;
    } else {
        text::print(&read, &policies, &replayed, request.columns, out)?;
    }
    Ok(())
}

fn replayed(read: &Read, policies: &[Policy]) -> Vec<Replayed> {
    let contenders: Vec<Contender> =
        policies.iter().map(|policy| policy.contender.clone()).collect();
    replay(&read.past.holds, &read.successes, &contenders, &read.rules)
}

/// The expressions named, and those of the files named.
fn expressions(replay: &Replay) -> Result<Vec<String>, RunError> {
    let mut out = Vec::new();
    for what in &replay.what {
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
            return Err(RunError::NoPolicy(display_path(Path::new(what))));
        }
    }
    Ok(out)
}

fn parse(text: &str) -> Result<ReplayExpression, RunError> {
    ReplayExpression::parse(text)
        .map_err(|error| RunError::NoExpression { text: shown(text, SHOWN), error })
}

/// Says what is plainly wrong with an expression before it is replayed: what it does then is not what it says.
fn look_at(name: &str, text: &str, replay: &Replay) {
    let version = replay.past.condor.unwrap_or(Version::NEWEST);
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
    policies.iter().filter_map(|policy| match &policy.contender {
        Contender::Expression(expression) => Some(expression.as_ref()),
        _ => None,
    })
}

/// The attributes that ads are asked for.
fn attributes(policies: &[Policy]) -> Vec<String> {
    let mut names: Vec<String> =
        expressions_of(policies).flat_map(ReplayExpression::of_ads).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn names(policies: &[Policy], attribute: &str) -> bool {
    expressions_of(policies).any(|expression| expression.names(attribute))
}
