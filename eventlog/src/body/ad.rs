//! Events that carry attributes.

use std::io::{self, Write};

use bounded_static::ToStatic;

use super::super::EventKind;
use super::super::ad::{AdForm, Tidy};
use super::super::text::attributes::{attribute, attributes};
use super::super::text::lines::text;
use super::super::write::{self, OneLine};
use super::{Fields, Text};

/// 028: attributes of the job ad (`EVENT_LOG_JOB_AD_INFORMATION_ATTRS`).
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct JobAdInformation<'a> {
    /// Number of the event these attributes supplement (`TriggerEventTypeNumber`).
    pub trigger_event: Option<u16>,
    /// `(name, ClassAd expression as written)`, in order.
    pub attributes: Vec<(Text<'a>, Text<'a>)>,
}

/// 100 to 111: an event of the execution point's own log.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct ExecutionPoint<'a> {
    /// The event number, 100 to 111; 112 is read alike.
    pub number: u16,
    /// The header line behind the date.
    pub head: Text<'a>,
    /// `(name, ClassAd expression as written)`, in order.
    pub attributes: Vec<(Text<'a>, Text<'a>)>,
}

/// An event without typed fields, `FutureEvent` in HTCondor: of a number it does not know (17
/// to 20, which it no longer knows, among them), 031 and 032.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, ToStatic)]
pub struct Future<'a> {
    /// The event number, 0 to 999.
    pub number: u16,
    /// The header line behind the date.
    pub head: Text<'a>,
    /// The lines below it, each with its newline.
    pub payload: Text<'a>,
}

/// 033: an attribute of the job ad changed.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct AttributeUpdate<'a> {
    /// The attribute.
    pub name: Text<'a>,
    /// Its value now.
    pub value: Text<'a>,
    /// Its value before, where it had one.
    pub old_value: Option<Text<'a>>,
}

impl<'a> JobAdInformation<'a> {
    /// The expression of an attribute; names are compared without case.
    pub fn get(&self, name: &str) -> Option<&Text<'a>> {
        self.attributes
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// The expression of one attribute in the lines of an event: the others are not parsed where it
    /// is written with this name.
    pub(crate) fn one(lines: &'a [u8], name: &str) -> Option<Text<'a>> {
        attribute(lines, name).or_else(|| Self::read(b"", lines).get(name).cloned())
    }
}

impl<'a> Fields<'a> for JobAdInformation<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut information =
            Self { trigger_event: None, attributes: attributes(lines, |_| false) };
        information.trigger_event =
            information.get("TriggerEventTypeNumber").and_then(|number| number.parse().ok());
        information
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job ad information event triggered.")?;
        if let Some(number) = self.trigger_event
            && self.get("TriggerEventTypeNumber").is_none()
        {
            writeln!(out, "TriggerEventTypeNumber = {number}")?;
        }
        write::attributes(out, "", &self.attributes)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.rest(&mut self.attributes, &[], false);
        if form.reads() {
            // Of this event HTCondor sorts the attributes with regard to case.
            self.attributes.sort();
            let number = form.integer("TriggerEventTypeNumber");
            self.trigger_event = number.and_then(|number| number.try_into().ok());
        }
    }
}

impl<'a> Fields<'a> for ExecutionPoint<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        Self { number: 0, head: text(title), attributes: attributes(lines, |_| false) }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", OneLine(&self.head))?;
        write::attributes(out, "  ", &self.attributes)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        let known = ["SlotId", "DSlotId", "EventHead", "EventPayloadLines"];
        form.rest(&mut self.attributes, &known, true);
        form.head(&mut self.head);
    }
}

impl<'a> Fields<'a> for Future<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        Self { number: 0, head: text(title), payload: text(lines) }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", OneLine(&self.head))?;
        out.write_all(self.payload.as_bytes())?;
        let is_whole = self.payload.is_empty() || self.payload.ends_with('\n');
        if is_whole { Ok(()) } else { writeln!(out) }
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.head(&mut self.head);
        form.payload(&mut self.payload);
    }
}

impl<'a> Fields<'a> for AttributeUpdate<'a> {
    fn read(title: &'a [u8], _: &'a [u8]) -> Self {
        let mut update = Self::default();
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

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        let (name, value) = (OneLine(&self.name), OneLine(&self.value));
        match &self.old_value {
            Some(old) => {
                let old = OneLine(old);
                writeln!(out, "Changing job attribute {name} from {old} to {value}")
            }
            None => writeln!(out, "Setting job attribute {name} to {value}"),
        }
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.always("Attribute", &mut self.name, Tidy::AsIs);
        form.always("Value", &mut self.value, Tidy::AsIs);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_spaces() {
        let read = |title| AttributeUpdate::read(title, b"");
        let update = read(b"Changing job attribute JobPrio from 0 to 5");
        assert_eq!(
            (&*update.name, update.old_value.as_deref(), &*update.value),
            ("JobPrio", Some("0"), "5")
        );
        let update = read(b"Changing job attribute A from \"go to x\" to \"b \\\" to c\"");
        assert_eq!(update.old_value.as_deref(), Some("\"go to x\""));
        assert_eq!(update.value, "\"b \\\" to c\"");
        let update = read(b"Setting job attribute A to \"x\"");
        assert_eq!((update.old_value, &*update.value), (None, "\"x\""));
    }
}
