//! What a pass says of itself in the ad of the schedd.

use std::collections::BTreeMap;
use std::fmt;

use holdadvise::advice::Recommendation;
use holdadvise::text::{classad_quote, shown};

/// Characters of a problem at most.
const PROBLEM: usize = 200;

/// Owners left out that are named.
const NAMED: usize = 5;

/// What went wrong, where something did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The first thing that went wrong in this pass.
    pub problem: Option<String>,
    /// The last pass that judged, Unix seconds.
    pub last_good: Option<i64>,
    /// Owners whose jobs are not asked for.
    pub left_out: Vec<String>,
}

/// A text as a literal of an ad, cut.
pub(crate) fn quoted(text: &str, longest: usize) -> Option<String> {
    let text = shown(text, longest);
    classad_quote(&text).or_else(|| classad_quote(&text.replace('\\', "/")))
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is not said stays in the ad of the schedd as it was.
        let said = |value: Option<String>| value.unwrap_or_else(|| "undefined".to_owned());
        let problem = self.problem.as_deref().and_then(|text| quoted(text, PROBLEM - 3));
        writeln!(f, "Problem = {}", said(problem))?;
        writeln!(f, "LastGood = {}", said(self.last_good.map(|at| at.to_string())))?;
        let named = self.left_out.iter().take(NAMED).map(String::as_str);
        let others = self.left_out.len().saturating_sub(NAMED);
        let others = (others > 0).then(|| format!("{others} more"));
        let names: Vec<&str> = named.chain(others.as_deref()).collect();
        let names = classad_quote(&names.join(", ")).filter(|_| !names.is_empty());
        writeln!(f, "OwnersLeftOut = {}", said(names))
    }
}

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
    /// Jobs for which HOLDADVISE_OWNER_RELEASES or HOLDADVISE_PASS_RELEASES let no more go.
    pub over_bounds: usize,
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
    /// Seconds from pass to pass, as they were seen.
    pub period: Option<i64>,
    /// Most memory of the judge, MiB.
    pub memory: u64,
    /// Begin of the pass, Unix seconds.
    pub at: i64,
    /// What went wrong.
    pub health: Health,
}

impl Counts {
    /// A line of the log, where the pass did something or something went wrong.
    pub fn line(&self, faults: &[String]) -> Option<String> {
        if self.written == 0 && self.went == 0 && faults.is_empty() {
            return None;
        }
        let Self { written, may_go, went, seconds, .. } = self;
        let jobs = self.advised.values().sum::<usize>();
        let mut line = format!(
            "Pass of {seconds:.1} s: held jobs judged {jobs}, written {written}, may go {may_go}, \
             released {went}"
        );
        if let Some(first) = faults.first() {
            line += &format!("; problems {}, the first: {first}", faults.len());
        }
        Some(line)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Jobs = {}", self.advised.values().sum::<usize>())?;
        for advice in Recommendation::ALL {
            let mut name = advice.name().to_owned();
            name[..1].make_ascii_uppercase();
            writeln!(f, "Jobs{name} = {}", self.advised.get(&advice).unwrap_or(&0))?;
        }
        writeln!(f, "JobsMayGo = {}", self.may_go)?;
        writeln!(f, "JobsReleased = {}", self.went)?;
        writeln!(f, "JobsLeftToPeople = {}", self.left_to_people)?;
        writeln!(f, "JobsOverBounds = {}", self.over_bounds)?;
        writeln!(f, "LeftOver = {}", self.left_over)?;
        writeln!(f, "DroppedLines = {}", self.dropped)?;
        writeln!(f, "Writes = {}", self.writes)?;
        writeln!(f, "JobsWritten = {}", self.written)?;
        writeln!(f, "PassSeconds = {:.1}", self.seconds)?;
        let period =
            self.period.map_or_else(|| "undefined".to_owned(), |period| period.to_string());
        writeln!(f, "PassPeriod = {period}")?;
        writeln!(f, "JudgeMemoryMB = {}", self.memory)?;
        writeln!(f, "PassTime = {}", self.at)?;
        write!(f, "{}", self.health)?;
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
        assert_eq!(counts.line(&[]), None);
        let line = counts.line(&["a".to_owned(), "b".to_owned()]).unwrap();
        assert_eq!(
            line,
            "Pass of 1.2 s: held jobs judged 3, written 0, may go 0, released 0; problems 2, the first: a"
        );
    }

    #[test]
    fn what_went_wrong_is_one_string_of_an_ad() {
        let long = format!("a \"b\" \\\u{1b}[2J\nc {}\\", "x".repeat(300));
        let owners = (0..7).map(|number| format!("user{number}")).collect();
        let health = Health { problem: Some(long), last_good: Some(7), left_out: owners };
        let text = health.to_string();
        let ad = classads::read_ads(text.as_bytes()).next().unwrap().unwrap();
        let problem = ad.string("Problem").unwrap();
        assert!(problem.starts_with("a \"b\"") && problem.chars().count() <= 200, "{problem}");
        assert_eq!(ad.integer("LastGood"), Some(7));
        let left_out = ad.string("OwnersLeftOut");
        assert_eq!(left_out.as_deref(), Some("user0, user1, user2, user3, user4, 2 more"));
        let nothing = "Problem = undefined\nLastGood = undefined\nOwnersLeftOut = undefined\n";
        assert_eq!(Health::default().to_string(), nothing);
        let backslash = Health { problem: Some("a\\".to_owned()), ..Health::default() };
        assert!(backslash.to_string().starts_with("Problem = \"a/\"\n"));
    }
}
