//! The dataset file: samples with labels in one safetensors file.
//!
//! Tensors: `states` u8 `[n, m, j]`, `statics` f32 `[n, k]`; one value a row: `action` u8, `label`
//! u8, `weight` f32, `observed` u8, `truth` f32, `cause` u8, `reach` u8, `access_point` i32,
//! `cluster` i64, `owner` i64, `cell` i64, `hold_time` i64, `decision_instant` i64, `outcome_time`
//! i64, `code` i32, `subcode` i32, `delay` i64. The metadata key `holdadvise` holds [`DatasetInfo`] as JSON.

/// Calls a macro with name and type of all columns, in the order in which the digest has them.
macro_rules! with_columns {
    ($macro:ident) => {
        $macro! {
            states U8, statics F32, action U8, label U8, weight F32, observed U8, truth F32,
            cause U8, reach U8, access_point I32, cluster I64, owner I64, cell I64, hold_time I64,
            decision_instant I64, outcome_time I64, code I32, subcode I32, delay I64,
        }
    };
}

mod file;
mod join;
mod stored;

pub(crate) use stored::Stored;

use holdadvise::history::{Action, Outcome};
use holdadvise::metrics::Outcomes;
use holdadvise::model::{ActionStatistics, Batch, Dimensions, FeatureSchema};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Version of [`DatasetInfo`] that this program reads and writes.
pub const DATASET_FORMAT: u32 = 3;

/// That of a file with companions: who does not know of them would take them for the others.
pub const COMPANIONS_FORMAT: u32 = 4;

/// Value of `label` for a failure.
pub const FAILURE: u8 = 0;
/// Value of `label` for a success.
pub const SUCCESS: u8 = 1;
/// Value of `label` for an outcome that is not known.
pub const CENSORED: u8 = 2;

/// Value of `cause` and `reach` where it is not known.
pub const UNKNOWN: u8 = 255;

/// How far the cause of a hold reaches: its position in [`Reach::ALL`] is the value of `reach`.
pub use holdadvise_simulate::Reach;

/// What the file says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetInfo {
    /// [`DATASET_FORMAT`], or [`COMPANIONS_FORMAT`].
    pub format: u32,
    /// What the columns mean.
    pub schema: FeatureSchema,
    /// `simulated data`, or the name of the access point the logs are from.
    pub origin: String,
    /// The rows are real outcomes of that access point, not simulated.
    #[serde(default)]
    pub real: bool,
    /// H: seconds after the decision within which an outcome counts.
    pub horizon: i64,
    /// Names of the hidden causes; `cause` is a position in it.
    #[serde(default)]
    pub causes: Vec<String>,
    /// What made each simulation: its `simulation.json`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub simulations: Vec<serde_json::Value>,
    /// Values of `access_point`, growing, whose rows are simulated and there to train beside the
    /// others: they never validate or test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<i32>,
}

impl DatasetInfo {
    /// An access point is a companion.
    pub fn is_companion(&self, access_point: i32) -> bool {
        self.companions.binary_search(&access_point).is_ok()
    }

    /// Names access points that are companions.
    pub(crate) fn add_companions(&mut self, access_points: &[i32]) {
        self.companions.extend_from_slice(access_points);
        self.companions.sort_unstable();
        self.companions.dedup();
        self.format = self.expected_format();
    }

    /// The format that such a file has.
    fn expected_format(&self) -> u32 {
        if self.companions.is_empty() { DATASET_FORMAT } else { COMPANIONS_FORMAT }
    }
}

/// One hold episode and what came of it.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// `[m, j]`.
    pub states: &'a [u8],
    /// `[k]`.
    pub statics: &'a [f32],
    /// What was done before the release.
    pub action: Action,
    /// What came of it.
    pub outcome: Outcome,
    /// How much the row counts, 1 for all alike.
    pub weight: f32,
    /// The release happened, and this is what was done. Else the outcome is what a simulator says
    /// of it.
    pub observed: bool,
    /// True probability that this action at this instant succeeds, where that is known.
    pub truth: Option<f32>,
    /// Hidden cause, as [`Dataset::cause`] numbers it.
    pub cause: Option<u8>,
    /// How far the cause reaches.
    pub reach: Option<Reach>,
    /// Which access point: 0 for logs, from 1 on for simulations.
    pub access_point: i32,
    /// ClusterId, made unique over the access points in the file.
    pub cluster: i64,
    /// Hash of access point and owner's name.
    pub owner: i64,
    /// Hash of code, subcode and normalised reason.
    pub cell: i64,
    /// When the job went on hold, Unix seconds.
    pub hold_time: i64,
    /// When the release was decided, Unix seconds.
    pub decision_instant: i64,
    /// When the outcome became known, Unix seconds; for a censored row when the log or H ended.
    pub outcome_time: i64,
    /// HoldReasonCode.
    pub code: i32,
    /// HoldReasonSubCode.
    pub subcode: i32,
    /// Seconds from the decision instant to the release, at least 0.
    pub delay: i64,
}

impl Default for Row<'_> {
    /// A release that happened, of which nothing is known.
    fn default() -> Self {
        Self {
            states: &[],
            statics: &[],
            action: Action::Unknown,
            outcome: Outcome::Censored,
            weight: 1.0,
            observed: true,
            truth: None,
            cause: None,
            reach: None,
            access_point: 0,
            cluster: 0,
            owner: 0,
            cell: 0,
            hold_time: 0,
            decision_instant: 0,
            outcome_time: 0,
            code: 0,
            subcode: 0,
            delay: 0,
        }
    }
}

/// All rows, column by column.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// What the file says of itself.
    pub info: DatasetInfo,
    /// `[n, m, j]`.
    pub states: Vec<u8>,
    /// `[n, k]`.
    pub statics: Vec<f32>,
    /// Position in [`Action::ALL`].
    pub action: Vec<u8>,
    /// [`FAILURE`], [`SUCCESS`] or [`CENSORED`].
    pub label: Vec<u8>,
    /// How much each row counts.
    pub weight: Vec<f32>,
    /// 1 for a release that happened, 0 for one a simulator tells of.
    pub observed: Vec<u8>,
    /// True probability of success; NaN where it is not known.
    pub truth: Vec<f32>,
    /// Position in [`DatasetInfo::causes`], or [`UNKNOWN`].
    pub cause: Vec<u8>,
    /// Position in [`Reach::ALL`], or [`UNKNOWN`].
    pub reach: Vec<u8>,
    /// 0 for logs, from 1 on for simulations.
    pub access_point: Vec<i32>,
    /// ClusterId.
    pub cluster: Vec<i64>,
    /// Hash of access point and owner's name.
    pub owner: Vec<i64>,
    /// Hash of code, subcode and normalised reason.
    pub cell: Vec<i64>,
    /// Unix seconds.
    pub hold_time: Vec<i64>,
    /// Unix seconds.
    pub decision_instant: Vec<i64>,
    /// Unix seconds.
    pub outcome_time: Vec<i64>,
    /// HoldReasonCode.
    pub code: Vec<i32>,
    /// HoldReasonSubCode.
    pub subcode: Vec<i32>,
    /// Seconds from the decision instant to the release.
    pub delay: Vec<i64>,
}

/// What a `simulation.json` says under a key, in words.
pub(crate) fn simulation_field(simulation: &serde_json::Value, key: &str) -> String {
    match simulation.get(key) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "not known".to_owned(),
    }
}

impl Dataset {
    /// A dataset without rows.
    pub fn new(schema: FeatureSchema, origin: &str, real: bool, horizon: i64) -> Self {
        let origin = origin.to_owned();
        let format = DATASET_FORMAT;
        let info = DatasetInfo { format, schema, origin, real, horizon, ..DatasetInfo::default() };
        Self { info, ..Self::default() }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.label.len()
    }

    /// There are no rows.
    pub fn is_empty(&self) -> bool {
        self.label.is_empty()
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When its sizes or values do not fit the schema.
    pub fn push(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let fail = |detail: String| Err(format!("row {}: {detail}", self.len()).into());
        let batch = Batch { states: row.states, statics: row.statics, n: 1 };
        if let Err(error) = batch.check(&Dimensions::of(&self.info.schema)) {
            return fail(error.to_string());
        }
        if !(row.weight.is_finite() && row.weight >= 0.0) {
            return fail(format!("weight {} is not a number of at least 0", row.weight));
        }
        if row.truth.is_some_and(|truth| !(0.0..=1.0).contains(&truth)) {
            return fail(format!("true probability {:?} is not within 0 to 1", row.truth));
        }
        if row.delay < 0 {
            return fail(format!("delay {} s is below 0", row.delay));
        }
        if row.cause.is_some_and(|cause| usize::from(cause) >= self.info.causes.len()) {
            return fail(format!("cause {:?} has no name", row.cause));
        }
        let action = Action::ALL.iter().position(|&action| action == row.action);
        self.states.extend_from_slice(row.states);
        self.statics.extend_from_slice(row.statics);
        self.action.push(action.unwrap_or(Action::ALL.len() - 1) as u8);
        self.label.push(match row.outcome {
            Outcome::Failure => FAILURE,
            Outcome::Success => SUCCESS,
            Outcome::Censored => CENSORED,
        });
        self.observed.push(row.observed.into());
        self.truth.push(row.truth.unwrap_or(f32::NAN));
        self.cause.push(row.cause.unwrap_or(UNKNOWN));
        self.reach.push(row.reach.map_or(UNKNOWN, |reach| reach as u8));
        macro_rules! push {
            ($($column:ident),*) => { $(self.$column.push(row.$column);)* };
        }
        push!(weight, access_point, cluster, owner, cell, code, subcode);
        push!(hold_time, decision_instant, outcome_time, delay);
        Ok(())
    }

    /// The number of a hidden cause, which is given one if it has none; `None` when all 255 are
    /// taken.
    pub fn cause(&mut self, name: &str) -> Option<u8> {
        let causes = &mut self.info.causes;
        let at = causes.iter().position(|cause| cause == name).unwrap_or(causes.len());
        let number = u8::try_from(at).ok().filter(|&number| number != UNKNOWN)?;
        if at == causes.len() {
            causes.push(name.to_owned());
        }
        Some(number)
    }

    /// The true probability of success of a row's action, where it is known.
    pub fn truth(&self, row: usize) -> Option<f64> {
        Some(f64::from(self.truth[row])).filter(|truth| !truth.is_nan())
    }

    /// The row is a companion's.
    pub fn is_companion(&self, row: usize) -> bool {
        self.info.is_companion(self.access_point[row])
    }

    /// All rows are companions', and there are companions.
    pub(crate) fn is_companions_alone(&self) -> bool {
        !self.info.companions.is_empty() && (0..self.len()).all(|row| self.is_companion(row))
    }

    /// A simulator tells the true probability of this action at the decision instant.
    pub fn is_from_oracle(&self, row: usize) -> bool {
        self.observed[row] == 0 && self.delay[row] == 0 && self.truth(row).is_some()
    }

    /// What a prediction of the row is fitted to: 1 for a success, 0 for a failure; of a row that
    /// is not observed the true probability where it is known.
    pub fn target(&self, row: usize) -> f64 {
        let label = f64::from(u8::from(self.label[row] == SUCCESS));
        if self.observed[row] == 0 { self.truth(row).unwrap_or(label) } else { label }
    }

    /// What came of some rows, without hours.
    pub fn outcomes(&self, rows: &[usize]) -> Outcomes {
        let cluster: Vec<i64> = rows.iter().map(|&row| self.cluster[row]).collect();
        let weight = rows.iter().map(|&row| self.weight[row].into()).collect();
        Outcomes::new(rows.iter().map(|&row| self.target(row)).collect(), weight, None, &cluster)
    }

    /// How many of some rows there are of each action, and how many of them succeeded; actions
    /// without a row too.
    pub fn actions_of(&self, rows: &[usize]) -> Vec<ActionStatistics> {
        let mut counts =
            Action::ALL.map(|action| ActionStatistics { action, rows: 0, successes: 0 });
        for &row in rows {
            let count = &mut counts[usize::from(self.action[row])];
            count.rows += 1;
            count.successes += u64::from(self.label[row] == SUCCESS);
        }
        counts.to_vec()
    }

    /// States and statics of the rows named, one after the other.
    pub fn gather(&self, rows: &[usize]) -> (Vec<u8>, Vec<f32>) {
        let d = Dimensions::of(&self.info.schema);
        let size = d.m * d.j;
        let mut states = Vec::with_capacity(rows.len() * size);
        let mut statics = Vec::with_capacity(rows.len() * d.k);
        for &row in rows {
            states.extend_from_slice(&self.states[row * size..(row + 1) * size]);
            statics.extend_from_slice(&self.statics[row * d.k..(row + 1) * d.k]);
        }
        (states, statics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;

    pub(super) fn sample() -> Dataset {
        let schema = FeatureSchema {
            hash: "h".to_owned(),
            states: vec!["a".to_owned(), "b".to_owned()],
            statics: vec!["x".to_owned()],
            frame_edges: vec![0, 60, 120],
            slots: 2,
            sources: Vec::new(),
        };
        let mut dataset = Dataset::new(schema, "simulated data", false, 3600);
        for (at, outcome) in
            [Outcome::Success, Outcome::Failure, Outcome::Censored].into_iter().enumerate()
        {
            let row = Row {
                states: &[0, 1, 1, at.min(1) as u8],
                statics: &[at as f32 + 0.5],
                action: Action::ALL[at],
                outcome,
                cluster: 7 + at as i64,
                owner: -5,
                hold_time: 1_700_000_000 + at as i64,
                decision_instant: 1_700_000_100,
                outcome_time: 1_700_000_200,
                code: 13,
                subcode: -2,
                ..Row::default()
            };
            dataset.push(&row).unwrap();
        }
        dataset.cause("bug").unwrap();
        let told = Row {
            states: &[0; 4],
            statics: &[0.0],
            action: Action::AsIs,
            outcome: Outcome::Failure,
            observed: false,
            truth: Some(0.25),
            cause: dataset.cause("service-outage"),
            reach: Some(Reach::Service),
            access_point: 2,
            cell: -9,
            ..Row::default()
        };
        dataset.push(&told).unwrap();
        dataset
    }

    fn file_bytes(dataset: &Dataset) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.safetensors");
        dataset.write(&path).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let dataset = sample();
        let read = Dataset::from_bytes(&file_bytes(&dataset)).unwrap();
        assert_eq!(file_bytes(&read), file_bytes(&dataset));
        assert_eq!(read.info, dataset.info);
        assert_eq!(read.label, [SUCCESS, FAILURE, CENSORED, FAILURE]);
        assert_eq!((read.cause[0], read.cause[3], read.reach[3]), (UNKNOWN, 1, 4));
        let truth: Vec<_> = (0..4).map(|row| read.truth(row)).collect();
        assert_eq!(truth, [None, None, None, Some(0.25)]);
        let target: Vec<f64> = (0..4).map(|row| read.target(row)).collect();
        assert_eq!(target, [1.0, 0.0, 0.0, 0.25], "the truth where nothing was observed");
    }

    #[test]
    fn rows_are_counted_by_action() {
        let counts = sample().actions_of(&[0, 2, 3]);
        let counts: Vec<_> = counts.iter().map(|of| (of.action, of.rows, of.successes)).collect();
        assert_eq!(
            counts[..3],
            [(Action::AsIs, 2, 1), (Action::Memory, 0, 0), (Action::Disk, 1, 0)]
        );
        assert_eq!(counts.len(), Action::ALL.len());
    }

    #[test]
    fn the_file_is_as_safetensors_writes_it() {
        let file = file_bytes(&sample());
        let (_, metadata) = safetensors::SafeTensors::read_metadata(&file).unwrap();
        let tensors = safetensors::SafeTensors::deserialize(&file).unwrap().tensors();
        let written = safetensors::serialize(tensors, metadata.metadata().clone()).unwrap();
        assert!(written == file);
    }

    #[test]
    fn causes_are_numbered_until_255() {
        let mut dataset = sample();
        assert_eq!(dataset.cause("bug"), Some(0));
        for at in 2..255 {
            assert_eq!(dataset.cause(&at.to_string()), Some(at));
        }
        assert_eq!((dataset.cause("one more"), dataset.cause("254")), (None, Some(254)));
    }

    #[test]
    fn a_row_that_does_not_fit_is_refused_and_leaves_no_trace() {
        let mut dataset = sample();
        let row = Row {
            states: &[0, 1, 2, 0],
            statics: &[0.0],
            outcome: Outcome::Success,
            ..Row::default()
        };
        let refused = |dataset: &mut Dataset, row: &Row<'_>| {
            let error = dataset.push(row).unwrap_err().to_string();
            assert_eq!(file_bytes(dataset), file_bytes(&sample()));
            error
        };
        assert!(refused(&mut dataset, &row).contains("row 4: batch: sample 0 has state 2"));
        let row = Row { states: &[0; 4], weight: f32::NAN, ..row };
        assert!(refused(&mut dataset, &row).contains("weight NaN"));
        let row = Row { weight: 1.0, truth: Some(1.5), ..row };
        assert!(refused(&mut dataset, &row).contains("true probability"));
        let row = Row { truth: None, cause: Some(9), ..row };
        assert!(refused(&mut dataset, &row).contains("has no name"));
        let row = Row { statics: &[], cause: None, ..row };
        assert!(refused(&mut dataset, &row).contains("0 statics"));
    }

    #[test]
    fn values_out_of_range_are_named() {
        type Spoil = fn(&mut Dataset);
        let cases: [(&str, Spoil); 13] = [
            ("row 3 has a value out of range in truth", |d| d.truth[3] = 1.01),
            ("row 3 has a value out of range in cause", |d| d.cause[3] = 2),
            ("row 0 has a value out of range in reach", |d| d.reach[0] = 5),
            ("format 1, expected 3", |d| d.info.format = 1),
            ("format 3, expected 4 of a file with companions", |d| d.info.companions.push(2)),
            ("companions [2, 1] are not growing", |d| {
                (d.info.companions, d.info.format) = (vec![2, 1], 4);
            }),
            ("row 0 is a companion's and happened", |d| d.info.add_companions(&[0])),
            ("row 1 has a value out of range in label", |d| d.label[1] = 3),
            ("row 2 has a value out of range in action", |d| d.action[2] = 6),
            ("row 0 has a value out of range in weight", |d| d.weight[0] = -1.0),
            ("format 9, expected 3", |d| d.info.format = 9),
            ("row 1 has a value out of range in delay", |d| d.delay[1] = -1),
            ("horizon -1", |d| d.info.horizon = -1),
        ];
        for (words, spoil) in cases {
            let mut dataset = sample();
            spoil(&mut dataset);
            let error = Dataset::from_bytes(&file_bytes(&dataset)).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn sizes_beyond_the_limits_are_refused() {
        let mut schema = sample().info.schema;
        schema.slots = usize::MAX;
        // Without rows its tensors take no bytes.
        let empty = Dataset::new(schema, "simulated data", false, 3600);
        let error = Dataset::from_bytes(&file_bytes(&empty)).unwrap_err();
        assert!(error.contains("j (slots) is 18446744073709551615, it must lie in"), "{error}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Dataset::read(Path::new("no/such.safetensors")).unwrap_err();
        assert!(error.to_string().contains("no/such.safetensors"));
    }

    proptest! {
        #[test]
        fn damaged_files_give_an_error_or_a_valid_dataset(
            cut in 0..2000_usize, at in 0..2000_usize, byte in any::<u8>()
        ) {
            let mut file = file_bytes(&sample());
            prop_assert!(Dataset::from_bytes(&file[..cut.min(file.len() - 1)]).is_err());
            let at = at % file.len();
            file[at] = byte;
            if let Ok(dataset) = Dataset::from_bytes(&file) {
                prop_assert!(dataset.check().is_ok());
            }
        }
    }
}
