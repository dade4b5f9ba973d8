//! The headless commands: arguments in, calls, lines out.
//!
//! In: the arguments of the command line. Out: results on stdout (with `--json`
//! one object a line), progress and notices on stderr, and an exit status: 0
//! fine, 1 problems found, 2 wrong use, 130 stopped on request.
//!
//! Invariant: everything here calls what the window calls.

/// A line on standard error, the first thing in the brackets its kind: of one
/// kind there may be as many as there are bytes in a file, so that only some are
/// written and the others counted.
macro_rules! warn_of {
    ($kind:expr, $($args:tt)*) => {
        $crate::cli::output::warn($kind, &format!($($args)*))
    };
}

/// A line on standard error. Where nobody can take it (a full disk, a closed
/// pipe), the work goes on: it is worth more than its messages.
macro_rules! notice {
    ($($args:tt)*) => {
        $crate::cli::output::print_notice(&format!($($args)*))
    };
}

mod backup;
mod campaign;
mod campaign_versions;
mod cdx;
mod crawl;
mod demo;
mod documents;
mod export;
mod feed;
mod files;
mod geo;
mod guide;
#[cfg(test)]
mod guide_tests;
mod import;
mod inlinks;
mod jobs;
mod key;
mod output;
mod overview;
mod replay;
mod review;
mod scope;
mod search;
mod select;
mod sites;
mod sources;
mod surt;
mod wacz;
mod warc;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit status without a problem.
pub const FINE: u8 = 0;
/// Exit status where problems were found and reported.
pub const PROBLEMS: u8 = 1;
/// Exit status of arguments that make no sense, or of a file that cannot be used.
pub const WRONG_USE: u8 = 2;
/// Exit status of a stop on request, as shells report SIGINT: nobody takes the output for whole.
pub const STOPPED: u8 = 130;

/// Fonds, the archivist's cockpit: campaigns, polite crawls with explained
/// scope, inlinks, review and export of web archives.
#[derive(Debug, Parser)]
#[command(
    name = "fonds",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Without a command, fonds opens its window; with a folder, the window on that workspace.\n\n\
        Begin without a screen:\n  \
        fonds demo --out /tmp/fonds-demo      the whole way on a small web served from this machine\n\n\
        Begin with your own:\n  \
        fonds new my-archive\n  \
        fonds campaign add my-archive campaign.json\n  \
        fonds crawl my-archive 1\n  \
        fonds inlinks build my-archive\n  \
        fonds select run my-archive 1 --threshold 0.4\n  \
        fonds export my-archive --out /tmp/export\n  \
        fonds verify /tmp/export\n\n\
        Guides, on crawling, review, search and more: fonds guide\n\n\
        Exit status: 0 fine, 1 problems found, 2 wrong use, 130 stopped before the end."
)]
pub struct Cli {
    /// Workspace to open in the window.
    pub folder: Option<PathBuf>,
    /// What to do without a window.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Do the main job on the sample web, from crawl to verified export.
    Demo(demo::DemoArgs),
    /// Print the guides to Fonds.
    Guide(guide::GuideArgs),
    /// Make an empty workspace.
    New(campaign::NewArgs),
    /// Add, list, show or export campaigns.
    #[command(subcommand)]
    Campaign(campaign::CampaignCommand),
    /// Show a campaign at a glance: figures, launches, gaps, and terms of the request by host, month or language.
    Overview(overview::OverviewArgs),
    /// Crawl a campaign now; Ctrl-C stops cleanly, a second call resumes.
    Crawl(crawl::CrawlArgs),
    /// Say when campaigns run, and start them when they are due.
    #[command(subcommand)]
    Schedule(crawl::schedule::ScheduleCommand),
    /// List, add, try and read sources of a campaign: feeds, sitemaps, wikis, forums, search engines.
    #[command(subcommand)]
    Sources(sources::SourcesCommand),
    /// List hosts whose pages are of a known kind (wikis, blogs, forums, shops), and propose exclusions.
    Sites(sites::SitesArgs),
    /// Bring archive files made elsewhere in.
    Import(import::ImportArgs),
    /// List documents on watched targets, and what is new among them.
    #[command(subcommand)]
    Documents(documents::DocumentsCommand),
    /// Bring crawl feeds of an annotation tool in, check them, print them.
    #[command(subcommand)]
    Feed(feed::FeedCommand),
    /// List, check and find archive files; what imports came to.
    #[command(subcommand)]
    Files(files::FilesCommand),
    /// Build, look at and export inlinks.
    #[command(subcommand)]
    Inlinks(inlinks::InlinksCommand),
    /// Show what became of a URL, and why.
    Why(review::why::WhyArgs),
    /// List the crawls: what ran, for which campaign, and how it ended.
    Launches(crawl::launches::LaunchesArgs),
    /// List the pages of a trial crawl to mark as relevant or not, and mark them.
    Marks(crawl::trials::MarksArgs),
    /// List what the marks of a trial suggest for its campaign, and accept it.
    Suggest(crawl::trials::SuggestArgs),
    /// Fetch what captures lack to be shown, as a small launch of its own.
    Patch(crawl::patch::PatchArgs),
    /// Show what a crawl fetches next, and why.
    Queue(crawl::queue::QueueArgs),
    /// Show what a crawl reported: waits, hosts given up, network, disk.
    Events(crawl::events::EventsArgs),
    /// Say why URLs would be taken or refused.
    #[command(subcommand)]
    Scope(scope::ScopeCommand),
    /// Make the texts of a workspace searchable.
    Index(search::index::TextIndexArgs),
    /// Find persons, places, organisations and terms in the texts of a workspace.
    Analyse(search::analyse::AnalyseArgs),
    /// Load authority files, list entities, show where they are named, put names together.
    #[command(subcommand)]
    Entities(search::entities::EntitiesCommand),
    /// Find captures by their words.
    Search(search::SearchArgs),
    /// List captures that links and texts bring together with one.
    Related(search::related::RelatedArgs),
    /// Say whether captures are right or wrong as results of a search.
    Judge(search::judge::JudgeArgs),
    /// Measure search results by the assessments of people.
    Evaluate(search::judge::EvaluateArgs),
    /// List captures.
    Captures(review::captures::CapturesArgs),
    /// Check captured pages, hosts and launches.
    Check(review::check::PageCheckArgs),
    /// Compare a crawl with the one before: pages that are new, gone, changed, or failing.
    Changes(review::changes::LaunchChangesArgs),
    /// Show what two captures differ in: words and links.
    Diff(review::diff::CaptureDiffArgs),
    /// List the captures that wait for a decision.
    Review(review::ReviewArgs),
    /// Approve, reject or flag captures, or note something about them.
    Mark(review::mark::MarkArgs),
    /// Decisions and notes as W3C Web Annotations, out and in.
    #[command(subcommand)]
    Annotations(review::annotations::AnnotationsCommand),
    /// Put captures together across campaigns, by hand or by a filter that is asked after each crawl.
    #[command(subcommand)]
    Collections(review::collections::CollectionsCommand),
    /// Look at selections, and make one.
    #[command(subcommand)]
    Select(select::SelectCommand),
    /// Show captures in a browser as they were.
    Replay(replay::ReplayArgs),
    /// Write the selection out.
    Export(export::ExportArgs),
    /// Read an export back and check all of it.
    Verify(export::VerifyArgs),
    /// Keys that sign exports, and the keys of others that you vouch for.
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// List what was done in a workspace, and how it ended.
    Jobs(jobs::JobsArgs),
    /// Copy the catalogue and the campaigns of a workspace.
    Backup(backup::BackupArgs),
    /// Look into archive files: list, print, check, index.
    #[command(subcommand)]
    Warc(warc::WarcCommand),
    /// Look into index files: list, convert, check.
    #[command(subcommand)]
    Cdx(cdx::CdxCommand),
    /// Look into WACZ packages and make them: list, check, create, extract.
    #[command(subcommand)]
    Wacz(wacz::WaczCommand),
    /// Print the main text of pages, without menus, advertising and comments.
    Text(search::text::TextArgs),
    /// Tell the language of each line on standard input.
    Language(search::text::LanguageArgs),
    /// Turn URLs on standard input into keys.
    Surt(surt::SurtArgs),
    /// Say what a robots.txt allows of the URLs on standard input.
    Robots(crawl::robots::RobotsArgs),
    /// Say which country the addresses on standard input are in.
    Geo(geo::GeoArgs),
}

impl Cli {
    /// Reads the arguments of the command line; ends the program with help or
    /// with what is wrong, where there is nothing to do.
    pub fn of_command_line() -> Self {
        let parsed = with_flowing_help(Self::command());
        let args = sources::with_command_first(std::env::args_os().collect());
        let parsed = parsed.try_get_matches_from(args).and_then(|matches| Self::from_arg_matches(&matches));
        let first = std::env::args_os().nth(1);
        let is_unknown = |first: &std::ffi::OsString| {
            !first.to_string_lossy().starts_with('-') && !std::path::Path::new(first).exists()
        };
        match (parsed, first.filter(is_unknown)) {
            (Ok(Self { folder: None, command }), _) => Self { folder: None, command },
            (Ok(parsed), None) => parsed,
            // A slip of the keys in a command's name looks like a folder.
            (Err(error), Some(first))
                if error.kind() == clap::error::ErrorKind::ArgumentConflict && !is_command(&first) =>
            {
                neither(&first)
            }
            (Ok(_), Some(first)) => neither(&first),
            (Err(error), _) => error.exit(),
        }
    }
}

/// Lets the terminal break the lines of longer helps, whatever its width: those
/// of one paragraph become one. Lines that begin with a blank stay, and so does the end of
/// one that ends with a command: what follows would be read as a part of that.
fn with_flowing_help(command: clap::Command) -> clap::Command {
    let Some(text) = command.get_after_help().map(ToString::to_string) else {
        return command.mut_subcommands(with_flowing_help);
    };
    let mut flowing = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines() {
        let is_separate = |line: &str| line.is_empty() || line.starts_with(' ');
        if !flowing.is_empty() {
            let is_apart = ends_with_command(before) && line.starts_with(char::is_uppercase);
            flowing.push(if is_apart || is_separate(before) || is_separate(line) { '\n' } else { ' ' });
        }
        flowing.push_str(line);
        before = line;
    }
    command.after_help(flowing).mut_subcommands(with_flowing_help)
}

/// Whether a line of help ends with a command to type: `…: fonds schedule log`.
fn ends_with_command(line: &str) -> bool {
    line.rsplit_once(": fonds ")
        .is_some_and(|(_, command)| !command.contains(". ") && !command.ends_with(['.', ';', ',']))
}

fn is_command(name: &std::ffi::OsStr) -> bool {
    let commands = Cli::command();
    commands.get_subcommands().any(|command| name == command.get_name())
}

fn neither(first: &std::ffi::OsStr) -> ! {
    let first = output::plain(&first.to_string_lossy());
    notice!(
        "fonds: “{first}” is neither a command nor a folder that exists. The commands: fonds --help. A new workspace: fonds new {first}"
    );
    std::process::exit(i32::from(WRONG_USE));
}

/// Runs a command; gives its exit status.
pub fn run(command: CliCommand) -> ExitCode {
    let is_terminal = std::io::stdout().is_terminal();
    let mut stdout = std::io::stdout().lock();
    let mut harmless;
    let out: &mut dyn Write = match is_terminal {
        true => {
            harmless = output::Harmless::new(&mut stdout);
            &mut harmless
        }
        // Texts of others, which may end on a terminal after all.
        false if matches!(command, CliCommand::Text(_) | CliCommand::Language(_)) => {
            harmless = output::Harmless::piped(&mut stdout);
            &mut harmless
        }
        false => &mut stdout,
    };
    // Locked by the command that reads it: a second lock in one thread waits for ever.
    let input = || std::io::stdin().lock();
    let after_a_stop = match &command {
        CliCommand::Warc(_) | CliCommand::Cdx(_) | CliCommand::Wacz(_) => {
            "what was finished is kept; the rest was not begun or is taken back"
        }
        CliCommand::Inlinks(command) => command.after_a_stop(),
        CliCommand::Crawl(_)
        | CliCommand::Patch(_)
        | CliCommand::Schedule(_)
        | CliCommand::Sources(_)
        | CliCommand::Import(_)
        | CliCommand::Documents(_)
        | CliCommand::Index(_)
        | CliCommand::Analyse(_)
        | CliCommand::Replay(_)
        | CliCommand::Feed(_) => inlinks::GOES_ON,
        _ => "the same command begins again",
    };
    let result = match command {
        CliCommand::Demo(args) => demo::run(&args, out),
        CliCommand::Guide(args) => guide::run(&args, out),
        CliCommand::New(args) => campaign::new(&args, out),
        CliCommand::Campaign(command) => campaign::run(command, out),
        CliCommand::Crawl(args) => crawl::run(&args, out),
        CliCommand::Schedule(command) => crawl::schedule::run(command, out),
        CliCommand::Sources(command) => sources::run(command, &mut input(), out),
        CliCommand::Overview(args) => overview::run(&args, out),
        CliCommand::Sites(args) => sites::run(&args, out),
        CliCommand::Import(args) => import::run(&args, out),
        CliCommand::Documents(command) => documents::run(command, out),
        CliCommand::Feed(command) => feed::run(command, out),
        CliCommand::Files(command) => files::run(command, out),
        CliCommand::Inlinks(command) => inlinks::run(command, out),
        CliCommand::Scope(command) => scope::run(command, out),
        CliCommand::Why(args) => review::why::run(&args, out),
        CliCommand::Launches(args) => crawl::launches::run(&args, out),
        CliCommand::Marks(args) => crawl::trials::marks(&args, out),
        CliCommand::Suggest(args) => crawl::trials::suggest(&args, out),
        CliCommand::Patch(args) => crawl::patch::run(&args, out),
        CliCommand::Queue(args) => crawl::queue::run(&args, out),
        CliCommand::Events(args) => crawl::events::run(&args, out),
        CliCommand::Index(args) => search::index::run(&args, &mut input(), out),
        CliCommand::Analyse(args) => search::analyse::run(&args, &mut input(), out),
        CliCommand::Entities(command) => search::entities::run(&command, out),
        CliCommand::Search(args) => search::run(&args, out),
        CliCommand::Related(args) => search::related::run(&args, out),
        CliCommand::Judge(args) => search::judge::run(&args, out),
        CliCommand::Evaluate(args) => search::judge::evaluate(&args, out),
        CliCommand::Captures(args) => review::captures::run(&args, out),
        CliCommand::Check(args) => review::check::run(&args, out),
        CliCommand::Changes(args) => review::changes::run(&args, out),
        CliCommand::Diff(args) => review::diff::run(&args, out),
        CliCommand::Review(args) => review::run(&args, out),
        CliCommand::Mark(args) => review::mark::run(&args, out),
        CliCommand::Annotations(command) => review::annotations::run(&command, out),
        CliCommand::Collections(command) => review::collections::run(&command, out),
        CliCommand::Select(command) => select::run(&command, out),
        CliCommand::Replay(args) => replay::run(&args, &mut input(), out),
        CliCommand::Export(args) => export::run(&args, out),
        CliCommand::Verify(args) => export::verify(&args, out),
        CliCommand::Key(command) => key::run(&command, out),
        CliCommand::Jobs(args) => jobs::run(&args, out),
        CliCommand::Backup(args) => backup::run(&args, out),
        CliCommand::Warc(command) => warc::run(command, out),
        CliCommand::Cdx(command) => cdx::run(command, out),
        CliCommand::Wacz(command) => wacz::run(command, out),
        CliCommand::Text(args) => search::text::text(&args, &mut input(), out),
        CliCommand::Language(args) => search::text::language(&args, &mut input(), out),
        CliCommand::Surt(args) => surt::run(&args, &mut input(), out),
        CliCommand::Robots(args) => crawl::robots::run(&args, &mut input(), out),
        CliCommand::Geo(args) => geo::run(&args, &mut input(), out),
    };
    output::end_warnings();
    match result {
        Ok(status) => ExitCode::from(status),
        // The reader of a pipe has had enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if crate::jobs::StopError::is_cancelled(&error) => {
            notice!("fonds: stopped on request; {after_a_stop}");
            ExitCode::from(STOPPED)
        }
        Err(error) => {
            notice!("fonds: {}", output::plain(&crate::work::error_chain(&error)));
            ExitCode::from(WRONG_USE)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_terminal_breaks_the_lines_of_longer_helps() {
        let text = "Examples:\n  a b\n  a c\n\nA line\nand more.\nThen:\n  a d\nThe\nend";
        let inner = clap::Command::new("b").after_help(text);
        let command = with_flowing_help(clap::Command::new("a").after_help(text).subcommand(inner));
        for command in [&command, command.find_subcommand("b").unwrap()] {
            let help = command.get_after_help().unwrap().to_string();
            assert_eq!(help, "Examples:\n  a b\n  a c\n\nA line and more. Then:\n  a d\nThe end");
        }
    }

    #[test]
    fn what_follows_a_command_in_a_help_begins_on_its_own_line() {
        let text = "Do it: fonds a b\nThen rest. Or: fonds c\nand d.\nThe end";
        let command = with_flowing_help(clap::Command::new("a").after_help(text));
        let help = command.get_after_help().unwrap().to_string();
        assert_eq!(help, "Do it: fonds a b\nThen rest. Or: fonds c and d. The end");
        for path in [&["campaign", "export"], &["schedule", "run"], &["schedule", "answer"], &["documents", "list"]] {
            let all = with_flowing_help(Cli::command());
            let command = path.iter().fold(&all, |command, name| command.find_subcommand(name).unwrap());
            let help = command.get_after_help().unwrap().to_string();
            for wrong in
                ["--id 1 What", "schedule answer A", "schedule log Exit", "my-archive What", "my-archive Columns"]
            {
                assert!(!help.contains(wrong), "{path:?}: {help}");
            }
        }
    }

    #[test]
    fn every_command_teaches_by_example() {
        fn check(command: &clap::Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            if command.has_subcommands() {
                command.get_subcommands().for_each(|sub| check(sub, &path));
                return;
            }
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(path.trim()), "the help of “{}” shows no example", path.trim());
        }
        check(&Cli::command(), "");
    }
}
