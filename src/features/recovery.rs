//! A sample as it would look had others been seen to get through: what a wait would have to bring.

use super::{Column, FeatureSchema, Sample, Scope};
use Bound::{Least, Most};

/// What is known then of a scope: three of its jobs began to execute in the last ten minutes, the
/// last of them a minute ago, none went on hold for the same code in that time, and one that had
/// been held for it was released and finished a minute ago.
const RECOVERED: [(&str, Bound); 11] = [
    ("others", Least(1)),
    ("started-10min", Least(3)),
    ("started-1h", Least(3)),
    ("started-6h", Least(3)),
    ("started-since", Least(3)),
    ("last-started", Most(60)),
    ("started-after-held", Least(1)),
    ("held-same-code-10min", Most(0)),
    ("released-successes-since", Least(1)),
    ("last-release", Least(1)),
    ("last-release-succeeded", Most(60)),
];

/// What a number is raised or lowered to, before it is encoded; seconds of an age.
#[derive(Clone, Copy, Debug)]
enum Bound {
    Least(usize),
    Most(usize),
}

/// Where the columns stand.
#[derive(Clone, Debug)]
pub struct RecoveryColumns {
    changes: Vec<Change>,
}

/// One column, and whether its scope has other jobs.
#[derive(Clone, Copy, Debug)]
struct Change {
    others: usize,
    column: usize,
    bound: Bound,
    /// The bound as the column encodes it. A greater number is a greater value, so bounds of the
    /// one are those of the other.
    value: f32,
}

impl RecoveryColumns {
    /// Others of these scopes get through again.
    pub fn of(schema: &FeatureSchema, scopes: &[Scope]) -> Self {
        let changes = scopes.iter().flat_map(|scope| {
            let of = |column: &str| format!("{}-{column}", scope.name());
            RECOVERED.iter().filter_map(move |&(name, bound)| {
                let (Least(number) | Most(number)) = bound;
                let value = Column::named(&of(name))?.encode(number);
                let (others, column) = (schema.column(&of("others"))?, schema.column(&of(name))?);
                Some(Change { others, column, bound, value })
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
                *cell = match change.bound {
                    Most(_) if !alone => cell.min(change.value),
                    _ => cell.max(change.value),
                };
            }
        }
        recovered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_before_and_after_encoding() {
        for (name, bound) in RECOVERED {
            let column = Column::named(&format!("file-{name}")).unwrap();
            for number in [0, 1, 2, 3, 4, 59, 60, 61, 700, 700_000] {
                let (bounded, encoded) = match bound {
                    Least(least) => {
                        (number.max(least), column.encode(number).max(column.encode(least)))
                    }
                    Most(most) => {
                        (number.min(most), column.encode(number).min(column.encode(most)))
                    }
                };
                assert_eq!(column.encode(bounded).to_bits(), encoded.to_bits(), "{name} {number}");
            }
        }
    }

    #[test]
    fn every_column_is_there_and_changes() {
        let schema = FeatureSchema::current();
        let recovery = RecoveryColumns::of(&schema, &[Scope::Server, Scope::File]);
        assert_eq!(recovery.changes.len(), 2 * RECOVERED.len());
        let sample = Sample { states: Vec::new(), statics: vec![0.5; schema.statics.len()] };
        let recovered = recovery.apply(&sample);
        let changed = |name| recovered.statics[schema.column(name).unwrap()];
        assert!(changed("server-started-since") > 1.0);
        assert!(changed("file-last-started") < 0.5);
        assert_eq!(changed("owner-last-started"), 0.5);
    }
}
