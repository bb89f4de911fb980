//! From probabilities to recommendations on recorded holds, with models whose answers are known.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use classads::ClassAd;
use eventlog::{JobId, ReadOptions};
use holdadvise::advice::{
    Advice, Advisor, ByItself, Costs, Held, Policies, Recommendation, Undecided, advise,
};
use holdadvise::features::{Holds, State};
use holdadvise::history::{Action, Coverage, History, HistoryBuilder, epoch_written};
use holdadvise::hold_code::HoldCode;
use holdadvise::model::{Batch, Calibration, Engine, Model, ModelError};
use jiff::tz::TimeZone;

/// The jobs held in a recorded pool, and everything that was known of it.
struct Recording {
    folder: PathBuf,
    now: i64,
}

impl Recording {
    fn open() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9");
        let time = std::fs::read_to_string(folder.join("held.time")).expect("the recording");
        Self { folder, now: time.trim().parse().expect("Unix seconds") }
    }

    fn history(&self) -> History {
        let mut history = HistoryBuilder::new();
        let options = ReadOptions::in_zone(TimeZone::UTC);
        let source = history.add_source(Coverage::AccessPoint);
        let mut series = eventlog::open_series(self.folder.join("EventLog"), &options)
            .expect("the recorded log");
        while let Some((_, event)) = series.next_event() {
            let event = event.expect("the recorded log is whole");
            if event.time.seconds <= self.now {
                history.add_event(source, &event);
            }
        }
        let epochs = File::open(self.folder.join("epoch_history")).expect("the recorded epoch ads");
        for ad in classads::read_ads(BufReader::new(epochs)) {
            let ad = ad.expect("the recorded epoch ads are whole");
            if epoch_written(&ad).is_some_and(|written| written <= self.now) {
                history.add_epoch(&ad);
            }
        }
        for ad in self.ads() {
            history.add_ad(&ad, self.now);
        }
        history.build()
    }

    fn ads(&self) -> Vec<classads::ClassAd> {
        let file = File::open(self.folder.join("held.long")).expect("the recorded queue");
        let ads = classads::read_ads(BufReader::new(file));
        ads.map(|ad| ad.expect("the recorded queue is whole")).collect()
    }

    fn held(&self) -> Vec<Held> {
        let number = |ad: &classads::ClassAd, name: &str| {
            ad.integer(name).and_then(|id| i32::try_from(id).ok()).expect("an id")
        };
        let policies = Policies::unknown();
        let held = self.ads().into_iter().map(|ad| {
            let job = JobId::new(number(&ad, "ClusterId"), number(&ad, "ProcId"));
            Held::of_ad(job, &ad, false, &policies, self.now)
        });
        held.collect()
    }

    fn advices<'a>(
        &self,
        model: &'a Model,
        change: impl FnOnce(Advisor<'a>) -> Advisor<'a>,
    ) -> Vec<Advice> {
        let advisor = change(Advisor::new(self.history(), model).expect("the same features"));
        let advices = advisor.advise_all(&self.held(), self.now).expect("the engine runs");
        advices.into_iter().flatten().collect()
    }
}

/// Log-odds that are a sum of statics and of slots in which a job is known, each with its weight.
#[derive(Debug, Default)]
struct Weights {
    bias: f32,
    statics: Vec<f32>,
    slots: Vec<f32>,
}

impl Engine for Weights {
    fn logits(&self, batch: &Batch<'_>) -> Result<Vec<f32>, ModelError> {
        let (states, statics) = (batch.states.len() / batch.n.max(1), self.statics.len());
        let samples =
            batch.states.chunks_exact(states.max(1)).zip(batch.statics.chunks_exact(statics));
        let logits = samples.map(|(states, statics)| {
            let statics = statics.iter().zip(&self.statics).map(|(x, w)| x * w).sum::<f32>();
            let last = &states[states.len() - self.slots.len()..];
            let known = last.iter().zip(&self.slots);
            let slots = known.filter(|(state, _)| **state != State::NOT_OBSERVED.index());
            self.bias + statics + slots.map(|(_, w)| w).sum::<f32>()
        });
        Ok(logits.collect())
    }
}

/// A model that knows every code of the shipped one and has these weights.
fn model(bias: f32, weights: &[(&str, f32)], slots: &[(usize, f32)]) -> Model {
    let mut metadata = Model::builtin_default().expect("the shipped model").metadata;
    let schema = &metadata.schema;
    let mut engine =
        Weights { bias, statics: vec![0.0; schema.statics.len()], slots: vec![0.0; schema.slots] };
    for (name, weight) in weights {
        engine.statics[schema.column(name).expect("a column")] = *weight;
    }
    for &(slot, weight) in slots {
        engine.slots[slot] = weight;
    }
    metadata.calibration = Calibration::default();
    Model { metadata, engine: Box::new(engine) }
}

fn chance(advice: &Advice) -> f64 {
    chance_of(advice, advice.action.unwrap_or(Action::AsIs))
}

fn chance_of(advice: &Advice, action: Action) -> f64 {
    advice.success.iter().find(|(other, _)| *other == action).expect("its probability").1
}

#[test]
fn advice_about_some_jobs_is_that_of_an_advisor_who_counts_for_all() {
    let recording = Recording::open();
    let model = Model::builtin_default().expect("the shipped model");
    let all = recording.advices(&model, |advisor| advisor);
    assert!(all.len() > 20);
    for held in recording.held() {
        let holds = Holds::Clusters([held.job.cluster].into());
        let advisor = Advisor::about(recording.history(), &model, &holds).expect("a schema");
        let alone = advisor.advise(&held, recording.now).expect("the engine runs");
        let expected = all.iter().find(|advice| advice.held.job == held.job);
        assert_eq!(alone.as_ref(), expected, "{}", held.job);
    }
}

#[test]
fn an_input_is_named_with_what_the_model_says_without_it() {
    let recording = Recording::open();
    let model = model(-1.0, &[("access-point-known", 2.0), ("reason-given", -3.0)], &[]);
    let advices = recording.advices(&model, |advisor| advisor.explaining(true));
    let mut named = 0;
    for advice in advices.iter().filter(|advice| advice.is_judged) {
        let p = chance(advice);
        let logit = (p / (1.0 - p)).ln();
        let without = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        for effect in &advice.inputs {
            let expected = match effect.input.as_str() {
                "the access point as a whole" => p - without(logit - 2.0),
                "the text of its hold reason" => p - without(logit + 3.0),
                other => panic!("{other} has no weight"),
            };
            assert!((effect.change - expected).abs() < 1e-5, "{effect:?}, expected {expected}");
            named += 1;
        }
        assert_eq!(advice.inputs.len(), 2);
    }
    assert!(named >= 2 * 20, "{named}");
}

#[test]
fn a_group_that_the_model_ignores_is_never_named() {
    let recording = Recording::open();
    for (weights, slots, group) in [
        (&[("log-known", 2.0)][..], &[][..], "this job's own history"),
        (&[("reason-given", 2.0)], &[], "the text of its hold reason"),
        (&[("memory-known", 2.0)], &[], "the memory and disk it used"),
        (&[("cluster-known", 2.0)], &[], "the other jobs of its cluster"),
        (&[("owner-known", 2.0)], &[], "its owner's other jobs"),
        (&[], &[(5, 2.0)], "its owner's other jobs"),
        (&[("site-known", 2.0)], &[], "other jobs at the same site"),
        (&[("server-known", 2.0)], &[], "other jobs with the same file server or file"),
        (&[("reason-known", 2.0)], &[], "other jobs that were held alike"),
        (&[("sees-access-point", 2.0)], &[], "the access point as a whole"),
        (&[], &[(11, -2.0)], "the access point as a whole"),
    ] {
        let advices =
            recording.advices(&model(-1.0, weights, slots), |advisor| advisor.explaining(true));
        let inputs = advices.iter().flat_map(|advice| &advice.inputs);
        let mut names: Vec<&str> = inputs.map(|effect| effect.input.as_str()).collect();
        names.dedup();
        assert_eq!(names, [group]);
    }
    let nothing = recording.advices(&model(0.3, &[], &[]), |advisor| advisor.explaining(true));
    assert!(nothing.iter().all(|advice| advice.inputs.is_empty()));
    let unasked = recording.advices(&model(0.3, &[("log-known", 2.0)], &[]), |advisor| advisor);
    assert!(unasked.iter().all(|advice| advice.inputs.is_empty()));
}

/// Weights without a meaning, the same on every run: what is named of recorded holds hangs on the
/// blanking alone.
#[test]
fn inputs_of_recorded_holds() {
    let names = Model::builtin_default().expect("the shipped model").metadata.schema.statics;
    let weight = |at: usize| ((at * 7919 % 101) as f32 / 50.0 - 1.0) * 0.4;
    let weights: Vec<(&str, f32)> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), weight(at))).collect();
    let slots: Vec<(usize, f32)> = (0..12).map(|slot| (slot, weight(slot + 500))).collect();
    let advices = Recording::open()
        .advices(&model(0.0, &weights, &slots), |advisor| advisor.explaining(true));
    let lines: Vec<String> = advices
        .iter()
        .map(|advice| {
            let inputs: Vec<String> = advice
                .inputs
                .iter()
                .map(|effect| format!("{} {:+.3}", effect.input, effect.change))
                .collect();
            let code = advice.held.code.unwrap_or(-1);
            format!("{} ({code}): {}", advice.held.job, inputs.join(", "))
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn codes_withheld_from_training_are_left_undecided() {
    let withheld = [3, 6, 12, 13, 21];
    let recording = Recording::open();
    // Sure of everything, so that nothing else makes it abstain.
    let mut model = model(5.0, &[], &[]);
    let known = recording.advices(&model, |advisor| advisor);
    assert!(known.iter().any(|advice| advice.recommendation == Recommendation::Release));
    model.metadata.codes.retain(|of| !withheld.contains(&of.code));
    let advices = recording.advices(&model, |advisor| advisor);
    let (mut undecided, mut certain) = (0, 0);
    for (advice, with) in advices.iter().zip(&known) {
        let code = advice.held.code.expect("recorded");
        if !withheld.contains(&code) {
            assert_eq!(advice, with);
        } else if advice.recommendation == Recommendation::Undecided {
            undecided += 1;
            assert_eq!(advice.undecided, Some(Undecided::UnknownCode { releases: 0 }));
            assert!(advice.commands.is_empty() && advice.commands_after.is_empty());
            assert!(!advice.is_judged);
        } else {
            // A limit of the job's own, of which its ad tells cause and cure, or a text that the
            // catalogue knows: nothing is let go, nothing is removed.
            use Recommendation::{Change, Look, Wait};
            assert!(matches!(advice.recommendation, Change | Look | Wait), "{advice:?}");
            certain += 1;
        }
    }
    assert!(undecided >= 2 && certain >= 10, "{undecided} undecided, {certain} certain");
}

#[test]
fn a_least_confidence_leaves_the_middle_undecided() {
    let recording = Recording::open();
    let mut model = model(0.6, &[], &[]);
    let count = |model: &Model| {
        let advices = recording.advices(model, |advisor| advisor);
        advices.iter().filter(|advice| advice.recommendation == Recommendation::Release).count()
    };
    let before = count(&model);
    model.metadata.thresholds.confidence = Some(0.6);
    assert_eq!(count(&model), before);
    model.metadata.thresholds.confidence = Some(0.7);
    assert!(count(&model) < before);
    let advices = recording.advices(&model, |advisor| advisor);
    let unsure = Some(Undecided::Unsure { least: 0.7 });
    assert!(advices.iter().any(|advice| advice.undecided == unsure));
}

#[test]
fn costs_move_the_advice() {
    let recording = Recording::open();
    let model = model(-0.5, &[], &[]);
    let released = |change: fn(&mut Costs)| {
        let mut costs = Costs::default();
        change(&mut costs);
        let advices = recording.advices(&model, |advisor| advisor.with_costs(costs));
        advices.iter().filter(|advice| advice.recommendation == Recommendation::Release).count()
    };
    assert_eq!(released(|_| ()), 0);
    // Holds whose text says what has to be changed are not released at any cost.
    assert!(released(|costs| costs.failed = 1.0) >= 4);
    assert!(released(|costs| costs.delay = 24.0) >= 4);
    let costly = Costs { keep: 100.0, ..Costs::default() };
    let advices = recording.advices(&model, |advisor| advisor.with_costs(costly));
    // Held for minutes: whatever it costs to keep them, none is removed.
    assert!(advices.iter().all(|advice| advice.recommendation != Recommendation::Remove));
    let kept = |advice: &Advice| matches!(advice.undecided, Some(Undecided::NotRemoved { .. }));
    assert!(advices.iter().any(kept));
    for advice in advices {
        assert!(!matches!(advice.held.code, Some(1 | 15)) || advice.commands.is_empty());
    }
}

/// The log of a job whose program failed at every start, released twice.
const HOPELESS: &str = "\
000 (007.000.000) 2026-03-01 08:00:00 Job submitted from host: <127.0.0.1:9618>
...
001 (007.000.000) 2026-03-01 08:01:00 Job executing on host: <127.0.0.1:9619>
...
012 (007.000.000) 2026-03-01 08:02:00 Job was held.
\tThe job attribute OnExitHold expression 'ExitCode =!= 0' evaluated to TRUE
\tCode 3 Subcode 1
...
013 (007.000.000) 2026-03-01 09:00:00 Job was released.
\tvia condor_release (by user alice)
...
001 (007.000.000) 2026-03-01 09:01:00 Job executing on host: <127.0.0.1:9619>
...
012 (007.000.000) 2026-03-01 09:02:00 Job was held.
\tThe job attribute OnExitHold expression 'ExitCode =!= 0' evaluated to TRUE
\tCode 3 Subcode 1
...
013 (007.000.000) 2026-03-01 10:00:00 Job was released.
\tvia condor_release (by user alice)
...
001 (007.000.000) 2026-03-01 10:01:00 Job executing on host: <127.0.0.1:9619>
...
012 (007.000.000) 2026-03-01 10:02:00 Job was held.
\tThe job attribute OnExitHold expression 'ExitCode =!= 0' evaluated to TRUE
\tCode 3 Subcode 1
...
";

#[test]
fn a_removal_needs_a_day_two_failed_releases_and_nobody_who_acts() {
    let folder = tempfile::tempdir().expect("a folder");
    let advised = |log: &str, hours: i64, by_itself: ByItself| {
        let path = folder.path().join("EventLog");
        std::fs::write(&path, log).expect("written");
        let mut history = HistoryBuilder::new();
        let options = ReadOptions::in_zone(TimeZone::UTC);
        history.read_log(&path, Coverage::AccessPoint, &options).expect("a log");
        let model = model(-9.0, &[], &[]);
        let held_at = 1_772_359_320;
        let advisor = Advisor::new(history.build(), &model).expect("a schema");
        let held = Held { by_itself, ..Held::of_log(JobId::new(7, 0)) };
        advisor
            .advise(&held, held_at + hours * 3_600)
            .expect("the engine runs")
            .expect("it is held")
    };
    let of = |log: &str, hours, by_itself| advised(log, hours, by_itself).recommendation;
    assert_eq!(of(HOPELESS, 25, ByItself::Nothing), Recommendation::Remove);
    assert_eq!(of(HOPELESS, 23, ByItself::Nothing), Recommendation::Look);
    assert_eq!(of(HOPELESS, 25, ByItself::Unknown), Recommendation::Look);
    assert_eq!(of(HOPELESS, 25, ByItself::Acts), Recommendation::Look);
    let once = HOPELESS.replacen(
        "013 (007.000.000) 2026-03-01 09:00",
        "021 (007.000.000) 2026-03-01 09:00",
        1,
    );
    assert_eq!(of(&once, 25, ByItself::Nothing), Recommendation::Look);
    let transfer = HOPELESS.replace("Code 3 Subcode 1", "Code 13 Subcode 2");
    assert_ne!(of(&transfer, 25, ByItself::Nothing), Recommendation::Remove);
    let began = format!(
        "{HOPELESS}000 (007.001.000) 2026-03-01 08:00:00 Job submitted from host: <127.0.0.1:9618>\n...\n\
         001 (007.001.000) 2026-03-01 11:00:00 Job executing on host: <127.0.0.1:9619>\n...\n"
    );
    assert_ne!(of(&began, 25, ByItself::Nothing), Recommendation::Remove);
}

#[test]
fn failures_of_other_owners_remove_nothing() {
    // For another reason: a like job that begins would speak for this one.
    let other = HOPELESS.replace("ExitCode =!= 0", "ImageSize > Limit");
    let of = |cluster: i32| format!("({cluster:03}.");
    let others: String = (20..40).map(|cluster| other.replace("(007.", &of(cluster))).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("EventLog");
    let advised = |log: &str, model: &Model| {
        std::fs::write(&path, log).expect("written");
        let mut history = HistoryBuilder::new();
        let options = ReadOptions::in_zone(TimeZone::UTC);
        history.read_log(&path, Coverage::AccessPoint, &options).expect("a log");
        let advisor = Advisor::new(history.build(), model).expect("a schema");
        let held = Held { by_itself: ByItself::Nothing, ..Held::of_log(JobId::new(7, 0)) };
        let advice = advisor.advise(&held, 1_772_359_320 + 30 * 3_600).expect("the engine runs");
        advice.expect("it is held").recommendation
    };
    let by_others = model(1.0, &[("access-point-held-same-code-6h", -9.0)], &[]);
    assert_ne!(advised(HOPELESS, &by_others), Recommendation::Remove);
    let all = HOPELESS.to_owned() + &others;
    assert_ne!(advised(&all, &by_others), Recommendation::Remove);
    assert_eq!(advised(&all, &model(-9.0, &[], &[])), Recommendation::Remove);
}

/// An ad of the job `proc` of a cluster of jobs that are held for this.
fn held_ad(proc: i32, (code, subcode, reason): (i32, i32, &str), held_at: i64) -> ClassAd {
    let text = format!(
        "ClusterId = 5\nProcId = {proc}\nOwner = \"ana\"\nJobStatus = 5\nJobUniverse = 5\n\
         Iwd = \"/home/ana\"\nCmd = \"/home/ana/job.sh\"\nNumHolds = 1\nNumJobStarts = 1\n\
         RequestMemory = 1024\nMemoryProvisioned = 1024\nMemoryUsage = 300\n\
         RequestDisk = 2048\nDiskProvisioned = 2048\nDiskUsage = 200\n\
         JobCurrentStartDate = {}\nJobCurrentStartExecutingDate = {}\n\
         AllowedExecuteDuration = 3600\nAllowedJobDuration = 3600\nPeriodicHold = false\n\
         EnteredCurrentStatus = {held_at}\nHoldReasonCode = {code}\n\
         HoldReasonSubCode = {subcode}\nHoldReason = \"{reason}\"\n",
        held_at - 7_200,
        held_at - 7_190,
    );
    classads::read_ads(text.as_bytes()).next().expect("an ad").expect("a whole ad")
}

#[test]
fn where_nothing_passes_by_itself_time_changes_nothing() {
    const HELD_AT: i64 = 1_790_000_000;
    let lasting = [
        (
            13,
            2,
            "Transfer input files failure at access point a while sending files to execution \
            point e. Details: reading from file /data/x: (errno 2) No such file or directory",
        ),
        (
            13,
            13,
            "Transfer input files failure at access point a while sending files to execution \
            point e. Details: reading from file /data/x: (errno 13) Permission denied",
        ),
        (
            12,
            28,
            "Transfer output files failure at access point a while receiving files from \
            execution point e. Details: writing to file /data/o: (errno 28) No space left on device",
        ),
        (
            13,
            256,
            "Transfer input files failure at execution point e using protocol http. Details: \
            The requested URL returned error: 404 ( URL file = http://s.example/x )",
        ),
        (14, 2, "Cannot access initial working directory /data/run: No such file or directory"),
        (22, 0, "Failed to initialize user log to /share/log"),
        (26, 0, "The job restarted too many times"),
        (
            6,
            8,
            "Error from e: Failed to execute '/home/ana/job.sh': (errno=8: 'Exec format error')",
        ),
    ];
    let of_code = |code: &HoldCode| (code.number, 0, "Something is wrong with the job");
    // Without a subcode a program may have met a machine in trouble.
    let own =
        HoldCode::all().iter().filter(|code| code.cause.lasts() && code.number != 6).map(of_code);
    let rising = model(-3.0, &[("held-for", 9.0)], &[]);
    for model in [Model::builtin_default().expect("the shipped model"), rising] {
        for hold in own.clone().chain(lasting) {
            for jobs in [1, 4] {
                let ads: Vec<_> = (0..jobs).map(|proc| held_ad(proc, hold, HELD_AT)).collect();
                let at = |age: i64| {
                    let policies = Policies::unknown();
                    let history = HistoryBuilder::new();
                    let said = advise(history, &ads, &model, &policies, HELD_AT + age);
                    let said = said.expect("the engine runs").remove(0);
                    (said.recommendation, chance_of(&said, Action::AsIs))
                };
                let (first, p) = at(0);
                for age in [3_600, 86_400, 3 * 86_400, 30 * 86_400] {
                    let (later, grown) = at(age);
                    let is_let_go =
                        |it| matches!(it, Recommendation::Release | Recommendation::Try);
                    assert!(
                        !is_let_go(later) || later == first,
                        "{hold:?} {age}: {first:?} {later:?}"
                    );
                    assert!(grown <= p + 1e-9, "{hold:?} {age}: {p} {grown}");
                }
            }
        }
    }
}
