//! `-html`: advice as cards, above them what is wrong where and a table of incidents.

use maud::{Markup, html};

use super::Page;
use super::card::{Card, Line};
use super::decision;
use super::details::{self, Fact, judged_by};
use super::incident_table::{self, HEADINGS, Row, Times, WHAT};
use super::incidents::Incidents;
use super::workflow::{self, thrash};
use super::workflow_page::{in_short, sections};
use crate::advice::{Advice, Recommendation};
use crate::history::Stretch;
use crate::page::{self, Section, document, wide};
use crate::sentences::times::length;
use crate::sentences::{self, choices};
use crate::text::{plural, printable};
use crate::workflow::{Thrashing, View};

/// The title of a page of this program.
const TITLE: &str = "What is wrong, and what to do";

/// That of version 0.1.0.
const OLD_TITLE: &str = "What is wrong where";

/// Cards and rows of incidents on a page: more than anybody reads.
const MOST: usize = 100;

/// Whether a text is a page of this program.
pub(crate) fn is_page(text: &str) -> bool {
    page::is_page(text, &[TITLE, OLD_TITLE])
}

/// Advices for a page.
#[derive(Debug, Default)]
pub(crate) struct Html(Incidents);

impl Html {
    pub(crate) fn add(&mut self, advice: &Advice) {
        self.0.add(advice);
    }

    /// The page. `about`: what was asked; `nothing`: what is said where there is no advice.
    pub(crate) fn page(
        self,
        about: &str,
        nothing: &str,
        view: Option<&View>,
        thrashing: &[Thrashing],
        page: &Page,
    ) -> String {
        let incidents = self.0;
        let cards = incidents.cards(MOST, page);
        let left_out = incidents.len() - cards.len();
        let about = html! { p.about { (about) } };
        let of_view = view.map_or_else(Vec::new, |view| workflow::cards(view, page.now));
        let one = cards.len() == 1;
        let first = html! { @if !one || view.is_some() {
            (about)
            @if let Some(view) = view { (in_short(view, &of_view)) }
            @match cards.len() {
                0 => p.headline[view.is_none()] { (nothing) },
                1 => {},
                _ => {
                    p.headline { (incidents.counts()) }
                    @if left_out == 0 { (by_recommendation(&cards)) }
                },
            }
        } };
        let introduction = if first.0.is_empty() { about } else { Markup::default() };
        let mut all = view.map(|view| sections(view, &of_view)).unwrap_or_default();
        let mut add = |id: &str, title: &str, body: Markup| {
            if !body.0.is_empty() {
                all.push(Section::new(id, title, body));
            }
        };
        let again = thrash(thrashing, page.now);
        let again = html! {
            @for (at, card) in again.iter().enumerate() { (article("again", at, card, None)) }
        };
        add("again", "Jobs that start again and again", again);
        if cards.len() > 1 {
            add("incidents", "Incidents", table(&incidents, page));
        }
        let (of_one, _) = incident_table::rows(&incidents, Some(usize::from(one)), page);
        let tells = |times: &Times| times.passed.is_some() || times.held[0] != times.held[1];
        let times = of_one.first().map(|row| row.times).filter(tells);
        let passed = times.and_then(|times| times.passed);
        let advice = html! {
            @match cards.first() {
                Some((_, 1, first)) if one && first.held.stretches.len() > 1 => {
                    (attempts(&first.held.stretches, passed, page.now))
                }
                _ => @if let Some(times) = times {
                    p { (axis(times, times.held[0])) (when(times)) }
                }
            }
            @for (at, (card, jobs, first)) in cards.iter().enumerate() {
                (article("card", at, card, Some((*jobs, first, page))))
            }
            @if left_out > 0 {
                p { (plural(left_out, "more incident")) ": -incidents has all." }
            }
        };
        add("advice", "Advice", advice);
        // The card of a job alone has them.
        if !matches!(cards[..], [(_, 1, _)]) {
            let trusts = incidents.sources.trusts().map(|text| ("Trust: ", text.clone()));
            let lines = incidents.sources.lines().into_iter().chain(trusts);
            let lines = lines.map(|(label, text)| (label, html! { (printable(&text)) }));
            add("sources", "Sources", rows(lines));
        }
        document(TITLE, &Section::new("verdict", "In short", first), &introduction.0, &all)
    }
}

/// How many jobs have each advice, with links to the cards.
fn by_recommendation(cards: &[(Card, usize, &Advice)]) -> Markup {
    let mut all = Recommendation::ALL;
    all.sort_by_key(|recommendation| recommendation.rank());
    let first = |one| cards.iter().position(|(card, ..)| card.recommendation == one);
    html! {
        ul.counts { @for (one, at) in all.into_iter().filter_map(|one| Some((one, first(one)?))) {
            @let of = cards.iter().filter(|(card, ..)| card.recommendation == one);
            @let jobs: usize = of.map(|(_, jobs, _)| jobs).sum();
            li { a.badge.(one.name()) href={ "#card-" (at) } { (one.name()) " " (jobs) } }
        } }
    }
}

/// Incidents, a row each, with links to their cards.
fn table(incidents: &Incidents, page: &Page) -> Markup {
    let (rows, more) = incident_table::rows(incidents, Some(MOST), page);
    let [advice, numbers @ ..] = HEADINGS;
    let earliest = rows.iter().map(|row| row.times.held[0]).max().unwrap_or(0);
    let body = html! { table {
        thead { tr {
            th scope="col" { (heading(advice)) }
            th scope="col" { (heading(WHAT)) }
            @for name in numbers { th.n scope="col" { (heading(name)) } }
            th scope="col" { "When" }
        } }
        tbody { @for (at, Row { cells: [advice, numbers @ ..], what, times }) in rows.into_iter().enumerate() { tr {
            td { span.badge.(advice) { (advice) } }
            th scope="row" { (what) }
            @for (name, cell) in HEADINGS[1..].iter().zip(&numbers) { td.n {
                @if *name == "EXAMPLE" { a href={ "#card-" (at) } { (cell) } } @else { (cell) }
            } }
            td { (axis(times, earliest)) }
        } } }
    } };
    html! {
        (wide("Incidents", body))
        p.note {
            "When: a bar from the first hold to the last, a ring where another job got through \
             since, on a line of the last " (length(earliest)) "."
        }
        @if let Some(more) = more { p { (more) } }
    }
}

/// A bar from the first hold to the last, and a ring where another job got through, on a line of so
/// many seconds until now.
fn axis(times: Times, seconds: i64) -> Markup {
    line_of(seconds, &[("holds", times.held)], times.passed, &when(times))
}

/// A line of so many seconds until now, with bars on it by their class, and a ring.
fn line_of(seconds: i64, bars: &[(&str, [i64; 2])], ring: Option<i64>, says: &str) -> Markup {
    let at = |ago: i64| {
        let share = (ago as f64 / seconds.max(1) as f64).clamp(0.0, 1.0);
        format!("{:.1}", 154.0 - 148.0 * share)
    };
    html! { svg.times viewBox="0 0 160 14" role="img" aria-label=(says) {
        title { (says) }
        line x1="6" x2="154" y1="7" y2="7" {}
        @for (class, [first, last]) in bars {
            line class=(class) x1=(at(*first)) x2=(at(*last)) y1="7" y2="7" {}
        }
        @if let Some(ago) = ring { circle cx=(at(ago)) cy="7" r="4.5" {} }
    } }
}

/// When a job was on hold, when its program ran, and when another job got through, on such a line.
fn attempts(stretches: &[Stretch], passed: Option<i64>, now: i64) -> Markup {
    let ago = |at: i64| now.saturating_sub(at);
    let of = |one: &Stretch| (if one.held { "held" } else { "runs" }, [one.from, one.to].map(ago));
    let says = |one: &Stretch| {
        let [from, to] = [one.from, one.to].map(|at| length(ago(at)));
        format!("{} {from} to {to} ago", if one.held { "held" } else { "ran" })
    };
    let bars: Vec<_> = stretches.iter().map(of).collect();
    let passes = passed.map(|ago| format!("another job got through {} ago", length(ago)));
    let says: Vec<String> = stretches.iter().map(says).chain(passes).collect();
    let first = stretches.first().map_or(0, |one| ago(one.from));
    let held = stretches.iter().filter(|one| one.held).count();
    html! { p {
        (line_of(first, &bars, passed, &says.join(", ")))
        "In the last " (length(first)) " held " (plural(held, "time")) " (red) and ran "
        (plural(bars.len() - held, "time")) " (green)."
    } }
}

/// What the line shows.
fn when(times: Times) -> String {
    let held = match times.held.map(length) {
        [first, last] if first == last => format!("Held {first} ago."),
        [first, last] => format!("Held {first} to {last} ago."),
    };
    match times.passed {
        Some(ago) => format!("{held} Another job got through {} ago.", length(ago)),
        None => held,
    }
}

/// `AT_FAULT` as words.
fn heading(name: &str) -> String {
    name[..1].to_owned() + &name[1..].to_ascii_lowercase().replace('_', " ")
}

/// A card: what to do as its heading, and what that of an incident rests on behind a click.
pub(super) fn article(
    kind: &str,
    at: usize,
    card: &Card,
    incident: Option<(usize, &Advice, &Page)>,
) -> Markup {
    let word = card.recommendation.name();
    let id = format!("{kind}-{at}");
    html! {
        article.card.(word) id=(id) aria-labelledby={ "of-" (id) } {
            @if card.act.is_empty() { h3 id={ "of-" (id) } { (card.header) } } @else {
                p.jobs { span.badge.(word) { (word) } " " (card.header) }
                h3 id={ "of-" (id) } { (printable(&card.act)) }
            }
            (rows(card.lines.iter().map(line)))
            @if let Some((jobs, first, page)) = incident { details open[page.style.why] {
                summary {
                    "What this rests on"
                    @if jobs > 1 { ", of job " (first.held.job) }
                }
                (rests_on(first, page))
            } }
        }
        "\n"
    }
}

/// A label, and what is below it.
fn line(line: &Line) -> (&'static str, Markup) {
    match line {
        Line::Said(label, text) => (label, html! { (printable(text)) }),
        Line::Quote(text) => ("hold reason", html! { blockquote { (text) } }),
        Line::Commands(label, of, lines) => {
            let of = of.as_ref().map(|of| html! { p { "for " (of) ":" } });
            (label, html! { @if let Some(of) = of { (of) } pre { code { (lines.join(" &&\n")) } } })
        }
    }
}

/// All that an advice rests on, as `-why` prints it.
fn rests_on(advice: &Advice, page: &Page) -> Markup {
    let diagnosis = sentences::diagnosis(&advice.diagnosis);
    let decided = diagnosis.map(|text| ("At fault:", text)).into_iter();
    let rule = choices::rule(advice.choices.rule).to_owned();
    let decided = decided.chain([("Decided by:", rule)]).map(|(label, text)| (label, vec![text]));
    let mut choices = decision::rows(advice).peekable();
    html! {
        (rows(said(details::rests_on(advice, page))))
        @if choices.peek().is_some() {
            (wide(&format!("Choices for job {}", advice.held.job), html! { table {
                thead { tr { @for name in decision::HEADINGS { th scope="col" { (heading(name)) } } } }
                tbody { @for [name, hours, success, against] in choices { tr {
                    th scope="row" { (name) }
                    td.n { (hours) }
                    td { (success) }
                    td { (against) }
                } } }
            } }))
        }
        (rows(said(decided.chain(judged_by(advice)))))
    }
}

fn said(facts: impl IntoIterator<Item = Fact>) -> impl Iterator<Item = (&'static str, Markup)> {
    facts.into_iter().flat_map(|(label, texts)| {
        texts.into_iter().map(move |text| (label, html! { (printable(&text)) }))
    })
}

/// Labels, each with what is said below it; nothing where there are none.
fn rows(rows: impl IntoIterator<Item = (&'static str, Markup)>) -> Markup {
    let rows: Vec<_> = rows.into_iter().collect();
    let named =
        |at: usize| rows.get(at).map_or("", |(label, _)| label.trim_end_matches([':', ' ']));
    html! { @if !rows.is_empty() { dl.said { @for (at, (_, text)) in rows.iter().enumerate() {
        @let label = named(at);
        // What has no label of its own goes on below the last one.
        @if !label.is_empty() && (at == 0 || named(at - 1) != label) { dt { (label) } }
        dd { (text) }
    } } } }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::print::Style;
    use crate::print::samples::{self, NOW};
    use crate::print::workflow_page::table as places;
    use crate::workflow::{FailureCause, Matrix, PlaceRuns, Row as Cause, ShownBy};

    const HOSTILE: &str =
        "</pre></style><script src=\"http://evil.example.org/x\">&amp;'\u{1b}[31m\u{202e}";

    fn printed(advices: &[Advice], why: bool) -> (String, Vec<Card>) {
        let style = Style { why, ..Style::default() };
        let page = Page { style, now: NOW, zone: TimeZone::UTC, again: Some("tool".to_owned()) };
        let all = || {
            let mut html = Html::default();
            advices.iter().for_each(|advice| html.add(advice));
            html
        };
        let cards = all().0.cards(MOST, &page).into_iter().map(|(card, ..)| card).collect();
        (all().page("<about>", "nothing", None, &[], &page), cards)
    }

    /// Each tag is closed in its turn, each link is to one thing on the page, and nothing is from
    /// elsewhere or runs.
    fn check(html: &str) {
        let mut open = Vec::new();
        for tag in html.split('<').skip(2).map(|rest| rest.split('>').next().unwrap()) {
            let name = tag.split_whitespace().next().unwrap();
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "{html}"),
                None if name == "meta" => {}
                None => open.push(name),
            }
            assert!(![" src=", " on", "url("].iter().any(|text| tag.contains(text)), "{tag}");
            assert_ne!(name, "script");
        }
        assert_eq!(open, [""; 0], "{html}");
        for link in html.split(" href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            let id = link.strip_prefix('#').unwrap();
            assert_eq!(html.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
        }
        assert!(!html.contains(['\u{1b}', '\u{202e}']), "{html}");
    }

    #[test]
    fn a_page_has_what_every_card_says() {
        let advices =
            [samples::transfer(7, 0), samples::transfer(7, 1), samples::memory(8, 0, 2048)];
        let (html, cards) = printed(&advices, false);
        check(&html);
        let has = |text: &str| {
            let text = html! { (printable(text)) }.into_string();
            assert!(html.contains(&text), "{text} is not in\n{html}");
        };
        assert_eq!((cards.len(), html.matches("<article").count()), (2, 2));
        for card in &cards {
            has(&card.header);
            has(&card.act);
            for line in &card.lines {
                match line {
                    Line::Said(label, text) => [label, text.as_str()].into_iter().for_each(has),
                    Line::Quote(text) => has(text),
                    Line::Commands(_, _, lines) => lines.iter().for_each(|line| has(line)),
                }
            }
        }
        has("3 held jobs of 1 user, 2 incidents.");
        has("Held 2h14m ago. Another job got through 10m ago.");
        assert!(
            html.contains("<a class=\"badge release\" href=\"#card-0\">release 2</a>"),
            "{html}"
        );
        assert!(html.contains("<details>") && html.contains("<th scope=\"row\">remove</th>"));
    }

    #[test]
    fn a_page_of_one_card_has_neither_table_nor_contents() {
        let (html, _) = printed(&[samples::transfer(7, 0)], true);
        check(&html);
        assert!(html.contains("ran 2h21m to 2h14m ago, held 2h14m to 0s ago"), "{html}");
        assert!(!html.contains("<nav") && !html.contains("Incidents"), "{html}");
        assert!(html.contains("<details open>") && html.contains("&lt;about&gt;"), "{html}");
        let (html, _) = printed(&[], false);
        check(&html);
        assert!(html.contains("nothing") && !html.contains("<article"), "{html}");
    }

    #[test]
    fn text_of_others_is_text() {
        let mut advices =
            [samples::transfer(7, 0), samples::memory(8, 0, 2048), samples::transfer(9, 0)];
        for advice in &mut advices {
            advice.held.owner = Some(HOSTILE.into());
            advice.held.reason = Some(HOSTILE.into());
            advice.notes.push(HOSTILE.to_owned());
        }
        let (html, _) = printed(&advices, true);
        check(&html);
        assert!(html.contains("&lt;script src=") && html.contains("&amp;amp;"), "{html}");
        let place =
            PlaceRuns { name: HOSTILE.to_owned(), places: 1, succeeded: 1, failed: 3, running: 0 };
        let causes = [FailureCause::Evicted, FailureCause::ExitSaying(1, HOSTILE.into())];
        let row = |cause| Cause { cause, counts: vec![3] };
        let matrix = Matrix {
            columns: vec![place],
            rows: causes.into_iter().map(row).collect(),
            shown_by: ShownBy::Machine,
            machines: 1,
            by_kind: false,
            causes: 2,
        };
        let html = document("t", &Section::new("a", "a", places(&matrix)), "", &[]);
        check(&html);
        assert!(html.contains("<td class=\"n s2\">3 <small>75 %</small></td>"), "{html}");
    }
}
