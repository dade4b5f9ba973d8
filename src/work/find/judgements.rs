//! Judgements of search results are put together by query.

use crate::analysis::{Judgement, ResultJudgements, SearchEvaluation};
use crate::query::quoted_value;
use crate::store::{Catalogue, JudgementRow};
use crate::uri::CaptureDate;
use crate::work::models::CampaignId;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// A query with figures of the judgements on its results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryEvaluation {
    /// The query as a line, with what was chosen beside it.
    pub query: String,
    /// When the last of its results was judged.
    #[serde(serialize_with = "date")]
    pub last: CaptureDate,
    /// The figures.
    #[serde(flatten)]
    pub evaluation: SearchEvaluation,
}

fn date<S: serde::Serializer>(date: &CaptureDate, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&date.to_warc())
}

/// The judgements on the results of one query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchJudgements {
    /// Judges and judgements of each content version.
    pub of_version: HashMap<u64, Vec<(String, Judgement)>>,
    /// In figures.
    pub evaluation: SearchEvaluation,
}

impl SearchJudgements {
    /// The judgements of a query.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn of(catalogue: &Catalogue, query: &str) -> anyhow::Result<Self> {
        let results = by_version(catalogue.judgements(Some(query))?);
        let evaluation = SearchEvaluation::of(&results.values().cloned().collect::<Vec<_>>());
        let of_version = results.into_iter().map(|(version, result)| (version, result.by)).collect();
        Ok(Self { of_version, evaluation })
    }
}

/// The figures of every query whose results were judged, or of the one named.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn evaluations(catalogue: &Catalogue, query: Option<&str>) -> anyhow::Result<Vec<QueryEvaluation>> {
    let mut by_query: BTreeMap<String, Vec<JudgementRow>> = BTreeMap::new();
    for row in catalogue.judgements(query)? {
        by_query.entry(row.query.clone()).or_default().push(row);
    }
    let evaluation = |(query, rows): (String, Vec<JudgementRow>)| {
        let last = rows.iter().map(|row| row.date).max_by_key(|date| date.millis()).unwrap_or_else(CaptureDate::now);
        let results: Vec<ResultJudgements> = by_version(rows).into_values().collect();
        QueryEvaluation { query, last, evaluation: SearchEvaluation::of(&results) }
    };
    Ok(by_query.into_iter().map(evaluation).collect())
}

/// The figures of each judge of each query, and those of all together without a
/// name where they are several: of judgements on captures of a campaign and imported ones.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub(in crate::work) fn evaluations_by_judge(
    catalogue: &Catalogue,
    campaign: CampaignId,
) -> anyhow::Result<Vec<(String, Option<String>, SearchEvaluation)>> {
    let mut by_query: BTreeMap<String, Vec<JudgementRow>> = BTreeMap::new();
    catalogue.each_judgement(Some(campaign), |row| -> anyhow::Result<()> {
        if row.replaced.is_none() && row.judgement.is_some() {
            by_query.entry(row.query.clone()).or_default().push(row);
        }
        Ok(())
    })?;
    let mut found = Vec::new();
    for (query, rows) in by_query {
        let results: Vec<ResultJudgements> = by_version(rows).into_values().collect();
        let all = SearchEvaluation::of(&results);
        for judge in all.judges.iter().map(|of| &of.judge) {
            let own = |result: &ResultJudgements| ResultJudgements {
                by: result.by.iter().filter(|(name, _)| name == judge).cloned().collect(),
                ..*result
            };
            let own: Vec<ResultJudgements> = results.iter().map(own).collect();
            found.push((query.clone(), Some(judge.clone()), SearchEvaluation::of(&own)));
        }
        if all.judges.len() > 1 {
            found.push((query, None, all));
        }
    }
    Ok(found)
}

/// The captures that were judged as results of a query, by URL, each with the judgement of most
/// judges.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn judged_urls(catalogue: &Catalogue, query: &str) -> anyhow::Result<Vec<(String, Judgement)>> {
    let rows = catalogue.judgements(Some(query))?;
    let url_of: HashMap<u64, String> =
        rows.iter().filter_map(|row| Some((u64::try_from(row.version).ok()?, row.url.clone()))).collect();
    let judgement =
        |result: ResultJudgements| Judgement::of_majority(result.by.into_iter().map(|(_, judgement)| judgement));
    let results = by_version(rows).into_iter();
    Ok(results.filter_map(|(version, result)| Some((url_of.get(&version)?.clone(), judgement(result)))).collect())
}

/// Results with their judges. The place of a result is the one at which it was judged last.
fn by_version(rows: Vec<JudgementRow>) -> BTreeMap<u64, ResultJudgements> {
    let mut results: BTreeMap<u64, ResultJudgements> = BTreeMap::new();
    for row in rows {
        let Ok(version) = u64::try_from(row.version) else { continue };
        let result = results.entry(version).or_default();
        result.rank = row.rank.or(result.rank);
        result.by.extend(row.judgement.map(|judgement| (row.who, judgement)));
    }
    results
}

/// The filter line of the captures that were judged so as results of a query.
pub fn judged_filter(query: &str, judgement: Judgement) -> String {
    format!("{}:{}", judgement.name(), quoted_value(query))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "judgements_tests.rs"]
mod tests;
