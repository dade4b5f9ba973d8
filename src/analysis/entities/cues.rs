//! Words beside and in names that say what is named. A name without one is of no known kind.

use super::EntityKind;
use crate::text::fold;

/// Titles of persons, folded, in front of a name or as its first word.
const TITLES: [&str; 44] = [
    "dr",
    "dra",
    "sr",
    "sra",
    "srta",
    "prof",
    "profa",
    "professor",
    "professora",
    "eng",
    "arq",
    "dom",
    "dona",
    "d",
    "mr",
    "mrs",
    "ms",
    "miss",
    "sir",
    "lady",
    "lord",
    "herr",
    "frau",
    "monsieur",
    "madame",
    "mme",
    "mlle",
    "m",
    "senor",
    "senora",
    "don",
    "dona",
    "deputado",
    "deputada",
    "senador",
    "senadora",
    "ministro",
    "ministra",
    "padre",
    "frei",
    "senator",
    "abgeordneter",
    "depute",
    "deputee",
];
/// Ends of names of companies and clubs, folded.
const COMPANY_ENDS: [&str; 22] = [
    "lda",
    "ltda",
    "sa",
    "s a",
    "sgps",
    "gmbh",
    "ag",
    "kg",
    "ev",
    "inc",
    "ltd",
    "llc",
    "plc",
    "corp",
    "co",
    "sarl",
    "spa",
    "srl",
    "bv",
    "nv",
    "foundation",
    "university",
];
/// First words of names of organisations, folded.
const ORGANISATION_HEADS: [&str; 56] = [
    "universidade",
    "universidad",
    "universite",
    "universitat",
    "university",
    "instituto",
    "institut",
    "institute",
    "ministerio",
    "ministere",
    "ministry",
    "ministerium",
    "associacao",
    "asociacion",
    "association",
    "fundacao",
    "fundacion",
    "fondation",
    "foundation",
    "camara",
    "assembleia",
    "asamblea",
    "assemblee",
    "parlamento",
    "parlement",
    "banco",
    "banque",
    "bank",
    "clube",
    "club",
    "sindicato",
    "syndicat",
    "partido",
    "parti",
    "partei",
    "party",
    "grupo",
    "companhia",
    "compania",
    "compagnie",
    "company",
    "museu",
    "museo",
    "musee",
    "museum",
    "biblioteca",
    "bibliotheque",
    "hospital",
    "escola",
    "federacao",
    "comissao",
    "tribunal",
    "governo",
    "sociedade",
    "conselho",
    "confederacao",
];
/// First words of names of places, folded.
const PLACE_HEADS: [&str; 26] = [
    "rua", "avenida", "av", "praca", "largo", "travessa", "estrada", "calle", "plaza", "rue", "avenue", "strasse",
    "street", "rio", "river", "ria", "serra", "sierra", "ilha", "isla", "ile", "island", "lago", "lake", "monte",
    "mount",
];

/// Whether a folded word is a title of persons.
pub(super) fn is_title(word: &str) -> bool {
    TITLES.contains(&word)
}

/// The kind of a name by its own words and the word before it.
pub(super) fn kind_of(name: &str, before: Option<&str>) -> EntityKind {
    let folded = fold(name);
    let mut parts = folded.split(' ');
    let first = parts.next().unwrap_or_default();
    let last = parts.next_back();
    if last.is_some_and(|last| COMPANY_ENDS.contains(&last)) || last.is_some() && ORGANISATION_HEADS.contains(&first) {
        return EntityKind::Organisation;
    }
    if last.is_some() && (PLACE_HEADS.contains(&first) || first.ends_with("strasse")) {
        return EntityKind::Place;
    }
    if before.is_some_and(|before| is_title(&fold(before))) {
        return EntityKind::Person;
    }
    EntityKind::Unknown
}
