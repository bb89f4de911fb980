//! `scripts/test` with programs in place of what it calls: each part is run whatever came of the
//! others, and those that failed are named at its end.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// What `scripts/test --quick` prints where the calls of cargo that have `failing` in them fail, and
/// whether it ended with 0.
fn said(failing: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let program = |name: &str, script: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("bin/cargo", "echo \"cargo $*\"; case \"$*\" in *$FAILING*) exit 101 ;; esac");
    for name in ["bin/dpkg", "bin/rustup", "target/tools/bin/cargo-deny", "scripts/python"] {
        program(name, "");
    }
    for name in ["wheel", "tracking-python"] {
        program(&format!("scripts/{name}"), "exit 77");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/test");
    fs::copy(script, folder.path().join("scripts/test")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("bash")
        .args(["scripts/test", "--quick"])
        .current_dir(folder.path())
        .env("PATH", format!("{}/bin:{path}", folder.path().display()))
        .env("FAILING", failing)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_part_that_fails_is_named_at_the_end_and_the_others_are_run() {
    let (is_well, passed) = said("nothing");
    assert!(is_well && passed.ends_with("\nall tests passed, 5 skipped\n"), "{passed}");
    let parts = |said: &str| said.lines().filter(|line| line.starts_with("=== ")).count();
    for (failing, name) in [
        ("fmt", "format, lints and documentation"),
        ("test --quiet -- ", "library, tools and crates without libtorch"),
        ("-p holdadvise-fuzz", "bytes that nobody chose"),
    ] {
        let (is_well, said) = said(failing);
        assert_eq!((is_well, parts(&said)), (false, parts(&passed)), "{said}");
        let end = format!("\nfailed: {name}\n1 of {} parts failed, 5 skipped\n", parts(&passed));
        assert!(said.ends_with(&end), "{said}");
    }
}
