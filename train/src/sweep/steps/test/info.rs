//! `bestmodel.info`: what the best model is, for people.

use std::fmt::Write;

use holdadvise::cli::model_sheet;
use holdadvise::model::Model;
use holdadvise::text::{shell_command, strip_control};

use crate::data::dataset::Dataset;
use crate::evaluation::evaluate::Report;
use crate::evaluation::report::verdict;
use crate::split::parts::Parts;
use crate::sweep::plan::{BestTrial, Goal, Plan, Setting};
use crate::training::precision::Precision;

/// Figures that stand in the info, the sheet has them all.
const FIGURES: [&str; 4] = ["auroc", "brier", "log_loss", "ece"];

/// What is known of the best model.
pub(super) struct Info<'a> {
    pub(super) plan: &'a Plan,
    pub(super) best: &'a BestTrial,
    pub(super) model: &'a Model,
    pub(super) dataset: &'a Dataset,
    pub(super) parts: &'a Parts,
    pub(super) report: &'a Report,
    pub(super) sha256: &'a str,
    pub(super) verdict: &'a str,
}

impl Info<'_> {
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let plan = self.plan;
        let _ = writeln!(
            out,
            "The best model of sweep {}, for condor_holdadvise.\n\nfile:              bestmodel.pt\nSHA-256:           {}",
            strip_control(&plan.name),
            self.sha256
        );
        let way = match plan.metric.goal {
            Goal::Minimize => "least",
            Goal::Maximize => "greatest",
        };
        let _ = writeln!(
            out,
            "trial:             {:03} of {}, with the {way} {} on the validation part",
            self.best.result.trial,
            plan.trials.len(),
            strip_control(&plan.metric.name)
        );
        self.parameters(&mut out);
        self.figures(&mut out);
        let _ = write!(out, "\nAgainst the model in use: {}\n", self.verdict);
        self.repeat(&mut out);
        let _ = write!(out, "\nTo install it, which stays a person's act:\n{}", install());
        let _ = write!(out, "\nWhat the model says of itself\n\n{}", model_sheet(self.model));
        out
    }

    fn setting(&self) -> Option<&Setting> {
        self.plan.settings.iter().find(|setting| setting.number == self.best.setting)
    }

    fn parameters(&self, out: &mut String) {
        out.push_str("\nParameters\n");
        for (name, value) in &self.best.parameters {
            let _ =
                writeln!(out, "  {:<17}{}", strip_control(name), strip_control(&value.to_string()));
        }
        if let Some(setting) = self.setting() {
            let edges: Vec<String> = setting.frame_edges.iter().map(u32::to_string).collect();
            let _ = writeln!(out, "  {:<17}{}", "frame_edges", edges.join(","));
            let _ = writeln!(out, "  {:<17}{}", "slots", setting.slots);
        }
    }

    fn figures(&self, out: &mut String) {
        let Self { report, .. } = self;
        let _ = writeln!(
            out,
            "\nFigures on the test part, which neither trained nor chose: n = {} releases of {} clusters, {} of them with success; \
             95 % intervals over clusters",
            report.rows, report.clusters, report.successes
        );
        let width = report.methods.iter().map(|method| method.name.len()).max().unwrap_or(0) + 2;
        let _ = write!(out, "  {:width$}", "");
        for name in FIGURES {
            let _ = write!(out, "{name:<24}");
        }
        for method in &report.methods {
            let _ = write!(out, "\n  {:width$}", method.name);
            for name in FIGURES {
                let found = method.figures.iter().find(|(figure, _)| figure == name);
                let text = found.map_or("-".to_owned(), |(_, estimate)| estimate.text(3));
                let _ = write!(out, "{text:<24}");
            }
        }
        let trimmed: Vec<&str> = out.lines().map(str::trim_end).collect();
        *out = trimmed.join("\n") + "\n";
    }

    fn repeat(&self, out: &mut String) {
        let epochs = self.plan.rungs.last().map_or(0, |rung| rung.epochs).to_string();
        let patience = self.plan.patience.to_string();
        let parameters = format!("trials/{:03}/parameters.json", self.best.result.trial);
        let folder = Plan::setting_folder(self.best.setting);
        let [dataset, parts] =
            ["dataset.safetensors", "parts.safetensors"].map(|name| folder.join(name));
        let mut words = vec!["holdadvise-train", "train"];
        let (dataset, parts) = (dataset.to_string_lossy(), parts.to_string_lossy());
        words.extend([&*dataset, "--parts", &*parts, "--parameters", &parameters]);
        words.extend(["--epochs", &epochs, "--patience", &patience]);
        if self.plan.architecture.is_some() {
            words.extend(["--architecture", "architecture.pt"]);
        }
        if self.plan.from.is_some() {
            words.extend(["--from", "from.pt"]);
        }
        if self.plan.precision != Precision::default() {
            words.extend(["--precision", self.plan.precision.name()]);
        }
        words.extend(["-o", "model.pt"]);
        let _ = writeln!(
            out,
            "\nTo repeat it, in the folder of the sweep:\n  {}\n  dataset: {} rows, SHA-256 of its tensors {}\n  the whole sweep: \
             {} (seed {})",
            shell_command(words),
            self.dataset.len(),
            self.parts.info.dataset,
            shell_command(["holdadvise-train", "dag", "sweep.yaml", "-o", "DIR"]),
            self.plan.seed
        );
    }
}

/// The commands that install the model, for one user and for all.
pub(super) fn install() -> String {
    let [for_one, for_all] = verdict::install(super::BEST);
    format!("  {for_one:<80}  for yourself\n  {for_all:<80}  for all, as root\n")
}
