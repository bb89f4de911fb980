//! `extra/holdadvise.json` of a model archive: what a caller has to know besides the weights.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::printable;
use super::{ModelError, Recalibration, Sheet};
use crate::features::FeatureSchema;
use crate::history::Action;

/// Version of the layout of [`ModelMetadata`] that this program reads and writes.
pub const METADATA_FORMAT: u32 = 1;

/// Releases after a code that a model must have seen to know it: the standard error of a share of
/// successes is 0.09 then at most (0.5 / sqrt(30)).
pub const LEAST_RELEASES: u64 = 30;

/// Rows of an action that a model must have been trained on to know it. A removal rests on a
/// success below 0.1 of every action ([`Thresholds::remove`]). No success among n independent rows
/// shows that with 95 % from n = 30 on (3 / n, the rule of three: Hanley and Lippman-Hand 1983).
/// Rows of one cluster are alike: ten rows are counted as one, which is assumed.
pub const LEAST_ROWS: u64 = 300;

/// Upper limits on the sizes a model may declare.
pub mod limits {
    /// States: an index must fit in a byte.
    pub const STATES: usize = 256;
    /// Frames.
    pub const FRAMES: usize = 1024;
    /// Job slots.
    pub const SLOTS: usize = crate::features::Slots::MOST;
    /// Static columns.
    pub const STATICS: usize = 1 << 16;
    /// Units of a layer (embedding, LSTM, hidden).
    pub const UNITS: usize = 1024;
    /// LSTM layers.
    pub const LAYERS: usize = 16;
    /// Decision trees.
    pub const TREES: usize = 4096;
    /// Nodes of all trees together.
    pub const TREE_NODES: usize = 1 << 20;
    /// Steps from the root of a tree to a leaf.
    pub const TREE_STEPS: usize = 256;
}

/// How the module is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contract {
    /// `forward(states: int64 [B, m, j], statics: float32 [B, k]) -> float32 [B]`.
    #[default]
    StatesStatics,
    /// `forward(x: float32 [B, m, j*e]) -> float32 [B]`: one-hot rows, slot by slot.
    OneHot,
}

/// What the module returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// Log-odds of success.
    #[default]
    Logit,
    /// Probability of success, 0 to 1.
    Probability,
}

/// Sizes of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimensions {
    /// States a slot can be in.
    pub e: usize,
    /// Frames, oldest first.
    pub m: usize,
    /// Job slots: the held job first, then the other jobs.
    pub j: usize,
    /// Static columns.
    pub k: usize,
}

/// Where a parameter of the network lies in the archive. Values are little-endian float32.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorEntry {
    /// Name of the parameter.
    pub name: String,
    /// Entry of the archive, below its top folder, such as `data/3`.
    pub file: String,
    /// Shape; values are contiguous in row-major order.
    pub shape: Vec<usize>,
}

/// Platt calibration: probability = sigmoid(a * logit + b). (Platt 1999.)
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Slope.
    pub a: f64,
    /// Intercept.
    pub b: f64,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { a: 1.0, b: 0.0 }
    }
}

impl Calibration {
    /// Probability of success, 0 to 1, for a logit.
    pub fn probability(self, logit: f32) -> f64 {
        1.0 / (1.0 + (-(self.a * f64::from(logit) + self.b)).exp())
    }
}

/// Probabilities of success at which a recommendation changes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// An action at or above it is recommended.
    pub release: f64,
    /// Removal is recommended only when the best action is below it.
    pub remove: f64,
    /// The least confidence a release or a removal is recommended with: of a release the
    /// probability that it succeeds, of a removal the probability that the best action fails.
    /// `None`: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { release: 0.5, remove: 0.1, confidence: None }
    }
}

/// What the model was trained on. Further fields (sizes, options, losses) are kept as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingSummary {
    /// `simulated and recorded pools`, or the name of the access point whose logs it was trained on. Without
    /// control characters, whatever the file holds.
    pub trained_on: String,
    /// Real outcomes of that access point among the rows; 0 for simulated data.
    #[serde(default)]
    pub outcomes: u64,
    /// Everything else.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// How releases after one hold code went in the training part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeStatistics {
    /// HoldReasonCode.
    pub code: i32,
    /// HoldReasonSubCode.
    pub subcode: i32,
    /// Releases with a known outcome.
    pub releases: u64,
    /// Those that ended in success.
    pub successes: u64,
}

/// The rows of one action in the training part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionStatistics {
    /// What was done before the release.
    pub action: Action,
    /// Releases that happened, and rows a simulator tells of.
    pub rows: u64,
    /// Those that ended in success.
    pub successes: u64,
}

/// Rows that speak for an action: `as-is` and `unknown` speak for one another, since of both no
/// edit is known.
pub fn rows_of_action(actions: &[ActionStatistics], action: Action) -> u64 {
    let unedited = |action| matches!(action, Action::AsIs | Action::Unknown);
    let speaks =
        |of: &&ActionStatistics| of.action == action || (unedited(of.action) && unedited(action));
    actions.iter().filter(speaks).fold(0, |sum: u64, of| sum.saturating_add(of.rows))
}

/// The whole of `extra/holdadvise.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelMetadata {
    /// [`METADATA_FORMAT`].
    pub format: u32,
    /// How the module is called.
    #[serde(default)]
    pub contract: Contract,
    /// What the module returns.
    #[serde(default)]
    pub output: Output,
    /// e, m, j, k.
    pub dimensions: Dimensions,
    /// What a sample holds.
    pub schema: FeatureSchema,
    /// Where the parameters lie; empty for a module of another architecture.
    #[serde(default)]
    pub tensors: Vec<TensorEntry>,
    /// From logit to probability.
    #[serde(default)]
    pub calibration: Calibration,
    /// Where a recommendation changes.
    #[serde(default)]
    pub thresholds: Thresholds,
    /// What it was trained on.
    pub training: TrainingSummary,
    /// Figures on held-out data, free-form.
    #[serde(default)]
    pub metrics: Value,
    /// Outcomes per hold code in the training part.
    #[serde(default)]
    pub codes: Vec<CodeStatistics>,
    /// Rows per action in the training part.
    #[serde(default)]
    pub actions: Vec<ActionStatistics>,
    /// What the calibration was fitted to, where that is not the validation part of the training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalibration: Option<Recalibration>,
    /// What the model is for, what it was made of, and why its figures are not due to leakage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<Sheet>,
}

impl ModelMetadata {
    /// What tells this model from others: 16 hexadecimal digits, a hash of all of this but what
    /// was measured in closed loop: that is recorded of a finished model.
    pub fn identity(&self) -> String {
        let mut named = self.clone();
        if let Some(sheet) = &mut named.sheet {
            sheet.closed_loop = None;
        }
        let text = serde_json::to_vec(&named).unwrap_or_default();
        format!("{:016x}", eventlog::fnv1a(&text))
    }
}

impl Dimensions {
    /// e, m, j, k of the samples of a schema.
    pub fn of(schema: &FeatureSchema) -> Self {
        Self {
            e: schema.states.len(),
            m: schema.frames(),
            j: schema.slots,
            k: schema.statics.len(),
        }
    }

    /// Checks that they are within [`limits`]: products of them then fit in 64 bits.
    ///
    /// # Errors
    /// The first one that is not, in words.
    pub fn check(&self) -> Result<(), String> {
        let Self { e, m, j, k } = *self;
        for (name, value, least, most) in [
            ("e (states)", e, 1, limits::STATES),
            ("m (frames)", m, 1, limits::FRAMES),
            ("j (slots)", j, 1, limits::SLOTS),
            ("k (statics)", k, 0, limits::STATICS),
        ] {
            if value < least || value > most {
                return Err(format!("{name} is {value}, it must lie in {least}..={most}"));
            }
        }
        Ok(())
    }
}

impl ModelMetadata {
    /// Parses and checks the JSON text.
    ///
    /// # Errors
    /// [`ModelError::Metadata`] when it is not this JSON, of another format, or contradicts itself.
    pub fn from_json(text: &[u8]) -> Result<Self, ModelError> {
        let mut metadata: Self = serde_json::from_slice(text)
            .map_err(|error| ModelError::Metadata(printable(&error.to_string())))?;
        metadata.check()?;
        // Shown to the user, so it must not reach the terminal as it is.
        metadata.training.trained_on = printable(&metadata.training.trained_on);
        if let Some(recalibration) = &mut metadata.recalibration {
            recalibration.access_point = printable(&recalibration.access_point);
        }
        Ok(metadata)
    }

    /// Checks that the sizes agree with each other and are within [`limits`].
    ///
    /// # Errors
    /// [`ModelError::Metadata`] naming the first field that does not fit.
    pub fn check(&self) -> Result<(), ModelError> {
        let fail = |detail: String| Err(ModelError::Metadata(printable(&detail)));
        if self.format != METADATA_FORMAT {
            return fail(format!(
                "format {} is not known, this program reads format {METADATA_FORMAT}",
                self.format
            ));
        }
        self.dimensions.check().or_else(fail)?;
        let Dimensions { e, m, j, k } = self.dimensions;
        let schema = &self.schema;
        for (name, found, expected) in [
            ("schema.states", schema.states.len(), e),
            ("schema.statics", schema.statics.len(), k),
            ("schema.slots", schema.slots, j),
            ("schema.frame_edges (less one)", schema.frames(), m),
        ] {
            if found != expected {
                return fail(format!("{name} says {found}, dimensions say {expected}"));
            }
        }
        if let Some(source) = schema.sources.iter().find(|s| s.columns.iter().any(|&c| c >= k)) {
            return fail(format!("source {} names a column beyond k = {k}", source.name));
        }
        let Calibration { a, b } = self.calibration;
        if !(a.is_finite() && b.is_finite()) {
            return fail(format!("calibration a = {a}, b = {b} is not finite"));
        }
        let Thresholds { release, remove, confidence } = self.thresholds;
        for (name, value) in
            [("release", Some(release)), ("remove", Some(remove)), ("confidence", confidence)]
        {
            if let Some(value) = value.filter(|value| !(0.0..=1.0).contains(value)) {
                return fail(format!("thresholds.{name} is {value}, it must lie in 0..=1"));
            }
        }
        Ok(())
    }

    /// Real outcomes of one access point behind the probabilities: those that the calibration was
    /// fitted to anew, else those of the training.
    pub fn outcomes_here(&self) -> u64 {
        let trained = self.training.outcomes;
        match &self.recalibration {
            None => trained,
            Some(own) if own.access_point == self.training.trained_on => own.outcomes.max(trained),
            Some(own) => own.outcomes,
        }
    }

    /// Releases after holds with this code, whatever their subcode, that the training part had.
    /// `None` where the metadata do not say what was in it.
    pub fn releases_after(&self, code: i32) -> Option<u64> {
        let of_code = self.codes.iter().filter(|statistics| statistics.code == code);
        let releases = of_code.fold(0, |sum: u64, of| sum.saturating_add(of.releases));
        (!self.codes.is_empty()).then_some(releases)
    }

    /// Whether the training part had [`LEAST_RELEASES`] releases after this code; true where the
    /// metadata do not say. Of a code that it does not know a model has nothing to say, and the
    /// advice is `undecided`.
    ///
    /// Subcodes are not asked for one by one: those of codes 3, 21 and 26 are chosen by whoever
    /// wrote the policy, and those of file trouble are errno values, which the features tell by
    /// kind.
    pub fn knows(&self, code: i32) -> bool {
        self.releases_after(code).is_none_or(|releases| releases >= LEAST_RELEASES)
    }

    /// Rows of the training part that speak for this action ([`rows_of_action`]). `None` where the
    /// metadata count no actions.
    pub fn rows_of(&self, action: Action) -> Option<u64> {
        let rows = rows_of_action(&self.actions, action);
        (!self.actions.is_empty()).then_some(rows)
    }

    /// Whether the training part had [`LEAST_ROWS`] rows of this action. Nothing is advised that
    /// rests on an action that a model does not know, or on the failure of that action.
    ///
    /// Metadata without counts of actions attest no change. They attest a release as it is by the
    /// releases of their `codes`: whatever was done before these, a release followed.
    pub fn knows_action(&self, action: Action) -> bool {
        let rows = self.rows_of(action).unwrap_or_else(|| match action {
            Action::AsIs | Action::Unknown => {
                let releases = self.codes.iter().map(|of| of.releases);
                releases.fold(0, u64::saturating_add)
            }
            _ => 0,
        });
        rows >= LEAST_ROWS
    }
}
