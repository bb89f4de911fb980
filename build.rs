//! The catalogue as a program finds its way in it without reading all of it at its start.
//!
//! Entries become `[file, line, name, entry]` in JSON without examples, with an index of their
//! wordings. Their text as it is written lies apart, by name. The tables of codes and error numbers
//! stay as they are.

#![allow(dead_code, unreachable_pub)]

#[path = "src/catalogue/index.rs"]
mod index;
#[path = "src/catalogue/template.rs"]
mod template;
#[path = "src/catalogue/wording.rs"]
mod wording;

use std::path::Path;
use std::{env, fs};

use index::Index;
use serde_json::{Map, Value, json};
use wording::Wording;

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
            write(&format!("{name}.json"), &Value::Object(rows).to_string());
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
    write("sources.json", &Value::Object(sources).to_string());
    let has = |row: &Value, field: &str| row[3].get(field).is_some();
    let those = |is_so: &dyn Fn(&Value) -> bool| -> Vec<usize> {
        (0..entries.len()).filter(|&number| is_so(&entries[number])).collect()
    };
    let (mut text, mut begins) = (String::new(), vec![0]);
    for row in &entries {
        text += &row.to_string();
        begins.push(text.len());
    }
    write("entries.json", &text);
    let mut wordings = Vec::new();
    for (entry, row) in entries.iter().enumerate() {
        for (at, text) in row[3]["text"].as_array().into_iter().flatten().enumerate() {
            let text = text.as_str().expect("a text").to_owned();
            wordings.push(([entry, at], Wording::try_from(text).expect("a wording")));
        }
    }
    let Index { text, slots, places } =
        Index::of(wordings.iter().map(|(id, wording)| (*id, wording)));
    let mut code = format!(
        "pub(super) static INDEX: Index = Index {{ text: Cow::Borrowed({text:?}), \
         slots: Cow::Borrowed(&{slots:?}), places: Cow::Borrowed(&{places:?}) }};\n"
    );
    for (name, numbers) in [
        ("BEGINS", begins),
        ("BY_ERROR", those(&|row| has(row, "error"))),
        ("BY_CODES", those(&|row| !has(row, "text") && !has(row, "error"))),
        ("CONDITIONAL", those(&|row| has(row, "when"))),
        ("OUTPUTS", those(&|row| has(row, "kind"))),
    ] {
        code += &format!("pub(super) static {name}: [usize; {}] = {numbers:?};\n", numbers.len());
    }
    write("built.rs", &code);
}

fn write(name: &str, text: &str) {
    let folder = env::var_os("OUT_DIR").expect("OUT_DIR");
    fs::write(Path::new(&folder).join(name), text).expect("a file that can be written");
}
