//! A model is served with samples of its own frames and slots, columns and states.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use eventlog::ReadOptions;
use holdadvise::advice::{Advisor, Held};
use holdadvise::features::{
    FeatureSchema, FrameEdges, Holds, Layout, Sample, Sampler, Slots, fnv1a,
};
use holdadvise::history::{Action, Coverage, History, HistoryBuilder, NotedActions};
use holdadvise::model::{Batch, Calibration, Dimensions, Engine, Model, ModelError};
use jiff::tz::TimeZone;

/// States and bits of the statics of what the model was asked.
type Asked = Arc<Mutex<Vec<(Vec<u8>, Vec<u32>)>>>;

/// Keeps what it is asked. A job in the slots that it weighs speaks for a release.
#[derive(Debug)]
struct Listener {
    dimensions: Dimensions,
    asked: Asked,
    weighs: std::ops::Range<usize>,
}

impl Engine for Listener {
    fn logits(&self, batch: &Batch<'_>) -> Result<Vec<f32>, ModelError> {
        batch.check(&self.dimensions)?;
        let Dimensions { m, j, k, .. } = self.dimensions;
        let samples = batch.states.chunks_exact(m * j).zip(batch.statics.chunks_exact(k));
        let mut asked = self.asked.lock().expect("one thread");
        let logits = samples.map(|(states, statics)| {
            let bits = statics.iter().map(|value| value.to_bits()).collect();
            asked.push((states.to_vec(), bits));
            let last = &states[(m - 1) * j..][self.weighs.clone()];
            last.iter().filter(|state| **state != 0).count() as f32 - 1.0
        });
        Ok(logits.collect())
    }
}

/// The recorded pool, and when its queue was asked.
fn recording() -> (PathBuf, i64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9");
    let now = std::fs::read_to_string(folder.join("held.time")).expect("the recording");
    (folder, now.trim().parse().expect("Unix seconds"))
}

fn history(folder: &Path, now: i64) -> History {
    let mut history = HistoryBuilder::new();
    let source = history.add_source(Coverage::AccessPoint);
    let options = ReadOptions::in_zone(TimeZone::UTC);
    let mut series = eventlog::open_series(folder.join("EventLog"), &options).expect("recorded");
    while let Some((_, event)) = series.next_event() {
        let event = event.expect("the recorded log is whole");
        if event.time.seconds <= now {
            history.add_event(source, &event);
        }
    }
    history.build()
}

/// The shipped model's metadata for samples of another schema.
fn model(schema: FeatureSchema, asked: &Asked, weighs: std::ops::Range<usize>) -> Model {
    let mut metadata = Model::builtin_default().expect("the shipped model").metadata;
    metadata.schema = schema;
    metadata.dimensions = Dimensions::of(&metadata.schema);
    metadata.calibration = Calibration::default();
    metadata.check().expect("sizes that a model may have");
    let engine = Listener { dimensions: metadata.dimensions, asked: Arc::clone(asked), weighs };
    Model { metadata, engine: Box::new(engine) }
}

#[test]
fn a_model_of_another_layout_is_asked_in_its_own() {
    let (folder, now) = recording();
    for (m, length, j) in [(5, 60, 5), (30, 20, 40), (24, 300, 12)] {
        let frames = FrameEdges::equal(m, length).expect("frames");
        let slots = Slots::new(j).expect("slots");
        let layout = Layout { frames, slots };
        let asked = Asked::default();
        let [_, _, _, any] = slots.of_kinds();
        let model = model(FeatureSchema::with_layout(&layout), &asked, any);
        let advisor = Advisor::new(history(&folder, now), &model);
        let advisor = advisor.expect("its own schema").explaining(true);
        let jobs = advisor.history().held(now, |_, _| true);
        assert!(jobs.len() > 10);
        let sampler = Sampler::new(history(&folder, now), layout.clone());
        let mut named = 0;
        for job in jobs {
            asked.lock().expect("one thread").clear();
            let hold = sampler.history().held_at(job, None, now).expect("held");
            // Of a hold that time does not help nothing later is asked.
            let at = hold.held_at;
            let advice = advisor.advise(&Held::of_log(job), at).expect("asked").expect("held");
            let sample = sampler.sample(&hold, at, Action::AsIs, None);
            assert_eq!(sample.states.len(), m as usize * j);
            let bits: Vec<u32> = sample.statics.iter().map(|value| value.to_bits()).collect();
            let asked = asked.lock().expect("one thread");
            assert!(asked.contains(&(sample.states, bits)), "{job} with {m} frames and {j} slots");
            let inputs = advice.inputs.iter().map(|effect| effect.input.as_str());
            named +=
                inputs.inspect(|input| assert_eq!(*input, "the access point as a whole")).count();
        }
        // The slots of this layout are blanked, not those of the default.
        assert!(named > 0, "{m} frames and {j} slots");
    }
}

#[test]
fn a_model_of_a_layout_that_none_can_have_is_refused() {
    let asked = Asked::default();
    let mut model = model(FeatureSchema::current(), &asked, 1..2);
    model.metadata.schema.slots = 4;
    model.metadata.schema.hash = model.metadata.schema.digest();
    let error = Advisor::new(History::default(), &model).expect_err("4 slots").to_string();
    assert!(error.contains(&model.metadata.schema.hash), "{error}");
}

/// The schema of this program, changed as another version of it would have it.
fn changed(change: impl FnOnce(&mut FeatureSchema)) -> FeatureSchema {
    let mut schema = FeatureSchema { sources: Vec::new(), ..FeatureSchema::current() };
    change(&mut schema);
    schema.hash = schema.digest();
    schema
}

/// What a model of this schema is to be asked of a sample of this program.
fn expected(schema: &FeatureSchema, full: &Sample) -> (Vec<u8>, Vec<u32>) {
    let current = FeatureSchema::current();
    let cell = |name: &str| full.statics[current.column(name).expect(name)];
    // A code without a column or state of its own is one of the other codes.
    let of_other_code = |name: &String| name.starts_with("code-") && !schema.statics.contains(name);
    let statics = schema.statics.iter().map(|name| match name.as_str() {
        "code-other" => {
            let others = current.statics.iter().filter(|name| of_other_code(name));
            others.fold(cell(name), |sum, name| sum + cell(name))
        }
        name => cell(name),
    });
    let place = |name: &str| schema.states.iter().position(|state| state == name);
    let states = full.states.iter().map(|&state| {
        let name = current.states[usize::from(state)].as_str();
        let other = if name.starts_with("held-") { "held-other" } else { "not-observed" };
        place(name).or(place(other)).expect("a place") as u8
    });
    (states.collect(), statics.map(f32::to_bits).collect())
}

#[test]
fn a_model_of_another_version_is_asked_of_its_own_columns_and_states() {
    let (folder, now) = recording();
    let older = |name: &'static str| {
        move |schema: &mut FeatureSchema| schema.statics.retain(|column| column != name)
    };
    let other = |schema: &mut FeatureSchema| {
        schema.statics.retain(|name| !["code-13", "action-site", "file-others"].contains(&&**name));
        schema.statics.rotate_left(100);
        schema.states.retain(|name| !["held-13", "idle"].contains(&&**name));
        schema.states.reverse();
    };
    let sampler = Sampler::new(history(&folder, now), Layout::default());
    for schema in [changed(older("holds")), changed(older("server-started-1h")), changed(other)] {
        let asked = Asked::default();
        let model = model(schema.clone(), &asked, 10..12);
        let advisor =
            Advisor::new(history(&folder, now), &model).expect("its columns").explaining(true);
        let own =
            Sampler::for_schema(history(&folder, now), &schema, &Holds::All).expect("its columns");
        for job in advisor.history().held(now, |_, _| true) {
            asked.lock().expect("one thread").clear();
            let hold = sampler.history().held_at(job, None, now).expect("held");
            let at = hold.held_at;
            advisor.advise(&Held::of_log(job), at).expect("asked").expect("held");
            for action in [Action::AsIs, Action::Other] {
                let full = sampler.sample(&hold, at, action, None);
                let mut sample = own.sample(&hold, at, Action::Memory, None);
                own.set_action(&mut sample, action);
                let bits = sample.statics.iter().map(|value| value.to_bits()).collect();
                assert_eq!((sample.states, bits), expected(&schema, &full), "{job}");
            }
            let as_is = sampler.sample(&hold, at, Action::AsIs, None);
            let asked = asked.lock().expect("one thread");
            assert!(asked.contains(&expected(&schema, &as_is)), "{job}");
        }
    }
}

#[test]
fn a_model_that_wants_what_this_program_does_not_compute_is_refused() {
    let refused = |schema: FeatureSchema| {
        let model = model(schema, &Asked::default(), 1..2);
        let error = Advisor::new(History::default(), &model).expect_err("another schema");
        assert!(matches!(error, ModelError::Schema { .. } | ModelError::Samples(_)));
        error.to_string()
    };
    let columns = ["gpus", "gpu-memory", "owner-gpus", "site-gpus"].map(str::to_owned);
    let error = refused(changed(|schema| schema.statics.extend(columns)));
    assert!(error.contains("compute (gpus, gpu-memory, owner-gpus and 1 more)"), "{error}");
    let error = refused(changed(|schema| schema.states[3] = "input-cached".to_owned()));
    assert!(error.contains("compute (input-cached)"), "{error}");
    // As where a cue had other parts when the model was trained.
    let mut schema = changed(|_| ());
    schema.hash = "0123456789abcdef".to_owned();
    let error = refused(schema);
    assert!(error.contains("0123456789abcdef is not the hash of what it names"), "{error}");
    let error = refused(changed(|schema| schema.states.retain(|name| name != "not-observed")));
    assert!(error.contains("has no state not-observed"), "{error}");
}

#[test]
fn what_the_shipped_model_knows_keeps_its_meaning() {
    let shipped = Model::builtin_default().expect("the shipped model").metadata.schema;
    let current = FeatureSchema::current();
    for source in &shipped.sources {
        let names = |schema: &FeatureSchema| -> Vec<String> {
            let of = schema.sources.iter().find(|other| other.name == source.name).expect("it");
            let names = of.columns.iter().map(|&column| schema.statics[column].clone());
            names.filter(|name| shipped.statics.contains(name)).collect()
        };
        assert_eq!(names(&current), names(&shipped), "{}", source.name);
    }
    let (folder, now) = recording();
    let sampler =
        Sampler::for_schema(history(&folder, now), &shipped, &Holds::All).expect("its columns");
    let mut text = String::new();
    for episode in sampler.history().episodes(now, &NotedActions::default()) {
        let sample = sampler.sample(&episode, now, Action::AsIs, Some(3));
        for (name, value) in shipped.statics.iter().zip(&sample.statics) {
            text.push_str(&format!("{name} {value:.3}\n"));
        }
    }
    let found = fnv1a(text.as_bytes());
    assert_eq!(
        found, 17_465_938_315_974_949_023,
        "a column that holds something else needs another name"
    );
}
