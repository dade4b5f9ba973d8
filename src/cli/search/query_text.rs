//! Queries as arguments of commands, parsed in this one place: `-host:x` is a query and no option, and what changes something is
//! not given an empty filter, which would mean everything.

use clap::builder::{StringValueParser, TypedValueParser, ValueParserFactory};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use std::ffi::OsStr;
use std::marker::PhantomData;
use std::ops::Deref;

/// A query that only looks; an empty one finds everything. Its argument has
/// `allow_hyphen_values`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryText(String);

/// A query whose captures are changed or kept, which is never empty. Its
/// argument has `allow_hyphen_values`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterText(String);

/// Reads a `QueryText` or a `FilterText`.
#[derive(Clone)]
pub struct QueryParser<T>(PhantomData<T>);

/// A query as an argument.
pub trait QueryArg: Clone + Send + Sync + 'static {
    /// The problem of a text, besides its grammar.
    fn problem(text: &str) -> Option<&'static str>;
    /// The argument.
    fn of(text: String) -> Self;
}

impl QueryArg for QueryText {
    fn problem(_: &str) -> Option<&'static str> {
        None
    }

    fn of(text: String) -> Self {
        Self(text)
    }
}

impl QueryArg for FilterText {
    fn problem(text: &str) -> Option<&'static str> {
        const EMPTY: &str =
            "it is empty, and would mean every capture; nothing was changed. Write '*' for every capture";
        text.trim().is_empty().then_some(EMPTY)
    }

    fn of(text: String) -> Self {
        Self(text)
    }
}

impl<T: QueryArg> TypedValueParser for QueryParser<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        // A mistyped option would be taken for a query otherwise.
        let is_option = text.strip_prefix("--").is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        let problem = match (is_option, arg.is_some_and(Arg::is_positional)) {
            (true, true) => Some("this command has no such option, and no query begins with two hyphens"),
            (true, false) => Some("the query is missing; none begins with two hyphens"),
            (false, _) => T::problem(&text),
        };
        match problem {
            None => Ok(T::of(text)),
            Some(why) => {
                let name = arg.map(|arg| format!(" for {arg}")).unwrap_or_default();
                let kind = if is_option { ErrorKind::UnknownArgument } else { ErrorKind::InvalidValue };
                let text = crate::cli::output::plain(&text);
                Err(Error::raw(kind, format!("“{text}”{name}: {why}\n")).with_cmd(command))
            }
        }
    }
}

impl ValueParserFactory for QueryText {
    type Parser = QueryParser<Self>;

    fn value_parser() -> Self::Parser {
        QueryParser(PhantomData)
    }
}

impl ValueParserFactory for FilterText {
    type Parser = QueryParser<Self>;

    fn value_parser() -> Self::Parser {
        QueryParser(PhantomData)
    }
}

impl Deref for QueryText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Deref for FilterText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;
    use std::any::TypeId;

    /// Arguments that hold a query, of every command.
    fn query_args() -> Vec<(Vec<String>, Arg)> {
        fn walk(command: &Command, path: &[String], found: &mut Vec<(Vec<String>, Arg)>) {
            let mut path = path.to_vec();
            path.push(command.get_name().to_owned());
            let args = command.get_arguments().filter(|arg| {
                let of = arg.get_value_parser().type_id();
                of == TypeId::of::<QueryText>() || of == TypeId::of::<FilterText>()
            });
            found.extend(args.map(|arg| (path.clone(), arg.clone())));
            command.get_subcommands().for_each(|inner| walk(inner, &path, found));
        }
        let mut found = Vec::new();
        walk(&Cli::command(), &[], &mut found);
        found
    }

    /// A call of a command with a value for one argument, and enough for the others.
    fn call(path: &[String], arg: &Arg, value: &str) -> Result<clap::ArgMatches, Error> {
        let root = Cli::command();
        let command = path[1..].iter().fold(&root, |command, name| command.find_subcommand(name).unwrap());
        let mut arguments: Vec<String> = path.to_vec();
        for other in command.get_arguments().filter(|other| other.get_id() != arg.get_id()) {
            let example = other.get_possible_values().first().map_or("1", |value| value.get_name()).to_owned();
            if other.is_positional() && other.is_required_set() {
                arguments.push(example);
            } else if other.is_required_set() {
                arguments.extend([format!("--{}", other.get_long().unwrap()), example]);
            }
            if other.is_positional() && arg.is_positional() && other.get_index() > arg.get_index() {
                panic!("{path:?}: an argument behind the query");
            }
        }
        if let Some(long) = arg.get_long() {
            arguments.push(format!("--{long}"));
        }
        arguments.push(value.to_owned());
        // Some filters need the campaign that they are evaluated for.
        let has_campaign = command.get_arguments().any(|other| other.get_long() == Some("campaign"));
        if has_campaign {
            arguments.extend(["--campaign", "1"].map(str::to_owned));
        }
        root.try_get_matches_from(arguments)
    }

    #[test]
    fn a_query_may_begin_with_a_hyphen_and_a_filter_of_what_changes_is_never_empty() {
        let args = query_args();
        let commands: Vec<String> = args.iter().map(|(path, _)| path[1..].join(" ")).collect();
        for expected in [
            "captures",
            "search",
            "mark",
            "judge",
            "evaluate",
            "collections add",
            "collections remove",
            "collections save",
            "select run",
            "select preview",
        ] {
            assert!(commands.iter().any(|command| command == expected), "{expected}: {commands:?}");
        }
        for (path, arg) in &args {
            assert!(arg.is_allow_hyphen_values_set(), "{path:?} {arg}");
            for query in ["-host:a.pt", "-c", "- host:a.pt", "-\"a b\"", "NOT selected:yes"] {
                call(path, arg, query).unwrap_or_else(|error| panic!("{path:?} {arg} {query}: {error}"));
            }
            let mistyped = call(path, arg, "--cuont").unwrap_err();
            assert!(mistyped.to_string().contains("two hyphens"), "{path:?}: {mistyped}");
            for empty in ["", " \t"] {
                let called = call(path, arg, empty);
                let changes = arg.get_value_parser().type_id() == TypeId::of::<FilterText>();
                assert_eq!(called.as_ref().err().map(Error::exit_code), changes.then_some(2), "{path:?} {arg}");
            }
        }
    }

    #[test]
    fn every_argument_that_is_called_a_query_or_filter_is_one() {
        fn walk(command: &Command) {
            for arg in command.get_arguments() {
                let is_named_so = ["filter", "query"].contains(&arg.get_id().as_str());
                let of = arg.get_value_parser().type_id();
                let is_query = of == TypeId::of::<QueryText>() || of == TypeId::of::<FilterText>();
                assert!(!is_named_so || is_query, "{} {arg}: QueryText or FilterText", command.get_name());
            }
            command.get_subcommands().for_each(walk);
        }
        walk(&Cli::command());
    }
}
