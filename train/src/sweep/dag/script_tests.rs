//! The scripts of the nodes, as a shell runs them.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use super::scripts::scripts;
use crate::sweep::plan::Program;

/// A folder with the scripts in `program`, and a program that says how it was called.
fn folder(program: &dyn Fn(&Path) -> Program) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |name: &str, content: &str| {
        std::fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
        std::fs::write(at.join(name), content).unwrap();
        std::fs::set_permissions(at.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let told = "#!/bin/sh\nprintf '<%s>' \"$@\"\necho \" $LD_LIBRARY_PATH\"\n[ \"$2\" != fail ] || exit 7\n";
    write("my program/bin/holdadvise-train", told);
    std::fs::create_dir_all(at.join("my program/lib")).unwrap();
    for (name, content) in scripts(&program(at)).unwrap() {
        write(&format!("program/{name}"), &content);
    }
    std::fs::create_dir(at.join("job")).unwrap();
    folder
}

fn installed(at: &Path) -> Program {
    Program::Installed(at.join("my program/bin/holdadvise-train"))
}

fn run(folder: &Path, within: &str, script: &str, words: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = Command::new(folder.join("program").join(script))
        .args(words)
        .current_dir(folder.join(within))
        .env("LD_LIBRARY_PATH", "/given")
        .output()
        .unwrap();
    let said = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
    (status.code(), said.replace(folder.to_str().unwrap(), "DIR"))
}

#[test]
fn node_runs_the_program_with_its_libraries_and_its_status() {
    let folder = folder(&installed);
    let ran = run(folder.path(), "job", "node", &["merge", "a b", "", "it's"]);
    assert_eq!(
        ran,
        (Some(0), "<merge><a b><><it's> DIR/my program/bin/../lib:/given\n".to_owned())
    );
    assert_eq!(std::fs::read_dir(folder.path().join("job")).unwrap().count(), 0);
    assert_eq!(run(folder.path(), "job", "node", &["train", "fail"]).0, Some(7));
    assert!(folder.path().join("job/metrics.jsonl").is_file(), "a checkpoint file is always there");
}

#[test]
fn node_unpacks_a_tarball_once() {
    let folder = folder(&|_| Program::Tarball("/srv/it's.tar.gz".into()));
    let at = folder.path();
    let pack = || {
        let tar = Command::new("tar")
            .args(["-czf", "job/it's.tar.gz", "my program"])
            .current_dir(at)
            .status();
        assert!(tar.unwrap().success());
    };
    let (status, said) = run(at, "job", "node", &["split"]);
    assert!(status == Some(1) && said.contains("it's.tar.gz cannot be unpacked"), "{said}");
    pack();
    let expected = "<split> DIR/job/program/my program/bin/../lib:/given\n".to_owned();
    assert_eq!(run(at, "job", "node", &["split"]), (Some(0), expected.clone()));
    std::fs::write(at.join("job/it's.tar.gz"), "damaged").unwrap();
    assert_eq!(run(at, "job", "node", &["split"]), (Some(0), expected));
}

#[test]
fn merge_splits_what_it_merged() {
    let folder = folder(&installed);
    std::fs::copy(folder.path().join("program/node"), folder.path().join("job/node")).unwrap();
    let (status, said) = run(folder.path(), "job", "merge", &["0.1", "0.2", "100", "s-1", "s-2"]);
    assert_eq!(status, Some(0));
    let lines: Vec<&str> = said.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(
        lines,
        [
            "<merge><s-1><s-2><-o><dataset.safetensors>",
            "<split><dataset.safetensors><-o><parts.safetensors><--complete><--validation-fraction><0.1><--test-fraction><0.2><--least-validation-rows><100>"
        ]
    );
    let (status, said) = run(folder.path(), "job", "merge", &["0.1", "0.2", "100", "fail"]);
    assert!(status == Some(7) && said.lines().count() == 1, "{said}");
}

#[test]
fn goes_on_knows_who_does_and_fails_where_nobody_knows() {
    let folder = folder(&installed);
    let at = folder.path();
    let asked = |rung: &str, trial: &str| run(at, ".", "goes-on", &[rung, trial]);
    let (status, said) = asked("1", "001");
    assert!(status == Some(1) && said.contains("no rungs/rung1.txt"), "{said}");
    std::fs::create_dir_all(at.join("rungs")).unwrap();
    let decision = "001 goes-on\n002 lost\n0011 goes-on\n003 stopped\n004 perhaps\n";
    std::fs::write(at.join("rungs/rung1.txt"), decision).unwrap();
    let (status, said) = asked("1", "001");
    assert!(status == Some(1) && said.contains("checkpoint.safetensors is not there"), "{said}");
    std::fs::create_dir_all(at.join("trials/001/rung1")).unwrap();
    std::fs::write(at.join("trials/001/rung1/checkpoint.safetensors"), "x").unwrap();
    assert_eq!(asked("1", "001"), (Some(0), String::new()));
    assert_eq!((asked("1", "002").0, asked("1", "003").0), (Some(3), Some(3)));
    for trial in ["004", "005", "1"] {
        let (status, said) = asked("1", trial);
        assert!(status == Some(1) && said.contains("does not say"), "{said}");
    }
}

#[test]
fn best_data_puts_the_data_of_the_best_trial_beside_it() {
    let folder = folder(&installed);
    let at = folder.path();
    let write = |name: &str, content: &str| {
        std::fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
        std::fs::write(at.join(name), content).unwrap();
    };
    write("best/model.pt", "m");
    let (status, said) = run(at, ".", "best-data", &[]);
    assert!(status == Some(1) && said.contains("does not name the best trial"), "{said}");
    write("best/trial.json", "{\n  \"trial\": 8,\n  \"rung\": 2\n}\n");
    let (status, said) = run(at, ".", "best-data", &[]);
    assert!(status == Some(1) && said.contains("trials/008/data/dataset.safetensors"), "{said}");
    for file in ["dataset.safetensors", "parts.safetensors"] {
        write(&format!("trials/008/data/{file}"), file);
    }
    for _ in 0..2 {
        assert_eq!(run(at, ".", "best-data", &[]).0, Some(0));
    }
    let read = std::fs::read_to_string(at.join("best/parts.safetensors")).unwrap();
    assert_eq!(read, "parts.safetensors");
}
