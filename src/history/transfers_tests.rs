use proptest::prelude::*;

use super::*;
use crate::history::HistoryBuilder;

fn read(text: &str) -> crate::history::History {
    let mut history = HistoryBuilder::new();
    history.read_epochs(text.as_bytes());
    history.build()
}

/// An ad of class INPUT of job 7.0 with one result.
fn input(written: i64, result: &str) -> String {
    format!(
        "ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nEpochAdType = \"INPUT\"\n\
         EpochWriteDate = {written}\nInputPluginResultList = {{ [ {result} ] }}\n\n"
    )
}

const JOB: JobId = JobId { cluster: 7, proc: 0 };

fn error(result: &str) -> TransferError {
    let history = read(&input(100, result));
    let [report] = history.transfers().of_job(JOB) else { panic!("{result}: not one report") };
    let [error] = report.errors.as_slice() else { panic!("{result}: not one error") };
    error.clone()
}

#[test]
fn errors_of_curl_are_read() {
    let of_curl = error(
        "TransferUrl = \"http://Cache.example:8080/a\"; TransferSuccess = false; \
         DeveloperData = [ TransferTries = 3; TransferHostName = \"cache.example:8080\" ]; \
         TransferErrorData = { [ ErrorCode = 7; ErrorType = \"Contact\"; ErrorString = \"first\"; \
         FailedServer = \"Unknown\" ], [ ErrorCode = 7; ErrorType = \"Contact\"; \
         ErrorString = \"last\"; FailedServer = \"Unknown\" ] }",
    );
    assert_eq!(of_curl.error_type, Some(ErrorType::Contact));
    assert_eq!((of_curl.error_code, of_curl.tries), (Some(7), Some(3)));
    // The server is not known to curl: it is that of the URL.
    assert_eq!(of_curl.server.as_deref(), Some("cache.example:8080"));
    assert_eq!((of_curl.error_string.as_str(), of_curl.retryable), ("last", None));
}

#[test]
fn errors_of_pelican_are_read() {
    let of_pelican = error(
        "TransferUrl = \"igwn+osdf:///igwn/frame.gwf\"; TransferSuccess = false; \
         TransferError = \"all attempts failed\"; DeveloperData = [ Attempts = 2; \
         Endpoint0 = \"near.example:8443\"; Endpoint1 = \"far.example:8443\"; IsRetryable0 = true ]; \
         TransferErrorData = { [ ErrorType = \"Transfer\"; DeveloperData = [ Retryable = true; \
         PelicanErrorCode = 6000; ErrorType = \"Transfer\"; ErrorMessage = \"wrong size\" ] ], \
         [ ErrorType = \"Transfer\"; DeveloperData = [ Retryable = true; RetryAfterSeconds = 90; \
         PelicanErrorCode = 6010; ErrorType = \"Transfer.CacheOverloaded\"; \
         ErrorMessage = \"busy\" ] ] }",
    );
    assert_eq!(of_pelican.error_type, Some(ErrorType::Transfer));
    assert_eq!(of_pelican.detail.as_deref(), Some("Transfer.CacheOverloaded"));
    assert_eq!(of_pelican.server.as_deref(), Some("far.example:8443"));
    assert_eq!((of_pelican.error_code, of_pelican.retryable), (Some(6010), Some(90)));
    assert_eq!((of_pelican.error_string.as_str(), of_pelican.tries), ("busy", Some(2)));
}

#[test]
fn the_server_that_failed_goes_before_the_one_of_the_url() {
    let server = |named: &str| {
        let result = format!(
            "TransferUrl = \"http://data.example/a\"; TransferSuccess = false; \
             TransferErrorData = {{ [ {named} ] }}"
        );
        error(&result).server
    };
    for (named, expected) in [
        ("FailedServer = \"Cache.example\"; FailedName = \"x\"", "cache.example"),
        ("FailedServer = \"Unknown\"; IntermediateServer = \"proxy.example\"", "proxy.example"),
        ("FailedServer = \"Unknown\"; FailedName = \"no.example\"", "no.example"),
        ("FailedName = \"unknown\"", "data.example"),
        ("FailedServer = 5", "data.example"),
        ("", "data.example"),
    ] {
        assert_eq!(server(named).as_deref(), Some(expected), "{named}");
    }
}

#[test]
fn an_integer_says_whether_another_try_helps() {
    let retryable = |named: &str| {
        let result = format!(
            "TransferSuccess = false; DeveloperData = [ IsRetryable0 = false ]; \
             TransferErrorData = {{ [ ErrorCode = 1; {named} ] }}"
        );
        error(&result).retryable
    };
    for (named, expected) in [
        ("Retryable = -1", -1),
        ("Retryable = -7", -1),
        ("Retryable = 0", 0),
        ("Retryable = 300", 300),
        ("DeveloperData = [ Retryable = true ]", 0),
        ("DeveloperData = [ Retryable = false; RetryAfterSeconds = 5 ]", -1),
        ("ErrorType = \"Contact\"", -1),
    ] {
        assert_eq!(retryable(named), Some(expected), "{named}");
    }
}

#[test]
fn a_transfer_is_no_run() {
    let failed = "TransferSuccess = false; TransferErrorData = { [ ErrorCode = 7 ] }";
    let mut history = HistoryBuilder::new();
    let report = history.read_epochs(input(100, failed).as_bytes());
    assert_eq!((report.ads, report.problems.len()), (0, 0));
    let history = history.build();
    assert!(history.job(JOB).is_none() && history.jobs().is_empty());
    assert_eq!(history.transfers().of_job(JOB).len(), 1);
}

#[test]
fn without_typed_errors_there_is_no_error() {
    // HTCondor 23.9.
    let history = read(&input(
        100,
        "TransferUrl = \"http://h.example/a\"; TransferSuccess = false; TransferError = \"403\"; \
         DeveloperData = [ TransferHTTPStatusCode = 403 ]",
    ));
    assert!(history.transfers().of_job(JOB).iter().all(|report| report.errors.is_empty()));
}

#[test]
fn servers_are_counted_by_the_jobs_that_met_them() {
    let ok = "TransferUrl = \"http://h.example/a\"; TransferSuccess = true";
    let bad = "TransferUrl = \"http://h.example/a\"; TransferSuccess = false; \
               TransferErrorData = { [ ErrorType = \"Contact\" ] }";
    // Newest first, as condor_history writes.
    let history =
        read(&[input(300, ok), input(200, bad), input(200, bad), input(100, ok)].concat());
    let met = |from, until| {
        let all = history.transfers().at_server("h.example", from, until).iter();
        all.map(|one| (one.written, one.got_through)).collect::<Vec<_>>()
    };
    assert_eq!(met(0, 1_000), [(100, true), (200, false), (300, true)]);
    assert_eq!(met(150, 250), [(200, false)]);
    assert_eq!(met(i64::MAX, i64::MIN), []);
    assert!(history.transfers().at_server("other", 0, 1_000).is_empty());
}

#[test]
fn what_a_hostile_plug_in_writes_is_bounded() {
    let long = "x".repeat(3 * TEXT);
    let result = format!(
        "TransferSuccess = false; TransferUrl = \"http://{long}/{long}\"; \
         TransferErrorData = {{ [ ErrorString = \"{long}\"; FailedServer = \"{long}\" ] }}"
    );
    let of_long = error(&result);
    assert!(of_long.error_string.len() <= TEXT && of_long.url.unwrap().len() <= TEXT);
    assert!(of_long.server.is_none_or(|server| server.len() <= NAME));
    let many =
        vec![format!("[ {} ]", "TransferSuccess = false; TransferErrorData = { [ a = 1 ] }"); 50];
    let ads: String = (0..100)
        .map(|written| {
            input(written, "").replace("{ [  ] }", &format!("{{ {} }}", many.join(", ")))
        })
        .collect();
    let history = read(&ads);
    let reports = history.transfers().of_job(JOB);
    assert_eq!((reports.len(), reports.last().map(|last| last.written)), (REPORTS, Some(99)));
    assert!(reports.iter().all(|report| report.errors.len() == ERRORS));
    // Longer than what is read of one ad.
    let too_long = format!(
        "TransferSuccess = false; TransferErrorData = {{ [ a = \"{}\" ] }}",
        "x".repeat(LIST)
    );
    assert!(read(&input(1, &too_long)).transfers().of_job(JOB).is_empty());
}

/// Job 7.0 was held at 100 and released at 200 with more memory; `between` stands in the file
/// between the ads of the two runs.
fn action_with(between: &str, banners: bool) -> crate::history::Action {
    let banner = |class: &str, written: i64| match banners {
        true => format!("*** {class} ClusterId=7 ProcId=0 CurrentTime={written}\n"),
        false => "\n".to_owned(),
    };
    let run = |memory: i64, written: i64| {
        format!(
            "ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nRequestMemory = {memory}\n\
             EpochWriteDate = {written}\n{}",
            banner("EPOCH", written)
        )
    };
    let file = format!("{}{between}{}{}", run(64, 100), banner("INPUT", 250), run(128, 300));
    let mut history = HistoryBuilder::new();
    assert_eq!(history.read_epochs(file.as_bytes()).ads, 2, "{file}");
    let history = history.build();
    let job = history.job(JOB).unwrap();
    let hold = crate::history::Hold { code: 34, subcode: 0, reason: None };
    let mut episode = crate::history::Episode::begun(JOB, 100, hold, 1);
    episode.released_at = Some(200);
    assert_eq!(history.transfers().of_job(JOB).len(), 1, "{file}");
    episode.action_as_known(job, i64::MAX)
}

#[test]
fn what_an_ad_is_of_is_said_by_its_banner_or_its_list_where_no_attribute_does() {
    let transfer = "ClusterID = 7\nProcID = 0\nEpochWriteDate = 250\nNumShadowStarts = 2\n\
                    InputPluginResultList = { [ TransferSuccess = true ] }\n";
    for banners in [true, false] {
        assert_eq!(action_with(transfer, banners), crate::history::Action::Memory, "{banners}");
    }
    // The attribute counts before the banner, and a banner that names no class says nothing.
    let class = |text: &str| epoch_class(&classads::read_ads(text.as_bytes()).next()?.ok()?);
    assert_eq!(class("EpochAdType = \"SPAWN\"\n*** EPOCH\n").as_deref(), Some("SPAWN"));
    assert_eq!(class("Memory = 128\n*** STARTER ClusterId=7\n").as_deref(), Some("STARTER"));
    assert_eq!(class("ClusterId = 7\n*** ClusterId=7 ProcId=0\n"), None);
}

#[test]
fn the_recorded_file_of_an_older_version_has_ads_of_runs_and_of_transfers() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pool-23.9/epoch_history");
    let file = std::fs::read_to_string(folder).unwrap();
    let banners = |class: &str| file.lines().filter(|line| line.starts_with(class)).count();
    assert!(!file.contains("EpochAdType"), "it says the class in its banners alone");
    let mut history = HistoryBuilder::new();
    let report = history.read_epochs(file.as_bytes());
    assert_eq!(report.ads, banners("*** EPOCH ") as u64);
    let history = history.build();
    let ads = || history.jobs().iter().flat_map(|job| &job.ads);
    assert_eq!(ads().count(), banners("*** EPOCH "));
    assert!(ads().all(|ad| ad.owner.is_some() && ad.request_memory.is_some()));
    let reports = history.jobs().iter().map(|job| history.transfers().of_job(job.job).len());
    assert!(reports.sum::<usize>() > 0);
}

proptest! {
    /// Any bytes are read as an epoch ad, and so are any values in the place of what is expected.
    #[test]
    fn any_ad_is_read(bytes in prop::collection::vec(any::<u8>(), 0..400), text in "\\PC{0,200}") {
        HistoryBuilder::new().read_epochs(bytes.as_slice());
        read(&input(1, &text));
        read(&input(1, &format!("TransferSuccess = false; TransferErrorData = {text}")));
    }

    #[test]
    fn any_values_are_read(
        values in prop::collection::vec(
            prop::sample::select(vec![
                "-1", "9223372036854775807", "-9223372036854775808", "1e300", "\"\"", "\"Unknown\"",
                "\"a.b.c\"", "true", "false", "undefined", "error", "{ }", "{ 1, { }, [ ] }", "[ ]",
                "[ Retryable = true; RetryAfterSeconds = -5; Attempts = -9223372036854775808 ]",
                "{ [ ErrorType = \".\"; Retryable = 9223372036854775807 ] }", "TransferUrl", "1 / 0",
            ]),
            14,
        ),
    ) {
        const NAMES: [&str; 14] = [
            "TransferSuccess", "TransferErrorData", "DeveloperData", "TransferUrl", "TransferError",
            "ErrorType", "ErrorCode", "ErrorString", "FailedServer", "FailedName", "FailureType",
            "Retryable", "TransferTries", "Attempts",
        ];
        let set = |names: &[&str]| -> String {
            let all = names.iter().zip(&values).map(|(name, value)| format!("{name} = {value}; "));
            all.collect()
        };
        let inner = set(&NAMES[2..]);
        read(&input(1, &set(&NAMES)));
        read(&input(i64::MAX, &format!(
            "TransferSuccess = false; TransferErrorData = {{ [ {inner} ] }}; DeveloperData = [ {inner} ]"
        )));
    }
}
