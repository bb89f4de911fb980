//! One pattern and its matches, with the work of matching counted.

use std::cell::{OnceCell, RefCell};
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
    /// Compiled for the first trial.
    first: OnceCell<Option<Rc<Machine>>>,
}

/// A compiled pattern, and where it matched last.
struct Machine {
    regex: Regex,
    locations: RefCell<CaptureLocations>,
}

impl Machine {
    /// Where it matches first from a place on.
    fn search(&self, text: &[u8], from: usize) -> Result<Option<(usize, usize)>, pcre2::Error> {
        let locations = &mut self.locations.borrow_mut();
        let found = self.regex.captures_read_at(locations, text, from)?;
        Ok(found.map(|found| (found.start(), found.end())))
    }
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

/// Where a pattern matched.
pub(crate) struct Captures {
    pub(crate) start: usize,
    pub(crate) end: usize,
    machine: Rc<Machine>,
}

impl Captures {
    /// Where a group matched, if it did; the outer `None` where it is behind the last that did. The
    /// whole match is a group. Asked before the next search.
    pub(crate) fn group(&self, group: usize) -> Option<Option<Range<usize>>> {
        let locations = self.machine.locations.borrow();
        let place = |group| locations.get(group).map(|(start, end)| start..end);
        (group..locations.len()).any(|later| place(later).is_some()).then(|| place(group))
    }
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
        Pattern { text, flags, empty: Empty::All, first: OnceCell::new() }
    }

    /// The pattern without empty matches.
    pub(crate) fn not_empty(self) -> Pattern<'t> {
        Pattern { empty: Empty::None, first: OnceCell::new(), ..self }
    }

    /// The pattern without empty matches where the search begins.
    pub(crate) fn not_empty_at_start(&self) -> Pattern<'t> {
        let Pattern { text, flags, .. } = *self;
        Pattern { text, flags, empty: Empty::NotAtStart, first: OnceCell::new() }
    }

    /// Whether the text is a pattern at all.
    pub(crate) fn is_pattern(&self) -> bool {
        self.compiled(LIMITS[0]).is_some()
    }

    /// Whether the pattern matches somewhere; `None` is an error.
    pub(crate) fn is_match(&self, meter: &Meter, text: &str) -> Result<Option<bool>, Failure> {
        self.within_limits(meter, text.len(), |machine| {
            Ok(machine.search(text.as_bytes(), 0)?.is_some())
        })
    }

    /// The first match from a place on; the outer `None` is an error.
    pub(crate) fn captures(
        &self,
        meter: &Meter,
        text: &[u8],
        from: usize,
    ) -> Result<Option<Option<Captures>>, Failure> {
        self.within_limits(meter, text.len().saturating_sub(from), |machine| {
            let found = machine.search(text, from)?;
            let machine = || Rc::clone(machine);
            Ok(found.map(|(start, end)| Captures { start, end, machine: machine() }))
        })
    }

    fn within_limits<T>(
        &self,
        meter: &Meter,
        length: usize,
        search: impl Fn(&Rc<Machine>) -> Result<T, pcre2::Error>,
    ) -> Result<Option<T>, Failure> {
        let starts = u32::try_from(1 + length / STARTS).unwrap_or(u32::MAX);
        let reading = u32::try_from(self.text.len() / PATTERN_BYTES).unwrap_or(u32::MAX);
        for limit in LIMITS {
            let matching = limit.min(DEAREST).saturating_mul(starts);
            meter.charge(matching.saturating_add(reading))?;
            let Some(machine) = self.compiled(limit) else { return Ok(None) };
            match search(&machine) {
                Ok(found) => return Ok(Some(found)),
                Err(error) if REACHED_LIMIT.contains(&error.code()) => {}
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    fn compiled(&self, limit: u32) -> Option<Rc<Machine>> {
        if limit == LIMITS[0] {
            return self.first.get_or_init(|| self.known(limit)).clone();
        }
        self.known(limit)
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
