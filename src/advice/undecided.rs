//! Why nothing is recommended.

use super::Costs;
use super::cause::Trouble;
use super::removal::Against;
use crate::model::LEAST_RELEASES;

/// Why nothing is recommended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Open {
    /// Whoever put it on hold knows why.
    Person,
    /// The model was trained on so few releases after this code.
    UnknownCode(u64),
    /// The model is less sure than this, which it must be for a release or a removal.
    Unsure(f64),
    /// The model was hardly trained on releases as they were.
    NoReleases,
    /// Its hold reason says what stays until somebody acts.
    Lasting(Trouble),
    /// No action is likely to help, and this stands against a removal.
    NotRemoved(Against),
    /// A release would be likely enough, were the event log at hand.
    Sources,
    /// No action is likely enough, and none so unlikely that removal is the cheaper choice.
    Between,
}

impl Open {
    /// One sentence, of a hold with this code that is judged by these costs.
    pub(super) fn sentence(self, code: i32, costs: &Costs) -> String {
        match self {
            Self::Person if code == 15 => {
                "It was submitted on hold: whoever did that knows what it waits for.".to_owned()
            }
            Self::Person => "A person put it on hold, and knows why.".to_owned(),
            Self::UnknownCode(seen) => {
                let releases = match seen {
                    0 => "no release".to_owned(),
                    1 => "1 release".to_owned(),
                    n => format!("{n} releases"),
                };
                format!(
                    "The model has seen {releases} after code {code}; it takes {LEAST_RELEASES} to know one."
                )
            }
            Self::Unsure(least) => {
                format!(
                    "The model is less sure than {:.0} %, the least asked of it.",
                    least * 100.0
                )
            }
            Self::NoReleases => {
                "The model was trained on too few releases without a change.".to_owned()
            }
            Self::Lasting(trouble) => {
                let what = match trouble {
                    Trouble::NoSpace => "no space is left",
                    Trouble::Denied => "permission is denied",
                    Trouble::Missing => "a file is missing",
                    Trouble::Away => "a service is away",
                };
                format!(
                    "Its hold reason says that {what}, and nothing was seen to get through there since. Look whether \
                     that is still so before a release."
                )
            }
            Self::NotRemoved(against) => {
                format!("No action is likely to help. {}", against.sentence())
            }
            Self::Sources => "A release may succeed. Without the sources named above it is advised only where it is \
                              likely to."
                .to_owned(),
            Self::Between => format!(
                "Neither a release (worth it from {:.0} % success on) nor a removal (below {:.0} %) pays, and no change \
                 makes enough of a difference.",
                costs.release_threshold() * 100.0,
                costs.remove_threshold() * 100.0
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_counted() {
        let told = |seen| Open::UnknownCode(seen).sentence(36, &Costs::default());
        assert_eq!(told(1), "The model has seen 1 release after code 36; it takes 30 to know one.");
        assert!(told(29).contains("29 releases"));
        let between = Open::Between.sentence(13, &Costs { failed: 24.0, ..Costs::default() });
        assert!(between.contains("from 75 %") && between.contains("below 10 %"), "{between}");
    }
}
