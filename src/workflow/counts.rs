//! Failed runs by cause and site as a matrix of numbers: what a model of workflows is asked with.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{End, FailureCause, JobRun};
use crate::hold_code::{HoldCode, Subcode};

/// Sites with a column of their own, at most.
pub(super) const SITES: usize = 24;

/// Causes with a row of their own, at most.
pub(super) const CAUSES: usize = 40;

/// How the kinds of holds begin.
const HELD: &str = "held ";

/// Failed runs of one cause at one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The kind of cause, as `condor_holdadvise -workflow` names it.
    pub kind: String,
    /// The cause, likewise.
    pub cause: String,
    /// The site; empty: not known.
    pub site: String,
    /// Runs.
    pub runs: u32,
}

impl Cell {
    /// A hold that no policy made.
    fn is_meant_by_htcondor(&self) -> bool {
        let code =
            self.kind.strip_prefix(HELD).and_then(|kind| kind.split(' ').next()?.parse().ok());
        let known = code.and_then(HoldCode::of);
        known.is_some_and(|code| code.subcode != Subcode::Policy)
    }
}

/// Runs at one site that did not fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The site; empty: not known.
    pub site: String,
    /// Runs that succeeded.
    pub succeeded: u32,
    /// Runs that go on.
    pub running: u32,
}

/// The runs of a workflow, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Failed runs.
    pub failed: Vec<Cell>,
    /// Others.
    pub others: Vec<Place>,
}

impl Counts {
    /// Counts runs. What programs wrote tells no causes apart, and runs that a person stopped do
    /// not count.
    pub fn of(runs: &[JobRun]) -> Self {
        let mut failed: BTreeMap<(FailureCause, &str), u32> = BTreeMap::new();
        let mut others: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
        for run in runs {
            let site = run.site.as_deref().unwrap_or_default();
            match &run.end {
                End::Failed(cause) => {
                    let cause = cause.unsaid().unwrap_or_else(|| cause.clone());
                    *failed.entry((cause, site)).or_default() += 1;
                }
                End::Succeeded => others.entry(site).or_default()[0] += 1,
                End::Running => others.entry(site).or_default()[1] += 1,
                End::Stopped => {}
            }
        }
        let cell = |((cause, site), runs): ((FailureCause, &str), u32)| {
            let (kind, cause) = (cause.kind().name(), cause.name());
            Cell { kind, cause, site: site.to_owned(), runs }
        };
        let place = |(site, [succeeded, running]): (&str, [u32; 2])| Place {
            site: site.to_owned(),
            succeeded,
            running,
        };
        Self {
            failed: failed.into_iter().map(cell).collect(),
            others: others.into_iter().map(place).collect(),
        }
    }

    /// Failed runs.
    pub fn failures(&self) -> usize {
        self.failed.iter().map(|cell| cell.runs as usize).sum()
    }
}

/// How matrices are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixLayout {
    /// Causes of a kind are one.
    pub grouped: bool,
    /// Each site has its column. Otherwise the sites of a row are sorted, most failed runs first.
    pub named: bool,
}

/// What the rows and columns of matrices are, learnt from rows that train.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// How they are laid out.
    pub layout: MatrixLayout,
    /// Causes by kind and number; one more row has all others, two more successes and running.
    pub causes: Vec<String>,
    /// Sites, those with most runs first; none where the sites of each row are sorted.
    pub sites: Vec<String>,
}

impl Vocabulary {
    /// What the rows have that train.
    pub fn of<'a>(rows: impl Iterator<Item = &'a Counts>, layout: MatrixLayout) -> Self {
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
        let sites = if layout.named { most(sites, SITES) } else { Vec::new() };
        Self { layout, causes, sites }
    }

    /// Rows and columns of a matrix. Columns: all sites together, 24 sites, other sites, runs
    /// whose site is not known.
    pub const fn sides(&self) -> [usize; 2] {
        [self.causes.len() + 3, 1 + SITES + 2]
    }

    /// The row of the cause of a cell.
    fn row_of(&self, cell: &Cell) -> Option<usize> {
        let cause = if self.layout.grouped { &cell.kind } else { &cell.cause };
        self.causes.iter().position(|known| known == cause)
    }

    /// Failed runs that were held for a cause with a row of its own and a meaning that is HTCondor's.
    /// What is right is known of holds alone, and the subcodes of policies are whatever these say.
    pub fn known_holds(&self, counts: &Counts) -> usize {
        let is_known = |cell: &&Cell| cell.is_meant_by_htcondor() && self.row_of(cell).is_some();
        counts.failed.iter().filter(is_known).map(|cell| cell.runs as usize).sum()
    }

    /// A matrix of ln(1 + runs), row by row.
    pub fn matrix(&self, counts: &Counts) -> Vec<f32> {
        let [height, width] = self.sides();
        let mut matrix = vec![0.0_f32; height * width];
        let sites: HashMap<&str, usize> =
            self.sites_of(counts).into_iter().enumerate().map(|(at, site)| (site, at)).collect();
        let mut add = |at: usize, site: &str, runs: u32| {
            let column = match sites.get(site) {
                _ if site.is_empty() => SITES + 2,
                Some(place) => 1 + place,
                None => SITES + 1,
            };
            for column in [0, column] {
                matrix[at * width + column] += runs as f32;
            }
        };
        for cell in &counts.failed {
            add(self.row_of(cell).unwrap_or(self.causes.len()), &cell.site, cell.runs);
        }
        for place in &counts.others {
            add(self.causes.len() + 1, &place.site, place.succeeded);
            add(self.causes.len() + 2, &place.site, place.running);
        }
        matrix.iter_mut().for_each(|count| *count = count.ln_1p());
        matrix
    }

    /// The sites that have a column in a row, in order.
    fn sites_of<'a>(&'a self, row: &'a Counts) -> Vec<&'a str> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use eventlog::JobId;

    fn counts(failed: &[(&str, &str, u32)]) -> Counts {
        let cell = |&(cause, site, runs): &(&str, &str, u32)| Cell {
            kind: cause.split('/').next().unwrap_or_default().to_owned(),
            cause: cause.to_owned(),
            site: site.to_owned(),
            runs,
        };
        let others = vec![Place { site: "B".to_owned(), succeeded: 2, running: 1 }];
        Counts { failed: failed.iter().map(cell).collect(), others }
    }

    #[test]
    fn a_matrix_counts_by_cause_and_site() {
        let failed = [("held 13/256", "A", 3), ("held 6/2", "B", 1), ("held 13/2", "", 2)];
        let counts = counts(&failed);
        let layout = MatrixLayout { grouped: false, named: true };
        let vocabulary = Vocabulary::of([&counts].into_iter(), layout);
        assert_eq!(vocabulary.causes, ["held 6/2", "held 13/2", "held 13/256"]);
        assert_eq!(vocabulary.sites, ["B", "A"]);
        let [height, width] = vocabulary.sides();
        let matrix = vocabulary.matrix(&counts);
        assert_eq!(matrix.len(), height * width);
        let at = |row: usize, column: usize| matrix[row * width + column].exp_m1().round();
        assert_eq!([at(2, 0), at(2, 2)], [3.0; 2], "all, and the site");
        assert_eq!((at(1, 0), at(1, SITES + 2)), (2.0, 2.0), "the site is not known");
        assert_eq!((at(4, 1), at(5, 1)), (2.0, 1.0), "successes and running");
        assert_eq!((counts.failures(), vocabulary.known_holds(&counts)), (6, 6));
        let others = self::counts(&[("exit 1", "A", 3), ("held 26/102", "A", 4)]);
        let of_others = Vocabulary::of([&others].into_iter(), layout);
        assert_eq!((others.failures(), of_others.known_holds(&others)), (7, 0));
    }

    #[test]
    fn what_training_did_not_see_is_counted_with_others_and_sites_may_be_sorted() {
        let seen = counts(&[("held 6/2", "B", 1)]);
        let new = counts(&[("held 9/1", "X", 5), ("held 6/0", "Y", 7)]);
        let of = |layout: MatrixLayout| {
            let vocabulary = Vocabulary::of([&seen].into_iter(), layout);
            (vocabulary.sides()[1], vocabulary.matrix(&new), vocabulary.known_holds(&new))
        };
        let (width, matrix, known) = of(MatrixLayout { grouped: true, named: true });
        assert_eq!(matrix[width + SITES + 1].exp_m1().round(), 5.0);
        assert_eq!(matrix[SITES + 1].exp_m1().round(), 7.0, "of a kind that was seen");
        assert_eq!(known, 7);
        let (width, matrix, known) = of(MatrixLayout { grouped: false, named: false });
        let at = |column: usize| matrix[width + column].exp_m1().round();
        assert_eq!([at(0), at(1), at(2)], [12.0, 7.0, 5.0]);
        assert_eq!(known, 0);
    }

    #[test]
    fn runs_are_counted_whatever_their_programs_wrote() {
        let run = |site: Option<&str>, end| JobRun {
            job: JobId::new(1, 0),
            machine: None,
            site: site.map(str::to_owned),
            began: 0,
            seconds: 10,
            executed: true,
            end,
        };
        let exit = FailureCause::Exit(Some(1));
        let said = exit.saying("KeyError: 'x'".into());
        let runs = [
            run(Some("A"), End::Failed(said)),
            run(Some("A"), End::Failed(exit)),
            run(None, End::Failed(FailureCause::Evicted)),
            run(Some("A"), End::Succeeded),
            run(Some("A"), End::Running),
            run(Some("A"), End::Stopped),
        ];
        let counts = Counts::of(&runs);
        let failed: Vec<_> = counts
            .failed
            .iter()
            .map(|cell| (cell.cause.as_str(), cell.site.as_str(), cell.runs))
            .collect();
        assert_eq!(failed, [("exit 1", "A", 2), ("evicted", "", 1)]);
        let place = Place { site: "A".to_owned(), succeeded: 1, running: 1 };
        assert_eq!(counts.others, [place]);
    }
}
