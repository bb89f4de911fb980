//! Which jobs are asked about, and the constraint that says so to the queue.

use classads::Expr;

use crate::hold_code::VACATE_BASE;
use crate::text::classad_quote;
use eventlog::JobId;

/// One word of the command line that names jobs. Source: `StrIsProcId` of HTCondor's `proc_id.cpp`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum JobSpec {
    /// `1234` or `1234.`: the held jobs of a cluster.
    Cluster(i32),
    /// `1234.0`: one job.
    Job(JobId),
    /// Any other word: the held jobs of an owner; with an `@` the whole user name.
    Owner(String),
}

impl JobSpec {
    /// Reads one word. Every word names something: what is no job id is an owner.
    pub fn parse(word: &str) -> Self {
        let (cluster, proc) = word.split_once('.').unwrap_or((word, ""));
        let Some(cluster) = digits(cluster) else { return Self::Owner(word.to_owned()) };
        if proc.is_empty() {
            return Self::Cluster(cluster);
        }
        let (unsigned, sign) = proc.strip_prefix('-').map_or((proc, 1), |rest| (rest, -1));
        match digits(unsigned) {
            Some(proc) => Self::Job(JobId::new(cluster, sign * proc)),
            None => Self::Owner(word.to_owned()),
        }
    }

    /// Reads a word that may be a list with commas, `21,22.3,alice`.
    pub fn list(word: &str) -> impl Iterator<Item = Self> {
        let is_list = word.contains(',') && word.split(',').all(|part| !part.trim().is_empty());
        let by_comma = word.split(',').map(str::trim).filter(move |_| is_list);
        by_comma.chain(std::iter::once(word).filter(move |_| !is_list)).map(Self::parse)
    }

    /// The ClassAd expression that is true for the jobs named, `and` the rest of it, but for a job
    /// named by its full id.
    fn expression(&self, and: &str) -> String {
        match self {
            Self::Cluster(cluster) => format!("(ClusterId == {cluster}{and})"),
            Self::Job(id) => format!("(ClusterId == {} && ProcId == {})", id.cluster, id.proc),
            Self::Owner(name) => {
                let attribute = if name.contains('@') { "User" } else { "Owner" };
                // A name that no literal can hold is nobody's.
                classad_quote(name).map_or_else(
                    || "false".to_owned(),
                    |name| format!("({attribute} == {name}{and})"),
                )
            }
        }
    }

    /// Whether a job with this id, Owner and User is meant, its state left aside.
    pub fn names(&self, id: JobId, owner: Option<&str>, user: Option<&str>) -> bool {
        let is = |value: Option<&str>, name: &str| {
            value.is_some_and(|value| value.eq_ignore_ascii_case(name))
        };
        match self {
            Self::Cluster(cluster) => id.cluster == *cluster,
            Self::Job(job) => id == *job,
            Self::Owner(name) if name.contains('@') => is(user, name),
            Self::Owner(name) => {
                is(owner, name) || is(user.and_then(|user| user.split('@').next()), name)
            }
        }
    }
}

impl std::fmt::Display for JobSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cluster(cluster) => write!(f, "{cluster}"),
            Self::Job(id) => id.fmt(f),
            Self::Owner(owner) => f.write_str(&crate::text::printable(owner)),
        }
    }
}

fn digits(text: &str) -> Option<i32> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// The jobs asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Job ids, clusters and owners; none: all held jobs that `all_users` leaves.
    pub jobs: Vec<JobSpec>,
    /// A ClassAd expression that must be true as well.
    pub constraint: Option<String>,
    /// Jobs of all users when `jobs` is empty, else the user's own.
    pub all_users: bool,
    /// Jobs in any state are looked for, not the held ones alone.
    pub any_state: bool,
    /// Idle and running jobs that start and leave their slots again and again are looked for too.
    pub thrashing: bool,
}

/// Held jobs.
const HELD: &str = "JobStatus == 5";

/// Vacates from which on a job may thrash. Assumed.
pub(crate) const LEAST_VACATES: i64 = 3;

/// Idle and running jobs that left their slots so often and the last time for the code of a hold,
/// or so often before their program was started; HTCondor counts vacates since 24.
fn may_thrash() -> String {
    format!(
        "NumVacates >= {LEAST_VACATES} && (JobStatus == 1 || JobStatus == 2) && \
         (VacateReasonCode < {VACATE_BASE} || NumVacatesPreExecution >= {LEAST_VACATES})"
    )
}

impl Selection {
    /// The constraint to send to the queue. A job named by its full id is found in any state, so
    /// that `not held` and `not in the queue` differ; everything else only when held, unless any
    /// state will do.
    pub fn expression(&self) -> String {
        let state = match (self.any_state, self.thrashing) {
            (true, _) => String::new(),
            (false, true) => format!("({HELD} || {})", may_thrash()),
            (false, false) => HELD.to_owned(),
        };
        self.and_constraint(self.named(&state))
    }

    /// What is true for jobs that may thrash, if those are looked for.
    pub(super) fn thrashing_test(&self) -> Option<Expr> {
        self.thrashing.then(|| Expr::parse(&may_thrash()).ok())?
    }

    /// The constraint for the jobs asked about in any state, and for these.
    pub(super) fn in_any_state(&self, more: &[JobId]) -> String {
        let all = self.and_constraint(self.named(""));
        let more = more.iter().map(|id| JobSpec::Job(*id).expression(""));
        std::iter::once(format!("({all})")).chain(more).collect::<Vec<_>>().join(" || ")
    }

    /// True for the jobs named in a state; empty: in any.
    fn named(&self, state: &str) -> String {
        if self.jobs.is_empty() {
            return if state.is_empty() { "true" } else { state }.to_owned();
        }
        let and = if state.is_empty() { String::new() } else { format!(" && {state}") };
        self.jobs.iter().map(|spec| spec.expression(&and)).collect::<Vec<_>>().join(" || ")
    }

    fn and_constraint(&self, named: String) -> String {
        match &self.constraint {
            Some(constraint) => format!("({constraint}) && ({named})"),
            None => named,
        }
    }

    /// True when other users' jobs are to be looked at: asked for, or named by id or owner.
    pub fn reaches_other_users(&self) -> bool {
        self.all_users || !self.jobs.is_empty()
    }

    /// True when jobs of owners are asked about that nobody named, or all of an owner's.
    pub(super) fn is_open(&self) -> bool {
        match self.jobs.as_slice() {
            [] => self.all_users,
            jobs => jobs.iter().any(|spec| matches!(spec, JobSpec::Owner(_))),
        }
    }

    /// Whether a job is one of those named, its state and the constraint left aside.
    pub fn names(&self, id: JobId, owner: Option<&str>, user: Option<&str>) -> bool {
        self.jobs.is_empty() || self.jobs.iter().any(|spec| spec.names(id, owner, user))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_read_as_condor_q_does() {
        assert_eq!(JobSpec::parse("1234"), JobSpec::Cluster(1234));
        assert_eq!(JobSpec::parse("1234."), JobSpec::Cluster(1234));
        let job = JobSpec::Job(JobId::new(22, 3));
        let alice = JobSpec::Owner("alice".to_owned());
        let list = |word| JobSpec::list(word).collect::<Vec<_>>();
        assert_eq!(list("21,22.3, alice"), [JobSpec::Cluster(21), job, alice]);
        assert_eq!(list("21,"), [JobSpec::Owner("21,".to_owned())]);
        assert_eq!(JobSpec::parse("1234.0"), JobSpec::Job(JobId::new(1234, 0)));
        assert_eq!(JobSpec::parse("1234.-1"), JobSpec::Job(JobId::new(1234, -1)));
        for owner in ["alice", "12ab", "1.2.3", "12.x", "99999999999999", "alice@cs.wisc.edu"] {
            assert_eq!(JobSpec::parse(owner), JobSpec::Owner(owner.to_owned()));
        }
    }

    #[test]
    fn constraints() {
        let mut selection = Selection::default();
        assert_eq!(selection.expression(), "JobStatus == 5");
        assert!(!selection.reaches_other_users());
        selection.jobs = vec![JobSpec::parse("7.1"), JobSpec::parse("8"), JobSpec::parse("a\"b")];
        selection.constraint = Some("JobPrio > 3 || true".to_owned());
        assert_eq!(
            selection.expression(),
            "(JobPrio > 3 || true) && ((ClusterId == 7 && ProcId == 1) || \
             (ClusterId == 8 && JobStatus == 5) || (Owner == \"a\\\"b\" && JobStatus == 5))"
        );
        assert_eq!(
            selection.in_any_state(&[JobId::new(9, 2)]),
            "((JobPrio > 3 || true) && ((ClusterId == 7 && ProcId == 1) || (ClusterId == 8) || \
             (Owner == \"a\\\"b\"))) || (ClusterId == 9 && ProcId == 2)"
        );
        assert_eq!(Selection::default().in_any_state(&[]), "(true)");
        assert!(selection.names(JobId::new(7, 1), None, None));
        assert!(!selection.names(JobId::new(7, 2), Some("alice"), None));
    }

    proptest! {
        #[test]
        fn any_word_is_read(word in any::<String>()) {
            JobSpec::parse(&word);
        }

        #[test]
        fn ids_read_back(cluster in 0..i32::MAX, proc in -9..9_999_999i32) {
            let id = JobId::new(cluster, proc);
            prop_assert_eq!(JobSpec::parse(&id.to_string()), JobSpec::Job(id));
        }
    }
}
