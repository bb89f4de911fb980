//! Rights of another account, which root takes for good or for a while.

use std::collections::BTreeMap;
use std::io;

use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getegid, geteuid, getgroups, getuid, set_dumpable_behavior,
    setrlimit,
};
use rustix::thread::{
    Gid, Uid, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
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

/// Takes the rights of this account for good, and never any others; `None` to keep its own. They
/// are of the calling thread and of those that it starts, `limits` of the whole process.
///
/// What has another's rights starts nothing but threads, and its user cannot attach to it.
///
/// # Errors
/// The kernel refuses, or it would be root's rights.
pub fn take(ids: Option<&Ids>, limits: &[(Resource, u64)]) -> io::Result<()> {
    // From the moment that it has the rights its user may stop it: nothing is left for later.
    for &(resource, most) in limits {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    set_no_new_privs(true)?;
    if let Some(ids) = ids {
        start_nothing()?;
        let (uid, gid) = (Uid::from_raw(ids.uid), Gid::from_raw(ids.gid));
        set_thread_groups(&ids.groups())?;
        set_thread_res_gid(gid, gid, gid)?;
        set_thread_res_uid(uid, uid, uid)?;
        // The kernel has done so with the change of the user id, unless fs.suid_dumpable is 1.
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    if getuid().is_root() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(())
}

/// From now on the calling thread, and what it starts, starts threads alone: the kernel refuses a
/// new process and another program.
///
/// # Errors
/// The kernel filters no system calls, or it is none of the machines that filters are known for.
pub fn start_nothing() -> io::Result<()> {
    let filters = filters().map_err(io::Error::other)?;
    filters.iter().try_for_each(|filter| apply_filter(filter)).map_err(io::Error::other)
}

/// Two filters; of the answers of several the strictest counts.
fn filters() -> Result<[BpfProgram; 2], seccompiler::Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refusing = |rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32| {
        let answer = SeccompAction::Errno(errno.unsigned_abs());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, arch)?;
        Ok::<BpfProgram, seccompiler::Error>(BpfProgram::try_from(filter)?)
    };
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let is_process = SeccompCmpOp::MaskedEq(thread);
    let is_process = SeccompCondition::new(0, SeccompCmpArgLen::Qword, is_process, 0)?;
    let mut started: BTreeMap<i64, Vec<SeccompRule>> =
        STARTING.iter().map(|&call| (call, Vec::new())).collect();
    started.insert(libc::SYS_clone, vec![SeccompRule::new(vec![is_process])?]);
    // Its flags lie in memory, where no filter sees them; without it the C library takes clone.
    let absent = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Ok([refusing(started, libc::EPERM)?, refusing(absent, libc::ENOSYS)?])
}

/// System calls that start a process or a program, whatever their arguments.
const STARTING: &[i64] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    // clone, fork, vfork, clone3, execve and execveat of x32.
    #[cfg(target_arch = "x86_64")]
    0x4000_0038,
    #[cfg(target_arch = "x86_64")]
    0x4000_0039,
    #[cfg(target_arch = "x86_64")]
    0x4000_003a,
    #[cfg(target_arch = "x86_64")]
    0x4000_01b3,
    #[cfg(target_arch = "x86_64")]
    0x4000_0208,
    #[cfg(target_arch = "x86_64")]
    0x4000_0221,
];

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
    use std::process::Command;

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
    fn what_has_anothers_rights_starts_nothing_but_threads() {
        if !geteuid().is_root() {
            assert!(take(Some(&NOBODY), &[]).is_err(), "only root takes other rights");
            return;
        }
        // The rights are of a thread: the other tests keep theirs.
        let taken = std::thread::spawn(|| {
            let before = Command::new("true").status();
            take(Some(&NOBODY), &[]).unwrap();
            let thread = std::thread::spawn(|| Command::new("true").status().map(drop));
            let groups = getgroups().unwrap().len();
            (before, getuid().as_raw(), groups, Command::new("true").status(), thread.join())
        });
        let (before, uid, groups, program, of_thread) = taken.join().unwrap();
        assert!(before.unwrap().success());
        assert_eq!((uid, groups), (NOBODY.uid, 0));
        assert_eq!(program.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(of_thread.unwrap().unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        // Nobody's rights are root's.
        let root = Ids { uid: 0, ..NOBODY };
        assert!(std::thread::spawn(move || take(Some(&root), &[])).join().unwrap().is_err());
        assert!(geteuid().is_root());
    }

    #[test]
    fn numbers_of_an_account_are_a_list() {
        let ids = Ids { uid: 1, gid: 2, groups: vec![2, 3] };
        let list: Vec<u32> = ids.list().collect();
        assert_eq!((Ids::of_list(&list), Ids::of_list(&[1])), (Some(ids), None));
    }
}
