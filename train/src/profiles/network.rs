//! Fits an LSTM over the nodes of scripts: the scripted template, AdamW, and an early stop by a
//! part of the projects. The network is the mean of members that stop by another part each.

use std::io::Cursor;

use rayon::prelude::*;
use tch::{Device, Kind, Tensor, TrainableCModule, nn};

use super::figures::{CLASSES, Said};
use super::fit::{FOLDS, folds, parted};
use super::linear::class_weights;
use super::rows::Row;
use super::sequence::Choice;
use super::tokens::{STATICS, TOKEN_ROWS};
use crate::Error;
use crate::random::Random;
use crate::training::fitting::{AdamW, TrainError, flat, gradients, saved, set_parameter};

/// The network as a scripted module with parameters of size one, made by
/// `train/template/make_tree_lstm.py`.
const TEMPLATE: &[u8] = include_bytes!("../../template/tree_lstm.pt");

/// Networks whose mean is said: each stops by another part.
const MEMBERS: usize = FOLDS;

/// Rows of a step.
const BATCH: usize = 16;

/// Rows that are sorted by their length, so that a batch has little behind its ends.
const SORTED: usize = 4 * BATCH;

/// Most passes over the rows.
const EPOCHS: usize = 40;

/// Epochs without a lower loss of the validation part after which to stop.
const PATIENCE: usize = 6;

const LEARNING_RATE: f64 = 1e-2;

const WEIGHT_DECAY: f64 = 0.03;

/// Gradients are scaled down to this norm (Pascanu et al. 2013).
const GRADIENT_NORM: f64 = 1.0;

/// A network of one or more members.
#[derive(Debug)]
pub(super) struct Network {
    parameters: nn::VarStore,
    module: TrainableCModule,
}

/// Rows as tensors: tokens `[B, T, 3]`, sizes `[B, T]`, statics `[B, k]`, classes `[B]`.
struct Batch {
    tokens: Tensor,
    sizes: Tensor,
    statics: Tensor,
    classes: Tensor,
}

impl Batch {
    fn of(rows: &[&Row]) -> Result<Self, Error> {
        let longest = rows.iter().map(|row| row.tokens.rows.len()).max().unwrap_or(0);
        let (mut tokens, mut sizes) = (Vec::new(), Vec::new());
        for row in rows {
            let behind = longest - row.tokens.rows.len();
            tokens.extend(row.tokens.rows.iter().copied().flatten());
            tokens.extend(std::iter::repeat_n(0, 3 * behind));
            sizes.extend(row.tokens.sizes.iter().copied());
            sizes.extend(std::iter::repeat_n(0.0, behind));
        }
        let statics: Vec<f32> = rows.iter().flat_map(|row| row.tokens.statics).collect();
        let classes: Vec<i64> = rows.iter().map(|row| row.binding.number() as i64).collect();
        let (n, longest) = (rows.len() as i64, longest as i64);
        Ok(Self {
            tokens: Tensor::f_from_slice::<i64>(&tokens)?.f_view([n, longest, 3])?,
            sizes: Tensor::f_from_slice::<f32>(&sizes)?.f_view([n, longest])?,
            statics: Tensor::f_from_slice(&statics)?.f_view([n, STATICS as i64])?,
            classes: Tensor::f_from_slice(&classes)?,
        })
    }
}

/// The rows of an epoch or of a question in batches of much the same length.
fn batches(rows: &[&Row], order: &[usize], sorted: usize) -> Vec<Vec<usize>> {
    let mut batches = Vec::new();
    for pool in order.chunks(sorted.max(1)) {
        let mut pool = pool.to_vec();
        pool.sort_by_key(|row| rows[*row].tokens.rows.len());
        batches.extend(pool.chunks(BATCH).map(<[usize]>::to_vec));
    }
    batches
}

/// The rows of these numbers.
fn at<'a>(rows: &[&'a Row], numbers: &[usize]) -> Vec<&'a Row> {
    numbers.iter().map(|row| rows[*row]).collect()
}

impl Network {
    /// Fits rows. The same seed gives the same network on the same machine.
    pub(super) fn fit(choice: &Choice, rows: &[&Row], seed: u64) -> Result<Self, Error> {
        let parts = folds(rows, seed)?;
        let member = |member: usize| -> Result<Self, Error> {
            let (validation, train) = parted(&parts, member);
            let (train, validation) = (at(rows, &train), at(rows, &validation));
            Self::member(choice, &train, &validation, seed + member as u64)
        };
        let members: Result<Vec<Self>, Error> = (0..MEMBERS).into_par_iter().map(member).collect();
        Self::mean(&members?)
    }

    /// The template; each thread computes alone.
    fn load() -> Result<Self, Error> {
        tch::set_num_threads(1);
        // The module is small: rewriting its graph costs more than it gains.
        tch::jit::f_set_graph_executor_optimize(false)?;
        let parameters = nn::VarStore::new(Device::Cpu);
        let module = TrainableCModule::load_data(&mut Cursor::new(TEMPLATE), parameters.root())?;
        Ok(Self { parameters, module })
    }

    /// One member with random parameters, which takes statics as they lie in rows.
    fn new(choice: &Choice, rows: &[&Row], random: &mut Random) -> Result<Self, Error> {
        let network = Self::load()?;
        let Choice { width, hidden, both_ways, .. } = *choice;
        let ways = 1 + usize::from(both_ways);
        let units = 2 * ways * hidden + STATICS;
        let inverse_root = |inputs: usize| 1.0 / (inputs as f64).sqrt();
        for (name, shape, bound) in [
            ("embedding", vec![TOKEN_ROWS, width], 1.0),
            ("size_weight", vec![width], 0.3),
            ("lstm_input_weight", vec![ways, 4 * hidden, width], inverse_root(hidden)),
            ("lstm_recurrent_weight", vec![ways, 4 * hidden, hidden], inverse_root(hidden)),
            ("lstm_input_bias", vec![ways, 4 * hidden], inverse_root(hidden)),
            ("lstm_recurrent_bias", vec![ways, 4 * hidden], inverse_root(hidden)),
            ("output_weight", vec![CLASSES, units], inverse_root(units)),
            ("output_bias", vec![CLASSES], 0.0),
        ] {
            let length: usize = shape.iter().product();
            let mut values: Vec<f32> =
                (0..length).map(|_| ((random.unit() * 2.0 - 1.0) * bound) as f32).collect();
            if name == "lstm_input_bias" {
                // An open forget gate at the start (Jozefowicz et al. 2015).
                for way in values.chunks_exact_mut(4 * hidden) {
                    way[hidden..2 * hidden].iter_mut().for_each(|bias| *bias += 1.0);
                }
            }
            network.set(name, &values, &shape)?;
        }
        let n = rows.len().max(1) as f32;
        let mean = |of: &dyn Fn(&Row, usize) -> f32| -> Vec<f32> {
            let sum = |column| rows.iter().map(|row| of(row, column)).sum::<f32>();
            (0..STATICS).map(|column| sum(column) / n).collect()
        };
        let means = mean(&|row, column| row.tokens.statics[column]);
        let variance = mean(&|row, column| (row.tokens.statics[column] - means[column]).powi(2));
        let scale: Vec<f32> = variance.iter().map(|of| of.sqrt().max(LEAST_DEVIATION)).collect();
        network.set("statics_mean", &means, &[STATICS])?;
        network.set("statics_scale", &scale, &[STATICS])?;
        Ok(network)
    }

    /// Gives a parameter of one member values.
    fn set(&self, name: &str, values: &[f32], shape: &[usize]) -> Result<(), Error> {
        let shape: Vec<i64> = [1].into_iter().chain(shape.iter().map(|&n| n as i64)).collect();
        let data = Tensor::f_from_slice(values)?.f_view(shape.as_slice())?;
        Ok(set_parameter(&self.parameters, name, &data)?)
    }

    /// Trains until the loss of the validation part no longer falls.
    fn member(
        choice: &Choice,
        rows: &[&Row],
        validation: &[&Row],
        seed: u64,
    ) -> Result<Self, Error> {
        let mut random = Random::new(seed);
        let network = Self::new(choice, rows, &mut random)?;
        let trained = network.trained();
        let mut optimizer = AdamW::new(&trained, WEIGHT_DECAY)?;
        let weights = class_weights(rows).map(|weight| weight as f32);
        let weights = Tensor::f_from_slice(&weights)?;
        let units = choice.width + 2 * choice.hidden * (1 + usize::from(choice.both_ways));
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let mut best: Option<(f64, usize, Tensor)> = None;
        for epoch in 0..EPOCHS {
            random.shuffle(&mut order);
            let mut batches = batches(rows, &order, SORTED);
            random.shuffle(&mut batches);
            for batch in batches {
                let mut keep = Vec::new();
                for _ in 0..batch.len() {
                    let kept = (0..units).map(|_| kept(choice.dropout, &mut random));
                    keep.extend(kept.chain([1.0; STATICS]));
                }
                let keep = Tensor::f_from_slice::<f32>(&keep)?;
                let keep = keep.f_view([batch.len() as i64, (units + STATICS) as i64])?;
                let loss = network.loss(&at(rows, &batch), Some(&keep), &weights)?;
                let gradient = flat(&gradients(&loss, &trained)?)?;
                optimizer.step(&gradient, LEARNING_RATE, GRADIENT_NORM)?;
            }
            let loss = network.validation_loss(validation, &weights)?;
            match &best {
                Some((least, at, _)) if loss >= *least || loss.is_nan() => {
                    if epoch >= at + PATIENCE {
                        break;
                    }
                }
                _ => best = Some((loss, epoch, optimizer.values())),
            }
        }
        if let Some((_, _, values)) = best {
            optimizer.set_values(&values)?;
        }
        Ok(network)
    }

    fn trained(&self) -> Vec<Tensor> {
        let mut named: Vec<(String, Tensor)> = self.parameters.variables().into_iter().collect();
        named.sort_by(|a, b| a.0.cmp(&b.0));
        named.into_iter().map(|(_, tensor)| tensor).filter(Tensor::requires_grad).collect()
    }

    /// Logarithms of likelihoods `[B, classes]`.
    fn forward(&self, batch: &Batch, keep: Option<&Tensor>) -> Result<Tensor, Error> {
        let inputs = [&batch.tokens, &batch.sizes, &batch.statics];
        let inputs: Vec<&Tensor> = inputs.into_iter().chain(keep).collect();
        Ok(self.module.forward_ts(&inputs)?)
    }

    /// Mean negative log-likelihood, each class of the same weight.
    fn loss(
        &self,
        rows: &[&Row],
        keep: Option<&Tensor>,
        weights: &Tensor,
    ) -> Result<Tensor, Error> {
        let batch = Batch::of(rows)?;
        let logarithms = self.forward(&batch, keep)?;
        let own =
            logarithms.f_gather(1, &batch.classes.f_unsqueeze(1)?, false)?.f_squeeze_dim(1)?;
        let weight = weights.f_index_select(0, &batch.classes)?;
        Ok((own * weight).f_mean(Kind::Float)?.f_neg()?)
    }

    fn validation_loss(&self, rows: &[&Row], weights: &Tensor) -> Result<f64, Error> {
        let order: Vec<usize> = (0..rows.len()).collect();
        let mut sum = 0.0;
        for batch in batches(rows, &order, rows.len()) {
            let _guard = tch::no_grad_guard();
            let loss = self.loss(&at(rows, &batch), None, weights)?;
            sum += loss.f_double_value(&[])? * batch.len() as f64;
        }
        Ok(sum / rows.len().max(1) as f64)
    }

    /// The network that says the mean of what others say.
    fn mean(members: &[Self]) -> Result<Self, Error> {
        let all = Self::load()?;
        for name in all.parameters.variables().into_keys() {
            let of = |member: &Self| member.parameters.variables().remove(&name);
            let parts: Vec<Tensor> =
                members.iter().filter_map(of).map(|tensor| tensor.detach()).collect();
            set_parameter(&all.parameters, &name, &Tensor::f_cat(&parts, 0)?)?;
        }
        Ok(all)
    }

    /// How likely each class of each row is.
    pub(super) fn said(&self, rows: &[&Row]) -> Result<Vec<Said>, Error> {
        let order: Vec<usize> = (0..rows.len()).collect();
        let mut all = vec![[0.0; CLASSES]; rows.len()];
        for batch in batches(rows, &order, rows.len()) {
            let _guard = tch::no_grad_guard();
            let likelihoods = self.forward(&Batch::of(&at(rows, &batch))?, None)?.f_exp()?;
            let likelihoods: Vec<f32> = Vec::try_from(likelihoods.f_flatten(0, -1)?)?;
            for (row, said) in batch.into_iter().zip(likelihoods.chunks_exact(CLASSES)) {
                all[row] = std::array::from_fn(|class| f64::from(said[class]));
            }
        }
        Ok(all)
    }

    /// The module as `torch.jit.save` writes it.
    pub(super) fn archive(&self) -> Result<Vec<u8>, TrainError> {
        saved(&self.module)
    }
}

/// Of a column that hardly varies.
const LEAST_DEVIATION: f32 = 1e-6;

/// What a unit is multiplied with in training.
fn kept(dropout: f64, random: &mut Random) -> f32 {
    if random.unit() < dropout { 0.0 } else { (1.0 / (1.0 - dropout)) as f32 }
}

#[cfg(test)]
mod tests {
    use holdadvise::profile::Binding;
    use tch::CModule;

    use super::super::figures::most;
    use super::super::rows::tests::{row, rows};
    use super::*;

    const SMALL: Choice = Choice { width: 4, hidden: 6, both_ways: true, dropout: 0.1 };

    #[test]
    fn it_learns_what_calls_are_for_and_the_file_says_the_same() {
        let rows = rows(8);
        let rows: Vec<&Row> = rows.iter().collect();
        let network = Network::fit(&SMALL, &rows, 1).unwrap();
        let said = network.said(&rows).unwrap();
        let named = |(row, said): &(&&Row, &Said)| row.binding.number() == most(said);
        let right = rows.iter().zip(&said).filter(named).count();
        assert!(10 * right >= 9 * rows.len(), "{right} of {}", rows.len());
        assert!(said.iter().all(|said| (said.iter().sum::<f64>() - 1.0).abs() < 1e-5));

        let file = network.archive().unwrap();
        let module = CModule::load_data(&mut file.as_slice()).unwrap();
        for (row, said) in rows.iter().zip(&said) {
            // Alone, without other rows that make its sequence longer.
            let Batch { tokens, sizes, statics, .. } = Batch::of(&[*row]).unwrap();
            let logarithms = module.forward_ts(&[tokens, sizes, statics]).unwrap();
            let alone = Vec::<f32>::try_from(logarithms.exp().view([-1])).unwrap();
            for (alone, said) in alone.into_iter().zip(said) {
                assert!((f64::from(alone) - said).abs() < 1e-5, "{alone} {said}");
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_network_and_order_counts() {
        let all = rows(5);
        let rows: Vec<&Row> = all.iter().collect();
        let said = |seed| {
            let network = Network::fit(&SMALL, &rows, seed).unwrap();
            let mut backwards = row("z", "import os\nopen('a')\nfor i in x: sum(i)", Binding::Cpu);
            let one = network.said(&[&backwards]).unwrap()[0];
            backwards.tokens.rows[1..].reverse();
            (one, network.said(&[&backwards]).unwrap()[0])
        };
        let (one, backwards) = said(1);
        assert_eq!((one, backwards), said(1));
        assert_ne!(one, backwards);
        assert_ne!(one, said(2).0);
    }

    #[test]
    fn fewer_projects_than_parts_are_refused() {
        let rows = rows(4);
        let rows: Vec<&Row> = rows.iter().collect();
        let error = Network::fit(&SMALL, &rows, 1).unwrap_err().to_string();
        assert_eq!(error, "4 projects; expected 5 or more");
    }
}
