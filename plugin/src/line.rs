//! What the judge says and the writer believes: lines of fields separated by tabs.
//!
//! The judge reads what users wrote, so its lines are read as if a user had written them: each field
//! has one spelling, a bounded length and no character that a tool would act upon. A line that does
//! not fit is dropped and counted.

use std::fmt;

use eventlog::JobId;
use holdadvise::acting::OpenAct;
use holdadvise::advice::{Recommendation, TrySuccess};
use holdadvise::journal;
use holdadvise::text::{can_be_pasted, classad_quote, is_fit, shown};

/// Bytes of a line at most.
pub const LONGEST_LINE: usize = 2_048;

/// Characters of a reason at most.
pub const LONGEST_REASON: usize = 200;

/// Characters of what holds that are released one after the other share.
const LONGEST_CAUSE: usize = 100;

/// Characters of an owner, or of the id of an act.
const LONGEST_NAME: usize = 100;

/// Held jobs at most.
const MOST_HELD: usize = 10_000_000;

/// A line of the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A held job was judged.
    Job(Judged),
    /// A job left a hold that it was to be released from.
    Left(Left),
    /// What came of a release.
    Ended(Ended),
    /// What models said of a release.
    Asked(Asked),
    /// The outcome of a release without a change is known.
    Outcome(Outcome),
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Expected hours of the choices, in hundredths.
    pub choices: Vec<(Recommendation, u32)>,
    /// What its ad says already.
    pub shown: Option<Shown>,
    /// Why, one sentence or two.
    pub reason: String,
}

/// What models said of a release of a held job as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The job.
    pub job: JobId,
    /// NumHolds.
    pub num_holds: i64,
    /// EnteredCurrentStatus, Unix seconds.
    pub entered: i64,
    /// Owner, as [`owner_key`] has it.
    pub owner: String,
    /// The model in use.
    pub in_use: Answer,
    /// The one on trial.
    pub challenger: Option<Answer>,
}

/// What a model said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which: 16 hexadecimal digits.
    pub model: String,
    /// Before any calibration, in thousandths.
    pub logit: i32,
    /// Probability of success, in millionths.
    pub probability: u32,
}

/// A release without a change, and what came of it, all in Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// HoldAdviceReason and HoldAdviceModel are those that would be written.
    pub same_text: bool,
}

/// A job that left a hold which it was to be released from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The act that was intended.
    pub id: String,
    /// When, Unix seconds.
    pub at: i64,
    /// How.
    pub how: How,
}

/// How a job left a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The policy of the access point released it on its advice.
    Policy,
    /// Somebody, or another policy, released it.
    Other,
    /// It was removed.
    Removed,
}

/// What came of a release, as [`journal::Ended`] has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The act.
    pub id: String,
    /// What came of it.
    pub result: journal::Result,
    /// When, Unix seconds.
    pub at: i64,
    /// Seconds that its input took to arrive.
    pub took: Option<i64>,
    /// What it is held for again.
    pub held_for: Option<String>,
}

impl Ended {
    /// For the journal: the hold is that of the act.
    #[must_use]
    pub fn of(self, act: &OpenAct) -> journal::Ended {
        let Self { id, result, at, took, held_for } = self;
        journal::Ended { id, hold: act.hold, result, at, held_for, took }
    }
}

const COUNTS: [(&str, TrySuccess); 3] = [
    ("begins", TrySuccess::Begins),
    ("runs-longer", TrySuccess::RunsLonger),
    ("finishes", TrySuccess::Finishes),
];

const HOWS: [(&str, How); 3] =
    [("policy", How::Policy), ("other", How::Other), ("removed", How::Removed)];

const RESULTS: [(&str, journal::Result); 4] = [
    ("through", journal::Result::Through),
    ("success", journal::Result::Success),
    ("failure", journal::Result::Failure),
    ("censored", journal::Result::Censored),
];

fn word<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, other)| other == value).map_or("-", |(word, _)| word)
}

fn of_word<T: Copy>(table: &[(&str, T)], text: &str) -> Option<T> {
    table.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
}

/// A text as the reason of an advice: what the writer accepts.
#[must_use]
pub fn reason_of(text: &str) -> String {
    // No literal of HTCondor ends with a backslash.
    shown(text.trim(), LONGEST_REASON).trim_end_matches('\\').to_owned()
}

/// A text as a cause or name: printable ASCII without secrets. Another one is a hash of it, so that
/// different texts stay different.
#[must_use]
pub fn key_of(text: &str) -> String {
    match is_key(text, LONGEST_CAUSE) && can_be_pasted(text) {
        true => text.to_owned(),
        false => format!("hash {:016x}", holdadvise::text::hash(text)),
    }
}

/// An owner as a name: one word. Another one is a hash of it.
#[must_use]
pub fn owner_key(owner: &str) -> String {
    key(owner).unwrap_or_else(|| format!("hash-{:016x}", holdadvise::text::hash(owner)))
}

fn is_key(text: &str, most: usize) -> bool {
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    !text.is_empty() && text != "-" && text.len() <= most && text.bytes().all(is_plain)
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job(job) => job.fmt(f),
            Self::Left(Left { id, at, how }) => {
                write!(f, "left\t{id}\t{at}\t{}", word(&HOWS, how))
            }
            Self::Ended(Ended { id, result, at, took, held_for }) => {
                let (took, held_for) = (maybe(took.as_ref()), maybe(held_for.as_ref()));
                write!(f, "ended\t{id}\t{}\t{at}\t{took}\t{held_for}", word(&RESULTS, result))
            }
            Self::Asked(Asked { job, num_holds, entered, owner, in_use, challenger }) => {
                let challenger = maybe(challenger.as_ref());
                write!(f, "asked\t{job}\t{num_holds}\t{entered}\t{owner}\t{in_use}\t{challenger}")
            }
            Self::Outcome(Outcome { job, held, released, at, success }) => {
                write!(f, "outcome\t{job}\t{held}\t{released}\t{at}\t{}", u8::from(*success))
            }
            Self::LeftOut { owner, jobs } => write!(f, "left-out\t{owner}\t{jobs}"),
            Self::Note(text) => write!(f, "note\t{text}"),
            Self::Done { seen, judged } => write!(f, "done\t{seen}\t{judged}"),
        }
    }
}

fn maybe(value: Option<&impl fmt::Display>) -> String {
    value.map_or_else(|| "-".to_owned(), ToString::to_string)
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, logit, probability } = self;
        write!(f, "{model} {logit} {probability}")
    }
}

impl Answer {
    /// Logits beyond this are none, in thousandths.
    const MOST: i32 = 1_000_000;

    /// `None` where the model says what no model can.
    #[must_use]
    pub fn of(model: &str, logit: f32, probability: f64) -> Option<Self> {
        let thousandths = f64::from(logit) * 1e3;
        let fits = thousandths.abs() <= f64::from(Self::MOST) && (0.0..=1.0).contains(&probability);
        // The casts of what is in range round.
        fits.then(|| Self {
            model: model.to_owned(),
            logit: thousandths.round() as i32,
            probability: (probability * 1e6).round() as u32,
        })
    }

    fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let model = words.next().filter(|id| id.len() == 16 && id.bytes().all(is_digit))?;
        let said = Self {
            model: model.to_owned(),
            logit: number(words.next()?).filter(|logit: &i32| logit.abs() <= Self::MOST)?,
            probability: number(words.next()?).filter(|millionths| *millionths <= 1_000_000)?,
        };
        words.next().is_none().then_some(said)
    }

    /// For the journal.
    #[must_use]
    pub fn entry(&self) -> journal::Answer {
        journal::Answer {
            model: self.model.clone(),
            logit: self.logit as f32 / 1e3,
            probability: f64::from(self.probability) / 1e6,
        }
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, num_holds, entered, code, subcode, hundredths, until, .. } = self;
        write!(f, "job\t{job}\t{num_holds}\t{entered}\t{code}\t{subcode}")?;
        write!(f, "\t{}\t{}", self.advice.name(), maybe(hundredths.as_ref()))?;
        let drawn_from = maybe(self.drawn_from.as_ref());
        write!(f, "\t{drawn_from}\t{}\t{}", word(&COUNTS, &self.counts), maybe(until.as_ref()))?;
        let cause = Some(&self.cause).filter(|cause| !cause.is_empty());
        write!(f, "\t{}\t{}", self.owner, maybe(cause))?;
        let choices: Vec<String> =
            self.choices.iter().map(|(choice, cost)| format!("{} {cost}", choice.name())).collect();
        let choices = Some(choices.join(" ")).filter(|choices| !choices.is_empty());
        write!(f, "\t{}", maybe(choices.as_ref()))?;
        match &self.shown {
            None => f.write_str("\t-")?,
            Some(shown) => {
                let Shown { num_holds, entered, expires, .. } = shown;
                write!(f, "\t{} {}", shown.advice.name(), maybe(shown.hundredths.as_ref()))?;
                let (releases, same) = (u8::from(shown.releases), u8::from(shown.same_text));
                write!(f, " {num_holds} {entered} {expires} {releases} {same}")?;
            }
        }
        write!(f, "\t{}", self.reason)
    }
}

impl Line {
    /// Reads a line without its end. `None` for one that does not fit.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok().filter(|text| text.len() <= LONGEST_LINE)?;
        let mut fields = text.split('\t');
        let line = match fields.next()? {
            "job" => Self::Job(Judged::read(&mut fields)?),
            "left" => Self::Left(Left {
                id: key(fields.next()?)?,
                at: time(fields.next()?)?,
                how: of_word(&HOWS, fields.next()?)?,
            }),
            "ended" => Self::Ended(Ended {
                id: key(fields.next()?)?,
                result: of_word(&RESULTS, fields.next()?)?,
                at: time(fields.next()?)?,
                took: optional(fields.next()?, time)?,
                held_for: optional(fields.next()?, cause)?,
            }),
            "asked" => Self::Asked(Asked {
                job: job(fields.next()?)?,
                num_holds: holds(fields.next()?)?,
                entered: time(fields.next()?)?,
                owner: key(fields.next()?)?,
                in_use: Answer::read(fields.next()?)?,
                challenger: optional(fields.next()?, Answer::read)?,
            }),
            "outcome" => Self::Outcome(Outcome {
                job: job(fields.next()?)?,
                held: time(fields.next()?)?,
                released: time(fields.next()?)?,
                at: time(fields.next()?)?,
                success: flag(fields.next()?)?,
            }),
            "left-out" => Self::LeftOut {
                owner: key(fields.next()?)?,
                jobs: number(fields.next()?).filter(|jobs| *jobs <= MOST_HELD as u64)?,
            },
            "note" => Self::Note(text_of(fields.next()?)?),
            "done" => Self::Done { seen: number(fields.next()?)?, judged: number(fields.next()?)? },
            _ => return None,
        };
        fields.next().is_none().then_some(line)
    }
}

type Fields<'a> = std::str::Split<'a, char>;

impl Judged {
    /// It is this very job that is to be released as it is.
    #[must_use]
    pub fn is_drawn(&self) -> bool {
        self.drawn_from.is_some_and(|drawn_from| drawn_from > 0)
    }

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self {
            job: job(fields.next()?)?,
            num_holds: holds(fields.next()?)?,
            entered: time(fields.next()?)?,
            code: number(fields.next()?)?,
            subcode: number(fields.next()?)?,
            advice: advice(fields.next()?)?,
            hundredths: optional(fields.next()?, hundredths)?,
            drawn_from: optional(fields.next()?, |text| {
                number(text).filter(|held| *held <= MOST_HELD)
            })?,
            counts: of_word(&COUNTS, fields.next()?)?,
            until: optional(fields.next()?, time)?,
            owner: key(fields.next()?)?,
            cause: optional(fields.next()?, cause)?.unwrap_or_default(),
            choices: optional(fields.next()?, choices)?.unwrap_or_default(),
            shown: optional(fields.next()?, Shown::read)?,
            reason: text_of(fields.next()?)?,
        })
    }
}

impl Shown {
    fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let shown = Self {
            advice: advice(words.next()?)?,
            hundredths: optional(words.next()?, hundredths)?,
            num_holds: holds(words.next()?)?,
            entered: time(words.next()?)?,
            expires: time(words.next()?)?,
            releases: flag(words.next()?)?,
            same_text: flag(words.next()?)?,
        };
        words.next().is_none().then_some(shown)
    }
}

/// `-` for nothing.
fn optional<T>(text: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    match text {
        "-" => Some(None),
        text => read(text).map(Some),
    }
}

/// A number in the one way that this program writes it.
fn number<T: std::str::FromStr + ToString>(text: &str) -> Option<T> {
    text.parse::<T>().ok().filter(|number| number.to_string() == text)
}

fn job(text: &str) -> Option<JobId> {
    let (cluster, proc) = text.split_once('.')?;
    let job = JobId::new(number(cluster)?, number(proc)?);
    (job.cluster > 0 && job.proc >= 0).then_some(job)
}

/// Unix seconds, or seconds, that fit a clock.
fn time(text: &str) -> Option<i64> {
    number(text).filter(|time| (0..=1 << 40).contains(time))
}

fn holds(text: &str) -> Option<i64> {
    number(text).filter(|holds| (0..=1 << 31).contains(holds))
}

fn hundredths(text: &str) -> Option<u8> {
    number(text).filter(|hundredths| *hundredths <= 100)
}

fn flag(text: &str) -> Option<bool> {
    of_word(&[("0", false), ("1", true)], text)
}

fn advice(text: &str) -> Option<Recommendation> {
    Recommendation::ALL.into_iter().find(|word| word.name() == text)
}

/// Each choice at most once, with hundredths of hours.
fn choices(text: &str) -> Option<Vec<(Recommendation, u32)>> {
    let mut choices: Vec<(Recommendation, u32)> = Vec::new();
    let mut words = text.split(' ');
    while let Some(choice) = words.next() {
        let choice = advice(choice)?;
        if choices.iter().any(|(other, _)| *other == choice) {
            return None;
        }
        choices.push((choice, number(words.next()?)?));
    }
    Some(choices)
}

fn key(text: &str) -> Option<String> {
    (is_key(text, LONGEST_NAME) && !text.contains(' ')).then(|| text.to_owned())
}

fn cause(text: &str) -> Option<String> {
    is_key(text, LONGEST_CAUSE).then(|| text.to_owned())
}

fn text_of(text: &str) -> Option<String> {
    let fits = is_fit(text) && text.chars().count() <= LONGEST_REASON;
    (fits && classad_quote(text).is_some()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            choices: vec![(Recommendation::Release, 125), (Recommendation::Wait, 200)],
            shown: None,
            reason: "The transfer failed; \"others\" got through.".to_owned(),
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
            same_text: true,
        }
    }

    fn answer() -> Answer {
        Answer::of("00112233445566ff", 0.5, 0.25).unwrap()
    }

    #[test]
    fn a_model_says_what_a_model_can_say() {
        assert_eq!(answer().to_string(), "00112233445566ff 500 250000");
        for (logit, probability) in [(f32::NAN, 0.5), (1e9, 0.5), (0.0, 1.5), (0.0, f64::NAN)] {
            assert_eq!(Answer::of("00112233445566ff", logit, probability), None);
        }
        let back = answer().entry();
        assert_eq!((back.logit, back.probability), (0.5, 0.25));
    }

    fn lines() -> Vec<Line> {
        let ended = Ended {
            id: "5f-1-0".to_owned(),
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
                choices: Vec::new(),
                drawn_from: None,
                until: Some(9),
                ..judged()
            }),
            Line::Left(Left { id: "5f-1-0".to_owned(), at: 9, how: How::Policy }),
            Line::Ended(ended.clone()),
            Line::Ended(Ended { took: None, held_for: None, ..ended }),
            Line::LeftOut { owner: "alice".to_owned(), jobs: 19_000 },
            Line::Note("event log: denied".to_owned()),
            Line::Done { seen: 7, judged: 5 },
            Line::Asked(Asked {
                job: JobId::new(7, 0),
                num_holds: 2,
                entered: 9,
                owner: owner_key("alice"),
                in_use: answer(),
                challenger: None,
            }),
            Line::Asked(Asked {
                job: JobId::new(7, 1),
                num_holds: 1,
                entered: 9,
                owner: owner_key(&"a b\t\u{e9}".repeat(99)),
                in_use: answer(),
                challenger: Some(Answer { logit: -12_345, ..answer() }),
            }),
            Line::Outcome(Outcome {
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
            ("12.3", "12"),
            ("12.3", "0.3"),
            ("12.3", "12.+3"),
            ("12.3", "012.3"),
            ("12.3", "12.3,13.0"),
            ("\t2\t", "\t-2\t"),
            ("1790000000", "99999999999999"),
            ("release", "Release"),
            ("release", "release\" || true"),
            ("87", "101"),
            ("87", "0.87"),
            ("alice", ""),
            ("alice", "al ice"),
            ("alice", "al\u{e9}"),
            ("server", "ser\u{1b}ver"),
            ("others", "oth\u{1b}[2Jers"),
            ("release 125", "release 1.25"),
            ("release 125", "release"),
            ("wait 200", "release 200"),
            ("through.", "through\\"),
            ("through.", "through.\tmore"),
            ("failed", "fai\u{202e}led"),
        ] {
            let bad = good.replacen(old, new, 1);
            assert_ne!(bad, good, "{old}");
            assert_eq!(Line::read(bad.as_bytes()), None, "{bad}");
        }
        let long = good.replace("failed", &"x".repeat(LONGEST_REASON));
        assert_eq!(Line::read(long.as_bytes()), None);
        assert_eq!(Line::read(b"job\t1.0\xff"), None);
    }

    #[test]
    fn any_text_makes_a_reason_and_a_cause() {
        assert_eq!(key_of("server a"), "server a");
        assert_ne!(key_of("server \u{e9}"), key_of("server \u{e8}"));
        assert_eq!(reason_of(" C:\\\\ "), "C:");
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
