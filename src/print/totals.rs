//! `-totals`: how many jobs there are for each advice and hold reason code, on one screen.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Page;
use super::block::codes;
use super::plain_table::lines;
use super::sources::Sources;
use crate::advice::{Advice, Recommendation};
use crate::hold_code;
use crate::text::plural;

/// Rows of codes: with headings, sums and what stands below they fit a screen of 24 lines.
const ROWS: usize = 12;

/// Jobs of one code by recommendation, in the order of [`Recommendation::ALL`].
type Counts = [usize; Recommendation::ALL.len()];

/// Counts of the advices added so far.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// By code and subcode as they are printed, with the name of the code.
    of_code: BTreeMap<(String, &'static str), Counts>,
    sources: Sources,
}

impl Totals {
    pub(super) fn add(&mut self, advice: &Advice) {
        self.sources.add(advice);
        let name = advice.held.code.and_then(hold_code::name).unwrap_or("");
        let counts = self.of_code.entry((codes(advice), name)).or_default();
        let at = Recommendation::ALL.iter().position(|one| *one == advice.recommendation);
        if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
            *count += 1;
        }
    }

    /// The codes of most jobs first; what does not fit is one row.
    pub(super) fn print(self, out: &mut dyn Write, page: &Page) -> io::Result<()> {
        let add = |sum: Counts, more: &Counts| std::array::from_fn(|at| sum[at] + more[at]);
        let all: Counts = self.of_code.values().fold(Counts::default(), add);
        let given: Vec<usize> = (0..all.len()).filter(|&at| all[at] > 0).collect();
        let mut rows: Vec<(String, &str, Counts)> =
            self.of_code.into_iter().map(|((code, name), counts)| (code, name, counts)).collect();
        rows.sort_by_key(|(.., counts)| std::cmp::Reverse(counts.iter().sum::<usize>()));
        let others = rows.split_off(rows.len().min(ROWS));
        if !others.is_empty() {
            let sum = others.iter().fold(Counts::default(), |sum, other| add(sum, &other.2));
            rows.push((plural(others.len(), "other"), "", sum));
        }
        rows.push(("ALL".to_owned(), "", all));

        let headings = given.iter().map(|&at| Recommendation::ALL[at].name().to_ascii_uppercase());
        let first = ["CODE", "NAME", "JOBS"].map(str::to_owned);
        let number = |count: usize| match count {
            0 => "-".to_owned(),
            count => count.to_string(),
        };
        let rows = rows.into_iter().map(|(code, name, counts)| {
            let jobs = counts.iter().sum::<usize>().to_string();
            let numbers = given.iter().map(move |&at| number(counts[at]));
            [code, name.to_owned(), jobs].into_iter().chain(numbers)
        });
        for line in lines(first.into_iter().chain(headings), rows, 1, |index| index >= 2) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
        self.sources.print_missing(out, page)?;
        self.sources.print_trust(out, page)
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::print::Style;
    use crate::print::samples::{self, NOW};

    #[test]
    fn many_codes_fit_a_screen() {
        let mut totals = Totals::default();
        for code in 0..40 {
            for number in 0..=code {
                let mut advice = samples::transfer(code, number);
                advice.held.code = Some(code);
                advice.recommendation = Recommendation::ALL[number as usize % 3];
                totals.add(&advice);
            }
        }
        let style = Style { columns: Some(80), ..Style::default() };
        let page = Page { style, now: NOW, zone: TimeZone::UTC };
        let mut out = Vec::new();
        totals.print(&mut out, &page).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().count() <= 24, "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        insta::assert_snapshot!(text);
    }
}
