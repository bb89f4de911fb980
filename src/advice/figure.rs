//! Figures of one job, and of several.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A figure of one job, or the least and the most of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure<T = f64> {
    /// The least.
    pub least: T,
    /// The most.
    pub most: T,
}

/// A figure that is counted: jobs, seconds.
pub type Count = Figure<i64>;

impl<T: Copy> From<T> for Figure<T> {
    fn from(value: T) -> Self {
        Self { least: value, most: value }
    }
}

impl From<i64> for Figure {
    fn from(value: i64) -> Self {
        Self::from(value as f64)
    }
}

impl From<i32> for Count {
    fn from(value: i32) -> Self {
        Self::from(i64::from(value))
    }
}

impl From<usize> for Count {
    fn from(value: usize) -> Self {
        Self::from(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl<T: Copy + PartialOrd> Figure<T> {
    pub(super) fn join(self, other: Self) -> Self {
        let least = if other.least < self.least { other.least } else { self.least };
        let most = if other.most > self.most { other.most } else { self.most };
        Self { least, most }
    }
}

/// `12`, `12.5`, `12-14`.
impl Display for Figure {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let digits = |value: f64| usize::from(value.fract() != 0.0);
        write!(out, "{:.*}", digits(self.least), self.least)?;
        match self.least == self.most {
            true => Ok(()),
            false => write!(out, "-{:.*}", digits(self.most), self.most),
        }
    }
}

/// `12`, `12-14`.
impl Display for Count {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self.least == self.most {
            true => self.least.fmt(out),
            false => write!(out, "{}-{}", self.least, self.most),
        }
    }
}

/// A number, or an array of the least and the most.
impl<T: Serialize + PartialEq> Serialize for Figure<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.least == self.most {
            true => self.least.serialize(serializer),
            false => [&self.least, &self.most].serialize(serializer),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Figure<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Figure_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (one, pair) = (generator.subschema_for::<T>(), generator.subschema_for::<[T; 2]>());
        json_schema!({
            "description": "A figure; of several jobs the least and the most of them.",
            "anyOf": [one, pair]
        })
    }
}
