//! Model archives.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Cursor, Write};
use std::sync::LazyLock;

use holdadvise::model::{
    Archive, Batch, DEFAULT_ARCHIVE, METADATA_ENTRY, Model, ModelMetadata, TensorEntry,
};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Bytes of the tensors of an archive that is made.
const MOST: u64 = 1 << 20;

/// The tensors of the shipped model by their files.
static SHIPPED: LazyLock<HashMap<String, Cow<'static, [u8]>>> = LazyLock::new(|| {
    let mut archive = Archive::new(DEFAULT_ARCHIVE).expect("the shipped model opens");
    let tensors = archive.metadata().expect("it has metadata").tensors;
    let content =
        |tensor: TensorEntry| Some((archive.entry(&tensor.file, MOST).ok()?, tensor.file));
    tensors.into_iter().filter_map(content).map(|(content, file)| (file, content)).collect()
});

/// Any bytes as a model archive, or behind `{` as the metadata of one, of which the tensors are
/// the shipped model's or made to fit: it is refused, or says something of any sample.
pub fn model_archive(bytes: &[u8]) {
    if !bytes.starts_with(b"{") {
        ask(bytes);
        return;
    }
    if let Some(archive) = archive(bytes) {
        ask(&archive);
    }
}

fn ask(archive: &[u8]) {
    let Ok(model) = Model::from_bytes(archive) else { return };
    let d = model.metadata.dimensions;
    let _ = model.metadata.identity();
    let states: Vec<u8> = (0..2 * d.m * d.j).map(|at| (at % d.e) as u8).collect();
    let statics: Vec<f32> = (0..2 * d.k).map(|at| (at % 7) as f32 - 3.0).collect();
    let batch = Batch { states: &states, statics: &statics, n: 2 };
    if let Ok(said) = model.probabilities(&batch) {
        assert!(said.iter().all(|said| !(*said < 0.0 || *said > 1.0)), "{said:?}");
    }
}

/// An archive with this metadata and the tensors that it names; `None` where it is none, or they
/// are large.
pub(crate) fn archive(metadata: &[u8]) -> Option<Vec<u8>> {
    let tensors = ModelMetadata::from_json(metadata).ok()?.tensors;
    let mut left = MOST;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut put = |name: &str, content: &[u8]| {
        zip.start_file(format!("m/{name}"), options).ok()?;
        zip.write_all(content).ok()
    };
    put("data.pkl", b"")?;
    put(METADATA_ENTRY, metadata)?;
    for tensor in &tensors {
        let size = tensor.bytes().filter(|size| *size <= left)?;
        left -= size;
        // Small numbers, whole ones among them: some tensors are indices.
        let made = (0..size / 4).map(|at| (at % 5) as f32 * if at % 3 == 0 { 0.25 } else { 1.0 });
        let content = match SHIPPED.get(&tensor.file) {
            Some(content) if content.len() as u64 == size => Cow::Borrowed(content),
            _ => Cow::Owned(made.flat_map(f32::to_le_bytes).collect()),
        };
        // Of two tensors in one file the first one counts.
        let _ = put(&tensor.file, &content);
    }
    Some(zip.finish().ok()?.into_inner())
}
