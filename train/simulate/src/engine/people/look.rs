//! Owners look at what is held.

use std::collections::BTreeMap;

use super::at_work;
use super::decide::{Decision, decide};
use crate::cause::{Cause, Symptom};
use crate::engine::{Item, Purpose, Simulation, Status};
use crate::error::Result;
use crate::life::Edits;
use crate::random::Spread;
use crate::truth::{Action, Releaser, edited};

/// An owner's looks at one cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Looks {
    /// One is planned.
    planned: bool,
    count: u32,
}

/// A job went on hold: its owner will look some time, or nobody does.
pub(crate) fn notice(simulation: &mut Simulation, job: usize) {
    let cluster = simulation.jobs[job].cluster;
    if simulation.looks[cluster].planned {
        return;
    }
    let look = simulation.world.owners[simulation.clusters[cluster].owner].look;
    let give_up = simulation.world.preset.people.give_up;
    let dice = &mut simulation.chances.people;
    if dice.chance(give_up) {
        return;
    }
    let mut hours = dice.spread(look);
    if let Some(slow) = &simulation.world.preset.looks
        && dice.chance(slow.slow)
    {
        hours *= dice.spread(slow.times).max(1.0);
    }
    let after = (hours * 3_600.0) as i64 + 10;
    plan(simulation, cluster, after);
}

fn plan(simulation: &mut Simulation, cluster: usize, after: i64) {
    let time = at_work(simulation.now + after, &mut simulation.chances.people);
    simulation.looks[cluster].planned = true;
    simulation.queue.push(time, Item::Look { cluster });
}

/// The owner looks at the held jobs of a cluster and does something about each group of like holds.
pub(crate) fn look(simulation: &mut Simulation, cluster: usize) -> Result<()> {
    simulation.looks[cluster].planned = false;
    simulation.looks[cluster].count += 1;
    let looks = simulation.looks[cluster].count;
    let mut groups: BTreeMap<(i32, i32), Vec<usize>> = BTreeMap::new();
    for job in jobs_of(simulation, cluster) {
        if let Some(hold) = simulation.jobs[job].hold
            && !matches!(hold.cause, Cause::Person | Cause::Spooling)
        {
            groups.entry((hold.code, hold.subcode)).or_default().push(job);
        }
    }
    let mut again: Option<f64> = None;
    let mut look_in = |hours: f64| again = Some(again.map_or(hours, |sooner| sooner.min(hours)));
    for jobs in groups.into_values() {
        let one = *simulation.chances.people.pick(&jobs);
        match decide(simulation, one, looks) {
            Decision::Release { action, described } => {
                // Some try a few first.
                let sample = jobs.len() > 3 && simulation.chances.people.chance(0.4);
                let count = if sample { 2 } else { jobs.len() };
                for &job in jobs.iter().take(count) {
                    release(simulation, job, action, described)?;
                }
                if sample {
                    look_in(1.0);
                }
                if action == Action::Other {
                    mend_waiting(simulation, cluster, described);
                }
            }
            Decision::Wait { hours } => look_in(hours),
            Decision::Remove => {
                let reason = format!("via condor_rm (by user {})", simulation.owner_name(cluster));
                for &job in &jobs {
                    simulation.remove(job, &reason)?;
                }
            }
            Decision::Forget => {}
        }
    }
    if let Some(hours) = again {
        plan(simulation, cluster, (hours * 3_600.0) as i64);
    }
    Ok(())
}

fn jobs_of(simulation: &Simulation, cluster: usize) -> std::ops::Range<usize> {
    let cluster = &simulation.clusters[cluster];
    cluster.first_job..cluster.first_job + cluster.size
}

fn release(simulation: &mut Simulation, job: usize, action: Action, described: bool) -> Result<()> {
    let by = simulation.owner_name(simulation.jobs[job].cluster).to_owned();
    release_as(simulation, job, action, described, Releaser::Owner, &by)
}

/// Releases a job after an action, by `condor_release`.
pub(super) fn release_as(
    simulation: &mut Simulation,
    job: usize,
    action: Action,
    described: bool,
    releaser: Releaser,
    by: &str,
) -> Result<()> {
    let state = &simulation.jobs[job];
    let used = (state.memory_usage, state.disk_usage);
    let mut edits = edited(state.edits, action, used, state.last_site);
    if action == Action::Other {
        edits.described |= described;
    }
    let workflow = simulation.workflow(state.cluster);
    let asked = (workflow.request_memory, workflow.request_disk);
    // People ask for more than twice as much, or for less, or go by what was used.
    let dice = &mut simulation.chances.people;
    let generosity = dice.spread(Spread { median: 0.95, sigma: 0.25 });
    let raises = matches!(action, Action::Memory | Action::Disk);
    let needs = simulation.world.preset.needs.as_ref().filter(|_| raises);
    let (raised, share) = match (needs, action) {
        (None, _) => (false, 0.0),
        (Some(needs), Action::Disk) => (state.edits.request_disk > asked.1, needs.disk_by_use),
        (Some(needs), _) => (state.edits.request_memory > asked.0, needs.by_use),
    };
    // Who has raised before sees that it was too little.
    let generosity = if raised { generosity * AGAIN } else { generosity };
    let by_use = needs.is_some() && !raised && dice.chance(share);
    let scaled = |now: i64, then: i64, used: i64| match then > now {
        true if by_use => (used + used / 5).max(now + now / 10),
        true => ((then as f64 * generosity) as i64).max(now + now / 10),
        false => then,
    };
    let now = &state.edits;
    let edits = Edits {
        request_memory: scaled(now.request_memory, edits.request_memory, used.0),
        request_disk: scaled(now.request_disk, edits.request_disk, used.1),
        ..edits
    };
    let reason = format!("via condor_release (by user {by})");
    simulation.release(job, action, edits, releaser, &reason)
}

/// How many times as generous as the first a second raise is: assumed.
const AGAIN: f64 = 1.3;

/// What was corrected for the held jobs is corrected for the waiting ones too.
fn mend_waiting(simulation: &mut Simulation, cluster: usize, described: bool) {
    for job in jobs_of(simulation, cluster) {
        let state = &mut simulation.jobs[job];
        if state.status == Status::Idle {
            state.edits.corrected = true;
            state.edits.described |= described;
        }
    }
}

/// The owner releases what was submitted on hold or held by hand.
pub(crate) fn release_own(simulation: &mut Simulation, cluster: usize) -> Result<()> {
    for job in jobs_of(simulation, cluster) {
        if simulation.jobs[job].hold.is_some_and(|hold| hold.cause == Cause::Person) {
            simulation.share_chance(Purpose::OwnRelease, job, 0);
            release(simulation, job, Action::AsIs, false)?;
        }
    }
    Ok(())
}

/// The owner holds the jobs of a cluster that have not ended, and releases them later.
pub(crate) fn hold_own(simulation: &mut Simulation, cluster: usize) -> Result<()> {
    let mut any = false;
    for job in jobs_of(simulation, cluster) {
        if matches!(simulation.jobs[job].status, Status::Idle | Status::Running) {
            simulation.interrupt(job)?;
            simulation.hold_idle(job, Cause::Person, Symptom::User)?;
            any = true;
        }
    }
    if any {
        simulation.share_chance(Purpose::OwnHold, cluster, 0);
        let dice = &mut simulation.chances.people;
        let after = dice.seconds(Spread { median: 4.0 * 3_600.0, sigma: 1.0 });
        simulation.queue.push(simulation.now + after, Item::ReleaseOwn { cluster });
    }
    Ok(())
}
