//! The attributes of a held job's ad that a log tells.

use std::sync::Arc;

use classads::{ClassAd, Value};

use super::expression::context;
use super::past::PastHold;
use crate::policy::{asks_time, followed};

/// Writes the attributes that events tell of as an enum whose variants are named as they are.
macro_rules! recorded {
    ($($name:ident)*) => {
        /// An attribute that events tell of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Recorded { $($name),* }

        impl Recorded {
            const ALL: &[Self] = &[$(Self::$name),*];

            const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }
        }
    };
}

recorded! {
    ClusterId ProcId Owner JobStatus EnteredCurrentStatus HoldReason HoldReasonCode
    HoldReasonSubCode LastHoldReasonCode LastHoldReasonSubCode NumHolds NumJobStarts QDate
}

/// JobStatus of a held job.
const HELD: i64 = 5;

/// An attribute that an expression names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    /// Events tell of it.
    Recorded(Recorded),
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

    fn recorded(&self, attribute: Recorded) -> LogValue {
        let hold = self.hold;
        let last = |of_log: fn((i32, i32)) -> i32, now: i32| match hold.before {
            _ if self.releases > 0 => LogValue::Value(i64::from(now).into()),
            Some(before) => LogValue::Value(i64::from(of_log(before)).into()),
            None if hold.from_submission() => LogValue::Value(Value::Undefined),
            None => LogValue::Unrecorded,
        };
        let known =
            |value: Option<i64>| value.map_or(LogValue::Unrecorded, |v| LogValue::Value(v.into()));
        let text = |text: &Option<Arc<str>>| match text {
            Some(text) => LogValue::Value(Value::String(Arc::clone(text))),
            None => LogValue::Unrecorded,
        };
        match attribute {
            Recorded::ClusterId => LogValue::Value(i64::from(hold.job.cluster).into()),
            Recorded::ProcId => LogValue::Value(i64::from(hold.job.proc).into()),
            Recorded::Owner => text(&hold.owner),
            Recorded::JobStatus => LogValue::Value(HELD.into()),
            Recorded::EnteredCurrentStatus => LogValue::Value(self.held_at.into()),
            Recorded::HoldReason => text(&hold.reason),
            Recorded::HoldReasonCode => LogValue::Value(i64::from(hold.code).into()),
            Recorded::HoldReasonSubCode => LogValue::Value(i64::from(hold.subcode).into()),
            Recorded::LastHoldReasonCode => last(|(code, _)| code, hold.code),
            Recorded::LastHoldReasonSubCode => last(|(_, subcode)| subcode, hold.subcode),
            Recorded::NumHolds => known(self.num_holds()),
            Recorded::NumJobStarts => {
                // A run that failed before its program began is not counted, and neither is it after the next release.
                let more = if hold.ran > 0 { self.releases } else { 0 };
                known(hold.starts.map(|starts| starts.saturating_add(more)))
            }
            Recorded::QDate => known(hold.submitted_at),
        }
    }

    /// What is known of an attribute.
    pub(super) fn value_of(&self, attribute: &Attribute) -> LogValue {
        match attribute {
            Attribute::Recorded(recorded) => match self.recorded(*recorded) {
                // The ad of a run does not count the hold that ended it.
                LogValue::Unrecorded if *recorded != Recorded::NumHolds => {
                    self.of_ad(recorded.name())
                }
                known => known,
            },
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
        self.with(Recorded::ALL.iter().copied())
    }

    /// The ad as far as an expression that names these attributes sees it.
    pub(super) fn ad_of(&self, attributes: &[Attribute]) -> ClassAd {
        if self.hold.ad.is_some() {
            // Attributes of an ad may name others.
            return self.ad();
        }
        self.with(attributes.iter().filter_map(|attribute| match attribute {
            Attribute::Recorded(recorded) => Some(*recorded),
            Attribute::OfAd(_) => None,
        }))
    }

    fn with(&self, attributes: impl Iterator<Item = Recorded>) -> ClassAd {
        let mut ad = self.hold.ad.as_deref().cloned().unwrap_or_default();
        for recorded in attributes {
            let name = recorded.name();
            match self.recorded(recorded) {
                LogValue::Value(Value::Undefined) => {
                    ad.remove(name);
                }
                LogValue::Value(value) => ad.insert_value(name, value),
                LogValue::Unrecorded if recorded == Recorded::NumHolds => {
                    ad.remove(name);
                }
                LogValue::Unrecorded | LogValue::Varies => {}
            }
        }
        ad
    }
}

impl Recorded {
    /// Events tell of it, or nothing does, wherever the log begins: no ad is asked.
    const fn needs_no_ad(self) -> bool {
        !matches!(
            self,
            Self::Owner
                | Self::LastHoldReasonCode
                | Self::LastHoldReasonSubCode
                | Self::NumJobStarts
                | Self::QDate
        )
    }
}

impl Attribute {
    /// An ad of the job may tell what events do not.
    pub(super) const fn needs_ad(&self) -> bool {
        !matches!(self, Self::Recorded(recorded) if recorded.needs_no_ad())
    }

    pub(super) fn named(name: &str) -> Self {
        let recorded = Recorded::ALL.iter().find(|known| known.name().eq_ignore_ascii_case(name));
        recorded.map_or_else(|| Self::OfAd(Arc::from(name)), |known| Self::Recorded(*known))
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Recorded(recorded) => recorded.name(),
            Self::OfAd(name) => name,
        }
    }
}
