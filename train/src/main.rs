//! Trains the model of holdadvise.

fn main() {}
