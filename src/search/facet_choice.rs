//! Values of facets as parts of a query: which of them it chooses, and the query with others.

use super::FacetKind;
use crate::query::{FieldTerm, FieldTest, Query, Sign, TextTest, parse_fields, write_query};

/// A value of a facet that captures must have, or must not have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FacetChoice {
    /// Of what.
    pub kind: FacetKind,
    /// The value; empty for what has none.
    pub value: String,
    /// It must not have it.
    pub is_excluded: bool,
}

impl FacetKind {
    /// The field of a query that has its values.
    fn field(self) -> &'static str {
        match self {
            Self::Year => "date",
            Self::Term => "request",
            kind => kind.name(),
        }
    }

    fn sign(self) -> Sign {
        match self {
            Self::Media | Self::Language | Self::Host | Self::Domain | Self::TopLevel | Self::Country => Sign::Is,
            Self::Year
            | Self::Status
            | Self::Campaign
            | Self::Launch
            | Self::Mark
            | Self::Since
            | Self::Kind
            | Self::Term
            | Self::Entity => Sign::Has,
        }
    }

    /// How a query calls what has no value; none where that is an empty value.
    fn no_value(self) -> Option<&'static str> {
        match self {
            Self::Mark | Self::Campaign => Some("none"),
            Self::Status => Some("0"),
            _ => None,
        }
    }
}

impl FacetChoice {
    /// Any of some values of a facet.
    pub fn any_of(kind: FacetKind, values: &[impl AsRef<str>]) -> Vec<Self> {
        let choice = |value: &str| Self { kind, value: value.to_owned(), is_excluded: false };
        values.iter().map(|value| choice(value.as_ref())).collect()
    }

    /// The part of a query that chooses it.
    pub fn part(&self) -> Query<FieldTerm> {
        let value = self.kind.no_value().filter(|_| self.value.is_empty()).unwrap_or(&self.value).to_owned();
        let (name, sign, test) = (self.kind.field().to_owned(), self.kind.sign(), TextTest::Word(value.clone()));
        let text = format!("{name}{}{value}", sign.as_str());
        let field = Some(FieldTest { name, sign, value, value_column: 1 });
        let term = Query::Term(FieldTerm { column: 1, text, is_quoted: false, field, test, boost: 1.0 });
        if self.is_excluded { Query::Not(Box::new(term)) } else { term }
    }

    /// What a part of a query chooses; none of a part that is something else.
    fn of(mut part: &Query<FieldTerm>) -> Option<Self> {
        let mut is_excluded = false;
        while let Query::Not(inner) = part {
            (part, is_excluded) = (inner, !is_excluded);
        }
        let Query::Term(FieldTerm { field: Some(field), test, .. }) = part else { return None };
        let kind = FacetKind::ALL.into_iter().find(|kind| kind.field() == field.name && kind.sign() == field.sign)?;
        let is_number = field.value.bytes().all(|byte| byte.is_ascii_digit());
        let is_value = match kind {
            FacetKind::Year => is_number && field.value.len() == 4,
            FacetKind::Status => is_number,
            _ => matches!(test, TextTest::Word(_) | TextTest::Phrase { .. }),
        };
        let value = if kind.no_value() == Some(&field.value) { "" } else { &field.value };
        is_value.then(|| Self { kind, value: value.to_owned(), is_excluded })
    }

    /// The values of one facet of which a part leaves a choice, or the one that it must not have.
    fn all_of(part: &Query<FieldTerm>) -> Vec<Self> {
        let Query::Or(parts) = part else { return Self::of(part).into_iter().collect() };
        let found: Option<Vec<Self>> = parts.iter().map(Self::of).collect();
        let is_of_one = |found: &Vec<Self>| found.iter().all(|one| !one.is_excluded && one.kind == found[0].kind);
        found.filter(is_of_one).unwrap_or_default()
    }
}

/// The values of facets that a query chooses, several of one facet as alternatives, or must not have; none of a line
/// that cannot be read.
pub fn facet_choices(line: &str) -> Vec<FacetChoice> {
    let parts = parse_fields(line).map(parts_of).unwrap_or_default();
    parts.iter().flat_map(FacetChoice::all_of).collect()
}

/// A query whatever it chooses of a facet; none where it chooses nothing of it.
pub fn beside_facet(query: &Query<FieldTerm>, kind: FacetKind) -> Option<Query<FieldTerm>> {
    let chooses = parts_of(query.clone()).iter().flat_map(FacetChoice::all_of).any(|choice| choice.kind == kind);
    chooses.then(|| replaced(query.clone(), kind, &[]))
}

/// The parts of a query that choose values of a facet.
pub fn of_facet(query: &Query<FieldTerm>, kind: FacetKind) -> Query<FieldTerm> {
    let mut parts = parts_of(query.clone());
    parts.retain(|part| FacetChoice::all_of(part).iter().any(|choice| choice.kind == kind));
    Query::And(parts)
}

/// A query that chooses these values of a facet in the place of those that it chose; a line that cannot be read as it is.
pub fn with_facets(line: &str, kind: FacetKind, choices: &[FacetChoice]) -> String {
    parse_fields(line).map_or_else(|_| line.to_owned(), |query| write_query(&replaced(query, kind, choices)))
}

/// A query that chooses a value beside what it chooses; without it where it did so before.
pub fn toggle_facet(line: &str, choice: &FacetChoice) -> String {
    let mut choices = facet_choices(line);
    choices.retain(|other| other.kind == choice.kind);
    let is_chosen = choices.contains(choice);
    choices.retain(|other| other.value != choice.value);
    if !is_chosen {
        choices.push(choice.clone());
    }
    with_facets(line, choice.kind, &choices)
}

/// A query that chooses these values, too.
pub fn narrowed_by(line: &str, choices: &[FacetChoice]) -> String {
    choices.iter().fold(line.to_owned(), |line, choice| match facet_choices(&line).contains(choice) {
        true => line,
        false => toggle_facet(&line, choice),
    })
}

fn replaced(query: Query<FieldTerm>, kind: FacetKind, choices: &[FacetChoice]) -> Query<FieldTerm> {
    let is_of_kind = |part: &Query<FieldTerm>| FacetChoice::all_of(part).iter().any(|choice| choice.kind == kind);
    let mut parts = parts_of(query);
    let place = parts.iter().position(is_of_kind);
    parts.retain(|part| !is_of_kind(part));
    let place = place.unwrap_or(parts.len());
    let (excluded, mut chosen): (Vec<_>, Vec<_>) =
        choices.iter().map(FacetChoice::part).partition(|part| matches!(part, Query::Not(_)));
    let chosen = if chosen.len() > 1 { Some(Query::Or(chosen)) } else { chosen.pop() };
    parts.splice(place..place, chosen.into_iter().chain(excluded));
    if parts.len() == 1 { parts.remove(0) } else { Query::And(parts) }
}

/// The parts of a query that all have to be met.
pub(super) fn parts_of(query: Query<FieldTerm>) -> Vec<Query<FieldTerm>> {
    match query {
        Query::And(parts) => parts,
        part => vec![part],
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn choice(kind: FacetKind, value: &str, is_excluded: bool) -> FacetChoice {
        FacetChoice { kind, value: value.to_owned(), is_excluded }
    }

    #[track_caller]
    fn check(line: &str, of: FacetChoice, expected: &str) {
        let with = toggle_facet(line, &of);
        assert_eq!(with, expected);
        assert!(facet_choices(&with).contains(&of), "{with}: {:?}", facet_choices(&with));
        assert!(!facet_choices(&toggle_facet(&with, &of)).contains(&of), "{with}");
    }

    #[test]
    fn a_value_is_a_part_of_the_query() {
        check("", choice(FacetKind::Host, "a.pt", false), "host=a.pt");
        check("ria", choice(FacetKind::Domain, "a.pt", true), "ria NOT domain=a.pt");
        check("ria OR mar", choice(FacetKind::TopLevel, "pt", false), "(ria OR mar) tld=pt");
        check("(ria OR mar) x", choice(FacetKind::Year, "2024", false), "(ria OR mar) x date:2024");
        check("title:\"a OR b\"", choice(FacetKind::Media, "page", true), "title:\"a OR b\" NOT media=page");
        check("-host=a.pt x", choice(FacetKind::Host, "a.pt", false), "host=a.pt x");
        check("x AND y", choice(FacetKind::Mark, "", false), "x y mark:none");
        check("x", choice(FacetKind::Campaign, "", true), "x NOT campaign:none");
        check("x", choice(FacetKind::Status, "", false), "x status:0");
        check("x", choice(FacetKind::Launch, "two words \"q\"", false), "x launch:\"two words \"\"q\"\"\"");
        check("ria NEAR/2 mar", choice(FacetKind::Language, "", false), "ria NEAR/2 mar lang=");
        assert_eq!(toggle_facet("x NOT domain=a.pt y", &choice(FacetKind::Domain, "a.pt", true)), "x y");
        assert_eq!(toggle_facet("NOT NOT status:404", &choice(FacetKind::Status, "404", false)), "");
        assert_eq!(toggle_facet("(x", &choice(FacetKind::Status, "404", false)), "(x");
        for other in
            ["host=a.pt OR x", "(host=a.pt OR status:404) x", "(host=a.pt OR NOT host=b.pt)", "(x", "host:a.pt"]
        {
            assert_eq!(facet_choices(other), [], "{other}");
        }
        assert_eq!(facet_choices("date>2019 date:2024-03 status:4xx mark:* size:2024 lang:pt tld=pt").len(), 1);
    }

    #[test]
    fn values_of_one_facet_are_alternatives() {
        let host = |name: &str| choice(FacetKind::Host, name, false);
        let two = toggle_facet("x host=a.pt status:404", &host("b.pt"));
        assert_eq!(two, "x (host=a.pt OR host=b.pt) status:404");
        let chosen = [host("a.pt"), host("b.pt"), choice(FacetKind::Status, "404", false)];
        assert_eq!(facet_choices(&two), chosen);
        let three = toggle_facet(&two, &host("c.pt"));
        assert_eq!(three, "x (host=a.pt OR host=b.pt OR host=c.pt) status:404");
        assert_eq!(toggle_facet(&three, &host("b.pt")), "x (host=a.pt OR host=c.pt) status:404");
        assert_eq!(toggle_facet(&two, &host("a.pt")), "x host=b.pt status:404");
        // One that is to be left out is no alternative any more.
        assert_eq!(toggle_facet(&two, &choice(FacetKind::Host, "b.pt", true)), "x host=a.pt NOT host=b.pt status:404");
        assert_eq!(toggle_facet("x NOT host=b.pt", &host("a.pt")), "x host=a.pt NOT host=b.pt");
        assert_eq!(facet_choices("campaign:1 OR campaign:none").len(), 2);
        let query = parse_fields(&two).unwrap();
        assert_eq!(write_query(&beside_facet(&query, FacetKind::Host).unwrap()), "x status:404");
        assert_eq!(beside_facet(&query, FacetKind::Year), None);
        assert_eq!(with_facets(&two, FacetKind::Host, &[host("d.pt")]), "x host=d.pt status:404");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_a_value_is_it_is_found_again(
            line in "([a-z]{1,4}|-[a-z]{1,4}|\"[a-z() ]{0,5}\"|\\([a-z]{1,3} OR [a-z]\\)|NOT x:y| ){0,4}",
            kind in 0..FacetKind::ALL.len(),
            value in "[a-z0-9\" ()*?~.-]{0,12}",
            is_excluded: bool,
        ) {
            let Ok(before) = parse_fields(&line) else { return Ok(()) };
            let kind = FacetKind::ALL[kind];
            let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
            prop_assume!(match kind {
                FacetKind::Year => is_number && value.len() == 4,
                FacetKind::Status => is_number && value != "0",
                FacetKind::Mark | FacetKind::Campaign => value != "none",
                FacetKind::Launch | FacetKind::Kind | FacetKind::Term | FacetKind::Entity | FacetKind::Since => {
                    !value.is_empty()
                }
                _ => true,
            });
            let of = choice(kind, &value, is_excluded);
            let with = toggle_facet(&line, &of);
            prop_assert_eq!(facet_choices(&with), [facet_choices(&line), vec![of.clone()]].concat(), "{}", with);
            prop_assert_eq!(toggle_facet(&with, &of), write_query(&before), "{}", with);
        }
    }
}
