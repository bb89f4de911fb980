//! A parser's tree to nodes in their order.

use tree_sitter::{Node as Parsed, TreeCursor};

use crate::constants::{self, Constants, computed};
use crate::grammar::{self, Field};
use crate::names::{self, Names};
use crate::{Kind, Language, Node, Text, Tree};

/// Bytes of a text that are looked at.
const LOOKED_AT: usize = 4096;

/// Commands of one line of a shell that are looked at.
const COMMANDS: usize = 8;

/// A node of the parser whose children are being visited.
#[derive(Debug)]
struct Open {
    /// Number of the node made of it.
    made: Option<usize>,
    kind: Option<Kind>,
    /// Loops around what is inside.
    loops: u8,
    /// Every child is in a loop: arguments of a function such as `lapply`.
    loops_arguments: bool,
    /// What it is to its parent.
    field: Field,
    /// Numbers of its children.
    first: Option<f64>,
    last: Option<f64>,
    largest: Option<f64>,
    numbers: u32,
    /// Bytes of the first string among its arguments, of a function that starts a command.
    command: Option<(usize, usize)>,
}

/// What is known while the tree is walked.
struct Walk<'t> {
    language: Language,
    text: &'t [u8],
    names: Names,
    constants: Constants,
    nodes: Vec<Node>,
    open: Vec<Open>,
    faults: usize,
}

/// The nodes of a parser's tree, without recursion: texts may be nested as deeply as they are long.
pub(crate) fn flatten(language: Language, parsed: &tree_sitter::Tree, text: &[u8]) -> Tree {
    let mut walk = Walk {
        language,
        text,
        names: Names::default(),
        constants: Constants::default(),
        nodes: Vec::new(),
        open: Vec::new(),
        faults: 0,
    };
    let mut cursor = parsed.walk();
    walk.all(&mut cursor);
    let Walk { mut nodes, names, faults, .. } = walk;
    for node in &mut nodes {
        if node.kind == Kind::Call && names.defined.contains(&node.name) {
            node.name = Box::default();
        }
    }
    Tree { language, nodes, bytes: text.len(), faults, is_cut: false }
}

impl Walk<'_> {
    fn all(&mut self, cursor: &mut TreeCursor<'_>) {
        loop {
            let node = cursor.node();
            self.enter(node, Field::of(cursor.field_name()));
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                self.leave(cursor.node());
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn enter(&mut self, node: Parsed<'_>, field: Field) {
        self.faults += usize::from(node.is_error() || node.is_missing());
        let parent = self.open.last();
        let mut loops = parent.map_or(0, |parent| parent.loops);
        let in_loop = parent.is_some_and(|parent| {
            let is_body = parent.kind == Some(Kind::Loop) && !field.is_head();
            is_body || (parent.loops_arguments && field == Field::Arguments)
        });
        loops = loops.saturating_add(u8::from(in_loop));
        self.note_operator(node, field);
        let kind = self.kind(node, field);
        let made = kind.and_then(|kind| self.make(node, kind, loops));
        let loops_arguments = made.is_some_and(|made| names::is_loop(&self.nodes[made].name));
        self.open.push(Open {
            made,
            kind,
            loops,
            loops_arguments,
            field,
            first: None,
            last: None,
            largest: None,
            numbers: 0,
            command: None,
        });
    }

    /// What the node is. The operator of R decides, and the name of a definition is no number.
    fn kind(&self, node: Parsed<'_>, field: Field) -> Option<Kind> {
        let kind = grammar::kind(self.language, node.kind())?;
        if self.language == Language::R && node.kind() == "binary_operator" {
            let operator = node.child_by_field_name("operator");
            return operator.map(|operator| grammar::r_operator(names::of(operator, self.text)));
        }
        if kind == Kind::Number && node.kind() != "integer" && node.kind() != "float" {
            let is_name = matches!(field, Field::Name | Field::Function | Field::Left);
            let is_assigned = field == Field::Lhs
                && self.open.last().is_some_and(|parent| parent.kind == Some(Kind::Assign));
            let is_part = self.open.last().is_some_and(|parent| parent.kind == Some(Kind::Number));
            return (!is_name && !is_assigned && !is_part).then_some(kind);
        }
        Some(kind)
    }

    /// Adds the node; `None`: there is nothing to add.
    fn make(&mut self, node: Parsed<'_>, kind: Kind, loops: u8) -> Option<usize> {
        let is_command = kind == Kind::Call && self.language == Language::Shell;
        let name = Box::default();
        let mut made =
            Node { kind, name, is_command, loops, end: 0, value: None, text: Text::Plain };
        match kind {
            Kind::Call => {
                made.name = self.names.called(self.language, node, self.text);
                if self.language == Language::R && is_r_import(&made.name) {
                    made.kind = Kind::Import;
                    made.name = first_argument(node, self.text);
                }
            }
            Kind::Import => {
                for module in self.names.import(node, self.text) {
                    let number = self.nodes.len();
                    let import = Node { name: module, end: end(number + 1), ..made.clone() };
                    self.nodes.push(import);
                }
                return None;
            }
            Kind::Function | Kind::Class => {
                if let Some(name) = node.child_by_field_name("name") {
                    self.names.define(names::of(name, self.text));
                }
            }
            Kind::Text => {
                made.text = looks_like(self.bytes(node));
                self.note_command(node);
            }
            Kind::Number => {
                made.value = self.number(node);
                if made.value.is_none() {
                    // A word of a command.
                    let word = names::of(node, self.text);
                    let is_word = node.kind() == "word" && !word.starts_with('-');
                    let is_name =
                        self.open.last().is_some_and(|parent| parent.field == Field::Name);
                    if !is_word || is_name {
                        return None;
                    }
                    made.kind = Kind::Text;
                    made.text = looks_like(word.as_bytes());
                }
            }
            Kind::Redirect => {
                let text = self.bytes(node);
                let is_file = !text.ends_with(b"/dev/null") && !text.contains(&b'&');
                if !is_file {
                    return None;
                }
            }
            _ => {}
        }
        self.nodes.push(made);
        Some(self.nodes.len() - 1)
    }

    fn bytes(&self, node: Parsed<'_>) -> &[u8] {
        let bytes = self.text.get(node.byte_range()).unwrap_or_default();
        &bytes[..bytes.len().min(LOOKED_AT)]
    }

    /// The value of a literal, of a word with a size in it, or of a name.
    fn number(&self, node: Parsed<'_>) -> Option<f64> {
        let text = names::of(node, self.text);
        match node.kind() {
            "integer" | "float" => constants::literal(text),
            "word" | "number" => constants::word(text),
            "simple_expansion" => self.constants.of(text.trim_start_matches('$')),
            _ => self.constants.of(text),
        }
    }

    /// Notes the first string among the arguments of a function that starts a command.
    fn note_command(&mut self, node: Parsed<'_>) {
        // Call, arguments, argument or list, string.
        for open in self.open.iter_mut().rev().take(4) {
            let Some(made) = open.made.filter(|_| open.kind == Some(Kind::Call)) else { continue };
            if names::starts_command(&self.nodes[made].name) && open.command.is_none() {
                open.command = Some((node.start_byte(), node.end_byte()));
            }
            return;
        }
    }

    /// The operator of a computation is its name until it is left.
    fn note_operator(&mut self, node: Parsed<'_>, field: Field) {
        let is_range = node.kind() == "..";
        if field != Field::Operator && !is_range {
            return;
        }
        let Some(open) = self.open.last() else { return };
        let is_computed = matches!(open.kind, Some(Kind::Arithmetic));
        if let Some(made) = open.made.filter(|_| is_computed) {
            self.nodes[made].name = names::of(node, self.text).into();
        }
    }

    fn leave(&mut self, node: Parsed<'_>) {
        let Some(open) = self.open.pop() else { return };
        let mut value = self.value(node, &open);
        if let Some(made) = open.made {
            self.complete(&open, made, value);
        }
        if open.kind == Some(Kind::Assign) {
            self.assign(node, &open);
            value = None;
        }
        let Some(parent) = self.open.last_mut() else { return };
        let Some(value) = value else { return };
        let is_head = open.field.is_head() || open.field == Field::Condition;
        if let (Some(Kind::Loop), Some(made)) = (parent.kind, parent.made)
            && (is_head || node.kind() == "for_in_clause")
        {
            self.nodes[made].value.get_or_insert(value);
        }
        parent.first.get_or_insert(value);
        parent.last = Some(value);
        parent.largest = Some(parent.largest.map_or(value, |largest| largest.max(value)));
        parent.numbers += 1;
    }

    /// Adds the commands of a line of a shell: of the string in these bytes.
    fn add_commands(&mut self, from: usize, to: usize, loops: u8) {
        let text = String::from_utf8_lossy(self.text.get(from..to).unwrap_or_default());
        let text: String = text.chars().take(LOOKED_AT).collect();
        // Letters may stand before the quotes.
        let quote = text.find(['"', '\'']).map_or(0, |at| at + 1);
        let text = text[quote..].trim_matches(['"', '\'']);
        for part in text.split(['&', '|', ';']).take(COMMANDS) {
            let Some(name) = names::started(part.split_whitespace()) else { continue };
            self.nodes.push(Node {
                kind: Kind::Call,
                name: name.into(),
                is_command: true,
                loops,
                end: end(self.nodes.len() + 1),
                value: None,
                text: Text::Plain,
            });
        }
    }

    /// Ends the node that was made of the node that is left.
    fn complete(&mut self, open: &Open, made: usize, value: Option<f64>) {
        if let Some((from, to)) = open.command {
            self.add_commands(from, to, self.nodes[made].loops);
        }
        let end = end(self.nodes.len());
        let node = &mut self.nodes[made];
        node.end = end;
        if node.kind == Kind::Call {
            node.value = value;
        }
        if node.kind == Kind::Arithmetic {
            node.name = Box::default();
            if let Some(value) = value {
                node.kind = Kind::Number;
                node.value = Some(value);
            }
        }
    }

    /// The number that a node is, from those of its children.
    fn value(&self, node: Parsed<'_>, open: &Open) -> Option<f64> {
        let made = open.made.map(|made| &self.nodes[made]);
        match made.map(|made| made.kind) {
            Some(Kind::Number) => made.and_then(|made| made.value),
            Some(Kind::Arithmetic) => {
                let operator = made.map_or("", |made| &made.name);
                match open.numbers {
                    2 => computed(open.first?, operator, open.last?),
                    1 if matches!(operator, "" | "+") => open.last,
                    // The head of a loop of a shell.
                    1 if matches!(operator, "<" | "<=") => open.last,
                    _ => None,
                }
            }
            Some(Kind::Call) => made.filter(|made| names::is_count(&made.name)).and(open.largest),
            Some(Kind::Assign) => open.last,
            Some(Kind::Subshell) => open.largest,
            Some(_) => None,
            None => match node.kind() {
                "argument_list" | "arguments" => open.largest,
                "attribute" | "subscript" | "slice" | "block" | "pair" => None,
                _ if open.numbers == 1 => open.last,
                _ => None,
            },
        }
    }

    /// A name is assigned what stands on the other side.
    fn assign(&mut self, node: Parsed<'_>, open: &Open) {
        let name = ["left", "name", "lhs"].iter().find_map(|field| node.child_by_field_name(field));
        let Some(name) = name else { return };
        let is_plain = node.kind() != "augmented_assignment" && open.numbers == 1;
        let name = names::of(name, self.text);
        if self.language == Language::R && node.child_by_field_name("rhs").is_some_and(is_function)
        {
            self.names.define(name);
        }
        self.constants.assign(name, open.last.filter(|_| is_plain));
    }
}

fn is_function(node: Parsed<'_>) -> bool {
    node.kind() == "function_definition"
}

/// The function brings a package of R.
fn is_r_import(name: &str) -> bool {
    matches!(name, "library" | "require" | "requireNamespace" | "loadNamespace")
}

/// The first argument of a call, without quotes.
fn first_argument(node: Parsed<'_>, text: &[u8]) -> Box<str> {
    let arguments = node.child_by_field_name("arguments");
    let argument = arguments.and_then(|arguments| arguments.named_child(0));
    argument.map_or("", |argument| names::of(argument, text)).trim_matches(['"', '\'']).into()
}

fn end(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn looks_like(text: &[u8]) -> Text {
    let has = |pattern: &[u8]| text.windows(pattern.len()).any(|window| window == pattern);
    if has(b"://") {
        Text::Url
    } else if has(b"/") {
        Text::Path
    } else {
        Text::Plain
    }
}
