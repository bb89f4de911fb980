//! What the columns of a sample mean, and a hash that says so.

use serde::{Deserialize, Serialize};

use super::frame::FrameEdges;
use super::statics::{Facts, put_action, put_facts};
use super::{Layout, Scope, State, words};
use crate::history::Action;

/// Names and order of what a sample holds. A model is used only with the schema it was trained on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureSchema {
    /// Changes whenever a state, a static, a frame edge, the number of slots or the meaning of one changes: 16 hexadecimal
    /// digits.
    pub hash: String,
    /// Name of each of the e states; the position is the value in the states tensor.
    pub states: Vec<String>,
    /// Name of each of the k statics, in order; the last are one for each action.
    pub statics: Vec<String>,
    /// The m + 1 edges of the frames in seconds before the decision instant, growing.
    pub frame_edges: Vec<u32>,
    /// j: job slots, the held job first.
    pub slots: usize,
    /// Statics that come from one source and go missing together. Training drops whole sources at random, so that a
    /// model also works where a source cannot be read.
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

impl FeatureSchema {
    /// The schema of this version with its default frames and slots.
    pub fn current() -> Self {
        Self::with_layout(&Layout::default())
    }

    /// The schema of this version with frames of one's own and the default slots.
    pub fn with_frames(frames: &FrameEdges) -> Self {
        Self::with_layout(&frames.clone().into())
    }

    /// The schema of this version with frames and slots of one's own.
    pub fn with_layout(layout: &Layout) -> Self {
        let mut statics: Vec<String> = Vec::new();
        put_facts(&mut statics, &Facts::default());
        put_action(&mut statics, Action::Unknown);
        let sources = sources(&statics);
        let mut schema = Self {
            hash: String::new(),
            states: State::names(),
            frame_edges: layout.frames.edges().to_vec(),
            slots: layout.slots.count(),
            statics,
            sources,
        };
        schema.hash = schema.digest();
        schema
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
        // The cues decide what the columns named after them hold.
        for (cue, parts) in words::CUES {
            text.push_str(&format!("\n{cue} {parts:?}"));
        }
        format!("{:016x}", crate::fnv::fnv1a(text.as_bytes()))
    }
}

/// The columns of each source, by their names.
fn sources(statics: &[String]) -> Vec<StaticSource> {
    let of = |name: &str, belongs: &dyn Fn(&str) -> bool| StaticSource {
        name: name.to_owned(),
        columns: statics
            .iter()
            .enumerate()
            .filter(|(_, column)| belongs(column))
            .map(|(at, _)| at)
            .collect(),
    };
    let around = |column: &str| {
        Scope::ALL.iter().any(|scope| column.starts_with(&format!("{}-", scope.name())))
    };
    let mut sources = vec![
        of("job-ad", &|column| column.starts_with("memory-") || column.starts_with("disk-")),
        of("hold-reason", &|column| {
            column == "reason-given" || column.starts_with("word-") || column.starts_with("says-")
        }),
        of("event-log", &|column| {
            column == "sees-access-point"
                || (around(column) && !column.starts_with("cluster-") && column != "reason-given")
        }),
    ];
    // A scope at a time, so that what one tells is learned for itself too.
    sources.extend(Scope::ALL.iter().map(|scope| {
        let prefix = format!("{}-", scope.name());
        of(scope.name(), &|column| column.starts_with(&prefix))
    }));
    sources
}

#[cfg(test)]
mod tests {
    use super::super::Slots;
    use super::*;

    #[test]
    fn the_hash_follows_the_frames() {
        let default = FeatureSchema::current();
        let other = FeatureSchema::with_frames(&FrameEdges::equal(10, 60).unwrap());
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
