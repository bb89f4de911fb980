//! What a condor_schedd is told to do with held jobs: `condor_release`, `condor_rm` and
//! `condor_qedit`, each kept to holds by a constraint.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use classads::ClassAd;

use super::ads_file::read_ads;
use super::job::job_id;
use super::tool::stream_tool;
use super::{AdItem, AdProjection, QueueError, Schedd};
use eventlog::JobId;

/// Bytes of an answer that is kept.
const ANSWER: u64 = 64 << 20;

/// Jobs that are named in one call of a tool.
const JOBS: usize = 500;

/// Clusters that are named in one constraint: the schedd parses it as a tree that is as deep.
const CLUSTERS: usize = 50;

/// What `condor_release` or `condor_rm` did (`action_result_t` of `condor_schedd`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderResult {
    /// It was done.
    Done,
    /// The job is not there, or in another state.
    Refused,
    /// Permission was denied.
    Denied,
    /// It failed for another reason.
    Failed,
}

impl OrderResult {
    fn of(number: i64) -> Self {
        match number {
            1 => Self::Done,
            2..=4 => Self::Refused,
            5 => Self::Denied,
            _ => Self::Failed,
        }
    }
}

impl Schedd {
    /// Releases the jobs of a constraint; `reason` stands in their event logs. The answer for each
    /// job that the constraint was true for.
    ///
    /// # Errors
    /// [`QueueError`] when `condor_release` cannot be run, or says nothing of any job.
    pub fn release(
        &self,
        constraint: &str,
        reason: &str,
    ) -> Result<BTreeMap<JobId, OrderResult>, QueueError> {
        self.order("condor_release", constraint, reason)
    }

    /// Removes the jobs of a constraint, as [`Self::release`].
    ///
    /// # Errors
    /// As there.
    pub fn remove(
        &self,
        constraint: &str,
        reason: &str,
    ) -> Result<BTreeMap<JobId, OrderResult>, QueueError> {
        self.order("condor_rm", constraint, reason)
    }

    fn order(
        &self,
        tool: &'static str,
        constraint: &str,
        reason: &str,
    ) -> Result<BTreeMap<JobId, OrderResult>, QueueError> {
        let mut arguments = self.arguments();
        arguments.extend(["-long", "-reason", reason, "-constraint", constraint]);
        let mut said = Vec::new();
        let ran = stream_tool(tool, &arguments, self.timeout, ANSWER, |output| {
            let read = output.read_to_end(&mut said);
            read.map(drop).map_err(|source| QueueError::Read { path: tool.into(), source })
        });
        let answers = answers(&said);
        match ran {
            // It ends with 1 where it was done for no job.
            Err(QueueError::Failed { .. }) if answers.is_some() => {}
            ran => ran?,
        }
        let unknown = "its answer has no ActionResult; what it did is not known";
        answers.ok_or_else(|| QueueError::Failed { tool, said: unknown.to_owned() })
    }

    /// Edits the ads of the jobs of a constraint, all attributes of all of them or none.
    ///
    /// # Errors
    /// [`QueueError`] when `condor_qedit` cannot be run, or edited nothing: the constraint was true
    /// for no job, too.
    pub fn edit(&self, constraint: &str, edits: &[(&str, &str)]) -> Result<(), QueueError> {
        let pairs: Vec<String> =
            edits.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut arguments = self.arguments();
        arguments.extend(["-constraint", constraint]);
        arguments.extend(pairs.iter().map(String::as_str));
        stream_tool("condor_qedit", &arguments, self.timeout, ANSWER, |output| {
            let read = std::io::copy(&mut output.take(ANSWER), &mut std::io::sink());
            read.map(drop)
                .map_err(|source| QueueError::Read { path: "condor_qedit".into(), source })
        })
    }

    /// The ads of jobs, whatever their state, in the queue or else in the history; of these
    /// attributes. Jobs that are in neither are left out.
    ///
    /// # Errors
    /// [`QueueError`] when `condor_q` cannot be run, fails or takes too long. A history that cannot
    /// be read gives no ads.
    pub fn any_ads(
        &self,
        jobs: &[JobId],
        attributes: &[&str],
    ) -> Result<BTreeMap<JobId, ClassAd>, QueueError> {
        let mut ads = BTreeMap::new();
        for some in jobs.chunks(JOBS) {
            self.ads_of("condor_q", &["-allusers"], some, attributes, &mut ads)?;
        }
        let gone: Vec<JobId> = jobs.iter().copied().filter(|job| !ads.contains_key(job)).collect();
        ads.extend(self.history_ads(&gone, attributes));
        Ok(ads)
    }

    /// The ads of jobs that left the queue, as far as the history has them and can be read; of
    /// these attributes.
    pub fn history_ads(&self, jobs: &[JobId], attributes: &[&str]) -> BTreeMap<JobId, ClassAd> {
        let mut ads = BTreeMap::new();
        for some in jobs.chunks(JOBS) {
            let most = some.len().to_string();
            let limit = ["-limit", most.as_str()];
            if let Err(error) = self.ads_of("condor_history", &limit, some, attributes, &mut ads) {
                log::info!("{error}");
            }
        }
        ads
    }

    fn ads_of(
        &self,
        tool: &'static str,
        words: &[&str],
        jobs: &[JobId],
        attributes: &[&str],
        ads: &mut BTreeMap<JobId, ClassAd>,
    ) -> Result<(), QueueError> {
        let names: Vec<String> = jobs.iter().map(ToString::to_string).collect();
        let wanted: BTreeSet<JobId> = jobs.iter().copied().collect();
        let words: Vec<&str> =
            words.iter().copied().chain(names.iter().map(String::as_str)).collect();
        self.each_ad(tool, &words, attributes, |ad| {
            if let Some(id) = job_id(&ad).filter(|id| wanted.contains(id)) {
                ads.entry(id).or_insert(ad);
            }
        })
    }

    /// What the ads of clusters say, in which the job's own attributes are not, by ClusterId; of
    /// these attributes.
    ///
    /// # Errors
    /// As [`Self::any_ads`].
    pub fn cluster_ads(
        &self,
        clusters: &BTreeSet<i32>,
        attributes: &[&str],
    ) -> Result<BTreeMap<i32, ClassAd>, QueueError> {
        let mut ads = BTreeMap::new();
        let all: Vec<i32> = clusters.iter().copied().collect();
        for some in all.chunks(CLUSTERS) {
            let one = |cluster: &i32| format!("ClusterId == {cluster}");
            let constraint = some.iter().map(one).collect::<Vec<_>>().join(" || ");
            let words = ["-factory:clusters_only", "-allusers", "-constraint", constraint.as_str()];
            let names = [attributes, &["ClusterId", "ProcId"]].concat();
            self.each_ad("condor_q", &words, &names, |ad| {
                let cluster = ad.integer("ClusterId").and_then(|id| i32::try_from(id).ok());
                if let Some(cluster) = cluster.filter(|_| ad.get("ProcId").is_none()) {
                    ads.insert(cluster, ad);
                }
            })?;
        }
        Ok(ads)
    }

    fn each_ad(
        &self,
        tool: &'static str,
        words: &[&str],
        attributes: &[&str],
        mut take: impl FnMut(ClassAd),
    ) -> Result<(), QueueError> {
        let list = attributes.join(",");
        let mut arguments = self.arguments();
        arguments.push("-long");
        if tool != "condor_q" {
            // The schedd follows what listed attributes refer to, which may have no end.
            arguments.extend(["-attributes", &list]);
        }
        arguments.extend(words);
        let projection = AdProjection::new(attributes, None);
        stream_tool(tool, &arguments, self.timeout, ANSWER, |output| {
            read_ads(output, std::path::Path::new(tool), &projection, |item| {
                if let AdItem::Ad(ad) = item {
                    take(ad);
                }
                std::ops::ControlFlow::Continue(())
            })
        })
    }
}

/// What `condor_release` or `condor_rm` says of each job; `None`: it does not say what it did.
pub(super) fn answers(said: &[u8]) -> Option<BTreeMap<JobId, OrderResult>> {
    let said = String::from_utf8_lossy(said);
    let is_answer = said.lines().any(|line| line.starts_with("ActionResult = "));
    is_answer.then(|| said.lines().filter_map(answer).collect())
}

/// `job_7_1 = 1`
fn answer(line: &str) -> Option<(JobId, OrderResult)> {
    let (job, number) = line.strip_prefix("job_")?.split_once(" = ")?;
    let (cluster, proc) = job.split_once('_')?;
    let job = JobId::new(cluster.parse().ok()?, proc.parse().ok()?);
    Some((job, OrderResult::of(number.trim().parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_jobs_are_read() {
        assert_eq!(answer("job_7_1 = 1"), Some((JobId::new(7, 1), OrderResult::Done)));
        assert_eq!(answer("job_7_10 = 3"), Some((JobId::new(7, 10), OrderResult::Refused)));
        assert_eq!(answer("job_7_10 = 5"), Some((JobId::new(7, 10), OrderResult::Denied)));
        assert_eq!(answer("job_7_10 = 0"), Some((JobId::new(7, 10), OrderResult::Failed)));
        for other in ["ActionResult = 1", "job_7 = 1", "job_x_1 = 1", "job_1_1 = x"] {
            assert_eq!(answer(other), None, "{other}");
        }
    }
}
