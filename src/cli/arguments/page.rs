//! Manual pages, written from the tables of options.

use std::fmt::Write;

use super::option::{OptionSpec, Takes, Tool};

fn synopsis(page: &mut Page) {
    let tool = page.tool;
    page.section("Synopsis");
    page.raw(&format!(".B {}", tool.name));
    page.raw("[\\fB\\-help\\fR | \\fB\\-version\\fR]");
    page.raw(".PP");
    page.raw(&format!(".B {}", tool.name));
    for option in tool.options.iter().filter(|o| o.alias_of.is_none()) {
        if ["help", "version"].contains(&option.name) {
            continue;
        }
        let words: Vec<String> =
            words(option).iter().map(|(word, value)| font(word, *value)).collect();
        page.raw(&format!("[{}]", words.join(" ").replace(" :", ":")));
    }
    if !tool.operands.is_empty() {
        page.raw(&operands(tool.operands));
    }
}

/// The words that the user chooses in italics.
fn operands(text: &str) -> String {
    let word = |word: &str| {
        let inside = word.trim_matches(['[', ']']);
        if inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
            word.replace(inside, &font(inside, true))
        } else {
            word.to_owned()
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The words of an option; true for those the user chooses.
fn words(option: &OptionSpec) -> Vec<(&'static str, bool)> {
    let mut words = vec![(option.name, false)];
    match option.takes {
        Takes::Nothing => {}
        Takes::One(value) | Takes::Many(value) => words.push((value, true)),
        Takes::Two(first, second) => words.extend([(first, true), (second, true)]),
    }
    words
}

fn shortest(option: &OptionSpec) -> String {
    let letters = option.qualifiers.map(|letters| format!(" After a colon: {letters}."));
    let short = (option.min < option.name.len())
        .then(|| format!(" Shortest form: -{}.", &option.name[..option.min]));
    format!("{}{}", letters.unwrap_or_default(), short.unwrap_or_default())
}

fn font(word: &str, value: bool) -> String {
    if value { format!("\\fI{}\\fR", escape(word)) } else { format!("\\fB\\-{}\\fR", escape(word)) }
}

/// Text as man(7) reads it.
fn escape(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// A manual page in the language of man(7). Its parts stand in the order of HTCondor's template for
/// manual pages.
pub(crate) struct Page {
    tool: &'static Tool,
    text: String,
}

impl Page {
    /// Name and synopsis; what the tool is for in a clause.
    pub(crate) fn begin(tool: &'static Tool, purpose: &str) -> Self {
        let mut page = Self { tool, text: String::new() };
        page.raw(
            ".\\\" Written by `cargo run --example manual`; change the tables in src/cli instead.",
        );
        page.raw(&format!(
            ".TH {} 1 \"\" \"holdadvise {}\" \"HTCondor Manual\"",
            tool.name.to_ascii_uppercase(),
            env!("CARGO_PKG_VERSION")
        ));
        page.section("Name");
        page.text(&format!("{} - {purpose}", tool.name));
        synopsis(&mut page);
        page
    }

    /// All options, by sections.
    pub(crate) fn options(&mut self) {
        let tool = self.tool;
        for section in tool.sections {
            self.raw(&format!(".SS \"{}\"", section.0));
            for option in tool.options.iter().filter(|option| option.section == *section) {
                self.tagged(&words(option), &format!("{}{}", option.help, shortest(option)));
            }
        }
    }

    /// What stands at the end: examples with what each is for, other pages.
    pub(crate) fn finish(mut self, examples: &[(&str, &str)], see_also: &str) -> String {
        self.section("Examples");
        for (text, command) in examples {
            self.paragraph(text);
            self.example(command);
        }
        self.section("See Also");
        self.text(see_also);
        self.section("Availability");
        self.text("Linux");
        self.text
    }

    fn raw(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(crate) fn section(&mut self, title: &str) {
        let _ = writeln!(self.text, ".SH \"{}\"", title.to_uppercase());
    }

    pub(crate) fn text(&mut self, text: &str) {
        // A line that begins with a dot or a quote would be a request.
        let guard = if text.starts_with(['.', '\'']) { "\\&" } else { "" };
        let _ = writeln!(self.text, "{guard}{}", escape(text));
    }

    /// A section of paragraphs.
    pub(crate) fn paragraphs(&mut self, title: &str, texts: &[&str]) {
        self.section(title);
        for text in texts {
            self.paragraph(text);
        }
    }

    pub(crate) fn paragraph(&mut self, text: &str) {
        self.raw(".PP");
        self.text(text);
    }

    /// A tag of words, options (no value) in bold, and its text.
    pub(crate) fn tagged(&mut self, tag: &[(&str, bool)], text: &str) {
        self.raw(".TP");
        let options = self.tool.options;
        let is_option = |word: &str| options.iter().any(|option| option.name == word);
        let tag: Vec<String> = tag
            .iter()
            .map(|(word, value)| match (value, is_option(word)) {
                (false, false) => format!("\\fB{}\\fR", escape(word)),
                (value, _) => font(word, *value),
            })
            .collect();
        self.raw(&tag.join(" "));
        self.text(text);
    }

    fn example(&mut self, command: &str) {
        self.raw(".PP\n.nf\n.RS");
        for line in command.lines() {
            self.text(&format!("$ {line}"));
        }
        self.raw(".RE\n.fi");
    }
}
