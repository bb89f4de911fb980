//! HTCondor's spelling of options becomes the one clap reads.
//!
//! Rules of `is_dash_arg_prefix` and `is_dash_arg_colon_prefix` (HTCondor's `match_prefix.cpp`):
//! after one dash any prefix of the name from a minimum length on, after two dashes the full name
//! only, and letters behind a colon where the option has them.

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;

use super::option::{OptionSpec, Takes, Tool};

/// Why the arguments cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// No option has this name.
    #[error("unrecognized argument {given}; did you mean -{nearest}? (-help lists all options)")]
    Unknown {
        /// The word given.
        given: String,
        /// The name of the most similar option.
        nearest: &'static str,
    },
    /// The word begins options, but is shorter than any of them allows.
    #[error("argument {given} is too short, write more of {candidates}")]
    TooShort {
        /// The word given.
        given: String,
        /// The options it begins.
        candidates: String,
    },
    /// The option takes a word, and none or another option follows.
    #[error("-{option} requires another parameter: {takes}")]
    Missing {
        /// The option.
        option: &'static str,
        /// What should follow.
        takes: String,
    },
    /// Something else than the option's letters stands behind the colon.
    #[error("-{option}:{given}: {expected}")]
    Qualifier {
        /// The option.
        option: &'static str,
        /// The text behind the colon.
        given: String,
        /// What may stand there.
        expected: String,
    },
    /// The value does not fit the option, or two options exclude each other.
    #[error("{0}")]
    Invalid(String),
}

/// Seconds that may stand behind a colon: up to a day.
const SECONDS: RangeInclusive<u32> = 1..=86_400;

/// The name under which clap gets the text behind an option's colon.
pub(super) fn qualifiers_id(option: &OptionSpec) -> String {
    format!("{}-qualifiers", option.id())
}

/// Rewrites the words after the program's name: options first, as `--name` or `--name=value`, then
/// `--` and the words that name jobs.
pub(super) fn normalise(tool: &Tool, words: &[OsString]) -> Result<Vec<OsString>, ArgumentError> {
    let mut options: Vec<OsString> = Vec::with_capacity(words.len() + 1);
    let mut jobs = Vec::new();
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        if !begins_with_dash(word) {
            jobs.push(word.clone());
            continue;
        }
        let (option, qualifiers) = find(tool, &word.to_string_lossy())?;
        if let Some(letters) = qualifiers {
            check_qualifiers(option, &letters)?;
            options.push(format!("--{}={letters}", qualifiers_id(option)).into());
        }
        // Numbers and expressions may begin with a dash.
        let is_value = |word: &&OsString| {
            !begins_with_dash(word) || find(tool, &word.to_string_lossy()).is_err()
        };
        let missing =
            |takes: &str| ArgumentError::Missing { option: option.name, takes: takes.to_owned() };
        match option.takes {
            Takes::Nothing
                if option.qualifiers.is_none() || !word.to_string_lossy().contains(':') =>
            {
                options.push(format!("--{}", option.id()).into());
            }
            Takes::Nothing => {}
            Takes::One(what) => {
                let value = rest.next_if(is_value).ok_or_else(|| missing(what))?;
                options.push(with_value(option.id(), value));
            }
            Takes::Two(first, second) => {
                let values = rest.next_if(is_value).zip(rest.next_if(is_value));
                let (one, two) = values.ok_or_else(|| missing(&format!("{first} {second}")))?;
                options.push(with_value(option.id(), one));
                options.push(with_value(&format!("{}-{second}", option.id()), two));
            }
            Takes::Many(what) => {
                let before = options.len();
                while let Some(value) = rest.next_if(|word| !begins_with_dash(word)) {
                    options.push(with_value(option.id(), value));
                }
                if options.len() == before {
                    return Err(missing(what));
                }
                // A single dash ends the list.
                rest.next_if(|word| word.as_encoded_bytes() == b"-");
            }
        }
    }
    options.push("--".into());
    options.append(&mut jobs);
    Ok(options)
}

fn begins_with_dash(word: &OsStr) -> bool {
    word.as_encoded_bytes().first() == Some(&b'-')
}

fn with_value(name: &str, value: &OsStr) -> OsString {
    let mut out = OsString::from(format!("--{name}="));
    out.push(value);
    out
}

/// The option a word means and what stands behind its colon.
fn find(tool: &Tool, word: &str) -> Result<(&'static OptionSpec, Option<String>), ArgumentError> {
    let exact = word.starts_with("--");
    let text = word.trim_start_matches('-');
    let (text, qualifiers) = match text.split_once(':') {
        Some((name, letters)) => (name, Some(letters.to_owned())),
        None => (text, None),
    };
    let begun = || tool.options.iter().filter(|o| !text.is_empty() && o.name.starts_with(text));
    let means = |option: &&OptionSpec| {
        option.name == text || (!exact && text.len() >= option.min && !word.starts_with("--"))
    };
    if let Some(option) = begun().find(means) {
        return Ok((option, qualifiers));
    }
    let given = crate::text::strip_control(word).into_owned();
    if !exact && begun().next().is_some() {
        let names: Vec<String> = begun().map(|option| format!("-{}", option.name)).collect();
        return Err(ArgumentError::TooShort { given, candidates: names.join(", ") });
    }
    let likeness = |o: &&OptionSpec| {
        let cut = o.name.len().min(text.len().max(o.min));
        let whole = strsim::damerau_levenshtein(text, o.name);
        (whole.min(strsim::damerau_levenshtein(text, &o.name[..cut]) + 1), whole)
    };
    let nearest = tool.options.iter().min_by_key(likeness).map_or("help", |option| option.name);
    Err(ArgumentError::Unknown { given, nearest })
}

fn check_qualifiers(option: &'static OptionSpec, letters: &str) -> Result<(), ArgumentError> {
    let error = |expected: String| ArgumentError::Qualifier {
        option: option.name,
        given: crate::text::strip_control(letters).into_owned(),
        expected,
    };
    match option.qualifiers {
        None => Err(error("this option takes nothing after a colon".to_owned())),
        Some("N") if letters.parse::<u16>().is_ok_and(|columns| columns >= 20) => Ok(()),
        Some("N") => Err(error("expected a number of columns, at least 20".to_owned())),
        Some("seconds") if letters.parse().is_ok_and(|seconds| SECONDS.contains(&seconds)) => {
            Ok(())
        }
        Some("seconds") => {
            Err(error(format!("expected seconds, {} to {}", SECONDS.start(), SECONDS.end())))
        }
        Some(known) if letters.chars().all(|c| known.contains(c)) => Ok(()),
        Some(known) => Err(error(format!("expected letters out of {known}"))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cli::options::TOOL;

    fn read(line: &str) -> Result<Vec<String>, ArgumentError> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let out = normalise(&TOOL, &words)?;
        Ok(out.into_iter().map(|word| word.to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn prefixes_and_values() {
        assert_eq!(read("1234.0 -l").unwrap(), ["--long", "--", "1234.0"]);
        assert_eq!(
            read("-al -u a.log -userlog b.log alice").unwrap(),
            ["--allusers", "--userlog=a.log", "--userlog=b.log", "--", "alice"]
        );
        assert_eq!(read("-jobads - --json").unwrap(), ["--jobads=-", "--json", "--"]);
        assert_eq!(read("-js -jsonl").unwrap(), ["--json", "--jsonl", "--"]);
        assert_eq!(read("-c A==-1").unwrap(), ["--constraint=A==-1", "--"]);
        assert_eq!(read("-c -A==1 -now -5").unwrap(), ["--constraint=-A==1", "--now=-5", "--"]);
    }

    #[test]
    fn lists_end_at_a_dash() {
        assert_eq!(
            read("-af:jh ClusterId Band -wide").unwrap(),
            ["--af-qualifiers=jh", "--af=ClusterId", "--af=Band", "--wide", "--"]
        );
        assert_eq!(read("-af Band - 12.0").unwrap(), ["--af=Band", "--", "12.0"]);
        assert_eq!(read("-wide:120").unwrap(), ["--wide-qualifiers=120", "--"]);
        assert_eq!(
            read("-format %d ClusterId").unwrap(),
            ["--format=%d", "--format-attribute=ClusterId", "--"]
        );
    }

    #[test]
    fn errors_say_what_to_write() {
        let error = |line: &str| read(line).unwrap_err().to_string();
        assert_eq!(
            error("-jsan"),
            "unrecognized argument -jsan; did you mean -json? (-help lists all options)"
        );
        assert_eq!(
            error("--allu"),
            "unrecognized argument --allu; did you mean -allusers? (-help lists all options)"
        );
        assert!(error("-aply").contains("unrecognized argument -aply"));
        assert_eq!(
            error("-ow"),
            "unrecognized argument -ow; did you mean -now? (-help lists all options)"
        );
        assert_eq!(
            error("-a"),
            "argument -a is too short, write more of -allusers, -all-users, -advice, -af, -autoformat, -apply"
        );
        assert_eq!(error("-userlog"), "-userlog requires another parameter: filename");
        assert_eq!(error("-af -long"), "-af requires another parameter: attribute");
        assert_eq!(error("-dag -html x"), "-dag requires another parameter: filename");
        assert_eq!(error("-limit -now -5"), "-limit requires another parameter: number");
        assert_eq!(error("-format %d -l"), "-format requires another parameter: format attribute");
        assert_eq!(error("-af:jx Band"), "-af:jx: expected letters out of jlhVrTY,tng");
        assert_eq!(error("-long:x"), "-long:x: this option takes nothing after a colon");
    }

    proptest! {
        #[test]
        fn any_words_are_read(words in proptest::collection::vec("-{0,2}[a-z:]{0,8}|\\PC{0,6}", 0..6)) {
            let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
            let _ = normalise(&TOOL, &words);
        }

        #[test]
        fn two_dashes_need_the_full_name(index in 0..TOOL.options.len(), cut in 1usize..20) {
            let name = TOOL.options[index].name;
            prop_assume!(cut < name.len());
            let prefix = &name[..cut];
            prop_assume!(TOOL.options.iter().all(|option| option.name != prefix));
            let words = [OsString::from(format!("--{prefix}"))];
            let unknown = matches!(normalise(&TOOL, &words), Err(ArgumentError::Unknown { .. }));
            prop_assert!(unknown);
        }
    }
}
