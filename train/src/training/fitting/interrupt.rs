//! Ctrl-C in a training.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

static CAME: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt ends the training after its epoch, with the checkpoint, and another one
/// at once; without a checkpoint the first does.
pub(crate) fn expect(checkpoint: Option<PathBuf>) {
    let Ok(mut signals) = Signals::new([SIGINT]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            match &checkpoint {
                // The training may end as soon as it came, so what to do is printed before that.
                Some(path) if !came() => {
                    eprintln!(
                        "interrupted: {} is written after this epoch, and the same command goes \
                         on from it; Ctrl-C once more ends it at once",
                        path.display()
                    );
                    CAME.store(true, Ordering::Relaxed);
                }
                Some(_) => _ = emulate_default_handler(signal),
                None => {
                    eprintln!(
                        "interrupted, and nothing is kept: with --checkpoint FILE a training can \
                         be gone on with"
                    );
                    let _ = emulate_default_handler(signal);
                }
            }
        }
    });
}

/// Whether the training is to end after this epoch.
pub(crate) fn came() -> bool {
    CAME.load(Ordering::Relaxed)
}
