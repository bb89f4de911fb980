//! Following a log that is being written and rotated.

use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::identity::{Beginning, FileId, Same};
use super::reader::{Located, Place, check_is_log};
use super::siblings::{Node, open_siblings};
use super::{Damage, DamagedEvent, Event, LogReader, Position, ReadOptions, UserlogError, years};

/// Follows a log through its rotations, see [`follow`].
///
/// Memory and open files stay the same however long it runs: one reader, and while a rotation is looked at the files of
/// the log.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    options: ReadOptions,
    current: Option<Current>,
    /// Where to go on while no file is open.
    resume: Option<Position>,
    /// The file of `resume` was open when it was found to be cut.
    cut: bool,
    /// The last call found nothing more.
    waiting: bool,
    /// An error was told, and nothing was read since.
    failing: bool,
}

/// The file that is being read.
#[derive(Debug)]
struct Current {
    path: PathBuf,
    beginning: Beginning,
    before: Option<FileId>,
    reader: LogReader<File>,
    /// When it was last written, at the last look.
    modified: Option<SystemTime>,
    /// Nobody is expected to complete an event that is cut at its end.
    was_waited_for: bool,
    /// It was rotated away, and this file is the next.
    next: Option<Next>,
}

#[derive(Debug)]
struct Next {
    path: PathBuf,
    file: File,
    /// The file that is older.
    before: Option<FileId>,
    /// Between this file and the one before it others may have come and gone.
    is_gap: bool,
}

/// A part of a log that is no event, and whether it is of the current file or of one that is gone.
struct Told {
    damaged: DamagedEvent,
    of_current: bool,
}

/// Follows a log that is being written: first what is there, its rotated siblings before it, then what is added.
///
/// With a [`Position`] it goes on there, also if the log was rotated meanwhile. A log that is not there yet is
/// followed from when it appears. [`ReadOptions::follow`] and [`ReadOptions::offset`] are not looked at.
///
/// A log counts as rotated once its path leads to another file that holds anything. The old one is then read to its
/// end, then those that were rotated later, in the order of [`super::open_series`]. An event that is cut at the end
/// of a rotated file is reported one look later, since its writer may still be at it. HTCondor itself writes whole events
/// under a lock and rotates between them (`WriteUserLog::doWriteEvent`).
///
/// What cannot be read any more is told as [`Damage::Gone`] or [`Damage::Cut`], see [`DamagedEvent::is_loss`]; a file
/// that cannot be read now as [`Damage::Io`], once, and then tried again at each look.
///
/// Years are found as [`super::open_series`] does, and go on from there.
///
/// ```no_run
/// use holdadvise::userlog::{self, ReadOptions};
///
/// let mut log = userlog::follow("EventLog", &ReadOptions::default(), None)?;
/// loop {
///     while let Some((path, event)) = log.next_event() {
///         match event {
///             Ok(event) => println!("{} {:?}", event.job, event.kind()),
///             Err(damaged) => eprintln!("{}: {damaged}", path.display()),
///         }
///     }
///     // Now is the time to keep `log.position()`.
///     std::thread::sleep(std::time::Duration::from_secs(5));
/// }
/// # #[allow(unreachable_code)]
/// # Ok::<(), userlog::UserlogError>(())
/// ```
///
/// # Errors
/// The log is there and cannot be opened, or without a position: its beginning is no job event log.
pub fn follow(
    path: impl AsRef<Path>,
    options: &ReadOptions,
    position: Option<Position>,
) -> Result<Follower, UserlogError> {
    let path = path.as_ref().to_owned();
    let options = ReadOptions { follow: true, offset: 0, ..options.clone() };
    match File::open(&path) {
        Ok(file) if position.is_none() => check_is_log(&path, file, &options)?,
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(UserlogError::Io { path, source }),
    }
    Ok(Follower {
        path,
        options,
        current: None,
        resume: position,
        cut: false,
        waiting: false,
        failing: false,
    })
}

impl Follower {
    /// The next event and the name its file had when it was opened. `None`: nothing more is there yet, ask again later.
    pub fn next_event(&mut self) -> Option<(&Path, Result<Event<'_>, DamagedEvent>)> {
        let found = match self.find_next()? {
            Ok(found) => Ok(found),
            Err(Told { damaged, of_current: true }) => Err(damaged),
            Err(Told { damaged, .. }) => return Some((&self.path, Err(damaged))),
        };
        let current = self.current.as_mut()?;
        Some((&current.path, found.and_then(|found| current.reader.event(found))))
    }

    /// Where to go on behind what was returned so far. `None` as long as no file of the log was there.
    pub fn position(&self) -> Option<Position> {
        match &self.current {
            Some(current) => Some(current.position()),
            None => self.resume.clone(),
        }
    }

    fn find_next(&mut self) -> Option<Result<Located, Told>> {
        loop {
            if std::mem::take(&mut self.waiting)
                && self.current.as_mut().is_some_and(|current| current.was_cut().unwrap_or(false))
            {
                self.leave();
                self.cut = true;
            }
            let Some(current) = &mut self.current else {
                match self.start() {
                    Ok(None) if self.current.is_some() => continue,
                    Ok(told) => return told.map(Err),
                    Err(error) => return self.fail(&error).map(Err),
                }
            };
            let place = current.reader.place();
            match current.reader.find_next() {
                Some(Err(damaged)) if damaged.is_io() => {
                    self.leave();
                    if let Some(resume) = &mut self.resume {
                        resume.place = place;
                    }
                    let is_new = !std::mem::replace(&mut self.failing, true);
                    return is_new.then_some(Err(Told { damaged, of_current: false }));
                }
                Some(found) => {
                    self.failing = false;
                    return Some(found.map_err(|damaged| Told { damaged, of_current: true }));
                }
                None => {}
            }
            let goes_on = match current.next.take() {
                Some(next) => match self.advance(next) {
                    Ok(Some(told)) => return Some(Err(told)),
                    Ok(None) => Ok(true),
                    Err(error) => Err(error),
                },
                None => self.look(),
            };
            match goes_on {
                Ok(true) => {}
                Ok(false) => {
                    self.failing = false;
                    self.waiting = true;
                    return None;
                }
                Err(error) => return self.fail(&error).map(Err),
            }
        }
    }

    /// Closes the file. It is looked for again.
    fn leave(&mut self) {
        self.resume = self.position();
        self.current = None;
    }

    /// Tells an error the first time that it is met.
    fn fail(&mut self, error: &io::Error) -> Option<Told> {
        self.waiting = true;
        if std::mem::replace(&mut self.failing, true) {
            return None;
        }
        let offset = self.position().map_or(0, |position| position.offset());
        Some(told(offset, Damage::Io(error.to_string())))
    }

    /// Opens the file to begin or to go on with, if it is there, and tells what was lost.
    fn start(&mut self) -> io::Result<Option<Told>> {
        let newest = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            newest => Some(newest?),
        };
        let mut files = open_siblings(&self.path, newest).files;
        let Some(position) = &self.resume else {
            let Some(first) = first_with_bytes(&files, 0) else { return Ok(None) };
            let year = years::hints(&files, &self.options)[first];
            let options = ReadOptions { year, ..self.options.clone() };
            let (path, file) = files.swap_remove(first);
            self.current = Some(Current::open(path, file, None, &options, &Place::default())?);
            return Ok(None);
        };
        if let Some(index) = position.find(&files) {
            let is_newest = index + 1 == files.len();
            let (path, file) = files.swap_remove(index);
            let before = position.before.clone();
            let mut current = Current::open(path, file, before, &self.options, &position.place)?;
            current.was_waited_for = !is_newest;
            self.current = Some(current);
            (self.resume, self.cut) = (None, false);
            return Ok(None);
        }
        let node = position.file.node();
        let of_node = node.and_then(|_| files.iter().position(|file| Node::of(&file.1) == node));
        let cut = of_node.filter(|_| self.cut);
        let first = position.first_after(&files).or(cut).unwrap_or(0);
        let Some(first) = first_with_bytes(&files, first) else { return Ok(None) };
        let before = first.checked_sub(1).map(|before| FileId::of(&files[before].1)).transpose()?;
        let (path, file) = files.swap_remove(first);
        let place = position.place.in_next_file();
        let current = Current::open(path, file, before, &self.options, &place)?;
        let bytes = position.file.bytes_between(position.offset(), &current.id());
        let damage = if cut == Some(first) { Damage::Cut } else { Damage::Gone { bytes } };
        let is_lost = bytes != Some(0);
        let lost = is_lost.then(|| told(position.offset(), damage));
        self.current = Some(current);
        (self.resume, self.cut) = (None, false);
        Ok(lost)
    }

    /// Looks whether the log is another file by now. `false`: it is not, and nothing more is to be read yet.
    fn look(&mut self) -> io::Result<bool> {
        let Some(current) = &mut self.current else { return Ok(true) };
        let position = current.position();
        let id = &position.file;
        let node = id.node();
        let is_node = |data| node.is_some() && Node::from_metadata(&data) == node;
        if std::fs::metadata(&self.path).is_ok_and(is_node) {
            return Ok(false);
        }
        let newest = match File::open(&self.path) {
            Ok(newest) if id.is_node_of(&newest) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            newest => Some(newest?),
        };
        let mut files = open_siblings(&self.path, newest).files;
        let at = files.iter().position(|(_, file)| id.is_node_of(file));
        if at.is_none() && position.find(&files).is_some() {
            // Its text is in another file now, and may go on there.
            self.leave();
            return Ok(true);
        }
        let first = match at {
            Some(at) => at + 1,
            None => position.first_after(&files).unwrap_or(0),
        };
        // An empty file says nothing that a position could hold on to.
        let Some(first) = first_with_bytes(&files, first) else { return Ok(false) };
        if current.reader.has_half_event() && !std::mem::replace(&mut current.was_waited_for, true)
        {
            return Ok(false);
        }
        let before = first.checked_sub(1).map(|before| FileId::of(&files[before].1)).transpose()?;
        // A log alone was not rotated but removed and begun anew.
        let is_gap = at.is_none() && files.len() > 1;
        let (path, file) = files.swap_remove(first);
        current.next = Some(Next { path, file, before, is_gap });
        current.reader.finish();
        Ok(true)
    }

    /// Goes to the next file, and tells what was lost between.
    fn advance(&mut self, next: Next) -> io::Result<Option<Told>> {
        let Some(position) = self.position() else { return Ok(None) };
        self.leave();
        let place = position.place.in_next_file();
        let current = Current::open(next.path, next.file, next.before, &self.options, &place)?;
        let bytes = position.file.bytes_between(position.offset(), &current.id());
        let is_lost = next.is_gap && bytes != Some(0);
        self.current = Some(current);
        self.resume = None;
        Ok(is_lost.then(|| told(position.offset(), Damage::Gone { bytes })))
    }
}

impl Current {
    fn open(
        path: PathBuf,
        file: File,
        before: Option<FileId>,
        options: &ReadOptions,
        place: &Place,
    ) -> io::Result<Self> {
        let beginning = Beginning::of(&file)?;
        let reader = LogReader::at_place(file, options, place)?;
        Ok(Self {
            path,
            beginning,
            before,
            reader,
            modified: None,
            was_waited_for: false,
            next: None,
        })
    }

    fn id(&self) -> FileId {
        self.beginning.id(self.reader.offset())
    }

    fn position(&self) -> Position {
        Position { file: self.id(), before: self.before.clone(), place: self.reader.place() }
    }

    /// The file does not hold any more what was read of it.
    fn was_cut(&mut self) -> io::Result<bool> {
        let file = self.reader.file();
        let metadata = file.metadata()?;
        let modified = metadata.modified().ok();
        let was_modified = std::mem::replace(&mut self.modified, modified) != modified;
        match metadata.len().cmp(&self.reader.read_to()) {
            Ordering::Less => return Ok(true),
            Ordering::Equal if !was_modified => return Ok(false),
            _ => {}
        }
        if self.id().compare(file)? == Same::No {
            return Ok(true);
        }
        if self.beginning.may_grow() {
            self.beginning = Beginning::of(file)?;
        }
        Ok(false)
    }
}

fn told(offset: u64, damage: Damage) -> Told {
    let length = if let Damage::Gone { bytes: Some(bytes) } = damage { bytes } else { 0 };
    Told { damaged: DamagedEvent { offset, length, event: None, damage }, of_current: false }
}

/// The first file from `first` on that is not empty.
fn first_with_bytes(files: &[(PathBuf, File)], first: usize) -> Option<usize> {
    let mut files = files.iter().enumerate().skip(first);
    files.find(|(_, (_, file))| file.metadata().is_ok_and(|data| data.len() > 0)).map(|file| file.0)
}

#[cfg(test)]
mod tests;
