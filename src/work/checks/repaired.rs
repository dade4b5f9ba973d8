//! Text that was UTF-8 and was read as a charset of one byte a letter: pairs of letters that show it, and the text as it was.

/// Letters of a word or line that are shown.
const SHOWN: usize = 120;

/// The byte that windows-1252 has a letter for; of what it has none for, that of Latin-1.
fn byte_of(c: char) -> Option<u8> {
    if (c as u32) < 0x100 {
        return u8::try_from(c as u32).ok();
    }
    let mut buffer = [0; 4];
    let (bytes, _, has_unmappable) = encoding_rs::WINDOWS_1252.encode(c.encode_utf8(&mut buffer));
    match (has_unmappable, bytes.as_ref()) {
        (false, [byte]) => Some(*byte),
        _ => None,
    }
}

/// Pairs of letters that UTF-8 makes where it is read as windows-1252: one of a first byte, and one of a further byte.
pub(super) fn pairs_in(text: &str) -> u64 {
    let mut pairs = 0;
    let mut letters = text.chars().peekable();
    while let Some(first) = letters.next() {
        // First bytes of two and three: Â to ß, à to ï.
        if !('\u{c2}'..='\u{ef}').contains(&first) {
            continue;
        }
        let is_further = |c: &char| !c.is_ascii() && byte_of(*c).is_some_and(|byte| (0x80..0xc0).contains(&byte));
        if letters.peek().is_some_and(is_further) {
            letters.next();
            pairs += 1;
        }
    }
    pairs
}

/// The word as UTF-8, where it was that.
fn repaired_part(word: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> = word.chars().map(byte_of).collect();
    String::from_utf8(bytes?).ok().filter(|repaired| pairs_in(repaired) < pairs_in(word))
}

/// A line with such pairs and the same line read again, where most of its words with pairs can be; none otherwise.
pub(super) fn repaired_line(text: &str) -> Option<[String; 2]> {
    for line in text.lines().filter(|line| pairs_in(line) > 0) {
        let words: Vec<&str> = line.split(' ').collect();
        let (mut repaired, mut with_pairs) = (0, 0);
        let mut after = Vec::with_capacity(words.len());
        for word in words {
            let again = if pairs_in(word) > 0 { repaired_part(word) } else { None };
            with_pairs += usize::from(pairs_in(word) > 0);
            repaired += usize::from(again.is_some());
            after.push(again.unwrap_or_else(|| word.to_owned()));
        }
        if repaired * 2 > with_pairs {
            let shown = |text: &str| text.chars().take(SHOWN).collect::<String>();
            return Some([shown(line), shown(&after.join(" "))]);
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// UTF-8 read as windows-1252.
    fn garbled(text: &str) -> String {
        text.bytes().map(|byte| encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[byte]).0.into_owned()).collect()
    }

    #[test]
    fn texts_of_many_languages_are_read_again() {
        let texts = [
            "A câmara municipal não abriu a exposição",
            "Die Straße ist für Fußgänger geöffnet",
            "L’élève a été reçu à l’école",
            "El niño comió mañana en España",
            "Žluťoučký kůň příšerně úpěl",
            "Zażółć gęślą jaźń",
            "Страница музея открыта",
            "Η πόλη είναι ανοιχτή",
            "it’s “quoted” – with dashes…",
            "smörgåsbord på svenska",
            "Blåbærsyltetøy på norsk",
            "İstanbul’da güneşli bir gün",
            "Çok güzel bir şehir",
            "價格 €15 – café",
            "naïve façade coöperate",
        ];
        for text in texts {
            let wrong = garbled(text);
            assert!(pairs_in(&wrong) > 0, "{text}");
            let [_, after] = repaired_line(&wrong).unwrap_or_default();
            assert_eq!(after, text, "{wrong}");
        }
    }

    #[test]
    fn sound_texts_have_no_pairs_that_can_be_read_again() {
        let texts = [
            "MANHÃ EM SÃO JOÃO, À BEIRA DA RIA",
            "« L’été à Évian »",
            "Ã é a primeira letra de Ãgata",
            "LA CAÑA Y EL NIÑO",
            "Größe: 20 m² à 3 €",
            "ÉCOLE – CÔTÉ OUEST",
            "Âge d’or",
            "PÂTÉ «MAISON»",
            "Å®",
            "5 µm ± 0,1 °C",
            "Ångström",
            "São Tomé e Príncipe",
            "ÇÃO",
            "ÃO… e mais",
            "Ã“ is not a letter but 1 of it",
        ];
        for text in texts {
            let found = repaired_line(text);
            let is_clean = found.is_none() || pairs_in(text) < 2;
            assert!(is_clean, "{text}: {found:?}");
        }
    }
}
