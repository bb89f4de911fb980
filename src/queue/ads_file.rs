//! Held jobs and epoch ads out of files.

use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use classads::ClassAd;

use super::job::{Found, Sorter};
use super::{AdItem, AdProjection, Ads, QueueError, Selection};
use eventlog::input;

/// Bytes read at a time.
const BUFFER: usize = 256 * 1024;

/// Ads handed from reading to sorting at once, and how often that may be ahead.
const BATCH: usize = 64;
const BATCHES: usize = 8;

/// Decides whether an ad is among those a constraint selects.
pub type Filter<'a> = &'a dyn Fn(&ClassAd) -> bool;

/// Reads the held jobs of a file of job ads, compressed or not; `-` is standard input.
///
/// # Errors
/// [`QueueError::Read`] when the file cannot be read, [`QueueError::NotAds`] when nothing in it is
/// an ad.
pub fn held_jobs_of_file(
    path: &Path,
    selection: &Selection,
    filter: Filter<'_>,
    limit: Option<usize>,
    projection: &AdProjection,
) -> Result<Found, QueueError> {
    held_jobs(|| input::reader(path), path, selection, filter, limit, projection)
}

/// Reads the held jobs of a text of job ads, called by this name in what is said of it.
///
/// # Errors
/// [`QueueError::NotAds`] when nothing in it is an ad.
pub fn held_jobs_of_text(
    text: &[u8],
    name: &Path,
    selection: &Selection,
    filter: Filter<'_>,
    limit: Option<usize>,
    projection: &AdProjection,
) -> Result<Found, QueueError> {
    held_jobs(|| Ok(text), name, selection, filter, limit, projection)
}

fn held_jobs<R: Read>(
    open: impl FnOnce() -> io::Result<R> + Send,
    path: &Path,
    selection: &Selection,
    filter: Filter<'_>,
    limit: Option<usize>,
    projection: &AdProjection,
) -> Result<Found, QueueError> {
    let place = display(path);
    let mut sorter = Sorter::new(selection, limit, &place);
    let mut ads = 0;
    let error = |source| QueueError::Read { path: path.to_owned(), source };
    // What a constraint names may refer to any attribute, over several others.
    let whole = selection.constraint.as_ref().map(|_| AdProjection::whole());
    let read = whole.as_ref().unwrap_or(projection);
    // One core reads, another one sorts.
    let (sender, batches) = mpsc::sync_channel::<Vec<AdItem>>(BATCHES);
    thread::scope(|scope| {
        let reading = scope.spawn(move || {
            let mut batch = Vec::new();
            read_ads(open().map_err(error)?, path, read, |item| {
                batch.push(item);
                if batch.len() < BATCH {
                    return ControlFlow::Continue(());
                }
                // The other side takes all there are, unless it panicked.
                match sender.send(std::mem::take(&mut batch)) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            })?;
            let _ = sender.send(batch);
            Ok(())
        });
        for item in batches.into_iter().flatten() {
            ads += usize::from(matches!(item, AdItem::Ad(_)));
            match item {
                AdItem::Ad(mut ad) if filter(&ad) => {
                    if whole.is_some() {
                        projection.cut(&mut ad);
                    }
                    sorter.take(&ad);
                }
                AdItem::Ad(_) => {}
                AdItem::Fault(fault) => sorter.fault(&fault),
            }
        }
        reading.join().unwrap_or_else(|panic| resume_unwind(panic))
    })?;
    Ok(Found { ads: Some(ads), ..sorter.finish() })
}

/// How a path is printed; `-` is standard input.
pub(crate) fn display(path: &Path) -> String {
    if input::is_stdin(path) {
        "standard input".to_owned()
    } else {
        crate::text::printable(&path.display().to_string()).into_owned()
    }
}

/// Hands every ad and fault to `take`, until it breaks; an input with faults only is no input of
/// ads.
pub(super) fn read_ads(
    input: impl Read,
    path: &Path,
    projection: &AdProjection,
    mut take: impl FnMut(AdItem) -> ControlFlow<()>,
) -> Result<(), QueueError> {
    let error = |source| QueueError::Read { path: path.to_owned(), source };
    let mut any = false;
    let mut first = None;
    for item in Ads::new(BufReader::with_capacity(BUFFER, input), projection).map_err(error)? {
        let item = item.map_err(error)?;
        match &item {
            // Events have lines with attributes too.
            AdItem::Ad(ad) => any |= ad.contains("ClusterId"),
            AdItem::Fault(fault) if first.is_none() => first = Some(fault.clone()),
            AdItem::Fault(_) => {}
        }
        if take(item).is_break() {
            break;
        }
    }
    match first {
        Some(fault) if !any => Err(QueueError::NotAds {
            path: path.to_owned(),
            expected: format!(
                "{fault}; expected what condor_q -long, -json or -xml writes, no job event log"
            ),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_do_not_hide_good_ads() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("held.ads");
        std::fs::write(
            &path,
            "ClusterId = 1\nProcId = 0\nJobStatus = 5\nHoldReason = \"open\n\nClusterId = 2\nProcId = 0\nJobStatus = 5\n",
        )
        .unwrap();
        let projection = AdProjection::new(crate::history::ATTRIBUTES, None);
        let selection = Selection::default();
        let found = held_jobs_of_file(&path, &selection, &|_| true, None, &projection).unwrap();
        assert_eq!(found.held.len(), 2);
        assert_eq!(found.faults.len(), 1);
        let start = format!("{}: line 4: HoldReason: ", path.display());
        assert!(found.faults[0].starts_with(&start), "{:?}", found.faults);
        let found = held_jobs_of_file(
            &path,
            &selection,
            &|ad| ad.integer("ClusterId") == Some(2),
            Some(1),
            &projection,
        )
        .unwrap();
        assert_eq!(found.held.len(), 1);
    }

    #[test]
    fn files_that_are_no_ads() {
        let dir = tempfile::tempdir().unwrap();
        let projection = AdProjection::new(crate::history::ATTRIBUTES, None);
        let path = dir.path().join("text");
        std::fs::write(&path, "this is a letter\n").unwrap();
        let read = |path: &Path| {
            held_jobs_of_file(path, &Selection::default(), &|_| true, None, &projection)
        };
        let error = read(&path).unwrap_err();
        assert!(matches!(error, QueueError::NotAds { .. }), "{error}");
        assert!(matches!(read(dir.path()), Err(QueueError::Read { .. })));
        let absent = read(&dir.path().join("absent")).unwrap_err();
        assert!(absent.to_string().contains("absent"));
        std::fs::write(&path, "").unwrap();
        assert!(read(&path).unwrap().held.is_empty());
    }
}
