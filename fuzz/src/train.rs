//! Files that training reads.

use holdadvise_train::data::dataset::Dataset;
use holdadvise_train::split::parts::Parts;
use holdadvise_train::sweep::results::Results;
use holdadvise_train::sweep::{file, folder, page};
use jiff::Timestamp;

use crate::{files, sections};

/// Bytes of tensors that are made behind a header.
const MOST: usize = 1 << 16;

/// A dataset or parts file, or behind `{` the header of one, of which the tensors are made. What is
/// read is in range, and written it is the same file again.
pub fn dataset(bytes: &[u8]) {
    let made;
    let bytes = match bytes {
        [b'{', ..] => {
            made = with_tensors(bytes);
            &made[..]
        }
        _ => bytes,
    };
    let path = files::file("dataset", bytes);
    if let Ok(dataset) = Dataset::read(&path) {
        let copy = files::folder().join("copy");
        let _ = std::fs::remove_file(&copy);
        dataset.write(&copy).expect("it can be written");
        let again = Dataset::read(&copy).expect("it can be read again");
        assert_eq!(again.digest(), dataset.digest());
        assert_eq!(again.info, dataset.info);
    }
    if let Ok(parts) = Parts::read(&path) {
        assert!(parts.part.iter().all(|part| *part <= 2 || *part == 255));
        assert_eq!(parts.part.len(), parts.info.rows);
    }
}

/// A file with this header: its length, the header, and zeros and small numbers up to the largest
/// offset named.
fn with_tensors(header: &[u8]) -> Vec<u8> {
    let json: serde_json::Value = serde_json::from_slice(header).unwrap_or_default();
    let ends = json.as_object().into_iter().flatten().filter_map(|(_, tensor)| {
        usize::try_from(tensor.get("data_offsets")?.get(1)?.as_u64()?).ok()
    });
    let end = ends.max().unwrap_or(0).min(MOST);
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header);
    file.extend((0..end).map(|at| u8::from(at % 8 == 0)));
    file
}

/// Any bytes as a sweep file: what is wrong with it stands on lines that begin with its name.
pub fn sweep_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // A pattern may name all files of the machine.
    if text.contains(['*', '?']) && text.contains('/') {
        return;
    }
    let path = files::file("sweep.yaml", bytes);
    match file::read(&path, Timestamp::UNIX_EPOCH) {
        Ok(checked) => {
            let _ = file::told(&path, &checked.notes, file::NOTE);
            // The text that is kept says the same.
            let again = files::file("sweep.yaml", checked.text.as_bytes());
            let again = file::read(&again, Timestamp::UNIX_EPOCH).expect("it is kept to be read");
            assert_eq!(again.text, checked.text);
        }
        Err(problems) => assert!(problems.contains("sweep.yaml"), "{problems}"),
    }
}

/// The files of a sweep's folder that its steps give to each other: the plan; of trial 1 its
/// parameters, and its result and metrics on rung 1; what was decided, the best trial, and its
/// report. Whatever they say, the page of the sweep is written, and no file is taken for that of
/// another trial or rung.
pub fn sweep_folder(bytes: &[u8]) {
    let here = sweep_of(bytes);
    let Ok(results) = Results::read(&here) else { return };
    page::write(&here, &results).expect("the page is written");
    if let Ok(result) = folder::read_result(&here, 1, 1) {
        assert_eq!((result.trial, result.rung), (1, 1));
    }
    if let Ok(decision) = folder::read_decision(&here, 1) {
        assert_eq!(decision.rung, 1);
    }
    let _ = folder::read_parameters(&here, 1);
}

/// A sweep's folder with the files of an input.
pub(crate) fn sweep_of(bytes: &[u8]) -> std::path::PathBuf {
    let here = files::folder().join("sweep");
    let names = [
        "sweep.json",
        "trials/001/parameters.json",
        "trials/001/rung1/result.json",
        "trials/001/rung1/metrics.jsonl",
        "rungs/rung1.json",
        "best/trial.json",
        "best/report.json",
    ];
    let contents: [&[u8]; 7] = sections(bytes);
    for (name, content) in names.iter().zip(contents) {
        folder::write(&here.join(name), content).expect("a file can be written");
    }
    here
}
