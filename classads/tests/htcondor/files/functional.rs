//! The commands of HTCondor's src/classad/functional_tests.txt, as
//! src/classad/classad_functional_tester.cpp runs them: `eval` names a value, `$name` stands for
//! its text, `same` and `diff` compare values.

use std::collections::BTreeMap;

use classads::{ClassAd, Expr, Style};

use super::ads::{Form, Question, answers};
use crate::judge::{Meaning, context, meaning, parse_error};
use crate::quirks::with_zones;

/// What the file says of two expressions of it.
struct Statement {
    line: usize,
    left: usize,
    right: usize,
    same: bool,
}

#[derive(Default)]
struct Tester {
    variables: BTreeMap<String, String>,
    /// Lists that were written as XML, by file; they stay as they are.
    files: BTreeMap<String, String>,
    expressions: Vec<String>,
    here: Vec<(Meaning, String)>,
    statements: Vec<Statement>,
    problems: Vec<String>,
}

/// Runs the file here and with HTCondor, and compares every expression of it.
pub(crate) fn run(python: &str, text: &str) {
    let mut tester = Tester::default();
    for (line, command) in commands(text) {
        tester.command(line, &command);
    }
    let mut question = Question::new("functional tests", Form::New, "[ internal___ = 0 ]");
    question.expressions.clone_from(&tester.expressions);
    let answer = answers(python, &[question]).remove(0);
    let theirs = &answer.ads[0].expressions;
    assert_eq!(theirs.len(), tester.expressions.len());
    for ((expression, here), htcondor) in tester.expressions.iter().zip(&tester.here).zip(theirs) {
        // Lists and ads hold times as they are written.
        if here != htcondor && with_zones(&here.1) != with_zones(&htcondor.1) {
            tester
                .problems
                .push(format!("{expression}\n    here     {here:?}\n    HTCondor {htcondor:?}"));
        }
    }
    let mut contradicted = 0;
    for Statement { line, left, right, same } in &tester.statements {
        let is_so =
            |values: &[(Meaning, String)]| same_as(&values[*left].0, &values[*right].0) == *same;
        if !is_so(theirs) {
            println!("line {line}: HTCondor's module contradicts its own file");
            contradicted += 1;
        } else if !is_so(&tester.here) {
            tester.problems.push(format!("line {line}: not as the file says"));
        }
    }
    println!(
        "functional tests: {} expressions compared, {} statements hold, {contradicted} contradicted by HTCondor itself",
        tester.expressions.len(),
        tester.statements.len() - contradicted
    );
    assert!(tester.problems.is_empty(), "{}", tester.problems.join("\n"));
}

/// The commands with their line: a line that begins with a blank continues the one before.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut commands: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match commands.last_mut() {
            _ if line.starts_with("//") || line.is_empty() => {}
            Some((_, command)) if line.starts_with(char::is_whitespace) => command.push_str(line),
            _ => commands.push((index + 1, line.to_owned())),
        }
    }
    commands
}

impl Tester {
    fn command(&mut self, line: usize, command: &str) {
        let command = self.substituted(line, command);
        let (word, rest) = command.split_once(char::is_whitespace).unwrap_or((&command, ""));
        match word {
            "let" | "eval" => {
                let (name, expression) = rest.split_once('=').expect("'name = expression'");
                let (expression, _) = first(expression);
                let at = self.evaluate(expression);
                let text = if word == "eval" {
                    self.here[at].1.clone()
                } else {
                    Expr::parse(expression).expect("an expression").print(Style::New)
                };
                self.variables.insert(name.trim().to_owned(), text);
            }
            "same" | "diff" => {
                let (left, rest) = first(rest);
                let (right, _) = first(rest.strip_prefix(',').expect("two expressions"));
                let statement = Statement {
                    line,
                    left: self.evaluate(left),
                    right: self.evaluate(right),
                    same: word == "same",
                };
                self.statements.push(statement);
            }
            "writexml" => {
                let (file, list) = rest.split_once(' ').expect("a file and a list");
                let list = Expr::parse(first(list).0).expect("a list").print(Style::New);
                self.files.insert(file.to_owned(), list);
            }
            "readxml" => {
                let (name, file) = rest.split_once(' ').expect("a name and a file");
                self.variables.insert(name.to_owned(), self.files[file].clone());
            }
            "echo" => {}
            _ if word.starts_with('#') => {}
            other => self.problems.push(format!("line {line}: unknown command {other}")),
        }
    }

    /// The command with the text of each variable in it.
    fn substituted(&mut self, line: usize, command: &str) -> String {
        let mut pieces = command.split('$');
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let length =
                piece.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            let (name, rest) = piece.split_at(length);
            match self.variables.get(name) {
                Some(value) => text.push_str(value),
                None => self.problems.push(format!("line {line}: unknown variable {name}")),
            }
            text.push_str(rest);
        }
        text
    }

    /// The place of the expression among those that are compared.
    fn evaluate(&mut self, expression: &str) -> usize {
        let here = match Expr::parse(expression) {
            Ok(expr) => {
                let value = ClassAd::new().evaluate_expr(&expr, &context(0));
                (meaning(&value), Expr::literal(value).print(Style::New))
            }
            Err(_) => (parse_error(), String::new()),
        };
        self.expressions.push(expression.to_owned());
        self.here.push(here);
        self.here.len() - 1
    }
}

/// The first expression of a text and what follows it: a comma, a semicolon or a bracket too much.
pub(crate) fn first(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if let Some(open) = quote {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if character == open => quote = None,
                _ => {}
            }
            continue;
        }
        match character {
            '"' | '\'' => quote = Some(character),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ')' | ']' | '}' | ',' | ';' if depth == 0 => return (text[..at].trim(), &text[at..]),
            _ => {}
        }
    }
    (text.trim(), "")
}

/// `Value::SameAs` of HTCondor: type and value; no NaN is the same as another.
fn same_as(left: &Meaning, right: &Meaning) -> bool {
    let zero =
        |meaning: &Meaning| meaning.0 == "real" && meaning.1.trim_start_matches('-') == "0e0";
    (left == right && left.1 != "nan") || (zero(left) && zero(right))
}
