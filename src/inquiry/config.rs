//! Settings: environment, per-user file, HTCondor's configuration.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use directories::BaseDirs;

use crate::advice::Editable;
use crate::checks::{Program, Urls};
use crate::policy::{Assignment, Knobs, PolicyTime, SettingsFile};
use crate::private::{is_absent, open_own};
use crate::queue::run_tool;

/// One setting of this tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knob {
    /// Its name, as in HTCondor's configuration.
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
}

/// MiB of an event log that are read where nothing is set. A byte of it takes 1.8 bytes of memory at
/// most (jobs of three short events), 0.4 where jobs have all their events. Assumed.
const EVENT_LOG_MIB: u64 = 1024;

/// All settings of this tool.
pub(crate) const KNOBS: &[Knob] = &[
    Knob { name: "HOLDADVISE_MODEL", help: "The model's file, as after -model." },
    Knob {
        name: "HOLDADVISE_CATALOGUE",
        help: "Files and folders of entries of the catalogue of texts, with a colon between two. The default is catalogue.d \
               in /etc/condor/holdadvise, in ~/.condor/holdadvise and in ~/.config/condor-holdadvise; root reads the first \
               alone, and the setting where HTCondor's configuration has it.",
    },
    Knob {
        name: "HOLDADVISE_HOME_DIR",
        help: "The folder in which the advisor of the access point keeps the calibration of the model there, and a model \
               that it installed. The default is none.",
    },
    Knob {
        name: "HOLDADVISE_EVENT_LOG",
        help: "The event log of the access point, as after -eventlog. The default is EVENT_LOG.",
    },
    Knob {
        name: "HOLDADVISE_EVENT_LOG_MIB",
        help: "How much of an event log, or of a log after -userlog or of a DAG, is read, MiB, the newest; so much may compressed logs have unpacked, all together. The default is 1024, which take up to 1.9 GB of memory.",
    },
    Knob {
        name: "HOLDADVISE_TIMEOUT_SECONDS",
        help: "Seconds after which condor_q or condor_history is given up. The default is 60.",
    },
    Knob {
        name: "HOLDADVISE_POLICY_SECONDS",
        help: "Seconds for evaluating the policies of all jobs, of 20 million steps each, which their owners share; \
               policies that need more are not known. The default is 10.",
    },
    Knob {
        name: "HOLDADVISE_CHECKS",
        help: "What is looked at on the access point, as after -checks. The default is own.",
    },
    Knob {
        name: "HOLDADVISE_JOURNAL_DIR",
        help: "The folder of the journal of -apply and -profile. The default is condor-holdadvise/journal in \
               $XDG_STATE_HOME, or in ~/.local/state.",
    },
    Knob {
        name: "HOLDADVISE_MAX_REQUEST_MEMORY_MIB",
        help: "The most memory that a slot has, MiB. No edit of RequestMemory above it is printed as a command.",
    },
    Knob {
        name: "HOLDADVISE_MAX_REQUEST_DISK_KIB",
        help: "The most disk that a slot has, KiB. No edit of RequestDisk above it is printed as a command.",
    },
    Knob {
        name: "HOLDADVISE_RELEASE_THRESHOLD",
        help: "A release is recommended from this probability of success on, and from a higher one for a job whose runs \
               took hours until they were held. It sets the cost failed in the place of the model's. The default is the \
               model's.",
    },
    Knob {
        name: "HOLDADVISE_REMOVE_THRESHOLD",
        help: "Removal is recommended only below this probability of success of the best action, and below a lower one \
               for a job that has used hours. It sets the cost keep in the place of the model's. The default is the \
               model's.",
    },
    Knob {
        name: "HOLDADVISE_LEAST_CONFIDENCE",
        help: "A release is recommended only from this probability of success on, a removal only from this probability of \
               failure on; else the advice is undecided. The default is the model's, or none.",
    },
    Knob { name: "HOLDADVISE_COST_FAILED_HOURS", help: "Hours, as after -cost failed." },
    Knob { name: "HOLDADVISE_COST_DELAY_HOURS", help: "Hours, as after -cost delay." },
    Knob { name: "HOLDADVISE_COST_KEEP_HOURS", help: "Hours, as after -cost keep." },
    Knob { name: "HOLDADVISE_COST_WORK_HOURS", help: "Hours, as after -cost work." },
    Knob { name: "HOLDADVISE_COST_PERSON_HOURS", help: "Hours, as after -cost person." },
];

/// Names of earlier versions that are read where the setting has no value, and the settings. A
/// folder ends in `DIR`, a time and a size in their unit.
const OLD_NAMES: &[(&str, &str)] = &[
    ("HOLDADVISE_STATE", "HOLDADVISE_STATE_DIR"),
    ("HOLDADVISE_HOME", "HOLDADVISE_HOME_DIR"),
    ("HOLDADVISE_LOOKS", "HOLDADVISE_LOOKS_DIR"),
    ("HOLDADVISE_JOURNAL", "HOLDADVISE_JOURNAL_DIR"),
    ("HOLDADVISE_COLLECT", "HOLDADVISE_COLLECT_DIR"),
    ("HOLDADVISE_INTERVAL", "HOLDADVISE_INTERVAL_SECONDS"),
    ("HOLDADVISE_LOOKS_INTERVAL", "HOLDADVISE_LOOKS_INTERVAL_SECONDS"),
    ("HOLDADVISE_TIMEOUT", "HOLDADVISE_TIMEOUT_SECONDS"),
    ("HOLDADVISE_POLICY_TIME", "HOLDADVISE_POLICY_SECONDS"),
    ("HOLDADVISE_JUDGE_MEMORY", "HOLDADVISE_JUDGE_MEMORY_MIB"),
    ("HOLDADVISE_MAX_REQUEST_MEMORY", "HOLDADVISE_MAX_REQUEST_MEMORY_MIB"),
    ("HOLDADVISE_MAX_REQUEST_DISK", "HOLDADVISE_MAX_REQUEST_DISK_KIB"),
    ("HOLDADVISE_COST_FAILED", "HOLDADVISE_COST_FAILED_HOURS"),
    ("HOLDADVISE_COST_DELAY", "HOLDADVISE_COST_DELAY_HOURS"),
    ("HOLDADVISE_COST_KEEP", "HOLDADVISE_COST_KEEP_HOURS"),
    ("HOLDADVISE_COST_WORK", "HOLDADVISE_COST_WORK_HOURS"),
    ("HOLDADVISE_COST_PERSON", "HOLDADVISE_COST_PERSON_HOURS"),
];

/// Whether the tool has a setting of this name, or had one in an earlier version.
pub fn is_setting(name: &str) -> bool {
    let old = OLD_NAMES.iter().map(|(old, _)| *old);
    KNOBS.iter().map(|knob| knob.name).chain(old).any(|known| known == name)
}

/// What is asked of `condor_config_val` in one call: the settings above and those of HTCondor that
/// say where the event log is, what will happen to held jobs by itself and what is not to be edited.
const POOL_NAMES: &str = "^(SCHEDD[.])?((MAX_)?HOLDADVISE_.*|EVENT_LOG|JOB_EPOCH_HISTORY|\
     SYSTEM_PERIODIC_(RELEASE|REMOVE|HOLD)(_.*)?|SYSTEM_MAX_RELEASES|(MAX_)?PERIODIC_EXPR_INTERVAL|\
     DAGMAN_MAX_JOB_HOLDS|(SYSTEM_)?(IMMUTABLE|PROTECTED|SECURE)_JOB_ATTRS|CONDOR_VERSION|FULL_HOSTNAME|TOOL_DEBUG)$";

/// `condor_config_val` reads a few files; longer than this something hangs.
const POOL_TIMEOUT: Duration = Duration::from_secs(5);

/// Seconds that a tool of HTCondor may be given: up to a day.
const TIMEOUTS: std::ops::RangeInclusive<u64> = 1..=86_400;

/// A setting whose value cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is \"{value}\" (from {place}): expected {expected}")]
pub struct SettingError {
    name: &'static str,
    value: String,
    place: String,
    expected: &'static str,
}

/// What is looked at on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Nothing.
    None,
    /// Files.
    Local,
    /// Files, and URLs of one's own jobs.
    Own,
    /// Files and URLs.
    All,
}

impl Checks {
    /// Reads the word of an option or a setting, in any case.
    pub fn read(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "none" => Some(Self::None),
            "local" => Some(Self::Local),
            "own" => Some(Self::Own),
            "all" => Some(Self::All),
            _ => None,
        }
    }
}

/// Looks settings up, each source read when it is first needed.
#[derive(Debug)]
pub struct Config {
    /// What looks at files; `None`: nothing does.
    pub(super) looks: Option<Program>,
    user_files: Vec<PathBuf>,
    user: OnceCell<UserSettings>,
    pool: OnceCell<BTreeMap<String, String>>,
    /// Files that are not used, a line each.
    refused: RefCell<BTreeSet<String>>,
}

/// What the user's files say.
#[derive(Debug, Default)]
struct UserSettings {
    /// The settings by their upper-case names, each with its file.
    all: BTreeMap<String, (String, PathBuf)>,
    /// Lines that set nothing.
    faults: Vec<String>,
}

/// The line about compressed logs, of which no more than this was unpacked.
pub(crate) fn unpacked(bytes: u64) -> String {
    format!("compressed logs: {} MiB of them are unpacked (HOLDADVISE_EVENT_LOG_MIB)", bytes >> 20)
}

impl Config {
    /// The settings of the user who runs this. The program of this process looks at files.
    pub fn of_user() -> Self {
        Self::looking_with(Program::of_process())
    }

    /// The settings of the user who runs this, where another program looks at files, or none.
    pub fn looking_with(looks: Option<Program>) -> Self {
        let mut user_files = Vec::new();
        if let Some(dirs) = BaseDirs::new() {
            user_files.push(dirs.home_dir().join(".condor/holdadvise/config"));
            user_files.push(dirs.config_dir().join("condor-holdadvise/config"));
        }
        let (user, pool) = (OnceCell::new(), OnceCell::new());
        Self { looks, user_files, user, pool, refused: RefCell::default() }
    }

    /// The value of a setting of this tool; empty values count as not set.
    pub fn get(&self, name: &str) -> Option<String> {
        self.find(name).map(|(value, ..)| value)
    }

    /// The path that a setting names, and whether it is the administrator who names it: then what is
    /// there is believed, whosever it is.
    pub(super) fn path(&self, name: &str) -> Option<(PathBuf, bool)> {
        self.find(name).map(|(value, _, is_of_pool)| (value.into(), is_of_pool))
    }

    /// The value of one of HTCondor's own settings, from the environment or its configuration.
    pub fn get_condor(&self, name: &str) -> Option<String> {
        self.environment(name)
            .or_else(|| self.pool().get(name).cloned())
            .filter(|value| !value.is_empty())
    }

    /// HTCondor's own settings that were found, by their upper-case names.
    pub fn pool(&self) -> &BTreeMap<String, String> {
        self.pool.get_or_init(|| {
            let args = ["-dump", "-expand", POOL_NAMES];
            let output = run_tool("condor_config_val", &args, POOL_TIMEOUT);
            match output {
                Ok(output) => dumped(&output),
                Err(error) => {
                    log::debug!("no configuration of HTCondor: {error}");
                    BTreeMap::new()
                }
            }
        })
    }

    /// The knobs of the access point here that decide over held jobs; none were found where they
    /// are empty.
    pub(crate) fn knobs(&self) -> Knobs {
        self.pool().iter().map(|(name, value)| (name, value.as_str())).collect()
    }

    /// What may be edited in jobs, by the configuration here: for jobs of another access point too,
    /// since that of theirs is not known.
    pub fn editable(&self) -> Editable {
        Editable::of(&self.knobs())
    }

    /// A setting that is a probability.
    ///
    /// # Errors
    /// [`SettingError`] for anything else.
    pub fn probability(&self, name: &'static str) -> Result<Option<f64>, SettingError> {
        let read = |text: &str| text.parse().ok().filter(|value| (0.0..=1.0).contains(value));
        self.read(name, "a probability from 0 to 1", read)
    }

    /// A setting that is a cost in hours.
    ///
    /// # Errors
    /// [`SettingError`] for anything else.
    pub fn hours(&self, name: &'static str) -> Result<Option<f64>, SettingError> {
        self.read(name, "a number of hours from 0 on", super::costs::hours)
    }

    /// A setting that is a size.
    ///
    /// # Errors
    /// [`SettingError`] for anything else.
    pub fn size(&self, name: &'static str) -> Result<Option<i64>, SettingError> {
        let read = |text: &str| text.parse().ok().filter(|size| *size > 0);
        self.read(name, "a whole number above 0", read)
    }

    /// How long a tool of HTCondor may take.
    ///
    /// # Errors
    /// [`SettingError`] where the setting is no such time.
    pub fn timeout(&self) -> Result<Duration, SettingError> {
        let read = |text: &str| text.parse().ok().filter(|seconds| TIMEOUTS.contains(seconds));
        let seconds = self.read(
            "HOLDADVISE_TIMEOUT_SECONDS",
            "seconds, a whole number from 1 to 86400",
            read,
        )?;
        Ok(Duration::from_secs(seconds.unwrap_or(60)))
    }

    /// How long evaluating the policies of all jobs may take.
    ///
    /// # Errors
    /// [`SettingError`] where the setting is no such time.
    pub fn policy_time(&self) -> Result<Duration, SettingError> {
        let read = |text: &str| text.parse().ok().filter(|seconds| *seconds <= *TIMEOUTS.end());
        let expected = "seconds, a whole number from 0 to 86400";
        let seconds = self.read("HOLDADVISE_POLICY_SECONDS", expected, read)?;
        Ok(seconds.map_or(PolicyTime::DEFAULT, Duration::from_secs))
    }

    /// How much of an event log is read, bytes; the newest.
    ///
    /// # Errors
    /// [`SettingError`] where the setting is no number of MiB.
    pub(crate) fn event_log_bytes(&self) -> Result<u64, SettingError> {
        let read = |text: &str| text.parse().ok().filter(|mib| (1..=1 << 40).contains(mib));
        let expected = "MiB, a whole number from 1 on";
        let mib: Option<u64> = self.read("HOLDADVISE_EVENT_LOG_MIB", expected, read)?;
        Ok(mib.unwrap_or(EVENT_LOG_MIB) << 20)
    }

    /// The folder in which this account keeps what one call leaves for the next; `None` where no
    /// home is known.
    pub(crate) fn state_folder() -> Option<PathBuf> {
        let dirs = BaseDirs::new()?;
        let state = dirs.state_dir().map(PathBuf::from);
        let state = state.unwrap_or_else(|| dirs.home_dir().join(".local/state"));
        Some(state.join("condor-holdadvise"))
    }

    /// What is looked at: nothing, or files and these URLs; `named` goes before the setting.
    ///
    /// # Errors
    /// [`SettingError`] for a word that is none.
    pub fn checks(&self, named: Option<Checks>) -> Result<Option<Urls>, SettingError> {
        let set = self.read("HOLDADVISE_CHECKS", "own, local, all or none", Checks::read)?;
        Ok(match named.or(set).unwrap_or(Checks::Own) {
            Checks::None => None,
            Checks::Local => Some(Urls::None),
            Checks::Own => Some(Urls::Own),
            Checks::All => Some(Urls::Asked),
        })
    }

    /// A setting that is more than a text. Tools of HTCondor end, too, where theirs is no number or
    /// out of range.
    fn read<T>(
        &self,
        name: &'static str,
        expected: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, SettingError> {
        let Some((value, place, _)) = self.find(name) else { return Ok(None) };
        match read(value.trim()) {
            Some(value) => Ok(Some(value)),
            None => Err(SettingError { name, value, place, expected }),
        }
    }

    /// The value of a setting of this tool, where it was found, and whether that is HTCondor's
    /// configuration.
    fn find(&self, name: &str) -> Option<(String, String, bool)> {
        let old = OLD_NAMES.iter().filter(|(_, today)| *today == name).map(|(old, _)| *old);
        let names: Vec<&str> = std::iter::once(name).chain(old).collect();
        let of_environment = |name: &&str| {
            Some((self.environment(name)?, format!("environment, _CONDOR_{name}"), false))
        };
        let of_user = |name: &&str| {
            let (value, path) = self.user().all.get(*name)?;
            Some((value.clone(), path.display().to_string(), false))
        };
        let of_pool = |name: &&str| {
            let value = self.pool().get(*name)?.clone();
            Some((value, "HTCondor's configuration".to_owned(), true))
        };
        let found = names.iter().find_map(of_environment);
        let found = found.or_else(|| names.iter().find_map(of_user));
        let found = found.or_else(|| names.iter().find_map(of_pool));
        found.filter(|(value, ..)| !value.is_empty())
    }

    fn environment(&self, name: &str) -> Option<String> {
        ["_CONDOR_", "_condor_"]
            .iter()
            .find_map(|prefix| std::env::var(format!("{prefix}{name}")).ok())
    }

    /// What of the user's own files counts for nothing, and names of earlier versions, a line each.
    pub fn faults(&self) -> Vec<String> {
        let faults = self.user().faults.iter().cloned().chain(self.refused());
        faults.chain(self.old_names()).collect()
    }

    /// Files, and entries of catalogues, that are not used, a line each.
    pub fn refused(&self) -> Vec<String> {
        self.refused.borrow().iter().cloned().collect()
    }

    /// Settings that have names of earlier versions in what was read, a line each.
    pub fn old_names(&self) -> Vec<String> {
        let is_set = |old: &str| {
            self.environment(old).is_some()
                || self.user.get().is_some_and(|user| user.all.contains_key(old))
                || self.pool.get().is_some_and(|pool| pool.contains_key(old))
        };
        let set = OLD_NAMES.iter().filter(|(old, _)| is_set(old));
        set.map(|(old, name)| format!("{old} is the name of an earlier version: set {name}"))
            .collect()
    }

    /// Notes a file that is not used.
    pub(super) fn refuse(&self, line: String) {
        self.refused.borrow_mut().insert(line);
    }

    fn user(&self) -> &UserSettings {
        self.user.get_or_init(|| {
            let mut user = UserSettings::default();
            for path in &self.user_files {
                let text = match open_own(path).and_then(std::io::read_to_string) {
                    Ok(text) => text,
                    Err(error) if is_absent(&error) => continue,
                    Err(error) => {
                        user.faults.push(format!("{} is not read: {error}", path.display()));
                        continue;
                    }
                };
                log::debug!("settings read from {}", path.display());
                let (settings, faults) = parse(&text);
                let place = path.display();
                user.faults.extend(faults.iter().map(|fault| format!("{place}: {fault}")));
                for (name, value) in settings {
                    if !is_setting(&name) {
                        user.faults.push(format!("{place}: {name} is no setting of this tool"));
                    }
                    user.all.entry(name).or_insert_with(|| (value, path.clone()));
                }
            }
            user
        })
    }
}

/// What `condor_config_val -dump -expand` wrote, names in upper case. A value of several lines
/// stands between `NAME @=tag` and `@tag`.
fn dumped(text: &str) -> BTreeMap<String, String> {
    let settings = SettingsFile::read(text);
    let pair =
        |setting: &Assignment| (setting.name.to_ascii_uppercase(), setting.value.text.clone());
    settings.assignments().iter().map(pair).collect()
}

/// Lines `NAME = value`: names in upper case, a backslash at the end joins the next line, `#`
/// begins a comment line, macros are not expanded. Beside the settings: what is wrong with other
/// lines.
fn parse(text: &str) -> (BTreeMap<String, String>, Vec<String>) {
    let (mut all, mut faults) = (BTreeMap::new(), Vec::new());
    let mut lines = text.lines();
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        let first = number;
        let line = line.trim();
        if line.starts_with('#') {
            continue;
        }
        let mut line = line.to_owned();
        while let Some(begun) = line.strip_suffix('\\') {
            let next = lines.next().unwrap_or_default();
            number += 1;
            line = format!("{begun}{}", next.trim());
        }
        if let Some((name, value)) = line.split_once('=') {
            all.insert(name.trim().to_ascii_uppercase(), value.trim().to_owned());
        } else if !line.is_empty() {
            faults.push(format!("line {first}: expected NAME = value"));
        }
    }
    (all, faults)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_of_a_configuration_file() {
        let (all, faults) = parse(
            "# HOLDADVISE_MODEL = /no\n holdadvise_model = /a b/m.pt \nX = 1 \\\n  + 2\nno assignment\n\
             E =\nY = a == b\\",
        );
        let pairs: Vec<(&str, &str)> = all.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(
            pairs,
            [("E", ""), ("HOLDADVISE_MODEL", "/a b/m.pt"), ("X", "1 + 2"), ("Y", "a == b")]
        );
        assert_eq!(faults, ["line 5: expected NAME = value"]);
    }

    #[test]
    fn a_dump_has_values_of_several_lines() {
        let all = dumped(
            "# Configuration from machine: ap\n\nEVENT_LOG = /var/log/EventLog\n\
             SYSTEM_PERIODIC_REMOVE @=end\n   JobStatus == 5\n   && NumHolds > 9\n@end\n\
             schedd.SYSTEM_MAX_RELEASES = 2 * 4\n",
        );
        let pairs: Vec<(&str, &str)> = all.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(
            pairs,
            [
                ("EVENT_LOG", "/var/log/EventLog"),
                ("SCHEDD.SYSTEM_MAX_RELEASES", "2 * 4"),
                ("SYSTEM_PERIODIC_REMOVE", "JobStatus == 5\n   && NumHolds > 9"),
            ]
        );
    }

    #[test]
    fn the_first_file_wins() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        std::fs::write(&one, "HOLDADVISE_TESTKNOB = 1\nEMPTY =").unwrap();
        std::fs::write(&two, "HOLDADVISE_TESTKNOB = 2\nOTHER = 3\nHOLDADVISE_JOURNAL_DIR = /new\nHOLDADVISE_JOURNAL = /old").unwrap();
        let config = Config {
            looks: None,
            user_files: vec![dir.path().join("absent"), one, two],
            user: OnceCell::new(),
            pool: OnceCell::from(BTreeMap::from([
                ("FAR".to_owned(), "4".to_owned()),
                ("HOLDADVISE_TIMEOUT".to_owned(), "7".to_owned()),
            ])),
            refused: RefCell::default(),
        };
        assert_eq!(config.get("HOLDADVISE_TESTKNOB").as_deref(), Some("1"));
        assert_eq!(config.get("OTHER").as_deref(), Some("3"));
        assert_eq!(config.get("FAR").as_deref(), Some("4"));
        assert_eq!(config.get("EMPTY"), None);
        assert_eq!(config.get_condor("OTHER"), None);
        assert_eq!(config.get("HOLDADVISE_JOURNAL_DIR").as_deref(), Some("/new"));
        assert_eq!(config.get("HOLDADVISE_TIMEOUT_SECONDS").as_deref(), Some("7"));
        let old = config.old_names();
        assert!(old[0].ends_with("an earlier version: set HOLDADVISE_JOURNAL_DIR"), "{old:?}");
        assert!(old[1].ends_with("an earlier version: set HOLDADVISE_TIMEOUT_SECONDS"), "{old:?}");
        assert!(config.faults()[0].ends_with("one: EMPTY is no setting of this tool"));
    }

    #[test]
    fn values_that_cannot_be_used_are_named() {
        let config = |name: &str, value: &str| Config {
            looks: None,
            user_files: Vec::new(),
            user: OnceCell::from(UserSettings::default()),
            pool: OnceCell::from(BTreeMap::from([(name.to_owned(), value.to_owned())])),
            refused: RefCell::default(),
        };
        let threshold = "HOLDADVISE_RELEASE_THRESHOLD";
        for wrong in ["nan", "-1", "1.01", "inf", "half"] {
            let error = config(threshold, wrong).probability(threshold).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "{threshold} is \"{wrong}\" (from HTCondor's configuration): expected a probability from 0 to 1"
                )
            );
        }
        assert_eq!(config(threshold, " 0.5 ").probability(threshold), Ok(Some(0.5)));
        assert_eq!(config("X", "nan").probability(threshold), Ok(None));
        let cost = "HOLDADVISE_COST_FAILED_HOURS";
        assert!(config(cost, "-1").hours(cost).is_err() && config(cost, "2").hours(cost).is_ok());
        for wrong in ["soon", "-3", "0", "1.5", "18446744073709551615"] {
            assert!(config("HOLDADVISE_TIMEOUT_SECONDS", wrong).timeout().is_err(), "{wrong}");
        }
        assert_eq!(config("X", "").timeout(), Ok(Duration::from_secs(60)));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            parse(&text);
        }
    }
}
