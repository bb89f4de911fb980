//! The dataset as a safetensors file: writing, reading and checking it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use holdadvise::history::Action;
use holdadvise::model::{Batch, Dimensions};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use sha2::{Digest, Sha256};

use super::{CENSORED, DATASET_FORMAT, Dataset, DatasetInfo, Reach, UNKNOWN};
use crate::Error;
use crate::data::metadata::{self, METADATA_KEY, tensor};
use crate::output::{self, Output};

impl Dataset {
    /// Writes the file; no half-written one is ever seen.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, output: impl Into<Output>) -> Result<(), Error> {
        let output = output.into();
        let path = output.path();
        let mut columns = self.columns();
        let header = self.header(&mut columns).map_err(wrong(path))?;
        let write = |file: &mut BufWriter<&File>| {
            file.write_all(&header)?;
            columns.iter().try_for_each(|column| column.pieces(|piece| file.write_all(piece)))
        };
        Ok(output.write_by(write).map_err(|error| format!("dataset {error}"))?)
    }

    /// What stands before the tensors; brings them into the order in which they follow. As
    /// `safetensors::serialize` writes it, which takes the whole file in memory.
    fn header(&self, columns: &mut [Column<'_>]) -> Result<Vec<u8>, String> {
        columns.sort_by(|a, b| b.dtype().cmp(&a.dtype()).then(a.name.cmp(b.name)));
        let mut end = 0;
        let infos = columns.iter().map(|column| {
            let begin = end;
            end += column.size();
            let shape = column.shape.clone();
            let data_offsets = (begin, end);
            (column.name.to_owned(), TensorInfo { dtype: column.dtype(), shape, data_offsets })
        });
        let infos = infos.collect();
        let info = serde_json::to_string(&self.info).map_err(|error| error.to_string())?;
        let metadata = HashMap::from([(METADATA_KEY.to_owned(), info)]);
        let metadata = Metadata::new(Some(metadata), infos).map_err(|error| error.to_string())?;
        let mut json = serde_json::to_vec(&metadata).map_err(|error| error.to_string())?;
        // Tensors begin at a multiple of 8 bytes.
        json.resize(json.len().next_multiple_of(8), b' ');
        let mut header = (json.len() as u64).to_le_bytes().to_vec();
        header.append(&mut json);
        Ok(header)
    }

    fn columns(&self) -> [Column<'_>; 18] {
        let d = Dimensions::of(&self.info.schema);
        let n = self.len();
        let row = |name, values| Column { name, shape: vec![n], values };
        [
            Column { name: "states", shape: vec![n, d.m, d.j], values: Values::U8(&self.states) },
            Column { name: "statics", shape: vec![n, d.k], values: Values::F32(&self.statics) },
            row("action", Values::U8(&self.action)),
            row("label", Values::U8(&self.label)),
            row("weight", Values::F32(&self.weight)),
            row("observed", Values::U8(&self.observed)),
            row("truth", Values::F32(&self.truth)),
            row("cause", Values::U8(&self.cause)),
            row("reach", Values::U8(&self.reach)),
            row("access_point", Values::I32(&self.access_point)),
            row("cluster", Values::I64(&self.cluster)),
            row("owner", Values::I64(&self.owner)),
            row("cell", Values::I64(&self.cell)),
            row("hold_time", Values::I64(&self.hold_time)),
            row("decision_instant", Values::I64(&self.decision_instant)),
            row("outcome_time", Values::I64(&self.outcome_time)),
            row("code", Values::I32(&self.code)),
            row("subcode", Values::I32(&self.subcode)),
        ]
    }

    /// SHA-256 of all tensors: names, shapes and content, in hexadecimal digits. What the file says
    /// of itself does not enter.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for column in self.columns() {
            hash.update(format!("{} {:?}\n", column.name, column.shape));
            let Ok(()) = column.pieces(|piece| -> Result<(), Infallible> {
                hash.update(piece);
                Ok(())
            });
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Reads and checks a file.
    ///
    /// # Errors
    /// When it cannot be read, is not a dataset, or a row does not fit the schema.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = output::read(path).map_err(|error| format!("dataset {error}"))?;
        Ok(Self::from_bytes(&file).map_err(wrong(path))?)
    }

    pub(super) fn from_bytes(file: &[u8]) -> Result<Self, String> {
        let text =
            |error: safetensors::SafeTensorError| format!("not a safetensors file ({error})");
        let (tensors, info) = metadata::open(file)?;
        // The format first: what else stands there may differ in another one.
        let Format { format } = metadata::parse(&info)?;
        if format != DATASET_FORMAT {
            return Err(format!("format {format}, expected {DATASET_FORMAT}"));
        }
        let info: DatasetInfo = metadata::parse(&info)?;
        let d = Dimensions::of(&info.schema);
        let n = tensors.tensor("label").map_err(text)?.shape().first().copied().unwrap_or(0);
        let column = |name: &str, dtype, shape: &[usize]| tensor(&tensors, name, dtype, shape);
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

/// What makes words of what is wrong with a file.
fn wrong(path: &Path) -> impl Fn(String) -> String {
    move |detail| {
        let path = path.display();
        format!("dataset {path}: {detail}; make it again with `holdadvise-train tensors`")
    }
}

/// The one field that every format has.
#[derive(serde::Deserialize)]
struct Format {
    format: u32,
}

/// A tensor of the file.
struct Column<'a> {
    name: &'static str,
    shape: Vec<usize>,
    values: Values<'a>,
}

/// The values of a tensor.
enum Values<'a> {
    U8(&'a [u8]),
    F32(&'a [f32]),
    I32(&'a [i32]),
    I64(&'a [i64]),
}

/// Values that are turned into bytes at once.
const PIECE: usize = 1 << 14;

impl Column<'_> {
    fn dtype(&self) -> Dtype {
        match self.values {
            Values::U8(_) => Dtype::U8,
            Values::F32(_) => Dtype::F32,
            Values::I32(_) => Dtype::I32,
            Values::I64(_) => Dtype::I64,
        }
    }

    /// Bytes it takes in the file.
    fn size(&self) -> usize {
        match self.values {
            Values::U8(values) => values.len(),
            Values::F32(values) => size_of_val(values),
            Values::I32(values) => size_of_val(values),
            Values::I64(values) => size_of_val(values),
        }
    }

    /// Its bytes as they lie in the file, piece by piece.
    fn pieces<E>(&self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        match self.values {
            Values::U8(values) => take(values),
            Values::F32(values) => pieces(values, take),
            Values::I32(values) => pieces(values, take),
            Values::I64(values) => pieces(values, take),
        }
    }
}

fn pieces<T: LittleEndian, E>(
    values: &[T],
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut bytes = Vec::with_capacity(PIECE.min(values.len()) * T::SIZE);
    for values in values.chunks(PIECE) {
        bytes.clear();
        values.iter().for_each(|value| bytes.extend_from_slice(value.to_bytes().as_ref()));
        take(&bytes)?;
    }
    Ok(())
}

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

fn values<T: LittleEndian>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::SIZE).map(T::from_chunk).collect()
}
