//! Expressions and files that are looked at, and what was found in them.

mod print;

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use classads::Expr;

use super::input::read_settings;
use super::request::{Lint, Request};
use super::run::RunError;
use crate::policy::lint::{Finding, Role, Setting, Severity, lint};
use crate::policy::{Assignment, SettingsFile};
use crate::queue::display_path;

/// A finding with its place.
#[derive(Debug)]
pub(super) struct Placed {
    /// The file; `None` for an expression of the command line.
    pub(super) file: Option<String>,
    /// The line of the file, from 1.
    pub(super) line: usize,
    /// The command or knob.
    pub(super) setting: Option<String>,
    /// The expression.
    pub(super) expression: String,
    /// What is shown with a mark under the place: a line of the file, or the expression.
    pub(super) shown: String,
    /// Bytes of what is shown.
    pub(super) mark: Range<usize>,
    pub(super) finding: Finding,
}

/// Everything that was looked at.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) findings: Vec<Placed>,
    /// Expressions looked at.
    pub(super) expressions: usize,
}

pub(super) use print::rules;

/// Looks at what was named, prints the findings and gives the exit status: 1 for warnings or errors.
///
/// # Errors
/// [`RunError`] when a file cannot be read or sets no policy.
pub(super) fn answer(request: &Request, lint: &Lint, out: &mut dyn Write) -> Result<u8, RunError> {
    let report = report(lint)?;
    if request.json {
        print::json(&report, out)?;
    } else {
        print::text(&report, request.columns, out)?;
    }
    let is_grave = |severity: Severity| severity > Severity::Note;
    Ok(u8::from(report.findings.iter().any(|placed| is_grave(placed.finding.rule.severity))))
}

/// Looks at all that was named.
fn report(request: &Lint) -> Result<Report, RunError> {
    let mut report = Report::default();
    for what in &request.what {
        if what == "-" || is_file(what) {
            let before = report.expressions;
            file(what, request, &mut report)?;
            if report.expressions == before {
                return Err(RunError::NoPolicy(display_path(Path::new(what))));
            }
        } else {
            expression(what, request, &mut report);
        }
    }
    Ok(report)
}

/// Whether a word names a file: there is one, or it looks like a path and not like an expression.
pub(super) fn is_file(what: &str) -> bool {
    let is_word = !what.chars().any(|c| c.is_whitespace() || "()=<>&|!\"'?".contains(c));
    Path::new(what).is_file()
        || is_word
            && what.contains(['.', '/'])
            && what.parse::<f64>().is_err()
            && Expr::parse_old(what).is_err()
        || is_word && (what.ends_with(".sub") || what.starts_with('/'))
}

fn expression(text: &str, request: &Lint, report: &mut Report) {
    report.expressions += 1;
    let setting = Setting { version: request.condor, ..Setting::alone(request.role) };
    report.findings.extend(lint(text, &setting).into_iter().map(|finding| Placed {
        file: None,
        line: 1,
        setting: None,
        expression: text.to_owned(),
        shown: text.to_owned(),
        mark: finding.span.clone(),
        finding,
    }));
}

fn file(path: &str, request: &Lint, report: &mut Report) -> Result<(), RunError> {
    let path = Path::new(path);
    let name = display_path(path);
    let settings = read_settings(path)?;
    let own_attributes = own_attributes(&settings);
    let raises_request = (!settings.is_configuration()).then(|| raises_request(&settings));
    let is_grid = ["universe", "JobUniverse"].iter().any(|name| {
        settings
            .get(name)
            .is_some_and(|value| ["grid", "9"].contains(&value.to_ascii_lowercase().as_str()))
    });
    for assignment in settings.assignments() {
        let name_of_attribute = own_name(&assignment.name).unwrap_or(&assignment.name);
        let Some(role) = Role::of(name_of_attribute) else { continue };
        report.expressions += 1;
        let setting = Setting {
            role,
            version: request.condor,
            own_attributes: &own_attributes,
            raises_request,
            is_grid,
        };
        for finding in lint(&assignment.value.text, &setting) {
            report.findings.push(placed(&name, &settings, assignment, finding));
        }
    }
    Ok(())
}

fn placed(
    file: &str,
    settings: &SettingsFile,
    assignment: &Assignment,
    finding: Finding,
) -> Placed {
    let origin = assignment.value.origin(&finding.span);
    let (line, shown, start) = settings.line(origin.start);
    let from = (origin.start - start).min(shown.len());
    // What goes on in the next line is marked to the end of this one.
    let to = (origin.end.saturating_sub(start)).clamp(from, shown.len());
    Placed {
        file: Some(file.to_owned()),
        line,
        setting: Some(assignment.name.clone()),
        expression: assignment.value.text.clone(),
        shown: shown.to_owned(),
        mark: from..to,
        finding,
    }
}

/// `Flag` of `+Flag` or `MY.Flag`.
fn own_name(name: &str) -> Option<&str> {
    let my = name.get(..3).filter(|start| start.eq_ignore_ascii_case("MY."));
    name.strip_prefix('+').or_else(|| my.and_then(|_| name.get(3..)))
}

/// Attributes that a submit description sets of its own.
fn own_attributes(settings: &SettingsFile) -> Vec<(String, String)> {
    let own = |setting: &Assignment| {
        Some((own_name(&setting.name)?.to_owned(), setting.value.text.clone()))
    };
    settings.assignments().iter().filter_map(own).collect()
}

/// Whether the next run asks for more memory: a list of requests, or a request that depends on the job.
fn raises_request(settings: &SettingsFile) -> bool {
    let depends = |text: &str| {
        Expr::parse_old(text).is_ok_and(|expr| !expr.attribute_references().is_empty())
    };
    settings.get("retry_request_memory").is_some()
        || ["request_memory", "+RequestMemory", "MY.RequestMemory"]
            .iter()
            .any(|name| settings.get(name).is_some_and(depends))
}
