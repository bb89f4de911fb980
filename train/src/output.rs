//! Where a subcommand writes: looked at before the work, made under a fresh name, never through a
//! link.

use std::fmt;
use std::fs::{self, File, FileType, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::Builder;

/// A file, and what the system said of it.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl FileError {
    /// What makes an error of a file of what the system says.
    pub fn of(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self { path: path.to_owned(), source }
    }
}

/// Reads a whole file.
///
/// # Errors
/// What the system said.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(FileError::of(path))
}

/// SHA-256 in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    path: PathBuf,
    replace: bool,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    File,
    Link,
    Folder,
    /// A FIFO, a pipe or a character device.
    Stream,
    /// A block device or a socket.
    Other,
}

/// How a path is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The name must still be free when the file is whole.
    Create,
    /// A whole file takes the place of the one that is there.
    Replace,
    /// Into what is there, which stays.
    Into,
}

impl Found {
    fn at(path: &Path) -> io::Result<(Self, Option<fs::Metadata>)> {
        match path.symlink_metadata() {
            Ok(metadata) => Ok((Self::of(metadata.file_type()), Some(metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((Self::Nothing, None)),
            Err(error) => Err(error),
        }
    }

    fn of(kind: FileType) -> Self {
        match kind {
            _ if kind.is_file() => Self::File,
            _ if kind.is_symlink() => Self::Link,
            _ if kind.is_dir() => Self::Folder,
            _ if kind.is_fifo() || kind.is_char_device() => Self::Stream,
            _ => Self::Other,
        }
    }

    /// How it is written, or why it is not.
    fn way(self, replace: bool) -> Result<Way, &'static str> {
        match self {
            Self::Nothing => Ok(Way::Create),
            Self::File if replace => Ok(Way::Replace),
            Self::File => Err("it exists already: name another file, or replace it with --replace"),
            Self::Stream => Ok(Way::Into),
            Self::Link => Err("it is a link, and no link is followed: name the file it points to"),
            Self::Folder => Err("it is a folder: name a file"),
            Self::Other => Err("it is a block device or a socket: name a file"),
        }
    }
}

impl<P: AsRef<Path> + ?Sized> From<&P> for Output {
    /// A file that is replaced where it is there already.
    fn from(path: &P) -> Self {
        Self::new(path.as_ref(), true)
    }
}

impl From<&Output> for Output {
    fn from(output: &Output) -> Self {
        output.clone()
    }
}

impl Output {
    /// A file; one that is there already is replaced only if asked.
    pub fn new(path: &Path, replace: bool) -> Self {
        Self { path: path.to_owned(), replace }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks before the work whether the file can be made there.
    ///
    /// # Errors
    /// What stands there and may not be written, or that its folder is missing or takes no file.
    pub fn check(&self) -> Result<(), FileError> {
        let checked = self.way().and_then(|way| match way {
            Way::Into => Ok(()),
            Way::Create | Way::Replace => self.fresh().map(drop),
        });
        checked.map_err(FileError::of(&self.path))
    }

    /// As [`Output::check`], of a file that is also read.
    ///
    /// # Errors
    /// As [`Output::check`]; a device or a FIFO too.
    pub fn check_kept(&self) -> Result<(), FileError> {
        match self.way() {
            Ok(Way::Into) => {
                let source = io::Error::other("it is a device or a FIFO: name a file");
                Err(FileError::of(&self.path)(source))
            }
            _ => self.check(),
        }
    }

    /// Writes the whole file, so that a reader sees the old content or the new.
    ///
    /// # Errors
    /// As [`Output::check`], or what the system said.
    pub fn write(&self, content: &[u8]) -> Result<(), FileError> {
        self.write_by(|file| file.write_all(content))
    }

    /// As [`Output::write`], piece by piece.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn write_by(
        &self,
        write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let whole = |file: &File| {
            let mut file = BufWriter::new(file);
            write(&mut file)?;
            file.flush()
        };
        let written = || {
            if self.way()? == Way::Into {
                return whole(&self.stream()?);
            }
            let fresh = self.fresh()?;
            whole(fresh.as_file())?;
            // What stands there may have changed during the work.
            let placed = match self.way()? {
                Way::Into => {
                    return Err(io::Error::other("it became a device or a FIFO during the work"));
                }
                Way::Create => fresh.persist_noclobber(&self.path),
                Way::Replace => fresh.persist(&self.path),
            };
            placed.map(drop).map_err(|failed| failed.error)
        };
        written().map_err(FileError::of(&self.path))
    }

    fn way(&self) -> io::Result<Way> {
        Found::at(&self.path)?.0.way(self.replace).map_err(io::Error::other)
    }

    /// A file of a random name in the same folder, which nobody else has made; it goes with the
    /// value.
    fn fresh(&self) -> io::Result<tempfile::NamedTempFile> {
        let name = self.path.file_name().ok_or_else(|| io::Error::other("it names no file"))?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut prefix = name.to_owned();
        prefix.push(".");
        // As for any file: what the umask leaves of it.
        Builder::new()
            .prefix(&prefix)
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
    }

    /// Opens the device or FIFO that stands there, and nothing that took its place.
    fn stream(&self) -> io::Result<File> {
        let (_, seen) = Found::at(&self.path)?;
        let file = OpenOptions::new().write(true).open(&self.path)?;
        let opened = file.metadata()?;
        let same = seen.is_some_and(|seen| {
            (seen.dev(), seen.ino(), seen.file_type())
                == (opened.dev(), opened.ino(), opened.file_type())
        });
        if same && Found::of(opened.file_type()) == Found::Stream {
            return Ok(file);
        }
        Err(io::Error::other("something else took its place while it was opened"))
    }
}

/// Whether a folder to write to is there; it is made after the work where it is not.
///
/// # Errors
/// When it is a link or no folder.
pub fn check_folder(folder: &Path) -> Result<bool, FileError> {
    let failed = FileError::of(folder);
    match Found::at(folder).map_err(&failed)?.0 {
        Found::Nothing => Ok(false),
        Found::Folder => Ok(true),
        Found::Link => {
            let text = "it is a link, and no link is followed: name the folder itself";
            Err(failed(io::Error::other(text)))
        }
        _ => Err(failed(io::Error::other("it is no folder: name one"))),
    }
}

/// An open file that grows, such as a log, in the place of what is there; a link there goes, and
/// what it points to stays.
///
/// # Errors
/// What the system said.
pub fn anew(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

/// What text in a template of lines goes through: it begins no line of its own.
#[derive(Clone, Copy)]
pub(crate) struct OneLine;

impl askama::filters::Escaper for OneLine {
    fn write_escaped_str<W: fmt::Write>(&self, mut out: W, text: &str) -> fmt::Result {
        out.write_str(&holdadvise::text::strip_control(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::Read;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_only_if_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        Output::new(&path, false).check().unwrap();
        assert!(names(folder.path()).is_empty(), "looking leaves nothing");
        Output::new(&path, false).write(b"one").unwrap();
        for error in [Output::new(&path, false).check(), Output::new(&path, false).write(b"two")] {
            assert!(error.unwrap_err().to_string().contains("--replace"));
        }
        assert_eq!(fs::read(&path).unwrap(), b"one");
        Output::new(&path, true).write(b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["f"]);
        assert!(Output::new(&folder.path().join("no/such"), true).check().is_err());
        let kept: Vec<u32> = [&path, &folder.path().join("g")]
            .map(|path| {
                if !path.exists() {
                    File::create(path).unwrap();
                }
                path.metadata().unwrap().mode()
            })
            .to_vec();
        assert_eq!(kept[0], kept[1], "readable as any file");
    }

    #[test]
    fn a_file_that_appears_during_the_work_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let output = Output::new(&path, false);
        output.check().unwrap();
        let written = output.write_by(|file| {
            fs::write(&path, "another's")?;
            file.write_all(b"ours")
        });
        assert!(written.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"another's");
        assert_eq!(names(folder.path()), ["f"]);
    }

    #[test]
    fn nothing_goes_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (folder.path().join("f"), folder.path().join("target"));
        fs::write(&target, "kept").unwrap();
        symlink(&target, &path).unwrap();
        let error = Output::new(&path, true).write(b"x").unwrap_err().to_string();
        assert!(error.contains("is a link"), "{error}");
        fs::remove_file(&path).unwrap();
        // A link planted under the name that the process number gives.
        let planted = format!("f.{}", std::process::id());
        symlink(&target, folder.path().join(&planted)).unwrap();
        Output::new(&path, true).write(b"x").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"kept");
        assert_eq!(names(folder.path()), ["f", planted.as_str(), "target"]);
        // A link to nothing makes no file elsewhere.
        let dangling = folder.path().join("dangling");
        symlink(folder.path().join("elsewhere"), &dangling).unwrap();
        assert!(Output::new(&dangling, true).write(b"x").is_err());
        assert!(!folder.path().join("elsewhere").exists());
    }

    #[test]
    fn a_fifo_is_written_to_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let output = Output::new(&path, false);
        output.check().unwrap();
        assert!(output.check_kept().is_err());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || {
                let mut text = String::new();
                File::open(path).unwrap().read_to_string(&mut text).unwrap();
                text
            }
        });
        output.write(b"through").unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert!(path.symlink_metadata().unwrap().file_type().is_fifo());
        assert_eq!(names(folder.path()), ["f"]);
    }

    #[test]
    fn what_is_no_file_is_refused_or_written_into() {
        for replace in [false, true] {
            assert_eq!(Found::Stream.way(replace), Ok(Way::Into), "a device is not renamed over");
            assert_eq!(Found::Nothing.way(replace), Ok(Way::Create));
            for found in [Found::Link, Found::Folder, Found::Other] {
                assert!(found.way(replace).is_err(), "{found:?}");
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let _listener = UnixListener::bind(&socket).unwrap();
        let found = |path: &Path| Found::at(path).unwrap().0;
        assert_eq!((found(&socket), found(folder.path())), (Found::Other, Found::Folder));
    }
}
