//! Which of the holds that could be acted on are acted on now.

use std::collections::{BTreeMap, HashMap};

use super::candidate::{Candidate, Deed};
use super::ramp::{Attempt, Room, room};
use crate::journal::owner_of;

/// Bounds besides those of the ramp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Jobs acted on in this call.
    pub in_all: usize,
    /// Releases of one cause that are on their way at a time.
    pub of_cause: usize,
    /// Jobs of one owner that are acted on in this call.
    pub of_owner: usize,
}

impl Bounds {
    /// Releases of one cause that are on their way at a time. Assumed.
    pub const OF_CAUSE: usize = 200;
    /// Jobs of one owner in one call. Assumed.
    pub const OF_OWNER: usize = 1_000;
}

/// A hold that is acted on now.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Which.
    pub candidate: Candidate,
    /// The chance with which it was chosen, 0 to 1.
    pub chance: f64,
}

/// Holds of a cause that are left for later.
#[derive(Clone, Debug, PartialEq)]
pub struct Deferred {
    /// The cause.
    pub cause: String,
    /// How many.
    pub jobs: usize,
    /// What the releases so far leave room for; `None` where a bound of the call is met.
    pub room: Option<Room>,
    /// How many jobs of their owners may be on their way at a time, where it is that.
    pub of_owners: Option<usize>,
}

/// What is done now, and what is left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// What is acted on, in the order of the job ids.
    pub chosen: Vec<Chosen>,
    /// All that could be acted on, by cause.
    pub eligible: BTreeMap<String, Vec<Candidate>>,
    /// What is left for later.
    pub kept: Vec<Deferred>,
}

/// Chooses what is acted on now. Releases, after an edit too, go as the ramp of their cause leaves
/// room; owners take turns. Removals go as `bounds` say.
pub fn plan(
    candidates: Vec<Candidate>,
    attempts: &HashMap<String, Vec<Attempt>>,
    bounds: Bounds,
    now: i64,
) -> Plan {
    let mut plan = Plan::default();
    let mut by_cause: BTreeMap<(bool, String), Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        let key = (candidate.deed == Deed::Remove, candidate.cause.clone());
        by_cause.entry(key).or_default().push(candidate);
    }
    let mut of_owner: HashMap<Option<String>, usize> = HashMap::new();
    for ((removes, cause), candidates) in by_cause {
        let none = Vec::new();
        let before = attempts.get(&cause).unwrap_or(&none);
        let room = (!removes).then(|| room(before, bounds.of_cause, now));
        let mut left = room.as_ref().map_or(usize::MAX, Room::left);
        let drawn: Vec<Candidate> =
            candidates.iter().filter(|one| one.drawn_from.is_some()).cloned().collect();
        let met_ramp = left < drawn.len();
        let mut eligible_of: HashMap<Option<String>, usize> = HashMap::new();
        for candidate in &drawn {
            *eligible_of.entry(candidate.owner.clone()).or_default() += 1;
        }
        let (mut chosen, mut kept) = (Vec::new(), 0);
        let mut groups: HashMap<Option<u64>, (usize, usize)> = HashMap::new();
        let mut of_owners: Option<usize> = None;
        for candidate in in_turn(drawn, before, now) {
            let mut ungrouped = (0, usize::MAX);
            let owner = owner_of(candidate.owner.as_deref());
            let (width, left_of_group) = match &room {
                Some(room) => {
                    let group = room.group_of(owner);
                    groups.entry(group).or_insert_with(|| room.of_group(group))
                }
                None => &mut ungrouped,
            };
            let mine = of_owner.entry(candidate.owner.clone()).or_default();
            let is_full = plan.chosen.len() + chosen.len() >= bounds.in_all;
            let is_held_up = room.as_ref().is_some_and(|room| room.held_up.contains_key(&owner));
            if left == 0 || is_full || is_held_up || *mine >= bounds.of_owner {
                kept += 1;
                continue;
            }
            if *left_of_group == 0 {
                kept += 1;
                of_owners = Some(of_owners.map_or(*width, |least| least.min(*width)));
                continue;
            }
            left -= 1;
            *left_of_group -= 1;
            *mine += 1;
            chosen.push(candidate);
        }
        let mut chosen_of: HashMap<Option<String>, usize> = HashMap::new();
        for candidate in &chosen {
            *chosen_of.entry(candidate.owner.clone()).or_default() += 1;
        }
        plan.chosen.extend(chosen.into_iter().map(|candidate| {
            let of = |counts: &HashMap<Option<String>, usize>| counts[&candidate.owner] as f64;
            let drawn = 1.0 / candidate.drawn_from.unwrap_or(1) as f64;
            let chance = drawn * of(&chosen_of) / of(&eligible_of);
            Chosen { candidate, chance }
        }));
        if kept > 0 {
            let room = room.filter(|_| met_ramp || of_owners.is_some());
            let of_owners = of_owners.filter(|_| left > 0);
            plan.kept.push(Deferred { cause: cause.clone(), jobs: kept, room, of_owners });
        }
        plan.eligible.entry(cause).or_default().extend(candidates);
    }
    plan.chosen.sort_by_key(|chosen| chosen.candidate.target.job);
    plan
}

/// Candidates in the order in which they are chosen: each owner's first ones, then the second ones.
/// Releases of an owner that showed nothing, or failed, were turns of that owner too.
fn in_turn(mut candidates: Vec<Candidate>, before: &[Attempt], now: i64) -> Vec<Candidate> {
    candidates.sort_by_cached_key(|candidate| (candidate.rank(), candidate.target.job));
    let mut turns: HashMap<u64, usize> = HashMap::new();
    for one in before.iter().filter(|one| one.is_turn(now)) {
        *turns.entry(one.owner).or_default() += 1;
    }
    let mut turn = |candidate: &Candidate| {
        let turn = turns.entry(owner_of(candidate.owner.as_deref())).or_default();
        *turn += 1;
        *turn
    };
    let mut numbered: Vec<(usize, Candidate)> =
        candidates.into_iter().map(|candidate| (turn(&candidate), candidate)).collect();
    numbered.sort_by_key(|(turn, _)| *turn);
    numbered.into_iter().map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
