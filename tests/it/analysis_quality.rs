//! Names and terms beside labelled data of others. Each figure is printed; the floors are those that simple methods
//! reach which learn nothing.

use crate::need;
use fonds::analysis::entities::{CaseCounts, EntityKind, Gazetteer, NamedEntity, PageNames, page_names};
use fonds::analysis::terms::{TermPages, page_terms};
use fonds::search::stem_term;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::path::Path;

/// A name of a labelled text: first character, characters, kind.
type Gold = BTreeSet<(u32, u32, EntityKind)>;

/// A sentence with the names in it.
struct LabelledText {
    text: String,
    gold: Gold,
}

fn sentences_of(path: &Path) -> Vec<LabelledText> {
    let mut lines = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut lines).unwrap();
    let mut found = Vec::new();
    for block in lines.split("\n\n") {
        let Some(text) = block.lines().find_map(|line| line.strip_prefix("# text = ")) else { continue };
        let mut names: Vec<(usize, usize, EntityKind)> = Vec::new();
        let (mut at, mut is_inside) = (0, false);
        for line in block.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.split('\t').skip(1);
            let (Some(token), Some(tag)) = (columns.next(), columns.next()) else { continue };
            // A token that a contraction was parted into is not in the text.
            let begin = text[at..].find(token).map_or(at, |found| at + found);
            let end = begin + token.len();
            if text[at..].contains(token) {
                at = end;
            }
            match tag.split_once('-') {
                Some(("B", kind)) => {
                    names.push((begin, end, EntityKind::of_name(kind).unwrap()));
                    is_inside = true;
                }
                Some(("I", _)) if is_inside => names.last_mut().unwrap().1 = end,
                _ => is_inside = false,
            }
        }
        let chars = |part: &str| u32::try_from(part.chars().count()).unwrap();
        let gold = names.into_iter().filter(|(begin, end, _)| begin < end && text.is_char_boundary(*end)).map(
            |(begin, end, kind)| {
                // Marks around a name are no part of it.
                let is_mark = |c: char| !c.is_alphanumeric();
                let name = &text[begin..end];
                let begin = begin + name.len() - name.trim_start_matches(is_mark).len();
                let name = name.trim_matches(is_mark);
                (chars(&text[..begin]), chars(name), kind)
            },
        );
        found.push(LabelledText { gold: gold.filter(|(_, len, _)| *len > 0).collect(), text: text.to_owned() });
    }
    found
}

fn names_of(set: &[LabelledText], gazetteer: &Gazetteer) -> (Vec<PageNames>, CaseCounts) {
    let pages: Vec<PageNames> = set.iter().map(|one| page_names(&one.text, gazetteer)).collect();
    let mut counts = CaseCounts::default();
    pages.iter().for_each(|page| counts.add(page));
    (pages, counts)
}

/// The names that candidates are, in numbers: exact F1, overlap recall.
fn candidates(set: &str) -> Option<(f64, f64)> {
    let set = sentences_of(&need::data("labelled/uner")?.join(set));
    let (pages, counts) = names_of(&set, &Gazetteer::default());
    let (mut exact, mut met, mut of_gold, mut of_found) = (0, 0, 0, 0);
    for (one, page) in set.iter().zip(&pages) {
        let found: BTreeSet<(u32, u32)> = page
            .candidates
            .iter()
            .filter_map(|candidate| {
                let (name, before) = candidate.resolved(&counts)?;
                Some((candidate.start + before, u32::try_from(name.chars().count()).unwrap()))
            })
            .collect();
        let gold: BTreeSet<(u32, u32)> = one.gold.iter().map(|(start, len, _)| (*start, *len)).collect();
        exact += gold.intersection(&found).count();
        let is_met = |(start, len): &&(u32, u32)| found.iter().any(|(at, of)| *at < start + len && *start < at + of);
        met += gold.iter().filter(is_met).count();
        (of_gold, of_found) = (of_gold + gold.len(), of_found + found.len());
    }
    let (precision, recall) = (exact as f64 / of_found as f64, exact as f64 / of_gold as f64);
    let f1 = 2.0 * precision * recall / (precision + recall);
    let overlap = met as f64 / of_gold as f64;
    println!("candidates: precision {precision:.3} recall {recall:.3} F1 {f1:.3}, overlap recall {overlap:.3}");
    Some((f1, overlap))
}

#[test]
fn candidates_of_portuguese_news_are_names() {
    let Some((f1, overlap)) = candidates("pt_bosque-ud-test.iob2.gz") else { return };
    assert!(f1 >= 0.72 && overlap >= 0.95, "{f1} {overlap}");
}

#[test]
fn candidates_of_english_web_pages_are_names() {
    let Some((f1, overlap)) = candidates("en_ewt-ud-test.iob2.gz") else { return };
    assert!(f1 >= 0.51 && overlap >= 0.84, "{f1} {overlap}");
}

/// The names of a set as an authority file: each of the kind that it mostly has.
fn own_names(set: &[LabelledText]) -> Vec<NamedEntity> {
    let mut kinds: BTreeMap<String, BTreeMap<EntityKind, u32>> = BTreeMap::new();
    for one in set {
        for (start, len, kind) in &one.gold {
            let name: String = one.text.chars().skip(*start as usize).take(*len as usize).collect();
            *kinds.entry(name).or_default().entry(*kind).or_default() += 1;
        }
    }
    let most = |kinds: &BTreeMap<EntityKind, u32>| *kinds.iter().max_by_key(|(_, count)| **count).unwrap().0;
    kinds
        .iter()
        .map(|(name, kinds)| NamedEntity { name: name.clone(), kind: most(kinds), ..NamedEntity::default() })
        .collect()
}

fn known_names(set: &str) {
    let Some(folder) = need::data("labelled/uner") else { return };
    let set = sentences_of(&folder.join(set));
    let entities = own_names(&set);
    let (pages, _) = names_of(&set, &Gazetteer::new(&entities).unwrap());
    let (mut right, mut of_gold, mut of_found) = (0, 0, 0);
    for (one, page) in set.iter().zip(&pages) {
        let found: Gold = page
            .mentions
            .iter()
            .map(|mention| {
                // Of several of one name the kind is the one that comes first.
                let kind = entities[mention.entities[0] as usize].kind;
                (mention.start, u32::try_from(mention.text.chars().count()).unwrap(), kind)
            })
            .collect();
        right += one.gold.intersection(&found).count();
        (of_gold, of_found) = (of_gold + one.gold.len(), of_found + found.len());
    }
    let (precision, recall) = (right as f64 / of_found as f64, right as f64 / of_gold as f64);
    println!("known names with their kinds: precision {precision:.3} recall {recall:.3}");
    assert!(precision >= 0.95 && recall >= 0.90, "{precision} {recall}");
}

#[test]
fn known_names_are_found_in_portuguese_news() {
    known_names("pt_bosque-ud-test.iob2.gz");
}

#[test]
fn known_names_are_found_on_english_web_pages() {
    known_names("en_ewt-ud-test.iob2.gz");
}

/// `assets/names.tsv` as an authority file: countries, each with its names in five languages.
fn countries() -> Vec<(String, Vec<String>)> {
    let rows = include_str!("../../assets/names.tsv").lines().filter_map(|row| row.split_once('\t'));
    let countries = rows.filter(|(code, _)| code.chars().all(char::is_uppercase));
    countries.map(|(code, names)| (code.to_owned(), names.split('\t').map(str::to_owned).collect())).collect()
}

#[test]
fn countries_in_five_languages_are_joined_and_none_with_another() {
    let countries = countries();
    let entities: Vec<NamedEntity> = countries
        .iter()
        .map(|(code, names)| NamedEntity {
            uri: code.clone(),
            kind: EntityKind::Place,
            name: names[0].clone(),
            aliases: names[1..].to_vec(),
        })
        .collect();
    let gazetteer = Gazetteer::new(&entities).unwrap();
    let frames = ["We went to {}.", "Viajámos por {}.", "Llegan a {} hoy.", "Arrivés de {} hier.", "Sie kam nach {}."];
    let (mut joined, mut of, mut wrong) = (0, 0, Vec::new());
    for (at, (code, names)) in countries.iter().enumerate() {
        for (name, frame) in names.iter().zip(frames) {
            of += 1;
            let page = page_names(&frame.replace("{}", name), &gazetteer);
            let own = u32::try_from(at).unwrap();
            let found: Vec<u32> = page.mentions.iter().flat_map(|mention| mention.entities.clone()).collect();
            joined += usize::from(found.contains(&own));
            if found.iter().any(|entity| *entity != own) {
                wrong.push(format!("{code} {name}: {found:?}"));
            }
        }
    }
    println!("countries: {joined} of {of} names joined, {} with another one: {wrong:?}", wrong.len());
    assert_eq!((joined, wrong), (of, Vec::new()));
}

/// Texts and their key phrases.
fn keyed_texts(archive: &Path) -> Vec<(String, Vec<String>)> {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(archive).unwrap()).unwrap();
    let (mut texts, mut keys) = (BTreeMap::new(), BTreeMap::new());
    for number in 0..zip.len() {
        let mut file = zip.by_index(number).unwrap();
        let (name, mut bytes) = (file.name().unwrap().into_owned(), Vec::new());
        file.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let stem = name.rsplit('/').next().unwrap().to_owned();
        match stem.rsplit_once('.') {
            Some((stem, "txt")) => drop(texts.insert(stem.to_owned(), text)),
            Some((stem, "key")) => drop(keys.insert(stem.to_owned(), text)),
            _ => {}
        }
    }
    let lines = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    texts.into_iter().filter_map(|(name, text)| Some((text, lines(keys.get(&name)?)))).collect()
}

/// F1 of the ten best terms of each text, stems compared.
fn terms(archive: &str, language: &str, floor: f64) {
    let Some(folder) = need::data("labelled/keywords") else { return };
    let set = keyed_texts(&folder.join(archive));
    let stem = |word: &str| stem_term(language, word);
    let pages: Vec<_> = set.iter().map(|(text, _)| page_terms(text, language, &stem)).collect();
    let mut corpus = TermPages::default();
    pages.iter().for_each(|terms| corpus.add(terms));
    let stems = |phrase: &str| {
        let parts = phrase.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        parts.map(|part| stem_term(language, &part.to_lowercase())).collect::<Vec<_>>().join(" ")
    };
    let mut sum = 0.0;
    for ((_, keys), terms) in set.iter().zip(&pages) {
        let keys: BTreeSet<String> = keys.iter().map(|key| stems(key)).collect();
        let found: HashMap<String, f64> =
            corpus.best(terms, 10).iter().map(|(term, weight)| (stems(&term.text), *weight)).collect();
        let hits = found.keys().filter(|term| keys.contains(*term)).count() as f64;
        let (precision, recall) = (hits / 10.0, hits / keys.len() as f64);
        sum += if hits > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
    }
    let f1 = sum / set.len() as f64;
    println!("terms of {archive}: F1@10 {f1:.3}");
    assert!(f1 >= floor, "{archive}: {f1}");
}

#[test]
fn terms_of_portuguese_news_are_those_that_people_name() {
    terms("110-PT-BN-KP.zip", "pt", 0.25);
}

#[test]
fn terms_of_french_news_are_those_that_people_name() {
    terms("WikiNews.zip", "fr", 0.38);
}

#[test]
fn terms_of_english_news_are_those_that_people_name() {
    terms("500N-KPCrowd.zip", "en", 0.15);
}
