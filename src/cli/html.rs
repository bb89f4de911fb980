//! `-html`: a page of advice, in the place of one that was written before.

use eventlog::system_zone;
use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::RunError;
use crate::inquiry::Inquiry;
use crate::print::is_page;
use crate::queue::display_path;
use crate::sentences::times::minute;
use crate::text::shown;

/// Bytes of a page: more than any has.
const LONGEST: u64 = 256 << 20;

/// Characters of a constraint that are printed.
const CONSTRAINT: usize = 300;

/// Writes a page.
pub(super) fn write(path: &Path, page: &str) -> Result<(), RunError> {
    replace(path, page).map_err(|source| failed(path, &source))
}

/// Nothing is judged for a page that cannot be written.
///
/// # Errors
/// Another file is there.
pub(super) fn check(path: &Path) -> Result<(), RunError> {
    permissions(path).map(drop).map_err(|source| failed(path, &source))
}

fn failed(path: &Path, source: &io::Error) -> RunError {
    RunError::failed(format!("-html {}: {source}", path.display()))
}

/// What a page is about.
pub(super) fn about(inquiry: &Inquiry, now: i64) -> String {
    let selection = &inquiry.selection;
    let jobs: Vec<String> = selection.jobs.iter().map(ToString::to_string).collect();
    let jobs = match (&inquiry.dag, &selection.constraint) {
        (Some(dag), _) => format!("Jobs of the DAG {}", display_path(&dag.path)),
        (None, Some(constraint)) => {
            format!("Jobs with -constraint {}", shown(constraint, CONSTRAINT))
        }
        _ if !jobs.is_empty() => format!("Jobs of {}", shown(&jobs.join(", "), CONSTRAINT)),
        _ if selection.all_users => "Jobs of all users".to_owned(),
        _ if inquiry.is_offline() => "Jobs of the files and logs named".to_owned(),
        _ => "Your jobs".to_owned(),
    };
    format!("{jobs}, {}.", minute(now, &system_zone()))
}

/// Nothing but a page of this program is replaced. The permissions of one that is.
///
/// # Errors
/// Another file is there.
fn permissions(path: &Path) -> io::Result<Option<Permissions>> {
    let other =
        || io::Error::other("the file is there and no page of this program; give another name");
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(other()),
        Err(error) => return Err(error),
    }
    let file = eventlog::input::open_regular(path)?;
    let permissions = file.metadata()?.permissions();
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text)?;
    if is_page(&String::from_utf8_lossy(&text)) { Ok(Some(permissions)) } else { Err(other()) }
}

/// Writes the page, whole or not at all.
///
/// # Errors
/// Another file is there, or it cannot be written.
fn replace(path: &Path, page: &str) -> io::Result<()> {
    let permissions = permissions(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(page.as_bytes())?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::{Html, Page, Style};

    #[test]
    fn only_a_page_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.html");
        let page = |text: &str| {
            Html::default().page("", text, None, &[], &Page::here(Style::default(), 0))
        };
        let old = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
                   <meta name=\"generator\" content=\"holdadvise\">\n\
                   <title>What is wrong where</title>\n<style>\n</style>\n</body>\n</html>\n";
        fs::write(&path, old).unwrap();
        replace(&path, &page("one")).unwrap();
        replace(&path, &page("two")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), page("two"));
        let other = folder.path().join("thesis.html");
        for text in ["my thesis".to_owned(), page("one") + "mine", format!("mine{}", page("one"))] {
            fs::write(&other, &text).unwrap();
            let error = replace(&other, &page("one")).unwrap_err();
            assert!(error.to_string().contains("no page of this program"), "{error}");
            assert_eq!(fs::read_to_string(&other).unwrap(), text);
        }
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert!(replace(&link, &page("one")).is_err());
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        replace(&path, &page("three")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(replace(folder.path(), &page("one")).is_err());
        assert!(replace(&folder.path().join("no/such"), &page("one")).is_err());
    }
}
