//! `fonds import`.

use super::campaign::{campaign_or_none, session};
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS, WRONG_USE};
use crate::jobs::counted;
use crate::work;
use crate::work::models::{CampaignChoice, ImportOptions};
use std::io::Write;
use std::path::PathBuf;

/// Bring archive files made elsewhere in.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds import my-archive old-crawl.warc.gz\n  \
    fonds import my-archive /media/archive/2009 --copy\n  \
    fonds import my-archive ~/heritrix/jobs/elections\n  \
    fonds import my-archive /media/archive/2009 --index\n  \
    fonds import my-archive old-crawl.warc.gz --campaign 2\n\n\
    A job folder of Heritrix (crawler-beans.cxml or order.xml, seeds, logs, archives) or a collection of\n\
    Browsertrix comes in as a campaign with its seeds and rules, with a launch for each run in its logs.\n\
    The folder output/warcs of a workspace brings its campaigns back, from the campaign files beside the WARC files.\n\
    A folder that fonds export wrote brings its campaign, its captures, its crawls with the URLs that they have seen, and\n\
    the decisions on these captures back; what was decided here holds, and a second import adds nothing. Nothing comes in\n\
    of one that is not whole: then the status is 1; so it is where decisions on captures that only you have are left out.\n\
    Captures of files that bring no campaign of their own belong to the only one there is, or to none where there is\n\
    none; where there are several, --campaign says which. It is changed with: fonds files assign\n\
    A capture that is here already is not added again, whatever file it is in.\n\
    Files are linked where they are, unless --copy is given. A file that was read before is skipped, whatever it is\n\
    called. An import that was stopped or killed goes on when it is called again. What it came to is kept:\n  \
    fonds files report my-archive\n\n\
    Exit status 1 says that problems were found, which are listed and kept, or nothing at all to import.\n\
    2 says that a file is not there; the others are read.")]
pub struct ImportArgs {
    /// Workspace.
    folder: PathBuf,
    /// WARC and ARC files, folders that hold some, or job folders of other crawlers.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Number or title of the campaign that the captures belong to, or none. What brings its own campaign keeps it.
    #[arg(long, value_name = "CAMPAIGN|none")]
    campaign: Option<String>,
    /// Copy the files into the workspace instead of linking them.
    #[arg(long)]
    copy: bool,
    /// Follow links that lead out of the folders named; without it they are listed and not read.
    #[arg(long)]
    follow_links: bool,
    /// Make the texts searchable while the import runs, and at its end, as fonds index does.
    #[arg(long)]
    index: bool,
    /// One object a file, and one a handover with what of it came in.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ImportArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = session(&args.folder)?;
    // A slip of the keys is no file of the workspace that is lost.
    let (paths, absent): (Vec<PathBuf>, Vec<PathBuf>) = args.paths.iter().cloned().partition(|path| path.exists());
    for path in &absent {
        notice!(
            "fonds: {}: there is no such file or folder, and nothing was imported of it. Check its name",
            path.display()
        );
    }
    if paths.is_empty() {
        return Ok(WRONG_USE);
    }
    let campaign = match args.campaign.as_deref() {
        None => CampaignChoice::Only,
        Some(name) => campaign_or_none(&session, name)?.map_or(CampaignChoice::None, CampaignChoice::Of),
    };
    let options = ImportOptions { copy: args.copy, follow_links: args.follow_links, campaign };
    let import = || with_progress(|cx| session.import(&paths, options, cx));
    let imported = match crate::cli::search::index::follow_beside(&session, args.index, import) {
        Err(error) if error.is::<work::BadHandover>() => {
            notice!("fonds: {}", plain(&work::error_chain(&error)));
            return Ok(PROBLEMS);
        }
        imported => imported?,
    };
    let unread_lines = crate::cli::crawl::engine::print_jobs(&imported.jobs, args.json, out)?;
    let (mut unread_campaigns, mut on_other_captures) = (0, 0);
    for job in &imported.restored {
        job.summary().iter().for_each(|line| notice!("{}", plain(line)));
        job.problems
            .iter()
            .for_each(|why| warn_of!("campaign files not read", "campaign file not read: {}", plain(why)));
        unread_campaigns += job.problems.len() + job.lost_evidence.len();
    }
    for handover in &imported.handovers {
        handover.lines().iter().for_each(|line| notice!("{}", plain(line)));
        on_other_captures += handover.on_other_captures();
        handover.problems().for_each(|why| warn_of!("parts of the handover left out", "{}", plain(why)));
    }
    work::attached_summary(imported.attached).iter().for_each(|line| notice!("{line}"));
    imported.led_out.iter().for_each(|why| notice!("{}", plain(why)));
    for import in &imported.imports {
        super::files::print_import(&session, import.launch, args.json, out)?;
        let brings_more = !imported.jobs.is_empty() || !imported.restored.is_empty() || !imported.handovers.is_empty();
        match work::summary_beside(import) {
            None if brings_more => notice!("no archive file lies beside it"),
            _ => notice!("{}", plain(&work::import_summary(import))),
        }
        if import.new_captures > 0 {
            notice!("{}", plain(&work::import_campaign_line(import)));
        }
    }
    let known: u64 = imported.imports.iter().map(|import| import.known).sum();
    if args.copy && known > 0 {
        let files = counted(known, "known file");
        notice!("{files} not copied: --copy copies what is new, the others stay where they are: fonds files list DIR");
    }
    if args.json {
        imported.handovers.iter().try_for_each(|handover| json_line(out, handover))?;
    }
    let unread_texts = if args.index { crate::cli::search::index::follow(&session)? } else { 0 };
    super::select::print_offers(&session, &args.folder, None)?;
    Ok(match imported.imports.iter().any(work::has_problems) {
        _ if !absent.is_empty() => WRONG_USE,
        true => PROBLEMS,
        false if unread_texts > 0 || on_other_captures > 0 => PROBLEMS,
        false if unread_lines > 0 || unread_campaigns > 0 || !imported.led_out.is_empty() => PROBLEMS,
        // Not even a job of a crawler.
        false
            if imported.imports.iter().all(|import| import.files == 0)
                && imported.jobs.is_empty()
                && imported.handovers.is_empty()
                && imported.restored.is_empty() =>
        {
            PROBLEMS
        }
        false => FINE,
    })
}
