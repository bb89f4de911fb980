//! Replays recorded plays with checks: at each look each held job is judged as of then, and what
//! is advised is compared with the truth (`docs/records/pool-checks.md`).
//!
//! ```text
//! cargo run --release --example plays -- [--once] [--urls] [--flip SHARE] [--lines] [--rows]
//!     [--draws N] [--model FILE] [FOLDER...]
//! ```
//!
//! `--urls`: what URLs answered counts too. `--lines`: lines of programs that are not the right
//! ones are printed. `--rows`: only what was judged with all, and its truth, as JSON, a line each, for
//! `lab/trials/ladder`. Without folders all plays of `tests/data` that are to choose by. Plays that are
//! to be opened once are refused without `--once`.

mod arms;
mod figures;
mod names;
#[allow(dead_code, reason = "the tests read more of it")]
mod reader;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use holdadvise::checks::Urls;
use holdadvise::model::Model;

use arms::{Arm, Checks, judge_play};
use figures::Row;
use reader::{ONCE, Play, Problem, folders, is_of};

struct Options {
    once: bool,
    checks: Checks,
    /// Lines of programs that are not the right ones are printed.
    lines: bool,
    /// Rows as JSON in the place of figures.
    rows: bool,
    draws: usize,
    model: Option<PathBuf>,
    folders: Vec<PathBuf>,
}

const USAGE: &str = "usage: plays [--once] [--urls] [--flip SHARE] [--lines] [--rows] \
                     [--draws N] [--model FILE] [FOLDER...]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("plays: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, Problem> {
    let checks = Checks { urls: Urls::None, flip: 0.0 };
    let mut options = Options {
        once: false,
        checks,
        lines: false,
        rows: false,
        draws: 1_000,
        model: None,
        folders: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value; {USAGE}"));
        match word.as_str() {
            "--once" => options.once = true,
            "--urls" => options.checks.urls = Urls::Asked,
            "--flip" => options.checks.flip = value()?.parse()?,
            "--lines" => options.lines = true,
            "--rows" => options.rows = true,
            "--draws" => options.draws = value()?.parse()?,
            "--model" => options.model = Some(value()?.into()),
            option if option.starts_with('-') => return Err(USAGE.into()),
            folder => options.folders.push(folder.into()),
        }
    }
    if !(0.0..=1.0).contains(&options.checks.flip) {
        return Err("--flip is a share, 0 to 1".into());
    }
    Ok(options)
}

fn run() -> Result<(), Problem> {
    let mut options = options()?;
    if options.folders.is_empty() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        options.folders = folders(&data, if options.once { &ONCE } else { &["choose"] })?;
    }
    let is_once = |folder: &PathBuf| is_of(folder, &ONCE);
    if let Some(folder) = options.folders.iter().find(|folder| is_once(folder) && !options.once) {
        let folder = folder.display();
        return Err(format!("{folder} is a play that is opened once: --once opens it").into());
    }
    if options.folders.is_empty() {
        return Err("no plays; tests/pool/record-checks records some".into());
    }
    let model = || match &options.model {
        Some(path) => Model::open(path),
        None => Model::builtin_default(),
    };
    let mut rows: Vec<Row> = Vec::new();
    for folder in &options.folders {
        let play = Play::read(folder)?;
        if options.rows {
            for row in judge_play(&play, Arm::Both, model()?, options.checks)? {
                println!("{}", row.json(&play));
            }
            continue;
        }
        println!(
            "opened {}: {} looks, {} holds{}",
            play.name,
            play.looks.len(),
            play.truth.len(),
            if is_once(folder) { " (a play that is opened once)" } else { "" },
        );
        for arm in Arm::ALL {
            rows.extend(judge_play(&play, arm, model()?, options.checks)?);
        }
    }
    if options.rows {
        return Ok(());
    }
    let Checks { urls, flip } = options.checks;
    println!("URLs: {urls:?}; {:.0} % of the checks are turned round", 100.0 * flip);
    figures::print(&rows, options.draws);
    if options.lines {
        figures::print_wrong_lines(&rows);
    }
    Ok(())
}
