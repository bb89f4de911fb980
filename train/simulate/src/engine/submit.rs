//! Owners submit clusters.

use std::sync::Arc;

use eventlog::{Body, Submit};

use super::{Item, Job, Purpose, Simulation, Status};
use crate::cause::{Cause, Symptom};
use crate::engine::people::{self, Looks};
use crate::error::Result;
use crate::life::{Cluster, Edits, Flaw, Traits, draw_flaw, few};
use crate::oracle::minutes_to_match;
use crate::random::{Dice, Spread};

const WORDS: [&str; 12] = [
    "run1", "run2", "sweep", "test", "batch7", "prod", "scan_a", "scan_b", "v2", "final", "redo",
    "set3",
];

impl Simulation {
    pub(super) fn plan_first(&mut self) {
        let first = self.next_submission();
        self.queue.push(first, Item::Submit);
        if self.acting.is_none() {
            people::plan_bulk_releases(self);
        }
    }

    /// The next instant at which somebody submits: fewer at night and at weekends.
    fn next_submission(&mut self) -> i64 {
        let p = &self.world.preset.jobs;
        // The median of the sizes is less than their mean.
        let mean_size = p.cluster_size.median * (p.cluster_size.sigma.powi(2) / 2.0).exp();
        let mean_gap = 86_400.0 * mean_size / p.per_day;
        let dice = &mut self.chances.submit;
        let mut time = self.now;
        // Thinning: the busiest hours have 1.9 times the mean.
        loop {
            time += dice.exponential(mean_gap / 1.9).ceil() as i64;
            if dice.chance(activity(time) / 1.9) {
                return time;
            }
        }
    }

    pub(super) fn submit(&mut self) -> Result<()> {
        if self.submits_no_more() {
            return Ok(());
        }
        let next = self.next_submission();
        self.queue.push(next, Item::Submit);

        let (number, flags) = self.new_cluster();
        let cluster = Arc::clone(&self.clusters[number]);
        let address = self.world.address.clone();
        let host = format!(
            "<{address}:9618?addrs={}-9618&alias={}&noUDP&sock=schedd_1731_c5d0>",
            address,
            self.world.access_point()
        );
        for job in cluster.first_job..cluster.first_job + cluster.size {
            let body =
                Body::Submit(Submit { submit_host: host.as_str().into(), ..Submit::default() });
            self.event(job, &body)?;
            if flags.spooled {
                self.hold_idle(job, Cause::Spooling, Symptom::SPOOLING)?;
            } else if flags.held {
                self.hold_idle(job, Cause::Person, Symptom::SUBMITTED_HELD)?;
            } else if cluster.flaw.is_some_and(|(flaw, _)| flaw == Flaw::TooLargeInput)
                && cluster.word.is_multiple_of(2)
            {
                self.hold_idle(job, Cause::TooLargeInput, Symptom::TooLargeInput)?;
            } else {
                self.plan_start(job);
            }
        }
        self.share_chance(Purpose::Submission, number, 0);
        let dice = &mut self.chances.people;
        if flags.spooled {
            let after = dice.between(20, 900);
            self.queue.push(self.now + after, Item::Spooled { cluster: number });
        } else if flags.held {
            let after = dice.seconds(Spread { median: 5.0 * 3_600.0, sigma: 1.0 });
            self.queue.push(self.now + after, Item::ReleaseOwn { cluster: number });
        } else if dice.chance(self.world.preset.people.hold_own) {
            let after = dice.between(60, 7_200);
            self.queue.push(self.now + after, Item::HoldOwn { cluster: number });
        }
        Ok(())
    }

    /// The job goes to the queue; its shadow starts some minutes later.
    pub(crate) fn plan_start(&mut self, job: usize) {
        self.share_chance(Purpose::Match, job, self.jobs[job].num_shadow_starts);
        let after = minutes_to_match(&self.world, &mut self.chances.run);
        let state = &mut self.jobs[job];
        state.status = Status::Idle;
        state.generation += 1;
        let item = Item::Start { job, generation: state.generation };
        self.queue.push(self.now + after, item);
    }

    fn new_cluster(&mut self) -> (usize, SubmitFlags) {
        let dice = &mut self.chances.submit;
        let world = &self.world;
        let owner_number = dice.weighted(world.owners.iter().map(|owner| owner.weight));
        let owner = &world.owners[owner_number];
        let workflow_number = dice.below(owner.workflows.len());
        let workflow = &owner.workflows[workflow_number];
        let (jobs, usage, flaws) = (&world.preset.jobs, &world.preset.usage, &world.preset.flaws);
        let size =
            (dice.spread(workflow.cluster_size).round() as usize).clamp(1, jobs.largest_cluster);
        let single = world.preset.single.as_ref();
        let flaw = draw_flaw(flaws, single, workflow, dice);
        let bug = if !dice.chance(flaws.bug) {
            0.0
        } else if dice.chance(0.55) {
            0.03 + 0.3 * dice.unit()
        } else {
            1.0
        };
        let bug = match single {
            Some(single) if bug == 0.0 && dice.chance(single.bad_input) => few(single, dice),
            _ => bug,
        };
        let number = self.clusters.len();
        // What was made a few clusters ago by the same owner may be this one's input.
        let producer = dice.chance(flaws.not_yet_produced).then(|| {
            self.clusters.iter().enumerate().rev().take(40).find(|(_, cluster)| {
                cluster.owner == owner_number
                    && self.now - cluster.submitted < 6 * 3_600
                    && if single.is_some() { cluster.bug == 0.0 } else { cluster.bug < 1.0 }
                    && cluster.flaw.is_none()
            })
        });
        let producer = producer.flatten().map(|(index, _)| index);
        let fixed_at = world.preset.fixed.as_ref().and_then(|fixed| {
            let share = match flaw {
                Some((Flaw::MissingFolder, _)) => fixed.folder,
                Some((flaw, _)) if flaw.can_be_fixed() => fixed.share,
                _ if bug >= 1.0 => fixed.share,
                _ if producer.is_some() => fixed.product,
                _ => 0.0,
            };
            let hours = world.preset.people.look_hours.median * dice.spread(fixed.looks);
            dice.chance(share).then(|| self.now + (hours * 3_600.0) as i64)
        });
        let word = dice.below(60);
        let drawn = Cluster {
            id: 4_100_000 + number as i32,
            owner: owner_number,
            workflow: workflow_number,
            submitted: self.now,
            size,
            first_job: self.jobs.len(),
            flaw,
            fixed_at,
            producer,
            producer_by_url: !workflow.input_services.is_empty(),
            bug,
            iwd: format!("{}/{}/{}", owner.home, workflow.project, WORDS[word % WORDS.len()]),
            word,
            memory_scale: dice.spread(Spread { median: 1.0, sigma: 0.18 }),
            disk_scale: dice.spread(Spread { median: 1.0, sigma: 0.2 }),
            run_scale: dice.spread(Spread { median: 1.0, sigma: 0.3 }),
        };
        let limited = workflow.duration_limit.is_some();
        // Who needs more than is asked for needs no more than so many times as much.
        let most = |asked: i64, usual: f64| match &world.preset.needs {
            Some(needs) if usual > asked as f64 => needs.most * asked as f64,
            _ => f64::INFINITY,
        };
        let most_memory = most(workflow.request_memory, workflow.memory);
        let most_disk = most(workflow.request_disk, workflow.disk);
        for proc in 0..size {
            let spread = |dice: &mut Dice, sigma| dice.spread(Spread { median: 1.0, sigma });
            let run_sigma = if limited { 0.12 } else { workflow.run.sigma };
            let run_scale = if limited { drawn.run_scale.powf(0.3) } else { drawn.run_scale };
            let traits = Traits {
                flaw: flaw.filter(|(_, share)| dice.chance(*share)).map(|(flaw, _)| flaw),
                bug: dice.chance(bug),
                memory: (workflow.memory
                    * drawn.memory_scale
                    * spread(dice, usage.memory_between_jobs))
                .min(most_memory),
                disk: (workflow.disk * drawn.disk_scale * spread(dice, usage.disk_between_jobs))
                    .min(most_disk),
                run: (workflow.run.median * run_scale * spread(dice, run_sigma))
                    .min(12.0 * 86_400.0),
            };
            self.jobs.push(Job {
                cluster: number,
                proc: proc as i32,
                traits,
                edits: Edits {
                    request_memory: workflow.request_memory,
                    request_disk: workflow.request_disk,
                    ..Edits::default()
                },
                entered: self.now,
                disk_usage: 1,
                ..Job::default()
            });
        }
        if single.is_some() {
            let share = flaw.map_or(0.0, |(_, share)| share);
            let any = &mut self.jobs[drawn.first_job + dice.below(size)].traits;
            // Few are one at least.
            any.bug |= bug > 0.0 && bug < 1.0;
            any.flaw = any.flaw.or(flaw.filter(|_| share < 1.0).map(|(flaw, _)| flaw));
        }
        let people = &world.preset.people;
        let held = dice.chance(people.submit_held);
        let flags = SubmitFlags { held, spooled: !held && dice.chance(people.spool) };
        self.clusters.push(Arc::new(drawn));
        self.looks.push(Looks::default());
        (number, flags)
    }
}

struct SubmitFlags {
    held: bool,
    spooled: bool,
}

/// How much is submitted at an instant, 1 on average over a week.
fn activity(time: i64) -> f64 {
    let hour = time.rem_euclid(86_400) / 3_600;
    let by_day = match people::weekday(time) {
        5 | 6 => 0.45,
        _ => 1.22,
    };
    let by_hour = match hour {
        9..=17 => 1.55,
        7 | 8 | 18..=22 => 1.0,
        _ => 0.45,
    };
    by_day * by_hour
}

#[cfg(test)]
mod tests {
    #[test]
    fn activity_is_1_on_average() {
        let monday = 1_709_510_400;
        let hours = 7 * 24;
        let sum: f64 = (0..hours).map(|hour| super::activity(monday + hour * 3_600)).sum();
        let mean = sum / hours as f64;
        assert!((0.9..1.1).contains(&mean), "{mean}");
    }
}
