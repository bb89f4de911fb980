//! The steps of a sweep that its nodes run.

pub mod finish;
pub mod select;
pub mod test;
#[cfg(test)]
mod tests;
