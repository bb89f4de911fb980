//! What goes with a change: the slots that could take the job then, the line of the submit file, and
//! whether it is to be taken back.

use classads::ClassAd;
use schemars::JsonSchema;
use serde::Serialize;

use super::changes::{Change, ChangeKind, Correction};
use super::command::Command;
use super::editable::{Editable, KeptAttribute, command_of as command};
use super::figure::Figure;

/// What goes with a change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct EditFacts {
    /// The slots that could take the job with it; `None` where no pool was asked.
    pub slots: Option<SlotsFor>,
    /// The line of the submit file, where an edit of the queue's job alone is lost.
    pub submit_line: Option<SubmitLine>,
    /// It is to be taken back once the place is well again.
    pub take_back: bool,
    /// What it is about, where the access point keeps that from edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptAttribute>,
}

/// Slots that could take a job, by their whole sizes: Requirements are not evaluated, and what else
/// runs there is not looked at.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum SlotsFor {
    /// So many.
    Some {
        /// That are large enough, and not at the place that is left out.
        could: usize,
        /// All of the pool now.
        of: usize,
    },
    /// None of the pool now.
    NoneNow {
        /// All of the pool now.
        of: usize,
        /// The most of the resource that one of them has, MiB or KiB, where that is what lacks.
        most: Option<f64>,
    },
    /// The setting says that no slot has so much.
    AboveMost {
        /// Its name.
        setting: &'static str,
        /// Its value, MiB or KiB.
        most: i64,
    },
}

impl SlotsFor {
    /// No slot could take the job.
    pub const fn is_none(&self) -> bool {
        !matches!(self, Self::Some { .. })
    }
}

/// Why an edit of the queue's job alone is lost for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Resubmits {
    /// A factory makes more jobs of the cluster (late materialization).
    Factory,
    /// DAGMan may submit the node again.
    DagNode,
}

/// What marks the cluster of a factory (`condor_attributes.h`; a job's ad has what its cluster has).
const OF_FACTORY: [&str; 4] = [
    "JobMaterializeDigestFile",
    "JobMaterializeItemsFile",
    "JobMaterializeLimit",
    "JobMaterializeMaxIdle",
];

impl Resubmits {
    /// Of a job, by its ad.
    pub(super) fn of(ad: &ClassAd) -> Option<Self> {
        if OF_FACTORY.iter().any(|name| ad.contains(name)) {
            return Some(Self::Factory);
        }
        ad.integer("DAGManJobId").map(|_| Self::DagNode)
    }
}

/// A line of the submit file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct SubmitLine {
    /// The submit command, `request_memory`.
    pub command: String,
    /// Its new value; `None` where it depends on what is corrected.
    pub value: Option<String>,
    /// Why an edit alone is not enough.
    pub resubmits: Resubmits,
}

impl Change {
    /// Adds the line of the submit file where an edit of the job is not enough.
    pub(super) fn with_submit_line(mut self, resubmits: Option<Resubmits>) -> Self {
        self.facts.submit_line = resubmits.and_then(|resubmits| {
            let (command, value) = self.line()?;
            Some(SubmitLine { command, value, resubmits })
        });
        self
    }

    /// Says what it is about, where the access point keeps that from edits. A raise of a limit says
    /// so itself, and what is corrected by hand has a way.
    pub(super) fn kept_by(mut self, editable: &Editable) -> Self {
        let attribute = match &self.what {
            ChangeKind::Request { resource, .. } | ChangeKind::TooMuch { resource, .. } => {
                Some(resource.attribute())
            }
            ChangeKind::Place { .. } if self.commands.is_empty() => Some("Requirements"),
            ChangeKind::Time { attribute, .. } => Some(*attribute),
            _ => None,
        };
        let kept = attribute.and_then(|attribute| editable.kept(attribute));
        self.facts.kept = self.facts.kept.or(kept);
        self
    }

    /// Lowers a request that nothing but its last run speaks for to the most that a slot has, MiB or
    /// KiB. False where that is hardly more than was too little, or like jobs show what is needed.
    pub(crate) fn lower(&mut self, most: f64) -> bool {
        let ChangeKind::Request { resource, to: Some(to), finished_with: None, .. } =
            &mut self.what
        else {
            return false;
        };
        let step = resource.step();
        let new = most as i64 / step * step;
        if new < resource.least_raise(to.most) || new as f64 >= to.most {
            return false;
        }
        *to = Figure::from(new);
        for command in &mut self.commands {
            if let Command::Edit(edit) = command {
                edit.set(new);
            }
        }
        let line = self.facts.submit_line.as_mut();
        line.into_iter().for_each(|line| line.value = Some(new.to_string()));
        true
    }

    /// The value of what is edited, as it is now.
    pub(crate) fn old_value(&self) -> Option<&str> {
        self.commands.iter().find_map(|command| match command {
            Command::Edit(edit) => edit.old(),
            _ => None,
        })
    }

    /// The submit command that sets what is changed, and its new value.
    pub(crate) fn line(&self) -> Option<(String, Option<String>)> {
        let edit = self.commands.iter().find_map(|command| match command {
            Command::Edit(edit) => Some(edit),
            _ => None,
        });
        match (&self.what, edit) {
            // The rest of Requirements is condor_submit's.
            (ChangeKind::Place { .. }, Some(edit)) if edit.attribute() == "Requirements" => {
                let clause = edit.new_value().rsplit_once(" && ").map(|(_, clause)| clause);
                Some((command(edit.attribute()), clause.map(|clause| format!("(...) && {clause}"))))
            }
            (ChangeKind::Place { clause: Some(clause), .. }, None) => {
                Some((command("Requirements"), Some(format!("(...) && ({clause})"))))
            }
            (_, Some(edit)) => Some((command(edit.attribute()), Some(edit.new_value().to_owned()))),
            (ChangeKind::Request { resource, .. } | ChangeKind::TooMuch { resource, .. }, None) => {
                Some((command(resource.attribute()), None))
            }
            (ChangeKind::Time { attribute, .. }, None) => Some((command(attribute), None)),
            (ChangeKind::Interpreter { .. }, None) => Some(("executable".to_owned(), None)),
            (ChangeKind::Correct { what, .. }, None) => {
                of_correction(*what).map(|command| (command.to_owned(), None))
            }
            _ => None,
        }
    }
}

/// The submit command that names what is corrected.
const fn of_correction(what: Correction) -> Option<&'static str> {
    Some(match what {
        Correction::Input | Correction::UrlMissing | Correction::UrlServer | Correction::Url => {
            "transfer_input_files"
        }
        Correction::OutputDirectory => "transfer_output_remaps",
        Correction::Output | Correction::OutputList => "transfer_output_files",
        Correction::WorkingDirectory => "initialdir",
        Correction::StandardInput => "input",
        Correction::StandardOutput => "output",
        Correction::EventLog => "log",
        Correction::Image => "container_image",
        Correction::Arguments => "arguments",
        Correction::Executable
        | Correction::ExecutableFormat
        | Correction::ExecutableMissing
        | Correction::ExecutePermission => "executable",
        Correction::Cpus => "request_cpus",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(change: Change) -> Option<(String, Option<String>)> {
        let line = change.with_submit_line(Some(Resubmits::Factory)).facts.submit_line?;
        Some((line.command, line.value))
    }

    #[test]
    fn edits_have_a_line_in_the_submit_file() {
        let what = || ChangeKind::correct(Correction::OwnHold, None);
        for (attribute, new, command) in [
            ("RequestMemory", "4096", "request_memory"),
            ("requestdisk", "4096", "request_disk"),
            ("PeriodicHold", "false", "periodic_hold"),
            ("RunLimit", "44", "+RunLimit"),
        ] {
            let edit = Editable::default().edit(attribute, None, new).map(Command::Edit);
            let change = Change::new(what(), edit.into_iter().collect());
            assert_eq!(line(change), Some((command.to_owned(), Some(new.to_owned()))));
        }
        assert_eq!(line(Change::new(what(), Vec::new())), None);
        let input = ChangeKind::correct(Correction::Input, None);
        let (command, value) = line(input.clone().by_hand()).unwrap();
        assert_eq!((command.as_str(), value), ("transfer_input_files", None));
        assert_eq!(input.by_hand().with_submit_line(None).facts.submit_line, None);
    }

    #[test]
    fn factories_and_nodes_are_known_by_their_ads() {
        let of = |text: &str| {
            Resubmits::of(&classads::read_ads(text.as_bytes()).next().unwrap().unwrap())
        };
        assert_eq!(of("A = 1\nJobMaterializeDigestFile = \"/x\""), Some(Resubmits::Factory));
        assert_eq!(of("A = 1\nDAGManJobId = 7"), Some(Resubmits::DagNode));
        assert_eq!(of("A = 1"), None);
    }
}
