//! Who this is, and on which machine.

use super::Config;
use super::accounts::{ID_TIME, ids_of};
use crate::checks::LocalFiles;
use crate::queue::run_tool;

/// The files of this machine, for a program that calls [`crate::checks::serve`] when it is started
/// with [`crate::checks::SERVE`]. `now` and `of_queue`: see [`LocalFiles::new`]. `None` where the
/// program's own file is not known.
pub fn local_files(config: &Config, now: i64, of_queue: bool) -> Option<LocalFiles> {
    let program = std::env::current_exe().ok()?;
    let tool = |arguments: &[&str]| run_tool("id", arguments, ID_TIME).ok();
    let me = match rustix::process::geteuid().is_root() {
        true => None,
        false => tool(&["-un"]).map(|name| name.trim().to_owned()),
    };
    let node = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let hosts = config.get_condor("FULL_HOSTNAME").into_iter().chain([node]).collect();
    Some(LocalFiles::new(program, hosts, me, ids_of, now, of_queue))
}
