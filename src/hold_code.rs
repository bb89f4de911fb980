//! HTCondor's hold codes: the rows of `catalogue/codes.toml`, which names their sources. Codes say
//! what failed, not whether it will again.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use SetBy::{AccessPoint, ExecutionPoint, Job, Person};

/// What the subcode of a code is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subcode {
    /// Nothing is known of it.
    #[default]
    None,
    /// An errno.
    Errno,
    /// An errno, 62 when a file-transfer plug-in timed out, or its exit status shifted left by 8.
    Transfer,
    /// Exit status of a hook; 0 it could not be executed; negative: the signal that killed it.
    Hook,
    /// Set by the expression that held the job.
    Policy,
    /// 102 memory, 104 disk; 0 before 24.0.12.
    Resource,
    /// An exit status, or -1.
    Exit,
    /// One of the table of the EC2 codes.
    Ec2,
}

/// What of a job a hold is about: what is changed, or whose limit was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    /// Nothing of the job is to be changed.
    #[default]
    Nothing,
    /// The program: its path, permission, interpreter or architecture.
    Program,
    /// The file for standard input.
    StandardInput,
    /// The files for standard output and error.
    StandardOutput,
    /// An input file.
    Input,
    /// An output file.
    Output,
    /// The initial working directory.
    WorkingDirectory,
    /// The job event log.
    EventLog,
    /// A proxy or token.
    Credential,
    /// The container image.
    Image,
    /// A request of memory or disk.
    Request,
    /// PeriodicHold or OnExitHold.
    JobPolicy,
    /// A policy of the access point.
    SystemPolicy,
    /// The policy of the execution point.
    MachinePolicy,
    /// A limit on how long a run takes.
    Duration {
        /// The attribute that sets it, s.
        attribute: &'static str,
        /// When the time begins: the first of these attributes that is there.
        began: &'static [&'static str],
    },
    /// Something else, of which the usual change says more.
    Other,
}

/// The kind of cause of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// A person, or a submission on hold.
    Person,
    /// A policy of the job, the execution point or the access point, whose reason says what it
    /// tests.
    Policy,
    /// A limit on memory, disk, time or size.
    Limit,
    /// The program, its image or its scripts.
    Program,
    /// A setting of the job that makes no sense.
    Setting,
    /// A proxy or token.
    Credential,
    /// Moving files.
    Transfer,
    /// Input that is still being spooled: the schedd releases the job itself.
    Spooling,
    /// Two sides lost each other, or a service was away.
    Connection,
    /// A file or directory of the access point.
    #[serde(rename = "file system")]
    FileSystem,
    /// A machine or its set-up.
    Host,
    /// Nothing tells.
    Unknown,
}

impl Cause {
    /// Whether such causes often pass without anybody changing the job.
    pub const fn passes(self) -> bool {
        matches!(
            self,
            Self::Transfer | Self::Spooling | Self::Connection | Self::FileSystem | Self::Host
        )
    }

    /// Whether a hold of this kind can be the job's own for good: only then a removal is thought
    /// of.
    pub const fn lasts(self) -> bool {
        match self {
            Self::Policy | Self::Limit | Self::Program | Self::Setting | Self::Credential => true,
            Self::Person
            | Self::Transfer
            | Self::Spooling
            | Self::Connection
            | Self::FileSystem
            | Self::Host
            | Self::Unknown => false,
        }
    }
}

/// Who decides on a hold: it is always the access point that writes the code into the job ad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum SetBy {
    /// Somebody, with a command.
    Person,
    /// What the job's owner asked for: a policy, a limit or a setting of the submit description.
    Job,
    /// The schedd, the shadow or the grid manager, or a policy of theirs.
    #[serde(rename(deserialize = "access point"))]
    AccessPoint,
    /// The startd or the starter, or a policy of theirs.
    #[serde(rename(deserialize = "execution point"))]
    ExecutionPoint,
}

impl SetBy {
    const fn words(self) -> &'static str {
        match self {
            Person => "a person",
            Job => "the job itself",
            AccessPoint => "the access point",
            ExecutionPoint => "the execution point",
        }
    }
}

/// A hold code of HTCondor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoldCode {
    /// HoldReasonCode.
    pub number: i32,
    /// Its name in HTCondor's sources, as `NumHoldsByReason` uses it.
    #[serde(skip)]
    pub name: &'static str,
    /// The kind of cause, where the reason says no more.
    pub cause: Cause,
    /// What HoldReasonSubCode is.
    #[serde(default)]
    pub subcode: Subcode,
    /// What of the job it is about.
    #[serde(default, deserialize_with = "about_of")]
    pub about: About,
    /// The machine may have failed, not the job: another execution point may do.
    #[serde(default)]
    pub elsewhere: bool,
    /// Who can set it.
    #[serde(deserialize_with = "set_by")]
    pub set_by: &'static [SetBy],
    /// A clause without capital and full stop.
    #[serde(rename = "means", deserialize_with = "kept")]
    pub meaning: &'static str,
    /// Why it usually happens, a clause likewise.
    #[serde(deserialize_with = "kept")]
    pub usual_causes: &'static str,
    /// The usual change, a clause likewise; empty where nothing is to be changed.
    #[serde(default, deserialize_with = "kept")]
    pub change: &'static str,
    /// What subcodes mean that are no errno, a clause likewise.
    #[serde(default, deserialize_with = "subcodes")]
    pub subcodes: &'static [(i32, &'static str)],
    /// What is gone from HTCondor 23 and later with all holds of this code.
    #[serde(default, deserialize_with = "kept_or_none")]
    pub gone: Option<&'static str>,
}

impl HoldCode {
    /// How many HTCondor 25 has, from 0 on.
    pub const COUNT: usize = 50;

    /// All of them, by number.
    pub fn all() -> &'static [Self] {
        &CODES
    }

    /// The row of a code; `None` for one that HTCondor 25 does not have.
    pub fn of(number: i32) -> Option<&'static Self> {
        let at = CODES.binary_search_by_key(&number, |code| code.number).ok()?;
        Some(&CODES[at])
    }

    /// What a subcode means, where the table says so.
    pub fn of_subcode(&self, subcode: i32) -> Option<&'static str> {
        let found = self.subcodes.iter().find(|(number, _)| *number == subcode);
        found.map(|(_, means)| *means)
    }

    /// Who can set it, in words.
    pub fn set_by_words(&self) -> String {
        self.set_by.iter().map(|by| by.words()).collect::<Vec<_>>().join(" or ")
    }
}

/// [`HoldCode::name`] of a code, where HTCondor 25 has it.
pub fn name(number: i32) -> Option<&'static str> {
    HoldCode::of(number).map(|code| code.name)
}

/// A code as people read it: `13 TransferInputError`.
pub fn label(number: i32) -> String {
    let name = name(number).unwrap_or("(no hold code of HTCondor 25)");
    format!("{number} {name}")
}

/// A code with its subcode as people read it: `13/256 TransferInputError`; without a name where
/// HTCondor 25 has none.
pub fn coded(number: i32, subcode: Option<i32>) -> String {
    let subcode = subcode.map_or(String::new(), |subcode| format!("/{subcode}"));
    let name = name(number).map_or(String::new(), |name| format!(" {name}"));
    format!("{number}{subcode}{name}")
}

/// [`HoldCode::about`] of a code, where HTCondor 25 has it.
pub fn about(number: i32) -> Option<About> {
    HoldCode::of(number).map(|code| code.about)
}

/// The kind of cause that a hold code alone names.
pub fn cause_of(number: i32) -> Cause {
    // Beyond the table are reasons for leaving a slot: the system failed (`condor_holdcodes.h`).
    let beyond = if number >= VACATE_BASE { Cause::Host } else { Cause::Unknown };
    HoldCode::of(number).map_or(beyond, |code| code.cause)
}

/// Whether HTCondor or a policy holds jobs with this code: not a person, and not a spooling that
/// goes on.
pub fn is_by_system(number: i32) -> bool {
    !matches!(cause_of(number), Cause::Person | Cause::Spooling)
}

/// A person put the job on hold.
pub const USER_REQUEST: i32 = 1;

/// The job's input is still being spooled.
pub const SPOOLING_INPUT: i32 = 16;

/// The job used more memory or disk than it was given.
pub const OUT_OF_RESOURCES: i32 = 34;

/// Codes from here on are reasons for leaving a slot, not for a hold.
pub const VACATE_BASE: i32 = 1000;

/// The rows, by number.
static CODES: LazyLock<Vec<HoldCode>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/codes.json"));
    let rows: BTreeMap<String, HoldCode> = serde_json::from_str(text)
        .unwrap_or_else(|error| unreachable!("catalogue/codes.toml: {error}"));
    let named = rows.into_iter().map(|(name, row)| HoldCode { name: name.leak(), ..row });
    let mut rows: Vec<HoldCode> = named.collect();
    rows.sort_by_key(|row| row.number);
    rows
});

/// A text of the table, which stays for ever.
fn kept<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    Ok(String::deserialize(from)?.leak())
}

fn kept_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'static str>, D::Error> {
    kept(from).map(Some)
}

fn subcodes<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<&'static [(i32, &'static str)], D::Error> {
    let rows = BTreeMap::<String, String>::deserialize(from)?.into_iter();
    let rows = rows.map(|(subcode, means)| Ok((subcode.parse()?, &*means.leak())));
    let rows: Result<Vec<_>, std::num::ParseIntError> = rows.collect();
    Ok(rows.map_err(serde::de::Error::custom)?.leak())
}

fn set_by<'de, D: Deserializer<'de>>(from: D) -> Result<&'static [SetBy], D::Error> {
    Ok(Vec::deserialize(from)?.leak())
}

fn about_of<'de, D: Deserializer<'de>>(from: D) -> Result<About, D::Error> {
    Ok(match String::deserialize(from)?.as_str() {
        "program" => About::Program,
        "standard input" => About::StandardInput,
        "standard output" => About::StandardOutput,
        "input" => About::Input,
        "output" => About::Output,
        "working directory" => About::WorkingDirectory,
        "event log" => About::EventLog,
        "credential" => About::Credential,
        "image" => About::Image,
        "request" => About::Request,
        "job policy" => About::JobPolicy,
        "system policy" => About::SystemPolicy,
        "machine policy" => About::MachinePolicy,
        "job duration" => About::Duration {
            attribute: "AllowedJobDuration",
            began: &["ShadowBday", "JobCurrentStartDate"],
        },
        "execute duration" => About::Duration {
            attribute: "AllowedExecuteDuration",
            began: &["JobCurrentStartExecutingDate"],
        },
        "other" => About::Other,
        what => return Err(serde::de::Error::custom(format!("no code is about {what:?}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_codes() {
        assert!(CODES.is_sorted_by(|a, b| a.number < b.number));
        assert_eq!(CODES.len(), HoldCode::COUNT);
        for code in CODES.iter() {
            assert!(!code.meaning.is_empty() && !code.meaning.ends_with('.'));
            assert!(!code.usual_causes.is_empty() && !code.set_by.is_empty());
            for clause in [code.usual_causes, code.change] {
                assert!(!clause.ends_with('.'));
            }
        }
        assert_eq!(name(12), Some("TransferOutputError"));
        assert_eq!((name(999), name(-1)), (None, None));
        assert_eq!(label(13), "13 TransferInputError");
        assert_eq!(label(999), "999 (no hold code of HTCondor 25)");
        for (number, expected) in [
            (USER_REQUEST, "UserRequest"),
            (SPOOLING_INPUT, "SpoolingInput"),
            (OUT_OF_RESOURCES, "JobOutOfResources"),
        ] {
            assert_eq!(name(number), Some(expected));
        }
    }

    /// Who names itself in the reasons of public logs, by code.
    #[test]
    fn those_who_set_codes_are_those_of_recorded_reasons() {
        for (number, by) in [
            (1, Person),
            (6, ExecutionPoint),
            (7, ExecutionPoint),
            (8, ExecutionPoint),
            (9, ExecutionPoint),
            (12, AccessPoint),
            (12, ExecutionPoint),
            (13, AccessPoint),
            (13, ExecutionPoint),
            (21, ExecutionPoint),
            (26, AccessPoint),
            (32, AccessPoint),
            (34, ExecutionPoint),
            (35, ExecutionPoint),
            (47, Job),
        ] {
            assert!(HoldCode::of(number).unwrap().set_by.contains(&by), "{number}");
        }
        assert_eq!(CODES[12].set_by_words(), "the access point or the execution point");
    }

    #[test]
    fn people_and_spooling_are_not_the_system() {
        let by_others: Vec<i32> = (0..60).filter(|&code| !is_by_system(code)).collect();
        assert_eq!(by_others, [1, 15, 16]);
    }
}
