//! What binds a job of the pool: by its script, and by what it used.

// Each test uses a part of it.
#![allow(dead_code)]

use serde_json::Value;

use super::causes::COMMON;
use super::harness::Pool;
use super::story::OTHER;

const FOLDER: &str = "copies";

/// Copies files, and counts, for longer than the minute from which on a run counts. Without control
/// groups HTCondor does not see what its short-lived children use.
const SCRIPT: &str = "#!/bin/sh
end=$(($(date +%s) + 70))
while [ \"$(date +%s)\" -lt $end ]; do
    i=0
    while [ $i -lt 200000 ]; do i=$((i + 1)); done
    dd if=/dev/zero of=one bs=1M count=2 2>/dev/null
    cp one two
    cat one two >three
    rm one two three
done
";

/// Submits the job; returns its id.
pub(crate) fn submit(pool: &Pool) -> String {
    pool.shell(OTHER, FOLDER, &format!("cat >copies.sh <<'END'\n{SCRIPT}END\nchmod +x copies.sh"));
    pool.submit(OTHER, FOLDER, &format!("{COMMON}executable = copies.sh\n"))
}

/// Asks about the job when it has ended.
pub(crate) fn its_script_is_compared_with_its_use(pool: &Pool, job: &str) {
    pool.settle(&[job.to_owned()]);
    let cluster = job.split('.').next().unwrap_or_default();
    let ask = |words: &[&str]| {
        let command = [&["condor_holdadvise", "-profile", cluster], words].concat();
        pool.try_run(OTHER, &command).unwrap_or_else(|error| panic!("{error}"))
    };
    println!("{}", ask(&[]));
    let json: Value = serde_json::from_str(&ask(&["-json"])).expect("JSON");
    let of = &json["Jobs"][0];
    assert_eq!(of["Measured"]["Jobs"], 1, "{of}");
    let script = &of["Script"];
    assert_eq!(script["Profile"]["Likely"][0]["Binding"], "disk", "{script}");
    assert_eq!(script["IsChanged"], false, "{script}");
    let measured = &of["Measured"]["Binding"];
    assert!(measured.is_string(), "{of}");
    // Without control groups no byte of the disk is counted: there is nothing to compare with.
    let is_blind = of["Measured"]["Shares"]["Disk"] == 0.0;
    assert_eq!(script["Check"].is_null(), is_blind, "{of}");
    assert_eq!(json["Checked"]["Scripts"].as_u64(), (!is_blind).then_some(1), "{json}");
}
