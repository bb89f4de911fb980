//! `holdadvise-train simulate`: the simulator, and how far it is.

use holdadvise_simulate::Arguments;

use crate::Error;
use crate::progress::{Progress, Unit};
use crate::say::say;

/// Runs the subcommand.
///
/// # Errors
/// The preset cannot be read, or a file cannot be written.
pub fn run(options: &Arguments) -> Result<(), Error> {
    let progress = Progress::new("simulating", Unit::Things("days"), options.days.into());
    let summary = options.run(&mut |_| progress.advance(1))?;
    drop(progress);
    say(format_args!("{summary}"));
    Ok(())
}
