//! The line of a program's output that says why it failed.
//!
//! Sources of the wordings: Python's traceback module, bash and dash, the dynamic loader and
//! `strerror` of glibc, the Linux kernel's OOM killer, CUDA's runtime, CVMFS, FlexLM, environment
//! modules and Lmod, curl, OpenSSL, Java, R, CERN ROOT.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::input;

/// Bytes at the end of a file that are read.
const TAIL: u64 = 64 << 10;

/// Characters of a line that are kept.
const LINE: usize = 200;

/// What a line of a program's output says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WordsKind {
    /// A command was not found.
    CommandMissing,
    /// A module, package or shared library is not there where it ran.
    LibraryMissing,
    /// The C library there is older than the program needs.
    LibraryTooOld,
    /// It ran out of memory.
    Memory,
    /// No space was left.
    NoSpace,
    /// CVMFS did not give a file.
    Cvmfs,
    /// The memory of a GPU was used up.
    GpuMemory,
    /// CUDA, or no GPU.
    Gpu,
    /// No licence was to be had.
    Licence,
    /// A service could not be reached, or did not answer in time.
    Network,
    /// A credential is missing or has expired.
    Credential,
    /// A file is not there.
    FileMissing,
    /// Permission was denied.
    Denied,
    /// It crashed: a bad address, an abort.
    Crash,
    /// It was ended from outside.
    Killed,
    /// Its own error, in its own words.
    Own,
}

/// What a program wrote at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Words {
    /// What the line says.
    pub says: WordsKind,
    /// The line, at most 200 characters.
    pub line: String,
    /// When the file was last written, Unix seconds.
    pub written_at: i64,
}

impl WordsKind {
    /// The fault is the program's or its files', so that the line names what to correct. Others
    /// lie where it ran, or pass.
    pub(crate) const fn is_of_program(self) -> bool {
        matches!(
            self,
            Self::CommandMissing
                | Self::LibraryMissing
                | Self::LibraryTooOld
                | Self::FileMissing
                | Self::Denied
                | Self::Own
        )
    }
}

/// Wordings in lower case, by what they say. Of a line the first that fits counts, so the particular
/// ones come first.
const WORDINGS: [(WordsKind, &[&str]); 15] = [
    (
        WordsKind::GpuMemory,
        &["cuda out of memory", "cudaerrormemoryallocation", "cuda_error_out_of_memory"],
    ),
    (
        WordsKind::Memory,
        &[
            "out of memory",
            "out-of-memory",
            "oom-kill",
            "oom killer",
            "cannot allocate memory",
            "memoryerror",
            "std::bad_alloc",
            "outofmemoryerror",
            "cannot allocate vector",
            "unable to allocate",
            "memory exhausted",
        ],
    ),
    (
        WordsKind::Gpu,
        &[
            "cuda error",
            "cuda_error",
            "cudaerror",
            "cuda driver",
            "no cuda",
            "cuda initialization",
            "libcuda",
            "hiperror",
        ],
    ),
    (WordsKind::LibraryTooOld, &["version `glibc", "version `glibcxx", "version `cxxabi"]),
    (WordsKind::Cvmfs, &["cvmfs"]),
    (
        WordsKind::Licence,
        &[
            "license server",
            "license checkout",
            "checkout failed",
            "no license",
            "license error",
            "invalid license",
            "flexnet",
            "flexlm",
            "lmgrd",
        ],
    ),
    (
        WordsKind::LibraryMissing,
        &[
            "modulenotfounderror",
            "no module named",
            "importerror",
            "error while loading shared libraries",
            "cannot open shared object file",
            "there is no package called",
            "classnotfoundexception",
            "unable to locate a modulefile",
            "module(s) are unknown",
            "can't locate",
            "undefined symbol",
        ],
    ),
    (
        WordsKind::Credential,
        &[
            "certificate has expired",
            "token has expired",
            "token expired",
            "expired token",
            "credentials have expired",
            "credentials were not found",
            "no credentials",
            "proxy expired",
            "401 unauthorized",
            "403 forbidden",
            "authentication failed",
            "authentication required",
        ],
    ),
    (
        WordsKind::Network,
        &[
            "connection refused",
            "connection reset",
            "connection timed out",
            "connection timeout",
            "timed out",
            "could not resolve host",
            "name or service not known",
            "temporary failure in name resolution",
            "network is unreachable",
            "no route to host",
            "service unavailable",
            "bad gateway",
            "gateway time",
            "unable to connect",
            "failed to connect",
            "could not connect",
            "sslerror",
            "connectionerror",
        ],
    ),
    (
        WordsKind::NoSpace,
        &["no space left on device", "disk quota exceeded", "disk full", "not enough space"],
    ),
    (WordsKind::CommandMissing, &["command not found", ": not found", "bad interpreter"]),
    (
        WordsKind::Crash,
        &[
            "segmentation fault",
            "segmentation violation",
            "core dumped",
            "bus error",
            "floating point exception",
            "illegal instruction",
            "aborted",
            "assertion failed",
            "terminate called",
            "stack smashing",
            "double free",
            "panicked at",
        ],
    ),
    (
        WordsKind::FileMissing,
        &["no such file or directory", "filenotfounderror", "cannot find file"],
    ),
    (
        WordsKind::Denied,
        &["permission denied", "operation not permitted", "permissionerror", "access denied"],
    ),
    (WordsKind::Killed, &["killed", "signal 9", "signal 15", "sigterm", "sigkill"]),
];

/// What a line that names CVMFS says beside the name where it is about a trouble.
const TROUBLE: [&str; 7] =
    ["cannot", "error", "failed", "no such file", "not connected", "not mounted", "unable"];

/// What marks a line as an error of the program's own.
const OWN: [&str; 7] = ["error", "fatal", "exception", "failed", "failure", "abort", "errors"];

/// What a line says that speaks of errors where there is none.
const NO_ERROR: [&str; 8] =
    ["info", "debug", "no error", "no errors", "0 errors", "0 error", "0 failed", "without error"];

/// Lines before one that only says that a program was ended, in which its cause is looked for.
const JUST_BEFORE: usize = 5;

/// What a Python traceback begins with.
const TRACEBACK: &str = "Traceback (most recent call last):";

/// The last words of a file that say why its program failed. May wait for its file system for ever.
///
/// # Errors
/// It cannot be opened or read, or is no regular file.
pub(super) fn of_file(path: &Path) -> io::Result<Option<Words>> {
    let mut file = input::open_regular(path)?;
    let written_at = file.metadata()?.mtime();
    let found = find(&String::from_utf8_lossy(&tail(&mut file)?));
    Ok(found.map(|(says, line)| Words { says, line, written_at }))
}

fn tail(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The line that says most about a failure: the end of the last traceback, else the last line with
/// a wording that is known or that speaks of an error. What only says that a program was ended
/// gives way to a known wording in the lines just before.
pub(super) fn find(text: &str) -> Option<(WordsKind, String)> {
    // A progress bar writes over its line.
    let lines = text.split(['\n', '\r']).map(str::trim_end).filter(|line| !line.is_empty());
    let kept = |line: &str| line.trim_start().chars().take(LINE).collect::<String>();
    let traceback = text.rfind(TRACEBACK).and_then(|at| {
        let mut after = text[at + TRACEBACK.len()..].lines();
        after.find(|line| !line.is_empty() && !line.starts_with([' ', '\t']))
    });
    if let Some(line) = traceback {
        return Some((says(line).unwrap_or(WordsKind::Own), kept(line)));
    }
    let mut last = lines.rev().enumerate().filter_map(|(at, line)| Some((at, says(line)?, line)));
    let (at, mut kind, mut line) = last.next()?;
    if matches!(kind, WordsKind::Crash | WordsKind::Killed)
        && let Some((_, before, said)) =
            last.take_while(|(other, ..)| other - at <= JUST_BEFORE).next()
        && before != WordsKind::Own
    {
        (kind, line) = (before, said);
    }
    Some((kind, kept(line)))
}

/// What a line says, if its wording is known or it speaks of an error.
fn says(line: &str) -> Option<WordsKind> {
    let line = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| has_word(&line, word));
    let fits = |says: WordsKind| says != WordsKind::Cvmfs || has(&TROUBLE);
    let known = WORDINGS.iter().find(|(says, words)| has(words) && fits(*says));
    let own = || (has(&OWN) && !has(&NO_ERROR)).then_some(WordsKind::Own);
    known.map(|(says, _)| *says).or_else(own)
}

/// Whether the words stand in the text, as words of their own.
fn has_word(text: &str, words: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    memchr::memmem::find_iter(text.as_bytes(), words).any(|at| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        let begins = words.starts_with(char::is_alphanumeric);
        let ends = words.ends_with(char::is_alphanumeric);
        !(begins && is_part(before.chars().next_back()) || ends && is_part(after.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_why_is_found() {
        use WordsKind::*;
        for (text, expected, line) in [
            (
                "start\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    import numpy\n\
                 ModuleNotFoundError: No module named 'numpy'\n",
                LibraryMissing,
                "ModuleNotFoundError: No module named 'numpy'",
            ),
            (
                "Traceback (most recent call last):\n  x\nKeyError: 'run'\nsh: line 2: killed later\n",
                Own,
                "KeyError: 'run'",
            ),
            (
                "./run.sh: line 4: bwa: command not found\n",
                CommandMissing,
                "./run.sh: line 4: bwa: command not found",
            ),
            (
                "./a.out: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by ./a.out)",
                LibraryTooOld,
                "./a.out: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by ./a.out)",
            ),
            (
                "./a.out: error while loading shared libraries: libgsl.so.25: cannot open shared object file: No such file or directory",
                LibraryMissing,
                "./a.out: error while loading shared libraries: libgsl.so.25: cannot open shared object file: No such file or directory",
            ),
            (
                "epoch 1\nRuntimeError: CUDA error: no kernel image\ndone\n",
                Gpu,
                "RuntimeError: CUDA error: no kernel image",
            ),
            (
                "torch.cuda.OutOfMemoryError: CUDA out of memory.",
                GpuMemory,
                "torch.cuda.OutOfMemoryError: CUDA out of memory.",
            ),
            (
                "ls: cannot access '/cvmfs/x': Transport endpoint is not connected",
                Cvmfs,
                "ls: cannot access '/cvmfs/x': Transport endpoint is not connected",
            ),
            (
                "10%\r50%\rcurl: (7) Failed to connect to db port 5432\r",
                Network,
                "curl: (7) Failed to connect to db port 5432",
            ),
            (
                "write error: No space left on device\n\n",
                NoSpace,
                "write error: No space left on device",
            ),
            (
                "run.sh: line 9: 1234 Segmentation fault (core dumped) ./sim\n",
                Crash,
                "run.sh: line 9: 1234 Segmentation fault (core dumped) ./sim",
            ),
            ("License checkout failed\nbye\n", Licence, "License checkout failed"),
            ("Error: Must provide BOSS results DB", Own, "Error: Must provide BOSS results DB"),
        ] {
            assert_eq!(find(text), Some((expected, line.to_owned())), "{text}");
        }
        for (text, expected) in [
            ("what():  std::bad_alloc\nAborted (core dumped)\n", Memory),
            ("License file: /opt/x.lic loaded\nERROR: matrix is singular\n", Own),
            ("using GLIBC_2.17 symbols\nERROR: bad seed\n", Own),
            ("curl: (28) timed out, retrying\nok on attempt 2\nFATAL: alpha out of range\n", Own),
            ("reading /data/killed_runs/a.txt\nERROR: bad seed\n", Own),
            ("line 3: 77 Killed ./sim\n", Killed),
        ] {
            assert_eq!(find(text).map(|found| found.0), Some(expected), "{text}");
        }
        for text in [
            "",
            "\n\n",
            "all went well\n",
            "\u{0}\u{1}",
            "100 skilled workers simulated\n",
            "all 12 assertions passed\n",
            "INFO: finished with 0 errors\n",
            "INFO: error handler installed\n",
            "No GPU requested, running on CPU\n",
        ] {
            assert_eq!(find(text), None, "{text:?}");
        }
    }

    #[test]
    fn only_the_end_of_a_file_is_read_and_lines_are_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("err");
        let early = "Segmentation fault\n";
        let mut text = early.to_owned() + &"x\n".repeat(TAIL as usize);
        std::fs::write(&path, &text).unwrap();
        assert_eq!(of_file(&path).unwrap(), None);
        text.push_str(&format!("fatal: {}", "é".repeat(1_000)));
        std::fs::write(&path, &text).unwrap();
        assert_eq!(of_file(&path).unwrap().unwrap().line.chars().count(), LINE);
        std::fs::write(&path, [0xff, b'\n', 0xc3]).unwrap();
        assert_eq!(of_file(&path).unwrap(), None);
        assert!(of_file(folder.path()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,200}") {
            if let Some((_, line)) = find(&format!("{TRACEBACK}{text}")) {
                assert!(line.chars().count() <= LINE);
            }
            let _ = find(&text);
        }
    }
}
