//! Words for a probability.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How likely something is, in words: printed instead of a percentage while the model has no
/// outcomes of this access point behind it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize,
)]
pub enum Band {
    /// Below 0.1.
    #[serde(rename = "very unlikely")]
    VeryUnlikely,
    /// 0.1 to 0.35.
    #[serde(rename = "unlikely")]
    Unlikely,
    /// 0.35 to 0.65.
    #[serde(rename = "as likely as not")]
    Even,
    /// 0.65 to 0.9.
    #[serde(rename = "likely")]
    Likely,
    /// 0.9 and more.
    #[serde(rename = "very likely")]
    VeryLikely,
}

impl Band {
    const ALL: [Self; 5] =
        [Self::VeryUnlikely, Self::Unlikely, Self::Even, Self::Likely, Self::VeryLikely];

    /// The band a probability (0 to 1) lies in.
    pub fn of(probability: f64) -> Self {
        let within = |band: &Self| probability >= band.least();
        Self::ALL.into_iter().rev().find(within).unwrap_or(Self::VeryUnlikely)
    }

    /// The least probability of the band.
    pub const fn least(self) -> f64 {
        match self {
            Self::VeryUnlikely => 0.0,
            Self::Unlikely => 0.1,
            Self::Even => 0.35,
            Self::Likely => 0.65,
            Self::VeryLikely => 0.9,
        }
    }

    /// The words printed.
    pub const fn words(self) -> &'static str {
        match self {
            Self::VeryUnlikely => "very unlikely",
            Self::Unlikely => "unlikely",
            Self::Even => "as likely as not",
            Self::Likely => "likely",
            Self::VeryLikely => "very likely",
        }
    }
}
