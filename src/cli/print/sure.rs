//! How sure an advice is, in words or in percent.

use crate::advice::{Advice, Recommendation};

/// From this many outcomes of the access point on, probabilities are printed as percentages: the
/// standard error of a calibrated share is then below 5 %.
const OUTCOMES_FOR_PERCENT: u64 = 100;

/// The probability the band stands for: of the recommended action, else of the best one.
pub(super) fn probability(advice: &Advice) -> Option<f64> {
    let of_action = advice
        .action
        .and_then(|action| advice.success.iter().find(|(other, _)| *other == action))
        .map(|(_, p)| *p);
    of_action.or_else(|| advice.success.iter().map(|(_, p)| *p).reduce(f64::max))
}

/// `87 %`, or the words of the band while too few outcomes are known.
pub(super) fn chance(advice: &Advice) -> String {
    match probability(advice) {
        Some(p) if advice.trust.outcomes_here >= OUTCOMES_FOR_PERCENT => {
            format!("{:.0} %", p * 100.0)
        }
        _ => advice.band.words().to_owned(),
    }
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
            format!("UNDECIDED: what is known does not tell. Success of a release: {chance}.")
        }
    }
}

/// The line about the model.
pub(super) fn trust(advice: &Advice) -> String {
    let trust = &advice.trust;
    let outcomes = if trust.outcomes_here == 1 { "outcome" } else { "outcomes" };
    format!(
        "model: {}, {} {outcomes} of this access point",
        crate::text::strip_control(&trust.trained_on),
        trust.outcomes_here
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::print::samples;

    #[test]
    fn words_until_outcomes_are_known() {
        assert_eq!(verdict(&samples::transfer(1, 0)), "RELEASE it as it is. Success: likely.");
        assert_eq!(
            verdict(&samples::memory(1, 0, 2048)),
            "CHANGE something, then release it. Success then: 93 %."
        );
        assert_eq!(
            trust(&samples::transfer(1, 0)),
            "model: simulated data, 0 outcomes of this access point"
        );
    }
}
