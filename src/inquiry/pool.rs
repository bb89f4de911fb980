//! Compares an edit with the slots of the pool, or with what the settings say that slots have at
//! most.

use std::cell::OnceCell;
use std::time::Duration;

use classads::{ClassAd, EvalContext};

use super::config::SettingError;
use super::{Config, Inquiry};
use crate::advice::{Advice, Change, ChangeKind, Command, Missing, SlotsFor};
use crate::queue::{Slot, slots};
use crate::sizes::Resource;

/// How long `condor_status` may take, at most. Assumed.
const POOL_TIME: Duration = Duration::from_secs(5);

/// The settings for the most that a slot has.
const MOST_MEMORY: &str = "HOLDADVISE_MAX_REQUEST_MEMORY_MIB";
const MOST_DISK: &str = "HOLDADVISE_MAX_REQUEST_DISK_KIB";

/// The pool that edits are compared with. It is asked when the first of them is printed.
pub(super) struct Pool<'a> {
    slots: OnceCell<Result<Vec<Slot>, String>>,
    /// It is the pool of the queue asked about, now.
    is_asked: bool,
    pool: Option<&'a str>,
    time: Duration,
    /// MiB.
    most_memory: Option<i64>,
    /// KiB.
    most_disk: Option<i64>,
}

/// What a slot has to have for a job.
struct Wanted<'a> {
    memory: Option<f64>,
    disk: Option<f64>,
    cpus: Option<f64>,
    /// An attribute of machines, and the value that is left out.
    without: Option<(&'static str, &'a str)>,
    /// What the edit is about.
    edited: Option<Resource>,
}

impl<'a> Pool<'a> {
    /// # Errors
    /// [`SettingError`] where a setting is no such number.
    pub(super) fn of(inquiry: &'a Inquiry, config: &Config) -> Result<Self, SettingError> {
        Ok(Self {
            slots: OnceCell::new(),
            is_asked: !inquiry.is_offline() && inquiry.now.is_none(),
            pool: inquiry.pool.as_deref(),
            time: POOL_TIME.min(config.timeout()?),
            most_memory: config.size(MOST_MEMORY)?,
            most_disk: config.size(MOST_DISK)?,
        })
    }

    /// Notes the slots that could take the job with the edit that is advised. Where there is none,
    /// a smaller raise may do; else the edit is no command, and what comes behind it is for later.
    pub(super) fn compare(&self, advice: &mut Advice, ad: impl FnOnce() -> ClassAd) {
        let Some(change) = &advice.change else { return };
        let edits = |command: &Command| matches!(command, Command::Edit(edit) if is_of_slots(edit.attribute()));
        let is_place = matches!(change.what, ChangeKind::Place { .. });
        if !change.commands.iter().any(|command| edits(command) || is_place) {
            return;
        }
        let ad = ad();
        if let Some(Err(fault)) = self.slots() {
            advice.missing.push(Missing::Source(fault.as_str().into()));
        }
        let Some(change) = &mut advice.change else { return };
        let mut found = self.found(change, &ad);
        let most = match &found {
            Some(SlotsFor::NoneNow { most, .. }) => *most,
            Some(SlotsFor::AboveMost { most, .. }) => Some(*most as f64),
            _ => None,
        };
        if most.is_some_and(|most| change.lower(most)) {
            found = self.found(change, &ad);
            let new = change.commands.iter().filter(|command| edits(command)).cloned();
            let old = advice.commands.iter_mut().filter(|command| edits(command));
            old.zip(new).for_each(|(old, new)| *old = new);
        }
        let is_none = found.as_ref().is_some_and(SlotsFor::is_none);
        change.facts.slots = found;
        if is_none {
            change.commands.clear();
            let rest = std::mem::take(&mut advice.commands).into_iter();
            let rest = rest.filter(|command| !matches!(command, Command::Edit(_)));
            advice.commands_after = rest.chain(advice.commands_after.drain(..)).collect();
        }
    }

    /// The slots for a job with this change, where they are known.
    fn found(&self, change: &Change, ad: &ClassAd) -> Option<SlotsFor> {
        let wanted = Wanted::of(&change.what, &change.commands, ad);
        self.above_most(&wanted).or_else(|| Some(wanted.count(self.slots()?.as_ref().ok()?)))
    }

    /// The slots that have so much of a resource, MiB or KiB; `None` where they are not known.
    pub(super) fn room(&self, resource: Resource, amount: i64) -> Option<SlotsFor> {
        let amount = Some(amount as f64);
        let (memory, disk) = match resource {
            Resource::Memory => (amount, None),
            Resource::Disk => (None, amount),
        };
        let wanted = Wanted { memory, disk, cpus: None, without: None, edited: Some(resource) };
        let slots = || Some(wanted.count(self.slots()?.as_ref().ok()?));
        self.above_most(&wanted).or_else(slots)
    }

    /// The slots, or why they are not known; `None` where they are not asked for.
    fn slots(&self) -> Option<&Result<Vec<Slot>, String>> {
        let ask = || match slots(self.pool, self.time) {
            Ok(slots) if slots.is_empty() => {
                Err("slots of the pool: there are none now".to_owned())
            }
            Ok(slots) => Ok(slots),
            Err(error) => Err(format!("slots of the pool: {error}")),
        };
        self.is_asked.then(|| self.slots.get_or_init(ask))
    }

    fn above_most(&self, wanted: &Wanted<'_>) -> Option<SlotsFor> {
        let (setting, most, wanted) = match wanted.edited? {
            Resource::Memory => (MOST_MEMORY, self.most_memory?, wanted.memory?),
            Resource::Disk => (MOST_DISK, self.most_disk?, wanted.disk?),
        };
        (wanted > most as f64).then_some(SlotsFor::AboveMost { setting, most })
    }
}

/// Whether slots are matched by this attribute.
fn is_of_slots(attribute: &str) -> bool {
    let names = ["RequestMemory", "RequestDisk", "RequestCpus", "Requirements"];
    names.iter().any(|name| name.eq_ignore_ascii_case(attribute))
}

impl<'a> Wanted<'a> {
    fn of(what: &'a ChangeKind, commands: &[Command], ad: &ClassAd) -> Self {
        let number = |name: &str| {
            let edited = commands.iter().find_map(|command| match command {
                Command::Edit(edit) if edit.attribute() == name => edit.new_value().parse().ok(),
                _ => None,
            });
            edited.or_else(|| ad.evaluate(name, &EvalContext::quick()).as_real())
        };
        Self {
            memory: number("RequestMemory"),
            disk: number("RequestDisk"),
            cpus: number("RequestCpus"),
            without: match what {
                ChangeKind::Place { attribute, name: Some(name), .. } => {
                    Some((*attribute, name.as_given()))
                }
                _ => None,
            },
            edited: match what {
                ChangeKind::Request { resource, .. } => Some(*resource),
                _ => None,
            },
        }
    }

    fn count(&self, slots: &[Slot]) -> SlotsFor {
        let of = slots.len();
        match slots.iter().filter(|slot| self.is_met_by(slot)).count() {
            0 => SlotsFor::NoneNow {
                of,
                most: self.edited.and_then(|edited| self.lacks(edited, slots)),
            },
            could => SlotsFor::Some { could, of },
        }
    }

    fn is_met_by(&self, slot: &Slot) -> bool {
        let enough = |wanted: Option<f64>, has: Option<f64>| {
            wanted.zip(has).is_none_or(|(wanted, has)| wanted <= has)
        };
        let elsewhere = self.without.is_none_or(|(attribute, name)| {
            !slot.named(attribute).is_some_and(|place| place.eq_ignore_ascii_case(name))
        });
        elsewhere
            && enough(self.memory, slot.memory)
            && enough(self.disk, slot.disk)
            && enough(self.cpus, slot.cpus)
    }

    /// The most that a slot has of the resource, if that is less than what is wanted.
    fn lacks(&self, resource: Resource, slots: &[Slot]) -> Option<f64> {
        let (wanted, of): (_, fn(&Slot) -> Option<f64>) = match resource {
            Resource::Memory => (self.memory?, |slot| slot.memory),
            Resource::Disk => (self.disk?, |slot| slot.disk),
        };
        slots.iter().filter_map(of).reduce(f64::max).filter(|most| *most < wanted)
    }
}
