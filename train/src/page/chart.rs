//! Charts as static SVG; colours come from the style sheet of the page.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::escape;

/// Size of a chart and of its plot within it.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;

/// Height of a row of [`intervals`], and the most of the width that its names take.
const ROW: f64 = 22.0;
const NAMES: f64 = 190.0;

/// Width of a character of a tick, at most.
const CHARACTER: f64 = 6.8;

/// Colours of the style sheet; lines beyond them take them again, dashed.
const COLOURS: usize = 8;

/// Ticks of an axis, at most.
const TICKS: usize = 7;

/// One line of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What it is of.
    pub name: String,
    /// x and y.
    pub points: Vec<[f64; 2]>,
}

/// How values lie on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scale {
    /// From the least value to the greatest.
    Linear([f64; 2]),
    /// The same of whole numbers: no tick has decimals.
    Whole([f64; 2]),
    /// Each factor takes the same room; the ends are above 0.
    Log([f64; 2]),
    /// Names side by side: value n is that of the name numbered so, from 0.
    Choices(Vec<String>),
}

impl Scale {
    /// Where a value lies between the ends, 0 to 1; no number where it lies nowhere.
    fn share(&self, value: f64) -> f64 {
        let (value, [low, high]) = match self {
            Self::Linear(ends) | Self::Whole(ends) => (value, *ends),
            Self::Log(ends) => (value.ln(), ends.map(f64::ln)),
            Self::Choices(names) => (value, [-0.5, names.len() as f64 - 0.5]),
        };
        match value.is_finite() {
            true if high > low => ((value - low) / (high - low)).clamp(0.0, 1.0),
            true => 0.0,
            false => f64::NAN,
        }
    }

    /// Where ticks are, with what stands there.
    fn ticks(&self, room: f64) -> Vec<(f64, String)> {
        let numbers = |ticks: Vec<f64>, places| {
            ticks.into_iter().map(|tick| (tick, label(tick, places))).collect()
        };
        match self {
            &Self::Linear(ends) => numbers(round_numbers(ends, 0.0), places(ends)),
            &Self::Whole(ends) => numbers(round_numbers(ends, 1.0), 0),
            &Self::Log(ends) => match powers(ends) {
                ticks if ticks.len() > 1 => ticks.into_iter().map(|at| (at, power(at))).collect(),
                _ => numbers(round_numbers(ends, 0.0), places(ends)),
            },
            Self::Choices(names) => {
                let fit = self.fits(room);
                let text = |(at, name): (usize, &String)| match fit {
                    true => (at as f64, name.clone()),
                    false => (at as f64, (at + 1).to_string()),
                };
                names.iter().enumerate().map(text).collect()
            }
        }
    }

    fn fits(&self, room: f64) -> bool {
        let Self::Choices(names) = self else { return true };
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        (longest as f64 + 1.0) * CHARACTER * names.len() as f64 <= room
    }
}

/// What an axis shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis<'a> {
    /// With the unit.
    pub(crate) label: &'a str,
    pub(crate) scale: Scale,
}

impl Axis<'_> {
    /// What the numbers below an axis stand for, where its names do not fit there.
    pub(crate) fn key(&self) -> Option<String> {
        let Scale::Choices(names) = &self.scale else { return None };
        let each = names.iter().zip(1..).map(|(name, at)| format!("{at}: {name}"));
        (!self.scale.fits(WIDTH - LEFT - RIGHT)).then(|| each.collect::<Vec<_>>().join(", "))
    }
}

/// A chart of lines or dots.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chart<'a> {
    /// What it shows, read out where it cannot be seen.
    pub(crate) title: &'a str,
    pub(crate) x: Axis<'a>,
    pub(crate) y: Axis<'a>,
    /// A thin line from corner to corner.
    pub(crate) diagonal: bool,
    /// Dots at the points of lines.
    pub(crate) dots: bool,
}

/// A dot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dot {
    pub(crate) name: String,
    pub(crate) at: [f64; 2],
    /// Number of its colour.
    pub(crate) colour: usize,
    /// It is larger than the others, and full.
    pub(crate) own: bool,
}

/// The class of a line: its colour, and whether it is dashed.
fn class(at: usize) -> String {
    let dashed = if at / COLOURS % 2 == 1 { " dashed" } else { "" };
    format!("c{}{dashed}", at % COLOURS)
}

/// What the colours of lines, or of dots, stand for.
pub(crate) fn legend<'n>(names: impl Iterator<Item = &'n str>, dots: bool) -> String {
    let mut out = String::from("<ul class=\"legend\">\n");
    for (at, name) in names.enumerate() {
        let class = class(at);
        let mark = match dots {
            true => format!("<circle class=\"dot {class}\" cx=\"16\" cy=\"6\" r=\"4\"/>"),
            false => {
                format!("<line class=\"line own {class}\" x1=\"0\" y1=\"6\" x2=\"32\" y2=\"6\"/>")
            }
        };
        let name = escape(name);
        let _ = writeln!(
            out,
            "<li><svg viewBox=\"0 0 32 12\" aria-hidden=\"true\">{mark}</svg>{name}</li>"
        );
    }
    out.push_str("</ul>\n");
    out
}

impl Chart<'_> {
    /// The chart with its lines, the one named `own` thicker. Points that lie nowhere are left out.
    pub(crate) fn draw(&self, lines: &[Line], own: &str) -> String {
        let mut out = self.start();
        for (at, line) in lines.iter().enumerate() {
            let thick = if line.name == own { " own" } else { "" };
            let class = class(at);
            self.polyline(&mut out, line, &format!("{class}{thick}"));
            for [x, y] in self.placed(&line.points).filter(|_| self.dots) {
                let _ = writeln!(
                    out,
                    "<circle class=\"dot {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"/>"
                );
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

    /// The chart with dots, its own over the others.
    pub(crate) fn draw_dots(&self, dots: &[Dot]) -> String {
        let mut out = self.start();
        let (own, others): (Vec<&Dot>, Vec<&Dot>) = dots.iter().partition(|dot| dot.own);
        for Dot { name, at, colour, own } in others.into_iter().chain(own) {
            let (class, radius) = (class(*colour), if *own { 6.0 } else { 3.5 });
            let (own, name) = (if *own { " own" } else { "" }, escape(name));
            for [x, y] in self.placed(&[*at]) {
                let _ = writeln!(
                    out,
                    "<circle class=\"dot {class}{own}\" cx=\"{x:.1}\" cy=\"{y:.1}\" \
                     r=\"{radius}\"><title>{name}</title></circle>"
                );
            }
        }
        out.push_str("</svg>\n");
        out
    }

    fn start(&self) -> String {
        let mut out = begin(self.title, HEIGHT);
        self.axes(&mut out);
        out
    }

    /// Where points lie; those that lie nowhere are left out.
    fn placed(&self, points: &[[f64; 2]]) -> impl Iterator<Item = [f64; 2]> {
        let placed = points.iter().map(|[x, y]| [self.across(*x), self.up(*y)]);
        placed.filter(|point| point.iter().all(|value| value.is_finite()))
    }

    fn across(&self, value: f64) -> f64 {
        LEFT + self.x.scale.share(value) * (WIDTH - LEFT - RIGHT)
    }

    fn up(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.scale.share(value) * (HEIGHT - TOP - BOTTOM)
    }

    fn axes(&self, out: &mut String) {
        let [left, right, top, bottom] = [LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM];
        for (step, name) in self.x.scale.ticks(right - left) {
            upright(out, self.across(step), [top, bottom], &name);
        }
        for (step, name) in self.y.scale.ticks(bottom - top) {
            let y = self.up(step);
            line(out, "grid", [left, y], [right, y]);
            text(out, ("tick", "end"), [left - 6.0, y + 4.0], &name);
        }
        if self.diagonal {
            line(out, "diagonal", [left, bottom], [right, top]);
        }
        below(out, [left, right], HEIGHT, self.x.label);
        out.push_str("<g transform=\"rotate(-90)\">\n");
        text(out, ("axis", "middle"), [-(top + bottom) / 2.0, 13.0], self.y.label);
        out.push_str("</g>\n");
    }
}

/// A value with its interval, in a row of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Interval<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A row for each value: a dot, and a line from one end of its interval to the other.
pub(crate) fn intervals(title: &str, axis: &Axis<'_>, rows: &[Interval<'_>]) -> String {
    let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let left = (longest as f64 * CHARACTER + 14.0).clamp(LEFT, NAMES);
    let [right, bottom] = [WIDTH - RIGHT, TOP + ROW * rows.len() as f64];
    let height = bottom + BOTTOM;
    let mut out = begin(title, height);
    let place = |value: f64| left + axis.scale.share(value) * (right - left);
    for (step, name) in axis.scale.ticks(right - left) {
        upright(&mut out, place(step), [TOP, bottom], &name);
    }
    line(&mut out, "diagonal", [place(0.0), TOP], [place(0.0), bottom]);
    let fit = ((left - 14.0) / CHARACTER) as usize;
    for (at, Interval { name, value, low, high }) in rows.iter().enumerate() {
        let y = TOP + ROW * (at as f64 + 0.5);
        let [x, from, to] = [*value, *low, *high].map(place);
        let short = match name.char_indices().nth(fit) {
            Some((end, _)) if name.chars().count() > fit + 1 => format!("{}…", &name[..end]),
            _ => (*name).to_owned(),
        };
        let _ = writeln!(out, "<g><title>{}</title>", escape(name));
        text(&mut out, ("tick", "end"), [left - 8.0, y + 4.0], &short);
        if [x, from, to].iter().all(|value| value.is_finite()) {
            line(&mut out, "span c0", [from, y], [to, y]);
            let _ = writeln!(out, "<circle class=\"dot c0\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
        }
        out.push_str("</g>\n");
    }
    below(&mut out, [left, right], height, axis.label);
    out.push_str("</svg>\n");
    out
}

fn begin(title: &str, height: f64) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escape(title)
    )
}

fn line(out: &mut String, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
    let ends = format!("x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"");
    let _ = writeln!(out, "<line class=\"{class}\" {ends}/>");
}

/// Text with its class, and which part of it lies at the place: its `middle` or its `end`.
fn text(out: &mut String, (class, anchor): (&str, &str), [x, y]: [f64; 2], text: &str) {
    let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"");
    let _ = writeln!(out, "<text class=\"{class}\" {place}>{}</text>", escape(text));
}

/// A line of the grid, and what stands below it.
fn upright(out: &mut String, x: f64, [top, bottom]: [f64; 2], name: &str) {
    line(out, "grid", [x, top], [x, bottom]);
    text(out, ("tick", "middle"), [x, bottom + 16.0], name);
}

/// What the axis below the plot is called.
fn below(out: &mut String, [left, right]: [f64; 2], height: f64, label: &str) {
    text(out, ("axis", "middle"), [(left + right) / 2.0, height - 9.0], label);
}

/// Least and greatest of the numbers.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let finite = values.filter(|value| value.is_finite());
    let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
        [low.min(value), high.max(value)]
    });
    (low <= high).then_some([low, high])
}

/// The ends with a little room around them.
pub(crate) fn roomy([low, high]: [f64; 2]) -> [f64; 2] {
    let room = match high - low {
        span if span > 0.0 => span * 0.05,
        _ => high.abs().max(1.0) * 0.05,
    };
    [low - room, high + room]
}

/// About five round numbers from the least to the greatest value, whose distance is no less than
/// `least`.
fn round_numbers([low, high]: [f64; 2], least: f64) -> Vec<f64> {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return vec![low];
    }
    let power = 10_f64.powf((span / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    let step = step.into_iter().find(|step| span / step <= 5.5).unwrap_or(span).max(least);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|at| at as f64 * step).collect()
}

/// Round numbers between the ends, each about as many times the one before: powers of ten, with
/// their multiples where there is room.
fn powers([low, high]: [f64; 2]) -> Vec<f64> {
    if !(low > 0.0 && high.is_finite() && low < high) {
        return vec![low];
    }
    let decades = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let of = |times: &[i32], every: i32| -> Vec<f64> {
        let powers = (decades.0..=decades.1).filter(|power| power % every == 0);
        let each = powers.flat_map(|power| {
            // As it is read from text: a product of powers has digits that nobody asked for.
            times.iter().filter_map(move |times| format!("{times}e{power}").parse::<f64>().ok())
        });
        each.filter(|tick| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(tick)).collect()
    };
    let finest = [&[1, 2, 5][..], &[1, 3], &[1]].map(|times| of(times, 1));
    let coarser = (2..).map(|every| of(&[1], every));
    finest.into_iter().chain(coarser).find(|ticks| ticks.len() <= TICKS).unwrap_or_default()
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
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A tick of an axis of logarithms.
fn power(value: f64) -> String {
    match (1e-4..1e6).contains(&value) {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(label: &str, scale: Scale) -> Axis<'_> {
        Axis { label, scale }
    }

    fn chart() -> Chart<'static> {
        Chart {
            title: "t<",
            x: axis("a & b", Scale::Linear([0.0, 1.0])),
            y: axis("y", Scale::Linear([0.0, 50.0])),
            diagonal: true,
            dots: true,
        }
    }

    fn texts(scale: &Scale) -> Vec<String> {
        scale.ticks(WIDTH).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn points_land_where_they_belong_and_text_is_escaped() {
        let points = vec![[0.0, 0.0], [1.0, 50.0], [f64::NAN, 1.0], [0.5, 99.0]];
        let lines = [Line { name: "<ours>".to_owned(), points }];
        let svg = chart().draw(&lines, "<ours>");
        assert!(svg.contains("points=\"58.0,284.0 446.0,12.0 252.0,12.0\""), "{svg}");
        assert!(
            svg.contains("a &amp; b") && svg.contains("&lt;ours&gt;") && !svg.contains("<ours")
        );
        assert!(svg.contains("aria-label=\"t&lt;\"") && svg.contains("class=\"line c0 own\""));
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn ticks_are_round_and_few() {
        let linear = |low, high| texts(&Scale::Linear([low, high]));
        assert_eq!(linear(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(linear(0.0, 130.0), ["0", "50", "100"]);
        assert_eq!(linear(0.3001, 0.3004), ["0.3001", "0.3002", "0.3003", "0.3004"]);
        assert_eq!((linear(3.0, 3.0), linear(0.0, f64::NAN)), (vec!["3".into()], vec!["0".into()]));
        for high in [0.013, 0.7, 2.0, 37.0, 9_999.0] {
            assert!((3..=7).contains(&linear(0.0, high).len()), "{high}");
        }
    }

    #[test]
    fn whole_numbers_have_no_decimals() {
        assert_eq!(texts(&Scale::Whole([0.9, 3.1])), ["1", "2", "3"]);
        assert_eq!(texts(&Scale::Whole([0.0, 3000.0])), ["0", "1000", "2000", "3000"]);
    }

    #[test]
    fn logarithms_have_powers_of_ten_evenly_apart() {
        let wide = Scale::Log([1e-6, 1.0]);
        assert_eq!(texts(&wide), ["1e-6", "1e-5", "0.0001", "0.001", "0.01", "0.1", "1"]);
        let shares: Vec<f64> = wide.ticks(WIDTH).iter().map(|(at, _)| wide.share(*at)).collect();
        assert!(shares.windows(2).all(|pair| (pair[1] - pair[0] - 1.0 / 6.0).abs() < 1e-9));
        assert_eq!(texts(&Scale::Log([3e-4, 1e-2])), ["0.0005", "0.001", "0.002", "0.005", "0.01"]);
        assert_eq!(texts(&Scale::Log([0.31, 0.34])), ["0.31", "0.32", "0.33", "0.34"]);
        assert!(texts(&Scale::Log([1e-40, 1e40])).len() <= TICKS);
        assert!(wide.share(0.0).is_nan() && wide.share(-1.0).is_nan());
    }

    #[test]
    fn choices_are_named_and_numbered_where_they_have_no_room() {
        let named =
            |names: &[&str]| Scale::Choices(names.iter().map(|&name| name.into()).collect());
        let few = axis("hidden", named(&["32", "64", "128"]));
        assert_eq!(
            (texts(&few.scale), few.key()),
            (vec!["32".into(), "64".into(), "128".into()], None)
        );
        assert!((few.scale.share(1.0) - 0.5).abs() < 1e-12);
        let long = "a name that takes a great deal of room";
        let many = axis("kind", named(&[long, "b", "c"]));
        assert_eq!(texts(&many.scale), ["1", "2", "3"]);
        assert_eq!(many.key(), Some(format!("1: {long}, 2: b, 3: c")));
    }

    #[test]
    fn the_own_line_and_dot_stand_out_and_no_numbers_are_left_out() {
        let line = |name: &str| Line { name: name.to_owned(), points: vec![[0.0, 0.0]] };
        let svg = chart().draw_many(&[line("<own>"), line("other")], "<own>", &[line("end")]);
        let classes = ["c7 many", "c0 dashed", "c0 own"];
        let [other, end, own] = classes.map(|class| svg.find(class).unwrap());
        assert!(other < end && end < own && svg.contains("<title>&lt;own&gt;</title>"), "{svg}");
        let dot = |name: &str, at, own| Dot { name: name.to_owned(), at, colour: 1, own };
        let dots = [dot("a", [0.5, 1.0], true), dot("b", [f64::INFINITY, 1.0], false)];
        let svg = chart().draw_dots(&dots);
        assert!(svg.matches("<circle").count() == 1 && svg.contains("dot c1 own"), "{svg}");
    }

    #[test]
    fn intervals_have_a_row_each_and_nothing_without_a_value() {
        let of = |name, value| Interval { name, value, low: value - 0.1, high: value + 0.1 };
        let long = "a name that takes a great deal of room & more";
        let rows = [of(long, 0.5), of("b", f64::NAN)];
        let svg = intervals("t", &axis("share", Scale::Linear([0.0, 1.0])), &rows);
        assert_eq!((svg.matches("<circle").count(), svg.matches("span c0").count()), (1, 1));
        assert!(svg.contains("…</text>") && svg.contains("room &amp; more</title>"), "{svg}");
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn colours_repeat_dashed() {
        assert_eq!((class(0), class(8), class(17)), ("c0".into(), "c0 dashed".into(), "c1".into()));
    }
}
