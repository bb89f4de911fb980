//! What the advisor of an access point knows from day to day of models there: which one is on trial,
//! which were tried, and what was asked for.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{CALIBRATION, MODEL};
use crate::model::{MAX_ARCHIVE_BYTES, Model, ModelError};
use crate::private::{own, put, remove};

/// Name of the file of this.
const STATE: &str = "home.json";

/// Name of a model on trial.
const CHALLENGER: &str = "challenger.pt";

/// Name of the model that an installed one took the place of, where that was installed too.
const FORMER: &str = "former.pt";

/// Bytes of the file at most.
const LONGEST: u64 = 1 << 20;

/// Models that are not to be tried again at most; of more the oldest go.
const REFUSED: usize = 1_000;

/// Why a model is not taken, installed or taken back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// A file or folder.
    #[error("{}: {source}", .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no model that runs here.
    #[error("{}: {source}", .path.display())]
    Model {
        /// Which.
        path: PathBuf,
        /// Why.
        source: Box<ModelError>,
    },
    /// It was tried before.
    #[error("model {0} was on trial or installed here before: it is not tried again")]
    Before(String),
    /// Nothing was installed.
    #[error("no model was installed by the advisor: there is nothing to take back")]
    Nothing,
}

/// A model on trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Challenger {
    /// [`crate::model::ModelMetadata::identity`].
    pub model: String,
    /// Since when, Unix seconds: what counts are holds that began later.
    pub since: i64,
}

/// A retraining that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct RetrainRequest {
    /// From 1 on.
    pub number: u32,
    /// When, Unix seconds.
    pub at: i64,
    /// Why, a sentence.
    pub why: String,
}

/// What is known from day to day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct HomeState {
    /// When it was last looked at, Unix seconds.
    pub last: i64,
    /// Challengers so far.
    pub challengers: u32,
    /// The one on trial.
    pub challenger: Option<Challenger>,
    /// The model that was installed.
    pub installed: Option<String>,
    /// Since when the model in use is, Unix seconds; 0: always.
    pub in_use_since: i64,
    /// Models that were tried.
    pub refused: Vec<String>,
    /// The last retraining that was asked for.
    pub request: Option<RetrainRequest>,
}

/// The two folders.
#[derive(Clone, Debug)]
pub struct Places {
    /// For the advisor's account alone.
    pub own: PathBuf,
    /// HOLDADVISE_HOME_DIR: what others may read.
    pub shown: PathBuf,
}

impl Places {
    /// What is known; nothing where there is no file.
    ///
    /// # Errors
    /// [`PlaceError::Io`], for a damaged file too: what was spent of the error would be forgotten.
    pub fn state(&self) -> Result<HomeState, PlaceError> {
        let path = self.own.join(STATE);
        let fault = |source| PlaceError::Io { path: path.clone(), source };
        let Some(text) = own(&path, LONGEST).map_err(fault)? else {
            return Ok(HomeState::default());
        };
        serde_json::from_slice(&text).map_err(|error| fault(error.into()))
    }

    /// Keeps it.
    ///
    /// # Errors
    /// [`PlaceError::Io`].
    pub fn keep(&self, state: &HomeState) -> Result<(), PlaceError> {
        let text = serde_json::to_vec_pretty(state).unwrap_or_default();
        self.put(false, STATE, &text)
    }

    /// Shows a file to others.
    ///
    /// # Errors
    /// [`PlaceError::Io`].
    pub fn show(&self, name: &str, bytes: &[u8]) -> Result<(), PlaceError> {
        self.put(true, name, bytes)
    }

    fn put(&self, shown: bool, name: &str, bytes: &[u8]) -> Result<(), PlaceError> {
        let (folder, mode) = if shown { (&self.shown, 0o644) } else { (&self.own, 0o600) };
        put(folder, name, bytes, mode)
            .map_err(|source| PlaceError::Io { path: folder.join(name), source })
    }

    fn remove(&self, path: PathBuf) -> Result<(), PlaceError> {
        remove(&path).map_err(|source| PlaceError::Io { path, source })
    }

    /// The model on trial, where there is one that can be asked.
    ///
    /// # Errors
    /// [`PlaceError`]
    pub fn challenger(&self) -> Result<Option<Model>, PlaceError> {
        let path = self.own.join(CHALLENGER);
        let Some(bytes) = self.archive(&path)? else { return Ok(None) };
        let model = Model::from_bytes(&bytes);
        model.map(Some).map_err(|source| PlaceError::Model { path, source: Box::new(source) })
    }

    fn archive(&self, path: &std::path::Path) -> Result<Option<Vec<u8>>, PlaceError> {
        own(path, MAX_ARCHIVE_BYTES)
            .map_err(|source| PlaceError::Io { path: path.to_owned(), source })
    }

    /// Puts a model on trial: `bytes` of the file at `path`, beside the model `in_use`.
    ///
    /// # Errors
    /// [`PlaceError::Before`] for one that was tried before or is in use; [`PlaceError::Model`],
    /// [`PlaceError::Io`].
    pub fn take(
        &self,
        state: &mut HomeState,
        path: &std::path::Path,
        bytes: &[u8],
        in_use: &str,
        now: i64,
    ) -> Result<(), PlaceError> {
        let fault = |source| PlaceError::Model { path: path.to_owned(), source: Box::new(source) };
        let model = Model::from_bytes(bytes).map_err(fault)?.metadata.identity();
        if model == in_use || state.refused.contains(&model) {
            return Err(PlaceError::Before(model));
        }
        let mut next = state.clone();
        next.challengers = next.challengers.saturating_add(1);
        next.challenger = Some(Challenger { model, since: now });
        self.put(false, CHALLENGER, bytes)?;
        self.keep(&next)?;
        *state = next;
        Ok(())
    }

    /// Ends the trial: this model is not tried again.
    ///
    /// # Errors
    /// [`PlaceError::Io`].
    pub fn refuse(&self, state: &mut HomeState) -> Result<(), PlaceError> {
        if let Some(challenger) = state.challenger.take() {
            refuse(state, challenger.model);
        }
        self.keep(state)?;
        self.remove(self.own.join(CHALLENGER))
    }

    /// The model on trial is in use from now on; the one before is kept.
    ///
    /// # Errors
    /// [`PlaceError`]
    pub fn install(&self, state: &mut HomeState, now: i64) -> Result<(), PlaceError> {
        let path = self.own.join(CHALLENGER);
        let (Some(challenger), Some(bytes)) = (state.challenger.clone(), self.archive(&path)?)
        else {
            return Err(PlaceError::Nothing);
        };
        match self.archive(&self.shown.join(MODEL))? {
            Some(former) => self.put(false, FORMER, &former)?,
            // The one before was not the advisor's.
            None => self.remove(self.own.join(FORMER))?,
        }
        let mut next = state.clone();
        (next.challenger, next.installed) = (None, Some(challenger.model.clone()));
        next.in_use_since = now;
        refuse(&mut next, challenger.model);
        // What is known is kept first: a model of which nothing is known cannot be taken back.
        self.keep(&next)?;
        *state = next;
        self.show(MODEL, &bytes)?;
        self.remove(path)
    }

    /// Takes the installed model back: the one before is in use again, and this one is not installed
    /// any more.
    ///
    /// # Errors
    /// [`PlaceError::Nothing`] where none was installed; [`PlaceError::Io`].
    pub fn roll_back(&self, state: &mut HomeState, now: i64) -> Result<String, PlaceError> {
        let Some(model) = state.installed.take() else { return Err(PlaceError::Nothing) };
        let former = self.own.join(FORMER);
        match self.archive(&former)? {
            Some(bytes) => self.show(MODEL, &bytes)?,
            None => self.remove(self.shown.join(MODEL))?,
        }
        refuse(state, model.clone());
        state.in_use_since = now;
        self.keep(state)?;
        self.remove(former)?;
        Ok(model)
    }

    /// The calibration in the folder is of no use any more.
    ///
    /// # Errors
    /// [`PlaceError::Io`].
    pub fn drop_calibration(&self) -> Result<(), PlaceError> {
        self.remove(self.shown.join(CALIBRATION))
    }
}

fn refuse(state: &mut HomeState, model: String) {
    if !state.refused.contains(&model) {
        state.refused.push(model);
    }
    let over = state.refused.len().saturating_sub(REFUSED);
    state.refused.drain(..over);
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
