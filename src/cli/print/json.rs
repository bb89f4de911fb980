//! `-json` and `-jsonl`.

use std::io::{self, Write};

use super::attributes::attributes;
use crate::advice::Advice;

pub(super) fn print_array(out: &mut dyn Write, advices: &[Advice]) -> io::Result<()> {
    out.write_all(b"[")?;
    for (number, advice) in advices.iter().enumerate() {
        out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer_pretty(&mut *out, &attributes(advice))?;
    }
    out.write_all(if advices.is_empty() { b"]\n" } else { b"\n]\n" })
}

pub(super) fn print_lines(out: &mut dyn Write, advices: &[Advice]) -> io::Result<()> {
    for advice in advices {
        serde_json::to_writer(&mut *out, &attributes(advice))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::print::samples;

    #[test]
    fn an_array_and_lines_say_the_same() {
        let advices = [samples::transfer(1, 0), samples::memory(1, 1, 2048)];
        let (mut array, mut lines) = (Vec::new(), Vec::new());
        print_array(&mut array, &advices).unwrap();
        print_lines(&mut lines, &advices).unwrap();
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
        print_array(&mut out, &[]).unwrap();
        assert_eq!(out, b"[]\n");
    }
}
