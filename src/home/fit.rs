//! A calibration fitted to outcomes, after it has shown on the newer ones of them that it is no
//! worse than the one before. `holdadvise-train calibrate` and the advisor of an access point use
//! it alike.

use std::collections::HashMap;

use super::HomeError;
use super::owners::without_each;
use crate::metrics::{Draws, Estimate, NAMES, Outcomes, Scored, draw};
use crate::model::{
    Apart, Calibration, FigureChange, Interval, Recalibration, RecalibrationCheck, fit_near,
};

/// Outcomes that the older and the newer part need: fewer say next to nothing of two numbers.
const LEAST_IN_PART: usize = 20;

/// Logits of the model at which the bound on an owner holds: probabilities of 0.02 and 0.98.
const ENDS: [f64; 2] = [-4.0, 4.0];

/// How far the only owner of outcomes may move a logit, there; one of n owners may an n-th of that.
/// About what an access point differs by ([`Apart`]: one standard deviation there). Assumed.
pub const MOST_OF_ONE: f64 = 1.0;

/// How a new calibration is compared with the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// Outcomes that are needed.
    pub least: u64,
    /// Share of the outcomes, by time of the hold, that it is measured on: the newest ones.
    pub newer_fraction: f64,
    /// Seconds before the newer part from which on older outcomes are left out: H, the horizon.
    pub gap: i64,
    /// Bootstrap draws of clusters for the intervals.
    pub draws: usize,
    /// Seed of all draws.
    pub seed: u64,
    /// How far it may lie from the one before.
    pub apart: Apart,
}

/// What a model said of releases whose outcome is known: columns of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedReleases {
    /// What the model said, before any calibration.
    pub logits: Vec<f32>,
    /// 1 for a success, 0 for a failure.
    pub outcome: Vec<f32>,
    /// How much each counts, at least 0.
    pub weight: Vec<f32>,
    /// Cluster.
    pub cluster: Vec<i64>,
    /// Owners, as numbers; empty where they are not known and none is bounded.
    pub owner: Vec<u64>,
    /// When the job went on hold, Unix seconds.
    pub hold_time: Vec<i64>,
    /// When it was released, Unix seconds.
    pub decided: Vec<i64>,
}

/// A new calibration and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalibrated {
    /// Fitted to all outcomes.
    pub calibration: Calibration,
    /// What goes into the metadata.
    pub recalibration: Recalibration,
}

impl JudgedReleases {
    /// Outcomes.
    pub fn len(&self) -> usize {
        self.logits.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.logits.is_empty()
    }

    /// Some of them, by their place.
    #[must_use]
    pub fn some(&self, places: &[usize]) -> Self {
        fn of<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
            places.iter().map(|&at| values[at]).collect()
        }
        Self {
            logits: of(&self.logits, places),
            outcome: of(&self.outcome, places),
            weight: of(&self.weight, places),
            cluster: of(&self.cluster, places),
            owner: if self.owner.is_empty() { Vec::new() } else { of(&self.owner, places) },
            hold_time: of(&self.hold_time, places),
            decided: of(&self.decided, places),
        }
    }

    /// Near the calibration before; `None` where they are all alike, or a likelier success succeeds
    /// less often.
    ///
    /// Whatever the outcomes of an owner are, the fit lies between the calibration before and the
    /// one that the others' outcomes give, or beyond that by at most [`MOST_OF_ONE`] by the number
    /// of owners: an owner can hold back what is learned, and move it no farther than that.
    pub fn fit_near(&self, before: Calibration, apart: Apart) -> Option<Calibration> {
        let fit =
            |of: &Self| fit_near(before, apart, &of.logits, &of.outcome, &of.weight, &of.cluster);
        let all = fit(self)?;
        let without = without_each(&self.owner);
        if without.is_empty() {
            return Some(all);
        }
        let most = MOST_OF_ONE / without.len() as f64;
        let without: Vec<Calibration> =
            without.iter().map(|rest| fit(&self.some(rest)).unwrap_or(before)).collect();
        let [low, high] = ENDS.map(|logit| {
            let at = |of: &Calibration| of.a * logit + of.b;
            let of_others = without.iter().map(at);
            let (least, largest) =
                (of_others.clone().fold(f64::MAX, f64::min), of_others.fold(f64::MIN, f64::max));
            // What holds without any one of them, whichever that is.
            let shown = at(&before).clamp(least, largest);
            at(&all).clamp(shown - most, shown + most)
        });
        let a = (high - low) / (ENDS[1] - ENDS[0]);
        (a > 0.0).then_some(Calibration { a, b: (low + high) / 2.0 })
    }

    /// For figures.
    pub fn outcomes(&self) -> Outcomes {
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect();
        Outcomes::new(wide(&self.outcome), wide(&self.weight), None, &self.cluster)
    }

    /// For figures, with a calibration.
    pub fn scored(&self, outcomes: &Outcomes, calibration: Calibration) -> Scored {
        let p: Vec<f64> = self.logits.iter().map(|&l| calibration.probability(l)).collect();
        Scored::new(outcomes, &p, 0.5)
    }

    /// Places of the older and of the newer ones, as a training would cut them: whole clusters, and
    /// of the older ones those whose outcome was certain to be known when the newer ones begin.
    ///
    /// # Errors
    /// [`HomeError::Cut`] where too few are left.
    pub fn in_time(&self, options: &FitOptions) -> Result<(Vec<usize>, Vec<usize>), HomeError> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&at| (self.hold_time[at], at));
        let at = (order.len() as f64 * (1.0 - options.newer_fraction)).round() as usize;
        let cut = order.get(at).map_or(i64::MAX, |&at| self.hold_time[at]);
        let mut first = HashMap::new();
        let (mut older, mut newer) = (Vec::new(), Vec::new());
        let (mut near, mut split) = (0, 0);
        for at in order {
            let is_newer = self.hold_time[at] >= cut;
            let begun = *first.entry(self.cluster[at]).or_insert(is_newer);
            match is_newer {
                _ if begun != is_newer => split += 1,
                true => newer.push(at),
                false if self.decided[at].saturating_add(options.gap) >= cut => near += 1,
                false => older.push(at),
            }
        }
        if older.len() < LEAST_IN_PART || newer.len() < LEAST_IN_PART {
            let (older, newer) = (older.len(), newer.len());
            return Err(HomeError::Cut { older, newer, near, split, gap: options.gap });
        }
        Ok((older, newer))
    }
}

/// Fits a calibration to all outcomes, after it was fitted to the older ones and measured on the
/// newer ones. What was found worse there is for the caller to refuse
/// ([`RecalibrationCheck::is_worse`]). `actions_known`: outcomes of which the action is known.
///
/// # Errors
/// [`HomeError`]: fewer outcomes than asked for; the older or the newer part is too small; all
/// outcomes are alike, or a likelier success succeeds less often.
pub fn recalibrate(
    judged: &JudgedReleases,
    before: Calibration,
    access_point: &str,
    actions_known: u64,
    options: &FitOptions,
) -> Result<Recalibrated, HomeError> {
    let outcomes = judged.len() as u64;
    if outcomes < options.least {
        return Err(HomeError::Few { outcomes, least: options.least });
    }
    let calibration = judged.fit_near(before, options.apart).ok_or(HomeError::Useless)?;
    let (older, newer) = judged.in_time(options)?;
    let (older, newer) = (judged.some(&older), judged.some(&newer));
    let fitted = older.fit_near(before, options.apart).ok_or(HomeError::Useless)?;
    let check = compare(&newer, before, fitted, options, older.len() as u64)?;
    let recalibration = Recalibration {
        access_point: crate::text::strip_control(access_point).into_owned(),
        outcomes,
        clusters: judged.outcomes().clusters() as u64,
        actions_known,
        first: judged.decided.iter().copied().min().unwrap_or_default(),
        last: judged.decided.iter().copied().max().unwrap_or_default(),
        replaced: before,
        check,
        forced: false,
    };
    Ok(Recalibrated { calibration, recalibration })
}

/// A calibration has a higher log loss than another one on the newer outcomes; false where there are
/// too few.
pub fn is_worse(
    judged: &JudgedReleases,
    one: Calibration,
    other: Calibration,
    by: &FitOptions,
) -> bool {
    let Ok((_, newer)) = judged.in_time(by) else { return false };
    let newer = judged.some(&newer);
    let outcomes = newer.outcomes();
    let loss = |of| newer.scored(&outcomes, of).figures().log_loss;
    loss(one) > loss(other)
}

/// Both calibrations on the newer outcomes.
fn compare(
    newer: &JudgedReleases,
    before: Calibration,
    after: Calibration,
    options: &FitOptions,
    fitted: u64,
) -> Result<RecalibrationCheck, HomeError> {
    let outcomes = newer.outcomes();
    let methods = [before, after].map(|calibration| vec![newer.scored(&outcomes, calibration)]);
    let drawn = draw(&methods, outcomes.clusters(), options.draws.max(1), options.seed);
    let (calibration_error, log_loss) = (change(&drawn, "ece"), change(&drawn, "log_loss"));
    let (Some(calibration_error), Some(log_loss)) = (calibration_error, log_loss) else {
        return Err(HomeError::Weightless);
    };
    Ok(RecalibrationCheck {
        fitted,
        measured: newer.len() as u64,
        clusters: outcomes.clusters() as u64,
        calibration_error,
        log_loss,
    })
}

fn change(drawn: &Draws, name: &str) -> Option<FigureChange> {
    let figure = NAMES.iter().position(|&other| other == name)?;
    let interval = |estimate: Estimate| {
        let Estimate { value, low, high } = estimate;
        estimate.exists().then_some(Interval { value, low, high })
    };
    Some(FigureChange {
        before: interval(drawn.estimate(0, figure))?,
        after: interval(drawn.estimate(1, figure))?,
        difference: interval(drawn.difference(1, 0, figure))?,
    })
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
