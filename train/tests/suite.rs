//! The tests of this crate from outside, in one program: a module for each subject.

mod calibrate;
mod challengers;
mod closed_loop;
mod command;
mod common;
mod episodes;
mod evaluate;
mod judge;
mod layouts;
mod mixing;
mod pieces;
mod profiles;
mod review;
mod shards;
mod sweep;
mod time_travel;
mod training;
mod warm_start;
