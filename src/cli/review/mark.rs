//! `fonds mark`.

use super::captures::ChosenCaptures;
use crate::cli::FINE;
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain};
use crate::jobs::counted;
use crate::work;
use crate::work::JobKind;
use crate::work::models::{ActDetail, Assessment, ReviewMark};
use std::io::Write;
use std::path::PathBuf;

/// Approve, reject or flag captures, put them off, or note something about them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    fonds mark my-archive reject --url https://www.example.org/private --reason 'names a person'\n  \
    fonds mark my-archive approve --id 17 --id 23 --by 'Ana Reis'\n  \
    fonds mark my-archive reject --filter 'host:ads.example.org' --dry-run\n  \
    fonds mark my-archive note --id 17 --reason 'see the letter of 3 May'\n  \
    fonds mark my-archive clear --id 17\n\n\
    approve: in every selection of the campaign, whatever score and filter say.\n\
    reject: out of every selection and export, as an embedded resource or the original of a revisit, too.\n\
    flag: to be looked at again; score and filter decide.\n\
    A reason that is one of fonds review reasons says whether content or technical quality is at fault.\n\
    later: to be looked at again when a new crawl has captured the page; it comes back by itself.\n\
    clear: takes the decision back.\n\
    Of several decisions the last one counts; earlier ones are kept. A decision is on the page version: captures of\n\
    the same page with the same content inherit it, also those of later crawls. A new version is to review again, and\n\
    one of a page that was rejected is in no selection until it is approved. --url means every capture of that URL\n\
    that there is now.")]
pub struct MarkArgs {
    /// Workspace.
    folder: PathBuf,
    /// What to decide or note.
    mark: MarkArg,
    #[command(flatten)]
    captures: ChosenCaptures,
    /// Why, or the text of the note.
    #[arg(long, default_value = "")]
    reason: String,
    /// Who decides; the system's user name without it.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// It ends a disagreement of two persons (fonds review queue --by disagreements).
    #[arg(long)]
    settle: bool,
    /// Only say which captures are meant.
    #[arg(long)]
    dry_run: bool,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

/// A mark as it is typed.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum MarkArg {
    Approve,
    Reject,
    Flag,
    Later,
    Clear,
    Note,
}

impl From<MarkArg> for ReviewMark {
    fn from(mark: MarkArg) -> Self {
        match mark {
            MarkArg::Approve => Self::Approve,
            MarkArg::Reject => Self::Reject,
            MarkArg::Flag => Self::Flag,
            MarkArg::Later => Self::Later,
            MarkArg::Clear => Self::Clear,
            MarkArg::Note => Self::Note,
        }
    }
}

pub(in crate::cli) fn run(args: &MarkArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mark = ReviewMark::from(args.mark);
    let reason = args.reason.trim();
    anyhow::ensure!(mark != ReviewMark::Note || !reason.is_empty(), "a note needs its text: --reason TEXT");
    let by = match args.by.as_deref().map(str::trim) {
        Some("") => anyhow::bail!("--by: the name is empty"),
        Some(name) => name.to_owned(),
        None => work::operator(),
    };
    let session = if args.dry_run { read_only_session(&args.folder)? } else { session(&args.folder)? };
    let captures = args.captures.find(&session, &args.folder)?;
    let inherit = match mark {
        ReviewMark::Note => 0,
        _ => session.catalogue().of_same_content(&captures)?,
    };
    let known = session.catalogue().review_reasons()?;
    let given: Vec<_> = reason.split([',', ';']).map(str::trim).collect();
    let reasons: Vec<_> = known.into_iter().filter(|of| given.contains(&of.code.as_str())).collect();
    let detail = ActDetail {
        query: args.captures.filter_text(),
        // Without a reason that has a code, nobody judged content or technical quality of a rejected page.
        assessment: Assessment::of(mark, &reasons),
        settles: args.settle,
    };
    if !args.dry_run {
        session.run_job(JobKind::Mark, || {
            session.catalogue().mark_with(&captures, mark, (reason, &by), detail)?;
            Ok(format!("{}, by {by}", work::act_summary(mark, captures.len() as u64)))
        })?;
    }
    if args.json {
        json_line(
            out,
            &serde_json::json!({
                "mark": mark, "captures": captures, "inherit": inherit, "by": by, "reason": reason, "written": !args.dry_run
            }),
        )?;
        return Ok(FINE);
    }
    let mut number = counted(captures.len() as u64, "capture");
    if inherit > 0 {
        number.push_str(&format!(" and {inherit} more of the same content"));
    }
    match args.dry_run {
        true => {
            writeln!(out, "Would be marked “{}”: {number}", mark.label())?;
            for id in &captures {
                let row = session.catalogue().capture_row(*id)?;
                writeln!(out, "{id}\t{}\t{}\t{}", row.date.to_readable(), row.status, plain(&row.url))?;
            }
        }
        false => writeln!(out, "{}: {number}, by {}", mark.label(), plain(&by))?,
    }
    Ok(FINE)
}
