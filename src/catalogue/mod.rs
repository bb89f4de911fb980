//! The catalogue of texts: what hold reasons, typed transfer errors and outputs of programs mean.
//!
//! Entries are data, in `catalogue/*.toml`; `docs/catalogue.md` describes their form. A site adds
//! its own. Where several fit, the most particular one wins.
//!
//! - `check`: entries against their own examples.
//! - `entry`: the form of an entry.
//! - `errno`: error numbers.
//! - `files`: files of entries, and where a site has its own.
//! - `template`: clauses with parts that are filled in.
//! - `wording`: ways to say something.

mod check;
mod entry;
mod errno;
mod files;
mod template;
mod wording;

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use aho_corasick::AhoCorasick;
use classads::ClassAd;
use serde::{Serialize, Serializer};

pub use check::check;
pub use entry::{Edit, Ends, Entry, Fault, Look, Moved, Reads, Trouble, WordsKind};
pub use errno::{ErrorNumber, errno};
pub use files::{Problem, parse};
pub use template::Template;
pub use wording::Wording;

use crate::history::reason::{self, Files, Side};
use crate::memo::Memo;
use crate::text::Foreign;

/// Letters that each narrowing field counts as.
const NARROW: usize = 10;

/// Letters that a typed error counts as: its first word, and the finer one behind it.
const TYPED: [usize; 2] = [5, 40];

/// Characters of a part in a clause.
const PART: usize = 120;

/// The files that are shipped.
const SHIPPED: [(&str, &str); 11] = [
    ("container.toml", include_str!("../../catalogue/container.toml")),
    ("credential.toml", include_str!("../../catalogue/credential.toml")),
    ("curl.toml", include_str!("../../catalogue/curl.toml")),
    ("file.toml", include_str!("../../catalogue/file.toml")),
    ("grid.toml", include_str!("../../catalogue/grid.toml")),
    ("output.toml", include_str!("../../catalogue/output.toml")),
    ("pelican.toml", include_str!("../../catalogue/pelican.toml")),
    ("person.toml", include_str!("../../catalogue/person.toml")),
    ("policy.toml", include_str!("../../catalogue/policy.toml")),
    ("start.toml", include_str!("../../catalogue/start.toml")),
    ("transfer.toml", include_str!("../../catalogue/transfer.toml")),
];

/// Entries, and what finds them in a text.
#[derive(Debug)]
pub struct Catalogue {
    entries: Vec<Entry>,
    /// Anchors of wordings.
    anchors: AhoCorasick,
    /// Of each anchor the wordings that have it: entry and number.
    wordings: Vec<Vec<(usize, usize)>>,
    /// Entries without wordings, by codes or typed errors.
    others: Vec<usize>,
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
    CURRENT.get_or_init(|| Catalogue::in_use(Vec::new()))
}

/// Uses these entries of a site too. Once a text was read in this process, nothing changes.
pub fn install(of_site: Vec<Entry>) {
    CURRENT.get_or_init(|| Catalogue::in_use(of_site));
}

/// What the current catalogue says of a hold.
pub fn read(hold: &HoldText<'_>) -> Option<Reading> {
    thread_local!(static MEMO: Memo<Rc<Known>> = const { Memo::new() });
    let catalogue = current();
    let known = MEMO.with(|memo| {
        memo.get(hold.reason, |text| {
            let fits = catalogue.fits(&cleaned(text));
            let asks_ad = fits.iter().any(|fit| catalogue.entries[fit.entry].when.is_some());
            Rc::new(Known { fits, asks_ad, read: RefCell::default() })
        })
    });
    if hold.error.is_some() || hold.ad.is_some() && known.asks_ad {
        return catalogue.choose(hold, &known.fits);
    }
    let codes = (hold.code, hold.subcode);
    let read = || known.read.borrow().iter().find(|(of, _)| *of == codes).map(|(_, is)| is.clone());
    read().unwrap_or_else(|| {
        let reading = catalogue.choose(hold, &known.fits);
        known.read.borrow_mut().push((codes, reading.clone()));
        reading
    })
}

/// What is known of a text.
#[derive(Debug)]
struct Known {
    fits: Vec<Fit>,
    /// The ad of the job decides among these.
    asks_ad: bool,
    /// What was read of it, by codes.
    read: RefCell<Vec<(Codes, Option<Reading>)>>,
}

/// HoldReasonCode and HoldReasonSubCode.
type Codes = (Option<i32>, Option<i32>);

impl Catalogue {
    /// The entries that are shipped.
    pub fn shipped() -> Self {
        Self::with(Vec::new())
    }

    /// These and those that are shipped; of two with one name the one of the site.
    pub fn with(of_site: Vec<Entry>) -> Self {
        Self::beside(of_site, |file, text| files::read(file, text).0)
    }

    /// The same without examples.
    fn in_use(of_site: Vec<Entry>) -> Self {
        Self::beside(of_site, |file, text| files::read(file, &files::without_examples(text)).0)
    }

    fn beside(of_site: Vec<Entry>, read: impl Fn(&str, &str) -> Vec<Entry>) -> Self {
        let shipped = SHIPPED.iter().flat_map(|(file, text)| read(file, text));
        let is_new = |entry: &Entry| of_site.iter().all(|known| known.name != entry.name);
        let shipped: Vec<Entry> = shipped.filter(is_new).collect();
        Self::new(of_site.into_iter().chain(shipped).collect())
    }

    /// Of these entries.
    pub fn new(entries: Vec<Entry>) -> Self {
        let mut anchors: Vec<&str> = Vec::new();
        let mut wordings: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut known = HashMap::new();
        for (number, entry) in entries.iter().enumerate() {
            for (at, wording) in entry.text.iter().enumerate() {
                let anchor = wording.anchor();
                let place = *known.entry(anchor).or_insert_with(|| {
                    anchors.push(anchor);
                    wordings.push(Vec::new());
                    anchors.len() - 1
                });
                wordings[place].push((number, at));
            }
        }
        // Only anchors that are too many for a machine of this size fail.
        let anchors = AhoCorasick::new(&anchors).unwrap_or_else(|_| empty());
        let others = (0..entries.len())
            .filter(|&number| entries[number].text.is_empty() || !entries[number].error.is_empty());
        Self { others: others.collect(), anchors, wordings, entries }
    }

    /// All entries, those of the site first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What it says of a hold.
    pub fn read(&'static self, hold: &HoldText<'_>) -> Option<Reading> {
        self.choose(hold, &self.fits(&cleaned(hold.reason)))
    }

    /// The entries that fit a hold, with what they count, the most particular first.
    pub fn counts(&self, hold: &HoldText<'_>) -> Vec<(&str, usize)> {
        let fits = self.fits(&cleaned(hold.reason));
        let ranked = self.ranked(hold, &fits);
        ranked.map(|(entry, counts, _)| (self.entries[entry].name.as_str(), counts)).collect()
    }

    /// Attributes of the job ad that conditions name.
    pub fn attributes(&self) -> Vec<String> {
        let conditions = self.entries.iter().filter_map(|entry| entry.when.as_ref());
        let mut names: Vec<String> = conditions
            .flat_map(|when| when.attribute_references())
            .map(|one| one.name.to_string())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What it says of a line of a program's output.
    pub fn read_output(&self, line: &str) -> Option<&Entry> {
        let (best, _) = *self.ranked_outputs(line).first()?;
        Some(&self.entries[best])
    }

    /// The entries for outputs that fit a line, with worth and letters, the best first.
    fn ranked_outputs(&self, line: &str) -> Vec<(usize, (Option<i32>, usize))> {
        let fits = self.fits_of(line, Reads::Output);
        let counts = |fit: &Fit| (self.entries[fit.entry].worth, fit.letters);
        let mut ranked: Vec<_> = fits.iter().map(|fit| (fit.entry, counts(fit))).collect();
        ranked.sort_by_key(|(entry, counts)| (Reverse(*counts), !self.entries[*entry].of_site));
        ranked
    }

    /// What lines of outputs of this kind mean, a clause.
    pub fn of_output(&self, kind: WordsKind) -> Option<&str> {
        let entry = self.entries.iter().find(|entry| entry.kind == Some(kind))?;
        Some(entry.means.source())
    }

    /// The entries for hold reasons whose wordings fit a text.
    fn fits(&self, text: &str) -> Vec<Fit> {
        self.fits_of(text, Reads::Reason)
    }

    fn fits_of(&self, text: &str, reads: Reads) -> Vec<Fit> {
        let lower = text.to_ascii_lowercase();
        let mut seen = vec![false; self.wordings.len()];
        let mut fits: Vec<Fit> = Vec::new();
        for found in self.anchors.find_overlapping_iter(&lower) {
            let anchor = found.pattern().as_usize();
            if std::mem::replace(&mut seen[anchor], true) {
                continue;
            }
            for &(number, at) in &self.wordings[anchor] {
                let entry = &self.entries[number];
                let letters = entry.text[at].letters();
                let known = fits.iter().position(|fit| fit.entry == number);
                if entry.reads != reads || known.is_some_and(|known| fits[known].letters >= letters)
                {
                    continue;
                }
                let Some(parts) = entry.text[at].fit(text, &lower) else { continue };
                let parts = parts.into_iter().map(|(name, value)| {
                    let value = if name == "path" { own_path(value) } else { value };
                    (name, Foreign::from(value))
                });
                let fit = Fit { entry: number, letters, parts: parts.collect() };
                match known {
                    Some(known) => fits[known] = fit,
                    None => fits.push(fit),
                }
            }
        }
        fits.retain(|fit| {
            let unless = &self.entries[fit.entry].unless;
            !unless.iter().any(|wording| wording.fit(text, &lower).is_some())
        });
        fits
    }

    /// The most particular of the entries that fit.
    fn choose(&'static self, hold: &HoldText<'_>, fits: &[Fit]) -> Option<Reading> {
        let (best, _, parts) = self.ranked(hold, fits).next()?;
        let reading = Reading { entry: &self.entries[best], parts };
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
            let entry = &self.entries[fit.entry];
            if applies.fits(entry) {
                let typed = hold.error.map_or(0, |error| typed(entry, error));
                let counts = fit.letters + typed + NARROW * applies.narrows(entry);
                ranked.push((fit.entry, counts, Arc::clone(&fit.parts)));
            }
        }
        for &number in &self.others {
            let entry = &self.entries[number];
            let typed = hold.error.map_or(0, |error| typed(entry, error));
            let by_codes = entry.text.is_empty() && entry.error.is_empty();
            let is_known = fits.iter().any(|fit| fit.entry == number);
            if (typed > 0 || by_codes) && !is_known && applies.fits(entry) {
                ranked.push((number, typed + NARROW * applies.narrows(entry), Arc::from([])));
            }
        }
        ranked.sort_by_key(|(number, counts, _)| {
            let entry = &self.entries[*number];
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

fn empty() -> AhoCorasick {
    let none: [&str; 0] = [];
    AhoCorasick::new(none).unwrap_or_else(|_| unreachable!("no pattern is too many"))
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
        let missing = self.entry.named.iter().filter(|name| self.part(name).is_none());
        let more: Vec<(&'static str, Foreign)> =
            missing.filter_map(|name| Some((*name, Foreign::from(value(name)?)))).collect();
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

    /// What two holds that hit one entry have in common: names that differ are left out.
    pub fn join(&self, other: &Self) -> Option<Self> {
        let same = |(name, value): &&(&'static str, Foreign)| other.part(name) == Some(value);
        let parts = self.parts.iter().filter(same).cloned().collect();
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
    fn a_text_full_of_anchors_takes_little_time() {
        let wordings: Vec<String> = (3..60)
            .flat_map(|at| [format!("{} {{word}}*b", "a".repeat(at)), format!("aaa*{at} aaa")])
            .collect();
        let (entries, problems) = parse("x", &file(&wordings, "x"));
        assert_eq!(problems, []);
        let of_site: &'static Catalogue = Box::leak(Box::new(Catalogue::with(entries)));
        let anchors = of_site.entries.iter().flat_map(|entry| &entry.text);
        let all: String = anchors.map(|wording| format!("{} ", wording.anchor())).collect();
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
