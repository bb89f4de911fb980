//! The dataset as a safetensors file: writing, reading and checking it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use holdadvise::history::Action;
use holdadvise::model::{Batch, Dimensions};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use sha2::{Digest, Sha256};

use super::{CENSORED, DATASET_FORMAT, Dataset, DatasetError, DatasetInfo, Reach, UNKNOWN};
use crate::metadata::{self, METADATA_KEY};

impl Dataset {
    /// Writes the file, by way of a file beside it so that no half-written one is ever seen.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), DatasetError> {
        let columns = self.columns();
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

    fn columns(&self) -> [Column<'_>; 18] {
        let d = Dimensions::of(&self.info.schema);
        let n = self.len();
        [
            ("states", Dtype::U8, vec![n, d.m, d.j], Cow::from(&self.states)),
            ("statics", Dtype::F32, vec![n, d.k], bytes(&self.statics)),
            ("action", Dtype::U8, vec![n], Cow::from(&self.action)),
            ("label", Dtype::U8, vec![n], Cow::from(&self.label)),
            ("weight", Dtype::F32, vec![n], bytes(&self.weight)),
            ("observed", Dtype::U8, vec![n], Cow::from(&self.observed)),
            ("truth", Dtype::F32, vec![n], bytes(&self.truth)),
            ("cause", Dtype::U8, vec![n], Cow::from(&self.cause)),
            ("reach", Dtype::U8, vec![n], Cow::from(&self.reach)),
            ("access_point", Dtype::I32, vec![n], bytes(&self.access_point)),
            ("cluster", Dtype::I64, vec![n], bytes(&self.cluster)),
            ("owner", Dtype::I64, vec![n], bytes(&self.owner)),
            ("cell", Dtype::I64, vec![n], bytes(&self.cell)),
            ("hold_time", Dtype::I64, vec![n], bytes(&self.hold_time)),
            ("decision_instant", Dtype::I64, vec![n], bytes(&self.decision_instant)),
            ("outcome_time", Dtype::I64, vec![n], bytes(&self.outcome_time)),
            ("code", Dtype::I32, vec![n], bytes(&self.code)),
            ("subcode", Dtype::I32, vec![n], bytes(&self.subcode)),
        ]
    }

    /// SHA-256 of all tensors: names, shapes and content, in hexadecimal digits. What the file says of itself does not
    /// enter.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (name, _, shape, data) in self.columns() {
            hash.update(format!("{name} {shape:?}\n"));
            hash.update(&data);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
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

    pub(super) fn from_bytes(file: &[u8]) -> Result<Self, String> {
        let text =
            |error: safetensors::SafeTensorError| format!("not a safetensors file ({error})");
        let (tensors, info) = metadata::open(file)?;
        // The format first: what else stands there may differ in another one.
        let Format { format } =
            serde_json::from_str(&info).map_err(|error| metadata::wrong(&error))?;
        if format != DATASET_FORMAT {
            return Err(format!("format {format}, expected {DATASET_FORMAT}"));
        }
        let info: DatasetInfo =
            serde_json::from_str(&info).map_err(|error| metadata::wrong(&error))?;
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
            truth: values(column("truth", Dtype::F32, &[n])?),
            cause: column("cause", Dtype::U8, &[n])?.to_vec(),
            reach: column("reach", Dtype::U8, &[n])?.to_vec(),
            access_point: values(column("access_point", Dtype::I32, &[n])?),
            cluster: values(column("cluster", Dtype::I64, &[n])?),
            owner: values(column("owner", Dtype::I64, &[n])?),
            cell: values(column("cell", Dtype::I64, &[n])?),
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

    pub(super) fn check(&self) -> Result<(), String> {
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
        let known = |truth: &f32| truth.is_nan() || (0.0..=1.0).contains(truth);
        wrong("truth", self.truth.iter().position(|truth| !known(truth)))?;
        let numbered = |value: u8, names: usize| value == UNKNOWN || usize::from(value) < names;
        let causes = self.info.causes.len();
        wrong("cause", self.cause.iter().position(|&cause| !numbered(cause, causes)))?;
        let reaches = Reach::ALL.len();
        wrong("reach", self.reach.iter().position(|&reach| !numbered(reach, reaches)))?;
        wrong("observed", self.observed.iter().position(|&observed| observed > 1))?;
        if self.info.horizon < 0 {
            return Err(format!("horizon {} is below 0", self.info.horizon));
        }
        Ok(())
    }
}

/// The one field that every format has.
#[derive(serde::Deserialize)]
struct Format {
    format: u32,
}

/// Name, type, shape and bytes of a tensor.
pub(crate) type Column<'a> = (&'static str, Dtype, Vec<usize>, Cow<'a, [u8]>);

/// A number as it lies in the file.
pub(crate) trait LittleEndian: Copy {
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

little_endian!(f32, f64, i32, i64);

pub(crate) fn bytes<T: LittleEndian>(values: &[T]) -> Cow<'_, [u8]> {
    let mut bytes = Vec::with_capacity(values.len() * T::SIZE);
    values.iter().for_each(|value| bytes.extend_from_slice(value.to_bytes().as_ref()));
    Cow::from(bytes)
}

pub(crate) fn values<T: LittleEndian>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::SIZE).map(T::from_chunk).collect()
}
