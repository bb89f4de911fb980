//! The job event logs of jobs: which can be read, each file once, and whose they are.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::accounts::{as_owner, ids_of};
use super::gather::{Gathered, Remarks};
use super::{Config, Inquiry};
use crate::advice::Missing;
use crate::checks::FileSystems;
use crate::queue::{QueueJob, display_path, file_of};
use crate::sentences::unknown;

/// The logs named, or those the ads name, which may be others' and closed, or no logs at all; and
/// of the latter the owners of the jobs whose ads name them and who may read them.
///
/// A file that ads name under several names (links) is read once, under the first: whoever names it
/// so is as one who names the first.
pub(super) fn of(
    inquiry: &Inquiry,
    config: &Config,
    held: &[QueueJob],
    others: &[QueueJob],
    remarks: &mut Remarks,
) -> Gathered {
    if !inquiry.user_logs.is_empty() {
        return Gathered { user_logs: inquiry.user_logs.clone(), ..Gathered::default() };
    }
    let systems = config.looks.clone().map(FileSystems::new);
    let mut state: HashMap<(&Path, &str), Result<PathBuf, Missing>> = HashMap::new();
    let mut files: HashMap<(u64, u64), PathBuf> = HashMap::new();
    let mut open = |log: &Path, account: &str| match file(systems.as_ref(), log, account) {
        Ok(file) => Ok(files.entry(file).or_insert_with(|| log.to_owned()).clone()),
        Err(error) => {
            let fault = error.to_string().into();
            Err(Missing::JobLog { log: display_path(log).into(), fault })
        }
    };
    let no_log = Missing::Source("the job has no event log of its own".into());
    let mut found = Gathered::default();
    for job in held.iter().chain(others) {
        let mut faults: Vec<Missing> = Vec::new();
        let mut any = false;
        let account = job.account.as_deref().unwrap_or_default();
        for log in [&job.logs.user_log, &job.logs.nodes_log].into_iter().flatten() {
            match state.entry((log, account)).or_insert_with(|| open(log, account)) {
                Ok(read) => {
                    let owners = found.log_owners.entry(read.clone()).or_default();
                    owners.extend(job.owner.clone());
                    let accounts = found.log_accounts.entry(read.clone());
                    accounts.or_insert_with(|| account.to_owned());
                    found.log_names.insert(log.clone(), read.clone());
                    any = true;
                    // The nodes log of a DAG holds less of the same.
                    break;
                }
                Err(fault) => faults.push(fault.clone()),
            }
        }
        if !any && faults.is_empty() {
            faults.push(no_log.clone());
        }
        if !faults.is_empty() {
            remarks.missing_of.insert(job.id, faults);
        }
    }
    found.user_logs = found.log_owners.keys().cloned().collect();
    found.user_logs.sort();
    found
}

/// Which file a log is that can be read with the rights of this account, and whose file system
/// answers.
fn file(systems: Option<&FileSystems>, log: &Path, account: &str) -> io::Result<(u64, u64)> {
    let is_root = rustix::process::geteuid().is_root();
    let ids = if is_root { ids_of(account) } else { None };
    if let Some(systems) = systems.filter(|_| ids.is_some() || !is_root) {
        systems.answer(account, ids, log).map_err(|why| io::Error::other(unknown(why)))?;
    }
    as_owner(account, || file_of(log))?
}
