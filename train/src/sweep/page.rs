//! `sweep.html`: a sweep on one page, without scripts and without anything from elsewhere; at any
//! time of a sweep with what is there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use askama::Template;
use holdadvise::text::shell_command;
use serde::Deserialize;
use serde_json::Value;

use super::file::METRICS;
use super::folder::{self, write_json};
use super::leaderboard::{Entry, Leaderboard, cell};
use super::parameters;
use super::plan::{Decision, Fate, Setting, Spread};
use super::results::Results;
use crate::Error;
use crate::evaluation::report::{Next, Verdict};
use crate::page::chart::{Axis, Chart, Dot, Interval, Line, Scale, ends, intervals, legend, roomy};
use crate::page::table::{NOTHING, table};
use crate::page::{Section, charts, document, escape, figure, list};
use crate::say::say;

/// Bytes of a report that is read.
const REPORT: u64 = 64 << 20;

/// The parameter that stands for how the data is prepared.
const SETTING: &str = "setting";

/// Write sweep.html and the leaderboard of a sweep, also while it runs.
#[derive(Clone, Debug, clap::Args)]
pub struct HtmlOptions {
    /// The folder of the sweep.
    pub folder: PathBuf,
}

/// Runs `sweep html`.
///
/// # Errors
/// When the folder is not that of a sweep, or a file cannot be written.
pub fn run(options: &HtmlOptions) -> Result<(), Error> {
    let results = Results::read(&options.folder)?;
    write(&options.folder, &results)?;
    say(format_args!("{}", Leaderboard::new(&results).text()));
    if results.damaged > 0 {
        eprintln!("{} files or lines could not be read and are left out", results.damaged);
    }
    say(format_args!("{}\n", options.folder.join("sweep.html").display()));
    Ok(())
}

/// Writes `sweep.html`, `leaderboard.txt` and `leaderboard.json`.
///
/// # Errors
/// When a file cannot be written.
pub fn write(here: &Path, results: &Results) -> Result<(), Error> {
    let leaderboard = Leaderboard::new(results);
    folder::write(&here.join("leaderboard.txt"), leaderboard.text().as_bytes())?;
    write_json(&here.join("leaderboard.json"), &leaderboard)?;
    let page = page(results, &leaderboard, verdict(here));
    folder::write(&here.join("sweep.html"), page.as_bytes())
}

/// What the report of the best model says first, if there is one that can be read.
fn verdict(here: &Path) -> Option<Verdict> {
    #[derive(Deserialize)]
    struct Report {
        verdict: Verdict,
    }
    ["best/report.json", "report.json"].iter().find_map(|name| {
        let path = here.join(name);
        let short = fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= REPORT);
        let bytes = fs::read(path).ok().filter(|_| short)?;
        serde_json::from_slice(&bytes).ok().map(|report: Report| report.verdict)
    })
}

fn page(results: &Results, leaderboard: &Leaderboard, verdict: Option<Verdict>) -> String {
    let plan = &results.plan;
    let best = leaderboard.trials.first().map_or(0, |entry| entry.trial);
    let mut sections = Vec::new();
    let mut add = |id: &str, title: &str, body: String| {
        if !body.is_empty() {
            sections.push(Section::new(id, title, body));
        }
    };
    add("curves", "Learning curves", curves(results, best));
    add("importance", "What each parameter explains", importance(leaderboard));
    add("parameters", "Parameters", scatters(results, leaderboard, best));
    let (columns, rows) = leaderboard.table();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| escape(cell)).collect()).collect();
    let remarks = list(&leaderboard.remarks());
    let board = table(&columns, &rows, Some(0));
    add("leaderboard", "Leaderboard", format!("{remarks}{board}"));
    add("rungs", "What each rung decided", Rungs { results }.to_string());

    let introduction = Introduction { results, progress: leaderboard.progress() }.to_string();
    let first = match verdict {
        Some(verdict) => {
            let mut section = verdict.section();
            section.body.push_str(
                "<p><a href=\"report.html\">report.html</a> has the curves and tables of the best \
                 model on the test part.</p>\n",
            );
            section
        }
        None => without_verdict(results, leaderboard),
    };
    document(&format!("Sweep {}", plan.name), &first, &introduction, &sections)
}

/// What is said of a sweep before its sections.
#[derive(Template)]
#[template(path = "sweep/templates/introduction.html")]
struct Introduction<'a> {
    results: &'a Results,
    progress: String,
}

/// What is said first before the best model was tested.
#[derive(Template)]
#[template(path = "sweep/templates/open.html")]
struct WithoutVerdict<'a> {
    results: &'a Results,
    leaderboard: &'a Leaderboard,
    /// The best trial so far, and its figure.
    first: Option<(&'a Entry, f64)>,
    next: [Next; 2],
}

fn without_verdict(results: &Results, leaderboard: &Leaderboard) -> Section {
    let first = leaderboard.trials.first();
    let first = first.and_then(|entry| Some((entry, *entry.metrics.get(&leaderboard.metric)?)));
    let run = Next::new(
        "Let the sweep go on, in its folder: with HTCondor, or on this machine alone. What is done \
         is not done again, and a DAG that is in the queue goes on by itself (condor_q -nobatch).",
        vec![
            shell_command(["condor_submit_dag", "sweep.dag"]),
            shell_command(["holdadvise-train", "sweep", "run", "."]),
        ],
    );
    let look = Next::new(
        "Write this page anew at any time.",
        vec![shell_command(["holdadvise-train", "sweep", "html", "."])],
    );
    let body = WithoutVerdict { results, leaderboard, first, next: [run, look] };
    Section::new("verdict", "Verdict", body.to_string())
}

fn name(trial: usize) -> String {
    format!("trial {trial:03}")
}

/// What an axis of the figure that decides is called.
fn metric_title(metric: &str) -> &str {
    METRICS.iter().find(|(name, ..)| *name == metric).map_or(metric, |(.., title)| title)
}

/// What decides, by epoch.
fn curves(results: &Results, best: usize) -> String {
    let lines: Vec<Line> = results
        .trials
        .iter()
        .filter(|trial| !trial.curve.is_empty())
        .map(|trial| Line {
            name: name(trial.trial.number),
            points: trial.curve.iter().map(|at| [at.epoch, at.figure]).collect(),
        })
        .collect();
    let best = results.trials.iter().find(|trial| trial.trial.number == best);
    let curve = best.map(|trial| trial.curve.as_slice()).unwrap_or_default();
    let best = best.map_or(0, |trial| trial.trial.number);
    let end = |side: f64| Line {
        name: format!("{}, an end of its 95 % interval", name(best)),
        points: curve
            .iter()
            .filter_map(|at| Some([at.epoch, at.figure + side * at.half_width?]))
            .collect(),
    };
    let around: Vec<Line> =
        [-1.0, 1.0].map(end).into_iter().filter(|line| !line.points.is_empty()).collect();
    let of = |axis: usize| {
        let lines = lines.iter().chain(&around);
        lines.flat_map(|line| &line.points).map(move |point| point[axis])
    };
    let (Some([first, last]), Some(figures)) = (ends(of(0)), ends(of(1))) else {
        return String::new();
    };
    let metric = &results.plan.metric.name;
    let title = format!("{metric} by epoch");
    let n = curve.last().and_then(|at| at.of).map_or(String::new(), |[rows, clusters]| {
        format!(" n = {rows} validation rows of {clusters} clusters.")
    });
    let interval = match around.is_empty() {
        true => "",
        false => "; dashed, its 95 % interval",
    };
    let chart = Chart {
        title: &title,
        x: Axis { label: "epoch", scale: Scale::Whole([first, last.max(first + 1.0)]) },
        y: Axis { label: metric_title(metric), scale: Scale::Linear(roomy(figures)) },
        diagonal: false,
        dots: false,
    };
    charts(&figure(
        &title,
        &chart.draw_many(&lines, &name(best), &around),
        &format!(
            "One line a trial, that of trial {best:03} thick{interval}. A line ends where the \
             trial did. Figures by epoch are of the network alone, without trees and \
             calibration.{n}"
        ),
    ))
}

/// How much of what decides each parameter explains.
fn importance(leaderboard: &Leaderboard) -> String {
    let importance = &leaderboard.importance;
    let lines = importance.lines(&leaderboard.metric);
    let Some(first) = lines.first() else { return String::new() };
    let said = format!("<p>{}.</p>\n", escape(first.trim_end_matches([':', '.'])));
    if importance.parameters.is_empty() {
        return said;
    }
    let each = importance.parameters.iter().map(|of| Interval {
        name: &of.parameter,
        value: of.share,
        low: of.low,
        high: of.high,
    });
    let each: Vec<Interval<'_>> = each.collect();
    let title = format!("Share of the variance of {} by parameter", leaderboard.metric);
    let axis = Axis { label: "share of the variance", scale: Scale::Linear([0.0, 1.0]) };
    let text = "A dot and its 95 % interval. An interval that reaches 0 may be chance.";
    format!("{said}{}", charts(&figure(&title, &intervals(&title, &axis, &each), text)))
}

/// Each parameter that is not the same everywhere against the metric.
fn scatters(results: &Results, leaderboard: &Leaderboard, best: usize) -> String {
    let (columns, _) = leaderboard.table();
    let mut out = String::new();
    for parameter in columns.iter().skip_while(|column| *column != "seconds").skip(1) {
        let values: Vec<Valued> = results
            .trials
            .iter()
            .filter_map(|trial| {
                let value = match parameter.as_str() {
                    SETTING => Value::from(trial.trial.setting),
                    _ => trial.parameters.get(parameter)?.clone(),
                };
                Some(Valued {
                    trial: trial.trial.number,
                    rung: trial.last()?.rung,
                    value,
                    figure: results.metric_of(trial)?,
                })
            })
            .collect();
        out.push_str(&scatter(results, parameter, &values, best));
    }
    if out.is_empty() {
        return out;
    }
    let rungs: Vec<String> = results
        .plan
        .rungs
        .iter()
        .map(|rung| format!("finished rung {}, {} epochs", rung.number, rung.epochs))
        .collect();
    format!(
        "<p>A dot a trial, on the last rung it finished; the full one is that of {}. Rungs differ \
         in epochs: compare dots of one colour.</p>\n{}{}",
        name(best),
        legend(rungs.iter().map(String::as_str), true),
        charts(&out)
    )
}

/// What a trial came to with a value of a parameter.
struct Valued {
    trial: usize,
    rung: usize,
    value: Value,
    figure: f64,
}

fn scatter(results: &Results, parameter: &str, values: &[Valued], best: usize) -> String {
    let spread = match parameter {
        SETTING => Spread::Choices,
        _ => results.plan.spreads.get(parameter).copied().unwrap_or(Spread::Linear),
    };
    let numbers: Option<Vec<f64>> = values.iter().map(|of| of.value.as_f64()).collect();
    let title = match parameters::find(parameter) {
        Some(known) => known.title,
        None if parameter == SETTING => "setting of the data",
        None => parameter,
    };
    let (x, scale, label) = match (spread, numbers) {
        (Spread::Log, Some(numbers)) if numbers.iter().all(|value| *value > 0.0) => {
            let Some(across) = ends(numbers.iter().copied()) else { return String::new() };
            let [low, high] = roomy(across.map(f64::ln)).map(f64::exp);
            (numbers, Scale::Log([low, high]), format!("{title}, logarithmic"))
        }
        (Spread::Linear | Spread::Log, Some(numbers)) => {
            let Some(across) = ends(numbers.iter().copied()).map(roomy) else {
                return String::new();
            };
            let whole = values.iter().all(|of| of.value.is_i64() || of.value.is_u64());
            let scale = if whole { Scale::Whole(across) } else { Scale::Linear(across) };
            (numbers, scale, title.to_owned())
        }
        _ => {
            let (x, names) = choices(values);
            (x, Scale::Choices(names), title.to_owned())
        }
    };
    let Some(figures) = ends(values.iter().map(|of| of.figure)) else { return String::new() };
    let chart = Chart {
        title: parameter,
        x: Axis { label: &label, scale },
        y: Axis {
            label: metric_title(&results.plan.metric.name),
            scale: Scale::Linear(roomy(figures)),
        },
        diagonal: false,
        dots: true,
    };
    let rung_of = |rung| results.plan.rungs.iter().position(|of| of.number == rung);
    let dot = |(of, &x): (&Valued, &f64)| Dot {
        name: format!("{}: {}, {:.4}", name(of.trial), cell(&of.value), of.figure),
        at: [x, of.figure],
        colour: rung_of(of.rung).unwrap_or_default(),
        own: of.trial == best,
    };
    let dots: Vec<Dot> = values.iter().zip(&x).map(dot).collect();
    let mut text = chart.x.key().unwrap_or_default();
    if parameter == SETTING {
        let each: Vec<String> = results.plan.settings.iter().map(described).collect();
        text = each.join("; ");
    }
    figure(parameter, &chart.draw_dots(&dots), &text)
}

/// The places of values among the different ones, and what those are called: numbers in their
/// order, then texts in theirs.
fn choices(values: &[Valued]) -> (Vec<f64>, Vec<String>) {
    let mut different: BTreeMap<String, f64> = BTreeMap::new();
    for of in values {
        different.insert(cell(&of.value), of.value.as_f64().unwrap_or(f64::INFINITY));
    }
    let mut names: Vec<(String, f64)> = different.into_iter().collect();
    names.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    let names: Vec<String> = names.into_iter().map(|(name, _)| name).collect();
    let place = |of: &Valued| {
        names.iter().position(|name| *name == cell(&of.value)).map_or(f64::NAN, |at| at as f64)
    };
    (values.iter().map(place).collect(), names)
}

/// How a setting prepares the data.
fn described(setting: &Setting) -> String {
    let Setting { number, frame_edges, slots } = setting;
    let frames = frame_edges.len().saturating_sub(1);
    let longest = frame_edges.last().copied().unwrap_or_default();
    format!("setting {number}: {frames} frames over {longest} s, {slots} job slots")
}

/// What each rung decided.
#[derive(Template)]
#[template(path = "sweep/templates/rungs.html")]
struct Rungs<'a> {
    results: &'a Results,
}

impl Rungs<'_> {
    fn epochs(&self, rung: &usize) -> usize {
        let rung = self.results.plan.rungs.iter().find(|of| of.number == *rung);
        rung.map_or(0, |rung| rung.epochs)
    }

    fn is_last(&self, rung: &usize) -> bool {
        self.results.plan.rungs.last().is_some_and(|last| last.number == *rung)
    }

    /// Each trial, with its figure on that rung or an earlier one.
    fn table(&self, rung: &usize, decision: &Decision) -> String {
        let metric = &self.results.plan.metric.name;
        let row = |&(trial, fate): &(usize, Fate)| {
            let of = self.results.trials.iter().find(|of| of.trial.number == trial);
            let earlier = of.and_then(|of| of.rungs.range(..=rung).next_back());
            let earlier = earlier.map(|(_, result)| result);
            let figure = earlier.and_then(|result| result.metrics.get(metric).copied());
            let half = earlier.and_then(|result| result.half_width(metric));
            let text = |value: Option<f64>| {
                value.map_or(NOTHING.to_owned(), |value| format!("{value:.4}"))
            };
            let rows = earlier.map_or(0, |result| result.validation_rows).to_string();
            let clusters = earlier.map_or(0, |result| result.validation_clusters).to_string();
            let fate = match fate {
                _ if self.is_last(rung) => "",
                Fate::GoesOn => "goes on",
                Fate::Lost => "lost",
                Fate::Stopped => "has stopped early",
            };
            vec![name(trial), text(figure), text(half), rows, clusters, fate.to_owned()]
        };
        let rows: Vec<Vec<String>> = decision.fates.iter().map(row).collect();
        table(&["trial", metric, "±", "rows", "clusters", "then"], &rows, Some(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::results::tests::{finished, write as put};

    const VERDICT: &str = r#"{"verdict": {"own": "trial <1>", "against": "model in use",
        "judgement": "better", "rows": 400, "clusters": 60, "figures": [{"figure": "log_loss",
        "more_is_better": false, "own": 0.4, "other": 0.5, "difference": {"value": -0.1,
        "low": -0.15, "high": -0.05}}], "remarks": ["a <remark>"],
        "next": [{"text": "Install it.", "commands": ["cp a b"]}]}, "other": 1}"#;

    fn html(folder: &Path) -> String {
        run(&HtmlOptions { folder: folder.to_owned() }).unwrap();
        fs::read_to_string(folder.join("sweep.html")).unwrap()
    }

    /// The figure of a title.
    fn figure_of<'h>(html: &'h str, title: &str) -> &'h str {
        let rest = html.split(&format!("<h3>{title}</h3>")).nth(1).unwrap();
        rest.split("</figure>").next().unwrap()
    }

    /// What stands at the ticks of a chart.
    fn ticks(figure: &str) -> Vec<&str> {
        let tick = |text: &'_ str| text.split_once('>').map(|(_, text)| text.len());
        let each = figure.split("<text class=\"tick\"").skip(1);
        each.filter_map(|text| {
            let from = text.len() - tick(text)?;
            text[from..].split("</text>").next()
        })
        .collect()
    }

    #[test]
    fn a_finished_sweep_has_all_its_sections_and_nothing_from_outside() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path());
        put(folder.path(), "best/report.json", VERDICT);
        let html = html(folder.path());
        for expected in [
            "<h1>Sweep frames &quot;and&quot; sizes</h1>",
            "Better: trial &lt;1&gt; is better than the model in use.",
            "a difference of -0.1000, 95 % interval -0.1500 to -0.0500",
            "<pre>cp a b</pre>",
            "a &lt;remark&gt;",
            "id=\"leaderboard\"",
            "6 trainings on a rung done, 1 skipped because the trial had lost, 1 because it had \
             stopped early, 0 open",
            "<h3>validation_loss by epoch</h3>",
            ">validation loss (log loss, nats)</text>",
            "<h3>Rung 2, until epoch 12</h3>\n<p>trial 001 is the best of all.</p>",
            "<h3>Rung 1, until epoch 4</h3>\n<p>2 go on, 1 have stopped early and stay in play, 1 \
             lost.</p>",
            "too few trials, 4 with a figure on rung 1",
        ] {
            assert!(html.contains(expected), "{expected} is not in\n{html}");
        }
        assert_eq!(html.matches("<polyline").count(), 4);
        assert_eq!(html.matches("c0 own").count(), 1);
        assert!(!html.contains("://") && !html.contains("<script") && !html.contains("NaN"));
        let text = fs::read_to_string(folder.path().join("leaderboard.txt")).unwrap();
        assert!(text.contains("001    best"), "{text}");
    }

    #[test]
    fn the_verdict_is_first_then_curves_then_tables() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path());
        put(folder.path(), "best/report.json", VERDICT);
        let html = html(folder.path());
        let places = ["id=\"verdict\"", "What to do next", "<svg", "id=\"leaderboard\""];
        let places = places.map(|text| html.find(text).unwrap());
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn axes_are_as_the_parameters_are_drawn() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path());
        let html = html(folder.path());
        let rate = figure_of(&html, "learning_rate");
        assert!(rate.contains("learning rate at the beginning, logarithmic</text>"), "{rate}");
        let powers = ["0.0001", "0.0003", "0.001", "0.003", "0.01", "0.03", "0.1"];
        assert_eq!(ticks(rate)[..7], powers);
        let hidden = figure_of(&html, "hidden");
        assert!(hidden.contains("units of an LSTM layer</text>"), "{hidden}");
        assert_eq!(ticks(hidden)[..3], ["40", "60", "80"]);
        assert_eq!(ticks(figure_of(&html, "kind"))[..2], ["&lt;b&gt;", "a"]);
        let setting = figure_of(&html, "setting");
        assert_eq!(ticks(setting)[..2], ["1", "2"]);
        assert!(setting.contains("setting 2: 2 frames over 600 s, 4 job slots"), "{setting}");
        let epochs = ticks(figure_of(&html, "validation_loss by epoch"));
        assert_eq!(epochs[..4], ["1", "2", "3", "4"]);
    }

    #[test]
    fn choices_are_in_the_order_of_numbers() {
        let of = |value: Value| Valued { trial: 1, rung: 1, value, figure: 0.5 };
        let (places, names) = choices(&[128, 32, 64, 32].map(|value| of(Value::from(value))));
        assert_eq!((places, names.join(" ")), (vec![2.0, 0.0, 1.0, 0.0], "32 64 128".to_owned()));
    }

    #[test]
    fn a_sweep_that_has_not_begun_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path());
        for name in ["trials", "rungs", "best"] {
            fs::remove_dir_all(folder.path().join(name)).unwrap();
        }
        put(folder.path(), "trials/001/rung1/metrics.jsonl", "{\"epo");
        let html = html(folder.path());
        assert!(html.contains("No verdict yet: 8 trainings are open."), "{html}");
        assert!(html.contains("condor_submit_dag sweep.dag"), "{html}");
        assert!(html.contains("1 files or lines could not be read"), "{html}");
        assert!(!html.contains("<svg") && html.contains("not begun"));
    }
}
