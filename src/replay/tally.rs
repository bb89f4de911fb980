//! What policies would have done with all holds, and by hold reason code.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::course::{Course, Sums};

/// Sums over holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Tally {
    /// Holds.
    pub holds: u64,
    /// Of these, released at least once.
    pub released: u64,
    /// Of these, that turned on what the log does not tell.
    pub unknown: u64,
    /// Of these, that took more steps of evaluation than a hold has.
    pub unfinished: u64,
    /// Holds of which it is known what came of their release, and that are in the sums below.
    pub judged: u64,
    /// Of the others, released.
    pub released_not_judged: u64,
    /// How releases went.
    #[serde(flatten)]
    pub sums: Sums,
}

impl Tally {
    /// Counts one hold. Without `judged` what came of releases is not known.
    pub(super) fn add(&mut self, course: &Course, judged: bool) {
        self.holds += 1;
        self.unknown += u64::from(course.unknown);
        self.unfinished += u64::from(course.unfinished);
        self.released += u64::from(course.released_at.is_some());
        if !judged {
            self.released_not_judged += u64::from(course.released_at.is_some());
            return;
        }
        if course.unknown {
            return;
        }
        self.judged += 1;
        self.sums += course.sums;
    }

    fn join(&mut self, other: &Self) {
        self.holds += other.holds;
        self.released += other.released;
        self.unknown += other.unknown;
        self.unfinished += other.unfinished;
        self.judged += other.judged;
        self.released_not_judged += other.released_not_judged;
        self.sums += other.sums;
    }
}

/// What one policy would have done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// All holds.
    pub all: Tally,
    /// By HoldReasonCode.
    pub codes: BTreeMap<i32, Tally>,
    /// Attributes that were not told of where it turned on them, with the number of holds.
    pub unrecorded: BTreeMap<String, u64>,
}

impl Replayed {
    pub(super) fn add(&mut self, code: i32, course: &Course, judged: bool) {
        self.codes.entry(code).or_default().add(course, judged);
    }

    pub(super) fn join(&mut self, other: Self) {
        for (code, tally) in other.codes {
            self.codes.entry(code).or_default().join(&tally);
        }
        for (name, count) in other.unrecorded {
            *self.unrecorded.entry(name).or_default() += count;
        }
    }

    /// Sums the codes up.
    pub(super) fn finish(&mut self) {
        self.all = Tally::default();
        for tally in self.codes.values() {
            self.all.join(tally);
        }
    }
}
