//! Versions of campaigns as statements: requests, rules, permissions and the files that prove them.

use super::graphs::CAMPAIGNS;
use super::specification::state_specification;
use super::statement::{RdfNode, Statements};
use crate::campaign::{Campaign, CampaignFile, Criterion, Identity, Permission, PermissionState};
use crate::scope::{DecideRules, ScopeError};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// A file that proves a permission, as the documents of a handover list it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEvidence {
    /// Its name before it was attached.
    pub name: String,
    /// Its path in the handover; none where it is not in it.
    pub path: Option<String>,
    /// SHA-256 in hex.
    pub sha256: String,
}

/// The files that prove a permission.
pub type EvidenceOf<'e> = &'e dyn Fn(&Permission) -> Vec<ListedEvidence>;

/// The address of a version of a campaign: the same in every workspace, and
/// another one than that of every other campaign with the same content.
pub fn campaign_address(version: u32, identity: Identity, file: &CampaignFile) -> String {
    let digest = file.digest.as_deref().unwrap_or_default();
    format!("urn:fonds:campaign:{identity}.{}.v{version}", digest.get(..32).unwrap_or(digest))
}

/// States a version of a campaign that has this address; `before` is the address of the version before it.
pub fn state_version(out: &mut Statements, version: u32, address: &str, file: &CampaignFile, before: Option<&String>) {
    let campaign = &file.campaign;
    let this = || RdfNode::Iri(address.to_owned());
    let of = |name: String| RdfNode::Iri(format!("{address}#{name}"));
    let mut about = out
        .about(CAMPAIGNS, this())
        .is_a("prov:Entity")
        .is_a("f:CampaignVersion")
        .count("f:version", version.into())
        .iri("prov:specializationOf", &file.identity.map(|identity| identity.urn()).unwrap_or_default())
        .text("f:digest", file.digest.as_deref().unwrap_or_default())
        .text("f:document", &format!("data/campaign/campaign.v{version}.json"))
        .text("dct:title", &campaign.name)
        .text("dct:description", &campaign.description)
        .text("dct:publisher", &campaign.owner)
        .text("f:crawlOrder", campaign.order.name());
    if let Some(before) = before {
        about = about.iri("prov:wasRevisionOf", before);
    }
    for tag in &campaign.tags {
        about = about.text("dct:subject", tag);
    }
    drop(about);
    state_specification(out, address, file, before);
    for (number, sentence) in rules_of(campaign).iter().enumerate() {
        let node = of(format!("rule-{number}"));
        out.about(CAMPAIGNS, this()).node("f:hasRule", node.clone());
        let definition = campaign.rules.get(number).map(Value::to_string).unwrap_or_default();
        out.about(CAMPAIGNS, node)
            .is_a("f:Rule")
            .count("f:ruleIndex", number as u64)
            .text("rdfs:label", sentence)
            .text("f:definition", &definition);
    }
}

/// The records of a version with the files that prove them, and its domains and
/// countries; `stated` are the records that other versions have as well.
pub fn state_grounds(
    out: &mut Statements,
    address: &str,
    file: &CampaignFile,
    evidence: EvidenceOf<'_>,
    stated: &mut HashSet<String>,
) {
    let campaign = &file.campaign;
    let this = || RdfNode::Iri(address.to_owned());
    // One that covers nothing is none.
    for record in campaign.permissions.iter().filter(|record| !record.covers.trim().is_empty()) {
        let node = permission_address(record);
        out.about(CAMPAIGNS, this()).node("f:hasPermission", RdfNode::Iri(node.clone()));
        if stated.insert(node) {
            permission(out, record, evidence);
        }
    }
    let grounds = &campaign.grounds;
    for (node, criterion, property, of) in [
        (domains_node(address), Criterion::Domain, "f:domain", &grounds.domains),
        (hosting_node(address), Criterion::Hosting, "f:country", &grounds.countries),
    ] {
        if of.is_empty() {
            continue;
        }
        out.about(CAMPAIGNS, this()).node("f:hasGrounds", node.clone());
        let mut about = out
            .about(CAMPAIGNS, node)
            .is_a("f:Grounds")
            .text("f:state", PermissionState::Granted.as_str())
            .text("f:criterion", criterion.label());
        for each in of {
            about = about.text(property, each);
        }
    }
}

/// A record and the files that prove it.
fn permission(out: &mut Statements, record: &Permission, evidence: EvidenceOf<'_>) {
    let files = evidence(record);
    let file_node = |sha256: &str| RdfNode::Iri(format!("urn:fonds:evidence:{sha256}"));
    let reach = record.reach.map(|reach| serde_json::to_value(reach).unwrap_or_default());
    let mut about = out
        .about(CAMPAIGNS, permission_node(record))
        .is_a("f:Permission")
        .text("f:covers", &record.covers)
        .text("f:reach", reach.as_ref().and_then(|reach| reach.as_str()).unwrap_or_default())
        .text("f:state", record.state.as_str())
        .text("f:criterion", record.criterion.label())
        .text("dct:license", &record.licence)
        .text("f:evidence", &record.evidence)
        .text("f:established", &record.date)
        .text("f:method", &record.method)
        .text("f:validFrom", &record.from)
        .text("f:validUntil", &record.until);
    for listed in &files {
        about = about.node("f:hasEvidence", file_node(&listed.sha256));
    }
    drop(about);
    for listed in &files {
        let about = out
            .about(CAMPAIGNS, file_node(&listed.sha256))
            .is_a("f:EvidenceFile")
            .text("rdfs:label", &listed.name)
            .text("f:sha256", &listed.sha256);
        match &listed.path {
            Some(path) => about.text("f:path", path),
            None => about.text("f:missing", "It is not in this handover"),
        };
    }
}

/// The address of a record: the same for all versions, and campaigns, that have it word for word.
fn permission_address(record: &Permission) -> String {
    let content = serde_json::to_string(record).unwrap_or_default();
    format!("urn:fonds:permission:{}", data_encoding::HEXLOWER.encode(&Sha256::digest(content)))
}

/// The node of a record of permissions.
pub fn permission_node(record: &Permission) -> RdfNode {
    RdfNode::Iri(permission_address(record))
}

/// The domains of a version of a campaign.
pub fn domains_node(address: &str) -> RdfNode {
    RdfNode::Iri(format!("{address}#domains"))
}

/// The countries of a version of a campaign.
pub fn hosting_node(address: &str) -> RdfNode {
    RdfNode::Iri(format!("{address}#hosting"))
}

/// The rules of a campaign as sentences, or why one cannot be read.
fn rules_of(campaign: &Campaign) -> Vec<String> {
    let alone = |rule: &Value| Campaign { rules: vec![rule.clone()], ..campaign.clone() };
    let line_of = |compiled: Result<DecideRules, ScopeError>| match compiled {
        Ok(rules) => rules.lines().next().map(|(_, _, sentence, _)| sentence).unwrap_or_default(),
        Err(error) => error.why,
    };
    // Alone it is the rule that obeys refusals.
    let refusals = || line_of(DecideRules::compile(&Campaign { rules: Vec::new(), ..campaign.clone() }));
    let refusals = campaign.has_refusals().then(refusals);
    campaign.rules.iter().map(|rule| line_of(DecideRules::compile(&alone(rule)))).chain(refusals).collect()
}
