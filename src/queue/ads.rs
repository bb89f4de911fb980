//! Reads job ads one by one from what `condor_q -long`, `-json` and `-jsonl` write.
//!
//! Only the attributes of a [`Projection`] are kept, so the memory needed for reading does not grow with
//! the file. A damaged attribute or ad is reported with the line it stands on; what follows is read.

use std::io::{self, BufRead};

use super::ad_text::AdText;
use super::json_ads::JsonAds;
use super::lines::Lines;
use super::long_ads::LongAds;
use super::projection::Projection;

/// Something in the input that is no ad or no attribute.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct AdFault {
    /// Line, from 1.
    pub line: u64,
    /// What is wrong, what was expected.
    pub what: String,
}

/// One step through the input.
#[derive(Debug)]
pub enum AdItem {
    /// An ad with at least one attribute.
    Ad(AdText),
    /// A part that could not be used.
    Fault(AdFault),
}

/// The ads of an input, read on demand.
#[derive(Debug)]
pub struct Ads<'a, R> {
    inner: Form<'a, R>,
}

#[derive(Debug)]
enum Form<'a, R> {
    Long(LongAds<'a, R>),
    Json(JsonAds<'a, R>),
    Binary,
    Ended,
}

impl<'a, R: BufRead> Ads<'a, R> {
    /// Begins to read; what the first characters are tells the form.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn new(mut input: R, projection: &'a Projection) -> io::Result<Self> {
        let start = loop {
            match input.fill_buf() {
                Ok(bytes) => break bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        let first = start.iter().copied().find(|byte| !byte.is_ascii_whitespace());
        let binary = memchr::memchr(0, &start[..start.len().min(4096)]).is_some();
        let inner = match first {
            _ if binary => Form::Binary,
            Some(b'{' | b'[' | b']') => Form::Json(JsonAds::new(Lines::new(input), projection)),
            _ => Form::Long(LongAds::new(Lines::new(input), projection)),
        };
        Ok(Self { inner })
    }
}

impl<R: BufRead> Iterator for Ads<'_, R> {
    type Item = io::Result<AdItem>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.inner {
            Form::Long(ads) => ads.next(),
            Form::Json(ads) => ads.next(),
            Form::Ended => None,
            Form::Binary => {
                self.inner = Form::Ended;
                let what = "binary data, not text".to_owned();
                Some(Ok(AdItem::Fault(AdFault { line: 1, what })))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> (Vec<AdText>, Vec<String>) {
        let projection = Projection::new(&["TransferInput"], None);
        let (mut ads, mut faults) = (Vec::new(), Vec::new());
        for item in Ads::new(text, &projection).unwrap() {
            match item.unwrap() {
                AdItem::Ad(ad) => ads.push(ad),
                AdItem::Fault(fault) => faults.push(fault.to_string()),
            }
        }
        (ads, faults)
    }

    #[test]
    fn long_and_json_give_the_same() {
        let long = b"MyType = \"Job\"\nClusterId = 7\nProcId=1\nOwner = \"al\\\"ice\"\nPeriodicRelease = Tries < 3\n\
            Tries = 2\nOther = 3\n\n\nClusterId = 8\nProcId = 0\n";
        let json = br#"[
{
  "MyType": "Job", "ClusterId": 7, "ProcId": 1, "Owner": "al\"ice",
  "PeriodicRelease": "\/Expr(Tries < 3)\/", "Tries": 2, "Other": {"a": [1]}
}
,
{ "ClusterId": 8, "ProcId": 0 }
]
"#;
        let (from_long, faults) = read(long);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(
            from_long[0].as_str(),
            "ClusterId = 7\nProcId = 1\nOwner = \"al\\\"ice\"\nPeriodicRelease = Tries < 3\nTries = 2\n"
        );
        assert_eq!(from_long.len(), 2);
        let (from_json, faults) = read(json);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(from_json, from_long);
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
        assert_eq!(ads[0].as_str(), "ClusterId = 7\nProcId = 0\n");
        assert_eq!(ads.len(), 2);
        assert_eq!(
            faults,
            [
                "line 2: HoldReason: a quote is not closed",
                "line 4: \"no attribute\" is not an attribute, expected Name = value"
            ]
        );
    }

    #[test]
    fn damaged_json_objects_do_not_end_the_file() {
        let text = b"[\n{\n\"ClusterId\": 7,\n\"HoldReason\": \"never closed,\n\"ProcId\": 0\n}\n,\n{\n\"ClusterId\": 8,\n\"ProcId\": 0\n}\n]\n";
        let (ads, faults) = read(text);
        assert_eq!(ads.len(), 1);
        assert_eq!(ads[0].job_id().map(|id| id.cluster), Some(8));
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
            prop_assert_eq!(faults, Vec::<String>::new());
            prop_assert_eq!(ads.len(), 1);
            prop_assert!(ads[0].job_id().is_some());
        }
    }
}
