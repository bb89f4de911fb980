//! The truth behind every hold, and the oracle: success probabilities given the hidden state.

use std::cell::Cell;
use std::io::{self, Write};

use serde::Serialize;

use crate::cause::{Cause, Reach, Symptom};
use crate::life::{Cluster, Edits, Ending, Subject, Traits, attempt};
use crate::random::Dice;
use crate::world::World;

/// Runs the oracle plays for each action and instant. The standard error of a probability is at most 0.1.
const PLAYS: usize = 24;
/// Streams of chance below are for other purposes.
const FIRST_STREAM: u64 = 1_000;
/// Seconds after a release at which a job that has not ended counts as failed.
const HORIZON: i64 = 10 * 86_400;
/// Runs after which a job that was only evicted counts as failed.
const MOST_RUNS: usize = 20;

/// What was done about a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Action {
    AsIs,
    Memory,
    Disk,
    Site,
    Other,
}

/// Who released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Releaser {
    Owner,
    Facilitator,
    PeriodicRelease,
    SystemPeriodicRelease,
    Schedd,
}

/// What came of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// Terminated with exit code 0.
    Success,
    /// Terminated otherwise, or held again by the system or a policy.
    Failure,
    /// Removed, held by a person, or the log ends.
    Censored,
}

/// Success probabilities at one instant, one for each action.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Probabilities {
    pub(crate) time: i64,
    #[serde(rename = "as-is")]
    pub(crate) as_is: f64,
    pub(crate) memory: f64,
    pub(crate) disk: f64,
    pub(crate) site: f64,
    pub(crate) other: f64,
}

/// One hold, with all that is hidden.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HoldRecord {
    pub(crate) cluster: i32,
    pub(crate) proc: i32,
    /// NumHolds with this hold.
    pub(crate) num_holds: i64,
    pub(crate) time: i64,
    pub(crate) code: i32,
    pub(crate) subcode: i32,
    pub(crate) cause: Cause,
    pub(crate) transient: bool,
    pub(crate) reach: Reach,
    pub(crate) owner: String,
    pub(crate) site: Option<String>,
    pub(crate) released: Option<i64>,
    pub(crate) released_by: Option<Releaser>,
    pub(crate) action: Option<Action>,
    /// Of the release; null where there was none.
    pub(crate) outcome: Option<Outcome>,
    /// Probability that this release succeeds, as it was done; null where there was none.
    pub(crate) success: Option<f64>,
    /// At the release, or at a few instants of a hold that never was released.
    pub(crate) oracle: Vec<Probabilities>,
}

/// What the oracle is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// What each action would come to.
    Actions,
    /// What the release comes to that is made now, with the edits of the question.
    Release,
}

/// A question to the oracle: the state of a held job at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    pub(crate) asked: Asked,
    pub(crate) record: usize,
    pub(crate) time: i64,
    pub(crate) cluster: usize,
    pub(crate) traits: Traits,
    pub(crate) edits: Edits,
    pub(crate) ready: Option<i64>,
    pub(crate) memory_used: i64,
    pub(crate) disk_used: i64,
    pub(crate) last_site: Option<usize>,
}

/// The ad after an action. `memory` and `disk` ask for twice as much, or a fifth more than was used.
pub(crate) fn edited(
    edits: Edits,
    action: Action,
    (memory_used, disk_used): (i64, i64),
    last_site: Option<usize>,
) -> Edits {
    let more = |request: i64, used: i64| (request * 2).max(used + used / 5);
    match action {
        Action::AsIs => edits,
        Action::Memory => {
            Edits { request_memory: more(edits.request_memory, memory_used), ..edits }
        }
        Action::Disk => Edits { request_disk: more(edits.request_disk, disk_used), ..edits },
        Action::Site => {
            let site = last_site.map_or(0, |site| 1 << site);
            Edits { excluded: edits.excluded | site, ..edits }
        }
        Action::Other => Edits { mended: true, ..edits },
    }
}

/// Answers the questions and puts the answers into their records. Each question has chance of its own, so the answers
/// do not depend on the number of threads.
pub(crate) fn answer(
    world: &World,
    clusters: &[Cluster],
    questions: &[Question],
    seed: u64,
    records: &mut [HoldRecord],
) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = questions.len().div_ceil(threads).max(1);
    let answers: Vec<Vec<Answer>> = std::thread::scope(|scope| {
        let workers: Vec<_> = questions
            .chunks(share)
            .enumerate()
            .map(|(part, chunk)| {
                scope.spawn(move || {
                    let mut dice: Vec<Dice> = (0..PLAYS).map(|_| Dice::new(seed, 0)).collect();
                    let of = |(index, question): (usize, &Question)| {
                        let stream = FIRST_STREAM + (part * share + index) as u64 * PLAYS as u64;
                        reply(world, clusters, question, &mut dice, stream)
                    };
                    chunk.iter().enumerate().map(of).collect()
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| match worker.join() {
                Ok(answers) => answers,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    for (question, answer) in questions.iter().zip(answers.into_iter().flatten()) {
        let record = &mut records[question.record];
        match answer {
            Answer::Actions(probabilities) => record.oracle.push(probabilities),
            Answer::Release(probability) => record.success = Some(probability),
        }
    }
}

enum Answer {
    Actions(Probabilities),
    Release(f64),
}

fn reply(
    world: &World,
    clusters: &[Cluster],
    question: &Question,
    dice: &mut [Dice],
    stream: u64,
) -> Answer {
    // Each play has the same chance for every action, so that actions differ by what they change.
    for (play, dice) in dice.iter_mut().enumerate() {
        dice.turn_to(stream + play as u64);
    }
    let mut play = |edits| {
        let subject = Subject {
            cluster: &clusters[question.cluster],
            traits: &question.traits,
            edits,
            ready: question.ready,
            peak: (question.memory_used, question.disk_used),
            mend_matters: Cell::default(),
        };
        let mut seen = Plays::default();
        for dice in dice.iter_mut() {
            dice.go_back();
            match last_ending(world, &subject, question.time, dice) {
                Some(Ending::Success) => seen.successes += 1,
                Some(Ending::Held { symptom: Symptom::Memory { .. }, .. }) => seen.memory = true,
                Some(Ending::Held { symptom: Symptom::Disk { .. }, .. }) => seen.disk = true,
                _ => {}
            }
        }
        seen.mendable = subject.mend_matters.get();
        seen
    };
    if question.asked == Asked::Release {
        return Answer::Release(play(question.edits).success());
    }
    let as_is = play(question.edits);
    let mut after = |action| {
        let used = (question.memory_used, question.disk_used);
        let edits = edited(question.edits, action, used, question.last_site);
        if edits == question.edits { as_is.success() } else { play(edits).success() }
    };
    Answer::Actions(Probabilities {
        time: question.time,
        as_is: as_is.success(),
        // More than was needed in any play changes nothing, nor does a mend of what no play met.
        memory: if as_is.memory { after(Action::Memory) } else { as_is.success() },
        disk: if as_is.disk { after(Action::Disk) } else { as_is.success() },
        site: after(Action::Site),
        other: if as_is.mendable { after(Action::Other) } else { as_is.success() },
    })
}

/// What the plays of one action came to.
#[derive(Default)]
struct Plays {
    successes: usize,
    /// Some ended on hold for memory.
    memory: bool,
    /// Some ended on hold for disk.
    disk: bool,
    /// Some met something that a mend puts right.
    mendable: bool,
}

impl Plays {
    /// Share of successes, to three places.
    fn success(&self) -> f64 {
        (self.successes as f64 / PLAYS as f64 * 1_000.0).round() / 1_000.0
    }
}

/// Plays a release at `released` once: what ends it, or nothing within the horizon.
fn last_ending(
    world: &World,
    subject: &Subject<'_>,
    released: i64,
    dice: &mut Dice,
) -> Option<Ending> {
    let mut now = released;
    for _ in 0..MOST_RUNS {
        now += minutes_to_match(world, dice);
        let run = attempt(world, subject, now, dice);
        now = run.end;
        if now - released >= HORIZON {
            return None;
        }
        match run.ending {
            Ending::Evicted | Ending::ShadowException { .. } | Ending::ReconnectFailed => {}
            ending => return Some(ending),
        }
    }
    None
}

/// Seconds from the queue to a slot.
pub(crate) fn minutes_to_match(world: &World, dice: &mut Dice) -> i64 {
    ((dice.spread(world.preset.jobs.minutes_to_match) * 60.0) as i64).clamp(5, 86_400)
}

/// Writes one JSON object a line.
pub(crate) fn write(out: &mut impl Write, records: &[HoldRecord]) -> io::Result<()> {
    for record in records {
        serde_json::to_writer(&mut *out, record)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
