//! Which attributes are written into which ads: as few transactions of the schedd as there can be.
//!
//! One call of `condor_qedit` sets the same values for many jobs. So jobs whose advice is the same
//! are one group, and what tells one hold from another (HoldAdviceNumHolds, HoldAdviceEntered) is
//! written last: only then do these values count.

use std::collections::{BTreeMap, HashMap};

use eventlog::JobId;
use holdadvise::advice::Recommendation;
use holdadvise::shares::{ItemSize, Shares};
use holdadvise::text::classad_quote;

use crate::line::{Judged, Shown, Stays};
use crate::releases::Decision;
use crate::select::among;

/// Jobs of one transaction at most.
pub const BATCH: usize = 500;

/// Hundredths from which on another probability is written. Assumed.
const NEWS: u8 = 5;

/// Passes that an advice outlives the one that wrote it.
const PASSES: i64 = 3;

/// One transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The jobs.
    pub jobs: Vec<JobId>,
    /// What must be true of each, so that it is still in the hold that was judged.
    pub hold: String,
    /// Attributes and expressions.
    pub values: Vec<(&'static str, String)>,
    /// It makes advice count which earlier ones wrote: jobs of which one failed are left out.
    pub is_last: bool,
}

impl Write {
    /// True for these of its jobs while they are in the hold that was judged.
    pub fn constraint(&self, jobs: &[JobId]) -> String {
        // What stands first is the advisor's choice: nothing of other jobs is looked at.
        format!("JobStatus == 5 && {} && {}", among(jobs.iter().copied()), self.hold)
    }
}

/// When a pass writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Now, Unix seconds.
    pub now: i64,
    /// Seconds from pass to pass.
    pub interval: i64,
}

impl Times {
    /// Until when an advice counts: some passes on, or when what is waited for ends. Rounded up, so
    /// that many jobs share it.
    pub fn expires(self, until: Option<i64>) -> i64 {
        let step = self.interval.max(1);
        let passes = self.now.saturating_add(PASSES * step);
        let rounded = passes.div_euclid(step).saturating_add(1).saturating_mul(step);
        match until.filter(|until| *until > self.now && *until < rounded) {
            // Whole minutes.
            Some(until) => until.saturating_add(59).div_euclid(60) * 60,
            None => rounded,
        }
    }

    /// The next pass might come too late to say again what is said.
    fn is_short(self, expires: i64) -> bool {
        expires < self.now.saturating_add(self.interval + self.interval / 2)
    }
}

/// What many jobs share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Values {
    /// Withdrawals first.
    releases: bool,
    stays: Option<Stays>,
    /// Its ad says why it stays.
    said_why: bool,
    advice: Recommendation,
    hundredths: Option<u8>,
    reason: String,
    expires: i64,
}

impl Values {
    fn of(job: &Judged, go: &Decision, times: Times) -> Self {
        Self {
            releases: go.may_go.contains(&job.job),
            stays: go.stay.get(&job.job).copied(),
            said_why: job.shown.as_ref().is_some_and(|shown| shown.stays.is_some()),
            advice: job.advice,
            hundredths: job.hundredths,
            reason: job.reason.clone(),
            expires: times.expires(job.until),
        }
    }

    fn pairs(&self, model: &str) -> Option<Vec<(&'static str, String)>> {
        let probability = match self.hundredths {
            Some(hundredths) => format!("{}.{:02}", hundredths / 100, hundredths % 100),
            None => "undefined".to_owned(),
        };
        let releases = if self.releases { "true" } else { "false" };
        let stays = self.stays.map(Stays::text);
        let why = match stays {
            Some(text) => Some(classad_quote(text)?),
            None => self.said_why.then(|| "undefined".to_owned()),
        };
        let mut pairs = vec![
            ("HoldAdvice", classad_quote(self.advice.name())?),
            ("HoldAdviceProbability", probability),
            ("HoldAdviceReason", classad_quote(&self.reason)?),
            ("HoldAdviceModel", classad_quote(model)?),
            ("HoldAdviceRelease", releases.to_owned()),
            ("HoldAdviceExpires", self.expires.to_string()),
        ];
        pairs.extend(why.map(|why| ("HoldAdviceReleaseReason", why)));
        Some(pairs)
    }
}

/// NumHolds and EnteredCurrentStatus.
type Hold = (i64, i64);

/// What has to be written.
pub fn writes(judged: &[Judged], go: &Decision, model: &str, times: Times) -> Vec<Write> {
    let mut renewed: BTreeMap<i64, Vec<&Judged>> = BTreeMap::new();
    let mut changed: BTreeMap<(bool, Values), Vec<&Judged>> = BTreeMap::new();
    for job in judged {
        let values = Values::of(job, go, times);
        let current = job.shown.as_ref().filter(|old| (old.num_holds, old.entered) == hold_of(job));
        match current {
            Some(old) if is_same(old, &values) => {
                if times.is_short(old.expires) || values.expires < old.expires {
                    renewed.entry(values.expires).or_default().push(job);
                }
            }
            current => changed.entry((current.is_none(), values)).or_default().push(job),
        }
    }
    let mut out = Vec::new();
    let mut identities: BTreeMap<Hold, Vec<&Judged>> = BTreeMap::new();
    for ((is_new, values), jobs) in changed {
        let Some(pairs) = values.pairs(model) else { continue };
        let first = hold_of(jobs[0]);
        if is_new && jobs.iter().all(|job| hold_of(job) == first) {
            let pairs = [pairs, identity(first)].concat();
            push(&mut out, jobs, &pairs, true);
            continue;
        }
        if is_new {
            for job in &jobs {
                identities.entry(hold_of(job)).or_default().push(job);
            }
        }
        push(&mut out, jobs, &pairs, false);
    }
    for (expires, jobs) in renewed {
        push(&mut out, jobs, &[("HoldAdviceExpires", expires.to_string())], false);
    }
    let owners: HashMap<JobId, &str> =
        judged.iter().map(|job| (job.job, job.owner.as_str())).collect();
    let mut out = in_turns(out, &owners);
    let mut last = Vec::new();
    // Many at once first: the time of a pass may end before the last ones.
    let mut identities: Vec<(Hold, Vec<&Judged>)> = identities.into_iter().collect();
    identities.sort_by_key(|(_, jobs)| std::cmp::Reverse(jobs.len()));
    for (hold, jobs) in identities {
        push(&mut last, jobs, &identity(hold), true);
    }
    out.extend(in_turns(last, &owners));
    out
}

impl ItemSize for Write {
    fn size(&self) -> u64 {
        0
    }
}

/// The owners take turns: one with many transactions of its own does not keep others waiting. Those
/// of several owners take turns too.
fn in_turns(writes: Vec<Write>, owners: &HashMap<JobId, &str>) -> Vec<Write> {
    let mut shares = Shares::new(usize::MAX, u64::MAX);
    for one in writes {
        let mut of = one.jobs.iter().filter_map(|job| owners.get(job));
        let first = of.next().copied().unwrap_or_default();
        let owner = if of.all(|owner| *owner == first) { first } else { "" };
        shares.push(owner, (), one);
    }
    shares.in_turns(1, |_| 1).0
}

fn hold_of(job: &Judged) -> Hold {
    (job.num_holds, job.entered)
}

fn identity((num_holds, entered): Hold) -> Vec<(&'static str, String)> {
    vec![("HoldAdviceNumHolds", num_holds.to_string()), ("HoldAdviceEntered", entered.to_string())]
}

/// What an ad says is close enough to what would be written: a probability that moves a little with
/// each pass is no news, and each write makes the log of the queue longer.
fn is_same(old: &Shown, new: &Values) -> bool {
    let is_near = match (old.hundredths, new.hundredths) {
        (Some(old), Some(new)) => old.abs_diff(new) < NEWS,
        (old, new) => old == new,
    };
    let of_old = (old.advice, old.releases, old.stays);
    is_near && old.same_text && of_old == (new.advice, new.releases, new.stays)
}

/// The jobs in batches, each of holds with one NumHolds.
fn push(
    out: &mut Vec<Write>,
    mut jobs: Vec<&Judged>,
    values: &[(&'static str, String)],
    is_last: bool,
) {
    jobs.sort_by_key(|job| (job.num_holds, job.job));
    for alike in jobs.chunk_by(|one, next| one.num_holds == next.num_holds) {
        for batch in alike.chunks(BATCH) {
            out.push(Write {
                jobs: batch.iter().map(|job| job.job).collect(),
                hold: hold(batch),
                values: values.to_vec(),
                is_last,
            });
        }
    }
}

/// True while the jobs are in the holds that were judged. A later hold has a larger NumHolds. Users
/// may edit both attributes, and the schedd does nothing else while it evaluates this: so their
/// text is compared (`unparse`).
fn hold(batch: &[&Judged]) -> String {
    let latest = batch.iter().map(|job| job.entered).max().unwrap_or(0);
    let is_one = batch.iter().all(|job| job.entered == latest);
    let sign = if is_one { "==" } else { "<=" };
    let num_holds = batch[0].num_holds;
    format!(
        "unparse(NumHolds) == \"{num_holds}\" && int(unparse(EnteredCurrentStatus)) {sign} {latest}"
    )
}

#[cfg(test)]
mod tests {
    use holdadvise::advice::TrySuccess;

    use super::*;

    const TIMES: Times = Times { now: 1_000_000, interval: 180 };

    fn job(proc: i32, entered: i64, reason: &str) -> Judged {
        Judged {
            job: JobId::new(7, proc),
            num_holds: 1,
            entered,
            code: 13,
            subcode: 0,
            advice: Recommendation::Wait,
            hundredths: Some(5),
            drawn_from: None,
            counts: TrySuccess::Begins,
            until: None,
            owner: "alice".to_owned(),
            cause: String::new(),
            diagnosis: None,
            choices: Vec::new(),
            shown: None,
            reason: reason.to_owned(),
        }
    }

    fn shown(job: &Judged, expires: i64) -> Judged {
        let shown = Shown {
            advice: job.advice,
            hundredths: job.hundredths,
            num_holds: job.num_holds,
            entered: job.entered,
            expires,
            releases: false,
            stays: None,
            same_text: true,
        };
        Judged { shown: Some(shown), ..job.clone() }
    }

    fn write(jobs: &[Judged]) -> Vec<Write> {
        writes(jobs, &Decision::default(), "m", TIMES)
    }

    fn names(write: &Write) -> Vec<&str> {
        write.values.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn holds_of_one_second_are_one_transaction() {
        let jobs: Vec<Judged> = (0..501).map(|proc| job(proc, 900, "r")).collect();
        let writes = write(&jobs);
        assert_eq!(writes.iter().map(|one| one.jobs.len()).collect::<Vec<_>>(), [500, 1]);
        assert_eq!(
            writes[0].hold,
            "unparse(NumHolds) == \"1\" && int(unparse(EnteredCurrentStatus)) == 900"
        );
        assert!(names(&writes[0]).contains(&"HoldAdviceEntered"));
    }

    #[test]
    fn an_owner_with_many_transactions_leaves_the_others_their_turns() {
        let mut jobs: Vec<Judged> =
            (0..90).map(|proc| job(proc, 900 + i64::from(proc), &format!("a{proc}"))).collect();
        let owner = |proc: i32| if proc == 90 { "bob" } else { "zoe" }.to_owned();
        jobs.extend((90..92).map(|proc| Judged { owner: owner(proc), ..job(proc, 900, "z") }));
        jobs.push(Judged { owner: "bob".to_owned(), ..job(99, 999, "y") });
        let writes = write(&jobs);
        let first = |is_last: bool, proc| {
            let mut some = writes.iter().filter(|one| one.is_last == is_last);
            some.position(|one| one.jobs.contains(&JobId::new(7, proc))).unwrap()
        };
        assert!(first(true, 99) < 4 && first(true, 90) < 4, "{writes:?}");
    }

    #[test]
    fn what_makes_advice_count_is_written_last() {
        let jobs: Vec<Judged> =
            (0..6).map(|proc| job(proc, 900 + i64::from(proc / 3), "r")).collect();
        let writes = write(&jobs);
        assert_eq!(writes.len(), 3);
        assert!(!names(&writes[0]).contains(&"HoldAdviceNumHolds") && !writes[0].is_last);
        assert!(writes[0].hold.ends_with("(EnteredCurrentStatus)) <= 901"));
        for one in &writes[1..] {
            assert_eq!(names(one), ["HoldAdviceNumHolds", "HoldAdviceEntered"]);
            assert!(one.is_last);
        }
        assert!(writes[2].hold.ends_with("(EnteredCurrentStatus)) == 901"));
    }

    #[test]
    fn only_what_changed_or_expires_soon_is_written() {
        let fresh = shown(&job(0, 900, "r"), TIMES.now + 600);
        assert_eq!(write(std::slice::from_ref(&fresh)), []);
        let old = shown(&job(0, 900, "r"), TIMES.now + 200);
        assert_eq!(names(&write(&[old])[0]), ["HoldAdviceExpires"]);
        let other = Judged { advice: Recommendation::Look, ..fresh.clone() };
        let writes_of_other = write(&[other]);
        assert_eq!(writes_of_other.len(), 1);
        assert!(!names(&writes_of_other[0]).contains(&"HoldAdviceNumHolds"));
        // Of an earlier hold.
        let again = Judged { num_holds: 2, entered: 950, ..fresh };
        assert!(names(&write(&[again])[0]).contains(&"HoldAdviceNumHolds"));
    }

    #[test]
    fn withdrawals_come_before_releases() {
        let one = shown(&job(0, 900, "r"), TIMES.now + 600);
        let mut withdrawn = one.clone();
        withdrawn.shown.as_mut().unwrap().releases = true;
        let released = Judged { job: JobId::new(7, 1), ..one };
        let go = Decision { may_go: [released.job].into(), ..Decision::default() };
        let writes = writes(&[released, withdrawn], &go, "m", TIMES);
        let flags: Vec<&str> = writes
            .iter()
            .flat_map(|one| &one.values)
            .filter(|(name, _)| *name == "HoldAdviceRelease")
            .map(|(_, value)| value.as_str())
            .collect();
        assert_eq!(flags, ["false", "true"]);
    }

    #[test]
    fn why_a_job_stays_is_written_once_and_taken_back() {
        let one = shown(&job(0, 900, "r"), TIMES.now + 600);
        let stay = Decision { stay: [(one.job, Stays::ToPeople)].into(), ..Decision::default() };
        let why = |judged: &Judged, go: &Decision| {
            let writes = writes(std::slice::from_ref(judged), go, "m", TIMES);
            let mut values = writes.into_iter().flat_map(|one| one.values);
            values.find(|(name, _)| *name == "HoldAdviceReleaseReason").map(|(_, value)| value)
        };
        assert!(why(&one, &stay).unwrap().contains("leaves this job to its owner"));
        let mut said = one.clone();
        said.shown.as_mut().unwrap().stays = Some(Stays::ToPeople);
        assert_eq!(why(&said, &stay), None);
        assert_eq!(why(&said, &Decision::default()).unwrap(), "undefined");
        assert_eq!(why(&one, &Decision::default()), None);
    }

    #[test]
    fn advice_expires_after_some_passes_or_with_what_is_waited_for() {
        let expires = TIMES.expires(None);
        assert!((3 * 180..=4 * 180).contains(&(expires - TIMES.now)), "{expires}");
        assert_eq!(expires % 180, 0);
        assert_eq!(TIMES.expires(Some(TIMES.now + 90)) % 60, 0);
        assert!((90..150).contains(&(TIMES.expires(Some(TIMES.now + 90)) - TIMES.now)));
        assert_eq!(TIMES.expires(Some(TIMES.now - 5)), expires);
        assert_eq!(TIMES.expires(Some(i64::MAX)), expires);
    }

    #[test]
    fn quotes_in_a_reason_stay_in_it() {
        let writes = write(&[job(0, 900, "a \"b\" || true")]);
        let reason = writes[0].values.iter().find(|(name, _)| *name == "HoldAdviceReason");
        assert_eq!(reason.map(|(_, value)| value.as_str()), Some("\"a \\\"b\\\" || true\""));
    }
}
