//! The layer over the statics: each column standardised, and cut into pieces, then a dense layer.

/// Standardised values beyond this count as this.
const FURTHEST: f64 = 10.0;

/// A piece of the range of a column, its lower end and its width: how far into it a value lies is
/// an input of the layer.
pub(super) type Piece = (usize, f32, f32);

/// What one input makes of a value.
#[derive(Clone, Copy, Debug)]
enum Input {
    Standardised { mean: f64, scale: f64, furthest: f64 },
    Piece { low: f64, width: f64 },
}

impl Input {
    fn of(self, x: f64) -> f64 {
        match self {
            Self::Standardised { mean, scale, furthest } => {
                ((x - mean) / scale).clamp(-furthest, furthest)
            }
            Self::Piece { low, width } => ((x - low) / width).clamp(0.0, 1.0) - 0.5,
        }
    }
}

/// Most cells of a row are 0: what a row of zeros gives is worked out once, and each other cell
/// adds what it differs by. In f64, since a column that hardly varies is divided by little.
#[derive(Debug)]
pub(super) struct Statics {
    of_zeros: Vec<f64>,
    /// Inputs by column: those of column `c` are `first[c]..first[c + 1]`.
    first: Vec<usize>,
    /// Each input, and what it is for 0.
    inputs: Vec<(Input, f64)>,
    /// `[inputs, units]`.
    weights: Vec<f32>,
}

impl Statics {
    /// `weight` is `[units, k]`, `bias` `[units]`; with the pieces come their weights,
    /// `[units, pieces]`. Without pieces standardised values have no bound.
    pub(super) fn new(
        mean: &[f32],
        scale: &[f32],
        (weight, bias): (&[f32], &[f32]),
        pieces: Option<(&[Piece], &[f32])>,
    ) -> Self {
        let furthest = if pieces.is_some() { FURTHEST } else { f64::INFINITY };
        let (pieces, piece_weight) = pieces.unwrap_or_default();
        let (k, units) = (mean.len(), bias.len());
        let mut by_column: Vec<Vec<usize>> = vec![Vec::new(); k];
        for (at, piece) in pieces.iter().enumerate() {
            by_column[piece.0].push(at);
        }
        let mut statics = Self {
            of_zeros: bias.iter().copied().map(f64::from).collect(),
            first: vec![0],
            inputs: Vec::with_capacity(k + pieces.len()),
            weights: Vec::with_capacity((k + pieces.len()) * units),
        };
        for (column, of_column) in by_column.iter().enumerate() {
            let (mean, scale) = (f64::from(mean[column]), f64::from(scale[column]));
            let linear = |unit: usize| weight[unit * k + column];
            statics.add(Input::Standardised { mean, scale, furthest }, units, linear);
            for &at in of_column {
                let (low, width) = (f64::from(pieces[at].1), f64::from(pieces[at].2));
                let of_piece = |unit: usize| piece_weight[unit * pieces.len() + at];
                statics.add(Input::Piece { low, width }, units, of_piece);
            }
            statics.first.push(statics.inputs.len());
        }
        statics
    }

    fn add(&mut self, input: Input, units: usize, weight: impl Fn(usize) -> f32) {
        let of_zero = input.of(0.0);
        self.inputs.push((input, of_zero));
        self.weights.extend((0..units).map(weight));
        let weights = &self.weights[self.weights.len() - units..];
        add(&mut self.of_zeros, of_zero, weights);
    }

    /// Units of the layer.
    pub(super) fn units(&self) -> usize {
        self.of_zeros.len()
    }

    /// The layer over one row; `sums` and `output` have one number for each unit.
    pub(super) fn apply(&self, statics: &[f32], sums: &mut [f64], output: &mut [f32]) {
        sums.copy_from_slice(&self.of_zeros);
        let units = sums.len();
        for (&x, range) in statics.iter().zip(self.first.windows(2)) {
            if x == 0.0 {
                continue;
            }
            for at in range[0]..range[1] {
                let (input, of_zero) = self.inputs[at];
                let by = input.of(f64::from(x)) - of_zero;
                if by != 0.0 {
                    add(sums, by, &self.weights[at * units..(at + 1) * units]);
                }
            }
        }
        output.iter_mut().zip(sums).for_each(|(value, sum)| *value = *sum as f32);
    }
}

fn add(sums: &mut [f64], by: f64, weights: &[f32]) {
    sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += by * f64::from(*weight));
}
