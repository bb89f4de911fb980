use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use proptest::prelude::*;

use super::*;

/// A server on this machine: its address, and how many connections it got.
fn serving(
    address: &str,
    answer: impl Fn(TcpStream, &str) + Send + 'static,
) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let at = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::SeqCst);
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
            answer(stream, &head.join("\n"));
        }
    });
    (at, connections)
}

/// A server that answers with a status line and headers.
fn saying(head: &str) -> String {
    let head = head.to_owned();
    serving("127.0.0.1", move |mut stream, _| {
        let _ = write!(stream, "HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n");
    })
    .0
}

fn unknown(why: Why) -> Finding {
    Finding::Unknown { why }
}

const GONE: Finding = Finding::Gone { changed_at: None };

#[test]
fn only_404_says_that_a_file_is_missing() {
    for (head, found) in [
        ("206 Partial Content", GONE),
        ("200 OK", GONE),
        ("404 Not Found", Finding::StillThere { fault: Fault::Missing }),
        ("401 Unauthorized", unknown(Why::Status(401))),
        ("403 Forbidden", unknown(Why::Status(403))),
        ("405 Method Not Allowed", unknown(Why::Status(405))),
        ("410 Gone", unknown(Why::Status(410))),
        ("503 Service Unavailable", unknown(Why::Status(503))),
        ("302 Found", unknown(Why::Status(302))),
    ] {
        assert_eq!(ask(&saying(head), false), found, "{head}");
    }
}

#[test]
fn one_byte_is_asked_for_without_credentials() {
    let (sender, requests) = std::sync::mpsc::channel();
    let (at, _) = serving("127.0.0.1", move |mut stream, head| {
        sender.send(head.to_ascii_lowercase()).unwrap();
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n");
    });
    for _ in 0..2 {
        assert_eq!(ask(&format!("{at}/x?run=3"), false), GONE);
        let request = requests.recv().unwrap();
        assert!(request.starts_with("get /x?run=3 http/1.1\n"), "{request}");
        assert!(request.contains("\nrange: bytes=0-0"), "{request}");
        assert!(!request.contains("cookie") && !request.contains("authorization"), "{request}");
    }
}

#[test]
fn a_server_that_never_answers_is_left() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("http://{}", listener.local_addr().unwrap());
    let started = Instant::now();
    assert_eq!(ask(&at, false), unknown(Why::NoAnswer));
    assert!(started.elapsed() >= TIME);
    drop(listener);
    assert_eq!(ask(&at, false), unknown(Why::Away));
    // One that says no end of headers.
    let (at, _) = serving("127.0.0.1", |mut stream, _| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(&[b'x'; 4_096]).is_ok() {}
    });
    assert!(matches!(ask(&at, false), Finding::Unknown { .. }));
}

#[test]
fn an_endless_body_is_not_read() {
    for status in ["200 OK", "206 Partial Content", "302 Found\r\nLocation: /next"] {
        let (sender, sent) = std::sync::mpsc::channel();
        let (at, _) = serving("127.0.0.1", move |mut stream, _| {
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 1073741824\r\n\r\n");
            let mut bytes = 0;
            while bytes < 1 << 30 && stream.write_all(&[0; 4_096]).is_ok() {
                bytes += 4_096;
            }
            let _ = sender.send(bytes);
        });
        let found = ask(&at, false);
        let expected = if status.starts_with('2') { GONE } else { unknown(Why::Redirects) };
        assert_eq!(found, expected);
        // What the kernel keeps of a connection is sent all the same.
        let bytes = sent.recv().unwrap();
        assert!(bytes < 64 << 20, "{bytes} bytes of {status}");
    }
}

#[test]
fn few_redirects_are_followed_and_only_to_the_web() {
    let (at, connections) = serving("127.0.0.1", |mut stream, _| {
        let _ =
            write!(stream, "HTTP/1.1 301 Moved\r\nLocation: again\r\nContent-Length: 0\r\n\r\n");
    });
    assert_eq!(ask(&at, false), unknown(Why::Redirects));
    assert_eq!(connections.load(Ordering::SeqCst), REDIRECTS + 1);
    let target = saying("404 Not Found");
    for (location, found) in [
        (format!("{target}/x"), Finding::StillThere { fault: Fault::Missing }),
        ("file:///etc/passwd".to_owned(), unknown(Why::Scheme)),
        (format!("{target}/x?X-Amz-Signature=1"), unknown(Why::Secret)),
        (target.replace("//", "//user:word@"), unknown(Why::Secret)),
    ] {
        let from = saying(&format!("307 Temporary Redirect\r\nLocation: {location}"));
        assert_eq!(ask(&from, false), found, "{location}");
    }
}

#[test]
fn a_redirect_leads_to_no_address_that_may_not_be_asked() {
    let (inside, connections) = serving("127.0.0.2", |mut stream, _| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    let outside = saying(&format!("302 Found\r\nLocation: {inside}/x"));
    assert_eq!(ask(&outside, false), unknown(Why::NotPublic));
    assert_eq!(connections.load(Ordering::SeqCst), 0);
    assert_eq!(ask(&inside, true), unknown(Why::NotPublic));
    assert_eq!(connections.load(Ordering::SeqCst), 0);
    // The server that was named may have a private address, and send on to itself.
    assert_eq!(ask(&inside, false), GONE);
}

#[test]
fn other_spellings_of_an_address_are_the_same_address() {
    for host in ["2130706433", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "localhost"] {
        let found = ask(&format!("http://{host}:9/"), true);
        assert!(
            [Why::NotPublic, Why::Away, Why::Failed].map(unknown).contains(&found),
            "{host}: {found:?}"
        );
    }
}

#[test]
fn addresses_of_the_public_internet_are_told_apart() {
    for (address, expected) in [
        ("8.8.8.8", true),
        ("192.0.1.1", true),
        ("100.128.0.1", true),
        ("2a00:1450:4001:80b::200e", true),
        ("2001:4860:4860::8888", true),
        ("0.0.0.0", false),
        ("10.1.2.3", false),
        ("100.64.0.1", false),
        ("127.8.8.8", false),
        ("169.254.169.254", false),
        ("172.31.0.1", false),
        ("192.0.0.8", false),
        ("192.0.2.1", false),
        ("192.168.1.1", false),
        ("198.19.0.1", false),
        ("224.0.0.1", false),
        ("255.255.255.255", false),
        ("::", false),
        ("::1", false),
        ("::ffff:10.0.0.1", false),
        ("::127.0.0.1", false),
        ("64:ff9b::7f00:1", false),
        ("2001::1", false),
        ("2001:db8::1", false),
        ("2002:7f00:1::", false),
        ("3fff::1", false),
        ("fd00::1", false),
        ("fe80::1", false),
        ("ff02::1", false),
    ] {
        assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
    }
}

#[test]
fn urls_with_credentials_and_of_other_schemes_are_refused() {
    for (url, why) in [
        ("http://s.example/x", None),
        ("HTTPS://s.example:8443/x?run=1", None),
        ("osdf:///ospool/x", Some(Why::Scheme)),
        ("s3://bucket/x", Some(Why::Scheme)),
        ("https+token://s.example/x", Some(Why::Scheme)),
        ("x.dat", Some(Why::Scheme)),
        ("https://me@s.example/x", Some(Why::Secret)),
        ("https://me:word@s.example/x", Some(Why::Secret)),
        ("https://s.example/x?X-Amz-Signature=9", Some(Why::Secret)),
        ("https://s.example/x?a=1&Signature=9", Some(Why::Secret)),
        ("https://s.example/x?authz=Bearer", Some(Why::Secret)),
        ("https://s.example/x;access_token=9", Some(Why::Secret)),
    ] {
        assert_eq!(refused(url), why, "{url}");
    }
    assert_eq!(server("HTTP://S.example:80/x?y"), "http://s.example:80");
}

#[test]
fn a_name_that_does_not_exist_is_told_from_a_name_service_that_fails() {
    let lookup = |says: &str| {
        let text = format!("failed to lookup address information: {says}");
        of_error(&Error::Io(std::io::Error::other(text)))
    };
    assert_eq!(lookup("Name or service not known"), Why::NoName);
    assert_eq!(lookup("Name does not resolve"), Why::NoName);
    assert_eq!(lookup("Temporary failure in name resolution"), Why::Away);
    for (url, finding, expected) in [
        ("https://s.example:8443/x", GONE, true),
        ("https://s.example/x", unknown(Why::Status(403)), true),
        ("https://s.example/x", unknown(Why::NoName), false),
        ("https://s.example/x", unknown(Why::NoAnswer), false),
        ("http://127.0.0.1/x", GONE, false),
        ("http://[::1]:80/x", GONE, false),
        ("http://localhost/x", GONE, false),
    ] {
        assert_eq!(was_resolved(url, finding), expected, "{url} {finding:?}");
    }
}

proptest! {
    #[test]
    fn any_url_is_taken_apart(url in "(http://)?[a-z@:/?#;=%\\\\é]{0,40}", to in ".{0,40}") {
        let _ = (refused(&url), server(&url), joined(&url, &to));
        let signed = format!("http://WORD@h/{url}?token=WORD");
        let shown = crate::text::printable(&signed);
        prop_assert!(!shown.contains("WORD"), "{}", shown);
    }
}
