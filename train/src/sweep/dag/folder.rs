//! The folder of a sweep, written whole or not at all; nothing in it is ever overwritten.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use holdadvise::text::shell_quote;

use super::scripts::scripts;
use super::steps::{self, ARCHITECTURE, CHAMPION, FROM, Kind};
use super::submit::descriptions;
use super::{Request, SHARDS, graph, quote, unusable};
use crate::Error;
use crate::output::{self, FileError};
use crate::sweep::plan::Plan;

/// Writes the folder; what was made, in words.
///
/// # Errors
/// When the plan makes no DAG, a name cannot stand in it, the folder is not empty, or a file cannot
/// be written.
pub fn write(request: &Request<'_>, folder: &Path) -> Result<String, Error> {
    let plan = request.plan;
    let steps = steps::steps(plan, request.shards)?;
    let mut json = serde_json::to_vec_pretty(plan)?;
    json.push(b'\n');
    let dag = graph::graph(plan, &steps)?;
    let descriptions = descriptions(request)?;
    let scripts = scripts(&plan.program)?;

    transferable(request)?;
    prepare(folder, &json)?;
    let mut writer = Writer { folder };
    for name in ["submit", "program", "rungs", "best", "logs/prepare", "logs/train", "tracking"] {
        writer.folder(Path::new(name))?;
    }
    for setting in &plan.settings {
        writer.folder(&Plan::setting_folder(setting.number))?;
    }
    writer.file(Path::new(SHARDS), &serde_json::to_vec_pretty(request.shards)?)?;
    // The same in all settings.
    for shard in request.shards.get(&1).into_iter().flatten() {
        for file in shard.files.iter().filter(|file| !file.is_plain()) {
            let links = PathBuf::from(format!("prepared/links/{:03}", shard.number));
            writer.folder(&links)?;
            writer.link(&file.path, &links.join(&file.name))?;
        }
    }
    for trial in &plan.trials {
        for rung in &plan.rungs {
            writer.folder(&Plan::rung_folder(trial.number, rung.number))?;
        }
        let data = Path::new("../..").join(Plan::setting_folder(trial.setting));
        writer.link(&data, &Plan::trial_folder(trial.number).join("data"))?;
    }
    for parameters in request.parameters {
        let mut content = serde_json::to_vec(parameters)?;
        content.push(b'\n');
        writer.file(&Plan::trial_folder(parameters.trial).join("parameters.json"), &content)?;
    }
    for (model, name) in
        [(&plan.architecture, ARCHITECTURE), (&plan.champion, CHAMPION), (&plan.from, FROM)]
    {
        if let Some(model) = model {
            writer.file(Path::new(name), &output::read(model)?)?;
        }
    }
    writer.file(Path::new("sweep.yaml"), request.sweep_file)?;
    for (name, content) in descriptions {
        writer.file(Path::new(&format!("submit/{name}.sub")), content.as_bytes())?;
    }
    for (name, content) in scripts {
        writer.program(Path::new(&format!("program/{name}")), content.as_bytes())?;
    }
    if plan.tracking.enabled {
        writer.program(Path::new("program/track.py"), request.track.as_bytes())?;
    }
    writer.file(Path::new("sweep.dag"), dag.as_bytes())?;
    // Last: a folder with it is complete.
    writer.file(Path::new("sweep.json"), &json)?;

    let count = |kind| steps.iter().filter(|step| step.kind == kind).count();
    let (prepare, train) = (count(Kind::Shard) + count(Kind::Merge), count(Kind::Train));
    let (trials, rungs) = (plan.trials.len(), plan.rungs.len());
    let folder = folder.to_string_lossy();
    Ok(format!(
        "{folder}: {trials} trials on {rungs} rungs\n  \
         {prepare} nodes prepare the data, {train} train (those of trials that lost are skipped), \
         {} decide and report\nTo start it:\n  cd {} && condor_submit_dag sweep.dag\n",
        steps.len() - prepare - train + 1,
        shell_quote(&folder)
    ))
}

/// HTCondor does not follow links to folders: one that needs another name cannot be transferred.
fn transferable(request: &Request<'_>) -> Result<(), Error> {
    let mut files = request.shards.get(&1).into_iter().flatten().flat_map(|shard| &shard.files);
    match files.find(|file| !file.is_plain() && file.path.is_dir()) {
        None => Ok(()),
        Some(file) => Err(unusable(
            "folder to transfer",
            &file.path.to_string_lossy(),
            "HTCondor transfers a folder under its own name only, and this one is taken or cannot be listed",
        )),
    }
}

/// Makes the folder, or sees that it is empty.
fn prepare(folder: &Path, json: &[u8]) -> Result<(), Error> {
    let failed = FileError::of(folder);
    quote::path("folder of the sweep", folder)?;
    fs::create_dir_all(folder).map_err(&failed)?;
    let Some(first) = fs::read_dir(folder).map_err(&failed)?.next() else { return Ok(()) };
    let detail = match fs::read(folder.join("sweep.json")) {
        Ok(found) if found == json => {
            "this very sweep is there already. To start it, or to go on after a failure, run `condor_submit_dag sweep.dag` in it: \
             HTCondor finds the rescue DAG, and done nodes are not done again"
                .to_owned()
        }
        Ok(_) => "another sweep is there; give this one a folder of its own".to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = first.map_err(failed)?.file_name();
            format!(
                "it is not empty ({} is in it) and holds no whole sweep; name a folder that is empty or not there",
                name.display()
            )
        }
        Err(error) => return Err(FileError::of(&folder.join("sweep.json"))(error).into()),
    };
    Err(format!("{}: {detail}", folder.display()).into())
}

/// Makes files that are not there yet.
struct Writer<'a> {
    folder: &'a Path,
}

impl Writer<'_> {
    fn folder(&mut self, name: &Path) -> Result<(), Error> {
        let path = self.folder.join(name);
        Ok(fs::create_dir_all(&path).map_err(FileError::of(&path))?)
    }

    fn file(&mut self, name: &Path, content: &[u8]) -> Result<(), Error> {
        let path = self.folder.join(name);
        let written = fs::File::create_new(&path).and_then(|mut file| file.write_all(content));
        Ok(written.map_err(FileError::of(&path))?)
    }

    fn program(&mut self, name: &Path, content: &[u8]) -> Result<(), Error> {
        self.file(name, content)?;
        let path = self.folder.join(name);
        let executable = fs::Permissions::from_mode(0o755);
        Ok(fs::set_permissions(&path, executable).map_err(FileError::of(&path))?)
    }

    fn link(&mut self, to: &Path, name: &Path) -> Result<(), Error> {
        let path = self.folder.join(name);
        Ok(symlink(to, &path).map_err(FileError::of(&path))?)
    }
}
