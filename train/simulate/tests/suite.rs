//! The tests of this crate from outside, in one program: a module for each subject.

mod closed;
mod frozen;
mod held_out;
mod layers;
mod looks;
mod simulated;
mod when;
