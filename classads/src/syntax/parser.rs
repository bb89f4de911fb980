//! The grammar of the manual's chapter on ClassAds, as nom parsers, a function for each of its
//! symbols (HTCondor's src/classad/source.cpp).
//!
//! Recursion only where the text nests, and that bounded; there these functions call each other
//! without a combinator between them, whose frames would take several times the stack.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use nom::branch::alt;
use nom::character::complete::{char, one_of};
use nom::combinator::{eof, map, opt, value, verify};
use nom::multi::many0_count;
use nom::sequence::{preceded, terminated};
use nom::{Err, Offset, Parser};

use super::Syntax;
use super::error::ParseError;
use super::token::{self, Fault, Parsed, Problem, Suffix, expected};
use crate::ad::ClassAd;
use crate::expr::operator::BinaryOperator;
use crate::expr::tree::{self, Call, Kind, NodeId, Tree, TreeNode};
use crate::expr::{Expr, Repr};
use crate::functions;
use crate::functions::times;
use crate::name::Name;
use crate::value::Value;

/// HTCondor's limit; an expression in parentheses takes three of it.
const MAX_DEPTH: u32 = 500;

/// Reads the whole of `text` as one expression.
pub(crate) fn expression(text: &str, syntax: Syntax) -> Result<Expr, ParseError> {
    match constant(text, syntax) {
        Some(value) => Ok(Expr(Repr::Literal(value))),
        None => parse(text, syntax),
    }
}

/// The value of a text that is one literal and nothing else, as nearly every attribute is.
pub(crate) fn constant(text: &str, syntax: Syntax) -> Option<Value> {
    match token::literal(syntax, text) {
        Ok(("", value)) => Some(value),
        _ => None,
    }
}

/// [`expression`] by the whole grammar.
pub(crate) fn parse(text: &str, syntax: Syntax) -> Result<Expr, ParseError> {
    let grammar = Grammar::new(text, syntax)?;
    let end = expected("an operator or the end of the expression", eof);
    let root = grammar.whole(terminated(|input| grammar.expression(input), end))?;
    Ok(grammar.finish(root))
}

/// Reads the whole of `text` as one ad in brackets, `[ a = 1; b = 2 ]`.
pub(crate) fn classad(text: &str) -> Result<ClassAd, ParseError> {
    let grammar = Grammar::new(text, Syntax::New)?;
    let record = expected("'['", |input| grammar.ad(input));
    let end = expected("an operator or the end of the expression", eof);
    grammar.whole(terminated(record, end))
}

/// A text that is read, and what was made of it so far.
struct Grammar<'a> {
    text: &'a str,
    syntax: Syntax,
    /// The text as trees share it.
    source: OnceCell<Arc<str>>,
    nodes: RefCell<Vec<TreeNode>>,
    depth: Cell<u32>,
    /// Where the last token ended, without the space behind it.
    end: Cell<usize>,
}

/// A level of nesting.
struct Level<'g>(&'g Cell<u32>);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl<'a> Grammar<'a> {
    fn new(text: &'a str, syntax: Syntax) -> Result<Grammar<'a>, ParseError> {
        if u32::try_from(text.len()).is_err() {
            return Err(ParseError::new("", 0, "the expression is longer than 4 GiB"));
        }
        Ok(Grammar {
            text,
            syntax,
            source: OnceCell::new(),
            nodes: RefCell::default(),
            depth: Cell::new(0),
            end: Cell::new(0),
        })
    }

    /// Reads the text from its start.
    fn whole<T>(
        &self,
        parser: impl Parser<&'a str, Output = T, Error = Fault<'a>>,
    ) -> Result<T, ParseError> {
        // As in C, a NUL character ends the text.
        let length = memchr::memchr(0, self.text.as_bytes()).unwrap_or(self.text.len());
        let space = |input| token::space(self.syntax, input);
        match preceded(space, parser).parse_complete(&self.text[..length]) {
            Ok((_, found)) => Ok(found),
            Err(Err::Error(fault) | Err::Failure(fault)) => Err(self.error(&fault)),
            Err(Err::Incomplete(_)) => Err(ParseError::new(self.text, length, "expected more")),
        }
    }

    #[cold]
    fn error(&self, fault: &Fault<'a>) -> ParseError {
        let message = match fault.problem {
            Problem::Expected(wanted) => match token::describe(self.syntax, fault.at) {
                Ok(found) => format!("expected {wanted}, found {found}"),
                Err(why) => why,
            },
            _ => fault.message(),
        };
        ParseError::new(self.text, self.text.offset(fault.at), message)
    }

    /// A token, and the space behind it.
    fn token<T>(
        &self,
        mut parser: impl Parser<&'a str, Output = T, Error = Fault<'a>>,
    ) -> impl FnMut(&'a str) -> Parsed<'a, T> {
        move |input| {
            let (rest, found) = parser.parse_complete(input)?;
            self.end.set(self.text.offset(rest));
            let (rest, ()) = token::space(self.syntax, rest)?;
            Ok((rest, found))
        }
    }

    /// A mark of one character.
    fn mark(&self, mark: char) -> impl FnMut(&'a str) -> Parsed<'a, ()> {
        self.token(value((), char(mark)))
    }

    /// A node that began at a place in the text and ends with the last token.
    fn node(&self, kind: Kind, start: usize) -> NodeId {
        tree::push(&mut self.nodes.borrow_mut(), kind, start, self.end.get())
    }

    fn start_of(&self, id: NodeId) -> usize {
        tree::start(&self.nodes.borrow(), id)
    }

    /// The nodes so far as an expression of its own.
    fn finish(&self, root: NodeId) -> Expr {
        let mut nodes = self.nodes.take();
        if let [TreeNode { kind: Kind::Literal(_), .. }] = nodes[..]
            && let Some(TreeNode { kind: Kind::Literal(value), .. }) = nodes.pop()
        {
            return Expr(Repr::Literal(value));
        }
        nodes.shrink_to_fit();
        let source = Arc::clone(self.source.get_or_init(|| self.text.into()));
        Expr(Repr::Tree { tree: Arc::new(Tree::new(source, nodes)), root })
    }

    /// One level deeper, if there is room, until the level is dropped.
    fn deeper(&self, input: &'a str) -> Result<Level<'_>, Err<Fault<'a>>> {
        let depth = self.depth.get();
        if depth == MAX_DEPTH {
            return Err(Fault::last(input, Problem::TooDeep));
        }
        self.depth.set(depth + 1);
        Ok(Level(&self.depth))
    }

    /// Expression ::= BinaryExpression ( '?' Expression ':' Expression )?
    fn expression(&self, input: &'a str) -> Parsed<'a, NodeId> {
        let _level = self.deeper(input)?;
        let (rest, condition) = self.binary_expression(input)?;
        match opt(self.mark('?')).parse_complete(rest)? {
            (rest, None) => Ok((rest, condition)),
            (rest, Some(())) => self.conditional(condition, rest),
        }
    }

    /// Expression ':' Expression, behind a condition and its '?'.
    fn conditional(&self, condition: NodeId, input: &'a str) -> Parsed<'a, NodeId> {
        let (rest, yes) = self.expression(input)?;
        let (rest, ()) = self.close(':', "':'")(rest)?;
        let (rest, no) = self.expression(rest)?;
        let start = self.start_of(condition);
        Ok((rest, self.node(Kind::Conditional(condition, yes, no), start)))
    }

    /// BinaryExpression ::= PrefixExpression ( BinaryOperator PrefixExpression )*
    ///
    /// By hand: operands wait on a stack of their own until an operator behind them binds no
    /// tighter, so that a long chain nests nothing and its depth is bounded by memory alone.
    fn binary_expression(&self, input: &'a str) -> Parsed<'a, NodeId> {
        let mut waiting: Vec<(NodeId, BinaryOperator)> = Vec::new();
        let (mut rest, mut operand) = self.prefix_expression(input)?;
        loop {
            let end = self.end.get();
            let (behind, next) = opt(self.token(token::binary_operator)).parse_complete(rest)?;
            // An operator behind an operation is no part of it.
            self.end.set(end);
            while let Some((left, operator)) = waiting.last().copied() {
                if next.is_some_and(|next| next.precedence() > operator.precedence()) {
                    break;
                }
                waiting.pop();
                let start = self.start_of(left);
                operand = self.node(Kind::Binary(operator, left, operand), start);
            }
            let Some(operator) = next else { return Ok((rest, operand)) };
            waiting.push((operand, operator));
            (rest, operand) = self.prefix_expression(behind)?;
        }
    }

    /// PrefixExpression ::= UnaryOperator PrefixExpression | SuffixExpression
    fn prefix_expression(&self, input: &'a str) -> Parsed<'a, NodeId> {
        let _level = self.deeper(input)?;
        let (rest, operator) = opt(self.token(token::unary_operator)).parse_complete(input)?;
        let Some(operator) = operator else { return self.suffix_expression(input) };
        let (rest, operand) = self.prefix_expression(rest)?;
        Ok((rest, self.node(Kind::Unary(operator, operand), self.text.offset(input))))
    }

    /// SuffixExpression ::= Atom Suffix*
    fn suffix_expression(&self, input: &'a str) -> Parsed<'a, NodeId> {
        let _level = self.deeper(input)?;
        let (rest, atom) = self.atom(input)?;
        self.suffixes(atom, rest)
    }

    /// Suffix ::= '.' Name | '[' Expression ']' | '?:' SuffixExpression
    ///
    /// HTCondor binds `?:` as tightly as the others.
    fn suffixes(&self, mut node: NodeId, mut rest: &'a str) -> Parsed<'a, NodeId> {
        while let Some(b'.' | b'[' | b'?') = rest.as_bytes().first() {
            let (behind, suffix) = opt(self.token(token::suffix)).parse_complete(rest)?;
            let start = self.start_of(node);
            let kind = match suffix {
                Some(Suffix::Select) => {
                    let name;
                    (rest, name) = self.attribute_name(behind)?;
                    Kind::Attribute { scope: Some(node), name, absolute: false }
                }
                Some(Suffix::Subscript) => {
                    let (behind, index) = self.expression(behind)?;
                    (rest, ()) = self.close(']', "']'")(behind)?;
                    Kind::Binary(BinaryOperator::Subscript, node, index)
                }
                Some(Suffix::Elvis) => {
                    let otherwise;
                    (rest, otherwise) = self.suffix_expression(behind)?;
                    Kind::Binary(BinaryOperator::Elvis, node, otherwise)
                }
                None => break,
            };
            node = self.node(kind, start);
        }
        Ok((rest, node))
    }

    /// A mark that must follow.
    fn close(&self, mark: char, what: &'static str) -> impl FnMut(&'a str) -> Parsed<'a, ()> {
        expected(what, self.mark(mark))
    }

    fn attribute_name(&self, input: &'a str) -> Parsed<'a, Name> {
        let name = self.token(|input| token::name(self.syntax, input));
        expected("an attribute name", map(name, |name| Name::new(&name))).parse_complete(input)
    }

    /// Atom ::= Literal | AttributeRef | Call | '(' Expression ')' | List | Record
    fn atom(&self, input: &'a str) -> Parsed<'a, NodeId> {
        let (rest, kind) = match input.as_bytes().first() {
            Some(b'(') => self.parentheses(input)?,
            Some(b'{') => self.list(input)?,
            Some(b'[') => self.record(input)?,
            _ => self.name_or_literal(input)?,
        };
        Ok((rest, self.node(kind, self.text.offset(input))))
    }

    /// A name; one with a parenthesis behind it begins a call.
    fn name_or_literal(&self, input: &'a str) -> Parsed<'a, Kind> {
        let leaf = alt((|input| self.literal(input), |input| self.attribute_ref(input)));
        match expected("an operand", leaf).parse_complete(input)? {
            (rest, Kind::Attribute { name, absolute: false, .. }) if rest.starts_with('(') => {
                self.call(&name.text, input, rest)
            }
            leaf => Ok(leaf),
        }
    }

    /// Literal ::= Number | String | 'true' | 'false' | 'undefined' | 'error'
    fn literal(&self, input: &'a str) -> Parsed<'a, Kind> {
        let literal = |input| token::literal(self.syntax, input);
        map(self.token(literal), Kind::Literal).parse_complete(input)
    }

    /// AttributeRef ::= '.'? Name
    fn attribute_ref(&self, input: &'a str) -> Parsed<'a, Kind> {
        let name = self.token(|input| token::name(self.syntax, input));
        let name = map(name, |name| Name::new(&name));
        let absolute = preceded(self.token(token::dot), |input| self.attribute_name(input));
        let kind = |(name, absolute)| Kind::Attribute { scope: None, name, absolute };
        let either = alt((map(name, |name| (name, false)), map(absolute, |name| (name, true))));
        map(either, kind).parse_complete(input)
    }

    /// Call ::= Name '(' ( Expression ( ( ',' | ';' ) Expression )* )? ')'
    fn call(&self, name: &str, start: &'a str, input: &'a str) -> Parsed<'a, Kind> {
        let (rest, ()) = self.mark('(')(input)?;
        let comma = self.token(value((), one_of(",;")));
        let (rest, arguments) = self.sequence(rest, comma, ')', "',' or ')'")?;
        if let [only] = *arguments
            && let Some(value) = self.constant_time(name, only, start)?
        {
            self.nodes.borrow_mut().pop();
            return Ok((rest, Kind::Literal(value)));
        }
        let function = functions::find(name);
        Ok((rest, Kind::Call(Box::new(Call { name: name.into(), function, arguments }))))
    }

    /// HTCondor turns these two calls on a constant string into constants when it reads them.
    fn constant_time(
        &self,
        name: &str,
        argument: NodeId,
        start: &'a str,
    ) -> Result<Option<Value>, Err<Fault<'a>>> {
        let time = match tree::kind(&self.nodes.borrow(), argument) {
            // Without a zone in it the time waits for the zone of the evaluation.
            Kind::Literal(Value::String(text)) if name.eq_ignore_ascii_case("absTime") => {
                times::parse_absolute(text).map(|time| time.value())
            }
            Kind::Literal(Value::String(text)) if name.eq_ignore_ascii_case("relTime") => {
                times::parse_relative(text).map(Some)
            }
            _ => Some(None),
        };
        let length = self.end.get() - self.text.offset(start);
        time.ok_or_else(|| Fault::last(start, Problem::Time(length)))
    }

    /// '(' Expression ')'
    fn parentheses(&self, input: &'a str) -> Parsed<'a, Kind> {
        let (rest, ()) = self.mark('(')(input)?;
        let (rest, inside) = self.expression(rest)?;
        let (rest, ()) = self.close(')', "')'")(rest)?;
        Ok((rest, Kind::Parentheses(inside)))
    }

    /// List ::= '{' ( Expression ( ',' Expression )* )? '}'
    fn list(&self, input: &'a str) -> Parsed<'a, Kind> {
        let (rest, ()) = self.mark('{')(input)?;
        let (rest, elements) = self.sequence(rest, self.mark(','), '}', "',' or '}'")?;
        Ok((rest, Kind::List(elements)))
    }

    /// Expressions with something between them, up to the closing mark.
    fn sequence(
        &self,
        input: &'a str,
        mut comma: impl FnMut(&'a str) -> Parsed<'a, ()>,
        close: char,
        wanted: &'static str,
    ) -> Parsed<'a, Box<[NodeId]>> {
        let mut items = Vec::new();
        let (mut rest, none) = opt(self.mark(close)).parse_complete(input)?;
        let mut more = none.is_none();
        while more {
            let (behind, item) = self.expression(rest)?;
            items.push(item);
            let end = alt((value(true, &mut comma), value(false, self.mark(close))));
            (rest, more) = expected(wanted, end).parse_complete(behind)?;
        }
        Ok((rest, items.into()))
    }

    /// Record ::= '[' ';'* ( Name '=' Expression ( ';'+ Name '=' Expression )* ';'* )? ']'
    ///
    /// Its attributes become expressions of their own. HTCondor wants one behind semicolons.
    fn record(&self, input: &'a str) -> Parsed<'a, Kind> {
        let (rest, ad) = self.ad(input)?;
        Ok((rest, Kind::ClassAd(Arc::new(ad))))
    }

    fn ad(&self, input: &'a str) -> Parsed<'a, ClassAd> {
        let outer = self.nodes.take();
        let mut ad = ClassAd::new();
        let semicolons = |input| many0_count(self.mark(';')).parse_complete(input);
        let end = |input| opt(self.mark(']')).parse_complete(input);
        let (rest, before) = preceded(self.mark('['), semicolons).parse_complete(input)?;
        let (mut rest, mut ended) = if before == 0 { end(rest)? } else { (rest, None) };
        while ended.is_none() {
            let (behind, name) = self.attribute(rest)?;
            let (behind, root) = self.expression(behind)?;
            ad.insert(&name, self.finish(root));
            let (behind, between) = semicolons(behind)?;
            (rest, ended) = end(behind)?;
            if between == 0 && ended.is_none() {
                return Err(Fault::last(rest, Problem::Expected("';' or ']'")));
            }
        }
        self.nodes.replace(outer);
        Ok((rest, ad))
    }

    /// Name '=', the beginning of an attribute.
    fn attribute(&self, input: &'a str) -> Parsed<'a, Cow<'a, str>> {
        let name = self.token(|input| token::name(self.syntax, input));
        let name = expected("an attribute name or ']'", name);
        let named = verify(name, |name: &str| !name.is_empty());
        let assign = expected("'='", self.token(token::assign));
        terminated(expected("an attribute name", named), assign).parse_complete(input)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_nul_character_ends_the_text() {
        for syntax in [Syntax::New, Syntax::Old] {
            assert!(expression("\"a\0b\"", syntax).is_err());
            assert_eq!(expression("5 \0x", syntax).unwrap().as_literal(), Some(&5.into()));
        }
    }

    #[test]
    fn the_text_of_a_node_ends_before_the_operator_behind_it() {
        for text in
            ["a < 3 && b * c + 1 || d ? -e : f", "a . b [ 1 ] + { 1 } == g( 2 ) - h", "a == b == c"]
        {
            let parsed = expression(text, Syntax::Old).expect("an expression");
            let mut open = vec![parsed.root()];
            while let Some(node) = open.pop() {
                open.extend(node.children());
                let source = node.source().expect("a text");
                let alone = expression(source, Syntax::Old).map(|alone| alone.to_string());
                assert_eq!(alone.ok(), Some(node.to_string()), "{source:?} of {text}");
            }
        }
    }

    #[test]
    fn constants_are_known_without_the_grammar() {
        for text in ["0", "7", "-1", "1795300000", "00.50", "1e3", "TRUE", "Undefined", "\"a é/\""]
        {
            for syntax in [Syntax::Old, Syntax::New] {
                assert!(constant(text, syntax).is_some(), "{text}");
            }
        }
        for text in ["", "01", "- 1", "1.", "1K", "\"a\" ", "\"", " 1", "truer", "1 + 1"] {
            assert!(constant(text, Syntax::Old).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_grammar_says_the_same(
            text in "-?[0-9.]{1,25}|\"[ -~é\\n]{0,6}\"|(?i:true|false|undefined)|[0-9a-zA-Z\" .\\\\\\x00]{0,6}",
        ) {
            for syntax in [Syntax::Old, Syntax::New] {
                if let Some(value) = constant(&text, syntax) {
                    let parsed = parse(&text, syntax).expect("the grammar reads it too");
                    let (here, there) = (Some(&value), parsed.as_literal());
                    prop_assert_eq!(format!("{:?}", here), format!("{:?}", there));
                }
            }
        }
    }
}
