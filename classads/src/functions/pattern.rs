//! One pattern and its matches, with the work of matching counted.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use pcre2::bytes::{Regex, RegexBuilder};

use crate::eval::{Evaluator, Failure};

/// Steps of matching from one start: little suffices nearly always, the most is PCRE2's own limit.
/// What needs more is tried again with the next.
const LIMITS: [u32; 5] = [100, 1_000, 10_000, 100_000, 10_000_000];
/// Bytes of a text for each of which a trial takes its limit from the steps of the evaluation: a
/// search may begin at every byte, and few starts take many steps.
const STARTS: usize = 64;
/// The most that a trial takes for each of these, so that PCRE2's own limit is within HTCondor's of
/// an evaluation.
const DEAREST: u32 = 1_000_000;
/// Bytes of a pattern that are read in one step.
const PATTERN_BYTES: usize = 4;
/// KiB of memory one match may take.
const HEAP_LIMIT: u32 = 64 * 1024;
/// PCRE2's error numbers for a match that reached its limit of steps (`PCRE2_ERROR_MATCHLIMIT`,
/// pcre2.h).
const REACHED_LIMIT: i32 = -47;
/// Patterns are compiled once and kept while there are not too many.
const CACHE_SIZE: usize = 64;
/// Bytes a pattern may be long: longer ones are an error.
const PATTERN_LIMIT: usize = 64 * 1024;

/// A pattern with the options of ClassAd functions, of which `imsx` count here.
pub(crate) struct Pattern<'t> {
    text: &'t str,
    flags: Flags,
    /// PCRE2's verbs before the pattern.
    verbs: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
struct Flags {
    caseless: bool,
    multi_line: bool,
    dotall: bool,
    extended: bool,
}

/// Where a pattern matched.
pub(crate) struct Captures {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The groups up to the last that matched, the whole match being the first.
    pub(crate) groups: Vec<Option<Range<usize>>>,
}

struct Compiled {
    text: Box<str>,
    flags: Flags,
    verbs: &'static str,
    limit: u32,
    /// `None` if the text is no pattern.
    regex: Option<Rc<Regex>>,
}

thread_local! {
    static CACHE: RefCell<Vec<Compiled>> = const { RefCell::new(Vec::new()) };
}

impl<'t> Pattern<'t> {
    pub(crate) fn new(text: &'t str, options: &str) -> Pattern<'t> {
        let flags = Flags {
            caseless: options.contains('i'),
            multi_line: options.contains('m'),
            dotall: options.contains('s'),
            extended: options.contains('x'),
        };
        Pattern { text, flags, verbs: "" }
    }

    /// The pattern without empty matches.
    pub(crate) fn not_empty(self) -> Pattern<'t> {
        Pattern { verbs: "(*NOTEMPTY)", ..self }
    }

    /// The pattern without empty matches where the search begins.
    pub(crate) fn not_empty_at_start(&self) -> Pattern<'t> {
        Pattern { verbs: "(*NOTEMPTY_ATSTART)", text: self.text, flags: self.flags }
    }

    /// Whether the text is a pattern at all.
    pub(crate) fn is_pattern(&self) -> bool {
        self.compiled(LIMITS[0]).is_some()
    }

    /// Whether the pattern matches somewhere; `None` is an error.
    pub(crate) fn is_match(
        &self,
        evaluator: &Evaluator<'_>,
        text: &str,
    ) -> Result<Option<bool>, Failure> {
        self.within_limits(evaluator, text.len(), |regex| regex.is_match(text.as_bytes()))
    }

    /// The first match from a place on; the outer `None` is an error.
    pub(crate) fn captures(
        &self,
        evaluator: &Evaluator<'_>,
        text: &[u8],
        from: usize,
    ) -> Result<Option<Option<Captures>>, Failure> {
        self.within_limits(evaluator, text.len().saturating_sub(from), |regex| {
            let mut locations = regex.capture_locations();
            let found = regex.captures_read_at(&mut locations, text, from)?;
            Ok(found.map(|found| {
                let mut groups: Vec<_> = (0..locations.len())
                    .map(|group| locations.get(group).map(|(start, end)| start..end))
                    .collect();
                while groups.last().is_some_and(Option::is_none) {
                    groups.pop();
                }
                Captures { start: found.start(), end: found.end(), groups }
            }))
        })
    }

    fn within_limits<T>(
        &self,
        evaluator: &Evaluator<'_>,
        length: usize,
        search: impl Fn(&Regex) -> Result<T, pcre2::Error>,
    ) -> Result<Option<T>, Failure> {
        let starts = u32::try_from(1 + length / STARTS).unwrap_or(u32::MAX);
        let reading = u32::try_from(self.text.len() / PATTERN_BYTES).unwrap_or(u32::MAX);
        for limit in LIMITS {
            let matching = limit.min(DEAREST).saturating_mul(starts);
            evaluator.charge(matching.saturating_add(reading))?;
            let Some(regex) = self.compiled(limit) else { return Ok(None) };
            match search(&regex) {
                Ok(found) => return Ok(Some(found)),
                Err(error) if error.code() == REACHED_LIMIT => {}
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    fn compiled(&self, limit: u32) -> Option<Rc<Regex>> {
        CACHE.with_borrow_mut(|cache| {
            let known = cache.iter().find(|known| {
                known.limit == limit
                    && known.flags == self.flags
                    && known.verbs == self.verbs
                    && *known.text == *self.text
            });
            if let Some(known) = known {
                return known.regex.clone();
            }
            let regex = self.compile(limit).map(Rc::new);
            if cache.len() >= CACHE_SIZE {
                cache.remove(0);
            }
            let Pattern { text, flags, verbs } = *self;
            cache.push(Compiled { text: text.into(), flags, verbs, limit, regex: regex.clone() });
            regex
        })
    }

    fn compile(&self, limit: u32) -> Option<Regex> {
        let Pattern { text, flags, verbs } = self;
        if text.len() > PATTERN_LIMIT {
            return None;
        }
        RegexBuilder::new()
            .caseless(flags.caseless)
            .multi_line(flags.multi_line)
            .dotall(flags.dotall)
            .extended(flags.extended)
            .build(&format!("(*LIMIT_MATCH={limit})(*LIMIT_HEAP={HEAP_LIMIT}){verbs}{text}"))
            .ok()
    }
}
