//! What one version wrote and another reads (docs/developing/versions.md).

use std::path::Path;

use crate::harness::{HELD_LOG, NOW, Place, ad};
use crate::schemas::objects;

#[test]
fn every_object_of_json_begins_with_its_version() {
    let place = Place::new();
    place.file("job.log", HELD_LOG);
    place.file("held.ads", ad(1234, 0, ""));
    place.file("run.py", "print(1)\n");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let log = data.join("pool-faults-25.14/EventLog.gz");
    let log = log.to_str().expect("UTF-8");
    let held = ["-jobads", "held.ads", "-now", NOW, "-json"];
    let lines = ["-userlog", "job.log", "-now", NOW, "-jsonl"];
    let workflow = ["-workflow", "-userlog", "job.log", "-now", NOW, "-json"];
    let mut answers = vec![
        place.run(&held, ""),
        place.run(&lines, ""),
        place.run(&workflow, ""),
        place.run(&["-profile", "run.py", "-json"], ""),
    ];
    for words in [
        &["-lint", "NumHolds < 3", "-json"][..],
        &[&["-explain"], &held[..]].concat(),
        &["-replay", "NumHolds < 3", "-eventlog", log, "-json"],
        &["-replay", "NumHolds < 3", "-eventlog", log, "-jsonl"],
        &["-suggest", "-eventlog", log, "-json"],
    ] {
        answers.push(place.release_expression(words, ""));
    }
    for said in answers {
        let objects = objects(&said.stdout);
        assert!(!objects.is_empty(), "{said:?}");
        for object in objects {
            let (name, version) = object.as_object().unwrap().iter().next().unwrap();
            assert_eq!((name.as_str(), version.as_u64()), ("SchemaVersion", Some(3)), "{object}");
        }
    }
}

#[test]
fn a_setting_is_read_under_its_old_name_and_noted() {
    let place = Place::new();
    place.file(".condor/holdadvise/config", "HOLDADVISE_COST_DELAY = 24\nHOLDADVISE_JOURNAL = j\n");
    place.file("held.ads", ad(1234, 0, ""));
    let said = place.run(&["-jobads", "held.ads", "-now", NOW, "-json"], "");
    assert_eq!(objects(&said.stdout)[0]["Costs"]["Delay"], 24.0, "{said:?}");
    for name in [
        "COST_DELAY is the name of an earlier version: set HOLDADVISE_COST_DELAY_HOURS",
        "JOURNAL is the name of an earlier version: set HOLDADVISE_JOURNAL_DIR",
    ] {
        assert!(said.stderr.contains(&format!("HOLDADVISE_{name}\n")), "{said:?}");
    }
    // The name of today goes first.
    place.file(
        ".condor/holdadvise/config",
        "HOLDADVISE_COST_DELAY = 24\nHOLDADVISE_COST_DELAY_HOURS = 2\n",
    );
    let said = place.run(&["-jobads", "held.ads", "-now", NOW, "-json"], "");
    assert_eq!(objects(&said.stdout)[0]["Costs"]["Delay"], 2.0, "{said:?}");
}
