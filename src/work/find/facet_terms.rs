//! Values of facets as parts of a filter line: which of them a line asks for,
//! and the line with one more or one less.

use super::search::{FacetChoice, facet_filter};
use crate::query::{Query, parse_fields};
use crate::search::FacetKind;

/// A part of a line: all of them have to be met.
#[derive(Clone)]
struct Part {
    is_not: bool,
    /// Without NOT.
    term: String,
}

impl Part {
    fn of(mut text: &str) -> Self {
        let mut is_not = false;
        let without_not = |text: &'_ str| -> Option<usize> {
            let len = if text.starts_with("NOT ") { 4 } else { usize::from(text.starts_with('-')) };
            (len > 0 && text.len() > len).then_some(len)
        };
        while let Some(len) = without_not(text) {
            (text, is_not) = (text[len..].trim_start(), !is_not);
        }
        Self { is_not, term: text.to_owned() }
    }

    fn of_choice(choice: &FacetChoice) -> Self {
        let part = Self::of(&facet_filter(choice.kind, &choice.value));
        Self { is_not: part.is_not != choice.is_excluded, ..part }
    }

    fn choice(&self) -> Option<FacetChoice> {
        let Ok(Query::Term(term)) = parse_fields(&self.term) else { return None };
        let field = term.field?;
        FacetKind::ALL.into_iter().find_map(|kind| {
            let named = field.value.as_str();
            let value = match kind {
                FacetKind::TopLevel => named.strip_prefix("*.")?,
                // A line that asks for a search need not ask for a term of a request.
                FacetKind::Term => return None,
                FacetKind::Domain | FacetKind::Host if named.contains('*') => return None,
                FacetKind::Year if named.len() != 4 => return None,
                _ => named,
            };
            // What has no value is asked for in other words.
            ["", value].into_iter().find_map(|value| {
                let of_value = Self::of(&facet_filter(kind, value));
                let is_excluded = of_value.is_not != self.is_not;
                (of_value.term == self.term).then(|| FacetChoice { kind, value: value.to_owned(), is_excluded })
            })
        })
    }

    /// What the part leaves open: several parts in brackets with OR between them, or itself.
    fn alternatives(&self) -> Vec<Self> {
        let inner = self.term.strip_prefix('(').and_then(|term| term.strip_suffix(')')).filter(|_| !self.is_not);
        let Some(inner) = inner else { return vec![self.clone()] };
        let pieces = pieces_of(inner);
        let alternative = |pieces: &[&str]| match pieces {
            [nots @ .., _] if nots.iter().all(|piece| *piece == "NOT") => Some(Self::of(&pieces.join(" "))),
            _ => None,
        };
        let found: Option<Vec<Self>> = pieces.split(|piece| *piece == "OR").map(alternative).collect();
        found.filter(|found| found.len() > 1).unwrap_or_else(|| vec![self.clone()])
    }

    /// One part of alternatives; none of none.
    fn of_alternatives(mut parts: Vec<Self>) -> Option<Self> {
        if parts.len() < 2 {
            return parts.pop();
        }
        let texts: Vec<String> = parts.iter().map(Self::text).collect();
        Some(Self { is_not: false, term: format!("({})", texts.join(" OR ")) })
    }

    /// The values of one facet that it asks for, of which one is enough, or the one it asks not to have.
    fn choices(&self) -> Vec<FacetChoice> {
        let alternatives = self.alternatives();
        let found: Option<Vec<FacetChoice>> = alternatives.iter().map(Self::choice).collect();
        let is_of_one = |found: &Vec<FacetChoice>| match found.as_slice() {
            [_] => true,
            some => some.iter().all(|choice| !choice.is_excluded && choice.kind == some[0].kind),
        };
        found.filter(is_of_one).unwrap_or_default()
    }

    /// Whether it asks for values of this facet.
    fn is_of_kind(&self, kind: FacetKind) -> bool {
        self.choices().first().is_some_and(|choice| choice.kind == kind && !choice.is_excluded)
    }

    fn text(&self) -> String {
        if self.is_not { format!("NOT {}", self.term) } else { self.term.clone() }
    }
}

/// The values of facets that a filter line asks for, several of one facet as alternatives, or asks not to have.
pub fn facet_choices(line: &str) -> Vec<FacetChoice> {
    parts_of(line).unwrap_or_default().iter().flat_map(Part::choices).collect()
}

/// A filter line whatever is chosen of a facet; none where nothing of it is.
pub fn beside_facet(line: &str, kind: FacetKind) -> Option<String> {
    let mut parts = parts_of(line)?;
    let all = parts.len();
    parts.retain(|part| part.choices().iter().all(|choice| choice.kind != kind));
    (parts.len() < all).then(|| parts.iter().map(Part::text).collect::<Vec<_>>().join(" "))
}

/// A filter line that asks for a value of a facet beside what it asks for, or as another one of
/// that facet; without it where it did so before.
pub fn with_facet(line: &str, choice: &FacetChoice) -> String {
    let mut parts = parts_of(line).unwrap_or_else(|| vec![Part { is_not: false, term: format!("({})", line.trim()) }]);
    let added = Part::of_choice(choice);
    let mut was_there = false;
    let mut without = |part: Part| {
        let mut alternatives = if part.choices().len() > 1 { part.alternatives() } else { vec![part] };
        alternatives.retain(|part| {
            was_there |= part.term == added.term && part.is_not == added.is_not;
            part.term != added.term
        });
        Part::of_alternatives(alternatives)
    };
    parts = parts.into_iter().filter_map(&mut without).collect();
    if !was_there {
        let of_facet = parts.iter_mut().rfind(|part| !choice.is_excluded && part.is_of_kind(choice.kind));
        match of_facet {
            Some(part) => {
                let mut several = part.alternatives();
                several.push(added);
                *part = Part::of_alternatives(several).unwrap_or_else(|| part.clone());
            }
            None => parts.push(added),
        }
    }
    parts.iter().map(Part::text).collect::<Vec<_>>().join(" ")
}

/// The parts of a line that all have to be met; none of a line of alternatives, and of one that cannot be read.
fn parts_of(line: &str) -> Option<Vec<Part>> {
    parse_fields(line).ok()?;
    let pieces = pieces_of(line);
    if pieces.iter().any(|piece| *piece == "OR" || *piece == "NEAR" || piece.starts_with("NEAR/")) {
        return None;
    }
    let mut parts = Vec::new();
    let mut nots = String::new();
    for piece in pieces.into_iter().filter(|piece| *piece != "AND") {
        if piece == "NOT" {
            nots.push_str("NOT ");
            continue;
        }
        parts.push(Part::of(&format!("{nots}{piece}")));
        nots.clear();
    }
    Some(parts)
}

/// What stands between blanks, quotes and brackets as a whole.
fn pieces_of(line: &str) -> Vec<&str> {
    let (mut is_quoted, mut depth) = (false, 0_usize);
    let pieces = line.split(|c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        c.is_whitespace() && !is_quoted && depth == 0
    });
    pieces.filter(|piece| !piece.is_empty()).collect()
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
        let with = with_facet(line, &of);
        assert_eq!(with, expected);
        assert!(facet_choices(&with).contains(&of), "{with}: {:?}", facet_choices(&with));
        // Asked for again, it goes.
        assert!(!facet_choices(&with_facet(&with, &of)).contains(&of), "{with}");
    }

    #[test]
    fn a_value_is_a_part_of_the_line() {
        check("", choice(FacetKind::Host, "a.pt", false), "host=a.pt");
        check("ria", choice(FacetKind::Domain, "a.pt", true), "ria NOT host:a.pt");
        check("ria OR mar", choice(FacetKind::TopLevel, "pt", false), "(ria OR mar) host:*.pt");
        check("(ria OR mar) x", choice(FacetKind::Year, "2024", false), "(ria OR mar) x date:2024");
        check("title:\"a OR b\"", choice(FacetKind::Media, "page", true), "title:\"a OR b\" NOT media=page");
        check("-host=a.pt x", choice(FacetKind::Host, "a.pt", false), "x host=a.pt");
        check("x AND y", choice(FacetKind::Mark, "", false), "x y mark:none");
        check("x", choice(FacetKind::Campaign, "", false), "x NOT campaign:*");
        check("x", choice(FacetKind::Campaign, "", true), "x campaign:*");
        check("x", choice(FacetKind::Launch, "two words \"q\"", false), "x launch:\"two words \"\"q\"\"\"");
        assert_eq!(with_facet("x NOT host:a.pt y", &choice(FacetKind::Domain, "a.pt", true)), "x y");
        assert_eq!(with_facet("NOT NOT status:404", &choice(FacetKind::Status, "404", false)), "");
        assert_eq!(facet_choices("host=a.pt OR x"), []);
        assert_eq!(facet_choices("(host=a.pt OR status:404)"), [], "of two facets");
        assert_eq!(facet_choices("(host=a.pt OR NOT host=b.pt)"), []);
        assert_eq!(facet_choices("date>2019 host:*.gov.pt size:2024"), [choice(FacetKind::TopLevel, "gov.pt", false)]);
    }

    #[test]
    fn values_of_one_facet_are_alternatives() {
        let host = |name: &str| choice(FacetKind::Host, name, false);
        let two = with_facet("x host=a.pt status:404", &host("b.pt"));
        assert_eq!(two, "x (host=a.pt OR host=b.pt) status:404");
        let chosen = [host("a.pt"), host("b.pt"), choice(FacetKind::Status, "404", false)];
        assert_eq!(facet_choices(&two), chosen);
        let three = with_facet(&two, &host("c.pt"));
        assert_eq!(three, "x (host=a.pt OR host=b.pt OR host=c.pt) status:404");
        assert_eq!(with_facet(&three, &host("b.pt")), "x (host=a.pt OR host=c.pt) status:404");
        assert_eq!(with_facet(&two, &host("a.pt")), "x host=b.pt status:404");
        // One that is to be left out is no alternative any more.
        let without = choice(FacetKind::Host, "b.pt", true);
        assert_eq!(with_facet(&two, &without), "x host=a.pt status:404 NOT host=b.pt");
        assert_eq!(with_facet("x NOT host=b.pt", &host("a.pt")), "x NOT host=b.pt host=a.pt");
        // What has no value is an alternative as well.
        let unknown = with_facet("campaign:1", &choice(FacetKind::Campaign, "", false));
        assert_eq!(unknown, "(campaign:1 OR NOT campaign:*)");
        assert_eq!(facet_choices(&unknown).len(), 2);
        assert_eq!(beside_facet(&two, FacetKind::Host).unwrap(), "x status:404");
        assert_eq!(beside_facet(&two, FacetKind::Year), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_a_value_is_it_is_found_again(
            line in "([a-z]{1,4}|-[a-z]{1,4}|\"[a-z() ]{0,5}\"|\\([a-z]{1,3} OR [a-z]\\)|NOT x:y| ){0,4}",
            kind in 0..FacetKind::ALL.len(),
            value in "[a-z0-9\" ().-]{0,12}",
            is_excluded: bool,
        ) {
            prop_assume!(parse_fields(&line).is_ok());
            let kind = FacetKind::ALL[kind];
            prop_assume!(kind != FacetKind::Term);
            // A year has four digits, and a top-level domain a name.
            prop_assume!(kind != FacetKind::Year || value.len() == 4);
            let of = choice(kind, &value, is_excluded);
            let with = with_facet(&line, &of);
            prop_assume!(parse_fields(&with).is_ok());
            let choices = facet_choices(&with);
            let is_there = choices.iter().any(|found| Part::of_choice(found).text() == Part::of_choice(&of).text());
            prop_assert!(is_there || facet_choices(&line).contains(&of), "{with:?}: {choices:?}");
        }
    }
}
