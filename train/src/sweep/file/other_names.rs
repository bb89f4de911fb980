//! Configuration files that keep a sweep under `wandb` and call the number of trials `runs`: their
//! keys are put where ours are before anything is read, so that each value still knows its line.

use super::node::{Content, Entry, Node};
use super::problems::{Position, Problems};

/// The key that is never read.
pub(super) const KEY: &str = "api_key";

/// Where a key belongs.
const MOVES: [(&[&str], &[&str]); 14] = [
    (&["wandb", "sweep", "name"], &["name"]),
    (&["wandb", "sweep", "method"], &["method"]),
    (&["wandb", "sweep", "metric"], &["metric"]),
    (&["wandb", "sweep_preprocessing_runs"], &["preprocessing", "settings"]),
    (&["wandb", "enable"], &["tracking", "wandb", "enabled"]),
    (&["wandb", "enabled"], &["tracking", "wandb", "enabled"]),
    (&["wandb", "entity"], &["tracking", "wandb", "entity"]),
    (&["wandb", "project"], &["tracking", "wandb", "project"]),
    (&["wandb", "mode"], &["tracking", "wandb", "mode"]),
    (&["runs"], &["trials"]),
    (&["epochs"], &["budget", "epochs"]),
    (&["earlystop_threshold"], &["early_stopping", "patience"]),
    (&["preprocessing", "parameters"], &["preprocessing"]),
    (&["training", "parameters", "epochs"], &["budget", "epochs"]),
];

/// Keys without meaning here, and what is said of them; nothing where a program wrote them.
const IGNORED: [(&[&str], &str); 5] = [
    (&["wandb", "sweep_id"], ""),
    (&["wandb", "run_id"], ""),
    (
        &["preprocessing", "parameters_default"],
        "not used: a sweep draws, whether it is tracked or not",
    ),
    (&["training", "parameters_default"], "not used: a sweep draws, whether it is tracked or not"),
    (&["training", "data_pathname"], "not used: the holds are those of `data`"),
];

/// Puts every key where it belongs, and takes out those that are not to be read.
pub(super) fn translate(root: &mut Node, problems: &Problems) {
    keys(root, problems);
    let per_setting = take(root, &["wandb", "sweep_training_runs"]);
    for (from, to) in MOVES {
        let Some(entry) = take(root, from) else { continue };
        if entry.value.is_null() {
            continue;
        }
        if to == ["preprocessing"] {
            // All that lies in it moves one level up.
            if let Content::Mapping(entries) = entry.value.content {
                for entry in entries {
                    let key = entry.key.clone();
                    put(root, &["preprocessing", &key], entry, problems);
                }
            } else {
                let text = "preprocessing.parameters: expected parameters";
                problems.error(entry.at, text);
            }
            continue;
        }
        let entry =
            if from == ["training", "parameters", "epochs"] { constant(entry) } else { entry };
        put(root, to, entry, problems);
    }
    if let Some(entry) = per_setting {
        trials_of_all_settings(root, entry, problems);
    }
    for (path, said) in IGNORED {
        if let Some(entry) = take(root, path)
            && !said.is_empty()
        {
            problems.note(entry.at, format!("{}: {said}", path.join(".")));
        }
    }
    for path in [&["wandb", "sweep"][..], &["wandb"]] {
        if let Some(left) = take(root, path) {
            unknown(&left, &path.join("."), problems);
        }
    }
}

/// Tells of what is left of a mapping whose keys belong elsewhere.
fn unknown(left: &Entry, name: &str, problems: &Problems) {
    for entry in left.value.entries() {
        let key = printable(&entry.key);
        let hint = "Weights & Biases is set up in `tracking.wandb`";
        problems.error(entry.at, format!("{name}.{key}: unknown key; {hint}"));
    }
    if !matches!(left.value.content, Content::Mapping(_)) && !left.value.is_null() {
        problems.error(left.value.at, format!("{name}: expected keys and values"));
    }
}

/// Whether a key's value is a secret.
pub(super) fn is_secret(key: &str) -> bool {
    key.trim().to_ascii_lowercase().replace('-', "_").ends_with(KEY)
}

/// Takes all API keys out.
fn keys(node: &mut Node, problems: &Problems) {
    match &mut node.content {
        Content::Scalar { .. } => {}
        Content::List(items) => items.iter_mut().for_each(|item| keys(item, problems)),
        Content::Mapping(entries) => {
            entries.retain_mut(|entry| {
                if !is_secret(&entry.key) {
                    keys(&mut entry.value, problems);
                    return true;
                }
                let word = matches!(&entry.value.content, Content::Scalar { text, .. } if text == "None");
                if !entry.value.is_null() && !word {
                    let key = printable(&entry.key);
                    let text = format!(
                        "{key}: never used; remove it from the file and revoke it at wandb.ai/authorize. \
                         The key is read from WANDB_API_KEY or ~/.netrc (`wandb login`)"
                    );
                    problems.note(entry.at, text);
                }
                false
            });
        }
    }
}

fn printable(key: &str) -> String {
    holdadvise::text::strip_control(key).into_owned()
}

/// `sweep_training_runs` counts the trials of one setting, `trials` those of all.
fn trials_of_all_settings(root: &mut Node, mut entry: Entry, problems: &Problems) {
    let count = |node: &Node| super::scalar::whole(node).filter(|number| *number > 0);
    let settings = root.get("preprocessing").and_then(|node| node.get("settings"));
    let settings = settings.map_or(Some(1), count);
    if let (Some(each), Some(settings)) = (count(&entry.value), settings) {
        let text = each.saturating_mul(settings).to_string();
        let said =
            format!("wandb.sweep_training_runs: {each} trials of each setting are {text} trials");
        problems.note(entry.at, said);
        entry.value.content = Content::Scalar { text, plain: true };
    }
    put(root, &["trials"], entry, problems);
}

/// The value of `{value: x}`.
fn constant(mut entry: Entry) -> Entry {
    if let Some(value) = entry.value.get("value").cloned() {
        entry.value = value;
    }
    entry
}

/// Takes an entry out of the tree.
fn take(root: &mut Node, path: &[&str]) -> Option<Entry> {
    let Content::Mapping(entries) = &mut root.content else { return None };
    let (first, rest) = path.split_first()?;
    let at = entries.iter().position(|entry| entry.key == *first)?;
    if rest.is_empty() { Some(entries.remove(at)) } else { take(&mut entries[at].value, rest) }
}

/// Puts an entry where it belongs, unless something is there.
fn put(node: &mut Node, path: &[&str], mut entry: Entry, problems: &Problems) {
    let Some((first, rest)) = path.split_first() else { return };
    let Content::Mapping(entries) = &mut node.content else { return };
    let existing = entries.iter().position(|existing| existing.key == *first);
    if !rest.is_empty() {
        let at = existing.unwrap_or(entries.len());
        if existing.is_none() {
            let (at, span) = (entry.at, entry.value.span.clone());
            let value = Node { at, span, content: Content::Mapping(Vec::new()) };
            entries.push(Entry { key: (*first).to_owned(), at, value });
        }
        let value = &mut entries[at].value;
        if value.is_null() {
            value.content = Content::Mapping(Vec::new());
        }
        put(value, rest, entry, problems);
    } else if let Some(at) = existing {
        let (key, Position { line, .. }) = (printable(&entry.key), entries[at].at);
        problems.error(entry.at, format!("{key}: `{first}` in line {line} says it already"));
    } else {
        entry.key = (*first).to_owned();
        entries.push(entry);
    }
}
