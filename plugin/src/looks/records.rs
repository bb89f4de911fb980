//! What the judge takes from the records: of each owner the looks of that account, for the jobs of
//! that owner.
//!
//! Whoever has the account may have written the record. So it is opened before the judge is
//! confined, and read afterwards; it says something of files that the owner's own jobs name, and of
//! nothing else.

use std::collections::HashMap;
use std::path::Path;

use classads::ClassAd;
use eventlog::JobId;
use holdadvise::advice::{Advice, Change, ChangeKind, Evidence, Held, Policies};
use holdadvise::checks::{Check, Fault, Finding, LocalFiles, Recorded};
use holdadvise::sentences;
use holdadvise::shares::{ItemSize, Shares};

use super::folder::{Folder, Record};
use super::{LATEST, LONGEST_RECORD};

/// What is said where a file is not in order that the hold is not about: whether it is there may be
/// nobody's business but the owner's.
const ANOTHER: &str = "Another file that it needs is not in order; condor_holdadvise tells its \
                       owner which.";

/// What was seen of users' files.
#[derive(Debug, Default)]
pub struct Looks {
    unread: Vec<Unread>,
    read: HashMap<String, (i64, LocalFiles)>,
}

/// The record of an owner.
#[derive(Debug)]
struct Unread(String, Record);

impl ItemSize for Unread {
    fn size(&self) -> u64 {
        self.1.bytes.len() as u64
    }
}

impl Looks {
    /// Opens the records in a folder, which `writer` alone may write, as far as they count at `now`
    /// (Unix seconds): all together at most `most` bytes, which the owners share. With what is wrong, a line.
    pub fn open(path: &Path, writer: u32, now: i64, most: usize) -> (Self, Vec<String>) {
        let mut looks = Self::default();
        let failed = |what: &dyn std::fmt::Display| {
            format!("HOLDADVISE_LOOKS_DIR: {}: {what}; nothing is read there", path.display())
        };
        let folder = match Folder::open(path, writer) {
            Ok(Some(folder)) => folder,
            Ok(None) => return (looks, Vec::new()),
            Err(error) => return (looks, vec![failed(&error)]),
        };
        let owners = match folder.owners() {
            Ok(owners) => owners,
            Err(error) => return (looks, vec![failed(&error)]),
        };
        let mut faults = Vec::new();
        let mut shares = Shares::new(usize::MAX, most as u64);
        for owner in owners {
            let counts = |begun: i64| (0..=LATEST).contains(&now.saturating_sub(begun));
            if !folder.begun(&owner).is_some_and(counts) {
                continue;
            }
            match folder.read(&owner, writer, LONGEST_RECORD) {
                Ok(Some(record)) if counts(record.begun) => {
                    shares.push(&owner, (), Unread(owner.clone(), record));
                }
                Ok(_) => {}
                Err(error) => faults.push(format!("of {owner}: {error}")),
            }
        }
        let (unread, left_out) = shares.in_turns(1, |_| 1);
        looks.unread = unread;
        faults.extend(left_out.keys().map(|owner| format!("of {owner}: there is no room for it")));
        (looks, note(&faults))
    }

    /// Reads what was opened, on a machine with these names. What is wrong, a line.
    pub fn read(&mut self, hosts: &[String]) -> Vec<String> {
        let mut faults = Vec::new();
        for Unread(owner, Record { begun, bytes }) in self.unread.drain(..) {
            match Recorded::looks_of(&bytes, &owner, hosts.to_vec(), begun) {
                Some(record) => {
                    self.read.insert(owner, (begun, LocalFiles::recorded(record)));
                }
                None => faults.push(format!("of {owner}: it is no record")),
            }
        }
        note(&faults)
    }

    /// A held job by its ad, with what was seen of its owner's files since the hold. Without that
    /// it is what it is without any looks.
    pub fn held(
        &self,
        job: JobId,
        ad: &ClassAd,
        lacks_references: bool,
        policies: &Policies,
        now: i64,
    ) -> Held {
        let owner = ad.string("Owner").unwrap_or_default();
        // What was seen before the hold says nothing of it.
        let entered = ad.integer("EnteredCurrentStatus").unwrap_or(i64::MAX);
        let files = self.read.get(&owner).filter(|(begun, _)| *begun > entered);
        let files = files.map(|(_, files)| files);
        let mut held = Held::with_files(job, ad, lacks_references, policies, files, now);
        held.checks.retain(|check| !matches!(check.finding, Finding::Unknown { .. }));
        held
    }
}

/// The first of what is wrong, and how much more.
fn note(faults: &[String]) -> Vec<String> {
    let more = match faults.len() {
        0 | 1 => String::new(),
        count => format!(" ({} more)", count - 1),
    };
    let first = faults.first();
    first.map(|first| format!("a record of looks is left out, {first}{more}")).into_iter().collect()
}

/// What was seen of the file that a hold is about, a sentence for everybody: its path stands in the
/// hold reason. Nothing of what is in the file, and no number that changes from pass to pass.
pub fn sentence(advice: &Advice) -> Option<String> {
    let named = checks(advice).find(|check| check.named)?;
    let is_plain = match named.finding {
        Finding::Gone { .. } => true,
        Finding::StillThere { fault } => fault != Fault::Expired,
        Finding::Unknown { .. } => false,
    };
    is_plain.then(|| {
        let check = Check { remarks: Vec::new(), seen_as: None, ..named.clone() };
        sentences::evidence(&Evidence::File { check })
    })
}

/// What is to be changed, a sentence for everybody.
pub fn change(advice: &Advice, change: &Change) -> String {
    let name = match &change.what {
        ChangeKind::Correct { name, .. } => name.as_ref(),
        _ => None,
    };
    let is_other = |check: &Check| !check.named && Some(&check.path) == name;
    match checks(advice).any(is_other) {
        true => ANOTHER.to_owned(),
        false => sentences::whole_change(change),
    }
}

fn checks(advice: &Advice) -> impl Iterator<Item = &Check> {
    advice.evidence.iter().filter_map(|seen| match seen {
        Evidence::File { check } => Some(check),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;
    use rustix::process::{getegid, geteuid};

    use super::*;

    /// When the records were begun, and the jobs of [`ad`] held.
    const BEGUN: i64 = 1_790_000_000;
    const HELD: i64 = BEGUN - 60;

    fn ad(owner: &str, entered: i64) -> ClassAd {
        let text = format!(
            "ClusterId = 7\nProcId = 0\nGlobalJobId = \"ap#7.0#1\"\nOwner = \"{owner}\"\n\
             JobStatus = 5\nNumHolds = 1\nEnteredCurrentStatus = {entered}\nHoldReasonCode = 13\n\
             HoldReasonSubCode = 2\nHoldReason = \"Transfer input files failure at access point \
             ap while sending files to execution point ep. Details: reading from file /data/x: \
             (errno 2) No such file or directory\"\nIwd = \"/data\"\nTransferInput = \"x\"\n"
        );
        classads::read_ads(text.as_bytes()).next().unwrap().unwrap()
    }

    fn record(account: &str) -> String {
        let question = r#"{"Look":{"path":"/data/x","wanted":"Read"}}"#;
        let answer = r#"{"Ok":{"Result":"InOrder","ChangedAt":1}}"#;
        let answer =
            format!(r#"{{"Account":"{account}","Question":{question},"Answer":{answer}}}"#);
        format!(r#"{{"Time":9,"Hosts":[],"Answers":[{answer}]}}"#)
    }

    /// The looks of a folder with these files, at `now`.
    fn looks(files: &[(&str, Vec<u8>)], now: i64, most: usize) -> (Looks, Vec<String>) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("looks");
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let folder = Folder::make(&path, user, group).unwrap();
        for (name, bytes) in files {
            folder.write(name, &Record { begun: BEGUN, bytes: bytes.clone() }, group).unwrap();
        }
        fs::write(path.join("other"), "x").unwrap();
        let (mut looks, mut notes) = Looks::open(&path, user, now, most);
        notes.extend(looks.read(&["ap".to_owned()]));
        (looks, notes)
    }

    fn held(looks: &Looks, ad: &ClassAd) -> Held {
        looks.held(JobId::new(7, 0), ad, false, &Policies::unknown(), BEGUN)
    }

    #[test]
    fn a_record_counts_for_its_owner_after_the_hold_and_for_some_minutes() {
        let files = |owner, account| [(owner, record(account).into_bytes())];
        for (name, account, owner, entered, now, count) in [
            ("alice", "alice", "alice", HELD, BEGUN + LATEST, 1),
            ("alice", "alice", "alice", HELD, BEGUN, 1),
            ("alice", "alice", "alice", HELD, BEGUN + LATEST + 1, 0),
            ("alice", "alice", "alice", HELD, BEGUN - 1, 0),
            ("alice", "alice", "alice", BEGUN, BEGUN, 0),
            ("alice", "alice", "bob", HELD, BEGUN, 0),
            ("alice", "bob", "alice", HELD, BEGUN, 0),
            ("alice", "bob", "bob", HELD, BEGUN, 0),
        ] {
            let (looks, notes) = looks(&files(name, account), now, 10_000);
            let held = held(&looks, &ad(owner, entered));
            assert_eq!(
                (held.checks.len(), notes),
                (count, vec![]),
                "{name} {account} {owner} {now}"
            );
        }
    }

    #[test]
    fn records_have_room_together_and_the_shortest_come_first() {
        let long = record("bob") + &" ".repeat(5_000);
        let files = [("bob", long.into_bytes()), ("alice", record("alice").into_bytes())];
        let count =
            |most, owner| held(&looks(&files, BEGUN, most).0, &ad(owner, HELD)).checks.len();
        assert_eq!([count(10_000, "alice"), count(10_000, "bob")], [1, 1]);
        assert_eq!([count(5_000, "alice"), count(5_000, "bob")], [1, 0]);
        let garbage =
            [("alice", b"x".to_vec()), ("bob", b"{}".to_vec()), ("carol", vec![b'['; 9_000])];
        let (_, notes) = looks(&garbage, BEGUN, 100_000);
        assert_eq!(notes, ["a record of looks is left out, of alice: it is no record (2 more)"]);
    }

    #[test]
    fn an_owner_of_whom_nothing_was_seen_is_judged_as_without_looks() {
        let none = record("alice").replace("/data/x", "/nothing/that/is/needed");
        let (looks, _) = looks(&[("alice", none.into_bytes())], BEGUN, 10_000);
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/pool-23.9/held.long");
        let text = fs::read_to_string(data).unwrap();
        let ads = classads::read_ads(text.as_bytes()).map(|ad| ad.unwrap());
        let mut jobs = 0;
        for ad in ads.filter(|ad| ad.integer("NumHolds").is_some()) {
            jobs += 1;
            let policies = Policies::unknown();
            let without = Held::of_ad(JobId::new(7, 0), &ad, false, &policies, BEGUN);
            assert!(without.checks.is_empty());
            assert_eq!(held(&looks, &ad), without);
        }
        assert!(jobs > 10, "{jobs}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_owners_write_says_nothing_of_others(
            files in proptest::collection::vec(
                (
                    prop_oneof![Just("alice"), Just("bob"), Just("mallory")],
                    prop_oneof![
                        proptest::collection::vec(any::<u8>(), 0..100),
                        "(alice|bob)".prop_map(|account| record(&account).into_bytes()),
                        (0..200_usize).prop_map(|cut| {
                            let mut bytes = record("alice").into_bytes();
                            bytes.truncate(cut);
                            bytes
                        }),
                    ],
                ),
                0..4,
            ),
            entered in prop_oneof![Just(HELD), any::<i64>()],
        ) {
            let (looks, notes) = looks(&files, BEGUN, 10_000);
            prop_assert!(notes.len() <= 2);
            for owner in ["alice", "bob", "carol"] {
                let held = held(&looks, &ad(owner, entered));
                let whole = record(owner).into_bytes();
                let own = files.iter().rev().find(|(name, _)| *name == owner);
                let has = own.is_some_and(|(_, bytes)| *bytes == whole) && entered < BEGUN;
                prop_assert_eq!(held.checks.len(), usize::from(has), "{}", owner);
                let is_own = |check: &Check| check.seen_as.as_ref().is_some_and(|name| *name == *owner);
                prop_assert!(held.checks.iter().all(is_own));
            }
        }
    }
}
