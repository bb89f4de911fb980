//! What the validation part says of a model, after each epoch and at the end: the figures that a
//! sweep may decide by, and how far they may be off.

use std::collections::BTreeMap;

use holdadvise::metrics::{
    Figures, Outcomes, Scored, half_width, rows_without_groups, without_groups,
};

/// Figures of a model on the validation part; the default where nothing came of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judged {
    /// By name. A figure that is not a number is left out.
    pub(crate) metrics: BTreeMap<String, f64>,
    pub(crate) rows: usize,
    pub(crate) clusters: usize,
    /// Each figure without each group of clusters; a figure that is not a number for one of them is
    /// left out.
    pub(crate) without_groups: BTreeMap<String, Vec<f64>>,
}

impl Judged {
    /// Of probabilities of success beside what came of the rows; `loss` is the training's own.
    /// `groups`: with the figures without each group of clusters.
    pub(crate) fn of(outcomes: &Outcomes, probability: &[f64], loss: f64, groups: bool) -> Self {
        let scored = Scored::new(outcomes, probability, 0.5);
        let named = |figures: &Figures, loss: f64, f_measure: f64| {
            [
                ("validation_loss", loss),
                ("validation_auroc", figures.auroc),
                ("validation_brier", figures.brier),
                ("validation_f_measure", f_measure),
            ]
        };
        let all: Vec<usize> = (0..outcomes.len()).collect();
        let f_measure = |rows: &[usize]| f_measure(outcomes, probability, rows);
        let metrics = named(&scored.figures(), loss, f_measure(&all));
        let mut without: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let figures = if groups { without_groups(outcomes, &scored) } else { Vec::new() };
        for (figures, rows) in figures.iter().zip(rows_without_groups(outcomes)) {
            for (name, value) in named(figures, figures.log_loss, f_measure(&rows)) {
                without.entry(name.to_owned()).or_default().push(value);
            }
        }
        // JSON has no NaN.
        without.retain(|_, values| values.iter().all(|value| value.is_finite()));
        let metrics = metrics.into_iter().filter(|(_, value)| value.is_finite());
        Self {
            metrics: metrics.map(|(name, value)| (name.to_owned(), value)).collect(),
            rows: outcomes.len(),
            clusters: outcomes.clusters(),
            without_groups: without,
        }
    }

    /// The figures and half of the 95 % interval of each, with `prefix` before their names, and
    /// how many rows and clusters they are of: as lines of metrics have them.
    pub(crate) fn line(&self, prefix: &str) -> BTreeMap<String, f64> {
        let figures = self.metrics.iter().map(|(name, &value)| (format!("{prefix}{name}"), value));
        let halves = self.without_groups.iter().filter_map(|(name, without)| {
            Some((format!("{prefix}{name}_half_width"), half_width(without)?))
        });
        let counts = [("validation_rows", self.rows), ("validation_clusters", self.clusters)];
        let counts = counts.map(|(name, count)| (name.to_owned(), count as f64));
        figures.chain(halves).chain(counts).collect()
    }
}

/// Harmonic mean of precision and recall of "released with success" at probability 0.5 (van
/// Rijsbergen 1979); NaN where nothing succeeded and nothing was expected to.
fn f_measure(outcomes: &Outcomes, probability: &[f64], rows: &[usize]) -> f64 {
    let [mut both, mut wrong] = [0.0; 2];
    for &row in rows {
        let (target, weight) = (outcomes.target[row], outcomes.weight[row]);
        let expected = if probability[row] >= 0.5 { 1.0 } else { 0.0 };
        both += weight * target * expected;
        wrong += weight * (target * (1.0 - expected) + (1.0 - target) * expected);
    }
    2.0 * both / (2.0 * both + wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_every_figure_with_its_interval_and_n() {
        let cluster: Vec<i64> = (0..60).map(|row| row / 2).collect();
        let target: Vec<f64> = (0..60).map(|row| f64::from(row % 3 == 0)).collect();
        let probability: Vec<f64> = (0..60).map(|row| 0.2 + f64::from(row % 7) / 10.0).collect();
        let outcomes = Outcomes::new(target, vec![1.0; 60], None, &cluster);
        let line = Judged::of(&outcomes, &probability, 0.7, true).line("");
        for name in ["loss", "auroc", "brier", "f_measure"] {
            let half = line[&format!("validation_{name}_half_width")];
            assert!(half > 0.0 && half < 1.0, "{name} {half}");
        }
        assert_eq!((line["validation_rows"], line["validation_clusters"]), (60.0, 30.0));
        assert_eq!((line["validation_loss"], line.len()), (0.7, 10));
        let alone = Judged::of(&outcomes, &probability, f64::NAN, false).line("model_");
        assert_eq!(alone.len(), 5, "{alone:?}");
        assert!(alone.contains_key("model_validation_auroc"), "{alone:?}");
    }
}
