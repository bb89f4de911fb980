//! The access points that no model was trained on: `scripts/held-out` plays them all.

use std::collections::HashSet;

use clap::Parser;
use holdadvise_simulate::Arguments;
use sha2::{Digest, Sha256};

const TABLE: &str = include_str!("../held-out.tsv");

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    arguments: Arguments,
}

struct Row {
    set: &'static str,
    preset: &'static str,
    seed: u64,
    arguments: Vec<String>,
    hash: &'static str,
}

fn rows() -> Vec<Row> {
    let row = |line: &'static str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [set, preset, layer, seed, days, unit, vary, hash] = fields[..] else {
            panic!("expected eight fields: {line}");
        };
        let arguments = [
            ("--preset", preset),
            ("--with", layer),
            ("--seed", seed),
            ("--days", days),
            ("--unit", unit),
            ("--vary", vary),
        ];
        let arguments = arguments.iter().flat_map(|(name, value)| [*name, *value]);
        Row {
            set,
            preset,
            seed: seed.parse().unwrap(),
            arguments: arguments.map(str::to_owned).collect(),
            hash,
        }
    };
    TABLE.lines().skip(1).map(row).collect()
}

#[test]
fn sets_are_large_enough_and_apart_from_what_is_trained_on() {
    let rows = rows();
    for set in ["choosing", "kept-back"] {
        assert!(rows.iter().filter(|row| row.set == set).count() >= 48, "{set}");
    }
    let seeds: HashSet<u64> = rows.iter().map(|row| row.seed).collect();
    assert_eq!(seeds.len(), rows.len());
    // Models are trained on seeds below 1,000; up to 2,000 the layer was tuned and measured.
    assert!(seeds.iter().all(|seed| *seed > 2_000));
}

#[test]
fn a_few_give_what_they_gave() {
    let rows = rows();
    let mut presets = HashSet::new();
    let quick = rows.iter().filter(|row| !["ospool", "cms"].contains(&row.preset));
    for row in quick.filter(|row| row.set == "choosing" && presets.insert(row.preset)) {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().to_str().unwrap();
        let arguments = ["simulate", "-o", output].into_iter().map(str::to_owned);
        let command = Command::parse_from(arguments.chain(row.arguments.clone()));
        command.arguments.run(&mut |_| {}).unwrap();
        let mut hash = Sha256::new();
        for file in ["EventLog", "epoch_history", "truth.jsonl"] {
            hash.update(std::fs::read(folder.path().join(file)).unwrap());
        }
        let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            found, row.hash,
            "{}-{}: the simulator changed; scripts/held-out write, where docs/training/simulator.md says \
             that none was opened",
            row.preset, row.seed
        );
    }
    assert_eq!(presets.len(), 3);
}
