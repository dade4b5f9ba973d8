//! Names and terms beside labelled data of others. Each figure is printed; the floors are those that simple methods
//! reach which learn nothing.

use crate::archive::{file, page};
use crate::knowledge::python;
use crate::need;
use crate::program::{arg, fonds, fonds_watched, fonds_with};
use fonds::analysis::entities::{CaseCounts, EntityKind, Gazetteer, NamedEntity, PageNames, page_names};
use fonds::analysis::terms::{TermPages, page_terms};
use fonds::search::stem_term;
use std::collections::{BTreeMap, BTreeSet};
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

/// F1 of ten phrases of each text against its key phrases, stems compared.
fn f1_of(set: &[(String, Vec<String>)], found: &[Vec<String>], language: &str) -> f64 {
    let stems = |phrase: &String| {
        let parts = phrase.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        parts.map(|part| stem_term(language, &part.to_lowercase())).collect::<Vec<_>>().join(" ")
    };
    let mut sum = 0.0;
    for ((_, keys), found) in set.iter().zip(found) {
        let [keys, found] = [keys, found].map(|phrases| phrases.iter().map(stems).collect::<BTreeSet<String>>());
        let hits = found.intersection(&keys).count() as f64;
        let (precision, recall) = (hits / 10.0, hits / keys.len() as f64);
        sum += if hits > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
    }
    sum / set.len() as f64
}

/// The ten best terms of each text.
fn best_terms(set: &[(String, Vec<String>)], language: &str) -> Vec<Vec<String>> {
    let stem = |word: &str| stem_term(language, word);
    let pages: Vec<_> = set.iter().map(|(text, _)| page_terms(text, language, &stem)).collect();
    let mut corpus = TermPages::default();
    pages.iter().for_each(|terms| corpus.add(terms));
    pages.iter().map(|terms| corpus.best(terms, 10).iter().map(|(term, _)| term.text.clone()).collect()).collect()
}

fn terms(archive: &str, language: &str, floor: f64) {
    let Some(folder) = need::data("labelled/keywords") else { return };
    let set = keyed_texts(&folder.join(archive));
    let f1 = f1_of(&set, &best_terms(&set, language), language);
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

/// Articles of the BBC with their classes.
fn articles() -> Option<Vec<(String, String)>> {
    let path = need::data("labelled/bbc-news")?.join("corpus.tsv.gz");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut lines).unwrap();
    let row = |line: &str| {
        let mut cells = line.split('\t');
        Some((cells.next()?.to_owned(), cells.nth(1)?.trim().to_owned()))
    };
    Some(lines.lines().filter_map(row).filter(|(_, class)| class != "label").collect())
}

/// The share of pairs of a right and a wrong one of which the right one has more (area under the curve).
fn auc(scored: &[(f64, bool)]) -> f64 {
    let side = |is_right: bool| scored.iter().filter(move |(_, right)| *right == is_right).map(|(score, _)| *score);
    let (mut won, mut of) = (0.0, 0.0_f64);
    for right in side(true) {
        for wrong in side(false) {
            of += 1.0;
            won += if right > wrong {
                1.0
            } else if right == wrong {
                0.5
            } else {
                0.0
            };
        }
    }
    won / of.max(1.0)
}

#[test]
fn what_is_suggested_from_marks_finds_the_pages_that_were_not_marked() {
    const CLASS: &str = "politics";
    let Some(articles) = articles() else { return };
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    let html = |text: &str| format!("<html lang=en><title>Article</title><article><p>{text}</p></article></html>");
    let url = |n: usize| format!("http://h{}.example/{n}", n % 7);
    let pages: Vec<Vec<u8>> =
        articles.iter().enumerate().map(|(n, (text, _))| page(&url(n), "2024-03-01T09:00:30Z", &html(text))).collect();
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut campaign: serde_json::Value =
        serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    let term = serde_json::json!({ "term": { "kind": "keyword", "value": "parliament", "weight": 1.0 } });
    campaign["request"] = serde_json::json!({ "or": [term] });
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.to_string().as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file(dir.path(), "bbc.warc.gz", &pages))]).with_status(0);
    fonds(&["files", "assign", arg(&workspace), "1", "1"]).with_status(0);
    fonds(&["index", arg(&workspace)]).with_status(0);
    let begun = std::time::Instant::now();
    let (result, peak) = fonds_watched(&["analyse", arg(&workspace)]);
    result.with_status(0);
    let (seconds, mib) = (begun.elapsed().as_secs_f64(), peak as f64 / 1_048_576.0);
    println!("analysis of {} pages (this build): {seconds:.1} s, {mib:.0} MiB at most", articles.len());
    assert!(mib < 400.0, "{mib}");

    // 200 pages are drawn in their order, of both sides as many; half of them are marked, half stay hidden.
    let mut drawn: Vec<(usize, bool)> = Vec::new();
    for is_right in [true, false] {
        let of_side = articles.iter().enumerate().filter(|(_, (_, class))| (class == CLASS) == is_right);
        let every = if is_right { 2 } else { 13 };
        drawn.extend(of_side.step_by(every).take(100).map(|(n, _)| (n, is_right)));
    }
    let (marked, hidden): (Vec<_>, Vec<_>) = drawn.iter().enumerate().partition(|(at, _)| at % 2 == 0);
    for (mark, is_right) in [("approve", true), ("reject", false)] {
        // Captures have the numbers of their records.
        let of_side = marked.iter().filter(|(_, (_, right))| *right == is_right);
        let ids: Vec<String> = of_side.map(|(_, (n, _))| (n + 1).to_string()).collect();
        let ids: Vec<&str> = ids.iter().flat_map(|id| ["--id", id.as_str()]).collect();
        fonds(&[&["mark", arg(&workspace), mark, "--by", "Ana"], &ids[..]].concat()).with_status(0);
    }
    let proposals = fonds(&["suggest", arg(&workspace), "1", "--json"]).with_status(0).json_lines();
    let numbers: Vec<String> = proposals
        .iter()
        .filter(|line| line["proposal"]["is_for"] == true)
        .filter(|line| ["term", "word", "name"].contains(&line["proposal"]["kind"].as_str().unwrap_or_default()))
        .take(20)
        .map(|line| line["number"].to_string())
        .collect();
    assert!(numbers.len() > 3, "{proposals:?}");
    let request = || {
        let workspace = fonds::store::Workspace::open_read_only(&workspace).unwrap();
        let campaigns = workspace.catalogue().campaigns().unwrap();
        workspace.catalogue().campaign(campaigns[0].id).unwrap().1.request
    };
    let quality = |request: &fonds::campaign::Request| {
        let matcher = fonds::analysis::Matcher::compile(request);
        let score = |n: usize| {
            let (main, language) = (articles[n].0.as_str(), Some("en"));
            let fields = fonds::analysis::TextFields { title: "", main, rest: "", url: "", language, date: None };
            matcher.read(&fields).score
        };
        auc(&hidden.iter().map(|(_, (n, is_right))| (score(*n), *is_right)).collect::<Vec<_>>())
    };
    let before = quality(&request());
    let accepts: Vec<&str> = numbers.iter().flat_map(|number| ["--accept", number.as_str()]).collect();
    fonds(&[&["suggest", arg(&workspace), "1"], &accepts[..]].concat()).with_status(0);
    let after = quality(&request());
    println!(
        "suggestion, {} proposals of 100 marked pages accepted: AUC {before:.3} before, {after:.3} after",
        numbers.len()
    );
    assert!(after >= 0.95 && after > before, "{before} {after}");
}

/// Ten best key phrases of each text by scikit-learn's TF-IDF and by YAKE, with the seconds that each took.
const PEERS: &str = r"
import json, sys, time
from sklearn.feature_extraction.text import TfidfVectorizer
import yake
language, texts = json.load(open(sys.argv[1], encoding='utf-8'))
begun = time.perf_counter()
of = TfidfVectorizer(ngram_range=(1, 3), max_df=0.5, sublinear_tf=False, token_pattern=r'(?u)\b[^\W\d]{3,}\b')
matrix, names = of.fit_transform(texts), None
names = of.get_feature_names_out()
tfidf = []
for row in range(matrix.shape[0]):
    cells = matrix[row]
    best = sorted(zip(cells.data, cells.indices), reverse=True)[:10]
    tfidf.append([names[at] for _, at in best])
tfidf_seconds = time.perf_counter() - begun
begun = time.perf_counter()
finder = yake.KeywordExtractor(lan=language, n=3, top=10)
found = [[name for name, _ in finder.extract_keywords(text)] for text in texts]
json.dump({'TF-IDF of scikit-learn': [tfidf, tfidf_seconds], 'YAKE': [found, time.perf_counter() - begun]}, sys.stdout)
";

#[test]
fn terms_are_no_worse_than_those_of_peers_in_the_same_run() {
    let Some(folder) = need::data("labelled/keywords") else { return };
    let dir = tempfile::tempdir().unwrap();
    for (archive, language) in [("110-PT-BN-KP.zip", "pt"), ("WikiNews.zip", "fr"), ("500N-KPCrowd.zip", "en")] {
        let set = keyed_texts(&folder.join(archive));
        let begun = std::time::Instant::now();
        let own = best_terms(&set, language);
        let seconds = begun.elapsed().as_secs_f64();
        let texts: Vec<&String> = set.iter().map(|(text, _)| text).collect();
        let input = dir.path().join(language);
        std::fs::write(&input, serde_json::json!([language, texts]).to_string()).unwrap();
        let Some(answer) = python(PEERS, &[&input]) else { return };
        let peers: BTreeMap<String, (Vec<Vec<String>>, f64)> = serde_json::from_str(&answer).unwrap();
        let ours = f1_of(&set, &own, language);
        println!("{archive}: F1@10 {ours:.3} in {seconds:.2} s (this build, one thread)");
        for (name, (found, seconds)) in &peers {
            let theirs = f1_of(&set, found, language);
            println!("{archive}: {name}: F1@10 {theirs:.3} in {seconds:.2} s");
            assert!(ours >= theirs, "{archive}: {ours} beside {theirs} of {name}");
        }
    }
}
