//! clap reads what [`normalise`] wrote, and complains in the words of HTCondor's tools.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::normalise::{ArgumentError, normalise, qualifiers_id};
use super::option::{OptionSpec, Takes, Tool};
use crate::inquiry::CostChange;
use crate::print::Style;

/// The id of the words that are no options.
pub(crate) const OPERANDS: &str = "operands";

/// A value that its option does not take; the text goes on behind "is".
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ValueError(pub(crate) String);

/// Gives an argument the parser of its value, where that is not common to all tools; the word
/// stands for the value in the synopsis.
pub(crate) type Value = fn(Arg, &str) -> Arg;

/// Reads the words after the program's name.
pub(crate) fn read(
    tool: &Tool,
    words: &[OsString],
    value: Value,
) -> Result<ArgMatches, ArgumentError> {
    let normal = normalise(tool, words)?;
    command(tool, value).try_get_matches_from(normal).map_err(|error| invalid(&error))
}

/// How lines are fitted, by `-wide` and the terminal.
pub(crate) fn style(matches: &ArgMatches) -> Style {
    if matches.get_flag("wide") {
        return Style::default();
    }
    let given = matches.get_many::<String>("wide-qualifiers").into_iter().flatten().last();
    match given.and_then(|columns| columns.parse().ok()) {
        Some(columns) => Style { columns: Some(columns), table: Some(columns), ..Style::default() },
        None => Style::of_terminal(),
    }
}

/// clap's view of the option table.
fn command(tool: &Tool, value: Value) -> Command {
    let mut command = Command::new(tool.name)
        .no_binary_name(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args_override_self(true)
        .arg(Arg::new(OPERANDS).num_args(0..).action(ArgAction::Append));
    for option in tool.options.iter().filter(|option| option.alias_of.is_none()) {
        command = command.arg(argument(tool, option, value));
        if option.qualifiers.is_some() {
            let id = qualifiers_id(option);
            command = command.arg(Arg::new(id.clone()).long(id).action(ArgAction::Append));
        }
        if let Takes::Two(_, second) = option.takes {
            let id = format!("{}-{second}", option.name);
            command = command.arg(Arg::new(id.clone()).long(id).action(ArgAction::Append));
        }
    }
    command
}

fn argument(tool: &Tool, option: &OptionSpec, value: Value) -> Arg {
    let argument = Arg::new(option.name).long(option.name);
    let argument = match option.takes {
        Takes::Nothing => argument.action(ArgAction::SetTrue),
        _ if option.repeats => argument.action(ArgAction::Append),
        _ => argument.action(ArgAction::Set),
    };
    let argument = match option.takes {
        Takes::One("filename") => argument.value_parser(value_parser!(PathBuf)),
        Takes::One("number") => argument.value_parser(value_parser!(u64)),
        Takes::One("time") => {
            argument.value_parser(value_parser!(i64)).allow_negative_numbers(true)
        }
        Takes::One("name=hours") => argument.value_parser(|text: &str| {
            text.parse::<CostChange>().map_err(|error| ValueError(error.to_string()))
        }),
        Takes::One(what) => value(argument, what),
        _ => argument,
    };
    if tool.exclusive.contains(&option.name) {
        argument.conflicts_with_all(tool.exclusive.iter().filter(|other| **other != option.name))
    } else {
        argument
    }
}

/// clap's complaint in the words of HTCondor's tools.
fn invalid(error: &clap::Error) -> ArgumentError {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    // clap names an option `--limit <limit>`.
    let option = |kind| {
        let text = context(kind);
        format!("-{}", text.trim_start_matches('-').split([' ', '=']).next().unwrap_or_default())
    };
    let name = option(ContextKind::InvalidArg);
    let value = crate::text::strip_control(&context(ContextKind::InvalidValue)).into_owned();
    ArgumentError::Invalid(match error.kind() {
        ErrorKind::ArgumentConflict => {
            format!("{name} conflicts with {}", option(ContextKind::PriorArg))
        }
        ErrorKind::InvalidValue => {
            format!("{name}: {value:?} is not one of {}", context(ContextKind::ValidValue))
        }
        ErrorKind::ValueValidation => match std::error::Error::source(error) {
            Some(why) if why.is::<ValueError>() => format!("{name}: {value:?} is {why}"),
            _ => format!("{name}: {value:?} is not a whole number that fits"),
        },
        ErrorKind::InvalidUtf8 => "an argument is not UTF-8 text".to_owned(),
        _ => {
            let text = error.to_string();
            text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_accepts_the_table() {
        command(&crate::cli::options::TOOL, |argument, _| argument).debug_assert();
    }
}
