//! The model that a training begins with (warm start): its parameters, and whether they fit.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use holdadvise::model::{Archive, FeatureSchema, Model, TREE_TENSORS};

use crate::Error;
use crate::output;
use crate::output::digest;

/// Columns or states that a message names, at most.
const NAMED: usize = 3;

/// A model and the parameters of its network.
#[derive(Debug)]
pub struct Beginning {
    /// The file.
    bytes: Vec<u8>,
    model: Model,
    /// Shape and values by name, without those of the trees.
    tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
    trees: usize,
}

impl Beginning {
    /// Reads a model file.
    ///
    /// # Errors
    /// When it is no model of the built-in architecture.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = output::read(path)?;
        Self::of(bytes).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn of(bytes: Vec<u8>) -> Result<Self, Error> {
        let model = Model::from_bytes(&bytes)?;
        let mut archive = Archive::new(&bytes)?;
        let (mut tensors, mut trees) = (BTreeMap::new(), 0);
        for entry in &model.metadata.tensors {
            if entry.name == TREE_TENSORS[0] {
                trees = entry.shape.first().copied().unwrap_or(0);
            }
            if !TREE_TENSORS.contains(&entry.name.as_str()) {
                let values = archive.tensor(entry)?;
                tensors.insert(entry.name.clone(), (entry.shape.clone(), values));
            }
        }
        if !tensors.contains_key("statics_piece_column") {
            let text = "it was made with the first template, without pieces: train one without \
                        --from first";
            return Err(text.into());
        }
        Ok(Self { bytes, model, tensors, trees })
    }

    /// The file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Its trees.
    pub fn trees(&self) -> usize {
        self.trees
    }

    /// SHA-256 of the file.
    pub fn digest(&self) -> String {
        digest(&self.bytes)
    }

    /// How much its trees weigh beside its network, 0 to 1.
    pub fn share_of_trees(&self) -> f64 {
        let details = &self.model.metadata.training.details;
        let share = details.get("share_of_trees").and_then(serde_json::Value::as_f64);
        share.filter(|share| (0.0..=1.0).contains(share)).unwrap_or(0.0)
    }

    fn side(&self, tensor: &str, side: usize) -> usize {
        let shape = self.tensors.get(tensor).map(|(shape, _)| shape.as_slice());
        shape.and_then(|shape| shape.get(side)).copied().unwrap_or(0)
    }

    /// The sizes of its network by the names of the options of a training.
    pub fn sizes(&self) -> [(&'static str, usize); 5] {
        [
            ("embedding", self.side("embedding", 1)),
            ("hidden", self.side("lstm_recurrent_weight", 2)),
            ("layers", self.side("lstm_recurrent_weight", 0)),
            ("units", self.side("statics_bias", 0)),
            ("joint", self.side("hidden_bias", 0)),
        ]
    }

    /// Its pieces of the ranges of statics.
    pub fn pieces(&self) -> usize {
        self.side("statics_piece_column", 0)
    }

    /// Shape and values of its parameters as they are without trees beside them, by name.
    pub fn parameters<'s>(&'s self) -> BTreeMap<&'s str, (&'s [usize], Vec<f32>)> {
        // What the network weighs is part of its last layer; of nothing nothing can be undone.
        let weight = 1.0 - self.share_of_trees();
        let whole = if self.trees > 0 && weight > 0.0 { weight } else { 1.0 };
        let parameter = |(name, (shape, values)): (&'s String, &'s (Vec<usize>, Vec<f32>))| {
            let last = ["output_weight", "output_bias"].contains(&name.as_str());
            let factor = if last { whole } else { 1.0 };
            let values = values.iter().map(|&value| (f64::from(value) / factor) as f32);
            (name.as_str(), (shape.as_slice(), values.collect()))
        };
        self.tensors.iter().map(parameter).collect()
    }

    /// Refuses another schema than the model's.
    ///
    /// # Errors
    /// What differs.
    pub fn check_schema(&self, schema: &FeatureSchema) -> Result<(), String> {
        let its = &self.model.metadata.schema;
        if its.hash == schema.hash {
            return Ok(());
        }
        let mut text = "the model to begin with is of another feature schema:".to_owned();
        if its.frame_edges != schema.frame_edges {
            let edges = |of: &FeatureSchema| {
                let edges: Vec<String> = of.frame_edges.iter().map(u32::to_string).collect();
                edges.join(",")
            };
            let _ = write!(text, " it has frame edges {}, the data {};", edges(its), edges(schema));
        }
        if its.slots != schema.slots {
            let _ = write!(text, " it has {} job slots, the data {};", its.slots, schema.slots);
        }
        for (what, its, ours) in
            [("states", &its.states, &schema.states), ("columns", &its.statics, &schema.statics)]
        {
            for (whose, one, other) in [("it", its, ours), ("the data", ours, its)] {
                let more: Vec<&str> =
                    one.iter().filter(|name| !other.contains(name)).map(String::as_str).collect();
                if !more.is_empty() {
                    let first = more[..more.len().min(NAMED)].join(", ");
                    let count = more.len();
                    let _ = write!(text, " {whose} alone has {count} {what} ({first});");
                }
            }
        }
        let _ = write!(text, " hash {}, of the data {}", its.hash, schema.hash);
        Err(text)
    }

    /// Refuses other sizes than the model's.
    ///
    /// # Errors
    /// What differs, and the options that would not.
    pub fn check_sizes(&self, sizes: [usize; 5]) -> Result<(), String> {
        let its = self.sizes();
        let differ: Vec<String> = its
            .iter()
            .zip(sizes)
            .filter(|((_, its), ours)| its != ours)
            .map(|((name, its), ours)| format!("{name} {its}, this training {ours}"))
            .collect();
        if differ.is_empty() {
            return Ok(());
        }
        let options: Vec<String> =
            its.iter().map(|(name, size)| format!("--{name} {size}")).collect();
        Err(format!(
            "the model to begin with has {}: give {}",
            differ.join("; "),
            options.join(" ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use holdadvise::model::DEFAULT_ARCHIVE;

    fn shipped() -> Beginning {
        Beginning::of(DEFAULT_ARCHIVE.to_vec()).unwrap()
    }

    #[test]
    fn sizes_and_weights_of_the_shipped_model_are_read() {
        let shipped = shipped();
        let details = &shipped.model.metadata.training.details["options"];
        for (name, size) in shipped.sizes() {
            assert_eq!(details[name].as_u64(), Some(size as u64), "{name}");
        }
        let parameters = shipped.parameters();
        let share = shipped.share_of_trees();
        assert!(share > 0.0 && share < 1.0 && shipped.trees() > 0);
        let (shape, weights) = &parameters["output_weight"];
        let mixed = &shipped.tensors["output_weight"].1;
        assert_eq!(shape.iter().product::<usize>(), weights.len());
        let apart = (f64::from(weights[0]) * (1.0 - share) - f64::from(mixed[0])).abs();
        assert!(apart < 1e-6, "{apart}");
        assert!(parameters.keys().all(|name| !name.starts_with("tree_")));
    }

    #[test]
    fn what_differs_is_named() {
        let shipped = shipped();
        let mut schema = shipped.model.metadata.schema.clone();
        shipped.check_schema(&schema).unwrap();
        schema.hash = "other".to_owned();
        schema.slots = 6;
        schema.frame_edges = vec![0, 60];
        let gone = schema.statics.remove(0);
        schema.states.push("new".to_owned());
        let error = shipped.check_schema(&schema).unwrap_err();
        for expected in [
            "the data 0,60;",
            "job slots, the data 6;",
            "the data alone has 1 states (new)",
            &format!("it alone has 1 columns ({gone})"),
        ] {
            assert!(error.contains(expected), "{expected} is not in {error}");
        }
        let mut sizes = shipped.sizes().map(|(_, size)| size);
        shipped.check_sizes(sizes).unwrap();
        sizes[1] += 1;
        let error = shipped.check_sizes(sizes).unwrap_err();
        let (hidden, other) = (sizes[1] - 1, sizes[1]);
        assert!(error.contains(&format!("has hidden {hidden}, this training {other}: give --emb")));
        assert!(error.contains(&format!("--hidden {hidden} ")), "{error}");
    }
}
