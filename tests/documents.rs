//! What users read is plain: lines fit, sentences are short, words are HTCondor's or everybody's,
//! pages have a bound, and links lead somewhere.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Pages, and folders of pages.
const PAGES: [&str; 10] = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/README.md",
    "docs/using",
    "docs/administering",
    "docs/training",
    "docs/developing",
    "plugin/README.md",
    "python/README.md",
];

/// Text that the programs print, and folders of such texts.
const PROGRAMS: [&str; 3] = ["man", "completions", "src/sentences"];

/// The fence before a transcript; tests/cli/transcripts.rs runs its commands.
const TRANSCRIPT: &str = "```console";

/// Columns of a line.
const COLUMNS: usize = 100;

/// Lines of README.md before its first transcript: one screen.
const FIRST_SCREEN: usize = 45;

/// Words of a sentence of README.md.
const SENTENCE: usize = 30;

/// Pages, and the most words that each may have besides transcripts.
const WORDS: [(&str, usize); 4] = [
    ("CONTRIBUTING.md", 1_000),
    ("README.md", 1_500),
    ("docs/using/releaseexpr.md", 3_500),
    ("docs/developing/architecture.md", 1_500),
];

/// Words that only this project uses so, and what to say instead.
const PRIVATE: [(&str, &str); 17] = [
    ("told", "said, known, reported or distinguished"),
    ("tell of", "have or show"),
    ("tells of", "has or shows"),
    ("mend", "correct or repair"),
    ("mends", "corrects or repairs"),
    ("mended", "corrected or repaired"),
    ("mending", "correcting or repairing"),
    ("in vain", "without success"),
    ("come to", "result in, end in or reach"),
    ("comes to", "results in, ends in or reaches"),
    ("came to", "resulted in, ended in or reached"),
    ("coming to", "resulting in or reaching"),
    ("borne out", "confirmed"),
    ("beside it", "next to it, or besides"),
    ("make up for", "outweigh"),
    ("makes up for", "outweighs"),
    ("made up for", "outweighed"),
];

/// Likewise, for pages alone.
const PRIVATE_ON_PAGES: [(&str, &str); 8] = [
    ("came of", "how it ended, or the outcome"),
    ("comes of", "how it ends, or the outcome"),
    ("became of", "how it ended, or what happened to it"),
    ("becomes of", "how it ends, or what happens to it"),
    ("in the place of", "instead of"),
    ("nobody's but", "only"),
    ("not to be had", "not available"),
    ("stands beside", "is next to"),
];

/// What is wrong in a document: `file:line: what; what to do`.
pub(crate) type Problems = Vec<String>;

fn problem(name: &str, line: usize, text: &str) -> String {
    format!("{name}:{}: {text}", line + 1)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Prose,
    Heading,
    Table,
    /// A line of a code block, fences included.
    Code,
}

/// Each line of a Markdown text with its kind.
fn kinds(text: &str) -> Vec<(Kind, &str)> {
    let mut fenced = false;
    let kind = |line: &str| match line.trim_start() {
        fence if fence.starts_with("```") => {
            fenced = !fenced;
            Kind::Code
        }
        _ if fenced => Kind::Code,
        row if row.starts_with('|') => Kind::Table,
        heading if heading.starts_with('#') => Kind::Heading,
        _ => Kind::Prose,
    };
    text.lines().map(kind).zip(text.lines()).collect()
}

/// The text with its lines, but blanks for code blocks and code spans.
pub(crate) fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut span = false;
    for (kind, line) in kinds(text) {
        // A code span ends with its paragraph, at the latest.
        span &= !matches!(kind, Kind::Code | Kind::Heading) && !line.trim().is_empty();
        let mut before = ' ';
        for character in line.chars().filter(|_| kind != Kind::Code) {
            // Several in a row are one.
            span ^= character == '`' && before != '`';
            out.push(if span || character == '`' { ' ' } else { character });
            before = character;
        }
        // Rows are paragraphs of their own.
        span &= kind != Kind::Table;
        out.push('\n');
    }
    out
}

/// Links of a Markdown text: line and target.
fn links(text: &str) -> Vec<(usize, String)> {
    let text = without_code(text);
    let mut found = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("](") {
        let start = text.len() - rest.len() + at + 2;
        rest = &text[start..];
        if let Some(end) = rest.find([')', ' ', '\n']) {
            found.push((text[..start].matches('\n').count(), rest[..end].to_owned()));
        }
    }
    for (line, text) in text.lines().enumerate() {
        // `[name]: target`
        let definition = text.strip_prefix('[').and_then(|text| text.split_once("]: "));
        found.extend(definition.map(|(_, target)| (line, target.trim().to_owned())));
    }
    found
}

/// The line without what cannot be broken: targets of links, and URLs.
fn breakable(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    let is_url = |word: &&str| word.contains("http://") || word.contains("https://");
    out.split(' ').filter(|word| !is_url(word)).collect::<Vec<_>>().join(" ")
}

fn long_lines(name: &str, text: &str) -> Problems {
    let long = |(number, (kind, line)): (usize, (Kind, &str))| {
        let columns = breakable(line).chars().count();
        (kind == Kind::Prose && columns > COLUMNS).then(|| {
            problem(name, number, &format!("{columns} columns; wrap the line at {COLUMNS}"))
        })
    };
    kinds(text).into_iter().enumerate().filter_map(long).collect()
}

/// Words with their lines, in lower case. `-` and `_` belong to a word: `--told` is a name.
fn words(text: &str) -> Vec<(usize, String)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '\'');
    let of_line = |(number, line): (usize, &str)| {
        let words = line.split(|c| !is_part(c)).map(|word| word.trim_matches('\''));
        let words = words.filter(|word| !word.is_empty());
        words.map(|word| (number, word.to_lowercase())).collect::<Vec<_>>()
    };
    text.lines().enumerate().flat_map(of_line).collect()
}

fn private_words(name: &str, text: &str, list: &[(&str, &str)]) -> Problems {
    let words = words(text);
    let mut found = Problems::new();
    for (phrase, instead) in list {
        let phrase_words: Vec<&str> = phrase.split(' ').collect();
        for part in words.windows(phrase_words.len()) {
            if part.iter().map(|(_, word)| word.as_str()).eq(phrase_words.iter().copied()) {
                let text = format!("\"{phrase}\" is a word of this project; say {instead}");
                found.push(problem(name, part[0].0, &text));
            }
        }
    }
    found
}

fn long_sentences(name: &str, text: &str) -> Problems {
    let mut found = Problems::new();
    let mut sentence: Vec<String> = Vec::new();
    let mut begins = 0;
    let mut end = |sentence: &mut Vec<String>, line: usize| {
        let count = sentence.iter().filter(|word| word.contains(char::is_alphanumeric)).count();
        if count > SENTENCE {
            let first = sentence[..4].join(" ");
            let text =
                format!("{count} words in \"{first} ...\"; make sentences of up to {SENTENCE}");
            found.push(problem(name, line, &text));
        }
        sentence.clear();
    };
    for (number, (kind, line)) in kinds(text).into_iter().enumerate() {
        let trimmed = line.trim();
        let is_item = trimmed.starts_with("- ") || trimmed.starts_with("* ");
        if kind != Kind::Prose || trimmed.is_empty() || is_item {
            end(&mut sentence, begins);
        }
        if kind != Kind::Prose {
            continue;
        }
        for word in breakable(line).split_whitespace() {
            if sentence.is_empty() {
                begins = number;
            }
            sentence.push(word.to_owned());
            if word.trim_end_matches(['*', ')', '"', '`', ']']).ends_with(['.', '?', '!']) {
                end(&mut sentence, begins);
            }
        }
    }
    end(&mut sentence, begins);
    found
}

fn first_screen(name: &str, text: &str) -> Problems {
    match text.lines().position(|line| line == TRANSCRIPT) {
        Some(lines) if lines > FIRST_SCREEN => {
            let text = format!("{lines} lines before the first transcript; keep {FIRST_SCREEN}");
            vec![problem(name, lines, &text)]
        }
        Some(_) => Problems::new(),
        None => vec![problem(name, 0, "no transcript; show what the tool prints")],
    }
}

fn too_many_words(name: &str, text: &str, most: usize) -> Problems {
    let mut transcript = false;
    let mut count = 0;
    for line in text.lines() {
        transcript = line == TRANSCRIPT || transcript && line != "```";
        if !transcript {
            count += line.split_whitespace().count();
        }
    }
    match count > most {
        true => vec![problem(name, 0, &format!("{count} words; shorten the page to {most}"))],
        false => Problems::new(),
    }
}

/// The anchors that GitHub gives to the headings of a Markdown text.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings = kinds(text).into_iter().filter(|(kind, _)| *kind == Kind::Heading);
    let anchor = |(_, line): (Kind, &str)| {
        let heading = breakable(line.trim_start_matches('#').trim());
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String =
            kept.flat_map(char::to_lowercase).collect::<String>().replace(' ', "-");
        let number = seen.entry(anchor.clone()).or_default();
        *number += 1;
        if *number == 1 { anchor } else { format!("{anchor}-{}", *number - 1) }
    };
    headings.map(anchor).collect()
}

/// `a/b/../c` as `a/c`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if out.pop() => {}
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Links to files of the repository: what is there is asked of `is_there`, and texts of Markdown
/// files are in `texts`.
fn dead_links(
    name: &str,
    texts: &HashMap<String, String>,
    is_there: &dyn Fn(&Path) -> bool,
) -> Problems {
    let mut found = Problems::new();
    for (line, target) in links(&texts[name]) {
        // With a scheme it is no file; `::` is a path of Rust in a page that rustdoc shows.
        if target.contains("://") || target.starts_with("mailto:") || target.contains("::") {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
        let path = match file {
            "" => PathBuf::from(name),
            file => plain(&Path::new(name).parent().unwrap_or(Path::new("")).join(file)),
        };
        if !is_there(&path) {
            let text = format!("{target} leads to no file; {} is not there", path.display());
            found.push(problem(name, line, &text));
        } else if !anchor.is_empty()
            && let Some(text) = path.to_str().and_then(|path| texts.get(path))
            && !anchors(text).contains(anchor)
        {
            let text = format!("{target}: no heading of {} has this anchor", path.display());
            found.push(problem(name, line, &text));
        }
    }
    found
}

/// Pages below `docs` that its index does not link to.
fn not_listed(index: &str, texts: &HashMap<String, String>) -> Problems {
    let folder = Path::new(index).parent().expect("a folder");
    let listed: BTreeSet<PathBuf> =
        links(&texts[index]).iter().map(|(_, target)| plain(&folder.join(target))).collect();
    let mut missing: Vec<&String> = texts
        .keys()
        .filter(|name| Path::new(name).starts_with(folder) && name.as_str() != index)
        .filter(|name| !listed.contains(Path::new(name)))
        .collect();
    missing.sort();
    missing
        .iter()
        .map(|name| problem(index, 0, &format!("{name} is not listed; add a line")))
        .collect()
}

/// Text of a manual page without what roff makes of it.
fn without_roff(text: &str) -> String {
    let changes = [("\\fB", ""), ("\\fI", ""), ("\\fR", ""), ("\\-", "-"), ("\\*(Aq", "'")];
    changes.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The file, or the files of a folder and its folders, by path from the root; links and what begins
/// with a dot are left out, and what builds make.
pub(crate) fn files(path: &str) -> Vec<String> {
    let whole = root().join(path);
    if whole.is_file() {
        return vec![path.to_owned()];
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(&whole).into_iter().flatten().flatten() {
        let name = entry.file_name().to_str().expect("a name in UTF-8").to_owned();
        let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        let kind = entry.file_type().expect("a file that is there");
        if name.starts_with('.') || matches!(name.as_str(), "target" | "corpus" | "artifacts") {
            continue;
        } else if kind.is_dir() {
            found.extend(files(&path));
        } else if kind.is_file() {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub(crate) fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The pages of [`PAGES`] that are there, with their texts.
fn pages() -> Vec<(String, String)> {
    let names = PAGES.iter().flat_map(|path| files(path)).filter(|name| name.ends_with(".md"));
    let pages: Vec<_> = names.map(|name| (name.clone(), read(&name))).collect();
    assert!(pages.len() >= 10, "{}", pages.len());
    pages
}

/// All Markdown files of the repository, with their texts.
pub(crate) fn markdown() -> HashMap<String, String> {
    let names = files("").into_iter().filter(|name| name.ends_with(".md"));
    let texts: HashMap<_, _> = names.map(|name| (name.clone(), read(&name))).collect();
    assert!(texts.len() >= 30, "{}", texts.len());
    texts
}

pub(crate) fn assert_none(problems: &Problems) {
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn lines_of_pages_fit() {
    assert_none(&pages().iter().flat_map(|(name, text)| long_lines(name, text)).collect());
}

#[test]
fn words_of_pages_are_everybodys() {
    let list = [&PRIVATE[..], &PRIVATE_ON_PAGES].concat();
    let of = |(name, text): &(String, String)| private_words(name, &without_code(text), &list);
    assert_none(&pages().iter().flat_map(of).collect());
}

#[test]
fn words_of_programs_are_everybodys() {
    let names: Vec<String> = PROGRAMS.iter().flat_map(|path| files(path)).collect();
    assert!(names.len() >= 10, "{names:?}");
    let of = |name: &String| private_words(name, &without_roff(&read(name)), &PRIVATE);
    assert_none(&names.iter().flat_map(of).collect());
}

#[test]
fn the_readme_is_short() {
    let (name, text) = ("README.md", read("README.md"));
    assert_none(&[first_screen(name, &text), long_sentences(name, &text)].concat());
}

#[test]
fn pages_are_short() {
    let of = |(name, most): &(&str, usize)| too_many_words(name, &read(name), *most);
    assert_none(&WORDS.iter().flat_map(of).collect());
}

/// No link of these texts is dead.
fn no_dead_links(texts: &HashMap<String, String>, is_there: &dyn Fn(&Path) -> bool) {
    let mut names: Vec<&String> = texts.keys().collect();
    names.sort();
    assert_none(&names.iter().flat_map(|name| dead_links(name, texts, is_there)).collect());
}

#[test]
fn links_lead_somewhere() {
    no_dead_links(&markdown(), &|path| root().join(path).exists());
}

/// Files of the repository that the packages have among their pages, by where they stand there.
fn packaged() -> HashMap<PathBuf, String> {
    let rows = read("packaging/files");
    let rows = rows.lines().filter(|row| !row.starts_with('#'));
    let (all, mut out) = (files(""), HashMap::new());
    for row in rows {
        let mut words = row.split_whitespace().skip(1);
        let folder = words.next().and_then(|at| at.strip_prefix("usr/share/doc/condor-holdadvise"));
        let Some(folder) = folder else { continue };
        for pattern in words.filter(|pattern| !pattern.starts_with('@')) {
            let (begin, end) = pattern.split_once('*').unwrap_or((pattern, ""));
            let is_meant = |name: &&String| {
                let rest = name.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
                rest.is_some_and(|rest| !rest.contains('/'))
            };
            for name in all.iter().filter(is_meant) {
                let base = Path::new(name).file_name().unwrap();
                out.insert(Path::new(folder.trim_start_matches('/')).join(base), name.clone());
            }
        }
    }
    out
}

#[test]
fn links_of_packaged_pages_lead_somewhere() {
    let packaged = packaged();
    let pages = packaged.iter().filter(|(at, _)| at.extension().is_some_and(|end| end == "md"));
    let texts: HashMap<String, String> =
        pages.map(|(at, name)| (at.to_str().unwrap().to_owned(), read(name))).collect();
    assert!(texts.len() >= 30, "{}", texts.len());
    // The licence is `copyright` in a .deb, and below usr/share/licenses in an .rpm.
    no_dead_links(&texts, &|path| {
        path == Path::new("LICENSE") || packaged.keys().any(|at| at.starts_with(path))
    });
}

/// Files and folders of Rust that the header of their `mod.rs` does not list, and what it lists and
/// is not there.
fn not_in_header(folder: &str, header: &str, names: &BTreeSet<String>) -> Problems {
    let item = |line: &str| {
        let line = line.trim_start_matches("//!").trim_start_matches("//").trim_start();
        let name = line.strip_prefix("- [`").or(line.strip_prefix("- `"))?;
        Some(name.split('`').next().unwrap_or_default().to_owned())
    };
    let listed: BTreeSet<String> =
        header.lines().take_while(|line| line.starts_with("//")).filter_map(item).collect();
    let missing = names.difference(&listed);
    let missing = missing.map(|name| format!("{folder}/mod.rs: the header does not list {name}"));
    let gone = listed.difference(names);
    let gone =
        gone.map(|name| format!("{folder}/mod.rs: the header lists {name}; it is not there"));
    missing.chain(gone).collect()
}

/// The folder of a source file that belongs to its parent under its own name, and that name.
fn part_of(file: &str) -> Option<(String, String)> {
    let (folder, name) = file.strip_suffix(".rs")?.rsplit_once('/')?;
    if name == "mod" {
        return folder.rsplit_once('/').map(|(folder, name)| (folder.to_owned(), name.to_owned()));
    }
    let is_test = name == "tests" || name.ends_with("_tests");
    (!is_test).then(|| (folder.to_owned(), name.to_owned()))
}

#[test]
fn the_header_of_a_folder_lists_its_files() {
    let mut parts: HashMap<String, BTreeSet<String>> = HashMap::new();
    let mut headers: Vec<String> = Vec::new();
    for top in
        ["src", "classads/src", "eventlog/src", "plugin/src", "train/src", "train/simulate/src"]
    {
        let rust = files(top).into_iter().filter(|file| file.ends_with(".rs"));
        for file in rust {
            headers.extend(file.strip_suffix("/mod.rs").map(str::to_owned));
            if let Some((folder, name)) = part_of(&file) {
                parts.entry(folder).or_default().insert(name);
            }
        }
    }
    assert!(headers.len() > 20, "{headers:?}");
    let problems = headers.iter().flat_map(|folder| {
        let names = parts.remove(folder).unwrap_or_default();
        not_in_header(folder, &read(&format!("{folder}/mod.rs")), &names)
    });
    assert_none(&problems.collect());
}

#[test]
fn the_index_has_all_pages() {
    assert_none(&not_listed("docs/README.md", &markdown()));
}

mod checks {
    use super::*;

    fn texts(all: &[(&str, &str)]) -> HashMap<String, String> {
        all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_long_line_is_found_and_what_cannot_be_broken_is_not() {
        let long = "word ".repeat(21);
        assert_eq!(
            long_lines("a.md", &format!("# A\n\n{long}\n")),
            ["a.md:3: 105 columns; wrap the line at 100"]
        );
        let target = "x/".repeat(60);
        let text = format!(
            "| {long} |\n```\n{long}\n```\n\
             See [it]({target}).\nhttps://{target}\n"
        );
        assert_eq!(long_lines("a.md", &text), [""; 0]);
        assert_eq!(long_lines("a.md", &format!("{text}{long}\n")).len(), 1);
    }

    #[test]
    fn a_private_word_is_found_at_its_borders_and_across_lines() {
        let of = |text: &str| private_words("a.md", &without_code(text), &PRIVATE);
        assert_eq!(
            of("One.\nWas Told."),
            [
                "a.md:2: \"told\" is a word of this project; say said, known, reported or distinguished"
            ]
        );
        assert_eq!(of("what it comes\nto")[0].split(' ').next(), Some("a.md:1:"));
        assert_eq!(of("| 'what it came to' |").len(), 1);
        assert_eq!(of("recommend, untold, --told, is_told, mended_rows"), [""; 0]);
        assert_eq!(of("`told`, ``in\nvain``\n\n```\ntold\n```\n"), [""; 0]);
        // A backtick that is left open hides no other paragraph, and no other row.
        assert_eq!(of("a ` b\n\ntold").len(), 1);
        assert_eq!(of("| a ` b |\n| told |").len(), 1);
        assert_eq!(
            private_words("a.1", &without_roff("\\fB\\-\\-told\\fR in\\-vain"), &PRIVATE),
            [""; 0]
        );
        assert_eq!(private_words("a.1", &without_roff("\\fBtold\\fR"), &PRIVATE).len(), 1);
    }

    #[test]
    fn a_long_sentence_is_found() {
        let long = "word ".repeat(30);
        assert_eq!(
            long_sentences("a.md", &format!("Short.\n{long}\nlast.")),
            ["a.md:2: 31 words in \"word word word word ...\"; make sentences of up to 30"]
        );
        assert_eq!(
            long_sentences("a.md", &format!("{long}.\n- {long}\n- {long}\n\n{long}")),
            [""; 0]
        );
        assert_eq!(long_sentences("a.md", &format!("{long} (x). {long}?")).len(), 1);
        assert_eq!(
            long_sentences("a.md", &format!("```\n{long} {long}\n```\n| {long} {long} |")),
            [""; 0]
        );
    }

    #[test]
    fn a_transcript_that_comes_late_is_found() {
        let mark = "```console\n```\n";
        assert_eq!(first_screen("a.md", &("\n".repeat(45) + mark)), [""; 0]);
        assert_eq!(
            first_screen("a.md", &("\n".repeat(46) + mark)),
            ["a.md:47: 46 lines before the first transcript; keep 45"]
        );
        assert_eq!(first_screen("a.md", "none").len(), 1);
    }

    #[test]
    fn words_are_counted_without_transcripts() {
        let text = "one two\n```console\na b c\n```\nthree\n";
        assert_eq!(too_many_words("a.md", text, 4), [""; 0]);
        assert_eq!(too_many_words("a.md", text, 3), ["a.md:1: 4 words; shorten the page to 3"]);
    }

    #[test]
    fn dead_links_are_found() {
        let all = texts(&[
            (
                "docs/a.md",
                "# A\n[one](b.md), [two](../c.md#no-such), [three](#a), `[no](link.md)`\n\
                 [four](sub/../b.md#what-is-it-good), [`five`](b.md#twice-1), [six](https://x/y)\n\
                 [seven][name] [eight](#b)\n\n[name]: gone.md\n```\n[not](either.md)\n```\n",
            ),
            ("docs/b.md", "## What is `it`, good?\n# Twice\n# Twice\n```\n# not a heading\n```\n"),
            ("c.md", "# Such\n"),
        ]);
        let is_there = |path: &Path| path.to_str().is_some_and(|path| all.contains_key(path));
        assert_eq!(
            dead_links("docs/a.md", &all, &is_there),
            [
                "docs/a.md:2: ../c.md#no-such: no heading of c.md has this anchor",
                "docs/a.md:4: #b: no heading of docs/a.md has this anchor",
                "docs/a.md:6: gone.md leads to no file; docs/gone.md is not there",
            ]
        );
    }

    #[test]
    fn a_page_that_is_not_listed_is_found() {
        let all = texts(&[
            ("docs/README.md", "[a](x/a.md) and `x/b.md`"),
            ("docs/x/a.md", ""),
            ("docs/x/b.md", ""),
            ("other/c.md", ""),
        ]);
        assert_eq!(
            not_listed("docs/README.md", &all),
            ["docs/README.md:1: docs/x/b.md is not listed; add a line"]
        );
    }
}
