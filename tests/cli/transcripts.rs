//! The commands that pages show print what stands there.
//!
//! A transcript is a block of the language `console`: lines from `$ ` on are a command, the others
//! are what it prints. HOLDADVISE_TRANSCRIPTS=write puts there what the commands print.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::harness::Place;

/// How pages call the programs, and their names.
const CALLS: [(&str, &str); 2] = [("cargo run --release --bin ", ""), ("target/release/", "")];

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The pages of a folder and of its folders.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let pages = entries.flat_map(|path| match path.extension() {
        _ if path.is_dir() => pages(&path),
        Some(extension) if extension == OsStr::new("md") => vec![path],
        _ => Vec::new(),
    });
    pages.collect()
}

/// A place where the tools are found by their names.
fn place() -> Place {
    let place = Place::new();
    let tools = [
        ("condor_holdadvise", env!("CARGO_BIN_EXE_condor_holdadvise")),
        ("condor_releaseexpr", env!("CARGO_BIN_EXE_condor_releaseexpr")),
        ("cat", "/bin/cat"),
    ];
    for (name, program) in tools {
        symlink(program, place.path("bin").join(name)).expect("a link");
    }
    place
}

/// What a command prints that is run where the pages say, in the root of the repository.
fn printed(place: &Place, command: &str) -> String {
    let called = CALLS.iter().fold(command.to_owned(), |text, (call, by)| text.replace(call, by));
    let called = called.replace("condor_holdadvise -- ", "condor_holdadvise ");
    let mut shell = place.command("/bin/bash");
    shell.current_dir(ROOT).args(["-c", &called]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = shell.output().expect("bash runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    // 1 is a warning of -lint.
    assert!(output.status.code().is_some_and(|code| code <= 1), "{command}\n{errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The lines of a command from its first one on.
fn command<'a>(first: &'a str, rest: &mut impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut lines = vec![first];
    while lines.last().is_some_and(|line| line.ends_with('\\'))
        || lines.iter().any(|line| line.ends_with("<<'END'")) && lines.last() != Some(&"END")
    {
        lines.push(rest.next().expect("a command ends"));
    }
    lines
}

/// The page as it is when its commands print what they print, and how many there are.
fn played(place: &Place, page: &str) -> (String, usize) {
    let (mut out, mut count) = (String::new(), 0);
    let mut lines = page.lines();
    let mut is_transcript = false;
    while let Some(line) = lines.next() {
        is_transcript = line == "```console" || is_transcript && line != "```";
        match line.strip_prefix("$ ").filter(|_| is_transcript) {
            Some(first) => {
                let text = command(first, &mut lines).join("\n");
                out += &format!("$ {text}\n{}", printed(place, &text));
                count += 1;
            }
            None if is_transcript && line != "```console" => {}
            None => out += &format!("{line}\n"),
        }
    }
    (out, count)
}

#[test]
fn pages_show_what_their_commands_print() {
    let place = place();
    let write = std::env::var_os("HOLDADVISE_TRANSCRIPTS").is_some_and(|value| value == "write");
    let top = ["README.md", "CONTRIBUTING.md"].map(|name| Path::new(ROOT).join(name));
    let folders = ["docs", "plugin", "python"].map(|name| pages(&Path::new(ROOT).join(name)));
    let mut count = 0;
    for page in top.into_iter().chain(folders.concat()) {
        let before = fs::read_to_string(&page).expect("a page");
        let (after, commands) = played(&place, &before);
        count += commands;
        if write {
            fs::write(&page, after).expect("a page");
            continue;
        }
        let differs = before.lines().zip(after.lines()).position(|(old, new)| old != new);
        if let Some(at) = differs {
            let lines = [&before, &after].map(|text| text.lines().nth(at).unwrap_or_default());
            let name = page.display();
            panic!("{name}:{}\n  it says: {}\n  printed: {}", at + 1, lines[0], lines[1]);
        }
        assert_eq!(before.lines().count(), after.lines().count(), "{}", page.display());
    }
    assert!(count >= 8, "{count} transcripts");
}

#[test]
fn another_output_is_put_where_the_old_one_stood() {
    let place = place();
    let page = "a\n```console\n$ printf 'x\\ny\\n'\nold\n$ cat <<'END'\n  z \\\nEND\n```\n$ no\n";
    let (out, commands) = played(&place, page);
    assert_eq!(
        (out.as_str(), commands),
        (
            "a\n```console\n$ printf 'x\\ny\\n'\nx\ny\n$ cat <<'END'\n  z \\\nEND\n  z \\\n```\n$ no\n",
            2
        )
    );
}
