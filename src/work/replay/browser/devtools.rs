//! The DevTools protocol of Chromium over two pipes: nobody else can attach to the browser.

use anyhow::Context;
use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a command may take.
const COMMAND_TIME: Duration = Duration::from_secs(20);
/// Bytes of a message beyond which a browser is given up: a picture of a page is some megabytes.
const MAX_MESSAGE_BYTES: u64 = 256 << 20;
/// Events that wait; the oldest go first.
const MOST_EVENTS: usize = 20_000;

/// A running browser; it ends when dropped.
pub(super) struct Devtools {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    events: VecDeque<Value>,
    next: u64,
}

impl Devtools {
    /// Starts a program with arguments; its pipes are its third and fourth file.
    ///
    /// # Errors
    ///
    /// A program that cannot be started.
    pub(super) fn start(program: &std::path::Path, arguments: &[String]) -> anyhow::Result<Self> {
        // The shell moves both pipes to where Chromium reads and writes.
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"]);
        command.arg(program).args(arguments);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0); // Ctrl-C is for this program alone.
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = started.with_context(|| format!("{} cannot be started", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            anyhow::bail!("{}: it has no pipes", program.display());
        };
        let (sender, messages) = unbounded();
        std::thread::Builder::new().name("browser".into()).spawn(move || {
            let mut output = BufReader::new(output);
            let mut bytes = Vec::new();
            while let Ok(len) = output.by_ref().take(MAX_MESSAGE_BYTES).read_until(0, &mut bytes) {
                if len == 0 || bytes.pop() != Some(0) {
                    return;
                }
                if let Ok(message) = serde_json::from_slice(&bytes)
                    && sender.send(message).is_err()
                {
                    return;
                }
                bytes.clear();
            }
        })?;
        Ok(Self { child, input, messages, events: VecDeque::new(), next: 0 })
    }

    /// Sends a command, for the browser or a session of it, and waits for its result.
    ///
    /// # Errors
    ///
    /// A browser that ended or does not answer, and what it answers instead of a result.
    pub(super) fn call(&mut self, session: Option<&str>, method: &str, parameters: &Value) -> anyhow::Result<Value> {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        // A pipe that broke is the browser's, not that of standard output.
        anyhow::ensure!(self.input.write_all(&bytes).is_ok(), "the browser ended");
        let until = Instant::now() + COMMAND_TIME;
        loop {
            let answer = self.receive(until)?.with_context(|| format!("the browser does not answer {method}"))?;
            if answer["id"] != id {
                self.keep(answer);
                continue;
            }
            if let Some(error) = answer["error"]["message"].as_str() {
                anyhow::bail!("the browser refuses {method}: {error}");
            }
            return Ok(answer["result"].clone());
        }
    }

    /// The next event until a moment; none where none came.
    ///
    /// # Errors
    ///
    /// A browser that ended.
    pub(super) fn event(&mut self, until: Instant) -> anyhow::Result<Option<Value>> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        self.receive(until)
    }

    fn keep(&mut self, event: Value) {
        if event["method"].is_string() {
            if self.events.len() == MOST_EVENTS {
                self.events.pop_front();
            }
            self.events.push_back(event);
        }
    }

    fn receive(&mut self, until: Instant) -> anyhow::Result<Option<Value>> {
        match self.messages.recv_deadline(until) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the browser ended"),
        }
    }

    /// Whether it still runs.
    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Devtools {
    fn drop(&mut self) {
        drop(self.call(None, "Browser.close", &json!({})));
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
