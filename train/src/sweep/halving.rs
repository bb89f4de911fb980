//! Successive halving (Jamieson and Talwalkar 2016, "Non-stochastic Best Arm Identification and
//! Hyperparameter Optimization"): all trials train a little, the best of them on, until the best of
//! all have trained to the end.

use std::cmp::Ordering;

use super::plan::{Decision, Fate, Goal, Rung};

/// How a trial stands after a rung.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The trial.
    pub trial: usize,
    /// The rung that the figure is of.
    pub rung: usize,
    /// The figure that decides; `None`, or no number: the trial failed or diverged.
    pub figure: Option<f64>,
    /// It has stopped: more epochs would change nothing.
    pub stopped: bool,
}

/// The rungs: on rung r of R trials train until epoch E / eta^(R - r), and of n trials ceil(n /
/// eta^(r - 1)) train.
///
/// # Errors
/// When so many rungs do not fit into E epochs.
pub fn rungs(trials: usize, rungs: usize, eta: usize, epochs: usize) -> Result<Vec<Rung>, String> {
    if epochs < rungs {
        return Err(format!("{rungs} rungs need {rungs} `epochs` or more, not {epochs}"));
    }
    let power = |exponent: usize| {
        let exponent = u32::try_from(exponent).unwrap_or(u32::MAX);
        eta.max(1).saturating_pow(exponent)
    };
    let mut previous = 0;
    let rung = |number: usize| {
        let left = rungs - number;
        // Strictly growing, and a rung left for each that follows.
        let until = (epochs / power(left)).clamp(previous + 1, epochs - left);
        previous = until;
        Rung { number, epochs: until, trials: trials.div_ceil(power(number - 1)).max(1) }
    };
    Ok((1..=rungs).map(rung).collect())
}

/// The trials with a figure, the best first; trials with the same figure by their number.
pub fn ranked(standings: &[Standing], goal: Goal) -> Vec<(Standing, f64)> {
    let with_figure =
        |one: &Standing| Some((*one, one.figure.filter(|figure| figure.is_finite())?));
    let mut ranked: Vec<(Standing, f64)> = standings.iter().filter_map(with_figure).collect();
    ranked.sort_by(|one, other| better(one.1, other.1, goal).then(one.0.trial.cmp(&other.0.trial)));
    ranked
}

/// Which of two figures comes first.
pub(super) fn better(one: f64, other: f64, goal: Goal) -> Ordering {
    match goal {
        Goal::Minimize => one.total_cmp(&other),
        Goal::Maximize => other.total_cmp(&one),
    }
}

/// What becomes of each trial: the best `kept` train on, or keep their place if they have stopped.
/// Those without a figure are lost, however few are left.
pub fn decide(standings: &[Standing], rung: usize, kept: usize, goal: Goal) -> Decision {
    let ranked = ranked(standings, goal);
    let mut fates: Vec<(usize, Fate)> = ranked
        .iter()
        .enumerate()
        .map(|(rank, (standing, _))| {
            let fate = match (rank < kept, standing.stopped) {
                (true, false) => Fate::GoesOn,
                (true, true) => Fate::Stopped,
                (false, _) => Fate::Lost,
            };
            (standing.trial, fate)
        })
        .collect();
    let mut trials: Vec<usize> = standings.iter().map(|standing| standing.trial).collect();
    trials.sort_unstable();
    add_lost(&mut fates, trials.into_iter());
    Decision { rung, fates }
}

/// Those of some trials that have no fate are lost.
pub(super) fn add_lost(fates: &mut Vec<(usize, Fate)>, trials: impl Iterator<Item = usize>) {
    for trial in trials {
        if fates.iter().all(|(decided, _)| *decided != trial) {
            fates.push((trial, Fate::Lost));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn standing(trial: usize, figure: Option<f64>) -> Standing {
        Standing { trial, rung: 1, figure, stopped: false }
    }

    #[test]
    fn rungs_shrink_by_eta() {
        let of = |trials, rungs_, eta, epochs| -> Vec<(usize, usize)> {
            let made = rungs(trials, rungs_, eta, epochs).unwrap();
            made.iter().map(|rung| (rung.epochs, rung.trials)).collect()
        };
        assert_eq!(of(24, 3, 3, 36), [(4, 24), (12, 8), (36, 3)]);
        assert_eq!(of(10, 1, 3, 40), [(40, 10)]);
        assert_eq!(of(2, 4, 3, 100), [(3, 2), (11, 1), (33, 1), (100, 1)]);
        // Too few epochs to divide: they grow all the same.
        assert_eq!(of(9, 3, 3, 5), [(1, 9), (2, 3), (5, 1)]);
        assert_eq!(of(9, 3, 10, 3), [(1, 9), (2, 1), (3, 1)]);
        assert_eq!(rungs(9, 4, 3, 3).unwrap_err(), "4 rungs need 4 `epochs` or more, not 3");
    }

    #[test]
    fn the_best_go_on_and_ties_are_by_number() {
        let standings = [
            standing(4, Some(0.5)),
            standing(1, None),
            standing(3, Some(0.4)),
            standing(2, Some(0.5)),
            standing(5, Some(f64::NAN)),
        ];
        let decision = decide(&standings, 1, 2, Goal::Minimize);
        let fates = [
            (3, Fate::GoesOn),
            (2, Fate::GoesOn),
            (4, Fate::Lost),
            (1, Fate::Lost),
            (5, Fate::Lost),
        ];
        assert_eq!(decision.fates, fates);
        let best = decide(&standings, 1, 1, Goal::Maximize).fates[0];
        assert_eq!(best, (2, Fate::GoesOn));
        // Places left over do not go to those that failed.
        let all = decide(&standings, 1, 5, Goal::Minimize).fates;
        assert_eq!(all.iter().filter(|(_, fate)| *fate == Fate::GoesOn).count(), 3);
    }

    #[test]
    fn a_stopped_trial_keeps_its_place_while_it_is_among_the_best() {
        let stopped = Standing { stopped: true, ..standing(1, Some(0.1)) };
        let others = [standing(2, Some(0.2)), standing(3, Some(0.3))];
        let decision = decide(&[&others[..], &[stopped]].concat(), 1, 2, Goal::Minimize);
        let fates = [(1, Fate::Stopped), (2, Fate::GoesOn), (3, Fate::Lost)];
        assert_eq!(decision.fates, fates);
        let worst = Standing { figure: Some(0.9), ..stopped };
        let decision = decide(&[&others[..], &[worst]].concat(), 1, 2, Goal::Minimize);
        assert_eq!(decision.fates[2], (1, Fate::Lost));
    }

    proptest! {
        #[test]
        fn rungs_grow_and_trials_do_not(
            trials in 1..1000_usize, count in 1..8_usize, eta in 2..6_usize, more in 0..200_usize
        ) {
            let made = rungs(trials, count, eta, count + more).unwrap();
            prop_assert_eq!(made.len(), count);
            prop_assert_eq!((made[count - 1].epochs, made[0].trials), (count + more, trials));
            for pair in made.windows(2) {
                prop_assert!(pair[0].epochs < pair[1].epochs && pair[0].trials >= pair[1].trials);
            }
        }

        #[test]
        fn every_trial_has_one_fate_and_the_order_of_results_is_nothing(
            figures in proptest::collection::vec(proptest::option::of(-1.0..1.0_f64), 1..30),
            kept in 1..30_usize, turn in 0..30_usize
        ) {
            let mut standings: Vec<Standing> =
                figures.iter().enumerate().map(|(at, figure)| standing(at + 1, *figure)).collect();
            let decision = decide(&standings, 1, kept, Goal::Minimize);
            let length = standings.len();
            standings.rotate_left(turn % length);
            prop_assert_eq!(&decide(&standings, 1, kept, Goal::Minimize), &decision);
            let mut trials: Vec<usize> = decision.fates.iter().map(|fate| fate.0).collect();
            trials.sort_unstable();
            prop_assert!(trials.into_iter().eq(1..=length));
            let on = decision.fates.iter().filter(|fate| fate.1 == Fate::GoesOn).count();
            prop_assert_eq!(on, kept.min(figures.iter().flatten().count()));
        }
    }
}
