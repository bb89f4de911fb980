//! Texts that differ in numbers only, and the ranges of these.

/// Stands for a number in a shape.
const NUMBER: char = '\u{1}';

/// Like texts as one: what they share, and of each number the smallest and the largest.
#[derive(Clone, Debug)]
pub(super) struct Varying {
    /// The first text; an example where others differ in more than numbers.
    first: String,
    /// The first text with [`NUMBER`] in place of its numbers; `None` once another differed in more.
    shape: Option<String>,
    low: Vec<String>,
    high: Vec<String>,
}

impl Varying {
    pub(super) fn new(text: &str) -> Self {
        let (shape, numbers) = taken_apart(text);
        Self { first: text.to_owned(), shape: Some(shape), low: numbers.clone(), high: numbers }
    }

    /// Adds a text.
    pub(super) fn add(&mut self, text: &str) {
        if self.first == text || self.shape.is_none() {
            return;
        }
        let (shape, numbers) = taken_apart(text);
        if self.shape.as_ref() != Some(&shape) {
            self.shape = None;
            return;
        }
        for (at, number) in numbers.into_iter().enumerate() {
            if is_less(&number, &self.low[at]) {
                self.low[at] = number;
            } else if is_less(&self.high[at], &number) {
                self.high[at] = number;
            }
        }
    }

    /// The text with ranges: `2 to 5` for a number by itself, `{2..5}` inside of a word. `None` where more differs.
    pub(super) fn ranges(&self) -> Option<String> {
        let shape = self.shape.as_ref()?;
        Some(self.filled(shape, |at, alone| {
            let (low, high) = (&self.low[at], &self.high[at]);
            match (low == high, alone) {
                (true, _) => low.clone(),
                (false, true) => format!("{low} to {high}"),
                (false, false) => format!("{{{low}..{high}}}"),
            }
        }))
    }

    /// The first text.
    pub(super) fn first(&self) -> &str {
        &self.first
    }

    fn filled(&self, shape: &str, number: impl Fn(usize, bool) -> String) -> String {
        let mut out = String::new();
        let mut rest = 0;
        for (at, (place, found)) in shape.match_indices(NUMBER).enumerate() {
            out.push_str(&shape[rest..place]);
            out.push_str(&number(at, is_alone(shape, place)));
            rest = place + found.len();
        }
        out.push_str(&shape[rest..]);
        out
    }
}

/// Whether the number at this place is a word of its own.
fn is_alone(shape: &str, place: usize) -> bool {
    let before = shape[..place].chars().next_back();
    let mut after = shape[place + NUMBER.len_utf8()..].chars();
    let ends = match after.next() {
        // A full stop at the end of a sentence.
        Some('.') => after.next().is_none_or(char::is_whitespace),
        Some(c) => c.is_whitespace() || ",;:)'".contains(c),
        None => true,
    };
    ends && before.is_none_or(|c| c.is_whitespace() || "('".contains(c))
}

fn is_less(a: &str, b: &str) -> bool {
    let value = |digits: &str| digits.trim_start_matches('0').to_owned();
    let (x, y) = (value(a), value(b));
    (x.len(), x) < (y.len(), y)
}

fn taken_apart(text: &str) -> (String, Vec<String>) {
    let (mut shape, mut numbers) = (String::new(), Vec::new());
    let mut digits = String::new();
    for c in text.chars().map(Some).chain([None]) {
        match c {
            Some(c) if c.is_ascii_digit() => digits.push(c),
            _ => {
                if !digits.is_empty() {
                    shape.push(NUMBER);
                    numbers.push(std::mem::take(&mut digits));
                }
                // The one character that has a meaning in a shape; no printed text keeps it.
                shape.extend(c.filter(|&c| c != NUMBER));
            }
        }
    }
    (shape, numbers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(texts: &[&str]) -> Varying {
        let mut all = Varying::new(texts[0]);
        texts.iter().for_each(|text| all.add(text));
        all
    }

    #[test]
    fn numbers_become_ranges() {
        let all = of(&[
            "Raise it to 384 MiB (it used 209 MiB).",
            "Raise it to 3072 MiB (it used 95 MiB).",
            "Raise it to 512 MiB (it used 209 MiB).",
        ]);
        assert_eq!(all.ranges().unwrap(), "Raise it to 384 to 3072 MiB (it used 95 to 209 MiB).");
        let files = of(&["Put /in/a-007.dat back.", "Put /in/a-011.dat back."]);
        assert_eq!(files.ranges().unwrap(), "Put /in/a-{007..011}.dat back.");
    }

    #[test]
    fn what_differs_in_words_is_an_example() {
        let all = of(&["Keep it off e1.", "Keep it off f1.", "Keep it off e1."]);
        assert_eq!(all.ranges(), None);
        assert_eq!(all.first(), "Keep it off e1.");
    }

    proptest! {
        #[test]
        fn any_texts_are_taken(texts in prop::collection::vec(any::<String>(), 1..5)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let all = of(&texts);
            let ranges = all.ranges();
            if texts.iter().all(|text| *text == texts[0]) {
                prop_assert_eq!(ranges, Some(texts[0].replace(NUMBER, "")));
            }
        }
    }
}
