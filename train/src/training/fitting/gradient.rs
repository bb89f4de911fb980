//! The gradient of the loss of some rows by all parameters, as one vector.

use std::borrow::Borrow;

use tch::{Device, Kind, TchError, Tensor};

use super::embedding::Lookup;
use super::error::TrainError;
use super::network::Network;
use super::optimizer::flat;
use super::rows::{RowBatch, loss};
use crate::training::precision::Precision;

/// The loss of some rows, detached, and the gradient of `scale` times it in the order of
/// [`Network::trained`]. Each unit is multiplied with what `keep` `[B, units]` has for it.
pub(super) fn gradient(
    network: &Network,
    batch: &RowBatch,
    keep: Option<&Tensor>,
    precision: Precision,
    scale: &Tensor,
) -> Result<(Tensor, Tensor), TrainError> {
    let RowBatch { states, statics, target, weight } = batch;
    let (mut by, embedding) = network.trained_and_embedding();
    let kind = match precision {
        Precision::Float32 => Kind::Float,
        Precision::Bfloat16 => Kind::BFloat16,
    };
    // On the CPU the embedding's part of it is found without libtorch.
    let mut lookup = None;
    let logits = match embedding {
        // A module of one's own drops units by itself.
        None => network.forward(states, statics)?,
        Some(place) if states.device() == Device::Cpu => {
            let found = Lookup::new(states, &by[place])?;
            by[place] = found.sums(&by[place])?.f_set_requires_grad(true)?;
            let logits = network.of_frames(&by[place].f_to_kind(kind)?, statics, keep)?;
            lookup = Some((place, found));
            logits
        }
        Some(_) => network.of_frames(&network.sums(states)?.f_to_kind(kind)?, statics, keep)?,
    };
    let loss = loss(&logits, target, weight)?;
    let mut gradients = gradients(&loss.f_mul(scale)?, &by)?;
    if let Some((place, lookup)) = lookup {
        gradients[place] = lookup.gradient(&gradients[place])?;
    }
    Ok((loss.f_detach()?, flat(&gradients)?))
}

/// The gradient of a loss by each of some tensors.
pub(crate) fn gradients(
    loss: &Tensor,
    by: &[impl Borrow<Tensor>],
) -> Result<Vec<Tensor>, TchError> {
    let found = Tensor::f_run_backward(&[loss], by, false, false)?;
    let defined = found.into_iter().zip(by).map(|(gradient, by)| {
        // Undefined where the loss does not depend on it.
        if gradient.defined() { Ok(gradient) } else { by.borrow().f_detach()?.f_zeros_like() }
    });
    defined.collect()
}

#[cfg(test)]
mod tests {
    use holdadvise::model::Dimensions;

    use super::*;
    use crate::training::fitting::network::Sizes;

    /// A network of two layers and a batch of 7 rows for it, a third of whose units are dropped.
    fn given() -> (Network, RowBatch, Tensor) {
        let dimensions = Dimensions { e: 5, m: 6, j: 3, k: 4 };
        let (embedding, hidden, layers, units, pieces, joint) = (8, 16, 2, 6, 0, 10);
        let sizes = Sizes { dimensions, embedding, hidden, layers, units, pieces, joint };
        let network = Network::new(sizes, Device::Cpu, 1).unwrap();
        network.set_standard(&[0.0; 4], &[1.0; 4]).unwrap();
        let states: Vec<u8> = (0..7 * 6 * 3_u32).map(|place| (place * place % 5) as u8).collect();
        let wave = |length: i64| Tensor::arange(length, (Kind::Float, Device::Cpu)).sin();
        let batch = RowBatch {
            states: Tensor::from_slice(&states).view([7, 6, 3]),
            statics: wave(28).view([7, 4]),
            target: Tensor::from_slice(&[1.0_f32, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]),
            weight: wave(7).abs(),
        };
        let units = network.units().unwrap() as i64;
        let keep = wave(7 * units).view([7, units]).ge(-0.5).to_kind(Kind::Float) * 1.5;
        (network, batch, keep)
    }

    #[test]
    fn it_is_that_of_libtorch_alone() {
        let (network, batch, keep) = given();
        let half = Tensor::from(0.5_f32);
        for keep in [None, Some(&keep)] {
            let sums = network.sums(&batch.states).unwrap();
            let logits = network.of_frames(&sums, &batch.statics, keep).unwrap();
            let expected = loss(&logits, &batch.target, &batch.weight).unwrap();
            let by = network.trained();
            let of_libtorch = flat(&gradients(&(&expected * 0.5), &by).unwrap()).unwrap();
            let (found, ours) =
                gradient(&network, &batch, keep, Precision::Float32, &half).unwrap();
            assert!((&found - &expected).abs().double_value(&[]) < 1e-5);
            assert_eq!(ours.size(), of_libtorch.size());
            let furthest = (&ours - &of_libtorch).abs().max().double_value(&[]);
            assert!(furthest < 1e-5, "{furthest}");
        }
    }

    #[test]
    fn fewer_bits_come_near() {
        let (network, batch, keep) = given();
        let one = Tensor::from(1.0_f32);
        let of = |precision| gradient(&network, &batch, Some(&keep), precision, &one).unwrap();
        let ((exact, whole), (rounded, short)) = (of(Precision::Float32), of(Precision::Bfloat16));
        assert_eq!(short.kind(), Kind::Float);
        assert!((exact - rounded).abs().double_value(&[]) < 0.05);
        let distance = (&whole - &short).norm() / whole.norm();
        let distance = distance.double_value(&[]);
        assert!(0.0 < distance && distance < 0.05, "{distance}");
    }
}
