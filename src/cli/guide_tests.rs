//! Every command in README and guides is one that the program takes.

use super::Cli;
use crate::guide::GUIDES;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::collections::BTreeSet;

/// README and guides, by name.
fn texts() -> Vec<(&'static str, String)> {
    let readme = ("README", include_str!("../../README.md").to_owned());
    GUIDES.iter().map(|guide| (guide.name, guide.text())).chain([readme]).collect()
}

/// The parts of a pipe of shell commands as their arguments, without redirections.
fn shell_commands(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut arg, mut quote, mut redirected) = (vec![Vec::new()], None::<String>, None, false);
    for letter in line.chars().chain([' ']) {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                arg.get_or_insert_default();
            }
            (None, '#') if arg.is_none() => break,
            (None, '|') => {
                commands.push(Vec::new());
                redirected = false;
            }
            (None, '>' | '<') => redirected = true,
            (None, ' ') => {
                if let Some(arg) = arg.take()
                    && let Some(command) = commands.last_mut().filter(|_| !redirected)
                {
                    command.push(arg);
                }
            }
            (_, letter) => arg.get_or_insert_default().push(letter),
        }
    }
    commands
}

/// Lines of blocks of shell commands, those that are shown only too.
fn shell_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut is_shell = false;
    for line in text.lines().map(str::trim) {
        match line.strip_prefix("```") {
            Some(info) => is_shell = info.starts_with("sh"),
            None if is_shell => lines.push(line),
            None => {}
        }
    }
    lines
}

/// What is written as code within sentences and tables.
fn inline_code(text: &str) -> Vec<String> {
    let mut prose = String::new();
    let mut is_block = false;
    for line in text.lines() {
        if line.trim().starts_with("```") {
            is_block = !is_block;
        } else if !is_block {
            prose += line;
            prose.push(' ');
        }
    }
    prose.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_command_line_of_readme_and_guides_is_taken() {
    let mut count = 0;
    for (name, text) in texts() {
        for line in shell_lines(&text) {
            for args in
                shell_commands(line).into_iter().filter(|args| args.first().is_some_and(|first| first == "fonds"))
            {
                count += 1;
                let parsed = Cli::try_parse_from(&args);
                assert!(
                    parsed.is_ok(),
                    "{name}: {line}\n{}",
                    parsed.err().map(|error| error.to_string()).unwrap_or_default()
                );
            }
        }
    }
    assert!(count > 100, "only {count} commands were found");
}

#[test]
fn every_command_and_option_within_a_sentence_exists() {
    fn options_of(command: &clap::Command, all: &mut BTreeSet<String>) {
        all.extend(command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)));
        command.get_subcommands().for_each(|sub| options_of(sub, all));
    }
    let mut options = BTreeSet::new();
    options_of(&Cli::command(), &mut options);
    // Those of cargo, too.
    options.extend(["help", "release", "features", "path"].map(str::to_owned));
    for (name, text) in texts() {
        for code in inline_code(&text) {
            for option in code.split_whitespace().filter_map(|part| part.strip_prefix("--")) {
                // With its value, or without.
                let option = option.split('=').next().unwrap_or_default();
                assert!(options.contains(option), "{name}: no command has --{option}");
            }
            let args = shell_commands(&code).remove(0);
            if args.first().is_none_or(|first| first != "fonds") || args.len() == 1 {
                continue;
            }
            let is_folder = args[1].contains('/');
            let kind = Cli::try_parse_from(&args).err().map(|error| error.kind());
            let is_wrong = matches!(kind, Some(ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand));
            assert!(!is_wrong && (is_folder || super::is_command(args[1].as_ref())), "{name}: {code}: {kind:?}");
        }
    }
}

#[test]
fn an_option_that_does_not_exist_is_found() {
    let args = shell_commands("echo 'a b' | fonds surt --form 'cdx' --nosuch > out.txt # why").remove(1);
    assert_eq!(args, ["fonds", "surt", "--form", "cdx", "--nosuch"]);
    assert!(Cli::try_parse_from(&args).is_err());
    assert_eq!(inline_code("a `fonds x` b\n```sh\n`no`\n```\n`c\nd`"), ["fonds x", "c d"]);
}
