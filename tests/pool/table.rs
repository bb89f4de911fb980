//! The story as a Markdown table, with the (code, subcode) table beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::advice::Advice;
use super::causes::Truth;
use super::story::{Chapter, Outcome, Story};

/// How often advice was right.
pub(crate) struct Score {
    /// Right when every job was about to be released.
    pub right: usize,
    /// Causes asked about.
    pub asked: usize,
    /// Right while the faults lasted.
    pub right_during: usize,
    /// The best table of codes, told what would come of each.
    pub baseline: usize,
}

/// What a table with one answer for each (code, subcode) says when it knows what came of every
/// release as-is of this very story: `release` where at least half of them finished. No table of
/// codes can do better.
pub(crate) fn baseline(story: &Story) -> BTreeMap<(i64, i64), &'static str> {
    let mut counts: BTreeMap<(i64, i64), (usize, usize)> = BTreeMap::new();
    for chapter in &story.chapters {
        let count = counts.entry(chapter.code).or_default();
        count.0 += usize::from(chapter.as_is == Outcome::Success);
        count.1 += 1;
    }
    counts
        .into_iter()
        .map(|(code, (finished, all))| {
            (code, if 2 * finished >= all { "release" } else { "do not release" })
        })
        .collect()
}

/// The table says the right thing when it says `release` of a job that a release finishes, and only
/// then. A hold that a person made is not for a table to end.
fn baseline_is_right(chapter: &Chapter, says: &str) -> bool {
    let release = chapter.as_is == Outcome::Success && chapter.cause.truth != Truth::Person;
    (says == "release") == release
}

/// Right words; and where they came with commands to paste, these did what they were for.
fn is_right_in_the_end(chapter: &Chapter) -> bool {
    is_right(chapter.after.as_ref(), chapter.cause.truth, false)
        && chapter.advised.as_ref().is_none_or(|(_, outcome)| *outcome == Outcome::Success)
}

fn is_right(advice: Option<&Result<Advice, String>>, truth: Truth, on: bool) -> bool {
    advice.is_some_and(|advice| advice.as_ref().is_ok_and(|advice| advice.is_right(truth, on)))
}

/// Counts.
pub(crate) fn score(story: &Story) -> Score {
    let table = baseline(story);
    let count = |right: &dyn Fn(&Chapter) -> bool| {
        story.chapters.iter().filter(|chapter| right(chapter)).count()
    };
    Score {
        right: count(&is_right_in_the_end),
        asked: count(&|chapter| chapter.after.is_some()),
        right_during: count(&|chapter| {
            is_right(chapter.during.as_ref(), chapter.cause.truth, true)
        }),
        baseline: count(&|chapter| baseline_is_right(chapter, table[&chapter.code])),
    }
}

fn said(advice: Option<&Result<Advice, String>>) -> String {
    match advice {
        None => "not asked".to_owned(),
        Some(Ok(advice)) => advice.words(),
        Some(Err(error)) => {
            let line = error.lines().next().unwrap_or_default();
            format!("error: {}", line.chars().take(60).collect::<String>())
        }
    }
}

fn yes(right: bool) -> &'static str {
    if right { "yes" } else { "no" }
}

fn judged(advice: Option<&Result<Advice, String>>, right: bool) -> &'static str {
    if advice.is_some() { yes(right) } else { "" }
}

/// What was changed and what then came of a release: as advised, then as the cause needs.
fn steps(chapter: &Chapter) -> String {
    let mut steps = Vec::new();
    if let Some((commands, outcome)) = &chapter.advised {
        steps.push(format!("as advised, `{}`: {}", cell(&commands.join("; ")), outcome.words()));
    }
    if let Some(outcome) = &chapter.changed {
        steps.push(format!("`{}`: {}", cell(chapter.cause.mend), outcome.words()));
    }
    steps.join("; ")
}

/// A cell: no line ends, no bars.
fn cell(text: &str) -> String {
    text.replace(['\n', '\r'], " ").replace('|', "\\|")
}

/// The table and its totals.
pub(crate) fn markdown(story: &Story) -> String {
    let table = baseline(story);
    let score = score(story);
    let mut text = String::from(
        "# The pool story\n\n\
         Written by `tests/pool_story.rs` on a real HTCondor pool (`tests/pool/README.md`). Each job went on hold for the cause in its\n\
         row; advice was asked as its owner while the faults lasted and again after they were over and jobs of another user had\n\
         shown it. Then every job was released as it was, and the ones held again were changed and released once more: by the\n\
         very commands of the advice where it gave any, and else, or if that failed, in the way that the cause needs.\n\
         `table` is the best table with one answer per (code, subcode), which knows the outcome of every release here beforehand.\n\n\
         | cause | code/subcode | advice during the fault | right | advice before the release | right | released as-is | changed and released | table | right |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for chapter in &story.chapters {
        let cause = chapter.cause;
        let says = table[&chapter.code];
        let _ = writeln!(
            text,
            "| {} | {}/{} | {} | {} | {} | {} | {} | {} | {} | {} |",
            cell(cause.label),
            chapter.code.0,
            chapter.code.1,
            cell(&said(chapter.during.as_ref())),
            judged(chapter.during.as_ref(), is_right(chapter.during.as_ref(), cause.truth, true)),
            cell(&said(chapter.after.as_ref())),
            judged(chapter.after.as_ref(), is_right_in_the_end(chapter)),
            chapter.as_is.words(),
            steps(chapter),
            says,
            yes(baseline_is_right(chapter, says)),
        );
    }
    let all = story.chapters.len();
    let _ = writeln!(
        text,
        "\nRight before the release: {} of {all}; during the faults: {} of {all}; table: {} of {all}.\n\n\
         ## The reasons, as HTCondor wrote them\n",
        score.right, score.right_during, score.baseline
    );
    for chapter in &story.chapters {
        let _ = writeln!(
            text,
            "- {} ({}): `{}`",
            chapter.cause.label,
            chapter.job,
            cell(&chapter.reason)
        );
    }
    text.push_str(&reasons_given(story));
    text
}

/// What was said beside the recommendation, for jobs that were asked about.
fn reasons_given(story: &Story) -> String {
    let mut text = String::new();
    for chapter in &story.chapters {
        for (when, advice) in
            [("during the fault", &chapter.during), ("before the release", &chapter.after)]
        {
            let Some(Ok(advice)) = advice else { continue };
            let _ = writeln!(text, "\n### {}, {when}: {}\n", chapter.cause.label, advice.words());
            for key in ["Evidence", "Change", "Commands", "WaitFor", "HTCondorWill"] {
                for line in lines_of(&advice.object[key]) {
                    let _ = writeln!(text, "- {key}: {}", cell(&line));
                }
            }
        }
    }
    if text.is_empty() { text } else { format!("\n## What the program said\n{text}") }
}

/// A string, the sentence of an object, or those of an array.
fn lines_of(value: &Value) -> Vec<String> {
    match value {
        Value::String(line) => vec![line.clone()],
        Value::Array(values) => values.iter().flat_map(lines_of).collect(),
        other => other["Sentence"].as_str().map(str::to_owned).into_iter().collect(),
    }
}
