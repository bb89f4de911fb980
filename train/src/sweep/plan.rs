//! The plan of a sweep, `sweep.json` in its folder: all that the sweep file says, resolved, and
//! what was drawn from it.
//!
//! Every step of the sweep reads it and nothing else; none changes it. What a trial's parameters
//! are is in `trials/NNN/parameters.json`, which its training node reads.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::training::precision::Precision;
use crate::training::trial::RungResult;

/// Version of [`Plan`] that this program reads and writes.
pub const PLAN_FORMAT: u32 = 1;

/// A sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`PLAN_FORMAT`].
    pub format: u32,
    /// What the sweep is called, in tracking and reports.
    pub name: String,
    /// Everything random follows from it.
    pub seed: u64,
    /// Where holds come from.
    pub data: Data,
    /// The different ways to prepare the data, each prepared once; numbered from 1.
    pub settings: Vec<Setting>,
    /// The trials, numbered from 1.
    pub trials: Vec<Trial>,
    /// How trials are drawn.
    pub method: Method,
    /// How the values of each parameter that varies lie.
    #[serde(default)]
    pub spreads: BTreeMap<String, Spread>,
    /// What decides.
    pub metric: Metric,
    /// Successive halving; the last rung trains to the end. At least one.
    pub rungs: Vec<Rung>,
    /// Epochs without a better validation loss after which a trial stops.
    pub patience: usize,
    /// Numbers that the LSTM computes with in training.
    #[serde(default)]
    pub precision: Precision,
    /// The model whose parameters trials begin with.
    #[serde(default)]
    pub from: Option<PathBuf>,
    /// A TorchScript template of one's own in place of the built-in network.
    pub architecture: Option<PathBuf>,
    /// The model in use, to compare the best trial with.
    pub champion: Option<PathBuf>,
    /// What a node asks HTCondor for.
    pub resources: Resources,
    /// How nodes come by the program.
    pub program: Program,
    /// Weights & Biases.
    pub tracking: Tracking,
}

/// Where holds come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Data {
    /// The logs of access points.
    pub access_points: Vec<AccessPoint>,
    /// Folders that `simulate` wrote, absolute.
    pub simulations: Vec<PathBuf>,
    /// Companions that train beside them: small simulated access points.
    #[serde(default)]
    pub simulate: usize,
    /// Holds from this instant on, Unix seconds.
    pub from: Option<i64>,
    /// Holds before this instant, Unix seconds.
    pub until: Option<i64>,
    /// How many seconds before the first hold of a log its access point's earlier logs are read.
    pub lookback: i64,
    /// H, hours.
    pub horizon: u32,
    /// Share of the holds, by time, that validation takes.
    pub validation_fraction: f64,
    /// Share of the holds, by time, that the test takes.
    pub test_fraction: f64,
    /// Validation rows with fewer of which no trial is trained.
    #[serde(default)]
    pub least_validation_rows: usize,
}

/// The logs of one access point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AccessPoint {
    /// Its name.
    pub name: String,
    /// Its job event logs, absolute, in the order they were written.
    pub logs: Vec<PathBuf>,
    /// They are users' logs.
    pub userlogs: bool,
    /// Files of epoch ads, absolute.
    pub epochs: Vec<PathBuf>,
    /// Journals of actions, absolute.
    pub journal: Vec<PathBuf>,
    /// The zone its logs are written in; `None`: that of the machine that reads them.
    pub time_zone: Option<String>,
}

/// One way to prepare the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// From 1.
    pub number: usize,
    /// The m + 1 edges of the frames, seconds before the decision, growing.
    pub frame_edges: Vec<u32>,
    /// j: job slots, the held job first.
    pub slots: usize,
}

/// One trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// From 1.
    pub number: usize,
    /// Number of the setting whose data it trains on.
    pub setting: usize,
}

/// How trials are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Each parameter by itself.
    Random,
    /// Every combination.
    Grid,
}

/// How the values of a parameter lie: what an axis of them has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// A few that were named.
    Choices,
    /// Evenly.
    Linear,
    /// Evenly by their logarithms.
    Log,
}

/// What decides between trials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// One of the metrics in a trial's `result.json`, such as `validation_loss`.
    pub name: String,
    /// Which way is better.
    pub goal: Goal,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// Less.
    Minimize,
    /// More.
    Maximize,
}

impl Goal {
    /// Which way is better, in a word.
    pub fn way(self) -> &'static str {
        match self {
            Self::Minimize => "less",
            Self::Maximize => "more",
        }
    }
}

/// A level of successive halving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rung {
    /// From 1.
    pub number: usize,
    /// Trials train until this epoch.
    pub epochs: usize,
    /// How many trials train on this rung at most.
    pub trials: usize,
}

/// What a node asks HTCondor for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resources {
    /// `request_gpus` of training nodes.
    pub gpus: u32,
    /// `request_cpus` of training nodes.
    pub cpus: u32,
    /// `request_memory` of training nodes, MB; `None`: from the size of the data.
    pub memory: Option<u64>,
    /// `request_disk` of training nodes, MB; `None`: from the size of the data.
    pub disk: Option<u64>,
    /// Most training nodes at a time; `None`: as many as there are slots.
    pub at_once: Option<usize>,
    /// `max_retries` of every node.
    pub retries: u32,
    /// Seconds between checkpoints.
    pub checkpoint: u64,
    /// Lines added to every submit description as they are, such as `requirements = ...`.
    pub submit: Vec<String>,
}

/// How nodes come by the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// `container_image`: a file, or a URL such as `osdf:///...` or `docker://...`.
    Container(String),
    /// A tarball of program and libtorch, absolute, transferred with each node.
    Tarball(PathBuf),
    /// A path that exists on every execution point.
    Installed(PathBuf),
}

/// Tracking by Weights & Biases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracking {
    /// On at all.
    pub enabled: bool,
    /// Project.
    pub project: String,
    /// Team or user; `None`: the account's default.
    pub entity: Option<String>,
    /// Never call the network: directories for `wandb sync`.
    pub offline: bool,
    /// The Python that has the `wandb` package.
    pub python: PathBuf,
}

/// `best/trial.json`: the best trial of all, as `select` found it after the last rung.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestTrial {
    /// Number of the setting whose data it trained on.
    pub setting: usize,
    /// Its parameters.
    pub parameters: BTreeMap<String, Value>,
    /// Trials that it differs from by less than the interval of the difference.
    #[serde(default)]
    pub ties: usize,
    /// Other trials whose difference has an interval.
    #[serde(default)]
    pub compared: usize,
    /// What it came to, on the rung whose model is in `best/model.pt`.
    #[serde(flatten)]
    pub result: RungResult,
}

/// What `select` decided after a rung: `rungs/rungN.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The rung the results are of.
    pub rung: usize,
    /// What becomes of each trial on the next rung, the best first. All trials are named. After the
    /// last rung the first, `Stopped`, is the best of all, and the others are `Lost`.
    pub fates: Vec<(usize, Fate)>,
}

impl Decision {
    /// How many trials have this fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.fates.iter().filter(|(_, of)| *of == fate).count()
    }
}

/// What becomes of a trial after a rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It trains on.
    GoesOn,
    /// Others are better.
    Lost,
    /// It is among the best, and has stopped: nothing is left to train.
    Stopped,
}

impl Plan {
    /// Looks whether its parts belong together.
    ///
    /// # Errors
    /// With what does not.
    pub fn check(&self) -> Result<(), String> {
        for (what, numbers) in [
            ("settings", self.settings.iter().map(|setting| setting.number).collect::<Vec<_>>()),
            ("trials", self.trials.iter().map(|trial| trial.number).collect()),
            ("rungs", self.rungs.iter().map(|rung| rung.number).collect()),
        ] {
            if numbers.is_empty() || !numbers.iter().copied().eq(1..=numbers.len()) {
                return Err(format!(
                    "{what} {numbers:?}: expected at least one, each numbered from 1"
                ));
            }
        }
        let settings = 1..=self.settings.len();
        if let Some(trial) = self.trials.iter().find(|trial| !settings.contains(&trial.setting)) {
            let Trial { number, setting } = trial;
            return Err(format!("trial {number} trains on setting {setting}, which is none"));
        }
        if !self.rungs.is_sorted_by(|a, b| a.epochs < b.epochs) {
            return Err("each rung must train to a later epoch than the one before".to_owned());
        }
        Ok(())
    }

    /// The folder of a trial, within that of the sweep.
    pub fn trial_folder(trial: usize) -> PathBuf {
        PathBuf::from(format!("trials/{trial:03}"))
    }

    /// The folder of a trial on a rung, within that of the sweep.
    pub fn rung_folder(trial: usize, rung: usize) -> PathBuf {
        Self::trial_folder(trial).join(format!("rung{rung}"))
    }

    /// The folder of a prepared setting, within that of the sweep.
    pub fn setting_folder(setting: usize) -> PathBuf {
        PathBuf::from(format!("prepared/{setting:03}"))
    }
}
