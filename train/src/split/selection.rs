//! What of a dataset a training sees: codes withheld, releases only, labels permuted, input groups
//! blanked.

use holdadvise::features::Column;
use holdadvise::model::{Dimensions, FeatureSchema, ModelMetadata};
use serde::{Deserialize, Serialize};

use crate::data::dataset::Dataset;
use crate::random::Random;
use crate::split::Split;

/// What is kept from a training; recorded in the model, so that an evaluation blanks alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
pub struct SelectionOptions {
    /// Hold codes whose rows neither train nor validate.
    #[arg(long, value_name = "CODES", value_delimiter = ',', allow_negative_numbers = true)]
    #[serde(default)]
    pub withhold_codes: Vec<i32>,
    /// Train on releases that happened only, not on what a simulator knows of others.
    #[arg(long)]
    #[serde(default)]
    pub releases_only: bool,
    /// Permute the labels within the training part and within the validation part: a test for
    /// leaks.
    #[arg(long)]
    #[serde(default)]
    pub shuffle_labels: bool,
    /// Blank an input group in training and when evaluating. Repeatable. A source of the dataset's
    /// schema, `states`, `held-job` (states of slot 0), `slots` (states of the other slots),
    /// `context` (those and all that is counted of other jobs), or what the names of static columns
    /// begin with.
    #[arg(long, value_name = "GROUP")]
    #[serde(default)]
    pub without: Vec<String>,
}

/// Key of [`SelectionOptions`] in the details of a model's training.
pub const SELECTION_DETAIL: &str = "selection";

impl SelectionOptions {
    /// What a model was trained with.
    pub fn of_model(metadata: &ModelMetadata) -> Self {
        let kept = metadata.training.details.get(SELECTION_DETAIL);
        kept.and_then(|kept| serde_json::from_value(kept.clone()).ok()).unwrap_or_default()
    }

    /// Takes rows out of the training and validation parts.
    pub fn select(&self, dataset: &Dataset, split: &mut Split) {
        let dropped = &mut split.dropped;
        for part in [&mut split.train, &mut split.validation] {
            part.retain(|&row| {
                let withheld = self.withhold_codes.contains(&dataset.code[row]);
                let from_oracle = !withheld && self.releases_only && dataset.observed[row] == 0;
                dropped.withheld += usize::from(withheld);
                dropped.oracle += usize::from(from_oracle);
                !withheld && !from_oracle
            });
        }
    }

    /// What each row is fitted to. Labels are permuted over all rows of a part: those that happened
    /// succeed more often than those a simulator tells of, which would tell them apart otherwise.
    pub fn targets(&self, dataset: &Dataset, split: &Split, seed: u64) -> Vec<f32> {
        let honest: Vec<f32> = (0..dataset.len()).map(|row| dataset.target(row) as f32).collect();
        if !self.shuffle_labels {
            return honest;
        }
        let mut random = Random::new(seed ^ 0x7368_7566_666C_6521);
        let mut targets = honest.clone();
        for part in [&split.train, &split.validation] {
            let mut from = part.clone();
            random.shuffle(&mut from);
            part.iter().zip(&from).for_each(|(&row, &from)| targets[row] = honest[from]);
        }
        targets
    }

    /// The inputs that are blanked.
    ///
    /// # Errors
    /// A group that is none of this schema, with those that are.
    pub fn blank(&self, schema: &FeatureSchema) -> Result<Blank, String> {
        let dimensions = Dimensions::of(schema);
        let mut blank = Blank { dimensions, columns: Vec::new(), held_job: false, slots: false };
        for group in &self.without {
            let by_name = |belongs: &dyn Fn(&str) -> bool| -> Vec<usize> {
                let columns = schema.statics.iter().enumerate();
                columns.filter(|(_, name)| belongs(name)).map(|(at, _)| at).collect()
            };
            let source = schema.sources.iter().find(|source| source.name == *group);
            let group = group.as_str();
            blank.held_job |= matches!(group, "states" | "held-job");
            blank.slots |= matches!(group, "states" | "slots" | "context");
            let columns = match (group, source) {
                ("states" | "held-job" | "slots", _) => Vec::new(),
                ("context", _) => {
                    by_name(&|name| Column::named(name).is_some_and(Column::is_of_others))
                }
                (_, Some(source)) => source.columns.clone(),
                _ => match by_name(&|name| !group.is_empty() && name.starts_with(group)) {
                    columns if columns.is_empty() => {
                        let sources: Vec<&str> =
                            schema.sources.iter().map(|source| source.name.as_str()).collect();
                        return Err(format!(
                            "--without {group}: no such group; expected states, held-job, slots, context, the \
                             beginning of static columns, or one of {}",
                            sources.join(", ")
                        ));
                    }
                    columns => columns,
                },
            };
            blank.columns.extend(columns);
        }
        blank.columns.sort_unstable();
        blank.columns.dedup();
        Ok(blank)
    }
}

/// Inputs that are set to 0: columns of the statics, slots of the states (0 is "not observed").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blank {
    dimensions: Dimensions,
    /// Columns of the statics.
    pub columns: Vec<usize>,
    /// Slot 0.
    pub held_job: bool,
    /// The slots from 1 on.
    pub slots: bool,
}

impl Blank {
    /// Nothing is blanked.
    pub fn is_nothing(&self) -> bool {
        self.columns.is_empty() && !self.held_job && !self.slots
    }

    /// Blanks samples that lie one after the other.
    pub fn apply(&self, states: &mut [u8], statics: &mut [f32]) {
        let Dimensions { j, k, .. } = self.dimensions;
        if self.held_job || self.slots {
            for frame in states.chunks_exact_mut(j.max(1)) {
                let (held_job, slots) = frame.split_at_mut(1);
                if self.held_job {
                    held_job.fill(0);
                }
                if self.slots {
                    slots.fill(0);
                }
            }
        }
        if !self.columns.is_empty() {
            for row in statics.chunks_exact_mut(k.max(1)) {
                self.columns.iter().for_each(|&column| row[column] = 0.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::tests::rows;
    use holdadvise::history::Outcome::{Failure, Success};

    fn without(groups: &[&str]) -> SelectionOptions {
        let without = groups.iter().map(|&group| group.to_owned()).collect();
        SelectionOptions { without, ..SelectionOptions::default() }
    }

    #[test]
    fn groups_are_sources_slots_or_columns_of_one_beginning() {
        let schema = FeatureSchema::current();
        let names = |groups: &[&str]| -> Vec<&str> {
            let blank = without(groups).blank(&schema).unwrap();
            blank.columns.iter().map(|&column| schema.statics[column].as_str()).collect()
        };
        assert!(without(&[]).blank(&schema).unwrap().is_nothing());
        let reason = names(&["hold-reason"]);
        assert!(reason.contains(&"reason-given") && !reason.contains(&"reason-known"));
        assert!(names(&["reason"]).contains(&"reason-known"), "the scope");
        assert_eq!(names(&["held-for", "held-for"]), ["held-for"]);
        let context = names(&["context"]);
        assert!(context.contains(&"cluster-known") && context.contains(&"queue-held-same-code"));
        assert!(!context.contains(&"reason-given") && !context.contains(&"holds"));
        let blank = without(&["context"]).blank(&schema).unwrap();
        assert_eq!((blank.held_job, blank.slots), (false, true));
        for group in ["moon", ""] {
            let error = without(&[group]).blank(&schema).unwrap_err();
            assert!(error.contains("no such group") && error.contains("event-log"), "{error}");
        }
    }

    #[test]
    fn blanked_inputs_are_zero_and_no_others() {
        let blank = Blank {
            dimensions: Dimensions { e: 3, m: 2, j: 2, k: 2 },
            columns: vec![1],
            held_job: false,
            slots: true,
        };
        let (mut states, mut statics) = ([1, 2, 1, 2, 1, 2, 1, 2], [1.0, 2.0, 3.0, 4.0]);
        blank.apply(&mut states, &mut statics);
        assert_eq!((states, statics), ([1, 0, 1, 0, 1, 0, 1, 0], [1.0, 0.0, 3.0, 0.0]));
    }

    #[test]
    fn permuted_labels_stay_within_their_part() {
        let all: Vec<_> =
            (0..90).map(|t| (t, t, t, if t < 60 { Success } else { Failure })).collect();
        let mut dataset = rows(&all, 0);
        dataset.label[0] = 0;
        dataset.observed[59] = 0;
        let of = |rows: std::ops::Range<usize>| rows.collect::<Vec<usize>>();
        let mut split = Split::all_test(&dataset);
        (split.train, split.validation, split.test) = (of(0..60), of(60..80), of(80..90));
        let options = SelectionOptions { shuffle_labels: true, ..SelectionOptions::default() };
        let targets = options.targets(&dataset, &split, 1);
        assert_eq!(targets.iter().sum::<f32>(), 59.0);
        assert_eq!(targets[..60].iter().sum::<f32>(), 59.0);
        assert_eq!((targets[0], targets[59]), (1.0, 1.0));
        assert_eq!(without(&[]).targets(&dataset, &split, 1)[..2], [0.0, 1.0]);
    }

    #[test]
    fn withheld_codes_and_oracle_rows_neither_train_nor_validate() {
        let mut dataset = rows(&[(0, 0, 1, Success); 6], 0);
        dataset.code = vec![6, 13, 13, 6, 13, 6];
        dataset.observed = vec![0, 0, 1, 1, 1, 1];
        let mut split = Split::all_test(&dataset);
        (split.train, split.validation, split.test) = (vec![0, 1, 2], vec![3, 4], vec![5]);
        let options = SelectionOptions {
            withhold_codes: vec![6],
            releases_only: true,
            ..SelectionOptions::default()
        };
        options.select(&dataset, &mut split);
        assert_eq!((split.train, split.validation, split.test), (vec![2], vec![4], vec![5]));
        assert_eq!((split.dropped.withheld, split.dropped.oracle), (2, 1));
    }
}
