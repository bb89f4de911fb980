//! What file servers and the plug-ins that talk to them say: libcurl, Pelican, XRootD, gfal.

use super::fill::Names;
use crate::cause::UrlError;
use crate::random::Dice;

/// libcurl's error buffer (lib/*.c of curl), several releases.
const CURL_REFUSED: [&str; 5] = [
    "Failed to connect to {server} port {server_port} after {a} ms: Could not connect to server",
    "Failed to connect to {server} port {server_port} after {a} ms: Couldn't connect to server",
    "Failed to connect to {server} port {server_port} after {a} ms: Connection refused",
    "Failed to connect to {server} port {server_port}: Connection refused",
    "Failed connect to {server}:{server_port}; Connection refused",
];
const CURL_TIMED_OUT: [&str; 7] = [
    "Connection timed out after {b} milliseconds",
    "Failed to connect to {server} port {server_port} after {b} ms: Connection timed out",
    "Failed to connect to {server} port {server_port}: Connection timed out",
    "Operation timed out after {b} milliseconds with {a} out of {code} bytes received",
    "Operation too slow. Less than 1 bytes/sec transferred the last 30 seconds",
    "Aborted due to lack of progress",
    "Failed to connect to {server} port {server_port}: No route to host",
];
const CURL_UNRESOLVED: [&str; 4] = [
    "Could not resolve host: {server}",
    "Could not resolve host: {server}; Unknown error",
    "Could not resolve host: {server}; Name or service not known",
    "Could not resolve host: {server} (Timeout while contacting DNS servers)",
];
const CURL_RESET: [&str; 5] = [
    "Recv failure: Connection reset by peer",
    "Empty reply from server",
    "transfer closed with {a} bytes remaining to read",
    "OpenSSL SSL_read: Connection reset by peer, errno 104",
    "Send failure: Broken pipe",
];
const CERTIFICATE: [&str; 4] = [
    "SSL certificate problem: certificate has expired",
    "SSL certificate problem: certificate is not yet valid",
    "SSL certificate problem: unable to get local issuer certificate",
    "SSL: no alternative certificate subject name matches target host name '{server}'",
];
const CURL_STATUS: [&str; 2] = [
    "The requested URL returned error: {code}",
    "The requested URL returned error: {code} {message}",
];

/// Pelican and its predecessor stashcp (github.com/PelicanPlatform/pelican, client/).
const PELICAN_REFUSED: [&str; 3] = [
    "Pelican Client Error: Attempt #1: from {server}:{server_port}: cache connection error: dial tcp 10.44.{a}.7:{server_port}: connect: connection refused (Version: 7.16.5) ( URL file = {url} )|",
    "failed to download {url}: dial tcp 10.44.{a}.7:{server_port}: connect: connection refused",
    "Attempt #2: from {server}: connection refused; Attempt #1: from {server}: connection refused (0s elapsed, {a}s since start)",
];
const PELICAN_TIMED_OUT: [&str; 4] = [
    "Pelican Client Error: Attempt #3: from {server}:{server_port}: transfer error: Unable to read (...Path...); timer expired (1m1.4s elapsed, 3m{a}s since start) (Version: 7.16.5)",
    "Pelican Client Error: Attempt #1: from {server}:{server_port}: cache timed out waiting on origin: no progress for more than 1m40s (Version: 7.11.2)",
    "error while querying the director at https://{server}: Get \"https://{server}/api/v1.0/director\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
    "download slow: average transfer speed of {a} B/s is below the limit of 256.0 KB/s",
];
const PELICAN_UNRESOLVED: [&str; 2] = [
    "error while querying the director at https://{server}: dial tcp: lookup {server}: no such host",
    "failed to get namespace information for remote URL {url}: dial tcp: lookup {server} on 10.0.0.2:53: server misbehaving",
];
const PELICAN_STATUS: [&str; 4] = [
    "Pelican Client Error: Attempt #1: from {server}:{server_port}: server returned {code} {message} (Version: 7.16.5)",
    "failed to get namespace information for remote URL {url}: error while querying the director at https://{server}: Contact.Director Error: Error code 3005: {code}: {message}",
    "server returned {code} {message}",
    "failed to HEAD {url}: remote server returned {code} {message}",
];
const PELICAN_RESET: [&str; 2] = [
    "Pelican Client Error: Attempt #1: from {server}:{server_port}: transfer error: unexpected EOF (Version: 7.16.5)",
    "Attempt #1: from {server}: read tcp 10.1.2.3:{a}->10.44.7.7:{server_port}: read: connection reset by peer",
];

/// XRootD's client (xrdcp) and gfal.
const XROOTD_REFUSED: [&str; 2] = [
    "[FATAL] Connection error: {server}:{server_port}",
    "[ERROR] Connection refused: {server}:{server_port}",
];
const XROOTD_TIMED_OUT: [&str; 3] = [
    "[ERROR] Operation expired",
    "[FATAL] Socket timeout",
    "Run: [ERROR] Server responded with an error: [3012] Internal timeout",
];
const XROOTD_UNRESOLVED: [&str; 2] =
    ["[FATAL] Invalid address: {server}", "[FATAL] Invalid address: Name or service not known"];
const XROOTD_RESET: [&str; 2] =
    ["[FATAL] Socket error: Connection reset by peer", "[ERROR] Stream disconnect"];
const XROOTD_404: [&str; 2] = [
    "Run: [ERROR] Server responded with an error: [3011] No such file or directory",
    "[ERROR] Server responded with an error: [3011] Unable to open {url}; no such file or directory",
];
const XROOTD_403: [&str; 2] = [
    "Run: [ERROR] Server responded with an error: [3010] permission denied",
    "[FATAL] Auth failed: No protocols left to try",
];
const XROOTD_500: [&str; 2] = [
    "Run: [ERROR] Server responded with an error: [3012] Internal server error",
    "Run: [ERROR] Server responded with an error: [3006] server overloaded, try again later",
];

/// The message of a failed request.
pub(super) fn message(error: UrlError, names: &mut Names, dice: &mut Dice) -> String {
    names.a = dice.between(0, 240);
    names.b = dice.between(30, 301) * 1_000 + dice.between(0, 999);
    let phrase = if let UrlError::Status(status) = error {
        names.code = i64::from(status);
        phrase(status)
    } else {
        names.code = dice.between(10_000, 9_000_000_000);
        ""
    };
    phrase.clone_into(&mut names.message);
    let template = *match names.scheme.as_str() {
        "osdf" | "pelican" | "stash" => match error {
            UrlError::Refused => dice.pick(&PELICAN_REFUSED),
            UrlError::TimedOut => dice.pick(&PELICAN_TIMED_OUT),
            UrlError::Unresolved => dice.pick(&PELICAN_UNRESOLVED),
            UrlError::Reset => dice.pick(&PELICAN_RESET),
            UrlError::Certificate => dice.pick(&CERTIFICATE),
            UrlError::Status(404) if dice.chance(0.4) => {
                &"404: No sources found for the requested path: no origins found for the requested namespace"
            }
            UrlError::Status(_) => dice.pick(&PELICAN_STATUS),
        },
        "root" | "gsiftp" => match error {
            UrlError::Refused => dice.pick(&XROOTD_REFUSED),
            UrlError::TimedOut => dice.pick(&XROOTD_TIMED_OUT),
            UrlError::Unresolved => dice.pick(&XROOTD_UNRESOLVED),
            UrlError::Reset => dice.pick(&XROOTD_RESET),
            UrlError::Certificate => dice.pick(&CERTIFICATE),
            UrlError::Status(404) => dice.pick(&XROOTD_404),
            UrlError::Status(401 | 403) => dice.pick(&XROOTD_403),
            UrlError::Status(_) => dice.pick(&XROOTD_500),
        },
        _ => match error {
            UrlError::Refused => dice.pick(&CURL_REFUSED),
            UrlError::TimedOut => dice.pick(&CURL_TIMED_OUT),
            UrlError::Unresolved => dice.pick(&CURL_UNRESOLVED),
            UrlError::Reset => dice.pick(&CURL_RESET),
            UrlError::Certificate => dice.pick(&CERTIFICATE),
            UrlError::Status(_) => dice.pick(&CURL_STATUS),
        },
    };
    names.fill(template)
}

/// Reason phrases of RFC 9110.
fn phrase(status: u16) -> &'static str {
    match status {
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Error",
    }
}
