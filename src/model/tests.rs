//! Engine `builtin` against a plain reading of the definitions, and hostile archives.

use proptest::prelude::*;
use zip::CompressionMethod;

use super::testing::{Network, Numbers, SMALL, Sizes, zip_of};
use super::{
    ActionStatistics, Archive, Batch, CodeStatistics, Contract, Dimensions, LEAST_RELEASES,
    LEAST_ROWS, METADATA_ENTRY, Model, ModelError, ModelMetadata, StaticSource, TREE_TENSORS,
    Thresholds,
};
use crate::history::Action;

/// The network in f64, written down from the definition of the LSTM, one sample at a time.
fn reference(network: &Network, states: &[u8], statics: &[f32]) -> f64 {
    let Dimensions { e, m, j, k } = network.metadata.dimensions;
    let tensor = |name: &str| -> (Vec<f64>, Vec<usize>) {
        let at = network.metadata.tensors.iter().position(|t| t.name == name).unwrap();
        let values = network.values[at].iter().map(|&v| f64::from(v)).collect();
        (values, network.metadata.tensors[at].shape.clone())
    };
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (embedding, shape) = tensor("embedding");
    let width = shape[1];
    let (recurrent, shape) = tensor("lstm_recurrent_weight");
    let (layers, hidden) = (shape[0], shape[2]);
    let (first, _) = tensor("lstm_input_weight");
    let (stacked, _) = tensor("lstm_stacked_weight");
    let (input_bias, _) = tensor("lstm_input_bias");
    let (recurrent_bias, _) = tensor("lstm_recurrent_bias");
    let mut h = vec![vec![0.0; hidden]; layers];
    let mut c = vec![vec![0.0; hidden]; layers];
    for frame in 0..m {
        let mut input = vec![0.0; width];
        for slot in 0..j {
            let row = slot * e + usize::from(states[frame * j + slot]);
            for (unit, value) in input.iter_mut().enumerate() {
                *value += embedding[row * width + unit];
            }
        }
        for layer in 0..layers {
            let old = h[layer].clone();
            let gate = |gate: usize, unit: usize| {
                let row = gate * hidden + unit;
                let at = layer * 4 * hidden + row;
                let weight = |i: usize| match layer {
                    0 => first[row * width + i],
                    _ => stacked[((layer - 1) * 4 * hidden + row) * hidden + i],
                };
                let from_input: f64 = input.iter().enumerate().map(|(i, x)| weight(i) * x).sum();
                let from_old: f64 =
                    old.iter().enumerate().map(|(i, x)| recurrent[at * hidden + i] * x).sum();
                from_input + from_old + input_bias[at] + recurrent_bias[at]
            };
            for unit in 0..hidden {
                c[layer][unit] = sigmoid(gate(1, unit)) * c[layer][unit]
                    + sigmoid(gate(0, unit)) * gate(2, unit).tanh();
                h[layer][unit] = sigmoid(gate(3, unit)) * c[layer][unit].tanh();
            }
            input = h[layer].clone();
        }
    }
    let linear = |name: &str, x: &[f64]| -> Vec<f64> {
        let (weight, _) = tensor(&format!("{name}_weight"));
        let (bias, _) = tensor(&format!("{name}_bias"));
        let row = |o: usize| &weight[o * x.len()..(o + 1) * x.len()];
        let sum = |o: usize| row(o).iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
        bias.iter().enumerate().map(|(o, b)| b + sum(o)).collect()
    };
    let rectified = |x: Vec<f64>| x.into_iter().map(|x| x.max(0.0)).collect::<Vec<_>>();
    let (mean, _) = tensor("statics_mean");
    let (scale, _) = tensor("statics_scale");
    let standard: Vec<f64> =
        (0..k).map(|i| ((f64::from(statics[i]) - mean[i]) / scale[i]).clamp(-10.0, 10.0)).collect();
    let [column, low, width, piece_weight] =
        ["column", "low", "width", "weight"].map(|part| tensor(&format!("statics_piece_{part}")).0);
    let mut of_statics = linear("statics", &standard);
    for (unit, sum) in of_statics.iter_mut().enumerate() {
        for (i, column) in column.iter().enumerate() {
            let into = (f64::from(statics[*column as usize]) - low[i]) / width[i];
            *sum += piece_weight[unit * width.len() + i] * (into.clamp(0.0, 1.0) - 0.5);
        }
    }
    let mut joint = h[layers - 1].clone();
    joint.extend(rectified(of_statics));
    let [root, column, threshold, below, above, value, _] = TREE_TENSORS.map(|name| tensor(name).0);
    let of_tree = |mut node: usize| {
        while below[node] as usize != node {
            let goes_below = f64::from(statics[column[node] as usize]) <= threshold[node];
            node = if goes_below { below[node] } else { above[node] } as usize;
        }
        value[node]
    };
    let of_trees: f64 = root.iter().map(|&root| of_tree(root as usize)).sum();
    linear("output", &rectified(linear("hidden", &joint)))[0] + of_trees
}

fn samples(dimensions: Dimensions, n: usize, seed: u64) -> (Vec<u8>, Vec<f32>) {
    let Dimensions { e, m, j, k } = dimensions;
    let mut numbers = Numbers(seed);
    let states = (0..n * m * j).map(|_| numbers.below(e) as u8).collect();
    // Most cells of real samples are 0.
    let mut cell = || if numbers.below(3) == 0 { numbers.symmetric() * 2.0 } else { 0.0 };
    let statics = (0..n * k).map(|_| cell()).collect();
    (states, statics)
}

#[test]
fn builtin_follows_the_definition_for_several_sizes() {
    let one = Sizes { e: 1, m: 1, j: 1, k: 0, width: 1, hidden: 1, layers: 1, units: 1, joint: 1 };
    let wide = Sizes {
        e: 40,
        m: 20,
        j: 10,
        k: 70,
        width: 24,
        hidden: 48,
        layers: 3,
        units: 16,
        joint: 32,
    };
    for (seed, sizes) in [one, SMALL, wide].into_iter().enumerate() {
        let network = Network::random(sizes, seed as u64);
        let model = Model::from_bytes(&network.archive()).unwrap();
        let n = 100;
        let (states, statics) = samples(network.metadata.dimensions, n, 99);
        let batch = Batch { states: &states, statics: &statics, n };
        let logits = model.engine.logits(&batch).unwrap();
        let (mj, k) = (sizes.m * sizes.j, sizes.k);
        for i in 0..n {
            let expected =
                reference(&network, &states[i * mj..(i + 1) * mj], &statics[i * k..(i + 1) * k]);
            let found = f64::from(logits[i]);
            assert!((found - expected).abs() < 1e-5, "{sizes:?} sample {i}: {found}, {expected}");
        }
    }
}

#[test]
fn a_sample_gets_the_same_logit_alone_and_in_any_company() {
    let network = Network::random(SMALL, 7);
    let model = Model::from_bytes(&network.archive()).unwrap();
    let (mut states, statics) = samples(network.metadata.dimensions, 1500, 5);
    let (mj, k) = (SMALL.m * SMALL.j, SMALL.k);
    // Runs of equal states, as the actions of one job give and those of like jobs; one run lies
    // across a block's end.
    for (like, from, to) in [(10, 10, 16), (1020, 1020, 1030), (10, 20, 23)] {
        let first = states[like * mj..(like + 1) * mj].to_vec();
        (from..to).for_each(|i| states[i * mj..(i + 1) * mj].copy_from_slice(&first));
    }
    let all = Batch { states: &states, statics: &statics, n: 1500 };
    let together = model.engine.logits(&all).unwrap();
    for i in (0..30).chain(1015..1035) {
        let alone = Batch {
            states: &states[i * mj..(i + 1) * mj],
            statics: &statics[i * k..(i + 1) * k],
            n: 1,
        };
        assert_eq!(model.engine.logits(&alone).unwrap(), [together[i]], "sample {i}");
    }
    assert_eq!(together.len(), 1500);
    assert_ne!(together[10], together[11], "same states, other statics");
}

#[test]
fn an_empty_batch_gives_nothing() {
    let model = Model::from_bytes(&Network::random(SMALL, 1).archive()).unwrap();
    let batch = Batch { states: &[], statics: &[], n: 0 };
    assert!(model.engine.logits(&batch).unwrap().is_empty());
}

#[test]
fn a_batch_that_does_not_fit_is_refused() {
    let network = Network::random(SMALL, 1);
    let model = Model::from_bytes(&network.archive()).unwrap();
    let (states, statics) = samples(network.metadata.dimensions, 2, 1);
    let message = |states: &[u8], statics: &[f32], n| {
        model.engine.logits(&Batch { states, statics, n }).unwrap_err().to_string()
    };
    assert!(message(&states[1..], &statics, 2).contains("35 states for 2 samples"));
    assert!(message(&states, &statics[1..], 2).contains("7 statics for 2 samples"));
    assert!(message(&states, &statics, usize::MAX).contains("samples"));
    let mut other = states.clone();
    other[20] = 5;
    assert!(message(&other, &statics, 2).contains("sample 1 has state 5, the model knows 5"));
    let mut other = statics.clone();
    other[6] = f32::NAN;
    assert!(message(&states, &other, 2).contains("sample 1 has NaN in static column 2"));
}

#[test]
fn deflated_entries_are_read_too() {
    let network = Network::random(SMALL, 3);
    let stored = Model::from_bytes(&network.archive()).unwrap();
    let deflated = Model::from_bytes(&network.archive_with(CompressionMethod::Deflated)).unwrap();
    let (states, statics) = samples(network.metadata.dimensions, 4, 1);
    let batch = Batch { states: &states, statics: &statics, n: 4 };
    assert_eq!(stored.engine.logits(&batch).unwrap(), deflated.engine.logits(&batch).unwrap());
}

#[test]
fn the_shipped_model_opens_and_is_small() {
    let model = Model::builtin_default().unwrap();
    assert!(super::DEFAULT_ARCHIVE.len() < 1_000_000);
    // As any other file its sums are compared.
    let copy = super::DEFAULT_ARCHIVE.to_vec();
    assert_eq!(Model::from_bytes(&copy).unwrap().metadata, model.metadata);
    let Dimensions { m, j, k, .. } = model.metadata.dimensions;
    let (states, statics) = (vec![0; m * j], vec![0.0; k]);
    let p = model.probabilities(&Batch { states: &states, statics: &statics, n: 1 }).unwrap();
    assert!((0.0..=1.0).contains(&p[0]));
}

#[test]
fn a_model_of_another_schema_is_refused() {
    let model = Model::from_bytes(&Network::random(SMALL, 1).archive()).unwrap();
    model.check_schema("test").unwrap();
    let error = model.check_schema("other").unwrap_err();
    assert!(matches!(error, ModelError::Schema { .. }));
    assert!(error.to_string().contains("retrain"), "{error}");
}

#[test]
fn a_missing_file_is_named() {
    let error = Model::open("no/such/model.pt").unwrap_err();
    assert!(error.to_string().contains("no/such/model.pt"));
    assert!(matches!(error, ModelError::Read { .. }));
}

#[test]
fn an_archive_cut_short_anywhere_is_refused() {
    let bytes = Network::random(SMALL, 1).archive();
    for cut in (0..bytes.len()).step_by(37) {
        let error = Model::from_bytes(&bytes[..cut]).unwrap_err();
        assert!(
            matches!(error, ModelError::Archive { .. } | ModelError::MissingEntry { .. }),
            "cut at {cut}: {error}"
        );
    }
}

#[test]
fn a_bomb_is_refused_before_it_unfolds() {
    let mut network = Network::random(SMALL, 1);
    // 16 MiB of zeros deflate to 16 KiB; the table says the tensor has 105 values.
    network.values[0] = vec![0.0; 4 << 20];
    let bytes = network.archive_with(CompressionMethod::Deflated);
    assert!(bytes.len() < 1 << 20);
    let error = Model::from_bytes(&bytes).unwrap_err();
    assert!(error.to_string().contains("tensor embedding"), "{error}");

    let json = vec![b' '; 8 << 20];
    let entries = [("data.pkl".to_owned(), Vec::new()), (METADATA_ENTRY.to_owned(), json)];
    let error = Model::from_bytes(&zip_of(&entries, CompressionMethod::Deflated)).unwrap_err();
    assert!(matches!(error, ModelError::TooLarge { .. }), "{error}");
}

#[test]
fn huge_shapes_are_refused_without_allocating() {
    for (tensor, shape) in [
        (0, vec![15, usize::MAX]),
        (0, vec![usize::MAX, usize::MAX]),
        (3, vec![usize::MAX, 36, 9]),
        (3, vec![2, usize::MAX, usize::MAX / 4]),
        (10, vec![1 << 40, 12]),
    ] {
        let mut network = Network::random(SMALL, 1);
        network.metadata.tensors[tensor].shape = shape.clone();
        let error = Model::from_bytes(&network.archive()).unwrap_err();
        assert!(matches!(error, ModelError::Tensor { .. }), "{shape:?}: {error}");
    }
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    for value in [f32::NAN, f32::INFINITY] {
        let mut network = Network::random(SMALL, 1);
        network.values[3][17] = value;
        let error = Model::from_bytes(&network.archive()).unwrap_err().to_string();
        assert!(error.contains("lstm_recurrent_weight") && error.contains("value 17"), "{error}");
    }
}

#[test]
fn metadata_that_contradicts_itself_is_refused() {
    type Spoil = fn(&mut Network);
    let cases: [(&str, Spoil); 11] = [
        ("format 2", |n| n.metadata.format = 2),
        ("e (states) is 257", |n| n.metadata.dimensions.e = 257),
        ("schema.states says 5", |n| n.metadata.dimensions.e = 4),
        ("schema.frame_edges (less one) says 2", |n| n.metadata.schema.frame_edges.truncate(3)),
        ("m (frames) is 0", |n| n.metadata.dimensions.m = 0),
        ("thresholds.release is 2", |n| n.metadata.thresholds.release = 2.0),
        ("thresholds.confidence is -1", |n| n.metadata.thresholds.confidence = Some(-1.0)),
        ("statics_scale: column 1", |n| n.values[7][1] = 0.0),
        ("statics_piece_column: piece 2 is of column 4", |n| n.values[14][2] = 4.0),
        ("statics_piece_width: piece 1", |n| n.values[16][1] = 0.0),
        ("no table of tensors", |n| n.metadata.tensors.clear()),
    ];
    for (words, spoil) in cases {
        let mut network = Network::random(SMALL, 1);
        spoil(&mut network);
        let error = Model::from_bytes(&network.archive()).unwrap_err().to_string();
        assert!(error.contains(words), "expected {words:?} in {error:?}");
    }
}

#[test]
fn text_of_the_file_reaches_no_terminal_as_it_is() {
    type Spoil = fn(&mut Network, String);
    let cases: [Spoil; 3] = [
        |n, text| n.metadata.schema.hash = text,
        |n, text| {
            n.metadata.schema.sources = vec![StaticSource { name: text, columns: vec![99] }];
        },
        |n, text| n.metadata.training.trained_on = text,
    ];
    for spoil in cases {
        let mut network = Network::random(SMALL, 1);
        spoil(&mut network, format!("\u{1b}[2J\u{7}{}", "x".repeat(5000)));
        let shown = match Model::from_bytes(&network.archive()) {
            Ok(model) => {
                let schema = model.check_schema("other").unwrap_err();
                format!("{schema} {}", model.metadata.training.trained_on)
            }
            Err(error) => error.to_string(),
        };
        assert!(!shown.contains(char::is_control) && shown.contains("xxx"), "{shown:?}");
        assert!(shown.len() < 1000, "{shown}");
    }
}

#[test]
fn a_module_of_another_contract_names_who_runs_it() {
    let mut network = Network::random(SMALL, 1);
    network.metadata.contract = Contract::OneHot;
    let error = Model::from_bytes(&network.archive()).unwrap_err();
    assert!(matches!(error, ModelError::Architecture { .. }));
    assert!(error.to_string().contains("--engine torch"), "{error}");
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(Archive::new(&bytes).is_err());
    }

    #[test]
    fn a_changed_byte_gives_a_model_or_an_error(at in 0.0..1.0_f64, byte in any::<u8>()) {
        let mut bytes = Network::random(SMALL, 1).archive();
        let at = (at * bytes.len() as f64) as usize;
        bytes[at] = byte;
        let zeros = ([0; 18], [0.0; 4]);
        if let Ok(model) = Model::from_bytes(&bytes)
            && let Ok(logits) =
                model.engine.logits(&Batch { states: &zeros.0, statics: &zeros.1, n: 1 })
        {
            prop_assert_eq!(logits.len(), 1);
        }
    }
}

#[test]
fn a_code_is_known_from_enough_releases_on_whatever_their_subcodes() {
    let mut metadata = Network::random(SMALL, 1).metadata;
    assert!(metadata.knows(13) && metadata.releases_after(13).is_none(), "it does not say");
    let of = |code, subcode, releases| CodeStatistics { code, subcode, releases, successes: 0 };
    metadata.codes = vec![of(13, 2, LEAST_RELEASES - 1), of(13, 256, 1), of(12, 28, 29)];
    assert!(metadata.knows(13));
    assert!(!metadata.knows(12) && !metadata.knows(49));
    assert_eq!(
        [13, 12, 49].map(|code| metadata.releases_after(code)),
        [Some(LEAST_RELEASES), Some(29), Some(0)]
    );
}

#[test]
fn an_action_is_known_from_enough_rows_and_without_counts_no_change_is() {
    let mut metadata = Network::random(SMALL, 1).metadata;
    let of = |action, rows| ActionStatistics { action, rows, successes: 0 };
    metadata.actions = vec![
        of(Action::AsIs, LEAST_ROWS - 1),
        of(Action::Unknown, 1),
        of(Action::Memory, LEAST_ROWS),
        of(Action::Other, LEAST_ROWS - 1),
    ];
    let known = |metadata: &ModelMetadata| Action::ALL.map(|action| metadata.knows_action(action));
    assert_eq!(known(&metadata), [true, true, false, false, false, true]);
    assert_eq!(metadata.rows_of(Action::AsIs), Some(LEAST_ROWS), "unknown speaks for as-is");
    assert_eq!(metadata.rows_of(Action::Disk), Some(0));

    metadata.actions.clear();
    assert_eq!(metadata.rows_of(Action::Memory), None);
    assert_eq!(known(&metadata), [false; 6], "nothing says that there was a release");
    let releases = LEAST_ROWS;
    metadata.codes = vec![CodeStatistics { code: 13, subcode: 2, releases, successes: 0 }];
    assert_eq!(known(&metadata), [true, false, false, false, false, true]);
}

#[test]
fn the_shipped_model_counts_all_its_rows_by_action_and_knows_every_action() {
    let metadata = Model::from_bytes(crate::model::DEFAULT_ARCHIVE).unwrap().metadata;
    assert_eq!(Action::ALL.map(|action| metadata.knows_action(action)), [true; 6]);
    let sum = |of: fn(&ActionStatistics) -> u64| metadata.actions.iter().map(of).sum::<u64>();
    let train = &metadata.training.details["train"];
    assert_eq!(train["rows"], sum(|of| of.rows));
    assert_eq!(train["successes"], sum(|of| of.successes));
}

#[test]
fn thresholds_without_a_confidence_are_read_and_written_as_ever() {
    let old = r#"{"release":0.5,"remove":0.1}"#;
    let thresholds: Thresholds = serde_json::from_str(old).unwrap();
    assert_eq!(thresholds, Thresholds::default());
    assert_eq!(serde_json::to_string(&thresholds).unwrap(), old);
    let sure = Thresholds { confidence: Some(0.7), ..thresholds };
    let text = serde_json::to_string(&sure).unwrap();
    assert_eq!(serde_json::from_str::<Thresholds>(&text).unwrap(), sure);
}
