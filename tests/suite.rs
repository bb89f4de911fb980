//! The tests of this crate from outside, in one program: a module for each subject.

mod decisions;
mod documents;
mod episode_stream;
mod features_document;
mod hold_reasons;
mod layouts;
mod one_answer;
mod outage;
mod outside;
mod parts;
mod policies;
mod pool_checks;
mod pool_faults;
mod quoted;
mod rooms;
mod serving_equals_training;
mod sources;
mod time_travel;
mod transfer_errors;
