//! The catalogue of texts: what hold reasons, typed transfer errors and outputs of programs mean.
//!
//! Entries are data, in `catalogue/*.toml`; `docs/catalogue.md` describes their form. A site adds
//! its own. Where several fit, the most particular one wins.
//!
//! - `check`: entries against their own examples.
//! - `entry`: the form of an entry.
//! - `errno`: error numbers.
//! - `files`: files of entries.
//! - `fit`: texts that have a wording.
//! - `index`: wordings by a word that a text must have.
//! - `template`: clauses with parts that are filled in.
//! - `wording`: ways to say something.

mod check;
mod entry;
mod errno;
mod files;
mod fit;
mod index;
mod template;
mod wording;

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use classads::ClassAd;
use serde::{Serialize, Serializer};

pub use check::check;
pub use entry::{Edit, Ends, Entry, Fault, Look, Moved, Reads, Trouble, WordsKind};
pub use errno::{ErrorNumber, errno};
pub use files::{Problem, parse, sources};
pub(crate) use index::Index;
pub use template::Template;
pub use wording::Wording;

use crate::history::reason::{self, Files, Side};
use crate::memo::Memo;
use crate::text::Foreign;

/// Letters that each narrowing field counts as.
const NARROW: usize = 10;

/// Letters that a typed error counts as: its first word, and the finer one behind it.
const TYPED: [usize; 2] = [5, 40];

/// Codes of one text that are remembered. Assumed: hardly any text comes with more than one.
const CODES: usize = 8;

/// Characters of a part in a clause.
const PART: usize = 120;

/// What was made of the entries that are shipped when this was built: the index of their wordings,
/// where each begins, and the numbers of those that have something.
mod built {
    use std::borrow::Cow;

    use super::Index;

    include!(concat!(env!("OUT_DIR"), "/built.rs"));
}

/// Entries, and what finds them in a text.
#[derive(Debug)]
pub struct Catalogue {
    /// Those of a site, numbered before those that are shipped.
    own: Vec<Entry>,
    index: Index,
    /// Those that are shipped, read when they are first asked for.
    shipped: Vec<OnceLock<Box<Entry>>>,
    /// Numbers of shipped ones in whose place the site has its own.
    replaced: Vec<usize>,
    /// Numbers of those by typed errors, of those by codes alone, of those with a condition and of
    /// those for outputs.
    by_error: Vec<usize>,
    by_codes: Vec<usize>,
    conditional: Vec<usize>,
    outputs: Vec<usize>,
}

/// What is known of a hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct HoldText<'a> {
    /// HoldReasonCode.
    pub code: Option<i32>,
    /// HoldReasonSubCode.
    pub subcode: Option<i32>,
    /// HoldReason.
    pub reason: &'a str,
    /// Type of the typed transfer error that put it on hold, `ErrorType` and its detail.
    pub error: Option<(&'a str, Option<&'a str>)>,
    /// The job ad.
    pub ad: Option<&'a ClassAd>,
}

/// An entry that a text hits, with the parts that it keeps.
#[derive(Clone, Debug)]
pub struct Reading {
    entry: &'static Entry,
    parts: Arc<[(&'static str, Foreign)]>,
}

impl PartialEq for Reading {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.entry, other.entry) && self.parts == other.parts
    }
}

/// As the name of its entry.
impl Serialize for Reading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.entry.name)
    }
}

/// An entry whose wordings fit a text.
#[derive(Clone, Debug)]
struct Fit {
    entry: usize,
    letters: usize,
    parts: Arc<[(&'static str, Foreign)]>,
}

static CURRENT: OnceLock<Catalogue> = OnceLock::new();

/// The entries that are in use: those that are shipped, and those that [`install`] added.
pub fn current() -> &'static Catalogue {
    CURRENT.get_or_init(|| Catalogue::with(Vec::new()))
}

/// Uses these entries of a site too. Once a text was read in this process, nothing changes.
pub fn install(of_site: Vec<Entry>) {
    CURRENT.get_or_init(|| Catalogue::with(of_site));
}

/// What the current catalogue says of a hold.
pub fn read(hold: &HoldText<'_>) -> Option<Reading> {
    let catalogue = current();
    let known = known(hold.reason);
    let codes = (hold.code, hold.subcode);
    let fits = || known.fits.get_or_init(|| catalogue.fits(&cleaned(hold.reason)));
    let asks_ad = || {
        let when = |fit: &Fit| catalogue.entry(fit.entry).when.is_some();
        catalogue.asks_ad(hold) || fits().iter().any(when)
    };
    if hold.error.is_some() || hold.ad.is_some() && asks_ad() {
        return catalogue.choose(hold, fits());
    }
    known.of(codes).unwrap_or_else(|| {
        let reading = catalogue.choose(hold, fits());
        known.add(codes, reading.clone());
        reading
    })
}

/// Notes what was read of a hold elsewhere, where no ad decided it.
pub(crate) fn remember(hold: &HoldText<'_>, reading: Option<&Reading>) {
    let (known, codes) = (known(hold.reason), (hold.code, hold.subcode));
    let is_of_ad = reading.is_some_and(|reading| reading.entry().when.is_some());
    if !is_of_ad && known.of(codes).is_none() {
        known.add(codes, reading.cloned());
    }
}

/// What this thread knows of a text.
fn known(text: &str) -> Rc<Known> {
    thread_local!(static MEMO: Memo<Rc<Known>> = const { Memo::new() });
    MEMO.with(|memo| memo.get(text, |_| Rc::default()))
}

/// What is known of a text.
#[derive(Debug, Default)]
struct Known {
    fits: OnceCell<Vec<Fit>>,
    /// What was read of it, by codes.
    read: RefCell<Vec<(Codes, Option<Reading>)>>,
}

impl Known {
    fn of(&self, codes: Codes) -> Option<Option<Reading>> {
        self.read.borrow().iter().find(|(of, _)| *of == codes).map(|(_, reading)| reading.clone())
    }

    fn add(&self, codes: Codes, reading: Option<Reading>) {
        let mut read = self.read.borrow_mut();
        read.truncate(CODES - 1);
        read.insert(0, (codes, reading));
    }
}

/// HoldReasonCode and HoldReasonSubCode.
type Codes = (Option<i32>, Option<i32>);

impl Catalogue {
    /// These entries of a site and those that are shipped; of two with one name the one of the site.
    pub fn with(of_site: Vec<Entry>) -> Self {
        Self::of(of_site, built::BEGINS.len() - 1)
    }

    /// Of these entries.
    pub fn new(entries: Vec<Entry>) -> Self {
        Self::of(entries, 0)
    }

    /// Of these entries and so many of those that are shipped.
    fn of(own: Vec<Entry>, shipped: usize) -> Self {
        let count = own.len();
        let names: HashSet<&str> = own.iter().map(|entry| entry.name.as_str()).collect();
        let is_replaced = |at: &usize| !names.is_empty() && names.contains(files::name(*at));
        let replaced: Vec<usize> = (0..shipped).filter(is_replaced).map(|at| count + at).collect();
        let numbers = |is_so: fn(&Entry) -> bool, built: &[usize]| -> Vec<usize> {
            let built = built.iter().filter(|at| **at < shipped).map(|at| count + at);
            let built = built.filter(|number| !replaced.contains(number));
            (0..count).filter(|&number| is_so(&own[number])).chain(built).collect()
        };
        let wordings = own.iter().enumerate().flat_map(|(entry, one)| {
            one.text.iter().enumerate().map(move |(at, wording)| ([entry, at], wording))
        });
        Self {
            index: Index::of(wordings),
            by_error: numbers(|entry| !entry.error.is_empty(), &built::BY_ERROR),
            by_codes: numbers(Entry::is_by_codes, &built::BY_CODES),
            conditional: numbers(|entry| entry.when.is_some(), &built::CONDITIONAL),
            outputs: numbers(|entry| entry.kind.is_some(), &built::OUTPUTS),
            shipped: std::iter::repeat_with(OnceLock::new).take(shipped).collect(),
            replaced,
            own,
        }
    }

    fn entry(&self, number: usize) -> &Entry {
        self.own.get(number).unwrap_or_else(|| {
            let at = number - self.own.len();
            self.shipped[at].get_or_init(|| Box::new(files::shipped(at)))
        })
    }

    /// All entries, those of the site first.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let all = 0..self.own.len() + self.shipped.len();
        all.filter(|number| !self.replaced.contains(number)).map(|number| self.entry(number))
    }

    /// What it says of a hold.
    pub fn read(&'static self, hold: &HoldText<'_>) -> Option<Reading> {
        self.choose(hold, &self.fits(&cleaned(hold.reason)))
    }

    /// The entries that fit a hold, with what they count, the most particular first.
    pub fn counts(&self, hold: &HoldText<'_>) -> Vec<(&str, usize)> {
        let fits = self.fits(&cleaned(hold.reason));
        let ranked = self.ranked(hold, &fits);
        ranked.map(|(entry, counts, _)| (self.entry(entry).name.as_str(), counts)).collect()
    }

    /// Whether the ad of a job decides whether an entry by codes applies to a hold of this one.
    fn asks_ad(&self, hold: &HoldText<'_>) -> bool {
        let code = hold.code.map(|code| reason::code_of_transfer(code, hold.reason));
        let by_codes = self.by_codes.iter().map(|&number| self.entry(number));
        let mut conditional = by_codes.filter(|entry| entry.when.is_some());
        conditional.any(|entry| code.is_none_or(|code| entry.code.contains(&code)))
    }

    /// Attributes of the job ad that conditions name.
    pub fn attributes(&self) -> Vec<String> {
        let conditional = self.conditional.iter();
        let conditions = conditional.filter_map(|&number| self.entry(number).when.as_ref());
        let mut names: Vec<String> = conditions
            .flat_map(|when| when.attribute_references())
            .map(|one| one.name.to_string())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What it says of a line of a program's output.
    pub fn read_output(&'static self, line: &str) -> Option<Reading> {
        let best = self.ranked_outputs(line).into_iter().next()?;
        Some(Reading { entry: self.entry(best.entry), parts: best.parts })
    }

    /// Names of the entries for outputs that fit a line, the best first.
    pub fn outputs(&self, line: &str) -> Vec<&str> {
        let ranked = self.ranked_outputs(line).into_iter();
        ranked.map(|fit| self.entry(fit.entry).name.as_str()).collect()
    }

    /// The entries for outputs that fit a line, the best first.
    fn ranked_outputs(&self, line: &str) -> Vec<Fit> {
        let mut fits = self.fits_of(line, Reads::Output);
        fits.sort_by_key(|fit| {
            let entry = self.entry(fit.entry);
            (Reverse((entry.worth, fit.letters)), !entry.of_site)
        });
        fits
    }

    /// What lines of outputs of this kind mean, a clause.
    pub fn of_output(&'static self, kind: WordsKind) -> Option<String> {
        let mut outputs = self.outputs.iter().map(|&number| self.entry(number));
        let entry = outputs.find(|entry| entry.kind == Some(kind))?;
        Some(Reading { entry, parts: Arc::from([]) }.means())
    }

    /// The entries for hold reasons whose wordings fit a text.
    fn fits(&self, text: &str) -> Vec<Fit> {
        self.fits_of(text, Reads::Reason)
    }

    fn fits_of(&self, text: &str, reads: Reads) -> Vec<Fit> {
        let lower = text.to_ascii_lowercase();
        let mut fits: Vec<Fit> = Vec::new();
        let mut fit = |number: usize, wording: &Wording, at| {
            let letters = wording.letters();
            let known = fits.iter().position(|fit| fit.entry == number);
            if self.entry(number).reads != reads
                || known.is_some_and(|known| fits[known].letters >= letters)
            {
                return true;
            }
            let Some(parts) = wording.fit_at(text, &lower, at) else { return false };
            let parts = parts.into_iter().map(|(name, value)| {
                let value = if name == "path" { own_path(value) } else { value };
                (name, Foreign::from(value))
            });
            let fit = Fit { entry: number, letters, parts: parts.collect() };
            match known {
                Some(known) => fits[known] = fit,
                None => fits.push(fit),
            }
            true
        };
        let shipped = Some((&built::INDEX, self.own.len())).filter(|_| !self.shipped.is_empty());
        for (index, before) in [(&self.index, 0)].into_iter().chain(shipped) {
            let wording = |[entry, at]: [usize; 2]| &self.entry(before + entry).text[at];
            index.each(wording, &lower, |[entry, _], one, at| fit(before + entry, one, at));
        }
        fits.retain(|fit| {
            let unless = &self.entry(fit.entry).unless;
            !self.replaced.contains(&fit.entry)
                && !unless.iter().any(|wording| wording.is_in(text, &lower))
        });
        fits
    }

    /// The most particular of the entries that fit.
    fn choose(&'static self, hold: &HoldText<'_>, fits: &[Fit]) -> Option<Reading> {
        let (best, _, parts) = self.ranked(hold, fits).next()?;
        let reading = Reading { entry: self.entry(best), parts };
        Some(reading.with(|name| named(name, hold.reason)))
    }

    /// The entries that apply to a hold, with what they count, the most particular first.
    fn ranked(
        &self,
        hold: &HoldText<'_>,
        fits: &[Fit],
    ) -> impl Iterator<Item = (usize, usize, Arc<[(&'static str, Foreign)]>)> {
        let applies = Applies::of(hold);
        let mut ranked = Vec::new();
        for fit in fits {
            let entry = self.entry(fit.entry);
            if applies.fits(entry) {
                let typed = hold.error.map_or(0, |error| typed(entry, error));
                let counts = fit.letters + typed + NARROW * applies.narrows(entry);
                ranked.push((fit.entry, counts, Arc::clone(&fit.parts)));
            }
        }
        let by_error = self.by_error.iter().filter(|_| hold.error.is_some());
        let has_codes = hold.code.is_some() && hold.subcode.is_some();
        for &number in by_error.chain(self.by_codes.iter().filter(|_| has_codes)) {
            let entry = self.entry(number);
            let typed = hold.error.map_or(0, |error| typed(entry, error));
            let is_known = fits.iter().any(|fit| fit.entry == number);
            if (typed > 0 || entry.is_by_codes()) && !is_known && applies.fits(entry) {
                ranked.push((number, typed + NARROW * applies.narrows(entry), Arc::from([])));
            }
        }
        ranked.sort_by_key(|(number, counts, _)| {
            let entry = self.entry(*number);
            (entry.fallback, Reverse(*counts), !entry.of_site, *number)
        });
        ranked.into_iter()
    }
}

/// A path as the job knows it: the sandbox of a run is gone with it.
fn own_path(path: &str) -> &str {
    reason::in_sandbox(path).unwrap_or(path)
}

/// A name that a hold reason has, whichever its wording.
fn named(name: &str, text: &str) -> Option<String> {
    match name {
        "url" => reason::url(text),
        "path" => reason::file_name(text).map(|path| own_path(&path).to_owned()),
        // A federation is no server.
        "host" => reason::file_server(text).filter(|server| !server.contains("://")),
        "machine" => Some(reason::machine(&reason::host(text)?).to_owned()),
        _ => None,
    }
}

/// What it counts that an entry names this type, 0 where it does not: `Contact` names `Contact.Cache`
/// too, and counts less than that.
fn typed(entry: &Entry, (kind, detail): (&str, Option<&str>)) -> usize {
    let detail = detail.map_or("", |detail| detail.rsplit('.').next().unwrap_or(detail));
    let counts = entry.error.iter().map(|named| match named.split_once('.') {
        Some((named, finer)) if named == kind && finer == detail => TYPED[1],
        None if named == kind => TYPED[0],
        _ => 0,
    });
    counts.max().unwrap_or(0)
}

/// What of a hold narrows entries.
struct Applies<'a> {
    hold: HoldText<'a>,
    code: Option<i32>,
    moved: Option<Moved>,
    side: Option<Side>,
}

impl<'a> Applies<'a> {
    fn of(hold: &HoldText<'a>) -> Self {
        let code = hold.code.map(|code| reason::code_of_transfer(code, hold.reason));
        let moved = match (code, reason::files(hold.reason)) {
            (Some(36), _) => Some(Moved::Checkpoint),
            (_, Some(Files::Output)) if reason::is_checkpoint(hold.reason) => {
                Some(Moved::Checkpoint)
            }
            (Some(12), _) | (None, Some(Files::Output)) => Some(Moved::Output),
            (Some(13), _) | (None, Some(Files::Input)) => Some(Moved::Input),
            _ => None,
        };
        Self { hold: *hold, code, moved, side: reason::side(hold.reason) }
    }

    /// How many fields narrow an entry to this hold; what is not known of it narrows nothing.
    fn narrows(&self, entry: &Entry) -> usize {
        let narrow = [
            !entry.subcode.is_empty() && self.hold.subcode.is_some(),
            entry.files.is_some(),
            entry.at.is_some(),
            entry.when.is_some(),
        ];
        narrow.into_iter().filter(|narrows| *narrows).count()
    }

    fn fits(&self, entry: &Entry) -> bool {
        let among = |all: &[i32], one: Option<i32>| {
            all.is_empty() || one.is_none_or(|one| all.contains(&one))
        };
        entry.reads == Reads::Reason
            && among(&entry.code, self.code)
            && among(&entry.subcode, self.hold.subcode)
            && entry.files.is_none_or(|files| self.moved == Some(files))
            && entry.at.is_none_or(|at| self.side == Some(at))
            && entry.holds(self.hold.ad)
    }
}

impl Reading {
    /// The entry.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// With parts that its clauses name and the text does not have.
    #[must_use]
    pub fn with(self, value: impl Fn(&'static str) -> Option<String>) -> Self {
        let missing = self.entry.named().filter(|name| self.part(name).is_none());
        let more: Vec<(&'static str, Foreign)> =
            missing.filter_map(|name| Some((name, Foreign::from(value(name)?)))).collect();
        if more.is_empty() {
            return self;
        }
        let parts = self.parts.iter().cloned().chain(more).collect();
        Self { parts, ..self }
    }

    /// A part of the text.
    pub fn part(&self, name: &str) -> Option<&Foreign> {
        self.parts.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// What two holds that hit one entry have in common: names that differ are left out, but for
    /// the folder of files for which there is no room.
    pub fn join(&self, other: &Self) -> Option<Self> {
        let is_full = self.entry.look == Some(Look::Space);
        let both = |(name, value): &(&'static str, Foreign)| {
            let both = match other.part(name)? {
                other if value == other => value.clone(),
                other if is_full => value.folder_with(other)?,
                _ => return None,
            };
            Some((*name, both))
        };
        let parts = self.parts.iter().filter_map(both).collect();
        std::ptr::eq(self.entry, other.entry).then_some(Self { parts, ..*self })
    }

    /// What it means, a clause with its parts.
    pub fn means(&self) -> String {
        self.filled(&self.entry.means)
    }

    /// What to do, likewise.
    pub fn remedy(&self) -> Option<String> {
        self.entry.remedy.as_ref().map(|remedy| self.filled(remedy))
    }

    fn filled(&self, template: &Template) -> String {
        template.fill(|name| Some(self.part(name)?.named(PART)))
    }
}

/// A reason without what HTCondor appends that is no cause: plug-ins that are not installed, and the
/// exit status of a plug-in beside its own message.
pub fn cleaned(text: &str) -> String {
    let text = reason::canonical(text);
    let is_extra = |piece: &str| {
        let piece = piece.trim();
        piece.is_empty()
            || piece.starts_with("FILETRANSFER:") && piece.ends_with("skipping")
            || piece.contains("FILETRANSFER:1:non-zero exit (")
            || piece.contains("did not produce valid response; missing Transfer")
    };
    let kept: Vec<&str> = text.split('|').filter(|piece| !is_extra(piece)).collect();
    match kept.iter().all(|piece| piece.trim().is_empty()) {
        true => text.into_owned(),
        false => kept.join("|"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::history::reason::MAX_REASON;
    use crate::text::processor_seconds;

    /// A file of entries with these wordings and clause.
    fn file(wordings: &[String], means: &str) -> String {
        let entry = |(number, text): (usize, &String)| {
            format!(
                "[e-{number}]\ntext = [{text:?}]\nmeans = {means:?}\nfault = {{ chance = 1 }}\n\
                 ends = \"time\"\nsource = \"x\"\nexamples = [\"x\"]\n"
            )
        };
        wordings.iter().enumerate().map(entry).collect()
    }

    proptest! {
        #[test]
        fn what_is_read_by_hostile_entries_is_bounded(
            wordings in prop::collection::vec(r"((aba|bab|é)? ?(\*|\{(url|path|word|rest)\})?){1,4}", 1..8),
            means in r"[a-z ]{1,12}(\[?\{(url|path|rest|word)\}\]){0,1}(\{(path|rest|word)\}){0,3}",
            text in "((aba|bab|ab|é|a://b/é|/a)[ .|]?){0,60}",
            times in 1..200_usize,
            noise in "\\PC{0,40}|(\\[[a-z]*\\]?\n|text = .{0,9}\n){0,4}",
        ) {
            parse("noise", &noise);
            let (entries, problems) = parse("x", &file(&wordings, &means));
            prop_assert_eq!(entries.len() + problems.len(), wordings.len());
            let catalogue: &'static Catalogue = Box::leak(Box::new(Catalogue::new(entries)));
            let text = text.repeat(times);
            let hold = HoldText { reason: &text, ..HoldText::default() };
            if let Some(reading) = catalogue.read(&hold) {
                prop_assert!(reading.means().len() < 4_096, "{}", reading.means());
                for (_, part) in reading.parts.iter() {
                    prop_assert!(part.as_given().len() <= MAX_REASON);
                }
            }
        }
    }

    #[test]
    fn a_text_full_of_wordings_takes_little_time() {
        let wordings: Vec<String> = (3..60)
            .flat_map(|at| [format!("{} {{word}}*b", "a".repeat(at)), format!("aaa*{at} aaa")])
            .collect();
        let (entries, problems) = parse("x", &file(&wordings, "x"));
        assert_eq!(problems, []);
        let of_site: &'static Catalogue = Box::leak(Box::new(Catalogue::with(entries)));
        let wordings = of_site.entries().flat_map(|entry| &entry.text);
        let all: String = wordings.map(|wording| format!("{} ", wording.source())).collect();
        for text in ["a".repeat(MAX_REASON), "aaa ".repeat(MAX_REASON / 4), all] {
            let text = &text[..text.len().min(MAX_REASON)];
            let started = processor_seconds();
            of_site.read(&HoldText { reason: text, ..HoldText::default() });
            let taken = processor_seconds() - started;
            // Forty times what it takes.
            assert!(taken < 5.0, "{taken}");
        }
    }
}
