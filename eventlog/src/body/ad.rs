//! Events that carry attributes.

use super::Text;

/// 028: attributes of the job ad (`EVENT_LOG_JOB_AD_INFORMATION_ATTRS`).
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct JobAdInformation<'a> {
    /// Number of the event these attributes supplement (`TriggerEventTypeNumber`).
    pub trigger_event: Option<u16>,
    /// `(name, ClassAd expression as written)`, in order.
    pub attributes: Vec<(Text<'a>, Text<'a>)>,
}

impl<'a> JobAdInformation<'a> {
    /// The expression of an attribute; names are compared without case.
    pub fn get(&self, name: &str) -> Option<&Text<'a>> {
        self.attributes
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// 100 to 111: an event of the execution point's own log.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct ExecutionPoint<'a> {
    /// The event number, 100 to 111; 112 is read alike.
    pub number: u16,
    /// The header line behind the date.
    pub head: Text<'a>,
    /// `(name, ClassAd expression as written)`, in order.
    pub attributes: Vec<(Text<'a>, Text<'a>)>,
}

/// An event without typed fields, `FutureEvent` in HTCondor: of a number it does not know (17 to
/// 20, which it no longer knows, among them), 031 and 032.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Future<'a> {
    /// The event number, 0 to 999.
    pub number: u16,
    /// The header line behind the date.
    pub head: Text<'a>,
    /// The lines below it, each with its newline.
    pub payload: Text<'a>,
}

/// 033: an attribute of the job ad changed.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct AttributeUpdate<'a> {
    /// The attribute.
    pub name: Text<'a>,
    /// Its value now.
    pub value: Text<'a>,
    /// Its value before, where it had one.
    pub old_value: Option<Text<'a>>,
}
