//! The completions of both tools, written from their tables of options.

use super::arguments::completions_of;
use super::{options, releaseexpr};

/// The files below `completions/`: path there, and text.
pub fn completions() -> Vec<(String, String)> {
    let tools = [completions_of(&options::TOOL), completions_of(&releaseexpr::TOOL)];
    tools.into_iter().flatten().collect()
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
