//! Champion against challenger: whether the best trial of a sweep is better than the model in use,
//! on holds that neither chose.

use holdadvise::model::Model;

use crate::Error;
use crate::data::dataset::Dataset;
use crate::evaluation::evaluate::{Paired, paired_decisions, predict};
use crate::evaluation::report::verdict::{FIGURES, IN_USE, LEAST_CLUSTERS, of_intervals, overall};
use crate::evaluation::report::{self, Compared, Judgement};
use holdadvise::metrics::{Estimate, NAMES, Scored, draw};

/// Both models on the same releases.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verdict {
    pub(super) judgement: Judgement,
    /// Releases.
    pub(super) rows: usize,
    /// Different clusters among them.
    pub(super) clusters: usize,
    /// The figure that decides, then the others.
    pub(super) figures: Vec<Compared>,
    /// What both decide.
    pub(super) decisions: Option<Paired>,
    /// Why the challenger does not win whatever its figures are.
    pub(super) harm: Vec<String>,
}

/// The figure of the test part that stands for what the sweep looked for on the validation part.
pub(super) fn deciding(metric: &str) -> &'static str {
    match metric {
        "validation_auroc" => "auroc",
        "validation_brier" => "brier",
        _ => "log_loss",
    }
}

/// Compares two models on test rows of a dataset: by figures on the releases that happened, and by
/// what they decide. A challenger whose decisions do more harm is worse, whatever its figures are.
///
/// # Errors
/// When a model does not take the rows.
pub(super) fn compare(
    dataset: &Dataset,
    test: &[usize],
    models @ [challenger, champion]: [&Model; 2],
    deciding: &str,
    (draws, seed): (usize, u64),
) -> Result<Verdict, Error> {
    let rows: Vec<usize> = test.iter().copied().filter(|&row| dataset.observed[row] != 0).collect();
    let rows = rows.as_slice();
    let outcomes = dataset.outcomes(rows);
    let scored = |model: &Model| -> Result<Vec<Scored>, Error> {
        let threshold = model.metadata.thresholds.release;
        Ok(vec![Scored::new(&outcomes, &predict(model, dataset, rows)?, threshold)])
    };
    let drawn = draw(&[scored(challenger)?, scored(champion)?], outcomes.clusters(), draws, seed);
    let mut figures: Vec<Compared> = FIGURES
        .iter()
        .filter_map(|&(figure, more_is_better)| {
            let at = NAMES.iter().position(|&name| name == figure)?;
            let [own, other] = [0, 1].map(|model| drawn.value[model][at]);
            let (figure, difference) = (figure.to_owned(), drawn.difference(0, 1, at));
            Some(Compared { figure, more_is_better, own, other, difference })
        })
        .collect();
    figures.sort_by_key(|compared| compared.figure != deciding);
    let clusters = outcomes.clusters();
    let mut judgement = overall(&figures, clusters);
    let decisions = paired_decisions(dataset, test, models, (draws, seed))?;
    let harm = decisions.as_ref().map(harm).unwrap_or_default();
    if !harm.is_empty() {
        judgement = Judgement::Worse;
    }
    Ok(Verdict { judgement, rows: rows.len(), clusters, figures, decisions, harm })
}

/// What the challenger decides worse than the model in use. A removal cannot be undone, so one more
/// is enough; a cost counts beyond chance.
fn harm(paired: &Paired) -> Vec<String> {
    let [challenger, champion] = paired.decisions.methods.as_slice() else { return Vec::new() };
    let mut harm = Vec::new();
    if challenger.harmful_removals > champion.harmful_removals {
        harm.push(format!(
            "worse whatever its figures: it removes {} jobs that an action would finish, the model in use {}",
            challenger.harmful_removals, champion.harmful_removals
        ));
    }
    if paired.decisions.clusters >= LEAST_CLUSTERS && paired.cost.exists() && paired.cost.low > 0.0
    {
        harm.push(format!(
            "worse whatever its figures: its decisions cost {:+.3} hours a hold, 95 % interval {:+.3} to {:+.3}",
            paired.cost.value, paired.cost.low, paired.cost.high
        ));
    }
    harm
}

impl Verdict {
    /// As a report has it, but for what to do next.
    pub(super) fn for_report(&self, own: String, draws: usize) -> report::Verdict {
        let mut remarks = self.harm.clone();
        if let Some(Paired { cost, .. }) = &self.decisions {
            remarks.push(self.hours_a_hold(cost));
        }
        remarks.extend(of_intervals(draws, self.clusters));
        let exists = |compared: &&Compared| compared.difference.exists();
        report::Verdict {
            own,
            against: Some(IN_USE.to_owned()),
            judgement: Some(self.judgement),
            rows: self.rows,
            clusters: self.clusters,
            figures: self.figures.iter().filter(exists).cloned().collect(),
            remarks,
            decisions: self.decisions.as_ref().map(|paired| paired.decisions.to_string()),
            next: Vec::new(),
        }
    }

    fn hours_a_hold(&self, cost: &Estimate) -> String {
        let said = match self.harm.is_empty() && cost.value > 0.0 {
            true => ": worse, but not beyond chance",
            false => "",
        };
        format!(
            "hours a hold: difference {:+.3}, 95 % interval {:+.3} to {:+.3} (less is better){said}",
            cost.value, cost.low, cost.high
        )
    }

    /// What speaks for it, a line each.
    pub(super) fn lines(&self, draws: usize) -> Vec<String> {
        let mut lines = vec![format!(
            "n = {} releases of {} clusters in the test part: the newest holds, which neither chose nor trained the best trial.",
            self.rows, self.clusters
        )];
        for (at, compared) in self.figures.iter().enumerate() {
            let Compared { figure, own, other, difference, .. } = compared;
            let way = compared.way();
            let decides = if at == 0 { "; this figure decides" } else { "" };
            let said = match compared.said(self.clusters) {
                "" => String::new(),
                said => format!(": {said}"),
            };
            lines.push(if difference.exists() {
                format!(
                    "{figure}: {own:.4} against {other:.4}, difference {:+.4}, 95 % interval {:+.4} to {:+.4} ({way} is \
                     better{decides}){said}",
                    difference.value, difference.low, difference.high
                )
            } else {
                format!("{figure}: does not exist on these releases{decides}")
            });
        }
        lines.extend(self.harm.iter().cloned());
        if let Some(Paired { decisions, cost }) = &self.decisions {
            lines.push(self.hours_a_hold(cost));
            lines.extend(decisions.to_string().lines().map(str::to_owned));
        }
        lines.extend(of_intervals(draws, self.clusters));
        lines
    }
}

#[cfg(test)]
mod tests {
    use holdadvise::history::Action;

    use super::*;
    use crate::evaluation::evaluate::decision_tests::{dataset, model};
    use crate::evaluation::report::verdict::compared;

    #[test]
    fn a_line_says_which_way_a_figure_is_and_whether_by_chance() {
        let (judgement, decisions, harm) = (Judgement::Undecided, None, Vec::new());
        let figures = vec![compared(false, -0.01, 0.02), compared(true, -0.03, -0.01)];
        let verdict = Verdict { judgement, rows: 90, clusters: 40, figures, decisions, harm };
        let lines = verdict.lines(500);
        assert!(lines[1].ends_with("decides): worse, but not beyond chance"), "{lines:?}");
        assert!(lines[2].ends_with("(more is better): worse"), "{lines:?}");
    }

    #[test]
    fn the_lines_say_n_and_intervals() {
        let figures = vec![compared(true, 0.01, 0.03), compared(false, f64::NAN, f64::NAN)];
        let judgement = Judgement::Undecided;
        let (decisions, harm) = (None, Vec::new());
        let verdict = Verdict { judgement, rows: 40, clusters: 12, figures, decisions, harm };
        let lines = verdict.lines(500);
        assert_eq!((deciding("validation_auroc"), deciding("other")), ("auroc", "log_loss"));
        assert!(lines[0].starts_with("n = 40 releases of 12 clusters"), "{lines:?}");
        assert_eq!(
            lines[1],
            "auroc: 0.8000 against 0.7000, difference +0.0200, 95 % interval +0.0100 to +0.0300 (more is better; this \
             figure decides)"
        );
        assert_eq!(lines[2], "auroc: does not exist on these releases");
        assert!(lines[4].starts_with("With fewer than 30 clusters"), "{lines:?}");
    }

    fn compared_models(jobs: &[[(f32, f64); 2]], without: [&[Action]; 2]) -> Verdict {
        let dataset = dataset(jobs);
        let test: Vec<usize> = (0..dataset.len()).collect();
        let [challenger, champion] = without.map(|without| model(&dataset, without));
        compare(&dataset, &test, [&challenger, &champion], "auroc", (200, 1)).unwrap()
    }

    #[test]
    fn a_challenger_that_was_not_taught_a_change_loses_by_what_its_decisions_cost() {
        // A correct finishes every job, and both models say so.
        let jobs = vec![[(0.0, 0.05), (1.0, 0.9)]; 40];
        let verdict = compared_models(&jobs, [&[Action::Other], &[]]);
        assert_eq!(verdict.judgement, Judgement::Worse);
        let removals: Vec<usize> = verdict
            .decisions
            .iter()
            .flat_map(|of| &of.decisions.methods)
            .map(|of| of.removals)
            .collect();
        assert_eq!(removals, [0, 0]);
        let lines = verdict.lines(200).join("\n");
        assert!(lines.contains("worse whatever its figures: its decisions cost"), "{lines}");
        assert_eq!(compared_models(&jobs, [&[], &[]]).judgement, Judgement::Undecided);
    }

    #[test]
    fn one_more_removal_of_a_job_that_an_action_would_finish_is_enough_to_lose() {
        // Both see no chance; only the challenger thinks it knows that a correct does not help.
        let verdict = compared_models(&[[(0.0, 0.01), (1.0, 0.02)]], [&[], &[Action::Other]]);
        assert_eq!(verdict.judgement, Judgement::Worse);
        assert!(verdict.harm[0].contains("removes 1 jobs"), "{:?}", verdict.harm);
    }
}
