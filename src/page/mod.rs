//! Pages for people: one file without scripts and without anything from elsewhere, for a screen or
//! for paper.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// Nothing is fetched and nothing runs, whatever stands on a page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Text as it stands in HTML, in an attribute too.
pub fn escape(text: &str) -> String {
    let unseen = |c: char| c.is_control() && c != '\n' && c != '\t';
    html! { (text.replace(unseen, "\u{FFFD}")) }.into_string()
}

/// A part of a page.
pub struct Section {
    /// Its name in links.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// HTML.
    pub body: String,
}

impl Section {
    /// A part with this name, heading and HTML.
    #[must_use]
    pub fn new(id: &str, title: &str, body: impl Into<String>) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), body: body.into() }
    }

    fn html(&self) -> Markup {
        html! { section id=(self.id) { h2 { (self.title) } (PreEscaped(&self.body)) } "\n" }
    }
}

/// A page: its heading, what it says first if it has HTML, what it is about as HTML, and the sections, which a
/// table of contents names where there are more than two.
pub fn document(title: &str, first: &Section, introduction: &str, sections: &[Section]) -> String {
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content="holdadvise";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                header { h1 { (title) } }
                main #content tabindex="-1" {
                    @if !first.body.is_empty() { (first.html()) }
                    (PreEscaped(introduction))
                    @if sections.len() > 2 {
                        nav aria-labelledby="contents" {
                            h2 #contents { "Contents" }
                            ol { @for Section { id, title, .. } in sections {
                                li { a href={ "#" (id) } { (title) } }
                            } }
                        }
                    }
                    @for section in sections { (section.html()) }
                }
            }
        }
        "\n"
    };
    page.into_string()
}

/// Whether a text is a page with one of these titles, of this version or an older one.
pub fn is_page(text: &str, titles: &[&str]) -> bool {
    let (head, rest) = text.split_once("<style>").unwrap_or_default();
    let has = |title: &&str| head.contains(&format!("<title>{}</title>", escape(title)));
    head.starts_with("<!DOCTYPE html>")
        && head.contains("<meta name=\"generator\" content=\"holdadvise\">")
        && titles.iter().any(has)
        && rest.ends_with("</html>\n")
}

/// A box that scrolls by itself where the window is narrower than what is in it.
pub fn wide(label: &str, body: impl Into<String>) -> Markup {
    let body = PreEscaped(body.into());
    html! { div.wide tabindex="0" role="region" aria-label=(label) { (body) } }
}

/// A chart with its title if it has one, and a text below it.
pub fn figure(title: &str, svg: &str, text: &str) -> String {
    html! {
        figure {
            @if !title.is_empty() { h3 { (title) } }
            (PreEscaped(svg))
            figcaption { (text) }
        }
        "\n"
    }
    .into_string()
}

/// Figures beside each other, as many as the window has room for.
pub fn charts(figures: &str) -> String {
    format!("<div class=\"charts\">\n{figures}</div>\n")
}

/// A list of sentences, nothing where there are none.
pub fn list(sentences: &[String]) -> String {
    let list = html! {
        @if !sentences.is_empty() { ul { @for sentence in sentences { li { (sentence) } } } "\n" }
    };
    list.into_string()
}

/// An instant, Unix seconds, as a date in UTC.
pub fn date(seconds: i64) -> String {
    let instant = jiff::Timestamp::from_second(seconds);
    instant.map_or(seconds.to_string(), |at| at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_first_stands_before_the_contents() {
        let first = Section::new("verdict", "<Verdict>", "<p>better</p>\n");
        let sections = ["A & B", "C", "D"].map(|title| Section::new("a", title, "<p>a</p>\n"));
        let page = document("t", &first, "<p>about</p>\n", &sections);
        let places = ["<h1>t", "&lt;Verdict&gt;", "<p>about", "<nav", "<h2>A &amp; B</h2>"];
        let places = places.map(|text| page.find(text).unwrap());
        assert!(places.is_sorted(), "{page}");
        assert!(is_page(&page, &["t", "u"]) && !is_page(&page, &["u"]), "{page}");
        assert!(!document("t", &first, "", &sections[..2]).contains("<nav"));
    }

    #[test]
    fn text_is_not_html() {
        assert_eq!(escape("<a b=\"c\">&\u{1b}\n"), "&lt;a b=&quot;c&quot;&gt;&amp;\u{FFFD}\n");
    }

    #[test]
    fn instants_are_dates() {
        assert_eq!(date(1_700_000_000), "2023-11-14 22:13:20 UTC");
        assert_eq!(date(i64::MAX), i64::MAX.to_string());
    }
}
