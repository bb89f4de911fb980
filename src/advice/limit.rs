//! What to change about a limit of the job's own that held it.

use super::Held;
use super::changes::edit;
use super::command::Command;
use crate::history::Action;
use crate::policy::{Again, OwnLimit, Raise, Request};
use crate::text::{is_fit, shorten, strip_control};

/// A limit beyond this makes no sense: 30 years in seconds, 900 TiB in MiB.
const MOST: i64 = 1_000_000_000;

/// Characters of a test and of an expression that are shown.
const SHOWN: usize = 120;

/// The limit that held the job: the action that raises it, and when it holds the job again.
///
/// Codes 46 and 47 tell it without an ad; an ad tells whether the limit has been raised since.
pub(super) fn of(held: &Held, code: i32) -> Option<(Action, Again)> {
    match &held.facts.own_limit {
        Some(limit) => Some((action(limit), limit.again)),
        None if matches!(code, 46 | 47) && held.in_queue.is_none() => {
            Some((Action::Other, Again::WhenReached))
        }
        None => None,
    }
}

/// The action that raises the limit.
pub(super) fn action(limit: &OwnLimit) -> Action {
    match limit.raise {
        Raise::Request(Request::Memory) => Action::Memory,
        Raise::Request(Request::Disk) => Action::Disk,
        _ => Action::Other,
    }
}

/// What to change, and the commands that do it.
pub(super) fn change(limit: &OwnLimit) -> (String, Vec<Command>) {
    let policy = strip_control(&limit.policy);
    let tested = tested(limit);
    let again = match limit.again {
        Again::AtOnce => " It would be held again at once.",
        Again::WhenReached => "",
    };
    let text = |what: String| format!("{what}: {tested}.{again}");
    match &limit.raise {
        Raise::Attribute { name, to, .. } if *to > MOST => {
            let name = strip_control(name);
            (text(format!("Correct what {name} is compared with: {to} makes no sense")), Vec::new())
        }
        Raise::Attribute { name, from, to } => (
            text(format!(
                "Raise {} from {} to {to}, or make the job need less",
                strip_control(name),
                number(*from)
            )),
            command(name, &to.to_string()),
        ),
        Raise::Expression { name, text: new } => {
            let what = format!(
                "Raise the limit {} in {}, or make the job need less",
                number(limit.limit),
                strip_control(name)
            );
            (text(what), command(name, new))
        }
        Raise::Request(Request::Cpus) => {
            (text("Raise RequestCpus, or make the job need less".to_owned()), Vec::new())
        }
        _ if policy.starts_with("SYSTEM_") => {
            let what = format!(
                "Make the job need less, or ask the administrator of the access point about {policy}"
            );
            (text(what), Vec::new())
        }
        _ => (text(format!("Raise the limit in {policy}, or make the job need less")), Vec::new()),
    }
}

/// `its periodic_hold tests ..., which came to 11`
fn tested(limit: &OwnLimit) -> String {
    let reached = number(limit.reached);
    if limit.policy == limit.test {
        return format!("the run had {reached} s");
    }
    let test = strip_control(&limit.test);
    let (test, policy) = (shorten(&test, SHOWN), strip_control(&limit.policy));
    format!("{policy} tests {test}, and it came to {reached}")
}

/// No command where a name or text cannot be pasted as it is.
fn command(name: &str, value: &str) -> Vec<Command> {
    if is_fit(name) && is_fit(value) { vec![edit(name, value)] } else { Vec::new() }
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(raise: Raise) -> OwnLimit {
        OwnLimit {
            policy: "PeriodicHold".to_owned(),
            test: "time() - JobCurrentStartDate > RunLimit".to_owned(),
            reached: 11.0,
            limit: 8.0,
            raise,
            again: Again::WhenReached,
        }
    }

    fn told(limit: &OwnLimit) -> (String, Vec<String>) {
        let (text, commands) = change(limit);
        (text, commands.iter().map(|command| command.line("true")).collect())
    }

    #[test]
    fn the_attribute_compared_with_is_edited() {
        let raise = Raise::Attribute { name: "RunLimit".to_owned(), from: 8.0, to: 22 };
        let (text, commands) = told(&limit(raise));
        assert_eq!(
            text,
            "Raise RunLimit from 8 to 22, or make the job need less: PeriodicHold tests \
             time() - JobCurrentStartDate > RunLimit, and it came to 11."
        );
        assert_eq!(commands, ["condor_qedit -constraint true RunLimit 22"]);
    }

    #[test]
    fn an_expression_is_quoted() {
        let text = "Note == \"it's\" && NumJobStarts > 6".to_owned();
        let mut limit = limit(Raise::Expression { name: "PeriodicHold".to_owned(), text });
        limit.again = Again::AtOnce;
        let (text, commands) = told(&limit);
        assert!(text.ends_with("It would be held again at once."), "{text}");
        assert_eq!(
            commands,
            [
                r#"condor_qedit -constraint true PeriodicHold 'Note == "it'\''s" && NumJobStarts > 6'"#
            ]
        );
        let dates = Raise::Attribute { name: "A".to_owned(), from: 1.0, to: i64::MAX };
        let (text, commands) = told(&self::limit(dates));
        assert!(text.contains("makes no sense") && commands.is_empty(), "{text}");
        let hostile = Raise::Expression { name: "A".to_owned(), text: "x > \u{1b}[31m".to_owned() };
        assert!(told(&self::limit(hostile)).1.is_empty());
    }

    #[test]
    fn what_nobody_but_the_administrator_can_raise_has_no_command() {
        let mut limit = limit(Raise::Unknown);
        limit.policy = "SYSTEM_PERIODIC_HOLD_LONG".to_owned();
        let (text, commands) = told(&limit);
        assert!(text.contains("administrator") && commands.is_empty(), "{text}");
    }
}
