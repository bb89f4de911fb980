//! What a file-transfer plug-in reported, as a sentence.

use super::span;
use crate::advice::meaning::url_change;
use crate::advice::{Advice, Count, Evidence, FailedTransfer, Refusal};
use crate::history::{ErrorType, TransferClass};
use crate::text::{Foreign, plural};

/// Characters of a server's name.
const NAME: usize = 80;

/// Characters of what the plug-in said.
const TEXT: usize = 200;

/// What usually helps, where what the plug-in reported says more than the hold reason.
pub(crate) fn change(advice: &Advice) -> Option<&'static str> {
    let failed = advice.evidence.iter().find_map(|seen| match seen {
        Evidence::TransferError { transfer } => Some(transfer),
        _ => None,
    });
    failed.filter(|failed| failed.decides).map(|failed| url_change(failed.trouble))
}

/// `HTCondor's file transfer reports: cache.example did not answer (Contact), 3 tries.`
pub(crate) fn reported(failed: &FailedTransfer) -> String {
    let tries = match failed.error.tries {
        Some(tries) if tries > 1 => format!(", {}", plural(tries, "try").replace("trys", "tries")),
        _ => String::new(),
    };
    let said = match failed.error.error_string.as_str() {
        text if failed.decides && !text.is_empty() => {
            format!(": {}", Foreign::from(text).quoted(TEXT))
        }
        _ => String::new(),
    };
    let what = what(failed);
    format!(
        "HTCondor's file transfer reports: {what}{tries}{said}.{}{}",
        again(failed.error.retryable),
        others(failed)
    )
}

/// That a server refuses everybody.
pub(crate) fn refusal(refusal: &Refusal) -> String {
    format!(
        "{} refused another file to each of {} owners within minutes, and no job got through there meanwhile; {} \
         before, one did. So the server is in trouble, and not a file.",
        refusal.server.named(NAME),
        refusal.owners,
        span(refusal.worked_before)
    )
}

/// Which server failed, and how.
fn what(failed: &FailedTransfer) -> String {
    let error = &failed.error;
    let named = |name: &str| Foreign::from(name).named(NAME);
    let server = error.server.as_deref().map_or("the server".to_owned(), named);
    let is_input = matches!(error.class, TransferClass::Input | TransferClass::Common);
    let Some(kind) = error.error_type else {
        return match error.http_status {
            Some(status) => format!("{server} answered with HTTP status {status}"),
            None => match error.error_string.as_str() {
                text if text.is_empty() || failed.decides => format!("{server} failed"),
                text => format!("{server} failed ({})", Foreign::from(text).quoted(TEXT)),
            },
        };
    };
    let (did, name) = match kind {
        ErrorType::Parameter => ("could not be asked for this".to_owned(), "Parameter"),
        ErrorType::Resolution => ("is a name that could not be resolved".to_owned(), "Resolution"),
        ErrorType::Contact => ("did not answer".to_owned(), "Contact"),
        ErrorType::Authorization => ("refused access".to_owned(), "Authorization"),
        ErrorType::Specification if is_input => {
            ("does not have the file".to_owned(), "Specification")
        }
        ErrorType::Specification => ("could not make the file".to_owned(), "Specification"),
        ErrorType::Transfer => ("did not complete the transfer".to_owned(), "Transfer"),
    };
    let detail = error.detail.as_deref().filter(|detail| *detail != name);
    let detail = detail.map_or(String::new(), |detail| format!(", {}", named(detail)));
    format!("{server} {did} ({name}{detail})")
}

/// What the plug-in says of another try.
fn again(retryable: Option<i64>) -> String {
    match retryable {
        None => String::new(),
        Some(..0) => " It says that another try does not help.".to_owned(),
        Some(0) => " It says that another try may succeed.".to_owned(),
        Some(after) => format!(" It says that another try may succeed after {}.", span(after)),
    }
}

/// How other jobs fared at that server.
fn others(failed: &FailedTransfer) -> String {
    let ago = |seconds: Option<Count>| {
        seconds.map_or(String::new(), |seconds| format!(", the last {} ago", span(seconds)))
    };
    let through = format!(
        "{} got through there since{}",
        plural(failed.others_through, "other job"),
        ago(failed.seconds_since_through)
    );
    let failures =
        format!("{} failed there{}", failed.others_failed, ago(failed.seconds_since_failed));
    match (failed.others_through.most, failed.others_failed.most) {
        (0, 0) => String::new(),
        (_, 0) => format!(" {through}."),
        (0, _) => format!(" Of other jobs {failures}."),
        _ => format!(" {through}; {failures}."),
    }
}

#[cfg(test)]
#[path = "transfers_tests.rs"]
mod tests;
