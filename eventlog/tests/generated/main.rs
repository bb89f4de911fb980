//! Events of every kind with varied fields, read here and by HTCondor's own reader, which has to
//! agree on every attribute; and written here and by HTCondor's own writer, which has to agree on
//! every byte.
//!
//! HTCondor is asked with `HOLDADVISE_PYTHON` set to a Python that has `htcondor` (from PyPI).
//! `HOLDADVISE_EVENTS` says how many events a test generates, `HOLDADVISE_SEED` which,
//! `HOLDADVISE_SHOWN` how many differences of a kind it shows.

mod attributes;
mod bodies;
mod compare;
mod draw;
mod event;
mod oracle;
mod quirks;
mod spellings;
mod text;

use eventlog::*;
use jiff::tz::TimeZone;

use draw::Draw;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// A source of random values for the test `part`.
fn draw(part: u64) -> Draw {
    Draw::new(setting("HOLDADVISE_SEED", 1) * 1000 + part)
}

fn count() -> u64 {
    setting("HOLDADVISE_EVENTS", 900)
}

fn zone() -> TimeZone {
    TimeZone::get(oracle::ZONE).unwrap()
}

fn options() -> ReadOptions {
    ReadOptions { year: YearHint::First(2026), ..ReadOptions::in_zone(zone()) }
}
