#![doc = include_str!("../README.md")]
//!
//! # Where to start
//!
//! [`read`] makes a [`Tree`] of the bytes of a script; [`Language::of`] finds its language.

// - `constants`: numbers that a script names, and what is computed of them.
// - `flatten`: a parser's tree to nodes in their order.
// - `grammar`: what the nodes of each parser are.
// - `language`: which language a script is written in.
// - `names`: what is called.
// - `tree`: nodes.

mod constants;
mod flatten;
mod grammar;
mod language;
mod names;
mod tree;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

pub use constants::word as size_of_word;
pub use language::Language;
pub use tree::{Kind, Node, Text, Tree};

use tree_sitter::{ParseOptions, ParseState, Parser};

/// Bytes of a script that are read. What follows is left out.
pub const MAX_BYTES: usize = 1 << 20;

/// How long [`read`] lets a parser work: some texts cost it time that grows with the square of their length. A
/// program of 1 MiB takes less than a second.
pub const LONGEST: Duration = Duration::from_secs(5);

/// Why a script cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Its syntax takes too long.
    #[error("its syntax is too complex to be read; expected a program that a person wrote")]
    TooComplex,
    /// There is none.
    #[error("it is empty; expected a Python, shell or R script")]
    Empty,
    /// The parser does not know the version of the grammar: a defect of the build.
    #[error("the parser does not take the grammar of {}", .0.name())]
    Grammar(Language),
}

/// The syntax tree of a script. Parts that are no syntax of the language are left out, and counted.
///
/// At most [`MAX_BYTES`] are read. Memory is bounded whatever the bytes are, and time: the parser is
/// stopped after 5 s.
///
/// # Errors
/// [`ReadError`] where nothing can be said of its syntax.
pub fn read(language: Language, text: &[u8]) -> Result<Tree, ReadError> {
    read_within(language, text, LONGEST)
}

/// Likewise; the parser is stopped after this time.
///
/// # Errors
/// As [`read`].
pub fn read_within(language: Language, text: &[u8], limit: Duration) -> Result<Tree, ReadError> {
    let is_cut = text.len() > MAX_BYTES;
    let text = &text[..text.len().min(MAX_BYTES)];
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    let mut parser = Parser::new();
    let grammar = grammar::of(language);
    parser.set_language(&grammar).map_err(|_| ReadError::Grammar(language))?;
    let begun = Instant::now();
    let mut stop = |_: &ParseState| match begun.elapsed() > limit {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut stop);
    let mut rest = |at: usize, _| text.get(at..).unwrap_or_default();
    let parsed = parser.parse_with_options(&mut rest, None, Some(options));
    let parsed = parsed.ok_or(ReadError::TooComplex)?;
    let mut tree = flatten::flatten(language, &parsed, text);
    tree.is_cut = is_cut;
    Ok(tree)
}
