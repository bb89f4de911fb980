//! From arguments to what is printed and the exit status.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use super::apply::{Collector, apply, journal_folder};
use super::config::SettingError;
use super::constraint::Constraint;
use super::debug;
use super::gather::{Gathered, Remarks, gather};
use super::judge::{Seen, Take, judge, left_out};
use super::outcomes::print_outcomes;
use super::output::{self, ToolError, say};
use super::print::{Page, Printer, print_thrashing};
use super::request::Output;
use super::watch::watch;
use super::{ArgumentError, Config, Request};
use super::{html, mcp, model_file, model_sheet, piped, profile};
use jiff::tz::TimeZone;

use crate::advice::Advice;
use crate::checks;
use crate::journal::{Journal, JournalError};
use crate::model::ModelError;
use crate::queue::{AdText, QueueError, display_path};
use crate::text::{can_be_pasted, plural, printable, shell_command};
use crate::workflow::{Manager, Progress, View};
use eventlog::{EventLogError, ReadOptions, fnv1a};

/// Seconds between two looks at the jobs of a node, at least and at most. Assumed.
const SHORTEST_PAUSE: i64 = 20;
const LONGEST_PAUSE: i64 = 600;

/// No script stays longer with a node: a hold that lasts for days is a person's. Assumed.
const LONGEST_STAY: Duration = Duration::from_secs(3 * 86_400);

/// First argument of the process that stays with a node of a DAG.
const STAY: &str = "-stay-with-node";

/// Why no advice can be given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The arguments cannot be read.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// No jobs can be had.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// A setting cannot be used.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No log named can be read.
    #[error(transparent)]
    Log(#[from] EventLogError),
    /// A constraint needs ads.
    #[error("-constraint needs job ads, which -userlog alone does not give; add -jobads")]
    ConstraintWithoutAds,
    /// Nothing is left, as a constraint takes too much.
    #[error("{0}")]
    ConstraintGivenUp(String),
    /// The process that stays with a node of a DAG does not begin.
    #[error("cannot begin the process that stays with this node: {0}")]
    Begin(#[source] io::Error),
    /// Jobs are on hold by events of the future alone; it was said what to do.
    #[error("no job can be judged: {} on hold by events of the future alone", held(*.0))]
    Ahead(usize),
    /// Nothing that was named can be judged; it was said why.
    #[error("none of the jobs named can be judged")]
    NothingJudged,
    /// Nothing is known of what was named to `-profile`; it was said why.
    #[error("none of the scripts and jobs named can be profiled")]
    NothingProfiled,
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There is no home directory to keep a journal in.
    #[error("no folder for the journal is known; set HOLDADVISE_JOURNAL")]
    NoJournal,
    /// Nothing was written into it yet.
    #[error("{}: there is no journal; -apply writes one", .0.display())]
    EmptyJournal(PathBuf),
    /// `-apply` without a queue.
    #[error(
        "-apply needs the queue; -userlog and -eventlog alone give jobs on hold at the end of a log"
    )]
    ApplyWithoutQueue,
    /// Nobody can be asked.
    #[error("there is no terminal to ask at; add -yes to act without being asked, or -dry-run")]
    NoTerminal,
    /// None of the jobs was acted on.
    #[error("nothing was done")]
    NothingDone,
    /// The page of `-html` cannot be written.
    #[error("-html {}: {source}", .path.display())]
    Page {
        /// Its name.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard output cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

fn held(jobs: usize) -> String {
    format!("{} {}", plural(jobs, "job"), if jobs == 1 { "is" } else { "are" })
}

impl ToolError for RunError {
    fn of_output(&self) -> Option<&io::Error> {
        if let Self::Write(error) = self { Some(error) } else { None }
    }
}

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
pub(super) fn answer(
    arguments: &[OsString],
    stays: bool,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let mut request = Request::read(arguments)?;
    if request.help {
        out.write_all(super::arguments::usage(&super::options::TOOL).as_bytes())?;
        return Ok(());
    }
    let config = Config::of_user();
    if request.debug {
        debug::switch_on(config.get_condor("TOOL_DEBUG").as_deref());
    }
    if request.version {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(out, "$HoldadviseVersion: {version} $")?;
        let model = model_file::open::<RunError>(&request.model(), &config)?;
        out.write_all(model_file::sheet(&model).as_bytes())?;
        if request.model.is_some() {
            out.write_all(model_sheet::full(&model, request.style.columns).as_bytes())?;
        }
        return Ok(());
    }
    if request.mcp {
        return Ok(mcp::serve(&mut io::stdin().lock(), out)?);
    }
    // An assistant asks again.
    request.goes_on |= output::is_collected();
    let logs = request.user_logs.iter_mut().chain(&mut request.event_logs);
    let _kept = piped::keep(logs)?;
    if request.outcomes {
        let model = model_file::open::<RunError>(&request.model(), &config)?;
        let now = jiff::Timestamp::now().as_second();
        return print_outcomes(&request, &config, &model, now, out);
    }
    if request.profile {
        let now = request.now.unwrap_or_else(|| jiff::Timestamp::now().as_second());
        return profile::run(&request, &config, now, out);
    }
    if let Some(every) = request.watch {
        return watch(&request, &config, every, out);
    }
    if request.dag_node && request.apply.is_some() && !request.dry_run {
        return match stays {
            true => stay_with_node(&request, &config, out),
            false => leave_to_another(arguments),
        };
    }
    advise(&request, &config, out).map(drop)
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
    begun.map(drop).map_err(RunError::Begin)
}

/// Carries advice out for a node of a DAG until none of its jobs is held that time may help. A second
/// process for the same node waits for the first, whose last look may have been before what is new.
/// A third leaves at once: the second has still to look.
fn stay_with_node(request: &Request, config: &Config, out: &mut dyn Write) -> Result<(), RunError> {
    let journal = Journal::open(&journal_folder(config)?)?;
    let node = request.selection.constraint.as_deref().unwrap_or_default();
    let node = format!("{:016x}", fnv1a(node.as_bytes()));
    let Some(next) = journal.alone(&format!("{node}next"))? else {
        return Ok(writeln!(out, "Another process looks after this node.")?);
    };
    let _alone = journal.alone_at_last(&node)?;
    drop(next);
    let begun = Instant::now();
    while let Some(at) = advise(request, config, out)? {
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

/// Prints the advice, or carries it out; then when to look again, Unix seconds, where that may help.
fn advise(
    request: &Request,
    config: &Config,
    out: &mut dyn Write,
) -> Result<Option<i64>, RunError> {
    if request.apply.is_some() && request.is_offline() {
        return Err(RunError::ApplyWithoutQueue);
    }
    let now = request.now.unwrap_or_else(|| jiff::Timestamp::now().as_second());
    let (gathered, mut remarks) = gathered(request, config, now)?;
    if let Some(what) = request.apply {
        let mut collector = Collector::new(what, request.selection.all_users);
        let model = model_file::open::<RunError>(&request.model(), config)?;
        if !gathered.held.is_empty() {
            let mut take = |advice: &Advice, _: Option<&AdText>| {
                collector.add(advice);
                Ok(())
            };
            judge(gathered, &mut remarks, request, config, &model, now, &mut take)?;
        }
        remarks.faults.extend(config.faults());
        tell(&remarks);
        return apply(collector, request, config, &model.metadata.identity(), now, out);
    }
    if let Some(path) = &request.page {
        return html::advise(path, gathered, remarks, request, config, now, out);
    }
    show(gathered, remarks, request, config, now, out, |_, _| {})
}

/// Prints the advice; what is wrong where is given to `see` where it is asked for, with how many
/// bytes of it were printed.
pub(super) fn show(
    gathered: Gathered,
    mut remarks: Remarks,
    request: &Request,
    config: &Config,
    now: i64,
    out: &mut dyn Write,
    see: impl FnOnce(View, usize),
) -> Result<Option<i64>, RunError> {
    let selection = &request.selection;
    let page = Page { style: request.style, now, zone: TimeZone::system() };
    let mut judged = 0;
    let mut nothing = nothing(request, gathered.ads);
    let mut printer = Printer::new(out, &request.output, &page);
    let logs_alone = gathered.logs_alone;
    let is_view = request.workflow && request.output == Output::Json;
    let is_shown = |advice: &Advice| request.shows(advice.recommendation) && !is_view;
    let mut take = |advice: &Advice, job: Option<&AdText>| {
        judged += 1;
        if is_shown(advice) { printer.add(advice, job) } else { Ok(()) }
    };
    let seen = judge_all(gathered, &mut remarks, request, config, now, &mut take)?;
    if let Some(mut view) = seen.view {
        view.progress = progress(request, config, now, &mut remarks)?;
        view.name_recovery()?;
        let printed = printer.view(&view)?;
        nothing = match view.keep_off.iter().any(|one| one.held) {
            true => "No other held jobs.".to_owned(),
            false => "No held jobs among these.".to_owned(),
        };
        see(view, printed);
        if request.output == Output::Json {
            tell(&remarks);
            return Ok(None);
        }
    }
    // A DAG that nothing is known of yet has no logs.
    if logs_alone && (seen.jobs > 0 || request.dag.is_none()) {
        let jobs = plural(seen.jobs, "job");
        nothing = format!("No held jobs: the logs have {jobs}, none on hold at their end.");
        for line in &remarks.hidden {
            nothing.push_str(&format!(" {}.", printable(line)));
        }
    }
    tell(&remarks);
    if judged == 0 && seen.ahead > 0 && !request.workflow {
        return Err(RunError::Ahead(seen.ahead));
    }
    if judged == 0 && !selection.jobs.is_empty() && !request.workflow && seen.thrashing.is_empty() {
        return Err(RunError::NothingJudged);
    }
    if judged > 0 {
        let words = request.advice.iter().map(|one| one.name()).collect::<Vec<_>>();
        nothing =
            format!("No advice of {}: {} judged.", words.join(", "), plural(judged, "held job"));
    }
    if judged == 0 && !seen.thrashing.is_empty() {
        nothing = "No held jobs among these.".to_owned();
    }
    printer.finish(&nothing)?;
    print_thrashing(out, &seen.thrashing, &page)?;
    Ok(None)
}

/// How far the DAG is that is asked about.
fn progress(
    request: &Request,
    config: &Config,
    now: i64,
    remarks: &mut Remarks,
) -> Result<Option<Progress>, RunError> {
    let (Some(dag), Some(log)) = (&request.dag, &request.nodes_log) else {
        return Ok(None);
    };
    remarks.faults.extend(dag.faults.iter().cloned());
    let bytes = config.event_log_bytes()?;
    let mut progress = dag.progress(log, &ReadOptions::default().newest(bytes), now)?;
    if !request.user_logs.contains(log) {
        remarks.faults.extend(left_out(log, "", progress.skipped, bytes));
    }
    // Of the past the files that are there now say nothing.
    if request.now.is_none() {
        remarks.faults.append(&mut progress.faults);
    }
    let has_ended = dag.manager.as_ref().is_some_and(Manager::has_ended);
    // A name that cannot be written is no name to paste.
    let name = dag.path.to_str().filter(|name| can_be_pasted(name));
    let resumes = has_ended && progress.has_failed();
    progress.resume = name.filter(|_| resumes).map(|name| {
        let dash = if name.starts_with('-') { "./" } else { "" };
        shell_command(["condor_submit_dag", &format!("{dash}{name}")])
    });
    Ok(Some(progress))
}

/// What is printed where there are no held jobs: what was read. `ads`: those in the file.
fn nothing(request: &Request, ads: Option<usize>) -> String {
    let selection = &request.selection;
    match (&request.job_ads, ads) {
        (Some(file), Some(ads)) => {
            format!("No held jobs: 0 of {} in {} matched.", plural(ads, "ad"), display_path(file))
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

/// Hands the advice on each job that was gathered to `take`. Returned: what the logs have.
pub(super) fn judge_all(
    gathered: Gathered,
    remarks: &mut Remarks,
    request: &Request,
    config: &Config,
    now: i64,
    take: Take<'_>,
) -> Result<Seen, RunError> {
    let mut seen = Seen::default();
    let any = !gathered.held.is_empty() || !gathered.others.is_empty();
    if any || gathered.logs_alone || request.workflow {
        let model = model_file::open::<RunError>(&request.model(), config)?;
        seen = judge(gathered, remarks, request, config, &model, now, take)?;
    }
    remarks.faults.extend(config.faults());
    Ok(seen)
}

/// What there is to judge, as of `now`, and what is to be said of it.
pub(super) fn gathered(
    request: &Request,
    config: &Config,
    now: i64,
) -> Result<(Gathered, Remarks), RunError> {
    let constraint = request.selection.constraint.as_deref();
    if constraint.is_some() && request.is_offline() && request.job_ads.is_none() {
        return Err(RunError::ConstraintWithoutAds);
    }
    // A constraint that is no expression is refused before anything is read.
    let constraint = constraint.map(|text| Constraint::new(text, now)).transpose()?;
    let filter = |ad: &_| constraint.as_ref().is_none_or(|constraint| constraint.is_true_for(ad));
    let (gathered, mut remarks) = gather(request, config, &filter, now)?;
    if let Some(constraint) = constraint.as_ref().filter(|_| !request.dag_node) {
        let judged = gathered.held.iter().chain(&gathered.others);
        match constraint.undecided() {
            Some(line) if judged.clone().next().is_none() => {
                return Err(RunError::ConstraintGivenUp(line));
            }
            line => remarks.faults.extend(line),
        }
        remarks.faults.extend(constraint.unknown(judged.map(|job| job.ad.to_classad())));
    }
    Ok((gathered, remarks))
}

/// What was named and cannot be judged, and what of the input is damaged.
pub(super) fn tell(remarks: &Remarks) {
    for line in &remarks.faults {
        say("Warning", line);
    }
    for line in &remarks.refused {
        say("Error", line);
    }
}
