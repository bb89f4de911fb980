//! One series in one pass: what is new is taken, in order, and what is done is compressed.

use std::io;
use std::path::Path;

use super::facts::{Facts, begins, whole};
use super::folder::{Folder, Taken, is_full};
use super::gap::{self, Gap};
use super::kept::Kept;
use super::pass::{Report, Settings};
use super::series::Series;
use super::source::{Look, Source};
use eventlog::input::is_packed;

/// Kept files, newest first, among which those of HTCondor are looked for: it can have 999 rotated
/// ones of a series.
const MOST_KNOWN: usize = 1_000;

/// Bytes that a log without a header must have, while it is written: a header may be half there.
const LEAST_WITHOUT_HEADER: u64 = 512;

/// A kept file, and what tells it from any other.
struct Known {
    kept: Kept,
    facts: Facts,
    is_packed: bool,
    /// Which of HTCondor's files it is.
    source: Option<usize>,
}

/// Keeps one series. What goes wrong is in the report.
pub(super) fn keep(
    folder: &Folder,
    series: Series,
    path: &Path,
    settings: &Settings,
    now: i64,
    report: &mut Report,
) {
    let problem = |error: io::Error| {
        let path = path.display();
        match is_full(&error) {
            true => format!("{path}: {error}; what is kept stays, and the next pass goes on"),
            false => format!("{path}: {error}"),
        }
    };
    let looked = Look::at(series, path)
        .and_then(|look| Keeper::begin(folder, series, look, settings, report));
    let mut keeper = match looked {
        Ok(keeper) => keeper,
        Err(error) => return report.problems.push(problem(error)),
    };
    // What follows a file is known once that is whole.
    let taken = keeper.bring_up_to_date().and_then(|()| keeper.take_new(report));
    // Without room for more, what is compressed gives some back.
    let packed = keeper.pack(now, report);
    report.problems.extend([taken, packed].into_iter().filter_map(Result::err).map(problem));
    match keeper.note_gaps(settings.oldest(now)) {
        Ok(gaps) => report.new_gaps.extend(gaps),
        Err(error) => report.problems.push(problem(error)),
    }
}

struct Keeper<'a> {
    folder: &'a Folder,
    series: Series,
    sources: Vec<Source>,
    /// In the order of their numbers, the newest last.
    known: Vec<Known>,
    settings: &'a Settings,
    /// The highest number that a name has, of a file that cannot be read too.
    highest: u64,
    /// Every file of HTCondor's that is there could be looked at.
    is_whole_look: bool,
}

impl<'a> Keeper<'a> {
    fn begin(
        folder: &'a Folder,
        series: Series,
        look: Look,
        settings: &'a Settings,
        report: &mut Report,
    ) -> io::Result<Self> {
        let Look { files: sources, problems } = look;
        let is_whole_look = problems.is_empty();
        report.problems.extend(problems);
        let (mut kept, problems) = Kept::list(folder.path(), series)?;
        report.problems.extend(problems);
        let highest = kept.last().map_or(0, |kept| kept.number);
        let first = kept.len().saturating_sub(MOST_KNOWN);
        let mut known = Vec::new();
        for kept in kept.drain(first..) {
            match Known::open(folder, kept.clone()) {
                Ok(one) => known.push(one),
                Err(error) => {
                    let path = folder.path().join(kept.name());
                    report.problems.push(format!("{}: {error}", path.display()));
                }
            }
        }
        for (at, source) in sources.iter().enumerate() {
            let facts = Facts::of(&source.file, source.length)?;
            let begins = begins(&source.file, source.length)?;
            let is_same = |known: &&mut Known| {
                known.is_link_to(source) || known.facts.is_of_same_file(&facts, &begins)
            };
            if let Some(known) = known.iter_mut().rev().find(is_same) {
                known.source = Some(at);
            }
        }
        for known in known.iter_mut().filter(|known| known.source.is_none() && !known.is_packed) {
            known.leave_out_half(folder)?;
        }
        Ok(Self { folder, series, sources, known, settings, highest, is_whole_look })
    }

    /// Adds to files that were taken before what was written to them since.
    fn bring_up_to_date(&mut self) -> io::Result<()> {
        for known in &mut self.known {
            let Some(source) = known.source.map(|source| &self.sources[source]) else { continue };
            if known.is_link_to(source) {
                continue;
            }
            let (taken, name) = (known.facts.length, known.kept.name());
            let is_part = source.length >= taken && known.facts.is_part_of(&source.file)?;
            // A copy may be damaged after a crash of the machine; one that has more than HTCondor's
            // file is all there is of it.
            if source.length < taken || (is_part && source.length == taken) {
                continue;
            }
            if is_part && !known.is_packed {
                self.folder.extend(&source.file, taken, source.length, &name)?;
            } else {
                let links = self.settings.links;
                let taken = self.folder.take(&source.file, source.length, &name, links)?;
                known.kept.node = source.node.filter(|_| taken == Taken::Linked);
                known.is_packed = false;
            }
            known.facts = Facts::of(&source.file, source.length)?;
        }
        Ok(())
    }

    /// Takes the files that are newer than any that was taken. An older one that is not there was
    /// deleted for its age, or could not be read in its time.
    fn take_new(&mut self, report: &mut Report) -> io::Result<()> {
        let newest = self.known.iter().filter_map(|known| known.source).max();
        let last = self.known.last();
        let mut listed = last.is_some_and(|last| last.source.is_some() && last.source == newest);
        for at in newest.map_or(0, |newest| newest + 1)..self.sources.len() {
            let source = &self.sources[at];
            let facts = Facts::of(&source.file, source.length)?;
            let is_half = facts.header.is_none() && source.length < LEAST_WITHOUT_HEADER;
            if source.length == 0 || (source.is_live && is_half) {
                continue;
            }
            let is_next = listed && self.is_whole_look;
            let is_cut_off = match self.known.last() {
                Some(last) => last.facts.is_cut_off(&facts, is_next),
                None => self.highest > 0,
            };
            let number = self.highest + 1 + u64::from(is_cut_off);
            let name = self.series.file(number);
            let taken =
                self.folder.take(&source.file, source.length, &name, self.settings.links)?;
            let node = source.node.filter(|_| taken == Taken::Linked);
            let (series, size, modified) = (self.series, source.length, source.modified);
            let kept = Kept { series, number, size, modified, node };
            self.known.push(Known { kept, facts, is_packed: false, source: Some(at) });
            report.taken += 1;
            (self.highest, listed) = (number, true);
        }
        Ok(())
    }

    /// Compresses what was rotated away and is not written any more.
    fn pack(&mut self, now: i64, report: &mut Report) -> io::Result<()> {
        let settle = self.settings.settle;
        for known in self.known.iter_mut().filter(|known| !known.is_packed) {
            let source = known.source.map(|source| &self.sources[source]);
            if source.is_some_and(|source| source.is_live) {
                continue;
            }
            let modified = source.map_or(known.kept.modified, |source| source.modified);
            // A clock that was set back says nothing.
            if now.saturating_sub(modified).saturating_abs() < settle {
                continue;
            }
            let own;
            let file = match source {
                Some(source) if source.length >= known.facts.length => {
                    // Where it is not deleted yet, it has what was written since the look, too.
                    known.facts = Facts::of(&source.file, source.file.metadata()?.len())?;
                    &source.file
                }
                _ => {
                    own = known.kept.open(self.folder)?;
                    &own
                }
            };
            self.folder.pack(file, &known.facts, &known.kept.name())?;
            known.is_packed = true;
            report.packed += 1;
        }
        Ok(())
    }

    /// Lists the gaps, which the numbers of files tell.
    fn note_gaps(&self, oldest: i64) -> io::Result<Vec<Gap>> {
        let pairs = self.known.windows(2);
        let apart = pairs.filter(|pair| pair[1].kept.number > pair[0].kept.number + 1);
        let end = |known: &'_ Known| (known.kept.number, known.kept.modified);
        let gaps = apart.map(|pair| {
            let ((after, from), (before, written)) = (end(&pair[0]), end(&pair[1]));
            let (facts, later) = (&pair[0].facts, &pair[1].facts);
            Gap::between(self.series, (after, from, facts), (before, written, later))
        });
        gap::note(self.folder, gaps.collect(), oldest)
    }
}

impl Known {
    fn open(folder: &Folder, kept: Kept) -> io::Result<Self> {
        let file = kept.open(folder)?;
        let is_packed = is_packed(&file)?;
        let facts = match is_packed {
            true => Facts::of_packed(&file)?,
            false => Facts::of(&file, file.metadata()?.len())?,
        };
        Ok(Self { kept, facts, is_packed, source: None })
    }

    /// Counts half an event or ad at the end as missing: nobody completes it any more. The file
    /// loses it when it is compressed, as a late writer may still be at it.
    fn leave_out_half(&mut self, folder: &Folder) -> io::Result<()> {
        let file = self.kept.open(folder)?;
        self.facts = Facts::of(&file, whole(&file, self.facts.length, self.kept.series)?)?;
        Ok(())
    }

    /// It is HTCondor's file under another name. No other has its inode as long as it has the name.
    fn is_link_to(&self, source: &Source) -> bool {
        !self.is_packed && self.kept.node.is_some() && self.kept.node == source.node
    }
}
