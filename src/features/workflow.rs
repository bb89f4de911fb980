//! How the runs of the held job's workflow ended, by place and cause, and what they used.
//!
//! A workflow is the nodes of a DAG of one owner (DAGManJobId), as far as ads tell of them, else the
//! jobs of a cluster.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::history::{Episode, History, JobHistory, Symbol};
use crate::profile::{Binding, Shares};
use crate::workflow::{Cause, End, JUST_LEFT, Run, runs};

type Map<K, V> = HashMap<K, V, RandomState>;

/// Runs whose use counts, the last ones.
const RECENT: usize = 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Workflow {
    Cluster(i32),
    Dag(Option<Symbol>, i64),
}

/// What is known of the workflow of a held job at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct WorkflowState {
    /// Runs of two of its jobs have ended.
    pub(super) known: bool,
    /// Its runs that succeeded and failed.
    pub(super) ended: (usize, usize),
    /// Those at the place where the held job ran last.
    pub(super) here: (usize, usize),
    /// Failed runs with the code and subcode of the hold.
    pub(super) alike: usize,
    /// Those at the place where the held job ran last.
    pub(super) alike_here: usize,
    /// Places at which such runs failed.
    pub(super) alike_places: usize,
    /// Places at which runs ended.
    pub(super) places: usize,
    /// Places at which runs failed.
    pub(super) failed_places: usize,
    /// Ways in which runs failed: codes and subcodes of holds, exit codes, signals, evictions.
    pub(super) causes: usize,
}

impl WorkflowState {
    /// Those at other places.
    pub(super) fn elsewhere(&self) -> (usize, usize) {
        (self.ended.0 - self.here.0, self.ended.1 - self.here.1)
    }
}

/// Instants, in their order, at which something was known.
#[derive(Clone, Debug, Default)]
struct Instants(Vec<i64>);

impl Instants {
    fn until(&self, instant: i64) -> usize {
        self.0.partition_point(|&known| known <= instant)
    }
}

/// The ends of the runs of one workflow.
#[derive(Clone, Debug, Default)]
struct Ends {
    ended: [Instants; 2],
    by_place: Map<String, [Instants; 2]>,
    /// Holds, by code and subcode.
    alike: Map<(i32, i32), Instants>,
    alike_by_place: Map<(i32, i32), Map<String, Instants>>,
    /// The first end of each job, and of each cause.
    jobs: Instants,
    causes: Instants,
}

/// The runs of all workflows.
#[derive(Debug, Default)]
pub(super) struct Workflows {
    of: Map<Workflow, Ends>,
    /// What runs of a cluster used, and when that was known.
    used: Map<i32, Vec<(i64, Shares)>>,
    /// Where the runs of a job were, by their ends.
    places: Map<u32, Vec<(i64, String)>>,
}

/// An end of a run.
#[derive(Debug)]
struct Ended {
    known: i64,
    job: u32,
    run: Run,
}

impl Workflows {
    /// Of all jobs whose clusters are wanted; `None`: of all.
    pub(super) fn of(history: &History, wanted: Option<&HashSet<i32>>) -> Self {
        let jobs = || (0_u32..).zip(history.jobs());
        let is_wanted = |job: &JobHistory| wanted.is_none_or(|it| it.contains(&job.job.cluster));
        let dags: HashSet<Workflow> = jobs()
            .filter(|(_, job)| is_wanted(job))
            .flat_map(|(_, job)| job.ads.iter().filter_map(|ad| dag_of(history, job, ad.dag?)))
            .collect();
        let mut ended: Map<Workflow, Vec<Ended>> = Map::default();
        let mut used: Map<i32, Vec<(i64, Shares)>> = Map::default();
        let mut places: Map<u32, Vec<(i64, String)>> = Map::default();
        for (number, job) in jobs() {
            let dag =
                job.ads.iter().find_map(|ad| Some((ad.known, dag_of(history, job, ad.dag?)?)));
            let dag = dag.filter(|(_, dag)| dags.contains(dag));
            if dag.is_none() && !is_wanted(job) {
                continue;
            }
            let seen = history.as_seen_by(number, history.owner_of(job.job)).unwrap_or(job);
            for run in runs(history, seen, i64::MAX) {
                if let Some(place) = place(&run) {
                    let end = run.began.saturating_add(run.seconds);
                    places.entry(number).or_default().push((end, place.to_owned()));
                }
                let Some(known) = known_at(&run) else { continue };
                if let Some((since, dag)) = dag {
                    let run = run.clone();
                    let known = known.max(since);
                    ended.entry(dag).or_default().push(Ended { known, job: number, run });
                }
                let cluster = Workflow::Cluster(job.job.cluster);
                ended.entry(cluster).or_default().push(Ended { known, job: number, run });
            }
            let of_job = job.ads.iter().filter_map(|ad| Some((ad.known, *ad.used.as_deref()?)));
            used.entry(job.job.cluster).or_default().extend(of_job);
        }
        used.values_mut().for_each(|used| used.sort_by_key(|used| used.0));
        let of = ended.into_iter().map(|(of, ends)| (of, Ends::of(ends))).collect();
        Self { of, used, places }
    }

    /// The workflow of a held job at an instant; its last run before the hold was where it ran last.
    pub(super) fn state(
        &self,
        history: &History,
        job: &JobHistory,
        hold: &Episode,
        instant: i64,
    ) -> WorkflowState {
        let of = |workflow| {
            let key = (hold.identity.code, hold.identity.subcode);
            let ends: &Ends = self.of.get(&workflow)?;
            ends.state(self.place(history, job, hold.held_at), key, instant)
        };
        let dag = job.ad_at(instant).and_then(|ad| dag_of(history, job, ad.dag?));
        let state = dag.and_then(of).or_else(|| of(Workflow::Cluster(job.job.cluster)));
        state.unwrap_or_default()
    }

    /// Where a job ran last that went on hold then.
    fn place(&self, history: &History, job: &JobHistory, held_at: i64) -> Option<&str> {
        let ends = self.places.get(&history.number_of(job.job)?)?;
        let until = ends.partition_point(|(end, _)| *end <= held_at);
        ends[..until].last().map(|(_, place)| place.as_str())
    }

    /// The median of what the last runs of a cluster used of a slot, as known at an instant.
    pub(super) fn used(&self, cluster: i32, instant: i64) -> Shares {
        let used = self.used.get(&cluster).map_or(&[][..], Vec::as_slice);
        let known = &used[..used.partition_point(|(known, _)| *known <= instant)];
        let recent = &known[known.len().saturating_sub(RECENT)..];
        Shares::medians(|binding: Binding| recent.iter().filter_map(move |of| of.1.get(binding)))
    }
}

/// The DAG of a job. Another owner's job may name any.
fn dag_of(history: &History, job: &JobHistory, dag: i64) -> Option<Workflow> {
    (dag > 0).then(|| Workflow::Dag(history.owner_of(job.job), dag))
}

/// When the end of a run is known; `None`: it goes on, or a person stopped it.
fn known_at(run: &Run) -> Option<i64> {
    let at = run.began.saturating_add(run.seconds);
    match &run.end {
        End::Succeeded => Some(at),
        End::Failed(Cause::Hold { .. } | Cause::Exit(_) | Cause::Signal(_)) => Some(at),
        // A hold just after it is the same failure.
        End::Failed(_) => Some(at.saturating_add(JUST_LEFT)),
        End::Stopped | End::Running => None,
    }
}

fn place(run: &Run) -> Option<&str> {
    run.site.as_deref().or(run.machine.as_deref())
}

impl Ends {
    fn of(mut all: Vec<Ended>) -> Self {
        all.sort_by_key(|ended| ended.known);
        let mut ends = Self::default();
        let (mut jobs, mut causes) = (HashSet::new(), HashSet::new());
        for Ended { known, job, run } in &all {
            let side = usize::from(run.end != End::Succeeded);
            ends.ended[side].0.push(*known);
            if jobs.insert(*job) {
                ends.jobs.0.push(*known);
            }
            if let Some(place) = place(run) {
                let here = ends.by_place.entry(place.to_owned()).or_default();
                here[side].0.push(*known);
            }
            let End::Failed(cause) = &run.end else { continue };
            if causes.insert(cause.clone()) {
                ends.causes.0.push(*known);
            }
            if let Cause::Hold { code, subcode } = cause {
                let key = (*code, subcode.unwrap_or(0));
                ends.alike.entry(key).or_default().0.push(*known);
                if let Some(place) = place(run) {
                    let by_place = ends.alike_by_place.entry(key).or_default();
                    by_place.entry(place.to_owned()).or_default().0.push(*known);
                }
            }
        }
        ends
    }

    /// `None`: runs of two jobs have not ended yet.
    fn state(&self, place: Option<&str>, key: (i32, i32), instant: i64) -> Option<WorkflowState> {
        let until = |instants: &Instants| instants.until(instant);
        if until(&self.jobs) < 2 {
            return None;
        }
        let both = |sides: &[Instants; 2]| (until(&sides[0]), until(&sides[1]));
        let alike = self.alike_by_place.get(&key);
        let is_begun = |instants: &&Instants| instants.until(instant) > 0;
        let places = |is: &dyn Fn(&[Instants; 2]) -> bool| {
            self.by_place.values().filter(|sides| is(sides)).count()
        };
        Some(WorkflowState {
            known: true,
            ended: both(&self.ended),
            here: place.and_then(|place| self.by_place.get(place)).map_or((0, 0), both),
            alike: self.alike.get(&key).map_or(0, until),
            alike_here: place.and_then(|place| alike?.get(place)).map_or(0, until),
            alike_places: alike.map_or(0, |places| places.values().filter(is_begun).count()),
            places: places(&|sides| sides.iter().any(|side| is_begun(&side))),
            failed_places: places(&|sides| is_begun(&&sides[1])),
            causes: until(&self.causes),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::features::{EXTRAS, FeatureSchema, Holds, Layout, Sampler};
    use crate::history::{Action, Coverage, HistoryBuilder, NotedActions};
    use eventlog::{Events, ReadOptions};
    use jiff::tz::TimeZone;

    /// Job 1.proc runs at a site, and ends by an exit code or a hold.
    fn run(proc: i32, minute: i32, site: &str, end: &str) -> String {
        let event = |number: &str, minute: i32, text: &str| {
            format!("{number} (001.{proc:03}.000) 2026-03-08 10:{minute:02}:00 {text}\n...\n")
        };
        let site = format!(
            "Job ad information event triggered.\nTriggerEventTypeNumber = 1\n\
             MachineAttrGLIDEIN_Site0 = \"{site}\""
        );
        let end = match end.parse::<i32>() {
            Ok(code) => event(
                "005",
                minute + 2,
                &format!("Job terminated.\n\t(1) Normal termination (return value {code})"),
            ),
            Err(_) => event("012", minute + 2, "Job was held.\n\tx\n\tCode 13 Subcode 2"),
        };
        let host = "Job executing on host: <10.0.0.1:9618>\n\tSlotName: slot1@e1.example.org";
        [event("001", minute, host), event("028", minute, &site), end].concat()
    }

    fn columns(log: &str, ads: &str) -> impl Fn(&str) -> f32 + use<> {
        let mut history = HistoryBuilder::new();
        let source = history.add_source(Coverage::AccessPoint);
        for event in Events::with_options(log.as_bytes(), &ReadOptions::in_zone(TimeZone::UTC)) {
            history.add_event(source, &event.unwrap());
        }
        for ad in classads::read_ads(ads.as_bytes()) {
            history.add_epoch(&ad.unwrap());
        }
        let history = history.build();
        let hold = history.episodes(i64::MAX, &NotedActions::default()).pop().unwrap();
        let schema = FeatureSchema::with_extras(&Layout::default(), &EXTRAS);
        let sampler = Sampler::for_schema(history, &schema, &Holds::All).unwrap();
        let sample = sampler.sample(&hold, hold.held_at + 60, Action::AsIs, None);
        move |name| sample.statics[schema.column(name).unwrap()]
    }

    #[test]
    fn a_workflow_is_counted_by_place_and_cause() {
        let log = [
            run(0, 0, "A", "held"),
            run(1, 1, "A", "held"),
            run(2, 2, "B", "0"),
            run(3, 3, "B", "0"),
            run(4, 4, "C", "1"),
            run(5, 5, "A", "held"),
            // Later than the instant that is asked about.
            run(6, 50, "D", "1"),
        ];
        let of = columns(&log.concat(), "");
        let count = |name: &str| of(name).exp_m1().round();
        assert_eq!(of("workflow-known"), 1.0);
        let expected = [
            ("ended", 6.0),
            ("here", 3.0),
            ("alike", 3.0),
            ("alike-here", 3.0),
            ("alike-places", 1.0),
            ("places", 3.0),
            ("failed-places", 2.0),
            ("causes", 2.0),
        ];
        for (name, expected) in expected {
            assert_eq!(count(&format!("workflow-{name}")), expected, "{name}");
        }
        assert_eq!(of("workflow-rate"), 3.0 / 8.0 - 0.5);
        assert_eq!(of("workflow-here-rate"), 1.0 / 5.0 - 0.5);
        assert_eq!(of("workflow-elsewhere-rate"), 3.0 / 5.0 - 0.5);
        assert_eq!((of("used-known"), of("used-cpu")), (0.0, 0.0));
    }

    #[test]
    fn nodes_of_a_dag_are_one_workflow_and_a_run_alone_is_none() {
        let alone = run(0, 0, "A", "held");
        let of = columns(&alone, "");
        assert_eq!((of("workflow-known"), of("workflow-ended")), (0.0, 0.0));
        let other = run(0, 1, "B", "0").replace("(001.", "(002.");
        let log = format!("{other}{alone}");
        assert_eq!(columns(&log, "")("workflow-known"), 0.0);
        let ad = |cluster: i32, owner: &str| {
            format!(
                "ClusterId = {cluster}\nProcId = 0\nOwner = \"{owner}\"\nDAGManJobId = 9\nJobStatus = 2\n\
                 JobCurrentStartDate = 1772964000\nJobCurrentStartExecutingDate = 1772964000\nRemoteUserCpu = 60.0\nEpochWriteDate = 1772964120\n\n"
            )
        };
        let of = columns(&log, &(ad(1, "alice") + &ad(2, "alice")));
        assert_eq!((of("workflow-known"), of("workflow-places").exp_m1().round()), (1.0, 2.0));
        assert!((of("used-cpu") - 0.5_f32.ln_1p()).abs() < 1e-6);
        // Anybody's job may name a DAG.
        assert_eq!(columns(&log, &(ad(1, "alice") + &ad(2, "eve")))("workflow-known"), 0.0);
    }
}
