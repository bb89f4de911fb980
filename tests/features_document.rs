//! The table of `docs/training/features.md` has the rows that are declared, and no others.

use holdadvise::features::{COLUMNS, Column, Scope, State};
use holdadvise::history::Action;

#[test]
fn each_row_of_columns_is_described() {
    let document = include_str!("../docs/training/features.md");
    let described: Vec<[String; 4]> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"))
        .map(|row| row.split(" | ").collect::<Vec<&str>>())
        .filter_map(|cells| match cells[..] {
            [name, _, source, known, mask] => {
                Some([name.trim_end_matches('`'), source, known, mask].map(str::to_owned))
            }
            _ => None,
        })
        .collect();
    let declared = COLUMNS.iter().map(|row| {
        let mask = match row.mask {
            None => "always known".to_owned(),
            Some(mask) if mask == row.name => "is one".to_owned(),
            Some(mask) => format!("`{mask}`"),
        };
        [row.name.to_owned(), row.source.to_owned(), row.known.to_owned(), mask]
    });
    let declared: Vec<[String; 4]> = declared.collect();
    for (described, declared) in described.iter().zip(&declared) {
        assert_eq!(described, declared);
    }
    assert_eq!(described.len(), declared.len());
    assert!(document.contains(&format!("e = {}", State::COUNT)));
}

/// What the parts in angle brackets stand for.
#[test]
fn families_are_described() {
    let document = include_str!("../docs/training/features.md");
    for scope in Scope::ALL {
        assert!(document.contains(&format!("\n| `{}` | ", scope.name())), "{scope:?}");
    }
    let names = |row: &str| -> Vec<&str> {
        let prefix = row.split('<').next().expect("a beginning");
        let of_row = Column::all().iter().filter(|column| column.row.name == row);
        of_row.filter_map(|column| column.name.strip_prefix(prefix)).collect()
    };
    let actions = names("action-<action>").join(", ");
    assert_eq!(actions, Action::ALL.map(Action::name).join(", "));
    assert!(document.contains(&format!("asked about: {actions} |")));
    let subcodes = names("subcode-<n>").join(", ");
    assert!(document.contains(&format!("one column each of {subcodes} |")));
    let codes = names("code-<n>").len() - 1;
    assert!(document.contains(&format!("one column each of 0 to {codes} |")));
    assert!(document.contains(&format!("{} buckets)", names("word-<n>").len())));
    assert!(document.contains(&format!("says so: {} cues", names("says-<cue>").len())));
}
