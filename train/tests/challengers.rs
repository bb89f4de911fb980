//! Challengers on simulated access points: 20 trials in which they learned from permuted or shifted
//! outcomes, and a control in which one is better. The unit is a release of the simulation, with the
//! outcome that it had; what is truly lost is by the simulator's true probabilities.

use std::path::Path;

use crate::common::done;
use holdadvise::advice::Costs;
use holdadvise::home::{Trial, TrialRelease};
use holdadvise::model::{Batch, Calibration, Model, fit};
use holdadvise_train::data::dataset::{Dataset, SUCCESS};
use holdadvise_train::random::Random;

/// Seeds of access points that nothing else uses.
const SEEDS: [u32; 4] = [1301, 1302, 1303, 1304];

/// So many times as long the releases are apart as in the simulation, whose preset has outages of
/// a quarter of an hour: days are what a trial counts. Assumed.
const STRETCH: i64 = 12;

/// How often a trial is looked at.
const LOOKS: usize = 40;

/// Releases in the order of time: the first third is there to learn from.
struct World {
    logits: Vec<f32>,
    success: Vec<bool>,
    truth: Vec<f64>,
    cluster: Vec<i64>,
    released: Vec<i64>,
    learned: usize,
    own: Calibration,
}

impl World {
    fn of(folder: &Path, seed: u32, model: &Model) -> Self {
        let name = format!("{seed}");
        done(
            folder,
            format!(
                "simulate --preset quick --with faults-3 --vary 6 --days 10 --seed {seed} -o {name}"
            )
            .split_whitespace(),
        );
        let tensors = format!("tensors --simulation {name} --releases-only -o {name}.safetensors");
        done(folder, tensors.split_whitespace());
        let dataset = Dataset::read(&folder.join(format!("{name}.safetensors"))).unwrap();
        let known = |&row: &usize| {
            dataset.observed[row] != 0
                && dataset.label[row] < 2
                && dataset.truth(row).is_some()
                && model.metadata.knows(dataset.code[row])
        };
        let mut rows: Vec<usize> = (0..dataset.len()).filter(known).collect();
        rows.sort_by_key(|&row| dataset.decision_instant[row]);
        let (states, statics) = dataset.gather(&rows);
        let batch = Batch { states: &states, statics: &statics, n: rows.len() };
        Self {
            logits: model.engine.logits(&batch).unwrap(),
            success: rows.iter().map(|&row| dataset.label[row] == SUCCESS).collect(),
            truth: rows.iter().filter_map(|&row| dataset.truth(row)).collect(),
            cluster: rows.iter().map(|&row| dataset.cluster[row]).collect(),
            released: rows.iter().map(|&row| dataset.decision_instant[row] * STRETCH).collect(),
            learned: rows.len() / 3,
            own: model.metadata.calibration,
        }
    }

    /// What the model in use says.
    fn in_use(&self) -> Vec<f64> {
        self.logits.iter().map(|&logit| self.own.probability(logit)).collect()
    }

    /// The model, calibrated to outcomes of the first third that something was done to.
    fn calibrated(&self, mut outcome: Vec<f32>, random: &mut Random, permuted: bool) -> Vec<f64> {
        if permuted {
            random.shuffle(&mut outcome);
        }
        let logits = &self.logits[..self.learned];
        let share = outcome.iter().sum::<f32>() / outcome.len() as f32;
        // Where the ranking says nothing of them, all that is left is their share.
        let base = Calibration { a: 0.0, b: f64::from(share / (1.0 - share)).ln() };
        let made = fit(logits, &outcome, &vec![1.0; outcome.len()]).unwrap_or(base);
        self.logits.iter().map(|&logit| made.probability(logit)).collect()
    }

    /// Outcomes of the first third, some successes or failures of which became the other.
    fn shifted(&self, of: bool, random: &mut Random) -> Vec<f32> {
        let outcomes = self.success[..self.learned].iter();
        outcomes
            .map(|&success| if success == of && random.unit() < 0.6 { !success } else { success })
            .map(|success| f32::from(u8::from(success)))
            .collect()
    }

    fn challenger(&self, way: usize, random: &mut Random) -> Vec<f64> {
        let plain = self.success[..self.learned].iter().map(|&s| f32::from(u8::from(s))).collect();
        match way {
            0 => self.calibrated(plain, random, true),
            1 => {
                let shifted = self.shifted(true, random);
                self.calibrated(shifted, random, false)
            }
            2 => {
                let shifted = self.shifted(false, random);
                self.calibrated(shifted, random, false)
            }
            // What it says belongs to other holds.
            3 => {
                let mut said = self.in_use();
                random.shuffle(&mut said);
                said
            }
            _ => self.noisy(random, 2.0),
        }
    }

    fn noisy(&self, random: &mut Random, size: f64) -> Vec<f64> {
        let noise = |logit: &f32| {
            let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            self.own.probability(logit + (size * normal) as f32)
        };
        self.logits.iter().map(noise).collect()
    }

    fn pairs(&self, in_use: &[f64], challenger: &[f64]) -> Vec<TrialRelease> {
        let later = self.learned..self.logits.len();
        later
            .map(|at| TrialRelease {
                cluster: self.cluster[at],
                // Each cluster has its own: what one of them shows does not decide.
                owner: self.cluster[at].unsigned_abs(),
                released: self.released[at],
                in_use: in_use[at],
                challenger: challenger[at],
                success: self.success[at],
            })
            .collect()
    }

    /// Hours a release that a model loses less those that another one does, of the later ones.
    fn truly_lost(&self, model: &[f64], less: &[f64]) -> f64 {
        let costs = Costs::default();
        let lost = |p: f64, truth: f64| {
            if costs.released(p) < costs.left(p) {
                costs.released(truth)
            } else {
                costs.left(truth)
            }
        };
        let later = self.learned..self.logits.len();
        let count = later.len() as f64;
        later
            .map(|at| lost(model[at], self.truth[at]) - lost(less[at], self.truth[at]))
            .sum::<f64>()
            / count
    }

    /// Whether it would be installed at one of the looks.
    fn installs(&self, in_use: &[f64], challenger: &[f64]) -> bool {
        let pairs = self.pairs(in_use, challenger);
        (1..=LOOKS).any(|look| {
            let known = &pairs[..pairs.len() * look / LOOKS];
            Trial::of(1, known, &Costs::default()).is_better()
        })
    }
}

#[test]
fn no_challenger_that_is_worse_in_decisions_is_installed_in_20_trials() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::builtin_default().unwrap();
    let (mut worse, mut installed, mut controls) = (0, 0, 0);
    for seed in SEEDS {
        let world = World::of(folder.path(), seed, &model);
        assert!(world.logits.len() > 300, "{seed}: {}", world.logits.len());
        let in_use = world.in_use();
        for way in 0..5 {
            let mut random = Random::new(u64::from(seed) * 10 + way as u64);
            let said = world.challenger(way, &mut random);
            let lost = world.truly_lost(&said, &in_use);
            let is_installed = world.installs(&in_use, &said);
            println!("{seed} way {way}: {lost:+.3} h, installed {is_installed}");
            worse += usize::from(lost > 0.0);
            installed += usize::from(is_installed);
            assert!(!is_installed || lost <= 0.0, "{seed} way {way}: {lost:+.3} h");
        }
        // The control: what is in use knows less.
        let mut random = Random::new(u64::from(seed));
        let less = world.noisy(&mut random, 6.0);
        let gain = -world.truly_lost(&in_use, &less);
        let is_installed = world.installs(&less, &in_use);
        let trial = Trial::of(1, &world.pairs(&less, &in_use), &Costs::default());
        println!("{seed} control: {gain:+.3} h gained, installed {is_installed}, {trial:?}");
        controls += usize::from(gain > 0.0 && is_installed);
    }
    println!("{worse} of 20 truly worse, {installed} installed");
    assert!(worse >= 12, "{worse} of 20 are truly worse");
    assert!(controls >= 1, "{controls} of 4 better ones are installed");
}
