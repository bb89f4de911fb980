//! `preprocessing`: how holds become tensors, and how many ways of it are tried.

use holdadvise::features::{FrameEdges, Slots, State};
use holdadvise::model::limits;

use super::distribution::distribution;
use super::node::{Content, Node};
use super::problems::{Position, Problems};
use super::scalar::whole;
use super::section::{Section, describe};
use crate::sweep::parameters::PREPROCESSING;
use crate::sweep::space::Distribution;

/// Most settings: each prepares all data once more.
pub(super) const MOST_SETTINGS: usize = 1_000;

/// How data may be prepared.
#[derive(Clone, Debug, PartialEq)]
pub struct Preprocessing {
    /// The frames.
    pub frames: Frames,
    /// j: job slots.
    pub slots: Distribution,
    /// How many different settings are drawn; `None`: one, or some where anything varies.
    pub settings: Option<usize>,
}

/// The frames.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// One of these lists of growing edges, seconds before the decision.
    Edges(Vec<Vec<u32>>),
    /// m frames of one length.
    Equal {
        /// m.
        count: Distribution,
        /// Seconds of each.
        length: Distribution,
    },
}

impl Default for Preprocessing {
    fn default() -> Self {
        Self {
            frames: Frames::Edges(vec![FrameEdges::default().edges().to_vec()]),
            slots: Distribution::Constant { value: Slots::default().count().into() },
            settings: None,
        }
    }
}

/// Reads `preprocessing`; where each distribution stands goes to `places`.
pub(super) fn preprocessing(
    root: &mut Section<'_>,
    places: &mut Vec<(String, Position, Distribution)>,
    problems: &mut Problems,
) -> Preprocessing {
    let mut found = Preprocessing::default();
    let Some(mut section) = root.section("preprocessing", problems) else { return found };
    if let Some(node) = section.take("e") {
        let states = State::names().len();
        if whole(node) != i64::try_from(states).ok() {
            let text = format!(
                "preprocessing.e: expected {states}, not {}: the states of a job are those of the feature schema, \
                 which the advisor shares",
                describe(node)
            );
            problems.error(node.at, text);
        }
    }
    let mut drawn = PREPROCESSING.iter().map(|parameter| {
        let node = section.take(parameter.name)?;
        let name = format!("preprocessing.{}", parameter.name);
        let read = distribution(node, &name, parameter, problems)?;
        places.push((name, node.at, read.clone()));
        Some((node.at, read))
    });
    let (count, slots, length) =
        (drawn.next().flatten(), drawn.next().flatten(), drawn.next().flatten());
    drop(drawn);
    if let Some((_, slots)) = slots {
        found.slots = slots;
    }
    let edges = section.take("frame_edges");
    match (edges, count, length) {
        (None, None, None) => {}
        (None, Some((_, count)), Some((_, length))) => {
            found.frames = Frames::Equal { count, length };
        }
        (Some(node), None, None) => {
            found.frames = Frames::Edges(frame_edges(node, problems));
        }
        (Some(node), _, _) => {
            let text = "preprocessing.frame_edges: stands in place of `m` and `timeframe_len`, not beside them";
            problems.error(node.at, text);
        }
        // One of them is there, or was until an error was found in it.
        (None, Some((at, _)), None) if section_has_not(&mut section, "timeframe_len") => {
            problems.error(at, "preprocessing.m: needs `timeframe_len`, the seconds of a frame");
        }
        (None, None, Some((at, _))) if section_has_not(&mut section, "m") => {
            problems.error(at, "preprocessing.timeframe_len: needs `m`, how many frames");
        }
        _ => {}
    }
    if let Some(node) = section.take("settings") {
        found.settings = problems.count(node, "preprocessing.settings", 1..=MOST_SETTINGS);
    }
    section.finish(problems);
    found
}

fn section_has_not(section: &mut Section<'_>, key: &'static str) -> bool {
    section.take(key).is_none()
}

/// A list of edges, or `values` with several of them.
fn frame_edges(node: &Node, problems: &mut Problems) -> Vec<Vec<u32>> {
    let name = "preprocessing.frame_edges";
    let Content::Mapping(_) = &node.content else {
        return edges(node, name, problems).into_iter().collect();
    };
    let Some(mut section) = Section::of(name, node, problems) else { return Vec::new() };
    let lists = match (section.take("value"), section.take("values")) {
        (Some(node), None) => vec![node],
        (None, Some(node)) => problems.list(node, name),
        _ => Vec::new(),
    };
    section.finish(problems);
    if lists.is_empty() {
        problems.error(node.at, format!("{name}: expected a list, or `values` with lists"));
    }
    lists.into_iter().filter_map(|node| edges(node, name, problems)).collect()
}

fn edges(node: &Node, name: &str, problems: &mut Problems) -> Option<Vec<u32>> {
    let nodes = problems.list(node, name);
    let numbers: Vec<Option<i64>> =
        nodes.iter().map(|node| problems.whole(node, name, 0..=i64::from(u32::MAX))).collect();
    let numbers: Vec<u32> =
        numbers.into_iter().map(|number| number.map(|n| n as u32)).collect::<Option<_>>()?;
    if numbers.len() > limits::FRAMES + 1 || FrameEdges::new(numbers.clone()).is_none() {
        let most = limits::FRAMES + 1;
        let text = format!("{name}: expected 2 to {most} growing numbers of seconds");
        problems.error(node.at, text);
        return None;
    }
    Some(numbers)
}
