//! Operators and how tight they bind.

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `+x`
    Plus,
    /// `-x`
    Minus,
    /// `!x`
    Not,
    /// `~x`
    Complement,
}

impl UnaryOperator {
    /// The operator as it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOperator::Plus => "+",
            UnaryOperator::Minus => "-",
            UnaryOperator::Not => "!",
            UnaryOperator::Complement => "~",
        }
    }
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `a || b`
    Or,
    /// `a && b`
    And,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a & b`
    BitAnd,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a =?= b`
    Identical,
    /// `a =!= b`
    NotIdentical,
    /// `a < b`
    Less,
    /// `a <= b`
    LessOrEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterOrEqual,
    /// `a << b`
    ShiftLeft,
    /// `a >> b`, keeps the sign
    ShiftRight,
    /// `a >>> b`, fills with zeros
    UnsignedShiftRight,
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a % b`
    Modulus,
    /// `a ?: b`: `b` if `a` is undefined
    Elvis,
    /// `a[b]`
    Subscript,
}

impl BinaryOperator {
    /// The operator as `-long` output has it; `[]` for a subscript.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        self.symbol_and_precedence().0
    }

    /// How tight the operator binds its operands, loosest first; operators of one level group from
    /// the left.
    #[must_use]
    pub fn precedence(self) -> u8 {
        self.symbol_and_precedence().1
    }

    fn symbol_and_precedence(self) -> (&'static str, u8) {
        match self {
            BinaryOperator::Or => ("||", 1),
            BinaryOperator::And => ("&&", 2),
            BinaryOperator::BitOr => ("|", 3),
            BinaryOperator::BitXor => ("^", 4),
            BinaryOperator::BitAnd => ("&", 5),
            BinaryOperator::Equal => ("==", 6),
            BinaryOperator::NotEqual => ("!=", 6),
            BinaryOperator::Identical => ("=?=", 6),
            BinaryOperator::NotIdentical => ("=!=", 6),
            BinaryOperator::Less => ("<", 7),
            BinaryOperator::LessOrEqual => ("<=", 7),
            BinaryOperator::Greater => (">", 7),
            BinaryOperator::GreaterOrEqual => (">=", 7),
            BinaryOperator::ShiftLeft => ("<<", 8),
            BinaryOperator::ShiftRight => (">>", 8),
            BinaryOperator::UnsignedShiftRight => (">>>", 8),
            BinaryOperator::Add => ("+", 9),
            BinaryOperator::Subtract => ("-", 9),
            BinaryOperator::Multiply => ("*", 10),
            BinaryOperator::Divide => ("/", 10),
            BinaryOperator::Modulus => ("%", 10),
            BinaryOperator::Elvis => ("?:", 12),
            BinaryOperator::Subscript => ("[]", 12),
        }
    }

    /// `==`, `!=`, `<`, `<=`, `>`, `>=`: undefined operands give undefined.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
        )
    }

    /// `=?=` and `=!=`: never undefined.
    #[must_use]
    pub fn is_identity(self) -> bool {
        matches!(self, BinaryOperator::Identical | BinaryOperator::NotIdentical)
    }
}
