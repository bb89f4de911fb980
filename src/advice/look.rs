//! What a person should look at where nothing that can be done is worth it yet.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::JudgedHold;
use super::choices::Against;
use super::command::Command;
use super::job_facts::JobFacts;
use crate::catalogue::{Look, Trouble};
use crate::checks::Check;
use crate::history::reason::{Side, code_of_transfer, file_name, in_sandbox, side, url};
use crate::hold_code::{self, About};
use crate::sizes::Resource;
use crate::text::{Foreign, can_be_pasted};
use eventlog::JobId;
use libc::{EDQUOT, ENOENT, ENOSPC};

/// What to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum LookAt {
    /// The end of what its program wrote.
    Output {
        /// The file that Err or Out names.
        path: Foreign,
    },
    /// A file or directory, with those on the way to it.
    File {
        /// Its path.
        path: Foreign,
    },
    /// How its memory grew in each run.
    Growth {
        /// Its event log, which UserLog names.
        path: Foreign,
    },
    /// The room on a file system.
    Space {
        /// A file on it.
        path: Foreign,
    },
    /// The answer of a file server.
    Url {
        /// The URL.
        url: Foreign,
    },
    /// The name of a server that nobody reached.
    Name {
        /// The URL in TransferInput.
        url: Foreign,
    },
    /// The hold reason of another job of the cluster, which was released.
    Tried {
        /// The job.
        job: String,
    },
    /// The job's policies.
    JobPolicy,
    /// The access point's policies.
    SystemPolicy,
}

/// What of a hold says most about its cause. `against_try`: why none of like jobs is tried.
pub(super) fn at(
    hold: &JudgedHold<'_>,
    facts: &JobFacts,
    against_try: Option<Against>,
) -> Option<LookAt> {
    if let Some(Against::TriesFailed { job }) = against_try {
        return Some(LookAt::Tried { job: job.to_string() });
    }
    let code = code_of_transfer(hold.code?, hold.reason);
    let about = hold_code::about(code)?;
    let named = || file_name(hold.reason).filter(|path| in_sandbox(path).is_none());
    let path = || named().filter(|path| path.starts_with('/'));
    let file = |path: Option<String>| path.map(|path| LookAt::File { path: path.into() });
    let output = || facts.error_output.clone().map(|path| LookAt::Output { path: path.into() });
    let in_queue = facts.num_holds.is_some();
    let written = || facts.written().map(|path| LookAt::Output { path: path.into() });
    // No raise cures it: what it was doing says why.
    if !facts.raise_may_help() {
        let leaks = facts.limit_seen.as_ref().is_some_and(|seen| seen.leaks(Resource::Memory));
        let log = facts.user_log.clone().filter(|_| leaks);
        return written().or(log.map(|path| LookAt::Growth { path: path.into() }));
    }
    let at_access_point = side(hold.reason) == Some(Side::AccessPoint);
    if let Some(look) = facts.reading.as_ref().and_then(|reading| reading.entry().look) {
        let log = || facts.user_log.clone().map(|path| LookAt::File { path: path.into() });
        let at = match look {
            Look::Output => written().or_else(output),
            Look::File => file(path()),
            Look::Url => url(hold.reason).map(|url| LookAt::Url { url: url.into() }),
            Look::Space => path().map(|path| LookAt::Space { path: path.into() }),
            Look::Log => log(),
            Look::JobPolicy => in_queue.then_some(LookAt::JobPolicy),
            Look::SystemPolicy => in_queue.then_some(LookAt::SystemPolicy),
        };
        if at.is_some() {
            return at;
        }
    }
    match about {
        About::Input | About::Output if url(hold.reason).is_some() => {
            url(hold.reason).map(|url| LookAt::Url { url: url.into() })
        }
        About::Output if at_access_point && matches!(hold.subcode, Some(ENOSPC | EDQUOT)) => {
            path().map(|path| LookAt::Space { path: path.into() })
        }
        About::Output if !at_access_point && hold.subcode == Some(ENOENT) => output(),
        About::Input | About::Output => {
            let lasts = hold.subcode.and_then(Trouble::of_errno).is_some_and(Trouble::lasts);
            file(path().filter(|_| lasts))
        }
        About::WorkingDirectory => file(path().or_else(|| facts.iwd.clone())),
        About::StandardInput | About::StandardOutput | About::EventLog => file(path()),
        About::Credential => file(facts.proxy.clone()),
        About::Program => file(facts.executable()),
        About::JobPolicy if facts.own_limit.is_none() => {
            output().or(in_queue.then_some(LookAt::JobPolicy))
        }
        About::JobPolicy => written().or(in_queue.then_some(LookAt::JobPolicy)),
        About::SystemPolicy => written().or(in_queue.then_some(LookAt::SystemPolicy)),
        About::Duration { .. } => written(),
        About::Nothing if code == 0 => output(),
        _ => None,
    }
}

impl LookAt {
    /// A check has shown that this is in order now.
    pub(super) fn is_known(&self, check: &Check) -> bool {
        match self {
            Self::File { path } | Self::Url { url: path } => {
                check.is_over() && check.path.as_given() == path.as_given()
            }
            _ => false,
        }
    }

    /// The command that opens it: `less` opens no device and no pipe, and shows control characters as
    /// text (its manual page, -f and -r). A URL that cannot be pasted, as with a secret in it, is looked
    /// up in the job. None where another text cannot be pasted, and for a URL that is no http(s).
    pub(super) fn command(&self, job: JobId) -> Option<Command> {
        // Event 006 has MemoryUsage in its second line.
        let image_size = format!("^006 ({:03}.{:03}.", job.cluster, job.proc);
        let job = job.to_string();
        let words: Vec<&str> = match self {
            Self::Growth { path } => vec!["grep", "-A", "1", &image_size, path.as_given()],
            Self::Output { path } => vec!["less", "+G", path.as_given()],
            Self::File { path } => vec!["namei", "-l", path.as_given()],
            Self::Space { path } => vec!["df", "-h", directory(path.as_given())],
            Self::Url { url } if url.as_given().starts_with("http") => match url.as_given() {
                url if can_be_pasted(url) => {
                    vec!["curl", "-sS", "-m", "30", "-r", "0-0", "-o", "/dev/null", "-D", "-", url]
                }
                _ => vec!["condor_q", &job, "-af:ln", "HoldReason", "TransferInput"],
            },
            Self::Url { .. } => return None,
            Self::Name { .. } => vec!["condor_q", &job, "-af:ln", "TransferInput"],
            Self::Tried { job } => vec!["condor_q", "-hold", job],
            Self::JobPolicy => vec!["condor_q", &job, "-af:ln", "PeriodicHold", "OnExitHold"],
            Self::SystemPolicy => vec!["condor_config_val", "-dump", "SYSTEM_PERIODIC_HOLD"],
        };
        let fit = words.iter().all(|word| can_be_pasted(word));
        fit.then(|| Command::Run(words.into_iter().map(str::to_owned).collect()))
    }
}

/// The directory of a file: `/` of `/x`.
fn directory(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((directory, _)) => directory,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(code: i32, subcode: i32, reason: &str) -> Option<(LookAt, String)> {
        let job = JobId::new(7, 1);
        let facts = JobFacts {
            error_output: Some("/home/a/it's.err".to_owned()),
            iwd: Some("/home/a".to_owned()),
            command: Some("run.sh".to_owned()),
            ..JobFacts::of(job)
        };
        let hold = JudgedHold { code: Some(code), subcode: Some(subcode), reason, held_at: None };
        let at = at(&hold, &facts, None)?;
        let line = at.command(job).map(|command| command.line("true"));
        Some((at, line.unwrap_or_default()))
    }

    #[test]
    fn what_is_opened_says_most_about_the_cause() {
        let access = "Transfer output files failure at access point ap while receiving files from \
                      execution point e. Details: writing to file /srv/a/1.dat: (errno 28) No \
                      space left on device";
        let execute = "Transfer output files failure at execution point e while sending files to \
                       access point ap. Details: reading from file /var/lib/condor/execute/dir_7/x: \
                       (errno 2) No such file or directory";
        let url = "Transfer input files failure at execution point e using protocol http. Details: \
                   odd ( URL file = http://s.org/a.dat )|";
        let signed = &url.replace("a.dat", "a.dat?sig=AB12cd34");
        for (code, subcode, reason, line) in [
            (3, 33, "The job attribute OnExitHold", "less +G '/home/a/it'\\''s.err'"),
            (12, 28, access, "df -h /srv/a"),
            (12, 2, execute, "less +G '/home/a/it'\\''s.err'"),
            (14, 2, "Cannot access initial working directory /data/x: No", "namei -l /data/x"),
            (6, 2, "Failed to execute", "namei -l /home/a/run.sh"),
            (13, 256, url, "curl -sS -m 30 -r 0-0 -o /dev/null -D - http://s.org/a.dat"),
            (13, 256, signed, "condor_q 7.1 -af:ln HoldReason TransferInput"),
        ] {
            assert_eq!(looked(code, subcode, reason).unwrap().1, line, "{code}");
        }
        assert_eq!(looked(40, 12, ""), None);
        assert_eq!(looked(21, 102, ""), None);
    }

    #[test]
    fn an_earlier_try_says_more_than_the_reason() {
        let hold = JudgedHold { code: Some(13), subcode: Some(256), reason: "", held_at: None };
        let job = JobId::new(7, 3);
        let at = at(&hold, &JobFacts::of(job), Some(Against::TriesFailed { job })).unwrap();
        let line = at.command(JobId::new(7, 1)).unwrap().line("true");
        assert_eq!(line, "condor_q -hold 7.3");
    }
    #[test]
    fn memory_that_grew_is_looked_up_in_the_event_log() {
        let growth = LookAt::Growth { path: "/home/a/job.log".into() };
        let line = growth.command(JobId::new(7, 1)).unwrap().line("true");
        assert_eq!(line, "grep -A 1 '^006 (007.001.' /home/a/job.log");
    }
    #[test]
    fn the_name_of_a_server_is_looked_up_in_the_job() {
        let name = LookAt::Name { url: "http://dta.example/a".into() };
        let line = name.command(JobId::new(7, 1)).unwrap().line("true");
        assert_eq!(line, "condor_q 7.1 -af:ln TransferInput");
    }
    #[test]
    fn output_of_a_run_that_a_limit_ended_is_named_where_it_is_written_in_place() {
        let hold = |code: i32| JudgedHold {
            code: Some(code),
            subcode: Some(0),
            reason: "",
            held_at: None,
        };
        let facts = JobFacts {
            error_output: Some("/home/a/x.err".to_owned()),
            num_holds: Some(1),
            ..JobFacts::of(JobId::new(7, 1))
        };
        let in_place = JobFacts { writes_in_place: true, ..facts.clone() };
        let output = Some(LookAt::Output { path: "/home/a/x.err".into() });
        for code in [3, 26, 46, 47] {
            assert_eq!(at(&hold(code), &in_place, None), output, "{code}");
        }
        assert_eq!(at(&hold(26), &facts, None), Some(LookAt::SystemPolicy));
        assert_eq!(at(&hold(46), &facts, None), None);
    }
}
