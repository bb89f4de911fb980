//! What the tools print as JSON, against the schemas in `schemas/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::harness::Place;

/// The schemas by the names of their files. A name that a schema does not have is refused here: a
/// script passes over it, a schema that lacks it says too little.
static SCHEMAS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let files = fs::read_dir(root("schemas")).expect("schemas");
    let schema = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a schema");
        let mut schema = serde_json::from_str(&text).expect("JSON");
        close(&mut schema, true);
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, jsonschema::validator_for(&schema).expect("a schema"))
    };
    files.map(|file| schema(file.expect("a file").path())).collect()
});

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Lets no object have other names; a schema that is a part of one leaves that to the whole.
fn close(schema: &mut Value, is_whole: bool) {
    let Some(schema) = schema.as_object_mut() else { return };
    for (key, value) in schema.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs", Value::Object(all)) => {
                all.values_mut().for_each(|one| close(one, true));
            }
            ("oneOf" | "anyOf" | "allOf", Value::Array(all)) => {
                all.iter_mut().for_each(|one| close(one, false));
            }
            ("prefixItems", Value::Array(all)) => all.iter_mut().for_each(|one| close(one, true)),
            ("items" | "additionalProperties", value) => close(value, true),
            _ => {}
        }
    }
    if is_whole && ["properties", "oneOf", "anyOf"].iter().any(|key| schema.contains_key(*key)) {
        schema.insert("unevaluatedProperties".to_owned(), false.into());
    }
}

/// The objects of an output: of an array, of lines, or the only one.
pub(crate) fn objects(text: &str) -> Vec<Value> {
    match serde_json::from_str(text) {
        Ok(Value::Array(objects)) => objects,
        Ok(object) => vec![object],
        Err(_) => text.lines().map(|line| serde_json::from_str(line).expect(text)).collect(),
    }
}

/// Fails unless an object is as its schema says.
pub(crate) fn check(schema: &str, object: &Value) {
    let faults: Vec<String> = SCHEMAS[schema]
        .iter_errors(object)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{schema}: {faults:#?}\n{object:#}");
}

/// The same for what a tool that was called with these words printed.
pub(crate) fn check_output(words: &[&str], text: &str) {
    if !words.iter().any(|word| ["-json", "-jsonl"].contains(word)) || text.is_empty() {
        return;
    }
    let of = |word: &&str| match word.trim_start_matches('-') {
        "dag" => Some("workflow"),
        "replay" if words.contains(&"-jsonl") => Some("replay-line"),
        word => SCHEMAS.keys().map(String::as_str).find(|kind| *kind == word),
    };
    let kind = words.iter().find_map(of).unwrap_or("advice");
    objects(text).iter().for_each(|object| check(kind, object));
}

#[test]
fn a_name_that_is_missing_or_not_in_the_schema_is_refused() {
    let finding = json!({
        "SchemaVersion": 3, "File": null, "Line": null, "Setting": null, "Rule": "a",
        "Severity": "note", "Expression": null, "Start": 0, "End": 1, "Message": "b",
        "Corrected": null,
    });
    check("lint", &finding);
    let lint = &SCHEMAS["lint"];
    let (mut more, mut less, mut later) = (finding.clone(), finding.clone(), finding);
    more["More"] = Value::Null;
    less.as_object_mut().expect("an object").remove("Rule");
    later["SchemaVersion"] = 4.into();
    assert!(![more, less, later].iter().any(|object| lint.is_valid(object)));
}

#[test]
fn snapshots_are_as_the_schemas_say() {
    let mut count = 0;
    let mut folders = vec![root("src"), root("tests/cli/snapshots"), root("tests/snapshots")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "snap") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a snapshot");
            let body = text.splitn(3, "---\n").nth(2).expect("a head");
            let Ok(body) = serde_json::from_str::<Value>(body) else { continue };
            for object in body.as_array().unwrap_or(&vec![body.clone()]) {
                let is_valid = |schema: &Validator| schema.is_valid(object);
                assert!(SCHEMAS.values().any(is_valid), "{}: {object:#}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 3, "{count}");
}

/// The harness compares all that is printed: these are kinds and holds of which there are many.
#[test]
fn recorded_pools_are_told_of_as_the_schemas_say() {
    let place = Place::new();
    let data = |path: &str| root("tests/data").join(path).display().to_string();
    let mut count = 0;
    // 19:00 of the day that both were recorded on.
    let now = "1795287600";
    for pool in ["pool-faults-23.9", "pool-faults-25.14"] {
        let log = data(&format!("{pool}/EventLog.gz"));
        let said = place.run(&["-eventlog", &log, "-now", now, "-json"], "");
        count += objects(&said.stdout).len();
        let said = place.run(&["-eventlog", &log, "-now", now, "-workflow", "-json"], "");
        assert_eq!(said.status, 0, "{said:?}");
        for words in [&["-replay", "NumHolds < 3", "-json"], &["-replay", "NumHolds < 3", "-jsonl"]]
        {
            let said = place.release_expression(&[&words[..], &["-eventlog", &log]].concat(), "");
            assert_eq!(said.status, 0, "{said:?}");
        }
        let said = place.release_expression(&["-suggest", "-json", "-eventlog", &log], "");
        assert_eq!(said.status, 0, "{said:?}");
    }
    assert!(count > 50, "{count}");
    let ads = data("pool-23.9/held.long");
    for words in [&["-explain", "-json", "-jobads", &ads][..], &["-lint", "NumHold < 3", "-json"]] {
        let said = place.release_expression(words, "");
        assert!(!objects(&said.stdout).is_empty(), "{said:?}");
    }
    let ads = data("pool-23.9/history.long");
    let said = place.run(&["-profile", "-pairs", "-json", "-jobads", &ads], "");
    assert_eq!(said.status, 0, "{said:?}");
}
