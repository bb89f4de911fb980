//! Job ads one by one from what `condor_q -long`, `-json` and `-jsonl` write, with the attributes
//! needed.
//!
//! A few ads at a time are in memory. Kept are the attributes of the [`AdProjection`] and those
//! that policies of the ad refer to. A damaged attribute or ad is reported with the line it stands
//! on; what follows is read.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use classads::{AdStream, ClassAd};

use super::projection::{AdProjection, is_policy};

/// Faults of one ad that are reported.
const FAULTS: usize = 20;

/// One step through the input.
#[derive(Debug)]
pub enum AdItem {
    /// An ad with at least one attribute.
    Ad(ClassAd),
    /// A part that could not be used: its line, from 1, and what is wrong.
    Fault(String),
}

/// The ads of an input, read on demand.
#[derive(Debug)]
pub struct Ads<R> {
    /// `None` for an input that is not text.
    stream: Option<AdStream<R>>,
    /// Policies whose text is no expression stay in the ad.
    keeps_policies: bool,
    waiting: VecDeque<AdItem>,
}

impl<R: BufRead> Ads<R> {
    /// Begins to read; what the first characters are tells the form.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn new(mut input: R, projection: &AdProjection) -> io::Result<Self> {
        let start = loop {
            match input.fill_buf() {
                Ok(bytes) => break bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        let mut ads =
            Self { stream: None, keeps_policies: projection.is_whole(), waiting: VecDeque::new() };
        if memchr::memchr(0, &start[..start.len().min(4096)]).is_some() {
            ads.waiting.push_back(AdItem::Fault("line 1: binary data, not text".to_owned()));
        } else if projection.is_whole() {
            ads.stream = Some(classads::read_ads(input));
        } else {
            let stream = classads::read_ads(input).with_projection(projection.names());
            ads.stream = Some(stream.with_references_of(projection.followed()));
        }
        Ok(ads)
    }

    /// Queues an ad behind what is wrong in it.
    fn take(&mut self, mut ad: ClassAd) {
        let is_damaged = |name: &str| !(self.keeps_policies && is_policy(name));
        let errors = || ad.errors().filter(|(name, _)| is_damaged(name));
        let damaged: Vec<String> = errors().map(|(name, _)| name.to_owned()).collect();
        for (name, error) in errors().take(FAULTS) {
            let line = ad.line(name).map(|line| format!("line {line}: ")).unwrap_or_default();
            self.waiting.push_back(AdItem::Fault(format!("{line}{name}: {}", error.message())));
        }
        for name in damaged {
            ad.remove(&name);
        }
        if !ad.is_empty() {
            self.waiting.push_back(AdItem::Ad(ad));
        }
    }
}

impl<R: BufRead> Iterator for Ads<R> {
    type Item = io::Result<AdItem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                return Some(Ok(item));
            }
            match self.stream.as_mut()?.next()? {
                Ok(ad) => self.take(ad),
                Err(error) if error.is_io() => {
                    self.stream = None;
                    return Some(Err(io::Error::other(error)));
                }
                Err(error) => return Some(Ok(AdItem::Fault(error.to_string()))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> (Vec<ClassAd>, Vec<String>) {
        let projection = AdProjection::new(crate::history::ATTRIBUTES, None);
        let (mut ads, mut faults) = (Vec::new(), Vec::new());
        for item in Ads::new(text, &projection).unwrap() {
            match item.unwrap() {
                AdItem::Ad(ad) => ads.push(ad),
                AdItem::Fault(fault) => faults.push(fault),
            }
        }
        (ads, faults)
    }

    fn names(ad: &ClassAd) -> Vec<&str> {
        ad.names().collect()
    }

    #[test]
    fn long_and_json_give_the_same() {
        let long = b"Base = 1\nMyType = \"Job\"\nClusterId = 7\nProcId=1\nOwner = \"al\\\"ice\"\n\
            PeriodicRelease = Tries < 3\nTries = 2\nOther = 3\n\n\nClusterId = 8\nProcId = 0\n";
        let json = br#"[
{
  "MyType": "Job", "ClusterId": 7, "ProcId": 1, "Owner": "al\"ice",
  "PeriodicRelease": "\/Expr(Tries < 3)\/", "Tries": 2, "Other": {"a": [1]}
}
,
{ "ClusterId": 8, "ProcId": 0 }
]
"#;
        for text in [&long[..], &json[..]] {
            let (ads, faults) = read(text);
            assert!(faults.is_empty(), "{faults:?}");
            assert_eq!(ads.len(), 2);
            assert_eq!(
                names(&ads[0]),
                ["ClusterId", "ProcId", "Owner", "PeriodicRelease", "Tries"]
            );
            assert_eq!(ads[0].string("Owner").as_deref(), Some("al\"ice"));
            assert_eq!(ads[0].boolean("PeriodicRelease"), Some(true));
            assert_eq!(ads[1].integer("ClusterId"), Some(8));
        }
    }

    #[test]
    fn whole_ads_keep_what_their_policies_say() {
        let text =
            b"ClusterId = 7\nProcId = 1\nPeriodicRelease = (NumHolds <\nOther = (\nAnything = 1\n";
        let mut ads = Ads::new(&text[..], &AdProjection::whole()).unwrap();
        let items: Vec<AdItem> = ads.by_ref().map(Result::unwrap).collect();
        let [AdItem::Fault(_), AdItem::Ad(ad)] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!(names(ad), ["ClusterId", "ProcId", "PeriodicRelease", "Anything"]);
        assert_eq!(ad.raw("PeriodicRelease"), Some("(NumHolds <"));
    }

    #[test]
    fn banners_separate_epoch_ads() {
        let text = b"ClusterId = 7\nProcId = 0\n*** EPOCH ClusterId=7 ProcId=0 RunInstanceId=0\nClusterId = 7\nProcId = 1\n***\n";
        let (ads, faults) = read(text);
        assert_eq!((ads.len(), faults.len()), (2, 0));
    }

    #[test]
    fn damaged_attributes_do_not_end_the_ad() {
        let text = b"ClusterId = 7\nHoldReason = \"never closed\nProcId = 0\nno attribute\n\nClusterId = 8\nProcId = 0\n";
        let (ads, faults) = read(text);
        assert_eq!(names(&ads[0]), ["ClusterId", "ProcId"]);
        assert_eq!(ads.len(), 2);
        assert_eq!(faults.len(), 2);
        assert!(
            faults[0].starts_with("line 4: ") && faults[0].contains("no attribute"),
            "{faults:?}"
        );
        assert!(faults[1].starts_with("line 2: HoldReason: "), "{faults:?}");
    }

    #[test]
    fn damaged_json_objects_do_not_end_the_file() {
        let text = b"[\n{\n\"ClusterId\": 7,\n\"HoldReason\": \"never closed,\n\"ProcId\": 0\n}\n,\n{\n\"ClusterId\": 8,\n\"ProcId\": 0\n}\n]\n";
        let (ads, faults) = read(text);
        assert_eq!(ads.len(), 1);
        assert_eq!(ads[0].integer("ClusterId"), Some(8));
        assert_eq!(faults.len(), 1);
        assert!(faults[0].starts_with("line 4: "), "{faults:?}");
        let (ads, faults) = read(b"{\"ClusterId\": 7,\n");
        assert!(ads.is_empty());
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn empty_and_binary() {
        assert_eq!(read(b"").0.len(), 0);
        assert_eq!(read(b"[\n]\n").1.len(), 0);
        let (ads, faults) = read(b"\x7fELF\x00\x01\x02");
        assert_eq!((ads.len(), faults), (0, vec!["line 1: binary data, not text".to_owned()]));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            read(&bytes);
        }

        #[test]
        fn any_lines_are_read(text in "([A-Za-z]{0,3}[=\"\\\\ {}\\[\\]:,0-9/*\n]{0,4}){0,30}") {
            read(text.as_bytes());
            read(format!("{{{text}").as_bytes());
        }

        #[test]
        fn strings_come_through_json(reason in any::<String>()) {
            let text = serde_json::json!([{"ClusterId": 1, "ProcId": 2, "HoldReason": reason}]);
            let (ads, faults) = read(text.to_string().as_bytes());
            prop_assert_eq!(ads.len(), 1);
            if reason.contains('\0') {
                prop_assert_eq!(faults.len(), 1);
            } else {
                prop_assert_eq!(faults, Vec::<String>::new());
                prop_assert_eq!(ads[0].string("HoldReason"), Some(reason));
            }
        }
    }
}
