//! Held jobs of every code, subcode, age and count, and what an expression does with each of them.

use std::collections::BTreeSet;

use classads::{BinaryOperator, Budget, ClassAd, EvalContext, Expr, Node, NodeKind, Syntax, Value};

use crate::hold_code::HoldCode;
use crate::policy::clauses::{followed, is_comparison};
use crate::policy::forecast::Truth;
use crate::policy::{MAX_BYTES, NEVER_RELEASED};

/// When the jobs went on hold, Unix seconds.
pub(super) const HELD_AT: i64 = 1_760_000_000;

/// Seconds on hold at which is looked.
pub(super) const AGES: [i64; 8] = [1, 59, 61, 301, 601, 3_601, 86_401, 30 * 86_400];

/// Codes of HTCondor 25.
pub(super) const CODES: i64 = HoldCode::COUNT as i64;

/// Subcodes that are frequent: errnos, statuses of transfer plug-ins, resources.
pub(super) const SUBCODES: [i64; 9] = [0, 1, 2, 13, 28, 62, 102, 104, 256];

/// Parts of an expression, attributes of the job followed, that is evaluated on all these jobs.
pub(super) const MAX_PARTS: usize = 500;

/// Steps of one evaluation.
const MAX_STEPS: u32 = 2_000;

/// Steps of all evaluations for one answer.
pub(super) const MAX_WORK: u64 = 4_000_000;

/// A request of memory or disk that has grown for ever.
const GROWN: i64 = 1_000_000_000_000;

/// Constants of an expression taken up at most.
pub(super) const MAX_CONSTANTS: usize = 32;

/// A job of the vanilla universe that ran an hour and was then held.
const JOB: &str = "[
    ClusterId = 1234; ProcId = 0; GlobalJobId = \"ap.example.org#1234.0#1759990000\"; Owner = \"user\"; User = \"user@example.org\";
    JobUniverse = 5; JobStatus = 5; LastJobStatus = 2; JobPrio = 0; Cmd = \"/home/user/job\"; Iwd = \"/home/user\";
    QDate = 1759990000; JobStartDate = 1759996000; JobLastStartDate = 1759996000; JobCurrentStartDate = 1759996000;
    JobCurrentStartExecutingDate = 1759996100; ShadowBday = 1759996000; EnteredCurrentStatus = 1760000000;
    RequestCpus = 1; RequestMemory = 1024; RequestDisk = 1048576; MemoryUsage = 800; DiskUsage = 500000; ImageSize = 900000;
    ResidentSetSize = 800000; RemoteWallClockTime = 4000.0; RemoteUserCpu = 3500.0; RemoteSysCpu = 20.0; CumulativeSuspensionTime = 0;
    CommittedTime = 0; CompletionDate = 0; NumJobCompletions = 0; NumCkpts = 0; NumRestarts = 0; NumSystemHolds = 0; ExitStatus = 0;
    ExitBySignal = false; TotalSuspensions = 0; LeaveJobInQueue = false; HoldReason = \"Error from slot1@ep.example.org\" ]";

/// Counts that grow with holds and runs.
pub(super) const COUNTS: [&str; 10] = [
    "NumHolds",
    "NumShadowStarts",
    "JobRunCount",
    "NumJobMatches",
    "NumShadowExceptions",
    "NumInputTransferStarts",
    "NumOutputTransferStarts",
    "NumVacates",
    "NumVacatesPreExecution",
    "NumJobReconnects",
];

/// How often the job was held and run.
#[derive(Clone, Copy, PartialEq)]
enum Counts {
    /// Once.
    Once,
    /// A million times, for ten years.
    Often,
    /// As often, but its program was never started: each time the transfer of its input failed.
    OftenWithoutStart,
}

/// What an expression was seen to do.
#[derive(Debug, Default)]
pub(super) struct Sight {
    /// Codes and subcodes that it releases at some age, of a job that was held once.
    pub(super) released: BTreeSet<(i64, i64)>,
    /// The codes of those of a job that was held very often.
    pub(super) for_ever: BTreeSet<i64>,
    /// The same where the program never started.
    pub(super) without_start: BTreeSet<i64>,
    /// Seconds on hold of the youngest that was released.
    pub(super) youngest: Option<i64>,
}

impl Sight {
    /// Looks at an expression; `own` are attributes of the job with the text of their values,
    /// `grows` says whether its requests of memory and disk may grow with each run.
    pub(super) fn of(expr: &Expr, own: &[(String, String)], grows: bool) -> Self {
        let job = job_with(own);
        let all = followed(&job, expr);
        if all.iter().flat_map(Expr::nodes).nth(MAX_PARTS).is_some() {
            return Self::default();
        }
        let codes: BTreeSet<i64> = (0..CODES).chain(constants(&all, "HoldReasonCode")).collect();
        let subcodes: BTreeSet<i64> =
            SUBCODES.into_iter().chain(constants(&all, "HoldReasonSubCode")).collect();
        let labels = labels(&all);
        let mut sight = Self::default();
        let budget = Budget::new(MAX_WORK);
        for counts in [Counts::Once, Counts::Often, Counts::OftenWithoutStart] {
            let mut ad = held(&job, counts, &labels);
            if grows && counts != Counts::Once {
                ad = with_all(&ad, &["RequestMemory", "RequestDisk"], GROWN);
            }
            for &code in &codes {
                ad.insert_value("HoldReasonCode", code);
                for &subcode in &subcodes {
                    ad.insert_value("HoldReasonSubCode", subcode);
                    for age in AGES {
                        match is_true(&ad, expr, age, &budget) {
                            None => return Self::default(),
                            Some(false) => {}
                            Some(true) => {
                                sight.add(counts, code, subcode, age);
                                break;
                            }
                        }
                    }
                }
            }
        }
        sight
    }

    fn add(&mut self, counts: Counts, code: i64, subcode: i64, age: i64) {
        match counts {
            Counts::Once => {
                self.released.insert((code, subcode));
                if !NEVER_RELEASED.contains(&code) {
                    self.youngest = Some(self.youngest.map_or(age, |youngest| youngest.min(age)));
                }
            }
            Counts::Often => {
                self.for_ever.insert(code);
            }
            Counts::OftenWithoutStart => {
                self.without_start.insert(code);
            }
        }
    }

    /// The codes that are released for ever, in order.
    pub(super) fn endless(&self) -> Vec<i64> {
        self.for_ever.iter().copied().filter(|code| !NEVER_RELEASED.contains(code)).collect()
    }

    /// Whether holds with this code are released, with some subcode.
    pub(super) fn releases(&self, code: i64) -> bool {
        self.released.range((code, i64::MIN)..=(code, i64::MAX)).next().is_some()
    }

    /// Whether every code of HTCondor that policies may release is, with more than one subcode.
    pub(super) fn releases_all(&self) -> bool {
        let subcodes = |code: i64| self.released.range((code, i64::MIN)..=(code, i64::MAX)).count();
        (0..CODES).filter(|code| !NEVER_RELEASED.contains(code)).all(|code| subcodes(code) > 1)
    }
}

fn job() -> ClassAd {
    ClassAd::parse(JOB).unwrap_or_default()
}

/// The job with attributes of its own and the text of their values.
pub(super) fn job_with(own: &[(String, String)]) -> ClassAd {
    let mut job = job();
    for (name, text) in own {
        // What HTCondor keeps count of, nobody sets.
        if !job.contains(name) && !COUNTS.iter().any(|count| count.eq_ignore_ascii_case(name)) {
            job.insert_raw(name, text, Syntax::Old);
        }
    }
    job
}

/// The job with one value in all these attributes.
pub(super) fn with_all(job: &ClassAd, names: &[&str], value: i64) -> ClassAd {
    let mut job = job.clone();
    for name in names {
        job.insert_value(name, value);
    }
    job
}

/// The job with these values.
pub(super) fn with(job: &ClassAd, values: &[(&str, i64)]) -> ClassAd {
    let mut job = job.clone();
    for (name, value) in values {
        job.insert_value(name, *value);
    }
    job
}

/// The job on hold for the first time.
pub(super) fn held_once(job: &ClassAd) -> ClassAd {
    held(job, Counts::Once, &[])
}

/// A held job while it runs: without what there is of its hold.
pub(super) fn running(mut held: ClassAd) -> ClassAd {
    held.retain(|name| !name.to_ascii_lowercase().starts_with("holdreason"));
    with(&held, &[("JobStatus", 2), ("LastJobStatus", 1)])
}

/// The job after a hold, in a slot again; its program is not started yet.
pub(super) fn running_again(own: &[(String, String)]) -> ClassAd {
    let began = ["EnteredCurrentStatus", "JobCurrentStartDate", "JobLastStartDate", "ShadowBday"];
    with_all(&running(held_once(&job_with(own))), &began, HELD_AT)
}

/// The job after a million holds and runs of ten years; what it counts by reason, expressions say.
pub(super) fn held_often(job: &ClassAd, followed: &[Expr]) -> ClassAd {
    held(job, Counts::Often, &labels(followed))
}

/// The job while it waits for its first run.
pub(super) fn waiting(job: &ClassAd) -> ClassAd {
    const OF_RUNS: [&str; 10] = [
        "JobStartDate",
        "JobLastStartDate",
        "JobCurrentStartDate",
        "JobCurrentStartExecutingDate",
        "ShadowBday",
        "MemoryUsage",
        "ResidentSetSize",
        "RemoteUserCpu",
        "RemoteSysCpu",
        "HoldReason",
    ];
    let mut job = with_all(job, &COUNTS, 0);
    job.retain(|name| !OF_RUNS.iter().any(|run| run.eq_ignore_ascii_case(name)));
    with(&job, &[("JobStatus", 1), ("LastJobStatus", 0), ("NumJobStarts", 0)])
}

fn held(job: &ClassAd, counts: Counts, labels: &[String]) -> ClassAd {
    let often = counts != Counts::Once;
    let number = if often { 1_000_000 } else { 1 };
    let mut ad = with_all(job, &COUNTS, number);
    let starts = if counts == Counts::OftenWithoutStart { 0 } else { number };
    ad.insert_value("NumJobStarts", starts);
    let mut by_reason = ClassAd::new();
    for label in labels {
        by_reason.insert_value(label, number);
    }
    ad.insert("NumHoldsByReason", Expr::literal(Value::ClassAd(by_reason.into())));
    if often {
        ad = with_all(&ad, &["QDate", "JobStartDate"], HELD_AT - 10 * 365 * 86_400);
    }
    ad
}

/// How policies are evaluated at a time.
pub(super) fn context(now: i64) -> EvalContext<'static> {
    EvalContext { max_steps: MAX_STEPS, max_bytes: MAX_BYTES, ..EvalContext::at(now) }
}

/// Whether it is true so many seconds after the hold; `None` where that takes too many steps.
pub(super) fn is_true(ad: &ClassAd, expr: &Expr, age: i64, budget: &Budget) -> Option<bool> {
    let context = EvalContext { budget: Some(budget.clone()), ..context(HELD_AT + age) };
    Some(Truth::of(&ad.try_evaluate_expr(expr, &context)?) == Truth::True)
}

/// A job on hold for a day, of a usual code, for looking at the parts of an expression.
pub(super) fn example(code: i64) -> (ClassAd, EvalContext<'static>) {
    let held = with(&held_once(&job()), &[("HoldReasonCode", code)]);
    // Integers, where they are there: what is compared with them shows by its type.
    let integers = [
        "HoldReasonSubCode",
        "ExitCode",
        "ExitSignal",
        "LastHoldReasonCode",
        "LastHoldReasonSubCode",
    ];
    (with_all(&held, &integers, 0), context(HELD_AT + 86_400))
}

/// The integers that an attribute is compared with.
pub(super) fn constants(followed: &[Expr], name: &str) -> Vec<i64> {
    let mut out = Vec::new();
    for node in followed.iter().flat_map(Expr::nodes) {
        match node.kind() {
            NodeKind::Binary(operator, left, right) if is_comparison(operator) => {
                for (one, other) in [(left, right), (right, left)] {
                    if is_attribute(one, name) {
                        out.extend(integers(other));
                    }
                }
            }
            // Lists and strings of numbers that it is looked for in.
            NodeKind::Call { arguments, .. } => {
                let about_it =
                    |node: &Node<'_>| node.to_expr().nodes().any(|node| is_attribute(node, name));
                if arguments.iter().any(about_it) {
                    out.extend(arguments.into_iter().flat_map(integers));
                }
            }
            _ => {}
        }
        if out.len() > MAX_CONSTANTS {
            break;
        }
    }
    out.truncate(MAX_CONSTANTS);
    out
}

pub(super) fn is_attribute(node: Node<'_>, wanted: &str) -> bool {
    match node.kind() {
        NodeKind::Attribute { name, .. } => name.eq_ignore_ascii_case(wanted),
        NodeKind::Parentheses(inside) => is_attribute(inside, wanted),
        _ => false,
    }
}

fn integers(node: Node<'_>) -> Vec<i64> {
    let mut out = Vec::new();
    for node in node.to_expr().nodes() {
        match node.kind() {
            NodeKind::Literal(Value::Integer(number)) => out.push(*number),
            NodeKind::Literal(Value::String(text)) => {
                out.extend(text.split([',', ' ']).filter_map(|item| item.parse::<i64>().ok()));
            }
            _ => {}
        }
    }
    out
}

/// The names behind `NumHoldsByReason.`
fn labels(followed: &[Expr]) -> Vec<String> {
    let label = |node: Node<'_>| match node.kind() {
        NodeKind::Attribute { scope: Some(before), name, .. }
            if is_attribute(before, "NumHoldsByReason") =>
        {
            Some(name.to_owned())
        }
        NodeKind::Binary(BinaryOperator::Subscript, before, index)
            if is_attribute(before, "NumHoldsByReason") =>
        {
            match index.kind() {
                NodeKind::Literal(Value::String(name)) => Some(name.to_string()),
                _ => None,
            }
        }
        _ => None,
    };
    followed.iter().flat_map(Expr::nodes).filter_map(label).take(MAX_CONSTANTS).collect()
}
