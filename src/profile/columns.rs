//! A script's syntax tree as numbers.

use scripttree::{Kind, Language, Node, Text, Tree};
use strum::VariantArray;

use super::binding::Binding;
use super::words::Use;

/// Groups of columns by where a call stands: outside of loops, in one, in two or more.
const PLACES: [&str; 3] = ["outside", "in a loop", "in loops"];

/// Kinds of nodes that are counted outside of loops and inside.
const COUNTED: [Kind; 14] = [
    Kind::Loop,
    Kind::Branch,
    Kind::Function,
    Kind::Class,
    Kind::Call,
    Kind::Assign,
    Kind::Arithmetic,
    Kind::Compare,
    Kind::Index,
    Kind::Container,
    Kind::Pipe,
    Kind::Redirect,
    Kind::Background,
    Kind::Subshell,
];

/// Names of the columns of [`columns`], in their order.
#[must_use]
pub fn names() -> Vec<String> {
    let mut names = Vec::new();
    for &used in Use::VARIANTS {
        names.extend(PLACES.iter().map(|place| format!("calls: {}, {place}", used.name())));
        names.push(format!("share of calls: {}", used.name()));
        names.push(format!("imports: {}", used.name()));
        names.push(format!("largest number given: {}", used.name()));
    }
    for kind in COUNTED {
        names.push(format!("{}, outside", kind.name()));
        names.push(format!("{}, in loops", kind.name()));
    }
    names.extend(OTHERS.iter().map(|name| (*name).to_owned()));
    names
}

/// The last columns.
const OTHERS: [&str; 18] = [
    "largest number among the arguments",
    "for cpu",
    "for memory",
    "for disk",
    "for network",
    "URLs",
    "paths",
    "most loops around a node",
    "most turns of loops",
    "largest number",
    "product of numbers given to a call that makes something",
    "share of calls not known",
    "nodes",
    "faults",
    "calls of the script's own functions",
    "Python",
    "shell",
    "R",
];

/// A script as numbers, as many as [`names`]. Counts are ln(1 + n), sizes log10(1 + n).
/// `arguments`: those that it is called with.
#[must_use]
pub fn columns<'a>(tree: &Tree, arguments: impl Iterator<Item = &'a str>) -> Vec<f32> {
    let mut columns = Vec::new();
    let calls: Vec<(usize, &Node, Option<Use>)> = of_kind(tree, Kind::Call)
        .map(|(number, node)| (number, node, Use::of_call(tree, number)))
        .collect();
    let known = calls.iter().filter(|call| call.2.is_some()).count();
    for &used in Use::VARIANTS {
        let of = || calls.iter().filter(move |call| call.2 == Some(used));
        for place in 0..PLACES.len() {
            columns
                .push(count(of().filter(|call| usize::from(call.1.loops).min(2) == place).count()));
        }
        columns.push(of().count() as f32 / known.max(1) as f32);
        let imports = of_kind(tree, Kind::Import);
        columns.push(count(
            imports.filter(|(_, node)| Use::of_module(&node.name) == Some(used)).count(),
        ));
        let given = of().flat_map(|call| tree.numbers_inside(call.0));
        columns.push(size(given.fold(0.0, f64::max)));
    }
    for kind in COUNTED {
        let (inside, outside): (Vec<_>, Vec<_>) =
            of_kind(tree, kind).partition(|(_, node)| node.loops > 0);
        columns.extend([count(outside.len()), count(inside.len())]);
    }
    let texts = |like| tree.nodes.iter().filter(|node| node.text == like).count();
    let made = calls.iter().filter(|call| call.2 == Some(Use::Makes));
    let made = made.map(|call| product(tree, call.0));
    let turns = of_kind(tree, Kind::Loop).filter_map(|(_, node)| node.value);
    let numbers = of_kind(tree, Kind::Number).filter_map(|(_, node)| node.value);
    let own = calls.iter().filter(|call| call.1.name.is_empty()).count();
    let deepest = tree.nodes.iter().map(|node| node.loops).max().unwrap_or(0);
    columns.push(size(arguments.filter_map(scripttree::size_of_word).fold(0.0, f64::max)));
    columns.extend(Binding::ALL.map(|binding| speaks_for(&calls, binding)));
    columns.extend([
        count(texts(Text::Url)),
        count(texts(Text::Path)),
        f32::from(deepest),
        size(turns.fold(0.0, f64::max)),
        size(numbers.fold(0.0, f64::max)),
        size(made.fold(0.0, f64::max)),
        1.0 - known as f32 / calls.len().max(1) as f32,
        count(tree.nodes.len()),
        count(tree.faults),
        count(own),
    ]);
    columns.extend(Language::ALL.map(|language| f32::from(u8::from(tree.language == language))));
    columns
}

/// The nodes of a kind, with their numbers.
fn of_kind(tree: &Tree, kind: Kind) -> impl Iterator<Item = (usize, &Node)> {
    tree.nodes.iter().enumerate().filter(move |(_, node)| node.kind == kind)
}

/// The part of the calls with a known use that use a resource, those in loops more often.
fn speaks_for(calls: &[(usize, &Node, Option<Use>)], binding: Binding) -> f32 {
    let weight = |node: &Node| LOOP.powi(i32::from(node.loops.min(3)));
    let sum = |is: &dyn Fn(Binding) -> bool| -> f32 {
        let used = calls.iter().filter(|call| call.2.and_then(Use::binding).is_some_and(is));
        used.map(|call| weight(call.1)).sum()
    };
    sum(&|one| one == binding) / sum(&|_| true).max(1.0)
}

/// A call in a loop counts so many times. Assumed.
const LOOP: f32 = 4.0;

/// The product of the numbers above 1 that a call is given, at most four: `zeros((1000, 1000))`.
pub(super) fn product(tree: &Tree, call: usize) -> f64 {
    tree.numbers_inside(call).filter(|number| *number > 1.0).take(4).product()
}

fn count(n: usize) -> f32 {
    (n as f32).ln_1p()
}

fn size(n: f64) -> f32 {
    n.clamp(0.0, 1e30).ln_1p() as f32 / std::f32::consts::LN_10
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(language: Language, text: &str) -> Vec<(String, f32)> {
        let tree = scripttree::read(language, text.as_bytes()).unwrap();
        let columns = columns(&tree, std::iter::empty());
        let names = names();
        assert_eq!(columns.len(), names.len());
        assert!(columns.iter().all(|value| value.is_finite()));
        names.into_iter().zip(columns).filter(|column| column.1 != 0.0).collect()
    }

    fn value(columns: &[(String, f32)], name: &str) -> f32 {
        columns.iter().find(|column| column.0 == name).map_or(0.0, |column| column.1)
    }

    #[test]
    fn a_download_in_a_loop() {
        let shell = of(Language::Shell, "for i in 1 2; do wget http://a/$i; done");
        assert!((value(&shell, "calls: network, in a loop") - 2_f32.ln()).abs() < 1e-6);
        assert!((value(&shell, "URLs") - 2_f32.ln()).abs() < 1e-6);
        assert_eq!(value(&shell, "shell"), 1.0);
    }

    #[test]
    fn a_large_matrix() {
        let python = of(Language::Python, "import numpy as np\nn = 10**4\na = np.zeros((n, n))\n");
        let made = value(&python, "product of numbers given to a call that makes something");
        assert!((made - 8.0).abs() < 1e-4, "{made}");
        assert!(value(&python, "imports: computes") > 0.0);
        let r = of(Language::R, "a <- matrix(0, nrow = 1e4, ncol = 1e4)");
        let made = value(&r, "product of numbers given to a call that makes something");
        assert!((made - 8.0).abs() < 1e-4, "{made}");
    }
}
