//! Logs written in another time zone than the one they are read in.
//!
//! Logs hold local times without their zone. The ad says in Unix seconds when a hold began, so that
//! the two differ by quarters of an hour where the zone is wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

use crate::history::{HistoryBuilder, HoldInQueue, OpenHold, QUARTER, SAME_HOLD, quarters};
use crate::queue::{QueueJob, display_path};
use crate::text::plural;
use eventlog::{JobId, ReadOptions, system_zone};

/// Seconds from UTC of the zone farthest from it (Pacific/Kiritimati). No larger difference is
/// taken for one of zones.
const FARTHEST: i64 = 14 * 3_600;

/// The zone that a log was written in, where TZ names another.
#[derive(Clone, Debug)]
pub(super) struct Zone {
    pub(super) zone: TimeZone,
    /// A line that says so.
    pub(super) note: Arc<str>,
    /// The held jobs that showed it.
    pub(super) jobs: Vec<JobId>,
}

/// A job whose ad and log tell of one hold.
#[derive(Debug)]
struct Pair {
    job: JobId,
    owner: String,
    /// When the log says that it began, Unix seconds.
    at: i64,
    /// Seconds by which that is later than EnteredCurrentStatus.
    apart: i64,
}

impl Zone {
    /// Compares the log that `history` read last with the ads of held jobs, of `owners` alone where
    /// these are given. `again` reads it once more.
    pub(super) fn find(
        history: &HistoryBuilder,
        log: &Path,
        held: &[QueueJob],
        owners: Option<&BTreeSet<String>>,
        now: i64,
        again: impl Fn(&mut HistoryBuilder, &ReadOptions) -> bool,
    ) -> Option<Self> {
        let pairs = pairs(history, held, owners);
        let shift = shift(&pairs)?;
        let at = pairs.iter().rev().find(|pair| quarters(pair.apart) == Some(shift / QUARTER))?.at;
        let read_at = system_zone().to_offset(Timestamp::from_second(at).ok()?);
        let written_at = i64::from(read_at.seconds()) + shift;
        if written_at.abs() > FARTHEST {
            return None;
        }
        let offset = Offset::from_seconds(i32::try_from(written_at).ok()?).ok()?;
        let zone = TimeZone::fixed(offset);
        let mut second = HistoryBuilder::new();
        if !again(&mut second, &ReadOptions::in_zone(zone.clone())) {
            return None;
        }
        // Times that name their zone stay where they were.
        if agreed(&self::pairs(&second, held, owners)) != Some(0) {
            return None;
        }
        if pairs.len() == 1 && second.end_of_newest().is_some_and(|end| end > now + SAME_HOLD) {
            return None;
        }
        let note = format!(
            "{}: its times are {} {} EnteredCurrentStatus; it was read as written at UTC{} (TZ \
             names another zone)",
            log.display(),
            length(shift.abs()),
            if shift > 0 { "ahead of" } else { "behind" },
            from_utc(written_at),
        );
        let jobs = pairs.iter().map(|pair| pair.job).collect();
        Some(Self { zone, note: note.into(), jobs })
    }
}

/// A log whose newest events are so many seconds ahead of `now`, a line.
pub(super) fn ahead(log: &Path, now: i64, ahead: i64) -> String {
    let here = Timestamp::from_second(now)
        .map_or(0, |now| i64::from(system_zone().to_offset(now).seconds()));
    let quarters = ahead.saturating_add(QUARTER - 1) / QUARTER;
    let there = here.saturating_add(quarters.saturating_mul(QUARTER));
    let what = if there <= FARTHEST {
        format!(
            "was it written in another time zone, at UTC{} or east of it? Then name that zone: TZ=Area/City \
             condor_holdadvise ...",
            from_utc(there)
        )
    } else {
        "that is more than time zones differ: is the clock of this machine right? -now SECONDS judges as of another \
         time"
            .to_owned()
    };
    format!(
        "{}: its newest events are {} in the future and are left out; {what}",
        display_path(log),
        length(ahead)
    )
}

fn pairs(
    history: &HistoryBuilder,
    held: &[QueueJob],
    owners: Option<&BTreeSet<String>>,
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for job in held {
        let Some(OpenHold { at, hold, count }) = history.open_hold(job.id) else { continue };
        let ad = job.ad.to_classad();
        let owner = ad.string("Owner").unwrap_or_default();
        if owners.is_some_and(|owners| !owners.contains(&*owner)) {
            continue;
        }
        let Some(of_ad) = HoldInQueue::of(&ad) else { continue };
        let since = of_ad.entered_current_status;
        if since <= 0 || (hold.code, hold.subcode) != (of_ad.code, of_ad.subcode) {
            continue;
        }
        let apart = at.saturating_sub(since);
        // The log may lack the hold of the ad: it is a copy from before, or begins too late to
        // tell.
        let is_earlier = of_ad.num_holds.is_some_and(|holds| holds > count);
        if apart.abs() <= SAME_HOLD || !is_earlier {
            pairs.push(Pair { job: job.id, owner: owner.to_string(), at, apart });
        }
    }
    pairs
}

/// Seconds by which the log is ahead, where it was written in another zone.
fn shift(pairs: &[Pair]) -> Option<i64> {
    agreed(pairs).filter(|&shift| shift != 0 && shift.abs() <= FARTHEST)
}

/// Seconds, in quarters of an hour, by which nearly all owners' pairs are apart. Owners count
/// alike, however many jobs they have: they can edit EnteredCurrentStatus.
fn agreed(pairs: &[Pair]) -> Option<i64> {
    let mut of_owner: BTreeMap<&str, Vec<Option<i64>>> = BTreeMap::new();
    for pair in pairs {
        of_owner.entry(&pair.owner).or_default().push(quarters(pair.apart));
    }
    let owners: Vec<Option<i64>> = of_owner.values().map(|votes| nearly_all(votes)).collect();
    nearly_all(&owners).map(|quarters| quarters * QUARTER)
}

/// What at least 80 % say.
fn nearly_all(votes: &[Option<i64>]) -> Option<i64> {
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for vote in votes.iter().flatten() {
        *counts.entry(*vote).or_default() += 1;
    }
    let (vote, count) = counts.into_iter().max_by_key(|&(_, count)| count)?;
    (count * 5 >= votes.len() * 4).then_some(vote)
}

fn length(seconds: i64) -> String {
    let [hours, minutes] =
        [seconds / 3_600, seconds % 3_600 / 60].map(|part| usize::try_from(part).unwrap_or(0));
    match (hours, minutes) {
        (0, _) => plural(minutes, "minute"),
        (_, 0) => plural(hours, "hour"),
        _ => format!("{} {}", plural(hours, "hour"), plural(minutes, "minute")),
    }
}

/// `+05:30`
fn from_utc(seconds: i64) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(pairs: &[(&str, i64)]) -> Option<i64> {
        let pair = |&(owner, apart): &(&str, i64)| Pair {
            job: JobId::new(1, 0),
            owner: owner.to_owned(),
            at: apart,
            apart,
        };
        shift(&pairs.iter().map(pair).collect::<Vec<_>>())
    }

    fn of_one(apart: &[i64]) -> Option<i64> {
        of(&apart.iter().map(|&apart| ("alice", apart)).collect::<Vec<_>>())
    }

    #[test]
    fn nearly_all_must_say_the_same() {
        assert_eq!(of_one(&[]), None);
        assert_eq!(of_one(&[0, 60]), None);
        assert_eq!(of_one(&[7_200]), Some(7_200));
        assert_eq!(of_one(&[-21_600, -21_490, -21_710]), Some(-21_600));
        assert_eq!(of_one(&[19_800, 19_800, 19_800, 19_800, 77]), Some(19_800));
        assert_eq!(of_one(&[19_800, 19_800, 19_800, 77]), None);
        assert_eq!(of_one(&[7_200 + 121]), None);
        assert_eq!(of_one(&[14 * 3_600 + 900]), None);
        // Both sides of a change to daylight-saving time.
        assert_eq!(of_one(&[18_000, 18_000, 21_600, 21_600]), None);
    }

    #[test]
    fn many_jobs_of_one_owner_count_once() {
        let mut pairs = vec![("mallory", 3_600); 100];
        assert_eq!(of(&pairs), Some(3_600));
        pairs.push(("alice", 3));
        assert_eq!(of(&pairs), None);
    }

    #[test]
    fn lengths_are_words() {
        assert_eq!(length(7_200), "2 hours");
        assert_eq!(length(19_800), "5 hours 30 minutes");
        assert_eq!(length(900), "15 minutes");
        assert_eq!((from_utc(-12_600), from_utc(0)), ("-03:30".to_owned(), "+00:00".to_owned()));
    }

    proptest! {
        #[test]
        fn never_for_what_is_farther_apart(
            apart in prop::collection::vec(-60_000_i64..60_000, 2..5),
        ) {
            let spread = apart.iter().max().unwrap() - apart.iter().min().unwrap();
            if spread > 2 * SAME_HOLD {
                prop_assert_eq!(of_one(&apart), None);
            }
        }

        #[test]
        fn nearly_all_lie_about_the_shift(
            apart in prop::collection::vec(-4_000_i64..4_000, 0..12),
        ) {
            if let Some(shift) = of_one(&apart) {
                let is_near = |apart: &&i64| (**apart - shift).abs() <= SAME_HOLD;
                let near = apart.iter().filter(is_near).count();
                prop_assert!(shift != 0 && shift % QUARTER == 0 && near * 5 >= apart.len() * 4);
            }
        }

        #[test]
        fn a_shift_is_found(
            quarters in (-56_i64..=56).prop_filter("a shift", |quarters| *quarters != 0),
            late in prop::collection::vec(-SAME_HOLD..=SAME_HOLD, 1..12),
        ) {
            let apart: Vec<i64> = late.iter().map(|late| quarters * QUARTER + late).collect();
            prop_assert_eq!(of_one(&apart), Some(quarters * QUARTER));
        }
    }
}
