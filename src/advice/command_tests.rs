use classads::{ClassAd, EvalContext, Expr, Value};
use proptest::prelude::*;

use super::*;
use crate::advice::Editable;

const HELD: i64 = 1_772_359_200;

fn target(proc: i32, num_holds: i64, at: i64) -> Target {
    Target {
        job: JobId::new(7, proc),
        code: Some(13),
        num_holds: Some(num_holds),
        since: Some(Since::At(at)),
    }
}

fn ad(target: &Target) -> ClassAd {
    let mut ad = ClassAd::new();
    ad.insert_value("ClusterId", i64::from(target.job.cluster));
    ad.insert_value("ProcId", i64::from(target.job.proc));
    ad.insert_value("JobStatus", 5);
    ad.insert_value("HoldReasonCode", i64::from(target.code.unwrap()));
    ad.insert_value("NumHolds", target.num_holds.unwrap());
    let Some(Since::At(at) | Since::NotAfter(at)) = target.since else { panic!("{target:?}") };
    ad.insert_value("EnteredCurrentStatus", at);
    ad
}

/// Whether the schedd would act on the job of this ad.
fn acts(constraint: &str, ad: &ClassAd) -> bool {
    is_true(&parsed(constraint), ad)
}

fn parsed(constraint: &str) -> Expr {
    Expr::parse_old(constraint).expect("a constraint is an expression")
}

fn is_true(constraint: &Expr, ad: &ClassAd) -> bool {
    ad.evaluate_expr(constraint, &EvalContext::default()) == Value::Boolean(true)
}

#[test]
fn one_job_is_compared_with_what_was_judged() {
    let constraint = target(0, 2, HELD).constraint();
    assert_eq!(constraint, "(ClusterId == 7 && ProcId == 0 && JobStatus == 5 && NumHolds == 2)");
    assert_eq!(constraint_of(&[target(0, 2, HELD)]), Some(constraint));
    let of_log =
        Target { num_holds: None, since: Some(Since::NotAfter(HELD)), ..target(0, 2, HELD) };
    assert!(of_log.constraint().ends_with("13 && EnteredCurrentStatus <= 1772359200)"));
}

#[test]
fn jobs_of_one_hold_share_a_part() {
    let alike = [target(0, 1, HELD), target(1, 1, HELD), target(3, 1, HELD)];
    assert_eq!(
        constraint_of(&alike).unwrap(),
        "(ClusterId == 7 && ((ProcId >= 0 && ProcId <= 1) || ProcId == 3) && JobStatus == 5 && NumHolds == 1)"
    );
    let other = Target { job: JobId::new(8, 0), ..target(0, 1, HELD) };
    let far = Target { job: JobId::new(20, 0), num_holds: Some(2), ..other };
    assert_eq!(
        constraint_of(&[alike[0], other, far]).unwrap(),
        "((ClusterId >= 7 && ClusterId <= 8 && ProcId == 0 && JobStatus == 5 && NumHolds == 1) || \
         (ClusterId == 20 && ProcId == 0 && JobStatus == 5 && NumHolds == 2))"
    );
    assert_eq!(constraint_of(&[]), None);
}

#[test]
fn many_holds_fit_a_line_or_have_no_command() {
    let many: Vec<Target> = (0..10_000)
        .map(|proc| target(proc, 1 + i64::from(proc % 2), HELD + i64::from(proc) / 3))
        .collect();
    // Even and odd procs have no runs.
    assert_eq!(constraint_of(&many), None);
    let many: Vec<Target> =
        (0..10_000).map(|proc| target(proc, 1, HELD + i64::from(proc) / 3)).collect();
    let constraint = constraint_of(&many).unwrap();
    assert!(constraint.len() < 300, "{constraint}");
    assert!(many.iter().all(|one| acts(&constraint, &ad(one))));
    assert!(!acts(&constraint, &ad(&target(5, 2, HELD + 1))));
    let of_log: Vec<Target> = many.iter().map(|one| Target { num_holds: None, ..*one }).collect();
    assert!(constraint_of(&of_log).unwrap().contains("EnteredCurrentStatus >= 1772359200 && "));
    let began = |at| Some(Since::NotAfter(at));
    let of_log: Vec<Target> = (of_log.iter().zip(0..))
        .map(|(one, after)| Target { since: began(HELD + after), ..*one })
        .collect();
    let constraint = constraint_of(&of_log).unwrap();
    assert!(constraint.ends_with("EnteredCurrentStatus <= 1772369199)"), "{constraint}");
    assert!(
        of_log.iter().all(|one| acts(&constraint, &ad(&Target { num_holds: Some(9), ..*one })))
    );
    assert!(!acts(&constraint, &ad(&target(5, 1, HELD + 10_000))));
}

#[test]
fn edits_are_guarded_and_shared() {
    let edit =
        |new: &str| Command::Edit(Editable::default().edit("RequestMemory", None, new).unwrap());
    assert_eq!(
        edit("384").line("(ClusterId == 7)"),
        "condor_qedit -constraint '(ClusterId == 7)' RequestMemory 384"
    );
    assert_eq!(edit("384").for_both(&edit("512")), Some(edit("512")));
    assert_eq!(edit("384").for_both(&edit("1024")), None);
    assert_eq!(edit("A").for_both(&edit("B")), None);
    assert_eq!(Command::Release.for_both(&Command::Remove), None);
}

proptest! {
    #[test]
    fn a_constraint_is_true_of_the_holds_judged_alone(
        jobs in prop::collection::btree_map((5..8_i32, 0..400_i32), (1..4_i64, 0..40_i64), 1..200),
        stranger in 0..400_i32,
    ) {
        let targets: Vec<Target> =
            jobs.iter().map(|(&(cluster, proc), &(holds, at))| Target {
                job: JobId::new(cluster, proc), ..target(proc, holds, HELD + at)
            }).collect();
        let Some(constraint) = constraint_of(&targets) else { return Ok(()) };
        prop_assert!(constraint.len() <= LONGEST);
        prop_assert!(constraint.starts_with('(') && constraint.ends_with(')'));
        let expression = parsed(&constraint);
        for one in &targets {
            let judged = ad(one);
            prop_assert!(is_true(&expression, &judged), "{one:?}: {constraint}");
            // Released, run and held again; released; of another cluster.
            let moved = [
                ("NumHolds", one.num_holds.unwrap() + 1), ("JobStatus", 1), ("ClusterId", 8),
            ];
            for (name, value) in moved {
                let mut ad = judged.clone();
                ad.insert_value(name, value);
                prop_assert!(!is_true(&expression, &ad), "{name}: {constraint}");
            }
            // The ad of the cluster, which is that of a factory too.
            let mut cluster = judged.clone();
            cluster.insert_value("ProcId", -1);
            prop_assert!(!is_true(&expression, &cluster));
            cluster.remove("ProcId");
            prop_assert!(!is_true(&expression, &cluster));
        }
        if (5..8).all(|cluster| !jobs.contains_key(&(cluster, stranger))) {
            for one in &targets {
                let mut ad = ad(one);
                ad.insert_value("ProcId", i64::from(stranger));
                prop_assert!(!is_true(&expression, &ad), "{stranger}: {constraint}");
            }
        }
    }

    #[test]
    fn without_num_holds_a_hold_of_another_second_or_code_is_another(
        at in 0..100_i64,
        other in 0..100_i64,
    ) {
        prop_assume!(at != other);
        let without = |at| Target { num_holds: None, ..target(3, 1, HELD + at) };
        let constraint = without(at).constraint();
        prop_assert!(acts(&constraint, &ad(&target(3, 1, HELD + at))));
        prop_assert!(!acts(&constraint, &ad(&target(3, 1, HELD + other))));
        let mut ad = ad(&target(3, 1, HELD + at));
        ad.insert_value("HoldReasonCode", 12);
        prop_assert!(!acts(&constraint, &ad));
    }
}
