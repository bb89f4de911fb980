//! Takes a policy expression apart: clauses, comparisons, what depends on time.

use classads::{AttributeReference, BinaryOperator, ClassAd, Expr, Node, NodeKind, UnaryOperator};

/// Expressions followed through attributes at most (`PeriodicRelease = MayRelease && ...`).
const MAX_FOLLOWED: usize = 64;

/// Parts of an expression whose attributes are followed; one with more may depend on anything.
const MAX_PARTS: usize = 10_000;

/// Parts of an expression of which each is looked at by itself; one with more is taken to come and
/// go.
const MAX_EXAMINED: usize = 1_000;

/// Comparisons of one policy looked at.
pub(super) const MAX_COMPARISONS: usize = 128;

/// The clauses of a conjunction (`a && b && c`), what must all hold, in their order. One clause for
/// anything else.
pub fn clauses(expr: &Expr) -> Vec<Expr> {
    operands(expr.root(), BinaryOperator::And).iter().map(Node::to_expr).collect()
}

/// The operands of a chain of one operator in their order, parentheses taken off.
pub(crate) fn operands(node: Node<'_>, of: BinaryOperator) -> Vec<Node<'_>> {
    let mut out = Vec::new();
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        match node.kind() {
            NodeKind::Parentheses(inside) => pending.push(inside),
            NodeKind::Binary(operator, left, right) if operator == of => {
                pending.extend([right, left]);
            }
            _ => out.push(node),
        }
    }
    out
}

/// The expression and, followed through the ad, those of the attributes it names.
pub(crate) fn followed(ad: &ClassAd, expr: &Expr) -> Vec<Expr> {
    let mut out = vec![expr.clone()];
    let mut seen: Vec<String> = Vec::new();
    let mut at = 0;
    while at < out.len() && out.len() < MAX_FOLLOWED {
        for reference in references(&out[at]) {
            let known = seen.iter().any(|name| name.eq_ignore_ascii_case(&reference.name));
            if reference.is_own() && !known && out.len() < MAX_FOLLOWED {
                if let Some(next) = ad.get(&reference.name)
                    && next.as_literal().is_none()
                {
                    out.push(next.clone());
                }
                seen.push(reference.name);
            }
        }
        at += 1;
    }
    out
}

/// The attributes that an expression names; none of one that is too long to be looked at.
pub(super) fn references(expr: &Expr) -> Vec<AttributeReference> {
    if is_too_long(expr) { Vec::new() } else { expr.attribute_references() }
}

fn is_too_long(expr: &Expr) -> bool {
    expr.nodes().nth(MAX_PARTS).is_some()
}

/// The two sides of each comparison by order or equality, wherever it stands; what is computed and
/// taken for true where it is not zero is compared with zero.
pub(super) fn comparisons(followed: &[Expr]) -> Vec<(Expr, Expr)> {
    let whole = followed.iter().map(Expr::root);
    let operands = followed.iter().flat_map(Expr::nodes).flat_map(|node| match node.kind() {
        NodeKind::Binary(BinaryOperator::And | BinaryOperator::Or, left, right) => {
            vec![left, right]
        }
        NodeKind::Unary(UnaryOperator::Not, inside) => vec![inside],
        NodeKind::Conditional(condition, ..) => vec![condition],
        NodeKind::Call { arguments, .. } => arguments.into_iter().take(1).collect(),
        _ => Vec::new(),
    });
    let number = |node: Node<'_>| match node.kind() {
        NodeKind::Binary(BinaryOperator::And | BinaryOperator::Or, ..) => None,
        NodeKind::Binary(operator, ..) if is_comparison(operator) => None,
        NodeKind::Binary(..) | NodeKind::Call { .. } | NodeKind::Conditional(..) => {
            Some((node.to_expr(), Expr::literal(0)))
        }
        _ => None,
    };
    let sides = |node: Node<'_>| match node.kind() {
        NodeKind::Binary(operator, left, right) if is_comparison(operator) => {
            Some((left.to_expr(), right.to_expr()))
        }
        _ => None,
    };
    let numbers = whole.chain(operands).map(without_parentheses).filter_map(number);
    let compared = followed.iter().flat_map(Expr::nodes).filter_map(sides);
    compared.chain(numbers).take(MAX_COMPARISONS).collect()
}

/// The node inside all parentheses around it.
pub(crate) fn without_parentheses(mut node: Node<'_>) -> Node<'_> {
    while let NodeKind::Parentheses(inside) = node.kind() {
        node = inside;
    }
    node
}

/// By order, equality or identity.
pub(super) fn is_comparison(operator: BinaryOperator) -> bool {
    operator.is_comparison() || operator.is_identity()
}

/// Whether [`followed`] has left something out.
pub(super) fn is_cut(followed: &[Expr]) -> bool {
    followed.len() >= MAX_FOLLOWED || followed.iter().any(is_too_long)
}

/// Whether the value may depend on the time of evaluation. What is not followed may: the expression
/// of a text, an attribute looked up elsewhere, what lies beyond the limit of [`followed`].
pub(crate) fn asks_time(followed: &[Expr]) -> bool {
    const FUNCTIONS: [&str; 5] = ["time", "currentTime", "dayTime", "timeZoneOffset", "formatTime"];
    let asks = |node: Node<'_>| match node.kind() {
        NodeKind::Call { name, .. } => FUNCTIONS.iter().any(|own| name.eq_ignore_ascii_case(own)),
        NodeKind::Attribute { name, .. } => {
            is_of_advisor(name) || name.eq_ignore_ascii_case("CurrentTime")
        }
        _ => false,
    };
    let mut nodes = followed.iter().flat_map(Expr::nodes);
    is_cut(followed) || nodes.any(|node| asks(node) || is_open(node))
}

/// Whether the value may depend on attributes that are not named, or on chance.
pub(super) fn is_open(node: Node<'_>) -> bool {
    const FUNCTIONS: [&str; 4] = ["eval", "evalInEachContext", "countMatches", "random"];
    const ELSEWHERE: [&str; 3] = ["root", "parent", "toplevel"];
    match node.kind() {
        NodeKind::Call { name, .. } => FUNCTIONS.iter().any(|own| name.eq_ignore_ascii_case(own)),
        NodeKind::Attribute { name, absolute, .. } => {
            absolute || ELSEWHERE.iter().any(|word| name.eq_ignore_ascii_case(word))
        }
        NodeKind::ClassAd(_) => true,
        _ => false,
    }
}

/// Whether it reads what the advisor of an access point writes every few minutes (`plugin/`).
pub(super) fn asks_advisor(followed: &[Expr]) -> bool {
    followed
        .iter()
        .flat_map(Expr::nodes)
        .any(|node| matches!(node.kind(), NodeKind::Attribute { name, .. } if is_of_advisor(name)))
}

fn is_of_advisor(name: &str) -> bool {
    const ADVICE: &str = "HoldAdvice";
    name.get(..ADVICE.len()).is_some_and(|start| start.eq_ignore_ascii_case(ADVICE))
}

/// Whether it takes anything by chance: it may be true at one evaluation and not at the next.
pub(crate) fn is_by_chance(expr: &Expr) -> bool {
    expr.nodes().any(
        |node| matches!(node.kind(), NodeKind::Call { name, .. } if name.eq_ignore_ascii_case("random")),
    )
}

/// Whether the value may come and go with time, so that it cannot be told from the signs of its
/// comparisons at two times: remainders and products of times, and functions other than plain ones.
pub(super) fn comes_and_goes(ad: &ClassAd, of: &[Expr]) -> bool {
    use BinaryOperator as Operator;
    const PLAIN: [&str; 12] = [
        "time",
        "int",
        "real",
        "floor",
        "ceiling",
        "round",
        "ifthenelse",
        "isundefined",
        "iserror",
        "min",
        "max",
        "pow",
    ];
    // Each part is asked about with all that lies in it.
    if of.iter().flat_map(Expr::nodes).nth(MAX_EXAMINED).is_some() {
        return true;
    }
    let asks = |node: Node<'_>| asks_time(&followed(ad, &node.to_expr()));
    let comes = |node: Node<'_>| match node.kind() {
        NodeKind::Binary(Operator::Multiply, left, right) => asks(left) && asks(right),
        NodeKind::Binary(Operator::Divide, _, right) => asks(right),
        NodeKind::Binary(
            Operator::Modulus
            | Operator::BitAnd
            | Operator::BitOr
            | Operator::BitXor
            | Operator::ShiftLeft
            | Operator::ShiftRight
            | Operator::UnsignedShiftRight
            | Operator::Subscript,
            ..,
        )
        | NodeKind::List(_)
        | NodeKind::ClassAd(_) => asks(node),
        NodeKind::Call { name, .. } => {
            !PLAIN.iter().any(|plain| name.eq_ignore_ascii_case(plain)) && asks(node)
        }
        _ => false,
    };
    is_cut(of) || of.iter().flat_map(Expr::nodes).any(comes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        clauses(&Expr::parse(text).unwrap()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn conjunctions_fall_into_clauses() {
        assert_eq!(
            texts(
                "(HoldReasonCode =?= 13 && (NumHolds < 4)) && (time() - EnteredCurrentStatus) > 1200"
            ),
            ["HoldReasonCode =?= 13", "NumHolds < 4", "(time() - EnteredCurrentStatus) > 1200"]
        );
        assert_eq!(texts("a || b && c").len(), 1);
        assert_eq!(texts("x == \"a && b\" && y").len(), 2);
    }

    #[test]
    fn attributes_are_followed() {
        let mut ad = ClassAd::new();
        ad.insert("MayRelease", Expr::parse("Old > 1 && Loop").unwrap());
        ad.insert("Old", Expr::parse("time() - 5").unwrap());
        ad.insert("Loop", Expr::parse("loop").unwrap());
        let all = followed(&ad, &Expr::parse("mayrelease").unwrap());
        assert_eq!(all.len(), 4);
        assert!(asks_time(&all));
        let compared = comparisons(&all).into_iter().map(|(a, b)| format!("{a} to {b}"));
        assert_eq!(Vec::from_iter(compared), ["Old to 1", "time() - 5 to 0"]);
        assert!(!asks_time(&followed(&ad, &Expr::parse("NumHolds < 3").unwrap())));
        for text in [".Old > 1", "root.Old > 1", "eval(\"time()\") > 1", "[a = time()].a > 1"] {
            assert!(asks_time(&followed(&ad, &Expr::parse(text).unwrap())), "{text}");
        }
        let goes = |text: &str| comes_and_goes(&ad, &[Expr::parse(text).unwrap()]);
        assert!(goes("time() % 60 == 0") && goes("Old * time() > 5") && goes("formatTime() == x"));
        assert!(!goes("time() / 60 > 10") && !goes("regexp(\"a\", x) && time() > 5 && y % 2 == 0"));
    }
}
