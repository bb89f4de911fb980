//! Events that a writer left unfinished, and another went on behind them in the same line.
//!
//! No event is made of what follows: it may be the text of a user (a hold reason that quotes a header
//! line). The question is only whether the event around it is whole: its own fields must not be read
//! from the lines of another.

use memchr::memchr_iter;

use super::header::Ids;
use super::lines::{Lines, codes};

/// Whether a header stands within a line of an event where no user can have written it. The bytes
/// begin with its header line and end before its separator.
pub(super) fn is_torn(event: &[u8]) -> bool {
    let Ok(ids) = Ids::read(event) else { return false };
    let mut lines = Lines::new(event).enumerate();
    lines.any(|(index, line)| quotes_header(line) && !is_text(ids.number, index, event))
}

/// Whether a header with its date stands within a line, behind its beginning.
pub(crate) fn quotes_header(line: &[u8]) -> bool {
    // Numbers of an event may stand before it: `... Run Bytes S012 (1234.000.000) 2024-01-31`.
    memchr_iter(b'(', line).any(|bracket| {
        let begin = bracket.checked_sub("000 ".len()).filter(|begin| *begin > 0);
        begin.is_some_and(|begin| Ids::begins_dated_event(&line[begin..]))
    })
}

/// Whether no line of an event of this kind holds text of a user.
pub(super) const fn has_no_text(number: u16) -> bool {
    matches!(number, 1 | 3 | 5 | 6 | 10 | 11 | 14..=16)
}

/// Whether a line may hold any text (the `formatBody` functions of HTCondor's `condor_event.cpp`).
/// Line 0 is the header line. In doubt it may, as to HTCondor's reader.
fn is_text(number: u16, index: usize, event: &[u8]) -> bool {
    match (number, index) {
        // Hosts, slots, usage and outcomes: those of another run would be believed.
        (number, _) if has_no_text(number) => false,
        // Titles that are the same in each event.
        (2 | 4 | 7 | 9 | 12 | 13 | 22 | 24..=28, 0) => false,
        // The reason of an eviction stands behind all that its run tells but the table.
        (4, _) => {
            let is_last = |line: &[u8]| line.ends_with(b"Run Bytes Received By Job");
            let mut below = Lines::new(event).skip(index + 1);
            Lines::new(event).take(index).any(is_last)
                && below.next().is_none_or(|line| line.starts_with(b"\tPartitionable Resources"))
        }
        // The codes of a hold stand right below its reason and end it.
        (12, 1) => {
            let mut below = Lines::new(event).skip(2);
            below.next().is_some_and(|line| codes(line).is_some()) && below.next().is_none()
        }
        (12, _) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXT: &str = "013 (2.000.000) 2024-01-02 03:04:06 Job was released.\n\tr\n";
    const HELD: &str =
        "012 (1.000.000) 2024-01-02 03:04:05 Job was held.\n\tx\n\tCode 1 Subcode 0\n";
    const ENDED: &str = "005 (1.000.000) 2024-01-02 03:04:05 Job terminated.\n\
         \t(0) Abnormal termination (signal 9)\n\t100  -  Run Bytes Sent By Job\n";

    const EVICTED: &str = "004 (1.000.000) 2024-01-02 03:04:05 Job was evicted.\n\
         \t(0) CPU times\n\t100  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job\n";

    #[test]
    fn a_torn_hold_or_end_takes_nothing_from_the_next_event() {
        for (event, least) in [(HELD, 37), (ENDED, 37), (EVICTED, 37)] {
            for cut in least..event.len() - 1 {
                // One that begins a line is seen by the walk over the lines.
                if event.as_bytes()[cut - 1] != b'\n' {
                    for next in [NEXT, HELD, ENDED] {
                        assert!(is_torn(format!("{}{next}", &event[..cut]).as_bytes()), "{cut}");
                    }
                }
            }
            assert!(!is_torn(event.as_bytes()));
        }
    }

    #[test]
    fn a_reason_may_quote_a_header() {
        let quoting = HELD.replace("\tx", &format!("\t{}", NEXT.lines().next().unwrap()));
        assert!(!is_torn(quoting.as_bytes()));
        assert!(!is_torn(quoting.replace('\n', "\r\n").as_bytes()));
        let evicted = format!("{EVICTED}\tReason: x {NEXT}");
        assert!(is_torn(format!("{evicted}{EVICTED}").as_bytes()));
        assert!(!is_torn(evicted.strip_suffix("\tr\n").unwrap().as_bytes()));
    }
}
