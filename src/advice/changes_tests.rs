use proptest::prelude::*;

use super::*;
use crate::catalogue::{self, HoldText};
use crate::policy::{HeldAgain, Measure, OwnLimit, Raise, Request};
use eventlog::JobId;

fn changed(action: Action, hold: &super::JudgedHold<'_>, facts: &JobFacts) -> Option<Change> {
    change(action, hold, &read(hold, facts), &Editable::default())
}

fn applicable_actions(hold: &JudgedHold<'_>, facts: &JobFacts) -> Vec<Action> {
    super::applicable_actions(hold, &read(hold, facts))
}

/// With what the catalogue says.
fn read(hold: &JudgedHold<'_>, facts: &JobFacts) -> JobFacts {
    let JudgedHold { code, subcode, reason, .. } = *hold;
    let text = HoldText { code, subcode, reason, ..HoldText::default() };
    JobFacts { reading: catalogue::read(&text), ..facts.clone() }
}

fn facts() -> JobFacts {
    JobFacts { num_holds: Some(2), ..JobFacts::of(JobId::new(1234, 0)) }
}

fn hold(code: i32, subcode: i32, reason: &str) -> JudgedHold<'_> {
    JudgedHold { code: Some(code), subcode: Some(subcode), reason, held_at: Some(1_772_359_200) }
}

const MEMORY: &str = "Error from slot1_1@e2031.example.org: Job has gone over cgroup memory limit of 2048 megabytes. Last measured usage: 2040 megabytes.  Consider resubmitting with a higher request_memory.";

fn text(change: &Change) -> String {
    crate::sentences::change(&change.what)
}

/// The first command, for a constraint that says `true`.
fn first(commands: &[Command]) -> String {
    commands[0].line("true")
}

#[test]
fn output_that_was_never_made_is_no_input_whatever_the_code_is() {
    let hold = JudgedHold {
        code: Some(13),
        subcode: Some(2),
        reason: "Error from slot1@h: STARTER at 10.0.0.9 failed to send file(s) to <10.0.0.1:9618>: error reading \
                 from /var/execute/dir_7/out.csv: (errno 2) No such file or directory; SHADOW failed to receive \
                 file(s) from <10.0.0.9:40000>",
        held_at: None,
    };
    let change = changed(Action::Other, &hold, &JobFacts::default()).unwrap();
    assert!(text(&change).contains("program wrote no out.csv"), "{}", text(&change));
    let hold = JudgedHold {
        code: Some(12),
        reason: "Error from slot1@h: SHADOW at 10.0.0.1 failed to write to file /home/u/gone/out: (errno 2)",
        ..hold
    };
    let change = changed(Action::Other, &hold, &JobFacts::default()).unwrap();
    assert!(text(&change).contains("/home/u/gone/out"), "{}", text(&change));
}

#[test]
fn commands_name_the_very_hold() {
    let of_log = target(&hold(13, 256, ""), &facts());
    assert_eq!((of_log.num_holds, of_log.since), (Some(2), Some(Since::NotAfter(1_772_359_200))));
    let ad = JobFacts { entered_current_status: Some(1_772_359_199), ..facts() };
    let of_ad = target(&hold(13, 256, ""), &ad);
    assert_eq!((of_ad.code, of_ad.since), (Some(13), Some(Since::At(1_772_359_199))));
}

#[test]
fn figures_that_no_slot_can_have_are_no_edit() {
    let hold = hold(34, 102, MEMORY);
    for facts in [
        JobFacts {
            request_memory: Some(4_611_686_018_427_387_904),
            memory_usage: Some(100),
            ..facts()
        },
        JobFacts { memory_usage: Some(Resource::Memory.most() + 1), ..facts() },
        JobFacts { memory_provisioned: Some(i64::MAX), ..facts() },
    ] {
        let change = changed(Action::Memory, &hold, &facts).unwrap();
        assert!(change.commands.is_empty(), "{change:?}");
        assert!(text(&change).contains("is more than any machine has"), "{change:?}");
    }
    let facts = JobFacts { request_disk: Some(Resource::Disk.most() + 1), ..facts() };
    let hold = super::JudgedHold { subcode: Some(104), ..hold };
    let change = changed(Action::Disk, &super::JudgedHold { reason: "", ..hold }, &facts).unwrap();
    assert!(
        change.commands.is_empty() && text(&change).starts_with("Correct RequestDisk:"),
        "{change:?}"
    );
}

#[test]
fn memory_is_raised_over_usage_and_provision() {
    let facts = JobFacts {
        request_memory: Some(1024),
        memory_provisioned: Some(2048),
        memory_usage: Some(2040),
        ..facts()
    };
    let change = changed(Action::Memory, &hold(34, 102, MEMORY), &facts).unwrap();
    assert_eq!(text(&change), "Raise RequestMemory to 4096 MiB (it used 2040 MiB).");
    assert_eq!(first(&change.commands), "condor_qedit -constraint true RequestMemory 4096");
    assert_eq!(change.commands.len(), 1);
}

#[test]
fn memory_is_read_from_the_reason_of_a_log() {
    let change = changed(Action::Memory, &hold(34, 102, MEMORY), &facts()).unwrap();
    assert_eq!(first(&change.commands), "condor_qedit -constraint true RequestMemory 4096");
    let unknown = changed(Action::Memory, &hold(34, 102, ""), &facts()).unwrap();
    assert!(unknown.commands.is_empty(), "no number, no edit");
}

#[test]
fn limits_of_policies_are_named() {
    let cpus = hold(26, 102, "Excessive CPU usage. Job used 4.2 CPUs, while request_cpus=1.");
    assert!(text(&changed(Action::Other, &cpus, &facts()).unwrap()).contains("RequestCpus"));
    let hours = hold(21, 0, "Job failed to complete in 72 hrs");
    assert!(text(&changed(Action::Other, &hours, &facts()).unwrap()).contains("Split"));
    let memory = hold(
        21,
        0,
        "Error from slot1@h: Policy violation. Memory limit exceeded: requested 1000MB, used 1300MB.",
    );
    assert_eq!(applicable_actions(&memory, &facts()), [Action::AsIs, Action::Memory]);
}

#[test]
fn disk_is_raised() {
    let facts = JobFacts { disk_usage: Some(1_000_000), request_disk: Some(500_000), ..facts() };
    let change = changed(Action::Disk, &hold(34, 104, ""), &facts).unwrap();
    assert_eq!(first(&change.commands), "condor_qedit -constraint true RequestDisk 2048000");
}

#[test]
fn memory_is_offered_only_where_it_could_matter() {
    let actions = |code, subcode, reason, facts: &JobFacts| {
        applicable_actions(&hold(code, subcode, reason), facts)
    };
    assert_eq!(actions(34, 102, MEMORY, &facts()), [Action::AsIs, Action::Memory]);
    assert_eq!(actions(34, 104, "", &facts()), [Action::AsIs, Action::Disk]);
    assert_eq!(actions(1, 0, "via condor_hold (by user u)", &facts()), [Action::AsIs]);
    assert_eq!(actions(16, 0, "Spooling input data files", &facts()), []);
    assert_eq!(actions(15, 0, "", &facts()), [Action::AsIs]);
    let full = JobFacts { memory_usage: Some(990), memory_provisioned: Some(1000), ..facts() };
    assert!(!actions(13, 2, "", &full).contains(&Action::Memory));
    assert!(actions(3, 1, "PeriodicHold became true", &full).contains(&Action::Memory));
    assert!(!actions(3, 1, "PeriodicHold became true", &facts()).contains(&Action::Memory));
}

#[test]
fn a_failed_machine_is_excluded_and_requirements_kept() {
    let facts = JobFacts {
        last_remote_host: Some("slot1_1@e2031.example.org".to_owned()),
        requirements: Some("(TARGET.Arch == \"X86_64\") && Name != \"it's\"".to_owned()),
        ..facts()
    };
    let hold = hold(45, -1000, "Error from slot1_1@e2031.example.org: Singularity test failed:");
    let change = changed(Action::Site, &hold, &facts).unwrap();
    assert_eq!(
        first(&change.commands),
        r#"condor_qedit -constraint true Requirements '((TARGET.Arch == "X86_64") && Name != "it'\''s") && (TARGET.Machine =!= "e2031.example.org")'"#
    );
    let again = JobFacts {
        requirements: Some("(true) && (TARGET.Machine =!= \"e2031.example.org\")".to_owned()),
        ..facts.clone()
    };
    assert!(changed(Action::Site, &hold, &again).unwrap().commands.is_empty());
    let site = JobFacts { glidein_site: Some("UChicago".to_owned()), ..facts };
    assert!(
        first(&changed(Action::Site, &hold, &site).unwrap().commands)
            .contains("TARGET.GLIDEIN_Site =!= \"UChicago\"")
    );
}

#[test]
fn the_place_does_not_matter_for_a_file_that_is_missing_at_the_access_point() {
    let reason = "Transfer input files failure at access point ap40 while sending files to execution point slot1_1@e1.example.org. Details: reading from file /home/u/in put.dat: (errno 2) No such file or directory";
    let actions = applicable_actions(&hold(13, 2, reason), &facts());
    assert_eq!(actions, [Action::AsIs, Action::Other]);
    let change = changed(Action::Other, &hold(13, 2, reason), &facts()).unwrap();
    assert!(text(&change).contains("\"/home/u/in put.dat\""), "{}", text(&change));
}

#[test]
fn a_server_that_is_away_needs_no_mending() {
    let away = "Transfer input files failure at execution point slot1@e1 using protocol http. Details: Failed to connect to h.org port 80: Connection refused ( URL file = http://h.org/x )|";
    // Nor does another place help, unless runs show one at fault.
    assert_eq!(applicable_actions(&hold(13, 256, away), &facts()), [Action::AsIs]);
    let gone = "Transfer input files failure at execution point slot1@e1 using protocol http. Details: The requested URL returned error: 404 ( URL file = http://h.org/x )|";
    assert_eq!(applicable_actions(&hold(13, 256, gone), &facts()), [Action::AsIs, Action::Other]);
    let change = changed(Action::Other, &hold(13, 256, gone), &facts()).unwrap();
    assert!(text(&change).contains("http://h.org/x"));
}

#[test]
fn an_executable_is_made_executable() {
    let facts = JobFacts {
        command: Some("run me.sh".to_owned()),
        iwd: Some("/home/u/".to_owned()),
        ..facts()
    };
    let reason = "Error from slot1@h: Failed to execute '/var/lib/condor/execute/dir_1/condor_exec.exe': (errno=13: 'Permission denied')";
    let change = changed(Action::Other, &hold(6, 13, reason), &facts).unwrap();
    assert_eq!(first(&change.commands), "chmod +x '/home/u/run me.sh'");
}

#[test]
fn copies_in_the_sandbox_are_named_by_the_users_file() {
    let reason = "Error from slot1@h: Failed to execute '/var/lib/condor/execute/dir_487/run.sh': invalid interpreter (/usr/bin/pyhton3) specified on first line of script (errno=2: 'No such file or directory')";
    let said =
        |facts: &JobFacts| text(&changed(Action::Other, &hold(6, 2, reason), facts).unwrap());
    assert!(said(&facts()).starts_with("Correct the first line of run.sh: /usr/bin/pyhton3"));
    let ours = JobFacts { command: Some("/home/u/run.sh".to_owned()), ..facts() };
    assert!(said(&ours).contains("first line of /home/u/run.sh"));
    let output = "Transfer output files failure at execution point slot1_3@h while sending files to access point ap. Details: reading from file /var/lib/condor/execute/dir_1178/out/results.dat: (errno 2) No such file or directory";
    let text = text(&changed(Action::Other, &hold(12, 2, output), &facts()).unwrap());
    assert!(text.contains("program wrote no out/results.dat"), "{text}");
}

#[test]
fn a_duration_that_the_ad_does_not_show_exceeded_is_named() {
    let facts = JobFacts { allowed_durations: vec![("AllowedExecuteDuration", 3600)], ..facts() };
    let change = changed(Action::Other, &hold(47, 0, ""), &facts).unwrap();
    assert!(text(&change).contains("AllowedExecuteDuration, 3600 s now"), "{}", text(&change));
    assert!(change.commands.is_empty());
}

#[test]
fn a_limit_of_the_job_is_raised_before_its_request() {
    let limit = OwnLimit {
        policy: "PeriodicHold".to_owned(),
        test: "MemoryUsage > Most".to_owned(),
        reached: 130.0,
        limit: 128.0,
        measure: Measure::Memory,
        raise: Raise::Attribute { name: "Most".to_owned(), from: 128.0, to: 260 },
        again: HeldAgain::WhenReached,
    };
    let own = hold(3, 0, "uses too much memory");
    let facts = JobFacts { own_limit: Some(limit.clone()), ..facts() };
    assert!(applicable_actions(&own, &facts).contains(&Action::Other));
    let commands = changed(Action::Other, &own, &facts).unwrap().commands;
    assert_eq!(first(&commands), "condor_qedit -constraint true Most 260");
    let limit = OwnLimit { raise: Raise::Request(Request::Memory), ..limit };
    let facts = JobFacts { own_limit: Some(limit), memory_usage: Some(130), ..facts };
    let commands = changed(Action::Memory, &own, &facts).unwrap().commands;
    assert_eq!(first(&commands), "condor_qedit -constraint true RequestMemory 384");
}

#[test]
fn hostile_names_do_not_reach_commands() {
    let facts = JobFacts {
        last_remote_host: Some("slot1@a\"; true || \"".to_owned()),
        requirements: Some("true".to_owned()),
        glidein_site: Some("x\u{1b}[31m".to_owned()),
        ..facts()
    };
    assert!(changed(Action::Site, &hold(45, 0, ""), &facts).is_none());
}

proptest! {
    #[test]
    fn every_command_is_one_line_and_fits_the_action(
        code in 0_i32..52, subcode in prop::sample::select(vec![0, 2, 8, 12, 13, 28, 62, 102, 104, 122, 256, -9]),
        reason in any::<String>(), name in any::<String>(), number in any::<i64>(),
    ) {
        let facts = JobFacts {
            num_holds: Some(number), request_memory: Some(number), memory_usage: Some(number),
            memory_provisioned: Some(number), disk_usage: Some(number), disk_provisioned: Some(number),
            last_remote_host: Some(name.clone()), glidein_site: Some(name.clone()), requirements: Some(name.clone()),
            command: Some(name.clone()), iwd: Some("/i".to_owned()), proxy: Some(name.clone()), image: Some(name),
            allowed_durations: vec![("AllowedJobDuration", number)], ..facts()
        };
        let hold = hold(code, subcode, &reason);
        for action in applicable_actions(&hold, &facts) {
            let change = changed(action, &hold, &facts);
            prop_assert_eq!(change.is_none(), action == Action::AsIs);
            let Some(change) = change else { continue };
            let lines = change.commands.iter().map(|command| command.line("true"));
            for text in lines.chain([text(&change)]) {
                prop_assert!(crate::text::is_fit(&text), "{text:?}");
            }
        }
    }
}
