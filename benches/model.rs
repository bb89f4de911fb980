//! Opening the shipped model and judging samples with engine `builtin`.
//!
//! `cargo bench --bench model`. The second case is the actions asked about many held jobs: six
//! samples a job that differ in their statics only, a third of which are not 0, as in samples of
//! held jobs. The third is what 300 decision trees of 31 leaves add to each sample.

use divan::{Bencher, counter::ItemsCount};
use holdadvise::model::{Batch, Dimensions, Forest, Model, Node};

fn main() {
    divan::main();
}

#[divan::bench]
fn open_the_shipped_model() -> Model {
    Model::builtin_default().expect("the shipped model opens")
}

#[divan::bench(args = [1, 100, 10_000], sample_count = 5)]
fn judge_six_actions_of_jobs(bencher: Bencher<'_, '_>, jobs: usize) {
    const ACTIONS: usize = 6;
    let model = Model::builtin_default().expect("the shipped model opens");
    let Dimensions { e, m, j, k } = model.metadata.dimensions;
    let n = jobs * ACTIONS;
    let states: Vec<u8> = (0..n * m * j)
        .map(|at| {
            // Repeats for the actions of a job, varies from job to job.
            let (job, place) = (at / (ACTIONS * m * j), at % (m * j));
            ((job * 31 + place * 7 + job * place) % e) as u8
        })
        .collect();
    let statics: Vec<f32> =
        (0..n * k).map(|at| if at % 3 == 0 { (at % 17) as f32 / 8.0 - 1.0 } else { 0.0 }).collect();
    bencher
        .counter(ItemsCount::new(n))
        .bench(|| model.engine.logits(&Batch { states: &states, statics: &statics, n }));
}

#[divan::bench(args = [1, 10_000], sample_count = 20)]
fn add_up_300_trees_of_31_leaves(bencher: Bencher<'_, '_>, rows: usize) {
    const K: usize = 150;
    let mut numbers = Numbers(1);
    let forest = forest(300, 31, K, &mut numbers);
    forest.check(K).expect("a forest that keeps the contract");
    let statics: Vec<f32> = (0..rows * K)
        .map(|at| if at % 3 == 0 { numbers.below(1000) as f32 / 500.0 - 1.0 } else { 0.0 })
        .collect();
    bencher
        .counter(ItemsCount::new(rows))
        .bench(|| statics.chunks_exact(K).map(|row| forest.logit(row)).sum::<f64>());
}

/// Trees over `k` columns that split any leaf so far next, as leaf-wise growth does.
fn forest(trees: usize, leaves: usize, k: usize, numbers: &mut Numbers) -> Forest {
    let mut forest = Forest::default();
    let leaf = Node::Leaf { value: 0.01 };
    for _ in 0..trees {
        let root = forest.nodes.len();
        forest.roots.push(root as u32);
        forest.nodes.push(leaf);
        let mut ends = vec![root];
        for _ in 1..leaves {
            let at = ends.swap_remove(numbers.below(ends.len()));
            let below = forest.nodes.len();
            ends.extend([below, below + 1]);
            forest.nodes[at] = Node::Split {
                column: numbers.below(k) as u32,
                threshold: numbers.below(1000) as f32 / 500.0 - 1.0,
                below: below as u32,
                above: below as u32 + 1,
            };
            forest.nodes.extend([leaf, leaf]);
        }
    }
    forest
}

/// Numbers that look random and are the same on every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}
