//! URLs that calls of one account asked lately: all its calls together ask no more of a server than one.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Finding, Why};
use crate::private::{own, put};

/// Seconds for which an answer is kept, and in which the calls of an account ask as much as one.
/// Assumed.
const FOR: i64 = 60;

/// Name of the file of these.
const NAME: &str = "urls.json";

/// Bytes of the longest one.
const LONGEST: u64 = 256 << 10;

/// A URL that was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct AskedUrl {
    pub(super) url: String,
    /// When, Unix seconds.
    pub(super) at: i64,
    /// What it answered; `NotAsked` while that is waited for.
    pub(super) finding: Finding,
}

/// The folder of the file of an account, which is made where it is needed.
#[derive(Clone, Debug)]
pub(super) struct AskedUrls(pub(super) PathBuf);

impl AskedUrls {
    /// Those of the last minute.
    pub(super) fn lately(&self, now: i64) -> Vec<AskedUrl> {
        let read = own(&self.0.join(NAME), LONGEST).ok().flatten();
        let all = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut all: Vec<AskedUrl> = all.unwrap_or_default();
        all.retain(|asked| (now - FOR..=now).contains(&asked.at));
        all
    }

    /// Notes that these are about to be asked.
    ///
    /// # Errors
    /// The folder is somebody else's, or cannot be written.
    pub(super) fn begin<'a>(
        &self,
        urls: impl Iterator<Item = &'a str>,
        now: i64,
    ) -> io::Result<()> {
        let finding = Finding::Unknown { why: Why::NotAsked };
        let begun = urls.map(|url| AskedUrl { url: url.to_owned(), at: now, finding });
        let all: Vec<AskedUrl> = self.lately(now).into_iter().chain(begun).collect();
        std::fs::create_dir_all(&self.0)?;
        self.put(&all)
    }

    /// Notes what these answered.
    pub(super) fn end(&self, found: &[(String, Finding)], now: i64) {
        let mut all = self.lately(now);
        for asked in &mut all {
            if let Some((_, finding)) = found.iter().find(|(url, _)| *url == asked.url) {
                asked.finding = *finding;
            }
        }
        // Without it the next call asks nothing for a minute.
        let _ = self.put(&all);
    }

    fn put(&self, all: &[AskedUrl]) -> io::Result<()> {
        put(&self.0, NAME, &serde_json::to_vec(all)?, 0o600)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_is_known_for_a_minute() {
        let folder = tempfile::tempdir().unwrap();
        let urls = AskedUrls(folder.path().join("state"));
        assert_eq!(urls.lately(100), []);
        urls.begin(["http://a.org/1", "http://a.org/2"].into_iter(), 100).unwrap();
        urls.end(&[("http://a.org/1".to_owned(), Finding::Gone { changed_at: None })], 101);
        let known = urls.lately(160);
        assert_eq!(known.len(), 2);
        assert_eq!(known[0].finding, Finding::Gone { changed_at: None });
        assert_eq!(known[1].finding, Finding::Unknown { why: Why::NotAsked });
        // Nor is a time believed that is yet to come.
        assert_eq!(urls.lately(161), []);
        assert_eq!(urls.lately(99), []);
        // A file that is damaged is as good as none.
        std::fs::write(folder.path().join("state/urls.json"), "[{").unwrap();
        assert_eq!(urls.lately(100), []);
        urls.begin(["http://a.org/1"].into_iter(), 170).unwrap();
        assert_eq!(urls.lately(170).len(), 1);
    }
}
