//! A sample as it would look had others been seen to get through: what a wait would have to bring.

use super::{FeatureSchema, Sample, Scope};

/// Columns of one scope that a recovery changes, and their values then: three jobs began to execute in the last ten
/// minutes, none went on hold for the same code in that time.
const RECOVERED: [(&str, f32); 7] = [
    ("started-10min", 1.386_294_4),
    ("started-1h", 1.386_294_4),
    ("started-6h", 1.386_294_4),
    ("started-since", 1.386_294_4),
    ("last-started", 0.075_188),
    ("started-after-held", 1.0),
    ("held-same-code-10min", 0.0),
];

/// Where the columns stand.
#[derive(Clone, Debug)]
pub struct Recovery {
    columns: Vec<(usize, f32)>,
}

impl Recovery {
    /// Others of these scopes get through again.
    pub fn of(schema: &FeatureSchema, scopes: &[Scope]) -> Self {
        let columns = scopes.iter().flat_map(|scope| {
            RECOVERED.iter().filter_map(|(column, value)| {
                Some((schema.column(&format!("{}-{column}", scope.name()))?, *value))
            })
        });
        Self { columns: columns.collect() }
    }

    /// The sample with these columns changed. A count is never lowered, an age never raised.
    pub fn apply(&self, sample: &Sample) -> Sample {
        let mut recovered = sample.clone();
        for &(column, value) in &self.columns {
            if let Some(cell) = recovered.statics.get_mut(column) {
                *cell = if value >= 1.0 { cell.max(value) } else { cell.min(value) };
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
        assert_eq!(recovery.columns.len(), 2 * RECOVERED.len());
        let sample = Sample { states: Vec::new(), statics: vec![0.5; schema.statics.len()] };
        let recovered = recovery.apply(&sample);
        let changed = |name| recovered.statics[schema.column(name).unwrap()];
        assert!(changed("server-started-since") > 1.0);
        assert!(changed("file-last-started") < 0.5);
        assert_eq!(changed("owner-last-started"), 0.5);
    }
}
