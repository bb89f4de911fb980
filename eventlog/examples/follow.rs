//! Prints the events of a job event log as lines of JSON, as they are written, and goes on where it
//! stopped.
//!
//! ```text
//! cargo run --release -p htcondor-eventlog --example follow -- EventLog position.json
//! cargo run --release -p htcondor-eventlog --example follow -- -once EventLog position.json
//! ```
//!
//! The position is kept in the second file behind each look; `-once` looks once and ends. Damage
//! and losses are reported on standard error. `TZ` is the zone of the access point that writes the
//! log.

use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::time::Duration;

use eventlog::{Follower, Position, ReadOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (once, files) = match arguments.as_slice() {
        [option, files @ ..] if option == "-once" => (true, files),
        files => (false, files),
    };
    let [log, kept] = files else {
        return Err("usage: follow [-once] LOG POSITION".into());
    };
    let position: Option<Position> = match fs::read(kept) {
        Ok(text) => serde_json::from_slice(&text)?,
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let options = ReadOptions::default();
    let mut follower = eventlog::follow(log, &options, position)?;
    let mut out = BufWriter::new(io::stdout().lock());
    loop {
        print(&mut follower, &options, &mut out)?;
        // Whole or not at all: a position cut by a crash is none.
        let new = format!("{kept}.new");
        fs::write(&new, serde_json::to_vec(&follower.position())?)?;
        fs::rename(&new, kept)?;
        if once {
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Prints all that is there.
fn print(log: &mut Follower, options: &ReadOptions, out: &mut impl Write) -> io::Result<()> {
    while let Some((path, event)) = log.next_event() {
        match event {
            Ok(event) => {
                serde_json::to_writer(&mut *out, &event.to_ad(&options.time_zone))?;
                out.write_all(b"\n")?;
            }
            Err(damaged) => eprintln!("{}: {damaged}", path.display()),
        }
    }
    out.flush()
}
