//! Manual pages, written from the tables of options.

use std::fmt::Write;

use super::option::{Name, OptionSpec, Tool};

fn synopsis<A: 'static>(page: &mut Page, tool: &Tool<A>) {
    page.section("Synopsis");
    page.raw(&format!(".B {}", tool.name));
    page.raw("[\\fB\\-help\\fR | \\fB\\-version\\fR]");
    page.raw(".PP");
    page.raw(&format!(".B {}", tool.name));
    for option in tool.options() {
        if !["help", "version"].contains(&option.name) {
            page.raw(&format!("[{}]", spelling(option.name, option)));
        }
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
            word.replace(inside, &italic(inside))
        } else {
            word.to_owned()
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// A name of an option and the words that it takes.
fn spelling<A>(name: &str, option: &OptionSpec<A>) -> String {
    let words = option.takes.iter().map(|word| format!(" {}", italic(&word.name())));
    format!("\\fB\\-{}\\fR{}", escape(name), words.collect::<String>())
}

fn shortest<A>(option: &OptionSpec<A>, of: &Name) -> String {
    let letters = option.colon.map(|letters| format!(" After a colon: {letters}."));
    let short =
        (of.min < of.name.len()).then(|| format!(" Shortest form: -{}.", &of.name[..of.min]));
    format!("{}{}", letters.unwrap_or_default(), short.unwrap_or_default())
}

fn italic(word: &str) -> String {
    format!("\\fI{}\\fR", escape(word))
}

/// Text as man(7) reads it.
fn escape(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// A manual page in the language of man(7). Its parts stand in the order of HTCondor's template for
/// manual pages.
pub(crate) struct Page {
    text: String,
}

impl Page {
    /// Name and synopsis; what the tool is for in a clause.
    pub(crate) fn begin<A: 'static>(tool: &Tool<A>, purpose: &str) -> Self {
        let mut page = Self { text: String::new() };
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
        synopsis(&mut page, tool);
        page
    }

    /// What the words mean that are no options, and all options by sections.
    pub(crate) fn options<A: 'static>(&mut self, operands: &[(&str, &str)], tool: &Tool<A>) {
        self.section("Options");
        for (operand, text) in operands {
            self.item(&italic(operand), text);
        }
        for (title, options) in &tool.sections {
            self.raw(&format!(".SS \"{title}\""));
            for (option, of) in options.iter().flat_map(|o| o.names().map(move |name| (o, name))) {
                let text = format!("{}{}", of.help, shortest(option, &of));
                self.item(&spelling(of.name, option), &text);
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

    /// A word in bold, and its text.
    pub(crate) fn tagged(&mut self, word: &str, text: &str) {
        self.item(&format!("\\fB{}\\fR", escape(word)), text);
    }

    fn item(&mut self, tag: &str, text: &str) {
        self.raw(".TP");
        self.raw(tag);
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
