//! Typed errors of file transfers on recorded plays: how many holds have one, that they agree with
//! the hold reason, and what they do to the advice.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;

use classads::ClassAd;
use eventlog::{JobId, ReadOptions};
use flate2::read::MultiGzDecoder;
use holdadvise::advice::job_facts::JobFacts;
use holdadvise::advice::{
    Advice, Advisor, ByItself, ChangeKind, Evidence, FailedTransfer, Held, Trouble,
};
use holdadvise::catalogue::{self, HoldText};
use holdadvise::history::{
    Action, Coverage, Episode, ErrorType, HistoryBuilder, HoldInQueue, NotedActions, Outcome,
    epoch_class, epoch_written, reason,
};
use holdadvise::model::Model;
use jiff::tz::TimeZone;

/// What the plug-in of curl says in a hold reason.
const COMPLAINTS: [&str; 5] = [
    "Could not connect to server",
    "Failed to connect",
    "returned error: 403",
    "returned error: 404",
    "returned error: 503",
];

/// A recorded play: its event log, its epoch ads, and which of them are of runs of a job.
struct Play {
    log: String,
    ads: Vec<ClassAd>,
    runs: HashMap<JobId, Vec<(i64, usize)>>,
}

fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut all = Vec::new();
    MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut all).unwrap();
    all
}

fn is_of_transfer(ad: &ClassAd) -> bool {
    matches!(epoch_class(ad).as_deref(), Some("INPUT" | "OUTPUT" | "CHECKPOINT"))
}

impl Play {
    fn open(name: &str) -> Self {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let ads = unpacked(&data.join("epoch_history.gz"));
        let ads = classads::read_ads(BufReader::new(ads.as_slice())).map(Result::unwrap);
        let log = String::from_utf8(unpacked(&data.join("EventLog.gz"))).unwrap();
        let ads: Vec<ClassAd> = ads.collect();
        let mut runs: HashMap<JobId, Vec<(i64, usize)>> = HashMap::new();
        for (at, ad) in ads.iter().enumerate() {
            if epoch_class(ad).is_none_or(|class| class == "EPOCH")
                && let Some((job, written)) = JobId::of_ad(ad).zip(epoch_written(ad))
            {
                runs.entry(job).or_default().push((written, at));
            }
        }
        Self { log, ads, runs }
    }

    /// With hold reasons in which no complaint is known.
    fn without_words(mut self) -> Self {
        for complaint in COMPLAINTS {
            self.log = self.log.replace(complaint, "did not work");
        }
        self
    }

    /// The holds for files from URLs that were released, each with the advice of a second before,
    /// with ads of transfers and without.
    fn advices(&self) -> Vec<(Episode, Advice, Advice)> {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        fs::write(&log, &self.log).unwrap();
        let model = Model::builtin_default().unwrap();
        let advisor = |transfers: bool| {
            let mut history = HistoryBuilder::new();
            history.note_epochs();
            for ad in self.ads.iter().filter(|ad| transfers || !is_of_transfer(ad)) {
                history.add_epoch(ad);
            }
            let options = ReadOptions::in_zone(TimeZone::UTC);
            history.read_log(&log, Coverage::AccessPoint, &options).unwrap();
            Advisor::new(history.build(), &model).unwrap()
        };
        let (with, without) = (advisor(true), advisor(false));
        let holds = with.history().episodes(i64::MAX, &NotedActions::default()).into_iter();
        let of_url = |hold: &Episode| {
            matches!(hold.identity.code, 12 | 13)
                && hold.released_at.is_some()
                && hold.reason.as_deref().and_then(reason::url).is_some()
        };
        let judged = holds.filter(of_url).map(|hold| {
            let now = (hold.released_at.unwrap() - 1).max(hold.held_at);
            let held = self.held(&hold, now);
            let advise = |advisor: &Advisor<'_>| advisor.advise(&held, now).unwrap().unwrap();
            let (with, without) = (advise(&with), advise(&without));
            (hold, with, without)
        });
        judged.collect()
    }

    fn held(&self, hold: &Episode, now: i64) -> Held {
        let job = hold.identity.job;
        let runs = self.runs.get(&job).into_iter().flatten().rev();
        let last = runs.filter(|(written, _)| *written <= now).map(|(_, at)| &self.ads[*at]).next();
        let facts = last.map_or_else(|| JobFacts::of(job), |ad| JobFacts::of_ad(job, ad));
        let in_queue = HoldInQueue {
            entered_current_status: hold.held_at,
            num_holds: Some(hold.identity.num_holds),
            code: hold.identity.code,
            subcode: hold.identity.subcode,
            reason: hold.reason.clone(),
        };
        Held { in_queue: Some(in_queue), facts, by_itself: ByItself::Nothing, ..Held::of_log(job) }
    }
}

fn reported(advice: &Advice) -> Option<&FailedTransfer> {
    advice.evidence.iter().find_map(|seen| match seen {
        Evidence::TransferError { transfer } => Some(&**transfer),
        _ => None,
    })
}

/// The advice but for what was reported.
fn but_for_report(mut advice: Advice) -> Advice {
    advice.evidence.retain(|seen| !matches!(seen, Evidence::TransferError { .. }));
    advice
}

/// By type of error and what came of the release (failures, successes): what is advised where the
/// hold reason has no words, where the error is read besides, and where the reason has its words.
fn table(judged: &[(Episode, Advice, Advice)], worded: &[(Episode, Advice, Advice)]) {
    let mut all: BTreeMap<String, [u32; 2]> = BTreeMap::new();
    for ((hold, with, without), (other, _, worded)) in judged.iter().zip(worded) {
        assert_eq!(hold.identity, other.identity);
        let success = match hold.outcome {
            Some(Outcome::Success) => 1,
            Some(Outcome::Failure) => 0,
            _ => continue,
        };
        let kind = reported(with).and_then(|failed| failed.error.error_type);
        let [without, with, worded] = [without, with, worded].map(|one| one.recommendation.name());
        let what = format!("{kind:?}: {without} -> {with}; by the words {worded}");
        all.entry(what).or_default()[success] += 1;
    }
    println!("[failed, succeeded]");
    all.iter().for_each(|(what, counts)| println!("{counts:?} {what}"));
}

#[test]
fn errors_and_hold_reasons_agree_on_a_recorded_play() {
    let worded = Play::open("pool-faults-25.14").advices();
    let mut types: BTreeMap<(Option<ErrorType>, Option<Trouble>), u32> = BTreeMap::new();
    for (hold, with, before) in &worded {
        let text = hold.reason.as_deref().unwrap();
        let failed = reported(with).unwrap_or_else(|| panic!("{:?}: nothing", hold.identity));
        let read =
            HoldText { code: Some(13), subcode: Some(256), reason: text, ..HoldText::default() };
        let of_text = catalogue::read(&read).and_then(|reading| reading.entry().trouble());
        assert_eq!(failed.trouble, of_text, "{text}: {failed:?}");
        assert!(!failed.decides);
        assert_eq!(failed.error.url, reason::url(text));
        *types.entry((failed.error.error_type, failed.trouble)).or_default() += 1;
        // Where the hold reason says as much, the advice is the one it was.
        assert_eq!(&but_for_report(with.clone()), before, "{:?}", hold.identity);
    }
    println!("{} holds by URL: {types:?}", worded.len());
    for (kind, trouble) in [
        (Some(ErrorType::Contact), Trouble::Away),
        (Some(ErrorType::Authorization), Trouble::Denied),
        (Some(ErrorType::Specification), Trouble::Missing),
        // HTTP 503 has no type.
        (None, Trouble::Away),
    ] {
        assert!(types[&(kind, Some(trouble))] >= 50, "{kind:?}");
    }
    assert_eq!(types.len(), 4);
    errors_say_what_words_would(&worded);
}

/// Where the hold reason has none of the words that are known, the error says what it is about.
fn errors_say_what_words_would(worded: &[(Episode, Advice, Advice)]) {
    let judged = Play::open("pool-faults-25.14").without_words().advices();
    table(&judged, worded);
    let mut agree = [0; 2];
    for ((hold, with, without), (_, _, by_words)) in judged.iter().zip(worded) {
        let failed = reported(with).unwrap_or_else(|| panic!("{:?}: nothing", hold.identity));
        assert!(failed.decides, "{failed:?}");
        let correction = |advice: &Advice| match advice.change.as_ref().map(|change| &change.what) {
            Some(ChangeKind::Correct { what, name, .. }) => Some((*what, name.clone())),
            _ => None,
        };
        for (agree, advice) in agree.iter_mut().zip([without, with]) {
            let same = advice.recommendation == by_words.recommendation
                && correction(advice) == correction(by_words);
            *agree += usize::from(same);
        }
        // A server that is away is nothing to correct in a URL.
        if failed.trouble == Some(Trouble::Away) {
            assert_ne!(with.action, Some(Action::Other), "{failed:?}");
        }
    }
    println!("as by the words: {agree:?} of {}", judged.len());
    assert!(agree[1] > agree[0] && agree[1] * 20 >= judged.len() * 17, "{agree:?}");
}

#[test]
fn plays_of_older_versions_have_no_typed_errors() {
    for (_, with, without) in Play::open("pool-faults-23.9").advices() {
        assert_eq!(reported(&with), None);
        assert_eq!(with, without);
    }
}
