//! `-apply`, with scripts in the place of HTCondor's tools.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;

use crate::harness::{Place, Said, ad};

const AWAY: &str = "Transfer input files failure at execution point slot1@e1 using protocol http. Details: Failed to \
                    connect to data.example port 80: Connection refused ( URL file = http://data.example/x )|";

const JOBS: i32 = 20;

/// A queue of 20 jobs that went on hold a while ago, since their file server was away.
pub(crate) struct Queue {
    pub(crate) place: Place,
    held_at: i64,
}

impl Queue {
    pub(crate) fn new(minutes: i64) -> Self {
        let place = Place::new();
        let held_at = Timestamp::now().as_second() - 60 * minutes;
        let at = |second: i64| {
            let time = Timestamp::from_second(second).expect("a time");
            time.strftime("%Y-%m-%d %H:%M:%S").to_string()
        };
        let (mut log, mut ads) = (String::new(), String::new());
        for proc in 0..JOBS {
            log += &format!(
                "000 (009.{proc:03}.000) {} Job submitted from host: <10.0.0.1:9618>\n...\n\
                 012 (009.{proc:03}.000) {} Job was held.\n\t{AWAY}\n\tCode 13 Subcode 256\n...\n",
                at(held_at - 60),
                at(held_at)
            );
            ads += &ad(
                9,
                proc,
                &format!(
                    "HoldReason = \"{AWAY}\"\nHoldReasonSubCode = 256\nEnteredCurrentStatus = {held_at}\n\
                     TransferInput = \"http://data.example/x\"\n"
                ),
            );
            ads += "\n";
        }
        place.file("EventLog", log);
        place.file("queue.ads", ads);
        place.file("now.ads", "");
        place.file("clusters.ads", "ClusterId = 9\nRequestMemory = 128\n");
        place.file("calls", "");
        let [calls, all, now, log, clusters] =
            ["calls", "queue.ads", "now.ads", "EventLog", "clusters.ads"]
                .map(|name| place.path(name).display().to_string());
        let say = "while IFS= read -r l; do printf '%s\\n' \"$l\"; done <";
        // Jobs that were acted on are asked for by their ids.
        place.tool(
            "condor_q",
            &format!(
                "case \"$*\" in *-af*) echo '13 256' ;; *-factory*) {say} {clusters} ;; *' 9.'*) {say} {now} ;; *) {say} {all} ;; esac"
            ),
        );
        place.tool("condor_history", "exit 0");
        place.file(".condor/holdadvise/config", format!("HOLDADVISE_EVENT_LOG = {log}\n"));
        let queue = Self { place, held_at };
        for tool in ["condor_release", "condor_rm", "condor_qedit"] {
            queue.place.tool(tool, &format!("echo {tool} \"$@\" >> {calls}; exit 1"));
        }
        queue
    }

    /// The schedd answers a release so for every job that the constraint names.
    pub(crate) fn answers(&self, answer: i32) {
        let calls = self.place.path("calls").display().to_string();
        let script = format!(
            "echo condor_release \"$@\" >> {calls}\necho ActionResult = 1\n\
             for p in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do\n\
             case \"$*\" in *\"ProcId == $p &&\"*) echo job_9_$p = {answer} ;; esac; done"
        );
        self.place.tool("condor_release", &script);
    }

    pub(crate) fn apply(&self, words: &str) -> Said {
        self.place.advise(&format!("-allusers -apply {words}"))
    }

    /// What was called.
    pub(crate) fn calls(&self) -> String {
        fs::read_to_string(self.place.path("calls")).expect("calls")
    }

    fn journal(&self) -> Vec<Value> {
        let folder = self.place.path(".local/state/condor-holdadvise/journal");
        let files =
            fs::read_dir(folder).expect("a journal").map(|file| file.expect("a file").path());
        let files = files.filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"));
        let text: String = files.map(|path| fs::read_to_string(path).expect("text")).collect();
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn kinds(entries: &[Value]) -> Vec<(&str, &str)> {
    entries
        .iter()
        .map(|entry| {
            let of = |name: &str| entry[name].as_str().unwrap_or_default();
            (of("Kind"), if of("Kind") == "Outcome" { of("Result") } else { of("Step") })
        })
        .collect()
}

#[test]
fn one_job_is_tried_and_the_others_wait_for_it() {
    let queue = Queue::new(15);
    queue.answers(1);
    let said = queue.apply("try -yes");
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stdout.contains("20 held jobs judged (20 try), 1 to act on now."), "{said:?}");
    assert!(said.stdout.contains("1 job was released."), "{said:?}");
    let calls = queue.calls();
    assert_eq!(calls.lines().count(), 1, "{calls}");
    for part in [
        "JobStatus == 5",
        "NumHolds == 1",
        "User == \"alice@example.org\"",
        "-reason condor_holdadvise: try from hold 1, success ",
    ] {
        assert!(calls.contains(part), "{part} is not in {calls}");
    }
    let journal = queue.journal();
    let expected = [("Eligible", ""), ("Advice", ""), ("Act", "Intended"), ("Act", "Done")];
    assert_eq!(kinds(&journal), expected);
    let outcomes = queue.place.advise("-outcomes -json");
    assert!(outcomes.stdout.contains("\"Released\": 1"), "{outcomes:?}");
    assert_eq!(journal[0]["Jobs"], serde_json::json!(["9.0-19"]));
    assert_eq!(journal[1]["Cause"], "server data.example");
    assert_eq!(journal[1]["Counts"], "Begins");
    assert!((journal[1]["Chance"].as_f64().expect("a chance") - 0.05).abs() < 1e-9);

    // It is idle: nothing more is released, and nothing is known of its end.
    let job = journal[1]["Job"].as_str().expect("a job").to_owned();
    let proc = job.split_once('.').expect("an id").1.to_owned();
    let now = Timestamp::now().as_second();
    queue
        .place
        .file("now.ads", format!("ClusterId = 9\nProcId = {proc}\nJobStatus = 1\nNumHolds = 1\n"));
    let said = queue.apply("try -yes");
    assert!(said.stdout.contains("0 to act on now"), "{said:?}");
    assert!(said.stdout.contains("at most 1 may be on their way at a time"), "{said:?}");
    assert_eq!(queue.journal().len(), 4);

    // Its input has arrived: that is noted once.
    let running = format!(
        "ClusterId = 9\nProcId = {proc}\nJobStatus = 2\nNumHolds = 1\nJobCurrentStartDate = {now}\n\
         JobCurrentStartExecutingDate = {}\n",
        now + 3
    );
    queue.place.file("now.ads", running);
    for _ in 0..2 {
        assert_eq!(queue.apply("release -yes").status, 0);
    }
    let journal = queue.journal();
    assert_eq!(kinds(&journal)[4..], [("Outcome", "Through")]);
    assert_eq!(journal[4]["Took"], 3);
}

#[test]
fn who_may_only_release_is_pointed_to_a_try() {
    let queue = Queue::new(15);
    queue.answers(1);
    let said = queue.apply("release -yes");
    assert_eq!((said.status, queue.calls().as_str()), (0, ""), "{said:?}");
    assert!(
        said.stdout.contains("20 jobs are left: one of a cause is to be tried first; -apply try")
    );
}

#[test]
fn a_job_that_left_its_hold_is_said_to_have() {
    let queue = Queue::new(15);
    queue.answers(3);
    let said = queue.apply("try -yes");
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.stdout.contains("was not: it is not in that hold any more"), "{said:?}");
    assert_eq!(kinds(&queue.journal())[3], ("Act", "Refused"));
    // What was not done opens no ramp.
    let said = queue.apply("try -dry-run");
    assert!(said.stdout.contains("1 to act on now"), "{said:?}");
}

#[test]
fn nothing_is_done_without_a_yes() {
    let queue = Queue::new(15);
    let said = queue.apply("try -dry-run");
    assert_eq!((said.status, queue.calls().as_str()), (0, ""));
    assert!(!queue.place.path(".local").exists());
    let said = queue.apply("try");
    assert_eq!((said.status, queue.calls().as_str()), (1, ""));
    assert!(said.stderr.contains("add -yes to act without being asked, or -dry-run"), "{said:?}");
}

/// Jobs that ran out of memory, of a node of a DAG.
fn out_of_memory(queue: &Queue, jobs: i32) {
    let of = |proc| {
        let more = format!(
            "HoldReason = \"Error from slot1@e1: memory usage exceeded request_memory\"\n\
             HoldReasonCode = 34\nHoldReasonSubCode = 102\nEnteredCurrentStatus = {}\n\
             MemoryUsage = 2000\nDAGManJobId = 77\nDAGNodeName = \"A\"\n",
            queue.held_at
        );
        ad(9, proc, &more) + "\n"
    };
    queue.place.file("queue.ads", (0..jobs).map(of).collect::<String>());
}

#[test]
fn a_hold_script_acts_once_in_a_hold() {
    let queue = Queue::new(15);
    out_of_memory(&queue, 1);
    let begin = "change -yes -dagnode A 77";
    // DAGMan waits for nothing: another process acts.
    let said = queue.apply(begin);
    assert_eq!((said.status, said.stdout.as_str(), said.stderr.as_str()), (0, "", ""));
    let until = |what: &dyn Fn() -> bool| {
        let end = Instant::now() + Duration::from_secs(60);
        while !what() {
            assert!(Instant::now() < end, "nothing was done");
            sleep(Duration::from_millis(50));
        }
    };
    until(&|| queue.calls().contains("condor_qedit"));
    let stays = || queue.place.advise(&format!("-stay-with-node -allusers -apply {begin}"));
    until(&|| !stays().stdout.contains("Another process looks after this node"));
    let calls = queue.calls();
    for _ in 0..5 {
        let said = stays();
        assert!(said.stdout.contains("acted on in this hold before"), "{said:?}");
    }
    assert_eq!(queue.calls(), calls);
    assert_eq!(queue.journal()[1]["By"], "DagScript");
    // Nothing is held any more.
    queue.place.file("queue.ads", "");
    let said = stays();
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
}

#[test]
fn a_hold_of_a_node_during_the_last_look_of_a_process_is_seen_by_the_next() {
    let queue = Queue::new(15);
    out_of_memory(&queue, 1);
    let begin = "change -yes -dagnode A 77";
    let (going, go) = (queue.place.path("going"), queue.place.path("go"));
    let wait =
        format!(": >{}; until [ -e {} ]; do /bin/sleep 0.05; done", going.display(), go.display());
    queue.place.tool("condor_qedit", &wait);
    assert_eq!(queue.apply(begin).status, 0);
    let until = |what: &dyn Fn() -> bool| {
        while !what() {
            std::thread::yield_now();
        }
    };
    until(&|| going.exists());
    let journal = queue.place.path(".local/state/condor-holdadvise/journal");
    // Whoever waits for a lock has a line with an arrow.
    let waits = || {
        let locks = fs::read_to_string("/proc/locks").expect("locks");
        let files = fs::read_dir(&journal).expect("a journal").flatten();
        let mut inodes = files.map(|file| format!(":{} ", file.metadata().expect("a file").ino()));
        inodes.any(|inode| locks.lines().any(|line| line.contains("->") && line.contains(&inode)))
    };
    std::thread::scope(|scope| {
        let second = scope
            .spawn(|| queue.place.advise(&format!("-stay-with-node -allusers -apply {begin}")));
        until(&|| second.is_finished() || waits());
        fs::write(&go, "").expect("a file");
        let said = second.join().expect("it ends");
        assert!(!said.stdout.contains("Another process looks after this node"), "{said:?}");
        assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
    });
}

#[test]
fn an_edit_whose_release_failed_is_taken_back() {
    let queue = Queue::new(15);
    out_of_memory(&queue, 1);
    let calls = queue.place.path("calls").display().to_string();
    queue.place.tool("condor_qedit", &format!("echo condor_qedit \"$@\" >> {calls}"));
    let said = queue.apply("change -yes");
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.stdout.contains("its edit was taken back"), "{said:?}");
    let calls = queue.calls();
    let calls: Vec<&str> = calls.lines().collect();
    assert_eq!(calls.len(), 3, "{calls:?}");
    let (_, edit) = calls[0].rsplit_once(' ').expect("an edit");
    let raised = edit.strip_prefix("RequestMemory=").expect("memory");
    assert!(raised.parse::<i64>().expect("a number") > 2_000, "{raised}");
    // The value is asked for beside the hold.
    for part in ["NumHolds == 1", &format!("RequestMemory =?= {raised}")] {
        assert!(calls[2].contains(part), "{part} is not in {}", calls[2]);
    }
    assert!(calls[2].ends_with(" RequestMemory=1024"), "{}", calls[2]);
    let journal = queue.journal();
    assert_eq!(kinds(&journal)[3], ("Act", "TakenBack"));
    let edit = &journal[2]["Edits"][0];
    // Its cluster's ad has another one.
    assert_eq!((&edit["Old"], &edit["StoodIn"]), (&"1024".into(), &"Job".into()));
}

#[test]
fn the_old_expression_may_be_the_clusters() {
    let queue = Queue::new(15);
    out_of_memory(&queue, 1);
    queue.place.file("clusters.ads", "ClusterId = 9\nRequestMemory = 1024\n");
    assert_eq!(queue.apply("change -yes").status, 1);
    assert_eq!(queue.journal()[2]["Edits"][0]["StoodIn"], "Cluster");
    // Where nobody says, the journal does not.
    let queue = Queue::new(15);
    out_of_memory(&queue, 1);
    queue.place.file("clusters.ads", "");
    assert_eq!(queue.apply("change -yes").status, 1);
    assert_eq!(queue.journal()[2]["Edits"][0].get("StoodIn"), None);
}

#[test]
fn jobs_of_others_are_left() {
    let queue = Queue::new(15);
    let said = queue.place.advise("-apply try -dry-run");
    assert!(said.stdout.contains("0 to act on now."), "{said:?}");
    assert!(said.stdout.contains("of another user: -allusers acts on these."), "{said:?}");
}

#[test]
fn a_journal_that_others_may_write_stops_everything() {
    use std::os::unix::fs::PermissionsExt;
    let queue = Queue::new(15);
    queue.answers(1);
    let folder = queue.place.path(".local/state/condor-holdadvise/journal");
    fs::create_dir_all(&folder).expect("a folder");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("permissions");
    let said = queue.apply("try -yes");
    assert_eq!((said.status, queue.calls().as_str()), (1, ""));
    assert!(said.stderr.contains("others may write it (mode 777)"), "{said:?}");
}

#[test]
fn words_that_do_not_go_together_are_refused() {
    let place = Place::new();
    place.advise("-max 3").is_error(&["-max needs -apply"]);
    place.advise("-apply try -dagnode A x").is_error(&["-dagnode", "is not the ClusterId"]);
    place.advise("-apply sometimes").is_error(&["is not one of release, try, change, remove"]);
    place.file("x.ads", "");
    place
        .advise("-apply try -jobads x.ads")
        .is_error(&["-apply excludes -jobads: it acts on the queue as it is now"]);
    place.advise("-apply try -json").is_error(&["-apply excludes -json: it prints what it does"]);
    place.advise("-outcomes -limit 3").is_error(&["-outcomes excludes -limit: it is about all"]);
    place.advise("-outcomes 9.0").is_error(&["-outcomes excludes 9.0: it is about all acts"]);
    place.file("log", "");
    place.advise("-apply try -userlog log").is_error(&["-apply needs the queue"]);
}
