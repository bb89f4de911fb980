//! The sizes of a sample that may be chosen: frames and job slots.

use super::{FeatureSchema, FrameEdges, Slots};

/// The frames and the job slots of a sample: m and j of its states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// m frames.
    pub frames: FrameEdges,
    /// j slots.
    pub slots: Slots,
}

impl Layout {
    /// Those of a schema, such as a model's. `None` where its frame edges do not grow or its slots
    /// are too few or too many.
    pub fn of(schema: &FeatureSchema) -> Option<Self> {
        let frames = FrameEdges::new(schema.frame_edges.clone())?;
        let slots = Slots::new(schema.slots).ok()?;
        Some(Self { frames, slots })
    }
}

impl From<FrameEdges> for Layout {
    /// These frames, and the default slots.
    fn from(frames: FrameEdges) -> Self {
        Self { frames, slots: Slots::default() }
    }
}
