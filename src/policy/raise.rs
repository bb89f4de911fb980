//! How a limit in a policy expression is raised: by the attribute it is compared with, or in the
//! expression.

use std::ops::Range;

use classads::Expr;

use super::lint::names::is_owners;
use super::own_limit::{Measure, Moment, OwnLimit};

/// A limit is raised to this much of what was reached: a run that was cut off needs more, how much
/// is not known.
const FACTOR: f64 = 2.0;

/// Numbers from here on are dates, Unix seconds (2001), smaller ones durations, counts and sizes.
const DATES: f64 = 1e9;

/// Expressions of the job that hold limits.
const POLICIES: [&str; 4] = ["PeriodicHold", "PeriodicRemove", "OnExitHold", "OnExitRemove"];

/// Requests of the job, which have changes of their own.
const REQUESTS: [(&str, Request); 6] = [
    ("RequestMemory", Request::Memory),
    ("MemoryProvisioned", Request::Memory),
    ("RequestDisk", Request::Disk),
    ("DiskProvisioned", Request::Disk),
    ("RequestCpus", Request::Cpus),
    ("CpusProvisioned", Request::Cpus),
];

/// What a job requests of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// RequestMemory.
    Memory,
    /// RequestDisk.
    Disk,
    /// RequestCpus.
    Cpus,
}

/// How the limit is raised.
#[derive(Clone, Debug, PartialEq)]
pub enum Raise {
    /// By an attribute of the job.
    Attribute {
        /// Its name.
        name: String,
        /// What it is.
        from: f64,
        /// What it should be.
        to: i64,
    },
    /// By another expression in an attribute of the job.
    Expression {
        /// The attribute.
        name: String,
        /// Its new text, in the old ClassAd syntax.
        text: String,
        /// Where the number stands in it that was raised.
        number: Range<usize>,
    },
    /// By a larger request.
    Request(Request),
    /// Not by the job's owner, or not in a way that can be worked out.
    Unknown,
}

/// A comparison that fired: what grows with its limit.
pub(super) struct Comparison {
    /// What it bounds.
    pub(super) measure: Measure,
    /// Attribute or knob in whose text it stands.
    pub(super) holder: String,
    /// As it is written.
    pub(super) text: String,
    /// Where the limit stands in the holder's text.
    pub(super) limit_span: Range<usize>,
    pub(super) limit_expr: Expr,
    /// The growing side at the hold; of dates the seconds since the one that the limit names.
    pub(super) reached: f64,
    /// The limit; of dates likewise.
    pub(super) limit: f64,
}

impl Comparison {
    /// `time() > JobStartDate + 3600` compares dates: both sides count from the date that the limit
    /// names.
    pub(super) fn since_origin(mut self, run: &Moment) -> Self {
        if self.limit < DATES {
            return self;
        }
        let dates = self.limit_expr.attribute_references().into_iter();
        let dates = dates.filter_map(|reference| run.ad.real(&reference.name));
        let began = dates.filter(|&date| (DATES..self.limit).contains(&date)).reduce(f64::max);
        if let Some(began) = began {
            self.reached -= began;
            self.limit -= began;
        }
        self
    }

    /// What the limit should be.
    fn target(&self) -> Option<f64> {
        let target = target(self.reached, self.limit);
        (target > 0.0 && target < DATES).then_some(target)
    }
}

/// What a limit should be where nothing but the run that it ended is known.
fn target(reached: f64, limit: f64) -> f64 {
    FACTOR * reached.max(limit).ceil()
}

impl Raise {
    /// The same raise to another value of the limit (`wanted`, in the unit of the test). What it
    /// does to the policy is the same for every limit above what was reached; a lower one is not
    /// taken.
    pub fn to(&self, own: &OwnLimit, wanted: f64) -> Self {
        let usual = target(own.reached, own.limit);
        if wanted <= own.reached.max(own.limit) || wanted >= DATES {
            return self.clone();
        }
        match self {
            Self::Attribute { name, from, to } => {
                // The limit grows in proportion to the attribute.
                let share = (wanted - own.limit) / (usual - own.limit);
                let to = whole(from + (*to as f64 - from) * share).max(whole(from + 1.0));
                Self::Attribute { name: name.clone(), from: *from, to }
            }
            Self::Expression { name, text, number } => {
                let raised = text.get(number.clone()).and_then(|old| old.parse::<i64>().ok());
                let new = raised.map(|old| old.saturating_add(whole(wanted) - whole(usual)));
                let Some(new) = new.filter(|new| *new > 0) else { return self.clone() };
                let mut text = text.clone();
                text.replace_range(number.clone(), &new.to_string());
                let number = number.start..number.start + new.to_string().len();
                Self::Expression { name: name.clone(), text, number }
            }
            other => other.clone(),
        }
    }
}

/// Works out how the limit is raised. What is returned was tried: with it the policy would not have
/// fired.
///
/// `policy` is the attribute or knob whose expression this is, `of_job` says that it is the job's
/// own.
pub(super) fn raise(
    run: &Moment,
    policy: &str,
    expr: &Expr,
    comparison: &Comparison,
    of_job: bool,
) -> Raise {
    let references = comparison.limit_expr.attribute_references();
    let request = references.iter().find_map(|reference| {
        REQUESTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&reference.name))
    });
    if let Some(&(_, request)) = request {
        return Raise::Request(request);
    }
    let by_attribute = references
        .iter()
        .filter(|reference| reference.is_own())
        .find_map(|reference| attribute(run, expr, comparison, &reference.name));
    let by_expression = || of_job.then(|| expression(run, policy, expr, comparison)).flatten();
    by_attribute.or_else(by_expression).unwrap_or(Raise::Unknown)
}

/// One number of the job that the limit grows with in proportion or by a sum.
fn attribute(run: &Moment, expr: &Expr, comparison: &Comparison, name: &str) -> Option<Raise> {
    // What HTCondor or the advisor gives a meaning to is no limit of the owner's.
    if !is_owners(name) {
        return None;
    }
    let from = run.ad.real(name).filter(|value| value.abs() < DATES)?;
    let limit =
        |value: f64| run.with_value(name, Expr::literal(value)).number(&comparison.limit_expr);
    let slope = limit(from + 1.0)? - limit(from)?;
    let missing = comparison.target()? - comparison.limit;
    let to = from + missing / slope;
    if !to.is_finite() || to <= from || to >= DATES {
        return None;
    }
    let to = whole(to);
    let raised = run.with_value(name, Expr::literal(to));
    (!raised.fires(expr)).then(|| Raise::Attribute { name: name.to_owned(), from, to })
}

/// The holder's text with another limit in it.
fn expression(run: &Moment, policy: &str, expr: &Expr, comparison: &Comparison) -> Option<Raise> {
    let target = comparison.target()?;
    let name = &comparison.holder;
    if !is_owners(name) && !POLICIES.iter().any(|policy| policy.eq_ignore_ascii_case(name)) {
        return None;
    }
    let holder = run.ad.get(name)?;
    let source = holder.source()?;
    // Spans count from the beginning of the text that was parsed.
    let start = holder.root().span().start;
    let from = comparison.limit_span.start.checked_sub(start)?;
    let to = comparison.limit_span.end.checked_sub(start)?;
    let limit = source.get(from..to).filter(|limit| !limit.is_empty())?;
    let (before, raised, after) = if comparison.limit_expr.attribute_references().is_empty() {
        (String::new(), whole(target), "")
    } else {
        (format!("({limit} + "), whole(target - comparison.limit), ")")
    };
    let raised = raised.to_string();
    let number = from + before.len()..from + before.len() + raised.len();
    let text = format!("{}{before}{raised}{after}{}", source.get(..from)?, source.get(to..)?);
    let edited = Expr::parse_old(&text).ok()?;
    let policy = if name == policy { edited.clone() } else { expr.clone() };
    let raised = run.with_value(name, edited);
    (!raised.fires(&policy)).then(|| Raise::Expression { name: name.clone(), text, number })
}

/// Rounded up.
fn whole(value: f64) -> i64 {
    let limit = (1_i64 << 52) as f64;
    // The range is checked, so the conversion loses only a fraction.
    value.ceil().clamp(-limit, limit) as i64
}
