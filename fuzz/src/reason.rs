//! Hold reasons.

use holdadvise::advice::{SharedCause, meaning};
use holdadvise::catalogue::{self, HoldText};
use holdadvise::history::reason::{self, MAX_REASON};
use holdadvise::text::is_fit;

/// Any text as a hold reason: what is taken out of it is bounded and fit to print.
pub fn hold_reason(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let canonical = reason::canonical(&text);
    assert!(canonical.len() <= MAX_REASON && !canonical.contains(['\n', '\r']), "{text:?}");
    let normalised = reason::normalised(&text);
    assert!(normalised.len() <= 1024 && is_fit(&normalised), "{text:?}: {normalised:?}");
    for word in reason::words(&text) {
        assert!(!word.is_empty() && word.len() <= 40, "{text:?}: {word:?}");
    }
    let parts = [
        reason::url(&text),
        reason::url_or_file(&text),
        reason::file_name(&text),
        reason::directory(&text),
        reason::file_server(&text),
        reason::place(&text),
    ];
    for part in parts.into_iter().flatten() {
        assert!(!part.is_empty() && part.len() <= MAX_REASON + 32, "{text:?}: {part:?}");
    }
    let _ = (reason::host(&text), reason::machine(&text), reason::side(&text));
    let _ =
        (reason::files(&text), catalogue::read(&HoldText { reason: &text, ..HoldText::default() }));
    for (code, subcode) in [(3, 0), (6, 2), (12, 2), (13, 256), (21, 0), (26, 0), (34, 102)] {
        let _ = holdadvise::sizes::Resource::of_hold(code, Some(subcode), &text);
        let _ = meaning::usual_change(code, Some(subcode), &text);
        let _ = SharedCause::of(code, subcode, &text);
    }
}
