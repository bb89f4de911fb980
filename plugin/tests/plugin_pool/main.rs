//! The advisor on a real HTCondor pool: a file server goes down, jobs of three users are held, and
//! the switched-on policy releases them when it is back. Meanwhile people forge advice, release and
//! hold jobs, and advisors are killed.
//!
//! Played only when a pool is asked for, as the pool story is (`tests/pool/README.md`).

mod forged;
#[path = "../../../tests/pool/harness.rs"]
mod harness;
mod looks;
mod outage;
mod races;
mod setup;

use harness::Pool;
use outage::Outage;

#[test]
fn the_access_point_advises_and_releases_when_switched_on() {
    let up = || match std::env::var_os("HOLDADVISE_POOL_ROOT") {
        Some(_) => Pool::up(),
        None => Pool::up_as("plugin"),
    };
    let Some(pool) = Pool::or_skip(up) else { return };
    setup::install(&pool);
    forged::not_at_submission(&pool);
    looks::are_followed(&pool);

    let outage = Outage::begin(&pool);
    outage.is_advised(&pool);
    outage.is_shown(&pool);
    outage.counts_are_in_the_ad_of_the_schedd(&pool);
    outage.nothing_went(&pool);
    forged::not_by_qedit(&pool, &outage.waiting[0]);
    forged::not_by_chirp(&pool);
    races::what_left_its_hold_is_not_written(&pool, &outage.permanent);
    races::advisors_exclude_each_other(&pool);
    races::killed_advisors_lose_nothing(&pool);

    outage.end(&pool);
    races::the_schedd_restarts(&pool);
    outage.goes_through_and_finishes(&pool);
    outage.others_stay(&pool);
    outage.every_release_has_its_advice(&pool);
    races::an_old_advice_releases_nothing(&pool, &outage.by_person[0]);
}
