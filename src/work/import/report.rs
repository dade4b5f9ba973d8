//! An import in words.

use crate::jobs::counted;
use crate::store::rows::{FileOutcome, ImportRow, ImportedFile, LaunchId, LaunchState};
use crate::store::{ABANDONED, Workspace};

/// The files of a folder that are read, as text.
pub const ARCHIVE_NAMES: &str =
    "In folders, files are looked for that end in .warc, .arc, .warc.gz, .arc.gz, .warc.zst, .wacz";

/// The outcome of a file as text.
pub fn file_summary(file: &ImportedFile) -> String {
    let name = file.same_as.as_deref().unwrap_or_default();
    let why = file.error.as_deref().unwrap_or_default();
    match file.outcome {
        FileOutcome::Unread => format!("not read: {why}"),
        FileOutcome::Known => format!("skipped, the same bytes were read before as {name}"),
        FileOutcome::Moved => {
            format!(
                "found again: the same bytes were read before as {name}, which is gone; its captures are read from here now"
            )
        }
        FileOutcome::Cut => format!("{}; reading stopped: {why}", counts(file)),
        FileOutcome::Read => counts(file),
    }
}

fn counts(file: &ImportedFile) -> String {
    let mut text = format!(
        "{}, {}, {} new",
        counted(file.records, "record"),
        counted(file.captures, "capture"),
        file.new_captures
    );
    let here = file.captures.saturating_sub(file.new_captures);
    if here > 0 {
        text.push_str(&format!(", {here} already here"));
    }
    for (count, what) in [(file.revisits, "revisit"), (file.problem_count, "problem")] {
        if count > 0 {
            text.push_str(&format!(", {}", counted(count, what)));
        }
    }
    for (scheme, count) in &file.left_out {
        text.push_str(&format!(", {count} of {scheme}: left out"));
    }
    if file.orphans > 0 {
        text.push_str(&format!(", {} without a capture", counted(file.orphans, "request or metadata record")));
    }
    text
}

/// Whether a person should check it.
pub fn has_problems(import: &ImportRow) -> bool {
    import.unread > 0 || import.problems > 0
}

/// Every import, newest first. One that was killed is stopped, also while nobody who may write has
/// recorded that.
pub fn imports(workspace: &Workspace) -> anyhow::Result<Vec<ImportRow>> {
    let mut imports = workspace.catalogue().imports()?;
    let is_under_way = |import: &ImportRow| matches!(import.state, LaunchState::Running | LaunchState::Paused);
    let open: Vec<LaunchId> =
        imports.iter().filter(|import| is_under_way(import)).map(|import| import.launch).collect();
    if !open.is_empty() && !workspace.is_written() {
        // Whoever wrote may have ended in order between the two looks.
        imports = workspace.catalogue().imports()?;
        for import in imports.iter_mut().filter(|import| is_under_way(import) && open.contains(&import.launch)) {
            import.state = LaunchState::Stopped;
            ABANDONED.clone_into(&mut import.why);
        }
    }
    Ok(imports)
}

/// The campaign that the captures of an import belong to, as text.
pub fn import_campaign_line(import: &ImportRow) -> String {
    let new = counted(import.new_captures, "new capture");
    match import.campaign {
        Some(id) => format!("{new} of campaign {id} “{}”", import.campaign_name),
        None => format!("{new} of no campaign; to give them to one: fonds files assign DIR {} CAMPAIGN", import.launch),
    }
}

/// The outcome of an import beside a campaign, a job or a handover; none where it found nothing to
/// read, which is no news then.
pub fn summary_beside(import: &ImportRow) -> Option<String> {
    match import.files {
        0 => None,
        _ => Some(import_summary(import)),
    }
}

/// The outcome of an import as text.
pub fn import_summary(import: &ImportRow) -> String {
    let mut text = match import.files {
        0 => "no archive file was found".to_owned(),
        files => format!(
            "{}, {}, {}, {}",
            counted(files, "file"),
            counted(import.records, "record"),
            counted(import.new_captures, "new capture"),
            counted(import.problems, "problem")
        ),
    };
    let here = import.captures.saturating_sub(import.new_captures);
    if here > 0 {
        text.push_str(&format!(", {} already here", counted(here, "capture")));
    }
    for (count, what) in [
        (import.known - import.moved, "known and skipped"),
        (import.moved, "found again at another place"),
        (import.unread, "not readable or not to the end"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    if import.passed_over > 0 {
        text.push_str(&format!(", {} passed over", counted(import.passed_over, "other file")));
    }
    if import.files == 0 {
        text.push_str(&format!(". {ARCHIVE_NAMES}"));
    }
    text
}
