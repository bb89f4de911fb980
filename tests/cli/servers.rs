//! A server that refuses everybody is in trouble itself; one that nobody ever reached may have a
//! wrong name.

use serde_json::Value;

use crate::harness::{Place, ad};

/// 2026-03-01 10:00:00 UTC, when the ads of the harness say that the holds began.
const HELD_AT: i64 = 1_772_359_200;

/// A URL that failed so.
fn reason(said: &str, url: &str) -> String {
    format!(
        "Transfer input files failure at execution point slot1@e1 using protocol http. Details: {said} ( URL file = {url} )|"
    )
}

/// An event log, and the ad of alice's job 8.0.
struct Story {
    log: String,
    ad: String,
}

impl Story {
    /// Alice's job is held for this at ten o'clock.
    fn of(said: &str, url: &str) -> Self {
        let reason = reason(said, url);
        let codes = "HoldReasonCode = 13\nHoldReasonSubCode = 256\n";
        let ad = ad(
            8,
            0,
            &format!("{codes}HoldReason = \"{reason}\"\nTransferInput = \"a.dat, {url}\"\n"),
        );
        let mut story = Self { log: String::new(), ad };
        story.owner(8, "alice", url);
        story.event(8, 600, "012", &format!("Job was held.\n\t{reason}\n\tCode 13 Subcode 256"));
        story
    }

    /// An event of the first job of a cluster, so many minutes after midnight.
    fn event(&mut self, cluster: i32, minutes: i64, number: &str, text: &str) {
        let (hour, minute) = (minutes / 60, minutes % 60);
        self.log += &format!(
            "{number} ({cluster:03}.000.000) 2026-03-01 {hour:02}:{minute:02}:00 {text}\n...\n"
        );
    }

    fn owner(&mut self, cluster: i32, owner: &str, url: &str) {
        self.event(cluster, 60, "000", "Job submitted from host: <10.0.0.1:9618>");
        let ad = format!(
            "Job ad information event triggered.\nOwner = \"{owner}\"\nTransferInput = \"{url}\"\n\
             TriggerEventTypeNumber = 0\nTriggerEventTypeName = \"ULOG_SUBMIT\""
        );
        self.event(cluster, 60, "028", &ad);
    }

    fn began(&mut self, cluster: i32, owner: &str, url: &str, minutes: i64) {
        self.owner(cluster, owner, url);
        self.event(cluster, minutes, "001", "Job executing on host: <10.0.0.1:9618>");
    }

    fn held(&mut self, cluster: i32, owner: &str, said: &str, url: &str, minutes: i64) {
        self.owner(cluster, owner, url);
        let text = format!("Job was held.\n\t{}\n\tCode 13 Subcode 256", reason(said, url));
        self.event(cluster, minutes, "012", &text);
    }

    /// The advice so many seconds after the hold.
    fn after(&self, seconds: i64) -> Value {
        let said = self.print(seconds, "-json");
        let advices: Vec<Value> = serde_json::from_str(&said).expect("an array");
        advices.into_iter().next().expect("the job of alice")
    }

    fn print(&self, seconds: i64, words: &str) -> String {
        let place = Place::new();
        place.file("held.ads", &self.ad);
        place.file("EventLog", &self.log);
        let now = HELD_AT + seconds;
        let said = place
            .advise(&format!("-jobads held.ads -eventlog EventLog -allusers -now {now} {words}"));
        assert_eq!(said.status, 0, "{said:?}");
        said.stdout
    }
}

const MISSING: &str = "The requested URL returned error: 404 Not Found";
const DENIED: &str = "The requested URL returned error: 403 Forbidden";
const AWAY: &str = "Failed to connect to data.example.org port 443: Connection refused";

fn url(name: &str) -> String {
    format!("http://data.example/{name}")
}

/// A server that worked at nine and refuses this owner since ten, and these at these minutes.
fn refused(said: &str, others: &[(&str, &str, i64)]) -> Story {
    let mut story = Story::of(said, &url("a"));
    story.began(20, "erin", &url("e"), 9 * 60);
    for (number, &(owner, name, minutes)) in others.iter().enumerate() {
        story.held(30 + number as i32, owner, said, &url(name), minutes);
    }
    story
}

#[test]
fn a_server_that_refuses_everybody_is_waited_for() {
    for said in [MISSING, DENIED] {
        let story = refused(said, &[("bob", "b", 598), ("carol", "c", 603)]);
        let advice = story.after(600);
        assert_eq!(advice["Recommendation"], "wait", "{advice}");
        let page = story.print(600, "8.0").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains("data.example refused another file to each of 3 owners"), "{page}");
        for wrong in ["back on its server", "correct the URL", "credential"] {
            assert!(!page.contains(wrong), "{wrong}: {page}");
        }
    }
}

#[test]
fn a_server_that_is_back_is_released_for() {
    let mut story = refused(MISSING, &[("bob", "b", 598), ("carol", "c", 603)]);
    for cluster in 40..44 {
        story.began(cluster, "dave", &url("d"), 612);
    }
    assert_eq!(story.after(1_200)["Recommendation"], "release");
}

#[test]
fn a_file_is_missing_where_the_server_gives_others_or_too_few_are_refused() {
    let change = |story: &Story, after: i64| {
        let advice = story.after(after);
        assert_eq!(advice["Recommendation"], "change", "{advice}");
        assert_eq!(advice["Change"]["What"], "UrlMissing", "{advice}");
    };
    // One other owner, the same file, or holds of hours before.
    change(&refused(MISSING, &[("bob", "b", 598), ("bob", "c", 603)]), 600);
    change(&refused(MISSING, &[("bob", "a", 598), ("carol", "a", 603)]), 600);
    change(&refused(MISSING, &[("bob", "b", 500), ("carol", "c", 510)]), 600);
    // Somebody got through meanwhile.
    let mut story = refused(MISSING, &[("bob", "b", 598), ("carol", "c", 603)]);
    story.began(40, "dave", &url("d"), 601);
    change(&story, 600);
    // It lasts for more than a day.
    change(&refused(MISSING, &[("bob", "b", 598), ("carol", "c", 603)]), 90_000);
    // Nobody knows that it ever worked.
    let mut never = Story::of(MISSING, &url("a"));
    never.held(30, "bob", MISSING, &url("b"), 598);
    never.held(31, "carol", MISSING, &url("c"), 603);
    change(&never, 600);
}

#[test]
fn a_url_that_is_wrong_is_named_with_where_it_stands_and_no_command() {
    let story = Story::of(MISSING, &url("a"));
    let advice = story.after(600);
    let way = &advice["Change"]["ByHand"];
    assert_eq!((&way["Attribute"], &way["Element"]), (&"TransferInput".into(), &url("a").into()));
    assert_eq!(advice["Commands"], Value::Array(Vec::new()), "{advice}");
    let page = story.print(600, "8.0 -why");
    let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "To correct it: In the submit file it is the element http://data.example/a of \
                transfer_input_files. For a job in the queue, condor_qedit ID TransferInput \
                '\"...\"' replaces the whole list,";
    assert!(flat.contains(said), "{page}");
    // The text is no command.
    assert!(page.contains("\n  afterwards condor_release ") && !page.contains("\n  do "), "{page}");
}

#[test]
fn jobs_of_a_group_are_shown_where_their_own_url_stands() {
    let mut story = Story::of(MISSING, &url("a"));
    let other = story.ad.replace("ProcId = 0", "ProcId = 1").replace(&url("a"), &url("b"));
    story.ad = format!("{}\n{other}", story.ad);
    let page = story.print(600, "");
    let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "Each has its own: 8.0 has http://data.example/a, 8.1 has http://data.example/b.";
    assert!(flat.contains(said), "{page}");
    assert!(!page.contains("condor_qedit"), "{page}");
}

const UNRESOLVED: &str = "Could not resolve host: dta.example";
const REFUSED: &str = "Failed to connect to dta.example port 80: Connection refused";
const WRONG: &str = "http://dta.example/a";

const HOUR: i64 = 3_600;

/// Alice's job, and two more tries of others.
fn never(said: &str) -> Story {
    let mut story = Story::of(said, WRONG);
    story.held(30, "alice", said, "http://dta.example/b", 602);
    story.held(31, "alice", said, "http://dta.example/c", 640);
    story
}

#[test]
fn a_name_that_nobody_ever_resolved_is_looked_at() {
    let story = never(UNRESOLVED);
    let early = story.after(HOUR);
    assert_ne!(early["Look"]["Kind"], "Name", "{early}");
    let advice = story.after(2 * HOUR);
    assert_eq!(advice["Recommendation"], "look", "{advice}");
    assert_eq!(advice["Look"]["Url"], WRONG, "{advice}");
    assert_eq!(advice["Decision"]["Rule"], "NeverReached", "{advice}");
    let page = story.print(2 * HOUR, "8.0");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "No job was seen to reach the server of its URL in the 2 hours since it first \
         failed, 3 tries: its name could not be resolved.",
        "Look at the name of the server in http://dta.example/a, and its port: are they right?",
        "transfer_input_files",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
}

#[test]
fn one_try_alone_is_waited_for_a_day_longer() {
    let story = Story::of(UNRESOLVED, WRONG);
    assert_ne!(story.after(25 * HOUR)["Look"]["Kind"], "Name");
    assert_eq!(story.after(26 * HOUR)["Look"]["Kind"], "Name");
}

#[test]
fn a_server_that_only_refuses_connections_has_a_day() {
    let story = never(REFUSED);
    assert_ne!(story.after(23 * HOUR)["Look"]["Kind"], "Name");
    assert_eq!(story.after(24 * HOUR)["Look"]["Kind"], "Name");
}

#[test]
fn a_server_that_somebody_reached_once_is_only_away() {
    for said in [UNRESOLVED, REFUSED] {
        let mut story = never(said);
        story.began(40, "dave", "http://dta.example/d", 90);
        assert_ne!(story.after(30 * HOUR)["Look"]["Kind"], "Name", "{said}");
        let mut story = never(said);
        story.held(40, "dave", MISSING, "http://dta.example/d", 90);
        assert_ne!(story.after(30 * HOUR)["Look"]["Kind"], "Name", "{said}");
    }
    // A server that broke off was reached.
    let story =
        never("Operation timed out after 30000 milliseconds with 1 out of 9 bytes received");
    assert_ne!(story.after(60 * HOUR)["Look"]["Kind"], "Name");
}

#[test]
fn what_failed_with_another_file_of_its_job_charges_no_server() {
    let good = url("in.dat");
    let dead = "http://127.0.0.1:1/none";
    let mut story = Story::of(AWAY, &good);
    for cluster in 20..30 {
        story.began(cluster, "dave", &good, 615 + i64::from(cluster - 20));
    }
    let without = story.after(3_600);
    assert_eq!(without["Recommendation"], "release", "{without}");
    for cluster in 40..43 {
        let both = format!("{good}, {dead}");
        story.owner(cluster, "mallory", &both);
        let text = format!("Job was held.\n\t{}\n\tCode 13 Subcode 256", reason(AWAY, dead));
        story.event(cluster, 630, "012", &text);
    }
    let with = story.after(3_600);
    assert_eq!(with["Recommendation"], "release", "{with}");
    assert!(!with["Evidence"].to_string().contains("HeldAgain\":3"), "{with}");
}

#[test]
fn holds_of_one_other_owner_are_few_voices() {
    let good = url("in.dat");
    let mut story = Story::of(AWAY, &good);
    for cluster in 20..30 {
        let owner = format!("user{}", cluster % 5);
        story.began(cluster, &owner, &good, 615 + i64::from(cluster - 20));
    }
    let mut others = Story { log: story.log.clone(), ad: story.ad.clone() };
    for cluster in 40..80 {
        story.held(cluster, "mallory", AWAY, &good, 630);
        others.held(cluster, &format!("owner{cluster}"), AWAY, &good, 630);
    }
    let one = story.after(3_600);
    assert_eq!(one["Recommendation"], "release", "{one}");
    // Forty owners that fail are forty voices.
    let many = others.after(3_600);
    assert_ne!(many["Recommendation"], "release", "{many}");
}

#[test]
fn without_an_event_log_time_alone_releases_for_no_server() {
    for said in [AWAY, "The requested URL returned error: 503"] {
        let place = Place::new();
        let story = Story::of(said, &url("in.dat"));
        place.file("held.ads", story.ad);
        place.file("job.log", story.log);
        let after = |hours: i64, log: &str| {
            let now = HELD_AT + hours * HOUR;
            let said = place.advise(&format!("-jobads held.ads -allusers -now {now} -json {log}"));
            let advices: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
            advices[0]["Recommendation"].as_str().expect("a word").to_owned()
        };
        // A log of the job itself shows nothing of others.
        for log in ["", "-userlog job.log"] {
            let hours = [1, 4, 8, 12, 18, 24, 30, 36, 48, 72, 120, 240];
            let mut course: Vec<_> = hours.into_iter().map(|hours| after(hours, log)).collect();
            course.dedup();
            assert_eq!(course, ["wait", "look"], "{said} {log}");
        }
    }
}
