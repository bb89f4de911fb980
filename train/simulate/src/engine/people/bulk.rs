//! Facilitators release in bulk after an outage, going by code and server: not by the hidden cause.

use super::look::release_as;
use crate::cause::Symptom;
use crate::engine::{HoldNow, Item, Outage, Simulation};
use crate::error::Result;
use crate::life::ENFILE;
use crate::truth::{Action, Releaser};

/// Plans who releases after which outage, and who does too early.
pub(crate) fn plan_bulk_releases(simulation: &mut Simulation) {
    let p = simulation.world.preset.access_point.clone();
    let mut planned = Vec::new();
    let dice = &mut simulation.chances.people;
    let mut plan = |start: i64, end: i64, place: Outage| {
        if !dice.chance(p.facilitator) {
            return;
        }
        if dice.chance(p.facilitator_too_early) {
            planned.push((start + (end - start) / 2, Item::Bulk { place, early: true }));
        }
        let after = (dice.spread(p.facilitator_hours) * 3_600.0) as i64;
        planned.push((end + after, Item::Bulk { place, early: false }));
    };
    for (service, server) in simulation.world.services.iter().enumerate() {
        for trouble in server.faults.iter() {
            plan(trouble.start, trouble.end, Outage::Service(service));
        }
    }
    for (filesystem, mount) in simulation.world.filesystems.iter().enumerate() {
        for trouble in mount.faults.iter() {
            plan(trouble.start, trouble.end, Outage::Filesystem(filesystem));
        }
    }
    for trouble in simulation.world.overload.iter() {
        plan(trouble.start, trouble.end, Outage::AccessPoint);
    }
    for (time, item) in planned {
        simulation.queue.push(time, item);
    }
}

/// A job held by a transfer from or to a service, or because its files could not be read or written
/// on a file system.
fn is_held_by(simulation: &Simulation, job: usize, hold: &HoldNow, place: Outage) -> bool {
    let cluster = simulation.jobs[job].cluster;
    match (place, hold.symptom) {
        (Outage::Service(service), Symptom::FetchUrl { item, .. }) => {
            let services = &simulation.workflow(cluster).input_services;
            services.get(usize::from(item)) == Some(&service)
        }
        (Outage::Service(service), Symptom::PutUrl { .. }) => {
            simulation.workflow(cluster).output_service == Some(service)
        }
        (
            Outage::Filesystem(filesystem),
            Symptom::ReadInput { .. }
            | Symptom::WriteOutput { .. }
            | Symptom::Iwd { .. }
            | Symptom::USER_LOG
            | Symptom::Stdout { .. },
        ) => simulation.world.owners[simulation.clusters[cluster].owner].filesystem == filesystem,
        // The events of any owner's jobs say so alike.
        (Outage::AccessPoint, Symptom::TransferLost { .. } | Symptom::Protocol { .. }) => true,
        (
            Outage::AccessPoint,
            Symptom::ReadInput { errno: ENFILE, .. } | Symptom::WriteOutput { errno: ENFILE },
        ) => true,
        _ => false,
    }
}

/// Releases what was held by an outage, or a few first: then it is planned again, for the rest once
/// these have shown what comes of it.
pub(crate) fn bulk(simulation: &mut Simulation, place: Outage, early: bool) -> Result<()> {
    // Too early, only what is held for long is released.
    let since = simulation.now - if early { 1_200 } else { 14 * 86_400 };
    let jobs: Vec<usize> = simulation
        .held
        .iter()
        .filter(|&job| {
            let state = &simulation.jobs[job];
            (if early { state.entered <= since } else { state.entered >= since })
                && state.hold.is_some_and(|hold| is_held_by(simulation, job, &hold, place))
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
        simulation.queue.push(simulation.now + after.max(60), Item::Bulk { place, early });
    }
    Ok(())
}

/// Jobs that are released first, where a facilitator tries a few: assumed.
const TRIED_FIRST: usize = 2;

/// How often a facilitator does: assumed.
const TRIES_A_FEW: f64 = 0.6;
