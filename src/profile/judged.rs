//! What is said of the text of a script.

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use scripttree::{Language, Tree};
use serde::{Deserialize, Serialize};

use super::script::{ScriptModel, ScriptProfile};
use super::words::{Use, is_builtin};
use crate::text::shown;

/// What is said of a script.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ScriptVerdict {
    /// `Python`, `shell` or `R`.
    pub language: String,
    /// Places that are no syntax of the language.
    pub faults: usize,
    /// There is more than was read.
    pub is_cut: bool,
    /// Empty where it has no calls that say anything.
    pub profile: ScriptProfile,
    /// Programs that it starts, which were not read.
    pub starts: Vec<String>,
}

/// Programs that are named, at most.
const STARTS: usize = 6;

/// Characters of a program's name.
const NAME: usize = 200;

impl ScriptVerdict {
    /// Reads a script, in at most this time. `arguments`: those that it is called with, as far as they
    /// are known.
    ///
    /// # Errors
    /// It is no script, or its syntax is too complex; one line.
    pub fn of(
        path: &Path,
        text: &str,
        arguments: &[String],
        model: &ScriptModel,
        limit: Duration,
    ) -> Result<Self, String> {
        let text = text.as_bytes();
        let language = Language::of(path, text).ok_or_else(|| {
            "expected a Python, shell or R script: a first line with #! and the interpreter, or a name that ends in \
             .py, .sh or .R"
                .to_owned()
        })?;
        let tree = scripttree::read_within(language, text, limit);
        let tree = tree.map_err(|error| error.to_string())?;
        Ok(Self {
            language: language.name().to_owned(),
            faults: tree.faults,
            is_cut: tree.is_cut,
            profile: model.say(&tree, arguments),
            starts: starts(&tree),
        })
    }
}

/// Programs that a script starts and of which nothing is known, each once.
fn starts(tree: &Tree) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let calls = tree.nodes.iter().enumerate().filter(|(_, node)| node.is_command);
    for (number, node) in calls {
        let is_unknown = matches!(Use::of_call(tree, number), None | Some(Use::Programs));
        if is_unknown && !node.name.is_empty() && !is_builtin(&node.name) {
            let name = shown(&node.name, NAME);
            if !all.contains(&name) {
                all.push(name);
            }
        }
        if all.len() == STARTS {
            break;
        }
    }
    all
}
