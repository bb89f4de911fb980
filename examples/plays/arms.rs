//! The three ways of judging that are compared, each on the same looks.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use eventlog::JobId;
use holdadvise::advice::{Advice, Advisor, Evidence, Held, Policies};
use holdadvise::checks::{LocalFiles, Urls};
use holdadvise::history::{Action, HoldInQueue};
use holdadvise::model::{Batch, Engine, Model, ModelError};
use holdadvise::policy::PolicyTime;
use serde_json::{Value, json};

use crate::figures::Row;
use crate::names;
use crate::reader::{Look, Play, Problem, Truth};

/// Which of model and checks an advice is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Arm {
    /// Rules and checks; in the model's place the share of successes of the code.
    Checks,
    /// Rules and model; no checks, no words of programs.
    Model,
    /// All.
    Both,
}

impl Arm {
    pub(crate) const ALL: [Self; 3] = [Self::Checks, Self::Model, Self::Both];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Checks => "rules and checks",
            Self::Model => "model",
            Self::Both => "both",
        }
    }
}

/// Answers the same log-odds to everything.
#[derive(Debug)]
struct Constant(Arc<AtomicU32>);

impl Engine for Constant {
    fn logits(&self, batch: &Batch<'_>) -> Result<Vec<f32>, ModelError> {
        Ok(vec![f32::from_bits(self.0.load(Ordering::Relaxed)); batch.n])
    }
}

/// A model that answers what it is set to.
struct Set {
    model: Model,
    logit: Option<Arc<AtomicU32>>,
}

impl Set {
    fn new(mut model: Model, arm: Arm) -> Self {
        let logit = (arm == Arm::Checks).then(Arc::<AtomicU32>::default);
        if let Some(logit) = &logit {
            model.engine = Box::new(Constant(Arc::clone(logit)));
        }
        Self { model, logit }
    }

    /// The share of successes of a code among the releases that the model was trained on; of all
    /// where it has seen none.
    fn share(&self, code: i32) -> f64 {
        let codes = &self.model.metadata.codes;
        let count = |of_code: bool| {
            let these = codes.iter().filter(|one| !of_code || one.code == code);
            these.fold((0, 0), |sum, one| (sum.0 + one.successes, sum.1 + one.releases))
        };
        let (successes, releases) = match count(true) {
            (_, 0) => count(false),
            counted => counted,
        };
        (successes as f64 + 0.5) / (releases as f64 + 1.0)
    }

    /// From now on it answers the share of this code.
    fn set(&self, code: i32) {
        if let Some(logit) = &self.logit {
            let share = self.share(code);
            let calibration = self.model.metadata.calibration;
            let logit_of = ((share / (1.0 - share)).ln() - calibration.b) / calibration.a;
            logit.store((logit_of as f32).to_bits(), Ordering::Relaxed);
        }
    }
}

/// What of the checks is used, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checks {
    pub(crate) urls: Urls,
    /// Share of the answers that are turned round.
    pub(crate) flip: f64,
}

/// Judges every held job at every look of a play.
pub(crate) fn judge_play(
    play: &Play,
    arm: Arm,
    model: Model,
    checks: Checks,
) -> Result<Vec<Row>, Problem> {
    let model = Set::new(model, arm);
    let mut rows = Vec::new();
    for look in &play.looks {
        if !look.ads.is_empty() {
            rows.extend(judge_look(play, look, arm, &model, checks)?);
        }
    }
    // Each hold counts once, however often it was looked at.
    let mut looks: HashMap<(JobId, i64), usize> = HashMap::new();
    rows.iter().for_each(|row| *looks.entry(row.hold).or_default() += 1);
    for row in &mut rows {
        row.weight = 1.0 / looks[&row.hold] as f64;
    }
    Ok(rows)
}

fn judge_look(
    play: &Play,
    look: &Look,
    arm: Arm,
    model: &Set,
    checks: Checks,
) -> Result<Vec<Row>, Problem> {
    let now = look.ads_at.floor() as i64;
    let mut history = play.history_until(now)?;
    let ads = look.ads()?;
    for ad in ads.values() {
        history.add_queue_ad(ad, now);
    }
    let files = match arm {
        Arm::Model => None,
        Arm::Checks | Arm::Both => {
            let recorded = flipped(look, checks.flip).recorded()?;
            Some(LocalFiles::recorded(recorded).with_urls(checks.urls))
        }
    };
    let time = PolicyTime::new(PolicyTime::DEFAULT);
    let policies = Policies { files, time, ..Policies::unknown() };
    let mut by_code: BTreeMap<i32, Vec<Held>> = BTreeMap::new();
    for (id, ad) in &ads {
        if let Some(hold) = HoldInQueue::of(ad) {
            let held = Held::of_ad(*id, ad, false, &policies, now);
            by_code.entry(hold.code).or_default().push(held);
        }
    }
    let advisor = Advisor::new(history.build(), &model.model)?;
    let mut rows: Vec<Row> = Vec::new();
    for (code, held) in &by_code {
        model.set(*code);
        for advice in advisor.advise_all(held, now)?.into_iter().flatten() {
            rows.extend(row(play, look, arm, &advice));
        }
    }
    // One look of a person serves the jobs of a cluster that are held alike.
    let mut alike: HashMap<(i32, (i32, i32)), usize> = HashMap::new();
    rows.iter().for_each(|row| *alike.entry((row.hold.0.cluster, row.code)).or_default() += 1);
    for row in &mut rows {
        row.alike = alike[&(row.hold.0.cluster, row.code)];
    }
    Ok(rows)
}

fn row(play: &Play, look: &Look, arm: Arm, advice: &Advice) -> Option<Row> {
    let job = advice.held.job;
    let at_look = play.at_look(look, job)?;
    let truth = play.hold(job, at_look.num_holds)?;
    let as_is = advice.success.iter().find(|(action, _)| *action == Action::AsIs);
    let words = advice.evidence.iter().find_map(|evidence| match evidence {
        Evidence::ProgramWords { words } => Some(words.words.line.clone()),
        _ => None,
    });
    Some(Row {
        arm,
        hold: (job, truth.num_holds),
        cluster: format!("{}, {}", play.name, truth.cluster),
        trouble: play.trouble(truth),
        invisible: truth.is_invisible(),
        seen_by: truth.seen_by.clone(),
        others: truth.module.as_deref() == Some("causes_of_others"),
        score: as_is.map_or(0.5, |(_, success)| *success),
        now: at_look.now(),
        best_as_is: at_look.best_as_is(),
        best_ever: at_look.best_ever(),
        recommendation: advice.recommendation.name(),
        action: advice.action.map_or("", Action::name),
        is_seen: names::is_seen(advice),
        named: names::of(advice),
        names_the_faulty: names::faulty(advice, &truth.faulty, said_by_program(truth)),
        kind: names::kind(advice),
        says: said_by_program(truth)
            .map(|says| words.as_ref().is_some_and(|line| line.as_given().contains(says))),
        lines: said_by_program(truth)
            .map(|says| (says.to_owned(), words.unwrap_or_default().as_given().to_owned())),
        tried: tried(play, look, advice),
        look_shows: names::look_shows(advice, &truth.faulty, truth.says.is_some()),
        alike: 1,
        code: (truth.code, truth.subcode),
        cause: truth.cause.clone(),
        costs: advice.costs,
        weight: 1.0,
        at: look.ads_at.floor() as i64,
        advice: advice.clone(),
    })
}

/// The job that is to be tried, and the true probability that it succeeds.
fn tried(play: &Play, look: &Look, advice: &Advice) -> Option<(JobId, f64)> {
    let job = advice.try_one?.job;
    Some((job, play.at_look(look, job)?.now()[0]))
}

/// What the right line of a program's output has in it, of holds that are about what it did.
fn said_by_program(truth: &Truth) -> Option<&str> {
    let of_program = truth.code == 3 || (truth.code, truth.subcode) == (12, 2);
    truth.says.as_deref().filter(|_| of_program)
}

/// The same look with a share of its checks turned round: what was in order is missing, and what
/// was wrong is in order. Which ones is the same at every look.
fn flipped(look: &Look, share: f64) -> Look {
    let mut look = look.clone();
    if share <= 0.0 {
        return look;
    }
    let time = look.time;
    for (key, answer) in &mut look.answers {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        if ((hasher.finish() % 10_000) as f64) < share * 10_000.0 {
            turn_round(&mut answer["Answer"]["Ok"], time);
        }
    }
    look
}

fn turn_round(finding: &mut Value, time: i64) {
    let turned = match finding.get("Result").and_then(Value::as_str) {
        Some("Gone") => json!({"Result": "StillThere", "Fault": "Missing"}),
        Some("StillThere") => json!({"Result": "Gone", "ChangedAt": time}),
        _ => return,
    };
    *finding = turned;
}

/// Holds that were judged, for a count.
pub(crate) fn holds(rows: &[&Row]) -> usize {
    rows.iter().map(|row| (&row.cluster, row.hold)).collect::<HashSet<_>>().len()
}
