//! The ads of real and recorded files, in whatever they stand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::ads::{Form, Question};

/// What the pool of an HTCondor version wrote.
pub(crate) fn pool(version: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/data/pool-{version}"));
    path.is_dir().then_some(path)
}

/// The text of a file; bytes that are no UTF-8 are replaced before both sides see it.
pub(crate) fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The files of a folder and those below it, in the order of their names.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    for entry in entries {
        let path = entry.expect("the entry is readable").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort_unstable();
    found
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Ads of a whole file, whose form its first character shows. Banner lines end ads as blank lines
/// do.
pub(crate) fn whole(path: &Path) -> Question {
    let text = text(path);
    let form = match text.trim_start().get(..2) {
        Some(start)
            if start.starts_with('{') || start.starts_with("[\n") && text.contains("\": ") =>
        {
            Form::Json
        }
        Some(start) if start.starts_with('[') => Form::New,
        _ => Form::Long,
    };
    let text = if form == Form::Long {
        text.lines().fold(String::new(), |mut all, line| {
            if !line.starts_with("***") {
                all.push_str(line);
            }
            all.push('\n');
            all
        })
    } else {
        text
    };
    Question::new(&file_name(path), form, text)
}

/// The jobs of a job queue log: `103 KEY NAME EXPRESSION` sets an attribute.
pub(crate) fn job_queue_log(path: &Path) -> Question {
    let mut ads: BTreeMap<String, String> = BTreeMap::new();
    for line in text(path).lines() {
        let mut words = line.splitn(4, ' ');
        if words.next() == Some("103")
            && let (Some(key), Some(name), Some(value)) = (words.next(), words.next(), words.next())
        {
            let ad = ads.entry(key.to_owned()).or_default();
            writeln!(ad, "{name} = {value}").expect("a string takes all");
        }
    }
    let ads: Vec<String> = ads.into_values().collect();
    Question::new(&file_name(path), Form::Long, ads.join("\n"))
}

/// The ads in a job event log: the bodies of event 028, and ads in brackets that stand on a line.
pub(crate) fn event_log(path: &Path) -> Vec<Question> {
    let text = text(path);
    let mut long = String::new();
    let mut new = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("028 (") {
            inside = true;
            continue;
        }
        if line.starts_with("...") {
            if inside {
                long.push('\n');
            }
            inside = false;
        }
        if inside {
            long.push_str(line);
            long.push('\n');
        }
        let line = line.trim();
        if line.starts_with('[') && line.ends_with(']') && line.contains('=') {
            new.push(line.to_owned());
        }
    }
    new.sort_unstable();
    new.dedup();
    let name = file_name(path);
    let mut questions = Vec::new();
    if !long.is_empty() {
        questions.push(Question::new(&name, Form::Long, long));
    }
    if !new.is_empty() {
        questions.push(Question::new(&name, Form::New, new.join("\n")));
    }
    questions
}

/// An expression as the attribute of an ad, in the old syntax and in the new one.
pub(crate) fn expression(text: &str) -> [Question; 2] {
    [
        Question::new(text, Form::Long, format!("Expression = {text}\n")),
        Question::new(text, Form::New, format!("[ Expression = {text}\n]")),
    ]
}
