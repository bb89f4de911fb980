use super::*;
use crate::advice::Trouble;
use crate::history::TransferError;

fn failed() -> FailedTransfer {
    FailedTransfer {
        error: TransferError {
            class: TransferClass::Input,
            url: Some("http://data.example/a".to_owned()),
            server: Some("cache.example".to_owned()),
            error_type: Some(ErrorType::Contact),
            detail: None,
            error_code: Some(7),
            http_status: None,
            error_string: "could not connect".to_owned(),
            retryable: None,
            tries: Some(3),
        },
        written: 100,
        trouble: Some(Trouble::Away),
        decides: false,
        others_failed: 0.into(),
        seconds_since_failed: None,
        others_through: 0.into(),
        seconds_since_through: None,
        voices_through: 0,
        failed_after: 0,
    }
}

#[test]
fn the_server_that_failed_is_named() {
    assert_eq!(
        reported(&failed()),
        "HTCondor's file transfer reports: cache.example did not answer (Contact), 3 tries."
    );
}

#[test]
fn more_than_the_hold_reason_says_is_quoted() {
    let mut slow = FailedTransfer { decides: true, ..failed() };
    slow.error.error_type = Some(ErrorType::Transfer);
    slow.error.detail = Some("TooSlow".to_owned());
    slow.error.retryable = Some(300);
    slow.error.error_string = "no \u{1b}[31mprogress".to_owned();
    slow.error.tries = Some(1);
    assert_eq!(
        reported(&slow),
        "HTCondor's file transfer reports: cache.example did not complete the transfer (Transfer, \
         TooSlow): \"no progress\". It says that another try may succeed after 5 minutes."
    );
}

#[test]
fn an_error_without_a_type_has_its_status_or_words() {
    let mut error = failed();
    error.error.error_type = None;
    error.error.tries = None;
    error.error.http_status = Some(503);
    assert_eq!(
        reported(&error),
        "HTCondor's file transfer reports: cache.example answered with HTTP status 503."
    );
    error.error.http_status = None;
    assert_eq!(
        reported(&error),
        "HTCondor's file transfer reports: cache.example failed (\"could not connect\")."
    );
}

#[test]
fn other_jobs_at_that_server_are_counted() {
    let through = FailedTransfer {
        others_through: 2.into(),
        seconds_since_through: Some(60.into()),
        others_failed: 1.into(),
        seconds_since_failed: Some(90.into()),
        ..failed()
    };
    assert!(
        reported(&through).ends_with(
            "2 other jobs got through there since, the last 1 minute ago; 1 failed there, the last 1 minute ago."
        ),
        "{}",
        reported(&through)
    );
    let failures = FailedTransfer { others_through: 0.into(), ..through };
    assert!(reported(&failures).ends_with(" Of other jobs 1 failed there, the last 1 minute ago."));
}
