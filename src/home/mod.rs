//! Learning at home: what the outcomes of one access point say of the model in use there.
//!
//! [`recalibrate`] fits slope and intercept to them, with the shrinkage of
//! [`crate::model::Apart`]. [`KeptCalibration`] is that calibration beside the model, [`Drift`] says
//! when a model is off, [`Trial`] whether another one is better, and [`Places`] where it is kept.
//! `docs/administering/home.md` is for administrators.
//!
//! - `betting`: tests that may be looked at every day.
//! - `fit`: fits slope and intercept, and measures them on newer outcomes.
//! - `kept`: the file of a calibration beside its model.
//! - `learned`: joins what was said of a hold with its outcome.
//! - `owners`: what is learned without each owner in turn.
//! - `state`: installs a challenger and takes it back.
//! - `trial`: the trial of a challenger.

mod betting;
mod fit;
mod kept;
mod learned;
mod owners;
mod state;
mod trial;

pub use betting::{BETWEEN_FALSE_ALARMS, BOUND, Bet, Drift, ERROR, ForecastRelease, error_of};
pub use fit::{FitOptions, JudgedReleases, MOST_OF_ONE, Recalibrated, is_worse, recalibrate};
pub use kept::{CALIBRATION, KeptCalibration, MODEL};
pub use learned::{Ended, Rows, learned};
pub use state::{Challenger, HomeState, PlaceError, Places, RetrainRequest};
pub use trial::{DAYS, LEAST_CLUSTERS, Trial, TrialRelease};

pub use crate::private::{own, put};

/// Why nothing was learned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HomeError {
    /// Too few outcomes.
    #[error("there are {outcomes} outcomes of releases, a calibration takes {least}")]
    Few {
        /// Outcomes.
        outcomes: u64,
        /// Needed.
        least: u64,
    },
    /// The older or the newer part has too few.
    #[error(
        "cut in time there are {older} older outcomes to fit to and {newer} newer ones to measure \
         on, 20 each are needed: {near} were decided less than {gap} s before the newer ones, \
         {split} are of clusters that the older ones have"
    )]
    Cut {
        /// Older outcomes.
        older: usize,
        /// Newer outcomes.
        newer: usize,
        /// Left out, decided shortly before the newer ones.
        near: usize,
        /// Left out, of clusters of the older ones.
        split: usize,
        /// Seconds between the parts.
        gap: i64,
    },
    /// No slope and intercept do.
    #[error(
        "these outcomes are all alike, or those that the model calls likelier to succeed do so less \
         often: no slope and intercept correct that"
    )]
    Useless,
    /// Their weights are 0.
    #[error("the newer outcomes have no calibration error: their weights are 0")]
    Weightless,
}
