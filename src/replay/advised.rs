//! What would have been released by who asks a model.

use std::collections::HashMap;

use super::past::PastHold;
use crate::advice::{Advisor, Held, Recommendation};
use crate::model::ModelError;
use crate::userlog::JobId;

/// Seconds after the hold at which the model is asked: ten minutes, an hour, a quarter of a day, a day.
pub const ASKED: [i64; 4] = [600, 3_600, 6 * 3_600, 86_400];

/// When each hold would have been released by somebody who asks the advisor at these times and does what it says at once: the
/// first time that it recommends a release as it is. Holds that it never does are not in the map. Nothing later than the
/// time of asking is seen. `end` is that of the logs, Unix seconds.
///
/// # Errors
/// [`ModelError`] of the advisor.
pub fn advised(
    advisor: &mut Advisor<'_>,
    holds: &[PastHold],
    end: i64,
) -> Result<HashMap<(JobId, i64), i64>, ModelError> {
    let mut asked: Vec<(i64, &PastHold)> = holds
        .iter()
        .flat_map(|hold| {
            let until = hold.fate.left_at().unwrap_or(end);
            ASKED
                .into_iter()
                .map(move |after| (hold.held_at + after, hold))
                .filter(move |(at, _)| *at < until)
        })
        .collect();
    asked.sort_by_key(|(at, hold)| (*at, hold.job));
    let mut released = HashMap::new();
    for (at, hold) in asked {
        let key = (hold.job, hold.held_at);
        if released.contains_key(&key) {
            continue;
        }
        advisor.set_now(at);
        let advice = advisor.advise(&Held::of_log(hold.job))?;
        if advice.is_some_and(|advice| advice.recommendation == Recommendation::Release) {
            released.insert(key, at);
        }
    }
    Ok(released)
}
