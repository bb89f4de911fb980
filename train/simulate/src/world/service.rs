//! File servers, registries and what programs talk to while they run.

use super::{Rhythm, Schedule};
use crate::cause::UrlError;
use crate::preset::{FilesystemParameters, ServiceParameters};
use crate::random::Dice;

/// A file server.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    pub(crate) scheme: &'static str,
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Root of its paths.
    pub(crate) root: String,
    pub(crate) plugin: &'static str,
    pub(crate) faults: Schedule<UrlError>,
}

impl Service {
    pub(crate) fn draw(
        number: usize,
        p: &ServiceParameters,
        span: (i64, i64),
        dice: &mut Dice,
    ) -> Self {
        const KINDS: [(&str, u16, &str, f64); 7] = [
            ("http", 80, "curl_plugin", 3.0),
            ("https", 443, "curl_plugin", 3.0),
            ("osdf", 8443, "stash_plugin", 4.0),
            ("pelican", 8444, "pelican_plugin", 1.0),
            ("s3", 443, "curl_plugin", 0.7),
            ("root", 1094, "xrootd_plugin", 1.0),
            ("gsiftp", 2811, "gfal_plugin", 0.4),
        ];
        const HOSTS: [&str; 8] =
            ["data", "files", "proxy", "stash", "se01", "dcache", "store", "mirror"];
        let (scheme, usual_port, plugin, _) = if number < 3 {
            KINDS[[0, 2, 1][number]]
        } else {
            KINDS[dice.weighted(KINDS.iter().map(|kind| kind.3))]
        };
        let port = if scheme == "http" && dice.chance(0.5) {
            *dice.pick(&[8000, 8080, 9000])
        } else {
            usual_port
        };
        let host = format!("{}{}.example.org", dice.pick(&HOSTS), number + 1);
        let root = if matches!(scheme, "osdf" | "pelican") {
            format!("/{}/ap{}/data", dice.pick(&["ospool", "chtc", "institute"]), 20 + number)
        } else {
            format!("/{}", dice.pick(&["data", "public", "pub/sets", "store/user"]))
        };
        let partial = p.partial;
        let rhythm = Rhythm { days_between: p.days_between, hours: p.hours, grows: p.grows };
        let faults = Schedule::draw(dice, span, rhythm, |dice| {
            const FAULTS: [(UrlError, f64); 12] = [
                (UrlError::Refused, 5.0),
                (UrlError::TimedOut, 3.5),
                (UrlError::Unresolved, 1.0),
                (UrlError::Reset, 1.0),
                (UrlError::Certificate, 0.5),
                (UrlError::Status(404), 2.5),
                (UrlError::Status(403), 1.2),
                (UrlError::Status(500), 1.5),
                (UrlError::Status(502), 0.7),
                (UrlError::Status(503), 2.0),
                (UrlError::Status(504), 0.7),
                (UrlError::Status(401), 0.4),
            ];
            let (fault, _) = FAULTS[dice.weighted(FAULTS.iter().map(|(_, weight)| *weight))];
            let severity = if dice.chance(partial) { 0.15 + 0.6 * dice.unit() } else { 0.98 };
            (fault, severity)
        });
        Self { scheme, host, port, root, plugin, faults }
    }
}

/// What can be wrong with a file system, as errno.
#[derive(Clone, Debug)]
pub(crate) struct Filesystem {
    pub(crate) mount: String,
    pub(crate) faults: Schedule<i32>,
}

impl Filesystem {
    pub(crate) fn draw(
        number: usize,
        p: &FilesystemParameters,
        span: (i64, i64),
        dice: &mut Dice,
    ) -> Self {
        const MOUNTS: [&str; 6] =
            ["/home", "/staging", "/projects", "/data/users", "/work", "/nfs/groups"];
        let mount = super::named(&MOUNTS, number);
        // ENOENT (not mounted), ESTALE, EIO, ETIMEDOUT, ENOSPC, EACCES (ticket of the mount run
        // out).
        const ERRORS: [(i32, f64); 6] =
            [(2, 5.0), (116, 1.5), (5, 1.0), (110, 2.0), (28, 2.0), (13, 1.5)];
        let rhythm = Rhythm { days_between: p.days_between, hours: p.hours, grows: p.grows };
        let faults = Schedule::draw(dice, span, rhythm, |dice| {
            (
                ERRORS[dice.weighted(ERRORS.iter().map(|(_, weight)| *weight))].0,
                if dice.chance(0.3) { 0.4 + 0.5 * dice.unit() } else { 0.98 },
            )
        });
        Self { mount, faults }
    }
}

/// A registry of images, or a licence server or database: down or not.
pub(crate) fn plain(rhythm: Rhythm, span: (i64, i64), dice: &mut Dice) -> Schedule<()> {
    Schedule::draw(dice, span, rhythm, |dice| ((), 0.5 + 0.5 * dice.unit()))
}
