//! The first layer on the CPU: an embedding row for each slot of a frame, added over the slots, and
//! the way back.
//!
//! libtorch sorts the rows to add their gradients; here they are added where they belong, which
//! takes less. The order is that of the samples, so that the sum is the same every time.

use tch::{TchError, Tensor};

use super::optimizer::numbers;

/// States of some samples `[B, m, j]` on the CPU, and the embedding `[j * e, width]` that they are
/// looked up in.
pub(crate) struct Lookup {
    states: Vec<u8>,
    /// B and m.
    shape: [i64; 2],
    slots: usize,
    /// e: rows of a slot.
    rows: usize,
    width: usize,
}

impl Lookup {
    /// Of states u8 `[B, m, j]`.
    ///
    /// # Errors
    /// When a state is none of the e that the embedding has rows for, or libtorch fails.
    pub(crate) fn new(states: &Tensor, embedding: &Tensor) -> Result<Self, TchError> {
        let (of_states, of_embedding) = (states.size(), embedding.size());
        let (&[batch, frames, slots @ (1..)], &[all, width @ (1..)]) =
            (&*of_states, &*of_embedding)
        else {
            let text = format!("states {of_states:?} in an embedding {of_embedding:?}");
            return Err(TchError::Shape(text));
        };
        let rows = (all / slots) as usize;
        let states = Vec::<u8>::try_from(states.f_contiguous()?.f_view([-1])?)?;
        if let Some(state) = states.iter().find(|&&state| usize::from(state) >= rows) {
            return Err(TchError::Shape(format!("state {state} in an embedding of {rows} states")));
        }
        let (slots, width) = (slots as usize, width as usize);
        Ok(Self { states, shape: [batch, frames], slots, rows, width })
    }

    /// For each frame, where its slots' rows begin in the embedding.
    fn frames(&self) -> impl Iterator<Item = impl Iterator<Item = usize>> {
        let Self { slots, rows, width, .. } = *self;
        let begin = move |(slot, &state): (usize, &u8)| (slot * rows + usize::from(state)) * width;
        self.states.chunks_exact(slots).map(move |frame| frame.iter().enumerate().map(begin))
    }

    /// The sums f32 `[B, m, width]`.
    pub(crate) fn sums(&self, embedding: &Tensor) -> Result<Tensor, TchError> {
        let values = numbers(embedding)?;
        let [batch, frames] = self.shape;
        let mut sums = vec![0.0_f32; self.states.len() / self.slots * self.width];
        for (sum, begins) in sums.chunks_exact_mut(self.width).zip(self.frames()) {
            for begin in begins {
                add(sum, &values[begin..begin + self.width]);
            }
        }
        Tensor::f_from_slice(&sums)?.f_view([batch, frames, self.width as i64])
    }

    /// The gradient by the embedding, `[j * e, width]`, from that by the sums.
    pub(crate) fn gradient(&self, of_sums: &Tensor) -> Result<Tensor, TchError> {
        let of_sums = numbers(of_sums)?;
        let rows = self.slots * self.rows;
        let mut gradient = vec![0.0_f32; rows * self.width];
        for (of_sum, begins) in of_sums.chunks_exact(self.width).zip(self.frames()) {
            for begin in begins {
                add(&mut gradient[begin..begin + self.width], of_sum);
            }
        }
        Tensor::f_from_slice(&gradient)?.f_view([rows as i64, self.width as i64])
    }
}

fn add(to: &mut [f32], more: &[f32]) {
    to.iter_mut().zip(more).for_each(|(to, more)| *to += more);
}

#[cfg(test)]
mod tests {
    use tch::{Device, Kind};

    use super::*;

    /// 5 samples of 3 frames and 2 slots with 4 states each, looked up in rows of 3 numbers.
    fn given() -> (Tensor, Tensor) {
        let states: Vec<u8> = (0..30_u8).map(|place| place * 7 % 4).collect();
        let states = Tensor::from_slice(&states).view([5, 3, 2]);
        let embedding = Tensor::arange(24, (Kind::Float, Device::Cpu)).view([8, 3]).sin();
        (states, embedding)
    }

    #[test]
    fn sums_and_gradient_are_those_of_libtorch() {
        let (states, embedding) = given();
        let leaf = embedding.copy().set_requires_grad(true);
        let rows = (states.to_kind(Kind::Int64) + Tensor::from_slice(&[0_i64, 4])).view([-1]);
        let sums =
            leaf.index_select(0, &rows).view([5, 3, 2, 3]).sum_dim_intlist(2, false, Kind::Float);
        let weights = Tensor::arange(45, (Kind::Float, Device::Cpu)).view([5, 3, 3]).cos();
        let gradient =
            Tensor::run_backward(&[(&sums * &weights).sum(Kind::Float)], &[&leaf], false, false);

        let lookup = Lookup::new(&states, &embedding).unwrap();
        let close = |ours: Tensor, theirs: &Tensor| {
            assert_eq!(ours.size(), theirs.size());
            assert!((ours - theirs).abs().max().double_value(&[]) < 1e-6);
        };
        close(lookup.sums(&embedding).unwrap(), &sums.detach());
        close(lookup.gradient(&weights).unwrap(), &gradient[0]);
    }

    #[test]
    fn a_state_without_a_row_is_refused() {
        let (states, embedding) = given();
        let error = Lookup::new(&(states + 2), &embedding).err().unwrap().to_string();
        assert!(error.contains("in an embedding of 4 states"), "{error}");
    }
}
