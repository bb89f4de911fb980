//! The calibration of an access point beside its model: a small file that the advisor writes and
//! whoever advises there reads.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::{Calibration, ModelMetadata, Recalibration};
use crate::private::is_absent;
use eventlog::input::open_regular;

/// Its name in the folder that HOLDADVISE_HOME_DIR names.
pub const CALIBRATION: &str = "calibration.json";

/// The name there of a model that the advisor installed.
pub const MODEL: &str = "model.pt";

/// Bytes of it at most.
const LONGEST: u64 = 64 << 10;

/// Slopes beyond this are no calibration: no outcomes lead so far from 1. Assumed.
const MOST: f64 = 100.0;

/// A calibration and the model that it is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct KeptCalibration {
    /// [`ModelMetadata::identity`] of that model's file.
    pub model: String,
    /// Slope and intercept.
    pub calibration: Calibration,
    /// How they came about.
    pub recalibration: Recalibration,
}

impl KeptCalibration {
    /// Reads the file of a folder; `None` where there is none, or where it may not be read.
    ///
    /// # Errors
    /// What is wrong with it, as text.
    pub fn read(folder: &Path) -> Result<Option<Self>, String> {
        Self::read_with(folder, open_regular)
    }

    /// The same of a file that is opened so.
    pub(crate) fn read_with(
        folder: &Path,
        open: fn(&Path) -> io::Result<File>,
    ) -> Result<Option<Self>, String> {
        let path = folder.join(CALIBRATION);
        let fault = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
        let file = match open(&path) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(fault(&error)),
        };
        let mut text = Vec::new();
        file.take(LONGEST).read_to_end(&mut text).map_err(|error| fault(&error))?;
        let kept: Self = serde_json::from_slice(&text).map_err(|error| fault(&error))?;
        let Calibration { a, b } = kept.calibration;
        let fits = a > 0.0 && a <= MOST && b.abs() <= MOST;
        if !fits {
            let what =
                format!("slope {a}, intercept {b}: expected a slope above 0, both up to {MOST}");
            return Err(fault(&what));
        }
        Ok(Some(kept))
    }

    /// Puts it into the metadata of the model that it is of; false for another one.
    pub fn apply(&self, metadata: &mut ModelMetadata) -> bool {
        if metadata.identity() != self.model {
            return false;
        }
        metadata.calibration = self.calibration;
        let mut recalibration = self.recalibration.clone();
        recalibration.access_point =
            crate::text::strip_control(&recalibration.access_point).into_owned();
        metadata.recalibration = Some(recalibration);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::{FitOptions, JudgedReleases, recalibrate};
    use crate::model::{Apart, Model};
    use crate::random::Random;

    fn kept(model: &Model) -> KeptCalibration {
        let mut random = Random::new(3);
        let mut judged = JudgedReleases::default();
        for row in 0..600_i64 {
            let logit = (random.unit() * 8.0 - 4.0) as f32;
            let truth = Calibration { a: 0.4, b: -0.5 };
            judged.logits.push(logit);
            judged.outcome.push(f32::from(u8::from(random.unit() < truth.probability(logit))));
            judged.weight.push(1.0);
            judged.cluster.push(row);
            judged.hold_time.push(row * 3_600);
            judged.decided.push(row * 3_600 + 60);
        }
        let options = FitOptions {
            least: 500,
            newer_fraction: 0.3,
            gap: 7_200,
            draws: 100,
            seed: 1,
            apart: Apart::default(),
        };
        let made = recalibrate(&judged, Calibration::default(), "ap1\u{1b}", 0, &options).unwrap();
        assert!(!made.recalibration.check.is_worse());
        KeptCalibration {
            model: model.metadata.identity(),
            calibration: made.calibration,
            recalibration: made.recalibration,
        }
    }

    #[test]
    fn a_calibration_is_of_one_model() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(KeptCalibration::read(folder.path()), Ok(None));
        let mut model = Model::builtin_default().unwrap();
        let kept = kept(&model);
        let text = serde_json::to_vec(&kept).unwrap();
        std::fs::write(folder.path().join(CALIBRATION), &text).unwrap();
        let read = KeptCalibration::read(folder.path()).unwrap().unwrap();
        assert_eq!(read, kept);
        assert!(read.apply(&mut model.metadata));
        assert_eq!(model.metadata.calibration, kept.calibration);
        assert_eq!(model.metadata.outcomes_here(), 600);
        // The model is another one now.
        assert!(!read.apply(&mut model.metadata));
    }

    #[test]
    fn what_is_no_calibration_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(CALIBRATION);
        let kept = kept(&Model::builtin_default().unwrap());
        for a in ["0.0", "-1.0", "1e9", "null"] {
            let text = serde_json::to_string(&kept).unwrap();
            let before = serde_json::to_string(&kept.calibration).unwrap();
            let text = text.replace(&before, &format!("{{\"a\":{a},\"b\":0.0}}"));
            std::fs::write(&path, text).unwrap();
            assert!(
                KeptCalibration::read(folder.path()).unwrap_err().contains("calibration.json"),
                "{a}"
            );
        }
        std::fs::write(&path, "{").unwrap();
        assert!(KeptCalibration::read(folder.path()).is_err());
    }
}
