//! The network, as many times as there are processor threads: each takes a part of a batch, and the
//! gradients are added in the order of the parts, so that the sum does not depend on who is ready
//! first.
//!
//! libtorch's own threads share out single operations, which are too short for that in a small
//! network.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tch::{TchError, Tensor};

use super::error::TrainError;
use super::gradient::gradient;
use super::network::Network;
use super::optimizer::AdamW;
use super::rows::RowBatch;
use crate::training::precision::Precision;

/// Further copies of a network, whose parameters are those of the optimiser.
#[derive(Debug, Default)]
pub(super) struct Replicas {
    networks: Vec<Network>,
    threads: Option<ThreadPool>,
    precision: Precision,
}

impl Replicas {
    /// `more` copies of the network.
    pub(super) fn new(
        network: &Network,
        more: usize,
        optimizer: &AdamW,
        precision: Precision,
    ) -> Result<Self, TrainError> {
        if more == 0 {
            return Ok(Self { precision, ..Self::default() });
        }
        let networks = (0..more).map(|_| {
            let mut copy = network.replica()?;
            optimizer.share(&copy.trained())?;
            copy.set_training(true)?;
            Ok(copy)
        });
        // Settings of libtorch that hold for a thread, not for the process.
        let begin = |_| {
            tch::set_num_threads(1);
            tch::jit::set_graph_executor_optimize(false);
        };
        let threads = ThreadPoolBuilder::new().num_threads(more + 1).start_handler(begin).build();
        let threads =
            threads.map_err(|error| TrainError::Refused(format!("--threads: {error}")))?;
        let networks = networks.collect::<Result<_, TrainError>>()?;
        Ok(Self { networks, threads: Some(threads), precision })
    }

    /// The loss of a batch, detached, and the gradient of `scale` times it.
    pub(super) fn gradient(
        &mut self,
        network: &mut Network,
        batch: &RowBatch,
        keep: Option<&Tensor>,
        scale: &Tensor,
    ) -> Result<(Tensor, Tensor), TrainError> {
        let precision = self.precision;
        let Some(threads) = &self.threads else {
            return gradient(network, batch, keep, precision, scale);
        };
        let rows = batch.target.size1()?;
        let of_part = rows.cast_unsigned().div_ceil(self.networks.len() as u64 + 1).cast_signed();
        let networks = std::iter::once(network).chain(&mut self.networks);
        let starts = (0..rows).step_by(of_part.max(1) as usize);
        let parts = networks
            .zip(starts)
            .map(|(network, start)| {
                let length = of_part.min(rows - start);
                let cut = |tensor: &Tensor| tensor.f_narrow(0, start, length);
                let keep = keep.map(cut).transpose()?;
                Ok((network, batch.part(start, length)?, keep, scale.shallow_clone()))
            })
            .collect::<Result<Vec<_>, TchError>>()?;
        let of_part =
            |(network, batch, keep, scale): (&mut Network, RowBatch, Option<Tensor>, Tensor)| {
                gradient(network, &batch, keep.as_ref(), precision, &scale)
            };
        let found: Vec<_> = threads.install(|| parts.into_par_iter().map(of_part).collect());
        let sum = found.into_iter().reduce(|sum, one| {
            let ((losses, gradients), (loss, gradient)) = (sum?, one?);
            Ok((losses + loss, gradients + gradient))
        });
        sum.unwrap_or_else(|| Err(TrainError::Refused("a batch without rows".to_owned())))
    }
}
