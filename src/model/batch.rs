//! Samples handed to an engine, and what an engine is.

use super::{Dimensions, ModelError};

/// Samples to judge. All slices are row-major.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// State of each slot in each frame, `[n, m, j]`, oldest frame first; values below e.
    pub states: &'a [u8],
    /// Statics, `[n, k]`.
    pub statics: &'a [f32],
    /// Samples.
    pub n: usize,
}

impl Batch<'_> {
    /// Checks sizes, state values and that all statics are finite.
    ///
    /// # Errors
    /// [`ModelError::Batch`] naming what does not fit.
    pub fn check(&self, dimensions: &Dimensions) -> Result<(), ModelError> {
        let Dimensions { e, m, j, k } = *dimensions;
        let fail = |detail: String| Err(ModelError::Batch(detail));
        if Some(self.states.len()) != self.n.checked_mul(m * j) {
            return fail(format!(
                "{} states for {} samples of {m} frames and {j} slots",
                self.states.len(),
                self.n
            ));
        }
        if Some(self.statics.len()) != self.n.checked_mul(k) {
            return fail(format!(
                "{} statics for {} samples of {k} columns",
                self.statics.len(),
                self.n
            ));
        }
        if let Some(at) = self.states.iter().position(|&state| usize::from(state) >= e) {
            return fail(format!(
                "sample {} has state {}, the model knows {e} states",
                at / (m * j),
                self.states[at]
            ));
        }
        if let Some(at) = self.statics.iter().position(|value| !value.is_finite()) {
            return fail(format!(
                "sample {} has {} in static column {}",
                at / k,
                self.statics[at],
                at % k
            ));
        }
        Ok(())
    }
}

/// Runs a network.
pub trait Engine: std::fmt::Debug + Send + Sync {
    /// The log-odds of success of each sample, not calibrated.
    ///
    /// # Errors
    /// When the batch does not fit the model, or the engine fails.
    fn logits(&self, batch: &Batch<'_>) -> Result<Vec<f32>, ModelError>;
}
