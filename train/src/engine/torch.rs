//! libtorch runs any module that keeps the contract of models.

use std::io::Cursor;
use std::sync::{Mutex, PoisonError};

use holdadvise::model::{Batch, Contract, Dimensions, Engine, ModelError, ModelMetadata, Output};
use holdadvise::text::shown;
use tch::{CModule, Device, Kind, TchError, Tensor};

/// Samples handed to libtorch at a time.
const CHUNK: usize = 4096;

/// Values of a one-hot tensor handed over at a time, so that large e * j stay in memory.
const ONE_HOT_VALUES: usize = 16 << 20;

/// A TorchScript module with what is needed to call it.
#[derive(Debug)]
pub(super) struct TorchEngine {
    /// libtorch's handle may move between threads but not be shared.
    module: Mutex<CModule>,
    dimensions: Dimensions,
    contract: Contract,
    output: Output,
}

impl TorchEngine {
    /// Loads the module of an archive held in memory onto the CPU. A module is code that libtorch
    /// executes: only archives from a trusted place belong here.
    ///
    /// # Errors
    /// [`ModelError::Engine`] when libtorch does not take it.
    pub(super) fn new(bytes: &[u8], metadata: &ModelMetadata) -> Result<Self, ModelError> {
        metadata.check()?;
        let mut module =
            CModule::load_data_on_device(&mut Cursor::new(bytes), Device::Cpu).map_err(torch)?;
        module.f_set_eval().map_err(torch)?;
        Ok(Self {
            module: Mutex::new(module),
            dimensions: metadata.dimensions,
            contract: metadata.contract,
            output: metadata.output,
        })
    }

    fn chunk(&self, states: &[u8], statics: &[f32], n: usize) -> Result<Vec<f32>, ModelError> {
        let Dimensions { e, m, j, k } = self.dimensions;
        let side = |n: usize| n as i64;
        let module = self.module.lock().unwrap_or_else(PoisonError::into_inner);
        let result = match self.contract {
            Contract::StatesStatics => {
                let states = Tensor::from_slice(states)
                    .f_to_kind(Kind::Int64)
                    .and_then(|t| t.f_view([side(n), side(m), side(j)]));
                let statics = Tensor::from_slice(statics).f_view([side(n), side(k)]);
                module.forward_ts(&[states.map_err(torch)?, statics.map_err(torch)?])
            }
            Contract::OneHot => {
                let mut rows = vec![0.0_f32; states.len() * e];
                for (slot, &state) in states.iter().enumerate() {
                    rows[slot * e + usize::from(state)] = 1.0;
                }
                let rows = Tensor::from_slice(&rows).f_view([side(n), side(m), side(j * e)]);
                module.forward_ts(&[rows.map_err(torch)?])
            }
        };
        let values = result
            .and_then(|values| values.f_to_kind(Kind::Float))
            .and_then(|values| values.f_to_device(Device::Cpu))
            .and_then(|values| values.f_reshape([-1]))
            .map_err(torch)?;
        let values: Vec<f32> = Vec::try_from(values).map_err(torch)?;
        if values.len() != n {
            return Err(ModelError::Engine(format!(
                "libtorch: the module returned {} values for {n} samples",
                values.len()
            )));
        }
        Ok(match self.output {
            Output::Logit => values,
            Output::Probability => values.into_iter().map(log_odds).collect(),
        })
    }
}

impl Engine for TorchEngine {
    fn logits(&self, batch: &Batch<'_>) -> Result<Vec<f32>, ModelError> {
        batch.check(&self.dimensions)?;
        let Dimensions { e, m, j, k } = self.dimensions;
        let rows = match self.contract {
            Contract::StatesStatics => CHUNK,
            Contract::OneHot => (ONE_HOT_VALUES / (m * j * e)).clamp(1, CHUNK),
        };
        let mut logits = Vec::with_capacity(batch.n);
        let _guard = tch::no_grad_guard();
        for start in (0..batch.n).step_by(rows) {
            let end = (start + rows).min(batch.n);
            let states = &batch.states[start * m * j..end * m * j];
            let statics = &batch.statics[start * k..end * k];
            logits.extend(self.chunk(states, statics, end - start)?);
        }
        Ok(logits)
    }
}

/// The longest message of libtorch that is printed, characters.
const MESSAGE: usize = 300;

/// The logit of a probability, which a saturated sigmoid may have rounded to 0 or 1.
fn log_odds(probability: f32) -> f32 {
    let p = probability.clamp(1e-7, 1.0 - 1e-7);
    (p / (1.0 - p)).ln()
}

/// What libtorch says, on one line: the error of a module, else the first line. Below stands where
/// in the program it happened.
pub(crate) fn said(error: &TchError) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut lines = lines.take_while(|line| !line.starts_with("frame #"));
    let of_module = lines.clone().find(|line| line.contains("Error: "));
    let line = of_module.or_else(|| lines.next()).unwrap_or("no message");
    format!("libtorch: {}", shown(line, MESSAGE))
}

// Taken by value as `map_err` hands it over.
#[allow(clippy::needless_pass_by_value)]
fn torch(error: TchError) -> ModelError {
    ModelError::Engine(said(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        let frames = "\nException raised from valid\nframe #0: c10::Error::Error: (0x1)\n";
        let torch = |text: &str| said(&TchError::Torch(format!("{text}{frames}")));
        assert_eq!(torch("no zip"), "libtorch: Internal torch error: no zip");
        let text = "The operation failed.\nTraceback:\n  f()\nRuntimeError: shapes differ\n";
        assert_eq!(torch(text), "libtorch: RuntimeError: shapes differ");
    }
}
