//! A sample as it would look had others been seen to get through: what a wait would have to bring.

use super::{FeatureSchema, Sample, Scope};

/// Columns of one scope that a recovery changes, and their values then: three jobs began to execute in the last ten
/// minutes, none went on hold for the same code in that time, and one that had been held for it was released and finished.
const RECOVERED: [(&str, f32); 11] = [
    ("others", 1.0),
    ("started-10min", 1.386_294_4),
    ("started-1h", 1.386_294_4),
    ("started-6h", 1.386_294_4),
    ("started-since", 1.386_294_4),
    ("last-started", 0.075_188),
    ("started-after-held", 1.0),
    ("held-same-code-10min", 0.0),
    ("released-successes-since", std::f32::consts::LN_2),
    ("last-release", 1.0),
    ("last-release-succeeded", 0.075_188),
];

/// Where the columns stand.
#[derive(Clone, Debug)]
pub struct Recovery {
    changes: Vec<Change>,
}

/// One column, and whether its scope has other jobs.
#[derive(Clone, Copy, Debug)]
struct Change {
    others: usize,
    column: usize,
    value: f32,
}

impl Recovery {
    /// Others of these scopes get through again.
    pub fn of(schema: &FeatureSchema, scopes: &[Scope]) -> Self {
        let of = |scope: &Scope, column: &str| schema.column(&format!("{}-{column}", scope.name()));
        let changes = scopes.iter().flat_map(|scope| {
            RECOVERED.iter().filter_map(move |&(column, value)| {
                let (others, column) = (of(scope, "others")?, of(scope, column)?);
                Some(Change { others, column, value })
            })
        });
        Self { changes: changes.collect() }
    }

    /// The sample with these columns changed. A count is never lowered, an age never raised.
    pub fn apply(&self, sample: &Sample) -> Sample {
        let mut recovered = sample.clone();
        for change in &self.changes {
            // An age of 0 tells nothing where there were no others.
            let alone = sample.statics.get(change.others).is_none_or(|&others| others == 0.0);
            if let Some(cell) = recovered.statics.get_mut(change.column) {
                let raised = change.value >= 0.5 || alone;
                *cell = if raised { cell.max(change.value) } else { cell.min(change.value) };
            }
        }
        recovered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_there_and_changes() {
        let schema = FeatureSchema::current();
        let recovery = Recovery::of(&schema, &[Scope::Server, Scope::File]);
        assert_eq!(recovery.changes.len(), 2 * RECOVERED.len());
        let sample = Sample { states: Vec::new(), statics: vec![0.5; schema.statics.len()] };
        let recovered = recovery.apply(&sample);
        let changed = |name| recovered.statics[schema.column(name).unwrap()];
        assert!(changed("server-started-since") > 1.0);
        assert!(changed("file-last-started") < 0.5);
        assert_eq!(changed("owner-last-started"), 0.5);
    }
}
