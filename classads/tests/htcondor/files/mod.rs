//! Real and recorded ads, and HTCondor's own files of ClassAd tests: the same when they are read,
//! evaluated, printed, and read again.

mod ads;
mod compare;
mod functional;
mod known;
mod sources;
mod unit;

use std::path::{Path, PathBuf};

use ads::{Form, Question};
use compare::Comparison;

use sources::{file_name, files, text};

use crate::judge::data;
use crate::{htcondor, real_data};

const FUNCTIONAL_TESTS: &str = "htcondor+htcondor__src_classad_functional_tests.txt";
/// HTCondor prints the name without its quotes and cannot read that.
const UNREADABLE: &str = "NumHoldsByReason.'Odd Name' + 1";
const UNIT_TESTS: &str = "htcondor+htcondor__src_classad_tests.txt";

/// The interpreter and a folder, if both are there.
fn both(folder: Option<PathBuf>) -> Option<(String, PathBuf)> {
    Some((htcondor()?, folder?))
}

#[test]
fn the_functional_tests_of_htcondor_come_to_the_same() {
    let Some((python, folder)) = both(real_data()) else { return };
    functional::run(&python, &text(&folder.join("classads").join(FUNCTIONAL_TESTS)));
}

#[test]
fn the_unit_tests_of_htcondor_come_to_the_same() {
    let Some((python, folder)) = both(real_data()) else { return };
    let ads = unit::run(&python, &text(&folder.join("classads").join(UNIT_TESTS)));
    let mut comparison = Comparison::default();
    comparison.of(&python, &ads);
    comparison.finish("ads of the unit tests");
}

#[test]
fn real_ads_are_read_evaluated_and_printed_as_htcondor_does() {
    let Some((python, folder)) = both(real_data()) else { return };
    let mut questions = Vec::new();
    for path in files(&folder.join("classads")) {
        match file_name(&path).as_str() {
            // The tests have a test of their own; a list of the files; a table for people.
            FUNCTIONAL_TESTS | UNIT_TESTS | "SOURCES.tsv" => {}
            name if name.ends_with("condor_q.txt") => {}
            name if name.ends_with("job_queue.log") => {
                questions.push(sources::job_queue_log(&path));
            }
            _ => questions.push(sources::whole(&path)),
        }
    }
    for path in
        ["eventlogs", "eventlogs_fixtures"].iter().flat_map(|name| files(&folder.join(name)))
    {
        questions.extend(sources::event_log(&path));
    }
    let mut comparison = Comparison::default();
    comparison.of(&python, &questions);
    comparison.finish("real ads");
}

#[test]
fn real_expressions_are_printed_as_htcondor_prints_them() {
    let Some((python, folder)) = both(real_data()) else { return };
    let table = text(&folder.join("periodic_expressions.tsv"));
    let expressions = table.lines().skip(1).filter_map(|line| line.split('\t').next());
    let questions: Vec<Question> = expressions.flat_map(sources::expression).collect();
    let mut comparison = Comparison::default();
    comparison.of(&python, &questions);
    comparison.finish("real expressions");
}

#[test]
fn own_expressions_are_printed_as_htcondor_prints_them() {
    let Some((python, path)) = both(Some(data("expressions.txt"))) else { return };
    let table = text(&path);
    let expressions = table.lines().filter(|line| !line.is_empty() && *line != UNREADABLE);
    let questions: Vec<Question> = expressions.flat_map(sources::expression).collect();
    let mut comparison = Comparison::default();
    comparison.of(&python, &questions);
    comparison.finish("own expressions");
}

fn recorded(version: &str) {
    let Some((python, folder)) = both(sources::pool(version)) else { return };
    let mut questions = Vec::new();
    for path in files(&folder) {
        let name = file_name(&path);
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        match (name.as_str(), ending.as_str()) {
            ("holds.json", _) | (_, "dag" | "txt" | "time") => {}
            ("held.json", _) => {
                printed_as_recorded(&path);
                questions.push(sources::whole(&path));
            }
            (_, "long") | ("epoch_history", _) => questions.push(sources::whole(&path)),
            ("json.EventLog", _) => {
                questions.push(Question::new(&name, Form::Json, text(&path)));
            }
            ("xml.EventLog", _) => {}
            _ => questions.extend(sources::event_log(&path)),
        }
    }
    let mut comparison = Comparison::default();
    comparison.of(&python, &questions);
    comparison.finish(&format!("ads of HTCondor {version}"));
}

/// `condor_q -json` wrote the file: what is read from it and printed again is the file.
fn printed_as_recorded(path: &Path) {
    let recorded = text(path);
    let ads: Vec<String> = classads::read_ads(recorded.as_bytes())
        .map(|ad| classads::json::to_string_pretty(&ad.expect("an ad")))
        .collect();
    assert_eq!(format!("[\n{}\n]\n", ads.join("\n,\n")), recorded);
}

#[test]
fn recorded_ads_of_23_9_are_read_evaluated_and_printed_as_htcondor_does() {
    recorded("23.9");
}

#[test]
fn recorded_ads_of_25_14_are_read_evaluated_and_printed_as_htcondor_does() {
    recorded("25.14");
}

/// Constants whose text is easily damaged, in the new syntax.
const ODD: &[&str] = &[
    "0.30000000000000004",
    "1.0000000000000002",
    "3.141592653589793",
    "1.7976931348623157e308",
    "5e-324",
    "2.2250738585072014E-308",
    "123456789012345678.0",
    "9007199254740993.0",
    "1e15",
    "1e16",
    "1e-4",
    "1e-5",
    "-0.0",
    "{ 0.1, -1.5e-7, 1E3 }",
    "9223372036854775807",
    "-9223372036854775808",
    r#""""#,
    r#""back\\slash""#,
    r#""\\""#,
    r#""\\\\""#,
    r#""quote \" quote""#,
    r#""\"""#,
    r#""\\\"""#,
    r#""'single'""#,
    r#""tab\tbell\abackspace\bfeed\fvertical\v""#,
    r#""\001\037\177""#,
    r#""Zürich 東京 😀""#,
    r#""/ slash /""#,
    r#"" blanks around ""#,
    r#""//no comment /* none */""#,
    r#""a = 1; ] } # $(x)""#,
    r#"{ "\"", "\\", { } }"#,
    r#"[ s = "\\"; n = [ t = "\"" ]; 'odd name' = 1; 'it\'s' = 2; 'true' = 3; 'parent' = 4; 'ends\\' = 5 ]"#,
    "'odd name' + 'is' + 'a.b' + parent + 'x\\\\y'",
    "'strcat'(1)",
    "relTime(\"1+02:03:04.5\")",
    "absTime(\"2024-02-29T12:00:00+01:30\")",
    "real(\"NaN\")",
    "real(\"-INF\")",
    "x is y isnt z",
    "- -1",
    "-(-1)",
    "!!x",
    "~1 + +2",
    "a.b[1].c",
    ".a",
    "(((1)))",
    "a ? b : c ? d : e",
    "(a ?: b) ?: c",
    "{ }",
    "[ ]",
    "{ [ ], { [ ] } }",
];

#[test]
fn odd_constants_and_expressions_are_printed_and_read_as_htcondor_does() {
    let Some((python, _)) = both(Some(PathBuf::new())) else { return };
    let question =
        |text: &&str| Question::new(text, Form::New, format!("[ A = 1; Odd = {text}; Z = 2 ]"));
    let questions: Vec<Question> = ODD.iter().map(question).collect();
    let mut comparison = Comparison::default();
    comparison.of(&python, &questions);
    comparison.finish("odd constants");
}
