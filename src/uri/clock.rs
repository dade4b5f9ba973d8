//! What tells the time of captures.

use super::CaptureDate;

/// The system's clock, or one that runs beside it: tests and the sample
/// collection date launches apart without waiting for months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clock {
    behind_ms: i64,
}

impl Clock {
    /// A clock that stands so many days behind the system's.
    pub const fn days_behind(days: u32) -> Self {
        Self { behind_ms: days as i64 * 86_400_000 }
    }

    /// The present moment by this clock.
    pub fn now(self) -> CaptureDate {
        CaptureDate::from_millis(CaptureDate::now().millis() - self.behind_ms)
    }

    /// Whether this is not the system's time.
    pub fn is_shifted(self) -> bool {
        self.behind_ms != 0
    }
}
