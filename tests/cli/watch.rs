//! `-watch`, with scripts in the place of HTCondor's tools.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::harness::{Place, ad, terminal};
use crate::schemas;

/// However slow the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// A queue: held jobs, those that are asked for by id, those of the history, and whether there is any.
struct Queue {
    place: Place,
}

impl Queue {
    fn new(held: &[String]) -> Self {
        let queue = Self { place: Place::new() };
        queue.holds(held);
        queue.is("now.ads", "");
        queue.is("gone.ads", "");
        queue.is("present", "7\n");
        let [held, now, gone, present, away, calls] =
            ["held.ads", "now.ads", "gone.ads", "present", "away", "calls"]
                .map(|name| queue.place.path(name).display().to_string());
        let say = "while IFS= read -r l; do printf '%s\\n' \"$l\"; done <";
        queue.place.tool(
            "condor_q",
            &format!(
                "echo \"$@\" >> {calls}\n\
                 if [ -e {away} ]; then echo 'Error: the schedd is away' >&2; exit 1; fi\n\
                 case \"$*\" in *HoldReasonSubCode) echo '13 2' ;; *-af*) {say} {present} ;; \
                 *' 7.'*) {say} {now} ;; *) {say} {held} ;; esac"
            ),
        );
        queue.place.tool(
            "condor_history",
            &format!("case \"$*\" in *-epochs*) ;; *) {say} {gone} ;; esac"),
        );
        queue
    }

    fn holds(&self, held: &[String]) {
        self.is("held.ads", &held.join("\n"));
    }

    /// A file changes as a whole.
    fn is(&self, name: &str, text: &str) {
        let new = self.place.file(&format!("{name}.new"), text);
        fs::rename(new, self.place.path(name)).expect("a file");
    }

    fn watch(&self, words: &str) -> Watching {
        // Whoever runs the tests in the background ignores interrupts, and so would the program.
        let mut command: Command = self.place.command("/usr/bin/env");
        command.arg("--default-signal=INT").arg(env!("CARGO_BIN_EXE_condor_holdadvise"));
        command.args(words.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Watching::new(command.spawn().expect("the program runs"))
    }
}

struct Watching {
    child: Child,
    lines: Receiver<String>,
    stderr: Option<BufReader<ChildStderr>>,
}

impl Watching {
    fn new(mut child: Child) -> Self {
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let stderr = child.stderr.take().map(BufReader::new);
        thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, lines, stderr }
    }

    /// The next line with this text in it; those before it are let pass.
    fn line(&self, part: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|error| panic!("no {part:?}: {error}"));
            if line.contains(part) {
                return line;
            }
        }
    }

    /// The next line.
    fn json(&self) -> Value {
        let object = serde_json::from_str(&self.line("")).expect("an object");
        schemas::check("watch", &object);
        object
    }

    fn complaint(&mut self) -> String {
        let mut line = String::new();
        self.stderr.as_mut().expect("a pipe").read_line(&mut line).expect("text");
        line
    }

    /// The status, and the rest of what is said.
    fn end(mut self) -> (Option<i32>, Vec<String>, String) {
        let rest: Vec<String> = self.lines.iter().collect();
        let mut said = String::new();
        self.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        (self.child.wait().expect("it ends").code(), rest, said)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// With it there is something else to do in the same hold.
const EDITED: &str = "HoldReasonCode = 26\n";

#[test]
fn a_new_hold_reason_is_quoted_and_keeps_its_secret() {
    let queue = Queue::new(&[ad(7, 0, "")]);
    let watching = queue.watch("-watch:1 -wide 7");
    watching.line("  more ");
    let reason = "HoldReason = \"Error: cannot open https://me:Ab12cd34@data.example/x\"\n";
    queue.holds(&[ad(7, 0, ""), ad(7, 1, reason)]);
    watching.line(" On hold: Job 7.1");
    let held = watching.line("  | ");
    assert_eq!(held, "  | Error: cannot open https://***@data.example/x");
}

#[test]
fn changes_are_printed_until_no_job_is_left() {
    let queue = Queue::new(&[ad(7, 0, ""), ad(7, 1, "")]);
    let watching = queue.watch("-watch:1 -wide 7");
    watching.line("2 jobs of cluster 7");
    queue.holds(&[ad(7, 0, ""), ad(7, 1, ""), ad(7, 2, "")]);
    watching.line(" On hold: Job 7.2");
    watching.line("  | ");
    queue.holds(&[0, 1, 2].map(|proc| ad(7, proc, EDITED)));
    watching.line(" Was change: 3 jobs of cluster 7");
    assert!(watching.line("LOOK").contains("Look at the access point's SYSTEM_PERIODIC_HOLD"));
    queue.holds(&[
        ad(7, 0, &format!("{EDITED}NumHolds = 2\nEnteredCurrentStatus = 1772359300\n")),
        ad(7, 1, EDITED),
        ad(7, 2, EDITED),
    ]);
    watching.line(" On hold again: Job 7.0");
    queue.is(
        "gone.ads",
        "ClusterId = 7\nProcId = 1\nJobStatus = 4\nExitCode = 0\nExitBySignal = false\n",
    );
    queue.is("now.ads", "ClusterId = 7\nProcId = 2\nJobStatus = 2\n");
    queue.holds(&[]);
    watching.line(" 7.2 was released and is running.");
    watching.line(" 7.1 finished with status 0.");
    watching.line(" 7.0 is no longer in the queue.");
    queue.is("present", "");
    watching.line("None of the jobs is in the queue any more.");
    let (status, rest, said) = watching.end();
    assert_eq!((status, rest, said.as_str()), (Some(0), vec![], ""));
}

#[test]
fn json_has_an_object_for_each_change() {
    let queue = Queue::new(&[ad(7, 0, "")]);
    let watching = queue.watch("-watch:1 -json");
    let found = watching.json();
    assert_eq!((&found["WatchEvent"], &found["ProcId"]), (&"found".into(), &0.into()));
    assert!(found["Recommendation"].is_string() && found["PreviousRecommendation"].is_null());
    queue.holds(&[ad(7, 0, EDITED)]);
    let changed = watching.json();
    assert_eq!(
        (&changed["WatchEvent"], &changed["Recommendation"]),
        (&"advice".into(), &"look".into())
    );
    assert_eq!(changed["PreviousRecommendation"], found["Recommendation"]);
    queue.is("now.ads", "ClusterId = 7\nProcId = 0\nJobStatus = 1\n");
    queue.holds(&[]);
    let over = watching.json();
    assert_eq!((&over["WatchEvent"], &over["HoldEnd"]), (&"over".into(), &"released".into()));
    assert_eq!((&over["ClusterId"], &over["PreviousRecommendation"]), (&7.into(), &"look".into()));
    queue.is("present", "");
    assert_eq!(watching.end().0, Some(0));
}

#[test]
fn a_schedd_that_is_away_is_said_once() {
    let queue = Queue::new(&[ad(7, 0, "")]);
    let mut watching = queue.watch("-watch:1");
    watching.line("Job 7.0");
    queue.is("away", "");
    let said = watching.complaint();
    assert!(
        said.contains("Warning: condor_q failed: the schedd is away; it is asked again"),
        "{said}"
    );
    // It is asked twice more.
    let calls = || fs::read_to_string(queue.place.path("calls")).expect("calls").lines().count();
    let before = calls();
    while calls() < before + 2 {
        thread::yield_now();
    }
    queue.holds(&[ad(7, 0, EDITED)]);
    fs::remove_file(queue.place.path("away")).expect("it was there");
    assert_eq!(watching.complaint(), "Note: the queue answers again\n");
    watching.line("  LOOK ");
}

#[test]
fn an_interrupt_ends_it_well() {
    let queue = Queue::new(&[ad(7, 0, "")]);
    let watching = queue.watch("-watch 7.0");
    watching.line("Job 7.0");
    let pid = Pid::from_child(&watching.child);
    kill_process(pid, Signal::INT).expect("it runs");
    let (status, _, said) = watching.end();
    assert_eq!((status, said.as_str()), (Some(0), ""));
}

#[test]
fn a_terminal_is_told_once_what_is_waited_for() {
    let queue = Queue::new(&[ad(7, 0, "")]);
    let (mut master, name) = terminal(80);
    let mut program = queue.place.command(env!("CARGO_BIN_EXE_condor_holdadvise"));
    program.args(["-watch:1", "-wide", "7", "8.1"]).stdout(Stdio::piped());
    program.stderr(fs::File::options().write(true).open(name).expect("a terminal"));
    let mut watching = Watching::new(program.spawn().expect("the program runs"));
    drop(program);
    watching.line("Job 7.0");
    queue.holds(&[ad(7, 0, EDITED)]);
    watching.line("  LOOK ");
    queue.holds(&[]);
    queue.is("present", "");
    watching.line("None of the jobs is in the queue any more.");
    assert!(watching.child.wait().expect("it ends").success());
    let mut said = String::new();
    // Reading fails once nobody writes any more.
    let _ = master.read_to_string(&mut said);
    let note = "Note: waiting for changes of cluster 7, job 8.1; the queue is asked every 1 s, \
                Ctrl-C ends it\r\n";
    assert_eq!(said.matches("waiting for").count(), 1, "{said}");
    assert!(said.ends_with(note), "{said}");
}

#[test]
fn jobs_that_are_not_held_are_waited_for() {
    let queue = Queue::new(&[]);
    let watching = queue.watch("-watch:1 7 -json");
    let calls = || fs::read_to_string(queue.place.path("calls")).unwrap_or_default();
    while calls().lines().count() < 2 {
        thread::yield_now();
    }
    queue.holds(&[ad(7, 0, "")]);
    assert_eq!(watching.json()["WatchEvent"], "held");
    assert!(
        calls().contains("-limit 1 -constraint ((ClusterId == 7)) -af ClusterId"),
        "{}",
        calls()
    );
}

#[test]
fn nothing_in_the_queue_is_nothing_to_watch() {
    let queue = Queue::new(&[]);
    queue.is("present", "");
    queue
        .place
        .advise("-watch 7")
        .is_error(&["no held job of cluster 7", "none of the jobs named"]);
    let said = queue.place.advise("-watch");
    assert_eq!(said.status, 0, "{said:?}");
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(lines[0], "No held jobs.");
    assert!(lines[1].ends_with(" None of the jobs is in the queue any more."), "{said:?}");
}

#[test]
fn what_is_no_queue_is_not_watched() {
    let place = Place::new();
    place.advise("-watch -userlog a.log").is_error(&["-watch excludes -userlog"]);
    place.advise("-watch -apply try").is_error(&["-watch excludes -apply"]);
    place.advise("-watch:x 7").is_error(&["expected seconds, 1 to 86400"]);
}
