//! Prints the tree of a script, a node a line.

use std::path::PathBuf;

use scripttree::{Language, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path: PathBuf = std::env::args_os().nth(1).ok_or("expected a script")?.into();
    let text = std::fs::read(&path)?;
    let language = Language::of(&path, &text).ok_or("expected a Python, shell or R script")?;
    let tree = read(language, &text)?;
    let mut ends: Vec<u32> = Vec::new();
    for (number, node) in tree.nodes.iter().enumerate() {
        while ends.last().is_some_and(|end| *end as usize <= number) {
            ends.pop();
        }
        let indent = "  ".repeat(ends.len().min(40));
        let value = node.value.map_or(String::new(), |value| format!(" = {value}"));
        println!("{indent}{} {}{value} [{}]", node.kind.name(), node.name, node.loops);
        ends.push(node.end);
    }
    println!("{} faults, {} bytes", tree.faults, tree.bytes);
    Ok(())
}
