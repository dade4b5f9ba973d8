//! The real window on a real workspace, under a screen that is not there.
//!
//! Runs where Xvfb, xdotool and ImageMagick's `import` are, and a binary with
//! the window is named in `FONDS_BIN`; required when `FONDS_REQUIRE` names
//! `window`.

use super::need;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ends a program when the test ends, whatever way.
struct RunningProgram(Child);

impl Drop for RunningProgram {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The pages, in their order, each with its key.
const PAGES: [(&str, &str); 11] = [
    ("Campaigns", "alt+Home"),
    ("Overview", "ctrl+1"),
    ("Spec", "ctrl+2"),
    ("Prospect", "ctrl+3"),
    ("Crawl", "ctrl+4"),
    ("Captures", "ctrl+5"),
    ("Search", "ctrl+6"),
    ("Links", "ctrl+7"),
    ("Review", "ctrl+8"),
    ("Select & export", "ctrl+9"),
    ("Files", "ctrl+shift+i"),
];

fn on_path(program: &str) -> bool {
    Command::new("which").arg(program).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// Whether a program can draw there: the server's socket is there before that.
fn answers(display: &str) -> bool {
    let request_count = Command::new("xdotool").arg("getdisplaygeometry").env("DISPLAY", display).output();
    request_count.is_ok_and(|answer| answer.status.success())
}

/// Starts a screen on a display number that is free, and says which.
fn screen() -> (RunningProgram, String) {
    for number in 120..160 {
        if Path::new(&format!("/tmp/.X{number}-lock")).exists() {
            continue;
        }
        let display = format!(":{number}");
        let child = Command::new("Xvfb")
            // Without the last it begins anew when the client that asked goes, and refuses others meanwhile.
            .args([&display, "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut running = RunningProgram(child);
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(10) {
            if answers(&display) {
                return (running, display);
            }
            if running.0.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    panic!("no screen could be started");
}

struct Desktop {
    display: String,
    folder: PathBuf,
    shots: PathBuf,
}

impl Desktop {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("DISPLAY", &self.display)
            .env("HOME", &self.folder)
            .env("XDG_RUNTIME_DIR", &self.folder)
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env_remove("WAYLAND_DISPLAY");
        command
    }

    fn xdotool(&self, args: &[&str]) -> String {
        let output = self.command("xdotool").args(args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// A screenshot as raw pixels.
    fn screenshot(&self, name: &str) -> Vec<u8> {
        let path = self.shots.join(format!("{name}.png"));
        assert!(self.command("import").args(["-window", "root"]).arg(&path).status().unwrap().success());
        let pixels = self.command("convert").arg(&path).arg("rgb:-").output().unwrap();
        pixels.stdout
    }

    /// Waits until the screen stands still and is not the one before.
    fn screenshot_when_still(&self, name: &str, before: Option<&[u8]>) -> Vec<u8> {
        let begin = Instant::now();
        let mut last = self.screenshot(name);
        loop {
            std::thread::sleep(Duration::from_millis(400));
            let now = self.screenshot(name);
            if (now == last && before.is_none_or(|before| before != now)) || begin.elapsed() > Duration::from_secs(60) {
                return now;
            }
            last = now;
        }
    }
}

fn colours(pixels: &[u8]) -> usize {
    pixels.chunks_exact(3).collect::<BTreeSet<_>>().len()
}

#[test]
fn every_page_shows_itself_in_a_real_window() {
    let missing: Vec<&str> =
        ["Xvfb", "xdotool", "import", "convert"].into_iter().filter(|program| !on_path(program)).collect();
    let binary = std::env::var_os("FONDS_BIN").map(PathBuf::from);
    let (Some(binary), []) = (binary, missing.as_slice()) else {
        return need::skip("window", &format!("the window needs FONDS_BIN and the programs {missing:?}"));
    };
    let dir = tempfile::tempdir().unwrap();
    let demo = Command::new(&binary).args(["demo", "--out"]).arg(dir.path().join("demo")).output().unwrap();
    assert!(demo.status.success(), "{}", String::from_utf8_lossy(&demo.stderr));
    let shots = std::env::var_os("FONDS_SHOTS").map_or_else(|| dir.path().join("shots"), PathBuf::from);
    std::fs::create_dir_all(&shots).unwrap();

    let (_screen, display) = screen();
    let desktop = Desktop { display, folder: dir.path().to_owned(), shots };
    let mut window = RunningProgram(
        desktop
            .command(binary.to_str().unwrap())
            .arg(dir.path().join("demo/workspace"))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let begin = Instant::now();
    let id = loop {
        let id = desktop.xdotool(&["search", "--onlyvisible", "--name", "Fonds$"]);
        if let Some(id) = id.lines().next() {
            break id.to_owned();
        }
        if window.0.try_wait().unwrap().is_some() {
            let mut message = String::new();
            window.0.stderr.take().unwrap().read_to_string(&mut message).unwrap();
            panic!("the window ended: {message}");
        }
        assert!(begin.elapsed() < Duration::from_secs(120), "the window did not open");
        std::thread::sleep(Duration::from_millis(200));
    };
    desktop.xdotool(&["windowmove", &id, "0", "0", "windowsize", &id, "1280", "800"]);
    // Without a window manager nobody else gives the window the keyboard.
    desktop.xdotool(&["windowfocus", &id]);

    let mut before = desktop.screenshot_when_still("0-start", None);
    let mut seen = Vec::new();
    for (number, (page, key)) in PAGES.iter().enumerate().skip(1).chain(std::iter::once((0, &PAGES[0]))) {
        let name = format!("{}-{}", number + 1, page.replace([' ', '&'], "-").to_lowercase());
        let press = || {
            desktop.xdotool(&["key", key]);
            desktop.screenshot_when_still(&name, Some(&before))
        };
        let mut now = press();
        if now == before {
            // The server of the screen may lose a key that comes before the window has the keyboard.
            desktop.xdotool(&["windowfocus", &id]);
            now = press();
        }
        assert!(now != before, "{key} does not change the page to {page}");
        assert!(colours(&now) > 30, "the page {page} is empty");
        assert!(!seen.contains(&now), "the page {page} looks like another one");
        assert!(window.0.try_wait().unwrap().is_none(), "the window ended on {page}");
        seen.push(now.clone());
        before = now;
    }
    // A row of the captures, its lower panel, the palette, the other theme.
    desktop.xdotool(&["key", "ctrl+5"]);
    before = desktop.screenshot_when_still("captures", Some(&before));
    desktop.xdotool(&["mousemove", "500", "320", "click", "1"]);
    let panel = desktop.screenshot_when_still("captures-panel", Some(&before));
    assert!(panel != before, "a click on a row shows nothing");
    desktop.xdotool(&["key", "ctrl+k"]);
    let palette = desktop.screenshot_when_still("palette", Some(&panel));
    assert!(palette != panel, "ctrl+k opens no palette");
    desktop.xdotool(&["key", "Escape"]);
    assert!(window.0.try_wait().unwrap().is_none(), "the window ended");
}
