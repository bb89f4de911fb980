use super::super::counts::MatrixLayout;
use super::*;
use crate::model::Node;

/// A model that gives one action this logit, and everything else its negative.
pub(in crate::workflow) fn always(
    vocabulary: Vocabulary,
    action: Recovery,
    logit: f32,
) -> RecoveryModel {
    let forest = |at: usize| {
        let value = if Recovery::ALL.get(at) == Some(&action) { logit } else { -logit };
        Forest { roots: vec![0], nodes: vec![Node::Leaf { value }] }
    };
    let training = TrainingSummary { trained_on: "tests".to_owned(), ..TrainingSummary::default() };
    RecoveryModel::new(vocabulary, std::array::from_fn(forest), training).unwrap()
}

fn vocabulary(causes: usize) -> Vocabulary {
    let layout = MatrixLayout { grouped: false, named: false };
    let causes = (0..causes).map(|at| format!("exit {at}")).collect();
    Vocabulary { layout, causes, sites: Vec::new() }
}

#[test]
fn the_shipped_model_is_small_and_is_written_as_it_was_read() {
    let model = RecoveryModel::shipped().unwrap();
    assert!(SHIPPED.len() < 1_000_000, "{}", SHIPPED.len());
    assert_eq!(model.to_bytes().unwrap(), SHIPPED);
    assert_eq!(model.trained_on(), "simulated access points");
    let causes = &model.vocabulary().causes;
    assert!(causes.iter().any(|cause| cause == "held 34/102 JobOutOfResources"), "{causes:?}");
    assert!(!model.vocabulary().layout.named, "sites of a simulator mean nothing elsewhere");
}

#[test]
fn what_is_no_model_is_refused() {
    let model = always(vocabulary(2), Recovery::Split, 3.0);
    let bytes = model.to_bytes().unwrap();
    assert_eq!(RecoveryModel::from_bytes(&bytes).unwrap(), model);
    for end in (0..bytes.len()).step_by(97) {
        assert!(RecoveryModel::from_bytes(&bytes[..end]).is_err(), "{end}");
    }
    for at in (0..bytes.len()).step_by(13) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        // The sums of the zip do not cover all of it.
        let _ = RecoveryModel::from_bytes(&damaged);
    }
    let error = |model: &RecoveryModel, about: &str, other: &str| {
        let text = String::from_utf8(model.about().unwrap()).unwrap();
        assert!(text.contains(about), "{text}");
        let mut files = model.files();
        files.push((METADATA_ENTRY.to_owned(), text.replacen(about, other, 1).into_bytes()));
        RecoveryModel::from_bytes(&packed(&files).unwrap()).unwrap_err().to_string()
    };
    assert!(error(&model, "\"format\": 1", "\"format\": 7").contains("format 7"));
    assert!(error(&model, "retry.tree_root", "x").contains("retry.tree_root"));
    assert!(error(&model, "      1\n", "      99999999\n").contains("4096 are the most"));
    let causes = vec!["\"x\""; CAUSES].join(",");
    let many = error(&model, "\"exit 0\"", &causes);
    assert!(many.contains("41 causes, at most 40"), "{many}");
    assert!(RecoveryModel::from_bytes(crate::model::DEFAULT_ARCHIVE).is_err());
}

#[test]
fn a_forest_must_fit_the_matrix() {
    let model = always(vocabulary(2), Recovery::Split, 3.0);
    let [height, width] = model.vocabulary.sides();
    let of = |column: usize| {
        let leaf = Node::Leaf { value: 0.5 };
        let column = column as u32;
        let split = Node::Split { column, threshold: 0.0, below: 1, above: 2 };
        let forest = Forest { roots: vec![0], nodes: vec![split, leaf, leaf] };
        let forests = std::array::from_fn(|_| forest.clone());
        RecoveryModel::new(vocabulary(2), forests, TrainingSummary::default())
    };
    assert!(of(height * width - 1).is_ok());
    assert!(of(height * width).is_err());
}
