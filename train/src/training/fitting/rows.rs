//! The rows of a dataset as libtorch is given them.

use std::borrow::Cow;

use holdadvise::model::Dimensions;
use tch::{Device, Kind, Reduction, TchError, Tensor};

use super::error::TrainError;
use super::network::Network;
use super::optimizer::AdamW;
use crate::data::dataset::Dataset;
use crate::random::Random;
use crate::split::selection::Blank;
use crate::training::boosting::Examples;
use crate::training::source_dropout::SourceDropout;

/// Rows judged at a time outside of training.
const EVALUATION_BATCH: usize = 4096;

/// The dataset on the device: states stay bytes, statics are blanked there.
pub(crate) struct Rows<'a> {
    all: RowBatch,
    /// `[sources, k]`: 1 where a column is of a source.
    columns_of_sources: Tensor,
    /// The same on the CPU, for trees.
    raw: Cow<'a, [f32]>,
    targets: &'a [f32],
    weights: Vec<f32>,
    device: Device,
    k: usize,
}

/// The rows of a pass over the training part, in the order of its steps, on the device.
pub(crate) struct Pass {
    index: Tensor,
    gone: Option<Tensor>,
    factors: Tensor,
    batch: usize,
}

/// What a step is given, on the device.
pub(crate) struct Inputs {
    /// Numbers of its rows, i64 `[B]`.
    index: Tensor,
    /// 1 where chance takes a source from a row, f32 `[B, sources]`; `None` where it takes nothing.
    gone: Option<Tensor>,
    /// f32 `[FACTORS]`: what the loss is multiplied with, then the factors of the optimiser.
    pub(crate) factors: Tensor,
}

impl Pass {
    /// What the step of that number is given.
    pub(crate) fn inputs(&self, step: usize) -> Result<Inputs, TchError> {
        let from = (step * self.batch) as i64;
        let length = (self.index.size1()? - from).min(self.batch as i64);
        let cut = |tensor: &Tensor| tensor.f_narrow(0, from, length);
        Ok(Inputs {
            index: cut(&self.index)?,
            gone: self.gone.as_ref().map(cut).transpose()?,
            factors: self.factors.f_get(step as i64)?,
        })
    }
}

impl Inputs {
    /// Numbers of `factors`.
    pub(crate) const FACTORS: usize = 1 + AdamW::FACTORS;

    /// Rows of the step.
    pub(crate) fn rows(&self) -> i64 {
        self.index.size()[0]
    }

    /// The same in places of their own.
    pub(crate) fn copy(&self) -> Self {
        let (index, factors) = (self.index.copy(), self.factors.copy());
        Self { index, gone: self.gone.as_ref().map(Tensor::copy), factors }
    }

    /// Takes other values of the same shapes.
    pub(crate) fn copy_from(&mut self, other: &Self) -> Result<(), TchError> {
        self.index.f_copy_(&other.index)?;
        if let (Some(gone), Some(other)) = (&mut self.gone, &other.gone) {
            gone.f_copy_(other)?;
        }
        self.factors.f_copy_(&other.factors)
    }
}

#[cfg(test)]
impl Inputs {
    /// Inputs of one row whose factors all are `number`.
    pub(crate) fn of(number: u8) -> Self {
        let factors = Tensor::from_slice(&[f32::from(number); Self::FACTORS]);
        Self { index: Tensor::from_slice(&[0_i64]), gone: None, factors }
    }
}

/// Some rows of the dataset.
pub(crate) struct RowBatch {
    pub(crate) states: Tensor,
    pub(crate) statics: Tensor,
    pub(crate) target: Tensor,
    pub(crate) weight: Tensor,
}

impl RowBatch {
    fn each(&self, of: impl Fn(&Tensor) -> Result<Tensor, TchError>) -> Result<Self, TchError> {
        Ok(Self {
            states: of(&self.states)?,
            statics: of(&self.statics)?,
            target: of(&self.target)?,
            weight: of(&self.weight)?,
        })
    }

    /// Some of them, one after the other.
    pub(crate) fn part(&self, start: i64, length: i64) -> Result<Self, TchError> {
        self.each(|tensor| tensor.f_narrow(0, start, length))
    }
}

impl<'a> Rows<'a> {
    pub(crate) fn new(
        dataset: &'a Dataset,
        device: Device,
        blank: &Blank,
        targets: &'a [f32],
        weights: Vec<f32>,
    ) -> Result<Self, TrainError> {
        let schema = &dataset.info.schema;
        let d = Dimensions::of(schema);
        let n = dataset.len() as i64;
        let on_device = |tensor: Tensor, shape: &[i64]| -> Result<Tensor, TrainError> {
            Ok(tensor.f_view(shape)?.f_to_device(device)?)
        };
        let (states, statics) = if blank.is_nothing() {
            (Cow::from(&dataset.states), Cow::from(&dataset.statics))
        } else {
            let (mut states, mut statics) = (dataset.states.clone(), dataset.statics.clone());
            blank.apply(&mut states, &mut statics);
            (Cow::from(states), Cow::from(statics))
        };
        let mut of_sources = vec![0.0_f32; schema.sources.len() * d.k];
        for (source, row) in schema.sources.iter().zip(of_sources.chunks_mut(d.k.max(1))) {
            source.columns.iter().for_each(|&column| row[column] = 1.0);
        }
        let all = RowBatch {
            states: on_device(Tensor::f_from_slice(&states)?, &[n, d.m as i64, d.j as i64])?,
            statics: on_device(Tensor::f_from_slice(&statics)?, &[n, d.k as i64])?,
            target: on_device(Tensor::f_from_slice(targets)?, &[n])?,
            weight: on_device(Tensor::f_from_slice(&weights)?, &[n])?,
        };
        let (sources, k) = (schema.sources.len() as i64, d.k);
        let columns_of_sources =
            on_device(Tensor::f_from_slice(&of_sources)?, &[sources, k as i64])?;
        Ok(Self { all, columns_of_sources, raw: statics, targets, weights, device, k })
    }

    /// Numbers of rows, on the device.
    pub(crate) fn index(&self, rows: &[usize]) -> Result<Tensor, TrainError> {
        let rows: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
        Ok(Tensor::f_from_slice(&rows)?.f_to_device(self.device)?)
    }

    /// The rows of an index.
    pub(crate) fn batch(&self, index: &Tensor) -> Result<RowBatch, TrainError> {
        Ok(self.all.each(|tensor| tensor.f_index_select(0, index))?)
    }

    /// Sum of the weights of some rows.
    pub(crate) fn weight(&self, rows: &[usize]) -> f64 {
        rows.iter().map(|&row| f64::from(self.weights[row])).sum()
    }

    /// A pass over rows in steps of `batch`. `factors` has [`Inputs::FACTORS`] numbers for each.
    pub(crate) fn pass(
        &self,
        order: &[usize],
        batch: usize,
        factors: &[f32],
        dropout: &SourceDropout,
        random: &mut Random,
    ) -> Result<Pass, TrainError> {
        let sources = self.columns_of_sources.size()[0] as usize;
        let mut gone = Vec::new();
        if !dropout.is_nothing() {
            gone.resize(order.len() * sources, 0.0_f32);
            for row in gone.chunks_mut(sources) {
                dropout.draw(random, |source| row[source] = 1.0);
            }
        }
        let on_device = |values: &[f32], side: usize| {
            let rows = Tensor::f_from_slice(values)?.f_view([-1, side as i64])?;
            rows.f_to_device(self.device)
        };
        let gone = (!gone.is_empty()).then(|| on_device(&gone, sources)).transpose()?;
        let factors = on_device(factors, Inputs::FACTORS)?;
        Ok(Pass { index: self.index(order)?, gone, factors, batch })
    }

    /// The rows of a step, without what chance takes from each.
    pub(crate) fn drawn(&self, inputs: &Inputs) -> Result<RowBatch, TrainError> {
        let batch = self.batch(&inputs.index)?;
        let Some(gone) = &inputs.gone else { return Ok(batch) };
        let gone = gone.f_matmul(&self.columns_of_sources)?.f_clamp_max(1.0)?;
        let kept = gone.f_rsub_scalar(1.0)?;
        Ok(RowBatch { statics: batch.statics.f_mul(&kept)?, ..batch })
    }

    /// What trees learn from.
    pub(crate) fn examples(&self) -> Examples<'_> {
        let (statics, weight) = (&self.raw, &self.weights);
        Examples { statics, k: self.k, target: self.targets, weight }
    }

    /// The network's logits of some rows, and its mean loss on them.
    pub(crate) fn logits_and_loss(
        &self,
        network: &Network,
        rows: &[usize],
    ) -> Result<(Vec<f32>, f64), TrainError> {
        let (mut all, mut sum) = (Vec::with_capacity(rows.len()), 0.0);
        self.judge(network, rows, |batch, logits| {
            all.extend(Vec::<f32>::try_from(logits.f_to(Device::Cpu)?)?);
            sum += loss(logits, &batch.target, &batch.weight)?.f_double_value(&[])?;
            Ok(())
        })?;
        Ok((all, sum / self.weight(rows)))
    }

    /// Gives the network's logits of some rows to `take`, batch by batch.
    fn judge(
        &self,
        network: &Network,
        rows: &[usize],
        mut take: impl FnMut(&RowBatch, &Tensor) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let _guard = tch::no_grad_guard();
        for chunk in rows.chunks(EVALUATION_BATCH) {
            let batch = self.batch(&self.index(chunk)?)?;
            take(&batch, &network.forward(&batch.states, &batch.statics)?)?;
        }
        Ok(())
    }
}

/// Weighted sum of the cross-entropies.
pub(crate) fn loss(
    logits: &Tensor,
    target: &Tensor,
    weight: &Tensor,
) -> Result<Tensor, TrainError> {
    let each =
        logits.f_binary_cross_entropy_with_logits::<Tensor>(target, None, None, Reduction::None)?;
    Ok(each.f_mul(weight)?.f_sum(Kind::Float)?)
}
