//! Events as attributes, under the names that HTCondor gives them (`toClassAd` in
//! `condor_event.cpp`).
//!
//! The XML and JSON forms of a log are nothing else than these attributes.
//!
//! - `block`: finds the events of XML and JSON.
//! - `from_event`: events to attributes.
//! - `json`: the JSON form.
//! - `to_text`: attributes to typed fields and to text.
//! - `value`: attributes and their values.
//! - `xml`: the XML form.

mod block;
mod from_event;
mod json;
mod to_text;
mod value;
mod xml;

pub use value::{AdValue, EventAd};

pub(super) use json::{find as find_json, parse as parse_json};
pub(super) use to_text::{body, write as write_as_text};
pub(super) use xml::{find as find_xml, parse as parse_xml};
