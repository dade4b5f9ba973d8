//! One page in a browser: opened, waited for, read.

use super::devtools::Devtools;
use anyhow::Context;
use data_encoding::BASE64;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Width and height of the window in CSS pixels.
pub(super) const VIEWPORT: [u32; 2] = [1280, 800];
/// A page is at rest when nothing was requested for so long after it was loaded.
const REST: Duration = Duration::from_secs(1);
/// A page that does not come to rest is read after so long.
const MOST_TIME: Duration = Duration::from_secs(15);
/// Errors of scripts that are kept, and letters of each.
const MOST_ERRORS: usize = 50;
const ERROR_LETTERS: usize = 300;
/// Letters of the text that are read.
const TEXT_LETTERS: usize = 4 << 20;

/// A page as a browser showed it.
#[derive(Debug, Clone, Default)]
pub(super) struct ShownPage {
    /// The address at the end.
    pub(super) url: String,
    /// Its text as it was shown. Hostile text.
    pub(super) text: String,
    /// The window as PNG.
    pub(super) picture: Vec<u8>,
    /// Errors of its scripts. Hostile text.
    pub(super) errors: Vec<String>,
    /// Whether it came to rest.
    pub(super) is_at_rest: bool,
}

/// Opens a URL in a window that knows nothing of earlier ones, and reads it. `is_stopped` ends the wait.
///
/// # Errors
///
/// A browser that ended or does not answer; a page that cannot be opened.
pub(super) fn show_page(browser: &mut Devtools, url: &str, is_stopped: &dyn Fn() -> bool) -> anyhow::Result<ShownPage> {
    let context = browser.call(None, "Target.createBrowserContext", &json!({"disposeOnDetach": true}))?;
    let context = text_of(&context, "browserContextId")?;
    let shown = show_in(browser, &context, url, is_stopped);
    browser.call(None, "Target.disposeBrowserContext", &json!({"browserContextId": context}))?;
    shown
}

fn show_in(
    browser: &mut Devtools,
    context: &str,
    url: &str,
    is_stopped: &dyn Fn() -> bool,
) -> anyhow::Result<ShownPage> {
    let [width, height] = VIEWPORT;
    browser.call(None, "Browser.setDownloadBehavior", &json!({"behavior": "deny", "browserContextId": context}))?;
    let target = browser.call(
        None,
        "Target.createTarget",
        &json!({"url": "about:blank", "browserContextId": context, "width": width, "height": height}),
    )?;
    let target = text_of(&target, "targetId")?;
    let session = browser.call(None, "Target.attachToTarget", &json!({"targetId": target, "flatten": true}))?;
    let session = text_of(&session, "sessionId")?;
    let session = session.as_str();
    for domain in ["Page", "Network", "Runtime"] {
        browser.call(Some(session), &format!("{domain}.enable"), &json!({}))?;
    }
    let screen = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
    browser.call(Some(session), "Emulation.setDeviceMetricsOverride", &screen)?;
    let mut shown = ShownPage::default();
    let opened = browser.call(Some(session), "Page.navigate", &json!({"url": url}))?;
    if let Some(error) = opened["errorText"].as_str().filter(|error| !error.is_empty() && *error != "net::ERR_ABORTED")
    {
        anyhow::bail!("the browser cannot open it: {error}");
    }
    wait(browser, session, &mut shown, is_stopped)?;
    let tree = browser.call(Some(session), "Page.getFrameTree", &json!({}))?;
    let frame = &tree["frameTree"]["frame"];
    shown.url = frame["url"].as_str().unwrap_or_default().to_owned();
    // In a world of its own, no script of the page answers.
    let world = browser.call(
        Some(session),
        "Page.createIsolatedWorld",
        &json!({"frameId": frame["id"], "worldName": "fonds"}),
    )?;
    let expression = format!("((document.body && document.body.innerText) || '').slice(0, {TEXT_LETTERS})");
    let text = browser.call(
        Some(session),
        "Runtime.evaluate",
        &json!({"expression": expression, "contextId": world["executionContextId"], "returnByValue": true}),
    )?;
    shown.text = text["result"]["value"].as_str().unwrap_or_default().to_owned();
    let picture = browser.call(Some(session), "Page.captureScreenshot", &json!({"format": "png"}))?;
    shown.picture = BASE64
        .decode(picture["data"].as_str().unwrap_or_default().as_bytes())
        .context("the browser's picture cannot be read")?;
    Ok(shown)
}

/// Waits until a page is loaded and at rest, or for [`MOST_TIME`].
fn wait(
    browser: &mut Devtools,
    session: &str,
    shown: &mut ShownPage,
    is_stopped: &dyn Fn() -> bool,
) -> anyhow::Result<()> {
    let last = Instant::now() + MOST_TIME;
    let (mut is_loaded, mut open, mut changed) = (false, HashSet::new(), Instant::now());
    loop {
        let now = Instant::now();
        if is_loaded && open.is_empty() && now >= changed + REST {
            shown.is_at_rest = true;
            return Ok(());
        }
        if now >= last || is_stopped() {
            return Ok(());
        }
        let Some(event) = browser.event((now + Duration::from_millis(100)).min(last))? else { continue };
        if event["sessionId"] != session {
            continue;
        }
        let parameters = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Page.loadEventFired" => (is_loaded, changed) = (true, now),
            "Network.requestWillBeSent" => {
                let is_local = ["data:", "blob:"]
                    .iter()
                    .any(|scheme| parameters["request"]["url"].as_str().unwrap_or_default().starts_with(scheme));
                if !is_local {
                    changed = now;
                    open.insert(parameters["requestId"].to_string());
                }
            }
            "Network.loadingFinished" | "Network.loadingFailed"
                if open.remove(&parameters["requestId"].to_string()) =>
            {
                changed = now;
            }
            "Runtime.exceptionThrown" if shown.errors.len() < MOST_ERRORS => {
                shown.errors.push(error_text(&parameters["exceptionDetails"]));
            }
            "Page.javascriptDialogOpening" => {
                browser.call(Some(session), "Page.handleJavaScriptDialog", &json!({"accept": false}))?;
            }
            "Inspector.targetCrashed" => anyhow::bail!("the page crashed in the browser"),
            _ => {}
        }
    }
}

fn error_text(details: &Value) -> String {
    let description = details["exception"]["description"].as_str().or(details["text"].as_str()).unwrap_or_default();
    description.lines().next().unwrap_or_default().chars().take(ERROR_LETTERS).collect()
}

fn text_of(answer: &Value, name: &str) -> anyhow::Result<String> {
    answer[name].as_str().map(str::to_owned).with_context(|| format!("the browser names no {name}"))
}
