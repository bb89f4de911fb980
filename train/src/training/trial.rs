//! What a trial of a sweep is given and what it says of itself: the files of a training node.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use holdadvise::metrics::half_width;

/// A trial's `parameters.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The trial.
    pub trial: usize,
    /// Names of training options, as the long options of `holdadvise-train train` with `_` for `-`.
    pub parameters: BTreeMap<String, Value>,
}

/// What a training node says when a rung is done: `trials/NNN/rungN/result.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RungResult {
    /// The trial.
    pub trial: usize,
    /// The rung.
    pub rung: usize,
    /// Epochs trained in all.
    pub epoch: usize,
    /// The epoch whose parameters are kept.
    pub best_epoch: usize,
    /// Patience ran out: more epochs would change nothing.
    pub stopped_early: bool,
    /// The loss became no number: the trial loses.
    pub diverged: bool,
    /// Figures on the validation part: `validation_loss`, `validation_auroc`, `validation_brier`,
    /// `validation_f_measure`.
    pub metrics: BTreeMap<String, f64>,
    /// Rows of the validation part.
    #[serde(default)]
    pub validation_rows: usize,
    /// Clusters of the validation part.
    #[serde(default)]
    pub validation_clusters: usize,
    /// Each figure of `metrics` without each of up to 50 groups of clusters
    /// ([`holdadvise::metrics::without_groups`]); a figure that is not a number for one of
    /// them is left out.
    #[serde(default)]
    pub without_groups: BTreeMap<String, Vec<f64>>,
    /// How much the trees weigh beside the network, 0 to 1.
    #[serde(default)]
    pub share_of_trees: f64,
    /// It began with a model (`--from`), was no better on the validation part, and is that model.
    #[serde(default)]
    pub kept_beginning: bool,
    /// Seconds spent training, over all rungs.
    pub seconds: f64,
    /// Samples trained on a second, over all rungs.
    pub sequences_per_second: f64,
    /// Most memory the process had, MB.
    pub peak_memory_mb: u64,
    /// `cpu` or `cuda`.
    pub device: String,
}

impl RungResult {
    /// Half of the 95 % interval of a figure; `None` where there are fewer than ten clusters, or it
    /// was trained by a version that did not say.
    pub fn half_width(&self, metric: &str) -> Option<f64> {
        half_width(self.without_groups.get(metric)?)
    }
}
