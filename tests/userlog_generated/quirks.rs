//! What HTCondor loses, see `docs/quirks.md`.

use holdadvise::userlog::*;

use crate::event::{log, read_back, spelled, written};
use crate::{bodies, count, draw, oracle, spellings, zone};

/// What HTCondor writes and does not read is read here, and comes back byte for byte.
#[test]
fn events_that_htcondor_cannot_read() {
    let mut draw = draw(7);
    let date = DateForm::iso(zone());
    let mut made = Vec::new();
    for _ in 0..count() / 40 {
        for number in bodies::UNREADABLE {
            made.push(written(&mut draw, number, &date));
        }
        for number in spellings::UNREADABLE {
            made.push(spelled(&mut draw, number, &date));
        }
    }
    read_back(log(&made), &made);
    let Some(python) = oracle::python() else { return };
    // One of each, as HTCondor waits for a second.
    let logs: Vec<Vec<u8>> = made[..7].iter().map(|made| log(std::slice::from_ref(made))).collect();
    for (made, theirs) in made.iter().zip(oracle::read_apart(&python, &logs)) {
        assert_eq!(theirs, [Err("ULOG_RD_ERROR".to_owned())], "{}", made.text);
    }
}
