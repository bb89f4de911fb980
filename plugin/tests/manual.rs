//! The manual pages of the programs that HTCondor and systemd start.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

#[test]
fn a_page_has_the_options_of_its_program() {
    for (name, program) in [
        ("condor_holdadvise_advisor", env!("CARGO_BIN_EXE_condor_holdadvise_advisor")),
        ("condor_holdadvise_looks", env!("CARGO_BIN_EXE_condor_holdadvise_looks")),
    ] {
        let help = Command::new(program).arg("-help").output().unwrap().stdout;
        let help = String::from_utf8(help).unwrap();
        let said: BTreeSet<&str> = (help.lines())
            .filter_map(|line| line.strip_prefix("  -")?.split_whitespace().next())
            .collect();
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../man/").to_owned() + name + ".1";
        let page = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page}: {error}"));
        let options = page.split_once(".SH \"OPTIONS\"").unwrap().1;
        let described: BTreeSet<&str> = (options.lines())
            .filter_map(|line| line.strip_prefix("\\fB\\-")?.strip_suffix("\\fR"))
            .collect();
        assert!(said.len() > 2, "{help}");
        assert_eq!(described, said, "{name}");
    }
}
