//! What an owner does about a group of like holds.

use crate::cause::{Cause, Symptom};
use crate::engine::Simulation;
use crate::truth::Action;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Decision {
    /// Release after this; `described`: the mend shows in the ad.
    Release {
        action: Action,
        described: bool,
    },
    /// Look again in so many hours.
    Wait {
        hours: f64,
    },
    Remove,
    /// Never look at these again.
    Forget,
}

const AS_IS: Decision = Decision::Release { action: Action::AsIs, described: false };

/// Decides about holds of one code and subcode in one cluster, of which `job` is one.
pub(super) fn decide(simulation: &mut Simulation, job: usize, looks: u32) -> Decision {
    let state = &simulation.jobs[job];
    let Some(hold) = state.hold else { return Decision::Forget };
    let owner = &simulation.world.owners[simulation.clusters[state.cluster].owner];
    let (skill, retry, remove) = (owner.skill, owner.retry, owner.remove);
    let tries = state.tries;
    let goes_on = still_going_on(simulation, job, hold.cause);
    let again = match hold.symptom {
        Symptom::Memory { by, .. } | Symptom::Disk { by, .. } => by.is_policy(),
        _ => false,
    };
    let mend = simulation.world.preset.people.mend;
    let cluster = &simulation.clusters[state.cluster];
    let (is_fixed, will_be_fixed) = (cluster.is_fixed(simulation.now), cluster.fixed_at.is_some());
    let dice = &mut simulation.chances.people;
    if looks > 8 {
        return if dice.chance(0.6) { Decision::Remove } else { Decision::Forget };
    }
    if dice.chance(skill) {
        return match hold.cause {
            Cause::MemoryVaries | Cause::DiskVaries if !again && dice.chance(0.35) => AS_IS,
            Cause::MemoryTooSmall | Cause::MemoryVaries => edit(Action::Memory),
            Cause::DiskTooSmall | Cause::DiskVaries => edit(Action::Disk),
            Cause::Firewall | Cause::SiteLacksSoftware | Cause::SlowSite | Cause::BadHost => {
                if dice.chance(0.4) { edit(Action::Site) } else { AS_IS }
            }
            cause if cause.is_transient() => {
                if !goes_on || dice.chance(0.2) {
                    AS_IS
                } else {
                    Decision::Wait { hours: 0.5 + 6.0 * dice.unit() }
                }
            }
            // Who has it put right by somebody else asks whether it is.
            _ if is_fixed => AS_IS,
            _ if will_be_fixed && dice.chance(0.5) => {
                Decision::Wait { hours: 2.0 + 20.0 * dice.unit() }
            }
            _ if dice.chance(mend) => {
                Decision::Release { action: Action::Other, described: dice.chance(0.5) }
            }
            _ => Decision::Remove,
        };
    }
    // By habit: the reason is read, its cause is not known.
    let patience = 0.6_f64.powi(i32::try_from(tries).unwrap_or(8));
    let edits = match hold.symptom {
        Symptom::Memory { .. } => Some((Action::Memory, 0.45)),
        Symptom::Disk { .. } => Some((Action::Disk, 0.45)),
        Symptom::ReadInput { .. } | Symptom::Iwd { .. } | Symptom::Execute { .. } => {
            Some((Action::Other, 0.15))
        }
        Symptom::ExitHold { .. } | Symptom::MissingOutput => Some((Action::Other, 0.1)),
        _ => None,
    };
    if let Some((action, share)) = edits
        && dice.chance(share)
    {
        return Decision::Release { action, described: dice.chance(0.5) };
    }
    if dice.chance(retry * patience) {
        return AS_IS;
    }
    if dice.chance(remove + 0.15 * f64::from(tries)) {
        return Decision::Remove;
    }
    Decision::Wait { hours: 2.0 + 20.0 * dice.unit() }
}

fn edit(action: Action) -> Decision {
    Decision::Release { action, described: false }
}

/// Whether what held the job is in trouble now.
pub(crate) fn still_going_on(simulation: &Simulation, job: usize, cause: Cause) -> bool {
    let (world, now) = (&simulation.world, simulation.now);
    let state = &simulation.jobs[job];
    let cluster = &simulation.clusters[state.cluster];
    let owner = &world.owners[cluster.owner];
    let workflow = &owner.workflows[cluster.workflow];
    let site = state.last_site.map(|site| &world.sites[site]);
    match cause {
        Cause::ServiceOutage => workflow
            .input_services
            .iter()
            .chain(&workflow.output_service)
            .any(|&service| world.services[service].faults.at(now).is_some()),
        Cause::FilesystemOutage => world.filesystems[owner.filesystem].faults.at(now).is_some(),
        Cause::QuotaFull => world.quotas(owner).any(|quota| quota.at(now).is_some()),
        Cause::AccessPointOverloaded => world.overload.at(now).is_some(),
        Cause::CredentialExpired => owner.credential.at(now).is_some(),
        Cause::NotYetProduced => {
            !cluster.is_fixed(now) && simulation.ready(job).is_none_or(|ready| now < ready)
        }
        Cause::SiteNetworkOutage => site.is_some_and(|site| site.network.at(now).is_some()),
        Cause::SiteSoftwareOutage => site.is_some_and(|site| site.software.at(now).is_some()),
        Cause::RuntimeService => workflow
            .runtime_service
            .is_some_and(|service| world.runtime_services[service].at(now).is_some()),
        Cause::RegistryOutage => world.registries.iter().any(|registry| registry.at(now).is_some()),
        _ => false,
    }
}
