//! The list of sites to avoid that some pools have.

use super::changes::{Change, ChangeKind, is_name};
use super::command::Command;
use super::editable::Editable;
use super::job_facts::JobFacts;
use crate::text::{can_be_pasted, classad_quote};

/// The list of sites to avoid of pools that have one: `+UNDESIRED_Sites = "A,B"`, by GLIDEIN_Site,
/// with commas and no blanks between.
pub(super) const UNDESIRED: &str = "UNDESIRED_Sites";

/// The site added to the pool's own list, where the job has or names one.
pub(super) fn change(facts: &JobFacts, editable: &Editable) -> Option<Change> {
    let list = facts.undesired_sites.as_deref()?;
    let site = facts.glidein_site.as_deref().filter(|site| is_name(site))?;
    let mut sites: Vec<&str> = list.split(',').map(str::trim).filter(|s| !s.is_empty()).collect();
    let is_there = sites.iter().any(|other| other.eq_ignore_ascii_case(site));
    sites.push(site);
    let new = classad_quote(&sites.join(",")).filter(|new| !is_there && can_be_pasted(new));
    let old = classad_quote(list).filter(|_| !list.is_empty());
    let edit = new.and_then(|new| editable.edit(UNDESIRED, old, &new));
    let commands = edit.map(Command::Edit).into_iter().collect();
    let (attribute, name) = ("GLIDEIN_Site", Some(site.into()));
    let what = ChangeKind::Place { attribute, name, clause: None };
    let mut change = Change::new(what, commands).taken_back();
    change.facts.kept = editable.kept(UNDESIRED);
    Some(change)
}
