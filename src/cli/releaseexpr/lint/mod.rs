//! Expressions and files that are looked at, and what was found in them.
//!
//! - `print`: findings for people and as JSON.

mod print;

pub(super) use print::Object;

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use classads::Expr;

use super::input::{no_policy, read_settings};
use super::request::Lint;
use crate::cli::RunError;
use crate::policy::lint::{LintFinding, Role, Setting, Severity, held_again, lint, together};
use crate::policy::{Assignment, SettingsFile, Version};
use crate::queue::display_path;
use crate::text::{plural, shorten};

/// Findings that are printed; expressions behind that many are not looked at.
const MAX_FINDINGS: usize = 10_000;

/// A line of at most so many bytes is shown whole. Of a longer one the marked part is shown, at
/// most as many bytes, with half as many on each side.
const MAX_SHOWN: usize = 600;

/// Characters of the name of a command or knob.
const MAX_NAME: usize = 200;

/// A finding with its place.
#[derive(Debug)]
pub(super) struct Placed {
    /// The file; `None` for an expression of the command line.
    pub(super) file: Option<Rc<str>>,
    /// The line of the file, from 1.
    pub(super) line: usize,
    /// The command or knob.
    pub(super) setting: Option<Rc<str>>,
    /// The expression.
    pub(super) expression: Rc<str>,
    /// What is shown with a mark under the place: a line of the file, or the expression.
    pub(super) shown: String,
    /// Bytes of what is shown.
    pub(super) mark: Range<usize>,
    pub(super) finding: LintFinding,
}

/// Everything that was looked at.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) findings: Vec<Placed>,
    /// Expressions looked at.
    pub(super) expressions: usize,
    /// Those that are not looked at, and the place of the first.
    unseen: Option<(usize, Placed)>,
}

impl Report {
    /// Takes up the findings about an expression; there are enough of them at some time.
    fn look(&mut self, text: &str, setting: &Setting<'_>, place: impl Fn(LintFinding) -> Placed) {
        self.expressions += 1;
        if self.findings.len() < MAX_FINDINGS {
            self.findings.extend(lint(text, setting).into_iter().map(place));
            return;
        }
        let first = || (0, place(LintFinding::left_out(String::new())));
        self.unseen.get_or_insert_with(first).0 += 1;
    }

    /// Says how many expressions were not looked at.
    fn end(&mut self) {
        if let Some((unseen, mut first)) = self.unseen.take() {
            let expressions = plural(unseen, "expression");
            first.finding.message = format!(
                "{expressions} from here on not looked at: \
                 there are {MAX_FINDINGS} findings already"
            );
            self.findings.push(first);
        }
    }
}

pub(super) use print::rules;

/// Looks at what was named, prints the findings and gives the exit status: 1 for warnings or
/// errors.
///
/// # Errors
/// [`RunError`] when a file cannot be read or sets no policy.
pub(super) fn answer(asked: &Lint, out: &mut dyn Write) -> Result<u8, RunError> {
    let report = report(asked)?;
    if asked.print.json {
        print::json(&report, out)?;
    } else {
        print::text(&report, asked.print.columns, out)?;
    }
    let is_grave = |severity: Severity| severity > Severity::Note;
    Ok(u8::from(report.findings.iter().any(|placed| is_grave(placed.finding.rule.severity))))
}

/// Looks at all that was named.
fn report(asked: &Lint) -> Result<Report, RunError> {
    let mut report = Report::default();
    for what in &asked.what {
        if what == "-" || is_file(what) {
            let before = report.expressions;
            file(what, asked.version, &mut report)?;
            if report.expressions == before {
                return Err(no_policy(what));
            }
        } else {
            expression(what, asked, &mut report);
        }
    }
    report.end();
    Ok(report)
}

/// Whether a word names a file: there is one, or a folder, or it looks like a path and not like an
/// expression.
pub(super) fn is_file(what: &str) -> bool {
    let is_word = !what.chars().any(|c| c.is_whitespace() || "()=<>&|!\"'?".contains(c));
    Path::new(what).exists()
        || is_word
            && what.contains(['.', '/'])
            && what.parse::<f64>().is_err()
            && Expr::parse_old(what).is_err()
        || is_word && (what.ends_with(".sub") || what.starts_with('/'))
}

fn expression(text: &str, asked: &Lint, report: &mut Report) {
    let setting = Setting { version: asked.version, ..Setting::alone(asked.role) };
    let expression: Rc<str> = text.into();
    let place = |finding: LintFinding| {
        let (shown, mark) = excerpt(text, finding.span.clone());
        Placed {
            file: None,
            line: 1,
            setting: None,
            expression: Rc::clone(&expression),
            shown,
            mark,
            finding,
        }
    };
    report.look(text, &setting, place);
    if report.findings.len() < MAX_FINDINGS {
        report.findings.extend(held_again(text, &setting).map(place));
    }
}

/// As much of a long line as is shown around a mark, and the mark in it.
fn excerpt(line: &str, mark: Range<usize>) -> (String, Range<usize>) {
    if line.len() <= MAX_SHOWN {
        return (line.to_owned(), mark);
    }
    let end_of_mark = line.floor_char_boundary(mark.end.min(mark.start + MAX_SHOWN));
    let start = line.floor_char_boundary(mark.start.saturating_sub(MAX_SHOWN / 2));
    let end = line.ceil_char_boundary(end_of_mark + MAX_SHOWN / 2);
    let head = if start > 0 { "..." } else { "" };
    let tail = if end < line.len() { "..." } else { "" };
    let shift = |at: usize| head.len() + at - start;
    let mark = shift(mark.start)..shift(end_of_mark.max(mark.start));
    (format!("{head}{}{tail}", &line[start..end]), mark)
}

fn file(path: &str, version: Version, report: &mut Report) -> Result<(), RunError> {
    let path = Path::new(path);
    let name: Rc<str> = display_path(path).into();
    let settings = read_settings(path)?;
    let own_attributes = own_attributes(&settings);
    let raises_request = (!settings.is_configuration()).then(|| raises_request(&settings));
    let is_grid = ["universe", "JobUniverse"].iter().any(|name| {
        settings
            .get(name)
            .is_some_and(|value| ["grid", "9"].contains(&value.to_ascii_lowercase().as_str()))
    });
    for assignment in settings.assignments() {
        let Some(role) = Role::of(assignment.setting()) else { continue };
        let setting =
            Setting { role, version, own_attributes: &own_attributes, raises_request, is_grid };
        report.look(&assignment.value.text, &setting, |finding| {
            in_file(&settings, &name, assignment, finding)
        });
    }
    for (assignment, finding) in together(&settings) {
        // A name that is nearly that of a policy was meant as one.
        report.expressions += usize::from(finding.is_misspelt());
        if report.findings.len() < MAX_FINDINGS {
            report.findings.push(in_file(&settings, &name, assignment, finding));
        }
    }
    Ok(())
}

/// A finding about a setting of a file, with its place.
fn in_file(
    settings: &SettingsFile,
    file: &Rc<str>,
    assignment: &Assignment,
    finding: LintFinding,
) -> Placed {
    let origin = assignment.value.origin(&finding.span);
    let (line, shown, start) = settings.line(origin.start);
    let from = (origin.start - start).min(shown.len());
    // What goes on in the next line is marked to the end of this one.
    let to = (origin.end.saturating_sub(start)).clamp(from, shown.len());
    let (shown, mark) = excerpt(shown, from..to);
    Placed {
        file: Some(Rc::clone(file)),
        line,
        setting: Some(Rc::from(shorten(&assignment.name, MAX_NAME))),
        expression: Rc::from(assignment.value.text.as_str()),
        shown,
        mark,
        finding,
    }
}

/// Attributes that a submit description sets of its own.
fn own_attributes(settings: &SettingsFile) -> Vec<(String, String)> {
    let own = |setting: &Assignment| {
        Some((setting.own_attribute()?.to_owned(), setting.value.text.clone()))
    };
    settings.assignments().iter().filter_map(own).collect()
}

/// Whether the next run asks for more memory: a list of requests, or a request that depends on the
/// job.
fn raises_request(settings: &SettingsFile) -> bool {
    let depends = |text: &str| {
        Expr::parse_old(text).is_ok_and(|expr| !expr.attribute_references().is_empty())
    };
    settings.get("retry_request_memory").is_some()
        || ["request_memory", "+RequestMemory", "MY.RequestMemory"]
            .iter()
            .any(|name| settings.get(name).is_some_and(depends))
}
