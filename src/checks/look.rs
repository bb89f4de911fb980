//! One look at one path, with the rights that this process has.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, access, statvfs};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::{Fault, Finding, Why};
use crate::input;

/// How a path is to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Use {
    /// A file or directory is read.
    Read,
    /// A file is read, and executed elsewhere.
    Execute,
    /// A directory is entered.
    Enter,
    /// A file is written, or made in its directory; or files are written into a directory.
    Write,
}

/// Bytes of an executable that are looked at: Linux reads no more of its first line
/// (`BINPRM_BUF_SIZE`).
const FIRST_LINE: u64 = 256;

/// What is true of a path now. May wait for its file system for ever.
pub(super) fn look(path: &Path, wanted: Use) -> Finding {
    let made_in = path.parent().filter(|_| wanted == Use::Write && !path.exists());
    let path = made_in.unwrap_or(path);
    match found(path, wanted, made_in.is_some()) {
        Ok(Some(fault)) => Finding::StillThere { fault },
        Ok(None) => match fs::metadata(path) {
            Ok(metadata) => {
                Finding::Gone { changed_at: Some(metadata.mtime().max(metadata.ctime())) }
            }
            Err(error) => of_error(&error),
        },
        Err(error) => of_error(&error),
    }
}

fn found(path: &Path, wanted: Use, made_in: bool) -> io::Result<Option<Fault>> {
    let metadata = fs::metadata(path)?;
    let fault = match wanted {
        Use::Read | Use::Execute if is_special(&metadata) => Some(Fault::NotRegular),
        Use::Execute if metadata.is_dir() => Some(Fault::Directory),
        Use::Enter if !metadata.is_dir() => Some(Fault::NotDirectory),
        Use::Write if made_in && !metadata.is_dir() => Some(Fault::NotDirectory),
        _ => None,
    };
    if fault.is_some() {
        return Ok(fault);
    }
    let rights = match wanted {
        Use::Read if metadata.is_dir() => Access::READ_OK | Access::EXEC_OK,
        Use::Read | Use::Execute => Access::READ_OK,
        Use::Enter => Access::EXEC_OK,
        Use::Write if metadata.is_dir() => Access::WRITE_OK | Access::EXEC_OK,
        Use::Write => Access::WRITE_OK,
    };
    access(path, rights)?;
    Ok(match wanted {
        Use::Write => without_room(path),
        Use::Execute => first_line(path)?.ends_with(b"\r\n").then_some(Fault::CarriageReturn),
        Use::Read | Use::Enter => None,
    })
}

fn is_special(metadata: &Metadata) -> bool {
    !metadata.is_file() && !metadata.is_dir()
}

/// A file system that counts neither blocks nor inodes says nothing.
fn without_room(path: &Path) -> Option<Fault> {
    let room = statvfs(path).ok()?;
    match () {
        () if room.f_blocks > 0 && room.f_bavail == 0 => Some(Fault::NoSpace),
        () if room.f_files > 0 && room.f_favail == 0 => Some(Fault::NoInodes),
        () => None,
    }
}

/// The first line of a script; empty for anything else.
fn first_line(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input::open_regular(path)?.take(FIRST_LINE).read_to_end(&mut bytes)?;
    let end = memchr::memchr(b'\n', &bytes).map_or(0, |end| end + 1);
    bytes.truncate(if bytes.starts_with(b"#!") { end } else { 0 });
    Ok(bytes)
}

fn of_error(error: &io::Error) -> Finding {
    let fault = match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT | Errno::NOTDIR) => Fault::Missing,
        Some(Errno::ACCESS | Errno::PERM) => Fault::Denied,
        Some(Errno::ROFS) => Fault::ReadOnly,
        Some(Errno::LOOP) => Fault::LinkLoop,
        _ => return Finding::Unknown { why: Why::Failed },
    };
    Finding::StillThere { fault }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn each_use_has_its_faults() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("data"), "1").unwrap();
        fs::write(at("unix.sh"), "#!/bin/sh\necho\n").unwrap();
        fs::write(at("dos.sh"), "#!/bin/sh\r\necho\r\n").unwrap();
        fs::write(at("long"), [b"#!", &[b'x'; 1000][..], b"\r\n"].concat()).unwrap();
        symlink(at("circle"), at("circle")).unwrap();
        symlink(at("nothing"), at("dangling")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), 0o600.into()).unwrap();
        for (name, wanted, fault) in [
            ("data", Use::Read, None),
            ("", Use::Read, None),
            ("", Use::Enter, None),
            ("", Use::Write, None),
            ("unix.sh", Use::Execute, None),
            ("long", Use::Execute, None),
            ("data", Use::Execute, None),
            ("dos.sh", Use::Execute, Some(Fault::CarriageReturn)),
            ("", Use::Execute, Some(Fault::Directory)),
            ("pipe", Use::Execute, Some(Fault::NotRegular)),
            ("pipe", Use::Read, Some(Fault::NotRegular)),
            ("data", Use::Enter, Some(Fault::NotDirectory)),
            ("data", Use::Write, None),
            ("new", Use::Write, None),
            ("none/new", Use::Write, Some(Fault::Missing)),
            ("data/new", Use::Write, Some(Fault::NotDirectory)),
            ("data/x", Use::Read, Some(Fault::Missing)),
            ("none", Use::Read, Some(Fault::Missing)),
            ("dangling", Use::Read, Some(Fault::Missing)),
            ("circle", Use::Read, Some(Fault::LinkLoop)),
        ] {
            let found = look(&at(name), wanted);
            match fault {
                Some(fault) => assert_eq!(found, Finding::StillThere { fault }, "{name}"),
                None => assert!(matches!(found, Finding::Gone { .. }), "{name}: {found:?}"),
            }
        }
        let device = look(Path::new("/dev/null"), Use::Read);
        assert_eq!(device, Finding::StillThere { fault: Fault::NotRegular });
    }
}
