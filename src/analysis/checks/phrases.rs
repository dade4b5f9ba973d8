//! Phrases by which pages in the place of another one show themselves, in a dozen languages.
//!
//! A phrase alone proves nothing: articles speak of missing pages, too. Checks take it together with the shape of a page.

use crate::text::fold;
use aho_corasick::{AhoCorasick, MatchKind};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// What a phrase speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhraseKind {
    /// A page that is not there.
    NotFound,
    /// A domain for sale.
    ForSale,
    /// A server that is too busy, or under maintenance.
    Busy,
    /// Text for subscribers.
    Paywall,
    /// A guard that tests whether a person reads.
    Challenge,
    /// A page for those who have logged in.
    LogIn,
    /// A text that goes on for subscribers.
    CutText,
}

impl PhraseKind {
    /// Every kind.
    pub const ALL: [Self; 7] =
        [Self::NotFound, Self::ForSale, Self::Busy, Self::Paywall, Self::Challenge, Self::LogIn, Self::CutText];

    /// Its phrases.
    fn phrases(self) -> &'static [&'static str] {
        match self {
            Self::NotFound => &NOT_FOUND,
            Self::ForSale => &FOR_SALE,
            Self::Busy => &BUSY,
            Self::Paywall => &PAYWALL,
            Self::Challenge => &CHALLENGE,
            Self::LogIn => &LOG_IN,
            Self::CutText => &CUT_TEXT,
        }
    }
}

const NOT_FOUND: [&str; 48] = [
    "not found",
    "no longer available",
    "no longer exists",
    "does not exist",
    "doesn't exist",
    "cannot be found",
    "can't be found",
    "could not be found",
    "error 404",
    "404 error",
    "page unavailable",
    "page is missing",
    "não encontrad",
    "não foi encontrad",
    "não existe",
    "já não está disponível",
    "erro 404",
    "página inexistente",
    "no encontrad",
    "no se encuentra",
    "no se ha encontrado",
    "no existe",
    "ya no está disponible",
    "nicht gefunden",
    "existiert nicht",
    "nicht mehr verfügbar",
    "fehler 404",
    "introuvable",
    "n'existe pas",
    "n’existe pas",
    "plus disponible",
    "erreur 404",
    "non trovat",
    "non esiste",
    "errore 404",
    "niet gevonden",
    "bestaat niet",
    "nie znalezion",
    "nie istnieje",
    "не найден",
    "не существует",
    "δεν βρέθηκε",
    "δεν υπάρχει",
    "غير موجودة",
    "لم يتم العثور",
    "has been removed",
    "页面不存在",
    "找不到",
];

const FOR_SALE: [&str; 26] = [
    "domain is for sale",
    "domain name is for sale",
    "domain may be for sale",
    "domain for sale",
    "buy this domain",
    "domain is parked",
    "parked domain",
    "parked free",
    "this web page is parked",
    "make an offer on this domain",
    "domain has expired",
    "related searches",
    "domínio à venda",
    "domínio está à venda",
    "comprar este domínio",
    "dominio en venta",
    "dominio está en venta",
    "comprar este dominio",
    "domain steht zum verkauf",
    "domain kaufen",
    "domaine est à vendre",
    "acheter ce domaine",
    "dominio in vendita",
    "dominio è in vendita",
    "domein is te koop",
    "домен продается",
];

const BUSY: [&str; 25] = [
    "too many requests",
    "try again later",
    "under maintenance",
    "scheduled maintenance",
    "down for maintenance",
    "maintenance mode",
    "under construction",
    "scheduled downtime",
    "temporarily unavailable",
    "be back soon",
    "rate limit",
    "service unavailable",
    "wartungsarbeiten",
    "wartungsmodus",
    "em manutenção",
    "em construção",
    "tente mais tarde",
    "volte mais tarde",
    "en mantenimiento",
    "en construcción",
    "en maintenance",
    "in manutenzione",
    "in onderhoud",
    "w trakcie konserwacji",
    "технические работы",
];

const PAYWALL: [&str; 25] = [
    "subscribe to continue",
    "subscribe to read",
    "subscribers only",
    "for subscribers",
    "to continue reading",
    "already a subscriber",
    "subscribe now to",
    "become a member to read",
    "nur für abonnenten",
    "jetzt abonnieren",
    "weiterlesen mit",
    "réservé aux abonnés",
    "réservée aux abonnés",
    "pour lire la suite",
    "abonnez-vous pour",
    "exclusivo para assinantes",
    "para assinantes",
    "assine para continuar",
    "assine já para",
    "conteúdo exclusivo",
    "solo para suscriptores",
    "suscríbete para",
    "riservato agli abbonati",
    "alleen voor abonnees",
    "tylko dla prenumeratorów",
];

const CUT_TEXT: [&str; 9] = [
    "subscribe to continue",
    "to continue reading",
    "to read the full",
    "pour lire la suite",
    "um weiterzulesen",
    "assine para continuar",
    "para continuar a ler",
    "para seguir leyendo",
    "per continuare a leggere",
];

const LOG_IN: [&str; 21] = [
    "must be logged in",
    "must log in",
    "need to log in",
    "please log in",
    "please sign in",
    "log in to continue",
    "sign in to continue",
    "login required",
    "bitte melden sie sich an",
    "bitte anmelden",
    "anmeldung erforderlich",
    "vous devez vous connecter",
    "veuillez vous connecter",
    "connectez-vous pour",
    "inicie sessão para",
    "tem de iniciar sessão",
    "faça login para",
    "inicia sesión para",
    "debes iniciar sesión",
    "devi effettuare l'accesso",
    "zaloguj się, aby",
];

const CHALLENGE: [&str; 13] = [
    "just a moment",
    "attention required",
    "access denied",
    "checking your browser",
    "pardon our interruption",
    "ddos-guard",
    "verify you are human",
    "verifying you are human",
    "are you a robot",
    "security check",
    "human verification",
    "verifique que é humano",
    "one more step",
];

struct Finder {
    automaton: AhoCorasick,
    phrases: Vec<(PhraseKind, String)>,
}

static FINDER: LazyLock<Option<Finder>> = LazyLock::new(|| {
    let of = |kind: PhraseKind| kind.phrases().iter().map(move |phrase| (kind, fold(phrase)));
    let phrases: Vec<(PhraseKind, String)> = PhraseKind::ALL.into_iter().flat_map(of).collect();
    let builder =
        AhoCorasick::builder().match_kind(MatchKind::Standard).build(phrases.iter().map(|(_, phrase)| phrase));
    Some(Finder { automaton: builder.ok()?, phrases })
});

/// The first phrase of each kind in a text, with its kind.
pub fn phrases_in(text: &str) -> Vec<(PhraseKind, &'static str)> {
    let Some(finder) = FINDER.as_ref() else { return Vec::new() };
    // Words of one name, such as PACKAGE_NOT_FOUND, are no phrase.
    let folded = fold(&text.replace('_', "x"));
    let mut found: Vec<(PhraseKind, &'static str)> = Vec::new();
    for hit in finder.automaton.find_overlapping_iter(&folded) {
        let Some((kind, phrase)) = finder.phrases.get(hit.pattern().as_usize()) else { continue };
        // The beginning of a phrase is that of a word: “cannot exist” is no “not exist”.
        let before = folded.get(..hit.start()).and_then(|before| before.chars().next_back());
        let is_begin = before.is_none_or(|before| !before.is_alphanumeric() || crate::text::is_unspaced(before));
        if is_begin && found.iter().all(|(known, _)| known != kind) {
            found.push((*kind, phrase));
        }
    }
    found
}

/// Whether a title is the number of an error and what is beside it.
pub fn begins_with_error_number(title: &str) -> bool {
    let title = title.trim_start();
    title.strip_prefix("404").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_whatever_their_letters() {
        let kinds = |text: &str| phrases_in(text).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
        assert_eq!(kinds("PÁGINA NÃO ENCONTRADA"), [PhraseKind::NotFound]);
        assert_eq!(kinds("Страница не найдена"), [PhraseKind::NotFound]);
        assert_eq!(kinds("Just a moment…"), [PhraseKind::Challenge]);
        assert_eq!(kinds("This domain is for sale! Buy this domain."), [PhraseKind::ForSale]);
        assert_eq!(kinds("You must be logged in to access this."), [PhraseKind::LogIn]);
        assert_eq!(kinds("CMAKE_PACKAGE_NOT_FOUND"), []);
        assert_eq!(kinds("A history of the boats of the ria"), []);
        assert!(begins_with_error_number("404 – Vila Nova") && !begins_with_error_number("4040 boats"));
    }
}
