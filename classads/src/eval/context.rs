//! What an evaluation may know besides the ad.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;

use super::budget::Budget;
use crate::ad::ClassAd;

/// What an evaluation may know besides the ad: the time, the time zone, the other ad of a match.
///
/// ```
/// use classads::{ClassAd, EvalContext, Value};
///
/// let job = ClassAd::parse("[ EnteredCurrentStatus = 1000; Held = time() - EnteredCurrentStatus ]")?;
/// assert_eq!(job.evaluate("Held", &EvalContext::at(1600)), Value::Integer(600));
/// # Ok::<(), classads::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EvalContext<'a> {
    /// What `time()` and `CurrentTime` give: seconds since 1970-01-01 00:00:00 UTC.
    pub now: i64,
    /// The local time zone; `None`: the system's.
    pub time_zone: Option<TimeZone>,
    /// The other ad of a match: `TARGET.x`, and `x` where the ad itself has no `x`. `None` in job
    /// policies (`PeriodicRelease` and its like): there `TARGET.x` is undefined.
    pub target: Option<&'a ClassAd>,
    /// Whether `MY.x` and `CurrentTime` are known, as in HTCondor's daemons and tools with
    /// `STRICT_CLASSAD_EVALUATION = False`, the default. The manual says that in job policies `MY.`
    /// is not defined; HTCondor 25 defines it all the same. Off: both are undefined, as the manual
    /// says.
    pub old_semantics: bool,
    /// Whether an attribute that needs itself makes the evaluation fail, as before HTCondor 25.13,
    /// instead of being undefined.
    pub circles_fail: bool,
    /// Where `random()` starts; `None`: somewhere else each time.
    pub random_seed: Option<u64>,
    /// Steps of one evaluation before it is given up as an error; HTCondor's limit by default. A
    /// sub-expression that is visited is a step, and so are 64 bytes of a string that is looked
    /// through or made, an element of a list, and steps of matching a regular expression.
    pub max_steps: u32,
    /// Steps that this and other evaluations may take together; `None`: no limit but `max_steps`.
    pub budget: Option<Budget>,
    /// Bytes of strings one evaluation may make before it is given up as an error. Elements of
    /// lists that it makes count some bytes each, text that `eval` reads some bytes for each of its
    /// own. 64 MiB by default; HTCondor has no limit.
    pub max_bytes: usize,
}

/// `MAX_CLASSAD_EVAL_STEPS` in HTCondor's src/classad.
const MAX_STEPS: u32 = 10_000_000;
/// Steps and bytes for one attribute that is nearly always a constant.
const QUICK_STEPS: u32 = 10_000;
const QUICK_BYTES: usize = 1 << 20;
/// More than any policy makes, and little beside the memory of a machine.
const MAX_BYTES: usize = 64 << 20;

impl Default for EvalContext<'_> {
    /// Now, here, no other ad.
    fn default() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        EvalContext::at(i64::try_from(now.as_secs()).unwrap_or(i64::MAX))
    }
}

impl<'a> EvalContext<'a> {
    /// The context of a policy evaluated at `now` (seconds since 1970 UTC).
    #[must_use]
    pub fn at(now: i64) -> EvalContext<'a> {
        EvalContext {
            now,
            time_zone: None,
            target: None,
            old_semantics: true,
            circles_fail: false,
            random_seed: None,
            max_steps: MAX_STEPS,
            budget: None,
            max_bytes: MAX_BYTES,
        }
    }

    /// Now, with limits for what is nearly always a constant and may be anything that its owner
    /// wrote: 10,000 steps and 1 MiB.
    #[must_use]
    pub fn quick() -> EvalContext<'a> {
        EvalContext { max_steps: QUICK_STEPS, max_bytes: QUICK_BYTES, ..EvalContext::default() }
    }

    /// The steps that an evaluation may take.
    pub(crate) fn steps(&self) -> u32 {
        match &self.budget {
            None => self.max_steps,
            Some(budget) => u32::try_from(budget.left()).unwrap_or(u32::MAX).min(self.max_steps),
        }
    }

    /// The same at another time.
    #[must_use]
    pub fn then(&self, now: i64) -> EvalContext<'a> {
        EvalContext { now, ..self.clone() }
    }

    pub(crate) fn zone(&self) -> TimeZone {
        self.time_zone.clone().unwrap_or_else(TimeZone::system)
    }
}
