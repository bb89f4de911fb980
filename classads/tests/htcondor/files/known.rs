//! What differs on purpose; `docs/quirks.md` says why.

use classads::{ClassAd, Expr, Style};

use crate::judge::context;

/// The text with the zone in each `absTime("...")` that has none: HTCondor adds its own when it reads one.
pub(crate) fn with_zones(text: &str) -> String {
    let mut pieces = text.split("absTime(");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let inside: String = piece
            .trim_start_matches(['\\', '"'])
            .chars()
            .take_while(|character| !matches!(character, '\\' | '"'))
            .collect();
        let value = Expr::parse(&format!("string(absTime(\"{inside}\"))"))
            .map(|expr| ClassAd::new().evaluate_expr(&expr, &context(0)));
        let zoned = value.ok().and_then(|value| value.as_str().map(str::to_owned));
        out.push_str("absTime(");
        out.push_str(&piece.replacen(&inside, &zoned.unwrap_or_else(|| inside.clone()), 1));
    }
    out
}

/// What HTCondor reads of the right side of a `-long` line that is no expression as a whole: the beginning that is one.
pub(crate) fn beginning(raw: &str, htcondor: &str) -> Option<Expr> {
    let ends = raw.char_indices().map(|(at, _)| at);
    ends.filter_map(|end| Expr::parse_old(&raw[..end]).ok())
        .find(|expr| expr.print(Style::New) == htcondor)
}

/// A `-long` ad with names as `condor_q` and the daemons print them: the module puts odd ones into quotes, and HTCondor
/// takes the quotes for a part of the name when it reads them.
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
