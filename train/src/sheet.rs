//! The info sheet of a trained model: each statement is made from the rows, the parts and the options of this training.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use holdadvise::features::{FeatureSchema, FrameEdges};
use holdadvise::model::{
    CodeStatistics, Dimensions, Found, LEAST_OUTCOMES, LEAST_RELEASES, Leakage, Sheet, SheetFigure,
};
use jiff::Timestamp;

use crate::dataset::Dataset;
use crate::evaluate::Report;
use crate::selection::SelectionOptions;
use crate::split::Split;

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

/// What the parts have in common, counted.
struct Common {
    /// Releases that happened in the test part.
    test: usize,
    clusters: usize,
    owners: (usize, usize),
    access_points: (usize, usize),
    /// Test releases with the inputs of a row that trained or validated.
    alike: usize,
    /// Rows that trained or validated whose outcome may lie after the first hold of the test.
    late: usize,
}

impl Common {
    fn of(dataset: &Dataset, split: &Split) -> Self {
        let seen = || split.train.iter().chain(&split.validation).copied();
        let test: Vec<usize> =
            split.test.iter().copied().filter(|&row| dataset.observed[row] != 0).collect();
        let first = test.iter().map(|&row| dataset.hold_time[row]).min().unwrap_or(i64::MAX);
        let ends = |row: usize| dataset.decision_instant[row].saturating_add(dataset.info.horizon);
        let shared = |values: &[i64]| {
            let before: HashSet<i64> = seen().map(|row| values[row]).collect();
            let here: HashSet<i64> = test.iter().map(|&row| values[row]).collect();
            (here.intersection(&before).count(), here.len())
        };
        let access_points: Vec<i64> = dataset.access_point.iter().copied().map(i64::from).collect();
        let inputs: HashSet<u64> = seen().map(|row| input(dataset, row)).collect();
        Self {
            clusters: shared(&dataset.cluster).0,
            owners: shared(&dataset.owner),
            access_points: shared(&access_points),
            alike: test.iter().filter(|&&row| inputs.contains(&input(dataset, row))).count(),
            late: seen().filter(|&row| ends(row) >= first).count(),
            test: test.len(),
        }
    }
}

/// Hash of all that the model sees of a row.
fn input(dataset: &Dataset, row: usize) -> u64 {
    let d = Dimensions::of(&dataset.info.schema);
    let size = d.m * d.j;
    let mut hasher = DefaultHasher::new();
    dataset.states[row * size..(row + 1) * size].hash(&mut hasher);
    for value in &dataset.statics[row * d.k..(row + 1) * d.k] {
        value.to_bits().hash(&mut hasher);
    }
    hasher.finish()
}

/// The sheet of a training.
pub fn sheet(training: &Training<'_>) -> Sheet {
    let common = Common::of(training.dataset, training.split);
    Sheet {
        purpose: purpose(training),
        not_for: not_for(training),
        data: data(training),
        split: split(training),
        not_seen: not_seen(training),
        leakage: leakage(training, &common),
        figures_of: format!(
            "{} releases of {} clusters in the test part, {} of them with success; 95 % bootstrap intervals over clusters",
            training.report.rows, training.report.clusters, training.report.successes
        ),
        figures: figures(training.report),
    }
}

fn purpose(training: &Training<'_>) -> Vec<String> {
    if training.selection.shuffle_labels {
        return vec![
            "To test for leaks: its labels were permuted, so it can know nothing.".to_owned(),
        ];
    }
    let hours = training.dataset.info.horizon as f64 / 3600.0;
    vec![
        format!(
            "The probability that a held HTCondor job succeeds within {hours:.0} hours of a release, by what is done before it."
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
        let text = |key: &str| match simulation.get(key) {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => "not known".to_owned(),
        };
        let kind = format!(
            "preset {}, {} days each, simulator {}, fingerprint {}",
            text("preset"),
            text("days"),
            text("simulator"),
            text("fingerprint")
        );
        let seed = simulation.get("seed").and_then(serde_json::Value::as_u64);
        simulations.entry(kind).or_default().extend(seed);
    }
    for (kind, seeds) in simulations {
        lines.push(format!("Simulated access points: {kind}; seeds {}.", ranges(seeds)));
    }
    let (told, happened): (Vec<usize>, Vec<usize>) =
        split.train.iter().chain(&split.validation).partition(|&&row| dataset.observed[row] == 0);
    lines.push(match (info.real, info.simulations.is_empty()) {
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
        split.train.len(), split.validation.len(), happened.len(), told.len()
    ));
    lines.push(format!("Feature schema {}; seed {}.", info.schema.hash, training.seed));
    if selection.shuffle_labels {
        lines.push(
            "Labels were permuted within the training part and within the validation part."
                .to_owned(),
        );
    }
    lines
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
             cut, {} of clusters in an earlier part, {} withheld, {} told by a simulator.",
            hours(dataset.info.horizon),
            split.train.len(),
            split.validation.len(),
            split.test.len(),
            dropped.censored,
            dropped.near_cut,
            dropped.cluster,
            dropped.withheld,
            dropped.told
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
    if info.real || selection.releases_only {
        lines.push("Holds that nobody released: they have no outcome.".to_owned());
    }
    if !info.schema.statics.iter().any(|name| name.contains("gpu")) {
        lines.push("GPUs: no input tells of them.".to_owned());
    }
    if !info.simulations.is_empty() {
        lines.push(
            "What the simulator leaves out: DAGMan, job factories, parallel and grid universe, late materialization, priorities \
             and fair share (docs/simulator.md)."
                .to_owned(),
        );
    }
    if !selection.without.is_empty() {
        lines.push(format!("Inputs blanked: {}.", list(selection.without.iter())));
    }
    lines
}

fn leakage(training: &Training<'_>, common: &Common) -> Vec<Leakage> {
    let Training { dataset, split, selection, .. } = *training;
    let info = &dataset.info;
    let kind = |kind: &str, name: &str, (found, why): (Found, String), shown_by: &str| Leakage {
        kind: kind.to_owned(),
        name: name.to_owned(),
        found,
        why,
        shown_by: shown_by.to_owned(),
    };
    let test = common.test;
    let no_test = if test == 0 {
        (Found::Yes, "There is no release in the test part: nothing is known of data that it was not made from.".to_owned())
    } else {
        (
            Found::No,
            format!(
                "The figures are of {test} releases that neither trained nor chose epoch and calibration."
            ),
        )
    };
    let prepared = (
        Found::No,
        "Means and scales of the statics are those of the training rows and a part of the network; slope and intercept of the \
         calibration are fitted to the validation rows. No test row enters."
            .to_owned(),
    );
    let own_schema = FrameEdges::new(info.schema.frame_edges.clone())
        .is_some_and(|frames| FeatureSchema::with_frames(&frames).hash == info.schema.hash);
    let selected = match (own_schema, selection.without.is_empty()) {
        (true, true) => (
            Found::No,
            "All columns of the schema are inputs; the schema is a part of the program, and nothing chose among them by data.".to_owned(),
        ),
        (_, false) => (
            Found::Perhaps,
            format!("Inputs were left out by option ({}); whether test figures were looked at before, this file cannot tell.", list(selection.without.iter())),
        ),
        (false, true) => (
            Found::Perhaps,
            "The columns are not those of this program; how they were chosen is not known.".to_owned(),
        ),
    };
    let twice = match (common.clusters, common.alike) {
        (0, 0) => (Found::No, "No test release has the inputs of a row that trained or validated. All rows of a hold are in one part.".to_owned()),
        (0, alike) => (
            Found::Perhaps,
            format!(
                "{alike} of {test} test releases have, byte for byte, the inputs of a row of another cluster that trained or validated: other \
                 jobs of which the same is known. All rows of a hold are in one part."
            ),
        ),
        (clusters, _) => (Found::Yes, format!("{clusters} clusters of the test also train or validate.")),
    };
    let legitimate = if own_schema {
        (
            Found::No,
            "Inputs are what events and ads told up to the decision, of the job itself up to its hold. Outcome, hidden cause and true \
             probability lie beside them in the dataset and are no columns."
                .to_owned(),
        )
    } else {
        (
            Found::Perhaps,
            "The columns are not those of this program; when they are known is not known."
                .to_owned(),
        )
    };
    let temporal = match common.late {
        _ if test == 0 => (Found::Perhaps, "There is no test part to compare with.".to_owned()),
        0 => (
            Found::No,
            "Every row that trained or validated was decided more than H before the first hold of the test.".to_owned(),
        ),
        late => (
            Found::Yes,
            format!(
                "{late} of {} rows that trained or validated were decided less than H before the first hold of the test, or after it: outages \
                 of the test may have been seen.",
                split.train.len() + split.validation.len()
            ),
        ),
    };
    let ((owners, of_owners), (points, of_points)) = (common.owners, common.access_points);
    let apart = format!(
        "{owners} of {of_owners} owners and {points} of {of_points} access points of the test also train or validate"
    );
    let independent = match (common.clusters, owners) {
        (0, 0) => (Found::No, format!("No cluster is in two parts; {apart}.")),
        (0, _) => (
            Found::Perhaps,
            format!(
                "No cluster is in two parts; {apart}: the figures are of people like those seen. Intervals are drawn over clusters."
            ),
        ),
        (clusters, _) => (
            Found::Yes,
            format!("{clusters} clusters of the test also train or validate; {apart}."),
        ),
    };
    let withheld = match selection.withhold_codes.is_empty() {
        true => "",
        false => " The test has hold codes that were withheld from training.",
    };
    let sampled = if info.real {
        (
            Found::Perhaps,
            format!(
                "The test has the holds that people of {} chose to release, and no others.{withheld}",
                info.origin
            ),
        )
    } else {
        (
            Found::Yes,
            format!(
                "The test is not a sample of the holds of any real access point. How common each cause is was assumed, and the releases are those that \
                 simulated people chose.{withheld}"
            ),
        )
    };
    vec![
        kind("L1.1", "no test set", no_test, "train/src/split.rs"),
        kind(
            "L1.2",
            "pre-processing on training and test set",
            prepared,
            "train/src/training.rs, functions standard and calibrate",
        ),
        kind(
            "L1.3",
            "feature selection on training and test set",
            selected,
            "docs/features.md, tests/features_document.rs",
        ),
        kind("L1.4", "duplicates in the data", twice, "counted by train/src/sheet.rs"),
        kind(
            "L2",
            "features that are not legitimate",
            legitimate,
            "tests/time_travel.rs, tests/serving_equals_training.rs",
        ),
        kind(
            "L3.1",
            "temporal leakage",
            temporal,
            "counted by train/src/sheet.rs; train/src/split.rs, no_outcome_and_no_cluster_crosses_a_cut",
        ),
        kind(
            "L3.2",
            "training and test not independent",
            independent,
            "counted by train/src/sheet.rs; train/src/split.rs",
        ),
        kind("L3.3", "sampling bias of the test", sampled, "docs/evaluation.md, docs/simulator.md"),
    ]
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
