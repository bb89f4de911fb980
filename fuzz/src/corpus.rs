//! The kept corpus: of each target inputs that between them reach what fuzzing has reached.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Bytes of the inputs of a target, before they are packed. Assumed: they are replayed within
/// seconds, and those of all targets take less than 5 MB.
const MOST: usize = 1 << 20;

fn path(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("corpus/{target}.gz"))
}

/// The kept inputs of a target, the shortest first. A target without a file has none.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let Ok(file) = File::open(path(target)) else { return Vec::new() };
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("the corpus is whole");
    let (mut inputs, mut rest) = (Vec::new(), &bytes[..]);
    while let Some((length, behind)) = rest.split_first_chunk() {
        let (input, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
        inputs.push(input.to_vec());
        rest = behind;
    }
    assert!(rest.is_empty(), "half a length at the end of the corpus of {target}");
    inputs
}

/// Packs the files of a folder as the kept inputs of a target, the shortest first, up to [`MOST`].
/// Each is its length in four bytes, little-endian, and itself; together they are a gzip file.
pub fn keep(target: &str, folder: &Path) {
    let entries = fs::read_dir(folder).expect("a folder of inputs");
    let read = |entry: std::io::Result<fs::DirEntry>| fs::read(entry?.path());
    let mut inputs: Vec<_> = entries.map(|entry| read(entry).expect("an input")).collect();
    inputs.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let (mut packed, mut length) = (GzEncoder::new(Vec::new(), Compression::best()), 0);
    for input in inputs {
        length += input.len();
        if length > MOST {
            break;
        }
        let bytes = u32::try_from(input.len()).expect("a short input").to_le_bytes();
        packed.write_all(&[&bytes[..], &input].concat()).expect("memory takes it");
    }
    let packed = packed.finish().expect("memory takes it");
    fs::create_dir_all(path(target).parent().expect("a folder")).expect("a folder can be made");
    fs::write(path(target), packed).expect("the corpus can be written");
}
