//! What the command line asks for.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use classads::Expr;

use super::apply::{Act, Apply, How};
use super::arguments::{ArgumentError, Fit, Value, Word, is_not, parsed};
use super::catalogue::About;
use super::named_file;
use super::options::TOOL;
use super::outcomes::Outcomes;
use super::output::{has_utf8, shows_colour};
use super::piped;
use super::profile::Profiling;
use crate::advice::Recommendation;
use crate::inquiry::{Inputs, Inquiry, JobAds};
use crate::print::{PrintForm, Style, TotalsBy};
use crate::queue::display_path;
use crate::text::{classad_quote, printable};
use crate::workflow::By;

/// One call of the tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    /// `-debug`.
    pub(super) debug: bool,
    pub(super) task: Task,
}

/// What a call does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Task {
    /// `-help`
    Help,
    /// `-version`, with the columns to fit lines to.
    Version(Option<PathBuf>, Option<usize>),
    /// `-catalogue`
    Catalogue(About),
    /// `-outcomes`
    Outcomes(Outcomes),
    /// `-profile`
    Profile(Profiling),
    /// `-watch`, with the time between two looks.
    Watch(Asked, Duration),
    /// `-apply`
    Apply(Act),
    /// Prints advice.
    Advise(Asked),
}

impl Task {
    /// Whom it asks.
    pub(super) fn inquiry_mut(&mut self) -> Option<&mut Inquiry> {
        match self {
            Self::Help | Self::Version(..) | Self::Catalogue(_) => None,
            Self::Outcomes(Outcomes { inquiry, .. })
            | Self::Profile(Profiling { inquiry, .. })
            | Self::Watch(Asked { inquiry, .. }, _)
            | Self::Apply(Act { inquiry, .. })
            | Self::Advise(Asked { inquiry, .. }) => Some(inquiry),
        }
    }
}

/// Which jobs, from which sources, and what is printed of the answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) inquiry: Inquiry,
    pub(super) printing: Printing,
}

/// What is printed of an answer, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Printing {
    /// The form.
    pub(super) output: PrintForm,
    /// What else options say of it.
    pub(super) style: Style,
    /// `-advice`: what is printed; none: all of them.
    pub(super) advice: Option<Vec<Recommendation>>,
    /// `-html`: the page that is written.
    pub(super) page: Option<PathBuf>,
}

impl Printing {
    /// Whether a job with this advice is printed.
    pub(super) fn shows(&self, recommendation: Recommendation) -> bool {
        self.advice.as_ref().is_none_or(|advice| advice.contains(&recommendation))
    }
}

/// What is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum CountBy {
    /// Places, of `-workflow` and `-dag`.
    Places(By),
    /// `-totals`
    Totals(TotalsBy),
}

/// What the options say, each for itself.
#[derive(Debug, Default)]
pub(in crate::cli) struct Given {
    pub(in crate::cli) inquiry: Inquiry,
    pub(in crate::cli) printing: Printing,
    /// `-wide`
    pub(super) fit: Fit,
    /// `-incidents`
    pub(super) incidents: bool,
    /// `-by`
    pub(super) by: Option<CountBy>,
    /// `-dag`
    pub(super) dag: Option<PathBuf>,
    /// `-dagnode`: what is true for the jobs of the node.
    node: Option<String>,
    pub(super) help: bool,
    pub(super) version: bool,
    pub(super) debug: bool,
    /// `-catalogue`, with the words behind it.
    pub(super) catalogue: Option<Vec<String>>,
    /// `-check`
    pub(super) check: Option<PathBuf>,
    pub(super) outcomes: bool,
    pub(super) profile: bool,
    pub(super) pairs: bool,
    pub(super) apply: Option<Apply>,
    pub(super) how: How,
    pub(super) watch: Option<Duration>,
}

impl Request {
    /// Reads the words after the program's name.
    ///
    /// # Errors
    /// [`ArgumentError`] for an unknown option, a missing or wrong value, or options that exclude
    /// each other.
    pub(super) fn read(words: &[OsString]) -> Result<Self, ArgumentError> {
        let given = TOOL.read(words)?;
        Ok(Self { debug: given.debug, task: given.task()? })
    }
}

impl Given {
    fn task(mut self) -> Result<Task, ArgumentError> {
        let fitted = self.fit.style();
        if self.help {
            return Ok(Task::Help);
        }
        if self.version {
            return Ok(Task::Version(self.inquiry.model, fitted.columns));
        }
        if let Some(words) = self.catalogue {
            return Ok(Task::Catalogue(match self.check {
                Some(file) => About::File(file),
                None if words.is_empty() => About::All,
                None => About::Text(words.join(" ")),
            }));
        }
        self.check_expressions()?;
        if !self.profile {
            named_file::refuse(&self.inquiry.selection.jobs)?;
        }
        let Printing { output, style, page, .. } = &mut self.printing;
        let Style { columns, table, .. } = fitted;
        let (colour, ascii) = (shows_colour() && page.is_none(), !has_utf8());
        *style = Style { colour, ascii, columns, table, ..*style };
        let is_workflow = self.inquiry.places.is_some() || self.dag.is_some();
        let inquiry = &mut self.inquiry;
        if self.incidents {
            *output = PrintForm::Incidents { as_json: *output == PrintForm::Json };
        }
        match (self.by, &mut *output) {
            (Some(CountBy::Totals(by)), PrintForm::Totals(of)) => *of = by,
            (Some(CountBy::Totals(_)), _) => {
                return Err(ArgumentError(
                    "-by advice, cause, code and owner are of -totals".to_owned(),
                ));
            }
            (Some(CountBy::Places(by)), _) if is_workflow => inquiry.places = Some(by),
            (Some(CountBy::Places(_)), _) => {
                return Err(ArgumentError(
                    "-by machine and site are of -workflow and -dag".to_owned(),
                ));
            }
            (None, _) => {}
        }
        inquiry.places = inquiry.places.or(self.dag.as_ref().map(|_| By::Either));
        inquiry.places_alone = is_workflow && *output == PrintForm::Json;
        inquiry.inputs = match *output {
            PrintForm::Cards if !style.why => Inputs::None,
            ref output => output.inputs(),
        };
        inquiry.attributes = output.attributes();
        inquiry.dag_node = self.node.is_some();
        inquiry.repeats = self.watch.is_some();
        inquiry.goes_on = self.watch.is_some() || self.node.is_some();
        let selection = &mut inquiry.selection;
        selection.any_state = is_workflow || self.profile;
        selection.constraint = match (selection.constraint.take(), self.node.take()) {
            (Some(one), Some(two)) => Some(format!("({one}) && {two}")),
            (one, two) => one.or(two),
        };
        if let Some(path) = &self.dag {
            inquiry.take_dag(path).map_err(|error| {
                let path = display_path(path);
                ArgumentError(format!("-dag: cannot read the DAG file {path}: {error}"))
            })?;
        }
        let ads = inquiry.job_ads.as_ref().map(JobAds::name);
        let files = ads.into_iter().chain(inquiry.epochs.as_deref());
        let logs = inquiry.user_logs.iter().chain(&inquiry.event_logs);
        piped::check_read_once(files.chain(logs.map(PathBuf::as_path)))?;
        if self.watch.is_some() && inquiry.is_offline() {
            let text = "-watch asks the queue again and again, and -eventlog alone asks none: name jobs or an owner";
            return Err(ArgumentError(text.to_owned()));
        }
        self.inquiry.selection.thrashing = self.prints_thrashing();
        let Self { inquiry, printing, .. } = self;
        let as_json = printing.output == PrintForm::Json;
        Ok(if self.outcomes {
            Task::Outcomes(Outcomes { inquiry, as_json, columns })
        } else if self.profile {
            let style = printing.style;
            Task::Profile(Profiling { inquiry, pairs: self.pairs, as_json, style })
        } else if let Some(every) = self.watch {
            Task::Watch(Asked { inquiry, printing }, every)
        } else if let Some(what) = self.apply {
            Task::Apply(Act { inquiry, what, how: self.how })
        } else {
            Task::Advise(Asked { inquiry, printing })
        })
    }

    /// What is printed is ClassAd expressions.
    fn check_expressions(&self) -> Result<(), ArgumentError> {
        for text in self.printing.output.expressions() {
            if let Err(error) = Expr::parse_old(text) {
                return Err(ArgumentError(format!(
                    "\"{}\" is neither an attribute nor a ClassAd expression: {error}",
                    printable(text)
                )));
            }
        }
        Ok(())
    }

    /// Jobs that thrash are printed below the held ones, for people; nobody acts on them.
    fn prints_thrashing(&self) -> bool {
        let for_people = self.printing.output.is_for_people();
        let inquiry = &self.inquiry;
        let is_more = self.apply.is_some() || self.watch.is_some() || inquiry.dag_node;
        for_people
            && !is_more
            && inquiry.places.is_none()
            && !self.profile
            && inquiry.limit.is_none()
            && self.printing.advice.is_none()
    }

    /// `-nobatch` goes before `-totals`, and any form for programs before both.
    pub(super) fn print_people(&mut self, output: PrintForm) {
        let printed = &mut self.printing.output;
        if matches!(printed, PrintForm::Cards)
            || matches!(printed, PrintForm::Totals(_)) && output == PrintForm::Table
        {
            *printed = output;
        }
    }
}

/// The letters of `-af`.
pub(super) const LETTERS: &str = "jlhVrTY,tng";

/// `-af`: letters, and attributes and expressions.
pub(super) fn auto_format(
    all: &mut Given,
    colon: Option<&str>,
    words: &[&OsStr],
) -> Result<(), String> {
    let more = colon.unwrap_or_default();
    if !more.chars().all(|letter| LETTERS.contains(letter)) {
        return Err(format!("expected letters out of {LETTERS}"));
    }
    let names = words.iter().map(|word| String::read(word)).collect::<Result<Vec<_>, _>>()?;
    match &mut all.printing.output {
        PrintForm::AutoFormat(letters, known) => {
            letters.push_str(more);
            known.extend(names);
        }
        output => *output = PrintForm::AutoFormat(more.to_owned(), names),
    }
    Ok(())
}

/// `-catalogue`: a name of an entry or a text, if any.
pub(super) fn catalogue(all: &mut Given, _: Option<&str>, words: &[&OsStr]) -> Result<(), String> {
    let words = words.iter().map(|word| String::read(word)).collect::<Result<_, _>>()?;
    all.catalogue = Some(words);
    Ok(())
}

/// `-format`: a printf format and what is printed through it.
pub(super) fn format(all: &mut Given, _: Option<&str>, words: &[&OsStr]) -> Result<(), String> {
    let pair = (String::read(words[0])?, String::read(words[1])?);
    match &mut all.printing.output {
        PrintForm::Format(pairs) => pairs.push(pair),
        output => *output = PrintForm::Format(vec![pair]),
    }
    Ok(())
}

/// Seconds between two looks of `-watch`, where none are named, and at most: a day. Assumed.
const WATCH_SECONDS: u64 = 60;
const MOST_WATCH_SECONDS: u64 = 86_400;

/// `-watch`, with the seconds behind its colon.
pub(super) fn watch(all: &mut Given, colon: Option<&str>, _: &[&OsStr]) -> Result<(), String> {
    let number = |text: &str| text.parse().ok().filter(|n| (1..=MOST_WATCH_SECONDS).contains(n));
    let seconds = colon.map_or(Some(WATCH_SECONDS), number);
    let seconds = seconds.ok_or_else(|| format!("expected seconds, 1 to {MOST_WATCH_SECONDS}"))?;
    all.watch = Some(Duration::from_secs(seconds));
    Ok(())
}

/// `-dagnode`: an expression that is true for the jobs of a node of a DAG.
pub(super) fn dag_node(all: &mut Given, _: Option<&str>, words: &[&OsStr]) -> Result<(), String> {
    let node = classad_quote(&String::read(words[0])?)
        .ok_or("the name of the node cannot be written as a ClassAd string")?;
    let id = String::read(words[1])?;
    let id: i32 = parsed(id.trim().as_ref(), "the ClusterId of a DAGMan job ($DAGID)")?;
    all.node = Some(format!("DAGManJobId == {id} && DAGNodeName == {node}"));
    Ok(())
}

/// Words of a list with commas between.
impl Value for Vec<Recommendation> {
    const WORD: Word = Word::Text("advice,...");

    fn read(word: &OsStr) -> Result<Self, String> {
        let known = |word: &str| {
            let of = |one: &Recommendation| one.name().eq_ignore_ascii_case(word);
            let names = || Recommendation::ALL.map(|one| one.name()).join(", ");
            let expected = || is_not(word.as_ref(), &format!("one of {}", names()));
            Recommendation::ALL.into_iter().find(of).ok_or_else(expected)
        };
        String::read(word)?.split(',').map(|word| known(word.trim())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{JobSpec, Selection};
    use eventlog::JobId;

    fn task(line: &str) -> Result<Task, ArgumentError> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Request::read(&words).map(|request| request.task)
    }

    fn read(line: &str) -> Result<Asked, ArgumentError> {
        task(line).map(|task| match task {
            Task::Advise(asked) | Task::Watch(asked, _) => asked,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn nothing_asks_for_own_held_jobs() {
        let request = read("").unwrap();
        assert_eq!(
            request.inquiry.selection,
            Selection { thrashing: true, ..Selection::default() }
        );
        assert_eq!(request.printing.output, PrintForm::Cards);
        assert!(
            request.printing.style.columns.is_some_and(|columns| (40..=100).contains(&columns))
        );
        assert!(!request.inquiry.is_offline());
    }

    #[test]
    fn blanks_around_the_id_of_a_dag_do_not_matter() {
        let mut given = Given::default();
        dag_node(&mut given, None, &["A".as_ref(), " 12 ".as_ref()]).unwrap();
        assert_eq!(given.node.as_deref(), Some("DAGManJobId == 12 && DAGNodeName == \"A\""));
    }

    #[test]
    fn a_full_line() {
        let request = read(
            "7.1 bob -u a.log -u b.log -ev E -ep P -mo m.pt -now -5 -lim 3 -w -n s -po h -cos failed=2 -cost \
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
        assert_eq!(read("-long").unwrap().printing.output, PrintForm::Long);
        assert_eq!(read("-json").unwrap().printing.output, PrintForm::Json);
        assert_eq!(read("-nob").unwrap().printing.output, PrintForm::Table);
        assert_eq!(read("-wide:132").unwrap().printing.style.columns, Some(132));
        assert_eq!(
            read("-af:j A B -af:h C").unwrap().printing.output,
            PrintForm::AutoFormat("jh".to_owned(), vec!["A".into(), "B".into(), "C".into()])
        );
        assert_eq!(
            read("-f %d A -format -%s B").unwrap().printing.output,
            PrintForm::Format(vec![("%d".into(), "A".into()), ("-%s".into(), "B".into())])
        );
    }

    #[test]
    fn a_watch_has_its_seconds_behind_a_colon() {
        let watch = |line: &str| match task(line).unwrap() {
            Task::Watch(_, every) => Some(every.as_secs()),
            _ => None,
        };
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
            Some(vec![Recommendation::Wait, Recommendation::Look])
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
        for number in ["0", "many", "-3"] {
            let text = format!("-limit: \"{number}\" is not a whole number from 1 on");
            assert_eq!(error(&format!("-limit {number}")), text);
        }
        assert_eq!(
            error("-cost failed=soon"),
            "-cost: \"failed=soon\" is not failed=HOURS, delay=HOURS, keep=HOURS, work=HOURS or person=HOURS with a number of hours from \
             0 on"
        );
        assert_eq!(error("-json -long"), "-json excludes -long: one form is printed");
    }

    #[test]
    fn a_call_does_one_thing() {
        let error = |line: &str| task(line).unwrap_err().to_string();
        for (line, expected) in [
            ("-outcomes -profile", "-outcomes excludes -profile: one is done in a call"),
            ("-outcomes 12", "-outcomes excludes 12: it is about all acts in the journal"),
            ("-outcomes -long", "-outcomes excludes -long: it prints no advice"),
            ("-pairs", "-pairs needs -profile"),
            ("-watch -max 3", "-max goes with -apply, not with -watch"),
            ("-html x -outcomes", "-html excludes -outcomes: a page is written of advice"),
        ] {
            assert_eq!(error(line), expected);
        }
        assert_eq!(task("-watch -help -now 3").unwrap(), Task::Help);
        let Task::Apply(act) = task("-apply try -max 3 -yes 7").unwrap() else { panic!() };
        assert_eq!(act.how, How { dry_run: false, most: Some(3), yes: true });
    }
}
