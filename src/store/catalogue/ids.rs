//! Numbers of rows in the catalogue, a type each: the number of a capture is never taken for that of a launch.
//!
//! In SQL, JSON and text they are plain numbers. Rooms that do not know the store take them as such.

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::num::{ParseIntError, TryFromIntError};
use std::str::FromStr;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// The highest number.
            pub const MAX: Self = Self(i64::MAX);

            /// The row of this number.
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// Its number.
            pub const fn get(self) -> i64 {
                self.0
            }

            /// The number without a sign, as keys of tables and links have it.
            pub const fn unsigned_abs(self) -> u64 {
                self.0.unsigned_abs()
            }
        }

        impl Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIntError;

            fn from_str(text: &str) -> Result<Self, ParseIntError> {
                text.parse().map(Self)
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl TryFrom<u64> for $name {
            type Error = TryFromIntError;

            fn try_from(number: u64) -> Result<Self, TryFromIntError> {
                number.try_into().map(Self)
            }
        }

        impl TryFrom<usize> for $name {
            type Error = TryFromIntError;

            fn try_from(number: usize) -> Result<Self, TryFromIntError> {
                number.try_into().map(Self)
            }
        }

        impl TryFrom<$name> for u64 {
            type Error = TryFromIntError;

            fn try_from(id: $name) -> Result<Self, TryFromIntError> {
                id.0.try_into()
            }
        }

        impl TryFrom<$name> for usize {
            type Error = TryFromIntError;

            fn try_from(id: $name) -> Result<Self, TryFromIntError> {
                id.0.try_into()
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                i64::column_result(value).map(Self)
            }
        }
    )*};
}

ids! {
    /// Number of a campaign in the catalogue.
    CampaignId
    /// Number of a capture in the catalogue. The default is before the first.
    CaptureId
    /// Number of a launch (one run of a crawl, or one import) in the catalogue.
    LaunchId
    /// Number of an archive file in the catalogue.
    FileId
    /// Number of a URL in the catalogue.
    UrlId
    /// Number of a page, which all spellings of its URL share, in the catalogue.
    PageId
    /// Number of a host, with its port where that is no default, in the catalogue.
    HostId
    /// Number of a row of a URL that a launch has seen.
    SeenId
    /// Number of a run that a schedule called for.
    RunId
    /// Number of a problem of an archive file.
    ProblemId
    /// Number of a sample that is reviewed.
    SampleId
}
