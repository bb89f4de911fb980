//! From the sweep file to the plan: settings and trials are numbered, and the parameters of the
//! trials are drawn.

use std::path::Path;

use holdadvise::features::{FeatureSchema, FrameEdges, Layout, Slots};
use holdadvise::model::Archive;
use serde_json::Value;

use super::draw::{Values, grid, random};
use super::file::{Frames, MOST_TRIALS, Preprocessing, SweepFile};
use super::halving;
use super::plan::{Method, Plan, Program, Setting, Trial};
use super::space::{Distribution, Space};
use crate::output;
use crate::training::beginning::Beginning;
use crate::training::trial::Parameters;

/// Trials where the file does not say how many.
const TRIALS: usize = 24;

/// Settings where the file does not say how many, and anything varies.
const SETTINGS: usize = 8;

/// Draws for each setting, before those that are known have to do.
const ATTEMPTS: usize = 200;

/// A plan, and what goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The parameters of the trials.
    pub parameters: Vec<Parameters>,
    /// What the author of the file should know.
    pub notes: Vec<String>,
}

/// Makes the plan of a sweep. `program` is where this program lies, for nodes where the file does
/// not say how they come by it.
///
/// # Errors
/// When the grid has too many trials.
pub fn plan(sweep: &SweepFile, program: &Path) -> Result<Planned, String> {
    let mut notes = Vec::new();
    let settings = settings(sweep, &mut notes)?;
    for (key, path) in
        [("architecture", &sweep.plan.architecture), ("champion", &sweep.plan.champion)]
    {
        path.iter().try_for_each(|path| of_torch_script(key, path))?;
    }
    if let Some(from) = &sweep.plan.from {
        of_the_model(from, &settings)?;
    }
    let trials = count(sweep, &settings, &mut notes)?;
    let mut settings = settings;
    if settings.len() > trials {
        let dropped = settings.len() - trials;
        notes.push(format!("{dropped} settings are not prepared: there are {trials} trials"));
        settings.truncate(trials);
    }
    let trial = |number: usize| Trial { number, setting: (number - 1) % settings.len() + 1 };
    let trials: Vec<Trial> = (1..=trials).map(trial).collect();
    let mut parameters = Vec::new();
    for number in 1..=trials.len() {
        let drawn = match sweep.plan.method {
            Method::Random => Some(random::draw(&sweep.space, sweep.plan.seed, number)),
            // Each combination on each setting in turn.
            Method::Grid => grid::nth(&sweep.space, ((number - 1) / settings.len()) as u64),
        };
        let parameters_of = |parameters| Parameters { trial: number, parameters };
        let nothing = || format!("no combination is left for trial {number}");
        parameters.push(drawn.map(parameters_of).ok_or_else(nothing)?);
    }
    let budget = sweep.budget;
    let rungs = halving::rungs(trials.len(), budget.rungs, budget.eta, budget.epochs)?;
    let program = sweep.program.clone().unwrap_or_else(|| {
        let path = program.display();
        notes.push(format!(
            "`program` is not given: nodes run {path}, which must be on every execution point"
        ));
        Program::Installed(program.to_owned())
    });
    let spread = |(name, of): (&String, &Distribution)| Some((name.clone(), of.spread()?));
    let spreads = sweep.space.iter().filter_map(spread).collect();
    let plan = Plan { settings, trials, spreads, rungs, program, ..sweep.plan.clone() };
    Ok(Planned { plan, parameters, notes })
}

/// Refuses a file that is no TorchScript module, of which trainings or the test would die.
fn of_torch_script(key: &str, path: &Path) -> Result<(), String> {
    let bytes = output::read(path).map_err(|error| format!("{key}: {error}"))?;
    // What `torch.save` writes has no such entry.
    let module = Archive::with(&bytes, "constants.pkl");
    module.map(drop).map_err(|error| {
        format!("{key}: {} is no TorchScript module (torch.jit.save): {error}", path.display())
    })
}

/// Refuses settings that the model to begin with was not trained on.
fn of_the_model(from: &Path, settings: &[Setting]) -> Result<(), String> {
    let beginning = Beginning::read(from).map_err(|error| format!("training.from: {error}"))?;
    for setting in settings {
        let frames = FrameEdges::new(setting.frame_edges.clone());
        let (Some(frames), Ok(slots)) = (frames, Slots::new(setting.slots)) else { continue };
        let schema = FeatureSchema::with_layout(&Layout { frames, slots });
        beginning.check_schema(&schema).map_err(|error| {
            format!("training.from: {}: {error}; `preprocessing` says how", from.display())
        })?;
    }
    Ok(())
}

fn too_large(size: u64) -> String {
    format!(
        "the grid has {size} trials, more than {MOST_TRIALS}: leave out values, or say how many `trials`"
    )
}

/// How many trials there are.
fn count(
    sweep: &SweepFile,
    settings: &[Setting],
    notes: &mut Vec<String>,
) -> Result<usize, String> {
    let size = grid::size(&sweep.space).map(|size| size.saturating_mul(settings.len() as u64));
    let asked = sweep.trials;
    let wanted = asked.unwrap_or(TRIALS);
    Ok(match (sweep.plan.method, size) {
        (Method::Grid, Some(size)) => match asked {
            Some(asked) if (asked as u64) < size => {
                notes.push(format!("of a grid of {size} trials the first {asked} are trained"));
                asked
            }
            _ if size > MOST_TRIALS as u64 => return Err(too_large(size)),
            Some(asked) if (asked as u64) > size => {
                notes.push(format!("`trials` {asked}: the grid has {size}"));
                size as usize
            }
            _ => size as usize,
        },
        (_, Some(size)) if size == settings.len() as u64 && wanted > settings.len() => {
            let text = "nothing of `training.parameters` varies: one trial for each setting";
            notes.push(format!("{text}, {size} in all"));
            settings.len()
        }
        (_, Some(size)) if size < wanted as u64 => {
            notes.push(format!(
                "{wanted} trials of {size} combinations: some are trained twice; `method: grid` trains each once"
            ));
            wanted
        }
        _ => wanted,
    })
}

/// The different settings.
fn settings(sweep: &SweepFile, notes: &mut Vec<String>) -> Result<Vec<Setting>, String> {
    let Preprocessing { frames, slots, settings: asked } = &sweep.preprocessing;
    let mut space = Space::from([("j".to_owned(), slots.clone())]);
    match frames {
        Frames::Edges(lists) => {
            let max = i64::try_from(lists.len()).unwrap_or(i64::MAX) - 1;
            space.insert("edges".to_owned(), Distribution::IntUniform { min: 0, max: max.max(0) });
        }
        Frames::Equal { count, length } => {
            space.insert("m".to_owned(), count.clone());
            space.insert("timeframe_len".to_owned(), length.clone());
        }
    }
    let size = grid::size(&space);
    let is_grid = sweep.plan.method == Method::Grid;
    let wanted = match (asked, size) {
        (Some(asked), _) => *asked,
        (None, Some(size)) if is_grid || size == 1 => usize::try_from(size).unwrap_or(usize::MAX),
        (None, _) => sweep.trials.unwrap_or(TRIALS).min(SETTINGS),
    };
    if wanted > MOST_TRIALS {
        return Err(too_large(wanted as u64));
    }
    let all = size.filter(|size| is_grid || *size <= wanted as u64);
    let drawn: Box<dyn Iterator<Item = Option<Values>>> = match all {
        Some(size) => Box::new((0..size).map(|at| grid::nth(&space, at))),
        // Not the numbers that the parameters of trials are drawn with.
        None => Box::new(
            (1..=wanted.saturating_mul(ATTEMPTS))
                .map(|number| Some(random::draw(&space, !sweep.plan.seed, number))),
        ),
    };
    let mut settings: Vec<Setting> = Vec::new();
    for values in drawn {
        if settings.len() == wanted {
            break;
        }
        let values = values.unwrap_or_default();
        let number = settings.len() + 1;
        let (frame_edges, slots) = prepared(frames, &values)
            .ok_or_else(|| format!("no data can be prepared with {values:?}"))?;
        let same = |one: &Setting| one.frame_edges == frame_edges && one.slots == slots;
        if !settings.iter().any(same) {
            settings.push(Setting { number, frame_edges, slots });
        }
    }
    if settings.len() < wanted {
        let found = settings.len();
        notes.push(format!("{wanted} settings are asked for, there are {found} different ones"));
    }
    Ok(settings)
}

/// Frame edges and slots of drawn values.
fn prepared(frames: &Frames, values: &Values) -> Option<(Vec<u32>, usize)> {
    let number = |name: &str| values.get(name).and_then(Value::as_u64);
    let edges = match frames {
        Frames::Edges(lists) => lists.get(usize::try_from(number("edges")?).ok()?)?.clone(),
        Frames::Equal { .. } => {
            let (count, length) = (number("m")?, number("timeframe_len")?);
            let edges = FrameEdges::equal(count.try_into().ok()?, length.try_into().ok()?)?;
            edges.edges().to_vec()
        }
    };
    Some((edges, usize::try_from(number("j")?).ok()?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sweep::file;
    use holdadvise::features::Slots;

    fn planned(lines: &str) -> Result<Planned, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sweep.yaml");
        std::fs::write(&path, format!("data: {{simulations: .}}\n{lines}\n")).unwrap();
        let sweep = file::read(&path, jiff::Timestamp::UNIX_EPOCH).unwrap().sweep;
        let mut planned = plan(&sweep, Path::new("/bin/h"))?;
        // The note on the program, which all of these have.
        assert!(planned.notes.pop().unwrap().contains("nodes run /bin/h, which"));
        Ok(planned)
    }

    const SPACE: &str =
        "training: {parameters: {hidden: {min: 8, max: 512}, dropout: {min: 0.0, max: 0.5}}}";
    const SMALL: &str =
        "training: {parameters: {hidden: {values: [8, 16]}, layers: {min: 1, max: 3}}}";

    #[test]
    fn trials_take_turns_with_the_settings() {
        let Planned { plan, parameters, notes } = planned(&format!(
            "trials: 7\npreprocessing: {{m: {{min: 10, max: 100}}, timeframe_len: 60, settings: 3}}\n{SPACE}"
        ))
        .unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        let turns: Vec<usize> = plan.trials.iter().map(|trial| trial.setting).collect();
        assert_eq!(turns, [1, 2, 3, 1, 2, 3, 1]);
        assert!(plan.settings.iter().map(|setting| setting.number).eq(1..=3));
        let edges: BTreeSet<&Vec<u32>> = plan.settings.iter().map(|one| &one.frame_edges).collect();
        assert_eq!(edges.len(), 3);
        assert!(plan.settings.iter().all(|one| (11..=101).contains(&one.frame_edges.len())));
        assert!(parameters.iter().map(|one| one.trial).eq(1..=7));
        let rungs: Vec<usize> = plan.rungs.iter().map(|rung| rung.trials).collect();
        assert_eq!(rungs, [7, 3, 1]);
    }

    #[test]
    fn a_trial_does_not_depend_on_how_many_there_are() {
        let of = |trials| planned(&format!("trials: {trials}\n{SPACE}")).unwrap().parameters;
        assert_eq!(of(30)[..5], of(5));
    }

    #[test]
    fn a_grid_is_tried_on_every_setting() {
        let slots = "preprocessing: {j: {values: [6, 12]}}";
        let Planned { plan, parameters, notes } =
            planned(&format!("method: grid\n{slots}\n{SMALL}")).unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        let pairs: BTreeSet<String> = plan
            .trials
            .iter()
            .zip(&parameters)
            .map(|(trial, one)| format!("{} {:?}", trial.setting, one.parameters))
            .collect();
        assert_eq!((pairs.len(), plan.trials.len(), plan.settings.len()), (12, 12, 2));

        let cut = planned(&format!("method: grid\ntrials: 5\n{SMALL}")).unwrap();
        assert_eq!(cut.notes, ["of a grid of 6 trials the first 5 are trained"]);
        let more = planned(&format!("method: grid\ntrials: 50\n{SMALL}")).unwrap();
        assert_eq!(
            (more.notes.as_slice(), more.plan.trials.len()),
            (&["`trials` 50: the grid has 6".to_owned()][..], 6)
        );
        let large =
            "training: {parameters: {hidden: {min: 1, max: 1000}, units: {min: 1, max: 1000}}}";
        let error = planned(&format!("method: grid\n{large}")).unwrap_err();
        assert!(error.starts_with("the grid has 1000000 trials, more than 10000: "), "{error}");
    }

    #[test]
    fn a_space_that_is_too_small_is_told() {
        let constant = planned("training: {parameters: {hidden: 8}}").unwrap();
        assert_eq!(constant.plan.trials.len(), 1);
        assert!(constant.notes[0].contains("one trial for each setting, 1 in all"));
        let small = planned(SMALL).unwrap();
        assert_eq!(small.plan.trials.len(), 24);
        assert!(small.notes[0].starts_with("24 trials of 6 combinations"), "{:?}", small.notes);
        let settings = "preprocessing: {j: {values: [6, 12]}, settings: 5}";
        let few = planned(&format!("{settings}\n{SPACE}")).unwrap();
        assert_eq!(few.notes, ["5 settings are asked for, there are 2 different ones"]);
        let trials = planned(&format!("trials: 1\n{settings}\n{SPACE}")).unwrap();
        assert_eq!((trials.plan.settings.len(), trials.notes.len()), (1, 2));
    }

    #[test]
    fn frame_edges_may_be_given_or_left_to_the_default() {
        let default = planned(SPACE).unwrap().plan.settings;
        assert_eq!(default.len(), 1);
        assert_eq!(default[0].frame_edges, FrameEdges::default().edges());
        assert_eq!(default[0].slots, Slots::default().count());
        let two = planned(&format!(
            "preprocessing: {{frame_edges: {{values: [[0, 60], [0, 60, 600]]}}}}\n{SPACE}"
        ));
        let edges: BTreeSet<Vec<u32>> =
            two.unwrap().plan.settings.into_iter().map(|setting| setting.frame_edges).collect();
        assert_eq!(edges, BTreeSet::from([vec![0, 60], vec![0, 60, 600]]));
    }
}
