//! Opens files that the program keeps at names of its own.
//!
//! A folder may be untrusted: a link at such a name leads to a file of the user. No link is followed here,
//! and nothing but a regular file is opened; opening a pipe would wait for its other end.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Opens a file at a name of our own.
///
/// # Errors
///
/// [`io::ErrorKind::InvalidInput`] where a link or anything else than a regular
/// file has the name, and errors of the system.
pub fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    #[cfg(not(unix))]
    check_own(path)?;
    let file = match options.open(path) {
        Err(error) => return Err(check_own(path).err().unwrap_or(error)),
        Ok(file) => file,
    };
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(not_own("no regular file")),
    }
}

/// Checks that a path can be read as a file. A link is followed; opening a pipe waits for its other end, and
/// a device may never end.
///
/// # Errors
///
/// [`io::ErrorKind::InvalidInput`] for anything else than a regular file; none
/// where nothing is there.
pub fn check_readable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file, and is not read"))
        }
        _ => Ok(()),
    }
}

/// Says whether a name is free or has a regular file.
fn check_own(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => Err(not_own("a link")),
        Ok(meta) if !meta.is_file() => Err(not_own("no regular file")),
        _ => Ok(()),
    }
}

fn not_own(what: &str) -> io::Error {
    let why = format!("this is {what}, and Fonds writes only into files of its own here. Delete it, then try again");
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Makes an empty file at a name of our own. What had the name goes, be it a
/// link or what a call that was killed left; where a link leads stays as it is.
///
/// # Errors
///
/// Errors of the system.
pub fn create_own(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::options().read(true).write(true).create_new(true).open(path)
}

/// Makes a file that only its owner may read, where the system has modes.
///
/// # Errors
///
/// Errors of the system; also where the file exists.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Lets only the owner of a file read it, where the system has modes.
///
/// # Errors
///
/// Errors of the system.
pub fn make_private(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Makes a folder that only its owner may enter, where the system has modes,
/// and those on the way to it. One that is there stays as it is.
///
/// # Errors
///
/// Errors of the system.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(_) if path.is_dir() => Ok(()),
        made => made,
    }
}

/// The folder with the settings of the person, where one is known.
pub fn settings_folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return Some(of("APPDATA")?.join("Fonds"));
    }
    if cfg!(target_os = "macos") {
        return Some(of("HOME")?.join("Library/Application Support/Fonds"));
    }
    Some(of("XDG_CONFIG_HOME").or_else(|| Some(of("HOME")?.join(".config")))?.join("fonds"))
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_link_is_followed_and_no_pipe_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("thesis"), "years of work").unwrap();
        symlink(path("thesis"), path("link")).unwrap();
        symlink(path("nowhere"), path("dangling")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        fs::create_dir(path("folder")).unwrap();
        for (name, what) in
            [("link", "a link"), ("dangling", "a link"), ("pipe", "no regular"), ("folder", "no regular")]
        {
            for options in [File::options().read(true), File::options().append(true).create(true)] {
                let error = open_own(&path(name), options).unwrap_err();
                assert!(error.to_string().contains(what), "{name}: {error}");
            }
        }
        create_own(&path("link")).unwrap().write_all(b"ours").unwrap();
        assert!(!path("nowhere").exists());
        assert_eq!(fs::read(path("thesis")).unwrap(), b"years of work");
        open_own(&path("new"), File::options().write(true).create(true)).unwrap();
    }
}
