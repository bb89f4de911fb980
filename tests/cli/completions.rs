//! What bash, zsh and fish offer, asked of the shells themselves.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::Place;

/// A line whose last word is completed, and what is offered.
const LINES: &[(&str, &[&str])] = &[
    ("condor_holdadvise -allu", &["-allusers"]),
    ("condor_holdadvise -js", &["-json", "-jsonl"]),
    ("condor_holdadvise -userlog ", &["job.log", "other.log"]),
    ("condor_holdadvise -u job", &["job.log"]),
    ("condor_holdadvise --eventlog o", &["other.log"]),
    ("condor_holdadvise -u job.log ", &[]),
    ("condor_holdadvise -u job.log -mod o", &["other.log"]),
    ("condor_holdadvise -che ", &["all", "local", "none", "own"]),
    ("condor_holdadvise -app r", &["release", "remove"]),
    ("condor_holdadvise -af Clus", &["ClusterId"]),
    ("condor_holdadvise -af:jh Band Owner Clus", &["ClusterId"]),
    ("condor_holdadvise -autof Clus", &["ClusterId"]),
    ("condor_holdadvise -format %d Clus", &["ClusterId"]),
    ("condor_holdadvise -format Clus", &[]),
    ("condor_holdadvise -all ", &[]),
    ("condor_holdadvise ", &[]),
    ("condor_releaseexpr -exp", &["-explain"]),
    ("condor_releaseexpr -lint jo", &["job.log"]),
    ("condor_releaseexpr -form t", &["transform"]),
];

/// Bash splits a word at a colon before it asks.
const BASH: &str = r#"
for file in "$1"/bash/*; do source "$file"; done
compopt() { :; }
while IFS= read -r line; do
    read -ra COMP_WORDS <<<"${line//:/ : }"
    [[ $line != *' ' ]] || COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    "_${COMP_WORDS[0]}"
    echo "${COMPREPLY[@]}"
done
"#;

/// The functions of zsh's completion system write down what they are given.
const ZSH: &str = r#"
compadd() { shown=(${@:2}) }
_describe() { shown=(${${(P)3}%%:*}) }
_files() { shown=(*) }
while IFS= read -r line; do
    words=(${(s: :)line})
    [[ $line != *' ' ]] || words+=('')
    CURRENT=$#words PREFIX=$words[-1] shown=()
    source $1/zsh/_$words[1]
    print -r -- ${(M)shown:#$PREFIX*}
done
"#;

const FISH: &str = r#"
for file in $argv[1]/fish/*; source $file; end
while read --line line
    echo (complete -C "$line" | string replace -r '\t.*' '')
end
"#;

/// What a shell offers for each line; `None` where the shell is not installed.
fn offered(shell: &[&str], driver: &str) -> Option<Vec<String>> {
    let place = Place::new();
    place.file("here/job.log", "");
    place.file("here/other.log", "");
    let script = place.file("driver", driver);
    let completions = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    let child = Command::new(shell[0])
        .args(&shell[1..])
        .args([&script, &completions])
        .current_dir(place.path("here"))
        .env("HOME", place.path(""))
        .env("LC_ALL", "C")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("XDG_DATA_HOME", "/nonexistent")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: completions of {}: it is not installed", shell[0]);
        return None;
    };
    let lines: String = LINES.iter().map(|(line, _)| format!("{line}\n")).collect();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

fn offers_what_fits(shell: &[&str], driver: &str) {
    let Some(offered) = offered(shell, driver) else { return };
    assert_eq!(offered.len(), LINES.len(), "{offered:?}");
    for ((line, expected), offered) in LINES.iter().zip(&offered) {
        let mut offered: Vec<&str> = offered.split_whitespace().collect();
        offered.sort_unstable();
        assert_eq!(offered, *expected, "{}: {line}", shell[0]);
    }
}

#[test]
fn bash_offers_what_an_option_takes() {
    offers_what_fits(&["bash", "--norc"], BASH);
}

#[test]
fn zsh_offers_what_an_option_takes() {
    offers_what_fits(&["zsh", "-f"], ZSH);
}

#[test]
fn fish_offers_what_an_option_takes() {
    offers_what_fits(&["fish", "--no-config"], FISH);
}
