//! Events as attributes, under the names that HTCondor gives them (`toClassAd` in
//! `condor_event.cpp`).
//!
//! The XML and JSON forms of a log are nothing else than these attributes.
//!
//! - `block`: finds the events of XML and JSON.
//! - `form`: typed fields as attributes, in both directions.
//! - `from_event`: events to attributes.
//! - `json`: the JSON form.
//! - `to_text`: attributes to text.
//! - `value`: attributes and their values.
//! - `xml`: the XML form.

mod block;
mod form;
mod from_event;
mod json;
mod to_text;
mod value;
mod xml;

pub use value::{AdValue, EventAd};

pub(crate) use form::{AdForm, Tidy};
pub(super) use json::{find as find_json, parse as parse_json};
pub(super) use to_text::write as write_as_text;
pub(super) use xml::{find as find_xml, parse as parse_xml};
