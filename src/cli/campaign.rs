//! `fonds new` and `fonds campaign`.

use super::campaign_versions::{self, DiffArgs, RestoreArgs, VersionsArgs};
use super::output::{json_line, plain, set_workspace, with_progress};
use super::{FINE, PROBLEMS};
use crate::campaign::{Campaign, CampaignFile, CampaignProblem, EvidenceCarried, SeedScope, UNREAD_FIELDS};
use crate::jobs::counted;
use crate::scope::DecideRules;
use crate::store::Workspace;
use crate::uri::{CaptureDate, escape_controls};
use crate::work::models::{CampaignId, CampaignRow, CampaignWithBranches, TakenAs};
use crate::work::{
    OwnWorkspaces, Report, Session, campaign_text, from_earlier, specification_in, specification_syntax,
    write_specification,
};
use anyhow::Context;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Make a workspace.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds new my-archive\n  \
    fonds new my-archive --from old-archive     with all that people know of a workspace of an earlier Fonds\n\n\
    --from takes over campaigns with their versions and evidence, decisions, notes, judgements, collections, saved\n\
    searches, selections, imports, launches with the URLs that they have seen, and captures with their archive files:\n\
    these are shared where both folders are on one disk, else copied. The earlier workspace stays as it is. Inlinks and\n\
    the text index are made again: fonds inlinks build, fonds index.")]
pub struct NewArgs {
    /// Folder to make; it may exist when it is empty.
    folder: PathBuf,
    /// Workspace of an earlier Fonds to bring over.
    #[arg(long, value_name = "OLD")]
    from: Option<PathBuf>,
}

/// Campaigns of a workspace.
#[derive(Debug, clap::Subcommand)]
pub enum CampaignCommand {
    /// Add a campaign from a JSON file, or a new version of one.
    #[command(after_help = "Examples:\n  fonds campaign add my-archive campaign.json\n  \
        fonds campaign example > campaign.json      a file to start from\n  \
        fonds campaign add my-archive campaign.json --id 1      a new version of campaign 1\n  \
        fonds campaign add my-archive campaign.nq      from statements (RDF)\n\n\
        A campaign has an identity from when it is saved for the first time; campaign export, handovers and crawls\n\
        write it into its files. A file with the identity of another campaign is not taken as a version of this one.\n\
        Without --id nothing is saved where a campaign of the same title, content or identity is here (status 2): --id makes\n\
        the file its next version, --as-new another campaign, which is a branch of the one of its identity.\n\n\
        Evidence that was attached to a permission stays with it, whether the file names it or not, while the record\n\
        covers the same by the same licence or criterion. Evidence of records that are gone is named.\n\n\
        Statements are N-Quads, N-Triples, Turtle or TriG (.nq .nt .ttl .trig), as campaign export --rdf writes them or with\n\
        the names of ARCOMEM's crawl specification; of data/knowledge.nq.gz of an export those of its campaign. What has no\n\
        place in a campaign is named (status 1).")]
    Add {
        /// Workspace.
        folder: PathBuf,
        /// File of JSON or statements, or - for standard input.
        file: PathBuf,
        /// Save as a new version of this campaign.
        #[arg(long)]
        id: Option<CampaignId>,
        /// Save as another campaign, though one of its title, content or identity is here.
        #[arg(long, conflicts_with = "id")]
        as_new: bool,
    },
    /// List the campaigns.
    #[command(after_help = "Examples:\n  fonds campaign list my-archive\n  \
        fonds campaign list my-archive --json | jq .name\n\n\
        Columns: number, version, seeds, captures, refused URLs, title, and behind it what it came with and whether it is\n\
        switched off (fonds campaign activate). Branches that came with handovers stand under their campaign; with --json,\n\
        in its \"branches\".")]
    List {
        /// Workspace.
        folder: PathBuf,
        /// One object a line.
        #[arg(long)]
        json: bool,
    },
    /// Show a campaign in words.
    #[command(after_help = "Examples:\n  fonds campaign show my-archive 1\n  \
        fonds campaign show my-archive 'My first campaign'")]
    Show {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
        /// Number, version and the campaign as one object.
        #[arg(long)]
        json: bool,
    },
    /// Print a campaign as JSON, or write it for another crawler.
    #[command(after_help = "Examples:\n  fonds campaign export my-archive 1 > campaign.json\n  \
        fonds campaign export my-archive 1 --rdf > campaign.nq\n  \
        fonds campaign export my-archive 1 --heritrix ~/heritrix/jobs/elections\n  \
        fonds campaign export my-archive 1 --browsertrix crawl-config.yaml\n\n\
        Edit the file and save it as a new version: fonds campaign add my-archive campaign.json --id 1\n\
        Differences of the other crawler are listed on standard error. Its captures come\n\
        back with fonds import: the job folder, or the folder of the collection.")]
    Export {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
        /// Print it as statements (N-Quads), with the names of ARCOMEM's crawl specification.
        #[arg(long, conflicts_with_all = ["heritrix", "browsertrix"])]
        rdf: bool,
        /// Write a Heritrix 3 job into this folder.
        #[arg(long, value_name = "FOLDER")]
        heritrix: Option<PathBuf>,
        /// Write the configuration of a Browsertrix crawl.
        #[arg(long, value_name = "FILE")]
        browsertrix: Option<PathBuf>,
    },
    /// Let a campaign run: one that came from elsewhere, or that was switched off.
    #[command(after_help = "Examples:\n  fonds campaign activate my-archive 2\n  \
        fonds campaign show my-archive 2      what its crawls would do\n\n\
        Campaigns of handovers, of folders of WARC files, of feeds and of other crawlers come in switched off:\n\
        neither their schedule nor fonds crawl starts them before this.")]
    Activate {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
    },
    /// Switch the schedule of a campaign off.
    #[command(after_help = "Example:\n  fonds campaign deactivate my-archive 2")]
    Deactivate {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
    },
    /// Delete a campaign; its captures stay.
    #[command(after_help = "Examples:\n  fonds campaign delete my-archive 2 --preview\n  \
        fonds campaign delete my-archive 2\n\n\
        Its selections, scores and schedule go. Captures stay with what was decided on them, and belong to no campaign; \
        crawls stay with their rules, so that fonds why goes on to explain them. To keep it and only stop its \
        schedule: fonds campaign deactivate.")]
    Delete {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
        /// Name what would be deleted, and delete nothing.
        #[arg(long)]
        preview: bool,
        /// What there was of it as one object.
        #[arg(long)]
        json: bool,
    },
    /// List the versions of a campaign.
    #[command(
        after_help = "Example:\n  fonds campaign versions my-archive 1\n\nColumns: version, when it was saved, in UTC."
    )]
    Versions(VersionsArgs),
    /// Compare two versions of a campaign.
    #[command(after_help = "Examples:\n  fonds campaign diff my-archive 1 3      version 3 with the newest\n  \
        fonds campaign diff my-archive 1 3 4\n\n\
        A field a line; below it what the first version alone has (-) and what the second one alone has (+). Of the\n\
        request these are terms, of rules their summaries.")]
    Diff(DiffArgs),
    /// Save an earlier version of a campaign as its next one.
    #[command(after_help = "Example:\n  fonds campaign restore my-archive 1 3\n\n\
        No version is lost: the earlier one becomes the newest. Schedule and on or off stay as they are now.")]
    Restore(RestoreArgs),
    /// Print an example campaign as JSON, to be edited.
    #[command(after_help = "Example:\n  fonds campaign example > campaign.json")]
    Example,
}

pub(super) fn new(args: &NewArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    if let Some(earlier) = &args.from {
        let outcome = with_progress(|cx| from_earlier(&args.folder, earlier, cx))?;
        list_as_own(&Workspace::open(&outcome.folder)?);
        writeln!(out, "{}: {}", plain(&outcome.folder.display().to_string()), outcome.summary())?;
        for path in &outcome.left_out {
            notice!("Left out, since it is no file or not there: {}", plain(&path.display().to_string()));
        }
        notice!("Next: fonds inlinks build {0}, fonds index {0}", args.folder.display());
        return Ok(if outcome.left_out.is_empty() { FINE } else { PROBLEMS });
    }
    let workspace = Workspace::create(&args.folder)?;
    list_as_own(&workspace);
    writeln!(out, "{}", workspace.folder().display())?;
    notice!(
        "Next: fonds campaign example > campaign.json, edit it, then fonds campaign add {} campaign.json",
        args.folder.display()
    );
    Ok(FINE)
}

/// Keeps that a workspace was made here, so that a window starts the crawls of its schedules.
pub(super) fn list_as_own(workspace: &Workspace) {
    if let Err(error) = OwnWorkspaces::of_person().add(workspace) {
        // The window shows the question then.
        tracing::warn!("that {} is one's own cannot be kept: {error}", workspace.folder().display());
    }
}

/// Opens a workspace for a command that writes.
pub(super) fn session(folder: &Path) -> anyhow::Result<Session> {
    set_workspace(folder);
    Ok(Session::new(Workspace::open(folder)?))
}

/// Opens a workspace for a command that does its work also where it can only
/// read, and notes it where it can write.
pub(super) fn reading_session(folder: &Path) -> anyhow::Result<Session> {
    set_workspace(folder);
    Ok(Session::new(Workspace::open_or_read_only(folder)?))
}

/// The campaign of a number or title; none where that is what is written.
pub(super) fn campaign_or_none(session: &Session, name: &str) -> anyhow::Result<Option<CampaignId>> {
    match name {
        "none" => Ok(None),
        name => Ok(Some(session.catalogue().find_campaign(name)?)),
    }
}

/// Opens a workspace for a command that only looks.
pub(super) fn read_only_session(folder: &Path) -> anyhow::Result<Session> {
    set_workspace(folder);
    Ok(Session::new(Workspace::open_read_only(folder)?))
}

pub(super) fn run(command: CampaignCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        CampaignCommand::Add { folder, file, id, as_new } => {
            let name = if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() };
            let mut text = String::new();
            if file.as_os_str() == "-" {
                std::io::stdin().read_to_string(&mut text).map(|_| ()).map_err(anyhow::Error::from)
            } else {
                campaign_text(&file).map(|read| text = read)
            }
            .with_context(|| format!("{name}: this file cannot be read"))?;
            let syntax = specification_syntax(&file, &text);
            let (file, left_out) = match syntax {
                Some(syntax) => {
                    let read = specification_in(&text, syntax).with_context(|| {
                        format!("{name}: no campaign can be read from these statements; fonds campaign export --rdf prints some")
                    })?;
                    (read.file, read.left_out)
                }
                None => {
                    let file = CampaignFile::from_json(&text).with_context(|| {
                        format!("{name}: this is no campaign file; fonds campaign example prints one to start from")
                    })?;
                    (file, Vec::new())
                }
            };
            let session = session(&folder)?;
            if id.is_none() && !as_new {
                refuse_twins(&session, &file).with_context(|| name.clone())?;
            }
            let outdated = id.map(|id| session.outdated_base(id, &file)).transpose()?.flatten();
            let is_next = id.is_some();
            let (id, taken, evidence) = session.save_campaign_file(id, &file).with_context(|| name.clone())?;
            print_problems(&file.campaign);
            print_evidence(&folder, id, &evidence);
            let version = session.catalogue().campaign(id)?.0;
            if let Some(line) = session.unfinished_crawl_line(id, version)?.filter(|_| is_next) {
                notice!("note: {}", plain(&line));
            }
            match taken {
                TakenAs::Continued(head) if outdated.is_some() => notice!(
                    "note: this file was made from version {}, and version {head} was saved since: what that changed \
                     is not in it",
                    outdated.unwrap_or(head)
                ),
                TakenAs::Known if !is_next => notice!("note: this version is here already, as campaign {id}"),
                TakenAs::Branch(point) => notice!(
                    "note: this is another version of campaign {0} and kept beside it, as its branch {id}; for the \
                     next version of campaign {0}, use --id {0}. For a campaign of its own, take the line “identity” \
                     out of the file",
                    point.campaign
                ),
                _ => {}
            }
            if let Some(line) = session.catalogue().unassigned()?.line().filter(|_| !is_next) {
                notice!("note: {line}; to give them to one: fonds files assign DIR IMPORT CAMPAIGN");
            }
            writeln!(out, "{id}")?;
            for line in &left_out {
                notice!("Not taken in: {}", plain(line));
            }
            if !left_out.is_empty() {
                return Ok(PROBLEMS);
            }
        }
        CampaignCommand::List { folder, json } => {
            let session = read_only_session(&folder)?;
            let rows = session.catalogue().campaigns()?;
            for problem in rows.iter().filter_map(|row| row.problem.as_ref()) {
                warn_of!("campaigns that cannot be read", "note: {}", plain(problem));
            }
            for listed in CampaignWithBranches::of(rows) {
                if json {
                    json_line(out, &listed)?;
                } else {
                    list_line(out, "", &listed.row)?;
                    listed.branches.iter().try_for_each(|branch| list_line(out, "  ", branch))?;
                }
            }
            if let Some(line) = session.catalogue().unassigned()?.line() {
                notice!(
                    "{line}; to give them to one: fonds files assign DIR IMPORT CAMPAIGN (fonds files imports DIR)"
                );
            }
        }
        CampaignCommand::Show { folder, campaign, json } => {
            let session = read_only_session(&folder)?;
            let page = session.catalogue().campaign_page(session.catalogue().find_campaign(&campaign)?)?;
            if json {
                let campaign: serde_json::Value = serde_json::from_str(&page.file.to_json())?;
                let shown = serde_json::json!({ "id": page.id, "version": page.version, "campaign": campaign });
                json_line(out, &shown)?;
                return Ok(FINE);
            }
            let spec = &page.campaign;
            writeln!(out, "{} (campaign {}, version {})", plain(&spec.name), page.id, page.version)?;
            if let Some(identity) = page.file.identity {
                let branch = page.branch.map(|point| format!(", {point}")).unwrap_or_default();
                writeln!(out, "Identity  {identity}{branch}")?;
            }
            if !spec.description.is_empty() {
                writeln!(out, "{}", plain(&spec.description))?;
            }
            writeln!(out, "Request   {}", plain(&spec.request.to_string()))?;
            for (seed, captures) in spec.seeds.iter().zip(&page.seed_captures) {
                let reach = match seed.scope {
                    SeedScope::Resource => "this URL alone",
                    SeedScope::Plus1 => "and one link on",
                    SeedScope::Root => "everything under it",
                    SeedScope::Subdomains => "its host and subdomains",
                };
                writeln!(out, "Seed      {} ({reach}), captures {captures}", plain(&seed.url))?;
            }
            for moved in page.moved_seeds.iter().filter(|moved| moved.is_open(spec)) {
                let (seed, target) = (plain(&moved.seed), plain(&moved.target));
                writeln!(out, "Redirect  {seed} leads to another site, {target}")?;
                notice!(
                    "note: {target}: add it to the campaign's \"seeds\", or to \"left_out_redirects\" to be asked no more"
                );
            }
            for (index, _, summary, enabled) in DecideRules::compile(spec)?.lines() {
                let hits = page.rule_hits.get(index).copied().unwrap_or(0);
                let off = if enabled { "" } else { " (off)" };
                let hits = if hits > 0 { format!(", decided on {}", counted(hits, "URL")) } else { String::new() };
                writeln!(out, "Rule {index:<4} {}{off}{hits}", plain(&summary))?;
            }
            let created = session.catalogue().campaign_created(page.id)?;
            let next = match &page.suspended {
                Some(origin) => Some(format!(
                    "none: it came from {} and is switched off; to let it run: fonds campaign activate {} {}",
                    plain(origin),
                    plain(&folder.display().to_string()),
                    page.id
                )),
                None => crate::store::next_run(spec, created),
            };
            writeln!(out, "Next run  {}", next.unwrap_or_else(|| "by hand".to_owned()))?;
            writeln!(
                out,
                "Agent     {}",
                match spec.politeness.user_agent.as_str() {
                    "" => "none yet".to_owned(),
                    agent => plain(agent),
                }
            )?;
            for term in spec.crawl_terms().iter().filter(|term| !term.starts_with("user agent")) {
                writeln!(out, "Crawls    {}", plain(term))?;
            }
            print_problems(spec);
        }
        CampaignCommand::Export { folder, campaign, heritrix, browsertrix, .. }
            if heritrix.is_some() || browsertrix.is_some() =>
        {
            return crate::cli::crawl::engine::export(
                &folder,
                &campaign,
                heritrix.as_deref(),
                browsertrix.as_deref(),
                out,
            );
        }
        CampaignCommand::Export { folder, campaign, rdf, .. } => {
            let session = read_only_session(&folder)?;
            if rdf {
                write_specification(&session, session.catalogue().find_campaign(&campaign)?, out)?;
                return Ok(FINE);
            }
            let page = session.catalogue().campaign_page(session.catalogue().find_campaign(&campaign)?)?;
            writeln!(out, "{}", escape_controls(page.file.to_json()))?;
        }
        CampaignCommand::Activate { folder, campaign } => {
            let session = session(&folder)?;
            let id = session.catalogue().find_campaign(&campaign)?;
            let spec = session.activate_campaign(id)?;
            writeln!(out, "campaign {id} “{}” is active", plain(&spec.name))?;
            for term in spec.crawl_terms() {
                writeln!(out, "  {}", plain(&term))?;
            }
        }
        CampaignCommand::Deactivate { folder, campaign } => {
            let session = session(&folder)?;
            let id = session.catalogue().find_campaign(&campaign)?;
            let spec = session.deactivate_campaign(id)?;
            writeln!(out, "campaign {id} “{}” is switched off: no scheduled runs", plain(&spec.name))?;
        }
        CampaignCommand::Versions(args) => return campaign_versions::list(&args, out),
        CampaignCommand::Diff(args) => return campaign_versions::diff(&args, out),
        CampaignCommand::Restore(args) => return campaign_versions::restore(&args, out),
        CampaignCommand::Delete { folder, campaign, preview, json } => {
            let session = if preview { read_only_session(&folder)? } else { session(&folder)? };
            let id = session.catalogue().find_campaign(&campaign)?;
            let contents = match preview {
                true => session.catalogue().campaign_contents(id)?,
                false => session.catalogue().delete_campaign(id)?,
            };
            if json {
                json_line(out, &contents)?;
                return Ok(FINE);
            }
            let what = if preview { "would be deleted" } else { "deleted" };
            writeln!(out, "campaign {id} “{}” {what}: {}", plain(&contents.name), contents.lost())?;
            if let Some(stays) = contents.stays() {
                writeln!(out, "stays: {stays}")?;
            }
        }
        CampaignCommand::Example => {
            writeln!(out, "{}", crate::work::sample::example_campaign().to_json())?;
        }
    }
    Ok(FINE)
}

fn list_line(out: &mut dyn Write, indent: &str, row: &CampaignRow) -> std::io::Result<()> {
    let from = row.origin.as_ref().map(|origin| format!("from {}", plain(origin)));
    let off = (!row.active && row.problem.is_none()).then(|| "switched off".to_owned());
    let remarks: Vec<String> = from.into_iter().chain(off).collect();
    let remarks = if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join(", ")) };
    let (seeds, captures) = (counted(row.seeds, "seed"), counted(row.captures, "capture"));
    let refused = row.counted.map_or_else(String::new, |counts| format!("{} refused\t", counts.refused));
    let (version, title) = (row.version, plain(&row.title()));
    writeln!(out, "{indent}{}\tv{version}\t{seeds}\t{captures}\t{refused}{title}{remarks}", row.id)
}

/// # Errors
///
/// Similar campaigns that are here already: a person decides whether it is one of them.
fn refuse_twins(session: &Session, file: &CampaignFile) -> anyhow::Result<()> {
    let twins = session.catalogue().campaign_twins(file)?;
    let Some(first) = twins.first() else { return Ok(()) };
    let names: Vec<String> = twins
        .iter()
        .map(|twin| format!("campaign {} “{}” has {}", twin.campaign, plain(&twin.name), twin.kind.label()))
        .collect();
    anyhow::bail!(
        "it may be here already, so nothing was saved: {}. To save it as the next version of that campaign: --id {}. To have \
         it as another campaign beside it: --as-new",
        names.join(", "),
        first.campaign
    )
}

/// Prints the changes of evidence against the version before.
fn print_evidence(folder: &Path, id: CampaignId, carried: &EvidenceCarried) {
    let folder = folder.display();
    if let Some(line) = carried.kept_line() {
        notice!(
            "note: {}. To take it off its record: fonds campaign export {folder} {id} > campaign.json, take it out \
             there, fonds campaign add {folder} campaign.json --id {id}",
            plain(&line)
        );
    }
    if let (Some(line), Some(first)) = (carried.missing_line(), carried.missing.first()) {
        notice!(
            "note: {}; to attach it again: fonds scope attach {folder} {id} {} FILE",
            plain(&line),
            first.of.record + 1
        );
    }
    if let (Some(line), Some(first)) = (carried.dropped_line(), carried.dropped.first()) {
        notice!(
            "note: {}; to attach one to another record: fonds scope attach {folder} {id} RECORD {folder}/{}",
            plain(&line),
            plain(&first.file.path)
        );
    }
}

/// Prints the problems of a campaign before it runs.
fn print_problems(campaign: &Campaign) {
    let rules = DecideRules::compile(campaign).ok();
    let of_rules = rules.iter().flat_map(|rules| rules.problems(CaptureDate::now()));
    for problem in campaign.problems().into_iter().chain(of_rules) {
        let weight = match problem {
            CampaignProblem { stops_crawl: true, .. } => "before it can be crawled",
            CampaignProblem { is_error: true, .. } => "error",
            _ => "note",
        };
        warn_of!(weight, "{weight}: {}", plain(&problem.to_string()));
    }
    for (index, remark) in rules.iter().flat_map(|rules| rules.remarks()).filter(|(_, remark)| remark.hint.is_none()) {
        warn_of!("prefixes", "rule {index}: {}", plain(&remark.what));
    }
    if campaign.rules.is_empty() {
        notice!(
            "before it can be crawled: rules: there are none, so nothing is in scope; take those that fonds campaign example prints"
        );
    }
    for field in campaign.other.keys().filter(|field| *field != UNREAD_FIELDS) {
        warn_of!("unknown fields", "note: {}: Fonds knows no such field; it is kept, but does nothing", plain(field));
    }
}
