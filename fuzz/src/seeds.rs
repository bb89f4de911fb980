//! Seeds: inputs that mean something, made of the recorded pools and the documented formats.

use std::collections::BTreeSet;
use std::fs;

use std::path::{Path, PathBuf};

use classads::ClassAd;
use holdadvise::catalogue::parse;
use holdadvise::collect::{Settings, collect};
use holdadvise::model::{Archive, DEFAULT_ARCHIVE, FeatureSchema, METADATA_ENTRY};
use holdadvise_train::data::dataset::{Dataset, Row};
use holdadvise_train::split::SplitOptions;
use holdadvise_train::split::parts::{By, Parts};

use crate::{BETWEEN, corpus, files, sections};

/// Names a folder for the seeds of a target, and one with inputs that are to be kept.
const FOLDERS: [&str; 2] = ["HOLDADVISE_SEEDS", "HOLDADVISE_KEEP"];

/// Writes the seeds and the kept inputs of a target into a folder, or keeps those of a folder, as
/// [`FOLDERS`] say, and ends the process. Where they say nothing, nothing happens.
pub fn asked_for(target: &str) {
    match FOLDERS.map(|name| std::env::var_os(name).map(PathBuf::from)) {
        [Some(folder), _] => {
            for (number, seed) in of(target).iter().chain(&corpus::of(target)).enumerate() {
                files::put(&folder.join(format!("seed-{number:04}")), seed);
            }
        }
        [None, Some(folder)] => corpus::keep(target, &folder),
        [None, None] => return,
    }
    std::process::exit(0);
}

/// The seeds of a target.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    match target {
        "advice" => advice(),
        "advisor_line" => lines(&text("fuzz/seeds/advisor_line")),
        "catalogue" => catalogue(),
        "checks" => checks(),
        "classad_expr" | "policy_replay" => expressions(),
        "classad_long" => ads(),
        "collector" => collector(),
        "dag" => dags(),
        "dataset" => datasets(),
        "eventlog_text" => logs(),
        "hold_reason" => reasons(),
        "kept" => vec![text("fuzz/seeds/kept").into_bytes()],
        "model_archive" => models(),
        "policy_explain" | "policy_lint" => policies(),
        "program_head" => program_heads(),
        "python" => python(),
        "script" => scripts(),
        "sweep_file" => sweeps(),
        "sweep_folder" => vec![text("fuzz/seeds/sweep_folder").into_bytes()],
        "tool_answers" => answers(),
        other => panic!("there is no target {other}"),
    }
}

/// A script of each language, with what is read of it.
fn scripts() -> Vec<Vec<u8>> {
    let python = "import numpy as np, os\nfrom urllib.request import urlopen as u\nn = 10**4\ndef f(x):\n    return [i * i \
                  for i in range(n)]\na = np.zeros((n, n))\nfor i in range(9):\n    a[i] += f(n)\n    \
                  open('x', 'w').write(f'{i}')\nwith u('http://a/b') as g:\n    os.system('dd if=x bs=1M')\n";
    let shell = "#!/bin/bash\nn=9\nfor i in $(seq 1 $n); do curl -s \"http://a/$i\" > o_$i 2>/dev/null & done\nwait\n\
                 for ((i=0;i<9;i++)); do dd if=/dev/zero bs=1M count=$n; done\nwhile read -r l; do echo \"$l\" | sort \
                 -k1; done < in\nf() { tar czf a.tgz d; }\nif [ -f x ]; then time nice gzip x; fi\ncat <<E > z\nt\nE\n";
    let r = "library(data.table)\nn <- 1e6\nm = matrix(0, nrow=1000L, ncol=n)\nfor (i in 1:9) { m[i, ] <- x[[i]] + \
             base::mean(x)^2 }\ny <- sapply(1:10, function(k) k * 2)\nrepeat { break }\nx |> sort()\nsystem(\"gzip f\")\n";
    [python, shell, r].map(|text| text.as_bytes().to_vec()).to_vec()
}

/// The shipped entries, some at a time, with a text that one of them hits.
fn catalogue() -> Vec<Vec<u8>> {
    let files = ["container", "curl", "output", "policy", "transfer"];
    let of_file = |name: &str| {
        let all = text(&format!("catalogue/{name}.toml"));
        let entries: Vec<&str> = all.split("\n[").skip(1).step_by(5).collect();
        let with_text = |entries: &[&str]| {
            let part = entries.iter().map(|entry| format!("[{entry}\n")).collect::<String>();
            let example =
                parse(name, &part).0.iter().flat_map(|entry| &entry.examples).next().cloned();
            section(&[&part, &example.unwrap_or_default()])
        };
        entries.chunks(2).map(with_text).collect::<Vec<_>>()
    };
    files.iter().flat_map(|name| of_file(name)).collect()
}

/// Scripts, and ELF files of the machines that it knows (elf(5)).
fn program_heads() -> Vec<Vec<u8>> {
    let elf = |class: u8, order: u8, machine: [u8; 2]| {
        [b"\x7fELF".as_slice(), &[class, order], &[0; 12], &machine, &[0; 40]].concat()
    };
    let machines = [21, 62, 183, 243, 3].map(|machine| elf(2, 1, [machine, 0]));
    let scripts = ["#!/usr/bin/env python3\n", "#! /bin/sh -e\r\n", "#!x\n", "#!/no/end", "text"];
    let scripts = scripts.map(|script| script.as_bytes().to_vec());
    machines.into_iter().chain([elf(2, 2, [0, 62]), elf(1, 1, [3, 0])]).chain(scripts).collect()
}

/// Recorded ads with a job's log, and what a program asks about them.
fn python() -> Vec<Vec<u8>> {
    let log = text("tests/data/pool-23.9/forms/iso.job.log");
    let words = [
        "21.0, 22\nHoldReasonCode == 13\nfailed=3\n1795282000\nHoldReasonCode == 13 && NumHolds < 3",
        "alice\n\ntime=2 failed=x\n\nperiodic_release = NumHold < 3",
    ];
    let ads = POOLS.iter().flat_map(|pool| ads_of(pool));
    ads.zip(words.iter().cycle()).map(|(ad, words)| section(&[&ad, &log, words])).collect()
}

/// What `condor_status`, `condor_release`, `condor_q` and `condor_qedit` print.
fn answers() -> Vec<Vec<u8>> {
    let slots = "16000\t9.5e6\t8\te1.example.org\tNorth Hall\tundefined\n\
                 undefined\tnan\t-1\te1\nundefined\tundefined\tundefined\terror\t\t\n";
    let orders = "ActionResultType = 1\nJobAction = 4\nActionResult = 1\njob_7_0 = 1\n\
                  job_7_1 = 3\njob_8_0 = 5\n";
    let complaint =
        "-----\nError: Failed to set RequestMemory=128 for job 7.0 (not in this hold)\n";
    let ads = POOLS.iter().flat_map(|pool| ads_of(pool));
    ads.take(8).map(|ad| section(&[slots, orders, &ad, complaint])).collect()
}

/// The recorded DAGs, and one of every command that is read.
fn dags() -> Vec<Vec<u8>> {
    let recorded = "tests/data/pool-workflow-23.9";
    let workflow = text(&format!("{recorded}/work.dag"));
    let log = text(&format!("{recorded}/work.dag.nodes.log"));
    let log: String = pieces(&log, "...", 30).into_iter().take(1).collect();
    let submit = "executable = run.sh\ninitialdir = run\nlog = job.log\nqueue\n";
    let small = "JOB A job.sub\nJOB B job.sub DIR sub DONE\nSUBDAG EXTERNAL C c.dag\n\
                 SPLICE S part.dag\nINCLUDE part.dag\nPARENT A B CHILD C\nPARENT C CHILD S\n\
                 JOB D {\n log = d.log\n}\nJOB E @=end\nqueue\n@end\nDONE E\n";
    let part = "JOB X job.sub\nJOB Y job.sub\nPARENT X CHILD Y\n";
    let small_log = text("tests/data/pool-23.9/dag/work.dag.nodes.log");
    let manager = "000 (001.000.000) 2026-03-01 10:00:00 Job submitted from host: <1.2.3.4:5>\n...\n\
                   005 (001.000.000) 2026-03-01 10:02:00 Job terminated.\n\t(1) Normal termination (return \
                   value 1)\n...\n";
    let whole = |parts: [&str; 6]| {
        let between = String::from_utf8_lossy(BETWEEN);
        parts.join(&*between).into_bytes()
    };
    vec![
        whole([&workflow, "", submit, "DONE N001\nDONE N002\n", &log, manager]),
        whole([small, part, submit, "DONE S+X\n", &small_log, ""]),
    ]
}

/// A file of the project.
fn path(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(name)
}

fn text(name: &str) -> String {
    let bytes = fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The files of a folder, by their names.
fn folder(name: &str) -> Vec<String> {
    let entries = fs::read_dir(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> =
        names.map(|file| format!("{name}/{}", file.to_string_lossy())).collect();
    names.retain(|name| path(name).is_file());
    names.sort();
    names
}

const POOLS: [&str; 2] = ["tests/data/pool-23.9", "tests/data/pool-25.14"];

fn lines(text: &str) -> Vec<Vec<u8>> {
    text.lines().map(|line| line.as_bytes().to_vec()).collect()
}

/// Pieces of a text of so many parts, each ended by a line that is, or begins with, `end`.
fn pieces(text: &str, end: &str, count: usize) -> Vec<String> {
    let (mut pieces, mut parts) = (vec![String::new()], 0);
    for line in text.split_inclusive('\n') {
        pieces.last_mut().expect("one").push_str(line);
        let ends = line.trim_end() == end || !end.is_empty() && line.starts_with(end);
        parts += usize::from(ends);
        if ends && parts % count == 0 {
            pieces.push(String::new());
        }
    }
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}

fn ads_of(pool: &str) -> Vec<String> {
    pieces(&text(&format!("{pool}/held.long")), "", 1)
}

fn ads() -> Vec<Vec<u8>> {
    let mut all: Vec<String> = POOLS.iter().flat_map(|pool| ads_of(pool)).collect();
    all.extend(
        ["job.ad", "machine.ad", "kinds.long", "kinds.xml", "held.xml"]
            .map(|name| text(&format!("classads/tests/data/{name}"))),
    );
    // The other forms, of the shortest ad.
    let ad = all.iter().filter_map(|ad| classads::read_ads(ad.as_bytes()).next()?.ok());
    if let Some(ad) = ad.min_by_key(ClassAd::len) {
        all.extend([classads::json::to_string(&ad), classads::xml::to_string(&ad), ad.to_string()]);
    }
    all.into_iter().map(String::into_bytes).collect()
}

/// Policies of the recorded ads.
fn policies_of_ads() -> BTreeSet<String> {
    let names = ["Periodic", "Requirements", "Rank", "LeaveJobInQueue", "OnExit"];
    let ads = POOLS.iter().flat_map(|pool| ads_of(pool));
    let mut found = BTreeSet::new();
    for ad in ads {
        let of_policies = ad.lines().filter(|line| names.iter().any(|name| line.starts_with(name)));
        found.extend(of_policies.filter_map(|line| Some(line.split_once(" = ")?.1.to_owned())));
    }
    found
}

fn expressions() -> Vec<Vec<u8>> {
    let own = text("classads/tests/data/expressions.txt");
    own.lines().map(str::to_owned).chain(policies_of_ads()).map(String::into_bytes).collect()
}

fn policies() -> Vec<Vec<u8>> {
    let configuration = "PERIODIC_EXPR_INTERVAL = 60\nSYSTEM_PERIODIC_RELEASE_NAMES = A \\\n  B\n\
                         SYSTEM_PERIODIC_RELEASE_A = HoldReasonCode == 13 && NumHolds < 5\n\
                         SYSTEM_PERIODIC_REMOVE = time() - EnteredCurrentStatus > $(DAY) * 7\n";
    let submit = "executable = run.sh\nperiodic_release = (HoldReasonCode == 13) && \\\n  \
                  (time() - EnteredCurrentStatus > 600)\n+Project = \"x\"\nqueue 5\n";
    let with_policies = policies_of_ads().into_iter().flat_map(|policy| {
        [format!("{policy}\n\n{configuration}"), format!("periodic_release = {policy}\nqueue\n")]
    });
    let mut all: Vec<_> = with_policies.chain([configuration, submit].map(str::to_owned)).collect();
    all.extend(policies_of_ads());
    all.into_iter().map(String::into_bytes).collect()
}

fn logs() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for pool in POOLS {
        let logs = [folder(&format!("{pool}/dag")), folder(&format!("{pool}/forms"))].concat();
        let logs = logs.into_iter().chain([format!("{pool}/EventLog")]);
        for log in logs.filter(|log| !log.ends_with(".dag")) {
            let name = log.rsplit('/').next().unwrap_or_default();
            let end = match name.split('.').next() {
                Some("xml") => "</c>",
                Some("json") => "}",
                _ => "...",
            };
            all.extend(pieces(&text(&log), end, 3));
        }
    }
    all.into_iter().map(String::into_bytes).collect()
}

fn reasons() -> Vec<Vec<u8>> {
    let of_ads = POOLS.iter().flat_map(|pool| ads_of(pool)).filter_map(|ad| {
        let ad = classads::read_ads(ad.as_bytes()).next()?.ok()?;
        ad.string("HoldReason")
    });
    let all: BTreeSet<String> = of_ads.collect();
    all.into_iter().map(String::into_bytes).collect()
}

/// Outputs of programs that failed, as people showed them in public.
fn outputs() -> Vec<String> {
    let output = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let lines = line.get("output")?.as_array()?.iter().filter_map(|line| line.as_str());
        Some(lines.collect::<Vec<_>>().join("\n"))
    };
    text("tests/data/public-lines.jsonl").lines().filter_map(output).collect()
}

fn section(parts: &[&str]) -> Vec<u8> {
    parts.iter().map(|part| part.as_bytes()).collect::<Vec<_>>().join(BETWEEN)
}

const KNOBS: &str = "PERIODIC_EXPR_INTERVAL = 60\n\
                     SYSTEM_PERIODIC_RELEASE = HoldReasonCode == 13 && NumHolds < 5\n\
                     DAGMAN_REMOVE_NODE_JOBS = true\n";

fn advice() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for pool in POOLS {
        let ads = ads_of(pool);
        let log = [".1", ""].map(|end| text(&format!("{pool}/EventLog{end}"))).concat();
        let events = pieces(&log, "...", 1);
        let epochs = pieces(&text(&format!("{pool}/epochs.long")), "***", 1);
        for (at, ad) in ads.iter().enumerate() {
            let Some(Ok(job)) = classads::read_ads(ad.as_bytes()).next() else { continue };
            let cluster = job.integer("ClusterId").unwrap_or(0);
            let of_cluster = |event: &&String| event.contains(&format!("({cluster:03}."));
            let events: Vec<&str> =
                events.iter().filter(of_cluster).take(12).map(String::as_str).collect();
            let is_of = |epoch: &&String| epoch.contains(&format!("ClusterId = {cluster}\n"));
            let epoch = epochs.iter().find(is_of).map_or("", String::as_str);
            let record = record_for(&job);
            all.push(section(&[ad, &events.concat(), epoch, KNOBS, &record]));
            // Several jobs, which print as groups.
            if at % 3 == 0 {
                let several = ads[at..].iter().take(3).map(|ad| ad.as_str()).collect::<Vec<_>>();
                all.push(section(&[&several.concat(), &events.concat()]));
            }
        }
    }
    all
}

/// A record of looks at the files that an ad names, each found otherwise.
fn record_for(ad: &ClassAd) -> String {
    let owner = ad.string("Owner").unwrap_or_default();
    let answers = [
        r#"{"Ok":{"Result":"Gone","ChangedAt":1795278000}}"#,
        r#"{"Ok":{"Result":"StillThere","Fault":"Missing"}}"#,
        r#"{"Ok":{"Result":"Gone","ChangedAt":null,"Remarks":[{"Kind":"Empty"}]}}"#,
        r#"{"Err":"NoAnswer"}"#,
    ];
    let wanted = [("Iwd", "Enter"), ("Cmd", "Execute"), ("In", "Read"), ("Out", "Write")];
    let looks = wanted.iter().zip(answers).filter_map(|((attribute, wanted), answer)| {
        let path = serde_json::to_string(&ad.string(attribute)?).ok()?;
        let question = format!(r#"{{"Look":{{"path":{path},"wanted":"{wanted}"}}}}"#);
        Some(format!(r#"{{"Account":"{owner}","Question":{question},"Answer":{answer}}}"#))
    });
    let url = r#"{"Account":"","Question":{"Url":{"url":"http://127.0.0.1:8000/a"}},"#.to_owned();
    let url = url + r#""Answer":{"Ok":{"Result":"Unknown","Why":{"Status":503}}}}"#;
    let looks: Vec<String> = looks.chain([url]).collect();
    let hosts = r#""Hosts":["ap.pool.example","localhost"]"#;
    format!(r#"{{"Time":1795278400,{hosts},"Answers":[{}]}}"#, looks.join(","))
}

fn checks() -> Vec<Vec<u8>> {
    let certificate = text("src/checks/testdata/old.pem");
    let token = "eyJhbGciOiJub25lIn0.eyJleHAiOjE3OTUyNzg0MDAsInN1YiI6ImEifQ.x";
    let mounts = "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n\
                  31 30 0:41 / /home/my\\040data rw - nfs4 s:/x rw,vers=4.2,sec=krb5p\n";
    let urls = "http://u:p@s.example/a?token=x#y\n//other.example/b\n../c\nhttps://[::1]:8/d;e";
    let ads = POOLS.iter().flat_map(|pool| ads_of(pool));
    let mut all: Vec<Vec<u8>> = ads
        .filter_map(|ad| {
            let job = classads::read_ads(ad.as_bytes()).next()?.ok()?;
            Some(section(&[&record_for(&job), &ad]))
        })
        .collect();
    for (output, credential) in outputs().iter().zip([&certificate, token, "{}"].iter().cycle()) {
        all.push(section(&["", "", output, credential, mounts, urls]));
    }
    all
}

/// Logs as HTCondor rotates them, and what a pass makes of them.
fn collector() -> Vec<Vec<u8>> {
    let log = |end: &str| {
        let log = text(&format!("tests/data/pool-25.14/EventLog{end}"));
        pieces(&log, "...", 4).swap_remove(0)
    };
    let (live, rotated, older) = (log(""), log(".1"), log(".2"));
    let folder = files::folder().join("seeds");
    let _ = fs::remove_dir_all(&folder);
    let mut settings = Settings::of(&folder);
    files::file("EventLog.old", rotated.as_bytes());
    settings.event_log = Some(files::file("EventLog", live.as_bytes()));
    let now = jiff::Timestamp::now().as_second();
    for later in [0, 3_600] {
        collect(&settings, now + later).expect("the folder can be made");
    }
    let packed = fs::read(folder.join("EventLog.000001")).unwrap_or_default();
    let kept = fs::read(folder.join("EventLog.000002")).unwrap_or_default();
    let (live, rotated, older) = (live.as_bytes(), rotated.as_bytes(), older.as_bytes());
    let all = text("fuzz/seeds/kept");
    let [_, _, _, gaps] = sections(all.as_bytes());
    [
        [live, rotated, &[], &[], &[]],
        [live, rotated, &packed, &kept, &[]],
        [live, rotated, older, rotated, gaps],
        [live, &[], older, &packed, gaps],
        [rotated, older, older, &[], &[]],
    ]
    .map(|parts| parts.join(BETWEEN))
    .to_vec()
}

fn metadata() -> serde_json::Value {
    let mut archive = Archive::new(DEFAULT_ARCHIVE).expect("the shipped model opens");
    let metadata = archive.entry(METADATA_ENTRY, 1 << 20).expect("it has metadata");
    serde_json::from_slice(&metadata).expect("they are JSON")
}

fn models() -> Vec<Vec<u8>> {
    let whole = metadata();
    let mut small = whole.clone();
    // Without what is only said of the model.
    for key in ["sheet", "codes", "actions"] {
        small.as_object_mut().expect("an object").remove(key);
    }
    [whole, small].map(|metadata| metadata.to_string().into_bytes()).to_vec()
}

/// A small dataset, its parts, and their headers alone.
fn datasets() -> Vec<Vec<u8>> {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let schema = FeatureSchema {
        hash: "0123456789abcdef".to_owned(),
        states: names(&["none", "held"]),
        statics: names(&["x", "y"]),
        frame_edges: vec![0, 60, 300],
        slots: 2,
        sources: Vec::new(),
    };
    let mut dataset = Dataset::new(schema, "simulated data", false, 172_800);
    let cause = dataset.cause("outage");
    for number in 0..12_i64 {
        use holdadvise::history::{Action, Outcome};
        let success = number % 3 != 0;
        let row = Row {
            states: &[0, 1, 1, 0],
            statics: &[0.5, number as f32],
            action: Action::AsIs,
            outcome: if success { Outcome::Success } else { Outcome::Failure },
            weight: 1.0,
            observed: true,
            truth: Some(0.5),
            cause,
            reach: None,
            access_point: 0,
            cluster: number,
            owner: number % 3,
            cell: 1,
            hold_time: 1_795_000_000 + number * 100_000,
            decision_instant: 1_795_000_600 + number * 100_000,
            outcome_time: 1_795_001_000 + number * 100_000,
            code: 13,
            subcode: 2,
            delay: 0,
        };
        dataset.push(&row).expect("the row fits");
    }
    let read = |write: &dyn Fn(&Path)| {
        let path = files::folder().join("made");
        let _ = fs::remove_file(&path);
        write(&path);
        fs::read(&path).expect("it was written")
    };
    let parts = Parts::new(&dataset, By::All, &SplitOptions::default()).expect("all rows test");
    let made = [
        read(&|path| dataset.write(path).expect("it can be written")),
        read(&|path| parts.write(path).expect("it can be written")),
    ];
    let headers = made.iter().map(|file| {
        let length: [u8; 8] = file[..8].try_into().expect("8 bytes");
        file[8..8 + u64::from_le_bytes(length) as usize].to_vec()
    });
    let headers: Vec<_> = headers.collect();
    made.into_iter().chain(headers).collect()
}

fn sweeps() -> Vec<Vec<u8>> {
    let shipped = text("dag/sweep.yaml").replace("EventLog*", "sweep.yaml").replace("/*", "");
    let shipped = shipped.replace("/var/log/condor/", "").replace("epoch_history*", "");
    let small = "data: {access_points: [{name: a, logs: [sweep.yaml]}], last: 30d}\n\
                 training:\n  parameters:\n    hidden: {values: [32, 64]}\n\
                 program: {tarball: sweep.yaml}\nresources: {gpus: 0, memory: 4GB}\n";
    let lines: String = shipped
        .lines()
        .map(|line| line.split(" #").next().unwrap_or("").to_owned() + "\n")
        .collect();
    [shipped, lines, small.to_owned()].map(String::into_bytes).to_vec()
}
