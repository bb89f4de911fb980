//! Rules about what the settings of one file do together.
//!
//! A finding needs all that it speaks of: where a policy has macros, is too long, or rests on what
//! a job ad does not have here, nothing is said.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use classads::{Budget, ClassAd, EvalContext, Expr, Syntax, Value};

use super::again::{self, ran};
use super::names::{is_known, nearest};
use super::probe::{
    AGES, HELD_AT, MAX_PARTS, MAX_WORK, constants, context, held_often, held_once, is_attribute,
    job_with, with, with_all,
};
use super::rules::{
    ENDLESS_RETRY, MEMORY_BY_STARTS, MISSPELT, REMOVED_FIRST, RETRIES_UNUSED, UNRELEASED_SUBCODE,
};
use super::{LintFinding, MAX_TEXT, Role};
use crate::policy::forecast::Truth;
use crate::policy::{Assignment, NEVER_RELEASED, SettingsFile};

/// Codes of holds by a policy of the job, and by one of the access point.
const BY_JOB: i64 = 3;
const BY_ACCESS_POINT: i64 = 26;

/// Policies of one kind that are looked at together.
const MOST: usize = 100;

/// Codes and subcodes that a release is tried with, beside those that it names.
const CODES: [i64; 5] = [BY_JOB, 12, 13, BY_ACCESS_POINT, 34];
const SUBCODES: [i64; 4] = [0, 2, 102, 256];

/// Pairs of them that are tried.
const MOST_PAIRS: usize = 64;

/// Commands of a submit description, and attributes of the job ad, beside the policies.
const COMMANDS: [&str; 6] = [
    "periodic_hold_reason",
    "periodic_hold_subcode",
    "on_exit_hold_reason",
    "on_exit_hold_subcode",
    "max_retries",
    "retry_until",
];
const ATTRIBUTES: [&str; 4] =
    ["PeriodicHoldReason", "PeriodicHoldSubCode", "OnExitHoldReason", "OnExitHoldSubCode"];

/// Commands with which `condor_submit` bounds the runs of a job itself.
const BOUNDS: [&str; 3] = ["max_retries", "retry_until", "success_exit_code"];

/// Retries where a submit description asks for some and does not say how many
/// (DEFAULT_JOB_MAX_RETRIES).
const RETRIES: i64 = 2;

/// The greatest exit status of a program.
const MAX_STATUS: i64 = 255;

/// Where requests stand, and their attributes.
const REQUESTS: [(&str, &str); 2] =
    [("request_memory", "RequestMemory"), ("request_disk", "RequestDisk")];

/// Counts of starts that begin anew with every submission.
pub(super) const STARTS: [&str; 3] = ["NumJobStarts", "NumShadowStarts", "JobRunCount"];

/// Times and counts that add up over all runs of a job.
pub(super) const CUMULATIVE: [&str; 16] = [
    "BytesRecvd",
    "BytesSent",
    "RemoteWallClockTime",
    "CommittedTime",
    "CommittedSlotTime",
    "CumulativeSlotTime",
    "CumulativeSuspensionTime",
    "CumulativeTransferTime",
    "CumulativeRemoteUserCpu",
    "CumulativeRemoteSysCpu",
    "TotalSuspensions",
    "NumJobStarts",
    "NumJobCompletions",
    "NumCkpts",
    "NumRestarts",
    "NumSystemHolds",
];

/// A policy whose expression is known whole.
struct Whole<'f> {
    assignment: &'f Assignment,
    expr: Expr,
}

/// The policies of one kind.
#[derive(Default)]
struct Policies<'f> {
    whole: Vec<Whole<'f>>,
    /// There are others, of which not all is known.
    has_more: bool,
}

/// The policies of a file.
pub(super) struct Together<'f> {
    settings: &'f SettingsFile,
    releases: Policies<'f>,
    /// `periodic_hold` and its like.
    holds: Policies<'f>,
    on_exit_hold: Policies<'f>,
    on_exit_remove: Policies<'f>,
    removes: Policies<'f>,
    job: ClassAd,
    work: Budget,
}

/// What is wrong with the settings of a file together, each with the setting it is about.
pub fn together(settings: &SettingsFile) -> Vec<(&Assignment, LintFinding)> {
    let named = Named::of(settings);
    let found =
        |assignment: &Assignment| misspelt(&named, assignment).or_else(|| by_starts(assignment));
    let mut out: Vec<_> = settings
        .assignments()
        .iter()
        .filter_map(|assignment| Some((assignment, found(assignment)?)))
        .collect();
    let together = Together::of(settings);
    out.extend(together.subcodes());
    out.extend(together.removed_first());
    out.extend(together.held_again());
    out.extend(together.endless_retry());
    out.extend(together.retries_unused());
    // They lie in the order of the file.
    out.sort_by_key(|(assignment, _)| std::ptr::from_ref::<Assignment>(assignment));
    out
}

/// A finding about the whole value of a setting.
fn about(
    rule: &'static super::LintRule,
    assignment: &Assignment,
    message: String,
    corrected: Option<String>,
) -> LintFinding {
    LintFinding::new(rule, 0..assignment.value.text.len(), message, corrected)
}

/// The expression of a setting; `None` where it is none, has macros or is too long.
fn parsed(assignment: &Assignment) -> Option<Expr> {
    let text = assignment.value.text.as_str();
    if text.len() > MAX_TEXT || text.contains("$(") {
        return None;
    }
    let expr = Expr::parse_old(text).ok()?;
    let is_short = expr.nodes().nth(MAX_PARTS).is_none();
    is_short.then_some(expr)
}

/// What the file uses by name, in small letters.
struct Named {
    macros: HashSet<String>,
    attributes: HashSet<String>,
}

impl Named {
    fn of(settings: &SettingsFile) -> Self {
        let expressions = settings.assignments().iter().filter_map(parsed);
        let references = expressions.flat_map(|expr| expr.attribute_references());
        let attributes = references.map(|it| it.name.to_ascii_lowercase()).collect();
        Self { macros: settings.macros(), attributes }
    }
}

/// A name that is nearly that of a policy, and is used nowhere else in the file.
fn misspelt(named: &Named, assignment: &Assignment) -> Option<LintFinding> {
    let name = assignment.setting();
    let small = name.to_ascii_lowercase();
    let is_used = named.macros.contains(&small) || named.attributes.contains(&small);
    if Role::of(name).is_some() || is_known(name) || is_used {
        return None;
    }
    let of_roles = || Role::ALL.into_iter().flat_map(Role::names);
    let is_knob = |name: &str| name.starts_with("SYSTEM_");
    let is_attribute = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
    // Attributes are compared with attributes, commands with commands, knobs with knobs.
    let alike: Vec<&str> = if assignment.own_attribute().is_some() {
        of_roles().filter(|name| is_attribute(name) && !is_knob(name)).chain(ATTRIBUTES).collect()
    } else if small.starts_with("system_") {
        of_roles().filter(|name| is_knob(name)).collect()
    } else {
        of_roles().filter(|name| !is_attribute(name)).chain(COMMANDS).collect()
    };
    if alike.iter().any(|command| command.eq_ignore_ascii_case(name)) {
        return None;
    }
    let meant = nearest(name, alike.into_iter())?;
    let message = format!("HTCondor does not read {name}; did you mean {meant}?");
    Some(about(&MISSPELT, assignment, message, None))
}

/// A request of memory that grows with the starts of a job.
fn by_starts(assignment: &Assignment) -> Option<LintFinding> {
    let name = assignment.setting();
    let (command, attribute) = REQUESTS[0];
    if ![command, attribute].iter().any(|memory| memory.eq_ignore_ascii_case(name)) {
        return None;
    }
    let expr = parsed(assignment)?;
    let count =
        STARTS.into_iter().find(|count| expr.nodes().any(|node| is_attribute(node, count)))?;
    let message = format!(
        "{count} counts evictions too, and begins with 0 where DAGMan submits a node again \
         (RETRY): there $(RETRY) counts; retry_request_memory asks for more after a memory hold \
         alone"
    );
    Some(about(&MEMORY_BY_STARTS, assignment, message, None))
}

/// The names that `SYSTEM_PERIODIC_<KIND>_NAMES` switches on, in small letters; `None` where the
/// file does not say.
fn switched_on(settings: &SettingsFile, knob: &str) -> Option<BTreeSet<String>> {
    let names = settings.get(&format!("{knob}_NAMES"))?;
    if names.contains("$(") {
        return None;
    }
    let words = names.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    Some(words.map(str::to_ascii_lowercase).collect())
}

impl<'f> Together<'f> {
    /// A policy by itself, without a file.
    pub(super) fn without(settings: &'f SettingsFile, job: ClassAd) -> Self {
        Self { job, ..Self::of(settings) }
    }

    /// The job, with the attributes of the submit description.
    pub(super) const fn job(&self) -> &ClassAd {
        &self.job
    }

    fn of(settings: &'f SettingsFile) -> Self {
        // Of a command the last one counts.
        let mut of_role: [BTreeMap<String, &'f Assignment>; 5] = Default::default();
        let knobs = Role::ALL.map(|role| {
            let knob = role.kind().map_or("", super::super::Kind::system_knob);
            (knob.to_ascii_lowercase(), switched_on(settings, knob))
        });
        for assignment in settings.assignments() {
            let small = assignment.setting().to_ascii_lowercase();
            let Some(role) = Role::of(&small) else { continue };
            let at = match role {
                Role::Release => 0,
                Role::Hold => 1,
                Role::Remove => 2,
                Role::OnExit if small.ends_with("hold") => 3,
                Role::OnExit => 4,
                Role::Reason | Role::Subcode => continue,
            };
            // `on_exit_hold` and `OnExitHold` are one.
            let key: String =
                small.chars().filter(|c| *c != '_' || small.starts_with("system")).collect();
            let is_off = knobs.iter().any(|(knob, on)| {
                let name = key.strip_prefix(knob.as_str()).and_then(|rest| rest.strip_prefix('_'));
                !knob.is_empty()
                    && name.zip(on.as_ref()).is_some_and(|(name, on)| !on.contains(name))
            });
            if !is_off {
                of_role[at].insert(key, assignment);
            }
        }
        let [releases, holds, removes, on_exit_hold, on_exit_remove] = of_role.map(|assignments| {
            let mut policies =
                Policies { has_more: assignments.len() > MOST, ..Policies::default() };
            for assignment in assignments.into_values().take(MOST) {
                match parsed(assignment) {
                    Some(expr) => policies.whole.push(Whole { assignment, expr }),
                    None => policies.has_more = true,
                }
            }
            policies
        });
        let own = settings.assignments().iter().filter_map(|assignment| {
            Some((assignment.own_attribute()?.to_owned(), assignment.value.text.clone()))
        });
        let mut job = job_with(&own.take(MOST).collect::<Vec<_>>());
        for (command, attribute) in REQUESTS {
            let setting = settings.assignments().iter().rev().find(|setting| {
                [command, attribute].iter().any(|name| name.eq_ignore_ascii_case(setting.setting()))
            });
            // A size with its unit is no expression.
            if let Some(expr) = setting.and_then(parsed) {
                job.insert_raw(attribute, &expr.to_string(), Syntax::Old);
            }
        }
        let work = Budget::new(MAX_WORK);
        Self { settings, releases, holds, on_exit_hold, on_exit_remove, removes, job, work }
    }

    /// Whether it is true at a time; `None` where that is not known.
    pub(super) fn truth(&self, ad: &ClassAd, expr: &Expr, now: i64) -> Option<bool> {
        let context = EvalContext { budget: Some(self.work.clone()), ..context(now) };
        match ad.try_evaluate_expr(expr, &context)? {
            Value::Undefined | Value::Error => None,
            value => Some(Truth::of(&value) == Truth::True),
        }
    }

    /// As [`Together::truth`]; what is undefined is not true, `None` where the work is used up.
    fn is_true(&self, ad: &ClassAd, expr: &Expr, now: i64) -> Option<bool> {
        match self.truth(ad, expr, now) {
            None if self.work.left() == 0 => None,
            truth => Some(truth == Some(true)),
        }
    }

    /// The first of the ages at which a release policy is true of a job that was held at this time,
    /// and whether there is one; `None` where that is not known.
    pub(super) fn released(&self, ad: &ClassAd, at: i64) -> Option<Option<i64>> {
        for age in AGES {
            for release in &self.releases.whole {
                if self.is_true(ad, &release.expr, at + age)? {
                    return Some(Some(age));
                }
            }
        }
        Some(None)
    }

    /// The job on hold for the first time, with this code and subcode.
    fn held(&self, code: i64, subcode: i64) -> ClassAd {
        with(&held_once(&self.job), &[("HoldReasonCode", code), ("HoldReasonSubCode", subcode)])
    }

    /// The numbers that release policies compare an attribute with.
    fn asked(&self, name: &str) -> BTreeSet<i64> {
        let of = |release: &Whole<'_>| constants(std::slice::from_ref(&release.expr), name);
        self.releases.whole.iter().flat_map(of).collect()
    }

    /// Subcodes that hold policies give, and no release policy asks for.
    fn subcodes(&self) -> Vec<(&'f Assignment, LintFinding)> {
        if self.releases.has_more || self.releases.whole.is_empty() {
            return Vec::new();
        }
        // Subcodes that the file gives, by code.
        let mut given: BTreeMap<i64, Vec<(&'f Assignment, i64)>> = BTreeMap::new();
        for assignment in self.settings.assignments() {
            let name = assignment.setting().to_ascii_lowercase();
            let policy = name.strip_suffix("_subcode").or_else(|| name.strip_suffix("subcode"));
            let code = match policy.and_then(Role::of) {
                Some(Role::Hold) if name.starts_with("system_") => BY_ACCESS_POINT,
                Some(Role::Hold | Role::OnExit) => BY_JOB,
                _ => continue,
            };
            if let Ok(subcode) = assignment.value.text.trim().parse() {
                given.entry(code).or_default().push((assignment, subcode));
            }
        }
        let all_asked = self.asked("HoldReasonSubCode");
        let of_code = |(code, given): (i64, Vec<(&'f Assignment, i64)>)| {
            if given.len() > MOST {
                return None;
            }
            let mut asked = Vec::new();
            for subcode in &all_asked {
                if self.released(&self.held(code, *subcode), HELD_AT)?.is_some() {
                    asked.push(*subcode);
                }
            }
            let mut out = Vec::new();
            for (assignment, subcode) in &given {
                let is_released = self.released(&self.held(code, *subcode), HELD_AT)?.is_some();
                out.extend((!is_released).then_some((*assignment, *subcode)));
            }
            // Policies that one file tells apart by their subcodes are meant so.
            let is_meant = given.iter().any(|(_, subcode)| asked.contains(subcode));
            (!asked.is_empty() && !is_meant).then_some((code, asked, out))
        };
        let found = given.into_iter().filter_map(of_code);
        let mut out = Vec::new();
        for (code, asked, assignments) in found {
            let asked = asked.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            for (assignment, subcode) in assignments {
                let message = format!(
                    "holds of this policy have code {code} and subcode {subcode}; of code {code} \
                     the release policy asks for subcode {asked}"
                );
                out.push((assignment, about(&UNRELEASED_SUBCODE, assignment, message, None)));
            }
        }
        out
    }

    /// Codes and subcodes of a young job that release policies release, each with when.
    fn released_pairs(&self) -> Option<Vec<(ClassAd, i64)>> {
        let mut codes = self.asked("HoldReasonCode");
        let mut subcodes = self.asked("HoldReasonSubCode");
        codes.extend(CODES);
        subcodes.extend(SUBCODES);
        codes.retain(|code| !NEVER_RELEASED.contains(code));
        let pairs = codes.iter().flat_map(|code| subcodes.iter().map(move |sub| (*code, *sub)));
        let mut out = Vec::new();
        for (code, subcode) in pairs.take(MOST_PAIRS) {
            let ad = young(&self.held(code, subcode));
            if let Some(age) = self.released(&ad, HELD_AT)? {
                out.push((ad, age));
            }
        }
        Some(out)
    }

    /// Removals of held jobs that come before every release.
    fn removed_first(&self) -> Vec<(&'f Assignment, LintFinding)> {
        if self.releases.has_more || self.removes.whole.is_empty() {
            return Vec::new();
        }
        let released = self.released_pairs().unwrap_or_default();
        let found = |remove: &Whole<'f>| {
            let mut last = None;
            for (ad, released) in &released {
                // What removes the job while it runs is not about its hold.
                if self.is_true(&ran(ad.clone()), &remove.expr, HELD_AT)? {
                    return None;
                }
                let mut removed = None;
                for age in AGES.into_iter().filter(|age| age < released) {
                    if removed.is_none() && self.is_true(ad, &remove.expr, HELD_AT + age)? {
                        removed = Some(age);
                    }
                }
                last = last.max(Some(removed?));
            }
            let message = format!(
                "a held job is removed after {} s on hold at the latest, before the release \
                 policy releases it",
                last?
            );
            Some((remove.assignment, about(&REMOVED_FIRST, remove.assignment, message, None)))
        };
        self.removes.whole.iter().filter_map(found).collect()
    }

    /// Holds whose condition is still true when the job was released.
    fn held_again(&self) -> Vec<(&'f Assignment, LintFinding)> {
        let found = |hold: &Whole<'f>| {
            let name = hold.assignment.setting();
            let is_of_access_point = name.to_ascii_lowercase().starts_with("system_");
            let code = if is_of_access_point { BY_ACCESS_POINT } else { BY_JOB };
            let is_subcode = |setting: &&Assignment| {
                let ends = ["_subcode", "subcode"].map(|end| format!("{name}{end}"));
                ends.iter().any(|subcode| subcode.eq_ignore_ascii_case(setting.setting()))
            };
            let subcode = self.settings.assignments().iter().rev().find(is_subcode);
            let subcode =
                subcode.and_then(|setting| setting.value.text.trim().parse().ok()).unwrap_or(0);
            let text = &hold.assignment.value.text;
            let finding = again::finding(self, text, &hold.expr, (code, subcode))?;
            Some((hold.assignment, finding))
        };
        self.holds.whole.iter().filter_map(found).collect()
    }

    /// A program that fails is started again for ever.
    fn endless_retry(&self) -> Option<(&'f Assignment, LintFinding)> {
        let others = [&self.removes, &self.holds, &self.on_exit_hold];
        if others.iter().any(|policies| policies.has_more)
            || BOUNDS.iter().any(|bound| self.settings.get(bound).is_some())
        {
            return None;
        }
        let remove = self.on_exit_remove.whole.first()?;
        let exited = exited(&self.job, 1);
        if self.truth(&exited, &remove.expr, HELD_AT)?
            || self
                .on_exit_hold
                .whole
                .iter()
                .any(|hold| self.truth(&exited, &hold.expr, HELD_AT) != Some(false))
        {
            return None;
        }
        for status in [1, 2] {
            let job = with(&exited, &[("JobStatus", status)]);
            for policy in self.removes.whole.iter().chain(&self.holds.whole) {
                // What is not known may end it.
                if self.truth(&job, &policy.expr, HELD_AT) != Some(false) {
                    return None;
                }
            }
        }
        let text = remove.assignment.value.text.trim();
        let corrected = format!("({text}) || NumJobCompletions > 3");
        let is_better = Expr::parse_old(&corrected)
            .is_ok_and(|corrected| self.truth(&exited, &corrected, HELD_AT) == Some(true));
        let message = "a job whose program exits with status 1 stays in the queue and is started \
                       again, however often it failed; max_retries bounds that, or \
                       NumJobCompletions, which counts the exits"
            .to_owned();
        let corrected = is_better.then_some(corrected);
        Some((remove.assignment, about(&ENDLESS_RETRY, remove.assignment, message, corrected)))
    }

    /// Policies that act on every failure, so that `condor_submit`'s retries never come.
    fn retries_unused(&self) -> Vec<(&'f Assignment, LintFinding)> {
        let given = BOUNDS.map(|bound| self.settings.get(bound));
        let [retries, until, success] =
            given.map(|value| value.and_then(|text| text.trim().parse::<i64>().ok()));
        if given.iter().all(Option::is_none) || retries.is_some_and(|retries| retries < 1) {
            return Vec::new();
        }
        let retries = retries.unwrap_or(RETRIES);
        let until_expr = given[1].and_then(|text| Expr::parse_old(text).ok());
        let after = |runs: i64, status: i64| {
            let counted = with_all(&ran(held_once(&self.job)), &STARTS, runs);
            let job = with(&counted, &[("NumJobCompletions", runs), ("JobMaxRetries", retries)]);
            with_all(&job, &["ExitCode", "ExitStatus"], status)
        };
        let failed: Vec<ClassAd> = (0..=MAX_STATUS)
            .filter(|status| *status != success.unwrap_or(0) && Some(*status) != until)
            .map(|status| after(1, status))
            .filter(|job| {
                let ends = |until: &Expr| self.truth(job, until, HELD_AT) == Some(true);
                until.is_some() || !until_expr.as_ref().is_some_and(ends)
            })
            .collect();
        let acts = |expr: &Expr| {
            !failed.is_empty()
                && failed.iter().all(|job| self.truth(job, expr, HELD_AT) == Some(true))
        };
        let message = |what: &str| {
            format!(
                "it {what} the job at its first failure, whatever its exit status, before \
                 {} tries it again",
                BOUNDS.into_iter().find(|bound| self.settings.get(bound).is_some()).unwrap_or("it")
            )
        };
        let holds = self.on_exit_hold.whole.iter().filter(|hold| acts(&hold.expr)).map(|hold| {
            let text = hold.assignment.value.text.trim();
            let corrected = format!("NumJobCompletions > JobMaxRetries && ({text})");
            let is_better = Expr::parse_old(&corrected).is_ok_and(|new| {
                !acts(&new)
                    && self.truth(&after(retries + 1, MAX_STATUS), &new, HELD_AT) == Some(true)
            });
            let corrected = is_better.then_some(corrected);
            let (rule, policy) = (&RETRIES_UNUSED, hold.assignment);
            (policy, about(rule, policy, message("holds"), corrected))
        });
        let removes = self.on_exit_remove.whole.iter().filter(|remove| acts(&remove.expr));
        let removes = removes.map(|remove| {
            let policy = remove.assignment;
            (policy, about(&RETRIES_UNUSED, policy, message("removes"), None))
        });
        holds.chain(removes).collect()
    }
}

/// The job as one that was submitted a minute ago and used next to nothing.
fn young(ad: &ClassAd) -> ClassAd {
    let began = [
        "QDate",
        "JobStartDate",
        "JobLastStartDate",
        "JobCurrentStartDate",
        "JobCurrentStartExecutingDate",
        "ShadowBday",
    ];
    let used =
        ["RemoteWallClockTime", "RemoteUserCpu", "MemoryUsage", "DiskUsage", "ResidentSetSize"];
    with_all(&with_all(ad, &began, HELD_AT - 60), &used, 1)
}

/// The job whose program exited with this status, the millionth time.
fn exited(job: &ClassAd, status: i64) -> ClassAd {
    let ad = with_all(&ran(held_often(job, &[])), &CUMULATIVE, 1_000_000_000);
    let ad = with_all(&ad, &["RemoteUserCpu", "RemoteSysCpu"], 1_000_000_000);
    let mut ad = with_all(&ad, &["ExitCode", "ExitStatus"], status);
    ad.insert_value("ExitBySignal", false);
    ad
}
