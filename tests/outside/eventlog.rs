//! How often was each job of a log put on hold?
use std::collections::BTreeMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: LOG")?;
    let mut log = eventlog::open_series(path, &eventlog::ReadOptions::default())?;
    let mut holds = BTreeMap::new();
    while let Some((_, event)) = log.next_event() {
        match event {
            Ok(event) if event.kind() == eventlog::EventKind::JobHeld => {
                *holds.entry(event.job).or_insert(0) += 1;
            }
            Ok(_) => {}
            Err(damaged) => eprintln!("{damaged}"),
        }
    }
    holds.iter().for_each(|(job, holds)| println!("{job} {holds}"));
    Ok(())
}
