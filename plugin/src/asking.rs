//! What the schedd is asked, so that what one owner wrote into an ad costs the others nothing.
//!
//! An ad may have expressions that nobody ever evaluates to an end (`A1 = A0 + A0`, `A2 = A1 + A1`,
//! ...). A query that meets one never answers, and keeps a process of the schedd
//! (SCHEDD_QUERY_WORKERS) until somebody ends that. Hence no query of the advisor has a list of
//! attributes, whose references the schedd would follow, and none evaluates what users may write.
//! Where one is not answered all the same, the next pass asks owner by owner, and leaves out for a
//! day whose query is not answered.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use eventlog::JobId;
use rustix::process::{getegid, geteuid};

use crate::judge::{HELD, LOST, SECTION};
use crate::looks::folder::{Folder, Record};
use crate::looks::is_account;
use crate::process::{Feed, ProcessError, answer};
use crate::select::among;
use crate::settings::Settings;

/// Seconds for which an owner is left out whose query was not answered. Assumed: two processes of
/// the schedd a day.
pub const LEFT_OUT: i64 = 86_400;

/// Owners that are left out at most: their names stand in one argument. Assumed.
const OWNERS: usize = 500;

/// Queries of a pass by owner that may be lost. Assumed.
const LOST_OWNERS: usize = 2;

/// A query that fails after so long was lost. Assumed: condor_q gives up after 20 s without a byte,
/// and at once where there is no schedd.
const SILENT: Duration = Duration::from_secs(15);

/// After so many lost queries without a whole pass between them the advisor pauses. Assumed: less
/// than half of SCHEDD_QUERY_WORKERS, which is 8.
const PAUSES_AFTER: u32 = 3;

/// Seconds of a pause at most. Assumed.
const LONGEST_PAUSE: i64 = 3_600;

/// Jobs of acts of a pass by owner at most: they stand in one argument.
const ACTS: usize = 500;

/// The file in HOLDADVISE_STATE, without the end of its name.
const FILE: &str = "queries";

/// Bytes of that file at most.
const LONGEST: usize = 64 << 10;

/// What is kept from pass to pass. Times are Unix seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Kept {
    /// The last pass that judged.
    good: Option<i64>,
    /// Queries lost since the last whole pass.
    lost: u32,
    /// Until when nothing is asked.
    pause: i64,
    /// The next pass asks owner by owner, behind this one.
    behind: Option<String>,
    /// Owners left out, and until when.
    owners: BTreeMap<String, i64>,
}

impl Kept {
    /// Lines that do not fit are skipped.
    fn of(text: &str, now: i64) -> Self {
        let mut kept = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            // No clock is later than now, and nothing lasts longer than it may.
            let until = |word: &str, most: i64| {
                word.parse().ok().map(|until: i64| until.min(now.saturating_add(most)))
            };
            match words.as_slice() {
                ["good", at] => kept.good = until(at, 0),
                ["lost", number] => kept.lost = number.parse().unwrap_or(0),
                ["pause", at] => kept.pause = until(at, LONGEST_PAUSE).unwrap_or(0),
                ["behind", owner] if is_account(owner) => kept.behind = Some((*owner).to_owned()),
                ["behind"] => kept.behind = Some(String::new()),
                ["owner", owner, at] if is_account(owner) && kept.owners.len() < OWNERS => {
                    let until = until(at, LEFT_OUT).filter(|until| *until > now);
                    kept.owners.extend(until.map(|until| ((*owner).to_owned(), until)));
                }
                _ => {}
            }
        }
        kept
    }

    fn text(&self) -> String {
        let mut text = format!("lost {}\npause {}\n", self.lost, self.pause);
        // Writing to a String does not fail.
        let _ = self.good.iter().try_for_each(|at| writeln!(text, "good {at}"));
        match self.behind.as_deref() {
            None => {}
            Some("") => text.push_str("behind\n"),
            Some(owner) => text.push_str(&format!("behind {owner}\n")),
        }
        for (owner, until) in &self.owners {
            text.push_str(&format!("owner {owner} {until}\n"));
        }
        text
    }
}

/// The queries of a pass.
#[derive(Debug)]
pub struct Asking {
    state: PathBuf,
    kept: Kept,
    /// How long one query may take, and one about a single owner.
    bounds: (Duration, Duration),
    /// Half of the time of a pass: after that no owner is asked about.
    half: Duration,
    jobs: usize,
    interval: i64,
    now: i64,
    /// A query was lost.
    has_lost: bool,
    /// What went wrong, a line each.
    pub faults: Vec<String>,
}

impl Asking {
    /// What earlier passes kept. A file that is not this account's own is not believed.
    #[must_use]
    pub fn open(settings: &Settings, now: i64) -> Self {
        let read = || {
            let Some(folder) = Folder::open(&settings.state, geteuid().as_raw())? else {
                return Ok(None);
            };
            folder.read(FILE, geteuid().as_raw(), LONGEST)
        };
        let mut faults = Vec::new();
        let record = read().unwrap_or_else(|error: std::io::Error| {
            faults.push(format!("HOLDADVISE_STATE: {FILE}: {error}; it is not believed"));
            None
        });
        let text = record.map(|record| String::from_utf8_lossy(&record.bytes).into_owned());
        let bound = Duration::from_secs(settings.query_seconds);
        let half = Duration::from_secs(settings.seconds) / 2;
        let bound = bound.min(half);
        Self {
            state: settings.state.clone(),
            kept: Kept::of(&text.unwrap_or_default(), now),
            bounds: (bound, bound / 3),
            half,
            jobs: settings.jobs,
            interval: settings.interval,
            now,
            has_lost: false,
            faults,
        }
    }

    /// Seconds for which nothing is to be asked, and how many queries were lost.
    #[must_use]
    pub fn pause(&self) -> Option<(i64, u32)> {
        Some((self.kept.pause - self.now, self.kept.lost)).filter(|(left, _)| *left > 0)
    }

    /// The last pass that judged, Unix seconds.
    #[must_use]
    pub fn last_good(&self) -> Option<i64> {
        self.kept.good
    }

    /// Owners that are left out.
    #[must_use]
    pub fn left_out(&self) -> Vec<String> {
        self.kept.owners.keys().cloned().collect()
    }

    /// Keeps what the next pass has to know. `judged`: this one judged.
    pub fn keep(&mut self, judged: bool) {
        if judged {
            self.kept.good = Some(self.now);
        }
        if judged && !self.has_lost && self.kept.behind.is_none() {
            self.kept.lost = 0;
        }
        let record = Record { begun: self.now, bytes: self.kept.text().into_bytes() };
        let folder = Folder::open(&self.state, geteuid().as_raw());
        let kept = folder.and_then(|folder| {
            let folder = folder.ok_or(std::io::ErrorKind::NotFound)?;
            folder.write(FILE, &record, getegid().as_raw())
        });
        if let Err(error) = kept {
            self.faults.push(format!("HOLDADVISE_STATE: {FILE}: {error}"));
        }
    }

    /// True of the jobs of owners that are not left out.
    #[must_use]
    pub fn others(&self) -> String {
        let names = self.kept.owners.keys();
        let tests: Vec<String> = names.map(|owner| format!("Owner =!= \"{owner}\"")).collect();
        if tests.is_empty() { "true".to_owned() } else { format!("({})", tests.join(" && ")) }
    }

    /// Whether this pass asks owner by owner.
    #[must_use]
    pub fn is_by_owner(&self) -> bool {
        self.kept.behind.is_some()
    }

    /// The ads of jobs go to the judge, whole.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn ads(&mut self, feed: &mut Feed, constraint: &str) -> Result<(), ProcessError> {
        self.ads_within(feed, constraint, self.bounds.0)
    }

    fn ads_within(
        &mut self,
        feed: &mut Feed,
        constraint: &str,
        bound: Duration,
    ) -> Result<(), ProcessError> {
        let limit = self.jobs.to_string();
        let words = ["-allusers", "-long", "-limit", &limit, "-constraint", constraint];
        let begun = Instant::now();
        let ran = feed.run("condor_q", &words, bound);
        self.noted(ran, begun)
    }

    /// What condor_q answers about jobs in words that users do not write.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn words(
        &mut self,
        constraint: &str,
        attributes: &[&str],
        deadline: Instant,
    ) -> Result<String, ProcessError> {
        let words = ["-allusers", "-constraint", constraint, "-af"];
        let begun = Instant::now();
        let until = deadline.min(begun + self.bounds.0);
        let answered = answer("condor_q", &[&words, attributes].concat(), until);
        self.noted(answered, begun)
    }

    /// Counts what was lost, which is late.
    fn noted<T>(
        &mut self,
        result: Result<T, ProcessError>,
        begun: Instant,
    ) -> Result<T, ProcessError> {
        let result = result.map_err(|error| match error {
            ProcessError::Failed { what, .. } if begun.elapsed() >= SILENT.min(self.bounds.1) => {
                ProcessError::Late { what }
            }
            error => error,
        });
        if let Err(ProcessError::Late { .. }) = &result {
            self.has_lost = true;
            self.kept.lost = self.kept.lost.saturating_add(1);
            self.kept.behind.get_or_insert_default();
            if self.kept.lost >= PAUSES_AFTER {
                let doublings = (self.kept.lost - PAUSES_AFTER + 1).min(12);
                let pause = (self.interval << doublings).min(LONGEST_PAUSE);
                self.kept.pause = self.now + pause;
            }
        }
        result
    }

    /// The ads of held jobs and of these jobs go to the judge owner by owner. Whose query is not
    /// answered is left out; a second one ends it.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn by_owner(
        &mut self,
        feed: &mut Feed,
        acts: &[JobId],
        deadline: Instant,
    ) -> Result<(), ProcessError> {
        let acts = among(acts.iter().take(ACTS).copied());
        let wanted = format!("(JobStatus == 5 || {acts})");
        let named = self.words(&format!("{} && {wanted}", self.others()), &["Owner"], deadline)?;
        let behind = self.kept.behind.clone().unwrap_or_default();
        let owners: BTreeSet<&str> = named.lines().filter(|name| is_account(name)).collect();
        // Those first that the last pass had no time for.
        let later = owners.iter().filter(|owner| **owner > behind.as_str());
        let order = later.chain(owners.iter().filter(|owner| **owner <= behind.as_str()));
        let until = deadline.checked_sub(self.half).unwrap_or(deadline);
        let mut lost = 0;
        for owner in order {
            if lost == LOST_OWNERS || Instant::now() >= until {
                return Ok(());
            }
            feed.section(SECTION, HELD)?;
            let constraint = format!("Owner =?= \"{owner}\" && {wanted}");
            match self.ads_within(feed, &constraint, self.bounds.1) {
                Err(ProcessError::Late { .. }) => {
                    lost += 1;
                    feed.section(SECTION, LOST)?;
                    // A schedd that answers nobody says nothing of this owner.
                    self.words("false", &["ClusterId"], deadline)?;
                    self.leave_out(owner);
                }
                ran => ran?,
            }
            self.kept.behind = Some((*owner).to_owned());
        }
        self.kept.behind = None;
        Ok(())
    }

    fn leave_out(&mut self, owner: &str) {
        self.faults.push(format!(
            "the schedd does not answer about the held jobs of {owner}: they are left out for {} h",
            LEFT_OUT / 3_600
        ));
        if self.kept.owners.len() < OWNERS {
            self.kept.owners.insert(owner.to_owned(), self.now + LEFT_OUT);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asking(folder: &std::path::Path, now: i64) -> Asking {
        let config = holdadvise::cli::Config::of_user();
        let (settings, _) = Settings::of(&config).unwrap();
        Asking::open(&Settings { state: folder.to_owned(), interval: 180, ..settings }, now)
    }

    fn lose(asking: &mut Asking) {
        let late = ProcessError::Late { what: "condor_q".to_owned() };
        assert!(asking.noted::<()>(Err(late), Instant::now()).is_err());
    }

    #[test]
    fn an_owner_is_left_out_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = asking(folder.path(), 1_000);
        assert_eq!(first.others(), "true");
        first.leave_out("mallory");
        first.keep(true);
        let next = asking(folder.path(), 1_180);
        assert_eq!(
            (next.others(), next.last_good()),
            ("(Owner =!= \"mallory\")".into(), Some(1_000))
        );
        let last = asking(folder.path(), 1_000 + LEFT_OUT);
        assert_eq!((last.left_out(), last.faults), (vec![], vec![]));
    }

    #[test]
    fn after_three_lost_queries_it_pauses_ever_longer_up_to_an_hour() {
        let folder = tempfile::tempdir().unwrap();
        let mut now = 1_000;
        let mut pauses = Vec::new();
        for _ in 0..9 {
            let mut one = asking(folder.path(), now);
            assert_eq!(one.pause(), None);
            lose(&mut one);
            one.keep(false);
            let pause = asking(folder.path(), now).pause().map_or(0, |(left, _)| left);
            pauses.push(pause);
            now += pause;
        }
        assert_eq!(pauses, [0, 0, 360, 720, 1_440, 2_880, 3_600, 3_600, 3_600]);
        // Only a whole pass ends that.
        let mut by_owner = asking(folder.path(), now);
        assert!(by_owner.is_by_owner());
        by_owner.keep(true);
        assert_eq!(asking(folder.path(), now).kept.lost, 9);
        by_owner.kept.behind = None;
        by_owner.keep(true);
        assert_eq!(asking(folder.path(), now).kept.lost, 0);
    }

    #[test]
    fn a_file_that_others_may_write_is_not_believed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries.json");
        std::fs::write(&path, "owner alice 1500\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        let asked = asking(folder.path(), 1_000);
        assert_eq!((asked.left_out(), asked.faults.len()), (vec![], 1));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(asking(folder.path(), 1_000).left_out(), ["alice"]);
    }

    proptest! {
        #[test]
        fn any_file_is_read_within_bounds(text in "(owner [a\"]{1,2} -?[0-9]{1,19}\n|pause [0-9]{1,20}\n|lost [0-9]+\n|behind .?\n|.{0,9}\n){0,9}") {
            let now = 1_000_000;
            let kept = Kept::of(&text, now);
            prop_assert!(kept.pause <= now + LONGEST_PAUSE);
            prop_assert!(kept.owners.iter().all(|(name, until)| is_account(name) && *until <= now + LEFT_OUT));
            prop_assert_eq!(Kept::of(&kept.text(), now), kept);
        }
    }
}
