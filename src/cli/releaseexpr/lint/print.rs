//! Prints findings, for people and for scripts.

use std::borrow::Cow;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Placed, Report};
use crate::policy::lint::{MAX_REPEATED, RULES, Severity};
use crate::print::{Versioned, wrapped};
use crate::text::{has_secret, plural, printable, to_json_pretty};

/// The column that what belongs to a finding begins at.
const INDENT: usize = 4;

/// Columns where there is no limit.
const ENDLESS: usize = usize::MAX / 2;

/// Findings one below the other, and how many there are.
pub(super) fn text(report: &Report, columns: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let columns = columns.unwrap_or(ENDLESS);
    for placed in &report.findings {
        let place = match &placed.file {
            Some(file) => format!("{}:{}: ", printable(file), placed.line),
            None => String::new(),
        };
        let finding = &placed.finding;
        let message = printable(&finding.message);
        let (severity, rule) = (finding.rule.severity.word(), finding.rule.name);
        let head = format!("{place}{severity}: {rule}: {message}");
        write!(out, "{}", wrapped("", INDENT, &head, columns))?;
        let (shown, before, length) = window(&placed.shown, &placed.mark, columns - INDENT);
        writeln!(out, "    {shown}\n    {}{}", " ".repeat(before), "^".repeat(length))?;
        // With a secret taken out of it, it would be another expression.
        if let Some(corrected) = finding.corrected.as_ref().filter(|text| !has_secret(text)) {
            let setting =
                placed.setting.as_deref().map(|name| format!("{name} = ")).unwrap_or_default();
            let instead = if finding.is_part { "instead, in part" } else { "instead" };
            let setting = if finding.is_part { "" } else { &setting };
            writeln!(out, "    {instead}: {}{}", printable(setting), printable(corrected))?;
        }
        writeln!(out)?;
    }
    let count = |severity| {
        report.findings.iter().filter(|placed| placed.finding.rule.severity == severity).count()
    };
    let counts = [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| plural(count(severity), severity.word()));
    writeln!(out, "{}: {}.", plural(report.expressions, "expression"), counts.join(", "))
}

/// As much of a line as fits around a mark, the columns before the mark and its length.
fn window(line: &str, mark: &std::ops::Range<usize>, columns: usize) -> (String, usize, usize) {
    const CUT: &str = "...";
    let part = |range: std::ops::Range<usize>| {
        printable(line.get(range).unwrap_or_default()).chars().count()
    };
    let characters: Vec<char> = printable(line).chars().collect();
    let before = part(0..mark.start).min(characters.len());
    let length = part(mark.clone()).clamp(1, (characters.len() - before).max(1));
    if characters.len() <= columns {
        return (characters.into_iter().collect(), before, length);
    }
    let room = columns.saturating_sub(2 * CUT.len()).max(1);
    let length = length.min(room);
    // Some of what stands before the mark is shown too.
    let start =
        before.saturating_sub((room - length) / 2).min(characters.len().saturating_sub(room));
    let end = (start + room).min(characters.len());
    let shown: String = characters[start..end].iter().collect();
    let head = if start > 0 { CUT } else { "" };
    let tail = if end < characters.len() { CUT } else { "" };
    (format!("{head}{shown}{tail}"), head.len() + before - start, length)
}

/// What is wrong with a policy. `null` is what is not there or not repeated.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "Finding")]
pub(in crate::cli::releaseexpr) struct Object<'a> {
    file: Option<Cow<'a, str>>,
    line: Option<usize>,
    /// The command or knob.
    setting: Option<Cow<'a, str>>,
    rule: &'static str,
    /// `error`, `warning` or `note`.
    severity: &'static str,
    expression: Option<&'a str>,
    /// Bytes of the expression.
    start: usize,
    end: usize,
    message: Cow<'a, str>,
    corrected: Option<&'a str>,
}

impl<'a> Object<'a> {
    fn of(placed: &'a Placed) -> Self {
        let Placed { file, line, setting, expression, finding, .. } = placed;
        // With a secret taken out of it, it would be another expression.
        let is_whole = |text: &&str| text.len() <= MAX_REPEATED && !has_secret(text);
        let corrected = finding.corrected.as_deref().filter(|_| !finding.is_part);
        Self {
            file: file.as_deref().map(printable),
            line: file.as_ref().map(|_| *line),
            setting: setting.as_deref().map(printable),
            rule: finding.rule.name,
            severity: finding.rule.severity.word(),
            expression: Some(&**expression).filter(is_whole),
            start: finding.span.start,
            end: finding.span.end,
            message: printable(&finding.message),
            corrected: corrected.filter(is_whole),
        }
    }
}

/// One JSON array.
pub(super) fn json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let objects: Vec<_> =
        report.findings.iter().map(|placed| Versioned::of(Object::of(placed))).collect();
    writeln!(out, "{}", to_json_pretty(&objects)?)
}

/// All rules.
pub(in crate::cli::releaseexpr) fn rules(
    columns: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for rule in RULES {
        let head = format!("{} ({})", rule.name, rule.severity.word());
        write!(
            out,
            "{head}\n    {}",
            wrapped("", INDENT, rule.summary, columns.unwrap_or(ENDLESS))
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        let line = format!("{} && NumHold < 3 && {}", "a".repeat(100), "b".repeat(100));
        let at = line.find("NumHold").unwrap();
        let (shown, before, length) = window(&line, &(at..at + 7), 60);
        assert!(shown.starts_with("...") && shown.ends_with("...") && shown.chars().count() == 60);
        assert_eq!(&shown[before..before + length], "NumHold");
        assert_eq!(window("x\u{1b}[1my", &(5..6), 60), ("xy".to_owned(), 1, 1));
        assert_eq!(window("", &(0..0), 60).2, 1);
    }
}
