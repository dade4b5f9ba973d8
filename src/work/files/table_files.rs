//! Files for people, each whole or not there.

use crate::jobs::{Existing, FileError, JobCx, WholeFile, counted, remove_left};
use crate::store::Workspace;
use crate::uri::CaptureDate;
use anyhow::Context;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Makes the folder that an export is written into.
pub(in crate::work) fn new_folder(workspace: &Workspace, folder: &Path) -> anyhow::Result<PathBuf> {
    let place = || folder.display().to_string();
    let folder = workspace.own_folder(std::path::absolute(folder).with_context(place)?)?;
    std::fs::create_dir_all(&folder).with_context(place)?;
    Ok(folder)
}

/// Writes a table into a folder, which is made if absent. The file is called like the table and the
/// moment; none is replaced. `fill` returns how many rows it wrote, about `total`.
pub fn write_table(
    workspace: &Workspace,
    (name, ending): (&str, &str),
    folder: &Path,
    total: u64,
    cx: &JobCx,
    fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<u64>,
) -> anyhow::Result<String> {
    let folder = new_folder(workspace, folder)?;
    let path = folder.join(format!("{name}-{}.{ending}", CaptureDate::now().to_digits14()));
    cx.stage(format!("Writing {}", path.display()), Some(total));
    let rows = write_file(&path, fill)?;
    Ok(format!("{} in {}", counted(rows, "row"), path.display()))
}

/// Writes a file that has its name only when it is whole. One of that name
/// that is there already stays.
pub(in crate::work) fn write_file<T>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    // What another export has written is left alone.
    let taken = "another export has taken this name; try again in a second";
    remove_left([path]);
    let why = |error: FileError| match error.source.kind() {
        ErrorKind::AlreadyExists => anyhow::Error::from(error).context(taken),
        _ => error.into(),
    };
    let mut file = WholeFile::create_hidden(path, Existing::Stays).map_err(why)?;
    let filled = fill(&mut file).with_context(|| path.display().to_string())?;
    file.finish().map_err(why)?;
    Ok(filled)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_another_export_writes_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hits.csv");
        let is_taken = |error: anyhow::Error| {
            let error = format!("{error:#}");
            assert!(error.contains("try again in a second") && error.contains("hits.csv"), "{error}");
        };
        std::fs::write(&path, "other").unwrap();
        is_taken(write_file(&path, |_| Ok(())).unwrap_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "other");
        std::fs::remove_file(&path).unwrap();
        assert!(write_file::<()>(&path, |_| anyhow::bail!("full")).is_err());
        // What calls left that were killed is in nobody's way, and goes.
        for left in ["hits.csv.open", ".hits.csv.abcdef.open"] {
            std::fs::write(folder.path().join(left), "half").unwrap();
        }
        // Of two exports of one name the first that is whole has it.
        let late = write_file(&path, |late| {
            late.write_all(b"late")?;
            write_file(&path, |out| Ok(out.write_all(b"whole")?))
        });
        is_taken(late.unwrap_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
        let mut names: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["hits.csv", "hits.csv.open"]);
        // A folder that cannot be made is named.
        let workspace = Workspace::create(&folder.path().join("w")).unwrap();
        let (cx, inside) = (JobCx::detached(), path.join("tables"));
        let error = write_table(&workspace, ("hits", "csv"), &inside, 0, &cx, |_| Ok(0)).unwrap_err();
        assert!(format!("{error:#}").contains(&inside.display().to_string()), "{error:#}");
    }
}
