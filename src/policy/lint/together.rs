//! Rules about what the settings of one file do together.

use std::collections::HashSet;

use classads::{Budget, ClassAd, EvalContext, Expr, Value};

use super::names::nearest;
use super::probe::{
    AGES, HELD_AT, MAX_PARTS, MAX_WORK, Sight, constants, held_often, held_once, is_attribute,
    is_true, job_with,
};
use super::rules::{
    ENDLESS_RETRY, HELD_AGAIN, MEMORY_BY_STARTS, MISSPELT, REMOVED_FIRST, UNRELEASED_SUBCODE,
};
use super::{Finding, Role};
use crate::policy::{Assignment, SettingsFile};

/// Codes of holds by a policy of the job, and by one of the access point.
const BY_JOB: i64 = 3;
const BY_ACCESS_POINT: i64 = 26;

/// Commands beside the policies whose names are misspelt too.
const BESIDE: [&str; 6] = [
    "periodic_hold_reason",
    "periodic_hold_subcode",
    "on_exit_hold_reason",
    "on_exit_hold_subcode",
    "max_retries",
    "retry_until",
];

/// Commands with which `condor_submit` bounds the runs of a job itself.
const BOUNDS: [&str; 3] = ["max_retries", "retry_until", "success_exit_code"];

/// Where a request of memory stands.
const MEMORY: [&str; 2] = ["request_memory", "RequestMemory"];

/// Counts of starts that begin anew with every submission.
const STARTS: [&str; 3] = ["NumJobStarts", "NumShadowStarts", "JobRunCount"];

/// A policy of the file that is whole: no expression with macros, or of too many parts.
struct Whole<'f> {
    assignment: &'f Assignment,
    expr: Expr,
}

/// The policies of a file.
struct Together<'f> {
    settings: &'f SettingsFile,
    releases: Vec<Whole<'f>>,
    /// `periodic_hold` and its like.
    holds: Vec<Whole<'f>>,
    on_exit_hold: Option<Whole<'f>>,
    on_exit_remove: Option<Whole<'f>>,
    removes: Vec<Whole<'f>>,
    job: ClassAd,
    work: Budget,
}

/// What is wrong with the settings of a file together, each with the setting it is about.
pub fn together(settings: &SettingsFile) -> Vec<(&Assignment, Finding)> {
    let macros = settings.macros();
    let mut out: Vec<_> = settings
        .assignments()
        .iter()
        .filter_map(|assignment| {
            let found = misspelt(&macros, assignment).or_else(|| by_starts(assignment))?;
            Some((assignment, found))
        })
        .collect();
    let together = Together::of(settings);
    out.extend(together.subcodes());
    out.extend(together.removed_first());
    out.extend(together.held_again());
    out.extend(together.endless_retry());
    // They lie in the order of the file.
    out.sort_by_key(|(assignment, _)| std::ptr::from_ref::<Assignment>(assignment));
    out
}

/// A finding about the whole value of a setting.
fn about(
    rule: &'static super::Rule,
    assignment: &Assignment,
    message: String,
    corrected: Option<String>,
) -> Finding {
    Finding::new(rule, 0..assignment.value.text.len(), message, corrected)
}

/// A name that is nearly that of a policy, and is used nowhere as a macro.
fn misspelt(macros: &HashSet<String>, assignment: &Assignment) -> Option<Finding> {
    let name = assignment.setting();
    let commands = || Role::ALL.into_iter().flat_map(Role::names).chain(BESIDE);
    let is_one = commands().any(|command| command.eq_ignore_ascii_case(name));
    if is_one || Role::of(name).is_some() || macros.contains(&name.to_ascii_lowercase()) {
        return None;
    }
    let meant = nearest(name, commands())?;
    let message = format!("HTCondor does not read {name}; did you mean {meant}?");
    Some(about(&MISSPELT, assignment, message, None))
}

/// A request of memory that grows with the starts of a job.
fn by_starts(assignment: &Assignment) -> Option<Finding> {
    let name = assignment.setting();
    MEMORY.iter().find(|memory| memory.eq_ignore_ascii_case(name))?;
    let expr = Expr::parse_old(&assignment.value.text).ok()?;
    let counts = STARTS
        .into_iter()
        .find(|count| expr.nodes().take(MAX_PARTS).any(|node| is_attribute(node, count)))?;
    let message = format!(
        "{counts} counts evictions too, and begins with 0 where DAGMan submits a node again (RETRY): \
         there $(RETRY) counts; retry_request_memory asks for more after a memory hold alone"
    );
    Some(about(&MEMORY_BY_STARTS, assignment, message, None))
}

impl<'f> Together<'f> {
    fn of(settings: &'f SettingsFile) -> Self {
        let (mut releases, mut holds, mut removes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut on_exit_hold, mut on_exit_remove) = (None, None);
        for assignment in settings.assignments() {
            let Some(role) = Role::of(assignment.setting()) else { continue };
            let whole = whole(assignment);
            // Of a command the last one counts.
            let is_again = |other: &Whole<'_>| {
                other.assignment.setting().eq_ignore_ascii_case(assignment.setting())
            };
            let policies = match role {
                Role::Release => &mut releases,
                Role::Hold => &mut holds,
                Role::Remove => &mut removes,
                Role::OnExit => {
                    let is_hold = assignment.setting().to_ascii_lowercase().ends_with("hold");
                    *(if is_hold { &mut on_exit_hold } else { &mut on_exit_remove }) = whole;
                    continue;
                }
            };
            policies.retain(|other| !is_again(other));
            policies.extend(whole);
        }
        let work = Budget::new(MAX_WORK);
        let job = job_with(&[]);
        Self { settings, releases, holds, on_exit_hold, on_exit_remove, removes, job, work }
    }

    fn is_true(&self, ad: &ClassAd, expr: &Expr, age: i64) -> bool {
        is_true(ad, expr, age, &self.work) == Some(true)
    }

    /// The first of the ages at which one of these policies is true.
    fn first_age(&self, ad: &ClassAd, policies: &[Whole<'_>]) -> Option<i64> {
        let is = |age: i64| policies.iter().any(|policy| self.is_true(ad, &policy.expr, age));
        AGES.into_iter().find(|age| is(*age))
    }

    /// The job on hold for the first time, with this code and subcode.
    fn held(&self, code: i64, subcode: i64) -> ClassAd {
        let mut ad = held_once(&self.job);
        ad.insert_value("HoldReasonCode", code);
        ad.insert_value("HoldReasonSubCode", subcode);
        ad
    }

    /// Subcodes that hold policies give, and no release policy asks for.
    fn subcodes(&self) -> Vec<(&'f Assignment, Finding)> {
        let found = |assignment: &'f Assignment| {
            let name = assignment.setting().to_ascii_lowercase();
            let policy = name.strip_suffix("_subcode").or_else(|| name.strip_suffix("subcode"))?;
            let code = match Role::of(policy)? {
                Role::Hold if policy.starts_with("system_") => BY_ACCESS_POINT,
                Role::Hold | Role::OnExit => BY_JOB,
                Role::Release | Role::Remove => return None,
            };
            let subcode: i64 = assignment.value.text.trim().parse().ok()?;
            let asked: Vec<i64> = self
                .releases
                .iter()
                .flat_map(|release| {
                    constants(std::slice::from_ref(&release.expr), "HoldReasonSubCode")
                })
                .filter(|asked| self.first_age(&self.held(code, *asked), &self.releases).is_some())
                .collect();
            let is_released = self.first_age(&self.held(code, subcode), &self.releases).is_some();
            if asked.is_empty() || is_released {
                return None;
            }
            let asked = asked.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let message = format!(
                "holds of this policy have code {code} and subcode {subcode}; of code {code} the release policy asks for subcode {asked}"
            );
            Some((assignment, about(&UNRELEASED_SUBCODE, assignment, message, None)))
        };
        self.settings.assignments().iter().filter_map(found).collect()
    }

    /// Removals of held jobs that come before every release.
    fn removed_first(&self) -> Vec<(&'f Assignment, Finding)> {
        let mut released: Vec<(i64, i64)> = self
            .releases
            .iter()
            .flat_map(|release| Sight::of(&release.expr, &[], true).released)
            .filter(|(code, _)| !crate::policy::NEVER_RELEASED.contains(code))
            .collect();
        released.sort_unstable();
        released.dedup();
        if released.is_empty() {
            return Vec::new();
        }
        let found = |remove: &Whole<'f>| {
            let mut last = None;
            for (code, subcode) in &released {
                let ad = self.held(*code, *subcode);
                let released = self.first_age(&ad, &self.releases)?;
                let removed = AGES.into_iter().find(|age| self.is_true(&ad, &remove.expr, *age))?;
                if removed >= released {
                    return None;
                }
                last = last.max(Some(removed));
            }
            let message = format!(
                "a held job is removed after {} s on hold at the latest, before the release policy releases it",
                last?
            );
            Some((remove.assignment, about(&REMOVED_FIRST, remove.assignment, message, None)))
        };
        self.removes.iter().filter_map(found).collect()
    }

    /// Holds whose condition is still true when the job was released and waits for its next run.
    fn held_again(&self) -> Vec<(&'f Assignment, Finding)> {
        let found = |hold: &Whole<'f>| {
            let code = if hold.assignment.setting().to_ascii_lowercase().starts_with("system_") {
                BY_ACCESS_POINT
            } else {
                BY_JOB
            };
            let subcode = self.settings.get(&format!("{}_subcode", hold.assignment.name));
            let subcode = subcode.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
            let is_again = |ran: ClassAd, expr: &Expr| {
                let mut held = ran.clone();
                for (name, value) in
                    [("JobStatus", 5), ("HoldReasonCode", code), ("HoldReasonSubCode", subcode)]
                {
                    held.insert_value(name, value);
                }
                held.insert_value("EnteredCurrentStatus", HELD_AT);
                let released = self.first_age(&held, &self.releases)?;
                let mut idle = ran.clone();
                idle.insert_value("JobStatus", 1);
                idle.insert_value("LastJobStatus", 5);
                idle.insert_value("EnteredCurrentStatus", HELD_AT + released);
                Some(self.is_true(&ran, expr, 0) && self.is_true(&idle, expr, released + 1))
            };
            let runs = || runs(&self.job).into_iter();
            runs().find(|ran| is_again(ran.clone(), &hold.expr) == Some(true))?;
            let text = hold.assignment.value.text.trim();
            let corrected = format!("JobStatus == 2 && ({text})");
            let is_better = Expr::parse_old(&corrected)
                .is_ok_and(|corrected| !runs().any(|ran| is_again(ran, &corrected) == Some(true)));
            let message = "it is still true of the job that was released and waits for its next run, as what the last run used stays in \
                           the job ad: it is held again at the next evaluation"
                .to_owned();
            let corrected = is_better.then_some(corrected);
            Some((hold.assignment, about(&HELD_AGAIN, hold.assignment, message, corrected)))
        };
        self.holds.iter().filter_map(found).collect()
    }

    /// A program that fails is started again for ever.
    fn endless_retry(&self) -> Option<(&'f Assignment, Finding)> {
        let remove = self.on_exit_remove.as_ref()?;
        if BOUNDS.iter().any(|bound| self.settings.get(bound).is_some()) {
            return None;
        }
        let context = EvalContext { budget: Some(self.work.clone()), ..EvalContext::at(HELD_AT) };
        let stays = |expr: &Expr| {
            let value = exited(&self.job, 1).try_evaluate_expr(expr, &context);
            matches!(value, Some(Value::Boolean(false) | Value::Integer(0)))
        };
        let mut idle = exited(&self.job, 1);
        idle.insert_value("JobStatus", 1);
        let ends = |policy: &Whole<'_>| self.is_true(&idle, &policy.expr, 0);
        let is_held = self
            .on_exit_hold
            .as_ref()
            .is_some_and(|hold| self.is_true(&exited(&self.job, 1), &hold.expr, 0));
        if !stays(&remove.expr) || is_held || self.removes.iter().chain(&self.holds).any(ends) {
            return None;
        }
        let text = remove.assignment.value.text.trim();
        let corrected = format!("({text}) || NumJobCompletions > 3");
        let is_better = Expr::parse_old(&corrected).is_ok_and(|corrected| !stays(&corrected));
        let message =
            "a job whose program exits with status 1 stays in the queue and is started again, however often it failed; max_retries bounds that, \
             or NumJobCompletions, which counts the exits"
                .to_owned();
        let corrected = is_better.then_some(corrected);
        Some((remove.assignment, about(&ENDLESS_RETRY, remove.assignment, message, corrected)))
    }
}

/// The expression of a setting that has no macros left and is not too long to be looked at.
fn whole(assignment: &Assignment) -> Option<Whole<'_>> {
    let text = &assignment.value.text;
    let expr = Expr::parse_old(text).ok().filter(|_| !text.contains("$("))?;
    let is_short = expr.nodes().nth(MAX_PARTS).is_none();
    is_short.then_some(Whole { assignment, expr })
}

/// Jobs at the end of a run that went on for long or used much, each in its own way.
fn runs(job: &ClassAd) -> Vec<ClassAd> {
    let mut running = held_once(job);
    running.retain(|name| !name.to_ascii_lowercase().starts_with("holdreason"));
    running.insert_value("JobStatus", 2);
    running.insert_value("LastJobStatus", 1);
    let long_ago = HELD_AT - 30 * 86_400;
    let with = |values: &[(&str, i64)]| {
        let mut ad = running.clone();
        for (name, value) in values {
            ad.insert_value(name, *value);
        }
        ad
    };
    vec![
        with(&[("MemoryUsage", 1 << 30), ("ResidentSetSize", 1 << 40), ("ImageSize", 1 << 40)]),
        with(&[("DiskUsage", 1 << 40)]),
        with(&[
            ("JobCurrentStartDate", long_ago),
            ("JobCurrentStartExecutingDate", long_ago),
            ("ShadowBday", long_ago),
            ("EnteredCurrentStatus", long_ago),
            ("RemoteWallClockTime", 30 * 86_400),
            ("RemoteUserCpu", 30 * 86_400),
        ]),
        with(&[
            ("NumJobStarts", 1_000_000),
            ("NumShadowStarts", 1_000_000),
            ("JobRunCount", 1_000_000),
        ]),
    ]
}

/// The job whose program exited with this status, the millionth time.
fn exited(job: &ClassAd, status: i64) -> ClassAd {
    let mut ad = held_often(job);
    ad.retain(|name| !name.to_ascii_lowercase().starts_with("holdreason"));
    for (name, value) in [
        ("JobStatus", 2),
        ("ExitCode", status),
        ("ExitStatus", status),
        ("NumJobStarts", 1_000_000),
        ("NumJobCompletions", 1_000_000),
    ] {
        ad.insert_value(name, value);
    }
    ad.insert_value("ExitBySignal", false);
    ad
}
