//! ChangeKind to change about a limit of the job's own that held it.

use super::Held;
use super::changes::{Change, ChangeKind, JudgedHold, LimitRaise};
use super::command::Command;
use super::editable::Editable;
use super::figure::Figure;
use super::siblings::LimitSeen;
use crate::history::{Action, JobHistory, Step, What};
use crate::hold_code::{self, About};
use crate::policy::{
    HeldAgain, Measure, OwnLimit, Prediction, Raise, Request, refuses_another_run,
};

/// A limit beyond this makes no sense: 30 years in seconds, 900 TiB in MiB.
const MOST: i64 = 1_000_000_000;

/// The limit that held the job: the action that raises it, and when it holds the job again.
///
/// The code of an allowed duration tells it without an ad; an ad tells whether the limit has been
/// raised since. So does a policy that lets no job run so often, which the reason quotes.
pub(super) fn of(
    held: &Held,
    hold: &JudgedHold<'_>,
    job: Option<&JobHistory>,
) -> Option<(Action, HeldAgain)> {
    if let Some(limit) = &held.facts.own_limit {
        return Some((action(limit), limit.again));
    }
    let will = |will: &Prediction| matches!(will, Prediction::HoldsAgain { .. });
    let began = |step: &&Step| matches!(step.what, What::Executing(_));
    let starts = || job.map_or(0, |job| job.steps.iter().filter(began).count());
    let in_queue = held.in_queue.is_some();
    let again = match hold_code::about(hold.code?)? {
        About::Duration { .. } if !in_queue => HeldAgain::WhenReached,
        About::JobPolicy | About::SystemPolicy
            if match in_queue {
                true => held.htcondor_will.iter().any(will),
                false => refuses_another_run(hold.reason, starts() as i64),
            } =>
        {
            HeldAgain::AtOnce
        }
        _ => return None,
    };
    Some((Action::Other, again))
}

/// The action that raises the limit.
pub(super) fn action(limit: &OwnLimit) -> Action {
    match limit.raise {
        Raise::Request(Request::Memory) => Action::Memory,
        Raise::Request(Request::Disk) => Action::Disk,
        _ => Action::Other,
    }
}

/// ChangeKind to change, and the command that does it: to what like jobs show, where they do.
pub(super) fn change(limit: &OwnLimit, seen: Option<&LimitSeen>, editable: &Editable) -> Change {
    let in_unit = |seconds: f64| match limit.measure {
        Measure::RunTime { unit } => seconds / unit,
        _ => seconds,
    };
    let needed = seen.and_then(LimitSeen::needed_time);
    let took = seen.and_then(LimitSeen::longest).filter(|_| needed.is_some());
    let wanted = needed.map(|seconds| limit.raise.to(limit, in_unit(seconds)));
    let command = |name: &str, old, new: &str| -> Vec<Command> {
        editable.edit(name, old, new).map(Command::Edit).into_iter().collect()
    };
    let (raise, commands) = match wanted.as_ref().unwrap_or(&limit.raise) {
        raise if !is_owners(raise, &limit.policy, editable) => {
            (LimitRaise::Administrator, Vec::new())
        }
        Raise::Attribute { name, to, .. } if *to > MOST => {
            (LimitRaise::Nonsense { name: name.as_str().into(), to: *to }, Vec::new())
        }
        Raise::Attribute { name, from, to } => {
            let old = Some(from.to_string());
            let (from, to) = (Figure::from(*from), Figure::from(*to));
            let commands = command(name, old, &to.to_string());
            (LimitRaise::Attribute { name: name.as_str().into(), from, to }, commands)
        }
        Raise::Expression { name, text, .. } => {
            let (name, limit) = (name.as_str(), limit.limit.into());
            let raise = LimitRaise::Expression { name: name.into(), limit };
            (raise, command(name, None, text))
        }
        Raise::Request(Request::Cpus) => (LimitRaise::Cpus, Vec::new()),
        _ => (LimitRaise::Policy, Vec::new()),
    };
    let what = ChangeKind::Limit {
        policy: limit.policy.clone(),
        test: limit.test.as_str().into(),
        reached: limit.reached.into(),
        at_once: limit.again == HeldAgain::AtOnce,
        finished_after: took.map(|seconds| Figure::from(in_unit(seconds))),
        raise,
    };
    Change::new(what, commands)
}

/// Whether the owner of a job may edit what raises its limit.
fn is_owners(raise: &Raise, policy: &str, editable: &Editable) -> bool {
    match raise {
        Raise::Attribute { name, .. } | Raise::Expression { name, .. } => editable.allows(name),
        Raise::Request(Request::Cpus) => editable.allows("RequestCpus"),
        _ => editable.allows(policy) && !policy.starts_with("SYSTEM_"),
    }
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
            measure: Measure::RunTime { unit: 1.0 },
            raise,
            again: HeldAgain::WhenReached,
        }
    }

    fn said(limit: &OwnLimit) -> (String, Vec<String>) {
        let change = change(limit, None, &Editable::default());
        let text = crate::sentences::change(&change.what);
        (text, change.commands.iter().map(|command| command.line("true")).collect())
    }

    #[test]
    fn the_attribute_compared_with_is_edited() {
        let raise = Raise::Attribute { name: "RunLimit".to_owned(), from: 8.0, to: 22 };
        let (text, commands) = said(&limit(raise));
        assert_eq!(
            text,
            "Raise RunLimit of the job from 8 to 22 (it was at 11 when PeriodicHold, \
             \"time() - JobCurrentStartDate > RunLimit\", held it)."
        );
        assert_eq!(commands, ["condor_qedit -constraint true RunLimit 22"]);
    }

    #[test]
    fn an_expression_is_quoted() {
        let text = "Note == \"it's\" && NumJobStarts > 6".to_owned();
        let (name, number) = ("PeriodicHold".to_owned(), 0..0);
        let mut limit = limit(Raise::Expression { name, text, number });
        limit.again = HeldAgain::AtOnce;
        let (text, commands) = said(&limit);
        assert!(text.ends_with("It would be held again at once."), "{text}");
        assert_eq!(
            commands,
            [
                r#"condor_qedit -constraint true PeriodicHold 'Note == "it'\''s" && NumJobStarts > 6'"#
            ]
        );
        let dates = Raise::Attribute { name: "A".to_owned(), from: 1.0, to: i64::MAX };
        let (text, commands) = said(&self::limit(dates));
        assert!(text.contains("makes no sense") && commands.is_empty(), "{text}");
        let (name, text, number) = ("A".to_owned(), "x > \u{1b}[31m".to_owned(), 0..0);
        let hostile = Raise::Expression { name, text, number };
        assert!(said(&self::limit(hostile)).1.is_empty());
    }

    #[test]
    fn what_nobody_but_the_administrator_can_raise_has_no_command() {
        let mut limit = limit(Raise::Unknown);
        limit.policy = "SYSTEM_PERIODIC_HOLD_LONG".to_owned();
        let (text, commands) = said(&limit);
        assert!(text.contains("administrator") && commands.is_empty(), "{text}");
    }
}
