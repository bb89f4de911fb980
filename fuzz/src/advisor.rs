//! What the advisor's writer believes.

use holdadvise::text::is_fit;
use holdadvise_plugin::line::Line;

/// Any bytes as a line of the judge: what is read has one spelling, and is fit to print.
pub fn advisor_line(bytes: &[u8]) {
    if let Some(line) = Line::read(bytes) {
        let text = line.to_string();
        assert_eq!(text.as_bytes(), bytes, "{line:?}");
        assert!(is_fit(&text), "{text:?}");
    }
}
