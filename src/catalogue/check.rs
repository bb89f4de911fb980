//! Entries against their own examples.

use super::{Catalogue, Fit, HoldText, Problem, Reads};

impl Catalogue {
    /// Which entry a text of this kind hits, and one that counts as much.
    fn hit(&self, reads: Reads, hold: &HoldText<'_>) -> Option<(usize, Option<usize>)> {
        match reads {
            Reads::Reason => {
                let fits = self.fits(&super::cleaned(hold.reason));
                let ranked = self.ranked(hold, &fits);
                let is_fallback = |entry: usize| self.entry(entry).fallback;
                first(ranked.map(|(entry, counts, _)| (entry, (is_fallback(entry), counts))))
            }
            Reads::Output => {
                let ranked = self.ranked_outputs(hold.reason).into_iter();
                let worth = |fit: &Fit| (self.entry(fit.entry).worth, fit.letters);
                first(ranked.map(|fit| (fit.entry, worth(&fit))))
            }
        }
    }
}

/// The first of those that are ranked, and the next where it counts as much.
fn first<C: PartialEq>(
    mut ranked: impl Iterator<Item = (usize, C)>,
) -> Option<(usize, Option<usize>)> {
    let (best, counts) = ranked.next()?;
    let next = ranked.next().filter(|(_, other)| *other == counts);
    Some((best, next.map(|(entry, _)| entry)))
}

/// What is wrong with the examples of a catalogue's entries: one that hits no entry or another one,
/// one that two hit alike, a near text that is hit.
pub fn check(catalogue: &Catalogue) -> Vec<Problem> {
    let mut problems = Vec::new();
    for entry in catalogue.entries() {
        let problem = |what: String| Problem {
            file: entry.place.0.to_string(),
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
        let named = |number: usize| &catalogue.entry(number).name;
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
    use std::fs::{read_dir, read_to_string};

    use super::super::{Entry, built, parse, sources};
    use super::*;

    #[test]
    fn entries_that_are_shipped_hit_their_examples() {
        let (mut entries, mut problems): (Vec<Entry>, Vec<Problem>) = Default::default();
        let mut files: Vec<_> = read_dir("catalogue").unwrap().collect();
        files.sort_by_key(|file| file.as_ref().unwrap().path());
        for file in files.into_iter().map(|file| file.unwrap().path()) {
            let name = file.file_name().unwrap().to_str().unwrap();
            if !matches!(name, "codes.toml" | "errno.toml") {
                let (found, wrong) = parse(name, &read_to_string(&file).unwrap());
                entries.extend(found);
                problems.extend(wrong);
            }
        }
        // What is built of them is whole.
        let written: String = sources().into_values().map(|source| source + "\n").collect();
        let built = parse("built", &written);
        assert_eq!((built.0.len(), built.1), (entries.len(), Vec::new()));
        let catalogue = Catalogue::new(entries);
        let shipped = Catalogue::with(Vec::new());
        let lists = |of: &Catalogue| {
            let Catalogue { by_error, by_codes, conditional, outputs, .. } = of;
            [by_error, by_codes, conditional, outputs].map(Clone::clone)
        };
        assert_eq!(lists(&shipped), lists(&catalogue));
        assert_eq!(format!("{:?}", built::INDEX), format!("{:?}", catalogue.index));
        problems.extend(check(&catalogue));
        let said: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert!(said.is_empty(), "{} problems\n{}", said.len(), said.join("\n"));
        let entries: Vec<&Entry> = catalogue.entries().collect();
        let examples: usize = entries.iter().map(|entry| entry.examples.len()).sum();
        assert!(entries.len() >= 150 && examples >= 400, "{} {examples}", entries.len());
    }
}
