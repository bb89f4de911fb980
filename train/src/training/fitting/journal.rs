//! What a training says of itself while it runs: JSON lines, one an epoch, and one when it is done.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::error::TrainError;
use crate::output::{FileError, Output};

/// The file of metrics.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// What stands in every line.
    label: Label,
}

/// Which part of a sweep this is.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Label {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trial: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rung: Option<usize>,
}

/// An epoch.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EpochLine {
    pub(crate) epoch: usize,
    pub(crate) train_loss: f64,
    /// That of the last step.
    pub(crate) learning_rate: f64,
    /// With the look at the validation part.
    pub(crate) seconds: f64,
    /// Samples trained on a second, without it.
    pub(crate) sequences_per_second: f64,
    /// Figures on the validation part, half of the 95 % interval of each, and n: of the network
    /// alone, without trees and calibration.
    #[serde(flatten)]
    pub(crate) figures: BTreeMap<String, f64>,
}

#[derive(Serialize)]
struct Line<'a, T> {
    #[serde(flatten)]
    label: Label,
    #[serde(flatten)]
    content: &'a T,
}

impl Journal {
    /// Opens the file. Lines of epochs after `epoch` go: a training that was cut off after its last
    /// checkpoint tells of them again.
    pub(crate) fn open(path: &Path, label: Label, epoch: usize) -> Result<Self, TrainError> {
        let failed = |error| TrainError::Write(FileError::of(path)(error));
        let mut kept = Vec::new();
        if let Ok(file) = File::open(path) {
            for line in BufReader::new(file).lines() {
                let line = line.map_err(failed)?;
                let told = serde_json::from_str::<Value>(&line).ok();
                let told = told.as_ref().filter(|line| line.get("train_loss").is_some());
                let of = told.and_then(|line| line.get("epoch")?.as_u64());
                if of.is_some_and(|of| of <= epoch as u64) {
                    kept.extend_from_slice(line.as_bytes());
                    kept.push(b'\n');
                }
            }
        }
        Output::from(path).write(&kept).map_err(TrainError::Write)?;
        let file = File::options().append(true).open(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file, label })
    }

    /// Adds a line.
    pub(crate) fn add(&mut self, content: &impl Serialize) -> Result<(), TrainError> {
        let failed = |error| TrainError::Write(FileError::of(&self.path)(error));
        let mut line = serde_json::to_vec(&Line { label: self.label, content })
            .map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_after_the_checkpoint_and_half_lines_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let label = Label { trial: Some(7), rung: Some(2) };
        let line = |epoch| EpochLine {
            epoch,
            train_loss: 0.5,
            figures: BTreeMap::from([("validation_loss".to_owned(), f64::NAN)]),
            learning_rate: 0.1,
            seconds: 1.0,
            sequences_per_second: 2.0,
        };
        let mut journal = Journal::open(&path, label, 0).unwrap();
        (1..=3).for_each(|epoch| journal.add(&line(epoch)).unwrap());
        journal.add(&serde_json::json!({"epoch": 2, "model_validation_auroc": 0.5})).unwrap();
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"epo").unwrap();
        let mut journal = Journal::open(&path, label, 2).unwrap();
        journal.add(&line(3)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let epochs: Vec<u64> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["epoch"].as_u64().unwrap())
            .collect();
        assert_eq!(epochs, [1, 2, 3]);
        assert!(text.starts_with(
            r#"{"trial":7,"rung":2,"epoch":1,"train_loss":0.5,"learning_rate":0.1,"seconds":1.0,"sequences_per_second":2.0,"validation_loss":null"#
        ));
    }
}
