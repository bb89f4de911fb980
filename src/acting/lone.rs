//! Failures of one owner alone: they hold up that owner, and nobody else.
//!
//! Where jobs of others get through at the same time, it is not the server that fails jobs of one
//! owner but something of that owner's: a wrong URL, a plug-in, a wish to stop the others.

use std::collections::HashMap;

use super::ramp::{Attempt, Pauses};

/// Seconds around a failure in which others' failures, or the owner's own successes, show that it is
/// everybody's: as long as the first pause.
const AROUND: i64 = Pauses::FIRST;

/// Takes the failures of owners who alone fail out of the releases of a cause; until when these
/// owners' jobs wait, by owner, Unix seconds.
pub(super) fn part(attempts: &[Attempt]) -> (Vec<Attempt>, HashMap<u64, i64>) {
    let ends: Vec<(u64, i64, bool)> = attempts
        .iter()
        .filter_map(|one| one.ended.map(|(at, through)| (one.owner, at, through)))
        .collect();
    let is_alone = |one: &Attempt, at: i64| {
        let is_near = |other: i64| other.abs_diff(at) <= AROUND.unsigned_abs();
        let mut others = ends.iter().filter(|(owner, ..)| *owner != one.owner);
        let mut own = ends.iter().filter(|(owner, ..)| *owner == one.owner);
        others.clone().all(|&(_, at, through)| through || !is_near(at))
            && own.all(|&(_, at, through)| !through || !is_near(at))
            && others.any(|&(_, at, through)| through && at >= one.at)
    };
    let (lone, rest): (Vec<Attempt>, Vec<Attempt>) = attempts
        .iter()
        .copied()
        .partition(|one| matches!(one.ended, Some((at, false)) if is_alone(one, at)));
    let mut of_owner: HashMap<u64, Vec<i64>> = HashMap::new();
    for one in lone {
        of_owner.entry(one.owner).or_default().extend(one.ended.map(|(at, _)| at));
    }
    let held_up = of_owner.into_iter().filter_map(|(owner, mut ends)| {
        ends.sort_unstable();
        let mut pauses = Pauses::default();
        for at in ends {
            pauses.add(at);
        }
        Some((owner, pauses.until?))
    });
    (rest, held_up.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MALLORY: u64 = 1;
    const ALICE: u64 = 2;
    const BOB: u64 = 3;

    fn ended(owner: u64, at: i64, through: bool) -> Attempt {
        Attempt { at, ended: Some((at + 10, through)), took: None, owner }
    }

    fn held_up(attempts: &[Attempt]) -> HashMap<u64, i64> {
        part(attempts).1
    }

    #[test]
    fn an_owner_who_alone_fails_waits_alone_and_longer_each_time() {
        let mut attempts = vec![ended(MALLORY, 0, false), ended(ALICE, 0, true)];
        assert_eq!(held_up(&attempts), HashMap::from([(MALLORY, 10 + AROUND)]));
        assert_eq!(part(&attempts).0, [ended(ALICE, 0, true)]);
        attempts.push(ended(MALLORY, 2_000, false));
        assert_eq!(held_up(&attempts)[&MALLORY], 10 + AROUND, "nobody got through since");
        attempts.push(ended(BOB, 2_000, true));
        assert_eq!(held_up(&attempts)[&MALLORY], 2_010 + 3 * AROUND);
    }

    #[test]
    fn failures_of_several_owners_or_of_one_whose_jobs_get_through_are_everybodys() {
        for more in [ended(BOB, 0, false), ended(BOB, AROUND, false), ended(MALLORY, 30, true)] {
            let attempts = [ended(MALLORY, 0, false), ended(ALICE, 60, true), more];
            assert_eq!(held_up(&attempts), HashMap::new(), "{more:?}");
            assert_eq!(part(&attempts).0, attempts);
        }
        // Nobody else was released since, or there is nobody else.
        for attempts in [
            vec![ended(ALICE, -60, true), ended(MALLORY, 0, false)],
            vec![ended(MALLORY, 0, false), ended(MALLORY, 5_000, true)],
        ] {
            assert_eq!(held_up(&attempts), HashMap::new(), "{attempts:?}");
        }
    }
}
