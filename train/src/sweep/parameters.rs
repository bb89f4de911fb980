//! The parameters that a sweep may vary, with what each may be.

use std::fmt;

use holdadvise::features::Slots;
use holdadvise::model::limits;

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name: the long option of `holdadvise-train train`, with `_` for `-`.
    pub name: &'static str,
    /// What it is, as an axis is called: with its unit.
    pub title: &'static str,
    /// Other names that sweep files know it by.
    pub aliases: &'static [&'static str],
    /// What it may be.
    pub kind: Kind,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// Only whole numbers do.
    pub whole: bool,
    /// Least value.
    pub least: f64,
    /// Greatest value.
    pub most: f64,
}

/// The options of training that say how a model is fitted. What a training is to see, and where it
/// computes, is no parameter; `epochs` and `patience` are the sweep's own.
pub const TRAINING: &[Parameter] = &[
    whole(
        "embedding",
        "width of an embedding row",
        &["embedding_size", "embedding_dim"],
        1,
        limits::UNITS,
    ),
    whole("hidden", "units of an LSTM layer", &["hidden_size"], 1, limits::UNITS),
    whole("layers", "LSTM layers", &["lstm_layers", "num_layers"], 1, limits::LAYERS),
    whole("units", "units over the statics", &[], 1, limits::UNITS),
    whole("joint", "units where LSTM and statics meet", &[], 1, limits::UNITS),
    real("learning_rate", "learning rate at the beginning", &["lr"], 10.0),
    whole("batch", "rows a step", &["batch_size"], 1, 1 << 20),
    real("weight_decay", "weight decay", &[], 10.0),
    real("dropout", "share of units dropped", &[], 0.99),
    real("source_dropout", "probability that a source is blanked", &[], 0.99),
    real("companion_weight", "share of the weight of companions", &[], 0.9),
    whole("trees", "trees at most", &[], 0, limits::TREES - 1),
    whole("leaves", "leaves of a tree at most", &[], 2, limits::TREE_STEPS + 1),
    real("tree_rate", "share of the step of each tree", &[], 1.0),
    whole("seed", "seed", &[], 0, u32::MAX as usize),
];

/// What the data is prepared by.
pub const PREPROCESSING: &[Parameter] = &[
    whole("m", "frames", &[], 1, limits::FRAMES),
    // The held job, and a slot for each kind of other job.
    whole("j", "job slots", &[], Slots::LEAST, Slots::MOST),
    whole("timeframe_len", "length of a frame, s", &[], 1, 7 * 86_400),
];

const fn whole(
    name: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    least: usize,
    most: usize,
) -> Parameter {
    Parameter {
        name,
        title,
        aliases,
        kind: Kind { whole: true, least: least as f64, most: most as f64 },
    }
}

const fn real(
    name: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    most: f64,
) -> Parameter {
    Parameter { name, title, aliases, kind: Kind { whole: false, least: 0.0, most } }
}

impl Parameter {
    /// Whether a sweep file means this parameter by a name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// The parameter of training or of preprocessing with this very name.
pub fn find(name: &str) -> Option<&'static Parameter> {
    TRAINING.iter().chain(PREPROCESSING).find(|parameter| parameter.name == name)
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.whole { "a whole number" } else { "a number" };
        write!(f, "{what} from {} to {}", self.least, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_two_parameters() {
        let mut names: Vec<&str> = TRAINING
            .iter()
            .chain(PREPROCESSING)
            .flat_map(|parameter| parameter.aliases.iter().copied().chain([parameter.name]))
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    /// Each is a long option of `train`, and its default is one of the values it may have.
    #[cfg(feature = "torch")]
    #[test]
    fn they_are_options_of_train() {
        use clap::Args;
        let command =
            crate::training::fitting::FitOptions::augment_args(clap::Command::new("train"));
        for parameter in TRAINING {
            let long = parameter.name.replace('_', "-");
            let option = command.get_arguments().find(|a| a.get_long() == Some(long.as_str()));
            let option = option.unwrap_or_else(|| panic!("no option --{long}"));
            let default = option.get_default_values()[0].to_str().unwrap();
            let Kind { whole, least, most } = parameter.kind;
            let value: f64 = default.parse().unwrap();
            assert!((least..=most).contains(&value), "{long} {default}");
            assert!(!whole || !default.contains('.'), "{long} {default}");
        }
    }
}
