//! A campaign as RDF by itself, and read back from it.

use crate::campaign::CampaignFile;
use crate::knowledge::{
    CaptureIri, RdfSyntax, SpecificationRead, Statements, campaign_address, read_specification, state_newest_version,
    state_version,
};
use crate::work::Session;
use crate::work::models::CampaignId;
use anyhow::Context;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// Bytes of statements that are read.
const MAX_BYTES: usize = 64 << 20;
/// The end of a line of N-Quads about campaigns in a handover.
const OF_CAMPAIGNS: &str = "<urn:fonds:campaigns> .";

/// Writes the newest version of a campaign as N-Quads.
///
/// # Errors
///
/// A catalogue that cannot be read, and what `out` fails with.
pub fn write_specification(session: &Session, id: CampaignId, out: &mut dyn Write) -> anyhow::Result<()> {
    let catalogue = session.catalogue();
    let identity = catalogue.campaign_identity(id)?;
    let versions = catalogue.campaign_files(id)?;
    let (version, file) = versions.last().context("no version of this campaign can be read")?;
    let address = |(version, file): &(u32, CampaignFile)| campaign_address(*version, identity, file);
    let before = versions.iter().rev().nth(1).map(address);
    let mut statements = Statements::default();
    let address = campaign_address(*version, identity, file);
    state_newest_version(&mut statements, &address, file);
    state_version(&mut statements, *version, &address, file, before.as_ref());
    let no_capture = CaptureIri::new("");
    for statement in statements.take() {
        writeln!(out, "{}", statement.line(&no_capture))?;
    }
    Ok(())
}

/// Whether a file of this name and beginning has statements, and in which syntax; none for anything else.
pub fn specification_syntax(name: &Path, text: &str) -> Option<RdfSyntax> {
    let name = name.to_string_lossy().to_ascii_lowercase();
    let begins = |with: &[&str]| with.iter().any(|with| text.trim_start().starts_with(with));
    match name.rsplit('.').next() {
        Some("nq" | "nt") => Some(RdfSyntax::NQuads),
        Some("ttl" | "trig") => Some(RdfSyntax::TriG),
        Some("json") => None,
        _ if begins(&["@prefix", "@base", "PREFIX", "BASE"]) => Some(RdfSyntax::TriG),
        _ if begins(&["<", "_:"]) => Some(RdfSyntax::NQuads),
        _ => None,
    }
}

/// Reads a campaign from a text of statements.
///
/// # Errors
///
/// What is wrong with it.
pub fn specification_in(text: &str, syntax: RdfSyntax) -> anyhow::Result<SpecificationRead> {
    read_specification(text, syntax).map_err(anyhow::Error::msg)
}

/// The text of a file of campaign or statements; of the packed knowledge of a handover what it has of campaigns.
///
/// # Errors
///
/// A file that cannot be read, or is too long.
pub fn campaign_text(path: &Path) -> anyhow::Result<String> {
    let file = File::open(path)?;
    let mut text = String::new();
    if path.extension().is_none_or(|extension| extension != "gz") {
        file.take(MAX_BYTES as u64 + 1).read_to_string(&mut text)?;
    } else {
        for line in BufReader::new(MultiGzDecoder::new(file)).lines() {
            let line = line?;
            if line.ends_with(OF_CAMPAIGNS) {
                text.push_str(&line);
                text.push('\n');
            }
            if text.len() > MAX_BYTES {
                break;
            }
        }
    }
    anyhow::ensure!(text.len() <= MAX_BYTES, "it is longer than {} MiB", MAX_BYTES >> 20);
    Ok(text)
}
