//! `preprocessing`: how holds become tensors, and how many ways of it are tried.

use holdadvise::features::{FrameEdges, Slots, State};
use holdadvise::model::limits;

use super::distribution::distribution;
use super::node::Content;
use super::scalar::whole;
use super::section::{Section, Value, all, describe};
use crate::sweep::parameters::PREPROCESSING;
use crate::sweep::space::Distribution;

/// Most settings: each prepares all data once more.
const MOST_SETTINGS: i64 = 1_000;

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
pub(super) fn preprocessing<'a>(
    root: &mut Section<'a>,
    found: &mut Preprocessing,
    places: &mut Vec<(Value<'a>, Distribution)>,
) {
    let Some(mut section) = root.section("preprocessing") else { return };
    if let Some(value) = section.take("e") {
        let states = State::names().len();
        if whole(value.node) != i64::try_from(states).ok() {
            value.error(format_args!(
                "expected {states}, not {}: the states of a job are those of the feature schema, \
                 which the advisor shares",
                describe(value.node)
            ));
        }
    }
    let [count, slots, length] = [0, 1, 2].map(|at| {
        let parameter = &PREPROCESSING[at];
        let value = section.take(parameter.name)?;
        let read = distribution(value.clone(), parameter);
        places.extend(read.clone().map(|read| (value.clone(), read)));
        Some((value, read))
    });
    if let Some((_, Some(slots))) = slots {
        found.slots = slots;
    }
    match (section.take("frame_edges"), count, length) {
        (None, Some((_, count)), Some((_, length))) => {
            if let (Some(count), Some(length)) = (count, length) {
                found.frames = Frames::Equal { count, length };
            }
        }
        (Some(value), None, None) => found.frames = Frames::Edges(frame_edges(&value)),
        (Some(value), _, _) => {
            value.error("stands in place of `m` and `timeframe_len`, not beside them");
        }
        (None, Some((value, _)), None) => {
            value.error("needs `timeframe_len`, the seconds of a frame");
        }
        (None, None, Some((value, _))) => value.error("needs `m`, how many frames"),
        (None, None, None) => {}
    }
    section.set("settings", &mut found.settings, |value| Some(value.whole(1..=MOST_SETTINGS)));
}

/// A list of edges, or `values` with several of them.
fn frame_edges<'a>(value: &Value<'a>) -> Vec<Vec<u32>> {
    let Content::Mapping(_) = &value.node.content else {
        return edges(value).into_iter().collect();
    };
    let Some(mut section) = value.clone().section() else { return Vec::new() };
    // Their errors name the whole.
    let named = |of: Value<'a>| of.node;
    let lists = match (section.take("value").map(named), section.take("values").map(named)) {
        (Some(node), None) => vec![Value { node, ..value.clone() }],
        (None, Some(node)) => Value { node, ..value.clone() }.list(),
        _ => Vec::new(),
    };
    if lists.is_empty() {
        value.error("expected a list, or `values` with lists");
    }
    lists.iter().filter_map(edges).collect()
}

fn edges(value: &Value<'_>) -> Option<Vec<u32>> {
    let each = value.list();
    let each = each.iter().map(|value| value.whole(0..=i64::from(u32::MAX)));
    let numbers = all(each)?;
    let most = limits::FRAMES + 1;
    if numbers.len() > most || FrameEdges::new(numbers.clone()).is_none() {
        value.error(format_args!("expected 2 to {most} growing numbers of seconds"));
        return None;
    }
    Some(numbers)
}
