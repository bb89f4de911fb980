//! What those say who look at files, programs and servers.

use std::path::Path;

use eventlog::JobId;
use holdadvise::advice::{Held, Policies};
use holdadvise::checks::{LocalFiles, Recorded, Urls, readers};
use holdadvise::text::printable;

use crate::sections;

/// Characters that are kept of a line of a program's output.
const LINE: usize = 300;

/// A record of looks, ads of jobs, the end of a program's output, a credential, the mounts of a
/// machine, and URLs a line each.
pub fn checks(bytes: &[u8]) {
    let [record, ads, output, credential, mounts, urls] = sections(bytes);
    if let Some(read) = Recorded::looks_of(record, "alice", vec!["ap".to_owned()], 5) {
        assert!(read.answers.iter().all(|answer| answer.account == "alice"));
        let most = record.len() + 100;
        assert!(read.to_json(most).len() <= most);
    }
    if let Ok(record) = serde_json::from_slice::<Recorded>(record) {
        let files = LocalFiles::recorded(record).with_urls(Urls::Asked);
        let policies = Policies { files: Some(files), ..Policies::unknown() };
        for ad in classads::read_ads(ads).flatten().take(8) {
            let _ = Held::of_ad(JobId::new(1, 0), &ad, true, &policies, 1_795_282_000);
        }
    }
    let output = String::from_utf8_lossy(output);
    if let Some((_, line)) = readers::program_words(&output) {
        assert!(line.chars().count() <= LINE, "{line:?}");
    }
    let credential = String::from_utf8_lossy(credential);
    let _ = (readers::proxy_ends(&credential), readers::token_ends(&credential));
    let mounts = String::from_utf8_lossy(mounts);
    for path in ["/", "/home/alice/x", "/home/my data/x"] {
        let _ = readers::mount_of(&mounts, Path::new(path));
    }
    let urls = String::from_utf8_lossy(urls);
    let mut before = "https://server.example/a/b?c=d";
    for url in urls.lines().take(8) {
        let (refused, _) = readers::url_parts(url);
        // What is not asked for a secret in it is printed without that.
        let shown = printable(url);
        let is_secret = refused == Some(holdadvise::checks::Why::Secret);
        assert!(!is_secret || shown != url || url.contains("***"), "{url:?} is shown as {shown:?}");
        let _ = readers::redirect(before, url);
        before = url;
    }
}
