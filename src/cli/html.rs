//! `-html`: a page of what is wrong where, in the place of one that was written before.

use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use jiff::tz::TimeZone;

use super::gather::{Gathered, Remarks};
use super::print::{minute, page as page_of, page_head};
use super::run::{RunError, show};
use super::{Config, Request};
use crate::page;
use crate::queue::display_path;

/// Bytes of a page: more than any has.
const LONGEST: u64 = 256 << 20;

/// Prints the advice, and writes it into a page with what is wrong where.
pub(super) fn advise(
    path: &Path,
    gathered: Gathered,
    remarks: Remarks,
    request: &Request,
    config: &Config,
    now: i64,
    out: &mut dyn Write,
) -> Result<Option<i64>, RunError> {
    let failed = |source| RunError::Page { path: path.to_owned(), source };
    check(path).map_err(failed)?;
    let mut seen = None;
    let mut text = Vec::new();
    show(gathered, remarks, request, config, now, &mut text, |view, printed| {
        seen = Some((view, printed));
    })?;
    out.write_all(&text)?;
    let (view, printed) = seen.unwrap_or_default();
    let advice = String::from_utf8_lossy(text.get(printed..).unwrap_or_default());
    let text = page_of(&view, &about(request, now), &advice, now);
    write(path, &text).map_err(failed)?;
    Ok(None)
}

/// What a page is about.
fn about(request: &Request, now: i64) -> String {
    let selection = &request.selection;
    let at = minute(now, &TimeZone::system());
    let jobs: Vec<String> = selection.jobs.iter().map(ToString::to_string).collect();
    match (&request.dag, jobs.as_slice()) {
        (Some(dag), _) => format!("Jobs of the DAG {}, {at}.", display_path(&dag.path)),
        (None, []) => format!("Jobs of the logs, {at}."),
        (None, jobs) => format!("Jobs of {}, {at}.", jobs.join(", ")),
    }
}

/// Nothing but a page of this program is replaced. The permissions of one that is.
///
/// # Errors
/// Another file is there.
fn check(path: &Path) -> io::Result<Option<Permissions>> {
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
    let is_ours = text.starts_with(page_head().as_bytes()) && text.ends_with(page::END.as_bytes());
    if is_ours { Ok(Some(permissions)) } else { Err(other()) }
}

/// Writes the page, whole or not at all.
///
/// # Errors
/// Another file is there, or it cannot be written.
fn write(path: &Path, page: &str) -> io::Result<()> {
    let permissions = check(path)?;
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

    #[test]
    fn only_a_page_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.html");
        let page = |text: &str| format!("{}{text}{}", page_head(), page::END);
        write(&path, &page("one")).unwrap();
        write(&path, &page("two")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), page("two"));
        let other = folder.path().join("thesis.html");
        for text in ["my thesis".to_owned(), page("one") + "mine", format!("mine{}", page("one"))] {
            fs::write(&other, &text).unwrap();
            let error = write(&other, &page("one")).unwrap_err();
            assert!(error.to_string().contains("no page of this program"), "{error}");
            assert_eq!(fs::read_to_string(&other).unwrap(), text);
        }
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert!(write(&link, &page("one")).is_err());
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        write(&path, &page("three")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(write(folder.path(), &page("one")).is_err());
        assert!(write(&folder.path().join("no/such"), &page("one")).is_err());
    }
}
