//! Attributes to the text form, for those who ask for it.

use std::io::Write;

use super::super::write::OneLine;
use super::super::{Body, FileTransfer};
use super::EventAd;

/// Writes an event in text form into `out`, or says which attribute is not there.
pub(crate) fn write(ad: &EventAd<'_>, out: &mut Vec<u8>) -> Result<(), String> {
    let number = ad.integer("EventTypeNumber").and_then(|number| u16::try_from(number).ok());
    let number = number.filter(|number| *number < 1000);
    let number = number.ok_or("an attribute EventTypeNumber from 0 to 999")?;
    let time = ad.text("EventTime").ok_or("an attribute EventTime")?;
    let id = |name: &str| ad.integer(name).and_then(|id| i32::try_from(id).ok()).unwrap_or(-1);
    let ids = if (100..200).contains(&number) {
        [id("SlotId"), id("DSlotId"), if number <= 112 { 0 } else { -1 }]
    } else {
        [id("Cluster"), id("Proc"), id("Subproc")]
    };
    let [cluster, proc, subproc] = ids;
    let time = OneLine(time);
    write!(out, "{number:03} ({cluster:03}.{proc:03}.{subproc:03}) {time} ")
        .and_then(|()| match Body::of_ad(number, ad) {
            Body::FileTransfer(FileTransfer { kind: None, .. }) => writeln!(out),
            body => body.write(out),
        })
        .map_err(|error| error.to_string())?;
    out.extend_from_slice(b"...\n");
    Ok(())
}
