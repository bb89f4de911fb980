//! Files of entries of the catalogue.

use holdadvise::catalogue::{Catalogue, HoldText, Problem, check, parse};

use crate::sections;

/// Any text as a file of entries, then any text read with them: each problem names the file and a
/// line of it, and what fits is an entry in order.
pub fn catalogue(bytes: &[u8]) {
    let [file, text] = sections(bytes).map(String::from_utf8_lossy);
    let (entries, problems) = parse("site.toml", &file);
    let lines = file.lines().count().max(1) + 1;
    let is_placed = |problem: &Problem| problem.file == "site.toml" && problem.line <= lines;
    assert!(problems.iter().all(is_placed), "{problems:?}");
    for entry in &entries {
        assert!(!entry.name.is_empty() && entry.place.1 <= lines, "{:?}", entry.place);
    }
    let catalogue = Catalogue::new(entries);
    check(&catalogue);
    let hold = HoldText { reason: &text, ..HoldText::default() };
    let counts = catalogue.counts(&hold);
    let is_known = |name: &str| catalogue.entries().any(|entry| entry.name == name);
    assert!(counts.iter().all(|(name, _)| is_known(name)), "{counts:?}");
    assert!(catalogue.outputs(&text).into_iter().all(is_known));
}
