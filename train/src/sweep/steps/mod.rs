//! The steps of a sweep that its nodes run.

pub mod finish;
pub mod select;
pub mod test;
#[cfg(test)]
mod tests;

use super::folder::FolderError;

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A file of the sweep's folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// There is no such rung.
    #[error("there is no rung {number} in this sweep, which has {count}")]
    Rung {
        /// The number given.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// No trial has a result.
    #[error(
        "no trial has a result of rung {rung} that can be used; the first, trial {trial}: {reason}"
    )]
    Nothing {
        /// The rung.
        rung: usize,
        /// The first trial that has none.
        trial: usize,
        /// Why it has none.
        reason: String,
    },
}
