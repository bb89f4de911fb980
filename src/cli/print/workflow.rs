//! `-workflow`: failed runs by cause and place, as a table.

use std::io::{self, Write};

use super::Page;
use super::plain_table::lines;
use super::times::length;
use super::wrap::{cut, wrap};
use crate::text::{classad_quote, plural, strip_control};
use crate::workflow::{Matrix, Progress, Suspect, View};

/// Causes that have a column of their own; the others share one.
const CAUSES: usize = 8;

/// The widest a place is printed without `-wide`.
const PLACE: usize = 32;

/// Blocks that are printed: the darker, the larger the share of the runs that failed so.
const SHADES: [char; 4] = [' ', '░', '▒', '▓'];

pub(in crate::cli) fn print(out: &mut dyn Write, view: &View, page: &Page) -> io::Result<()> {
    let columns = page.style.columns;
    if view.jobs == 0 {
        return writeln!(out, "No jobs: the logs have none of those asked about.");
    }
    let text = format!(
        "{}, {}: {} succeeded, {} failed, {} running.",
        plural(view.jobs, "job"),
        plural(view.runs, "run"),
        view.succeeded,
        view.failed,
        view.running
    );
    out.write_all(wrap("", 2, &text, columns).as_bytes())?;
    if !view.matrix.rows.is_empty() {
        writeln!(out)?;
        table(out, &view.matrix, page)?;
    }
    for suspect in &view.suspects {
        out.write_all(wrap("Bad place: ", 2, &sentence(suspect), columns).as_bytes())?;
    }
    if let Some(progress) = &view.progress {
        print_progress(out, progress, page)?;
    }
    writeln!(out)
}

/// Places with their runs, and a column for each cause.
fn table(out: &mut dyn Write, matrix: &Matrix, page: &Page) -> io::Result<()> {
    let shown = matrix.rows.len().min(CAUSES);
    let causes = (1..=shown).map(|number| format!("[{number}]"));
    let others = (matrix.rows.len() > shown).then(|| "OTHER".to_owned());
    let first = ["PLACE", "RUNS", "OK", "FAILED"].map(str::to_owned);
    let heading = first.into_iter().chain(causes).chain(others.clone());
    let rows = matrix.columns.iter().enumerate().map(|(at, column)| {
        let name = match column.name.as_str() {
            "" => "not known".to_owned(),
            name if column.places > 1 => format!("{} ({})", strip_control(name), column.places),
            name => strip_control(name).into_owned(),
        };
        let name = if page.style.table.is_some() { cut(&name, PLACE) } else { name };
        let ended = column.succeeded + column.failed;
        let runs = ended + column.running;
        let cell = |count: usize| match count {
            0 => "-".to_owned(),
            count => format!("{} {count}", shade(count, ended)),
        };
        let of = |row: &crate::workflow::Row| row.counts.get(at).copied().unwrap_or(0);
        let counts = matrix.rows.iter().take(shown).map(of);
        let rest: usize = matrix.rows.iter().skip(shown).map(of).sum();
        let rest = others.as_ref().map(|_| rest);
        let numbers = [runs, column.succeeded, column.failed].map(|number| number.to_string());
        let cells = counts.chain(rest).map(cell);
        std::iter::once(name).chain(numbers).chain(cells).collect::<Vec<_>>()
    });
    for line in lines(heading, rows, 2, |index| index > 0) {
        writeln!(out, "{line}")?;
    }
    for (number, row) in matrix.rows.iter().take(shown).enumerate() {
        writeln!(out, "[{}] {}", number + 1, row.cause.name())?;
    }
    Ok(())
}

fn shade(count: usize, ended: usize) -> char {
    let step = (4 * count).div_ceil(ended.max(1)).saturating_sub(1);
    SHADES[step.min(SHADES.len() - 1)]
}

/// Why a place is suspected, and what keeps jobs off it.
fn sentence(suspect: &Suspect) -> String {
    let place = strip_control(&suspect.place);
    let attribute = if suspect.is_site { "GLIDEIN_Site" } else { "Machine" };
    let fast = suspect.black_hole.map_or(String::new(), |(failure, success)| {
        format!(
            " It fails them within {}, others take {}: it draws more jobs than its share.",
            length(failure),
            length(success)
        )
    });
    let avoid = classad_quote(&suspect.place).map_or(String::new(), |quoted| {
        format!(" To keep jobs off it, add to requirements: {attribute} =!= {quoted}.")
    });
    format!(
        "{place}: {} of {} failed ({}), elsewhere {} of {}.{fast}{avoid}",
        suspect.failed,
        plural(suspect.ended, "run"),
        suspect.cause.name(),
        suspect.failed_elsewhere,
        suspect.ended_elsewhere
    )
}

fn print_progress(out: &mut dyn Write, progress: &Progress, page: &Page) -> io::Result<()> {
    let counts = progress.counts.iter().map(|(state, count)| format!("{count} {}", state.name()));
    let text = format!("{}.", counts.collect::<Vec<_>>().join(", "));
    out.write_all(wrap("DAG: nodes ", 2, &text, page.style.columns).as_bytes())?;
    for blocker in &progress.blockers {
        let jobs: Vec<String> = blocker.jobs.iter().map(ToString::to_string).collect();
        let jobs =
            if jobs.len() > 3 { String::new() } else { format!(" (job {})", jobs.join(", ")) };
        let text = format!(
            "{}{jobs} is {}; waiting for it: {}.",
            strip_control(&blocker.node),
            blocker.state.name(),
            plural(blocker.waiting, "node")
        );
        out.write_all(wrap("Blocked: ", 2, &text, page.style.columns).as_bytes())?;
    }
    Ok(())
}
