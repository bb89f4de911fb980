//! The program, asked by a client of the protocol.

mod foreign;
mod place;
mod served;
