//! Looks at what held jobs need and keeps the raw answers, to answer from them later.
//!
//! ```text
//! cargo run --release --example record_checks -- ADS-FILE OUT
//! ```
//!
//! ADS-FILE has what `condor_q -long` wrote of jobs of this machine. A line of JSON is added to OUT:
//! a [`holdadvise::checks::Recorded`]. It looks at whatever an advice would; as root with the rights
//! of each job's owner, and believes that the ads are the schedd's.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use holdadvise::advice::{Held, Policies};
use holdadvise::checks;
use holdadvise::cli::{Config, local_files};
use holdadvise::policy::PolicyTime;
use holdadvise::userlog::JobId;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let recorded = match arguments.as_slice() {
        [first, rest @ ..] if first == checks::SERVE => return checks::serve(rest),
        [ads, out] => record(Path::new(ads), Path::new(out)),
        _ => Err("usage: record_checks ADS-FILE OUT".into()),
    };
    match recorded {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("record_checks: {error}");
            ExitCode::FAILURE
        }
    }
}

fn record(ads: &Path, out: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
    let now = i64::try_from(now)?;
    let files = local_files(&Config::of_user(), now, true);
    // No policy is evaluated.
    let policies = Policies { time: PolicyTime::new(Duration::ZERO), files, ..Policies::unknown() };
    for ad in classads::read_ads(BufReader::new(File::open(ads)?)) {
        let ad = match ad {
            Ok(ad) => ad,
            Err(error) => {
                eprintln!("record_checks: {}: {error}", ads.display());
                continue;
            }
        };
        let number = |name| ad.integer(name).and_then(|id| i32::try_from(id).ok());
        if let (Some(cluster), Some(proc)) = (number("ClusterId"), number("ProcId")) {
            Held::of_ad(JobId::new(cluster, proc), &ad, true, &policies, now);
        }
    }
    let files = policies.files.ok_or_else(|| io::Error::other("its own path is not known"))?;
    let mut line = serde_json::to_string(&files.record())?;
    line.push('\n');
    OpenOptions::new().append(true).create(true).open(out)?.write_all(line.as_bytes())?;
    Ok(())
}
