//! The attributes of a held job's ad that a log tells.

use std::sync::Arc;

use classads::{Budget, ClassAd, EvalContext, Value};

use super::past::PastHold;
use crate::policy::{MAX_BYTES, asks_time, followed};

/// An attribute that events tell of: its name, whether an ad of the job may tell what events do
/// not, and its value.
type Recorded = (&'static str, bool, fn(&ReplayedJob<'_>) -> LogValue);

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

/// Steps of one evaluation; what takes more is an error, and does not fire.
const MAX_STEPS: u32 = 100_000;

/// Steps that to look an attribute up, or to copy it, counts as. Assumed: a step takes some ns.
pub(super) const LOOK_UP: u32 = 10;

/// A held job, as it was or as it would be after failed releases.
#[derive(Clone, Copy, Debug)]
pub struct ReplayedJob<'a> {
    pub(super) hold: &'a PastHold,
    held_at: i64,
    releases: i64,
    /// What evaluations take their steps from.
    budget: Option<&'a Budget>,
}

impl<'a> ReplayedJob<'a> {
    /// As the log tells of it.
    pub const fn new(hold: &'a PastHold) -> Self {
        Self { hold, held_at: hold.held_at, releases: 0, budget: None }
    }

    /// After a failed release: held again for the same cause at this time.
    #[must_use]
    pub const fn again(self, held_at: i64) -> Self {
        Self { held_at, releases: self.releases + 1, ..self }
    }

    /// The same, evaluated within a budget.
    pub(super) fn within<'b>(&self, budget: &'b Budget) -> ReplayedJob<'b>
    where
        'a: 'b,
    {
        ReplayedJob { budget: Some(budget), ..*self }
    }

    /// Takes steps of its budget.
    pub(super) fn take(&self, steps: u32) {
        if let Some(budget) = self.budget {
            budget.take(steps.into());
        }
    }

    /// Nothing is left of its budget.
    pub(super) fn is_spent(&self) -> bool {
        self.budget.is_some_and(|budget| budget.left() == 0)
    }

    /// What `work` gives, and the steps that it took.
    pub(super) fn counting<T>(&self, work: impl FnOnce() -> T) -> (T, u32) {
        let left = || self.budget.map_or(0, Budget::left);
        let before = left();
        let given = work();
        (given, u32::try_from(before - left()).unwrap_or(u32::MAX))
    }

    /// How one of the many evaluations is done.
    pub(super) fn context(&self, time: i64) -> EvalContext<'static> {
        EvalContext { budget: self.budget.cloned(), ..context(time) }
    }

    /// Failed releases before.
    pub const fn failed_releases(&self) -> i64 {
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
        self.take(LOOK_UP);
        let Some(ad) = &self.hold.ad else { return LogValue::Unrecorded };
        let expr = ad.get(name).filter(|expr| expr.as_literal().is_none());
        if expr.is_some_and(|expr| asks_time(&followed(ad, expr))) {
            return LogValue::Varies;
        }
        LogValue::Value(ad.evaluate(name, &self.context(self.held_at)))
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
        self.take(LOOK_UP.saturating_mul(u32::try_from(ad.len()).unwrap_or(u32::MAX)));
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

/// One evaluation, beside no others.
pub(super) fn context(time: i64) -> EvalContext<'static> {
    EvalContext { max_steps: MAX_STEPS, max_bytes: MAX_BYTES, ..EvalContext::at(time) }
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
