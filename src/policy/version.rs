//! Versions of HTCondor.

use std::fmt;
use std::str::FromStr;

/// A version of HTCondor: `25.14.1`. A part that is left out stands for the newest: `24` is later
/// than every 24.x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    parts: [u16; 3],
}

/// Not the text of a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no version of HTCondor; expected numbers as in 25, 25.14 or 25.14.1")]
pub struct NoVersion(String);

impl Version {
    /// The newest that this program knows the rules of.
    pub const NEWEST: Self = Self { parts: [25, u16::MAX, u16::MAX] };

    /// HoldReasonSubCode of memory, of holds for more than was given, in this version: 102 since
    /// 24.0.12, 0 before. Of the feature versions in between it is not known: it may be either.
    pub fn memory_subcodes(self) -> &'static [i32] {
        if self < Self::new(24, 0, 12) {
            &[0]
        } else if (Self::new(24, 1, 0)..Self::new(25, 0, 0)).contains(&self) {
            &[0, 102]
        } else {
            &[102]
        }
    }

    /// `major.minor.patch`
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { parts: [major, minor, patch] }
    }
}

impl FromStr for Version {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let error = || NoVersion(crate::text::strip_control(text).into_owned());
        let mut parts = [u16::MAX; 3];
        let mut given = text.trim().split('.');
        for (at, part) in parts.iter_mut().enumerate() {
            match given.next() {
                Some(number) => *part = number.parse().map_err(|_| error())?,
                None if at > 0 => break,
                None => return Err(error()),
            }
        }
        if given.next().is_some() { Err(error()) } else { Ok(Self { parts }) }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.parts.iter().take_while(|&&part| part != u16::MAX);
        let texts: Vec<String> = known.map(ToString::to_string).collect();
        out.write_str(&texts.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_the_newest() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        assert!(version("24") > Version::new(24, 0, 12));
        assert!(version("24.0.11") < Version::new(24, 0, 12));
        assert!(version("23.9") < version("24.0"));
        assert_eq!(version("25.14").to_string(), "25.14");
        assert_eq!(version("25"), Version::NEWEST);
        for text in ["", "x", "25.x", "1.2.3.4", "-1", "25."] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }
}
