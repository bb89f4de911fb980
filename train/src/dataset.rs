//! The dataset file: samples with labels in one safetensors file.
//!
//! Tensors: `states` u8 `[n, m, j]`, `statics` f32 `[n, k]`; one value a row: `action` u8, `label` u8,
//! `weight` f32, `observed` u8, `cluster` i64, `owner` i64, `hold_time` i64, `decision_instant` i64,
//! `outcome_time` i64, `code` i32, `subcode` i32. The metadata key `holdadvise` holds
//! [`DatasetInfo`] as JSON.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use holdadvise::history::{Action, Outcome};
use holdadvise::model::{Batch, Dimensions, FeatureSchema};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

/// Key of the JSON in the metadata of the file.
pub const METADATA_KEY: &str = "holdadvise";

/// Version of [`DatasetInfo`] that this program reads and writes.
pub const DATASET_FORMAT: u32 = 1;

/// Value of `label` for a failure.
pub const FAILURE: u8 = 0;
/// Value of `label` for a success.
pub const SUCCESS: u8 = 1;
/// Value of `label` for an outcome that is not known.
pub const CENSORED: u8 = 2;

/// What the file says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetInfo {
    /// [`DATASET_FORMAT`].
    pub format: u32,
    /// What the columns mean.
    pub schema: FeatureSchema,
    /// `simulated data`, or the name of the access point the logs are from.
    pub origin: String,
    /// The rows are real outcomes of that access point, not simulated.
    #[serde(default)]
    pub real: bool,
    /// H: seconds after the decision within which an outcome counts.
    pub horizon: i64,
}

/// One hold episode and what came of it.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// `[m, j]`.
    pub states: &'a [u8],
    /// `[k]`.
    pub statics: &'a [f32],
    /// What was done before the release.
    pub action: Action,
    /// What came of it.
    pub outcome: Outcome,
    /// How much the row counts, 1 for all alike. Of a row that is not observed: the true
    /// probability of its outcome.
    pub weight: f32,
    /// The release happened. Else a simulator says what would have come of it.
    pub observed: bool,
    /// ClusterId, made unique over the access points in the file.
    pub cluster: i64,
    /// Hash of the owner's name.
    pub owner: i64,
    /// When the job went on hold, Unix seconds.
    pub hold_time: i64,
    /// When the release was decided, Unix seconds.
    pub decision_instant: i64,
    /// When the outcome became known, Unix seconds; for a censored row when the log or H ended.
    pub outcome_time: i64,
    /// HoldReasonCode.
    pub code: i32,
    /// HoldReasonSubCode.
    pub subcode: i32,
}

/// All rows, column by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    /// What the file says of itself.
    pub info: DatasetInfo,
    /// `[n, m, j]`.
    pub states: Vec<u8>,
    /// `[n, k]`.
    pub statics: Vec<f32>,
    /// Position in [`Action::ALL`].
    pub action: Vec<u8>,
    /// [`FAILURE`], [`SUCCESS`] or [`CENSORED`].
    pub label: Vec<u8>,
    /// How much each row counts.
    pub weight: Vec<f32>,
    /// 1 for a release that happened, 0 for one a simulator tells of.
    pub observed: Vec<u8>,
    /// ClusterId.
    pub cluster: Vec<i64>,
    /// Hash of the owner's name.
    pub owner: Vec<i64>,
    /// Unix seconds.
    pub hold_time: Vec<i64>,
    /// Unix seconds.
    pub decision_instant: Vec<i64>,
    /// Unix seconds.
    pub outcome_time: Vec<i64>,
    /// HoldReasonCode.
    pub code: Vec<i32>,
    /// HoldReasonSubCode.
    pub subcode: Vec<i32>,
}

/// Why a dataset could not be read, written or added to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// The file could not be read or written.
    #[error("dataset {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The content is not that of a dataset.
    #[error("dataset {}: {detail}; make it again with `holdadvise-train tensors`", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What was found and what was expected.
        detail: String,
    },
    /// A row does not fit the schema.
    #[error("row {row}: {detail}")]
    Row {
        /// Which row, from 0.
        row: usize,
        /// What does not fit.
        detail: String,
    },
}

impl Dataset {
    /// A dataset without rows.
    pub fn new(schema: FeatureSchema, origin: &str, real: bool, horizon: i64) -> Self {
        let origin = origin.to_owned();
        let info = DatasetInfo { format: DATASET_FORMAT, schema, origin, real, horizon };
        Self { info, ..Self::default() }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.label.len()
    }

    /// There are no rows.
    pub fn is_empty(&self) -> bool {
        self.label.is_empty()
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`DatasetError::Row`] when its sizes or values do not fit the schema.
    pub fn push(&mut self, row: &Row<'_>) -> Result<(), DatasetError> {
        let fail = |detail| Err(DatasetError::Row { row: self.len(), detail });
        let batch = Batch { states: row.states, statics: row.statics, n: 1 };
        if let Err(error) = batch.check(&Dimensions::of(&self.info.schema)) {
            return fail(error.to_string());
        }
        if !(row.weight.is_finite() && row.weight >= 0.0) {
            return fail(format!("weight {} is not a number of at least 0", row.weight));
        }
        let action = Action::ALL.iter().position(|&action| action == row.action);
        self.states.extend_from_slice(row.states);
        self.statics.extend_from_slice(row.statics);
        self.action.push(action.unwrap_or(Action::ALL.len() - 1) as u8);
        self.label.push(match row.outcome {
            Outcome::Failure => FAILURE,
            Outcome::Success => SUCCESS,
            Outcome::Censored => CENSORED,
        });
        self.weight.push(row.weight);
        self.observed.push(row.observed.into());
        self.cluster.push(row.cluster);
        self.owner.push(row.owner);
        self.hold_time.push(row.hold_time);
        self.decision_instant.push(row.decision_instant);
        self.outcome_time.push(row.outcome_time);
        self.code.push(row.code);
        self.subcode.push(row.subcode);
        Ok(())
    }

    /// States and statics of the rows named, one after the other.
    pub fn gather(&self, rows: &[usize]) -> (Vec<u8>, Vec<f32>) {
        let d = Dimensions::of(&self.info.schema);
        let size = d.m * d.j;
        let mut states = Vec::with_capacity(rows.len() * size);
        let mut statics = Vec::with_capacity(rows.len() * d.k);
        for &row in rows {
            states.extend_from_slice(&self.states[row * size..(row + 1) * size]);
            statics.extend_from_slice(&self.statics[row * d.k..(row + 1) * d.k]);
        }
        (states, statics)
    }

    /// Writes the file, by way of a file beside it so that no half-written one is ever seen.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), DatasetError> {
        let d = Dimensions::of(&self.info.schema);
        let n = self.len();
        let columns: [Column<'_>; 13] = [
            ("states", Dtype::U8, vec![n, d.m, d.j], Cow::from(&self.states)),
            ("statics", Dtype::F32, vec![n, d.k], bytes(&self.statics)),
            ("action", Dtype::U8, vec![n], Cow::from(&self.action)),
            ("label", Dtype::U8, vec![n], Cow::from(&self.label)),
            ("weight", Dtype::F32, vec![n], bytes(&self.weight)),
            ("observed", Dtype::U8, vec![n], Cow::from(&self.observed)),
            ("cluster", Dtype::I64, vec![n], bytes(&self.cluster)),
            ("owner", Dtype::I64, vec![n], bytes(&self.owner)),
            ("hold_time", Dtype::I64, vec![n], bytes(&self.hold_time)),
            ("decision_instant", Dtype::I64, vec![n], bytes(&self.decision_instant)),
            ("outcome_time", Dtype::I64, vec![n], bytes(&self.outcome_time)),
            ("code", Dtype::I32, vec![n], bytes(&self.code)),
            ("subcode", Dtype::I32, vec![n], bytes(&self.subcode)),
        ];
        let content = |detail: String| DatasetError::Content { path: path.to_owned(), detail };
        let views = columns
            .iter()
            .map(|(name, dtype, shape, data)| {
                Ok((*name, TensorView::new(*dtype, shape.clone(), data)?))
            })
            .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
            .map_err(|error| content(error.to_string()))?;
        let info = serde_json::to_string(&self.info).map_err(|error| content(error.to_string()))?;
        let metadata = HashMap::from([(METADATA_KEY.to_owned(), info)]);
        let file = safetensors::serialize(views, Some(metadata))
            .map_err(|error| content(error.to_string()))?;
        crate::export::write_whole(path, &file)
            .map_err(|source| DatasetError::File { path: path.to_owned(), source })
    }

    /// Reads and checks a file.
    ///
    /// # Errors
    /// When it cannot be read, is not a dataset, or a row does not fit the schema.
    pub fn read(path: &Path) -> Result<Self, DatasetError> {
        let file = std::fs::read(path)
            .map_err(|source| DatasetError::File { path: path.to_owned(), source })?;
        Self::from_bytes(&file)
            .map_err(|detail| DatasetError::Content { path: path.to_owned(), detail })
    }

    fn from_bytes(file: &[u8]) -> Result<Self, String> {
        let text =
            |error: safetensors::SafeTensorError| format!("not a safetensors file ({error})");
        let (_, metadata) = SafeTensors::read_metadata(file).map_err(text)?;
        let tensors = SafeTensors::deserialize(file).map_err(text)?;
        let info = metadata
            .metadata()
            .as_ref()
            .and_then(|metadata| metadata.get(METADATA_KEY))
            .ok_or_else(|| format!("no metadata `{METADATA_KEY}`"))?;
        let info: DatasetInfo = serde_json::from_str(info)
            .map_err(|error| format!("metadata `{METADATA_KEY}`: {error}"))?;
        if info.format != DATASET_FORMAT {
            return Err(format!("format {}, expected {DATASET_FORMAT}", info.format));
        }
        let d = Dimensions::of(&info.schema);
        let n = tensors.tensor("label").map_err(text)?.shape().first().copied().unwrap_or(0);
        let column = |name: &str, dtype: Dtype, shape: &[usize]| -> Result<&[u8], String> {
            let view = tensors.tensor(name).map_err(|error| format!("tensor {name}: {error}"))?;
            if view.dtype() != dtype || view.shape() != shape {
                return Err(format!(
                    "tensor {name} is {:?} {:?}, expected {dtype:?} {shape:?}",
                    view.dtype(),
                    view.shape()
                ));
            }
            Ok(view.data())
        };
        let dataset = Self {
            states: column("states", Dtype::U8, &[n, d.m, d.j])?.to_vec(),
            statics: values(column("statics", Dtype::F32, &[n, d.k])?),
            action: column("action", Dtype::U8, &[n])?.to_vec(),
            label: column("label", Dtype::U8, &[n])?.to_vec(),
            weight: values(column("weight", Dtype::F32, &[n])?),
            observed: column("observed", Dtype::U8, &[n])?.to_vec(),
            cluster: values(column("cluster", Dtype::I64, &[n])?),
            owner: values(column("owner", Dtype::I64, &[n])?),
            hold_time: values(column("hold_time", Dtype::I64, &[n])?),
            decision_instant: values(column("decision_instant", Dtype::I64, &[n])?),
            outcome_time: values(column("outcome_time", Dtype::I64, &[n])?),
            code: values(column("code", Dtype::I32, &[n])?),
            subcode: values(column("subcode", Dtype::I32, &[n])?),
            info,
        };
        dataset.check()?;
        Ok(dataset)
    }

    fn check(&self) -> Result<(), String> {
        let batch = Batch { states: &self.states, statics: &self.statics, n: self.len() };
        batch.check(&Dimensions::of(&self.info.schema)).map_err(|error| error.to_string())?;
        let wrong = |name: &str, row: Option<usize>| match row {
            Some(row) => Err(format!("row {row} has a value out of range in {name}")),
            None => Ok(()),
        };
        wrong("label", self.label.iter().position(|&label| label > CENSORED))?;
        let actions = Action::ALL.len();
        wrong("action", self.action.iter().position(|&a| usize::from(a) >= actions))?;
        wrong("weight", self.weight.iter().position(|w| !(w.is_finite() && *w >= 0.0)))?;
        wrong("observed", self.observed.iter().position(|&observed| observed > 1))?;
        if self.info.horizon < 0 {
            return Err(format!("horizon {} is below 0", self.info.horizon));
        }
        Ok(())
    }
}

/// Name, type, shape and bytes of a tensor.
type Column<'a> = (&'static str, Dtype, Vec<usize>, Cow<'a, [u8]>);

/// A number as it lies in the file.
trait LittleEndian: Copy {
    type Bytes: AsRef<[u8]>;
    fn to_bytes(self) -> Self::Bytes;
    fn from_chunk(chunk: &[u8]) -> Self;
    const SIZE: usize;
}

macro_rules! little_endian {
    ($($number:ty),*) => {$(
        impl LittleEndian for $number {
            type Bytes = [u8; size_of::<$number>()];
            const SIZE: usize = size_of::<$number>();
            fn to_bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }
            fn from_chunk(chunk: &[u8]) -> Self {
                Self::from_le_bytes(std::array::from_fn(|at| chunk[at]))
            }
        }
    )*};
}

little_endian!(f32, i32, i64);

fn bytes<T: LittleEndian>(values: &[T]) -> Cow<'_, [u8]> {
    let mut bytes = Vec::with_capacity(values.len() * T::SIZE);
    values.iter().for_each(|value| bytes.extend_from_slice(value.to_bytes().as_ref()));
    Cow::from(bytes)
}

fn values<T: LittleEndian>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::SIZE).map(T::from_chunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Dataset {
        let schema = FeatureSchema {
            hash: "h".to_owned(),
            states: vec!["a".to_owned(), "b".to_owned()],
            statics: vec!["x".to_owned()],
            frame_edges: vec![0, 60, 120],
            slots: 2,
            sources: Vec::new(),
        };
        let mut dataset = Dataset::new(schema, "simulated data", false, 3600);
        for (at, outcome) in
            [Outcome::Success, Outcome::Failure, Outcome::Censored].into_iter().enumerate()
        {
            let row = Row {
                states: &[0, 1, 1, at.min(1) as u8],
                statics: &[at as f32 + 0.5],
                action: Action::ALL[at],
                outcome,
                weight: 1.0,
                observed: true,
                cluster: 7 + at as i64,
                owner: -5,
                hold_time: 1_700_000_000 + at as i64,
                decision_instant: 1_700_000_100,
                outcome_time: 1_700_000_200,
                code: 13,
                subcode: -2,
            };
            dataset.push(&row).unwrap();
        }
        dataset
    }

    fn file_bytes(dataset: &Dataset) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.safetensors");
        dataset.write(&path).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let dataset = sample();
        assert_eq!(Dataset::from_bytes(&file_bytes(&dataset)).unwrap(), dataset);
        assert_eq!(dataset.label, [SUCCESS, FAILURE, CENSORED]);
    }

    #[test]
    fn a_row_that_does_not_fit_is_refused_and_leaves_no_trace() {
        let mut dataset = sample();
        let row = Row {
            states: &[0, 1, 2, 0],
            statics: &[0.0],
            action: Action::Unknown,
            outcome: Outcome::Success,
            weight: 1.0,
            observed: true,
            cluster: 0,
            owner: 0,
            hold_time: 0,
            decision_instant: 0,
            outcome_time: 0,
            code: 0,
            subcode: 0,
        };
        let refused = |dataset: &mut Dataset, row: &Row<'_>| {
            let error = dataset.push(row).unwrap_err().to_string();
            assert_eq!(*dataset, sample());
            error
        };
        assert!(refused(&mut dataset, &row).contains("row 3: batch: sample 0 has state 2"));
        let row = Row { states: &[0; 4], weight: f32::NAN, ..row };
        assert!(refused(&mut dataset, &row).contains("weight NaN"));
        let row = Row { statics: &[], weight: 1.0, ..row };
        assert!(refused(&mut dataset, &row).contains("0 statics"));
    }

    #[test]
    fn values_out_of_range_are_named() {
        type Spoil = fn(&mut Dataset);
        let cases: [(&str, Spoil); 5] = [
            ("row 1 has a value out of range in label", |d| d.label[1] = 3),
            ("row 2 has a value out of range in action", |d| d.action[2] = 6),
            ("row 0 has a value out of range in weight", |d| d.weight[0] = -1.0),
            ("format 9, expected 1", |d| d.info.format = 9),
            ("horizon -1", |d| d.info.horizon = -1),
        ];
        for (words, spoil) in cases {
            let mut dataset = sample();
            spoil(&mut dataset);
            let error = Dataset::from_bytes(&file_bytes(&dataset)).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Dataset::read(Path::new("no/such.safetensors")).unwrap_err();
        assert!(error.to_string().contains("no/such.safetensors"));
    }

    proptest! {
        #[test]
        fn damaged_files_give_an_error_or_a_valid_dataset(
            cut in 0..2000_usize, at in 0..2000_usize, byte in any::<u8>()
        ) {
            let mut file = file_bytes(&sample());
            prop_assert!(Dataset::from_bytes(&file[..cut.min(file.len() - 1)]).is_err());
            let at = at % file.len();
            file[at] = byte;
            if let Ok(dataset) = Dataset::from_bytes(&file) {
                prop_assert!(dataset.check().is_ok());
            }
        }
    }
}
