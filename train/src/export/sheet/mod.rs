//! The info sheet of a trained model: each statement is made from the rows, the parts and the
//! options of this training.
//!
//! - `shared`: what the parts have in common.
//!
//! The statements themselves are in `sheet.txt`.

mod shared;

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use holdadvise::history::Action;
use holdadvise::model::{
    CodeStatistics, LEAST_OUTCOMES, LEAST_RELEASES, LEAST_ROWS, Leakage, Sheet, SheetFigure,
    rows_of_action,
};
use jiff::Timestamp;

use crate::data::dataset::{Dataset, DatasetInfo, simulation_field};
use crate::evaluation::evaluate::Report;
use crate::split::Split;
use crate::split::selection::SelectionOptions;
use shared::Shared;

/// Figures that stand on the sheet.
const FIGURES: [&str; 5] = ["auroc", "auprc", "brier", "log_loss", "ece"];

/// The kinds of leakage of Kapoor and Narayanan (2023).
const LEAKAGE: [&str; 8] = ["L1.1", "L1.2", "L1.3", "L1.4", "L2", "L3.1", "L3.2", "L3.3"];

/// What a training was.
#[derive(Clone, Copy, Debug)]
pub struct Training<'a> {
    /// What it was made of.
    pub dataset: &'a Dataset,
    /// Its parts, as they were used.
    pub split: &'a Split,
    /// What was left out of them.
    pub selection: &'a SelectionOptions,
    /// Releases per code in the training part.
    pub codes: &'a [CodeStatistics],
    /// Figures on the test part.
    pub report: &'a Report,
    /// Seed.
    pub seed: u64,
}

/// The sheet of a training.
pub fn sheet(training: &Training<'_>) -> Sheet {
    let text = Statements::of(training).to_string();
    Sheet {
        purpose: section(&text, "purpose"),
        not_for: section(&text, "not for"),
        data: section(&text, "data"),
        split: section(&text, "split"),
        not_seen: section(&text, "not seen"),
        leakage: LEAKAGE.iter().filter_map(|kind| leakage(&text, kind)).collect(),
        figures_of: format!(
            "{} releases of {} clusters in the test part, {} of them with success; 95 % bootstrap intervals over clusters",
            training.report.rows, training.report.clusters, training.report.successes
        ),
        figures: figures(training.report),
        closed_loop: None,
    }
}

/// The statements of a sheet, a line each, below the headings of its sections.
#[derive(Template)]
#[template(path = "export/sheet/sheet.txt")]
struct Statements<'a> {
    info: &'a DatasetInfo,
    split: &'a Split,
    selection: &'a SelectionOptions,
    seed: u64,
    /// H, hours.
    horizon: String,
    /// Kinds of simulated access points, and their seeds.
    simulations: BTreeMap<String, BTreeSet<u64>>,
    /// No simulation is what the model was made of.
    alone: bool,
    /// Rows trained or validated that happened, and those that a simulator tells of.
    happened: usize,
    from_oracle: usize,
    companions: usize,
    rows_by_action: String,
    known_codes: Vec<i32>,
    few_codes: Vec<i32>,
    few_actions: Vec<&'static str>,
    gpus: bool,
    shared: Shared,
    /// The columns are those that this program computes.
    own_schema: bool,
}

impl<'a> Statements<'a> {
    fn of(training: &Training<'a>) -> Self {
        let Training { dataset, split, selection, codes, seed, .. } = *training;
        let info = &dataset.info;
        let mut simulations: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for simulation in &info.simulations {
            let [preset, days, simulator, fingerprint] =
                ["preset", "days", "simulator", "fingerprint"]
                    .map(|key| simulation_field(simulation, key));
            let vary = simulation.get("vary").and_then(serde_json::Value::as_f64);
            let mixture = vary.map_or(String::new(), |factor| {
                format!(" (each a mixture of its own, factor {factor})")
            });
            let kind = format!(
                "preset {preset}{mixture}, {days} days each, simulator {simulator}, \
                 fingerprint {fingerprint}"
            );
            let seed = simulation.get("seed").and_then(serde_json::Value::as_u64);
            simulations.entry(kind).or_default().extend(seed);
        }
        let mut releases: BTreeMap<i32, u64> = BTreeMap::new();
        for code in codes {
            *releases.entry(code.code).or_default() += code.releases;
        }
        let (known_codes, few_codes) =
            releases.keys().partition(|code| releases[code] >= LEAST_RELEASES);
        let seen = || split.train.iter().chain(&split.validation);
        let happened = seen().filter(|&&row| dataset.observed[row] != 0).count();
        let actions = dataset.actions_of(&split.train);
        let few = Action::ALL.into_iter().filter(|&of| rows_of_action(&actions, of) < LEAST_ROWS);
        Self {
            info,
            split,
            selection,
            seed,
            horizon: hours(&info.horizon),
            simulations,
            alone: info.simulations.is_empty() || !info.companions.is_empty(),
            happened,
            from_oracle: seen().count() - happened,
            companions: split.train.iter().filter(|&&row| dataset.is_companion(row)).count(),
            rows_by_action: list(
                actions.iter().map(|of| format!("{} {}", of.action.name(), of.rows)),
            ),
            known_codes,
            few_codes,
            few_actions: few.map(Action::name).collect(),
            gpus: info.schema.statics.iter().any(|name| name.contains("gpu")),
            shared: Shared::of(dataset, split),
            own_schema: info.schema.projection().is_ok(),
        }
    }
}

/// The lines below a heading.
fn section(text: &str, heading: &str) -> Vec<String> {
    let below = text.lines().skip_while(|line| line.strip_prefix("# ") != Some(heading)).skip(1);
    below.take_while(|line| !line.starts_with("# ")).map(str::to_owned).collect()
}

/// A kind of leakage: four lines below its heading.
fn leakage(text: &str, kind: &str) -> Option<Leakage> {
    let [name, found, why, shown_by] = section(text, kind).try_into().ok()?;
    let found = serde_json::from_value(found.into()).ok()?;
    Some(Leakage { kind: kind.to_owned(), name, found, why, shown_by })
}

fn figures(report: &Report) -> Vec<SheetFigure> {
    let mut figures = Vec::new();
    for name in FIGURES {
        for method in &report.methods {
            let found = method.figures.iter().find(|(figure, _)| figure == name);
            figures.extend(found.map(|(figure, estimate)| SheetFigure {
                figure: figure.clone(),
                method: method.name.clone(),
                value: estimate.value,
                low: estimate.low,
                high: estimate.high,
            }));
        }
    }
    figures
}

fn list<T: ToString>(items: impl Iterator<Item = T>) -> String {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

fn hours(seconds: &i64) -> String {
    let hours = *seconds as f64 / 3600.0;
    if hours.fract() == 0.0 { format!("{hours:.0}") } else { format!("{hours:.2}") }
}

fn day(unix: &i64) -> String {
    match Timestamp::from_second(*unix) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => "the end".to_owned(),
    }
}

/// `1 to 16, 20`.
fn ranges(numbers: &BTreeSet<u64>) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    list(runs.into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        _ => format!("{first} to {last}"),
    }))
}

#[cfg(test)]
mod tests {
    use holdadvise::history::Outcome::{Failure, Success};

    use holdadvise::model::LeakageFound;

    use super::*;
    use crate::split::tests::rows;
    use crate::split::{Cuts, SplitOptions};

    fn data(horizon: i64) -> Dataset {
        let all: Vec<_> = (0..100)
            .map(|t| (t * 3600, t * 3600, t, if t % 3 == 0 { Success } else { Failure }))
            .collect();
        rows(&all, horizon)
    }

    fn made(dataset: &Dataset, split: &Split, selection: &SelectionOptions) -> Sheet {
        let report = Report {
            rows: split.test.len(),
            successes: 1,
            clusters: split.test.len(),
            cuts: split.cuts,
            methods: Vec::new(),
            codes: Vec::new(),
            actions: Vec::new(),
            decisions: Vec::new(),
            closed_loop: None,
        };
        let codes = [
            CodeStatistics { code: 13, subcode: 2, releases: 40, successes: 9 },
            CodeStatistics { code: 6, subcode: 0, releases: 4, successes: 1 },
        ];
        let codes = &codes;
        sheet(&Training { dataset, split, selection, codes, report: &report, seed: 1 })
    }

    fn found(sheet: &Sheet, kind: &str) -> LeakageFound {
        sheet.leakage.iter().find(|leakage| leakage.kind == kind).unwrap().found
    }

    fn in_time(dataset: &Dataset, horizon: Option<i64>) -> Split {
        let options = SplitOptions { horizon, ..SplitOptions::default() };
        Split::new(dataset, Cuts::new(dataset, &options).unwrap())
    }

    #[test]
    fn statements_follow_the_parts() {
        let dataset = data(7200);
        let none = SelectionOptions::default();
        let by_time = made(&dataset, &in_time(&dataset, None), &none);
        assert_eq!(by_time.leakage.len(), 8);
        assert_eq!(found(&by_time, "L1.1"), LeakageFound::No);
        assert_eq!(found(&by_time, "L3.1"), LeakageFound::No);
        assert!(
            by_time.split[0].starts_with("By the time of the hold: before 1970-01-03 17:00 UTC")
        );
        // A gap shorter than H lets outcomes cross.
        let short = made(&dataset, &in_time(&dataset, Some(0)), &none);
        assert_eq!(found(&short, "L3.1"), LeakageFound::Yes);
        let mut owners = Split::all_test(&dataset);
        (owners.train, owners.validation, owners.test) =
            ((0..50).collect(), (70..80).collect(), (50..70).collect());
        let mixed = made(&dataset, &owners, &none);
        assert_eq!(found(&mixed, "L3.1"), LeakageFound::Yes);
        assert!(mixed.split[0].contains("not by time"));
        let all = made(&dataset, &Split { test: Vec::new(), ..owners }, &none);
        assert_eq!(found(&all, "L1.1"), LeakageFound::Yes);
    }

    #[test]
    fn what_the_parts_share_is_counted() {
        let mut dataset = data(7200);
        let split = in_time(&dataset, None);
        let none = SelectionOptions::default();
        // One owner for all, and inputs that say nothing.
        let sheet = made(&dataset, &split, &none);
        assert_eq!(
            (found(&sheet, "L3.2"), found(&sheet, "L1.4")),
            (LeakageFound::Perhaps, LeakageFound::Perhaps)
        );
        let test = split.test.len();
        let why = |sheet: &Sheet, at: usize| sheet.leakage[at].why.clone();
        assert!(why(&sheet, 3).starts_with(&format!("{test} of {test} test releases")));
        assert!(why(&sheet, 6).contains("1 of 1 owners and 1 of 1 access points"));
        dataset.owner = (0..100).collect();
        dataset.access_point = (0..100).collect();
        assert_eq!(found(&made(&dataset, &split, &none), "L3.2"), LeakageFound::No);
        dataset.cluster[split.test[0]] = dataset.cluster[split.train[0]];
        let sheet = made(&dataset, &split, &none);
        assert_eq!(
            (found(&sheet, "L3.2"), found(&sheet, "L1.4")),
            (LeakageFound::Yes, LeakageFound::Yes)
        );
    }

    #[test]
    fn statements_follow_options_and_origin() {
        let mut dataset = data(7200);
        dataset.info.simulations = [3, 1, 2, 9].map(|seed| serde_json::json!({"preset": "small", "seed": seed, "days": 2, "simulator": 1, "fingerprint": "f"})).into();
        let split = in_time(&dataset, None);
        let options = SelectionOptions {
            withhold_codes: vec![12],
            without: vec!["states".to_owned()],
            ..SelectionOptions::default()
        };
        let sheet = made(&dataset, &split, &options);
        assert_eq!(
            sheet.data[0],
            "Simulated access points: preset small, 2 days each, simulator 1, fingerprint f; seeds 1 to 3, 9."
        );
        assert_eq!(sheet.data[1], "No real outcome.");
        dataset.info.simulations[0]["vary"] = 6.0.into();
        let sheet_of_mixtures = made(&dataset, &split, &options);
        assert!(
            sheet_of_mixtures.data[0]
                .contains("small (each a mixture of its own, factor 6), 2 days"),
            "{:?}",
            sheet_of_mixtures.data
        );
        assert_eq!(
            sheet.not_seen[..3],
            [
                "Real holds.",
                "Hold codes withheld: 12.",
                "Enough of the hold codes 6: fewer than 30 releases each."
            ]
        );
        assert!(sheet.not_seen.contains(&"Inputs blanked: states.".to_owned()));
        assert_eq!(found(&sheet, "L1.3"), LeakageFound::Perhaps);
        assert_eq!(found(&sheet, "L3.3"), LeakageFound::Yes);
        let shuffled = SelectionOptions { shuffle_labels: true, ..SelectionOptions::default() };
        let sheet = made(&dataset, &split, &shuffled);
        assert!(sheet.purpose[0].contains("permuted") && sheet.not_for == ["Advice of any kind."]);
        dataset.info.simulations.clear();
        (dataset.info.real, dataset.info.origin) = (true, "ap1.example.org".to_owned());
        let sheet = made(&dataset, &split, &SelectionOptions::default());
        assert!(sheet.data[0].ends_with("real outcomes of ap1.example.org."), "{:?}", sheet.data);
        assert!(!sheet.not_seen.contains(&"Real holds.".to_owned()));
        assert_eq!(found(&sheet, "L3.3"), LeakageFound::Perhaps);
    }
}
