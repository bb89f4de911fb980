//! Root's shell may have the environment of a user (`sudo`, `su` without `-`): what is not one's own
//! or root's sets nothing. Only root makes files of others: skipped, and said so, for everybody else.

use std::os::unix::fs::lchown;

use crate::harness::{Place, Said, ad};

/// Any other account.
const OTHER: u32 = 65_534;

/// A folder that is to be a home, with these files.
fn home_or_skip(files: &[(&str, &str)]) -> Option<Place> {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root makes files of others");
        return None;
    }
    let place = Place::new();
    for (path, text) in files {
        place.file(path, text);
    }
    place.file("held.ads", ad(7, 0, ""));
    Some(place)
}

fn is_others(place: &Place, path: &str) {
    lchown(place.path(path), Some(OTHER), None).expect("given");
}

fn refused(said: &Said, path: &str) {
    assert_eq!(said.status, 0, "{said:?}");
    let why = format!("DIR/{path} belongs to user id {OTHER}, expected 0 or root");
    assert!(said.stderr.contains(&why), "{why}: {said:?}");
}

#[test]
fn settings_of_another_account_set_nothing() {
    for (file, others) in [
        (".condor/holdadvise/config", ".condor/holdadvise/config"),
        (".condor/holdadvise/config", ".condor"),
        (".config/condor-holdadvise/config", ".config"),
    ] {
        let setting = (file, "HOLDADVISE_RELEASE_THRESHOLD = 0.123\n");
        let Some(place) = home_or_skip(&[setting]) else { return };
        let thresholds = || place.advise("-version").stdout.contains("release from 0.123");
        assert!(thresholds(), "{file}");
        is_others(&place, others);
        assert!(!thresholds(), "{others}");
        refused(&place.advise("-jobads held.ads -now 1772362800"), others);
    }
}

#[test]
fn a_model_of_another_account_is_not_used_unless_an_option_names_it() {
    for (file, others) in [
        (".condor/holdadvise/default.pt", ".condor/holdadvise/default.pt"),
        (".local/share/condor-holdadvise/default.pt", ".local"),
    ] {
        let Some(place) = home_or_skip(&[(file, "no model")]) else { return };
        let words = "-jobads held.ads -now 1772362800";
        place.advise(words).is_error(&["not a readable TorchScript archive"]);
        is_others(&place, others);
        refused(&place.advise(words), others);
        let set = |name: &str, value: &str| {
            let mut command = place.command(env!("CARGO_BIN_EXE_condor_holdadvise"));
            command.args(words.split(' ')).env(name, value);
            command.stderr(std::process::Stdio::piped());
            String::from_utf8(command.output().expect("it runs").stderr).expect("UTF-8")
        };
        // The environment is the one of the other account, too.
        let said = set("_CONDOR_HOLDADVISE_MODEL", file);
        assert!(said.contains(&format!("belongs to user id {OTHER}")), "{said}");
        let named = place.advise(&format!("{words} -model {file}"));
        named.is_error(&["not a readable TorchScript archive"]);
    }
}

#[test]
fn a_calibration_of_another_account_is_not_used() {
    let Some(place) = home_or_skip(&[("kept/calibration.json", "{}")]) else { return };
    let said = || {
        let mut command = place.command(env!("CARGO_BIN_EXE_condor_holdadvise"));
        command.args(["-version", "-debug"]).env("_CONDOR_HOLDADVISE_HOME_DIR", place.path("kept"));
        command.stderr(std::process::Stdio::piped());
        String::from_utf8(command.output().expect("it runs").stderr).expect("UTF-8")
    };
    assert!(said().contains("missing field"), "{}", said());
    is_others(&place, "kept");
    assert!(said().contains(&format!("kept belongs to user id {OTHER}")), "{}", said());
}
