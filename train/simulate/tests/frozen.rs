//! The simulator gives what it gave when models were last compared.

use holdadvise_simulate::{FROZEN, FROZEN_LAYERS, Preset, Settings, VERSION, hash_of, simulate};
use serde_json::Value;
use tempfile::TempDir;

/// What seed 1 gives in one day.
fn played(preset: &str, layers: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let layers: Vec<String> = layers.iter().map(|&layer| layer.to_owned()).collect();
    let settings = Settings::new(Preset::load_with(preset, &layers).unwrap(), 1, 1, folder.path());
    simulate(&settings).unwrap();
    folder
}

#[test]
fn every_preset_and_every_layer_gives_what_it_gave() {
    let hash = |preset, layers: &[&str]| hash_of(played(preset, layers).path()).unwrap();
    let presets = FROZEN.map(|(name, _)| (name, hash(name, &[])));
    let layers = FROZEN_LAYERS.map(|(name, _)| (name, hash("small", &[name])));
    let frozen = (
        FROZEN.map(|(name, hash)| (name, hash.to_owned())),
        FROZEN_LAYERS.map(|(name, hash)| (name, hash.to_owned())),
    );
    assert_eq!(
        (presets, layers),
        frozen,
        "the simulator changed: count VERSION {VERSION} up, keep these hashes in src/frozen.rs, and make every comparison anew"
    );
}

#[test]
fn the_fingerprint_tells_which_layers_were_on() {
    let fingerprint = |layers: &[&str]| {
        let folder = played("rapid", layers);
        let text = std::fs::read_to_string(folder.path().join("simulation.json")).unwrap();
        let described: Value = serde_json::from_str(&text).unwrap();
        described["fingerprint"].as_str().unwrap().to_owned()
    };
    let own = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    let path = own.path().to_str().unwrap();
    let of_own = |text: &str| {
        std::fs::write(path, text).unwrap();
        fingerprint(&[path])
    };
    let all = [
        fingerprint(&[]),
        fingerprint(&["faults-3"]),
        of_own("[jobs]\nper_day = 100.0\n"),
        of_own("[jobs]\nper_day = 101.0\n"),
    ];
    // Data of presets alone is that of the version before.
    assert_eq!(all[0], "12c87be07fdb94f8");
    for (index, one) in all.iter().enumerate() {
        assert!(!all[..index].contains(one), "{all:?}");
    }
}
