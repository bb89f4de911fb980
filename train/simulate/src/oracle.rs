//! The oracle: success probabilities given the hidden state.
//!
//! Nothing jobs do changes the world, so questions are answered by other threads while the
//! simulation goes on.

use std::cell::Cell;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::When as Delays;
use crate::cause::Symptom;
use crate::life::{Ending, Subject, attempt};
use crate::random::Dice;
use crate::truth::{Action, HoldRecord, Plays as WhenPlays, Probabilities, Share, Try, edited};
use crate::world::World;

/// Runs the oracle plays for each action and instant. The standard error of a probability is at
/// most 0.1.
const PLAYS: usize = 24;
/// Streams of chance below are for other purposes.
const FIRST_STREAM: u64 = 1_000;
/// Streams from here on are of the plays for each delay, two for each question, and so far from one
/// play of a question to the next.
const FIRST_WHEN_STREAM: u64 = 1 << 48;
const NEXT_WHEN_STREAM: u64 = 1 << 40;
/// Seconds after a release at which a job that has not ended counts as failed.
const HORIZON: i64 = 10 * 86_400;
/// Runs after which a job that was only evicted counts as failed.
pub(crate) const MOST_RUNS: u32 = 20;
/// Questions that a thread takes at once.
const TOGETHER: usize = 64;

/// What the oracle is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// What each action would come to.
    Actions,
    /// What the release comes to that is made now, with the edits of the question.
    Release,
}

/// A question to the oracle: the state of a held job at an instant.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) asked: Asked,
    pub(crate) record: usize,
    pub(crate) time: i64,
    pub(crate) subject: Subject,
    pub(crate) last_site: Option<usize>,
    /// Whether one play is asked for each delay too.
    pub(crate) when: Option<Box<When>>,
}

/// What the plays for each delay need besides.
#[derive(Clone, Debug)]
pub(crate) struct When {
    /// Who is released first, as a try, where another job is held alike.
    pub(crate) tried: Option<Tried>,
}

/// A job that is released first.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    pub(crate) cluster: i32,
    pub(crate) proc: i32,
    pub(crate) subject: Subject,
}

/// Questions in the order they were asked, or their answers, and the number of the first.
struct Batch<T> {
    first: usize,
    of: Vec<T>,
}

/// Answers, each with the index of its record.
type Answers = Batch<(usize, Answer)>;

/// Takes questions, and answers them on all cores but the one that asks.
pub(crate) struct Oracle {
    batch: Batch<Question>,
    sender: Sender<Batch<Question>>,
    desk: Arc<Desk>,
    threads: Vec<JoinHandle<Vec<Answers>>>,
}

impl Oracle {
    pub(crate) fn new(world: Arc<World>, seed: u64, delays: Delays) -> Self {
        let (sender, receiver) = mpsc::channel();
        let desk = Arc::new(Desk { world, seed, delays, batches: Mutex::new(receiver) });
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (1..cores)
            .map(|_| {
                let desk = Arc::clone(&desk);
                std::thread::spawn(move || desk.work())
            })
            .collect();
        Self { batch: Batch { first: 0, of: Vec::new() }, sender, desk, threads }
    }

    pub(crate) fn ask(&mut self, question: Question) {
        self.batch.of.push(question);
        if self.batch.of.len() == TOGETHER {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let next = Batch { first: self.batch.first + TOGETHER, of: Vec::new() };
        // The desk, which has the other end, is there as long as this is.
        let _ = self.sender.send(std::mem::replace(&mut self.batch, next));
    }

    /// Puts all answers into their records.
    pub(crate) fn finish(mut self, records: &mut [HoldRecord]) {
        self.hand_over();
        drop(self.sender);
        let mut all = self.desk.work();
        for thread in self.threads {
            match thread.join() {
                Ok(answers) => all.extend(answers),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all.sort_unstable_by_key(|answers| answers.first);
        for (record, answer) in all.into_iter().flat_map(|answers| answers.of) {
            let record = &mut records[record];
            match answer {
                Answer::Actions(probabilities) => record.oracle.push(probabilities),
                Answer::Release(probability) => record.success = Some(probability),
            }
        }
    }
}

/// Where threads fetch questions.
struct Desk {
    world: Arc<World>,
    seed: u64,
    delays: Delays,
    batches: Mutex<Receiver<Batch<Question>>>,
}

impl Desk {
    /// Answers questions until no more will come. Each has chance of its own, so the answers do not
    /// depend on who answers.
    fn work(&self) -> Vec<Answers> {
        let mut dice: Vec<Dice> = (0..PLAYS).map(|_| Dice::new(self.seed, 0)).collect();
        let mut all = Vec::new();
        while let Some(Batch { first, of: questions }) = self.next() {
            let answers = questions.iter().enumerate().map(|(index, question)| {
                let number = (first + index) as u64;
                let stream = FIRST_STREAM + number * PLAYS as u64;
                let mut answer = reply(&self.world, question, &mut dice, stream);
                if let (Answer::Actions(answer), Some(when)) = (&mut answer, &question.when) {
                    let stream = FIRST_WHEN_STREAM + 2 * number;
                    let (delays, dice) = (&self.delays, &mut dice[..2]);
                    answer.plays =
                        Some(Box::new(plays(&self.world, question, when, delays, dice, stream)));
                }
                (question.record, answer)
            });
            all.push(Batch { first, of: answers.collect() });
        }
        all
    }

    fn next(&self) -> Option<Batch<Question>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }
}

enum Answer {
    Actions(Probabilities),
    Release(f64),
}

fn reply(world: &World, question: &Question, dice: &mut [Dice], stream: u64) -> Answer {
    // Each play has the same chance for every action, so that actions differ by what they change.
    for (play, dice) in dice.iter_mut().enumerate() {
        dice.turn_to(stream + play as u64);
    }
    let mut play = |edits| {
        let mend_matters = Cell::default();
        let subject = Subject { edits, mend_matters, ..question.subject.clone() };
        let mut seen = Plays::default();
        for dice in dice.iter_mut() {
            dice.go_back();
            match last_ending(world, &subject, question.time, dice).0 {
                Some(Ending::Success) => seen.successes += 1,
                Some(Ending::Held(_, Symptom::Memory { .. })) => seen.memory = true,
                Some(Ending::Held(_, Symptom::Disk { .. })) => seen.disk = true,
                _ => {}
            }
        }
        seen.mendable = subject.mend_matters.get();
        seen
    };
    let Subject { edits: now, peak, .. } = question.subject;
    let as_is = play(now);
    if question.asked == Asked::Release {
        return Answer::Release(as_is.success());
    }
    let mut after = |action| {
        let edits = edited(now, action, peak, question.last_site);
        if edits == now { as_is.success() } else { play(edits).success() }
    };
    Answer::Actions(Probabilities {
        time: question.time,
        as_is: as_is.success(),
        // More than was needed in any play changes nothing, nor does a mend of what no play met.
        memory: if as_is.memory { after(Action::Memory) } else { as_is.success() },
        disk: if as_is.disk { after(Action::Disk) } else { as_is.success() },
        site: after(Action::Site),
        other: if as_is.mendable { after(Action::Other) } else { as_is.success() },
        plays: None,
    })
}

/// Plays of a release as it is after each delay, each with the same chance for all delays, and one
/// of a try.
fn plays(
    world: &World,
    question: &Question,
    when: &When,
    delays: &Delays,
    dice: &mut [Dice],
    stream: u64,
) -> WhenPlays {
    let mut play = |of: usize, number: u32, subject: &Subject, released: i64| {
        dice[of].turn_to(stream + of as u64 + u64::from(number) * NEXT_WHEN_STREAM);
        let (ending, end) = last_ending(world, subject, released, &mut dice[of]);
        (ending == Some(Ending::Success), end - released)
    };
    let Question { time, subject, .. } = question;
    let when_tried = when.tried.as_ref().map(|tried| {
        let (success, took) = play(1, 0, &tried.subject, *time);
        let (then, _) = play(0, 0, subject, time + took);
        Try {
            cluster: tried.cluster,
            proc: tried.proc,
            after: took,
            success: u8::from(success),
            then: u8::from(then),
        }
    });
    let mut share = |delay: i64| {
        let succeeds = |number: &u32| play(0, *number, subject, time + delay).0;
        let successes = (0..delays.plays).filter(succeeds).count();
        // To three places.
        (successes as f64 / f64::from(delays.plays) * 1_000.0).round() / 1_000.0
    };
    let when = delays.delays.iter().map(|&delay| (delay, Share(share(delay)))).collect();
    WhenPlays { when, plays: delays.plays, tried: when_tried }
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

/// Plays a release at `released` once: what ends it, or nothing within the horizon, and when.
fn last_ending(
    world: &World,
    subject: &Subject,
    released: i64,
    dice: &mut Dice,
) -> (Option<Ending>, i64) {
    let mut now = released;
    for _ in 0..MOST_RUNS {
        now += minutes_to_match(world, dice);
        let run = attempt(world, subject, now, dice);
        now = run.end;
        if now - released >= HORIZON {
            return (None, released + HORIZON);
        }
        match run.ending {
            Ending::Evicted | Ending::ShadowException { .. } | Ending::ReconnectFailed => {}
            ending => return (Some(ending), now),
        }
    }
    (None, now)
}

/// Seconds from the queue to a slot.
pub(crate) fn minutes_to_match(world: &World, dice: &mut Dice) -> i64 {
    ((dice.spread(world.preset.jobs.minutes_to_match) * 60.0) as i64).clamp(5, 86_400)
}
