//! Fits text to the columns of a page.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Breaks text at spaces into lines of at most `columns`, the first after `first`, the others after
/// as many spaces as `rest` says. A word longer than a line is broken: a terminal would go on with
/// it in the first column, where commands stand.
pub(crate) fn wrap(first: &str, rest: usize, text: &str, columns: Option<usize>) -> String {
    // Runs of blanks would fill a line of the terminal unseen.
    let columns = columns.unwrap_or(usize::MAX);
    let mut out = String::from(first);
    let mut at = first.width();
    let mut fresh = true;
    let longest = columns.saturating_sub(rest).max(NARROW);
    for word in text.split_whitespace().flat_map(|word| pieces(word, longest)) {
        let width = word.width();
        if !fresh && at + 1 + width > columns {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', rest));
            at = rest;
            fresh = true;
        }
        if !fresh {
            out.push(' ');
            at += 1;
        }
        out.push_str(word);
        at += width;
        fresh = false;
    }
    out.push('\n');
    out
}

/// Columns that a word has at least before it is broken.
const NARROW: usize = 8;

/// A word in pieces of at most so many columns, and of at most [`MARKS`] characters a column.
fn pieces(word: &str, columns: usize) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let end = fitting(rest, columns);
        let (piece, left) = rest.split_at(end);
        rest = left;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Characters a column has at most: a letter and a few marks above and below it.
const MARKS: usize = 4;

/// Bytes of the beginning of a text that fits; at least one character.
fn fitting(text: &str, columns: usize) -> usize {
    let mut at = 0;
    let fits = text.char_indices().enumerate().take_while(|&(number, (_, c))| {
        at += c.width().unwrap_or(0);
        number == 0 || (at <= columns && number < columns.saturating_mul(MARKS))
    });
    fits.last().map_or(0, |(_, (start, c))| start + c.len_utf8())
}

/// Cuts text to at most `columns`, with `...` where something was cut off.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if columns == 0 {
        return String::new();
    }
    // The first character counts as fitting, however wide it is.
    if fitting(text, columns) == text.len() && text.width() <= columns {
        return text.to_owned();
    }
    let dots = "...".get(..columns.min(3)).unwrap_or_default();
    let left = columns - dots.len();
    let end = if left == 0 { 0 } else { fitting(text, left) };
    let end = if text[..end].width() > left { 0 } else { end };
    format!("{}{dots}", &text[..end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn breaks_between_words() {
        assert_eq!(wrap("Why: ", 2, "one two three", Some(10)), "Why: one\n  two\n  three\n");
        assert_eq!(wrap("", 0, "one two", None), "one two\n");
        assert_eq!(wrap("a ", 2, "muchtoolongword b", Some(12)), "a muchtoolon\n  gword b\n");
        assert_eq!(wrap("", 2, "muchtoolong", Some(4)), "muchtool\n  ong\n");
        assert_eq!(wrap("", 0, "日本 日本", Some(7)), "日本\n日本\n");
    }

    #[test]
    fn a_character_wider_than_the_column_is_cut() {
        assert_eq!((cut("日本", 1).as_str(), cut("日", 2).as_str()), (".", "日"));
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_page(text in "[a-z ]{0,80}", columns in 12usize..40) {
            for line in wrap("  - ", 4, &text, Some(columns)).lines() {
                prop_assert!(line.len() <= columns);
            }
        }

        #[test]
        fn cut_text_fits(text in any::<String>(), columns in 0usize..30) {
            let cut = cut(&text, columns);
            prop_assert!(cut.width() <= columns);
            prop_assert!(cut.chars().count() <= MARKS * columns);
        }
    }
}
