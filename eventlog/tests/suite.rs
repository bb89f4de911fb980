//! The tests of this crate from outside, in one program: a module for each subject.

mod bytes;
mod follow;
mod forged;
mod life;
mod real;
mod recorded;
