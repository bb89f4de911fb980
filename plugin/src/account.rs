//! Names of accounts.

/// Characters of the name of an account.
const LONGEST_NAME: usize = 64;

/// A name that is nothing but the name of an account: as a file, as an argument, in an expression.
/// `id` takes one of digits for a number.
pub(crate) fn is_account(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_something_else_are_no_accounts() {
        for name in ["alice", "_apt", "a.b-c_9", "Bob"] {
            assert!(is_account(name), "{name}");
        }
        let long = "a".repeat(65);
        for name in [
            "", ".", "..", "../x", "a/b", "-rf", "0", "1000", "+0", "a b", "a\n", "a\"", "é",
            "a@b", ".new", &long,
        ] {
            assert!(!is_account(name), "{name}");
        }
    }
}
