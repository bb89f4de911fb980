//! A forecast in plain sentences.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::forecast::{Forecast, Gate, Policy, Truth};
use super::prospect::HORIZON;
use super::{Deed, Kind};
use crate::text::{shorten, strip_control};

/// Characters of an expression shown in a sentence.
const SHOWN: usize = 100;

impl Forecast {
    /// What HTCondor will do by itself, one sentence each, the most important first. Times are civil
    /// times of the given zone.
    pub fn sentences(&self, zone: &TimeZone) -> Vec<String> {
        let mut out = Vec::new();
        out.extend(self.first_sentence(zone));
        out.extend(self.gate.sentence());
        // Once it is released, or removed, the rest is void.
        let released = self.deed.as_ref().is_some_and(|deed| deed.kind == Kind::Release);
        for policy in &self.policies {
            out.extend(match policy.kind {
                Kind::Release if self.gate.lets_release() && !released => stays(policy),
                Kind::Hold => holds_again(policy),
                _ => None,
            });
            if policy.now == Truth::Unparsable {
                out.push(format!("{} is no expression: {}.", policy.name, shown(&policy.text)));
            }
        }
        out
    }

    /// The first thing that HTCondor will do by itself, or that it will do nothing; `None` where it evaluates no policy.
    pub fn first_sentence(&self, zone: &TimeZone) -> Option<String> {
        match &self.deed {
            Some(deed) => Some(self.deed_sentence(deed, zone)),
            None => self.gate.lets_remove().then(|| self.nothing()),
        }
    }

    fn deed_sentence(&self, deed: &Deed, zone: &TimeZone) -> String {
        let does = match deed.kind {
            Kind::Remove => "remove",
            _ => "release",
        };
        let name = display_name(&deed.by);
        if deed.at <= self.now {
            format!(
                "HTCondor will {does} this job when it next looks, every {} s or less often ({name} is true).",
                self.interval.0
            )
        } else {
            format!(
                "HTCondor will {does} this job at {} or soon after ({name}).",
                civil(deed.at, zone)
            )
        }
    }

    fn nothing(&self) -> String {
        if let Some(policy) = self.policies.iter().find(|policy| policy.not_known) {
            return format!(
                "Whether HTCondor will release or remove this job is not known: it cannot be told when {} becomes true.",
                display_name(&policy.name)
            );
        }
        let days = HORIZON / (24 * 3600);
        format!("HTCondor will neither release nor remove this job within {days} days.")
    }
}

impl Gate {
    /// What keeps policies from being evaluated, or from releasing the job; `None` where nothing does.
    pub fn sentence(self) -> Option<String> {
        Some(match self {
            Self::Open | Self::NotHeld => return None,
            Self::HeldByUser => {
                "A person put it on hold (code 1): no policy releases it, only condor_release."
                    .to_owned()
            }
            Self::MaxReleases { num_holds, limit } if num_holds > limit => format!(
                "SYSTEM_MAX_RELEASES is reached ({num_holds} holds, limit {limit}): no policy releases it, and \
                 condor_release is refused but to queue super users."
            ),
            Self::MaxReleases { num_holds, limit } => format!(
                "SYSTEM_MAX_RELEASES is reached ({num_holds} holds, limit {limit}): no policy releases it; \
                 condor_release does, once more."
            ),
            Self::SpoolingInput => {
                "HTCondor evaluates no policy of this job while its input is being spooled."
                    .to_owned()
            }
            Self::Switched => {
                "This access point evaluates no policies (PERIODIC_EXPR_INTERVAL is 0).".to_owned()
            }
            Self::Managed => {
                "Another manager has this job; the schedd evaluates no policy of it.".to_owned()
            }
            Self::TimerUndefined => {
                "Its TimerRemove is no number, so HTCondor evaluates none of its policies."
                    .to_owned()
            }
        })
    }
}

/// Whether it is the constant `false`: the default, which says nothing.
pub(super) fn is_never(policy: &Policy) -> bool {
    matches!(policy.text.trim().to_ascii_lowercase().as_str(), "false" | "0")
}

/// Why a release policy will not fire.
fn stays(policy: &Policy) -> Option<String> {
    let first = policy.open.first()?;
    if is_never(policy) {
        return None;
    }
    let why = match policy.open.len() {
        1 => String::new(),
        2 => ", and one more clause".to_owned(),
        more => format!(", and {} more clauses", more - 1),
    };
    Some(format!(
        "Its {} stays {}: {} is {}{why}.",
        display_name(&policy.name),
        policy.now.word(),
        shown(&first.clause),
        first.value.word()
    ))
}

fn holds_again(policy: &Policy) -> Option<String> {
    (policy.now == Truth::True).then(|| {
        format!("Released now, it would be held again: {} is true.", display_name(&policy.name))
    })
}

/// The submit command for the job's own policies, the knob for the system's.
pub(super) fn display_name(name: &str) -> String {
    let own = Kind::ALL.iter().find(|kind| kind.attribute() == name);
    own.map_or_else(|| strip_control(name).into_owned(), |kind| kind.submit_command().to_owned())
}

pub(super) fn shown(text: &str) -> String {
    shorten(&strip_control(text), SHOWN).into_owned()
}

/// `2026-11-21 13:20`.
fn civil(seconds: i64, zone: &TimeZone) -> String {
    match Timestamp::from_second(seconds) {
        Ok(time) => time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => format!("{seconds} (Unix time)"),
    }
}
