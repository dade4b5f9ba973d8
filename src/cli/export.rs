//! `fonds export` and `fonds verify`.

use super::campaign::reading_session;
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::campaign::ReportLanguage;
use crate::jobs::counted;
use crate::keys::{SigningKey, SystemKeychain};
use crate::store::named_campaigns;
use crate::work;
use crate::work::models::{CheckState, VerifyLine};
use crate::work::{ExportDryRun, Report};
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;

/// Write the selection out.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  fonds export my-archive --out /tmp/export --dry-run\n  fonds export my-archive --out /tmp/export && fonds verify /tmp/export\n\n\
    Writes WARC files with a metadata record per capture, a CDXJ index, the inlink data set and a manifest;\n\
    with --wacz a package too, which ReplayWeb.page shows and fonds wacz looks into.\n\
    Works beside a running crawl and on a workspace that cannot be written to; the workspace does not list\n\
    the export then, and the command says so. What a killed export left in OUT.open is deleted first.\n\
    --dry-run lists every file with its size, what is left out and why, and whether the disk has room, and writes\n\
    nothing. It takes the way of the export but reads no record that can be copied as it is. Sizes marked “about” differ\n\
    by a tenth or 4 kB at most; damage within a record shows only when it is written.\n\
    Selected texts are looked at for personal data first, and the line at the end says in how many there are some and how\n\
    to list them. Where texts were analysed, metadata records and RDF have the entities that each page names, with places.\n\
    What is wrong in the sources (record ids that stand twice, digests that the bytes contradict, warcinfo records\n\
    that are not there) is put right in the heads of records, never in their blocks, and listed.\n\
    Exit status 1 says that something is wrong in the sources or could not be carried along."
)]
pub struct ExportArgs {
    /// Workspace.
    folder: PathBuf,
    /// Folder to write; made if absent, refused if it holds something.
    #[arg(long)]
    out: PathBuf,
    /// Campaign whose selection is written; needed when there are several.
    #[arg(long)]
    campaign: Option<String>,
    /// Pack the WARC files, an index and a list of pages into a WACZ package too,
    /// in this export; always done where the window has it chosen for this
    /// selection.
    #[arg(long)]
    wacz: bool,
    /// Leave out data/seen.jsonl.gz, the list of every URL that the crawls have
    /// seen with the verdict on it, of this export; always done where the window has
    /// it chosen for this selection.
    #[arg(long)]
    without_seen: bool,
    /// Leave out what is known as RDF, of this export: data/knowledge.nq.gz, which
    /// takes about a quarter of the archive files where hundreds of pages link to
    /// each, and the records of it; always done where the window has it chosen for
    /// this selection.
    #[arg(long)]
    without_rdf: bool,
    /// Leave persons out of what is said of entities: in the metadata records, the RDF, the list of loaded
    /// authority files and the report's table of terms. The specification and the archived pages stay as they are.
    #[arg(long)]
    without_persons: bool,
    /// Write nothing where a selected text has personal data by pattern (e-mail, telephone, IBAN, identity numbers), or
    /// could not be looked at. Without it such texts are counted and leave.
    #[arg(long)]
    refuse_personal_data: bool,
    /// Language of report.html and report.md in this export: en, pt, es, fr or de.
    /// Without it, the language that the campaign names ("report_language"), else English.
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<ReportLanguage>,
    /// List what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Sign the manifest, and the package, with the key of this name in the system's
    /// keychain; fonds key new makes one.
    #[arg(long, value_name = "NAME")]
    sign: Option<String>,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

/// Read an export back and check all of it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fonds verify /tmp/export\n  fonds verify handover.zip      packed as zip or tar, plain or with gzip\n  fonds verify /tmp/export --signed-by 'City archive'\n\n\
    A line begins with ok, FAIL, or ???? for a signature that holds by a key that nobody vouches for: anybody can\n\
    make such a key; see fonds key trust. A handover that is not signed has no line about that.\n\
    Exit status 1 says that a check fails or that nobody vouches for the key of a signature."
)]
pub struct VerifyArgs {
    /// Folder of the export, or the file that it was packed as.
    folder: PathBuf,
    /// Fail unless it is signed with a key known under this name (fonds key list).
    #[arg(long, value_name = "NAME")]
    signed_by: Option<String>,
    /// One object a check.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ExportArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = reading_session(&args.folder)?;
    let campaign = match &args.campaign {
        Some(name) => session.catalogue().find_campaign(name)?,
        None => match session.catalogue().campaign_titles()?.as_slice() {
            [(only, _)] => *only,
            [] => anyhow::bail!("{}: there is no campaign, so nothing is selected", args.folder.display()),
            several => {
                anyhow::bail!("there are several campaigns: {}. Name one with --campaign", named_campaigns(several))
            }
        },
    };
    let (spec, _) = session.catalogue().kept_selection(campaign)?.with_context(|| {
        format!("nothing is selected yet; run: fonds select run {} {campaign}", args.folder.display())
    })?;
    let kept = work::ExportWishes::of(&spec);
    let wishes = work::ExportWishes {
        wacz: args.wacz || kept.wacz,
        seen: kept.seen && !args.without_seen,
        rdf: kept.rdf && !args.without_rdf,
        language: args.language.or(kept.language),
        persons: kept.persons && !args.without_persons,
        refuses_personal_data: args.refuse_personal_data || kept.refuses_personal_data,
        signer: args.sign.as_ref().map(|name| SigningKey::load(name, &SystemKeychain)).transpose()?,
    };
    if args.dry_run {
        let plan = with_progress(|cx| session.dry_run_export(&spec, &args.out, wishes, cx))?;
        if args.json {
            json_line(out, &plan)?;
        } else {
            dry_run_lines(&plan, out)?;
        }
        return Ok(if plan.problems.is_empty() && plan.has_room() { FINE } else { PROBLEMS });
    }
    let outcome = with_progress(|cx| session.export(&spec, &args.out, wishes, cx))?;
    if args.json {
        json_line(out, &outcome)?;
    } else {
        let problems = match outcome.problems.len() as u64 {
            0 => String::new(),
            count => format!("; {}, listed below", counted(count, "problem")),
        };
        writeln!(out, "{}{problems}", plain(&outcome.figures()))?;
        for note in &outcome.notes {
            writeln!(out, "note: {}", plain(note))?;
        }
        outcome.problems.iter().for_each(|problem| warn_of!("problems of the export", "{}", plain(problem)));
        writeln!(out, "Check it with: fonds verify {}", args.out.display())?;
    }
    Ok(if outcome.problems.is_empty() { FINE } else { PROBLEMS })
}

/// Writes the plan of an export, for a person.
fn dry_run_lines(plan: &ExportDryRun, out: &mut dyn Write) -> anyhow::Result<()> {
    for file in &plan.files {
        let about = if file.exact { "" } else { "about " };
        writeln!(out, "{:>20}  {}", format!("{about}{} B", file.bytes), plain(&file.path))?;
    }
    for line in plan.left_out_lines() {
        writeln!(out, "left out: {}", plain(&line))?;
    }
    for lacking in &plan.lacking {
        writeln!(out, "lacking: {}", plain(&lacking.summary()))?;
    }
    for note in &plan.notes {
        writeln!(out, "note: {}", plain(note))?;
    }
    writeln!(out, "{}", plain(&plan.summary()))?;
    plan.problems.iter().for_each(|problem| warn_of!("problems of the export", "{}", plain(problem)));
    Ok(())
}

pub(super) fn verify(args: &VerifyArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut lines = with_progress(|cx| work::verify(&args.folder, cx))?;
    lines.extend(args.signed_by.as_deref().and_then(|name| lacks_signature(&lines, name)));
    for line in &lines {
        if args.json {
            json_line(out, line)?;
            continue;
        }
        let mark = match line.state() {
            CheckState::Passed => "ok  ",
            CheckState::Unvouched => "????",
            CheckState::Failed => "FAIL",
        };
        writeln!(out, "{mark} {}: {}", plain(&line.what), plain(&line.detail))?;
    }
    Ok(if lines.iter().all(|line| line.ok) { FINE } else { PROBLEMS })
}

/// The problem of a package where one signer is due.
fn lacks_signature(lines: &[VerifyLine], name: &str) -> Option<VerifyLine> {
    let is_signed = lines.iter().any(|line| line.ok && line.signed_by.as_deref() == Some(name));
    (!is_signed).then(|| VerifyLine {
        what: format!("Signed by {name}"),
        detail: "there is no signature by a key that is known under this name; fonds key list lists those".to_owned(),
        ..VerifyLine::default()
    })
}
