//! `-workflow`: cards, and failed runs by cause and place as a table.

use std::io::{self, Write};

use super::card::Card;
use super::plain_table::lines;
use super::wrap::{cut, wrap};
use super::{Page, sizes};
use crate::advice::Recommendation;
use crate::hold_code::HoldCode;
use crate::inquiry::OUTPUTS;
use crate::metrics::Band;
use crate::sentences::times::length;
use crate::text::{Foreign, plural};
use crate::workflow::{
    Blocker, FailureCause, KeepOff, Manager, ManagerState, Matrix, NodeState, OTHERS, PlaceRuns,
    Progress, Recovering, Recovery, Rescue, ShownBy, Suspect, Thrashing, View,
};

/// Causes that have a column of their own; the others share one.
const CAUSES: usize = 8;

/// The widest a place is printed without `-wide`.
const PLACE: usize = 32;

/// Characters of a place in a sentence.
const PLACE_NAME: usize = 255;

/// Blocks that are printed: the darker, the larger the share of the runs that failed so, in
/// quarters. The second ones are for locales without them.
const SHADES: [[char; 4]; 2] = [['░', '▒', '▓', '█'], ['.', ':', '*', '#']];

pub(super) fn print(out: &mut dyn Write, view: &View, page: &Page) -> io::Result<()> {
    let columns = page.style.columns;
    out.write_all(wrap("", 2, &counts(view), columns).as_bytes())?;
    if view.jobs == 0 && view.progress.is_none() {
        return Ok(());
    }
    print_cards(out, &cards(view, page.now), page)
}

/// Prints the failed runs by cause and place, and what was not read of them.
pub(super) fn print_matrix(out: &mut dyn Write, view: &View, page: &Page) -> io::Result<()> {
    if !view.matrix.rows.is_empty() {
        writeln!(out)?;
        table(out, &view.matrix, page)?;
    }
    let text = outputs_left_out(view).map(|text| wrap("", 2, &text, page.style.columns));
    out.write_all(text.unwrap_or_default().as_bytes())
}

/// Prints cards, each behind an empty line.
fn print_cards(out: &mut dyn Write, cards: &[Card], page: &Page) -> io::Result<()> {
    cards.iter().try_for_each(|card| write!(out, "\n{}", card.text(&page.style)))
}

/// What to do about a workflow, bad places, jobs that start again and again, requests, and a DAG.
pub(super) fn cards(view: &View, now: i64) -> Vec<Card> {
    let mut cards: Vec<Card> = view.recovery.iter().map(|one| action(one, view)).collect();
    cards.extend(bad_places(view));
    cards.extend(thrash(&view.thrashing, now));
    cards.extend(sizes::cards(&view.sizes));
    cards.extend(view.progress.as_ref().map(dag));
    cards
}

/// How many jobs and runs there are, and how they ended.
pub(super) fn counts(view: &View) -> String {
    if view.jobs == 0 {
        let not_started = view.progress.as_ref().and_then(not_started);
        return not_started
            .unwrap_or_else(|| "No jobs: the logs have none of those asked about.".to_owned());
    }
    format!(
        "{}, {}: {} succeeded, {} failed or held, {} running.",
        plural(view.jobs, "job"),
        plural(view.runs, "run"),
        view.succeeded,
        view.failed,
        view.running
    )
}

/// What is said of a DAG of which no node has a job that started; `None` for another one.
fn not_started(progress: &Progress) -> Option<String> {
    let (all, done) = (progress.nodes(), progress.of(NodeState::Done));
    if all > done + progress.of(NodeState::Waiting) {
        return None;
    }
    let nodes = plural(all, "node");
    Some(match done {
        0 => format!("No jobs: the DAG has {nodes}, and none has started yet."),
        done if done == all => format!("No jobs: the DAG has {nodes}, all done."),
        done => format!(
            "No jobs: the DAG has {nodes}, {done} of them done, and none of the others has started yet."
        ),
    })
}

/// What is known of DAGMan and of rescue DAGs.
fn manager(progress: &Progress) -> Option<String> {
    let is = |manager: &Manager| {
        let state = match &manager.state {
            ManagerState::Idle => "is idle.".to_owned(),
            ManagerState::Running => "is running.".to_owned(),
            ManagerState::Held { .. } => "is on hold.".to_owned(),
            ManagerState::Ended { exit_code: Some(code) } => {
                format!("has ended with exit code {code}.")
            }
            ManagerState::Ended { exit_code: None } => "was ended by a signal.".to_owned(),
            ManagerState::Removed => "was removed.".to_owned(),
        };
        format!("DAGMan (job {}.0) {state}", manager.cluster)
    };
    let none = || not_started(progress).map(|_| "DAGMan has written no log yet.".to_owned());
    let manager = progress.manager.as_ref().map(is).or_else(none);
    let rescue = |rescue: &Rescue| {
        format!("The rescue DAG {} has {} as done.", rescue.file, plural(rescue.done, "node"))
    };
    let all: Vec<String> =
        manager.into_iter().chain(progress.rescue.as_ref().map(rescue)).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// Places with their runs, and a column for each cause.
fn table(out: &mut dyn Write, matrix: &Matrix, page: &Page) -> io::Result<()> {
    let shown = matrix.rows.len().min(CAUSES);
    let causes = (1..=shown).map(|number| format!("[{number}]"));
    let others = (matrix.rows.len() > shown).then(|| "OTHER".to_owned());
    let first = ["PLACE", "RUNS", "OK", "FAILED", "RUNNING"].map(str::to_owned);
    let heading = first.into_iter().chain(causes).chain(others.clone());
    let rows = matrix.columns.iter().enumerate().map(|(at, column)| {
        let name = place(column);
        let name = if page.style.table.is_some() { cut(&name, PLACE) } else { name };
        let ended = column.succeeded + column.failed;
        let runs = ended + column.running;
        let cell = |count: usize| match count {
            0 => "-".to_owned(),
            count => format!("{} {count}", shade(count, ended, page.style.ascii)),
        };
        let of = |row: &crate::workflow::Row| row.counts.get(at).copied().unwrap_or(0);
        let counts = matrix.rows.iter().take(shown).map(of);
        let rest: usize = matrix.rows.iter().skip(shown).map(of).sum();
        let rest = others.as_ref().map(|_| rest);
        let numbers = [runs, column.succeeded, column.failed, column.running];
        let numbers = numbers.map(|number| number.to_string());
        let cells = counts.chain(rest).map(cell);
        std::iter::once(name).chain(numbers).chain(cells).collect::<Vec<_>>()
    });
    // Commands alone begin in the first column with a lower-case letter.
    for line in lines(heading, rows, 2, |index| index > 0) {
        writeln!(out, " {line}")?;
    }
    for (number, row) in matrix.rows.iter().take(shown).enumerate() {
        let label = format!(" [{}] ", number + 1);
        out.write_all(wrap(&label, 5, &legend(&row.cause), page.style.columns).as_bytes())?;
    }
    if let Some(text) = grouping(matrix, shown) {
        out.write_all(wrap("", 2, &text, page.style.columns).as_bytes())?;
    }
    Ok(())
}

/// What is said of error output that was not read.
pub(super) fn outputs_left_out(view: &View) -> Option<String> {
    let jobs = Some(view.outputs_left_out).filter(|jobs| *jobs > 0)?;
    Some(format!(
        "The error output of {} was not read: at most {OUTPUTS} files are read, for 5 s at most.",
        plural(jobs, "more failed job")
    ))
}

/// What to do about a workflow, and how likely that is right.
fn action(recovering: &Recovering, view: &View) -> Card {
    let (recommendation, act) = match recovering.action {
        Recovery::Retry => (Recommendation::Release, "Run the failed jobs again as they are."),
        Recovery::Elsewhere => {
            (Recommendation::Change, "Run the failed jobs at other places than the bad ones.")
        }
        Recovery::Memory => (Recommendation::Change, "Ask for more memory."),
        Recovery::Split => (Recommendation::Change, "Split the work into smaller jobs."),
        Recovery::GiveUp => {
            (Recommendation::Look, "A person has to change the workflow before a retry helps.")
        }
    };
    let memory = match recovering.memory {
        Some(band) if band >= Band::Likely => format!(" Memory must change: {}.", band.words()),
        Some(band) if band < Band::Even && recovering.action == Recovery::Memory => {
            " A retry may do too.".to_owned()
        }
        _ => String::new(),
    };
    let header = format!("{} of {} failed", view.failed, plural(view.runs, "run"));
    let mut card = Card::new(header, recommendation, act);
    let (right, on) = (recovering.right.words(), &recovering.trained_on);
    card.say("how sure", format!("{right} right.{memory} The model was trained on {on}."));
    card
}

/// What places and causes stand for, where they are not machines and causes one by one; so many
/// causes have a column of their own.
pub(super) fn grouping(matrix: &Matrix, shown: usize) -> Option<String> {
    let named = matrix.columns.iter().filter(|column| !column.name.is_empty());
    let places: usize = named.clone().map(|column| column.places).sum();
    let (all, by) = match matrix.shown_by {
        ShownBy::Machine => (String::new(), ""),
        ShownBy::Domain => (plural(places, "machine"), "Machines are shown by domain"),
        ShownBy::Site => (plural(matrix.machines, "machine"), "Machines are shown by site"),
        ShownBy::Tier => (plural(places, "site"), "Sites are shown by tier or domain"),
    };
    let mut text = Vec::new();
    if !by.is_empty() {
        text.push(format!("{by}: {all} in {}.", plural(named.clone().count(), "row")));
    }
    if let Some(others) = named.clone().find(|column| column.name == OTHERS && column.places > 1) {
        let what = if matrix.shown_by == ShownBy::Domain { "machine" } else { "site" };
        let those = plural(others.places, what);
        text.push(format!("The row {OTHERS} stands for the remaining {those}."));
    }
    if matrix.by_kind {
        let (causes, kinds) = (matrix.causes, plural(matrix.rows.len(), "kind"));
        text.push(format!("Causes are shown by kind: {causes} causes of {kinds}."));
    }
    if let Some(rest) = matrix.rows.len().checked_sub(shown).filter(|rest| *rest > 0) {
        let what = if matrix.by_kind { "kind" } else { "cause" };
        text.push(format!("The column OTHER stands for the remaining {}.", plural(rest, what)));
    }
    (!text.is_empty()).then(|| text.join(" "))
}

/// The name of a row, with how many places it stands for.
pub(super) fn place(column: &PlaceRuns) -> String {
    match column.name.as_str() {
        "" => "not known".to_owned(),
        name if column.places > 1 => format!("{} ({})", named(name), column.places),
        name => named(name),
    }
}

/// A cause, and what its code means.
fn legend(cause: &FailureCause) -> String {
    let meaning = cause.meaning().map_or(String::new(), |meaning| format!(": {meaning}"));
    format!("{}{meaning}", cause.name())
}

fn shade(count: usize, ended: usize, ascii: bool) -> char {
    SHADES[usize::from(ascii)][quarter(count, ended)]
}

/// In which quarter the share of so many of the runs that ended lies, from 0.
pub(super) fn quarter(count: usize, ended: usize) -> usize {
    let step = (4 * count).div_ceil(ended.max(1)).saturating_sub(1);
    step.min(SHADES[0].len() - 1)
}

/// Why a place is suspected.
fn sentence(suspect: &Suspect) -> String {
    let place = named(&suspect.place);
    let fast = suspect.black_hole.map_or(String::new(), |(failure, success)| {
        format!(
            " Jobs fail there within {} and take {} elsewhere, so it soon takes the next job too.",
            length(failure.max(1)),
            length(success)
        )
    });
    let jobs = plural(suspect.ended, "job");
    let failed = match suspect.any_cause {
        true => {
            format!("{} of {jobs} failed, most of them: {}.", suspect.failed, suspect.cause.name())
        }
        false => {
            format!("{} of {jobs} failed the same way: {}.", suspect.failed, suspect.cause.name())
        }
    };
    let so = if suspect.any_cause { "" } else { " that way" };
    let elsewhere = match (suspect.failed_elsewhere, suspect.ended_elsewhere) {
        (0, ended) => format!("Of {} that ended elsewhere none failed{so}.", plural(ended, "job")),
        (failed, ended) => {
            format!("Of {} that ended elsewhere {failed} failed{so}.", plural(ended, "job"))
        }
    };
    format!("{place}: {failed} {elsewhere}{fast}")
}

/// The places that fail jobs, and what keeps jobs off them.
fn bad_places(view: &View) -> Option<Card> {
    let all = &view.suspects;
    let (header, them, whom) = match all.as_slice() {
        [] => return None,
        [one] => {
            let name = named(&one.place);
            (format!("Bad place: {name}"), name.clone(), format!("the administrator of {name}"))
        }
        _ => (plural(all.len(), "bad place"), "them".to_owned(), "their administrators".to_owned()),
    };
    let how = if view.keep_off.is_empty() { "" } else { ": run the commands marked \"do\"" };
    let act = format!("Do not let these jobs run on {them}{how}. Then tell {whom}.");
    let mut card = Card::new(header, Recommendation::Change, act);
    all.iter().for_each(|suspect| card.say("why", sentence(suspect)));
    for keep_off in view.keep_off.iter().take(COMMANDS) {
        let whose = match keep_off.held {
            true => format!("{} held there, with the release", plural(keep_off.jobs, "job")),
            false => plural(keep_off.jobs, "idle job"),
        };
        card.command("do", Some(whose), &keep_off.command);
    }
    card.say("note", left_out(&view.keep_off).unwrap_or_default());
    let next: Vec<String> = all.iter().filter_map(Suspect::exclusion).collect();
    if !next.is_empty() {
        let of = "jobs submitted again, at the end of requirements, after &&";
        card.paste("new jobs", Some(of.to_owned()), vec![next.join(" && ")]);
    }
    Some(card)
}

/// Commands that are printed.
pub(super) const COMMANDS: usize = 8;

/// What is said of the others.
fn left_out(all: &[KeepOff]) -> Option<String> {
    let rest = all.get(COMMANDS..).filter(|rest| !rest.is_empty())?;
    let jobs: usize = rest.iter().map(|one| one.jobs).sum();
    Some(format!("{} have other Requirements; -json has their commands.", plural(jobs, "more job")))
}

/// Characters of a reason that are printed.
const REASON: usize = 200;

/// The name of a place or a node.
fn named(name: &str) -> String {
    Foreign::from(name).named(PLACE_NAME)
}

/// Prints the jobs that start and leave their slots again and again.
pub(crate) fn print_thrashing(
    out: &mut dyn Write,
    all: &[Thrashing],
    page: &Page,
) -> io::Result<()> {
    print_cards(out, &thrash(all, page.now), page)
}

/// Which jobs start again and again, why they leave, and the usual change.
pub(super) fn thrash(all: &[Thrashing], now: i64) -> Vec<Card> {
    let card = |thrashing: &Thrashing| {
        let (jobs, slots, them) = match thrashing.jobs {
            1 => (format!("Job {}", thrashing.job), "its slot", "it"),
            jobs => (format!("{jobs} jobs"), "their slots", "them"),
        };
        let header = format!(
            "{jobs} left {slots} {} times and started again, the last {} ago",
            thrashing.vacates,
            length(now.saturating_sub(thrashing.last).max(0)),
        );
        let holds = |command: &String| command.starts_with("condor_hold ");
        let (recommendation, act) = match thrashing.command.as_ref().map(holds) {
            Some(true) => {
                (Recommendation::Change, format!("Hold {them} until the cause is corrected."))
            }
            Some(false) => (Recommendation::Change, "Correct the cause.".to_owned()),
            None => (Recommendation::Look, "Look at the reason below.".to_owned()),
        };
        let mut card = Card::new(header, recommendation, act);
        let known = thrashing.code.filter(|_| thrashing.advice.is_empty());
        let change = match known.and_then(HoldCode::of).map_or("", |code| code.change) {
            "" => String::new(),
            change => format!(" Usual change: {change}."),
        };
        card.say("why", format!("{}.{change}", named(&thrashing.name)));
        thrashing.advice.iter().for_each(|line| card.say("", line));
        card.quote(&thrashing.reason, REASON);
        thrashing.command.iter().for_each(|command| card.command("do", None, command));
        card
    };
    all.iter().map(card).collect()
}

/// Nodes that keep others waiting, which are printed.
const BLOCKERS: usize = 5;

/// How far a DAG is, what keeps its nodes waiting, and how it goes on.
fn dag(progress: &Progress) -> Card {
    let state = |(state, count): &(NodeState, usize)| format!("{count} {}", state.name());
    let states: Vec<String> = progress.counts.iter().map(state).collect();
    let manager = manager(progress).map_or_else(String::new, |text| format!(" {text}"));
    let header = format!("Nodes of the DAG: {}.{manager}", states.join(", "));
    let act = match progress.resume {
        Some(_) => "Correct what its nodes failed of, then submit what is not done again.",
        None => "",
    };
    let mut card = Card::new(header, Recommendation::Change, act);
    if let Some(Manager { state: ManagerState::Held { reason }, .. }) = &progress.manager {
        card.quote(reason, REASON);
    }
    for blocker in progress.blockers.iter().take(BLOCKERS) {
        let label = match (blocker.waiting, blocker.state) {
            (0, NodeState::Failed) => "failed",
            (0, _) => "on hold",
            _ => "blocked",
        };
        card.say(label, blocked(blocker));
    }
    card.say("", more_blockers(progress).unwrap_or_default());
    progress.resume.iter().for_each(|command| card.command("afterwards", None, command));
    card
}

/// A node that failed or is on hold, and how many wait for it.
fn blocked(blocker: &Blocker) -> String {
    let jobs: Vec<String> = blocker.jobs.iter().map(ToString::to_string).collect();
    let jobs = if jobs.len() > 3 { String::new() } else { format!(" (job {})", jobs.join(", ")) };
    let is = match blocker.state {
        NodeState::Failed => "failed",
        _ => "is on hold",
    };
    let waiting = match blocker.waiting {
        0 => String::new(),
        1 => "; 1 node waits for it".to_owned(),
        nodes => format!("; {nodes} nodes wait for it"),
    };
    format!("{}{jobs} {is}{waiting}.", named(&blocker.node))
}

/// What is said of nodes that failed or are on hold and are not printed.
fn more_blockers(progress: &Progress) -> Option<String> {
    let rest = progress.blockers.len().checked_sub(BLOCKERS).filter(|rest| *rest > 0)?;
    let blocked = match progress.blocked {
        0 => String::new(),
        blocked => format!(" {} in all wait for them.", plural(blocked, "node")),
    };
    Some(format!("{} failed or are on hold.{blocked}", plural(rest, "more node")))
}
