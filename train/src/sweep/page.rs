//! `sweep.html`: a sweep on one page, without scripts and without links to elsewhere; at any time
//! of a sweep with what is there.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::folder::{self, write_json};
use super::leaderboard::{Leaderboard, cell};
use super::plan::{Fate, Goal};
use super::results::Results;
use crate::Error;
use crate::evaluation::report::Line;
use crate::evaluation::report::html::{Section, document, escape, figure};
use crate::evaluation::report::svg::Chart;
use crate::evaluation::report::tables;
use crate::say::say;

/// Greatest quotient of a parameter's values that is shown on a plain axis; beyond it, and above 0,
/// on that of logarithms.
const PLAIN_AXIS: f64 = 50.0;

/// Bytes of a text that is put on the page.
const TEXT: u64 = 1 << 16;

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
    let verdict = ["best/verdict.txt", "verdict.txt"].iter().find_map(|name| {
        let path = here.join(name);
        let short = fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= TEXT);
        fs::read_to_string(path).ok().filter(|_| short)
    });
    let page = page(results, &leaderboard, verdict.as_deref());
    folder::write(&here.join("sweep.html"), page.as_bytes())
}

fn page(results: &Results, leaderboard: &Leaderboard, verdict: Option<&str>) -> String {
    let plan = &results.plan;
    let best = leaderboard.trials.first().map_or(0, |entry| entry.trial);
    let mut sections = Vec::new();
    let mut add = |id: &str, title: &str, body: String| {
        if !body.is_empty() {
            sections.push(Section { id: id.to_owned(), title: title.to_owned(), body });
        }
    };
    let (columns, rows) = leaderboard.table();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| escape(cell)).collect()).collect();
    add("leaderboard", "Leaderboard", tables::table(&columns, &rows, Some(0)));
    add("curves", "Learning curves", curves(results, best));
    add("parameters", "Parameters", parameters(results, leaderboard, best));
    add("importance", "What each parameter explains", importance(leaderboard));
    add("rungs", "What each rung decided", rungs(results));
    let said = verdict.map(|verdict| format!("<pre>{}</pre>\n", escape(verdict)));
    add("verdict", "Against the model in use", said.unwrap_or_default());

    let way = match plan.metric.goal {
        Goal::Minimize => "less",
        Goal::Maximize => "more",
    };
    let mut introduction = format!(
        "<p>{} trials by {}: {way} is better. {}.</p>\n",
        plan.trials.len(),
        escape(&plan.metric.name),
        escape(&leaderboard.progress())
    );
    for remark in leaderboard.remarks() {
        let _ = writeln!(introduction, "<p>{}</p>", escape(&remark));
    }
    if results.damaged > 0 {
        let _ = writeln!(
            introduction,
            "<p>{} files or lines could not be read and are left out; while a sweep runs some are half-written.</p>",
            results.damaged
        );
    }
    document(&format!("Sweep {}", plan.name), &introduction, &sections)
}

fn name(trial: usize) -> String {
    format!("trial {trial:03}")
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
    let (Some([_, last]), Some(y_range)) = (range(of(0)), range(of(1))) else {
        return String::new();
    };
    let metric = &results.plan.metric.name;
    let title = format!("{metric} by epoch");
    let (title, x, y, x_range) = (title.as_str(), "epoch", metric.as_str(), [0.0, last]);
    let n = curve.last().and_then(|at| at.of).map_or(String::new(), |[rows, clusters]| {
        format!(
            " n = {rows} validation rows of {clusters} clusters; dashed the 95 % interval of the \
             thick line."
        )
    });
    let chart = Chart { title, x, y, x_range, y_range, diagonal: false, dots: false };
    figure(
        &chart,
        &chart.draw_many(&lines, &name(best), &around),
        &format!(
            "One line a trial, that of trial {best:03} thick; a line ends where the trial did. \
             Figures by epoch are of the network alone, without trees and calibration.{n}"
        ),
    )
}

/// How much of what decides each parameter explains.
fn importance(leaderboard: &Leaderboard) -> String {
    let lines = leaderboard.importance.lines(&leaderboard.metric);
    if lines.is_empty() {
        return String::new();
    }
    format!("<pre>{}</pre>\n", escape(&lines.join("\n")))
}

/// Each parameter that is not the same everywhere against the metric.
fn parameters(results: &Results, leaderboard: &Leaderboard, best: usize) -> String {
    let (columns, _) = leaderboard.table();
    let mut out = String::new();
    for parameter in columns.iter().skip_while(|column| *column != "seconds").skip(1) {
        let values: Vec<(usize, Value, f64)> = results
            .trials
            .iter()
            .filter_map(|trial| {
                let value = match parameter.as_str() {
                    "setting" => Value::from(trial.trial.setting),
                    _ => trial.parameters.get(parameter)?.clone(),
                };
                Some((trial.trial.number, value, results.metric_of(trial)?))
            })
            .collect();
        out.push_str(&scatter(parameter, &results.plan.metric.name, &values, best));
    }
    match out.is_empty() {
        true => out,
        false => format!(
            "<p>Each trial on the last rung it finished. Rungs differ in epochs, so look for shapes, not for values.</p>\n\
             <div class=\"charts\">\n{out}</div>\n"
        ),
    }
}

fn scatter(parameter: &str, metric: &str, values: &[(usize, Value, f64)], best: usize) -> String {
    let numbers: Option<Vec<f64>> = values.iter().map(|(_, value, _)| value.as_f64()).collect();
    let mut label = parameter.to_owned();
    let mut text = String::new();
    let x: Vec<f64> = if let Some(numbers) = numbers {
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least > 0.0 && most / least > PLAIN_AXIS {
            label = format!("log10 of {parameter}");
            numbers.iter().map(|value| value.log10()).collect()
        } else {
            numbers
        }
    } else {
        let names: BTreeSet<String> = values.iter().map(|(_, value, _)| cell(value)).collect();
        let numbered = names.iter().zip(1..).map(|(name, at)| format!("{at}: {name}"));
        text = numbered.collect::<Vec<_>>().join(", ");
        let place = |value: &Value| names.range(..=cell(value)).count() as f64;
        values.iter().map(|(_, value, _)| place(value)).collect()
    };
    let y = values.iter().map(|(_, _, metric)| *metric);
    let (Some(x_range), Some(y_range)) = (range(x.iter().copied()), range(y)) else {
        return String::new();
    };
    let (title, x_name, y_name) = (parameter, label.as_str(), metric);
    let chart =
        Chart { title, x: x_name, y: y_name, x_range, y_range, diagonal: false, dots: true };
    let dots: Vec<(String, [f64; 2])> = values
        .iter()
        .zip(&x)
        .map(|((trial, value, metric), &x)| {
            let name = if *trial == best { BEST.to_owned() } else { name(*trial) };
            (format!("{name}: {}", cell(value)), [x, *metric])
        })
        .collect();
    let own = dots.iter().find(|(name, _)| name.starts_with(BEST)).map(|(name, _)| name.clone());
    figure(&chart, &chart.draw_dots(&dots, own.as_deref().unwrap_or_default()), &text)
}

/// What the dot of the best trial is called.
const BEST: &str = "the best trial";

/// Least and greatest of the numbers, with a little room around them.
fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let finite = values.filter(|value| value.is_finite());
    let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
        [low.min(value), high.max(value)]
    });
    let room = match high - low {
        span if span > 0.0 => span * 0.05,
        _ => high.abs().max(1.0) * 0.05,
    };
    (low <= high).then_some([low - room, high + room])
}

fn rungs(results: &Results) -> String {
    let mut out = String::new();
    for (number, decision) in &results.decisions {
        let epochs = results.plan.rungs.iter().find(|rung| rung.number == *number);
        let epochs = epochs.map_or(0, |rung| rung.epochs);
        let count = |fate: Fate| decision.fates.iter().filter(|(_, of)| *of == fate).count();
        let last = results.plan.rungs.last().is_some_and(|rung| rung.number == *number);
        let text = match (last, decision.fates.first()) {
            (true, Some(&(trial, _))) => format!("{} is the best of all.", name(trial)),
            _ => format!(
                "{} go on, {} have stopped early and stay in play, {} lost.",
                count(Fate::GoesOn),
                count(Fate::Stopped),
                count(Fate::Lost)
            ),
        };
        let _ = writeln!(out, "<h3>Rung {number}, until epoch {epochs}</h3>\n<p>{text}</p>");
        let rows: Vec<Vec<String>> = decision
            .fates
            .iter()
            .map(|&(trial, fate)| {
                let of = results.trials.iter().find(|of| of.trial.number == trial);
                let earlier = of.and_then(|of| of.rungs.range(..=number).next_back());
                let (figure, half) = earlier.map_or((None, None), |(_, result)| {
                    let metric = &results.plan.metric.name;
                    (result.metrics.get(metric).copied(), result.half_width(metric))
                });
                let text = |value: Option<f64>| {
                    value.map_or("–".to_owned(), |value| format!("{value:.4}"))
                };
                let n = earlier.map_or([0; 2], |(_, result)| {
                    [result.validation_rows, result.validation_clusters]
                });
                let [rows, clusters] = n.map(|count| count.to_string());
                let fate = match fate {
                    _ if last => "",
                    Fate::GoesOn => "goes on",
                    Fate::Lost => "lost",
                    Fate::Stopped => "has stopped early",
                };
                vec![name(trial), text(figure), text(half), rows, clusters, fate.to_owned()]
            })
            .collect();
        let columns = ["trial", &results.plan.metric.name, "+-", "rows", "clusters", "then"];
        let table = tables::table(&columns, &rows, Some(0));
        let _ = writeln!(out, "<details><summary>Each trial</summary>\n{table}</details>");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::results::tests::{finished, write as put};

    #[test]
    fn a_finished_sweep_has_all_its_sections_and_nothing_from_outside() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path());
        put(folder.path(), "best/verdict.txt", "better <than> before\n");
        run(&HtmlOptions { folder: folder.path().to_owned() }).unwrap();
        let html = fs::read_to_string(folder.path().join("sweep.html")).unwrap();
        for expected in [
            "<h1>Sweep frames &quot;and&quot; sizes</h1>",
            "id=\"leaderboard\"",
            "6 trainings on a rung done, 1 skipped because the trial had lost, 1 because it had stopped early, 0 open",
            "<h3>validation_loss by epoch</h3>",
            "log10 of learning_rate",
            "1: &lt;b&gt;, 2: a",
            "<h3>Rung 2, until epoch 12</h3>\n<p>trial 001 is the best of all.</p>",
            "<h3>Rung 1, until epoch 4</h3>\n<p>2 go on, 1 have stopped early and stay in play, 1 lost.</p>",
            "better &lt;than&gt; before",
        ] {
            assert!(html.contains(expected), "{expected} is not in\n{html}");
        }
        assert_eq!(html.matches("<polyline").count(), 4);
        assert_eq!(html.matches("c0 own").count(), 1);
        assert!(!html.contains("http") && !html.contains("<script") && !html.contains("NaN"));
        let text = fs::read_to_string(folder.path().join("leaderboard.txt")).unwrap();
        assert!(text.contains("001    best"), "{text}");
    }

    #[test]
    fn a_sweep_that_has_not_begun_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path());
        for name in ["trials", "rungs", "best"] {
            fs::remove_dir_all(folder.path().join(name)).unwrap();
        }
        put(folder.path(), "trials/001/rung1/metrics.jsonl", "{\"epo");
        run(&HtmlOptions { folder: folder.path().to_owned() }).unwrap();
        let html = fs::read_to_string(folder.path().join("sweep.html")).unwrap();
        assert!(html.contains("1 files or lines could not be read"), "{html}");
        assert!(!html.contains("<svg") && html.contains("not begun"));
    }
}
