//! Profiles of revisit records.

/// Value of `WARC-Profile` of a revisit (WARC/1.1, 6.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevisitProfile {
    /// The payload has the digest of one that was captured before.
    IdenticalPayload,
    /// The server answered 304, not modified.
    ServerNotModified,
    /// A profile that is not known: the block means nothing to us.
    Other(String),
}

impl RevisitProfile {
    /// Reads a profile. Writers in the wild put other versions into the URI, leave `revisit/` out, use https,
    /// brackets, or a slash at the end; their last part identifies the profile.
    pub fn parse(uri: &str) -> Self {
        let bare = uri.trim().trim_matches(['<', '>', '/']).to_ascii_lowercase();
        match bare.rsplit('/').next().unwrap_or_default() {
            "identical-payload-digest" | "uri-agnostic-identical-payload-digest" => Self::IdenticalPayload,
            "server-not-modified" => Self::ServerNotModified,
            _ => Self::Other(uri.trim().to_owned()),
        }
    }

    /// Whether `uri` is spelled as WARC/1.0 or 1.1 has it.
    pub fn is_standard(&self, uri: &str) -> bool {
        let profile = match self {
            Self::IdenticalPayload => "identical-payload-digest",
            Self::ServerNotModified => "server-not-modified",
            Self::Other(_) => return false,
        };
        let uri = uri.trim();
        ["1.0", "1.1"].iter().any(|version| uri == format!("http://netpreserve.org/warc/{version}/revisit/{profile}"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::warc::REVISIT_NOT_MODIFIED;

    #[test]
    fn profiles_of_the_wild_are_understood() {
        let check = |uri: &str, expected: RevisitProfile, standard: bool| {
            let profile = RevisitProfile::parse(uri);
            assert_eq!(profile, expected, "{uri}");
            assert_eq!(profile.is_standard(uri), standard, "{uri}");
        };
        use RevisitProfile::{IdenticalPayload, Other, ServerNotModified};
        check("http://netpreserve.org/warc/1.0/revisit/identical-payload-digest", IdenticalPayload, true);
        check("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", IdenticalPayload, true);
        check("http://netpreserve.org/warc/1.0/revisit/server-not-modified", ServerNotModified, true);
        check(REVISIT_NOT_MODIFIED, ServerNotModified, true);
        check("http://netpreserve.org/warc/0.18/revisit/identical-payload-digest", IdenticalPayload, false);
        check("http://netpreserve.org/warc/1.0/revisit/uri-agnostic-identical-payload-digest", IdenticalPayload, false);
        check("http://netpreserve.org/warc/1.1/server-not-modified", ServerNotModified, false);
        check("<https://netpreserve.org/warc/1.1/revisit/server-not-modified/>", ServerNotModified, false);
        check("http://example.org/other", Other("http://example.org/other".to_owned()), false);
        check("", Other(String::new()), false);
    }
}
