//! The arrows of docs/developing/architecture.md: which room uses which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The crates whose rooms have arrows, with the heading of their table.
const CRATES: [(&str, &str); 4] = [
    ("src", "### Library"),
    ("plugin/src", "### Plugin"),
    ("train/src", "### Trainer"),
    ("train/simulate/src", "### Simulator"),
];

/// The text of a source file without comments and tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_code).collect::<Vec<_>>().join("\n")
}

/// The first names of what stands behind `crate::`: one, or those of a list in braces.
fn first_names(rest: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(list) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let (mut depth, mut names) = (0, vec![name(list)]);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(name(&list[at + 1..])),
            _ => {}
        }
    }
    names
}

/// The rooms of a crate, and which others each uses.
fn arrows_of(root: &Path) -> Arrows {
    let mut arrows = Arrows::new();
    let mut folders = vec![root.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "bin" {
                folders.push(path);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                files.push(path);
            }
        }
    }
    for path in files {
        let inside = path.strip_prefix(root).unwrap().with_extension("");
        let parts: Vec<&str> = inside.iter().map(|part| part.to_str().unwrap()).collect();
        if parts == ["lib"] || parts == ["main"] {
            continue;
        }
        let depth = parts.len() - usize::from(parts.last() == Some(&"mod"));
        let uses = arrows.entry(parts[0].to_owned()).or_default();
        let text = code(&path);
        let root_by_super = "super::".repeat(depth);
        for root in ["crate::", &root_by_super] {
            let behind = text.split(root).skip(1);
            uses.extend(behind.flat_map(first_names).filter(|name| name != parts[0]));
        }
    }
    let rooms: BTreeSet<String> = arrows.keys().cloned().collect();
    arrows.values_mut().for_each(|uses| uses.retain(|name| rooms.contains(name)));
    arrows
}

/// The arrows of a table of the document: a row has a room and, in backticks, what it uses.
fn arrows_said(document: &str, heading: &str) -> Arrows {
    let (_, rest) = document.split_once(heading).unwrap_or_else(|| panic!("{heading} is missing"));
    let table = rest.split("\n#").next().unwrap();
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")).map(|row| {
        let (room, uses) = row.split_once("` |").unwrap();
        (room.to_owned(), names(uses))
    });
    rows.collect()
}

/// Rooms of a circle, if there is one.
fn circle(arrows: &Arrows) -> Option<Vec<String>> {
    let mut left: Arrows = arrows.clone();
    loop {
        let ends: Vec<String> =
            left.iter().filter(|(_, uses)| uses.is_empty()).map(|(room, _)| room.clone()).collect();
        if ends.is_empty() {
            return (!left.is_empty()).then(|| left.into_keys().collect());
        }
        left.retain(|room, _| !ends.contains(room));
        left.values_mut().for_each(|uses| uses.retain(|room| !ends.contains(room)));
    }
}

#[test]
fn rooms_use_what_the_document_says_and_make_no_circle() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(here.join("docs/developing/architecture.md")).unwrap();
    for (root, heading) in CRATES {
        let arrows = arrows_of(&here.join(root));
        assert_eq!(circle(&arrows), None, "{root}: these rooms use each other");
        let said = arrows_said(&document, heading);
        for (room, uses) in &arrows {
            let row: Vec<String> = uses.iter().map(|name| format!("`{name}`")).collect();
            let row = format!("| `{room}` | {} |", row.join(", "));
            assert_eq!(said.get(room), Some(uses), "{root}, expected the row: {row}");
        }
        assert_eq!(said.len(), arrows.len(), "{root}: the table has rooms that are gone");
    }
}

#[test]
fn a_circle_is_found() {
    let of = |pairs: &[(&str, &[&str])]| -> Arrows {
        let set = |uses: &[&str]| uses.iter().map(|&name| name.to_owned()).collect();
        pairs.iter().map(|(room, uses)| ((*room).to_owned(), set(uses))).collect()
    };
    assert_eq!(circle(&of(&[("a", &["b"]), ("b", &["c"]), ("c", &[])])), None);
    let round = of(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"]), ("d", &[])]);
    assert_eq!(circle(&round).unwrap(), ["a", "b", "c"]);
    assert_eq!(first_names("{advice::{Advice, Held}, text}"), ["advice", "text"]);
    assert_eq!(first_names("model::Model;"), ["model"]);
}
