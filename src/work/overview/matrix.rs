//! The matrix of what was requested, and who is named, against what was captured, with its zeros.

use super::entity_rows::entity_rows;
use crate::analysis::Matcher;
use crate::campaign::{Campaign, Term, TermKind};
use crate::query::{FieldTerm, Query, parse_fields, write_query};
use crate::search::{CaptureFacts, FacetChoice, FacetKind, Period, period_of};
use crate::store::Workspace;
use crate::work::find::request_matches::RequestMatches;
use crate::work::find::search::SearchRoom;
use crate::work::index_folder;
use crate::work::models::{CampaignId, CaptureId};
use fixedbitset::FixedBitSet;
use serde::Serialize;
use std::collections::HashMap;

/// Columns with a value of their own; the others are one column together.
const MOST_COLUMNS: usize = 30;
/// Months and launches that have a column of their own, the last ones.
const MOST_TIMES: usize = 24;

/// What the columns of a matrix are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MatrixBy {
    /// Hosts, those with the most captures that hold a term of the request.
    #[default]
    Hosts,
    /// Months of capture.
    Months,
    /// Languages.
    Languages,
    /// Crawls and imports.
    Launches,
}

impl MatrixBy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Hosts, Self::Months, Self::Languages, Self::Launches];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hosts => "hosts",
            Self::Months => "months",
            Self::Languages => "languages",
            Self::Launches => "launches",
        }
    }

    /// Its name on the screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Hosts => "Hosts",
            Self::Months => "Months",
            Self::Languages => "Languages",
            Self::Launches => "Launches",
        }
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.name() == name)
    }

    fn facet(self) -> Option<FacetKind> {
        match self {
            Self::Hosts => Some(FacetKind::Host),
            Self::Months => None,
            Self::Languages => Some(FacetKind::Language),
            Self::Launches => Some(FacetKind::Launch),
        }
    }
}

/// A column of a matrix.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixColumn {
    /// Its name: a host, a month.
    pub label: String,
    /// The filter of all its captures, whatever they hold.
    pub filter: String,
    /// Their number.
    pub captures: u64,
    /// How many values it has, where it is all others; none of one value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<u64>,
    #[serde(skip)]
    part: Query<FieldTerm>,
}

/// Why a matrix has a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RowOrigin {
    /// The request has the term.
    Request,
    /// An authority file has the name.
    Authority,
    /// An analysis found the name, which neither has.
    Found,
}

/// A row of a matrix: a term of the request, or an entity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixRow {
    /// Its name.
    pub label: String,
    /// The term.
    pub term: Term,
    /// Whether it speaks against the request: what holds it is not what was requested.
    pub is_against: bool,
    /// Why the matrix has it.
    pub origin: RowOrigin,
    /// The filter of the captures that hold it.
    pub filter: String,
    /// Their number.
    pub captures: u64,
    /// Of each column, how many of its captures hold it.
    pub cells: Vec<u64>,
    #[serde(skip)]
    pub(super) part: Query<FieldTerm>,
}

impl MatrixRow {
    /// Whether it was requested, or an authority file has it, and it is nowhere.
    pub fn is_never_found(&self) -> bool {
        self.captures == 0 && !self.is_against
    }
}

/// Captures that hold each term of a request, in each column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matrix {
    /// Number of the campaign.
    pub campaign: CampaignId,
    /// What its columns are.
    pub by: MatrixBy,
    /// The columns; the last may be all others.
    pub columns: Vec<MatrixColumn>,
    /// The terms, in the order of the request.
    pub rows: Vec<MatrixRow>,
    /// Captures that the index does not have yet; none where there is no index, and then no rows.
    pub waiting: Option<u64>,
}

impl Matrix {
    /// The filter of the captures that a cell counts.
    pub fn cell_filter(&self, row: usize, column: usize) -> String {
        match (self.rows.get(row), self.columns.get(column)) {
            (Some(row), Some(column)) => write_query(&Query::And(vec![row.part.clone(), column.part.clone()])),
            _ => String::new(),
        }
    }

    /// The same with at most so many columns: those behind the first ones, of times those before the last
    /// ones, are one.
    pub fn folded(&self, most: usize) -> Self {
        let all = self.columns.len();
        if all <= most.max(2) {
            return self.clone();
        }
        let kept = most.max(2) - 1;
        let is_time = matches!(self.by, MatrixBy::Months | MatrixBy::Launches);
        let own = if is_time { all - kept..all } else { 0..kept };
        let rest = if is_time { 0..all - kept } else { kept..all };
        let without = |column: &MatrixColumn| Query::Not(Box::new(column.part.clone()));
        let part = Query::And(self.columns[own.clone()].iter().map(without).collect());
        let captures = self.columns[rest.clone()].iter().map(|column| column.captures).sum();
        let values = self.columns[rest.clone()].iter().map(|column| column.others.unwrap_or(1)).sum::<u64>();
        let label = if is_time { "earlier".to_owned() } else { format!("{values} more") };
        let folded = MatrixColumn { label, filter: write_query(&part), captures, others: Some(values), part };
        let place = if is_time { 0 } else { kept };
        let mut columns = self.columns[own.clone()].to_vec();
        columns.insert(place, folded);
        let row = |row: &MatrixRow| {
            let mut cells = row.cells[own.clone()].to_vec();
            cells.insert(place, row.cells[rest.clone()].iter().sum());
            MatrixRow { cells, ..row.clone() }
        };
        Self { columns, rows: self.rows.iter().map(row).collect(), ..*self }
    }

    /// The terms that were requested and are nowhere.
    pub fn never_found(&self) -> impl Iterator<Item = &MatrixRow> {
        self.rows.iter().filter(|row| row.origin == RowOrigin::Request && row.is_never_found())
    }
}

/// Whether a request has anything to be found by.
pub(super) fn has_terms(spec: &Campaign) -> bool {
    !Matcher::compile(&spec.request).terms().is_empty()
}

/// The name of a term for people.
fn label_of(term: &Term) -> String {
    match term.kind {
        TermKind::Language => format!("language {}", term.value),
        TermKind::Period => {
            let day = |day: &Option<String>| day.clone().unwrap_or_default();
            format!("{} {}..{}", term.value, day(&term.from), day(&term.to)).trim().to_owned()
        }
        _ => term.value.clone(),
    }
}

pub(super) fn matrix(
    workspace: &Workspace,
    room: &SearchRoom,
    campaign: CampaignId,
    by: MatrixBy,
) -> anyhow::Result<Matrix> {
    let catalogue = workspace.catalogue();
    let spec = catalogue.campaign(campaign)?.1;
    // The filters of figures and gaps are counted by them as well.
    let facts = room.facts(catalogue)?;
    let of_campaign = facts.of_campaign(campaign.get());
    let mut matrix = Matrix { campaign, by, columns: Vec::new(), rows: Vec::new(), waiting: None };
    let Some(index) = room.index(catalogue, &index_folder(workspace))? else { return Ok(matrix) };
    let through = index.mark()?.unwrap_or_default().through;
    matrix.waiting = Some(catalogue.captures_behind(CaptureId::new(through))?);
    let mut with_text = of_campaign.clone();
    with_text.intersect_with(facts.with_text());
    let holding = room.holding_terms(workspace, (campaign, &spec.request), || {
        let matches = RequestMatches::of(Matcher::compile(&spec.request), Some(&index))?;
        Ok(matches.captures_of_terms(&facts, &with_text))
    })?;
    let matcher = Matcher::compile(&spec.request);
    let mut relevant = FixedBitSet::new();
    let mut rows: Vec<(MatrixRow, &FixedBitSet)> = Vec::new();
    for (nth, (term, captures)) in matcher.terms().iter().zip(holding.iter()).enumerate() {
        // How much it counts, and what names it, is no part of what it finds.
        let alone = Term { weight: 1.0, uri: None, ..term.clone() };
        if !matcher.may_be_met(nth) || rows.iter().any(|(row, _)| row.term == alone) {
            continue;
        }
        let is_against = !matcher.speaks_for(nth);
        if !is_against {
            relevant.union_with(captures);
        }
        let part = FacetChoice { kind: FacetKind::Term, value: alone.to_string(), is_excluded: false }.part();
        let row = MatrixRow {
            label: label_of(term),
            is_against,
            origin: RowOrigin::Request,
            filter: write_query(&part),
            captures: captures.count_ones(..) as u64,
            cells: Vec::new(),
            term: alone,
            part,
        };
        rows.push((row, captures));
    }
    let requested: Vec<Term> = rows.iter().map(|(row, _)| row.term.clone()).collect();
    let entities = entity_rows(workspace, &facts, (campaign, &of_campaign), &requested)?;
    rows.extend(entities.iter().map(|(row, captures)| (row.clone(), captures)));
    let columns = columns(&facts, &of_campaign, &relevant, by)?;
    for (row, captures) in &mut rows {
        row.cells = columns.iter().map(|(_, of)| of.intersection_count(captures) as u64).collect();
    }
    matrix.rows = rows.into_iter().map(|(row, _)| row).collect();
    matrix.columns = columns.into_iter().map(|(column, _)| column).collect();
    Ok(matrix)
}

type Column = (MatrixColumn, FixedBitSet);

/// The columns with their captures: each capture is in one of them.
fn columns(
    facts: &CaptureFacts,
    captures: &FixedBitSet,
    relevant: &FixedBitSet,
    by: MatrixBy,
) -> anyhow::Result<Vec<Column>> {
    let mut columns = match by.facet() {
        Some(kind) => of_values(facts, captures, relevant, kind),
        None => of_months(facts, captures)?,
    };
    columns.retain(|(column, _)| column.captures > 0);
    Ok(columns)
}

fn column(label: String, part: Query<FieldTerm>, captures: FixedBitSet) -> Column {
    let (filter, count) = (write_query(&part), captures.count_ones(..) as u64);
    (MatrixColumn { label, filter, captures: count, others: None, part }, captures)
}

/// A column for each of the first values of a facet, and one for all others.
fn of_values(facts: &CaptureFacts, captures: &FixedBitSet, relevant: &FixedBitSet, kind: FacetKind) -> Vec<Column> {
    let mut values = facts.count(kind, captures);
    let most = match kind {
        FacetKind::Launch => {
            // Names of launches are their dates; the last ones, in the order of time.
            values.sort_by(|a, b| a.value.cmp(&b.value));
            let earlier = values.len().saturating_sub(MOST_TIMES);
            values.rotate_left(earlier);
            MOST_TIMES
        }
        _ => {
            let found: HashMap<String, u64> =
                facts.count(kind, relevant).into_iter().map(|of| (of.value, of.count)).collect();
            let of_value = |value: &String| found.get(value).copied().unwrap_or_default();
            values.sort_by(|a, b| {
                of_value(&b.value).cmp(&of_value(&a.value)).then(b.count.cmp(&a.count)).then(a.value.cmp(&b.value))
            });
            MOST_COLUMNS
        }
    };
    // One value more is no longer than “others”.
    let (own, others) = values.split_at(if values.len() > most + 1 { most } else { values.len() });
    let choice = |value: &str, is_excluded| FacetChoice { kind, value: value.to_owned(), is_excluded }.part();
    let mut rest = captures.clone();
    let mut columns: Vec<Column> = Vec::new();
    let names: Vec<&str> = own.iter().map(|of| of.value.as_str()).collect();
    for (of, found) in own.iter().zip(facts.with_values_among(captures, kind, &names)) {
        rest.difference_with(&found);
        let label = if of.value.is_empty() { "unknown".to_owned() } else { of.value.clone() };
        columns.push(column(label, choice(&of.value, false), found));
    }
    if !others.is_empty() {
        let part = Query::And(own.iter().map(|of| choice(&of.value, true)).collect());
        let (folded, captures) = column(format!("{} more", others.len()), part, rest);
        let folded = (MatrixColumn { others: Some(others.len() as u64), ..folded }, captures);
        // What was before comes first.
        let place = if kind == FacetKind::Launch { 0 } else { columns.len() };
        columns.insert(place, folded);
    }
    columns
}

/// A column for each of the last months of capture, and one for all before.
fn of_months(facts: &CaptureFacts, captures: &FixedBitSet) -> anyhow::Result<Vec<Column>> {
    let months = facts.histogram(captures, &FixedBitSet::new(), Period::Month);
    let months: Vec<String> = months.into_iter().map(|of| of.period).collect();
    let earlier = if months.len() > MOST_TIMES + 1 { months.len() - MOST_TIMES } else { 0 };
    // All earlier ones are the first column.
    let columns: HashMap<&str, usize> =
        (0..).zip(&months).map(|(at, month)| (month.as_str(), place_of(at, earlier))).collect();
    let mut of_days: HashMap<i32, usize, foldhash::fast::RandomState> = HashMap::default();
    let mut sets = vec![FixedBitSet::with_capacity(captures.len()); place_of(months.len(), earlier)];
    for capture in captures.ones() {
        let day = facts.day_of(capture);
        let at = of_days
            .entry(day)
            .or_insert_with(|| columns.get(period_of(day, Period::Month).as_str()).copied().unwrap_or_default());
        sets[*at].insert(capture);
    }
    let named = |(at, of): (usize, FixedBitSet)| -> anyhow::Result<Column> {
        let (label, filter) = match (at, earlier) {
            (0, 1..) => (format!("to {}", months[earlier - 1]), format!("date:..{}", months[earlier - 1])),
            _ => {
                let month = &months[at + months.len() - place_of(months.len(), earlier)];
                (month.clone(), format!("date:{month}"))
            }
        };
        Ok(column(label, parse_fields(&filter)?, of))
    };
    sets.into_iter().enumerate().map(named).collect()
}

/// The column of the nth month, where so many earlier ones are one.
fn place_of(month: usize, earlier: usize) -> usize {
    match earlier {
        0 => month,
        _ => (month + 1).saturating_sub(earlier),
    }
}
