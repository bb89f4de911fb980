//! What is on, what is missing and what is overwritten: for administrators.
//!
//! Each row of `CHECKS` looks at one thing. What it needs of HTCondor was asked before
//! (`Seen`). Root runs this too: of folders it reads names and sizes, not what is in their files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eventlog::{EventLogError, LogFiles};
use holdadvise::inquiry::{Config, SettingError, ids_now, is_setting};
use holdadvise::text::{classad_quote, shown};

use crate::judge::ADVICE;
use crate::looks::{LATEST, age};
use crate::period::{BEGINS, KEEPS, Period};
use crate::process::answer;
use crate::settings::Settings;

/// Entries of lists that HTCondor has from the packaged files. A later file that sets a list
/// without itself loses them.
const LISTS: &[(&str, &[&str])] = &[
    ("SYSTEM_PERIODIC_RELEASE_NAMES", &["HoldAdvice"]),
    ("PROTECTED_JOB_ATTRS", ADVICE),
    ("SCHEDD_CRON_JOBLIST", &["HOLDADVISE", "HOLDADVISE_DAY", "HOLDADVISE_LOGS"]),
];

/// The program of the collector in the last of these lists.
const LOGS: &str = "HOLDADVISE_LOGS";

/// What else is asked of `condor_config_val`, patterns of names.
const KNOBS: &[&str] =
    &[EXECUTABLE, "EVENT_LOG", "FULL_HOSTNAME", "(MAX_)?HOLDADVISE_[A-Z_]+", "MAIL"];

/// The packaged files: each setting of the plugin stands there, if only in a comment.
const PACKAGED: [&str; 2] =
    [include_str!("../config.d/40-holdadvise"), include_str!("../config.d/41-holdadvise-logs")];

/// Where it is set, the packaged configuration is read.
const EXECUTABLE: &str = "SCHEDD_CRON_HOLDADVISE_EXECUTABLE";

/// Seconds after which the collector has what the schedd says of itself, by default.
const UPDATE: i64 = 300;

/// Entries of a folder that are counted at most, and folders in folders. Assumed.
const ENTRIES: usize = 100_000;
const DEPTH: usize = 8;

/// Seconds after which a pass of the collector is late, which begins one a minute. Assumed: the first
/// pass over a large log takes minutes.
const LATE: i64 = 1_800;

/// MiB that have to be free. Assumed: a month of journals.
const FREE: u64 = 256;

/// Characters of a line at most.
const LONGEST: usize = 400;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Fine(String),
    Wrong(String),
    /// Other accounts see it.
    Unseen(String),
}

use Found::{Fine, Unseen, Wrong};

/// One check.
struct Check {
    name: &'static str,
    look: fn(&Seen) -> Vec<Found>,
    /// What to do where it is wrong.
    to_do: &'static str,
}

const CHECKS: &[Check] = &[
    Check {
        name: "configuration",
        look: configuration,
        to_do: "put 40-holdadvise where HTCondor reads it, and its program where it says; then \
                condor_restart -schedd",
    },
    Check {
        name: "settings",
        look: settings,
        to_do: "correct it in a file of /etc/condor/config.d, then condor_reconfig",
    },
    Check {
        name: "lists",
        look: lists,
        to_do: "begin it with itself there, as in A = $(A) more; then condor_reconfig \
                (SCHEDD_CRON_JOBLIST: condor_restart -schedd)",
    },
    Check {
        name: "schedd",
        look: schedd,
        to_do: "see whether condor_status -schedd shows this access point, and start HTCondor",
    },
    Check {
        name: "advisor",
        look: advisor,
        to_do: "condor_restart -schedd; as the account of HTCondor \
                $(condor_config_val LIBEXEC)/condor_holdadvise_advisor -debug says more",
    },
    Check { name: "period", look: period, to_do: KEEPS },
    Check {
        name: "duration",
        look: duration,
        to_do: "raise HOLDADVISE_INTERVAL_SECONDS, then condor_restart -schedd",
    },
    Check {
        name: "last pass",
        look: last_pass,
        to_do: "as the account of HTCondor $(condor_config_val LIBEXEC)/condor_holdadvise_advisor \
                -debug says more",
    },
    Check { name: "releases", look: releases, to_do: "" },
    Check {
        name: "looks",
        look: looks,
        to_do: "journalctl -u condor-holdadvise-looks; systemctl restart condor-holdadvise-looks",
    },
    Check { name: "mail", look: mail, to_do: "MAIL names a program that sends mail" },
    Check {
        name: "learning",
        look: learning,
        to_do: "as the account of HTCondor $(condor_config_val LIBEXEC)/condor_holdadvise_advisor \
                -learn -debug says more",
    },
    Check {
        name: "retraining",
        look: retraining,
        to_do: "HOLDADVISE_RETRAIN names a sweep file; systemctl enable --now \
                condor-holdadvise-retrain.timer",
    },
    Check {
        name: "collector",
        look: collector,
        to_do: "as the account of HTCondor $(condor_config_val LIBEXEC)/condor_holdadvise_collect \
                says more",
    },
    Check {
        name: "log",
        look: log,
        to_do: "HOLDADVISE_LOG names a file in a folder of the account of HTCondor, as $(LOG) is",
    },
    Check {
        name: "event log",
        look: event_log,
        to_do: "set EVENT_LOG, as 41-holdadvise-logs does, then condor_reconfig",
    },
    Check { name: "disk", look: disk, to_do: "make room: without it nothing is let go" },
    Check { name: "folders", look: folders, to_do: "run what is named behind each folder" },
];

/// What HTCondor and systemd said.
#[derive(Debug)]
struct Seen {
    now: i64,
    settings: Settings,
    faults: Vec<String>,
    /// Settings of HTCondor, each with where it was set last.
    knobs: Result<BTreeMap<String, (String, String)>, String>,
    ad: Result<Schedd, String>,
    /// ActiveState of the unit of the service that looks at files, and of the timer of trainings.
    units: [Option<String>; 2],
    /// User and group of HTCondor's account.
    account: Option<(u32, u32)>,
}

/// Of the ad of the schedd.
#[derive(Clone, Debug, Default)]
struct Schedd {
    started: Option<i64>,
    /// Begin of the last pass.
    pass: Option<i64>,
    good: Option<i64>,
    period: Option<i64>,
    seconds: Option<f64>,
    jobs: Option<i64>,
    problem: Option<String>,
    learning: Option<String>,
    /// Begin of the last pass of the collector.
    collected: Option<i64>,
}

/// What is found of this access point, as text, and whether nothing is wrong.
///
/// # Errors
/// [`SettingError`] for a setting without which HTCondor cannot be asked.
pub fn check(config: &Config, now: i64) -> Result<(String, bool), SettingError> {
    Ok(printed(&see(config, now)?))
}

fn printed(seen: &Seen) -> (String, bool) {
    let (mut text, mut wrong, mut unseen) = (String::new(), 0, false);
    for Check { name, look, to_do } in CHECKS {
        let found = look(seen);
        for found in &found {
            let (word, says) = match found {
                Fine(says) => ("ok", says),
                Wrong(says) => ("PROBLEM", says),
                Unseen(says) => ("unseen", says),
            };
            text += &format!("{word:8} {name:14} {}\n", shown(says, LONGEST));
            wrong += usize::from(word == "PROBLEM");
            unseen |= word == "unseen";
        }
        if found.iter().any(|found| matches!(found, Wrong(_))) {
            text += &format!("{:23} do: {to_do}\n", "");
        }
    }
    if unseen {
        text += "What is denied to this account root and the account of HTCondor see.\n";
    }
    text += &match wrong {
        0 => "No problem was found.\n".to_owned(),
        1 => "1 problem was found.\n".to_owned(),
        _ => format!("{wrong} problems were found.\n"),
    };
    (text, wrong == 0)
}

fn see(config: &Config, now: i64) -> Result<Seen, SettingError> {
    let (settings, mut faults) = Settings::of(config)?;
    faults.extend(config.old_names());
    let ask = |tool: &str, words: &[&str]| {
        let most = settings.timeout.min(Duration::from_secs(20));
        answer(tool, words, Instant::now() + most).map_err(|error| error.to_string())
    };
    let names: Vec<&str> =
        LISTS.iter().map(|(name, _)| *name).chain(KNOBS.iter().copied()).collect();
    let names = format!("^(SCHEDD[.])?({})$", names.join("|"));
    let words = ["-subsystem", "SCHEDD", "-verbose", "-dump", "-expand", &names];
    let mut knobs = ask("condor_config_val", &words).map(|text| dumped(&text));
    for (name, (value, _)) in knobs.iter_mut().flatten() {
        // HTCondor leaves $(NAME:default) as it is where the default has a hyphen.
        if let Some(own) = name.starts_with("HOLDADVISE_").then(|| config.get(name)).flatten() {
            *value = own;
        }
    }
    let host = knobs.as_ref().ok().and_then(|knobs| knobs.get("FULL_HOSTNAME"));
    let host = host.and_then(|(host, _)| classad_quote(host));
    let constraint = host.map_or_else(|| "true".to_owned(), |host| format!("Machine == {host}"));
    let words = ["-schedd", "-constraint", &constraint, "-long"];
    let ad = ask("condor_status", &words).and_then(|text| {
        Schedd::of(&text).ok_or_else(|| "condor_status shows no schedd of this machine".to_owned())
    });
    let state = |unit| {
        let said = ask("systemctl", &["show", "-p", "ActiveState", "--value", unit]).ok()?;
        Some(said.trim().to_owned()).filter(|state| !state.is_empty())
    };
    let units = ["condor-holdadvise-looks.service", "condor-holdadvise-retrain.timer"].map(state);
    let account = ids_now(&settings.looks_account).map(|ids| (ids.uid, ids.gid));
    Ok(Seen { now, settings, faults, knobs, ad, units, account })
}

/// What `condor_config_val -verbose -dump -expand` wrote. What is set for the schedd goes first.
fn dumped(text: &str) -> BTreeMap<String, (String, String)> {
    let mut all: Vec<(bool, String, (String, String))> = Vec::new();
    for line in text.lines() {
        if let Some(place) = line.strip_prefix(" # at: ") {
            if let Some((.., (_, at))) = all.last_mut() {
                place.clone_into(at);
            }
        } else if let Some((name, value)) = line.split_once(" =")
            && !line.trim_start().starts_with('#')
        {
            let name = name.to_ascii_uppercase();
            let plain = name.strip_prefix("SCHEDD.");
            let pair = (value.trim().to_owned(), String::new());
            all.push((plain.is_some(), plain.unwrap_or(&name).to_owned(), pair));
        }
    }
    all.sort_by_key(|(is_of_schedd, ..)| *is_of_schedd);
    all.into_iter().map(|(_, name, pair)| (name, pair)).collect()
}

impl Schedd {
    /// Of several schedds of this machine the one with advice.
    fn of(text: &str) -> Option<Self> {
        let ads = classads::read_ads(text.as_bytes()).filter_map(Result::ok);
        let read = |ad: classads::ClassAd| Self {
            started: ad.integer("DaemonStartTime"),
            pass: ad.integer("HoldAdvicePassTime"),
            good: ad.integer("HoldAdviceLastGood"),
            period: ad.integer("HoldAdvicePassPeriod"),
            seconds: ad.real("HoldAdvicePassSeconds"),
            jobs: ad.integer("HoldAdviceJobs"),
            problem: ad.string("HoldAdviceProblem"),
            learning: ad.string("HoldAdviceHomeProblem"),
            collected: ad.integer("HoldAdviceLogsPass"),
        };
        ads.map(read).max_by_key(|schedd| schedd.pass)
    }
}

impl Seen {
    /// The value of a setting of HTCondor that is set.
    fn knob(&self, name: &str) -> Option<&str> {
        let (value, _) = self.knobs.as_ref().ok()?.get(name)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    }

    fn is_on(&self, name: &str) -> bool {
        self.knob(name).is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
    }

    fn schedd(&self) -> Schedd {
        self.ad.clone().unwrap_or_default()
    }

    fn period(&self) -> Period {
        Period { configured: self.settings.interval, observed: self.schedd().period }
    }

    fn log(&self) -> Option<PathBuf> {
        let name = self.knob("HOLDADVISE_EVENT_LOG").or_else(|| self.knob("EVENT_LOG"))?;
        Some(name.into())
    }

    /// The folder of the collector, where it is on.
    fn collected(&self) -> Option<PathBuf> {
        let folder = self.knob("HOLDADVISE_COLLECT_DIR")?;
        (!folder.eq_ignore_ascii_case("none")).then(|| folder.into())
    }

    /// A problem that the event log was not there.
    fn is_of_absent_log(&self, problem: &str) -> bool {
        let log = self.log().map(|log| log.to_string_lossy().into_owned());
        log.is_some_and(|log| problem.contains(&log)) && problem.contains("No such file")
    }

    /// Before the first job the event log is not there, which is no problem.
    fn is_of_new_log(&self, problem: &str) -> bool {
        let found = self.log().map(fs::metadata);
        let is_absent = matches!(found, Some(Err(error)) if error.kind() == ErrorKind::NotFound);
        self.schedd().jobs.unwrap_or(0) == 0 && is_absent && self.is_of_absent_log(problem)
    }
}

fn configuration(seen: &Seen) -> Vec<Found> {
    let knobs = match &seen.knobs {
        Ok(knobs) => knobs,
        Err(error) => return vec![Wrong(error.clone())],
    };
    let Some((program, at)) = knobs.get(EXECUTABLE) else {
        return vec![Wrong("HTCondor does not read 40-holdadvise".to_owned())];
    };
    match fs::metadata(program) {
        Ok(found) if found.is_file() && found.mode() & 0o111 != 0 => {
            vec![Fine(format!("{at}, which starts {program}"))]
        }
        Ok(_) => vec![Wrong(format!("{program} is no program"))],
        Err(error) => vec![denied(&error, format!("{program}: {error}"))],
    }
}

fn settings(seen: &Seen) -> Vec<Found> {
    let is_name_of = |name: &str, text: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
    };
    let is_read =
        |name: &str| is_setting(name) || PACKAGED.iter().any(|text| is_name_of(name, text));
    let is_own = |name: &str| name.strip_prefix("MAX_").unwrap_or(name).starts_with("HOLDADVISE_");
    let unread = seen.knobs.iter().flatten().filter(|(name, _)| is_own(name) && !is_read(name));
    let unread = unread.map(|(name, (_, at))| format!("{name}, set in {at}, is no setting"));
    seen.faults.iter().cloned().chain(unread).map(Wrong).collect()
}

fn lists(seen: &Seen) -> Vec<Found> {
    // Where the packaged files are not read another row says so.
    let knobs = seen.knobs.as_ref().ok().filter(|knobs| knobs.contains_key(EXECUTABLE));
    let Some(knobs) = knobs else { return Vec::new() };
    let mut found = Vec::new();
    for (name, entries) in LISTS {
        let (value, at) = knobs.get(*name).cloned().unwrap_or_default();
        let has = |entry: &&str| {
            let mut words = value.split(|c: char| c == ',' || c.is_whitespace());
            words.any(|word| word.eq_ignore_ascii_case(entry))
        };
        let is_expected = |entry: &&str| **entry != *LOGS || seen.collected().is_some();
        let missing: Vec<&str> =
            entries.iter().filter(|entry| is_expected(entry) && !has(entry)).copied().collect();
        if !missing.is_empty() {
            let at = if at.is_empty() { "nowhere" } else { &at };
            found.push(Wrong(format!(
                "{name} lacks {}; it is set last in {at}",
                missing.join(", ")
            )));
        }
    }
    if found.is_empty() {
        found.push(Fine("the lists of HTCondor have all entries of the plugin".to_owned()));
    }
    found
}

fn schedd(seen: &Seen) -> Vec<Found> {
    seen.ad.as_ref().err().cloned().map(Wrong).into_iter().collect()
}

fn advisor(seen: &Seen) -> Vec<Found> {
    let Ok(ad) = &seen.ad else { return Vec::new() };
    // The next pass may just be at work, and what it says comes with the next update.
    let late = 3 * seen.period().longest() + UPDATE;
    let runs = seen.now - ad.started.unwrap_or(0);
    vec![match ad.pass.max(ad.good) {
        Some(at) if seen.now - at > late => {
            Wrong(format!("the last pass began {} ago", time(seen.now - at)))
        }
        Some(at) => Fine(format!("on; the last pass began {} ago", time(seen.now - at))),
        None if runs > late => Wrong("no pass ended since the schedd began".to_owned()),
        None => Fine(format!("no pass yet, as the schedd began {} ago", time(runs))),
    }]
}

fn period(seen: &Seen) -> Vec<Found> {
    let period = seen.period();
    let Some(observed) = period.observed else { return Vec::new() };
    let seconds = seen.schedd().seconds.unwrap_or(0.0);
    let set = period.configured;
    let says = format!("{BEGINS}{observed} s, {set} s are set; the last took {seconds:.1} s");
    vec![if period.is_off() && !period.is_slow(seconds) { Wrong(says) } else { Fine(says) }]
}

fn duration(seen: &Seen) -> Vec<Found> {
    let seconds = seen.schedd().seconds.filter(|seconds| seen.period().is_slow(*seconds));
    let says = |seconds| Wrong(format!("the last pass took {seconds:.1} s"));
    seconds.map(says).into_iter().collect()
}

fn last_pass(seen: &Seen) -> Vec<Found> {
    // What the period is another row says.
    let says_more = |problem: &String| !seen.is_of_new_log(problem) && !problem.starts_with(BEGINS);
    seen.schedd().problem.filter(says_more).map(Wrong).into_iter().collect()
}

fn releases(seen: &Seen) -> Vec<Found> {
    let Settings { releases, of_owner, in_all, .. } = &seen.settings;
    vec![Fine(match releases {
        true => format!("on; a pass lets at most {of_owner} jobs of an owner go, {in_all} in all"),
        false => "off (HOLDADVISE_RELEASES)".to_owned(),
    })]
}

fn looks(seen: &Seen) -> Vec<Found> {
    let [state, _] = &seen.units;
    let newest = match age(&seen.settings.looks, seen.now) {
        Ok(newest) => newest,
        Err(error) => return vec![denied(&error, format!("HOLDADVISE_LOOKS_DIR: {error}"))],
    };
    let says = newest.map(|age| format!("its newest record is of {} ago", time(age)));
    let is_new = newest.is_some_and(|age| age <= LATEST);
    vec![match (state.as_deref(), says) {
        (Some("failed" | "activating"), _) => Wrong("the service failed".to_owned()),
        (Some("active"), None) => Fine("on; no record, as after a round without owners".to_owned()),
        (Some("active"), Some(says)) if !is_new => Wrong(format!("on, and {says}")),
        (Some("active") | None, Some(says)) if is_new => Fine(format!("on; {says}")),
        (_, says) => {
            let says = says.map_or(String::new(), |says| format!("; {says}"));
            Fine(format!("off (systemctl enable --now condor-holdadvise-looks){says}"))
        }
    }]
}

fn mail(seen: &Seen) -> Vec<Found> {
    if seen.knobs.is_err() {
        return Vec::new();
    }
    if !seen.is_on("HOLDADVISE_MAIL") {
        return vec![Fine("off (HOLDADVISE_MAIL)".to_owned())];
    }
    let Some(program) = seen.knob("MAIL") else {
        return vec![Wrong("MAIL is not set".to_owned())];
    };
    vec![match fs::metadata(program) {
        Err(error) => denied(&error, format!("MAIL: {program}: {error}")),
        Ok(_) => Fine("on, where cron runs it".to_owned()),
    }]
}

fn learning(seen: &Seen) -> Vec<Found> {
    vec![match seen.schedd().learning {
        _ if !seen.settings.learn => Fine("off (HOLDADVISE_LEARN)".to_owned()),
        // Until its next day it says what was so at the last one. Of a log that is not there
        // another row tells.
        Some(problem) if !seen.is_of_absent_log(&problem) => Wrong(problem),
        _ => Fine("on".to_owned()),
    }]
}

fn retraining(seen: &Seen) -> Vec<Found> {
    let [_, timer] = &seen.units;
    let Some(file) = &seen.settings.retrain else {
        return vec![Fine("off (HOLDADVISE_RETRAIN)".to_owned())];
    };
    vec![match fs::metadata(file) {
        Err(error) => denied(&error, format!("{}: {error}", file.display())),
        Ok(_) if timer.as_deref().is_some_and(|state| state != "active") => {
            Wrong("HOLDADVISE_RETRAIN is set, and its timer is off".to_owned())
        }
        Ok(_) => Fine(format!("on, with {}", file.display())),
    }]
}

fn collector(seen: &Seen) -> Vec<Found> {
    if seen.knobs.is_err() {
        return Vec::new();
    }
    let Some(folder) = seen.collected() else {
        return vec![Fine("off (HOLDADVISE_COLLECT_DIR)".to_owned())];
    };
    // A folder that is not there yet has just been named. Each pass writes into it.
    let Ok(made) = fs::metadata(&folder) else {
        return vec![Fine(format!("on, into {}: no pass yet", folder.display()))];
    };
    let last =
        |ad: &Schedd| seen.now - ad.collected.max(ad.started).max(Some(made.mtime())).unwrap_or(0);
    vec![match seen.ad.as_ref().map(last) {
        Ok(age) if age > LATE => {
            Wrong(format!("on, and no pass into {} in the last {}", folder.display(), time(age)))
        }
        _ => Fine(format!("on, into {}", folder.display())),
    }]
}

fn log(seen: &Seen) -> Vec<Found> {
    let Some(path) = &seen.settings.log else {
        return vec![Fine("off (HOLDADVISE_LOG)".to_owned())];
    };
    let says = |what: String| format!("{}{what}", path.display());
    vec![match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Wrong(says(" is no file".to_owned())),
        Ok(found) if seen.account.is_some_and(|(user, _)| user != found.uid()) => {
            Wrong(says(format!(" is of user id {}", found.uid())))
        }
        Ok(found) => Fine(says(format!(", {} KiB", found.len() >> 10))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(path);
            match folder.is_dir() {
                true => Fine(says(", which has no line yet".to_owned())),
                false => Wrong(says(": there is no such folder".to_owned())),
            }
        }
        Err(error) => denied(&error, says(format!(": {error}"))),
    }]
}

fn event_log(seen: &Seen) -> Vec<Found> {
    let Some(path) = seen.log() else {
        let wrong = || Wrong("EVENT_LOG is not set".to_owned());
        return seen.knobs.as_ref().ok().map(|_| wrong()).into_iter().collect();
    };
    vec![match LogFiles::open(&path) {
        Ok(log) => Fine(format!("{}, {} MiB", path.display(), log.bytes() >> 20)),
        Err(error) if error.is_not_found() => {
            Fine(format!("{}, which has no event yet", path.display()))
        }
        Err(EventLogError::Io { path, source }) => {
            denied(&source, format!("{}: {source}", path.display()))
        }
        Err(error) => Wrong(error.to_string()),
    }]
}

fn disk(seen: &Seen) -> Vec<Found> {
    let collected = seen.collected();
    let mut parts = Vec::new();
    let state = Some(seen.settings.state.clone());
    for (name, folder) in [("state", state), ("collected logs", collected.clone())] {
        let Some(folder) = folder else { continue };
        let mut left = ENTRIES;
        let skipped = collected.as_deref().filter(|_| name == "state");
        match used(&folder, skipped, DEPTH, &mut left) {
            Ok(bytes) => {
                let least = if left == 0 { "more than " } else { "" };
                parts.push(format!("{name} {least}{} MiB", bytes >> 20));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return vec![Unseen(format!("{}: {error}", folder.display()))],
        }
    }
    let Ok(all) = rustix::fs::statvfs(&seen.settings.state) else { return Vec::new() };
    let free = all.f_bavail.saturating_mul(all.f_frsize) >> 20;
    parts.push(format!("free {free} MiB"));
    let says = parts.join(", ");
    vec![if free < FREE { Wrong(says) } else { Fine(says) }]
}

/// Bytes that a folder takes, without another one in it. No link is followed.
fn used(folder: &Path, but: Option<&Path>, depth: usize, left: &mut usize) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let entry = entry?;
        // It may be gone by now.
        let Ok(found) = entry.metadata() else { continue };
        bytes += found.blocks() * 512;
        let path = entry.path();
        if found.is_dir() && depth > 0 && but != Some(path.as_path()) {
            bytes += used(&path, but, depth - 1, left).unwrap_or(0);
        }
    }
    Ok(bytes)
}

fn folders(seen: &Seen) -> Vec<Found> {
    let Settings { state, home, looks, looks_account, learn, .. } = &seen.settings;
    let Some((user, group)) = seen.account else {
        let says = format!("HOLDADVISE_LOOKS_ACCOUNT: there is no account {looks_account} here");
        return vec![Unseen(says)];
    };
    let home = home.clone().filter(|_| *learn);
    // What makes these itself.
    let made = |folder: PathBuf| Some(folder).filter(|folder| folder.exists());
    // Owner, the most rights, and those that it is made with.
    let expected = [
        (Some(state.clone()), user, 0o700, 0o700),
        (made(state.join("journal")), user, 0o755, 0o700),
        (seen.collected().and_then(made), user, 0o755, 0o700),
        (home, user, 0o755, 0o755),
        (made(looks.clone()), 0, 0o750, 0o750),
    ];
    let mut found = Vec::new();
    for (path, user, most, mode) in expected {
        let Some(path) = path else { continue };
        let says = match fs::symlink_metadata(&path) {
            Ok(is) if !is.is_dir() => {
                found.push(Wrong(format!("{}: it is no folder; move it away", path.display())));
                continue;
            }
            // Fewer rights of others are the administrator's choice.
            Ok(found) if found.uid() == user && found.mode() & (!most | 0o700) & 0o777 == 0o700 => {
                continue;
            }
            Ok(found) => {
                format!("user id {}, mode {:o}", found.uid(), found.mode() & 0o7777)
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                found.push(Unseen(format!("{}: {error}", path.display())));
                continue;
            }
            Err(error) => error.to_string(),
        };
        let path = path.display();
        found.push(Wrong(format!(
            "{path}: {says}; expected: install -d -o {user} -g {group} -m {mode:o} {path}"
        )));
    }
    if found.is_empty() {
        found.push(Fine("are the accounts' that they have to be".to_owned()));
    }
    found
}

/// What is denied to this account others see.
fn denied(error: &io::Error, says: String) -> Found {
    if error.kind() == ErrorKind::PermissionDenied { Unseen(says) } else { Wrong(says) }
}

fn time(seconds: i64) -> String {
    match seconds {
        ..600 => format!("{seconds} s"),
        600..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
