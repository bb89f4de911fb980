//! The figures of closed loops: a table to print, and what a model's sheet has of it.

use std::fmt::{self, Display, Formatter};

use clap::ValueEnum;
use holdadvise::metrics::{Estimate, draw_sums};
use holdadvise::model::{ClosedLoop, SheetFigure};

use super::arms::Arm;
use super::loss::Loss;
use super::{ClosedLoopOptions, Losses};

/// All figures.
#[derive(Debug)]
pub(super) struct Report<'a> {
    options: &'a ClosedLoopOptions,
    fingerprint: String,
    access_points: usize,
    /// The best baseline over all access points.
    best: Arm,
    arms: Vec<OfArm>,
}

/// One arm over all access points.
#[derive(Debug)]
struct OfArm {
    arm: Arm,
    loss: Loss,
    /// Of the avoidable loss, the share that is avoided.
    share: Estimate,
    /// The same over the worst tenth of access points, one at least.
    worst_tenth: f64,
}

/// Hours of each arm, in their order.
type Hours = Vec<f64>;

/// The baseline that costs least.
fn best(hours: &[f64]) -> Arm {
    let baselines = Arm::value_variants().iter().copied().filter(|arm| arm.is_baseline());
    let of = |arm: &Arm| hours[*arm as usize];
    baselines.min_by(|one, two| of(one).total_cmp(&of(two))).unwrap_or(Arm::LeaveAll)
}

/// The share of the avoidable loss that an arm avoids: not a number where none is avoidable.
fn share(arm: Arm, best: Arm, hours: &[f64]) -> f64 {
    let from = hours[best as usize];
    let avoidable = from - hours[Arm::Clairvoyant as usize];
    if avoidable > 0.0 { (from - hours[arm as usize]) / avoidable } else { f64::NAN }
}

fn sum<'a>(all: impl Iterator<Item = &'a Hours>) -> Hours {
    let mut sum = vec![0.0; Arm::value_variants().len()];
    all.for_each(|hours| sum.iter_mut().zip(hours).for_each(|(sum, hours)| *sum += hours));
    sum
}

/// The share over the worst tenth of access points by their own share.
fn worst_tenth(arm: Arm, best: Arm, at_each: &[Hours]) -> f64 {
    let shares = at_each.iter().map(|hours| (share(arm, best, hours), hours));
    let mut order: Vec<(f64, &Hours)> = shares.filter(|(share, _)| share.is_finite()).collect();
    order.sort_by(|one, two| one.0.total_cmp(&two.0));
    order.truncate(at_each.len().div_ceil(10));
    share(arm, best, &sum(order.into_iter().map(|(_, hours)| hours)))
}

impl<'a> Report<'a> {
    pub(super) fn of(
        options: &'a ClosedLoopOptions,
        fingerprint: String,
        losses: &[Losses],
    ) -> Self {
        let at_each: Vec<Hours> =
            losses.iter().map(|arms| arms.iter().map(Loss::hours).collect()).collect();
        let all = sum(at_each.iter());
        let drawn = draw_sums(&at_each, options.draws as usize, 1);
        let overall = best(&all);
        let of_arm = |&arm: &Arm| {
            let mut loss = Loss::default();
            losses.iter().for_each(|arms| loss += arms[arm as usize]);
            // The best baseline of a draw is that of the draw.
            let share = |hours: &Hours| share(arm, best(hours), hours);
            OfArm {
                arm,
                loss,
                share: Estimate::new(share(&all), drawn.iter().map(share)),
                worst_tenth: worst_tenth(arm, overall, &at_each),
            }
        };
        let arms = Arm::value_variants().iter().map(of_arm).collect();
        Self { options, fingerprint, access_points: losses.len(), best: overall, arms }
    }
}

impl Report<'_> {
    /// What stands on the info sheet of a model.
    ///
    /// # Errors
    /// When no loss was avoidable, so that there is no share.
    pub(super) fn closed_loop(&self) -> Result<ClosedLoop, String> {
        let ClosedLoopOptions { preset, with, seeds, days, person_hours, .. } = self.options;
        // Of a file of one's own the path is nobody's business.
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let layers = with.iter().map(|layer| format!(" with {}", name(layer)));
        let layers: String = layers.collect();
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
                "{} simulated access points ({}{layers}, seeds {} to {}, {days} days, a person \
                 after {person_hours} h, fingerprint {}), from {} to a clairvoyant; holdadvise {}; \
                 95 % intervals over access points",
                self.access_points,
                name(preset),
                seeds.start(),
                seeds.end(),
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
        let ClosedLoopOptions { preset, with, days, .. } = self.options;
        let layers: String = with.iter().map(|layer| format!(" with {layer}")).collect();
        writeln!(
            f,
            "{} access points, {preset}{layers}, {days} days; best baseline {}\n",
            self.access_points,
            self.best.name(),
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
        for OfArm { arm, loss, share, worst_tenth } in &self.arms {
            writeln!(
                f,
                "{:<15} {:>9.0} {:>8.0} {:>8.0} {:>7.0} {:>7.0} {:>7.0} {:>8} {:>8} {:>8}  {:<22} {worst_tenth:>6.2}",
                arm.name(),
                loss.hours(),
                loss.failed,
                loss.delay,
                loss.keep,
                loss.work,
                loss.person,
                loss.releases,
                loss.failures,
                loss.finished,
                text(share)
            )?;
        }
        writeln!(
            f,
            "\nSHARE AVOIDED: (best baseline - arm) / (best baseline - clairvoyant), sums over access points, 95 % by\n\
             bootstrap over these. WORST: the same over the worst tenth of them."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hours of the arms that are named, 1,000 of the others.
    fn hours(of: &[(Arm, f64)]) -> Hours {
        let mut hours = vec![1_000.0; Arm::value_variants().len()];
        of.iter().for_each(|&(arm, of)| hours[arm as usize] = of);
        hours
    }

    #[test]
    fn the_share_is_a_ratio_of_sums_from_the_best_baseline() {
        use Arm::{Advice, Clairvoyant, LeaveAll, ReleaseAll};
        let one =
            hours(&[(ReleaseAll, 100.0), (LeaveAll, 50.0), (Advice, 30.0), (Clairvoyant, 10.0)]);
        let other =
            hours(&[(ReleaseAll, 10.0), (LeaveAll, 70.0), (Advice, 30.0), (Clairvoyant, 10.0)]);
        let at_each = [one, other];
        let all = sum(at_each.iter());
        assert_eq!(best(&all), ReleaseAll);
        assert!((share(Advice, ReleaseAll, &all) - 50.0 / 90.0).abs() < 1e-12);
        assert_eq!(share(Clairvoyant, ReleaseAll, &all), 1.0);
        // Where the baseline is as good as the bound nothing is avoidable.
        assert!(share(Advice, ReleaseAll, &at_each[1]).is_nan());
        assert!((worst_tenth(Advice, ReleaseAll, &at_each) - 70.0 / 90.0).abs() < 1e-12);
    }
}
