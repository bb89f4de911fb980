//! Forecasts of policies against the schedds of two versions: held jobs with one policy each, on
//! real HTCondor pools side by side. Which of them is released or removed, when, and by which
//! policy must be what `holdadvise::policy::forecast` said. Before that, programs that are stuck
//! have the limit that is suggested for long runs.
//!
//! Played only when a pool is asked for, as the pool story is (`tests/pool/README.md`).
//! HOLDADVISE_POLICIES_TABLE=FILE keeps the table.

mod cases;
mod judge;
mod long_runs;
mod play;

use std::thread;
use std::time::Instant;

use crate::pool::harness::Pool;
use play::{Played, play};

/// Debian's releases: HTCondor 23.9 and 25.x.
const RELEASES: [(&str, &str); 2] = [("policies-trixie", "trixie"), ("policies-sid", "sid")];

#[test]
fn schedds_do_what_is_forecast() {
    if !Pool::is_asked_for() {
        return;
    }
    let plays: Vec<Played> = thread::scope(|scope| {
        let started = RELEASES.map(|(name, release)| {
            scope.spawn(move || {
                let begin = Instant::now();
                let pool = Pool::or_skip(|| Pool::up_as_release(name, release))?;
                println!("{release}: up after {:.0?}", begin.elapsed());
                long_runs::play(&pool);
                println!("{release}: runs limited after {:.0?}", begin.elapsed());
                let played = play(&pool);
                println!("{release}: played after {:.0?}", begin.elapsed());
                Some(played)
            })
        });
        started.into_iter().filter_map(|play| play.join().expect("a play")).collect()
    });
    let text = judge::table(&plays);
    println!("{text}");
    if let Some(file) = std::env::var_os("HOLDADVISE_POLICIES_TABLE") {
        std::fs::write(&file, &text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    let mut faults = Vec::new();
    for play in &plays {
        let before = faults.len();
        for job in &play.jobs {
            let name = job.case.name;
            assert!(!play.is_too_near_the_end(job), "{name}: {:?}", job.forecast.deed);
            let fault = play.fault(job);
            faults.extend(fault.map(|fault| format!("{} {name}: {fault}", play.version)));
        }
        let right = play.jobs.len() - (faults.len() - before);
        println!(
            "{}: {right} of {} jobs as forecast, at most {} s late, watched for {} s",
            play.version,
            play.jobs.len(),
            play.latest(),
            play.to - play.from,
        );
    }
    assert!(faults.is_empty(), "not as forecast:\n{}", faults.join("\n"));
}
