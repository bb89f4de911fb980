//! The info sheet of a model: what it is for, what it was made of, and why its figures are not due
//! to leakage.
//!
//! The kinds of leakage are those of Kapoor and Narayanan (2023), "Leakage and the reproducibility
//! crisis in machine-learning-based science", Patterns 4 (9).

use serde::{Deserialize, Serialize};

/// What a model says of itself, sentence by sentence. Nothing of it is computed with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sheet {
    /// What it is for.
    pub purpose: Vec<String>,
    /// What it is not for.
    pub not_for: Vec<String>,
    /// What it was made of.
    pub data: Vec<String>,
    /// How that was cut into parts.
    pub split: Vec<String>,
    /// What it has not seen.
    pub not_seen: Vec<String>,
    /// Each kind of leakage.
    pub leakage: Vec<Leakage>,
    /// Which rows the figures are of.
    pub figures_of: String,
    /// The figures, of the model and of baselines, with the calibration of the training.
    pub figures: Vec<SheetFigure>,
    /// What decisions by it are worth, where `holdadvise-train closed-loop --record` measured
    /// that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_loop: Option<ClosedLoop>,
}

/// What decisions by the advice are worth in a simulation, where they change what happens next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClosedLoop {
    /// What was played, and by which version.
    pub figures_of: String,
    /// `share`: of the loss that is avoidable, what the advice avoids.
    pub figures: Vec<SheetFigure>,
}

/// One kind of leakage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leakage {
    /// Its number in the list of Kapoor and Narayanan, as `L1.1`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Whether it is there.
    pub found: LeakageFound,
    /// Why.
    pub why: String,
    /// The test or file that shows it.
    pub shown_by: String,
}

/// Whether a kind of leakage is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeakageFound {
    /// It cannot be there, for the reason given.
    No,
    /// In part, or it cannot be told.
    Perhaps,
    /// It is there.
    Yes,
    /// A word that this program does not know.
    #[serde(other)]
    Unknown,
}

impl LeakageFound {
    /// The words printed.
    pub const fn words(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Perhaps => "in part or perhaps",
            Self::Yes => "yes",
            Self::Unknown => "not known",
        }
    }
}

/// One figure of one method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SheetFigure {
    /// Its name, as `auroc`.
    pub figure: String,
    /// `model` or a baseline.
    pub method: String,
    /// On all rows.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}
