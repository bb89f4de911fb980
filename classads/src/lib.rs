#![doc = include_str!("../README.md")]
//!
//! # Where to start
//!
//! Ads are read from `-long`, JSON, XML or bracketed text by [`read_ads`]; an expression is an
//! [`Expr`]; its value on an ad is a [`Value`] and comes from [`ClassAd::evaluate_expr`], at a time
//! and against another ad that the [`EvalContext`] names.

// - `ad`: ads, read lazily.
// - `conversions`: traits of the standard library.
// - `eval`: the value of an expression on an ad.
// - `expr`: parsed text, its tree and its names.
// - `functions`: the built-in functions.
// - `name`: attribute names.
// - `number`: numbers as C prints and reads them.
// - `print`: expressions and values as text.
// - `read`: ads from any form of text.
// - `serde`: serde's data (feature `serde`).
// - `syntax`: text to syntax tree.
// - `value`: values.

mod ad;
mod conversions;
mod eval;
mod expr;
mod functions;
mod name;
mod number;
mod print;
mod read;
#[cfg(feature = "serde")]
mod serde;
mod syntax;
mod value;

pub use ad::ClassAd;
pub use eval::{Budget, EvalContext, Step};
pub use expr::{
    AttributeReference, BinaryOperator, Expr, Node, NodeKind, ReferenceScope, UnaryOperator,
};
pub use functions::function_names;
pub use print::Style;
pub use read::{
    AdError, AdStream, Form, MAX_AD_SIZE, Written, json, long, read_ads, read_ads_in, xml,
};
pub use syntax::Syntax;
pub use syntax::error::ParseError;
pub use syntax::escape::unescape;
pub use value::{List, Value, ValueType};
