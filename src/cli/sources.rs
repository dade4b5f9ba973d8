//! `fonds sources`.

use super::campaign::{read_only_session, session};
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::campaign::{CampaignSource, SourceKind};
use crate::jobs::counted;
use crate::keys::{Keychain, SystemKeychain};
use crate::uri::parse_web_url;
use crate::work::{self, Report, SourceChoice, SourceRow};
use anyhow::Context;
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// Sources of a campaign.
#[derive(Debug, clap::Subcommand)]
pub enum SourcesCommand {
    /// List the sources of a campaign: what was read of each, and when it is due.
    #[command(after_help = "Examples:\n  fonds sources list my-archive 1\n  \
        fonds sources list my-archive 1 --json | jq '.name, .next_run'\n\n\
        Folder and campaign may come first, too: fonds sources my-archive 1 list\n\n\
        Columns: on or off, kind, name, next run (UTC), pages named, those that wait for a launch, address, and behind it\n\
        what the last run came to. Below each: what it is searched for.")]
    List {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
        /// One object a source.
        #[arg(long)]
        json: bool,
    },
    /// Add a source, as a new version of the campaign.
    #[command(after_help = "Examples:\n  fonds sources add my-archive 1 https://news.example.org/feed.xml\n  \
        fonds sources add my-archive 1 https://wiki.example.org/ --name wiki --query 'river flood'\n  \
        fonds sources add my-archive 1 'https://search.example.org/?q={query}' --kind search\n\n\
        Without --kind the page is fetched once and recognised, by what it says of itself. Queries are made from the\n\
        request of the campaign; --query gives others, --all takes all that is new. A source of the same name is replaced.\n\
        In the campaign's file it is an entry of \"sources\": name, kind (mediawiki, mastodon, wordpress, discourse, feed,\n\
        sitemap, search), address, queries, every_hours, enabled, token, ignore_robots.")]
    Add(AddArgs),
    /// Read one page of a source and show what would go into the queue; nothing is kept.
    #[command(after_help = "Example:\n  fonds sources test my-archive 1 wiki")]
    Test {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
        /// Name of the source.
        name: String,
        /// The result as one object.
        #[arg(long)]
        json: bool,
    },
    /// Read sources now; what they name waits for the next launch.
    #[command(after_help = "Examples:\n  fonds sources run my-archive 1           all that are switched on\n  \
        fonds sources run my-archive 1 wiki\n  fonds sources run my-archive 1 --due     as a launch does before it begins\n\n\
        Requests wait and obey robots.txt as those of a crawl; answers go into WARC files and are captures of the campaign.\n\
        The pages that they name are seeds of the next launch, with what they link to, and carry the tag source:NAME.\n\
        How far a source was read is kept when all its pages are: a run that was killed loses nothing, and the next one\n\
        fetches what is new. Exit status 1 says that a source was not read to its end.")]
    Run {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
        /// Name of a source; without it all that are switched on.
        #[arg(conflicts_with = "due")]
        name: Option<String>,
        /// Only those that are due.
        #[arg(long)]
        due: bool,
        /// The result as one object.
        #[arg(long)]
        json: bool,
    },
    /// Keep a token for a source in the system's keychain, read from standard input.
    #[command(after_help = "Examples:\n  fonds sources token my-archive 1 mastodon < token.txt\n  \
        fonds sources token my-archive 1 mastodon --forget\n\n\
        It is sent as Authorization: Bearer to the origin of the source alone, and written to no catalogue, WARC file or\n\
        log: recorded requests lack that field.")]
    Token {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
        /// Name of the source.
        name: String,
        /// Take it out of the keychain.
        #[arg(long)]
        forget: bool,
    },
}

/// Arguments of `fonds sources add`.
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// Address of the site or of its interface.
    address: String,
    /// mediawiki, mastodon, wordpress, discourse, feed, sitemap or search.
    #[arg(long)]
    kind: Option<SourceKind>,
    /// Its name; without it, its host.
    #[arg(long)]
    name: Option<String>,
    /// What is searched for, instead of the request of the campaign.
    #[arg(long = "query", value_name = "TEXT")]
    queries: Vec<String>,
    /// Search for nothing: take all that is new.
    #[arg(long, conflicts_with = "queries")]
    all: bool,
    /// Hours between two runs.
    #[arg(long, value_name = "HOURS", default_value_t = 6)]
    every: u32,
    /// Switched off: launches do not read it.
    #[arg(long)]
    off: bool,
    /// Read its interface though robots.txt closes it, since its owner offers it to programs.
    #[arg(long)]
    ignore_robots: bool,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

/// Arguments of a command line, where `sources DIR CAMPAIGN list` becomes `sources list DIR CAMPAIGN`.
pub(super) fn with_command_first(mut args: Vec<OsString>) -> Vec<OsString> {
    const COMMANDS: [&str; 5] = ["list", "add", "test", "run", "token"];
    let is_command = |arg: Option<&OsString>| COMMANDS.iter().any(|name| arg.is_some_and(|arg| arg == name));
    if args.get(1).is_some_and(|arg| arg == "sources") && !is_command(args.get(2)) && is_command(args.get(4)) {
        args[2..=4].rotate_right(1);
    }
    args
}

pub(super) fn run(command: SourcesCommand, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        SourcesCommand::List { folder, campaign, json } => {
            let session = read_only_session(&folder)?;
            let id = session.catalogue().find_campaign(&campaign)?;
            let rows = work::sources(&session, id)?;
            for row in &rows {
                if json { json_line(out, row)? } else { list_line(row, out)? }
            }
            if rows.is_empty() {
                notice!("The campaign has no sources. Add one: fonds sources add {} {id} ADDRESS", folder.display());
            }
            Ok(FINE)
        }
        SourcesCommand::Add(args) => add(&args, out),
        SourcesCommand::Test { folder, campaign, name, json } => {
            let session = read_only_session(&folder)?;
            work::sample::serve_sample(&session)?;
            let id = session.catalogue().find_campaign(&campaign)?;
            let (_, of) = session.catalogue().campaign(id)?;
            let source = work::named_source(&of, &name)?;
            let test = with_progress(|cx| work::test_source(&session, Some(id), &of, &source, &SystemKeychain, cx))?;
            if json {
                json_line(out, &test)?;
            } else {
                for (text, url) in &test.requests {
                    let text = if text.is_empty() { "all that is new" } else { text };
                    notice!("Searches for: {}\n  {}", plain(text), plain(url));
                }
                for (url, title) in &test.pages {
                    writeln!(out, "{}\t{}", plain(url), plain(title))?;
                }
                test.notes.iter().for_each(|note| notice!("note: {}", plain(note)));
                notice!("{}", plain(&test.summary()));
            }
            Ok(if test.failure.is_some() { PROBLEMS } else { FINE })
        }
        SourcesCommand::Run { folder, campaign, name, due, json } => {
            let session = session(&folder)?;
            work::sample::serve_sample(&session)?;
            let id = session.catalogue().find_campaign(&campaign)?;
            let choice = match name {
                Some(name) => SourceChoice::Named(name),
                None if due => SourceChoice::Due,
                None => SourceChoice::All,
            };
            let outcome = with_progress(|cx| session.run_sources(id, &choice, &SystemKeychain, cx))?;
            match json {
                true => json_line(out, &outcome)?,
                false => outcome.sources.iter().try_for_each(|source| writeln!(out, "{}", plain(&source.summary())))?,
            }
            if outcome.sources.is_empty() {
                notice!("No source of the campaign is switched on{}", if due { " and due" } else { "" });
            }
            Ok(if outcome.is_whole() { FINE } else { PROBLEMS })
        }
        SourcesCommand::Token { folder, campaign, name, forget } => {
            let session = read_only_session(&folder)?;
            let id = session.catalogue().find_campaign(&campaign)?;
            let source = work::named_source(&session.catalogue().campaign(id)?.1, &name)?;
            let key = work::token_name(&source);
            if forget {
                let was_there = SystemKeychain.forget(&key)?;
                writeln!(out, "{}", if was_there { "The token is forgotten" } else { "There was no token" })?;
                return Ok(FINE);
            }
            let mut token = String::new();
            input.read_line(&mut token)?;
            anyhow::ensure!(!token.trim().is_empty(), "standard input has no token");
            SystemKeychain.keep(&key, token.trim())?;
            writeln!(out, "The token of “{}” is in the system's keychain", plain(&source.name))?;
            if !source.token {
                notice!("note: it is sent once the source has \"token\": true in the campaign's file");
            }
            Ok(FINE)
        }
    }
}

fn list_line(row: &SourceRow, out: &mut dyn Write) -> anyhow::Result<()> {
    let source = &row.source;
    let state = if row.state.is_gone {
        "gone"
    } else if source.enabled {
        "on"
    } else {
        "off"
    };
    let next = row.next_run.as_deref().unwrap_or("-");
    writeln!(
        out,
        "{state}\t{}\t{}\t{next}\t{}\t{}\t{}\t{}",
        source.kind.name(),
        plain(&source.name),
        row.state.pages,
        row.state.waiting,
        plain(&source.address),
        plain(&row.state.outcome)
    )?;
    for text in row.searches.iter().filter(|text| !text.is_empty()) {
        writeln!(out, "\t{}", plain(text))?;
    }
    Ok(())
}

fn add(args: &AddArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = session(&args.folder)?;
    work::sample::serve_sample(&session)?;
    let id = session.catalogue().find_campaign(&args.campaign)?;
    let (kind, address) = match args.kind {
        Some(kind) => (kind, args.address.clone()),
        None => {
            let url = parse_web_url(args.address.trim()).with_context(|| {
                format!("“{}” is no web address; of a search engine, name --kind search", args.address)
            })?;
            let (_, of) = session.catalogue().campaign(id)?;
            let found = with_progress(|cx| work::recognise_source(&session, Some(id), &of, &url, cx))?;
            for (kind, address, evidence) in &found {
                notice!("{}: {} ({})", kind.label(), plain(address.as_str()), plain(evidence));
            }
            let first = found.into_iter().next();
            let (kind, address, _) = first.context("nothing here is known as a source; name its --kind")?;
            (kind, address.to_string())
        }
    };
    let mut source = CampaignSource::new("", kind, address);
    let host = source.url().and_then(|url| url.host_str().map(str::to_owned));
    source.name = args.name.clone().or(host).unwrap_or_default();
    source.queries = if args.all { Some(Vec::new()) } else { Some(args.queries.clone()).filter(|own| !own.is_empty()) };
    (source.every_hours, source.enabled, source.ignore_robots) = (args.every, !args.off, args.ignore_robots);
    let name = source.name.clone();
    let version = work::add_source(&session, id, source)?;
    let row = work::sources(&session, id)?.into_iter().find(|row| row.source.name == name);
    match row {
        Some(row) if args.json => json_line(out, &row)?,
        Some(row) => list_line(&row, out)?,
        None => {}
    }
    notice!(
        "Campaign {id} has {} now. Try the source: fonds sources test {} {id} '{name}'",
        counted(version.into(), "version"),
        args.folder.display()
    );
    Ok(FINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_and_campaign_of_sources_may_come_before_the_command() {
        let check = |from: &[&str], expected: &[&str]| {
            let args = from.iter().map(OsString::from).collect();
            assert_eq!(with_command_first(args), expected.iter().map(OsString::from).collect::<Vec<_>>());
        };
        let expected = ["fonds", "sources", "test", "w", "1", "news"];
        check(&["fonds", "sources", "w", "1", "test", "news"], &expected);
        check(&expected, &expected);
        check(&["fonds", "sources", "run", "list", "run"], &["fonds", "sources", "run", "list", "run"]);
        check(&["fonds", "crawl", "w", "1", "list"], &["fonds", "crawl", "w", "1", "list"]);
    }
}
