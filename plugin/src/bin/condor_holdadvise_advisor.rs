//! `condor_holdadvise_advisor`: one pass over the held jobs of an access point, for SCHEDD_CRON.

use std::path::PathBuf;
use std::process::ExitCode;

use holdadvise::cli::switch_debug_on;
use holdadvise::inquiry::{Config, read_catalogue};
use holdadvise_plugin::check::check;
use holdadvise_plugin::confine::{Limits, attempts, confine};
use holdadvise_plugin::daemon_log::add;
use holdadvise_plugin::judge::judge;
use holdadvise_plugin::learn::LearnError;
use holdadvise_plugin::learn::day::{day, roll_back};
use holdadvise_plugin::learn::retrain::retrain;
use holdadvise_plugin::metrics;
use holdadvise_plugin::outcomes::outcomes;
use holdadvise_plugin::pass::{Outcome, health_of, pass};
use holdadvise_plugin::program::{ended, misused, printed, version, warn};
use holdadvise_plugin::settings::Settings;

const HELP: &str = "\
Usage: condor_holdadvise_advisor [-debug]
       condor_holdadvise_advisor -check
       condor_holdadvise_advisor -learn | -rollback | -retrain
       condor_holdadvise_advisor -confinement [FILE]

Judges all held jobs of the access point once and writes HoldAdvice into their ads. HTCondor starts
it every few minutes (SCHEDD_CRON); the file 40-holdadvise of its configuration has the settings.

  -debug         Say on standard error what is done.
  -check         Say what is on, missing or overwritten, and what to do; ends with 1 where something
                 is wrong. For root or the account of HTCondor; others see less.
  -learn         Once a day at most: fit the calibration of the model to what came of releases here,
                 look for drift, and at a model on trial. HTCondor starts it every hour.
  -rollback      Take back the model that was installed last; it is not installed again.
  -retrain       As a service account: submit the training that is asked for. Never as root.
  -confinement   Show what the process that reads users' text is denied; ends with 0 if it is all.
  -version       Print the version.
  -help          Print this.
";

/// Seconds and bytes for `-confinement`.
const TRIAL: Limits = Limits { memory: 256 << 20, seconds: 10 };

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let debug = words.iter().position(|word| word == "-debug").map(|at| words.remove(at)).is_some();
    let config = Config::of_user();
    if debug {
        switch_debug_on(config.get_condor("TOOL_DEBUG").as_deref());
    }
    // Before the judge is confined.
    read_catalogue(&config);
    let now = jiff::Timestamp::now().as_second();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => one_pass(&config, now, debug),
        ["-check"] => checked(&config, now),
        ["-judge"] => ended(judge(&config, now)),
        ["-outcomes"] => ended(outcomes(&config, now)),
        ["-learn"] => one_day(&config, now, debug),
        ["-rollback"] => said(roll_back(&config, now)),
        ["-retrain"] => said(retrain(&config)),
        ["-confinement", rest @ ..] if rest.len() < 2 => confinement(rest.first().copied()),
        ["-help"] => printed(HELP),
        ["-version"] => version(),
        _ => misused(HELP),
    }
}

fn one_pass(config: &Config, now: i64, debug: bool) -> ExitCode {
    match pass(config, now, debug) {
        Ok(Outcome::Made(counts, faults, lines)) => {
            warn(&faults);
            let ad = counts.to_string();
            let fault = publish(config, &ad);
            warn(fault.as_slice());
            note(config, &[lines, fault.into_iter().collect()].concat());
            printed(&ad)
        }
        Ok(Outcome::Busy) => {
            eprintln!("Another advisor is at work; this one leaves");
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(config, &[format!("Error: the pass failed: {error}")]);
            // Whoever looks at the ad of the schedd sees it.
            let _ = printed(&format!("{}-\n", health_of(config, &error, now)));
            ended(Err(error))
        }
    }
}

/// Adds lines to the log of the advisor.
fn note(config: &Config, lines: &[String]) {
    let Ok((settings, _)) = Settings::of(config) else { return };
    let Some(log) = settings.log else { return };
    if let Err(error) = add(&log, settings.log_bytes, lines) {
        warn(&[format!("HOLDADVISE_LOG: {}: {error}", log.display())]);
    }
}

/// Writes the counts of a pass for Prometheus; what went wrong.
fn publish(config: &Config, ad: &str) -> Option<String> {
    let file = Settings::of(config).ok()?.0.metrics?;
    let error = metrics::write(&file, ad).err()?;
    Some(format!("HOLDADVISE_METRICS: {}: {error}", file.display()))
}

fn checked(config: &Config, now: i64) -> ExitCode {
    match check(config, now) {
        Ok((text, is_fine)) => {
            let printed = printed(&text);
            if is_fine { printed } else { ExitCode::FAILURE }
        }
        Err(error) => ended(Err(error)),
    }
}

fn one_day(config: &Config, now: i64, debug: bool) -> ExitCode {
    match day(config, now, debug) {
        Ok(Some(day)) => {
            warn(&day.faults);
            let line = |fault: &String| format!("Learning: {fault}");
            note(config, &day.faults.iter().map(line).collect::<Vec<_>>());
            printed(&day.to_string())
        }
        // What the ad of the schedd says stays.
        Ok(None) | Err(LearnError::Off) => ExitCode::SUCCESS,
        Err(error) => {
            note(config, &[format!("Error: learning: {error}")]);
            ended(Err(error))
        }
    }
}

fn said(result: Result<String, LearnError>) -> ExitCode {
    match result {
        Ok(text) => printed(&text),
        Err(error) => ended(Err(error)),
    }
}

fn confinement(file: Option<&str>) -> ExitCode {
    let file = file.map_or_else(|| PathBuf::from("/etc/hostname"), PathBuf::from);
    if let Err(error) = confine(TRIAL) {
        return ended(Err(error));
    }
    let mut all = true;
    for (what, result) in attempts(&file) {
        match result {
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => println!("denied: {what}"),
            Err(error) => {
                println!("failed otherwise: {what}: {error}");
                all = false;
            }
            Ok(()) => {
                println!("ALLOWED: {what}");
                all = false;
            }
        }
    }
    if all { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
