//! Folders and files of a workspace are located here, and links in it are refused.

use crate::store::catalogue::error::StoreError;

use crate::jobs::{check_readable, is_file_name, plain_name};
use crate::store::catalogue::workspace::Workspace;
use crate::warc::OPEN_SUFFIX;
use std::path::{Component, Path, PathBuf};

impl Workspace {
    /// A folder that something is written into, given as in the workspace or
    /// absolute. A workspace may come from somebody else, and a link in it
    /// would lead what is written to files of the user.
    ///
    /// # Errors
    ///
    /// [`StoreError::Link`]; a folder outside the workspace was named by a
    /// person, and is theirs to choose.
    pub fn own_folder(&self, place: impl AsRef<Path>) -> Result<PathBuf, StoreError> {
        own_folder(self.folder(), place.as_ref())
    }

    /// The folder of a job's launches.
    ///
    /// # Errors
    ///
    /// A name that is no name of a folder, and [`StoreError::Link`].
    pub fn job_folder(&self, job: &str) -> Result<PathBuf, StoreError> {
        self.own_folder(Path::new("output/warcs").join(checked_job(job)?))
    }

    /// The folder of a launch's WARC files.
    ///
    /// # Errors
    ///
    /// As [`job_folder`](Self::job_folder).
    pub fn warc_folder(&self, job: &str, launch: &str) -> Result<PathBuf, StoreError> {
        self.own_folder(self.job_folder(job)?.join(checked_launch(launch)?))
    }

    /// The folder of a launch's logs.
    ///
    /// # Errors
    ///
    /// As [`job_folder`](Self::job_folder).
    pub fn log_folder(&self, job: &str, launch: &str) -> Result<PathBuf, StoreError> {
        self.own_folder(Path::new("output/logs").join(checked_job(job)?).join(checked_launch(launch)?))
    }

    /// The absolute path behind a file name of the catalogue. One that is
    /// absolute was named by a person.
    ///
    /// # Errors
    ///
    /// [`StoreError::Outside`], and where anything else than a file has the
    /// name: whoever opens a pipe would wait for its other end.
    pub fn stored_place(&self, stored: &str) -> Result<PathBuf, StoreError> {
        stored_place(self.folder(), stored)
    }

    /// The absolute path of a file of the catalogue; one that is still being written ends in `.open`.
    ///
    /// # Errors
    ///
    /// As [`stored_place`](Self::stored_place).
    pub fn file_path(&self, stored: &str) -> Result<PathBuf, StoreError> {
        let path = self.stored_place(stored)?;
        if !path.exists() {
            let open = self.stored_place(&format!("{stored}{OPEN_SUFFIX}"))?;
            if open.exists() {
                return Ok(open);
            }
        }
        Ok(path)
    }

    /// The file name the catalogue keeps for a path: relative inside the
    /// workspace, absolute outside.
    pub fn stored_name(&self, path: &Path) -> String {
        path.strip_prefix(self.folder()).unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// [`Workspace::own_folder`] of the workspace in a folder.
///
/// # Errors
///
/// [`StoreError::Link`].
pub fn own_folder(workspace: &Path, place: &Path) -> Result<PathBuf, StoreError> {
    let path = workspace.join(place);
    let below = path.strip_prefix(workspace).unwrap_or(Path::new(""));
    let mut on_the_way = workspace.to_owned();
    for part in below.components() {
        on_the_way.push(part);
        if on_the_way.is_symlink() {
            return Err(StoreError::Link(on_the_way));
        }
    }
    Ok(path)
}

/// [`Workspace::stored_place`] of the workspace in a folder.
pub(in crate::store) fn stored_place(workspace: &Path, stored: &str) -> Result<PathBuf, StoreError> {
    let path = Path::new(stored);
    if path.components().any(|part| matches!(part, Component::ParentDir)) {
        return Err(StoreError::Outside { workspace: workspace.to_owned(), name: stored.to_owned() });
    }
    let path = workspace.join(path);
    check_readable(&path).map_err(|source| StoreError::Io { path: path.clone(), source })?;
    Ok(path)
}

/// Job and launch have the names of folders, as everything in the catalogue that
/// is a folder on the disk.
///
/// # Errors
///
/// Which of them has not.
pub fn check_launch_name(job: &str, launch: &str) -> Result<(), StoreError> {
    checked_job(job)?;
    checked_launch(launch).map(drop)
}

/// A job as the catalogue names it, where that is the name of a folder.
fn checked_job(job: &str) -> Result<&str, StoreError> {
    let mut parts = Path::new(job).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) if name == job => Ok(job),
        _ => Err(StoreError::Content(format!("the job name “{job}”, which is no name of a folder"))),
    }
}

/// A launch as the catalogue names it: the time that it began, in 14 digits.
fn checked_launch(launch: &str) -> Result<&str, StoreError> {
    match launch.len() == 14 && launch.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(launch),
        false => Err(StoreError::Content(format!("the launch name “{launch}”, which is not a date of 14 digits"))),
    }
}

/// A folder name out of a campaign's title: letters, digits and dashes only,
/// since titles are typed by people and folders are not theirs to choose.
pub(crate) fn job_name(title: &str) -> String {
    let mut name = String::new();
    for c in plain_name(title, "").chars() {
        if c != '-' {
            name.extend(c.to_lowercase());
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
        if name.len() >= 60 {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    match name {
        "" => "campaign".to_owned(),
        // Windows has no folder that is called con.
        name if !is_file_name(name) => format!("{name}-"),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_hold_nothing_of_a_hostile_title() {
        assert_eq!(job_name("Vila Nova: Ria & Festival 2024"), "vila-nova-ria-festival-2024");
        assert_eq!(job_name("../../etc/passwd"), "etc-passwd");
        assert_eq!(job_name("…"), "campaign");
        assert_eq!(job_name("NUL"), "nul-");
        assert_eq!(job_name("E\u{301}tat civil"), job_name("État civil"));
        assert_eq!(job_name("État civil"), "état-civil");
    }
}
