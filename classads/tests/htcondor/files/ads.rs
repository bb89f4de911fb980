//! Ads that HTCondor's own reader reads, evaluates and prints.

use serde_json::{Value as Json, json};

use crate::judge::{Meaning, ask, their_meaning};

/// How ads are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Long,
    New,
    Json,
}

/// Ads, and what is evaluated on each of them besides its own attributes.
pub(crate) struct Question {
    /// Where the ads come from.
    pub(crate) name: String,
    pub(crate) form: Form,
    pub(crate) text: String,
    /// The other ad of a match, in brackets.
    pub(crate) target: Option<String>,
    pub(crate) expressions: Vec<String>,
}

impl Question {
    pub(crate) fn new(name: &str, form: Form, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { name: name.to_owned(), form, text, target: None, expressions: Vec::new() }
    }

    fn line(&self) -> String {
        let form = match self.form {
            Form::Long => "long",
            Form::New => "new",
            Form::Json => "json",
        };
        let question = json!({
            "form": form, "text": self.text, "target": self.target, "expressions": self.expressions,
        });
        format!("\u{1f}{question}")
    }
}

/// What HTCondor makes of the ads of a question.
pub(crate) struct Answer {
    pub(crate) now: i64,
    /// Why reading ended early.
    pub(crate) error: Option<String>,
    pub(crate) ads: Vec<TheirAd>,
}

pub(crate) struct TheirAd {
    /// In HTCondor's order.
    pub(crate) attributes: Vec<TheirAttribute>,
    /// What the expressions of the question come to, and that printed.
    pub(crate) expressions: Vec<(Meaning, String)>,
    pub(crate) long: String,
    pub(crate) json: String,
    pub(crate) new: String,
}

pub(crate) struct TheirAttribute {
    pub(crate) name: String,
    pub(crate) meaning: Meaning,
    /// The expression in the new syntax.
    pub(crate) new: String,
    /// The same on several lines.
    pub(crate) lines: String,
}

/// HTCondor's answers, one for each question; none of them may crash it.
pub(crate) fn answers(python: &str, questions: &[Question]) -> Vec<Answer> {
    let lines: Vec<String> = questions.iter().map(Question::line).collect();
    let answers = ask(python, &lines);
    let pairs = questions.iter().zip(&answers);
    pairs
        .map(|(question, answer)| {
            assert!(answer.is_object(), "{}: {answer}", question.name);
            Answer {
                now: answer["now"].as_i64().expect("a time"),
                error: answer["error"].as_str().map(str::to_owned),
                ads: items(&answer["ads"]).map(ad).collect(),
            }
        })
        .collect()
}

fn items(array: &Json) -> impl Iterator<Item = &Json> {
    array.as_array().into_iter().flatten()
}

fn text(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

fn ad(ad: &Json) -> TheirAd {
    TheirAd {
        attributes: items(&ad["attributes"])
            .map(|attribute| TheirAttribute {
                name: text(&attribute[0]),
                meaning: their_meaning(&attribute[1]),
                new: text(&attribute[2]),
                lines: text(if attribute[3].is_null() { &attribute[2] } else { &attribute[3] }),
            })
            .collect(),
        expressions: items(&ad["expressions"])
            .map(|answer| (their_meaning(&answer[0]), text(&answer[1])))
            .collect(),
        long: text(&ad["old"]),
        json: text(&ad["json"]),
        new: text(&ad["new"]),
    }
}
