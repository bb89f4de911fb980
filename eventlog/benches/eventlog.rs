//! How fast job event logs are read: `cargo bench -p htcondor-eventlog --bench eventlog`.
//!
//! The log is that of an access point: jobs are submitted, get their files, run, use memory, go on
//! hold, are released and end. `newlines` counts the lines of the same bytes and is the floor.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use eventlog::*;
use jiff::tz::TimeZone;

fn main() {
    divan::main();
}

/// Jobs in the log, each with 12 events.
const JOBS: i32 = 5000;

fn zone() -> TimeZone {
    TimeZone::get("America/Chicago").unwrap_or(TimeZone::UTC)
}

/// A log of [`JOBS`] jobs; their events are written in turns, as an access point does.
fn log(date: &DateForm) -> Vec<u8> {
    let mut out = Vec::new();
    let mut seconds = 1_700_000_000;
    for begin in (0..JOBS).step_by(100) {
        for step in 0..12 {
            for job in begin..begin + 100 {
                seconds += i64::from(job % 3 == 0);
                let time = EventTime { seconds, microseconds: 0 };
                let job = JobId::new(1_000_000 + job, 0);
                let header = EventHeader { job, subproc: 0, time, date };
                write_event(&mut out, &header, &body(step, job.cluster))
                    .expect("memory does not fail");
            }
        }
    }
    out
}

fn body(step: i32, cluster: i32) -> Body<'static> {
    let host = format!(
        "<192.0.2.{}:9618?addrs=192.0.2.1-9618&alias=ep.example&noUDP&sock=slot1_1>",
        cluster % 250
    );
    let transfer = |kind| {
        Body::FileTransfer(FileTransfer {
            kind: Some(kind),
            host: Some(host.clone().into()),
            seconds_in_queue: None,
        })
    };
    match step {
        0 => Body::Submit(Submit { submit_host: host.into(), ..Submit::default() }),
        1 | 7 => transfer(FileTransferKind::InputStarted),
        2 => transfer(FileTransferKind::InputFinished),
        3 | 8 => Body::Execute(Execute {
            execute_host: host.into(),
            slot_name: Some("slot1_1@ep.example".into()),
            properties: [("CondorScratchDir", "\"/var/lib/condor/execute/dir_1\""), ("Cpus", "1"), ("Disk", "1048576"), ("GPUs", "0"), ("Memory", "2048")]
                .map(|(name, value)| (name.into(), value.into()))
                .to_vec(),
        }),
        4 | 9 => Body::ImageSize(ImageSize {
            image_size_kb: Some(i64::from(cluster)),
            memory_usage_mb: Some(12),
            resident_set_size_kb: Some(12_345),
            proportional_set_size_kb: None,
        }),
        5 => Body::Held(Held {
            reason: Some("Transfer output files failure at execution point slot1_1@ep.example while sending files to access point ap. Details: reading from file /var/lib/condor/execute/dir_1/out: (errno 2) No such file or directory".into()),
            code: Some(12),
            subcode: Some(2),
        }),
        6 => Body::Released(Released { reason: Some("via condor_release (by user alice)".into()) }),
        10 => transfer(FileTransferKind::OutputFinished),
        _ => {
            let row = |name: &'static str, unit: &'static str, usage, request| Resource {
                name: name.into(),
                unit: unit.into(),
                usage,
                request: Some(request),
                allocated: Some(request),
                ..Resource::default()
            };
            Body::Terminated(Terminated {
                return_value: Some(0),
                bytes_sent: Some(12_345),
                bytes_received: Some(67_890),
                total_bytes_sent: Some(12_345),
                total_bytes_received: Some(67_890),
                resources: vec![
                    row("Cpus", "", Some(0.98), 1.0),
                    row("Disk", "KB", Some(400.0), 1_048_576.0),
                    row("Memory", "MB", Some(12.0), 2048.0),
                    row("TimeExecute", "s", Some(600.0), 1.0),
                ],
                ..Terminated::default()
            })
        }
    }
}

fn options() -> ReadOptions {
    ReadOptions { year: YearHint::First(2023), ..ReadOptions::in_zone(zone()) }
}

fn bench(bencher: Bencher, date: &DateForm, read: impl Fn(&[u8]) -> usize + Sync) {
    let log = log(date);
    let events = ItemsCount::from(JOBS as usize * 12);
    bencher.counter(BytesCount::of_slice(&log)).counter(events).bench(|| read(black_box(&log)));
}

#[divan::bench]
fn newlines(bencher: Bencher) {
    bench(bencher, &DateForm::iso(zone()), |log| memchr::memchr_iter(b'\n', log).count());
}

/// Events found and typed, their fields left alone.
#[divan::bench]
fn found(bencher: Bencher) {
    bench(bencher, &DateForm::iso(zone()), |log| {
        Events::with_options(log, &options()).flatten().map(|event| usize::from(event.number)).sum()
    });
}

/// As `found`, with dates that have no year.
#[divan::bench]
fn found_without_year(bencher: Bencher) {
    bench(bencher, &DateForm::month_day(zone()), |log| {
        Events::with_options(log, &options()).flatten().map(|event| usize::from(event.number)).sum()
    });
}

/// Every field of every event.
#[divan::bench]
fn fields(bencher: Bencher) {
    bench(bencher, &DateForm::iso(zone()), |log| {
        let events = Events::with_options(log, &options()).flatten();
        events.inspect(|event| drop(black_box(event.body()))).count()
    });
}

/// Every field of every event, read in chunks.
#[divan::bench]
fn fields_of_stream(bencher: Bencher) {
    bench(bencher, &DateForm::iso(zone()), |log| {
        let mut reader = LogReader::new(log, &options());
        let mut events = 0;
        while let Some(event) = reader.next_event() {
            events +=
                usize::from(event.is_ok_and(|event| black_box(event.body()) != Body::Unsuspended));
        }
        events
    });
}

/// Every field of every event of a file that is followed.
#[divan::bench]
fn fields_followed(bencher: Bencher) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("EventLog");
    bench(bencher, &DateForm::iso(zone()), |log| {
        // Written once, as it stays the same.
        if !path.exists() {
            std::fs::write(&path, log).expect("room for a log");
        }
        let mut follower = follow(&path, &options(), None).expect("the log");
        let mut events = 0;
        while let Some((_, event)) = follower.next_event() {
            events +=
                usize::from(event.is_ok_and(|event| black_box(event.body()) != Body::Unsuspended));
        }
        events
    });
}

/// HTCondor's attributes of every event.
#[divan::bench]
fn attributes(bencher: Bencher) {
    let zone = zone();
    bench(bencher, &DateForm::iso(zone.clone()), move |log| {
        let events = Events::with_options(log, &options()).flatten();
        events.inspect(|event| drop(black_box(event.to_ad(&zone)))).count()
    });
}
