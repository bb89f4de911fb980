//! What our safetensors files say of themselves: JSON under one metadata key.

use safetensors::SafeTensors;

/// Metadata key of the JSON.
pub const METADATA_KEY: &str = "holdadvise";

/// The tensors of a file, and its JSON as text.
///
/// # Errors
/// When it is no safetensors file, or has no such key.
pub(crate) fn open(file: &[u8]) -> Result<(SafeTensors<'_>, String), String> {
    let text = |error: safetensors::SafeTensorError| format!("not a safetensors file ({error})");
    let (_, metadata) = SafeTensors::read_metadata(file).map_err(text)?;
    let tensors = SafeTensors::deserialize(file).map_err(text)?;
    let json = metadata.metadata().as_ref().and_then(|metadata| metadata.get(METADATA_KEY));
    let json = json.ok_or_else(|| format!("no metadata `{METADATA_KEY}`"))?;
    Ok((tensors, json.clone()))
}

/// What is said where the JSON is not what was expected.
pub(crate) fn wrong(error: &serde_json::Error) -> String {
    format!("metadata `{METADATA_KEY}`: {error}")
}
