//! Whether a URL answers this machine: one request for its first byte, without credentials.
//!
//! What answers here may be out of reach for an execution point, and the other way round.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};

use super::{Fault, Finding, Why};
use crate::text::is_signed;

/// Servers that are asked in a call, and by all calls of an account in a minute.
pub(super) const SERVERS: usize = 4;

/// URLs that are asked likewise.
pub(super) const URLS: usize = 8;

/// How long one may take: less than its process is waited for.
const TIME: Duration = Duration::from_millis(1_800);

/// Redirects that are followed. Assumed: one to https, one to a mirror, one more.
const REDIRECTS: usize = 3;

/// Bytes of the longest URL that is asked.
const LONGEST: usize = 2_048;

/// Bytes of headers that are read.
const HEADERS: usize = 16 << 10;

/// What is between `://` and the path; and the path with what follows it.
fn parts(url: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    Some((scheme, &rest[..end], &rest[end..]))
}

/// Why a URL is not asked, whatever its server.
pub(super) fn refused(url: &str) -> Option<Why> {
    let Some((scheme, ..)) = parts(url) else { return Some(Why::Scheme) };
    if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Some(Why::Scheme);
    }
    match () {
        () if is_signed(url) => Some(Why::Secret),
        () if url.len() > LONGEST => Some(Why::Failed),
        () => None,
    }
}

/// The server of a URL: its host and port.
pub(super) fn server(url: &str) -> String {
    let (scheme, authority, _) = parts(url).unwrap_or_default();
    format!("{scheme}://{authority}").to_ascii_lowercase()
}

/// Whether an address is one of the public internet (IANA's special-purpose address registries).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => is_public_v4(address),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast();
    // This network, shared (CGNAT), IETF protocols, benchmarks, reserved and broadcast.
    let is_reserved = a == 0
        || (a, b & 0xc0) == (100, 64)
        || (a, b, c) == (192, 0, 0)
        || (a, b & 0xfe) == (198, 18)
        || a >= 240;
    !is_special && !is_reserved
}

/// Global unicast (2000::/3) but for what holds an IPv4 address (Teredo and others in 2001::/23,
/// 6to4) and for documentation.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_special =
        (a == 0x2001 && (b < 0x200 || b == 0xdb8)) || a == 0x2002 || (a == 0x3fff && b < 0x1000);
    a & 0xe000 == 0x2000 && !is_special
}

/// Gives those addresses of a host alone that may be connected to.
#[derive(Debug)]
struct Checked {
    named: Named,
    all: DefaultResolver,
}

/// The addresses of the server that the first URL names, which may be private; not set before that
/// is looked up. Where a server sends on to is its word, not that of whoever named the URL.
type Named = Arc<OnceLock<Vec<IpAddr>>>;

impl Resolver for Checked {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let all = self.all.resolve(uri, config, timeout)?;
        let named = self.named.get_or_init(|| all.iter().map(SocketAddr::ip).collect());
        let mut found = self.empty();
        for address in &all {
            if is_public(address.ip()) || named.contains(&address.ip()) {
                found.push(*address);
            }
        }
        if found.is_empty() { Err(Error::Other(NotPublic.into())) } else { Ok(found) }
    }
}

/// No address of a host may be connected to.
#[derive(Debug, thiserror::Error)]
#[error("not a public address")]
struct NotPublic;

/// What a URL answers. `public`: only servers of the public internet are asked. Else that of the
/// URL may have a private address, and a redirect leads to that server or to public ones.
pub(super) fn ask(url: &str, public: bool) -> Finding {
    let named: Named = Arc::new(if public { Vec::new().into() } else { OnceLock::new() });
    let until = Instant::now() + TIME;
    let mut url = url.to_owned();
    for _ in 0..=REDIRECTS {
        if let Some(why) = refused(&url) {
            return Finding::Unknown { why };
        }
        match first_byte(&url, &named, until) {
            Ok((300..=399, Some(location))) => url = joined(&url, &location),
            Ok((200..=299, _)) => return Finding::Gone { changed_at: None },
            Ok((404, _)) => return Finding::StillThere { fault: Fault::Missing },
            Ok((status, _)) => return Finding::Unknown { why: Why::Status(status) },
            Err(error) => return Finding::Unknown { why: of_error(&error) },
        }
    }
    Finding::Unknown { why: Why::Redirects }
}

/// The status that a server answers with, and where it says to look instead. No body is read.
fn first_byte(url: &str, named: &Named, until: Instant) -> Result<(u16, Option<String>), Error> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config = Agent::config_builder()
        .timeout_global(Some(until.saturating_duration_since(Instant::now())))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .max_response_header_size(HEADERS)
        .max_idle_connections(0)
        .proxy(None)
        .user_agent("condor_holdadvise")
        .tls_config(tls)
        .build();
    let resolver = Checked { named: Arc::clone(named), all: DefaultResolver::default() };
    let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
    let response = agent.get(url).header("Range", "bytes=0-0").call()?;
    let location = response.headers().get("Location");
    let location = location.and_then(|location| Some(location.to_str().ok()?.to_owned()));
    Ok((response.status().as_u16(), location))
}

/// Where a redirect leads (RFC 9110, 10.2.2).
pub(super) fn joined(from: &str, location: &str) -> String {
    let (scheme, authority, path) = parts(from).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
    match () {
        () if location.contains("://") => location.to_owned(),
        () if location.starts_with("//") => format!("{scheme}:{location}"),
        () if location.starts_with('/') => format!("{scheme}://{authority}{location}"),
        () => format!("{scheme}://{authority}{folder}{location}"),
    }
}

fn of_error(error: &Error) -> Why {
    match error {
        Error::Timeout(_) => Why::NoAnswer,
        // What rustls says while it shakes hands.
        Error::Io(error) if error.kind() == ErrorKind::InvalidData => Why::Tls,
        Error::Io(error) if is_unknown_name(error) => Why::NoName,
        Error::HostNotFound | Error::Io(_) | Error::ConnectionFailed => Why::Away,
        Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) => Why::Tls,
        Error::Other(other) if other.is::<NotPublic>() => Why::NotPublic,
        _ => Why::Failed,
    }
}

/// The name service answered that there is no such name. Rust keeps no number of such an error
/// (EAI_NONAME of getaddrinfo(3)); the words are those of glibc and musl, which nothing here
/// translates.
fn is_unknown_name(error: &std::io::Error) -> bool {
    let text = error.to_string();
    text.starts_with("failed to lookup address information")
        && ["Name or service not known", "Name does not resolve"]
            .iter()
            .any(|end| text.ends_with(end))
}

/// The name service found the server of a URL, by what that answered. An address, and this machine,
/// need none.
pub(super) fn was_resolved(url: &str, finding: Finding) -> bool {
    let answers = match finding {
        Finding::Gone { .. } | Finding::StillThere { .. } => true,
        Finding::Unknown { why } => matches!(why, Why::Status(_) | Why::Tls | Why::Redirects),
    };
    let host = url.parse::<Uri>().ok().and_then(|url| Some(url.host()?.to_ascii_lowercase()));
    let is_name = |host: &String| {
        let is_address = host.starts_with('[') || host.parse::<IpAddr>().is_ok();
        !is_address && host != "localhost"
    };
    answers && host.as_ref().is_some_and(is_name)
}

#[cfg(test)]
#[path = "urls_tests.rs"]
mod tests;
