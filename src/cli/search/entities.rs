//! `fonds entities`: persons, places, organisations and events that texts name.

use crate::analysis::entities::EntityKind;
use crate::cli::FINE;
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain};
use crate::jobs::counted;
use crate::search::Period;
use crate::store::EntityRow;
use crate::work::{self, operator};
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;

/// Persons, places, organisations and events that texts name.
#[derive(Debug, clap::Subcommand)]
pub enum EntitiesCommand {
    /// Load an authority file, whose names analyses look for; or list and take out what is loaded.
    #[command(after_help = "Examples:\n  fonds entities load my-archive deputies.csv --kind person\n  \
        fonds entities load my-archive thesaurus.nt\n  \
        fonds entities load my-archive countries      the countries of the program, in five languages\n  \
        fonds entities load my-archive\n  \
        fonds entities load my-archive deputies.csv --forget\n\n\
        A table has a head line: name, and if there are such columns uri, kind and aliases (parted by ; or |); columns whose \
        name begins with name, label or alias have further names, such as name_en. Statements are N-Triples, N-Quads, Turtle or \
        TriG with labels as SKOS, RDFS, FOAF and schema.org have them. A file of the same name takes the place of what was loaded. \
        Persons, places, organisations and events of the requests of campaigns are looked for without being loaded. The next \
        fonds analyse looks for the names.")]
    Load {
        /// Workspace.
        folder: PathBuf,
        /// File, or countries; without it what is loaded is listed.
        file: Option<PathBuf>,
        /// The kind of entities for which the file has none.
        #[arg(long)]
        kind: Option<EntityKindArg>,
        /// Take out what was loaded from a file of this name.
        #[arg(long, requires = "file")]
        forget: bool,
        /// Who loads it; the system's user name without it.
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
        /// What is loaded, an object a line.
        #[arg(long, conflicts_with = "file")]
        json: bool,
    },
    /// List the entities of an analysis, those on most pages first.
    #[command(after_help = "Examples:\n  fonds entities list my-archive\n  \
        fonds entities list my-archive --kind person --limit 0 --json\n  \
        fonds entities list my-archive --csv --least 5 --without-persons > entities.csv\n\n\
        Columns: mentions, pages, hosts, first and last day, kind, name, authority file. A page is a content version: one text at \
        one address. With --csv, entities of fewer pages or mentions than --least (5) are dropped, since small numbers can point to a \
        person; how many were dropped is written on standard error. Only names in no authority file: --unlisted. Only names of authority files that no text has, each with kind and file: \
        --never-found.")]
    List {
        /// Workspace.
        folder: PathBuf,
        /// The analysis; the newest without it.
        #[arg(long, value_name = "N")]
        run: Option<i64>,
        /// Only of this kind.
        #[arg(long)]
        kind: Option<EntityKindArg>,
        /// Only those that no authority file and no request has.
        #[arg(long)]
        unlisted: bool,
        /// Only names of authority files that no text has.
        #[arg(long, conflicts_with_all = ["unlisted", "csv"])]
        never_found: bool,
        /// Entities, at most; 0 is all.
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Comma-separated values with a head line.
        #[arg(long, conflicts_with = "json")]
        csv: bool,
        /// Pages and mentions that an entity needs to be written with --csv.
        #[arg(long, default_value_t = work::LEAST_CELL, requires = "csv")]
        least: u64,
        /// Leave persons out of --csv.
        #[arg(long, requires = "csv")]
        without_persons: bool,
        /// One object a line.
        #[arg(long)]
        json: bool,
    },
    /// Show where texts name an entity, when, and beside whom.
    #[command(after_help = "Examples:\n  fonds entities show my-archive 'Amélia Vaz'\n  \
        fonds entities show my-archive https://www.wikidata.org/entity/Q45 --json\n\n\
        An entity is found by any of its names, or its URI. Related entities are those that are named in the same sentences more \
        often than by chance (PPMI, in bits).")]
    Show {
        /// Workspace.
        folder: PathBuf,
        /// A name or URI of it.
        name: String,
        /// The analysis; the newest without it.
        #[arg(long, value_name = "N")]
        run: Option<i64>,
        /// One object an entity.
        #[arg(long)]
        json: bool,
    },
    /// Put names together as those of one entity, or list what may belong together.
    #[command(after_help = "Examples:\n  fonds entities merge my-archive      what may belong together, and why\n  \
        fonds entities merge my-archive 'A. Vaz' 'Deputada Vaz' --into 'Amélia Vaz'\n  \
        fonds entities merge my-archive 'A. Vaz' --split\n\n\
        Names are put together by persons alone; the next fonds analyse counts them as one. --split takes it back.")]
    Merge {
        /// Workspace.
        folder: PathBuf,
        /// Names; without them proposals are listed.
        names: Vec<String>,
        /// A name or URI of the entity that they are names of.
        #[arg(long, value_name = "NAME", requires = "names", conflicts_with = "split")]
        into: Option<String>,
        /// Take back what these names were put to.
        #[arg(long, requires = "names")]
        split: bool,
        /// Who decides; the system's user name without it.
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
        /// Proposals, an object a line.
        #[arg(long, conflicts_with = "names")]
        json: bool,
    },
}

/// A kind of entity as it is typed.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum EntityKindArg {
    /// A person.
    Person,
    /// A place.
    Place,
    /// An organisation.
    Organisation,
    /// An event.
    Event,
    /// Nothing says what it is.
    Unknown,
}

impl From<EntityKindArg> for EntityKind {
    fn from(kind: EntityKindArg) -> Self {
        match kind {
            EntityKindArg::Person => Self::Person,
            EntityKindArg::Place => Self::Place,
            EntityKindArg::Organisation => Self::Organisation,
            EntityKindArg::Event => Self::Event,
            EntityKindArg::Unknown => Self::Unknown,
        }
    }
}

pub(in crate::cli) fn run(command: &EntitiesCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    let person = |by: &Option<String>| by.clone().unwrap_or_else(operator);
    match command {
        EntitiesCommand::Load { folder, file: None, json, .. } => {
            let session = read_only_session(folder)?;
            for authority in session.catalogue().authorities()? {
                match json {
                    true => json_line(out, &authority)?,
                    false => writeln!(
                        out,
                        "{:>8}  {}  {}  {}",
                        authority.entities,
                        authority.date.to_readable(),
                        plain(&authority.who),
                        plain(&authority.name)
                    )?,
                }
            }
        }
        EntitiesCommand::Load { folder, file: Some(file), forget: true, .. } => {
            let session = session(folder)?;
            let name = file.to_string_lossy();
            let name = file.file_name().map_or(name.clone(), |name| name.to_string_lossy());
            if !session.catalogue().forget_authority(&name)? {
                anyhow::bail!("“{name}” is not loaded; what is: fonds entities load {}", folder.display());
            }
            notice!("{name} taken out; the next fonds analyse looks for its names no more");
        }
        EntitiesCommand::Load { folder, file: Some(file), kind, by, .. } => {
            let session = session(folder)?;
            let (name, entities) = work::load_authority(&session.workspace, file, kind.map(Into::into), &person(by))?;
            notice!(
                "{} of {name} loaded. Look for their names: fonds analyse {}",
                counted(entities, "entity"),
                folder.display()
            );
        }
        EntitiesCommand::List { folder, run, kind, never_found: true, limit, json, .. } => {
            let kind = kind.map(Into::into);
            let mut absent = work::absent_entities(&read_only_session(folder)?.workspace, *run)?;
            absent.retain(|entity| kind.is_none_or(|kind| entity.kind == kind));
            if *limit > 0 {
                absent.truncate(*limit);
            }
            for entity in &absent {
                match json {
                    true => json_line(out, entity)?,
                    false => writeln!(
                        out,
                        "{:<12}  {}  [{}]",
                        entity.kind.name(),
                        plain(&entity.name),
                        plain(&entity.source)
                    )?,
                }
            }
        }
        EntitiesCommand::List { folder, run, kind, unlisted, limit, csv, least, without_persons, json, .. } => {
            let session = read_only_session(folder)?;
            let mut rows = work::entity_rows(&session.workspace, *run, kind.map(Into::into), usize::MAX)?;
            rows.retain(|row| !unlisted || row.source.is_empty());
            if *limit > 0 {
                rows.truncate(*limit);
            }
            match (csv, json) {
                (true, _) => write_table(&rows, *least, *without_persons, out)?,
                (_, true) => rows.iter().try_for_each(|row| json_line(out, row))?,
                _ => rows.iter().try_for_each(|row| write_row(row, out))?,
            }
        }
        EntitiesCommand::Show { folder, name, run, json } => {
            let session = read_only_session(folder)?;
            let found = session.entity_detail(*run, name, Period::Month)?;
            for detail in &found {
                if *json {
                    json_line(out, detail)?;
                } else {
                    write_detail(detail, out)?;
                }
            }
            if found.is_empty() {
                anyhow::bail!(
                    "no entity of the analysis is called “{name}”; list them: fonds entities list {}",
                    folder.display()
                );
            }
        }
        EntitiesCommand::Merge { folder, names, into: Some(into), by, .. } => {
            session(folder)?.catalogue().merge_entities(names, into, &person(by))?;
            notice!(
                "{} put to {into}. Count them as one: fonds analyse {}",
                counted(names.len() as u64, "name"),
                folder.display()
            );
        }
        EntitiesCommand::Merge { folder, names, split: true, .. } => {
            let split = session(folder)?.catalogue().split_entities(names)?;
            anyhow::ensure!(split > 0, "none of these names was put to another one");
            notice!(
                "{} taken apart; count them by themselves: fonds analyse {}",
                counted(split, "name"),
                folder.display()
            );
        }
        EntitiesCommand::Merge { names, .. } if !names.is_empty() => {
            anyhow::bail!("say what they are names of: --into NAME; or take them apart: --split");
        }
        EntitiesCommand::Merge { folder, json, .. } => {
            let session = read_only_session(folder)?;
            for proposal in work::cluster_proposals(&session.workspace, None)? {
                match json {
                    true => json_line(out, &proposal)?,
                    false => writeln!(
                        out,
                        "{} ({})  →  {} ({}): {}; both on {}",
                        plain(&proposal.name),
                        proposal.pages,
                        plain(&proposal.target),
                        proposal.target_pages,
                        proposal.why,
                        counted(proposal.shared_pages, "page")
                    )?,
                }
            }
        }
    }
    Ok(FINE)
}

fn day(date: crate::uri::CaptureDate) -> String {
    date.to_readable().chars().take(10).collect()
}

fn write_row(row: &EntityRow, out: &mut dyn Write) -> std::io::Result<()> {
    let (first, last) = (day(row.first), day(row.last));
    writeln!(
        out,
        "{:>8} {:>8} {:>6}  {first}  {last}  {:<12}  {}{}",
        row.mentions,
        row.pages,
        row.hosts,
        row.kind.name(),
        plain(&row.name),
        if row.source.is_empty() { String::new() } else { format!("  [{}]", plain(&row.source)) }
    )
}

fn write_table(rows: &[EntityRow], least: u64, without_persons: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let table = work::entities_aggregate(rows, least, without_persons);
    table.write_csv(out)?;
    let persons = if without_persons { ", and all persons" } else { "" };
    notice!("{} of fewer than {least} pages or mentions{persons} left out", counted(table.dropped, "entity"));
    out.flush().context("standard output")
}

fn write_detail(detail: &work::EntityDetail, out: &mut dyn Write) -> std::io::Result<()> {
    let entity = &detail.entity;
    writeln!(out, "{} ({})", plain(&entity.name), entity.kind.name())?;
    for (label, value) in [("URI", &entity.uri), ("from", &entity.source)] {
        if !value.is_empty() {
            writeln!(out, "  {label} {}", plain(value))?;
        }
    }
    writeln!(
        out,
        "  {} on {} of {}, captured {} to {}, in analysis {}",
        counted(entity.mentions, "mention"),
        counted(entity.pages, "page"),
        counted(entity.hosts, "host"),
        day(entity.first),
        day(entity.last),
        detail.run
    )?;
    for month in detail.periods.iter().filter(|month| month.count > 0) {
        writeln!(out, "  {}  {}", month.period, counted(month.count, "capture"))?;
    }
    for related in &detail.related {
        writeln!(
            out,
            "  with {} in {} ({:.1} bits)",
            plain(&related.entity.name),
            counted(related.shared, "sentence"),
            related.ppmi
        )?;
    }
    for quote in &detail.quotes {
        writeln!(out, "  {}  {}", quote.capture, plain(&quote.url))?;
        writeln!(out, "      …{}[{}]{}…", plain(&quote.before), plain(&quote.name), plain(&quote.after))?;
    }
    Ok(())
}
