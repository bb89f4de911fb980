//! The process of one owner: it takes the rights of that account, looks at the files that its held
//! jobs need, and writes down what it saw.
//!
//! Root starts it. It reads nothing before it has the rights of the owner: who it is stands in its
//! arguments, which root made. Ads come from standard input, as another process of HTCondor's
//! account asks for them. Neither URLs are asked nor is the output of programs read. It starts no
//! process and no program: those could be attached to by the owner, and outlive it.

use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use holdadvise::advice::{FILE_ATTRIBUTES, look_at_files};
use holdadvise::checks::{Ids, LocalFiles, Program};
use holdadvise::queue::{AdItem, AdProjection, Ads};
use holdadvise::rights;
use rustix::process::Resource;
use rustix::stdio::{dup2_stdout, stderr};

use super::{JOBS, LONGEST_RECORD};

/// The argument with which it is started: behind it stand the owner, the names of this machine, and
/// uid, gid and groups.
pub const OWNER: &str = "-owner";

/// Between the names of this machine.
const BETWEEN: char = ',';

/// Its limits: no files of its own, bytes of memory that can be written, and seconds of
/// processor time.
const LIMITS: [(Resource, u64); 4] =
    [(Resource::Core, 0), (Resource::Fsize, 0), (Resource::Data, 256 << 20), (Resource::Cpu, 20)];

/// The arguments of the process of an owner.
pub fn arguments(owner: &str, hosts: &[String], ids: &Ids) -> Vec<String> {
    let first = [OWNER.to_owned(), owner.to_owned(), hosts.join(&BETWEEN.to_string())];
    first.into_iter().chain(ids.list().map(|id| id.to_string())).collect()
}

/// The process of an owner. `arguments`: what stands behind [`OWNER`].
pub fn serve(arguments: &[OsString]) -> ExitCode {
    let words: Option<Vec<&str>> = arguments.iter().map(|word| word.to_str()).collect();
    match words.as_deref() {
        Some([owner, hosts, ids @ ..])
            if limited(ids).and_then(|()| look(owner, hosts)).is_ok() =>
        {
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

fn limited(ids: &[&str]) -> io::Result<()> {
    let ids: Option<Vec<u32>> = ids.iter().map(|id| id.parse().ok()).collect();
    let ids = ids.as_deref().and_then(Ids::of_list).ok_or(io::ErrorKind::InvalidInput)?;
    rights::take(Some(&ids), &LIMITS)
}

fn look(owner: &str, hosts: &str) -> io::Result<()> {
    let hosts = hosts.split(BETWEEN).map(str::to_owned).collect();
    let now = jiff::Timestamp::now().as_second();
    let me = Some(owner.to_owned());
    let files = LocalFiles::new(Program::OwnThreads, hosts, me, |_| None, now, true);
    let projection = AdProjection::new(FILE_ATTRIBUTES, None);
    let mut jobs = 0;
    for item in Ads::new(BufReader::new(io::stdin().lock()), &projection)? {
        if let AdItem::Ad(ad) = item?
            && jobs < JOBS
        {
            jobs += 1;
            look_at_files(&files, &ad);
        }
    }
    io::stdout().write_all(&files.record().to_json(LONGEST_RECORD))?;
    io::stdout().flush()?;
    // Whoever reads waits for no thread that a file system keeps.
    Ok(dup2_stdout(stderr())?)
}
