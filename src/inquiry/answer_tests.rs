//! What a library call answers.

use super::{Answer, Checks, Config, Inquiry, InquiryError, JobAds};
use crate::advice::Advice;
use crate::queue::{JobSpec, Selection};
use eventlog::JobId;

const NOW: i64 = 1_772_366_400;

const ADS: &str = "ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nJobStatus = 5\n\
    HoldReasonCode = 13\nHoldReasonSubCode = 2\nNumHolds = 1\n\
    EnteredCurrentStatus = 1772362800\nHoldReason = \"Transfer input files failure\"\n";

const LOG: &str = "000 (7.000.000) 2026-03-01 09:00:00 Job submitted from host: <1.2.3.4:5>\n...\n\
    012 (7.000.000) 2026-03-01 11:00:00 Job was held.\n\tTransfer input files failure\n\
    \tCode 13 Subcode 2\n...\n";

fn asked(inquiry: &Inquiry) -> (Vec<Advice>, Result<Answer, InquiryError>) {
    let mut advices = Vec::new();
    let answer = inquiry.ask(&Config::looking_with(None), inquiry.time(), &mut |advice, _| {
        advices.push(advice.clone());
        Ok(())
    });
    (advices, answer)
}

fn of_ads(text: &str, selection: Selection) -> Inquiry {
    let job_ads = Some(JobAds::Text { name: "ads".into(), text: text.into() });
    Inquiry { selection, job_ads, checks: Some(Checks::None), now: Some(NOW), ..Inquiry::default() }
}

#[test]
fn a_job_of_ads_is_judged_and_what_is_not_held_is_refused() {
    let jobs = [7, 8].map(|cluster| JobSpec::Job(JobId::new(cluster, 0))).into();
    let (advices, answer) = asked(&of_ads(ADS, Selection { jobs, ..Selection::default() }));
    let answer = answer.unwrap();
    assert_eq!(advices.iter().map(|one| one.held.job).collect::<Vec<_>>(), [JobId::new(7, 0)]);
    assert_eq!(answer.remarks.refused.len(), 1, "{:?}", answer.remarks.refused);
    assert!(answer.model.is_some() && !answer.logs_alone && answer.view.is_none());
}

#[test]
fn logs_alone_have_the_jobs_held_at_their_ends() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("job.log");
    std::fs::write(&log, LOG).unwrap();
    let inquiry = Inquiry { user_logs: vec![log], now: Some(NOW), ..Inquiry::default() };
    assert!(inquiry.is_offline());
    let (advices, answer) = asked(&inquiry);
    let answer = answer.unwrap();
    assert_eq!((advices.len(), answer.jobs, answer.logs_alone), (1, 1, true));
}

#[test]
fn a_constraint_needs_ads_and_selects_them() {
    let constraint =
        |text: &str| Selection { constraint: Some(text.to_owned()), ..Selection::default() };
    let (advices, answer) = asked(&of_ads(ADS, constraint("HoldReasonCode == 3")));
    let answer = answer.unwrap();
    assert_eq!((advices.len(), answer.ads, answer.model), (0, Some(1), None));
    let (_, answer) = asked(&of_ads(ADS, constraint("HoldReasonCode ==")));
    assert!(matches!(answer, Err(InquiryError::Queue(_))), "{answer:?}");
    let logs = Inquiry {
        selection: constraint("true"),
        job_ads: None,
        ..of_ads("", Selection::default())
    };
    let logs = Inquiry { user_logs: vec!["job.log".into()], ..logs };
    assert!(matches!(asked(&logs).1, Err(InquiryError::ConstraintWithoutAds)));
}

#[test]
fn what_the_caller_cannot_take_ends_the_call() {
    let inquiry = of_ads(ADS, Selection::default());
    let full =
        &mut |_: &Advice, _: Option<&crate::queue::AdText>| Err(std::io::Error::other("full"));
    let answer = inquiry.ask(&Config::looking_with(None), NOW, full);
    assert!(matches!(answer, Err(InquiryError::Write(_))));
}
