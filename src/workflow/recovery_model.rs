//! The model of [`Recovery`]: a forest for each action and one for memory, over a matrix of counts.
//!
//! Its file is a zip that [`Archive`] reads. `extra/holdadvise.json` in it names causes, tensors and
//! what it was trained on.

use std::io::{Cursor, Write};

use serde::{Deserialize, Serialize};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::counts::{CAUSES, Counts, SITES, Vocabulary};
use super::recovery::Recovery;
use crate::model::{
    Archive, Forest, MAX_METADATA_BYTES, METADATA_ENTRY, ModelError, TREE_TENSORS, TensorEntry,
    Tensors, TrainingSummary,
};
use crate::text::shown;

/// The model shipped with this program.
pub const SHIPPED: &[u8] = include_bytes!("../../models/workflow.zip");

/// Version of the layout of the metadata that this program reads and writes.
const FORMAT: u32 = 1;

/// The top folder of the archive that is written.
const FOLDER: &str = "workflow";

/// Outputs: the actions, then memory.
const OUTPUTS: usize = Recovery::ALL.len() + 1;

/// Bytes of the name of a cause or a site.
const NAME: usize = 256;

/// What the archive says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Metadata {
    format: u32,
    vocabulary: Vocabulary,
    tensors: Vec<TensorEntry>,
    training: TrainingSummary,
}

/// What the model says of a workflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkflowAdvice {
    /// The probability that each action is the right one, in the order of [`Recovery::ALL`], 0 to 1.
    pub actions: [f64; Recovery::ALL.len()],
    /// The probability that memory must change, 0 to 1.
    pub memory: f64,
}

impl WorkflowAdvice {
    /// The likeliest action, the first of equal ones.
    pub fn most(&self) -> (Recovery, f64) {
        let all = Recovery::ALL.into_iter().zip(self.actions);
        all.rev().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or((Recovery::GiveUp, 0.0))
    }
}

/// A forest for each action against the rest, and one for memory.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveryModel {
    vocabulary: Vocabulary,
    /// In the order of [`Recovery::ALL`], then memory.
    forests: [Forest; OUTPUTS],
    training: TrainingSummary,
}

impl RecoveryModel {
    /// A model of forests in the order of [`Recovery::ALL`], and one for memory.
    ///
    /// # Errors
    /// When a forest does not fit the matrix of the vocabulary, or the vocabulary is too large.
    pub fn new(
        vocabulary: Vocabulary,
        forests: [Forest; OUTPUTS],
        training: TrainingSummary,
    ) -> Result<Self, ModelError> {
        check(&vocabulary)?;
        let [height, width] = vocabulary.sides();
        forests.iter().try_for_each(|forest| forest.check(height * width))?;
        Ok(Self { vocabulary, forests, training })
    }

    /// The model shipped with this program.
    ///
    /// # Errors
    /// When the embedded archive is not one: a defect of the build.
    pub fn shipped() -> Result<Self, ModelError> {
        Self::from_bytes(SHIPPED)
    }

    /// Reads an archive held in memory.
    ///
    /// # Errors
    /// When it is no such archive, of another format, too large, or a tensor cannot be used.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let mut archive = Archive::with(bytes, METADATA_ENTRY)?;
        let text = archive.entry(METADATA_ENTRY, MAX_METADATA_BYTES)?;
        let mut about: Metadata = serde_json::from_slice(&text)
            .map_err(|error| ModelError::Metadata(shown(&error.to_string(), 300)))?;
        if about.format != FORMAT {
            let detail = format!("format {} is unknown, {FORMAT} is read", about.format);
            return Err(ModelError::Metadata(detail));
        }
        about.training.trained_on = shown(&about.training.trained_on, 300);
        check(&about.vocabulary)?;
        let [height, width] = about.vocabulary.sides();
        let mut tensors = Tensors::new(&mut archive, &about.tensors);
        let mut forests: [Forest; OUTPUTS] = Default::default();
        for (forest, output) in forests.iter_mut().zip(outputs()) {
            *forest = tensors.forest(&format!("{output}."), height * width)?;
        }
        Self::new(about.vocabulary, forests, about.training)
    }

    /// The archive that [`from_bytes`](Self::from_bytes) reads.
    ///
    /// # Errors
    /// When it cannot be packed.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let mut files = vec![(METADATA_ENTRY.to_owned(), self.about()?)];
        files.extend(self.files());
        packed(&files).map_err(|error| ModelError::Archive(error.to_string()))
    }

    /// The names of its tensors and their values.
    fn tensors(&self) -> impl Iterator<Item = (String, Vec<f32>)> {
        self.forests.iter().zip(outputs()).flat_map(|(forest, output)| {
            let names = TREE_TENSORS.map(|name| format!("{output}.{name}"));
            names.into_iter().zip(forest.tensors())
        })
    }

    /// The files of its tensors.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let bytes =
            |values: Vec<f32>| values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.tensors().map(|(name, values)| (file(&name), bytes(values))).collect()
    }

    /// The text of its metadata.
    fn about(&self) -> Result<Vec<u8>, ModelError> {
        let entry = |(name, values): (String, Vec<f32>)| TensorEntry {
            file: file(&name),
            name,
            shape: vec![values.len()],
        };
        let about = Metadata {
            format: FORMAT,
            vocabulary: self.vocabulary.clone(),
            tensors: self.tensors().map(entry).collect(),
            training: self.training.clone(),
        };
        serde_json::to_vec_pretty(&about).map_err(|error| ModelError::Metadata(error.to_string()))
    }

    /// What it says of a workflow.
    pub fn say(&self, counts: &Counts) -> WorkflowAdvice {
        let matrix = self.vocabulary.matrix(counts);
        let of = |forest: &Forest| 1.0 / (1.0 + (-forest.logit(&matrix)).exp());
        let [actions @ .., memory] = &self.forests;
        WorkflowAdvice { actions: actions.each_ref().map(of), memory: of(memory) }
    }

    /// What its matrices are of.
    pub const fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// What it was trained on; nothing in it controls a terminal.
    pub fn trained_on(&self) -> &str {
        &self.training.trained_on
    }
}

/// The names of the outputs in those of tensors.
fn outputs() -> [String; OUTPUTS] {
    std::array::from_fn(|at| {
        Recovery::ALL.get(at).map_or("memory must change", |of| of.name()).replace(' ', "-")
    })
}

/// The file of a tensor.
fn file(name: &str) -> String {
    format!("data/{name}")
}

fn check(vocabulary: &Vocabulary) -> Result<(), ModelError> {
    for (what, names, most) in
        [("causes", &vocabulary.causes, CAUSES), ("sites", &vocabulary.sites, SITES)]
    {
        if names.len() > most || names.iter().any(|name| name.len() > NAME) {
            let detail = format!("{} {what}, at most {most} of {NAME} bytes are read", names.len());
            return Err(ModelError::Metadata(detail));
        }
    }
    Ok(())
}

fn packed(files: &[(String, Vec<u8>)]) -> zip::result::ZipResult<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in files {
        writer.start_file(format!("{FOLDER}/{name}"), options)?;
        writer.write_all(content)?;
    }
    Ok(writer.finish()?.into_inner())
}

#[cfg(test)]
#[path = "recovery_model_tests.rs"]
pub(super) mod tests;
