//! Files and folders that the sweep file names, relative to its own folder.

use std::path::{Path, PathBuf};

use glob::Pattern;

use super::section::Value;

/// Most files that a pattern may stand for.
const MOST_MATCHES: usize = 10_000;

/// Rotations that HTCondor may keep of a log; a greater number at the end of a name is a date.
const MOST_ROTATIONS: u32 = 999;

/// What a path must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A file.
    File,
    /// A log, or a folder of logs.
    Logs,
    /// A folder.
    Folder,
}

impl Wanted {
    fn is(self, path: &Path) -> bool {
        match self {
            Self::File => path.is_file(),
            Self::Logs => path.is_file() || path.is_dir(),
            Self::Folder => path.is_dir(),
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::File | Self::Logs => "file",
            Self::Folder => "folder",
        }
    }
}

/// One file or folder that must be there.
pub(super) fn one(value: &Value<'_>, wanted: Wanted, folder: &Path) -> Option<PathBuf> {
    let path = folder.join(&value.text()?);
    if wanted.is(&path) {
        return Some(path);
    }
    value.error(absent(wanted, &path));
    None
}

/// The files or folders that a list names, each by itself or by a pattern; logs of one name the
/// oldest first.
pub(super) fn many(value: &Value<'_>, wanted: Wanted, folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for item in value.list() {
        let Some(text) = item.text() else { continue };
        let found = matching(&text, wanted, folder).unwrap_or_else(|error| {
            item.error(error);
            Vec::new()
        });
        for path in found {
            if paths.contains(&path) {
                let text = format!("{}: {} is named twice", item.name, path.display());
                item.problems.note(item.node.at, text);
            } else {
                paths.push(path);
            }
        }
    }
    paths
}

fn matching(text: &str, wanted: Wanted, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let path = folder.join(text);
    if wanted.is(&path) {
        return Ok(vec![path]);
    }
    let noun = wanted.noun();
    if !text.contains(['*', '?', '[']) {
        return Err(absent(wanted, &path));
    }
    let pattern = if Path::new(text).is_absolute() {
        text.to_owned()
    } else {
        format!("{}/{text}", Pattern::escape(&folder.to_string_lossy()))
    };
    let found = glob::glob(&pattern).map_err(|error| format!("`{text}` is no pattern: {error}"))?;
    let found = found.filter_map(Result::ok).filter(|path| wanted.is(path));
    let mut found: Vec<PathBuf> = found.take(MOST_MATCHES + 1).collect();
    match found.len() {
        0 => return Err(format!("no {noun} matches {}", path.display())),
        1..=MOST_MATCHES => {}
        _ => return Err(format!("more than {MOST_MATCHES} {noun}s match {}", path.display())),
    }
    found.sort_by_key(|path| age(path));
    Ok(found)
}

fn absent(wanted: Wanted, path: &Path) -> String {
    let (noun, shown) = (wanted.noun(), path.display());
    match path.exists() {
        true => format!("{shown} is no {noun}"),
        false => format!("there is no {noun} {shown}"),
    }
}

/// Sorts rotated logs from old to new: `EventLog.2`, `EventLog.1`, `EventLog.old`, `EventLog`;
/// others by name.
fn age(path: &Path) -> (PathBuf, u8, u32, PathBuf) {
    let whole = path.to_owned();
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let plain = if packed { path.with_extension("") } else { whole.clone() };
    let extension = plain.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let number = extension.parse::<u32>().ok().filter(|number| *number <= MOST_ROTATIONS);
    match (extension, number) {
        (_, Some(number)) => (plain.with_extension(""), 0, u32::MAX - number, whole),
        ("old", None) => (plain.with_extension(""), 1, 0, whole),
        _ => (plain, 2, 0, whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::file::node::read;
    use crate::sweep::file::problems::Problems;

    fn found(folder: &Path, text: &str) -> (Vec<String>, Vec<String>) {
        let root = read(&format!("v: {text}\n")).unwrap();
        let problems = Problems::default();
        let (node, name) = (&root.entries()[0].value, "v".to_owned());
        let paths = many(&Value { node, name, problems: &problems }, Wanted::File, folder);
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        let said = problems.in_order().concat();
        (paths.iter().map(name).collect(), said.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn rotated_logs_come_from_old_to_new() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let names =
            ["EventLog", "EventLog.1", "EventLog.10", "EventLog.2.gz", "EventLog.old", "Other"];
        for name in names {
            std::fs::write(here.join(name), "").unwrap();
        }
        std::fs::create_dir(here.join("EventLog.d")).unwrap();
        let sorted = ["EventLog.10", "EventLog.2.gz", "EventLog.1", "EventLog.old", "EventLog"];
        let (paths, said) = found(here, "'EventLog*'");
        assert_eq!((paths, said.len()), (sorted.map(str::to_owned).to_vec(), 0));
        let absolute = format!("'{}/E*g'", here.display());
        assert_eq!(found(here, &absolute).0, ["EventLog"]);
        let (paths, said) = found(here, "[Other, 'O*']");
        assert_eq!(paths, ["Other"]);
        assert!(said[0].starts_with("1:12: v: ") && said[0].ends_with("Other is named twice"));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let (paths, said) = found(here, "[nowhere, 'x*', '[', 3]");
        assert_eq!((paths.len(), said.len()), (0, 4));
        assert_eq!(said[0], format!("1:5: v: there is no file {}", here.join("nowhere").display()));
        assert_eq!(said[1], format!("1:14: v: no file matches {}", here.join("x*").display()));
        assert!(said[2].starts_with("1:20: v: `[` is no pattern: "), "{said:?}");
        let (_, said) = found(here.parent().unwrap(), here.file_name().unwrap().to_str().unwrap());
        assert!(said[0].ends_with("is no file"), "{said:?}");
    }
}
