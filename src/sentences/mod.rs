//! Advice as sentences: the one place where what was judged becomes English.
//!
//! Names and texts of others are made fit for a terminal here.
//!
//! - `changes`: what to change.
//! - `checks`: what looks at files and URLs found.
//! - `choices`: what was weighed.
//! - `diagnosis`: what is at fault.
//! - `edits`: what goes with an edit, and what is corrected by hand.
//! - `limits`: limits beside what like jobs needed.
//! - `short`: what to do in a few words.
//! - `times`: times and lengths of time.
//! - `transfers`: what file-transfer plug-ins reported.
//! - `watching`: what changed since the last look.

mod changes;
mod checks;
pub(crate) mod choices;
mod diagnosis;
mod edits;
mod limits;
mod short;
pub(crate) mod times;
mod transfers;
mod watching;

pub use changes::change;
pub(crate) use checks::asked_urls;
pub(crate) use checks::unknown;
pub use diagnosis::diagnosis;
pub use edits::{by_hand, edit_facts, slots as slots_for, whole_change};
pub(crate) use edits::{next_time, then_release};
pub(crate) use short::to_do;
pub(crate) use watching::{ANSWERS_AGAIN, NONE_LEFT, asks_again, end_of_hold, ended, news};

use jiff::tz::TimeZone;

use self::times::minute;
use crate::advice::meaning::usual_change;
use crate::advice::{
    Advice, Against, ByItself, Count, Ending, Evidence, ExitKind, ExitStatus, Figure, LEAST_FAILED,
    LEAST_HELD, LikelyFrom, Near, ProgramWords, Recommendation, Trouble, Undecided, WaitFor,
    WordsOf,
};
use crate::catalogue::{self, HoldText, Reading};
use crate::checks::WordsKind;
use crate::features::Scope;
use crate::history::reason::{self, Side, code_of_transfer};
use crate::hold_code::{HoldCode, Subcode, VACATE_BASE};
use crate::metrics::Band;
use crate::model::LEAST_RELEASES;
use crate::policy::{Gate, Kind, Prediction, display_name};
use crate::sizes::Resource;
use crate::text::{Foreign, plural};

/// Characters of a name in evidence.
const NAME: usize = 60;

/// Characters of a name in a change, and of a test.
const LONG_NAME: usize = 120;

/// Characters of a line of a program.
const LINE: usize = 300;

/// Characters of what HTCondor said.
const MESSAGE: usize = 300;

/// Characters of an expression of a policy.
const EXPRESSION: usize = 100;

/// A span of time in the largest unit that fits.
pub(crate) fn span(seconds: impl Into<Count>) -> String {
    let largest = |seconds: i64| match seconds.max(0) {
        s if s < 60 => (s, "second"),
        s if s < 3_600 => (s / 60, "minute"),
        s if s < 2 * 86_400 => (s / 3_600, "hour"),
        s => (s / 86_400, "day"),
    };
    let Count { least, most } = seconds.into();
    match (largest(least), largest(most)) {
        ((least, unit), (most, other)) if unit == other => plural(Count { least, most }, unit),
        ((least, unit), (most, other)) => {
            format!("{} to {}", plural(least, unit), plural(most, other))
        }
    }
}

/// A figure as `text` has it, or two with a line between.
fn figure(figure: Figure, text: impl Fn(f64) -> String) -> String {
    match (text(figure.least), text(figure.most)) {
        (least, most) if least == most => most,
        (least, most) => format!("{least}-{most}"),
    }
}

/// When to ask again, and how long that is from `now`.
pub fn look_again(at: i64, now: i64, zone: &TimeZone) -> String {
    format!("{} (in {})", minute(at, zone), span(at - now))
}

/// What the hold means. A release as it is, and a usual change in the same breath, would contradict
/// each other.
pub fn why(advice: &Advice) -> String {
    let held = &advice.held;
    let text = held.reason.as_ref().map_or("", Foreign::as_given);
    let reading = held.reading.as_ref();
    let meaning = meaning_of(held.code, held.subcode, text, reading);
    // Nothing is to be corrected where the server refuses everybody.
    let refuses = || advice.evidence.iter().any(|seen| matches!(seen, Evidence::Refusal { .. }));
    match (advice.recommendation, transfers::change(advice)) {
        (Recommendation::Release, _) => meaning,
        _ if refuses() => meaning,
        // What the plug-in reported says more than the hold reason.
        (_, Some(change)) if reading.is_none() => with_change(meaning, USUAL, change),
        _ => with_help(meaning, held.code, held.subcode, text, reading),
    }
}

/// What holds a job, a sentence: as the catalogue says it, else as its codes do.
pub(crate) fn cause(advice: &Advice) -> String {
    let held = &advice.held;
    match &held.reading {
        Some(reading) => format!("{}.", capital(&reading.means())),
        None => {
            let text = held.reason.as_ref().map_or("", Foreign::as_given);
            meaning_of(held.code, held.subcode, text, None)
        }
    }
}

/// What a program wrote at its end.
fn program_words(words: &ProgramWords) -> String {
    let catalogue = catalogue::current();
    let of_line = words.reading.as_ref();
    let says = match words.words.says {
        WordsKind::Own if of_line.is_none() => String::new(),
        kind => {
            let of_line = of_line.map(|reading| reading.means());
            let of_kind = || catalogue.of_output(kind).unwrap_or_else(|| "it failed".to_owned());
            format!(": {}", of_line.unwrap_or_else(of_kind))
        }
    };
    let line = words.words.line.quoted(LINE);
    let path = words.path.named(LONG_NAME);
    match words.of {
        WordsOf::ThisRun => format!("Its program wrote {line} ({path}){says}."),
        WordsOf::EarlierRun => {
            format!("In an earlier run its program wrote {line} ({path}){says}.")
        }
        WordsOf::SharedFile => format!(
            "In {path}, which other jobs of the cluster may write too, stands {line}{says}."
        ),
    }
}

/// How a program ended.
fn exit_status(status: &ExitStatus) -> String {
    let says = match status.says {
        ExitKind::NotExecutable => "a command was found and could not be executed",
        ExitKind::NotFound => "a command was not found",
        ExitKind::Aborted => "it gave up, as after a failed assertion",
        ExitKind::Killed => "it was killed from outside, as for want of memory",
        ExitKind::Crashed => "it crashed",
        ExitKind::Asked => "it was asked to end",
    };
    let signal = status.signal.map(|signal| format!("signal {signal}"));
    let how = match (status.code, signal) {
        (Some(code), Some(signal)) => format!("status {code}, which stands for {signal}"),
        (Some(code), None) => format!("status {code}"),
        (None, signal) => signal.unwrap_or_default(),
    };
    format!("Its program ended with {how}: {says}.")
}

/// Why nothing is recommended for a hold with this code.
pub fn undecided(why: &Undecided, code: Option<i32>) -> String {
    match why {
        Undecided::Over => {
            "The log is newer than its ad, and shows that this hold is over: nothing is to be done."
                .to_owned()
        }
        Undecided::HeldByPerson if code == Some(15) => {
            "It was submitted on hold. Whoever did that knows what it waits for; condor_release lets it run then."
                .to_owned()
        }
        Undecided::HeldByPerson => {
            "A person put it on hold, and knows why. When that is settled, condor_release lets it run.".to_owned()
        }
        Undecided::UnknownCode { releases } => {
            let seen = match releases {
                0 => "no release".to_owned(),
                &n => plural(n, "release"),
            };
            let code = code.unwrap_or_default();
            format!(
                "The model has seen {seen} after code {code}; it needs {LEAST_RELEASES} to know one."
            )
        }
        Undecided::Unsure { least } => {
            format!("The model is less sure than {:.0} %, the least asked of it.", least * 100.0)
        }
        Undecided::FailedBefore { releases } => format!(
            "The last {} ended in a hold like this one, and no like job was seen to succeed since. \
             Find out what is different now before another release.",
            plural(*releases, "release")
        ),
        Undecided::NotNamed => {
            "A change is likely to help, but no attribute or file to change is named."
                .to_owned()
        }
        Undecided::NoReleases => {
            "The model was trained on too few releases without a change.".to_owned()
        }
        Undecided::Lasting { trouble } => {
            let what = self::trouble(*trouble);
            format!(
                "Its hold reason says that {what}, and nothing that was seen since shows that this is over."
            )
        }
        Undecided::NotRemoved { against } => {
            format!("No action is likely to help. {}", against_removal(*against))
        }
        Undecided::NeverReached { unresolved, tries, seconds } => {
            let failed = match unresolved {
                true => "its name could not be resolved",
                false => "it did not answer",
            };
            format!(
                "No job was seen to reach the server of its URL in the {} since it first failed, {}: {failed}. \
                 Waiting may not help; the name may be wrong.",
                span(*seconds),
                plural(*tries, "try").replace("trys", "tries")
            )
        }
        Undecided::Sources => {
            "A release may succeed. Without the sources named above it is advised only where it is \
                               likely to."
                .to_owned()
        }
        Undecided::Between { release, remove } => format!(
            "A release is worth it from {:.0} % success on, a removal below {:.0} %: its success lies between, and no \
             change that is known makes enough of a difference.",
            release * 100.0,
            remove * 100.0
        ),
    }
}

/// A trouble, a clause.
pub(crate) fn trouble(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::NoSpace => "no space is left",
        Trouble::Denied => "permission is denied",
        Trouble::Missing => "a file is missing",
        Trouble::Away => "a service is away",
    }
}

/// The word for a resource.
fn resource_word(resource: Resource) -> &'static str {
    match resource {
        Resource::Memory => "memory",
        Resource::Disk => "disk",
    }
}

/// What stands against a removal, a sentence.
pub fn against_removal(against: Against) -> String {
    match against {
        Against::Cause => "Such a cause may pass by itself.".to_owned(),
        Against::HeldTooShort => {
            format!("A removal is advised only after {} hours on hold.", LEAST_HELD / 3_600)
        }
        Against::FewReleases => {
            format!("A removal is advised only after {LEAST_FAILED} failed releases.")
        }
        Against::ByItself(ByItself::Unknown) => {
            "The policies that could act on it were not read, so no removal is advised.".to_owned()
        }
        Against::ByItself(_) => "HTCondor will act on it by itself.".to_owned(),
        Against::LikeJobBegan => "A like job began to execute since this hold.".to_owned(),
        Against::Untaught => {
            "The model was not trained on every change that could help.".to_owned()
        }
        Against::ByOthers => "Only failures of other owners' jobs speak for a removal.".to_owned(),
        Against::Cost => "A removal would save too little.".to_owned(),
    }
}

/// Something that was seen.
pub fn evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Over { by, seconds_ago } => {
            let ended = match by {
                Ending::Released => "was released",
                Ending::Removed => "was removed",
                Ending::Terminated => "terminated",
            };
            format!("The log shows that this job {ended} {} ago.", span(*seconds_ago))
        }
        Evidence::File { check } => checks::file(check),
        Evidence::TransferError { transfer } => transfers::reported(transfer),
        Evidence::Message { text, seconds_before } => format!(
            "{} before this hold, which gives no reason, HTCondor said of the job: {}.",
            span(*seconds_before),
            text.quoted(MESSAGE)
        ),
        Evidence::Place { place, failed, passed, failed_elsewhere, passed_elsewhere } => format!(
            "At {} {} of this cluster failed so within a day and {passed} got through; elsewhere \
             {failed_elsewhere} failed so and {passed_elsewhere} got through.",
            place.named(NAME),
            plural(*failed, "job"),
        ),
        Evidence::ProgramWords { words } => program_words(words),
        Evidence::SilentOutput { path } => {
            format!("Its output ({}) says nothing of a failure.", path.named(LONG_NAME))
        }
        Evidence::Corrected { name } => format!(
            "{}, which the hold reason names, was changed in the job or on disk since this hold.",
            name.named(LONG_NAME)
        ),
        Evidence::Exit { status } => exit_status(status),
        Evidence::Refusal { refusal } => transfers::refusal(refusal),
        Evidence::BeganSince { near, jobs, seconds_since_last, held_again } => {
            let ago = seconds_since_last.map_or(String::new(), |seconds| match seconds.most {
                0 => ", the last just now".to_owned(),
                _ => format!(", the last {} ago", span(seconds)),
            });
            let jobs = plural(*jobs, "other job");
            let again = match held_again {
                none if none.most == 0 => String::new(),
                n => format!(
                    "; since the first of them such jobs were held {} for the same hold code",
                    plural(*n, "time")
                ),
            };
            format!("{jobs} {} began to execute since this hold{ago}{again}.", which(near))
        }
        Evidence::NoneBeganSince { near, seconds } => format!(
            "No other job {} began to execute in the {} since this hold.",
            which(near),
            span(*seconds)
        ),
        Evidence::HeldNow { near, jobs, code } => {
            let are = if jobs.most == 1 { "is" } else { "are" };
            let jobs = plural(*jobs, "other job");
            format!("{jobs} {} {are} held for code {code} now.", which(near))
        }
        Evidence::ReleasedSince { results } => {
            let each = results.iter().map(|result| {
                let finished = format!("{} finished", result.successes);
                let failed = format!("{} failed or went on hold again", result.failures);
                let became = match (result.successes.most, result.failures.most) {
                    (_, 0) => finished,
                    (0, _) => failed,
                    _ => format!("{finished}, {failed}"),
                };
                format!("of jobs {} {became}", which(&result.near))
            });
            format!(
                "Releases from holds like this one that ended since it began: {}.",
                each.collect::<Vec<_>>().join("; ")
            )
        }
        Evidence::Released { code, subcode, edited, results, seconds_since_first } => {
            let how = if *edited { "after an edit" } else { "without a known edit" };
            let each = results.iter().map(|result| {
                format!(
                    "{} of {} succeeded among jobs {}",
                    result.successes,
                    result.all,
                    which(&result.near)
                )
            });
            let since = seconds_since_first
                .map_or(String::new(), |seconds| format!("; the first {} ago", span(seconds)));
            format!(
                "All releases from code {code}/{subcode} {how} so far: {}{since}.",
                each.collect::<Vec<_>>().join(", ")
            )
        }
        &Evidence::OwnHistory { starts, holds, counts_agree, failed_runs } => {
            let began = match starts {
                none if none.most == 0 => "This job has never begun to execute".to_owned(),
                n => format!("This job began to execute {}", plural(n, "time")),
            };
            let held = match counts_agree {
                _ if holds.most == 0 => String::new(),
                true => format!(", and was held {} before", plural(holds, "time")),
                false => format!("; its log shows {} before this one", plural(holds, "hold")),
            };
            let failed = match failed_runs {
                none if none.most == 0 => String::new(),
                n => format!("; {n} of its runs failed"),
            };
            format!("{began}{held}{failed}.")
        }
        Evidence::Limit { seen } => limits::seen(seen),
        &Evidence::SlotHours { run, total } => {
            let all = match total.most > run.most * 1.05 {
                true => format!(" ({} in all its runs)", slot_hours(total)),
                false => String::new(),
            };
            format!(
                "Each of its runs takes {} until it is held{all}; a failed release wastes that much.",
                slot_hours(run)
            )
        }
        &Evidence::Memory { used, provisioned, share, asked } => {
            let whole = |of: Figure| figure(of, |value| format!("{value:.0}"));
            let asked = asked.map(|asked| format!(" It asks for {} MiB now.", whole(asked)));
            format!(
                "Its last run used {} MiB of memory; its slot had {} MiB ({} %).{}",
                whole(used),
                whole(provisioned),
                whole(share),
                asked.unwrap_or_default()
            )
        }
    }
}

fn slot_hours(hours: Figure) -> String {
    let digits = |hours: f64| usize::from(hours < 9.95);
    format!("{} slot hours", figure(hours, |hours| format!("{hours:.*}", digits(hours))))
}

/// Jobs by what they share with the held one.
fn which(near: &Near) -> String {
    let name = near.name.as_ref().map(|name| name.named(NAME));
    match (near.scope, name) {
        (Scope::Cluster, _) => "of this cluster".to_owned(),
        (Scope::Owner, _) => "of this owner".to_owned(),
        (Scope::Site, Some(name)) => format!("at {name}"),
        (Scope::Site, None) => "at the same site".to_owned(),
        (Scope::Server, Some(name)) => format!("with input from {name}"),
        (Scope::Server, None) => "with input from the same file server".to_owned(),
        (Scope::File, Some(name)) if near.input => format!("that read {name}"),
        (Scope::File, Some(name)) => format!("with {name} in a hold reason"),
        (Scope::File, None) => "with the same file".to_owned(),
        (Scope::Reason, _) => "with this hold reason".to_owned(),
        (Scope::AccessPoint, _) => "of this access point".to_owned(),
    }
}

/// What to wait for, a clause.
pub fn wait_for(what: &WaitFor) -> String {
    match what {
        WaitFor::Spooled => "its input files have been spooled".to_owned(),
        WaitFor::Policy => "HTCondor releases it by itself".to_owned(),
        WaitFor::Fetched { server: Some(server) } => {
            format!("{} serves files again", server.named(LONG_NAME))
        }
        WaitFor::Fetched { server: None } => "another job has fetched its input again".to_owned(),
        WaitFor::Try { job } => {
            format!(
                "job {job}, which was released from a hold like this one, has got through or failed"
            )
        }
        WaitFor::Directory { directory } => format!(
            "another job held for a file in {} has got through after a release",
            directory.named(LONG_NAME)
        ),
        WaitFor::LikeHold => {
            "another job with this hold reason has got through after a release, which \
             condor_holdadvise -watch shows"
                .to_owned()
        }
        WaitFor::RetryAfter => "the wait that its file transfer asked for is over".to_owned(),
        WaitFor::InOrder { server } => {
            let what = match server {
                Some(server) => format!("{} answers again", server.named(LONG_NAME)),
                None => "what the hold reason names is in order".to_owned(),
            };
            format!(
                "{what}; without the event log only jobs of the logs read show that, so look yourself"
            )
        }
    }
}

/// When a release becomes likely, and how likely it is now, a clause. A time has no date where the
/// one before it is of that day.
pub fn likely(now: Band, likely: &LikelyFrom, zone: &TimeZone) -> String {
    let LikelyFrom { band, from, earliest, latest } = *likely;
    let after = |before: i64, at: i64| {
        let (before, text) = (minute(before, zone), minute(at, zone));
        let of_day = before.split_once(' ').zip(text.split_once(' '));
        let same = of_day.filter(|((before, _), (day, _))| before == day);
        same.map_or_else(|| text.clone(), |(_, (_, time))| time.to_owned())
    };
    format!(
        "now {}; {} from about {} on (four times in five between {} and {})",
        now.words(),
        band.words(),
        minute(from, zone),
        after(from, earliest),
        after(earliest, latest)
    )
}

/// What HTCondor will do by itself, one sentence; times are civil times of the zone.
pub fn prediction(prediction: &Prediction, zone: &TimeZone) -> String {
    match prediction {
        Prediction::Acts { action, policy, at, interval } => {
            let does = if *action == Kind::Remove { "remove" } else { "release" };
            let name = display_name(policy);
            match at {
                None => format!(
                    "HTCondor will {does} this job when it next looks, every {interval} s or less often ({name} is \
                     true)."
                ),
                Some(at) => format!(
                    "HTCondor will {does} this job at {} or soon after ({name}).",
                    minute(*at, zone)
                ),
            }
        }
        Prediction::Nothing { days } => {
            format!("No policy will release or remove this job within {days} days.")
        }
        Prediction::NotKnown { policy } => format!(
            "Whether HTCondor will release or remove this job is not known: it cannot be computed when {} becomes \
             true.",
            display_name(policy)
        ),
        Prediction::NotEvaluated { reason } => format!(
            "Whether HTCondor will release or remove this job is not known: its policies were {reason}."
        ),
        Prediction::Blocked { gate } => self::gate(*gate),
        Prediction::StaysFalse { policy, value, clause, clause_value, more } => {
            let why = match more {
                0 => String::new(),
                1 => ", and one more clause".to_owned(),
                more => format!(", and {more} more clauses"),
            };
            format!(
                "Its {} stays {}: {} is {}{why}.",
                display_name(policy),
                value.word(),
                clause.quoted(EXPRESSION),
                clause_value.word()
            )
        }
        Prediction::HoldsAgain { policy } => {
            format!("Released now, it would be held again: {} is true.", display_name(policy))
        }
        Prediction::Stays { reason } => {
            format!("The advisor of the access point says: {}.", reason.quoted(2 * EXPRESSION))
        }
        Prediction::NoExpression { policy, text } => {
            format!("{} is not an expression: {}.", display_name(policy), text.quoted(EXPRESSION))
        }
        Prediction::NodeFails { dagman_job_id, node } => {
            let name = match node {
                Some(name) => format!("node {}", name.named(NAME)),
                None => "a node".to_owned(),
            };
            format!(
                "It is {name} of DAG {dagman_job_id}: removed, it counts as failed; DAGMan submits the node again if \
                 RETRY is left, unless its POST script makes it a success. Without a retry the node's descendants do \
                 not run; when nothing else can, DAGMan ends and writes a rescue DAG, from which condor_submit_dag \
                 goes on."
            )
        }
        Prediction::NodeHolds { held, limit } => format!(
            "{held} jobs of this node are held now; when {limit} are (DAGMAN_MAX_JOB_HOLDS), DAGMan removes all of \
             the node's jobs."
        ),
    }
}

/// What keeps policies from being evaluated, or from releasing the job.
pub fn gate(gate: Gate) -> String {
    match gate {
        Gate::Open => "A policy may release it.".to_owned(),
        Gate::NotHeld => "The ad does not say that it is held (JobStatus is not 5).".to_owned(),
        Gate::HeldByUser => {
            "A person put it on hold (code 1): no policy releases it, only condor_release."
                .to_owned()
        }
        Gate::MaxReleases { num_holds, limit } if num_holds > limit => format!(
            "SYSTEM_MAX_RELEASES is reached ({num_holds} holds, limit {limit}): no policy releases it, and \
             condor_release is refused but to queue super users."
        ),
        Gate::MaxReleases { num_holds, limit } => format!(
            "SYSTEM_MAX_RELEASES is reached ({num_holds} holds, limit {limit}): no policy releases it; \
             condor_release does, once more."
        ),
        Gate::SpoolingInput => {
            "HTCondor evaluates no policy of this job while its input is being spooled.".to_owned()
        }
        Gate::SwitchedOff => {
            "This access point evaluates no policies (PERIODIC_EXPR_INTERVAL is 0).".to_owned()
        }
        Gate::Managed => {
            "Another manager has this job; the schedd evaluates no policy of it.".to_owned()
        }
        Gate::TimerUndefined => {
            "Its TimerRemove is not a number, so HTCondor evaluates none of its policies."
                .to_owned()
        }
    }
}

/// [`meaning`], and what is usually changed.
pub fn with_usual_change(code: Option<i32>, subcode: Option<i32>, reason: &str) -> String {
    let reading = read(code, subcode, reason);
    let meaning = meaning_of(code, subcode, reason, reading.as_ref());
    with_help(meaning, code, subcode, reason, reading.as_ref())
}

/// What the catalogue says of a hold of which no ad is known.
fn read(code: Option<i32>, subcode: Option<i32>, reason: &str) -> Option<Reading> {
    catalogue::read(&HoldText { code, subcode, reason, ..HoldText::default() })
}

/// What a hold means, and what helps: as the catalogue has it, and else what is usually changed.
fn with_help(
    meaning: String,
    code: Option<i32>,
    subcode: Option<i32>,
    reason: &str,
    reading: Option<&Reading>,
) -> String {
    match reading {
        Some(reading) => with_change(meaning, "What helps", &reading.remedy().unwrap_or_default()),
        None => {
            let change = code.and_then(|code| usual_change(code, subcode, reason));
            with_change(meaning, USUAL, change.unwrap_or_default())
        }
    }
}

/// What a hold means, and what is changed; nothing where that is empty.
fn with_change(mut meaning: String, label: &str, change: &str) -> String {
    if !change.is_empty() {
        meaning.push_str(&format!(" {label}: {change}."));
    }
    meaning
}

/// What stands before the usual change.
const USUAL: &str = "Usual change";

/// A hold's code and subcode in plain words: a sentence, ended by a full stop.
///
/// `code` and `subcode` are HoldReasonCode and HoldReasonSubCode; the reason decides only where the
/// codes leave it open (which resource, which side).
pub fn meaning(code: Option<i32>, subcode: Option<i32>, reason: &str) -> String {
    meaning_of(code, subcode, reason, read(code, subcode, reason).as_ref())
}

/// The same with what the catalogue says.
fn meaning_of(
    code: Option<i32>,
    subcode: Option<i32>,
    reason: &str,
    reading: Option<&Reading>,
) -> String {
    let Some(number) = code else { return "The hold has no code.".to_owned() };
    let number = code_of_transfer(number, reason);
    let Some(known) = HoldCode::of(number) else {
        return if number >= VACATE_BASE {
            format!(
                "Code {number} is a reason for leaving a slot, not for a hold: the system failed, not the job."
            )
        } else {
            format!("Code {number} is none that HTCondor 25 knows.")
        };
    };
    let mut text = capital(known.meaning);
    if matches!(known.subcode, Subcode::Transfer) {
        text.push_str(side(reason));
    }
    if let Some(reading) = reading {
        text.push_str(&format!(": {}", reading.means()));
    } else if let (Subcode::Policy, Some(subcode)) =
        (known.subcode, subcode.filter(|&code| code != 0))
    {
        text.push_str(&format!(" (subcode {subcode})"));
    } else if let Some(detail) = detail(known, subcode, reason) {
        text.push_str(": ");
        text.push_str(&detail);
    }
    text.push('.');
    text
}

fn detail(known: &HoldCode, subcode: Option<i32>, reason: &str) -> Option<String> {
    let subcode = subcode?;
    if let Some(means) = known.of_subcode(subcode) {
        return Some(means.to_owned());
    }
    match known.subcode {
        Subcode::None | Subcode::Policy => None,
        Subcode::Errno => errno(subcode),
        Subcode::Transfer => transfer(subcode),
        Subcode::Hook => Some(match subcode {
            0 => "it could not be executed".to_owned(),
            ..0 => format!("it was killed by signal {}", subcode.unsigned_abs()),
            _ => format!("it exited with status {subcode}"),
        }),
        Subcode::Resource => Resource::of_hold(known.number, Some(subcode), reason)
            .map(|resource| resource_word(resource).to_owned()),
        Subcode::Exit if subcode >= 0 => Some(format!("exit status {subcode}")),
        Subcode::Exit => Some("its files could not be sent".to_owned()),
        Subcode::Ec2 => None,
    }
}

fn errno(number: i32) -> Option<String> {
    match catalogue::errno(number) {
        Some(known) => Some(format!("{} ({}, errno {number})", known.means, known.name)),
        None if number > 0 => Some(format!("errno {number}")),
        None => None,
    }
}

/// `docs/codes-other-values/hold-reason-codes.rst`: the exit status of a plug-in, shifted left by eight
/// bits, else an error number.
fn transfer(subcode: i32) -> Option<String> {
    match subcode {
        256.. if subcode % 256 == 0 => Some(format!(
            "the file-transfer plug-in exited with status {} (subcode {subcode})",
            subcode / 256
        )),
        _ => errno(subcode),
    }
}

fn side(reason: &str) -> &'static str {
    match reason::side(reason) {
        Some(Side::ExecutionPoint) => " (at the execution point)",
        Some(Side::AccessPoint) => " (at the access point)",
        None => "",
    }
}

/// With a capital, unless it begins with a name.
fn capital(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    if first.contains([':', '/', '.', '_', '"']) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests;
