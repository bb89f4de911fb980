//! Reads job ads (`-long`, JSON or brackets) and prints how many there are of each `JobStatus`, as
//! `condor_q -totals` does.
//!
//! `read_ads usable FILE`: the names of every ad are found, its expressions stay text; four
//! attributes are used. `read_ads parsed FILE`: every expression of every ad is parsed as well.
//! `read_ads evaluate FILE EXPRESSION`: the expression is evaluated on every ad.
//! `read_ads repeat FILE COUNT EXPRESSION`: the expression is evaluated COUNT times and once more
//! on the first ad, at the time of the start; prints the value.
//! `read_ads expressions FILE COUNT`: every line of the file is parsed COUNT times as an expression,
//! and as an ad where it begins with a bracket; prints how many lines are neither.

use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::process::ExitCode;

use classads::{AdStream, ClassAd, EvalContext, Expr};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: read_ads usable|parsed FILE, read_ads evaluate FILE EXPRESSION, \
                     read_ads repeat FILE COUNT EXPRESSION, or read_ads expressions FILE COUNT";

/// The states of a job, in the order of their numbers from 1.
const STATES: [&str; 7] =
    ["idle", "running", "removed", "completed", "held", "transferring", "suspended"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["usable", file] => count(file, |_| Ok(0)),
        ["parsed", file] => count(file, |ad| Ok(ad.iter().count())),
        ["evaluate", file, expression] => evaluate(file, expression),
        ["repeat", file, times, expression] => repeat(file, times, expression),
        ["expressions", file, times] => expressions(file, times),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn open(file: &str) -> Result<AdStream<BufReader<File>>, Failure> {
    let file = File::open(file).map_err(|error| format!("cannot read {file}: {error}"))?;
    Ok(classads::read_ads(BufReader::with_capacity(128 * 1024, file)))
}

/// Reads every ad and prints the totals; `work` does more with each ad and gives a number for the
/// sum.
fn count(file: &str, work: impl Fn(&ClassAd) -> Result<usize, Failure>) -> Result<(), Failure> {
    let mut states = [0_u64; STATES.len()];
    let (mut ads, mut attributes, mut worked) = (0_u64, 0_usize, 0_usize);
    let mut sum = 0_i64;
    for ad in open(file)? {
        let ad = ad?;
        ads += 1;
        attributes += ad.len();
        worked += work(&ad)?;
        for name in ["ClusterId", "ProcId", "HoldReasonCode"] {
            sum = sum.wrapping_add(ad.integer(name).unwrap_or_default());
        }
        let state = ad.integer("JobStatus").and_then(|state| usize::try_from(state - 1).ok());
        if let Some(state) = state.and_then(|state| states.get_mut(state)) {
            *state += 1;
        }
    }
    let states: Vec<String> =
        STATES.iter().zip(states).map(|(name, number)| format!("{number} {name}")).collect();
    println!("{ads} jobs; {}", states.join(", "));
    println!("{attributes} attributes, {worked} done, sum {sum}");
    Ok(())
}

fn evaluate(file: &str, expression: &str) -> Result<(), Failure> {
    let expression = Expr::parse(expression)?;
    let context = EvalContext::default();
    count(file, |ad| {
        let value = ad.evaluate_expr(&expression, &context);
        Ok(usize::from(value.as_condition() == Some(true)))
    })
}

fn repeat(file: &str, times: &str, expression: &str) -> Result<(), Failure> {
    let times: u32 = times.parse()?;
    let ad = open(file)?.next().ok_or("the file has no ad")??;
    let expression = Expr::parse(expression)?;
    let context = EvalContext::default();
    for _ in 0..times {
        black_box(black_box(&ad).evaluate_expr(&expression, black_box(&context)));
    }
    println!("{}", ad.evaluate_expr(&expression, &context));
    Ok(())
}

fn expressions(file: &str, times: &str) -> Result<(), Failure> {
    let times: u32 = times.parse()?;
    let text = std::fs::read_to_string(file)?;
    let parses = |line: &str| {
        let line = black_box(line);
        let ad = line.starts_with('[').then(|| ClassAd::parse(line).is_ok());
        ad.unwrap_or_else(|| black_box(Expr::parse(line)).is_ok())
    };
    let mut wrong = 0;
    for _ in 0..times {
        wrong = text.lines().filter(|line| !parses(line)).count();
    }
    println!("{wrong} of {} lines are no expressions", text.lines().count());
    Ok(())
}
