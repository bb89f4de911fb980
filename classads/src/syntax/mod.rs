//! Text to syntax tree: tokens, precedence, errors.
//!
//! - `error`: what is wrong, and where.
//! - `escape`: escapes in string literals.
//! - `parser`: the grammar.
//! - `recent`: the expressions parsed last.
//! - `token`: tokens.

pub(crate) mod error;
pub(crate) mod escape;
pub(crate) mod parser;
pub(crate) mod recent;
pub(crate) mod token;

/// Which rules for strings hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// The new syntax: C's escapes in strings, neighbouring strings are one. Submit files,
    /// `classad_eval`, JSON.
    New,
    /// The old syntax of `-long` output: a backslash counts only before a quotation mark.
    Old,
}
