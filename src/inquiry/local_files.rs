//! Who this is, and on which machine.

use std::sync::OnceLock;

use super::Config;
use super::accounts::{ID_TIME, ids_of};
use crate::checks::LocalFiles;
use crate::queue::run_tool;

/// The files of this machine. `now` and `of_queue`: see [`LocalFiles::new`]. `None` where no
/// program is known that looks.
pub fn local_files(config: &Config, now: i64, of_queue: bool) -> Option<LocalFiles> {
    let program = config.looks.clone()?;
    let me = account().map(str::to_owned);
    Some(LocalFiles::new(program, hosts(config), me, ids_of, now, of_queue))
}

/// Names of this machine, for [`LocalFiles::new`].
pub fn hosts(config: &Config) -> Vec<String> {
    let node = rustix::system::uname().nodename().to_string_lossy().into_owned();
    config.get_condor("FULL_HOSTNAME").into_iter().chain([node]).collect()
}

/// The account of this process, as `id` names it; `None` for root, and where `id` does not answer.
pub(crate) fn account() -> Option<&'static str> {
    static ACCOUNT: OnceLock<Option<String>> = OnceLock::new();
    let ask = || {
        let is_root = rustix::process::geteuid().is_root();
        let name = (!is_root).then(|| run_tool("id", &["-un"], ID_TIME).ok())??;
        Some(name.trim().to_owned())
    };
    ACCOUNT.get_or_init(ask).as_deref()
}
