//! The oracle: success probabilities given the hidden state.
//!
//! Nothing jobs do changes the world, so questions are answered by other threads while the
//! simulation goes on.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use crate::cause::Symptom;
use crate::life::{Ending, Subject, attempt};
use crate::random::Dice;
use crate::truth::{Action, HoldRecord, Plays as WhenPlays, Probabilities, Share, edited};
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
/// Delays of releases that are played, seconds in the preset's unit of time: now and 15 minutes, 1,
/// 2, 4, 8, 24, 48 and 72 hours.
const DELAYS: [i64; 9] = [0, 900, 3_600, 7_200, 14_400, 28_800, 86_400, 172_800, 259_200];
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
}

/// Questions in the order they were asked, or their answers, and the number of the first.
struct Batch<T> {
    first: usize,
    of: Vec<T>,
}

/// Answers, each with the index of its record.
type Answers = Batch<(usize, Answer)>;

/// Takes questions, which rayon's threads answer.
pub(crate) struct Oracle {
    batch: Batch<Question>,
    desk: Arc<Desk>,
    sender: Sender<Answers>,
    receiver: Receiver<Answers>,
}

impl Oracle {
    /// `when`: plays for each delay, where they are asked for.
    pub(crate) fn new(world: Arc<World>, seed: u64, when: Option<u32>) -> Self {
        let (sender, receiver) = mpsc::channel();
        let batch = Batch { first: 0, of: Vec::new() };
        Self { batch, desk: Arc::new(Desk { world, seed, when }), sender, receiver }
    }

    pub(crate) fn ask(&mut self, question: Question) {
        self.batch.of.push(question);
        if self.batch.of.len() == TOGETHER {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let next = Batch { first: self.batch.first + TOGETHER, of: Vec::new() };
        let batch = std::mem::replace(&mut self.batch, next);
        let (desk, sender) = (Arc::clone(&self.desk), self.sender.clone());
        // Who has the other end waits for all answers.
        rayon::spawn(move || drop(sender.send(desk.answer(&batch))));
    }

    /// Puts all answers into their records. It waits for those that were handed over: a thread of
    /// rayon must not call it then.
    pub(crate) fn finish(self, records: &mut [HoldRecord]) {
        drop(self.sender);
        let mut all = vec![self.desk.answer(&self.batch)];
        all.extend(self.receiver);
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

/// What answers take.
struct Desk {
    world: Arc<World>,
    seed: u64,
    when: Option<u32>,
}

impl Desk {
    /// Each question has chance of its own, so the answers do not depend on who answers.
    fn answer(&self, batch: &Batch<Question>) -> Answers {
        let mut dice: Vec<Dice> = (0..PLAYS).map(|_| Dice::new(self.seed, 0)).collect();
        let answers = (batch.first..).zip(&batch.of).map(|(number, question)| {
            let number = number as u64;
            let stream = FIRST_STREAM + number * PLAYS as u64;
            let mut answer = reply(&self.world, question, &mut dice, stream);
            if let (Answer::Actions(answer), Some(count)) = (&mut answer, self.when) {
                let stream = FIRST_WHEN_STREAM + 2 * number;
                answer.plays = Some(plays(&self.world, question, count, &mut dice[0], stream));
            }
            (question.record, answer)
        });
        Batch { first: batch.first, of: answers.collect() }
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
            match last_ending(world, &subject, question.time, dice) {
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

/// Plays of a release as it is after each delay, each with the same chance for all delays.
fn plays(
    world: &World,
    question: &Question,
    count: u32,
    dice: &mut Dice,
    stream: u64,
) -> WhenPlays {
    let mut share = |delay: i64| {
        let succeeds = |number: &u32| {
            dice.turn_to(stream + u64::from(*number) * NEXT_WHEN_STREAM);
            let ending = last_ending(world, &question.subject, question.time + delay, dice);
            ending == Some(Ending::Success)
        };
        let successes = (0..count).filter(succeeds).count();
        // To three places.
        (successes as f64 / f64::from(count) * 1_000.0).round() / 1_000.0
    };
    let when = DELAYS.map(|delay| (delay, Share(share(delay))));
    WhenPlays { when: when.to_vec(), plays: count }
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
fn last_ending(world: &World, subject: &Subject, released: i64, dice: &mut Dice) -> Option<Ending> {
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
