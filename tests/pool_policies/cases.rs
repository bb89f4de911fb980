//! The policies and the holds they meet, as data: one row per job.

use holdadvise::policy::{Kind, Version};

/// How a job comes to be held. All are submitted with `hold = true` (code 15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// As submitted.
    Submitted,
    /// `on_exit_hold` with subcode 33.
    Exit,
    /// An input file that is not there.
    Input,
    /// A script whose interpreter is not there.
    Interpreter,
    /// More memory than requested.
    Memory,
    /// `condor_hold`.
    Person,
}

impl Hold {
    /// Whether the job has to run to be held.
    pub(crate) fn runs(self) -> bool {
        !matches!(self, Self::Submitted | Self::Person)
    }

    /// HoldReasonCode and HoldReasonSubCode; releases of HTCondor differ in one.
    pub(crate) fn codes(self) -> &'static [(i64, i64)] {
        match self {
            Self::Submitted => &[(15, 0)],
            Self::Exit => &[(3, 33)],
            Self::Input => &[(13, 2)],
            Self::Interpreter => &[(6, 2)],
            Self::Memory => &[(21, 102), (34, 102)],
            Self::Person => &[(1, 0)],
        }
    }

    /// Lines of the submit description.
    pub(crate) fn submit(self) -> &'static str {
        match self {
            Self::Submitted | Self::Person => PROGRAM_FALSE,
            Self::Exit => {
                "executable = /bin/false\ntransfer_executable = False\n\
                 on_exit_hold = ExitCode =!= 0\non_exit_hold_subcode = 33"
            }
            Self::Input => {
                "executable = /bin/false\ntransfer_executable = False\n\
                 transfer_input_files = nowhere.dat"
            }
            Self::Interpreter => "executable = no-interpreter.sh",
            Self::Memory => {
                "executable = hog.py\nrequirements = GLIDEIN_Site == \"Lakeside\"\n\
                 request_memory = 64"
            }
        }
    }
}

const PROGRAM_FALSE: &str = "executable = /bin/false\ntransfer_executable = False";

/// What must come of it while the pool is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// On any version; `None`: it stays held.
    Always(Option<Kind>),
    /// What changed with a version of HTCondor.
    Changed { since: Version, from: Option<Kind>, to: Option<Kind> },
}

const RELEASED: Meant = Meant::Always(Some(Kind::Release));
const REMOVED: Meant = Meant::Always(Some(Kind::Remove));
const HELD: Meant = Meant::Always(None);

/// One job.
pub(crate) struct Case {
    pub name: &'static str,
    /// What it shows.
    pub shows: &'static str,
    /// `periodic_release`.
    pub release: &'static str,
    pub hold: Hold,
    /// Holds by a person and releases before the last hold.
    pub earlier: usize,
    /// More lines of the submit description.
    pub more: &'static str,
    /// An attribute that is set to so many seconds after the forecast.
    pub edit: Option<(&'static str, i64)>,
    pub meant: Meant,
}

/// Files that the jobs need.
pub(crate) const FILES: &str = "\
printf '#!/usr/bin/pyhton3\\n' >no-interpreter.sh
printf '#!/usr/bin/python3\\nimport time\\nx = b\"1\" * (200 << 20)\\ntime.sleep(60)\\n' >hog.py
chmod +x no-interpreter.sh hog.py
";

/// No policy is evaluated by the schedd while jobs are put on hold.
pub(crate) const SETTING_UP: &str = "PERIODIC_EXPR_INTERVAL = 0";

/// Policies are evaluated, and released jobs stay idle.
pub(crate) const WATCHED: &str = r#"
PERIODIC_EXPR_INTERVAL = 3
MAX_PERIODIC_EXPR_INTERVAL = 2 * 3
MAX_JOBS_RUNNING = 0
SYSTEM_MAX_RELEASES = 3
SCHEDD.SYSTEM_MAX_RELEASES = 2 * 4
SYSTEM_PERIODIC_RELEASE_NAMES = Tagged, Trivial, Broken
SYSTEM_PERIODIC_RELEASE_Tagged = PolicyTag =?= "tagged" && time() - EnteredCurrentStatus > 30
SYSTEM_PERIODIC_RELEASE_Trivial = false
SYSTEM_PERIODIC_RELEASE_Broken = ((PolicyTag =?= "plain"
MOST_HOLDS = 5
SYSTEM_PERIODIC_RELEASE = PolicyTag =?= "plain" && NumHolds < $(MOST_HOLDS)
SYSTEM_PERIODIC_REMOVE @=end
    PolicyTag =?= "doomed"
    && JobStatus == 5
@end
"#;

/// A hold by an exit code, of a job that has nothing else.
const EXIT: Case = Case {
    name: "",
    shows: "",
    release: "",
    hold: Hold::Exit,
    earlier: 0,
    more: "",
    edit: None,
    meant: RELEASED,
};
/// The same, submitted on hold.
const SUBMITTED: Case = Case { hold: Hold::Submitted, ..EXIT };
/// The same, for an input file that is not there.
const INPUT: Case = Case { hold: Hold::Input, ..EXIT };

/// The jobs.
pub(crate) const CASES: &[Case] = &[
    Case { name: "code", shows: "scoped by code", release: "HoldReasonCode =?= 13", ..INPUT },
    Case {
        name: "subcode",
        shows: "scoped by code and subcode",
        release: "HoldReasonCode =?= 3 && HoldReasonSubCode =?= 33",
        ..EXIT
    },
    Case {
        name: "memory",
        shows: "held for memory by the execution point",
        release: "(HoldReasonCode == 34 || HoldReasonCode == 21) && HoldReasonSubCode == 102",
        hold: Hold::Memory,
        ..EXIT
    },
    Case {
        name: "other-code",
        shows: "another code",
        release: "HoldReasonCode =?= 34",
        meant: HELD,
        ..EXIT
    },
    Case {
        name: "other-subcode",
        shows: "another subcode",
        release: "HoldReasonCode == 13 && HoldReasonSubCode == 256",
        meant: HELD,
        ..INPUT
    },
    Case {
        name: "bound-open",
        shows: "held 4 times, fewer than 5",
        release: "NumHolds < 5",
        earlier: 2,
        ..EXIT
    },
    Case {
        name: "bound-reached",
        shows: "held 5 times, not fewer than 5",
        release: "NumHolds < 5",
        earlier: 3,
        meant: HELD,
        ..EXIT
    },
    Case {
        name: "by-reason",
        shows: "a nested ad: once by its policy, of 4 holds",
        release: "NumHoldsByReason.JobPolicy < 2",
        earlier: 2,
        ..EXIT
    },
    Case {
        name: "by-other-reason",
        shows: "twice by a person",
        release: "NumHoldsByReason.UserRequest < 2",
        earlier: 2,
        meant: HELD,
        ..EXIT
    },
    Case {
        name: "age-short",
        shows: "held for seconds",
        release: "(time() - EnteredCurrentStatus) > 5",
        ..EXIT
    },
    Case {
        name: "age-medium",
        shows: "held for longer, in minutes",
        release: "HoldReasonCode == 13 && NumHolds < 4 && \
                  (time() - EnteredCurrentStatus) / 60.0 >= 0.75",
        ..INPUT
    },
    Case {
        name: "age-long",
        shows: "held for an hour",
        release: "JobStatus == 5 && (time() - EnteredCurrentStatus) > 60*60",
        meant: HELD,
        ..INPUT
    },
    Case {
        name: "age-over",
        shows: "only while it is young",
        release: "time() - EnteredCurrentStatus < 1",
        meant: HELD,
        ..SUBMITTED
    },
    Case {
        name: "current-time",
        shows: "CurrentTime",
        release: "(CurrentTime - EnteredCurrentStatus) > 40",
        ..EXIT
    },
    Case {
        name: "server-time",
        shows: "ServerTime, which only condor_q's answers have",
        release: "ServerTime - EnteredCurrentStatus > 1",
        meant: HELD,
        ..SUBMITTED
    },
    Case {
        name: "undefined",
        shows: "an attribute that is not there",
        release: "MaxReleases > 2",
        meant: HELD,
        ..SUBMITTED
    },
    Case {
        name: "misspelt",
        shows: "an alternative that is misspelt, and one that is not true",
        release: "HoldReasonCodes == 13 || NumHolds > 9",
        meant: HELD,
        ..INPUT
    },
    Case {
        name: "misspelt-beside-true",
        shows: "undefined beside true",
        release: "HoldReasonCodes == 13 || NumHolds < 9",
        ..INPUT
    },
    Case {
        name: "error",
        shows: "an error",
        release: "NumHolds < \"nine\"",
        meant: HELD,
        ..SUBMITTED
    },
    Case {
        name: "error-beside-true",
        shows: "an error before what is true",
        release: "NumHolds < \"nine\" || true",
        meant: HELD,
        ..SUBMITTED
    },
    Case { name: "my", shows: "scope MY", release: "MY.NumHolds < 9", ..SUBMITTED },
    Case {
        name: "target",
        shows: "scope TARGET",
        release: "TARGET.NumHolds < 9",
        meant: HELD,
        ..SUBMITTED
    },
    Case {
        name: "is-undefined",
        shows: "=?= on undefined",
        release: "NoSuchThing =?= undefined",
        ..SUBMITTED
    },
    Case {
        name: "equals-undefined",
        shows: "== on undefined",
        release: "NoSuchThing == undefined",
        meant: HELD,
        ..SUBMITTED
    },
    Case {
        name: "system-holds",
        shows: "NumSystemHolds stays 0",
        release: "NumSystemHolds < 1",
        earlier: 2,
        ..INPUT
    },
    Case {
        name: "job-starts",
        shows: "a failed input transfer is no start",
        release: "NumJobStarts < 1 && HoldReasonCode == 13",
        earlier: 1,
        ..INPUT
    },
    Case {
        name: "last-code",
        shows: "JobStatus and the code of the hold before",
        release: "JobStatus == 5 && LastHoldReasonCode =?= 1",
        earlier: 1,
        ..EXIT
    },
    Case {
        name: "reason",
        shows: "a pattern on the text",
        release: "regexp(\"Transfer input files failure\", HoldReason)",
        ..INPUT
    },
    Case {
        name: "other-reason",
        shows: "a pattern that does not match",
        release: "regexp(\"Transfer input files failure\", HoldReason)",
        hold: Hold::Interpreter,
        meant: HELD,
        ..EXIT
    },
    Case {
        name: "own-attribute",
        shows: "a limit in an attribute of its own",
        release: "NumHolds <= MaxReleases",
        more: "+MaxReleases = 3",
        earlier: 1,
        ..EXIT
    },
    Case {
        name: "own-expression",
        shows: "attributes of its own that are expressions",
        release: "MayRelease && HoursHeld < 1",
        more: "+HoursHeld = (time() - EnteredCurrentStatus) / 3600\n+MayRelease = NumHolds < 9",
        hold: Hold::Interpreter,
        ..EXIT
    },
    Case {
        name: "circle",
        shows: "attributes of its own that refer to each other, beside true",
        release: "Chicken || true",
        more: "+Chicken = Egg\n+Egg = Chicken",
        meant: Meant::Changed {
            since: Version::new(25, 13, 0),
            from: None,
            to: Some(Kind::Release),
        },
        ..SUBMITTED
    },
    Case {
        name: "list",
        shows: "a list of codes",
        release: "member(HoldReasonCode, {12, 13, 15})",
        ..SUBMITTED
    },
    Case {
        name: "text",
        shows: "== on texts of other case",
        release: "Owner == \"ALICE\"",
        ..SUBMITTED
    },
    Case {
        name: "text-is",
        shows: "=?= on texts of other case",
        release: "Owner =?= \"ALICE\"",
        meant: HELD,
        ..SUBMITTED
    },
    Case {
        name: "no-subcode",
        shows: "== 0 on a subcode that is not there",
        release: "HoldReasonSubCode == 0",
        meant: HELD,
        ..SUBMITTED
    },
    Case { name: "integer", shows: "1", release: "1", ..SUBMITTED },
    Case { name: "real-half", shows: "0.5", release: "0.5", meant: HELD, ..SUBMITTED },
    Case { name: "real-more", shows: "1.5", release: "NumHolds + 0.5", ..SUBMITTED },
    Case { name: "string", shows: "a string", release: "\"true\"", meant: HELD, ..SUBMITTED },
    Case {
        name: "if-then-else",
        shows: "ifThenElse, the delay by code",
        release: "ifThenElse(HoldReasonCode =?= 13, time() - EnteredCurrentStatus > 35, false)",
        ..INPUT
    },
    Case {
        name: "ternary",
        shows: "? : and a default",
        release: "(NoSuchThing ?: NumHolds) > 1 ? NumHolds < 3 : undefined",
        ..EXIT
    },
    Case {
        name: "window",
        shows: "true for 16 s",
        release: "time() >= Opens && time() < Opens + 16",
        more: "+Opens = 0",
        edit: Some(("Opens", 25)),
        ..SUBMITTED
    },
    Case {
        name: "remainder",
        shows: "true for 16 s of every 40",
        release: "(time() - Opens) % 40 >= 24",
        more: "+Opens = 0",
        edit: Some(("Opens", 0)),
        ..SUBMITTED
    },
    Case {
        name: "person",
        shows: "held by a person, true",
        release: "true",
        hold: Hold::Person,
        meant: HELD,
        ..EXIT
    },
    Case {
        name: "person-removed",
        shows: "held by a person, periodic_remove",
        release: "true",
        hold: Hold::Person,
        more: "periodic_remove = JobStatus == 5 && time() - EnteredCurrentStatus > 25",
        meant: REMOVED,
        ..EXIT
    },
    Case {
        name: "release-and-remove",
        shows: "both true: the release goes first",
        release: "NumHolds < 9",
        more: "periodic_remove = NumHolds > 0 && JobStatus == 5",
        ..EXIT
    },
    Case {
        name: "remove-before",
        shows: "periodic_remove is true sooner",
        release: "time() - EnteredCurrentStatus > 3600",
        more: "periodic_remove = HoldReasonCode == 3 && time() - EnteredCurrentStatus > 30",
        meant: REMOVED,
        ..EXIT
    },
    Case {
        name: "timer",
        shows: "TimerRemove, before the release",
        release: "time() - TimerRemove > 0",
        more: "+TimerRemove = 2000000000",
        edit: Some(("TimerRemove", 20)),
        meant: REMOVED,
        ..SUBMITTED
    },
    Case {
        name: "timer-real",
        shows: "TimerRemove with a fraction",
        release: "false",
        more: "+TimerRemove = 1.7e9",
        meant: REMOVED,
        ..SUBMITTED
    },
    Case {
        name: "timer-large",
        shows: "TimerRemove of more than 32 bits",
        release: "false",
        more: "+TimerRemove = 9999999999",
        meant: REMOVED,
        ..SUBMITTED
    },
    Case {
        name: "timer-undefined",
        shows: "TimerRemove undefined stops the rest",
        release: "true",
        more: "+TimerRemove = NoSuchThing",
        meant: HELD,
        ..SUBMITTED
    },
    Case {
        name: "timer-zero",
        shows: "TimerRemove 0, before the release",
        release: "true",
        more: "+TimerRemove = 0",
        meant: REMOVED,
        ..SUBMITTED
    },
    Case {
        name: "timer-negative",
        shows: "TimerRemove below 0 is none",
        release: "true",
        more: "+TimerRemove = -1",
        ..SUBMITTED
    },
    Case {
        name: "managed",
        shows: "a job of another manager",
        release: "true",
        more: "+Managed = \"External\"",
        meant: HELD,
        ..SUBMITTED
    },
    Case {
        name: "managed-other-case",
        shows: "the same word in other case",
        release: "true",
        more: "+Managed = \"external\"",
        ..SUBMITTED
    },
    Case {
        name: "system",
        shows: "SYSTEM_PERIODIC_RELEASE",
        release: "false",
        more: "+PolicyTag = \"plain\"",
        ..EXIT
    },
    Case {
        name: "system-named",
        shows: "SYSTEM_PERIODIC_RELEASE_Tagged",
        release: "NoSuchThing",
        more: "+PolicyTag = \"tagged\"",
        ..INPUT
    },
    Case {
        name: "own-before-system",
        shows: "its own policy goes before the system's",
        release: "NumHolds < 9",
        more: "+PolicyTag = \"plain\"",
        ..SUBMITTED
    },
    Case {
        name: "system-remove",
        shows: "SYSTEM_PERIODIC_REMOVE",
        release: "false",
        more: "+PolicyTag = \"doomed\"",
        meant: REMOVED,
        ..SUBMITTED
    },
    Case {
        name: "limit-below",
        shows: "held 7 times, SYSTEM_MAX_RELEASES is 8",
        release: "true",
        earlier: 5,
        ..EXIT
    },
    Case {
        name: "limit-reached",
        shows: "held 8 times, SYSTEM_MAX_RELEASES is 8",
        release: "true",
        earlier: 6,
        meant: Meant::Changed {
            since: Version::new(24, 10, 0),
            from: Some(Kind::Release),
            to: None,
        },
        ..EXIT
    },
];
