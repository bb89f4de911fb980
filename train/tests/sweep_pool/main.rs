//! A sweep on a real HTCondor pool, as an ordinary user: once in peace, once with a node killed, a node vacated, DAGMan removed and
//! its rescue DAG submitted, and tracking killed. Both must come to the same model.
//!
//! Played only when a pool is asked for, as the pool story is (`tests/pool/README.md`).
#![cfg(feature = "torch")]

mod faults;
#[path = "../../../tests/pool/harness.rs"]
mod harness;
mod results;
mod setup;

use std::time::Duration;

use harness::Pool;
use results::Results;

/// How long a sweep may take.
const LIMIT: Duration = Duration::from_secs(900);

#[test]
fn faults_change_nothing_of_what_a_sweep_comes_to() {
    let Some(pool) = Pool::or_skip(|| Pool::up_as("sweep")) else { return };
    setup::install(&pool);
    setup::simulate(&pool);

    setup::plan(&pool, "peace");
    let dag = setup::submit(&pool, "peace");
    setup::wait(&pool, "peace", dag, LIMIT);
    let peace = Results::read(&pool, "peace");
    println!("{}", peace.leaderboard);
    peace.are_whole(6, 3);
    peace.are_tracked(&pool);
    peace.advise(&pool);

    setup::plan(&pool, "faults");
    faults::play(&pool, "faults", LIMIT);
    let faults = Results::read(&pool, "faults");
    faults.are_whole(6, 3);
    peace.are_the_same_as(&faults);
}
