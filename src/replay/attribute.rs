//! The attributes of a held job's ad that a log tells.

use std::sync::Arc;

use classads::{ClassAd, Value};

use super::expression::context;
use super::past::PastHold;
use crate::policy::{asks_time, followed};

/// An attribute that events tell of: its name, whether an ad of the job may tell what events do
/// not, and its value.
type Recorded = (&'static str, bool, fn(&HeldJob<'_>) -> LogValue);

/// All of them.
const RECORDED: [Recorded; 13] = [
    ("ClusterId", false, |job| value(Some(job.hold.job.cluster))),
    ("ProcId", false, |job| value(Some(job.hold.job.proc))),
    ("Owner", true, |job| text(&job.hold.owner)),
    ("JobStatus", false, |_| value(Some(HELD))),
    ("EnteredCurrentStatus", false, |job| value(Some(job.held_at))),
    ("HoldReason", false, |job| text(&job.hold.reason)),
    ("HoldReasonCode", false, |job| value(Some(job.hold.code))),
    ("HoldReasonSubCode", false, |job| value(Some(job.hold.subcode))),
    ("LastHoldReasonCode", true, |job| job.last(job.hold.code, |(code, _)| code)),
    ("LastHoldReasonSubCode", true, |job| job.last(job.hold.subcode, |(_, subcode)| subcode)),
    (NUM_HOLDS, false, |job| value(job.num_holds())),
    ("NumJobStarts", true, |job| {
        // A run that failed before its program began is not counted, and neither is it after the
        // next release.
        let more = if job.hold.ran > 0 { job.releases } else { 0 };
        value(job.hold.starts.map(|starts| starts.saturating_add(more)))
    }),
    ("QDate", true, |job| value(job.hold.submitted_at)),
];

/// The ad of a run does not count the hold that ended it.
const NUM_HOLDS: &str = "NumHolds";

fn value(value: Option<impl Into<i64>>) -> LogValue {
    value.map_or(LogValue::Unrecorded, |value| LogValue::Value(value.into().into()))
}

fn text(text: &Option<Arc<str>>) -> LogValue {
    text.clone().map_or(LogValue::Unrecorded, |text| LogValue::Value(Value::String(text)))
}

/// JobStatus of a held job.
const HELD: i64 = 5;

/// An attribute that an expression names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    /// Events tell of it: its place among [`RECORDED`].
    Recorded(usize),
    /// Only an ad does.
    OfAd(Arc<str>),
}

/// What is known of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LogValue {
    /// Its value; undefined where the ad does not have it.
    Value(Value),
    /// An expression of the ad that gives another value at another time.
    Varies,
    /// Neither events nor an ad tell.
    Unrecorded,
}

/// A held job, as it was or as it would be after failed releases.
#[derive(Clone, Copy, Debug)]
pub struct HeldJob<'a> {
    pub(super) hold: &'a PastHold,
    held_at: i64,
    releases: i64,
}

impl<'a> HeldJob<'a> {
    /// As the log tells of it.
    pub const fn new(hold: &'a PastHold) -> Self {
        Self { hold, held_at: hold.held_at, releases: 0 }
    }

    /// After a failed release: held again for the same cause at this time.
    #[must_use]
    pub const fn again(self, held_at: i64) -> Self {
        Self { held_at, releases: self.releases + 1, ..self }
    }

    /// Failed releases before.
    pub const fn releases(&self) -> i64 {
        self.releases
    }

    /// When the hold began that it is in now, Unix seconds.
    pub const fn held_at(&self) -> i64 {
        self.held_at
    }

    /// NumHolds, where it is known.
    pub fn num_holds(&self) -> Option<i64> {
        self.hold.num_holds.map(|holds| holds.saturating_add(self.releases))
    }

    /// An attribute of the hold before, which after a failed release was for the same cause as
    /// `now`.
    fn last(&self, now: i32, of: fn((i32, i32)) -> i32) -> LogValue {
        match self.hold.before {
            _ if self.releases > 0 => value(Some(now)),
            Some(before) => value(Some(of(before))),
            None if self.hold.from_submission() => LogValue::Value(Value::Undefined),
            None => LogValue::Unrecorded,
        }
    }

    /// What is known of an attribute.
    pub(super) fn value_of(&self, attribute: &Attribute) -> LogValue {
        match attribute {
            Attribute::Recorded(at) => {
                let (name, _, value) = RECORDED[*at];
                match value(self) {
                    LogValue::Unrecorded if name != NUM_HOLDS => self.of_ad(name),
                    known => known,
                }
            }
            Attribute::OfAd(name) => self.of_ad(name),
        }
    }

    fn of_ad(&self, name: &str) -> LogValue {
        let Some(ad) = &self.hold.ad else { return LogValue::Unrecorded };
        let expr = ad.get(name).filter(|expr| expr.as_literal().is_none());
        if expr.is_some_and(|expr| asks_time(&followed(ad, expr))) {
            return LogValue::Varies;
        }
        LogValue::Value(ad.evaluate(name, &context(self.held_at)))
    }

    /// The ad, as far as it is known.
    pub(super) fn ad(&self) -> ClassAd {
        self.with(0..RECORDED.len())
    }

    /// The ad as far as an expression that names these attributes sees it.
    pub(super) fn ad_of(&self, attributes: &[Attribute]) -> ClassAd {
        if self.hold.ad.is_some() {
            // Attributes of an ad may name others.
            return self.ad();
        }
        self.with(attributes.iter().filter_map(|attribute| match attribute {
            Attribute::Recorded(at) => Some(*at),
            Attribute::OfAd(_) => None,
        }))
    }

    fn with(&self, attributes: impl Iterator<Item = usize>) -> ClassAd {
        let mut ad = self.hold.ad.as_deref().cloned().unwrap_or_default();
        for (name, _, value) in attributes.map(|at| RECORDED[at]) {
            match value(self) {
                LogValue::Value(Value::Undefined) => drop(ad.remove(name)),
                LogValue::Value(value) => ad.insert_value(name, value),
                LogValue::Unrecorded if name == NUM_HOLDS => drop(ad.remove(name)),
                LogValue::Unrecorded | LogValue::Varies => {}
            }
        }
        ad
    }
}

impl Attribute {
    /// An ad of the job may tell what events do not.
    pub(super) const fn needs_ad(&self) -> bool {
        !matches!(self, Self::Recorded(at) if !RECORDED[*at].1)
    }

    pub(super) fn named(name: &str) -> Self {
        let recorded = RECORDED.iter().position(|(known, ..)| known.eq_ignore_ascii_case(name));
        recorded.map_or_else(|| Self::OfAd(Arc::from(name)), Self::Recorded)
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Recorded(at) => RECORDED[*at].0,
            Self::OfAd(name) => name,
        }
    }
}
