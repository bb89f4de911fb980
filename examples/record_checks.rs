//! Looks at what held jobs need and keeps the raw answers, to answer from them later.
//!
//! ```text
//! cargo run --release --example record_checks -- [-urls | -private-urls] ADS-FILE OUT
//! ```
//!
//! ADS-FILE has what `condor_q -long` wrote of jobs of this machine. A line of JSON is added to OUT:
//! a [`holdadvise::checks::Recorded`]. It looks at whatever an advice would; as root with the rights
//! of each job's owner, and believes that the ads are the schedd's. URLs are asked with `-urls`;
//! with `-private-urls` also those of private addresses: for a pool on a network of one's own.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use classads::ClassAd;
use eventlog::JobId;
use holdadvise::advice::{Held, Policies, ask_urls};
use holdadvise::checks::{self, LocalFiles, Urls};
use holdadvise::inquiry::{Config, local_files};
use holdadvise::policy::PolicyTime;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let recorded = match arguments.as_slice() {
        [first, rest @ ..] if first == checks::SERVE => return checks::serve(rest),
        [urls, ads, out] if urls == "-urls" => record(ads, out, Urls::Asked),
        [urls, ads, out] if urls == "-private-urls" => record(ads, out, Urls::Private),
        [ads, out] => record(ads, out, Urls::None),
        _ => Err("usage: record_checks [-urls | -private-urls] ADS-FILE OUT".into()),
    };
    match recorded {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("record_checks: {error}");
            ExitCode::FAILURE
        }
    }
}

fn record(ads: &OsStr, out: &OsStr, urls: Urls) -> Result<(), Box<dyn std::error::Error>> {
    let (ads, out) = (Path::new(ads), Path::new(out));
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
    let now = i64::try_from(now)?;
    let files = local_files(&Config::of_user(), now, true);
    let files = files.ok_or_else(|| io::Error::other("its own path is not known"))?;
    let files = files.with_urls(urls);
    let ads = held(ads)?;
    ask_urls(&files, ads.iter().map(|(_, ad)| ad.clone()));
    // No policy is evaluated.
    let policies = Policies {
        time: PolicyTime::new(Duration::ZERO),
        files: Some(files),
        ..Policies::unknown()
    };
    for (job, ad) in &ads {
        Held::of_ad(*job, ad, true, &policies, now);
    }
    let record = policies.files.as_ref().map(LocalFiles::record);
    let mut line = serde_json::to_string(&record)?;
    line.push('\n');
    OpenOptions::new().append(true).create(true).open(out)?.write_all(line.as_bytes())?;
    Ok(())
}

/// The jobs and ads of a file.
fn held(path: &Path) -> io::Result<Vec<(JobId, ClassAd)>> {
    let mut held = Vec::new();
    for ad in classads::read_ads(BufReader::new(File::open(path)?)) {
        let ad = match ad {
            Ok(ad) => ad,
            Err(error) => {
                eprintln!("record_checks: {}: {error}", path.display());
                continue;
            }
        };
        let number = |name| ad.integer(name).and_then(|id| i32::try_from(id).ok());
        if let (Some(cluster), Some(proc)) = (number("ClusterId"), number("ProcId")) {
            held.push((JobId::new(cluster, proc), ad));
        }
    }
    Ok(held)
}
