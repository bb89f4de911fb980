//! Networks that a random search chooses.

use std::collections::BTreeMap;

use serde_json::Value;

use super::figures::Scores;
use super::fit::{FitOptions, Method, Parts};
use super::network::{Choice, Network};
use crate::Error;
use crate::random::Random;
use crate::say::say;
use crate::sweep::importance::Importances;

/// The best dense network and the best convolutional one, by trainings on these parts.
pub(super) fn best(options: &FitOptions, parts: &Parts<'_>) -> Result<Vec<Method>, Error> {
    let searched = search(options, parts)?;
    importance(&searched);
    let mut found: Vec<Method> = Vec::new();
    for (name, convolutional) in [("dense network", false), ("convolutional network", true)] {
        let of_kind = searched.iter().filter(|(choice, _)| choice.convolutional == convolutional);
        if let Some((choice, _)) = of_kind.max_by(|a, b| a.1.total_cmp(&b.1)) {
            eprintln!("{name}: {}", Value::from_iter(choice.parameters()));
            let (choice, seed) = (choice.clone(), options.seed);
            let train = move |parts: &Parts<'_>| -> Result<(Vec<Scores>, f64), Error> {
                let network = Network::train(&choice, &parts.train, &parts.validation, seed)?;
                Ok((network.said(&parts.test)?, network.figure))
            };
            found.push((name, Box::new(train)));
        }
    }
    Ok(found)
}

/// Trains networks that chance draws: each with its figure on the validation part.
fn search(options: &FitOptions, parts: &Parts<'_>) -> Result<Vec<(Choice, f64)>, Error> {
    let mut random = Random::new(options.seed);
    let mut searched = Vec::new();
    for trial in 0..options.trials {
        let choice = Choice::draw(&mut random);
        let seed = options.seed + trial as u64;
        let network = Network::train(&choice, &parts.train, &parts.validation, seed)?;
        let (figure, drawn) = (network.figure, Value::from_iter(choice.parameters()));
        eprintln!("trial {}: {figure:.4} on validation, {drawn}", trial + 1);
        searched.push((choice, figure));
    }
    Ok(searched)
}

/// Says how much of the figure each parameter of the search explains.
fn importance(searched: &[(Choice, f64)]) {
    let drawn: Vec<BTreeMap<String, Value>> =
        searched.iter().map(|(choice, _)| choice.parameters()).collect();
    let figures: Vec<f64> = searched.iter().map(|&(_, figure)| figure).collect();
    if !drawn.is_empty() {
        say(format_args!("\n"));
        for line in Importances::among(&drawn, &figures).lines("the mean AUROC") {
            say(format_args!("{line}\n"));
        }
    }
}
