//! Files for people, each whole or not there.

use crate::jobs::{JobCx, counted};
use crate::store::Workspace;
use crate::uri::CaptureDate;
use anyhow::Context;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Makes the folder that an export is written into.
pub(super) fn new_folder(workspace: &Workspace, folder: &Path) -> anyhow::Result<PathBuf> {
    let place = || folder.display().to_string();
    let folder = workspace.own_folder(std::path::absolute(folder).with_context(place)?)?;
    std::fs::create_dir_all(&folder).with_context(place)?;
    Ok(folder)
}

/// Writes a table into a folder, which is made if absent. The file is called
/// like the table and the moment; none is replaced. `fill` says how many rows
/// it wrote, about `total`.
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
pub(super) fn write_file<T>(path: &Path, fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let place = || path.display().to_string();
    anyhow::ensure!(!path.exists(), "{} is there already; try again in a second", path.display());
    let part = path.with_added_extension("part");
    // What another export is writing is left alone.
    let file = match std::fs::File::create_new(&part) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            anyhow::bail!("{} is being written by another export; try again in a second", path.display())
        }
        file => file.with_context(place)?,
    };
    let write = || -> anyhow::Result<T> {
        let mut out = BufWriter::new(file);
        let filled = fill(&mut out)?;
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&part, path)?;
        Ok(filled)
    };
    write().inspect_err(|_| drop(std::fs::remove_file(&part))).with_context(place)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_another_export_writes_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hits.csv");
        let part = folder.path().join("hits.csv.part");
        std::fs::write(&part, "half").unwrap();
        let error = write_file(&path, |_| Ok(())).unwrap_err().to_string();
        assert!(error.ends_with("is being written by another export; try again in a second"), "{error}");
        assert_eq!(std::fs::read_to_string(&part).unwrap(), "half");
        std::fs::remove_file(&part).unwrap();
        assert!(write_file::<()>(&path, |_| anyhow::bail!("full")).is_err());
        assert!(!part.exists() && !path.exists());
        write_file(&path, |out| Ok(out.write_all(b"whole")?)).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
    }
}
