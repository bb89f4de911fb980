//! Sweeps on a real HTCondor pool, as an ordinary user: once in peace, once with a node killed, a
//! node vacated, DAGMan removed and its rescue DAG submitted, and tracking killed. Both must come
//! to the same model. Beside the first a sweep whose nodes bring the program in a tarball, against
//! the shipped model; at last one on a disk that is full.
//!
//! Played only when a pool is asked for, as the pool story is (`tests/pool/README.md`).
#![cfg(feature = "torch")]

mod faults;
mod full_disk;
#[path = "../../../tests/pool/harness.rs"]
mod harness;
mod results;
mod setup;
mod tarball;

use harness::Pool;
use results::Results;

#[test]
fn sweeps_come_to_their_end_whatever_happens() {
    let Some(pool) = Pool::or_skip(|| Pool::up_as("sweep")) else { return };
    setup::install(&pool);
    setup::simulate(&pool);

    setup::plan(&pool, "peace", setup::SWEEP);
    let dag = setup::submit(&pool, "peace");
    let tarball = tarball::begin(&pool, "tarball");
    setup::wait(&pool, "peace", dag);
    let peace = Results::read(&pool, "peace");
    println!("{}", peace.leaderboard);
    peace.are_whole(6, 3);
    peace.are_tracked(&pool);
    peace.advise(&pool);

    tarball::end(&pool, "tarball", tarball);

    setup::plan(&pool, "faults", setup::SWEEP);
    faults::play(&pool, "faults");
    let faults = Results::read(&pool, "faults");
    faults.are_whole(6, 3);
    peace.are_the_same_as(&faults);

    full_disk::play(&pool, "full-disk");
}
