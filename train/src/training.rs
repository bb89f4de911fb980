//! Fits the network (AdamW on weighted binary cross-entropy, early stop on validation loss) and the trees beside it, weighs the
//! two against each other, Platt calibration on the validation part, figures on the test part.
//!
//! On the CPU the same dataset, options and seed give the same file, byte for byte, with the same
//! version of libtorch, the same `--threads` and the same kind of processor. On a GPU sums are
//! taken in varying order and the last digits differ.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use holdadvise::model::{
    Batch, Calibration, Contract, Dimensions, METADATA_FORMAT, Model, ModelError, ModelMetadata,
    Output, Thresholds, TrainingSummary,
};
use serde_json::json;
use tch::nn::OptimizerConfig;
use tch::{Device, TchError, nn};

use crate::baselines::Baselines;
use crate::boosting::{BoostingOptions, boost};
use crate::calibration::platt;
use crate::cuda;
use crate::dataset::{Dataset, DatasetError, SUCCESS};
use crate::evaluate::{self, EvaluateError, Report};
use crate::export::{self, ExportError};
use crate::network::{Network, NetworkError, Sizes, Snapshot};
use crate::parts::{Parts, PartsError};
use crate::pieces::pieces;
use crate::random::Random;
use crate::rows::{Rows, loss};
use crate::say::say;
use crate::selection::{Blank, SELECTION_DETAIL, SelectionOptions};
use crate::sheet;
use crate::source_dropout::SourceDropout;
use crate::split::{Cuts, Split, SplitOptions};
use crate::stacking::share_of_trees;

/// Gradients are scaled down to this norm (Pascanu et al. 2013).
const GRADIENT_NORM: f64 = 1.0;

/// Train a model on a dataset.
#[derive(Clone, Debug, clap::Args)]
pub struct TrainOptions {
    /// The dataset, as `holdadvise-train tensors` writes it.
    pub dataset: PathBuf,
    /// Model file to write.
    #[arg(short, long)]
    pub output: PathBuf,
    /// The parts file, as `holdadvise-train split` writes it; without one the dataset is cut in time.
    #[arg(long, value_name = "PARTS", conflicts_with_all = ["validation_fraction", "test_fraction", "horizon"])]
    pub parts: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub fit: FitOptions,
}

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
    /// Probability with which each source of statics the schema names is blanked in a row, in two rows of five.
    #[arg(long, default_value_t = 0.15)]
    pub source_dropout: f64,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub boosting: BoostingOptions,
    /// Everything random follows from it.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Processor threads; 0 leaves it to libtorch. More than one helps large networks on idle
    /// processors only: the steps of a small one are too short to share.
    #[arg(long, default_value_t = 1)]
    pub threads: i32,
    /// Where to compute.
    #[arg(long, value_enum, default_value_t = Place::Cpu)]
    pub device: Place,
    /// Probability from which on an action is recommended.
    ///
    /// c / (1 + c), with a release in vain costing c of what a success is worth: as much, where nothing else is known.
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

/// Why training failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The dataset.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// An option or the split does not do.
    #[error("{0}")]
    Options(String),
    /// The network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// libtorch.
    #[error("libtorch: {0}")]
    Torch(#[from] TchError),
    /// The archive.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The finished model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The parts file.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// The figures.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// The model file could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Runs `train`.
///
/// # Errors
/// When the dataset cannot be read, does not suffice, or the model cannot be written.
pub fn run(options: &TrainOptions) -> Result<(), TrainError> {
    let dataset = Dataset::read(&options.dataset)?;
    let (archive, report) = match &options.parts {
        None => train(&dataset, &options.fit)?,
        Some(path) => train_parts(&dataset, Parts::read_split(path, &dataset)?.1, &options.fit)?,
    };
    export::write_whole(&options.output, &archive)
        .map_err(|source| TrainError::Write { path: options.output.clone(), source })?;
    say(format_args!("{report}"));
    say(format_args!("{}: {} bytes\n", options.output.display(), archive.len()));
    Ok(())
}

/// Cuts a dataset in time and trains on it: the finished archive, and its figures on the test part.
///
/// # Errors
/// When the options or the dataset do not do, or libtorch fails.
pub fn train(dataset: &Dataset, options: &FitOptions) -> Result<(Vec<u8>, Report), TrainError> {
    let cuts = Cuts::new(dataset, &options.split).map_err(TrainError::Options)?;
    train_parts(dataset, Split::new(dataset, cuts), options)
}

/// Trains on the parts of a dataset: the finished archive, and its figures on the test part, if there is one.
///
/// # Errors
/// When the options or the dataset do not do, or libtorch fails.
pub fn train_parts(
    dataset: &Dataset,
    mut split: Split,
    options: &FitOptions,
) -> Result<(Vec<u8>, Report), TrainError> {
    let selection = &options.selection;
    let blank = selection.blank(&dataset.info.schema).map_err(TrainError::Options)?;
    selection.select(dataset, &mut split);
    check(dataset, &split, options)?;
    let targets = selection.targets(dataset, &split, options.seed);
    if options.threads > 0 {
        tch::set_num_threads(options.threads);
    }
    let fitted = fit(dataset, &split, options, &blank, &targets)?;

    let baselines = Baselines::fit(dataset, &split.train);
    let mut metadata = describe(dataset, &split, options, &fitted, &baselines);
    let raw = fitted.archive;
    let model = Model::from_bytes(&export::complete(&raw, metadata.clone())?)?;
    metadata.calibration = calibrate(dataset, &split.validation, &model, &blank, &targets)?;
    let model = Model::from_bytes(&export::complete(&raw, metadata.clone())?)?;
    let report = evaluate::report(dataset, &split, &model, options.draws, options.seed)?;
    metadata.metrics = serde_json::to_value(&report)
        .map_err(|error| TrainError::Options(format!("figures are not JSON: {error}")))?;
    metadata.sheet = Some(sheet::sheet(&sheet::Training {
        dataset,
        split: &split,
        selection,
        codes: &metadata.codes,
        report: &report,
        seed: options.seed,
    }));
    Ok((export::complete(&raw, metadata)?, report))
}

fn check(dataset: &Dataset, split: &Split, options: &FitOptions) -> Result<(), TrainError> {
    let fail = |text: String| Err(TrainError::Options(text));
    let successes = split.train.iter().filter(|&&row| dataset.label[row] == SUCCESS).count();
    if successes == 0 || successes == split.train.len() {
        return fail(format!(
            "the training part has {} rows, {successes} of them successes; both outcomes are needed \
             ({} rows censored, {} near a cut, {} of split clusters): more data, or a shorter --horizon",
            split.train.len(),
            split.dropped.censored,
            split.dropped.near_cut,
            split.dropped.cluster
        ));
    }
    if split.validation.is_empty() {
        return fail("the validation part is empty: raise --validation-fraction".to_owned());
    }
    if options.batch == 0 || options.epochs == 0 {
        return fail("--batch and --epochs must be above 0".to_owned());
    }
    for (name, value, most) in [
        ("--learning-rate", options.learning_rate, 10.0),
        ("--weight-decay", options.weight_decay, 10.0),
        ("--dropout", options.dropout, 0.99),
        ("--source-dropout", options.source_dropout, 0.99),
        ("--tree-rate", options.boosting.tree_rate, 1.0),
    ] {
        if !(0.0..=most).contains(&value) {
            return fail(format!("{name} {value} must lie in 0..={most}"));
        }
    }
    options.boosting.check().map_err(TrainError::Options)
}

/// A fitted network and how it got there.
struct Fitted {
    /// The module of the best epoch, without metadata.
    archive: Vec<u8>,
    best_epoch: usize,
    epochs: usize,
    train_loss: f64,
    validation_loss: f64,
    trees: usize,
    share_of_trees: f64,
}

/// libtorch has one source of chance for the whole process: two trainings at once would draw from each other's.
static CHANCE: Mutex<()> = Mutex::new(());

fn fit(
    dataset: &Dataset,
    split: &Split,
    options: &FitOptions,
    blank: &Blank,
    targets: &[f32],
) -> Result<Fitted, TrainError> {
    let _alone = CHANCE.lock().unwrap_or_else(PoisonError::into_inner);
    let device = device(options.device)?;
    tch::manual_seed(options.seed as i64);
    // The module is small: rewriting its graph costs more than it gains.
    tch::jit::f_set_graph_executor_optimize(false)?;
    let mut random = Random::new(options.seed ^ 0x7261_696E);
    let k = dataset.info.schema.statics.len();
    let pieces = pieces(&dataset.statics, k, &split.train, &blank.columns);
    let mut network = Network::new(sizes(dataset, options, pieces.len()), device, options.seed)?;
    network.set_pieces(&pieces)?;
    let (mean, scale) = standard(dataset, &split.train, blank);
    network.set_standard(&mean, &scale)?;
    network.set_dropout(options.dropout as f32)?;
    let rows = Rows::new(dataset, device, blank, targets)?;
    let dropout = SourceDropout::new(&dataset.info.schema.sources, options.source_dropout);
    let examples = rows.examples();
    let trees = boost(examples, split, &dropout, &options.boosting, options.seed);
    let mut optimizer = nn::AdamW { wd: options.weight_decay, ..nn::AdamW::default() }
        .build(network.parameters(), options.learning_rate)?;

    let mut order = split.train.clone();
    let mut best: Option<(f64, f64, usize, Snapshot)> = None;
    let steps = (options.epochs * order.len().div_ceil(options.batch)) as f64;
    let (mut epoch, mut step) = (0, 0);
    while epoch < options.epochs {
        epoch += 1;
        let start = Instant::now();
        random.shuffle(&mut order);
        network.set_training(true)?;
        let (mut sum, mut weight) = (0.0, 0.0);
        for chunk in order.chunks(options.batch) {
            let batch = rows.batch(chunk, |statics| {
                dropout.blank(statics, &mut random);
            })?;
            let logits = network.forward(&batch.states, &batch.statics)?;
            let (loss, total) = loss(&logits, &batch.target, &batch.weight)?;
            optimizer.set_lr(options.learning_rate * (1.0 - f64::from(step) / steps));
            step += 1;
            if total > 0.0 {
                optimizer.zero_grad();
                (&loss / total).f_backward()?;
                optimizer.clip_grad_norm(GRADIENT_NORM);
                optimizer.step();
            }
            sum += loss.f_double_value(&[])?;
            weight += total;
        }
        network.set_training(false)?;
        let train_loss = sum / weight;
        let validation_loss = rows.mean_loss(&network, &split.validation)?;
        let better = best.as_ref().is_none_or(|best| validation_loss < best.0);
        eprintln!(
            "epoch {epoch}: training loss {train_loss:.4}, validation loss {validation_loss:.4}{}, {:.1} s",
            if better { " (best)" } else { "" },
            start.elapsed().as_secs_f64()
        );
        if !(train_loss.is_finite() && validation_loss.is_finite()) {
            break;
        }
        if better {
            best = Some((validation_loss, train_loss, epoch, network.snapshot()?));
        } else if best.as_ref().is_some_and(|best| epoch - best.2 >= options.patience) {
            break;
        }
    }
    let Some((validation_loss, train_loss, best_epoch, snapshot)) = best else {
        return Err(TrainError::Options(format!(
            "the loss is not a number: lower --learning-rate {}",
            options.learning_rate
        )));
    };
    network.restore(&snapshot)?;
    let share_of_trees = match trees.roots.len() {
        0 => 0.0,
        _ => {
            let logits = rows.logits(&network, &split.validation)?;
            share_of_trees(examples, &split.validation, &logits, &trees)
        }
    };
    network.mix(share_of_trees, &trees)?;
    let archive = network.archive(&network.snapshot()?)?;
    let trees = trees.roots.len();
    Ok(Fitted {
        archive,
        best_epoch,
        epochs: epoch,
        train_loss,
        validation_loss,
        trees,
        share_of_trees,
    })
}

fn sizes(dataset: &Dataset, options: &FitOptions, pieces: usize) -> Sizes {
    Sizes {
        dimensions: Dimensions::of(&dataset.info.schema),
        embedding: options.embedding,
        hidden: options.hidden,
        layers: options.layers,
        units: options.units,
        pieces,
        joint: options.joint,
    }
}

fn device(place: Place) -> Result<Device, TrainError> {
    if place != Place::Cpu {
        cuda::load();
    }
    match place {
        Place::Cpu => Ok(Device::Cpu),
        Place::Auto => Ok(Device::cuda_if_available()),
        Place::Cuda if tch::Cuda::is_available() => Ok(Device::Cuda(0)),
        Place::Cuda => Err(TrainError::Options(
            "libtorch sees no GPU: put the folder of libtorch_cuda.so (such as that of PyTorch's \
             `torch/lib`) into LD_LIBRARY_PATH, or use --device cpu"
                .to_owned(),
        )),
    }
}

/// Mean and standard deviation of each static column over the training rows; a column that does
/// not vary keeps the scale 1, and so does one that is blanked.
fn standard(dataset: &Dataset, train: &[usize], blank: &Blank) -> (Vec<f32>, Vec<f32>) {
    let k = dataset.info.schema.statics.len();
    let n = train.len() as f64;
    let column = |row: usize, at: usize| f64::from(dataset.statics[row * k + at]);
    (0..k)
        .map(|at| {
            if blank.columns.contains(&at) {
                return (0.0, 1.0);
            }
            let mean = train.iter().map(|&row| column(row, at)).sum::<f64>() / n;
            let squares = train.iter().map(|&row| (column(row, at) - mean).powi(2)).sum::<f64>();
            let deviation = (squares / n).sqrt();
            (mean as f32, if deviation > 1e-6 { deviation as f32 } else { 1.0 })
        })
        .unzip()
}

fn calibrate(
    dataset: &Dataset,
    validation: &[usize],
    model: &Model,
    blank: &Blank,
    targets: &[f32],
) -> Result<Calibration, TrainError> {
    let (mut states, mut statics) = dataset.gather(validation);
    blank.apply(&mut states, &mut statics);
    let batch = Batch { states: &states, statics: &statics, n: validation.len() };
    let logits = model.engine.logits(&batch)?;
    let outcome: Vec<f32> = validation.iter().map(|&row| targets[row]).collect();
    let weight: Vec<f32> = validation.iter().map(|&row| dataset.weight[row]).collect();
    Ok(platt(&logits, &outcome, &weight))
}

/// The metadata but for calibration and figures. Nothing of time or place enters: the same
/// training gives the same file.
fn describe(
    dataset: &Dataset,
    split: &Split,
    options: &FitOptions,
    fitted: &Fitted,
    baselines: &Baselines,
) -> ModelMetadata {
    let info = &dataset.info;
    let span = |rows: &[usize]| {
        json!({
            "rows": rows.len(),
            "successes": rows.iter().filter(|&&row| dataset.label[row] == SUCCESS).count(),
        })
    };
    let details = [
        ("split", json!(split.cuts)),
        ("train", span(&split.train)),
        ("validation", span(&split.validation)),
        ("test", span(&split.test)),
        ("dropped", json!(split.dropped)),
        (SELECTION_DETAIL, json!(options.selection)),
        ("epochs", json!(fitted.epochs)),
        ("best_epoch", json!(fitted.best_epoch)),
        ("train_loss", json!(fitted.train_loss)),
        ("validation_loss", json!(fitted.validation_loss)),
        ("trees", json!(fitted.trees)),
        ("share_of_trees", json!(fitted.share_of_trees)),
        (
            "options",
            json!({
                "embedding": options.embedding,
                "hidden": options.hidden,
                "layers": options.layers,
                "units": options.units,
                "joint": options.joint,
                "learning_rate": options.learning_rate,
                "batch": options.batch,
                "weight_decay": options.weight_decay,
                "dropout": options.dropout,
                "source_dropout": options.source_dropout,
                "trees": options.boosting.trees,
                "leaves": options.boosting.leaves,
                "tree_rate": options.boosting.tree_rate,
                "seed": options.seed,
            }),
        ),
    ];
    let trained = split
        .train
        .iter()
        .chain(&split.validation)
        .filter(|&&row| dataset.observed[row] != 0)
        .count() as u64;
    ModelMetadata {
        format: METADATA_FORMAT,
        contract: Contract::StatesStatics,
        output: Output::Logit,
        dimensions: Dimensions::of(&info.schema),
        schema: info.schema.clone(),
        tensors: Vec::new(),
        calibration: Calibration::default(),
        thresholds: Thresholds {
            release: options.release_threshold,
            remove: options.remove_threshold,
            ..Thresholds::default()
        },
        training: TrainingSummary {
            trained_on: info.origin.clone(),
            outcomes: if info.real { trained } else { 0 },
            details: details.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        },
        metrics: serde_json::Value::Null,
        codes: baselines.code_statistics(),
        recalibration: None,
        sheet: None,
    }
}
