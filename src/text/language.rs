//! Identifies the language of a text.
//!
//! The rule, measured on one and on five sentences in twenty languages:
//! 1. A text with fewer than [`FEWEST_LETTERS`] letters is in an unknown language.
//! 2. A script that one language alone writes in is that language's; so is Chinese, Japanese or Korean between names
//!    and code in Latin letters, where it says as much as these.
//! 3. Where function words are clearly more frequent than those of all other
//!    languages and whichlang agrees, that is the language: most pages in a
//!    language that whichlang knows.
//! 4. From [`TRIGRAM_LETTERS`] letters on, trigrams and alphabets of whatlang
//!    judge the first [`LANGUAGE_BYTES`].
//! 5. Below that, no judge is right alone: names, captions and titles look like any
//!    language. Two of the three have to agree, and the third one must not speak
//!    for another; otherwise the language is unknown. See [`Evidence::of_short`].
//! 6. Function words may object: where those of another language are clearly
//!    more frequent than the judge's own, nobody is right. If it is a language
//!    that neither judge knows (Basque, Welsh, Galician, Irish …), its own
//!    function words name it; otherwise the language is unknown.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;
use whatlang::{Lang, Script};

/// Text that is judged for its language, in bytes.
pub const LANGUAGE_BYTES: usize = 2048;

/// Letters below which the language is unknown. A character of a script without blanks between its units
/// counts [`UNSPACED_LETTERS`].
const FEWEST_LETTERS: usize = 40;

/// Weight of a character of Chinese, Japanese, Thai …
const UNSPACED_LETTERS: usize = 3;

/// Weight of a syllable of Korean.
const SYLLABLE_LETTERS: usize = 2;

/// Letters from which trigrams are better than whichlang.
const TRIGRAM_LETTERS: usize = 200;

/// Function words in a text from which they may object.
const FEWEST_HITS: u32 = 3;

/// Languages in Latin script that whichlang identifies.
const SHORT_JUDGE_KNOWS: [&str; 10] = ["nl", "en", "fr", "de", "it", "pt", "es", "sv", "tr", "vi"];

/// By how many function words another language has to be ahead, of a hundred in the text.
const MARGIN_PERCENT: u32 = 8;

/// By how many a language has to be ahead of all others, for whichlang to need
/// no other to agree with it.
const CLEAR_PERCENT: u32 = 3;

/// Confidence of trigrams in a text without any function word of its language.
const FULL_CONFIDENCE: f64 = 0.9;

/// Confidence of trigrams that function words have to go with.
const SOME_CONFIDENCE: f64 = 0.3;

/// By how many to object where it is a language that the judges do not know.
const UNKNOWN_MARGIN_PERCENT: u32 = 2;

/// Bytes of the longest function word in capital letters, which may take more than small ones.
const LONGEST_FUNCTION_BYTES: usize = 12;

/// Frequent function words of languages in Latin script: articles,
/// prepositions, pronouns, forms of “to be”. In lower case, as written.
#[rustfmt::skip]
const FUNCTION_LISTS: [(&str, bool, &str); 34] = [
    ("pt", true, "o a os as de do da dos das em no na nos nas um uma e que não para por com mais como mas ao à foi é são ser se pelo pela até também muito já está seu sua ou quando entre depois sem mesmo"),
    ("es", true, "el la los las de del en un una y que no para por con más como pero al fue es son ser se hasta también muy ya está su sus o cuando entre después sin lo le ha sobre este esta"),
    ("fr", true, "le la les de du des en un une et que ne pas pour par avec plus comme mais au aux est sont être se ce cette qui dans sur il elle nous vous ou où leur son sa ses a été"),
    ("it", true, "il lo la i gli le di del della dei delle in nel nella un una uno e che non per con più come ma al alla è sono essere si da dal dalla anche ha su questo questa sul o loro"),
    ("ca", true, "el la els les de del dels en un una i que no per amb més com però al als és són ser es fins també molt ja està seva seu o quan entre després sense ha l d aquest aquesta han van va pel"),
    ("ro", true, "de la în și un o a al ale ai cu pe nu că este sunt care din pentru mai se fi au fost prin după dar sau lui ei cea cel către fără despre acest această"),
    ("en", true, "the of and to in a is that for it as was with be by on not he his are this at from or have had an they which you we their has were been its but"),
    ("de", true, "der die das den dem des und in zu von mit ist nicht ein eine einer einem einen für auf im sich auch es an als er sie nach bei wird werden sind war aus oder wie dass hat am zum zur"),
    ("nl", true, "de het een en van in is dat op te voor met niet zijn aan er om door bij ook als naar maar uit die dit wordt werd hij ze worden heeft nog over tot"),
    ("sv", true, "och i att det som en på är av för med den till inte om har ett de var från vid men kan så eller sig han hon efter också när ska under"),
    ("da", true, "og i at det som en på er af for med den til ikke om har et de var fra ved men kan så eller sig han hun efter også når skal under blev"),
    ("nb", true, "og i at det som en på er av for med den til ikke om har et de var fra ved men kan så eller seg han hun etter også når skal under ble"),
    ("fi", true, "ja on ei että se oli joka mutta myös kun hän ovat ole sen niin tai kuin jos mukaan ollut voi olla sitä jo vain kanssa nyt mitä hänen"),
    ("hu", true, "a az és hogy nem is egy ez azt de csak meg volt ha már van még mint el vagy ezt amely lesz kell után pedig aki szerint"),
    ("pl", true, "i w z na nie się do to że jest o jak po od za przez dla co ale czy tym był oraz są tego może już które który a ze"),
    ("cs", true, "a v se na je že s z do o to si k i ve by jsou pro ale jako za od po jak také než který která byl podle však aby"),
    ("sk", true, "a v sa na je že s z do o to si k aj vo by sú pre ale ako za od po tak tiež než ktorý ktorá bol podľa však aby"),
    ("hr", true, "i u je na da se za su s od o što a to kao ne iz koji bi ali sam će po bio koja do nije samo te"),
    ("sl", true, "in je v na da se za so z od o ki tudi kot ne iz bi ali po bil pa ga še s do ni le ter"),
    ("tr", true, "ve bir bu da de için ile olarak çok olan gibi daha ne o kadar sonra ise var değil her en mi ancak"),
    ("vi", true, "và của là có không được các cho một những trong với đã này người để khi đến từ cũng như về"),
    ("et", true, "ja on ei et see oli kui ka mis ta oma aga või siis ning selle mida kes nii välja pole ole"),
    ("eu", false, "eta da ez du dira bat ere zen dute izan den baina egin hau dela zuen beste egiten duen horrek izango behar gabe dago baino arte edo dituzte dituen oso hori ditu zuten bere zuela eman esan izateko ari dio dugu dut zaio ziren dagoen honetan urte bi dago gaur hemen egun lehen"),
    ("cy", true, "yn y yr ac a i o ar mae ei am wedi gan fod bod oedd nid sydd ond hyn fel hefyd eu â roedd bydd pan wrth cyn dim na neu i'r o'r un gyda"),
    ("gl", false, "unha non máis polo pola polos polas ata tamén moi xa súa seu dun dunha nun nunha cun cunha hai ao aos á ou do da dos das no na o os"),
    ("ga", false, "agus an na ar is i a go le do ag bhí tá sé sí nach chun ach leis don faoi bhfuil seo sin atá mar níl ó"),
    ("is", false, "og að í á er sem það ekki við um en til með fyrir af var hann hún þetta eru hafa eða verið þá þeir frá"),
    ("sq", false, "dhe të në e i një për me nga që është janë ka si nuk po por se më u do kjo ky duke"),
    ("ru", true, "и в не на что с как по это к но из у за от о для до был было были его её их или если только же бы при уже так все"),
    ("uk", true, "і в не на що з як за та до у від про це для його її їх або але якщо був було були під при вже так всі є й"),
    ("be", true, "і ў не на што з як за да у ад пра гэта для яго яе іх або але калі быў было былі пры ўжо так усе"),
    ("bg", true, "и в не на че с като за от се да са е си до по ще или но това при те той тя му със във беше бил които която"),
    ("mk", true, "и во не на што со како за од се да се е си до по ќе или но ова при тие тој таа му беше кои која"),
    ("sr", true, "и у не на да са као за од се је су до по ће или али ово при он она му био која који што"),
];

/// Letters that languages in Cyrillic script do not have.
const FOREIGN_LETTERS: [(&str, &str); 6] = [
    ("ru", "іїєґўјљњћђќѓѕ"),
    ("uk", "ыэъёўјљњћђќѓѕ"),
    ("be", "иїєґъщјљњћђќѓѕ"),
    ("bg", "ыэёіїєґўјљњћђќѓѕ"),
    ("mk", "ыэёіїєґўйщьъюяћђ"),
    ("sr", "ыэёіїєґўйщьъюяќѓѕ"),
];

static FUNCTION_INDEX: LazyLock<HashMap<&'static str, u64>> = LazyLock::new(|| {
    let mut index = HashMap::new();
    for (number, (_, _, list)) in FUNCTION_LISTS.iter().enumerate() {
        for one in list.split(' ') {
            *index.entry(one).or_default() |= 1 << number;
        }
    }
    index
});

/// The language of a text as ISO 639-1; `None` where it is unknown.
///
/// ```
/// use fonds::text::language_of;
/// assert_eq!(language_of("Todos os cidadãos têm direito à informação e à cultura."), Some("pt"));
/// assert_eq!(language_of("OK, 2024"), None);
/// ```
pub fn language_of(text: &str) -> Option<&'static str> {
    text_language(text).map(|found| found.language)
}

/// The language that a text in an unknown one has most in common with: that of most of its function words, else
/// what whichlang takes it for. `""` where it has no letter.
///
/// By its rules words of the text are brought to their stems: titles, names and captions have too little for
/// [`language_of`], and yet have plurals.
pub fn likeliest_language(text: &str) -> &'static str {
    let sample = text.get(..text.floor_char_boundary(LANGUAGE_BYTES)).unwrap_or(text);
    if !sample.contains(char::is_alphabetic) {
        return "";
    }
    let clearest = Evidence::of(sample).clearest();
    clearest.unwrap_or_else(|| short(whichlang::detect_language(sample).three_letter_code()))
}

/// The language of a text, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLanguage {
    /// ISO 639-1.
    pub language: &'static str,
    /// 100 where its script decides or two of three judges agree, the confidence of trigrams where they judge
    /// alone, and 50 where only function words or whichlang decide.
    pub percent: u8,
}

impl TextLanguage {
    fn sure(language: &'static str) -> Self {
        Self { language, percent: 100 }
    }

    fn unsure(language: &'static str) -> Self {
        Self { language, percent: 50 }
    }

    /// Judgement of trigrams.
    fn by_trigrams(found: &whatlang::Info) -> Self {
        Self { language: code(found.lang()), percent: (found.confidence().clamp(0.0, 1.0) * 100.0) as u8 }
    }
}

/// The language of a text as in [`language_of`], with how sure that is.
pub fn text_language(text: &str) -> Option<TextLanguage> {
    let sample = text.get(..text.floor_char_boundary(LANGUAGE_BYTES)).unwrap_or(text);
    let letters: usize = sample.chars().filter(|c| c.is_alphabetic()).map(weight).sum();
    if letters < FEWEST_LETTERS {
        return None;
    }
    let script = if sample.is_ascii() { Script::Latin } else { whatlang::detect_script(sample)? };
    if script == Script::Latin
        && let Some(language) = east_asian_language(sample)
    {
        return Some(TextLanguage::sure(language));
    }
    if let [only] = script.langs() {
        let is_japanese = *only == Lang::Cmn && has_kana(sample);
        return Some(TextLanguage::sure(if is_japanese { "ja" } else { code(*only) }));
    }
    let is_short = letters < TRIGRAM_LETTERS;
    if script != Script::Latin {
        let trigrams = whatlang::detect(sample)?;
        let by_trigrams = TextLanguage::by_trigrams(&trigrams);
        if !is_short || script != Script::Cyrillic {
            return Some(by_trigrams);
        }
        if has_russian_letters(sample) {
            return Some(TextLanguage::unsure("ru"));
        }
        return Evidence::of(sample).of_short_cyrillic(sample, &trigrams);
    }
    let evidence = Evidence::of(sample);
    let short_judge = OnceCell::new();
    let by_short_judge = || *short_judge.get_or_init(|| short(whichlang::detect_language(sample).three_letter_code()));
    if is_short {
        return evidence.of_short(&whatlang::detect(sample)?, by_short_judge());
    }
    // Two of three agree without trigrams, which are most of the work.
    if let Some(language) = evidence.clearest().filter(|language| *language == by_short_judge()) {
        return Some(TextLanguage::sure(language));
    }
    let trigrams = whatlang::detect(sample)?;
    let judged = code(trigrams.lang());
    match evidence.objection(judged) {
        None => Some(TextLanguage::by_trigrams(&trigrams)),
        Some(Objection { language, is_known: false }) => Some(TextLanguage::unsure(language)),
        // Two of three agree, or nobody is right.
        Some(Objection { language, .. }) if language == by_short_judge() => Some(TextLanguage::sure(language)),
        Some(_) => None,
    }
}

/// Chinese, Japanese or Korean, where its characters are worth as much as the Latin letters between them: counted one
/// by one, code and names in Latin letters would be most of a manual.
fn east_asian_language(text: &str) -> Option<&'static str> {
    if text.is_ascii() {
        return None;
    }
    let [mut latin, mut kana, mut han, mut hangul] = [0_usize; 4];
    for c in text.chars() {
        match c {
            '\u{3041}'..='\u{30ff}' => kana += UNSPACED_LETTERS,
            '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => han += UNSPACED_LETTERS,
            '\u{ac00}'..='\u{d7a3}' => hangul += SYLLABLE_LETTERS,
            c => latin += usize::from(c.is_alphabetic()),
        }
    }
    match kana + han {
        _ if (kana + han).max(hangul) < latin.max(1) => None,
        unspaced if hangul > unspaced => Some("ko"),
        unspaced if kana * 20 >= unspaced => Some("ja"),
        _ => Some("zh"),
    }
}

/// Whether a text has syllables as Japanese writes them between characters: one in twenty.
fn has_kana(text: &str) -> bool {
    let kana = text.chars().filter(|c| matches!(c, '\u{3041}'..='\u{30ff}')).count();
    kana * 20 >= text.chars().count()
}

/// Whether a text in Cyrillic letters has some that only Russian and Belarusian
/// use, and none that Russian does not.
fn has_russian_letters(text: &str) -> bool {
    text.contains(['ы', 'э']) && !text.contains(['і', 'ї', 'є', 'ґ', 'ў', 'ј', 'ћ'])
}

/// Number of letters that a character is worth.
fn weight(c: char) -> usize {
    match c {
        '\u{ac00}'..='\u{d7a3}' => SYLLABLE_LETTERS,
        c if super::is_unspaced(c) => UNSPACED_LETTERS,
        _ => 1,
    }
}

/// Counts of the function words of each language in a text.
struct Evidence {
    hits: [u32; FUNCTION_LISTS.len()],
    tokens: u32,
}

impl Evidence {
    fn of(sample: &str) -> Self {
        let mut evidence = Self { hits: [0; FUNCTION_LISTS.len()], tokens: 0 };
        let mut lower = String::new();
        let mut rest = sample;
        while let Some(begin) = rest.find(char::is_alphabetic) {
            let end = rest[begin..].find(|c: char| !c.is_alphabetic()).map_or(rest.len(), |end| begin + end);
            let token = &rest[begin..end];
            rest = &rest[end..];
            evidence.tokens += 1;
            // The initial of a name is no word.
            let is_initial = token.len() == 1 && token.bytes().all(|byte| byte.is_ascii_uppercase());
            if token.len() > LONGEST_FUNCTION_BYTES || is_initial && rest.starts_with('.') {
                continue;
            }
            lower.clear();
            match token.is_ascii() {
                true => {
                    lower.push_str(token);
                    lower.make_ascii_lowercase();
                }
                false => lower.extend(token.chars().flat_map(char::to_lowercase)),
            }
            let Some(mut languages) = FUNCTION_INDEX.get(lower.as_str()).copied() else { continue };
            while languages != 0 {
                evidence.hits[languages.trailing_zeros() as usize] += 1;
                languages &= languages - 1;
            }
        }
        evidence
    }

    fn hits_of(&self, language: &str) -> u32 {
        FUNCTION_LISTS.iter().position(|(name, ..)| *name == language).map_or(0, |at| self.hits[at])
    }

    /// The language with the most function words, and how many.
    fn lead(&self) -> (&'static str, u32) {
        let (mut lead, mut best) = ("", 0);
        for (hits, (name, ..)) in self.hits.iter().zip(FUNCTION_LISTS) {
            if *hits > best {
                (lead, best) = (name, *hits);
            }
        }
        (lead, best)
    }

    /// The language of a text of few letters in Cyrillic script.
    fn of_short_cyrillic(&self, sample: &str, trigrams: &whatlang::Info) -> Option<TextLanguage> {
        let is_possible = |language: &str| {
            FOREIGN_LETTERS.iter().all(|(name, letters)| *name != language || !sample.contains(|c| letters.contains(c)))
        };
        let named = code(trigrams.lang());
        let own = if is_possible(named) { self.hits_of(named) } else { 0 };
        let counted = FOREIGN_LETTERS.map(|(name, _)| (self.hits_of(name), name));
        let others = counted.into_iter().filter(|(_, name)| *name != named && is_possible(name));
        let (hits, lead) = others.max().unwrap_or_default();
        match own {
            _ if hits > own && hits > 1 => Some(TextLanguage::unsure(lead)),
            // The same words are in both.
            _ if own < hits || own == hits && own > 0 => None,
            0 if !trigrams.is_reliable() || !is_possible(named) => None,
            _ => Some(TextLanguage::by_trigrams(trigrams)),
        }
    }

    /// The language of a text of few letters, of which whichlang says `other`.
    fn of_short(&self, trigrams: &whatlang::Info, other: &'static str) -> Option<TextLanguage> {
        let named = code(trigrams.lang());
        let (own, of_other) = (self.hits_of(named), self.hits_of(other));
        let best = self.lead().1;
        // The other judge has no name for what trigrams are sure of, and says something else.
        let is_foreign = trigrams.is_reliable() && !SHORT_JUDGE_KNOWS.contains(&named);
        let clear = self.clearest();
        if clear == Some(other) && !is_foreign {
            return Some(TextLanguage::sure(other));
        }
        let supports_other = of_other >= 2 && of_other == best;
        let judged = if named == other {
            // Their languages are all that one of them knows: function words must not speak for others.
            let hits = self.hits.iter().zip(&FUNCTION_LISTS);
            let foreign = hits.filter(|(_, (name, ..))| !SHORT_JUDGE_KNOWS.contains(name)).map(|(hits, _)| *hits).max();
            let is_met = own > 0 || trigrams.confidence() > FULL_CONFIDENCE;
            let foreign = foreign.unwrap_or_default();
            let is_first = own > foreign
                || own == foreign && trigrams.confidence() > SOME_CONFIDENCE
                || trigrams.is_reliable() && best - own <= 1;
            (is_met && is_first).then(|| TextLanguage::sure(named))
        } else if !SHORT_JUDGE_KNOWS.contains(&named) {
            let is_first = own == best && own >= 2 && (trigrams.confidence() > SOME_CONFIDENCE || clear == Some(named));
            if is_first || is_foreign && own > 0 && best - own <= 1 {
                Some(TextLanguage::by_trigrams(trigrams))
            } else {
                (!trigrams.is_reliable() && supports_other && of_other > own + 1).then(|| TextLanguage::unsure(other))
            }
        } else if supports_other && of_other > own {
            Some(TextLanguage::unsure(other))
        } else {
            (own >= FEWEST_HITS && own == best && own > of_other).then(|| TextLanguage::unsure(named))
        };
        let Some(judged) = judged else {
            // A language that neither judge knows.
            let is_unknown = |name: &&str| FUNCTION_LISTS.iter().any(|(own, is_known, _)| own == name && !is_known);
            return clear.filter(is_unknown).map(TextLanguage::unsure);
        };
        match self.objection(judged.language) {
            None => Some(judged),
            Some(Objection { language, is_known }) => {
                (!is_known || language == other).then(|| TextLanguage::unsure(language))
            }
        }
    }

    /// The language that is clearly ahead of all others, if any.
    fn clearest(&self) -> Option<&'static str> {
        let (mut best, mut next, mut language) = (0, 0, "");
        for (hits, (name, ..)) in self.hits.iter().zip(&FUNCTION_LISTS) {
            if *hits > best {
                (best, next, language) = (*hits, best, name);
            } else {
                next = next.max(*hits);
            }
        }
        (best >= FEWEST_HITS && (best - next) * 100 > CLEAR_PERCENT * self.tokens).then_some(language)
    }

    /// The language that a text is rather in than in the judged one, if any.
    fn objection(&self, judged: &str) -> Option<Objection> {
        let own = self.hits_of(judged);
        let (best, (language, is_known, _)) = self.hits.iter().zip(FUNCTION_LISTS).max_by_key(|(hits, _)| **hits)?;
        let margin = if is_known { MARGIN_PERCENT } else { UNKNOWN_MARGIN_PERCENT };
        let is_ahead = *best >= FEWEST_HITS && (best - own) * 100 > margin * self.tokens;
        (language != judged && is_ahead).then_some(Objection { language, is_known })
    }
}

/// Objection of function words to a judgement.
struct Objection {
    language: &'static str,
    /// The judges know it, too.
    is_known: bool,
}

/// ISO 639-1 of a language of whatlang.
fn code(language: Lang) -> &'static str {
    short(language.code())
}

/// ISO 639-1 of an ISO 639-3 code; that itself where there is none.
fn short(code: &'static str) -> &'static str {
    const CODES: &str = "epo eo eng en rus ru cmn zh spa es por pt ita it ben bn fra fr deu de ukr uk kat ka ara ar hin hi \
        jpn ja heb he yid yi pol pl amh am jav jv kor ko nob nb dan da swe sv fin fi tur tr nld nl hun hu ces cs ell el \
        bul bg bel be mar mr kan kn ron ro slv sl hrv hr srp sr mkd mk lit lt lav lv est et tam ta vie vi urd ur tha th \
        guj gu uzb uz pan pa aze az ind id tel te pes fa mal ml ori or mya my nep ne sin si khm km tuk tk aka ak zul zu \
        sna sn afr af lat la slk sk cat ca tgl tl hye hy cym cy";
    let mut pairs = CODES.split_ascii_whitespace();
    while let (Some(long), Some(short)) = (pairs.next(), pairs.next()) {
        if long == code {
            return short;
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_the_judges_has_a_short_code() {
        for language in Lang::all() {
            assert_eq!(code(*language).len(), 2, "{language:?}");
        }
    }

    #[test]
    fn code_between_characters_is_no_language() {
        let code = "<Directory /home/*/public_html> AllowOverride FileInfo AuthConfig Limit Indexes </Directory>";
        let japanese =
            "UserDir を使うと利用者のホームディレクトリにあるファイルを公開できます。設定はこの章を見てください。";
        check(&format!("{japanese} {code}"), Some("ja"));
        check(
            &format!("使用 UserDir 可以发布用户主目录中的文件。请参阅本章了解如何进行设置和限制访问。 {code}"),
            Some("zh"),
        );
        let korean = "UserDir 를 사용하면 사용자 홈 디렉터리의 파일을 공개할 수 있습니다. 설정은 이 장을 보십시오.";
        check(&format!("{korean} AllowOverride FileInfo AuthConfig"), Some("ko"));
    }

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(language_of(text), expected, "{text}");
    }

    #[test]
    fn a_language_is_known_where_it_can_be() {
        check("", None);
        check("Contactos | Mapa do site", None);
        check("12 345 678 – 901 234 567 – 890 123 456 – 789 012 345 – 678 901 234 – 567 890 123", None);
        check("Estaleiro Naval da Ria de Aveiro abre as portas aos visitantes no domingo", Some("pt"));
        check("The shipyard of the lagoon opens its doors to visitors on Sunday", Some("en"));
        check("Το ναυπηγείο ανοίγει τις πόρτες του στους επισκέπτες", Some("el"));
        check("東京都は日曜日に造船所を一般公開すると発表した。", Some("ja"));
        check("市政府宣布造船厂将于星期日向公众开放，预计会有许多人前来参观。", Some("zh"));
        check("조선소는 일요일에 방문객에게 문을 연다고 발표했습니다. 많은 사람들이 올 것으로 보인다.", Some("ko"));
        check(
            "Ontziolak igandean irekiko ditu ateak bisitarientzat, eta ez da sarrerarik ordaindu behar izango",
            Some("eu"),
        );
    }

    #[test]
    fn capital_letters_count_as_small_ones() {
        for (language, _, list) in FUNCTION_LISTS {
            let evidence = Evidence::of(&list.to_uppercase());
            let parts = list.split(|c: char| !c.is_alphabetic()).count();
            assert_eq!(evidence.tokens as usize, parts, "{language}");
            let found = evidence.hits_of(language) as usize;
            assert!(found >= list.split(' ').count() - 2, "{language}: {found} of {list}");
        }
    }

    #[test]
    fn long_texts_are_judged_by_their_begin() {
        let text = format!(
            "{}{}",
            "Todos têm direito à cultura e à informação. ".repeat(60),
            "All men are equal. ".repeat(9000)
        );
        check(&text, Some("pt"));
        check(&"é".repeat(LANGUAGE_BYTES), language_of(&"é".repeat(LANGUAGE_BYTES)));
    }
}
