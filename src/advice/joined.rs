//! What the evidence of several jobs has in common.

use super::evidence::{Evidence, Near};
use super::figure::{Count, Figure};
use super::siblings::LimitSeen;
use crate::text::{Foreign, shared_words};

/// What may differ among the jobs of a group: all else has to be the same.
enum Part<'a> {
    /// A count of which none is said otherwise.
    Some(&'a mut Count),
    Count(&'a mut Count),
    Known(&'a mut Option<Count>),
    Figure(&'a mut Figure),
    /// The path of a file, or a URL.
    Name(&'a mut Foreign),
    /// What somebody wrote.
    Words(&'a mut Foreign),
    Message(&'a mut String),
    /// What is not said where it differs.
    Detail(&'a mut Option<i64>),
}

impl Part<'_> {
    /// Makes both what they have in common; leaves both as they are where that says nothing.
    fn join(self, other: Self) {
        match (self, other) {
            (Self::Some(one), Self::Some(other)) if (one.most == 0) != (other.most == 0) => {}
            (Self::Some(one), Self::Some(other))
            | (Self::Count(one), Self::Count(other))
            | (Self::Known(Some(one)), Self::Known(Some(other))) => {
                (*one, *other) = (one.join(*other), one.join(*other));
            }
            (Self::Figure(one), Self::Figure(other)) => {
                (*one, *other) = (one.join(*other), one.join(*other));
            }
            (Self::Name(one), Self::Name(other)) => both(one.shared_name(other), one, other),
            (Self::Words(one), Self::Words(other)) => both(one.shared_words(other), one, other),
            (Self::Message(one), Self::Message(other)) => {
                both(shared_words(one, other), one, other);
            }
            (Self::Detail(one), Self::Detail(other)) if one != other => {
                (*one, *other) = (None, None);
            }
            _ => {}
        }
    }
}

fn both<T: Clone>(joined: Option<T>, one: &mut T, other: &mut T) {
    if let Some(joined) = joined {
        (*one, *other) = (joined.clone(), joined);
    }
}

impl Evidence {
    /// What two jobs have in common: figures become ranges, and of names and texts `[...]` stands
    /// for what differs. `None` where they say something else.
    pub fn join(&self, other: &Self) -> Option<Self> {
        let (mut joined, mut other) = (self.clone(), other.clone());
        other.take_unsaid(&joined);
        let parts = other.parts();
        joined.parts().into_iter().zip(parts).for_each(|(one, two)| one.join(two));
        (joined == other).then_some(joined)
    }

    /// Takes what is not said of each job of a group from another.
    fn take_unsaid(&mut self, from: &Self) {
        match (self, from) {
            (Self::File { check }, Self::File { check: from }) => {
                check.checked_at = from.checked_at;
            }
            (Self::ProgramWords { words }, Self::ProgramWords { words: from }) => {
                words.words.written_at = from.words.written_at;
            }
            (Self::TransferError { transfer }, Self::TransferError { transfer: from }) => {
                transfer.written = from.written;
                transfer.voices_through = from.voices_through;
                transfer.failed_after = from.failed_after;
                transfer.error.url.clone_from(&from.error.url);
                transfer.error.error_code = from.error.error_code;
                if transfer.error.error_type.is_some() && !transfer.decides {
                    transfer.error.error_string.clone_from(&from.error.error_string);
                }
            }
            (
                Self::Limit { seen: LimitSeen::Usage { next, .. } },
                Self::Limit { seen: LimitSeen::Usage { next: from, .. } },
            ) => *next = *from,
            _ => {}
        }
    }

    fn parts(&mut self) -> Vec<Part<'_>> {
        fn named(near: &mut Near) -> impl Iterator<Item = Part<'_>> {
            near.name.iter_mut().map(Part::Name)
        }
        match self {
            Self::Over { seconds_ago, .. } => vec![Part::Count(seconds_ago)],
            Self::File { check } => vec![Part::Name(&mut check.path)],
            Self::ProgramWords { words } => {
                vec![Part::Name(&mut words.path), Part::Words(&mut words.words.line)]
            }
            Self::TransferError { transfer } => vec![
                Part::Some(&mut transfer.others_failed),
                Part::Known(&mut transfer.seconds_since_failed),
                Part::Some(&mut transfer.others_through),
                Part::Known(&mut transfer.seconds_since_through),
                Part::Message(&mut transfer.error.error_string),
                Part::Detail(&mut transfer.error.tries),
                Part::Detail(&mut transfer.error.retryable),
            ],
            Self::Corrected { name } | Self::SilentOutput { path: name } => vec![Part::Name(name)],
            Self::Exit { .. } => Vec::new(),
            Self::Message { text, seconds_before } => {
                vec![Part::Words(text), Part::Count(seconds_before)]
            }
            Self::Place { failed, passed, failed_elsewhere, passed_elsewhere, .. } => {
                [failed, passed, failed_elsewhere, passed_elsewhere].map(Part::Count).into()
            }
            Self::Refusal { refusal } => vec![Part::Count(&mut refusal.worked_before)],
            Self::BeganSince { near, jobs, seconds_since_last, held_again } => named(near)
                .chain([Part::Count(jobs), Part::Known(seconds_since_last), Part::Some(held_again)])
                .collect(),
            Self::NoneBeganSince { near, seconds } => {
                named(near).chain([Part::Count(seconds)]).collect()
            }
            Self::HeldNow { near, jobs, .. } => named(near).chain([Part::Count(jobs)]).collect(),
            Self::ReleasedSince { results } => results
                .iter_mut()
                .flat_map(|one| {
                    let counts = [&mut one.successes, &mut one.failures].map(Part::Some);
                    named(&mut one.near).chain(counts)
                })
                .collect(),
            Self::Released { results, seconds_since_first, .. } => results
                .iter_mut()
                .flat_map(|one| {
                    let counts = [&mut one.successes, &mut one.failures, &mut one.all];
                    named(&mut one.near).chain(counts.map(Part::Count))
                })
                .chain([Part::Known(seconds_since_first)])
                .collect(),
            Self::OwnHistory { starts, holds, failed_runs, .. } => {
                [starts, holds, failed_runs].map(Part::Some).into()
            }
            Self::Limit { seen: LimitSeen::RunTime { ran, limit, .. } } => {
                vec![Part::Figure(ran), Part::Figure(limit)]
            }
            Self::Limit { seen: LimitSeen::Usage { runs, .. } } => {
                runs.iter_mut().map(Part::Count).collect()
            }
            Self::SlotHours { run, total } => vec![Part::Figure(run), Part::Figure(total)],
            Self::Memory { used, provisioned, share, asked } => {
                let figures = [used, provisioned, share].into_iter().chain(asked);
                figures.map(Part::Figure).collect()
            }
        }
    }
}

#[cfg(test)]
#[path = "joined_tests.rs"]
mod tests;
