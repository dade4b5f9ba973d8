//! Clock for the times of captures.

use super::CaptureDate;

/// The system's clock, or one that runs beside it: tests and the sample
/// collection date launches apart without waiting for months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clock {
    behind_ms: i64,
}

impl Clock {
    /// A clock that is so many days behind the system's.
    pub const fn days_behind(days: u32) -> Self {
        Self { behind_ms: days as i64 * 86_400_000 }
    }

    /// The present moment by this clock.
    pub fn now(self) -> CaptureDate {
        self.at(CaptureDate::now())
    }

    /// Time of this clock at an instant of the system's.
    pub fn at(self, instant: CaptureDate) -> CaptureDate {
        CaptureDate::from_millis(instant.millis().saturating_sub(self.behind_ms))
    }

    /// Whether this is not the system's time.
    pub fn is_shifted(self) -> bool {
        self.behind_ms != 0
    }
}
