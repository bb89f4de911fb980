//! Whether a model is better than the one in use: what a report says first.

use std::fmt;

use askama::Template;
use holdadvise::text::shell_command;
use serde::{Deserialize, Serialize};

use super::{PopulationTable, Report, figure_title};
use crate::page::{Section, escape, list, table};
use holdadvise::metrics::Estimate;

/// The method that others are judged against where a report has it.
pub(crate) const IN_USE: &str = "model in use";

/// The share of success by code: what others are judged against where no model in use is named.
pub(crate) const TABLE: &str = "table";

/// Clusters below which a bootstrap over clusters says little of how far off a difference may be.
pub(crate) const LEAST_CLUSTERS: usize = 30;

/// Figures that are compared, and whether more is better. The first decides where nothing else is
/// asked for.
pub(crate) const FIGURES: [(&str, bool); 3] =
    [("log_loss", false), ("auroc", true), ("brier", false)];

/// Where a package installs a model of an access point.
pub(crate) const SYSTEM_MODEL: &str = "/usr/share/condor/holdadvise/default.pt";

/// What a comparison came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
    /// It is better by the figure that decides, and worse by another.
    Mixed,
    /// Either may be true.
    Undecided,
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Mixed => "better and worse: not by every figure alike",
            Self::Undecided => "no difference that these holds can show",
        })
    }
}

/// A figure of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Its name.
    pub figure: String,
    /// More is better, not less.
    pub more_is_better: bool,
    /// That of the method judged.
    pub own: f64,
    /// That of what it is judged against.
    pub other: f64,
    /// Own less other, from draws of clusters common to both.
    pub difference: Estimate,
}

impl Compared {
    /// What this figure alone shows.
    pub(crate) fn judge(&self, clusters: usize) -> Judgement {
        let Estimate { low, high, .. } = self.difference;
        if clusters < LEAST_CLUSTERS || !self.difference.exists() {
            return Judgement::Undecided;
        }
        match (low > 0.0, high < 0.0) {
            (false, false) => Judgement::Undecided,
            (more, _) if more == self.more_is_better => Judgement::Better,
            _ => Judgement::Worse,
        }
    }

    /// The same in words, which tell of a worse value that chance may have made.
    pub(crate) fn said(&self, clusters: usize) -> &'static str {
        let side = if self.more_is_better { -1.0 } else { 1.0 };
        match (self.judge(clusters), side * self.difference.value > 0.0) {
            (Judgement::Worse, _) => "worse",
            (Judgement::Better, _) => "better",
            (_, true) => "worse, but not beyond chance",
            (_, false) => "",
        }
    }

    /// Which way is better.
    pub(crate) fn way(&self) -> &'static str {
        if self.more_is_better { "more" } else { "less" }
    }
}

/// What the figures come to together, the first of which decides. What is worse by any of them is
/// not called better, nor like the other.
pub(crate) fn overall(figures: &[Compared], clusters: usize) -> Judgement {
    let mut judged = figures.iter().map(|compared| compared.judge(clusters));
    let first = judged.next().unwrap_or(Judgement::Undecided);
    match (first, judged.any(|other| other == Judgement::Worse)) {
        (Judgement::Better, true) => Judgement::Mixed,
        (Judgement::Undecided, true) => Judgement::Worse,
        (first, _) => first,
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Next {
    /// In words.
    pub text: String,
    /// The commands that do it.
    pub commands: Vec<String>,
}

impl Next {
    pub(crate) fn new(text: impl Into<String>, commands: Vec<String>) -> Self {
        Self { text: text.into(), commands }
    }

    /// The commands that install a model, for one user and for all.
    pub(crate) fn install(model: &str) -> Self {
        Self::new(
            "Install it, which stays a person's act: by the first command for yourself, by the \
             second for all, as root.",
            install(model).into(),
        )
    }
}

/// The commands that install a model: for one user, and as root for all.
pub(crate) fn install(model: &str) -> [String; 2] {
    let for_one = shell_command(["cp", model]);
    [
        format!("mkdir -p ~/.condor/holdadvise && {for_one} ~/.condor/holdadvise/default.pt"),
        shell_command(["install", "-D", "-m", "644", model, SYSTEM_MODEL]),
    ]
}

/// Whether a method is better than another, and what is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The method judged.
    pub own: String,
    /// What it is judged against; `None`: it was not compared.
    pub against: Option<String>,
    /// What came of it, where it was compared.
    pub judgement: Option<Judgement>,
    /// Releases.
    pub rows: usize,
    /// Different clusters among them.
    pub clusters: usize,
    /// The figure that decides, then the others. Those that do not exist on these releases are left
    /// out.
    pub figures: Vec<Compared>,
    /// What has to be known besides, a sentence each.
    pub remarks: Vec<String>,
    /// What follows from the probabilities of both, a table as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<String>,
    /// What to do.
    pub next: Vec<Next>,
}

/// What a method is called in a sentence.
fn named(method: &str) -> String {
    match method {
        IN_USE => format!("the {IN_USE}"),
        TABLE => "the table of the share of success by code".to_owned(),
        _ => method.to_owned(),
    }
}

impl Verdict {
    /// Of the own method of a report, by its first population: against the model in use, or else
    /// the table by code.
    pub(crate) fn of(report: &Report) -> Self {
        let population = report.populations.first();
        let of = |name: &str| {
            let methods = population.into_iter().flat_map(|population| &population.methods);
            methods.into_iter().find(|method| method.name == name)
        };
        let own = of(&report.own);
        let other = [IN_USE, TABLE].into_iter().filter(|name| *name != report.own).find_map(of);
        let [rows, clusters] =
            population.map_or([0; 2], |PopulationTable { rows, clusters, .. }| [*rows, *clusters]);
        let figures: Vec<Compared> = FIGURES
            .iter()
            .filter_map(|&(figure, more_is_better)| {
                let [own, other] = [own?, other?];
                let value = |of: &super::MethodFigures| Some(of.figures.get(figure)?.mean.value);
                Some(Compared {
                    figure: figure.to_owned(),
                    more_is_better,
                    own: value(own)?,
                    other: value(other)?,
                    difference: *other.own_less_this.get(figure)?,
                })
            })
            .collect();
        let judgement = (!figures.is_empty()).then(|| overall(&figures, clusters));
        let against = other.filter(|_| judgement.is_some()).map(|other| other.name.clone());
        let mut remarks = Vec::new();
        if judgement.is_some() {
            remarks.extend(of_intervals(report.draws, clusters));
        }
        let note = report.methods.iter().find(|method| method.name == report.own);
        let file = note.and_then(|note| note.files.first()).map(|file| file.file.as_str());
        let (own, decisions, next) = (report.own.clone(), None, Vec::new());
        let mut verdict =
            Self { own, against, judgement, rows, clusters, figures, remarks, decisions, next };
        verdict.next = verdict.after(file, &report.command);
        verdict
    }

    /// In a sentence.
    pub fn headline(&self) -> String {
        let own = named(&self.own);
        let (Some(against), Some(judgement)) = (&self.against, self.judgement) else {
            return format!(
                "Not compared: nothing says whether {own} is better than the {IN_USE}."
            );
        };
        let against = named(against);
        match judgement {
            Judgement::Better => format!("Better: {own} is better than {against}."),
            Judgement::Worse => format!("Worse: {own} is worse than {against}."),
            Judgement::Mixed => format!(
                "Better and worse: {own} is better than {against} by the figure that decides, and \
                 worse by another."
            ),
            Judgement::Undecided => {
                format!("No difference that these holds can show between {own} and {against}.")
            }
        }
    }

    /// What a page says first.
    pub(crate) fn section(&self) -> Section {
        let class = match self.judgement {
            Some(Judgement::Better) => "better",
            Some(Judgement::Worse) => "worse",
            _ => "open",
        };
        Section::new("verdict", "Verdict", First { class, verdict: self }.to_string())
    }

    fn table(&self, against: &str) -> String {
        let columns = ["figure", &self.own, against, "difference", "so"];
        let row = |(at, compared): (usize, &Compared)| {
            let Estimate { value, low, high } = compared.difference;
            let decides = if at == 0 { ", decides" } else { "" };
            let title = escape(figure_title(&compared.figure));
            let mut row =
                vec![format!("{title} <small>{} is better{decides}</small>", compared.way())];
            row.extend([compared.own, compared.other].map(|value| format!("{value:.4}")));
            row.push(format!("{value:+.4} <small>{low:+.4} to {high:+.4}</small>"));
            let said = match compared.said(self.clusters) {
                "" => "no difference beyond chance",
                said => said,
            };
            row.push(said.to_owned());
            row
        };
        let rows: Vec<Vec<String>> = self.figures.iter().enumerate().map(row).collect();
        table::table(&columns, &rows, Some(0))
    }
}

/// What a page says first.
#[derive(Template)]
#[template(path = "evaluation/report/templates/verdict.html")]
struct First<'a> {
    class: &'static str,
    verdict: &'a Verdict,
}

/// How far intervals can be believed.
pub(crate) fn of_intervals(draws: usize, clusters: usize) -> Vec<String> {
    let few = format!(
        "With fewer than {LEAST_CLUSTERS} clusters an interval says little; nothing is concluded \
         from it."
    );
    let mut lines = vec![format!(
        "Intervals of the paired difference from {draws} bootstrap draws of whole clusters."
    )];
    lines.extend((clusters < LEAST_CLUSTERS).then_some(few));
    lines
}

impl Verdict {
    /// What to do after an evaluation by this command line; `file` is that of the first training
    /// seed.
    fn after(&self, file: Option<&str>, command: &str) -> Vec<Next> {
        let Some(model) = file.filter(|file| file.ends_with(".pt")) else {
            let text =
                format!("{} is no model that can be installed: keep the {IN_USE}.", self.own);
            return vec![Next::new(text, Vec::new())];
        };
        if self.against.as_deref() != Some(IN_USE) {
            let more = ["--method", &format!("{IN_USE}={SYSTEM_MODEL}"), "--replace"];
            let there = command.split(' ').any(|word| word == "--replace");
            let more = shell_command(more.into_iter().take(if there { 2 } else { 3 }));
            let command = format!("{command} {more}");
            return vec![Next::new(
                format!(
                    "Compare it with the {IN_USE} before you install it. Without a file of that \
                     name condor_holdadvise uses the model that it was built with, \
                     models/default.pt of its sources."
                ),
                vec![command],
            )];
        }
        match self.judgement {
            Some(Judgement::Better) => vec![Next::install(model)],
            Some(Judgement::Mixed) => vec![
                Next::new("Decide which of the figures below matters more to you.", Vec::new()),
                Next::install(model),
            ],
            Some(Judgement::Worse) => vec![Next::new(
                format!(
                    "Keep the {IN_USE}. The table by hold reason code shows where the other is \
                     behind."
                ),
                Vec::new(),
            )],
            Some(Judgement::Undecided) | None => vec![Next::new(
                format!(
                    "Keep the {IN_USE}. Intervals become narrower with more clusters: make a \
                     dataset of more logs (holdadvise-train tensors), and run the command below \
                     again with it."
                ),
                vec![command.to_owned()],
            )],
        }
    }
}

/// A comparison with this interval, for tests.
#[cfg(test)]
pub(crate) fn compared(more_is_better: bool, low: f64, high: f64) -> Compared {
    let difference = Estimate { value: (low + high) / 2.0, low, high };
    Compared { figure: "auroc".to_owned(), more_is_better, own: 0.8, other: 0.7, difference }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_on_one_side_of_nothing_decides() {
        let judged = |more, low, high, clusters| compared(more, low, high).judge(clusters);
        assert_eq!(judged(true, 0.01, 0.02, 30), Judgement::Better);
        assert_eq!(judged(false, 0.01, 0.02, 30), Judgement::Worse);
        assert_eq!(judged(true, -0.02, -0.01, 30), Judgement::Worse);
        assert_eq!(judged(false, -0.02, -0.01, 30), Judgement::Better);
        for (low, high) in [(-0.01, 0.02), (0.0, 0.02), (-0.01, 0.0), (f64::NAN, f64::NAN)] {
            assert_eq!(judged(true, low, high, 500), Judgement::Undecided);
        }
        assert_eq!(judged(true, 0.01, 0.02, 29), Judgement::Undecided, "too few clusters");
    }

    #[test]
    fn worse_by_any_figure_is_not_called_better() {
        let better = || compared(true, 0.01, 0.02);
        let [worse, like] = [compared(false, 0.01, 0.02), compared(false, -0.01, 0.02)];
        let of = |figures: &[Compared]| overall(figures, 40);
        assert_eq!(of(&[better(), like.clone()]), Judgement::Better);
        assert_eq!(of(&[better(), like.clone(), worse.clone()]), Judgement::Mixed);
        assert_eq!(of(&[like.clone(), worse.clone()]), Judgement::Worse);
        assert_eq!(of(&[worse, better()]), Judgement::Worse);
        assert_eq!(of(&[like, better()]), Judgement::Undecided);
    }

    #[test]
    fn a_verdict_says_by_how_much_and_what_to_do() {
        let verdict = Verdict {
            own: "trial <1>".to_owned(),
            against: Some(IN_USE.to_owned()),
            judgement: Some(Judgement::Better),
            rows: 400,
            clusters: 60,
            figures: vec![compared(true, 0.01, 0.03), compared(false, -0.01, 0.03)],
            remarks: of_intervals(500, 60),
            decisions: Some("a < b".to_owned()),
            next: vec![Next::install("it's a model.pt")],
        };
        let html = verdict.section().body;
        for expected in [
            "<p class=\"headline better\">Better: trial &lt;1&gt; is better than the model in use.",
            "The AUROC is 0.8000 against 0.7000: a difference of +0.0200, 95 % interval +0.0100 to \
             +0.0300, where more is better. n = 400 releases of 60 clusters",
            "cp 'it'\\''s a model.pt' ~/.condor/holdadvise/default.pt",
            "AUROC <small>more is better, decides</small>",
            "worse, but not beyond chance",
            "from 500 bootstrap draws",
            "a &lt; b",
        ] {
            assert!(html.contains(expected), "{expected} is not in\n{html}");
        }
        let judged = |judgement| Verdict { judgement, ..verdict.clone() }.headline();
        assert!(judged(Some(Judgement::Worse)).starts_with("Worse: "));
        assert!(judged(Some(Judgement::Mixed)).starts_with("Better and worse: "));
        assert!(judged(Some(Judgement::Undecided)).starts_with("No difference"));
        assert!(judged(None).starts_with("Not compared: "));
        assert_eq!(of_intervals(500, 29).len(), 2);
    }

    #[test]
    fn what_to_do_follows_from_the_judgement() {
        let command = "holdadvise-train evaluate d -o out";
        let verdict = |against: &str, judgement| Verdict {
            own: "ours".to_owned(),
            against: Some(against.to_owned()),
            judgement,
            rows: 0,
            clusters: 0,
            figures: Vec::new(),
            remarks: Vec::new(),
            decisions: None,
            next: Vec::new(),
        };
        let of = |judgement| verdict(IN_USE, Some(judgement)).after(Some("m.pt"), command);
        let installs = |next: &[Next]| next.iter().any(|next| next.commands.len() == 2);
        assert!(installs(&of(Judgement::Better)) && installs(&of(Judgement::Mixed)));
        for judgement in [Judgement::Worse, Judgement::Undecided] {
            let next = of(judgement);
            assert!(!installs(&next) && next[0].text.starts_with("Keep the model in use"));
        }
        let without = verdict(TABLE, None);
        let compared = "holdadvise-train evaluate d -o out --method \
                        'model in use=/usr/share/condor/holdadvise/default.pt' --replace";
        assert_eq!(without.after(Some("m.pt"), command)[0].commands, [compared]);
        let again = without.after(Some("m.pt"), "holdadvise-train evaluate --replace d");
        assert_eq!(again[0].commands[0].matches("--replace").count(), 1);
        let predictions = without.after(Some("p.safetensors"), command);
        assert!(predictions[0].text.contains("no model that can be installed"));
    }
}
