//! The info sheet of a model as `-model FILE -version` prints it.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use crate::history::Action;
use crate::model::{
    ClosedLoop, Dimensions, Interval, Model, Recalibration, Sheet, SheetFigure, Thresholds,
};
use crate::print::wrap;
use crate::sentences::times::minute;
use crate::text::{printable, shorten, shown};

/// Characters kept of a text out of the file.
const TEXT: usize = 1200;

/// Characters of a text in the lines of every model.
const SHORT: usize = 300;

/// Texts kept of a list out of the file.
const ITEMS: usize = 100;

/// Characters of a word that has no end.
const WORD: usize = 60;

/// Columns that the labels take.
const LABEL: usize = 10;

/// What `-version` says of a model.
pub fn sheet(model: &Model) -> String {
    let metadata = &model.metadata;
    let training = &metadata.training;
    let plain = |text: &str| shown(text, SHORT);
    let mut rows = vec![
        ("model trained on", plain(&training.trained_on)),
        ("outcomes here", metadata.outcomes_here().to_string()),
    ];
    let own = metadata.recalibration.as_ref();
    rows.extend(own.map(|own| ("calibrated on", plain(&own.access_point))));
    let Dimensions { e, m, j, k, .. } = &metadata.dimensions;
    rows.push(("sizes", format!("{e} states, {m} frames, {j} job slots, {k} statics")));
    rows.push(("features", plain(&metadata.schema.hash)));
    let Thresholds { release, remove, confidence } = metadata.thresholds;
    rows.push(("thresholds", format!("release from {release}, remove below {remove}")));
    rows.extend(confidence.map(|least| ("least confidence", least.to_string())));
    let codes = metadata.codes.iter().map(|statistics| statistics.code);
    let known: BTreeSet<i32> = codes.filter(|&code| metadata.knows(code)).collect();
    let known: Vec<String> = known.iter().map(ToString::to_string).collect();
    if !known.is_empty() {
        rows.push(("hold codes known", known.join(" ")));
    }
    let actions = Action::ALL.into_iter().filter(|&action| metadata.knows_action(action));
    let actions: Vec<&str> = actions.map(Action::name).collect();
    let actions = if actions.is_empty() { "none".to_owned() } else { actions.join(" ") };
    rows.push(("actions known", actions));
    let mut out: String =
        rows.iter().map(|(label, text)| format!("{:<18} {text}\n", format!("{label}:"))).collect();
    let metrics = metadata.metrics.as_object();
    for (heading, values) in [("training", Some(&training.details)), ("held-out data", metrics)] {
        for (name, value) in values.into_iter().flatten() {
            if value.is_number() || value.is_string() || value.is_boolean() {
                let value = value.as_str().map_or_else(|| value.to_string(), plain);
                out.push_str(&format!("{heading}: {} = {value}\n", plain(name)));
            }
        }
    }
    out
}

/// Everything the file says of its making, folded to `columns`. Of a text or a list without end the
/// beginning is printed.
pub(super) fn full(model: &Model, columns: Option<usize>) -> String {
    let metadata = &model.metadata;
    let mut page = Page { out: String::new(), columns };
    match &metadata.sheet {
        Some(sheet) => page.sheet(sheet),
        None => page
            .item("This model has no info sheet: it was made by an earlier version, or elsewhere."),
    }
    if let Some(recalibration) = &metadata.recalibration {
        page.recalibration(recalibration);
    }
    page.out
}

struct Page {
    out: String,
    columns: Option<usize>,
}

impl Page {
    fn heading(&mut self, text: &str) {
        self.out.push('\n');
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn item(&mut self, text: &str) {
        self.labelled("", text);
    }

    /// One text, its lines below each other.
    fn labelled(&mut self, label: &str, text: &str) {
        let (first, rest) = if label.is_empty() {
            ("  ".to_owned(), 4)
        } else {
            (format!("  {label:<LABEL$}"), 2 + LABEL)
        };
        self.out.push_str(&wrap(&first, rest, &tame(text), self.columns));
    }

    fn list(&mut self, heading: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        self.heading(heading);
        items.iter().take(ITEMS).for_each(|item| self.item(item));
        self.more(items.len());
    }

    fn more(&mut self, items: usize) {
        if items > ITEMS {
            self.item(&format!("and {} more", items - ITEMS));
        }
    }

    fn sheet(&mut self, sheet: &Sheet) {
        self.list("What it is for", &sheet.purpose);
        self.list("What it is not for", &sheet.not_for);
        self.list("What it was made of", &sheet.data);
        self.list("How that was cut", &sheet.split);
        self.list("What it has not seen", &sheet.not_seen);
        if !sheet.leakage.is_empty() {
            self.heading("Leakage, by the list of Kapoor and Narayanan (2023)");
        }
        for leakage in sheet.leakage.iter().take(ITEMS) {
            let kind = shown(&leakage.kind, LABEL - 1);
            let name = shown(&leakage.name, TEXT / 10);
            self.labelled(&kind, &format!("{name}: {}", leakage.found.words()));
            self.labelled(" ", &leakage.why);
            if !leakage.shown_by.is_empty() {
                self.labelled(" ", &format!("shown by: {}", leakage.shown_by));
            }
        }
        self.more(sheet.leakage.len());
        self.figures(
            "Figures, with the calibration of its training",
            &sheet.figures_of,
            &sheet.figures,
        );
        if let Some(ClosedLoop { figures_of, figures }) = &sheet.closed_loop {
            let heading = "Decisions in closed loop: the share of the avoidable loss they avoid";
            self.figures(heading, figures_of, figures);
        }
    }

    fn figures(&mut self, heading: &str, of: &str, figures: &[SheetFigure]) {
        if figures.is_empty() {
            return;
        }
        self.heading(heading);
        self.item(of);
        let mut last: Option<&str> = None;
        for SheetFigure { figure, method, value, low, high } in figures.iter().take(ITEMS) {
            let name = if last == Some(figure) { "" } else { figure.as_str() };
            last = Some(figure);
            let cell = |text: &str| shown(text, 24);
            let interval = interval(&Interval { value: *value, low: *low, high: *high });
            self.out.push_str(&format!(
                "  {:<12}{:<26}{interval}\n",
                shorten(&cell(name), 11),
                cell(method)
            ));
        }
        self.more(figures.len());
    }

    fn recalibration(&mut self, own: &Recalibration) {
        self.heading("Calibrated anew");
        self.item(&format!(
            "On {} outcomes of {} clusters of {}, released {} to {} UTC; what was done before the release is known of {}.",
            own.outcomes,
            own.clusters,
            own.access_point,
            minute(own.first, &TimeZone::UTC),
            minute(own.last, &TimeZone::UTC),
            own.actions_known
        ));
        let check = &own.check;
        self.item(&format!(
            "Fitted to the {} older ones and measured on the {} newer ones, of {} other clusters:",
            check.fitted, check.measured, check.clusters
        ));
        for (name, change) in
            [("calibration error", &check.calibration_error), ("log loss", &check.log_loss)]
        {
            self.item(&format!(
                "{name} {} before, {} after",
                interval(&change.before),
                interval(&change.after)
            ));
        }
        if own.forced {
            self.item(
                "It was worse there than the one before, and written by --force all the same.",
            );
        }
    }
}

/// `0.813 (0.797 .. 0.828)`; numbers that no figure has are not spelled out.
fn interval(interval: &Interval) -> String {
    let number = |value: f64| match value {
        value if value.abs() < 1e6 => format!("{value:.3}"),
        value => format!("{value:.0e}"),
    };
    let Interval { value, low, high } = *interval;
    format!("{} ({} .. {})", number(value), number(low), number(high))
}

/// Fit for a terminal: no control characters, not too long, and no word longer than a line.
fn tame(text: &str) -> String {
    let text = printable(text);
    let mut out = String::new();
    let mut word = 0;
    for c in shorten(&text, TEXT).chars() {
        word = if c.is_whitespace() { 0 } else { word + 1 };
        if word > WORD {
            out.push(' ');
            word = 1;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Calibration, FigureChange, Leakage, LeakageFound, RecalibrationCheck};

    fn model() -> Model {
        Model::builtin_default().unwrap()
    }

    fn lines(items: &[&str]) -> Vec<String> {
        items.iter().map(|&item| item.to_owned()).collect()
    }

    fn sheet() -> Sheet {
        Sheet {
            purpose: lines(&["The probability that a held HTCondor job succeeds within 48 hours of a release, by what is done before it."]),
            not_for: lines(&["Removing jobs with nobody looking."]),
            data: lines(&["No real outcome.", "10 rows trained, 5 validated."]),
            split: lines(&["By the time of the hold."]),
            not_seen: lines(&["Real holds."]),
            leakage: vec![Leakage {
                kind: "L3.1".to_owned(),
                name: "temporal leakage".to_owned(),
                found: LeakageFound::No,
                why: "Every row that trained or validated was decided more than H before the first hold of the test.".to_owned(),
                shown_by: "tests/time_travel.rs".to_owned(),
            }],
            figures_of: "20 releases of 9 clusters in the test part".to_owned(),
            figures: ["model", "constant"]
                .map(|method| SheetFigure { figure: "auroc".to_owned(), method: method.to_owned(), value: 0.75, low: 0.5, high: 0.875 })
                .into(),
            closed_loop: Some(ClosedLoop {
                figures_of: "3 access points of `small`, seeds 1 to 3".to_owned(),
                figures: vec![SheetFigure {
                    figure: "share".to_owned(),
                    method: "advice".to_owned(),
                    value: 0.65,
                    low: 0.59,
                    high: 0.71,
                }],
            }),
        }
    }

    fn recalibration() -> Recalibration {
        let interval = |value| Interval { value, low: value - 0.01, high: value + 0.01 };
        let change = FigureChange {
            before: interval(0.08),
            after: interval(0.04),
            difference: interval(-0.04),
        };
        Recalibration {
            access_point: "ap1.example.org".to_owned(),
            outcomes: 812,
            clusters: 230,
            actions_known: 40,
            first: 1_772_366_400,
            last: 1_774_958_400,
            replaced: Calibration::default(),
            check: RecalibrationCheck {
                fitted: 520,
                measured: 244,
                clusters: 71,
                calibration_error: change,
                log_loss: change,
            },
            forced: false,
        }
    }

    #[test]
    fn a_sheet_is_folded() {
        let mut model = model();
        model.metadata.sheet = Some(sheet());
        model.metadata.recalibration = Some(recalibration());
        insta::assert_snapshot!(full(&model, Some(80)));
    }

    #[test]
    fn a_model_without_a_sheet_says_so() {
        let mut model = model();
        model.metadata.sheet = None;
        assert!(full(&model, Some(80)).contains("has no info sheet"));
    }

    #[test]
    fn a_hostile_sheet_stays_tame() {
        let mut model = model();
        let evil = format!("\u{1b}]0;owned\u{7}\u{1b}[2J{}\n\u{202e}line two", "A".repeat(5_000));
        let many = vec![evil.clone(); 400];
        let leakage = Leakage {
            kind: evil.clone(),
            name: evil.clone(),
            found: LeakageFound::Unknown,
            why: evil.clone(),
            shown_by: evil.clone(),
        };
        let figure = SheetFigure {
            figure: evil.clone(),
            method: evil.clone(),
            value: 1e300,
            low: -1e300,
            high: f64::MAX,
        };
        model.metadata.sheet = Some(Sheet {
            purpose: many.clone(),
            not_for: many.clone(),
            data: many.clone(),
            split: many.clone(),
            not_seen: many,
            leakage: vec![leakage; 400],
            figures_of: evil.clone(),
            figures: vec![figure.clone(); 400],
            closed_loop: Some(ClosedLoop { figures_of: evil.clone(), figures: vec![figure; 400] }),
        });
        let first = i64::MAX;
        model.metadata.recalibration = Some(Recalibration {
            access_point: evil,
            first,
            last: i64::MIN,
            outcomes: u64::MAX,
            ..recalibration()
        });
        let text = full(&model, Some(80));
        assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'));
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{:?}",
            text.lines().find(|line| line.chars().count() > 80)
        );
        assert!(text.len() < 2_000_000, "{}", text.len());
        assert!(text.contains("and 300 more"));
    }
}
