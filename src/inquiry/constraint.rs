//! `-constraint` on ads that come from a file: evaluated here instead of by the schedd.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use classads::{Budget, ClassAd, EvalContext, Expr};

use crate::policy::{is_known_attribute, nearest_attribute};
use crate::queue::QueueError;
use crate::text::shown;

/// An expression that an ad must make true.
#[derive(Debug)]
pub(crate) struct Constraint {
    expression: Expr,
    /// As of when, and within which limits.
    context: EvalContext<'static>,
    undecided: Cell<usize>,
    /// Attributes that it names and that no ad had so far.
    unseen: RefCell<Vec<String>>,
    /// It was tried on ads.
    is_tried: Cell<bool>,
}

/// Characters of a name that are shown.
const NAME: usize = 100;

/// Evaluates as of `now` (Unix seconds), within limits: users write the expressions of job ads.
pub(crate) fn bounded(now: i64) -> EvalContext<'static> {
    let budget = Some(Budget::new(WORK));
    EvalContext { max_steps: STEPS, budget, ..EvalContext::at(now) }
}

/// Steps for one ad, and for all: about ten seconds.
const STEPS: u32 = 1_000_000;
const WORK: u64 = 500_000_000;

impl Constraint {
    /// Reads the text in the old syntax, as HTCondor's tools do. `now` is what `time()` gives, Unix
    /// seconds.
    ///
    /// # Errors
    /// [`QueueError::Constraint`] when the text is no expression.
    pub(crate) fn new(text: &str, now: i64) -> Result<Self, QueueError> {
        match Expr::parse_old(text) {
            Ok(expression) => {
                let names = expression.attribute_references().into_iter();
                let own = names.filter(|one| one.is_own()).map(|one| one.name);
                let unseen: BTreeSet<String> =
                    own.filter(|name| !name.eq_ignore_ascii_case("CurrentTime")).collect();
                Ok(Self {
                    expression,
                    context: bounded(now),
                    undecided: Cell::new(0),
                    unseen: RefCell::new(unseen.into_iter().collect()),
                    is_tried: Cell::new(false),
                })
            }
            Err(error) => Err(QueueError::Constraint {
                constraint: crate::text::printable(text).into_owned(),
                reason: error.to_string(),
            }),
        }
    }

    /// True when the expression is true for the ad; undefined and error are not, nor is what takes
    /// too many steps.
    pub(crate) fn is_true_for(&self, ad: &ClassAd) -> bool {
        self.is_tried.set(true);
        self.unseen.borrow_mut().retain(|name| !ad.contains(name));
        let value = ad.try_evaluate_expr(&self.expression, &self.context);
        if value.is_none() {
            self.undecided.set(self.undecided.get() + 1);
        }
        value.and_then(|value| value.as_condition()) == Some(true)
    }

    /// A line for each name that no ad has: of those that it was tried on, else, where the schedd
    /// tried it, neither `judged` nor any that HTCondor makes.
    pub(crate) fn unknown(&self, judged: impl Iterator<Item = ClassAd>) -> Vec<String> {
        let mut unseen = self.unseen.take();
        judged.for_each(|ad| unseen.retain(|name| !ad.contains(name)));
        if !self.is_tried.get() {
            unseen.retain(|name| !is_known_attribute(name));
        }
        let line = |name: String| {
            let hint = nearest_attribute(&name).filter(|known| !known.eq_ignore_ascii_case(&name));
            let hint = hint.map_or(String::new(), |known| format!("; did you mean {known}?"));
            format!("-constraint: no job ad has an attribute {}{hint}", shown(&name, NAME))
        };
        unseen.into_iter().map(line).collect()
    }

    /// The line about the ads that were left out because evaluation was given up, if there are any.
    pub(crate) fn undecided(&self) -> Option<String> {
        let count = self.undecided.get();
        let ads = if count == 1 { "ad was" } else { "ads were" };
        (count > 0).then(|| {
            format!(
                "-constraint: {count} {ads} left out, to evaluate it was given up; expected at most 400 operators \
                 and attributes inside each other, {STEPS} steps and 64 MiB of text for an ad, {WORK} \
                 steps for all"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_select_ads() {
        let text =
            &b"ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nEnteredCurrentStatus = 100\n"[..];
        let ad = classads::read_ads(text).next().unwrap().unwrap();
        let is_true = |text| Constraint::new(text, 150).unwrap().is_true_for(&ad);
        assert!(is_true("regexp(\"^ALI\", Owner, \"i\") && time() - EnteredCurrentStatus == 50"));
        assert!(is_true("ClusterId"));
        for not_true in ["Unheard > 0", "Owner == \"bob\"", "Owner", "error", "undefined"] {
            assert!(!is_true(not_true), "{not_true}");
        }
        let error = Constraint::new("ClusterId >", 0).unwrap_err().to_string();
        assert!(
            error.contains("-constraint \"ClusterId >\" is not a ClassAd expression"),
            "{error}"
        );
    }
}
