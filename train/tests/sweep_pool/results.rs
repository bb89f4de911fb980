//! What a sweep came to.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use holdadvise::model::Model;
use holdadvise_train::sweep::plan::{Decision, Fate, Plan};
use holdadvise_train::training::trial::RungResult;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::harness::Pool;
use crate::setup::USER;

/// The folder of a sweep that is done.
pub(crate) struct Results {
    name: String,
    folder: PathBuf,
    pub(crate) leaderboard: String,
    decisions: Vec<Decision>,
    /// By trial and rung.
    rungs: BTreeMap<(usize, usize), RungResult>,
}

impl Results {
    pub(crate) fn read(pool: &Pool, name: &str) -> Self {
        let folder = pool.path(&format!("/home/{USER}/sweeps/{name}"));
        let leaderboard = std::fs::read_to_string(folder.join("leaderboard.txt")).unwrap();
        let plan: Plan = json(&folder.join("sweep.json"));
        let of_rung = |rung: usize| json(&folder.join(format!("rungs/rung{rung}.json")));
        let decisions = plan.rungs.iter().map(|rung| of_rung(rung.number)).collect();
        let mut rungs = BTreeMap::new();
        for trial in &plan.trials {
            for rung in &plan.rungs {
                let path =
                    folder.join(Plan::rung_folder(trial.number, rung.number)).join("result.json");
                if path.exists() {
                    rungs.insert((trial.number, rung.number), json(&path));
                }
            }
        }
        Self { name: name.to_owned(), folder, leaderboard, decisions, rungs }
    }

    /// All that a sweep of that many trials and rungs owes is there, and rungs were skipped for
    /// both reasons.
    pub(crate) fn are_whole(&self, trials: usize, rungs: usize) {
        for file in [
            "bestmodel.pt",
            "bestmodel.info",
            "report.html",
            "leaderboard.json",
            "sweep.html",
            "verdict.txt",
        ] {
            let size = std::fs::metadata(self.folder.join(file)).map_or(0, |file| file.len());
            assert!(size > 100, "{}: {file} has {size} bytes", self.name);
        }
        assert_eq!(self.decisions.len(), rungs);
        let first = self.rungs.keys().filter(|(_, rung)| *rung == 1).count();
        assert_eq!(first, trials, "every trial is on the first rung");
        let fates = |wanted| {
            let all = self.decisions[..rungs - 1].iter().flat_map(|decision| &decision.fates);
            all.filter(|(_, fate)| *fate == wanted).count()
        };
        let (lost, stopped) = (fates(Fate::Lost), fates(Fate::Stopped));
        println!(
            "{}: {} rungs trained, {lost} skipped because lost, {stopped} because stopped early",
            self.name,
            self.rungs.len()
        );
        assert!(lost > 0 && stopped > 0, "no early stop is seen");
        assert_eq!(self.rungs.len() + lost + stopped, trials * rungs - self.lost_before());
    }

    /// Trials that had lost on an earlier rung are not in the decisions of later ones.
    fn lost_before(&self) -> usize {
        let decided: usize = self.decisions.iter().map(|decision| decision.fates.len()).sum();
        let trials = self.decisions[0].fates.len();
        trials * self.decisions.len() - decided
    }

    /// The offline directories hold every metric of every trial, once.
    pub(crate) fn are_tracked(&self, pool: &Pool) {
        // The node is told to end when the DAG has ended, and sends what is left.
        let state = self.folder.join("tracking/state.json");
        pool.wait_for("the end of tracking", || {
            std::fs::read_to_string(&state).is_ok_and(|state| state.contains("-select"))
        });
        let reader = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../dag/tests/wandb_log.py");
        let python =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.tracking-python/bin/python");
        let output = Command::new(python)
            .arg(reader)
            .arg(self.folder.join("tracking/wandb"))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let tracked: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for (trial, rung) in self.rungs.keys() {
            let path = self.folder.join(Plan::rung_folder(*trial, *rung)).join("metrics.jsonl");
            for line in std::fs::read_to_string(path).unwrap().lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                let is_told = |record: &Value| {
                    record["config"]["trial"] == line["trial"]
                        && record["history"].as_array().is_some_and(|history| {
                            history.iter().filter(|told| covers(told, &line)).count() == 1
                        })
                };
                assert!(tracked.iter().any(is_told), "trial {trial} rung {rung}: {line}");
            }
        }
        let artifacts = tracked.iter().flat_map(|run| run["artifacts"].as_array()).flatten();
        let kinds: Vec<&str> = artifacts.filter_map(|artifact| artifact["type"].as_str()).collect();
        for kind in ["sweep-configuration", "best-model", "report"] {
            assert!(kinds.contains(&kind), "{kind} is not among {kinds:?}");
        }
    }

    /// The advisor takes the model, of a job that is really held.
    pub(crate) fn advise(&self, pool: &Pool) {
        let job = pool.submit(
            USER,
            "held",
            "executable = /bin/true\ntransfer_input_files = /nowhere/there.dat\nshould_transfer_files = yes\nlog = job.log",
        );
        pool.settle(std::slice::from_ref(&job));
        let model = format!("/home/{USER}/sweeps/{}/bestmodel.pt", self.name);
        let advice = pool.shell(
            USER,
            "held",
            &format!("/opt/holdadvise/bin/condor_holdadvise -model {model} -json {job}"),
        );
        let advice: Value = serde_json::from_str(&advice).unwrap();
        println!("advice of the best model: {}", advice[0]["Recommendation"]);
        assert!(advice[0]["Recommendation"].is_string(), "{advice}");
        assert!(
            advice.to_string().contains("ap.pool.example"),
            "what the model was trained on: {advice}"
        );
    }

    /// The same decisions, metrics, and model.
    pub(crate) fn are_the_same_as(&self, other: &Self) {
        assert_eq!(self.decisions, other.decisions);
        assert_eq!(self.rungs.keys().collect::<Vec<_>>(), other.rungs.keys().collect::<Vec<_>>());
        for (key, one) in &self.rungs {
            let two = &other.rungs[key];
            assert_eq!(
                (one.epoch, one.best_epoch, &one.metrics),
                (two.epoch, two.best_epoch, &two.metrics),
                "{key:?}"
            );
        }
        let model = |results: &Self| std::fs::read(results.folder.join("bestmodel.pt")).unwrap();
        assert!(model(self) == model(other), "the models differ");
        Model::from_bytes(&model(self)).unwrap();
    }
}

/// Every number of a line of metrics is in what was told.
fn covers(told: &Value, line: &Value) -> bool {
    let fields = line.as_object().into_iter().flatten();
    fields.filter(|(_, value)| value.is_number()).all(|(name, value)| {
        name == "trial"
            || name == "rung"
            || told.get(name).and_then(Value::as_f64) == value.as_f64()
    })
}

fn json<T: DeserializeOwned>(path: &std::path::Path) -> T {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
