//! Each kind of leakage of Kapoor and Narayanan (2023): whether it is there, and why.

use holdadvise::model::{Found, Leakage};

use super::shared::Shared;
use super::{Training, list};

/// Whether it is there, and why.
type Finding = (Found, String);

fn no(why: impl Into<String>) -> Finding {
    (Found::No, why.into())
}

fn perhaps(why: impl Into<String>) -> Finding {
    (Found::Perhaps, why.into())
}

fn yes(why: impl Into<String>) -> Finding {
    (Found::Yes, why.into())
}

pub(super) fn all(training: &Training<'_>, shared: &Shared) -> Vec<Leakage> {
    let own_schema = own_schema(training);
    let schema_tests = "docs/training/features.md, tests/features_document.rs";
    let functions = "train/src/training, functions standard and calibrate";
    let time_tests = "tests/time_travel.rs, tests/serving_equals_training.rs";
    let counted = "counted by train/src/export/sheet";
    let cuts = format!("{counted}; train/src/split, no_outcome_and_no_cluster_crosses_a_cut");
    let documents = "docs/training/evaluation.md, docs/training/simulator.md";
    let (preparation, selection) = (preparation(), selection(training, own_schema));
    let kinds: [(&str, &str, Finding, &str); 8] = [
        ("L1.1", "no test set", test_set(shared), "train/src/split"),
        ("L1.2", "pre-processing on training and test set", preparation, functions),
        ("L1.3", "feature selection on training and test set", selection, schema_tests),
        ("L1.4", "duplicates in the data", duplicates(shared), counted),
        ("L2", "features that are not legitimate", legitimacy(own_schema), time_tests),
        ("L3.1", "temporal leakage", time(training, shared), &cuts),
        ("L3.2", "training and test not independent", independence(shared), counted),
        ("L3.3", "sampling bias of the test", sampling(training), documents),
    ];
    let leakage = kinds.into_iter().map(|(kind, name, (found, why), shown_by)| Leakage {
        kind: kind.to_owned(),
        name: name.to_owned(),
        found,
        why,
        shown_by: shown_by.to_owned(),
    });
    leakage.collect()
}

/// The columns are those that this program computes.
fn own_schema(training: &Training<'_>) -> bool {
    training.dataset.info.schema.projection().is_ok()
}

fn test_set(shared: &Shared) -> Finding {
    match shared.test {
        0 => yes(
            "There is no release in the test part: nothing is known of data that it was not made from.",
        ),
        test => no(format!(
            "The figures are of {test} releases that neither trained nor chose epoch and calibration. \
             Whether options were chosen by test figures of earlier trainings, this file cannot tell."
        )),
    }
}

fn preparation() -> Finding {
    no(
        "What is fitted to the columns, such as their means and scales, is fitted to the training rows and a \
         part of the network; slope and intercept of the calibration are fitted to the validation rows. No \
         test row enters.",
    )
}

fn selection(training: &Training<'_>, own_schema: bool) -> Finding {
    let without = &training.selection.without;
    if !without.is_empty() {
        return perhaps(format!(
            "Inputs were left out by option ({}); whether test figures were looked at before, this file cannot tell.",
            list(without.iter())
        ));
    }
    if own_schema {
        return no(
            "All columns of the schema are inputs; the schema is a part of the program, and nothing chose \
             among them by data.",
        );
    }
    perhaps("The columns are not those of this program; how they were chosen is not known.")
}

fn duplicates(shared: &Shared) -> Finding {
    let Shared { test, alike, .. } = shared;
    match (shared.clusters, alike) {
        (0, 0) => no(
            "No test release has the inputs of a row that trained or validated. All rows of a hold are in \
             one part.",
        ),
        (0, _) => perhaps(format!(
            "{alike} of {test} test releases have, byte for byte, the inputs of a row of another cluster that \
             trained or validated: other jobs of which the same is known. All rows of a hold are in one part."
        )),
        (clusters, _) => yes(also_train(clusters)),
    }
}

fn also_train(clusters: usize) -> String {
    format!("{clusters} clusters of the test also train or validate.")
}

fn legitimacy(own_schema: bool) -> Finding {
    if own_schema {
        return no(
            "Inputs are what events and ads told up to the decision, of the job itself up to its hold. \
             Outcome, hidden cause and true probability lie beside them in the dataset and are no columns.",
        );
    }
    perhaps(
        "The columns are not those of this program; when their values become known is not known.",
    )
}

fn time(training: &Training<'_>, shared: &Shared) -> Finding {
    let seen = training.split.train.len() + training.split.validation.len();
    match (shared.test, shared.late) {
        (0, _) => perhaps("There is no test part to compare with."),
        (_, 0) => no(
            "Every row that trained or validated was decided more than H before the first hold of the test.",
        ),
        (_, late) => yes(format!(
            "{late} of {seen} rows that trained or validated were decided less than H before the first hold of \
             the test, or after it: outages of the test may have been seen."
        )),
    }
}

fn independence(shared: &Shared) -> Finding {
    let ((owners, of_owners), (points, of_points)) = (shared.owners, shared.access_points);
    let apart = format!(
        "{owners} of {of_owners} owners and {points} of {of_points} access points of the test also train or validate"
    );
    match (shared.clusters, owners) {
        (0, 0) => no(format!("No cluster is in two parts; {apart}.")),
        (0, _) => perhaps(format!(
            "No cluster is in two parts; {apart}: the figures are of people like those seen. Intervals are drawn \
             over clusters."
        )),
        (clusters, _) => yes(format!("{} {apart}.", also_train(clusters))),
    }
}

fn sampling(training: &Training<'_>) -> Finding {
    let info = &training.dataset.info;
    let withheld = match training.selection.withhold_codes.is_empty() {
        true => "",
        false => " The test has hold codes that were withheld from training.",
    };
    if info.real {
        return perhaps(format!(
            "The test has the holds that people of {} chose to release, and no others.{withheld}",
            info.origin
        ));
    }
    yes(format!(
        "The test is not a sample of the holds of any real access point. How common each cause is was assumed, and the \
         releases are those that simulated people chose.{withheld}"
    ))
}
