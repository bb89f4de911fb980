//! The checks on an access point without HTCondor.

use std::os::unix::fs::PermissionsExt;

use super::*;

const NOW: i64 = 1_790_000_000;

/// A new access point: the packaged files are read, and the first pass was made.
fn fresh(place: &Path) -> Seen {
    let (settings, _) = Settings::of(&Config::looking_with(None)).unwrap();
    let path = |name: &str| place.join(name);
    let program = path("advisor");
    fs::write(&program, "").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(path("state/journal")).unwrap();
    fs::set_permissions(path("state"), fs::Permissions::from_mode(0o700)).unwrap();
    let packaged = concat!(env!("CARGO_MANIFEST_DIR"), "/config.d/40-holdadvise");
    let mut knobs = dumped(&lists_of(&fs::read_to_string(packaged).unwrap()));
    let set = |value: &Path| (value.display().to_string(), "41, line 1".to_owned());
    knobs.insert(EXECUTABLE.to_owned(), set(&program));
    knobs.insert("EVENT_LOG".to_owned(), set(&path("EventLog")));
    let owner = fs::metadata(path("state")).unwrap();
    let started = Some(NOW - 100);
    Seen {
        now: NOW,
        settings: Settings {
            state: path("state"),
            log: Some(path("HoldAdviceLog")),
            looks: path("looks"),
            home: None,
            interval: 180,
            releases: false,
            learn: true,
            retrain: None,
            ..settings
        },
        faults: Vec::new(),
        knobs: Ok(knobs),
        ad: Ok(Schedd { started, pass: Some(NOW - 90), jobs: Some(0), ..Schedd::default() }),
        units: [Some("inactive".to_owned()), None],
        account: Some((owner.uid(), owner.gid())),
    }
}

/// The lists of a configuration file as `condor_config_val` says them.
fn lists_of(text: &str) -> String {
    let text = text.replace("\\\n", "");
    let mut lists: BTreeMap<&str, String> = BTreeMap::new();
    for line in text.lines() {
        let Some((name, value)) = line.split_once(" = ") else { continue };
        if let Some(added) = value.strip_prefix(&format!("$({name})")) {
            lists.entry(name).or_default().push_str(added);
        }
    }
    let say =
        |(name, value)| format!("{name} = {value}\n # at: /etc/40, line 7\n # raw: {name} = x\n");
    lists.into_iter().map(say).collect()
}

/// What is wrong.
fn wrong(seen: &Seen) -> Vec<String> {
    let (text, is_fine) = printed(seen);
    let wrong: Vec<String> =
        text.lines().filter_map(|line| line.strip_prefix("PROBLEM  ")).map(str::to_owned).collect();
    assert_eq!(wrong.is_empty(), is_fine, "{text}");
    assert!(text.lines().all(|line| line.chars().count() < LONGEST + 40), "{text}");
    wrong
}

fn is_wrong(seen: &Seen, says: &str) {
    let wrong = wrong(seen);
    assert!(wrong.len() == 1 && wrong[0].contains(says), "{says}: {wrong:?}");
}

#[test]
fn a_fresh_access_point_has_no_problem() {
    let place = tempfile::tempdir().unwrap();
    let mut seen = fresh(place.path());
    assert_eq!(wrong(&seen), Vec::<String>::new());
    let ad = seen.ad.clone().unwrap();
    // No event was written yet.
    let problem = format!("{}: No such file", place.path().join("EventLog").display());
    seen.ad = Ok(Schedd { problem: Some(problem.clone()), ..ad.clone() });
    assert_eq!(wrong(&seen), Vec::<String>::new());
    // The first day was before the first job.
    fs::write(place.path().join("EventLog"), "").unwrap();
    seen.ad = Ok(Schedd { learning: Some(problem), jobs: Some(3), ..ad.clone() });
    assert_eq!(wrong(&seen), Vec::<String>::new());
    // Before the first pass.
    seen.ad = Ok(Schedd { pass: None, jobs: None, ..ad });
    assert_eq!(wrong(&seen), Vec::<String>::new());
    assert!(printed(&seen).0.contains("no pass yet, as the schedd began 100 s ago"));
}

#[test]
fn a_setting_that_nothing_reads_is_named_with_its_file() {
    let place = tempfile::tempdir().unwrap();
    let mut seen = fresh(place.path());
    let knobs = seen.knobs.as_mut().unwrap();
    let set = |at: &str| ("1".to_owned(), at.to_owned());
    for name in ["HOLDADVISE_MODEL", "HOLDADVISE_METRICS", "MAX_HOLDADVISE_LOG", "HOLDADVISE_HOME"]
    {
        knobs.insert(name.to_owned(), set("/etc/50, line 1"));
    }
    knobs.insert("HOLDADVISE_RELEASE".to_owned(), set("/etc/50, line 3"));
    is_wrong(&seen, "HOLDADVISE_RELEASE, set in /etc/50, line 3, is no setting");
}

#[test]
fn a_list_that_was_overwritten_is_named_with_its_file() {
    let place = tempfile::tempdir().unwrap();
    for (name, entries) in LISTS.iter().filter(|(name, _)| *name != "SCHEDD_CRON_JOBLIST") {
        let mut seen = fresh(place.path());
        let knobs = seen.knobs.as_mut().unwrap();
        let other = ("Other".to_owned(), "/etc/50, line 3".to_owned());
        knobs.insert((*name).to_owned(), other);
        is_wrong(
            &seen,
            &format!("{name} lacks {}; it is set last in /etc/50, line 3", entries.join(", ")),
        );
    }
    let mut seen = fresh(place.path());
    let knobs = seen.knobs.as_mut().unwrap();
    knobs.insert("HOLDADVISE_COLLECT_DIR".to_owned(), ("/var/x".to_owned(), String::new()));
    is_wrong(&seen, "SCHEDD_CRON_JOBLIST lacks HOLDADVISE_LOGS; it is set last in /etc/40, line 7");
    let knobs = seen.knobs.as_mut().unwrap();
    knobs.insert("HOLDADVISE_COLLECT_DIR".to_owned(), ("None".to_owned(), String::new()));
    assert_eq!(wrong(&seen), Vec::<String>::new());
}

#[test]
fn what_condor_config_val_says_is_read() {
    let text = "# Configuration from machine: ap\n\n# Parameters with names that match ^(A = B)$:\n\
        A = 1\n # at: /etc/a, line 2\n # raw: $(A) = 2\n # default: \n\
        SCHEDD.B = 3\n # at: /b, line 1\nB = 4\n # at: <Default>\nC = \n";
    let all = dumped(text);
    let get = |name: &str| all.get(name).map(|(value, at)| (value.as_str(), at.as_str()));
    assert_eq!(get("A"), Some(("1", "/etc/a, line 2")));
    assert_eq!(get("B"), Some(("3", "/b, line 1")));
    assert_eq!((get("C"), all.len()), (Some(("", "")), 3));
}

#[test]
fn passes_that_are_late_or_rare_or_long_are_problems() {
    let place = tempfile::tempdir().unwrap();
    let mut seen = fresh(place.path());
    let ad = Schedd { started: Some(NOW - 90_000), ..seen.ad.clone().unwrap() };
    for (ad, says) in [
        (Schedd { pass: None, ..ad.clone() }, "no pass ended since the schedd began"),
        (Schedd { pass: Some(NOW - 5_000), ..ad.clone() }, "the last pass began 83 min ago"),
        (Schedd { period: Some(600), ..ad.clone() }, "every 600 s, 180 s are set"),
        (Schedd { seconds: Some(200.0), period: Some(360), ..ad.clone() }, "took 200.0 s"),
        (Schedd { problem: Some("journal: x".to_owned()), ..ad.clone() }, "journal: x"),
        (Schedd { learning: Some("y".to_owned()), ..ad.clone() }, "learning       y"),
    ] {
        seen.ad = Ok(ad);
        is_wrong(&seen, says);
    }
    // A rare pass is no late one.
    let problem = Period { configured: 180, observed: Some(3_600) }.fault(5.0);
    assert!(problem.is_some());
    let rare = Schedd { pass: Some(NOW - 5_000), period: Some(3_600), problem, ..ad };
    seen.ad = Ok(rare);
    is_wrong(&seen, "every 3600 s");
    seen.ad = Err("condor_status failed".to_owned());
    is_wrong(&seen, "condor_status failed");
}

#[test]
fn what_is_on_needs_what_it_needs() {
    let place = tempfile::tempdir().unwrap();
    let set = |seen: &mut Seen, name: &str, value: &str| {
        let pair = (value.to_owned(), String::new());
        seen.knobs.as_mut().unwrap().insert(name.to_owned(), pair);
    };
    let mut seen = fresh(place.path());
    set(&mut seen, "HOLDADVISE_MAIL", "True");
    set(&mut seen, "MAIL", "/nowhere/mail");
    is_wrong(&seen, "MAIL: /nowhere/mail: No such file");
    set(&mut seen, "MAIL", "");
    is_wrong(&seen, "MAIL is not set");
    seen = fresh(place.path());
    seen.units[0] = Some("failed".to_owned());
    is_wrong(&seen, "the service failed");
    seen = fresh(place.path());
    seen.settings.retrain = Some(place.path().join("advisor"));
    seen.units[1] = Some("inactive".to_owned());
    is_wrong(&seen, "its timer is off");
    seen = fresh(place.path());
    set(&mut seen, EXECUTABLE, "/nowhere/advisor");
    is_wrong(&seen, "/nowhere/advisor: No such file");
    seen.knobs.as_mut().unwrap().remove(EXECUTABLE);
    is_wrong(&seen, "does not read 40-holdadvise");
    seen = fresh(place.path());
    assert!(printed(&seen).0.contains("/HoldAdviceLog, which has no line yet\n"));
    seen.settings.log = Some("/nowhere/HoldAdviceLog".into());
    is_wrong(&seen, "/nowhere/HoldAdviceLog: there is no such folder");
    seen = fresh(place.path());
    set(&mut seen, "EVENT_LOG", "");
    is_wrong(&seen, "EVENT_LOG is not set");
    seen.knobs = Err("condor_config_val failed".to_owned());
    is_wrong(&seen, "condor_config_val failed");
}

#[test]
fn a_collector_that_makes_no_pass_is_a_problem() {
    let place = tempfile::tempdir().unwrap();
    let mut seen = fresh(place.path());
    let logs = place.path().join("logs");
    let knobs = seen.knobs.as_mut().unwrap();
    knobs.insert("HOLDADVISE_COLLECT_DIR".to_owned(), (logs.display().to_string(), String::new()));
    let lists = ("$(X) HOLDADVISE HOLDADVISE_DAY HOLDADVISE_LOGS".to_owned(), String::new());
    knobs.insert("SCHEDD_CRON_JOBLIST".to_owned(), lists);
    // As of a pass long ago.
    let ad = Schedd { started: Some(NOW - 90_000), ..seen.ad.clone().unwrap() };
    seen.ad = Ok(ad.clone());
    assert_eq!(wrong(&seen), Vec::<String>::new(), "it was named just now");
    fs::create_dir(&logs).unwrap();
    fs::set_permissions(&logs, fs::Permissions::from_mode(0o700)).unwrap();
    let then = std::time::UNIX_EPOCH + Duration::from_secs(NOW as u64 - 80_000);
    fs::File::open(&logs).unwrap().set_modified(then).unwrap();
    is_wrong(&seen, "no pass into ");
    seen.ad = Ok(Schedd { collected: Some(NOW - 70), ..ad });
    assert_eq!(wrong(&seen), Vec::<String>::new());
}

#[test]
fn folders_are_measured_and_their_rights_looked_at() {
    let place = tempfile::tempdir().unwrap();
    let mut seen = fresh(place.path());
    let state = place.path().join("state");
    fs::write(state.join("journal/a"), vec![b'x'; 3 << 20]).unwrap();
    fs::create_dir(state.join("logs")).unwrap();
    fs::write(state.join("logs/b"), vec![b'x'; 5 << 20]).unwrap();
    // A link leads nowhere.
    std::os::unix::fs::symlink("/usr", state.join("journal/link")).unwrap();
    let logs = (state.join("logs").display().to_string(), String::new());
    let knobs = seen.knobs.as_mut().unwrap();
    knobs.insert("HOLDADVISE_COLLECT_DIR".to_owned(), logs);
    let (text, _) = printed(&seen);
    assert!(text.contains("state 3 MiB, collected logs 5 MiB, free "), "{text}");
    let mut left = 1;
    assert!(used(&state, None, 0, &mut left).is_ok() && left == 0);

    seen = fresh(place.path());
    fs::set_permissions(&state, fs::Permissions::from_mode(0o770)).unwrap();
    is_wrong(&seen, "mode 770; expected: install -d -o ");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o500)).unwrap();
    is_wrong(&seen, "mode 500; expected: install -d -o ");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(state.join("journal"), fs::Permissions::from_mode(0o777)).unwrap();
    is_wrong(&seen, "state/journal: user id ");
    fs::remove_dir_all(&state).unwrap();
    is_wrong(&seen, "No such file");
    std::os::unix::fs::symlink("/usr", &state).unwrap();
    is_wrong(&seen, "it is no folder");
}
