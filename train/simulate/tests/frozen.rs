//! The simulator gives what it gave when models were last compared.

use holdadvise::features::fnv1a;
use holdadvise_simulate::{FROZEN, Preset, Settings, VERSION, simulate};

#[test]
fn every_preset_gives_what_it_gave() {
    let mut given = Vec::new();
    for (name, _) in FROZEN {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            preset: Preset::load(name).unwrap(),
            seed: 1,
            days: 1,
            output: folder.path().to_owned(),
            information: true,
            largest_log: 0,
            most_rotations: 1,
        };
        simulate(&settings).unwrap();
        let mut all = String::new();
        for file in ["EventLog", "epoch_history", "truth.jsonl"] {
            let bytes = std::fs::read(folder.path().join(file)).unwrap();
            all.push_str(&format!("{file} {:016x}\n", fnv1a(&bytes)));
        }
        given.push((name, format!("{:016x}", fnv1a(all.as_bytes()))));
    }
    let frozen = FROZEN.map(|(name, hash)| (name, hash.to_owned()));
    assert_eq!(
        given, frozen,
        "the simulator changed: count VERSION {VERSION} up, keep these hashes in src/frozen.rs, and make every comparison anew"
    );
}
