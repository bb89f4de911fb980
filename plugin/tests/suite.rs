//! The tests of this crate from outside, in one program: a module for each subject.

mod check;
mod collect;
mod confined;
mod judged;
mod learn;
mod looks;
mod mail;
mod manual;
mod poisoned;
