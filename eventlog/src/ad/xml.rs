//! The XML form: one `<c>` element an event (`ClassAdXMLUnParser` in HTCondor).

use super::super::text::scan::Found;
use super::EventAd;
use super::block::{self, Line};

/// Looks for the next event.
pub(crate) fn find(bytes: &[u8], last: bool) -> Found {
    let what = |line: &[u8]| {
        if line.starts_with(b"<c>") {
            if line.ends_with(b"</c>") { Line::Whole } else { Line::Begin }
        } else if line.starts_with(b"</c>") {
            Line::End
        } else if line.is_empty()
            || [&b"<?xml"[..], b"<!DOCTYPE", b"<classads", b"</classads", b"\xef\xbb\xbf"]
                .iter()
                .any(|begin| line.starts_with(begin))
        {
            Line::Between
        } else {
            Line::Other
        }
    };
    block::find(bytes, last, what, "an element <c>")
}

/// The attributes of an event, or what is wrong with it.
pub(crate) fn parse(bytes: &[u8]) -> Result<EventAd<'static>, String> {
    let ad = EventAd::read(bytes, |text, each| classads::xml::each_attribute(text, each));
    ad.map_err(|error| format!("an element <c> ({error})"))
}
