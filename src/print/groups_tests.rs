//! Groups of held jobs as they are printed.

use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;
use crate::advice::{AgainstChoice, Change, Correction, Missing, Near};
use crate::advice::{Command, Target};
use crate::features::Scope;
use crate::print::Style;
use crate::print::samples::{self, NOW};

fn text(advices: &[Advice], columns: Option<usize>) -> String {
    print_groups(advices, columns, false)
}

fn print_groups(advices: &[Advice], columns: Option<usize>, removals: bool) -> String {
    let mut groups = Groups::default();
    advices.iter().for_each(|advice| groups.add(advice));
    let mut out = Vec::new();
    let page = Page {
        style: Style { columns, removals, ..Style::default() },
        now: NOW,
        zone: TimeZone::UTC,
    };
    groups.print(&mut out, &page).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn like_holds_share_a_command() {
    let advices = [
        samples::transfer(1234, 0),
        samples::transfer(1234, 1),
        samples::transfer(1234, 2),
        samples::memory(1234, 3, 2048),
        samples::memory(1234, 4, 4096),
        samples::memory(1234, 5, 4096),
        samples::memory(1234, 7, 4096),
    ];
    insta::assert_snapshot!(text(&advices, Some(80)));
}

#[test]
fn what_htcondor_will_do_is_told_where_all_share_it() {
    let mut advices = [samples::transfer(1, 0), samples::transfer(1, 1)];
    let holds = |policy: &str| Prediction::HoldsAgain { policy: policy.to_owned() };
    let shared = ["A", "B", "C"].map(holds);
    advices[0].htcondor_will = [vec![Prediction::Nothing { days: 1 }], shared.to_vec()].concat();
    advices[1].htcondor_will = [shared.to_vec(), vec![Prediction::Nothing { days: 2 }]].concat();
    let text = text(&advices, None);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("By itself:")).collect();
    assert_eq!(lines.len(), BY_ITSELF, "{text}");
    assert!(lines[0].contains("A is true") && lines[1].contains("B is true"), "{text}");
}

#[test]
fn what_each_job_needs_for_itself_is_told_of_one() {
    let site = |proc: i32, name: &str| {
        let mut advice = samples::memory(5, proc, 2048);
        let (what, input) = (Correction::Input, Some(name.into()));
        let what = ChangeKind::correct(what, input);
        advice.change = Some(Change::new(what, Vec::new()));
        advice.commands[0] = samples::edit("Requirements", &format!("M =!= \"{name}\""));
        advice
    };
    let differ = text(&[site(0, "e1"), site(1, "f1")], None);
    let first = "Change first: Put the input file back, or correct its path in TransferInput. Each has its own: 5.0 has e1, 5.1 has f1.";
    assert!(differ.contains(first), "{differ}");
    assert!(differ.contains(
        "\n  Commands for 5.1:\ncondor_qedit -constraint '(ClusterId == 5 && ProcId == 1 && "
    ));
    assert!(!differ.contains("-long"), "{differ}");
    // By hand: the release is the same for all.
    let mut advices = [site(0, "/in/1.dat"), site(1, "/in/2.dat")];
    for advice in &mut advices {
        (advice.commands, advice.commands_after) = (vec![], vec![Command::Release]);
    }
    let by_hand = text(&advices, None);
    assert!(by_hand.contains("5.0 has /in/1.dat, 5.1 has /in/2.dat."), "{by_hand}");
    assert!(
        by_hand.contains("  After that:\ncondor_release -constraint '(ClusterId == 5 && "),
        "{by_hand}"
    );
    let many: Vec<Advice> = (0..9).map(|proc| site(proc, &format!("/in/{proc}"))).collect();
    let many = text(&many, None);
    assert!(many.contains("5.2 has /in/2; 6 more jobs have others."), "{many}");
}

#[test]
fn jobs_that_need_the_same_edit_share_a_command() {
    let of = |sizes: &[u32]| {
        let advices = (0..).zip(sizes).map(|(proc, size)| samples::memory(5, proc, *size));
        text(&advices.collect::<Vec<_>>(), None)
    };
    let procs = |text: &str, procs: &str, size: u32, whose: &str| {
        let label = format!("\n  Commands for {whose}:\n");
        let edit =
            format!("condor_qedit -constraint '(ClusterId == 5 && {procs} && JobStatus == 5");
        let at = text.find(&(label + &edit)).unwrap_or_else(|| panic!("{text}"));
        let line = text[at..].lines().nth(2).unwrap();
        assert!(line.ends_with(&format!(" RequestMemory {size} &&")), "{line}");
        let release = text[at..].lines().nth(3).unwrap();
        assert!(
            release.starts_with(&format!("condor_release -constraint '(ClusterId == 5 && {procs}"))
        );
    };
    let text = of(&[1024, 4096, 1025, 6000, 1024]);
    assert!(
        text.contains("RequestMemory to 1024-6000 MiB. Each command gives its jobs the largest.")
    );
    procs(&text, "(ProcId == 0 || ProcId == 2 || ProcId == 4)", 1025, "3 of the 5 jobs");
    procs(&text, "(ProcId == 1 || ProcId == 3)", 6000, "2 of the 5 jobs");
    assert!(!text.contains("-long"), "{text}");
    // Each needs something else: the most common first, as many lines as can be read.
    let sizes: Vec<u32> = (0..40).map(|n| 10 * 4_u32.pow(n.min(10)) / 4).collect();
    let text = of(&sizes);
    let lines = command_lines(&text);
    assert_eq!(lines.len(), COMMANDS, "{text}");
    assert!(text.contains("Commands for 30 of the 40 jobs:"), "{text}");
    assert!(
        text.contains(
            "  Commands: -long, asked of the same jobs and logs, has those for 7 other jobs.\n"
        ),
        "{text}"
    );
}

#[test]
fn jobs_without_a_command_are_counted() {
    let mut advices = [samples::memory(5, 0, 1024), samples::memory(5, 1, 1024)];
    advices[1].commands.clear();
    let text = text(&advices, None);
    assert!(text.contains("\n  Commands for 5.0:\n"), "{text}");
    assert!(text.contains("\n  Commands: None for 1 job.\n"), "{text}");
}

#[test]
fn what_is_looked_at_differs_and_the_release_is_for_all() {
    let advices: Vec<Advice> = (0..12)
        .map(|proc| {
            let mut advice = samples::transfer(5, proc);
            advice.recommendation = Recommendation::Look;
            advice.undecided = Some(Undecided::NotNamed);
            let words = ["less", "+G", &format!("/out/{proc}.err")].map(str::to_owned);
            advice.commands = vec![Command::Run(words.to_vec())];
            advice.commands_after = vec![Command::Release];
            advice
        })
        .collect();
    let text = text(&advices, None);
    assert!(text.contains("\n  Commands for 5.7:\nless +G /out/7.err\n"), "{text}");
    assert!(text.contains(
        "  Commands: -long, asked of the same jobs and logs, has those for 4 other jobs.\n"
    ));
    let all = "\n  Once it is in order:\ncondor_release -constraint '(ClusterId == 5 && ProcId >= 0 && ProcId <= 11 && ";
    assert!(text.contains(all), "{text}");
    assert_eq!(command_lines(&text).len(), COMMANDS + 1);

    // A release of every member is worth it where the look shows nothing.
    let second = |advices: &mut [Advice]| {
        for advice in advices {
            let release = advice.choices.choices.iter_mut();
            for choice in release.filter(|it| it.recommendation == Recommendation::Release) {
                choice.against = Some(AgainstChoice::ChangeIsBetter);
            }
        }
    };
    let label = "\n  Once it is in order, or if nothing is wrong there:\ncondor_release ";
    let mut advices = advices;
    second(&mut advices[1..]);
    assert!(!print_groups(&advices, None, false).contains(label));
    second(&mut advices);
    assert!(print_groups(&advices, None, false).contains(label));
}

#[test]
fn a_command_in_a_part_is_bound_to_the_holds_of_its_jobs() {
    let mut advices = [1024, 4096, 1024].map(|size| samples::memory(5, 0, size));
    for (proc, advice) in (0..).zip(&mut advices) {
        advice.held.job.proc = proc;
        advice.target.job.proc = proc;
        advice.target.num_holds = Some(i64::from(proc) + 2);
    }
    let text = text(&advices, None);
    let both = "((ProcId == 0 && JobStatus == 5 && HoldReasonCode == 34 && NumHolds == 2 && EnteredCurrentStatus == \
                1772358360) || (ProcId == 2 && JobStatus == 5 && HoldReasonCode == 34 && NumHolds == 4 && ";
    assert!(text.contains(both), "{text}");
    assert!(
        !command_lines(&text)
            .iter()
            .any(|line| { line.contains("RequestMemory 1024") && line.contains("ProcId == 1 ") })
    );
}

#[test]
fn what_was_seen_of_all_is_printed_and_of_one_names_it() {
    let mut advices = [0, 1, 2].map(|proc| samples::transfer(9, proc));
    for (jobs, advice) in [1, 3, 2].into_iter().zip(&mut advices) {
        let Evidence::BeganSince { jobs: seen, .. } = &mut advice.evidence[0] else { panic!() };
        *seen = jobs.into();
    }
    let all = text(&advices, None);
    let lines: Vec<&str> = all
        .lines()
        .filter(|line| line.starts_with("  Evidence") || line.starts_with("  And:"))
        .collect();
    assert_eq!(
        lines,
        [
            "  Evidence, for each: 1-3 other jobs with input from data.example.org began to execute since this hold, the \
         last 10 minutes ago.",
            "  And: All releases from code 13/256 without a known edit so far: 3 of 4 succeeded among \
         jobs of this cluster; the first 2 hours ago.",
            "  And: This job began to execute 1 time, and was held 1 time before.",
        ]
    );
    advices[1].evidence.remove(0);
    let some = text(&advices, None);
    assert!(some.contains("  Evidence, for 9.0: 1 other job with"), "{some}");
    assert!(some.contains("  Evidence, for each: All releases from code"), "{some}");
    assert!(!some.contains("Last ran at"), "{some}");
}

#[test]
fn where_the_jobs_ran_is_printed_where_the_advice_is_about_it() {
    let mut advices: Vec<Advice> = (0..9).map(|proc| samples::transfer(9, proc)).collect();
    for (proc, advice) in advices.iter_mut().enumerate() {
        advice.action = Some(Action::Site);
        advice.held.place = [Some("e1"), Some("e1"), Some("e2"), Some("e3"), Some("e4"), None]
            .get(proc.saturating_sub(3))
            .copied()
            .flatten()
            .map(Foreign::from);
    }
    let text = text(&advices, None);
    let line =
        "  Last ran at: e1 (5 jobs), e2 (1 job), e3 (1 job), 1 other (1 job); not known of 1 job\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn wordings_of_one_cause_are_one_group() {
    let worded = |proc: i32, code: i32, reason: &str| {
        let mut advice = samples::transfer(8, proc);
        advice.held.code = Some(code);
        advice.held.reason = Some(reason.into());
        advice.held.cause = SharedCause::of(code, 256, reason);
        advice
    };
    let of = |code| text(&[worded(0, code, "too long"), worded(1, code, "too\nbig")], None);
    assert!(of(13).contains("2 held jobs in 1 group;"), "{}", of(13));
    assert!(of(13).contains("  Hold reason: \"too [...]\"\n"));
    assert!(of(26).contains("2 held jobs in 2 groups;"));
    assert!(of(26).contains("  Hold reason: \"too long\"\n"));
    assert!(of(26).contains("  Hold reason: \"too big\"\n"));
}

#[test]
fn reasons_show_what_they_share() {
    let shared = |reasons: &[&str]| {
        let mut words = SharedWords::new(reasons[0], Some(13));
        reasons.iter().for_each(|reason| words.add(reason, Some(13)));
        words.text()
    };
    let of = |host: &str, file: u32| {
        format!(
            "Transfer input files failure at execution point slot1@{host}. Details: The requested URL returned \
             error: 404 ( URL file = http://h.org/in/{file}.dat )|"
        )
    };
    assert_eq!(
        shared(&[&of("e1", 1), &of("e2", 27), &of("e2", 3)]),
        Some(
            "The requested URL returned error: 404 ( URL file = http://h.org/in/[...].dat )|"
                .to_owned()
        )
    );
    assert_eq!(
        shared(&["it used 3 MB", "it used 4 MB of 2 MB"]),
        Some("it used [...] MB".to_owned())
    );
    assert_eq!(shared(&["a b c", "x"]), None);
    assert_eq!(shared(&["é1/x", "é2/x"]), Some("[...]/x".to_owned()));
    let quoted = shared(&["open \u{2018}1.dat\u{2019}", "open \u{2018}2.dat\u{2019}"]);
    assert_eq!(quoted, Some("open \u{2018}[...].dat\u{2019}".to_owned()));
}

#[test]
fn logs_that_cannot_be_read_are_counted() {
    let lacks = |proc: i32, fault: &str| {
        let mut advice = samples::transfer(6, proc);
        let log = format!("/home/u/{proc}.log").into();
        advice.missing.push(Missing::JobLog { log, fault: fault.into() });
        advice
    };
    let mut advices = [lacks(0, "No such file"), lacks(1, "No such file"), lacks(2, "denied")];
    let log = "/dag.nodes.log".into();
    advices[1].missing.push(Missing::JobLog { log, fault: "No such file".into() });
    let text = text(&advices, None);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("Judged without")).collect();
    assert_eq!(
        lines,
        [
            "Judged without: event log /var/log/condor/EventLog: permission denied",
            "Judged without: job event log /home/u/0.log: No such file; and so for 1 more job",
            "Judged without: job event log /home/u/2.log: denied",
        ]
    );
}

#[test]
fn other_advice_in_the_same_hold_is_left_out() {
    let mut wait = samples::transfer(9, 2);
    wait.recommendation = Recommendation::Wait;
    wait.commands_after = std::mem::take(&mut wait.commands);
    let text = text(&[samples::transfer(9, 0), samples::transfer(9, 1), wait], None);
    let held = format!(
        "JobStatus == 5 && HoldReasonCode == 13 && NumHolds == 2 && EnteredCurrentStatus == {})'\n",
        NOW - 8040
    );
    let both = "  Commands:\ncondor_release -constraint '(ClusterId == 9 && ProcId >= 0 && ProcId <= 1 && ";
    assert!(text.contains(&format!("{both}{held}")), "{text}");
    let one =
        "  When that has happened:\ncondor_release -constraint '(ClusterId == 9 && ProcId == 2 && ";
    assert!(text.contains(&format!("{one}{held}")), "{text}");
}

#[test]
fn a_group_is_removed_only_if_asked_for() {
    let remove = |proc: i32| {
        let mut advice = samples::transfer(9, proc);
        advice.recommendation = Recommendation::Remove;
        advice.commands = vec![Command::Remove];
        advice
    };
    let printed = |advices: &[Advice], removals: bool| print_groups(advices, None, removals);
    let both = [remove(0), remove(1)];
    let unasked = printed(&both, false);
    assert!(!unasked.contains("condor_rm") && unasked.contains("-removals"), "{unasked}");
    assert!(
        printed(&both, true).contains("\ncondor_rm -constraint '(ClusterId == 9 && ProcId >= 0")
    );
    assert!(
        printed(&both[..1], false)
            .contains("\ncondor_rm -constraint '(ClusterId == 9 && ProcId == 0")
    );
}

/// Lines for people that can be pasted: they begin with a lower-case letter in the first
/// column.
fn command_lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase())).collect()
}

/// The commands of an advice as they are printed.
fn commands_of(advice: &Advice) -> Vec<String> {
    let constraint = advice.target.constraint();
    let all = [&advice.commands, &advice.commands_after]
        .map(|some| commands::lines(some, &constraint).join(" &&\n"));
    all.iter().flat_map(|some| some.lines()).map(str::to_owned).collect()
}

proptest! {
    #[test]
    fn no_text_looks_like_a_command(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "condor_rm 1.0", "condor_release -all", "\n", "\r\n", "\u{2028}", "\u{2800}", "\u{a0}", "\u{3000}",
                "\t", "        ", "\u{1b}[2J\u{1b}[H", "\u{9b}1G", "\u{85}", "\u{b}", "chmod", "x", "Commands:", "&&",
                "a-word-that-is-longer-than-many-a-line-of-a-terminal-is-wide", "\u{200b}", "日本",
            ]),
            0..30,
        ),
        columns in prop::option::of(1_usize..130),
        recommendation in 0..7_usize,
        by_hand in any::<bool>(),
    ) {
        let text = words.join(" ");
        let cause = SharedCause::of(26, 0, &text);
        let hostile = |proc: i32| {
            let text = if proc == 0 { text.clone() } else { text.chars().rev().collect() };
            let mut advice = samples::memory(1, proc, 2048);
            advice.missing = vec![Missing::Source(text.as_str().into()); 2];
            advice.notes = vec![text.clone(), text.clone()];
            let name = Some(Foreign::from(text.as_str()));
            let near = Near { scope: Scope::Server, name: name.clone(), input: false };
            advice.evidence = vec![Evidence::HeldNow { near, jobs: 1.into(), code: 26 }; 2];
            advice.htcondor_will = vec![Prediction::NotEvaluated { reason: text.clone() }; 2];
            let what = ChangeKind::correct(Correction::Input, name.clone());
            advice.change = Some(Change::new(what, Vec::new()));
            advice.held.reason = name.clone();
            advice.held.owner = name.clone();
            advice.held.code = Some(26);
            advice.held.cause = cause.clone();
            advice.undecided = Some(Undecided::UnknownCode { releases: 1 });
            advice.trust.trained_on.clone_from(&text);
            advice.wait = Some(crate::advice::Wait { what: WaitFor::InOrder { server: name }, until: None, look_again: 0, likely: None });
            advice.inputs[0].input.clone_from(&text);
            use Recommendation as R;
            let all = [R::Release, R::Try, R::Change, R::Wait, R::Look, R::Remove, R::Undecided];
            advice.recommendation = all[recommendation];
            if by_hand {
                (advice.commands, advice.commands_after) = (vec![], vec![Command::Release]);
            }
            advice
        };
        let one = hostile(0);
        let block = print_groups(std::slice::from_ref(&one), columns, true);
        prop_assert_eq!(command_lines(&block), commands_of(&one), "{}", block);
        let two = [hostile(0), hostile(2)];
        let groups = print_groups(&two, columns, true);
        let targets: Vec<Target> = two.iter().map(|advice| advice.target).collect();
        let shared = constraint_of(&targets).unwrap();
        let own = one.target.constraint();
        let of_all: Vec<String> =
            commands_of(&one).iter().map(|line| line.replace(&own, &shared)).collect();
        prop_assert_eq!(command_lines(&groups), of_all, "{}", groups);
    }
}

#[test]
fn more_groups_than_anybody_reads_are_counted() {
    let advices: Vec<Advice> = (1..=60).map(|cluster| samples::transfer(cluster, 0)).collect();
    let text = text(&advices, None);
    assert_eq!(text.lines().filter(|line| line.starts_with("Job ")).count(), 50);
    let end = "60 held jobs in 60 groups, of which the first 50 are printed; -totals counts all; \
               -nobatch prints a line for each";
    assert!(text.contains(end), "{text}");
}
