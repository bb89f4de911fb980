//! YAML with the position of every key and value.
//!
//! Bounded whatever the bytes: the file in size, the tree in depth, and what aliases make of it in
//! nodes. Of YAML 1.2 all is read but tags, keys that are not scalars, and a second document.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::problems::{Position, Problem};

/// Most bytes of a file.
pub const MOST_BYTES: usize = 1_000_000;

/// Most lists and mappings within each other.
const MOST_DEPTH: usize = 32;

/// Most scalars, lists and mappings, those counted that aliases repeat.
const MOST_NODES: usize = 100_000;

/// Most keys of a mapping: each is compared with all others.
const MOST_KEYS: usize = 1_000;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// Where it begins.
    pub(super) at: Position,
    /// Its characters in the file, counted from 0.
    pub(super) span: Range<usize>,
    /// What it is.
    pub(super) content: Content,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// Text, a number, `true`, nothing...
    Scalar {
        /// As it is to be read.
        text: String,
        /// Without quotes: it may be a number.
        plain: bool,
    },
    /// `- a` or `[a]`.
    List(Vec<Node>),
    /// `a: b` or `{a: b}`, in the order of the file.
    Mapping(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The key.
    pub(super) key: String,
    /// Where it begins.
    pub(super) at: Position,
    /// Its value.
    pub(super) value: Node,
}

impl Node {
    /// Nothing, or one of YAML's words for it.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.content, Content::Scalar { text, plain: true }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The entries of a mapping; none where it is no mapping.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Mapping(entries) => entries,
            _ => &[],
        }
    }

    fn count(&self) -> usize {
        1 + match &self.content {
            Content::Scalar { .. } => 0,
            Content::List(items) => items.iter().map(Self::count).sum(),
            Content::Mapping(entries) => entries.iter().map(|entry| entry.value.count()).sum(),
        }
    }
}

/// A list or mapping whose end was not met yet.
struct Open {
    node: Node,
    anchor: usize,
    /// The key whose value comes next.
    key: Option<(String, Position)>,
}

/// Reads a file's text.
///
/// # Errors
/// The first thing that is not YAML or beyond a limit.
pub(super) fn read(text: &str) -> Result<Node, Problem> {
    let mut tree = Tree::default();
    for event in Parser::new_from_str(text).keep_tags(false) {
        let (event, span) = event.map_err(|error| {
            let marker = error.marker();
            let at = Position { line: marker.line(), column: marker.col() + 1 };
            Problem { at: Some(at), text: format!("not YAML: {}", error.info()) }
        })?;
        tree.take(event, span)?;
    }
    Ok(tree.root.unwrap_or_else(|| Node {
        at: Position { line: 1, column: 1 },
        span: 0..0,
        content: Content::Mapping(Vec::new()),
    }))
}

/// What of a tree was read so far.
#[derive(Default)]
struct Tree {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    root: Option<Node>,
}

impl Tree {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let at = Position { line: span.start.line(), column: span.start.col() + 1 };
        let characters = span.start.index()..span.end.index();
        let refuse = |text: &str| Err(Problem { at: Some(at), text: text.to_owned() });
        let node = |content| Node { at, span: characters.clone(), content };
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => {
                refuse("a second document begins here; one is expected")
            }
            Event::DocumentStart(_) => Ok(()),
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => {
                refuse("tags such as `!!str` are not read; quote what is to be text")
            }
            Event::Scalar(text, style, anchor, None) => {
                let plain = style == ScalarStyle::Plain;
                let scalar = node(Content::Scalar { text: text.into_owned(), plain });
                self.place(scalar, anchor)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                // It stands where its anchor does, so that a value at fault is named where it is
                // written.
                Some(aliased) => self.place(aliased, 0),
                None => refuse("an alias within what it stands for"),
            },
            Event::SequenceStart(..) | Event::MappingStart(..) if self.open.len() >= MOST_DEPTH => {
                refuse("more than 32 lists and mappings within each other")
            }
            Event::SequenceStart(anchor, None) => {
                self.open.push(Open { node: node(Content::List(Vec::new())), anchor, key: None });
                Ok(())
            }
            Event::MappingStart(anchor, None) => {
                let node = node(Content::Mapping(Vec::new()));
                self.open.push(Open { node, anchor, key: None });
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { mut node, anchor, .. }) = self.open.pop() else { return Ok(()) };
                node.span.end = characters.end;
                // Its content was counted when it was placed.
                self.put(node, anchor)
            }
        }
    }

    /// Puts a node that was not counted yet where it belongs.
    fn place(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        self.nodes += node.count();
        self.put(node, anchor)
    }

    fn put(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        let refuse = |at, text: String| Err(Problem { at: Some(at), text });
        if self.nodes > MOST_NODES {
            return refuse(node.at, format!("more than {MOST_NODES} values"));
        }
        if anchor != 0 {
            self.nodes += node.count();
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut open.node.content, open.key.take()) {
            (Content::List(items), _) => items.push(node),
            (Content::Mapping(entries), Some((key, at))) => {
                if let Some(first) = entries.iter().find(|entry| entry.key == key) {
                    let line = first.at.line;
                    return refuse(at, format!("`{key}` stands in line {line} already"));
                }
                if entries.len() >= MOST_KEYS {
                    return refuse(at, format!("more than {MOST_KEYS} keys side by side"));
                }
                entries.push(Entry { key, at, value: node });
            }
            (_, _) => match node.content {
                Content::Scalar { text, .. } => open.key = Some((text, node.at)),
                _ => return refuse(node.at, "a list or mapping as a key".to_owned()),
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn positions_are_those_of_keys_and_values() {
        let root = read("a: 1\nb:\n  - x\n  - {c: 'd'}\n").unwrap();
        let [a, b] = root.entries() else { panic!("{root:?}") };
        let at = |line, column| Position { line, column };
        assert_eq!((a.key.as_str(), a.at, a.value.at), ("a", at(1, 1), at(1, 4)));
        let Content::List(items) = &b.value.content else { panic!("{b:?}") };
        assert_eq!((items[0].at, items[1].entries()[0].at), (at(3, 5), at(4, 6)));
        let text = Content::Scalar { text: "d".to_owned(), plain: false };
        assert_eq!(items[1].entries()[0].value.content, text);
    }

    #[test]
    fn an_alias_is_what_it_stands_for() {
        let root = read("a: &x [1, 2]\nb: *x\n").unwrap();
        let [a, b] = root.entries() else { panic!("{root:?}") };
        assert_eq!(a.value, b.value);
    }

    #[test]
    fn what_is_beyond_the_limits_is_refused_with_its_place() {
        assert_eq!(refused("a: 1\na: 2\n"), "2:1: `a` stands in line 1 already");
        assert!(
            refused("a: [1\nb: 2").starts_with("2:2: not YAML: "),
            "{}",
            refused("a: [1\nb: 2")
        );
        assert!(refused(&"[".repeat(40)).contains("more than 32"));
        assert!(refused("a: !!str 1").contains("tags such as"));
        assert!(refused("a: 1\n---\nb: 1\n").starts_with("2:1: a second document"));
        assert!(refused("? [a]\n: 1").contains("as a key"));
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for at in 1..12 {
            let aliases = vec![format!("*a{}", at - 1); 10].join(", ");
            bomb.push_str(&format!("a{at}: &a{at} [{aliases}]\n"));
        }
        assert!(refused(&bomb).contains("more than 100000 values"), "{}", refused(&bomb));
    }

    #[test]
    fn a_large_file_of_one_kind_is_read_or_refused_soon() {
        for piece in
            ["[", "{", "a: ", "? ", "- ", "&a ", "a: 1\n", "- a\n", "\"", "'", "# ", "|\n", "*a "]
        {
            let start = std::time::Instant::now();
            let _ = read(&piece.repeat(MOST_BYTES / piece.len()));
            let seconds = start.elapsed().as_secs();
            assert!(seconds < 60, "{piece:?} took {seconds} s");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[-?:,\\[\\]{}#&*!|>'\"%@` a0\n\t~]{0,80}") {
            let _ = read(&text);
        }
    }
}
