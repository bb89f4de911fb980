//! Cuts a stream into texts between balanced brackets.

use std::io::{self, BufRead};

use super::AdError;

/// How the text between the brackets is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grammar {
    pub(crate) open: u8,
    pub(crate) close: u8,
    /// Characters that begin and end strings.
    pub(crate) quotes: &'static [u8],
    /// Characters that may stand between the texts.
    pub(crate) between: &'static [u8],
    /// Whether C's comments may stand between the texts.
    pub(crate) comments: bool,
    /// Whether strings hold no line ends, and each text begins a line or follows another on its own: what tells a text that
    /// is damaged from the next one.
    pub(crate) lines: bool,
}

pub(crate) const JSON: Grammar = Grammar {
    open: b'{',
    close: b'}',
    quotes: b"\"",
    between: b"[],",
    comments: false,
    lines: true,
};
pub(crate) const BRACKETS: Grammar = Grammar {
    open: b'[',
    close: b']',
    quotes: b"\"'",
    between: b"{},;",
    comments: true,
    lines: false,
};

#[derive(Debug)]
pub(crate) struct Balanced<R> {
    reader: R,
    grammar: Grammar,
    pub(crate) text: Vec<u8>,
    /// Line of the next byte, from 1.
    line: u64,
    limit: usize,
    /// The last text was damaged: the next one begins with a line.
    damaged: bool,
    ended: bool,
}

pub(crate) enum Found {
    /// A whole text, now in `text`, that starts at this line.
    Text(u64),
    /// The input, or the next text, began inside a text that started at this line.
    Cut(u64),
    /// A string did not end on this line; its text is skipped.
    OpenString(u64),
    /// A text beyond the limit, skipped.
    TooLarge(u64),
    /// Characters between texts that do not belong there, skipped up to the next text.
    Stray(u64, u8),
}

impl<R: BufRead> Balanced<R> {
    pub(crate) fn new(reader: R, grammar: Grammar, limit: usize) -> Balanced<R> {
        Balanced { reader, grammar, text: Vec::new(), line: 1, limit, damaged: false, ended: false }
    }

    /// What comes next; nothing behind the end and behind an error.
    pub(crate) fn next(&mut self) -> Option<Result<Found, AdError>> {
        if self.ended {
            return None;
        }
        let found = self.find().map_err(AdError::io).transpose();
        self.ended = !matches!(found, Some(Ok(_)));
        found
    }

    fn find(&mut self) -> io::Result<Option<Found>> {
        self.text.clear();
        if let Some((line, stray)) = self.skip_between()? {
            return Ok(Some(Found::Stray(line, stray)));
        }
        let start = self.line;
        let mut depth = 0_usize;
        let mut string: Option<u8> = None;
        let mut escaped = false;
        let mut too_large = false;
        let mut line_start = false;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok((depth > 0).then_some(Found::Cut(start)));
            }
            let mut used = 0;
            let mut done = false;
            while used < buffer.len() {
                if let Some(quote) = string.filter(|_| !escaped) {
                    // Most of a text is strings.
                    let rest = &buffer[used..];
                    used += memchr::memchr3(quote, b'\\', b'\n', rest).unwrap_or(rest.len());
                }
                let Some(byte) = buffer.get(used) else { break };
                if line_start && depth > 0 && *byte == self.grammar.open {
                    self.reader.consume(used);
                    return Ok(Some(Found::Cut(start)));
                }
                used += 1;
                line_start = self.grammar.lines && *byte == b'\n';
                if line_start && string.is_some() {
                    self.reader.consume(used);
                    self.line += 1;
                    self.damaged = true;
                    return Ok(Some(Found::OpenString(self.line - 1)));
                }
                if *byte == b'\n' {
                    self.line += 1;
                }
                if escaped {
                    escaped = false;
                } else if let Some(quote) = string {
                    if *byte == b'\\' {
                        escaped = true;
                    } else if *byte == quote {
                        string = None;
                    }
                } else if self.grammar.quotes.contains(byte) {
                    string = Some(*byte);
                } else if *byte == self.grammar.open {
                    depth += 1;
                } else if *byte == self.grammar.close {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        done = true;
                        break;
                    }
                }
            }
            if self.text.len() + used > self.limit {
                too_large = true;
                self.text = Vec::new();
            }
            if !too_large {
                self.text.extend_from_slice(&buffer[..used]);
            }
            self.reader.consume(used);
            if done {
                let found = if too_large { Found::TooLarge(start) } else { Found::Text(start) };
                return Ok(Some(found));
            }
        }
    }

    /// Goes to the next opening bracket, over comments; gives the line and the first character that does not
    /// belong there.
    fn skip_between(&mut self) -> io::Result<Option<(u64, u8)>> {
        let mut stray = None;
        let mut comment = Comment::None;
        let mut line_start = true;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                self.damaged = false;
                return Ok(stray);
            }
            let mut used = 0;
            let mut found = false;
            for byte in buffer {
                if comment.is_outside()
                    && *byte == self.grammar.open
                    && (line_start || !self.damaged)
                {
                    found = true;
                    break;
                }
                used += 1;
                let belongs = if self.grammar.comments { comment.step(*byte) } else { false };
                line_start = *byte == b'\n';
                if *byte == b'\n' {
                    self.line += 1;
                } else if !belongs
                    && !self.damaged
                    && !byte.is_ascii_whitespace()
                    && !self.grammar.between.contains(byte)
                {
                    stray = stray.or(Some((self.line, *byte)));
                }
            }
            self.reader.consume(used);
            if found {
                self.damaged = false;
                return Ok(stray);
            }
        }
    }
}

/// Where a byte between texts stands: outside, behind a slash, or in a comment.
#[derive(Clone, Copy)]
enum Comment {
    None,
    Slash,
    Line,
    Block,
    BlockStar,
}

impl Comment {
    fn is_outside(self) -> bool {
        matches!(self, Comment::None | Comment::Slash)
    }

    /// Takes one byte; whether it belongs to a comment.
    fn step(&mut self, byte: u8) -> bool {
        let (next, belongs) = match (*self, byte) {
            (Comment::None, b'/') => (Comment::Slash, true),
            (Comment::None, _) => (Comment::None, false),
            (Comment::Slash, b'/') => (Comment::Line, true),
            (Comment::Slash, b'*') => (Comment::Block, true),
            (Comment::Slash, _) => (Comment::None, false),
            (Comment::Line, b'\n') | (Comment::BlockStar, b'/') => (Comment::None, true),
            (Comment::Line, _) => (Comment::Line, true),
            (Comment::Block | Comment::BlockStar, b'*') => (Comment::BlockStar, true),
            (Comment::Block | Comment::BlockStar, _) => (Comment::Block, true),
        };
        *self = next;
        belongs
    }
}
