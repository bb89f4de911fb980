//! Ads in long form: `Name = expression` a line, ads separated by empty lines or `***` banners.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use super::ad_text::{AdText, push_line, quotes_fault};
use super::ads::{AdFault, AdItem};
use super::lines::Lines;
use super::projection::{Projection, is_policy, references};

/// Of the attributes that are not kept at once as many bytes are held back until the ad's end, in case a
/// policy refers to them.
const HELD_BACK: usize = 1024 * 1024;

/// Faults of one ad that are reported.
const FAULTS: usize = 20;

#[derive(Debug)]
pub(super) struct LongAds<'a, R> {
    lines: Lines<R>,
    projection: &'a Projection,
    faults: VecDeque<AdFault>,
    ended: bool,
}

/// An ad as far as it was read.
#[derive(Default)]
struct Begun {
    kept: String,
    /// Lines `Name = expression` not kept so far.
    others: Vec<u8>,
    /// Names that kept policies refer to, in lower case.
    wanted: Vec<String>,
}

impl<'a, R: BufRead> LongAds<'a, R> {
    pub(super) fn new(lines: Lines<R>, projection: &'a Projection) -> Self {
        Self { lines, projection, faults: VecDeque::new(), ended: false }
    }

    pub(super) fn next(&mut self) -> Option<io::Result<AdItem>> {
        let mut begun = Begun::default();
        while !self.ended {
            if let Some(fault) = self.faults.pop_front() {
                return Some(Ok(AdItem::Fault(fault)));
            }
            match self.read_ad(&mut begun) {
                Ok(()) => {}
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
            if let Some(ad) = begun.finish() {
                return Some(Ok(AdItem::Ad(ad)));
            }
        }
        self.faults.pop_front().map(|fault| Ok(AdItem::Fault(fault)))
    }

    /// Reads up to the end of an ad, of the input, or of a run of separators.
    fn read_ad(&mut self, begun: &mut Begun) -> io::Result<()> {
        let mut faults = 0;
        loop {
            if !self.lines.advance()? {
                self.ended = true;
                return Ok(());
            }
            let line = self.lines.current().trim_ascii();
            if line.is_empty() || line.starts_with(b"***") {
                return Ok(());
            }
            // Headings of condor_q stand before the first ad.
            if line.starts_with(b"#") || line.starts_with(b"-- ") {
                continue;
            }
            if let Err(what) = begun.take(line, self.projection)
                && faults < FAULTS
            {
                faults += 1;
                self.faults.push_back(AdFault { line: self.lines.number(), what });
            }
        }
    }
}

impl Begun {
    /// Keeps, holds back or drops a line.
    fn take(&mut self, line: &[u8], projection: &Projection) -> Result<(), String> {
        let Some((name, value)) = split(line) else {
            let text = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
            let text = crate::text::strip_control(&text).into_owned();
            return Err(format!("{text:?} is not an attribute, expected Name = value"));
        };
        if projection.keeps(name) {
            self.keep(name, value)
        } else {
            if self.others.len() + line.len() < HELD_BACK {
                self.others.extend_from_slice(line);
                self.others.push(b'\n');
            }
            Ok(())
        }
    }

    fn keep(&mut self, name: &[u8], value: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(value);
        let printed = String::from_utf8_lossy(name);
        if let Some(fault) = quotes_fault(&text) {
            return Err(format!("{printed}: {fault}"));
        }
        if is_policy(name) {
            self.wanted.extend(references(&text).map(str::to_ascii_lowercase));
        }
        push_line(&mut self.kept, &printed, &text);
        Ok(())
    }

    /// The ad; `None` when nothing of it is kept. What policies refer to is looked up in what was held
    /// back.
    fn finish(&mut self) -> Option<AdText> {
        let others = std::mem::take(&mut self.others);
        let wanted = std::mem::take(&mut self.wanted);
        if !wanted.is_empty() {
            for line in others.split(|byte| *byte == b'\n') {
                let Some((name, value)) = split(line) else { continue };
                if wanted.iter().any(|want| want.as_bytes().eq_ignore_ascii_case(name)) {
                    // Nothing is lost but what the policy refers to; it is then undefined to it.
                    let _ = self.keep(name, value);
                }
            }
        }
        let kept = std::mem::take(&mut self.kept);
        (!kept.is_empty()).then(|| AdText::new(kept))
    }
}

/// Name and expression of a line.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let equals = memchr::memchr(b'=', line)?;
    let name = line[..equals].trim_ascii();
    let value = line[equals + 1..].trim_ascii();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.';
    (!name.is_empty() && !value.is_empty() && name.iter().all(is_name)).then_some((name, value))
}
