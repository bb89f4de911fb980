//! One event: what its header line says, and its text.

use super::ad::EventAd;
use super::{Body, EventKind, JobAdInformation, JobId, Text, text};

/// When an event was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EventTime {
    /// Seconds since the Unix epoch.
    pub seconds: i64,
    /// Microseconds within the second, 0 to 999,999.
    pub microseconds: u32,
}

/// One event of a job event log, borrowed from the bytes read. Its fields are parsed when asked
/// for.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// The event number of the header, 0 to 999.
    pub number: u16,
    /// The job it happened to.
    pub job: JobId,
    /// The third number of the header, 0 but for parallel universe nodes.
    pub subproc: i32,
    /// When it was written.
    pub time: EventTime,
    /// Byte offset of the header in the file.
    pub offset: u64,
    /// The header line behind the date, without its newline.
    pub(super) title: &'a [u8],
    /// The lines between header and separator.
    pub(super) lines: &'a [u8],
    /// The attributes, where the log has the XML or JSON form.
    pub(super) ad: Option<&'a EventAd<'static>>,
}

impl<'a> Event<'a> {
    /// What kind of event this is.
    pub fn kind(&self) -> EventKind {
        EventKind::from_number(self.number)
    }

    /// The typed fields. Lines that do not fit the kind are left out; see [`Event::title`] and
    /// [`Event::lines`].
    pub fn body(&self) -> Body<'a> {
        match self.ad {
            None => Body::of_text(self.number, self.title, self.lines),
            Some(ad) => Body::of_ad(self.number, ad),
        }
    }

    /// The expression of one attribute of an event 028, as [`JobAdInformation::get`] has it. Faster
    /// than the whole body; `None` for events of other kinds.
    ///
    /// [`JobAdInformation::get`]: super::JobAdInformation::get
    pub fn information(&self, name: &str) -> Option<Text<'a>> {
        if self.kind() != EventKind::JobAdInformation {
            return None;
        }
        if self.ad.is_none() {
            return JobAdInformation::one(self.lines, name);
        }
        let Body::JobAdInformation(information) = self.body() else { return None };
        information.get(name).cloned()
    }

    /// Calls `each` with name and expression of every attribute of an event 028, as its body has
    /// them. Faster than the whole body; other events have none.
    pub fn each_information(&self, each: &mut dyn FnMut(&str, &str)) {
        if self.kind() != EventKind::JobAdInformation {
            return;
        }
        if self.ad.is_none() {
            return text::attributes::each(self.lines, each);
        }
        let Body::JobAdInformation(information) = self.body() else { return };
        for (name, value) in &information.attributes {
            each(name, value);
        }
    }

    /// The text of the header line behind the date; where the log has no text form, as it would be
    /// there.
    pub fn title(&self) -> &'a [u8] {
        self.title
    }

    /// The text between header line and separator; where the log has no text form, as it would be
    /// there.
    pub fn lines(&self) -> &'a [u8] {
        self.lines
    }
}
