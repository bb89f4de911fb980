//! Entries against their own examples.

use super::{Catalogue, HoldText, Problem, Reads};

impl Catalogue {
    /// Which entry a text of this kind hits, and one that counts as much.
    fn hit(&self, reads: Reads, hold: &HoldText<'_>) -> Option<(usize, Option<usize>)> {
        let text = super::cleaned(hold.reason);
        let ranked: Vec<(usize, usize)> = match reads {
            Reads::Reason => self
                .ranked(hold, &self.fits(&text))
                .map(|(entry, counts, _)| (entry, counts))
                .collect(),
            Reads::Output => {
                let fits = self.fits_of(hold.reason, Reads::Output);
                let counts = |fit: &super::Fit| {
                    let worth = self.entries()[fit.entry].worth.unwrap_or(0);
                    usize::try_from(worth).unwrap_or(0) * 1_000 + fit.letters
                };
                let mut ranked: Vec<_> = fits.iter().map(|fit| (fit.entry, counts(fit))).collect();
                ranked.sort_by_key(|(_, letters)| std::cmp::Reverse(*letters));
                ranked
            }
        };
        let &(best, counts) = ranked.first()?;
        let is_equal = |&&(entry, other): &&(usize, usize)| {
            other == counts && self.entries()[entry].fallback == self.entries()[best].fallback
        };
        Some((best, ranked.get(1).filter(is_equal).map(|(entry, _)| *entry)))
    }
}

/// What is wrong with the examples of a catalogue's entries: one that hits no entry or another one,
/// one that two hit alike, a near text that is hit.
pub fn check(catalogue: &Catalogue) -> Vec<Problem> {
    let entries = catalogue.entries();
    let mut problems = Vec::new();
    for entry in entries {
        let problem = |what: String| Problem {
            file: entry.place.0.clone(),
            line: entry.place.1,
            entry: entry.name.clone(),
            what,
        };
        let hold = |reason| HoldText {
            code: entry.code.first().copied(),
            subcode: entry.subcode.first().copied(),
            reason,
            ..HoldText::default()
        };
        let named = |number: usize| &entries[number].name;
        // What hangs on an ad or a typed error is not seen in a text.
        let is_text = entry.when.is_none() && !entry.text.is_empty();
        for example in entry.examples.iter().filter(|_| is_text) {
            match catalogue.hit(entry.reads, &hold(example)) {
                None => problems.push(problem(format!("its example {example:?} hits no entry"))),
                Some((best, _)) if *named(best) != entry.name => {
                    problems.push(problem(format!("its example {example:?} hits {}", named(best))));
                }
                Some((_, Some(other))) if !entry.of_site => problems.push(problem(format!(
                    "its example {example:?} hits {} as well",
                    named(other)
                ))),
                Some(_) => {}
            }
        }
        for near in &entry.near {
            if let Some((best, _)) = catalogue.hit(entry.reads, &hold(near))
                && *named(best) == entry.name
            {
                problems.push(problem(format!("{near:?} must not hit it")));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::{SHIPPED, parse};
    use super::*;

    #[test]
    fn entries_that_are_shipped_hit_their_examples() {
        let mut problems: Vec<Problem> = Vec::new();
        for (file, text) in SHIPPED {
            problems.extend(parse(file, text).1);
        }
        let catalogue = Catalogue::shipped();
        problems.extend(check(&catalogue));
        let said: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert!(said.is_empty(), "{} problems\n{}", said.len(), said.join("\n"));
        let entries = catalogue.entries();
        let examples: usize = entries.iter().map(|entry| entry.examples.len()).sum();
        assert!(entries.len() >= 150 && examples >= 400, "{} {examples}", entries.len());
    }
}
