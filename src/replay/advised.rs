//! What a model says of holds of the past.

use std::collections::HashMap;

use super::TIMES;
use super::attribute::ReplayedJob;
use super::past::PastHold;
use crate::advice::{Advisor, Curve, Held, Policies};
use crate::history::Action;
use crate::model::ModelError;
use eventlog::JobId;

/// Seconds after the hold at which the model is asked: ten minutes, an hour, a quarter of a day, a
/// day.
pub const ASKED: [i64; 4] = [600, 3_600, 6 * 3_600, 86_400];

/// What a model said of one hold at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// When it was asked, Unix seconds.
    pub at: i64,
    /// Probability that a release as it is succeeds; `None` of a code that the model does not know.
    pub success: Option<f64>,
    /// The same of releases that are made later, by the seconds until then.
    pub later: Curve,
    /// It recommends a release as it is.
    pub releases: bool,
}

/// What a model said of holds.
#[derive(Clone, Debug, Default)]
pub struct PastAdvice(HashMap<(JobId, i64), Vec<Answered>>);

impl PastAdvice {
    /// Asks about each hold at the times of [`ASKED`] as long as the job was held. Nothing later
    /// than the time of asking is seen. `knows` says which codes the model was trained on; `end` is
    /// that of the logs, Unix seconds.
    ///
    /// # Errors
    /// [`ModelError`] of the advisor.
    pub fn of(
        advisor: &Advisor<'_>,
        holds: &[PastHold],
        knows: impl Fn(i32) -> bool,
        end: i64,
    ) -> Result<Self, ModelError> {
        let mut times: Vec<(i64, &PastHold)> = Vec::new();
        for hold in holds {
            let until = hold.hold_end.left_at().unwrap_or(end);
            let asked = ASKED.into_iter().map(|after| hold.held_at + after);
            times.extend(asked.filter(|at| *at < until).map(|at| (at, hold)));
        }
        times.sort_by_key(|(at, hold)| (*at, hold.job));
        let policies = Policies::unknown();
        let mut said: HashMap<_, Vec<Answered>> = HashMap::new();
        for (at, hold) in times {
            let Some(advice) = advisor.advise(&held(hold, &policies, at), at)? else { continue };
            said.entry((hold.job, hold.held_at)).or_default().push(Answered {
                at,
                success: advice.success_of(Action::AsIs).filter(|_| knows(hold.code)),
                releases: advice.releases(hold.job),
                later: if knows(hold.code) { advice.later } else { Curve::default() },
            });
        }
        Ok(Self(said))
    }

    /// When a hold would have been released by somebody who asks and does at once what is said.
    pub fn released_at(&self, hold: &PastHold) -> Option<i64> {
        self.about(hold).iter().find(|answered| answered.releases).map(|answered| answered.at)
    }

    /// The probabilities that a release as it is succeeds, by time: when the model was asked, and
    /// at the times on hold until it was asked again as it foresaw them.
    pub fn successes(&self, hold: &PastHold) -> Vec<(i64, f64)> {
        let about = self.about(hold);
        let next = about.iter().skip(1).map(|next| next.at).chain([i64::MAX]);
        let of = |(answered, next): (&Answered, i64)| -> Vec<(i64, f64)> {
            let foreseen = TIMES.into_iter().filter_map(|time| {
                let at = hold.held_at + time;
                let later = (answered.at + 1..next).contains(&at);
                later.then(|| Some((at, answered.later.at(at - answered.at)?))).flatten()
            });
            let now = answered.success.map(|success| (answered.at, success));
            now.into_iter().chain(foreseen).collect()
        };
        about.iter().zip(next).flat_map(of).collect()
    }

    fn about(&self, hold: &PastHold) -> &[Answered] {
        self.0.get(&(hold.job, hold.held_at)).map_or(&[], Vec::as_slice)
    }
}

/// The job at a time on hold, with the ad of its last run before where there is one. Somebody who
/// does what is said takes the place of its policy, which does not release it.
fn held(hold: &PastHold, policies: &Policies, at: i64) -> Held {
    if hold.ad.is_none() {
        return Held::of_log(hold.job);
    }
    let mut ad = ReplayedJob::new(hold).ad();
    ad.remove("PeriodicRelease");
    Held::of_ad(hold.job, &ad, false, policies, at)
}

/// A probability at any time from those at some, in the order of their times: between two by the
/// logarithm of the time on hold, before the first and after the last theirs. `None` where none is
/// known.
pub fn between(known: &[(i64, f64)], held_at: i64, at: i64) -> Option<f64> {
    let after = known.partition_point(|(time, _)| *time < at);
    match (after.checked_sub(1).and_then(|before| known.get(before)), known.get(after)) {
        (Some((from, first)), Some((to, last))) => {
            let place = |time: i64| ((time - held_at).max(0) as f64).ln_1p();
            let share = (place(at) - place(*from)) / (place(*to) - place(*from)).max(1e-9);
            Some(first + share * (last - first))
        }
        (Some((_, value)), None) | (None, Some((_, value))) => Some(*value),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use classads::ClassAd;

    use super::super::past::tests::hold;
    use super::*;

    #[test]
    fn a_past_hold_is_judged_with_the_ad_of_its_last_run() {
        let policies = Policies::unknown();
        let at = hold().held_at + ASKED[0];
        let bare = held(&hold(), &policies, at);
        let text = "[ RequestMemory = 512; PeriodicRelease = true; PeriodicRemove = true ]";
        let ad = Some(ClassAd::parse(text).unwrap().into());
        let with = held(&PastHold { ad, ..hold() }, &policies, at);
        assert_eq!((bare.facts.request_memory, with.facts.request_memory), (None, Some(512)));
        // What it was held for is of the log, and its own release is not what is looked for.
        let queue = with.in_queue.expect("a held job");
        assert_eq!((queue.code, queue.entered_current_status), (hold().code, hold().held_at));
        assert_eq!(with.released_by_policy_at, None);
        assert!(!with.htcondor_will.is_empty());
    }

    #[test]
    fn probabilities_between_two_times() {
        let known = [(100, 0.2), (1_100, 0.8)];
        let at = |time| between(&known, 0, time).unwrap();
        assert_eq!((at(0), at(100), at(1_100), at(9_999)), (0.2, 0.2, 0.8, 0.8));
        assert!(at(300) > 0.4 && at(300) < 0.6, "{}", at(300));
        assert_eq!(between(&[], 0, 5), None);
    }
}
