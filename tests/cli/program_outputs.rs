//! Runs that ended with the same exit code are kept apart by what their programs wrote.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::checks::{output, output_of, owner, place};
use crate::harness::{Place, Said};

/// When all runs end, Unix seconds: 2024-05-01 10:31.
const ENDED: u64 = 1_714_559_460;

/// Events of a job that ran at a site and exited with 1.
fn events(proc: usize, site: &str, node: &str) -> String {
    let event = |number: &str, minute: &str, text: &str| {
        format!("{number} (007.{proc:03}.000) 2024-05-01 10:{minute}:00 {text}\n...\n")
    };
    let slot = format!("Job executing on host: <10.0.0.2:9618>\n\tSlotName: slot1@{site}");
    let site =
        format!("Job ad information event triggered.\nMachineAttrGLIDEIN_Site0 = \"{site}\"");
    let end = "Job terminated.\n\t(1) Normal termination (return value 1)";
    [
        event("000", "00", &format!("Job submitted from host: <10.0.0.1:9618>{node}")),
        event("001", "01", &slot),
        event("028", "01", &site),
        event("005", "31", end),
    ]
    .concat()
}

/// The ad of a job that left the queue.
fn ad(place: &Place, proc: usize, more: &str) -> String {
    format!(
        "ClusterId = 7\nProcId = {proc}\nOwner = \"{}\"\nJobStatus = 4\nIwd = \"{}\"\n\
         Err = \"{proc}.err\"\nGlobalJobId = \"{}#7.{proc}#1\"\n{more}\n",
        owner().0,
        place.path("run").display(),
        output("uname", "-n")
    )
}

/// Writes the error output of a job, at the end of its run and so many seconds later.
fn write(place: &Place, proc: usize, text: &str, later: u64) {
    let path = place.file(&format!("run/{proc}.err"), text);
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(ENDED + later);
    File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

/// What the program says to the owner of the jobs.
fn ask(place: &Place, words: &str) -> Said {
    let mut command = place.command(env!("CARGO_BIN_EXE_condor_holdadvise"));
    command.args(words.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if owner().1 {
        let number = |flag| output_of("id", &[flag, &owner().0]).parse().unwrap();
        for path in [place.path("."), place.path("work.dag")].iter().filter(|path| path.exists()) {
            chown(path, Some(number("-u")), None).unwrap();
        }
        command.uid(number("-u")).gid(number("-g"));
    }
    let said = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let status = said.status.code().unwrap();
    Said { status, stdout: text(&said.stdout), stderr: text(&said.stderr) }
}

/// The causes of a view, with their counts by place.
fn causes(place: &Place, words: &str) -> Vec<(String, Vec<u64>)> {
    let said = ask(place, &format!("{words} -json"));
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
    let view: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let row = |row: &serde_json::Value| {
        let counts = row["Counts"].as_array().unwrap().iter();
        (row["Cause"].as_str().unwrap().to_owned(), counts.map(|n| n.as_u64().unwrap()).collect())
    };
    view["Matrix"]["Rows"].as_array().unwrap().iter().map(row).collect()
}

const CALL: &str = "-workflow 7 -by site -userlog job.log -jobads jobs.ads";

const NUMPY: &str = "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'numpy'\n";

#[test]
fn three_messages_over_two_sites_are_three_causes() {
    let place = place();
    let site = |proc: usize| if proc < 6 { "North" } else { "South" };
    place.file("job.log", (0..12).map(|proc| events(proc, site(proc), "")).collect::<String>());
    place.file("jobs.ads", (0..12).map(|proc| ad(&place, proc, "")).collect::<Vec<_>>().join("\n"));
    for proc in 0..12 {
        match proc {
            0..6 => write(&place, proc, NUMPY, 0),
            6..9 => write(&place, proc, &format!("fatal: cannot open /data/{proc}/in.dat\n"), 1),
            9..11 => {
                write(&place, proc, "sh: \u{1b}]0;x\u{7}\u{1b}[31mrun.sh: Permission denied\n", 0);
            }
            _ => write(&place, proc, "KeyError: 'x'\n", 0),
        }
    }
    let said = ask(&place, &format!("{CALL} -html page.html"));
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    assert!(
        page.contains("[2] exit 1: &quot;fatal: cannot open /data/6/in.dat&quot;</dt>"),
        "{page}"
    );
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
    insta::assert_snapshot!("three_messages", said.stdout);
    // What another account asks is not answered from these files, nor what is asked of the past.
    let past = causes(&place, &format!("{CALL} -now 1714600000"));
    assert_eq!(past, [("exit 1".to_owned(), vec![6, 6])]);
    let others = fs::read_to_string(place.path("jobs.ads")).unwrap().replace(&owner().0, "alice");
    place.file("jobs.ads", others);
    assert_eq!(causes(&place, CALL), past);
    let said = place.advise(&format!("{CALL} -json"));
    assert!(said.stdout.contains("\"exit 1\""), "{said:?}");
}

#[test]
fn what_another_run_or_job_wrote_is_no_cause() {
    let place = place();
    place.file("job.log", (0..10).map(|proc| events(proc, "North", "")).collect::<String>());
    let shared = "Err = \"job.err\"\nTotalSubmitProcs = 9\n";
    let ads = (0..10).map(|proc| ad(&place, proc, if matches!(proc, 6 | 7) { shared } else { "" }));
    place.file("jobs.ads", ads.collect::<Vec<_>>().join("\n"));
    let fifo = std::ffi::CString::new(place.path("run/0.err").to_str().unwrap()).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o666.into(), 0)
        .unwrap();
    // One is a directory, two were written by a later run, one may not be read.
    fs::create_dir(place.path("run/1.err")).unwrap();
    write(&place, 2, NUMPY, 3600);
    write(&place, 3, NUMPY, 3600);
    write(&place, 4, NUMPY, 0);
    fs::set_permissions(place.path("run/4.err"), Permissions::from_mode(0o000)).unwrap();
    write(&place, 5, NUMPY, 0);
    fs::rename(place.path("run/5.err"), place.path("run/job.err")).unwrap();
    [8, 9].iter().for_each(|&proc| write(&place, proc, NUMPY, 0));
    let said = "exit 1: \"ModuleNotFoundError: No module named 'numpy'\"";
    let expected = [("exit 1".to_owned(), vec![8]), (said.to_owned(), vec![2])];
    assert_eq!(causes(&place, CALL), expected);
}

#[test]
fn a_submit_file_of_a_dag_names_the_output() {
    let place = place();
    let dag: String = (0..3).map(|n| format!("JOB N{n} job.sub DIR run\n")).collect();
    place.file("work.dag", dag);
    place.file("run/job.sub", "log = job.log\nerror = $(Process).err\nqueue\n");
    let log: String =
        (0..3).map(|n| events(n, "North", &format!("\n    DAG Node: N{n}"))).collect();
    place.file("run/job.log", &log);
    place.file("work.dag.nodes.log", &log);
    (0..3).for_each(|proc| write(&place, proc, NUMPY, 0));
    // Several nodes may write a file whose name has no cluster.
    assert_eq!(causes(&place, "-dag work.dag"), [("exit 1".to_owned(), vec![3])]);
    place.file("run/job.sub", "log = job.log\nerror = ../run$(Cluster)/$(Process).err\nqueue\n");
    fs::rename(place.path("run"), place.path("run7")).unwrap();
    fs::create_dir(place.path("run")).unwrap();
    for name in ["job.sub", "job.log"] {
        fs::copy(place.path("run7").join(name), place.path("run").join(name)).unwrap();
    }
    let expected = "exit 1: \"ModuleNotFoundError: No module named 'numpy'\"".to_owned();
    assert_eq!(causes(&place, "-dag work.dag"), [(expected, vec![3])]);
}

#[test]
fn of_a_node_that_was_tried_again_the_last_try_counts() {
    let place = place();
    place.file("work.dag", "JOB A 0.sub DIR run\nJOB B 1.sub DIR run\n");
    let mut log = String::new();
    for (proc, node) in [(0, "A"), (1, "B")] {
        place.file(&format!("run/{proc}.sub"), format!("log = job.log\nerror = {proc}.err\n"));
        let again = events(0, "North", &format!("\n    DAG Node: {node}"));
        log += &again.replace("(007.", &format!("(2{proc}.")).replace("05-01 10:", "05-01 08:");
        log += &again.replace("(007.", &format!("(3{proc}."));
        write(&place, proc, NUMPY, 0);
    }
    place.file("run/job.log", &log);
    place.file("work.dag.nodes.log", &log);
    let said = "exit 1: \"ModuleNotFoundError: No module named 'numpy'\"";
    let expected = [("exit 1".to_owned(), vec![2]), (said.to_owned(), vec![2])];
    assert_eq!(causes(&place, "-dag work.dag"), expected);
}

#[test]
fn at_most_a_thousand_files_are_read() {
    let place = place();
    let jobs = 1_003;
    place.file("job.log", (0..jobs).map(|proc| events(proc, "North", "")).collect::<String>());
    let ads: Vec<String> = (0..jobs).map(|proc| ad(&place, proc, "")).collect();
    place.file("jobs.ads", ads.join("\n"));
    (0..jobs).for_each(|proc| write(&place, proc, NUMPY, 0));
    let said = ask(&place, CALL);
    let line = "The error output of 3 more failed jobs was not read: at most 1000 files are";
    assert!(said.stdout.contains(line), "{said:?}");
}
