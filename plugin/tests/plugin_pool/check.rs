//! `-check` on an access point as it was installed, with a list that was overwritten, and with a
//! period that the schedd does not have.

use crate::harness::Pool;

const SITE: &str = "/etc/condor/config.d/99-test-site";

/// What `-check` prints for root, and the exit status.
fn check(pool: &Pool) -> String {
    pool.root_shell("/usr/libexec/condor/condor_holdadvise_advisor -check 2>&1; echo status $?")
}

pub(crate) fn names_what_is_wrong(pool: &Pool) {
    pool.wait_for("an access point without a problem", || {
        let said = check(pool);
        println!("{said}");
        said.trim_end().ends_with("status 0")
    });
    pool.root_shell(&format!("echo 'SYSTEM_PERIODIC_RELEASE_NAMES = Other' >{SITE}"));
    let said = check(pool);
    pool.root_shell(&format!("rm {SITE}"));
    let named =
        format!("SYSTEM_PERIODIC_RELEASE_NAMES lacks HoldAdvice; it is set last in {SITE}, line 1");
    assert!(said.contains(&named) && said.trim_end().ends_with("status 1"), "{said}");
    // Read by the passes, while the schedd begins them as it did before.
    pool.root_shell(&format!("echo 'HOLDADVISE_INTERVAL_SECONDS = 77' >{SITE}"));
    pool.wait_for("a period that is not the one that is set", || {
        let said = check(pool);
        let named =
            |line: &str| line.starts_with("PROBLEM  period") && line.contains("77 s are set");
        said.lines().any(named) && said.trim_end().ends_with("status 1")
    });
    pool.root_shell(&format!("rm {SITE}"));
}
