//! `holdadvise-train judge`: what is advised about the holds of simulations, beside what is true.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use eventlog::JobId;
use holdadvise::advice::{Advisor, Recommendation};
use holdadvise::checks::{LocalFiles, Recorded, Urls};
use holdadvise::features::fnv1a;
use holdadvise::history::{Action, Episode};
use holdadvise::hold_code;
use holdadvise::model::Model;
use serde::Deserialize;

use super::queue_ad::{InQueue, epoch_ads, held, queue_ad};
use crate::Error;
use crate::data::input::{InputOptions, plain_or_packed, reader, unread};
use crate::data::truth::{Oracle, Truth};
use crate::random::Random;
use crate::say::say;
use holdadvise::metrics::{Estimate, draw_sums};

/// Show what is advised about the holds of simulations, beside what is true
#[derive(Clone, Debug, clap::Args)]
pub struct JudgeOptions {
    /// Folders that `simulate --when --when-plays N` wrote, each an access point.
    #[arg(required = true)]
    simulations: Vec<PathBuf>,
    /// The model.
    #[arg(short, long, value_name = "FILE")]
    model: PathBuf,
    /// What is looked at: needs `simulate --looks`.
    #[arg(long, value_enum, default_value_t = Checks::None)]
    checks: Checks,
    /// Without epoch ads.
    #[arg(long)]
    without_epochs: bool,
    /// At most so many instants of each cluster, drawn by a hash.
    #[arg(long, value_name = "N", default_value_t = 4)]
    instants: usize,
    /// Bootstrap draws of clusters.
    #[arg(long, default_value_t = 1_000)]
    draws: usize,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Checks {
    /// Nothing.
    None,
    /// Files.
    Local,
    /// Files and URLs.
    All,
}

/// What would be right, by the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Right {
    /// A release now succeeds more likely than not.
    Release,
    /// It does not, and one after a change does.
    Change,
    /// None does now, and one within a day does with [`LIKELY`].
    Wait,
    /// Nothing has a chance of [`HOPELESS`], now or within the times played.
    Nothing,
    /// Anything else.
    Open,
}

/// Assumed, as the band `likely`.
const LIKELY: f64 = 0.65;

/// A release this likely is right: the default costs.
const EVEN: f64 = 0.5;

/// Nothing that is less likely rescues a job. Assumed.
const HOPELESS: f64 = 0.05;

/// Seconds within which a wait is right.
const DAY: i64 = 86_400;

/// Seconds on hold, and failed releases, from which on a job that nothing rescues is to be removed.
const RIPE: (i64, usize) = (86_400, 2);

/// Tenths of the probabilities said.
const TENTHS: usize = 10;

/// One hold at one instant.
#[derive(Debug)]
struct Judged {
    cluster: (usize, i32),
    held_for: i64,
    failed_releases: usize,
    recommendation: Recommendation,
    right: Right,
    /// What is said of a release as it is; none of a code that the model does not know.
    said: Option<f64>,
    /// What is true of it.
    truth: f64,
    /// The best of all actions, now and later.
    best: f64,
}

/// Runs the subcommand.
///
/// # Errors
/// When the model or a simulation cannot be read, or has no plays of later releases.
pub fn run(options: &JudgeOptions) -> Result<(), Error> {
    let model = Model::open(&options.model)?;
    let mut judged = Vec::new();
    for (number, folder) in options.simulations.iter().enumerate() {
        judge(options, number, folder, &model, &mut judged)?;
    }
    if judged.is_empty() {
        return Err(
            "no instant has plays of later releases: `simulate --when --when-plays 24`".into()
        );
    }
    say(format_args!("{}", Report { judged: &judged, draws: options.draws }));
    Ok(())
}

/// A line of `looks.jsonl`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Look {
    cluster: i32,
    proc: i32,
    num_holds: i64,
    time: i64,
}

/// The lines of `looks.jsonl`, by job, NumHolds and instant.
type Looks = HashMap<(JobId, i64, i64), String>;

fn looks(folder: &Path) -> Result<Looks, Error> {
    let path = plain_or_packed(folder, "looks.jsonl");
    let mut looks = HashMap::new();
    for line in reader(&path)?.lines() {
        let line = line.map_err(unread(&path))?;
        let Look { cluster, proc, num_holds, time } =
            serde_json::from_str(&line).map_err(unread(&path))?;
        looks.insert((JobId::new(cluster, proc), num_holds, time), line);
    }
    Ok(looks)
}

/// The epoch ads of each job, in their order, with when they were written.
fn epochs(folder: &Path) -> Result<HashMap<JobId, Vec<(i64, String)>>, Error> {
    let path = plain_or_packed(folder, "epoch_history");
    let mut text = String::new();
    reader(&path)?.read_to_string(&mut text).map_err(unread(&path))?;
    let mut ads: HashMap<JobId, Vec<(i64, String)>> = HashMap::new();
    for text in epoch_ads(&text) {
        let ad = classads::read_ads(text.as_bytes()).next().and_then(Result::ok);
        let Some((ad, job)) = ad.and_then(|ad| JobId::of_ad(&ad).map(|job| (ad, job))) else {
            continue;
        };
        let written = ad.integer("EpochWriteDate").unwrap_or(i64::MIN);
        ads.entry(job).or_default().push((written, text.to_owned()));
    }
    Ok(ads)
}

fn judge(
    options: &JudgeOptions,
    simulation: usize,
    folder: &Path,
    model: &Model,
    judged: &mut Vec<Judged>,
) -> Result<(), Error> {
    let truth = Truth::of_folder(folder)?;
    let looks = match options.checks {
        Checks::None => Looks::new(),
        _ => looks(folder)?,
    };
    let epochs = if options.without_epochs { HashMap::new() } else { epochs(folder)? };
    let mut input = InputOptions::of_folder(folder)?;
    if options.without_epochs {
        input.epochs.clear();
    }
    let input = input.read()?;
    let episodes = input.episodes();
    let wanted = drawn(&episodes, &truth, options.instants);
    let advisor = Advisor::new(input.history, model)?;
    for (episode, oracle) in &wanted {
        let (identity, now) = (episode.identity, oracle.time);
        let hold = InQueue {
            held_at: episode.held_at,
            num_holds: identity.num_holds,
            reason: episode.reason.as_deref().unwrap_or_default(),
            code: identity.code,
            subcode: identity.subcode,
        };
        let of_job = epochs.get(&identity.job).map_or(&[][..], Vec::as_slice);
        // A run's ad is written when it ends: no later than the hold, give or take a second.
        let before = of_job.iter().rev().find(|(written, _)| *written <= episode.held_at + 1);
        let ad = before.and_then(|(_, text)| queue_ad(text, &hold));
        let record = looks.get(&(identity.job, identity.num_holds, now));
        let record = record.map(|line| serde_json::from_str::<Recorded>(line)).transpose()?;
        let urls = if options.checks == Checks::All { Urls::Asked } else { Urls::None };
        let files = record.map(|record| LocalFiles::recorded(record).with_urls(urls));
        let held = held(identity.job, ad.as_ref(), files, now);
        let Some(advice) = advisor.advise(&held, now)? else { continue };
        let job = advisor.history().job(identity.job);
        let failed = job.zip(episode.step).map_or(0, |(job, step)| job.failed_releases(step + 1));
        let said = advice.success_of(Action::AsIs).filter(|_| model.metadata.knows(identity.code));
        let (right, truth, best) = right(oracle);
        judged.push(Judged {
            cluster: (simulation, identity.job.cluster),
            held_for: now - episode.held_at,
            failed_releases: failed,
            recommendation: advice.recommendation,
            right,
            said,
            truth,
            best,
        });
    }
    Ok(())
}

/// Instants with plays of later releases, so many of each cluster.
fn drawn(episodes: &[Episode], truth: &Truth, most: usize) -> Vec<(Episode, Oracle)> {
    let mut of_cluster: BTreeMap<i32, Vec<(u64, Episode, Oracle)>> = BTreeMap::new();
    for episode in episodes.iter().filter(|e| hold_code::is_by_system(e.identity.code)) {
        let instants = truth.of(episode).map_or(&[][..], |hold| &hold.oracle);
        let mut seen = HashSet::new();
        for oracle in instants.iter().filter(|oracle| !oracle.when.is_empty()) {
            // An instant may stand there twice.
            if seen.insert(oracle.time) {
                let job = episode.identity.job;
                let key = format!("judge {job} {} {}", episode.held_at, oracle.time);
                let order = Random::new(fnv1a(key.as_bytes())).bits();
                of_cluster.entry(job.cluster).or_default().push((
                    order,
                    episode.clone(),
                    oracle.clone(),
                ));
            }
        }
    }
    let mut wanted = Vec::new();
    for mut all in of_cluster.into_values() {
        all.sort_by_key(|(order, ..)| *order);
        wanted.extend(all.into_iter().take(most).map(|(_, episode, oracle)| (episode, oracle)));
    }
    wanted
}

/// What would be right, the probability of a release as it is, and that of the best of all.
fn right(oracle: &Oracle) -> (Right, f64, f64) {
    let truth = oracle.of(Action::AsIs).unwrap_or(0.0);
    let changed = oracle.actions().filter(|(action, _)| *action != Action::AsIs);
    let changed = changed.map(|(_, p)| p).fold(0.0, f64::max);
    let later = |within: i64| {
        let within = oracle.when.iter().filter(move |(delay, _)| *delay <= within);
        within.map(|&(_, p)| p).fold(0.0, f64::max)
    };
    let best = truth.max(changed).max(later(i64::MAX));
    let right = match () {
        () if truth >= EVEN => Right::Release,
        () if changed >= EVEN => Right::Change,
        () if later(DAY) >= LIKELY => Right::Wait,
        () if best < HOPELESS => Right::Nothing,
        () => Right::Open,
    };
    (right, truth, best)
}

/// The tables.
struct Report<'a> {
    judged: &'a [Judged],
    draws: usize,
}

impl Report<'_> {
    /// The share of `of` among those that `among` picks, each cluster counting once: with how many
    /// holds and clusters.
    fn share(
        &self,
        among: impl Fn(&Judged) -> bool,
        of: impl Fn(&Judged) -> bool,
    ) -> (Estimate, usize, usize) {
        let mut clusters: BTreeMap<(usize, i32), [f64; 2]> = BTreeMap::new();
        for hold in self.judged.iter().filter(|hold| among(hold)) {
            let cluster = clusters.entry(hold.cluster).or_default();
            cluster[0] += 1.0;
            cluster[1] += f64::from(u8::from(of(hold)));
        }
        let holds: f64 = clusters.values().map(|cluster| cluster[0]).sum();
        let sums: Vec<Vec<f64>> = clusters.values().map(|[all, of]| vec![1.0, of / all]).collect();
        // Of no cluster there are no sums.
        let mean = |sums: &[f64]| match sums {
            [clusters, of] => of / clusters,
            _ => f64::NAN,
        };
        let all = sums.iter().fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        let drawn = draw_sums(&sums, self.draws, 1);
        let estimate = Estimate::new(mean(&all), drawn.iter().map(|sums| mean(sums)));
        (estimate, holds as usize, sums.len())
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "shares of clusters, 95 % intervals over clusters")?;
        write!(f, "{:<10}{:>8}{:>9}", "right", "holds", "clusters")?;
        Recommendation::ALL.iter().try_for_each(|r| write!(f, "{:>11}", r.name()))?;
        writeln!(f)?;
        for right in [Right::Release, Right::Change, Right::Wait, Right::Nothing, Right::Open] {
            let among = |hold: &Judged| hold.right == right;
            let (_, holds, clusters) = self.share(among, |_| true);
            write!(f, "{:<10}{holds:>8}{clusters:>9}", format!("{right:?}").to_lowercase())?;
            for wanted in Recommendation::ALL {
                let (share, ..) = self.share(among, |hold| hold.recommendation == wanted);
                write!(f, "{:>11}", format!("{:.3}", share.value))?;
            }
            writeln!(f)?;
        }
        let waits = |hold: &Judged| {
            matches!(hold.recommendation, Recommendation::Wait | Recommendation::Try)
        };
        let (share, _, clusters) = self.share(|hold| hold.right == Right::Wait, waits);
        writeln!(f, "\nwaiting is right: wait or try in {} of {clusters} clusters", share.text(3))?;
        let lost = |hold: &Judged| {
            hold.right == Right::Nothing
                && (hold.held_for > RIPE.0 && hold.failed_releases >= RIPE.1)
        };
        let removes = |hold: &Judged| hold.recommendation == Recommendation::Remove;
        let (share, holds, clusters) = self.share(lost, removes);
        writeln!(
            f,
            "held for a day, two failed releases, nothing rescues it: removed {}, {holds} holds, \
             {clusters} clusters",
            share.text(3)
        )?;
        let removed: Vec<&Judged> = self.judged.iter().filter(|hold| removes(hold)).collect();
        let harmful = removed.iter().filter(|hold| hold.best >= EVEN).count();
        writeln!(f, "removals: {}, of them {harmful} that an action finishes", removed.len())?;
        self.calibration(f)
    }
}

impl Report<'_> {
    /// What is said of a release as it is beside the truth, by tenths of the holds.
    fn calibration(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs: Vec<(f64, f64)> =
            self.judged.iter().filter_map(|hold| Some((hold.said?, hold.truth))).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        writeln!(f, "\na release as it is, by tenths: said, true, difference")?;
        let mut worst: f64 = 0.0;
        let size = pairs.len().div_ceil(TENTHS).max(1);
        for tenth in pairs.chunks(size) {
            let mean =
                |of: fn(&(f64, f64)) -> f64| tenth.iter().map(of).sum::<f64>() / tenth.len() as f64;
            let (said, truth) = (mean(|pair| pair.0), mean(|pair| pair.1));
            worst = worst.max((said - truth).abs());
            writeln!(f, "{said:>8.3}{truth:>8.3}{:>8.3}", said - truth)?;
        }
        writeln!(f, "largest difference {worst:.3}, {} holds", pairs.len())
    }
}
