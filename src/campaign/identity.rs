//! Identity of a campaign across workspaces, and the version that each
//! version was made from.
//!
//! The identity is made when a campaign is saved in a workspace for the first
//! time. It travels in the files of the campaign, and is no part of what a
//! person wants of it: [`Campaign`] does not have it.

use super::{Campaign, CampaignFileError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::{self, Display};
use std::str::FromStr;
use uuid::Uuid;

/// Fields of a campaign file beside those of a campaign.
const LINEAGE_FIELDS: [&str; 3] = ["identity", "digest", "parent"];

/// A UUID (RFC 9562) that something has in every workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(Uuid);

impl Identity {
    /// A new one (version 4).
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(Uuid::new_v4())
    }

    /// The one of something that came without any (version 8): made of what it
    /// is known by, so that it is the same wherever it comes in again.
    pub fn of_parts<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update((part.as_ref().len() as u64).to_be_bytes());
            digest.update(part);
        }
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(digest.finalize()).for_each(|(byte, of)| *byte = of);
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// Formats the identity as a URN.
    pub fn urn(&self) -> String {
        format!("urn:uuid:{self}")
    }
}

impl Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for Identity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match Uuid::try_parse(text.trim()) {
            Ok(uuid) if !uuid.is_nil() && !uuid.is_max() => Ok(Self(uuid)),
            _ => Err("this is no UUID, such as 1b4e28ba-2fa1-4d2c-883f-0016d3cca427".to_owned()),
        }
    }
}

impl Serialize for Identity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A version of a campaign as a file has it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CampaignFile {
    /// Which campaign it is; none of `fonds campaign example`, of files that
    /// people write, and of files of earlier programs.
    pub identity: Option<Identity>,
    /// Digest of the version that was written; where a person edited the file
    /// since, [`Campaign::digest`] gives another one.
    pub digest: Option<String>,
    /// Digest of the version that this one was made from; none of a first one.
    pub parent: Option<String>,
    /// Its content.
    pub campaign: Campaign,
}

impl Campaign {
    /// Reads the campaign in a campaign file. Values that can be read but
    /// make no sense are found by [`Campaign::problems`].
    pub fn from_json(text: &str) -> Result<Self, CampaignFileError> {
        Ok(CampaignFile::from_json(text)?.campaign)
    }
}

impl CampaignFile {
    /// Reads a campaign file.
    ///
    /// # Errors
    ///
    /// Text that is no campaign; an identity that is no UUID, a digest that is none.
    pub fn from_json(text: &str) -> Result<Self, CampaignFileError> {
        let mut campaign = Campaign::with_lineage_fields(text)?;
        let wrong = |field: &str, why: String| CampaignFileError {
            line: line_of(text, field),
            column: 1,
            field: field.to_owned(),
            why,
        };
        let mut take = |field: &str| match campaign.other.shift_remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(wrong(field, "expected a text".to_owned())),
        };
        let [identity, digest, parent] = LINEAGE_FIELDS;
        let (named, digest_text, parent_text) = (take(identity)?, take(digest)?, take(parent)?);
        let named = named.map(|text| text.parse().map_err(|why| wrong(identity, why))).transpose()?;
        for (field, value) in [(digest, &digest_text), (parent, &parent_text)] {
            if value.as_ref().is_some_and(|text| !is_digest(text)) {
                return Err(wrong(field, "this is no SHA-256 in hexadecimal".to_owned()));
            }
        }
        Ok(Self { identity: named, digest: digest_text, parent: parent_text, campaign })
    }

    /// Writes a campaign file, indented, with a line break at its end.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Fields<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            identity: Option<Identity>,
            #[serde(skip_serializing_if = "Option::is_none")]
            digest: &'a Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            parent: &'a Option<String>,
            #[serde(flatten)]
            campaign: &'a Campaign,
        }

        // A catalogue of others may hold a campaign with such fields.
        let mut campaign = std::borrow::Cow::Borrowed(&self.campaign);
        if LINEAGE_FIELDS.iter().any(|field| campaign.other.contains_key(*field)) {
            campaign.to_mut().other.retain(|field, _| !LINEAGE_FIELDS.contains(&field.as_str()));
        }
        let Self { identity, digest, parent, .. } = self;
        let fields = Fields { identity: *identity, digest, parent, campaign: &campaign };
        let mut text =
            serde_json::to_string_pretty(&fields).expect("fails only for keys that are no text, and there are none");
        text.push('\n');
        text
    }
}

impl Campaign {
    /// SHA-256 of the content, in hexadecimal. The order of fields does not
    /// count, and neither do fields with the value of a campaign without any:
    /// a newer program with more of them gives the same digest.
    pub fn digest(&self) -> String {
        let of = |campaign: &Self| {
            serde_json::to_value(campaign).expect("fails only for keys that are no text, and there are none")
        };
        let mut content = of(self);
        if let Some(fields) = content.as_object_mut() {
            LINEAGE_FIELDS.iter().for_each(|field| drop(fields.shift_remove(*field)));
        }
        leave_out_defaults(&mut content, &of(&Self::default()));
        content.sort_all_objects();
        data_encoding::HEXLOWER.encode(&Sha256::digest(content.to_string()))
    }
}

fn leave_out_defaults(content: &mut Value, default: &Value) {
    let (Value::Object(content), Value::Object(default)) = (content, default) else { return };
    content.retain(|field, value| {
        let Some(default) = default.get(field) else { return true };
        leave_out_defaults(value, default);
        value != default && !matches!(value, Value::Object(rest) if rest.is_empty())
    });
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The line of a field of a file, from 1.
fn line_of(text: &str, field: &str) -> usize {
    let key = format!("\"{field}\"");
    text.lines().position(|line| line.trim_start_matches(['{', ' ', '\t']).starts_with(&key)).map_or(1, |at| at + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_carries_what_the_campaign_itself_does_not_have() {
        let campaign = Campaign::new("Ria");
        let file = CampaignFile {
            identity: Some(Identity::new()),
            digest: Some(campaign.digest()),
            parent: Some(Campaign::new("Before").digest()),
            campaign: campaign.clone(),
        };
        let read = CampaignFile::from_json(&file.to_json()).unwrap();
        assert_eq!(read, file);
        assert_eq!(Campaign::from_json(&file.to_json()).unwrap(), campaign, "no unknown field is left");
        let bare = CampaignFile::from_json(&campaign.to_json()).unwrap();
        assert_eq!(bare, CampaignFile { campaign, ..CampaignFile::default() });
        for (field, value) in [("identity", "\"7\""), ("identity", "5"), ("digest", "\"ab\""), ("parent", "[]")] {
            let error = CampaignFile::from_json(&format!("{{\n  \"{field}\": {value}\n}}")).unwrap_err();
            assert_eq!((error.field.as_str(), error.line), (field, 2), "{error}");
        }
        let nil = r#"{"identity": "00000000-0000-0000-0000-000000000000"}"#;
        assert!(CampaignFile::from_json(nil).is_err(), "everybody would have it");
    }

    #[test]
    fn a_digest_is_that_of_the_content_however_it_is_written() {
        let text = r#"{"name": "Ria", "zeal": {"b": 1, "a": 2}, "politeness": {"workers": 3}, "rules": [{"rule": "x", "y": 1}]}"#;
        let other = r#"{"rules": [{"y": 1, "rule": "x"}], "limits": {"max_documents": 0}, "politeness": {"max_retries": 3, "workers": 3},
            "zeal": {"a": 2, "b": 1}, "name": "Ria", "active": true}"#;
        let digest = |text: &str| Campaign::from_json(text).unwrap().digest();
        assert_eq!(digest(text), digest(other));
        assert_ne!(digest(text), digest(&text.replace("Ria", "Rio")));
        assert_ne!(digest(text), digest(&text.replace("\"workers\": 3", "\"workers\": 4")));
        assert!(is_digest(&digest(text)));
    }

    #[test]
    fn what_came_without_an_identity_has_the_same_one_each_time() {
        assert_eq!(Identity::of_parts(["a", "b"]), Identity::of_parts(["a", "b"]));
        assert_ne!(Identity::of_parts(["a", "b"]), Identity::of_parts(["ab"]));
        assert_ne!(Identity::new(), Identity::new());
    }
}
