//! An episode and what went on around it become a tensor and a row of statics.
//!
//! A [`Sampler`] reads a [`History`](crate::history::History) once and makes a [`Sample`] of any of
//! its holds at any decision instant. `docs/training/features.md` has a row for each static.
//!
//! - `around`: counts of what happened in each scope.
//! - `at_server`: what jobs met at one file server.
//! - `columns`: the table of the static columns.
//! - `facts`: the job's own history.
//! - `frame`: intervals back from the decision instant.
//! - `layout`: the sizes m and j, which may be chosen.
//! - `neighbourhood`: the counts of one scope, for people.
//! - `recovery`: a sample as it would be had others got through.
//! - `sample`: the tensor and the statics of one hold at one instant.
//! - `schema`: names and hash of the columns, and those that a model picks.
//! - `series`: instants of a group, counted over windows.
//! - `slots`: which other jobs stand in the tensor.
//! - `state`: the states of a job slot.
//! - `words`: the words of a hold reason as numbers.

mod around;
mod at_server;
mod columns;
mod facts;
mod frame;
mod layout;
mod neighbourhood;
mod recovery;
mod sample;
mod schema;
mod series;
mod slots;
mod state;
mod words;

pub use around::{Holds, Scope};
pub(crate) use at_server::AtServer;
pub(crate) use columns::InputGroup;
pub use columns::{COLUMNS, Column, ColumnRow, RELEASE_DELAY};
pub use eventlog::fnv1a;
pub use frame::FrameEdges;
pub use layout::Layout;
pub use neighbourhood::{Neighbourhood, Vouched};
pub(crate) use neighbourhood::{Voice, outweighs, voices};
pub use recovery::RecoveryColumns;
pub use sample::{InDirectory, Sample, Sampler, is_labelled};
pub use schema::{FeatureSchema, Projection, SchemaError, StaticSource};
pub use slots::{Slots, SlotsError};
pub use state::State;
