//! Events to attributes.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::super::Event;
use super::{AdForm, AdValue, EventAd};

impl<'a> Event<'a> {
    /// The event as HTCondor's attributes. `EventTime` is civil time in `zone`, as HTCondor writes
    /// it.
    ///
    /// An event of an unknown number has its header line in `EventHead`, its `Name = expression`
    /// lines as attributes, and in `EventPayloadLines`, a name that HTCondor keeps free for them,
    /// the others.
    pub fn to_ad(&self, zone: &TimeZone) -> EventAd<'a> {
        let mut ad = EventAd::with_capacity(24);
        ad.push("EventTypeNumber", AdValue::Integer(i64::from(self.number)));
        ad.push("MyType", AdValue::String(self.kind().my_type().into()));
        if let Ok(stamp) = Timestamp::from_second(self.time.seconds) {
            let mut time = zone.to_datetime(stamp).strftime("%Y-%m-%dT%H:%M:%S").to_string();
            if self.time.microseconds > 0 {
                time.push_str(&format!(".{:03}", self.time.microseconds / 1000));
            }
            ad.push("EventTime", AdValue::String(time.into()));
        }
        let ids = if self.number >= 100 {
            [("SlotId", self.job.cluster, 1), ("DSlotId", self.job.proc, 1), ("", -1, 0)]
        } else {
            [
                ("Cluster", self.job.cluster, 0),
                ("Proc", self.job.proc, 0),
                ("Subproc", self.subproc, 0),
            ]
        };
        for (name, id, least) in ids {
            if id >= least {
                ad.push(name, AdValue::Integer(i64::from(id)));
            }
        }
        let source = self.ad;
        self.body().attributes(&mut AdForm::Write { ad: &mut ad, source });
        ad
    }
}
