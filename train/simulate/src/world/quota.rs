//! Quotas: of an owner's bytes and files, and of a project's space that several owners share.

use super::{Owner, Rhythm, Schedule};
use crate::preset::Preset;
use crate::random::Dice;

/// "Disk quota exceeded": what a file system says of most quotas.
pub(super) const EDQUOT: i32 = 122;

/// "No space left on device": what XFS says of the quota of a directory (xfs_quota(8), project).
const ENOSPC: i32 = 28;

const PROJECTS: [&str; 12] = [
    "astro",
    "biostat",
    "chem",
    "climate",
    "genomics",
    "hep",
    "imaging",
    "materials",
    "neuro",
    "optics",
    "robotics",
    "seismo",
];

/// Draws when the quotas of files are full and makes some owners members of projects; returns when
/// those of the projects are full.
pub(super) fn draw(
    preset: &Preset,
    owners: &mut [Owner],
    span: (i64, i64),
    dice: &mut Dice,
) -> Vec<Schedule<i32>> {
    let Some(p) = &preset.quotas else { return Vec::new() };
    let full = |dice: &mut Dice, days_between, hours, errno| {
        let rhythm = Rhythm { days_between, hours, grows: 0.0 };
        Schedule::draw(dice, span, rhythm, |dice| (errno, 0.6 + 0.4 * dice.unit()))
    };
    let projects = (0..p.projects).map(|_| {
        let errno = if dice.chance(p.no_space) { ENOSPC } else { EDQUOT };
        full(dice, p.project_days, p.project_hours, errno)
    });
    let projects: Vec<_> = projects.collect();
    for owner in owners {
        owner.files = full(dice, p.files_days, p.files_hours, EDQUOT);
        if !dice.chance(p.members) {
            continue;
        }
        let project = dice.below(p.projects);
        owner.project = Some(project);
        if let Some((mount, name)) = owner.home.rsplit_once('/') {
            owner.home = format!("{mount}/{}/{name}", super::named(&PROJECTS, project));
        }
    }
    projects
}
