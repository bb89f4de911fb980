//! `holdadvise-train review`: what a model would have advised on the holds of logs when they were
//! decided, beside what became of them.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use clap::Args;
use classads::ClassAd;
use eventlog::JobId;
use holdadvise::advice::{Advice, Advisor, Held, Policies, Recommendation};
use holdadvise::history::{Action, Episode, History, HoldInQueue, Outcome, What};
use holdadvise::hold_code;
use holdadvise::model::Model;
use serde::Serialize;

use crate::Error;
use crate::data::input::{Input, InputOptions, reader};
use crate::say::{json_lines, say};

/// Show what a model would have advised on each hold of job event logs when it was decided, beside
/// what became of it: a table by hold reason code.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("logs", |logs| logs.required(true)))]
pub struct ReviewOptions {
    #[command(flatten)]
    input: InputOptions,
    /// Each log is of an access point of its own, not part of one.
    #[arg(long)]
    separate: bool,
    /// Ads of held jobs, as condor_q -hold -long wrote them; repeatable. A hold that one of them
    /// shows is judged with it, as condor_holdadvise -jobads does.
    #[arg(long, value_name = "FILE")]
    ads: Vec<PathBuf>,
    /// The model.
    #[arg(short, long, value_name = "FILE")]
    model: PathBuf,
    /// Print a JSON object for each hold in place of the table.
    #[arg(long)]
    json: bool,
}

/// What became of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Fate {
    /// Released, and exited with 0.
    Success,
    /// Released, and held again by HTCondor or a policy, or exited otherwise.
    Failure,
    /// Released, and neither is known: held by a person, removed, or not ended within H.
    Open,
    /// Removed while it was held.
    Removed,
    /// The log ends with it, or with another hold in its place.
    Held,
}

/// Seconds after which a hold that nobody ended is looked at.
const LATER: i64 = 3_600;

/// One hold, judged.
#[derive(Debug, Serialize)]
struct Judged {
    job: String,
    code: i32,
    subcode: i32,
    held_at: i64,
    decided_at: i64,
    recommendation: Recommendation,
    /// Probability of success of a release after what was done before it, as is where that is not
    /// known; none of a code that the model does not know.
    success: Option<f64>,
    fate: Fate,
}

/// Runs the subcommand.
///
/// # Errors
/// When the model or the input cannot be read, or the model is of another schema.
pub fn run(options: &ReviewOptions) -> Result<(), Error> {
    let model = Model::open(&options.model)?;
    let ads = read_ads(&options.ads)?;
    let mut judged = Vec::new();
    let together = if options.separate { 1 } else { options.input.logs.len() };
    for logs in options.input.logs.chunks(together) {
        let input = InputOptions { logs: logs.to_vec(), ..options.input.clone() }.read_with(&ads);
        match input {
            Ok(input) => judge(input, &ads, &model, &mut judged)?,
            // One of many that is no log costs that one.
            Err(error) if options.separate => eprintln!("{}: {error}; left out", logs[0].display()),
            Err(error) => return Err(error),
        }
    }
    if judged.is_empty() {
        eprintln!("no job was held in these logs");
    }
    if options.json {
        json_lines(&judged)?;
    } else {
        say(format_args!("{}", table(&judged)));
    }
    Ok(())
}

/// The ads of these files. A damaged one costs itself.
fn read_ads(files: &[PathBuf]) -> Result<Vec<ClassAd>, Error> {
    let mut ads = Vec::new();
    for path in files {
        for ad in classads::read_ads(reader(path)?) {
            match ad {
                Ok(ad) => ads.push(ad),
                Err(error) => eprintln!("{}: {error}; left out", path.display()),
            }
        }
    }
    Ok(ads)
}

/// Judges each hold of one access point a second before it was decided.
fn judge(
    input: Input,
    ads: &[ClassAd],
    model: &Model,
    judged: &mut Vec<Judged>,
) -> Result<(), Error> {
    let episodes = input.episodes();
    let decisions: Vec<(i64, Fate)> =
        episodes.iter().map(|episode| decision(&input.history, episode)).collect();
    let mut of_job: HashMap<JobId, Vec<(HoldInQueue, &ClassAd)>> = HashMap::new();
    for ad in ads {
        let Some(hold) = HoldInQueue::of(ad) else { continue };
        if let Some(job) = JobId::of_ad(ad) {
            of_job.entry(job).or_default().push((hold, ad));
        }
    }
    let policies = Policies::unknown();
    let advisor = Advisor::new(input.history, model)?;
    for (episode, (decided_at, fate)) in episodes.iter().zip(decisions) {
        let identity = episode.identity;
        let mut ads = of_job.get(&identity.job).into_iter().flatten();
        let held = match ads.find(|(hold, _)| hold.is(episode)) {
            Some((_, ad)) => Held::of_ad(identity.job, ad, false, &policies, decided_at),
            None => Held::of_log(identity.job),
        };
        let Some(advice) = advisor.advise(&held, decided_at)? else { continue };
        judged.push(Judged {
            job: identity.job.to_string(),
            code: identity.code,
            subcode: identity.subcode,
            held_at: episode.held_at,
            decided_at,
            recommendation: advice.recommendation,
            success: said(&advice, episode.action).filter(|_| model.metadata.knows(identity.code)),
            fate,
        });
    }
    Ok(())
}

/// The probability said of an action, or else of a release as is.
fn said(advice: &Advice, action: Action) -> Option<f64> {
    let of = |action| advice.success.iter().find(|(other, _)| *other == action);
    of(action).or_else(|| of(Action::AsIs)).map(|(_, success)| *success)
}

/// When a hold is looked at, and what became of it.
fn decision(history: &History, episode: &Episode) -> (i64, Fate) {
    let held_at = episode.held_at;
    let before = |end: i64| (end - 1).max(held_at);
    if let Some(released_at) = episode.released_at {
        let fate = match episode.outcome {
            Some(Outcome::Success) => Fate::Success,
            Some(Outcome::Failure) => Fate::Failure,
            _ => Fate::Open,
        };
        return (before(released_at), fate);
    }
    let job = history.job(episode.identity.job);
    let later = job.and_then(|job| job.steps.get(episode.step? + 1..)).unwrap_or_default();
    let end = later.iter().find_map(|step| match step.what {
        What::Removed => Some((before(step.time), Fate::Removed)),
        What::Held(_) | What::Terminated(_) => Some((before(step.time), Fate::Held)),
        _ => None,
    });
    end.unwrap_or((held_at + LATER, Fate::Held))
}

/// Holds of one code.
#[derive(Debug, Default)]
struct Tally {
    fates: BTreeMap<Fate, usize>,
    said: BTreeMap<Recommendation, usize>,
    /// Sum and number of the probabilities said of releases that succeeded, and of those that
    /// failed.
    success: (f64, usize),
    failure: (f64, usize),
}

impl Tally {
    fn add(&mut self, hold: &Judged) {
        *self.fates.entry(hold.fate).or_default() += 1;
        *self.said.entry(hold.recommendation).or_default() += 1;
        let sum = match hold.fate {
            Fate::Success => &mut self.success,
            Fate::Failure => &mut self.failure,
            _ => return,
        };
        if let Some(probability) = hold.success {
            *sum = (sum.0 + probability, sum.1 + 1);
        }
    }

    fn line(&self, code: &str, width: usize) -> String {
        let fate = |fate| self.fates.get(&fate).copied().unwrap_or(0);
        let said = |said| self.said.get(&said).copied().unwrap_or(0);
        let mean = |(sum, n): (f64, usize)| match n {
            0 => "-".to_owned(),
            _ => format!("{:.2}", sum / n as f64),
        };
        format!(
            "{code:<width$} {:>6} {:>8} {:>8} {:>6} {:>8} {:>6} {:>8} {:>5} {:>7} {:>6} {:>6} {:>7} {:>10} {:>8} {:>8}\n",
            self.fates.values().sum::<usize>(),
            fate(Fate::Success),
            fate(Fate::Failure),
            fate(Fate::Open),
            fate(Fate::Removed),
            fate(Fate::Held),
            said(Recommendation::Release),
            said(Recommendation::Try),
            said(Recommendation::Change),
            said(Recommendation::Wait),
            said(Recommendation::Look),
            said(Recommendation::Remove),
            said(Recommendation::Undecided),
            mean(self.success),
            mean(self.failure)
        )
    }
}

/// The holds by code.
fn table(judged: &[Judged]) -> String {
    let mut codes: BTreeMap<i32, Tally> = BTreeMap::new();
    let mut all = Tally::default();
    for hold in judged {
        codes.entry(hold.code).or_default().add(hold);
        all.add(hold);
    }
    let codes: Vec<(String, Tally)> =
        codes.into_iter().map(|(code, tally)| (hold_code::label(code), tally)).collect();
    let width = codes.iter().map(|(code, _)| code.len()).max().unwrap_or(0).max("CODE".len());
    let mut text = format!(
        "{:<width$}  HOLDS  SUCCESS  FAILURE   OPEN  REMOVED   HELD  release   try  change   wait   look  remove  undecided P(SUCC.) P(FAIL.)\n",
        "CODE"
    );
    for (code, tally) in &codes {
        text.push_str(&tally.line(code, width));
    }
    text.push_str(&all.line("all", width));
    text.push_str(
        "\nSUCCESS, FAILURE, OPEN: what came of a release. REMOVED: while it was held. HELD: the log ends so.\n\
         release to undecided: what is advised a second before that, or an hour after the hold.\n\
         P(SUCC.), P(FAIL.): mean probability of success said of the releases that succeeded, and of those that failed,\n\
         after what was done before them, where epoch ads or a journal tell of it, else as is.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use eventlog::{Events, ReadOptions};
    use holdadvise::history::{Coverage, HistoryBuilder, NotedActions};
    use jiff::tz::TimeZone;

    use super::*;

    fn history(log: &str) -> History {
        let mut history = HistoryBuilder::new();
        let source = history.add_source(Coverage::Jobs);
        for event in Events::with_options(log.as_bytes(), &ReadOptions::in_zone(TimeZone::UTC)) {
            history.add_event(source, &event.unwrap());
        }
        history.build()
    }

    /// Decision instant after the hold, and fate, of each hold.
    fn decisions(events: &str) -> Vec<(i64, Fate)> {
        let held = "012 (001.000.000) 2026-01-02 03:00:00 Job was held.\n\tno such file\n\tCode 13 Subcode 2\n...\n";
        let history = history(&format!("{held}{events}"));
        let episodes = history.episodes(86_400, &NotedActions::default());
        let of = |episode: &Episode| {
            let (at, fate) = decision(&history, episode);
            (at - episode.held_at, fate)
        };
        episodes.iter().map(of).collect()
    }

    #[test]
    fn a_hold_is_looked_at_before_it_ends() {
        let released = "013 (001.000.000) 2026-01-02 03:00:30 Job was released.\n\tvia condor_release (by user a)\n...\n";
        let exited = "005 (001.000.000) 2026-01-02 03:09:00 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n";
        let removed = "009 (001.000.000) 2026-01-02 03:07:00 Job was aborted.\n\tvia condor_rm (by user a)\n...\n";
        assert_eq!(decisions(""), [(3_600, Fate::Held)]);
        assert_eq!(decisions(released), [(29, Fate::Open)]);
        assert_eq!(decisions(&format!("{released}{exited}")), [(29, Fate::Success)]);
        assert_eq!(decisions(&format!("{released}{removed}")), [(29, Fate::Open)]);
        assert_eq!(decisions(removed), [(419, Fate::Removed)]);
        let again =
            "012 (001.000.000) 2026-01-02 03:00:00 Job was held.\n\tx\n\tCode 1 Subcode 0\n...\n";
        assert_eq!(decisions(again), [(0, Fate::Held), (3_600, Fate::Held)]);
    }

    #[test]
    fn the_table_counts_by_code() {
        let hold = |code, recommendation, success, fate| Judged {
            job: "1.0".to_owned(),
            code,
            subcode: 0,
            held_at: 0,
            decided_at: 1,
            recommendation,
            success,
            fate,
        };
        let text = table(&[
            hold(13, Recommendation::Release, Some(0.8), Fate::Success),
            hold(13, Recommendation::Change, Some(0.2), Fate::Failure),
            hold(13, Recommendation::Change, Some(0.4), Fate::Failure),
            hold(1, Recommendation::Undecided, None, Fate::Removed),
        ]);
        let lines: Vec<Vec<&str>> =
            text.lines().skip(1).take(3).map(|line| line.split_whitespace().collect()).collect();
        let expected = [
            "1 UserRequest 1 0 0 0 1 0 0 0 0 0 0 0 1 - -",
            "13 TransferInputError 3 1 2 0 0 0 1 0 2 0 0 0 0 0.80 0.30",
            "all 4 1 2 0 1 0 1 0 2 0 0 0 1 0.80 0.30",
        ];
        assert_eq!(lines, expected.map(|line| line.split(' ').collect::<Vec<_>>()));
    }
}
