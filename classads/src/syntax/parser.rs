//! The grammar of HTCondor's src/classad/source.cpp: a Pratt loop over binary operators with an
//! explicit stack, recursion only where the text nests, and that bounded.

use std::sync::Arc;

use super::Syntax;
use super::constant;
use super::error::ParseError;
use super::lexer::{Lexer, Token};
use crate::ad::ClassAd;
use crate::expr::operator::{BinaryOperator, UnaryOperator};
use crate::expr::tree::{Call, Kind, NodeId, Tree, TreeNode, push};
use crate::expr::{Expr, Repr};
use crate::functions;
use crate::functions::times;
use crate::name::Name;
use crate::value::Value;

/// HTCondor's limit; an expression in parentheses takes three of it.
const MAX_DEPTH: u32 = 500;

/// Reads the whole of `text` as one expression.
pub(crate) fn expression(text: &str, syntax: Syntax) -> Result<Expr, ParseError> {
    match constant::value(text) {
        Some(value) => Ok(Expr(Repr::Literal(value))),
        None => parse(text, syntax),
    }
}

/// [`expression`] by the grammar alone.
pub(crate) fn parse(text: &str, syntax: Syntax) -> Result<Expr, ParseError> {
    let mut parser = Parser::new(text, syntax)?;
    let root = parser.conditional()?;
    parser.expect_end()?;
    Ok(parser.finish(root))
}

/// Reads the whole of `text` as one ad in brackets, `[ a = 1; b = 2 ]`.
pub(crate) fn classad(text: &str) -> Result<ClassAd, ParseError> {
    let mut parser = Parser::new(text, Syntax::New)?;
    if parser.token != Token::OpenBox {
        return Err(parser.unexpected("'['"));
    }
    let ad = parser.ad()?;
    parser.expect_end()?;
    Ok(ad)
}

struct Parser<'a> {
    text: &'a str,
    source: Option<Arc<str>>,
    lexer: Lexer<'a>,
    token: Token<'a>,
    start: usize,
    end: usize,
    /// Where the last token taken ended.
    last_end: usize,
    depth: u32,
    nodes: Vec<TreeNode>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, syntax: Syntax) -> Result<Parser<'a>, ParseError> {
        if u32::try_from(text.len()).is_err() {
            return Err(ParseError::new("", 0, "the expression is longer than 4 GiB"));
        }
        let mut lexer = Lexer::new(text, syntax);
        let (token, start, end) = lexer.next()?;
        Ok(Parser {
            text,
            source: None,
            lexer,
            token,
            start,
            end,
            last_end: 0,
            depth: 0,
            nodes: Vec::new(),
        })
    }

    fn advance(&mut self) -> Result<Token<'a>, ParseError> {
        let (token, start, end) = self.lexer.next()?;
        self.last_end = self.end;
        self.start = start;
        self.end = end;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn finish(&mut self, root: NodeId) -> Expr {
        let nodes = std::mem::take(&mut self.nodes);
        self.wrap(nodes, root)
    }

    fn wrap(&mut self, mut nodes: Vec<TreeNode>, root: NodeId) -> Expr {
        if nodes.len() == 1
            && let Some(TreeNode { kind: Kind::Literal(_), .. }) = nodes.last()
            && let Some(TreeNode { kind: Kind::Literal(value), .. }) = nodes.pop()
        {
            return Expr(Repr::Literal(value));
        }
        nodes.shrink_to_fit();
        let source = Arc::clone(self.source.get_or_insert_with(|| self.text.into()));
        Expr(Repr::Tree { tree: Arc::new(Tree::new(source, nodes)), root })
    }

    fn unexpected(&self, wanted: &str) -> ParseError {
        let found = self.token.describe(&self.text[self.start..self.end]);
        let mut message = format!("expected {wanted}, found {found}");
        if self.token == Token::Assign {
            message.push_str("; write '==' to compare");
        }
        ParseError::new(self.text, self.start, message)
    }

    fn expect(&mut self, token: &Token<'static>, wanted: &str) -> Result<(), ParseError> {
        if self.token != *token {
            return Err(self.unexpected(wanted));
        }
        self.advance()?;
        Ok(())
    }

    fn expect_end(&self) -> Result<(), ParseError> {
        if self.token == Token::End {
            return Ok(());
        }
        Err(self.unexpected("an operator or the end of the expression"))
    }

    fn deeper(&mut self) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = "the expression nests too deeply";
            return Err(ParseError::new(self.text, self.start, message));
        }
        Ok(())
    }

    fn add(&mut self, kind: Kind, start: usize) -> NodeId {
        push(&mut self.nodes, kind, start, self.last_end)
    }

    fn start_of(&self, id: NodeId) -> usize {
        crate::expr::tree::start(&self.nodes, id)
    }

    /// `a ? b : c`, the loosest form.
    fn conditional(&mut self) -> Result<NodeId, ParseError> {
        self.deeper()?;
        let condition = self.binary()?;
        let node = if self.token == Token::Question {
            self.advance()?;
            let yes = self.conditional()?;
            self.expect(&Token::Colon, "':'")?;
            let no = self.conditional()?;
            let start = self.start_of(condition);
            self.add(Kind::Conditional(condition, yes, no), start)
        } else {
            condition
        };
        self.depth -= 1;
        Ok(node)
    }

    fn binary_operator(&self) -> Option<BinaryOperator> {
        match self.token {
            Token::Operator(operator) => Some(operator),
            Token::Plus => Some(BinaryOperator::Add),
            Token::Minus => Some(BinaryOperator::Subtract),
            _ => None,
        }
    }

    fn binary(&mut self) -> Result<NodeId, ParseError> {
        let mut waiting: Vec<(NodeId, BinaryOperator)> = Vec::new();
        let mut operand = self.unary()?;
        loop {
            let next = self.binary_operator();
            while let Some((left, operator)) = waiting.last().copied() {
                if next.is_some_and(|next| next.precedence() > operator.precedence()) {
                    break;
                }
                waiting.pop();
                let start = self.start_of(left);
                operand = self.add(Kind::Binary(operator, left, operand), start);
            }
            let Some(operator) = next else { return Ok(operand) };
            self.advance()?;
            waiting.push((operand, operator));
            operand = self.unary()?;
        }
    }

    fn unary(&mut self) -> Result<NodeId, ParseError> {
        self.deeper()?;
        let operator = match self.token {
            Token::Plus => Some(UnaryOperator::Plus),
            Token::Minus => Some(UnaryOperator::Minus),
            Token::Not => Some(UnaryOperator::Not),
            Token::Complement => Some(UnaryOperator::Complement),
            _ => None,
        };
        let node = if let Some(operator) = operator {
            let start = self.start;
            self.advance()?;
            let operand = self.unary()?;
            self.add(Kind::Unary(operator, operand), start)
        } else {
            self.postfix()?
        };
        self.depth -= 1;
        Ok(node)
    }

    /// Selection, subscript and `?:`, which HTCondor binds as tightly as these.
    fn postfix(&mut self) -> Result<NodeId, ParseError> {
        self.deeper()?;
        let mut node = self.primary()?;
        loop {
            let start = self.start_of(node);
            match self.token {
                Token::Dot => {
                    self.advance()?;
                    let name = self.attribute_name()?;
                    let kind = Kind::Attribute { scope: Some(node), name, absolute: false };
                    node = self.add(kind, start);
                }
                Token::OpenBox => {
                    self.advance()?;
                    let index = self.conditional()?;
                    self.expect(&Token::CloseBox, "']'")?;
                    node = self.add(Kind::Binary(BinaryOperator::Subscript, node, index), start);
                }
                Token::Elvis => {
                    self.advance()?;
                    let otherwise = self.postfix()?;
                    node = self.add(Kind::Binary(BinaryOperator::Elvis, node, otherwise), start);
                }
                _ => break,
            }
        }
        self.depth -= 1;
        Ok(node)
    }

    fn attribute_name(&mut self) -> Result<Name, ParseError> {
        let Token::Identifier(name) = &self.token else {
            return Err(self.unexpected("an attribute name"));
        };
        let name = Name::new(name);
        self.advance()?;
        Ok(name)
    }

    fn primary(&mut self) -> Result<NodeId, ParseError> {
        let start = self.start;
        match &self.token {
            Token::Literal(value) => {
                let value = value.clone();
                self.advance()?;
                Ok(self.add(Kind::Literal(value), start))
            }
            Token::Identifier(_) => {
                let Token::Identifier(name) = self.advance()? else {
                    return Err(self.unexpected("a name"));
                };
                if self.token == Token::OpenParenthesis {
                    return self.call(&name, start);
                }
                let kind = Kind::Attribute { scope: None, name: Name::new(&name), absolute: false };
                Ok(self.add(kind, start))
            }
            Token::Dot => {
                self.advance()?;
                let name = self.attribute_name()?;
                Ok(self.add(Kind::Attribute { scope: None, name, absolute: true }, start))
            }
            Token::OpenParenthesis => {
                self.advance()?;
                let inside = self.conditional()?;
                self.expect(&Token::CloseParenthesis, "')'")?;
                Ok(self.add(Kind::Parentheses(inside), start))
            }
            Token::OpenBrace => {
                self.advance()?;
                let elements = self.sequence(&Token::CloseBrace, "'}'", false)?;
                Ok(self.add(Kind::List(elements), start))
            }
            Token::OpenBox => {
                let ad = self.ad()?;
                Ok(self.add(Kind::ClassAd(Arc::new(ad)), start))
            }
            _ => Err(self.unexpected("an operand")),
        }
    }

    /// Expressions with commas between them, up to the closing token.
    fn sequence(
        &mut self,
        close: &Token<'static>,
        wanted: &str,
        semicolons: bool,
    ) -> Result<Box<[NodeId]>, ParseError> {
        let mut items = Vec::new();
        if self.token == *close {
            self.advance()?;
            return Ok(items.into());
        }
        loop {
            items.push(self.conditional()?);
            if self.token == *close {
                self.advance()?;
                return Ok(items.into());
            }
            if self.token != Token::Comma && !(semicolons && self.token == Token::Semicolon) {
                return Err(self.unexpected(&format!("',' or {wanted}")));
            }
            self.advance()?;
        }
    }

    fn call(&mut self, name: &str, start: usize) -> Result<NodeId, ParseError> {
        self.advance()?;
        let arguments = self.sequence(&Token::CloseParenthesis, "')'", true)?;
        if let [only] = *arguments
            && let Kind::Literal(Value::String(text)) = crate::expr::tree::kind(&self.nodes, only)
        {
            // HTCondor turns these two calls on a constant string into constants when it reads
            // them.
            let time = if name.eq_ignore_ascii_case("absTime") {
                // Without a zone in it the time waits for the zone of the evaluation.
                times::parse_absolute(text).map(|time| time.value())
            } else if name.eq_ignore_ascii_case("relTime") {
                times::parse_relative(text).map(Some)
            } else {
                Some(None)
            };
            let Some(time) = time else {
                let message = format!("{name}(\"{}\") is not a time", text.escape_debug());
                return Err(ParseError::new(self.text, start, message));
            };
            if let Some(value) = time {
                self.nodes.pop();
                return Ok(self.add(Kind::Literal(value), start));
            }
        }
        let function = functions::find(name);
        let call = Call { name: name.into(), function, arguments };
        Ok(self.add(Kind::Call(Box::new(call)), start))
    }

    /// An ad in brackets; its attributes become expressions of their own.
    fn ad(&mut self) -> Result<ClassAd, ParseError> {
        let outer = std::mem::take(&mut self.nodes);
        self.advance()?;
        let mut ad = ClassAd::new();
        loop {
            let before = self.token == Token::Semicolon;
            while self.token == Token::Semicolon {
                self.advance()?;
            }
            // HTCondor wants an attribute behind semicolons, unless one is before them.
            if self.token == Token::CloseBox && !(before && ad.is_empty()) {
                break;
            }
            let Token::Identifier(name) = &self.token else {
                return Err(self.unexpected("an attribute name or ']'"));
            };
            let name = name.clone();
            if name.is_empty() {
                return Err(self.unexpected("an attribute name"));
            }
            self.advance()?;
            self.expect(&Token::Assign, "'='")?;
            let root = self.conditional()?;
            let expr = self.finish(root);
            ad.insert(&name, expr);
            if self.token != Token::Semicolon && self.token != Token::CloseBox {
                return Err(self.unexpected("';' or ']'"));
            }
        }
        self.advance()?;
        self.nodes = outer;
        Ok(ad)
    }
}
