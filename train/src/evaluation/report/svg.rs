//! Line charts as static SVG; colours come from the style sheet of the page.

use std::fmt::Write;

use super::Line;
use super::html::escape;

/// Size of a chart and of its plot within it.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;

/// Colours of the style sheet; lines beyond them take them again, dashed.
const COLOURS: usize = 8;

/// A chart of lines.
pub(crate) struct Chart<'a> {
    /// What it shows, read out where it cannot be seen.
    pub(crate) title: &'a str,
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
    /// Least and greatest value of x.
    pub(crate) x_range: [f64; 2],
    /// Least value of y, and the greatest unless it is that of the points.
    pub(crate) y_range: [f64; 2],
    /// A thin line from corner to corner.
    pub(crate) diagonal: bool,
    /// Dots at the points.
    pub(crate) dots: bool,
}

/// The class of a line: its colour, and whether it is dashed.
pub(super) fn class(at: usize) -> String {
    let dashed = if at / COLOURS % 2 == 1 { " dashed" } else { "" };
    format!("c{}{dashed}", at % COLOURS)
}

impl Chart<'_> {
    /// The chart with its lines, the one named `own` thicker. Points that are no numbers are left
    /// out.
    pub(crate) fn draw(&self, lines: &[Line], own: &str) -> String {
        let mut out = self.start();
        for (at, line) in lines.iter().enumerate() {
            let thick = if line.name == own { " own" } else { "" };
            let class = class(at);
            self.polyline(&mut out, line, &format!("{class}{thick}"));
            if self.dots {
                for [x, y] in self.placed(&line.points) {
                    let _ = writeln!(
                        out,
                        "<circle class=\"dot {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"/>"
                    );
                }
            }
        }
        out.push_str("</svg>\n");
        out
    }

    /// The chart with many lines of one colour, and the one named `own` over them in another, with
    /// those of its interval `around` it.
    pub(crate) fn draw_many(&self, lines: &[Line], own: &str, around: &[Line]) -> String {
        let mut out = self.start();
        let (own, others): (Vec<&Line>, Vec<&Line>) =
            lines.iter().partition(|line| line.name == own);
        let around = around.iter().collect();
        for (lines, class) in [(others, "c7 many"), (around, "c0 dashed"), (own, "c0 own")] {
            lines.into_iter().for_each(|line| self.polyline(&mut out, line, class));
        }
        out.push_str("</svg>\n");
        out
    }

    fn polyline(&self, out: &mut String, line: &Line, class: &str) {
        let path: Vec<String> =
            self.placed(&line.points).map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            out,
            "<polyline class=\"line {class}\" points=\"{}\"><title>{}</title></polyline>",
            path.join(" "),
            escape(&line.name)
        );
    }

    /// The chart with a dot for each point, the one named `own` larger and in another colour.
    pub(crate) fn draw_dots(&self, dots: &[(String, [f64; 2])], own: &str) -> String {
        let mut out = self.start();
        for (name, point) in dots {
            let (class, radius) = if name == own { ("c1", 5) } else { ("c0", 3) };
            for [x, y] in self.placed(&[*point]) {
                let _ = writeln!(
                    out,
                    "<circle class=\"dot {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{}</title></circle>",
                    escape(name)
                );
            }
        }
        out.push_str("</svg>\n");
        out
    }

    fn start(&self) -> String {
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
            escape(self.title)
        );
        self.axes(&mut out);
        out
    }

    /// Where points lie; those that are no numbers are left out.
    fn placed(&self, points: &[[f64; 2]]) -> impl Iterator<Item = [f64; 2]> {
        let finite = points.iter().filter(|point| point.iter().all(|value| value.is_finite()));
        finite.map(|&point| self.place(point))
    }

    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let share = |value: f64, [low, high]: [f64; 2]| {
            if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
        };
        [
            LEFT + share(x, self.x_range) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - share(y, self.y_range) * (HEIGHT - TOP - BOTTOM),
        ]
    }

    fn axes(&self, out: &mut String) {
        let [left, bottom] = self.place([self.x_range[0], self.y_range[0]]);
        let [right, top] = self.place([self.x_range[1], self.y_range[1]]);
        let digits = places(self.x_range);
        for step in ticks(self.x_range) {
            let [x, _] = self.place([step, 0.0]);
            let _ = writeln!(
                out,
                "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 15.0,
                label(step, digits)
            );
        }
        let digits = places(self.y_range);
        for step in ticks(self.y_range) {
            let [_, y] = self.place([0.0, step]);
            let _ = writeln!(
                out,
                "<line class=\"grid\" x1=\"{left:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                y + 4.0,
                label(step, digits)
            );
        }
        if self.diagonal {
            let _ = writeln!(
                out,
                "<line class=\"diagonal\" x1=\"{left:.1}\" y1=\"{bottom:.1}\" x2=\"{right:.1}\" y2=\"{top:.1}\"/>"
            );
        }
        let (middle, centre) = ((left + right) / 2.0, (top + bottom) / 2.0);
        let _ = writeln!(
            out,
            "<text class=\"axis\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"axis\" transform=\"translate(13 {centre:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            HEIGHT - 8.0,
            escape(self.x),
            escape(self.y)
        );
    }
}

/// About five round numbers from the least to the greatest value.
fn ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return vec![low];
    }
    let power = 10_f64.powf((span / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    let step = step.into_iter().find(|step| span / step <= 5.5).unwrap_or(span);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|at| at as f64 * step).collect()
}

/// Decimal places that tell the ticks of a range apart, three at least.
fn places([low, high]: [f64; 2]) -> usize {
    let span = high - low;
    match span.is_finite() && span > 0.0 {
        true => (1.0 - (span / 5.0).log10().floor()).clamp(3.0, 12.0) as usize,
        false => 3,
    }
}

fn label(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart<'static> {
        Chart {
            title: "t<",
            x: "a & b",
            y: "y",
            x_range: [0.0, 1.0],
            y_range: [0.0, 50.0],
            diagonal: true,
            dots: true,
        }
    }

    #[test]
    fn points_land_where_they_belong_and_text_is_escaped() {
        let points = vec![[0.0, 0.0], [1.0, 50.0], [f64::NAN, 1.0], [0.5, 99.0]];
        let lines = [Line { name: "<ours>".to_owned(), points }];
        let svg = chart().draw(&lines, "<ours>");
        assert!(svg.contains("points=\"52.0,286.0 448.0,12.0 250.0,12.0\""), "{svg}");
        assert!(
            svg.contains("a &amp; b") && svg.contains("&lt;ours&gt;") && !svg.contains("<ours")
        );
        assert!(svg.contains("aria-label=\"t&lt;\"") && svg.contains("class=\"line c0 own\""));
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(
            ticks([0.0, 1.0]).iter().map(|&t| label(t, 3)).collect::<Vec<_>>(),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(ticks([0.0, 130.0]), [0.0, 50.0, 100.0]);
        let close = [0.3001, 0.3004];
        let labels: Vec<String> =
            ticks(close).iter().map(|&tick| label(tick, places(close))).collect();
        assert_eq!(labels, ["0.3001", "0.3002", "0.3003", "0.3004"]);
        assert_eq!(ticks([3.0, 3.0]), [3.0]);
        assert_eq!(ticks([0.0, f64::NAN]), [0.0]);
        for high in [0.013, 0.7, 2.0, 37.0, 9_999.0] {
            assert!((3..=7).contains(&ticks([0.0, high]).len()), "{high}");
        }
    }

    #[test]
    fn the_own_line_and_dot_stand_out_and_no_numbers_are_left_out() {
        let line = |name: &str| Line { name: name.to_owned(), points: vec![[0.0, 0.0]] };
        let svg = chart().draw_many(&[line("<own>"), line("other")], "<own>", &[line("end")]);
        let classes = ["c7 many", "c0 dashed", "c0 own"];
        let [other, end, own] = classes.map(|class| svg.find(class).unwrap());
        assert!(other < end && end < own && svg.contains("<title>&lt;own&gt;</title>"), "{svg}");
        let dots = [("a".to_owned(), [0.5, 1.0]), ("b".to_owned(), [f64::INFINITY, 1.0])];
        let svg = chart().draw_dots(&dots, "a");
        assert!(svg.matches("<circle").count() == 1 && svg.contains("dot c1"), "{svg}");
    }

    #[test]
    fn colours_repeat_dashed() {
        assert_eq!((class(0), class(8), class(17)), ("c0".into(), "c0 dashed".into(), "c1".into()));
    }
}
