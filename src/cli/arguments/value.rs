//! Values of options: the type of a value says how it is read, what stands for it in the synopsis
//! and what completions offer.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::str::FromStr;

use eventlog::system_zone;
use jiff::civil::DateTime;
use jiff::{Timestamp, Zoned};

use crate::inquiry::{CostChange, JobAds};

/// A word that an option takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// A text of which nothing is offered, by its name in the synopsis.
    Text(&'static str),
    /// The name of a file.
    File(&'static str),
    /// A text for which these words are offered.
    Offered(&'static str, fn() -> &'static [&'static str]),
    /// One of these words.
    OneOf(fn() -> Vec<&'static str>),
}

impl Word {
    /// What stands for it in the synopsis.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Text(name) | Self::File(name) | Self::Offered(name, _) => name.to_owned(),
            Self::OneOf(words) => words().join("|"),
        }
    }

    /// What completions offer: words, or `@files`.
    pub(super) fn offered(self) -> String {
        match self {
            Self::Text(_) => String::new(),
            Self::File(_) => "@files".to_owned(),
            Self::Offered(_, words) => words().join(" "),
            Self::OneOf(words) => words().join(" "),
        }
    }
}

/// A value of an option.
pub(crate) trait Value: Sized + 'static {
    /// The word that it is read from.
    const WORD: Word;

    /// Reads it.
    ///
    /// # Errors
    /// What is wrong with the word, to go on behind the option and a colon.
    fn read(word: &OsStr) -> Result<Self, String>;
}

/// A value that is one of a few words.
pub(crate) trait Choice: Copy + 'static {
    /// The words, and what each means.
    const WORDS: &'static [(&'static str, Self)];

    fn words() -> Vec<&'static str> {
        Self::WORDS.iter().map(|(word, _)| *word).collect()
    }
}

impl<T: Choice> Value for T {
    const WORD: Word = Word::OneOf(T::words);

    fn read(word: &OsStr) -> Result<Self, String> {
        let found = T::WORDS.iter().find(|(name, _)| *name == word);
        let expected = || is_not(word, &format!("one of {}", T::words().join(", ")));
        found.map(|(_, value)| *value).ok_or_else(expected)
    }
}

impl Value for String {
    const WORD: Word = Word::Text("text");

    fn read(word: &OsStr) -> Result<Self, String> {
        word.to_str().map(str::to_owned).ok_or_else(|| is_not(word, "UTF-8 text"))
    }
}

impl Value for PathBuf {
    const WORD: Word = Word::File("filename");

    fn read(word: &OsStr) -> Result<Self, String> {
        Ok(word.into())
    }
}

impl Value for JobAds {
    const WORD: Word = Word::File("filename");

    fn read(word: &OsStr) -> Result<Self, String> {
        Ok(Self::File(word.into()))
    }
}

/// How many: at least one.
impl Value for usize {
    const WORD: Word = Word::Text("number");

    fn read(word: &OsStr) -> Result<Self, String> {
        let number: std::num::NonZeroU64 = parsed(word, "a whole number from 1 on")?;
        Ok(Self::try_from(number.get()).unwrap_or(Self::MAX))
    }
}

impl Value for u64 {
    const WORD: Word = Word::Text("number");

    fn read(word: &OsStr) -> Result<Self, String> {
        parsed(word, "a whole number from 0 on")
    }
}

/// A time: Unix seconds, or a date as ISO 8601 has it, local where it names no zone.
impl Value for i64 {
    const WORD: Word = Word::Text("time");

    fn read(word: &OsStr) -> Result<Self, String> {
        let text = word.to_str().unwrap_or_default().trim();
        let instant = || text.parse::<Timestamp>().ok();
        let with_zone = || text.parse::<Zoned>().ok().map(|time| time.timestamp());
        let local = || {
            let date: DateTime = text.parse().ok()?;
            date.to_zoned(system_zone()).ok().map(|time| time.timestamp())
        };
        let of_date = || instant().or_else(with_zone).or_else(local).map(Timestamp::as_second);
        text.parse().ok().or_else(of_date).ok_or_else(|| {
            is_not(
                word,
                "Unix seconds or a date such as 2026-11-21T16:26:00, with or without Z or +01:00",
            )
        })
    }
}

impl Value for CostChange {
    const WORD: Word = Word::Text("name=hours");

    fn read(word: &OsStr) -> Result<Self, String> {
        String::read(word)?.parse().map_err(|why| format!("{} is {why}", shown(word)))
    }
}

/// Reads what the standard library reads.
pub(crate) fn parsed<T: FromStr>(word: &OsStr, expected: &str) -> Result<T, String> {
    word.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| is_not(word, expected))
}

/// What is wrong with a word, by what was expected.
pub(crate) fn is_not(word: &OsStr, expected: &str) -> String {
    format!("{} is not {expected}", shown(word))
}

fn shown(word: &OsStr) -> String {
    format!("{:?}", crate::text::strip_control(&word.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_seconds_or_a_date() {
        let time = |text: &str| i64::read(OsStr::new(text));
        for (text, expected) in [
            ("-5", -5),
            ("1795278360", 1_795_278_360),
            ("2026-11-21T16:26:00Z", 1_795_278_360),
            ("2026-11-21 16:26Z", 1_795_278_360),
            ("2026-11-21T17:26:00+01:00", 1_795_278_360),
            ("2026-11-21T10:26[America/Chicago]", 1_795_278_360),
            ("1969-12-31T23:59:59Z", -1),
        ] {
            assert_eq!(time(text), Ok(expected), "{text}");
        }
        // The zone of the tests is not known; a day's seconds are.
        let local = [time("2026-11-21T16:26:00"), time("2026-11-21 16:26"), time("2026-11-21")];
        let [first, second, day] = local.map(Result::unwrap);
        assert_eq!((first, first - day), (second, 16 * 3600 + 26 * 60));
        assert!((first - 1_795_278_360).abs() <= 14 * 3600);
        for text in
            ["", "now", "16:26", "2026-13-01", "2026-11-21T25:00", "1e9", "99999999999999999999"]
        {
            assert!(time(text).unwrap_err().contains("is not Unix seconds or a date"), "{text}");
        }
    }
}
