//! One look at one path, with the rights that this process has.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, access, statvfs};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::credentials::{self, Held};
use super::{Fault, Finding, Remark, Why};
use eventlog::input;

/// How a path is to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Use {
    /// A file or directory is read.
    Read,
    /// A directory is read.
    ReadDirectory,
    /// A file is read, and executed elsewhere.
    Execute,
    /// A file is executed where it lies.
    ExecuteHere,
    /// A directory is entered.
    Enter,
    /// A file is written, or made in its directory; or files are written into a directory.
    Write,
    /// A proxy certificate.
    Proxy,
    /// A token or key.
    Token,
}

/// Bytes of an executable that are looked at: Linux reads no more of its first line
/// (`BINPRM_BUF_SIZE`).
const BEGINNING: u64 = 256;

/// What one look found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Sight {
    #[serde(flatten)]
    pub(super) finding: Finding,
    /// When a credential ends, Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ends_at: Option<i64>,
    /// What the first line of a script names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) interpreter: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) remarks: Vec<Remark>,
}

impl From<Finding> for Sight {
    fn from(finding: Finding) -> Self {
        Self { finding, ends_at: None, interpreter: None, remarks: Vec::new() }
    }
}

impl From<Fault> for Sight {
    fn from(fault: Fault) -> Self {
        Finding::StillThere { fault }.into()
    }
}

/// What is true of a path now. May wait for its file system for ever.
pub(super) fn look(path: &Path, wanted: Use) -> Sight {
    let made_in = path.parent().filter(|_| wanted == Use::Write && !path.exists());
    // Behind a file a slash at the end says no more than that the file is no directory.
    let path = made_in.unwrap_or(path).components().as_path();
    match found(path, wanted, made_in.is_some()) {
        Ok(sight) => sight,
        Err(error) => of_error(&error).into(),
    }
}

fn found(path: &Path, wanted: Use, made_in: bool) -> io::Result<Sight> {
    let metadata = fs::metadata(path)?;
    let fault = match wanted {
        Use::Enter | Use::ReadDirectory if !metadata.is_dir() => Some(Fault::NotDirectory),
        Use::Write if made_in && !metadata.is_dir() => Some(Fault::NotDirectory),
        Use::Write | Use::Enter | Use::ReadDirectory => None,
        _ if is_special(&metadata) => Some(Fault::NotRegular),
        Use::Read => None,
        _ if metadata.is_dir() => Some(Fault::Directory),
        _ => None,
    };
    if let Some(fault) = fault {
        return Ok(fault.into());
    }
    let changed_at = Some(metadata.mtime().max(metadata.ctime()));
    let mut sight = Sight::from(Finding::Gone { changed_at });
    if wanted == Use::ExecuteHere {
        match access(path, Access::EXEC_OK) {
            Err(Errno::ACCESS) => sight.remarks.push(Remark::NotExecutable),
            other => other?,
        }
        return Ok(sight);
    }
    access(path, rights(wanted, metadata.is_dir()))?;
    let is_read = matches!(wanted, Use::Read | Use::Execute | Use::Proxy | Use::Token);
    if is_read && metadata.is_file() && metadata.len() == 0 {
        sight.remarks.push(Remark::Empty);
    }
    let held = match wanted {
        Use::Write => return Ok(without_room(path).map_or(sight, Sight::from)),
        Use::Execute => return executable(path, sight),
        Use::Proxy => credentials::proxy(path)?,
        Use::Token => credentials::token(path)?,
        _ => return Ok(sight),
    };
    Ok(match held {
        Held::Until(ends_at) => Sight { ends_at, ..sight },
        Held::Unreadable(why) => Finding::Unknown { why }.into(),
    })
}

fn rights(wanted: Use, is_directory: bool) -> Access {
    match wanted {
        Use::Read | Use::ReadDirectory if is_directory => Access::READ_OK | Access::EXEC_OK,
        Use::Enter | Use::ExecuteHere => Access::EXEC_OK,
        Use::Write if is_directory => Access::WRITE_OK | Access::EXEC_OK,
        Use::Write => Access::WRITE_OK,
        Use::Read | Use::ReadDirectory | Use::Execute | Use::Proxy | Use::Token => Access::READ_OK,
    }
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

/// What the beginning of an executable says.
fn executable(path: &Path, mut sight: Sight) -> io::Result<Sight> {
    let mut bytes = Vec::new();
    input::open_regular(path)?.take(BEGINNING).read_to_end(&mut bytes)?;
    let machine = machine(&bytes).filter(|machine| *machine != std::env::consts::ARCH);
    let machine = machine.map(|machine| Remark::OtherMachine { machine: machine.into() });
    match interpreter(&bytes) {
        Ok(interpreter) => sight.interpreter = interpreter,
        Err(fault) => return Ok(fault.into()),
    }
    sight.remarks.extend(machine);
    Ok(sight)
}

/// The path of the program that runs a script with these first bytes.
pub(super) fn interpreter(bytes: &[u8]) -> Result<Option<String>, Fault> {
    let Some(line) = bytes.strip_prefix(b"#!") else { return Ok(None) };
    let Some(end) = memchr::memchr(b'\n', line) else { return Ok(None) };
    let line = String::from_utf8_lossy(&line[..end]);
    if line.ends_with('\r') {
        return Err(Fault::CarriageReturn);
    }
    let path = line.split_ascii_whitespace().next().filter(|path| path.starts_with('/'));
    Ok(path.map(str::to_owned))
}

/// The machine that an ELF file is for, as Rust names it (`e_machine`, elf(5)). `None` for those
/// that nobody runs jobs on, and for 32 bits, which machines of 64 bits run as well.
pub(super) fn machine(bytes: &[u8]) -> Option<&'static str> {
    let header = bytes.strip_prefix(b"\x7fELF\x02")?;
    let number = |at: usize| Some([*header.get(at)?, *header.get(at + 1)?]);
    let number = number(13)?;
    let is_little = *header.first()? == 1;
    match if is_little { u16::from_le_bytes(number) } else { u16::from_be_bytes(number) } {
        21 => Some("powerpc64"),
        62 => Some("x86_64"),
        183 => Some("aarch64"),
        243 => Some("riscv64"),
        _ => None,
    }
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
            ("", Use::ReadDirectory, None),
            ("data/", Use::ReadDirectory, Some(Fault::NotDirectory)),
            ("none/", Use::ReadDirectory, Some(Fault::Missing)),
            ("", Use::Proxy, Some(Fault::Directory)),
            ("pipe", Use::Proxy, Some(Fault::NotRegular)),
            ("none", Use::Token, Some(Fault::Missing)),
            ("data", Use::Token, None),
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
            let found = look(&at(name), wanted).finding;
            match fault {
                Some(fault) => assert_eq!(found, Finding::StillThere { fault }, "{name}"),
                None => assert!(matches!(found, Finding::Gone { .. }), "{name}: {found:?}"),
            }
        }
        let device = look(Path::new("/dev/null"), Use::Read);
        assert_eq!(device, Fault::NotRegular.into());
    }

    #[test]
    fn the_beginning_of_an_executable_says_what_runs_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let look = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            look(&path, Use::Execute)
        };
        let elf = |class: u8, order: u8, machine: [u8; 2]| {
            [b"\x7fELF".as_slice(), &[class, order], &[0; 12], &machine, &[0; 40]].concat()
        };
        for (bytes, interpreter) in [
            (b"#!/usr/bin/env python3\n".as_slice(), Some("/usr/bin/env")),
            (b"#! /opt/x/y -l\n", Some("/opt/x/y")),
            (b"#!relative\n", None),
            (b"#!/no/end", None),
            (b"#!\n", None),
            (b"text", None),
        ] {
            assert_eq!(look(bytes).interpreter.as_deref(), interpreter, "{bytes:?}");
        }
        assert_eq!(look(b"").remarks, [Remark::Empty]);
        let machines = [(62, "x86_64"), (183, "aarch64"), (243, "riscv64"), (21, "powerpc64")];
        for (number, machine) in machines {
            let of_here = machine == std::env::consts::ARCH;
            let other = Remark::OtherMachine { machine: machine.into() };
            let expected = if of_here { Vec::new() } else { vec![other] };
            assert_eq!(look(&elf(2, 1, [number, 0])).remarks, expected);
            assert_eq!(look(&elf(2, 2, [0, number])).remarks, expected);
        }
        for bytes in [elf(1, 1, [3, 0]), elf(2, 1, [9, 9]), elf(2, 1, [62, 0])[..19].to_vec()] {
            assert_eq!(look(&bytes).remarks, []);
        }
    }

    #[test]
    fn what_is_run_where_it_lies_is_to_be_executable() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "").unwrap();
        for (mode, remarks) in [(0o644, vec![Remark::NotExecutable]), (0o755, Vec::new())] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(look(&path, Use::ExecuteHere).remarks, remarks, "{mode:o}");
        }
    }
}
