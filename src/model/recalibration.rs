//! A calibration fitted anew on outcomes of one access point, and how many of them a percentage
//! needs.

use serde::{Deserialize, Serialize};

use super::Calibration;

/// Outcomes of one access point that a calibration takes, and that are needed before a probability
/// is printed as a percentage.
///
/// Slope and intercept fitted to that many outcomes alone have, on three simulated access points
/// that the model has not seen, a mean calibration error below 0.1, the width of the narrowest band
/// of words. By fewer they have more: a percentage would rest on what was learned elsewhere.
/// docs/training/model.md has the curve.
pub const LEAST_OUTCOMES: u64 = 500;

/// What `holdadvise-train calibrate` fitted the calibration to, and how it did on outcomes that
/// came later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recalibration {
    /// The access point. Without control characters, whatever the file holds.
    pub access_point: String,
    /// Outcomes that it was fitted to.
    pub outcomes: u64,
    /// Different clusters among them.
    pub clusters: u64,
    /// Those of which the action before the release is known.
    pub actions_known: u64,
    /// When the first of these releases was, Unix seconds.
    pub first: i64,
    /// When the last one was, Unix seconds.
    pub last: i64,
    /// The calibration before.
    pub replaced: Calibration,
    /// A calibration fitted to the older outcomes beside the one before, on the newer outcomes.
    pub check: RecalibrationCheck,
    /// It was worse there, and asked for all the same.
    #[serde(default)]
    pub forced: bool,
}

/// A calibration fitted to older outcomes, measured on newer ones of other clusters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecalibrationCheck {
    /// Older outcomes, which it was fitted to.
    pub fitted: u64,
    /// Newer outcomes, which it was measured on.
    pub measured: u64,
    /// Different clusters among the newer ones.
    pub clusters: u64,
    /// Expected calibration error: the mean distance between probability and share of success over
    /// 15 bins of equal weight.
    pub calibration_error: FigureChange,
    /// Mean negative log-likelihood, natural logarithm.
    pub log_loss: FigureChange,
}

/// A figure with the calibration before and with the one fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureChange {
    /// Before.
    pub before: Interval,
    /// After.
    pub after: Interval,
    /// After less before, on the same draws of clusters.
    pub difference: Interval,
}

/// A figure and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// On all rows.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl RecalibrationCheck {
    /// The new calibration is worse: its log loss is higher, or its calibration error is higher
    /// beyond chance. The log loss decides, since it is a proper score (Gneiting and Raftery 2007)
    /// and the calibration error of few rows is mostly chance.
    pub fn is_worse(&self) -> bool {
        self.log_loss.difference.value > 0.0 || self.calibration_error.difference.low > 0.0
    }
}
