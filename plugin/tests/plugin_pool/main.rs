//! The advisor on a real HTCondor pool: a file server goes down, jobs of three users are held, and
//! the switched-on policy releases them when it is back. Meanwhile people forge advice, release and
//! hold jobs, advisors are killed, and the journal is tampered with.
//!
//! HOLDADVISE_DEB=PATH: all of that with the package at PATH (`scripts/package`) instead of what
//! cargo built.
//!
//! Played only when a pool is asked for, as the pool story is (`tests/pool/README.md`).

mod check;
mod forged;
#[path = "../../../tests/pool/harness.rs"]
mod harness;
mod looks;
mod outage;
mod races;
mod setup;
mod state;

use harness::Pool;
use outage::Outage;

#[test]
fn the_access_point_advises_and_releases_when_switched_on() {
    let Some(pool) = Pool::or_skip(|| Pool::up_as("plugin")) else { return };
    setup::install(&pool);
    check::names_what_is_wrong(&pool);
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
    state::is_closed_to_users(&pool);

    state::link_the_file(&pool);
    outage.end(&pool);
    state::links_are_refused(&pool);
    outage.nothing_went(&pool);
    state::forge(&pool, &outage.stay());
    state::unlink_the_file(&pool);
    races::the_schedd_restarts(&pool);
    outage.goes_through_and_finishes(&pool);
    state::forged_lines_are_named(&pool);
    outage.others_stay(&pool);
    outage.every_release_has_its_advice(&pool);
    outage.later_procs_finish(&pool);
    outage.is_kept(&pool);
    races::an_old_advice_releases_nothing(&pool, &outage.by_person[0]);
}
