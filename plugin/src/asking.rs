//! What the schedd is asked, so that what one owner wrote into an ad costs the others nothing.
//!
//! An ad may have expressions that nobody ever evaluates to an end (`A1 = A0 + A0`, `A2 = A1 + A1`,
//! ...). A query that meets one never answers, and keeps a process of the schedd
//! (SCHEDD_QUERY_WORKERS) until somebody ends that. Hence no query of the advisor has a list of
//! attributes, whose references the schedd would follow, and none evaluates what users may write.
//! Where one is not answered all the same, the rest of the pass asks owner by owner, and leaves out
//! for a day whose query is not answered. Where the judge fails, each owner has a judge of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use eventlog::JobId;
use holdadvise::shares::level;
use rustix::process::{getegid, geteuid};
use serde::{Deserialize, Serialize};

use crate::account::is_account;
use crate::judge::{CUT, HELD, SECTION};
use crate::looks::folder::{Folder, Record};
use crate::period::Passes;
use crate::process::{End, Feed, LEFT_OUT, ProcessError, answer, counts};
use crate::select::among;
use crate::settings::Settings;

/// Owners with more jobs are asked about one by one, and so many of them at most. Assumed: a query
/// of 1,000 jobs takes a few times as long as one of none.
const MANY: u64 = 1_000;
const ALONE: usize = 100;

/// True of held jobs whose advice is of this hold and counts. What users may write is not
/// evaluated: `unparse` gives the text of an attribute.
const COUNTS: &str = "(unparse(HoldAdviceNumHolds) == unparse(NumHolds) \
     && unparse(HoldAdviceEntered) == unparse(EnteredCurrentStatus) \
     && time() < int(unparse(HoldAdviceExpires)))";

/// True of jobs whose hold can be named: the others take no places.
const NAMED: &str = "regexp(\"^[0-9]+$\", unparse(NumHolds)) && \
     regexp(\"^[0-9]+$\", unparse(EnteredCurrentStatus))";

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

/// The file in HOLDADVISE_STATE_DIR, without the end of its name.
const FILE: &str = "queries";

/// Bytes of that file at most.
const LONGEST: usize = 64 << 10;

/// What is kept from pass to pass. Times are Unix seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Kept {
    /// The last pass that judged.
    good: Option<i64>,
    /// Queries lost since the last whole pass.
    lost: u32,
    /// Until when nothing is asked.
    pause: i64,
    /// The next pass asks owner by owner, behind this one.
    behind: Option<String>,
    /// There each owner has a judge of its own.
    alone: bool,
    /// Owners left out, and until when.
    owners: BTreeMap<String, i64>,
    /// When passes began.
    passes: Passes,
}

impl Kept {
    /// What can be true of it: no clock is later than now, and nothing lasts longer than it may.
    fn within_bounds(self, now: i64) -> Self {
        let until = |at: i64, most: i64| at.min(now.saturating_add(most));
        let behind = self.behind.filter(|owner| owner.is_empty() || is_account(owner));
        let owners = self.owners.into_iter().map(|(owner, at)| (owner, until(at, LEFT_OUT)));
        let counts = |(owner, until): &(String, i64)| is_account(owner) && *until > now;
        Self {
            good: self.good.map(|at| until(at, 0)),
            pause: until(self.pause, LONGEST_PAUSE),
            alone: self.alone && behind.is_some(),
            behind,
            owners: owners.filter(counts).take(OWNERS).collect(),
            passes: self.passes.until(now),
            ..self
        }
    }
}

/// The queries of a pass.
#[derive(Debug)]
pub struct Asking {
    state: PathBuf,
    kept: Kept,
    /// How long one query may take, and one about a single owner.
    bounds: (Duration, Duration),
    jobs: usize,
    interval: i64,
    now: i64,
    /// A query was lost.
    has_lost: bool,
    /// The jobs of each owner that are asked for.
    counts: BTreeMap<String, u64>,
    /// Owners of whom only some jobs may have been asked for.
    partly: BTreeSet<String>,
    /// What went wrong, a line each.
    pub faults: Vec<String>,
}

impl Asking {
    /// What earlier passes kept. A file that is not this account's own is not believed.
    pub fn open(settings: &Settings, now: i64) -> Self {
        let read = || {
            let Some(folder) = Folder::open(&settings.state, geteuid().as_raw())? else {
                return Ok(Kept::default());
            };
            let record = folder.read(FILE, geteuid().as_raw(), LONGEST)?;
            let kept = record.map(|record| serde_json::from_slice(&record.bytes)).transpose()?;
            Ok(kept.unwrap_or_default())
        };
        let mut faults = Vec::new();
        let kept: Kept = read().unwrap_or_else(|error: std::io::Error| {
            faults.push(format!("HOLDADVISE_STATE_DIR: {FILE}: {error}; it is not believed"));
            Kept::default()
        });
        let bound = Duration::from_secs(settings.query_seconds);
        let bound = bound.min(settings.reading());
        Self {
            state: settings.state.clone(),
            kept: kept.within_bounds(now),
            bounds: (bound, bound / 3),
            jobs: settings.jobs,
            interval: settings.interval,
            now,
            has_lost: false,
            counts: BTreeMap::new(),
            partly: BTreeSet::new(),
            faults,
        }
    }

    /// A pass begins, which this schedd started; gives the seconds from pass to pass, where known.
    pub fn begin(&mut self, schedd: Option<u32>) -> Option<i64> {
        if let Some(schedd) = schedd {
            self.kept.passes.add(schedd, self.now);
            // One that fails later was a pass all the same.
            self.write();
        }
        self.kept.passes.period()
    }

    /// Seconds for which nothing is to be asked, and how many queries were lost.
    pub fn pause(&self) -> Option<(i64, u32)> {
        Some((self.kept.pause - self.now, self.kept.lost)).filter(|(left, _)| *left > 0)
    }

    /// The last pass that judged, Unix seconds.
    pub fn last_good(&self) -> Option<i64> {
        self.kept.good
    }

    /// Owners that are left out.
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
        self.write();
    }

    fn write(&mut self) {
        let bytes = serde_json::to_vec(&self.kept).unwrap_or_default();
        let record = Record { begun: self.now, bytes };
        let folder = Folder::open(&self.state, geteuid().as_raw());
        let kept = folder.and_then(|folder| {
            let folder = folder.ok_or(std::io::ErrorKind::NotFound)?;
            folder.write(FILE, &record, getegid().as_raw())
        });
        if let Err(error) = kept {
            self.faults.push(format!("HOLDADVISE_STATE_DIR: {FILE}: {error}"));
        }
    }

    /// True of the jobs of owners that are not left out.
    pub fn others(&self) -> String {
        let names = self.kept.owners.keys();
        let tests: Vec<String> = names.map(|owner| format!("Owner =!= \"{owner}\"")).collect();
        if tests.is_empty() { "true".to_owned() } else { format!("({})", tests.join(" && ")) }
    }

    /// Whether this pass asks owner by owner.
    pub fn is_by_owner(&self) -> bool {
        self.kept.behind.is_some()
    }

    /// The ads of jobs go to the judge, whole.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn ads(&mut self, feed: &mut Feed, constraint: &str) -> Result<(), ProcessError> {
        match self.ads_within(feed, constraint, &[], self.bounds.0)? {
            End::Whole => Ok(()),
            End::Cut => feed.section(SECTION, CUT),
        }
    }

    fn ads_within(
        &mut self,
        feed: &mut Feed,
        constraint: &str,
        more: &[&str],
        bound: Duration,
    ) -> Result<End, ProcessError> {
        // Else condor_q says nothing before it has all.
        let words = ["-allusers", "-long", "-stream-results", "-constraint", constraint];
        let words = [&words, more].concat();
        let begun = Instant::now();
        let ran = feed.run("condor_q", &words, bound);
        self.noted(ran, begun)
    }

    /// How many jobs each owner has of these.
    fn count(
        &mut self,
        constraint: &str,
        deadline: Instant,
    ) -> Result<BTreeMap<String, u64>, ProcessError> {
        let begun = Instant::now();
        let until = deadline.min(begun + self.bounds.0);
        let words = ["-allusers", "-constraint", constraint, "-af", "Owner"];
        let counted = counts("condor_q", &words, until);
        self.noted(counted, begun)
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

    /// The ads of held jobs go to the judge: of owners with few jobs at once, then of each of the
    /// others, so many as are its share of the places. Where a query is not answered in its time,
    /// and where a pass before has left owners over, owner by owner with these jobs. Whose query is
    /// not answered is left out; a second one ends it.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn held(
        &mut self,
        feed: &mut Feed,
        acts: &[JobId],
        deadline: Instant,
    ) -> Result<(), ProcessError> {
        self.count_owners(acts, deadline)?;
        if self.is_by_owner() {
            return self.each(feed, &self.in_order(), acts, deadline);
        }
        let mut many: Vec<(u64, String)> =
            self.counts.iter().map(|(owner, count)| (*count, owner.clone())).collect();
        many.retain(|(count, _)| *count > MANY);
        // Those with most come last.
        many.sort_unstable();
        many.drain(..many.len().saturating_sub(ALONE));
        let alone = many.into_iter().map(|(_, owner)| owner).collect::<Vec<_>>();
        let not_alone: String =
            alone.iter().map(|owner| format!(" && Owner =!= \"{owner}\"")).collect();
        let constraint = format!("JobStatus == 5 && {}{not_alone}", self.others());
        feed.section(SECTION, HELD)?;
        match self.ads_within(feed, &constraint, &[], self.bounds.0) {
            Ok(End::Whole) => {}
            Ok(End::Cut) | Err(ProcessError::Late { .. }) => {
                feed.section(SECTION, CUT)?;
                self.kept.behind.get_or_insert_default();
                return self.each(feed, &self.in_order(), acts, deadline);
            }
            Err(error) => return Err(error),
        }
        self.each(feed, &alone, &[], deadline)
    }

    /// Counts the jobs of each owner that are asked for.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn count_owners(&mut self, acts: &[JobId], deadline: Instant) -> Result<(), ProcessError> {
        let wanted = wanted(if self.is_by_owner() { acts } else { &[] });
        self.counts = self.count(&format!("{} && {wanted}", self.others()), deadline)?;
        Ok(())
    }

    /// The owners, those first that the last pass had no time for.
    pub fn in_order(&self) -> Vec<String> {
        let behind = self.kept.behind.clone().unwrap_or_default();
        let (before, later): (Vec<_>, Vec<_>) =
            self.counts.keys().cloned().partition(|owner| *owner <= behind);
        [later, before].concat()
    }

    fn each(
        &mut self,
        feed: &mut Feed,
        owners: &[String],
        acts: &[JobId],
        deadline: Instant,
    ) -> Result<(), ProcessError> {
        self.partly.extend(owners.iter().cloned());
        let mut lost = 0;
        for owner in owners {
            if lost == LOST_OWNERS || Instant::now() >= deadline {
                self.kept.behind.get_or_insert_default();
                return Ok(());
            }
            lost += usize::from(!self.one(feed, owner, acts, deadline)?);
            if self.is_by_owner() {
                self.kept.behind = Some(owner.clone());
            }
        }
        self.kept.behind = None;
        Ok(())
    }

    /// The ads of the held jobs of an owner, and of these jobs; false where its query is not
    /// answered, and it is left out.
    ///
    /// # Errors
    /// [`ProcessError`]
    pub fn one(
        &mut self,
        feed: &mut Feed,
        owner: &str,
        acts: &[JobId],
        deadline: Instant,
    ) -> Result<bool, ProcessError> {
        let level = level(self.jobs as u64, self.counts.values().copied());
        let limit = level.to_string();
        let is_limited = self.counts.get(owner).is_some_and(|count| *count > level);
        let limit = ["-limit", limit.as_str()];
        let plain: [(&str, &[&str]); 1] = [("", &[])];
        // New holds have a share of their own: what has advice must not keep them from having it.
        let [new, old] = ["=!=", "=?="].map(|test| format!(" && {NAMED} && {COUNTS} {test} true"));
        let limited: [(&str, &[&str]); 2] = [(&new, &limit), (&old, &limit)];
        for (test, more) in if is_limited { &limited[..] } else { &plain[..] } {
            feed.section(SECTION, HELD)?;
            let constraint = format!("Owner =?= \"{owner}\" && {}{test}", wanted(acts));
            let left = deadline.saturating_duration_since(Instant::now());
            match self.ads_within(feed, &constraint, more, self.bounds.1.min(left)) {
                Ok(End::Whole) => {}
                Ok(End::Cut) => {
                    feed.section(SECTION, CUT)?;
                    break;
                }
                Err(ProcessError::Late { .. }) => {
                    feed.section(SECTION, CUT)?;
                    // A schedd that answers nobody says nothing of this owner.
                    self.words("false", &["ClusterId"], deadline + self.bounds.1)?;
                    self.leave_out(owner, "the schedd does not answer about");
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Each owner has a judge of its own, as one judge of all failed.
    pub fn is_alone(&self) -> bool {
        self.kept.alone
    }

    /// From now on each owner has a judge of its own, until all have had one.
    pub fn judge_failed(&mut self) {
        self.kept.alone = true;
        self.kept.behind.get_or_insert_default();
    }

    /// The judge of this owner ended, or failed on its jobs.
    pub fn judge_of(&mut self, owner: &str, failed: bool) {
        self.partly.insert(owner.to_owned());
        self.kept.behind = Some(owner.to_owned());
        if failed {
            self.leave_out(owner, "the judge fails on");
        }
    }

    /// All owners have had a judge.
    pub fn all_had_one(&mut self) {
        self.kept.behind = None;
        self.kept.alone = false;
    }

    /// Held jobs that are left out, by owner: what the judge counts, and where only some jobs of an
    /// owner were asked for all that are not `judged`.
    pub fn not_judged(
        &self,
        counted: &BTreeMap<String, u64>,
        judged: &BTreeMap<String, u64>,
    ) -> BTreeMap<String, u64> {
        let mut left_out = counted.clone();
        for owner in &self.partly {
            let of = |counts: &BTreeMap<String, u64>| counts.get(owner).copied().unwrap_or(0);
            let missing = of(&self.counts).saturating_sub(of(judged));
            left_out.insert(owner.clone(), missing.max(of(counted)));
        }
        left_out
    }

    fn leave_out(&mut self, owner: &str, why: &str) {
        let hours = LEFT_OUT / 3_600;
        let jobs = self.counts.get(owner).copied().unwrap_or(0);
        self.faults
            .push(format!("{why} the held jobs of {owner}: {jobs} are left out for {hours} h"));
        if self.kept.owners.len() < OWNERS {
            self.kept.owners.insert(owner.to_owned(), self.now + LEFT_OUT);
        }
    }
}

/// True of held jobs and of these.
fn wanted(acts: &[JobId]) -> String {
    match acts {
        [] => "JobStatus == 5".to_owned(),
        acts => format!("(JobStatus == 5 || {})", among(acts.iter().take(ACTS).copied())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asking(folder: &std::path::Path, now: i64) -> Asking {
        let config = holdadvise::inquiry::Config::of_user();
        let (settings, _) = Settings::of(&config).unwrap();
        Asking::open(&Settings { state: folder.to_owned(), interval: 180, ..settings }, now)
    }

    fn lose(asking: &mut Asking) {
        let late = ProcessError::Late { what: "condor_q".to_owned() };
        assert!(asking.noted::<()>(Err(late), Instant::now()).is_err());
    }

    #[test]
    fn what_counts_is_the_same_for_all() {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let counts = COUNTS.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap();
        let counts = words(counts);
        for text in [
            include_str!("../config.d/40-holdadvise"),
            include_str!("../print-formats/hold_advice.cpf"),
            include_str!("../README.md"),
        ] {
            assert!(words(&text.replace('\\', "")).contains(&counts), "{text}");
        }
    }

    #[test]
    fn an_owner_is_left_out_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = asking(folder.path(), 1_000);
        assert_eq!(first.others(), "true");
        first.leave_out("mallory", "");
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
    fn when_passes_began_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |now, schedd| asking(folder.path(), now).begin(schedd);
        assert_eq!((begin(1_000, Some(7)), begin(1_600, Some(7))), (None, None));
        assert_eq!(begin(2_200, Some(7)), Some(600));
        // By hand.
        assert_eq!(begin(2_205, None), Some(600));
        std::fs::write(folder.path().join("queries.json"), r#"{"Passes": [[7, "x"]]}"#).unwrap();
        assert_eq!(begin(2_800, Some(7)), None);
    }

    #[test]
    fn a_file_that_others_may_write_is_not_believed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries.json");
        std::fs::write(&path, r#"{"Owners": {"alice": 1500}}"#).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        let asked = asking(folder.path(), 1_000);
        assert_eq!((asked.left_out(), asked.faults.len()), (vec![], 1));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(asking(folder.path(), 1_000).left_out(), ["alice"]);
        std::fs::write(&path, "owner alice 1500\n").unwrap();
        let asked = asking(folder.path(), 1_000);
        assert_eq!((asked.left_out(), asked.faults.len()), (vec![], 1));
    }

    proptest! {
        #[test]
        fn any_file_is_read_within_bounds(
            good: Option<i64>, pause: i64, behind in "[a\"]{0,2}", owner in "[a\"]{1,2}", until: i64
        ) {
            let now = 1_000_000;
            let kept: Kept = serde_json::from_value(serde_json::json!({
                "Good": good, "Pause": pause, "Behind": behind, "Alone": true, "New": 1,
                "Owners": {owner: until},
            }))
            .unwrap();
            let kept = kept.within_bounds(now);
            prop_assert!(kept.good <= Some(now) && kept.pause <= now + LONGEST_PAUSE);
            prop_assert!(kept.owners.iter().all(|(name, until)| is_account(name) && *until <= now + LEFT_OUT));
            let again: Kept = serde_json::from_slice(&serde_json::to_vec(&kept).unwrap()).unwrap();
            prop_assert_eq!(&again.within_bounds(now), &kept);
        }
    }
}
