//! Hold reasons in HTCondor's words: code, subcode and text of a symptom.
//!
//! Templates are data, each with the file of HTCondor that formats it; what plug-ins, servers and
//! operating systems add is in [`servers`]. The wording depends on the versions at hand, never on
//! the hidden cause.
//!
//! - `errno`: error numbers in Linux's words.
//! - `fill`: names that templates are filled with.
//! - `policy`: limits, policies and people.
//! - `servers`: what servers and plug-ins say.
//! - `starter`: holds before the program runs.
//! - `transfer`: holds of file transfer.

mod errno;
mod fill;
mod policy;
mod servers;
mod starter;
mod transfer;

use crate::cause::Symptom;
use crate::life::{Cluster, Flaw, Run};
use crate::random::Dice;
use crate::world::{Workflow, World};
use fill::Names;

pub(crate) use errno::text as errno_text;
pub(crate) use starter::image;
pub(crate) use transfer::{input_name, output_name, url};

/// HTCondor versions that word holds differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wording {
    /// 8.x: both sides of a transfer, one after the other.
    V8,
    /// 10.x: the reason says which side failed; the event before the hold is 007.
    V10,
    /// 23.x: plug-in messages without their plug-in; the events before the hold are 021 and 004.
    V23,
    /// 25.x
    V25,
}

/// A hold as HTCondor tells it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) code: i32,
    pub(crate) subcode: i32,
    pub(crate) reason: String,
    /// What the shadow or starter said before it was reworded: the text of event 007 or 021.
    pub(crate) raw: String,
    /// The starter reported it (021); else the shadow or the schedd found it.
    pub(crate) by_starter: bool,
}

/// Where a hold happened.
pub(crate) struct Place<'a> {
    pub(crate) world: &'a World,
    pub(crate) cluster: &'a Cluster,
    pub(crate) workflow: &'a Workflow,
    pub(crate) owner: &'a str,
    pub(crate) proc: i32,
    /// Its lasting mistake.
    pub(crate) flaw: Option<Flaw>,
    /// The run; `None` where the schedd holds a job that does not run.
    pub(crate) run: Option<&'a Run>,
    pub(crate) wording: Wording,
}

impl Place<'_> {
    /// Its URL names a server that is not there.
    pub(crate) fn job_has_wrong_server(&self) -> bool {
        self.flaw == Some(Flaw::WrongServer { port: false })
    }
}

/// Writes the hold of a symptom.
pub(crate) fn write(place: &Place<'_>, symptom: &Symptom, dice: &mut Dice) -> Written {
    let names = Names::of(place, dice);
    match symptom {
        Symptom::ReadInput { .. }
        | Symptom::WriteInput { .. }
        | Symptom::FetchUrl { .. }
        | Symptom::PutUrl { .. }
        | Symptom::NoPlugin { .. }
        | Symptom::TransferLost { .. }
        | Symptom::Protocol { .. }
        | Symptom::MissingOutput
        | Symptom::WriteOutput { .. }
        | Symptom::TooLargeInput
        | Symptom::TooLargeOutput => transfer::write(place, symptom, names, dice),
        Symptom::Execute { .. }
        | Symptom::Stdout { .. }
        | Symptom::Image { .. }
        | Symptom::Singularity { .. }
        | Symptom::PrepareHook => starter::write(place, symptom, names, dice),
        _ => policy::write(place, symptom, names, dice),
    }
}

/// The slot of a run, as HTCondor names it.
pub(crate) fn slot_name(world: &World, run: &Run) -> String {
    let site = &world.sites[run.site];
    let host = &site.hosts[run.host].name;
    if site.glidein {
        // The pilot's number differs from run to run.
        let pilot = run.start.unsigned_abs() % 900_000 + 100_000;
        format!("slot1_{}@glidein_{}_{pilot}@{host}", run.slot, 1 + run.host)
    } else {
        format!("slot1_{}@{host}", run.slot)
    }
}
