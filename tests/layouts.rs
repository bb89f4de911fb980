//! A model is served with samples of its own frames and slots.

use std::path::Path;
use std::sync::{Arc, Mutex};

use holdadvise::advice::{Advisor, Held};
use holdadvise::features::{FeatureSchema, FrameEdges, Layout, Sampler, Slots};
use holdadvise::history::{Action, Coverage, History};
use holdadvise::model::{Batch, Calibration, Dimensions, Engine, Model, ModelError};
use holdadvise::userlog::{self, ReadOptions};
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

fn history(folder: &Path, now: i64) -> History {
    let mut history = History::new();
    let source = history.add_source(Coverage::AccessPoint);
    let options = ReadOptions::in_zone(TimeZone::UTC);
    let mut series = userlog::open_series(folder.join("EventLog"), &options).expect("recorded");
    while let Some((_, event)) = series.next_event() {
        let event = event.expect("the recorded log is whole");
        if event.time.seconds <= now {
            history.add_event(source, &event);
        }
    }
    history.settle();
    history
}

/// The shipped model's metadata for samples of another layout.
fn model(layout: &Layout, asked: &Asked, weighs: std::ops::Range<usize>) -> Model {
    let mut metadata = Model::builtin_default().expect("the shipped model").metadata;
    metadata.schema = FeatureSchema::with_layout(layout);
    metadata.dimensions = Dimensions::of(&metadata.schema);
    metadata.calibration = Calibration::default();
    metadata.check().expect("sizes that a model may have");
    let engine = Listener { dimensions: metadata.dimensions, asked: Arc::clone(asked), weighs };
    Model { metadata, engine: Box::new(engine) }
}

#[test]
fn a_model_of_another_layout_is_asked_in_its_own() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9");
    let now = std::fs::read_to_string(folder.join("held.time")).expect("the recording");
    let now: i64 = now.trim().parse().expect("Unix seconds");
    for (m, length, j) in [(5, 60, 5), (30, 20, 40), (24, 300, 12)] {
        let frames = FrameEdges::equal(m, length).expect("frames");
        let slots = Slots::new(j).expect("slots");
        let layout = Layout { frames, slots };
        let asked = Asked::default();
        let [_, _, _, any] = slots.of_kinds();
        let model = model(&layout, &asked, any);
        let advisor = Advisor::new(history(&folder, now), &model);
        let advisor = advisor.expect("its own schema").explaining();
        let jobs = advisor.held_in_logs(now, |_, _| true);
        assert!(jobs.len() > 10);
        let sampler = Sampler::new(history(&folder, now), layout.clone());
        assert_eq!(sampler.schema(), model.metadata.schema);
        let mut named = 0;
        for job in jobs {
            asked.lock().expect("one thread").clear();
            let advice = advisor.advise(&Held::of_log(job), now).expect("asked").expect("held");
            let hold = sampler.history().held_at(job, None, now).expect("held");
            let sample = sampler.sample(&hold, now, Action::AsIs, None);
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
    let mut model = model(&Layout::default(), &asked, 1..2);
    model.metadata.schema.slots = 4;
    model.metadata.schema.hash = model.metadata.schema.digest();
    let error = Advisor::new(History::new(), &model).expect_err("4 slots").to_string();
    assert!(error.contains(&model.metadata.schema.hash), "{error}");
}
