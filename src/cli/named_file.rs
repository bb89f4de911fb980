//! Words that name a file where jobs and owners are expected.

use std::path::Path;

use eventlog::{Beginning, LogReader, ReadOptions, input};

use super::ArgumentError;
use crate::queue::JobSpec;
use crate::text::{shell_command, shown};

/// Bytes of a file that are looked at. Assumed: they have an event, an ad, or a line of a DAG.
const LOOKED_AT: u64 = 256 << 10;

/// Characters of a name that are shown.
const NAME: usize = 200;

/// No word is the name of a file that another option reads. An owner is no path, but there may be a
/// file of that name.
///
/// # Errors
/// [`ArgumentError`] names the option.
pub(super) fn refuse(jobs: &[JobSpec]) -> Result<(), ArgumentError> {
    for job in jobs {
        let JobSpec::Owner(word) = job else { continue };
        let Ok(file) = input::open_regular(Path::new(word)) else { continue };
        let bytes = input::beginning(&file, LOOKED_AT).unwrap_or_default();
        let reads = |option| {
            let dash = if word.starts_with('-') { "./" } else { "" };
            let file = format!("{dash}{word}");
            format!("read it with {}", shell_command(["condor_holdadvise", option, &file]))
        };
        let (what, to_do) = match kind(&bytes) {
            Some(Kind::Log) => ("a job event log", reads("-userlog")),
            Some(Kind::Ads) => ("a file of job ads", reads("-jobads")),
            Some(Kind::Dag) => ("a DAG file", reads("-dag")),
            Some(Kind::Submit) => (
                "a submit description",
                "name the cluster that condor_submit gave it, or its log after -userlog".to_owned(),
            ),
            // Owners have no slash in their names, and seldom a dot.
            None if word.contains(['/', '.']) => (
                if bytes.is_empty() { "an empty file" } else { "a file" },
                "name a job event log after -userlog, job ads after -jobads, a DAG file after -dag"
                    .to_owned(),
            ),
            None => continue,
        };
        let word = shown(word, NAME);
        return Err(ArgumentError(format!("{word} is no job and no owner but {what}: {to_do}")));
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Log,
    Ads,
    Dag,
    Submit,
}

/// What a file is, by its first bytes.
fn kind(bytes: &[u8]) -> Option<Kind> {
    let mut log = LogReader::new(bytes, &ReadOptions::default());
    if Beginning::of(&mut log).time().is_some() {
        return Some(Kind::Log);
    }
    let text = String::from_utf8_lossy(bytes);
    let has = |is: fn(&str, &[&str]) -> bool| {
        text.lines().any(|line| {
            let words: Vec<&str> = line.split_whitespace().take(3).collect();
            words.first().is_some_and(|first| is(&first.to_ascii_uppercase(), &words))
        })
    };
    if has(|first, words| match first {
        "JOB" | "SPLICE" | "SUBDAG" => words.len() == 3 && words[1] != "=",
        _ => false,
    }) {
        return Some(Kind::Dag);
    }
    if has(|first, words| first == "QUEUE" && words.get(1) != Some(&"=")) && text.contains('=') {
        return Some(Kind::Submit);
    }
    let is_job = |ad: &classads::ClassAd| ad.contains("ClusterId");
    classads::read_ads(bytes).flatten().any(|ad| is_job(&ad)).then_some(Kind::Ads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_what_they_hold() {
        for (text, expected) in [
            (
                "000 (1.000.000) 2026-03-01 09:00:00 Job submitted from host: <1.2.3.4:5>\n...\n",
                Some(Kind::Log),
            ),
            ("# a DAG\njob A a.sub\n", Some(Kind::Dag)),
            ("SPLICE S part.dag\n", Some(Kind::Dag)),
            ("executable = x\nQueue 5\n", Some(Kind::Submit)),
            ("ClusterId = 7\nProcId = 0\n", Some(Kind::Ads)),
            ("[{\"ClusterId\": 7, \"ProcId\": 0}]", Some(Kind::Ads)),
            ("alice\n", None),
            ("Job = 3\nqueue\n", Some(Kind::Submit)),
            ("", None),
        ] {
            assert_eq!(kind(text.as_bytes()), expected, "{text:?}");
        }
    }
}
