//! `holdadvise-train sweep test`: the best model of a sweep on the test part, once.
//!
//! Trainings of a sweep leave the test part alone. Here the best model is completed with its
//! figures on it and its info sheet, is compared with the model in use, and is described for
//! people.
//!
//! - `info`: `bestmodel.info`.
//! - `verdict`: champion against challenger.

mod info;
mod verdict;

use std::path::{Path, PathBuf};

use holdadvise::model::{Archive, Model, ModelError};
use holdadvise::text::shell_command;
use serde_json::json;

use crate::Error;
use crate::data::dataset::{Dataset, SUCCESS};
use crate::engine::EngineKind;
use crate::evaluation::evaluate::{self, EvaluateOptions, Report, StudyOptions};
use crate::evaluation::report::verdict::{FIGURES, IN_USE, SYSTEM_MODEL};
use crate::evaluation::report::{Judgement, Next, Verdict, figure_title};
use crate::export::{self, sheet};
use crate::output;
use crate::output::digest;
use crate::say::say;
use crate::split::Split;
use crate::split::parts::Parts;
use crate::split::selection::SelectionOptions;
use crate::sweep::folder;
use crate::sweep::leaderboard::remarks_on;
use crate::sweep::plan::{BestTrial, Plan};
use crate::training::baselines::code_statistics;
use info::{Info, install};
use verdict::{compare, deciding};

/// Evaluate the best model of a sweep on the test part, and compare it with the model in use.
#[derive(Clone, Debug, clap::Args)]
pub struct TestOptions {
    /// The dataset that the trial was trained on.
    pub dataset: PathBuf,
    /// Its parts.
    #[arg(long, value_name = "PARTS")]
    pub parts: PathBuf,
    /// The model of the best trial.
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,
    /// Result and parameters of the best trial, JSON.
    #[arg(long, value_name = "FILE")]
    pub trial: PathBuf,
    /// The plan, `sweep.json`.
    #[arg(long, value_name = "FILE")]
    pub plan: PathBuf,
    /// The model in use.
    #[arg(long, value_name = "FILE")]
    pub champion: Option<PathBuf>,
    /// Folder to write bestmodel.pt, bestmodel.info, report.json, report.html and verdict.txt to.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Bootstrap draws for the intervals.
    #[arg(long, default_value_t = 1000)]
    pub draws: usize,
}

/// Runs `sweep test`.
///
/// # Errors
/// When a file cannot be read or written, or the model does not take the dataset. A model in use
/// that cannot be compared is no error: the verdict says so.
pub fn run(options: &TestOptions) -> Result<(), Error> {
    let plan: Plan = folder::read_json(&options.plan)?;
    let best: BestTrial = folder::read_json(&options.trial)?;
    let dataset = Dataset::read(&options.dataset)?;
    let (parts, mut split) = Parts::read_split(&options.parts, &dataset)?;
    evaluate::check_test(&dataset, &split)?;
    let bytes = output::read(&options.model)?;
    let failed = |error: ModelError| format!("{}: {error}", options.model.display());
    let (model, engine) = open(&bytes).map_err(failed)?;
    model.check_schema(&dataset.info.schema.hash).map_err(failed)?;

    let selection = SelectionOptions::of_model(&model.metadata);
    selection.select(&dataset, &mut split);
    let report = evaluate::report(&dataset, &split, &model, options.draws, plan.seed)?;
    let completed = complete(&bytes, &model, &dataset, &split, &selection, &report)?;
    let write = |name: &str, content: &[u8]| folder::write(&options.output.join(name), content);
    write(BEST, &completed)?;

    let champion = options.champion.as_deref().map(|path| Champion::open(path, &dataset));
    let sides = Sides {
        plan: &plan,
        best: &best,
        challenger: &model,
        champion: champion.as_ref(),
        report: &report,
    };
    let said = sides.judge(&dataset, &split, options.draws)?;
    report_on(options, &sides, engine, said.verdict.clone())?;
    let model = engine.read(&completed).map_err(failed)?;
    let sha256 = digest(&completed);
    let info = Info {
        plan: &plan,
        best: &best,
        model: &model,
        dataset: &dataset,
        parts: &parts,
        report: &report,
        sha256: &sha256,
        verdict: &said.word,
    };
    write("bestmodel.info", info.text().as_bytes())?;
    // Last: where it is, all is.
    let text = said.text(&best, &plan.metric.name);
    write("verdict.txt", text.as_bytes())?;
    say(format_args!("trial {:03}: {}\n", best.result.trial, said.word));
    Ok(())
}

/// A model with the engine that runs it: the built-in one unless the network is another.
fn open(bytes: &[u8]) -> Result<(Model, EngineKind), ModelError> {
    let engine = if has_own_network(bytes) { EngineKind::Torch } else { EngineKind::Builtin };
    Ok((engine.read(bytes)?, engine))
}

/// The archive can be read, and has not the parameters of the shipped network.
fn has_own_network(bytes: &[u8]) -> bool {
    Archive::new(bytes).and_then(|mut archive| archive.metadata()).is_ok_and(|metadata| {
        !metadata.tensors.iter().any(|tensor| tensor.name == "lstm_recurrent_weight")
    })
}

/// The archive with figures of the test part and the sheet that tells of them.
fn complete(
    bytes: &[u8],
    model: &Model,
    dataset: &Dataset,
    split: &Split,
    selection: &SelectionOptions,
    report: &Report,
) -> Result<Vec<u8>, Error> {
    let mut metadata = model.metadata.clone();
    let details = &mut metadata.training.details;
    let successes = split.test.iter().filter(|&&row| dataset.label[row] == SUCCESS).count();
    details.insert("test".to_owned(), json!({ "rows": split.test.len(), "successes": successes }));
    let seed = details.get("options").and_then(|options| options.get("seed")?.as_u64());
    let training = sheet::Training {
        dataset,
        split,
        selection,
        codes: &code_statistics(dataset, &split.train),
        report,
        seed: seed.unwrap_or_default(),
    };
    export::measured(bytes, metadata, &training)
}

/// The model in use, or why it cannot be compared.
enum Champion {
    Comparable { path: PathBuf, model: Box<Model>, engine: EngineKind },
    Not(String),
}

impl Champion {
    fn open(path: &Path, dataset: &Dataset) -> Self {
        let opened = std::fs::read(path).map_err(|error| error.to_string());
        let opened = opened.and_then(|bytes| open(&bytes).map_err(|error| error.to_string()));
        let (model, engine) = match opened {
            Ok(opened) => opened,
            Err(error) => return Self::Not(format!("The model in use cannot be opened: {error}")),
        };
        let (its, ours) = (&model.metadata.schema.hash, &dataset.info.schema.hash);
        if its != ours {
            return Self::Not(format!(
                "The model in use is of feature schema {its}, the best trial of {ours}: the \
                 dataset of the one is nothing to the other. To compare them, make tensors of the \
                 same holds for each (holdadvise-train tensors, of its own schema) and put the \
                 figures of both side by side (holdadvise-train evaluate)."
            ));
        }
        Self::Comparable { path: path.to_owned(), model: Box::new(model), engine }
    }
}

/// What `verdict.txt` says, and the report.
struct Said {
    /// The verdict itself.
    word: String,
    /// What speaks for it.
    lines: Vec<String>,
    verdict: Verdict,
}

/// The best trial beside the model in use.
struct Sides<'a> {
    plan: &'a Plan,
    best: &'a BestTrial,
    challenger: &'a Model,
    champion: Option<&'a Champion>,
    /// Figures of the best trial on the test part.
    report: &'a Report,
}

impl Sides<'_> {
    fn judge(&self, dataset: &Dataset, split: &Split, draws: usize) -> Result<Said, Error> {
        let Self { plan, best, challenger, champion, report } = self;
        let metric = &plan.metric.name;
        let not_compared = |word: &str, why: Option<&String>, next: Vec<Next>| Said {
            word: word.to_owned(),
            lines: why.into_iter().cloned().collect(),
            verdict: Verdict {
                own: named(best),
                against: None,
                judgement: None,
                rows: 0,
                clusters: 0,
                figures: Vec::new(),
                remarks: why
                    .cloned()
                    .into_iter()
                    .chain([on_the_test_part(report)])
                    .chain(remarks_on(best, metric))
                    .collect(),
                decisions: None,
                next,
            },
        };
        let model = match champion {
            None => {
                let word = "not compared: the sweep file names no model in use";
                let next = vec![compare_first(best), Next::install(BEST)];
                return Ok(not_compared(word, None, next));
            }
            Some(Champion::Not(why)) => {
                let keep = "Keep the model in use until both can be compared, as said below.";
                let next = vec![Next::new(keep, Vec::new())];
                return Ok(not_compared("not compared", Some(why), next));
            }
            Some(Champion::Comparable { model, .. }) => model,
        };
        let happened: Vec<usize> =
            split.test.iter().copied().filter(|&row| dataset.observed[row] != 0).collect();
        let models = [challenger, &**model];
        let compared = compare(dataset, &split.test, models, deciding(metric), (draws, plan.seed))?;
        let mut lines = compared.lines(draws);
        let seen = seen_before(model, dataset, &happened);
        lines.extend(seen.clone());
        let mut verdict = compared.for_report(named(best), draws);
        verdict.remarks.extend(seen);
        verdict.remarks.extend(remarks_on(best, metric));
        verdict.next = next(compared.judgement);
        Ok(Said { word: compared.judgement.to_string(), lines, verdict })
    }
}

/// Figures of the best trial alone, in a sentence.
fn on_the_test_part(report: &Report) -> String {
    let figures = report.methods.first().map(|method| method.figures.as_slice());
    let shown = FIGURES.iter().filter_map(|(name, _)| {
        let (_, estimate) = figures?.iter().find(|(figure, _)| figure == name)?;
        Some(format!("{} {}", figure_title(name), estimate.text(3)))
    });
    format!(
        "On the {} releases of {} clusters in the test part, with 95 % intervals: {}.",
        report.rows,
        report.clusters,
        shown.collect::<Vec<_>>().join(", ")
    )
}

/// The best model, in the folder that its figures are in.
const BEST: &str = "bestmodel.pt";

/// What the best trial is called in the report.
fn named(best: &BestTrial) -> String {
    format!("trial {:03}", best.result.trial)
}

/// What to do where the sweep file names no model in use.
fn compare_first(best: &BestTrial) -> Next {
    let folder = Plan::setting_folder(best.setting);
    let [dataset, parts] =
        ["dataset.safetensors", "parts.safetensors"].map(|name| folder.join(name));
    let (dataset, parts) = (dataset.to_string_lossy(), parts.to_string_lossy());
    let mut test = vec!["holdadvise-train", "sweep", "test", &dataset, "--parts", &parts];
    test.extend(["--model", "best/model.pt", "--trial", "best/trial.json"]);
    test.extend(["--plan", "sweep.json", "--champion", SYSTEM_MODEL, "-o", "best"]);
    Next::new(
        "Compare it with the model in use before you install it: in the folder of the sweep test \
         it once more, then write the pages anew. In the sweep file the key champion names the \
         model in use for the next sweep.",
        vec![shell_command(test), shell_command(["holdadvise-train", "sweep", "finish", "."])],
    )
}

/// What to do after a comparison.
fn next(judgement: Judgement) -> Vec<Next> {
    match judgement {
        Judgement::Better => vec![Next::install(BEST)],
        Judgement::Mixed => vec![
            Next::new("Decide which of the figures below matters more to you.", Vec::new()),
            Next::install(BEST),
        ],
        Judgement::Worse | Judgement::Undecided => vec![Next::new(
            "Keep the model in use. More holds, or other parameters, may bring a better one: \
             change data or training in the sweep file, and run another sweep.",
            vec![shell_command(["holdadvise-train", "dag", "sweep.yaml", "-o", "DIR"])],
        )],
    }
}

/// The model in use may have been made from holds of the test part: then it is ahead of what it
/// could know.
fn seen_before(champion: &Model, dataset: &Dataset, rows: &[usize]) -> Option<String> {
    let cuts = champion.metadata.training.details.get("split")?;
    let end = cuts.get("validation_end")?.as_i64()?;
    let earlier = rows.iter().filter(|&&row| dataset.hold_time[row] < end).count();
    (earlier > 0).then(|| {
        format!(
            "{earlier} of these holds are older than the end of what the model in use was made \
             from: where that was the same access point, it may have seen them, and looks better \
             than it is."
        )
    })
}

impl Said {
    fn text(&self, best: &BestTrial, metric: &str) -> String {
        let mut out = format!(
            "{}\n\nThe best trial of this sweep ({:03}) against the model in use.\n",
            self.word, best.result.trial
        );
        self.lines.iter().for_each(|line| {
            out.push_str(line);
            out.push('\n');
        });
        let remarks = remarks_on(best, metric);
        if !remarks.is_empty() {
            out.push_str("\nHow it was chosen among the trials:\n");
            remarks.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        }
        out.push_str("\nNothing was installed: that stays a person's act. The commands, in the folder with bestmodel.pt:\n");
        out.push_str(&install());
        out
    }
}

fn report_on(
    options: &TestOptions,
    Sides { plan, best, champion, .. }: &Sides<'_>,
    engine: EngineKind,
    verdict: Verdict,
) -> Result<(), Error> {
    let mut models = vec![(named(best), vec![options.output.join(BEST)])];
    let mut engines = vec![engine];
    let mut notes = vec![("sweep".to_owned(), plan.name.clone())];
    match champion {
        None => {}
        Some(Champion::Not(why)) => notes.push((IN_USE.to_owned(), why.clone())),
        Some(Champion::Comparable { path, engine, .. }) => {
            models.push((IN_USE.to_owned(), vec![path.clone()]));
            engines.push(*engine);
        }
    }
    let engine = engines
        .into_iter()
        .find(|&engine| engine == EngineKind::Torch)
        .unwrap_or(EngineKind::Builtin);
    let study = StudyOptions {
        method: models,
        release_threshold: 0.5,
        title: format!("The best model of sweep {}", plan.name),
        note: notes,
        verdict: Some(verdict),
        ..StudyOptions::default()
    };
    let comparison = EvaluateOptions {
        dataset: options.dataset.clone(),
        output: Some(options.output.clone()),
        replace: true,
        parts: Some(options.parts.clone()),
        draws: options.draws,
        seed: plan.seed,
        study,
        ..EvaluateOptions::default()
    };
    evaluate::compare(&comparison, engine)
}
