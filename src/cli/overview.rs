//! `fonds overview`.

use super::FINE;
use super::campaign::read_only_session;
use super::output::{json_line, plain, with_progress};
use crate::jobs::counted;
use crate::work::{Figure, Gap, LEAST_CELL, LaunchFigures, Matrix, MatrixBy, Overview, RowList, matrix_aggregate};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Things of a gap that are named.
const ITEMS: usize = 3;

/// Show a campaign at a glance.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds overview my-archive 1\n  \
    fonds overview my-archive 1 --by months\n  \
    fonds overview my-archive 1 --by languages --matrix > matrix.tsv\n  \
    fonds overview my-archive 1 --json | jq '.gaps[] | [.kind, .count]'\n\n\
    Figures, launches, gaps with what can be done about each, then the matrix: each term of the request, and once texts\n\
    were analysed each name of authority files, found or not, and the most frequent names that the request lacks, with the\n\
    captures that hold it, in all and by column. A number is counted by the filter that is printed beside it, or that --json has;\n\
    captures of a filter: fonds captures my-archive --campaign 1 'FILTER'. Terms are counted by the index: fonds index.")]
pub struct OverviewArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// Columns of the matrix: hosts, months, languages or launches.
    #[arg(long, default_value = "hosts", value_parser = matrix_by)]
    by: MatrixBy,
    /// Print the matrix alone, as tab-separated values.
    #[arg(long, conflicts_with = "json")]
    matrix: bool,
    /// With --matrix, cells of fewer captures are written as <5, and the sums of their rows as an ellipsis; 1 writes all.
    #[arg(long, default_value_t = LEAST_CELL, requires = "matrix")]
    least: u64,
    /// Leave persons out of --matrix.
    #[arg(long, requires = "matrix")]
    without_persons: bool,
    /// Print all of it as one object; cells have their filters.
    #[arg(long)]
    json: bool,
}

fn matrix_by(name: &str) -> Result<MatrixBy, String> {
    MatrixBy::of_name(name).ok_or_else(|| "write hosts, months, languages or launches".to_owned())
}

/// An overview with its matrix and the filter of each cell.
#[derive(Serialize)]
struct OverviewObject<'a> {
    #[serde(flatten)]
    overview: &'a Overview,
    matrix: &'a Matrix,
    /// Filters of the cells, row by row.
    cell_filters: Vec<Vec<String>>,
}

pub(super) fn run(args: &OverviewArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let campaign = session.catalogue().find_campaign(&args.campaign)?;
    let matrix = session.matrix(campaign, args.by)?;
    if args.matrix {
        let table = matrix_aggregate(&matrix, args.least, args.without_persons);
        out.write_all(table.to_tsv().as_bytes())?;
        if table.dropped > 0 {
            let persons = if args.without_persons { ", and rows of persons," } else { "" };
            notice!("{} of fewer than {}{persons} left out", counted(table.dropped, "cell"), args.least);
        }
        notice_about(&matrix);
        return Ok(FINE);
    }
    let overview = with_progress(|cx| session.overview(campaign, cx))?;
    if args.json {
        let columns = 0..matrix.columns.len();
        let filters = |row: usize| columns.clone().map(|column| matrix.cell_filter(row, column)).collect();
        let cell_filters = (0..matrix.rows.len()).map(filters).collect();
        json_line(out, &OverviewObject { overview: &overview, matrix: &matrix, cell_filters })?;
        return Ok(FINE);
    }
    writeln!(out, "{}, version {}\n", plain(&overview.title), overview.version)?;
    for figure in &overview.figures {
        figure_line(out, figure)?;
    }
    writeln!(out, "\nLaunches")?;
    for launch in &overview.launches {
        launch_line(out, launch)?;
    }
    writeln!(out, "\nGaps")?;
    for gap in &overview.gaps {
        gap_lines(out, gap)?;
    }
    if overview.gaps.is_empty() {
        writeln!(out, "none found")?;
    }
    writeln!(out, "\nTo do")?;
    for of in &overview.waiting {
        writeln!(out, "{}\t{}", plain(&of.what), plain(&of.about))?;
    }
    if overview.waiting.is_empty() {
        writeln!(out, "nothing")?;
    }
    writeln!(out, "\nTerms by {}", args.by.name())?;
    out.write_all(matrix_aggregate(&matrix, 0, false).to_tsv().as_bytes())?;
    notice_about(&matrix);
    Ok(FINE)
}

/// Says where the matrix lacks texts.
fn notice_about(matrix: &Matrix) {
    match matrix.waiting {
        Some(0) => {}
        Some(waiting) => notice!("{waiting} captures are not indexed yet: fonds index"),
        None => notice!("Terms are counted by the index, and there is none yet: fonds index"),
    }
}

fn list_of(rows: &RowList) -> String {
    match rows.filter() {
        "" => rows.label().to_owned(),
        filter => format!("{}: {filter}", rows.label()),
    }
}

fn figure_line(out: &mut dyn Write, figure: &Figure) -> anyhow::Result<()> {
    let change = figure.change.map_or_else(String::new, |change| format!("{change:+}"));
    let rows = figure.rows.as_ref().map(list_of).unwrap_or_default();
    writeln!(out, "{}\t{change}\t{}\t{}", figure.count, figure.label, plain(&rows))?;
    Ok(())
}

fn launch_line(out: &mut dyn Write, launch: &LaunchFigures) -> anyhow::Result<()> {
    let row = &launch.row;
    let state = [row.label()].into_iter().chain(launch.unusual.clone()).collect::<Vec<_>>().join("; ");
    writeln!(
        out,
        "{}\t{} fetched\t{} failed\t{} refused\t{} queued\t{} bytes\t{}",
        row.launch,
        row.fetched,
        row.failed,
        row.refused,
        row.queued,
        row.bytes,
        plain(&state)
    )?;
    Ok(())
}

fn gap_lines(out: &mut dyn Write, gap: &Gap) -> anyhow::Result<()> {
    let rows = gap.rows.as_ref().map(list_of).unwrap_or_default();
    writeln!(out, "{}\t{}\t{}", gap.summary(), gap.action.label(), plain(&rows))?;
    for item in gap.items.iter().take(ITEMS) {
        let about = if item.about.is_empty() { String::new() } else { format!(" ({})", item.about) };
        writeln!(out, "  {}", plain(&format!("{}{about}", item.label)))?;
    }
    Ok(())
}
