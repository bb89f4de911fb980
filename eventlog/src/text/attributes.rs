//! `Name = expression` lines.

use std::ops::Range;

use super::super::Text;
use super::block::{Block, equal_from};
use super::lines::text;

/// Bytes of a short line of an attribute.
const SHORT_LINE: usize = 20;

/// Attributes that room is made for at once.
const MOST_EXPECTED: usize = 64;

/// The attributes of some lines. `is_other` may take a line for something else.
pub(crate) fn attributes<'a>(
    bytes: &'a [u8],
    mut is_other: impl FnMut(&'a [u8]) -> bool,
) -> Vec<(Text<'a>, Text<'a>)> {
    let mut attributes = Vec::with_capacity((bytes.len() / SHORT_LINE + 1).min(MOST_EXPECTED));
    // Text of all lines is checked once.
    let checked = std::str::from_utf8(bytes).ok();
    each_line(bytes, |begin, equals, end| {
        if is_other(&bytes[begin..end]) || equals == end {
            return;
        }
        let Some((name, value)) = name_and_value(bytes, begin, equals, end) else { return };
        attributes.push(match checked {
            Some(checked) => (Text::Borrowed(&checked[name]), Text::Borrowed(&checked[value])),
            None => (text(&bytes[name]), text(&bytes[value])),
        });
    });
    attributes
}

/// Calls `each` with name and expression of every attribute of these lines.
pub(crate) fn each(bytes: &[u8], each: &mut dyn FnMut(&str, &str)) {
    let checked = std::str::from_utf8(bytes).ok();
    each_line(bytes, |begin, equals, end| {
        if equals == end {
            return;
        }
        let Some((name, value)) = name_and_value(bytes, begin, equals, end) else { return };
        match checked {
            Some(checked) => each(&checked[name], &checked[value]),
            None => each(&text(&bytes[name]), &text(&bytes[value])),
        }
    });
}

/// The expression of the attribute that is written with this name, where its line is as HTCondor
/// writes it.
pub(crate) fn attribute<'a>(bytes: &'a [u8], name: &str) -> Option<Text<'a>> {
    memchr::memmem::find_iter(bytes, name).find_map(|begin| {
        let is_first = begin == 0 || bytes[begin - 1] == b'\n';
        let value = bytes[begin + name.len()..].strip_prefix(b" = ").filter(|_| is_first)?;
        let end = memchr::memchr(b'\n', value).unwrap_or(value.len());
        Some(text(value[..end].trim_ascii()))
    })
}

/// Where name and expression are of a line with an `=`. White space around is left out.
#[inline(always)]
fn name_and_value(
    bytes: &[u8],
    begin: usize,
    equals: usize,
    end: usize,
) -> Option<(Range<usize>, Range<usize>)> {
    // As HTCondor writes it; what stands at both ends is above any white space.
    if let [first, .., name, b' '] = &bytes[begin..equals]
        && let [b' ', value, .., last] = &bytes[equals + 1..end]
        && (*first.min(name)).min(*value.min(last)) > b' '
    {
        return Some((begin..equals - 1, equals + 2..end));
    }
    let name = within(bytes, begin, equals);
    (!name.is_empty()).then(|| (name, within(bytes, equals + 1, end)))
}

/// What is between the white space at both ends.
#[inline]
fn within(bytes: &[u8], mut begin: usize, mut end: usize) -> Range<usize> {
    while begin < end && bytes[begin].is_ascii_whitespace() {
        begin += 1;
    }
    while begin < end && bytes[end - 1].is_ascii_whitespace() {
        end -= 1;
    }
    begin..end
}

/// Calls `each` with where a line begins, its first `=`, or its end, and its end; for all lines, in
/// one pass.
#[inline]
fn each_line(bytes: &[u8], mut each: impl FnMut(usize, usize, usize)) {
    const NONE: usize = usize::MAX;
    let (mut begin, mut first) = (0, NONE);
    for block in (0..bytes.len()).step_by(Block::SIZE) {
        let mut newlines = equal_from(bytes, block, b'\n');
        let mut equals = equal_from(bytes, block, b'=');
        while newlines != 0 {
            let newline = newlines.trailing_zeros();
            let end = block + newline as usize;
            first = first.min(block + equals.trailing_zeros() as usize).min(end);
            each(begin, first, end);
            (begin, first) = (end + 1, NONE);
            newlines &= newlines - 1;
            equals &= (u64::MAX << newline) << 1;
        }
        if equals != 0 {
            first = first.min(block + equals.trailing_zeros() as usize);
        }
    }
    if begin < bytes.len() {
        each(begin, first.min(bytes.len()), bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINES: &str =
        "A = 1\n\tLong_Name.b=\"x = y\"  \r\n= 2\nnone\n\n  C  =\nÜber = \"ä\"\nLast = 3\n";

    #[test]
    fn attributes_are_the_same_checked_at_once_or_one_by_one() {
        let at_once = attributes(LINES.as_bytes(), |_| false);
        assert_eq!(at_once.len(), 5);
        assert_eq!(at_once[1], ("Long_Name.b".into(), "\"x = y\"".into()));
        let other_text = [LINES.as_bytes(), b"\xff"].concat();
        assert_eq!(attributes(&other_text, |_| false), at_once);
        for lines in [LINES.as_bytes(), &other_text] {
            let mut visited = Vec::new();
            each(lines, &mut |name, value| {
                visited.push((name.to_owned().into(), value.to_owned().into()));
            });
            assert_eq!(visited, at_once);
        }
    }

    #[test]
    fn one_attribute_is_found_without_the_others() {
        let lines = "Owners = 1\nX = \"Owner = 2\"\nOwner = \"alice\" \r\nLast = 3";
        assert_eq!(attribute(lines.as_bytes(), "Owner"), Some("\"alice\"".into()));
        assert_eq!(attribute(lines.as_bytes(), "Last"), Some("3".into()));
        assert_eq!(attribute(lines.as_bytes(), "owner"), None);
        assert_eq!(attribute(b"Owner=1\nOwner", "Owner"), None);
    }

    proptest! {
        #[test]
        fn one_attribute_is_that_of_all(lines in "((A|B|BA) ?=( [x= ]{0,9})?[ \r]?\n?){0,6}") {
            let all = attributes(lines.as_bytes(), |_| false);
            let expected = all.iter().find(|(name, _)| name == "A").map(|(_, value)| value.clone());
            // What is written otherwise is left to the parser of all.
            if let Some(found) = attribute(lines.as_bytes(), "A") {
                let values = all.iter().filter(|(name, _)| name == "A").map(|(_, value)| value);
                prop_assert!(values.clone().any(|value| *value == found), "{found} {all:?}");
                prop_assert!(values.count() > 1 || expected == Some(found));
            }
        }

        #[test]
        fn every_line_with_a_name_is_an_attribute(lines in "([ \t]{0,2}[A-C ]{0,40}[=\n\r\u{a0}]{0,2}[x= ]{0,40}){0,9}") {
            let expected: Vec<(Text<'_>, Text<'_>)> = lines
                .split('\n')
                .filter_map(|line| line.split_once('='))
                .map(|(name, value)| (name.trim_ascii(), value.trim_ascii()))
                .filter(|(name, _)| !name.is_empty())
                .map(|(name, value)| (name.into(), value.into()))
                .collect();
            prop_assert_eq!(attributes(lines.as_bytes(), |_| false), expected);
        }
    }
}
