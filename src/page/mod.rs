//! Pages for people: one file without scripts and without anything from elsewhere, for a screen or
//! for paper.

use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// Text as it stands in HTML, in an attribute too.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
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
    pub fn new(id: &str, title: &str, body: String) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), body }
    }
}

/// A page: its heading, what it says first, what it is about as HTML, and the sections, which a
/// table of contents names.
pub fn document(title: &str, first: &Section, introduction: &str, sections: &[Section]) -> String {
    let mut out = head(title);
    let title = escape(title);
    let _ = write!(out, "<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n");
    section(&mut out, first);
    out.push_str(introduction);
    out.push_str("<nav>\n<h2>Contents</h2>\n<ol>\n");
    for Section { id, title, .. } in sections {
        let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", escape(id), escape(title));
    }
    out.push_str("</ol>\n</nav>\n");
    sections.iter().for_each(|of| section(&mut out, of));
    out.push_str(END);
    out
}

/// What every page with this title begins with.
#[must_use]
pub fn head(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"holdadvise\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n"
    )
}

/// What every page ends with.
pub const END: &str = "</body>\n</html>\n";

fn section(out: &mut String, Section { id, title, body }: &Section) {
    let (id, title) = (escape(id), escape(title));
    let _ = writeln!(out, "<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>");
}

/// A chart with its title if it has one, and a text below it.
pub fn figure(title: &str, svg: &str, text: &str) -> String {
    let heading =
        if title.is_empty() { String::new() } else { format!("<h3>{}</h3>\n", escape(title)) };
    let text = escape(text);
    format!("<figure>\n{heading}{svg}<figcaption>{text}</figcaption>\n</figure>\n")
}

/// Figures beside each other, as many as the window has room for.
pub fn charts(figures: &str) -> String {
    format!("<div class=\"charts\">\n{figures}</div>\n")
}

/// A list of sentences, nothing where there are none.
pub fn list(sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let each = sentences.iter().map(|sentence| format!("<li>{}</li>\n", escape(sentence)));
    format!("<ul>\n{}</ul>\n", each.collect::<String>())
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
        let first = Section::new("verdict", "<Verdict>", "<p>better</p>\n".to_owned());
        let sections = [Section::new("a", "A & B", "<p>a</p>\n".to_owned())];
        let page = document("t", &first, "<p>about</p>\n", &sections);
        let places = ["<h1>t", "&lt;Verdict&gt;", "about", "<nav>", "<h2>A &amp; B</h2>"];
        let places = places.map(|text| page.find(text).unwrap());
        assert!(places.is_sorted(), "{page}");
    }

    #[test]
    fn instants_are_dates() {
        assert_eq!(date(1_700_000_000), "2023-11-14 22:13:20 UTC");
        assert_eq!(date(i64::MAX), i64::MAX.to_string());
    }
}
