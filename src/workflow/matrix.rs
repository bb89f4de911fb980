//! Failed runs by cause and place, grouped where there are many.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::{End, FailureCause, JobRun};

/// What a place is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Machines, or sites where there are many of them and the runs' sites are known.
    #[default]
    Either,
    /// Machines.
    Machine,
    /// Sites.
    Site,
}

/// Places and causes that are shown one by one.
pub(super) const MOST: usize = 12;

/// Runs at a place, or at several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct PlaceRuns {
    /// The place, the domain or tier that several share, or `others`; empty: not known.
    pub name: String,
    /// How many places they are.
    pub places: usize,
    /// Runs that succeeded.
    pub succeeded: usize,
    /// Runs that failed.
    pub failed: usize,
    /// Runs that go on.
    pub running: usize,
}

/// What the places of a matrix are named by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShownBy {
    /// Machines, each by its name.
    #[default]
    Machine,
    /// Machines, by their domain.
    Domain,
    /// Sites, each by its name.
    Site,
    /// Sites, by their tier, or by their domain where they have no tier.
    Tier,
}

/// Failed runs of one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Row {
    /// The cause.
    #[schemars(with = "String")]
    pub cause: FailureCause,
    /// Runs that failed so, by column.
    pub counts: Vec<usize>,
}

/// Failed runs by cause and place, the most first in both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Matrix {
    /// Places.
    pub columns: Vec<PlaceRuns>,
    /// Causes.
    pub rows: Vec<Row>,
    /// What the places are named by.
    pub shown_by: ShownBy,
    /// Machines that the runs name.
    pub machines: usize,
    /// Causes are grouped by kind.
    pub by_kind: bool,
    /// Causes before they were grouped.
    pub causes: usize,
}

/// The place of a run; empty where it is not known.
pub(super) fn place(run: &JobRun, by: By) -> &str {
    let name = match by {
        By::Site => run.site.as_deref(),
        By::Either | By::Machine => run.machine.as_deref(),
    };
    name.unwrap_or_default()
}

/// Machines or sites, whichever suits these runs.
pub(super) fn resolved(runs: &[JobRun], by: By) -> By {
    if by != By::Either {
        return by;
    }
    let sites = runs.iter().filter(|run| run.site.is_some()).count();
    if machines(runs) > MOST && 2 * sites > runs.len() { By::Site } else { By::Machine }
}

/// How many machines these runs name.
fn machines(runs: &[JobRun]) -> usize {
    runs.iter().filter_map(|run| run.machine.as_deref()).collect::<HashSet<&str>>().len()
}

impl Matrix {
    /// Counts runs.
    pub fn of(runs: &[JobRun], by: By) -> Self {
        let by = resolved(runs, by);
        let names = Names::of(runs, by);
        let shown = Causes::of(runs);
        let mut columns: BTreeMap<&str, PlaceRuns> = BTreeMap::new();
        let mut cells: HashMap<(FailureCause, &str), usize> = HashMap::new();
        let mut causes: BTreeMap<FailureCause, usize> = BTreeMap::new();
        for run in runs {
            let name = names.group(place(run, by));
            let column = columns.entry(name).or_insert_with(|| PlaceRuns {
                name: name.to_owned(),
                places: names.places(name),
                ..PlaceRuns::default()
            });
            match &run.end {
                End::Succeeded => column.succeeded += 1,
                End::Running => column.running += 1,
                End::Stopped => {}
                End::Failed(cause) => {
                    column.failed += 1;
                    let cause = shown.group(cause);
                    *causes.entry(cause.clone()).or_default() += 1;
                    *cells.entry((cause, name)).or_default() += 1;
                }
            }
        }
        let shown_by = match (by, names.sizes.is_empty()) {
            (By::Site, true) => ShownBy::Site,
            (By::Site, false) => ShownBy::Tier,
            (_, true) => ShownBy::Machine,
            (_, false) => ShownBy::Domain,
        };
        let mut columns: Vec<PlaceRuns> = columns.into_values().collect();
        columns.sort_by_key(|column| {
            let runs = column.failed + column.succeeded + column.running;
            (column.name.is_empty(), std::cmp::Reverse((column.failed, runs)))
        });
        let mut causes: Vec<(FailureCause, usize)> = causes.into_iter().collect();
        causes.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
        let row = |(cause, _): (FailureCause, usize)| {
            let count = |column: &PlaceRuns| {
                cells.get(&(cause.clone(), column.name.as_str())).copied().unwrap_or(0)
            };
            let counts = columns.iter().map(count).collect();
            Row { cause, counts }
        };
        let rows = causes.into_iter().map(row).collect();
        let machines = machines(runs);
        Self { columns, rows, shown_by, machines, by_kind: shown.by_kind, causes: shown.all }
    }
}

/// How causes are shown together.
struct Causes {
    /// Causes that are shown without what the program wrote, as it is that of the fewest.
    unsaid: HashSet<FailureCause>,
    /// They are shown by kind.
    by_kind: bool,
    /// How many there are, without what programs wrote where they are shown by kind.
    all: usize,
}

impl Causes {
    fn of(runs: &[JobRun]) -> Self {
        let mut counts: BTreeMap<FailureCause, usize> = BTreeMap::new();
        for run in runs {
            if let End::Failed(cause) = &run.end {
                *counts.entry(cause.clone()).or_default() += 1;
            }
        }
        let mut said: Vec<(usize, FailureCause, FailureCause)> = counts
            .iter()
            .filter_map(|(cause, &count)| Some((count, cause.clone(), cause.unsaid()?)))
            .collect();
        said.sort();
        let mut unsaid = HashSet::new();
        for (count, cause, without) in said {
            if counts.len() <= MOST {
                break;
            }
            counts.remove(&cause);
            *counts.entry(without).or_default() += count;
            unsaid.insert(cause);
        }
        Self { unsaid, by_kind: counts.len() > MOST, all: counts.len() }
    }

    fn group(&self, cause: &FailureCause) -> FailureCause {
        match cause.unsaid() {
            _ if self.by_kind => cause.kind(),
            Some(without) if self.unsaid.contains(cause) => without,
            _ => cause.clone(),
        }
    }
}

/// How places are named together.
struct Names<'a> {
    /// Group of each place, where places are grouped.
    groups: HashMap<&'a str, String>,
    /// Places of each group.
    sizes: HashMap<String, usize>,
}

/// The column of the groups with the fewest failures.
pub const OTHERS: &str = "others";

impl<'a> Names<'a> {
    fn of(runs: &'a [JobRun], by: By) -> Self {
        let mut failures: BTreeMap<&str, usize> = BTreeMap::new();
        for run in runs {
            let place = place(run, by);
            if place.is_empty() {
                continue;
            }
            let count = failures.entry(place).or_default();
            *count += usize::from(matches!(run.end, End::Failed(_)));
        }
        let grouped = failures.len() > MOST;
        let mut groups: HashMap<&str, String> = HashMap::new();
        if grouped {
            let mut of_group: BTreeMap<String, usize> = BTreeMap::new();
            for (&place, &count) in &failures {
                *of_group.entry(above(place, by)).or_default() += count;
            }
            let mut sorted: Vec<(&String, &usize)> = of_group.iter().collect();
            sorted.sort_by_key(|&(name, count)| (std::cmp::Reverse(*count), name));
            let shown: Vec<&String> =
                sorted.into_iter().take(MOST - 1).map(|(name, _)| name).collect();
            for &place in failures.keys() {
                let name = above(place, by);
                let name = if shown.contains(&&name) { name } else { OTHERS.to_owned() };
                groups.insert(place, name);
            }
        }
        let mut sizes: HashMap<String, usize> = HashMap::new();
        for name in groups.values() {
            *sizes.entry(name.clone()).or_default() += 1;
        }
        Self { groups, sizes }
    }

    fn group<'b>(&'b self, place: &'b str) -> &'b str {
        self.groups.get(place).map_or(place, String::as_str)
    }

    fn places(&self, name: &str) -> usize {
        self.sizes.get(name).copied().unwrap_or(1)
    }
}

/// What a place belongs to: the tier of a site of CMS (`T2`), the domain of a machine.
fn above(place: &str, by: By) -> String {
    let tier = place.split_once('_').map(|(tier, _)| tier);
    let is_tier = |tier: &&str| tier.len() == 2 && tier.starts_with('T');
    if let (By::Site, Some(tier)) = (by, tier.filter(is_tier)) {
        return tier.to_owned();
    }
    let is_address = place.bytes().all(|byte| byte.is_ascii_digit() || b".:[]".contains(&byte));
    match place.split_once('.') {
        Some((_, domain)) if !is_address => domain.to_owned(),
        _ => place.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eventlog::JobId;

    fn run(machine: &str, site: Option<&str>, end: End) -> JobRun {
        JobRun {
            job: JobId::new(1, 0),
            machine: Some(machine.to_owned()),
            site: site.map(str::to_owned),
            began: 0,
            seconds: 10,
            executed: true,
            end,
        }
    }

    const FAILS: End = End::Failed(FailureCause::Exit(Some(1)));

    #[test]
    fn failures_are_counted_by_cause_and_place() {
        let held = End::Failed(FailureCause::Hold { code: 13, subcode: Some(256) });
        let runs = [
            run("a", None, FAILS),
            run("b", None, FAILS),
            run("b", None, held),
            run("b", None, End::Succeeded),
            run("c", None, End::Running),
        ];
        let matrix = Matrix::of(&runs, By::Either);
        let names: Vec<&str> = matrix.columns.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"]);
        let rows: Vec<_> = matrix.rows.iter().map(|row| (row.cause.name(), &row.counts)).collect();
        let expected =
            [("exit 1", vec![1, 1, 0]), ("held 13/256 TransferInputError", vec![1, 0, 0])];
        assert_eq!(rows.len(), 2);
        for ((name, counts), (expected, of)) in rows.iter().zip(&expected) {
            assert_eq!((name.as_str(), *counts), (*expected, of));
        }
        assert_eq!((matrix.columns[0].succeeded, matrix.columns[2].running), (1, 1));
    }

    #[test]
    fn many_machines_are_domains_or_sites() {
        let machines: Vec<String> =
            (0..40).map(|n| format!("e{n}.s{}.example.org", n % 3)).collect();
        let runs: Vec<JobRun> = machines.iter().map(|name| run(name, None, FAILS)).collect();
        let matrix = Matrix::of(&runs, By::Either);
        let first = &matrix.columns[0];
        assert_eq!((first.name.as_str(), first.places, first.failed), ("s0.example.org", 14, 14));
        assert_eq!((matrix.shown_by, matrix.machines), (ShownBy::Domain, 40));
        let of_site = |name: &String| run(name, Some("T2_US_Nowhere"), FAILS);
        let runs: Vec<JobRun> = machines.iter().map(of_site).collect();
        let matrix = Matrix::of(&runs, By::Either);
        assert_eq!(matrix.columns[0].name, "T2_US_Nowhere");
        assert_eq!((matrix.shown_by, matrix.machines), (ShownBy::Site, 40));
        let addresses: Vec<String> = (0..40).map(|n| format!("10.0.0.{n}:9618")).collect();
        let runs: Vec<JobRun> = addresses.iter().map(|name| run(name, None, FAILS)).collect();
        let matrix = Matrix::of(&runs, By::Machine);
        let last = matrix.columns.iter().find(|one| one.name == OTHERS).unwrap();
        assert_eq!((matrix.columns.len(), last.places, last.failed), (12, 29, 29));
    }

    #[test]
    fn what_the_fewest_wrote_is_left_out_before_causes_are_kinds() {
        let said = |at: usize| FailureCause::Exit(Some(1)).saying(format!("line {at}").into());
        let failed = |at: usize| (0..at).map(move |_| run("a", None, End::Failed(said(at))));
        let runs: Vec<JobRun> = (2..20).flat_map(failed).collect();
        let matrix = Matrix::of(&runs, By::Either);
        assert!(!matrix.by_kind);
        let names: Vec<String> = matrix.rows.iter().map(|row| row.cause.name()).collect();
        assert_eq!(
            (names.len(), names[0].as_str(), names[1].as_str()),
            (12, "exit 1", "exit 1: \"line 19\"")
        );
        assert_eq!(names[11], "exit 1: \"line 9\"");
        assert_eq!(matrix.rows[0].counts, [(2..9).sum::<usize>()]);
    }

    #[test]
    fn many_causes_are_kinds() {
        let fails = |code| run("a", None, End::Failed(FailureCause::Exit(Some(code))));
        let runs: Vec<JobRun> = (1..40).map(fails).collect();
        let matrix = Matrix::of(&runs, By::Either);
        assert!(matrix.by_kind && matrix.causes == 39);
        assert_eq!((matrix.rows.len(), &matrix.rows[0].counts), (1, &vec![39]));
    }
}
