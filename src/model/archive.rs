//! Bounded reading of a TorchScript archive: a zip with raw tensors and our metadata.
//!
//! Nothing of the archive is executed: the pickle and the code in it are left alone. Sizes are
//! checked against what the metadata says before anything is allocated for them.

use std::borrow::Cow;
use std::io::{Cursor, Read};

use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use super::error::{printable, tensor_error};
use super::metadata::limits;
use super::trees::TREE_TENSORS;
use super::{DEFAULT_ARCHIVE, Forest, ModelError, ModelMetadata, TensorEntry};

/// Name of the metadata below the archive's top folder.
pub const METADATA_ENTRY: &str = "extra/holdadvise.json";

/// Largest archive read, in bytes.
pub const MAX_ARCHIVE_BYTES: u64 = 64 << 20;

/// Largest metadata, in bytes after decompression.
pub const MAX_METADATA_BYTES: u64 = 4 << 20;

/// Largest tensor, in bytes after decompression.
pub const MAX_TENSOR_BYTES: u64 = 32 << 20;

/// All tensors together, in bytes after decompression.
pub const MAX_TENSORS_BYTES: u64 = 64 << 20;

/// An open archive.
#[derive(Debug)]
pub struct Archive<'a> {
    bytes: &'a [u8],
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// The top folder every entry lies in, without the slash.
    root: String,
}

impl<'a> Archive<'a> {
    /// Opens an archive held in memory.
    ///
    /// # Errors
    /// When it is larger than [`MAX_ARCHIVE_BYTES`], not a zip, or holds no TorchScript module.
    pub fn new(bytes: &'a [u8]) -> Result<Self, ModelError> {
        Self::with(bytes, "data.pkl")
    }

    /// Opens an archive held in memory that has this entry below its top folder.
    ///
    /// # Errors
    /// When it is larger than [`MAX_ARCHIVE_BYTES`], not a zip, or has no such entry.
    pub fn with(bytes: &'a [u8], entry: &str) -> Result<Self, ModelError> {
        check_size("the archive", bytes.len() as u64, MAX_ARCHIVE_BYTES)?;
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        let root = zip
            .file_names_raw()
            .filter_map(|name| {
                std::str::from_utf8(name).ok()?.strip_suffix(entry)?.strip_suffix('/')
            })
            .find(|root| !root.is_empty() && !root.contains('/'))
            .map(str::to_owned)
            .ok_or_else(|| ModelError::MissingEntry { name: entry.to_owned() })?;
        let mut archive = Self { bytes, zip, root };
        // PyTorch writes `byteorder` since 2.1; older archives are little-endian.
        match archive.entry("byteorder", 16) {
            Ok(order) if *order != *b"little" => Err(ModelError::Archive(
                "its tensors are not in little-endian byte order".to_owned(),
            )),
            Ok(_) | Err(ModelError::MissingEntry { .. }) => Ok(archive),
            Err(error) => Err(error),
        }
    }

    /// The top folder of the archive.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The content of an entry, named without the top folder, of at most `limit` bytes.
    ///
    /// # Errors
    /// When it is missing, larger, damaged, or compressed in a way PyTorch does not write.
    pub fn entry(&mut self, name: &str, limit: u64) -> Result<Cow<'a, [u8]>, ModelError> {
        let full = format!("{}/{name}", self.root);
        let file = match self.zip.by_name(&full) {
            Ok(file) => file,
            Err(zip::result::ZipError::FileNotFound) => {
                return Err(ModelError::MissingEntry { name: printable(name) });
            }
            Err(error) => return Err(damaged(error)),
        };
        if !matches!(file.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            return Err(ModelError::Archive(format!(
                "{} is neither stored nor deflated",
                printable(name)
            )));
        }
        let declared = file.size();
        check_size(name, declared, limit)?;
        if let Some(content) = shipped(&file, self.bytes) {
            return Ok(Cow::Borrowed(content));
        }
        // The declared size is a claim: what is read is bounded all the same.
        let mut content = Vec::with_capacity(usize::try_from(declared.min(1 << 20)).unwrap_or(0));
        file.take(limit + 1)
            .read_to_end(&mut content)
            .map_err(|error| ModelError::Archive(format!("{}: {error}", printable(name))))?;
        if content.len() as u64 != declared {
            return Err(ModelError::Archive(format!(
                "{} has {} bytes instead of {declared}",
                printable(name),
                content.len()
            )));
        }
        Ok(Cow::Owned(content))
    }

    /// Reads and checks `extra/holdadvise.json`.
    ///
    /// # Errors
    /// When it is missing, too large or not usable.
    pub fn metadata(&mut self) -> Result<ModelMetadata, ModelError> {
        let text = self.entry(METADATA_ENTRY, MAX_METADATA_BYTES)?;
        ModelMetadata::from_json(&text)
    }

    /// The values of a tensor.
    ///
    /// # Errors
    /// When its shape is too large, its file is not of exactly that size, or a value is not finite.
    pub fn tensor(&mut self, entry: &TensorEntry) -> Result<Vec<f32>, ModelError> {
        let fail = |detail: String| ModelError::Tensor {
            name: printable(&entry.name),
            detail: printable(&detail),
        };
        let bytes = entry
            .bytes()
            .filter(|&bytes| bytes <= MAX_TENSOR_BYTES)
            .ok_or_else(|| fail(format!("shape {:?} is larger than the limit", entry.shape)))?;
        let content = self.entry(&entry.file, bytes).map_err(|error| match error {
            ModelError::TooLarge { size, .. } => {
                fail(format!("{} has {size} bytes, its shape says {bytes}", entry.file))
            }
            other => other,
        })?;
        if content.len() as u64 != bytes {
            return Err(fail(format!(
                "{} has {} bytes, its shape says {bytes}",
                entry.file,
                content.len()
            )));
        }
        let (values, _) = content.as_chunks::<4>();
        let values: Vec<f32> = values.iter().map(|&value| f32::from_le_bytes(value)).collect();
        // Several at once, as most are.
        if !values.iter().fold(true, |all, value| all & value.is_finite())
            && let Some(at) = values.iter().position(|value| !value.is_finite())
        {
            return Err(fail(format!("value {at} is {}, not a finite number", values[at])));
        }
        Ok(values)
    }
}

/// Tensors of an archive by name, within the limit on all of them together.
pub(crate) struct Tensors<'a, 'b> {
    archive: &'a mut Archive<'b>,
    entries: &'a [TensorEntry],
    bytes: u64,
}

impl<'a, 'b> Tensors<'a, 'b> {
    pub(crate) fn new(archive: &'a mut Archive<'b>, entries: &'a [TensorEntry]) -> Self {
        Self { archive, entries, bytes: 0 }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    fn find(&self, name: &str) -> Result<&'a TensorEntry, ModelError> {
        self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            tensor_error(name, format!("not in the table of tensors of {METADATA_ENTRY}"))
        })
    }

    pub(super) fn shape<const SIDES: usize>(
        &self,
        name: &str,
    ) -> Result<[usize; SIDES], ModelError> {
        let entry = self.find(name)?;
        <[usize; SIDES]>::try_from(entry.shape.as_slice()).map_err(|_| {
            tensor_error(name, format!("shape {:?}, {SIDES} sides are needed", entry.shape))
        })
    }

    pub(super) fn values(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let entry = self.find(name)?;
        if entry.shape != shape {
            return Err(tensor_error(name, format!("shape {:?}, expected {shape:?}", entry.shape)));
        }
        self.bytes = self.bytes.saturating_add(entry.bytes().unwrap_or(u64::MAX));
        check_size("all tensors together", self.bytes, MAX_TENSORS_BYTES)?;
        self.archive.tensor(entry)
    }

    /// The decision trees whose tensors have these letters before their names, for rows of `k`
    /// values.
    ///
    /// # Errors
    /// When a tensor is missing or too large, or the trees do not fit.
    pub(crate) fn forest(&mut self, prefix: &str, k: usize) -> Result<Forest, ModelError> {
        let names = TREE_TENSORS.map(|name| format!("{prefix}{name}"));
        let ([trees], [nodes]) = (self.shape(&names[0])?, self.shape(&names[1])?);
        for (name, found, most) in
            [(&names[0], trees, limits::TREES), (&names[1], nodes, limits::TREE_NODES)]
        {
            if found > most {
                return Err(tensor_error(name, format!("{found} values, {most} are the most")));
            }
        }
        let sides = [trees, nodes, nodes, nodes, nodes, nodes, 1];
        let mut tensors: [Vec<f32>; 7] = Default::default();
        for ((tensor, name), side) in tensors.iter_mut().zip(&names).zip(sides) {
            *tensor = self.values(name, &[side])?;
        }
        Forest::of_tensors(&tensors, k)
    }
}

impl TensorEntry {
    /// Bytes its values take, `None` where that does not fit in 64 bits.
    pub fn bytes(&self) -> Option<u64> {
        self.shape.iter().try_fold(4_u64, |size, &side| size.checked_mul(side as u64))
    }
}

/// The content of an entry of the archive shipped with this program, as it lies there: a test has
/// looked at its sums.
fn shipped<'a, R: Read>(file: &ZipFile<'_, R>, archive: &'a [u8]) -> Option<&'a [u8]> {
    let is_stored = file.compression() == CompressionMethod::Stored;
    let start = usize::try_from(file.data_start()?).ok()?;
    let content = archive.get(start..)?.get(..usize::try_from(file.size()).ok()?)?;
    (is_stored && std::ptr::eq(archive, DEFAULT_ARCHIVE)).then_some(content)
}

fn check_size(what: &str, size: u64, limit: u64) -> Result<(), ModelError> {
    if size > limit {
        return Err(ModelError::TooLarge { what: printable(what), size, limit });
    }
    Ok(())
}

// Taken by value as `map_err` hands it over.
#[allow(clippy::needless_pass_by_value)]
fn damaged(error: zip::result::ZipError) -> ModelError {
    ModelError::Archive(printable(&error.to_string()))
}
