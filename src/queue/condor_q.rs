//! Held jobs, epoch ads and counts out of a condor_schedd, through `condor_q` and `condor_history`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use classads::ClassAd;

use super::ads_file::read_ads;
use super::job::{Found, QueueJob, Sorter, job_id};
use super::projection::{LONGEST_NAME, is_policy};
use super::tool::{run_tool, stream_tool};
use super::{AdItem, AdProjection, AdText, JobSpec, QueueError, Selection};
use crate::history::TRANSFER_CLASSES;
use crate::text::{classad_quote, plural};
use eventlog::JobId;

/// Up to this many jobs named one by one, whole ads are asked for: what their policies refer to is
/// then there.
const WHOLE_ADS: usize = 20;

/// Jobs or clusters named to `condor_history` at most.
const EPOCH_JOBS: usize = 50;

/// Owners named to it at most.
const EPOCH_OWNERS: usize = 5;

/// Bytes of the ads of an answer: a hundred thousand jobs with all their attributes.
const ANSWER: u64 = 1 << 30;

/// Ads of an answer: ten times as many jobs as a busy access point has in its queue.
const ADS: usize = 1_000_000;

/// Epoch ads read at most: a second of work, and about half of what HTCondor keeps by default (3
/// files of 20 MB).
const EPOCH_ADS: usize = 5_000;

/// Held jobs whose codes are numbers or not there, by their text: what users wrote is not evaluated.
const HELD_WITH_NUMBERS: &str = "JobStatus == 5 && regexp(\"^-?[0-9]*$\", unparse(HoldReasonCode)) && \
                                 regexp(\"^-?[0-9]*$\", unparse(HoldReasonSubCode))";

/// The condor_schedd to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedd {
    /// `-name`.
    pub name: Option<String>,
    /// `-pool`.
    pub pool: Option<String>,
    /// How long each answer may take.
    pub timeout: Duration,
}

impl Schedd {
    pub(super) fn arguments(&self) -> Vec<&str> {
        let mut out = Vec::new();
        if let Some(pool) = &self.pool {
            out.extend(["-pool", pool]);
        }
        if let Some(name) = &self.name {
            out.extend(["-name", name]);
        }
        out
    }

    /// Asks for the jobs selected, once for all of them; a second time only for attributes that the
    /// jobs' own policies refer to.
    ///
    /// # Errors
    /// [`QueueError`] when `condor_q` cannot be run, fails or takes too long.
    pub fn held_jobs(
        &self,
        selection: &Selection,
        limit: Option<usize>,
        projection: &AdProjection,
    ) -> Result<Found, QueueError> {
        let only_ids = selection.jobs.iter().all(|spec| matches!(spec, JobSpec::Job(_)));
        let few = only_ids && (1..=WHOLE_ADS).contains(&selection.jobs.len());
        // The schedd follows what listed attributes refer to, which in others' ads may have no end.
        let whole = few || projection.is_whole() || selection.is_open();
        let list = (!whole).then(|| projection.list());
        let limit_text =
            limit.filter(|_| !selection.jobs.iter().any(|s| matches!(s, JobSpec::Job(_))));
        // The limit is of held jobs.
        let limit_text = limit_text.filter(|_| !selection.any_state && !selection.thrashing);
        let mut sorter = Sorter::new(selection, limit, "the queue");
        self.ads(selection, list.as_deref(), limit_text, projection, |item| match item {
            AdItem::Ad(ad) => sorter.take(&ad),
            AdItem::Fault(fault) => sorter.fault(&fault),
        })?;
        let mut found = sorter.finish();
        if !whole {
            self.complete_policies(selection, limit_text, projection, &mut found);
        }
        Ok(found)
    }

    /// Asks for what the policies of the jobs found refer to and was not asked for yet.
    fn complete_policies(
        &self,
        selection: &Selection,
        limit: Option<usize>,
        projection: &AdProjection,
        found: &mut Found,
    ) {
        let (names, needs) = missing_references(&mut found.held, projection);
        let lacking = found.held.iter().filter(|job| job.lacks_references).count();
        if lacking > 0 {
            found.faults.push(format!(
                "policies of {}: they name too many attributes to ask for, or such as no job can have; they are not \
                 evaluated",
                plural(lacking, "job")
            ));
        }
        if names.is_empty() {
            return;
        }
        let list = format!("ClusterId,ProcId,{}", Vec::from_iter(names.iter().cloned()).join(","));
        let wanted = AdProjection::new(&Vec::from_iter(names.iter().map(String::as_str)), None);
        let mut more: HashMap<JobId, ClassAd> = HashMap::new();
        let asked = self.ads(selection, Some(&list), limit, &wanted, |item| {
            if let AdItem::Ad(ad) = item
                && let Some(id) = job_id(&ad)
            {
                more.insert(id, ad);
            }
        });
        if let Err(error) = asked {
            found.faults.push(format!(
                "{} that policies of jobs name: {error}; these policies are not evaluated",
                plural(names.len(), "attribute")
            ));
            for (job, needs) in found.held.iter_mut().zip(needs) {
                job.lacks_references |= needs;
            }
            return;
        }
        for job in &mut found.held {
            if let Some(ad) = more.get(&job.id) {
                job.ad.complete(ad);
            }
        }
    }

    fn ads(
        &self,
        selection: &Selection,
        list: Option<&str>,
        limit: Option<usize>,
        projection: &AdProjection,
        mut take: impl FnMut(AdItem),
    ) -> Result<(), QueueError> {
        let constraint = selection.expression();
        let limit = limit.map(|limit| limit.to_string());
        let mut arguments = self.arguments();
        if selection.reaches_other_users() {
            arguments.push("-allusers");
        }
        arguments.push("-long");
        if let Some(list) = list {
            arguments.extend(["-attributes", list]);
        }
        if let Some(limit) = &limit {
            arguments.extend(["-limit", limit]);
        }
        arguments.extend(["-constraint", &constraint]);
        let mut ads = 0;
        let read = stream_tool("condor_q", &arguments, self.timeout, ANSWER, |output| {
            read_ads(output, Path::new("output of condor_q"), projection, |item| {
                ads += usize::from(matches!(item, AdItem::Ad(_)));
                if ads <= ADS {
                    take(item);
                }
                ControlFlow::Continue(())
            })
        });
        if ads > ADS {
            take(AdItem::Fault(format!("condor_q wrote {ads} ads; all but {ADS} were left out")));
        }
        match read {
            // What came before is whole.
            Err(error @ QueueError::TooLong { .. }) if ads > 0 => {
                take(AdItem::Fault(error.to_string()));
                Ok(())
            }
            read => read,
        }
    }

    /// The ads of earlier runs of jobs and of what else ran of their owners lately, through one
    /// `condor_history -epochs`, newest first, and with `transfers` those of their transfers. Where
    /// there are too many jobs, the first are asked about. The second part says what was left out.
    ///
    /// # Errors
    /// [`QueueError`] when `condor_history` cannot be run, fails or takes too long.
    pub fn epochs(
        &self,
        jobs: &[JobId],
        others: &RecentRuns,
        projection: &AdProjection,
        transfers: bool,
    ) -> Result<(Vec<AdText>, Vec<String>), QueueError> {
        if !transfers {
            return self.epochs_of(jobs, others, projection, None);
        }
        let lists = TRANSFER_CLASSES.map(|(_, _, list)| list);
        let classes = TRANSFER_CLASSES.map(|(_, class, _)| class).join(",");
        let with_lists = projection.with(&lists);
        match self.epochs_of(jobs, others, &with_lists, Some(&format!("EPOCH,{classes}"))) {
            // A schedd elsewhere may be older than condor_history here: it has ads of runs alone.
            Err(QueueError::Failed { .. }) => self.epochs_of(jobs, others, projection, None),
            answer => answer,
        }
    }

    /// The ads of these classes; without any those of runs.
    fn epochs_of(
        &self,
        jobs: &[JobId],
        others: &RecentRuns,
        projection: &AdProjection,
        classes: Option<&str>,
    ) -> Result<(Vec<AdText>, Vec<String>), QueueError> {
        let ids = epoch_specs(jobs);
        if ids.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut left_out = Vec::new();
        if ids.len() > EPOCH_JOBS {
            left_out.push(format!("epoch ads of all but {EPOCH_JOBS} clusters"));
        }
        let named = ids.into_iter().take(EPOCH_JOBS);
        let constraint: Vec<String> = named.chain(others.expression()).collect();
        let constraint = constraint.join(" || ");
        let list = projection.list();
        // A run with transfers by plug-ins has an ad for input beside its own.
        let most = if classes.is_some() { 2 * EPOCH_ADS } else { EPOCH_ADS };
        let limit = most.to_string();
        let mut arguments = self.arguments();
        arguments.extend(["-epochs", "-long", "-attributes", &list]);
        if let Some(classes) = classes {
            // Since 23.8 (`src/condor_tools/history.cpp`).
            arguments.extend(["-type", classes]);
        }
        // Newest first: behind this there is nothing of these jobs. HTCondor 23 writes no such date
        // and reads on.
        let enough = format!("EpochWriteDate < {}", others.submitted.min(others.since));
        arguments.extend(["-limit", &limit, "-since", &enough, "-constraint", &constraint]);
        let mut ads = Vec::new();
        let read = self.history(&arguments, projection, most, &mut ads);
        match read {
            Err(error @ QueueError::TooLong { .. }) if !ads.is_empty() => {
                left_out.push(error.to_string());
            }
            read => read?,
        }
        if ads.len() >= most {
            left_out.push(format!("epoch ads but for the newest {most}"));
        }
        Ok((ads, left_out))
    }

    /// Adds ads that `condor_history` prints, until there are `most`.
    fn history(
        &self,
        arguments: &[&str],
        projection: &AdProjection,
        most: usize,
        ads: &mut Vec<AdText>,
    ) -> Result<(), QueueError> {
        stream_tool("condor_history", arguments, self.timeout, ANSWER, |output| {
            read_ads(output, Path::new("output of condor_history"), projection, |item| {
                if let AdItem::Ad(ad) = item
                    && ads.len() < most
                {
                    ads.push(AdText::of(&ad));
                }
                ControlFlow::Continue(())
            })
        })
    }

    /// The ads of jobs selected that left the queue, at most `limit`, newest first; and why there may
    /// be more: `condor_history` cannot be run, failed or took too long.
    pub fn finished(
        &self,
        selection: &Selection,
        projection: &AdProjection,
        limit: usize,
    ) -> (Vec<AdText>, Option<QueueError>) {
        self.finished_where(&selection.in_any_state(&[]), projection, limit, None)
    }

    /// Likewise, of the last `looked_at` jobs those for which an expression is true.
    pub fn finished_where(
        &self,
        constraint: &str,
        projection: &AdProjection,
        limit: usize,
        looked_at: Option<usize>,
    ) -> (Vec<AdText>, Option<QueueError>) {
        let (list, most) = (projection.list(), limit.to_string());
        let looked_at = looked_at.map(|jobs| jobs.to_string());
        let mut arguments = self.arguments();
        arguments.extend(["-long", "-attributes", &list, "-limit", &most]);
        if let Some(jobs) = &looked_at {
            arguments.extend(["-scanlimit", jobs]);
        }
        arguments.extend(["-constraint", constraint]);
        let mut ads = Vec::new();
        let read = self.history(&arguments, projection, limit, &mut ads);
        (ads, read.err())
    }

    /// Whether any of the jobs asked about, in whatever state, or of these is in the queue.
    ///
    /// # Errors
    /// [`QueueError`] when `condor_q` cannot be run, fails or takes too long.
    pub fn has_any(&self, selection: &Selection, more: &[JobId]) -> Result<bool, QueueError> {
        let constraint = selection.in_any_state(more);
        let mut arguments = self.arguments();
        if selection.reaches_other_users() {
            arguments.push("-allusers");
        }
        arguments.extend(["-limit", "1", "-constraint", &constraint, "-af", "ClusterId"]);
        Ok(!run_tool("condor_q", &arguments, self.timeout)?.trim().is_empty())
    }

    /// How many jobs are held in the whole queue for which code and subcode. Nothing else of other
    /// users' jobs is asked for.
    ///
    /// # Errors
    /// [`QueueError`] when `condor_q` cannot be run, fails or takes too long.
    pub fn hold_counts(&self) -> Result<BTreeMap<(i32, i32), u64>, QueueError> {
        let mut arguments = self.arguments();
        arguments.extend([
            "-allusers",
            "-constraint",
            HELD_WITH_NUMBERS,
            "-af",
            "HoldReasonCode",
            "HoldReasonSubCode",
        ]);
        Ok(count(&run_tool("condor_q", &arguments, self.timeout)?))
    }
}

/// Counts lines `code subcode`; what is undefined counts as 0.
fn count(text: &str) -> BTreeMap<(i32, i32), u64> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let mut number = || words.next().map(|word| word.parse().unwrap_or(0));
        if let Some((code, subcode)) = number().zip(number()) {
            *counts.entry((code, subcode)).or_default() += 1;
        }
    }
    counts
}

/// Expressions that are true for the jobs one by one, or for their clusters when they are many.
fn epoch_specs(jobs: &[JobId]) -> Vec<String> {
    if jobs.len() <= EPOCH_JOBS {
        let of_job = |id: &JobId| format!("(ClusterId == {} && ProcId == {})", id.cluster, id.proc);
        return jobs.iter().map(of_job).collect();
    }
    let mut seen = BTreeSet::new();
    let clusters = jobs.iter().map(|job| job.cluster).filter(|&cluster| seen.insert(cluster));
    clusters.map(|cluster| format!("ClusterId == {cluster}")).collect()
}

/// Other runs of the owners of held jobs: they tell which file servers a job log's jobs read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentRuns {
    /// Owners.
    pub owners: BTreeSet<String>,
    /// Runs that ended before this, Unix seconds, are left out.
    pub since: i64,
    /// When the first of the held jobs was submitted, Unix seconds: no run of theirs is older.
    pub submitted: i64,
}

impl RecentRuns {
    /// `None` without owners, and with so many that it would be the whole history.
    fn expression(&self) -> Option<String> {
        let owners: Vec<String> = self
            .owners
            .iter()
            .filter_map(|owner| Some(format!("Owner == {}", classad_quote(owner)?)))
            .collect();
        // HTCondor 23 writes no EpochWriteDate.
        let ended = "ifThenElse(isUndefined(EpochWriteDate), EnteredCurrentStatus, EpochWriteDate)";
        (1..=EPOCH_OWNERS)
            .contains(&owners.len())
            .then(|| format!("(({}) && {ended} >= {})", owners.join(" || "), self.since))
    }
}

/// Bytes of names that are asked for besides, of all owners together: the kernel takes no longer
/// argument than 128 KiB (execve(2), MAX_ARG_STRLEN).
const NAMES: usize = 64 << 10;

/// What policies of the jobs refer to and the projection leaves out, and for each job whether its
/// policies do so. Every owner has the same share of what can be asked for; jobs whose policies
/// name more are marked.
fn missing_references(
    jobs: &mut [QueueJob],
    projection: &AdProjection,
) -> (BTreeSet<String>, Vec<bool>) {
    // Jobs of a cluster share their policies: each text is parsed once.
    let mut of_text: HashMap<String, Vec<String>> = HashMap::new();
    let mut of_owner: HashMap<String, BTreeSet<String>> = HashMap::new();
    let needed: Vec<(String, Vec<String>)> = jobs
        .iter()
        .map(|job| {
            let owner = job.owner.clone().unwrap_or_default();
            let mut names = Vec::new();
            for (name, expression, syntax) in job.ad.attributes().filter(|one| is_policy(one.0)) {
                let key = format!("{name}={expression}");
                let of_policy = of_text.entry(key).or_insert_with(|| {
                    let mut policy = ClassAd::new();
                    policy.insert_raw(name, expression, syntax);
                    projection.references_of_policies(&policy)
                });
                names.extend(of_policy.iter().cloned());
            }
            of_owner.entry(owner.clone()).or_default();
            (owner, names)
        })
        .collect();
    let share = NAMES / of_owner.len().max(1);
    let mut bytes: HashMap<&str, usize> = HashMap::new();
    for (job, (owner, names)) in jobs.iter_mut().zip(&needed) {
        let asked = of_owner.entry(owner.clone()).or_default();
        let used = bytes.entry(owner).or_default();
        let new: BTreeSet<&String> = names.iter().filter(|name| !asked.contains(*name)).collect();
        let more: usize = new.iter().map(|name| name.len() + 1).sum();
        if !names.iter().all(|name| can_be_asked_for(name)) || *used + more > share {
            job.lacks_references = true;
            continue;
        }
        *used += more;
        asked.extend(new.into_iter().cloned());
    }
    let needs = needed.iter().map(|(_, names)| !names.is_empty()).collect();
    (of_owner.into_values().flatten().collect(), needs)
}

/// Whether `-attributes` takes the name for one name: its list is separated by commas and blanks.
fn can_be_asked_for(name: &str) -> bool {
    name.len() < LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_codes() {
        let counts = count("13 256\n13 256\n34 102\nundefined undefined\n\n1\n");
        assert_eq!(counts, BTreeMap::from([((0, 0), 1), ((13, 256), 2), ((34, 102), 1)]));
    }

    #[test]
    fn many_jobs_are_asked_for_by_cluster() {
        let jobs: Vec<JobId> = (0..60).map(|proc| JobId::new(7 + proc % 2, proc)).collect();
        assert_eq!(epoch_specs(&jobs), ["ClusterId == 7", "ClusterId == 8"]);
        assert_eq!(epoch_specs(&jobs[..1]), ["(ClusterId == 7 && ProcId == 0)"]);
    }

    #[test]
    fn runs_of_an_owner_are_asked_for_by_their_end() {
        let mut runs =
            RecentRuns { owners: BTreeSet::from(["alice".to_owned()]), since: 5, submitted: 0 };
        let expression = runs.expression().unwrap();
        let ran = |text: &str| {
            let ad = classads::read_ads(text.as_bytes()).next().unwrap().unwrap();
            let expression = classads::Expr::parse_old(&expression).unwrap();
            ad.evaluate_expr(&expression, &classads::EvalContext::default()).as_boolean()
        };
        assert_eq!(ran("Owner = \"alice\"\nEpochWriteDate = 6\n"), Some(true));
        assert_eq!(ran("Owner = \"alice\"\nEpochWriteDate = 4\n"), Some(false));
        assert_eq!(ran("Owner = \"alice\"\nEnteredCurrentStatus = 6\n"), Some(true));
        assert_eq!(ran("Owner = \"bob\"\nEpochWriteDate = 6\n"), Some(false));
        runs.owners.extend((0..EPOCH_OWNERS).map(|n| format!("user{n}")));
        assert_eq!(runs.expression(), None);
    }

    #[test]
    fn policies_name_attributes() {
        let text = "ClusterId = 1\nProcId = 0\nPeriodicRelease = MyTries < 3 && NumHolds < 2 && time() > 5 && true\n";
        let ad = classads::read_ads(text.as_bytes()).next().unwrap().unwrap();
        let id = JobId::new(1, 0);
        let mut jobs = [QueueJob::of(id, &ad, AdText::of(&ad))];
        let (missing, needs) =
            missing_references(&mut jobs, &AdProjection::new(&["NumHolds"], None));
        assert_eq!((Vec::from_iter(missing), needs), (vec!["MyTries".to_owned()], vec![true]));
    }

    #[test]
    fn one_owner_leaves_the_others_their_share_of_names() {
        let job = |cluster: i32, owner: &str, policy: &str| {
            let text = format!(
                "ClusterId = {cluster}\nProcId = 0\nOwner = \"{owner}\"\nPeriodicRelease = {policy}\n"
            );
            let ad = classads::read_ads(text.as_bytes()).next().unwrap().unwrap();
            let id = JobId::new(cluster, 0);
            QueueJob::of(id, &ad, AdText::of(&ad))
        };
        let many: Vec<String> = (0..20_000).map(|n| format!("A{n}")).collect();
        let mut jobs = [
            job(1, "alice", &format!("{} > 1", "A".repeat(131_072))),
            job(2, "alice", &many.join(" + ")),
            job(3, "alice", "'a,b' > 1 || 'x y' || '' || '$(touch x)' || '-all'"),
            job(4, "alice", "Mine > 1"),
            job(5, "bob", "BobPatience > 1"),
        ];
        let (names, _) = missing_references(&mut jobs, &AdProjection::new(&[], None));
        assert_eq!(Vec::from_iter(names), ["BobPatience", "Mine"]);
        assert_eq!(jobs.map(|job| job.lacks_references), [true, true, true, false, false]);
    }
}
