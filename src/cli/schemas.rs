//! What scripts may rely on: the JSON Schemas of all that the tools print as JSON.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};

use super::outcomes::Row;
use super::profile::Profiles;
use super::releaseexpr;
use crate::print::{Attributes, IncidentRecord, JobOnly, Versioned, Watched};
use crate::workflow::View;

/// A line of `-watch`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "it is only described")]
enum WatchLine<'a> {
    Advice(Box<Watched<Versioned<Attributes<'a>>>>),
    Over(Watched<Versioned<JobOnly>>),
}

/// The files below `schemas/`: name there, and text.
pub fn schemas() -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("advice.json", text::<Versioned<Attributes>>()),
        ("watch.json", text::<WatchLine>()),
        ("workflow.json", text::<Versioned<View>>()),
        ("profile.json", text::<Versioned<Profiles>>()),
        ("outcomes.json", text::<Versioned<Row>>()),
        ("incidents.json", text::<Versioned<IncidentRecord>>()),
    ];
    all.extend(releaseexpr::schemas());
    all
}

/// The schema of what is printed, draft 2020-12.
pub(super) fn text<T: JsonSchema>() -> String {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    // Formats are of Rust's integers.
    let without_formats = |schema: &mut Schema| drop(schema.remove("format"));
    settings.transforms.push(Box::new(RecursiveTransform(without_formats)));
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    // Descriptions are those of Rust.
    let text = format!("{schema:#}\n").replace("[`", "`").replace("`]", "`");
    text.replace("`None`", "`null`")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_files_in_the_tree_are_up_to_date() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        for (name, text) in super::schemas() {
            let kept = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert!(kept == text, "{name}: run: cargo run --example schemas");
        }
    }
}
