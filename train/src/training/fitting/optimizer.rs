//! AdamW (Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization") over all parameters
//! as one vector.
//!
//! The parameters of a small network are many small tensors: one vector takes a step in a dozen
//! operations instead of a dozen for each of them, and nothing is read back from a GPU. Its state
//! is three tensors, which a checkpoint keeps.

use tch::{Device, Kind, TchError, Tensor};

/// Decay of the mean of gradients.
const MEAN: f64 = 0.9;

/// Decay of the mean of squared gradients.
const SQUARE: f64 = 0.999;

/// Keeps the step finite where gradients are 0.
const EPSILON: f64 = 1e-8;

/// The optimiser, and with it the values of the parameters: each parameter is a view of its vector.
#[derive(Debug)]
pub(crate) struct AdamW {
    weight_decay: f64,
    state: AdamState,
}

/// The state, each tensor of one side.
#[derive(Debug)]
pub(crate) struct AdamState {
    /// Steps taken.
    pub(crate) steps: i64,
    pub(crate) values: Tensor,
    pub(crate) mean: Tensor,
    pub(crate) square: Tensor,
}

impl AdamState {
    /// The same of other tensors.
    pub(crate) fn each(
        &self,
        of: impl Fn(&Tensor) -> Result<Tensor, TchError>,
    ) -> Result<Self, TchError> {
        Ok(Self {
            steps: self.steps,
            values: of(&self.values)?,
            mean: of(&self.mean)?,
            square: of(&self.square)?,
        })
    }
}

impl AdamW {
    /// Gathers the parameters, whose data become views of one vector.
    pub(crate) fn new(parameters: &[Tensor], weight_decay: f64) -> Result<Self, TchError> {
        let values = tch::no_grad(|| flat(parameters))?;
        let (mean, square) = (values.f_zeros_like()?, values.f_zeros_like()?);
        let optimizer = Self { weight_decay, state: AdamState { steps: 0, values, mean, square } };
        optimizer.share(parameters)?;
        Ok(optimizer)
    }

    /// How many numbers the parameters have.
    pub(crate) fn len(&self) -> usize {
        self.state.values.numel()
    }

    /// Makes parameters of another copy of the network views of the same values.
    pub(crate) fn share(&self, parameters: &[Tensor]) -> Result<(), TchError> {
        let _guard = tch::no_grad_guard();
        let mut at = 0;
        for parameter in parameters {
            let length = parameter.numel() as i64;
            let view =
                self.state.values.f_narrow(0, at, length)?.f_view(parameter.size().as_slice())?;
            parameter.shallow_clone().f_set_data(&view)?;
            at += length;
        }
        Ok(())
    }

    /// Numbers that a step depends on beside the gradient.
    pub(crate) const FACTORS: usize = 3;

    /// Steps taken.
    pub(crate) fn steps(&self) -> i64 {
        self.state.steps
    }

    /// Says that so many steps are taken.
    pub(crate) fn set_steps(&mut self, steps: i64) {
        self.state.steps = steps;
    }

    /// Factors of the step of that number, from 1. The values are multiplied with the first. The
    /// root of the mean of squares is multiplied with the second, and the third is added to it.
    pub(crate) fn factors(&self, number: i64, rate: f64) -> [f32; Self::FACTORS] {
        let corrected = |decay: f64| 1.0 - decay.powf(number as f64);
        // The step is mean / (sqrt(square) + epsilon), both corrected, times the rate: all factors
        // in the denominator. It stays finite where the rate is 0.
        let factor = -corrected(MEAN) / rate.max(1e-30);
        let decay = 1.0 - rate * self.weight_decay;
        [decay, factor / corrected(SQUARE).sqrt(), factor * EPSILON].map(|factor| factor as f32)
    }

    /// Takes a step down a gradient, scaled down to the norm `most` (Pascanu et al. 2013), with
    /// f32 `[FACTORS]` on the device.
    pub(crate) fn step(
        &mut self,
        gradient: &Tensor,
        factors: &Tensor,
        most: f64,
    ) -> Result<(), TchError> {
        let _guard = tch::no_grad_guard();
        let norm = gradient.f_norm()?.f_add_scalar(1e-6)?;
        let shrink = norm.f_reciprocal()?.f_mul_scalar(most)?.f_clamp_max(1.0)?;
        let gradient = gradient.f_mul(&shrink)?;
        let _ = self.state.mean.f_lerp_(&gradient, 1.0 - MEAN)?;
        let _ = self.state.square.f_lerp_(&gradient.f_square()?, 1.0 - SQUARE)?;
        let mut denominator = self.state.square.f_sqrt()?;
        let _ = denominator.f_mul_(&factors.f_get(1)?)?.f_add_(&factors.f_get(2)?)?;
        let _ = self.state.values.f_mul_(&factors.f_get(0)?)?;
        let _ = self.state.values.f_addcdiv_(&self.state.mean, &denominator)?;
        Ok(())
    }

    /// A copy of the values of all parameters.
    pub(crate) fn values(&self) -> Tensor {
        self.state.values.copy()
    }

    /// Gives all parameters values that [`AdamW::values`] gave.
    pub(crate) fn set_values(&mut self, values: &Tensor) -> Result<(), TchError> {
        let _guard = tch::no_grad_guard();
        self.state.values.f_copy_(values)
    }

    /// The state.
    pub(crate) fn state(&self) -> &AdamState {
        &self.state
    }

    /// Goes back to a state.
    pub(crate) fn restore(&mut self, state: &AdamState) -> Result<(), TchError> {
        let _guard = tch::no_grad_guard();
        self.state.steps = state.steps;
        self.state.values.f_copy_(&state.values)?;
        self.state.mean.f_copy_(&state.mean)?;
        self.state.square.f_copy_(&state.square)
    }
}

/// Tensors one after the other.
pub(crate) fn flat(tensors: &[Tensor]) -> Result<Tensor, TchError> {
    let flat = tensors.iter().map(|tensor| tensor.f_detach()?.f_reshape([-1]));
    Tensor::f_cat(&flat.collect::<Result<Vec<_>, _>>()?, 0)
}

/// The numbers of a tensor, row by row.
pub(crate) fn numbers(tensor: &Tensor) -> Result<Vec<f32>, TchError> {
    let tensor = tensor.f_detach()?.f_to_kind(Kind::Float)?.f_to(Device::Cpu)?;
    Vec::<f32>::try_from(tensor.f_reshape([-1])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::fitting::gradient::gradients;

    /// Two parameters whose loss is smallest at (1, 2) and 3.
    fn loss(parameters: &[Tensor]) -> Tensor {
        let first =
            (&parameters[0] - Tensor::from_slice(&[1.0_f32, 2.0])).square().sum(Kind::Float);
        first + (&parameters[1] - 3.0).square().sum(Kind::Float)
    }

    fn downhill(parameters: &[Tensor]) -> Tensor {
        flat(&gradients(&loss(parameters), parameters).unwrap()).unwrap()
    }

    /// The next step with this gradient and rate.
    fn step(optimizer: &mut AdamW, gradient: &Tensor, rate: f64) {
        let number = optimizer.steps() + 1;
        optimizer.set_steps(number);
        let factors = Tensor::from_slice(&optimizer.factors(number, rate));
        optimizer.step(gradient, &factors, 1.0).unwrap();
    }

    fn begin() -> (Vec<Tensor>, AdamW) {
        let zeros = |n: i64| Tensor::zeros([n], (Kind::Float, Device::Cpu)).set_requires_grad(true);
        let parameters = vec![zeros(2), zeros(1)];
        let optimizer = AdamW::new(&parameters, 0.0).unwrap();
        (parameters, optimizer)
    }

    #[test]
    fn the_first_step_is_the_rate_and_the_end_is_the_smallest_loss() {
        let (parameters, mut optimizer) = begin();
        step(&mut optimizer, &downhill(&parameters), 0.1);
        // Adam's first step is the rate times the sign of the gradient, however long that is.
        for value in numbers(&optimizer.values()).unwrap() {
            assert!((value - 0.1).abs() < 1e-5, "{value}");
        }
        for number in 0..600 {
            let rate = 0.1 * (1.0 - f64::from(number) / 600.0);
            step(&mut optimizer, &downhill(&parameters), rate);
        }
        let found = numbers(&optimizer.values()).unwrap();
        assert!(found.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-2), "{found:?}");
        assert_eq!(
            Vec::<f32>::try_from(&parameters[1]).unwrap(),
            found[2..],
            "parameters are views"
        );
    }

    #[test]
    fn a_restored_state_goes_on_alike() {
        let (parameters, mut optimizer) = begin();
        step(&mut optimizer, &downhill(&parameters), 0.1);
        let state = optimizer.state().each(|tensor| Ok(tensor.copy())).unwrap();
        step(&mut optimizer, &downhill(&parameters), 0.05);
        let (others, mut other) = begin();
        other.restore(&state).unwrap();
        step(&mut other, &downhill(&others), 0.05);
        assert_eq!(numbers(&optimizer.values()).unwrap(), numbers(&other.values()).unwrap());
    }

    #[test]
    fn weights_decay_by_themselves() {
        let parameter = Tensor::ones([2], (Kind::Float, Device::Cpu)).set_requires_grad(true);
        let parameters = [parameter];
        let mut optimizer = AdamW::new(&parameters, 0.5).unwrap();
        let nothing = Tensor::zeros([2], (Kind::Float, Device::Cpu));
        step(&mut optimizer, &nothing, 0.1);
        assert_eq!(numbers(&optimizer.values()).unwrap(), [0.95, 0.95]);
    }
}
