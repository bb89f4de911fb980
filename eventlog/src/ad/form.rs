//! Typed fields as attributes, in both directions (`initFromClassAd` and `toClassAd` in
//! `condor_event.cpp`).

use std::borrow::Cow;
use std::mem::take;

use classads::{Style, Syntax};

use super::super::body::{CpuUsage, Resource, Text};
use super::super::write::OneLine;
use super::{AdValue, EventAd};

/// What is done with each attribute of an event.
pub(crate) enum AdForm<'f, 'a> {
    /// Its field is set.
    Read(&'a EventAd<'a>),
    /// It is set to its field. `source`: attributes that the fields are of, where the log has no
    /// text form.
    Write { ad: &'f mut EventAd<'a>, source: Option<&'a EventAd<'static>> },
}

/// How HTCondor tidies a text that it reads from the text form; from attributes it takes all texts
/// as they are.
#[derive(Clone, Copy)]
pub(crate) enum Tidy {
    AsIs,
    BothEnds,
    Begin,
    /// A name that may stand in quotation marks.
    Quotes,
    /// A message of several lines.
    Lines,
}

impl Tidy {
    /// The text, borrowed from where it is.
    fn of(self, text: Text<'_>) -> Text<'_> {
        match text {
            Text::Borrowed(text) => Text::Borrowed(self.part(text)),
            Text::Owned(text) if self.part(&text).len() == text.len() => Text::Owned(text),
            Text::Owned(text) => Text::Owned(self.part(&text).to_owned()),
        }
    }

    fn part(self, text: &str) -> &str {
        match self {
            Self::AsIs => text,
            Self::BothEnds => text.trim_matches(is_space),
            Self::Begin => text.trim_start_matches(is_space),
            Self::Quotes if text.len() < 2 => text,
            Self::Quotes => {
                let text = text.strip_prefix('"').unwrap_or(text);
                text.strip_suffix('"').unwrap_or(text)
            }
            Self::Lines => {
                let text = text.trim_start_matches('\n');
                text.strip_suffix('\n').unwrap_or(text)
            }
        }
    }
}

/// A number of a field.
pub(crate) trait Number: Copy + TryFrom<i64> {
    fn value(self) -> i64;
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Number for $number {
            fn value(self) -> i64 {
                self as i64
            }
        })*
    };
}

numbers! { i32 i64 u64 }

impl<'a> AdForm<'_, 'a> {
    pub(crate) const fn reads(&self) -> bool {
        matches!(self, Self::Read(_))
    }

    /// The number that is read; `None` where attributes are set.
    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        match self {
            Self::Read(ad) => ad.integer(name),
            Self::Write { .. } => None,
        }
    }

    /// An attribute that no field has.
    pub(crate) fn put(&mut self, name: &'static str, value: impl Into<AdValue<'a>>) {
        if let Self::Write { ad, .. } = self {
            ad.push(name, value.into());
        }
    }

    /// A text, which is left out where it is empty.
    pub(crate) fn text(&mut self, name: &'static str, field: &mut Text<'a>, tidy: Tidy) {
        match self {
            Self::Read(ad) => *field = some(ad, name).unwrap_or_default(),
            Self::Write { .. } => {
                let text = self.tidied(take(field), tidy);
                if !text.is_empty() {
                    self.put(name, AdValue::String(text));
                }
            }
        }
    }

    /// A text, which is there where it is empty too.
    pub(crate) fn always(&mut self, name: &'static str, field: &mut Text<'a>, tidy: Tidy) {
        match self {
            Self::Read(_) => self.text(name, field, tidy),
            Self::Write { .. } => {
                let text = self.tidied(take(field), tidy);
                self.put(name, AdValue::String(text));
            }
        }
    }

    /// A text that is there and not empty.
    pub(crate) fn some(&mut self, name: &'static str, field: &mut Option<Text<'a>>, tidy: Tidy) {
        match self {
            Self::Read(ad) => *field = some(ad, name),
            Self::Write { .. } => self.text(name, &mut field.take().unwrap_or_default(), tidy),
        }
    }

    fn tidied(&self, text: Text<'a>, tidy: Tidy) -> Text<'a> {
        match self {
            Self::Write { source: Some(_), .. } => text,
            _ => tidy.of(text),
        }
    }

    /// A number, or what stands for one that is not known.
    pub(crate) fn number<N: Number>(
        &mut self,
        name: &'static str,
        field: &mut Option<N>,
        unknown: Option<i64>,
    ) {
        match self {
            Self::Read(_) => *field = self.integer(name).and_then(|number| number.try_into().ok()),
            Self::Write { .. } => {
                if let Some(value) = field.map(Number::value).or(unknown) {
                    self.put(name, value);
                }
            }
        }
    }

    /// A number that is set: 0 or more.
    pub(crate) fn count<N: Number>(&mut self, name: &'static str, field: &mut Option<N>) {
        if self.reads() || field.is_some_and(|number| number.value() >= 0) {
            self.number(name, field, None);
        }
    }

    /// A number that is left out where it is 0.
    pub(crate) fn code(&mut self, name: &'static str, field: &mut Option<i32>) {
        if self.reads() || *field != Some(0) {
            self.number(name, field, None);
        }
    }

    /// Bytes are real numbers to HTCondor; 0 where a log has none.
    pub(crate) fn bytes(&mut self, name: &'static str, field: &mut Option<u64>) {
        match self {
            Self::Read(_) => self.number(name, field, None),
            Self::Write { .. } => self.put(name, field.unwrap_or(0) as f64),
        }
    }

    pub(crate) fn flag(&mut self, name: &'static str, field: &mut bool) {
        match self {
            Self::Read(ad) => *field = ad.boolean(name),
            Self::Write { .. } => self.put(name, *field),
        }
    }

    pub(crate) fn usage(&mut self, name: &'static str, field: &mut CpuUsage) {
        match self {
            Self::Read(ad) => {
                *field = ad.text(name).and_then(CpuUsage::parse).unwrap_or_default();
            }
            Self::Write { .. } => self.put(name, field.to_string()),
        }
    }

    /// How a program ended, if that is known. `with_unset`: the other number of the two too.
    pub(crate) fn ending(
        &mut self,
        return_value: &mut Option<i32>,
        signal: &mut Option<i32>,
        with_unset: bool,
    ) {
        if let Self::Read(ad) = self {
            let normal = ad.boolean("TerminatedNormally");
            *return_value = normal.then(|| ad.int("ReturnValue").unwrap_or(-1));
            *signal = ad.int("TerminatedBySignal").filter(|_| !normal);
        } else if return_value.is_some() || signal.is_some() {
            self.put("TerminatedNormally", return_value.is_some());
            for (name, field) in [("ReturnValue", return_value), ("TerminatedBySignal", signal)] {
                match with_unset {
                    true => self.number(name, field, Some(-1)),
                    false => self.count(name, field),
                }
            }
        }
    }

    /// The rows of the table of resources.
    pub(crate) fn resources(&mut self, field: &mut Vec<Resource<'a>>) {
        match self {
            Self::Read(ad) => *field = rows(ad),
            Self::Write { ad, .. } => ad.set_rows(take(field)),
        }
    }

    /// A nested ad of `(name, expression)` pairs, if there are any.
    pub(crate) fn nested(&mut self, name: &'static str, field: &mut Vec<(Text<'a>, Text<'a>)>) {
        let value = match self {
            Self::Read(ad) => {
                if let Some(AdValue::Ad(ad)) = ad.get(name) {
                    *field = sorted(ad, |_| true);
                }
                return;
            }
            Self::Write { source: Some(ad), .. } => ad.get(name).cloned(),
            Self::Write { .. } => {
                let mut ad = EventAd::default();
                ad.expressions(take(field), true);
                Some(AdValue::Ad(ad))
            }
        };
        if let Some(value @ AdValue::Ad(ad)) = &value
            && !ad.is_empty()
        {
            self.put(name, value.clone());
        }
    }

    /// The line of notes and the DAG node that it names. `with_text`: as it is too.
    pub(crate) fn notes(
        &mut self,
        notes: &mut Option<Text<'a>>,
        dag_node: &mut Option<Text<'a>>,
        with_text: bool,
    ) {
        match self {
            Self::Read(ad) => (*notes, *dag_node) = (self::notes(ad), self::dag_node(ad)),
            Self::Write { ad, source } => ad.set_notes(notes.take(), *source, with_text),
        }
    }

    /// The attributes that neither the header line nor `known` say. `replaces`: one that is there
    /// already is set too.
    pub(crate) fn rest(
        &mut self,
        field: &mut Vec<(Text<'a>, Text<'a>)>,
        known: &[&str],
        replaces: bool,
    ) {
        match self {
            Self::Read(ad) => *field = rest(ad, known),
            Self::Write { ad, source: None } => ad.expressions(take(field), replaces),
            Self::Write { ad, source: Some(source) } => ad.merge_ad(source, known),
        }
    }

    /// The header line behind the date, of an event whose fields are not known.
    pub(crate) fn head(&mut self, field: &mut Text<'a>) {
        match self {
            Self::Read(_) => self.text("EventHead", field, Tidy::AsIs),
            Self::Write { ad, .. } => ad.insert("EventHead", AdValue::String(take(field))),
        }
    }

    /// The lines below that: attributes, and what are no attributes.
    pub(crate) fn payload(&mut self, field: &mut Text<'a>) {
        match self {
            Self::Read(ad) => {
                let mut payload = String::new();
                for (name, value) in rest(ad, &["EventHead", "EventPayloadLines"]) {
                    payload.push_str(&format!("{} = {}\n", OneLine(&name), OneLine(&value)));
                }
                for line in ad.text("EventPayloadLines").unwrap_or_default().lines() {
                    payload.push_str(line);
                    payload.push('\n');
                }
                *field = payload.into();
            }
            Self::Write { ad, .. } => {
                let mut others = ad.set_lines(field).into();
                self.text("EventPayloadLines", &mut others, Tidy::AsIs);
            }
        }
    }
}

/// White space to C's `isspace`.
fn is_space(character: char) -> bool {
    character.is_ascii_whitespace() || character == '\x0b'
}

/// Attributes of every event, which its header line says.
const HEADER: [&str; 6] = ["MyType", "EventTypeNumber", "EventTime", "Cluster", "Proc", "Subproc"];

/// The attributes that neither the header line nor `known` say, as expressions, sorted as HTCondor
/// writes them.
fn rest<'a>(ad: &'a EventAd<'_>, known: &[&str]) -> Vec<(Text<'a>, Text<'a>)> {
    let said =
        |name: &str| HEADER.iter().chain(known).any(|header| header.eq_ignore_ascii_case(name));
    sorted(ad, |name| !said(name))
}

/// The attributes that `keep` keeps, as expressions, sorted as HTCondor writes them.
fn sorted<'a>(ad: &'a EventAd<'_>, keep: impl Fn(&str) -> bool) -> Vec<(Text<'a>, Text<'a>)> {
    let mut pairs: Vec<(Text<'_>, Text<'_>)> = ad
        .iter()
        .filter(|(name, _)| keep(name))
        .map(|(name, value)| (Cow::Borrowed(name), Cow::Owned(value.print(Style::Long))))
        .collect();
    pairs.sort_by_cached_key(|(name, _)| name.to_ascii_lowercase());
    pairs
}

/// A text that is there and not empty.
fn some<'a>(ad: &'a EventAd<'_>, name: &str) -> Option<Text<'a>> {
    ad.text(name).filter(|text| !text.is_empty()).map(Cow::Borrowed)
}

/// The line of notes: as it was, else the structured notes.
fn notes<'a>(ad: &'a EventAd<'_>) -> Option<Text<'a>> {
    some(ad, "LogNotes").or_else(|| match ad.get("StructuredNotes")? {
        notes @ AdValue::Ad(ad) if !ad.is_empty() => Some(Cow::Owned(notes.print(Style::New))),
        _ => None,
    })
}

/// The DAG node that the notes name.
fn dag_node<'a>(ad: &'a EventAd<'_>) -> Option<Text<'a>> {
    match ad.get("StructuredNotes") {
        Some(AdValue::Ad(notes)) => some(notes, "DAGNodeName"),
        _ => ad.text("LogNotes")?.strip_prefix("DAG Node: ").map(|node| node.trim().into()),
    }
}

/// The rows of the table of resources: what has a request or a usage.
fn rows<'a>(ad: &'a EventAd<'_>) -> Vec<Resource<'a>> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in ad.iter() {
        let requested = name.strip_prefix("Request").filter(|name| ad.get(name).is_some());
        let timed = ["TimeExecute", "TimeSlotBusy"]
            .into_iter()
            .find(|timed| name.strip_suffix("Usage") == Some(timed));
        if let Some(resource) = requested.or(timed) {
            names.push(resource);
        }
    }
    names.sort_by_cached_key(|name| name.to_ascii_lowercase());
    let row = |name: &'a str| {
        let cell = |attribute: &str| {
            let number = ad.number(attribute);
            let written = match (ad.get(attribute), number) {
                (Some(AdValue::Real(real)), _) if real.fract() > 0.0 => {
                    Some(format!("{real:.2}")).filter(|text| text.ends_with(".00"))
                }
                // Digits that a number of 53 bits would lose.
                (Some(AdValue::Integer(value)), _) => {
                    (value.unsigned_abs() >> 53 != 0).then(|| value.to_string())
                }
                (Some(value), None) => Some(value.print(Style::Long)),
                _ => None,
            };
            (number, written.map(Cow::Owned))
        };
        let (usage, usage_written) = cell(&format!("{name}Usage"));
        let (request, request_written) = cell(&format!("Request{name}"));
        let (allocated, allocated_written) = cell(name);
        let assigned = ad.get(&format!("Assigned{name}")).map(|cell| cell.print(Style::Long));
        Resource {
            name: Cow::Borrowed(name),
            unit: unit(name).into(),
            usage,
            request,
            allocated,
            assigned: assigned.map(Cow::Owned),
            written: (usage_written, request_written, allocated_written),
        }
    };
    names.into_iter().map(row).collect()
}

/// What HTCondor puts behind the name of a resource.
fn unit(name: &str) -> &'static str {
    match name {
        "Memory" | "GpusMemory" => "MB",
        "Disk" => "KB",
        "Gpus" => "Average",
        "TimeExecute" | "TimeSlotBusy" => "s",
        _ => "",
    }
}

impl<'a> EventAd<'a> {
    /// Sets attributes to expressions of the text form; HTCondor passes over what is no expression.
    /// `replaces`: one that is there already is set too.
    fn expressions(&mut self, pairs: Vec<(Text<'a>, Text<'a>)>, replaces: bool) {
        for (name, value) in pairs {
            if let Some(value) = AdValue::read(&value, Syntax::Old)
                && (replaces || self.get(&name).is_none())
            {
                self.insert(name, value);
            }
        }
    }

    fn set_rows(&mut self, resources: Vec<Resource<'a>>) {
        for row in resources {
            let name = row.name;
            let (usage, request, allocated) = row.written;
            for (name, value, written) in [
                (format!("{name}Usage"), row.usage, usage),
                (format!("Request{name}"), row.request, request),
                (name.to_string(), row.allocated, allocated),
            ] {
                let value = match (value, written) {
                    (Some(value), _) if value.fract() != 0.0 => Some(AdValue::Real(value)),
                    (_, Some(written)) => AdValue::read(&written, Syntax::Old),
                    (Some(value), None) => Some(AdValue::Integer(value as i64)),
                    (None, None) => None,
                };
                if let Some(value) = value {
                    self.insert(name, value);
                }
            }
            let assigned = row.assigned.map(|cell| (format!("Assigned{name}").into(), cell));
            self.expressions(Vec::from_iter(assigned), true);
        }
    }

    /// `LogNotes` and what they mean.
    fn set_notes(
        &mut self,
        log_notes: Option<Text<'a>>,
        source: Option<&EventAd<'static>>,
        with_text: bool,
    ) {
        if let Some(ad) = source {
            for name in ["LogNotes", "StructuredNotes"] {
                let value = ad.get(name).filter(|_| with_text || name == "StructuredNotes");
                match value {
                    Some(AdValue::String(text)) if text.is_empty() => {}
                    Some(AdValue::Ad(ad)) if ad.is_empty() => {}
                    Some(value @ (AdValue::String(_) | AdValue::Ad(_))) => {
                        self.push(name, value.clone());
                    }
                    _ => {}
                }
            }
            return;
        }
        let Some(notes) = log_notes.map(|notes| Tidy::BothEnds.of(notes)) else { return };
        if with_text {
            self.push("LogNotes", AdValue::String(notes.clone()));
        }
        if let Some(node) = notes.strip_prefix("DAG Node: ") {
            let node = AdValue::String(node.trim_matches(is_space).to_owned().into());
            let ad = [("DAGNodeName", node)].into_iter().collect();
            self.push("StructuredNotes", AdValue::Ad(ad));
        } else if notes.starts_with('[')
            && let Some(ad @ AdValue::Ad(_)) = AdValue::read(&notes, Syntax::New)
        {
            self.push("StructuredNotes", ad);
        }
    }

    /// Attributes of the event's own ad that are not there yet.
    fn merge_ad(&mut self, ad: &EventAd<'static>, known: &[&str]) {
        for (name, value) in ad.iter() {
            let is_known = known.iter().any(|known| known.eq_ignore_ascii_case(name));
            if !is_known && self.get(name).is_none() {
                self.push(name.to_owned(), value.clone());
            }
        }
    }

    /// Sets the attributes of these lines; gives the others.
    fn set_lines(&mut self, payload: &str) -> String {
        let mut others = String::new();
        for line in payload.lines().map(|line| line.trim_matches(is_space)) {
            let pair = line.split_once('=').filter(|_| !line.starts_with('\''));
            let pair = pair.map(|(name, value)| (name.trim_ascii(), value.trim_ascii()));
            let pair = pair.filter(|(name, _)| !name.is_empty()).and_then(|(name, value)| {
                Some((
                    name.to_owned(),
                    AdValue::read(&Text::Borrowed(value), Syntax::Old)?.into_owned(),
                ))
            });
            match pair {
                Some((name, value)) => self.insert(name, value),
                None if line.is_empty() => {}
                None => {
                    if !others.is_empty() {
                        others.push('\n');
                    }
                    others.push_str(line);
                }
            }
        }
        others
    }
}
