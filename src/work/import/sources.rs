//! An import reads the files that it is given, and the archive files in folders.

use super::package::listed_packages;
use crate::jobs::JobCx;
use crate::store::mtime_ns;
use crate::warc::OPEN_SUFFIX;
use crate::warc::wacz::stays_inside;
use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// Names of files passed over that are kept.
const MAX_PASSED_PATHS: usize = 1000;

/// A file to import, or one that cannot be read.
#[derive(Debug, Clone)]
pub(in crate::work) struct SourceFile {
    /// Its path; without links in it, where they could be resolved.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// When it was written last, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Why it cannot be read.
    pub trouble: Option<String>,
}

impl SourceFile {
    fn of(path: PathBuf, meta: &Metadata) -> Self {
        Self { path, size: meta.len(), mtime_ns: mtime_ns(meta), trouble: None }
    }

    fn in_trouble(path: PathBuf, why: impl Into<String>) -> Self {
        Self { path, size: 0, mtime_ns: 0, trouble: Some(why.into()) }
    }

    /// The path as reports and the catalogue write it.
    pub(super) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// The files that were found, and those passed over.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// The named paths, without links in them.
    pub named: Vec<String>,
    /// Files to import, in the order of their paths, each once.
    pub files: Vec<SourceFile>,
    /// Files in folders that are no archives by their names.
    pub passed_over: u64,
    /// The first of them.
    pub passed_paths: Vec<String>,
    visited: HashSet<PathBuf>,
    /// The folder that was named, without links in it, where nothing outside it is read.
    within: Option<PathBuf>,
}

/// Finds the files that are named, and the archive files in named folders. Links in those that lead
/// out of them are followed only with `follow_links`.
pub(super) fn find(paths: &[PathBuf], follow_links: bool, cx: &JobCx) -> anyhow::Result<Search> {
    let mut search = Search::default();
    for path in paths {
        match path.canonicalize() {
            Err(error) => {
                // As it will be called when it is there.
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                search.named.push(path.to_string_lossy().into_owned());
                search.files.push(SourceFile::in_trouble(path, error.to_string()));
            }
            Ok(path) => {
                search.named.push(path.to_string_lossy().into_owned());
                search.within = (!follow_links).then(|| path.clone());
                search.add(path, true, &is_archive_name, cx)?;
            }
        }
    }
    search.in_order();
    Ok(search)
}

/// The target of a path that leads out of a folder, which is given without links in it.
pub(in crate::work) fn leads_out(path: &Path, folder: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().filter(|target| !target.starts_with(folder))
}

/// Whether an archive file is in a folder or in those within it.
pub(in crate::work) fn has_archives(folder: &Path) -> anyhow::Result<bool> {
    let mut visited = HashSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?.path();
            // Links may lead round in a circle.
            if path.is_dir() {
                folders.extend(path.canonicalize().ok().filter(|real| visited.insert(real.clone())));
            } else if is_archive_name(&path) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Every file under a folder, whatever it is called.
pub(in crate::work) fn find_all(folder: &Path, cx: &JobCx) -> anyhow::Result<Vec<SourceFile>> {
    let mut search = Search::default();
    let folder = folder.canonicalize().map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?;
    search.add(folder, true, &|_| true, cx)?;
    search.in_order();
    Ok(search.files)
}

impl Search {
    fn add(&mut self, path: PathBuf, named: bool, accepts: &dyn Fn(&Path) -> bool, cx: &JobCx) -> anyhow::Result<()> {
        cx.checkpoint()?;
        let meta = match fs::metadata(&path) {
            Ok(meta) => meta,
            Err(error) => {
                match named || accepts(&path) {
                    true => self.files.push(SourceFile::in_trouble(path, error.to_string())),
                    false => self.pass_over(&path),
                }
                return Ok(());
            }
        };
        if let Some(target) = self.leads_out(&path)
            && (meta.is_dir() || accepts(&path))
        {
            self.files.push(SourceFile::in_trouble(path, is_not_followed(&target)));
            return Ok(());
        }
        if meta.is_dir() {
            return self.add_folder(path, accepts, cx);
        }
        if !named && !accepts(&path) {
            self.pass_over(&path);
        } else if !meta.is_file() {
            self.files.push(SourceFile::in_trouble(path, "this is neither a file nor a folder"));
        } else if is_open(&path) {
            let why = "it is still being written, or was left by a program that was killed: its name ends in .open. \
                       Import it when it is closed, or take the ending away if nothing writes it any more";
            self.files.push(SourceFile::in_trouble(path, why));
        } else if named && let Some(listed) = listed_packages(&path) {
            for package in listed {
                self.add_listed(&path, package, cx)?;
            }
        } else {
            // A link in a folder leads to where the file really is.
            let path = path.canonicalize().unwrap_or(path);
            self.files.push(SourceFile::of(path, &meta));
        }
        Ok(())
    }

    /// A package that the list at `list` names.
    fn add_listed(&mut self, list: &Path, package: String, cx: &JobCx) -> anyhow::Result<()> {
        let at = list.with_file_name(&package);
        let folder = list.parent().unwrap_or(list);
        let target = leads_out(&at, folder).filter(|_| self.within.is_some());
        let why = if package.contains("://") {
            self.files.push(SourceFile::in_trouble(
                PathBuf::from(package),
                "a package on the web, which is not fetched: download it, and import its file",
            ));
            return Ok(());
        } else if !stays_inside(&package) {
            "the list of packages names it outside of its own folder: import it by its path".to_owned()
        } else if let Some(target) = target {
            is_not_followed(&target)
        } else if !at.is_dir() && !is_archive_name(&at) {
            // A list may name itself.
            "the list of packages names it, and it is neither a package nor an archive by its name: \
             import it by its path"
                .to_owned()
        } else {
            let within = self.within.as_ref().map(|_| folder.to_owned());
            let outer = std::mem::replace(&mut self.within, within);
            let added = self.add(at, true, &is_archive_name, cx);
            self.within = outer;
            return added;
        };
        self.files.push(SourceFile::in_trouble(at, why));
        Ok(())
    }

    /// The target of a link that may not be followed.
    fn leads_out(&self, path: &Path) -> Option<PathBuf> {
        leads_out(path, self.within.as_ref().filter(|_| path.is_symlink())?)
    }

    fn add_folder(&mut self, folder: PathBuf, accepts: &dyn Fn(&Path) -> bool, cx: &JobCx) -> anyhow::Result<()> {
        // Links may lead round in a circle.
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        if !self.visited.insert(real) {
            return Ok(());
        }
        cx.note(folder.display().to_string());
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.files.push(SourceFile::in_trouble(folder, format!("the folder cannot be read: {error}")));
                return Ok(());
            }
        };
        for entry in entries {
            match entry {
                Ok(entry) => self.add(entry.path(), false, accepts, cx)?,
                Err(error) => {
                    let why = format!("the folder cannot be read to its end: {error}");
                    self.files.push(SourceFile::in_trouble(folder, why));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn pass_over(&mut self, path: &Path) {
        // Those are read for the campaigns in them.
        if crate::work::files::campaign_files::is_campaign_file(path) {
            return;
        }
        self.passed_over += 1;
        if self.passed_paths.len() < MAX_PASSED_PATHS {
            self.passed_paths.push(path.to_string_lossy().into_owned());
        }
    }

    fn in_order(&mut self) {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.files.dedup_by(|a, b| a.path == b.path);
        self.passed_paths.sort();
    }
}

fn is_not_followed(target: &Path) -> String {
    let target = target.display();
    format!(
        "this link leads out of the folder, to {target}, and is not followed. Name what it leads to, or give --follow-links"
    )
}

fn is_open(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(OPEN_SUFFIX))
}

/// Whether a file found in a folder is worth reading, by name: a folder may
/// hold gigabytes of other things. A file named by a person is always read.
pub(in crate::work) fn is_archive_name(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(OPEN_SUFFIX).unwrap_or(&name);
    // What macOS keeps of a file on disks of other systems, under its name.
    if name.starts_with("._") {
        return false;
    }
    if name.ends_with(".wacz") {
        return true;
    }
    let packed = ["", ".gz", ".zst"].iter().find_map(|ending| {
        let stem = name.strip_suffix(ending)?;
        (stem.ends_with(".warc") || stem.ends_with(".arc")).then_some(())
    });
    packed.is_some()
}

/// Files of one size together, in the order of the first of them: only they
/// can be copies of each other.
pub(super) fn by_size(files: Vec<SourceFile>) -> Vec<Vec<SourceFile>> {
    let mut groups: Vec<Vec<SourceFile>> = Vec::new();
    let mut of_size: HashMap<u64, usize> = HashMap::new();
    for file in files {
        match of_size.get(&file.size) {
            // What cannot be read has no size.
            Some(&group) if file.trouble.is_none() => groups[group].push(file),
            _ => {
                if file.trouble.is_none() {
                    of_size.insert(file.size, groups.len());
                }
                groups.push(vec![file]);
            }
        }
    }
    groups
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_known_by_name_in_folders() {
        for name in ["a.warc", "a.warc.gz", "A.ARC.GZ", "a.warc.zst", "a.arc", "a.warc.gz.open", "a.wacz"] {
            assert!(is_archive_name(Path::new(name)), "{name}");
        }
        for name in ["a.gz", "warc", "a.warc.txt", "a.open"] {
            assert!(!is_archive_name(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn files_of_one_size_stay_together() {
        let file = |name: &str, size| SourceFile { path: name.into(), size, mtime_ns: 0, trouble: None };
        let lost = SourceFile::in_trouble("lost".into(), "gone");
        let groups = by_size(vec![file("a", 5), lost.clone(), file("b", 0), file("c", 5), lost]);
        let names: Vec<Vec<String>> = groups.iter().map(|group| group.iter().map(SourceFile::name).collect()).collect();
        assert_eq!(names, [vec!["a", "c"], vec!["lost"], vec!["b"], vec!["lost"]]);
    }

    #[cfg(unix)]
    #[test]
    fn a_circle_of_links_is_walked_once() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        fs::write(dir.path().join("in/a.warc"), "x").unwrap();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("in/round")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("in/a.warc"), dir.path().join("same.warc")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("nowhere"), dir.path().join("gone.warc")).unwrap();
        let search = find(&[dir.path().to_owned()], false, &JobCx::detached()).unwrap();
        let names: Vec<_> = search.files.iter().map(|file| file.path.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["gone.warc", "a.warc"]);
        assert!(search.files[0].trouble.as_ref().unwrap().contains("No such file"));
        // One that leads out of the folder is followed by option only.
        let inside = [dir.path().join("in")];
        for (follows, names) in [(false, ["a.warc", "round"]), (true, ["a.warc", "gone.warc"])] {
            let search = find(&inside, follows, &JobCx::detached()).unwrap();
            let found: Vec<_> = search.files.iter().map(|file| file.path.file_name().unwrap().to_owned()).collect();
            assert_eq!(found, names, "follows links: {follows}");
        }
    }
}
