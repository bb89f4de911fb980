//! What the model in use, and one on trial, say of a release of each held job, before anybody knows.
//!
//! It is asked about a hold when it is new, and again whenever the hold has become a quarter longer:
//! so what was said last before a release is of nearly as long a hold, and a hold of three days has
//! some thirty lines.

use std::collections::HashMap;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use eventlog::JobId;
use holdadvise::advice::Advisor;
use holdadvise::features::Holds;
use holdadvise::history::HoldInQueue;
use holdadvise::home::Places;
use holdadvise::journal::{Asked, Entry, EntryKind, HoldOf, JournalError, VERSION};
use holdadvise::model::{Model, ModelError};

use super::{MONTHS_ASKED, add, read};
use crate::line::{Line, answer_of};
use crate::settings::Settings;

/// Holds that a pass asks about at most.
const HOLDS: usize = 2_000;

/// Holds asked about at once.
const TOGETHER: usize = 256;

/// How long a pass asks at most. Assumed.
const TIME: Duration = Duration::from_secs(10);

/// Seconds between two questions about one hold at least. Assumed.
const PAUSE: i64 = 600;

/// Seconds of what was said that are looked back. Assumed: a hold is seldom longer.
const BACK: i64 = 40 * 86_400;

/// What is asked.
#[derive(Debug)]
pub struct Question {
    /// The job.
    pub job: JobId,
    /// Its owner, as [`crate::line::owner_key`] has it.
    pub owner: String,
    /// Its hold.
    pub hold: HoldInQueue,
}

/// What there is to ask.
#[derive(Debug)]
pub struct Questions {
    in_use: String,
    /// The model on trial, and its identity.
    challenger: Option<(Model, String)>,
    /// When these models were last asked about a hold.
    last: HashMap<(JobId, i64), i64>,
    now: i64,
}

impl Questions {
    /// Reads the model on trial and what was said before; what of that cannot be read is said.
    pub fn open(
        settings: &Settings,
        places: &Places,
        in_use: String,
        now: i64,
    ) -> (Self, Option<String>) {
        let (challenger, fault) = match places.challenger() {
            Ok(model) => (model, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let challenger = challenger.map(|model| {
            let identity = model.metadata.identity();
            (model, identity)
        });
        let mut last = HashMap::new();
        for entry in read(&settings.asked(), now - BACK) {
            let EntryKind::Asked(asked) = entry.what else { continue };
            let other = asked.challenger.as_ref().map(|answer| &answer.model);
            let is_same =
                asked.in_use.model == in_use && other == challenger.as_ref().map(|(_, id)| id);
            if let Some(entered) = asked.hold.entered_current_status.filter(|_| is_same) {
                let at = last.entry((asked.hold.job, entered)).or_insert(entry.time);
                *at = entry.time.max(*at);
            }
        }
        (Self { in_use, challenger, last, now }, fault)
    }

    fn is_due(&self, job: JobId, entered: i64) -> bool {
        self.last.get(&(job, entered)).is_none_or(|last| {
            let quarter = last.saturating_sub(entered) / 4;
            self.now.saturating_sub(*last) >= quarter.max(PAUSE)
        })
    }

    /// Asks about the holds that are due, for a while, and writes a line for each.
    ///
    /// # Errors
    /// What was asked cannot be written, or a model fails.
    pub fn ask(
        &self,
        advisor: ManuallyDrop<Advisor<'_>>,
        model: &Model,
        holds: impl Iterator<Item = Question>,
        until: Instant,
        out: &mut dyn Write,
    ) -> Result<(), AskError> {
        let begun = Instant::now();
        let left = until.saturating_duration_since(begun);
        let until = begun + TIME.min(left / 3);
        let due = |Question { job, hold, .. }: &Question| {
            hold.num_holds.is_some() && self.is_due(*job, hold.entered_current_status)
        };
        let questions: Vec<Question> = holds.filter(due).take(HOLDS).collect();
        if questions.is_empty() {
            return Ok(());
        }
        let owners: Vec<String> = questions.iter().map(|one| one.owner.clone()).collect();
        let holds: Vec<(JobId, HoldInQueue)> =
            questions.into_iter().map(|one| (one.job, one.hold)).collect();
        let said = self.all(&advisor, &holds, until)?;
        let mut others = Vec::new();
        if let Some((challenger, identity)) = &self.challenger {
            let clusters = holds.iter().map(|(job, _)| job.cluster).collect();
            let history = ManuallyDrop::into_inner(advisor).into_history();
            let advisor = Advisor::about(history, challenger, &Holds::Clusters(clusters))?;
            let advisor = ManuallyDrop::new(advisor);
            let probability = |logit| challenger.metadata.calibration.probability(logit);
            let answer = |logit: Option<f32>| answer_of(identity, logit?, probability(logit?));
            others = self.all(&advisor, &holds, until)?.into_iter().map(answer).collect();
        }
        let others = others.into_iter().chain(std::iter::repeat(None));
        let all = holds.into_iter().zip(owners).zip(said).zip(others);
        for ((((job, hold), owner), logit), challenger) in all {
            let probability = |logit| model.metadata.calibration.probability(logit);
            let in_use = logit.and_then(|l| answer_of(&self.in_use, l, probability(l)));
            // With one on trial both are asked or none.
            let is_whole = self.challenger.is_none() || challenger.is_some();
            let Some(in_use) = in_use.filter(|_| is_whole) else { continue };
            let hold = HoldOf {
                job,
                num_holds: hold.num_holds,
                entered_current_status: Some(hold.entered_current_status),
            };
            let asked = Asked { hold, owner: Some(owner), in_use, challenger };
            writeln!(out, "{}", Line::Asked(asked))?;
        }
        Ok(())
    }

    /// Logits of a model, as far as there is time.
    fn all(
        &self,
        advisor: &Advisor<'_>,
        holds: &[(JobId, HoldInQueue)],
        until: Instant,
    ) -> Result<Vec<Option<f32>>, ModelError> {
        let mut said = Vec::with_capacity(holds.len());
        for some in holds.chunks(TOGETHER) {
            if Instant::now() >= until {
                break;
            }
            said.extend(advisor.as_is_logits(some, self.now)?);
        }
        Ok(said)
    }
}

/// Why nothing was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// A model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A line cannot be written.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
}

/// Keeps what the judge says that models said; returned is what there was no room for.
///
/// # Errors
/// [`JournalError`]
pub fn keep(settings: &Settings, lines: &[Line], now: i64) -> Result<Option<String>, JournalError> {
    let entry = |line: &Line| match line {
        Line::Asked(asked) => {
            Some(Entry { version: VERSION, time: now, what: EntryKind::Asked(asked.clone()) })
        }
        _ => None,
    };
    let entries: Vec<Entry> = lines.iter().filter_map(entry).collect();
    add(&settings.asked(), &entries, MONTHS_ASKED)
}
