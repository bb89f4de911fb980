//! From arguments to what is printed and the exit status.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use super::apply::{Act, apply, journal_folder};
use super::debug;
use super::options::TOOL;
use super::outcomes::print_outcomes;
use super::output::{self, say};
use super::request::{Asked, Printing, Request, Task};
use super::watch::watch;
use super::{RunError, catalogue, html, model_sheet, piped, profile};
use crate::checks;
use crate::inquiry::{Answer, Config, Inquiry, Remarks, open_model};
use crate::journal::Journal;
use crate::print::{Html, Page, Printer, print_thrashing, print_view};
use crate::queue::display_path;
use crate::sentences;
use crate::text::{plural, printable, shell_command};
use eventlog::fnv1a;

/// Seconds between two looks at the jobs of a node, at least and at most. Assumed.
const SHORTEST_PAUSE: i64 = 20;
const LONGEST_PAUSE: i64 = 600;

/// No script stays longer with a node: a hold that lasts for days is a person's. Assumed.
const LONGEST_STAY: Duration = Duration::from_secs(3 * 86_400);

/// First argument of the process that stays with a node of a DAG.
const STAY: &str = "-stay-with-node";

/// What is said where nothing that was named can be judged, after it was said why.
pub(super) const NOTHING_JUDGED: &str = "none of the jobs named can be judged";

/// Runs the tool: `arguments` are those behind its name.
pub fn run(arguments: &[OsString]) -> ExitCode {
    if let Some((_, rest)) = arguments.split_first().filter(|(first, _)| *first == checks::SERVE) {
        return checks::serve(rest);
    }
    let (stays, arguments) = match arguments.split_first() {
        Some((first, rest)) if *first == STAY => (true, rest),
        _ => (false, arguments),
    };
    let work = |out: &mut dyn Write| answer(arguments, stays, out).map(|()| ExitCode::SUCCESS);
    output::run(work, ExitCode::FAILURE)
}

/// Does what the arguments ask for; `stays` in the process that stays with a node of a DAG.
fn answer(arguments: &[OsString], stays: bool, out: &mut dyn Write) -> Result<(), RunError> {
    let Request { debug, mut task } = Request::read(arguments)?;
    let config = Config::of_user();
    if debug {
        debug::switch_on(config.get_condor("TOOL_DEBUG").as_deref());
    }
    let logs = task.inquiry_mut().into_iter();
    let logs = logs.flat_map(|inquiry| inquiry.user_logs.iter_mut().chain(&mut inquiry.event_logs));
    let _kept = piped::keep(logs)?;
    match &task {
        Task::Help => Ok(out.write_all(TOOL.usage().as_bytes())?),
        Task::Version(named, columns) => {
            writeln!(out, "$HoldadviseVersion: {} $", env!("CARGO_PKG_VERSION"))?;
            let model = open_model::<RunError>(named.as_deref(), &config)?;
            out.write_all(model_sheet::sheet(&model).as_bytes())?;
            if named.is_some() {
                out.write_all(model_sheet::full(&model, *columns).as_bytes())?;
            }
            Ok(())
        }
        Task::Catalogue(about) => catalogue::print(about, &config, out),
        Task::Outcomes(asked) => print_outcomes(asked, &config, out),
        Task::Profile(asked) => profile::run(asked, &config, out),
        Task::Watch(asked, every) => watch(asked, &config, *every, out),
        Task::Apply(act) if !act.inquiry.dag_node || act.how.dry_run => {
            apply(act, &config, out).map(drop)
        }
        Task::Apply(act) if stays => stay_with_node(act, &config, out),
        Task::Apply(_) => leave_to_another(arguments),
        Task::Advise(asked) => show(asked, &config, out),
    }
}

/// Begins the process that stays with a node of a DAG, and waits for nothing: DAGMan stops with
/// "Reaper pid does not match expected script pid" where two HOLD scripts of a node overlap.
fn leave_to_another(arguments: &[OsString]) -> Result<(), RunError> {
    let begun = std::env::current_exe().and_then(|program| {
        // DAGMan closes a pipe of a script that ended.
        Command::new(program)
            .arg(STAY)
            .args(arguments)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    });
    begun.map(drop).map_err(|error| {
        RunError::failed(format!("cannot begin the process that stays with this node: {error}"))
    })
}

/// Carries advice out for a node of a DAG until none of its jobs is held that time may help. A second
/// process for the same node waits for the first, whose last look may have been before what is new.
/// A third leaves at once: the second has still to look.
fn stay_with_node(act: &Act, config: &Config, out: &mut dyn Write) -> Result<(), RunError> {
    let journal = Journal::open(&journal_folder(config)?)?;
    let node = act.inquiry.selection.constraint.as_deref().unwrap_or_default();
    let node = format!("{:016x}", fnv1a(node.as_bytes()));
    let Some(next) = journal.alone(&format!("{node}next"))? else {
        return Ok(writeln!(out, "Another process looks after this node.")?);
    };
    let _alone = journal.alone_at_last(&node)?;
    drop(next);
    let begun = Instant::now();
    while let Some(at) = apply(act, config, out)? {
        out.flush()?;
        if begun.elapsed() >= LONGEST_STAY {
            break;
        }
        let wait = at.saturating_sub(jiff::Timestamp::now().as_second());
        let seconds = wait.clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        std::thread::sleep(Duration::from_secs(seconds.unsigned_abs()));
    }
    Ok(())
}

/// Prints the advice, below what is wrong where if that is asked about.
///
/// # Errors
/// [`RunError`] when nothing can be judged or printed, or none of the jobs named is held.
pub(super) fn show(asked: &Asked, config: &Config, out: &mut dyn Write) -> Result<(), RunError> {
    let Asked { inquiry, printing } = asked;
    if let Some(path) = &printing.page {
        html::check(path)?;
    }
    let now = inquiry.time();
    let page = Page { again: again(inquiry), ..Page::here(printing.style, now) };
    let (mut judged, mut below) = (0, Vec::new());
    let to: &mut dyn Write = if inquiry.places.is_some() { &mut below } else { &mut *out };
    let mut printer = Printer::new(to, &printing.output, &page);
    let mut on_page = Html::default();
    let mut answer = inquiry.ask(config, now, &mut |advice, job| {
        judged += 1;
        if !printing.shows(advice.recommendation) {
            return Ok(());
        }
        if printing.page.is_some() {
            on_page.add(advice);
        }
        printer.add(advice, job)
    })?;
    // That all jobs named are over is the answer.
    let all_ended = judged == 0
        && answer.remarks.refused.is_empty()
        && !answer.remarks.ended.is_empty()
        && answer.thrashing.is_empty();
    let is_printed = all_ended && printing.output.is_for_people();
    let ended = is_printed.then(|| std::mem::take(&mut answer.remarks.ended).join("\n"));
    tell(&answer.remarks);
    if inquiry.places.is_none() && judged == 0 && !all_ended {
        if answer.ahead > 0 {
            let jobs = plural(answer.ahead, "job");
            let are = if answer.ahead == 1 { "is" } else { "are" };
            return Err(RunError::failed(format!(
                "no job can be judged: {jobs} {are} on hold by events of the future alone"
            )));
        }
        if !inquiry.selection.jobs.is_empty() && answer.thrashing.is_empty() {
            return Err(RunError::failed(NOTHING_JUDGED));
        }
    }
    let nothing = match inquiry.places_alone {
        true => String::new(),
        false => nothing(inquiry, printing, &answer, judged),
    };
    if !inquiry.places_alone {
        let unknown = printer.finish(ended.as_deref().unwrap_or(&nothing))?;
        unknown.iter().for_each(|line| say("Note", line));
    }
    if let Some(view) = &answer.view {
        print_view(out, view, &below, &printing.output, &page)?;
    }
    print_thrashing(out, &answer.thrashing, &page)?;
    if let Some(path) = &printing.page {
        let about = html::about(inquiry, now);
        let view = answer.view.as_ref();
        html::write(path, &on_page.page(&about, &nothing, view, &answer.thrashing, &page))?;
    }
    Ok(())
}

/// The tool with the words that name the queue; `None` where none is asked as it is now.
fn again(inquiry: &Inquiry) -> Option<String> {
    if inquiry.is_offline() || inquiry.now.is_some() {
        return None;
    }
    let mut words = vec!["condor_holdadvise"];
    for (option, value) in [("-name", &inquiry.schedd), ("-pool", &inquiry.pool)] {
        words.extend(value.iter().flat_map(|value| [option, value]));
    }
    words.extend(inquiry.selection.all_users.then_some("-allusers"));
    Some(shell_command(words))
}

/// What is printed where there is no advice to print, of so many jobs judged.
fn nothing(inquiry: &Inquiry, printing: &Printing, answer: &Answer, judged: usize) -> String {
    let selection = &inquiry.selection;
    if judged > 0 {
        let words: Vec<_> = printing.advice.iter().flatten().map(|one| one.name()).collect();
        return format!(
            "No advice of {}: {} judged.",
            words.join(", "),
            plural(judged, "held job")
        );
    }
    if !answer.thrashing.is_empty() {
        return "No held jobs among these.".to_owned();
    }
    // A DAG that nothing is known of yet has no logs.
    if answer.logs_alone && (answer.jobs > 0 || inquiry.dag.is_none()) {
        let jobs = plural(answer.jobs, "job");
        let mut text = format!("No held jobs: the logs have {jobs}, none on hold at their end.");
        for line in &answer.remarks.hidden {
            text.push_str(&format!(" {}.", printable(line)));
        }
        return text;
    }
    if let Some(view) = &answer.view {
        return match view.keep_off.iter().any(|one| one.held) {
            true => "No other held jobs.".to_owned(),
            false => "No held jobs among these.".to_owned(),
        };
    }
    match (&inquiry.job_ads, answer.ads) {
        (Some(file), Some(ads)) => {
            let file = display_path(file.name());
            format!("No held jobs: 0 of {} in {file} matched.", plural(ads, "ad"))
        }
        _ if selection.constraint.is_some() => {
            "No held jobs: -constraint is true for none in the queue.".to_owned()
        }
        _ if selection.all_users => "No held jobs: none of any user in the queue.".to_owned(),
        _ => {
            "No held jobs: none of yours in the queue; -allusers looks at those of all.".to_owned()
        }
    }
}

/// What was named and cannot be judged, and what of the input is damaged.
pub(super) fn tell(remarks: &Remarks) {
    for line in &remarks.faults {
        say("Warning", line);
    }
    for line in &remarks.refused {
        say("Error", line);
    }
    for line in &remarks.ended {
        say("Note", line);
    }
    if remarks.asked_urls > 0 {
        say("Note", &sentences::asked_urls(remarks.asked_urls));
    }
}
