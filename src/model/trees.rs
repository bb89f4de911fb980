//! Boosted decision trees over the statics, whose sum is added to the logit of the network.
//!
//! (Friedman 2001, "Greedy Function Approximation: A Gradient Boosting Machine".)

use super::ModelError;
use super::error::tensor_error;
use super::metadata::limits;

/// Names of the tensors that hold a forest, in the order of [`Forest::tensors`].
pub const TREE_TENSORS: [&str; 7] = [
    "tree_root",
    "tree_column",
    "tree_threshold",
    "tree_below",
    "tree_above",
    "tree_value",
    "tree_steps",
];

/// Boosted decision trees over the statics, as the tensors `tree_*` of a model hold them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forest {
    /// Number of the root node of each tree. At most [`limits::TREES`].
    pub roots: Vec<u32>,
    /// Nodes of all trees. At most [`limits::TREE_NODES`].
    pub nodes: Vec<Node>,
}

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// Asks for one column.
    Split {
        /// Column of the statics, below k.
        column: u32,
        /// Compared as f32 with the value as it is, not standardised. Finite.
        threshold: f32,
        /// Number of the node where value <= threshold leads, greater than the number of this node.
        below: u32,
        /// Number of the node where any other value leads, greater than the number of this node.
        above: u32,
    },
    /// An end.
    Leaf {
        /// What it adds to the logit. Finite.
        value: f32,
    },
}

impl Forest {
    /// What the trees add to the logit of one row of raw statics: the values of the leaves reached,
    /// added in f64 in the order of the roots.
    ///
    /// Every walk ends: where a forest does not pass [`check`](Self::check), a step to a node that
    /// is not there or not further on ends the walk with 0, and a column beyond the row counts as
    /// 0.
    pub fn logit(&self, statics: &[f32]) -> f64 {
        self.roots.iter().map(|&root| f64::from(self.leaf(root, statics))).sum()
    }

    /// The value of the leaf that a row of raw statics reaches from the node `root`, as
    /// [`logit`](Self::logit) walks.
    pub fn leaf(&self, root: u32, statics: &[f32]) -> f32 {
        self.walk(root, statics, |_| {})
    }

    /// Likewise; `passed` is given the number of every split on the way.
    fn walk(&self, root: u32, statics: &[f32], mut passed: impl FnMut(u32)) -> f32 {
        let mut at = root;
        loop {
            match self.nodes.get(at as usize) {
                Some(&Node::Split { column, threshold, below, above }) => {
                    passed(at);
                    let value = statics.get(column as usize).copied().unwrap_or(0.0);
                    let next = if value <= threshold { below } else { above };
                    if next <= at {
                        return 0.0;
                    }
                    at = next;
                }
                Some(&Node::Leaf { value }) => return value,
                None => return 0.0,
            }
        }
    }

    /// The most steps from a root to a leaf: 0 where every tree is a leaf, and without trees.
    pub fn steps(&self) -> usize {
        // Children have greater numbers, so theirs are known first.
        let mut steps = vec![0_u32; self.nodes.len()];
        let of = |steps: &[u32], at: u32| steps.get(at as usize).copied().unwrap_or(0);
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if let Node::Split { below, above, .. } = *node {
                steps[at] = 1 + of(&steps, below).max(of(&steps, above));
            }
        }
        self.roots.iter().map(|&root| of(&steps, root)).max().unwrap_or(0) as usize
    }

    /// Checks the forest against the contract for rows of `k` statics.
    ///
    /// # Errors
    /// [`ModelError::Tensor`] naming tree or node: more trees, nodes or steps than [`limits`]
    /// allow; a root, a child or a column that is not there; a child that does not have a greater
    /// number than its parent (no walk is endless where all do); a threshold or a value that is not
    /// finite.
    pub fn check(&self, k: usize) -> Result<(), ModelError> {
        self.checked_steps(k).map(drop)
    }

    /// Its [`steps`](Self::steps), once checked.
    fn checked_steps(&self, k: usize) -> Result<usize, ModelError> {
        let Self { roots, nodes } = self;
        at_most("tree_root", "trees", roots.len(), limits::TREES)?;
        at_most("tree_value", "nodes", nodes.len(), limits::TREE_NODES)?;
        if let Some(tree) = roots.iter().position(|&root| root as usize >= nodes.len()) {
            let detail =
                format!("tree {tree} begins at node {}, there are {}", roots[tree], nodes.len());
            return Err(tensor_error("tree_root", detail));
        }
        for (at, node) in nodes.iter().enumerate() {
            match *node {
                Node::Leaf { value } => finite("tree_value", at, value)?,
                Node::Split { column, threshold, below, above } => {
                    finite("tree_threshold", at, threshold)?;
                    if column as usize >= k {
                        let detail = format!("node {at} is of column {column}, k is {k}");
                        return Err(tensor_error("tree_column", detail));
                    }
                    for (name, child) in [("tree_below", below), ("tree_above", above)] {
                        let child = child as usize;
                        if child <= at || child >= nodes.len() {
                            let detail = format!(
                                "node {at} leads to node {child}, it must be one of those between it and {}",
                                nodes.len()
                            );
                            return Err(tensor_error(name, detail));
                        }
                    }
                }
            }
        }
        let steps = self.steps();
        at_most("tree_steps", "steps", steps, limits::TREE_STEPS).map(|()| steps)
    }

    /// The tensors that hold the forest, in the order of [`TREE_TENSORS`]. Each has one side, as
    /// long as its values are many.
    pub fn tensors(&self) -> [Vec<f32>; 7] {
        let mut tensors: [Vec<f32>; 7] = Default::default();
        // Numbers up to the limits are exact in f32.
        tensors[0] = self.roots.iter().map(|&root| root as f32).collect();
        for (at, node) in self.nodes.iter().enumerate() {
            let values = match *node {
                Node::Split { column, threshold, below, above } => {
                    [column as f32, threshold, below as f32, above as f32, 0.0]
                }
                Node::Leaf { value } => [0.0, 0.0, at as f32, at as f32, value],
            };
            tensors[1..6].iter_mut().zip(values).for_each(|(tensor, value)| tensor.push(value));
        }
        tensors[6] = vec![self.steps() as f32];
        tensors
    }

    /// The forest that tensors in the order of [`TREE_TENSORS`] hold, for rows of `k` statics.
    ///
    /// # Errors
    /// When the tensors of the nodes differ in length, or the forest does not keep the contract
    /// ([`Forest::check`]).
    pub fn of_tensors(tensors: &[Vec<f32>; 7], k: usize) -> Result<Self, ModelError> {
        let [root, column, threshold, below, above, value, steps] = tensors;
        for (name, tensor) in TREE_TENSORS.into_iter().zip(tensors).skip(1).take(5) {
            if tensor.len() != value.len() {
                let detail = format!("{} values, tree_value has {}", tensor.len(), value.len());
                return Err(tensor_error(name, detail));
            }
        }
        let roots = (root.iter().enumerate())
            .map(|(tree, &root)| whole("tree_root", "tree", tree, root))
            .collect::<Result<_, _>>()?;
        let mut nodes = Vec::with_capacity(value.len());
        for (at, &value) in value.iter().enumerate() {
            let column = whole("tree_column", "node", at, column[at])?;
            let below = whole("tree_below", "node", at, below[at])?;
            let above = whole("tree_above", "node", at, above[at])?;
            let leaf = below as usize == at && above as usize == at;
            if leaf && column != 0 {
                return Err(tensor_error("tree_column", format!("leaf {at} has one other than 0")));
            }
            if !leaf && value != 0.0 {
                let detail = format!("node {at} is no leaf and has a value other than 0");
                return Err(tensor_error("tree_value", detail));
            }
            nodes.push(match leaf {
                true => Node::Leaf { value },
                false => Node::Split { column, threshold: threshold[at], below, above },
            });
        }
        let forest = Self { roots, nodes };
        let needed = forest.checked_steps(k)?;
        let given = steps.first().copied().unwrap_or(0.0);
        let given = whole("tree_steps", "value", 0, given)? as usize;
        at_most("tree_steps", "steps", given, limits::TREE_STEPS)?;
        if given < needed {
            let detail = format!("{given} steps, {needed} are needed to reach every leaf");
            return Err(tensor_error("tree_steps", detail));
        }
        Ok(forest)
    }
}

/// The splits of a forest by column: which walks lead elsewhere when a value changes.
#[derive(Debug)]
pub(super) struct Splits {
    /// Those of column `c` are `first[c]..first[c + 1]`.
    first: Vec<usize>,
    /// By column, then by threshold.
    splits: Vec<Split>,
    /// Splits on the longest way.
    steps: usize,
}

/// A split, and where it stands.
#[derive(Clone, Copy, Debug)]
struct Split {
    threshold: f32,
    node: u32,
    tree: u32,
    /// Splits before it on the way to it.
    depth: u32,
}

impl Splits {
    /// Those of a forest over `k` columns. `None` where two ways lead to one node.
    pub(super) fn of(forest: &Forest, k: usize) -> Option<Self> {
        let mut places: Vec<Option<(u32, u32)>> = vec![None; forest.nodes.len()];
        for (tree, &root) in forest.roots.iter().enumerate() {
            let place = places.get_mut(root as usize)?;
            if place.replace((tree as u32, 0)).is_some() {
                return None;
            }
        }
        let mut columns: Vec<Vec<Split>> = vec![Vec::new(); k];
        // Children have greater numbers, so a parent's place is known first.
        for (at, node) in forest.nodes.iter().enumerate() {
            let (&Node::Split { column, threshold, below, above }, Some((tree, depth))) =
                (node, places[at])
            else {
                continue;
            };
            let split = Split { threshold, node: at as u32, tree, depth };
            columns.get_mut(column as usize)?.push(split);
            for child in [below, above] {
                let place = places.get_mut(child as usize)?;
                if place.replace((tree, depth + 1)).is_some() {
                    return None;
                }
            }
        }
        let mut splits = Self { first: vec![0], splits: Vec::new(), steps: forest.steps() };
        for mut of_column in columns {
            of_column.sort_by(|one, other| one.threshold.total_cmp(&other.threshold));
            splits.splits.append(&mut of_column);
            splits.first.push(splits.splits.len());
        }
        Some(splits)
    }

    /// The splits of a column that send these two values to different sides.
    fn between(&self, column: usize, one: f32, other: f32) -> &[Split] {
        let of_column = &self.splits[self.first[column]..self.first[column + 1]];
        // What is no number goes above.
        let [one, other] =
            [one, other].map(|value| if value.is_nan() { f32::INFINITY } else { value });
        let before = |value: f32| of_column.partition_point(|split| split.threshold < value);
        &of_column[before(one.min(other))..before(one.max(other))]
    }
}

/// The logits of rows that follow one another. A tree is walked again from the first split on its
/// way that a change leads elsewhere: the rows of one job, and of like jobs, differ in few columns.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    forest: &'a Forest,
    splits: Option<&'a Splits>,
    /// The row before. Empty before the first.
    row: Vec<f32>,
    /// The value of the leaf that each tree reached.
    leaves: Vec<f32>,
    /// Of each tree the splits on the way to it, and [`OFF`] behind them.
    ways: Vec<u32>,
    /// Of each tree the splits on its way that lead as before, [`OFF`] where all do.
    kept: Vec<u32>,
    /// The trees where some do not.
    changed: Vec<u32>,
    sum: f64,
}

/// No split.
const OFF: u32 = u32::MAX;

/// Cells of a row that are compared at once.
const CELLS: usize = 16;

impl<'a> Rows<'a> {
    /// `splits` are those of `forest`, which passes [`Forest::check`].
    pub(super) fn of(forest: &'a Forest, splits: Option<&'a Splits>) -> Self {
        let trees = forest.roots.len();
        let ways = splits.map_or(0, |splits| splits.steps * trees);
        Self {
            forest,
            splits,
            row: Vec::new(),
            leaves: vec![0.0; trees],
            ways: vec![OFF; ways],
            kept: vec![OFF; trees],
            changed: Vec::new(),
            sum: 0.0,
        }
    }

    /// [`Forest::logit`] of the next row, which has a value for each of the k columns.
    pub(super) fn logit(&mut self, statics: &[f32]) -> f64 {
        let Some(splits) = self.splits else { return self.forest.logit(statics) };
        if self.row.is_empty() {
            self.row.extend_from_slice(statics);
            self.changed.extend(0..self.forest.roots.len() as u32);
            self.kept.fill(0);
        } else {
            for start in (0..statics.len()).step_by(CELLS) {
                let cells = start..(start + CELLS).min(statics.len());
                if self.row[cells.clone()] != statics[cells.clone()] {
                    cells.for_each(|column| self.change(splits, column, statics[column]));
                }
            }
        }
        if self.changed.is_empty() {
            return self.sum;
        }
        for tree in self.changed.drain(..).map(|tree| tree as usize) {
            let way = &mut self.ways[tree * splits.steps..(tree + 1) * splits.steps];
            let mut at = std::mem::replace(&mut self.kept[tree], OFF) as usize;
            let from = match way.get(at) {
                Some(&split) if split != OFF => split,
                _ => self.forest.roots[tree],
            };
            self.leaves[tree] = self.forest.walk(from, statics, |split| {
                way[at] = split;
                at += 1;
            });
            way[at..].fill(OFF);
        }
        self.sum = self.leaves.iter().copied().map(f64::from).sum();
        self.sum
    }

    /// Notes which trees the new value of a cell leads elsewhere, and from where on.
    fn change(&mut self, splits: &Splits, column: usize, new: f32) {
        let old = std::mem::replace(&mut self.row[column], new);
        if old == new {
            return;
        }
        for &Split { node, tree, depth, .. } in splits.between(column, old, new) {
            let kept = &mut self.kept[tree as usize];
            if self.ways[tree as usize * splits.steps + depth as usize] == node {
                if *kept == OFF {
                    self.changed.push(tree);
                }
                *kept = depth.min(*kept);
            }
        }
    }
}

/// A number that a tensor of f32 holds as it is.
fn whole(name: &str, what: &str, at: usize, value: f32) -> Result<u32, ModelError> {
    // Up to here every whole number is an f32.
    const MOST: f32 = 16_777_216.0;
    let number = value as u32;
    match number as f32 == value && value <= MOST {
        true => Ok(number),
        false => Err(not_whole(name, what, at, value)),
    }
}

#[cold]
fn not_whole(name: &str, what: &str, at: usize, value: f32) -> ModelError {
    tensor_error(name, format!("{what} {at} has {value}, a whole number is needed"))
}

fn finite(name: &str, at: usize, value: f32) -> Result<(), ModelError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(tensor_error(name, format!("node {at} has {value}, not a finite number")))
}

fn at_most(name: &str, what: &str, found: usize, most: usize) -> Result<(), ModelError> {
    if found <= most {
        return Ok(());
    }
    Err(tensor_error(name, format!("{found} {what}, {most} are the most")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{Network, Numbers, SMALL, random_forest};
    use super::super::{Batch, Model};
    use super::*;

    const LEAF: Node = Node::Leaf { value: 0.5 };

    fn split(column: u32, threshold: f32, below: u32, above: u32) -> Node {
        Node::Split { column, threshold, below, above }
    }

    fn two() -> Forest {
        let other = |value| Node::Leaf { value };
        let nodes = vec![
            split(1, 0.0, 1, 2),
            other(-1.0),
            split(0, 2.5, 3, 4),
            other(4.0),
            other(8.0),
            LEAF,
        ];
        Forest { roots: vec![0, 5], nodes }
    }

    #[test]
    fn a_value_on_the_threshold_goes_below_and_all_trees_are_added() {
        let forest = two();
        forest.check(2).unwrap();
        assert_eq!(forest.steps(), 2);
        for (row, expected) in [
            ([0.0, 0.0], -0.5),
            ([9.0, -1.0], -0.5),
            ([2.5, f32::MIN_POSITIVE], 4.5),
            ([2.500_001, 1.0], 8.5),
        ] {
            assert_eq!(forest.logit(&row), expected, "{row:?}");
        }
        assert_eq!(Forest::default().logit(&[1.0]), 0.0);
        assert_eq!(Forest::default().steps(), 0);
    }

    #[test]
    fn splits_of_a_forest_have_one_way_each() {
        let splits = Splits::of(&two(), 3).unwrap();
        assert_eq!((splits.first.as_slice(), splits.steps), (&[0, 1, 2, 2][..], 2));
        for (nodes, roots) in [
            (vec![split(0, 0.0, 1, 1), LEAF], vec![0]),
            (vec![split(0, 0.0, 1, 2), LEAF, LEAF], vec![0, 1]),
            (vec![LEAF], vec![0, 0]),
        ] {
            assert!(Splits::of(&Forest { roots, nodes }, 1).is_none());
        }
    }

    #[test]
    fn tensors_hold_all_of_a_forest() {
        for trees in [0, 1, 50] {
            let forest = random_forest(3, trees, &mut Numbers(trees as u64));
            assert_eq!(Forest::of_tensors(&forest.tensors(), 3).unwrap(), forest);
        }
        let [root, column, threshold, below, above, value, steps] = two().tensors();
        assert_eq!(root, [0.0, 5.0]);
        assert_eq!(column, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(threshold, [0.0, 0.0, 2.5, 0.0, 0.0, 0.0]);
        assert_eq!(below, [1.0, 1.0, 3.0, 3.0, 4.0, 5.0]);
        assert_eq!(above, [2.0, 1.0, 4.0, 3.0, 4.0, 5.0]);
        assert_eq!(value, [0.0, -1.0, 0.0, 4.0, 8.0, 0.5]);
        assert_eq!(steps, [2.0]);
    }

    #[test]
    fn forests_that_break_the_contract_are_refused_and_their_walks_end() {
        let far = 1 << 20;
        let chain = |steps: u32| {
            let mut nodes: Vec<Node> =
                (0..steps).map(|at| split(0, 0.0, at + 1, steps + 1)).collect();
            nodes.extend([LEAF, LEAF]);
            (vec![0], nodes)
        };
        chain_is_accepted(chain(limits::TREE_STEPS as u32));
        for (words, (roots, nodes)) in [
            ("tree_root: tree 1 begins at node 1, there are 1", (vec![0, 1], vec![LEAF])),
            ("tree_root: tree 0 begins at node 0, there are 0", (vec![0], vec![])),
            (
                "tree_column: node 0 is of column 2, k is 2",
                (vec![], vec![split(2, 0.0, 1, 1), LEAF]),
            ),
            ("tree_below: node 0 leads to node 0", (vec![0], vec![split(0, 0.0, 0, 1), LEAF])),
            (
                "tree_above: node 1 leads to node 0",
                (vec![0], vec![split(0, 0.0, 1, 2), split(0, 1.0, 2, 0), LEAF]),
            ),
            (
                "tree_above: node 0 leads to node 1048576",
                (vec![0], vec![split(0, 0.0, 1, far), LEAF]),
            ),
            ("tree_threshold: node 0 has NaN", (vec![], vec![split(0, f32::NAN, 1, 1), LEAF])),
            ("tree_value: node 0 has inf", (vec![], vec![Node::Leaf { value: f32::INFINITY }])),
            ("tree_root: 4097 trees, 4096 are the most", (vec![0; 4097], vec![LEAF])),
            ("tree_value: 1048577 nodes", (vec![], vec![LEAF; far as usize + 1])),
            ("tree_steps: 257 steps, 256 are the most", chain(limits::TREE_STEPS as u32 + 1)),
        ] {
            let forest = Forest { roots, nodes };
            let error = forest.check(2).unwrap_err().to_string();
            assert!(error.contains(words), "expected {words:?} in {error:?}");
            for row in [&[][..], &[0.0, 0.0], &[3.0, 3.0]] {
                let _ = forest.logit(row);
            }
        }
    }

    fn chain_is_accepted((roots, nodes): (Vec<u32>, Vec<Node>)) {
        let forest = Forest { roots, nodes };
        forest.check(1).unwrap();
        assert_eq!(forest.steps(), limits::TREE_STEPS);
    }

    #[test]
    fn tensors_that_break_the_contract_are_refused() {
        let of = |change: &dyn Fn(&mut [Vec<f32>; 7])| {
            let mut tensors = two().tensors();
            change(&mut tensors);
            Forest::of_tensors(&tensors, 2).map_err(|error| error.to_string())
        };
        assert_eq!(of(&|_| ()).unwrap(), two());
        assert_eq!(of(&|t| t[6][0] = 3.0).unwrap(), two(), "more steps do no harm");
        for (words, tensor, at, value) in [
            ("tree_root: tree 1 has 0.5, a whole number", 0, 1, 0.5),
            ("tree_root: tree 1 begins at node 6", 0, 1, 6.0),
            ("tree_column: node 0 has -1", 1, 0, -1.0),
            ("tree_column: leaf 1 has one other than 0", 1, 1, 1.0),
            ("tree_below: node 0 has 20000000", 3, 0, 2e7),
            ("tree_below: node 2 leads to node 2", 3, 2, 2.0),
            ("tree_above: node 2 leads to node 0", 4, 2, 0.0),
            ("tree_value: node 1 is no leaf", 4, 1, 3.0),
            ("tree_value: node 2 is no leaf", 5, 2, 1.0),
            ("tree_steps: 1 steps, 2 are needed", 6, 0, 1.0),
            ("tree_steps: value 0 has -2", 6, 0, -2.0),
            ("tree_steps: 1000 steps, 256 are the most", 6, 0, 1000.0),
        ] {
            let error = of(&|tensors| tensors[tensor][at] = value).unwrap_err();
            assert!(error.contains(words), "expected {words:?} in {error:?}");
        }
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        for (words, name, length) in [
            ("tree_root: 4097 values, 4096 are the most", "tree_root", 4097),
            ("tree_column: 1048577 values", "tree_column", (1 << 20) + 1),
            ("tree_value: shape [3]", "tree_value", 3),
            ("tree_steps: shape [2], expected [1]", "tree_steps", 2),
        ] {
            let mut network = Network::random(SMALL, 1);
            network.set(name, vec![0.0; length]);
            let error = Model::from_bytes(&network.archive()).unwrap_err().to_string();
            assert!(error.contains(words), "expected {words:?} in {error:?}");
        }
        let network = Network::random(SMALL, 1).without("tree_value");
        let error = Model::from_bytes(&network.archive()).unwrap_err().to_string();
        assert!(error.contains("tensor tree_value: not in the table"), "{error}");
    }

    #[test]
    fn archives_of_earlier_templates_have_no_trees() {
        let logit = |network: &Network| {
            let model = Model::from_bytes(&network.archive()).unwrap();
            let (states, statics) = ([0; SMALL.m * SMALL.j], [0.0; SMALL.k]);
            let batch = Batch { states: &states, statics: &statics, n: 1 };
            f64::from(model.engine.logits(&batch).unwrap()[0])
        };
        let with = Network::random(SMALL, 1);
        let tensors = with.metadata.tensors.iter().zip(&with.values);
        let tree = |name: &str| tensors.clone().find(|(entry, _)| entry.name == name).unwrap().1;
        let forest = Forest::of_tensors(&TREE_TENSORS.map(|name| tree(name).clone()), SMALL.k);
        let added = forest.unwrap().logit(&[0.0; SMALL.k]);
        assert_ne!(added, 0.0);
        let without = Network::random(SMALL, 1).without("tree_");
        assert!((logit(&with) - logit(&without) - added).abs() < 1e-6);
        let first = Network::random(SMALL, 1).without("tree_").without("statics_piece_");
        assert!(logit(&first).is_finite());
    }

    proptest! {
        #[test]
        fn rows_that_follow_one_another_get_what_each_gets_alone(
            seed in any::<u64>(),
            columns in 1..300_usize,
            changes in prop::collection::vec(
                (any::<prop::sample::Index>(), prop_oneof![-3.0..3.0_f32, Just(f32::NAN)]),
                0..40,
            ),
        ) {
            let forest = random_forest(columns, 5, &mut Numbers(seed));
            let splits = Splits::of(&forest, columns);
            prop_assert!(splits.is_some());
            let mut row = vec![0.0; columns];
            let [mut rows, mut without] = [splits.as_ref(), None].map(|it| Rows::of(&forest, it));
            for (at, value) in changes {
                row[at.index(columns)] = value;
                prop_assert_eq!(rows.logit(&row), forest.logit(&row));
                prop_assert_eq!(without.logit(&row), forest.logit(&row));
            }
        }

        #[test]
        fn hostile_tensors_give_a_forest_that_answers_or_an_error(
            changes in prop::collection::vec(
                (0..7_usize, any::<prop::sample::Index>(), prop_oneof![
                    any::<f32>(),
                    (-2..70_i8).prop_map(f32::from),
                    Just(f32::MAX),
                ]),
                0..6,
            ),
            row in prop::array::uniform4(-2.0..2.0_f32),
        ) {
            let mut network = Network::random(SMALL, 2);
            for (tensor, at, value) in changes {
                let values = network.tensor(TREE_TENSORS[tensor]);
                let at = at.index(values.len());
                values[at] = value;
            }
            let tensors = TREE_TENSORS.map(|name| network.tensor(name).clone());
            match Model::from_bytes(&network.archive()) {
                Ok(model) => {
                    let forest = Forest::of_tensors(&tensors, SMALL.k).unwrap();
                    prop_assert!(forest.steps() <= limits::TREE_STEPS);
                    prop_assert!(forest.logit(&row).is_finite());
                    let states = [0; SMALL.m * SMALL.j];
                    let batch = Batch { states: &states, statics: &row, n: 1 };
                    prop_assert_eq!(model.engine.logits(&batch).unwrap().len(), 1);
                }
                Err(ModelError::Tensor { name, .. }) => prop_assert!(name.starts_with("tree_")),
                Err(other) => prop_assert!(false, "{}", other),
            }
        }

        #[test]
        fn any_forest_is_answered(
            roots in prop::collection::vec(0..12_u32, 0..5),
            nodes in prop::collection::vec(
                prop_oneof![
                    any::<f32>().prop_map(|value| Node::Leaf { value }),
                    (0..6_u32, any::<f32>(), 0..12_u32, 0..12_u32).prop_map(|(c, t, b, a)| split(c, t, b, a)),
                ],
                0..10,
            ),
            row in prop::array::uniform4(any::<f32>()),
        ) {
            let forest = Forest { roots, nodes };
            let _ = forest.logit(&row);
            let steps = forest.steps();
            if forest.check(4).is_ok() {
                prop_assert!(steps < forest.nodes.len().max(1));
                prop_assert_eq!(Forest::of_tensors(&forest.tensors(), 4).unwrap(), forest);
            }
        }
    }
}
