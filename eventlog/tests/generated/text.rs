//! The text form.

use eventlog::*;

use crate::attributes::{json, xml};
use crate::compare::{Tally, compare_text};
use crate::draw::Draw;
use crate::event::{Made, as_json, date_forms, log, read_back, spelled, written};
use crate::{bodies, count, draw, options, oracle, spellings, zone};

fn text_form(
    part: u64,
    rewritten: bool,
    kinds: &[u16],
    make: fn(&mut Draw, u16, &DateForm) -> Made,
) -> Tally {
    let mut draw = draw(part);
    let (python, mut tally) = (oracle::python(), Tally::default());
    let forms = date_forms();
    let mut logs: Vec<Vec<Made>> = forms.iter().map(|_| Vec::new()).collect();
    for index in 0..count() as usize {
        let at = if index % 2 == 0 { 0 } else { index % forms.len() };
        let number = kinds[(index / 2) % kinds.len()];
        logs[at].push(make(&mut draw, number, &forms[at]));
    }
    let bytes: Vec<Vec<u8>> = logs.iter().map(|made| log(made)).collect();
    let ours: Vec<_> =
        bytes.iter().zip(&logs).map(|(bytes, made)| read_back(bytes.clone(), made)).collect();
    let Some(python) = python else { return tally };
    for ((theirs, ours), made) in oracle::read(&python, &bytes).into_iter().zip(ours).zip(&logs) {
        compare_text(&mut tally, made, ours, theirs, rewritten);
    }
    tally
}

#[test]
fn text_of_htcondor_25() {
    text_form(1, true, &bodies::KINDS, written).end("text");
}

/// What is read of one log.
fn compare_log(made: &[Made], log: Vec<u8>) -> Tally {
    let ours =
        Events::with_options(&log, &options()).map(|event| as_json(&event.unwrap())).collect();
    let mut tally = Tally::default();
    if let Some(python) = oracle::python() {
        let theirs = oracle::read(&python, &[log]).remove(0);
        compare_text(&mut tally, made, ours, theirs, false);
    }
    tally
}

/// Lines that end in `\r\n`.
#[test]
fn text_of_windows() {
    let mut draw = draw(5);
    let made: Vec<Made> = (0..count() as usize)
        .map(|index| {
            let number = bodies::KINDS[index % bodies::KINDS.len()];
            written(&mut draw, number, &DateForm::iso(zone()))
        })
        .collect();
    let log = String::from_utf8(log(&made)).unwrap().replace('\n', "\r\n").into_bytes();
    compare_log(&made, log).end("CRLF");
}

/// Dates that HTCondor reads and does not write, or wrote once.
#[test]
fn dates() {
    let mut draw = draw(6);
    let date = DateForm::iso(zone());
    let with_date = |made: Made, index: usize| {
        let (begin, rest) = made.text.split_once(") ").unwrap();
        let (day, rest) = rest.split_once(' ').unwrap();
        let (time, rest) = rest.split_once(' ').unwrap();
        let written = match index % 6 {
            0 => format!("{day}T{time}"),
            1 => format!("{day}T{time}Z"),
            2 => format!("{day} {time}.000001"),
            3 => format!("{day} {time}.5"),
            4 => format!("{day}T{time}.123456Z"),
            // With EVENT_LOG_TIMESTAMP of 8.0 to 8.8.
            _ => format!("07/{} {time}.654321", &day[8..]),
        };
        Made {
            text: format!("{begin}) {written} {rest}"),
            date: DateForm { with_year: index % 6 != 5, ..made.date },
            ..made
        }
    };
    let made: Vec<Made> = (0..count() as usize / 4)
        .map(|index| {
            let number = bodies::KINDS[index % bodies::KINDS.len()];
            with_date(written(&mut draw, number, &date), index)
        })
        .collect();
    let log = log(&made);
    compare_log(&made, log).end("dates");
}

#[test]
fn text_of_older_versions() {
    text_form(2, false, &spellings::KINDS, spelled).end("old spellings");
}

/// Whatever bytes are lost, doubled or changed: no panic, and what is read can be written.
#[test]
fn damaged_bytes() {
    let mut draw = draw(9);
    let date = DateForm::iso(zone());
    for round in 0..count() / 5 {
        let kinds = [&bodies::KINDS[..], &bodies::UNREADABLE[..]].concat();
        let number = kinds[round as usize % kinds.len()];
        let mut bytes = written(&mut draw, number, &date).text.into_bytes();
        if round % 3 > 0 {
            let ad = as_json(&Events::with_options(&bytes, &options()).next().unwrap().unwrap());
            bytes = if round % 3 == 1 { json(&ad) } else { xml(&ad) }.into_bytes();
        }
        for _ in 0..3 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + draw.below(4) {
                let at = draw.below(damaged.len() as u64) as usize;
                match draw.below(3) {
                    0 => drop(damaged.remove(at)),
                    1 => damaged.insert(at, damaged[at]),
                    _ => damaged[at] = draw.below(256) as u8,
                }
            }
            let mut reader = LogReader::new(&damaged[..], &options());
            while let Some(event) = reader.next_event() {
                let Ok(event) = event else { continue };
                as_json(&event);
                let (job, subproc, time) = (event.job, event.subproc, event.time);
                let header = EventHeader { job, subproc, time, date: &date };
                // A transfer of no known kind has no text.
                let _ = write_event(&mut Vec::new(), &header, &event.body().into_owned());
            }
        }
    }
}
