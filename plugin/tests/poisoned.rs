//! The whole advisor, with a script in the place of `condor_q` that does not answer about one
//! owner, as the schedd of an ad whose expressions have no end.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use classads::ClassAd;
use holdadvise::journal::{Entry, Journal};

/// It notes what it is asked, and whom it does not answer. With the file `dead` it answers nobody.
const CONDOR_Q: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$*" >>asked
lost() {
    echo lost >>lost
    # As condor_q does after 20 s without a byte.
    if [ -e impatient ]; then sleep 2; echo 'Failed to fetch ads' >&2; exit 1; fi
    exec sleep 600
}
if [ -e dead ]; then lost; fi
case "$*" in
*"-constraint false -af ClusterId") if [ -e dying ]; then lost; fi ;;
*"-af Owner") printf 'alice\n-x\nmallory\nzoe\n' ;;
*"Owner =?= \"alice\""* | *"Owner =!= \"mallory\""*) cat ads ;;
*"Owner =?= \"zoe\""*) ;;
# An ad begins, and has no end.
*) cat cut; lost ;;
esac
"#;

const EDIT: &str = "#!/bin/sh\necho \"$*\" >>\"$(dirname \"$0\")/edited\"\n";

const AD: &str = "ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nJobStatus = 5\nNumHolds = 1\n\
    EnteredCurrentStatus = 1790000000\nHoldReasonCode = 15\nHoldReasonSubCode = 0\n\
    HoldReason = \"submitted on hold at user's request\"\n";

/// Seconds for one query: those of the script take a few milliseconds.
const SECONDS: &str = "4";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in [("condor_q", CONDOR_Q), ("condor_qedit", EDIT)] {
            fs::write(place.path(name), text).unwrap();
            fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(place.path("ads"), AD).unwrap();
        fs::write(place.path("cut"), AD.replace("= 7", "= 8").replace("alice", "mallory")).unwrap();
        fs::create_dir(place.path("state")).unwrap();
        fs::set_permissions(place.path("state"), fs::Permissions::from_mode(0o700)).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// A pass: whether it ended well, and what it says in the ad of the schedd.
    fn pass(&self) -> (bool, ClassAd) {
        self.pass_with(&[])
    }

    /// The same with these settings.
    fn pass_with(&self, settings: &[(&str, &str)]) -> (bool, ClassAd) {
        let settings = settings.iter().map(|(name, value)| (format!("_CONDOR_{name}"), value));
        let output = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise_advisor"))
            .env("PATH", format!("{}:/usr/bin:/bin", self.0.path().display()))
            .env("HOME", self.0.path())
            .env("_CONDOR_HOLDADVISE_STATE_DIR", self.path("state"))
            .env("_CONDOR_HOLDADVISE_LOOKS_DIR", self.path("no-looks"))
            .env("_CONDOR_HOLDADVISE_QUERY_SECONDS", SECONDS)
            .envs(settings)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        let ad = said.strip_suffix("-\n").unwrap_or_else(|| panic!("{said}{errors}"));
        let ad = classads::read_ads(ad.as_bytes()).next().unwrap().unwrap();
        (output.status.success(), ad)
    }
}

#[test]
fn one_owner_costs_two_queries_and_the_others_have_advice() {
    goes_on(&Place::new());
}

#[test]
fn a_condor_q_that_gives_up_by_itself_has_lost_a_query_too() {
    let place = Place::new();
    fs::write(place.path("impatient"), "").unwrap();
    goes_on(&place);
}

fn goes_on(place: &Place) {
    // In the same pass it is asked owner by owner.
    let (is_well, ad) = place.pass();
    let problem = ad.string("Problem").unwrap();
    assert!(is_well && problem.contains("held jobs of mallory"), "{problem}");
    assert_eq!(ad.string("OwnersLeftOut").as_deref(), Some("mallory"));
    assert!(ad.integer("LastGood").is_some());
    // What was said of the other before its end does not count.
    assert_eq!(ad.integer("Jobs"), Some(1));
    let edited = place.lines("edited");
    assert!(!edited.is_empty() && edited.iter().all(|line| line.contains("ClusterId == 7")));

    let (is_well, ad) = place.pass();
    let problem = ad.string("Problem").unwrap_or_default();
    assert!(is_well && !problem.contains("mallory"), "{problem}");
    assert_eq!(ad.string("OwnersLeftOut").as_deref(), Some("mallory"));
    assert_eq!(ad.integer("Jobs"), Some(1));
    assert_eq!(place.lines("lost").len(), 2);
    // No list of attributes: the schedd would follow what they refer to.
    assert!(place.lines("asked").iter().all(|line| !line.contains("-attributes")));
}

#[test]
fn nobody_is_left_out_while_the_schedd_answers_nobody() {
    let place = Place::new();
    fs::write(place.path("dying"), "").unwrap();
    assert!(!place.pass().0);
    let (is_well, ad) = place.pass();
    assert!(!is_well && ad.string("OwnersLeftOut").is_none());
}

#[test]
fn a_schedd_that_answers_nobody_is_left_alone() {
    let place = Place::new();
    fs::write(place.path("dead"), "").unwrap();
    for _ in 0..3 {
        assert!(!place.pass().0);
    }
    let (is_well, ad) = place.pass();
    let problem = ad.string("Problem").unwrap();
    assert!(!is_well && problem.starts_with("3 queries were not answered"), "{problem}");
    assert_eq!(place.lines("asked").len(), 3);
}

/// In the place of `condor_q`: its ads let the judge fail where there are such of mallory's.
const KILLS: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$*" >>asked
case "$*" in
*"-af Owner") printf 'alice\nmallory\nmallory\nzoe\n' ;;
*"Owner =?= \"alice\""* | *"Owner =!= \"mallory\""*) cat ads ;;
*"Owner =?= \"zoe\""*) ;;
*"-af "*) ;;
*) cat cut; pkill -KILL -P "$PPID" -f -- -judge ;;
esac
"#;

#[test]
fn a_judge_that_fails_is_asked_owner_by_owner_in_the_same_pass() {
    let place = Place::new();
    fs::write(place.path("condor_q"), KILLS).unwrap();
    let (is_well, ad) = place.pass();
    let problem = ad.string("Problem").unwrap();
    assert!(is_well && problem.starts_with("the judge failed"), "{problem}");
    assert_eq!(ad.string("OwnersLeftOut").as_deref(), Some("mallory"));
    assert_eq!(ad.integer("Jobs"), Some(1));
    assert!(!place.lines("edited").is_empty());
    // One judge has the others again.
    let (is_well, ad) = place.pass();
    let problem = ad.string("Problem").unwrap_or_default();
    assert!(is_well && !problem.contains("judge"), "{problem}");
    assert_eq!((ad.integer("Jobs"), ad.integer("LastGood").is_some()), (Some(1), true));
}

/// In the place of `condor_q`: one owner has more jobs than there are places, of which none can be
/// named and which come first.
const NAMELESS: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$*" >>asked
case "$*" in
*"-af Owner") for job in $(seq 40); do echo mallory; done; echo alice ;;
*-long*)
    limit=1000
    while [ $# -gt 0 ]; do if [ "$1" = -limit ]; then limit=$2; fi; shift; done
    for job in $(seq 40); do
        if [ "$limit" -gt 0 ]; then sed "s/ProcId = 0/ProcId = $job/" cut; echo; fi
        limit=$((limit - 1))
    done
    if [ "$limit" -gt 0 ]; then cat ads; fi ;;
esac
"#;

#[test]
fn jobs_whose_hold_has_no_number_take_no_places() {
    let place = Place::new();
    fs::write(place.path("condor_q"), NAMELESS).unwrap();
    let nameless = fs::read_to_string(place.path("cut")).unwrap();
    fs::write(place.path("cut"), nameless.replace("NumHolds = 1", "NumHolds = 1.5")).unwrap();
    let (is_well, ad) = place.pass_with(&[("HOLDADVISE_PASS_JOBS", "20")]);
    assert_eq!((is_well, ad.integer("Jobs")), (true, Some(1)));
    let left_out = "held jobs left out in this pass: 40 of mallory";
    assert_eq!(ad.string("Problem").as_deref(), Some(left_out));
}

/// In the place of `condor_q`: it has no end.
const ENDLESS: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 1
case "$*" in
*"-af Owner") echo alice ;;
*-long*) cat ads; while echo; do sleep 0.1; done ;;
esac
"#;

#[test]
fn what_was_judged_is_written_although_reading_took_its_time() {
    let place = Place::new();
    fs::write(place.path("condor_q"), ENDLESS).unwrap();
    fs::write(place.path("ads"), format!("{AD}\n{}", AD.replace("ProcId = 0", "ProcId = 1")))
        .unwrap();
    let (is_well, ad) = place.pass_with(&[("HOLDADVISE_PASS_SECONDS", "30")]);
    assert!(is_well && ad.integer("JobsWritten").unwrap() >= 1, "{ad:?}");
    assert!(ad.integer("PassSeconds").or(ad.real("PassSeconds").map(|s| s as i64)).unwrap() < 30);
}

/// In the place of `condor_q`: it answers.
const ANSWERS: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 1
case "$*" in
*"-af Owner") echo alice ;;
*-long*) cat ads ;;
esac
"#;

#[test]
fn an_owner_who_fills_what_models_said_leaves_the_others_their_share() {
    let place = Place::new();
    fs::write(place.path("condor_q"), ANSWERS).unwrap();
    // Of a job that was submitted on hold no model is asked.
    fs::write(place.path("ads"), AD.replace("Code = 15", "Code = 13")).unwrap();
    fs::create_dir(place.path("home")).unwrap();
    let now = jiff::Timestamp::now();
    let folder = place.path("state/asked");
    let path = folder.join(now.strftime("journal-%Y-%m.jsonl").to_string());
    let line = |number: u64| {
        format!(
            "{{\"Version\":1,\"Time\":{},\"Kind\":\"Asked\",\"Job\":\"9.{number}\",\"NumHolds\":1,\
             \"EnteredCurrentStatus\":1,\"Owner\":\"mallory\",\"InUse\":{{\"Model\":\"1d4acfd39bc1ae8e\",\
             \"Logit\":-0.573,\"Probability\":0.357907}}}}\n",
            now.as_second()
        )
    };
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= 32 << 20 {
            break;
        }
        text += &line(number);
    }
    for (path, mode) in [(&folder, 0o700), (&path, 0o600)] {
        if mode == 0o700 { fs::create_dir(path) } else { fs::write(path, &text) }.unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let (home, log) = (place.path("home"), place.path("EventLog"));
    fs::write(&log, "").unwrap();
    let settings = [
        ("HOLDADVISE_LEARN", "True"),
        ("HOLDADVISE_HOME_DIR", home.to_str().unwrap()),
        ("EVENT_LOG", log.to_str().unwrap()),
    ];
    let (is_well, ad) = place.pass_with(&settings);
    let problem = ad.string("Problem").unwrap();
    let month = path.display();
    assert!(is_well, "{ad:?}");
    assert_eq!(problem, format!("{month} is full, of which is left out: 2 of mallory"));
    let kept = fs::read_to_string(&path).unwrap();
    assert!(kept.len() <= 32 << 20, "{}", kept.len());
    assert_eq!(kept.matches("\"Owner\":\"alice\"").count(), 1);
    assert_eq!(kept.lines().count(), text.lines().count() - 1);
}

#[test]
fn outcomes_that_the_history_does_not_tell_are_said() {
    let place = Place::new();
    fs::write(place.path("condor_q"), ANSWERS).unwrap();
    let log = place.path("EventLog");
    fs::write(&log, "").unwrap();
    let at = jiff::Timestamp::now().as_second() - 3_600;
    let entry = |text: &str| -> Entry {
        let hold = r#""Job":"9.0","NumHolds":1,"EnteredCurrentStatus":1790000000"#;
        let text = format!("{{\"Version\":1,\"Time\":{at},\"Id\":\"a\",{hold},{text}}}");
        serde_json::from_str(&text).unwrap()
    };
    let advice = entry(
        r#""Kind":"Advice","Cause":"c","Advice":"release","Chance":1.0,"Counts":"Finishes","By":"Advisor""#,
    );
    let act = entry(r#""Kind":"Act","Did":"Release","Step":"Done""#);
    let journal = Journal::open(&place.path("state/journal")).unwrap();
    journal.lock().unwrap().add(&[advice, act]).unwrap();
    let problem = |history: &str| {
        fs::write(place.path("condor_history"), history).unwrap();
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(place.path("condor_history"), executable).unwrap();
        let (is_well, ad) = place.pass_with(&[("EVENT_LOG", log.to_str().unwrap())]);
        assert!(is_well && ad.integer("Jobs") == Some(1), "{ad:?}");
        ad.string("Problem").unwrap_or_default()
    };
    let lost =
        "released jobs whose outcome is not known: 1; neither the queue nor the 50000 newest";
    assert!(problem("#!/bin/sh\n").starts_with(lost));
    let failed = problem("#!/bin/sh\necho no such file >&2\nexit 1\n");
    assert!(failed.starts_with("condor_history, for outcomes of releases: "), "{failed}");
    let ended = AD.replace("= 7", "= 9").replace("JobStatus = 5", "JobStatus = 4\nExitCode = 0");
    assert_eq!(problem(&format!("#!/bin/sh\ncat <<'END'\n{ended}\nEND\n")), "");
}
