//! A campaign keeps its identity in every workspace: what each version was made from, and campaigns
//! of others that come in beside one's own.
//!
//! Nothing that comes changes a campaign of which a version was saved here: a
//! campaign of the same identity with other versions is kept beside it as its
//! branch, with captures, crawls and selection of its own.

use crate::campaign::{Campaign, CampaignFile, Identity};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::CampaignId;
use crate::uri::CaptureDate;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display};

impl ToSql for Identity {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.to_string().into())
    }
}

impl FromSql for Identity {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let bytes = value.as_bytes()?;
        let text = std::str::from_utf8(bytes).map_err(FromSqlError::other)?;
        // A catalogue of others may hold anything; its campaigns are shown all the same.
        Ok(text.parse().unwrap_or_else(|_| Self::of_parts([bytes])))
    }
}

/// The version at which a branch left the campaign of its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BranchPoint {
    /// The campaign.
    pub campaign: CampaignId,
    /// Its last version that both have; none where they have none in common.
    pub since: Option<u32>,
}

impl Display for BranchPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "branch of campaign {}", self.campaign)?;
        self.since.map_or(Ok(()), |since| write!(f, " since version {since}"))
    }
}

/// The form in which a campaign from files was taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TakenAs {
    /// A campaign of its own.
    New,
    /// Nothing: all its versions are here.
    Known,
    /// Versions after this one, of a campaign that only ever came with files.
    Continued(u32),
    /// A branch of a campaign that is here.
    Branch(BranchPoint),
}

/// A version as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct VersionKey {
    digest: String,
    parent: Option<String>,
    /// It came with files, and nobody saved it here.
    from_handover: bool,
}

type Versions = BTreeMap<u32, VersionKey>;

/// A version as it is kept.
pub(in crate::store) struct VersionToKeep {
    pub name: String,
    pub spec: String,
    pub digest: String,
}

impl VersionToKeep {
    /// # Errors
    ///
    /// A number in it is none, so that it could not be read again.
    pub(in crate::store) fn of(campaign: &Campaign) -> Result<Self, StoreError> {
        let mut campaign = Cow::Borrowed(campaign);
        if campaign.seeds.iter().any(|seed| seed.without_user().is_some()) {
            for seed in &mut campaign.to_mut().seeds {
                seed.url = seed.without_user().unwrap_or_else(|| std::mem::take(&mut seed.url));
            }
        }
        if campaign.sources.iter().any(|source| source.without_user().is_some()) {
            for source in &mut campaign.to_mut().sources {
                source.address = source.without_user().unwrap_or_else(|| std::mem::take(&mut source.address));
            }
        }
        let spec = serde_json::to_string(&*campaign).map_err(|error| StoreError::Content(error.to_string()))?;
        // JSON has no word for infinity and takes it without complaint.
        serde_json::from_str::<Campaign>(&spec).map_err(|error| {
            StoreError::Content(format!(
                "the campaign “{}”, so it is not saved ({error}); its numbers have to be finite",
                campaign.name
            ))
        })?;
        Ok(Self { name: campaign.name.clone(), spec, digest: campaign.digest() })
    }

    /// Adds it as a version, and makes it the last one.
    pub(in crate::store) fn insert(
        &self,
        conn: &Connection,
        id: CampaignId,
        version: u32,
        (parent, origin): (Option<&str>, Option<&str>),
    ) -> rusqlite::Result<()> {
        conn.execute(
            "INSERT INTO campaign_version (campaign, version, spec, saved_ms, digest, parent, origin)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![id, version, self.spec, CaptureDate::now().millis(), self.digest, parent, origin],
        )?;
        conn.execute("UPDATE campaign SET name = ?2, version = ?3 WHERE id = ?1", params![id, self.name, version])?;
        Ok(())
    }
}

/// Makes a campaign that has no version yet.
pub(in crate::store) fn insert_campaign(conn: &Connection, identity: Identity) -> rusqlite::Result<CampaignId> {
    conn.execute(
        "INSERT INTO campaign (name, version, created_ms, identity) VALUES ('', 0, ?1, ?2)",
        params![CaptureDate::now().millis(), identity],
    )?;
    Ok(CampaignId::new(conn.last_insert_rowid()))
}

/// The digest of a version by its row, also where this program cannot read it.
pub(in crate::store) fn spec_digest(spec: &str) -> String {
    match serde_json::from_str::<Campaign>(spec) {
        Ok(campaign) => campaign.digest(),
        Err(_) => data_encoding::HEXLOWER.encode(&Sha256::digest(spec)),
    }
}

impl Catalogue {
    /// Every version of a campaign that can be read, oldest first, as files have it.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn campaign_files(&self, id: CampaignId) -> Result<Vec<(u32, CampaignFile)>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT v.version, v.spec, v.digest, v.parent, k.identity FROM campaign_version v
                 JOIN campaign k ON k.id = v.campaign WHERE v.campaign = ?1 ORDER BY v.version",
            )?;
            let mut rows = statement.query([id])?;
            let mut files = Vec::new();
            while let Some(row) = rows.next()? {
                // One of a newer program stays in the catalogue alone.
                let Ok(campaign) = serde_json::from_str(&row.get::<_, String>(1)?) else { continue };
                let (digest, parent, identity) = (Some(row.get(2)?), row.get(3)?, Some(row.get(4)?));
                files.push((row.get(0)?, CampaignFile { identity, digest, parent, campaign }));
            }
            Ok(files)
        })
    }

    /// The identity of a campaign.
    ///
    /// # Errors
    ///
    /// No such campaign, or a catalogue that cannot be read.
    pub fn campaign_identity(&self, id: CampaignId) -> Result<Identity, StoreError> {
        self.read(|conn| {
            conn.query_row("SELECT identity FROM campaign WHERE id = ?1", [id], |row| row.get(0))
                .optional()?
                .ok_or(StoreError::Missing { what: "campaign", id: id.to_string() })
        })
    }

    /// Saves a campaign that a person brings in a file, under the identity that it has there: as
    /// new, or as a branch of the campaign of that identity. One with the same content is known.
    ///
    /// # Errors
    ///
    /// As [`Catalogue::save_campaign`].
    pub fn add_campaign(&self, file: &CampaignFile) -> Result<(CampaignId, TakenAs), StoreError> {
        let Some(identity) = file.identity else {
            return Ok((self.save_campaign(None, &file.campaign)?, TakenAs::New));
        };
        let version = VersionToKeep::of(&file.campaign)?;
        let is_edited = file.digest.as_ref().is_some_and(|digest| *digest != version.digest);
        let parent = if is_edited { file.digest.clone() } else { file.parent.clone() };
        self.write(move |conn| {
            for (id, versions) in campaigns_of(conn, identity)? {
                if versions.values().any(|kept| kept.digest == version.digest) {
                    return Ok((id, TakenAs::Known));
                }
            }
            let id = insert_campaign(conn, identity)?;
            version.insert(conn, id, 1, (parent.as_deref(), None))?;
            Ok((id, branch_points(conn)?.remove(&id).map_or(TakenAs::New, TakenAs::Branch)))
        })
    }

    /// Takes a campaign in whose versions came with files, under their numbers; `origin` is what
    /// these are called.
    ///
    /// # Errors
    ///
    /// No versions, or a catalogue that cannot be written.
    pub fn take_campaign(
        &self,
        identity: Identity,
        versions: Vec<(u32, CampaignFile)>,
        origin: &str,
    ) -> Result<(CampaignId, TakenAs), StoreError> {
        let mut came = Versions::new();
        let mut to_keep = BTreeMap::new();
        for (number, file) in versions {
            let version = VersionToKeep::of(&file.campaign)?;
            let digest = version.digest.clone();
            came.insert(number, VersionKey { digest, parent: file.parent, from_handover: true });
            to_keep.insert(number, version);
        }
        let origin = origin.to_owned();
        self.write(move |conn| {
            if came.is_empty() {
                return Err(StoreError::Content("a campaign without a version".to_owned()));
            }
            let here = campaigns_of(conn, identity)?;
            let known = here.iter().find(|(_, kept)| came.iter().all(|(number, of)| has(kept, *number, of)));
            if let Some((id, _)) = known {
                return Ok((*id, TakenAs::Known));
            }
            let mut above = None;
            for (id, kept) in &here {
                // What a person lets run here is changed by nobody else.
                if let (Some(head), true) = (continued(kept, &came), suspended(conn, *id)?.is_some()) {
                    above = Some((*id, head));
                    break;
                }
            }
            let (id, above) = match above {
                Some((id, head)) => (id, Some(head)),
                None => (insert_campaign(conn, identity)?, None),
            };
            suspend_campaign(conn, id, &origin)?;
            for (number, version) in to_keep.range(above.map_or(0, |head| head + 1)..) {
                let parent = came.get(number).and_then(|key| key.parent.as_deref());
                version.insert(conn, id, *number, (parent, Some(&origin)))?;
            }
            let taken = match above {
                Some(head) => TakenAs::Continued(head),
                None => branch_points(conn)?.remove(&id).map_or(TakenAs::New, TakenAs::Branch),
            };
            Ok((id, taken))
        })
    }
}

fn has(kept: &Versions, number: u32, of: &VersionKey) -> bool {
    kept.get(&number).is_some_and(|kept| kept.digest == of.digest)
}

/// The last version of a campaign that may go on with what came: nobody saved
/// anything in it here, all its versions came again, and the next one was made
/// from the last.
fn continued(kept: &Versions, came: &Versions) -> Option<u32> {
    let (head, last) = kept.last_key_value()?;
    let is_copy = kept.iter().all(|(number, of)| of.from_handover && has(came, *number, of));
    let (_, next) = came.range(head.checked_add(1)?..).next()?;
    let is_rest_known = came.range(..=head).all(|(number, of)| has(kept, *number, of));
    (is_copy && is_rest_known && next.parent.as_ref() == Some(&last.digest)).then_some(*head)
}

/// The campaigns of an identity with their versions, the campaign itself first.
fn campaigns_of(conn: &Connection, identity: Identity) -> rusqlite::Result<Vec<(CampaignId, Versions)>> {
    let mut ids =
        conn.prepare_cached("SELECT id FROM campaign WHERE identity = ?1 AND deleted_ms IS NULL ORDER BY id")?;
    let mut versions = conn.prepare_cached(
        "SELECT version, digest, parent, origin IS NOT NULL FROM campaign_version WHERE campaign = ?1",
    )?;
    let ids = ids.query_map([identity], |row| row.get(0))?.collect::<rusqlite::Result<Vec<CampaignId>>>()?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let rows = versions.query_map([id], |row| {
            Ok((row.get(0)?, VersionKey { digest: row.get(1)?, parent: row.get(2)?, from_handover: row.get(3)? }))
        })?;
        found.push((id, rows.collect::<rusqlite::Result<_>>()?));
    }
    Ok(found)
}

/// The campaigns that are branches of others, and of which.
pub(in crate::store) fn branch_points(conn: &Connection) -> rusqlite::Result<HashMap<CampaignId, BranchPoint>> {
    let mut shared = conn.prepare_cached(
        "SELECT identity FROM campaign WHERE deleted_ms IS NULL GROUP BY identity HAVING count(*) > 1",
    )?;
    let identities = shared.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<Identity>>>()?;
    let mut points = HashMap::new();
    for identity in identities {
        let all = campaigns_of(conn, identity)?;
        let Some(((campaign, trunk), branches)) = all.split_first() else { continue };
        for (id, branch) in branches {
            let is_common =
                |digest: &String| branch.values().any(|of| of.digest == *digest || of.parent.as_ref() == Some(digest));
            let since = trunk.iter().rev().find(|(_, of)| is_common(&of.digest)).map(|(number, _)| *number);
            points.insert(*id, BranchPoint { campaign: *campaign, since });
        }
    }
    Ok(points)
}

/// Notes that a campaign came from elsewhere: none of its crawls starts before a
/// person here has let it run.
pub(super) fn suspend_campaign(conn: &Connection, id: CampaignId, origin: &str) -> rusqlite::Result<()> {
    conn.execute(
        "INSERT INTO campaign_origin (campaign, origin) VALUES (?1, ?2)
         ON CONFLICT (campaign) DO UPDATE SET origin = excluded.origin, activated_ms = NULL",
        params![id, origin],
    )?;
    Ok(())
}

pub(super) fn suspended(conn: &Connection, id: CampaignId) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT origin FROM campaign_origin WHERE campaign = ?1 AND activated_ms IS NULL")?
        .query_row([id], |row| row.get(0))
        .optional()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::empty_session;

    /// Versions whose contents are these titles, each made from the one before.
    fn chain(identity: Identity, names: &[&str]) -> Vec<(u32, CampaignFile)> {
        let mut parent = None;
        let mut file = |name: &&str| {
            let campaign = Campaign::new(*name);
            let digest = Some(campaign.digest());
            CampaignFile {
                identity: Some(identity),
                parent: std::mem::replace(&mut parent, digest.clone()),
                digest,
                campaign,
            }
        };
        (1..).zip(names.iter().map(&mut file)).collect()
    }

    #[test]
    fn only_a_campaign_that_nobody_changed_here_goes_on_with_what_comes() {
        let (_dir, session) = empty_session();
        let catalogue = session.catalogue();
        let identity = Identity::new();
        let take = |names: &[&str]| catalogue.take_campaign(identity, chain(identity, names), "handover").unwrap();
        let (id, taken) = take(&["a"]);
        assert_eq!(taken, TakenAs::New);
        assert_eq!(take(&["a"]), (id, TakenAs::Known));
        assert_eq!(take(&["a", "b"]), (id, TakenAs::Continued(1)));
        assert_eq!(take(&["a"]), (id, TakenAs::Known), "an earlier handover has nothing new");
        let own = catalogue.campaign_files(id).unwrap();
        assert_eq!(own, chain(identity, &["a", "b"]));

        // A sibling, and what goes on with it.
        let (branch, taken) = take(&["a", "c"]);
        assert_eq!(taken, TakenAs::Branch(BranchPoint { campaign: id, since: Some(1) }));
        assert_eq!(take(&["a", "c", "d"]), (branch, TakenAs::Continued(2)));

        // Saved here: from now on it is this workspace's.
        catalogue.save_campaign(Some(id), &Campaign::new("mine")).unwrap();
        assert_eq!(take(&["a", "b"]), (id, TakenAs::Known));
        let (third, taken) = take(&["a", "b", "theirs"]);
        assert_eq!(taken, TakenAs::Branch(BranchPoint { campaign: id, since: Some(2) }));
        assert_eq!(catalogue.campaign(id).unwrap().1.name, "mine");
        let rows = catalogue.campaigns().unwrap();
        let of = |id| rows.iter().find(|row| row.id == id).unwrap().branch.map(|point| (point.campaign, point.since));
        assert_eq!((of(id), of(branch), of(third)), (None, Some((id, Some(1))), Some((id, Some(2)))));
        assert!(rows.iter().all(|row| row.identity == identity));
    }

    #[test]
    fn a_gap_or_a_forged_parent_makes_a_branch() {
        let (_dir, session) = empty_session();
        let catalogue = session.catalogue();
        let identity = Identity::new();
        let take = |versions| catalogue.take_campaign(identity, versions, "handover").unwrap();
        let (id, _) = take(chain(identity, &["a", "b"]));
        let mut forged = chain(identity, &["a", "b", "c"]);
        forged[2].1.parent = forged[0].1.digest.clone();
        assert_eq!(take(forged).1, TakenAs::Branch(BranchPoint { campaign: id, since: Some(2) }));
        let gap = chain(identity, &["a", "b", "x", "d"]).split_off(3);
        assert_eq!(take(gap).1, TakenAs::Branch(BranchPoint { campaign: id, since: None }));
        assert!(catalogue.take_campaign(identity, Vec::new(), "none").is_err());
    }

    #[test]
    fn a_file_that_a_person_adds_is_itself_a_branch_or_known() {
        let (_dir, session) = empty_session();
        let catalogue = session.catalogue();
        let id = catalogue.save_campaign(None, &Campaign::new("a")).unwrap();
        catalogue.save_campaign(Some(id), &Campaign::new("b")).unwrap();
        let files = catalogue.campaign_files(id).unwrap();
        assert_eq!(files[1].1.parent, files[0].1.digest);
        assert_eq!(catalogue.add_campaign(&files[1].1).unwrap(), (id, TakenAs::Known));
        let edited = CampaignFile { campaign: Campaign::new("c"), ..files[0].1.clone() };
        let (branch, taken) = catalogue.add_campaign(&edited).unwrap();
        assert_eq!(taken, TakenAs::Branch(BranchPoint { campaign: id, since: Some(1) }));
        assert_eq!(catalogue.campaign_identity(branch).unwrap(), catalogue.campaign_identity(id).unwrap());
        let bare = CampaignFile { identity: None, ..edited };
        let (own, taken) = catalogue.add_campaign(&bare).unwrap();
        assert_eq!(taken, TakenAs::New);
        assert_ne!(catalogue.campaign_identity(own).unwrap(), catalogue.campaign_identity(id).unwrap());
    }
}
