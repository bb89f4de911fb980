//! The script that a job runs, by its ad.

use std::path::Path;

use classads::ClassAd;
use scripttree::Language;

/// A script that lies where the job was submitted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ran {
    /// Its full path.
    pub path: String,
    /// What it is called with.
    pub arguments: Vec<String>,
    /// Its name, or the interpreter that it is given to, says that it is a script.
    pub is_named_so: bool,
}

/// Arguments that are looked at, at most.
const ARGUMENTS: usize = 1_000;

impl Ran {
    /// Cmd where HTCondor transfers it or finds it there by a shared file system. Where Cmd is an
    /// interpreter: the first of its arguments that is no option, if it is an input file. `None`
    /// without a full Iwd.
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
            let arguments = arguments.collect();
            return is_here.then(|| Self { path: under(&command), arguments, is_named_so });
        }
        let script = arguments.find(|word| !word.starts_with('-'))?;
        let input = ad.string("TransferInput").unwrap_or_default();
        // It lies in the job's scratch directory under the last part of its name.
        let input = input.split(',').map(str::trim).find(|name| base(name) == base(&script));
        let path = if shares_files { &script } else { input? };
        Some(Self { path: under(path), arguments: arguments.collect(), is_named_so: true })
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
        assert_eq!(of("Args = \"sim.py\""), None);
    }
}
