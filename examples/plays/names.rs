//! Whether an advised change names the faulty thing.

use holdadvise::advice::{Advice, Command};

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

/// An advised change names an attribute, a file, a URL, a place or a limit.
pub(crate) fn of(advice: &Advice) -> bool {
    let mut named = false;
    for change in advice.changes() {
        let what = serde_json::to_value(&change.what).unwrap_or_default();
        let has = |key: &str| what.get(key).is_some_and(|value| !value.is_null());
        let keys = ["Name", "Attribute", "Figure", "Policy", "Interpreter", "Resource"];
        named |= !change.commands.is_empty() || keys.iter().any(|key| has(key));
    }
    named
}

/// It names one of the things that are really faulty (kind and name).
pub(crate) fn faulty(advice: &Advice, faulty: &[(String, String)]) -> bool {
    let words = words(advice);
    faulty.iter().any(|(_, name)| !name.is_empty() && words.contains(name.as_str()))
}
