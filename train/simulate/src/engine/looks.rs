//! What looks at the files, URLs and outputs of a held job would have found: `looks.jsonl`.
//!
//! The answers have the form of those that `holdadvise::checks` keeps of a real machine. How often
//! they are wrong was measured on a real pool (`docs/records/pool-checks.md`).

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use crate::cause::{Cause, Symptom, UrlError};
use crate::engine::HoldNow;
use crate::error::Result;
use crate::life::{Flaw, Subject};
use crate::output::place::OutFile;
use crate::random::Dice;
use crate::reason::{Place, input_name, output_name, url};
use crate::world::{Failure, Service};

/// Of outages of a file server, the share that the access point, by another route, does not meet.
/// On the plays `measure` 108 of the 1,271 checks that said something were wrong, all of them among
/// the 364 of URLs, which answered the access point alone, and all of one cause of seven; those of
/// firewalls and of bad hosts are so anyway. This share is assumed.
const SEEN_AT_SITES_ALONE: f64 = 0.1;

/// Holds of failing programs whose right line is found: 895 of 1,052 on the plays `once`.
const RIGHT_LINE: f64 = 0.85;

/// Streams of chance from here on are of the outputs of programs, one for each hold.
const FIRST_OUTPUT_STREAM: u64 = 1 << 49;

/// One look for one held job.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Look {
    cluster: i32,
    proc: i32,
    num_holds: i64,
    /// Unix seconds.
    time: i64,
    hosts: [String; 1],
    /// What the hold reason is about, where it can be looked at.
    named: Option<String>,
    /// What was found of that: `StillThere`, `Gone` or `Unknown`.
    finding: Option<Value>,
    /// `ErrorType` of the transfer's error, as plug-ins report it since 24.9.
    error_type: Option<&'static str>,
    answers: Vec<Answer>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    account: String,
    question: Value,
    answer: Value,
}

/// Looks, and writes what was found.
pub(crate) struct Looker {
    /// None where it is asked for answers alone.
    out: Option<OutFile>,
    dice: Dice,
    outputs: Dice,
}

/// The held job at an instant of the simulation.
pub(crate) struct Seen<'a> {
    pub(crate) place: &'a Place<'a>,
    pub(crate) subject: &'a Subject,
    pub(crate) hold: &'a HoldNow,
    pub(crate) num_holds: i64,
    pub(crate) since: i64,
    pub(crate) instant: i64,
}

impl Looker {
    pub(crate) fn create(path: PathBuf, seed: u64) -> Result<Self> {
        let (dice, outputs) = (Dice::new(seed, 8), Dice::new(seed, 9));
        Ok(Self { out: Some(OutFile::create(path)?), dice, outputs })
    }

    /// One that writes nothing.
    pub(crate) fn silent(seed: u64) -> Self {
        Self { out: None, dice: Dice::new(seed, 8), outputs: Dice::new(seed, 9) }
    }

    /// What was found, as JSON of `holdadvise::checks::Recorded`, by the chance of one stream.
    pub(crate) fn answers(&mut self, seen: &Seen<'_>, stream: u64) -> String {
        self.dice.turn_to(stream);
        let look = self.found(seen, stream + 1);
        serde_json::to_string(&look).unwrap_or_default()
    }

    pub(crate) fn look(&mut self, seen: &Seen<'_>) -> Result<()> {
        let look = self.found(seen, FIRST_OUTPUT_STREAM + seen.hold.record as u64);
        self.out.as_mut().map_or(Ok(()), |out| out.line(&look))
    }

    fn found(&mut self, seen: &Seen<'_>, outputs: u64) -> Look {
        self.outputs.turn_to(outputs);
        let filesystem = seen.filesystem_fault(&mut self.dice);
        let mut look = Look {
            cluster: seen.place.cluster.id,
            proc: seen.place.proc,
            num_holds: seen.num_holds,
            time: seen.shown(seen.instant),
            hosts: [seen.place.world.access_point()],
            named: None,
            finding: None,
            error_type: seen.error_type(),
            answers: seen.files(filesystem),
        };
        look.answers.extend(seen.urls(&mut self.dice));
        look.answers.extend(seen.words(&mut self.outputs));
        look.named = seen.named();
        let of_named = |answer: &&Answer| {
            let question = answer.question.as_object().and_then(|kinds| kinds.values().next());
            question.is_some_and(|question| {
                let asked = question.get("path").or_else(|| question.get("url"));
                asked.and_then(Value::as_str) == look.named.as_deref()
            })
        };
        let answer = look.answers.iter().find(of_named);
        look.finding = look.named.as_ref().map(|_| {
            answer
                .and_then(|answer| answer.answer["Ok"].get("Result"))
                .map_or_else(|| json!("Unknown"), Value::clone)
        });
        look
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.out.as_mut().map_or(Ok(()), OutFile::flush)
    }
}

impl Seen<'_> {
    fn shown(&self, instant: i64) -> i64 {
        self.place.world.clock.at(instant)
    }

    /// The mistake, unless somebody has put it right.
    fn flaw(&self) -> Option<Flaw> {
        let is_fixed = self.subject.cluster.is_fixed(self.instant);
        let lasts =
            |flaw: &Flaw| !(self.subject.edits.corrected || is_fixed && flaw.can_be_fixed());
        self.subject.traits.flaw.filter(lasts)
    }

    fn filesystem_fault(&self, dice: &mut Dice) -> Option<i32> {
        let world = self.place.world;
        let owner = &world.owners[self.place.cluster.owner];
        world.filesystems[owner.filesystem].faults.strikes(self.instant, dice)
    }

    fn in_iwd(&self, name: &str) -> String {
        format!("{}/{name}", self.place.cluster.iwd)
    }

    fn executable(&self) -> String {
        self.in_iwd(self.place.workflow.program)
    }

    fn stream(&self, which: &str) -> String {
        self.in_iwd(&format!("logs/{}.{which}", self.place.proc))
    }

    fn event_log(&self) -> String {
        self.in_iwd(&format!("logs/{}.log", self.place.cluster.id))
    }

    /// Full path or URL of what the hold reason is about; what lies at the execution point is not
    /// looked at.
    fn named(&self) -> Option<String> {
        let services = &self.place.workflow.input_services;
        Some(match self.hold.symptom {
            Symptom::ReadInput { item, .. } => self.in_iwd(&input_name(self.place, item)),
            Symptom::WriteOutput { .. } => self.in_iwd(&output_name(self.place)),
            Symptom::Iwd { .. } => self.place.cluster.iwd.clone(),
            Symptom::USER_LOG => self.event_log(),
            Symptom::FetchUrl { item, error, wrong } => {
                let service = *services.get(usize::from(item))?;
                self.url(service, item, wrong.then_some(error))
            }
            _ => return None,
        })
    }

    /// How the file looks that is in order, or what is wrong with it.
    fn sight(&self, filesystem: Option<i32>, write: bool, fault: Option<&str>) -> Value {
        let wrong = |fault: &str| json!({"Ok": {"Result": "StillThere", "Fault": fault}});
        match (filesystem, fault) {
            (Some(2), _) => wrong("Missing"),
            (Some(13), _) => wrong("Denied"),
            (Some(28), _) if write => wrong("NoSpace"),
            (Some(110), _) => json!({"Err": "NoAnswer"}),
            (Some(5 | 116), _) => json!({"Ok": {"Result": "Unknown", "Why": "Failed"}}),
            (_, Some(fault)) => wrong(fault),
            _ => json!({"Ok": {"Result": "Gone", "ChangedAt": self.shown(self.changed_at())}}),
        }
    }

    /// When a file that is in order was changed: when it was put right or made, else before the
    /// submission.
    fn changed_at(&self) -> i64 {
        let cluster = &self.subject.cluster;
        let fixed = cluster.fixed_at.filter(|fixed| *fixed <= self.instant);
        let flawed =
            cluster.producer.is_some() || self.subject.traits.flaw.is_some_and(Flaw::can_be_fixed);
        let made = self.subject.ready.filter(|ready| *ready <= self.instant);
        fixed.filter(|_| flawed).or(made).unwrap_or(cluster.submitted)
    }

    /// The input of a job that another cluster has yet to make.
    fn awaits(&self, by_url: bool) -> bool {
        let cluster = &self.subject.cluster;
        let ready = self.subject.ready;
        cluster.producer.is_some()
            && cluster.producer_by_url == by_url
            && ready.is_none_or(|ready| self.instant < ready)
            && !cluster.is_fixed(self.instant)
            && !self.subject.edits.corrected
    }

    /// Answers about the files that the ad names.
    fn files(&self, filesystem: Option<i32>) -> Vec<Answer> {
        let flaw = self.flaw();
        let account = self.place.owner;
        let look = |path: String, wanted: &str, fault: Option<&str>| Answer {
            account: account.to_owned(),
            question: json!({"Look": {"path": path, "wanted": wanted}}),
            answer: self.sight(filesystem, wanted == "Write", fault),
        };
        let when = |here: bool, fault: &'static str| here.then_some(fault);
        let folder = when(flaw == Some(Flaw::MissingFolder), "Missing");
        let mut all = vec![look(self.place.cluster.iwd.clone(), "Enter", folder)];
        let mut executable = look(self.executable(), "Execute", folder);
        if let Some(sight) = executable.answer.get_mut("Ok")
            && sight["Result"] == "Gone"
        {
            if flaw == Some(Flaw::WrongFormat) {
                sight["Remarks"] = json!([{"Kind": "OtherMachine", "Machine": "aarch64"}]);
            }
            // That it lacks its permission bit is not looked at: HTCondor sets it.
            if flaw == Some(Flaw::BadInterpreter) {
                sight["Interpreter"] = json!(NO_INTERPRETER);
                let answer = json!({"Ok": {"Result": "StillThere", "Fault": "Missing"}});
                let question = json!({"Look": {"path": NO_INTERPRETER, "wanted": "ExecuteHere"}});
                all.push(Answer { account: account.to_owned(), question, answer });
            }
        }
        all.push(executable);
        for item in 0..self.place.workflow.input_files {
            let fault = match flaw {
                Some(Flaw::WrongPath | Flaw::DeletedInput) if item == 0 => Some("Missing"),
                Some(Flaw::UnreadableInput) if item == 0 => Some("Denied"),
                _ => when(item == 0 && self.awaits(false), "Missing").or(folder),
            };
            all.push(look(self.in_iwd(&input_name(self.place, item as u16)), "Read", fault));
        }
        let logs = when(flaw == Some(Flaw::MissingStdoutFolder), "Missing").or(folder);
        for path in [self.stream("out"), self.stream("err"), self.event_log()] {
            all.push(look(path, "Write", logs));
        }
        all.push(look(self.in_iwd(&output_name(self.place)), "Write", folder));
        all
    }

    fn url(&self, service: usize, item: u16, wrong: Option<UrlError>) -> String {
        let service = &self.place.world.services[service];
        // As the reason has it: a letter too many in the server's name.
        let server = match wrong {
            Some(UrlError::Unresolved) => service.host.replacen('.', "s.", 1),
            _ => service.host.clone(),
        };
        url(self.place, service, item, &server, wrong == Some(UrlError::Status(404)))
    }

    /// Answers about URLs of http and https; others are not asked.
    fn urls(&self, dice: &mut Dice) -> Vec<Answer> {
        let services = &self.place.workflow.input_services;
        let mut all: Vec<Answer> = Vec::new();
        for (item, &number) in services.iter().enumerate() {
            let service = &self.place.world.services[number];
            if !matches!(service.scheme, "http" | "https") {
                continue;
            }
            let answer = json!({"Ok": self.url_answer(service, item, dice)});
            let named = self.named().filter(|_| match self.hold.symptom {
                Symptom::FetchUrl { item: of, .. } => usize::from(of) == item,
                _ => false,
            });
            let mut urls = vec![self.url(number, item as u16, None)];
            urls.extend(named.filter(|named| *named != urls[0]));
            for url in urls {
                let question = json!({"Url": {"url": url}});
                // Two inputs may be the same archive.
                if !all.iter().any(|known| known.question == question) {
                    let (account, answer) = (String::new(), answer.clone());
                    all.push(Answer { account, question, answer });
                }
            }
        }
        all
    }

    fn url_answer(&self, service: &Service, item: usize, dice: &mut Dice) -> Value {
        let missing = json!({"Result": "StillThere", "Fault": "Missing"});
        let unknown = |why: Value| json!({"Result": "Unknown", "Why": why});
        let by_flaw = match self.flaw().filter(|_| item == 0) {
            Some(Flaw::WrongUrl) => Some(missing.clone()),
            Some(Flaw::WrongServer { port }) => {
                Some(unknown(json!(if port { "Away" } else { "NoName" })))
            }
            Some(Flaw::ForbiddenUrl) => Some(unknown(json!({"Status": 403}))),
            _ => (item == 0 && self.awaits(true)).then(|| missing.clone()),
        };
        if let Some(answer) = by_flaw {
            return answer;
        }
        let outage = service.faults.at(self.instant).map(|trouble| trouble.start);
        let elsewhere = outage.is_some_and(|start| {
            let mut route = Dice::new(start.unsigned_abs(), FIRST_OUTPUT_STREAM - 1);
            route.chance(SEEN_AT_SITES_ALONE)
        });
        match service.faults.strikes(self.instant, dice).filter(|_| !elsewhere) {
            Some(UrlError::Refused) => unknown(json!("Away")),
            Some(UrlError::TimedOut) => unknown(json!("NoAnswer")),
            Some(UrlError::Unresolved) => unknown(json!("NoName")),
            Some(UrlError::Reset) => unknown(json!("Failed")),
            Some(UrlError::Certificate) => unknown(json!("Tls")),
            Some(UrlError::Status(404)) => missing,
            Some(UrlError::Status(status)) => unknown(json!({"Status": status})),
            // It is asked without the owner's credential.
            None if self.place.workflow.needs_credential => unknown(json!({"Status": 401})),
            None => json!({"Result": "Gone", "ChangedAt": null}),
        }
    }

    /// What the error output says at its end, of a hold for a failing program.
    fn words(&self, dice: &mut Dice) -> Option<Answer> {
        let failed = match self.hold.symptom {
            Symptom::ExitHold { .. } => true,
            Symptom::MissingOutput => self.place.workflow.failure == Failure::MissingOutput,
            _ => false,
        };
        if !failed {
            return None;
        }
        let says = |lines: &[(&str, &str)], dice: &mut Dice| {
            let (says, line) = *dice.pick(lines);
            json!({"Says": says, "Line": line, "WrittenAt": self.shown(self.since)})
        };
        let right = says(lines(self.hold.cause), dice);
        let (is_right, is_silent) = (dice.chance(RIGHT_LINE), dice.chance(0.5));
        let wrong = says(&OWN, dice);
        Some(Answer {
            account: self.place.owner.to_owned(),
            question: json!({"Words": {"path": self.stream("err")}}),
            answer: json!({"Ok": match () {
                () if is_right => right,
                () if is_silent => Value::Null,
                () => wrong,
            }}),
        })
    }

    fn error_type(&self) -> Option<&'static str> {
        match self.hold.symptom {
            Symptom::FetchUrl { error, .. } | Symptom::PutUrl { error } => Some(match error {
                UrlError::Unresolved => "Resolution",
                UrlError::Refused | UrlError::TimedOut => "Contact",
                UrlError::Status(401 | 403) => "Authorization",
                UrlError::Status(404) => "Specification",
                UrlError::Reset | UrlError::Certificate | UrlError::Status(_) => "Transfer",
            }),
            Symptom::NoPlugin { .. } => Some("Parameter"),
            _ => None,
        }
    }
}

/// An interpreter that is not there.
const NO_INTERPRETER: &str = "/opt/conda/bin/python";

/// Kinds of `holdadvise::checks::WordsKind` and lines that say them.
type Lines = [(&'static str, &'static str)];

const BUG: [(&str, &str); 5] = [
    ("Bug", "IndexError: list index out of range"),
    ("Bug", "AssertionError: shapes do not match"),
    ("Usage", "error: unrecognized arguments: --seeds"),
    ("Bug", "ValueError: could not convert string to float: 'NA'"),
    ("Crash", "Segmentation fault (core dumped)"),
];
const FLAKY: [(&str, &str); 4] = [
    ("Crash", "Segmentation fault (core dumped)"),
    ("Crash", "Aborted"),
    ("Network", "curl: (28) Operation timed out after 30001 milliseconds"),
    ("Own", "ERROR: fit did not converge"),
];
const RUNTIME_SERVICE: [(&str, &str); 3] = [
    ("Licence", "License checkout failed: Cannot connect to license server system."),
    ("Network", "could not connect to server: Connection refused"),
    ("Network", "requests.exceptions.ConnectTimeout: connect timed out"),
];
const LACKS: [(&str, &str); 3] = [
    ("CommandMissing", "run.sh: line 12: module: command not found"),
    (
        "LibraryMissing",
        "error while loading shared libraries: libhdf5.so.200: cannot open shared object file",
    ),
    ("LibraryMissing", "ModuleNotFoundError: No module named 'numpy'"),
];
const CVMFS: [(&str, &str); 2] = [
    ("Cvmfs", "/cvmfs/software.example.org/setup.sh: Transport endpoint is not connected"),
    ("Cvmfs", "/cvmfs/software.example.org/setup.sh: Input/output error"),
];
const BAD_HOST: [(&str, &str); 4] = [
    ("Killed", "Killed"),
    ("Storage", "cp: error writing 'out.dat': Input/output error"),
    ("NoSpace", "write error: No space left on device"),
    ("LibraryTooOld", "/lib64/libc.so.6: version `GLIBC_2.34' not found"),
];
const OWN: [(&str, &str); 2] =
    [("Own", "ERROR: job failed"), ("Own", "Error: see the log of the run")];

/// What programs say when they fail for a cause: assumed.
fn lines(cause: Cause) -> &'static Lines {
    match cause {
        Cause::Bug => &BUG,
        Cause::Flaky => &FLAKY,
        Cause::RuntimeService => &RUNTIME_SERVICE,
        Cause::SiteLacksSoftware => &LACKS,
        Cause::SiteSoftwareOutage => &CVMFS,
        Cause::BadHost => &BAD_HOST,
        _ => &OWN,
    }
}
