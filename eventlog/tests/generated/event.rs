//! Events as they are generated.

use eventlog::*;
use serde_json::{Map, Value};

use crate::draw::Draw;
use crate::{bodies, options, spellings, zone};

pub(crate) fn ids(draw: &mut Draw, number: u16) -> (JobId, i32) {
    let cluster = draw.pick(&[1, 42, 999, 1_000, 1_234_567, 110_828_038, i32::MAX]);
    match number {
        // Slot and dynamic slot.
        100.. => (JobId::new(draw.natural(), draw.natural()), 0),
        35..=38 => (JobId::new(cluster, -1), draw.pick(&[0, -1])),
        8 if draw.chance(20) => (JobId::new(-1, -1), -1),
        _ => (JobId::new(cluster, draw.pick(&[0, 7, 12_345, -1])), draw.pick(&[0, 0, 3, 1000])),
    }
}

/// Times between July 1st and 28th: each exists in each year.
pub(crate) fn time(draw: &mut Draw, date: &DateForm) -> EventTime {
    let year = if date.with_year { draw.below(30) as i16 + 2000 } else { 2026 };
    let month = if date.with_year { 1 + draw.below(12) as i8 } else { 7 };
    let civil = jiff::civil::date(year, month, 1 + draw.below(28) as i8).at(
        // Clocks change at 2 and repeat the hour from 1.
        4 + draw.below(19) as i8,
        draw.below(60) as i8,
        draw.below(60) as i8,
        0,
    );
    let seconds = civil.to_zoned(zone()).unwrap().timestamp().as_second();
    let microseconds = if date.sub_second { draw.below(1000) as u32 * 1000 } else { 0 };
    EventTime { seconds, microseconds }
}

pub(crate) fn date_forms() -> Vec<DateForm> {
    let mut forms = Vec::new();
    for with_year in [true, false] {
        for sub_second in [false, true] {
            for utc in [false, true] {
                forms.push(DateForm { with_year, sub_second, utc, time_zone: zone() });
            }
        }
    }
    forms
}

/// An event as it was generated.
pub(crate) struct Made {
    pub(crate) number: u16,
    pub(crate) text: String,
    pub(crate) date: DateForm,
}

/// An event with these lines.
pub(crate) fn made(
    draw: &mut Draw,
    number: u16,
    date: &DateForm,
    write: impl FnOnce(&mut Vec<u8>, &EventHeader<'_>, &mut Draw),
) -> Made {
    let (job, subproc) = ids(draw, number);
    let header = EventHeader { job, subproc, time: time(draw, date), date };
    let mut out = Vec::new();
    write(&mut out, &header, draw);
    Made { number, text: String::from_utf8(out).unwrap(), date: date.clone() }
}

/// HTCondor's reader cuts a header line at 1023 bytes.
pub(crate) const LONGEST_HEADER: usize = 1023;

/// An event whose header line HTCondor reads.
pub(crate) fn readable(mut make: impl FnMut() -> Made) -> Made {
    loop {
        let made = make();
        let header = made.text.split('\n').next().unwrap_or_default();
        // Three dots are a separator wherever a line is read.
        if header.len() < LONGEST_HEADER && crate::compare::behind_date(header).trim() != "..." {
            return made;
        }
    }
}

/// An event of typed fields.
pub(crate) fn written(draw: &mut Draw, number: u16, date: &DateForm) -> Made {
    readable(|| {
        made(draw, number, date, |out, header, draw| {
            write_event(out, header, &bodies::body(draw, number, false)).unwrap();
        })
    })
}

/// An event of a text.
pub(crate) fn spelled(draw: &mut Draw, number: u16, date: &DateForm) -> Made {
    readable(|| {
        made(draw, number, date, |out, header, draw| {
            let text = spellings::text(draw, number);
            let (title, lines) = text.split_once('\n').unwrap();
            write_text(out, header, number, title.as_bytes(), lines.as_bytes()).unwrap();
        })
    })
}

pub(crate) fn log(events: &[Made]) -> Vec<u8> {
    events.iter().flat_map(|made| made.text.bytes()).collect()
}

pub(crate) fn as_json(event: &Event<'_>) -> Map<String, Value> {
    serde_json::from_value(serde_json::to_value(event.to_ad(&zone())).unwrap()).unwrap()
}

/// Reads a text log; every event comes back byte for byte from typed fields that borrow nothing.
pub(crate) fn read_back(log: Vec<u8>, made: &[Made]) -> Vec<Map<String, Value>> {
    let mut owned = Vec::new();
    let mut ads = Vec::new();
    for event in Events::with_options(&log, &options()) {
        let event = event.unwrap_or_else(|damaged| panic!("{damaged}"));
        ads.push(as_json(&event));
        owned.push((event.job, event.subproc, event.time, event.body().into_owned()));
    }
    drop(log);
    assert_eq!(owned.len(), made.len());
    for ((job, subproc, time, body), made) in owned.into_iter().zip(made) {
        let mut out = Vec::new();
        let header = EventHeader { job, subproc, time, date: &made.date };
        write_event(&mut out, &header, &body).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), made.text, "{body:?}");
    }
    ads
}
