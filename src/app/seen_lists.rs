//! Lists of URLs that a number of a specification counts, as queries.

use super::models::{
    Drift, GeoList, GeoReport, Loaded, MovedRow, RuleMatches, RuleReport, SeenRow, SortKey, WhatIfAnswer, WhatIfList,
};
use super::{ByIdentity, Reads, RowQuery};
use crate::work::Session;
use crate::work::models::SeenId;
use std::sync::Arc;

/// The common property of the URLs of a list.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum SeenList {
    /// A rule decided them.
    Decided(ByIdentity<RuleReport>, usize),
    /// A rule had an opinion of them.
    Matched(ByIdentity<RuleMatches>),
    /// A country rule let them in.
    Geo(ByIdentity<GeoReport>, GeoList),
    /// Another country database moves them.
    Drift(ByIdentity<Drift>, GeoList),
}

/// A part of such a list.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SeenListQuery {
    /// The list.
    pub list: SeenList,
    /// Rows to skip.
    pub offset: u64,
    /// Rows at most.
    pub limit: u64,
}

impl RowQuery for SeenListQuery {
    type Row = SeenRow;
    type Page = Vec<SeenRow>;

    fn part(&self, _: &[SortKey], offset: u64, limit: u64) -> Self {
        Self { offset, limit, ..self.clone() }
    }

    /// The rows are numbers that an answer holds, in its order.
    fn can_sort(&self, _: &str) -> bool {
        false
    }

    fn load(self, reads: &mut Reads) -> Loaded<Arc<Vec<SeenRow>>> {
        reads.seen_list(self)
    }

    fn read(&self, session: &Session) -> anyhow::Result<Vec<SeenRow>> {
        let page = |ids: &mut dyn Iterator<Item = SeenId>| -> anyhow::Result<Vec<SeenRow>> {
            let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
            let ids: Vec<SeenId> = ids.skip(at(self.offset)).take(at(self.limit)).collect();
            if ids.is_empty() { Ok(Vec::new()) } else { session.seen_rows(&ids) }
        };
        match &self.list {
            SeenList::Decided(of, rule) => {
                let hits = of.answer()?;
                page(&mut hits.rules.get(*rule).into_iter().flat_map(|hits| hits.ids.first()).copied())
            }
            SeenList::Matched(of) => page(&mut of.answer()?.ids.first().iter().copied()),
            SeenList::Geo(of, list) => page(&mut of.answer()?.ids(list)),
            SeenList::Drift(of, list) => {
                let drift = of.answer()?;
                page(&mut drift.ids(list).into_iter().flat_map(|ids| ids.first()).copied())
            }
        }
    }

    fn rows(page: &Vec<SeenRow>) -> &[SeenRow] {
        page
    }
}

/// A part of the URLs that a number of a what-if counts.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MovedQuery {
    /// The answer.
    pub of: ByIdentity<WhatIfAnswer>,
    /// The number.
    pub list: WhatIfList,
    /// Rows to skip.
    pub offset: u64,
    /// Rows at most.
    pub limit: u64,
}

impl RowQuery for MovedQuery {
    type Row = MovedRow;
    type Page = Vec<MovedRow>;

    fn part(&self, _: &[SortKey], offset: u64, limit: u64) -> Self {
        Self { offset, limit, ..self.clone() }
    }

    /// Rows are judged as they are read, in the order of the answer.
    fn can_sort(&self, _: &str) -> bool {
        false
    }

    fn load(self, reads: &mut Reads) -> Loaded<Arc<Vec<MovedRow>>> {
        reads.moved_rows(self)
    }

    fn read(&self, session: &Session) -> anyhow::Result<Vec<MovedRow>> {
        let answer = self.of.answer()?;
        let WhatIfAnswer { campaign, edited, figures } = answer.as_ref();
        session.what_if_rows(*campaign, edited, figures, self.list, self.offset..self.offset.saturating_add(self.limit))
    }

    fn rows(page: &Vec<MovedRow>) -> &[MovedRow] {
        page
    }
}
