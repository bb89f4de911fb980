//! Entries that a site or a user adds to the catalogue.

use std::fs::{File, read_dir};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use directories::BaseDirs;
use rustix::process::geteuid;

use super::Config;
use crate::catalogue::{self, Entry};
use crate::private::{is_absent, open_own};

/// The setting that names files and folders of entries.
const SETTING: &str = "HOLDADVISE_CATALOGUE";

/// The administrator's folder.
const SYSTEM: &str = "/etc/condor/holdadvise/catalogue.d";

/// Bytes of a file that are read. Assumed: a thousand entries.
const LONGEST: u64 = 1 << 20;

/// Files that are read. Assumed.
const FILES: usize = 100;

/// Reads the entries of the site, and as far as this is not root those of the user, before the first
/// text is read. Entries that are not used are said among [`Config::faults`].
pub fn read_catalogue(config: &Config) {
    let mut entries: Vec<Entry> = Vec::new();
    for (place, is_believed) in places(config) {
        for file in files(&place) {
            let text = match read(&file, is_believed) {
                Ok(text) => text,
                Err(error) if is_absent(&error) && config.path(SETTING).is_none() => continue,
                Err(error) => {
                    config
                        .refuse(format!("catalogue file {} is not used: {error}", file.display()));
                    continue;
                }
            };
            let (found, problems) = catalogue::parse(&file.display().to_string(), &text);
            problems.iter().for_each(|problem| config.refuse(format!("{problem}; it is not used")));
            let is_new = |entry: &Entry| entries.iter().all(|known| known.name != entry.name);
            let found: Vec<Entry> = found.into_iter().filter(is_new).collect();
            entries.extend(found.into_iter().map(|entry| Entry { of_site: true, ..entry }));
        }
    }
    catalogue::install(entries);
}

/// Files and folders, and whether what is there is believed, whosever it is.
fn places(config: &Config) -> Vec<(PathBuf, bool)> {
    let is_root = geteuid().is_root();
    if let Some((list, is_of_pool)) =
        config.path(SETTING).filter(|(_, of_pool)| *of_pool || !is_root)
    {
        let list = list.to_string_lossy().into_owned();
        return list.split(':').map(|place| (PathBuf::from(place), is_of_pool)).collect();
    }
    let mut places = vec![(PathBuf::from(SYSTEM), false)];
    if let Some(dirs) = BaseDirs::new().filter(|_| !is_root) {
        places.push((dirs.home_dir().join(".condor/holdadvise/catalogue.d"), false));
        places.push((dirs.config_dir().join("condor-holdadvise/catalogue.d"), false));
    }
    places
}

/// The file, or those of a folder whose names end in `.toml`, by name.
fn files(place: &Path) -> Vec<PathBuf> {
    let Ok(folder) = read_dir(place) else { return vec![place.to_owned()] };
    let paths = folder.filter_map(Result::ok).map(|file| file.path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    paths.sort();
    paths.truncate(FILES);
    paths
}

fn read(path: &Path, is_believed: bool) -> io::Result<String> {
    let file = if is_believed { File::open(path) } else { open_own(path) }?;
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    match text.len() as u64 > LONGEST {
        true => Err(io::Error::other(format!("it has more than {LONGEST} bytes"))),
        false => Ok(text),
    }
}
