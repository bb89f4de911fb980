//! Expressions and values as text, as HTCondor's src/classad/sink.cpp writes them.

use std::sync::Arc;

use crate::ad::ClassAd;
use crate::expr::operator::BinaryOperator;
use crate::expr::tree::{Kind, NodeId, Tree};
use crate::expr::{Expr, Repr};
use crate::functions::times;
use crate::number;
use crate::syntax::lexer;
use crate::value::Value;

/// How text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// As `condor_q -long`: `=?=`, reals with up to 16 digits, strings in the old syntax.
    #[default]
    Long,
    /// The new syntax, as the functions `string` and `strcat` use it: `is`, reals with an exponent, C's escapes.
    New,
}

/// Appends an expression.
pub(crate) fn expression(out: &mut String, expr: &Expr, style: Style) {
    match &expr.0 {
        Repr::Literal(literal) => value(out, literal, style),
        Repr::Tree { tree, root } => tree_text(out, tree, *root, style),
    }
}

/// Appends a value.
pub(crate) fn value(out: &mut String, value: &Value, style: Style) {
    match value {
        Value::Undefined => out.push_str("undefined"),
        Value::Error => out.push_str("error"),
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Integer(integer) => out.push_str(&integer.to_string()),
        Value::Real(real) => out.push_str(&match style {
            Style::Long => number::format_general(*real),
            Style::New => number::format_scientific(*real),
        }),
        Value::String(text) => string(out, text, style),
        Value::AbsoluteTime { seconds, offset } => {
            out.push_str("absTime(\"");
            out.push_str(&times::format_absolute(*seconds, *offset));
            out.push_str("\")");
        }
        Value::RelativeTime(seconds) => {
            out.push_str("relTime(\"");
            out.push_str(&times::format_relative(*seconds));
            out.push_str("\")");
        }
        Value::List(elements) => {
            out.push_str("{ ");
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                expression(out, element, style);
            }
            out.push_str(" }");
        }
        Value::ClassAd(ad) => classad(out, ad, style),
    }
}

/// Appends a nested ad in brackets. As HTCondor 25 keeps them, short names come first, those of one length in the order of the alphabet.
pub(crate) fn classad(out: &mut String, ad: &ClassAd, style: Style) {
    out.push_str("[ ");
    let mut names: Vec<&str> = ad.names().collect();
    names.sort_by_cached_key(|name| (name.len(), name.to_ascii_lowercase()));
    for (index, name) in names.into_iter().enumerate() {
        if index > 0 {
            out.push_str("; ");
        }
        attribute_name(out, name);
        out.push_str(" = ");
        match ad.get(name) {
            Some(expr) => expression(out, expr, style),
            None => out.push_str("error"),
        }
    }
    out.push_str(" ]");
}

/// Appends a string literal.
pub(crate) fn string(out: &mut String, text: &str, style: Style) {
    out.push('"');
    match style {
        Style::Long => out.push_str(&text.replace('"', "\\\"")),
        Style::New => escaped(out, text, '"'),
    }
    out.push('"');
}

fn escaped(out: &mut String, text: &str, delimiter: char) {
    for character in text.chars() {
        match character {
            c if c == delimiter => {
                out.push('\\');
                out.push(c);
            }
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            '\\' => out.push_str("\\\\"),
            ' '..='~' => out.push(character),
            _ => {
                let mut bytes = [0; 4];
                for byte in character.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("\\{byte:03o}"));
                }
            }
        }
    }
}

/// Appends an attribute name, quoted if it is no plain name.
pub(crate) fn attribute_name(out: &mut String, name: &str) {
    // `parent` is no keyword, yet HTCondor quotes it.
    if lexer::is_plain_name(name) && !name.eq_ignore_ascii_case("parent") {
        out.push_str(name);
    } else {
        out.push('\'');
        escaped(out, name, '\'');
        out.push('\'');
    }
}

enum Piece<'a> {
    Node(NodeId),
    Text(&'a str),
    /// A name behind a dot.
    Name(&'a str),
}

/// Prints a tree with a list of what is left to print instead of recursion: chains of operators may be long.
fn tree_text(out: &mut String, tree: &Arc<Tree>, root: NodeId, style: Style) {
    let mut left = vec![Piece::Node(root)];
    while let Some(piece) = left.pop() {
        let id = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Name(name) if name.eq_ignore_ascii_case("parent") => {
                out.push_str(name);
                continue;
            }
            Piece::Name(name) => {
                attribute_name(out, name);
                continue;
            }
            Piece::Node(id) => id,
        };
        match &tree.node(id).kind {
            Kind::Literal(literal) => value(out, literal, style),
            Kind::ClassAd(ad) => classad(out, ad, style),
            Kind::Attribute { scope: None, name, absolute } => {
                if *absolute {
                    out.push('.');
                }
                attribute_name(out, &name.text);
            }
            Kind::Attribute { scope: Some(scope), name, .. } => {
                // A number with a dot right behind it would be read as a real.
                let number = matches!(
                    &tree.node(*scope).kind,
                    Kind::Literal(Value::Integer(_) | Value::Real(_))
                );
                let dot = if number { " ." } else { "." };
                left.extend([Piece::Name(&name.text), Piece::Text(dot), Piece::Node(*scope)]);
            }
            Kind::Unary(operator, operand) => {
                left.extend([
                    Piece::Node(*operand),
                    Piece::Text(operator.symbol()),
                    Piece::Text(" "),
                ]);
            }
            Kind::Binary(BinaryOperator::Subscript, object, index) => left.extend([
                Piece::Text("]"),
                Piece::Node(*index),
                Piece::Text("["),
                Piece::Node(*object),
            ]),
            Kind::Binary(operator, first, second) => left.extend([
                Piece::Node(*second),
                Piece::Text(binary(*operator, style)),
                Piece::Node(*first),
            ]),
            Kind::Conditional(condition, yes, no) => left.extend([
                Piece::Node(*no),
                Piece::Text(" : "),
                Piece::Node(*yes),
                Piece::Text(" ? "),
                Piece::Node(*condition),
            ]),
            Kind::Parentheses(inside) => {
                left.extend([Piece::Text(")"), Piece::Node(*inside), Piece::Text("(")]);
            }
            Kind::Call(call) => {
                attribute_name(out, &call.name);
                out.push('(');
                left.push(Piece::Text(")"));
                sequence(&mut left, &call.arguments);
            }
            Kind::List(elements) => {
                out.push_str("{ ");
                left.push(Piece::Text(" }"));
                sequence(&mut left, elements);
            }
        }
    }
}

fn sequence(left: &mut Vec<Piece<'_>>, items: &[NodeId]) {
    for (index, item) in items.iter().enumerate().rev() {
        left.push(Piece::Node(*item));
        if index > 0 {
            left.push(Piece::Text(","));
        }
    }
}

fn binary(operator: BinaryOperator, style: Style) -> &'static str {
    match operator {
        BinaryOperator::Or => " || ",
        BinaryOperator::And => " && ",
        BinaryOperator::BitOr => " | ",
        BinaryOperator::BitXor => " ^ ",
        BinaryOperator::BitAnd => " & ",
        BinaryOperator::Equal => " == ",
        BinaryOperator::NotEqual => " != ",
        BinaryOperator::Identical if style == Style::New => " is ",
        BinaryOperator::NotIdentical if style == Style::New => " isnt ",
        BinaryOperator::Identical => " =?= ",
        BinaryOperator::NotIdentical => " =!= ",
        BinaryOperator::Less => " < ",
        BinaryOperator::LessOrEqual => " <= ",
        BinaryOperator::Greater => " > ",
        BinaryOperator::GreaterOrEqual => " >= ",
        BinaryOperator::ShiftLeft => " << ",
        BinaryOperator::ShiftRight => " >> ",
        BinaryOperator::UnsignedShiftRight => " >>> ",
        BinaryOperator::Add => " + ",
        BinaryOperator::Subtract => " - ",
        BinaryOperator::Multiply => " * ",
        BinaryOperator::Divide => " / ",
        BinaryOperator::Modulus => " % ",
        BinaryOperator::Elvis => " ?: ",
        BinaryOperator::Subscript => "[]",
    }
}
