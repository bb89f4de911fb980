//! The logs, one after the other, each on all cores.

use std::ops::ControlFlow;
use std::path::Path;

use eventlog::{Beginning, Chunk, ChunkedLog, LogReader, ReadOptions};
use holdadvise::history::{Episode, EpisodeStream, HistoryBuilder, LogHolds, NotedActions};
use tempfile::NamedTempFile;

use super::summary::Counts;
use crate::Error;
use crate::data::input::{InputOptions, piped};
use crate::progress::{Progress, Unit};

/// Reads the logs of `input` and passes on their episodes, until `episode` breaks.
pub(super) fn stream(
    input: &InputOptions,
    journal: &NotedActions,
    counts: &mut Counts,
    episode: impl FnMut(Episode) -> ControlFlow<()>,
) -> Result<(), Error> {
    let input = &*input.with_folders()?;
    let options = input.read_options()?;
    let mut ads = HistoryBuilder::new();
    input.read_epochs(&mut ads)?;
    let ads = ads.build();
    let logs = in_order(input, &options)?;
    let progress = Progress::new("reading", Unit::Bytes, logs.iter().map(|log| log.size()).sum());
    let stream = EpisodeStream::new(&ads, journal, input.horizon());
    let mut reading = Reading { progress, stream, counts, holds: 0, episode };
    for (at, log) in logs.iter().enumerate() {
        let next = logs.get(at + 1).map(|log| log.first);
        if reading.log(log, next, &options)?.is_break() {
            return Ok(());
        }
    }
    let Reading { stream, mut episode, .. } = reading;
    let mut flow = ControlFlow::Continue(());
    stream.end(|last| {
        if flow.is_continue() {
            flow = episode(last);
        }
    });
    Ok(())
}

/// Damaged events of a log that are told of, each with its offset.
const DAMAGE: usize = 20;

/// A log that is to be read.
struct Log<'a> {
    path: &'a Path,
    /// What came through a pipe.
    copy: Option<NamedTempFile>,
    /// The time of its first event; 0 where it is the only log.
    first: i64,
}

impl Log<'_> {
    fn file(&self) -> &Path {
        self.copy.as_ref().map_or(self.path, |copy| copy.path())
    }

    fn size(&self) -> u64 {
        self.file().metadata().map_or(0, |metadata| metadata.len())
    }
}

/// The logs in the order of their first events; those without events last.
fn in_order<'a>(input: &'a InputOptions, options: &ReadOptions) -> Result<Vec<Log<'a>>, Error> {
    let mut logs = Vec::new();
    for path in &input.logs {
        let mut log = Log { path, copy: piped(path)?, first: 0 };
        if input.logs.len() > 1 {
            log.first = Beginning::at(log.file(), options)?.time().unwrap_or(i64::MAX);
        }
        logs.push(log);
    }
    logs.sort_by_key(|log| log.first);
    Ok(logs)
}

/// What reading has come to.
struct Reading<'a, F> {
    progress: Progress,
    stream: EpisodeStream<'a>,
    counts: &'a mut Counts,
    holds: u64,
    episode: F,
}

impl<F: FnMut(Episode) -> ControlFlow<()>> Reading<'_, F> {
    fn log(
        &mut self,
        log: &Log<'_>,
        next: Option<i64>,
        options: &ReadOptions,
    ) -> Result<ControlFlow<()>, Error> {
        let chunks = ChunkedLog::open(log.file(), options)?;
        // The bar counts bytes of files as they are, compressed or not.
        let share = log.size() as f64 / chunks.len().max(1) as f64;
        self.stream.begin_log();
        self.counts.logs += 1;
        let (mut damaged, mut told) = (0, 0);
        let flow = chunks.read(holds_of, |(mut part, bytes)| {
            self.counts.events += part.events;
            self.counts.unknown += part.unknown;
            damaged += part.damaged;
            for damage in part.damage.drain(..).take(DAMAGE - told) {
                self.progress.tell(&format!("{}: {damage}", log.path.display()));
                told += 1;
            }
            let mut flow = ControlFlow::Continue(());
            self.stream.add(part, next, |made| {
                self.holds += 1;
                if flow.is_continue() {
                    flow = (self.episode)(made);
                }
            });
            self.progress.advance((bytes as f64 * share) as u64);
            self.progress.message(format!("{} holds", self.holds));
            flow
        });
        self.counts.damaged += damaged;
        if damaged > told as u64 {
            let more = damaged - told as u64;
            self.progress.tell(&format!("{}: {more} more damaged events", log.path.display()));
        }
        Ok(flow)
    }
}

/// What a chunk tells of holds, and its bytes.
fn holds_of(chunk: &mut LogReader<Chunk>) -> (LogHolds, u64) {
    let begin = chunk.offset();
    let holds = LogHolds::read(chunk);
    (holds, chunk.offset() - begin)
}
