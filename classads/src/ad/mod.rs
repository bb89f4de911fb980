//! Ads: attribute names and expressions, read lazily.
//!
//! - `entry`: one attribute: its text, and its expression once asked for.
//! - `index`: where an attribute stands.

mod entry;
mod index;

use std::fmt;

use entry::{Entry, Parsed, Span};
use index::Index;

use crate::eval::{self, EvalContext};
use crate::expr::Expr;
use crate::name::{self, Name};
use crate::print;
use crate::syntax::error::ParseError;
use crate::syntax::{Syntax, parser};
use crate::value::Value;

/// An ad: names without regard to case, each with an expression, in the order they were read.
///
/// The ad keeps the text it was read from; an attribute is parsed when it is first asked for.
/// Threads may share it.
///
/// ```
/// let ads = "JobStatus = 5\nHoldReason = \"Error from slot1@ep: disk full\"\n";
/// let job = classads::read_ads(ads.as_bytes()).next().unwrap()?;
/// assert_eq!(job.integer("jobstatus"), Some(5));
/// assert_eq!(job.raw("HoldReason"), Some("\"Error from slot1@ep: disk full\""));
/// # Ok::<(), classads::AdError>(())
/// ```
#[derive(Clone, Default)]
pub struct ClassAd {
    /// Names and expressions as they were read, one after the other.
    text: String,
    /// Bytes of the text that no entry uses any more.
    unused: usize,
    /// Hashes of the names, beside the entries so that a look-up goes through few cache lines.
    hashes: Vec<u32>,
    index: Index,
    entries: Vec<Entry>,
    banner: Option<Box<str>>,
}

impl ClassAd {
    /// An ad without attributes.
    #[must_use]
    pub fn new() -> ClassAd {
        ClassAd::default()
    }

    /// Likewise, with room for so many attributes, whose names and expressions have so many bytes.
    #[must_use]
    pub fn with_capacity(attributes: usize, bytes: usize) -> ClassAd {
        let mut ad = ClassAd::default();
        ad.text.reserve_exact(bytes);
        ad.reserve(attributes);
        ad
    }

    /// Reads one ad in brackets, the new syntax: `[ JobStatus = 5; NumHolds = 1 ]`.
    pub fn parse(text: &str) -> Result<ClassAd, ParseError> {
        parser::classad(text)
    }

    /// Sets an attribute. One that is there keeps its place.
    pub fn insert(&mut self, name: &str, expr: impl Into<Expr>) {
        let expr = expr.into();
        let raw = expr.print(print::Style::New);
        self.put(name, &raw, Syntax::New, Some(expr), 0);
    }

    /// Sets an attribute to a constant.
    pub fn insert_value(&mut self, name: &str, value: impl Into<Value>) {
        self.insert(name, Expr::literal(value));
    }

    /// Sets an attribute to the text of an expression, parsed when it is first asked for.
    pub fn insert_raw(&mut self, name: &str, text: &str, syntax: Syntax) {
        self.put(name, text, syntax, None, 0);
    }

    pub(crate) fn put(
        &mut self,
        name: &str,
        raw: &str,
        syntax: Syntax,
        expr: Option<Expr>,
        line: u64,
    ) {
        let hash = name::hash(name.as_bytes());
        let known = self.position(hash, name);
        let name = match known {
            Some(at) => self.entries[at].name,
            None => self.append(name),
        };
        let raw = self.append(raw);
        let entry = Entry::new(name, raw, syntax, line);
        if let Some(expr) = expr {
            // The cell is new: it cannot be full.
            let _ = entry.parsed.set(Ok(expr));
        }
        self.set(hash, known, entry);
        self.compact();
    }

    /// Sets the attribute at a position, or one that is new.
    fn set(&mut self, hash: u32, known: Option<usize>, entry: Entry) {
        if let Some(at) = known {
            self.unused += self.entries[at].raw.len();
            self.entries[at] = entry;
        } else {
            self.hashes.push(hash);
            self.index.add(&self.hashes);
            self.entries.push(entry);
        }
    }

    fn reserve(&mut self, attributes: usize) {
        self.hashes.reserve(attributes);
        self.entries.reserve(attributes);
        self.index.reserve(attributes);
    }

    /// Sets the attributes of an ad that has none. `text`: names and expressions, one after the
    /// other; `ends`: where a name ends in it, where its expression ends, and the line.
    #[inline]
    pub(crate) fn put_all(
        &mut self,
        text: String,
        ends: impl ExactSizeIterator<Item = (usize, usize, u64)>,
        syntax: Syntax,
    ) {
        self.clear();
        self.text = text;
        self.reserve(ends.len());
        let mut start = 0;
        for (middle, end, line) in ends {
            let name = self.text.get(start..middle).unwrap_or_default();
            let hash = name::hash(name.as_bytes());
            let known = self.position(hash, name);
            let name = match known {
                Some(at) => {
                    self.unused += middle - start;
                    self.entries[at].name
                }
                None => Span::new(start, middle),
            };
            self.set(hash, known, Entry::new(name, Span::new(middle, end), syntax, line));
            start = end;
        }
        self.compact();
    }

    fn append(&mut self, piece: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(piece);
        Span::new(start, self.text.len())
    }

    /// Drops text that no entry uses any more, once it is most of the text.
    fn compact(&mut self) {
        if self.text.len() + 4096 > 2 * self.unused {
            return;
        }
        self.unused = 0;
        let old = std::mem::take(&mut self.text);
        for entry in &mut self.entries {
            for span in [&mut entry.name, &mut entry.raw] {
                let start = self.text.len();
                self.text.push_str(old.get(span.range()).unwrap_or_default());
                *span = Span::new(start, self.text.len());
            }
        }
    }

    /// Takes an attribute out; whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        match self.position(name::hash(name.as_bytes()), name) {
            Some(at) => {
                self.hashes.remove(at);
                self.index.rebuild(&self.hashes);
                self.unused += self.entries.remove(at).len();
                true
            }
            None => false,
        }
    }

    /// Keeps the attributes whose names `keeps` is true for.
    pub fn retain(&mut self, mut keeps: impl FnMut(&str) -> bool) {
        let mut kept = 0;
        for at in 0..self.entries.len() {
            if keeps(self.text.get(self.entries[at].name.range()).unwrap_or_default()) {
                self.entries.swap(kept, at);
                self.hashes.swap(kept, at);
                kept += 1;
            }
        }
        self.unused += self.entries[kept..].iter().map(Entry::len).sum::<usize>();
        self.entries.truncate(kept);
        self.hashes.truncate(kept);
        self.index.rebuild(&self.hashes);
    }

    /// Bytes of memory, about.
    pub(crate) fn size(&self) -> usize {
        self.text.len() + self.entries.len() * (size_of::<Entry>() + size_of::<u32>())
    }

    /// Takes all attributes out and keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.unused = 0;
        self.hashes.clear();
        self.index.clear();
        self.entries.clear();
        self.banner = None;
    }

    /// How many attributes the ad has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the ad has no attributes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the ad has the attribute.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.position(name::hash(name.as_bytes()), name).is_some()
    }

    /// The attribute's expression; `None` if the ad lacks it or its text is no expression
    /// ([`ClassAd::errors`]).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Expr> {
        self.lookup(name::hash(name.as_bytes()), name)?.as_ref().ok()
    }

    /// The attribute's expression as text, as it was read.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&str> {
        let at = self.position(name::hash(name.as_bytes()), name)?;
        self.text.get(self.entries[at].raw.range())
    }

    /// The line of the input the attribute stood on, from 1; `None` where it was not read from an
    /// input, or lies beyond line 4294967294.
    #[must_use]
    pub fn line(&self, name: &str) -> Option<u64> {
        let at = self.position(name::hash(name.as_bytes()), name)?;
        let line = self.entries[at].line;
        (line != 0 && line != u32::MAX).then_some(line.into())
    }

    /// The names, in the order they were read and as they were written.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|entry| self.text.get(entry.name.range()).unwrap_or_default())
    }

    /// The attributes whose text is an expression.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Expr)> {
        self.names()
            .zip(&self.entries)
            .filter_map(|(name, entry)| Some((name, entry.parsed(&self.text).as_ref().ok()?)))
    }

    /// The attributes with their text as it was read and its syntax; nothing is parsed.
    pub fn iter_raw(&self) -> impl Iterator<Item = (&str, &str, Syntax)> {
        self.names().zip(&self.entries).map(|(name, entry)| {
            (name, self.text.get(entry.raw.range()).unwrap_or_default(), entry.syntax)
        })
    }

    /// The attributes whose text is no expression, and why. Parses every attribute that is not
    /// plainly a constant.
    pub fn errors(&self) -> impl Iterator<Item = (&str, &ParseError)> {
        self.names()
            .zip(&self.entries)
            .filter_map(|(name, entry)| Some((name, entry.error(&self.text)?)))
    }

    /// The line `*** ...` that HTCondor's history files write after an ad, if there was one;
    /// [`crate::long::Banner::parse`] reads its fields.
    #[must_use]
    pub fn banner(&self) -> Option<&str> {
        self.banner.as_deref()
    }

    pub(crate) fn set_banner(&mut self, banner: &str) {
        self.banner = Some(banner.into());
    }

    pub(crate) fn lookup(&self, hash: u32, name: &str) -> Option<&Parsed> {
        let at = self.position(hash, name)?;
        Some(self.entries[at].parsed(&self.text))
    }

    /// The expression at this position, if the attribute stands there and was asked for before.
    #[inline(always)]
    pub(crate) fn parsed_at(&self, at: u32, name: &Name) -> Option<&Parsed> {
        let at = at as usize;
        if self.hashes.get(at) != Some(&name.hash) {
            return None;
        }
        let entry = self.entries.get(at)?;
        let text = self.text.as_bytes().get(entry.name.range())?;
        if text == name.text.as_bytes() { entry.parsed.get() } else { None }
    }

    /// [`ClassAd::lookup`], with the position of the attribute.
    pub(crate) fn lookup_with_position(&self, name: &Name) -> Option<(u32, &Parsed)> {
        let at = self.position(name.hash, &name.text)?;
        Some((u32::try_from(at).ok()?, self.entries[at].parsed(&self.text)))
    }

    fn position(&self, hash: u32, name: &str) -> Option<usize> {
        self.index.find(hash, &self.hashes, |at| self.is_name(at, name))
    }

    fn is_name(&self, at: usize, name: &str) -> bool {
        let known = self.text.as_bytes().get(self.entries[at].name.range());
        known.is_some_and(|known| name::same(known, name.as_bytes()))
    }

    /// The attribute's value; `undefined` if the ad lacks it.
    #[must_use]
    pub fn evaluate(&self, name: &str, context: &EvalContext<'_>) -> Value {
        eval::attribute(self, name, context)
    }

    /// The value of an expression on this ad.
    #[must_use]
    pub fn evaluate_expr(&self, expr: &Expr, context: &EvalContext<'_>) -> Value {
        eval::expression(self, expr, context)
    }

    /// [`ClassAd::evaluate_expr`]; `None` where it is an error because the evaluation was given up:
    /// it took more than [`EvalContext::max_steps`] or what is left of [`EvalContext::budget`],
    /// made more than [`EvalContext::max_bytes`], or went too deep.
    #[must_use]
    pub fn try_evaluate_expr(&self, expr: &Expr, context: &EvalContext<'_>) -> Option<Value> {
        eval::attempt(self, expr, context)
    }

    /// The attribute's value where it is an integer; a constant needs no evaluation.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.value(name)?.as_integer()
    }

    /// The attribute's value where it is a number.
    #[must_use]
    pub fn real(&self, name: &str) -> Option<f64> {
        self.value(name)?.as_real()
    }

    /// The attribute's value where it is a boolean.
    #[must_use]
    pub fn boolean(&self, name: &str) -> Option<bool> {
        self.value(name)?.as_boolean()
    }

    /// The attribute's value where it is a string.
    #[must_use]
    pub fn string(&self, name: &str) -> Option<String> {
        match self.value(name)? {
            Value::String(text) => Some(text.as_ref().to_owned()),
            _ => None,
        }
    }

    fn value(&self, name: &str) -> Option<Value> {
        let expr = self.get(name)?;
        Some(match expr.as_literal() {
            Some(value) => value.clone(),
            None => eval::attribute(self, name, &EvalContext::quick()),
        })
    }
}

/// The ad in brackets and in the new syntax: [`ClassAd::parse`] reads it back.
impl fmt::Display for ClassAd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        print::classad(&mut text, self, print::Style::New);
        f.write_str(&text)
    }
}

impl fmt::Debug for ClassAd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter_raw().map(|(name, raw, _)| (name, raw))).finish()
    }
}
