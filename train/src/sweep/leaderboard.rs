//! The trials of a sweep, the best first: `leaderboard.txt` for people, `leaderboard.json` for
//! programs.

use std::collections::BTreeSet;
use std::fmt::Write;

use holdadvise::text::shown;
use serde::Serialize;
use serde_json::Value;

use super::importance::Importances;
use super::plan::{BestTrial, Fate, Goal};
use super::results::{Counts, Results, TrialResults};
use crate::training::trial::RungResult;
use holdadvise::metrics::half_width_of_difference;

/// Version of [`Leaderboard`].
pub const LEADERBOARD_FORMAT: u32 = 2;

/// Share of the trees from which it is said. Assumed.
const MANY_TREES: f64 = 0.7;

/// Characters of a cell.
const CELL: usize = 40;

/// The trials, the best first.
#[derive(Clone, Debug, Serialize)]
pub struct Leaderboard {
    /// [`LEADERBOARD_FORMAT`].
    pub format: u32,
    /// The sweep.
    pub sweep: String,
    /// What decides.
    pub metric: String,
    /// Which way is better.
    pub goal: Goal,
    /// How far the sweep is.
    pub counts: Counts,
    /// What each parameter explains.
    pub importance: Importances,
    /// The trials.
    pub trials: Vec<Entry>,
}

/// A trial.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// From 1.
    pub place: usize,
    /// The trial.
    pub trial: usize,
    /// What became of it, in words.
    pub fate: String,
    /// The last rung it finished, 0: none.
    pub rung: usize,
    /// Epochs it trained.
    pub epochs: usize,
    /// Figures on the validation part, on that rung.
    pub metrics: std::collections::BTreeMap<String, f64>,
    /// Rows of the validation part.
    pub validation_rows: usize,
    /// Clusters of the validation part.
    pub validation_clusters: usize,
    /// Half of the 95 % interval of the figure that decides; `None` where there are fewer than ten
    /// clusters, or it was trained by a version that did not say.
    pub half_width: Option<f64>,
    /// The figure that decides, less that of the best, and half of the 95 % interval of this
    /// difference, of the same clusters; `None` for the best.
    pub behind: Option<Behind>,
    /// How much the trees weigh beside the network, 0 to 1.
    pub share_of_trees: f64,
    /// It is the model that it began with: the training found nothing better.
    pub kept_beginning: bool,
    /// Seconds spent training it.
    pub seconds: f64,
    /// The setting whose data it trained on.
    pub setting: usize,
    /// Its parameters.
    pub parameters: std::collections::BTreeMap<String, Value>,
}

/// How far a trial lies from the best.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Behind {
    /// Its figure less that of the best.
    pub difference: f64,
    /// Half of the 95 % interval of the difference; `None` where they have not the same clusters.
    pub half_width: Option<f64>,
}

impl Behind {
    pub(super) fn of(result: &RungResult, best: &RungResult, metric: &str) -> Option<Self> {
        let difference = result.metrics.get(metric)? - best.metrics.get(metric)?;
        let same = result.validation_rows == best.validation_rows
            && result.validation_clusters == best.validation_clusters;
        let [one, other] = [result, best].map(|of| of.without_groups.get(metric));
        let half_width = match (one, other) {
            (Some(one), Some(other)) if same => half_width_of_difference(one, other),
            _ => None,
        };
        Some(Self { difference, half_width })
    }

    /// The difference lies within its interval: chance may have made it.
    pub fn is_tie(&self) -> bool {
        self.half_width.is_some_and(|half| self.difference.abs() <= half)
    }
}

/// What became of a trial, in words.
pub(super) fn fate(results: &Results, trial: &TrialResults) -> String {
    let number = trial.trial.number;
    if results.best == Some(number) {
        return "best".to_owned();
    }
    let last = results.plan.rungs.last().map_or(0, |rung| rung.number);
    // The decision after the last rung says nothing but which is best.
    let mut fates = results.decisions.range(..last).filter_map(|(&rung, decision)| {
        decision.fates.iter().find(|(of, _)| *of == number).map(|&(_, fate)| (rung, fate))
    });
    match (fates.find(|(_, fate)| *fate != Fate::GoesOn), trial.last()) {
        (_, Some(result)) if result.diverged => format!("diverged on rung {}", result.rung),
        (_, Some(result)) if result.rung == last => "trained to the end".to_owned(),
        (Some((rung, Fate::Lost)), _) => format!("lost after rung {rung}"),
        (Some(_), _) => "stopped early".to_owned(),
        (None, Some(result)) => format!("rung {} done", result.rung),
        (None, None) if trial.epochs == 0 => "not begun".to_owned(),
        (None, None) => "training".to_owned(),
    }
}

impl Leaderboard {
    /// Of the results so far.
    pub fn new(results: &Results) -> Self {
        let metric = &results.plan.metric.name;
        let ranking = results.ranking();
        let best = ranking.first().and_then(|best| best.last());
        let entries = ranking.iter().enumerate().map(|(at, trial)| {
            let last = trial.last();
            Entry {
                place: at + 1,
                trial: trial.trial.number,
                fate: fate(results, trial),
                rung: last.map_or(0, |result| result.rung),
                epochs: last.map_or(0, |result| result.epoch).max(trial.epochs),
                metrics: last.map(|result| result.metrics.clone()).unwrap_or_default(),
                validation_rows: last.map_or(0, |result| result.validation_rows),
                validation_clusters: last.map_or(0, |result| result.validation_clusters),
                half_width: last.and_then(|last| last.half_width(metric)),
                behind: match (at, last, best) {
                    (1.., Some(last), Some(best)) => Behind::of(last, best, metric),
                    _ => None,
                },
                share_of_trees: last.map_or(0.0, |result| result.share_of_trees),
                kept_beginning: last.is_some_and(|result| result.kept_beginning),
                seconds: last.map_or(0.0, |result| result.seconds),
                setting: trial.trial.setting,
                parameters: trial.parameters.clone(),
            }
        });
        Self {
            format: LEADERBOARD_FORMAT,
            sweep: results.plan.name.clone(),
            metric: results.plan.metric.name.clone(),
            goal: results.plan.metric.goal,
            counts: results.counts(),
            importance: Importances::of(results),
            trials: entries.collect(),
        }
    }

    /// Headings and cells of a table: the metric that decides first, then the others, then
    /// parameters that are not the same in all trials.
    pub fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let entries = || self.trials.iter();
        let mut metrics: BTreeSet<&String> =
            entries().flat_map(|entry| entry.metrics.keys()).collect();
        metrics.remove(&self.metric);
        let metrics: Vec<&String> = std::iter::once(&self.metric).chain(metrics).collect();
        let drawn: Vec<_> =
            entries().map(|entry| &entry.parameters).filter(|of| !of.is_empty()).collect();
        let names: BTreeSet<&String> = drawn.iter().flat_map(|of| of.keys()).collect();
        let varies =
            |name: &&String| drawn.windows(2).any(|pair| pair[0].get(*name) != pair[1].get(*name));
        let names: Vec<&String> = names.into_iter().filter(varies).collect();
        let several = self.trials.windows(2).any(|pair| pair[0].setting != pair[1].setting);

        let mut columns = ["place", "trial", "fate", "rung", "epochs"].map(str::to_owned).to_vec();
        columns.extend([plain(&self.metric), "+-".to_owned(), "to the best".to_owned()]);
        columns.extend(metrics.iter().skip(1).map(|name| plain(name)));
        columns.extend(["rows", "clusters", "trees"].map(str::to_owned));
        columns.push("seconds".to_owned());
        columns.extend(several.then(|| "setting".to_owned()));
        columns.extend(names.iter().map(|name| plain(name)));
        let row = |entry: &Entry| {
            let mut row = vec![
                entry.place.to_string(),
                format!("{:03}", entry.trial),
                entry.fate.clone(),
                entry.rung.to_string(),
                entry.epochs.to_string(),
            ];
            let figure = |name: &String| number(entry.metrics.get(name).copied());
            row.extend([figure(&self.metric), number(entry.half_width), to_the_best(entry)]);
            row.extend(metrics.iter().skip(1).map(|&name| figure(name)));
            row.push(entry.validation_rows.to_string());
            row.push(entry.validation_clusters.to_string());
            row.push(format!("{:.0} %", 100.0 * entry.share_of_trees));
            row.push(format!("{:.0}", entry.seconds));
            row.extend(several.then(|| entry.setting.to_string()));
            row.extend(
                names.iter().map(|&name| entry.parameters.get(name).map_or("-".to_owned(), cell)),
            );
            row
        };
        (columns, self.trials.iter().map(row).collect())
    }

    /// How far the sweep is, in words.
    pub fn progress(&self) -> String {
        let Counts { run, skipped_lost, skipped_stopped, open, training_hours } = self.counts;
        format!(
            "{run} trainings on a rung done, {skipped_lost} skipped because the trial had lost, {skipped_stopped} because it had \
             stopped early, {open} open; {training_hours:.2} hours of training"
        )
    }

    /// What the validation part can and cannot show, a sentence each.
    pub fn remarks(&self) -> Vec<String> {
        let Some((best, others)) = self.trials.split_first() else { return Vec::new() };
        if best.validation_rows == 0 {
            return Vec::new();
        }
        let mut remarks = vec![
            decided_by(&self.metric, best.validation_rows, best.validation_clusters),
            "+- is half of a 95 % interval.".to_owned(),
        ];
        let compared = others.iter().filter_map(|entry| entry.behind.as_ref());
        let compared: Vec<_> = compared.filter(|behind| behind.half_width.is_some()).collect();
        let ties = compared.iter().filter(|behind| behind.is_tie()).count();
        remarks.extend(tied(ties, compared.len()));
        remarks.extend(of_the_best(best.share_of_trees, best.kept_beginning));
        remarks
    }

    /// As text.
    pub fn text(&self) -> String {
        let way = self.goal.way();
        let mut out = format!(
            "Sweep {}: {} trials by {}, {way} is better; figures on the validation part\n{}\n\n",
            plain(&self.sweep),
            self.trials.len(),
            plain(&self.metric),
            self.progress()
        );
        let (columns, rows) = self.table();
        let widths: Vec<usize> = (0..columns.len())
            .map(|at| {
                let cells = rows.iter().chain([&columns]).map(|row| row[at].chars().count());
                cells.max().unwrap_or(0)
            })
            .collect();
        for row in std::iter::once(&columns).chain(&rows) {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(line, "{cell:<width$}  ");
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
        for lines in [self.remarks(), self.importance.lines(&plain(&self.metric))] {
            for (at, line) in lines.into_iter().enumerate() {
                let _ = writeln!(out, "{}{line}", if at == 0 { "\n" } else { "" });
            }
        }
        out
    }
}

/// How many validation rows decided.
fn decided_by(metric: &str, rows: usize, clusters: usize) -> String {
    let metric = plain(metric);
    format!("{rows} validation rows of {clusters} clusters decided, by {metric}.")
}

/// How many trials chance may have decided between.
fn tied(ties: usize, compared: usize) -> Option<String> {
    (ties > 0).then(|| {
        format!(
            "{ties} of {compared} others differ from the best by less than their interval (=): \
             chance may have decided between them."
        )
    })
}

/// What of the best says that the sweep decided little.
fn of_the_best(share_of_trees: f64, kept_beginning: bool) -> Vec<String> {
    let kept = "The best is the model that the trials began with: on the validation part what it \
                was trained on to was no better.";
    let mut remarks = Vec::new();
    remarks.extend(kept_beginning.then(|| kept.to_owned()));
    if share_of_trees >= MANY_TREES {
        remarks.push(format!(
            "Of the best, the trees weigh {:.0} %: what varies in the network decides little.",
            100.0 * share_of_trees
        ));
    }
    remarks
}

/// What the validation part showed of the best trial, a sentence each, for those who have no other
/// trial at hand.
pub(super) fn remarks_on(best: &BestTrial, metric: &str) -> Vec<String> {
    let RungResult { validation_rows, validation_clusters, .. } = best.result;
    if validation_rows == 0 {
        return Vec::new();
    }
    let mut remarks = vec![decided_by(metric, validation_rows, validation_clusters)];
    remarks.extend(tied(best.ties, best.compared));
    remarks.extend(of_the_best(best.result.share_of_trees, best.result.kept_beginning));
    remarks
}

fn number(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.4}"))
}

/// The difference to the best, with `=` where chance may have made it.
fn to_the_best(entry: &Entry) -> String {
    let Some(behind) = entry.behind else { return "-".to_owned() };
    let half = behind.half_width.map_or(String::new(), |half| format!(" +- {half:.4}"));
    format!("{:+.4}{half}{}", behind.difference, if behind.is_tie() { " =" } else { "" })
}

fn plain(text: &str) -> String {
    shown(text, CELL)
}

/// A parameter as it stands in a table.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => plain(text),
        Value::Number(number) if number.is_f64() => {
            let value = number.as_f64().unwrap_or(f64::NAN);
            let digits = format!("{value:.4e}");
            // Four digits, as a plain number where that is short.
            digits.parse::<f64>().map_or(digits, |value| match value.abs() {
                0.0 | 1e-3..1e6 => value.to_string(),
                _ => format!("{value:e}"),
            })
        }
        other => plain(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::results::tests::finished;

    #[test]
    fn the_best_is_first_and_what_is_the_same_everywhere_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path());
        let leaderboard = Leaderboard::new(&Results::read(folder.path()).unwrap());
        insta::assert_snapshot!("leaderboard", leaderboard.text());
        let json = serde_json::to_value(&leaderboard).unwrap();
        assert_eq!(json["trials"][0]["trial"], 1);
        assert_eq!(json["counts"]["skipped_lost"], 1);
    }

    #[test]
    fn numbers_are_short() {
        let of = |value: f64| cell(&Value::from(value));
        assert_eq!(
            [of(0.001_234_567), of(0.000_012_345_6), of(0.1), of(0.0), of(2.5e9)],
            ["0.0012346", "1.2346e-5", "0.1", "0", "2.5e9"]
        );
        assert_eq!(cell(&Value::from("a\u{1b}[31mb")), "ab");
    }
}
