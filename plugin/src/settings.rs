//! Settings of the advisor, out of HTCondor's configuration.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use eventlog::LogFiles;
use holdadvise::home::Places;
use holdadvise::inquiry::{Config, SettingError};
use holdadvise::queue::Schedd;

/// Bytes of the event log that a pass reads at most.
pub const LOG_BYTES: u64 = 128 << 20;

/// The event log of the access point; where it cannot be opened, or is not set, a note says so, and
/// what that `costs`.
pub(crate) fn event_log(config: &Config, costs: &str, notes: &mut Vec<String>) -> Option<LogFiles> {
    let name = config.get("HOLDADVISE_EVENT_LOG").or_else(|| config.get_condor("EVENT_LOG"));
    let note = match name.map(LogFiles::open).transpose() {
        Ok(Some(log)) => return Some(log),
        Ok(None) => format!("EVENT_LOG is not set: {costs}"),
        Err(error) => error.to_string(),
    };
    notes.push(note);
    None
}

/// What a pass is to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// HOLDADVISE_STATE_DIR: the folder of the advisor, for its account alone.
    pub state: PathBuf,
    /// HOLDADVISE_LOG: the log of the advisor.
    pub log: Option<PathBuf>,
    /// HOLDADVISE_METRICS: the file that Prometheus' node_exporter reads.
    pub metrics: Option<PathBuf>,
    /// MAX_HOLDADVISE_LOG: bytes from which on it is rotated; 0: never.
    pub log_bytes: u64,
    /// HOLDADVISE_INTERVAL_SECONDS: seconds from pass to pass.
    pub interval: i64,
    /// HOLDADVISE_PASS_SECONDS: a pass ends after so many seconds.
    pub seconds: u64,
    /// HOLDADVISE_QUERY_SECONDS: one query may take so many seconds, one about a single owner a
    /// third of that.
    pub query_seconds: u64,
    /// HOLDADVISE_PASS_JOBS: held jobs of a pass at most.
    pub jobs: usize,
    /// HOLDADVISE_LOG_HOURS: so much of the event log is read.
    pub hours: i64,
    /// HOLDADVISE_JUDGE_MEMORY_MIB: MiB that the judge may use.
    pub memory: u64,
    /// HOLDADVISE_RELEASES: the access point releases jobs on their advice.
    pub releases: bool,
    /// HOLDADVISE_LEFT_TO_PEOPLE: the share of holds that it does not release.
    pub left: f64,
    /// HOLDADVISE_OWNER_RELEASES: jobs of one owner that a pass lets go at most.
    pub of_owner: usize,
    /// HOLDADVISE_PASS_RELEASES: jobs that a pass lets go at most.
    pub in_all: usize,
    /// HOLDADVISE_LOOKS_DIR: the folder of what was seen of users' files.
    pub looks: PathBuf,
    /// HOLDADVISE_LOOKS_ACCOUNT: the account of HTCondor, which may read that.
    pub looks_account: String,
    /// HOLDADVISE_LOOKS_INTERVAL_SECONDS: seconds from round to round of looks.
    pub looks_interval: u64,
    /// HOLDADVISE_LEARN: outcomes of this access point adjust the calibration of its model.
    pub learn: bool,
    /// HOLDADVISE_HOME_DIR: the folder where others read that.
    pub home: Option<PathBuf>,
    /// HOLDADVISE_RETRAIN: the sweep file of a service account that trains models.
    pub retrain: Option<PathBuf>,
    /// HOLDADVISE_RETRAIN_OUTCOMES: so many new outcomes ask for a training.
    pub retrain_outcomes: usize,
    /// HOLDADVISE_TRAIN: the program that plans a training.
    pub train: String,
    /// HOLDADVISE_INSTALL: a model that is better is installed.
    pub install: bool,
    /// How long one tool of HTCondor may take.
    pub timeout: Duration,
}

impl Settings {
    /// The settings of this access point, and what is wrong with some: these have their defaults.
    ///
    /// # Errors
    /// [`SettingError`] where HOLDADVISE_TIMEOUT_SECONDS is none.
    pub fn of(config: &Config) -> Result<(Self, Vec<String>), SettingError> {
        let mut faults = Vec::new();
        let mut read = Reader { config, faults: &mut faults };
        let settings = Self {
            state: config
                .get("HOLDADVISE_STATE_DIR")
                .map_or_else(|| "/var/lib/condor-holdadvise".into(), PathBuf::from),
            log: config.get("HOLDADVISE_LOG").map(PathBuf::from),
            metrics: config.get("HOLDADVISE_METRICS").map(PathBuf::from),
            log_bytes: read.bytes("MAX_HOLDADVISE_LOG", "10 Mb"),
            interval: read.number("HOLDADVISE_INTERVAL_SECONDS", 180, 1, 86_400),
            // Assumed: two thirds of the time until the next one.
            seconds: read.number("HOLDADVISE_PASS_SECONDS", 120, 1, 86_400),
            // Assumed: 10,000 jobs take a second or two.
            query_seconds: read.number("HOLDADVISE_QUERY_SECONDS", 45, 1, 86_400),
            jobs: read.number("HOLDADVISE_PASS_JOBS", 20_000, 1, 1_000_000),
            hours: read.number("HOLDADVISE_LOG_HOURS", 24, 1, 24 * 365),
            memory: read.number("HOLDADVISE_JUDGE_MEMORY_MIB", 1_024, 64, 1 << 20),
            releases: read.flag("HOLDADVISE_RELEASES"),
            left: read.number("HOLDADVISE_LEFT_TO_PEOPLE", 0.05, 0.0, 1.0),
            // Assumed, as all bounds on releases.
            of_owner: read.number("HOLDADVISE_OWNER_RELEASES", 100, 0, 1_000_000),
            in_all: read.number("HOLDADVISE_PASS_RELEASES", 500, 0, 1_000_000),
            looks: config
                .get("HOLDADVISE_LOOKS_DIR")
                .map_or_else(|| "/var/lib/condor-holdadvise-looks".into(), PathBuf::from),
            looks_account: config
                .get("HOLDADVISE_LOOKS_ACCOUNT")
                .unwrap_or_else(|| "condor".to_owned()),
            // Assumed: less than a pass, so that each finds looks of its own. With more than 200 s
            // and the time of a round some would not count any more.
            looks_interval: read.number("HOLDADVISE_LOOKS_INTERVAL_SECONDS", 120, 1, 200),
            learn: read.flag("HOLDADVISE_LEARN"),
            home: config.get("HOLDADVISE_HOME_DIR").map(PathBuf::from),
            retrain: config.get("HOLDADVISE_RETRAIN").map(PathBuf::from),
            // Assumed: four times what a calibration takes.
            retrain_outcomes: read.number("HOLDADVISE_RETRAIN_OUTCOMES", 2_000, 100, 1_000_000),
            train: config.get("HOLDADVISE_TRAIN").unwrap_or_else(|| "holdadvise-train".to_owned()),
            install: read.flag("HOLDADVISE_INSTALL"),
            timeout: config.timeout()?,
        };
        Ok((settings, faults))
    }

    /// How long ads are read. Assumed: half of a pass, as of [`Self::judging`].
    pub fn reading(&self) -> Duration {
        Duration::from_secs(self.seconds) / 2
    }

    /// How long it is judged, from the begin of a pass: what is left is for writing.
    pub fn judging(&self) -> Duration {
        Duration::from_secs(self.seconds) * 2 / 3
    }

    /// The journal's folder.
    pub fn journal(&self) -> PathBuf {
        self.state.join("journal")
    }

    /// What models said of held jobs, and what came of their releases: two journals.
    pub fn asked(&self) -> PathBuf {
        self.state.join("asked")
    }

    /// See [`Self::asked`].
    pub fn learned(&self) -> PathBuf {
        self.state.join("learned")
    }

    /// Where models on trial are, and what is shown to others; `None` where nothing is learned.
    pub fn places(&self) -> Option<Places> {
        let shown = self.home.clone().filter(|_| self.learn)?;
        Some(Places { own: self.learned(), shown })
    }

    /// The schedd of this machine.
    pub fn schedd(&self) -> Schedd {
        Schedd { name: None, pool: None, timeout: self.timeout }
    }
}

struct Reader<'a> {
    config: &'a Config,
    faults: &'a mut Vec<String>,
}

impl Reader<'_> {
    fn number<T>(&mut self, name: &str, default: T, least: T, most: T) -> T
    where
        T: FromStr + PartialOrd + Copy + std::fmt::Display,
    {
        let Some(text) = self.config.get(name) else { return default };
        let fits = |number: &T| *number >= least && *number <= most;
        text.trim().parse().ok().filter(fits).unwrap_or_else(|| {
            self.faults.push(format!(
                "{name} is \"{text}\": expected a number from {least} to {most}; {default} is taken"
            ));
            default
        })
    }

    /// Bytes, as HTCondor writes them: a number, or one with Kb, Mb or Gb.
    fn bytes(&mut self, name: &str, default: &str) -> u64 {
        let read = |text: &str| {
            let text = text.trim().to_ascii_lowercase();
            let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let (number, unit) = text.split_at(at);
            let units = [&["", "b"], &["k", "kb"], &["m", "mb"], &["g", "gb"]];
            let power = units.iter().position(|names| names.contains(&unit.trim()))?;
            number.parse::<u64>().ok()?.checked_mul(1 << (10 * power))
        };
        let set = self.config.get(name);
        let bytes = set.as_deref().map(read);
        if let (Some(text), Some(None)) = (set, bytes) {
            self.faults.push(format!(
                "{name} is \"{text}\": expected a number, or one with Kb, Mb or Gb; {default} is \
                 taken"
            ));
        }
        bytes.flatten().or_else(|| read(default)).unwrap_or(0)
    }

    /// False unless it says true: what is allowed so is done.
    fn flag(&mut self, name: &str) -> bool {
        let Some(text) = self.config.get(name) else { return false };
        match text.trim().to_ascii_lowercase().as_str() {
            "true" => true,
            "false" => false,
            _ => {
                self.faults
                    .push(format!("{name} is \"{text}\": expected True or False; False is taken"));
                false
            }
        }
    }
}
