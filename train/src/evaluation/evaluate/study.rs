//! Any number of methods on several populations of holds: `evaluate --method NAME=FILE ... -o DIR`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use holdadvise::hold_code;
use holdadvise::model::SheetFigure;
use holdadvise::text::shell_command;
use serde_json::json;

use super::EvaluateOptions;
use super::curves::curves;
use super::method::{self, Predicted, pick};
use super::one_model::existing_figures;
use super::population::{Population, asked, populations};
use crate::Error;
use crate::data::dataset::{Dataset, Reach, UNKNOWN};
use crate::engine::EngineKind;
use crate::evaluation::report::verdict::TABLE;
use crate::evaluation::report::{
    Curves, DatasetNote, ExtraTable, FileNote, GroupRow, MethodFigures, MethodNote,
    PopulationTable, REPORT_FORMAT, Report, SeedEstimate, Verdict, page,
};
use crate::output::{self, FileError, Output};
use crate::say::say;
use crate::split::Split;
use crate::split::parts::{By, Parts};
use crate::training::baselines::Baselines;
use holdadvise::metrics::{Draws, Estimate, NAMES, Scored, draw};

/// What belongs into the report.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct StudyOptions {
    /// A method to report on, with a file for each of its training seeds: models (.pt) or
    /// predictions (.safetensors with `row` i64 and `probability` f32 or f64). Repeatable.
    /// Constant, code table, last outcome in the cluster and, where it is known, the truth are
    /// always there.
    #[arg(long, value_name = "NAME=FILE[,FILE...]", value_parser = method::parse, conflicts_with = "model")]
    pub(crate) method: Vec<(String, Vec<PathBuf>)>,
    /// A method that lacks something, in tables of their own and not among the curves. Repeatable.
    #[arg(long, value_name = "NAME=FILE[,FILE...]", value_parser = method::parse, requires = "method")]
    pub(crate) ablation: Vec<(String, Vec<PathBuf>)>,
    /// The method that the others are compared with. Default: the first.
    #[arg(long, value_name = "NAME")]
    pub(crate) own: Option<String>,
    /// The best observer: the report says what share of the distance from the table to it is
    /// closed.
    #[arg(long, value_name = "NAME")]
    pub(crate) best: Option<String>,
    /// Probability from which on a release is recommended.
    #[arg(long, value_name = "P", default_value_t = 0.5)]
    pub(crate) release_threshold: f64,
    /// Dataset whose training part the built-in baselines are counted from, where the dataset
    /// evaluated on has none.
    #[arg(long, value_name = "DATASET", requires = "baselines_parts")]
    pub(crate) baselines_from: Option<PathBuf>,
    /// The parts of that dataset.
    #[arg(long, value_name = "PARTS", requires = "baselines_from")]
    pub(crate) baselines_parts: Option<PathBuf>,
    /// Heading of the report.
    #[arg(long, value_name = "TEXT", default_value = "Evaluation of hold advice")]
    pub(crate) title: String,
    /// Something to keep in the report, such as a version. Repeatable.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) note: Vec<(String, String)>,
    /// A table to add, JSON with `columns`, `rows` and `text`. Repeatable.
    #[arg(long, value_name = "TITLE=FILE", value_parser = pair)]
    pub(crate) table: Vec<(String, String)>,
    /// What was found by more than the figures, in place of what they say.
    #[arg(skip)]
    pub(crate) verdict: Option<Verdict>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("there is no = in it")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Methods with what they say of the rows asked about.
struct Study<'a> {
    dataset: &'a Dataset,
    rows: Vec<usize>,
    methods: Vec<Predicted>,
    /// Positions among the methods.
    own: usize,
    best: Option<usize>,
    threshold: f64,
    draws: usize,
    seed: u64,
}

/// Evaluates and writes `report.json` and `report.html`.
pub(crate) fn run(options: &EvaluateOptions, engine: EngineKind) -> Result<(), Error> {
    let study = &options.study;
    let fail = |text: String| Err(text.into());
    let Some(folder) = &options.output else {
        return fail("name a model, or the folder of the report with -o".to_owned());
    };
    let threshold = study.release_threshold;
    if !(threshold > 0.0 && threshold < 1.0) {
        return fail(format!("--release-threshold {threshold} must lie between 0 and 1"));
    }
    let outputs = ["report.json", "report.html"].map(|name| folder.join(name));
    let there = output::check_folder(folder)?;
    let outputs = outputs.map(|path| Output::new(&path, options.replace));
    for output in outputs.iter().filter(|_| there) {
        output.check()?;
    }
    let mut tables = study.table.iter().map(extra_table).collect::<Result<Vec<_>, _>>()?;
    let dataset = Dataset::read(&options.dataset)?;
    let (parts, split, parts_sha256) = match &options.parts {
        Some(path) => {
            let (parts, split) = Parts::read_split(path, &dataset)?;
            (parts, split, Some(output::digest(&output::read(path)?)))
        }
        None => {
            let parts = Parts::new(&dataset, By::Time, &options.split)?;
            let split = parts.split(&dataset)?;
            (parts, split, None)
        }
    };
    super::check_test(&dataset, &split)?;

    let mut remarks = Vec::new();
    let baselines = baselines(study, &dataset, &split, &mut remarks)?;
    let rows = asked(&dataset, &split.test);
    let mut methods = Vec::new();
    for files in &study.method {
        methods.push(method::load(files, &dataset, &rows, engine)?);
    }
    methods.extend(method::built_in(&dataset, baselines.as_ref(), &rows));
    for files in &study.ablation {
        let loaded = method::load(files, &dataset, &rows, engine)?;
        methods.push(Predicted { ablation: true, ..loaded });
    }
    for (at, Predicted { name, .. }) in methods.iter().enumerate() {
        if methods[..at].iter().any(|other| other.name == *name) {
            return fail(format!("there are two methods {name}: name one of them otherwise"));
        }
    }
    let position = |option: &str, name: &str| {
        let found = methods.iter().position(|method| method.name == name);
        found.ok_or_else(|| format!("{option} {name}: no such method"))
    };
    let default = methods.first().map_or(TABLE, |method| method.name.as_str());
    let own = position("--own", study.own.as_deref().unwrap_or(default))?;
    let best = study.best.as_deref().map(|name| position("--best", name)).transpose()?;
    tables.extend(closed_loops(&methods));
    let info = &dataset.info;
    let &EvaluateOptions { draws, seed, .. } = options;
    let dataset = &dataset;
    let evaluated = Study { dataset, rows, methods, own, best, threshold, draws, seed };
    let report = Report {
        format: REPORT_FORMAT,
        title: study.title.clone(),
        command: command_line(std::env::args()),
        notes: study.note.clone(),
        dataset: DatasetNote {
            file: options.dataset.display().to_string(),
            sha256: parts.info.dataset.clone(),
            origin: info.origin.clone(),
            real: info.real,
            schema: info.schema.hash.clone(),
            rows: dataset.len(),
            horizon_hours: info.horizon as f64 / 3_600.0,
            simulations: info.simulations.clone(),
        },
        parts: parts.info,
        parts_sha256,
        release_threshold: threshold,
        draws,
        seed,
        own: evaluated.methods[own].name.clone(),
        verdict: None,
        best: study.best.clone(),
        methods: evaluated.methods.iter().map(note).collect(),
        remarks,
        populations: Vec::new(),
        curves: Curves::default(),
        codes: Vec::new(),
        reaches: Vec::new(),
        tables,
    };
    let mut report = evaluated.complete(report);
    let verdict = study.verdict.clone().unwrap_or_else(|| Verdict::of(&report));
    report.verdict = Some(verdict);
    let json = serde_json::to_vec_pretty(&report)?;
    std::fs::create_dir_all(folder).map_err(FileError::of(folder))?;
    for (output, content) in outputs.iter().zip([json.as_slice(), page(&report).as_bytes()]) {
        output.write(content)?;
    }
    say(format_args!("{}", summary(&report)));
    say(format_args!("{}\n", folder.join("report.html").display()));
    Ok(())
}

/// The built-in baselines, counted from the training part, or from that of another dataset.
fn baselines(
    study: &StudyOptions,
    dataset: &Dataset,
    split: &Split,
    remarks: &mut Vec<String>,
) -> Result<Option<Baselines>, Error> {
    if let (Some(path), Some(parts)) = (&study.baselines_from, &study.baselines_parts) {
        let other = Dataset::read(path)?;
        let (_, split) = Parts::read_split(parts, &other)?;
        remarks.push(format!(
            "Constant, table and last outcome are counted from the training part of {}.",
            path.display()
        ));
        return Ok(Some(Baselines::fit(&other, &split.train)));
    }
    if split.train.iter().any(|&row| dataset.observed[row] != 0) {
        return Ok(Some(Baselines::fit(dataset, &split.train)));
    }
    remarks.push(
        "No release trains, so constant, table and last outcome are not there; --baselines-from names a dataset that has some."
            .to_owned(),
    );
    Ok(None)
}

fn extra_table((title, path): &(String, String)) -> Result<ExtraTable, Error> {
    let table: Result<ExtraTable, _> = serde_json::from_slice(&output::read(path.as_ref())?);
    let table = table.map_err(|error| {
        format!("{path}: {error}; expected an object with columns, rows and text")
    })?;
    if let Some(row) = table.rows.iter().position(|row| row.len() != table.columns.len()) {
        let (cells, columns) = (table.rows[row].len(), table.columns.len());
        return Err(
            format!("{path}: row {row} has {cells} cells, there are {columns} columns").into()
        );
    }
    Ok(ExtraTable { title: title.clone(), ..table })
}

/// The shares of the avoidable loss that the sheets of the methods' models tell of.
fn closed_loops(methods: &[Predicted]) -> Option<ExtraTable> {
    let mut rows = Vec::new();
    for (name, of) in methods.iter().filter_map(|it| Some((&it.name, it.closed_loop.as_ref()?))) {
        for SheetFigure { method, value, low, high, .. } in &of.figures {
            rows.push(vec![
                json!(name),
                json!(method),
                json!(value),
                json!(low),
                json!(high),
                json!(of.figures_of),
            ]);
        }
    }
    (!rows.is_empty()).then(|| ExtraTable {
        title: "Decisions in closed loop".to_owned(),
        text: "The share of the avoidable loss that is avoided where each method's first model \
               decides, as `closed-loop --record` wrote it into its file."
            .to_owned(),
        columns: ["method", "decided by", "share", "from", "to", "of"].map(str::to_owned).to_vec(),
        rows,
    })
}

fn note(method: &Predicted) -> MethodNote {
    let files = method.files.iter().map(|(path, sha256)| FileNote {
        file: path.display().to_string(),
        sha256: sha256.clone(),
    });
    MethodNote { name: method.name.clone(), files: files.collect(), ablation: method.ablation }
}

/// The words of a command line, quoted for a shell where they must be, without the folder of the
/// program.
fn command_line(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    let without_folder = |(at, word): (usize, &'_ String)| match word.rfind('/') {
        Some(slash) if at == 0 => slash + 1,
        _ => 0,
    };
    shell_command(words.iter().enumerate().map(|of| &of.1[without_folder(of)..]))
}

impl Study<'_> {
    /// The report with its figures.
    fn complete(&self, mut report: Report) -> Report {
        for (number, population) in populations(self.dataset, &self.rows).iter().enumerate() {
            let (table, known, scored) = self.population(population);
            if number == 0 {
                let lines: Vec<(&str, Vec<f64>, &Scored)> = known
                    .iter()
                    .zip(&scored)
                    .map(|(&method, scored)| (&self.methods[method], scored))
                    .filter(|(method, _)| !method.ablation)
                    .map(|(method, scored)| {
                        (method.name.as_str(), pick(&method.seeds[0], &population.at), &scored[0])
                    })
                    .collect();
                report.curves = curves(&population.outcomes, &lines);
                let row = |at: usize| self.rows[at];
                report.codes = self.groups(
                    population,
                    |at| Some(self.dataset.code[row(at)]),
                    |&code| hold_code::label(code),
                );
                report.codes.sort_by_key(|group| std::cmp::Reverse(group.rows));
                report.reaches = self.groups(
                    population,
                    |at| Some(self.dataset.reach[row(at)]).filter(|&reach| reach != UNKNOWN),
                    |&reach| Reach::ALL[usize::from(reach)].name().to_owned(),
                );
            }
            report.populations.push(table);
        }
        report
    }

    /// Figures of the methods that know all rows, which these are, and their predictions beside the
    /// outcomes.
    fn population(
        &self,
        population: &Population,
    ) -> (PopulationTable, Vec<usize>, Vec<Vec<Scored>>) {
        let Population { id, title, about, at, outcomes } = population;
        let unknown = |method: &Predicted| {
            at.iter().filter(|&&at| method.seeds.iter().any(|seed| seed[at].is_nan())).count()
        };
        let mut left_out = Vec::new();
        let mut known = Vec::new();
        for (number, method) in self.methods.iter().enumerate() {
            match unknown(method) {
                0 => known.push(number),
                rows => left_out.push((method.name.clone(), rows)),
            }
        }
        let scored: Vec<Vec<Scored>> = known
            .iter()
            .map(|&method| {
                let seeds = self.methods[method].seeds.iter();
                seeds.map(|seed| Scored::new(outcomes, &pick(seed, at), self.threshold)).collect()
            })
            .collect();
        let drawn = draw(&scored, outcomes.clusters(), self.draws, self.seed);
        let place = |method: usize| known.iter().position(|&known| known == method);
        let own = place(self.own);
        let methods = known.iter().enumerate().map(|(at, &method)| MethodFigures {
            name: self.methods[method].name.clone(),
            figures: figures(&drawn, at, &scored[at]),
            own_less_this: own.filter(|&own| own != at).map_or_else(BTreeMap::new, |own| {
                existing_figures(|figure| drawn.difference(own, at, figure))
            }),
        });
        let table = self.methods.iter().position(|method| method.name == TABLE).and_then(place);
        let gap = own.zip(table).zip(self.best.and_then(place));
        let gap = gap.map(|((own, table), best)| drawn.gap_closed(own, table, best));
        let table = PopulationTable {
            id: (*id).to_owned(),
            title: (*title).to_owned(),
            about: (*about).to_owned(),
            rows: outcomes.len(),
            clusters: outcomes.clusters(),
            success: Some(outcomes.success()).filter(|share| share.is_finite()).unwrap_or(0.0),
            methods: methods.collect(),
            gap_closed: gap.filter(Estimate::exists),
            left_out,
        };
        (table, known, scored)
    }

    /// Holds of a population that share a key: how many, and how well they are ranked among
    /// themselves.
    fn groups<K: Ord>(
        &self,
        population: &Population,
        key: impl Fn(usize) -> Option<K>,
        name: impl Fn(&K) -> String,
    ) -> Vec<GroupRow> {
        let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for (place, &at) in population.at.iter().enumerate() {
            if let Some(key) = key(at) {
                groups.entry(key).or_default().push(place);
            }
        }
        let table = self.methods.iter().position(|method| method.name == TABLE);
        let mut shown = vec![self.own];
        for method in [table, self.best].into_iter().flatten() {
            if !shown.contains(&method) {
                shown.push(method);
            }
        }
        let group = |(key, places): (&K, &Vec<usize>)| {
            let outcomes = population.outcomes.some(places);
            let at: Vec<usize> = places.iter().map(|&place| population.at[place]).collect();
            let auroc = |method: &Predicted| {
                let seeds = method.seeds.iter().map(|seed| {
                    Scored::new(&outcomes, &pick(seed, &at), self.threshold).figures().auroc
                });
                let mean = seeds.sum::<f64>() / method.seeds.len() as f64;
                Some(mean).filter(|auroc| auroc.is_finite())
            };
            let auroc = shown.iter().map(|&method| {
                let method = &self.methods[method];
                (method.name.clone(), auroc(method))
            });
            GroupRow {
                name: name(key),
                rows: places.len(),
                success: Some(outcomes.success()).filter(|share| share.is_finite()).unwrap_or(0.0),
                auroc: auroc.collect(),
            }
        };
        groups.iter().map(group).collect()
    }
}

/// The figures of a method that exist, with those of its training seeds.
fn figures(drawn: &Draws, method: usize, seeds: &[Scored]) -> BTreeMap<String, SeedEstimate> {
    let values: Vec<_> = seeds.iter().map(|seed| seed.figures().values()).collect();
    let each = NAMES.iter().enumerate();
    let each = each.map(|(figure, name)| (figure, *name, drawn.estimate(method, figure)));
    each.filter(|(_, _, estimate)| estimate.exists())
        .map(|(figure, name, mean)| {
            let seeds: Vec<f64> = values.iter().map(|values| values[figure]).collect();
            let squares: f64 = seeds.iter().map(|value| (value - mean.value).powi(2)).sum();
            let spread = (seeds.len() > 1).then(|| (squares / (seeds.len() - 1) as f64).sqrt());
            (name.to_owned(), SeedEstimate { mean, seeds, spread })
        })
        .collect()
}

/// The populations in a few lines.
fn summary(report: &Report) -> String {
    let mut out = String::new();
    if let Some(verdict) = &report.verdict {
        out.push_str(&format!("{}\n", verdict.headline()));
    }
    for population in &report.populations {
        out.push_str(&format!(
            "{}: {} rows of {} clusters, success {:.3}\n",
            population.title, population.rows, population.clusters, population.success
        ));
        for method in &population.methods {
            let figure = |name: &str| match method.figures.get(name) {
                Some(SeedEstimate { mean, .. }) => format!("{name} {}", mean.text(3)),
                None => format!("{name} -"),
            };
            let [auroc, brier, ece] = ["auroc", "brier", "ece"].map(figure);
            out.push_str(&format!("  {:<20} {auroc}  {brier}  {ece}\n", method.name));
        }
        if let Some(gap) = population.gap_closed {
            out.push_str(&format!("  gap closed           {}\n", gap.text(2)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_given_to_a_shell_again() {
        let words = ["/usr/bin/train", "evaluate", "a b", "--note", "it's=<1>", ""];
        let line = command_line(words.into_iter().map(str::to_owned));
        assert_eq!(line, "train evaluate 'a b' --note 'it'\\''s=<1>' ''");
    }
}
