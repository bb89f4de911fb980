//! Programs of others that depend on one of the crates: each is built in a package of its own, with
//! nothing but the crates it names, and does what it says.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds `tests/outside/NAME.rs` with these crates, and gives what it prints.
fn run(name: &str, crates: &[&str], arguments: &[&Path]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| if name == "holdadvise" { root.to_owned() } else { root.join(name) };
    let package =
        |name: &str| if name == "eventlog" { "htcondor-eventlog" } else { name }.to_owned();
    let dependency = |name: &&str| format!("{} = {{ path = {:?} }}\n", package(name), path(name));
    let dependencies: String = crates.iter().map(dependency).collect();
    let manifest = format!(
        "[package]\nname = \"outside-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [[bin]]\nname = \"outside-{name}\"\npath = {:?}\n\n[dependencies]\n{dependencies}\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n\n[workspace]\n",
        root.join(format!("tests/outside/{name}.rs")),
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // The versions that are there already: nothing is fetched.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let target = std::env::current_exe().unwrap();
    let target = target.ancestors().nth(3).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .arg("--")
        .args(arguments)
        .env("PCRE2_SYS_STATIC", "1")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn recorded(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9").join(file)
}

#[test]
fn a_program_evaluates_a_policy_on_ads() {
    let ads = recorded("held.long");
    let policy = Path::new("HoldReasonCode =?= 13 && time() > EnteredCurrentStatus + 60");
    let answers = run("classads", &["classads"], &[&ads, policy, Path::new("2000000000")]);
    let held = std::fs::read_to_string(&ads).unwrap();
    let count = |text: &str, what: &str| text.lines().filter(|line| line.ends_with(what)).count();
    let expected = held.lines().filter(|line| *line == "HoldReasonCode = 13").count();
    assert_eq!(count(&answers, " true"), expected, "{answers}");
    assert!(count(&answers, " false") > 0 && count(&answers, " true") > 0, "{answers}");
}

#[test]
fn a_program_counts_holds_of_a_rotated_log() {
    let answers = run("eventlog", &["eventlog"], &[&recorded("EventLog")]);
    let counted: usize = answers
        .lines()
        .map(|line| line.rsplit_once(' ').unwrap().1.parse::<usize>().unwrap())
        .sum();
    let texts = ["EventLog", "EventLog.1", "EventLog.2", "EventLog.3"]
        .map(|name| std::fs::read_to_string(recorded(name)).unwrap());
    let held: usize = texts.iter().map(|text| text.matches("\n012 (").count()).sum();
    assert_eq!(counted, held);
    assert!(held > 10, "{held}");
}

#[test]
fn a_program_asks_for_advice() {
    let crates = ["holdadvise", "classads", "eventlog"];
    let answers = run("holdadvise", &crates, &[&recorded("EventLog"), &recorded("held.long")]);
    let ads = classads::read_ads(std::io::BufReader::new(
        std::fs::File::open(recorded("held.long")).unwrap(),
    ));
    assert_eq!(answers.lines().count(), ads.count());
    assert!(answers.lines().any(|line| line.ends_with(" change")), "{answers}");
}
