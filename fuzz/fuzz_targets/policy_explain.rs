//! Any text, a job ad and behind an empty line an access point's configuration: policies taken apart.
#![no_main]

use holdadvise::policy::{Knobs, SettingsFile, explain};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (ad, config) = text.split_once("\n\n").unwrap_or((text, ""));
    let Some(Ok(mut ad)) = classads::read_ads(ad.as_bytes()).next() else { return };
    ad.insert_value("JobStatus", 5);
    let settings = SettingsFile::read(config);
    let knobs: Knobs =
        settings.assignments().iter().map(|one| (&one.name, one.value.text.as_str())).collect();
    let explanation = explain(&ad, Some(&knobs), 1_763_700_000);
    for sentence in explanation.conclusion("7.0") {
        assert!(!sentence.contains(char::is_control), "{sentence:?}");
    }
});
