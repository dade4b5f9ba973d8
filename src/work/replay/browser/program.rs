//! Which browser there is, and how it is started so that it reaches nothing but the archive.

use std::path::{Path, PathBuf};

/// Names of Chromium and its relatives on the search path, the one without a window first.
const NAMES: [&str; 6] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge",
];
/// Where systems without such names have them.
const PLACES: [&str; 3] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/// The browser that is used: the one that is named, else one that is found; none where there is none. `shows` is
/// whether it needs a window.
pub fn find_browser(named: Option<&Path>, shows: bool) -> Option<PathBuf> {
    if let Some(named) = named {
        return is_program(named).then(|| named.to_owned());
    }
    // Pipes of a browser are moved by the shell of Unix.
    if !cfg!(unix) {
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let names = NAMES.iter().filter(|name| !(shows && name.contains("headless")));
    let mut found = names.flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    found
        .find(|program| is_program(program))
        .or_else(|| PLACES.iter().map(PathBuf::from).find(|program| is_program(program)))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The arguments of a browser with a profile of its own, whose every connection goes to a proxy at this port of
/// loopback, which has the certificate with this pin.
pub(super) fn arguments(profile: &Path, port: u16, pin: &str, is_headless: bool) -> Vec<String> {
    let mut arguments = vec![
        format!("--user-data-dir={}", profile.display()),
        format!("--proxy-server=127.0.0.1:{port}"),
        // Archived pages of this machine come from the archive, too.
        "--proxy-bypass-list=<-loopback>".to_owned(),
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1".to_owned(),
        format!("--ignore-certificate-errors-spki-list={pin}"),
    ];
    let fixed = [
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
        "--disable-default-apps",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        "--disable-features=OptimizationHints,Translate,MediaRouter,AutofillServerCommunication",
        "--password-store=basic",
        "--use-mock-keychain",
        "--metrics-recording-only",
        "--mute-audio",
    ];
    arguments.extend(fixed.map(str::to_owned));
    if is_headless {
        let headless = [
            "--headless=new",
            "--remote-debugging-pipe",
            "--hide-scrollbars",
            "--disable-gpu",
            "--no-startup-window",
            "--disable-dev-shm-usage",
        ];
        arguments.extend(headless.map(str::to_owned));
    }
    if is_administrator() {
        // Chromium does not start for the administrator with its sandbox.
        arguments.push("--no-sandbox".to_owned());
    }
    arguments
}

#[cfg(unix)]
fn is_administrator() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0)
}

#[cfg(not(unix))]
fn is_administrator() -> bool {
    false
}
