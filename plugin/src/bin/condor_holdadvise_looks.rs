//! `condor_holdadvise_looks`: looks at the files that held jobs need, as their owners, for the
//! advisor. A service of root, off unless the administrator switches it on.

use std::ffi::OsString;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use holdadvise::checks;
use holdadvise::cli::switch_debug_on;
use holdadvise::inquiry::Config;
use holdadvise_plugin::looks::owner;
use holdadvise_plugin::looks::round::{LeftBehind, Round, RoundError, round};
use holdadvise_plugin::program::{ended, misused, printed, version, warn};
use holdadvise_plugin::settings::Settings;

const HELP: &str = "\
Usage: condor_holdadvise_looks [-loop] [-debug]

Looks at the files that held jobs of this access point need, once, with the rights of each owner,
and keeps what it saw for condor_holdadvise_advisor. For root; the file 40-holdadvise of HTCondor's
configuration has the settings.

  -loop      Do so every few minutes. condor-holdadvise-looks.service does that:
             systemctl enable --now condor-holdadvise-looks
  -debug     Say on standard error what is done.
  -version   Print the version.
  -help      Print this.
";

/// Time between two rounds at least. Assumed.
const PAUSE: Duration = Duration::from_secs(5);

/// Time to the next round at most, until one was made, as HTCondor may just be starting; and how
/// long that may be so. Assumed.
const STARTING: Duration = Duration::from_secs(30);
const START: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    // What else is open is for no process of a user.
    close_fds::set_fds_cloexec(3, &[]);
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // These processes read nothing before they have the rights of an owner.
    match arguments.split_first() {
        Some((first, rest)) if first == owner::OWNER => return owner::serve(rest),
        Some((first, rest)) if first == checks::SERVE => return checks::serve(rest),
        _ => {}
    }
    let mut words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or("?")).collect();
    let debug = words.iter().position(|word| *word == "-debug").map(|at| words.remove(at));
    if debug.is_some() {
        switch_debug_on(None);
    }
    match words.as_slice() {
        [] => once(),
        ["-loop"] => forever(),
        ["-help"] => printed(HELP),
        ["-version"] => version(),
        _ => misused(HELP),
    }
}

fn once() -> ExitCode {
    match round(&Config::of_user(), &LeftBehind::default()) {
        Ok(Round { owners, looked, faults }) => {
            warn(&faults);
            printed(&format!("Looked at the files of {looked} of {owners} owners of held jobs\n"))
        }
        Err(error) => ended(Err(error)),
    }
}

/// Rounds until it is ended, or cannot make any.
fn forever() -> ExitCode {
    let left_behind = LeftBehind::default();
    let (started, mut has_begun) = (Instant::now(), false);
    loop {
        let begun = Instant::now();
        // The settings may have changed.
        let config = Config::of_user();
        match round(&config, &left_behind) {
            Ok(round) => {
                has_begun = true;
                warn(&round.faults);
            }
            Err(error @ RoundError::NotRoot) => return ended(Err(error)),
            // HTCondor may be away for a while.
            Err(error) => eprintln!("Error: {error}"),
        }
        let interval = Settings::of(&config).map_or(120, |(settings, _)| settings.looks_interval);
        let is_starting = !has_begun && started.elapsed() < START;
        let most = if is_starting { STARTING } else { Duration::MAX };
        let interval = Duration::from_secs(interval).min(most);
        sleep(interval.saturating_sub(begun.elapsed()).max(PAUSE));
    }
}
