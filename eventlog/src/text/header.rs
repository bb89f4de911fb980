//! The header line: `NNN (cluster.proc.subproc) date time title`.

use super::super::JobId;
use super::digits::{self, Word};

/// What a header line has to begin with.
pub(crate) const EXPECTED_NUMBER: &str =
    "a header line such as `012 (1234.000.000) 2024-01-31 23:59:59 Job was held.`";
const EXPECTED_ID: &str = "a job id such as (1234.000.000) behind the event number";

/// Event number and job of a header line, and where its date begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ids {
    pub(crate) number: u16,
    pub(crate) job: JobId,
    pub(crate) subproc: i32,
    pub(crate) date_at: usize,
}

impl Ids {
    /// Reads a line up to its date, or says what is not there.
    #[inline]
    pub(crate) fn read(line: &[u8]) -> Result<Self, &'static str> {
        const NUMBER: Word = Word::new(b"999 (");
        // Proc and subproc as HTCondor writes almost all of them.
        const PROC: Word = Word::new(b"999.999)");
        let number = digits::number(NUMBER.digits(line).ok_or(EXPECTED_NUMBER)?, 0, 3);
        let (cluster, at) = id(line, 5, b'.').ok_or(EXPECTED_ID)?;
        if let Some(digits) = PROC.digits(&line[at..])
            && line.get(at + 8) == Some(&b' ')
        {
            let three = |first| i32::from(digits::number(digits, first, 3));
            let job = JobId::new(cluster, three(0));
            return Ok(Self { number, job, subproc: three(4), date_at: at + 9 });
        }
        let (proc, at) = id(line, at, b'.').ok_or(EXPECTED_ID)?;
        let (subproc, at) = id(line, at, b')').ok_or(EXPECTED_ID)?;
        if line.get(at) != Some(&b' ') {
            return Err(super::super::time::EXPECTED_DATE);
        }
        Ok(Self { number, job: JobId::new(cluster, proc), subproc, date_at: at + 1 })
    }

    /// The line begins an event: number, id and a digit of the date are there.
    #[inline]
    pub(crate) fn begins_event(line: &[u8]) -> bool {
        line.first().is_some_and(u8::is_ascii_digit)
            && Self::read(line)
                .is_ok_and(|ids| line.get(ids.date_at).is_some_and(u8::is_ascii_digit))
    }

    /// As [`Ids::begins_event`], with a whole date.
    #[inline]
    pub(crate) fn begins_dated_event(bytes: &[u8]) -> bool {
        Self::begins_event(bytes)
            && Self::read(bytes).is_ok_and(|ids| {
                let date = &bytes[ids.date_at..];
                let fits = |form: &[u8]| {
                    date.len() >= form.len()
                        && date.iter().zip(form).all(|(byte, form)| match form {
                            b'9' => byte.is_ascii_digit(),
                            other => byte == other,
                        })
                };
                fits(b"9999-99-99") || fits(b"99/99 99:99:99") || fits(b"99/99/99 ")
            })
    }
}

/// A number of the job id and the position behind the character `end` that follows it.
#[inline]
fn id(line: &[u8], at: usize, end: u8) -> Option<(i32, usize)> {
    let rest = line.get(at..)?;
    match digits::leading(rest) {
        Some((number, length)) if rest.get(length) == Some(&end) => {
            Some((i32::try_from(number).ok()?, at + length + 1))
        }
        _ => negative(rest, at, end),
    }
}

/// The same of a negative one.
#[cold]
fn negative(rest: &[u8], at: usize, end: u8) -> Option<(i32, usize)> {
    let number = rest.strip_prefix(b"-")?;
    let (value, length) =
        digits::leading(number).filter(|(_, at)| number.get(*at) == Some(&end))?;
    Some((i32::try_from(-i64::try_from(value).ok()?).ok()?, at + length + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_every_width() {
        let read =
            |line: &str| Ids::read(line.as_bytes()).map(|ids| (ids.number, ids.job, ids.subproc));
        assert_eq!(read("000 (064.000.000) 2"), Ok((0, JobId::new(64, 0), 0)));
        assert_eq!(
            read("005 (110828038.10000.001) 2"),
            Ok((5, JobId::new(110_828_038, 10_000), 1))
        );
        assert_eq!(read("035 (11922357.-01.000) 2"), Ok((35, JobId::new(11_922_357, -1), 0)));
        assert_eq!(read("008 (-01.-01.-01) 2"), Ok((8, JobId::new(-1, -1), -1)));
    }

    #[test]
    fn broken_headers_say_what_is_missing() {
        for line in ["", "0", "00 (1.0.0) 2", "abc (1.0.0) 2", "000 1.0.0", "\tReason"] {
            assert_eq!(Ids::read(line.as_bytes()), Err(EXPECTED_NUMBER), "{line}");
        }
        for line in [
            "000 (",
            "000 (1.0)",
            "000 (1.0.0",
            "000 (x.0.0) ",
            "000 (99999999999.0.0) 2",
            "000 (..)",
        ] {
            assert_eq!(Ids::read(line.as_bytes()), Err(EXPECTED_ID), "{line}");
        }
    }
}
