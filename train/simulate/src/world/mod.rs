//! What jobs meet: sites, servers, file systems, owners. Drawn before the first job is submitted;
//! nothing jobs do changes it, so the truth at any instant is known.
//!
//! - `clock`: how long an hour of the preset takes.
//! - `owner`: what owners submit and how they take a hold.
//! - `quota`: quotas of owners and projects.
//! - `schedule`: when something is in trouble.
//! - `service`: file servers and other services.
//! - `site`: sites and their hosts.
//! - `workflow`: a kind of cluster that is submitted again and again.

mod clock;
mod owner;
mod quota;
mod schedule;
mod service;
mod site;
mod workflow;

pub(crate) use clock::Clock;
pub(crate) use owner::Owner;
pub(crate) use schedule::{Rhythm, Schedule};
pub(crate) use service::{Filesystem, Service};
pub(crate) use site::{Host, HostFault, Site};
pub(crate) use workflow::{Container, Failure, Limit, Workflow};

use crate::preset::Preset;
use crate::random::Dice;

/// A name for a thing with a number; a number follows it where the list is at its end.
fn named(names: &[&str], number: usize) -> String {
    let name = names[number % names.len()];
    match number / names.len() {
        0 => name.to_owned(),
        round => format!("{name}{}", round + 1),
    }
}

/// Stream of chance of what layers add to the world; those of a simulation have low numbers.
const LAYER_STREAM: u64 = 10;

/// Everything outside the jobs.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) preset: Preset,
    /// Unix seconds of the first and the last instant.
    pub(crate) span: (i64, i64),
    pub(crate) sites: Vec<Site>,
    /// Slots of the sites up to and with each.
    pub(crate) slots: Vec<usize>,
    pub(crate) services: Vec<Service>,
    pub(crate) filesystems: Vec<Filesystem>,
    /// Registries of container images.
    pub(crate) registries: Vec<Schedule<()>>,
    /// Licence servers and databases that programs talk to.
    pub(crate) runtime_services: Vec<Schedule<()>>,
    pub(crate) owners: Vec<Owner>,
    /// When the quota of a project is full, and the error number of writing then.
    pub(crate) projects: Vec<Schedule<i32>>,
    /// When the access point is overloaded.
    pub(crate) overload: Schedule<()>,
    /// HTCondor version of the access point before and after its upgrade.
    pub(crate) upgrade: i64,
    pub(crate) address: String,
    /// What its clock shows.
    pub(crate) clock: Clock,
}

impl World {
    pub(crate) fn draw(preset: Preset, seed: u64, span: (i64, i64)) -> Self {
        let mut dice = Dice::new(seed, 1);
        let mut services: Vec<Service> = (0..preset.services.count)
            .map(|number| Service::draw(number, &preset.services, span, &mut dice))
            .collect();
        let mut servers: Vec<_> = services.iter_mut().map(|service| &mut service.faults).collect();
        schedule::spread(&mut servers, preset.services.spreads, &mut dice);
        let mut sites: Vec<Site> = (0..preset.sites.count)
            .map(|number| Site::draw(number, &preset, span, &mut dice))
            .collect();
        let mut networks: Vec<_> = sites.iter_mut().map(|site| &mut site.network).collect();
        schedule::spread(&mut networks, preset.sites.spreads, &mut dice);
        let mut software: Vec<_> = sites.iter_mut().map(|site| &mut site.software).collect();
        schedule::spread(&mut software, preset.sites.spreads, &mut dice);
        let filesystems: Vec<Filesystem> = (0..preset.filesystems.count)
            .map(|number| Filesystem::draw(number, &preset.filesystems, span, &mut dice))
            .collect();
        // Registries and what programs talk to fail as file servers do.
        let p = &preset.services;
        let rhythm = Rhythm { days_between: p.days_between, hours: p.hours, grows: p.grows };
        let registries: Vec<_> = (0..2).map(|_| service::plain(rhythm, span, &mut dice)).collect();
        let runtime_services: Vec<_> =
            (0..4).map(|_| service::plain(rhythm, span, &mut dice)).collect();
        let mut owners: Vec<Owner> = (0..preset.owners.count)
            .map(|number| {
                let scene = owner::Scene { services: services.len(), filesystems: &filesystems };
                Owner::draw(number, &preset, &scene, span, &mut dice)
            })
            .collect();
        let upgrade = span.0 + ((span.1 - span.0) as f64 * (0.3 + 0.4 * dice.unit())) as i64;
        let address = format!("10.8.{}.{}", dice.between(1, 200), dice.between(2, 250));
        let mut dice = Dice::new(seed, LAYER_STREAM);
        let projects = quota::draw(&preset, &mut owners, span, &mut dice);
        let overload = preset.overload.as_ref().map(|p| {
            let rhythm = Rhythm { days_between: p.days_between, hours: p.hours, grows: p.grows };
            let [from, to] = p.fails;
            Schedule::draw(&mut dice, span, rhythm, |dice| ((), from + (to - from) * dice.unit()))
        });
        let mut all = 0;
        let up_to = |site: &Site| {
            all += site.slots();
            all
        };
        let slots = sites.iter().map(up_to).collect();
        Self {
            clock: Clock::new(span.0, preset.unit),
            preset,
            span,
            slots,
            sites,
            services,
            filesystems,
            registries,
            runtime_services,
            owners,
            projects,
            overload: overload.unwrap_or_default(),
            upgrade,
            address,
        }
    }

    /// The quotas that an owner's files count against.
    pub(crate) fn quotas<'a>(
        &'a self,
        owner: &'a Owner,
    ) -> impl Iterator<Item = &'a Schedule<i32>> {
        let project = owner.project.map(|project| &self.projects[project]);
        [&owner.quota, &owner.files].into_iter().chain(project)
    }

    /// Full name of the access point.
    pub(crate) fn access_point(&self) -> String {
        let point = &self.preset.access_point;
        format!("{}.{}", point.host, point.domain)
    }
}
