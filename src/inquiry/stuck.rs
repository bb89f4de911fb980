//! Jobs that start and leave their slots again and again, judged as if they were on hold for that.

use super::InquiryError;
use super::judge::leave_to_owner;
use crate::advice::{Advice, Advisor, Command, Held, Policies, Recommendation};
use crate::metrics::Band;
use crate::queue::QueueJob;
use crate::sentences::{self, choices};
use crate::workflow::{Thrasher, Thrashing};

/// Groups of such jobs that are judged, one job of each.
const JUDGED: usize = 20;

/// Those among `others` that thrash.
pub(super) fn thrashers(others: &[QueueJob], now: i64) -> Vec<Thrasher> {
    let of = |job: &QueueJob| Thrasher::of(job.id, &job.ad.to_classad(), now);
    others.iter().filter_map(of).collect()
}

/// Adds what the advice is on the job of each group that left its slot last.
pub(super) fn judge(
    groups: &mut [Thrashing],
    (jobs, others): (&[Thrasher], &[QueueJob]),
    advisor: &Advisor<'_>,
    policies: &Policies,
    now: i64,
) -> Result<(), InquiryError> {
    for group in groups.iter_mut().filter(|group| group.is_of_job).take(JUDGED) {
        let job = others.iter().find(|job| job.id == group.job);
        let thrasher = jobs.iter().find(|job| job.job() == group.job);
        let Some((job, thrasher)) = job.zip(thrasher) else { continue };
        let ad = thrasher.as_held(&job.ad.to_classad());
        let held = Held::of_ad(job.id, &ad, job.lacks_references, policies, now);
        let advice = advisor.advise_all(&[held], now)?.into_iter().flatten().next();
        if let Some(mut advice) = advice {
            leave_to_owner(&mut advice);
            add(group, &advice);
        }
    }
    Ok(())
}

fn add(group: &mut Thrashing, advice: &Advice) {
    let as_is = advice.success.first().map(|(_, p)| *p).filter(|_| advice.is_judged);
    group.success = as_is;
    let mut says: Vec<String> = Vec::new();
    says.extend(as_is.map(|p| format!("The next run is {} to get through.", Band::of(p).words())));
    says.extend(advice.changes().map(sentences::whole_change));
    says.extend(advice.look.as_ref().map(choices::look_at));
    let leaves = matches!(advice.recommendation, Recommendation::Release | Recommendation::Try);
    if leaves {
        says.push("Leave it: it starts again by itself.".to_owned());
    }
    group.advice = says;
    let corrects = advice.commands.iter().chain(&advice.commands_after);
    // What is wrong with one job need not be wrong with the others.
    if group.jobs > 1 {
        for line in &mut group.advice {
            *line = format!("Job {}: {line}", group.job);
        }
        return;
    }
    let lines: Vec<String> = corrects
        .filter(|command| matches!(command, Command::Edit(_) | Command::Run(_)))
        .filter_map(|command| Some(command.line(group.constraint.as_deref()?)))
        .collect();
    if !lines.is_empty() {
        group.command = Some(lines.join(" &&\n"));
    } else if leaves {
        group.command = None;
    }
}
