//! What models and policies are worth on holds whose outcome is known.
//!
//! [`evaluate`] puts models beside the baselines with the figures of [`metrics`], and [`report`]
//! makes a page of it; [`predict`] keeps what a model says of each row. [`policies`] judges
//! expressions by the truth of simulations, [`review`] shows advice on past holds beside what
//! became of them, [`when`] when a model says that releases succeed, [`judge`] advice by the truth
//! of simulations. [`closed_loop`] lets policies and advice decide in running simulations.

pub mod closed_loop;
pub mod evaluate;
pub mod judge;
pub use holdadvise::metrics;
pub mod policies;
pub mod predict;
mod queue_ad;
pub mod report;
pub mod review;
pub mod when;
