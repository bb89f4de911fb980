//! Engine `builtin`: the shipped architecture in pure Rust.
//!
//! Embedding rows of all slots are summed for each frame (a one-hot row times a matrix is a row of
//! it), an LSTM reads the frames oldest first, its last output and a linear layer over the
//! standardised statics meet in a hidden layer, and one unit gives the logit. Decision trees over
//! the statics add to it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::archive::Tensors;
use super::error::tensor_error;
use super::lanes::dot;
use super::lstm::{Lstm, LstmState};
use super::metadata::{Contract, Output, limits};
use super::statics::Statics;
use super::trees::{Rows, Splits, TREE_TENSORS};
use super::{Archive, Batch, Dimensions, Engine, Forest, ModelError, ModelMetadata};

/// Samples run side by side.
const LANES: usize = 8;

/// Samples whose LSTM outputs are kept at a time: bounds the memory of a large batch.
const BLOCK: usize = 1024;

/// A dense layer: `weight` is `[outputs, inputs]`.
#[derive(Debug)]
struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Linear {
    fn apply(&self, input: &[f32], output: &mut [f32]) {
        output.copy_from_slice(&self.bias);
        self.add(0..self.inputs, input, output);
    }

    /// Adds what the inputs of a range contribute.
    fn add(&self, inputs: Range<usize>, input: &[f32], output: &mut [f32]) {
        for (value, row) in output.iter_mut().zip(self.weight.chunks_exact(self.inputs)) {
            *value += dot(&row[inputs.clone()], input);
        }
    }
}

/// Rows from which on it pays to know the splits of the trees by column.
const MANY: usize = 64;

/// The network with its parameters.
#[derive(Debug)]
pub struct BuiltinEngine {
    dimensions: Dimensions,
    /// `[j * e, width]`.
    embedding: Vec<f32>,
    width: usize,
    lstm: Lstm,
    hidden: usize,
    statics: Statics,
    head: Linear,
    output: Linear,
    forest: Forest,
    /// Its splits, once many rows were asked about.
    splits: OnceLock<Option<Splits>>,
}

impl BuiltinEngine {
    /// Reads the parameters out of an archive.
    ///
    /// # Errors
    /// [`ModelError::Architecture`] when the module is of another architecture,
    /// [`ModelError::Tensor`] when a tensor is missing, misshapen, too large or not finite.
    pub fn new(archive: &mut Archive<'_>, metadata: &ModelMetadata) -> Result<Self, ModelError> {
        metadata.check()?;
        let mut tensors = Tensors::new(archive, &metadata.tensors);
        let fault =
            if metadata.contract != Contract::StatesStatics || metadata.output != Output::Logit {
                "the module takes one-hot input or returns a probability"
            } else if metadata.tensors.is_empty() {
                "extra/holdadvise.json has no table of tensors"
            } else if !tensors.has("lstm_recurrent_weight") {
                "the module has no parameter lstm_recurrent_weight"
            } else {
                ""
            };
        if !fault.is_empty() {
            return Err(ModelError::Architecture(fault.to_owned()));
        }
        let Dimensions { e, j, k, .. } = metadata.dimensions;
        let [rows, width] = tensors.shape("embedding")?;
        let [layers, gates, hidden] = tensors.shape("lstm_recurrent_weight")?;
        let [units, _] = tensors.shape("statics_weight")?;
        let [joint, _] = tensors.shape("hidden_weight")?;
        for (name, found, limit) in [
            ("embedding", width, limits::UNITS),
            ("lstm_recurrent_weight", hidden, limits::UNITS),
            ("lstm_recurrent_weight", layers, limits::LAYERS),
            ("statics_weight", units, limits::UNITS),
            ("hidden_weight", joint, limits::UNITS),
        ] {
            if found == 0 || found > limit {
                return Err(tensor_error(name, format!("side {found} must lie in 1..={limit}")));
            }
        }
        if rows != j * e {
            return Err(tensor_error("embedding", format!("{rows} rows, j * e is {}", j * e)));
        }
        if gates != 4 * hidden {
            return Err(tensor_error(
                "lstm_recurrent_weight",
                format!("{gates} gate rows for {hidden} units, 4 for each are needed"),
            ));
        }

        let embedding = tensors.values("embedding", &[rows, width])?;
        let first = tensors.values("lstm_input_weight", &[gates, width])?;
        let stacked = tensors.values("lstm_stacked_weight", &[layers - 1, gates, hidden])?;
        let recurrent = tensors.values("lstm_recurrent_weight", &[layers, gates, hidden])?;
        let input_bias = tensors.values("lstm_input_bias", &[layers, gates])?;
        let recurrent_bias = tensors.values("lstm_recurrent_bias", &[layers, gates])?;
        let square = gates * hidden;
        let layer = |depth: usize| {
            let bias = depth * gates..(depth + 1) * gates;
            [
                if depth == 0 { &first } else { &stacked[(depth - 1) * square..depth * square] },
                &recurrent[depth * square..(depth + 1) * square],
                &input_bias[bias.clone()],
                &recurrent_bias[bias],
            ]
        };
        let lstm = Lstm::new(width, hidden, (0..layers).map(layer));

        let statics = tensors.statics(k, units)?;
        // Networks of the first templates have no trees.
        let has_trees = tensors.has(TREE_TENSORS[0]);
        Ok(Self {
            dimensions: metadata.dimensions,
            embedding,
            width,
            lstm,
            hidden,
            statics,
            head: tensors.linear("hidden", joint, hidden + units)?,
            output: tensors.linear("output", 1, joint)?,
            forest: if has_trees { tensors.forest("", k)? } else { Forest::default() },
            splits: OnceLock::new(),
        })
    }

    /// LSTM output after the last frame, `[samples.len(), hidden]`, for the samples of `batch`
    /// named.
    fn read_frames(
        &self,
        batch: &Batch<'_>,
        samples: &[usize],
        work: &mut Work<'_>,
        out: &mut [f32],
    ) {
        let hidden = self.hidden;
        for (samples, out) in samples.chunks(LANES).zip(out.chunks_mut(LANES * hidden)) {
            if samples.len() == LANES {
                self.read_lanes(batch, samples, &mut work.many, out);
                continue;
            }
            for (sample, out) in samples.chunks(1).zip(out.chunks_exact_mut(hidden)) {
                self.read_lanes(batch, sample, &mut work.one, out);
            }
        }
    }

    fn read_lanes<const N: usize>(
        &self,
        batch: &Batch<'_>,
        samples: &[usize],
        state: &mut LstmState<N>,
        out: &mut [f32],
    ) {
        let Dimensions { e, m, j, .. } = self.dimensions;
        state.reset();
        for frame in 0..m {
            let input = state.input_mut(self.width);
            input.fill([0.0; N]);
            for (lane, sample) in samples.iter().enumerate() {
                let start = (sample * m + frame) * j;
                for (slot, &kind) in batch.states[start..start + j].iter().enumerate() {
                    let row = (slot * e + usize::from(kind)) * self.width;
                    let row = &self.embedding[row..row + self.width];
                    for (value, weight) in input.iter_mut().zip(row) {
                        value[lane] += weight;
                    }
                }
            }
            self.lstm.step(state);
        }
        for (lane, out) in out.chunks_exact_mut(self.hidden).enumerate() {
            for (value, unit) in out.iter_mut().zip(state.output()) {
                *value = unit[lane];
            }
        }
    }

    /// The logit of one sample from what its LSTM output brings to the head and its statics.
    fn logit(&self, of_lstm: &[f32], statics: &[f32], work: &mut Work<'_>) -> f32 {
        let of_trees = work.trees.logit(statics) as f32;
        self.statics.apply(statics, &mut work.sums, &mut work.statics);
        rectify(&mut work.statics);
        work.head.copy_from_slice(of_lstm);
        self.head.add(self.hidden..self.head.inputs, &work.statics, &mut work.head);
        rectify(&mut work.head);
        let mut logit = [0.0];
        self.output.apply(&work.head, &mut logit);
        logit[0] + of_trees
    }
}

impl Engine for BuiltinEngine {
    fn logits(&self, batch: &Batch<'_>) -> Result<Vec<f32>, ModelError> {
        batch.check(&self.dimensions)?;
        let Dimensions { m, j, k, .. } = self.dimensions;
        let states = |sample: usize| &batch.states[sample * m * j..(sample + 1) * m * j];
        let joint = self.output.inputs;
        let splits = (batch.n >= MANY)
            .then(|| self.splits.get_or_init(|| Splits::of(&self.forest, k)).as_ref());
        let mut work = Work {
            trees: Rows::of(&self.forest, splits.flatten()),
            many: self.lstm.state(),
            one: self.lstm.state(),
            sums: vec![0.0; self.statics.units()],
            statics: vec![0.0; self.statics.units()],
            head: vec![0.0; joint],
        };
        let mut logits = Vec::with_capacity(batch.n);
        let mut outputs = vec![0.0; BLOCK.min(batch.n) * self.hidden];
        let mut of_lstm = vec![0.0; BLOCK.min(batch.n) * joint];
        for start in (0..batch.n).step_by(BLOCK) {
            let block = start..(start + BLOCK).min(batch.n);
            // The actions asked about one job differ in their statics only, like jobs often: one
            // run of the LSTM.
            let (distinct, run_of) = distinct(block.clone(), &states);
            self.read_frames(batch, &distinct, &mut work, &mut outputs);
            let runs = outputs.chunks_exact(self.hidden).zip(of_lstm.chunks_exact_mut(joint));
            for (output, of_lstm) in runs.take(distinct.len()) {
                of_lstm.copy_from_slice(&self.head.bias);
                self.head.add(0..self.hidden, output, of_lstm);
            }
            for (sample, run) in block.zip(run_of) {
                let of_lstm = &of_lstm[run * joint..(run + 1) * joint];
                let statics = &batch.statics[sample * k..(sample + 1) * k];
                logits.push(self.logit(of_lstm, statics, &mut work));
            }
        }
        Ok(logits)
    }
}

/// The first sample of each states there are, and for each sample which of those it has.
fn distinct<'a>(
    samples: Range<usize>,
    states: &impl Fn(usize) -> &'a [u8],
) -> (Vec<usize>, Vec<usize>) {
    let mut first: Vec<usize> = Vec::new();
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    let mut run_of: Vec<usize> = Vec::with_capacity(samples.len());
    for sample in samples {
        let run = match run_of.last() {
            // The samples of one job stand side by side.
            Some(&before) if states(sample) == states(first[before]) => before,
            _ => *known.entry(states(sample)).or_insert_with(|| {
                first.push(sample);
                first.len() - 1
            }),
        };
        run_of.push(run);
    }
    (first, run_of)
}

/// Memory used again for every sample of a call.
struct Work<'a> {
    trees: Rows<'a>,
    many: LstmState<LANES>,
    one: LstmState<1>,
    sums: Vec<f64>,
    statics: Vec<f32>,
    head: Vec<f32>,
}

fn rectify(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = value.max(0.0));
}

impl Tensors<'_, '_> {
    /// The layer over the statics.
    fn statics(&mut self, k: usize, units: usize) -> Result<Statics, ModelError> {
        let mean = self.values("statics_mean", &[k])?;
        let scale = self.values("statics_scale", &[k])?;
        if let Some(column) = scale.iter().position(|&scale| scale <= 0.0) {
            return Err(tensor_error("statics_scale", format!("column {column} is not above 0")));
        }
        let Linear { weight, bias, .. } = self.linear("statics", units, k)?;
        let layer = (weight.as_slice(), bias.as_slice());
        // Networks of the first template know neither pieces nor a furthest value.
        if !self.has("statics_piece_column") {
            return Ok(Statics::new(&mean, &scale, layer, None));
        }
        let [count] = self.shape("statics_piece_column")?;
        if count > limits::STATICS {
            let detail = format!("{count} pieces, {} are the most", limits::STATICS);
            return Err(tensor_error("statics_piece_column", detail));
        }
        let columns = self.values("statics_piece_column", &[count])?;
        let low = self.values("statics_piece_low", &[count])?;
        let width = self.values("statics_piece_width", &[count])?;
        let mut pieces = Vec::with_capacity(count);
        for (at, ((&column, &low), &width)) in columns.iter().zip(&low).zip(&width).enumerate() {
            if column.fract() != 0.0 || column < 0.0 || column as usize >= k {
                let detail = format!("piece {at} is of column {column}, k is {k}");
                return Err(tensor_error("statics_piece_column", detail));
            }
            if width <= 0.0 {
                let detail = format!("piece {at} is not wider than 0");
                return Err(tensor_error("statics_piece_width", detail));
            }
            pieces.push((column as usize, low, width));
        }
        let piece_weight = self.values("statics_piece_weight", &[units, count])?;
        Ok(Statics::new(&mean, &scale, layer, Some((&pieces, &piece_weight))))
    }

    fn linear(&mut self, name: &str, outputs: usize, inputs: usize) -> Result<Linear, ModelError> {
        let weight = self.values(&format!("{name}_weight"), &[outputs, inputs])?;
        let bias = self.values(&format!("{name}_bias"), &[outputs])?;
        Ok(Linear { weight, bias, inputs })
    }
}
