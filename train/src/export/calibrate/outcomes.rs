//! A calibration fitted to outcomes, after it has shown on the newer ones of them that it is no
//! worse than the one before.

use std::fmt::Write;

use holdadvise::history::Action;
use holdadvise::home::{self, FitOptions, HomeError, JudgedReleases, Recalibrated};
use holdadvise::model::{Apart, Calibration, Interval, LEAST_OUTCOMES, Model, Recalibration};

use crate::Error;
use crate::data::dataset::{CENSORED, Dataset};
use crate::evaluation::evaluate::logits;

/// How the new calibration is compared with the one before.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct CheckOptions {
    /// Share of the outcomes, by time of the hold, that the new calibration is measured on: the
    /// newest ones.
    #[arg(long, default_value_t = 0.3)]
    pub newer_fraction: f64,
    /// Seconds before the newer part from which on older outcomes are left out; default: H, the
    /// horizon.
    #[arg(long, value_name = "SECONDS")]
    pub gap: Option<i64>,
    /// Bootstrap draws of clusters for the intervals.
    #[arg(long, default_value_t = 1000)]
    pub draws: usize,
    /// Seed of all draws.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl CheckOptions {
    pub(super) fn of(self, dataset: &Dataset) -> Result<FitOptions, Error> {
        let Self { newer_fraction, gap, draws, seed } = self;
        if !(newer_fraction > 0.0 && newer_fraction < 1.0) {
            return Err(
                format!("--newer-fraction {newer_fraction} must lie between 0 and 1").into()
            );
        }
        let gap = gap.unwrap_or(dataset.info.horizon);
        if gap < 0 {
            return Err(format!("--gap {gap} is below 0").into());
        }
        let (least, apart) = (LEAST_OUTCOMES, Apart::default());
        Ok(FitOptions { least, newer_fraction, gap, draws, seed, apart })
    }
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { newer_fraction: 0.3, gap: None, draws: 1000, seed: 1 }
    }
}

/// Asks the model of rows, with the inputs blanked that it was trained without.
pub(super) fn judged(
    dataset: &Dataset,
    model: &Model,
    rows: &[usize],
) -> Result<JudgedReleases, Error> {
    Ok(JudgedReleases {
        logits: logits(model, dataset, rows)?,
        outcome: rows.iter().map(|&row| dataset.target(row) as f32).collect(),
        weight: rows.iter().map(|&row| dataset.weight[row]).collect(),
        cluster: rows.iter().map(|&row| dataset.cluster[row]).collect(),
        // Who calibrates by hand chose the logs.
        owner: Vec::new(),
        hold_time: rows.iter().map(|&row| dataset.hold_time[row]).collect(),
        decided: rows.iter().map(|&row| dataset.decision_instant[row]).collect(),
    })
}

/// The releases that happened, came to an outcome, and lie after codes that the model knows; and
/// how many lie after others.
pub(super) fn usable(dataset: &Dataset, model: &Model, rows: &[usize]) -> (Vec<usize>, usize) {
    let happened = |row: &&usize| dataset.observed[**row] != 0 && dataset.label[**row] != CENSORED;
    let (known, unknown): (Vec<usize>, Vec<usize>) =
        rows.iter().filter(happened).partition(|&&row| model.metadata.knows(dataset.code[row]));
    (known, unknown.len())
}

/// Fits the calibration of a model to all real outcomes of a dataset, after it was fitted to the
/// older ones and measured on the newer ones. What was found worse there is for the caller to
/// refuse ([`holdadvise::model::RecalibrationCheck::is_worse`]).
///
/// # Errors
/// For fewer than [`LEAST_OUTCOMES`] outcomes; when the older or the newer part is too small, all
/// outcomes are alike, or a likelier success succeeds less often.
pub fn recalibrate(
    dataset: &Dataset,
    model: &Model,
    access_point: &str,
    options: &CheckOptions,
) -> Result<Recalibrated, Error> {
    let options = options.of(dataset)?;
    let all: Vec<usize> = (0..dataset.len()).collect();
    let (rows, unknown) = usable(dataset, model, &all);
    let unknown_action = Action::ALL.len() - 1;
    let known = rows.iter().filter(|&&row| usize::from(dataset.action[row]) != unknown_action);
    let before = model.metadata.calibration;
    let judged = judged(dataset, model, &rows)?;
    let fitted = home::recalibrate(&judged, before, access_point, known.count() as u64, &options);
    fitted.map_err(|error| {
        let why = match error {
            HomeError::Few { outcomes, least } => format!(
                "{} has {outcomes} outcomes of releases after hold codes that the model knows, and \
                 {unknown} after others; a calibration takes {least}. Come back when there are more",
                holdadvise::text::strip_control(access_point)
            ),
            HomeError::Cut { .. } => format!("{error}; a longer log, or a shorter --gap"),
            HomeError::Useless => {
                format!("{error}. Train a model on these logs, or wait for more of them")
            }
            other => other.to_string(),
        };
        format!("{why}. Nothing was written").into()
    })
}

/// What is printed of it.
pub(super) fn text(recalibration: &Recalibration, calibration: Calibration) -> String {
    let Recalibration { check, replaced, .. } = recalibration;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {} outcomes of {} clusters, the action known of {}\n\
         fitted to the {} older ones, measured on the {} newer ones of {} other clusters; 95 % intervals over clusters",
        recalibration.access_point,
        recalibration.outcomes,
        recalibration.clusters,
        recalibration.actions_known,
        check.fitted,
        check.measured,
        check.clusters
    );
    let _ = writeln!(out, "{:<18}{:<26}{:<26}after less before", "", "before", "after");
    for (name, change) in
        [("calibration error", &check.calibration_error), ("log loss", &check.log_loss)]
    {
        let cell = |i: &Interval| format!("{:.3} ({:.3} .. {:.3})", i.value, i.low, i.high);
        let Interval { value, low, high } = change.difference;
        let _ = writeln!(
            out,
            "{name:<18}{:<26}{:<26}{value:+.3} ({low:+.3} .. {high:+.3})",
            cell(&change.before),
            cell(&change.after)
        );
    }
    let _ = writeln!(
        out,
        "slope and intercept before: {:.3} {:+.3}; fitted to all outcomes: {:.3} {:+.3}",
        replaced.a, replaced.b, calibration.a, calibration.b
    );
    out
}

#[cfg(test)]
mod tests {
    use holdadvise::history::Outcome::{Failure, Success};
    use holdadvise::model::{Batch, CodeStatistics, Engine, FeatureSchema, ModelError};

    use super::*;
    use crate::data::dataset::Row;
    use crate::random::Random;

    /// Answers with the only static column.
    #[derive(Debug)]
    struct Says;

    impl Engine for Says {
        fn logits(&self, batch: &Batch<'_>) -> Result<Vec<f32>, ModelError> {
            Ok(batch.statics.to_vec())
        }
    }

    fn schema() -> FeatureSchema {
        FeatureSchema {
            states: vec!["a".to_owned()],
            statics: vec!["logit".to_owned()],
            frame_edges: vec![0, 1],
            slots: 1,
            ..FeatureSchema::default()
        }
    }

    /// A model that knows code 13 and no other.
    fn model() -> Model {
        let mut metadata = Model::builtin_default().unwrap().metadata;
        metadata.schema = schema();
        metadata.calibration = Calibration::default();
        metadata.recalibration = None;
        metadata.codes = vec![CodeStatistics { code: 13, subcode: 2, releases: 99, successes: 50 }];
        Model { metadata, engine: Box::new(Says) }
    }

    /// Rows in order of time, one an hour and two of each cluster, that succeed with the
    /// probability that `truth` makes of their number and their logit.
    fn dataset(rows: usize, truth: impl Fn(usize) -> Calibration) -> Dataset {
        let mut dataset = Dataset::new(schema(), "ap1", true, 7_200);
        let mut random = Random::new(8);
        for row in 0..rows {
            let logit = (random.unit() * 8.0 - 4.0) as f32;
            let success = random.unit() < truth(row).probability(logit);
            let hold_time = 1_700_000_000 + row as i64 * 3_600;
            dataset
                .push(&Row {
                    states: &[0],
                    statics: &[logit],
                    outcome: if success { Success } else { Failure },
                    action: if row % 4 == 0 { Action::AsIs } else { Action::Unknown },
                    cluster: row as i64 / 2,
                    hold_time,
                    decision_instant: hold_time + 60,
                    outcome_time: hold_time + 120,
                    code: 13,
                    ..Row::default()
                })
                .unwrap();
        }
        dataset
    }

    const N: usize = LEAST_OUTCOMES as usize;

    #[test]
    fn a_wrong_slope_is_mended() {
        let truth = Calibration { a: 0.4, b: -0.5 };
        let made =
            recalibrate(&dataset(2 * N, |_| truth), &model(), "ap1", &CheckOptions::default());
        let Recalibrated { calibration, recalibration } = made.unwrap();
        assert!((calibration.a - truth.a).abs() < 0.1, "{calibration:?}");
        assert!((calibration.b - truth.b).abs() < 0.2, "{calibration:?}");
        let check = &recalibration.check;
        assert!(!check.is_worse());
        assert!(check.calibration_error.difference.high < 0.0, "{check:?}");
        assert!(check.calibration_error.after.value < 0.75 * check.calibration_error.before.value);
        assert!(check.log_loss.difference.high < 0.0, "{check:?}");
        assert_eq!((recalibration.outcomes, recalibration.clusters), (2 * N as u64, N as u64));
        assert_eq!(recalibration.actions_known, N as u64 / 2);
        assert_eq!(recalibration.first, 1_700_000_060);
        // Two hours and what lies in them are left out between the parts.
        let (fitted, measured) = (check.fitted, check.measured);
        assert_eq!(measured, 3 * N as u64 / 5);
        assert!(
            fitted + measured < recalibration.outcomes
                && fitted + measured + 5 > recalibration.outcomes
        );
        let shown = text(&recalibration, calibration);
        assert!(
            shown.contains("calibration error") && shown.contains("before: 1.000 +0.000"),
            "{shown}"
        );
    }

    #[test]
    fn the_least_number_of_outcomes_is_enough_and_one_less_is_not() {
        let truth = |_| Calibration { a: 0.4, b: -0.5 };
        let options = CheckOptions::default();
        assert!(recalibrate(&dataset(N, truth), &model(), "ap1", &options).is_ok());
        let mut few = dataset(N, truth);
        few.code[7] = 999;
        let error = recalibrate(&few, &model(), "ap\u{1b}1", &options).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("has 499 outcomes") && said.contains("and 1 after others"), "{said}");
        few.code[7] = 13;
        few.observed[7] = 0;
        let error = recalibrate(&few, &model(), "ap1", &options).unwrap_err().to_string();
        assert!(
            error.contains("has 499 outcomes") && error.contains("and 0 after others"),
            "{error}"
        );
    }

    #[test]
    fn what_held_before_and_no_longer_holds_is_worse() {
        // The model is right of the newest third, and wrong of what was before.
        let truth =
            |row| if row < 2 * N { Calibration { a: 0.2, b: 2.0 } } else { Calibration::default() };
        let made = recalibrate(&dataset(3 * N, truth), &model(), "ap1", &CheckOptions::default());
        let check = made.unwrap().recalibration.check;
        assert!(check.is_worse() && check.calibration_error.difference.low > 0.0, "{check:?}");
    }

    #[test]
    fn a_model_that_is_right_already_is_left_nearly_as_it_was() {
        let made = recalibrate(
            &dataset(N, |_| Calibration::default()),
            &model(),
            "ap1",
            &CheckOptions::default(),
        );
        let calibration = made.unwrap().calibration;
        assert!((calibration.a - 1.0).abs() < 0.2 && calibration.b.abs() < 0.3, "{calibration:?}");
    }

    #[test]
    fn outcomes_that_do_not_do_are_said() {
        let message = |dataset: &Dataset, options: &CheckOptions| {
            recalibrate(dataset, &model(), "ap1", options).unwrap_err().to_string()
        };
        let options = CheckOptions::default();
        let sure = dataset(N, |_| Calibration { a: 0.0, b: 50.0 });
        assert!(message(&sure, &options).contains("all alike"));
        let against = dataset(4 * N, |_| Calibration { a: -3.0, b: 0.0 });
        assert!(message(&against, &options).contains("Train a model on these logs"));
        let some = dataset(N, |_| Calibration::default());
        let long = CheckOptions { gap: Some(3_600 * 1_000), ..options };
        assert!(message(&some, &long).contains("0 older outcomes"));
        assert!(message(&some, &CheckOptions { gap: Some(-1), ..options }).contains("--gap -1"));
        let all = CheckOptions { newer_fraction: 1.0, ..options };
        assert!(message(&some, &all).contains("--newer-fraction 1"));
        let mut weightless = some.clone();
        weightless.weight[350..].fill(0.0);
        assert!(message(&weightless, &options).contains("weights are 0"));
    }
}
