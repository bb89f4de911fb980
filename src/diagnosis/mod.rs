//! What is at fault in a hold, and what ends it.
//!
//! - `attempts`: whether a machine or a site is at fault.
//! - `said`: what its texts say.

mod attempts;
mod said;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use attempts::PlaceAtFault;
pub(crate) use attempts::{Attempts, LAST_DAY, Passes, Table};
pub(crate) use said::{Said, deciding};

use crate::catalogue::{Ends, Fault, Reading};

/// What may be at fault.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct AtFault {
    /// Which kind of thing.
    pub fault: Fault,
    /// How likely, 0 to 1.
    pub probability: f64,
}

/// What a diagnosis is concluded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub enum By {
    /// The hold reason, with its codes.
    Reason,
    /// The line that the program of this run ended with.
    Program,
    /// Where runs of its cluster failed so and got through.
    Runs,
}

/// Whether what held a job is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub enum State {
    /// Nothing shows it.
    #[default]
    Unknown,
    /// Like jobs get through, or what the hold is about is in order.
    Over,
    /// What the hold is about is still not in order.
    Lasts,
}

/// What is at fault in a hold, what ends it, and whether it is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Diagnosis {
    /// What may be at fault, the likeliest first; the probabilities add up to 1. Empty where nothing
    /// tells.
    pub at_fault: Vec<AtFault>,
    /// What tells.
    pub by: Option<By>,
    /// The machine or site at fault.
    pub place: Option<String>,
    /// What ends it.
    pub ends: Option<Ends>,
    /// Whether it is over.
    pub state: State,
}

impl Diagnosis {
    /// Of what was read of a hold reason and of the line of its program, and of runs of its cluster.
    pub(crate) fn of(
        reason: Option<&Reading>,
        program: Option<&Reading>,
        place: Option<&PlaceAtFault>,
        state: State,
    ) -> Self {
        let deciding = deciding(reason, program);
        let entry = deciding.map(Reading::entry);
        let of_program = deciding.is_some() && deciding != reason;
        let by_text = deciding.map(|_| if of_program { By::Program } else { By::Reason });
        let weights = entry.iter().flat_map(|entry| &entry.fault);
        let at = place.map(|place| if place.is_site { Fault::Site } else { Fault::Machine });
        let others = weights.filter(|(fault, _)| Some(**fault) != at);
        let whole: f64 = others.clone().map(|(_, weight)| weight).sum();
        let left = 1.0 - place.map_or(0.0, |place| place.probability);
        let at_place = at.zip(place).map(|(fault, PlaceAtFault { probability, .. })| AtFault {
            fault,
            probability: if whole > 0.0 { *probability } else { 1.0 },
        });
        let others = others
            .map(|(fault, weight)| AtFault { fault: *fault, probability: left * weight / whole });
        let mut at_fault: Vec<AtFault> = at_place.into_iter().chain(others).collect();
        at_fault.sort_by(|one, other| other.probability.total_cmp(&one.probability));
        Self {
            at_fault,
            by: place.map(|_| By::Runs).or(by_text),
            place: place.map(|place| place.name.clone()),
            ends: ends(place, deciding),
            state,
        }
    }
}

/// What ends a hold: a start elsewhere where its place is at fault, and else what the text that
/// decides says.
pub(crate) fn ends(place: Option<&PlaceAtFault>, deciding: Option<&Reading>) -> Option<Ends> {
    place.map(|_| Ends::Elsewhere).or(deciding.map(|reading| reading.entry().ends))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_of_what_is_at_fault_add_up_to_one() {
        let reason = "The job attribute OnExitHold expression 'ExitCode =!= 0' evaluated to TRUE";
        let said = Said::of(3, 33, reason);
        let place = PlaceAtFault {
            name: "e1.example.org".to_owned(),
            is_site: false,
            table: Table::default(),
            probability: 0.9,
        };
        for (reading, place) in [
            (said.reading.as_ref(), None),
            (said.reading.as_ref(), Some(&place)),
            (None, Some(&place)),
        ] {
            let all = Diagnosis::of(reading, None, place, State::Unknown);
            let sum: f64 = all.at_fault.iter().map(|one| one.probability).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{all:?}");
            let wanted = if place.is_some() { Fault::Machine } else { Fault::Program };
            assert_eq!(all.at_fault.first().map(|one| one.fault), Some(wanted));
        }
        assert_eq!(Diagnosis::of(None, None, None, State::Unknown), Diagnosis::default());
    }

    #[test]
    fn the_line_of_the_program_decides_where_the_reason_sends_to_it() {
        let reason = "The job attribute OnExitHold expression 'ExitCode =!= 0' evaluated to TRUE";
        let line = crate::catalogue::current().read_output("curl: (7) Connection refused");
        let said = Said::of(3, 33, reason);
        let all = Diagnosis::of(said.reading.as_ref(), line.as_ref(), None, State::Unknown);
        assert_eq!((all.by, all.ends), (Some(By::Program), Some(Ends::Time)));
        let missing = "Transfer input files failure at access point ap while sending files. \
                       Details: reading from file /d/a: (errno 2) No such file or directory";
        let said = Said::of(13, 2, missing);
        let all = Diagnosis::of(said.reading.as_ref(), line.as_ref(), None, State::Unknown);
        assert_eq!((all.by, all.ends), (Some(By::Reason), Some(Ends::Change)));
    }
}
