//! The nodes of a script in their order, as a sequence model is given them.

use holdadvise::profile::Use;
use scripttree::{Kind, Language, Node, Text, Tree};

/// Most tokens of a script. What follows is left out.
const LONGEST: usize = 512;

/// Smaller numbers are left out.
const LEAST_NUMBER: f64 = 100.0;

/// Loops around a node beyond which more count alike.
const DEEPEST: usize = 3;

/// Rows of the embedding: end of the sequence, beginning, kinds, URL, path; none and uses; loops.
pub(super) const TOKEN_ROWS: usize = USES + 1 + Use::ALL.len() + DEEPEST + 1;

const BEGINNING: usize = 1;
const KINDS: usize = 2;
const URL: usize = KINDS + Kind::ALL.len();
const PATH: usize = URL + 1;
const USES: usize = PATH + 1;
const LOOPS: usize = USES + 1 + Use::ALL.len();

/// Columns of [`Tokens::statics`].
pub(super) const STATICS: usize = 2 + Language::ALL.len();

/// A script as a sequence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tokens {
    /// Of each token three rows of the embedding: what it is, what it is for, loops around it.
    pub(super) rows: Vec<[i64; 3]>,
    /// log10(1 + n) of the number of each, 0 where it has none.
    pub(super) sizes: Vec<f32>,
    /// The largest number among the arguments as log10(1 + n), nodes as ln(1 + n), and 1 at the
    /// language.
    pub(super) statics: [f32; STATICS],
}

impl Tokens {
    /// `arguments`: those that it is called with.
    pub(super) fn of<'a>(tree: &Tree, arguments: impl Iterator<Item = &'a str>) -> Self {
        let mut tokens = Self {
            rows: vec![[BEGINNING, USES, LOOPS].map(|row| row as i64)],
            sizes: vec![0.0],
            statics: [0.0; STATICS],
        };
        let all = tree.nodes.iter().enumerate();
        let kept = all.filter_map(|(number, node)| Some((number, node, what(node)?)));
        for (number, node, what) in kept.take(LONGEST - 1) {
            let used = match node.kind {
                Kind::Call => Use::of_call(tree, number),
                Kind::Import => Use::of_module(&node.name),
                _ => None,
            };
            let used = used.and_then(|used| Use::ALL.iter().position(|of| *of == used));
            let used = used.map_or(USES, |at| USES + 1 + at);
            let loops = LOOPS + usize::from(node.loops).min(DEEPEST);
            tokens.rows.push([what, used, loops].map(|row| row as i64));
            tokens.sizes.push(node.value.map_or(0.0, size));
        }
        let given = arguments.filter_map(scripttree::size_of_word).fold(0.0, f64::max);
        tokens.statics[0] = size(given);
        tokens.statics[1] = (tree.nodes.len() as f32).ln_1p();
        for (at, language) in Language::ALL.into_iter().enumerate() {
            tokens.statics[2 + at] = f32::from(u8::from(tree.language == language));
        }
        tokens
    }
}

/// The row of what a node is; `None` where it is left out: assignments, operators, elements,
/// containers, guards, small numbers, and texts that are neither URL nor path.
fn what(node: &Node) -> Option<usize> {
    let is_kept = match node.kind {
        Kind::Assign
        | Kind::Arithmetic
        | Kind::Compare
        | Kind::Index
        | Kind::Container
        | Kind::Guard => false,
        Kind::Number => node.value.is_some_and(|value| value >= LEAST_NUMBER),
        Kind::Text => match node.text {
            Text::Plain => false,
            Text::Url => return Some(URL),
            Text::Path => return Some(PATH),
        },
        _ => true,
    };
    let at = Kind::ALL.iter().position(|kind| *kind == node.kind)?;
    is_kept.then_some(KINDS + at)
}

fn size(n: f64) -> f32 {
    (n.clamp(0.0, 1e30) as f32 + 1.0).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(language: Language, text: &str) -> Tokens {
        let tree = scripttree::read(language, text.as_bytes()).unwrap();
        Tokens::of(&tree, ["-n", "999"].into_iter())
    }

    #[test]
    fn a_token_says_what_a_node_is_and_is_for() {
        let tokens = of(Language::Shell, "for i in 1 2; do wget http://a/$i; done");
        let row = |kind: Kind| KINDS + Kind::ALL.iter().position(|of| *of == kind).unwrap();
        let network = USES + 1 + Use::ALL.iter().position(|of| *of == Use::Network).unwrap();
        let expected = [
            [BEGINNING, USES, LOOPS],
            [row(Kind::Loop), USES, LOOPS],
            [row(Kind::Call), network, LOOPS + 1],
            [URL, USES, LOOPS + 1],
        ];
        assert_eq!(tokens.rows, expected.map(|rows| rows.map(|row| row as i64)));
        assert_eq!(tokens.statics[0], 3.0);
        assert_eq!(tokens.statics[2..], [0.0, 1.0, 0.0]);
    }

    #[test]
    fn sequences_are_bounded_and_rows_lie_in_the_embedding() {
        let text = "import numpy as np\n".to_owned() + &"a = np.zeros((1000, 7))\n".repeat(400);
        let tokens = of(Language::Python, &text);
        assert_eq!((tokens.rows.len(), tokens.sizes.len()), (LONGEST, LONGEST));
        assert!(tokens.rows.iter().flatten().all(|row| (1..TOKEN_ROWS as i64).contains(row)));
        assert!(tokens.sizes.iter().all(|size| (0.0..=30.0).contains(size)));
        assert!(tokens.sizes.iter().any(|size| (size - 1001_f32.log10()).abs() < 1e-6));
        assert_eq!(of(Language::R, "x <- 1").rows.len(), 1, "the beginning is always there");
    }
}
