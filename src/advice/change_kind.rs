//! What is changed before a release, as data.

use schemars::JsonSchema;
use serde::Serialize;

use super::by_hand::ByHand;
use super::command::Command;
use super::edits::EditFacts;
use super::figure::Figure;
use crate::catalogue::{Look, Reading};
use crate::sizes::Resource;
use crate::text::Foreign;

/// What to change before a release, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What to change.
    pub what: ChangeKind,
    /// The commands that make the change, in order. None where it is made by hand.
    pub commands: Vec<Command>,
    /// What goes with it.
    pub facts: EditFacts,
    /// Where the faulty name stands, of what is corrected by hand.
    pub by_hand: Option<ByHand>,
}

impl Change {
    /// With the commands that make it.
    pub fn new(what: ChangeKind, commands: Vec<Command>) -> Self {
        Self { what, commands, facts: EditFacts::default(), by_hand: None }
    }
}

/// What to change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum ChangeKind {
    /// Request more of a resource.
    Request {
        /// Which.
        resource: Resource,
        /// What to request, MiB of memory or KiB of disk; `None` where it is not known how much was
        /// used.
        to: Option<Figure>,
        /// What the last run used, in the same unit.
        used: Option<Figure>,
        /// What the hold reason names, where no usage is known.
        named: Option<Figure>,
        /// The most that a like job used that finished, where that is why.
        finished_with: Option<Figure>,
        /// Where it is not enough for all like jobs that needed more than this one was given: for
        /// how many of them it is, and how many they are.
        enough_for: Option<[usize; 2]>,
    },
    /// A figure that no machine has, MiB of memory or KiB of disk.
    TooMuch {
        /// Of which resource.
        resource: Resource,
        /// The attribute that has it.
        figure: &'static str,
        /// The figure.
        value: i64,
    },
    /// Keep it off the machine or site where it failed.
    Place {
        /// The attribute of a machine that names the place.
        attribute: &'static str,
        /// The place.
        name: Option<Foreign>,
        /// A clause for Requirements, where they are not known and no command can extend them.
        clause: Option<String>,
    },
    /// Raise a limit of the job's own that held it, or make the job need less.
    Limit {
        /// The attribute or knob that sets it.
        policy: String,
        /// The comparison, as it is written.
        test: Foreign,
        /// What it was when the job was held, in the unit of the test.
        reached: Figure,
        /// The job would be held again at once, if it is released as it is.
        at_once: bool,
        /// The longest run of like jobs that finished, in the unit of the test, where that is why.
        finished_after: Option<Figure>,
        /// How it is raised.
        raise: LimitRaise,
    },
    /// Allow more time than AllowedJobDuration or AllowedExecuteDuration does.
    Time {
        /// Which of them.
        attribute: &'static str,
        /// What it is, seconds.
        seconds: Option<Figure>,
    },
    /// The first line of the executable names an interpreter that cannot be run.
    Interpreter {
        /// The executable, where known.
        name: Option<Foreign>,
        /// The interpreter.
        interpreter: Foreign,
    },
    /// Correct something by hand.
    Correct {
        /// What.
        what: Correction,
        /// The file, URL, image or credential, where known.
        name: Option<Foreign>,
        /// What the catalogue says of it, in place of what is usual.
        #[serde(rename = "Catalogue", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        remedy: Option<Reading>,
    },
    /// Correct what its program names.
    Program {
        /// The line that its last run wrote.
        line: Foreign,
        /// The file that it stands in.
        path: Foreign,
    },
    /// What usually helps against this code.
    Usual {
        /// A clause without capital and full stop.
        change: &'static str,
        /// The file that it is about, where known.
        name: Option<Foreign>,
    },
}

/// How a limit of the job's own is raised.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "By", rename_all_fields = "PascalCase")]
pub enum LimitRaise {
    /// By an attribute of the job.
    Attribute {
        /// Its name.
        name: Foreign,
        /// What it is.
        from: Figure,
        /// What it should be.
        to: Figure,
    },
    /// In an expression of the job.
    Expression {
        /// The attribute.
        name: Foreign,
        /// The limit in it.
        limit: Figure,
    },
    /// By RequestCpus.
    Cpus,
    /// The administrator of the access point sets it.
    Administrator,
    /// In the policy, by hand.
    Policy,
    /// The attribute is compared with something that makes no sense.
    Nonsense {
        /// Its name.
        name: Foreign,
        /// What it would have to be.
        to: i64,
    },
}

/// What to correct by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Correction {
    /// A credential has to be renewed.
    Credential,
    /// A disk quota is used up.
    Quota,
    /// The disk is full where output goes.
    DiskSpace,
    /// A file or directory does not permit it.
    Permissions,
    /// The directory of an output file is missing, or transfer_output_remaps is wrong.
    OutputDirectory,
    /// The program did not write an output file.
    Output,
    /// transfer_output_files names what the program does not write, and its output says no more.
    OutputList,
    /// An input file is missing.
    Input,
    /// The initial working directory cannot be entered.
    WorkingDirectory,
    /// The file for standard input is missing.
    StandardInput,
    /// The directory of the files for standard output and error is missing.
    StandardOutput,
    /// The directory of the job event log is missing.
    EventLog,
    /// The container image cannot be used.
    Image,
    /// The executable may not be executed.
    ExecutePermission,
    /// The executable is none for this machine.
    ExecutableFormat,
    /// The executable or its interpreter is missing.
    ExecutableMissing,
    /// The arguments are too long.
    Arguments,
    /// Something else about the executable.
    Executable,
    /// The server does not have this file.
    UrlMissing,
    /// The name service does not know the server in this URL.
    UrlServer,
    /// The server does not give this file to this user.
    UrlDenied,
    /// A URL that could not be fetched, nobody says why.
    Url,
    /// More CPUs were used than requested.
    Cpus,
    /// The job's own periodic_hold or on_exit_hold held it.
    OwnHold,
    /// A limit that the hold reason names.
    Limit,
    /// What the catalogue names.
    Named,
}

impl ChangeKind {
    /// What two jobs have in common: figures become ranges, names that differ are left out. `None`
    /// where each needs something else.
    pub fn join(&self, other: &Self) -> Option<Self> {
        let (mut joined, mut other) = (self.clone(), other.clone());
        for (one, two) in joined.figures().into_iter().zip(other.figures()) {
            let both = one.join(*two);
            (*one, *two) = (both, both);
        }
        for (one, two) in joined.known_figures().into_iter().zip(other.known_figures()) {
            let both = one.zip(*two).map(|(one, two)| one.join(two));
            (*one, *two) = (both, both);
        }
        if let (Some(one), Some(two)) = (joined.name_mut(), other.name_mut())
            && one != two
        {
            (*one, *two) = (None, None);
        }
        match (&mut joined, &mut other) {
            (Self::Place { clause: one, .. }, Self::Place { clause: two, .. }) if one != two => {
                (*one, *two) = (None, None);
            }
            (Self::Correct { remedy: Some(one), .. }, Self::Correct { remedy: Some(two), .. }) => {
                if let Some(both) = one.join(two) {
                    (*one, *two) = (both.clone(), both);
                }
            }
            (Self::Limit { at_once: one, .. }, Self::Limit { at_once: two, .. }) => {
                (*one, *two) = (*one || *two, *one || *two);
            }
            _ => {}
        }
        (joined == other).then_some(joined)
    }

    /// Figures that are always there.
    fn figures(&mut self) -> Vec<&mut Figure> {
        match self {
            Self::Limit { reached, raise, .. } => match raise {
                LimitRaise::Attribute { from, to, .. } => vec![reached, from, to],
                LimitRaise::Expression { limit, .. } => vec![reached, limit],
                _ => vec![reached],
            },
            _ => Vec::new(),
        }
    }

    /// Figures that are there where they are known.
    fn known_figures(&mut self) -> Vec<&mut Option<Figure>> {
        match self {
            Self::Request { to, used, named, finished_with, .. } => {
                vec![to, used, named, finished_with]
            }
            Self::Limit { finished_after, .. } => vec![finished_after],
            Self::Time { seconds, .. } => vec![seconds],
            _ => Vec::new(),
        }
    }

    fn name_mut(&mut self) -> Option<&mut Option<Foreign>> {
        match self {
            Self::Place { name, .. }
            | Self::Interpreter { name, .. }
            | Self::Correct { name, .. }
            | Self::Usual { name, .. } => Some(name),
            _ => None,
        }
    }

    /// It says which attribute, file or line is to be changed.
    pub fn is_named(&self) -> bool {
        match self {
            Self::Request { .. }
            | Self::TooMuch { .. }
            | Self::Limit { .. }
            | Self::Time { .. }
            | Self::Interpreter { .. }
            | Self::Program { .. } => true,
            Self::Correct { what: Correction::EventLog | Correction::OutputList, .. } => true,
            // Whoever has to look at an output or a policy first does not know yet what to change.
            Self::Correct { remedy: Some(reading), .. } => {
                !reading.entry().look.is_some_and(Look::comes_first)
            }
            // These say where to look, or what there is too much of.
            Self::Correct { what: Correction::OwnHold | Correction::Limit, .. }
            | Self::Correct { what: Correction::Url | Correction::Output, .. } => false,
            Self::Correct { what: Correction::Cpus, .. } => true,
            // A command of submit descriptions has a low line in its name.
            Self::Usual { change, name } => name.is_some() || change.contains('_'),
            Self::Correct { name, .. } | Self::Place { name, .. } => name.is_some(),
        }
    }

    /// To correct by hand what is usual.
    pub const fn correct(what: Correction, name: Option<Foreign>) -> Self {
        Self::Correct { what, name, remedy: None }
    }

    /// Without a command.
    pub(super) fn by_hand(self) -> Change {
        Change::new(self, Vec::new())
    }

    /// The file, place, URL, image or credential that it is about.
    pub fn name(&self) -> Option<&Foreign> {
        match self {
            Self::Place { name, .. }
            | Self::Interpreter { name, .. }
            | Self::Correct { name, .. }
            | Self::Usual { name, .. } => name.as_ref(),
            _ => None,
        }
    }
}
