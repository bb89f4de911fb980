//! Whether an advised change names the faulty thing.

use holdadvise::advice::{Advice, Change, ChangeKind, Command, LookAt};

/// All words of the advised changes: what they are about, and the commands that make them.
fn words(advice: &Advice) -> String {
    let mut words = String::new();
    for change in advice.changes() {
        words.push_str(&serde_json::to_string(&change.what).unwrap_or_default());
        change.commands.iter().for_each(|command| words.push_str(&of_command(command)));
    }
    // What is printed besides: the line of the program's output names a file or a module.
    words.replace("\\/", "/")
}

fn of_command(command: &Command) -> String {
    command.line("")
}

/// The first advised change is one by hand of a file or a URL.
pub(crate) fn is_seen(advice: &Advice) -> bool {
    let corrected = |change: &Change| matches!(change.what, ChangeKind::Correct { .. });
    advice.changes().next().is_some_and(corrected)
}

/// An advised change names an attribute, a file, a URL, a place or a limit.
pub(crate) fn of(advice: &Advice) -> bool {
    let mut named = false;
    for change in advice.changes() {
        let what = serde_json::to_value(&change.what).unwrap_or_default();
        let has = |key: &str| what.get(key).is_some_and(|value| !value.is_null());
        let keys = ["Name", "Attribute", "Figure", "Policy", "Interpreter", "Resource", "Line"];
        named |= !change.commands.is_empty() || keys.iter().any(|key| has(key));
    }
    named
}

/// What is advised in one word more: the kind of the change, of what is looked at or waited for.
pub(crate) fn kind(advice: &Advice) -> String {
    let kind = |value: serde_json::Value| {
        let word = |key: &str| {
            value.get(key).and_then(|word| word.as_str()).unwrap_or_default().to_owned()
        };
        format!("{} {}", word("Kind"), word("What"))
    };
    let change = advice.changes().next().map(|change| serde_json::to_value(&change.what));
    let look = advice.look.as_ref().map(serde_json::to_value);
    let wait = advice.wait.as_ref().map(|wait| serde_json::to_value(&wait.what));
    let words = change.or(look).or(wait).and_then(Result::ok).map(kind).unwrap_or_default();
    format!("{} {}", advice.recommendation.name(), words).trim().to_owned()
}

/// What it says to look at shows the cause: the faulty thing itself, or the output of a program that
/// wrote what failed.
pub(crate) fn look_shows(advice: &Advice, faulty: &[(String, String)], says: bool) -> bool {
    match &advice.look {
        None => false,
        Some(LookAt::Output { .. }) => says,
        Some(look) => {
            let words = serde_json::to_string(look).unwrap_or_default().replace("\\/", "/");
            faulty.iter().any(|(_, name)| !name.is_empty() && words.contains(name.as_str()))
        }
    }
}

/// It names one of the things that are really faulty (kind and name), or the line of the program's
/// output that has `says` in it.
pub(crate) fn faulty(advice: &Advice, faulty: &[(String, String)], says: Option<&str>) -> bool {
    let is_line = |change: &Change| match &change.what {
        ChangeKind::Program { line, .. } => says.is_some_and(|says| line.as_given().contains(says)),
        _ => false,
    };
    if advice.changes().any(is_line) {
        return true;
    }
    let words = words(advice);
    faulty.iter().any(|(_, name)| !name.is_empty() && words.contains(name.as_str()))
}
