//! Entries that a site or a user adds to the catalogue.

use std::collections::HashSet;
use std::fs::read_dir;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use directories::BaseDirs;
use rustix::process::geteuid;

use super::Config;
use super::model_file::opened;
use crate::catalogue::{self, Entry};
use crate::private::is_absent;

/// The setting that names files and folders of entries.
const SETTING: &str = "HOLDADVISE_CATALOGUE";

/// The administrator's folder.
const SYSTEM: &str = "/etc/condor/holdadvise/catalogue.d";

/// Bytes of a file that are read. Assumed: a thousand entries.
const LONGEST: u64 = 1 << 20;

/// Bytes of all files together. Assumed.
const LONGEST_ALL: usize = 4 << 20;

/// Reads the entries of the site, and as far as this is not root those of the user, before the first
/// text is read: once in a process. Entries that are not used are said among [`Config::faults`].
pub fn read_catalogue(config: &Config) {
    static FAULTS: OnceLock<Vec<String>> = OnceLock::new();
    let faults = FAULTS.get_or_init(|| {
        let (entries, faults) = entries(config);
        catalogue::install(entries);
        faults
    });
    faults.iter().for_each(|fault| config.refuse(fault.clone()));
}

/// The entries of all files, and what is not used, a line each.
fn entries(config: &Config) -> (Vec<Entry>, Vec<String>) {
    let (mut entries, mut faults): (Vec<Entry>, Vec<String>) = Default::default();
    let (mut names, mut left) = (HashSet::new(), LONGEST_ALL);
    let is_root = geteuid().is_root();
    let named = named(config.path(SETTING), is_root);
    for (place, is_believed) in places(named.as_ref(), is_root) {
        for file in files(&place) {
            if left == 0 {
                break;
            }
            let text = match read(&file, is_believed) {
                Ok(text) if text.len() <= left => {
                    left -= text.len();
                    text
                }
                Ok(_) => {
                    faults.push(format!(
                        "catalogue file {} and what comes after it are not used: all files \
                         together have more than {LONGEST_ALL} bytes",
                        file.display()
                    ));
                    left = 0;
                    continue;
                }
                Err(error) if is_absent(&error) && named.is_none() => continue,
                Err(error) => {
                    faults.push(format!("catalogue file {} is not used: {error}", file.display()));
                    continue;
                }
            };
            let (found, problems) = catalogue::parse(&file.display().to_string(), &text);
            faults.extend(problems.iter().map(|problem| format!("{problem}; it is not used")));
            for entry in found {
                match names.insert(entry.name.clone()) {
                    true => entries.push(Entry { of_site: true, ..entry }),
                    false => faults.push(format!(
                        "{}, line {}: entry {} is not used: a file before has one of this name",
                        entry.place.0, entry.place.1, entry.name
                    )),
                }
            }
        }
    }
    (entries, faults)
}

/// What the setting names, for root only that of the administrator.
fn named(setting: Option<(PathBuf, bool)>, is_root: bool) -> Option<(PathBuf, bool)> {
    setting.filter(|(_, is_of_pool)| *is_of_pool || !is_root)
}

/// Files and folders, those that are named or the usual ones, and whether what is there is believed,
/// whosever it is.
fn places(named: Option<&(PathBuf, bool)>, is_root: bool) -> Vec<(PathBuf, bool)> {
    if let Some((list, is_of_pool)) = named {
        let list = list.to_string_lossy();
        let list = list.split(':').map(str::trim).filter(|place| !place.is_empty());
        return list.map(|place| (PathBuf::from(place), *is_of_pool)).collect();
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
    paths
}

/// A file of entries.
pub(crate) fn read(path: &Path, is_believed: bool) -> io::Result<String> {
    let mut text = String::new();
    opened(path, is_believed)?.take(LONGEST + 1).read_to_string(&mut text)?;
    match text.len() as u64 > LONGEST {
        true => Err(io::Error::other(format!("it has more than {LONGEST} bytes"))),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places where the setting, if any, is of the administrator or not.
    fn places_of(setting: Option<(&str, bool)>, is_root: bool) -> Vec<(PathBuf, bool)> {
        let setting = setting.map(|(list, is_of_pool)| (PathBuf::from(list), is_of_pool));
        places(named(setting, is_root).as_ref(), is_root)
    }

    #[test]
    fn root_reads_what_the_administrator_named_alone() {
        let system = [(PathBuf::from(SYSTEM), false)];
        assert_eq!(places_of(None, true), system);
        assert_eq!(places_of(Some(("/home/alice/x", false)), true), system);
        let of_pool = Some(("/a : /b/c.toml:", true));
        let named = [("/a", true), ("/b/c.toml", true)].map(|(at, of)| (PathBuf::from(at), of));
        for is_root in [true, false] {
            assert_eq!(places_of(of_pool, is_root), named);
        }
        assert_eq!(places_of(Some(("x", false)), false), [(PathBuf::from("x"), false)]);
        let home = BaseDirs::new().unwrap().home_dir().to_owned();
        let usual = places_of(None, false);
        assert!(usual.len() > 1 && usual[1].0.starts_with(home), "{usual:?}");
    }
}
