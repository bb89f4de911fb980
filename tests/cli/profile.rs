//! What binds scripts and jobs.

use std::fmt::Write;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::checks::{output, owner, place};
use crate::harness::Place;

/// A download, a large matrix, and one that only starts another program.
fn scripts() -> Place {
    let place = Place::new();
    place.file(
        "get.sh",
        "#!/bin/sh\nfor year in 2019 2020 2021; do\n  wget -q https://data.example.org/$year/all.tar.gz\n  curl -O \
         https://data.example.org/$year/more.tar.gz\ndone\n",
    );
    place.file(
        "matrix.py",
        "import numpy as np\nn = 3 * 10**4\na = np.zeros((n, n))\nb = np.ones((n, n))\nprint((a + b).sum())\n",
    );
    place.file("run.sh", "#!/bin/sh\npython3 simulate.py --steps 100\n");
    place
}

/// Jobs of two clusters: 7 computes, 8 takes memory; of 7 one is idle and one runs.
fn jobs(place: &Place) {
    let mut ads = String::new();
    for proc in 0..10 {
        let start = 1_000 + 60 * proc;
        writeln!(
            ads,
            "ClusterId = 7\nProcId = {proc}\nOwner = \"alice\"\nCmd = \"/home/alice/sim.py\"\nJobStatus = 4\nQDate = 1000\n\
             JobStartDate = {start}\nJobCurrentStartDate = {start}\nJobCurrentStartExecutingDate = {start}\n\
             CompletionDate = {}\nCommittedTime = 600\nRemoteUserCpu = 570.0\nRemoteSysCpu = 6.0\nMemoryUsage = 300\n\
             BlockReadKbytes = 1000\nBlockWriteKbytes = 200\nBytesRecvd = 1000.0\nBytesSent = 2000.0\nRequestCpus = 1\n",
            start + 600 + 10 * proc
        )
        .unwrap();
    }
    for (proc, status, more) in
        [(10, 1, ""), (11, 2, "JobStartDate = 2900\nJobCurrentStartDate = 2900\n")]
    {
        writeln!(
            ads,
            "ClusterId = 7\nProcId = {proc}\nOwner = \"alice\"\nJobStatus = {status}\nQDate = 2900\n{more}"
        )
        .unwrap();
    }
    writeln!(
        ads,
        "ClusterId = 8\nProcId = 0\nOwner = \"alice\"\nCmd = \"/home/alice/load.R\"\nJobStatus = 4\nQDate = 1000\n\
         CommittedTime = 300\nRemoteUserCpu = 90.0\nMemoryUsage = 6000\n"
    )
    .unwrap();
    place.file("jobs.ads", ads);
}

#[test]
fn scripts_are_read_and_not_run() {
    let place = scripts();
    let said = place.advise("-profile get.sh matrix.py run.sh");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(said.stdout);
}

#[test]
fn jobs_say_by_their_use_what_binds_them() {
    let place = Place::new();
    jobs(&place);
    let said = place.advise("-profile -pairs -jobads jobs.ads -now 3000");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(said.stdout);
    let json = place.advise("-profile -pairs -json -jobads jobs.ads -now 3000");
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["Jobs"][0]["Measured"]["Binding"], "cpu");
    assert_eq!(json["Jobs"][1]["Measured"]["Binding"], "memory");
    assert_eq!(json["Pairs"].as_array().unwrap().len(), 3);
}

#[test]
fn finished_jobs_are_asked_for_where_the_queue_has_none() {
    let place = Place::new();
    jobs(&place);
    place.tool("condor_q", "exit 0");
    let file = place.path("jobs.ads");
    place.tool("condor_history", &format!("/bin/cat {}", file.display()));
    let said = place.advise("-profile 7");
    assert!(said.stdout.starts_with("12 jobs of cluster 7"), "{said:?}");
    assert!(said.stdout.contains("Cpu binds all 10 measured."), "{said:?}");
    // One's own jobs are in the queue; the history has everybody's.
    assert_eq!(place.advise("-profile").stdout, "No jobs.\n");
    let said = place.advise("-profile alice");
    assert!(said.stderr.is_empty() && said.stdout.contains("of cluster 8"), "{said:?}");
}

#[test]
fn what_is_no_script_is_named_and_the_others_are_read() {
    let place = scripts();
    place.file("a.pl", "#!/usr/bin/perl\n");
    place.file("empty.py", "\n");
    let said = place.advise("-profile ./a.pl empty.py absent.py run.sh");
    assert_eq!(said.status, 0, "{said:?}");
    let unknown = "run.sh (shell): unknown, none of its calls says what binds it. It starts";
    assert!(said.stdout.starts_with(unknown), "{said:?}");
    for line in [
        "Error: ./a.pl: expected a Python, shell or R script",
        "Error: empty.py: it is empty; expected a Python, shell or R script",
        "Error: absent.py: No such file or directory",
    ] {
        assert!(said.stderr.contains(line), "{said:?}");
    }
    let said = place.advise("-profile absent.py");
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.stderr.contains("none of the scripts and jobs named can be profiled"), "{said:?}");
}

#[test]
fn operands_say_what_is_asked_about() {
    let place = scripts();
    jobs(&place);
    let said = place.advise("-profile run.sh -jobads jobs.ads");
    assert!(!said.stdout.contains("cluster"), "{said:?}");
    let said = place.advise("-profile run.sh 8 99 -jobads jobs.ads");
    assert!(said.stdout.contains("of cluster 8"), "{said:?}");
    assert!(!said.stdout.contains("of cluster 7"), "{said:?}");
    assert!(said.stderr.contains("Error: no job of 99 is in jobs.ads"), "{said:?}");
    assert_eq!(place.advise("-profile 99 -jobads jobs.ads").status, 1);
}

#[test]
fn evidence_and_verdict_agree() {
    let place = Place::new();
    for (name, text, not) in [
        ("range.py", "for i in range(10**9):\n    x = i * i\n", "emory"),
        ("sqrt.py", "import math\nx = math.sqrt(2)\n", "emory"),
        ("small.py", "import numpy as np\nx = np.zeros(10)\n", "emory"),
        ("set.sh", "#!/bin/sh\nset -e\n", "omputes"),
        ("cat.R", "cat(\"hi\")\n", "isk"),
    ] {
        place.file(name, text);
        let said = place.advise(&format!("-profile {name}"));
        assert!(!said.stdout.contains(not), "{said:?}");
    }
    place.file("sync.py", "import os\nos.system(\"rsync -av h:/x . && ./simulate\")\n");
    let said = place.advise("-profile sync.py");
    assert!(said.stdout.contains("Sends and receives: rsync."), "{said:?}");
    assert!(said.stdout.contains("It starts simulate, which was"), "{said:?}");
    place.file("url.R", "x <- read.csv(\"https://data.example.org/a.csv\")\n");
    let said = place.advise("-profile url.R");
    assert!(said.stdout.contains("Sends and receives: read.csv."), "{said:?}");
}

#[test]
fn strange_ads_say_nothing() {
    let place = Place::new();
    let one = "ClusterId = 1\nProcId = 0\nJobStatus = 4\n";
    place.file("huge.ads", format!("{one}CommittedTime = 100\nRemoteUserCpu = 1e308\n\n"));
    place.file(
        "idle.ads",
        format!("{one}CommittedTime = 9000\nRemoteUserCpu = 1.0\nMemoryUsage = 2\n\n"),
    );
    place.file(
        "dag.ads",
        format!("{one}JobUniverse = 7\nCommittedTime = 100\nRemoteUserCpu = 9\n\n"),
    );
    let said = place.advise("-profile -jobads huge.ads");
    assert!(said.stdout.contains("unknown, no run of a minute or more"), "{said:?}");
    let said = place.advise("-profile -jobads idle.ads");
    assert!(said.stdout.contains("nothing binds, as far as HTCondor measured"), "{said:?}");
    assert_eq!(place.advise("-profile -jobads dag.ads").stdout, "No jobs.\n");
}

#[test]
fn nothing_in_a_script_controls_a_terminal() {
    let place = Place::new();
    place.file("a.sh", "#!/bin/sh\nfor i in 1; do wget \u{1b}[31mx; done\nwget\u{1b}[0m y\n");
    let said = place.advise("-profile a.sh");
    assert!(!said.stdout.contains('\u{1b}'), "{said:?}");
}

#[test]
fn options_that_do_not_go_with_it_are_refused() {
    let place = Place::new();
    for (line, error) in [
        ("-profile -workflow 7", "-workflow excludes -profile"),
        ("-profile -long 7", "-profile excludes -long"),
        ("-pairs 7", "-pairs needs -profile"),
    ] {
        let said = place.advise(line);
        assert_eq!(said.status, 1);
        assert!(said.stderr.contains(error), "{said:?}");
    }
}

/// Finished jobs of the owner of a script, submitted an hour before it ends.
fn of_script(place: &Place, cluster: i32, more: &str) -> String {
    let host = output("uname", "-n");
    let folder = place.path("run");
    format!(
        "ClusterId = {cluster}\nProcId = 0\nOwner = \"{}\"\nJobStatus = 4\nIwd = \"{}\"\n\
         GlobalJobId = \"{host}#{cluster}.0#1\"\nQDate = 4000000000\nCommittedTime = 600\n\
         RemoteUserCpu = 570.0\nBlockWriteKbytes = 2000\nMemoryUsage = 300\n{more}\n",
        owner().0,
        folder.display()
    )
}

/// What the finished jobs of the history say.
fn finished(place: &Place, ads: &str) {
    let file = place.file("history.ads", ads);
    place.tool("condor_q", "exit 0");
    place.tool("condor_history", &format!("/bin/cat {}", file.display()));
}

/// The entries of the journal, without their times.
fn entries(place: &Place) -> Vec<Value> {
    let Ok(folder) = fs::read_dir(place.path(".local/state/condor-holdadvise/journal")) else {
        return Vec::new();
    };
    let paths = folder.map(|entry| entry.unwrap().path());
    let texts = paths.map(|path| fs::read_to_string(path).unwrap());
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let mut all: Vec<Value> =
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    all.iter_mut().for_each(|entry| drop(entry.as_object_mut().unwrap().remove("Time")));
    all
}

const COPIES: &str = "#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8; do\n  dd if=/dev/zero of=out.$i bs=1M count=1000\n  cp \
                      out.$i copy.$i\n  sync\ndone\n";

#[test]
fn a_script_is_compared_with_what_its_jobs_used() {
    let place = place();
    fs::set_permissions(place.path(""), Permissions::from_mode(0o755)).unwrap();
    place.file("run/copies.sh", COPIES);
    finished(&place, &of_script(&place, 7, "Cmd = \"copies.sh\"\n"));
    let said = place.advise("-profile 7");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in ["Disk is likely to bind it. Not as measured.", "Scripts so far: 0 of 1 were bound"]
    {
        assert!(text.contains(line), "{said:?}");
    }
    let mistake = entries(&place);
    assert_eq!(mistake.len(), 1, "{mistake:?}");
    assert_eq!(mistake[0]["Kind"], "Profiled");
    assert_eq!((&mistake[0]["Said"], &mistake[0]["Measured"]), (&"disk".into(), &"cpu".into()));
    // It is noted once, and what came otherwise is noted anew.
    place.advise("-profile 7");
    assert_eq!(entries(&place), mistake);
    let busy =
        of_script(&place, 7, "Cmd = \"copies.sh\"\n").replace("Kbytes = 2000", "Kbytes = 90000000");
    finished(&place, &busy);
    let said = place.advise("-profile -json 7");
    let json: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(json["Checked"], serde_json::json!({ "Scripts": 1, "Right": 1 }));
    assert_eq!(json["Jobs"][0]["Script"]["Check"]["Measured"], "disk");
    assert_eq!(entries(&place).len(), 2);
}

#[test]
fn a_script_of_jobs_that_never_ran_says_what_will_bind_them() {
    let place = place();
    place.file("run/copies.sh", COPIES);
    let shell = "Cmd = \"/bin/bash\"\nTransferExecutable = false\nArguments = \"copies.sh\"\n\
                  TransferInput = \"copies.sh\"\n";
    let ad = of_script(&place, 7, shell).replace("CommittedTime = 600\n", "");
    finished(&place, &ad);
    let said = place.advise("-profile 7");
    assert!(said.stdout.contains("copies.sh (shell): Disk is likely to bind it.\n"), "{said:?}");
    assert_eq!(entries(&place), Vec::<Value>::new());
}

#[test]
fn what_is_no_script_of_these_jobs_is_compared_with_nothing() {
    let place = place();
    place.file("run/copies.sh", COPIES);
    let own = of_script(&place, 7, "Cmd = \"copies.sh\"\n");
    let is_silent = |ads: &str, text: &str| {
        finished(&place, ads);
        let said = place.advise("-profile 7");
        assert_eq!((said.status, said.stderr.as_str()), (0, ""));
        assert!(!said.stdout.contains("Scripts so far"), "{said:?}");
        assert_eq!(said.stdout.contains("Script:"), !text.is_empty(), "{said:?}");
        let words = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(text), "{said:?}");
    };
    is_silent(
        &own.replace("QDate = 4000000000", "QDate = 1000"),
        "may have been changed after the jobs",
    );
    is_silent(&own.replace("GlobalJobId = \"", "GlobalJobId = \"elsewhere-"), "another machine.");
    is_silent(&own.replace("copies.sh", "/dev/zero"), "");
    is_silent(&own.replace("copies.sh", "absent.py"), "No such file or directory.");
    let other = own.replace("ProcId = 0", "ProcId = 1").replace("copies.sh", "other.py");
    is_silent(&format!("{own}\n{other}"), "the jobs run different ones.");
    let failed = own.replace("MemoryUsage", "ExitCode = 1\nMemoryUsage");
    is_silent(&failed, "They failed, and were not measured.");
    assert_eq!(entries(&place), Vec::<Value>::new());
    // Nor where its owner may not read it.
    if owner().1 {
        fs::set_permissions(place.path("run/copies.sh"), Permissions::from_mode(0o600)).unwrap();
        is_silent(&own, "Permission denied.");
    }
}

#[test]
fn earlier_jobs_of_a_program_say_how_long_one_waits_and_runs() {
    let place = Place::new();
    let mut ads = String::new();
    for cluster in 1..=10 {
        let start = 1_000 + 10 * cluster;
        writeln!(
            ads,
            "ClusterId = {cluster}\nProcId = 0\nOwner = \"alice\"\nCmd = \"/usr/bin/python3\"\nArgs = \"sim.py {cluster}\"\n\
             JobStatus = 4\nQDate = 1000\nJobStartDate = {start}\nJobCurrentStartDate = {start}\n\
             CompletionDate = {}\n",
            start + 600
        )
        .unwrap();
    }
    let idle = "ClusterId = 11\nProcId = 0\nOwner = \"alice\"\nCmd = \"/usr/bin/python3\"\nArgs = \"sim.py 11\"\n\
                JobStatus = 1\nQDate = 2990\n\n";
    place.file("jobs.ads", format!("{ads}{idle}"));
    let said = place.advise("-profile 11 -jobads jobs.ads -now 3000");
    // Ads of a file are those that were asked for.
    assert!(!said.stdout.contains("Ran"), "{said:?}");
    let (history, queue) = (place.file("history.ads", &ads), place.file("queue.ads", idle));
    place.tool("condor_q", &format!("/bin/cat {}", queue.display()));
    let asks = "case \"$*\" in *'Cmd == \"/usr/bin/python3\"'*) /bin/cat";
    place.tool("condor_history", &format!("{asks} {} ;; esac", history.display()));
    let said = place.advise("-profile 11");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let ran = "Ran: about 10m (10 jobs, with others of this program)";
    assert!(text.contains(ran), "{said:?}");
    // Another script of the same interpreter is another program.
    let other = place.file("history.ads", ads.replace("sim.py", "other.py"));
    place.tool("condor_history", &format!("{asks} {} ;; esac", other.display()));
    assert!(!place.advise("-profile 11").stdout.contains("Ran"));
}

#[test]
fn clusters_without_a_slot_are_named() {
    let place = Place::new();
    place.file(
        "jobs.ads",
        "ClusterId = 3\nProcId = 0\nJobUniverse = 7\nJobStatus = 2\n\nClusterId = 4\nProcId = 0\nJobStatus = 1\n",
    );
    let said = place.advise("-profile 3 4 -jobads jobs.ads");
    assert!(said.stdout.starts_with("1 job of cluster 4"), "{said:?}");
    assert!(said.stderr.contains("cluster 3: scheduler and local jobs have no slot"), "{said:?}");
}
