//! Rows as matrices of numbers: causes by sites.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Row;

/// Sites with a column of their own, at most.
const SITES: usize = 24;

/// Causes with a row of their own, at most.
const CAUSES: usize = 40;

/// Tiers of CMS: `T0` to `T3` of a site such as `T2_US_Nebraska`.
const TIERS: usize = 4;

/// How matrices are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Layout {
    /// Causes of a kind are one.
    pub(super) grouped: bool,
    /// Each site has its column. Otherwise the sites of a row are sorted, most failed runs first.
    pub(super) named: bool,
}

/// What the rows and columns of matrices are, learnt from rows that train.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Vocabulary {
    pub(super) layout: Layout,
    /// Causes by kind and number; one more row has all others, two more successes and running.
    pub(super) causes: Vec<String>,
    /// Sites, those with most runs first.
    pub(super) sites: Vec<String>,
}

impl Vocabulary {
    pub(super) fn of<'a>(rows: impl Iterator<Item = &'a Row>, layout: Layout) -> Self {
        let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
        let mut sites: BTreeMap<&str, usize> = BTreeMap::new();
        for row in rows {
            for cell in &row.failed {
                let cause = if layout.grouped { &cell.kind } else { &cell.cause };
                *causes.entry(cause).or_default() += 1;
                *sites.entry(&cell.site).or_default() += cell.runs as usize;
            }
            for place in &row.others {
                *sites.entry(&place.site).or_default() +=
                    (place.succeeded + place.running) as usize;
            }
        }
        sites.remove("");
        let mut causes = most(causes, CAUSES);
        causes.sort_by_cached_key(|cause| by_number(cause));
        Self { layout, causes, sites: most(sites, SITES) }
    }

    /// Rows and columns of a matrix. Columns: all sites together, [`SITES`], other sites, runs
    /// whose site is not known, tiers.
    pub(super) fn sides(&self) -> [usize; 2] {
        [self.causes.len() + 3, 1 + SITES + 2 + TIERS]
    }

    /// A row as a matrix of ln(1 + runs), row by row.
    pub(super) fn matrix(&self, row: &Row) -> Vec<f32> {
        let [height, width] = self.sides();
        let mut counts = vec![0.0_f32; height * width];
        let sites = self.sites_of(row);
        let mut add = |at: usize, site: &str, runs: u32| {
            let known = sites.iter().position(|&known| known == site);
            let column = match known {
                _ if site.is_empty() => SITES + 2,
                Some(place) => 1 + place,
                None => SITES + 1,
            };
            let tier = tier(site).map(|tier| SITES + 3 + tier);
            for column in [Some(0), Some(column), tier].into_iter().flatten() {
                counts[at * width + column] += runs as f32;
            }
        };
        for cell in &row.failed {
            let cause = if self.layout.grouped { &cell.kind } else { &cell.cause };
            let at = self.causes.iter().position(|known| known == cause);
            add(at.unwrap_or(self.causes.len()), &cell.site, cell.runs);
        }
        for place in &row.others {
            add(self.causes.len() + 1, &place.site, place.succeeded);
            add(self.causes.len() + 2, &place.site, place.running);
        }
        counts.iter_mut().for_each(|count| *count = count.ln_1p());
        counts
    }

    /// The sites that have a column in a row, in order.
    fn sites_of<'a>(&'a self, row: &'a Row) -> Vec<&'a str> {
        if self.layout.named {
            return self.sites.iter().map(String::as_str).collect();
        }
        let mut failed: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
        for place in &row.others {
            failed.entry(&place.site).or_default()[1] += place.succeeded + place.running;
        }
        for cell in &row.failed {
            failed.entry(&cell.site).or_default()[0] += cell.runs;
        }
        failed.remove("");
        let mut sites: Vec<(&str, [u32; 2])> = failed.into_iter().collect();
        sites.sort_by_key(|&(_, runs)| std::cmp::Reverse(runs));
        sites.into_iter().take(SITES).map(|(site, _)| site).collect()
    }
}

/// The names counted most, the most first.
fn most(counts: BTreeMap<&str, usize>, n: usize) -> Vec<String> {
    let mut sorted: Vec<(&str, usize)> = counts.into_iter().collect();
    sorted.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    sorted.into_iter().take(n).map(|(name, _)| name.to_owned()).collect()
}

/// The kind of a cause and its numbers: like ones stand together.
fn by_number(cause: &str) -> (String, Vec<u64>) {
    let words: Vec<&str> = cause.split([' ', '/']).collect();
    let numbers = words.iter().filter_map(|word| word.parse().ok()).collect();
    (words[0].to_owned(), numbers)
}

fn tier(site: &str) -> Option<usize> {
    let number = site.split_once('_')?.0.strip_prefix('T')?.parse().ok()?;
    (number < TIERS).then_some(number)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::workflows::{Cell, Place, Recovery};

    /// A row with failed runs of causes at sites.
    pub(in crate::workflows) fn row(failed: &[(&str, &str, u32)], action: Recovery) -> Row {
        let cell = |&(cause, site, runs): &(&str, &str, u32)| Cell {
            kind: cause.split('/').next().unwrap_or_default().to_owned(),
            cause: cause.to_owned(),
            site: site.to_owned(),
            runs,
        };
        let others = vec![Place { site: "T2_B".to_owned(), succeeded: 2, running: 1 }];
        Row {
            access_point: 1,
            cluster: 1,
            instant: 0,
            failed: failed.iter().map(cell).collect(),
            others,
            said: None,
            holds: 1,
            action,
            memory: action == Recovery::Memory,
        }
    }

    #[test]
    fn a_matrix_counts_by_cause_and_site() {
        let failed = [("held 13/256", "T1_A", 3), ("held 6/2", "T2_B", 1), ("held 13/2", "", 2)];
        let row = row(&failed, Recovery::Retry);
        let layout = Layout { grouped: false, named: true };
        let vocabulary = Vocabulary::of([&row].into_iter(), layout);
        assert_eq!(vocabulary.causes, ["held 6/2", "held 13/2", "held 13/256"]);
        assert_eq!(vocabulary.sites, ["T2_B", "T1_A"]);
        let [height, width] = vocabulary.sides();
        let matrix = vocabulary.matrix(&row);
        assert_eq!(matrix.len(), height * width);
        let at = |row: usize, column: usize| matrix[row * width + column].exp_m1().round();
        assert_eq!([at(2, 0), at(2, 2), at(2, SITES + 4)], [3.0; 3], "all, the site, its tier");
        assert_eq!((at(1, 0), at(1, SITES + 2)), (2.0, 2.0), "the site is not known");
        assert_eq!((at(4, 1), at(5, 1)), (2.0, 1.0), "successes and running");
    }

    #[test]
    fn what_training_did_not_see_is_counted_with_others_and_sites_may_be_sorted() {
        let seen = row(&[("held 6/2", "T2_B", 1)], Recovery::Retry);
        let new = row(&[("held 9/1", "X", 5), ("held 6/0", "Y", 7)], Recovery::Retry);
        let of = |layout: Layout| {
            let vocabulary = Vocabulary::of([&seen].into_iter(), layout);
            (vocabulary.sides()[1], vocabulary.matrix(&new))
        };
        let (width, matrix) = of(Layout { grouped: true, named: true });
        assert_eq!(matrix[width + SITES + 1].exp_m1().round(), 5.0);
        assert_eq!(matrix[SITES + 1].exp_m1().round(), 7.0, "of a kind that was seen");
        let (width, matrix) = of(Layout { grouped: false, named: false });
        let at = |column: usize| matrix[width + column].exp_m1().round();
        assert_eq!([at(0), at(1), at(2)], [12.0, 7.0, 5.0]);
    }
}
