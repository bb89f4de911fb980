//! The network under training: the scripted template with parameters of the sizes asked for.

use std::borrow::Cow;
use std::io::Cursor;

use holdadvise::model::{Dimensions, Forest, Node, TREE_TENSORS, limits};
use tch::{Device, Kind, TchError, Tensor, TrainableCModule, nn};

use super::error::TrainError;
use crate::random::Random;
use crate::training::TEMPLATE;
use crate::training::beginning::Beginning;
use crate::training::pieces::Piece;

/// Sizes of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// e, m, j, k of a sample.
    pub dimensions: Dimensions,
    /// Width of an embedding row.
    pub embedding: usize,
    /// Units of an LSTM layer.
    pub hidden: usize,
    /// LSTM layers.
    pub layers: usize,
    /// Units over the statics.
    pub units: usize,
    /// Pieces of the ranges of statics.
    pub pieces: usize,
    /// Units where LSTM and statics meet.
    pub joint: usize,
}

/// The weights of an LSTM of one layer in the order of cuDNN, which copies them at each step unless
/// they stand so at the start of a storage. With more layers it copies them all the same.
const FIRST_OF_CUDNN: &[&str] =
    &["lstm_input_weight", "lstm_recurrent_weight", "lstm_input_bias", "lstm_recurrent_bias"];

/// A network on a device.
#[derive(Debug)]
pub struct Network {
    template: Cow<'static, [u8]>,
    /// k: columns of the statics.
    k: usize,
    /// Parameters that stand before the others.
    first: &'static [&'static str],
    /// Units that a caller may drop in training; `None` where the module does that by itself.
    units: Option<usize>,
    parameters: nn::VarStore,
    module: TrainableCModule,
}

impl Sizes {
    fn check(&self) -> Result<(), TrainError> {
        for (name, value, most) in [
            ("embedding", self.embedding, limits::UNITS),
            ("hidden", self.hidden, limits::UNITS),
            ("layers", self.layers, limits::LAYERS),
            ("units", self.units, limits::UNITS),
            ("joint", self.joint, limits::UNITS),
        ] {
            if value == 0 || value > most {
                let text = format!("{name} is {value}, it must lie in 1..={most}");
                return Err(TrainError::Refused(text));
            }
        }
        Ok(())
    }

    /// Name, shape and the bound of the uniform distribution it starts from (0: all zero).
    fn parameters(&self) -> Vec<(&'static str, Vec<usize>, f64)> {
        let Dimensions { e, j, k, .. } = self.dimensions;
        let Self { embedding, hidden, layers, units, pieces, joint, .. } = *self;
        let inverse_root = |inputs: usize| 1.0 / (inputs.max(1) as f64).sqrt();
        // The sum over the slots starts with variance 1.
        let row = (3.0 / j as f64).sqrt();
        let mut parameters = vec![
            ("embedding", vec![j * e, embedding], row),
            ("lstm_input_weight", vec![4 * hidden, embedding], inverse_root(hidden)),
            ("lstm_stacked_weight", vec![layers - 1, 4 * hidden, hidden], inverse_root(hidden)),
            ("lstm_recurrent_weight", vec![layers, 4 * hidden, hidden], inverse_root(hidden)),
            ("lstm_input_bias", vec![layers, 4 * hidden], inverse_root(hidden)),
            ("lstm_recurrent_bias", vec![layers, 4 * hidden], inverse_root(hidden)),
            ("statics_mean", vec![k], 0.0),
            ("statics_scale", vec![k], 0.0),
            ("statics_weight", vec![units, k], inverse_root(k)),
            ("statics_bias", vec![units], inverse_root(k)),
            ("statics_piece_column", vec![pieces], 0.0),
            ("statics_piece_low", vec![pieces], 0.0),
            ("statics_piece_width", vec![pieces], 0.0),
            ("statics_piece_weight", vec![units, pieces], inverse_root(k + pieces)),
            ("hidden_weight", vec![joint, hidden + units], inverse_root(hidden + units)),
            ("hidden_bias", vec![joint], inverse_root(hidden + units)),
            ("output_weight", vec![1, joint], inverse_root(joint)),
            ("output_bias", vec![1], 0.0),
            // No trees until `set_trees`.
        ];
        let of_trees = |name| (name, vec![usize::from(name == "tree_steps")], 0.0);
        parameters.extend(TREE_TENSORS.map(of_trees));
        parameters
    }
}

impl Network {
    /// A network with random parameters that depend on the sizes and the seed alone.
    ///
    /// # Errors
    /// When a size is out of range or libtorch fails.
    pub fn new(sizes: Sizes, device: Device, seed: u64) -> Result<Self, TrainError> {
        sizes.check()?;
        let mut network = Self::load(TEMPLATE.into(), sizes.dimensions.k, device)?;
        network.units = Some(sizes.layers * sizes.hidden + sizes.units + sizes.joint);
        let mut random = Random::new(seed);
        for (name, shape, bound) in sizes.parameters() {
            let size: usize = shape.iter().product();
            let mut values: Vec<f32> =
                (0..size).map(|_| ((random.unit() * 2.0 - 1.0) * bound) as f32).collect();
            if name == "lstm_input_bias" {
                // An open forget gate at the start (Jozefowicz et al. 2015).
                for layer in values.chunks_exact_mut(4 * sizes.hidden) {
                    layer[sizes.hidden..2 * sizes.hidden].iter_mut().for_each(|b| *b += 1.0);
                }
            } else if matches!(name, "statics_scale" | "statics_piece_width") {
                values.fill(1.0);
            }
            network.set(name, &values, &shape)?;
        }
        Ok(network)
    }

    /// A module of one's own, with the parameters it comes with. It is tried on two rows.
    ///
    /// # Errors
    /// When it is no scripted module, has nothing to learn, or does not take states `[B, m, j]` and
    /// statics `[B, k]` or give `[B]` logits.
    pub fn own(
        template: &[u8],
        dimensions: Dimensions,
        device: Device,
    ) -> Result<Self, TrainError> {
        let refused = |detail: String| {
            TrainError::Refused(format!("the module of --architecture cannot be used: {detail}"))
        };
        let network = Self::load(template.to_vec().into(), dimensions.k, device)
            .map_err(|error| refused(error.to_string()))?;
        if network.trained().is_empty() {
            return Err(refused(
                "it has no parameters with a gradient: nothing to train".to_owned(),
            ));
        }
        let Dimensions { m, j, k, .. } = dimensions;
        let states = Tensor::f_zeros([2, m as i64, j as i64], (Kind::Int64, device))?;
        let statics = Tensor::f_zeros([2, k as i64], (Kind::Float, device))?;
        let takes = format!("states [2, {m}, {j}] and statics [2, {k}]");
        let tried = tch::no_grad(|| network.forward(&states, &statics));
        let logits =
            tried.map_err(|error| refused(format!("it does not take {takes}: {error}")))?;
        if logits.size() != [2] {
            return Err(refused(format!("of {takes} it makes {:?}, expected [2]", logits.size())));
        }
        Ok(network)
    }

    /// A network with the parameters of a model.
    ///
    /// # Errors
    /// When the model is of other dimensions or libtorch fails.
    pub(crate) fn begun(
        beginning: &Beginning,
        dimensions: Dimensions,
        device: Device,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let [embedding, hidden, layers, units, joint] = beginning.sizes().map(|(_, size)| size);
        let pieces = beginning.pieces();
        let sizes = Sizes { dimensions, embedding, hidden, layers, units, pieces, joint };
        let network = Self::new(sizes, device, seed)?;
        let its = beginning.parameters();
        for (name, shape, _) in sizes.parameters() {
            if TREE_TENSORS.contains(&name) {
                continue;
            }
            match its.get(name) {
                Some((found, values)) if *found == shape => network.set(name, values, &shape)?,
                found => {
                    let found = found.map_or(&[][..], |(shape, _)| shape);
                    return Err(TrainError::Refused(format!(
                        "the model to begin with has {name} {found:?}, expected {shape:?}"
                    )));
                }
            }
        }
        Ok(network)
    }

    fn load(template: Cow<'static, [u8]>, k: usize, device: Device) -> Result<Self, TrainError> {
        let parameters = nn::VarStore::new(device);
        let module = TrainableCModule::load_data(&mut Cursor::new(&template), parameters.root())?;
        let first = if device.is_cuda() { FIRST_OF_CUDNN } else { &[] };
        Ok(Self { template, k, first, units: None, parameters, module })
    }

    fn has(&self, name: &str) -> bool {
        self.parameters.variables().contains_key(name)
    }

    /// The module adds trees to its logit.
    pub fn takes_trees(&self) -> bool {
        TREE_TENSORS.into_iter().all(|name| self.has(name)) && self.has("output_weight")
    }

    /// The parameters that are trained, those of `first` before the others, in the order of their
    /// names.
    pub fn trained(&self) -> Vec<Tensor> {
        self.trained_and_embedding().0
    }

    /// Numbers of all parameters that are trained, in the order of the parameters' names.
    pub(super) fn by_name(&self, trained: &Tensor) -> Result<Tensor, TchError> {
        self.places().map_or(Ok(trained.copy()), |places| trained.f_index_select(0, &places))
    }

    /// Numbers in the order of the parameters' names, in that in which they are trained.
    pub(super) fn as_trained(&self, by_name: &Tensor) -> Result<Tensor, TchError> {
        let place = |places| by_name.f_index_copy(0, &places, by_name);
        self.places().map_or(Ok(by_name.copy()), place)
    }

    /// Where each number of the parameters, in the order of their names, stands in those that are
    /// trained; `None` where that is its place.
    fn places(&self) -> Option<Tensor> {
        if self.first.is_empty() {
            return None;
        }
        let (mut at, mut places) = (0, Vec::new());
        for (name, tensor) in self.named() {
            let from = at;
            at += tensor.numel() as i64;
            places.push((name, from..at));
        }
        places.sort_by(|a, b| a.0.cmp(&b.0));
        let places: Vec<i64> = places.into_iter().flat_map(|(_, places)| places).collect();
        Some(Tensor::from_slice(&places))
    }

    fn named(&self) -> Vec<(String, Tensor)> {
        let mut named: Vec<(String, Tensor)> = self.parameters.variables().into_iter().collect();
        named.retain(|(_, tensor)| tensor.requires_grad() && tensor.numel() > 0);
        let place = |name: &str| self.first.iter().position(|first| *first == name);
        named.sort_by_cached_key(|(name, _)| {
            (place(name).unwrap_or(self.first.len()), name.clone())
        });
        named
    }

    /// The same, and which of them is the embedding; `None` where a module of one's own cannot be
    /// run from its sums on.
    pub(super) fn trained_and_embedding(&self) -> (Vec<Tensor>, Option<usize>) {
        let named = self.named();
        let embedding = named.iter().position(|(name, _)| name == "embedding");
        let tensors = named.into_iter().map(|(_, tensor)| tensor).collect();
        (tensors, embedding.filter(|_| self.units.is_some()))
    }

    /// Gives a parameter new values and a new shape.
    fn set(&self, name: &str, values: &[f32], shape: &[usize]) -> Result<(), TrainError> {
        let shape: Vec<i64> = shape.iter().map(|&side| side as i64).collect();
        let data = Tensor::f_from_slice(values)?.f_view(shape.as_slice())?;
        self.set_tensor(name, &data)
    }

    fn set_tensor(&self, name: &str, data: &Tensor) -> Result<(), TrainError> {
        set_parameter(&self.parameters, name, data)
    }

    /// Sets what statics are standardised with: (x - mean) / scale, where the module has such
    /// parameters.
    ///
    /// # Errors
    /// When libtorch fails.
    pub fn set_standard(&self, mean: &[f32], scale: &[f32]) -> Result<(), TrainError> {
        for (name, values) in [("statics_mean", mean), ("statics_scale", scale)] {
            if self.has(name) {
                self.set(name, values, &[values.len()])?;
            }
        }
        Ok(())
    }

    /// Sets the pieces of the ranges of statics: how far into each a value lies is an input.
    ///
    /// # Errors
    /// When libtorch fails.
    pub fn set_pieces(&self, pieces: &[Piece]) -> Result<(), TrainError> {
        let set = |name, of: &dyn Fn(&Piece) -> f32| {
            let values: Vec<f32> = pieces.iter().map(of).collect();
            self.set(name, &values, &[pieces.len()])
        };
        set("statics_piece_column", &|piece| piece.column as f32)?;
        set("statics_piece_low", &|piece| piece.low)?;
        set("statics_piece_width", &|piece| piece.width)
    }

    /// Sets the trees whose sum is added to the logit.
    ///
    /// # Errors
    /// When the forest does not keep the contract ([`Forest::check`]), or libtorch fails.
    pub fn set_trees(&self, forest: &Forest) -> Result<(), TrainError> {
        let wrong = |error| TrainError::Refused(format!("decision trees: {error}"));
        forest.check(self.k).map_err(wrong)?;
        for (name, values) in TREE_TENSORS.into_iter().zip(forest.tensors()) {
            self.set(name, &values, &[values.len()])?;
        }
        Ok(())
    }

    /// Makes the logit the mean of the network's and of the trees', which count for `share`, 0 to
    /// 1.
    ///
    /// # Errors
    /// When the forest does not keep the contract ([`Forest::check`]), or libtorch fails.
    pub fn mix(&self, share: f64, forest: &Forest) -> Result<(), TrainError> {
        let variables = self.parameters.variables();
        for name in ["output_weight", "output_bias"] {
            if let Some(tensor) = variables.get(name) {
                self.set_tensor(name, &(tensor.f_detach()? * (1.0 - share)))?;
            }
        }
        let mut forest = forest.clone();
        for node in &mut forest.nodes {
            if let Node::Leaf { value } = node {
                *value = (f64::from(*value) * share) as f32;
            }
        }
        self.set_trees(&forest)
    }

    /// The units of each row that a caller may drop in training; `None` where the module does that
    /// by itself.
    pub fn units(&self) -> Option<usize> {
        self.units
    }

    /// Another network with the same values.
    ///
    /// # Errors
    /// When libtorch fails.
    pub fn replica(&self) -> Result<Self, TrainError> {
        self.copy(self.parameters.device())
    }

    fn copy(&self, device: Device) -> Result<Self, TrainError> {
        let copy = Self::load(self.template.clone(), self.k, device)?;
        for (name, tensor) in self.parameters.variables() {
            // A copy: a view would bring all that it is a part of along.
            copy.set_tensor(&name, &tensor.f_detach()?.copy())?;
        }
        Ok(Self { units: self.units, ..copy })
    }

    /// Sets the share of units dropped in training, 0 to 1, where the module drops them by itself
    /// and has such a parameter.
    ///
    /// # Errors
    /// When libtorch fails.
    pub fn set_dropout(&self, share: f32) -> Result<(), TrainError> {
        if self.has("dropout") { self.set("dropout", &[share], &[1]) } else { Ok(()) }
    }

    /// Logits `[B]` of states u8 or int64 `[B, m, j]` and statics f32 `[B, k]` on the network's
    /// device.
    ///
    /// # Errors
    /// When libtorch fails.
    pub fn forward(&self, states: &Tensor, statics: &Tensor) -> Result<Tensor, TrainError> {
        let states = states.f_to_kind(Kind::Int64)?;
        Ok(self.module.forward_ts(&[&states, statics])?)
    }

    /// The sums of the embedding rows f32 `[B, m, width]` of states.
    pub(super) fn sums(&self, states: &Tensor) -> Result<Tensor, TrainError> {
        Ok(self.module.method_ts("sums", &[states.f_to_kind(Kind::Int64)?])?)
    }

    /// Logits `[B]` in training, from these sums; the LSTM computes with the kind of numbers they
    /// are of. Each unit is multiplied with what `keep` `[B, units]` has for it.
    pub(super) fn of_frames(
        &self,
        frames: &Tensor,
        statics: &Tensor,
        keep: Option<&Tensor>,
    ) -> Result<Tensor, TrainError> {
        let inputs: Vec<&Tensor> = [frames, statics].into_iter().chain(keep).collect();
        Ok(self.module.method_ts("of_frames", &inputs)?)
    }

    /// Switches dropout on (training) or off.
    ///
    /// # Errors
    /// When libtorch fails.
    pub fn set_training(&mut self, training: bool) -> Result<(), TrainError> {
        if training {
            self.module.f_set_train()?;
        } else {
            self.module.f_set_eval()?;
        }
        Ok(())
    }

    /// The module as `torch.jit.save` writes it, in evaluation mode and on the CPU whatever the
    /// device, without our metadata.
    ///
    /// # Errors
    /// When libtorch fails or the temporary folder cannot be written to.
    pub fn archive(&self) -> Result<Vec<u8>, TrainError> {
        let mut fresh = self.copy(Device::Cpu)?;
        fresh.set_dropout(0.0)?;
        fresh.set_training(false)?;
        saved(&fresh.module)
    }
}

/// Gives a parameter of a template new data, of any shape.
pub(crate) fn set_parameter(
    parameters: &nn::VarStore,
    name: &str,
    data: &Tensor,
) -> Result<(), TrainError> {
    let mut variables = parameters.variables();
    let variable = variables
        .get_mut(name)
        .ok_or_else(|| TchError::Kind(format!("the template has no parameter {name}")))?;
    let data = data.f_to_device(parameters.device())?;
    tch::no_grad(|| variable.f_set_data(&data))?;
    Ok(())
}

/// The file that `torch.jit.save` would write of a module.
pub(crate) fn saved(module: &TrainableCModule) -> Result<Vec<u8>, TrainError> {
    // The file's name becomes the archive's top folder: the same for every model.
    let unsaved = |error: std::io::Error| {
        TrainError::Refused(format!("the trained module could not be saved: {error}"))
    };
    let folder = tempfile::tempdir().map_err(unsaved)?;
    let path = folder.path().join("holdadvise.pt");
    module.save(&path)?;
    std::fs::read(&path).map_err(unsaved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::fitting::optimizer::flat;

    #[test]
    fn what_stands_first_is_put_back_in_the_order_of_the_names() {
        let dimensions = Dimensions { e: 5, m: 6, j: 3, k: 4 };
        let (embedding, hidden, layers, units, pieces, joint) = (8, 16, 2, 6, 0, 10);
        let sizes = Sizes { dimensions, embedding, hidden, layers, units, pieces, joint };
        let mut network = Network::new(sizes, Device::Cpu, 1).unwrap();
        let by_name = flat(&network.trained()).unwrap();
        assert_eq!(network.by_name(&by_name).unwrap(), by_name);
        network.first = FIRST_OF_CUDNN;
        let (trained, embedding) = network.trained_and_embedding();
        assert_eq!(trained[embedding.unwrap()].size(), [15, 8]);
        assert_eq!(trained[0].size(), [64, 8], "the weights of the first layer begin");
        let ours = flat(&trained).unwrap();
        assert_ne!(ours, by_name);
        assert_eq!(network.by_name(&ours).unwrap(), by_name);
        assert_eq!(network.as_trained(&by_name).unwrap(), ours);
    }
}
