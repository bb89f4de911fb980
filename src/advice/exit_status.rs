//! How a program ended, where that names a kind of cause.

use classads::ClassAd;
use schemars::JsonSchema;
use serde::Serialize;

/// An exit status above this is a signal in a shell's words: 128 and its number (POSIX, Shell Command
/// Language, 2.8.2).
const OF_SIGNAL: i64 = 128;

/// How the last run of a job's program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ExitStatus {
    /// ExitCode; `None` where a signal ended it.
    pub code: Option<i64>,
    /// ExitSignal, or the signal that the code of a shell stands for.
    pub signal: Option<i64>,
    /// What that says of the cause.
    pub says: ExitKind,
}

/// What an exit status says of the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum ExitKind {
    /// 126: a command was found and could not be executed (POSIX, Shell Command Language, 2.8.2).
    NotExecutable,
    /// 127: a command was not found.
    NotFound,
    /// SIGABRT: the program gave up, of a failed assertion or an exception that nothing handled.
    Aborted,
    /// SIGKILL: it was ended from outside; the kernel does so for want of memory.
    Killed,
    /// SIGSEGV, SIGBUS, SIGILL, SIGFPE: it did what no program may.
    Crashed,
    /// SIGTERM, SIGINT, SIGHUP, SIGXCPU: it was asked to end.
    Asked,
}

impl ExitStatus {
    /// Of a job's ad; `None` for a status that says nothing of a cause.
    pub(super) fn of_ad(ad: &ClassAd) -> Option<Self> {
        if ad.boolean("ExitBySignal") == Some(true) {
            let signal = ad.integer("ExitSignal")?;
            return Some(Self { code: None, signal: Some(signal), says: of_signal(signal)? });
        }
        let code = ad.integer("ExitCode")?;
        let signal = code.checked_sub(OF_SIGNAL).filter(|signal| *signal > 0);
        let says = match (code, signal) {
            (126, _) => ExitKind::NotExecutable,
            (127, _) => ExitKind::NotFound,
            (_, signal) => of_signal(signal?)?,
        };
        Some(Self { code: Some(code), signal, says })
    }
}

/// By the numbers of Linux on most machines (signal(7)).
const fn of_signal(signal: i64) -> Option<ExitKind> {
    Some(match signal {
        6 => ExitKind::Aborted,
        9 => ExitKind::Killed,
        4 | 7 | 8 | 11 => ExitKind::Crashed,
        1 | 2 | 15 | 24 => ExitKind::Asked,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<ExitStatus> {
        ExitStatus::of_ad(&ClassAd::parse(text).expect("an ad"))
    }

    #[test]
    fn statuses_of_shells_and_signals_name_kinds_of_causes() {
        use ExitKind as K;
        for (code, says) in [
            (126, Some(K::NotExecutable)),
            (127, Some(K::NotFound)),
            (134, Some(K::Aborted)),
            (137, Some(K::Killed)),
            (139, Some(K::Crashed)),
            (143, Some(K::Asked)),
            (0, None),
            (1, None),
            (128, None),
            (255, None),
            (i64::MIN + 1, None),
        ] {
            let found = of(&format!("[ExitBySignal = false; ExitCode = {code}]"));
            assert_eq!(found.map(|status| status.says), says, "{code}");
        }
        let signal = of("[ExitBySignal = true; ExitSignal = 11; ExitCode = 0]");
        assert_eq!(
            signal,
            Some(ExitStatus { code: None, signal: Some(11), says: ExitKind::Crashed })
        );
        assert_eq!(of("[ExitBySignal = true]"), None);
        assert_eq!(of("[JobStatus = 5]"), None);
    }
}
