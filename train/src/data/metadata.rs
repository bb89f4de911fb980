//! What our safetensors files say of themselves: JSON under one metadata key.

use std::collections::HashMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::de::DeserializeOwned;

/// Metadata key of the JSON.
pub const METADATA_KEY: &str = "holdadvise";

/// The tensors of a file, and its JSON as text.
///
/// # Errors
/// When it is no safetensors file, or has no such key.
pub(crate) fn open(file: &[u8]) -> Result<(SafeTensors<'_>, String), String> {
    let text = |error: SafeTensorError| format!("not a safetensors file ({error})");
    let (_, metadata) = SafeTensors::read_metadata(file).map_err(text)?;
    let tensors = SafeTensors::deserialize(file).map_err(text)?;
    let json = metadata.metadata().as_ref().and_then(|metadata| metadata.get(METADATA_KEY));
    let json = json.ok_or_else(|| format!("no metadata `{METADATA_KEY}`"))?;
    Ok((tensors, json.clone()))
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
        let (found, of) = (view.dtype(), view.shape());
        return Err(format!("tensor {name} is {found:?} {of:?}, expected {dtype:?} {shape:?}"));
    }
    Ok(view.data())
}
