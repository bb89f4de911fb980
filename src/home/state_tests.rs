use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::*;
use crate::model::DEFAULT_ARCHIVE;

/// The shipped model with another number in its metadata: another model.
pub(crate) fn model(number: u64) -> Vec<u8> {
    use std::io::{Read, Write};
    let mut archive = zip::ZipArchive::new(io::Cursor::new(DEFAULT_ARCHIVE)).unwrap();
    let mut out = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).unwrap();
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        let name = entry.name().unwrap().into_owned();
        out.start_file(name.as_str(), options).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if name.ends_with("holdadvise.json") {
            let mut metadata: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            metadata["training"]["number"] = number.into();
            bytes = serde_json::to_vec(&metadata).unwrap();
        }
        out.write_all(&bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

fn places(folder: &Path) -> Places {
    let places = Places { own: folder.join("own"), shown: folder.join("shown") };
    fs::create_dir(&places.own).unwrap();
    fs::create_dir(&places.shown).unwrap();
    places
}

fn identity(bytes: &[u8]) -> String {
    Model::from_bytes(bytes).unwrap().metadata.identity()
}

#[test]
fn a_challenger_is_installed_and_taken_back_and_not_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let places = places(folder.path());
    let shipped = identity(DEFAULT_ARCHIVE);
    let (one, two) = (model(1), model(2));
    let path = Path::new("bestmodel.pt");
    let mut state = places.state().unwrap();
    let same = places.take(&mut state, path, DEFAULT_ARCHIVE, &shipped, 5);
    assert!(matches!(same, Err(PlaceError::Before(_))));
    places.take(&mut state, path, &one, &shipped, 10).unwrap();
    assert_eq!(places.challenger().unwrap().unwrap().metadata.identity(), identity(&one));
    assert_eq!(places.state().unwrap(), state);
    places.install(&mut state, 20).unwrap();
    assert_eq!(fs::read(places.shown.join(MODEL)).unwrap(), one);
    assert!(places.challenger().unwrap().is_none());
    assert_eq!(state.installed.as_deref(), Some(identity(&one).as_str()));

    places.take(&mut state, path, &two, &identity(&one), 30).unwrap();
    places.install(&mut state, 40).unwrap();
    assert_eq!(fs::read(places.shown.join(MODEL)).unwrap(), two);
    assert_eq!(state.challengers, 2);
    assert_eq!(places.roll_back(&mut state, 50).unwrap(), identity(&two));
    assert_eq!(fs::read(places.shown.join(MODEL)).unwrap(), one);
    let again = places.take(&mut state, path, &two, &identity(&one), 60);
    assert!(matches!(again, Err(PlaceError::Before(_))), "{again:?}");
    assert!(matches!(places.roll_back(&mut state, 70), Err(PlaceError::Nothing)));
    assert_eq!(places.state().unwrap(), state);
}

#[test]
fn before_the_first_one_there_was_the_shipped_model() {
    let folder = tempfile::tempdir().unwrap();
    let places = places(folder.path());
    let mut state = HomeState::default();
    places.take(&mut state, Path::new("x"), &model(3), "shipped", 10).unwrap();
    places.install(&mut state, 20).unwrap();
    let mode = places.shown.join(MODEL).metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    places.roll_back(&mut state, 30).unwrap();
    assert!(!places.shown.join(MODEL).exists());
}

#[test]
fn a_challenger_that_is_refused_is_not_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let places = places(folder.path());
    let mut state = HomeState::default();
    places.take(&mut state, Path::new("x"), &model(4), "shipped", 10).unwrap();
    places.refuse(&mut state).unwrap();
    assert!(places.challenger().unwrap().is_none() && state.challenger.is_none());
    assert!(places.take(&mut state, Path::new("x"), &model(4), "shipped", 10).is_err());
    assert!(places.take(&mut state, Path::new("x"), b"PK", "shipped", 10).is_err());
    assert_eq!(state.challengers, 1);
}

#[test]
fn a_damaged_state_is_no_new_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let places = places(folder.path());
    fs::write(places.own.join(STATE), "{\"Challengers\": 7").unwrap();
    assert!(places.state().unwrap_err().to_string().contains(STATE));
}
