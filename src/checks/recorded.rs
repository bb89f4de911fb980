//! Raw answers of looks, kept so that they can be answered from again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Why;
use super::looker::Question;

/// All answers of one call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Recorded {
    /// When it was looked, Unix seconds.
    pub time: i64,
    /// Names of the machine.
    pub hosts: Vec<String>,
    /// The answers, by account and question.
    pub answers: Vec<Answer>,
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Answer {
    /// The account whose view it was.
    pub account: String,
    /// What was asked.
    pub(super) question: Question,
    /// What was found, or why nothing was.
    pub(super) answer: Result<Value, Why>,
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use classads::ClassAd;

    use super::super::{Finding, LocalFiles, Needed, Thing};
    use super::*;

    #[test]
    fn what_was_recorded_is_answered_again_without_the_machine() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("looker");
        let answer = "#!/bin/sh\necho '{\"Result\":\"Gone\",\"ChangedAt\":7}'; cat >/dev/null\n";
        std::fs::write(&program, answer).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let (host, me) = ("ap.example.org".to_owned(), "alice".to_owned());
        let files = LocalFiles::new(program, vec![host], Some(me), |_| None, 42, true);
        let text = "GlobalJobId = \"ap.example.org#1.0#1\"\nOwner = \"alice\"\n";
        let ad: ClassAd = classads::read_ads(text.as_bytes()).next().unwrap().unwrap();
        let needed = |path: &str| {
            vec![Needed { thing: Thing::InputFile, path: path.to_owned(), named: true }]
        };
        let seen = files.check(&ad, needed("/data/x"));
        assert!(matches!(seen[0].finding, Finding::Gone { .. }), "{seen:?}");
        let line = serde_json::to_string(&files.record()).unwrap();
        drop((files, folder));

        let again = LocalFiles::recorded(serde_json::from_str(&line).unwrap());
        assert_eq!(again.check(&ad, needed("/data/x")), seen);
        let other = again.check(&ad, needed("/data/y")).remove(0);
        assert_eq!(other.finding, Finding::Unknown { why: Why::NotRecorded });
        assert_eq!(other.checked_at, 42);
    }
}
