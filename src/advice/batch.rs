//! Judges many jobs on all cores.

use rayon::prelude::*;

use super::{Advice, Advisor, Held};
use crate::model::ModelError;

impl Advisor<'_> {
    /// Jobs to judge in one call of [`Self::advise_each`]: their advices are in memory at once.
    pub const BATCH: usize = 512;

    /// Jobs of these that are judged together on one core.
    pub const TOGETHER: usize = 64;

    /// As [`Self::advise_all`], on all cores; `held` makes of a job what is judged.
    ///
    /// # Errors
    /// [`ModelError`] when the engine fails.
    pub fn advise_each<T: Sync>(
        &self,
        jobs: &[T],
        held: impl Fn(&T) -> Held + Sync,
        now: i64,
    ) -> Result<Vec<Option<Advice>>, ModelError> {
        let judge = |jobs: &[T]| self.judged(&jobs.iter().map(&held).collect::<Vec<_>>(), now);
        // A few jobs need no threads.
        let mut advices = if jobs.len() <= Self::TOGETHER {
            judge(jobs)?
        } else {
            let judged = jobs.par_chunks(Self::TOGETHER).map(judge);
            judged.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect()
        };
        self.draw_among(&mut advices, now)?;
        Ok(advices)
    }
}
