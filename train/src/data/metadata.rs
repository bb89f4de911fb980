//! What our safetensors files say of themselves: JSON under one metadata key.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::Read;

use safetensors::tensor::{Metadata, TensorView};
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::de::DeserializeOwned;

/// Metadata key of the JSON.
pub const METADATA_KEY: &str = "holdadvise";

/// Bytes of a header, at most: what the safetensors crate takes.
const MOST_HEADER: u64 = 100_000_000;

/// The tensors of a file, and its JSON as text.
///
/// # Errors
/// When it is no safetensors file, or has no such key.
pub(crate) fn open(file: &[u8]) -> Result<(SafeTensors<'_>, String), String> {
    let text = |error: SafeTensorError| format!("not a safetensors file ({error})");
    let (_, metadata) = SafeTensors::read_metadata(file).map_err(text)?;
    let tensors = SafeTensors::deserialize(file).map_err(text)?;
    Ok((tensors, json(&metadata)?.to_owned()))
}

/// The header of a file of `size` bytes, and where its tensors begin.
///
/// # Errors
/// When it is no whole safetensors file.
pub(crate) fn header(mut file: impl Read, size: u64) -> Result<(Metadata, u64), String> {
    let text = |error: &dyn Display| format!("not a safetensors file ({error})");
    let mut length = [0; size_of::<u64>()];
    file.read_exact(&mut length).map_err(|error| text(&error))?;
    let length = u64::from_le_bytes(length);
    let begin = length.saturating_add(size_of::<u64>() as u64);
    if length > MOST_HEADER || begin > size {
        return Err(text(&format!("its header has {length} of {size} bytes")));
    }
    let mut header = vec![0; usize::try_from(length).map_err(|error| text(&error))?];
    file.read_exact(&mut header).map_err(|error| text(&error))?;
    let metadata: Metadata = serde_json::from_slice(&header).map_err(|error| text(&error))?;
    let end = metadata.tensors().values().map(|info| info.data_offsets.1).max().unwrap_or(0);
    match begin.checked_add(end as u64) == Some(size) {
        true => Ok((metadata, begin)),
        false => Err(text(&format!("its tensors end at {end} of {}", size - begin))),
    }
}

/// The JSON of a header.
///
/// # Errors
/// When there is no such key.
pub(crate) fn json(metadata: &Metadata) -> Result<&str, String> {
    let json = metadata.metadata().as_ref().and_then(|metadata| metadata.get(METADATA_KEY));
    json.map(String::as_str).ok_or_else(|| format!("no metadata `{METADATA_KEY}`"))
}

/// Where the bytes of a tensor begin and end, behind the header.
///
/// # Errors
/// When there is none of that name, or it is of another kind, shape or size.
pub(crate) fn place(
    metadata: &Metadata,
    name: &str,
    dtype: Dtype,
    shape: &[usize],
) -> Result<(usize, usize), String> {
    let info = metadata.info(name).ok_or_else(|| format!("tensor {name}: it is not there"))?;
    if info.dtype != dtype || info.shape != shape {
        return Err(unlike(name, (info.dtype, &info.shape), (dtype, shape)));
    }
    Ok(info.data_offsets)
}

fn unlike(name: &str, (found, of): (Dtype, &[usize]), (dtype, shape): (Dtype, &[usize])) -> String {
    format!("tensor {name} is {found:?} {of:?}, expected {dtype:?} {shape:?}")
}

/// A file of tensors of one dimension, given as names, kinds and bytes, and its JSON.
///
/// # Errors
/// When the bytes of a tensor are not whole numbers of its kind.
pub(crate) fn file(tensors: &[(&str, Dtype, &[u8])], json: String) -> Result<Vec<u8>, String> {
    let views = tensors.iter().map(|&(name, dtype, bytes)| {
        Ok((name, TensorView::new(dtype, vec![bytes.len() * 8 / dtype.bitsize()], bytes)?))
    });
    let views: Result<Vec<_>, SafeTensorError> = views.collect();
    let metadata = HashMap::from([(METADATA_KEY.to_owned(), json)]);
    let file = views.and_then(|views| safetensors::serialize(views, Some(metadata)));
    file.map_err(|error| error.to_string())
}

/// What stands in the JSON.
///
/// # Errors
/// When it is not what was expected.
pub(crate) fn parse<T: DeserializeOwned>(json: &str) -> Result<T, String> {
    serde_json::from_str(json).map_err(|error| format!("metadata `{METADATA_KEY}`: {error}"))
}

/// The bytes of a tensor.
///
/// # Errors
/// When there is none of that name, or it is of another kind or shape.
pub(crate) fn tensor<'t>(
    tensors: &SafeTensors<'t>,
    name: &str,
    dtype: Dtype,
    shape: &[usize],
) -> Result<&'t [u8], String> {
    let view = tensors.tensor(name).map_err(|error| format!("tensor {name}: {error}"))?;
    if view.dtype() != dtype || view.shape() != shape {
        return Err(unlike(name, (view.dtype(), view.shape()), (dtype, shape)));
    }
    Ok(view.data())
}
