//! Events of grid jobs, job ads, clusters and transfers.

use super::super::super::body::*;
use super::super::lines::{Cursor, Lines, after, indented, text, unless_blank};
use super::attributes::{attribute, attributes};

pub(super) fn grid_resource(lines: Lines<'_>) -> GridResource<'_> {
    GridResource { resource: labelled(lines, b"GridResource: ").unwrap_or_default() }
}

pub(super) fn grid_submit(lines: Lines<'_>) -> GridSubmit<'_> {
    GridSubmit {
        resource: labelled(lines.clone(), b"GridResource: ").unwrap_or_default(),
        job_id: labelled(lines, b"GridJobId: ").unwrap_or_default(),
    }
}

/// What follows `label` on the line that begins with it.
fn labelled<'a>(mut lines: impl Iterator<Item = &'a [u8]>, label: &[u8]) -> Option<Text<'a>> {
    lines.find_map(|line| after(line.trim_ascii_start(), label))
}

/// The number that follows `label`.
fn labelled_number<'a>(mut lines: impl Iterator<Item = &'a [u8]>, label: &[u8]) -> Option<i64> {
    let rest = lines.find_map(|line| line.trim_ascii_start().strip_prefix(label))?;
    Cursor(rest).signed()
}

pub(super) fn job_ad_information(lines: &[u8]) -> JobAdInformation<'_> {
    let attributes = attributes(lines, |_| false);
    let mut information = JobAdInformation { trigger_event: None, attributes };
    information.trigger_event =
        information.get("TriggerEventTypeNumber").and_then(|number| number.parse().ok());
    information
}

/// The expression of one attribute: the others are not parsed where it is written with this name.
pub(crate) fn information<'a>(lines: &'a [u8], name: &str) -> Option<Text<'a>> {
    attribute(lines, name).or_else(|| job_ad_information(lines).get(name).cloned())
}

pub(super) fn attribute_update(title: &[u8]) -> AttributeUpdate<'_> {
    let mut update = AttributeUpdate::default();
    let (rest, changing) = match title.strip_prefix(b"Changing job attribute ") {
        Some(rest) => (rest, true),
        None => (title.strip_prefix(b"Setting job attribute ").unwrap_or(title), false),
    };
    let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
    update.name = text(&rest[..end]);
    let values = &rest[end..];
    if let Some(values) = values.strip_prefix(b" from ").filter(|_| changing) {
        let at = between(values);
        update.old_value = Some(text(&values[..at]));
        update.value = text(values[at..].strip_prefix(b" to ").unwrap_or_default());
    } else {
        update.value = text(values.strip_prefix(b" to ").unwrap_or_default());
    }
    update
}

/// The position of the ` to ` between two ClassAd expressions, of which each may hold one in
/// quotes.
fn between(values: &[u8]) -> usize {
    let mut quoted = false;
    let mut at = 0;
    while at < values.len() {
        match values[at] {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b' ' if !quoted && values[at..].starts_with(b" to ") => return at,
            _ => {}
        }
        at += 1;
    }
    memchr::memmem::find(values, b" to ").unwrap_or(values.len())
}

pub(super) fn cluster_remove(mut lines: Lines<'_>) -> ClusterRemove<'_> {
    let mut remove = ClusterRemove::default();
    let Some(line) = lines.next() else { return remove };
    let mut cursor = Cursor(line);
    if cursor.token(b"Materialized").is_some() {
        remove.materialized = cursor.signed();
        remove.items = cursor.token(b"jobs from").and_then(|()| cursor.signed());
        if cursor.token(b"items.").is_none() {
            return remove;
        }
    }
    remove.completion = unless_blank(cursor.0.trim_ascii());
    remove.notes = lines.next().and_then(indented);
    remove
}

pub(super) fn factory_paused(lines: Lines<'_>) -> FactoryPaused<'_> {
    let mut paused = FactoryPaused::default();
    for (index, line) in lines.enumerate() {
        if index == 0 && !line.starts_with(b"\tHoldCode ") {
            paused.reason = indented(line);
            continue;
        }
        let mut cursor = Cursor(line);
        if cursor.token(b"PauseCode").is_some() {
            paused.pause_code = cursor.int();
        }
        if cursor.token(b"HoldCode").is_some() {
            paused.hold_code = cursor.int();
        }
    }
    paused
}

pub(super) fn file_transfer<'a>(title: &[u8], lines: Lines<'a>) -> FileTransfer<'a> {
    let kind = FileTransferKind::ALL.into_iter().find(|kind| kind.title().as_bytes() == title);
    let mut transfer = FileTransfer { kind, host: None, seconds_in_queue: None };
    for line in lines {
        if let Some(rest) = line.strip_prefix(b"\tSeconds spent in queue: ") {
            transfer.seconds_in_queue = Cursor(rest).unsigned();
        } else if let Some(rest) = line.strip_prefix(b"\tTransferring to host: ") {
            transfer.host = unless_blank(rest);
        }
    }
    transfer
}

/// The lines of events 041 to 045. HTCondor writes them below an empty header line, and reads the
/// first of them on it.
fn with_title<'a>(title: &'a [u8], lines: Lines<'a>) -> impl Iterator<Item = &'a [u8]> + Clone {
    std::iter::once(title).chain(lines)
}

pub(super) fn reserve_space<'a>(title: &'a [u8], lines: Lines<'a>) -> ReserveSpace<'a> {
    let lines = with_title(title, lines);
    ReserveSpace {
        bytes: labelled_number(lines.clone(), b"Bytes reserved:").and_then(|n| n.try_into().ok()),
        expiration: labelled_number(lines.clone(), b"Reservation Expiration:"),
        uuid: labelled(lines.clone(), b"Reservation UUID: ").unwrap_or_default(),
        tag: labelled(lines, b"Tag: ").unwrap_or_default(),
    }
}

pub(super) fn release_space<'a>(title: &'a [u8], lines: Lines<'a>) -> ReleaseSpace<'a> {
    let uuid = labelled(with_title(title, lines), b"Reservation UUID: ");
    ReleaseSpace { uuid: uuid.unwrap_or_default() }
}

pub(super) fn reuse_file<'a>(title: &'a [u8], lines: Lines<'a>) -> ReuseFile<'a> {
    let lines = with_title(title, lines);
    ReuseFile {
        bytes: labelled_number(lines.clone(), b"Bytes:").and_then(|n| n.try_into().ok()),
        checksum: labelled(lines.clone(), b"Checksum Value: ").unwrap_or_default(),
        checksum_type: labelled(lines.clone(), b"Checksum Type: ").unwrap_or_default(),
        uuid: labelled(lines.clone(), b"UUID: "),
        tag: labelled(lines, b"Tag: "),
    }
}

pub(super) fn common_files(title: &[u8]) -> CommonFiles<'_> {
    let label = b"Common files event: ";
    let at = memchr::memmem::find(title, label);
    CommonFiles { step: at.map(|at| text(&title[at + label.len()..])).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_spaces() {
        let update = attribute_update(b"Changing job attribute JobPrio from 0 to 5");
        assert_eq!(
            (&*update.name, update.old_value.as_deref(), &*update.value),
            ("JobPrio", Some("0"), "5")
        );
        let update =
            attribute_update(b"Changing job attribute A from \"go to x\" to \"b \\\" to c\"");
        assert_eq!(update.old_value.as_deref(), Some("\"go to x\""));
        assert_eq!(update.value, "\"b \\\" to c\"");
        let update = attribute_update(b"Setting job attribute A to \"x\"");
        assert_eq!((update.old_value, &*update.value), (None, "\"x\""));
    }

    #[test]
    fn a_factory_paused_by_a_hold() {
        let paused = factory_paused(Lines::new(b"\tItem data\n\tPauseCode 1\n\tHoldCode 26\n"));
        assert_eq!(paused.reason.as_deref(), Some("Item data"));
        assert_eq!((paused.pause_code, paused.hold_code), (Some(1), Some(26)));
    }
}
