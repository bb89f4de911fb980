//! The command line of `condor_holdadvise_collect`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use jiff::Timestamp;

use super::RunError;
use super::arguments::{OptionSpec, Page, Tool};
use super::output::{self, say};
use crate::collect::{Report, Settings, collect};
use crate::inquiry::{Config, Knob, SettingError};
use crate::text::{classad_quote, printable};

/// Where logs are kept if nothing else is said.
const FOLDER: &str = "/var/lib/condor-holdadvise/logs";

/// What the options say.
#[derive(Default)]
struct Given {
    event_log: Option<PathBuf>,
    epochs: Option<PathBuf>,
    folder: Option<PathBuf>,
    days: Option<u64>,
    bytes: Option<u64>,
    help: bool,
    version: bool,
}

type Row = OptionSpec<Given>;

/// `condor_holdadvise_collect`
static TOOL: LazyLock<Tool<Given>> = LazyLock::new(|| Tool {
    name: "condor_holdadvise_collect",
    operands: "",
    operand: |_, word| Err(format!("unrecognized argument {}", printable(word))),
    brief: "Keeps the event log and the epoch ads of an access point over their rotations.\n\
            To be run every minute, by SCHEDD_CRON or a timer.\n",
    one_of: Vec::new(),
    sections: vec![
        (
            "What is kept",
            vec![
                Row::one("eventlog", 2, |all| &mut all.event_log)
                    .help("Keep this event log. The default is EVENT_LOG."),
                Row::one("epochs", 2, |all| &mut all.epochs)
                    .help("Keep this file of epoch ads. The default is JOB_EPOCH_HISTORY."),
            ],
        ),
        (
            "Where and how much",
            vec![
                Row::one("folder", 1, |all| &mut all.folder)
                    .help("Keep it in this folder. It is made for its owner alone."),
                Row::one("days", 1, |all| &mut all.days)
                    .help("Delete files so many days after their last event. The default is 180."),
                Row::one("bytes", 1, |all| &mut all.bytes).help(
                    "Delete the oldest files while all together have more bytes. The default is \
                     10737418240.",
                ),
            ],
        ),
        (
            "The tool itself",
            vec![
                Row::tool_help(|all| all.help = true),
                Row::tool_version(|all| all.version = true),
            ],
        ),
    ],
});

/// The settings of this tool.
const KNOBS: &[Knob] = &[
    Knob {
        name: "HOLDADVISE_COLLECT_DIR",
        help: "The folder, as after -folder; none: nothing is kept. The default is /var/lib/condor-holdadvise/logs.",
    },
    Knob { name: "HOLDADVISE_KEEP_DAYS", help: "Days, as after -days." },
    Knob { name: "HOLDADVISE_KEEP_BYTES", help: "Bytes, as after -bytes." },
];

/// Runs the tool: `arguments` are those behind its name. The exit status is 1 where something could
/// not be kept.
pub fn run(arguments: &[OsString]) -> ExitCode {
    output::run(|out| answer(arguments, out), ExitCode::FAILURE)
}

fn answer(words: &[OsString], out: &mut dyn Write) -> Result<ExitCode, RunError> {
    let given = TOOL.read(words)?;
    if given.help {
        out.write_all(TOOL.usage().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    if given.version {
        writeln!(out, "$HoldadviseVersion: {} $", env!("CARGO_PKG_VERSION"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = Config::of_user();
    let settings = settings(given, &config)?;
    config.old_names().iter().for_each(|line| say("Note", line));
    let Some(settings) = settings else { return Ok(ExitCode::SUCCESS) };
    let now = Timestamp::now().as_second();
    let Some(report) = collect(&settings, now)? else {
        say("Note", "another process keeps logs in this folder; this one leaves it to that");
        return Ok(ExitCode::SUCCESS);
    };
    for deleted in &report.deleted {
        say("Note", &deleted.sentence());
    }
    for gap in &report.new_gaps {
        say("Warning", &gap.sentence());
    }
    for problem in &report.problems {
        say("Error", problem);
    }
    out.write_all(attributes(&report, now).as_bytes())?;
    Ok(if report.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `None`: it is switched off.
fn settings(given: Given, config: &Config) -> Result<Option<Settings>, RunError> {
    let folder = given.folder.or_else(|| config.get("HOLDADVISE_COLLECT_DIR").map(PathBuf::from));
    if folder.as_ref().is_some_and(|folder| folder.as_os_str().eq_ignore_ascii_case("none")) {
        return Ok(None);
    }
    let mut settings = Settings::of(folder.unwrap_or_else(|| PathBuf::from(FOLDER)));
    let log =
        |given: Option<PathBuf>, knob| given.or_else(|| config.get_condor(knob).map(PathBuf::from));
    settings.event_log = log(given.event_log, "EVENT_LOG");
    settings.epochs = log(given.epochs, "JOB_EPOCH_HISTORY");
    if settings.event_log.is_none() && settings.epochs.is_none() {
        return Err(RunError::failed(
            "nothing to keep: neither EVENT_LOG nor JOB_EPOCH_HISTORY is set here; set one, or give \
             -eventlog or -epochs and a file",
        ));
    }
    let set = |given: Option<u64>, knob| match given {
        Some(number) => Ok(Some(number)),
        None => Ok::<_, SettingError>(config.size(knob)?.map(i64::unsigned_abs)),
    };
    if let Some(days) = set(given.days, "HOLDADVISE_KEEP_DAYS")? {
        // More days than there were is all.
        settings.keep_days = u32::try_from(days).unwrap_or(u32::MAX);
    }
    if let Some(bytes) = set(given.bytes, "HOLDADVISE_KEEP_BYTES")? {
        settings.keep_bytes = bytes;
    }
    Ok(Some(settings))
}

/// What SCHEDD_CRON puts into the ad of the schedd. A line that begins with a dash ends it.
fn attributes(report: &Report, now: i64) -> String {
    let mut text = String::new();
    let last_gap = report.gaps.iter().map(|gap| gap.until).max();
    let problem = report.problems.first().and_then(|line| classad_quote(&printable(line)));
    let values = [
        ("Pass", Some(now.to_string())),
        ("Files", Some(report.files.to_string())),
        ("Bytes", Some(report.bytes.to_string())),
        ("Taken", Some(report.taken.to_string())),
        ("Deleted", Some(report.deleted.len().to_string())),
        ("Gaps", Some(report.gaps.len().to_string())),
        ("LastGap", last_gap.map(|until| until.to_string())),
        ("Problems", Some(report.problems.len().to_string())),
        ("Problem", problem),
    ];
    for (name, value) in values {
        if let Some(value) = value {
            let _ = writeln!(text, "HoldAdviceLogs{name} = {value}");
        }
    }
    text.push_str("-\n");
    text
}

/// The manual page of `condor_holdadvise_collect`, section 1, in the language of man(7).
pub fn manual_page() -> String {
    let mut page = Page::begin(&TOOL, "keep logs of an access point over their rotations");
    page.paragraphs("Description", &DESCRIPTION);
    page.options(&[], &TOOL);
    page.section("Attributes");
    page.paragraph(
        "These are printed, and SCHEDD_CRON puts them into the ad of the schedd: HoldAdviceLogsPass, when this was, Unix seconds; \
         HoldAdviceLogsFiles and HoldAdviceLogsBytes, what is kept; HoldAdviceLogsTaken and HoldAdviceLogsDeleted, files of this pass; \
         HoldAdviceLogsGaps, and HoldAdviceLogsLastGap, when the last one ended; HoldAdviceLogsProblems, and HoldAdviceLogsProblem, \
         the first of them.",
    );
    page.section("Configuration");
    page.paragraph(
        "A setting is looked up in this order: the option, the environment (_CONDOR_NAME or _condor_NAME), HTCondor's configuration \
         through condor_config_val, the default. A value that cannot be used is an error.",
    );
    for knob in KNOBS {
        page.tagged(knob.name, knob.help);
    }
    page.section("Exit Status");
    page.paragraph("0 - All is kept that was there, or another process is at it.");
    page.paragraph(
        "1 - Failure: something could not be kept, which is said on standard error; what is kept stays, and the next pass goes on. Or \
         the arguments or settings cannot be used.",
    );
    page.finish(&EXAMPLES, "condor_holdadvise(1), condor_history(1), condor_config_val(1)")
}

const DESCRIPTION: [&str; 3] = [
    "condor_holdadvise_collect makes one pass: it takes what HTCondor wrote to the event log of the access point and to the epoch ads since \
     the last one, with the files they were rotated to, into a folder of its own. holdadvise-train reads that folder as a log.",
    "The live file is a hard link, where the folder is on its file system, else a copy that grows. A rotated one is compressed a minute \
     after it was last written. A pass may be killed at any moment; nothing is then there twice, and nothing is lost.",
    "Where files were rotated away before they were seen, this is said on standard error and noted in the file gaps.jsonl of the folder.",
];

const EXAMPLES: [(&str, &str); 2] = [
    ("Keep what the configuration names:", "condor_holdadvise_collect"),
    (
        "Keep 30 days of an event log in a folder:",
        "condor_holdadvise_collect -eventlog /var/log/condor/EventLog -folder /data/logs -days 30",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds() {
        TOOL.check_table();
    }

    #[test]
    fn the_page_in_the_tree_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/man/condor_holdadvise_collect.1");
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            kept == manual_page(),
            "run: cargo run --example manual -- condor_holdadvise_collect > man/condor_holdadvise_collect.1"
        );
    }

    #[test]
    fn attributes_are_lines_of_an_ad() {
        let mut report = Report::default();
        report.problems.push("/x: \"quoted\"\nand more".to_owned());
        let text = attributes(&report, 5);
        assert!(text.starts_with("HoldAdviceLogsPass = 5\nHoldAdviceLogsFiles = 0\n"), "{text}");
        assert!(text.contains("HoldAdviceLogsProblem = \"/x: \\\"quoted\\\""), "{text}");
        assert!(!text.contains("LastGap") && text.ends_with("\n-\n"), "{text}");
        assert_eq!(text.lines().count(), 9, "{text}");
    }
}
