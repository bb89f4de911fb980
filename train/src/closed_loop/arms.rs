//! What decides about held jobs, but for the advice of this project.

use std::collections::HashMap;
use std::sync::Arc;

use clap::ValueEnum;
use holdadvise::sizes::Resource;
use holdadvise_simulate::{Course, Deed, Event, Fix, HeldNow, Hidden, Policy};
use serde::Serialize;

/// One way to decide about held jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    /// Every hold is released as it is.
    ReleaseAll,
    /// Nothing is done; what is left is removed at the end.
    LeaveAll,
    /// Memory and disk are doubled, all else is released once.
    ChangeByCode,
    /// The better of both by code and subcode, as seen at the other access points.
    Table,
    /// A job is released twice, then left.
    RetryTwice,
    /// Memory or disk is doubled at each hold for it; every other hold is released.
    Doubling,
    /// The advice of this project.
    Advice,
    /// The same with what looks at files, URLs and outputs find.
    AdviceLooks,
    /// Knows the cause, and whether its trouble goes on; no end and no chance to come.
    Informed,
    /// Knows what comes of each release.
    Clairvoyant,
}

impl Arm {
    /// The best of these is what others are measured from.
    pub const fn is_baseline(self) -> bool {
        matches!(
            self,
            Self::ReleaseAll | Self::LeaveAll | Self::ChangeByCode | Self::Table | Self::RetryTwice
        )
    }

    /// The word printed.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Its policy, where that is a rule of this file.
    pub(super) fn rule(self, seen: &Arc<SuccessTable>) -> Option<Box<dyn Policy>> {
        let seen = Arc::clone(seen);
        Some(match self {
            Self::ReleaseAll => Box::new(Rule(|_: &HeldNow<'_>| Deed::Release)),
            Self::LeaveAll => Box::new(Rule(|_: &HeldNow<'_>| Deed::Leave)),
            Self::ChangeByCode => Box::new(Rule(by_code)),
            Self::Table => Box::new(Rule(move |held: &HeldNow<'_>| seen.decide(held))),
            Self::RetryTwice => Box::new(Rule(|held: &HeldNow<'_>| match held.num_holds {
                ..=2 => Deed::Release,
                _ => Deed::Leave,
            })),
            Self::Doubling => Box::new(Rule(|held: &HeldNow<'_>| {
                doubled(held).map_or(Deed::Release, |fix| Deed::Change(vec![fix]))
            })),
            Self::Informed => Box::new(Rule(informed)),
            Self::Clairvoyant => Box::new(Rule(clairvoyant)),
            Self::Advice | Self::AdviceLooks => return None,
        })
    }
}

struct Rule<F>(F);

impl<F: FnMut(&HeldNow<'_>) -> Deed> Policy for Rule<F> {
    fn decide(&mut self, held: &HeldNow<'_>) -> Deed {
        (self.0)(held)
    }
}

/// Holds of a job after which rules that raise requests give up. Assumed.
const RAISES: i64 = 5;

/// Twice the memory or disk, for a hold that is about one of them.
fn doubled(held: &HeldNow<'_>) -> Option<Fix> {
    Some(match Resource::of_hold(held.code, Some(held.subcode), held.reason)? {
        Resource::Memory => Fix::Memory(held.request_memory * 2),
        Resource::Disk => Fix::Disk(held.request_disk * 2),
    })
}

fn by_code(held: &HeldNow<'_>) -> Deed {
    match doubled(held) {
        Some(fix) if held.num_holds <= RAISES => Deed::Change(vec![fix]),
        None if held.num_holds <= 1 => Deed::Release,
        _ => Deed::Leave,
    }
}

/// Releases and their successes by code, subcode and whether something was changed.
#[derive(Clone, Debug, Default)]
pub(super) struct SuccessTable(HashMap<(i32, i32, bool), (f64, f64)>);

impl SuccessTable {
    /// Adds what came of people's releases.
    pub(super) fn add(&mut self, courses: &[Course]) {
        for Course { events, .. } in courses {
            let (mut hold, mut changed, mut released) = (None, false, false);
            for (_, event) in events {
                match event {
                    Event::Held { code, subcode, .. } => {
                        self.count(hold.filter(|_| released), changed, false);
                        (hold, changed, released) = (Some((*code, *subcode)), false, false);
                    }
                    Event::Changed(_) => changed = true,
                    Event::Released { person } => released = *person,
                    Event::Ended { success, .. } => {
                        self.count(hold.filter(|_| released), changed, *success);
                    }
                    Event::Came | Event::Looked | Event::Removed { .. } => {}
                }
            }
        }
    }

    fn count(&mut self, hold: Option<(i32, i32)>, changed: bool, success: bool) {
        if let Some((code, subcode)) = hold {
            let seen = self.0.entry((code, subcode, changed)).or_default();
            *seen = (seen.0 + f64::from(u8::from(success)), seen.1 + 1.0);
        }
    }

    /// Share of success, with two releases of even chance besides: assumed.
    fn share(&self, held: &HeldNow<'_>, changed: bool) -> f64 {
        let seen = self.0.get(&(held.code, held.subcode, changed)).copied().unwrap_or_default();
        (seen.0 + 1.0) / (seen.1 + 2.0)
    }

    fn decide(&self, held: &HeldNow<'_>) -> Deed {
        let fix = doubled(held).filter(|_| held.num_holds <= RAISES);
        let changed = fix.as_ref().map_or(0.0, |_| self.share(held, true));
        let as_is = self.share(held, false);
        match fix {
            Some(fix) if changed >= 0.5 && changed > as_is => Deed::Change(vec![fix]),
            _ if as_is >= 0.5 => Deed::Release,
            _ => Deed::Leave,
        }
    }
}

/// Seconds in an hour.
const HOUR: i64 = 3_600;

/// Holds of a job after which who knows the cause gives up. Assumed.
const GIVES_UP: i64 = 6;

/// What somebody does who knows the cause, and whether its trouble goes on now.
pub(super) fn knowing(held: &HeldNow<'_>, hidden: &Hidden<'_>) -> Deed {
    if hidden.is_fixed() {
        return Deed::Release;
    }
    let right = hidden.right();
    if !right.is_empty() {
        return Deed::Change(right);
    }
    if hidden.goes_on() {
        // What has lasted for so long may last as long again.
        let pause = (held.now - held.held_at).clamp(HOUR, 24 * HOUR);
        return Deed::Wait { until: held.now + pause };
    }
    Deed::Release
}

fn informed(held: &HeldNow<'_>) -> Deed {
    match held.num_holds {
        ..=GIVES_UP => knowing(held, held.hidden),
        _ => Deed::Remove,
    }
}

/// Quarters of an hour at which a release is foreseen: up to a week.
const MOMENTS: [i64; 16] = [0, 1, 2, 4, 8, 16, 32, 48, 64, 96, 144, 192, 256, 336, 480, 672];

/// Failed releases that who knows what comes takes for a job that finishes then. Assumed.
const MOST_FAILURES: u32 = 3;

/// The cheapest that ends in success: hours of waiting, and one of a person for a change. Where no
/// release does, some that fail first.
fn clairvoyant(held: &HeldNow<'_>) -> Deed {
    let right = held.hidden.right();
    let (memory, disk) = held.hidden.enough();
    let mut all = right.clone();
    all.extend([Fix::Memory(memory), Fix::Disk(disk)]);
    let mut best: Option<(f64, i64, &[Fix])> = None;
    for fixes in [&[][..], &right, &all] {
        let person = if fixes.is_empty() { 0.0 } else { 1.0 };
        for quarters in MOMENTS {
            let hours = quarters as f64 / 4.0 + person;
            if best.is_some_and(|(least, _, _)| least <= hours) {
                break;
            }
            let time = held.now + quarters * 900;
            if held.hidden.foresee(fixes, time).is_some() {
                best = Some((hours, time, fixes));
            }
        }
    }
    match best {
        Some((_, time, _)) if time > held.now => Deed::Return { at: time },
        Some((_, _, [])) => Deed::Release,
        Some((_, _, fixes)) => Deed::Change(fixes.to_vec()),
        // This run fails whatever is done: the next ones may not.
        None if held.hidden.foresee_again(&all, held.now, MOST_FAILURES).is_some() => {
            Deed::Change(all)
        }
        None => Deed::Remove,
    }
}
