//! The lines of the charts.

use crate::evaluation::report::Curves;
use crate::page::chart::Line;
use holdadvise::metrics::{Outcomes, Scored};

/// Least distance of two points of a line, in shares of the chart.
const STEP: f64 = 0.004;

/// The points of one line, from the predictions of a method and the same beside their outcomes.
type Points<'a> = &'a dyn Fn(&[f64], &Scored) -> Vec<[f64; 2]>;

/// The curves of methods on some rows: name, predictions, and the same beside their outcomes.
pub(super) fn curves(outcomes: &Outcomes, methods: &[(&str, Vec<f64>, &Scored)]) -> Curves {
    let each = |points: Points<'_>| -> Vec<Line> {
        let line = |(name, probability, scored): &(&str, Vec<f64>, &Scored)| Line {
            name: (*name).to_owned(),
            points: points(probability, scored)
                .into_iter()
                .filter(|point| point.iter().all(|value| value.is_finite()))
                .collect(),
        };
        methods.iter().map(line).collect()
    };
    let coverages: Vec<f64> = (1..=20).map(|at| f64::from(at) / 20.0).collect();
    Curves {
        roc: each(&|_, scored| {
            let points = scored.operating_points();
            let points = points.iter().map(|[found, failed, _]| [*failed, *found]);
            thin(std::iter::once([0.0, 0.0]).chain(points))
        }),
        precision_recall: each(&|_, scored| {
            let points = scored.operating_points();
            thin(points.iter().map(|[found, _, precision]| [*found, *precision]))
        }),
        reliability: each(&|_, scored| {
            scored.reliability().iter().map(|[said, came, _]| [*said, *came]).collect()
        }),
        cost: each(&|probability, _| cost(outcomes, probability)),
        risk: each(&|_, scored| {
            coverages.iter().zip(scored.risk(&coverages)).map(|(&x, y)| [x, y]).collect()
        }),
    }
}

/// Leaves out points that lie nearly on the one before; the last one stays.
fn thin(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut kept: Vec<[f64; 2]> = Vec::new();
    let mut last = None;
    for point in points {
        let far = |from: &[f64; 2]| (point[0] - from[0]).abs() + (point[1] - from[1]).abs() >= STEP;
        if kept.last().is_none_or(far) {
            kept.push(point);
            last = None;
        } else {
            last = Some(point);
        }
    }
    kept.extend(last);
    kept
}

/// Wasted hours for 100 holds at thresholds from 0 to 1.
fn cost(outcomes: &Outcomes, probability: &[f64]) -> Vec<[f64; 2]> {
    let Some(hours) = &outcomes.hours else { return Vec::new() };
    let total: f64 = outcomes.weight.iter().sum();
    (0..=50)
        .map(|at| {
            let threshold = f64::from(at) / 50.0;
            let wasted = |row: usize| {
                let target = outcomes.target[row];
                let failed = if probability[row] >= threshold { 1.0 - target } else { target };
                outcomes.weight[row] * failed * hours[row]
            };
            [threshold, (0..outcomes.len()).map(wasted).sum::<f64>() * 100.0 / total]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_run_from_end_to_end() {
        let target: Vec<f64> = (0..1000).map(|row| f64::from(u8::from(row % 3 == 0))).collect();
        let clusters: Vec<i64> = (0..1000).collect();
        let outcomes = Outcomes::new(target, vec![1.0; 1000], Some(vec![2.0; 1000]), &clusters);
        let p: Vec<f64> = (0..1000).map(|row| f64::from(row) / 1000.0).collect();
        let scored = Scored::new(&outcomes, &p, 0.5);
        let curves = curves(&outcomes, &[("a", p, &scored)]);
        let roc = &curves.roc[0].points;
        assert_eq!((roc[0], roc[roc.len() - 1]), ([0.0, 0.0], [1.0, 1.0]));
        assert!(roc.len() < 520, "{}", roc.len());
        // Releasing all burns the hours of all failures, releasing none keeps those of all
        // successes waiting.
        let cost = &curves.cost[0].points;
        assert!(
            (cost[0][1] - 200.0 * 0.666).abs() < 1e-9 && (cost[50][1] - 200.0 * 0.334).abs() < 1e-9
        );
        assert_eq!(curves.reliability[0].points.len(), 15);
        assert_eq!(curves.risk[0].points.len(), 20);
    }
}
