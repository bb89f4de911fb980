//! The truth behind every hold.

pub(crate) use holdadvise::history::{Action, Outcome};
use serde::Serialize;

use crate::cause::{Cause, Reach};
use crate::life::Edits;
use crate::world::Clock;

/// Who released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Releaser {
    Owner,
    Facilitator,
    PeriodicRelease,
    SystemPeriodicRelease,
    Schedd,
}

/// Success probabilities at one instant, one for each action.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Probabilities {
    pub(crate) time: i64,
    #[serde(rename = "as-is")]
    pub(crate) as_is: f64,
    pub(crate) memory: f64,
    pub(crate) disk: f64,
    pub(crate) site: f64,
    pub(crate) other: f64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) plays: Option<Plays>,
}

/// What came of plays, knowing the hidden state at that instant.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Plays {
    /// Delay in seconds, and the share of plays in which a release as it is after it succeeds.
    pub(crate) when: Vec<(i64, Share)>,
    /// Plays for each delay; left out where it is one.
    #[serde(skip_serializing_if = "is_one")]
    pub(crate) plays: u32,
}

// serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(plays: &u32) -> bool {
    *plays == 1
}

/// A share, of one play 0 or 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(pub(crate) f64);

impl Serialize for Share {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0.0 => serializer.serialize_u8(0),
            1.0 => serializer.serialize_u8(1),
            share => serializer.serialize_f64(share),
        }
    }
}

/// One hold, with all that is hidden.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HoldRecord {
    pub(crate) cluster: i32,
    pub(crate) proc: i32,
    /// NumHolds with this hold.
    pub(crate) num_holds: i64,
    pub(crate) time: i64,
    pub(crate) code: i32,
    pub(crate) subcode: i32,
    pub(crate) cause: Cause,
    pub(crate) transient: bool,
    pub(crate) reach: Reach,
    pub(crate) owner: String,
    pub(crate) site: Option<String>,
    pub(crate) released: Option<i64>,
    pub(crate) released_by: Option<Releaser>,
    pub(crate) action: Option<Action>,
    /// Of the release; null where there was none.
    pub(crate) outcome: Option<Outcome>,
    /// Probability that this release succeeds, as it was done; null where there was none.
    pub(crate) success: Option<f64>,
    /// At the release, or at a few instants of a hold that never was released.
    pub(crate) oracle: Vec<Probabilities>,
}

impl HoldRecord {
    /// Turns its instants, of the simulation, into those that the clock shows.
    pub(crate) fn shown_by(&mut self, clock: Clock) {
        self.time = clock.at(self.time);
        self.released = self.released.map(|released| clock.at(released));
        for at in &mut self.oracle {
            at.time = clock.at(at.time);
            if let Some(plays) = &mut at.plays {
                plays.when.iter_mut().for_each(|(delay, _)| *delay = clock.lasting(*delay));
            }
        }
    }
}

/// The ad after an action. `memory` and `disk` ask for twice as much, or a fifth more than was
/// used.
pub(crate) fn edited(
    edits: Edits,
    action: Action,
    (memory_used, disk_used): (i64, i64),
    last_site: Option<usize>,
) -> Edits {
    let more = |request: i64, used: i64| (request * 2).max(used + used / 5);
    match action {
        Action::AsIs | Action::Unknown => edits,
        Action::Memory => {
            Edits { request_memory: more(edits.request_memory, memory_used), ..edits }
        }
        Action::Disk => Edits { request_disk: more(edits.request_disk, disk_used), ..edits },
        Action::Site => {
            let site = last_site.map_or(0, |site| 1 << site);
            Edits { excluded: edits.excluded | site, ..edits }
        }
        Action::Other => Edits { corrected: true, ..edits },
    }
}
