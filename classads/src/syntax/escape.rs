//! Escapes in string literals of the new syntax (rules of `convert_escapes` in HTCondor's
//! src/classad/util.cpp).

use std::borrow::Cow;

/// The string that text with the escapes of C stands for, as in literals of the new syntax and
/// strings of the XML form; `None` if it holds a NUL character, which HTCondor refuses.
///
/// Bytes that do not make UTF-8 (from octal escapes) become U+FFFD.
#[must_use]
pub fn unescape(text: &str) -> Option<Cow<'_, str>> {
    let bytes = text.as_bytes();
    if memchr::memchr2(b'\\', 0, bytes).is_none() {
        return Some(Cow::Borrowed(text));
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        if byte == 0 {
            return None;
        }
        if byte != b'\\' || at == bytes.len() {
            out.push(byte);
            continue;
        }
        let escaped = bytes[at];
        at += 1;
        match escaped {
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'0'..=b'7' => {
                let mut number = u32::from(escaped - b'0');
                // A third digit is taken only while the number fits a byte.
                for limit in [8, 0x20] {
                    match bytes.get(at) {
                        Some(digit @ b'0'..=b'7') if number < limit => {
                            number = number * 8 + u32::from(digit - b'0');
                            at += 1;
                        }
                        _ => break,
                    }
                }
                let byte = u8::try_from(number).ok().filter(|byte| *byte != 0)?;
                out.push(byte);
            }
            0 => return None,
            other => out.push(other),
        }
    }
    Some(match String::from_utf8(out) {
        Ok(text) => Cow::Owned(text),
        Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_c_escapes() {
        assert_eq!(unescape(r"a\n\101\\\q\'").as_deref(), Some("a\nA\\q'"));
        assert_eq!(unescape(r"\400").as_deref(), Some(" 0"));
        assert_eq!(unescape(r"end\").as_deref(), Some("end\\"));
        for text in [r"nul \0 in it", "nul \0 as it is", "nul \\\0 behind a backslash"] {
            assert_eq!(unescape(text), None, "{text:?}");
        }
        assert_eq!(unescape(r"\351").as_deref(), Some("\u{fffd}"));
    }
}
