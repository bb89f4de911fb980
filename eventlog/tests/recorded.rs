//! Reads the job event logs that were recorded on real pools, in all forms.
//!
//! With `HOLDADVISE_PYTHON` set to a Python that has `htcondor` (from PyPI), HTCondor's own reader
//! is asked about the same logs, and about the real ones where they are present, and has to agree
//! on every attribute.

use std::path::{Path, PathBuf};
use std::process::Command;

use classads::{Style, Syntax};
use eventlog::*;
use jiff::tz::TimeZone;
use serde_json::Value;

/// Job event logs below `tests/data/pool-*`.
fn recorded() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    if !data.exists() {
        println!("skipped: {}: the logs are in the repository, not in the package", data.display());
        return Vec::new();
    }
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&data)
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    let mut logs = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if (name.contains("EventLog") && !name.ends_with(".gz"))
                || name.ends_with(".log")
            {
                logs.push(path);
            }
        }
    }
    logs.sort();
    assert!(!logs.is_empty(), "no recorded logs in {}", data.display());
    logs
}

fn options() -> ReadOptions {
    ReadOptions::in_zone(TimeZone::UTC)
}

/// Calls `each` for every event of a log without damage.
fn for_each(path: &Path, mut each: impl FnMut(Event<'_>)) {
    let mut log = open(path, &options()).unwrap();
    while let Some(event) = log.next_event() {
        each(event.unwrap_or_else(|damaged| panic!("{}: {damaged}", path.display())));
    }
}

#[test]
fn all_forms_are_read_without_damage() {
    for path in recorded() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut kinds = Vec::new();
        for_each(&path, |event| {
            let text = String::from_utf8_lossy(event.lines()).into_owned();
            let is_known = !matches!(event.body(), Body::Future(_));
            assert!(is_known, "{}: {} {text}", path.display(), event.number);
            kinds.push(event.kind());
        });
        // Whatever the form, the job was submitted, held, released and finished.
        if path.parent().is_some_and(|folder| folder.ends_with("forms"))
            && name.ends_with("job.log")
        {
            for kind in [
                EventKind::Submit,
                EventKind::JobHeld,
                EventKind::JobReleased,
                EventKind::JobTerminated,
            ] {
                assert!(kinds.contains(&kind), "{name}: no {kind:?} in {kinds:?}");
            }
        }
    }
}

/// How the date of a header line is written.
fn date_form(header: &str) -> DateForm {
    let date = header.split_once(") ").unwrap().1;
    let (day, rest) = date.split_once(' ').unwrap();
    let time = rest.split(' ').next().unwrap();
    DateForm {
        with_year: day.contains('-'),
        sub_second: time.contains('.'),
        utc: time.ends_with('Z'),
        time_zone: TimeZone::UTC,
    }
}

#[test]
fn typed_fields_lose_nothing() {
    let mut compared = 0;
    for path in recorded() {
        let bytes = std::fs::read(&path).unwrap();
        if Form::detect(&bytes) != Form::Text {
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        let mut out = Vec::new();
        for event in Events::with_options(text.as_bytes(), &options()).flatten() {
            let date = date_form(&text[event.offset as usize..]);
            let (job, subproc, time) = (event.job, event.subproc, event.time);
            let header = EventHeader { job, subproc, time, date: &date };
            write_event(&mut out, &header, &event.body()).unwrap();
            compared += 1;
        }
        let written = String::from_utf8(out).unwrap();
        for (line, (ours, theirs)) in written.lines().zip(text.lines()).enumerate() {
            assert_eq!(ours, theirs, "{}:{}", path.display(), line + 1);
        }
        assert_eq!(written.len(), text.len(), "{}", path.display());
    }
    assert!(compared > 500, "{compared} events");
}

#[test]
fn a_log_of_attributes_gives_the_same_fields() {
    for path in recorded() {
        for_each(&path, |event| {
            let json = serde_json::to_string(&event.to_ad(&TimeZone::UTC)).unwrap();
            let mut again = LogReader::new(json.as_bytes(), &options());
            let again = again.next_event().unwrap().unwrap();
            assert_eq!((again.number, again.job), (event.number, event.job));
            assert_eq!(again.time.seconds, event.time.seconds, "{json}");
            let (mut body, mut read) = (event.body(), again.body());
            for body in [&mut body, &mut read] {
                match body {
                    // Attributes do not say the rest.
                    Body::Terminated(terminated) => {
                        terminated.toe = None;
                        terminated.resources.retain(|row| row.request.is_some());
                        terminated
                            .resources
                            .iter_mut()
                            .for_each(|row| row.written = Default::default());
                    }
                    Body::Evicted(evicted) => {
                        evicted.plain_reason = false;
                        evicted.resources.retain(|row| row.request.is_some());
                        evicted
                            .resources
                            .iter_mut()
                            .for_each(|row| row.written = Default::default());
                        evicted.subcode = evicted.subcode.filter(|code| *code != 0);
                    }
                    Body::Aborted(aborted) => aborted.toe = None,
                    Body::Generic(info) => *info = info.trim().to_owned().into(),
                    Body::AttributeUpdate(update) => update.old_value = None,
                    Body::JobAdInformation(information) => {
                        // Attributes of the event stand before those of the job.
                        let header = [
                            "Cluster",
                            "Proc",
                            "Subproc",
                            "MyType",
                            "EventTypeNumber",
                            "EventTime",
                        ];
                        information.attributes.retain(|(name, _)| !header.contains(&&**name));
                        for (_, value) in &mut information.attributes {
                            if let Some(read) = AdValue::read(value, Syntax::Old) {
                                *value = read.print(Style::Long).into();
                            }
                        }
                        information.attributes.sort();
                    }
                    _ => {}
                }
            }
            assert_eq!(body, read, "{}: {json}", path.display());
        });
    }
}

/// Prints `[path, event]` for every event that HTCondor reads.
const HTCONDOR: &str = concat!(
    include_str!("htcondor/plain.py"),
    r#"
for path in sys.stdin.read().splitlines():
    events, error = [], None
    try:
        for event in htcondor2.JobEventLog(path).events(stop_after=0):
            events.append({name: plain(event[name]) for name in event.keys()})
    except Exception as exception:
        error = str(exception)
    print(json.dumps([path, error, events]))
"#
);

/// Ours and HTCondor's value of an attribute are the same.
fn agree(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(ours), Value::Number(theirs)) => {
            // HTCondor reads byte counts as 32-bit floats.
            let (ours, theirs) = (ours.as_f64().unwrap(), theirs.as_f64().unwrap());
            (ours - theirs).abs() <= 1e-7 * theirs.abs()
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && theirs.iter().all(|(name, value)| {
                    ours.iter().any(|(n, v)| n.eq_ignore_ascii_case(name) && agree(v, value))
                })
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| agree(a, b))
        }
        // Expressions differ in their spaces.
        (Value::String(ours), Value::String(theirs)) if ours.starts_with("/Expr(") => {
            ours.split_whitespace().eq(theirs.split_whitespace())
        }
        _ => ours == theirs,
    }
}

#[test]
fn htcondor_agrees() {
    let Some(python) = std::env::var_os("HOLDADVISE_PYTHON") else {
        println!("skipped: HOLDADVISE_PYTHON is not set");
        return;
    };
    let mut logs = recorded();
    let real = std::env::var_os("HOLDADVISE_REAL_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
        PathBuf::from,
    );
    match std::fs::read_dir(real.join("eventlogs")) {
        Ok(entries) => logs.extend(entries.filter_map(|entry| Some(entry.ok()?.path()))),
        Err(_) => println!("skipped: no real logs in {}", real.display()),
    }
    let list = tempfile::NamedTempFile::new().unwrap();
    let paths: Vec<String> = logs.iter().map(|path| path.display().to_string()).collect();
    std::fs::write(list.path(), paths.join("\n")).unwrap();
    let output = Command::new(python)
        .args(["-c", HTCONDOR])
        .env("TZ", "UTC")
        .stdin(list.reopen().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut compared, mut damaged) = (0, 0);
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let (path, error, theirs): (PathBuf, Option<String>, Vec<Value>) =
            serde_json::from_str(line).unwrap();
        let mut log = open(&path, &options()).unwrap();
        let (mut ours, mut is_damaged) = (Vec::new(), false);
        while let Some(event) = log.next_event() {
            match event {
                Ok(event) => ours.push(serde_json::to_value(event.to_ad(&TimeZone::UTC)).unwrap()),
                Err(_) => is_damaged = true,
            }
        }
        // HTCondor gives up or makes something else of half events.
        if is_damaged {
            damaged += 1;
            continue;
        }
        assert_eq!((error, ours.len()), (None, theirs.len()), "{}", path.display());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            compared += 1;
            let context = || format!("{}:\n{ours}\n{theirs}", path.display());
            let (ours, theirs) = (ours.as_object().unwrap(), theirs.as_object().unwrap());
            for (name, value) in theirs {
                let own = ours.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
                let (_, own) = own.unwrap_or_else(|| panic!("no {name} in {}", context()));
                if name == "EventTime" {
                    // HTCondor takes the current year where there is none.
                    assert_eq!(own.as_str().unwrap()[4..], value.as_str().unwrap()[4..]);
                } else {
                    assert!(agree(own, value), "{name} {own} {value} in {}", context());
                }
            }
            // HTCondor does not read the table of an eviction, and of an ad only what was
            // requested.
            let has_table = [4, 5, 15].contains(&ours["EventTypeNumber"].as_u64().unwrap());
            for name in ours.keys() {
                let known = theirs.keys().any(|their| their.eq_ignore_ascii_case(name));
                assert!(known || has_table, "only ours: {name} in {}", context());
            }
        }
    }
    println!("{compared} events agree; {damaged} logs with damage were left out");
    assert!(compared > 0);
}
