//! Who this is, on which machine, and the numbers of other accounts.

use std::time::Duration;

use super::Config;
use crate::checks::{Ids, LocalFiles};
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

/// How long `id` may take: it may ask a directory service.
const ID_TIME: Duration = Duration::from_secs(2);

/// The numbers of an account, as `id` says them.
fn ids_of(account: &str) -> Option<Ids> {
    ids(&run_tool("id", &["--", account], ID_TIME).ok()?)
}

/// `uid=1000(alice) gid=100(users) groups=100(users),1001(domain admins)`
fn ids(said: &str) -> Option<Ids> {
    let (uid, rest) = said.trim().strip_prefix("uid=")?.split_once(" gid=")?;
    let (gid, groups) = rest.split_once(" groups=")?;
    let number = |text: &str| text.split('(').next()?.parse::<u32>().ok();
    let groups: Option<Vec<u32>> = groups.split("),").map(number).collect();
    Some((number(uid)?, number(gid)?, groups?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_an_account_are_read() {
        let said = "uid=1000(al) gid=100(domain users) groups=100(domain users),27(sudo)\n";
        assert_eq!(ids(said), Some((1000, 100, vec![100, 27])));
        assert_eq!(ids("uid=7 gid=8 groups=8\n"), Some((7, 8, vec![8])));
        for other in ["", "uid=x(a) gid=1(b) groups=1(b)", "uid=1(a) gid=1(b)"] {
            assert_eq!(ids(other), None, "{other}");
        }
    }
}
