//! Documents and queries made by chance, the same for the same seed.

use serde_json::{Value, json};

/// Numbers that look like chance (splitmix64).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn one_of<'a, T>(&mut self, many: &'a [T]) -> &'a T {
        &many[self.below(many.len())]
    }
}

/// Terms of queries: those of documents, so that they find something.
#[derive(Default)]
pub struct Vocabulary {
    /// Texts as their words, in their order.
    texts: Vec<Vec<String>>,
    hosts: Vec<String>,
    urls: Vec<String>,
    days: Vec<String>,
    sizes: Vec<u64>,
    names: Vec<(String, String)>,
}

impl Vocabulary {
    /// That of documents as [`random_documents`] makes them.
    pub fn of(documents: &[Value]) -> Self {
        let mut vocabulary = Self::default();
        for document in documents {
            for (name, value) in document.as_object().into_iter().flatten() {
                let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
                for value in values {
                    let text = value.as_str().unwrap_or_default().to_owned();
                    match name.as_str() {
                        "title" | "main" | "rest" | "anchors" => vocabulary.add_text(&text),
                        "host" => vocabulary.hosts.push(text),
                        "url" => vocabulary.urls.push(text),
                        "date" => vocabulary.days.push(text.chars().take(10).collect()),
                        "size" => vocabulary.sizes.extend(value.as_u64()),
                        "version" | "status" => {}
                        _ if !text.is_empty() => vocabulary.names.push((name.clone(), text)),
                        _ => {}
                    }
                }
            }
        }
        vocabulary
    }

    fn add_text(&mut self, text: &str) {
        let letters = |word: &str| word.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let words: Vec<String> = text.split_whitespace().map(letters).filter(|word| !word.is_empty()).collect();
        if !words.is_empty() {
            self.texts.push(words);
        }
    }
}

/// Queries with every operator and sign of the language.
pub fn random_queries(seed: u64, vocabulary: &Vocabulary, count: usize) -> Vec<String> {
    let mut dice = Dice::new(seed);
    (0..count).map(|_| query(&mut dice, vocabulary, 2)).collect()
}

fn query(dice: &mut Dice, of: &Vocabulary, depth: usize) -> String {
    if depth == 0 || dice.once_in(4) {
        return term(dice, of);
    }
    let count = 2 + dice.below(2);
    let parts: Vec<String> = (0..count)
        .map(|_| {
            let part = query(dice, of, depth - 1);
            match dice.below(8) {
                0 => format!("-({part})"),
                1 => format!("NOT ({part})"),
                2 => format!("({part})^{}", dice.below(4)),
                3 => part,
                _ => format!("({part})"),
            }
        })
        .collect();
    let joint = *dice.one_of(&[" OR ", " OR ", " AND ", " "]);
    parts.join(joint)
}

fn term(dice: &mut Dice, of: &Vocabulary) -> String {
    let text = match dice.below(5) {
        0..3 => text_term(dice, of),
        3 => {
            let field = *dice.one_of(&["text:", "main:", "rest:", "anchors:", "title:", "Text:", "url:"]);
            let text = text_term(dice, of);
            // Signs of URLs and words that are no field's.
            if text == "*" { format!("{field}*") } else { format!("{field}{text}") }
        }
        _ => value_term(dice, of),
    };
    match dice.below(8) {
        0 => format!("-{text}"),
        1 => format!("NOT {text}"),
        _ => text,
    }
}

/// Neighbours in a text.
fn run(dice: &mut Dice, of: &Vocabulary, count: usize) -> Vec<String> {
    let text = dice.one_of(&of.texts);
    let begin = dice.below(text.len().saturating_sub(count) + 1);
    text.iter().skip(begin).take(count).cloned().collect()
}

fn token(dice: &mut Dice, of: &Vocabulary) -> String {
    run(dice, of, 1).concat()
}

fn text_term(dice: &mut Dice, of: &Vocabulary) -> String {
    let word = token(dice, of);
    let letters: Vec<char> = word.chars().collect();
    match dice.below(12) {
        0 if letters[0].is_alphabetic() => format!("={word}"),
        1 => format!("\"{}\"", run(dice, of, 2).join(" ")),
        2 => format!("\"{}\"~{}", run(dice, of, 3).join(" "), dice.below(5)),
        3 => {
            let mut words = run(dice, of, 3);
            words.reverse();
            format!("\"{}\"~{}", words.join(", "), 1 + dice.below(4))
        }
        4 => format!("{word} NEAR/{} {}", dice.below(6), token(dice, of)),
        5 => format!("\"{}\" NEAR {}", run(dice, of, 2).join(" "), token(dice, of)),
        6 if letters.len() > 2 => {
            format!("{}*", letters[..2 + dice.below(letters.len() - 2)].iter().collect::<String>())
        }
        // Within words of scripts without blanks there is none.
        7 if letters.len() > 3 && letters.iter().all(|c| *c < '\u{e00}') => {
            let at = 1 + dice.below(letters.len() - 2);
            let sign = *dice.one_of(&['?', '*']);
            letters.iter().enumerate().map(|(nth, c)| if nth == at { sign } else { *c }).collect()
        }
        8 if letters.len() > 3 => {
            let mut letters = letters;
            let at = dice.below(letters.len() - 1);
            match dice.below(4) {
                0 => letters.swap(at, at + 1),
                1 => letters[at] = 'x',
                2 => letters.insert(at, 'x'),
                _ => drop(letters.remove(at)),
            }
            format!("~{}", letters.into_iter().collect::<String>())
        }
        9 if !of.urls.is_empty() && dice.once_in(2) => dice.one_of(&of.urls).clone(),
        10 if dice.once_in(4) => "*".to_owned(),
        11 => format!("{word}^{}", 1 + dice.below(3)),
        _ => word,
    }
}

fn value_term(dice: &mut Dice, of: &Vocabulary) -> String {
    let day = dice.one_of(&of.days).clone();
    let other = dice.one_of(&of.days).clone();
    let cut = |dice: &mut Dice, day: &str| day[..*dice.one_of(&[4, 7, 10])].to_owned();
    let sign = *dice.one_of(&["<", "<=", ">", ">=", ":<", ":>=", ":", "="]);
    let size = *dice.one_of(&of.sizes);
    match dice.below(10) {
        0 => format!("host:{}", dice.one_of(&of.hosts)),
        1 => format!("host={}", dice.one_of(&of.hosts)),
        2 => {
            let host = dice.one_of(&of.hosts);
            let top = host.rsplit('.').next().unwrap_or_default();
            if dice.once_in(2) { format!("HOST:*.{top}") } else { format!("host:{}*", &host[..3]) }
        }
        3 => format!("date{sign}{}", cut(dice, &day)),
        4 => {
            let (from, to) = if day <= other { (day, other) } else { (other, day) };
            match dice.below(3) {
                0 => format!("date:{from}..{to}"),
                1 => format!("date:{}..", cut(dice, &from)),
                _ => format!("date:..{}", cut(dice, &to)),
            }
        }
        5 => format!("size{sign}{size}"),
        6 => format!("size:{}..{}k", size / 2, size / 1000 + 1),
        7 => (*dice.one_of(&["status:2xx", "status:404", "status>=300", "size:<2k", "lang:*", "-title:*"])).to_owned(),
        _ => {
            let (name, value) = dice.one_of(&of.names);
            format!("{name}{}{value}", dice.one_of(&[":", "="]))
        }
    }
}

/// Documents with accents, scripts without blanks, punctuation and gaps.
pub fn random_documents(seed: u64, count: usize) -> Vec<Value> {
    const TOKENS: [&str; 30] = [
        "ria",
        "Ria",
        "formosa",
        "Formosa,",
        "câmara",
        "camara",
        "Ação",
        "acção.",
        "casa",
        "casas",
        "casaco",
        "mar",
        "(mar)",
        "Straße",
        "strasse",
        "ΟΔΥΣΣΕΑΣ",
        "москва́",
        "東京都庁",
        "東京",
        "2024",
        "24",
        "ex-ministro",
        "d'água",
        "ﬁcar",
        "ficar",
        "sol",
        "porto",
        "portos",
        "eleições",
        "n.º",
    ];
    const HOSTS: [&str; 6] = ["a.pt", "www.a.pt", "b.gov.pt", "example.org", "news.example.org", "pt.example"];
    let mut dice = Dice::new(seed);
    (1..=count)
        .map(|version| {
            let mut text = |most: usize| {
                let count = dice.below(most + 1);
                (0..count).map(|_| *dice.one_of(&TOKENS)).collect::<Vec<_>>().join(" ")
            };
            let (title, main, rest) = (text(4), text(25), text(8));
            let anchors: Vec<String> = (0..3).map(|_| text(3)).filter(|anchor| !anchor.is_empty()).collect();
            let host = *dice.one_of(&HOSTS);
            let path = *dice.one_of(&["", "casa", "ria/formosa.html", "x?id=24", "Ac%C3%A7%C3%A3o/mar", "porto-sol"]);
            let date = |dice: &mut Dice| {
                let (year, month, day) = (2022 + dice.below(4), 1 + dice.below(12), 1 + dice.below(28));
                format!("{year}-{month:02}-{day:02}T{:02}:30:00Z", dice.below(24))
            };
            let dates: Vec<String> = (0..1 + dice.below(3)).map(|_| date(&mut dice)).collect();
            json!({
                "version": version,
                "title": title,
                "main": main,
                "rest": rest,
                "anchors": anchors,
                "url": format!("{}://{host}/{path}", dice.one_of(&["http", "https"])),
                "host": host,
                "date": dates,
                "status": dice.one_of(&[200, 200, 200, 404, 302, 500]),
                "size": dice.below(5000),
                "lang": dice.one_of(&["pt", "pt", "en", ""]),
                "mime": dice.one_of(&["text/html", "application/pdf"]),
            })
        })
        .collect()
}
