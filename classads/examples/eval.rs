//! Evaluates expressions, one a line of standard input, and prints the type and the value of each.
//!
//! `eval [AD-FILE]`: attributes come from the first ad of the file (long, JSON or brackets).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;

use classads::{ClassAd, EvalContext, Expr};

fn main() -> ExitCode {
    let ad = match std::env::args_os().nth(1) {
        None => ClassAd::new(),
        Some(path) => match File::open(&path) {
            Ok(file) => {
                let mut ads = classads::read_ads(BufReader::new(file));
                loop {
                    match ads.next() {
                        Some(Ok(ad)) => break ad,
                        Some(Err(error)) => eprintln!("{}: {error}", path.display()),
                        None => break ClassAd::new(),
                    }
                }
            }
            Err(error) => {
                eprintln!("error: cannot read {}: {error}", path.display());
                return ExitCode::FAILURE;
            }
        },
    };
    match evaluate_lines(&ad) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn evaluate_lines(ad: &ClassAd) -> io::Result<()> {
    let context = EvalContext::default();
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        match Expr::parse(&line) {
            Ok(expr) => {
                let value = ad.evaluate_expr(&expr, &context);
                writeln!(out, "{} {value}", value.value_type())?;
            }
            Err(error) => writeln!(out, "error: at byte {}: {}", error.offset(), error.message())?,
        }
    }
    out.flush()
}
