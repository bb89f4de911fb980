//! URLs that a job needs, asked from the access point.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::checks::{ad, advice, files, output, owner, place, queued_as};
use crate::harness::Place;

/// The paths that a server was asked for.
type Asked = Arc<Mutex<Vec<String>>>;

/// A server on this machine that has all but a few paths.
fn server() -> (String, Asked) {
    server_at("127.0.0.1", "")
}

/// The same with this address; under /moved it sends on to `elsewhere`.
fn server_at(address: &str, elsewhere: &str) -> (String, Asked) {
    let listener = TcpListener::bind((address, 0)).expect("a port");
    let at = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Asked::default();
    let paths = Arc::clone(&asked);
    let moved = format!("302 Found\r\nLocation: {elsewhere}/there");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let path = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
            paths.lock().expect("paths").push(path.to_owned());
            let status = match path {
                "/gone" => "404 Not Found",
                "/busy" => "503 Service Unavailable",
                "/limited" => "429 Too Many Requests",
                "/closed" => "403 Forbidden",
                "/moved" => &*moved,
                _ => "206 Partial Content",
            };
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        }
    });
    (at, asked)
}

/// A job whose input could not be fetched from a URL.
fn held(place: &Place, url: &str, input: &str) -> String {
    let reason = format!(
        "Transfer input files failure at execution point slot1@e1 while receiving files from access point ap. \
         Details: Error from slot1@e1: FILETRANSFER:1:non-zero exit (1) from /usr/libexec/condor/curl_plugin. \
         |Error: Could not connect to server ( URL file = {url} )|"
    );
    let more = format!("TransferInput = \"{input}\"\n");
    ad(place, &output("uname", "-n"), (13, 256, &reason), &more)
}

/// What was asked so far was asked this second, however long the machine took for it.
fn asked_just_now(place: &Place) {
    let path = place.path(".local/state/condor-holdadvise/urls.json");
    let text = std::fs::read_to_string(&path).expect("what was asked is kept");
    let mut all: Value = serde_json::from_str(&text).expect("JSON");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    for asked in all.as_array_mut().expect("a list") {
        asked["At"] = now.as_ref().expect("a time").as_secs().into();
    }
    std::fs::write(path, all.to_string()).expect("it can be written");
}

/// As the owner asks of a job in the queue.
fn own(place: &Place, ad: &str, words: &str) -> Value {
    queued_as(place, ad, words, owner().1)
}

const ELSEWHERE: &str =
    "(asked now from the access point; an execution point has a network of its own).";

#[test]
fn urls_of_own_jobs_are_asked_by_default_once_in_a_minute() {
    let place = place();
    let (at, asked) = server();
    let there = format!("{at}/there");
    let job = held(&place, &there, &there);
    let answers = [format!("The URL {there} answers {ELSEWHERE}")];
    let of_default = |job: &str, words: &str| files(&own(&place, job, words));
    // Where it cannot be kept what was asked, nothing is.
    let kept = place.file(".local", "");
    assert!(of_default(&job, "")[0].ends_with("none where that cannot be kept."));
    assert_eq!(asked.lock().expect("paths").len(), 0);
    std::fs::remove_file(kept).expect("it is there");
    assert_eq!(of_default(&job, "-checks local"), Vec::<String>::new());
    assert_eq!(asked.lock().expect("paths").len(), 0);
    for _ in 0..2 {
        assert_eq!(of_default(&job, ""), answers);
        asked_just_now(&place);
    }
    assert_eq!(*asked.lock().expect("paths"), ["/there"]);
    // What a hold reason alone names is not asked, nor is it said why.
    let of_reason = held(&place, &format!("{at}/other"), "");
    assert_eq!(of_default(&of_reason, ""), Vec::<String>::new());
    // By all calls of a minute as many are asked as by one.
    let inputs: Vec<String> = (0..9).map(|n| format!("{at}/{n}")).collect();
    of_default(&held(&place, &there, &inputs.join(",")), "");
    asked_just_now(&place);
    of_default(&held(&place, &there, &inputs[8]), "");
    assert_eq!(asked.lock().expect("paths").len(), 8);
}

#[test]
fn urls_that_are_asked_say_no_more_than_they_can() {
    let place = place();
    let (at, asked) = server();
    let there = format!("{at}/there");
    let job = held(&place, &there, &there);
    let advice = own(&place, &job, "-checks all");
    assert_eq!(files(&advice), [format!("The URL {there} answers {ELSEWHERE}")]);
    assert_eq!(*asked.lock().expect("paths"), ["/there"]);

    let gone = format!("{at}/gone");
    let advice = own(&place, &held(&place, &gone, &gone), "-checks all");
    assert_eq!(files(&advice), [format!("The URL {gone} is still not there: 404 {ELSEWHERE}")]);
    assert_eq!(advice["Change"]["What"], "UrlMissing", "{advice}");
    assert_eq!(advice["Change"]["Name"], *gone, "{advice}");
    assert!(advice["Success"]["as-is"].as_f64() <= Some(0.34), "{}", advice["Success"]);

    // Beside the hold a missing URL is evidence, and no more.
    let advice = own(&place, &held(&place, &there, &format!("{there},{gone}")), "-checks all");
    let said = files(&advice);
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(said[1], format!("The URL {gone} is not there: 404 {ELSEWHERE}"));
    assert_eq!(advice["CorrectBefore"], Value::Array(Vec::new()));

    // A server that is busy is evidence, whether it would give a file to the job is not known.
    let inputs = ["there", "closed", "busy"].map(|path| format!("{at}/{path}")).join(",");
    let said = files(&own(&place, &held(&place, &there, &inputs), "-checks all"));
    assert_eq!(said.len(), 2, "{said:?}");
    let busy = format!("{at}/busy can be fetched is not known: its server answers with status 503");
    assert_eq!(said[1], format!("Whether the URL {busy} {ELSEWHERE}"));
}

#[test]
fn a_signed_url_is_neither_asked_nor_printed() {
    let place = place();
    let (at, asked) = server();
    let url = format!("{at}/x?X-Amz-Signature=WORD");
    let said = files(&own(&place, &held(&place, &url, &url), "-checks all"));
    let expected = format!(
        "Whether the URL {at}/x?*** can be fetched is not known: it has a user name or a signature in \
         it, and is not asked."
    );
    assert_eq!(said, [expected]);
    assert_eq!(asked.lock().expect("paths").len(), 0);
}

#[test]
fn a_url_that_fails_now_is_waited_for() {
    let place = place();
    let (at, _) = server();
    let advised = |path: &str| {
        let url = format!("{at}/{path}");
        own(&place, &held(&place, &url, &url), "-checks all")
    };
    for path in ["busy", "limited"] {
        let advice = advised(path);
        assert_eq!(
            (&advice["Recommendation"], &advice["Diagnosis"]["State"]),
            (&"wait".into(), &"Lasts".into())
        );
    }
    assert_ne!(advised("there")["Recommendation"], "wait");
}

#[test]
fn no_address_within_is_asked_for_what_others_name() {
    let place = place();
    let (at, asked) = server();
    let url = format!("{at}/there");
    // The hold reason is written at an execution point, and TransferInput does not name that.
    let of_reason = own(&place, &held(&place, &url, ""), "-checks all");
    // Somebody may have written a file of ads.
    let of_file = advice(&place, &held(&place, &url, &url), "-checks all");
    // Root asks about another's job.
    let of_other = queued_as(&place, &held(&place, &url, &url), "-checks all", false);
    let others: &[Value] =
        if owner().1 { &[of_reason, of_file, of_other] } else { &[of_reason, of_file] };
    for advice in others {
        let said = files(advice);
        assert!(said[0].contains("its server has no public address"), "{said:?}");
    }
    let count = asked.lock().expect("paths").len();
    assert_eq!(count, usize::from(!owner().1), "{count}");
}

#[test]
fn a_redirect_to_an_address_within_is_not_followed_unless_that_server_was_named() {
    let place = place();
    let (inside, asked) = server_at("127.0.0.2", "");
    let (outside, _) = server_at("127.0.0.1", &inside);
    let moved = format!("{outside}/moved");
    let said = files(&own(&place, &held(&place, &moved, &moved), "-checks all"));
    assert!(said[0].contains("its server has no public address"), "{said:?}");
    assert_eq!(*asked.lock().expect("paths"), Vec::<String>::new());
    let (twin, _) = server_at("127.0.0.2", &inside);
    let moved = format!("{twin}/moved");
    let said = files(&own(&place, &held(&place, &moved, &moved), "-checks all"));
    assert_eq!(said, [format!("The URL {moved} answers {ELSEWHERE}")]);
    assert_eq!(*asked.lock().expect("paths"), ["/there"]);
}

#[test]
fn eight_urls_of_four_servers_are_asked_once_for_all_jobs() {
    let place = place();
    let servers: Vec<(String, Asked)> = (0..5).map(|_| server()).collect();
    let urls: Vec<String> = (0..10).map(|n| format!("{}/{n}", servers[n % 5].0)).collect();
    let job = held(&place, &urls[9], &urls.join(","));
    let jobs: String =
        (0..3).map(|proc| job.replace("ProcId = 0", &format!("ProcId = {proc}")) + "\n").collect();
    let advice = own(&place, &jobs, "-checks all");
    assert!(files(&advice)[0].starts_with(&format!("The URL {} answers", urls[9])));
    let counts: Vec<usize> =
        servers.iter().map(|(_, asked)| asked.lock().expect("paths").len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 8, "{counts:?}");
    assert_eq!(counts.iter().filter(|&&count| count > 0).count(), 4, "{counts:?}");
    assert_eq!(*servers[4].1.lock().expect("paths").first().expect("a path"), "/9");
}

#[test]
fn servers_that_never_answer_are_waited_for_side_by_side() {
    let place = place();
    let silent: Vec<TcpListener> =
        (0..4).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    let address = |server: &TcpListener| server.local_addr().expect("an address");
    let urls: Vec<String> =
        (0..8).map(|n| format!("http://{}/{n}", address(&silent[n % 4]))).collect();
    let job = held(&place, &urls[0], &urls.join(","));
    let opened = Arc::new(AtomicUsize::new(0));
    let (given_up, at_end) = channel();
    for server in silent {
        let (opened, given_up) = (Arc::clone(&opened), given_up.clone());
        thread::spawn(move || {
            for mut stream in server.incoming().flatten() {
                opened.fetch_add(1, Ordering::SeqCst);
                let _ = std::io::copy(&mut stream, &mut std::io::sink());
                let _ = given_up.send(opened.load(Ordering::SeqCst));
            }
        });
    }
    let said = files(&own(&place, &job, "-checks all"));
    // The others had been connected to when the first was given up.
    let connections = at_end.recv().expect("a connection");
    assert!(connections >= 4, "{connections}");
    let expected =
        format!("can be fetched is not known: its server did not answer in time {ELSEWHERE}");
    assert!(said[0].ends_with(&expected), "{said:?}");
}
