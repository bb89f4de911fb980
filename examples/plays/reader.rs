//! Reads a recorded play with checks (`docs/records/pool-checks.md`).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use classads::ClassAd;
use eventlog::{JobId, ReadOptions};
use flate2::read::MultiGzDecoder;
use holdadvise::checks::Recorded;
use holdadvise::history::{Coverage, HistoryBuilder, epoch_written};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

/// The kinds of plays, and what each is for.
pub(crate) const KINDS: [&str; 9] =
    ["measure", "choose", ONCE[0], ONCE[1], ONCE[2], ONCE[3], ONCE[4], ONCE[5], ONCE[6]];

/// Those that are opened once.
pub(crate) const ONCE: [&str; 7] =
    ["once", "once-2", "once-3", "once-4", "once-5", "once-6", "once-7"];

/// What a play is called: `pool-checks-VERSION-KIND`.
pub(crate) const PREFIX: &str = "pool-checks-";

pub(crate) type Problem = Box<dyn std::error::Error>;

/// Actions in the order of [`OverTime`].
pub(crate) const ACTIONS: [&str; 5] = ["as-is", "memory", "disk", "site", "other"];

/// One hold, and what was really wrong.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Truth {
    pub(crate) cluster: i32,
    pub(crate) proc: i32,
    pub(crate) num_holds: i64,
    pub(crate) time: i64,
    pub(crate) code: i32,
    pub(crate) subcode: i32,
    pub(crate) cause: String,
    pub(crate) transient: bool,
    pub(crate) owner: String,
    pub(crate) released: Option<i64>,
    pub(crate) outcome: Option<String>,
    pub(crate) action: Option<String>,
    /// Probability of success of the release after what was done before it.
    pub(crate) success: Option<f64>,
    /// The module of causes that it is from; none for the families of `causes.py`.
    pub(crate) module: Option<String>,
    /// Which service or flaw.
    pub(crate) which: Option<String>,
    /// `local`, `url`, `ad` or `nothing`.
    pub(crate) seen_by: String,
    /// Kind and name of what is really faulty, each a right answer.
    pub(crate) faulty: Vec<(String, String)>,
    /// What the line of the program's output that says the cause has in it.
    pub(crate) says: Option<String>,
}

impl Truth {
    pub(crate) fn job(&self) -> JobId {
        JobId::new(self.cluster, self.proc)
    }

    /// Nobody on the access point can see the cause, not in the job's ad either.
    pub(crate) fn is_invisible(&self) -> bool {
        self.seen_by == "nothing"
    }
}

/// Seconds after a look, and the probability of success of each action then ([`ACTIONS`]).
pub(crate) type OverTime = (f64, f64, f64, f64, f64, f64);

/// What the actions would bring a job that is held at a look.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct LookTruth {
    pub(crate) time: f64,
    pub(crate) cluster: i32,
    pub(crate) proc: i32,
    pub(crate) num_holds: i64,
    pub(crate) over: Vec<OverTime>,
}

impl LookTruth {
    pub(crate) fn job(&self) -> JobId {
        JobId::new(self.cluster, self.proc)
    }

    /// The probabilities at the look.
    pub(crate) fn now(&self) -> [f64; 5] {
        probabilities(&self.over[0])
    }

    /// The best of an action as is from now to the end of the play.
    pub(crate) fn best_as_is(&self) -> f64 {
        self.over.iter().map(|over| over.1).fold(0.0, f64::max)
    }

    /// The best of all actions from now to the end of the play.
    pub(crate) fn best_ever(&self) -> f64 {
        self.over.iter().flat_map(probabilities).fold(0.0, f64::max)
    }
}

pub(crate) fn probabilities(&(_, as_is, memory, disk, site, other): &OverTime) -> [f64; 5] {
    [as_is, memory, disk, site, other]
}

/// A line of looks.jsonl: what is new or has changed since the line before.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Line {
    begun: f64,
    ads_at: f64,
    ended: f64,
    held: Vec<String>,
    ads: BTreeMap<String, String>,
    time: i64,
    hosts: Vec<String>,
    answers: Vec<Value>,
    gone: Vec<(String, Value)>,
}

/// One look: all that was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// When it began, when the queue had answered, and when the checks had; Unix seconds.
    pub(crate) begun: f64,
    pub(crate) ads_at: f64,
    pub(crate) ended: f64,
    /// The ads of all held jobs, as `condor_q -long` writes them.
    pub(crate) ads: BTreeMap<JobId, String>,
    /// When the checks began, Unix seconds.
    pub(crate) time: i64,
    pub(crate) hosts: Vec<String>,
    /// Raw answers by account and question.
    pub(crate) answers: BTreeMap<(String, String), Value>,
}

impl Look {
    /// The ads of the jobs that were held.
    pub(crate) fn ads(&self) -> Result<BTreeMap<JobId, ClassAd>, Problem> {
        let ad = |text: &String| -> Result<ClassAd, Problem> {
            Ok(classads::read_ads(text.as_bytes()).next().ok_or("an empty ad")??)
        };
        self.ads.iter().map(|(id, text)| Ok((*id, ad(text)?))).collect()
    }

    /// The checks of this look, to answer from.
    pub(crate) fn recorded(&self) -> Result<Recorded, Problem> {
        let answers: Vec<&Value> = self.answers.values().collect();
        let record = serde_json::json!({
            "Time": self.time, "Hosts": self.hosts, "Answers": answers,
        });
        Ok(serde_json::from_value(record)?)
    }

    fn add(&mut self, line: Line) -> Result<(), Problem> {
        let held: Result<Vec<JobId>, Problem> = line.held.iter().map(|id| job(id)).collect();
        let held = held?;
        let mut ads: BTreeMap<JobId, String> = BTreeMap::new();
        for (id, text) in line.ads {
            ads.insert(job(&id)?, text);
        }
        for id in held {
            if let Entry::Vacant(place) = ads.entry(id) {
                let known = self.ads.get(&id).ok_or_else(|| format!("no ad of {id}"))?;
                place.insert(known.clone());
            }
        }
        for (account, question) in &line.gone {
            self.answers.remove(&(account.clone(), question.to_string()));
        }
        for answer in line.answers {
            let account = answer["Account"].as_str().ok_or("an answer without account")?;
            let key = (account.to_owned(), sorted(&answer["Question"]).to_string());
            self.answers.insert(key, answer);
        }
        (self.begun, self.ads_at, self.ended) = (line.begun, line.ads_at, line.ended);
        (self.time, self.hosts, self.ads) = (line.time, line.hosts, ads);
        Ok(())
    }
}

/// With the keys of objects in order, as the questions that are gone have them.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let ordered: BTreeMap<&String, Value> =
                map.iter().map(|(key, value)| (key, sorted(value))).collect();
            serde_json::to_value(ordered).unwrap_or_default()
        }
        other => other.clone(),
    }
}

pub(crate) fn job(id: &str) -> Result<JobId, Problem> {
    let (cluster, proc) = id.split_once('.').ok_or_else(|| format!("{id} is no job"))?;
    Ok(JobId::new(cluster.parse()?, proc.parse()?))
}

/// A recorded play.
#[derive(Debug)]
pub(crate) struct Play {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// The whole event log.
    pub(crate) log: Vec<u8>,
    pub(crate) truth: Vec<Truth>,
    /// By job and number of the hold, and the look.
    pub(crate) at_looks: HashMap<(JobId, u64), LookTruth>,
    pub(crate) looks: Vec<Look>,
    pub(crate) schedule: Value,
}

impl Play {
    pub(crate) fn read(folder: &Path) -> Result<Self, Problem> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut log = Vec::new();
        unpacked(&folder.join("EventLog.gz"))?.read_to_end(&mut log)?;
        let mut looks = Vec::new();
        let mut look = Look::default();
        for line in lines(&folder.join("looks.jsonl.gz"))? {
            look.add(serde_json::from_str(&line?)?)?;
            looks.push(look.clone());
        }
        let at_looks: Vec<LookTruth> = objects(&folder.join("looks-truth.jsonl.gz"))?;
        let at_looks =
            at_looks.into_iter().map(|one| ((one.job(), one.time.to_bits()), one)).collect();
        Ok(Self {
            name,
            log,
            truth: objects(&folder.join("truth.jsonl.gz"))?,
            at_looks,
            looks,
            schedule: serde_json::from_str(&fs::read_to_string(folder.join("schedule.json"))?)?,
            folder: folder.to_owned(),
        })
    }

    /// The file of epoch ads.
    pub(crate) fn epochs(&self) -> Result<BufReader<impl Read + use<>>, Problem> {
        Ok(BufReader::new(unpacked(&self.folder.join("epoch_history.gz"))?))
    }

    /// What logs and ads of runs showed at an instant (Unix seconds).
    pub(crate) fn history_until(&self, now: i64) -> Result<HistoryBuilder, Problem> {
        let mut history = HistoryBuilder::new();
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(log_until(&self.log, now))?;
        let options = ReadOptions::in_zone(TimeZone::UTC);
        history.read_log(file.path(), Coverage::AccessPoint, &options)?;
        history.note_epochs();
        for ad in classads::read_ads(self.epochs()?).flatten() {
            if epoch_written(&ad).is_some_and(|written| written <= now) {
                history.add_epoch(&ad);
            }
        }
        Ok(history)
    }

    /// The truth of a job that is held at a look; none where queue and log did not agree.
    pub(crate) fn at_look(&self, look: &Look, job: JobId) -> Option<&LookTruth> {
        self.at_looks.get(&(job, look.ads_at.to_bits()))
    }

    /// What is true of a hold.
    pub(crate) fn hold(&self, job: JobId, num_holds: i64) -> Option<&Truth> {
        self.truth.iter().find(|one| one.job() == job && one.num_holds == num_holds)
    }

    /// The trouble behind a hold: the cluster for a flaw, else the fault of the service.
    pub(crate) fn trouble(&self, truth: &Truth) -> String {
        let time = truth.time as f64;
        let which = truth.which.as_deref().unwrap_or_default();
        let faults = self.schedule["faults"].as_array().map_or(&[][..], Vec::as_slice);
        let fault = faults.iter().rposition(|fault| {
            fault["service"] == which
                && fault["from"].as_f64().is_some_and(|from| from <= time + 2.0)
        });
        match fault {
            Some(number) => format!("{}, fault {number}", self.name),
            None => format!("{}, cluster {}", self.name, truth.cluster),
        }
    }
}

/// The events of a log that are not later than an instant: the log is in the order of its times,
/// with `MM/DD` dates in UTC.
fn log_until(log: &[u8], now: i64) -> &[u8] {
    let Ok(now) = jiff::Timestamp::from_second(now) else { return log };
    let until = now.to_zoned(TimeZone::UTC).strftime("%m/%d %H:%M:%S").to_string();
    let mut start = 0;
    for end in memchr::memmem::find_iter(log, b"\n...\n").map(|at| at + 5) {
        // 012 (0017.000.000) 11/24 06:15:21 Job was held.
        let head = &log[start..end];
        let date = head.iter().position(|&byte| byte == b')').map(|at| &head[at + 2..]);
        if date.is_some_and(|date| date.len() > 14 && &date[..14] > until.as_bytes()) {
            return &log[..start];
        }
        start = end;
    }
    log
}

/// The folder is of a play of one of these kinds.
pub(crate) fn is_of(folder: &Path, kinds: &[&str]) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(PREFIX) && kinds.iter().any(|kind| name.ends_with(&format!("-{kind}")))
}

/// The folders of plays below `data`, by name; of the kinds asked for.
pub(crate) fn folders(data: &Path, kinds: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(data)? {
        let path = entry?.path();
        if is_of(&path, kinds) {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

fn unpacked(path: &Path) -> Result<MultiGzDecoder<File>, Problem> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(MultiGzDecoder::new(file))
}

fn lines(path: &Path) -> Result<io::Lines<BufReader<MultiGzDecoder<File>>>, Problem> {
    Ok(BufReader::new(unpacked(path)?).lines())
}

fn objects<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, Problem> {
    lines(path)?.map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}
