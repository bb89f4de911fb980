//! Nodes of a script, in their order.

use strum::IntoStaticStr;

use crate::Language;

/// What a node is, in any language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    /// `for`, `while`, `until`, `repeat`, a comprehension.
    Loop,
    /// `if`, `case`, `match`, a conditional expression.
    Branch,
    /// The definition of a function, or a lambda.
    Function,
    /// The definition of a class.
    Class,
    /// A call of a function, or a command of a shell.
    Call,
    /// `import`, one for each module.
    Import,
    /// An assignment.
    Assign,
    /// An arithmetic operator.
    Arithmetic,
    /// A comparison or logical operator, `test`.
    Compare,
    /// An element of something: `a[i]`, `m[[i]]`.
    Index,
    /// A list, tuple or dictionary, as written.
    Container,
    /// A string, or a word of a command.
    Text,
    /// A number, or a name or computation whose number is known.
    Number,
    /// Commands or calls joined by a pipe.
    Pipe,
    /// A redirection of a command to or from a file.
    Redirect,
    /// A command that the shell does not wait for.
    Background,
    /// `with`, `try`.
    Guard,
    /// A subshell, or the output of a command put in its place.
    Subshell,
}

impl Kind {
    /// One lower-case word.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What a [`Kind::Text`] looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Text {
    /// Neither of the others.
    #[default]
    Plain,
    /// It has `://`.
    Url,
    /// It has a `/`.
    Path,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Of a call, what is called: `numpy.zeros`, with the module that was imported; `.append`, of an
    /// object whose class is not known; `wget`, of a shell or of a program that another language
    /// starts. Of an import, the module. Empty: none, or a function of the script itself.
    pub name: Box<str>,
    /// Of a call: a command, of a shell or started by another language.
    pub is_command: bool,
    /// Loops around it, at most 255.
    pub loops: u8,
    /// Number of the node behind those that it contains.
    pub end: u32,
    /// Of a number, its value. Of a loop, how often it runs, where its head says so. Of a call such as
    /// `int` or `range`, the number that it is given.
    pub value: Option<f64>,
    /// Of a text, what it looks like.
    pub text: Text,
}

/// Nodes inside another that are asked for their numbers.
const LOOKED_AT: usize = 256;

/// The syntax tree of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Its language.
    pub language: Language,
    /// Nodes, each before those that it contains.
    pub nodes: Vec<Node>,
    /// Bytes that were read.
    pub bytes: usize,
    /// Places that are no syntax of the language.
    pub faults: usize,
    /// There is more of the script than was read.
    pub is_cut: bool,
}

impl Tree {
    /// The nodes inside the node of this number.
    #[must_use]
    pub fn inside(&self, number: usize) -> &[Node] {
        let end = self.nodes.get(number).map_or(0, |node| node.end as usize);
        self.nodes.get(number + 1..end).unwrap_or_default()
    }

    /// The numbers inside the node of this number, those of a computation as its result, without those
    /// that are given to other calls inside. Only the first 256 nodes inside are looked at: asking each of many nested nodes stays cheap.
    pub fn numbers_inside(&self, number: usize) -> impl Iterator<Item = f64> + '_ {
        let end = self.nodes.get(number).map_or(0, |node| node.end as usize);
        let mut at = number + 1;
        let end = end.min(at + LOOKED_AT);
        std::iter::from_fn(move || {
            while at < end {
                let node = self.nodes.get(at)?;
                let is_whole = matches!(node.kind, Kind::Number | Kind::Call);
                at = if is_whole { (node.end as usize).max(at + 1) } else { at + 1 };
                if let Some(value) = node.value.filter(|_| is_whole) {
                    return Some(value);
                }
            }
            None
        })
    }
}
