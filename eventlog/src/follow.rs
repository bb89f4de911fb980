//! Following a log that is being written and rotated.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::identity::{Beginning, FileId, Same};
use super::position::Spot;
use super::reader::{Located, Place, check_is_log};
use super::rotation::{Node, open_siblings};
use super::{Damage, DamagedEvent, Event, EventLogError, LogReader, Position, ReadOptions, years};
use crate::input::{is_packed, open_regular};

/// Follows a log through its rotations, see [`follow`].
///
/// Memory and open files stay the same however long it runs: one reader, and while a rotation is
/// looked at the files of the log.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    options: ReadOptions,
    current: Option<Current>,
    /// The files that were read before, oldest first.
    left: VecDeque<Left>,
    /// One of them that has grown since is read.
    late: Option<Late>,
    /// How many of them were looked at since the last call found nothing more.
    looked_back: usize,
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
    /// Between this file and the one before it others may have come and gone.
    is_gap: bool,
}

/// A file that was rotated away and read to its end. It is held open: a writer may be late.
#[derive(Debug)]
struct Left {
    path: PathBuf,
    file: File,
    spot: Spot,
}

#[derive(Debug)]
struct Late {
    /// Which of those that were left.
    index: usize,
    reader: LogReader<File>,
}

/// What a report is about.
#[derive(Clone, Copy)]
enum Of {
    Current,
    Late,
    /// The log, not one of its files.
    Log,
}

/// Rotated files that a late writer may still write to.
const MOST_LEFT: usize = 4;

/// Follows a log that is being written: first what is there, its rotated siblings before it, then
/// what is added.
///
/// With a [`Position`] it goes on there, also if the log was rotated meanwhile. A log that is not
/// there yet is followed from when it appears. [`ReadOptions::follow`] and [`ReadOptions::offset`]
/// are not looked at.
///
/// A log counts as rotated once its path leads to another file that holds anything. The old one is
/// then read to its end, then those that were rotated later, in the order of
/// [`super::open_series`]. An event that is cut at the end of a rotated file is reported one look
/// later, since its writer may still be at it.
///
/// Shadows of HTCondor 23.9 have been seen to write to a file a quarter of a second after the
/// schedd had rotated it. The last four rotated files are looked at again at each look, and what
/// was added to them is returned then, behind events that were written before.
///
/// What cannot be read any more is told as [`Damage::Gone`] or [`Damage::Cut`], see
/// [`DamagedEvent::is_loss`]; a file that cannot be read now as [`Damage::Io`], once, and then
/// tried again at each look.
///
/// Years are found as [`super::open_series`] does, and go on from there.
///
/// ```no_run
/// use eventlog::{ReadOptions};
///
/// let mut log = eventlog::follow("EventLog", &ReadOptions::default(), None)?;
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
/// # Ok::<(), eventlog::EventLogError>(())
/// ```
///
/// # Errors
/// The log is there and cannot be opened, or without a position: its beginning is no job event log.
pub fn follow(
    path: impl AsRef<Path>,
    options: &ReadOptions,
    position: Option<Position>,
) -> Result<Follower, EventLogError> {
    let path = path.as_ref().to_owned();
    let options = ReadOptions { follow: true, offset: 0, ..options.clone() };
    match open_regular(&path) {
        Ok(file) if is_packed(&file).unwrap_or(false) => {
            let source = io::Error::other("it is compressed, which no log is that grows");
            return Err(EventLogError::Io { path, source });
        }
        Ok(file) if position.is_none() => check_is_log(&path, &file, &options)?,
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(EventLogError::Io { path, source }),
    }
    Ok(Follower {
        path,
        options,
        current: None,
        left: VecDeque::new(),
        late: None,
        looked_back: 0,
        resume: position,
        cut: false,
        waiting: false,
        failing: false,
    })
}

impl Follower {
    /// The next event and the name its file had when it was opened. `None`: nothing more is there
    /// yet, ask again later.
    pub fn next_event(&mut self) -> Option<(&Path, Result<Event<'_>, DamagedEvent>)> {
        let (of, found) = self.find_next()?;
        let (path, reader) = match of {
            Of::Current => {
                self.current.as_mut().map(|current| (&current.path, &mut current.reader))?
            }
            Of::Late => self
                .late
                .as_mut()
                .and_then(|late| Some((&self.left.get(late.index)?.path, &mut late.reader)))?,
            Of::Log => return Some((&self.path, Err(found.err()?))),
        };
        Some((path, found.and_then(|found| reader.event(found))))
    }

    /// Where to go on behind what was returned so far. `None` as long as no file of the log was
    /// there.
    pub fn position(&self) -> Option<Position> {
        let Some(current) = &self.current else { return self.resume.clone() };
        let mut left: Vec<_> = self.left.iter().map(|left| left.spot.clone()).collect();
        if let Some(late) = &self.late
            && let Some(spot) = left.get_mut(late.index)
        {
            spot.place = late.reader.place();
        }
        Some(Position { spot: current.spot(), left })
    }

    fn find_next(&mut self) -> Option<(Of, Result<Located, DamagedEvent>)> {
        loop {
            if let Some(late) = &mut self.late {
                match late.reader.find_next() {
                    Some(Err(damaged)) if damaged.is_io() => {
                        self.left.remove(late.index);
                        self.late = None;
                        self.looked_back = 0;
                        return Some((Of::Log, Err(damaged)));
                    }
                    Some(found) => return Some((Of::Late, found)),
                    None => {}
                }
                if let Some(left) = self.left.get_mut(late.index) {
                    left.spot.place = late.reader.place();
                }
                self.late = None;
            }
            if std::mem::take(&mut self.waiting)
                && self.current.as_mut().is_some_and(|current| current.was_cut().unwrap_or(false))
            {
                self.leave();
                self.cut = true;
            }
            let Some(current) = &mut self.current else {
                match self.start() {
                    Ok(None) if self.current.is_some() => continue,
                    Ok(told) => return told.map(|told| (Of::Log, Err(told))),
                    Err(error) => return self.fail(&error),
                }
            };
            let place = current.reader.place();
            match current.reader.find_next() {
                Some(Err(damaged)) if damaged.is_io() => {
                    self.leave();
                    if let Some(resume) = &mut self.resume {
                        resume.spot.place = place;
                    }
                    let is_new = !std::mem::replace(&mut self.failing, true);
                    return is_new.then_some((Of::Log, Err(damaged)));
                }
                Some(found) => {
                    self.failing = false;
                    return Some((Of::Current, found));
                }
                None => {}
            }
            let goes_on = match current.next.take() {
                Some(next) => match self.advance(next) {
                    Ok(Some(told)) => return Some((Of::Log, Err(told))),
                    Ok(None) => Ok(true),
                    Err(error) => Err(error),
                },
                None => self.look().and_then(|goes_on| Ok(goes_on || self.look_back()?)),
            };
            match goes_on {
                Ok(true) => {}
                Ok(false) => {
                    self.failing = false;
                    self.waiting = true;
                    return None;
                }
                Err(error) => return self.fail(&error),
            }
        }
    }

    /// Looks whether files that were left have grown, each once.
    fn look_back(&mut self) -> io::Result<bool> {
        while let Some(left) = self.left.get(self.looked_back) {
            let index = self.looked_back;
            self.looked_back += 1;
            if left.file.metadata()?.len() > left.spot.place.offset {
                let reader =
                    LogReader::at_place(left.file.try_clone()?, &self.options, &left.spot.place)?;
                self.late = Some(Late { index, reader });
                return Ok(true);
            }
        }
        self.looked_back = 0;
        self.left.retain(|left| is_linked(&left.file));
        Ok(false)
    }

    /// Closes the file. It is looked for again.
    fn leave(&mut self) {
        self.resume = self.position();
        (self.current, self.late, self.looked_back) = (None, None, 0);
        self.left.clear();
    }

    /// Tells an error the first time that it is met.
    fn fail(&mut self, error: &io::Error) -> Option<(Of, Result<Located, DamagedEvent>)> {
        self.waiting = true;
        if std::mem::replace(&mut self.failing, true) {
            return None;
        }
        let offset = self.position().map_or(0, |position| position.offset());
        Some((Of::Log, Err(told(offset, Damage::Io(error.to_string())))))
    }

    /// Opens the file to begin or to go on with, if it is there, and tells what was lost.
    fn start(&mut self) -> io::Result<Option<DamagedEvent>> {
        let newest = match open_regular(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            newest => Some(newest?),
        };
        let mut files = open_siblings(&self.path, newest).files;
        let Some(position) = &self.resume else {
            let Some(first) = first_with_bytes(&files, 0) else { return Ok(None) };
            let year = years::hints(&files, &self.options)[first];
            let options = ReadOptions { year, ..self.options.clone() };
            let (path, file) = files.swap_remove(first);
            self.current = Some(Current::open(path, file, &options, &Place::default())?);
            return Ok(None);
        };
        self.left = open_left(&position.left, &files)?;
        if let Some(index) = position.spot.find(&files) {
            let is_newest = index + 1 == files.len();
            let (path, file) = files.swap_remove(index);
            let mut current = Current::open(path, file, &self.options, &position.spot.place)?;
            current.was_waited_for = !is_newest;
            self.current = Some(current);
            (self.resume, self.cut) = (None, false);
            return Ok(None);
        }
        let node = position.spot.file.node;
        let of_node = node.and_then(|_| files.iter().position(|file| Node::of(&file.1) == node));
        let cut = of_node.filter(|_| self.cut);
        let first = position.first_after(&files).or(cut).unwrap_or(0);
        let Some(first) = first_with_bytes(&files, first) else { return Ok(None) };
        let (path, file) = files.swap_remove(first);
        let place = position.spot.place.in_next_file();
        let current = Current::open(path, file, &self.options, &place)?;
        let bytes = position.spot.file.bytes_between(position.offset(), &current.id());
        let damage = if cut == Some(first) { Damage::Cut } else { Damage::Gone { bytes } };
        let is_lost = bytes != Some(0);
        let lost = is_lost.then(|| told(position.offset(), damage));
        self.current = Some(current);
        (self.resume, self.cut) = (None, false);
        Ok(lost)
    }

    /// Looks whether the log is another file by now. `false`: it is not, and nothing more is to be
    /// read yet.
    fn look(&mut self) -> io::Result<bool> {
        let Some(current) = &mut self.current else { return Ok(true) };
        let spot = current.spot();
        let id = &spot.file;
        let node = id.node;
        let is_node = |data| node.is_some() && Node::from_metadata(&data) == node;
        if std::fs::metadata(&self.path).is_ok_and(is_node) {
            return Ok(false);
        }
        let newest = match open_regular(&self.path) {
            Ok(newest) if id.is_node_of(&newest) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            newest => Some(newest?),
        };
        let mut files = open_siblings(&self.path, newest).files;
        let at = files.iter().position(|(_, file)| id.is_node_of(file));
        if at.is_none() && spot.find(&files).is_some() {
            // Its text is in another file now, and may go on there.
            self.leave();
            return Ok(true);
        }
        let first = match at {
            Some(at) => at + 1,
            None => {
                let left = self.left.iter().map(|left| left.spot.clone()).collect();
                Position { spot, left }.first_after(&files).unwrap_or(0)
            }
        };
        // An empty file says nothing that a position could hold on to.
        let Some(first) = first_with_bytes(&files, first) else { return Ok(false) };
        if current.reader.has_half_event() && !std::mem::replace(&mut current.was_waited_for, true)
        {
            return Ok(false);
        }
        // A log alone was not rotated but removed and begun anew.
        let is_gap = at.is_none() && files.len() > 1;
        let (path, file) = files.swap_remove(first);
        current.next = Some(Next { path, file, is_gap });
        current.reader.finish();
        Ok(true)
    }

    /// Goes to the next file, and tells what was lost between.
    fn advance(&mut self, next: Next) -> io::Result<Option<DamagedEvent>> {
        let Some(old) = self.current.take() else { return Ok(None) };
        let spot = old.spot();
        let place = spot.place.in_next_file();
        let current = match Current::open(next.path, next.file, &self.options, &place) {
            Ok(current) => current,
            Err(error) => {
                self.current = Some(old);
                self.leave();
                return Err(error);
            }
        };
        let offset = spot.place.offset;
        let bytes = spot.file.bytes_between(offset, &current.id());
        let is_lost = next.is_gap && bytes != Some(0);
        self.current = Some(current);
        self.left.push_back(Left { path: old.path, file: old.reader.source, spot });
        if self.left.len() > MOST_LEFT {
            self.left.pop_front();
        }
        self.looked_back = 0;
        Ok(is_lost.then(|| told(offset, Damage::Gone { bytes })))
    }
}

/// The files that were left, as far as they are there.
fn open_left(spots: &[Spot], files: &[(PathBuf, File)]) -> io::Result<VecDeque<Left>> {
    let found = spots.iter().filter_map(|spot| Some((spot, &files[spot.find(files)?])));
    let open = |(spot, (path, file)): (&Spot, &(PathBuf, File))| {
        Ok(Left { path: path.clone(), file: file.try_clone()?, spot: spot.clone() })
    };
    found.map(open).collect()
}

/// A file that was removed takes room on its disk as long as it is open.
fn is_linked(file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        true
    }
}

impl Current {
    fn open(path: PathBuf, file: File, options: &ReadOptions, place: &Place) -> io::Result<Self> {
        let beginning = Beginning::of(&file)?;
        let reader = LogReader::at_place(file, options, place)?;
        Ok(Self { path, beginning, reader, modified: None, was_waited_for: false, next: None })
    }

    fn id(&self) -> FileId {
        self.beginning.id(self.reader.offset())
    }

    fn spot(&self) -> Spot {
        Spot { file: self.id(), place: self.reader.place() }
    }

    /// The file does not hold any more what was read of it.
    fn was_cut(&mut self) -> io::Result<bool> {
        let file = &self.reader.source;
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

fn told(offset: u64, damage: Damage) -> DamagedEvent {
    let length = if let Damage::Gone { bytes: Some(bytes) } = damage { bytes } else { 0 };
    damage.at(offset, length)
}

/// The first file from `first` on that is not empty.
fn first_with_bytes(files: &[(PathBuf, File)], first: usize) -> Option<usize> {
    let mut files = files.iter().enumerate().skip(first);
    files.find(|(_, (_, file))| file.metadata().is_ok_and(|data| data.len() > 0)).map(|file| file.0)
}

#[cfg(test)]
mod tests;
