//! One pattern and its matches, with the work of matching counted.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use pcre2::bytes::{CaptureLocations, Regex, RegexBuilder};

use crate::eval::Failure;
use crate::eval::meter::Meter;

/// Steps of matching from one start: little suffices nearly always, the most is PCRE2's own limit.
/// What needs more is tried again with the next. The first trial runs as machine code, which counts
/// fewer steps, and has little memory.
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
/// PCRE2's error numbers for a match that reached its limit of steps, or of the memory of machine
/// code (`PCRE2_ERROR_MATCHLIMIT`, `PCRE2_ERROR_JIT_STACKLIMIT`, pcre2.h).
const REACHED_LIMIT: [i32; 2] = [-47, -46];
/// Patterns are compiled once and kept while there are not too many.
const CACHE_SIZE: usize = 64;
/// Bytes a pattern may be long: longer ones are an error.
const PATTERN_LIMIT: usize = 64 * 1024;

/// A pattern with the options of ClassAd functions, of which `imsx` count here.
pub(crate) struct Pattern<'t> {
    text: &'t str,
    flags: Flags,
    empty: Empty,
    /// Compiled for the last trial, and its limit.
    used: Option<(u32, Option<Rc<Machine>>)>,
}

/// A compiled pattern, and where it matched last.
struct Machine {
    regex: Regex,
    locations: RefCell<CaptureLocations>,
}

#[derive(Clone, Copy, PartialEq)]
struct Flags {
    caseless: bool,
    multi_line: bool,
    dotall: bool,
    extended: bool,
}

/// Which empty matches count.
#[derive(Clone, Copy, PartialEq)]
enum Empty {
    All,
    None,
    NotAtStart,
}

struct Compiled {
    text: Box<str>,
    flags: Flags,
    empty: Empty,
    limit: u32,
    /// `None` if the text is no pattern.
    machine: Option<Rc<Machine>>,
}

thread_local! {
    /// The last used comes first.
    static CACHE: RefCell<Vec<Compiled>> = const { RefCell::new(Vec::new()) };
}

impl<'t> Pattern<'t> {
    pub(crate) fn new(text: &'t str, options: &str) -> Pattern<'t> {
        let has = |option: u8| options.bytes().any(|byte| byte == option);
        let flags = Flags {
            caseless: has(b'i'),
            multi_line: has(b'm'),
            dotall: has(b's'),
            extended: has(b'x'),
        };
        Pattern { text, flags, empty: Empty::All, used: None }
    }

    /// The pattern without empty matches.
    pub(crate) fn not_empty(self) -> Pattern<'t> {
        Pattern { empty: Empty::None, used: None, ..self }
    }

    /// The pattern without empty matches where the search begins.
    pub(crate) fn not_empty_at_start(&self) -> Pattern<'t> {
        let Pattern { text, flags, .. } = *self;
        Pattern { text, flags, empty: Empty::NotAtStart, used: None }
    }

    /// Whether the text is a pattern at all.
    pub(crate) fn is_pattern(&mut self) -> bool {
        self.compiled(LIMITS[0]).is_some()
    }

    /// Whether the pattern matches from a place on; `None` is an error.
    pub(crate) fn is_match(
        &mut self,
        meter: &Meter,
        text: &[u8],
        from: usize,
    ) -> Result<Option<bool>, Failure> {
        let length = text.len().saturating_sub(from);
        let starts = u32::try_from(1 + length / STARTS).unwrap_or(u32::MAX);
        let reading = u32::try_from(self.text.len() / PATTERN_BYTES).unwrap_or(u32::MAX);
        for limit in LIMITS {
            let matching = limit.min(DEAREST).saturating_mul(starts);
            meter.charge(matching.saturating_add(reading))?;
            let Some(machine) = self.compiled(limit) else { return Ok(None) };
            let locations = &mut machine.locations.borrow_mut();
            match machine.regex.captures_read_at(locations, text, from) {
                Ok(found) => return Ok(Some(found.is_some())),
                Err(error) if REACHED_LIMIT.contains(&error.code()) => {}
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Where a group of the match that was found last matched, if it did; the outer `None` where it
    /// is behind the last that did. The whole match is group 0.
    pub(crate) fn group(&self, group: usize) -> Option<Option<Range<usize>>> {
        let locations = self.used.as_ref()?.1.as_ref()?.locations.borrow();
        let place = |group| locations.get(group).map(|(start, end)| start..end);
        (group..locations.len()).any(|later| place(later).is_some()).then(|| place(group))
    }

    fn compiled(&mut self, limit: u32) -> Option<&Machine> {
        if self.used.as_ref().is_none_or(|(used, _)| *used != limit) {
            self.used = Some((limit, self.known(limit)));
        }
        self.used.as_ref()?.1.as_deref()
    }

    /// The compiled pattern, kept for the next time.
    fn known(&self, limit: u32) -> Option<Rc<Machine>> {
        CACHE.with_borrow_mut(|cache| {
            let known = cache.iter().position(|known| {
                known.limit == limit
                    && known.flags == self.flags
                    && known.empty == self.empty
                    && *known.text == *self.text
            });
            match known {
                Some(0) => {}
                Some(at) => cache[..=at].rotate_right(1),
                None => {
                    let machine = self.compile(limit).map(|regex| {
                        let locations = RefCell::new(regex.capture_locations());
                        Rc::new(Machine { regex, locations })
                    });
                    let Pattern { text, flags, empty, .. } = *self;
                    cache.truncate(CACHE_SIZE - 1);
                    cache.insert(0, Compiled { text: text.into(), flags, empty, limit, machine });
                }
            }
            cache.first()?.machine.clone()
        })
    }

    fn compile(&self, limit: u32) -> Option<Regex> {
        let Pattern { text, flags, .. } = self;
        if text.len() > PATTERN_LIMIT {
            return None;
        }
        let verbs = match self.empty {
            Empty::All => "",
            Empty::None => "(*NOTEMPTY)",
            Empty::NotAtStart => "(*NOTEMPTY_ATSTART)",
        };
        RegexBuilder::new()
            .jit_if_available(limit == LIMITS[0])
            .caseless(flags.caseless)
            .multi_line(flags.multi_line)
            .dotall(flags.dotall)
            .extended(flags.extended)
            .build(&format!("(*LIMIT_MATCH={limit})(*LIMIT_HEAP={HEAP_LIMIT}){verbs}{text}"))
            .ok()
    }
}
