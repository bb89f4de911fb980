//! A hold that could be acted on, and what would be done.

use crate::advice::{Advice, Command, Edit, Recommendation, Since, Target, Trouble, TrySuccess};
use crate::catalogue::{self, HoldText};
use crate::diagnosis::Diagnosis;
use crate::history::Action;
use crate::history::reason;
use crate::journal::{HoldOf, Weighed};
use crate::text::{Foreign, shown};
use eventlog::fnv1a;

/// Characters of what like reasons share.
const LIKE: usize = 50;

/// What is done to a held job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It is released.
    Release,
    /// Its ad is edited, then it is released.
    Change(Vec<Edit>),
    /// It is removed.
    Remove,
}

/// A hold that its advice says to act on.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The hold, as commands name it.
    pub target: Target,
    /// Owner.
    pub owner: Option<String>,
    /// User: whose job it is, to the schedd.
    pub user: Option<String>,
    /// HoldReasonSubCode.
    pub subcode: Option<i32>,
    /// What holds that are acted on one after the other share.
    pub cause: String,
    /// The recommendation.
    pub advice: Recommendation,
    /// What is at fault, where something tells.
    pub diagnosis: Option<Diagnosis>,
    /// The action that it stands for.
    pub action: Option<Action>,
    /// Probability of success of that action, 0 to 1.
    pub probability: Option<f64>,
    /// Expected hours of the choices.
    pub choices: Vec<Weighed>,
    /// What would be done.
    pub deed: Deed,
    /// How many holds it was drawn from. `None`: another one of them was drawn, and it is left.
    pub drawn_from: Option<usize>,
    /// What will show that it got through.
    pub counts: TrySuccess,
    /// What the advice was made without.
    pub missing: Vec<String>,
    /// The likelihood in words.
    pub words: &'static str,
}

impl Candidate {
    /// What an advice says to do. `None` where it says to leave the job, to look, or names a change
    /// that is made by hand.
    pub fn of(advice: &Advice) -> Option<Self> {
        let deed = match advice.recommendation {
            Recommendation::Release => Deed::Release,
            Recommendation::Try => Deed::Release,
            Recommendation::Change => Deed::Change(edits(advice)?),
            Recommendation::Remove => Deed::Remove,
            Recommendation::Wait | Recommendation::Look | Recommendation::Undecided => return None,
        };
        let held = &advice.held;
        let given = |name: &Option<Foreign>| name.as_ref().map(|name| name.as_given().to_owned());
        let text = held.reason.as_ref().map_or("", Foreign::as_given);
        let drawn_from = match advice.recommendation {
            Recommendation::Try => {
                let one = advice.try_one?;
                (one.job == advice.held.job).then_some(one.drawn_from.max(1))
            }
            _ => Some(1),
        };
        let choices = advice.choices.choices.iter();
        Some(Self {
            // Of a try it is the hold of the job that was drawn.
            target: match drawn_from {
                Some(_) => advice.target,
                None => own_target(advice),
            },
            owner: given(&held.owner),
            user: given(&held.user),
            subcode: held.subcode,
            cause: cause_of(
                held.owner.as_ref().map(Foreign::as_given),
                held.code,
                held.subcode,
                text,
            ),
            diagnosis: advice.diagnosis.by.map(|_| advice.diagnosis.clone()),
            advice: advice.recommendation,
            action: advice.action,
            probability: advice.action.and_then(|action| advice.success_of(action)),
            choices: choices
                .filter_map(|one| Some(Weighed { choice: one.recommendation, hours: one.hours? }))
                .collect(),
            deed,
            drawn_from,
            counts: TrySuccess::of(held.code.unwrap_or(0), text),
            missing: advice.missing.iter().map(ToString::to_string).collect(),
            words: advice.band.words(),
        })
    }

    /// The hold, for the journal.
    pub fn hold(&self) -> HoldOf {
        let entered = match self.target.since {
            Some(Since::At(at)) => Some(at),
            _ => None,
        };
        HoldOf {
            job: self.target.job,
            num_holds: self.target.num_holds,
            entered_current_status: entered,
        }
    }

    /// What candidates of a cause are drawn by: no property of a job moves it, and the same hold has
    /// the same in every call.
    pub(super) fn rank(&self) -> u64 {
        let HoldOf { job, num_holds, entered_current_status } = self.hold();
        let words = [
            i64::from(job.cluster),
            i64::from(job.proc),
            num_holds.unwrap_or(0),
            entered_current_status.unwrap_or(0),
        ];
        fnv1a(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())
    }
}

/// The hold of a job of which another one was drawn: nothing acts on it.
fn own_target(advice: &Advice) -> Target {
    let held = &advice.held;
    let (num_holds, since) = (Some(i64::from(held.num_holds)), Some(Since::At(held.held_since)));
    Target { job: held.job, code: held.code, num_holds, since }
}

/// Whether a hold is left to people, of this share of all holds (0 to 1), so that what comes of it
/// can be compared with what comes of the others. No property of the job moves it.
pub fn is_left_to_people(hold: &HoldOf, share: f64) -> bool {
    let HoldOf { job, num_holds, entered_current_status } = hold;
    let words = (job.cluster, job.proc, num_holds, entered_current_status);
    let hash = fnv1a(format!("left to people {words:?}").as_bytes());
    // Fnv's high bits hardly depend on its last bytes.
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
    (mixed as f64) < share * (1_u64 << 53) as f64
}

/// The edits that an advice's commands make; `None` where something else comes first.
fn edits(advice: &Advice) -> Option<Vec<Edit>> {
    if !advice.correct_before.is_empty() || !advice.commands.contains(&Command::Release) {
        return None;
    }
    let mut edits = Vec::new();
    for command in &advice.commands {
        match command {
            Command::Edit(edit) => edits.push(edit.clone()),
            Command::Release => {}
            Command::Remove | Command::Run(_) => return None,
        }
    }
    (!edits.is_empty()).then_some(edits)
}

/// What holds that are released one after the other share: the file server that the reason names,
/// with what it answers where it finds or gives no file; or
/// the codes and the first directory of the file that it names, whoever's jobs these are; else the
/// owner, the codes and what like reasons share.
pub(super) fn cause_of(
    owner: Option<&str>,
    code: Option<i32>,
    subcode: Option<i32>,
    text: &str,
) -> String {
    if let Some(server) = reason::file_server(text) {
        // A server that answers so is not away: others' jobs get their files.
        let hold = HoldText { code, subcode, reason: text, ..HoldText::default() };
        let answer = match catalogue::read(&hold).and_then(|reading| reading.entry().trouble()) {
            Some(Trouble::Missing) => ", not found",
            Some(Trouble::Denied) => ", denied",
            Some(Trouble::Away | Trouble::NoSpace) | None => "",
        };
        return format!("server {server}{answer}");
    }
    let number = |code: Option<i32>| code.map_or("?".to_owned(), |code| code.to_string());
    let codes = format!("{}/{}", number(code), number(subcode));
    match reason::place(text) {
        Some(place) => format!("{place}, {codes}"),
        None => {
            let owner = owner.unwrap_or("?");
            let like = shown(&reason::normalised(text), LIKE);
            format!("{owner}, {codes} {like}").trim_end().to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_and_owners_that_one_server_or_file_system_serves_share_a_cause() {
        let of = |owner, subcode, text: &str| cause_of(Some(owner), Some(13), Some(subcode), text);
        let server = "curl https://Data.example.org:443/a failed";
        assert_eq!(of("alice", 256, server), "server data.example.org");
        let other = "curl https://data.example.org./b failed";
        assert_eq!(of("bob", 256, other), "server data.example.org");
        let missing = "curl https://data.example.org/b: The requested URL returned error: 404";
        assert_eq!(of("bob", 256, missing), "server data.example.org, not found");
        let full = "Transfer output files failure at access point ap: writing to file /home/alice/x: \
                    (errno 28) No space left on device";
        assert_eq!(of("alice", 28, full), of("bob", 28, &full.replace("alice", "bob")));
        assert_ne!(of("alice", 28, full), of("alice", 122, full));
    }

    #[test]
    fn without_a_place_an_owners_like_holds_share_a_cause() {
        let of = |owner, text: &str| cause_of(Some(owner), Some(34), Some(102), text);
        let text = "Error from slot1@a: Job has gone over memory limit of 64 megabytes.";
        let like = "Error from slot2@b: Job has gone over memory limit of 128 megabytes.";
        assert_eq!(of("alice", text), of("alice", like));
        assert_ne!(of("alice", text), of("bob", text));
        assert_ne!(of("alice", text), of("alice", "something else"));
        assert_eq!(cause_of(None, None, None, ""), "?, ?/?");
    }
}
