//! The numbers a network computes with.

use serde::{Deserialize, Serialize};

/// The numbers that the LSTM computes with in training. Parameters, gradients' sums and the
/// optimiser stay float32 (mixed precision: Micikevicius et al. 2018); bfloat16 has float32's
/// range, so that no loss has to be scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 24 bits of mantissa.
    #[default]
    Float32,
    /// 8 bits of mantissa: faster where a processor has units for it, slower elsewhere. A GPU
    /// computes in float32 all the same.
    Bfloat16,
}

impl Precision {
    /// Its name, as the option and the sweep file have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float32 => "float32",
            Self::Bfloat16 => "bfloat16",
        }
    }
}
