//! Whatever bytes a log holds: no panic, no lost event but the damaged ones.

use std::fmt::Write as _;

use eventlog::*;
use jiff::tz::TimeZone;
use proptest::prelude::*;

fn options() -> ReadOptions {
    ReadOptions { year: YearHint::First(2024), ..ReadOptions::in_zone(TimeZone::UTC) }
}

/// Pieces of logs, put together at random.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let parts: Vec<&[u8]> = vec![
        b"...\n",
        b"...\r\n",
        b"\n",
        b"\0\0\0\0",
        b"012 (1234.000.000) 2024-01-31 23:59:59 Job was held.\n",
        b"\tError from slot1@ep: No space left\n",
        b"\tCode 12 Subcode 28\n",
        b"005 (1234.000.000) 01/31 23:59:59 Job terminated.\n",
        b"\t(1) Normal termination (return value 0)\n",
        b"\t\tUsr 0 00:00:01, Sys 0 00:00:00  -  Run Remote Usage\n",
        b"\t100  -  Run Bytes Sent By Job\n",
        b"\tPartitionable Resources :    Usage  Request Allocated Assigned\n",
        b"\t   Gpus (Average)       :     0.50        1         1 \"CUDA0\"\n",
        b"001 (-01.-01.-01) 2024-01-31T23:59:59.123Z Job executing on host: <1.2.3.4>\n",
        b"\tSlotName: slot1@ep\n\tCpus = 1\n\tAvailableGPUs = { [ Id = \"x\" ], 3 }\n",
        b"008 (000.000.000) 12/31 00:00:00 Global JobLog: ctime=1700000000 id=x\n",
        b"028 (1.0.0) 12/31 00:00:00 Job ad information event triggered.\nProc = 0\n",
        b"033 (1.0.0) 12/31 00:00:00 Changing job attribute A from \"x to\" to 3\n",
        b"<c>\n<a n=\"EventTypeNumber\"><i>12</i></a>\n</c>\n",
        b"{\n\"EventTypeNumber\": 5, \"EventTime\": \"2024-01-31T23:59:59\"\n}\n",
    ];
    prop_oneof![
        4 => prop::sample::select(parts).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

fn log() -> impl Strategy<Value = Vec<u8>> {
    (
        prop::collection::vec(piece(), 0..30),
        prop::collection::vec(any::<prop::sample::Index>(), 0..3),
    )
        .prop_map(|(pieces, cuts)| {
            let mut bytes = pieces.concat();
            for cut in &cuts {
                if !bytes.is_empty() {
                    bytes.remove(cut.index(bytes.len()));
                }
            }
            bytes
        })
}

/// A log that is printed as text.
struct Log(Vec<u8>);

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Reads all there is and looks at every field; numbers of events and of damaged parts.
fn exhaust(bytes: &[u8]) -> (usize, usize) {
    let mut reader = LogReader::new(bytes, &options());
    let (mut events, mut damaged, mut end) = (0, 0, 0);
    while let Some(event) = reader.next_event() {
        match event {
            Ok(event) => {
                events += 1;
                let body = event.body();
                serde_json::to_string(&event.to_ad(&TimeZone::UTC)).unwrap();
                let date = DateForm::iso(TimeZone::UTC);
                let (job, subproc, time) = (event.job, event.subproc, event.time);
                let header = EventHeader { job, subproc, time, date: &date };
                let mut out = Vec::new();
                if write_event(&mut out, &header, &body).is_ok() {
                    let written = Events::with_options(&out, &options()).next().unwrap().unwrap();
                    assert_eq!((written.number, written.job), (event.number, job));
                }
            }
            Err(error) => {
                damaged += 1;
                assert!(error.offset >= end && error.length > 0, "{error:?}");
                end = error.offset + error.length;
                assert!(end <= bytes.len() as u64);
            }
        }
        assert!(reader.offset() >= end);
    }
    (events, damaged)
}

/// A log of so many released jobs, each with its own cluster.
fn released(count: usize) -> String {
    (1..=count).fold(String::new(), |mut text, cluster| {
        let head =
            "2024-01-02 03:04:05 Job was released.\n\tvia condor_release (by user alice)\n...";
        writeln!(text, "013 ({cluster:03}.000.000) {head}").unwrap();
        text
    })
}

fn clusters(bytes: &[u8]) -> Vec<i32> {
    Events::with_options(bytes, &options()).flatten().map(|event| event.job.cluster).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_are_read_without_panic(log in log().prop_map(Log)) {
        exhaust(&log.0);
    }

    #[test]
    fn slices_and_streams_agree(log in log().prop_map(Log)) {
        prop_assume!(Form::detect(&log.0) == Form::Text);
        let events = Events::with_options(&log.0, &options());
        let (good, bad): (Vec<_>, Vec<_>) = events.partition(Result::is_ok);
        prop_assert_eq!(exhaust(&log.0), (good.len(), bad.len()));
    }

    #[test]
    fn a_cut_costs_at_most_the_cut_event(count in 1_usize..6, at in any::<prop::sample::Index>()) {
        let text = released(count);
        let at = at.index(text.len() + 1);
        let each = text.len() / count;
        let whole = at / each;
        let read = clusters(&text.as_bytes()[..at]);
        prop_assert!(read.len() == whole || read.len() == whole + 1, "{} of {}", read.len(), whole);
        // A log that begins there: the event, and within its separator the next one too.
        let rest = clusters(&text.as_bytes()[at..]);
        let lost = usize::from(at % each > 0) + usize::from([2, 3].contains(&(each - at % each)));
        prop_assert!(rest.len() >= (count - whole).saturating_sub(lost));
        // A writer that begins anew behind the cut: its first event is lost, as it may be text.
        let mut resumed = text.as_bytes()[..at].to_vec();
        for cluster in [998, 999] {
            let event =
                format!("013 ({cluster}.000.000) 2024-01-02 03:04:05 Job was released.\n...\n");
            resumed.extend_from_slice(event.as_bytes());
        }
        let resumed = clusters(&resumed);
        prop_assert_eq!(resumed.last(), Some(&999));
        prop_assert_eq!(resumed.contains(&998), at % each == 0);
        prop_assert!(resumed.len() > whole);
    }

    #[test]
    fn a_hole_costs_the_events_it_touches_and_the_one_glued_to_it(
        count in 2_usize..6,
        from in any::<prop::sample::Index>(),
        length in 1_usize..200,
    ) {
        let mut bytes = released(count).into_bytes();
        let each = bytes.len() / count;
        let from = from.index(bytes.len());
        let to = (from + length).min(bytes.len());
        bytes[from..to].fill(0);
        let read = clusters(&bytes);
        for cluster in 1..=count {
            let (begin, end) = ((cluster - 1) * each, cluster * each);
            // What is behind a hole may be the rest of a reason, up to the next separator.
            let separator_before = begin.saturating_sub("\n...\n".len());
            if to <= separator_before || from >= end {
                prop_assert!(read.contains(&(cluster as i32)), "{cluster} of {read:?}");
            }
        }
    }

    #[test]
    fn a_hold_comes_back_from_its_text(
        cluster in 1_i32..2_000_000,
        proc in 0_i32..20_000,
        seconds in 0_i64..4_000_000_000,
        reason in "[ -~äöü€]{0,200}",
        code in -1_i32..2000,
        subcode in any::<i32>(),
        with_year in any::<bool>(),
    ) {
        let reason = reason.trim();
        prop_assume!(!reason.is_empty() && reason != "Reason unspecified" && !reason.starts_with("Code "));
        let body = Body::Held(Held { reason: Some(reason.into()), code: Some(code), subcode: Some(subcode) });
        let date = DateForm { with_year, sub_second: false, utc: false, time_zone: TimeZone::UTC };
        let time = EventTime { seconds, microseconds: 0 };
        let job = JobId::new(cluster, proc);
        let mut out = Vec::new();
        write_event(&mut out, &EventHeader { job, subproc: 0, time, date: &date }, &body).unwrap();
        let year = TimeZone::UTC.to_datetime(jiff::Timestamp::from_second(seconds).unwrap()).year();
        let options = ReadOptions { year: YearHint::First(year), ..options() };
        let event = Events::with_options(&out, &options).next().unwrap().unwrap();
        prop_assert_eq!((event.job, event.time), (job, time));
        prop_assert_eq!(event.body(), body);
    }
}
