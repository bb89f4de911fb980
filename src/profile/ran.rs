//! The script that a job runs, by its ad.

use std::path::Path;

use classads::ClassAd;
use scripttree::Language;

/// A script that lies where the job was submitted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ran {
    /// Its full path.
    pub path: String,
    /// What it is called with, without long words.
    pub arguments: Vec<String>,
    /// Its name, or the interpreter that it is given to, says that it is a script.
    pub is_named_so: bool,
}

/// Arguments that are looked at, at most.
const ARGUMENTS: usize = 1_000;

/// Bytes of an argument that is kept, at most: a number is short.
const LONGEST: usize = 64;

/// Options of interpreters that have no value.
const IGNORED: [&str; 7] = ["-u", "-B", "-E", "-I", "-O", "-x", "--vanilla"];

impl Ran {
    /// Cmd where HTCondor transfers it or finds it there by a shared file system. Where Cmd is an
    /// interpreter: its first argument, behind a few options without a value, if it is an input file.
    /// `None` without a full Iwd.
    #[must_use]
    pub fn of(ad: &ClassAd) -> Option<Self> {
        let iwd = ad.string("Iwd").filter(|iwd| iwd.starts_with('/'))?;
        let command = ad.string("Cmd").filter(|command| !command.is_empty())?;
        let under = |path: &str| Path::new(&iwd).join(path).to_string_lossy().into_owned();
        let shares_files = ad
            .string("ShouldTransferFiles")
            .is_some_and(|should| should.eq_ignore_ascii_case("NO"));
        let mut arguments = words(ad).into_iter().take(ARGUMENTS);
        if Language::of_interpreter(base(&command)).is_none() {
            let is_here = shares_files || ad.boolean("TransferExecutable") != Some(false);
            let is_named_so = Language::of(Path::new(&command), b"").is_some();
            let arguments = kept(arguments);
            return is_here.then(|| Self { path: under(&command), arguments, is_named_so });
        }
        // What stands behind an option may be its value: code, a module, a setting.
        let script = arguments.find(|word| !IGNORED.contains(&word.as_str()))?;
        let script = script.strip_prefix("./").map_or(script.clone(), str::to_owned);
        if script.starts_with('-') {
            return None;
        }
        let input = ad.string("TransferInput").unwrap_or_default();
        // It lies in the job's scratch directory under the last part of its name.
        let is_it = |name: &&str| base(name) == script && !name.contains("://");
        let input = input.split(',').map(str::trim).find(is_it);
        let path = if shares_files { &script } else { input? };
        Some(Self { path: under(path), arguments: kept(arguments), is_named_so: true })
    }
}

/// The words of Arguments, in which a quoted word may have blanks and two quotes stand for one, or of
/// Args, which has no quotes (condor_submit(1), *arguments*).
fn words(ad: &ClassAd) -> Vec<String> {
    let Some(text) = ad.string("Arguments") else {
        let text = ad.string("Args").unwrap_or_default();
        return text.split_whitespace().map(str::to_owned).collect();
    };
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' if is_quoted && rest.next_if_eq(&'\'').is_some() => {
                word.get_or_insert_default().push(c);
            }
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && !is_quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Of arguments the short ones.
fn kept(arguments: impl Iterator<Item = String>) -> Vec<String> {
    arguments.filter(|word| word.len() <= LONGEST).collect()
}

/// The last part of a path.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<(String, Vec<String>)> {
        let ad = format!("Iwd = \"/home/alice\"\n{text}\n");
        let ad = classads::read_ads(ad.as_bytes()).next().unwrap().unwrap();
        Ran::of(&ad).map(|ran| (ran.path, ran.arguments))
    }

    fn ran(path: &str, arguments: &[&str]) -> Option<(String, Vec<String>)> {
        Some((path.to_owned(), arguments.iter().map(|word| (*word).to_owned()).collect()))
    }

    #[test]
    fn a_program_or_the_script_of_an_interpreter() {
        assert_eq!(
            of("Cmd = \"sim.py\"\nArgs = \"a 10\""),
            ran("/home/alice/sim.py", &["a", "10"])
        );
        assert_eq!(of("Cmd = \"/opt/run\""), ran("/opt/run", &[]));
        let quoted = "Cmd = \"a.sh\"\nArguments = \"'it''s' '' x\"";
        assert_eq!(of(quoted), ran("/home/alice/a.sh", &["it's", "", "x"]));
        let python = "Cmd = \"/usr/bin/python3.11\"\nTransferExecutable = false\n";
        let arguments = "Arguments = \"-u sim.py 'two words' 7\"\n";
        let expected = ran("/home/alice/src/sim.py", &["two words", "7"]);
        let input = "TransferInput = \"data.csv, src/sim.py\"";
        assert_eq!(of(&format!("{python}{arguments}{input}")), expected);
        let shared = "ShouldTransferFiles = \"NO\"";
        let expected = ran("/home/alice/sim.py", &["two words", "7"]);
        assert_eq!(of(&format!("{python}{arguments}{shared}")), expected);
    }

    #[test]
    fn what_lies_elsewhere_is_not_named() {
        assert_eq!(of("Cmd = \"/usr/bin/run\"\nTransferExecutable = false"), None);
        assert_eq!(of("Cmd = \"python3\"\nArgs = \"-m http.server\""), None);
        assert_eq!(of("Cmd = \"python3\"\nArgs = \"sim.py\"\nTransferInput = \"a.csv\""), None);
        for (arguments, input) in [
            ("/opt/tools/sim.py", "sim.py"),
            ("sim.py", "https://data.example.org/sim.py"),
            ("-W ignore sim.py", "sim.py"),
            ("-c print(1)", "sim.py"),
        ] {
            let ad =
                format!("Cmd = \"python3\"\nArgs = \"{arguments}\"\nTransferInput = \"{input}\"");
            assert_eq!(of(&ad), None, "{ad}");
        }
        assert_eq!(of("Args = \"sim.py\""), None);
    }
}
