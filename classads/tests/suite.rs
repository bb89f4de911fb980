//! The tests of this crate from outside, in one program: a module for each subject.

mod properties;
mod reading;
mod steps;
