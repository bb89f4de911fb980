//! What events tell of jobs, read from a log or from a part of one.

use std::collections::HashMap;
use std::io::Read;

use foldhash::fast::RandomState;

use super::ad_facts::{input_names, is_site_attribute};
use super::{LogReport, Peaks, Symbol, Symbols, What, reason};
use eventlog::{Body, Event, EventKind, JobId, LogReader};

/// One thing that an event tells of its job.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fact {
    Step(What),
    Owner(Symbol),
    /// A site; `starts` where the event comes with the start of a run.
    Site {
        site: Symbol,
        starts: bool,
    },
    Input(Symbol),
    Server(Symbol),
    /// What HTCondor said of a failed run.
    Message(Symbol),
    /// MiB
    MemoryUsage(i64),
    /// MiB
    MemoryProvisioned(i64),
    /// What a run that ended by itself used (005).
    Peaks(Peaks),
}

impl Fact {
    /// What an event tells of its job.
    pub(super) fn each(event: &Event<'_>, symbols: &mut Symbols, put: &mut dyn FnMut(Self)) {
        match event.kind() {
            EventKind::JobAdInformation => Self::information(event, symbols, put),
            EventKind::ImageSize => {
                if let Body::ImageSize(size) = event.body()
                    && let Some(usage) = size.memory_usage_mb.filter(|usage| *usage >= 0)
                {
                    put(Self::MemoryUsage(usage));
                }
            }
            EventKind::JobTerminated => {
                let body = event.body();
                What::of_body(&body, symbols).map(Self::Step).into_iter().for_each(&mut *put);
                Peaks::of(&body).map(Self::Peaks).into_iter().for_each(put);
            }
            _ => {
                if let Some(what) = What::of(event, symbols) {
                    put(Self::Step(what));
                }
                Self::message(event, symbols).into_iter().for_each(put);
            }
        }
    }

    fn message(event: &Event<'_>, symbols: &mut Symbols) -> Option<Self> {
        use EventKind::{JobEvicted, JobReconnectFailed, RemoteError, ShadowException};
        let kinds = [ShadowException, RemoteError, JobReconnectFailed, JobEvicted];
        if !kinds.contains(&event.kind()) {
            return None;
        }
        let body = event.body();
        let text = reason::canonical(match &body {
            Body::ShadowException(exception) => &exception.message,
            Body::RemoteError(error) => &error.message,
            Body::ReconnectFailed(failed) => &failed.reason,
            Body::Evicted(evicted) => evicted.reason.as_ref()?,
            _ => return None,
        });
        (!text.is_empty()).then(|| Self::Message(symbols.intern(&text)))
    }

    fn information(event: &Event<'_>, symbols: &mut Symbols, put: &mut dyn FnMut(Self)) {
        let mut starts = false;
        let mut sites = Vec::new();
        event.each_information(&mut |name, value| {
            let is = |other: &str| name.eq_ignore_ascii_case(other);
            if is(OWNER) {
                put(Self::Owner(symbols.intern(unquoted(value))));
            } else if is("TransferInput") {
                // Relative files are left to the ads: without Iwd they say nothing.
                let whole = |item: &&str| item.contains("://") || item.trim().starts_with('/');
                let list = unquoted(value);
                let urls = list.split(',').filter(whole).collect::<Vec<_>>().join(",");
                let (input, servers) = input_names(&urls, "", symbols);
                input.into_iter().map(Self::Input).for_each(&mut *put);
                servers.into_iter().map(Self::Server).for_each(&mut *put);
            } else if is("MemoryProvisioned")
                && let Ok(provisioned) = value.trim().parse()
            {
                put(Self::MemoryProvisioned(provisioned));
            } else if is("TriggerEventTypeNumber") {
                // A site is said again at the start of each run, since a run without one of its own
                // has none.
                starts = value.parse() == Ok(EventKind::Execute.number());
            } else if is_site_attribute(name) {
                let site = unquoted(value);
                if !site.is_empty() && !site.eq_ignore_ascii_case("undefined") {
                    sites.push(symbols.intern(site));
                }
            }
        });
        sites.into_iter().for_each(|site| put(Self::Site { site, starts }));
    }

    /// The same in other symbols.
    pub(super) fn renamed(self, new: &mut dyn FnMut(Symbol) -> Symbol) -> Self {
        match self {
            Self::Step(what) => Self::Step(what.renamed(new)),
            Self::Owner(owner) => Self::Owner(new(owner)),
            Self::Site { site, starts } => Self::Site { site: new(site), starts },
            Self::Input(name) => Self::Input(new(name)),
            Self::Server(name) => Self::Server(new(name)),
            Self::Message(text) => Self::Message(new(text)),
            other @ (Self::MemoryUsage(_) | Self::MemoryProvisioned(_) | Self::Peaks(_)) => other,
        }
    }
}

/// What a part of a log tells, in names of its own.
#[derive(Debug, Default)]
pub(super) struct LogPart {
    pub(super) symbols: Symbols,
    /// With their times, in the order of the log.
    pub(super) facts: Vec<(JobId, i64, Fact)>,
    /// The earliest and the latest time in it; `None` where it has no event.
    pub(super) span: Option<(i64, i64)>,
    pub(super) report: LogReport,
    /// The file is gone: there is no more to read.
    pub(super) is_gone: bool,
    /// The end was met.
    pub(super) is_last: bool,
    /// Owners in events so far, and since when: later events repeat them.
    owners: HashMap<JobId, (Symbol, i64), RandomState>,
}

impl LogPart {
    /// Reads to the end. What is damaged is counted and skipped.
    pub(super) fn read(log: &mut LogReader<impl Read>) -> Self {
        Self::read_some(log, usize::MAX)
    }

    /// The same of so many events at most.
    pub(super) fn read_some(log: &mut LogReader<impl Read>, most: usize) -> Self {
        let mut this = Self::default();
        for _ in 0..most {
            let Some(event) = log.next_event() else {
                this.is_last = true;
                break;
            };
            match event {
                Ok(event) => this.add(&event),
                Err(damaged) => {
                    this.is_gone = this.report.damage(damaged).is_break();
                    if this.is_gone {
                        break;
                    }
                }
            }
        }
        this
    }

    fn add(&mut self, event: &Event<'_>) {
        self.report.events += 1;
        let time = event.time.seconds;
        let (first, last) = self.span.unwrap_or((time, time));
        self.span = Some((first.min(time), last.max(time)));
        if is_of_job(event.job) {
            let Self { symbols, facts, owners, .. } = self;
            Fact::each(event, symbols, &mut |fact| {
                if let Fact::Owner(owner) = fact {
                    let known = owners.entry(event.job).or_insert((owner, i64::MAX));
                    if known.0 == owner && known.1 <= time {
                        return;
                    }
                    *known = (owner, time);
                }
                facts.push((event.job, time, fact));
            });
        }
    }
}

/// Events of a whole cluster (proc -1) happen to no job.
pub(super) fn is_of_job(job: JobId) -> bool {
    job.cluster > 0 && job.proc >= 0
}

/// Who submitted the job.
pub(super) const OWNER: &str = "Owner";

/// A string as events 028 write it, without its quotes.
pub(super) fn unquoted(value: &str) -> &str {
    value.trim().trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use eventlog::ReadOptions;

    #[test]
    fn what_is_said_of_a_failed_run_comes_with_its_step() {
        let log = "007 (001.000.000) 2026-03-08 10:00:00 Shadow exception!\n\tno space\n...\n\
                   021 (001.000.000) 2026-03-08 10:00:01 Error from starter on slot1@e:\n\tno scratch\n...\n\
                   024 (001.000.000) 2026-03-08 10:00:02 Job reconnection failed\n    lease expired\n    \
                   Can not reconnect to slot1@e, rescheduling job\n...\n";
        let part = LogPart::read(&mut LogReader::new(log.as_bytes(), &ReadOptions::default()));
        assert_eq!(part.report.events, 3);
        let facts = part.facts.iter().map(|(_, _, fact)| match fact {
            Fact::Step(what) => format!("{what:?}"),
            Fact::Message(text) => part.symbols.name(*text).to_owned(),
            other => format!("{other:?}"),
        });
        let expected =
            ["ShadowException", "no space", "no scratch", "Evicted(None)", "lease expired"];
        assert_eq!(facts.collect::<Vec<_>>(), expected);
    }
}
