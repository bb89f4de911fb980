//! What the other jobs and the hold reason show about a release, beside the model's answer.

use super::transfer_error::FailedTransfer;
use crate::catalogue::{Look, Reading, Trouble};
use crate::checks::{Check, Fault, Finding, Thing, Why};
use crate::diagnosis::Said;
use crate::features::{InDirectory, Neighbourhood, Scope, Vouched, outweighs};
use crate::history::reason::{Side, code_of_transfer};
use crate::history::{Episode, EventLogView, reason};
use crate::hold_code::{About, about};
use libc::{EDQUOT, ENOENT};

/// The model's answer counts as much as so many jobs: where one job got through, success is
/// `as likely as not` at least. Assumed.
const WEIGHT: f64 = 1.5;

/// So many releases of a cluster that all failed speak against the next one.
const LEAST_FAILURES: usize = 2;

/// For so long after the last of them, where time helps, seconds: a working day, as for the costs of
/// a delay. Assumed.
const FAILURES_COUNT: i64 = 8 * 3_600;

/// The highest probability of a release as it is while the URL of the hold reason is missing, or
/// after the program named a mistake of its own: `unlikely`.
const MISSING: f64 = 0.34;

/// The highest probability of a release as it is while the server of its URL answers the access point
/// with an error of its own: `very unlikely`. On recorded plays it is 0.08.
const FAILS_NOW: f64 = 0.1;

/// The highest probability of a release as it is while a file that HTCondor needs is not as it must
/// be: `very unlikely`.
pub(super) const BLOCKED: f64 = 0.05;

/// That the file of the hold reason is in order now, or that a job of the cluster got through after a
/// release from this very cause, counts as much as so many like jobs that got through. Assumed.
pub(super) const IN_ORDER: usize = 3;

/// How much of what is not known of a hold one release of a like job of the cluster shows: the cause
/// is the same, a job may have a second one of its own. Assumed.
const SHARED_CAUSE: f64 = 0.75;

/// That the URL of the hold reason answers the access point counts as one job that got through: it
/// may be out of an execution point's reach all the same. Assumed.
const ANSWERS: usize = 1;

/// Log-odds are multiplied by this where the event log does not show the hold, and again where no
/// log does: half as sure. Assumed; that missing sources make nothing surer is measured
/// (`tests/sources.rs`).
const WITHOUT_A_LOG: f64 = 0.5;

/// What multiplies the log-odds where no ads of earlier runs were read. With 1 answers on recorded plays
/// are surer without them than with them, by 2 %.
const WITHOUT_EPOCHS: f64 = 0.95;

/// What became of like jobs since the hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// None got through.
    Nothing,
    /// Some got through, and others failed again after that.
    Mixed,
    /// They get through.
    GotThrough,
}

/// What others show about one hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    /// What became of like jobs since the hold.
    pub since: Others,
    /// A job with the same cluster, server, file or hold reason began to execute since.
    pub like_job_began: bool,
    /// A trouble of the hold reason that stays until somebody acts, and nothing shows that it is
    /// over.
    pub lasting: Option<Trouble>,
    /// Voices of jobs that got through since the hold, and of like holds since the first of them.
    through: (usize, usize),
    /// One of them is a job of the cluster that was released from this very cause.
    tried: bool,
    /// Releases of the cluster that all failed lately.
    failures: usize,
    /// What multiplies log-odds: 1 where a log and the event log show this hold.
    pub trust: f64,
    /// How much of the hold the event log shows.
    pub event_log: EventLogView,
    /// The event log shows this hold, and ads of earlier runs were read.
    pub whole: bool,
    /// Its kind of cause often passes by itself, and its reason names nothing that stays.
    passes: bool,
    /// Time alone may end the cause.
    pub time_helps: bool,
    /// The file of the hold reason is still not as it must be.
    pub blocked: bool,
    /// That, or its URL is missing: to wait for others brings nothing.
    pub stays: bool,
    /// The server of its URL answers now that it cannot give it.
    pub fails_now: bool,
    /// The last run wrote that the program, its arguments or its input have a mistake.
    mistake: bool,
    /// A job of one other owner began with the file of the hold reason, and nobody else's.
    one_other_began: bool,
    /// The server of the hold reason refuses everybody ([`super::Refusal`]).
    refuses_all: bool,
    /// The server of its input was away.
    away: bool,
    /// That, and nothing at hand could show that it is back: the event log does not show the hold, or
    /// this machine does not reach it either.
    unseen: bool,
}

/// The hold that is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looked<'a> {
    pub code: i32,
    pub subcode: i32,
    pub reason: &'a str,
    /// What the catalogue says of it.
    pub reading: Option<&'a Reading>,
    /// What it says of the line that its program ended with.
    pub program: Option<&'a Reading>,
    pub event_log: EventLogView,
    /// A log tells of this hold.
    pub logged: bool,
    /// Ads of earlier runs were read.
    pub epochs: bool,
    /// What a file-transfer plug-in reported of it.
    pub failed: Option<&'a FailedTransfer>,
    /// What an earlier hold of the job complained of about the same file, if that stays.
    pub before: Option<Trouble>,
    /// The server of the hold reason refuses everybody.
    pub refuses_all: bool,
    /// What came of like releases in the directory that the reason names.
    pub directory: InDirectory,
    /// Unix seconds.
    pub now: i64,
}

impl Seen {
    pub(super) fn of(hold: &Looked<'_>, neighbourhoods: &[Neighbourhood]) -> Self {
        let Looked { subcode, reason, .. } = *hold;
        let code = code_of_transfer(hold.code, reason);
        let near = |scope: Scope| neighbourhoods.iter().find(|near| near.scope == scope);
        // What programs of others do shows nothing of what this one did.
        let sends_to_output = |reading: &Reading| reading.entry().look == Some(Look::Output);
        let of_program = is_of_program(code, subcode, reason);
        let own = of_program || hold.reading.is_some_and(sends_to_output);
        // Whether a program makes its output the next time is the model's question.
        let is_unmade = of_program && subcode == ENOENT;
        let like = near(if own { Scope::Cluster } else { Scope::Reason });
        // A server that is away now has said before that it does not have the file, or does not
        // give it.
        let said = Said::with((code, subcode), reason, hold.reading, hold.program);
        // Nor is a text believed that a server says of everything.
        let said = if hold.refuses_all { Said { reading: None, ..said } } else { said };
        let trouble = said.trouble();
        let trouble = match hold.failed.map_or(trouble, |failed| failed.over(trouble)) {
            // Nor is what it says believed while it says so of everything.
            Some(_) if hold.refuses_all => Some(Trouble::Away),
            Some(Trouble::Away) => hold.before.or(Some(Trouble::Away)),
            trouble => trouble,
        };
        let fetched = fetched(code, trouble, reason)
            .iter()
            .filter_map(|&scope| near(scope))
            .max_by_key(|near| near.voices_started_since);
        let vouches = vouches(trouble, reason);
        let vouched = |near: &&Neighbourhood| vouches(near.vouched_since);
        let begun = fetched.filter(vouched);
        // Caches serve the files of other servers.
        let cache = hold.failed.filter(|failed| {
            trouble == Some(Trouble::Away)
                && failed.others_through.most > 0
                && failed.another_server(near(Scope::Server)).is_some()
        });
        let cache_serves = cache.filter(|cache| cache.gets_through());
        let whole = hold.event_log == EventLogView::Whole;
        let came = match trouble {
            // That another file is there shows nothing of this one.
            Some(trouble) if trouble.lasts() && reads(code) => false,
            // Where failures of others are not seen, successes are not enough.
            Some(trouble) if trouble.lasts() && !whole => false,
            // A quota and a permission are an owner's own.
            Some(Trouble::NoSpace) if subcode != EDQUOT => hold.directory.got_through,
            Some(Trouble::NoSpace | Trouble::Denied | Trouble::Missing) => hold.directory.of_owner,
            Some(Trouble::Away) | None => like.is_some_and(|like| like.got_through),
        };
        let at_path = trouble.is_some_and(Trouble::lasts);
        let some_came = match at_path {
            true => hold.directory.voices.0 > 0,
            false => like.is_some_and(|like| like.released_since.0 > 0),
        };
        let since = match begun {
            _ if came => Others::GotThrough,
            Some(near) if gets_through(near) => Others::GotThrough,
            _ if cache_serves.is_some() => Others::GotThrough,
            Some(_) => Others::Mixed,
            None if some_came || cache.is_some() => Others::Mixed,
            None => Others::Nothing,
        };
        let cause = said.cause();
        let passes = cause.passes() && trouble.is_none_or(|trouble| trouble == Trouble::Away);
        // Of causes that do not pass the outcomes of others say no more than the model has seen in
        // them.
        let released = match at_path {
            true => Some(hold.directory.voices),
            false => like.filter(|_| passes).map(|like| like.voices_released_since),
        };
        let released = released.filter(|_| came);
        let by_begun = begun.map(|near| (near.voices_started_since, near.voices_held_after_start));
        let by_cache = cache_serves.map(|cache| (cache.voices_through, cache.failed_after));
        let through = by_begun.max(by_cache);
        let at_place = match trouble {
            Some(_) if reads(code) => near(Scope::File).as_ref().is_some_and(vouched),
            _ => came,
        };
        let time_helps = said.time_helps(trouble);
        let cluster = near(Scope::Cluster);
        let counts = |at: i64| !time_helps || hold.now - at <= FAILURES_COUNT;
        let failures = cluster.map_or(0, |cluster| match (cluster.as_is(), cluster.last_release) {
            ((0, failed), Some((at, false))) if counts(at) => failed,
            _ => 0,
        });
        let beginners = [Scope::Cluster, Scope::File, Scope::Server, Scope::Reason];
        let logs = i32::from(!whole) + i32::from(!hold.logged);
        let away = trouble == Some(Trouble::Away) && reads(code) && reason::url(reason).is_some();
        Self {
            since,
            like_job_began: beginners
                .into_iter()
                .filter_map(near)
                .any(|near| near.started_since > 0),
            lasting: trouble.filter(|trouble| trouble.lasts() && !at_place && !is_unmade),
            through: through.or(released).unwrap_or((0, 0)),
            failures: if failures >= LEAST_FAILURES { failures } else { 0 },
            trust: WITHOUT_A_LOG.powi(logs) * if hold.epochs { 1.0 } else { WITHOUT_EPOCHS },
            tried: false,
            event_log: hold.event_log,
            whole: whole && hold.epochs,
            passes,
            time_helps,
            blocked: false,
            stays: false,
            fails_now: false,
            mistake: false,
            one_other_began: near(Scope::File)
                .is_some_and(|file| file.vouched_since == Vouched::OneOther),
            refuses_all: hold.refuses_all,
            away,
            unseen: away && !whole,
        }
    }

    /// Nothing shows that the server of the input is back, nor could.
    pub(super) fn is_unseen(&self) -> bool {
        self.unseen && self.since != Others::GotThrough
    }

    /// With what the files of the job show now.
    pub(super) fn with_checks(mut self, checks: &[Check]) -> Self {
        let blocked = checks.iter().find(|check| check.named && check.blocks());
        // A server that refuses everybody refuses the access point too.
        let stays =
            |check: &Check| check.lasts() && !(self.refuses_all && check.thing == Thing::Url);
        self.stays = checks.iter().any(stays);
        self.fails_now = checks.iter().any(Check::fails_now);
        let is_away = Finding::Unknown { why: Why::Away };
        let away = |check: &Check| check.named && check.finding == is_away;
        self.unseen |= self.away && checks.iter().any(away);
        if let Some(check) = blocked {
            self.blocked = true;
            self.lasting = Some(match check.finding {
                Finding::StillThere { fault: Fault::Denied | Fault::ReadOnly } => Trouble::Denied,
                _ => Trouble::Missing,
            });
        } else if self.stays {
            self.lasting = Some(Trouble::Missing);
        } else if let Some(check) = checks.iter().find(|check| check.is_over()) {
            self = self.in_order(check.thing);
        }
        self
    }

    /// With whether what the hold reason names was corrected since: as much as one like job that got
    /// through, since nobody knows whether that helps.
    pub(super) fn with_correction(mut self, corrected: bool) -> Self {
        if corrected && !self.stays {
            self.lasting = None;
            self.since = Others::GotThrough;
            self.through.0 += ANSWERS;
        }
        self
    }

    /// With whether the program itself named a mistake.
    pub(super) fn with_mistake(self, mistake: bool) -> Self {
        Self { mistake, ..self }
    }

    /// With what became of releases of jobs of the cluster from this very cause: successes, and
    /// failures after the first of them.
    pub(super) fn with_tries(mut self, (worked, failed): (usize, usize)) -> Self {
        if worked > 0 && !self.blocked {
            if worked > failed {
                self.since = Others::GotThrough;
            }
            self.tried = true;
            let worked = worked.saturating_mul(self.of_same_cause());
            self.through = (self.through.0.max(worked), self.through.1.max(failed));
        }
        self
    }

    /// As how many like jobs one of the cluster counts that got through after a release from this
    /// very cause: where causes pass it has shown that this one is over.
    fn of_same_cause(&self) -> usize {
        if self.passes { IN_ORDER } else { 1 }
    }

    /// What the hold is about is in order now.
    fn in_order(mut self, thing: Thing) -> Self {
        let is_url = thing == Thing::Url;
        // What answers this machine may have answered all the time, and still not an execution
        // point, unless a job of somebody else began with it; nor is it known to give that what a
        // user may have.
        let only_here = self.failures > 0 && !self.one_other_began;
        if is_url && (only_here || self.lasting == Some(Trouble::Denied)) {
            return self;
        }
        self.lasting = None;
        self.since = Others::GotThrough;
        self.through.0 += if is_url { ANSWERS } else { IN_ORDER };
        self
    }

    /// Whether others show the same of two holds.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let shown = |seen: &Self| {
            (seen.since, seen.like_job_began, seen.lasting, seen.failures > 0, seen.event_log)
        };
        shown(self) == shown(other)
    }

    /// The model's answer about any action, less sure by what it was asked without.
    pub(super) fn trusted(&self, p: f64) -> f64 {
        if self.trust == 1.0 || p <= 0.0 || p >= 1.0 {
            return p;
        }
        let logit = (p / (1.0 - p)).ln() * self.trust;
        1.0 / (1.0 + (-logit).exp())
    }

    /// The probability that a release as it is succeeds, with what was seen since, from the model's
    /// answer.
    pub(super) fn as_is(&self, p: f64) -> f64 {
        let (through, failed) = self.through;
        let p = match self.since {
            Others::GotThrough => {
                let p = self.trusted(p);
                // A job may have a cause of its own besides.
                let most = if self.tried { shown(shown(p)) } else { shown(p) };
                p.max(share(p, through, failed).min(most))
            }
            _ => self.trusted(p.min(share(p, 0, self.failures))),
        };
        match () {
            () if self.blocked => p.min(BLOCKED),
            () if self.fails_now => p.min(FAILS_NOW),
            () if self.stays || self.mistake && !self.tried => p.min(MISSING),
            () => p,
        }
    }

    /// The probability that a release as it is succeeds once another job of the cluster has got
    /// through after a release from this very cause, from the model's answer.
    pub(super) fn after_try(&self, p: f64) -> f64 {
        shown(self.as_is(p))
    }

    /// The probability that a release as it is succeeds where its text says that the next start ends
    /// it, after so many releases that ended in a hold like this one: the text counts as much as a
    /// file that is in order, less where sources are missing.
    pub(super) fn at_next_start(&self, p: f64, failed_alike: usize) -> f64 {
        let said = IN_ORDER as f64 * self.trust;
        let all = WEIGHT + said + failed_alike as f64;
        (WEIGHT * self.as_is(p) + said) / all
    }

    /// The probability that it succeeds once another like job has got through. No less than what
    /// [`Seen::as_is`] will say then.
    pub(super) fn recovered(&self, p: f64) -> f64 {
        if self.passes { self.trusted(p).max(share(p, 1, 0)) } else { self.trusted(p) }
    }
}

/// The model's answer once a like job has shown that the cause is over.
fn shown(p: f64) -> f64 {
    p + SHARED_CAUSE * (1.0 - p)
}

/// The model's answer and what was counted, together.
pub(super) fn share(p: f64, successes: usize, failures: usize) -> f64 {
    (WEIGHT * p + successes as f64) / (WEIGHT + (successes + failures) as f64)
}

/// Whether what the hold complains of was read before the job began: its input, its initial working
/// directory.
pub(super) fn reads(code: i32) -> bool {
    matches!(code, 13 | 14)
}

/// The hold is about what the program did, and says no more of it: its exit, or output that it did
/// not make. A subcode or a reason of its own says more.
fn is_of_program(code: i32, subcode: i32, text: &str) -> bool {
    match about(code) {
        Some(About::JobPolicy) => subcode == 0 && text.starts_with("The job attribute "),
        Some(About::Output) => reason::side(text) != Some(Side::AccessPoint),
        _ => false,
    }
}

/// The scopes in which a job that began shows that the input of this hold can be fetched again.
fn fetched(code: i32, trouble: Option<Trouble>, text: &str) -> &'static [Scope] {
    if !reads(code) {
        return &[];
    }
    match trouble {
        // That another file is there, or another user may read it, shows nothing of this one.
        Some(Trouble::Missing | Trouble::Denied | Trouble::NoSpace) => &[Scope::File],
        // That another server answers shows nothing of this one.
        _ if reason::url(text).is_some() => &[Scope::File, Scope::Server],
        _ => &[Scope::File, Scope::Reason],
    }
}

/// Who has to vouch with jobs that began that this trouble is over. A trouble that stays is over for
/// its owner's jobs, or for those of two others; a permission at the access point is an owner's own.
/// Of a server that was away the jobs of one other owner are voices too.
fn vouches(trouble: Option<Trouble>, text: &str) -> impl Fn(Vouched) -> bool {
    let least = match trouble {
        Some(Trouble::Denied) if reason::url(text).is_none() => Vouched::Own,
        Some(trouble) if trouble.lasts() => Vouched::Others,
        _ => Vouched::OneOther,
    };
    move |vouched| vouched >= least
}

/// Whether jobs get through now, some of which began since the hold.
fn gets_through(near: &Neighbourhood) -> bool {
    near.last_started > near.last_held_same_code
        || outweighs((near.voices_started_since, near.voices_held_after_start))
}

/// When something last happened that tells of the cause of a hold: the hold itself, and starts, like
/// holds and releases of others that share it; Unix seconds.
pub(super) fn last_event(hold: &Episode, neighbourhoods: &[Neighbourhood]) -> i64 {
    let shares = [Scope::Cluster, Scope::Server, Scope::File, Scope::Reason];
    let sharing = neighbourhoods.iter().filter(|near| shares.contains(&near.scope));
    let events = sharing.flat_map(|near| {
        [near.last_started, near.last_held_same_code, near.last_release.map(|(at, _)| at)]
    });
    events.flatten().fold(hold.held_at, i64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen() -> Seen {
        Seen {
            since: Others::Nothing,
            like_job_began: false,
            lasting: None,
            through: (0, 0),
            failures: 0,
            trust: 1.0,
            tried: false,
            event_log: EventLogView::Whole,
            whole: true,
            passes: true,
            time_helps: true,
            blocked: false,
            stays: false,
            fails_now: false,
            mistake: false,
            one_other_began: false,
            refuses_all: false,
            away: false,
            unseen: false,
        }
    }

    #[test]
    fn nothing_seen_leaves_the_answer() {
        for p in [0.0, 0.3, 1.0] {
            assert_eq!((seen().as_is(p), seen().trusted(p)), (p, p));
        }
    }

    #[test]
    fn jobs_that_got_through_weigh_more_than_the_model() {
        let after = |through| Seen { since: Others::GotThrough, through, ..seen() };
        // A job may have a cause of its own besides.
        assert!((0.74..0.76).contains(&after((40, 0)).as_is(0.02)));
        assert!(after((40, 0)).as_is(0.7) > 0.9);
        assert!(after((1, 0)).as_is(0.02) < 0.45);
        assert!(after((1, 0)).as_is(0.0) > 0.35);
        assert_eq!(after((3, 9)).as_is(0.9), 0.9);
    }

    #[test]
    fn a_place_is_in_order_once_releases_succeed_at_that_very_place() {
        let at = |code, subcode, directory, event_log, before| {
            let hold = Looked {
                reading: None,
                program: None,
                code,
                subcode,
                reason: &match code {
                    12 => format!(
                        "Transfer output files failure at access point ap while receiving files. \
                         Details: writing to file /srv/a/1.dat: (errno {subcode})"
                    ),
                    _ => format!("Details: reading from file /srv/a/1.dat: (errno {subcode})"),
                },
                event_log,
                logged: true,
                epochs: true,
                failed: None,
                before,
                refuses_all: false,
                directory,
                now: 0,
            };
            Seen::of(&hold, &[])
        };
        let of = |subcode, directory, event_log| at(12, subcode, directory, event_log, None);
        let nobody = InDirectory::default();
        let others = InDirectory { got_through: true, voices: (3, 0), ..nobody };
        let own = InDirectory { of_owner: true, ..others };
        let whole = EventLogView::Whole;
        assert_eq!(of(28, nobody, whole).lasting, Some(Trouble::NoSpace));
        assert_eq!(of(28, others, whole).lasting, None);
        assert!(of(28, others, whole).as_is(0.1) > 0.6);
        // Another owner has another quota and other permissions.
        assert_eq!(of(EDQUOT, others, whole).lasting, Some(Trouble::NoSpace));
        assert_eq!(of(EDQUOT, own, whole).lasting, None);
        assert_eq!(of(13, others, whole).lasting, Some(Trouble::Denied));
        assert_eq!(of(13, own, whole).lasting, None);
        assert_eq!(of(13, own, EventLogView::None).lasting, Some(Trouble::Denied));
        // A directory that others write to is there; that others read there shows nothing of
        // another file.
        assert_eq!(of(2, own, whole).lasting, None);
        for code in [13, 14] {
            let seen = at(code, 2, own, whole, None);
            assert_eq!((seen.lasting, seen.as_is(0.9)), (Some(Trouble::Missing), 0.9));
        }
        // What the server said of this file before it went away.
        let away = |before| at(13, 110, nobody, whole, before).lasting;
        assert_eq!((away(None), away(Some(Trouble::Missing))), (None, Some(Trouble::Missing)));
    }

    #[test]
    fn output_that_a_program_did_not_make_may_be_made_the_next_time() {
        let with = |code, subcode, reason| {
            let hold = Looked {
                reading: None,
                program: None,
                code,
                subcode,
                reason,
                event_log: EventLogView::Whole,
                logged: true,
                epochs: true,
                failed: None,
                before: None,
                refuses_all: false,
                directory: InDirectory::default(),
                now: 0,
            };
            Seen::of(&hold, &[]).lasting
        };
        let of = |code, reason| with(code, 2, reason);
        let output = "Transfer output files failure at execution point slot1@e while sending \
                      files to access point ap. Details: reading from file /d/o.dat: (errno 2) No \
                      such file or directory";
        assert_eq!(of(12, output), None);
        let upload = "Transfer output files failure at execution point slot1@e while sending \
                      files to https://s/o.dat. Details: (errno 256) The requested URL returned \
                      error: 404";
        assert_eq!(with(12, 256, upload), Some(Trouble::Missing));
        // What is missing on the access point stays missing.
        let place = "Transfer output files failure at access point ap while receiving files from \
                     execution point slot1@e. Details: writing to file /srv/o.dat: (errno 2) No \
                     such file or directory";
        assert_eq!(of(12, place), Some(Trouble::Missing));
        let input = "Transfer input files failure at access point ap while sending files to \
                     execution point slot1@e. Details: reading from file /home/i.dat: (errno 2) No \
                     such file or directory";
        assert_eq!(of(13, input), Some(Trouble::Missing));
    }

    #[test]
    fn a_url_that_answers_here_is_worth_less_than_a_file_that_is_there() {
        let check = |thing, finding| Check {
            thing,
            path: "".into(),
            named: true,
            finding,
            checked_at: 0,
            seen_as: None,
            ends_at: None,
            interpreter: None,
            remarks: Vec::new(),
        };
        let gone = Finding::Gone { changed_at: None };
        let url = [check(Thing::Url, gone)];
        let file = [check(Thing::InputFile, gone)];
        let p = |seen: Seen, checks: &[Check]| seen.with_checks(checks).as_is(0.3);
        assert!(p(seen(), &url) > 0.5 && p(seen(), &url) < p(seen(), &file));
        // It answered all the time that releases failed; and others may not have it.
        assert_eq!(
            p(Seen { failures: 2, ..seen() }, &url),
            Seen { failures: 2, ..seen() }.as_is(0.3)
        );
        // Unless a job of somebody else got it there.
        let failed = Seen { failures: 2, one_other_began: true, ..seen() };
        assert!(p(failed, &url) > 0.5);
        let denied = Seen { lasting: Some(Trouble::Denied), ..seen() };
        assert_eq!(denied.with_checks(&url).lasting, Some(Trouble::Denied));
        let missing = Finding::StillThere { fault: Fault::Missing };
        let missing = seen().with_checks(&[check(Thing::Url, missing)]);
        assert_eq!((missing.as_is(0.9), missing.stays), (MISSING, true));
    }

    #[test]
    fn what_a_wait_promises_is_kept() {
        for p in [0.0, 0.1, 0.5, 0.99] {
            let kept = Seen { since: Others::GotThrough, through: (1, 0), ..seen() };
            assert!(kept.as_is(p) >= seen().recovered(p) - 1e-12, "{p}");
        }
    }

    #[test]
    fn a_try_promises_no_more_than_others_have_shown() {
        let seen = Seen { since: Others::GotThrough, through: (40, 0), ..seen() };
        for p in [0.0, 0.02, 0.5, 0.95] {
            let after = seen.clone().with_tries((1, 0));
            assert!((seen.after_try(p) - after.as_is(p)).abs() < 1e-12, "{p}");
        }
    }

    #[test]
    fn a_mistake_that_the_program_names_speaks_against_a_release() {
        let named = seen().with_mistake(true);
        assert!(named.as_is(0.9) <= MISSING);
        assert!(named.with_tries((1, 0)).as_is(0.9) >= 0.9, "one of its cluster got through");
    }

    #[test]
    fn failures_speak_against_a_release() {
        let failed = Seen { failures: 2, ..seen() };
        assert!(failed.as_is(0.8) < 0.5);
    }

    #[test]
    fn a_missing_log_makes_no_answer_surer() {
        let without = Seen { trust: WITHOUT_A_LOG, ..seen() };
        for p in [0.0, 0.02, 0.3, 0.5, 0.7, 0.99, 1.0] {
            assert!((without.trusted(p) - 0.5).abs() <= (p - 0.5f64).abs());
            assert_eq!(without.trusted(p) > 0.5, p > 0.5);
        }
    }
}
