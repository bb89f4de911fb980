//! What is true now, on this machine, of the files that a held job needs.
//!
//! A look changes nothing. It asks for the attributes of a file, whether the job's owner may use
//! it so, how much space is left, for the beginning of an executable, for the end of a credential,
//! and for the text of a script (`-profile`). Only the job's own ad says which files, and only of a
//! job whose schedd runs here ([`LocalFiles`]).
//!
//! A file system may hang: another process looks, with the rights of the job's owner and no
//! others. It is left behind where it does not answer. Such processes also ask the servers of
//! URLs, where that is wanted.
//!
//! - `asked`: URLs that an account asked lately.
//! - `credentials`: when a proxy or token ends.
//! - `files`: whose files may be looked at on this machine.
//! - `look`: one look at one path.
//! - `looker`: the process that looks, and its deadlines.
//! - `mounts`: file systems of this machine.
//! - `readers`: what reads bytes of others, for the fuzz targets.
//! - `recorded`: raw answers that were kept, to answer from again.
//! - `script`: a script: its text, or what is said of it.
//! - `urls`: one request for the first byte of a URL.
//! - `words`: the line of a program's output that says why it failed.

mod asked;
mod credentials;
mod files;
mod look;
mod looker;
mod mounts;
#[doc(hidden)]
pub mod readers;
mod recorded;
mod script;
mod urls;
mod words;

use std::ffi::OsString;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use files::{FileSystems, LocalFiles, Urls};
pub use looker::serve;
pub use recorded::{CheckAnswer, Recorded};
pub use script::{Script, ScriptSeen, Unread};
pub use words::{Words, WordsKind};

pub use crate::rights::Ids;
use crate::text::Foreign;

/// The argument with which a program of this crate looks at files for another: [`serve`].
pub const SERVE: &str = "-look";

/// What looks at files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A program that is started with its arguments and [`SERVE`]: it calls [`serve`] with what
    /// follows.
    Other {
        /// Its file.
        path: PathBuf,
        /// What it needs before [`SERVE`].
        arguments: Vec<OsString>,
    },
    /// Threads of this process, which has the rights that are needed, and ends soon: a thread that
    /// hangs in a file system is left to that.
    OwnThreads,
}

impl Program {
    /// The program of this process; `None` where its file is not known.
    pub fn of_process() -> Option<Self> {
        std::env::current_exe().ok().map(Self::from)
    }
}

impl From<PathBuf> for Program {
    fn from(path: PathBuf) -> Self {
        Self::Other { path, arguments: Vec::new() }
    }
}

/// What a job needs a file or directory for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum Thing {
    /// Iwd.
    WorkingDirectory,
    /// Cmd, where it is transferred.
    Executable,
    /// Cmd, where it is not: it lies at the execution point, and may lie here too.
    ExecutableInPlace,
    /// In.
    StandardInput,
    /// A file or directory of TransferInput.
    InputFile,
    /// x509userproxy.
    Proxy,
    /// A token or key: ScitokensFile, EC2AccessKeyId, EC2SecretAccessKey, GceAuthFile, AzureAuthFile.
    Token,
    /// Out, Err or a target of TransferOutputRemaps.
    OutputFile,
    /// UserLog.
    EventLog,
    /// A URL of TransferInput or of the hold reason.
    Url,
}

/// A file or directory that a job needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    /// What for.
    pub thing: Thing,
    /// Its full path, or the URL.
    pub path: String,
    /// The hold reason names it, or its code is about it.
    pub named: bool,
}

/// One check of a file or URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Check {
    /// What it is for.
    pub thing: Thing,
    /// Its full path, or the URL.
    pub path: Foreign,
    /// The hold reason names it, or its code is about it.
    pub named: bool,
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
    /// When, Unix seconds.
    pub checked_at: i64,
    /// The account whose view it was; `None` for URLs, and where nothing was looked at.
    pub seen_as: Option<Foreign>,
    /// When a credential ends, as far as it says so, Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<i64>,
    /// Of a script what its first line names.
    #[serde(skip)]
    pub interpreter: Option<Foreign>,
    /// What else is to be said of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
}

/// What is to be said of a file besides. None of it moves a probability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum Remark {
    /// It has no bytes.
    Empty,
    /// It was changed since the hold.
    ChangedSinceHold,
    /// The interpreter in its first line is not on this machine.
    NoInterpreter {
        /// Its path.
        interpreter: Foreign,
    },
    /// It is a program for another kind of machine than this one.
    OtherMachine {
        /// Which, as Rust names it.
        machine: Foreign,
    },
    /// It may not be executed where it lies.
    NotExecutable,
    /// It ends before a run as long as this would.
    EndsBeforeRun {
        /// The job's own limit, else the mean of its earlier runs, s.
        seconds: i64,
    },
}

/// Whether the trouble with a file is still there.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize,
)]
#[serde(tag = "Result", rename_all_fields = "PascalCase")]
pub enum Finding {
    /// It is wrong now.
    #[serde(rename = "Wrong", alias = "StillThere")]
    StillThere {
        /// How.
        fault: Fault,
    },
    /// Nothing is wrong with it now.
    #[serde(rename = "InOrder", alias = "Gone")]
    Gone {
        /// When the file or its attributes were last changed (mtime, ctime), Unix seconds; `None`
        /// for a URL.
        changed_at: Option<i64>,
    },
    /// It cannot be said.
    Unknown {
        /// Why.
        why: Why,
    },
}

/// What is wrong with a file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize,
)]
#[schemars(rename = "FileFault")]
pub enum Fault {
    /// It is not there (ENOENT, ENOTDIR); of what is written, its directory.
    Missing,
    /// The job's owner may not use it so (EACCES, EPERM).
    Denied,
    /// Its file system may not be written (EROFS).
    ReadOnly,
    /// It is no directory.
    NotDirectory,
    /// It is neither a file nor a directory.
    NotRegular,
    /// It is a directory.
    Directory,
    /// Symbolic links lead in a circle (ELOOP).
    LinkLoop,
    /// No space is left on its file system.
    NoSpace,
    /// No inodes are left on its file system.
    NoInodes,
    /// Its first line ends with a carriage return, so that no interpreter is found.
    CarriageReturn,
    /// What its first line names is not there, and the job could not be started for that.
    NoInterpreter,
    /// The credential has expired.
    Expired,
}

/// Why a check says nothing.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize,
)]
pub enum Why {
    /// The job's schedd runs on another machine.
    NotThisMachine,
    /// The job belongs to another user, whose rights this program does not have.
    NotTheOwner,
    /// The file system or server did not answer in time.
    NoAnswer,
    /// Its file system (AFS, CIFS, Kerberos) decides by credentials that may be other ones here.
    Credentials,
    /// The time for all checks was up.
    NoTime,
    /// Nobody looked then ([`LocalFiles::recorded`]).
    NotRecorded,
    /// Room on a file system shows nothing of a quota, nor of the space that output needs.
    Quota,
    /// The file is too large for a credential.
    TooLarge,
    /// The file has no certificate that can be read.
    Format,
    /// Only http and https URLs are asked.
    Scheme,
    /// A URL has user information or a signature in it.
    Secret,
    /// A URL was not among those that are asked in a minute.
    NotAsked,
    /// The server of a URL has no public address, and may not be asked for another's job.
    NotPublic,
    /// The server of a URL cannot be reached from here.
    Away,
    /// The name service of this machine does not know the server of a URL, and knows others.
    NoName,
    /// The certificate of a server is not accepted here.
    Tls,
    /// The server of a URL answers with this HTTP status.
    Status(u16),
    /// A URL redirects too often.
    Redirects,
    /// It looked missing, and what lies in it was found.
    Contradicted,
    /// The look failed for another reason.
    Failed,
}

impl Thing {
    /// It is written; where it is not there, its directory is.
    pub const fn is_written(self) -> bool {
        matches!(self, Self::OutputFile | Self::EventLog)
    }
}

impl Check {
    /// HTCondor needs this very thing at this very place to run the job, and it is not so now: a
    /// release as it is cannot succeed.
    pub(crate) fn blocks(&self) -> bool {
        // An execution point may reach another server than this machine does, and has other
        // programs.
        let is_elsewhere = matches!(self.thing, Thing::Url | Thing::ExecutableInPlace);
        let lasts =
            |fault: Fault| !fault.may_pass() || self.named && fault == Fault::CarriageReturn;
        let is_wrong = matches!(self.finding, Finding::StillThere { fault } if lasts(fault));
        is_wrong && !is_elsewhere
    }

    /// What an execution point has or has not, which this machine shows by its own.
    pub(crate) fn is_of_execution_point(&self) -> bool {
        self.finding == Finding::StillThere { fault: Fault::NoInterpreter }
    }

    /// What the hold was about is wrong now.
    pub(crate) fn lasts(&self) -> bool {
        let is_missing_url = self.thing == Thing::Url
            && self.finding == Finding::StillThere { fault: Fault::Missing };
        self.named && (self.blocks() || is_missing_url)
    }

    /// The status with which the server of the URL that the hold is about answers, where that says
    /// nothing of the URL itself.
    const fn status(&self) -> Option<u16> {
        match self.finding {
            Finding::Unknown { why: Why::Status(status) } if self.named => Some(status),
            _ => None,
        }
    }

    /// The server of the URL that the hold is about answers.
    pub(crate) const fn answers(&self) -> bool {
        self.status().is_some()
    }

    /// It answers now that it cannot give it: it asks for fewer requests, or has an error of its own
    /// (RFC 9110, 15.6; RFC 6585, 4).
    pub(crate) fn fails_now(&self) -> bool {
        self.status().is_some_and(|status| status == 429 || (500..600).contains(&status))
    }

    /// What the hold was about is in order now.
    pub(crate) fn is_over(&self) -> bool {
        self.named && matches!(self.finding, Finding::Gone { .. })
    }
}

impl Fault {
    /// A run may get by all the same.
    const fn may_pass(self) -> bool {
        matches!(self, Self::NoSpace | Self::NoInodes | Self::CarriageReturn)
    }
}
