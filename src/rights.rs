//! Rights of another account, which root takes for good or for a while.

use std::io;

use rustix::process::{getegid, geteuid, getgroups, getuid};
use rustix::thread::{
    Gid, Uid, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

/// Numbers of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ids {
    /// Its user id.
    pub uid: u32,
    /// The group id of its logins.
    pub gid: u32,
    /// All groups that it belongs to.
    pub groups: Vec<u32>,
}

impl Ids {
    /// What `uid`, `gid` and groups one after the other stand for; `None` for fewer than two.
    pub fn of_list(ids: &[u32]) -> Option<Self> {
        let [uid, gid, groups @ ..] = ids else { return None };
        Some(Self { uid: *uid, gid: *gid, groups: groups.to_vec() })
    }

    /// What [`Ids::of_list`] reads.
    pub fn list(&self) -> impl Iterator<Item = u32> {
        [self.uid, self.gid].into_iter().chain(self.groups.iter().copied())
    }

    fn groups(&self) -> Vec<Gid> {
        self.groups.iter().map(|&group| Gid::from_raw(group)).collect()
    }
}

/// Takes the rights of this account for good, and never any others; `None` to keep its own. Of the
/// calling thread and of those that it starts.
///
/// # Errors
/// The kernel refuses, or it would be root's rights.
pub fn take(ids: Option<&Ids>) -> io::Result<()> {
    if let Some(ids) = ids {
        let (uid, gid) = (Uid::from_raw(ids.uid), Gid::from_raw(ids.gid));
        set_thread_groups(&ids.groups())?;
        set_thread_res_gid(gid, gid, gid)?;
        set_thread_res_uid(uid, uid, uid)?;
    }
    if getuid().is_root() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(set_no_new_privs(true)?)
}

/// Works with the rights of this account, as root, on the calling thread alone. The work starts no
/// thread: that would keep them.
///
/// # Errors
/// The kernel refuses, or it would be root's rights.
pub(crate) fn with<T>(ids: &Ids, work: impl FnOnce() -> T) -> io::Result<T> {
    if ids.uid == 0 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    // What follows may end anywhere: the way back is kept first.
    let _back = Back { uid: geteuid(), gid: getegid(), groups: getgroups()? };
    set_thread_groups(&ids.groups())?;
    set_thread_res_gid(None, Gid::from_raw(ids.gid), None)?;
    set_thread_res_uid(None, Uid::from_raw(ids.uid), None)?;
    Ok(work())
}

/// The rights that a thread had before.
struct Back {
    uid: Uid,
    gid: Gid,
    groups: Vec<Gid>,
}

impl Drop for Back {
    fn drop(&mut self) {
        let all = set_thread_res_uid(None, self.uid, None)
            .and_then(|()| set_thread_res_gid(None, self.gid, None))
            .and_then(|()| set_thread_groups(&self.groups));
        // Fewer rights than before are no danger.
        if let Err(error) = all {
            log::error!("cannot take back the rights of this process: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const NOBODY: Ids = Ids { uid: 65_534, gid: 65_534, groups: Vec::new() };

    #[test]
    fn root_opens_what_the_other_may_and_is_root_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("of-root");
        fs::write(&path, "1").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        if !geteuid().is_root() {
            assert!(with(&NOBODY, || ()).is_err(), "only root takes other rights");
            return;
        }
        let before = getgroups().unwrap();
        let opened = with(&NOBODY, || fs::File::open(&path).map(drop)).unwrap();
        assert_eq!(opened.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert!(geteuid().is_root() && fs::File::open(&path).is_ok());
        assert_eq!(getgroups().unwrap(), before);
        let ended = std::panic::catch_unwind(|| with(&NOBODY, || panic!("in the work")));
        assert!(ended.is_err() && geteuid().is_root());
        assert!(with(&Ids { uid: 0, ..NOBODY }, || ()).is_err());
    }

    #[test]
    fn numbers_of_an_account_are_a_list() {
        let ids = Ids { uid: 1, gid: 2, groups: vec![2, 3] };
        let list: Vec<u32> = ids.list().collect();
        assert_eq!((Ids::of_list(&list), Ids::of_list(&[1])), (Some(ids), None));
    }
}
