//! Any text, as an expression and as a submit description or a configuration file: findings and
//! their places.
#![no_main]

use holdadvise::policy::SettingsFile;
use holdadvise::policy::lint::{Role, Setting, lint};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for role in Role::ALL {
        for finding in lint(text, &Setting::alone(role)) {
            assert!(text.get(finding.span.clone()).is_some(), "{text:?}: {finding:?}");
        }
    }
    let file = SettingsFile::read(text);
    for setting in file.assignments() {
        for finding in lint(&setting.value.text, &Setting::alone(Role::Release)) {
            let origin = setting.value.origin(&finding.span);
            assert!(text.get(origin.clone()).is_some(), "{text:?}: {origin:?}");
            let _ = file.line(origin.start);
        }
    }
});
