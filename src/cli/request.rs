//! What the command line asks for.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use classads::Expr;

use super::apply::Apply;
use super::arguments::{self, ArgumentError};
use super::named_file;
use super::options::TOOL;
use super::output::shows_colour;
use super::piped;
use crate::advice::Recommendation;
use crate::inquiry::{Checks, Inquiry, JobAds, NamedModel};
use crate::model::EngineKind;
use crate::print::{Output, Style};
use crate::queue::{JobSpec, Selection, display_path};
use crate::text::{classad_quote, printable};
use crate::workflow::By;

/// One call of the tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    /// Which jobs, from which sources.
    pub(super) inquiry: Inquiry,
    /// `-help`.
    pub(super) help: bool,
    /// `-version`.
    pub(super) version: bool,
    /// `-debug`.
    pub(super) debug: bool,
    /// What is printed of the answer, and how.
    pub(super) printing: Printing,
    /// `-profile`.
    pub(super) profile: bool,
    /// `-pairs`.
    pub(super) pairs: bool,
    /// `-apply`
    pub(super) apply: Option<Apply>,
    /// `-outcomes`
    pub(super) outcomes: bool,
    /// `-mcp`
    pub(super) mcp: bool,
    /// `-dry-run`
    pub(super) dry_run: bool,
    /// `-max`
    pub(super) most: Option<usize>,
    /// `-yes`
    pub(super) yes: bool,
    /// `-watch`: time between two looks.
    pub(super) watch: Option<Duration>,
}

/// What is printed of an answer, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Printing {
    /// The form.
    pub(super) output: Output,
    /// What else options say of it.
    pub(super) style: Style,
    /// `-advice`: what is printed; none: all of them.
    pub(super) advice: Vec<Recommendation>,
    /// `-html`: the page that is written.
    pub(super) page: Option<PathBuf>,
}

impl Printing {
    /// Whether a job with this advice is printed.
    pub(super) fn shows(&self, recommendation: Recommendation) -> bool {
        self.advice.is_empty() || self.advice.contains(&recommendation)
    }
}

impl Request {
    /// Reads the words after the program's name.
    ///
    /// # Errors
    /// [`ArgumentError`] for an unknown option, a missing or wrong value, or options that exclude
    /// each other.
    pub(super) fn read(words: &[OsString]) -> Result<Self, ArgumentError> {
        Self::from_matches(&arguments::read(&TOOL, words, value)?)
    }

    fn from_matches(matches: &ArgMatches) -> Result<Self, ArgumentError> {
        let text = |id: &str| matches.get_one::<String>(id).cloned();
        let texts = |id: &str| -> Vec<String> {
            matches.get_many::<String>(id).map(|all| all.cloned().collect()).unwrap_or_default()
        };
        let path = |id: &str| matches.get_one::<PathBuf>(id).cloned();
        let paths = |id: &str| -> Vec<PathBuf> {
            matches.get_many::<PathBuf>(id).map(|all| all.cloned().collect()).unwrap_or_default()
        };
        let output = if matches.get_flag("long") {
            Output::Long
        } else if matches.get_flag("json") {
            Output::Json
        } else if matches.get_flag("jsonl") {
            Output::JsonLines
        } else if matches.contains_id("af") {
            Output::AutoFormat(texts("af-qualifiers").concat(), texts("af"))
        } else if matches.contains_id("format") {
            let pairs = texts("format").into_iter().zip(texts("format-attribute"));
            Output::Format(pairs.collect())
        } else if matches.get_flag("nobatch") {
            Output::Table
        } else if matches.get_flag("totals") {
            Output::Totals
        } else {
            Output::Groups
        };
        let watch = watch(matches)?;
        let is_workflow = workflow(matches)?;
        let is_profile = profile(matches)?;
        let given_page = is_given(matches, "html");
        let of_node = dag_node(text("dagnode"), text("dagnode-DAGManJobId"))?;
        let inquiry = Inquiry {
            selection: Selection {
                jobs: jobs(&texts(arguments::OPERANDS)),
                constraint: both(text("constraint"), of_node.clone()),
                all_users: matches.get_flag("allusers"),
                any_state: is_workflow || is_profile,
                thrashing: false,
            },
            limit: number(matches, "limit")?,
            schedd: text("name"),
            pool: text("pool"),
            job_ads: path("jobads").map(JobAds::File),
            user_logs: paths("userlog"),
            event_logs: paths("eventlog"),
            epochs: path("epochs"),
            dag: None,
            nodes_log: None,
            places: is_workflow.then(|| match text("by").as_deref() {
                Some("machine") => By::Machine,
                Some(_) => By::Site,
                None => By::Either,
            }),
            places_alone: is_workflow && output == Output::Json,
            model: NamedModel {
                file: path("model"),
                engine: text("engine").and_then(|name| EngineKind::of(&name)),
            },
            checks: text("checks").and_then(|word| Checks::read(&word)),
            costs: matches.get_many("cost").into_iter().flatten().copied().collect(),
            now: matches.get_one::<i64>("now").copied(),
            inputs: output.inputs(),
            attributes: output.attributes(),
            dag_node: of_node.is_some(),
            goes_on: watch.is_some() || of_node.is_some(),
        };
        let mut request = Self {
            inquiry,
            help: matches.get_flag("help"),
            version: matches.get_flag("version"),
            debug: matches.get_flag("debug"),
            printing: Printing {
                output,
                style: Style {
                    colour: shows_colour() && !given_page,
                    removals: matches.get_flag("removals"),
                    explains: matches.get_flag("explain-decision"),
                    ..arguments::style(matches)
                },
                advice: advice(matches)?,
                page: path("html"),
            },
            profile: is_profile,
            pairs: matches.get_flag("pairs"),
            apply: apply(matches)?,
            outcomes: outcomes(matches)?,
            mcp: mcp(matches)?,
            dry_run: matches.get_flag("dry-run"),
            most: number(matches, "max")?,
            yes: matches.get_flag("yes"),
            watch,
        };
        for text in request.printing.output.expressions() {
            if let Err(error) = Expr::parse_old(text) {
                return Err(ArgumentError::Invalid(format!(
                    "\"{}\" is neither an attribute nor a ClassAd expression: {error}",
                    printable(text)
                )));
            }
        }
        let inquiry = &mut request.inquiry;
        if !request.profile {
            named_file::refuse(&inquiry.selection.jobs)?;
        }
        if let Some(path) = path("dag") {
            inquiry.take_dag(&path).map_err(|error| {
                let path = display_path(&path);
                ArgumentError::Invalid(format!("-dag: cannot read the DAG file {path}: {error}"))
            })?;
        }
        let ads = inquiry.job_ads.as_ref().map(JobAds::name);
        let files = ads.into_iter().chain(inquiry.epochs.as_deref());
        let logs = inquiry.user_logs.iter().chain(&inquiry.event_logs);
        piped::check_read_once(files.chain(logs.map(PathBuf::as_path)))?;
        if request.watch.is_some() && inquiry.is_offline() {
            let text = "-watch asks the queue again and again, and -eventlog alone asks none: name jobs or an owner";
            return Err(ArgumentError::Invalid(text.to_owned()));
        }
        request.inquiry.selection.thrashing = request.prints_thrashing();
        Ok(request)
    }

    /// Jobs that thrash are printed below the held ones, for people; nobody acts on them.
    fn prints_thrashing(&self) -> bool {
        let for_people =
            matches!(self.printing.output, Output::Groups | Output::Table | Output::Totals);
        let inquiry = &self.inquiry;
        let is_more = self.apply.is_some() || self.watch.is_some() || inquiry.dag_node;
        for_people
            && !is_more
            && inquiry.places.is_none()
            && !self.profile
            && inquiry.limit.is_none()
            && self.printing.advice.is_empty()
    }
}

/// What follows the options whose values are no plain text.
fn value(argument: Arg, what: &str) -> Arg {
    match what {
        "builtin|torch" => argument.value_parser(["builtin", "torch"]),
        "release|try|change|remove" => argument.value_parser(Apply::WORDS.map(|(word, _)| word)),
        "machine|site" => argument.value_parser(["machine", "site"]),
        "local|all|none" => argument.value_parser(["local", "all", "none"]),
        _ => argument,
    }
}

/// An expression that is true for the jobs of a node of a DAG.
fn dag_node(node: Option<String>, id: Option<String>) -> Result<Option<String>, ArgumentError> {
    let Some((node, id)) = node.zip(id) else { return Ok(None) };
    let wrong = |what: &str| Err(ArgumentError::Invalid(format!("-dagnode: {what}")));
    let Ok(id) = id.trim().parse::<i32>() else {
        return wrong(&format!("\"{id}\" is not the ClusterId of a DAGMan job ($DAGID)"));
    };
    match classad_quote(&node) {
        Some(node) => Ok(Some(format!("DAGManJobId == {id} && DAGNodeName == {node}"))),
        None => wrong("the name of the node cannot be written as a ClassAd string"),
    }
}

/// Both expressions, where there are two.
fn both(one: Option<String>, two: Option<String>) -> Option<String> {
    match (one, two) {
        (Some(one), Some(two)) => Some(format!("({one}) && {two}")),
        (one, two) => one.or(two),
    }
}

/// The jobs and owners named, each a word or one of a list.
fn jobs(operands: &[String]) -> Vec<JobSpec> {
    operands.iter().flat_map(|word| JobSpec::words(word)).map(JobSpec::parse).collect()
}

/// `-workflow` prints for people, or one object of JSON.
fn workflow(matches: &ArgMatches) -> Result<bool, ArgumentError> {
    let given = |name: &str| is_given(matches, name);
    if !matches.get_flag("workflow") && !given("dag") {
        return match ["by", "html"].into_iter().find(|name| given(name)) {
            Some(name) => Err(ArgumentError::Invalid(format!("-{name} needs -workflow or -dag"))),
            None => Ok(false),
        };
    }
    let others = ["long", "jsonl", "af", "format", "watch", "apply", "outcomes"];
    match others.into_iter().find(|name| given(name)) {
        Some(name) => Err(ArgumentError::Invalid(format!("-workflow excludes -{name}"))),
        None => Ok(true),
    }
}

/// `-profile` prints for people, or one object of JSON.
fn profile(matches: &ArgMatches) -> Result<bool, ArgumentError> {
    let given = |name: &str| is_given(matches, name);
    if !matches.get_flag("profile") {
        return match given("pairs") {
            true => Err(ArgumentError::Invalid("-pairs needs -profile".to_owned())),
            false => Ok(false),
        };
    }
    let printing = PRINTING.into_iter().filter(|name| *name != "json");
    let of_advice = ["limit", "model", "engine", "cost", "checks", "userlog", "eventlog", "epochs"];
    let others = ["workflow", "dag", "watch", "apply", "outcomes"].into_iter().chain(of_advice);
    match others.chain(printing).find(|name| given(name)) {
        Some(name) => Err(ArgumentError::Invalid(format!("-profile excludes -{name}"))),
        None => Ok(true),
    }
}

/// `-advice`: words of a list.
fn advice(matches: &ArgMatches) -> Result<Vec<Recommendation>, ArgumentError> {
    let Some(list) = matches.get_one::<String>("advice") else { return Ok(Vec::new()) };
    let known = |word: &str| {
        let of = Recommendation::ALL.into_iter().find(|one| one.name().eq_ignore_ascii_case(word));
        of.ok_or_else(|| {
            let names = Recommendation::ALL.map(|one| one.name()).join(", ");
            let word = printable(word);
            ArgumentError::Invalid(format!("-advice: \"{word}\" is not one of {names}"))
        })
    };
    list.split(',').map(|word| known(word.trim())).collect()
}

/// `-limit` and `-max`: one job at least.
fn number(matches: &ArgMatches, name: &str) -> Result<Option<usize>, ArgumentError> {
    match matches.get_one::<u64>(name) {
        Some(0) => Err(ArgumentError::Invalid(format!("-{name}: expected a number from 1 on"))),
        number => Ok(number.map(|&n| usize::try_from(n).unwrap_or(usize::MAX))),
    }
}

/// The command line has this option.
fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches.value_source(name) == Some(ValueSource::CommandLine)
}

/// Options that say how advice is printed.
const PRINTING: [&str; 10] = [
    "advice",
    "long",
    "json",
    "jsonl",
    "af",
    "format",
    "nobatch",
    "totals",
    "removals",
    "explain-decision",
];

/// `-outcomes` is about the journal alone.
fn outcomes(matches: &ArgMatches) -> Result<bool, ArgumentError> {
    let given = |name: &str| is_given(matches, name);
    if !matches.get_flag("outcomes") {
        return Ok(false);
    }
    if given(arguments::OPERANDS) {
        let text = "-outcomes is about all acts in the journal: expected no jobs or owners";
        return Err(ArgumentError::Invalid(text.to_owned()));
    }
    let of_jobs = ["apply", "dagnode", "constraint", "allusers", "limit", "jobads", "userlog"];
    let others = ["eventlog", "epochs", "checks", "now"];
    let printing = PRINTING.into_iter().filter(|name| *name != "json");
    match of_jobs.into_iter().chain(others).chain(printing).find(|name| given(name)) {
        Some(name) => Err(ArgumentError::Invalid(format!(
            "-outcomes is about acts in the journal, and -{name} about advice on jobs"
        ))),
        None => Ok(true),
    }
}

/// `-mcp` takes what is asked from its messages.
fn mcp(matches: &ArgMatches) -> Result<bool, ArgumentError> {
    if !matches.get_flag("mcp") {
        return Ok(false);
    }
    let mut others = matches.ids().map(|id| id.as_str()).filter(|name| *name != "mcp");
    match others.find(|name| is_given(matches, name)) {
        Some(_) => Err(ArgumentError::Invalid(
            "-mcp serves an assistant, which asks by messages: expected nothing else".to_owned(),
        )),
        None => Ok(true),
    }
}

/// Seconds between two looks of `-watch`, where none are named. Assumed.
const WATCH_SECONDS: u64 = 60;

/// `-watch` follows the queue of now, all of the jobs that are named, and prints changes.
fn watch(matches: &ArgMatches) -> Result<Option<Duration>, ArgumentError> {
    // Checked where the colon was read.
    let seconds = matches.get_many::<String>("watch-qualifiers").into_iter().flatten().last();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    if seconds.is_none() && !matches.get_flag("watch") {
        return Ok(None);
    }
    let refused = [
        ("it prints advice and carries none out", ["apply", "outcomes"].as_slice()),
        ("it asks the queue again and again", &["jobads", "userlog", "now"]),
        ("others would be left out at each look", &["limit"]),
        ("changes are printed as lines, or with -json", &["long", "af", "format", "totals"]),
        ("a change to another advice would not be seen", &["advice"]),
    ];
    for (why, names) in refused {
        if let Some(name) = names.iter().find(|name| is_given(matches, name)) {
            return Err(ArgumentError::Invalid(format!("-watch excludes -{name}: {why}")));
        }
    }
    Ok(Some(Duration::from_secs(seconds.unwrap_or(WATCH_SECONDS))))
}

/// `-apply` acts on the queue of now, and options that belong to it do nothing without it.
fn apply(matches: &ArgMatches) -> Result<Option<Apply>, ArgumentError> {
    let invalid = |text: &str| Err(ArgumentError::Invalid(text.to_owned()));
    let given = |name: &str| is_given(matches, name);
    let Some(word) = matches.get_one::<String>("apply") else {
        let stray = ["dry-run", "max", "yes"].into_iter().find(|name| given(name));
        return match stray {
            Some(name) => Err(ArgumentError::Invalid(format!("-{name} needs -apply"))),
            None => Ok(None),
        };
    };
    if let Some(name) = ["jobads", "now"].into_iter().find(|name| given(name)) {
        return invalid(&format!(
            "-apply acts on the queue as it is now, and -{name} says otherwise"
        ));
    }
    if let Some(name) = PRINTING.into_iter().find(|name| given(name)) {
        return invalid(&format!("-apply says what it does, and -{name} how advice is printed"));
    }
    let of = Apply::WORDS.iter().find(|(name, _)| name == word);
    Ok(of.map(|(_, apply)| *apply))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eventlog::JobId;

    fn read(line: &str) -> Result<Request, ArgumentError> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Request::read(&words)
    }

    #[test]
    fn nothing_asks_for_own_held_jobs() {
        let request = read("").unwrap();
        assert_eq!(
            request.inquiry.selection,
            Selection { thrashing: true, ..Selection::default() }
        );
        assert_eq!(request.printing.output, Output::Groups);
        assert!(
            request.printing.style.columns.is_some_and(|columns| (40..=100).contains(&columns))
        );
        assert!(!request.inquiry.is_offline());
    }

    #[test]
    fn a_full_line() {
        let request = read(
            "7.1 bob -u a.log -u b.log -ev E -ep P -mo m.pt -en torch -now -5 -lim 3 -w -n s -po h -cos failed=2 -cost \
             keep=0",
        )
        .unwrap();
        assert_eq!(
            request.inquiry.selection.jobs,
            [JobSpec::Job(JobId::new(7, 1)), JobSpec::Owner("bob".to_owned())]
        );
        assert_eq!(request.inquiry.user_logs, [PathBuf::from("a.log"), PathBuf::from("b.log")]);
        assert_eq!(request.inquiry.event_logs, [PathBuf::from("E")]);
        assert_eq!(
            (request.inquiry.now, request.inquiry.limit, request.printing.style.columns),
            (Some(-5), Some(3), None)
        );
        assert_eq!(request.inquiry.schedd.as_deref(), Some("s"));
        assert_eq!(request.inquiry.pool.as_deref(), Some("h"));
        assert_eq!(request.inquiry.costs, ["failed=2", "keep=0"].map(|text| text.parse().unwrap()));
        assert!(request.inquiry.is_offline());
    }

    #[test]
    fn an_event_log_alone_is_enough() {
        assert!(read("-eventlog E").unwrap().inquiry.is_offline());
        for asks in ["-eventlog E 7.1", "-ev E -const true", "-ev E -name s", "-ev E bob"] {
            assert!(!read(asks).unwrap().inquiry.is_offline(), "{asks}");
        }
    }

    #[test]
    fn outputs() {
        assert_eq!(read("-long").unwrap().printing.output, Output::Long);
        assert_eq!(read("-json").unwrap().printing.output, Output::Json);
        assert_eq!(read("-nob").unwrap().printing.output, Output::Table);
        assert_eq!(read("-wide:132").unwrap().printing.style.columns, Some(132));
        assert_eq!(
            read("-af:j A B -af:h C").unwrap().printing.output,
            Output::AutoFormat("jh".to_owned(), vec!["A".into(), "B".into(), "C".into()])
        );
        assert_eq!(
            read("-f %d A -format -%s B").unwrap().printing.output,
            Output::Format(vec![("%d".into(), "A".into()), ("-%s".into(), "B".into())])
        );
    }

    #[test]
    fn a_watch_has_its_seconds_behind_a_colon() {
        let watch = |line: &str| read(line).unwrap().watch.map(|time| time.as_secs());
        assert_eq!(watch("1234"), None);
        assert_eq!(watch("-watch 1234"), Some(60));
        assert_eq!(watch("-wat:300 1234 -eventlog E"), Some(300));
        assert_eq!(watch("-watch -jsonl -constraint true"), Some(60));
    }

    #[test]
    fn a_watch_excludes_what_does_not_follow_the_queue() {
        let error = |line: &str| read(line).unwrap_err().to_string();
        assert_eq!(error("-watch:0"), "-watch:0: expected seconds, 1 to 86400");
        assert_eq!(error("-watch:soon"), "-watch:soon: expected seconds, 1 to 86400");
        for other in
            ["-now 5", "-jobads a", "-userlog a", "-apply try", "-outcomes", "-limit 3", "-af A"]
        {
            let name = other.split(' ').next().unwrap();
            assert!(
                error(&format!("-watch {other}")).contains(&format!("excludes {name}: ")),
                "{other}"
            );
        }
        assert!(error("-watch -eventlog E").contains("name jobs or an owner"));
    }

    #[test]
    fn some_advice() {
        assert_eq!(
            read("-advice wait,Look").unwrap().printing.advice,
            [Recommendation::Wait, Recommendation::Look]
        );
        let error = |line: &str| read(line).unwrap_err().to_string();
        assert_eq!(
            error("-ad retry"),
            "-advice: \"retry\" is not one of release, try, change, wait, look, remove, undecided"
        );
        assert!(error("-watch -advice wait").contains("excludes -advice"));
        let text = error("-af ClusterId Cmd+");
        assert!(text.contains("\"Cmd+\" is neither an attribute nor"), "{text}");
    }

    #[test]
    fn wrong_values() {
        let error = |line: &str| read(line).unwrap_err().to_string();
        assert_eq!(error("-limit 0"), "-limit: expected a number from 1 on");
        assert_eq!(error("-limit many"), "-limit: \"many\" is not a whole number that fits");
        assert_eq!(
            error("-cost failed=soon"),
            "-cost: \"failed=soon\" is not failed=HOURS, delay=HOURS, keep=HOURS, work=HOURS or person=HOURS with a number of hours from \
             0 on"
        );
        assert_eq!(error("-engine candle"), "-engine: \"candle\" is not one of builtin, torch");
        assert_eq!(error("-json -long"), "-json conflicts with -long");
    }
}
