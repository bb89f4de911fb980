//! Job event logs.

use eventlog::{
    Damage, DateForm, EventHeader, Events, Form, LogReader, ReadOptions, YearHint, write_event,
};
use jiff::tz::TimeZone;

/// A log of the year of the recorded ones.
pub(crate) fn options() -> ReadOptions {
    ReadOptions {
        year: YearHint::First(2024),
        max_event: 4096,
        ..ReadOptions::in_zone(TimeZone::UTC)
    }
}

/// Any bytes as a job event log, in any form: read, made an ad, written, and read again.
pub fn eventlog_text(bytes: &[u8]) {
    let options = options();
    let date = DateForm::iso(TimeZone::UTC);
    let mut log = LogReader::new(bytes, &options);
    let (mut events, mut offset) = (0, 0);
    while let Some(event) = log.next_event() {
        if let Ok(event) = event {
            events += 1;
            let body = event.body();
            let _ = event.to_ad(&TimeZone::UTC);
            let header = EventHeader {
                job: event.job,
                subproc: event.subproc,
                time: event.time,
                date: &date,
            };
            let mut out = Vec::new();
            if write_event(&mut out, &header, &body).is_ok() {
                // What is written is read again as the same event, but for a field of a run that
                // quotes a whole header: it looks like a writer that went on where another broke
                // off.
                match Events::with_options(&out, &options).next().expect("one event") {
                    Ok(again) => assert_eq!((again.number, again.job), (event.number, event.job)),
                    Err(damaged) => assert_eq!(damaged.damage, Damage::Unterminated),
                }
            }
        }
        assert!(log.offset() >= offset);
        offset = log.offset();
    }
    if Form::detect(bytes) == Form::Text && bytes.len() < 4096 {
        let whole = Events::with_options(bytes, &options).filter(Result::is_ok).count();
        assert_eq!(events, whole, "a slice and a stream give the same events");
    }
}
