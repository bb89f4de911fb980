//! What the judge says and the writer believes: a JSON object a line.
//!
//! The judge reads what users wrote, so its lines are read as if a user had written them: each line
//! has one spelling, and each field a bounded length and no character that a tool would act upon. A
//! line that does not fit is dropped and counted.

use std::fmt;

use eventlog::JobId;
use holdadvise::advice::{Recommendation, TrySuccess};
use holdadvise::diagnosis::Diagnosis;
use holdadvise::journal;
use holdadvise::text::{can_be_pasted, classad_quote, is_fit, printable, shorten};
use serde::{Deserialize, Serialize};

/// Bytes of a line at most.
pub const LONGEST_LINE: usize = 4_096;

/// Characters of a reason at most.
pub const LONGEST_REASON: usize = 200;

/// Characters of what holds that are released one after the other share.
const LONGEST_CAUSE: usize = 100;

/// Characters of an owner, or of the id of an act.
const LONGEST_NAME: usize = 100;

/// Things that may be at fault in one hold at most.
const MOST_AT_FAULT: usize = 16;

/// Logits beyond this are none.
const MOST_LOGIT: f32 = 1_000.0;

/// Held jobs at most.
const MOST_HELD: u64 = 10_000_000;

/// A line of the judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// A held job was judged.
    Job(Judged),
    /// A job left a hold that it was to be released from.
    Left(Left),
    /// What came of a release.
    Ended(journal::ActOutcome),
    /// What models said of a release of a held job as it is; all of it is known, and the owner is
    /// as [`owner_key`] has it.
    Asked(journal::Asked),
    /// The outcome of a release without a change is known.
    Outcome(ReleaseOutcome),
    /// Held jobs of an owner for which there was no room or no time.
    LeftOut {
        /// Owner.
        owner: String,
        /// How many.
        jobs: u64,
    },
    /// Something could not be read.
    Note(String),
    /// The end: held jobs that were seen, and how many of them were judged.
    Done {
        /// Jobs seen.
        seen: usize,
        /// Jobs judged.
        judged: usize,
    },
}

/// A held job and what is advised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The job.
    pub job: JobId,
    /// NumHolds.
    pub num_holds: i64,
    /// EnteredCurrentStatus, Unix seconds.
    pub entered: i64,
    /// HoldReasonCode.
    pub code: i32,
    /// HoldReasonSubCode.
    pub subcode: i32,
    /// What to do.
    pub advice: Recommendation,
    /// Probability of success of that, in hundredths.
    pub hundredths: Option<u8>,
    /// Of how many holds this one was drawn to be released as it is: one for `release`, those of its
    /// cause for `try`, none where another one of them was drawn. `None`: it is not to be released.
    pub drawn_from: Option<usize>,
    /// What shows that it got through.
    pub counts: TrySuccess,
    /// Until when the advice holds at most, Unix seconds.
    pub until: Option<i64>,
    /// Owner.
    pub owner: String,
    /// What holds that are released one after the other share; nothing where it is not released.
    pub cause: String,
    /// What is at fault, where the job is to be released; probabilities as [`diagnosis_of`] has them.
    pub diagnosis: Option<Diagnosis>,
    /// Expected hours of the choices, in hundredths.
    pub choices: Vec<(Recommendation, u32)>,
    /// What its ad says already.
    pub shown: Option<Shown>,
    /// Why, one sentence or two.
    pub reason: String,
}

/// A release without a change, and what came of it, all in Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseOutcome {
    /// The job.
    pub job: JobId,
    /// When it went on hold.
    pub held: i64,
    /// When it was released.
    pub released: i64,
    /// When it ended.
    pub at: i64,
    /// It exited with 0.
    pub success: bool,
}

/// What the ad of a job says of advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// HoldAdvice.
    pub advice: Recommendation,
    /// HoldAdviceProbability, in hundredths.
    pub hundredths: Option<u8>,
    /// HoldAdviceNumHolds.
    pub num_holds: i64,
    /// HoldAdviceEntered.
    pub entered: i64,
    /// HoldAdviceExpires.
    pub expires: i64,
    /// HoldAdviceRelease.
    pub releases: bool,
    /// HoldAdviceReleaseReason.
    pub stays: Option<Stays>,
    /// HoldAdviceReason and HoldAdviceModel are those that would be written.
    pub same_text: bool,
}

/// Why the access point does not release a job now that is to be released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stays {
    /// It is left to people.
    ToPeople,
    /// Others go first, or no more go in this pass.
    ForItsTurn,
}

impl Stays {
    /// HoldAdviceReleaseReason: for the owner.
    pub const fn text(self) -> &'static str {
        match self {
            Self::ToPeople => {
                "The access point leaves this job to its owner, who may release it: a share of jobs \
                 is, so that outcomes can be compared."
            }
            Self::ForItsTurn => {
                "The access point releases jobs that are held for one cause a few at a time: this \
                 one comes later, if those before it get through."
            }
        }
    }

    /// The one with this text.
    pub fn of(text: &str) -> Option<Self> {
        [Self::ToPeople, Self::ForItsTurn].into_iter().find(|one| one.text() == text)
    }
}

/// A job that left a hold which it was to be released from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// The act that was intended.
    pub id: String,
    /// When, Unix seconds.
    pub at: i64,
    /// How.
    pub how: How,
}

/// How a job left a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// The policy of the access point released it on its advice.
    Policy,
    /// Somebody, or another policy, released it.
    Other,
    /// It was removed.
    Removed,
}

/// A text as the reason of an advice: what the writer accepts.
pub fn reason_of(text: &str) -> String {
    let text = printable(text.trim());
    let cut = shorten(&text, LONGEST_REASON);
    let whole = match cut.strip_suffix("...").filter(|_| cut.len() < text.len()) {
        // No word is cut in two, unless it is the only one.
        Some(begin) if !text[begin.len()..].starts_with(' ') => {
            let words = begin.rfind(' ').map_or(begin, |at| &begin[..at]);
            format!("{}...", words.trim_end())
        }
        _ => cut.into_owned(),
    };
    // No literal of HTCondor ends with a backslash.
    whole.trim_end_matches('\\').to_owned()
}

/// A text as a cause or name: printable ASCII without secrets. Another one is a hash of it, so that
/// different texts stay different.
pub fn key_of(text: &str) -> String {
    match is_cause(text) && can_be_pasted(text) {
        true => text.to_owned(),
        false => format!("hash {:016x}", holdadvise::text::hash(text)),
    }
}

/// What a model said, the logit in thousandths and the probability in millionths. `None` where it
/// is what no model can say.
pub fn answer_of(model: &str, logit: f32, probability: f64) -> Option<journal::ModelAnswer> {
    let fits = logit.abs() <= MOST_LOGIT && (0.0..=1.0).contains(&probability);
    fits.then(|| journal::ModelAnswer {
        model: model.to_owned(),
        // A zero has no sign then.
        logit: (f64::from(logit) * 1e3).round() as f32 / 1e3 + 0.0,
        probability: (probability * 1e6).round() / 1e6,
    })
}

/// A diagnosis as the writer accepts it: probabilities in thousandths. `None` where its place has
/// no plain name.
pub fn diagnosis_of(of: &Diagnosis) -> Option<Diagnosis> {
    let mut rounded = of.clone();
    for one in &mut rounded.at_fault {
        one.probability = (one.probability * 1e3).round() / 1e3 + 0.0;
    }
    is_diagnosis(&rounded).then_some(rounded)
}

/// An owner as a name: one word. Another one is a hash of it.
pub fn owner_key(owner: &str) -> String {
    match is_name(owner) {
        true => owner.to_owned(),
        false => format!("hash-{:016x}", holdadvise::text::hash(owner)),
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Line {
    /// Reads a line without its end. `None` for one that does not fit.
    pub fn read(line: &[u8]) -> Option<Self> {
        let line = Some(line).filter(|line| line.len() <= LONGEST_LINE)?;
        let read: Self = serde_json::from_slice(line).ok()?;
        (read.fits() && read.to_string().as_bytes() == line).then_some(read)
    }

    fn fits(&self) -> bool {
        match self {
            Self::Job(job) => job.fits(),
            Self::Left(left) => is_name(&left.id) && is_time(left.at),
            Self::Ended(ended) => {
                is_name(&ended.id)
                    && is_time(ended.at)
                    && ended.took.is_none_or(is_time)
                    && ended.held_for.as_deref().is_none_or(is_cause)
            }
            Self::Asked(asked) => {
                is_job(asked.hold.job)
                    && asked.hold.num_holds.is_some_and(is_count)
                    && asked.hold.entered_current_status.is_some_and(is_time)
                    && asked.owner.as_deref().is_some_and(is_name)
                    && is_answer(&asked.in_use)
                    && asked.challenger.as_ref().is_none_or(is_answer)
            }
            Self::Outcome(ReleaseOutcome { job, held, released, at, .. }) => {
                is_job(*job) && [*held, *released, *at].into_iter().all(is_time)
            }
            Self::LeftOut { owner, jobs } => is_name(owner) && *jobs <= MOST_HELD,
            Self::Note(text) => is_reason(text),
            Self::Done { .. } => true,
        }
    }
}

impl Judged {
    /// It is this very job that is to be released as it is.
    pub fn is_drawn(&self) -> bool {
        self.drawn_from.is_some_and(|drawn_from| drawn_from > 0)
    }

    fn fits(&self) -> bool {
        let choices = self.choices.iter().map(|(choice, _)| choice);
        let is_twice = |(at, choice)| choices.clone().take(at).any(|before| before == choice);
        is_job(self.job)
            && is_count(self.num_holds)
            && is_time(self.entered)
            && self.hundredths.is_none_or(is_percentage)
            && self.drawn_from.is_none_or(|held| held as u64 <= MOST_HELD)
            && self.until.is_none_or(is_time)
            && is_name(&self.owner)
            && (self.cause.is_empty() || is_cause(&self.cause))
            && self.diagnosis.as_ref().is_none_or(is_diagnosis)
            && !choices.clone().enumerate().any(is_twice)
            && self.shown.as_ref().is_none_or(Shown::fits)
            && is_reason(&self.reason)
    }
}

impl Shown {
    fn fits(&self) -> bool {
        self.hundredths.is_none_or(is_percentage)
            && is_count(self.num_holds)
            && is_time(self.entered)
            && is_time(self.expires)
    }
}

fn is_answer(answer: &journal::ModelAnswer) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    answer.model.len() == 16
        && answer.model.bytes().all(is_digit)
        && answer.logit.abs() <= MOST_LOGIT
        && (0.0..=1.0).contains(&answer.probability)
}

fn is_diagnosis(of: &Diagnosis) -> bool {
    of.at_fault.len() <= MOST_AT_FAULT
        && of.at_fault.iter().all(|one| (0.0..=1.0).contains(&one.probability))
        && of.place.as_deref().is_none_or(is_name)
}

fn is_job(job: JobId) -> bool {
    job.cluster > 0 && job.proc >= 0
}

/// Unix seconds, or seconds, that fit a clock.
fn is_time(seconds: i64) -> bool {
    (0..=1 << 40).contains(&seconds)
}

fn is_count(holds: i64) -> bool {
    (0..=1 << 31).contains(&holds)
}

fn is_percentage(hundredths: u8) -> bool {
    hundredths <= 100
}

fn is_key(text: &str, most: usize) -> bool {
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    !text.is_empty() && text.len() <= most && text.bytes().all(is_plain)
}

fn is_name(text: &str) -> bool {
    is_key(text, LONGEST_NAME) && !text.contains(' ')
}

fn is_cause(text: &str) -> bool {
    is_key(text, LONGEST_CAUSE)
}

fn is_reason(text: &str) -> bool {
    let fits = is_fit(text) && text.chars().count() <= LONGEST_REASON;
    fits && classad_quote(text).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use holdadvise::catalogue::{Ends, Fault};
    use holdadvise::diagnosis::{AtFault, By, State};
    use holdadvise::journal::{ActOutcome, Asked, HoldOf, ModelAnswer};

    use super::*;

    pub(crate) fn judged() -> Judged {
        Judged {
            job: JobId::new(12, 3),
            num_holds: 2,
            entered: 1_790_000_000,
            code: 13,
            subcode: -256,
            advice: Recommendation::Release,
            hundredths: Some(87),
            drawn_from: Some(1),
            counts: TrySuccess::Begins,
            until: None,
            owner: "alice".to_owned(),
            cause: "server web.example.org".to_owned(),
            diagnosis: diagnosis_of(&diagnosis()),
            choices: vec![(Recommendation::Release, 125), (Recommendation::Wait, 200)],
            shown: None,
            reason: "The transfer failed; \"others\" got through.".to_owned(),
        }
    }

    fn diagnosis() -> Diagnosis {
        let at_fault = [(Fault::Machine, 2.0 / 3.0), (Fault::Program, 1.0 / 3.0)];
        let at_fault = at_fault.map(|(fault, probability)| AtFault { fault, probability });
        Diagnosis {
            at_fault: at_fault.into(),
            by: Some(By::Runs),
            place: Some("e1.example.org".to_owned()),
            ends: Some(Ends::Elsewhere),
            state: State::Unknown,
        }
    }

    fn shown() -> Shown {
        Shown {
            advice: Recommendation::Wait,
            hundredths: None,
            num_holds: 1,
            entered: 5,
            expires: 6,
            releases: false,
            stays: None,
            same_text: true,
        }
    }

    fn answer() -> ModelAnswer {
        answer_of("00112233445566ff", 0.50049, 0.250_000_4).unwrap()
    }

    #[test]
    fn a_model_says_what_a_model_can_say() {
        assert_eq!((answer().logit, answer().probability), (0.5, 0.25));
        for (logit, probability) in [(f32::NAN, 0.5), (1e9, 0.5), (0.0, 1.5), (0.0, f64::NAN)] {
            assert_eq!(answer_of("00112233445566ff", logit, probability), None);
        }
        let zero = answer_of("00112233445566ff", -1e-9, 1.0).unwrap();
        assert!(zero.logit.is_sign_positive());
    }

    #[test]
    fn answers_have_one_spelling() {
        for step in 0..=2_000_u16 {
            let step = f64::from(step);
            let answer = answer_of(&"a".repeat(16), (step - 1e3) as f32 * 0.917, step / 2e3);
            let asked = |challenger| Asked {
                hold: hold(0, 2),
                owner: Some("alice".to_owned()),
                in_use: answer.clone().unwrap(),
                challenger,
            };
            let line = Line::Asked(asked(answer.clone()));
            assert_eq!(Line::read(line.to_string().as_bytes()), Some(line));
        }
    }

    fn hold(proc: i32, num_holds: i64) -> HoldOf {
        HoldOf {
            job: JobId::new(7, proc),
            num_holds: Some(num_holds),
            entered_current_status: Some(9),
        }
    }

    fn lines() -> Vec<Line> {
        let ended = ActOutcome {
            id: "5f-1-0".to_owned(),
            hold: hold(0, 2),
            result: journal::Result::Failure,
            at: 7,
            took: Some(3),
            held_for: Some("/home, 13/2".to_owned()),
        };
        vec![
            Line::Job(judged()),
            Line::Job(Judged {
                shown: Some(shown()),
                hundredths: None,
                cause: String::new(),
                diagnosis: None,
                choices: Vec::new(),
                drawn_from: None,
                until: Some(9),
                ..judged()
            }),
            Line::Left(Left { id: "5f-1-0".to_owned(), at: 9, how: How::Policy }),
            Line::Ended(ended.clone()),
            Line::Ended(ActOutcome { took: None, held_for: None, ..ended }),
            Line::LeftOut { owner: "alice".to_owned(), jobs: 19_000 },
            Line::Note("event log: denied".to_owned()),
            Line::Done { seen: 7, judged: 5 },
            Line::Asked(Asked {
                hold: hold(0, 2),
                owner: Some(owner_key("alice")),
                in_use: answer(),
                challenger: None,
            }),
            Line::Asked(Asked {
                hold: hold(1, 1),
                owner: Some(owner_key(&"a b\t\u{e9}".repeat(99))),
                in_use: answer(),
                challenger: Some(ModelAnswer { logit: -12.345, ..answer() }),
            }),
            Line::Outcome(ReleaseOutcome {
                job: JobId::new(7, 1),
                held: 9,
                released: 10,
                at: 11,
                success: true,
            }),
        ]
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        for line in lines() {
            let text = line.to_string();
            assert_eq!(Line::read(text.as_bytes()), Some(line), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_dropped() {
        let good = Line::Job(judged()).to_string();
        for (old, new) in [
            ("{\"job\"", "{ \"job\""),
            ("\"proc\":3", "\"proc\":3,\"more\":1"),
            ("\"proc\":3", "\"proc\":3,\"proc\":3"),
            ("\"proc\":3", "\"proc\":03"),
            ("\"proc\":3", "\"proc\":\"3\""),
            ("\"cluster\":12", "\"cluster\":0"),
            ("\"num_holds\":2", "\"num_holds\":-2"),
            ("1790000000", "99999999999999"),
            ("release", "Release"),
            ("e1.example.org", "e1 or e2"),
            ("0.667", "1.667"),
            ("elsewhere", "never"),
            ("release", "release\\\" || true"),
            ("87", "101"),
            ("87", "0.87"),
            ("\"alice", "\""),
            ("alice", "al ice"),
            ("alice", "al\u{e9}"),
            ("alice", "\\u0061lice"),
            ("server", "ser\\u001bver"),
            ("others", "oth\\u001b[2Jers"),
            ("\"release\",125", "\"release\",1.25"),
            ("\"release\",125", "\"release\""),
            ("\"wait\",200", "\"release\",200"),
            ("through.", "through\\\\"),
            ("through.", "through.\\tmore"),
            ("failed", "fai\u{202e}led"),
        ] {
            let bad = good.replacen(old, new, 1);
            assert_ne!(bad, good, "{old}");
            assert_eq!(Line::read(bad.as_bytes()), None, "{bad}");
        }
        let long = good.replace("failed", &"x".repeat(LONGEST_REASON));
        assert_eq!(Line::read(long.as_bytes()), None);
        assert_eq!(Line::read(b"{\"note\":\"\xff\"}"), None);
    }

    #[test]
    fn any_text_makes_a_reason_and_a_cause() {
        assert_eq!(key_of("server a"), "server a");
        assert_ne!(key_of("server \u{e9}"), key_of("server \u{e8}"));
        assert_eq!(reason_of(" C:\\\\ "), "C:");
        let cut = reason_of(&"sentence ".repeat(30));
        assert!(cut.ends_with("sentence...") && cut.chars().count() <= LONGEST_REASON, "{cut}");
        assert_eq!(reason_of(&"x".repeat(300)).chars().count(), LONGEST_REASON);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>) {
            let _ = Line::read(&bytes);
        }

        #[test]
        fn a_changed_line_is_read_as_itself_or_not_at_all(
            which in 0..10_usize, at in any::<prop::sample::Index>(), byte: u8
        ) {
            let mut bytes = lines()[which].to_string().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Some(line) = Line::read(&bytes) {
                prop_assert_eq!(line.to_string().into_bytes(), bytes);
            }
        }

        #[test]
        fn any_reason_is_accepted_by_the_writer(text: String) {
            let line = Line::Job(Judged {
                reason: reason_of(&text), cause: key_of(&text), ..judged()
            });
            prop_assert_eq!(Line::read(line.to_string().as_bytes()), Some(line));
        }
    }
}
