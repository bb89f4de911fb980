//! One play for each delay.

use std::path::Path;

use holdadvise_simulate::{Extras, Preset, Settings, simulate_with};
use serde_json::Value;

fn played(folder: &Path, unit: f64, extras: Extras) -> Vec<Value> {
    let layers = ["faults-3".to_owned()];
    let settings =
        Settings::new(Preset::load_with("small", &layers).unwrap().in_unit(unit), 5, 14, folder);
    simulate_with(&settings, extras).unwrap();
    let truth = std::fs::read_to_string(folder.join("truth.jsonl")).unwrap();
    truth.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn instants(holds: &[Value]) -> impl Iterator<Item = &Value> {
    holds.iter().flat_map(|hold| hold["oracle"].as_array().unwrap())
}

#[test]
fn plays_for_each_delay_change_nothing_else() {
    let (with, without) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut played_with = played(with.path(), 1.0, Extras { when: Some(1), ..Extras::default() });
    let played_without = played(without.path(), 1.0, Extras::default());
    for hold in &mut played_with {
        for at in hold["oracle"].as_array_mut().unwrap() {
            let at = at.as_object_mut().unwrap();
            assert!(at.remove("when").is_some());
        }
    }
    assert!(played_with == played_without && !played_with.is_empty());
    for name in ["EventLog", "epoch_history"] {
        let read = |folder: &Path| std::fs::read(folder.join(name)).unwrap();
        assert!(read(with.path()) == read(without.path()), "{name}");
    }
}

#[test]
fn plays_agree_with_the_probabilities() {
    let folder = tempfile::tempdir().unwrap();
    let holds = played(folder.path(), 0.5, Extras { when: Some(1), ..Extras::default() });
    let grid = [0, 450, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400, 129_600];
    let (mut count, mut probable, mut played, mut later) = (0, 0.0, 0, 0);
    for at in instants(&holds) {
        let when: Vec<(i64, u64)> = serde_json::from_value(at["when"].clone()).unwrap();
        assert_eq!(when.iter().map(|(delay, _)| *delay).collect::<Vec<_>>(), grid);
        assert!(when.iter().all(|(_, success)| *success <= 1));
        count += 1;
        probable += at["as-is"].as_f64().unwrap();
        played += when[0].1;
        later += when[7].1;
    }
    let share = |of: u64| of as f64 / f64::from(count);
    println!(
        "{count}: {:.3} probable, {:.3} played, {:.3} a day later",
        probable / f64::from(count),
        share(played),
        share(later)
    );
    assert!(count > 2_000);
    assert!((probable / f64::from(count) - share(played)).abs() < 0.02);
    assert!(share(later) > share(played));
}
