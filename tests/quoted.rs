//! What pages quote is there: sentences that the programs print, settings, files and tests.

use std::collections::{BTreeMap, BTreeSet};

use crate::documents::{assert_none, files, markdown, read, root, without_code};

/// Folders whose texts the programs print.
const PRINTED: [&str; 9] = [
    "src",
    "eventlog/src",
    "classads/src",
    "plugin",
    "train",
    "man",
    "tests/snapshots",
    "tests/cli",
    "packaging",
];

/// Where paths of pages begin: each crate has pages of its own.
const ROOTS: [&str; 8] =
    ["", "classads", "eventlog", "plugin", "train", "train/simulate", "lab", "fuzz"];

/// One blank for each run of white space.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of what programs print; strings of Rust that are continued are one line.
fn printed() -> String {
    let is_text = |name: &String| [".rs", ".snap", ".1"].iter().any(|end| name.ends_with(end));
    let mut all = String::new();
    for name in PRINTED.iter().flat_map(|folder| files(folder)).filter(is_text) {
        let Ok(bytes) = std::fs::read(root().join(&name)) else { continue };
        let text = String::from_utf8_lossy(&bytes).replace("\\\"", "\"");
        let joined: Vec<&str> = text.split("\\\n").map(str::trim_start).collect();
        all += &folded(&joined.concat());
        all.push('\n');
    }
    all.to_lowercase()
}

/// The paragraphs of a page without its code blocks.
fn paragraphs(page: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut is_code = false;
    for line in page.lines() {
        is_code ^= line.trim_start().starts_with("```");
        if line.trim().is_empty() || line.starts_with(['|', '-', '#']) {
            blocks.push(String::new());
        }
        if !is_code && !line.starts_with("```") {
            let block = blocks.last_mut().expect("a block");
            *block += &format!("{line}\n");
        }
    }
    blocks
}

/// What stands between two marks of a kind, alone or at the border of a word.
fn between(text: &str, mark: char) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once(mark) {
        let begins = before.chars().last().is_none_or(|c| !c.is_alphanumeric() && c != mark);
        let inside = after.split(mark).next().filter(|_| after.contains(mark));
        match inside.filter(|text| begins && !text.is_empty() && !text.starts_with(' ')) {
            Some(text) => {
                found.push(text);
                rest = &after[text.len() + mark.len_utf8()..];
            }
            None => rest = after,
        }
    }
    found
}

/// Whether the programs print this, whatever stands for its figures and for `...`.
fn is_printed(quoted: &str, printed: &str) -> bool {
    let quoted = quoted.to_lowercase().replace("...", "0").replace('…', "0");
    let parts = quoted.split(|c: char| c.is_ascii_digit());
    let parts = parts.map(|part| part.trim_matches(|c: char| " .,:;-%".contains(c)));
    parts.filter(|part| !part.is_empty()).all(|part| printed.contains(part))
}

#[test]
fn quoted_sentences_are_printed() {
    let printed = printed();
    let (mut problems, mut count) = (Vec::new(), 0);
    let pages = markdown()
        .into_iter()
        .filter(|(name, _)| name.starts_with("docs/") && !name.starts_with("docs/records/"));
    for (name, page) in pages.collect::<BTreeMap<_, _>>() {
        for paragraph in paragraphs(&page) {
            // What is bold is no quotation.
            let text = folded(&without_code(&paragraph)).replace("**", "");
            let quoted = [between(&text, '*'), between(&text, '"')].concat();
            for quoted in quoted.into_iter().filter(|text| text.contains(' ')) {
                count += 1;
                if !is_printed(quoted, &printed) {
                    problems.push(format!("{name}: no program prints \"{quoted}\""));
                }
            }
        }
    }
    assert_none(&problems);
    assert!(count >= 20, "{count}");
}

/// Names of settings in a text.
fn settings(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_start_matches("_CONDOR_"));
    let words = words.filter(|word| word.starts_with("HOLDADVISE_") && !word.ends_with('_'));
    words.map(str::to_owned).collect()
}

#[test]
fn settings_of_pages_are_read() {
    let code = [
        "src",
        "plugin",
        "python",
        "train",
        "tests",
        "scripts",
        "packaging",
        "lab",
        "fuzz",
        "classads",
        "eventlog",
    ];
    let is_code = |name: &String| !name.ends_with(".md");
    let names = code.iter().flat_map(|folder| files(folder)).filter(is_code);
    let read_lossy = |name: String| std::fs::read(root().join(name)).unwrap_or_default();
    let known: BTreeSet<String> =
        names.flat_map(|name| settings(&String::from_utf8_lossy(&read_lossy(name)))).collect();
    let mut problems = Vec::new();
    for (name, page) in markdown() {
        let unknown = settings(&page).into_iter().filter(|setting| !known.contains(setting));
        problems.extend(unknown.map(|setting| format!("{name}: nothing reads {setting}")));
    }
    assert_none(&problems);
}

/// A word that something else stands for: `VERSION`.
fn is_placeholder(word: &str) -> bool {
    word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase()) && word != "README"
}

#[test]
fn files_and_tests_that_pages_name_are_there() {
    let tops = ["src/", "tests/", "scripts/", "docs/", "plugin/", "train/", "lab/", "eventlog/"];
    let is_there = |path: &str| ROOTS.iter().any(|crate_| root().join(crate_).join(path).exists());
    // Sources of HTCondor, and places that a name stands for.
    let is_own = |path: &str| {
        !["src/condor", "src/classad/"].iter().any(|start| path.starts_with(start))
            && !path.split(['-', '/', '.']).any(is_placeholder)
    };
    let manifest = read("Cargo.toml");
    let mut problems = Vec::new();
    for (name, page) in markdown() {
        for span in page.split('`').skip(1).step_by(2) {
            let path = span.split([' ', ':', '{', '*', '<', '\n']).next().unwrap_or_default();
            let is_path = tops.iter().any(|top| path.starts_with(top));
            if is_path && is_own(path) && !is_there(path) {
                problems.push(format!("{name}: {path} is not there"));
            }
        }
        for test in page.split("--test ").skip(1) {
            let test = test
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .trim_matches(['`', ')', '.', ',']);
            let files = [format!("tests/{test}.rs"), format!("tests/{test}")];
            let is_listed = manifest.contains(&format!("name = \"{test}\""));
            let is_of_crate = ROOTS[1..]
                .iter()
                .any(|crate_| files.iter().any(|file| root().join(crate_).join(file).exists()));
            if !is_listed && !is_of_crate {
                problems.push(format!("{name}: there is no test {test}"));
            }
        }
    }
    problems.sort();
    assert_none(&problems);
}

#[test]
fn what_is_quoted_is_found() {
    assert_eq!(between("a *b c* d*e* *f", '*'), ["b c"]);
    assert!(is_placeholder("VERSION") && !is_placeholder("README"));
    assert!(is_printed("Raise it to 512 MiB...", "raise it to {} mib"));
    assert!(!is_printed("Lower it to 512 MiB", "raise it to {} mib"));
    assert_eq!(paragraphs("a\n```\nb\n```\n- c\nd\n").concat(), "a\n- c\nd\n");
    assert_eq!(
        settings("_CONDOR_HOLDADVISE_X=1, HOLDADVISE_Y_ HOLDADVISE_Z"),
        ["HOLDADVISE_X", "HOLDADVISE_Z"].map(str::to_owned).into()
    );
}
