//! The whole way from a dataset to a model that the advisor opens, on problems small enough to
//! train in seconds whose answer is known.
#![cfg(feature = "torch")]

use clap::Parser;
use holdadvise::history::{Action, Outcome};
use holdadvise::model::{
    Archive, Batch, Dimensions, FeatureSchema, Forest, Model, Node, StaticSource,
};
use holdadvise_train::data::dataset::{Dataset, Row};
use holdadvise_train::engine::EngineKind;
use holdadvise_train::export;
use holdadvise_train::export::train::train;
use holdadvise_train::random::Random;
use holdadvise_train::training::fitting::FitOptions;
use holdadvise_train::training::fitting::network::{Network, Sizes};
use holdadvise_train::training::pieces::Piece;
use tch::Device;

const FRAMES: usize = 6;
const SLOTS: usize = 3;
const COLUMNS: usize = 2;

#[derive(Parser)]
struct Options {
    #[command(flatten)]
    fit: FitOptions,
}

fn options(arguments: &str) -> FitOptions {
    let words = std::iter::once("train").chain(arguments.split_whitespace());
    Options::parse_from(words).fit
}

fn schema(e: usize, m: usize, j: usize, k: usize) -> FeatureSchema {
    let names = |n: usize| (0..n).map(|i| i.to_string()).collect();
    FeatureSchema {
        hash: "test".to_owned(),
        states: names(e),
        statics: names(k),
        frame_edges: (0..=m as u32).collect(),
        slots: j,
        sources: Vec::new(),
    }
}

/// Success when the other jobs went from state 1 to state 2, failure when they went from 2 to 1.
/// Each state is seen equally often and statics say nothing: the order alone tells.
fn order_matters(rows: usize) -> Dataset {
    let mut dataset = Dataset::new(schema(3, FRAMES, SLOTS, COLUMNS), "simulated data", false, 0);
    let mut random = Random::new(11);
    for row in 0..rows {
        let success = random.below(2) == 1;
        let (early, late) = if success { (1, 2) } else { (2, 1) };
        let turn = 2 + random.below(FRAMES - 3);
        let mut states = [0_u8; FRAMES * SLOTS];
        for frame in 0..FRAMES {
            states[frame * SLOTS] = random.below(3) as u8;
            for slot in 1..SLOTS {
                let shown = random.below(4) > 0;
                let state = if frame < turn { early } else { late };
                states[frame * SLOTS + slot] = if shown { state } else { 0 };
            }
        }
        let time = 1_700_000_000 + 60 * row as i64;
        dataset
            .push(&Row {
                states: &states,
                statics: &[random.unit() as f32, 1.0],
                action: Action::Unknown,
                outcome: if success { Outcome::Success } else { Outcome::Failure },
                cluster: row as i64,
                owner: 1,
                hold_time: time,
                decision_instant: time,
                outcome_time: time + 1,
                code: 13,
                ..Row::default()
            })
            .unwrap();
    }
    dataset
}

const SMALL: &str = "--epochs 12 --embedding 8 --hidden 16 --units 4 --joint 8 --batch 64 \
    --learning-rate 0.01 --threads 1 --draws 100";

#[test]
fn the_order_of_other_jobs_states_is_learned() {
    let dataset = order_matters(3000);
    let (archive, report) = train(&dataset, &options(SMALL)).unwrap();
    let auroc = |method: usize| report.methods[method].figures[0].1;
    assert!(auroc(0).low > 0.95, "{report}");
    assert!(auroc(1).high < 0.6, "the table cannot know: {report}");
    assert!(report.methods[1].model_less_this[0].1.low > 0.3, "{report}");

    let model = Model::from_bytes(&archive).unwrap();
    assert_eq!(model.metadata.training.trained_on, "simulated data");
    assert_eq!(model.metadata.training.outcomes, 0);
    assert_eq!(model.metadata.codes.len(), 1);
    assert!(model.metadata.metrics["methods"].is_array());
    engines_agree(&archive, 8.0);
    // The same frames in the opposite order turn the answer round.
    let (states, statics) = dataset.gather(&[0]);
    let backwards: Vec<u8> = states.chunks(SLOTS).rev().flatten().copied().collect();
    let ask =
        |states: &[u8]| model.probabilities(&Batch { states, statics: &statics, n: 1 }).unwrap()[0];
    assert!((ask(&states) - 0.5) * (ask(&backwards) - 0.5) < 0.0);
}

#[test]
fn permuted_labels_teach_nothing() {
    // All there is to see is the order, so a network that learned nothing ranks well or badly by
    // chance: many trainings.
    let dataset = order_matters(1000);
    let few = SMALL.replace("--epochs 12", "--epochs 3").replace("--draws 100", "--draws 5");
    let auroc = |seed: usize| {
        let arguments = format!("{few} --shuffle-labels --seed {seed}");
        train(&dataset, &options(&arguments)).unwrap().1.methods[0].figures[0].1.value
    };
    let all: Vec<f64> = (1..=16).map(auroc).collect();
    println!("{all:?}");
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let squares: f64 = all.iter().map(|auroc| (auroc - mean).powi(2)).sum();
    let error = (squares / (all.len() * (all.len() - 1)) as f64).sqrt();
    assert!((mean - 0.5).abs() < 3.0 * error && error < 0.1, "{mean} ± {error}: {all:?}");
}

#[test]
fn the_same_seed_gives_the_same_file() {
    let dataset = order_matters(600);
    let few = format!("{SMALL} --epochs 2 --dropout 0.2").replace("--epochs 12 ", "");
    let file = |more: &str| train(&dataset, &options(&format!("{few} {more}"))).unwrap().0;
    let first = file("--seed 5");
    assert!(first == file("--seed 5"), "the files differ");
    assert!(first != file("--seed 6"), "the seed does nothing");
}

#[test]
fn threads_share_out_rows_and_learn_the_same() {
    let dataset = order_matters(600);
    let few = format!("{SMALL} --dropout 0.2 --layers 2 --trees 0").replace("--threads 1", "");
    let logits = |more: &str| {
        let few = few.replace("--epochs 12", "--epochs 2");
        let archive = train(&dataset, &options(&format!("{few} {more}"))).unwrap().0;
        let (states, statics) = dataset.gather(&(0..50).collect::<Vec<_>>());
        let batch = Batch { states: &states, statics: &statics, n: 50 };
        (Model::from_bytes(&archive).unwrap().engine.logits(&batch).unwrap(), archive)
    };
    let (alone, three) = (logits("--threads 1"), logits("--threads 3"));
    assert!(three.1 == logits("--threads 3").1, "the files differ");
    let apart = alone.0.iter().zip(&three.0).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let range = alone.0.iter().fold(0.0_f32, |most, logit| most.max(logit.abs()));
    assert!(apart < 1e-3 && range > 0.1, "{apart} of {range}");
    assert!(alone.1 != three.1, "sums are taken in another order: are there threads at all?");
}

#[test]
fn sources_blanked_in_training_are_not_leaned_on_alone() {
    // Two sources say the same; with one of them blanked at random the model uses both.
    let mut dataset = order_matters(2000);
    for row in 0..dataset.len() {
        let said = f32::from(dataset.label[row]) * 2.0 - 1.0;
        dataset.statics[row * COLUMNS] = said;
        dataset.statics[row * COLUMNS + 1] = said;
    }
    dataset.states.fill(0);
    dataset.info.schema.sources = (0..COLUMNS)
        .map(|column| StaticSource { name: column.to_string(), columns: vec![column] })
        .collect();
    let arguments = format!("{SMALL} --source-dropout 0.4 --learning-rate 0.02");
    let arguments = arguments.replace("--learning-rate 0.01 ", "");
    let (archive, _) = train(&dataset, &options(&arguments)).unwrap();
    let model = Model::from_bytes(&archive).unwrap();
    let states = [0; FRAMES * SLOTS];
    for statics in [[1.0, 0.0], [0.0, 1.0]] {
        let p = model.probabilities(&Batch { states: &states, statics: &statics, n: 1 }).unwrap();
        assert!(p[0] > 0.7, "{statics:?}: {}", p[0]);
    }
}

#[test]
fn data_that_does_not_do_is_said_in_words() {
    let mut dataset = order_matters(200);
    let message = |dataset: &Dataset, arguments: &str| {
        train(dataset, &options(arguments)).unwrap_err().to_string()
    };
    assert!(message(&dataset, "--dropout 1.5").contains("--dropout 1.5 must lie in"));
    assert!(message(&dataset, "--hidden 0").contains("hidden is 0"));
    assert!(message(&dataset, "--horizon 99999999").contains("both outcomes are needed"));
    assert!(message(&dataset, "--device cuda").contains("GPU") || tch::Cuda::is_available());
    dataset.label.fill(1);
    assert!(message(&dataset, "").contains("both outcomes are needed"));
}

/// A network with random parameters as a finished model.
fn random_model(sizes: Sizes, seed: u64) -> Vec<u8> {
    let network = random_network(sizes, seed);
    let forest = random_forest(sizes.dimensions.k, 40, &mut Random::new(seed + 2));
    network.set_trees(&forest).unwrap();
    finished(&network, sizes)
}

fn random_network(sizes: Sizes, seed: u64) -> Network {
    let network = Network::new(sizes, Device::Cpu, seed).unwrap();
    let mut random = Random::new(seed + 1);
    let k = sizes.dimensions.k;
    let mut column = |spread: f64, least: f64| -> Vec<f32> {
        (0..k).map(|_| (random.unit() * spread + least) as f32).collect()
    };
    network.set_standard(&column(2.0, -1.0), &column(2.0, 0.25)).unwrap();
    let (low, width) = (column(2.0, -1.0), column(2.0, 0.25));
    let pieces: Vec<Piece> = (0..sizes.pieces)
        .map(|at| at % k)
        .map(|column| Piece { column, low: low[column], width: width[column] })
        .collect();
    network.set_pieces(&pieces).unwrap();
    network
}

/// The network as a finished model.
fn finished(network: &Network, sizes: Sizes) -> Vec<u8> {
    let raw = network.archive().unwrap();
    let Dimensions { e, m, j, k } = sizes.dimensions;
    let metadata = serde_json::json!({
        "format": 1,
        "dimensions": sizes.dimensions,
        "schema": schema(e, m, j, k),
        "training": { "trained_on": "nothing" },
    });
    let metadata = serde_json::from_value(metadata).unwrap();
    export::complete(&raw, metadata).unwrap()
}

/// Trees of up to 31 leaves over `k` columns, leaf-wise: any leaf so far may be split next.
fn random_forest(k: usize, trees: usize, random: &mut Random) -> Forest {
    let mut forest = Forest::default();
    for tree in 0..trees {
        let root = forest.nodes.len();
        forest.roots.push(root as u32);
        let leaf = |random: &mut Random| Node::Leaf { value: (random.unit() - 0.5) as f32 / 8.0 };
        forest.nodes.push(leaf(random));
        for _ in 0..if k == 0 { 0 } else { tree % 31 } {
            let end = forest.nodes.len();
            let mut at = root + random.below(end - root);
            while !matches!(forest.nodes[at], Node::Leaf { .. }) {
                at = if at + 1 == end { root } else { at + 1 };
            }
            forest.nodes[at] = Node::Split {
                column: random.below(k) as u32,
                threshold: random.below(13) as f32 / 2.0 - 3.0,
                below: end as u32,
                above: end as u32 + 1,
            };
            forest.nodes.extend([leaf(random), leaf(random)]);
        }
    }
    forest
}

/// Turns numbers around 0 into numbers around the means that a model was trained with: far outside
/// of them logits grow so large that a float32 does not hold 1e-5.
fn spread_like_training(archive: &[u8], statics: &mut [f32]) {
    let mut archive = Archive::new(archive).unwrap();
    let metadata = archive.metadata().unwrap();
    let mut tensor = |name: &str| {
        archive.tensor(metadata.tensors.iter().find(|tensor| tensor.name == name).unwrap()).unwrap()
    };
    let (mean, scale) = (tensor("statics_mean"), tensor("statics_scale"));
    for row in statics.chunks_exact_mut(mean.len()) {
        for ((value, mean), scale) in row.iter_mut().zip(&mean).zip(&scale) {
            *value = mean + *value * scale;
        }
    }
}

fn random_batch(d: Dimensions, n: usize, seed: u64) -> (Vec<u8>, Vec<f32>) {
    let mut random = Random::new(seed);
    let states = (0..n * d.m * d.j).map(|_| random.below(d.e) as u8).collect();
    let statics = (0..n * d.k).map(|_| (random.unit() * 6.0 - 3.0) as f32).collect();
    (states, statics)
}

fn several_sizes() -> [Sizes; 5] {
    let of = |(e, m, j, k), embedding, hidden, layers, units, joint| Sizes {
        dimensions: Dimensions { e, m, j, k },
        embedding,
        hidden,
        layers,
        units,
        pieces: 2 * k,
        joint,
    };
    [
        of((2, 1, 1, 0), 1, 1, 1, 1, 1),
        of((6, 14, 1, 3), 5, 7, 1, 3, 4),
        of((64, 24, 16, 120), 32, 64, 1, 32, 64),
        of((40, 20, 10, 50), 16, 24, 3, 16, 32),
        of((256, 6, 40, 9), 16, 16, 10, 8, 128),
    ]
}

#[test]
fn engines_agree_to_1e_5_on_1000_random_inputs_for_several_sizes() {
    for (seed, sizes) in several_sizes().into_iter().enumerate() {
        engines_agree(&random_model(sizes, seed as u64), 1e-3);
    }
}

#[test]
fn trees_add_their_leaves_to_the_logit_of_both_engines() {
    let sizes = several_sizes()[1];
    let k = sizes.dimensions.k;
    let network = random_network(sizes, 5);
    let without = finished(&network, sizes);
    let (states, mut statics) = random_batch(sizes.dimensions, 1000, 6);
    // Values on the thresholds too.
    statics.iter_mut().for_each(|value| *value = (*value * 2.0).round() / 2.0);
    let batch = Batch { states: &states, statics: &statics, n: 1000 };
    let logits = |archive: &[u8], engine: EngineKind| {
        engine.read(archive).unwrap().engine.logits(&batch).unwrap()
    };
    for trees in [1, 7, 300] {
        let forest = random_forest(k, trees, &mut Random::new(trees as u64));
        network.set_trees(&forest).unwrap();
        let with = finished(&network, sizes);
        for engine in [EngineKind::Builtin, EngineKind::Torch] {
            let before = logits(&without, engine);
            for (i, after) in logits(&with, engine).into_iter().enumerate() {
                let expected = f64::from(before[i]) + forest.logit(&statics[i * k..(i + 1) * k]);
                assert!((f64::from(after) - expected).abs() < 1e-5, "{engine:?} sample {i}");
            }
        }
    }
    network.set_trees(&Forest::default()).unwrap();
    assert_eq!(finished(&network, sizes), without, "trees can be taken away again");

    let column = k as u32;
    let split = Node::Split { column, threshold: 0.0, below: 1, above: 2 };
    let leaf = Node::Leaf { value: 1.0 };
    let forest = Forest { roots: vec![0], nodes: vec![split, leaf, leaf] };
    let error = network.set_trees(&forest).unwrap_err().to_string();
    assert!(error.contains("node 0 is of column 3, k is 3"), "{error}");
}

/// Inputs around the means that it was trained with: far outside of them logits grow so large that a
/// float32 does not hold 1e-5.
#[test]
fn engines_agree_to_1e_5_on_the_shipped_model() {
    let archive = holdadvise::model::DEFAULT_ARCHIVE;
    let model = Model::from_bytes(archive).unwrap();
    let mut opened = Archive::new(archive).unwrap();
    let mut tensor = |name: &str| {
        let of_name = model.metadata.tensors.iter().find(|tensor| tensor.name == name);
        opened.tensor(of_name.unwrap()).unwrap()
    };
    let (mean, scale) = (tensor("statics_mean"), tensor("statics_scale"));
    engines_agree_on(archive, 1e-3, |column, value| mean[column] + value * scale[column]);
}

/// Both engines on 1,000 random inputs, over which the logits must vary by `spread` at least.
fn engines_agree(archive: &[u8], spread: f32) {
    engines_agree_on(archive, spread, |_, value| value);
}

/// The same with each static input as `of` makes it of its column and a random value.
fn engines_agree_on(archive: &[u8], spread: f32, of: impl Fn(usize, f32) -> f32) {
    let builtin = Model::from_bytes(archive).unwrap();
    let torch = EngineKind::Torch.read(archive).unwrap();
    let sizes = builtin.metadata.dimensions;
    let (states, mut statics) = random_batch(sizes, 1000, 77);
    for (at, value) in statics.iter_mut().enumerate() {
        *value = of(at % sizes.k, *value);
    }
    let batch = Batch { states: &states, statics: &statics, n: 1000 };
    let a = builtin.engine.logits(&batch).unwrap();
    let b = torch.engine.logits(&batch).unwrap();
    let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let found =
        a.iter().copied().fold(f32::MIN, f32::max) - a.iter().copied().fold(f32::MAX, f32::min);
    println!("{sizes:?}: largest difference {worst:e}, logits spread over {found}");
    assert!(worst < 1e-5, "{sizes:?}: {worst}");
    assert!(found > spread, "{sizes:?}: the logits say nothing");
}

#[test]
fn python_loads_the_archive_and_agrees() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/torch_load.py");
    let Some(python) = python_with_torch() else {
        println!("skipped: HOLDADVISE_PYTHON names no Python that can import torch");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut archives = vec![(holdadvise::model::DEFAULT_ARCHIVE.to_vec(), 41)];
    archives.extend(several_sizes().iter().map(|&sizes| (random_model(sizes, 3), 42)));
    for (at, (archive, seed)) in archives.into_iter().enumerate() {
        let model = Model::from_bytes(&archive).unwrap();
        let (states, mut statics) = random_batch(model.metadata.dimensions, 100, seed);
        if at == 0 {
            spread_like_training(&archive, &mut statics);
        }
        let logits =
            model.engine.logits(&Batch { states: &states, statics: &statics, n: 100 }).unwrap();
        let path = folder.path().join(format!("{at}.pt"));
        std::fs::write(&path, &archive).unwrap();
        let input = serde_json::json!({
            "states": states, "statics": statics, "n": 100, "logits": logits,
            "dimensions": model.metadata.dimensions,
        });
        let json = folder.path().join(format!("{at}.json"));
        std::fs::write(&json, serde_json::to_vec(&input).unwrap()).unwrap();
        let mut run = std::process::Command::new(&python);
        let output = run.arg(script).arg(&path).arg(&json).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}{errors}");
        print!("{text}");
    }
}

fn python_with_torch() -> Option<std::ffi::OsString> {
    let python = std::env::var_os("HOLDADVISE_PYTHON")?;
    let check = std::process::Command::new(&python).args(["-c", "import torch"]).output().ok()?;
    check.status.success().then_some(python)
}

#[test]
fn what_a_simulator_tells_trains_and_has_a_table_of_its_own() {
    // After `other` success has probability 0.9 where the order says success, else 0.2.
    let mut dataset = order_matters(1500);
    let told = dataset.clone();
    let (states, statics) = (FRAMES * SLOTS, COLUMNS);
    for row in 0..told.len() {
        let p = if told.label[row] == 1 { 0.9 } else { 0.2 };
        let mut asks = told.statics[row * statics..(row + 1) * statics].to_vec();
        asks[1] = 0.0;
        // As many successes as failures, whatever p is: only `truth` can teach it.
        let outcome = if row % 2 == 0 { Outcome::Success } else { Outcome::Failure };
        dataset
            .push(&Row {
                states: &told.states[row * states..(row + 1) * states],
                statics: &asks,
                action: Action::Other,
                outcome,
                observed: false,
                truth: Some(p),
                cluster: told.cluster[row],
                owner: 1,
                hold_time: told.hold_time[row],
                decision_instant: told.decision_instant[row],
                outcome_time: told.outcome_time[row],
                code: 13,
                ..Row::default()
            })
            .unwrap();
    }
    let (archive, report) = train(&dataset, &options(SMALL)).unwrap();
    assert_eq!(report.rows, 300, "figures are of releases that happened");
    assert_eq!(report.actions.len(), 2, "{report}");
    let other = &report.actions[1];
    assert_eq!((other.action.as_str(), other.rows), ("other", 300));
    let [oracle, model, table] = [other.oracle, other.model, other.table].map(|f| f[1].unwrap());
    let share = other.success;
    // Mean of p (1 - p) over a mixture of 0.9 and 0.2 with this mean.
    let mixture = (share - 0.2) / 0.7;
    assert!((oracle - (mixture * 0.09 + (1.0 - mixture) * 0.16)).abs() < 1e-3, "{report}");
    assert!(oracle <= model + 1e-9 && model < oracle + 0.03 && model + 0.05 < table, "{report}");
    let model = Model::from_bytes(&archive).unwrap();
    assert_eq!(model.metadata.codes[0].releases, 975, "only releases that happened are counted");
}
