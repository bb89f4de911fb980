//! The commands of HTCondor's src/classad/tests.txt, as src/classad/test_classads.cpp runs them:
//! named ads, expressions evaluated on them, matches, views of collections, single tokens.

use std::collections::BTreeMap;

use classads::{ClassAd, Expr, NodeKind, Style, ValueType};

use super::ads::{Form, Question, answers};
use super::functional::first;
use crate::judge::{context, differences, meaning, parse_error};

/// Something the file says of expressions of a question: all of them are true, or not all.
struct Statement {
    line: usize,
    questions: Vec<usize>,
    holds: bool,
}

#[derive(Default)]
struct Tester {
    ads: BTreeMap<String, String>,
    /// Views of collections with their constraints, the outer ones too.
    views: BTreeMap<String, Vec<String>>,
    questions: Vec<Question>,
    statements: Vec<Statement>,
    /// Expressions with one token each.
    tokens: Vec<String>,
    problems: Vec<String>,
}

/// Runs the file here and with HTCondor, and compares every expression of it. Gives the ads.
pub(crate) fn run(python: &str, text: &str) -> Vec<Question> {
    let mut tester = Tester::default();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let mut words = line.split_whitespace();
        let Some(command) = words.next() else { continue };
        if command == "begin-classad" {
            let name = words.next().expect("a name");
            let body: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| line.trim() != "end-classad")
                .collect();
            tester.ads.insert(name.to_owned(), body.join("\n"));
        } else {
            tester.command(index + 1, line, command, &words.collect::<Vec<_>>());
        }
    }
    tester.compare(python);
    let Tester { ads, .. } = tester;
    ads.into_iter().map(|(name, text)| Question::new(&name, Form::New, text)).collect()
}

/// HTCondor reads the freed copy of an ad here.
const DANGLING: &str = "access_times[\"globus\"].start";

impl Tester {
    fn command(&mut self, line: usize, text: &str, command: &str, words: &[&str]) {
        match (command, words) {
            ("evaluate", [ad, ..]) => {
                let (_, expression) = text.split_once(ad).expect("the name is there");
                self.ask(ad, None, first(expression).0);
            }
            ("test-match", [kind, left, right, expected]) => {
                let mut questions = Vec::new();
                if *kind != "leftMatchesRight" {
                    questions.push(self.ask(left, Some(right), "Requirements"));
                }
                if *kind != "rightMatchesLeft" {
                    questions.push(self.ask(right, Some(left), "Requirements"));
                }
                let holds = *expected == "ExpectMatch";
                self.statements.push(Statement { line, questions, holds });
            }
            ("create-subview", [_, outer, view, ..]) => {
                let (_, constraint) = text.split_once(view).expect("the name is there");
                let mut constraints = self.views.get(*outer).cloned().unwrap_or_default();
                constraints.push(constraint.trim().to_owned());
                self.views.insert((*view).to_owned(), constraints);
            }
            ("check-in-view", [_, view, ad, expected]) => {
                self.ads
                    .entry("view".to_owned())
                    .or_insert_with(|| "[ Type = \"View\" ]".to_owned());
                let constraints = self.views[*view].clone();
                let ask = |constraint: &String| self.ask("view", Some(ad), constraint);
                let questions = constraints.iter().map(ask).collect();
                let holds = *expected == "ExpectIn";
                self.statements.push(Statement { line, questions, holds });
            }
            ("test-lexer-one-token", [.., kind]) => {
                let (_, token) = text.split_once(command).expect("the command is there");
                self.token(line, token.trim().trim_end_matches(kind).trim(), kind);
            }
            // The ads of collections are asked for where views are looked at; printed ads are all
            // compared.
            (
                "make-collection" | "add-to-collection" | "print-classad" | "print-classad-xml",
                _,
            ) => {}
            _ if command.starts_with('#') => {}
            _ => self.problems.push(format!("line {line}: unknown command: {text}")),
        }
    }

    /// The place of the question.
    fn ask(&mut self, ad: &str, target: Option<&str>, expression: &str) -> usize {
        let mut question = Question::new(ad, Form::New, self.ads[ad].as_str());
        question.target = target.map(|target| self.ads[target].clone());
        question.expressions = vec![expression.to_owned()];
        self.questions.push(question);
        self.questions.len() - 1
    }

    /// A token in an expression: what it is shows in the tree, and in what is printed.
    fn token(&mut self, line: usize, token: &str, kind: &str) {
        let kind = kind.trim_start_matches("LEX_");
        let expression = match kind {
            "LOGICAL_NOT" | "BITWISE_NOT" => format!("{token} 1"),
            "SELECTION" => format!("a{token}b"),
            "QMARK" | "COLON" => "1 ? 2 : 3".to_owned(),
            "SEMICOLON" | "BOUND_TO" | "OPEN_BOX" | "CLOSE_BOX" => "[ a = 1; b = 2 ]".to_owned(),
            "COMMA" | "OPEN_BRACE" | "CLOSE_BRACE" => "{ 1, 2 }".to_owned(),
            "OPEN_PAREN" | "CLOSE_PAREN" => "(1)".to_owned(),
            "IDENTIFIER" | "TOKEN_ERROR" => token.to_owned(),
            value if value.ends_with("_VALUE") => token.to_owned(),
            _ => format!("1 {token} 2"),
        };
        let expr = Expr::parse(&expression);
        let literal = expr.as_ref().ok().and_then(Expr::as_literal).map(|value| value.value_type());
        let is_so = match kind {
            "INTEGER_VALUE" => literal == Some(ValueType::Integer),
            "REAL_VALUE" => literal == Some(ValueType::Real),
            "BOOLEAN_VALUE" => literal == Some(ValueType::Boolean),
            "STRING_VALUE" => literal == Some(ValueType::String),
            "UNDEFINED_VALUE" => literal == Some(ValueType::Undefined),
            "ERROR_VALUE" => literal == Some(ValueType::Error),
            "TOKEN_ERROR" => expr.is_err(),
            "IDENTIFIER" => expr
                .as_ref()
                .is_ok_and(|expr| matches!(expr.root().kind(), NodeKind::Attribute { .. })),
            _ => expr.as_ref().is_ok_and(|expr| {
                expression.contains(token) && expr.print(Style::New).contains(token)
            }),
        };
        if !is_so {
            self.problems.push(format!("line {line}: {token} is no {kind}"));
        }
        self.tokens.push(expression);
    }

    fn compare(&mut self, python: &str) {
        let mut here_true = Vec::new();
        let mut their_true = Vec::new();
        let mut left_out = 0;
        for (question, answer) in self.questions.iter().zip(answers(python, &self.questions)) {
            let ad = ClassAd::parse(&question.text).expect("the ad parses");
            let target = question.target.as_ref();
            let target = target.map(|text| ClassAd::parse(text).expect("the ad parses"));
            let mut context = context(answer.now);
            context.target = target.as_ref();
            let expression = &question.expressions[0];
            let (here, printed) = match Expr::parse(expression) {
                Ok(expr) => {
                    let value = ad.evaluate_expr(&expr, &context);
                    (meaning(&value), Expr::literal(value).print(Style::New))
                }
                Err(_) => (parse_error(), String::new()),
            };
            let (theirs, their_printed) = &answer.ads[0].expressions[0];
            if expression == DANGLING {
                left_out += 1;
            } else if here != *theirs || printed != *their_printed {
                self.problems.push(format!(
                    "{}: {expression}\n    here     {here:?} {printed}\n    HTCondor {theirs:?} {their_printed}",
                    question.name
                ));
            }
            here_true.push(here.1 == "true");
            their_true.push(theirs.1 == "true");
        }
        let mut contradicted = 0;
        for Statement { line, questions, holds } in &self.statements {
            let is_so = |truths: &[bool]| questions.iter().all(|at| truths[*at]) == *holds;
            if !is_so(&their_true) {
                println!("line {line}: HTCondor's module contradicts its own file");
                contradicted += 1;
            } else if !is_so(&here_true) {
                self.problems.push(format!("line {line}: not as the file says"));
            }
        }
        let found = differences(python, &self.tokens);
        self.problems.extend(found.iter().map(ToString::to_string));
        println!(
            "unit tests: {} tokens, {} expressions compared, {left_out} left out, {} statements hold, \
             {contradicted} contradicted by HTCondor itself",
            self.tokens.len(),
            self.questions.len() - left_out,
            self.statements.len() - contradicted
        );
        assert!(self.problems.is_empty(), "{}", self.problems.join("\n"));
    }
}
