//! What an LSTM over the nodes of a script is fitted with.

use crate::Error;

#[cfg(feature = "torch")]
pub(super) use super::network::Network;

/// Sizes of the network, and how it is kept small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    /// Width of an embedding row.
    pub(super) width: usize,
    /// Units of an LSTM.
    pub(super) hidden: usize,
    /// A second LSTM reads the sequence backwards.
    pub(super) both_ways: bool,
    /// Share of units dropped in training.
    pub(super) dropout: f64,
}

/// Those that are tried.
pub(super) const CHOICES: [Choice; 3] = [
    Choice { width: 8, hidden: 16, both_ways: false, dropout: 0.3 },
    Choice { width: 8, hidden: 16, both_ways: true, dropout: 0.3 },
    Choice { width: 16, hidden: 32, both_ways: true, dropout: 0.3 },
];

impl Choice {
    pub(super) fn name(&self) -> String {
        let Self { hidden, dropout, .. } = self;
        let ways = if self.both_ways { "both ways" } else { "one way" };
        format!("{hidden} units {ways}, dropout {dropout}")
    }
}

/// Looks before the work whether a network can be fitted.
pub(super) fn check() -> Result<(), Error> {
    if cfg!(feature = "torch") { Ok(()) } else { Err(ABSENT.into()) }
}

const ABSENT: &str = "--sequence: this program was built without libtorch, which fits the network: \
                      leave the option out, or build with the cargo feature torch";

/// None can be made without libtorch.
#[cfg(not(feature = "torch"))]
pub(super) enum Network {}

#[cfg(not(feature = "torch"))]
impl Network {
    pub(super) fn fit(_: &Choice, _: &[&super::rows::Row], _: u64) -> Result<Self, Error> {
        Err(ABSENT.into())
    }

    pub(super) fn said(&self, _: &[&super::rows::Row]) -> Result<Vec<super::figures::Said>, Error> {
        match *self {}
    }

    pub(super) fn archive(&self) -> Result<Vec<u8>, Error> {
        match *self {}
    }
}
