//! Costs of running: time of the processor, which a busy machine does not
//! change as it changes the clock, and memory. None where the system does
//! not report them as Linux does.

// Each benchmark takes what it needs.
#![allow(dead_code)]

use std::time::Duration;

/// Processor time of all threads so far.
pub fn cpu_time() -> Duration {
    #[cfg(unix)]
    return time_of(rustix::time::ClockId::ProcessCPUTime);
    #[cfg(not(unix))]
    Duration::ZERO
}

/// Processor time of this thread so far.
pub fn thread_time() -> Duration {
    #[cfg(unix)]
    return time_of(rustix::time::ClockId::ThreadCPUTime);
    #[cfg(not(unix))]
    Duration::ZERO
}

#[cfg(unix)]
fn time_of(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Bytes of memory of its own now: what is read of files is not counted.
pub fn resident() -> u64 {
    state_bytes("RssAnon:")
}

/// Bytes of memory at the highest since it was last measured from here on.
pub fn peak() -> u64 {
    state_bytes("VmHWM:")
}

/// Measures the highest from here on.
pub fn forget_peak() {
    _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Bytes of a line of the process's state.
fn state_bytes(name: &str) -> u64 {
    let state = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = state.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}
