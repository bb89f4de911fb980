//! Replays release expressions on the holds of logs and prints how long each part took, for
//! `scripts/benchmark-replay`.
//!
//! ```text
//! cargo run --release --example replay -- EXPRESSIONS LOG...
//! ```
//!
//! `EXPRESSIONS` has one expression in each line; empty lines and lines that begin with `#` are
//! left out. `LOG` is the event log of an access point. The naive way, an evaluation at every tick,
//! is taken on one of `SAMPLE` holds, and has to say the same.

use std::error::Error;
use std::time::Instant;

use classads::{ClassAd, EvalContext, Expr, Value};
use holdadvise::advice::Costs;
use holdadvise::policy::Version;
use holdadvise::replay::{
    ExpressionAnswer, PastHold, PastHolds, Releaser, ReplayExpression, ReplayedJob, Rules, Sources,
    Successes, Ticks, replay,
};
use holdadvise::suggest::suggest;

/// One of so many holds is evaluated at every tick too.
const SAMPLE: usize = 2_000;

const TICKS: Ticks = Ticks { interval: 60, phase: 0 };

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: replay EXPRESSIONS LOG...")?;
    let texts = std::fs::read_to_string(path)?;
    let texts: Vec<&str> = texts
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let expressions: Vec<ReplayExpression> =
        texts.iter().map(|text| ReplayExpression::parse(text)).collect::<Result<_, _>>()?;
    let reasons = expressions.iter().any(|expression| expression.names("HoldReason"));
    let sources =
        Sources { event_logs: arguments.map(Into::into).collect(), reasons, ..Sources::default() };

    let start = Instant::now();
    let past = PastHolds::read(&sources)?;
    say("read", start);
    println!("events {}  holds {}", past.events, past.holds.len());
    past.problems.iter().for_each(|problem| println!("problem: {problem}"));
    memory("after reading");

    let start = Instant::now();
    let successes = Successes::of(&past.holds);
    say("successes", start);
    let costs = Costs::default();
    let rules = Rules { ticks: TICKS, max_releases: None, costs, end: past.end };

    let releasers: Vec<Releaser> = expressions
        .iter()
        .map(|expression| Releaser::Expression(Box::new(expression.clone())))
        .collect();
    let start = Instant::now();
    let all = replay(&past.holds, &successes, &releasers, &rules);
    say("replay of all", start);
    memory("after the replay");
    for ((text, releaser), replayed) in texts.iter().zip(&releasers).zip(&all) {
        let start = Instant::now();
        let alone = replay(&past.holds, &successes, std::slice::from_ref(releaser), &rules);
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(&alone[0], replayed);
        let sum = &replayed.all;
        println!(
            "{seconds:8.3} s  released {} unknown {} cost {:.0}  {text}",
            sum.released, sum.unknown, sum.sums.cost_hours
        );
    }

    let start = Instant::now();
    let suggestion = suggest(&past.holds, &successes, None, &rules, Version::NEWEST);
    say("suggest", start);
    println!("clauses {}  left out {}", suggestion.clauses.len(), suggestion.left_out.len());

    naive(&past, &texts, &expressions);
    Ok(())
}

/// The naive way on a sample, beside ours on the same holds; one thread.
fn naive(past: &PastHolds, texts: &[&str], expressions: &[ReplayExpression]) {
    let sample: Vec<&PastHold> = past.holds.iter().step_by(SAMPLE).collect();
    for (text, expression) in texts.iter().zip(expressions) {
        let Ok(expr) = Expr::parse_old(text) else { continue };
        let mut expression = expression.clone();
        let (mut evaluations, mut naive, mut ours) = (0, Vec::new(), Vec::new());
        let end = |hold: &PastHold| hold.hold_end.left_at().unwrap_or(past.end);
        let start = Instant::now();
        for hold in &sample {
            naive.push(at_every_tick(&expr, hold, end(hold), &mut evaluations));
        }
        let slow = start.elapsed().as_secs_f64();
        let start = Instant::now();
        for hold in &sample {
            ours.push(expression.answer(&ReplayedJob::new(hold), TICKS, end(hold)));
        }
        let fast = start.elapsed().as_secs_f64();
        let known = |(naive, ours): &(&Option<i64>, &ExpressionAnswer)| match ours {
            ExpressionAnswer::Unknown(_) | ExpressionAnswer::Unfinished => false,
            ExpressionAnswer::Releases(at) => **naive != Some(*at),
            ExpressionAnswer::Holds => naive.is_some(),
        };
        let differing = naive.iter().zip(&ours).filter(known).count();
        println!(
            "naive {:.1} us, ours {:.2} us a hold, ratio {:.1}, {:.1} evaluations a hold, {differing} differ  {text}",
            1e6 * slow / sample.len() as f64,
            1e6 * fast / sample.len() as f64,
            slow / fast,
            f64::from(evaluations) / sample.len() as f64,
        );
    }
}

fn at_every_tick(expr: &Expr, hold: &PastHold, end: i64, evaluations: &mut u32) -> Option<i64> {
    let mut ad = ClassAd::new();
    let numbers = [
        ("ClusterId", Some(i64::from(hold.job.cluster))),
        ("ProcId", Some(i64::from(hold.job.proc))),
        ("JobStatus", Some(5)),
        ("EnteredCurrentStatus", Some(hold.held_at)),
        ("HoldReasonCode", Some(i64::from(hold.code))),
        ("HoldReasonSubCode", Some(i64::from(hold.subcode))),
        ("LastHoldReasonCode", hold.before.map(|(code, _)| i64::from(code))),
        ("LastHoldReasonSubCode", hold.before.map(|(_, subcode)| i64::from(subcode))),
        ("NumHolds", hold.num_holds),
        ("NumJobStarts", hold.starts),
        ("QDate", hold.submitted_at),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            ad.insert_value(name, value);
        }
    }
    for (name, text) in [("Owner", &hold.owner), ("HoldReason", &hold.reason)] {
        if let Some(text) = text {
            ad.insert_value(name, Value::String(text.clone()));
        }
    }
    let mut at = TICKS.from(hold.held_at + 1);
    while at < end {
        *evaluations += 1;
        let fires = match ad.evaluate_expr(expr, &EvalContext::at(at)) {
            Value::Boolean(value) => value,
            Value::Integer(value) => value != 0,
            Value::Real(value) => value != 0.0,
            _ => false,
        };
        if fires {
            return Some(at);
        }
        at += TICKS.interval;
    }
    None
}

fn say(what: &str, since: Instant) {
    let processor = processor();
    println!(
        "{:8.3} s  {what}  (processor so far: {processor:.2} s)",
        since.elapsed().as_secs_f64()
    );
}

/// What all threads took of the processors, s: fields 14 and 15 of proc_pid_stat(5), in hundredths.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most memory that was resident so far.
fn memory(when: &str) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(most) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
        println!("memory {when}:{most}");
    }
}
