//! Prints every event of job event logs as a line of JSON with HTCondor's attribute names.
//!
//! ```text
//! cargo run --release -p htcondor-eventlog --example to_json -- job.log
//! ```
//!
//! Text, XML and JSON logs are read alike, `-` is standard input. Damaged parts are reported on
//! standard error with file and byte offset. `TZ` is the zone of the access point that wrote the
//! logs.

use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

use eventlog::{LogReader, ReadOptions};

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: to_json FILE...");
        return ExitCode::FAILURE;
    }
    let options = ReadOptions::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut code = ExitCode::SUCCESS;
    for path in &paths {
        let printed = if path == "-" {
            print(path, LogReader::new(io::stdin().lock(), &options), &options, &mut out)
        } else {
            match eventlog::open(path, &options) {
                Ok(log) => print(path, log, &options, &mut out),
                Err(error) => {
                    eprintln!("Error: {error}");
                    code = ExitCode::FAILURE;
                    continue;
                }
            }
        };
        if let Err(error) = printed.and_then(|()| out.flush()) {
            // Whoever reads the lines may have seen enough of them.
            if error.kind() != io::ErrorKind::BrokenPipe {
                eprintln!("Error: cannot write: {error}");
            }
            return ExitCode::FAILURE;
        }
    }
    code
}

fn print<R: Read>(
    path: &str,
    mut log: LogReader<R>,
    options: &ReadOptions,
    out: &mut impl Write,
) -> io::Result<()> {
    while let Some(event) = log.next_event() {
        match event {
            Ok(event) => {
                serde_json::to_writer(&mut *out, &event.to_ad(&options.time_zone))?;
                out.write_all(b"\n")?;
            }
            Err(damaged) => eprintln!("{path}: {damaged}"),
        }
    }
    Ok(())
}
