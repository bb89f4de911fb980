//! `holdadvise-train evaluate` on several methods: figures, page, and what it refuses.

use std::collections::HashMap;
use std::path::Path;

use crate::common::{done, refused};
use holdadvise::history::{Action, Outcome};
use holdadvise::model::FeatureSchema;
use holdadvise_train::data::dataset::{Dataset, Reach, Row};
use holdadvise_train::evaluation::report::{Judgement, Report, page};
use holdadvise_train::random::Random;
use safetensors::Dtype;
use safetensors::tensor::TensorView;

/// Holds whose true probability is known; codes say a little of it. Of three holds one was never
/// released.
fn dataset() -> Dataset {
    let schema = FeatureSchema {
        hash: "h".to_owned(),
        states: vec!["a".to_owned()],
        statics: Vec::new(),
        frame_edges: vec![0, 60],
        slots: 1,
        sources: Vec::new(),
    };
    let mut dataset = Dataset::new(schema, "simulated data", false, 60);
    let mut random = Random::new(3);
    for hold in 0..3000_i64 {
        let code = if random.below(2) == 0 { 13 } else { 12 };
        let truth = (random.unit() * 0.8 + if code == 13 { 0.2 } else { 0.0 }) as f32;
        let success = random.unit() < f64::from(truth);
        let time = 1_700_000_000 + hold * 600;
        let happened = hold % 3 > 0;
        let row = Row {
            states: &[0],
            action: Action::AsIs,
            outcome: if success { Outcome::Success } else { Outcome::Failure },
            observed: happened,
            truth: Some(truth),
            reach: Some(if hold % 2 == 0 { Reach::Site } else { Reach::Job }),
            cluster: hold / 2,
            owner: hold % 7,
            cell: hold % 5,
            hold_time: time,
            decision_instant: time + 30,
            outcome_time: time + 30 + 3_600,
            code,
            ..Row::default()
        };
        dataset.push(&row).unwrap();
        if happened {
            dataset.push(&Row { observed: false, ..row }).unwrap();
        }
    }
    dataset
}

/// A file of predictions: the truth drawn towards one half, with noise.
fn predictions(path: &Path, dataset: &Dataset, noise: f64, seed: u64) {
    let mut random = Random::new(seed);
    let rows: Vec<i64> = (0..dataset.len() as i64).rev().collect();
    let said: Vec<f32> = rows
        .iter()
        .map(|&row| {
            let p = f64::from(dataset.truth[row as usize]) * 0.8 + 0.1;
            (p + noise * (random.unit() - 0.5)).clamp(0.0, 1.0) as f32
        })
        .collect();
    let rows: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
    let bytes: Vec<u8> = said.iter().flat_map(|p| p.to_le_bytes()).collect();
    let tensors = HashMap::from([
        ("row", TensorView::new(Dtype::I64, vec![said.len()], &rows).unwrap()),
        ("probability", TensorView::new(Dtype::F32, vec![said.len()], &bytes).unwrap()),
    ]);
    std::fs::write(path, safetensors::serialize(tensors, None).unwrap()).unwrap();
}

/// A folder with the dataset, its parts, and files of predictions: name, noise and seed of each.
fn prepared(files: &[(&str, f64, u64)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let dataset = dataset();
    dataset.write(&here.join("d")).unwrap();
    for &(name, noise, seed) in files {
        predictions(&here.join(format!("{name}.safetensors")), &dataset, noise, seed);
    }
    done(here, ["split", "d", "-o", "p"]);
    folder
}

fn read(folder: &Path) -> Report {
    serde_json::from_slice(&std::fs::read(folder.join("report.json")).unwrap()).unwrap()
}

/// Headings, anchors and the size of each table.
fn outline(html: &str) -> Vec<String> {
    // Each tag begins a piece: `h2 id="contents">Contents</h2>...`.
    let pieces: Vec<&str> = html.split('<').collect();
    let starts = (0..pieces.len()).filter_map(|at| {
        let (tag, text) = pieces[at].split_once('>')?;
        match tag.split(' ').next()? {
            "thead" => {
                let head = pieces[at..].iter().take_while(|piece| !piece.starts_with("/thead"));
                let columns = head.filter(|piece| piece.starts_with("th ")).count();
                Some(format!("table of {columns} columns"))
            }
            name @ ("h1" | "h2" | "h3" | "summary") => Some(format!("{name} {text}")),
            _ => None,
        }
    });
    starts.collect()
}

const HOSTILE: &str = "<script>alert('&\"')</script>";

#[test]
fn ablations_have_tables_of_their_own_and_no_curves() {
    let folder = prepared(&[("whole", 0.1, 1), ("less", 0.8, 1)]);
    let here = folder.path();
    let evaluate = ["evaluate", "d", "--parts", "p", "--draws", "50", "-o", "out"];
    let ablation = ["--ablation", "without context=less.safetensors"];
    let refused = refused(here, [&evaluate[..], &ablation].concat());
    assert!(refused.contains("--method"), "{refused}");
    done(here, [&evaluate[..], &ablation, &["--method", "ours=whole.safetensors"]].concat());
    let report = read(&here.join("out"));
    let releases = &report.populations[0];
    let found = releases.methods.iter().find(|method| method.name == "without context").unwrap();
    assert!(found.own_less_this["auroc"].low > 0.0, "{found:?}");
    let html = std::fs::read_to_string(here.join("out/report.html")).unwrap();
    let outline = outline(&html);
    let tables = outline.iter().filter(|line| *line == "h3 Ablations").count();
    assert_eq!(tables, report.populations.len());
    let charts = html.split("id=\"curves\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(charts.contains("<title>ours</title>") && !charts.contains("without context"));
}

#[test]
fn several_methods_make_a_report() {
    let folder = prepared(&[("a", 0.4, 1), ("b", 0.4, 2), ("c", 0.1, 3)]);
    let here = folder.path();
    let table = format!(
        "{{\"columns\":[\"{0}\",\"x\"],\"rows\":[[\"{0}\",0.5],[null,3]],\"text\":\"{0}\"}}",
        HOSTILE.replace('"', "\\\"")
    );
    std::fs::write(here.join("t.json"), table).unwrap();
    let trees = format!("{HOSTILE}=c.safetensors");
    let [note, extra] = [format!("{HOSTILE}={HOSTILE}"), format!("{HOSTILE}=t.json")];
    let arguments = [
        "evaluate",
        "d",
        "--parts",
        "p",
        "--method",
        "ours=a.safetensors,b.safetensors",
        "--method",
        &trees,
        "--best",
        "oracle",
        "--note",
        &note,
        "--table",
        &extra,
        "--title",
        HOSTILE,
        "--draws",
        "200",
        "-o",
        "out",
    ];
    let printed = done(here, arguments);
    assert!(printed.contains("Releases that happened: 400 rows of 300 clusters"), "{printed}");
    let report = read(&here.join("out"));

    let ids: Vec<&str> =
        report.populations.iter().map(|population| population.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "releases",
            "releases-as-is",
            "releases-wide",
            "mixed",
            "truth",
            "truth-unreleased",
            "truth-wide"
        ]
    );
    assert_eq!((report.populations[4].rows, report.populations[5].rows), (600, 200));
    let names: Vec<&str> = report.methods.iter().map(|method| method.name.as_str()).collect();
    assert_eq!(names, ["ours", HOSTILE, "constant", "table", "last outcome", "oracle"]);
    assert_eq!(report.methods[0].files.len(), 2);
    for population in &report.populations {
        let figure = |method: usize, name: &str| population.methods[method].figures[name].mean;
        let [ours, near, constant, table, oracle] = [0, 1, 2, 3, 5].map(|at| figure(at, "auroc"));
        assert!(
            constant.value == 0.5 && table.value < ours.value && ours.value < oracle.value,
            "{population:?}"
        );
        assert!((near.value - oracle.value).abs() < 0.02);
        assert!(ours.low < ours.value && ours.value < ours.high);
        let gap = population.gap_closed.unwrap();
        assert!(gap.value > 0.5 && gap.value < 1.0 && gap.low < gap.high, "{gap:?}");
        let less = population.methods[3].own_less_this["auroc"];
        assert!((less.value - (ours.value - table.value)).abs() < 1e-12 && less.high > less.low);
        let seeds = &population.methods[0].figures["auroc"];
        assert!((seeds.seeds.iter().sum::<f64>() / 2.0 - ours.value).abs() < 1e-12);
        assert!(seeds.spread.unwrap() > 0.0 && population.methods[0].own_less_this.is_empty());
        let happened = !population.id.starts_with("truth");
        assert_eq!(population.methods[0].figures.contains_key("wasted_hours"), happened);
    }
    // Every outcome took an hour: what is wasted is the share of wrong decisions.
    let of_oracle = &report.populations[0].methods[5].figures;
    let hours =
        ["burnt_hours", "waiting_hours", "wasted_hours"].map(|name| of_oracle[name].mean.value);
    assert!((hours[0] + hours[1] - hours[2]).abs() < 1e-9 && hours[2] > 15.0 && hours[2] < 40.0);
    assert_eq!(report.codes.iter().map(|code| code.rows).sum::<usize>(), 400);
    assert_eq!(report.reaches.len(), 2);
    assert_eq!(report.curves.risk.len(), 6);

    let html = std::fs::read_to_string(here.join("out/report.html")).unwrap();
    assert_eq!(html, page(&report), "the page is made of the JSON alone");
    for absent in ["<script", "http:", "https:", "<link", "<img", "@import", "url(", "NaN"] {
        assert!(!html.contains(absent), "{absent}");
    }
    assert_eq!(html.matches("<svg").count(), 2 + 5 + 6, "charts and a legend");
    let places = ["id=\"verdict\"", "What to do next", "<svg", "id=\"releases\""];
    let places = places.map(|text| html.find(text).unwrap());
    assert!(places.is_sorted(), "the verdict is first, then curves, then tables: {places:?}");
    // Ours against the table by code: no model in use is named, and predictions are no model.
    let verdict = report.verdict.as_ref().unwrap();
    assert_eq!(verdict.against.as_deref(), Some("table"));
    assert_eq!(verdict.judgement, Some(Judgement::Undecided));
    let headline = "No difference that these holds can show between ours and the table of the \
                    share of success by code.";
    assert!(html.contains(headline), "the log loss decides: {:?}", verdict.figures);
    assert!(html.contains("ours is no model that can be installed"));
    for label in ["13 TransferInputError", "12 TransferOutputError"] {
        assert!(html.contains(&format!(">{label}</th>")), "{label}");
    }
    assert!(![">13</t", ">12</t"].iter().any(|code| html.contains(code)), "a code has its name");
    assert!(html.contains("<dt>training ends</dt><dd>2023-11-"), "a time is a date");
    let escaped = "&lt;script&gt;alert('&amp;&quot;')&lt;/script&gt;";
    let mut expected = vec![format!("h1 {escaped}")];
    expected.extend(
        [
            "h2 Verdict",
            "h3 What to do next",
            "h3 Figures of both",
            "table of 5 columns",
            "h2 Contents",
            "h2 ours beside the others",
            "h3 Difference in log loss to each other method",
            "h3 Difference in AUROC to each other method",
            "h2 Curves",
            "h3 Successes and failures told apart",
            "h3 Precision and recall",
            "h3 Reliability",
            "h3 Wasted hours by threshold",
            "h3 Wrong decisions by share decided",
        ]
        .map(str::to_owned),
    );
    let population = |title: &str, figures: usize| {
        let table = format!("table of {} columns", figures + 1);
        [
            format!("h2 {title}"),
            table.clone(),
            "h3 ours less each of the others".to_owned(),
            table.clone(),
            "summary Each training seed".to_owned(),
            table,
        ]
    };
    for (at, of) in report.populations.iter().enumerate() {
        expected.extend(population(&of.title, if at < 4 { 9 } else { 6 }));
    }
    for (title, columns) in [("By hold reason code", 6), ("By reach of the cause", 6), (escaped, 2)]
    {
        expected.extend([format!("h2 {title}"), format!("table of {columns} columns")]);
    }
    expected.extend(["h2 What the figures are", "h2 How this was made"].map(str::to_owned));
    assert_eq!(outline(&html), expected);

    let first = std::fs::read(here.join("out/report.json")).unwrap();
    assert!(refused(here, arguments).contains("--replace"), "what is there is kept");
    std::fs::remove_dir_all(here.join("out")).unwrap();
    done(here, arguments);
    assert!(std::fs::read(here.join("out/report.json")).unwrap() == first, "the same again");
}

#[test]
fn what_does_not_fit_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let dataset = dataset();
    dataset.write(&here.join("d")).unwrap();
    predictions(&here.join("a.safetensors"), &dataset, 0.4, 1);
    for (fraction, expected) in [
        ("--validation-fraction", "the validation part is empty"),
        ("--test-fraction", "no release that happened lies in the test part"),
    ] {
        let error = refused(here, ["split", "d", "-o", "p", "--complete", fraction, "0"]);
        assert!(error.contains(expected) && !here.join("p").exists(), "{error}");
    }
    done(here, ["split", "d", "-o", "p", "--replace", "--complete"]);
    done(here, ["split", "d", "-o", "all", "--by", "all"]);
    std::fs::write(here.join("t.json"), r#"{"columns":["a","b"],"rows":[["x"]]}"#).unwrap();
    let with = |more: &[&str]| {
        let start = ["evaluate", "d", "--parts", "p", "--draws", "20"];
        refused(here, [&start[..], more].concat())
    };
    assert!(with(&[]).contains("folder of the report with -o"));
    assert!(with(&["-o", "out", "--method", "ours"]).contains("expected NAME=FILE"));
    assert!(with(&["-o", "out", "--method", "ours=none.pt"]).contains("method ours, none.pt: "));
    assert!(with(&["-o", "out", "--method", "table=a.safetensors"]).contains("two methods table"));
    assert!(with(&["-o", "out", "--own", "moon"]).contains("--own moon: no such method"));
    assert!(with(&["-o", "out", "--best", "moon"]).contains("--best moon: no such method"));
    assert!(with(&["-o", "out", "--release-threshold", "1"]).contains("must lie between 0 and 1"));
    assert!(
        with(&["-o", "out", "--table", "T=t.json"])
            .contains("row 0 has 1 cells, there are 2 columns")
    );
    assert!(with(&["-o", "out", "--table", "T=d"]).contains("expected an object with columns"));
    let mut short = dataset.clone();
    short.truth.truncate(100);
    short.label.truncate(100);
    predictions(&here.join("short.safetensors"), &short, 0.4, 1);
    let message = with(&["-o", "out", "--method", "ours=short.safetensors"]);
    assert!(message.contains("1000 of 1000 test rows have no prediction"), "{message}");
    assert!(!here.join("out").exists());

    // Data that nothing was trained on: the built-in baselines come from elsewhere, or are not
    // there.
    let all = [
        "evaluate",
        "d",
        "--parts",
        "all",
        "--draws",
        "20",
        "-o",
        "out",
        "--method",
        "ours=a.safetensors",
    ];
    done(here, all);
    let report = read(&here.join("out"));
    assert_eq!(report.methods.len(), 2);
    assert!(report.remarks[0].contains("--baselines-from"));
    let more = ["--replace", "--baselines-from", "d", "--baselines-parts", "p"];
    done(here, [&all[..], &more].concat());
    assert_eq!(read(&here.join("out")).methods.len(), 5);
}

#[test]
fn a_simulated_access_point_is_evaluated_from_end_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(here, ["simulate", "--preset", "rapid", "--seed", "5", "--days", "1", "-o", "sim"]);
    done(here, ["tensors", "--simulation", "sim", "-o", "d"]);
    done(here, ["split", "d", "--by", "owner", "--test-fraction", "0.4", "-o", "p"]);
    done(
        here,
        [
            "evaluate", "d", "--parts", "p", "--own", "table", "--best", "oracle", "--draws",
            "100", "-o", "out",
        ],
    );
    let report = read(&here.join("out"));
    assert_eq!(report.own, "table");
    let of = |id: &str| report.populations.iter().find(|population| population.id == id).unwrap();
    let auroc = |id: &str, name: &str| {
        let method = of(id).methods.iter().find(|method| method.name == name).unwrap();
        method.figures["auroc"].mean
    };
    for id in ["releases", "truth"] {
        assert!(auroc(id, "oracle").low > auroc(id, "table").high, "{id}: {report:?}");
    }
    assert!(of("truth").rows > of("truth-unreleased").rows);
    assert_eq!(report.dataset.simulations[0]["seed"], 5);
    assert!(
        std::fs::read_to_string(here.join("out/report.html")).unwrap().contains("preset rapid")
    );
}
