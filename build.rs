//! The catalogue as JSON, which a program reads at its start: TOML takes ten times as long.
//!
//! Entries become `[file, line, name, entry]` without their examples. Their text as it is written lies
//! apart, by name. The tables of codes and error numbers stay as they are.

use std::path::Path;
use std::{env, fs};

use serde_json::{Map, Value, json};

/// Files of the folder that are no entries.
const TABLES: [&str; 2] = ["codes", "errno"];

fn main() {
    println!("cargo::rerun-if-changed=catalogue");
    let files = fs::read_dir("catalogue").expect("the folder catalogue");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let (mut entries, mut sources) = (Vec::new(), Map::new());
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        let text = fs::read_to_string(path).expect("a readable file");
        let rows: Map<String, Value> =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if TABLES.contains(&name.as_str()) {
            write(&name, &Value::Object(rows));
            continue;
        }
        for (entry, mut row) in rows {
            let header = format!("[{entry}]\n");
            let at = text.find(&header).expect("a line for the name of each entry");
            let whole = text[at..].split("\n\n").next().unwrap_or_default();
            sources.insert(entry.clone(), whole.into());
            let fields = row.as_object_mut().expect("a table");
            fields.retain(|field, _| !matches!(field.as_str(), "examples" | "near"));
            let line = text[..at].matches('\n').count() + 1;
            entries.push(json!([format!("{name}.toml"), line, entry, row]));
        }
    }
    write("entries", &Value::Array(entries));
    write("sources", &Value::Object(sources));
}

fn write(name: &str, value: &Value) {
    let folder = env::var_os("OUT_DIR").expect("OUT_DIR");
    let path = Path::new(&folder).join(format!("{name}.json"));
    fs::write(path, value.to_string()).expect("a file that can be written");
}
