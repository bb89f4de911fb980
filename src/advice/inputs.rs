//! Which inputs moved a probability: the model is asked again without each group of them.
//!
//! A group is blanked as training drops a source (its columns, masks among them, at 0) or as it is
//! where nothing is known of it (states `not observed`). What then changes is what the group did; a
//! group that the model ignores changes nothing.

use std::ops::Range;

use super::InputEffect;
use crate::features::{Column, FeatureSchema, InputGroup, Sample, Slots};

/// A change in probability below this is not worth a word.
const LEAST_CHANGE: f64 = 0.02;

/// Groups that are named.
const NAMED: usize = 3;

/// What is blanked of the states.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Blanked {
    /// The held job's states before this hold: what a queue without a log tells.
    OwnPast,
    /// The jobs in these slots: there are none.
    Slots(Range<usize>),
}

/// Inputs that users know by one name.
#[derive(Clone, Debug)]
struct Group {
    of: InputGroup,
    name: &'static str,
    columns: Vec<(usize, f32)>,
    states: Blanked,
}

/// All groups of a schema.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    groups: Vec<Group>,
    slots: usize,
    /// The schema's index of that state.
    not_observed: u8,
}

impl Inputs {
    pub(super) fn of(schema: &FeatureSchema) -> Self {
        let columns: Vec<_> = schema.statics.iter().map(|name| Column::named(name)).collect();
        let group = |of: InputGroup, name, states| {
            let column = |(at, column): (usize, &Option<&Column>)| {
                column
                    .filter(|column| column.group() == Some(of))
                    .map(|column| (at, column.missing()))
            };
            Group {
                of,
                name,
                columns: columns.iter().enumerate().filter_map(column).collect(),
                states,
            }
        };
        let slots = Slots::new(schema.slots).unwrap_or_default();
        let [cluster, owner, same_code, any] = slots.of_kinds().map(Blanked::Slots);
        let none = || Blanked::Slots(0..0);
        let groups = vec![
            group(InputGroup::OwnHistory, "this job's own history", Blanked::OwnPast),
            group(InputGroup::HoldReason, "the text of its hold reason", none()),
            group(InputGroup::Usage, "the memory and disk it used", none()),
            group(InputGroup::Cluster, "the other jobs of its cluster", cluster),
            group(InputGroup::Owner, "its owner's other jobs", owner),
            group(InputGroup::Site, "other jobs at the same site", none()),
            group(InputGroup::Transfer, "other jobs with the same file server or file", none()),
            group(InputGroup::HeldAlike, "other jobs that were held alike", same_code),
            group(InputGroup::AccessPoint, "the access point as a whole", any),
            group(InputGroup::HeldFor, "how long it has been held", none()),
        ];
        let not_observed = schema.states.iter().position(|state| state == "not-observed");
        let not_observed = not_observed.and_then(|index| u8::try_from(index).ok()).unwrap_or(0);
        Self { groups, slots: schema.slots, not_observed }
    }

    /// The sample without what jobs of other owners did, whose jobs may fail on purpose.
    pub(super) fn without_others(&self, sample: &Sample) -> Sample {
        const OTHERS: [InputGroup; 4] = [
            InputGroup::Site,
            InputGroup::Transfer,
            InputGroup::HeldAlike,
            InputGroup::AccessPoint,
        ];
        let mut without = sample.clone();
        for group in self.groups.iter().filter(|group| OTHERS.contains(&group.of)) {
            self.leave_out(&mut without, group);
        }
        without
    }

    fn leave_out(&self, sample: &mut Sample, group: &Group) {
        for &(column, value) in &group.columns {
            if let Some(cell) = sample.statics.get_mut(column) {
                *cell = value;
            }
        }
        self.blank(&mut sample.states, &group.states);
    }

    /// Hands the sample without each group to `ask`; gives the numbers of the groups asked about.
    /// Those that are blank in it as it is are left out.
    pub(super) fn ask(&self, sample: &Sample, mut ask: impl FnMut(&Sample)) -> Vec<usize> {
        let mut asked = Vec::new();
        for (number, group) in self.groups.iter().enumerate() {
            let mut without = sample.clone();
            self.leave_out(&mut without, group);
            if without != *sample {
                ask(&without);
                asked.push(number);
            }
        }
        asked
    }

    fn blank(&self, states: &mut [u8], what: &Blanked) {
        let unknown = self.not_observed;
        let frames = states.chunks_exact_mut(self.slots.max(1));
        match what {
            Blanked::Slots(slots) => frames
                .filter_map(|frame| frame.get_mut(slots.clone()))
                .for_each(|jobs| jobs.fill(unknown)),
            Blanked::OwnPast => {
                let mut own: Vec<&mut u8> = frames.filter_map(<[u8]>::first_mut).collect();
                let now = own.last().map(|state| **state);
                let past = own.iter_mut().rev().skip_while(|state| Some(***state) == now);
                past.for_each(|state| **state = unknown);
            }
        }
    }

    /// The strongest effects, from the probability with all inputs and those without each group
    /// asked about.
    pub(super) fn strongest(&self, all: f64, asked: &[usize], without: &[f64]) -> Vec<InputEffect> {
        let mut effects: Vec<InputEffect> = asked
            .iter()
            .zip(without)
            .filter_map(|(&number, without)| {
                let group = self.groups.get(number)?;
                Some(InputEffect { input: group.name.to_owned(), change: all - without })
            })
            .filter(|effect| effect.change.abs() >= LEAST_CHANGE)
            .collect();
        effects.sort_by(|a, b| b.change.abs().total_cmp(&a.change.abs()));
        effects.truncate(NAMED);
        effects
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::State;

    #[test]
    fn every_group_has_inputs_and_no_column_is_in_two() {
        let schema = FeatureSchema::current();
        let inputs = Inputs::of(&schema);
        let mut seen = vec![0; schema.statics.len()];
        for group in &inputs.groups {
            assert!(!group.columns.is_empty(), "{}", group.name);
            group.columns.iter().for_each(|&(column, _)| seen[column] += 1);
        }
        for (name, seen) in schema.statics.iter().zip(seen) {
            // What the hold is, and what is asked, cannot be missing.
            let kept = ["code-", "subcode-", "action-", "release-"]
                .iter()
                .any(|kept| name.starts_with(kept));
            assert_eq!(seen, usize::from(!kept), "{name}");
        }
    }

    #[test]
    fn a_blanked_job_is_one_that_only_the_queue_tells_of() {
        let schema = FeatureSchema::current();
        let inputs = Inputs::of(&schema);
        let held = State::held(13).index();
        let mut states = vec![2; schema.frames() * schema.slots];
        for frame in [5, 22, 23] {
            states[frame * schema.slots] = held;
        }
        let own = |states: &[u8]| -> Vec<u8> {
            states.chunks_exact(schema.slots).map(|frame| frame[0]).collect()
        };
        let mut blanked = states.clone();
        inputs.blank(&mut blanked, &Blanked::OwnPast);
        let mut expected = vec![0; 22];
        expected.extend([held, held]);
        assert_eq!(own(&blanked), expected);
        assert_eq!(blanked[1], 2);
        let mut others = states.clone();
        inputs.blank(&mut others, &Blanked::Slots(1..5));
        assert_eq!(own(&others), own(&states));
        for frame in others.chunks_exact(schema.slots) {
            assert!(frame[1..5].iter().all(|state| *state == 0));
            assert!(frame[5..].iter().all(|state| *state == 2));
        }
    }

    #[test]
    fn what_is_blank_is_not_asked_about() {
        let schema = FeatureSchema::current();
        let inputs = Inputs::of(&schema);
        let states = vec![State::held(13).index(); schema.frames() * schema.slots];
        let mut sample = Sample { states, statics: vec![0.0; schema.statics.len()] };
        // Of its own history nothing is known but this hold, the first one.
        for name in ["holds", "holds-same-code"] {
            sample.statics[schema.column(name).unwrap()] = std::f32::consts::LN_2;
        }
        let mut asked = 0;
        let numbers = inputs.ask(&sample, |_| asked += 1);
        let names: Vec<&str> = numbers.iter().map(|&number| inputs.groups[number].name).collect();
        // The other jobs' slots are not empty here.
        let expected = [
            "the other jobs of its cluster",
            "its owner's other jobs",
            "other jobs that were held alike",
            "the access point as a whole",
        ];
        assert_eq!((asked, names), (4, expected.to_vec()));
    }

    #[test]
    fn the_strongest_come_first_and_next_to_nothing_is_not_named() {
        let inputs = Inputs::of(&FeatureSchema::current());
        let effects = inputs.strongest(0.6, &[0, 1, 2, 3, 5], &[0.5, 0.595, 0.6, 0.9, 0.55]);
        let told: Vec<(&str, i32)> = effects
            .iter()
            .map(|effect| (effect.input.as_str(), (effect.change * 100.0).round() as i32))
            .collect();
        assert_eq!(
            told,
            [
                ("the other jobs of its cluster", -30),
                ("this job's own history", 10),
                ("other jobs at the same site", 5)
            ]
        );
    }
}
