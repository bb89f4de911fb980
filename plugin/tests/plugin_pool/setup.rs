//! The advisor, its configuration and three users in the pool.

use std::fs;
use std::path::Path;

use holdadvise::journal::Kept;

use crate::harness::Pool;

/// The users whose jobs are held.
pub(crate) const USERS: [&str; 3] = ["alice", "bob", "carol"];

/// True of held jobs whose advice counts.
pub(crate) const COUNTS: &str = "JobStatus == 5 && HoldAdviceNumHolds =?= NumHolds && HoldAdviceEntered =?= \
     EnteredCurrentStatus && time() < HoldAdviceExpires";

const LIBEXEC: &str = "/usr/libexec/condor";

/// Short intervals: a test waits for these. No hold is left to people, as all are to finish.
const SETTINGS: &str = "HOLDADVISE_INTERVAL = 5\nHOLDADVISE_LEFT_TO_PEOPLE = 0\n";

pub(crate) fn install(pool: &Pool) {
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = |from: &Path, to: &str, mode: &str| {
        let to = pool.path(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, &to).unwrap();
        std::process::Command::new("chmod").arg(mode).arg(to).status().unwrap();
    };
    let advisor = Path::new(env!("CARGO_BIN_EXE_condor_holdadvise_advisor"));
    copy(advisor, &format!("{LIBEXEC}/condor_holdadvise_advisor"), "755");
    copy(&plugin.join("config.d/40-holdadvise"), "/etc/condor/config.d/40-holdadvise", "644");
    for file in ["hold_advice.cpf", "hold_advice_history.cpf"] {
        let to = format!("/usr/share/condor/holdadvise/{file}");
        copy(&plugin.join("print-formats").join(file), &to, "644");
    }
    pool.root_shell(
        "install -d -o condor -g condor -m 700 /var/lib/condor-holdadvise; mkdir -p /srv/web\n\
         head -c 5000 /dev/zero >/srv/web/genome.dat\n\
         id carol >/dev/null 2>&1 || useradd --create-home --shell /bin/sh carol",
    );
    configure(pool, SETTINGS);
    // SCHEDD_CRON begins with the schedd.
    pool.restart();
    pool.fault("web", false);
}

fn configure(pool: &Pool, text: &str) {
    fs::write(pool.path("/etc/condor/config.d/99-test-plugin"), text).unwrap();
}

/// Lets the access point release.
pub(crate) fn switch_on(pool: &Pool) {
    configure(pool, &format!("{SETTINGS}HOLDADVISE_RELEASES = True\n"));
    pool.root_shell("condor_reconfig");
}

/// Submits so many jobs as one cluster; their ids.
pub(crate) fn submit(
    pool: &Pool,
    user: &str,
    folder: &str,
    lines: &str,
    jobs: usize,
) -> Vec<String> {
    let script = format!(
        "printf '#!/bin/sh\\nsleep 2\\n' >run.sh; chmod +x run.sh\ncat >job.sub <<'END'\nexecutable = run.sh\n\
         log = job.log\nshould_transfer_files = YES\nwhen_to_transfer_output = ON_EXIT\nrequest_cpus = 1\n\
         request_memory = 64\nrequest_disk = 20M\n{lines}\nqueue {jobs}\nEND\ncondor_submit -terse job.sub"
    );
    let answer = pool.shell(user, folder, &script);
    let last = answer.lines().last().unwrap_or_default();
    let cluster = last.split('.').next().unwrap_or_default();
    (0..jobs).map(|proc| format!("{cluster}.{proc}")).collect()
}

/// Jobs in the queue for which a constraint is true.
pub(crate) fn count(pool: &Pool, constraint: &str) -> usize {
    let command = format!("condor_q -allusers -constraint '{constraint}' -af ClusterId");
    pool.root_shell(&command).lines().count()
}

/// An expression's value for a job in the queue.
pub(crate) fn value(pool: &Pool, job: &str, expression: &str) -> String {
    pool.root_shell(&format!("condor_q {job} -af '{expression}'")).trim().to_owned()
}

/// Everything in the journal, which must be whole.
pub(crate) fn journal(pool: &Pool) -> Kept {
    let kept = Kept::of_folder(&pool.path("/var/lib/condor-holdadvise/journal")).unwrap();
    assert_eq!(kept.problems, Vec::<String>::new());
    kept
}

/// A command that is a pass by hand, as the account of HTCondor.
pub(crate) const PASS: &str = "setpriv --reuid condor --regid condor --clear-groups \
     /usr/libexec/condor/condor_holdadvise_advisor";
