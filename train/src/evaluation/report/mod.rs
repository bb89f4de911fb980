//! The report of an evaluation: what stands in `report.json`, and the page made of it.
//!
//! - `html`: the page.
//! - `tables`: the tables.
//!
//! HTML of the page is in `templates`.
//! - `verdict`: whether a model is better than the one in use.

mod html;
mod tables;
pub(crate) mod verdict;

pub use crate::page::chart::Line;
pub use html::page;
pub use verdict::{Compared, Judgement, Next, Verdict};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::split::parts::PartsInfo;
use holdadvise::metrics::{Estimate, NAMES, TITLES};

/// Version of [`Report`].
pub const REPORT_FORMAT: u32 = 1;

/// All that an evaluation found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`REPORT_FORMAT`].
    pub format: u32,
    /// What the page is called.
    pub title: String,
    /// The command line that made it.
    pub command: String,
    /// What the caller wants to stand there, such as the fingerprint of the simulator.
    pub notes: Vec<(String, String)>,
    /// What was evaluated on.
    pub dataset: DatasetNote,
    /// The parts.
    pub parts: PartsInfo,
    /// SHA-256 of the parts file, if there was one.
    pub parts_sha256: Option<String>,
    /// A release is recommended from this probability on.
    pub release_threshold: f64,
    /// Bootstrap draws of clusters.
    pub draws: usize,
    /// Seed of the draws.
    pub seed: u64,
    /// The method that all others are compared with.
    pub own: String,
    /// Whether it is better than the model in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The best observer, if one was named.
    pub best: Option<String>,
    /// All methods, in the order of the tables.
    pub methods: Vec<MethodNote>,
    /// What has to be known to read the tables right.
    pub remarks: Vec<String>,
    /// A table for each population.
    pub populations: Vec<PopulationTable>,
    /// Curves over the first population, of the first training seed of each method.
    pub curves: Curves,
    /// Per hold code, over the first population, most frequent first.
    pub codes: Vec<GroupRow>,
    /// Per reach of the hidden cause, over the first population.
    pub reaches: Vec<GroupRow>,
    /// Tables that the caller added.
    pub tables: Vec<ExtraTable>,
}

impl Report {
    fn is_ablation(&self, method: &MethodFigures) -> bool {
        self.methods.iter().any(|note| note.name == method.name && note.ablation)
    }
}

/// The dataset evaluated on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetNote {
    /// Its file.
    pub file: String,
    /// SHA-256 of its tensors.
    pub sha256: String,
    /// `simulated data`, or the name of the access point.
    pub origin: String,
    /// The rows are real outcomes.
    pub real: bool,
    /// Hash of the feature schema.
    pub schema: String,
    /// Rows.
    pub rows: usize,
    /// H, hours.
    pub horizon_hours: f64,
    /// What made each simulation.
    pub simulations: Vec<serde_json::Value>,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodNote {
    /// Its name.
    pub name: String,
    /// A file for each training seed; none for what is built in.
    pub files: Vec<FileNote>,
    /// Something is left out of it, to show what that brings; it is not among the curves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ablation: bool,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileNote {
    /// Its name as given.
    pub file: String,
    /// SHA-256 of its content.
    pub sha256: String,
}

/// Figures of all methods on some holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PopulationTable {
    /// Short name, also the anchor on the page.
    pub id: String,
    /// Heading.
    pub title: String,
    /// What it says.
    pub about: String,
    /// Rows.
    pub rows: usize,
    /// Different clusters.
    pub clusters: usize,
    /// Share of success.
    pub success: f64,
    /// The methods.
    pub methods: Vec<MethodFigures>,
    /// Share of the distance in AUROC from the table to the best observer that the own method has
    /// gone.
    pub gap_closed: Option<Estimate>,
    /// Methods that do not know all rows, and how many they do not.
    pub left_out: Vec<(String, usize)>,
}

/// Figures of one method; those that do not exist on these rows are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodFigures {
    /// The method.
    pub name: String,
    /// By the name of the figure.
    pub figures: BTreeMap<String, SeedEstimate>,
    /// The own method's figures less these, drawn in common. Empty for the own method.
    pub own_less_this: BTreeMap<String, Estimate>,
}

/// A figure, the mean over training seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedEstimate {
    /// Mean and its interval.
    #[serde(flatten)]
    pub mean: Estimate,
    /// The figure of each training seed.
    pub seeds: Vec<f64>,
    /// Standard deviation over the training seeds, where there are several.
    pub spread: Option<f64>,
}

/// Curves, a line for each method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curves {
    /// Share of failures and share of successes at or above each probability.
    pub roc: Vec<Line>,
    /// Share of successes found, and share of successes among what is found.
    pub precision_recall: Vec<Line>,
    /// Mean probability and share of success in each bin of equal weight.
    pub reliability: Vec<Line>,
    /// Threshold and wasted hours for 100 holds.
    pub cost: Vec<Line>,
    /// Share of the holds decided, the surest first, and share of wrong decisions among them.
    pub risk: Vec<Line>,
}

/// Holds with one code or one reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRow {
    /// The code with its name, or the reach.
    pub name: String,
    /// Rows.
    pub rows: usize,
    /// Share of success.
    pub success: f64,
    /// AUROC within the group of the own method, the table and the best observer, where there are
    /// both outcomes.
    pub auroc: Vec<(String, Option<f64>)>,
}

/// A table that the caller added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtraTable {
    /// Heading.
    #[serde(default)]
    pub title: String,
    /// Plain words on what it says.
    #[serde(default)]
    pub text: String,
    /// Headings of the columns.
    pub columns: Vec<String>,
    /// Text, numbers or nothing.
    pub rows: Vec<Vec<serde_json::Value>>,
}

/// What a figure is called on the page.
pub(crate) fn figure_title(name: &str) -> &str {
    let mut titles = NAMES.iter().zip(TITLES);
    titles.find(|(known, _)| **known == name).map_or(name, |(_, title)| title)
}
