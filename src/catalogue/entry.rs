//! An entry: where it applies, what it means, and what ends it.

use std::collections::BTreeMap;

use classads::{ClassAd, EvalContext, Expr, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::Display;

use super::template::Template;
use super::wording::Wording;
use crate::history::ErrorType;
use crate::history::reason::Side;

use crate::hold_code::Cause;

/// An entry of the catalogue. Its fields are described in `docs/catalogue.md`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// The file that it stands in, and the line of its name.
    #[serde(skip)]
    pub place: (Box<str>, usize),
    /// Its text as it is written; those that are shipped have theirs in [`sources`](super::sources).
    #[serde(skip)]
    pub written: String,
    /// It is not shipped.
    #[serde(skip)]
    pub of_site: bool,
    /// What it reads.
    #[serde(default)]
    pub reads: Reads,
    /// HoldReasonCode; empty: any.
    #[serde(default)]
    pub code: Vec<i32>,
    /// HoldReasonSubCode; empty: any.
    #[serde(default)]
    pub subcode: Vec<i32>,
    /// What a transfer moved.
    pub files: Option<Moved>,
    /// The side that failed.
    #[serde(default, deserialize_with = "side")]
    pub at: Option<Side>,
    /// Wordings, of which one has to fit.
    #[serde(default)]
    pub text: Vec<Wording>,
    /// Types of typed transfer errors.
    #[serde(default)]
    pub error: Vec<String>,
    /// Wordings, of which none may fit.
    #[serde(default)]
    pub unless: Vec<Wording>,
    /// What has to be true of the job ad.
    #[serde(default, deserialize_with = "condition")]
    pub when: Option<Expr>,
    /// It gives way to every entry that is none.
    #[serde(default)]
    pub fallback: bool,
    /// What a line of a program's output says.
    pub kind: Option<WordsKind>,
    /// What such a line is worth, 1 to 100.
    pub worth: Option<i32>,
    /// What it means.
    pub means: Template,
    /// What may be at fault, with weights.
    pub fault: BTreeMap<Fault, f64>,
    /// What ends it.
    pub ends: Ends,
    /// How long that usually takes, seconds.
    #[serde(default, deserialize_with = "range")]
    pub lasts: Option<[i64; 2]>,
    /// What to do.
    pub remedy: Option<Template>,
    /// What of the job is raised.
    pub edit: Option<Edit>,
    /// What to look at.
    pub look: Option<Look>,
    /// Where the claim stands.
    pub source: String,
    /// Texts that it hits; not of those that are shipped.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Texts that it does not hit.
    #[serde(default)]
    pub near: Vec<String>,
}

impl Look {
    /// What is to be changed is not known before.
    pub const fn comes_first(self) -> bool {
        matches!(self, Self::Output | Self::JobPolicy | Self::SystemPolicy | Self::Log)
    }
}

/// What an entry reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// A hold reason.
    #[default]
    Reason,
    /// A line of a program's output.
    Output,
}

/// What a transfer moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moved {
    /// To the execution point.
    Input,
    /// From the execution point.
    Output,
    /// A checkpoint.
    Checkpoint,
}

/// What may be at fault.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Deserialize,
    Serialize,
    JsonSchema,
    Display,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// An input file of the job.
    Input,
    /// The submit file.
    Submit,
    /// The program.
    Program,
    /// A credential of the owner.
    Credential,
    /// A quota of the owner.
    Quota,
    /// A file.
    File,
    /// A permission.
    Permission,
    /// A URL.
    Url,
    /// A server.
    Server,
    /// A machine.
    Machine,
    /// A site.
    Site,
    /// The access point.
    AccessPoint,
    /// The pool's policy.
    Policy,
    /// A person.
    Person,
    /// Luck of the run.
    Chance,
}

/// What ends a trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema, Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Ends {
    /// Nothing but a change of the job, its files or its requests.
    Change,
    /// Somebody else.
    Person,
    /// It passes.
    Time,
    /// The next start, anywhere.
    #[serde(rename = "next start")]
    #[strum(serialize = "the next start")]
    NextStart,
    /// The next start on another machine.
    Elsewhere,
}

impl Ends {
    /// It passes without anybody's doing.
    pub const fn passes(self) -> bool {
        matches!(self, Self::Time | Self::NextStart | Self::Elsewhere)
    }

    /// It stays until somebody acts.
    pub const fn lasts(self) -> bool {
        !self.passes()
    }
}

/// What of the job is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edit {
    /// RequestMemory.
    Memory,
    /// RequestDisk.
    Disk,
    /// A limit on time.
    Time,
    /// RequestCpus.
    Cpus,
}

/// What to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Look {
    /// What the program wrote.
    Output,
    /// The file of the text.
    File,
    /// The URL of the text.
    Url,
    /// The room on the file system of the file.
    Space,
    /// The event log of the job.
    Log,
    /// The job's policies.
    #[serde(rename = "job policy")]
    JobPolicy,
    /// The access point's policies.
    #[serde(rename = "system policy")]
    SystemPolicy,
}

/// What a failed access to a file or URL complains of.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize,
)]
#[serde(rename_all(deserialize = "kebab-case"))]
pub enum Trouble {
    /// The file or URL is not there.
    Missing,
    /// Permission is denied.
    Denied,
    /// A service or network was away: that passes.
    Away,
    /// The disk or quota is full where the files go.
    NoSpace,
}

impl Trouble {
    /// Whether it stays until somebody changes something at that very place.
    pub const fn lasts(self) -> bool {
        matches!(self, Self::Missing | Self::Denied | Self::NoSpace)
    }
}

impl Entry {
    /// What is most likely at fault.
    pub fn at_fault(&self) -> Fault {
        let most = self.fault.iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
        most.map_or(Fault::Chance, |(fault, _)| *fault)
    }

    /// How likely it is one of these that is at fault, 0 to 1.
    pub fn share(&self, of: impl Fn(&Fault) -> bool) -> f64 {
        let these = self.fault.iter().filter(|(fault, _)| of(fault)).map(|(_, weight)| weight);
        these.sum::<f64>() / self.fault.values().sum::<f64>()
    }

    /// Parts that its clauses name.
    pub(super) fn named(&self) -> impl Iterator<Item = &'static str> {
        let remedy = self.remedy.iter().flat_map(Template::names);
        self.means.names().chain(remedy)
    }

    /// Codes alone say where it applies.
    pub(super) fn is_by_codes(&self) -> bool {
        self.text.is_empty() && self.error.is_empty()
    }

    /// What it complains of, of a file, URL or service.
    pub fn trouble(&self) -> Option<Trouble> {
        let of_fault = |fault: Fault| match fault {
            Fault::Credential | Fault::Permission => Some(Trouble::Denied),
            Fault::Quota => Some(Trouble::NoSpace),
            Fault::Url | Fault::File | Fault::Input => Some(Trouble::Missing),
            _ => None,
        };
        let named =
            self.fault.iter().filter_map(|(fault, weight)| Some((of_fault(*fault)?, weight)));
        match self.ends.passes() {
            true => Some(Trouble::Away),
            false => named.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(trouble, _)| trouble),
        }
    }

    /// The kind of cause.
    pub fn cause(&self) -> Cause {
        match (self.edit, self.at_fault()) {
            (Some(_), _) => Cause::Limit,
            (_, Fault::Person) => Cause::Person,
            (_, Fault::Policy) => Cause::Policy,
            (_, Fault::Program) => Cause::Program,
            (_, Fault::Submit) => Cause::Setting,
            (_, Fault::Credential) => Cause::Credential,
            (_, Fault::Input | Fault::Url | Fault::File | Fault::Permission | Fault::Quota) => {
                Cause::Transfer
            }
            (_, Fault::Server | Fault::Chance) => Cause::Connection,
            (_, Fault::Machine | Fault::Site | Fault::AccessPoint) => Cause::Host,
        }
    }

    /// Whether its condition is true; of an ad that is not known it is not.
    pub(super) fn holds(&self, ad: Option<&ClassAd>) -> bool {
        self.when.as_ref().is_none_or(|condition| {
            let value = ad.map(|ad| ad.evaluate_expr(condition, &EvalContext::quick()));
            value == Some(Value::Boolean(true))
        })
    }

    /// What is wrong with it, beyond the form of its fields.
    pub(super) fn fault_of_form(&self) -> Option<&'static str> {
        let is_output = self.reads == Reads::Output;
        let by_codes = !self.code.is_empty() && !self.subcode.is_empty();
        let most = self.fault.values().copied().fold(0.0, f64::max);
        let is_type = |error: &String| ErrorType::of(error);
        let narrows = self.when.is_some()
            || self.files.is_some()
            || self.at.is_some()
            || self.fallback
            || self.edit.is_some()
            || !(self.code.is_empty() && self.subcode.is_empty() && self.error.is_empty());
        match () {
            () if self.is_by_codes() && !by_codes => {
                Some("it has no text, no error, and not both code and subcode")
            }
            () if self.error.iter().any(|error| is_type(error).is_none()) => {
                Some("error names no ErrorType of HTCondor")
            }
            () if self.fault.is_empty()
                || self.fault.values().any(|weight| *weight <= 0.0 || !weight.is_finite()) =>
            {
                Some("fault needs one name at least, with weights above 0")
            }
            () if self.fault.values().filter(|weight| **weight == most).count() > 1 => {
                Some("fault has two of the highest weight: one has to be the likeliest")
            }
            () if self.remedy.is_none() && self.ends.lasts() && !is_output => {
                Some("it ends by a change or a person, and has no remedy")
            }
            () if self.lasts.is_some() && self.ends != Ends::Time => {
                Some("lasts is of ends = \"time\" alone")
            }
            () if self.worth.is_some() != is_output || self.kind.is_some() != is_output => {
                Some("kind and worth are of reads = \"output\", which needs both")
            }
            () if self.worth.is_some_and(|worth| !(1..=100).contains(&worth)) => {
                Some("worth is 1 to 100")
            }
            () if is_output && narrows => {
                Some("reads = \"output\" goes with text and unless alone")
            }
            () if self.source.is_empty() => Some("it names no source"),
            () if self.examples.is_empty() => Some("it has no example"),
            () => None,
        }
    }
}

/// What a line of a program's output says.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize,
)]
pub enum WordsKind {
    /// A command was not found.
    CommandMissing,
    /// A module, package or shared library is not there where it ran.
    LibraryMissing,
    /// The C library there is older than the program needs.
    LibraryTooOld,
    /// It ran out of memory.
    Memory,
    /// No space was left.
    NoSpace,
    /// CVMFS did not give a file.
    Cvmfs,
    /// The memory of a GPU was used up.
    GpuMemory,
    /// CUDA, or no GPU.
    Gpu,
    /// No licence was to be had.
    Licence,
    /// A service could not be reached, or did not answer in time.
    Network,
    /// A credential is missing or has expired.
    Credential,
    /// A file is not there.
    FileMissing,
    /// Permission was denied.
    Denied,
    /// It crashed: a bad address, an abort.
    Crash,
    /// It was ended from outside.
    Killed,
    /// A file system failed, or may not be written to.
    Storage,
    /// Its arguments or options are wrong.
    Usage,
    /// A mistake in the program or its input: an index, a type, an assertion.
    Bug,
    /// Its own error, in its own words.
    Own,
}

impl WordsKind {
    /// The line names what to correct in the job, its program or its files. A command, a library, a
    /// file or a permission may be what the place where it ran lacks: a line alone does not tell.
    pub(crate) const fn is_of_program(self) -> bool {
        matches!(self, Self::Usage | Self::Bug)
    }

    /// How little a line of this kind says, for a choice among files: less is better.
    pub(crate) const fn vagueness(self) -> u8 {
        match self {
            Self::Killed => 2,
            Self::Own | Self::Crash => 1,
            _ => 0,
        }
    }
}

fn condition<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Expr>, D::Error> {
    let text = String::deserialize(from)?;
    Expr::parse(&text).map(Some).map_err(serde::de::Error::custom)
}

fn side<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Side>, D::Error> {
    match String::deserialize(from)?.as_str() {
        "access point" => Ok(Some(Side::AccessPoint)),
        "execution point" => Ok(Some(Side::ExecutionPoint)),
        _ => Err(serde::de::Error::custom("at is \"access point\" or \"execution point\"")),
    }
}

fn range<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<[i64; 2]>, D::Error> {
    let span = |text: &String| {
        let (digits, unit) = text.split_at(text.len().checked_sub(1)?);
        let seconds = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => return None,
        };
        digits.parse::<i64>().ok()?.checked_mul(seconds)
    };
    let [least, most] = <[String; 2]>::deserialize(from)?;
    match (span(&least), span(&most)) {
        (Some(least), Some(most)) if least <= most => Ok(Some([least, most])),
        _ => Err(serde::de::Error::custom("lasts is two times such as \"10m\" and \"4h\"")),
    }
}
