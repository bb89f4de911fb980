//! The completions of both tools, written from their tables of options.

use super::arguments::Completed;
use super::{options, releaseexpr};
use crate::print::ATTRIBUTE_NAMES;

/// The files below `completions/`: path there, and text.
pub fn completions() -> Vec<(String, String)> {
    let tools = [
        Completed { tool: &options::TOOL, attributes: ATTRIBUTE_NAMES.to_vec() },
        Completed { tool: &releaseexpr::TOOL, attributes: Vec::new() },
    ];
    tools.iter().flat_map(Completed::files).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_files_in_the_tree_are_up_to_date() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
        for (path, text) in super::completions() {
            let kept = std::fs::read_to_string(folder.join(&path)).unwrap_or_default();
            assert!(kept == text, "{path}: run: cargo run --example completions");
        }
    }
}
