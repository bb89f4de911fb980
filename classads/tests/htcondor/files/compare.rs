//! The same ads read, evaluated, printed and read again by this crate and by HTCondor.

use std::collections::HashSet;
use std::sync::Arc;

use classads::{AdError, ClassAd, EvalContext, Expr, Style, Value, json, long};

use super::ads::{Answer, Form, Question, TheirAd, answers};
use super::known::{beginning, without_quotes};
use crate::judge::{Meaning, context, meaning};
use crate::quirks::with_zones;

/// What was compared, and what differs.
#[derive(Default)]
pub(crate) struct Comparison {
    pub(crate) texts: usize,
    pub(crate) ads: usize,
    /// Attributes whose type and value were compared.
    pub(crate) attributes: usize,
    /// Attributes and whole ads whose printed forms were compared.
    pub(crate) printed: usize,
    /// Attributes read again from what was printed, each text once in each of the three forms.
    pub(crate) again: usize,
    /// Of these, reals that lost digits, here as in HTCondor: 16 are printed.
    pub(crate) shortened: usize,
    /// Attributes and ads that neither reads.
    pub(crate) refused: usize,
    /// Attributes that HTCondor reads the beginning of and this crate does not read.
    pub(crate) cut: usize,
    pub(crate) differences: Vec<String>,
    /// Attributes that were printed and read again.
    seen: HashSet<String>,
}

impl Comparison {
    /// Says what was done; fails where something differs.
    pub(crate) fn finish(self, what: &str) {
        println!(
            "{what}: {} texts, {} ads, {} attributes evaluated, {} printed forms, {} attributes read again from them \
             ({} reals with fewer digits), {} refused by both, {} read in part by HTCondor; {} differ",
            self.texts,
            self.ads,
            self.attributes,
            self.printed,
            self.again,
            self.shortened,
            self.refused,
            self.cut,
            self.differences.len()
        );
        let shown: Vec<&str> = self.differences.iter().take(60).map(String::as_str).collect();
        assert!(shown.is_empty(), "{} differ:\n{}", self.differences.len(), shown.join("\n"));
    }

    fn differ(&mut self, place: impl Fn() -> String, here: &str, htcondor: &str) {
        if here == htcondor || with_zones(here) == with_zones(htcondor) {
            return;
        }
        // Of a long text the first line that differs says enough.
        let lines = here.lines().zip(htcondor.lines()).find(|(here, htcondor)| here != htcondor);
        let (here, htcondor) = lines.unwrap_or((here, htcondor));
        self.differences.push(format!("{}\n    here     {here}\n    HTCondor {htcondor}", place()));
    }

    /// Compares the ads of the questions, then what both read from the printed ads.
    pub(crate) fn of(&mut self, python: &str, questions: &[Question]) {
        let mut again = Vec::new();
        for (question, answer) in questions.iter().zip(answers(python, questions)) {
            self.texts += 1;
            let ads = self.read(question, &answer);
            for (index, (ad, theirs)) in ads.into_iter().zip(&answer.ads).enumerate() {
                let place = format!("{}, ad {}", question.name, index + 1);
                self.ads += 1;
                self.attributes += theirs.attributes.len();
                self.evaluated(&place, &ad, theirs, answer.now);
                self.print(&place, &ad, theirs);
                let mut fresh = ad;
                // An attribute that was printed and read before need not be again.
                fresh.retain(|name| {
                    let known = theirs.attributes.iter().find(|attribute| attribute.name == name);
                    known.is_some_and(|known| self.seen.insert(format!("{name} = {}", known.new)))
                });
                if fresh.is_empty() {
                    continue;
                }
                for (form, text) in [
                    (Form::Long, as_long(&fresh)),
                    (Form::New, in_brackets(&fresh)),
                    (Form::Json, json::to_string_pretty(&fresh)),
                ] {
                    let name = format!("{place} as {form:?}");
                    again.push((Question::new(&name, form, text), fresh.clone()));
                }
            }
        }
        let (questions, before): (Vec<_>, Vec<_>) = again.into_iter().unzip();
        for ((question, answer), before) in
            questions.iter().zip(answers(python, &questions)).zip(before)
        {
            let ads = self.read(question, &answer);
            for (ad, theirs) in ads.into_iter().zip(&answer.ads) {
                self.evaluated(&question.name, &ad, theirs, answer.now);
                self.print(&question.name, &ad, theirs);
                self.unchanged(question, &before, &ad, theirs, answer.now);
            }
        }
    }

    /// The ads as this crate reads them: as many as HTCondor reads. What neither takes for an
    /// expression is left out.
    fn read(&mut self, question: &Question, answer: &Answer) -> Vec<ClassAd> {
        let name = &question.name;
        let mut ads = Vec::new();
        let mut errors: Vec<AdError> = Vec::new();
        for ad in classads::read_ads(question.text.as_bytes()) {
            match ad {
                Ok(mut ad) => {
                    self.settle(&mut ad, answer.ads.get(ads.len()));
                    if !ad.is_empty() {
                        ads.push(ad);
                    }
                }
                Err(error) => errors.push(error),
            }
        }
        self.refused += errors.len();
        if ads.len() != answer.ads.len() || (answer.error.is_some() && errors.is_empty()) {
            let here: Vec<String> = errors.iter().map(ToString::to_string).collect();
            let here = format!("{} ads {}", ads.len(), here.join(", "));
            let htcondor = format!("{} ads {:?}", answer.ads.len(), answer.error);
            self.differ(|| format!("{name}: ads"), &here, &htcondor);
        }
        ads
    }

    /// Leaves out the attributes that are no expressions; gives those that HTCondor reads the
    /// beginning of that beginning.
    fn settle(&mut self, ad: &mut ClassAd, theirs: Option<&TheirAd>) {
        let bad: Vec<String> = ad.errors().map(|(name, _)| name.to_owned()).collect();
        for name in bad {
            let raw = ad.raw(&name).unwrap_or_default().to_owned();
            let theirs = theirs.iter().flat_map(|theirs| &theirs.attributes);
            let new = theirs.filter(|attribute| attribute.name == name).map(|found| &found.new);
            if let Some(expr) = new.filter_map(|new| beginning(&raw, new)).next() {
                ad.insert(&name, expr);
                self.cut += 1;
            } else {
                ad.remove(&name);
                self.refused += 1;
            }
        }
    }

    /// Type and value of every attribute.
    fn evaluated(&mut self, place: &str, ad: &ClassAd, theirs: &TheirAd, now: i64) {
        let mut names: Vec<&str> = ad.names().collect();
        let mut their_names: Vec<&str> =
            theirs.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        names.sort_unstable();
        their_names.sort_unstable();
        self.differ(|| format!("{place}: names"), &names.join(" "), &their_names.join(" "));
        let contexts = [context(now), context(now - 1)];
        for attribute in &theirs.attributes {
            let [value, before] = contexts
                .each_ref()
                .map(|context| || meaning(&ad.evaluate(&attribute.name, context)));
            let value = value();
            if value != attribute.meaning && before() != attribute.meaning {
                let place = || format!("{place}, {}: value", attribute.name);
                self.differ(place, &words(&value), &words(&attribute.meaning));
            }
        }
    }

    /// The printed forms, byte for byte.
    fn print(&mut self, place: &str, ad: &ClassAd, theirs: &TheirAd) {
        for attribute in &theirs.attributes {
            let Some(expr) = ad.get(&attribute.name) else { continue };
            self.printed += 2;
            let place = || format!("{place}, {}: printed", attribute.name);
            let new = expr.print(Style::New);
            self.differ(place, &new, &attribute.new);
            // A scalar takes one line.
            let is_scalar = expr.as_literal().is_some_and(is_scalar);
            let lines = if is_scalar { new } else { on_several_lines(expr) };
            self.differ(place, &lines, &attribute.lines);
        }
        self.printed += 4;
        self.differ(|| format!("{place}: brackets"), &in_brackets(ad), &theirs.new);
        let mut in_order = ClassAd::new();
        for attribute in &theirs.attributes {
            if let Some(expr) = ad.get(&attribute.name) {
                in_order.insert(&attribute.name, expr.clone());
            }
        }
        self.differ(
            || format!("{place}: -long"),
            &as_long(&in_order),
            &without_quotes(&theirs.long),
        );
        let pretty = json::to_string_pretty(&in_order);
        self.differ(|| format!("{place}: JSON"), &pretty, &theirs.json);
        // HTCondor's one-line form is the other one without line ends and the blanks behind them.
        let one_line: String = theirs.json.lines().map(str::trim_start).collect();
        self.differ(|| format!("{place}: JSON"), &json::to_string(&in_order), &one_line);
    }

    /// An ad that was printed and read again is the same ad, but for digits of reals.
    fn unchanged(
        &mut self,
        question: &Question,
        before: &ClassAd,
        after: &ClassAd,
        theirs: &TheirAd,
        now: i64,
    ) {
        let context = context(now);
        let is_json = question.form == Form::Json;
        for attribute in &theirs.attributes {
            let name = &attribute.name;
            let (Some(old), Some(new)) = (before.get(name), after.get(name)) else { continue };
            self.again += 1;
            let place = || format!("{}, {name}: read again", question.name);
            let [was, is] = [before, after].map(|ad| meaning(&ad.evaluate(name, &context)));
            if was.0 == "real" && is.0 == "real" && was != is {
                // HTCondor has the new value too: `evaluated` has compared it.
                self.shortened += 1;
                continue;
            }
            let old = match old.as_literal() {
                // In JSON a length of time is a real.
                Some(Value::RelativeTime(seconds)) if is_json => Expr::literal(*seconds),
                _ => old.clone(),
            };
            self.differ(place, &new.print(Style::New), &old.print(Style::New));
            self.differ(place, &words(&is), &words(&was));
        }
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::ClassAd(_))
}

fn words(meaning: &Meaning) -> String {
    format!("{} {}", meaning.0, meaning.1)
}

/// As the function `unparse` prints an attribute.
fn on_several_lines(expr: &Expr) -> String {
    let mut ad = ClassAd::new();
    ad.insert("x", expr.clone());
    let unparse = Expr::parse("unparse(x)").expect("a call");
    match ad.evaluate_expr(&unparse, &EvalContext::at(0)) {
        Value::String(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// The ad in the new syntax.
fn in_brackets(ad: &ClassAd) -> String {
    Expr::literal(Value::ClassAd(Arc::new(ad.clone()))).print(Style::New)
}

/// The ad in the `-long` form.
fn as_long(ad: &ClassAd) -> String {
    let mut text = Vec::new();
    long::write(&mut text, ad).expect("memory takes all");
    let text = String::from_utf8(text).expect("text");
    // A blank line ends an ad; the module leaves it out.
    text.trim_end_matches('\n').to_owned() + "\n"
}
