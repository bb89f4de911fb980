//! What is advised about the holds of a simulation, beside what is true.

use crate::common::{done, refused};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/default.pt");

#[test]
fn every_hold_is_judged_and_what_never_is_right_has_no_share() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let world = "simulate --preset small --with faults-3 --seed 1101 --days 2 --looks -o";
    done(here, world.split(' ').chain(["sim", "--when", "--when-plays", "2"]));
    let judge = ["judge", "sim", "-m", MODEL, "--checks", "all", "--instants", "1"];
    let printed = done(here, judge);
    let holds = |right: &str| -> usize {
        let line = printed.lines().find(|line| line.starts_with(right)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    assert!(holds("release") > 0 && holds("change") > 0, "{printed}");
    assert!(printed.contains("removed NaN (NaN .. NaN), 0 holds, 0 clusters"), "{printed}");
    done(here, world.split(' ').chain(["without"]));
    let error = refused(here, ["judge", "without", "-m", MODEL]);
    assert!(error.contains("--when-plays 24"), "{error}");
}
