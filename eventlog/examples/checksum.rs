//! Reads a job event log and prints how many events it has and a checksum, for timing:
//! `scripts/benchmark-eventlog`.
//!
//! ```text
//! cargo run --release -p htcondor-eventlog --example checksum -- found|fields LOG
//! ```
//!
//! `found` takes number, job and time of every event, `fields` every typed field of it as well: all
//! its numbers and every byte of its texts go into the sum, which does not depend on how many
//! threads there are (`RAYON_NUM_THREADS`).

use std::hash::{Hash, Hasher};
use std::io::Read;
use std::ops::ControlFlow;
use std::process::ExitCode;

use eventlog::*;

/// Takes every word into a sum that depends on their order.
struct Words(u64);

impl Words {
    fn word(&mut self, word: u64) {
        self.0 = self.0.rotate_left(5) ^ word;
    }
}

macro_rules! numbers {
    ($($write:ident($number:ty))*) => {
        $(fn $write(&mut self, number: $number) {
            self.word(number as u64);
        })*
    };
}

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        let length = bytes.len();
        let four = |part: &[u8; 4]| u64::from(u32::from_le_bytes(*part));
        if let Some(last) = bytes.last_chunk::<8>() {
            for word in bytes.as_chunks::<8>().0 {
                self.word(u64::from_le_bytes(*word));
            }
            self.word(u64::from_le_bytes(*last));
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            self.word(four(first) << 32 | four(last));
        } else if length > 0 {
            let [first, middle, last] = [bytes[0], bytes[length / 2], bytes[length - 1]];
            self.word(u64::from(first) << 16 | u64::from(middle) << 8 | u64::from(last));
        }
    }

    numbers! {
        write_u8(u8) write_u16(u16) write_u32(u32) write_u64(u64) write_usize(usize)
        write_i32(i32) write_i64(i64) write_isize(isize)
    }

    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

#[derive(Clone, Copy, Default)]
struct Sum {
    events: u64,
    damaged: u64,
    checksum: u64,
}

fn add_up<R: Read>(log: &mut LogReader<R>, fields: bool) -> Sum {
    let mut sum = Sum::default();
    while let Some(event) = log.next_event() {
        let Ok(event) = event else {
            sum.damaged += 1;
            continue;
        };
        let mut words = Words(0);
        (event.number, event.job, event.subproc, event.time).hash(&mut words);
        if fields {
            event.body().hash(&mut words);
        }
        sum.events += 1;
        sum.checksum = sum.checksum.wrapping_add(words.finish());
    }
    sum
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (fields, path) = match &arguments[..] {
        [what, path] if what == "found" => (false, path),
        [what, path] if what == "fields" => (true, path),
        _ => {
            eprintln!("usage: checksum found|fields LOG");
            return ExitCode::FAILURE;
        }
    };
    let log = match ChunkedLog::open(path, &ReadOptions::default()) {
        Ok(log) => log,
        Err(error) => {
            eprintln!("Error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut all = Sum::default();
    let _: ControlFlow<()> = log.read(
        |chunk| add_up(chunk, fields),
        |part| {
            all.events += part.events;
            all.damaged += part.damaged;
            all.checksum = all.checksum.wrapping_add(part.checksum);
            ControlFlow::Continue(())
        },
    );
    println!("{} events, {} damaged, checksum {:016x}", all.events, all.damaged, all.checksum);
    ExitCode::SUCCESS
}
