//! Archives made in memory for the tests of this module.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Dimensions, FeatureSchema, Forest, ModelMetadata, Node, TREE_TENSORS, TensorEntry};
use crate::history::Action;

/// Sizes of a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) e: usize,
    pub(super) m: usize,
    pub(super) j: usize,
    pub(super) k: usize,
    pub(super) width: usize,
    pub(super) hidden: usize,
    pub(super) layers: usize,
    pub(super) units: usize,
    pub(super) joint: usize,
}

pub(super) const SMALL: Sizes =
    Sizes { e: 5, m: 6, j: 3, k: 4, width: 7, hidden: 9, layers: 2, units: 3, joint: 10 };

/// Numbers that look random and are the same on every run (splitmix64).
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// Between -1 and 1.
    pub(super) fn symmetric(&mut self) -> f32 {
        self.below(2_000_001) as f32 / 1e6 - 1.0
    }
}

/// A network as named tensors, and its metadata.
pub(super) struct Network {
    pub(super) metadata: ModelMetadata,
    pub(super) values: Vec<Vec<f32>>,
}

impl Network {
    pub(super) fn random(sizes: Sizes, seed: u64) -> Self {
        let Sizes { e, m, j, k, width, hidden, layers, units, joint } = sizes;
        let mut numbers = Numbers(seed);
        // Of a few columns the range is cut into pieces.
        let pieces = if k == 0 { 0 } else { 5 };
        let shapes: [(&str, Vec<usize>); 18] = [
            ("embedding", vec![j * e, width]),
            ("lstm_input_weight", vec![4 * hidden, width]),
            ("lstm_stacked_weight", vec![layers - 1, 4 * hidden, hidden]),
            ("lstm_recurrent_weight", vec![layers, 4 * hidden, hidden]),
            ("lstm_input_bias", vec![layers, 4 * hidden]),
            ("lstm_recurrent_bias", vec![layers, 4 * hidden]),
            ("statics_mean", vec![k]),
            ("statics_scale", vec![k]),
            ("statics_weight", vec![units, k]),
            ("statics_bias", vec![units]),
            ("hidden_weight", vec![joint, hidden + units]),
            ("hidden_bias", vec![joint]),
            ("output_weight", vec![1, joint]),
            ("output_bias", vec![1]),
            ("statics_piece_column", vec![pieces]),
            ("statics_piece_low", vec![pieces]),
            ("statics_piece_width", vec![pieces]),
            ("statics_piece_weight", vec![units, pieces]),
        ];
        let mut tensors = Vec::new();
        let mut values = Vec::new();
        for (at, (name, shape)) in shapes.into_iter().enumerate() {
            let spread = |x: f32| match name {
                "statics_scale" | "statics_piece_width" => x.abs() + 0.5,
                "statics_piece_column" => (x.abs() * k as f32).floor().min(k as f32 - 1.0),
                _ => x * 0.5,
            };
            let size = shape.iter().product();
            values.push((0..size).map(|_| spread(numbers.symmetric())).collect());
            tensors.push(TensorEntry { name: name.to_owned(), file: format!("data/{at}"), shape });
        }
        let forest = random_forest(k, 12, &mut numbers);
        for (name, tree_values) in TREE_TENSORS.into_iter().zip(forest.tensors()) {
            let file = format!("data/{}", tensors.len());
            let shape = vec![tree_values.len()];
            tensors.push(TensorEntry { name: name.to_owned(), file, shape });
            values.push(tree_values);
        }
        let names = |n: usize| (0..n).map(|i| i.to_string()).collect();
        let metadata = ModelMetadata {
            format: super::METADATA_FORMAT,
            contract: super::Contract::default(),
            output: super::Output::default(),
            dimensions: Dimensions { e, m, j, k },
            schema: FeatureSchema {
                hash: "test".to_owned(),
                states: names(e),
                statics: names(k),
                frame_edges: (0..=m as u32).map(|edge| edge * 60).collect(),
                slots: j,
                sources: Vec::new(),
            },
            tensors,
            calibration: super::Calibration::default(),
            thresholds: super::Thresholds::default(),
            training: super::TrainingSummary::default(),
            metrics: serde_json::Value::Null,
            codes: Vec::new(),
            actions: every_action(),
            recalibration: None,
            sheet: None,
        };
        Self { metadata, values }
    }

    /// The values of a tensor.
    pub(super) fn tensor(&mut self, name: &str) -> &mut Vec<f32> {
        let at = self.metadata.tensors.iter().position(|tensor| tensor.name == name);
        &mut self.values[at.expect("a tensor of this name")]
    }

    /// Sets values and, to fit them, the shape of a tensor with one side.
    pub(super) fn set(&mut self, name: &str, values: Vec<f32>) {
        let entry = self.metadata.tensors.iter_mut().find(|tensor| tensor.name == name);
        entry.expect("a tensor of this name").shape = vec![values.len()];
        *self.tensor(name) = values;
    }

    /// Drops tensors: archives made with an earlier template lack some.
    pub(super) fn without(mut self, prefix: &str) -> Self {
        let all = self.metadata.tensors.into_iter().zip(self.values);
        (self.metadata.tensors, self.values) =
            all.filter(|(tensor, _)| !tensor.name.starts_with(prefix)).unzip();
        self
    }

    /// The archive with stored entries, as PyTorch writes them.
    pub(super) fn archive(&self) -> Vec<u8> {
        self.archive_with(CompressionMethod::Stored)
    }

    pub(super) fn archive_with(&self, method: CompressionMethod) -> Vec<u8> {
        let files = self.metadata.tensors.iter().zip(&self.values).map(|(entry, values)| {
            let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            (entry.file.clone(), bytes)
        });
        let json = serde_json::to_vec(&self.metadata).expect("metadata is JSON");
        let mut entries = vec![
            ("data.pkl".to_owned(), b"not read".to_vec()),
            ("byteorder".to_owned(), b"little".to_vec()),
            (super::METADATA_ENTRY.to_owned(), json),
        ];
        entries.extend(files);
        zip_of(&entries, method)
    }
}

/// Trees of up to 8 leaves over `k` columns. Many thresholds are 0, as many values are.
pub(super) fn random_forest(k: usize, trees: usize, numbers: &mut Numbers) -> Forest {
    let mut forest = Forest::default();
    for _ in 0..trees {
        let root = forest.nodes.len();
        forest.roots.push(root as u32);
        forest.nodes.push(Node::Leaf { value: numbers.symmetric() / 8.0 });
        for _ in 0..if k == 0 { 0 } else { numbers.below(8) } {
            let end = forest.nodes.len();
            let leaves = (root..end).filter(|&at| matches!(forest.nodes[at], Node::Leaf { .. }));
            let leaves: Vec<usize> = leaves.collect();
            forest.nodes[leaves[numbers.below(leaves.len())]] = Node::Split {
                column: numbers.below(k) as u32,
                threshold: if numbers.below(2) == 0 { 0.0 } else { numbers.symmetric() },
                below: end as u32,
                above: end as u32 + 1,
            };
            let mut leaf = || Node::Leaf { value: numbers.symmetric() / 8.0 };
            forest.nodes.extend([leaf(), leaf()]);
        }
    }
    forest
}

/// Counts with which every action is known.
pub(super) fn every_action() -> Vec<super::ActionStatistics> {
    let rows = super::LEAST_ROWS;
    let of = |action| super::ActionStatistics { action, rows, successes: rows / 2 };
    Action::ALL.map(of).to_vec()
}

/// A zip with the entries below the folder `model`.
pub(super) fn zip_of(entries: &[(String, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, content) in entries {
        writer.start_file(format!("model/{name}"), options).expect("entry");
        writer.write_all(content).expect("content");
    }
    writer.finish().expect("zip").into_inner()
}
