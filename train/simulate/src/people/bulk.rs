//! Facilitators release in bulk after an outage, going by code and server: not by the hidden cause.

use super::look::release_as;
use crate::SimulateError;
use crate::cause::Symptom;
use crate::engine::{HoldNow, Item, Simulation};
use crate::truth::{Action, Releaser};

/// Plans who releases after which outage, and who does too early.
pub(crate) fn plan_bulk_releases(simulation: &mut Simulation) {
    let p = simulation.world.preset.access_point.clone();
    let mut planned = Vec::new();
    let dice = &mut simulation.chances.people;
    let mut plan = |start: i64, end: i64, item: &dyn Fn(bool) -> Item| {
        if !dice.chance(p.facilitator) {
            return;
        }
        if dice.chance(p.facilitator_too_early) {
            planned.push((start + (end - start) / 2, item(true)));
        }
        let after = (dice.spread(p.facilitator_hours) * 3_600.0) as i64;
        planned.push((end + after, item(false)));
    };
    for (service, server) in simulation.world.services.iter().enumerate() {
        for trouble in server.faults.iter() {
            plan(trouble.start, trouble.end, &|early| Item::Bulk { service, early });
        }
    }
    for (filesystem, mount) in simulation.world.filesystems.iter().enumerate() {
        for trouble in mount.faults.iter() {
            plan(trouble.start, trouble.end, &|early| Item::BulkFilesystem { filesystem, early });
        }
    }
    for (time, item) in planned {
        simulation.queue.push(time, item);
    }
}

/// All jobs held by transfers from or to a service.
pub(crate) fn bulk(
    simulation: &mut Simulation,
    service: usize,
    early: bool,
) -> Result<(), SimulateError> {
    let item = Item::Bulk { service, early };
    release_all(simulation, early, item, &|simulation, job, hold| {
        let workflow = simulation.workflow(simulation.jobs[job].cluster);
        match hold.symptom {
            Symptom::FetchUrl { item, .. } => {
                workflow.input_services.get(usize::from(item)) == Some(&service)
            }
            Symptom::PutUrl { .. } => workflow.output_service == Some(service),
            _ => false,
        }
    })
}

/// All jobs whose files lie on a file system and that could not be read or written there.
pub(crate) fn bulk_filesystem(
    simulation: &mut Simulation,
    filesystem: usize,
    early: bool,
) -> Result<(), SimulateError> {
    let item = Item::BulkFilesystem { filesystem, early };
    release_all(simulation, early, item, &|simulation, job, hold| {
        let cluster = &simulation.clusters[simulation.jobs[job].cluster];
        simulation.world.owners[cluster.owner].filesystem == filesystem
            && matches!(
                hold.symptom,
                Symptom::ReadInput { .. }
                    | Symptom::WriteOutput { .. }
                    | Symptom::Iwd { .. }
                    | Symptom::USER_LOG
                    | Symptom::Stdout { .. }
            )
    })
}

/// Releases what is wanted, or a few first: then `item` is planned, for the rest once these have shown what comes of it.
fn release_all(
    simulation: &mut Simulation,
    early: bool,
    item: Item,
    wanted: &dyn Fn(&Simulation, usize, &HoldNow) -> bool,
) -> Result<(), SimulateError> {
    // Too early, only what is held for long is released.
    let since = simulation.now - if early { 1_200 } else { 14 * 86_400 };
    let jobs: Vec<usize> = simulation
        .held
        .iter()
        .filter(|&job| {
            let state = &simulation.jobs[job];
            (if early { state.entered <= since } else { state.entered >= since })
                && state.hold.is_some_and(|hold| wanted(simulation, job, &hold))
        })
        .collect();
    let tries = jobs.len() > TRIED_FIRST && simulation.chances.people.chance(TRIES_A_FEW);
    let count = if tries { TRIED_FIRST } else { jobs.len() };
    for &job in &jobs[..count] {
        release_as(simulation, job, Action::AsIs, false, Releaser::Facilitator, "condor-admin")?;
    }
    if tries {
        let hours = simulation.world.preset.access_point.facilitator_hours;
        let after = (simulation.chances.people.spread(hours) * 3_600.0) as i64;
        simulation.queue.push(simulation.now + after.max(60), item);
    }
    Ok(())
}

/// Jobs that are released first, where a facilitator tries a few: assumed.
const TRIED_FIRST: usize = 2;

/// How often a facilitator does: assumed.
const TRIES_A_FEW: f64 = 0.6;
