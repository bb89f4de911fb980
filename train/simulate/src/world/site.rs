//! Sites and their hosts.

use super::{Rhythm, Schedule};
use crate::cause::Enforcement;
use crate::preset::{Preset, SiteParameters};
use crate::random::{Dice, Spread};

/// What can be wrong with one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostFault {
    /// Its scratch disk is full.
    DiskFull,
    /// Programs fail on it, at once.
    KillsPrograms,
    /// Containers do not start.
    Containers,
    /// Transfer plug-ins are not installed.
    NoPlugin,
    /// Its clock is wrong: certificates do not verify.
    Clock,
    /// Its scratch disk is mounted without execution.
    NoExecution,
    /// It lacks interpreters.
    NoInterpreter,
    /// The starter itself fails: event 007.
    Starter,
    /// Programs hang on it.
    Hangs,
}

#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) address: String,
    /// Address of its startd up to the number in its socket's name.
    pub(crate) startd: String,
    pub(crate) faults: Schedule<HostFault>,
}

#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// As in `GLIDEIN_Site`.
    pub(crate) name: String,
    pub(crate) hosts: Vec<Host>,
    pub(crate) slots_per_host: usize,
    /// Run times are divided by it.
    pub(crate) speed: f64,
    /// Pilots: slot names carry `glidein_N_N`, the scratch directory is the batch system's.
    pub(crate) glidein: bool,
    pub(crate) scratch: String,
    pub(crate) preemptions_per_hour: f64,
    /// One bit for each piece of software that it lacks.
    pub(crate) lacks: u32,
    /// Not X86_64.
    pub(crate) other_architecture: bool,
    pub(crate) memory: Option<Enforcement>,
    pub(crate) disk: Option<Enforcement>,
    /// Slots have this many times the memory asked for.
    pub(crate) memory_margin: f64,
    /// Run time that the site allows, h.
    pub(crate) longest_hours: Option<i64>,
    pub(crate) network: Schedule<()>,
    pub(crate) software: Schedule<()>,
    /// One bit for each service that it never reaches.
    pub(crate) walled: u64,
}

/// Pieces of software that clusters may need.
pub(crate) const SOFTWARE: usize = 12;

const NAMES: [&str; 24] = [
    "Lakeside",
    "Hilltop",
    "Riverbend",
    "Northfield",
    "Stonebridge",
    "Clearwater",
    "Fairview",
    "Eastgate",
    "Maplewood",
    "Redrock",
    "Silverton",
    "Greenfield",
    "Westbrook",
    "Oakmont",
    "Highland",
    "Brookside",
    "Sunnyvale",
    "Pinecrest",
    "Ashford",
    "Kingsport",
    "Millbrook",
    "Harborview",
    "Elmwood",
    "Crestview",
];

/// Host names as batch systems have them; `{}` is a number.
const HOSTS: [&str; 8] =
    ["e{}", "node{}", "c{}-12", "gpu{}", "wn-{}", "compute-0-{}", "spark-a{}", "exp-3-{}"];

const SCRATCH: [&str; 5] = [
    "/var/lib/condor/execute",
    "/srv/condor/execute",
    "/pool/condor",
    "/scratch/local/condor/execute",
    "/tmp/glide_x7Tq2V/execute",
];

impl Site {
    pub(crate) fn draw(number: usize, preset: &Preset, span: (i64, i64), dice: &mut Dice) -> Self {
        let (p, services) = (&preset.sites, preset.services.count);
        let hangs = preset.hung.as_ref().map_or(0.0, |hung| hung.hosts);
        let name = super::named(&NAMES, number);
        let domain =
            format!("{}.example.{}", name.to_lowercase(), ["edu", "org", "net"][number % 3]);
        let pattern = *dice.pick(&HOSTS);
        let first = dice.between(1, 400);
        let count = (dice.spread(p.hosts) as i64).clamp(2, 2_000);
        let subnet = format!("10.{}.{}", dice.between(0, 250), dice.between(0, 250));
        let hosts = (0..count)
            .map(|index| {
                let host = pattern.replace("{}", &format!("{:03}", first + index));
                let name = if dice.chance(0.85) { format!("{host}.{domain}") } else { host };
                let address = format!("{subnet}.{}", index % 250 + 2);
                let plain = address.replace('.', "-");
                let startd = format!(
                    "<{address}:9618?addrs={plain}-9618&alias={name}&noUDP&sock=startd_2204_"
                );
                Host { name, address, startd, faults: faults(p, hangs, span, dice) }
            })
            .collect();
        let glidein = dice.chance(0.5);
        let grows = p.grows;
        let network = Rhythm { days_between: p.network_days, hours: p.network_hours, grows };
        let software = Rhythm { days_between: p.software_days, hours: p.software_hours, grows };
        Self {
            name,
            hosts,
            slots_per_host: p.slots_per_host,
            speed: dice.spread(Spread { median: 1.0, sigma: p.speed_sigma }),
            glidein,
            scratch: (*dice.pick(&SCRATCH)).to_owned(),
            preemptions_per_hour: p.preemptions_per_hour
                * dice.spread(Spread { median: 0.7, sigma: 0.8 }),
            lacks: (0..SOFTWARE)
                .filter(|_| dice.chance(p.lacks_software))
                .fold(0, |bits, bit| bits | 1 << bit),
            other_architecture: number > 0 && dice.chance(0.03),
            memory: *dice.pick(&[
                Some(Enforcement::Cgroup),
                Some(Enforcement::Cgroup),
                Some(Enforcement::CgroupOld),
                Some(Enforcement::StartdPolicy),
                None,
            ]),
            disk: *dice.pick(&[
                Some(Enforcement::Cgroup),
                Some(Enforcement::StartdPolicy),
                Some(Enforcement::StartdPolicy),
                None,
            ]),
            memory_margin: match *dice.pick(&[1.0, 1.0, 1.0, 1.25, 1.5]) {
                more if more > 1.0
                    && let Some(needs) = &preset.needs
                    && dice.chance(needs.exact) =>
                {
                    1.0
                }
                margin => margin,
            },
            longest_hours: dice.chance(0.4).then(|| *dice.pick(&[24, 48, 72])),
            network: Schedule::draw(dice, span, network, |dice| ((), 0.2 + 0.6 * dice.unit())),
            software: Schedule::draw(dice, span, software, |dice| ((), 0.4 + 0.6 * dice.unit())),
            walled: (0..services)
                .filter(|_| dice.chance(p.firewall))
                .fold(0, |bits, bit| bits | 1 << bit),
        }
    }

    pub(crate) fn slots(&self) -> usize {
        self.hosts.len() * self.slots_per_host
    }
}

fn faults(
    p: &SiteParameters,
    hangs: f64,
    span: (i64, i64),
    dice: &mut Dice,
) -> Schedule<HostFault> {
    let kinds = [
        (HostFault::DiskFull, 2.0),
        (HostFault::KillsPrograms, 4.0),
        (HostFault::Containers, 1.5),
        (HostFault::NoPlugin, 1.0),
        (HostFault::Clock, 0.7),
        (HostFault::NoExecution, 0.7),
        (HostFault::NoInterpreter, 1.5),
        (HostFault::Starter, 1.5),
        (HostFault::Hangs, hangs),
    ];
    let rhythm = Rhythm { days_between: p.bad_host_days, hours: p.bad_host_hours, grows: 0.0 };
    Schedule::draw(dice, span, rhythm, |dice| {
        let (kind, _) = kinds[dice.weighted(kinds.iter().map(|(_, weight)| *weight))];
        (kind, 0.7 + 0.3 * dice.unit())
    })
}
