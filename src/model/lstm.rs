//! Forward pass of a stacked LSTM, several samples side by side.
//!
//! Gates and their order (input, forget, cell, output) are those of `torch.nn.LSTM`
//! (PyTorch documentation; Hochreiter and Schmidhuber 1997, Gers et al. 2000).

use super::lanes::{sigmoid, tanh};

/// One layer. For each unit the four gate rows are kept interleaved, first the weights of the
/// input, then those of the unit's own layer one step before.
#[derive(Debug)]
struct Layer {
    /// `[hidden][input + hidden][4]`.
    weights: Vec<[f32; 4]>,
    /// `[hidden][4]`: both biases of PyTorch added.
    biases: Vec<[f32; 4]>,
    input: usize,
    hidden: usize,
}

/// A stack of layers.
#[derive(Debug)]
pub(super) struct Lstm {
    layers: Vec<Layer>,
}

/// The four parameters of a layer as PyTorch keeps them, gate by gate: weights of the input
/// `[4 hidden, input]` and of the recurrence `[4 hidden, hidden]`, and the bias of each
/// `[4 hidden]`.
pub(super) type LayerParameters<'a> = [&'a [f32]; 4];

impl Lstm {
    /// Repacks the parameters. All layers have `hidden` units, the first one `input` inputs. The
    /// slices must have the sizes said at [`LayerParameters`].
    pub(super) fn new<'a>(
        input: usize,
        hidden: usize,
        layers: impl Iterator<Item = LayerParameters<'a>>,
    ) -> Self {
        let layers = layers
            .enumerate()
            .map(|(depth, p)| Layer::new(if depth == 0 { input } else { hidden }, hidden, p))
            .collect();
        Self { layers }
    }

    /// Memory for a run of `LANES` samples.
    pub(super) fn state<const LANES: usize>(&self) -> LstmState<LANES> {
        let zeros = |n| vec![[0.0; LANES]; n];
        LstmState {
            inputs: self.layers.iter().map(|l| zeros(l.input + l.hidden)).collect(),
            cells: self.layers.iter().map(|l| zeros(l.hidden)).collect(),
            outputs: self.layers.iter().map(|l| zeros(l.hidden)).collect(),
        }
    }

    /// Advances by one frame. The first layer reads [`LstmState::input_mut`].
    pub(super) fn step<const LANES: usize>(&self, state: &mut LstmState<LANES>) {
        for (depth, layer) in self.layers.iter().enumerate() {
            if depth > 0 {
                let (below, here) = (&state.outputs[depth - 1], &mut state.inputs[depth]);
                here[..layer.input].copy_from_slice(below);
            }
            layer.step(&state.inputs[depth], &mut state.cells[depth], &mut state.outputs[depth]);
            state.inputs[depth][layer.input..].copy_from_slice(&state.outputs[depth]);
        }
    }
}

/// What a run carries from frame to frame; each value stands for `LANES` samples.
pub(super) struct LstmState<const LANES: usize> {
    /// For each layer its input followed by its own output of the frame before.
    inputs: Vec<Vec<[f32; LANES]>>,
    cells: Vec<Vec<[f32; LANES]>>,
    outputs: Vec<Vec<[f32; LANES]>>,
}

impl<const LANES: usize> LstmState<LANES> {
    /// Back to before the first frame.
    pub(super) fn reset(&mut self) {
        for part in [&mut self.inputs, &mut self.cells, &mut self.outputs] {
            part.iter_mut().for_each(|layer| layer.fill([0.0; LANES]));
        }
    }

    /// Where the first layer's input goes: the first `input` values.
    pub(super) fn input_mut(&mut self, input: usize) -> &mut [[f32; LANES]] {
        &mut self.inputs[0][..input]
    }

    /// The last layer's output.
    pub(super) fn output(&self) -> &[[f32; LANES]] {
        self.outputs.last().map_or(&[], Vec::as_slice)
    }
}

impl Layer {
    fn new(input: usize, hidden: usize, parameters: LayerParameters<'_>) -> Self {
        let [input_weight, recurrent_weight, input_bias, recurrent_bias] = parameters;
        let gates = |at: &dyn Fn(usize) -> f32| [at(0), at(1), at(2), at(3)];
        let mut weights = Vec::with_capacity(hidden * (input + hidden));
        let mut biases = Vec::with_capacity(hidden);
        for unit in 0..hidden {
            let row = |gate: usize| gate * hidden + unit;
            weights.extend((0..input).map(|i| gates(&|g| input_weight[row(g) * input + i])));
            weights.extend((0..hidden).map(|i| gates(&|g| recurrent_weight[row(g) * hidden + i])));
            biases.push(gates(&|g| input_bias[row(g)] + recurrent_bias[row(g)]));
        }
        Self { weights, biases, input, hidden }
    }

    fn step<const LANES: usize>(
        &self,
        inputs: &[[f32; LANES]],
        cells: &mut [[f32; LANES]],
        outputs: &mut [[f32; LANES]],
    ) {
        let rows = self.weights.chunks_exact(self.input + self.hidden);
        for (((row, bias), cell), output) in rows.zip(&self.biases).zip(cells).zip(outputs) {
            let mut sums = bias.map(|bias| [bias; LANES]);
            for (weight, input) in row.iter().zip(inputs) {
                for gate in 0..4 {
                    for lane in 0..LANES {
                        sums[gate][lane] += weight[gate] * input[lane];
                    }
                }
            }
            let [keep_in, keep_old, new, keep_out] = sums;
            let (keep_in, keep_old) = (sigmoid(keep_in), sigmoid(keep_old));
            let (new, keep_out) = (tanh(new), sigmoid(keep_out));
            for lane in 0..LANES {
                cell[lane] = keep_old[lane] * cell[lane] + keep_in[lane] * new[lane];
            }
            let squashed = tanh(*cell);
            for lane in 0..LANES {
                output[lane] = keep_out[lane] * squashed[lane];
            }
        }
    }
}
