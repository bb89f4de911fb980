//! HTCondor's own evaluator (Python module `classad2`), asked about expressions.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use classads::{ClassAd, EvalContext, Expr, Style, Value};

/// The zone of both sides.
const ZONE: &str = "CST6CDT,M3.2.0,M11.1.0";

/// What an expression comes to: the type and the text of the value.
pub(crate) type Meaning = (String, String);

/// A file of `tests/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The ad that expressions are evaluated on.
pub(crate) fn job() -> ClassAd {
    ad("job.ad")
}

/// The other ad of a match.
pub(crate) fn machine() -> ClassAd {
    ad("machine.ad")
}

fn ad(name: &str) -> ClassAd {
    let text = std::fs::read_to_string(data(name)).expect("the ad is there");
    ClassAd::parse(&text).expect("the ad parses")
}

/// A Python that has HTCondor's module: `HOLDADVISE_PYTHON`, else `python3`.
pub(crate) fn python() -> Option<String> {
    let python = std::env::var("HOLDADVISE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let check = Command::new(&python)
        .args(["-c", "import classad2, htcondor2"])
        .stderr(Stdio::null())
        .status();
    check.is_ok_and(|status| status.success()).then_some(python)
}

/// HTCondor's answers. A question that ends its process has the answer `["crash", time]`.
pub(crate) fn ask(python: &str, expressions: &[String]) -> Vec<serde_json::Value> {
    let mut answers = Vec::new();
    while answers.len() < expressions.len() {
        let before = answers.len();
        answers.extend(ask_one_process(python, &expressions[before..]));
        if answers.len() < expressions.len() {
            answers.push(serde_json::json!(["crash", 0]));
        }
    }
    answers
}

/// The answers of one process, as many as it gives.
fn ask_one_process(python: &str, expressions: &[String]) -> Vec<serde_json::Value> {
    let mut child = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/htcondor/judge.py"))
        .args([data("job.ad"), data("machine.ad")])
        .env("TZ", ZONE)
        .env("CONDOR_CONFIG", "/dev/null")
        // The accounts of this machine are not those of another.
        .env("_CONDOR_CLASSAD_ENABLE_USER_HOME", "false")
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("python starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    let text = expressions.join("\n") + "\n";
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("python ends");
    let _ = writer.join();
    let text = String::from_utf8(output.stdout).expect("HTCondor's answers are UTF-8");
    assert!(text.contains('\n'), "HTCondor's module begins");
    // The first line says which version it is.
    text.lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).expect("HTCondor's answers are JSON"))
        .collect()
}

/// A parse error in the oracle's words.
pub(crate) fn parse_error() -> Meaning {
    ("parse error".to_owned(), String::new())
}

/// What this crate evaluates with at a time.
pub(crate) fn context(now: i64) -> EvalContext<'static> {
    let zone = jiff::tz::TimeZone::posix(ZONE).expect("the time zone parses");
    EvalContext { time_zone: Some(zone), ..EvalContext::at(now) }
}

/// This crate's answer in the oracle's words.
fn judge(ad: &ClassAd, target: Option<&ClassAd>, expression: &str, now: i64) -> Meaning {
    let Ok(expr) = Expr::parse(expression) else { return parse_error() };
    meaning(&ad.evaluate_expr(&expr, &EvalContext { target, ..context(now) }))
}

/// A value of this crate in the oracle's words.
pub(crate) fn meaning(value: &Value) -> Meaning {
    let text = match value {
        Value::Undefined | Value::Error => String::new(),
        Value::Real(real) | Value::RelativeTime(real) => real_text(*real),
        Value::String(text) => text.to_string(),
        Value::AbsoluteTime { .. } => {
            value.to_string().trim_start_matches("absTime(\"").trim_end_matches("\")").to_owned()
        }
        other => Expr::literal(other.clone()).print(Style::New),
    };
    (value.value_type().to_string(), text)
}

fn real_text(real: f64) -> String {
    if real.is_nan() { "nan".to_owned() } else { format!("{real:e}") }
}

/// Python's `float.hex`.
fn from_hex(text: &str) -> f64 {
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1.0, text),
        None => (1.0, text),
    };
    let size = match text {
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => {
            let text = text.trim_start_matches("0x");
            let (mantissa, exponent) = text.split_once('p').expect("an exponent");
            let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
            let places = mantissa.split_once('.').map_or(0, |(_, after)| after.len());
            let whole = u64::from_str_radix(&digits, 16).expect("hexadecimal digits");
            let exponent: i32 = exponent.parse().expect("a number");
            let shift = exponent - 4 * i32::try_from(places).expect("few digits");
            // In two steps: the power itself may lie below the smallest real.
            let half = shift / 2;
            #[allow(clippy::cast_precision_loss)]
            let value = whole as f64 * 2_f64.powi(half) * 2_f64.powi(shift - half);
            value
        }
    };
    sign * size
}

/// An expression that means something else here.
pub(crate) struct Difference {
    pub(crate) expression: String,
    pub(crate) in_match: bool,
    pub(crate) here: Meaning,
    pub(crate) htcondor: Meaning,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { expression, here, htcondor, .. } = self;
        write!(
            f,
            "{expression}\n    here     {} {}\n    HTCondor {} {}",
            here.0, here.1, htcondor.0, htcondor.1
        )
    }
}

/// What HTCondor's evaluator said, `[type, text]`.
pub(crate) fn their_meaning(answer: &serde_json::Value) -> Meaning {
    let kind = answer[0].as_str().unwrap_or_default().to_owned();
    let text = match kind.as_str() {
        "undefined" | "error" | "parse error" | "failure" => String::new(),
        "real" | "relative time" => real_text(from_hex(answer[1].as_str().unwrap_or_default())),
        _ => answer[1].as_str().unwrap_or_default().to_owned(),
    };
    // What HTCondor gives up on is an error here.
    if kind == "failure" { ("error".to_owned(), text) } else { (kind, text) }
}

/// The expressions that mean something else to HTCondor on the ad of the job.
pub(crate) fn differences(python: &str, expressions: &[String]) -> Vec<Difference> {
    compared(python, expressions, expressions, None)
}

/// The same in a match with the ad of the machine.
pub(crate) fn differences_in_match(python: &str, expressions: &[String]) -> Vec<Difference> {
    let questions: Vec<String> = expressions.iter().map(|text| format!("\u{1e}{text}")).collect();
    compared(python, &questions, expressions, Some(&machine()))
}

fn compared(
    python: &str,
    questions: &[String],
    expressions: &[String],
    target: Option<&ClassAd>,
) -> Vec<Difference> {
    let answers = ask(python, questions);
    assert_eq!(answers.len(), expressions.len(), "HTCondor answers every expression");
    let ad = job();
    let mut found = Vec::new();
    for (expression, answer) in expressions.iter().zip(&answers) {
        let now = answer
            .as_array()
            .and_then(|a| a.last())
            .and_then(serde_json::Value::as_i64)
            .expect("a time");
        match answer[0].as_str() {
            Some("crash") => {
                println!("HTCondor crashes on {expression}");
                continue;
            }
            // Python cannot show it; a text that is no text here has U+FFFD.
            Some("not UTF-8") => continue,
            _ => {}
        }
        let htcondor = their_meaning(answer);
        if !(0..=1).any(|before| judge(&ad, target, expression, now - before) == htcondor) {
            let here = judge(&ad, target, expression, now);
            let (expression, in_match) = (expression.clone(), target.is_some());
            found.push(Difference { expression, in_match, here, htcondor });
        }
    }
    found
}
