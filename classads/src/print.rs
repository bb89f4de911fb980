//! Expressions and values as text, as HTCondor's src/classad/sink.cpp writes them.

use std::sync::Arc;

use crate::ad::ClassAd;
use crate::expr::operator::BinaryOperator;
use crate::expr::tree::{Kind, NodeId, Tree};
use crate::expr::{Expr, Repr};
use crate::functions::times;
use crate::number;
use crate::syntax::token;
use crate::value::Value;

/// How text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// As `condor_q -long`: `=?=`, reals with up to 16 digits, strings in the old syntax.
    #[default]
    Long,
    /// The new syntax, as the functions `string` and `strcat` use it: `is`, reals with an exponent,
    /// C's escapes.
    New,
}

/// How text is laid out.
#[derive(Clone, Copy)]
struct Layout {
    style: Style,
    /// Blanks before a line, where ads and lists take several.
    indent: Option<usize>,
    /// Bytes behind which printing stops.
    limit: usize,
}

/// Blanks by which the brackets of an ad, and again its attributes, are moved to the right.
const AD_STEP: usize = 4;
/// The same of a list and its elements.
const LIST_STEP: usize = 3;

impl Layout {
    fn on_one_line(style: Style) -> Self {
        Self { style, indent: None, limit: usize::MAX }
    }

    /// Whether there are more bytes than wanted.
    fn is_full(self, out: &str) -> bool {
        out.len() > self.limit
    }

    /// Appends a bracket; the layout of what is inside.
    fn open(self, out: &mut String, bracket: char, step: usize) -> Self {
        match self.indent {
            None => out.extend([bracket, ' ']),
            Some(indent) => {
                line(out, indent + step);
                out.push(bracket);
            }
        }
        Self { indent: self.indent.map(|indent| indent + 2 * step), ..self }
    }

    /// Begins a line, where there are several. This is the layout of what is inside.
    fn item(self, out: &mut String) {
        if let Some(indent) = self.indent {
            line(out, indent);
        }
    }

    /// Appends the closing bracket. This is the layout of what was inside.
    fn close(self, out: &mut String, bracket: char, step: usize) {
        match self.indent {
            None => out.push(' '),
            Some(indent) => line(out, indent - step),
        }
        out.push(bracket);
    }
}

/// Begins a line.
pub(crate) fn line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Appends an expression.
pub(crate) fn expression(out: &mut String, expr: &Expr, style: Style) {
    laid_out(out, expr, Layout::on_one_line(style));
}

/// Appends an expression in the new syntax, ads and lists on several lines, as the function
/// `unparse` writes it. Stops soon behind `limit` bytes.
pub(crate) fn on_several_lines(out: &mut String, expr: &Expr, limit: usize) {
    laid_out(out, expr, Layout { style: Style::New, indent: Some(0), limit });
}

fn laid_out(out: &mut String, expr: &Expr, layout: Layout) {
    match &expr.0 {
        Repr::Literal(literal) => value_laid_out(out, literal, layout),
        Repr::Tree { tree, root } => tree_text(out, tree, *root, layout),
    }
}

/// Appends a value.
pub(crate) fn value(out: &mut String, value: &Value, style: Style) {
    value_laid_out(out, value, Layout::on_one_line(style));
}

/// [`value`] that stops soon behind `limit` bytes.
pub(crate) fn value_within(out: &mut String, value: &Value, style: Style, limit: usize) {
    value_laid_out(out, value, Layout { limit, ..Layout::on_one_line(style) });
}

fn value_laid_out(out: &mut String, value: &Value, layout: Layout) {
    let style = layout.style;
    match value {
        Value::Undefined => out.push_str("undefined"),
        Value::Error => out.push_str("error"),
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Integer(integer) => out.push_str(&integer.to_string()),
        Value::Real(real) => out.push_str(&match style {
            Style::Long => number::format_general(*real),
            Style::New => number::format_scientific(*real),
        }),
        Value::String(text) => quoted(out, text, '"', layout),
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
            let inside = layout.open(out, '{', LIST_STEP);
            for (index, element) in elements.iter().enumerate() {
                if layout.is_full(out) {
                    return;
                }
                if index > 0 {
                    out.push(',');
                }
                inside.item(out);
                laid_out(out, element, inside);
            }
            inside.close(out, '}', LIST_STEP);
        }
        Value::ClassAd(ad) => ad_laid_out(out, ad, layout),
    }
}

/// Appends a nested ad in brackets.
pub(crate) fn classad(out: &mut String, ad: &ClassAd, style: Style) {
    ad_laid_out(out, ad, Layout::on_one_line(style));
}

/// The names as HTCondor 25 keeps them: short ones first, those of one length in the order of the
/// alphabet.
pub(crate) fn ordered(ad: &ClassAd) -> Vec<&str> {
    let mut names: Vec<&str> = ad.names().collect();
    names.sort_by_cached_key(|name| (name.len(), name.to_ascii_lowercase()));
    names
}

fn ad_laid_out(out: &mut String, ad: &ClassAd, layout: Layout) {
    let inside = layout.open(out, '[', AD_STEP);
    for (index, name) in ordered(ad).into_iter().enumerate() {
        if layout.is_full(out) {
            return;
        }
        if index > 0 {
            out.push_str("; ");
        }
        inside.item(out);
        attribute_name(out, name, layout.style);
        out.push_str(" = ");
        match ad.get(name) {
            Some(expr) => laid_out(out, expr, inside),
            None => out.push_str("error"),
        }
    }
    inside.close(out, ']', AD_STEP);
}

/// Appends a string literal.
pub(crate) fn string(out: &mut String, text: &str, style: Style) {
    quoted(out, text, '"', Layout::on_one_line(style));
}

fn quoted(out: &mut String, text: &str, delimiter: char, layout: Layout) {
    out.push(delimiter);
    match layout.style {
        Style::Long => out.push_str(&text.replace(delimiter, &format!("\\{delimiter}"))),
        Style::New => escaped(out, text, Some(delimiter), layout.limit),
    }
    out.push(delimiter);
}

/// Appends text with the escapes of the new syntax, the delimiter of a string among what is
/// escaped, until `out` has more than `limit` bytes.
pub(crate) fn escaped(out: &mut String, text: &str, delimiter: Option<char>, limit: usize) {
    let is_plain = |byte: &u8| {
        matches!(byte, b' '..=b'[' | b']'..=b'~') && Some(char::from(*byte)) != delimiter
    };
    let mut rest = text;
    while out.len() <= limit {
        let most = (limit - out.len()).saturating_add(1);
        let plain = rest.as_bytes().iter().take(most).take_while(|byte| is_plain(byte)).count();
        out.push_str(&rest[..plain]);
        let mut characters = rest[plain..].chars();
        let Some(character) = characters.next().filter(|_| out.len() <= limit) else { return };
        rest = characters.as_str();
        match character {
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            ' '..='~' => out.extend(['\\', character]),
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
pub(crate) fn attribute_name(out: &mut String, name: &str, style: Style) {
    // `parent` is no keyword, yet HTCondor quotes it.
    if token::is_plain_name(name) && !name.eq_ignore_ascii_case("parent") {
        out.push_str(name);
    } else {
        quoted(out, name, '\'', Layout::on_one_line(style));
    }
}

enum Piece<'a> {
    Node(NodeId),
    /// The beginning of an element of a list.
    Item,
    /// The end of a list, and the layout around it.
    End(Layout),
    Text(&'a str),
    /// A name behind a dot.
    Name(&'a str),
}

/// Prints a tree with a list of what is left to print instead of recursion: chains of operators may
/// be long.
fn tree_text(out: &mut String, tree: &Arc<Tree>, root: NodeId, mut layout: Layout) {
    let style = layout.style;
    let mut left = vec![Piece::Node(root)];
    while let Some(piece) = left.pop() {
        if layout.is_full(out) {
            return;
        }
        let id = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Item => {
                layout.item(out);
                continue;
            }
            Piece::End(around) => {
                layout.close(out, '}', LIST_STEP);
                layout = around;
                continue;
            }
            Piece::Name(name) if name.eq_ignore_ascii_case("parent") => {
                out.push_str(name);
                continue;
            }
            Piece::Name(name) => {
                attribute_name(out, name, style);
                continue;
            }
            Piece::Node(id) => id,
        };
        match &tree.node(id).kind {
            Kind::Literal(literal) => value_laid_out(out, literal, layout),
            Kind::ClassAd(ad) => ad_laid_out(out, ad, layout),
            Kind::Attribute { scope: None, name, absolute } => {
                if *absolute {
                    out.push('.');
                }
                attribute_name(out, &name.text, style);
            }
            Kind::Attribute { scope: Some(scope), name, .. } => {
                // An integer with a dot right behind it would be read as a real.
                let integer = matches!(&tree.node(*scope).kind, Kind::Literal(Value::Integer(_)));
                let dot = if integer { " ." } else { "." };
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
                Piece::Text(" "),
                Piece::Text(symbol(*operator, style)),
                Piece::Text(" "),
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
                attribute_name(out, &call.name, style);
                out.push('(');
                left.push(Piece::Text(")"));
                sequence(&mut left, &call.arguments, false);
            }
            Kind::List(elements) => {
                left.push(Piece::End(layout));
                layout = layout.open(out, '{', LIST_STEP);
                sequence(&mut left, elements, true);
            }
        }
    }
}

fn sequence(left: &mut Vec<Piece<'_>>, items: &[NodeId], are_elements: bool) {
    for (index, item) in items.iter().enumerate().rev() {
        left.push(Piece::Node(*item));
        if are_elements {
            left.push(Piece::Item);
        }
        if index > 0 {
            left.push(Piece::Text(","));
        }
    }
}

fn symbol(operator: BinaryOperator, style: Style) -> &'static str {
    match (operator, style) {
        (BinaryOperator::Identical, Style::New) => "is",
        (BinaryOperator::NotIdentical, Style::New) => "isnt",
        _ => operator.symbol(),
    }
}
