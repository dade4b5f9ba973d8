//! Finds the ends of sentences.

use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations after which a sentence goes on, folded to lower case, without their full stop: titles and
/// the like before names and numbers.
#[rustfmt::skip]
const ABBREVIATIONS: [&str; 62] = [
    "dr", "dra", "drs", "sr", "sra", "srs", "srta", "prof", "profa", "eng", "arq", "exmo", "exma", "av", "n", "nº", "no", "art",
    "pág", "pag", "pp", "p", "fig", "cap", "vol", "ed", "etc", "ex", "d", "dª", "st", "sto", "sta", "mr", "mrs", "ms", "jr", "vs",
    "e.g", "i.e", "p.ex", "z.b", "d.h", "u.a", "bzw", "ca", "cf", "cfr", "nr", "str", "hr", "fr", "m", "mm", "mme", "mlle", "me",
    "gen", "col", "rev", "hon", "op",
];

/// The sentences of a text: each line is one or more (UAX 29), and none ends
/// behind an abbreviation or a single capital letter.
///
/// ```
/// use fonds::text::sentences;
/// let found: Vec<&str> = sentences("O Dr. Vaz chegou. E depois?\nTítulo").collect();
/// assert_eq!(found, ["O Dr. Vaz chegou.", "E depois?", "Título"]);
/// ```
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(line_sentences)
}

fn line_sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut begin = 0;
    let mut bounds = line.split_sentence_bound_indices().peekable();
    std::iter::from_fn(move || {
        while let Some((at, piece)) = bounds.next() {
            let end = at + piece.len();
            if bounds.peek().is_some() && goes_on(line.get(begin..end).unwrap_or_default()) {
                continue;
            }
            let sentence = line.get(begin..end).unwrap_or_default().trim();
            begin = end;
            if !sentence.is_empty() {
                return Some(sentence);
            }
        }
        None
    })
}

/// Whether a sentence does not end here after all.
fn goes_on(sentence: &str) -> bool {
    let Some(body) = sentence.trim_end().strip_suffix('.') else { return false };
    let last = body.rsplit(|c: char| c.is_whitespace() || "(«“\"'".contains(c)).next().unwrap_or_default();
    let mut letters = last.chars();
    let is_initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    is_initial || ABBREVIATIONS.contains(&last.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(sentences(text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn sentences_end_where_a_reader_pauses() {
        check("", &[]);
        check("  \n ", &[]);
        check("Uma. Duas! Três? Quatro", &["Uma.", "Duas!", "Três?", "Quatro"]);
        check("Custa 3.50 euros. Chega.", &["Custa 3.50 euros.", "Chega."]);
        check(
            "A Sra. D. Ana J. Vaz, da Av. Central, veio. Saiu.",
            &["A Sra. D. Ana J. Vaz, da Av. Central, veio.", "Saiu."],
        );
        check("Er kam, z.B. Montag. Dann ging er.", &["Er kam, z.B. Montag.", "Dann ging er."]);
        check("«Olá.» Disse ela.", &["«Olá.»", "Disse ela."]);
        check("Título\nPrimeira linha sem ponto", &["Título", "Primeira linha sem ponto"]);
        check("東京都は発表した。大阪も。", &["東京都は発表した。", "大阪も。"]);
    }
}
