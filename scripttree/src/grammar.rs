//! What the nodes of each parser are.

use crate::{Kind, Language};

/// The grammar of a language.
pub(crate) fn of(language: Language) -> tree_sitter::Language {
    match language {
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Shell => tree_sitter_bash::LANGUAGE.into(),
        Language::R => tree_sitter_r::LANGUAGE.into(),
    }
}

/// What a node of a parser is, by the name that its grammar gives it. `None`: it is passed over, and
/// what it contains is not.
pub(crate) fn kind(language: Language, name: &str) -> Option<Kind> {
    match language {
        Language::Python => python(name),
        Language::Shell => shell(name),
        Language::R => r(name),
    }
}

fn python(name: &str) -> Option<Kind> {
    Some(match name {
        "for_statement"
        | "while_statement"
        | "list_comprehension"
        | "set_comprehension"
        | "dictionary_comprehension"
        | "generator_expression" => Kind::Loop,
        "if_statement" | "elif_clause" | "conditional_expression" | "match_statement" => {
            Kind::Branch
        }
        "function_definition" | "lambda" => Kind::Function,
        "class_definition" => Kind::Class,
        "call" => Kind::Call,
        "import_statement" | "import_from_statement" => Kind::Import,
        "assignment" | "augmented_assignment" | "named_expression" => Kind::Assign,
        "binary_operator" | "unary_operator" => Kind::Arithmetic,
        "comparison_operator" | "boolean_operator" | "not_operator" => Kind::Compare,
        "subscript" => Kind::Index,
        "list" | "tuple" | "dictionary" | "set" => Kind::Container,
        "string" => Kind::Text,
        "integer" | "float" | "identifier" => Kind::Number,
        "with_statement" | "try_statement" => Kind::Guard,
        _ => return None,
    })
}

fn shell(name: &str) -> Option<Kind> {
    Some(match name {
        "for_statement" | "c_style_for_statement" | "while_statement" => Kind::Loop,
        "if_statement" | "elif_clause" | "case_statement" | "ternary_expression" => Kind::Branch,
        "function_definition" => Kind::Function,
        "command" => Kind::Call,
        "variable_assignment" => Kind::Assign,
        "binary_expression" | "unary_expression" | "postfix_expression" | "brace_expression" => {
            Kind::Arithmetic
        }
        "test_command" => Kind::Compare,
        "subscript" => Kind::Index,
        "array" => Kind::Container,
        "string" | "raw_string" | "ansi_c_string" | "heredoc_body" => Kind::Text,
        "number" | "word" | "simple_expansion" | "variable_name" => Kind::Number,
        "pipeline" => Kind::Pipe,
        "file_redirect" => Kind::Redirect,
        "&" => Kind::Background,
        "subshell" | "command_substitution" | "process_substitution" => Kind::Subshell,
        _ => return None,
    })
}

fn r(name: &str) -> Option<Kind> {
    Some(match name {
        "for_statement" | "while_statement" | "repeat_statement" => Kind::Loop,
        "if_statement" => Kind::Branch,
        "function_definition" => Kind::Function,
        "call" => Kind::Call,
        "binary_operator" | "unary_operator" => Kind::Arithmetic,
        "subset" | "subset2" => Kind::Index,
        "string" => Kind::Text,
        "integer" | "float" | "identifier" => Kind::Number,
        _ => return None,
    })
}

/// The operator of R is no arithmetic.
pub(crate) fn r_operator(operator: &str) -> Kind {
    match operator {
        "<-" | "<<-" | "=" | "->" | "->>" | ":=" => Kind::Assign,
        "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||" | "&" | "|" | "!" | "%in%" => {
            Kind::Compare
        }
        "|>" | "%>%" => Kind::Pipe,
        _ => Kind::Arithmetic,
    }
}

/// What a node is to its parent, where that matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Field {
    /// The name of a definition, an attribute or an import.
    Name,
    /// What is called.
    Function,
    Arguments,
    Operator,
    /// What is assigned to: also the variable of a loop.
    Left,
    /// What stands before an operator.
    Lhs,
    /// The part of a loop that is evaluated once.
    Head,
    Condition,
    #[default]
    Other,
}

impl Field {
    /// By the name that a grammar gives it.
    pub(crate) fn of(name: Option<&str>) -> Self {
        match name.unwrap_or_default() {
            "name" | "attribute" | "object" | "alias" => Self::Name,
            "function" => Self::Function,
            "arguments" => Self::Arguments,
            "operator" => Self::Operator,
            "left" | "variable" => Self::Left,
            "lhs" => Self::Lhs,
            "right" | "value" | "sequence" | "initializer" => Self::Head,
            "condition" => Self::Condition,
            _ => Self::Other,
        }
    }

    /// Of a loop: it is evaluated once.
    pub(crate) fn is_head(self) -> bool {
        matches!(self, Self::Head | Self::Left)
    }
}
