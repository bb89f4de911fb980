//! Raw answers of looks, kept so that they can be answered from again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Why;
use super::look::Sight;
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
    pub answers: Vec<CheckAnswer>,
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CheckAnswer {
    /// The account whose view it was.
    pub account: String,
    /// What was asked.
    pub(super) question: Question,
    /// What was found, or why nothing was.
    pub(super) answer: Result<Value, Why>,
}

impl Recorded {
    /// As JSON of at most so many bytes; answers that do not fit are left out.
    pub fn to_json(&self, most: usize) -> Vec<u8> {
        let json = |part: &Self| serde_json::to_vec(part).unwrap_or_default();
        let frame = Self { answers: Vec::new(), ..self.clone() };
        // The first answer has no comma before it.
        let mut left = (most + 1).saturating_sub(json(&frame).len());
        let fits = |answer: &&CheckAnswer| {
            let length = serde_json::to_vec(answer).map_or(usize::MAX, |bytes| bytes.len() + 1);
            let room = left.checked_sub(length);
            left = room.unwrap_or(left);
            room.is_some()
        };
        let answers = self.answers.iter().filter(fits).cloned().collect();
        json(&Self { answers, ..frame })
    }

    /// The looks of one account out of [`Recorded::to_json`], as of `time` (Unix seconds) and on a
    /// machine with these names: of what else stands there nothing is kept, since whoever had that
    /// account may have written it. `None` for other text.
    pub fn looks_of(json: &[u8], account: &str, hosts: Vec<String>, time: i64) -> Option<Self> {
        let mut read: Self = serde_json::from_slice(json).ok()?;
        read.answers.retain_mut(|CheckAnswer { account: of, question, answer }| {
            if *of != account || !matches!(question, Question::Look { .. }) {
                return false;
            }
            let Ok(found) = answer else { return true };
            let sight = Sight::deserialize(&*found).and_then(serde_json::to_value);
            let fits = sight.is_ok();
            *found = sight.unwrap_or_default();
            fits
        });
        Some(Self { time, hosts, answers: read.answers })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use classads::ClassAd;
    use proptest::prelude::*;

    use super::super::{Finding, LocalFiles, Needed, Thing};
    use super::*;

    #[test]
    fn what_was_recorded_is_answered_again_without_the_machine() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("looker");
        let answer = "#!/bin/sh\necho '{\"Result\":\"InOrder\",\"ChangedAt\":7}'; cat >/dev/null\n";
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

    fn look(account: &str, path: &str, answer: &str) -> String {
        format!(
            r#"{{"Account":"{account}","Question":{{"Look":{{"path":"{path}","wanted":"Read"}}}},"#
        ) + &format!(r#""Answer":{answer}}}"#)
    }

    fn record(answers: &[String]) -> String {
        format!("{{\"Time\":1,\"Hosts\":[\"h\"],\"Answers\":[{}]}}", answers.join(","))
    }

    const THERE: &str = "{\"Ok\":{\"Result\":\"InOrder\",\"ChangedAt\":7}}";

    #[test]
    fn of_a_record_only_the_looks_of_its_account_are_kept() {
        let answer =
            |question| format!(r#"{{"Account":"bob","Question":{question},"Answer":{THERE}}}"#);
        let text = record(&[
            look("bob", "/1", THERE),
            look("alice", "/2", THERE),
            answer(r#"{"Words":{"path":"/x"}}"#),
            answer(r#"{"Url":{"url":"http://x/"}}"#),
            look("bob", "/3", "{\"Ok\":[[0,0,0]]}"),
            look("bob", "/4", "{\"Err\":\"NoAnswer\"}"),
            look("bob", "/5", "{\"Ok\":{\"Result\":\"InOrder\",\"ChangedAt\":7,\"More\":[0,0]}}"),
        ]);
        let read = Recorded::looks_of(text.as_bytes(), "bob", vec!["ap".to_owned()], 42).unwrap();
        assert_eq!((read.time, read.hosts.as_slice()), (42, &["ap".to_owned()][..]));
        let paths = read.answers.iter().map(|answer| match &answer.question {
            Question::Look { path, .. } => path.as_str(),
            other => panic!("{other:?}"),
        });
        assert_eq!(paths.collect::<Vec<_>>(), ["/1", "/4", "/5"]);
        let answer = |at: usize| serde_json::to_string(&read.answers[at].answer).unwrap();
        assert_eq!((answer(0).as_str(), answer(2)), (THERE, answer(0)));
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let text = record(&[
            look("b", "/1", THERE),
            look("b", &"x".repeat(500), THERE),
            look("b", "/2", THERE),
        ]);
        let read: Recorded = serde_json::from_str(&text).unwrap();
        assert_eq!(read.to_json(text.len()), text.as_bytes());
        let cut = read.to_json(text.len() - 200);
        assert!(cut.len() < text.len());
        let cut = Recorded::looks_of(&cut, "b", Vec::new(), 1).unwrap();
        assert_eq!(cut.answers, [read.answers[0].clone(), read.answers[2].clone()]);
        assert_eq!(Recorded::looks_of(&read.to_json(10), "b", Vec::new(), 1).unwrap().answers, []);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_record_or_none(
            bytes in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..200),
                // Pieces of one, cut and joined.
                proptest::collection::vec(
                    prop_oneof![
                        Just(look("bob", "/1", THERE)),
                        Just(look("alice", "/1", THERE)),
                        Just(look("bob", "/1", &THERE.replace('7', "1e99"))),
                        Just("{\"Time\":1,\"Hosts\":[],\"Answers\":[".to_owned()),
                        Just("]}".to_owned()),
                        Just(",".to_owned()),
                        Just("[".repeat(2_000)),
                        "[\\x00-\\x7f]{0,9}",
                    ],
                    0..12,
                ).prop_map(|parts| parts.concat().into_bytes()),
            ],
        ) {
            if let Some(read) = Recorded::looks_of(&bytes, "bob", Vec::new(), 5) {
                prop_assert!(read.answers.iter().all(|answer| answer.account == "bob"));
                prop_assert_eq!(read.time, 5);
            }
        }
    }
}
