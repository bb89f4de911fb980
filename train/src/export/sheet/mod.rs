//! The info sheet of a trained model: each statement is made from the rows, the parts and the
//! options of this training.
//!
//! - `leakage`: each kind of leakage, and why.
//! - `shared`: what the parts have in common.

mod leakage;
mod shared;

use std::collections::{BTreeMap, BTreeSet};

use holdadvise::history::Action;
use holdadvise::model::{
    ActionStatistics, CodeStatistics, LEAST_OUTCOMES, LEAST_RELEASES, LEAST_ROWS, Sheet,
    SheetFigure, rows_of_action,
};
use jiff::Timestamp;

use crate::data::dataset::{Dataset, simulation_field};
use crate::evaluation::evaluate::Report;
use crate::split::Split;
use crate::split::selection::SelectionOptions;

/// Figures that stand on the sheet.
const FIGURES: [&str; 5] = ["auroc", "auprc", "brier", "log_loss", "ece"];

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
    let shared = shared::Shared::of(training.dataset, training.split);
    Sheet {
        purpose: purpose(training),
        not_for: not_for(training),
        data: data(training),
        split: split(training),
        not_seen: not_seen(training),
        leakage: leakage::all(training, &shared),
        figures_of: format!(
            "{} releases of {} clusters in the test part, {} of them with success; 95 % bootstrap intervals over clusters",
            training.report.rows, training.report.clusters, training.report.successes
        ),
        figures: figures(training.report),
        closed_loop: None,
    }
}

fn purpose(training: &Training<'_>) -> Vec<String> {
    if training.selection.shuffle_labels {
        return vec![
            "To test for leaks: its labels were permuted, so it can know nothing.".to_owned(),
        ];
    }
    let horizon = hours(training.dataset.info.horizon);
    vec![
        format!(
            "The probability that a held HTCondor job succeeds within {horizon} h of a release, by what is done before it."
        ),
        "Advice to people: release, change, wait, remove, or undecided.".to_owned(),
    ]
}

fn not_for(training: &Training<'_>) -> Vec<String> {
    let info = &training.dataset.info;
    if training.selection.shuffle_labels {
        return vec!["Advice of any kind.".to_owned()];
    }
    let elsewhere = if info.real {
        format!("Percentages on access points other than {}", info.origin)
    } else {
        "Percentages on a real access point".to_owned()
    };
    vec![
        format!(
            "{elsewhere}, before `holdadvise-train calibrate` has fitted it to {LEAST_OUTCOMES} outcomes there; until then it speaks in words."
        ),
        "Removing or releasing jobs with nobody looking.".to_owned(),
        "Judging people by their jobs.".to_owned(),
    ]
}

fn data(training: &Training<'_>) -> Vec<String> {
    let Training { dataset, split, selection, .. } = *training;
    let info = &dataset.info;
    let mut lines = Vec::new();
    let mut simulations: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for simulation in &info.simulations {
        let [preset, days, simulator, fingerprint] = ["preset", "days", "simulator", "fingerprint"]
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
    for (kind, seeds) in simulations {
        lines.push(format!("Simulated access points: {kind}; seeds {}.", ranges(seeds)));
    }
    let (from_oracle, happened): (Vec<usize>, Vec<usize>) =
        split.train.iter().chain(&split.validation).partition(|&&row| dataset.observed[row] == 0);
    let beside = !info.companions.is_empty();
    lines.push(match (info.real, info.simulations.is_empty() || beside) {
        (true, true) => format!("{} real outcomes of {}.", happened.len(), info.origin),
        (true, false) => format!(
            "The rows are marked as real outcomes of {}, though simulations are named.",
            info.origin
        ),
        (false, true) => format!("Origin: {}. No row is marked as real.", info.origin),
        (false, false) => "No real outcome.".to_owned(),
    });
    lines.push(format!(
        "{} rows trained, {} validated: {} releases that happened, {} rows that a simulator tells of (what an action would have come to).",
        split.train.len(), split.validation.len(), happened.len(), from_oracle.len()
    ));
    let companions = split.train.iter().filter(|&&row| dataset.is_companion(row)).count();
    if companions > 0 {
        lines.push(format!(
            "{companions} of the rows trained are of simulated access points (companions). None \
             of them validates or tests."
        ));
    }
    let actions = dataset.actions_of(&split.train);
    let rows = list(actions.iter().map(|of| format!("{} {}", of.action.name(), of.rows)));
    lines.push(format!("Rows trained per action: {rows}."));
    lines.push(format!("Feature schema {}; seed {}.", info.schema.hash, training.seed));
    if selection.shuffle_labels {
        lines.push(
            "Labels were permuted within the training part and within the validation part."
                .to_owned(),
        );
    }
    lines
}

/// The actions that the model does not know.
fn few_rows(actions: &[ActionStatistics]) -> Option<String> {
    let few = Action::ALL.into_iter().filter(|&of| rows_of_action(actions, of) < LEAST_ROWS);
    let few: Vec<&str> = few.map(Action::name).collect();
    (!few.is_empty()).then(|| {
        format!(
            "Enough of the actions {}: fewer than {LEAST_ROWS} rows each. Nothing is advised that rests on them or on their failure.",
            few.join(", ")
        )
    })
}

fn split(training: &Training<'_>) -> Vec<String> {
    let Training { dataset, split, .. } = *training;
    let how = match split.cuts {
        Some(cuts) => format!(
            "By the time of the hold: before {} trains, before {} validates, from then on tests. Rows decided less than {} h before a cut \
             are in no part.",
            day(cuts.train_end),
            day(cuts.validation_end),
            hours(cuts.horizon)
        ),
        None => "By a parts file, not by time: the parts overlap in time.".to_owned(),
    };
    let dropped = &split.dropped;
    vec![
        how,
        format!(
            "Outcomes count within H = {} h of the decision. n: {} train, {} validate, {} test. In no part: {} without outcome, {} near a \
             cut, {} of clusters in an earlier part, {} withheld, {} from a simulator.",
            hours(dataset.info.horizon),
            split.train.len(),
            split.validation.len(),
            split.test.len(),
            dropped.censored,
            dropped.near_cut,
            dropped.cluster,
            dropped.withheld,
            dropped.oracle
        ),
        "The validation part chose the epoch and the calibration.".to_owned(),
    ]
}

fn not_seen(training: &Training<'_>) -> Vec<String> {
    let Training { dataset, selection, codes, .. } = *training;
    let info = &dataset.info;
    let mut lines = Vec::new();
    if !info.real {
        lines.push("Real holds.".to_owned());
    }
    if !selection.withhold_codes.is_empty() {
        lines.push(format!("Hold codes withheld: {}.", list(selection.withhold_codes.iter())));
    }
    let mut releases: BTreeMap<i32, u64> = BTreeMap::new();
    for code in codes {
        *releases.entry(code.code).or_default() += code.releases;
    }
    let (known, few): (Vec<_>, Vec<_>) =
        releases.into_iter().partition(|&(_, releases)| releases >= LEAST_RELEASES);
    if !few.is_empty() {
        lines.push(format!(
            "Enough of the hold codes {}: fewer than {LEAST_RELEASES} releases each.",
            list(few.iter().map(|(code, _)| code))
        ));
    }
    lines.push(format!("Hold codes other than {}.", list(known.iter().map(|(code, _)| code))));
    lines.extend(few_rows(&dataset.actions_of(&training.split.train)));
    if (info.real && info.companions.is_empty()) || selection.releases_only {
        lines.push("Holds that nobody released: they have no outcome.".to_owned());
    }
    if !info.schema.statics.iter().any(|name| name.contains("gpu")) {
        lines.push("GPUs: no input tells of them.".to_owned());
    }
    if !info.simulations.is_empty() {
        lines.push(
            "What the simulator leaves out: DAGMan, job factories, parallel and grid universe, late materialization, priorities \
             and fair share (docs/training/simulator.md)."
                .to_owned(),
        );
    }
    if !selection.without.is_empty() {
        lines.push(format!("Inputs blanked: {}.", list(selection.without.iter())));
    }
    lines
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

fn hours(seconds: i64) -> String {
    let hours = seconds as f64 / 3600.0;
    if hours.fract() == 0.0 { format!("{hours:.0}") } else { format!("{hours:.2}") }
}

fn day(unix: i64) -> String {
    match Timestamp::from_second(unix) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => "the end".to_owned(),
    }
}

/// `1 to 16, 20`.
fn ranges(numbers: Vec<u64>) -> String {
    let numbers: BTreeSet<u64> = numbers.into_iter().collect();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
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

    use holdadvise::model::Found;

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

    fn found(sheet: &Sheet, kind: &str) -> Found {
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
        assert_eq!(found(&by_time, "L1.1"), Found::No);
        assert_eq!(found(&by_time, "L3.1"), Found::No);
        assert!(
            by_time.split[0].starts_with("By the time of the hold: before 1970-01-03 17:00 UTC")
        );
        // A gap shorter than H lets outcomes cross.
        let short = made(&dataset, &in_time(&dataset, Some(0)), &none);
        assert_eq!(found(&short, "L3.1"), Found::Yes);
        let mut owners = Split::all_test(&dataset);
        (owners.train, owners.validation, owners.test) =
            ((0..50).collect(), (70..80).collect(), (50..70).collect());
        let mixed = made(&dataset, &owners, &none);
        assert_eq!(found(&mixed, "L3.1"), Found::Yes);
        assert!(mixed.split[0].contains("not by time"));
        let all = made(&dataset, &Split { test: Vec::new(), ..owners }, &none);
        assert_eq!(found(&all, "L1.1"), Found::Yes);
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
            (Found::Perhaps, Found::Perhaps)
        );
        let test = split.test.len();
        let why = |sheet: &Sheet, at: usize| sheet.leakage[at].why.clone();
        assert!(why(&sheet, 3).starts_with(&format!("{test} of {test} test releases")));
        assert!(why(&sheet, 6).contains("1 of 1 owners and 1 of 1 access points"));
        dataset.owner = (0..100).collect();
        dataset.access_point = (0..100).collect();
        assert_eq!(found(&made(&dataset, &split, &none), "L3.2"), Found::No);
        dataset.cluster[split.test[0]] = dataset.cluster[split.train[0]];
        let sheet = made(&dataset, &split, &none);
        assert_eq!((found(&sheet, "L3.2"), found(&sheet, "L1.4")), (Found::Yes, Found::Yes));
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
        assert_eq!(found(&sheet, "L1.3"), Found::Perhaps);
        assert_eq!(found(&sheet, "L3.3"), Found::Yes);
        let shuffled = SelectionOptions { shuffle_labels: true, ..SelectionOptions::default() };
        let sheet = made(&dataset, &split, &shuffled);
        assert!(sheet.purpose[0].contains("permuted") && sheet.not_for == ["Advice of any kind."]);
        dataset.info.simulations.clear();
        (dataset.info.real, dataset.info.origin) = (true, "ap1.example.org".to_owned());
        let sheet = made(&dataset, &split, &SelectionOptions::default());
        assert!(sheet.data[0].ends_with("real outcomes of ap1.example.org."), "{:?}", sheet.data);
        assert!(!sheet.not_seen.contains(&"Real holds.".to_owned()));
        assert_eq!(found(&sheet, "L3.3"), Found::Perhaps);
    }
}
