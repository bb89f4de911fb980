//! `-json` and `-jsonl`.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use super::attributes::attributes;
use crate::advice::Advice;
use crate::text::{to_json, to_json_pretty};

/// An advice as one element of an array, `number` counted from 0.
pub(super) fn print_element(
    out: &mut dyn Write,
    advice: &Advice,
    zone: &TimeZone,
    number: usize,
) -> io::Result<()> {
    element(out, &attributes(advice, zone), number)
}

/// One element of an array, `number` counted from 0.
pub(in crate::cli) fn element(
    out: &mut dyn Write,
    object: &impl serde::Serialize,
    number: usize,
) -> io::Result<()> {
    out.write_all(if number == 0 { b"[\n" } else { b",\n" })?;
    out.write_all(to_json_pretty(object)?.as_bytes())
}

/// The end of an array of so many elements.
pub(in crate::cli) fn print_end(out: &mut dyn Write, elements: usize) -> io::Result<()> {
    out.write_all(if elements == 0 { b"[]\n" } else { b"\n]\n" })
}

pub(super) fn print_line(out: &mut dyn Write, advice: &Advice, zone: &TimeZone) -> io::Result<()> {
    writeln!(out, "{}", to_json(&attributes(advice, zone))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::print::samples;

    #[test]
    fn an_array_and_lines_say_the_same() {
        let advices = [samples::transfer(1, 0), samples::memory(1, 1, 2048)];
        let (mut array, mut lines) = (Vec::new(), Vec::new());
        for (number, advice) in advices.iter().enumerate() {
            print_element(&mut array, advice, &TimeZone::UTC, number).unwrap();
            print_line(&mut lines, advice, &TimeZone::UTC).unwrap();
        }
        print_end(&mut array, 2).unwrap();
        let array: Vec<serde_json::Value> = serde_json::from_slice(&array).unwrap();
        let lines: Vec<serde_json::Value> = String::from_utf8(lines)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(array, lines);
        insta::assert_snapshot!(serde_json::to_string_pretty(&array[0]).unwrap());
    }

    #[test]
    fn nothing_is_an_empty_array() {
        let mut out = Vec::new();
        print_end(&mut out, 0).unwrap();
        assert_eq!(out, b"[]\n");
    }
}
