//! `cluster.proc`, the name of a job.

use std::fmt;
use std::str::FromStr;

use classads::ClassAd;

/// A job: `cluster.proc`. Both parts may be negative in a log (cluster-wide events write proc -1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobId {
    /// ClusterId.
    pub cluster: i32,
    /// ProcId.
    pub proc: i32,
}

impl JobId {
    /// The job `cluster.proc`.
    pub const fn new(cluster: i32, proc: i32) -> Self {
        Self { cluster, proc }
    }

    /// The job a job ad is of. An ad without ClusterId is of none, one without ProcId of the first
    /// of its cluster.
    pub fn of_ad(ad: &ClassAd) -> Option<Self> {
        let part = |name| ad.integer(name).and_then(|value| i32::try_from(value).ok());
        Some(Self::new(part("ClusterId")?, part("ProcId").unwrap_or(0)))
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.cluster, self.proc)
    }
}

/// The text is not `cluster.proc`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a job id, expected cluster.proc such as 1234.0")]
pub struct ParseJobIdError(String);

impl FromStr for JobId {
    type Err = ParseJobIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('.').and_then(|(cluster, proc)| {
            Some(Self { cluster: cluster.parse().ok()?, proc: proc.parse().ok()? })
        });
        parsed.ok_or_else(|| ParseJobIdError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_prints() {
        let id: JobId = "1234.0".parse().unwrap();
        assert_eq!(id, JobId::new(1234, 0));
        assert_eq!(id.to_string(), "1234.0");
        assert_eq!("11922357.-1".parse(), Ok(JobId::new(11_922_357, -1)));
        assert!("1234".parse::<JobId>().is_err());
    }
}
