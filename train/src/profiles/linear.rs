//! Fits a multinomial logistic regression with a ridge penalty.

use holdadvise::profile::Linear;

use super::figures::CLASSES;
use super::rows::Row;

/// Steps of gradient descent.
const STEPS: usize = 400;

/// Length of a step.
const RATE: f64 = 0.5;

/// Fits rows; `ridge` is the penalty on squared weights, against the mean loss. Each class weighs the
/// same.
pub(super) fn fit(rows: &[&Row], ridge: f64) -> Linear {
    let k = rows.first().map_or(0, |row| row.columns.len());
    let n = rows.len() as f64;
    let moment = |of: &dyn Fn(f64, usize) -> f64| -> Vec<f64> {
        let sum = |column: usize| {
            rows.iter().map(|row| of(f64::from(row.columns[column]), column)).sum::<f64>()
        };
        (0..k).map(|column| sum(column) / n).collect()
    };
    let mean = moment(&|value, _| value);
    let variance = moment(&|value, column| (value - mean[column]).powi(2));
    let deviation = variance.iter().map(|variance| variance.sqrt().max(LEAST_DEVIATION)).collect();
    let mut linear = Linear { mean, deviation, weights: std::array::from_fn(|_| vec![0.0; k + 1]) };
    let inputs: Vec<Vec<f64>> = rows.iter().map(|row| linear.input(&row.columns)).collect();
    let weight_of = class_weights(rows);
    for _ in 0..STEPS {
        step(&mut linear, &inputs, rows, &weight_of, ridge);
    }
    linear
}

/// Of a column that hardly varies.
const LEAST_DEVIATION: f64 = 1e-6;

fn step(linear: &mut Linear, inputs: &[Vec<f64>], rows: &[&Row], weight_of: &[f64], ridge: f64) {
    let k = linear.mean.len();
    let mut gradient: [Vec<f64>; CLASSES] = std::array::from_fn(|_| vec![0.0; k + 1]);
    for (input, row) in inputs.iter().zip(rows) {
        let probabilities = linear.of_input(input);
        let own = row.binding.number();
        let weight = weight_of[own] / rows.len() as f64;
        for (class, gradient) in gradient.iter_mut().enumerate() {
            let error = weight * (probabilities[class] - f64::from(u8::from(class == own)));
            for (sum, value) in gradient.iter_mut().zip(input) {
                *sum += error * value;
            }
        }
    }
    for (weights, gradient) in linear.weights.iter_mut().zip(&gradient) {
        for (column, (weight, slope)) in weights.iter_mut().zip(gradient).enumerate() {
            let penalty = if column < k { ridge * *weight } else { 0.0 };
            *weight -= RATE * (slope + penalty);
        }
    }
}

/// Weights by which each class counts the same; their mean over the rows is 1.
fn class_weights(rows: &[&Row]) -> [f64; CLASSES] {
    std::array::from_fn(|class| {
        let count = rows.iter().filter(|row| row.binding.number() == class).count();
        rows.len() as f64 / (CLASSES * count.max(1)) as f64
    })
}
