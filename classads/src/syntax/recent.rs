//! The expressions parsed last: ads of like jobs repeat theirs word for word.

use std::cell::RefCell;

use super::Syntax;
use super::error::ParseError;
use super::parser;
use crate::expr::{Expr, Repr};

/// Expressions remembered by a thread.
const ENTRIES: usize = 32;

/// Bytes of the longest expression remembered.
const LONGEST: usize = 4096;

thread_local!(static RECENT: RefCell<Vec<(Syntax, Expr)>> = const { RefCell::new(Vec::new()) });

/// Reads the whole of `text` as one expression, or shares the tree of the same text read before.
pub(crate) fn expression(text: &str, syntax: Syntax) -> Result<Expr, ParseError> {
    let known = RECENT.with_borrow_mut(|recent| {
        let at = recent.iter().position(|(its, expr)| *its == syntax && source(expr) == text)?;
        // What is asked for stays; the last place goes first.
        recent[..=at].rotate_right(1);
        Some(recent[0].1.clone())
    });
    if let Some(expr) = known {
        return Ok(expr);
    }
    let expr = parser::expression(text, syntax)?;
    if text.len() <= LONGEST && matches!(expr.0, Repr::Tree { .. }) {
        RECENT.with_borrow_mut(|recent| {
            recent.truncate(ENTRIES - 1);
            recent.insert(0, (syntax, expr.clone()));
        });
    }
    Ok(expr)
}

fn source(expr: &Expr) -> &str {
    match &expr.0 {
        Repr::Tree { tree, .. } => &tree.source,
        Repr::Literal(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_shares_its_tree() {
        fn tree(text: &str, syntax: Syntax) -> std::sync::Arc<crate::expr::tree::Tree> {
            match expression(text, syntax).unwrap().0 {
                Repr::Tree { tree, .. } => tree,
                Repr::Literal(_) => panic!("{text} is a constant"),
            }
        }
        let text = r#"A + "a\b""#;
        let first = tree(text, Syntax::New);
        assert!(std::sync::Arc::ptr_eq(&first, &tree(text, Syntax::New)));
        assert!(!std::sync::Arc::ptr_eq(&first, &tree(text, Syntax::Old)));
        for number in 0..2 * ENTRIES {
            let text = format!("A + {number}");
            assert_eq!(*tree(&text, Syntax::Old).source, *text);
        }
        assert!(!std::sync::Arc::ptr_eq(&first, &tree(text, Syntax::New)));
        assert!(RECENT.with_borrow(Vec::len) <= ENTRIES);
        assert!(expression("A +", Syntax::Old).is_err());
    }
}
