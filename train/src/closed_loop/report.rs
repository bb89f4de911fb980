//! The figures of closed loops: a table to print, and JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use holdadvise::advice::Costs;
use holdadvise::model::{ClosedLoop, SheetFigure};
use serde::Serialize;

use super::arms::Arm;
use super::loss::{Loss, Need, Person};
use super::tries::{Sums, Tries};
use super::{ClosedLoopOptions, Losses};
use crate::random::Random;
use holdadvise::metrics::Estimate;

/// A person's hours for which shares are given: for a change by commands, and for a look or a
/// change by hand. The first is the assumption of `docs/developing/advice.md`.
const PERSONS: [Person; 4] = [(1.0, 1.0), (0.5, 2.0), (2.0, 4.0), (4.0, 8.0)];

/// All figures.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    preset: &'a str,
    layers: &'a [String],
    vary: Option<f64>,
    days: u32,
    person_hours: f64,
    simulator: u32,
    fingerprint: String,
    costs: Costs,
    draws: u32,
    /// Jobs that needed something, by the clairvoyant.
    needs: BTreeMap<Need, f64>,
    /// The best baseline over all access points.
    best: Arm,
    arms: Vec<OfArm>,
    access_points: Vec<OfAccessPoint<'a>>,
}

/// One arm over all access points.
#[derive(Debug, Serialize)]
struct OfArm {
    arm: Arm,
    /// Hours, with a person's at one.
    hours: f64,
    loss: Loss,
    /// Of the avoidable loss, the share that is avoided.
    share: Estimate,
    /// The same over the worst tenth of access points, one at least.
    worst_tenth: f64,
    /// The same of jobs by what they need.
    of_need: BTreeMap<Need, Estimate>,
    /// The same for other hours of a person, with those.
    of_person: Vec<(Person, Estimate)>,
    /// Of jobs held for memory or disk.
    of_size: OfSize,
    /// Hours divided by those of who knows the cause.
    to_informed: Option<Estimate>,
    /// Where one job is tried for others.
    tries: Option<Tries>,
}

/// What came of jobs held for memory or disk.
#[derive(Debug, Serialize)]
struct OfSize {
    jobs: f64,
    finished: f64,
    hours: f64,
    /// By how much the share that finished is larger than with plain doubling.
    finished_more: Estimate,
}

impl OfSize {
    fn of(arm: Arm, losses: &[Losses], all: &[usize], draws: &[Vec<usize>]) -> Self {
        let none = Loss::default();
        let of = |arm: Arm, at: usize| losses[at].get(&arm).and_then(|of| of.get(&Need::Size));
        let sum = |arm: Arm, drawn: &[usize], what: fn(&Loss) -> f64| -> f64 {
            drawn.iter().map(|&at| what(of(arm, at).unwrap_or(&none))).sum()
        };
        let share = |arm: Arm, drawn: &[usize]| {
            sum(arm, drawn, |loss| loss.finished) / sum(arm, drawn, |loss| loss.jobs)
        };
        let more = |drawn: &[usize]| share(arm, drawn) - share(Arm::Doubling, drawn);
        Self {
            jobs: sum(arm, all, |loss| loss.jobs),
            finished: sum(arm, all, |loss| loss.finished),
            hours: sum(arm, all, |loss| loss.hours(PERSONS[0])),
            finished_more: Estimate::new(more(all), draws.iter().map(|drawn| more(drawn))),
        }
    }
}

/// What came of all arms at one access point.
#[derive(Debug, Serialize)]
struct OfAccessPoint<'a> {
    seed: u64,
    hours: BTreeMap<Arm, f64>,
    /// By what jobs need.
    losses: &'a Losses,
}

/// Hours of each arm at each access point.
struct Hours(BTreeMap<Arm, Vec<f64>>);

impl Hours {
    fn of(losses: &[Losses], needs: &[Need], person: Person) -> Self {
        let of = |arm: Arm, losses: &Losses| -> f64 {
            let of_arm = losses.get(&arm);
            let of_need = |need| of_arm.and_then(|of_arm: &BTreeMap<Need, Loss>| of_arm.get(need));
            needs.iter().filter_map(of_need).map(|loss| loss.hours(person)).sum()
        };
        let arms = losses.first().into_iter().flat_map(BTreeMap::keys);
        let all = arms.map(|&arm| (arm, losses.iter().map(|losses| of(arm, losses)).collect()));
        Self(all.collect())
    }

    /// Sum over access points, each as often as it was drawn.
    fn sum(&self, arm: Arm, drawn: &[usize]) -> f64 {
        self.0.get(&arm).map_or(f64::NAN, |hours| drawn.iter().map(|&at| hours[at]).sum())
    }

    fn best(&self, drawn: &[usize]) -> Arm {
        let baselines = self.0.keys().copied().filter(|arm| arm.is_baseline());
        baselines
            .min_by(|one, two| self.sum(*one, drawn).total_cmp(&self.sum(*two, drawn)))
            .unwrap_or(Arm::LeaveAll)
    }

    /// The share of the avoidable loss that is avoided: not a number where none is.
    fn share(&self, arm: Arm, best: Arm, drawn: &[usize]) -> f64 {
        let of = |arm| self.sum(arm, drawn);
        let avoidable = of(best) - of(Arm::Clairvoyant);
        if avoidable > 0.0 { (of(best) - of(arm)) / avoidable } else { f64::NAN }
    }

    /// With its interval: the best baseline of a draw is that of the draw.
    fn estimate(&self, arm: Arm, all: &[usize], draws: &[Vec<usize>]) -> Estimate {
        let share = |drawn: &[usize]| self.share(arm, self.best(drawn), drawn);
        Estimate::new(share(all), draws.iter().map(|drawn| share(drawn)))
    }

    /// The share over the worst tenth of access points by their own share.
    fn worst_tenth(&self, arm: Arm, best: Arm, all: &[usize]) -> f64 {
        let mut order: Vec<(f64, usize)> = all
            .iter()
            .map(|&at| (self.share(arm, best, &[at]), at))
            .filter(|(share, _)| share.is_finite())
            .collect();
        order.sort_by(|one, two| one.0.total_cmp(&two.0));
        order.truncate(all.len().div_ceil(10));
        let worst: Vec<usize> = order.into_iter().map(|(_, at)| at).collect();
        self.share(arm, best, &worst)
    }
}

/// Draws of access points, with replacement.
fn drawn(access_points: usize, draws: u32) -> Vec<Vec<usize>> {
    let mut random = Random::new(1);
    let mut draw = || (0..access_points).map(|_| random.below(access_points)).collect();
    (0..draws).map(|_| draw()).collect()
}

impl<'a> Report<'a> {
    pub(super) fn of(
        options: &'a ClosedLoopOptions,
        fingerprint: String,
        costs: Costs,
        seeds: &[u64],
        (losses, tries): (&'a [Losses], &BTreeMap<Arm, Vec<Sums>>),
    ) -> Self {
        let all: Vec<usize> = (0..losses.len()).collect();
        let draws = drawn(losses.len(), options.draws);
        let hours = Hours::of(losses, &Need::ALL, PERSONS[0]);
        let best = hours.best(&all);
        let of_need: Vec<(Need, Hours)> = Need::ALL
            .map(|need| (need, Hours::of(losses, &[need], PERSONS[0])))
            .into_iter()
            .collect();
        let of_person = PERSONS.map(|person| (person, Hours::of(losses, &Need::ALL, person)));
        let sum = |arm: Arm, wanted: &[Need]| {
            let mut sum = Loss::default();
            let of_arm = losses.iter().filter_map(|losses| losses.get(&arm)).flatten();
            of_arm.filter(|(need, _)| wanted.contains(need)).for_each(|(_, loss)| sum += *loss);
            sum
        };
        let to_informed = |arm: Arm| {
            let ratio = |drawn: &[usize]| hours.sum(arm, drawn) / hours.sum(Arm::Informed, drawn);
            let estimate = Estimate::new(ratio(&all), draws.iter().map(|drawn| ratio(drawn)));
            estimate.exists().then_some(estimate)
        };
        // The best baseline of all is that of each need too: one policy decides about all jobs.
        let need = |arm: Arm, hours: &Hours| {
            let share = |drawn: &[usize]| hours.share(arm, best, drawn);
            Estimate::new(share(&all), draws.iter().map(|drawn| share(drawn)))
        };
        let arms = hours.0.keys().map(|&arm| OfArm {
            arm,
            hours: hours.sum(arm, &all),
            loss: sum(arm, &Need::ALL),
            share: hours.estimate(arm, &all, &draws),
            worst_tenth: hours.worst_tenth(arm, best, &all),
            of_need: of_need.iter().map(|(of, hours)| (*of, need(arm, hours))).collect(),
            of_person: of_person
                .iter()
                .map(|(person, hours)| (*person, hours.estimate(arm, &all, &draws)))
                .collect(),
            of_size: OfSize::of(arm, losses, &all, &draws),
            to_informed: to_informed(arm),
            tries: tries.get(&arm).and_then(|at_each| Tries::of(at_each, &draws)),
        });
        let access_points = seeds.iter().enumerate().map(|(at, &seed)| OfAccessPoint {
            seed,
            hours: hours.0.iter().map(|(arm, hours)| (*arm, hours[at])).collect(),
            losses: &losses[at],
        });
        Self {
            preset: &options.preset,
            layers: &options.with,
            vary: options.vary,
            days: options.days,
            person_hours: options.person_hours,
            simulator: holdadvise_simulate::VERSION,
            fingerprint,
            costs,
            draws: options.draws,
            needs: Need::ALL.map(|need| (need, sum(Arm::Clairvoyant, &[need]).jobs)).into(),
            best,
            arms: arms.collect(),
            access_points: access_points.collect(),
        }
    }
}

impl Report<'_> {
    /// What stands on the info sheet of a model.
    ///
    /// # Errors
    /// When no loss was avoidable, so that there is no share.
    pub(super) fn closed_loop(&self, options: &ClosedLoopOptions) -> Result<ClosedLoop, String> {
        // Of a file of one's own the path is nobody's business.
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let layers = self.layers.iter().map(|layer| format!(" with {}", name(layer)));
        let layers: String = layers.collect();
        let vary = self.vary.map_or(String::new(), |factor| format!(", varied by {factor}"));
        let of_advice = |of: &&OfArm| matches!(of.arm, Arm::Advice | Arm::AdviceLooks);
        if !self.arms.iter().filter(of_advice).all(|of| of.share.exists()) {
            return Err(
                "--record: no loss was avoidable, so there is no share to record; play more \
                        access points or days"
                    .to_owned(),
            );
        }
        let figure = |OfArm { arm, share, .. }: &OfArm| SheetFigure {
            figure: "share".to_owned(),
            method: match arm {
                Arm::AdviceLooks => "advice, with checks".to_owned(),
                _ => "advice".to_owned(),
            },
            value: share.value,
            low: share.low,
            high: share.high,
        };
        Ok(ClosedLoop {
            figures_of: format!(
                "{} simulated access points ({}{layers}{vary}, seeds {} to {}, {} days, a person \
                 after {} h, fingerprint {}), from {} to a clairvoyant; holdadvise {}; 95 % \
                 intervals over access points",
                self.access_points.len(),
                name(self.preset),
                options.seeds.start(),
                options.seeds.end(),
                self.days,
                self.person_hours,
                self.fingerprint,
                self.best.name(),
                env!("CARGO_PKG_VERSION"),
            ),
            figures: self.arms.iter().filter(of_advice).map(figure).collect(),
        })
    }
}

/// A share with its interval, `-` where there is none.
fn text(estimate: &Estimate) -> String {
    if estimate.exists() { estimate.text(2) } else { "-".to_owned() }
}

impl Display for Report<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let layers: String = self.layers.iter().map(|layer| format!(" with {layer}")).collect();
        let needs: Vec<String> =
            self.needs.iter().map(|(need, jobs)| format!("{} {jobs}", need.name())).collect();
        writeln!(
            f,
            "{} access points, {}{layers}, {} days; best baseline {}; jobs: {}\n",
            self.access_points.len(),
            self.preset,
            self.days,
            self.best.name(),
            needs.join(", ")
        )?;
        writeln!(
            f,
            "{:<15} {:>9} {:>8} {:>8} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8}  {:<22} {:>6}",
            "ARM",
            "HOURS",
            "failed",
            "delay",
            "keep",
            "work",
            "person",
            "releases",
            "failures",
            "finished",
            "SHARE AVOIDED",
            "WORST"
        )?;
        for OfArm { arm, hours, loss, share, worst_tenth, .. } in &self.arms {
            writeln!(
                f,
                "{:<15} {hours:>9.0} {:>8.0} {:>8.0} {:>7.0} {:>7.0} {:>7.0} {:>8} {:>8} {:>8}  {:<22} {worst_tenth:>6.2}",
                arm.name(),
                loss.failed,
                loss.delay,
                loss.keep,
                loss.work,
                loss.commands + loss.by_hand,
                loss.releases,
                loss.failures,
                loss.finished,
                text(share)
            )?;
        }
        self.by_need(f)?;
        self.by_person(f)?;
        self.by_size(f)?;
        for of in &self.arms {
            if let Some(tries) = &of.tries {
                writeln!(f, "\nTries of {}: {tries}.", of.arm.name())?;
            }
        }
        writeln!(
            f,
            "\nSHARE AVOIDED: (best baseline - arm) / (best baseline - clairvoyant), sums over access points, 95 % by\n\
             bootstrap over these. WORST: the same over the worst tenth of them."
        )
    }
}

impl Report<'_> {
    fn by_need(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\n{:<15}", "SHARE BY NEED")?;
        Need::ALL.iter().try_for_each(|need| write!(f, " {:<22}", need.name()))?;
        writeln!(f, " {:<22}", "HOURS / informed")?;
        for arm in self.arms.iter().filter(|arm| !arm.arm.is_baseline()) {
            write!(f, "{:<15}", arm.arm.name())?;
            for share in arm.of_need.values() {
                write!(f, " {:<22}", text(share))?;
            }
            writeln!(f, " {}", arm.to_informed.as_ref().map_or("-".to_owned(), text))?;
        }
        Ok(())
    }

    fn by_size(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n{:<15} {:>8} {:>8} {:>9}  {:<22}",
            "MEMORY, DISK", "jobs", "finished", "HOURS", "FINISHED MORE THAN doubling"
        )?;
        for OfArm { arm, of_size: size, .. } in &self.arms {
            writeln!(
                f,
                "{:<15} {:>8} {:>8} {:>9.0}  {:<22}",
                arm.name(),
                size.jobs,
                size.finished,
                size.hours,
                text(&size.finished_more)
            )?;
        }
        Ok(())
    }

    fn by_person(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\n{:<15}", "SHARE BY PERSON")?;
        for (commands, by_hand) in PERSONS {
            write!(f, " {:<22}", format!("{commands}/{by_hand} h"))?;
        }
        writeln!(f)?;
        for arm in self.arms.iter().filter(|arm| !arm.arm.is_baseline()) {
            write!(f, "{:<15}", arm.arm.name())?;
            for (_, share) in &arm.of_person {
                write!(f, " {:<22}", text(share))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(of: &[(Arm, &[f64])]) -> Hours {
        Hours(of.iter().map(|(arm, hours)| (*arm, hours.to_vec())).collect())
    }

    #[test]
    fn the_share_is_a_ratio_of_sums_from_the_best_baseline() {
        let hours = hours(&[
            (Arm::ReleaseAll, &[100.0, 10.0]),
            (Arm::LeaveAll, &[50.0, 70.0]),
            (Arm::Advice, &[30.0, 30.0]),
            (Arm::Clairvoyant, &[10.0, 10.0]),
        ]);
        let all = [0, 1];
        assert_eq!(hours.best(&all), Arm::ReleaseAll);
        let best = hours.best(&all);
        assert!((hours.share(Arm::Advice, best, &all) - 50.0 / 90.0).abs() < 1e-12);
        assert_eq!(hours.share(Arm::Clairvoyant, best, &all), 1.0);
        // Where the baseline is as good as the bound nothing is avoidable.
        assert!(hours.share(Arm::Advice, best, &[1]).is_nan());
        assert!((hours.worst_tenth(Arm::Advice, best, &all) - 70.0 / 90.0).abs() < 1e-12);
    }

    #[test]
    fn draws_repeat() {
        assert_eq!(drawn(5, 3), drawn(5, 3));
        assert!(drawn(5, 100).iter().flatten().all(|&at| at < 5));
    }
}
