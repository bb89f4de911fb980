//! How sure an advice is, in words or in percent.

use crate::advice::{Advice, Choice, InputEffect, Recommendation};
use crate::history::Action;
use crate::metrics::Band;
use crate::model::LEAST_OUTCOMES;
use crate::sentences::choices;

/// The probability the band stands for: of the recommended action, of the best one for a removal,
/// else of a release as it is.
pub(super) fn probability(advice: &Advice) -> Option<f64> {
    match (advice.action, advice.recommendation) {
        (Some(action), _) => advice.success_of(action),
        (None, Recommendation::Remove) => advice.success.iter().map(|(_, p)| *p).reduce(f64::max),
        (None, _) => advice.success_of(Action::AsIs),
    }
}

/// Whether probabilities are printed as numbers.
pub(super) fn in_percent(advice: &Advice) -> bool {
    advice.trust.outcomes_here >= LEAST_OUTCOMES
}

/// The words of the band; `not known` where the model does not know the code.
pub(super) fn band(advice: &Advice) -> &'static str {
    if !advice.is_judged { "not known" } else { advice.band.words() }
}

/// `87 %`, or the words of the band while too few outcomes are known.
pub(super) fn chance(advice: &Advice) -> String {
    match probability(advice).filter(|_| advice.is_judged) {
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
    if !in_percent(advice) || !advice.is_judged {
        return String::new();
    }
    let hours = |choice: &Choice| {
        let name = match choices::name(choice) {
            "hold" => "leave held",
            name => name,
        };
        Some(format!("{name} {:.1} h", choice.hours?))
    };
    advice.choices.choices.iter().filter_map(hours).collect::<Vec<_>>().join(", ")
}

/// How likely the job is to finish, a clause; empty where nothing is known of that.
pub(super) fn how_sure(advice: &Advice) -> String {
    if !advice.is_judged {
        return match advice.recommendation {
            Recommendation::Undecided => String::new(),
            _ => "not known: the model has not seen enough holds like this one".to_owned(),
        };
    }
    let chance = chance(advice);
    match advice.recommendation {
        Recommendation::Release => format!("{chance} to finish"),
        // One that fails costs little, and shows what no probability does.
        Recommendation::Try => "not known before that job has run".to_owned(),
        Recommendation::Change => {
            let as_is = advice.success_of(Action::AsIs).map(|p| match in_percent(advice) {
                true => format!("; if only released {:.0} %", p * 100.0),
                false if Band::of(p).words() == chance => ", or without it".to_owned(),
                false => format!("; if only released: {}", Band::of(p).words()),
            });
            format!("{chance} to finish after that{}", as_is.unwrap_or_default())
        }
        Recommendation::Remove => format!("{chance} to finish, whatever is done"),
        Recommendation::Wait | Recommendation::Look | Recommendation::Undecided => {
            format!("{chance} to finish if it is released now")
        }
    }
}

/// The line about the model.
pub(super) fn trust(advice: &Advice) -> String {
    let trust = &advice.trust;
    let outcomes = if trust.outcomes_here == 1 { "outcome" } else { "outcomes" };
    format!(
        "the model was trained on {} and {} {outcomes} of this access point",
        crate::text::printable(&trust.trained_on),
        trust.outcomes_here
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::samples;

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
    fn costs_are_printed_where_numbers_are() {
        assert_eq!(expected_costs(&samples::transfer(1, 0)), "");
        assert_eq!(
            expected_costs(&samples::memory(1, 0, 2048)),
            "release 8.7 h, change 1.6 h, leave held 7.5 h, remove 14.9 h"
        );
    }

    #[test]
    fn words_until_outcomes_are_known() {
        assert_eq!(how_sure(&samples::transfer(1, 0)), "likely to finish");
        let mut change = samples::memory(1, 0, 2048);
        let as_is = (change.success_of(Action::AsIs).unwrap() * 100.0).round();
        let sure = format!("93 % to finish after that; if only released {as_is} %");
        assert_eq!(how_sure(&change), sure);
        change.is_judged = false;
        assert!(how_sure(&change).starts_with("not known: "));
        change.recommendation = Recommendation::Undecided;
        assert_eq!(how_sure(&change), "");
        assert_eq!(
            trust(&samples::transfer(1, 0)),
            "the model was trained on simulated and recorded pools and 0 outcomes of this access point"
        );
    }
}
