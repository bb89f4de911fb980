//! The shards of a sweep's data: pieces of preparing it that run by themselves, one for each log
//! and each simulation.
//!
//! The logs of an access point share out its time: the shard of a log has the holds from its first
//! event until the first event of the next one. To make their rows it reads more than its own log:
//! those before it as far as `lookback` reaches, for what had happened by then, and those after it,
//! for what came of the holds. Each hold is in exactly one shard, and where all logs are read its
//! rows are those of one run over all of them ([`crate::data::merge`]).
//!
//! Of each log the beginning and the end are read, no more (`peek`).

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::{AccessPoint, Data, Setting};
use crate::Error;
use crate::data::companions::FIRST;
use crate::data::input::{self, plain_or_packed, unread};
use crate::data::peek::{Peek, peek};

/// A piece of the data that is prepared by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    /// `--access-point` of it.
    pub access_point: i32,
    /// Job event logs, in the order they were begun: its own, and those that are read around it.
    pub logs: Vec<ShardFile>,
    /// They are users' logs.
    pub userlogs: bool,
    /// Files of epoch ads.
    pub epochs: Vec<ShardFile>,
    /// Journals of actions.
    pub journal: Vec<ShardFile>,
    /// The folder of a simulation, in place of all these.
    pub simulation: Option<ShardFile>,
    /// So many companions, in place of all these.
    pub companions: usize,
    /// Zone of the logs.
    pub time_zone: Option<String>,
    /// H, hours.
    pub horizon: u32,
    /// What the rows are of, the same for all shards.
    pub origin: String,
    /// The rows are real outcomes, the same for all shards.
    pub real: bool,
    /// Only holds from this instant on, Unix seconds; `None`: from the beginning.
    pub from: Option<i64>,
    /// Only holds before this instant, Unix seconds; `None`: to the end.
    pub until: Option<i64>,
    /// Bytes of all its files, as they are transferred.
    pub bytes: u64,
    /// Bytes of its logs once they are unpacked.
    pub unpacked: u64,
}

/// A file, or the folder of a simulation, that a shard reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShardFile {
    /// Where it is, absolute.
    pub path: PathBuf,
    /// Its name where the shard is prepared. HTCondor transfers files by the last part of their
    /// path into one folder, and its list of them has commas: a file whose name is not unique
    /// there, or whose path cannot be listed, gets another.
    pub name: String,
}

/// The shards of the data, those of logs by access point and time, then those of simulations.
///
/// # Errors
/// When something cannot be read or there is nothing to read.
pub fn shards(data: &Data) -> Result<Vec<Shard>, String> {
    if data.access_points.is_empty() && data.simulations.is_empty() {
        return Err("no logs and no simulations: name job event logs of access points, or folders that `simulate` wrote".into());
    }
    if let (Some(from), Some(until)) = (data.from, data.until)
        && from >= until
    {
        return Err(format!("from {from} must lie before until {until}"));
    }
    let mut planner = Planner { data, given: 0, seen: HashSet::new(), shards: Vec::new() };
    for (number, access_point) in data.access_points.iter().enumerate() {
        planner.add_logs(number, access_point)?;
    }
    // As in one run of `tensors` over all of it: logs are access point 0, simulations are numbered
    // from 1 on.
    let before = data.access_points.len().max(1) - 1;
    for (number, folder) in data.simulations.iter().enumerate() {
        planner.add_simulation(before + number, folder)?;
    }
    if data.simulate > 0 {
        let (companions, real) = (data.simulate, false);
        let companions = Shard { companions, real, from: None, until: None, ..planner.next(0) };
        planner.shards.push(companions);
    }
    Ok(planner.shards)
}

/// A log of an access point.
struct Log {
    file: ShardFile,
    peek: Peek,
    /// Nothing later is in it; [`i64::MAX`] where that is not known.
    last: i64,
}

struct Planner<'a> {
    data: &'a Data,
    /// Names given in place of a file's own so far.
    given: usize,
    /// Logs and folders of simulations, by their real paths.
    seen: HashSet<PathBuf>,
    shards: Vec<Shard>,
}

impl Planner<'_> {
    /// The next shard, without its files.
    fn next(&self, access_point: usize) -> Shard {
        let Data { access_points, simulations, horizon, from, until, .. } = self.data;
        let mut names: Vec<&str> = access_points.iter().map(|of| of.name.as_str()).collect();
        names.extend((!simulations.is_empty()).then_some("simulated data"));
        Shard {
            number: self.shards.len() + 1,
            access_point: i32::try_from(access_point).unwrap_or(i32::MAX),
            horizon: *horizon,
            origin: names.join(", "),
            real: simulations.is_empty(),
            from: *from,
            until: *until,
            ..Shard::default()
        }
    }

    /// The shards of an access point's logs.
    fn add_logs(&mut self, number: usize, access_point: &AccessPoint) -> Result<(), String> {
        let name = &access_point.name;
        let failed = |error: &dyn Display| format!("access point {name}: {error}");
        let [of_logs, epochs, journal] = self.named(access_point);
        let zone =
            input::zone(access_point.time_zone.as_deref()).map_err(|error| failed(&error))?;
        // The machine that prepares the shard may be in another zone.
        let time_zone = zone.iana_name().map(str::to_owned);
        let mut bytes = 0;
        for file in epochs.iter().chain(&journal) {
            let size = || -> Result<u64, Error> {
                Ok(input::open(&file.path)?.metadata().map_err(unread(&file.path))?.len())
            };
            bytes += size().map_err(|error| failed(&error))?;
        }
        let mut logs = Vec::new();
        for file in of_logs {
            let peek = peek(&file.path, &zone).map_err(|error| failed(&error))?;
            self.once(&file.path)?;
            logs.push(Log { file, peek, last: peek.last.unwrap_or(i64::MAX) });
        }
        logs.sort_by_key(|log| log.peek.first);
        if !access_point.userlogs {
            // One log of the access point ends before the next one begins.
            for at in 1..logs.len() {
                let next = logs[at].peek.first;
                let log = &mut logs[at - 1];
                log.last = log.peek.last.unwrap_or(next);
            }
        }
        let Some(oldest) = logs.first().map(|log| log.peek.first) else {
            return Err(failed(&"no logs; name its job event logs, or leave it out"));
        };
        let before = self.shards.len();
        let mut begins: Vec<i64> = logs.iter().map(|log| log.peek.first).collect();
        begins.dedup();
        for (at, &begin) in begins.iter().enumerate() {
            let from = (at > 0).then_some(begin).max(self.data.from);
            let until = [begins.get(at + 1).copied(), self.data.until].into_iter().flatten().min();
            let is_over = |from| logs.iter().all(|log| log.last < from);
            if until.is_some_and(|until| until <= from.unwrap_or(oldest))
                || from.is_some_and(is_over)
            {
                continue;
            }
            let read = self.read_around(&logs, from.unwrap_or(begin), until);
            let of_logs =
                |size: fn(&Peek) -> u64| -> u64 { read.iter().map(|log| size(&log.peek)).sum() };
            let shard = Shard {
                logs: read.iter().map(|log| log.file.clone()).collect(),
                userlogs: access_point.userlogs,
                epochs: epochs.clone(),
                journal: journal.clone(),
                time_zone: time_zone.clone(),
                from,
                until,
                bytes: bytes + of_logs(|peek| peek.size),
                unpacked: of_logs(|peek| peek.unpacked),
                ..self.next(number)
            };
            self.shards.push(shard);
        }
        if self.shards.len() == before {
            return Err(format!(
                "access point {name}: no hold of its logs can lie in the interval asked for, they begin at {oldest} (Unix \
                     seconds); ask for another interval (from, until), or leave the access point out"
            ));
        }
        Ok(())
    }

    /// The logs that tell of holds between these instants, of what was before, and of what came of
    /// them.
    fn read_around<'l>(&self, logs: &'l [Log], from: i64, until: Option<i64>) -> Vec<&'l Log> {
        let lookback = self.data.lookback.max(0);
        let begin = from.saturating_sub(lookback);
        // A hold may last before it is released, and H counts from then on.
        let horizon = i64::from(self.data.horizon) * 3_600;
        let end =
            until.map_or(i64::MAX, |until| until.saturating_add(lookback.saturating_add(horizon)));
        logs.iter().filter(|log| log.last >= begin && log.peek.first <= end).collect()
    }

    /// The shard of a simulation.
    fn add_simulation(&mut self, access_point: usize, folder: &Path) -> Result<(), String> {
        let failed = |detail: &dyn Display| {
            let path = folder.display();
            format!(
                "simulation {path}: {detail}; name a folder that `holdadvise-train simulate` wrote"
            )
        };
        // A link to a folder is not followed when it is transferred, so that it cannot be given
        // another name.
        let name = own_name(folder).ok_or_else(|| {
            failed(
                &"its path cannot be listed for HTCondor to transfer, or its name is one that nodes use themselves: use letters, \
                  digits and ._+=@-, and another name",
            )
        })?;
        // Without a slash at the end: that would transfer what is in the folder, not the folder.
        let file = ShardFile { path: folder.components().collect(), name };
        let sizes = sizes(folder).map_err(|error| failed(&error))?;
        self.once(folder)?;
        let log = |(name, _): &&(String, u64)| name.starts_with("EventLog");
        if sizes.iter().find(log).is_none() {
            return Err(failed(&"it has no EventLog"));
        }
        let truth = plain_or_packed(folder, "truth.jsonl");
        if !truth.exists() {
            return Err(failed(&"it has no truth.jsonl"));
        }
        // Of a compressed log about a tenth of it is left.
        let unpacked =
            |(name, size): &(String, u64)| if name.ends_with(".gz") { size * 10 } else { *size };
        let shard = Shard {
            simulation: Some(file),
            bytes: sizes.iter().map(|(_, size)| size).sum(),
            unpacked: sizes.iter().filter(log).map(unpacked).sum(),
            ..self.next(access_point)
        };
        self.shards.push(shard);
        Ok(())
    }

    /// Refuses a file that was there before.
    fn once(&mut self, path: &Path) -> Result<(), String> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match self.seen.insert(real) {
            true => Ok(()),
            false => Err(format!("{} is named twice: name it once", path.display())),
        }
    }
}

/// Names and bytes of the files in a folder and below it.
fn sizes(folder: &Path) -> io::Result<Vec<(String, u64)>> {
    let mut sizes = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.path().metadata()?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if metadata.is_dir() {
            let below = self::sizes(&entry.path())?;
            sizes.push((name, below.into_iter().map(|(_, size)| size).sum()));
        } else {
            sizes.push((name, metadata.len()));
        }
    }
    Ok(sizes)
}

/// Beginnings of names that belong to HTCondor, to the steps of a sweep, or to files that got
/// another name; and of options.
const RESERVED: [&str; 9] =
    ["-", ".", "_", "condor_", "docker_", "holdadvise", "input-", "node", "shard-"];

impl Planner<'_> {
    /// The logs, epoch ads and journals of an access point with their names where a shard is
    /// prepared: of each file its own name, if it can keep that beside the others.
    fn named(&mut self, access_point: &AccessPoint) -> [Vec<ShardFile>; 3] {
        let AccessPoint { logs, epochs, journal, .. } = access_point;
        let all = || logs.iter().chain(epochs).chain(journal).map(PathBuf::as_path);
        let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
        // One file may be read as more than one thing.
        for path in all().collect::<HashSet<_>>() {
            own_name(path).into_iter().for_each(|own| *wanted.entry(own).or_default() += 1);
        }
        let mut names: BTreeMap<&Path, String> = BTreeMap::new();
        for path in all() {
            names.entry(path).or_insert_with(|| match own_name(path) {
                Some(own) if wanted.get(&own) == Some(&1) => own,
                _ => self.another(path),
            });
        }
        let files = |paths: &[PathBuf]| -> Vec<ShardFile> {
            let file = |path: &PathBuf| {
                Some(ShardFile { path: path.clone(), name: names.get(path.as_path())?.clone() })
            };
            paths.iter().filter_map(file).collect()
        };
        [logs, epochs, journal].map(|paths| files(paths))
    }

    /// A name that no other file has, and that still ends as the file's own.
    fn another(&mut self, path: &Path) -> String {
        self.given += 1;
        let own = path.file_name().unwrap_or_default().to_string_lossy();
        let own = own.replace(|letter| !is_plain(letter), "_");
        format!("input-{:03}-{own}", self.given)
    }
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "._+=@-".contains(letter)
}

/// The last part of a path, where the path can be listed in a submit description and the name is
/// free.
fn own_name(path: &Path) -> Option<String> {
    let whole = path.to_str()?;
    let name = path.file_name()?.to_str()?;
    let plain = whole.chars().all(|letter| is_plain(letter) || letter == '/');
    let free = !RESERVED.iter().any(|reserved| name.starts_with(reserved));
    (plain && free).then(|| name.to_owned())
}

const MB: u64 = 1_000_000;

/// Bytes of a row besides its states: 403 statics and what it is labelled with.
const ROW: usize = 1_700;

/// Rows that come out of 1 MB of log: three times what a simulated access point gives.
const HOLDS_A_MB: u64 = 320;

/// Rows that come out of 1 MB of a simulation's log, with what its oracle says: three times the
/// usual.
const ORACLE_ROWS_A_MB: u64 = 3_800;

/// Rows of a companion: three times what those of a sweep have on average.
const COMPANION_ROWS: u64 = 27_000;

/// `--oracle` of companions: instants of one hold are much alike.
const ORACLE: &str = "0.5";

impl Shard {
    /// All that it reads: the files to transfer.
    pub fn files(&self) -> impl Iterator<Item = &ShardFile> {
        self.logs.iter().chain(&self.epochs).chain(&self.journal).chain(&self.simulation)
    }

    /// MB of the file that it writes, a guess to ask for resources by.
    pub fn output_mb(&self, setting: &Setting) -> u64 {
        let (m, j) = (setting.frame_edges.len().saturating_sub(1), setting.slots);
        let row = (m * j + ROW) as u64;
        let rows = if self.simulation.is_some() { ORACLE_ROWS_A_MB } else { HOLDS_A_MB };
        let rows = self.unpacked.div_ceil(MB) * rows + self.companions as u64 * COMPANION_ROWS;
        (rows * row).div_ceil(MB)
    }

    /// MB of memory to ask for, a guess with a half in reserve: the jobs of the logs take a little
    /// more than the logs.
    pub fn memory_mb(&self, setting: &Setting) -> u64 {
        256 + self.unpacked.div_ceil(MB) * 5 / 3 + self.output_mb(setting)
    }

    /// MB of disk to ask for: its files, a compressed log unpacked beside them, and what it writes.
    pub fn disk_mb(&self, setting: &Setting) -> u64 {
        256 + (self.bytes + self.unpacked).div_ceil(MB) + self.output_mb(setting)
    }

    /// The arguments of `holdadvise-train` that prepare it in the folder to which its files were
    /// transferred, but for `-o`.
    pub fn arguments(&self, setting: &Setting) -> Vec<String> {
        let edges: Vec<String> = setting.frame_edges.iter().map(u32::to_string).collect();
        let mut arguments = vec!["tensors".to_owned()];
        arguments.extend(self.logs.iter().map(|log| log.name.clone()));
        let mut option = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
        self.simulation.iter().for_each(|folder| option("--simulation", folder.name.clone()));
        self.epochs.iter().for_each(|file| option("--epochs", file.name.clone()));
        self.journal.iter().for_each(|file| option("--journal", file.name.clone()));
        self.time_zone.iter().for_each(|zone| option("--time-zone", zone.clone()));
        if self.companions > 0 {
            let last = FIRST as usize + self.companions - 1;
            option("--simulate", format!("{FIRST}-{last}"));
            option("--oracle", ORACLE.to_owned());
        } else {
            option("--access-point", self.access_point.to_string());
            option("--origin", self.origin.clone());
        }
        option("--horizon", self.horizon.to_string());
        option("--frame-edges", edges.join(","));
        option("--slots", setting.slots.to_string());
        self.from.iter().for_each(|from| option("--from", from.to_string()));
        self.until.iter().for_each(|until| option("--until", until.to_string()));
        arguments.push("--allow-empty".to_owned());
        let flags = [("--real", self.real), ("--userlogs", self.userlogs)];
        let set = flags.into_iter().filter(|(_, set)| *set);
        arguments.extend(set.map(|(name, _)| name.to_owned()));
        arguments
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use jiff::Timestamp;

    use super::*;

    /// A folder of logs. Times are hours of 2 January 2026, UTC.
    struct Logs(tempfile::TempDir);

    const MIDNIGHT: i64 = 1_767_312_000;

    fn hour(hour: i64) -> i64 {
        MIDNIGHT + hour * 3_600
    }

    fn event(instant: i64) -> String {
        let time = Timestamp::from_second(instant).unwrap().to_zoned(jiff::tz::TimeZone::UTC);
        let time = time.strftime("%Y-%m-%d %H:%M:%S");
        format!("012 (001.000.000) {time} Job was held.\n\tx\n\tCode 1 Subcode 0\n...\n")
    }

    impl Logs {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        /// A log with events at these hours.
        fn log(&self, name: &str, hours: &[i64]) -> PathBuf {
            self.file(name, &hours.iter().map(|&at| event(hour(at))).collect::<String>())
        }

        fn packed(&self, name: &str, hours: &[i64]) -> PathBuf {
            let path = self.0.path().join(name);
            let mut file = GzEncoder::new(fs::File::create(&path).unwrap(), Compression::fast());
            let events = hours.iter().map(|&at| event(hour(at)));
            events.for_each(|event| io::Write::write_all(&mut file, event.as_bytes()).unwrap());
            file.finish().unwrap();
            path
        }

        fn file(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        }
    }

    fn access_point(logs: &[PathBuf]) -> AccessPoint {
        let (name, time_zone) = ("ap1".to_owned(), Some("UTC".to_owned()));
        AccessPoint { name, logs: logs.to_vec(), time_zone, ..AccessPoint::default() }
    }

    fn data(logs: &[PathBuf]) -> Data {
        let access_points = vec![access_point(logs)];
        Data { access_points, lookback: 3_600, horizon: 2, ..Data::default() }
    }

    /// Of each shard its interval in hours and the names of its logs.
    fn told(data: &Data) -> Vec<String> {
        let hours = |instant: Option<i64>| {
            instant.map_or("..".to_owned(), |instant| ((instant - MIDNIGHT) / 3_600).to_string())
        };
        let tell = |shard: &Shard| {
            let names: Vec<&str> = shard.logs.iter().map(|log| log.name.as_str()).collect();
            format!("{} to {}: {}", hours(shard.from), hours(shard.until), names.join(" "))
        };
        shards(data).unwrap().iter().map(tell).collect()
    }

    fn message(data: &Data) -> String {
        shards(data).unwrap_err().to_string()
    }

    #[test]
    fn a_log_is_read_with_what_was_before_and_what_came_of_it() {
        let logs = Logs::new();
        let series = [
            logs.log("EventLog", &[40, 44]),
            logs.log("EventLog.1", &[30, 39]),
            logs.log("EventLog.2", &[20, 28]),
            logs.log("EventLog.3", &[10, 19]),
        ];
        // Lookback of 1 hour, outcomes until 2 hours after a release that may be 1 hour after the
        // hold.
        assert_eq!(
            told(&data(&series)),
            [
                ".. to 20: EventLog.3 EventLog.2",
                "20 to 30: EventLog.3 EventLog.2 EventLog.1",
                "30 to 40: EventLog.1 EventLog",
                "40 to ..: EventLog.1 EventLog",
            ]
        );
        let far = Data { lookback: 24 * 3_600, ..data(&series) };
        assert_eq!(told(&far)[3], "40 to ..: EventLog.3 EventLog.2 EventLog.1 EventLog");
        let late = Data { horizon: 12, ..data(&series) };
        assert_eq!(told(&late)[1], "20 to 30: EventLog.3 EventLog.2 EventLog.1 EventLog");
    }

    #[test]
    fn an_interval_leaves_out_logs() {
        let logs = Logs::new();
        let series = [
            logs.log("EventLog", &[40, 44]),
            logs.log("EventLog.1", &[30, 39]),
            logs.packed("EventLog.2.gz", &[20, 28]),
            logs.log("EventLog.3", &[10, 19]),
        ];
        let data = |from, until| Data { from, until, ..data(&series) };
        assert_eq!(
            told(&data(Some(hour(25)), Some(hour(40)))),
            ["25 to 30: EventLog.2.gz EventLog.1", "30 to 40: EventLog.2.gz EventLog.1 EventLog"],
            "of a compressed log the end is not known: it may reach to the beginning of the next"
        );
        assert_eq!(told(&data(None, Some(hour(15)))), [".. to 15: EventLog.3"]);
        assert_eq!(told(&data(Some(hour(43)), None)), ["43 to ..: EventLog"]);
        assert!(message(&data(None, Some(hour(10)))).contains("ap1: no hold of its logs can lie"));
        assert!(message(&data(Some(hour(45)), None)).contains("ap1: no hold of its logs can lie"));
        assert!(message(&data(Some(5), Some(5))).contains("from 5 must lie before until 5"));
    }

    #[test]
    fn users_logs_may_overlap() {
        let logs = Logs::new();
        let all = [
            logs.log("a.log", &[10, 50]),
            logs.log("b.log", &[20, 21]),
            logs.packed("c.log.gz", &[20, 48]),
            logs.log("d.log", &[40, 41]),
        ];
        let mut data = data(&all);
        data.access_points[0].userlogs = true;
        assert_eq!(
            told(&data),
            [
                ".. to 20: a.log b.log c.log.gz",
                "20 to 40: a.log b.log c.log.gz d.log",
                "40 to ..: a.log c.log.gz d.log",
            ]
        );
    }

    #[test]
    fn a_shard_knows_how_it_is_prepared() {
        let logs = Logs::new();
        let mut data = data(&[logs.log("EventLog", &[20]), logs.log("EventLog.old", &[10])]);
        data.access_points[0].epochs = vec![logs.file("epoch_history", "")];
        data.access_points[0].journal = vec![logs.file("journal", "ten bytes\n")];
        let shards = shards(&data).unwrap();
        let setting = Setting { number: 1, frame_edges: vec![0, 60, 120], slots: 20 };
        let expected = "tensors EventLog.old EventLog --epochs epoch_history --journal journal --time-zone UTC \
             --access-point 0 --origin ap1 --horizon 2 --frame-edges 0,60,120 --slots 20 --from 1767384000 \
             --allow-empty --real";
        let data = Data { lookback: 36_000, ..data };
        let shard = &super::shards(&data).unwrap()[1];
        assert_eq!(shard.arguments(&setting).join(" "), expected);
        assert_eq!(shard.bytes, 2 * event(0).len() as u64 + 10);
        assert_eq!(shard.unpacked, 2 * event(0).len() as u64);
        assert_eq!((shard.memory_mb(&setting), shard.disk_mb(&setting)), (258, 258));
        let large = Shard { unpacked: 400_000_000, bytes: 100_000_000, ..shard.clone() };
        // 128,000 rows of 40 + 1,700 bytes.
        assert_eq!(large.output_mb(&setting), 223);
        assert_eq!((large.memory_mb(&setting), large.disk_mb(&setting)), (1_145, 979));
        let wide = Setting { slots: 1_000, ..setting.clone() };
        assert_eq!(large.output_mb(&wide), 474);
        let json = serde_json::to_string(&shards).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Shard>>(&json).unwrap(), shards);
    }

    #[test]
    fn files_of_one_name_get_others() {
        let logs = Logs::new();
        let paths = [
            logs.log("monday/EventLog", &[10]),
            logs.log("tuesday/EventLog", &[20]),
            logs.log("a, b/EventLog.1", &[30]),
            logs.log("node.log", &[40]),
            logs.log("EventLog.2", &[50]),
        ];
        let mut data = data(&paths);
        data.access_points.push(access_point(&[logs.log("other/EventLog", &[10])]));
        data.access_points[1].name = "ap2".to_owned();
        let shards = shards(&Data { lookback: i64::MAX, ..data }).unwrap();
        let files: Vec<&ShardFile> = shards[4].files().collect();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "input-001-EventLog",
                "input-002-EventLog",
                "input-003-EventLog.1",
                "input-004-node.log",
                "EventLog.2"
            ]
        );
        let other = &shards[5];
        assert_eq!((other.logs[0].name.as_str(), other.access_point), ("EventLog", 1));
        assert_eq!(other.origin, "ap1, ap2");
        for (file, path) in files.iter().zip(&paths) {
            assert_eq!(file.path.canonicalize().unwrap(), path.canonicalize().unwrap());
        }
    }

    #[test]
    fn simulations_are_numbered_behind_the_logs() {
        let logs = Logs::new();
        for name in ["one", "two"] {
            logs.file(&format!("{name}/EventLog"), &event(0));
            logs.file(&format!("{name}/truth.jsonl"), "{}\n");
        }
        let simulations: Vec<PathBuf> =
            ["one/", "two"].iter().map(|name| logs.0.path().join(name)).collect();
        let alone = Data {
            simulations: simulations.clone(),
            horizon: 48,
            from: Some(7),
            ..Data::default()
        };
        let shards = super::shards(&alone).unwrap();
        let setting = Setting { number: 1, frame_edges: vec![0, 60], slots: 12 };
        assert_eq!(
            shards[1].arguments(&setting).join(" "),
            "tensors --simulation two --access-point 1 --origin simulated data --horizon 48 --frame-edges 0,60 --slots 12 \
             --from 7 --allow-empty"
        );
        let listed = &shards[0].simulation.as_ref().unwrap().path;
        assert!(!listed.to_string_lossy().ends_with('/'), "the folder itself is transferred");
        assert_eq!(shards[0].bytes, event(0).len() as u64 + 3);
        let mut both = data(&[logs.log("EventLog", &[20])]);
        both.simulations = simulations.clone();
        let numbers = |data: &Data| -> Vec<i32> {
            super::shards(data).unwrap().iter().map(|shard| shard.access_point).collect()
        };
        assert_eq!(numbers(&alone), [0, 1], "they become 1 and 2");
        assert_eq!(numbers(&both), [0, 0, 1]);
        assert_eq!(super::shards(&both).unwrap()[0].origin, "ap1, simulated data");
        both.access_points.push(access_point(&[logs.log("EventLog.b", &[20])]));
        assert_eq!(numbers(&both), [0, 1, 1, 2]);
        fs::remove_file(logs.0.path().join("two/truth.jsonl")).unwrap();
        assert!(message(&alone).contains("two: it has no truth.jsonl; name a folder"));
        fs::remove_file(logs.0.path().join("two/EventLog")).unwrap();
        assert!(message(&alone).contains("two: it has no EventLog; name a folder"));
        fs::remove_dir(logs.0.path().join("two")).unwrap();
        assert!(message(&alone).contains("two: No such file or directory"));
        let twice = Data { simulations: vec![simulations[0].clone(); 2], ..Data::default() };
        assert!(message(&twice).contains("one/ is named twice"));
        fs::rename(logs.0.path().join("one"), logs.0.path().join("a b")).unwrap();
        let spaced = Data { simulations: vec![logs.0.path().join("a b")], ..Data::default() };
        assert!(message(&spaced).contains("a b: its path cannot be listed"));
    }

    #[test]
    fn bad_input_is_named() {
        let logs = Logs::new();
        assert!(message(&Data::default()).contains("no logs and no simulations"));
        assert!(message(&data(&[])).contains("access point ap1: no logs"));
        let good = logs.log("EventLog", &[1]);
        let missing = logs.0.path().join("EventLog.old");
        let error = message(&data(&[good.clone(), missing.clone()]));
        assert!(error.contains("ap1: ") && error.contains("EventLog.old: No such file"), "{error}");
        logs.file("EventLog.old", "");
        assert!(message(&data(&[good.clone(), missing])).contains("EventLog.old is empty"));
        assert!(message(&data(&[good.clone(), good.clone()])).contains("EventLog is named twice"));
        let mut wrong = data(std::slice::from_ref(&good));
        wrong.access_points[0].epochs = vec![logs.0.path().join("epochs")];
        assert!(message(&wrong).contains("epochs: No such file or directory"));
        let mut wrong = data(&[good]);
        wrong.access_points[0].time_zone = Some("Mars".to_owned());
        assert!(message(&wrong).contains("ap1: Mars: expected the name of a time zone"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let closed = logs.log("closed", &[2]);
            fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
            // Root reads it all the same.
            if fs::read(&closed).is_err() {
                assert!(message(&data(&[closed])).contains("closed: Permission denied"));
            }
        }
    }

    #[test]
    fn many_logs_are_planned_in_no_time() {
        let logs = Logs::new();
        // Far more in each than is looked at.
        let paths: Vec<PathBuf> = (0..200)
            .map(|at| {
                let text = event(hour(2 * at)) + &event(hour(2 * at + 1)).repeat(10_000);
                logs.file(&format!("EventLog.{at}"), &text)
            })
            .collect();
        let begun = Instant::now();
        let shards = shards(&data(&paths)).unwrap();
        let seconds = begun.elapsed().as_secs_f64();
        assert_eq!(shards.len(), 200);
        // A tenth of it where it is built with optimisation. What is in the middle would take
        // minutes.
        assert!(seconds < 10.0, "{seconds} s");
    }
}
