//! Which form a log has.

use std::fmt;

/// The form of a log. HTCondor tells them apart by the first character, and so do we.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Form {
    /// `000 (1234.000.000) ...` lines and `...` separators.
    Text,
    /// `<c>` elements (`log_xml`, `EVENT_LOG_USE_XML`).
    Xml,
    /// JSON objects (`EVENT_LOG_FORMAT_OPTIONS = JSON`).
    Json,
}

impl Form {
    /// The form of a log that begins with these bytes. Empty and damaged beginnings count as text.
    pub fn detect(beginning: &[u8]) -> Self {
        let beginning = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
        match beginning.iter().find(|byte| !byte.is_ascii_whitespace() && **byte != 0) {
            Some(b'<') => Self::Xml,
            Some(b'{') => Self::Json,
            _ => Self::Text,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Xml => "XML",
            Self::Json => "JSON",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[test]
    fn the_first_character_tells() {
        assert_eq!(Form::detect(b"000 (1.0.0) ..."), Form::Text);
        assert_eq!(Form::detect(b"\n<c>"), Form::Xml);
        assert_eq!(Form::detect(b"\xef\xbb\xbf  {"), Form::Json);
        assert_eq!(Form::detect(b""), Form::Text);
    }
}
