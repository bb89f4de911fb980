//! Files that people and job ads name: opened without waiting for anybody, unpacked where they are
//! gzip's.
//!
//! This is the one door for logs and files of ads. What an ad names was named by its owner, who may
//! put a pipe, a device or a folder there; a log is a regular file, and says what it is instead
//! where it is none. A pipe is read where the person who asks named it
//! (`-jobads <(condor_q -long)`).

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

/// Bytes that compressed files may have unpacked where nothing else is said: 64 GiB.
pub const MOST_UNPACKED: u64 = 64 << 30;

/// Bytes that compressed files may have unpacked, all together: each clone is the same room. A
/// small file may unpack to a thousand times its size, and a folder may have many.
#[derive(Clone, Debug)]
pub struct Room(Arc<AtomicU64>);

impl Room {
    /// So many bytes.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self(Arc::new(AtomicU64::new(bytes)))
    }

    /// The bytes that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) {
        let left = |left: u64| Some(left.saturating_sub(bytes));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
    }
}

impl Default for Room {
    fn default() -> Self {
        Self::new(MOST_UNPACKED)
    }
}

/// Bytes read at a time.
const BUFFER: usize = 256 << 10;

/// Bytes that are looked at first: whoever reads on sees as many at once, and can tell text from
/// something else.
const FIRST: u64 = 4 << 10;

/// What a gzip file begins with: its number, and deflate (RFC 1952).
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// Opens a regular file for reading, without waiting for anybody.
///
/// # Errors
/// It cannot be opened, or is something else, which the error names.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = match options.open(path) {
        Ok(file) => file,
        // A socket or a device without a driver cannot be opened at all.
        Err(error) => {
            let what = path.metadata().ok().and_then(|metadata| other_than_file(&metadata));
            return Err(what.map_or(error, not_regular));
        }
    };
    match other_than_file(&file.metadata()?) {
        Some(what) => Err(not_regular(what)),
        None => Ok(file),
    }
}

fn not_regular(what: &str) -> io::Error {
    io::Error::other(format!("it is {what}, expected a regular file"))
}

/// What this is, where it is no regular file.
fn other_than_file(metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_file() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = metadata.file_type();
        for (is, what) in [
            (kind.is_fifo(), "a pipe (FIFO)"),
            (kind.is_socket(), "a socket"),
            (kind.is_char_device() || kind.is_block_device(), "a device"),
        ] {
            if is {
                return Some(what);
            }
        }
    }
    Some(if metadata.is_dir() { "a directory" } else { "something else" })
}

/// The path that stands for standard input: a single dash.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The path leads to a pipe.
pub fn is_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        path.metadata().is_ok_and(|metadata| metadata.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Whether a file that the person who asks named can be read: a regular file or a pipe. Nothing is
/// read.
///
/// # Errors
/// As [`reader`].
pub fn check(path: &Path) -> io::Result<()> {
    if is_stdin(path) || is_pipe(path) { Ok(()) } else { open_regular(path).map(drop) }
}

/// The bytes of a file that the person who asks named, unpacked; `-` is standard input. Pipes are
/// waited for.
///
/// # Errors
/// It cannot be opened or read, or is neither a regular file nor a pipe.
pub fn reader(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    let bytes: Box<dyn Read + Send> = if is_stdin(path) {
        Box::new(io::stdin())
    } else if is_pipe(path) {
        Box::new(File::open(path)?)
    } else {
        Box::new(open_regular(path)?)
    };
    let (is_packed, bytes) = begin(bytes)?;
    Ok(if is_packed {
        let unpacked = Limited { source: MultiGzDecoder::new(bytes), room: Room::default() };
        Box::new(BufReader::with_capacity(BUFFER, unpacked))
    } else {
        Box::new(BufReader::with_capacity(BUFFER, bytes))
    })
}

/// The bytes of a source of which the first were read.
type Whole<R> = io::Chain<io::Cursor<Vec<u8>>, R>;

/// Reads the first bytes: whether they are gzip's, and all bytes from the first on.
fn begin<R: Read>(mut source: R) -> io::Result<(bool, Whole<R>)> {
    let mut first = Vec::new();
    source.by_ref().take(FIRST).read_to_end(&mut first)?;
    Ok((first.starts_with(&GZIP), io::Cursor::new(first).chain(source)))
}

/// A file is gzip's.
///
/// # Errors
/// It cannot be read.
pub fn is_packed(mut file: &File) -> io::Result<bool> {
    let at = file.stream_position()?;
    file.rewind()?;
    let is = begin(file)?.0;
    file.seek(io::SeekFrom::Start(at))?;
    Ok(is)
}

/// The beginning of a file, unpacked: so many bytes at most, and no complaint about what is behind
/// them.
///
/// # Errors
/// It cannot be read.
pub fn beginning(mut file: &File, most: u64) -> io::Result<Vec<u8>> {
    let at = file.stream_position()?;
    file.rewind()?;
    let (is_packed, bytes) = begin(file)?;
    let mut beginning = Vec::new();
    if is_packed {
        let read = MultiGzDecoder::new(bytes).take(most).read_to_end(&mut beginning);
        if beginning.is_empty() {
            read?;
        }
    } else {
        bytes.take(most).read_to_end(&mut beginning)?;
    }
    file.seek(io::SeekFrom::Start(at))?;
    Ok(beginning)
}

/// A file that can be read at any place.
#[derive(Debug)]
pub struct Unpacked {
    /// The bytes; of a compressed file a copy that is gone once it is closed, with the time of the
    /// original.
    pub file: File,
    /// Why it does not hold all of a compressed file: that is cut, damaged or larger than was
    /// allowed.
    pub fault: Option<String>,
}

/// Unpacks a file into the folder for temporary files where it is gzip's, as far as there is room.
///
/// # Errors
/// It cannot be read, or there is no room for the copy.
pub fn unpack(mut file: File, room: &Room) -> io::Result<Unpacked> {
    if !is_packed(&file)? {
        return Ok(Unpacked { file, fault: None });
    }
    file.rewind()?;
    let mut copy = BufWriter::new(tempfile::tempfile()?);
    let mut source =
        Limited { source: MultiGzDecoder::new(BufReader::new(&file)), room: room.clone() };
    let mut buffer = vec![0; BUFFER];
    let fault = loop {
        match source.read(&mut buffer) {
            Ok(0) => break None,
            Ok(read) => copy.write_all(&buffer[..read])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Some(error.to_string()),
        }
    };
    let mut copy = copy.into_inner()?;
    copy.rewind()?;
    // Dates without a year go by it.
    copy.set_modified(file.metadata()?.modified()?)?;
    Ok(Unpacked { file: copy, fault })
}

/// An error once there is no room and more bytes are there.
struct Limited<R> {
    source: R,
    room: Room,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.room.left();
        if left == 0 {
            return match self.source.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(io::Error::other(
                    "all compressed files that are read have more bytes unpacked than they may",
                )),
            };
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.source.read(&mut buffer[..most])?;
        self.room.take(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::best());
        out.write_all(text).unwrap();
        out.finish().unwrap()
    }

    fn bytes(unpacked: Unpacked) -> (Vec<u8>, Option<String>) {
        let Unpacked { mut file, fault } = unpacked;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        (bytes, fault)
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_regular_file_is_named_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for (path, what) in [
            (pipe.as_path(), "a pipe (FIFO)"),
            (Path::new("/dev/zero"), "a device"),
            (&socket, "a socket"),
            (folder.path(), "a directory"),
        ] {
            let error = open_regular(path).unwrap_err().to_string();
            assert_eq!(error, format!("it is {what}, expected a regular file"));
        }
    }

    #[test]
    fn members_are_read_behind_each_other_and_a_cut_one_up_to_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let both = [packed(b"one\n"), packed(b"two\n")].concat();
        std::fs::write(&path, &both).unwrap();
        assert_eq!(
            bytes(unpack(open_regular(&path).unwrap(), &Room::new(100)).unwrap()).0,
            b"one\ntwo\n"
        );
        let mut text = String::new();
        reader(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
        std::fs::write(&path, &both[..both.len() - 3]).unwrap();
        let (read, fault) = bytes(unpack(open_regular(&path).unwrap(), &Room::new(100)).unwrap());
        assert!(read.starts_with(b"one\n") && fault.is_some(), "{fault:?}");
        std::fs::write(&path, "plain").unwrap();
        let plain = bytes(unpack(open_regular(&path).unwrap(), &Room::new(1)).unwrap());
        assert_eq!(plain, (b"plain".to_vec(), None));
    }

    #[test]
    fn a_bomb_is_unpacked_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb");
        std::fs::write(&path, packed(&vec![b'x'; 10 << 20])).unwrap();
        let (read, fault) = bytes(unpack(open_regular(&path).unwrap(), &Room::new(1000)).unwrap());
        assert_eq!(read.len(), 1000);
        assert!(fault.unwrap().contains("more bytes"));
    }
}
