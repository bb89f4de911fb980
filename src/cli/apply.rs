//! `-apply`: the advice is carried out for the jobs that were judged.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use super::RunError;
use super::output::say;
use super::run::tell;
use crate::acting::{
    Bounds, Candidate, Deed, Deferred, Done, OPEN_ATTRIBUTES, Order, Plan, attempts, carry_out,
    open_acts, plan, result_of,
};
use crate::advice::{Advice, Recommendation};
use crate::inquiry::{Config, Inquiry, account};
use crate::journal::{ActStep, DecidedBy, Entry, EntryKind, HoldOf, Journal, Locked, VERSION};
use crate::model::ModelMetadata;
use crate::queue::Schedd;
use crate::sentences::times::second;
use crate::text::{Foreign, plural, shown};
use eventlog::system_zone;

/// Jobs that are listed one by one.
const LISTED: usize = 20;

/// Characters of a cause.
const CAUSE: usize = 60;

/// What `-apply` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apply {
    /// Jobs that are to be released.
    Release,
    /// These, and of each cause the one that is to be tried.
    Try,
    /// Jobs of which attributes are to be edited and which are to be released then.
    Change,
    /// Jobs that are to be removed.
    Remove,
}

impl Apply {
    fn carries_out(self, advice: Recommendation) -> bool {
        match self {
            Self::Release => advice == Recommendation::Release,
            Self::Try => matches!(advice, Recommendation::Release | Recommendation::Try),
            Self::Change => advice == Recommendation::Change,
            Self::Remove => advice == Recommendation::Remove,
        }
    }

    /// What is done, before and after it.
    const fn verbs(self) -> [&'static str; 2] {
        match self {
            Self::Release | Self::Try => ["Release", "released"],
            Self::Change => ["Edit and release", "edited and released"],
            Self::Remove => ["Remove", "removed"],
        }
    }
}

/// A call with `-apply`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Act {
    pub(super) inquiry: Inquiry,
    pub(super) what: Apply,
    pub(super) how: How,
}

/// How advice is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct How {
    /// `-dry-run`
    pub(super) dry_run: bool,
    /// `-max`: so many jobs at most.
    pub(super) most: Option<usize>,
    /// `-yes`
    pub(super) yes: bool,
}

/// What is to be done by the advice on the jobs that were judged.
#[derive(Debug, Default)]
struct Collected {
    candidates: Vec<Candidate>,
    /// Jobs judged, by recommendation.
    judged: BTreeMap<Recommendation, usize>,
    /// Why jobs are left alone whose advice it is.
    left: BTreeMap<&'static str, usize>,
    /// When something may have changed for a job that waits, Unix seconds.
    look_again: Option<i64>,
}

impl Collected {
    fn add(&mut self, advice: &Advice, act: &Act) {
        *self.judged.entry(advice.recommendation).or_default() += 1;
        let again = match advice.recommendation {
            Recommendation::Wait => advice.wait.as_ref().map(|wait| wait.look_again),
            // The others wait for it.
            Recommendation::Try if act.what == Apply::Try => Some(0),
            _ => None,
        };
        self.look_again = self.look_again.into_iter().chain(again).min();
        if !act.what.carries_out(advice.recommendation) {
            return;
        }
        let mut leave = |why| *self.left.entry(why).or_default() += 1;
        let is_own =
            account().is_some() && account() == advice.held.owner.as_ref().map(Foreign::as_given);
        match Candidate::of(advice) {
            _ if !act.inquiry.selection.all_users && !is_own => {
                leave("of another user: -allusers acts on these");
            }
            None => leave("to be corrected by hand first"),
            Some(candidate) => {
                let hold = candidate.hold();
                if hold.num_holds.is_none() || hold.entered_current_status.is_none() {
                    leave(
                        "without NumHolds or EnteredCurrentStatus, so that the hold is not known",
                    );
                } else {
                    if candidate.drawn_from.is_none() {
                        leave("held for a cause of which another job is tried");
                    }
                    self.candidates.push(candidate);
                }
            }
        }
    }
}

/// Judges the jobs and carries the advice out; when it is worth to look again, Unix seconds, where
/// anything is left that time may help.
///
/// # Errors
/// [`RunError`] where the journal cannot be used, the queue cannot be asked, or nobody agrees.
pub(super) fn apply(
    act: &Act,
    config: &Config,
    out: &mut dyn Write,
) -> Result<Option<i64>, RunError> {
    let Act { inquiry, what, how } = act;
    if inquiry.is_offline() {
        return Err(RunError::failed(
            "-apply needs the queue; -userlog and -eventlog alone give jobs on hold at the end of a log",
        ));
    }
    let now = inquiry.time();
    let mut collected = Collected::default();
    let answer = inquiry.ask(config, now, &mut |advice, _| {
        collected.add(advice, act);
        Ok(())
    })?;
    tell(&answer.remarks);
    let Collected { mut candidates, judged, mut left, look_again } = collected;
    let folder = journal_folder(config)?;
    // A dry run makes no folder.
    let journal = match how.dry_run && !folder.exists() {
        true => None,
        false => Some(Journal::open(&folder)?),
    };
    let locked = journal.as_ref().map(Journal::lock).transpose()?;
    let schedd = inquiry.schedd(config)?;
    let entries = match &locked {
        Some(locked) => settled(locked, &schedd, now)?,
        None => Vec::new(),
    };
    let bounds = Bounds {
        in_all: how.most.unwrap_or(usize::MAX),
        of_cause: Bounds::OF_CAUSE,
        of_owner: Bounds::OF_OWNER,
    };
    if inquiry.dag_node {
        leave_acted_on(&mut candidates, &entries, &mut left);
    }
    let plan = plan(candidates, &attempts(&entries), bounds, now);
    print_plan(out, *what, &plan, &judged, &left)?;
    let ramp = plan.kept.iter().any(|kept| kept.room.is_some()).then_some(0);
    let look_again = look_again.into_iter().chain(ramp).min();
    let Some(locked) = locked.filter(|_| !plan.chosen.is_empty() && !how.dry_run) else {
        return Ok(look_again);
    };
    out.flush()?;
    if !how.yes && !agreed(*what, plan.chosen.len())? {
        writeln!(out, "Nothing was done.")?;
        return Ok(None);
    }
    let order = Order {
        schedd: &schedd,
        journal: &locked,
        by: if inquiry.dag_node { DecidedBy::DagScript } else { DecidedBy::Person },
        // Without a model nothing was judged, and nothing is done.
        model: &answer.model.as_ref().map(ModelMetadata::identity).unwrap_or_default(),
        condor_version: config.pool().get("CONDOR_VERSION").map(String::as_str),
        now,
    };
    let done = carry_out(&plan, &order)?;
    print_done(out, *what, &done)?;
    match done.iter().any(|done| done.step == ActStep::Done) {
        true => Ok(look_again),
        // A HOLD script that comes late has nothing to complain of.
        false if inquiry.dag_node => Ok(look_again),
        false => Err(RunError::failed("nothing was done")),
    }
}

/// The folder of the journal: HOLDADVISE_JOURNAL_DIR, else the user's.
///
/// # Errors
/// [`RunError::Failed`] where there is none.
pub(super) fn journal_folder(config: &Config) -> Result<PathBuf, RunError> {
    if let Some(folder) = config.get("HOLDADVISE_JOURNAL_DIR") {
        return Ok(folder.into());
    }
    let unknown = "no folder for the journal is known; set HOLDADVISE_JOURNAL_DIR";
    let state = Config::state_folder().ok_or_else(|| RunError::failed(unknown))?;
    Ok(state.join("journal"))
}

/// The entries of a journal; what is damaged is said.
pub(super) fn entries_of(journal: &Locked<'_>) -> Result<Vec<Entry>, RunError> {
    let kept = journal.read()?;
    for problem in &kept.problems {
        say("Warning", &format!("journal: {problem}"));
    }
    Ok(kept.entries)
}

/// The entries of a journal, after what came of open acts was asked for and noted.
pub(super) fn settled(
    journal: &Locked<'_>,
    schedd: &Schedd,
    now: i64,
) -> Result<Vec<Entry>, RunError> {
    let mut entries = entries_of(journal)?;
    let open = open_acts(&entries);
    if open.is_empty() {
        return Ok(entries);
    }
    let jobs: Vec<_> = open.iter().map(|act| act.hold.job).collect();
    let ads = schedd.any_ads(&jobs, OPEN_ATTRIBUTES)?;
    let ended = open.iter().filter_map(|act| result_of(act, ads.get(&act.hold.job)?));
    let entry = |ended| Entry { version: VERSION, time: now, what: EntryKind::Outcome(ended) };
    let ended: Vec<Entry> = ended.map(entry).collect();
    journal.add(&ended)?;
    entries.extend(ended);
    Ok(entries)
}

/// A HOLD script acts once in each hold, whatever came of it: DAGMan runs it again for holds that it
/// reads again.
fn leave_acted_on(
    candidates: &mut Vec<Candidate>,
    entries: &[Entry],
    left: &mut BTreeMap<&'static str, usize>,
) {
    let acted = entries.iter().filter_map(|entry| match &entry.what {
        EntryKind::Act(act) => Some(act.hold),
        _ => None,
    });
    let acted: HashSet<HoldOf> = acted.collect();
    let before = candidates.len();
    candidates.retain(|candidate| !acted.contains(&candidate.hold()));
    if candidates.len() < before {
        left.insert("acted on in this hold before", before - candidates.len());
    }
}

fn print_plan(
    out: &mut dyn Write,
    apply: Apply,
    plan: &Plan,
    judged: &BTreeMap<Recommendation, usize>,
    left: &BTreeMap<&'static str, usize>,
) -> io::Result<()> {
    let jobs = plural(judged.values().sum::<usize>(), "held job");
    let counts = judged.iter().map(|(advice, count)| format!("{count} {}", advice.name()));
    let counts: Vec<String> = counts.collect();
    let counts =
        if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    writeln!(out, "{jobs} judged{counts}, {} to act on now.", plan.chosen.len())?;
    let named = |name: &str| Foreign::from(name).named(CAUSE);
    for chosen in plan.chosen.iter().take(LISTED) {
        let candidate = &chosen.candidate;
        let owner = candidate.owner.as_deref().map_or_else(String::new, named);
        let edits = match &candidate.deed {
            Deed::Change(edits) => {
                let edit = |edit: &crate::advice::Edit| {
                    format!(", {} = {}", edit.attribute(), shown(edit.new_value(), CAUSE))
                };
                edits.iter().map(edit).collect()
            }
            Deed::Release | Deed::Remove => String::new(),
        };
        let job = candidate.target.job.to_string();
        let cause = Foreign::from(candidate.cause.as_str()).quoted(CAUSE);
        writeln!(out, "  {job:<12} {owner:<12} {}{edits} ({cause})", candidate.words)?;
    }
    if plan.chosen.len() > LISTED {
        writeln!(out, "  and {} more", plan.chosen.len() - LISTED)?;
    }
    for kept in &plan.kept {
        writeln!(out, "{}", kept_line(kept, apply))?;
    }
    let to_try = judged.get(&Recommendation::Try).copied().unwrap_or(0);
    let to_try = Some(("one of a cause is to be tried first; -apply try does that", to_try))
        .filter(|(_, jobs)| apply == Apply::Release && *jobs > 0);
    for (why, jobs) in to_try.into_iter().chain(left.iter().map(|(why, jobs)| (*why, *jobs))) {
        let are = if jobs == 1 { "is" } else { "are" };
        writeln!(out, "{} {are} left: {why}.", plural(jobs, "job"))?;
    }
    Ok(())
}

fn kept_line(kept: &Deferred, apply: Apply) -> String {
    let Deferred { cause, jobs, room, of_owners } = kept;
    let jobs = plural(*jobs, "more job");
    let cause = Foreign::from(cause.as_str()).quoted(CAUSE);
    match room {
        Some(room) => match room.until {
            Some(until) => {
                let at = second(until, &system_zone());
                format!("{jobs} ({cause}): the last release failed, none before {at}.")
            }
            None if let Some(width) = of_owners => format!(
                "{jobs} ({cause}): at most {width} of their owners may be on their way at a time; what got through \
                 of one other owner does not count for them. Ask again when those got through."
            ),
            None => format!(
                "{jobs} ({cause}): at most {} may be on their way at a time. Ask again when those got through.",
                room.width
            ),
        },
        None => {
            let verb = apply.verbs()[0].to_lowercase();
            format!("{jobs} ({cause}): more than this call may {verb}.")
        }
    }
}

/// Asks at a terminal.
///
/// # Errors
/// [`RunError::Failed`] where there is nobody to ask.
fn agreed(apply: Apply, jobs: usize) -> Result<bool, RunError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(RunError::failed(
            "there is no terminal to ask at; add -yes to act without being asked, or -dry-run",
        ));
    }
    eprint!("{} {}? (yes or no) ", apply.verbs()[0], plural(jobs, "job"));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn print_done(out: &mut dyn Write, apply: Apply, done: &[Done]) -> io::Result<()> {
    let count = |step: ActStep| done.iter().filter(|done| done.step == step).count();
    let [_, verb] = apply.verbs();
    let number = count(ActStep::Done);
    let were = if number == 1 { "was" } else { "were" };
    writeln!(out, "{} {were} {verb}.", plural(number, "job"))?;
    for done in done.iter().filter(|done| done.step != ActStep::Done).take(LISTED) {
        let detail = done.detail.as_deref().unwrap_or_default();
        let taken_back = match done.step {
            ActStep::TakenBack => "; its edit was taken back",
            _ => "",
        };
        writeln!(out, "  {} was not: {}{taken_back}", done.job, shown(detail, 200))?;
    }
    Ok(())
}
