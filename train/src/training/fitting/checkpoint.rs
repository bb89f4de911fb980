//! The checkpoint of a training: one safetensors file from which it goes on as if it had not
//! stopped.
//!
//! Tensors f32: `values`, `mean`, `square` (parameters and state of the optimiser, `[p]`), `best`
//! (the parameters kept, `[p]`, absent before the first epoch is done), and `tree_*` once there are
//! trees. The metadata key `holdadvise` holds [`Progress`] as JSON. Nothing random is kept: each
//! epoch draws from the seed and its own number.

use std::fmt::Display;
use std::path::Path;

use holdadvise::model::{Forest, TREE_TENSORS};
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tch::Tensor;

use super::error::TrainError;
use super::optimizer::{AdamState, numbers};
use crate::data::metadata;
use crate::output::{self, Output};

/// Version of [`Progress`] that this program reads and writes.
const CHECKPOINT_FORMAT: u32 = 1;

/// How far a training has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// [`CHECKPOINT_FORMAT`].
    format: u32,
    /// What it trains, and on what: a checkpoint of another task is refused.
    pub(crate) task: Value,
    /// Epochs done.
    pub(crate) epoch: usize,
    /// Steps of the optimiser.
    steps: i64,
    /// The epoch with the smallest validation loss, if any was a number.
    pub(crate) best: Option<BestEpoch>,
    /// A loss was no number.
    pub(crate) diverged: bool,
    /// Seconds spent in epochs.
    pub(crate) seconds: f64,
    /// Samples trained on, over all epochs.
    pub(crate) sequences: u64,
}

/// The epoch whose parameters are kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BestEpoch {
    /// From 1.
    pub(crate) epoch: usize,
    /// Mean cross-entropy on the training part.
    pub(crate) train_loss: f64,
    /// Mean cross-entropy on the validation part, of the network alone.
    pub(crate) validation_loss: f64,
}

impl Progress {
    /// Nothing is done yet.
    pub(crate) fn new(task: Value) -> Self {
        Self { format: CHECKPOINT_FORMAT, task, ..Self::default() }
    }

    /// Epochs went by without a better validation loss, or the loss was no number: more would
    /// change nothing.
    pub(crate) fn has_stopped(&self, patience: usize) -> bool {
        let since = self.epoch - self.best.map_or(0, |best| best.epoch);
        self.diverged || since >= patience.max(1)
    }
}

/// All that a training goes on from.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) progress: Progress,
    pub(crate) optimizer: AdamState,
    /// The parameters kept.
    pub(crate) best: Option<Tensor>,
    /// The trees, once they are grown.
    pub(crate) trees: Option<Forest>,
}

impl Checkpoint {
    /// Writes the file, by way of one beside it.
    pub(crate) fn write(&self, path: &Path) -> Result<(), TrainError> {
        let AdamState { steps, values, mean, square } = &self.optimizer;
        let mut tensors = vec![
            ("values", numbers(values)?),
            ("mean", numbers(mean)?),
            ("square", numbers(square)?),
        ];
        if let Some(best) = &self.best {
            tensors.push(("best", numbers(best)?));
        }
        if let Some(trees) = &self.trees {
            tensors.extend(TREE_TENSORS.into_iter().zip(trees.tensors()));
        }
        let bytes: Vec<(&str, Vec<u8>)> = tensors
            .into_iter()
            .map(|(name, values)| (name, values.iter().flat_map(|v| v.to_le_bytes()).collect()))
            .collect();
        let progress = Progress { steps: *steps, ..self.progress.clone() };
        let tensors: Vec<_> =
            bytes.iter().map(|(name, bytes)| (*name, Dtype::F32, &**bytes)).collect();
        let json = serde_json::to_string(&progress).map_err(wrong(path))?;
        let file = metadata::file(&tensors, json).map_err(wrong(path))?;
        Output::from(path).write(&file).map_err(TrainError::Write)
    }

    /// Reads a file of the same task, with `len` numbers in its parameters and `k` statics in its
    /// rows.
    pub(crate) fn read(
        path: &Path,
        task: &Value,
        len: usize,
        k: usize,
    ) -> Result<Self, TrainError> {
        Self::from_bytes(&output::read(path)?, task, len, k).map_err(wrong(path))
    }

    fn from_bytes(file: &[u8], task: &Value, len: usize, k: usize) -> Result<Self, String> {
        let (tensors, json) = metadata::open(file)?;
        let progress: Progress = metadata::parse(&json)?;
        if progress.format != CHECKPOINT_FORMAT {
            let Progress { format, .. } = progress;
            return Err(format!("format {format}, this program reads {CHECKPOINT_FORMAT}"));
        }
        if progress.task != *task {
            return Err(difference(&progress.task, task));
        }
        let parameters = |name: &str| -> Result<Tensor, String> {
            let values = tensor(&tensors, name)?;
            if values.len() != len {
                return Err(format!("{name} has {} numbers, this network {len}", values.len()));
            }
            Tensor::f_from_slice(&values).map_err(|error| error.to_string())
        };
        let optimizer = AdamState {
            steps: progress.steps,
            values: parameters("values")?,
            mean: parameters("mean")?,
            square: parameters("square")?,
        };
        let best = progress.best.map(|_| parameters("best")).transpose()?;
        let [root, ..] = TREE_TENSORS;
        let trees = if tensors.names().contains(&root) {
            let mut of_forest: [Vec<f32>; 7] = Default::default();
            for (values, name) in of_forest.iter_mut().zip(TREE_TENSORS) {
                *values = tensor(&tensors, name)?;
            }
            Some(Forest::of_tensors(&of_forest, k).map_err(|error| error.to_string())?)
        } else {
            None
        };
        Ok(Self { progress, optimizer, best, trees })
    }
}

/// What makes an error of what is wrong with a file.
fn wrong<E: Display>(path: &Path) -> impl Fn(E) -> TrainError {
    move |detail| {
        let path = path.display();
        TrainError::Refused(format!("checkpoint {path}: {detail}; remove the file to begin anew"))
    }
}

fn tensor(tensors: &SafeTensors<'_>, name: &str) -> Result<Vec<f32>, String> {
    let view = tensors.tensor(name).map_err(|error| error.to_string())?;
    if view.dtype() != Dtype::F32 {
        return Err(format!("{name} is {:?}, expected F32", view.dtype()));
    }
    let number = |bytes: &[u8]| bytes.try_into().map_or(f32::NAN, f32::from_le_bytes);
    Ok(view.data().chunks_exact(4).map(number).collect())
}

/// The first thing in which two tasks differ.
fn difference(found: &Value, expected: &Value) -> String {
    let of = |task: &Value, key: &str| task.get(key).map_or("nothing".to_owned(), Value::to_string);
    let keys = expected.as_object().into_iter().flatten().map(|(key, _)| key);
    let differs =
        keys.into_iter().find(|key| found.get(key.as_str()) != expected.get(key.as_str()));
    match differs {
        Some(key) => {
            format!("it has {key} {}, this training {}", of(found, key), of(expected, key))
        }
        None => "it is of another training".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn checkpoint() -> Checkpoint {
        let of = |value: f32| Tensor::from_slice(&[value; 3]);
        let best = BestEpoch { epoch: 2, train_loss: 0.5, validation_loss: 0.25 };
        let progress = Progress {
            epoch: 3,
            best: Some(best),
            seconds: 1.5,
            sequences: 7,
            ..Progress::new(json!({"hidden": 4, "seed": 1}))
        };
        Checkpoint {
            progress,
            optimizer: AdamState { steps: 9, values: of(1.0), mean: of(2.0), square: of(3.0) },
            best: Some(of(4.0)),
            trees: Some(Forest {
                roots: vec![0],
                nodes: vec![holdadvise::model::Node::Leaf { value: 0.5 }],
            }),
        }
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint.safetensors");
        let written = checkpoint();
        written.write(&path).unwrap();
        let read = Checkpoint::read(&path, &written.progress.task, 3, 1).unwrap();
        assert_eq!(read.progress, Progress { steps: 9, ..written.progress });
        assert_eq!(read.optimizer.steps, 9);
        assert_eq!(numbers(&read.optimizer.square).unwrap(), [3.0; 3]);
        assert_eq!(numbers(&read.best.unwrap()).unwrap(), [4.0; 3]);
        assert_eq!(read.trees, written.trees);
    }

    #[test]
    fn a_checkpoint_of_another_task_is_refused_with_the_difference() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        checkpoint().write(&path).unwrap();
        let refused =
            |task: Value, len| Checkpoint::read(&path, &task, len, 1).unwrap_err().to_string();
        let said = refused(json!({"hidden": 8, "seed": 1}), 3);
        assert!(said.contains("it has hidden 4, this training 8; remove the file"), "{said}");
        let said = refused(json!({"hidden": 4, "seed": 1}), 5);
        assert!(said.contains("values has 3 numbers, this network 5"), "{said}");
    }

    #[test]
    fn patience_counts_from_the_best_epoch() {
        let mut progress = Progress::new(Value::Null);
        assert!(!progress.has_stopped(2));
        progress.epoch = 3;
        assert!(progress.has_stopped(2), "no epoch was any good");
        progress.best = Some(BestEpoch { epoch: 2, train_loss: 1.0, validation_loss: 1.0 });
        assert!(!progress.has_stopped(2));
        progress.epoch = 4;
        assert!(progress.has_stopped(2) && !progress.has_stopped(3));
        progress.diverged = true;
        assert!(progress.has_stopped(100));
    }

    proptest! {
        #[test]
        fn damaged_files_are_refused_or_read_without_panic(at in 0_usize..900, byte: u8, cut in 0_usize..900) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("c");
            checkpoint().write(&path).unwrap();
            let mut file = std::fs::read(&path).unwrap();
            let task = json!({"hidden": 4, "seed": 1});
            let length = file.len();
            file[at % length] = byte;
            let _ = Checkpoint::from_bytes(&file, &task, 3, 1);
            prop_assert!(Checkpoint::from_bytes(&file[..cut % length], &task, 3, 1).is_err());
        }
    }
}
