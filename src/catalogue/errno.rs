//! Linux error numbers, as hold subcodes carry them: the rows of `catalogue/errno.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Trouble;

/// An error number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorNumber {
    /// Its name in C.
    #[serde(skip)]
    pub name: String,
    number: i32,
    /// A clause.
    pub means: String,
    /// What one complains of, of a file or service.
    pub trouble: Option<Trouble>,
    /// Of a program that could not be started, it speaks of the program.
    #[serde(default)]
    pub of_program: bool,
}

static NUMBERS: LazyLock<HashMap<i32, ErrorNumber>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/errno.json"));
    let rows: HashMap<String, ErrorNumber> = serde_json::from_str(text)
        .unwrap_or_else(|error| unreachable!("catalogue/errno.toml: {error}"));
    rows.into_iter().map(|(name, row)| (row.number, ErrorNumber { name, ..row })).collect()
});

/// The row of an error number, where it is one met in holds.
pub fn errno(number: i32) -> Option<&'static ErrorNumber> {
    NUMBERS.get(&number)
}

impl Trouble {
    /// What an error number of files and networks says.
    pub fn of_errno(number: i32) -> Option<Self> {
        errno(number)?.trouble
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_this_machine() {
        for (number, name) in [
            (libc::ENOENT, "ENOENT"),
            (libc::EACCES, "EACCES"),
            (libc::ENOSPC, "ENOSPC"),
            (libc::ETIMEDOUT, "ETIMEDOUT"),
            (libc::ECONNREFUSED, "ECONNREFUSED"),
            (libc::EHOSTUNREACH, "EHOSTUNREACH"),
            (libc::ESTALE, "ESTALE"),
            (libc::EDQUOT, "EDQUOT"),
        ] {
            assert_eq!(errno(number).map(|known| known.name.as_str()), Some(name));
        }
        assert!(errno(0).is_none() && errno(-1).is_none());
    }
}
