//! What the columns of a sample mean, and a hash that says so.

use serde::{Deserialize, Serialize};

use super::columns::{Column, RELEASE_DELAY, SOURCES};
use super::{Layout, Scope, State, words};
use crate::history::Action;
use crate::text::shown;

/// Names and order of what a sample holds. A model is given the columns and states that its schema
/// names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureSchema {
    /// Changes whenever a state, a static, a frame edge, the number of slots or the meaning of one
    /// changes: 16 hexadecimal digits.
    pub hash: String,
    /// Name of each of the e states; the position is the value in the states tensor.
    pub states: Vec<String>,
    /// Name of each of the k statics, in order; the last are one for each action.
    pub statics: Vec<String>,
    /// The m + 1 edges of the frames in seconds before the decision instant, growing.
    pub frame_edges: Vec<u32>,
    /// j: job slots, the held job first.
    pub slots: usize,
    /// Statics that come from one source and go missing together. Training drops whole sources at
    /// random, so that a model also works where a source cannot be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<StaticSource>,
}

/// Statics that are known or missing together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticSource {
    /// Name of the source, such as `event-log`.
    pub name: String,
    /// Positions of the columns that are 0 when the source is missing, its mask among them.
    pub columns: Vec<usize>,
}

/// The columns and states of this program that a schema names, in its order.
#[derive(Clone, Debug)]
pub struct Projection {
    pub(super) layout: Layout,
    pub(super) columns: Vec<&'static Column>,
    /// Hold codes with a column of their own.
    pub(super) codes: Vec<usize>,
    /// Where each action stands.
    pub(super) actions: Vec<(usize, Action)>,
    /// Where the column of the delay of the release stands; `None` of a model without it.
    pub(super) delay: Option<usize>,
    /// The schema's index of each state of this program; `None` where it is the same.
    pub(super) states: Option<Vec<u8>>,
}

/// This program cannot make samples of a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("feature schema {hash} {why}")]
pub struct SchemaError {
    hash: String,
    why: String,
}

/// Names that an error lists.
const NAMED: usize = 3;

impl FeatureSchema {
    /// The schema of this version with its default frames and slots.
    pub fn current() -> Self {
        Self::with_layout(&Layout::default())
    }

    /// The schema of this version with frames and slots of one's own.
    pub fn with_layout(layout: &Layout) -> Self {
        let columns = Column::all();
        // A scope at a time too, so that a model learns each for itself.
        let sources = SOURCES.into_iter().chain(Scope::ALL.map(Scope::name)).map(|name| {
            let of_source = columns.iter().enumerate().filter(|(_, column)| column.goes_with(name));
            StaticSource { name: name.to_owned(), columns: of_source.map(|(at, _)| at).collect() }
        });
        let sources = sources.filter(|source: &StaticSource| !source.columns.is_empty());
        let mut schema = Self {
            hash: String::new(),
            states: State::names(),
            statics: columns.iter().map(|column| column.name.clone()).collect(),
            frame_edges: layout.frames.edges().to_vec(),
            slots: layout.slots.count(),
            sources: sources.collect(),
        };
        schema.hash = schema.digest();
        schema
    }

    /// Without the column of later releases, which is the last one: of models that know of releases
    /// at the decision instant alone.
    #[must_use]
    pub fn without_delay(mut self) -> Self {
        self.statics.retain(|name| name != RELEASE_DELAY);
        self.hash = self.digest();
        self
    }

    /// m: how many frames.
    pub fn frames(&self) -> usize {
        self.frame_edges.len().saturating_sub(1)
    }

    /// The position of a static, by its name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.statics.iter().position(|column| column == name)
    }

    /// The hash that these fields have; [`FeatureSchema::hash`] of an honest file.
    pub fn digest(&self) -> String {
        let mut text = format!("{:?} {}", self.frame_edges, self.slots);
        for name in self.states.iter().chain(&self.statics) {
            text.push('\n');
            text.push_str(name);
        }
        // The parts of a cue decide what the column named after it holds.
        for said in self.statics.iter().filter_map(|name| name.strip_prefix("says-")) {
            for (cue, parts) in words::CUES.iter().filter(|(cue, _)| *cue == said) {
                text.push_str(&format!("\n{cue} {parts:?}"));
            }
        }
        if words::VERSION > 1 && self.statics.iter().any(|name| name.starts_with("word-")) {
            text.push_str(&format!("\nwords {}", words::VERSION));
        }
        format!("{:016x}", eventlog::fnv1a(text.as_bytes()))
    }

    /// Which columns and states of this program make a sample of this schema, which may be that of
    /// an older version.
    ///
    /// # Errors
    /// [`SchemaError`] where it names what this program does not compute, or its hash is not that
    /// of what it names.
    pub fn projection(&self) -> Result<Projection, SchemaError> {
        let error = |why: &str| {
            let text = |text: &str| shown(text, 300);
            SchemaError { hash: text(&self.hash), why: text(why) }
        };
        let layout = Layout::of(self).ok_or_else(|| {
            error(&format!("has job slots ({}) or frames of no sample", self.slots))
        })?;
        let mut columns = Vec::with_capacity(self.statics.len());
        let mut lacking = Vec::new();
        for (at, name) in self.statics.iter().enumerate() {
            // Most are where they are in this program.
            let here = Column::all().get(at).filter(|column| column.name == *name);
            match here.or_else(|| Column::named(name)) {
                Some(column) => columns.push(column),
                None => lacking.push(name.as_str()),
            }
        }
        let own = State::names();
        lacking.extend(self.states.iter().filter(|name| !own.contains(name)).map(String::as_str));
        if !lacking.is_empty() {
            let more = lacking.len().saturating_sub(NAMED);
            let first = lacking[..lacking.len() - more].join(", ");
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            return Err(error(&format!(
                "names columns or states that this program does not compute ({first}{more})"
            )));
        }
        if self.hash != self.digest() {
            return Err(error(
                "is not the hash of what it names: a cue has other parts here, or it was changed",
            ));
        }
        // A code without a state of its own is one of the other codes.
        let state = |name: &str| self.states.iter().position(|state| state == name);
        let others = |name: &str| state("held-other").filter(|_| name.starts_with("held-"));
        let states = own.iter().map(|name| {
            let index = state(name).or_else(|| others(name)).or_else(|| state("not-observed"));
            index.and_then(|index| u8::try_from(index).ok())
        });
        let states: Vec<u8> =
            states.collect::<Option<_>>().ok_or_else(|| error("has no state not-observed"))?;
        Ok(Projection::new(layout, columns, (self.states != own).then_some(states)))
    }
}

impl Projection {
    pub(super) fn new(
        layout: Layout,
        columns: Vec<&'static Column>,
        states: Option<Vec<u8>>,
    ) -> Self {
        let actions = columns.iter().enumerate();
        Self {
            layout,
            codes: columns.iter().filter_map(|column| column.code()).collect(),
            actions: actions.filter_map(|(at, column)| Some((at, column.action()?))).collect(),
            delay: columns.iter().position(|column| column.row.name == RELEASE_DELAY),
            columns,
            states,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FrameEdges, Slots};
    use super::*;

    #[test]
    fn the_hash_follows_the_frames() {
        let default = FeatureSchema::current();
        let other = FeatureSchema::with_layout(&FrameEdges::equal(10, 60).unwrap().into());
        assert_ne!(default.hash, other.hash);
        assert_eq!(default.hash, FeatureSchema::current().hash);
        assert_eq!(default.hash, default.digest());
        assert_eq!(default.frames(), 24);
    }

    #[test]
    fn the_hash_follows_the_slots() {
        let default = FeatureSchema::current();
        let of = |j| {
            let slots = Slots::new(j).unwrap();
            FeatureSchema::with_layout(&Layout { slots, ..Layout::default() })
        };
        assert_eq!(of(12), default);
        assert_ne!(of(13).hash, default.hash);
        assert_eq!(of(13).slots, 13);
        assert_eq!(Layout::of(&of(40)).unwrap().slots, Slots::new(40).unwrap());
        assert_eq!(Layout::of(&FeatureSchema { slots: 4, ..default }), None);
    }
}
