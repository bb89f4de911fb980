//! The parts file: which rows of a dataset train, validate and test, the same for every method.
//!
//! A safetensors file with the tensor `part` u8 `[n]`: 0 train, 1 validation, 2 test, 255 in none.
//! The metadata key `holdadvise` holds [`PartsInfo`] as JSON.

use std::path::{Path, PathBuf};

use safetensors::Dtype;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::data::dataset::{CENSORED, Dataset};
use crate::data::metadata;
use crate::output::{self, Output};
use crate::say::say;
use crate::split::{Cuts, Dropped, Split, SplitOptions};

/// Version of [`PartsInfo`] that this program reads and writes.
pub const PARTS_FORMAT: u32 = 1;

/// Validation rows of a sweep, at least, where its author does not say. Assumed.
pub const LEAST_VALIDATION_ROWS: usize = 100;

/// Value of `part` for a row in none.
pub const NO_PART: u8 = 255;

/// Cut a dataset into parts for training, validation and test, and write them to a file.
#[derive(Clone, Debug, clap::Args)]
pub struct PartsOptions {
    /// The dataset, as `holdadvise-train tensors` writes it.
    dataset: PathBuf,
    /// The file to write.
    #[arg(short, long, value_name = "PARTS")]
    output: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    replace: bool,
    /// What lies in one part together.
    #[arg(long, value_enum, default_value_t)]
    by: By,
    #[command(flatten)]
    split: SplitOptions,
    /// Fail where a model could not be trained, validated and tested with the parts.
    #[arg(long)]
    complete: bool,
    /// Validation rows below which --complete fails: with fewer, chance decides between models.
    #[arg(long, default_value_t = LEAST_VALIDATION_ROWS, requires = "complete")]
    least_validation_rows: usize,
}

/// How a dataset is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// By the time of the hold, each cluster in one part.
    #[default]
    Time,
    /// By owner: those of the test are strangers to the training. The parts overlap in time.
    Owner,
    /// Every labelled row tests: data that no model was trained on.
    All,
}

impl By {
    fn split(self, dataset: &Dataset, options: &SplitOptions) -> Result<Split, String> {
        match self {
            Self::Time => Ok(Split::new(dataset, Cuts::new(dataset, options)?)),
            Self::Owner => Split::by_owner(dataset, options),
            Self::All => Ok(Split::all_test(dataset)),
        }
    }
}

/// What the file says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartsInfo {
    /// [`PARTS_FORMAT`].
    pub format: u32,
    /// How the dataset was cut.
    pub by: By,
    /// Where, if by time.
    pub cuts: Option<Cuts>,
    /// H of the dataset, seconds.
    pub horizon: i64,
    /// Rows of the dataset.
    pub rows: usize,
    /// Rows in the parts.
    pub train: usize,
    /// Rows in the parts.
    pub validation: usize,
    /// Rows in the parts.
    pub test: usize,
    /// Rows in no part, and why.
    pub dropped: Dropped,
    /// [`Dataset::digest`] of the dataset.
    pub dataset: String,
}

/// A parts file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// What it says of itself.
    pub info: PartsInfo,
    /// 0 train, 1 validation, 2 test, [`NO_PART`], for each row of the dataset.
    pub part: Vec<u8>,
}

/// What makes words of what is wrong with a file.
fn wrong(path: &Path) -> impl Fn(String) -> String {
    move |detail| {
        let path = path.display();
        format!("parts {path}: {detail}; make it again with `holdadvise-train split`")
    }
}

/// Runs `split`.
///
/// # Errors
/// When the dataset cannot be read, the options leave nothing to train on, the parts are not
/// complete where they must be, or the file cannot be written.
pub fn run(options: &PartsOptions) -> Result<(), Error> {
    let output = Output::new(&options.output, options.replace);
    output.check().map_err(|error| format!("parts {error}"))?;
    let dataset = Dataset::read(&options.dataset)?;
    let split = options.by.split(&dataset, &options.split)?;
    if options.complete {
        split.check_training(&dataset)?;
        let (rows, least) = (split.validation.len(), options.least_validation_rows);
        if rows < least {
            let text = format!(
                "the validation part has {rows} rows, fewer than {least}: chance would decide \
                 between models. More data, a larger --validation-fraction, or fewer \
                 --least-validation-rows (in a sweep file `validation_fraction` and \
                 `least_validation_rows` of `data`)"
            );
            return Err(text.into());
        }
        if !split.tests_releases(&dataset) {
            let text = "no release that happened lies in the test part: raise --test-fraction, more data, or a shorter --horizon";
            return Err(text.into());
        }
    }
    let parts = Parts::of(&dataset, options.by, &split);
    parts.write(&output)?;
    let PartsInfo { train, validation, test, dropped, .. } = &parts.info;
    say(format_args!(
        "{train} rows train, {validation} validate, {test} test; in no part: {} censored, {} near a cut, \
         {} of clusters in an earlier part\n",
        dropped.censored, dropped.near_cut, dropped.cluster
    ));
    Ok(())
}

impl Parts {
    /// Cuts a dataset.
    ///
    /// # Errors
    /// When the fractions leave nothing to train on, or H is below 0.
    pub fn new(dataset: &Dataset, by: By, options: &SplitOptions) -> Result<Self, String> {
        Ok(Self::of(dataset, by, &by.split(dataset, options)?))
    }

    fn of(dataset: &Dataset, by: By, split: &Split) -> Self {
        let mut part = vec![NO_PART; dataset.len()];
        for (value, rows) in [&split.train, &split.validation, &split.test].into_iter().enumerate()
        {
            rows.iter().for_each(|&row| part[row] = value as u8);
        }
        let info = PartsInfo {
            format: PARTS_FORMAT,
            by,
            cuts: split.cuts,
            horizon: dataset.info.horizon,
            rows: dataset.len(),
            train: split.train.len(),
            validation: split.validation.len(),
            test: split.test.len(),
            dropped: split.dropped,
            dataset: dataset.digest(),
        };
        Self { info, part }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, output: impl Into<Output>) -> Result<(), Error> {
        let output = output.into();
        let info = serde_json::to_string(&self.info)?;
        let file = metadata::file(&[("part", Dtype::U8, &self.part)], info);
        let file = file.map_err(wrong(output.path()))?;
        Ok(output.write(&file).map_err(|error| format!("parts {error}"))?)
    }

    /// Reads and checks a file.
    ///
    /// # Errors
    /// When it cannot be read or is not a parts file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = output::read(path).map_err(|error| format!("parts {error}"))?;
        Ok(Self::from_bytes(&file).map_err(wrong(path))?)
    }

    /// Reads the file for a dataset and puts its rows into their parts.
    ///
    /// # Errors
    /// When the file cannot be read or was made for another dataset.
    pub fn read_split(path: &Path, dataset: &Dataset) -> Result<(Self, Split), Error> {
        let parts = Self::read(path)?;
        let split = parts.split(dataset).map_err(wrong(path))?;
        Ok((parts, split))
    }

    pub(crate) fn split(&self, dataset: &Dataset) -> Result<Split, String> {
        let digest = dataset.digest();
        if self.part.len() != dataset.len() || self.info.dataset != digest {
            return Err(format!(
                "it was made for {} rows with hash {}, the dataset has {} with hash {digest}",
                self.part.len(),
                self.info.dataset,
                dataset.len()
            ));
        }
        let inside = |row: &usize| self.part[*row] != NO_PART && dataset.label[*row] == CENSORED;
        if let Some(row) = (0..dataset.len()).find(inside) {
            return Err(format!("row {row} has no outcome and lies in a part"));
        }
        let judges = |row: &usize| [1, 2].contains(&self.part[*row]) && dataset.is_companion(*row);
        if let Some(row) = (0..dataset.len()).find(judges) {
            return Err(format!(
                "row {row} is of a companion, and in the validation or test part: companions train"
            ));
        }
        let mut split = Split::of(dataset, |row| match self.part[row] {
            NO_PART => None,
            part => Some(usize::from(part)),
        });
        split.cuts = self.info.cuts;
        split.dropped = self.info.dropped;
        Ok(split)
    }

    fn from_bytes(file: &[u8]) -> Result<Self, String> {
        let (tensors, info) = metadata::open(file)?;
        let info: PartsInfo = metadata::parse(&info)?;
        if info.format != PARTS_FORMAT {
            return Err(format!("format {}, expected {PARTS_FORMAT}", info.format));
        }
        let part = metadata::tensor(&tensors, "part", Dtype::U8, &[info.rows])?.to_vec();
        if let Some(row) = part.iter().position(|&part| part > 2 && part != NO_PART) {
            return Err(format!("row {row} is in part {}", part[row]));
        }
        Ok(Self { info, part })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::tests::rows;
    use holdadvise::history::Outcome::{Censored, Success};
    use proptest::prelude::*;

    fn sample() -> Dataset {
        let mut all: Vec<_> = (0..100).map(|t| (t * 10, t * 10, t / 2, Success)).collect();
        all[3].3 = Censored;
        rows(&all, 5)
    }

    fn bytes(parts: &Parts) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p");
        parts.write(&path).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn a_file_gives_the_split_it_was_made_of() {
        let dataset = sample();
        let options = SplitOptions::default();
        let parts = Parts::new(&dataset, By::Time, &options).unwrap();
        let read = Parts::from_bytes(&bytes(&parts)).unwrap();
        assert_eq!(read, parts);
        let split = Split::new(&dataset, Cuts::new(&dataset, &options).unwrap());
        assert_eq!(read.split(&dataset).unwrap(), split);
        assert_eq!(parts.part[3], NO_PART);
        let all = Parts::new(&dataset, By::All, &options).unwrap();
        assert_eq!((all.info.test, all.info.dropped.censored), (99, 1));
        assert_eq!(Parts::new(&dataset, By::Owner, &options).unwrap().info.cuts, None);
    }

    #[test]
    fn another_dataset_is_refused() {
        let dataset = sample();
        let parts = Parts::new(&dataset, By::All, &SplitOptions::default()).unwrap();
        let mut other = dataset.clone();
        other.code[5] = 6;
        assert!(parts.split(&other).unwrap_err().contains("it was made for 100 rows with hash"));
        let mut wrong = parts.clone();
        wrong.part[3] = 0;
        assert!(wrong.split(&dataset).unwrap_err().contains("row 3 has no outcome"));
        wrong.part[3] = 7;
        assert!(Parts::from_bytes(&bytes(&wrong)).unwrap_err().contains("row 3 is in part 7"));
        let mut beside = dataset.clone();
        beside.observed.fill(0);
        beside.info.add_companions(&[0]);
        assert!(parts.split(&beside).is_err());
        let of_beside = Parts {
            info: PartsInfo { dataset: beside.digest(), ..parts.info.clone() },
            ..parts.clone()
        };
        assert!(of_beside.split(&beside).unwrap_err().contains("row 0 is of a companion"));
        wrong.info.rows = 99;
        assert!(Parts::from_bytes(&bytes(&wrong)).unwrap_err().contains("expected U8 [99]"));
    }

    proptest! {
        #[test]
        fn damaged_files_give_an_error_or_parts_in_range(at in 0..2000_usize, byte in any::<u8>()) {
            let parts = Parts::new(&sample(), By::Time, &SplitOptions::default()).unwrap();
            let mut file = bytes(&parts);
            let at = at % file.len();
            file[at] = byte;
            if let Ok(parts) = Parts::from_bytes(&file) {
                prop_assert!(parts.part.iter().all(|&part| part <= 2 || part == NO_PART));
            }
        }
    }
}
