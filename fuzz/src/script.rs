//! Scripts.

use holdadvise::profile::{ScriptModel, column_names, columns};
use scripttree::{Language, read};

/// Any bytes as a script of each language: nodes are in order, columns finite, and likelihoods add up.
pub fn script(bytes: &[u8]) {
    let model = ScriptModel::shipped().expect("the model of the build");
    for language in Language::ALL {
        let Ok(tree) = read(language, bytes) else { continue };
        for (number, node) in tree.nodes.iter().enumerate() {
            assert!(node.end as usize > number && node.end as usize <= tree.nodes.len());
            assert!(node.value.is_none_or(f64::is_finite));
        }
        let columns = columns(&tree, std::iter::empty());
        assert_eq!(columns.len(), column_names().len());
        assert!(columns.iter().all(|value| value.is_finite()));
        let profile = model.say(&tree, &[]);
        let sum: f64 = profile.likely.iter().map(|one| one.probability).sum();
        assert!((0.0..=1.0 + 1e-9).contains(&sum));
        for one in &profile.evidence {
            assert!(holdadvise::text::is_fit(&one.name), "{one:?}");
        }
    }
}
