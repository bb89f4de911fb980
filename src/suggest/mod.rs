//! Release expressions made from what became of holds.
//!
//! For each hold reason (code and subcode) every [`Timing`] is replayed on its holds, and the one
//! that costs least is taken, if it is sure to cost less than leaving the holds to people. What the
//! reasons are released by is one expression.
//!
//! - `alternative`: what does better than a release.
//! - `choice`: the delay and bound that cost least.
//! - `clause`: writes the expression down.
//! - `long_runs`: after which time a run is stuck.

mod alternative;
mod choice;
mod clause;
mod long_runs;

use std::collections::BTreeMap;

use rayon::prelude::*;

use choice::{Cases, LEAST_CLUSTERS};
use clause::{any_of, clause};

pub use alternative::{Alternative, alternatives};
pub use choice::{Gain, Timing};
pub use clause::Reason;
pub use long_runs::{LongRuns, long_runs};

use crate::history::Hold;
use crate::policy::Version;
use crate::replay::{PastAdvice, PastHold, ReleaseCourse, Rules, Successes};
use crate::sizes::Resource;

/// A timing that gains at least this share of what the best one does may stand in its place, so
/// that reasons share a clause.
const AS_GOOD: f64 = 0.9;

/// A clause of a suggested expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// When it releases.
    pub timing: Timing,
    /// Why it releases holds of each of its reasons, the greatest gain first.
    pub evidence: Vec<ReasonEvidence>,
    /// Its text.
    pub text: String,
}

/// What the logs tell of the holds of one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct ReasonEvidence {
    /// HoldReasonCode and HoldReasonSubCode, as the log has them.
    pub reason: Reason,
    /// Holds.
    pub holds: u64,
    /// Clusters of those whose release ended in success or failure.
    pub clusters: usize,
    /// Such releases, and those of them that succeeded.
    pub releases: (u64, u64),
    /// Clusters released within the delay and later, each with the share of success; `None` where
    /// there was no such release.
    pub success: [(f64, Option<f64>); 2],
    /// What the clause would have gained.
    pub gain: Gain,
}

/// A reason that no clause releases.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// HoldReasonCode and HoldReasonSubCode.
    pub reason: Reason,
    /// Holds.
    pub holds: u64,
    /// Why.
    pub why: NoClause,
}

/// Why no clause releases holds of a reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoClause {
    /// Somebody wanted it: a person's hold (1), a submission on hold (15), or input that is being
    /// spooled (16).
    Wanted,
    /// So few clusters of such holds were released as they were, with an outcome that is known.
    TooFew(usize),
    /// No timing costs less than leaving them to people.
    NoGain,
    /// The best timing may cost less or more.
    NotSure(Gain),
}

/// A suggested expression with its reasons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suggestion {
    /// The clauses, of which one is enough; the greatest gain first.
    pub clauses: Vec<Clause>,
    /// Reasons without a clause, the most frequent first.
    pub left_out: Vec<LeftOut>,
    /// Resources of which jobs used more than they asked for, with the reasons of most of whose
    /// holds that is so.
    pub resources: Vec<(Resource, Vec<Reason>)>,
}

impl Clause {
    fn write(&mut self, version: Version) {
        let reasons: Vec<Reason> = self.evidence.iter().map(|evidence| evidence.reason).collect();
        self.text = clause(&reasons, self.timing, version);
    }
}

impl Suggestion {
    /// The expression; `None` where nothing is to be released.
    pub fn expression(&self) -> Option<String> {
        let clauses: Vec<String> = self.clauses.iter().map(|clause| clause.text.clone()).collect();
        (!clauses.is_empty()).then(|| any_of(&clauses))
    }

    /// What is suggested for some reasons alone.
    #[must_use]
    pub fn only(mut self, wanted: impl Fn(Reason) -> bool, version: Version) -> Self {
        for clause in &mut self.clauses {
            clause.evidence.retain(|evidence| wanted(evidence.reason));
            clause.write(version);
        }
        self.clauses.retain(|clause| !clause.evidence.is_empty());
        self.left_out.retain(|left| wanted(left.reason));
        for (_, reasons) in &mut self.resources {
            reasons.retain(|reason| wanted(*reason));
        }
        self.resources.retain(|(_, reasons)| !reasons.is_empty());
        self
    }
}

/// Makes an expression of the holds, for a version of HTCondor. Where a model was asked about them,
/// what it says of releases counts in the place of how other releases went.
pub fn suggest(
    holds: &[PastHold],
    successes: &Successes,
    said: Option<&PastAdvice>,
    rules: &Rules,
    version: Version,
) -> Suggestion {
    let mut reasons: BTreeMap<Reason, (u64, Cases<'_>)> = BTreeMap::new();
    for hold in holds {
        let (count, cases) = reasons.entry((hold.code, hold.subcode)).or_default();
        *count += 1;
        let judged = match said {
            Some(said) => ReleaseCourse::by_model(hold, successes, said, &rules.costs, rules.end),
            None => ReleaseCourse::of(hold, successes, &rules.costs),
        };
        if let Some(judged) = judged {
            cases.add(judged, rules);
        }
    }
    let mut suggestion = Suggestion { resources: resources(holds), ..Suggestion::default() };
    let mut taken = Vec::new();
    let reasons: Vec<(Reason, (u64, Cases<'_>))> = reasons.into_iter().collect();
    let choices: Vec<Result<(Timing, Gain), NoClause>> =
        reasons.par_iter().map(|(reason, (_, cases))| best(*reason, cases, rules)).collect();
    for ((reason, held), choice) in reasons.iter().zip(choices) {
        match choice {
            Ok(chosen) => taken.push((*reason, held, chosen)),
            Err(why) => {
                suggestion.left_out.push(LeftOut { reason: *reason, holds: held.0, why });
            }
        }
    }
    suggestion.left_out.sort_by_key(|left| std::cmp::Reverse(left.holds));
    let total = |(_, (holds, _), (_, gain)): &(Reason, &(u64, Cases<'_>), (Timing, Gain))| {
        gain.hours_per_hold * *holds as f64
    };
    taken.sort_by(|one, other| total(other).total_cmp(&total(one)));
    for (reason, held, mut chosen) in taken {
        // A timing that another reason has saves a clause.
        let shared = suggestion.clauses.iter().position(|clause| {
            let gain = held.1.gain(clause.timing, rules);
            let least = AS_GOOD * chosen.1.hours_per_hold;
            let as_good = gain.hours_per_hold >= least && gain.at_least > 0.0;
            if as_good {
                chosen = (clause.timing, gain);
            }
            as_good
        });
        let evidence = evidence(reason, held, chosen, successes);
        match shared {
            Some(at) => suggestion.clauses[at].evidence.push(evidence),
            None => suggestion.clauses.push(Clause {
                timing: chosen.0,
                evidence: vec![evidence],
                text: String::new(),
            }),
        }
    }
    suggestion.clauses.iter_mut().for_each(|clause| clause.write(version));
    suggestion
}

/// The reasons that are about a resource.
fn resources(holds: &[PastHold]) -> Vec<(Resource, Vec<Reason>)> {
    let mut by_reason: BTreeMap<Reason, Vec<Option<Resource>>> = BTreeMap::new();
    for hold in holds {
        by_reason.entry((hold.code, hold.subcode)).or_default().push(hold.resource);
    }
    let of = |resource: Resource| {
        let most = |all: &[Option<Resource>]| {
            2 * all.iter().filter(|one| **one == Some(resource)).count() > all.len()
        };
        let reasons = by_reason.iter().filter(|(_, all)| most(all)).map(|(reason, _)| *reason);
        (resource, reasons.collect())
    };
    let mut resources = vec![of(Resource::Memory), of(Resource::Disk)];
    resources.retain(|(_, reasons): &(Resource, Vec<Reason>)| !reasons.is_empty());
    resources
}

/// The timing that costs least, if that is sure to be less than without.
fn best(reason: Reason, cases: &Cases<'_>, rules: &Rules) -> Result<(Timing, Gain), NoClause> {
    // A hold that somebody wanted is theirs to end.
    let hold = Hold { code: reason.0, subcode: reason.1, reason: None };
    if !hold.is_by_system() {
        return Err(NoClause::Wanted);
    }
    if cases.clusters() < LEAST_CLUSTERS {
        return Err(NoClause::TooFew(cases.clusters()));
    }
    let timings: Vec<Timing> = Timing::all(rules).collect();
    let all: Vec<(Timing, Gain)> =
        timings.into_par_iter().map(|timing| (timing, cases.gain(timing, rules))).collect();
    let most = all.iter().map(|(_, gain)| gain.hours_per_hold).fold(0.0, f64::max);
    // Fewer releases that do about as well are better; of equals the sooner one.
    let fewest = all
        .iter()
        .filter(|(_, gain)| gain.hours_per_hold >= AS_GOOD * most)
        .map(|(timing, _)| timing.bound)
        .min();
    let best =
        all.into_iter().filter(|(timing, _)| Some(timing.bound) == fewest).reduce(|best, other| {
            if other.1.hours_per_hold > best.1.hours_per_hold { other } else { best }
        });
    match best {
        Some((timing, gain)) if gain.at_least > 0.0 => Ok((timing, gain)),
        Some((_, gain)) if gain.hours_per_hold > 0.0 => Err(NoClause::NotSure(gain)),
        _ => Err(NoClause::NoGain),
    }
}

/// What the logs tell of the holds of a reason, and what a clause with this timing gains.
fn evidence(
    reason: Reason,
    (holds, cases): &(u64, Cases<'_>),
    (timing, gain): (Timing, Gain),
    successes: &Successes,
) -> ReasonEvidence {
    let (code, subcode) = reason;
    let releases = successes.of_reason(code, subcode);
    let share = |(clusters, succeeded): (f64, f64)| {
        (clusters, (clusters > 0.0).then(|| succeeded / clusters))
    };
    ReasonEvidence {
        reason,
        holds: *holds,
        clusters: cases.clusters(),
        releases: releases.map_or((0, 0), crate::replay::Releases::counted),
        success: successes.around(code, subcode, timing.delay).map(share),
        gain,
    }
}

#[cfg(test)]
mod tests;
