//! The holds of one job, step by step.

use super::{Action, Episode, Exit, Hold, Outcome, Until, What};

/// Follows the steps of one job in the order of their times. At most one hold is open: it waits for
/// its release, or for what comes of that.
#[derive(Debug, Default)]
pub(super) struct Holds {
    open: Option<Box<Episode>>,
    /// What was told of the job so far.
    until: Until,
    /// Its program runs since then.
    began: Option<i64>,
}

/// What an episode is made of beside the steps.
pub(super) trait Facts {
    /// The episode that a hold begins, the `count`th of its job.
    fn begin(&self, time: i64, hold: Hold, count: i64) -> Episode;
    /// What was done before the release of this episode.
    fn action(&self, episode: &Episode, released_at: i64) -> Action;
}

impl Holds {
    /// Takes the next step: the episode that it decides.
    pub(super) fn step(
        &mut self,
        time: i64,
        what: What,
        horizon: i64,
        facts: &impl Facts,
    ) -> Option<Episode> {
        self.run(time, what);
        match what {
            What::Submitted => {
                self.until.submitted_at.get_or_insert(time);
                None
            }
            What::Held(hold) => {
                let decided = self.decide(time, what, horizon);
                let mut episode = facts.begin(time, hold, self.until.holds + 1);
                episode.until = self.until;
                self.until.holds += 1;
                self.until.before = Some((hold.code, hold.subcode));
                self.open = Some(Box::new(episode));
                decided
            }
            What::Released { by_person } => {
                if let Some(episode) =
                    self.open.as_mut().filter(|episode| episode.released_at.is_none())
                {
                    episode.action = facts.action(episode, time);
                    episode.released_at = Some(time);
                    episode.released_by_person = by_person;
                }
                None
            }
            What::Removed | What::Terminated(_) => self.decide(time, what, horizon),
            _ => None,
        }
    }

    /// Counts runs, and what they take after a release.
    fn run(&mut self, time: i64, what: What) {
        match what {
            What::Executing(_) => {
                self.until.starts += 1;
                self.began.get_or_insert(time);
            }
            What::Evicted(_)
            | What::ShadowException
            | What::Terminated(_)
            | What::Removed
            | What::Held(_) => {
                let Some(began) = self.began.take() else { return };
                if let Some(episode) = self.open.as_mut().filter(|open| open.released_at.is_some())
                {
                    episode.ran += time.saturating_sub(began).max(0);
                }
            }
            _ => {}
        }
    }

    /// The log ends: the episode that is still open.
    pub(super) fn end(&mut self) -> Option<Episode> {
        let mut episode = *self.open.take()?;
        episode.outcome = episode.released_at.map(|_| Outcome::Censored);
        Some(episode)
    }

    /// Ends the open episode with the first terminal step after its release.
    fn decide(&mut self, time: i64, what: What, horizon: i64) -> Option<Episode> {
        let mut episode = self.end()?;
        if episode.released_at.is_none() {
            episode.left_at = Some(time);
            episode.removed = what == What::Removed;
        }
        if let Some(released_at) = episode.released_at
            && time - released_at <= horizon
        {
            episode.outcome = Some(match what {
                What::Terminated(Exit::Success) => Outcome::Success,
                What::Terminated(Exit::Code(_) | Exit::Signal(_)) => Outcome::Failure,
                What::Held(hold) if hold.is_by_system() => Outcome::Failure,
                _ => Outcome::Censored,
            });
            episode.outcome_at = Some(time);
        }
        Some(episode)
    }
}
