//! `-workflow`: failed runs by cause and place, as a table.

use std::io::{self, Write};

use super::Page;
use super::plain_table::lines;
use super::sizes::{self, Part};
use super::wrap::{cut, wrap};
use crate::hold_code::HoldCode;
use crate::inquiry::OUTPUTS;
use crate::metrics::Band;
use crate::sentences::times::length;
use crate::text::{Foreign, plural, printable};
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

pub(crate) fn print(out: &mut dyn Write, view: &View, page: &Page) -> io::Result<()> {
    let columns = page.style.columns;
    out.write_all(wrap("", 2, &counts(view), columns).as_bytes())?;
    if view.jobs == 0 && view.progress.is_none() {
        return Ok(());
    }
    if !view.matrix.rows.is_empty() {
        writeln!(out)?;
        table(out, &view.matrix, page)?;
    }
    if let Some(text) = outputs_left_out(view) {
        out.write_all(wrap("", 2, &text, columns).as_bytes())?;
    }
    if let Some(recovering) = &view.recovery {
        out.write_all(wrap(ACTION, 2, &action(recovering), columns).as_bytes())?;
    }
    for suspect in &view.suspects {
        out.write_all(wrap("Bad place: ", 2, &sentence(suspect), columns).as_bytes())?;
    }
    sizes::print(out, to_do(view, page.now), page)?;
    sizes::print(out, sizes::parts(&view.sizes), page)?;
    if let Some(progress) = &view.progress {
        print_progress(out, progress, page)?;
    }
    writeln!(out)
}

/// What to do about bad places and about jobs that start again and again.
pub(super) fn to_do(view: &View, now: i64) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    if let Some(requirements) = requirements(&view.suspects) {
        parts.push(Part::Text("", FOR_NEXT_JOBS.to_owned()));
        parts.push(Part::Lines(requirements));
    }
    let keep_off = view.keep_off.iter().take(COMMANDS);
    parts.extend(keep_off.map(|one| Part::Command(heading(one), &one.command)));
    parts.extend(left_out(&view.keep_off).map(|text| Part::Text("", text)));
    parts.extend(thrash(&view.thrashing, now));
    parts
}

/// How many jobs and runs there are, and how they ended.
pub(super) fn counts(view: &View) -> String {
    if view.jobs == 0 {
        let not_started = view.progress.as_ref().and_then(not_started);
        return not_started
            .unwrap_or_else(|| "No jobs: the logs have none of those asked about.".to_owned());
    }
    format!(
        "{}, {}: {} succeeded, {} failed, {} running.",
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
pub(super) fn manager(progress: &Progress) -> Option<String> {
    let is = |manager: &Manager| {
        let state = match &manager.state {
            ManagerState::Idle => "is idle.".to_owned(),
            ManagerState::Running => "is running.".to_owned(),
            ManagerState::Held { reason } => match as_sentence(reason) {
                reason if reason.is_empty() => "is on hold.".to_owned(),
                reason => format!("is on hold: {reason}"),
            },
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

/// Stands before what to do about a workflow.
pub(super) const ACTION: &str = "Action: ";

/// What to do about a workflow, and how likely that is right.
pub(super) fn action(recovering: &Recovering) -> String {
    let action = match recovering.action {
        Recovery::Retry => "run the failed jobs again as they are",
        Recovery::Elsewhere => "run the failed jobs at other places than the bad ones below",
        Recovery::Memory => "ask for more memory",
        Recovery::Split => "split the work into smaller jobs",
        Recovery::GiveUp => "a person has to change the workflow before a retry helps",
    };
    let memory = match recovering.memory {
        Some(band) if band >= Band::Likely => format!(" Memory must change: {}.", band.words()),
        Some(band) if band < Band::Even && recovering.action == Recovery::Memory => {
            " A retry may do too.".to_owned()
        }
        _ => String::new(),
    };
    format!(
        "{action}. Right: {}.{memory} The model was trained on {}.",
        recovering.right.words(),
        recovering.trained_on
    )
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
pub(super) fn legend(cause: &FailureCause) -> String {
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

/// Why a place is suspected, and what keeps jobs off it.
pub(super) fn sentence(suspect: &Suspect) -> String {
    let place = named(&suspect.place);
    let fast = suspect.black_hole.map_or(String::new(), |(failure, success)| {
        format!(
            " It fails them within {}, others take {}: it draws more jobs than its share.",
            length(failure.max(1)),
            length(success)
        )
    });
    let jobs = plural(suspect.ended, "job");
    let failed = match suspect.any_cause {
        true => format!("{} of {jobs} failed, most so: {}.", suspect.failed, suspect.cause.name()),
        false => format!("{} of {jobs} failed so: {}.", suspect.failed, suspect.cause.name()),
    };
    let so = if suspect.any_cause { "" } else { " so" };
    let elsewhere = match (suspect.failed_elsewhere, suspect.ended_elsewhere) {
        (0, ended) => format!("Of {} that ended elsewhere none failed{so}.", plural(ended, "job")),
        (failed, ended) => {
            format!("Of {} that ended elsewhere {failed} failed{so}.", plural(ended, "job"))
        }
    };
    format!("{place}: {failed} {elsewhere}{fast}")
}

/// Stands above what keeps jobs that are submitted later off bad places.
const FOR_NEXT_JOBS: &str =
    "For jobs to come, add to requirements in the submit file, with && behind what is there:";

/// That, if the places have names.
fn requirements(suspects: &[Suspect]) -> Option<String> {
    let all: Vec<String> = suspects.iter().filter_map(Suspect::exclusion).collect();
    (!all.is_empty()).then(|| all.join(" && "))
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

/// The beginning of a reason as a sentence; empty: there is none.
fn as_sentence(reason: &str) -> String {
    match reason.trim() {
        "" => String::new(),
        reason => format!("{}.", Foreign::from(reason).quoted(REASON)),
    }
}

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
    sizes::print(out, thrash(all, page.now), page)
}

pub(super) fn thrash(all: &[Thrashing], now: i64) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for thrashing in all {
        parts.push(Part::Text("Thrashing: ", thrashes(thrashing, now)));
        if let Some(command) = &thrashing.command {
            parts.push(Part::Command(to_stop(command).to_owned(), command));
        }
    }
    parts
}

/// What the commands below do.
fn to_stop(command: &str) -> &'static str {
    if command.starts_with("condor_hold ") {
        "To stop them until that is corrected:"
    } else {
        "To correct that:"
    }
}

/// Which jobs start again and again, why they leave, and the usual change.
fn thrashes(thrashing: &Thrashing, now: i64) -> String {
    let reason = match as_sentence(&thrashing.reason) {
        reason if reason.is_empty() => reason,
        reason => format!(" {reason}"),
    };
    let known = thrashing.code.filter(|_| thrashing.advice.is_empty());
    let change = match known.and_then(HoldCode::of).map_or("", |code| code.change) {
        "" => String::new(),
        change => format!(" Usual change: {change}."),
    };
    let advice: String =
        thrashing.advice.iter().map(|line| format!(" {}", printable(line))).collect();
    let slots = if thrashing.jobs == 1 { "its slot" } else { "their slots" };
    format!(
        "{} left {slots} {} times and started again, the last {} ago: {}.{reason}{change}{advice}",
        plural(thrashing.jobs, "job"),
        thrashing.vacates,
        length(now.saturating_sub(thrashing.last).max(0)),
        named(&thrashing.name),
    )
}

/// What the commands below do.
fn heading(keep_off: &KeepOff) -> String {
    match keep_off.held {
        true => {
            let jobs = plural(keep_off.jobs, "job");
            format!("To release {jobs} held there, and keep them off:")
        }
        false => format!("To keep {} off:", plural(keep_off.jobs, "idle job")),
    }
}

/// Nodes that keep others waiting, which are printed.
pub(super) const BLOCKERS: usize = 5;

/// How many nodes of the DAG are in each state.
pub(super) fn states(progress: &Progress) -> String {
    let counts = progress.counts.iter().map(|(state, count)| format!("{count} {}", state.name()));
    format!("{}.", counts.collect::<Vec<_>>().join(", "))
}

/// Stands above the command that goes on with a DAG.
pub(super) const TO_GO_ON: &str =
    "To submit what is not done again, once what its nodes failed of is corrected:";

/// What stands before a node that failed or is on hold.
fn label(blocker: &Blocker) -> &'static str {
    match (blocker.waiting, blocker.state) {
        (0, NodeState::Failed) => "Failed: ",
        (0, _) => "On hold: ",
        _ => "Blocked: ",
    }
}

/// A node that failed or is on hold, and how many wait for it.
pub(super) fn blocked(blocker: &Blocker) -> String {
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
pub(super) fn more_blockers(progress: &Progress) -> Option<String> {
    let rest = progress.blockers.len().checked_sub(BLOCKERS).filter(|rest| *rest > 0)?;
    let blocked = match progress.blocked {
        0 => String::new(),
        blocked => format!(" {} in all wait for them.", plural(blocked, "node")),
    };
    Some(format!("{} failed or are on hold.{blocked}", plural(rest, "more node")))
}

fn print_progress(out: &mut dyn Write, progress: &Progress, page: &Page) -> io::Result<()> {
    let columns = page.style.columns;
    if let Some(text) = manager(progress) {
        out.write_all(wrap("", 2, &text, columns).as_bytes())?;
    }
    out.write_all(wrap("DAG: nodes ", 2, &states(progress), columns).as_bytes())?;
    for blocker in progress.blockers.iter().take(BLOCKERS) {
        out.write_all(wrap(label(blocker), 2, &blocked(blocker), columns).as_bytes())?;
    }
    if let Some(text) = more_blockers(progress) {
        out.write_all(wrap("", 2, &text, columns).as_bytes())?;
    }
    if let Some(command) = &progress.resume {
        writeln!(out, "{TO_GO_ON}\n{command}")?;
    }
    Ok(())
}
