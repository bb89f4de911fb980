//! The line of a program's output that says why it failed.
//!
//! Sources of the wordings: Python's traceback module, bash and dash, the dynamic loader and
//! `strerror` of glibc, the Linux kernel's OOM killer, CUDA's runtime, CVMFS, FlexLM, environment
//! modules and Lmod, curl, OpenSSL, Java, R, CERN ROOT.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use eventlog::input;

mod wordings;

pub use crate::catalogue::WordsKind;
use crate::catalogue::{self, Index, Wording};
use crate::text::{Foreign, printable};
use wordings::{CONSEQUENCE, ERROR_NAMES, EXCEPTION, FRAMES, GIVES_WAY, MARKS, MUTED, Mark, PARTS};

/// Bytes at the end of a file that are read.
const TAIL: u64 = 64 << 10;

/// Characters of a line that are kept.
const LINE: usize = 300;

/// Of these, characters of its start: the cause stands behind who speaks, as `strerror`'s words do.
const HEAD: usize = 120;

/// Marks at the start of a line that make it a rule between parts.
const RULER: usize = 4;

/// Lines before the end of which one is chosen.
const LINES: usize = 200;

/// What a line loses for each line after it that says nothing of a failure. Assumed.
const FADES: i32 = 2;

/// Such lines that cost nothing: what failures that explain each other have between them. Assumed.
const NEAR: i32 = 2;

/// Such lines that a line counts for which says that a trouble was overcome. Assumed.
const RECOVERED: i32 = 25;

/// Characters at the start of a line in which wordings are looked for.
const MATCHED: usize = 1_000;

/// Characters at the start of a line in which its level stands (`2024-05-01 12:00:00,123 INFO`).
const LEVEL: usize = 48;

/// What a program wrote at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Words {
    /// What the line says.
    pub says: WordsKind,
    /// The line, at most 300 characters; of a longer one its start and its end.
    pub line: Foreign,
    /// When the file was last written, Unix seconds.
    pub written_at: i64,
}

/// What a Python traceback begins with.
const TRACEBACK: &str = "Traceback (most recent call last):";

/// The last words of a file that say why its program failed. May wait for its file system for ever.
///
/// # Errors
/// It cannot be opened or read, or is no regular file.
pub(super) fn of_file(path: &Path) -> io::Result<Option<Words>> {
    let mut file = input::open_regular(path)?;
    let written_at = file.metadata()?.mtime();
    let found = find(&String::from_utf8_lossy(&tail(&mut file)?));
    Ok(found.map(|(says, line)| Words { says, line: line.into(), written_at }))
}

fn tail(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The line that says most about a failure: of the last lines that with the highest score, of equal
/// ones the first. A line scores what its wording is worth (in the catalogue), less the more lines
/// follow it before the last error that say nothing of a failure: a program that went on did not
/// end by it.
pub(super) fn find(text: &str) -> Option<(WordsKind, String)> {
    // A progress bar writes over its line.
    let lines = text.split(['\n', '\r']).map(str::trim_end).filter(|line| !line.is_empty());
    let mut lines: Vec<&str> = lines.rev().take(LINES).collect();
    lines.reverse();
    let (mut spoken, mut others, mut in_traceback) = (Vec::new(), 0, false);
    for (at, line) in lines.iter().enumerate() {
        let (start, next) = (line.trim_start(), lines.get(at + 1));
        if start.contains(TRACEBACK) {
            in_traceback = true;
            continue;
        }
        if is_frame(start) || in_traceback && start.len() < line.len() {
            continue;
        }
        let ends_traceback = std::mem::take(&mut in_traceback);
        match said(start, ends_traceback) {
            Said::Failure(kind, worth) => {
                if start.starts_with("Caused by:") {
                    others += NEAR + 1;
                }
                let below = next.filter(|_| start.ends_with(':'));
                spoken.push(with_below(start, below, (kind, worth), ends_traceback, others));
            }
            Said::WentOn => others += RECOVERED,
            Said::Apart => others += NEAR + 1,
            Said::Nothing => others += i32::from(start.len() == lines[at].len()),
        }
    }
    let end = spoken.last()?.2;
    let score =
        |(_, worth, before, _): &(_, i32, i32, _)| worth - FADES * (end - before - NEAR).max(0);
    let best = spoken.into_iter().rev().max_by_key(score);
    // Of a secret that is cut in two the end would not be known as one.
    best.map(|(kind, .., line)| (kind, cut(printable(&line).into_owned())))
}

/// A line of at most [`LINE`] characters, with `...` for what is left out.
fn cut(line: String) -> String {
    const DOTS: &str = "...";
    let Some(too_many) = line.chars().count().checked_sub(LINE).filter(|more| *more > 0) else {
        return line;
    };
    let end = line.chars().skip(HEAD + too_many + DOTS.len());
    line.chars().take(HEAD).chain(DOTS.chars()).chain(end).collect()
}

/// A line that speaks of a failure, with the line below where its message stands there.
fn with_below(
    start: &str,
    below: Option<&&str>,
    (kind, worth): (WordsKind, i32),
    ends_traceback: bool,
    others: i32,
) -> (WordsKind, i32, i32, String) {
    let Some(below) = below else {
        return (kind, worth, others, start.to_owned());
    };
    let line = format!("{start} {}", below.trim_start());
    match said(&line, ends_traceback) {
        Said::Failure(kind, worth) => (kind, worth, others, line),
        _ => (kind, worth, others, start.to_owned()),
    }
}

/// What a line says of a failure.
enum Said {
    /// What failed, and what the line is worth.
    Failure(WordsKind, i32),
    /// An earlier trouble was overcome.
    WentOn,
    /// What follows is a failure of its own.
    Apart,
    /// Nothing.
    Nothing,
}

fn said(line: &str, ends_traceback: bool) -> Said {
    let end = line.char_indices().nth(MATCHED).map_or(line.len(), |(at, _)| at);
    let line = &line[..end];
    let marks = marks(line);
    let has = |mark: Mark| marks.iter().any(|(known, _)| *known == mark);
    let at_level = |mark: Mark| marks.contains(&(mark, true));
    if has(Mark::WentOn) {
        return Said::WentOn;
    }
    if has(Mark::Apart) {
        return Said::Apart;
    }
    let known = catalogue::current().read_output(line);
    let own = || {
        if is_ruler(line) {
            return None;
        }
        let is_error = (ends_traceback || names_error(line)) && !at_level(Mark::NoError);
        if is_error {
            // A name without a message says that it failed, not why.
            let says_why = ends_traceback || line.contains(char::is_whitespace);
            return Some(if says_why { EXCEPTION } else { CONSEQUENCE });
        }
        let worths = marks.iter().filter_map(|(mark, _)| match mark {
            Mark::Own(worth) => Some(*worth),
            _ => None,
        });
        worths.max().filter(|_| !has(Mark::NoError))
    };
    let Some((kind, mut worth)) = known
        .and_then(|reading| reading.entry().kind.zip(reading.entry().worth))
        .or_else(|| own().map(|worth| (WordsKind::Own, worth)))
    else {
        return Said::Nothing;
    };
    if worth <= GIVES_WAY && has(Mark::Consequence) {
        worth = CONSEQUENCE;
    }
    if has(Mark::TriedAgain) || !ends_traceback && at_level(Mark::Level) {
        worth = MUTED;
    }
    Said::Failure(kind, worth)
}

/// What a line has, and whether at its start, where its level stands.
fn marks(line: &str) -> Vec<(Mark, bool)> {
    static ALL: LazyLock<(Vec<(Mark, Wording)>, Index)> = LazyLock::new(|| {
        let wording = |words: &str| {
            Wording::try_from(words.to_owned()).unwrap_or_else(|error| unreachable!("{error}"))
        };
        let of_mark = |(mark, words): &(Mark, &[&str])| {
            let mark = *mark;
            words.iter().map(|words| (mark, wording(words))).collect::<Vec<_>>()
        };
        let all: Vec<(Mark, Wording)> = MARKS.iter().flat_map(of_mark).collect();
        let index = Index::of(all.iter().enumerate().map(|(at, (_, wording))| ([at, 0], wording)));
        (all, index)
    });
    let (all, index) = &*ALL;
    let lower = line.to_ascii_lowercase();
    let mut found = Vec::new();
    index.each(
        |[number, _]| &all[number].1,
        &lower,
        |[number, _], wording, at| {
            let fits = wording.fit_at(line, &lower, at).is_some();
            if fits {
                found.push((
                    all[number].0,
                    line[..at].chars().count() + wording.begins().len() <= LEVEL,
                ));
            }
            fits
        },
    );
    found
}

/// Whether a line is of a list of calls.
fn is_frame(start: &str) -> bool {
    FRAMES.iter().any(|frame| start.starts_with(frame))
}

/// Whether a line is a rule between parts of an output (`----- Begin Fatal Exception -----`).
fn is_ruler(line: &str) -> bool {
    let is_part = |word: &str| PARTS.iter().any(|part| word.eq_ignore_ascii_case(part));
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    line.chars().take_while(char::is_ascii_punctuation).count() >= RULER
        && (words.next().is_some_and(is_part) || words.next_back().is_some_and(is_part))
}

/// Whether an identifier in camel case names an error, as `lib.errors.CatalogueUnavailable` does.
fn names_error(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| {
        let is_camel = word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.contains(|c: char| c.is_ascii_lowercase());
        is_camel && ERROR_NAMES.iter().any(|end| word.len() > end.len() && word.ends_with(end))
    })
}

#[cfg(test)]
mod tests;
