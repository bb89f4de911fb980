//! Why: this job's history, what like holds came to, and what goes on around it, one sentence each.

use super::Spent;
use super::meaning::code_of_transfer;
use crate::features::{Neighbourhood, Scope};
use crate::history::{AdFacts, Episode, EventLogView, Exit, JobHistory, What};
use crate::hold_code::{Cause, cause_of};
use crate::text::{plural, shorten, strip_control};

/// Characters of a name that are quoted in a sentence.
const NAME: usize = 60;

/// The sentences, the most telling first.
pub(super) fn sentences(
    hold: &Episode,
    job: Option<&JobHistory>,
    neighbourhoods: &[Neighbourhood],
    spent: &Spent,
    event_log: EventLogView,
    now: i64,
) -> Vec<String> {
    let is_text = |near: &Neighbourhood| {
        matches!(near.scope, Scope::Server | Scope::File) && !is_about_files(hold)
    };
    let neighbourhoods: Vec<&Neighbourhood> =
        neighbourhoods.iter().filter(|near| !is_text(near)).collect();
    let mut said = Vec::new();
    said.extend(around(&neighbourhoods, hold, event_log, now));
    said.extend(released_since(&neighbourhoods, hold));
    said.extend(like_holds(&neighbourhoods, hold, now));
    said.extend(job.and_then(|job| own_history(hold, job)));
    said.extend(hours(spent));
    said.extend(job.and_then(|job| job.ad_at(now)).and_then(memory));
    said
}

/// A span of time in the largest unit that fits.
pub(super) fn span(seconds: i64) -> String {
    let (number, unit) = match seconds.max(0) {
        s if s < 60 => (s, "second"),
        s if s < 3_600 => (s / 60, "minute"),
        s if s < 2 * 86_400 => (s / 3_600, "hour"),
        s => (s / 86_400, "day"),
    };
    plural(number, unit)
}
fn jobs(number: usize) -> String {
    plural(number, "other job")
}

fn named(neighbourhood: &Neighbourhood, hold: &Episode) -> String {
    let name = neighbourhood.name.as_deref().map(strip_control).filter(|name| !name.is_empty());
    let name = name.as_deref().map(|name| shorten(name, NAME));
    // What could not be read was an input; any other path in a reason is only named there.
    let reason = hold.reason.as_deref().unwrap_or_default();
    let reads = matches!(code_of_transfer(hold.identity.code, reason), 8 | 10 | 13 | 14);
    match (neighbourhood.scope, name) {
        (Scope::Cluster, _) => "of this cluster".to_owned(),
        (Scope::Owner, _) => "of this owner".to_owned(),
        (Scope::Site, Some(name)) => format!("at {name}"),
        (Scope::Site, None) => "at the same site".to_owned(),
        (Scope::Server, Some(name)) => format!("with input from {name}"),
        (Scope::Server, None) => "with input from the same file server".to_owned(),
        (Scope::File, Some(name)) if reads => format!("that read {name}"),
        (Scope::File, Some(name)) => format!("with {name} in a hold reason"),
        (Scope::File, None) => "with the same file".to_owned(),
        (Scope::Reason, _) => "with this hold reason".to_owned(),
        (Scope::AccessPoint, _) => "of this access point".to_owned(),
    }
}

/// Whether a hold is about files: a URL or path in the reason of another, as of a policy, is text.
fn is_about_files(hold: &Episode) -> bool {
    matches!(
        cause_of(hold.identity.code),
        Cause::Transfer | Cause::Connection | Cause::FileSystem | Cause::Unknown
    )
}

/// Those of some scopes, in the order of these.
fn closest<'a>(
    neighbourhoods: &'a [&'a Neighbourhood],
    scopes: &'a [Scope],
) -> impl Iterator<Item = &'a Neighbourhood> {
    scopes.iter().filter_map(|&scope| neighbourhoods.iter().copied().find(|n| n.scope == scope))
}

/// What goes on around the job: the closest scope in which others got through, and the one in which they are held.
fn around(
    neighbourhoods: &[&Neighbourhood],
    hold: &Episode,
    event_log: EventLogView,
    now: i64,
) -> Vec<String> {
    const CLOSEST: [Scope; 6] = [
        Scope::File,
        Scope::Server,
        Scope::Cluster,
        Scope::Reason,
        Scope::Site,
        Scope::AccessPoint,
    ];
    let mut said = Vec::new();
    if let Some(through) = closest(neighbourhoods, &CLOSEST).find(|n| n.started_since > 0) {
        let ago = through
            .last_started
            .map_or(String::new(), |last| format!(", the last {} ago", span(now - last)));
        said.push(format!(
            "{} {} began to execute since this hold{ago}.",
            jobs(through.started_since),
            named(through, hold)
        ));
    } else if event_log == EventLogView::Whole
        && let Some(near) = closest(neighbourhoods, &[Scope::Server, Scope::Cluster]).next()
    {
        // Only the event log shows that nothing happened.
        let held = span(now - hold.held_at);
        said.push(format!(
            "No other job {} began to execute in the {held} since this hold.",
            named(near, hold)
        ));
    }
    if let Some(held) = closest(neighbourhoods, &CLOSEST).find(|n| n.held_now_same_code > 0) {
        let are = if held.held_now_same_code == 1 { "is" } else { "are" };
        said.push(format!(
            "{} {} {are} held for code {} now.",
            jobs(held.held_now_same_code),
            named(held, hold),
            hold.identity.code
        ));
    }
    said
}

/// Scopes in which releases are counted, the closest first.
const LIKE: [Scope; 6] =
    [Scope::Cluster, Scope::Reason, Scope::File, Scope::Server, Scope::Site, Scope::AccessPoint];

/// Scopes that one sentence tells of.
const SCOPES: usize = 3;

/// The closest scopes that have results, with these; a wider one that has no more than the one before tells nothing.
fn with_results<'a>(
    neighbourhoods: &'a [&'a Neighbourhood],
    scopes: &'a [Scope],
    results: impl Fn(&Neighbourhood) -> (usize, usize),
) -> Vec<(&'a Neighbourhood, (usize, usize))> {
    let mut counted: Vec<(&Neighbourhood, (usize, usize))> = Vec::new();
    for near in closest(neighbourhoods, scopes) {
        let of = results(near);
        if of != (0, 0) && counted.last().is_none_or(|(_, last)| *last != of) {
            counted.push((near, of));
        }
    }
    counted.truncate(SCOPES);
    counted
}

/// What releases from the same code and subcode have come to since this hold, in the closest scopes that have any.
fn released_since(neighbourhoods: &[&Neighbourhood], hold: &Episode) -> Option<String> {
    const CLOSEST: [Scope; 4] = [Scope::Reason, Scope::Cluster, Scope::Server, Scope::Site];
    let counted = with_results(neighbourhoods, &CLOSEST, |near| near.released_since);
    let each: Vec<String> = counted
        .iter()
        .map(|&(near, (successes, failures))| {
            let came = match (successes, failures) {
                (_, 0) => format!("{successes} finished"),
                (0, _) => format!("{failures} failed or went on hold again"),
                _ => format!("{successes} finished, {failures} failed or went on hold again"),
            };
            format!("other jobs {}: {came}", named(near, hold))
        })
        .collect();
    (!each.is_empty()).then(|| {
        format!("Releases from such a hold that ended since this hold: {}.", each.join("; "))
    })
}

/// What releases from the same code and subcode came to, in the closest scopes that have any, and since when that is known.
fn like_holds(neighbourhoods: &[&Neighbourhood], hold: &Episode, now: i64) -> Vec<String> {
    let mut said = Vec::new();
    let (code, subcode) = (hold.identity.code, hold.identity.subcode);
    for (results, how) in [
        (Neighbourhood::as_is as fn(&Neighbourhood) -> (usize, usize), "without a known edit"),
        (Neighbourhood::changed, "after an edit"),
    ] {
        // What was edited is known a little after the outcome: until then the counts would be of two times.
        let settled =
            |near: &Neighbourhood| if near.outcomes_pending { (0, 0) } else { results(near) };
        let counted = with_results(neighbourhoods, &LIKE, settled);
        let shares: Vec<String> = counted
            .iter()
            .map(|&(near, (successes, failures))| {
                format!("{successes} of {} among jobs {}", successes + failures, named(near, hold))
            })
            .collect();
        if !shares.is_empty() {
            let first = counted.iter().filter_map(|(near, _)| near.first_outcome).min();
            let since = first
                .map_or(String::new(), |first| format!("; the first {} ago", span(now - first)));
            said.push(format!(
                "Releases from code {code}/{subcode} {how} that ended in success: {}{since}.",
                shares.join(", ")
            ));
        }
    }
    said
}

/// Slot hours from which on they are worth a word.
const WORTH_TELLING: f64 = 0.5;

/// What a run of it costs, and what all have cost.
fn hours(spent: &Spent) -> Option<String> {
    let run = spent.run.filter(|run| *run >= WORTH_TELLING)?;
    let all = if spent.total > run * 1.05 {
        format!(" ({} in all its runs)", slot_hours(spent.total))
    } else {
        String::new()
    };
    Some(format!(
        "A run of it takes {} until it is held{all}: a failed release burns as much.",
        slot_hours(run)
    ))
}

fn slot_hours(hours: f64) -> String {
    if hours < 9.95 { format!("{hours:.1} slot hours") } else { format!("{hours:.0} slot hours") }
}

fn own_history(hold: &Episode, job: &JobHistory) -> Option<String> {
    let steps = &job.steps[..hold.step.map_or(0, |step| step.min(job.steps.len()))];
    if steps.is_empty() {
        return None;
    }
    let count =
        |wanted: fn(&What) -> bool| steps.iter().filter(|step| wanted(&step.what)).count() as i64;
    let starts = count(|what| matches!(what, What::Executing(_)));
    let holds = count(|what| matches!(what, What::Held(_)));
    let failed = count(|what| matches!(what, What::Terminated(Exit::Code(_) | Exit::Signal(_))));
    let mut said = match starts {
        0 => "This job has never begun to execute".to_owned(),
        n => format!("This job began to execute {}", plural(n, "time")),
    };
    // NumHolds of the ad may count more than a log that begins late, and one hold twice.
    match hold.identity.num_holds == holds + 1 {
        _ if holds == 0 => {}
        true => said.push_str(&format!(", and was held {} before", plural(holds, "time"))),
        false => {
            said.push_str(&format!("; its log shows {} before this one", plural(holds, "hold")));
        }
    }
    if failed > 0 {
        said.push_str(&format!("; {failed} of its runs failed"));
    }
    said.push('.');
    Some(said)
}

fn memory(ad: &AdFacts) -> Option<String> {
    let (used, given) = (ad.memory_usage?, ad.memory_provisioned.filter(|given| *given > 0.0)?);
    Some(format!(
        "Its last run used {used:.0} of {given:.0} MiB of memory ({:.0} %).",
        used / given * 100.0
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_told_once_they_weigh() {
        let sentence = |run: f64, total: f64| hours(&Spent { run: Some(run), total });
        assert_eq!(sentence(0.01, 3.0), None);
        assert_eq!(hours(&Spent::default()), None);
        assert_eq!(
            sentence(20.0, 20.1).unwrap(),
            "A run of it takes 20 slot hours until it is held: a failed release burns as much."
        );
        assert_eq!(
            sentence(1.5, 61.0).unwrap(),
            "A run of it takes 1.5 slot hours until it is held (61 slot hours in all its runs): a failed release \
             burns as much."
        );
    }

    #[test]
    fn spans_of_time() {
        assert_eq!(span(-3), "0 seconds");
        assert_eq!(span(60), "1 minute");
        assert_eq!(span(7_200), "2 hours");
        assert_eq!(span(200_000), "2 days");
    }
}
