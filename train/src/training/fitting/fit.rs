//! The training itself: epochs of AdamW on weighted binary cross-entropy with an early stop, the
//! trees beside the network, and how much each counts.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use holdadvise::model::{Batch, Calibration, Dimensions, Forest, cross_entropy, platt};
use indicatif::HumanDuration;
use serde::Serialize;
use serde_json::{Value, json};
use tch::{Device, Kind, Tensor};

use super::checkpoint::{BestEpoch, Checkpoint, Progress};
use super::describe::standard;
use super::device::device;
use super::error::TrainError;
use super::graph::Steps;
use super::interrupt;
use super::journal::{EpochLine, Journal};
use super::loss_weights::loss_weights;
use super::network::{Network, Sizes};
use super::optimizer::AdamW;
use super::options::FitOptions;
use super::replicas::Replicas;
use super::rows::{Inputs, Rows};
use super::rung::{Clock, RungOptions};
use super::stacking::share_of_trees;
use super::validation::Judged;
use crate::data::dataset::Dataset;
use crate::output;
use crate::progress::{self, Progress as Bar, Unit};
use crate::random::Random;
use crate::split::Split;
use crate::split::selection::Blank;
use crate::training::beginning::Beginning;
use crate::training::boosting::{Examples, boost};
use crate::training::pieces::pieces;
use crate::training::precision::Precision;
use crate::training::source_dropout::SourceDropout;

/// Gradients are scaled down to this norm (Pascanu et al. 2013).
const GRADIENT_NORM: f64 = 1.0;

/// What is to be learned, and how.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) dataset: &'a Dataset,
    pub(crate) split: &'a Split,
    pub(crate) options: &'a FitOptions,
    pub(crate) rung: &'a RungOptions,
    pub(crate) blank: &'a Blank,
    pub(crate) targets: &'a [f32],
    /// The model to begin with.
    pub(crate) beginning: Option<&'a Beginning>,
}

/// How a fit ended.
pub(crate) enum Ended {
    /// With a checkpoint, to be gone on with.
    Paused,
    /// The loss was no number before any epoch was good.
    Diverged(Progress),
    /// With a module.
    Done(Fitted),
}

/// A fitted network and how it got there.
pub(crate) struct Fitted {
    /// The module of the best epoch with the trees, without metadata.
    pub(crate) archive: Vec<u8>,
    pub(crate) progress: Progress,
    pub(crate) best: BestEpoch,
    /// Mean cross-entropy of the module on the validation part.
    pub(crate) validation_loss: f64,
    /// What each row of that part counts for in the loss.
    pub(crate) validation_weights: Vec<f32>,
    pub(crate) trees: usize,
    pub(crate) share_of_trees: f64,
    pub(crate) device: Device,
    /// Against the model it began with.
    pub(crate) begun: Option<Begun>,
}

/// A fit against the model it began with. Both losses are calibrated on the validation part, which
/// they are of.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Begun {
    /// SHA-256 of the model's file.
    sha256: String,
    /// Loss of that model.
    loss_before: f64,
    /// Loss of what was fitted.
    loss_after: f64,
    /// What was fitted is no better: the module is that model's.
    pub(crate) kept: bool,
}

/// libtorch has one source of chance for the whole process: two trainings at once would draw from
/// each other's.
static CHANCE: Mutex<()> = Mutex::new(());

/// Fits until the epoch the rung asks for, or until its clock is up.
pub(crate) fn fit(task: &Task<'_>, clock: Clock) -> Result<Ended, TrainError> {
    let _alone = CHANCE.lock().unwrap_or_else(PoisonError::into_inner);
    let Task { options, rung, split, .. } = *task;
    let mut trainer = Trainer::new(task)?;
    let epoch = trainer.progress.epoch;
    let journal = rung.metrics.as_ref().map(|path| Journal::open(path, rung.label(), epoch));
    let mut journal = journal.transpose()?;
    let until = rung.until(options);
    let mut begun = false;
    while trainer.progress.epoch < until && !trainer.progress.has_stopped(options.patience) {
        // An epoch at the least: a training that only reads its data and ends would go on for ever.
        let is_up = clock.is_up() || interrupt::came();
        if let (Some(path), true) = (&rung.checkpoint, begun && is_up) {
            trainer.checkpoint()?.write(path)?;
            return Ok(Ended::Paused);
        }
        begun = true;
        let line = trainer.epoch()?;
        if let Some(journal) = &mut journal {
            journal.add(&line)?;
        }
    }
    let forest = match trainer.trees.take() {
        Some(forest) => forest,
        None if trainer.network.takes_trees() => {
            let Trainer { rows, dropout, .. } = &trainer;
            boost(rows.examples(), split, dropout, &options.boosting, options.seed)
        }
        None => Forest::default(),
    };
    trainer.trees = Some(forest);
    if let Some(path) = &rung.checkpoint {
        trainer.checkpoint()?.write(path)?;
    }
    trainer.finish()
}

struct Trainer<'a> {
    task: Task<'a>,
    device: Device,
    network: Network,
    rows: Rows<'a>,
    dropout: SourceDropout,
    optimizer: AdamW,
    replicas: Replicas,
    steps: Steps,
    /// The sum of the losses of a pass, f64 `[1]`.
    sum: Tensor,
    progress: Progress,
    best: Option<Tensor>,
    trees: Option<Forest>,
}

impl<'a> Trainer<'a> {
    /// At the beginning, or where the checkpoint was written.
    fn new(task: &Task<'a>) -> Result<Self, TrainError> {
        let Task { dataset, split, options, rung, blank, targets, beginning } = *task;
        let device = device(options.device)?;
        // The module is small: rewriting its graph costs more than it gains.
        tch::jit::f_set_graph_executor_optimize(false)?;
        let dimensions = Dimensions::of(&dataset.info.schema);
        let mut network = match (&options.architecture, beginning) {
            (Some(path), _) => Network::own(&output::read(path)?, dimensions, device)?,
            (None, Some(begin)) => Network::begun(begin, dimensions, device, options.seed)?,
            (None, None) => {
                let found = pieces(&dataset.statics, dimensions.k, &split.train, &blank.columns);
                let FitOptions { embedding, hidden, layers, units, joint, .. } = *options;
                let pieces = found.len();
                let sizes = Sizes { dimensions, embedding, hidden, layers, units, pieces, joint };
                let network = Network::new(sizes, device, options.seed)?;
                network.set_pieces(&found)?;
                network
            }
        };
        if beginning.is_none() {
            let (mean, scale) = standard(dataset, &split.train, blank);
            network.set_standard(&mean, &scale)?;
        }
        network.set_dropout(options.dropout as f32)?;
        network.set_training(true)?;
        let weights = loss_weights(dataset, &split.train, options.companion_weight);
        let rows = Rows::new(dataset, device, blank, targets, weights)?;
        let dropout = SourceDropout::new(&dataset.info.schema.sources, options.source_dropout);
        let optimizer = AdamW::new(&network.trained(), options.weight_decay)?;
        let more = more_threads(options, device, &network);
        let precision = if device.is_cuda() { Precision::Float32 } else { options.precision };
        if precision != options.precision {
            let name = options.precision.name();
            eprintln!("--precision {name} is for processors: a GPU trains with float32");
        }
        let replicas = Replicas::new(&network, more, &optimizer, precision)?;
        let progress = Progress::new(described(task));
        let mut trainer = Self {
            task: *task,
            device,
            network,
            rows,
            dropout,
            optimizer,
            replicas,
            steps: Steps::on(device),
            sum: Tensor::f_zeros([1], (Kind::Double, device))?,
            progress,
            best: None,
            trees: None,
        };
        if let Some(path) = rung.checkpoint.as_ref().filter(|path| path.exists()) {
            let task = &trainer.progress.task;
            let read = Checkpoint::read(path, task, trainer.optimizer.len(), dimensions.k)?;
            let as_trained = |tensor: &Tensor| trainer.network.as_trained(tensor);
            trainer.optimizer.restore(&read.optimizer.each(as_trained)?)?;
            let best = read.best.as_ref().map(|best| as_trained(best)?.f_to_device(device));
            trainer.best = best.transpose()?;
            (trainer.progress, trainer.trees) = (read.progress, read.trees);
        }
        Ok(trainer)
    }

    /// A checkpoint has numbers in the order of the parameters' names, whatever the device.
    fn checkpoint(&self) -> Result<Checkpoint, TrainError> {
        let by_name = |tensor: &Tensor| self.network.by_name(&tensor.f_to(Device::Cpu)?);
        Ok(Checkpoint {
            progress: self.progress.clone(),
            optimizer: self.optimizer.state().each(by_name)?,
            best: self.best.as_ref().map(by_name).transpose()?,
            trees: self.trees.clone(),
        })
    }

    /// Passes over the training part once. All that is random in it follows from the seed and its
    /// number.
    fn epoch(&mut self) -> Result<EpochLine, TrainError> {
        let Task { split, options, .. } = self.task;
        let start = Instant::now();
        let number = self.progress.epoch + 1;
        let seed = Random::new(options.seed ^ (number as u64).rotate_left(32)).bits();
        // libtorch takes seeds up to i64's greatest.
        tch::manual_seed((seed >> 1) as i64);
        let mut random = Random::new(seed);
        let mut order = split.train.clone();
        random.shuffle(&mut order);
        let batches = order.len().div_ceil(options.batch);
        let steps = (options.epochs * batches) as f64;
        let rate = |at: usize| {
            options.learning_rate * (1.0 - ((number - 1) * batches + at) as f64 / steps)
        };
        let (mut weight, mut taken) = (0.0, self.optimizer.steps());
        let mut factors = Vec::with_capacity(batches * Inputs::FACTORS);
        for (at, chunk) in order.chunks(options.batch).enumerate() {
            let total = self.rows.weight(chunk);
            weight += total;
            taken += i64::from(total > 0.0);
            factors.push(if total > 0.0 { (1.0 / total) as f32 } else { 0.0 });
            factors.extend(self.optimizer.factors(taken, rate(at)));
        }
        let Self { rows, dropout, .. } = self;
        let pass = rows.pass(&order, options.batch, &factors, dropout, &mut random)?;

        self.network.set_training(true)?;
        let _ = self.sum.f_zero_()?;
        let what = format!("epoch {number} of {}", options.epochs);
        let bar = Bar::new(what, Unit::Things("rows"), order.len() as u64);
        for (at, factors) in factors.chunks(Inputs::FACTORS).enumerate() {
            let inputs = pass.inputs(at)?;
            // Rows without a weight teach nothing.
            self.step(&inputs, factors[0] > 0.0)?;
            bar.advance(inputs.rows() as u64);
        }
        self.optimizer.set_steps(taken);
        drop(bar);
        self.network.set_training(false)?;
        let train_loss = self.sum.f_double_value(&[0])? / weight;
        let seconds_of_pass = start.elapsed().as_secs_f64();
        let (logits, validation_loss) =
            self.rows.logits_and_loss(&self.network, &split.validation)?;
        let seconds = start.elapsed().as_secs_f64();
        self.progress.epoch = number;
        self.progress.seconds += seconds;
        self.progress.sequences += order.len() as u64;
        let until = self.task.rung.until(options) as u64;
        let spent = Duration::from_secs_f64(self.progress.seconds.clamp(0.0, 1e9));
        let left = progress::left(spent, number as u64, until).filter(|_| until > number as u64);
        let left =
            left.map_or(String::new(), |left| format!(", at most {} left", HumanDuration(left)));
        let better = self.judge(BestEpoch { epoch: number, train_loss, validation_loss });
        eprintln!(
            "epoch {number}: training loss {train_loss:.4}, validation loss {validation_loss:.4}{}, {seconds:.1} s{left}",
            if better { " (best)" } else { "" },
        );
        Ok(EpochLine {
            epoch: number,
            train_loss,
            figures: self.figures(&logits, validation_loss),
            learning_rate: rate(batches.saturating_sub(1)),
            seconds,
            sequences_per_second: order.len() as f64 / seconds_of_pass,
        })
    }

    /// Takes a step. Fewer rows than a batch, and those that teach nothing, are no work for a graph.
    fn step(&mut self, inputs: &Inputs, learns: bool) -> Result<(), TrainError> {
        let Self { network, rows, replicas, optimizer, sum, .. } = self;
        let share = self.task.options.dropout;
        let mut step = |inputs: &Inputs| {
            let batch = rows.drawn(inputs)?;
            let keep = keep(network, share, &batch.target)?;
            let scale = inputs.factors.f_get(0)?;
            let (loss, gradient) = replicas.gradient(network, &batch, keep.as_ref(), &scale)?;
            let _ = sum.f_add_(&loss)?;
            if learns {
                let factors = inputs.factors.f_narrow(0, 1, AdamW::FACTORS as i64)?;
                optimizer.step(&gradient, &factors, GRADIENT_NORM)?;
            }
            Ok(())
        };
        if learns && inputs.rows() == self.task.options.batch as i64 {
            self.steps.take(inputs, step)
        } else {
            step(inputs)
        }
    }

    /// What the validation part says of the network, where somebody reads it.
    fn figures(&self, logits: &[f32], loss: f64) -> BTreeMap<String, f64> {
        let Task { dataset, split, rung, .. } = self.task;
        if rung.metrics.is_none() {
            return BTreeMap::new();
        }
        let calibration = Calibration::default();
        let probability: Vec<f64> =
            logits.iter().map(|&logit| calibration.probability(logit)).collect();
        // Nothing can be ranked by what is no number.
        if probability.iter().any(|probability| probability.is_nan()) {
            return BTreeMap::new();
        }
        let outcomes = dataset.outcomes(&split.validation);
        Judged::of(&outcomes, &probability, loss, true).line("")
    }

    /// Keeps the parameters if none were better.
    fn judge(&mut self, epoch: BestEpoch) -> bool {
        self.progress.diverged =
            !(epoch.train_loss.is_finite() && epoch.validation_loss.is_finite());
        let best = self.progress.best;
        let better = best.is_none_or(|best| epoch.validation_loss < best.validation_loss);
        if self.progress.diverged || !better {
            return false;
        }
        self.progress.best = Some(epoch);
        self.best = Some(self.optimizer.values());
        true
    }

    /// The module of the best epoch, the trees weighed against it.
    fn finish(mut self) -> Result<Ended, TrainError> {
        let (Some(best), Some(values)) = (self.progress.best, &self.best) else {
            return Ok(Ended::Diverged(self.progress));
        };
        self.optimizer.set_values(values)?;
        self.network.set_training(false)?;
        let validation = &self.task.split.validation;
        let trees = self.trees.unwrap_or_default();
        let mut share = 0.0;
        if !trees.roots.is_empty() {
            let (logits, _) = self.rows.logits_and_loss(&self.network, validation)?;
            share = share_of_trees(self.rows.examples(), validation, &logits, &trees);
            self.network.mix(share, &trees)?;
        }
        let (logits, validation_loss) = self.rows.logits_and_loss(&self.network, validation)?;
        let weights = self.rows.examples().weight;
        let mut fitted = Fitted {
            archive: self.network.archive()?,
            validation_loss,
            validation_weights: validation.iter().map(|&row| weights[row]).collect(),
            progress: self.progress,
            best,
            trees: trees.roots.len(),
            share_of_trees: share,
            device: self.device,
            begun: None,
        };
        if let Some(beginning) = self.task.beginning {
            let ours = Losses::of(&logits, self.rows.examples(), validation);
            let its = its_logits(&self.task, beginning)?;
            let its = Losses::of(&its, self.rows.examples(), validation);
            fitted.settle(beginning, &its, &ours);
        }
        Ok(Ended::Done(fitted))
    }
}

/// Mean losses of a model on some rows.
struct Losses {
    /// Of what it says.
    plain: f64,
    /// Of what it says once it is calibrated to these rows.
    calibrated: f64,
}

impl Losses {
    /// `logits` are those of `rows`, one after the other.
    fn of(logits: &[f32], examples: Examples<'_>, rows: &[usize]) -> Self {
        let of = |values: &[f32]| rows.iter().map(|&row| values[row]).collect::<Vec<f32>>();
        let (target, weight) = (of(examples.target), of(examples.weight));
        let Calibration { a, b } = platt(logits, &target, &weight);
        let loss = |a: f64, b: f64| {
            let each = logits.iter().zip(target.iter().zip(&weight));
            let sum = each.map(|(&logit, (&target, &weight))| {
                let logit = a * f64::from(logit) + b;
                f64::from(weight) * cross_entropy(logit, target.into())
            });
            sum.sum::<f64>() / weight.iter().map(|&weight| f64::from(weight)).sum::<f64>()
        };
        Self { plain: loss(1.0, 0.0), calibrated: loss(a, b) }
    }
}

/// What the model that was begun with says of the validation part.
fn its_logits(task: &Task<'_>, beginning: &Beginning) -> Result<Vec<f32>, TrainError> {
    let rows = &task.split.validation;
    let (mut states, mut statics) = task.dataset.gather(rows);
    task.blank.apply(&mut states, &mut statics);
    let batch = Batch { states: &states, statics: &statics, n: rows.len() };
    Ok(beginning.model().engine.logits(&batch)?)
}

impl Fitted {
    /// Goes back to the model that was begun with where that is no worse.
    fn settle(&mut self, beginning: &Beginning, its: &Losses, ours: &Losses) {
        let kept = ours.calibrated.is_nan() || ours.calibrated >= its.calibrated;
        self.begun = Some(Begun {
            sha256: beginning.digest(),
            loss_before: its.calibrated,
            loss_after: ours.calibrated,
            kept,
        });
        let (before, after) = (its.calibrated, ours.calibrated);
        let losses = format!("validation loss, calibrated, {after:.4} against {before:.4}");
        if !kept {
            eprintln!("better than the model begun with: {losses}");
            return;
        }
        eprintln!("no better than the model begun with, which is kept: {losses}");
        self.archive = beginning.bytes().to_vec();
        self.validation_loss = its.plain;
        self.trees = beginning.trees();
        self.share_of_trees = beginning.share_of_trees();
    }
}

/// Which units are kept of the rows that these targets are of, scaled so that their mean is what it
/// is without dropout (Srivastava et al. 2014).
fn keep(network: &Network, share: f64, target: &Tensor) -> Result<Option<Tensor>, TrainError> {
    let Some(units) = network.units().filter(|_| share > 0.0) else { return Ok(None) };
    let drawn = Tensor::f_rand([target.size1()?, units as i64], (Kind::Float, target.device()))?;
    Ok(Some(drawn.f_ge(share)?.f_to_kind(Kind::Float)? / (1.0 - share)))
}

/// What must be the same for a checkpoint to be gone on from.
fn described(task: &Task<'_>) -> Value {
    let Task { dataset, split, options, rung, .. } = *task;
    let mut described = options.described(dataset);
    if let Some(described) = described.as_object_mut() {
        described.insert("epochs".to_owned(), json!(options.epochs));
        described.insert("selection".to_owned(), json!(options.selection));
        described.insert("train rows".to_owned(), json!(split.train.len()));
        described.insert("validation rows".to_owned(), json!(split.validation.len()));
        if let Some(beginning) = task.beginning {
            described.insert("from".to_owned(), json!(beginning.digest()));
        }
        // To read all rows once more is worth it only where there may be a file to go on from.
        if rung.checkpoint.is_some() {
            described.insert("dataset".to_owned(), json!(dataset.digest()));
        }
    }
    described
}

/// Threads besides the first that take parts of a batch. A module that drops units by itself draws
/// from libtorch's one source of chance, and who comes first would decide.
fn more_threads(options: &FitOptions, device: Device, network: &Network) -> usize {
    match network.units() {
        Some(_) if device == Device::Cpu => options.processors() - 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use holdadvise::features::FeatureSchema;
    use holdadvise::model::StaticSource;

    use super::*;
    use crate::data::dataset::Row;
    use crate::split::Dropped;
    use crate::training::fitting::Place;

    #[derive(Parser)]
    struct Given {
        #[command(flatten)]
        options: FitOptions,
    }

    /// Rows of 6 frames, 3 slots and 2 columns, each a source.
    fn rows(n: usize) -> Dataset {
        let names = |n: usize| (0..n).map(|at| at.to_string()).collect();
        let source = |at: usize| StaticSource { name: at.to_string(), columns: vec![at] };
        let schema = FeatureSchema {
            hash: "test".to_owned(),
            states: names(5),
            statics: names(2),
            frame_edges: (0..=6).collect(),
            slots: 3,
            sources: (0..2).map(source).collect(),
        };
        let mut dataset = Dataset::new(schema, "simulated data", false, 0);
        let mut random = Random::new(5);
        for _ in 0..n {
            let states: Vec<u8> = (0..18).map(|_| random.below(5) as u8).collect();
            let statics = [random.unit() as f32, random.unit() as f32];
            dataset.push(&Row { states: &states, statics: &statics, ..Row::default() }).unwrap();
        }
        dataset
    }

    /// A GPU is found by the first of the tests of a process alone: run it by its name.
    #[test]
    fn a_graph_learns_what_single_kernels_learn() {
        if device(Place::Auto).unwrap() == Device::Cpu {
            println!("skipped: no GPU");
            return;
        }
        let dataset = rows(7000);
        let mut random = Random::new(6);
        let targets: Vec<f32> = (0..dataset.len()).map(|_| random.below(2) as f32).collect();
        let arguments = "fit --device cuda --batch 64 --epochs 2 --dropout 0.2";
        let options = Given::parse_from(arguments.split(' ')).options;
        let split = Split {
            cuts: None,
            train: (0..6500).collect(),
            validation: (6500..7000).collect(),
            test: Vec::new(),
            dropped: Dropped::default(),
        };
        let rung = RungOptions::default();
        let blank = options.selection.blank(&dataset.info.schema).unwrap();
        let task = Task {
            dataset: &dataset,
            split: &split,
            options: &options,
            rung: &rung,
            blank: &blank,
            targets: &targets,
            beginning: None,
        };
        let losses = |graph: bool| {
            let mut trainer = Trainer::new(&task).unwrap();
            assert!(matches!(trainer.steps, Steps::Graph { .. }));
            if !graph {
                trainer.steps = Steps::Eager;
            }
            let losses = [(); 2].map(|()| trainer.epoch().unwrap().train_loss);
            assert_eq!(matches!(trainer.steps, Steps::Graph { .. }), graph);
            losses
        };
        for (graph, single) in losses(true).into_iter().zip(losses(false)) {
            assert!((graph / single - 1.0).abs() < 1e-5, "{graph} and {single}");
        }
    }
}
