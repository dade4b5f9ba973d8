//! `fonds replay`.

mod check;
mod open;
mod rewrite;

use super::campaign::read_only_session;
use super::output::{json_line, with_progress};
use super::{FINE, STOPPED, WRONG_USE};
use crate::jobs::{JobCx, StopError};
use crate::store::Workspace;
use crate::work::models::{CampaignChoice, ImportOptions};
use crate::work::{ReplayServer, Session, random_token};
use anyhow::Context;
use serde_json::json;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Show captures in a browser as they were.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  fonds replay my-archive\n  \
    fonds replay my-archive --port 8090      addresses that stay: pages at 8090, archived answers at 8091\n  \
    fonds replay crawl.warc.gz               a file without a workspace; so a WACZ package, or an export\n  \
    fonds replay my-archive --json | jq .\n\n\
    Two servers answer on this machine alone until Ctrl-C. The first has the pages of Fonds: type an archived URL there,\n\
    or open /r/DATE/URL. The second has archived answers at /w/DATE/URL, the form that pywb and the Wayback Machine have.\n\
    Nothing is written, so a crawl may run meanwhile and the disk may be one that is only read. Files without a workspace\n\
    are read into one in the folder for temporary files, which goes when the replay ends.\n\n\
    Archived pages load nothing of the web: a policy of the browser forbids it, and what they asked for in vain is listed\n\
    with the reason on the page around them. A script that leaves its page leads to the capture of its target; a browser\n\
    that does not tell of it in time may ask for the name of a host.\n\n\
    With --token, who does not have the address gets nothing: neither another account of this machine nor a page that\n\
    guesses ports. The window always has one.\n\n\
    Other programs: Memento clients use ARCHIVE/w/ as time gate and ARCHIVE/w/timemap/link/URL; CDX clients CONTROL/cdx?url=URL;\n\
    archive files are at CONTROL/warc/NAME, with ranges. --service-worker serves a copy of ReplayWeb.page that is yours\n\
    (licence AGPL) at ARCHIVE/player/; ARCHIVE/player/open?url=URL&date=DATE shows a URL with it.\n\n\
    Exit status: 0 ended by Ctrl-C, 2 there is nothing to replay or a port is in use."
)]
pub struct ReplayArgs {
    /// Workspace; or a WARC file, a WACZ package, a folder that fonds export wrote.
    #[arg(required = true)]
    target: Option<PathBuf>,
    /// Port of the pages of Fonds; archived answers are at the next one. Free ones without it.
    #[arg(long)]
    port: Option<u16>,
    /// Folder with your own copy of ReplayWeb.page (sw.js at least).
    #[arg(long, value_name = "DIR")]
    service_worker: Option<PathBuf>,
    /// Answer only addresses that begin with a token: a random one, or your own, which keeps addresses the same.
    #[arg(long, value_name = "TOKEN", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    token: Option<String>,
    /// Print both addresses as one object, before requests are answered.
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<ReplayCommand>,
}

/// Parts of replay beside its servers.
#[derive(Debug, clap::Subcommand)]
enum ReplayCommand {
    /// Rewrite standard input as an archived page, sheet or field is rewritten.
    Rewrite(rewrite::RewriteArgs),
    /// Open pages in a Chromium of this machine and compare what it shows with what was captured.
    Check(check::ReplayCheckArgs),
    /// Open a capture in a Chromium of this machine that sees the archive alone.
    Open(open::OpenArgs),
}

pub(super) fn run(args: &ReplayArgs, input: &mut dyn Read, out: &mut dyn Write) -> anyhow::Result<u8> {
    match &args.command {
        Some(ReplayCommand::Rewrite(args)) => return rewrite::run(args, input, out),
        Some(ReplayCommand::Check(args)) => return check::run(args, out),
        Some(ReplayCommand::Open(args)) => return open::run(args),
        None => {}
    }
    let target = args.target.as_deref().context("name a workspace or a file to replay")?;
    if let Some(folder) = args.service_worker.as_ref().filter(|folder| !folder.is_dir()) {
        notice!("fonds: {}: this is no folder with a player", folder.display());
        return Ok(WRONG_USE);
    }
    let token = args.token.as_deref().map(|token| if token.is_empty() { random_token() } else { token.to_owned() });
    let is_token = |token: &String| token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if let Some(token) = token.as_ref().filter(|token| !is_token(token)) {
        notice!("fonds: --token={token}: a token has ASCII letters, digits, - and _ alone");
        return Ok(WRONG_USE);
    }
    let port = args.port.filter(|port| *port > 0);
    // Kept until the end: its folder goes with it.
    let (session, _temporary) = match Workspace::is_in(target) {
        true => (read_only_session(target)?, None),
        false => {
            let (session, folder) = session_of_files(target)?;
            (session, Some(folder))
        }
    };
    let server = ReplayServer::start(Arc::new(session), port, args.service_worker.clone(), token.as_deref())?;
    if args.json {
        json_line(out, &json!({"control": server.control_url(), "replay": server.archive_url()}))?;
    } else {
        writeln!(out, "Pages of Fonds     {}/", server.control_url())?;
        writeln!(out, "Archived answers   {}/w/", server.archive_url())?;
        writeln!(out, "Ctrl-C ends the replay.")?;
    }
    out.flush()?;
    let ended = with_progress(|cx| {
        cx.stage("Replaying until Ctrl-C", None);
        wait_for_stop(cx)
    });
    match ended {
        Err(error) if StopError::is_cancelled(&error) => Ok(FINE),
        Err(error) => Err(error),
        Ok(()) => Ok(STOPPED),
    }
}

fn wait_for_stop(cx: &JobCx) -> anyhow::Result<()> {
    loop {
        cx.checkpoint()?;
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A workspace of files, in a folder for temporary files.
fn session_of_files(target: &Path) -> anyhow::Result<(Session, tempfile::TempDir)> {
    anyhow::ensure!(target.exists(), "{}: there is no such workspace, file or folder", target.display());
    let folder = tempfile::Builder::new().prefix("fonds-replay-").tempdir()?;
    let place = folder.path().join("workspace");
    let session = Session::new(Workspace::create(&place)?);
    let options = ImportOptions { copy: false, follow_links: false, campaign: CampaignChoice::None };
    with_progress(|cx| session.import(&[target.to_owned()], options, cx))?;
    anyhow::ensure!(
        session.catalogue().newest_capture()?.get() > 0,
        "{}: there are no captures in it; a workspace has a catalogue, other folders WARC files",
        target.display()
    );
    Ok((session, folder))
}
