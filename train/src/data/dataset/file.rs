//! The dataset as a safetensors file: writing, reading and checking it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Seek, SeekFrom, Take, Write};
use std::path::Path;

use holdadvise::history::Action;
use holdadvise::model::{Batch, Dimensions};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use sha2::{Digest, Sha256};

use super::stored::{self, Identity, Place, Stored};
use super::{CENSORED, COMPANIONS_FORMAT, DATASET_FORMAT, Dataset, DatasetInfo, Reach, UNKNOWN};
use crate::Error;
use crate::data::metadata::{self, METADATA_KEY};
use crate::output::{self, FileError, Output};

/// The values of a type that a reader gives.
macro_rules! values {
    (U8 $bytes:expr) => {
        values($bytes, u8::from_le_bytes)
    };
    (F32 $bytes:expr) => {
        values($bytes, f32::from_le_bytes)
    };
    (I32 $bytes:expr) => {
        values($bytes, i32::from_le_bytes)
    };
    (I64 $bytes:expr) => {
        values($bytes, i64::from_le_bytes)
    };
}

/// The shape of a column of n rows.
fn shape(column: &str, n: usize, d: Dimensions) -> Vec<usize> {
    match column {
        "states" => vec![n, d.m, d.j],
        "statics" => vec![n, d.k],
        _ => vec![n],
    }
}

impl Dataset {
    /// Writes the file; no half-written one is ever seen.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, output: impl Into<Output>) -> Result<(), Error> {
        self.write_by(&output.into(), |column, file| column.pieces(|piece| file.write_all(piece)))
    }

    /// As [`Dataset::write`], with states and statics that stand in other files: `rows` names file
    /// and row of each.
    ///
    /// # Errors
    /// When a file cannot be read, or this one cannot be written.
    pub(crate) fn write_stored<I: Iterator<Item = (usize, usize)>>(
        &self,
        output: &Output,
        files: &[Stored],
        rows: impl Fn() -> I,
    ) -> Result<(), Error> {
        self.write_by(output, |column, file| match column.name {
            "states" => stored::copy(files, |stored| stored.states, rows(), file),
            "statics" => stored::copy(files, |stored| stored.statics, rows(), file),
            _ => column.pieces(|piece| file.write_all(piece)),
        })
    }

    fn write_by(
        &self,
        output: &Output,
        write: impl Fn(&Column<'_>, &mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<(), Error> {
        let mut columns = self.columns();
        let header = self.header(&mut columns).map_err(wrong(output.path()))?;
        let write = |file: &mut BufWriter<&File>| {
            file.write_all(&header)?;
            columns.iter().try_for_each(|column| write(column, file))
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

    fn columns(&self) -> [Column<'_>; 19] {
        let d = Dimensions::of(&self.info.schema);
        macro_rules! columns {
            ($($name:ident $type:ident,)*) => {[$({
                let (name, values) = (stringify!($name), Values::$type(&self.$name));
                Column { name, shape: shape(name, self.len(), d), values }
            },)*]};
        }
        with_columns!(columns)
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

    /// Reads and checks a file, column by column: it is in memory once.
    ///
    /// # Errors
    /// When it cannot be read, is not a dataset, or a row does not fit the schema.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let failed = |error| format!("dataset {}", FileError::of(path)(error));
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_file() {
            let read = Self::from_file(BufReader::new(file), metadata.len());
            return Ok(read.map_err(wrong(path))?);
        }
        // What comes through a pipe comes in one order.
        let file = output::read(path).map_err(|error| format!("dataset {error}"))?;
        Ok(Self::from_bytes(&file).map_err(wrong(path))?)
    }

    pub(super) fn from_bytes(file: &[u8]) -> Result<Self, String> {
        Self::from_file(Cursor::new(file), file.len() as u64)
    }

    /// Reads and checks a file as [`Dataset::read`] does, but for states and statics, which are
    /// checked and stay there.
    ///
    /// # Errors
    /// As [`Dataset::read`], and when it is a pipe.
    pub(crate) fn read_stored(path: &Path) -> Result<(Self, Stored), Error> {
        let failed = |error| format!("dataset {}", FileError::of(path)(error));
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            let path = path.display();
            return Err(
                format!("dataset {path} is read more than once: name a regular file").into()
            );
        }
        let read = || {
            let header = Header::read(&file, metadata.len())?;
            let dataset = header.columns(&file, |name| !["states", "statics"].contains(&name))?;
            dataset.check_columns()?;
            let (d, rows) = (Dimensions::of(&dataset.info.schema), header.rows);
            let (states, _) = header.place("states", Dtype::U8)?;
            let (statics, _) = header.place("statics", Dtype::F32)?;
            let states = Place { begin: states, width: d.m * d.j };
            let statics = Place { begin: statics, width: d.k * size_of::<f32>() };
            let (path, file) = (path.to_owned(), Identity::of(&metadata));
            let stored = Stored { path, file, rows, states, statics };
            stored.check(&d)?;
            Ok((dataset, stored))
        };
        Ok(read().map_err(wrong(path))?)
    }

    /// Reads a file of so many bytes.
    fn from_file(mut file: impl Read + Seek, size: u64) -> Result<Self, String> {
        let dataset = Header::read(&mut file, size)?.columns(file, |_| true)?;
        dataset.check()?;
        Ok(dataset)
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let batch = Batch { states: &self.states, statics: &self.statics, n: self.len() };
        batch.check(&Dimensions::of(&self.info.schema)).map_err(|error| error.to_string())?;
        self.check_columns()
    }

    /// Checks all but states and statics.
    fn check_columns(&self) -> Result<(), String> {
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
        wrong("delay", self.delay.iter().position(|&delay| delay < 0))?;
        wrong("observed", self.observed.iter().position(|&observed| observed > 1))?;
        self.check_companions()?;
        if self.info.horizon < 0 {
            return Err(format!("horizon {} is below 0", self.info.horizon));
        }
        Ok(())
    }
}

impl Dataset {
    fn check_companions(&self) -> Result<(), String> {
        let (format, expected) = (self.info.format, self.info.expected_format());
        if format != expected {
            let with = if expected == COMPANIONS_FORMAT { "with" } else { "without" };
            return Err(format!(
                "format {format}, expected {expected} of a file {with} companions"
            ));
        }
        let companions = &self.info.companions;
        if !companions.is_sorted_by(|a, b| a < b) {
            return Err(format!("companions {companions:?} are not growing"));
        }
        if companions.is_empty() {
            return Ok(());
        }
        match (0..self.len()).find(|&row| self.observed[row] != 0 && self.is_companion(row)) {
            Some(row) => Err(format!("row {row} is a companion's and happened: observed is 1")),
            None => Ok(()),
        }
    }
}

/// What stands before the tensors of a file.
struct Header {
    metadata: Metadata,
    info: DatasetInfo,
    /// Where the tensors begin.
    begin: u64,
    rows: usize,
}

impl Header {
    fn read(mut file: impl Read, size: u64) -> Result<Self, String> {
        let (metadata, begin) = metadata::header(&mut file, size)?;
        let info = metadata::json(&metadata)?;
        // The format first: what else stands there may differ in another one.
        let Format { format } = metadata::parse(info)?;
        if ![DATASET_FORMAT, COMPANIONS_FORMAT].contains(&format) {
            return Err(format!(
                "format {format}, expected {DATASET_FORMAT}, or {COMPANIONS_FORMAT} with companions"
            ));
        }
        let info: DatasetInfo = metadata::parse(info)?;
        Dimensions::of(&info.schema).check()?;
        let label = metadata.info("label").ok_or("tensor label: it is not there")?;
        let rows = label.shape.first().copied().unwrap_or(0);
        Ok(Self { metadata, info, begin, rows })
    }

    /// Offset and bytes of a tensor.
    fn place(&self, name: &str, dtype: Dtype) -> Result<(u64, u64), String> {
        let shape = shape(name, self.rows, Dimensions::of(&self.info.schema));
        let (from, to) = metadata::place(&self.metadata, name, dtype, &shape)?;
        Ok((self.begin + from as u64, (to - from) as u64))
    }

    /// The columns that are wanted, by their names; the others are empty.
    fn columns(
        &self,
        mut file: impl Read + Seek,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Dataset, String> {
        macro_rules! read {
            ($($name:ident $type:ident,)*) => {
                Dataset { $($name: {
                    let place = self.place(stringify!($name), Dtype::$type)?;
                    match wanted(stringify!($name)) {
                        true => values!($type part(&mut file, place)?)?,
                        false => Vec::new(),
                    }
                },)* info: self.info.clone() }
            };
        }
        Ok(with_columns!(read))
    }
}

/// So many bytes of a file, from an offset on.
fn part<F: Read + Seek>(file: &mut F, (at, bytes): (u64, u64)) -> Result<Take<&mut F>, String> {
    file.seek(SeekFrom::Start(at)).map_err(|error| error.to_string())?;
    Ok(file.take(bytes))
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
        self.shape.iter().product::<usize>() * self.dtype().bitsize() / 8
    }

    /// Its bytes as they lie in the file, piece by piece.
    fn pieces<E>(&self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        match self.values {
            Values::U8(values) => take(values),
            Values::F32(values) => pieces(values, f32::to_le_bytes, take),
            Values::I32(values) => pieces(values, i32::to_le_bytes, take),
            Values::I64(values) => pieces(values, i64::to_le_bytes, take),
        }
    }
}

fn pieces<T: Copy, const N: usize, E>(
    values: &[T],
    to_bytes: impl Fn(T) -> [u8; N],
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut bytes = Vec::with_capacity(PIECE.min(values.len()) * N);
    for values in values.chunks(PIECE) {
        bytes.clear();
        values.iter().for_each(|&value| bytes.extend_from_slice(&to_bytes(value)));
        take(&bytes)?;
    }
    Ok(())
}

/// The values that a reader gives to its limit, piece by piece.
fn values<T, const N: usize>(
    mut bytes: Take<impl Read>,
    of_bytes: impl Fn([u8; N]) -> T,
) -> Result<Vec<T>, String> {
    let count = usize::try_from(bytes.limit()).map_err(|error| error.to_string())? / N;
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|error| error.to_string())?;
    let mut piece = vec![0; PIECE.min(count) * N];
    while values.len() < count {
        let piece = &mut piece[..PIECE.min(count - values.len()) * N];
        bytes.read_exact(piece).map_err(|error| error.to_string())?;
        values.extend(piece.as_chunks().0.iter().map(|&chunk| of_bytes(chunk)));
    }
    Ok(values)
}
