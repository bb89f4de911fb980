//! The judge's process gives up what it does not need, before it reads what others wrote.
//!
//! It runs as the account of the access point, which may do everything with the queue. What is left
//! to it: to read what is open, to write its lines, memory, threads and clocks. The kernel answers
//! everything else with EPERM: sockets, opening any file, other programs, other processes.

use std::collections::BTreeMap;

use holdadvise::rights::start_nothing;
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter_all_threads,
};

/// Why a process could not be confined.
#[derive(Debug, thiserror::Error)]
#[error("the judge cannot be confined, so nothing is judged: {0}")]
pub struct ConfineError(String);

/// What a confined process may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of private memory that can be written (RLIMIT_DATA).
    pub memory: u64,
    /// Seconds of processor time.
    pub seconds: u64,
}

/// Confines this process, with all its threads, for good.
///
/// # Errors
/// [`ConfineError`] where the kernel cannot; the process may then be confined in part.
pub fn confine(limits: Limits) -> Result<(), ConfineError> {
    let failed = |what: &str, why: &dyn std::fmt::Display| ConfineError(format!("{what}: {why}"));
    let limit = |resource, most: u64| {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
            .map_err(|error| failed("setrlimit", &error))
    };
    limit(Resource::Data, limits.memory)?;
    limit(Resource::Cpu, limits.seconds)?;
    limit(Resource::Core, 0)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| failed("prctl(PR_SET_DUMPABLE)", &error))?;
    start_nothing().map_err(|error| failed("seccomp", &error))?;
    let filter = filter().map_err(|error| failed("seccomp filter", &error))?;
    apply_filter_all_threads(&filter).map_err(|error| failed("seccomp", &error))?;
    Ok(())
}

/// System calls that are allowed whatever their arguments.
const ALLOWED: &[libc::c_long] = &[
    // What is open.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_ppoll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Threads.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_membarrier,
    // Signals of its own.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Clocks and chance.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_sysinfo,
];

/// The filter of calls that are allowed. Of the answers of several filters the strictest counts.
fn filter() -> Result<BpfProgram, seccompiler::Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let number = |call: libc::c_long| -> i64 { call };
    rules.extend(ALLOWED.iter().map(|&call| (number(call), Vec::new())));
    // Their answer is that of the filters of `start_nothing`.
    for call in [libc::SYS_clone, libc::SYS_clone3] {
        rules.insert(number(call), Vec::new());
    }
    let bits = |mask: i32| u64::from(mask.unsigned_abs());
    let has = |argument, mask: u64, value: u64| {
        let operator = SeccompCmpOp::MaskedEq(mask);
        SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, value)
    };
    let when = |conditions| SeccompRule::new(conditions);
    let execute = bits(libc::PROT_EXEC);
    for call in [libc::SYS_mmap, libc::SYS_mprotect] {
        rules.insert(number(call), vec![when(vec![has(2, execute, 0)?])?]);
    }
    // The limits of this process may be read: nothing new is given.
    rules.insert(
        number(libc::SYS_prlimit64),
        vec![when(vec![has(0, u64::MAX, 0)?, has(2, u64::MAX, 0)?])?],
    );
    // Of an open file, whose name is empty: the name itself lies in memory.
    let empty = bits(libc::AT_EMPTY_PATH);
    rules.insert(number(libc::SYS_statx), vec![when(vec![has(2, empty, empty)?])?]);
    rules.insert(number(libc::SYS_newfstatat), vec![when(vec![has(3, empty, empty)?])?]);
    // Another descriptor of an open file.
    let copy = bits(libc::F_DUPFD_CLOEXEC);
    rules.insert(number(libc::SYS_fcntl), vec![when(vec![has(1, u64::MAX, copy)?])?]);
    let name = bits(libc::PR_SET_NAME);
    rules.insert(number(libc::SYS_prctl), vec![when(vec![has(0, u64::MAX, name)?])?]);
    let own = u64::from(std::process::id());
    rules.insert(number(libc::SYS_tgkill), vec![when(vec![has(0, u64::MAX, own)?])?]);

    let denied = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    BpfProgram::try_from(SeccompFilter::new(rules, denied, SeccompAction::Allow, arch)?)
        .map_err(Into::into)
}

/// What a confined process is denied: each attempt with what the kernel said. For
/// `condor_holdadvise_advisor -confinement`, by which an administrator sees that it works here.
pub fn attempts(file: &std::path::Path) -> Vec<(&'static str, std::io::Result<()>)> {
    use std::fs::{File, OpenOptions};
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixDatagram;
    use std::process::Command;

    use rustix::process::{Signal, getpid, kill_process};

    let to = |error: rustix::io::Errno| std::io::Error::from(error);
    vec![
        ("open a file for reading", File::open(file).map(drop)),
        ("open a file for writing", OpenOptions::new().append(true).open(file).map(drop)),
        ("make a file", File::create(file.with_extension("new")).map(drop)),
        ("remove a file", std::fs::remove_file(file)),
        ("list a folder", std::fs::read_dir("/").map(drop)),
        ("listen", TcpListener::bind("127.0.0.1:0").map(drop)),
        ("connect", TcpStream::connect("127.0.0.1:9618").map(drop)),
        ("make a datagram socket", UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("make a socket of this machine", UnixDatagram::unbound().map(drop)),
        ("start a program", Command::new("/bin/true").status().map(drop)),
        // Itself, which anybody else may do.
        ("signal a process", kill_process(getpid(), Signal::CONT).map_err(to)),
        ("go to another folder", std::env::set_current_dir("/")),
        ("become dumpable", set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(to)),
    ]
}
