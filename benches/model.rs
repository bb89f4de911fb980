//! Opening the shipped model and judging samples with engine `builtin`.
//!
//! `cargo bench --bench model`. The second case is the actions asked about many held jobs: six samples
//! a job that differ in their statics only, a third of which are not 0, as in samples of held jobs.

use divan::{Bencher, counter::ItemsCount};
use holdadvise::model::{Batch, Dimensions, Model};

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
