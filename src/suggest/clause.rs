//! Clauses of a suggested expression, as text.

use std::collections::BTreeMap;

use super::choice::Timing;
use crate::hold_code::OUT_OF_RESOURCES;
use crate::policy::Version;

/// HoldReasonCode and HoldReasonSubCode.
pub type Reason = (i32, i32);

/// The condition of a release after a timing of holds with these reasons. In the subcodes of that
/// version of HTCondor.
pub(super) fn clause(reasons: &[Reason], timing: Timing, version: Version) -> String {
    let mut codes: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for &(code, subcode) in reasons {
        let subcodes = codes.entry(code).or_default();
        for subcode in in_version(code, subcode, version) {
            if !subcodes.contains(&subcode) {
                subcodes.push(subcode);
            }
        }
    }
    let several = codes.len() > 1;
    let conditions: Vec<String> = codes
        .into_iter()
        .map(|(code, mut subcodes)| {
            subcodes.sort_unstable();
            let subcodes: Vec<String> =
                subcodes.iter().map(|subcode| format!("HoldReasonSubCode =?= {subcode}")).collect();
            let of_code = match subcodes.as_slice() {
                [one] => format!("HoldReasonCode =?= {code} && {one}"),
                all => format!("HoldReasonCode =?= {code} && ({})", all.join(" || ")),
            };
            if several { format!("({of_code})") } else { of_code }
        })
        .collect();
    let reasons = conditions.join(" || ");
    let reasons = if several { format!("({reasons})") } else { reasons };
    format!(
        "{reasons} && NumHolds < {} && time() - EnteredCurrentStatus > {}",
        timing.bound, timing.delay
    )
}

/// Clauses of which one is enough.
pub(super) fn any_of(clauses: &[String]) -> String {
    match clauses {
        [one] => one.clone(),
        all => all.iter().map(|clause| format!("({clause})")).collect::<Vec<_>>().join(" || "),
    }
}

/// The subcodes that a version gives a reason that a log of any version tells of.
fn in_version(code: i32, subcode: i32, version: Version) -> Vec<i32> {
    if code == OUT_OF_RESOURCES && matches!(subcode, 0 | 102) {
        version.memory_subcodes().to_vec()
    } else {
        vec![subcode]
    }
}

#[cfg(test)]
mod tests {
    use classads::Expr;

    use super::*;

    const TIMING: Timing = Timing { delay: 1_200, bound: 4 };

    #[test]
    fn reasons_are_scoped_by_code() {
        let of = |reasons: &[Reason]| clause(reasons, TIMING, Version::NEWEST);
        let one = of(&[(13, 62)]);
        assert_eq!(
            one,
            "HoldReasonCode =?= 13 && HoldReasonSubCode =?= 62 && NumHolds < 4 && time() - EnteredCurrentStatus > 1200"
        );
        let more = of(&[(13, 62), (12, 2), (13, 28)]);
        assert_eq!(
            more,
            "((HoldReasonCode =?= 12 && HoldReasonSubCode =?= 2) || (HoldReasonCode =?= 13 && (HoldReasonSubCode =?= 28 || \
             HoldReasonSubCode =?= 62))) && NumHolds < 4 && time() - EnteredCurrentStatus > 1200"
        );
        for text in [one.clone(), more.clone(), any_of(&[one.clone(), more]), any_of(&[one])] {
            Expr::parse_old(&text).unwrap();
        }
    }

    #[test]
    fn memory_has_the_subcode_of_the_version() {
        let of = |version: &str| in_version(34, 102, version.parse().unwrap());
        assert_eq!(of("23.9"), [0]);
        assert_eq!(of("24.0.11"), [0]);
        assert_eq!(of("24.0.12"), [102]);
        assert_eq!(of("24.5"), [0, 102]);
        assert_eq!(of("25"), [102]);
        assert_eq!(in_version(34, 104, Version::new(23, 9, 0)), [104]);
        assert_eq!(in_version(13, 0, Version::new(23, 9, 0)), [0]);
    }
}
