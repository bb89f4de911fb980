//! Cuts a stream into texts between balanced brackets.

use std::io::{self, BufRead};

use super::AdError;

/// How the text between the brackets is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grammar {
    /// What its name is in messages.
    name: &'static str,
    open: u8,
    close: u8,
    /// Characters that begin and end strings.
    quotes: &'static [u8],
    /// Characters that may stand between the texts.
    between: &'static [u8],
    /// Whether C's comments may stand between the texts.
    comments: bool,
    /// Whether strings hold no line ends, and each text begins a line or follows another on its
    /// own: what tells a text that is damaged from the next one.
    lines: bool,
}

pub(crate) const JSON: Grammar = Grammar {
    name: "JSON",
    open: b'{',
    close: b'}',
    quotes: b"\"",
    between: b"[],",
    comments: false,
    lines: true,
};
pub(crate) const BRACKETS: Grammar = Grammar {
    name: "brackets",
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

/// The line at which a whole text starts, which is now in `text`; or what was skipped.
pub(crate) type Found = Result<u64, AdError>;

impl<R: BufRead> Balanced<R> {
    pub(crate) fn new(reader: R, grammar: Grammar, limit: usize) -> Balanced<R> {
        Balanced { reader, grammar, text: Vec::new(), line: 1, limit, damaged: false, ended: false }
    }

    /// What comes next; nothing behind the end and where reading failed.
    pub(crate) fn next(&mut self) -> Option<Found> {
        if self.ended {
            return None;
        }
        match self.find() {
            Ok(found) => {
                self.ended = found.is_none();
                found
            }
            Err(error) => {
                self.ended = true;
                Some(Err(AdError::io(error)))
            }
        }
    }

    /// The input, or the next text, began inside a text that started at this line.
    fn cut(&self, line: u64) -> Found {
        let close = char::from(self.grammar.close);
        Err(AdError::at(line, format!("the ad that starts here has no closing '{close}'")))
    }

    fn find(&mut self) -> io::Result<Option<Found>> {
        self.text.clear();
        if let Some((line, stray)) = self.skip_between()? {
            let (name, stray) = (self.grammar.name, stray.escape_ascii());
            let message = format!("expected an ad in {name}, found '{stray}'");
            return Ok(Some(Err(AdError::at(line, message))));
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
                return Ok((depth > 0).then(|| self.cut(start)));
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
                    return Ok(Some(self.cut(start)));
                }
                used += 1;
                line_start = self.grammar.lines && *byte == b'\n';
                if line_start && string.is_some() {
                    self.reader.consume(used);
                    self.line += 1;
                    self.damaged = true;
                    let message = "a string does not end on its line; its ad is skipped";
                    return Ok(Some(Err(AdError::at(self.line - 1, message))));
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
                return Ok(Some(if too_large {
                    Err(AdError::too_large(start))
                } else {
                    Ok(start)
                }));
            }
        }
    }

    /// Goes to the next opening bracket, over comments; gives the line and the first character that
    /// does not belong there.
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
