//! Any text as the release policy of a held job, and behind an empty line an access point's
//! configuration: policies taken apart.
#![no_main]

use classads::{ClassAd, Syntax};
use holdadvise::policy::{Knobs, SettingsFile, explain};
use libfuzzer_sys::fuzz_target;

const JOB: &str = "[ JobStatus = 5; HoldReasonCode = 13; HoldReasonSubCode = 2; NumHolds = 2; NumJobStarts = 1; QDate = 1763690000; \
                   EnteredCurrentStatus = 1763699000; Owner = \"alice\"; HoldReason = \"no such file\"; RequestMemory = 1024 ]";

fuzz_target!(|text: &str| {
    let (policy, config) = text.split_once("\n\n").unwrap_or((text, ""));
    let Ok(mut ad) = ClassAd::parse(JOB) else { return };
    ad.insert_raw("PeriodicRelease", policy, Syntax::Old);
    let settings = SettingsFile::read(config);
    let knobs: Knobs =
        settings.assignments().iter().map(|one| (&one.name, one.value.text.as_str())).collect();
    let explanation = explain(&ad, Some(&knobs), 1_763_700_000);
    for sentence in explanation.conclusion("7.0") {
        assert!(!sentence.contains(char::is_control), "{sentence:?}");
    }
});
