//! Dense networks and convolutional ones over the matrix, with a logit of each action and one of
//! whether memory must change.

use holdadvise::workflow::{Layout, Recovery, Vocabulary};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Reduction, Tensor};

use super::Row;
use super::figures::{ACTIONS, Figures, Scores};
use crate::Error;
use crate::random::Random;

/// Rows of a step.
const BATCH: usize = 256;

/// Most passes over the rows.
const EPOCHS: usize = 10;

/// Rows that a network is asked about at a time.
const ASKED: i64 = 1_024;

/// Epochs without a better validation figure after which to stop.
const PATIENCE: usize = 3;

/// Share of units dropped in training before the last layer.
const DROPOUT: f64 = 0.2;

/// What a training of the search is given.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    /// Convolutions; otherwise dense layers.
    pub(super) convolutional: bool,
    /// Learning rate of Adam.
    pub(super) rate: f64,
    /// Units of a dense layer; a convolution has a sixteenth as many channels.
    pub(super) width: i64,
    /// Hidden layers.
    pub(super) depth: usize,
    pub(super) activation: &'static str,
    pub(super) layout: Layout,
}

impl Choice {
    pub(super) fn draw(random: &mut Random) -> Self {
        Self {
            convolutional: random.below(2) == 1,
            rate: 10.0_f64.powf(-4.0 + 2.0 * random.unit()),
            width: [32, 64, 128, 256][random.below(4)],
            depth: 1 + random.below(3),
            activation: ["relu", "tanh", "gelu"][random.below(3)],
            layout: Layout { grouped: random.below(2) == 1, named: random.below(2) == 1 },
        }
    }

    /// By name, for the importance of each.
    pub(super) fn parameters(&self) -> BTreeMap<String, Value> {
        let word = |is: bool, yes: &str, no: &str| json!(if is { yes } else { no });
        [
            ("kind", word(self.convolutional, "convolutional", "dense")),
            ("learning_rate", json!(self.rate)),
            ("width", json!(self.width)),
            ("depth", json!(self.depth)),
            ("activation", json!(self.activation)),
            ("codes", word(self.layout.grouped, "grouped", "single")),
            ("sites", word(self.layout.named, "named", "sorted")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// Parameters by name.
type Parameters = Vec<(String, Tensor)>;

/// A trained network.
pub(super) struct Network {
    vocabulary: Vocabulary,
    parameters: nn::VarStore,
    layers: nn::Sequential,
    last: nn::Linear,
    /// The figure that decides, on the validation part.
    pub(super) figure: f64,
}

impl Network {
    fn new(choice: &Choice, vocabulary: Vocabulary) -> Self {
        let parameters = nn::VarStore::new(Device::Cpu);
        let root = parameters.root();
        let [height, width] = vocabulary.sides().map(|side| side as i64);
        let activate = match choice.activation {
            "relu" => Tensor::relu,
            "tanh" => Tensor::tanh,
            _ => |x: &Tensor| x.gelu("none"),
        };
        let mut layers = nn::seq();
        let inputs = if choice.convolutional {
            let channels = choice.width / 16;
            let sides = nn::ConvConfig { padding: 1, ..nn::ConvConfig::default() };
            layers = layers.add_fn(move |x| x.view([-1, 1, height, width]));
            let (mut before, mut left) = (1, [height, width]);
            for layer in 0..choice.depth {
                let conv = nn::conv2d(&root / "conv" / layer, before, channels, 3, sides);
                layers = layers.add(conv).add_fn(activate);
                layers = layers.add_fn(|x| x.max_pool2d([2, 2], [2, 2], [0, 0], [1, 1], false));
                (before, left) = (channels, left.map(|side| side / 2));
            }
            channels * left[0] * left[1]
        } else {
            let mut before = height * width;
            layers = layers.add_fn(move |x| x.view([-1, height * width]));
            for layer in 0..choice.depth {
                let path = &root / "dense" / layer;
                let dense = nn::linear(path, before, choice.width, Default::default());
                layers = layers.add(dense).add_fn(activate);
                before = choice.width;
            }
            before
        };
        layers = layers.add_fn(|x| x.flatten(1, -1));
        let last = nn::linear(&root / "last", inputs, ACTIONS as i64 + 1, Default::default());
        Self { vocabulary, parameters, layers, last, figure: f64::NAN }
    }

    /// Trains on rows until the figure on others no longer rises. The same seed gives the same
    /// network on the same machine.
    pub(super) fn train(
        choice: &Choice,
        rows: &[&Row],
        validation: &[&Row],
        seed: u64,
    ) -> Result<Self, Error> {
        tch::manual_seed(seed.cast_signed());
        let mut random = Random::new(seed);
        let vocabulary = Vocabulary::of(rows.iter().map(|row| &row.shown.counts), choice.layout);
        let mut network = Self::new(choice, vocabulary);
        let (inputs, validated) = (network.inputs(rows)?, network.inputs(validation)?);
        let at = |row: &Row| Recovery::ALL.iter().position(|of| *of == row.action).unwrap_or(0);
        let numbers: Vec<i64> = rows.iter().map(|row| at(row) as i64).collect();
        let weights = class_weights(&numbers);
        let memory: Vec<f32> = rows.iter().map(|row| f32::from(u8::from(row.memory))).collect();
        let positive = memory.iter().sum::<f32>().max(1.0);
        let positive = Tensor::from_slice(&[(memory.len() as f32 - positive) / positive]);
        let (targets, memory) = (Tensor::f_from_slice(&numbers)?, Tensor::f_from_slice(&memory)?);
        let mut optimizer = nn::Adam::default().build(&network.parameters, choice.rate)?;
        let mut order: Vec<i64> = (0..rows.len() as i64).collect();
        let mut best: Option<(f64, usize, Parameters)> = None;
        for epoch in 0..EPOCHS {
            random.shuffle(&mut order);
            for batch in order.chunks(BATCH) {
                let batch = Tensor::f_from_slice(batch)?;
                let of = |tensor: &Tensor| tensor.f_index_select(0, &batch);
                let hidden = network.layers.forward(&of(&inputs)?).f_dropout(DROPOUT, true)?;
                let logits = network.last.forward(&hidden);
                let actions = logits.f_narrow(1, 0, ACTIONS as i64)?;
                let none = None::<&Tensor>;
                let loss =
                    actions.f_cross_entropy_loss(
                        &of(&targets)?,
                        Some(&weights),
                        Reduction::Mean,
                        -100,
                        0.0,
                    )? + logits.f_select(1, ACTIONS as i64)?.f_binary_cross_entropy_with_logits(
                        &of(&memory)?,
                        none,
                        Some(&positive),
                        Reduction::Mean,
                    )?;
                optimizer.backward_step(&loss);
            }
            let figure = Figures::mean_auroc(validation, &network.said_of(&validated)?);
            if best.as_ref().is_none_or(|(best, ..)| figure > *best) {
                let variables = network.parameters.variables().into_iter();
                let copies = variables.map(|(name, value)| (name, value.detach().copy())).collect();
                best = Some((figure, epoch, copies));
            } else if best.as_ref().is_some_and(|(_, at, _)| epoch >= at + PATIENCE) {
                break;
            }
        }
        let (figure, _, copies) = best.ok_or("no epoch was trained")?;
        network.figure = figure;
        let mut variables = network.parameters.variables();
        tch::no_grad(|| {
            for (name, copy) in &copies {
                if let Some(variable) = variables.get_mut(name) {
                    variable.copy_(copy);
                }
            }
        });
        Ok(network)
    }

    fn inputs(&self, rows: &[&Row]) -> Result<Tensor, Error> {
        let [height, width] = self.vocabulary.sides().map(|side| side as i64);
        let matrix = |row: &&Row| self.vocabulary.matrix(&row.shown.counts);
        let values: Vec<f32> = rows.iter().flat_map(matrix).collect();
        Ok(Tensor::f_from_slice(&values)?.f_view([rows.len() as i64, height, width])?)
    }

    /// Probabilities `[n, actions + 1]` of matrices `[n, height, width]`.
    fn probabilities(&self, inputs: &Tensor) -> Tensor {
        let logits = self.last.forward(&self.layers.forward(inputs));
        let actions = logits.narrow(1, 0, ACTIONS as i64).softmax(1, Kind::Float);
        Tensor::cat(&[actions, logits.narrow(1, ACTIONS as i64, 1).sigmoid()], 1)
    }

    pub(super) fn said(&self, rows: &[&Row]) -> Result<Vec<Scores>, Error> {
        self.said_of(&self.inputs(rows)?)
    }

    fn said_of(&self, inputs: &Tensor) -> Result<Vec<Scores>, Error> {
        let mut all = Vec::new();
        for inputs in inputs.f_split(ASKED, 0)? {
            let said = tch::no_grad(|| self.probabilities(&inputs));
            let said: Vec<f32> = Vec::try_from(said.f_flatten(0, -1)?)?;
            let of = |said: &[f32]| -> Scores { std::array::from_fn(|at| f64::from(said[at])) };
            all.extend(said.chunks_exact(ACTIONS + 1).map(of));
        }
        Ok(all)
    }
}

/// So that each action counts as much.
fn class_weights(numbers: &[i64]) -> Tensor {
    let count = |action: usize| numbers.iter().filter(|&&of| of == action as i64).count().max(1);
    let of = |action: usize| numbers.len() as f32 / (ACTIONS * count(action)) as f32;
    Tensor::from_slice(&(0..ACTIONS).map(of).collect::<Vec<f32>>())
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::row;
    use super::*;

    #[test]
    fn both_kinds_learn_what_a_cause_means() {
        let mut rows: Vec<Row> = Vec::new();
        for access_point in 0..40 {
            for (code, action) in Recovery::ALL.into_iter().enumerate() {
                let cause = format!("held {code}/0");
                let failed = [(cause.as_str(), ["A", "B"][access_point % 2], 9)];
                rows.push(Row { access_point: access_point as u64, ..row(&failed, action) });
            }
        }
        let rows: Vec<&Row> = rows.iter().collect();
        for convolutional in [false, true] {
            let layout = Layout { grouped: false, named: convolutional };
            let (rate, width, depth, activation) = (0.01, 64, 1, "relu");
            let choice = Choice { convolutional, rate, width, depth, activation, layout };
            let network = Network::train(&choice, &rows, &rows, 1).unwrap();
            assert!(network.figure > 0.95, "{}", network.figure);
            assert_eq!(network.said(&rows).unwrap().len(), rows.len());
        }
    }
}
