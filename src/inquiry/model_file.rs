//! Which model judges.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use directories::BaseDirs;

use super::{Config, SettingError};
use crate::home::{KeptCalibration, MODEL};
use crate::model::{Calibration, Model, ModelError};
use crate::private::open_own;

/// The file name looked for in folders.
const NAME: &str = "default.pt";

/// Where a package installs a model of this access point.
const SYSTEM: &str = "/usr/share/condor/holdadvise";

/// A model that is to be used.
#[derive(Debug)]
pub struct FoundModel {
    /// The model, with the calibration of this access point and the settings.
    pub model: Model,
    /// What tells its file from others.
    pub identity: String,
    /// The calibration of the file.
    pub calibration: Calibration,
    /// An option or a setting names it.
    pub is_named: bool,
}

/// Opens the model that is named, that of the settings or the folders name; else the one built in.
///
/// # Errors
/// As [`find`].
pub fn open<E>(named: Option<&Path>, config: &Config) -> Result<Model, E>
where
    E: From<ModelError> + From<SettingError>,
{
    let (mut model, _) = of_file::<E>(named, config)?;
    settle::<E>(&mut model, config)?;
    Ok(model)
}

/// As [`open`], with what tells its file from others.
///
/// # Errors
/// [`ModelError`] when the model found cannot be used: another one is not tried in its place.
/// [`SettingError`] for a setting that cannot be used.
pub fn find<E>(named: Option<&Path>, config: &Config) -> Result<FoundModel, E>
where
    E: From<ModelError> + From<SettingError>,
{
    let (mut model, is_named) = of_file::<E>(named, config)?;
    let (identity, calibration) = (model.metadata.identity(), model.metadata.calibration);
    settle::<E>(&mut model, config)?;
    Ok(FoundModel { model, identity, calibration, is_named })
}

/// The model as its file has it, and whether an option or a setting names it.
fn of_file<E>(named: Option<&Path>, config: &Config) -> Result<(Model, bool), E>
where
    E: From<ModelError> + From<SettingError>,
{
    let given = named.map(|file| (file.to_owned(), true));
    let given = given.or_else(|| config.path("HOLDADVISE_MODEL"));
    let is_named = given.is_some();
    let home = config.path("HOLDADVISE_HOME_DIR");
    let file = match given {
        Some((file, is_believed)) => Some((opened(&file, is_believed), file)),
        None => files(home.as_ref()).into_iter().find_map(|file| there(file, config)),
    };
    let model = match file {
        Some((opened, file)) => {
            log::info!("model {}", file.display());
            Model::of_file(&file, opened)?
        }
        None => {
            log::info!("model built in");
            Model::builtin_default()?
        }
    };
    Ok((model, is_named))
}

/// Gives a model the calibration of this access point and the settings.
fn settle<E: From<SettingError>>(model: &mut Model, config: &Config) -> Result<(), E> {
    let kept = config.path("HOLDADVISE_HOME_DIR").map(|(home, is_believed)| match is_believed {
        true => KeptCalibration::read(&home),
        false => KeptCalibration::read_with(&home, open_own),
    });
    match kept.transpose() {
        Ok(kept) => {
            let applied = kept.flatten().is_some_and(|kept| kept.apply(&mut model.metadata));
            log::info!("calibration of this access point: {applied}");
        }
        Err(fault) => log::warn!("{fault}: the calibration of the model is used"),
    }
    let thresholds = &mut model.metadata.thresholds;
    for (name, threshold) in [
        ("HOLDADVISE_RELEASE_THRESHOLD", &mut thresholds.release),
        ("HOLDADVISE_REMOVE_THRESHOLD", &mut thresholds.remove),
    ] {
        if let Some(value) = config.probability(name)? {
            *threshold = value;
        }
    }
    let least = config.probability("HOLDADVISE_LEAST_CONFIDENCE")?;
    thresholds.confidence = least.or(thresholds.confidence);
    Ok(())
}

/// How a file is opened: one that the option or the administrator names is believed, whosever it
/// is, and what the environment leads to as far as it is one's own.
pub(super) fn opened(file: &Path, is_believed: bool) -> io::Result<File> {
    if is_believed { File::open(file) } else { open_own(file) }
}

/// A model that may be there, opened. Another's is none, and that is said.
fn there(
    (file, is_believed): (PathBuf, bool),
    config: &Config,
) -> Option<(io::Result<File>, PathBuf)> {
    if !file.is_file() {
        return None;
    }
    match opened(&file, is_believed) {
        Err(error) if !is_believed => {
            config.refuse(format!("model file {} is not used: {error}", file.display()));
            None
        }
        opened => Some((opened, file)),
    }
}

/// Where models lie: the user's, the one that the advisor installed, the one of a package; and
/// whether they are believed, whosever they are.
fn files(home: Option<&(PathBuf, bool)>) -> Vec<(PathBuf, bool)> {
    let mut files = Vec::new();
    if let Some(dirs) = BaseDirs::new() {
        files.push((dirs.home_dir().join(".condor/holdadvise").join(NAME), false));
        files.push((dirs.data_dir().join("condor-holdadvise").join(NAME), false));
    }
    files.extend(home.map(|(home, is_believed)| (home.join(MODEL), *is_believed)));
    files.push((Path::new(SYSTEM).join(NAME), true));
    files
}
