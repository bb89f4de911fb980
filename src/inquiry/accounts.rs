//! Numbers of the accounts of this machine, and files opened with their rights.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::queue::run_tool;
use crate::rights::{self, Ids};

/// Accounts whose numbers are asked for.
const ACCOUNTS: usize = 500;

/// How long `id` may take: it may ask a directory service.
pub(super) const ID_TIME: Duration = Duration::from_secs(2);

/// Numbers that were asked for: they stay what they are for one call of a tool.
static KNOWN: Mutex<BTreeMap<String, Option<Ids>>> = Mutex::new(BTreeMap::new());

/// Works with the rights of the account that a job runs as, if this is root, else with one's own.
/// The work starts no thread.
///
/// # Errors
/// The account is not known here, is root's, or its rights cannot be taken.
pub(super) fn as_owner<T>(account: &str, work: impl FnOnce() -> T) -> io::Result<T> {
    if !rustix::process::geteuid().is_root() {
        return Ok(work());
    }
    match ids_of(account) {
        Some(ids) => rights::with(&ids, work),
        None => Err(io::Error::other(
            "this machine has no account of its owner, as whom root would open it",
        )),
    }
}

/// The numbers of an account, as `id` says them; of the first 500 accounts asked about.
pub(super) fn ids_of(account: &str) -> Option<Ids> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(ids) = known.get(account) {
        return ids.clone();
    }
    if known.len() >= ACCOUNTS {
        return None;
    }
    let found = ids_now(account);
    known.insert(account.to_owned(), found.clone());
    found
}

/// The numbers that an account has now, as `id` says them.
pub fn ids_now(account: &str) -> Option<Ids> {
    ids(&run_tool("id", &["--", account], ID_TIME).ok()?)
}

/// `uid=1000(alice) gid=100(users) groups=100(users),1001(domain admins)`
fn ids(said: &str) -> Option<Ids> {
    let (uid, rest) = said.trim().strip_prefix("uid=")?.split_once(" gid=")?;
    let (gid, groups) = rest.split_once(" groups=")?;
    let number = |text: &str| text.split('(').next()?.parse::<u32>().ok();
    let groups: Option<Vec<u32>> = groups.split("),").map(number).collect();
    Some(Ids { uid: number(uid)?, gid: number(gid)?, groups: groups? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_an_account_are_read() {
        let said = "uid=1000(al) gid=100(domain users) groups=100(domain users),27(sudo)\n";
        assert_eq!(ids(said), Some(Ids { uid: 1000, gid: 100, groups: vec![100, 27] }));
        let few = Some(Ids { uid: 7, gid: 8, groups: vec![8] });
        assert_eq!(ids("uid=7 gid=8 groups=8\n"), few);
        for other in ["", "uid=x(a) gid=1(b) groups=1(b)", "uid=1(a) gid=1(b)"] {
            assert_eq!(ids(other), None, "{other}");
        }
    }
}
