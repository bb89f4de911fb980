//! Cuts a stream of XML into the texts of its ads, `<c>` to `</c>`, without keeping more than one
//! of them.

use std::io::{self, BufRead};

use memchr::{memchr, memchr_iter, memchr2, memchr3};

/// Bytes of a tag's name that are kept: none that means something here is longer.
const LONGEST_NAME: usize = 40;

#[derive(Debug)]
pub(super) struct Cutter<R> {
    reader: R,
    scan: Scan,
}

pub(super) enum Found {
    /// The text of an ad that starts at this line. Where it is not whole, the input, or the next
    /// ad, began inside it.
    Ad {
        line: u64,
        is_whole: bool,
    },
    /// An ad beyond the limit, skipped.
    TooLarge(u64),
    /// What does not belong between ads; told once for each place between two ads.
    Stray(u64, String),
    End,
}

#[derive(Debug)]
struct Scan {
    text: Vec<u8>,
    limit: usize,
    too_large: bool,
    /// Line of the next byte, from 1.
    line: u64,
    place: Place,
    /// The name of the tag at hand, with its slash, or as much as is known of it.
    name: Vec<u8>,
    tag_line: u64,
    /// Where the tag starts in the text.
    tag_start: usize,
    /// The last bytes of the tag, the comment or the CDATA.
    tail: [u8; 2],
    /// Elements `<c>` inside each other.
    depth: usize,
    start: u64,
    /// Elements `<l>` of the ad that are open.
    lists: usize,
    /// The last tag was the beginning of an attribute or a list: an ad may follow as a value.
    opens_value: bool,
    /// The line of an ad whose tag ended the ad before it.
    opening: Option<u64>,
    stray_told: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Text,
    /// In the name of a tag.
    Name,
    /// Behind the name of a tag.
    Tag,
    /// In the brackets of a document type.
    Subset,
    Comment,
    Cdata,
}

impl<R: BufRead> Cutter<R> {
    pub(super) fn new(reader: R, limit: usize) -> Cutter<R> {
        let scan = Scan {
            text: Vec::new(),
            limit,
            too_large: false,
            line: 1,
            place: Place::Text,
            name: Vec::new(),
            tag_line: 1,
            tag_start: 0,
            tail: [0; 2],
            depth: 0,
            start: 1,
            lists: 0,
            opens_value: false,
            opening: None,
            stray_told: false,
        };
        Cutter { reader, scan }
    }

    /// The text of the ad found last.
    pub(super) fn text(&self) -> &[u8] {
        &self.scan.text
    }

    pub(super) fn next(&mut self) -> io::Result<Found> {
        if let Some(line) = self.scan.opening.take() {
            self.scan.begin(line);
        }
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            if buffer.is_empty() {
                return Ok(self.scan.end());
            }
            let (used, found) = self.scan.step(buffer);
            self.reader.consume(used);
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }
}

impl Scan {
    /// Goes over the first bytes of the buffer, which is not empty; says how many.
    fn step(&mut self, buffer: &[u8]) -> (usize, Option<Found>) {
        match self.place {
            Place::Text => self.between_tags(buffer),
            Place::Name => (self.in_name(buffer), None),
            Place::Tag => self.in_tag(buffer),
            Place::Subset => (self.up_to(b']', *b"", Place::Tag, buffer), None),
            Place::Comment => (self.up_to(b'>', *b"--", Place::Text, buffer), None),
            Place::Cdata => (self.up_to(b'>', *b"]]", Place::Text, buffer), None),
        }
    }

    fn between_tags(&mut self, buffer: &[u8]) -> (usize, Option<Found>) {
        let end = memchr(b'<', buffer);
        let piece = &buffer[..end.unwrap_or(buffer.len())];
        if self.depth == 0
            && let Some(at) = piece.iter().position(|byte| !byte.is_ascii_whitespace())
            && !std::mem::replace(&mut self.stray_told, true)
        {
            self.take(&piece[..at]);
            let line = self.line;
            self.take(&piece[at..]);
            let what = piece[at].escape_ascii().to_string();
            return (piece.len(), Some(Found::Stray(line, what)));
        }
        self.take(piece);
        if end.is_none() {
            return (piece.len(), None);
        }
        self.tag_start = self.text.len();
        self.tag_line = self.line;
        self.take(b"<");
        self.name.clear();
        self.place = Place::Name;
        (piece.len() + 1, None)
    }

    fn in_name(&mut self, buffer: &[u8]) -> usize {
        let mut used = 0;
        for byte in buffer {
            let ends = byte.is_ascii_whitespace()
                || matches!(byte, b'<' | b'>')
                || (*byte == b'/' && !self.name.is_empty());
            if ends {
                self.place = Place::Tag;
                break;
            }
            used += 1;
            if self.name.len() < LONGEST_NAME {
                self.name.push(*byte);
            }
            match self.name.as_slice() {
                b"!--" => self.place = Place::Comment,
                b"![CDATA[" => self.place = Place::Cdata,
                _ => continue,
            }
            break;
        }
        self.take(&buffer[..used]);
        self.tail = [0; 2];
        used
    }

    fn in_tag(&mut self, buffer: &[u8]) -> (usize, Option<Found>) {
        let end = match self.name.as_slice() {
            b"!DOCTYPE" => memchr3(b'<', b'>', b'[', buffer),
            _ => memchr2(b'<', b'>', buffer),
        };
        let Some(at) = end else {
            self.take(buffer);
            return (buffer.len(), None);
        };
        self.take(&buffer[..at]);
        match buffer[at] {
            b'[' => {
                self.place = Place::Subset;
                self.take(b"[");
                (at + 1, None)
            }
            // No tag and no value holds this character: the '>' is missing.
            b'<' => {
                self.place = Place::Text;
                let found = self.tag(false);
                self.opens_value = false;
                (at, found)
            }
            _ => {
                self.place = Place::Text;
                let is_empty = self.tail[1] == b'/';
                self.take(b">");
                (at + 1, self.tag(is_empty))
            }
        }
    }

    /// Goes over what ends with some characters and this last one.
    fn up_to<const N: usize>(
        &mut self,
        last: u8,
        before: [u8; N],
        then: Place,
        buffer: &[u8],
    ) -> usize {
        let Some(at) = memchr(last, buffer) else {
            self.take(buffer);
            return buffer.len();
        };
        self.take(&buffer[..at]);
        if self.tail.ends_with(&before) {
            self.place = then;
        }
        self.take(&buffer[at..=at]);
        at + 1
    }

    /// Counts lines, and keeps what belongs to an ad.
    fn take(&mut self, piece: &[u8]) {
        self.line += memchr_iter(b'\n', piece).count() as u64;
        match *piece {
            [] => {}
            [only] => self.tail = [self.tail[1], only],
            [.., first, last] => self.tail = [first, last],
        }
        if self.depth == 0 || self.too_large {
            return;
        }
        if self.text.len() + piece.len() > self.limit {
            self.too_large = true;
            self.text = Vec::new();
        } else {
            self.text.extend_from_slice(piece);
        }
    }

    /// The tag at hand has ended.
    fn tag(&mut self, is_empty: bool) -> Option<Found> {
        let is_value = std::mem::replace(&mut self.opens_value, false) || self.lists > 0;
        match (self.name.as_slice(), self.depth) {
            (b"c", 0) if is_empty => {
                self.begin(self.tag_line);
                self.text.extend_from_slice(b"</c>");
                return Some(self.finish(true));
            }
            (b"c", 0) => self.begin(self.tag_line),
            (b"c", _) if is_empty => {}
            (b"c", _) if is_value => self.depth += 1,
            (b"c", _) => {
                // An ad is no attribute: the end of the one before is missing.
                self.opening = Some(self.tag_line);
                return Some(self.cut());
            }
            (b"/classads", 1..) => return Some(self.cut()),
            (b"/c", 1) => return Some(self.finish(true)),
            (b"/c", 2..) => self.depth -= 1,
            (b"a", 1..) => self.opens_value = !is_empty,
            (b"l", 1..) if !is_empty => {
                self.opens_value = true;
                self.lists += 1;
            }
            (b"/l", 1..) => self.lists = self.lists.saturating_sub(1),
            (b"classads" | b"/classads", 0) | ([b'?' | b'!', ..], 0) => {}
            (name, 0) if !self.stray_told => {
                self.stray_told = true;
                let what = format!("<{}>", shown(name));
                return Some(Found::Stray(self.tag_line, what));
            }
            _ => {}
        }
        None
    }

    fn begin(&mut self, line: u64) {
        self.text.clear();
        self.text.extend_from_slice(b"<c>");
        self.too_large = false;
        self.depth = 1;
        self.start = line;
        self.lists = 0;
        self.opens_value = false;
        self.stray_told = false;
    }

    /// The tag at hand stands behind an ad whose end is missing.
    fn cut(&mut self) -> Found {
        self.text.truncate(self.tag_start);
        self.finish(false)
    }

    fn finish(&mut self, is_whole: bool) -> Found {
        self.depth = 0;
        if self.too_large {
            return Found::TooLarge(self.start);
        }
        Found::Ad { line: self.start, is_whole }
    }

    /// The input has ended.
    fn end(&mut self) -> Found {
        let is_open = std::mem::replace(&mut self.place, Place::Text) != Place::Text;
        if self.depth > 0 {
            return self.finish(false);
        }
        if is_open && !std::mem::replace(&mut self.stray_told, true) {
            return Found::Stray(self.tag_line, format!("<{}", shown(&self.name)));
        }
        Found::End
    }
}

fn shown(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(LONGEST_NAME)];
    String::from_utf8_lossy(bytes).trim_ascii_end().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn cut(text: &str, capacity: usize, limit: usize) -> Vec<String> {
        let reader = BufReader::with_capacity(capacity, text.as_bytes());
        let mut cutter = Cutter::new(reader, limit);
        let mut all = Vec::new();
        loop {
            let found = match cutter.next().unwrap() {
                Found::Ad { line, is_whole } => {
                    let text = String::from_utf8(cutter.text().to_vec()).unwrap();
                    format!("{line} {}{text}", if is_whole { "" } else { "cut " })
                }
                Found::TooLarge(line) => format!("{line} too large"),
                Found::Stray(line, what) => format!("{line} stray {what}"),
                Found::End => return all,
            };
            all.push(found);
        }
    }

    fn check(text: &str, expected: &[&str]) {
        for capacity in [1, 2, 3, 7, 4096] {
            assert_eq!(cut(text, capacity, 1 << 20), expected, "{text} by {capacity}");
        }
    }

    #[test]
    fn ads_are_found_between_what_surrounds_them() {
        check("", &[]);
        check(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE classads [<!ENTITY c \"<c>\">]>\n<classads>\n<c >\n</c\n><c/>\n</classads>",
            &["4 <c>\n</c\n>", "6 <c></c>"],
        );
        check(
            "<!-- <c> - -- ></c> --><c><!-- </c> --><![CDATA[</c>]]]]></c>",
            &["1 <c><!-- </c> --><![CDATA[</c>]]]]></c>"],
        );
        check(
            "<c><a n=\"x\"><c><a/></c></a><a n='l'><l><c></c>\n<i>1</i><c/><c></c></l></a></c>",
            &[
                "1 <c><a n=\"x\"><c><a/></c></a><a n='l'><l><c></c>\n<i>1</i><c/><c></c></l></a></c>",
            ],
        );
    }

    #[test]
    fn an_ad_without_end_ends_with_the_next() {
        check("<c><a n=\"x\"><i>1</i>\n<c></c>", &["1 cut <c><a n=\"x\"><i>1</i>\n", "2 <c></c>"]);
        check("<c><a n=\"x\n<c></c>\n<c", &["1 cut <c><a n=\"x\n", "2 <c></c>", "3 stray <c"]);
        check("<classads>\n<c>\n</classads>", &["2 cut <c>\n"]);
    }

    #[test]
    fn what_is_no_ad_is_told_once() {
        check(
            "\n junk & more <html>\n</html></c> more<c></c>\n</c><i>1</i><c></c> <",
            &["2 stray j", "3 <c></c>", "4 stray </c>", "4 <c></c>", "4 stray <"],
        );
    }

    #[test]
    fn an_ad_beyond_the_limit_is_skipped() {
        let text = "<c><a n=\"x\"><s>12345678901234567890</s></a></c>\n<c></c>";
        for capacity in [1, 5, 4096] {
            assert_eq!(cut(text, capacity, 24), ["1 too large", "2 <c></c>"]);
        }
    }
}
