//! The rows of a dataset as libtorch is given them.

use std::borrow::Cow;

use holdadvise::model::Dimensions;
use tch::{Device, Kind, Reduction, Tensor};

use crate::boosting::Examples;
use crate::dataset::Dataset;
use crate::loss_weights::loss_weights;
use crate::network::Network;
use crate::selection::Blank;
use crate::training::TrainError;

/// Rows judged at a time outside of training.
const EVALUATION_BATCH: usize = 4096;

/// The dataset; what is not gathered anew for each step is on the device, and states stay bytes.
pub(crate) struct Rows<'a> {
    states: Tensor,
    statics: Cow<'a, [f32]>,
    targets: &'a [f32],
    weights: Vec<f32>,
    target: Tensor,
    weight: Tensor,
    device: Device,
    k: usize,
}

/// Some rows of it.
pub(crate) struct RowBatch {
    pub(crate) states: Tensor,
    pub(crate) statics: Tensor,
    pub(crate) target: Tensor,
    pub(crate) weight: Tensor,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(
        dataset: &'a Dataset,
        device: Device,
        blank: &Blank,
        targets: &'a [f32],
    ) -> Result<Self, TrainError> {
        let d = Dimensions::of(&dataset.info.schema);
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
        let weights = loss_weights(dataset);
        Ok(Self {
            states: on_device(Tensor::f_from_slice(&states)?, &[n, d.m as i64, d.j as i64])?,
            statics,
            targets,
            target: on_device(Tensor::f_from_slice(targets)?, &[n])?,
            weight: on_device(Tensor::f_from_slice(&weights)?, &[n])?,
            weights,
            device,
            k: d.k,
        })
    }

    /// `prepare` may change the statics of a row.
    pub(crate) fn batch(
        &self,
        rows: &[usize],
        mut prepare: impl FnMut(&mut [f32]),
    ) -> Result<RowBatch, TrainError> {
        let mut statics = Vec::with_capacity(rows.len() * self.k);
        for &row in rows {
            let start = statics.len();
            statics.extend_from_slice(self.statics(row));
            prepare(&mut statics[start..]);
        }
        let shape = [rows.len() as i64, self.k as i64];
        let rows: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
        let index = Tensor::f_from_slice(&rows)?.f_to_device(self.device)?;
        let pick = |tensor: &Tensor| tensor.f_index_select(0, &index);
        Ok(RowBatch {
            states: pick(&self.states)?,
            statics: Tensor::f_from_slice(&statics)?.f_view(shape)?.f_to_device(self.device)?,
            target: pick(&self.target)?,
            weight: pick(&self.weight)?,
        })
    }

    fn statics(&self, row: usize) -> &[f32] {
        &self.statics[row * self.k..(row + 1) * self.k]
    }

    /// What trees learn from.
    pub(crate) fn examples(&self) -> Examples<'_> {
        let (statics, weight) = (&self.statics, &self.weights);
        Examples { statics, k: self.k, target: self.targets, weight }
    }

    /// The network's logits of some rows.
    pub(crate) fn logits(&self, network: &Network, rows: &[usize]) -> Result<Vec<f32>, TrainError> {
        let mut logits = Vec::with_capacity(rows.len());
        self.judge(network, rows, |_, of_chunk| {
            logits.extend(Vec::<f32>::try_from(of_chunk.f_to(Device::Cpu)?)?);
            Ok(())
        })?;
        Ok(logits)
    }

    /// The network's mean loss on some rows.
    pub(crate) fn mean_loss(&self, network: &Network, rows: &[usize]) -> Result<f64, TrainError> {
        let (mut sum, mut weight) = (0.0, 0.0);
        self.judge(network, rows, |batch, logits| {
            let (loss, total) = loss(logits, &batch.target, &batch.weight)?;
            sum += loss.f_double_value(&[])?;
            weight += total;
            Ok(())
        })?;
        Ok(sum / weight)
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
            let batch = self.batch(chunk, |_| {})?;
            take(&batch, &network.forward(&batch.states, &batch.statics)?)?;
        }
        Ok(())
    }
}

/// Weighted sum of the cross-entropies, and the sum of the weights.
pub(crate) fn loss(
    logits: &Tensor,
    target: &Tensor,
    weight: &Tensor,
) -> Result<(Tensor, f64), TrainError> {
    let each =
        logits.f_binary_cross_entropy_with_logits::<Tensor>(target, None, None, Reduction::None)?;
    let total = weight.f_sum(Kind::Double)?.f_double_value(&[])?;
    Ok(((each * weight).f_sum(Kind::Float)?, total))
}
