//! Owners and facilitators: they look, wait, release, edit, repair, remove, each with habits.
//! Whoever is released is chosen by them, so labels are as selective as in life.
//!
//! - `bulk`: facilitators release in bulk.
//! - `calendar`: weekdays and working hours.
//! - `decide`: what an owner does about like holds.
//! - `look`: owners look at what is held.

mod bulk;
mod calendar;
mod decide;
mod look;

pub(crate) use bulk::{bulk, plan_bulk_releases};
pub(crate) use calendar::{at_work, weekday};
pub(crate) use decide::still_going_on;
pub(crate) use look::{Looks, hold_own, look, notice, release_own};
