//! Outputs of programs and the line that says why they failed.

use super::*;

#[test]
fn the_line_that_says_why_is_found() {
    use WordsKind::*;
    for (text, expected, line) in [
        (
            "start\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    import numpy\n\
             ModuleNotFoundError: No module named 'numpy'\n",
            LibraryMissing,
            "ModuleNotFoundError: No module named 'numpy'",
        ),
        (
            "Traceback (most recent call last):\n  x\nKeyError: 'run'\nsh: line 2: killed later\n",
            Bug,
            "KeyError: 'run'",
        ),
        (
            "./run.sh: line 4: bwa: command not found\n",
            CommandMissing,
            "./run.sh: line 4: bwa: command not found",
        ),
        (
            "./a.out: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by ./a.out)",
            LibraryTooOld,
            "./a.out: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by ./a.out)",
        ),
        (
            "./a.out: error while loading shared libraries: libgsl.so.25: cannot open shared object file: No such file or directory",
            LibraryMissing,
            "./a.out: error while loading shared libraries: libgsl.so.25: cannot open shared object file: No such file or directory",
        ),
        (
            "epoch 1\nRuntimeError: CUDA error: no kernel image\ndone\n",
            Gpu,
            "RuntimeError: CUDA error: no kernel image",
        ),
        (
            "torch.cuda.OutOfMemoryError: CUDA out of memory.",
            GpuMemory,
            "torch.cuda.OutOfMemoryError: CUDA out of memory.",
        ),
        (
            "ls: cannot access '/cvmfs/x': Transport endpoint is not connected",
            Cvmfs,
            "ls: cannot access '/cvmfs/x': Transport endpoint is not connected",
        ),
        (
            "10%\r50%\rcurl: (7) Failed to connect to db port 5432\r",
            Network,
            "curl: (7) Failed to connect to db port 5432",
        ),
        (
            "write error: No space left on device\n\n",
            NoSpace,
            "write error: No space left on device",
        ),
        (
            "run.sh: line 9: 1234 Segmentation fault (core dumped) ./sim\n",
            Crash,
            "run.sh: line 9: 1234 Segmentation fault (core dumped) ./sim",
        ),
        ("License checkout failed\nbye\n", Licence, "License checkout failed"),
        ("Error: Must provide BOSS results DB", Usage, "Error: Must provide BOSS results DB"),
    ] {
        assert_eq!(find(text), Some((expected, line.to_owned())), "{text}");
    }
    for (text, expected) in [
        ("what():  std::bad_alloc\nAborted (core dumped)\n", Memory),
        ("License file: /opt/x.lic loaded\nERROR: matrix is singular\n", Own),
        ("using GLIBC_2.17 symbols\nERROR: bad seed\n", Own),
        ("curl: (28) timed out, retrying\nok on attempt 2\nFATAL: alpha out of range\n", Own),
        ("reading /data/killed_runs/a.txt\nERROR: bad seed\n", Own),
        ("line 3: 77 Killed ./sim\n", Killed),
    ] {
        assert_eq!(find(text).map(|found| found.0), Some(expected), "{text}");
    }
    for text in [
        "",
        "\n\n",
        "all went well\n",
        "\u{0}\u{1}",
        "100 skilled workers simulated\n",
        "all 12 assertions passed\n",
        "INFO: finished with 0 errors\n",
        "INFO: error handler installed\n",
        "No GPU requested, running on CPU\n",
    ] {
        assert_eq!(find(text), None, "{text:?}");
    }
}

/// The outputs of a file of cases, each with its kind, a part of the right line, and the text.
fn outputs(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    text.split("\n=== ").skip(1).map(|case| {
        let (head, output) = case.split_once('\n').unwrap();
        let (kind, right) = head.split_once(' ').unwrap();
        (kind, right, output)
    })
}

fn is_right((kind, right, output): (&str, &str, &str)) -> bool {
    let found = find(output);
    let holds =
        |(says, line): &(WordsKind, String)| format!("{says:?}") == kind && line.contains(right);
    let is_right = found.as_ref().is_some_and(holds);
    if !is_right {
        println!("{kind} {right}\n    {found:?}");
    }
    is_right
}

#[test]
fn the_cause_is_found_among_its_consequences() {
    let wrong = outputs(include_str!("outputs.txt")).filter(|case| !is_right(*case)).count();
    assert_eq!(wrong, 0);
    assert!(outputs(include_str!("outputs.txt")).count() >= 40);
}

#[test]
fn causes_are_found_in_outputs_that_the_tables_were_not_made_for() {
    let cases = || outputs(include_str!("unseen.txt"));
    let (right, all) = (cases().filter(|case| is_right(*case)).count(), cases().count());
    println!("{right} of {all}");
    assert!(right * 10 >= all * 8 && all >= 40);
}

/// What a public thread quotes of a failing job, and what tells the cause by reading the thread.
#[derive(Deserialize)]
struct Quoted {
    thread: String,
    kind: WordsKind,
    expected: String,
    output: Vec<String>,
}

/// Of the lines of even number, with which the tables may be improved, and of the others: how many
/// outputs there are, and of how many the line and the kind are right.
fn quoted() -> [[usize; 3]; 2] {
    let mut counts = [[0; 3]; 2];
    let text = include_str!("../../../tests/data/public-lines.jsonl");
    for (number, line) in (1..).zip(text.lines()) {
        let quoted: Quoted = serde_json::from_str(line).unwrap();
        let found = find(&quoted.output.join("\n"));
        let holds = |(_, line): &(WordsKind, String)| line.contains(&quoted.expected);
        let is_right = found.as_ref().is_some_and(holds);
        let is_kind = is_right && found.as_ref().is_some_and(|(kind, _)| *kind == quoted.kind);
        if !is_kind {
            println!(
                "{number} {}\n    {:?} {}\n    {found:?}",
                quoted.thread, quoted.kind, quoted.expected
            );
        }
        let count = &mut counts[number % 2];
        count[0] += 1;
        count[1] += usize::from(is_right);
        count[2] += usize::from(is_kind);
    }
    counts
}

#[test]
fn causes_are_found_in_what_public_threads_quote() {
    let counts @ [improved, others] = quoted();
    for (which, [all, lines, kinds]) in ["improved with", "the others"].iter().zip(counts) {
        println!("{which}: {lines} lines and {kinds} kinds of {all}");
    }
    assert!(improved[0] >= 19 && improved[1] >= improved[0] && improved[2] >= 16, "{improved:?}");
    assert!(others[0] >= 20 && others[1] >= 14 && others[2] >= 11, "{others:?}");
}

#[test]
fn a_long_line_keeps_its_start_and_its_end() {
    let path = "/é".repeat(LINE);
    let line = format!("error: {path}: Input/output error");
    let (says, line) = find(&line).unwrap();
    assert_eq!((says, line.chars().count()), (WordsKind::Storage, LINE));
    assert!(line.starts_with("error: /é/é") && line.ends_with("/é/é: Input/output error"));
    assert_eq!(find(&format!("error {}", "x".repeat(LINE - 6))).unwrap().1.len(), LINE);
}

#[test]
fn what_says_that_something_failed_gives_way_to_what_says_why() {
    for (text, line) in [
        (
            "./run: line 9: 12 Killed sim\nSimFailure\nMessage: Error running sim\n",
            "./run: line 9: 12 Killed sim",
        ),
        (
            "---- Begin Fatal Exception ----\nbad row: error 4\n---- End Fatal Exception ----\n",
            "bad row: error 4",
        ),
        ("ERROR: copy gave 110\nCleaning up failed file:\n", "ERROR: copy gave 110"),
        ("---- ERROR: bad seed ----\ndone\n", "---- ERROR: bad seed ----"),
        ("**** error: worker did not start up\n", "**** error: worker did not start up"),
        ("Traceback (most recent call last):\n  x\nSimFailure\n", "SimFailure"),
    ] {
        assert_eq!(find(text).unwrap().1, line, "{text}");
    }
}

#[test]
fn only_the_end_of_a_file_is_read_and_lines_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("err");
    let early = "Segmentation fault\n";
    let mut text = early.to_owned() + &"x\n".repeat(TAIL as usize);
    std::fs::write(&path, &text).unwrap();
    assert_eq!(of_file(&path).unwrap(), None);
    text.push_str(&format!("fatal: {}", "é".repeat(1_000)));
    std::fs::write(&path, &text).unwrap();
    assert_eq!(of_file(&path).unwrap().unwrap().line.as_given().chars().count(), LINE);
    std::fs::write(&path, [0xff, b'\n', 0xc3]).unwrap();
    assert_eq!(of_file(&path).unwrap(), None);
    assert!(of_file(folder.path()).is_err());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_read(text in ".{0,200}") {
        if let Some((_, line)) = find(&format!("{TRACEBACK}{text}")) {
            assert!(line.chars().count() <= LINE);
        }
        let _ = find(&text);
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(
        proptest::prop_oneof![
            proptest::prelude::any::<u8>(), proptest::prelude::Just(b'\n'),
            proptest::prelude::Just(b':'), proptest::prelude::Just(0xcc)],
        0..600,
    )) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = find(&text);
        let _ = find(&format!("error:\n{text}\n{TRACEBACK}\n{text}\nErr\u{130}or failed"));
    }
}
