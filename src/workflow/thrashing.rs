//! Jobs that start and leave their slots again and again.

use std::collections::BTreeMap;

use classads::{ClassAd, EvalContext, Value};
use schemars::JsonSchema;
use serde::Serialize;

use crate::advice::{LONGEST_CONSTRAINT, constraint_of_jobs};
use crate::hold_code::{self, HoldCode, VACATE_BASE};
use crate::job_status as status;
use crate::queue::LEAST_VACATES as LEAST;
use crate::text::shell_command;
use eventlog::JobId;

/// The attributes of a job that tell it.
pub const ATTRIBUTES: &[&str] = &[
    "NumVacates",
    "NumVacatesPreExecution",
    "NumVacatesByReason",
    "VacateReason",
    "VacateReasonCode",
    "VacateReasonSubCode",
    "LastVacateTime",
    "LastShadowException",
    "EnteredCurrentStatus",
    "ShadowBday",
    "LastJobStatus",
    "JobCurrentStartExecutingDate",
];

/// [`LEAST`] where a job left its slot neither for the code of a hold nor so often before its program
/// was started, as jobs on opportunistic slots do. Assumed.
const LEAST_OF_SLOT: i64 = 10;

/// Seconds after which a program that goes on has got over what its job left its slots for. Assumed.
const GOES_ON: i64 = 600;

/// Seconds since the last vacate after which a job has stopped to thrash: a day. Assumed.
const LATELY: i64 = 86_400;

/// An idle or running job that leaves its slots again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrasher {
    job: JobId,
    owner: Option<String>,
    vacates: i64,
    why: Why,
    /// It is the job's or a server's fault, not that of the slot.
    is_of_job: bool,
    reason: String,
    last: i64,
}

/// Why jobs left their slots, as far as the schedd says so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Why {
    /// VacateReasonCode and VacateReasonSubCode; `None` while the job runs again.
    code: Option<(i32, i32)>,
    /// The most frequent of NumVacatesByReason.
    name: Option<String>,
}

impl Thrasher {
    /// The ad of the job as if it were on hold for what it left its slot for, since it did so last.
    /// Without a code of a hold it is one that HTCondor gives no code (0).
    pub fn as_held(&self, ad: &ClassAd) -> ClassAd {
        let mut held = ad.clone();
        let hold = self.why.code.filter(|(code, _)| (1..VACATE_BASE).contains(code));
        let (code, subcode) = hold.unwrap_or((0, 0));
        held.insert_value("JobStatus", status::HELD);
        held.insert_value("HoldReasonCode", i64::from(code));
        held.insert_value("HoldReasonSubCode", i64::from(subcode));
        held.insert_value("HoldReason", self.reason.as_str());
        held.insert_value("EnteredCurrentStatus", self.last);
        held
    }

    /// The job.
    pub const fn job(&self) -> JobId {
        self.job
    }

    /// The job of this ad, if it thrashes at `now`, Unix seconds. HTCondor writes these attributes
    /// since 24.
    pub fn of(job: JobId, ad: &ClassAd, now: i64) -> Option<Self> {
        let is_queued = matches!(ad.integer("JobStatus"), Some(status::IDLE | status::RUNNING));
        let number = |name| ad.integer(name).and_then(|number| i32::try_from(number).ok());
        let vacates = ad.integer("NumVacates")?;
        // After a shadow exception LastVacateTime stays what it was (25.14).
        let times = ["LastVacateTime", "EnteredCurrentStatus", "ShadowBday"];
        let last = times.iter().filter_map(|name| ad.integer(name)).max()?;
        let subcode = number("VacateReasonSubCode").unwrap_or(0);
        let code = number("VacateReasonCode").map(|code| (code, subcode));
        let left = ad.integer("LastVacateTime").unwrap_or(0);
        let since = |name: &str| ad.integer(name).filter(|at| *at > left);
        let status = ad.integer("JobStatus");
        let began =
            since("JobCurrentStartExecutingDate").filter(|_| status == Some(status::RUNNING));
        let goes_on = began.is_some_and(|began| now.saturating_sub(began) >= GOES_ON);
        // Somebody held and released it since.
        let was_held = ad.integer("LastJobStatus") == Some(status::HELD)
            && since("EnteredCurrentStatus").is_some();
        if goes_on || was_held {
            return None;
        }
        let counts = counts(ad);
        let of_code = |code: i32| {
            let name = HoldCode::of(code)?.name;
            Some(counts.as_ref()?.integer(name).unwrap_or(0) >= LEAST)
        };
        let is_of_job = code.is_some_and(|(code, _)| {
            (1..VACATE_BASE).contains(&code) && of_code(code).unwrap_or(true)
        }) || ad.integer("NumVacatesPreExecution") >= Some(LEAST);
        let least = if is_of_job { LEAST } else { LEAST_OF_SLOT };
        let reason = ad.string("VacateReason").or_else(|| ad.string("LastShadowException"));
        (is_queued && vacates >= least && last >= now.saturating_sub(LATELY)).then(|| Self {
            job,
            owner: ad.string("Owner"),
            vacates,
            why: Why { code, name: most_frequent(ad) },
            is_of_job,
            reason: reason.unwrap_or_default(),
            last,
        })
    }
}

/// NumVacatesByReason.
fn counts(ad: &ClassAd) -> Option<ClassAd> {
    match ad.evaluate("NumVacatesByReason", &EvalContext::quick()) {
        Value::ClassAd(counts) => Some((*counts).clone()),
        _ => None,
    }
}

/// The name in NumVacatesByReason with the largest number. A name with a subcode's behind it has the
/// same number as that without: the shorter one is taken.
fn most_frequent(ad: &ClassAd) -> Option<String> {
    let counts = counts(ad)?;
    let named = counts.iter().filter_map(|(name, _)| Some((counts.integer(name)?, name)));
    let most = named.max_by_key(|&(count, name)| (count, std::cmp::Reverse(name.len())));
    most.map(|(_, name)| name.to_owned())
}

/// Idle or running jobs that left their slots for the same reason again and again.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Thrashing {
    /// The one that left last.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub job: JobId,
    /// It is the fault of the jobs or of a server, not that of a slot.
    pub is_of_job: bool,
    /// How many jobs they are.
    pub jobs: usize,
    /// How often they left their slots.
    pub vacates: i64,
    /// VacateReasonCode of the last time, where it is known.
    pub code: Option<i32>,
    /// What the schedd calls it: `13/256 TransferInputError`, `ShadowException`.
    pub name: String,
    /// VacateReason, or LastShadowException, of the job that left last.
    pub reason: String,
    /// When that was at the latest, Unix seconds.
    pub last: i64,
    /// Probability that the next run of that job gets through as it is, 0 to 1, where the model
    /// knows such holds.
    pub success: Option<f64>,
    /// What the advice on such a hold says.
    pub advice: Vec<String>,
    /// A constraint that is true for these jobs as long as they do so. `None` where it is too long
    /// to paste.
    pub constraint: Option<String>,
    /// Lines to paste into a POSIX shell: they correct what is wrong, or put on hold those that still
    /// do so. `None` for the reasons of a slot, which another slot may not have.
    pub command: Option<String>,
}

fn as_text<S: serde::Serializer>(job: &JobId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(job)
}

/// Jobs that thrash, by what they left for, the most vacates first.
pub fn thrashing(jobs: &[Thrasher]) -> Vec<Thrashing> {
    let mut of_why: BTreeMap<(bool, &Why, Option<&str>), Vec<&Thrasher>> = BTreeMap::new();
    for job in jobs {
        of_why.entry((job.is_of_job, &job.why, job.owner.as_deref())).or_default().push(job);
    }
    let mut found: Vec<Thrashing> = Vec::new();
    for ((is_of_job, why, _), jobs) in of_why {
        let Some(last) = jobs.iter().max_by_key(|job| (job.last, job.job)) else { continue };
        let mut constraint = format!(
            "{} && (JobStatus == 1 || JobStatus == 2) && NumVacates >= {LEAST}",
            constraint_of_jobs(jobs.iter().map(|job| job.job))
        );
        if let Some((code, subcode)) = why.code {
            let test =
                format!(" && VacateReasonCode == {code} && VacateReasonSubCode == {subcode}");
            constraint.push_str(&test);
        }
        let name = match (why.code, &why.name) {
            (Some((code, subcode)), _) if code < VACATE_BASE => {
                hold_code::coded(code, Some(subcode))
            }
            (_, Some(name)) => name.clone(),
            (Some((code, _)), None) => format!("code {code}"),
            (None, None) => "an unknown reason".to_owned(),
        };
        // Where nobody knows why, nobody is to stop them.
        let is_known = why.code.is_some() || why.name.is_some() || !last.reason.is_empty();
        let fits = is_of_job && is_known && constraint.len() <= LONGEST_CONSTRAINT;
        found.push(Thrashing {
            job: last.job,
            is_of_job,
            jobs: jobs.len(),
            vacates: jobs.iter().fold(0, |sum: i64, job| sum.saturating_add(job.vacates)),
            code: why.code.map(|code| code.0),
            name,
            reason: last.reason.clone(),
            last: last.last,
            success: None,
            advice: Vec::new(),
            command: fits
                .then(|| shell_command(["condor_hold", "-constraint", constraint.as_str()])),
            constraint: fits.then_some(constraint),
        });
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.vacates));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_795_000_000;

    fn thrasher(job: (i32, i32), vacates: i64, code: i32, ago: i64) -> Option<Thrasher> {
        let mut ad = ClassAd::new();
        ad.insert_value("JobStatus", 1);
        ad.insert_value("NumVacates", vacates);
        ad.insert_value("VacateReasonCode", i64::from(code));
        ad.insert_value("VacateReasonSubCode", 256);
        ad.insert_value("VacateReason", format!("reason of {}", job.1));
        ad.insert_value("LastVacateTime", NOW - ago);
        Thrasher::of(JobId::new(job.0, job.1), &ad, NOW)
    }

    #[test]
    fn jobs_that_leave_again_and_again_are_grouped_by_code() {
        let jobs = [
            thrasher((7, 0), 3, 13, 100),
            thrasher((7, 1), 5, 13, 20),
            thrasher((9, 0), 4, 13, 50),
            thrasher((9, 1), 30, 1014, 60),
        ];
        let jobs: Vec<Thrasher> = jobs.into_iter().map(Option::unwrap).collect();
        let found = thrashing(&jobs);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].code, found[0].jobs, &found[0].command), (Some(1014), 1, &None));
        assert_eq!(found[0].name, "code 1014");
        let input = &found[1];
        assert_eq!((input.jobs, input.vacates, input.last), (3, 12, NOW - 20));
        assert_eq!(input.reason, "reason of 1");
        assert_eq!(
            input.command.as_deref(),
            Some(
                "condor_hold -constraint '((ClusterId == 9 && ProcId == 0) || (ClusterId == 7 && ProcId >= 0 \
                 && ProcId <= 1)) && (JobStatus == 1 || JobStatus == 2) && NumVacates >= 3 && VacateReasonCode == 13 && VacateReasonSubCode == 256'"
            )
        );
    }

    #[test]
    fn a_shadow_that_gives_up_before_the_program_is_started() {
        let text = "[ JobStatus = 2; NumVacates = 5; NumVacatesPreExecution = 5; LastVacateTime = 1794999990; \
                    NumVacatesByReason = [ ShadowException = 5; ShadowExceptionOther = 5; Other = 1 ]; \
                    LastShadowException = \"called during active transfer!\" ]";
        let ad = ClassAd::parse(text).unwrap();
        let job = Thrasher::of(JobId::new(2, 0), &ad, NOW).unwrap();
        let [found] = thrashing(&[job]).try_into().unwrap();
        assert_eq!((found.code, found.name.as_str()), (None, "ShadowException"));
        assert_eq!(found.reason, "called during active transfer!");
        assert!(found.command.unwrap().contains("NumVacates >= 3'"));
    }

    #[test]
    fn a_job_that_got_over_it_does_not_thrash() {
        let of = |more: &str| {
            let text = format!(
                "[ JobStatus = 2; NumVacates = 5; VacateReasonCode = 13; VacateReasonSubCode = 256; \
                 LastVacateTime = {}; {more} ]",
                NOW - 5_000
            );
            Thrasher::of(JobId::new(2, 0), &ClassAd::parse(&text).unwrap(), NOW).is_some()
        };
        assert!(of(""));
        // Its program goes on, or somebody held and released it since.
        let began = |ago: i64| format!("JobCurrentStartExecutingDate = {}", NOW - ago);
        assert!(of(&began(100)) && !of(&began(4_000)) && of(&began(6_000)));
        let released =
            |ago: i64| format!("LastJobStatus = 5; EnteredCurrentStatus = {}", NOW - ago);
        assert!(!of(&released(4_000)) && of(&released(6_000)));
        // Most of its vacates had another reason.
        let reasons = |own: i64| {
            format!("NumVacatesByReason = [ TransferInputError = {own}; StartdPreempted = 9 ]")
        };
        assert!(of(&reasons(3)) && !of(&reasons(2)));
    }

    #[test]
    fn owners_are_kept_apart_and_no_reason_has_no_command() {
        let of = |proc: i32, owner: &str, more: &str| {
            let text = format!(
                "[ JobStatus = 1; NumVacates = 5; NumVacatesPreExecution = 5; Owner = \"{owner}\"; \
                 LastVacateTime = {}; {more} ]",
                NOW - 50
            );
            Thrasher::of(JobId::new(2, proc), &ClassAd::parse(&text).unwrap(), NOW).unwrap()
        };
        let reason = "VacateReasonCode = 13; VacateReasonSubCode = 2";
        let jobs = [of(0, "alice", reason), of(1, "bob", reason), of(2, "bob", "")];
        let found = thrashing(&jobs);
        assert_eq!(found.len(), 3);
        let commands: Vec<bool> = found.iter().map(|one| one.command.is_some()).collect();
        assert_eq!(commands.iter().filter(|has| **has).count(), 2);
        assert!(found.iter().any(|one| one.name == "an unknown reason" && one.command.is_none()));
    }

    #[test]
    fn few_vacates_and_old_ones_are_none() {
        assert_eq!(thrasher((7, 0), 2, 13, 100), None);
        assert_eq!(thrasher((7, 0), 9, 1014, 100), None);
        assert_eq!(thrasher((7, 0), 9, 13, 2 * LATELY), None);
        assert_eq!(Thrasher::of(JobId::new(1, 0), &ClassAd::new(), NOW), None);
    }
}
