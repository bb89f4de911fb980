//! Ways to predict: models, predictions that another program wrote, and what is always there.

use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::engine::EngineKind;
use crate::output::digest;
use holdadvise::model::{Batch, ClosedLoop, Model};
use rayon::prelude::*;
use safetensors::{Dtype, SafeTensors};

use crate::Error;
use crate::data::dataset::Dataset;
use crate::evaluation::report::verdict::TABLE;
use crate::split::selection::SelectionOptions;
use crate::training::baselines::Baselines;

/// Rows judged at a time.
const BATCH: usize = 1024;

/// A method and what it says of the test rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Predicted {
    pub(super) name: String,
    /// Something is left out of it, to show what that brings.
    pub(super) ablation: bool,
    /// The files of the training seeds with their SHA-256; none for what is built in.
    pub(super) files: Vec<(PathBuf, String)>,
    /// For each training seed the probabilities of the rows asked about; NaN where the truth is not
    /// known.
    pub(super) seeds: Vec<Vec<f64>>,
    /// What decisions by its first model are worth, where the sheet says so.
    pub(super) closed_loop: Option<ClosedLoop>,
}

/// `NAME=FILE[,FILE...]`.
pub(super) fn parse(text: &str) -> Result<(String, Vec<PathBuf>), String> {
    let (name, files) = text.split_once('=').ok_or("expected NAME=FILE[,FILE...]")?;
    let files: Vec<PathBuf> = files.split(',').map(PathBuf::from).collect();
    if name.is_empty() || files.iter().any(|file| file.as_os_str().is_empty()) {
        return Err("expected NAME=FILE[,FILE...]".to_owned());
    }
    Ok((name.to_owned(), files))
}

/// Reads the files of a method and asks them about rows of the dataset.
pub(super) fn load(
    (name, files): &(String, Vec<PathBuf>),
    dataset: &Dataset,
    rows: &[usize],
    engine: EngineKind,
) -> Result<Predicted, Error> {
    let mut predicted = Predicted { name: name.clone(), ..Predicted::default() };
    for path in files {
        let failed = |detail: &dyn Display| format!("method {name}, {}: {detail}", path.display());
        let bytes = std::fs::read(path).map_err(|error| failed(&error))?;
        let probability = if is_safetensors(path) {
            predictions(&bytes, dataset.len(), rows).map_err(|detail| failed(&detail))?
        } else {
            let model = engine.read(&bytes).map_err(|error| failed(&error))?;
            let schema = model.check_schema(&dataset.info.schema.hash);
            schema.map_err(|error| failed(&error))?;
            let of_sheet = || model.metadata.sheet.as_ref()?.closed_loop.clone();
            predicted.closed_loop = predicted.closed_loop.or_else(of_sheet);
            predict(&model, dataset, rows)?
        };
        predicted.files.push((path.clone(), digest(&bytes)));
        predicted.seeds.push(probability);
    }
    Ok(predicted)
}

/// What is always there: baselines of the training rows, where there are any, and the truth, where
/// it is known.
pub(super) fn built_in(
    dataset: &Dataset,
    baselines: Option<&Baselines>,
    rows: &[usize],
) -> Vec<Predicted> {
    let method = |name: &str, probability| Predicted {
        name: name.to_owned(),
        seeds: vec![probability],
        ..Predicted::default()
    };
    let mut methods = Vec::new();
    if let Some(baselines) = baselines {
        methods.push(method(CONSTANT, baselines.constant(rows)));
        methods.push(method(TABLE, baselines.code_table(dataset, rows)));
        methods.push(method(LAST_OUTCOME, baselines.last_outcome(dataset, rows)));
    }
    let truth: Vec<f64> = rows.iter().map(|&row| dataset.truth(row).unwrap_or(f64::NAN)).collect();
    if truth.iter().any(|truth| !truth.is_nan()) {
        methods.push(method(ORACLE, truth));
    }
    methods
}

/// The share of success in the training part.
pub(super) const CONSTANT: &str = "constant";
/// The share of success after the last outcome known in the cluster.
pub(super) const LAST_OUTCOME: &str = "last outcome";
/// The true probability.
pub(super) const ORACLE: &str = "oracle";

/// A model's probabilities for rows, with the inputs blanked that it was trained without.
pub(crate) fn predict(model: &Model, dataset: &Dataset, rows: &[usize]) -> Result<Vec<f64>, Error> {
    let logits = logits(model, dataset, rows)?;
    Ok(logits.into_iter().map(|logit| model.metadata.calibration.probability(logit)).collect())
}

/// The same before the calibration.
pub(crate) fn logits(model: &Model, dataset: &Dataset, rows: &[usize]) -> Result<Vec<f32>, Error> {
    let selection = SelectionOptions::of_model(&model.metadata);
    let blank = selection.blank(&dataset.info.schema)?;
    let chunks = rows.par_chunks(BATCH).map(|chunk| {
        let (mut states, mut statics) = dataset.gather(chunk);
        blank.apply(&mut states, &mut statics);
        model.engine.logits(&Batch { states: &states, statics: &statics, n: chunk.len() })
    });
    Ok(chunks.collect::<Result<Vec<_>, _>>()?.concat())
}

pub(super) fn pick(probability: &[f64], at: &[usize]) -> Vec<f64> {
    at.iter().map(|&at| probability[at]).collect()
}

fn is_safetensors(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "safetensors")
}

/// The probabilities of `rows` out of a file with tensors `row` i64 and `probability` f32 or f64.
fn predictions(file: &[u8], dataset_rows: usize, rows: &[usize]) -> Result<Vec<f64>, String> {
    let text = |error: safetensors::SafeTensorError| format!("not a file of predictions ({error})");
    let tensors = SafeTensors::deserialize(file).map_err(text)?;
    let row = tensors.tensor("row").map_err(|error| format!("tensor row: {error}"))?;
    let said = tensors.tensor("probability");
    let said = said.map_err(|error| format!("tensor probability: {error}"))?;
    if row.dtype() != Dtype::I64 || row.shape().len() != 1 || row.shape() != said.shape() {
        return Err(format!(
            "row is {:?} {:?} and probability {:?} {:?}, expected I64 and F32 or F64 of one shape [r]",
            row.dtype(),
            row.shape(),
            said.dtype(),
            said.shape()
        ));
    }
    let bytes = said.data();
    let said: Vec<f64> = match said.dtype() {
        Dtype::F32 => bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b).into()).collect(),
        Dtype::F64 => bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect(),
        other => return Err(format!("probability is {other:?}, expected F32 or F64")),
    };
    let mut of_row = HashMap::with_capacity(said.len());
    for (&bytes, &probability) in row.data().as_chunks().0.iter().zip(&said) {
        let row = i64::from_le_bytes(bytes);
        let known = usize::try_from(row).ok().filter(|&row| row < dataset_rows);
        let Some(known) = known else {
            return Err(format!("row {row} is none of the {dataset_rows} rows of the dataset"));
        };
        if !(0.0..=1.0).contains(&probability) {
            return Err(format!("probability {probability} of row {row} is not within 0 to 1"));
        }
        if of_row.insert(known, probability).is_some() {
            return Err(format!("row {row} is there twice"));
        }
    }
    let missing = rows.iter().filter(|row| !of_row.contains_key(row)).count();
    if missing > 0 {
        return Err(format!("{missing} of {} test rows have no prediction", rows.len()));
    }
    Ok(rows.iter().map(|row| of_row[row]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use safetensors::tensor::TensorView;

    fn file(rows: &[i64], said: &[f64]) -> Vec<u8> {
        let rows: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        let n = said.len();
        let said: Vec<u8> = said.iter().flat_map(|p| p.to_le_bytes()).collect();
        let tensors = [
            ("row", TensorView::new(Dtype::I64, vec![rows.len() / 8], &rows).unwrap()),
            ("probability", TensorView::new(Dtype::F64, vec![n], &said).unwrap()),
        ];
        safetensors::serialize(tensors, None).unwrap()
    }

    #[test]
    fn predictions_are_found_by_row_and_what_is_wrong_is_said() {
        assert_eq!(
            predictions(&file(&[7, 2, 5], &[0.7, 0.2, 0.5]), 8, &[2, 7]).unwrap(),
            [0.2, 0.7]
        );
        let error =
            |rows: &[i64], said: &[f64]| predictions(&file(rows, said), 8, &[2, 7]).unwrap_err();
        assert_eq!(error(&[2], &[0.5]), "1 of 2 test rows have no prediction");
        assert!(error(&[2, 8], &[0.5, 0.5]).contains("row 8 is none of the 8 rows"));
        assert!(error(&[2, -1], &[0.5, 0.5]).contains("row -1 is none"));
        assert!(error(&[2, 2], &[0.5, 0.5]).contains("row 2 is there twice"));
        assert!(error(&[2, 7], &[0.5, f64::NAN]).contains("probability NaN of row 7"));
        assert!(error(&[2, 7], &[0.5]).contains("of one shape"));
        assert!(predictions(b"x", 8, &[]).unwrap_err().contains("not a file of predictions"));
    }

    #[test]
    fn a_method_is_a_name_and_files() {
        let files = vec![PathBuf::from("a.pt"), PathBuf::from("b=c.pt")];
        assert_eq!(parse("ours=a.pt,b=c.pt").unwrap(), ("ours".to_owned(), files));
        for wrong in ["ours", "=a", "ours=", "ours=a,,b"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(at in 0..400_usize, byte in any::<u8>()) {
            let mut file = file(&[7, 2], &[0.7, 0.2]);
            let at = at % file.len();
            file[at] = byte;
            if let Ok(said) = predictions(&file, 8, &[2, 7]) {
                prop_assert!(said.iter().all(|p| (0.0..=1.0).contains(p)));
            }
        }
    }
}
