//! Incidents of held jobs as they are printed.

use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;
use crate::advice::{Change, Correction, Missing, Near};
use crate::advice::{Command, Target};
use crate::diagnosis::AtFault;
use crate::features::Scope;
use crate::print::Style;
use crate::print::samples::{self, NOW};

fn text(advices: &[Advice], columns: Option<usize>) -> String {
    print_incidents(advices, &page(columns))
}

fn page(columns: Option<usize>) -> Page {
    let style = Style { columns, ..Style::default() };
    Page { style, now: NOW, zone: TimeZone::UTC, again: None }
}

fn print_incidents(advices: &[Advice], page: &Page) -> String {
    let mut incidents = Incidents::default();
    advices.iter().for_each(|advice| incidents.add(advice));
    let mut out = Vec::new();
    incidents.print(&mut out, page).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_release_and_a_change() {
    insta::assert_snapshot!("a_release", text(&[samples::transfer(1234, 0)], Some(80)));
    insta::assert_snapshot!("a_change", text(&[samples::memory(1234, 5, 2048)], Some(80)));
}

#[test]
fn an_unknown_code() {
    let mut advice = samples::transfer(7, 0);
    advice.recommendation = Recommendation::Undecided;
    advice.undecided = Some(Undecided::UnknownCode { releases: 3 });
    (advice.action, advice.is_judged) = (None, false);
    (advice.inputs, advice.commands) = (Vec::new(), Vec::new());
    (advice.wait, advice.held.code) = (None, Some(37));
    insta::assert_snapshot!(text(&[advice], Some(80)));
}

#[test]
fn all_that_an_advice_rests_on() {
    let page = page(Some(80));
    let page = Page { style: Style { why: true, ..page.style }, ..page };
    insta::assert_snapshot!(print_incidents(&[samples::memory(1234, 5, 2048)], &page));
}

#[test]
fn what_the_tool_can_do_itself_is_a_call_of_it() {
    let page = Page { again: Some("condor_holdadvise -name ap".to_owned()), ..page(None) };
    let of = |advices: &[Advice]| print_incidents(advices, &page);
    let release = of(&[samples::transfer(7, 0)]);
    assert!(release.contains("\n  do         condor_holdadvise -name ap -apply release 7.0\n"));
    assert!(release.contains("\n  more       condor_holdadvise -name ap -why 7.0\n"));
    let both = of(&[samples::memory(7, 0, 2048), samples::memory(7, 1, 64)]);
    assert!(
        both.contains("\n  do         condor_holdadvise -name ap -apply change 7.0 7.1\n"),
        "{both}"
    );
    let all = of(&[samples::transfer(7, 0), samples::transfer(7, 1)]);
    assert!(all.contains("\n  do         condor_release -constraint '"), "{all}");
    let node = |cluster| {
        let mut advice = samples::transfer(cluster, 0);
        advice.held.dagman_job_id = Some(5);
        advice
    };
    let mut nodes = [node(7), node(8)];
    nodes[0].commands.clear();
    let nodes = of(&nodes[..]);
    assert!(!nodes.contains(" -apply release 7"), "{nodes}");
    // What no edit of an attribute does is to be pasted.
    let mut by_hand = samples::memory(7, 0, 2048);
    by_hand.commands = vec![Command::Run(vec!["chmod".to_owned(), "\u{1b}]x".to_owned()])];
    let by_hand = of(&[by_hand]);
    assert!(by_hand.contains("\n  do         chmod x\n"), "{by_hand}");
}

#[test]
fn no_escape_reaches_the_terminal() {
    let mut advice = samples::transfer(1, 0);
    advice.held.reason = Some("\u{1b}[2Jcleared\u{1b}]0;t\u{7}\nnext \u{202e}line".into());
    advice.held.owner = Some("a\u{9b}1mb".into());
    let text = text(&[advice], Some(80));
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    assert!(text.contains("\n  | cleared next \\u{202e}line") && text.contains("of \"ab\","));
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
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  by itself ")).collect();
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
    let first = "  CHANGE     Put the input file back, or correct its path in TransferInput. Each has its own: 5.0 has e1, 5.1 has f1. Then release.";
    assert!(differ.contains(first), "{differ}");
    assert!(differ.contains(
        "\n  do         for 5.1:\n             condor_qedit -constraint '(ClusterId == 5 && ProcId == 1 && "
    ), "{differ}");
    assert!(!differ.contains("-long"), "{differ}");
    // By hand: the release is the same for all.
    let mut advices = [site(0, "/in/1.dat"), site(1, "/in/2.dat")];
    for advice in &mut advices {
        (advice.commands, advice.commands_after) = (vec![], vec![Command::Release]);
    }
    let by_hand = text(&advices, None);
    assert!(by_hand.contains("5.0 has /in/1.dat, 5.1 has /in/2.dat."), "{by_hand}");
    assert!(
        by_hand.contains("  afterwards condor_release -constraint '(ClusterId == 5 && "),
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
        let label = format!(" for {whose}:\n             ");
        let edit =
            format!("condor_qedit -constraint '(ClusterId == 5 && {procs} && JobStatus == 5");
        let at = text.find(&(label + &edit)).unwrap_or_else(|| panic!("{text}"));
        let line = text[at..].lines().nth(1).unwrap();
        assert!(line.ends_with(&format!(" RequestMemory {size} &&")), "{line}");
        let release = text[at..].lines().nth(2).unwrap().trim_start();
        assert!(
            release.starts_with(&format!("condor_release -constraint '(ClusterId == 5 && {procs}"))
        );
    };
    let text = of(&[1024, 4096, 1025, 6000, 1024]);
    assert!(text.contains(
        "RequestMemory to 1024-6000 MiB. Each command gives its jobs the largest. Then release."
    ));
    procs(&text, "(ProcId == 0 || ProcId == 2 || ProcId == 4)", 1025, "3 of the 5 jobs");
    procs(&text, "(ProcId == 1 || ProcId == 3)", 6000, "2 of the 5 jobs");
    assert!(!text.contains("-long"), "{text}");
    // Each needs something else: the most common first, as many lines as can be read.
    let sizes: Vec<u32> = (0..40).map(|n| 10 * 4_u32.pow(n.min(10)) / 4).collect();
    let text = of(&sizes);
    let lines = command_lines(&text);
    assert_eq!(lines.len(), COMMANDS, "{text}");
    assert!(text.contains("  do         for 30 of the 40 jobs:"), "{text}");
    assert!(text.contains("  note       -long has the commands for 9 other jobs.\n"), "{text}");
}

#[test]
fn jobs_without_a_command_are_counted() {
    let mut advices = [samples::memory(5, 0, 1024), samples::memory(5, 1, 1024)];
    advices[1].commands.clear();
    let text = text(&advices, None);
    assert!(text.contains("\n  do         for 5.0:\n"), "{text}");
    assert!(text.contains("\n  note       No command for 1 job.\n"), "{text}");
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
    assert!(text.contains(" for 5.2:\n             less +G /out/2.err\n"), "{text}");
    assert!(text.contains("  note       -long has the commands for 8 other jobs.\n"), "{text}");
    let all = "\n  afterwards condor_release -constraint '(ClusterId == 5 && ProcId >= 0 && ProcId <= 11 && ";
    assert!(text.contains(all), "{text}");
    assert_eq!(command_lines(&text).len(), COMMANDS + 1);
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
    let both = "((ProcId == 0 && JobStatus == 5 && NumHolds == 2) || \
                (ProcId == 2 && JobStatus == 5 && NumHolds == 4))";
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
    let seen = "\n  why        1-3 other jobs with input from data.example.org began to execute since this hold, the \
                last 10 minutes ago.\n";
    assert!(all.contains(seen), "{all}");
    advices[1].evidence.clear();
    let some = text(&advices, None);
    assert!(some.contains("\n  why        Of 9.0: 1 other job with"), "{some}");
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
    assert!(of(13).starts_with("2 jobs of cluster 8 "), "{}", of(13));
    assert!(of(13).contains("\n  | too [...]\n"));
    assert!(of(26).starts_with("2 held jobs of 1 user, 2 incidents.\n"), "{}", of(26));
    assert!(of(26).contains("\n  | too long\n") && of(26).contains("\n  | too big\n"));
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
    let mut sources = Sources::default();
    advices.iter().for_each(|advice| sources.add(advice));
    let mut out = Vec::new();
    sources.print_missing(&mut out, &page(None)).unwrap();
    let lines = String::from_utf8(out).unwrap();
    assert_eq!(
        lines.lines().collect::<Vec<_>>(),
        [
            "Judged without: event log /var/log/condor/EventLog: permission denied",
            "Judged without: job event log /home/u/0.log: No such file; and so for 1 more job",
            "Judged without: job event log /home/u/2.log: denied",
        ]
    );
    assert!(text(&advices, None).ends_with(
        "\n3 sources could not be read; the advice allows for that (-why names them).\n"
    ));
}

#[test]
fn other_advice_in_the_same_hold_is_left_out() {
    let mut wait = samples::transfer(9, 2);
    wait.recommendation = Recommendation::Wait;
    wait.commands_after = std::mem::take(&mut wait.commands);
    let text = text(&[samples::transfer(9, 0), samples::transfer(9, 1), wait], None);
    let both = "\n  do         condor_release -constraint '(ClusterId == 9 && ProcId >= 0 && ProcId <= 1 && \
                JobStatus == 5 && NumHolds == 2)'\n";
    assert!(text.contains(both) && !text.contains("ProcId <= 2"), "{text}");
}

#[test]
fn a_removal_is_for_one_job_at_a_time() {
    let remove = |proc: i32| {
        let mut advice = samples::transfer(9, proc);
        advice.recommendation = Recommendation::Remove;
        advice.commands = vec![Command::Remove];
        advice
    };
    let both = text(&[remove(0), remove(1)], None);
    assert!(
        !both.contains("condor_rm") && both.contains("  note       One job at a time"),
        "{both}"
    );
    let one = text(&[remove(0)], None);
    assert!(one.contains("\n  do         condor_rm -constraint '(ClusterId == 9 && ProcId == 0"));
}

/// What stands behind the labels of commands, without what says for which jobs.
fn command_lines(text: &str) -> Vec<&str> {
    let mut is_command = false;
    let lines = text.lines().filter_map(|line| {
        let label = line.get(..13).filter(|label| label.is_ascii()).unwrap_or("x");
        if !label.trim().is_empty() {
            is_command = matches!(label, "  do         " | "  afterwards ");
        }
        let rest = line.get(13..).filter(|_| is_command)?;
        rest.starts_with(|c: char| c.is_ascii_lowercase()).then_some(rest)
    });
    lines.filter(|line| !line.starts_with("for ")).collect()
}

/// The commands of an advice as they are printed.
fn commands_of(advice: &Advice) -> Vec<String> {
    let constraint = advice.target.constraint();
    let all = [&advice.commands, &advice.commands_after]
        .map(|some| card::lines(some, &constraint).join(" &&\n"));
    all.iter().flat_map(|some| some.lines()).map(str::to_owned).collect()
}

/// Text for people, with all that an advice rests on.
fn text_of(advices: &[Advice], columns: Option<usize>) -> String {
    let page = page(columns);
    print_incidents(advices, &Page { style: Style { why: true, ..page.style }, ..page })
}

proptest! {
    #[test]
    fn no_text_looks_like_a_command(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "condor_rm 1.0", "condor_release -all", "\n", "\r\n", "\u{2028}", "\u{2800}", "\u{a0}", "\u{3000}",
                "\t", "        ", "\u{1b}[2J\u{1b}[H", "\u{9b}1G", "\u{85}", "\u{b}", "chmod", "x", "  do         condor_rm 2.0", "&&",
                "a-word-that-is-longer-than-many-a-line-of-a-terminal-is-wide", "\u{200b}", "日本",
            ]),
            0..30,
        ),
        columns in prop::option::of(1_usize..130),
        recommendation in 0..7_usize,
        by_hand in any::<bool>(),
    ) {
        let text = words.join(" ");
        let (cause, owner) = (SharedCause::of(26, 0, &text), Foreign::from(text.as_str()));
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
            // The jobs of an owner are one incident.
            advice.held.owner = Some(owner.clone());
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
        let block = text_of(std::slice::from_ref(&one), columns);
        prop_assert_eq!(command_lines(&block), commands_of(&one), "{}", block);
        let two = [hostile(0), hostile(2)];
        let incidents = text_of(&two, columns);
        let targets: Vec<Target> = two.iter().map(|advice| advice.target).collect();
        let shared = constraint_of(&targets).unwrap();
        let own = one.target.constraint();
        let of_all: Vec<String> =
            commands_of(&one).iter().map(|line| line.replace(&own, &shared)).collect();
        // A removal is for one job at a time.
        let of_all = if one.recommendation == Recommendation::Remove { vec![] } else { of_all };
        prop_assert_eq!(command_lines(&incidents), of_all, "{}", incidents);
    }
}

#[test]
fn many_incidents_begin_with_a_table() {
    let of = |cluster: i32, owner: &str, number: u32| {
        let mut advice = samples::memory(cluster, 0, 2048);
        advice.held.owner = Some(owner.into());
        advice.held.cause = SharedCause::Reason(format!("cause {number}"));
        advice
    };
    let one = |cluster| of(cluster, "ann", 0);
    // An incident has a card alone, over clusters.
    let few = text(&(1..=9).map(one).collect::<Vec<_>>(), Some(80));
    assert!(few.starts_with("9 jobs of 9 clusters of ann, held for up to 2h14m"), "{few}");
    assert_eq!(command_lines(&few).len(), 2, "{few}");
    let many: Vec<Advice> = (0..60).map(|n| of(n + 1, &format!("u{}", n % 7), n as u32)).collect();
    let many = text(&many, Some(80));
    assert!(many.starts_with("60 held jobs of 7 users, 60 incidents.\n"), "{many}");
    assert!(many.contains("\n40 more incidents of 40 jobs: -incidents prints all.\n"), "{many}");
    assert!(many.lines().count() <= 60, "{many}");
    assert!(many.lines().filter(|line| !line.contains("-constraint")).all(|line| line.len() <= 80));
}

#[test]
fn a_card_of_several_users_has_nothing_of_one_alone() {
    let of = |cluster: i32, owner: &str, server: &str| {
        let mut advice = samples::transfer(cluster, 0);
        let reason =
            format!("Details: no route to {server} ( URL file = http://{server}/{owner}.dat )");
        (advice.held.owner, advice.held.reason) = (Some(owner.into()), Some(reason.into()));
        advice.held.cause = SharedCause::Reason("one".to_owned());
        advice.diagnosis.at_fault = vec![AtFault { fault: Fault::Server, probability: 0.9 }];
        advice.look = Some(LookAt::Url { url: format!("http://{server}/{owner}.dat").into() });
        advice.recommendation = Recommendation::Look;
        (advice.commands, advice.commands_after) = (vec![], vec![Command::Release]);
        advice.evidence.clear();
        advice
    };
    let both = text(&[of(7, "ann", "s.org"), of(9, "bob", "s.org")], None);
    assert!(both.starts_with("2 jobs (7.0, 9.0) of ann and bob, held"), "{both}");
    assert!(both.contains("http://s.org/[...].dat") && !both.contains("ann.dat"), "{both}");
    assert_eq!(command_lines(&both).len(), 1, "{both}");
    let three = [of(7, "ann", "s.org"), of(9, "bob", "s.org"), of(9, "eve", "s.org")];
    assert!(text(&three, None).contains(" of 3 users, held"));
}

#[test]
fn another_cluster_needs_another_number() {
    let both = text(&[samples::memory(5, 0, 512), samples::memory(6, 0, 65_536)], None);
    assert_eq!(command_lines(&both).len(), 4, "{both}");
    let alike = text(&[samples::memory(5, 0, 512), samples::memory(6, 0, 512)], None);
    assert_eq!(command_lines(&alike).len(), 2, "{alike}");
}
