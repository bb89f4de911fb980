//! Readers of text that others wrote, for who tests them with any bytes.

use std::path::Path;

use super::mounts::Mounts;
use super::{Fault, Why, WordsKind, credentials, look, urls, words};

/// The line of a program's output that says why it failed.
pub fn program_words(output: &str) -> Option<(WordsKind, String)> {
    words::find(output)
}

/// When a proxy certificate ends, Unix seconds.
pub fn proxy_ends(text: &str) -> Option<i64> {
    credentials::ends(text)
}

/// When a token ends, Unix seconds.
pub fn token_ends(text: &str) -> Option<i64> {
    credentials::expires(text)
}

/// The number of the mount that a path lies on by a text such as `/proc/self/mountinfo`, and
/// whether rights there depend on credentials.
pub fn mount_of(mountinfo: &str, path: &Path) -> (u32, bool) {
    Mounts::parse(mountinfo).of(path)
}

/// Why a URL is not asked, and its server.
pub fn url_parts(url: &str) -> (Option<Why>, String) {
    (urls::refused(url), urls::server(url))
}

/// Where a redirect leads.
pub fn redirect(from: &str, location: &str) -> String {
    urls::joined(from, location)
}

/// What the first bytes of an executable say of what runs it: the path of its interpreter.
///
/// # Errors
/// The fault for which nothing runs it.
pub fn interpreter(first_bytes: &[u8]) -> Result<Option<String>, Fault> {
    look::interpreter(first_bytes)
}

/// The machine that an ELF file with these first bytes is for, as Rust names it.
pub fn machine(first_bytes: &[u8]) -> Option<&'static str> {
    look::machine(first_bytes)
}
