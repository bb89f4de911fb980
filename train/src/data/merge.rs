//! `holdadvise-train merge`: the shards of a dataset become one file.
//!
//! A hold lies in one shard. Rows are put in the order of the time of their hold, then of access
//! point and cluster; those of one cluster held in one second stay as they stand in their shard.
//! The result is the same in whatever order the shards are named. Companions may stand beside the
//! rows of any access point: the result is of those that are none.

use std::path::{Path, PathBuf};

use clap::Args;
use holdadvise::model::Dimensions;
use serde_json::Value;

use crate::Error;
use crate::data::dataset::{Dataset, DatasetInfo, Stored};
use crate::output::Output;
use crate::progress::{Progress, Unit};
use crate::say::say;

/// Make one dataset of the shards that `tensors` wrote.
#[derive(Clone, Debug, Args)]
pub struct MergeOptions {
    /// The shards, in any order. They must agree in frames, slots, horizon, `--origin` and
    /// `--real`; companions (`tensors --simulate`) in frames, slots and horizon.
    #[arg(required = true)]
    shards: Vec<PathBuf>,
    /// The dataset to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    replace: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// When a shard cannot be read or does not go with the others, or the dataset cannot be written.
pub fn run(options: &MergeOptions) -> Result<(), Error> {
    let output = Output::new(&options.output, options.replace);
    output.check().map_err(|error| format!("dataset {error}"))?;
    let merged = merge(&options.shards)?;
    merged.write(&output)?;
    let (rows, schema) = (merged.columns.len(), &merged.columns.info.schema.hash);
    say(format_args!("{rows} rows of {} shards, schema {schema}\n", options.shards.len()));
    Ok(())
}

/// One dataset, whose states and statics stay in its shards until it is written.
#[derive(Debug)]
pub struct Merged {
    /// All other columns.
    columns: Dataset,
    files: Vec<Stored>,
    /// File and row there of each row.
    rows: Vec<(u32, u32)>,
}

impl Merged {
    /// Writes it; no half-written file is ever seen.
    ///
    /// # Errors
    /// When a shard cannot be read any more, or the file cannot be written.
    pub fn write(&self, output: &Output) -> Result<(), Error> {
        let rows = || self.rows.iter().map(|&(file, row)| (file as usize, row as usize));
        self.columns.write_stored(output, &self.files, rows)
    }
}

/// One dataset of the shards in these files. States and statics are not in memory: the other
/// columns and the order are, less than 200 bytes a row, and 128 KiB a shard.
///
/// # Errors
/// When a shard cannot be read or does not go with the others, or none has rows.
pub fn merge(shards: &[PathBuf]) -> Result<Merged, Error> {
    let mut merged: Option<Dataset> = None;
    let mut files = Vec::with_capacity(shards.len());
    // The first shard that has more than companions: the result is of what it is of.
    let mut home: Option<usize> = None;
    let mut simulations = Vec::new();
    // For each row the shard it is from, and its row there.
    let mut from: Vec<(u32, u32)> = Vec::new();
    let size = |path: &PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
    let bytes: u64 = shards.iter().map(size).sum();
    let progress = Progress::new("merging", Unit::Bytes, bytes);
    for (number, path) in shards.iter().enumerate() {
        let before = &shards[..number];
        if before.iter().any(|before| is_same(before, path)) {
            return Err(format!("{} is named twice: name each shard once", path.display()).into());
        }
        let (mut shard, stored) = Dataset::read_stored(path)?;
        files.push(stored);
        let (of_file, rows) = (u32::try_from(number)?, u32::try_from(shard.len())?);
        from.extend((0..rows).map(|row| (of_file, row)));
        let told = std::mem::take(&mut shard.info.simulations);
        let is_home = !shard.is_companions_alone();
        simulations.push((shard.access_point.iter().min().copied(), told));
        match &mut merged {
            None => {
                let mut first = Dataset { info: shard.info.clone(), ..Dataset::default() };
                first.info.causes.clear();
                first.append(shard);
                merged = Some(first);
            }
            Some(merged) => {
                alike((&shards[0], &merged.info), (path, &shard.info))?;
                match (is_home, home) {
                    (true, Some(home)) => {
                        of_the_same((&shards[home], &merged.info), (path, &shard.info))?;
                    }
                    (true, None) => {
                        merged.info.origin.clone_from(&shard.info.origin);
                        merged.info.real = shard.info.real;
                    }
                    (false, _) => {}
                }
                merged.info.add_companions(&shard.info.companions);
                merged.append(shard);
            }
        }
        progress.advance(size(path));
        if is_home && home.is_none() {
            home = Some(number);
        }
    }
    let something = |merged: &Dataset| match home {
        Some(_) => !(0..merged.len()).all(|row| merged.is_companion(row)),
        None => !merged.is_empty(),
    };
    let mut merged = merged.filter(something).ok_or_else(|| empty(shards))?;
    let key = |row: usize| (merged.hold_time[row], merged.access_point[row], merged.cluster[row]);
    let mut order: Vec<usize> = (0..merged.len()).collect();
    order.sort_by_key(|&row| key(row));
    for pair in order.windows(2) {
        let (row, next) = (pair[0], pair[1]);
        let [one, other] = [row, next].map(|row| from[row].0 as usize);
        if key(row) == key(next) && one != other {
            let (hold_time, access_point, cluster) = key(row);
            return Err(format!(
                "{} and {} both have a hold of cluster {} of access point {access_point} at {hold_time}: a shard given \
                 twice, intervals that overlap (--from, --until), or two access points of one number (--access-point)",
                shards[one].display(),
                shards[other].display(),
                cluster - (i64::from(access_point) << 32)
            )
            .into());
        }
    }
    merged.reorder(&order);
    merged.renumber_causes();
    merged.info.simulations = in_order(simulations);
    let rows = order.into_iter().map(|row| from[row]).collect();
    Ok(Merged { columns: merged, files, rows })
}

/// The descriptions of simulations by number of access point, those of shards without rows last; of
/// one that was cut into shards once.
fn in_order(mut told: Vec<(Option<i32>, Vec<Value>)>) -> Vec<Value> {
    told.sort_by_cached_key(|(access_point, told)| {
        let text: Vec<String> = told.iter().map(Value::to_string).collect();
        (access_point.is_none(), *access_point, text)
    });
    let mut simulations: Vec<Value> = Vec::new();
    for simulation in told.into_iter().flat_map(|(_, told)| told) {
        if !simulations.contains(&simulation) {
            simulations.push(simulation);
        }
    }
    simulations
}

/// Both name one file.
pub(crate) fn is_same(path: &Path, other: &Path) -> bool {
    path == other || matches!((path.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A shard, and what it says of itself.
type Described<'a> = (&'a Path, &'a DatasetInfo);

/// What two shards differ in.
fn differ(
    (first, left): Described<'_>,
    (other, right): Described<'_>,
    what: &str,
    say: impl Fn(&DatasetInfo) -> String,
) -> Result<(), String> {
    Err(format!(
        "{} has {what} {}, {} has {}: make all shards with the same options of `holdadvise-train tensors`, by the same \
         version",
        first.display(),
        say(left),
        other.display(),
        say(right)
    ))
}

/// Refuses a shard whose rows are not like those of the first.
fn alike(first: Described<'_>, other: Described<'_>) -> Result<(), String> {
    let (left, right) = (first.1, other.1);
    if left.schema != right.schema {
        return differ(first, other, "the schema", |info| {
            let Dimensions { m, j, k, .. } = Dimensions::of(&info.schema);
            let last = info.schema.frame_edges.last().copied().unwrap_or(0);
            let hash = &info.schema.hash;
            format!("{hash} ({m} frames back to {last} s, {j} slots, {k} statics)")
        });
    }
    if left.horizon != right.horizon {
        return differ(first, other, "the horizon", |info| format!("{} s", info.horizon));
    }
    Ok(())
}

/// Refuses a shard of another origin. What is simulated goes beside real rows as a companion only.
fn of_the_same(first: Described<'_>, other: Described<'_>) -> Result<(), String> {
    let (left, right) = (first.1, other.1);
    if left.origin != right.origin {
        return differ(first, other, "the origin", |info| format!("{:?}", info.origin));
    }
    if left.real != right.real {
        return differ(first, other, "rows that are", |info| {
            let real = if info.real { "real" } else { "not real" };
            format!("{real} outcomes")
        });
    }
    Ok(())
}

/// Files that are named where all are empty.
const NAMED: usize = 10;

fn empty(shards: &[PathBuf]) -> String {
    let names: Vec<String> =
        shards.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let more = match shards.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "no hold of these logs was released and came to an outcome: nothing to train on (no rows in {}{more}). Add logs, or \
         widen the interval of the holds",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use holdadvise::history::Outcome;
    use holdadvise::model::FeatureSchema;
    use proptest::prelude::*;

    use super::*;
    use crate::data::dataset::Row;

    fn schema() -> FeatureSchema {
        FeatureSchema {
            hash: "h".to_owned(),
            states: vec!["a".to_owned(), "b".to_owned()],
            statics: vec!["x".to_owned()],
            frame_edges: vec![0, 60],
            slots: 2,
            sources: Vec::new(),
        }
    }

    /// A dataset of rows of hold time, access point, cluster; the static says which row it is.
    fn dataset(rows: &[(i64, i32, i64)]) -> Dataset {
        let mut dataset = Dataset::new(schema(), "simulated data", false, 60);
        for (number, &(hold_time, access_point, cluster)) in rows.iter().enumerate() {
            let row = Row {
                states: &[0, 1],
                statics: &[number as f32],
                outcome: Outcome::Success,
                hold_time,
                access_point,
                cluster: cluster + (i64::from(access_point) << 32),
                cause: dataset.cause(&format!("cause {}", cluster % 3)),
                ..Row::default()
            };
            dataset.push(&row).unwrap();
        }
        dataset
    }

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, name: &str, dataset: &Dataset) -> PathBuf {
            let path = self.0.path().join(name);
            dataset.write(&path).unwrap();
            path
        }

        /// The file that merging gives.
        fn merged(&self, shards: &[PathBuf]) -> Vec<u8> {
            let path = self.0.path().join("merged");
            merge(shards).unwrap().write(&Output::new(&path, true)).unwrap();
            fs::read(path).unwrap()
        }
    }

    fn message(shards: &[PathBuf]) -> String {
        merge(shards).unwrap_err().to_string()
    }

    #[test]
    fn the_order_of_the_shards_does_not_matter() {
        let folder = Folder::new();
        let mut shards = vec![
            folder.write("a", &dataset(&[(5, 0, 2), (5, 0, 2), (9, 0, 1)])),
            folder.write("b", &dataset(&[(3, 1, 7), (7, 1, 8)])),
            folder.write("c", &dataset(&[])),
            folder.write("d", &dataset(&[(1, 0, 4), (5, 0, 1)])),
        ];
        let file = folder.merged(&shards);
        shards.reverse();
        assert_eq!(folder.merged(&shards), file);
        shards.rotate_left(1);
        assert_eq!(folder.merged(&shards), file);
        let merged = Dataset::read(&folder.0.path().join("merged")).unwrap();
        assert_eq!(merged.hold_time, [1, 3, 5, 5, 5, 7, 9]);
        assert_eq!(merged.statics, [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 2.0]);
        assert_eq!(merged.info.causes, ["cause 1", "cause 2"]);
        let causes = [1 - 1, 0, 0, 1, 1, 1, 0];
        assert_eq!(merged.cause, causes);
    }

    #[test]
    fn simulations_are_told_of_once_in_the_order_of_their_numbers() {
        let folder = Folder::new();
        let of = |name: &str, rows: &[(i64, i32, i64)], seeds: &[u64]| {
            let mut shard = dataset(rows);
            shard.info.simulations =
                seeds.iter().map(|seed| serde_json::json!({ "seed": seed })).collect();
            folder.write(name, &shard)
        };
        let shards = [
            of("a", &[(9, 3, 1)], &[30]),
            of("b", &[], &[7]),
            of("c", &[(9, 1, 1), (9, 2, 1)], &[10, 20]),
            of("d", &[(10, 3, 1)], &[30]),
        ];
        let merged = merge(&shards).unwrap().columns;
        let seeds: Vec<u64> =
            merged.info.simulations.iter().filter_map(|told| told["seed"].as_u64()).collect();
        assert_eq!(seeds, [10, 20, 30, 7]);
    }

    #[test]
    fn a_hold_lies_in_one_shard() {
        let folder = Folder::new();
        let a = folder.write("a", &dataset(&[(5, 2, 17), (6, 2, 17)]));
        let b = folder.write("b", &dataset(&[(6, 2, 17)]));
        let error = message(&[a.clone(), b]);
        assert!(
            error.contains("a and ")
                && error.contains("b both have a hold of cluster 17 of access point 2 at 6"),
            "{error}"
        );
        assert!(message(&[a.clone(), a.clone()]).contains("a is named twice"));
        let copy = folder.0.path().join("copy");
        fs::copy(&a, &copy).unwrap();
        assert!(message(&[a.clone(), copy]).contains("a shard given twice"));
        #[cfg(unix)]
        {
            let link = folder.0.path().join("link");
            std::os::unix::fs::symlink(&a, &link).unwrap();
            assert!(message(&[a, link]).contains("link is named twice"));
        }
    }

    #[test]
    fn a_shard_that_is_damaged_or_changes_is_named() {
        let folder = Folder::new();
        let rows: Vec<_> = (0..5_000).map(|time| (time, 0, time)).collect();
        let (a, b) =
            (folder.write("a", &dataset(&rows)), folder.write("b", &dataset(&[(9, 1, 1)])));
        let merged = merge(&[a.clone(), b]).unwrap();
        let mut bytes = fs::read(&a).unwrap();
        // The last states of the file: two lie behind the statics, and there are two kinds.
        let header = u64::from_le_bytes(std::array::from_fn(|at| bytes[at])) as usize + 8;
        let text = String::from_utf8_lossy(&bytes[..header]).into_owned();
        let header_json: serde_json::Value = serde_json::from_str(text[8..].trim()).unwrap();
        let end = header_json["states"]["data_offsets"][1].as_u64().unwrap() as usize;
        bytes[header + end - 1] = 7;
        fs::write(&a, &bytes).unwrap();
        let output = Output::new(&folder.0.path().join("merged"), false);
        let error = merged.write(&output).unwrap_err().to_string();
        assert!(error.contains("a: it changed while it was read"), "{error}");
        assert!(!folder.0.path().join("merged").exists());
        let error = message(std::slice::from_ref(&a));
        assert!(error.contains("state 7") && error.contains("make it again"), "{error}");
    }

    #[test]
    fn shards_must_be_alike() {
        let folder = Folder::new();
        let first = folder.write("first", &dataset(&[(1, 0, 1)]));
        let other = |spoil: fn(&mut DatasetInfo)| {
            let mut dataset = dataset(&[]);
            spoil(&mut dataset.info);
            message(&[first.clone(), folder.write("other", &dataset)])
        };
        let error = other(|info| info.schema.hash = "g".to_owned());
        assert!(
            error.contains("first has the schema h (1 frames back to 60 s, 2 slots, 1 statics), "),
            "{error}"
        );
        assert!(error.contains("other has g (1 frames"), "{error}");
        assert!(other(|info| info.horizon = 61).contains("first has the horizon 60 s, "));
        assert!(
            other(|info| info.origin = "ap1".to_owned()).contains("other has \"ap1\": make all")
        );
        let error = other(|info| info.real = true);
        assert!(error.contains("first has rows that are not real outcomes, "), "{error}");
    }

    /// Rows of companions, as `tensors --simulate` writes them.
    fn companions(rows: &[(i64, i32, i64)]) -> Dataset {
        let mut dataset = dataset(rows);
        dataset.observed.fill(0);
        let numbers: Vec<i32> = rows.iter().map(|&(_, number, _)| number).collect();
        dataset.info.add_companions(&numbers);
        dataset
    }

    #[test]
    fn companions_stand_beside_real_rows_in_any_order() {
        let folder = Folder::new();
        let real = |rows: &[(i64, i32, i64)]| {
            let mut dataset = dataset(rows);
            (dataset.info.real, dataset.info.origin) = (true, "ap1".to_owned());
            dataset
        };
        let mut shards = vec![
            folder.write("companions", &companions(&[(2, 2_000_001, 1), (4, 2_000_002, 1)])),
            folder.write("real", &real(&[(3, 0, 1)])),
            folder.write("more", &real(&[(9, 0, 2)])),
        ];
        let file = folder.merged(&shards);
        shards.rotate_left(1);
        assert_eq!(folder.merged(&shards), file);
        let merged = Dataset::read(&folder.0.path().join("merged")).unwrap();
        assert_eq!(merged.access_point, [2_000_001, 0, 2_000_002, 0]);
        assert_eq!(merged.info.companions, [2_000_001, 2_000_002]);
        assert_eq!((merged.info.origin.as_str(), merged.info.real), ("ap1", true));
        let companion: Vec<bool> = (0..4).map(|row| merged.is_companion(row)).collect();
        assert_eq!(companion, [true, false, true, false]);

        // What is simulated and no companion does not go with real rows.
        let simulated = folder.write("simulated", &dataset(&[(5, 3, 1)]));
        let error = message(&[shards[0].clone(), simulated.clone(), shards[2].clone()]);
        assert!(error.contains("the origin") || error.contains("real outcomes"), "{error}");
        // A merged file goes on as one of real rows.
        let whole = folder.0.path().join("whole");
        fs::copy(folder.0.path().join("merged"), &whole).unwrap();
        assert!(message(&[whole.clone(), simulated]).contains("whole has the origin \"ap1\""));
        let later = folder.write("later", &real(&[(11, 0, 3)]));
        assert_eq!(merge(&[later, whole]).unwrap().rows.len(), 5);
        // Companions alone are not what was asked for where there are real shards.
        let none = folder.write("none", &real(&[]));
        let error = message(&[shards[2].clone(), none]);
        assert!(error.starts_with("no hold of these logs was released"), "{error}");
    }

    #[test]
    fn nothing_to_train_on_is_an_error() {
        let folder = Folder::new();
        let shards: Vec<PathBuf> =
            (0..12).map(|number| folder.write(&format!("s{number}"), &dataset(&[]))).collect();
        let error = message(&shards);
        assert!(
            error.starts_with("no hold of these logs was released and came to an outcome"),
            "{error}"
        );
        assert!(error.contains("s0, ") && error.contains("s9 and 2 more)"), "{error}");
        assert!(message(&shards[..1]).contains("s0)"));
        assert!(message(&[folder.0.path().join("none")]).contains("none"));
    }

    proptest! {
        #[test]
        fn a_dataset_cut_by_time_is_whole_again(
            mut rows in proptest::collection::vec((0..20_i64, 0..2_i32, 0..3_i64), 1..40),
            cut in 0..20_i64,
        ) {
            rows.sort_unstable();
            let whole = dataset(&rows);
            let (before, after): (Vec<usize>, Vec<usize>) =
                (0..rows.len()).partition(|&row| rows[row].0 < cut);
            let folder = Folder::new();
            let shards = [("b", after), ("a", before)].map(|(name, rows)| {
                let mut shard = whole.clone();
                let first = rows.first().copied().unwrap_or(0);
                macro_rules! keep {
                    ($($column:ident),*) => {
                        $(shard.$column = shard.$column[first..first + rows.len()].to_vec();)*
                    };
                }
                keep!(
                    statics, action, label, weight, observed, truth, cause, reach, access_point, cluster, owner, cell, delay,
                    hold_time, decision_instant, outcome_time, code, subcode
                );
                shard.states = shard.states[2 * first..2 * (first + rows.len())].to_vec();
                folder.write(name, &shard)
            });
            let path = folder.write("whole", &whole);
            prop_assert_eq!(folder.merged(&shards), fs::read(path).unwrap());
        }
    }
}
