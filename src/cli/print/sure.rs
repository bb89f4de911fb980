//! How sure an advice is, in words or in percent.

use crate::advice::{Advice, InputEffect, Recommendation};
use crate::history::Action;
use crate::model::LEAST_OUTCOMES;

/// The probability the band stands for: of the recommended action, of the best one for a removal,
/// else of a release as it is.
pub(super) fn probability(advice: &Advice) -> Option<f64> {
    let of = |action| advice.success.iter().find(|(other, _)| *other == action).map(|(_, p)| *p);
    match (advice.action, advice.recommendation) {
        (Some(action), _) => of(action),
        (None, Recommendation::Remove) => advice.success.iter().map(|(_, p)| *p).reduce(f64::max),
        (None, _) => of(Action::AsIs),
    }
}

/// Whether probabilities are printed as numbers.
pub(super) fn in_percent(advice: &Advice) -> bool {
    advice.trust.outcomes_here >= LEAST_OUTCOMES
}

/// The words of the band; `not known` where the model does not know the code.
pub(super) fn band(advice: &Advice) -> &'static str {
    if advice.expected_costs.is_none() { "not known" } else { advice.band.words() }
}

/// `87 %`, or the words of the band while too few outcomes are known.
pub(super) fn chance(advice: &Advice) -> String {
    match probability(advice).filter(|_| advice.expected_costs.is_some()) {
        Some(p) if in_percent(advice) => format!("{:.0} %", p * 100.0),
        _ => band(advice).to_owned(),
    }
}

/// Changes in probability from which on one is `much`, and below which it is `a little`.
const MUCH: f64 = 0.2;
const LITTLE: f64 = 0.05;

/// What speaks for success and what against it, by the model without that:
/// `For success: ... (much). Against success: ...` Empty where nothing stands out.
pub(super) fn inputs(advice: &Advice) -> String {
    let word = |effect: &InputEffect| {
        let size = effect.change.abs();
        if in_percent(advice) {
            return format!("{} ({:+.0} points)", effect.input, effect.change * 100.0);
        }
        match size {
            size if size >= MUCH => format!("{} (much)", effect.input),
            size if size < LITTLE => format!("{} (a little)", effect.input),
            _ => effect.input.clone(),
        }
    };
    let side = |words: &str, belongs: fn(f64) -> bool| {
        let named: Vec<String> =
            advice.inputs.iter().filter(|effect| belongs(effect.change)).map(word).collect();
        (!named.is_empty()).then(|| format!("{words}: {}.", named.join(", ")))
    };
    let sides = [
        side("For success", |change| change > 0.0),
        side("Against success", |change| change < 0.0),
    ];
    sides.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The expected cost of each choice; empty while probabilities are printed as words.
pub(super) fn expected_costs(advice: &Advice) -> String {
    let Some(costs) = advice.expected_costs.filter(|_| in_percent(advice)) else {
        return String::new();
    };
    let change = costs.change.map_or(String::new(), |hours| format!(", change {hours:.1} h"));
    format!(
        "release {:.1} h{change}, leave held {:.1} h, remove {:.1} h",
        costs.release, costs.hold, costs.remove
    )
}

/// One sentence: what to do, and how likely it is to work.
pub(super) fn verdict(advice: &Advice) -> String {
    let chance = chance(advice);
    match advice.recommendation {
        Recommendation::Release => format!("RELEASE it as it is. Success: {chance}."),
        Recommendation::Change => {
            format!("CHANGE something, then release it. Success then: {chance}.")
        }
        Recommendation::Wait => {
            format!("WAIT, leave it held for now. Success of a release now: {chance}.")
        }
        Recommendation::Remove => format!("REMOVE it. Success of the best release: {chance}."),
        Recommendation::Undecided => {
            if advice.expected_costs.is_none() {
                return "UNDECIDED: the model cannot judge this hold.".to_owned();
            }
            format!("UNDECIDED: what is known does not tell. Success of a release: {chance}.")
        }
    }
}

/// The line about the model.
pub(super) fn trust(advice: &Advice) -> String {
    let trust = &advice.trust;
    let outcomes = if trust.outcomes_here == 1 { "outcome" } else { "outcomes" };
    format!(
        "the model was trained on {} and {} {outcomes} of this access point",
        crate::text::strip_control(&trust.trained_on),
        trust.outcomes_here
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::print::samples;

    #[test]
    fn inputs_in_words_and_in_points() {
        assert_eq!(
            inputs(&samples::transfer(1, 0)),
            "For success: other jobs with the same file server or file (much), this job's own history (a little). \
             Against success: how long it has been held."
        );
        assert_eq!(
            inputs(&samples::memory(1, 0, 2048)),
            "For success: other jobs with the same file server or file (+41 points), this job's own history (+3 \
             points). Against success: how long it has been held (-6 points)."
        );
        let mut none = samples::transfer(1, 0);
        none.inputs.clear();
        assert_eq!(inputs(&none), "");
    }

    #[test]
    fn costs_are_told_where_numbers_are() {
        assert_eq!(expected_costs(&samples::transfer(1, 0)), "");
        assert_eq!(
            expected_costs(&samples::memory(1, 0, 2048)),
            "release 8.7 h, change 0.6 h, leave held 7.5 h, remove 14.9 h"
        );
    }

    #[test]
    fn words_until_outcomes_are_known() {
        assert_eq!(verdict(&samples::transfer(1, 0)), "RELEASE it as it is. Success: likely.");
        assert_eq!(
            verdict(&samples::memory(1, 0, 2048)),
            "CHANGE something, then release it. Success then: 93 %."
        );
        let mut unknown = samples::memory(1, 0, 2048);
        unknown.expected_costs = None;
        assert_eq!(
            verdict(&unknown),
            "CHANGE something, then release it. Success then: not known."
        );
        unknown.recommendation = Recommendation::Undecided;
        assert_eq!(verdict(&unknown), "UNDECIDED: the model cannot judge this hold.");
        assert_eq!(
            trust(&samples::transfer(1, 0)),
            "the model was trained on simulated data and 0 outcomes of this access point"
        );
    }
}
