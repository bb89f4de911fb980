//! Boosted decision trees over the statics (Friedman 2001, "Greedy Function Approximation: A
//! Gradient Boosting Machine"; histograms and second derivatives as in Chen and Guestrin 2016,
//! "XGBoost").
//!
//! - `bins`: values in at most 64 bins.
//! - `tree`: one tree, the best split first.

mod bins;
mod tree;

use std::time::Instant;

use holdadvise::model::{Forest, Node, limits};
use rayon::prelude::*;

use crate::random::Random;
use crate::split::Split;
use crate::training::source_dropout::SourceDropout;
use bins::Binned;
use holdadvise::model::cross_entropy;
use tree::{Grown, Limits};

/// Share of the columns a tree looks at.
const COLUMNS: f64 = 0.5;

/// Share of the rows a tree is grown on.
const ROWS: f64 = 0.8;

/// Added to the second derivatives of a leaf.
const SHRINKAGE: f64 = 5.0;

/// Least sum of second derivatives of a leaf: some twenty rows whose outcome is open.
const LEAST: f64 = 4.0;

/// Trees without a better validation loss after which to stop.
const PATIENCE: usize = 30;

/// How to boost.
#[derive(Clone, Debug, PartialEq, clap::Args)]
pub struct BoostingOptions {
    /// Most boosted trees beside the network; 0 trains the network alone.
    #[arg(long, default_value_t = 400)]
    pub trees: usize,
    /// Most leaves of a tree.
    #[arg(long, default_value_t = 31)]
    pub leaves: usize,
    /// What of each tree's step is taken.
    #[arg(long, default_value_t = 0.05)]
    pub tree_rate: f64,
}

impl BoostingOptions {
    /// A tree of n leaves has n - 1 steps at most, and the first tree is the mean.
    ///
    /// # Errors
    /// When a model cannot hold as many trees, leaves or nodes.
    pub fn check(&self) -> Result<(), String> {
        for (name, value, range) in [
            ("--trees", self.trees, 0..=limits::TREES - 1),
            ("--leaves", self.leaves, 2..=limits::TREE_STEPS + 1),
        ] {
            if !range.contains(&value) {
                return Err(format!("{name} {value} must lie in {range:?}"));
            }
        }
        let nodes = self.trees * (2 * self.leaves - 1);
        if nodes >= limits::TREE_NODES {
            return Err(format!(
                "--trees {} of --leaves {} have {nodes} nodes, a model holds {}",
                self.trees,
                self.leaves,
                limits::TREE_NODES
            ));
        }
        Ok(())
    }
}

/// Rows to learn from.
#[derive(Clone, Copy)]
pub(crate) struct Examples<'a> {
    /// `[n, k]`.
    pub(crate) statics: &'a [f32],
    pub(crate) k: usize,
    /// For each row of the dataset the probability of success, and how much it counts.
    pub(crate) target: &'a [f32],
    pub(crate) weight: &'a [f32],
}

/// Boosts on the training part, with early stop on the validation part. Two rows in five train once
/// more, without the sources that chance blanks.
pub(crate) fn boost(
    examples: Examples<'_>,
    split: &Split,
    dropout: &SourceDropout,
    options: &BoostingOptions,
    seed: u64,
) -> Forest {
    if options.trees == 0 {
        return Forest::default();
    }
    let start = Instant::now();
    let mut random = Random::new(seed ^ 0x74_7265_6573);
    let (forest, loss) =
        fit(examples, &split.train, &split.validation, dropout, options, &mut random);
    let (trees, seconds) = (forest.roots.len(), start.elapsed().as_secs_f64());
    eprintln!("{trees} trees: validation loss {loss:.4}, {seconds:.1} s");
    forest
}

/// The trees, and their loss on the validation part.
fn fit(
    examples: Examples<'_>,
    train: &[usize],
    validation: &[usize],
    dropout: &SourceDropout,
    options: &BoostingOptions,
    random: &mut Random,
) -> (Forest, f64) {
    let Examples { statics, k, target, weight } = examples;
    let limits = Limits { leaves: options.leaves, shrinkage: SHRINKAGE, least: LEAST };
    // Where all begin: the logit of the mean outcome, as a tree of one leaf.
    let (mut sum, mut of) = (0.0, 0.0);
    for &row in train {
        sum += f64::from(target[row]) * f64::from(weight[row]);
        of += f64::from(weight[row]);
    }
    let mean = (sum / of.max(f64::MIN_POSITIVE)).clamp(1e-6, 1.0 - 1e-6);
    let start = (mean / (1.0 - mean)).ln();
    let mut forest = Forest { roots: vec![0], nodes: vec![Node::Leaf { value: start as f32 }] };

    let (binned, rows) = Binned::new(statics, k, train, dropout, random);
    let mut logits = vec![start; rows.len()];
    let mut judged: Vec<f64> = vec![start; validation.len()];
    let loss = |judged: &[f64]| -> f64 {
        let of_row = |(logit, row): (&f64, &usize)| {
            let (t, w) = (f64::from(target[*row]), f64::from(weight[*row]));
            [w * cross_entropy(*logit, t), w]
        };
        let sums = judged.iter().zip(validation).map(of_row);
        let [sum, of] = sums.fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        sum / of.max(f64::MIN_POSITIVE)
    };
    let mut best = (loss(&judged), forest.roots.len(), forest.nodes.len());
    let mut derivatives = vec![[0.0_f32; 2]; rows.len()];
    let mut columns: Vec<usize> =
        (0..k).filter(|&column| !binned.edges[column].is_empty()).collect();
    let looked_at = ((columns.len() as f64 * COLUMNS).ceil() as usize).min(columns.len());
    let trees = if looked_at == 0 { 0 } else { options.trees };
    for _ in 0..trees {
        derivatives.par_iter_mut().zip(&logits).zip(&rows).for_each(|((both, logit), &row)| {
            let p = 1.0 / (1.0 + (-logit).exp());
            let w = f64::from(weight[row]);
            *both = [(w * (p - f64::from(target[row]))) as f32, (w * p * (1.0 - p)) as f32];
        });
        random.shuffle(&mut columns);
        let mut chosen = columns[..looked_at].to_vec();
        chosen.sort_unstable();
        let drawn = (0..rows.len() as u32).filter(|_| random.unit() < ROWS).collect();
        let grown = tree::grow(&binned, &chosen, drawn, &derivatives, limits);
        let rate = options.tree_rate;
        logits.par_iter_mut().enumerate().for_each(|(at, logit)| {
            *logit += rate * tree::reached(&grown, &binned, at);
        });
        let root = forest.nodes.len() as u32;
        append(&mut forest, &grown, &binned.edges, rate);
        judged.par_iter_mut().zip(validation).for_each(|(logit, &row)| {
            *logit += f64::from(forest.leaf(root, &statics[row * k..(row + 1) * k]));
        });
        let loss = loss(&judged);
        if loss < best.0 {
            best = (loss, forest.roots.len(), forest.nodes.len());
        } else if forest.roots.len() >= best.1 + PATIENCE {
            break;
        }
    }
    forest.roots.truncate(best.1);
    forest.nodes.truncate(best.2);
    (forest, best.0)
}

/// Appends a tree, its bins as values.
fn append(forest: &mut Forest, grown: &[Grown], edges: &[Vec<f32>], rate: f64) {
    let first = forest.nodes.len();
    forest.roots.push(first as u32);
    forest.nodes.extend(grown.iter().map(|node| match *node {
        Grown::Leaf { value } => Node::Leaf { value: (value * rate) as f32 },
        Grown::Split { column, bin, below, above } => Node::Split {
            column: column as u32,
            threshold: edges[column][usize::from(bin)],
            below: (first + below) as u32,
            above: (first + above) as u32,
        },
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two columns whose product decides, and one that says nothing.
    fn crossed(rows: usize, seed: u64) -> (Vec<f32>, Vec<f32>) {
        let mut random = Random::new(seed);
        let (mut statics, mut target) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let row: [f32; 3] = std::array::from_fn(|_| (random.unit() * 2.0 - 1.0) as f32);
            target.push(if row[0] * row[1] > 0.0 { 0.9 } else { 0.2 });
            statics.extend(row);
        }
        (statics, target)
    }

    const OPTIONS: BoostingOptions = BoostingOptions { trees: 100, leaves: 8, tree_rate: 0.2 };

    #[test]
    fn what_two_columns_say_together_is_learned_and_the_same_each_time() {
        let (statics, target) = crossed(3000, 1);
        let weight = vec![1.0; 3000];
        let examples = Examples { statics: &statics, k: 3, target: &target, weight: &weight };
        let rows: Vec<usize> = (0..2000).collect();
        let validation: Vec<usize> = (2000..3000).collect();
        let fitted = || {
            let nothing = SourceDropout::new(&[], 0.0);
            fit(examples, &rows, &validation, &nothing, &OPTIONS, &mut Random::new(2))
        };
        let (forest, loss) = fitted();
        let p = |row: [f32; 3]| 1.0 / (1.0 + (-forest.logit(&row)).exp());
        assert!((p([0.5, 0.5, 0.0]) - 0.9).abs() < 0.06, "{}", p([0.5, 0.5, 0.0]));
        assert!((p([-0.5, 0.5, 0.0]) - 0.2).abs() < 0.06, "{}", p([-0.5, 0.5, 0.0]));
        // The entropy of what cannot be known, and little more.
        assert!(loss < 0.44, "{loss}");
        forest.check(3).unwrap();
        assert_eq!(fitted().0, forest);
    }

    #[test]
    fn without_anything_to_learn_there_is_the_mean() {
        let statics = vec![1.0; 300];
        let target: Vec<f32> = (0..300).map(|row| if row % 4 == 0 { 1.0 } else { 0.0 }).collect();
        let weight = vec![1.0; 300];
        let examples = Examples { statics: &statics, k: 1, target: &target, weight: &weight };
        let rows: Vec<usize> = (0..200).collect();
        let nothing = SourceDropout::new(&[], 0.0);
        let (forest, _) = fit(examples, &rows, &[250], &nothing, &OPTIONS, &mut Random::new(2));
        assert!((forest.logit(&[1.0]) - (0.25_f64 / 0.75).ln()).abs() < 0.02);
    }

    #[test]
    fn more_than_a_model_holds_is_refused() {
        let check = |trees, leaves| BoostingOptions { trees, leaves, tree_rate: 0.1 }.check();
        assert_eq!((check(0, 31), check(400, 31), check(4095, 2)), (Ok(()), Ok(()), Ok(())));
        assert!(check(4096, 2).unwrap_err().contains("--trees 4096 must lie in 0..=4095"));
        assert!(check(4, 1).unwrap_err().contains("--leaves 1 must lie in 2..=257"));
        assert!(check(4095, 200).unwrap_err().contains("a model holds 1048576"));
    }
}
