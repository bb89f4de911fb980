//! Owners: what they submit, what they meet alone, how they take a hold.

use super::quota::EDQUOT;
use super::{Filesystem, Rhythm, Schedule, Workflow};
use crate::preset::Preset;
use crate::random::{Dice, Spread};

/// What owners choose from.
pub(crate) struct Scene<'a> {
    pub(crate) services: usize,
    pub(crate) filesystems: &'a [Filesystem],
}

#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) name: String,
    /// Share of the clusters.
    pub(crate) weight: f64,
    /// Where the jobs' files lie.
    pub(crate) filesystem: usize,
    pub(crate) home: String,
    /// When its quota of bytes is full, and the error number of writing then.
    pub(crate) quota: Schedule<i32>,
    /// The same of its quota of files.
    pub(crate) files: Schedule<i32>,
    /// The project whose space its files lie in.
    pub(crate) project: Option<usize>,
    pub(crate) credential: Schedule<()>,
    pub(crate) workflows: Vec<Workflow>,
    /// Hours until a hold is looked at.
    pub(crate) look: Spread,
    /// How often a hold is seen through.
    pub(crate) skill: f64,
    /// How often a hold that is not is released as it is.
    pub(crate) retry: f64,
    pub(crate) remove: f64,
}

const GIVEN: [&str; 40] = [
    "amara", "bjorn", "carla", "daniel", "elif", "farid", "grace", "hana", "ivan", "jun", "kofi",
    "lena", "mateo", "nadia", "oscar", "priya", "quinn", "rosa", "samir", "tove", "ursula",
    "viktor", "wanda", "xin", "yara", "zoltan", "anders", "bianca", "chidi", "dora", "emil",
    "fatima", "goran", "hiro", "ines", "jonas", "kaya", "luis", "mina", "noor",
];

impl Owner {
    pub(crate) fn draw(
        number: usize,
        preset: &Preset,
        scene: &Scene<'_>,
        span: (i64, i64),
        dice: &mut Dice,
    ) -> Self {
        let name = super::named(&GIVEN, number);
        let filesystem = if dice.chance(0.6) { 0 } else { dice.below(scene.filesystems.len()) };
        let home = format!("{}/{name}", scene.filesystems[filesystem].mount);
        let (owners, people) = (&preset.owners, &preset.people);
        let within = |dice: &mut Dice, [from, to]: [f64; 2]| from + (to - from) * dice.unit();
        let all_at_once = |days_between, hours| Rhythm { days_between, hours, grows: 0.0 };
        let quota = all_at_once(owners.quota_days, owners.quota_hours);
        let credential = all_at_once(owners.credential_days, owners.credential_hours);
        Self {
            weight: dice.spread(Spread { median: 1.0, sigma: 0.8 }),
            filesystem,
            quota: Schedule::draw(dice, span, quota, |dice| (EDQUOT, 0.6 + 0.4 * dice.unit())),
            files: Schedule::default(),
            project: None,
            credential: Schedule::draw(dice, span, credential, |_| ((), 1.0)),
            workflows: (0..1 + dice.below(owners.workflows * 2 - 1))
                .map(|_| Workflow::draw(preset, scene, dice))
                .collect(),
            look: Spread {
                median: people.look_hours.median * dice.spread(Spread { median: 1.0, sigma: 0.7 }),
                sigma: people.look_hours.sigma,
            },
            skill: within(dice, people.skill),
            retry: within(dice, people.retry),
            remove: within(dice, people.remove),
            home,
            name,
        }
    }
}
