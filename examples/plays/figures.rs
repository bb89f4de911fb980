//! Figures of judged holds, with bootstrap intervals by cluster and by trouble.

use std::collections::BTreeMap;

use eventlog::JobId;
use holdadvise::advice::{Advice, Costs, Evidence};
use holdadvise::catalogue;
use holdadvise::history::Action;
use holdadvise::model::fit;
use holdadvise::text::Foreign;
use serde_json::{Value, json};

use crate::arms::{Arm, holds};
use crate::reader::{ACTIONS, Play};

/// A probability from which on something is said to help.
const HELPS: f64 = 0.5;

/// One held job at one look, judged.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) arm: Arm,
    pub(crate) hold: (JobId, i64),
    pub(crate) cluster: String,
    /// The fault or the flaw behind it.
    pub(crate) trouble: String,
    pub(crate) invisible: bool,
    pub(crate) seen_by: String,
    /// Its cause is from somebody who has seen neither simulator nor checks.
    pub(crate) others: bool,
    /// The probability of success as is that the advice gives.
    pub(crate) score: f64,
    /// The true ones of all actions.
    pub(crate) now: [f64; 5],
    pub(crate) best_as_is: f64,
    pub(crate) best_ever: f64,
    pub(crate) recommendation: &'static str,
    pub(crate) action: &'static str,
    /// What is advised, in one word more.
    pub(crate) kind: String,
    /// Whether the advised change is made can be seen before a release: of a file or a URL.
    pub(crate) is_seen: bool,
    /// A change that is advised names something.
    pub(crate) named: bool,
    pub(crate) names_the_faulty: bool,
    /// Whether the right line of the program is printed, where it wrote one.
    pub(crate) says: Option<bool>,
    /// What the right line has in it, and the line that is printed.
    pub(crate) lines: Option<(String, String)>,
    /// The job that is to be tried, and the true probability that it succeeds.
    pub(crate) tried: Option<(JobId, f64)>,
    /// What it says to look at shows the cause.
    pub(crate) look_shows: bool,
    /// Held jobs of the cluster with this code and subcode.
    pub(crate) alike: usize,
    pub(crate) code: (i32, i32),
    pub(crate) cause: String,
    pub(crate) costs: Costs,
    pub(crate) weight: f64,
    /// When it was looked at, Unix seconds.
    pub(crate) at: i64,
    pub(crate) advice: Advice,
}

impl Row {
    /// What was judged, and its truth.
    pub(crate) fn json(&self, play: &Play) -> Value {
        let choices = self.advice.choices.choices.iter().map(|one| {
            json!([
                one.recommendation.name(),
                one.action.map(Action::name),
                one.success,
                one.hours,
                one.against
            ])
        });
        let truth = play.hold(self.hold.0, self.hold.1).map(|truth| &truth.faulty);
        let entry = self.advice.held.reading.as_ref().map(|reading| reading.entry());
        let said = self.advice.evidence.iter().find_map(|evidence| match evidence {
            Evidence::ProgramWords { words } => {
                catalogue::current().read_output(words.words.line.as_given())
            }
            _ => None,
        });
        json!({
            "play": play.name, "trouble": self.trouble, "cause": self.cause, "faulty": truth,
            "seen_by": self.seen_by,
            "job": self.hold.0.to_string(), "cluster": self.hold.0.cluster, "hold": self.hold.1,
            "at": self.at, "held_since": self.advice.held.held_since, "weight": self.weight,
            "now": self.now, "best_as_is": self.best_as_is, "best_ever": self.best_ever,
            "recommendation": self.recommendation, "action": self.action, "kind": self.kind,
            "is_seen": self.is_seen, "names_the_faulty": self.names_the_faulty,
            "look_shows": self.look_shows, "alike": self.alike, "code": self.code,
            "tried": self.tried.map(|(job, p)| (job == self.hold.0, p)),
            "costs": self.costs, "success": self.advice.success, "choices": choices.collect::<Vec<_>>(),
            "entry": entry.map(|entry| &entry.name), "fault": entry.map(|entry| &entry.fault),
            "ends": entry.map(|entry| entry.ends),
            "said": said.map(|said| json!([said.entry().name, said.entry().fault, said.entry().ends])),
            "evidence": self.advice.evidence,
            "change": self.advice.change.as_ref().map(|change| &change.what),
            "cost": self.cost(), "right": self.is_right(), "truth": self.truth(),
            "reason": self.advice.held.reason.as_ref().map(Foreign::as_given),
        })
    }

    /// What really helps.
    fn truth(&self) -> &'static str {
        let best_change = self.now[1..].iter().copied().fold(0.0, f64::max);
        match () {
            () if self.now[0] >= HELPS => "release",
            () if self.best_as_is >= HELPS => "wait",
            () if best_change >= HELPS => "change",
            () => "nothing",
        }
    }

    /// The true probability that the advised action succeeds now. A change that names something
    /// else than what is faulty changes nothing.
    fn success(&self) -> Option<f64> {
        match self.recommendation {
            "release" => Some(self.now[0]),
            "change" => {
                let action = ACTIONS.iter().position(|name| *name == self.action);
                let changed = action.map_or(self.now[0], |action| self.now[action]);
                let counts = self.action != "other" || self.names_the_faulty;
                Some(if counts { changed } else { self.now[0] })
            }
            _ => None,
        }
    }

    /// Expected cost of the advice, hours, by the costs of `docs/developing/advice.md`. To leave a
    /// job held costs the delay only as far as something would help now; a removal costs what is
    /// lost from now to the end of the play.
    fn cost(&self) -> f64 {
        let best = self.best();
        let person = self.costs.person / self.alike.max(1) as f64;
        match (self.recommendation, self.tried) {
            ("try", Some((job, _))) if job == self.hold.0 => {
                (1.0 - self.now[0]) * (self.costs.person + self.costs.keep)
            }
            // The others are released after a success, and stay held after a failure.
            ("try", Some((_, p))) => {
                UNTIL_KNOWN + p * self.costs.released(self.now[0]) + (1.0 - p) * self.left()
            }
            // Who is shown the cause does the best there is, or leaves the job held.
            ("look", _) if self.look_shows => person + self.costs.released(best).min(self.left()),
            ("look", _) => person + self.left(),
            // Who corrects a file or a URL sees whether it is in order then, and else releases nothing.
            ("change", _) if self.is_seen && self.success().is_none_or(|p| p < HELPS) => {
                person + self.left()
            }
            ("change", _) => person + self.costs.released(self.success().unwrap_or(0.0)),
            ("release", _) => self.costs.released(self.now[0]),
            ("remove", _) => self.costs.removed(self.best_ever),
            // Who waits comes back at the time that is said.
            ("wait", _) => {
                let until = self.advice.wait.as_ref().map_or(i64::MAX, |wait| wait.look_again);
                let hours = until.saturating_sub(self.at) as f64 / 3_600.0;
                self.best() * hours.min(self.costs.delay) + (1.0 - self.best()) * self.costs.keep
            }
            _ => self.left(),
        }
    }

    fn best(&self) -> f64 {
        self.now.iter().copied().fold(0.0, f64::max)
    }

    fn left(&self) -> f64 {
        self.costs.left(self.best())
    }

    /// Of the choices that there are the least expected cost: no advice is below it.
    fn least_cost(&self) -> f64 {
        let removed = self.costs.removed(self.best_ever);
        self.costs.released(self.best()).min(removed).min(self.left())
    }

    /// The least cost of the plain policies that need no advice: to release all, or to leave all.
    fn plain(&self, releases: bool) -> f64 {
        if releases { self.costs.released(self.now[0]) } else { self.left() }
    }

    fn is_right(&self) -> bool {
        match (self.truth(), self.recommendation) {
            ("release", "release" | "try") | ("wait", "wait") => true,
            ("change", "look") => self.look_shows,
            (_, "change") => self.now[0] < HELPS && self.success().is_some_and(|p| p >= HELPS),
            ("nothing", other) => !matches!(other, "release" | "try"),
            _ => false,
        }
    }
}

type Figure = fn(&[(&Row, f64)]) -> Option<f64>;

fn mean(rows: &[(&Row, f64)], of: impl Fn(&Row) -> Option<f64>) -> Option<f64> {
    let (mut sum, mut weight) = (0.0, 0.0);
    for (row, times) in rows {
        if let Some(value) = of(row) {
            sum += value * row.weight * times;
            weight += row.weight * times;
        }
    }
    (weight > 0.0).then(|| sum / weight)
}

/// Probability that a success is rated above a failure; a row counts as p of a success and 1 - p of
/// a failure, p its true probability.
fn auroc(rows: &[(&Row, f64)]) -> Option<f64> {
    let mut sorted: Vec<(f64, f64, f64)> = rows
        .iter()
        .map(|(row, times)| (row.score, row.now[0] * row.weight * times, row.weight * times))
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut won, mut good, mut bad) = (0.0, 0.0, 0.0);
    for group in sorted.chunk_by(|a, b| a.0 == b.0) {
        let of_group: f64 = group.iter().map(|one| one.1).sum();
        let bad_of_group: f64 = group.iter().map(|one| one.2 - one.1).sum();
        won += of_group * (bad + bad_of_group / 2.0);
        good += of_group;
        bad += bad_of_group;
    }
    (good * bad > 1e-9).then(|| won / (good * bad))
}

/// Slope of the log-odds of the true probability over those that are said, by logistic regression;
/// 1 is calibrated. What is said is held 0.01 from 0 and 1.
fn slope(rows: &[(&Row, f64)]) -> Option<f64> {
    let said = |row: &Row| row.score.clamp(0.01, 0.99);
    let logits: Vec<f32> =
        rows.iter().map(|(row, _)| (said(row) / (1.0 - said(row))).ln() as f32).collect();
    let truth: Vec<f32> = rows.iter().map(|(row, _)| row.now[0] as f32).collect();
    let weight: Vec<f32> = rows.iter().map(|(row, times)| (row.weight * times) as f32).collect();
    fit(&logits, &truth, &weight).map(|calibration| calibration.a)
}

/// Hours from a release to its outcome, as the advice assumes.
const UNTIL_KNOWN: f64 = 0.25;

const FIGURES: [(&str, Figure); 7] = [
    ("AUROC as is", auroc),
    ("slope as is", slope),
    ("right", |rows| mean(rows, |row| Some(f64::from(row.is_right())))),
    ("hours a hold", |rows| mean(rows, |row| Some(row.cost()))),
    ("release all", |rows| mean(rows, |row| Some(row.plain(true)))),
    ("leave all", |rows| mean(rows, |row| Some(row.plain(false)))),
    ("least hours", |rows| mean(rows, |row| Some(row.least_cost()))),
];

/// Numbers for a bootstrap: splitmix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// 95 % percentile interval from draws of whole units with replacement.
fn interval(
    rows: &[&Row],
    unit: impl Fn(&Row) -> &str,
    figure: Figure,
    draws: usize,
) -> Option<(f64, f64)> {
    let mut units: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        units.entry(unit(row)).or_default().push(row);
    }
    let units: Vec<Vec<&Row>> = units.into_values().collect();
    let mut dice = Dice(17);
    let mut values: Vec<f64> = (0..draws)
        .filter_map(|_| {
            let mut times = vec![0_u32; units.len()];
            for _ in 0..units.len() {
                times[dice.below(units.len())] += 1;
            }
            let drawn: Vec<(&Row, f64)> = units
                .iter()
                .zip(&times)
                .filter(|(_, times)| **times > 0)
                .flat_map(|(rows, times)| rows.iter().map(|row| (*row, f64::from(*times))))
                .collect();
            figure(&drawn)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values.get(((values.len() as f64 - 1.0) * share).round() as usize);
    Some((*at(0.025)?, *at(0.975)?))
}

fn show(
    value: Option<f64>,
    by_cluster: Option<(f64, f64)>,
    by_trouble: Option<(f64, f64)>,
) -> String {
    let Some(value) = value else { return format!("{:>38}", "-") };
    let range = |interval: Option<(f64, f64)>| {
        interval.map_or("-".to_owned(), |(low, high)| format!("{low:.2} to {high:.2}"))
    };
    format!("{value:>8.3} [{}; {}]", range(by_cluster), range(by_trouble))
}

type Part = (&'static str, fn(&Row) -> bool);

const PARTS: [Part; 7] = [
    ("all", |_| true),
    ("visible", |row| !row.invisible),
    ("invisible", |row| row.invisible),
    ("seen in files", |row| row.seen_by == "local"),
    ("seen by URL", |row| row.seen_by == "url"),
    ("seen in the ad", |row| row.seen_by == "ad"),
    ("causes of others", |row| row.others),
];

/// Prints everything.
pub(crate) fn print(rows: &[Row], draws: usize) {
    println!("\nIntervals: 95 %, by cluster; by fault. A hold counts once, its looks alike.");
    for (part, belongs) in PARTS {
        for arm in Arm::ALL {
            let these: Vec<&Row> =
                rows.iter().filter(|row| row.arm == arm && belongs(row)).collect();
            print_part(part, arm, &these, draws);
        }
    }
    for arm in Arm::ALL {
        let these: Vec<&Row> = rows.iter().filter(|row| row.arm == arm).collect();
        print_decisions(arm, &these);
        print_kinds(&these);
        print_names(arm, &these);
    }
}

fn print_part(part: &str, arm: Arm, rows: &[&Row], draws: usize) {
    println!("\n{part}, {}: {} holds, {} judged", arm.name(), holds(rows), rows.len());
    let once: Vec<(&Row, f64)> = rows.iter().map(|row| (*row, 1.0)).collect();
    for (name, figure) in FIGURES {
        let by_cluster = interval(rows, |row| &row.cluster, figure, draws);
        let by_trouble = interval(rows, |row| &row.trouble, figure, draws);
        println!("  {name:<14} {}", show(figure(&once), by_cluster, by_trouble));
    }
}

fn print_decisions(arm: Arm, rows: &[&Row]) {
    let mut counts: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for row in rows {
        *counts.entry((row.truth(), row.recommendation)).or_default() += row.weight;
    }
    let names: Vec<&str> = {
        let mut names: Vec<&str> = counts.keys().map(|(_, advised)| *advised).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    println!("\ndecisions, {}: rows what helps, columns what is advised (holds)", arm.name());
    print!("  {:<9}", "");
    names.iter().for_each(|name| print!("{name:>11}"));
    println!();
    for truth in ["release", "wait", "change", "nothing"] {
        print!("  {truth:<9}");
        for name in &names {
            print!("{:>11.1}", counts.get(&(truth, *name)).copied().unwrap_or(0.0));
        }
        println!();
    }
}

/// What is advised in one word more, by what helps.
fn print_kinds(rows: &[&Row]) {
    let mut counts: BTreeMap<&str, [f64; 5]> = BTreeMap::new();
    for row in rows {
        let truths = ["release", "wait", "change", "nothing"];
        let at = truths.iter().position(|truth| *truth == row.truth()).unwrap_or(3);
        let counts = counts.entry(&row.kind).or_default();
        counts[at] += row.weight;
        counts[4] += row.weight * row.cost();
    }
    println!("  what is advised             release   wait change nothing  hours");
    for (kind, [release, wait, change, nothing, cost]) in counts {
        let all = release + wait + change + nothing;
        let hours = cost / all;
        println!(
            "  {kind:<27} {release:>6.1} {wait:>6.1} {change:>6.1} {nothing:>7.1} {hours:>6.1}"
        );
    }
}

fn print_names(arm: Arm, rows: &[&Row]) {
    let share = |of: &dyn Fn(&Row) -> Option<bool>| {
        let (mut yes, mut all) = (0.0, 0.0);
        for row in rows {
            if let Some(is) = of(row) {
                all += row.weight;
                yes += if is { row.weight } else { 0.0 };
            }
        }
        format!("{:.1} of {all:.1} holds ({:.0} %)", yes, 100.0 * yes / f64::max(all, 1e-9))
    };
    let changes = |row: &Row| row.recommendation == "change";
    println!("names, {}:", arm.name());
    println!(
        "  advised changes that name the faulty thing: {}",
        share(&|row| changes(row).then_some(row.names_the_faulty))
    );
    println!(
        "  of those where a change is what helps: {}",
        share(&|row| (changes(row) && row.truth() == "change").then_some(row.names_the_faulty))
    );
    println!(
        "  advised changes that name nothing: {}",
        share(&|row| changes(row).then_some(!row.named))
    );
    let looks = |row: &Row| row.recommendation == "look";
    println!("  looks that show the cause: {}", share(&|row| looks(row).then_some(row.look_shows)));
    println!("  failing programs whose right line is printed: {}", share(&|row| row.says));
}

/// Prints the lines of failing programs that are not the right ones, by cause.
pub(crate) fn print_wrong_lines(rows: &[Row]) {
    let mut counts: BTreeMap<(&str, &str, &str), f64> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.arm == Arm::Both && row.says == Some(false)) {
        if let Some((right, printed)) = &row.lines {
            *counts.entry((&row.cause, right, printed)).or_default() += row.weight;
        }
    }
    println!("\nlines that are not the right ones (holds, cause, right, printed):");
    for ((cause, right, printed), holds) in counts {
        println!("  {holds:>5.1}  {cause}\n         {right}\n         {printed}");
    }
}
