//! Fits text to the columns of a page.

use unicode_width::UnicodeWidthStr;

/// Breaks text at spaces into lines of at most `columns`, the first after `first`, the others after as
/// many spaces as `rest` says. A word longer than a line stays whole.
pub(in crate::cli) fn wrap(first: &str, rest: usize, text: &str, columns: Option<usize>) -> String {
    // Runs of blanks would fill a line of the terminal unseen.
    let columns = columns.unwrap_or(usize::MAX);
    let mut out = String::from(first);
    let mut at = first.width();
    let mut fresh = true;
    for word in text.split_whitespace() {
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

/// Cuts text to at most `columns`, with `...` where something was cut off.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let dots = "...".get(..columns.min(3)).unwrap_or_default();
    let mut at = 0;
    let mut end = 0;
    for c in text.chars() {
        at += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        if at + dots.len() > columns {
            break;
        }
        end += c.len_utf8();
    }
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
        assert_eq!(wrap("a ", 2, "muchtoolongword b", Some(6)), "a muchtoolongword\n  b\n");
        assert_eq!(wrap("", 0, "日本 日本", Some(7)), "日本\n日本\n");
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_its_longest_word(text in "[a-z ]{0,80}", columns in 12usize..40) {
            let longest = text.split(' ').map(str::len).max().unwrap_or(0) + 4;
            for line in wrap("  - ", 4, &text, Some(columns)).lines() {
                prop_assert!(line.len() <= columns.max(longest));
            }
        }

        #[test]
        fn cut_text_fits(text in any::<String>(), columns in 0usize..30) {
            prop_assert!(cut(&text, columns).width() <= columns.max(text.width().min(columns)));
        }
    }
}
