//! `-totals`: how many jobs there are for each advice and hold reason code, on one screen.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::card::codes;
use super::plain_table::lines;
use super::sources::Sources;
use super::wrap::cut;
use super::{Page, TotalsBy};
use crate::advice::{Advice, Recommendation};
use crate::hold_code;
use crate::sentences;
use crate::text::plural;

/// Rows of codes: with headings, sums and what stands below they fit a screen of 24 lines.
const ROWS: usize = 12;

/// Jobs of one code by recommendation, in the order of [`Recommendation::ALL`].
type Counts = [usize; Recommendation::ALL.len()];

/// Counts of the advices added so far.
#[derive(Debug)]
pub(super) struct Totals {
    by: TotalsBy,
    /// By what is counted by as it is printed, with the name of a code.
    of: BTreeMap<(String, &'static str), Counts>,
    sources: Sources,
}

/// Columns of an owner and of a cause.
const WIDTH: usize = 40;

impl Totals {
    pub(super) fn new(by: TotalsBy) -> Self {
        Self { by, of: BTreeMap::new(), sources: Sources::default() }
    }

    pub(super) fn add(&mut self, advice: &Advice) {
        self.sources.add(advice);
        let held = &advice.held;
        let key = match self.by {
            TotalsBy::Code => (codes(held), held.code.and_then(hold_code::name).unwrap_or("")),
            TotalsBy::Owner => {
                (held.owner.as_ref().map_or("?".to_owned(), |owner| owner.named(WIDTH)), "")
            }
            TotalsBy::Cause => (cut(&sentences::cause(advice), WIDTH), ""),
            TotalsBy::Advice => (String::new(), ""),
        };
        let counts = self.of.entry(key).or_default();
        let at = Recommendation::ALL.iter().position(|one| *one == advice.recommendation);
        if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
            *count += 1;
        }
    }

    /// What is of most jobs first; what does not fit is one row.
    pub(super) fn print(self, out: &mut dyn Write, page: &Page) -> io::Result<()> {
        let add = |sum: Counts, more: &Counts| std::array::from_fn(|at| sum[at] + more[at]);
        let all: Counts = self.of.values().fold(Counts::default(), add);
        let given: Vec<usize> = (0..all.len()).filter(|&at| all[at] > 0).collect();
        let mut rows: Vec<(String, &str, Counts)> =
            self.of.into_iter().map(|((code, name), counts)| (code, name, counts)).collect();
        rows.sort_by_key(|(.., counts)| std::cmp::Reverse(counts.iter().sum::<usize>()));
        let others = rows.split_off(rows.len().min(ROWS));
        if !others.is_empty() {
            let sum = others.iter().fold(Counts::default(), |sum, other| add(sum, &other.2));
            rows.push((plural(others.len(), "other"), "", sum));
        }
        if self.by == TotalsBy::Advice {
            rows.clear();
        }
        rows.push(("ALL".to_owned(), "", all));

        let headings = given.iter().map(|&at| Recommendation::ALL[at].name().to_ascii_uppercase());
        let of: &[&str] = match self.by {
            TotalsBy::Code => &["CODE", "NAME"],
            TotalsBy::Owner => &["OWNER"],
            TotalsBy::Cause => &["CAUSE"],
            TotalsBy::Advice => &[""],
        };
        let first = of.iter().chain(&["JOBS"]).map(ToString::to_string);
        let number = |count: usize| match count {
            0 => "-".to_owned(),
            count => count.to_string(),
        };
        let rows = rows.into_iter().map(|(code, name, counts)| {
            let jobs = counts.iter().sum::<usize>().to_string();
            let numbers = given.iter().map(move |&at| number(counts[at]));
            let names = [code, name.to_owned()].into_iter().take(of.len());
            names.chain([jobs]).chain(numbers).collect::<Vec<_>>()
        });
        for line in lines(first.chain(headings), rows, 1, |index| index >= of.len()) {
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
        let mut totals = Totals::new(TotalsBy::Code);
        for code in 0..40 {
            for number in 0..=code {
                let mut advice = samples::transfer(code, number);
                advice.held.code = Some(code);
                advice.recommendation = Recommendation::ALL[number as usize % 3];
                totals.add(&advice);
            }
        }
        let style = Style { columns: Some(80), ..Style::default() };
        let page = Page { style, now: NOW, zone: TimeZone::UTC, again: None };
        let mut out = Vec::new();
        totals.print(&mut out, &page).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().count() <= 24, "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        insta::assert_snapshot!(text);
    }
}
