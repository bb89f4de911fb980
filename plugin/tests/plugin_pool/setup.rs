//! The plugin, its settings for a test and three users in the pool.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use holdadvise::journal::Kept;

use crate::harness::Pool;

/// The users whose jobs are held.
pub(crate) const USERS: [&str; 3] = ["alice", "bob", "carol"];

/// True of held jobs whose advice counts.
pub(crate) const COUNTS: &str = "JobStatus == 5 && unparse(HoldAdviceNumHolds) == unparse(NumHolds) && \
     unparse(HoldAdviceEntered) == unparse(EnteredCurrentStatus) && time() < int(unparse(HoldAdviceExpires))";

/// The advisor's journal.
pub(crate) const JOURNAL: &str = "/var/lib/condor-holdadvise/journal";

const LIBEXEC: &str = "/usr/libexec/condor";

/// Short intervals: a test waits for these. No hold is left to people, as all are to finish. The
/// starter passes on any attribute of a job, as an administrator may allow.
const SETTINGS: &str = "HOLDADVISE_INTERVAL_SECONDS = 5\nSCHEDD_CRON_HOLDADVISE_LOGS_PERIOD = 5s\n\
     HOLDADVISE_LEFT_TO_PEOPLE = 0\nCHIRP_DELAYED_UPDATE_PREFIX = *\n";

/// Installs the plugin: the package that HOLDADVISE_DEB names, else what cargo built. Nothing but
/// [`SETTINGS`] is the test's own.
pub(crate) fn install(pool: &Pool) {
    match std::env::var_os("HOLDADVISE_DEB") {
        Some(deb) => install_package(pool, Path::new(&deb)),
        None => install_built(pool),
    }
    pool.root_shell(
        "mkdir -p /srv/web; head -c 5000 /dev/zero >/srv/web/genome.dat\n\
         id carol >/dev/null 2>&1 || useradd --create-home --shell /bin/sh carol",
    );
    configure(pool, SETTINGS);
    // SCHEDD_CRON begins with the schedd.
    pool.restart();
    pool.fault("web", false);
}

/// A path that is not absolute is of the repository's root.
fn install_package(pool: &Pool, deb: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(deb);
    let to = pool.path("/tmp/holdadvise.deb");
    fs::copy(&from, &to)
        .unwrap_or_else(|error| panic!("HOLDADVISE_DEB: {}: {error}", from.display()));
    // The pool leaves documents out of all packages but this.
    pool.root_shell("dpkg --path-include='*' -i /tmp/holdadvise.deb && rm /tmp/holdadvise.deb");
    assert_eq!(pool.root_shell("dpkg -V condor-holdadvise"), "", "files differ from the package's");
    let used = [
        &format!("{LIBEXEC}/condor_holdadvise_advisor"),
        &format!("{LIBEXEC}/condor_holdadvise_collect"),
        &format!("{LIBEXEC}/condor_holdadvise_looks"),
        "/usr/share/condor/config.d/40-holdadvise",
        "/usr/share/condor/config.d/41-holdadvise-logs",
        "/usr/share/condor/holdadvise/hold_advice.cpf",
        "/usr/share/condor/holdadvise/hold_advice_history.cpf",
    ];
    // Fails where one of them is nobody's.
    pool.root_shell(&format!("dpkg -S {}", used.join(" ")));
    let version = "dpkg-query -W -f '${Package} ${Version}' condor-holdadvise";
    println!("installed: {}", pool.root_shell(version));
}

fn install_built(pool: &Pool) {
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = |from: &Path, to: &str, mode: u32| {
        let to = pool.path(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, &to).unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(mode)).unwrap();
    };
    for program in [
        env!("CARGO_BIN_EXE_condor_holdadvise_advisor"),
        env!("CARGO_BIN_EXE_condor_holdadvise_collect"),
        env!("CARGO_BIN_EXE_condor_holdadvise_looks"),
    ] {
        let program = Path::new(program);
        let name = program.file_name().unwrap().to_string_lossy();
        copy(program, &format!("{LIBEXEC}/{name}"), 0o755);
    }
    for (folder, to) in
        [("config.d", "/etc/condor/config.d"), ("print-formats", "/usr/share/condor/holdadvise")]
    {
        for entry in fs::read_dir(plugin.join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name();
            copy(&entry.path(), &format!("{to}/{}", name.to_string_lossy()), 0o644);
        }
    }
    pool.root_shell("install -d -o condor -g condor -m 700 /var/lib/condor-holdadvise");
    pool.root_shell("install -d -o condor -g condor -m 755 /var/lib/condor-holdadvise-home");
}

fn configure(pool: &Pool, text: &str) {
    fs::write(pool.path("/etc/condor/config.d/99-test-plugin"), text).unwrap();
}

/// Lets the access point release.
pub(crate) fn switch_on(pool: &Pool) {
    configure(pool, &format!("{SETTINGS}HOLDADVISE_RELEASES = True\n"));
    pool.root_shell("condor_reconfig");
}

/// Submits so many jobs of one cluster, which run for two seconds; their ids.
pub(crate) fn submit(
    pool: &Pool,
    user: &str,
    folder: &str,
    lines: &str,
    jobs: usize,
) -> Vec<String> {
    pool.shell(user, folder, "printf '#!/bin/sh\\nsleep 2\\n' >run.sh; chmod +x run.sh");
    let description = format!(
        "executable = run.sh\nlog = job.log\nshould_transfer_files = YES\nwhen_to_transfer_output = ON_EXIT\n\
         request_cpus = 1\nrequest_memory = 64\nrequest_disk = 20M\n{lines}"
    );
    pool.submit_jobs(user, folder, &description, jobs)
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
    let kept = Kept::of_folder(&pool.path(JOURNAL)).unwrap();
    assert_eq!(kept.problems, Vec::<String>::new());
    kept
}

/// A command that is a pass by hand, as the account of HTCondor.
pub(crate) const PASS: &str = "setpriv --reuid condor --regid condor --clear-groups \
     /usr/libexec/condor/condor_holdadvise_advisor";
