//! What is kept of an advice, to tell the next one from it, and how holds end.

use classads::ClassAd;

use super::{Advice, Recommendation};
use crate::history::Action;
use crate::job_status::{self, COMPLETED, HELD, REMOVED};
use crate::text::hash;

/// How a hold stood at the last look: 32 bytes.
#[derive(Clone, Debug)]
pub(crate) struct Stand {
    held_since: i64,
    num_holds: u32,
    pub(crate) recommendation: Recommendation,
    action: Option<Action>,
    /// Of the job to try, the change, what to wait for or what to look at.
    what: u64,
    /// The look that it is of.
    pub(crate) look: u64,
}

/// What happened to the advice on a job since the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum News {
    /// It is on hold, at the first look.
    Found,
    /// It went on hold.
    Held,
    /// It was released and is on hold again.
    HeldAgain,
    /// Something else is recommended.
    Advice {
        /// What was before.
        was: Recommendation,
    },
    /// The same is recommended, with another job, change, event or thing to look at.
    Detail {
        /// What was and is recommended.
        was: Recommendation,
    },
}

/// How a hold ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    /// The job was released, and is in this state now.
    Released(&'static str),
    /// It was removed.
    Removed,
    /// It finished, with this status where it is known.
    Finished(Option<i64>),
    /// It was ended by this signal.
    Signalled(i64),
    /// It is on hold, and is not among the jobs asked about any more.
    NotAsked,
    /// Neither the queue nor the history has it.
    Gone,
}

/// Attributes that [`End::of`] reads.
pub(crate) const END_ATTRIBUTES: &[&str] =
    &["ClusterId", "ProcId", "JobStatus", "ExitCode", "ExitBySignal", "ExitSignal"];

impl End {
    /// By the ad of the job, out of the queue or the history.
    pub(crate) fn of(ad: Option<&ClassAd>) -> Self {
        let Some(ad) = ad else { return Self::Gone };
        match ad.integer("JobStatus") {
            Some(REMOVED) => Self::Removed,
            Some(COMPLETED) => match ad.integer("ExitSignal") {
                Some(signal) if ad.boolean("ExitBySignal") == Some(true) => Self::Signalled(signal),
                _ => Self::Finished(ad.integer("ExitCode")),
            },
            Some(HELD) => Self::NotAsked,
            _ => Self::Released(job_status::word(ad)),
        }
    }

    /// The word that scripts get.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Released(_) => "released",
            Self::Removed => "removed",
            Self::Finished(_) | Self::Signalled(_) => "finished",
            Self::NotAsked => "not-asked",
            Self::Gone => "gone",
        }
    }
}

impl Stand {
    pub(crate) fn of(advice: &Advice, look: u64) -> Self {
        let what = match advice.recommendation {
            Recommendation::Try => format!("{:?}", advice.try_one.map(|tried| tried.job)),
            Recommendation::Change => {
                format!("{:?}", advice.changes().map(|change| &change.what).collect::<Vec<_>>())
            }
            Recommendation::Wait => format!("{:?}", advice.wait.as_ref().map(|wait| &wait.what)),
            Recommendation::Look => format!("{:?}", advice.look),
            _ => String::new(),
        };
        Self {
            held_since: advice.held.held_since,
            num_holds: advice.held.num_holds,
            recommendation: advice.recommendation,
            action: advice.action,
            what: hash(&what),
            look,
        }
    }

    /// What is new since then; none: nothing.
    pub(crate) fn news(&self, was: Option<&Self>) -> Option<News> {
        let Some(was) = was else { return Some(News::Held) };
        if (self.held_since, self.num_holds) != (was.held_since, was.num_holds) {
            return Some(News::HeldAgain);
        }
        let recommendation = was.recommendation;
        if self.recommendation != recommendation {
            return Some(News::Advice { was: recommendation });
        }
        let same = (self.action, self.what) == (was.action, was.what);
        (!same).then_some(News::Detail { was: recommendation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::samples;

    #[test]
    fn only_what_is_to_be_done_is_news() {
        let first = samples::transfer(7, 0);
        let was = Stand::of(&first, 0);
        assert_eq!(was.news(None), Some(News::Held));
        let mut later = first.clone();
        // More was seen, and success is likelier: the advice is the same.
        later.evidence.reverse();
        later.success.iter_mut().for_each(|(_, success)| *success = 0.99);
        assert_eq!(Stand::of(&later, 1).news(Some(&was)), None);
        later.recommendation = Recommendation::Undecided;
        let news = News::Advice { was: first.recommendation };
        assert_eq!(Stand::of(&later, 1).news(Some(&was)), Some(news));
        later.held.num_holds += 1;
        assert_eq!(Stand::of(&later, 1).news(Some(&was)), Some(News::HeldAgain));
    }

    #[test]
    fn another_change_is_news() {
        let was = Stand::of(&samples::memory(7, 0, 2048), 0);
        assert_eq!(Stand::of(&samples::memory(7, 0, 2048), 1).news(Some(&was)), None);
        let news = Stand::of(&samples::memory(7, 0, 4096), 1).news(Some(&was));
        assert_eq!(news, Some(News::Detail { was: Recommendation::Change }));
    }

    #[test]
    fn the_ad_tells_how_a_hold_ended() {
        let end =
            |text: &str| End::of(classads::read_ads(text.as_bytes()).next().unwrap().ok().as_ref());
        assert_eq!(End::of(None), End::Gone);
        assert_eq!(end("JobStatus = 1\n"), End::Released("idle"));
        assert_eq!(end("JobStatus = 3\n"), End::Removed);
        assert_eq!(
            end("JobStatus = 4\nExitCode = 2\nExitBySignal = false\n"),
            End::Finished(Some(2))
        );
        assert_eq!(end("JobStatus = 4\nExitBySignal = true\nExitSignal = 9\n"), End::Signalled(9));
        assert_eq!(end("JobStatus = 5\n"), End::NotAsked);
    }
}
