//! What differs on purpose; `docs/quirks.md` says why.

use classads::{Expr, Style};

/// What HTCondor reads of the right side of a `-long` line that is no expression as a whole: the
/// beginning that is one.
pub(crate) fn beginning(raw: &str, htcondor: &str) -> Option<Expr> {
    let ends = raw.char_indices().map(|(at, _)| at);
    ends.filter_map(|end| Expr::parse_old(&raw[..end]).ok())
        .find(|expr| expr.print(Style::New) == htcondor)
}

/// A `-long` ad with names as `condor_q` and the daemons print them: the module puts odd ones into
/// quotes, and HTCondor takes the quotes for a part of the name when it reads them.
pub(crate) fn without_quotes(long: &str) -> String {
    let lines = long.split_terminator('\n').map(|line| {
        let quoted = line.strip_prefix('\'').and_then(|rest| rest.split_once("' = "));
        match quoted {
            Some((name, expression)) => format!("{name} = {expression}\n"),
            None => format!("{line}\n"),
        }
    });
    lines.collect()
}
