//! Which language a script is written in.

use std::path::Path;

/// A language of scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Python 3; Python 2 with faults.
    Python,
    /// sh, bash, dash, ksh.
    Shell,
    /// R.
    R,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Python, Self::Shell, Self::R];

    /// `Python`, `shell` or `R`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Shell => "shell",
            Self::R => "R",
        }
    }

    /// The language of a script: by the interpreter in its first line (`#!`), else by the end of its
    /// name. `None`: another one, or no script.
    #[must_use]
    pub fn of(path: &Path, text: &[u8]) -> Option<Self> {
        match interpreter(text) {
            Some(name) => Self::of_interpreter(&name),
            None => Self::of_extension(path),
        }
    }

    /// The language that a program of this name interprets: `python3.11`, `bash`, `Rscript`.
    #[must_use]
    pub fn of_interpreter(name: &str) -> Option<Self> {
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match name {
            "python" | "pypy" | "ipython" => Some(Self::Python),
            "sh" | "bash" | "dash" | "ksh" | "zsh" | "ash" => Some(Self::Shell),
            "R" | "Rscript" | "littler" => Some(Self::R),
            _ => None,
        }
    }

    fn of_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "py" | "pyw" => Some(Self::Python),
            "sh" | "bash" | "ksh" => Some(Self::Shell),
            "R" | "r" => Some(Self::R),
            _ => None,
        }
    }
}

/// The name of the program that the first line asks for: `#!/usr/bin/env -S python3 -u`.
fn interpreter(text: &[u8]) -> Option<String> {
    let line = text.strip_prefix(b"#!")?;
    let line = &line[..line.len().min(256)];
    let line = line.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace().filter(|word| {
        let is_setting = word.contains('=') || word.starts_with('-');
        !is_setting
    });
    let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let first = base(words.next()?);
    if first == "env" { words.next().map(base) } else { Some(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_goes_before_the_name() {
        let of = |name: &str, text: &str| Language::of(Path::new(name), text.as_bytes());
        assert_eq!(of("a.py", "import os"), Some(Language::Python));
        assert_eq!(of("run", "#!/usr/bin/env python3\n"), Some(Language::Python));
        assert_eq!(of("run", "#!/usr/bin/env -S A=1 Rscript --vanilla\n"), Some(Language::R));
        assert_eq!(of("a.py", "#! /bin/bash -e\n"), Some(Language::Shell));
        assert_eq!(of("a.sh", "#!/usr/bin/perl\n"), None);
        assert_eq!(of("a.R", ""), Some(Language::R));
        assert_eq!(of("a", "echo"), None);
        assert_eq!(of("a.c", "#include"), None);
    }

    #[test]
    fn an_interpreter_may_have_a_version() {
        assert_eq!(Language::of_interpreter("python3.11"), Some(Language::Python));
        assert_eq!(Language::of_interpreter("perl5.36"), None);
    }
}
