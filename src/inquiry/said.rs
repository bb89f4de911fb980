//! What the programs of failed jobs wrote at their ends.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::MetadataExt;

use classads::ClassAd;

use super::asked::Asked;
use super::gather::Gathered;
use super::local_files::{account, hosts};
use super::{Config, Inquiry};
use crate::advice::error_line;
use crate::checks::LocalFiles;
use crate::queue::AdText;
use crate::workflow::{Dag, JobRun};
use eventlog::JobId;

/// Files of a view that are read.
pub(crate) const OUTPUTS: usize = 1_000;

/// The error output of jobs whose ads are known, or which are nodes of one's own DAG.
pub(super) struct Outputs<'a> {
    /// `None`: nothing is read.
    files: Option<LocalFiles>,
    ads: HashMap<JobId, &'a AdText>,
    dag: Option<(&'a Dag, &'a HashMap<JobId, String>)>,
    /// What an ad of a job of this account and machine has.
    own: ClassAd,
    /// Folders and files of which a line was given.
    said: HashSet<(String, String)>,
    read: usize,
    /// Jobs whose output was not read.
    pub(super) left_out: usize,
}

impl<'a> Outputs<'a> {
    /// Of the jobs that were gathered, in `files`.
    pub(super) fn of(
        files: Option<LocalFiles>,
        gathered: &'a Gathered,
        asked: &'a Asked<'_>,
        inquiry: &'a Inquiry,
        config: &Config,
    ) -> Self {
        let mut ads = HashMap::new();
        let mut own = ClassAd::new();
        let mut dag = None;
        if files.is_some() {
            for ad in gathered.epochs.iter().flatten() {
                let facts = ad.to_classad();
                let number = |name| i32::try_from(facts.integer(name)?).ok();
                if let Some((cluster, proc)) = number("ClusterId").zip(number("ProcId")) {
                    // The newest stand first.
                    ads.entry(JobId::new(cluster, proc)).or_insert(ad);
                }
            }
            let queued = gathered.held.iter().chain(&gathered.others);
            ads.extend(queued.map(|job| (job.id, &job.ad)));
            let me = account().filter(|_| inquiry.dag.as_ref().is_some_and(|dag| is_own(dag)));
            if let (Some(me), Asked::Dag(nodes), Some(of)) = (me, asked, &inquiry.dag) {
                own.insert_value("Owner", me);
                let host = hosts(config).into_iter().next().unwrap_or_default();
                own.insert_value("GlobalJobId", format!("{host}#"));
                dag = Some((&**of, nodes));
            }
        }
        Self { files, ads, dag, own, said: HashSet::new(), read: 0, left_out: 0 }
    }

    /// The line that says why the program failed in the last run of a job.
    pub(super) fn says(&mut self, run: &JobRun) -> Option<String> {
        let files = self.files.as_ref()?;
        let ad = match (self.ads.get(&run.job), self.dag) {
            (Some(ad), _) => ad.to_classad(),
            (None, Some((dag, nodes))) => {
                let (folder, file) = dag.error_output(nodes.get(&run.job)?, run.job)?;
                let has_several = nodes.contains_key(&JobId::new(run.job.cluster, 1));
                let mut ad = self.own.clone();
                ad.insert_value("ProcId", i64::from(run.job.proc));
                ad.insert_value("TotalSubmitProcs", 1 + i64::from(has_several));
                ad.insert_value("Iwd", folder);
                ad.insert_value("Err", file);
                ad
            }
            (None, None) => return None,
        };
        let left = files.time_for_words(&ad)?;
        let file = (ad.string("Iwd")?, ad.string("Err")?);
        if self.read >= OUTPUTS || left.is_zero() {
            self.left_out += 1;
            return None;
        }
        self.read += 1;
        let line = error_line(files, &ad, run.began, run.began.saturating_add(run.seconds))?;
        // What stands there is of one job alone, though two may have run at that time.
        self.said.insert(file).then_some(line)
    }
}

/// The DAG file is of the account of this process.
fn is_own(dag: &Dag) -> bool {
    let owner = dag.path.metadata().map(|file| file.uid());
    owner.is_ok_and(|uid| uid == rustix::process::geteuid().as_raw())
}
