//! How what is corrected by hand is written: the line of the submit file, and the attribute in the
//! queue.

use schemars::JsonSchema;
use serde::Serialize;

use super::change_kind::{Change, ChangeKind, Correction};
use super::editable::{Editable, command_of};
use super::job_facts::JobFacts;
use crate::text::Foreign;

/// Elements of a list that are looked through.
const ELEMENTS: usize = 10_000;

/// Where the faulty name stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ByHand {
    /// The attribute of the job.
    pub attribute: &'static str,
    /// The submit command that sets it (manual page `condor_submit`).
    pub command: String,
    /// It is a list with commas, which an edit replaces as a whole.
    pub is_list: bool,
    /// The faulty element, or the faulty value, as it stands there; `None` where that is not known.
    pub element: Option<Foreign>,
    /// The setting of the access point that keeps the attribute from edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_by: Option<&'static str>,
}

impl ByHand {
    fn of(
        what: Correction,
        name: Option<&str>,
        facts: &JobFacts,
        editable: &Editable,
    ) -> Option<Self> {
        let attribute = match what {
            Correction::Input | Correction::UrlMissing | Correction::UrlServer => "TransferInput",
            Correction::StandardInput => "In",
            Correction::WorkingDirectory => "Iwd",
            Correction::ExecutableMissing => "Cmd",
            _ => return None,
        };
        let is_list = attribute == "TransferInput";
        let element = match attribute {
            "TransferInput" => name.and_then(|name| element(name, facts)),
            "Iwd" => facts.iwd.clone(),
            "Cmd" => facts.command.clone(),
            _ => None,
        };
        let (command, kept_by) = (command_of(attribute), editable.kept_by(attribute));
        let element = element.map(Foreign::from);
        Some(Self { attribute, command, is_list, element, kept_by })
    }

    /// What two jobs have in common. `None` where it stands elsewhere in each.
    pub fn join(&self, other: &Self) -> Option<Self> {
        let element = self.element.clone().filter(|_| self.element == other.element);
        (self.attribute == other.attribute).then(|| Self { element, ..self.clone() })
    }
}

/// The element of TransferInput that names this file or URL: as it is written, or below Iwd.
fn element(name: &str, facts: &JobFacts) -> Option<String> {
    let mut elements = facts.transfer_input.as_deref()?.split(',').map(str::trim).take(ELEMENTS);
    let iwd = facts.iwd.as_deref().unwrap_or_default().trim_end_matches('/');
    let below = name.strip_prefix(iwd).and_then(|rest| rest.strip_prefix('/'));
    let below = below.filter(|_| !iwd.is_empty());
    elements.find(|one| *one == name || Some(*one) == below).map(str::to_owned)
}

impl Change {
    /// With where the faulty name stands, of what is corrected by hand.
    pub(super) fn with_way(mut self, facts: &JobFacts, editable: &Editable) -> Self {
        if let (ChangeKind::Correct { what, name, remedy }, true) =
            (&self.what, self.commands.is_empty())
        {
            let name = name.as_ref().map(Foreign::as_given);
            let way = ByHand::of(*what, name, facts, editable);
            // What the catalogue says may be about another attribute.
            self.by_hand = way.filter(|way| remedy.is_none() || way.element.is_some());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eventlog::JobId;

    #[test]
    fn the_element_is_named_as_it_is_written() {
        let facts = JobFacts {
            iwd: Some("/home/a/".to_owned()),
            transfer_input: Some("in/x.dat, http://s.example/y,/home/a/z".to_owned()),
            ..JobFacts::of(JobId::new(7, 1))
        };
        let of = |what, name: &str| {
            let way = ByHand::of(what, Some(name), &facts, &Editable::default())?;
            Some((way.attribute, way.element))
        };
        let input = |element: &str| Some(("TransferInput", Some(element.into())));
        assert_eq!(of(Correction::Input, "/home/a/in/x.dat"), input("in/x.dat"));
        assert_eq!(of(Correction::Input, "/home/a/z"), input("/home/a/z"));
        assert_eq!(of(Correction::UrlMissing, "http://s.example/y"), input("http://s.example/y"));
        assert_eq!(of(Correction::Input, "/home/b/x.dat"), Some(("TransferInput", None)));
        assert_eq!(of(Correction::WorkingDirectory, "x"), Some(("Iwd", Some("/home/a/".into()))));
        assert_eq!(of(Correction::Quota, "x"), None);
    }

    #[test]
    fn jobs_of_a_group_share_what_is_the_same() {
        let of = |attribute, element: &str| {
            let element = Some(element.into());
            ByHand { attribute, command: String::new(), is_list: false, element, kept_by: None }
        };
        let (one, same) = (of("In", "a"), of("In", "a"));
        assert_eq!(one.join(&same), Some(same));
        assert_eq!(one.join(&of("In", "b")).map(|both| both.element), Some(None));
        assert_eq!(one.join(&of("Cmd", "a")), None);
    }
}
