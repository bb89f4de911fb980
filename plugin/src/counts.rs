//! What a pass says of itself in the ad of the schedd.

use std::collections::BTreeMap;
use std::fmt;

use holdadvise::advice::Recommendation;

/// The counts of a pass. SCHEDD_CRON puts `HoldAdvice` before their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Jobs judged, by recommendation.
    pub advised: BTreeMap<Recommendation, usize>,
    /// Jobs that the policy of the access point may release now.
    pub may_go: usize,
    /// Jobs that it released since the last pass.
    pub went: usize,
    /// Jobs that are left to people.
    pub left_to_people: usize,
    /// Jobs that were not judged or written for want of time.
    pub left_over: usize,
    /// Lines of the judge that did not fit.
    pub dropped: usize,
    /// Transactions of the schedd.
    pub writes: usize,
    /// Jobs written.
    pub written: usize,
    /// Seconds that the pass took.
    pub seconds: f64,
    /// Most memory of the judge, MiB.
    pub memory: u64,
    /// Begin of the pass, Unix seconds.
    pub at: i64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Jobs = {}", self.advised.values().sum::<usize>())?;
        for advice in crate::line::WORDS {
            let mut name = advice.name().to_owned();
            name[..1].make_ascii_uppercase();
            writeln!(f, "Jobs{name} = {}", self.advised.get(&advice).unwrap_or(&0))?;
        }
        writeln!(f, "JobsMayGo = {}", self.may_go)?;
        writeln!(f, "JobsReleased = {}", self.went)?;
        writeln!(f, "JobsLeftToPeople = {}", self.left_to_people)?;
        writeln!(f, "LeftOver = {}", self.left_over)?;
        writeln!(f, "DroppedLines = {}", self.dropped)?;
        writeln!(f, "Writes = {}", self.writes)?;
        writeln!(f, "JobsWritten = {}", self.written)?;
        writeln!(f, "PassSeconds = {:.1}", self.seconds)?;
        writeln!(f, "JudgeMemoryMB = {}", self.memory)?;
        writeln!(f, "PassTime = {}", self.at)?;
        // The end of the ad.
        writeln!(f, "-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_lines_of_an_ad() {
        let counts = Counts {
            advised: BTreeMap::from([(Recommendation::Wait, 3)]),
            seconds: 1.25,
            ..Counts::default()
        };
        let text = counts.to_string();
        let ad = text.strip_suffix("-\n").unwrap();
        let ad = classads::read_ads(ad.as_bytes()).next().unwrap().unwrap();
        assert_eq!((ad.integer("Jobs"), ad.integer("JobsWait")), (Some(3), Some(3)));
        assert_eq!(ad.integer("JobsUndecided"), Some(0));
    }
}
