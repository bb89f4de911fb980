//! How to train.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::error::TrainError;
use crate::data::dataset::Dataset;
use crate::split::selection::SelectionOptions;
use crate::split::{Split, SplitOptions};
use crate::training::boosting::BoostingOptions;
use crate::training::precision::Precision;

/// How to train.
#[derive(Clone, Debug, clap::Args)]
pub struct FitOptions {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub split: SplitOptions,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub selection: SelectionOptions,
    /// Most passes over the training part.
    #[arg(long, default_value_t = 40)]
    pub epochs: usize,
    /// Passes without a better validation loss after which to stop.
    #[arg(long, default_value_t = 6)]
    pub patience: usize,
    /// Width of an embedding row.
    #[arg(long, default_value_t = 32)]
    pub embedding: usize,
    /// Units of an LSTM layer.
    #[arg(long, default_value_t = 64)]
    pub hidden: usize,
    /// LSTM layers.
    #[arg(long, default_value_t = 1)]
    pub layers: usize,
    /// Units over the statics.
    #[arg(long, default_value_t = 32)]
    pub units: usize,
    /// Units where LSTM and statics meet.
    #[arg(long, default_value_t = 64)]
    pub joint: usize,
    /// Step size of AdamW at the beginning; it falls linearly to 0 over the most passes.
    #[arg(long, default_value_t = 2e-3)]
    pub learning_rate: f64,
    /// Rows a step.
    #[arg(long, default_value_t = 128)]
    pub batch: usize,
    /// Decoupled weight decay of AdamW.
    #[arg(long, default_value_t = 0.01)]
    pub weight_decay: f64,
    /// Share of units dropped in training.
    #[arg(long, default_value_t = 0.1)]
    pub dropout: f64,
    /// Probability with which each source of statics the schema names is blanked in a row, in two
    /// rows of five.
    #[arg(long, default_value_t = 0.15)]
    pub source_dropout: f64,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub boosting: BoostingOptions,
    /// Share of the weight of the training rows that those of companions (`tensors --simulate`)
    /// have together, 0 to 0.9; 0 leaves them out. Without companions it is nothing.
    #[arg(long, default_value_t = 0.3)]
    pub companion_weight: f64,
    /// Begin with the parameters of this model, of the same schema and sizes, and keep it where
    /// what comes of the training is no better on the validation part.
    #[arg(long, value_name = "MODEL", conflicts_with = "architecture")]
    pub from: Option<PathBuf>,
    /// A scripted TorchScript module of one's own in place of the built-in network, as
    /// dag/arch/README.md says.
    #[arg(long, value_name = "FILE")]
    pub architecture: Option<PathBuf>,
    /// Everything random follows from it.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Processor threads, which share out the rows of a step; 0: one for each processor.
    #[arg(long, default_value_t = 1)]
    pub threads: u16,
    /// Where to compute.
    #[arg(long, value_enum, default_value_t = Place::Cpu)]
    pub device: Place,
    /// Numbers that the LSTM of the built-in network computes with in training on processors;
    /// parameters stay float32.
    #[arg(long, value_enum, default_value_t = Precision::Float32, conflicts_with = "architecture")]
    pub precision: Precision,
    /// Probability from which on an action is recommended.
    ///
    /// c / (1 + c), with a failed release costing c of what a success is worth: as much, where
    /// nothing else is known.
    #[arg(long, default_value_t = 0.5)]
    pub release_threshold: f64,
    /// Probability of the best action below which removal is recommended.
    #[arg(long, default_value_t = 0.1)]
    pub remove_threshold: f64,
    /// Bootstrap draws for the intervals of the figures kept with the model.
    #[arg(long, default_value_t = 1000)]
    pub draws: usize,
}

/// Where to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Place {
    /// The processor.
    #[default]
    Cpu,
    /// The first GPU.
    Cuda,
    /// The first GPU where there is one, else the processor.
    Auto,
}

impl FitOptions {
    /// Gives options the values of a JSON object: the long options' names with `_` for `-`.
    ///
    /// # Errors
    /// A name that is none of a training's, or a value of another kind.
    pub fn set_all(&mut self, values: &BTreeMap<String, Value>) -> Result<(), TrainError> {
        values.iter().try_for_each(|(name, value)| {
            self.set(name, value)
                .map_err(|detail| TrainError::Refused(format!("parameter {name}: {detail}")))
        })
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let wrong = |expected: &str| format!("{value} is not {expected}");
        let whole = || {
            let whole = value.as_u64().or_else(|| {
                value.as_f64().filter(|v| v.fract() == 0.0 && *v >= 0.0).map(|v| v as u64)
            });
            whole.map(|whole| whole as usize).ok_or_else(|| wrong("a whole number"))
        };
        let number = || value.as_f64().ok_or_else(|| wrong("a number"));
        match name {
            "embedding" => self.embedding = whole()?,
            "hidden" => self.hidden = whole()?,
            "layers" => self.layers = whole()?,
            "units" => self.units = whole()?,
            "joint" => self.joint = whole()?,
            "batch" => self.batch = whole()?,
            "learning_rate" => self.learning_rate = number()?,
            "weight_decay" => self.weight_decay = number()?,
            "dropout" => self.dropout = number()?,
            "source_dropout" => self.source_dropout = number()?,
            "companion_weight" => self.companion_weight = number()?,
            "trees" => self.boosting.trees = whole()?,
            "leaves" => self.boosting.leaves = whole()?,
            "tree_rate" => self.boosting.tree_rate = number()?,
            "seed" => self.seed = whole()? as u64,
            _ => return Err("no such option of a training".to_owned()),
        }
        Ok(())
    }

    /// Processor threads.
    pub(crate) fn processors(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => usize::from(threads),
        }
    }

    /// What decides the result of a training, beside its data.
    pub(super) fn described(&self, dataset: &Dataset) -> Value {
        let mut described = json!({
            "embedding": self.embedding,
            "hidden": self.hidden,
            "layers": self.layers,
            "units": self.units,
            "joint": self.joint,
            "learning_rate": self.learning_rate,
            "batch": self.batch,
            "weight_decay": self.weight_decay,
            "dropout": self.dropout,
            "source_dropout": self.source_dropout,
            "trees": self.boosting.trees,
            "leaves": self.boosting.leaves,
            "tree_rate": self.boosting.tree_rate,
            "seed": self.seed,
            "precision": self.precision,
        });
        if !dataset.info.companions.is_empty() {
            described["companion_weight"] = json!(self.companion_weight);
        }
        described
    }

    /// Refuses options and parts that nothing can be learned with.
    pub(crate) fn check(&self, dataset: &Dataset, split: &Split) -> Result<(), TrainError> {
        let fail = |text: String| Err(TrainError::Refused(text));
        split.check_training(dataset).map_err(TrainError::Refused)?;
        if self.batch == 0 || self.epochs == 0 {
            return fail("--batch and --epochs must be above 0".to_owned());
        }
        for (name, value, most) in [
            ("--learning-rate", self.learning_rate, 10.0),
            ("--weight-decay", self.weight_decay, 10.0),
            ("--dropout", self.dropout, 0.99),
            ("--source-dropout", self.source_dropout, 0.99),
            ("--tree-rate", self.boosting.tree_rate, 1.0),
            ("--companion-weight", self.companion_weight, 0.9),
        ] {
            if !(0.0..=most).contains(&value) {
                return fail(format!("{name} {value} must lie in 0..={most}"));
            }
        }
        self.boosting.check().map_err(TrainError::Refused)
    }
}
