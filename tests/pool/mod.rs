//! A real HTCondor pool for tests: the harness, the causes of holds, and what is done with them.

pub(crate) mod advice;
pub(crate) mod causes;
pub(crate) mod harness;
pub(crate) mod profile;
pub(crate) mod record;
pub(crate) mod story;
pub(crate) mod table;
