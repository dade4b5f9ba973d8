//! A small web with planted faults, and with sound pages that look like them: what each address gives in a week.
//!
//! Texts are made of a seed, so that each run has the same bytes.

use fonds::serve::{Handler, HttpReply, HttpRequest};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The host names, the main one first. The last ones are linked to and are not in the scope of the campaign.
pub const HOSTS: [&str; 17] = [
    "vila.example",
    "moved.example",
    "speaks.example",
    "oldname.example",
    "newname.example",
    "forsale.example",
    "adpage.example",
    "fan1.example",
    "fan2.example",
    "flaky.example",
    "steady.example",
    "small.example",
    "goneseed.example",
    "leads.example",
    "follows.example",
    "rising.example",
    "outside.example",
];

/// The web in a week.
pub struct PlantedWeb {
    /// The week, from 0 on.
    pub week: Arc<AtomicUsize>,
}

impl Handler for PlantedWeb {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let week = self.week.load(Ordering::SeqCst);
        let path = match &request.query {
            Some(query) => format!("{}?{query}", request.path),
            None => request.path.clone(),
        };
        reply(&request.host, &path, week).unwrap_or_else(|| not_found(&request.host))
    }
}

/// What the main host gives where it has nothing, at times with status 200.
const NOTHING: &str = "<html><head><title>Vila Nova</title><link rel=stylesheet href=/style.css></head><body><main><p>The keeper \
    searched the drawers and has no sheet for this address. Go back to the front page or write to the desk in the hall, where \
    somebody helps on weekdays.</main></body></html>";

fn not_found(host: &str) -> HttpReply {
    match host {
        "vila.example" => HttpReply::html(404, NOTHING),
        _ => HttpReply::html(404, "<title>Not found</title><p>Not found"),
    }
}

const BOATS: [&str; 40] = [
    "boat",
    "lagoon",
    "salt",
    "harbour",
    "keel",
    "mast",
    "river",
    "painter",
    "prow",
    "yard",
    "timber",
    "rope",
    "sail",
    "tide",
    "museum",
    "visitor",
    "carpenter",
    "canal",
    "bridge",
    "fisher",
    "market",
    "summer",
    "winter",
    "regatta",
    "crew",
    "plank",
    "colour",
    "sign",
    "archive",
    "drawing",
    "letter",
    "family",
    "storm",
    "island",
    "marsh",
    "reed",
    "seaweed",
    "oar",
    "quay",
    "lighthouse",
];
const CASINO: [&str; 20] = [
    "jackpot",
    "casino",
    "bonus",
    "slots",
    "roulette",
    "wager",
    "payout",
    "dealer",
    "poker",
    "spin",
    "deposit",
    "cashback",
    "blackjack",
    "odds",
    "betting",
    "gambler",
    "token",
    "lottery",
    "prize",
    "chips",
];
const JOINTS: [&str; 14] =
    ["the", "of", "in", "and", "with", "that", "was", "from", "near", "this", "under", "after", "they", "had"];

/// Sentences of so many words, by a seed.
fn text_of(seed: u64, count: usize, nouns: &[&str]) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below
    };
    let mut text = String::new();
    for nth in 0..count {
        let word = if nth % 2 == 0 { JOINTS[next(JOINTS.len())] } else { nouns[next(nouns.len())] };
        text.push_str(word);
        text.push_str(if nth % 11 == 10 { ". " } else { " " });
    }
    text
}

fn boats(seed: u64, count: usize) -> String {
    text_of(seed, count, &BOATS)
}

/// A page of the main host with its style sheet.
fn page(title: &str, body: &str) -> HttpReply {
    framed("", title, body)
}

fn framed(head: &str, title: &str, body: &str) -> HttpReply {
    HttpReply::html(
        200,
        format!(
            "<!doctype html><html lang=en><head><title>{title}</title><link rel=stylesheet href=/style.css>{head}</head>\
             <body><main><h1>{title}</h1>{body}</main></body></html>"
        ),
    )
}

fn article(seed: u64, title: &str) -> HttpReply {
    page(title, &format!("<p>{}</p>", boats(seed, 260)))
}

fn leads_to(status: u16, target: &str) -> HttpReply {
    HttpReply::html(status, "").with("Location", target)
}

/// The smallest PNG image.
fn png() -> HttpReply {
    let bytes: [u8; 67] = [
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1,
        8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0, 1, 0, 0, 5,
        0, 1, 0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
    ];
    HttpReply::new(200, "image/png", bytes)
}

/// UTF-8 that was read as windows-1252 and written again.
fn garbled(text: &str) -> String {
    text.bytes().map(|byte| encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[byte]).0.into_owned()).collect()
}

const PORTUGUESE: &str = "A câmara municipal não abriu a exposição de verão. As embarcações da ria estão à espera de reparação, \
    e os artesãos já não têm mãos a medir. À tarde há música na praça e uma lição de história sobre a construção naval. Os \
    visitantes são recebidos até às seis da tarde, e as crianças não pagam a entrada. ";
const GERMAN: &str = "Die Ausstellung über den Bootsbau öffnet am Sonntag um zehn Uhr. Besucher können die Werkstatt besichtigen und mit \
    den Handwerkern sprechen, die seit vielen Jahren an der Lagune arbeiten. Für Kinder gibt es eine Führung durch das Lager, und am \
    Abend spielt eine Kapelle auf dem Platz vor der Kirche. Der Eintritt ist frei, eine Anmeldung ist nicht nötig. ";

/// Articles by number that the front page links to.
pub const ARTICLES: std::ops::Range<u64> = 1..25;

/// What an address of a host gives in a week; none where there is nothing.
pub fn reply(host: &str, path: &str, week: usize) -> Option<HttpReply> {
    if path == "/style.css" {
        return Some(HttpReply::new(200, "text/css", "main { color: #222 }"));
    }
    match host {
        "vila.example" => vila(path, week),
        "moved.example" => match path {
            "/" | "/pt/" => Some(article(900 + path.len() as u64, "Front page")),
            path if path.starts_with("/old/") => Some(leads_to(301, "http://moved.example/")),
            path if path.starts_with("/arquivo/") => Some(leads_to(302, "http://moved.example/pt/")),
            "/list" => Some(links_page(
                "Old addresses",
                &["/old/1", "/old/2", "/old/3", "/arquivo/7", "/arquivo/8", "/arquivo/9"],
            )),
            _ => None,
        },
        "speaks.example" => match path {
            "/" => Some(leads_to(302, "http://speaks.example/en/")),
            "/en/" => Some(article(910, "A house of languages")),
            _ => None,
        },
        "oldname.example" => match path {
            "/" => Some(links_page("Old name", &["/a", "/b", "/c", "/d", "/e", "/f"])),
            path => Some(leads_to(301, &format!("http://newname.example{path}"))),
        },
        "newname.example" => Some(article(920 + path.len() as u64, "The new name")),
        "forsale.example" => Some(HttpReply::html(
            200,
            "<title>forsale.example</title><script src=https://img.sedoparking.com/x.js></script><h1>forsale.example</h1><p>This \
             domain is for sale. Buy this domain now.",
        )),
        "adpage.example" => Some(HttpReply::html(200, ad_page())),
        "fan1.example" | "fan2.example" if path == "/" => Some(page(
            "Friends of the town",
            &format!(
                "<p>{}<a href=http://vila.example/anchored/plain>Chamber orchestra concert programme</a> \
                 <a href=http://vila.example/anchored/drifted>Violin concerto recordings</a> \
                 <a href=http://vila.example/anchored/sound>Boats of the lagoon</a> \
                 <a href=http://vila.example/anchored/generic>click here</a>",
                boats(930 + host.len() as u64 + u64::from(host.as_bytes()[3]), 120)
            ),
        )),
        "flaky.example" => flaky(path, |nth| nth % 2 == 0),
        "steady.example" => flaky(path, |nth| nth == 3),
        "rising.example" => flaky(path, |nth| nth > 7 && week == 3),
        "small.example" => match path {
            "/" => Some(links_page("Small", &["/lost"])),
            _ => None,
        },
        "leads.example" => Some(leads_to(301, "http://outside.example/")),
        "follows.example" => match path {
            "/" => Some(leads_to(301, "http://follows.example/start")),
            "/start" => Some(article(940, "Where it starts")),
            _ => None,
        },
        "outside.example" => Some(article(950, "Outside")),
        _ => None,
    }
}

/// A host of ten pages, some of which fail.
fn flaky(path: &str, fails: impl Fn(usize) -> bool) -> Option<HttpReply> {
    if path == "/" {
        let paths: Vec<String> = (0..10).map(|nth| format!("/p/{nth}")).collect();
        return Some(links_page("Ten pages", &paths.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    let nth: usize = path.strip_prefix("/p/")?.parse().ok()?;
    (!fails(nth)).then(|| article(960 + nth as u64, "One of ten"))
}

fn links_page(title: &str, paths: &[&str]) -> HttpReply {
    let links: String = paths.iter().map(|path| format!("<a href='{path}'>{title} {path}</a> ")).collect();
    HttpReply::html(200, format!("<title>{title}</title><p>{}<p>{links}", boats(paths.len() as u64 + 970, 80)))
}

fn ad_page() -> String {
    let links: String = (0..8)
        .map(|nth| format!("<a href='http://ads{nth}.example/?clickid={nth}&utm_source=p'>Offer {nth}</a> "))
        .collect();
    format!("<title>adpage.example</title><h1>Related searches</h1>{links}")
}

fn vila(path: &str, week: usize) -> Option<HttpReply> {
    if let Some(number) = path.strip_prefix("/news/").and_then(|rest| rest.parse::<u64>().ok()) {
        return ARTICLES.contains(&number).then(|| article(number, &format!("News {number}")));
    }
    if let Some(number) = path.strip_prefix("/mirror/").and_then(|rest| rest.parse::<u64>().ok()) {
        return (number < 13).then(|| page("Notice", &format!("<p>{}", boats(500, 90))));
    }
    if let Some(number) = path.strip_prefix("/print/").and_then(|rest| rest.parse::<u64>().ok()) {
        return (number < 13).then(|| page("Sheet", &format!("<p>{} sheet {number}", boats(501, 400))));
    }
    if path.starts_with("/list?page=") {
        return Some(page("List", &format!("<p>{}", boats(502, 90))));
    }
    if let Some(number) = path.strip_prefix("/few/").and_then(|rest| rest.parse::<u64>().ok()) {
        return (number < 5).then(|| page("Few", &format!("<p>{}", boats(503, 90))));
    }
    Some(match path {
        "/" => front(week),
        "/app.js" | "/own.js" => HttpReply::new(200, "text/javascript", "var a = 1;"),
        "/img/large.png" | "/img/small.png" | "/img/a.png" | "/img/b.png" | "/img/c.png" | "/img/d.png"
        | "/img/wide.png" => png(),
        // Status.
        "/status/error" => HttpReply::html(500, format!("<title>Boats</title><p>{}", boats(31, 300))),
        "/status/about-errors" => article(32, "When servers answer 500"),
        "/status/misset" => {
            let status = if week < 3 { 200 } else { 404 };
            HttpReply { status, ..article(33, "A yard on the canal") }
        }
        // Redirects.
        "/partner/a" | "/partner/b" | "/partner/c" => leads_to(302, "http://outside.example/win/now"),
        "/partner/x" => leads_to(302, "http://outside.example/shop/7"),
        "/directory" => leads_to(301, "http://vila.example/directory/"),
        "/directory/" => article(34, "The directory"),
        // Pages that are not there.
        "/lost/plain" => HttpReply::html(200, "<title>Page not found</title><h1>Page not found</h1><p>Sorry."),
        "/lost/tricky" => HttpReply::html(200, NOTHING),
        "/lost/article" => page("What does 404 Not Found mean?", &format!("<p>{}", boats(35, 300))),
        "/search?q=zeppelin" => {
            page("Search results", "<form><input name=q></form><p>No boats for zeppelin in the list of this year.")
        }
        // Nearly empty.
        "/news/empty" => page("News", "<p>Text."),
        "/news/shell" => page("News of the week", "<p>Read all of it here soon, dear friends."),
        "/gallery" => page(
            "Gallery",
            "<img src=/img/a.png><img src=/img/b.png><img src=/img/c.png><img src=/img/d.png><img src=/img/small.png>",
        ),
        "/news/picture" => page("Picture", "<img src=/img/wide.png width=800 height=600><p>At the quay."),
        // Built by scripts.
        "/app/plain" => HttpReply::html(200, "<title>App</title><div id=root></div><script src=/app.js></script>"),
        "/app/tricky" => HttpReply::html(
            200,
            "<title>App</title><noscript>You need to enable JavaScript to run this.</noscript><main id=stage></main>\
             <script type=module src=/app.js></script>",
        ),
        "/app/server" => framed(
            "<script src=/app.js></script>",
            "Filled by the server",
            &format!("<div id=__next><p>{}</div>", boats(36, 250)),
        ),
        "/app/contact" => framed("<script src=/own.js></script>", "Contact", &format!("<p>{}", boats(37, 50))),
        // Missing resources.
        "/holes/plain" => framed(
            "<link rel=stylesheet href=/no-1.css><link rel=stylesheet href=/no-2.css>",
            "Without its styles",
            &format!("<p>{}", boats(38, 250)),
        ),
        "/holes/tricky" => page(
            "Without its picture",
            &format!(
                "<p>{}<img src=/img/small.png width=20 height=20><img src=/no-large.png width=800 height=600>",
                boats(39, 250)
            ),
        ),
        "/holes/alternatives" => page(
            "Pictures of two sizes",
            &format!("<p>{}<img src=/no-wide.png srcset='/img/large.png 2x' width=700 height=500>", boats(40, 250)),
        ),
        "/holes/pixel" => page(
            "A pixel that counts readers",
            &format!("<p>{}<img src=/no-pixel.gif width=1 height=1>", boats(41, 250)),
        ),
        // Other time: these style sheets come from an older archive alone.
        "/time/plain" => {
            framed("<link rel=stylesheet href=/time/changed.css>", "Old styles", &format!("<p>{}", boats(42, 250)))
        }
        "/time/tricky" => page("An old frame", &format!("<p>{}<iframe src=/time/frame.html></iframe>", boats(43, 250))),
        "/time/constant" => framed(
            "<link rel=stylesheet href=/time/style.3f2a.css>",
            "A style with a version",
            &format!("<p>{}", boats(44, 250)),
        ),
        "/time/now" => article(45, "All of today"),
        // For sale.
        "/domains/article" => page("A domain for sale: how trade works", &format!("<p>{}", boats(46, 320))),
        "/domains/links" => page(
            "Our friends",
            "<p>Friends of the museum and of the boats of the lagoon, whom the keeper of the house knows by name since the \
             yard was opened to visitors: <a href=http://outside.example/1>one</a> <a href=http://outside.example/2>two</a> \
             <a href=http://outside.example/3>three</a> <a href=http://outside.example/4>four</a> \
             <a href=http://outside.example/5>five</a> <a href=http://outside.example/6>six</a> and many more people.",
        ),
        // Walls.
        "/members/plain" => {
            page("Report of the year", "<form><input type=password name=p></form><p>Sign in to read the report.")
        }
        "/members/tricky" => leads_to(302, "http://vila.example/login?next=/members/tricky"),
        "/login?next=/members/tricky" | "/login" => {
            page("Sign in", "<form><input type=password name=p></form><p>Your name and secret word.")
        }
        "/members/portrait" => page("Portrait", &format!("<form><input type=password></form><p>{}", boats(47, 250))),
        "/consent/plain" => framed(
            "<script src=/own.js data-x=didomi></script>",
            "Cookies",
            "<p>We value your privacy. Accept or refuse all.",
        ),
        "/consent/tricky" => leads_to(302, "http://consent.outside.example/ask?back=x"),
        "/consent/article" => {
            framed("<script src=/own.js data-x=didomi></script>", "With a banner", &format!("<p>{}", boats(48, 250)))
        }
        "/consent/cookies" => page("Biscuits and cookies", &format!("<p>{} cookies", boats(49, 55))),
        "/pay/plain" => framed(NOT_FREE, "For readers who pay", &format!("<p>{}", boats(50, 80))),
        "/pay/tricky" => {
            page("The first lines", &format!("<p>{}</p><p>Subscribe to continue reading this story.", boats(51, 90)))
        }
        "/pay/metered" => framed(NOT_FREE, "A whole text", &format!("<p>{}", boats(52, 400))),
        "/pay/newsletter" => {
            page("Our newsletter", &format!("<p>{}<p>Subscribe to read it each month.", boats(53, 260)))
        }
        "/guard/plain" => HttpReply::html(403, "<title>Wait</title><p>One moment.").with("cf-mitigated", "challenge"),
        "/guard/tricky" => {
            HttpReply::html(200, "<title>Just a moment...</title><script>window._cf_chl_opt={}</script><p>Checking.")
        }
        "/guard/form" => framed(
            "<script src=/own.js></script>",
            "Write to us",
            "<form><textarea></textarea><div class=g-recaptcha></div></form><p>We answer all letters within a week or two.",
        ),
        "/guard/history" => page("Access denied: a history of gates", &format!("<p>{}", boats(54, 300))),
        "/busy/plain" => {
            HttpReply::html(200, "<title>Vila Nova</title><h1>Down for maintenance</h1><p>We are back on Monday.")
        }
        "/busy/tricky" => HttpReply::html(200, "<html lang=pt><title>Vila Nova</title><p>Por favor tente mais tarde."),
        "/busy/boats" => page("Boat maintenance", &format!("<p>Maintenance of boats. {}", boats(55, 45))),
        "/busy/works" => page("A bridge under construction", &format!("<p>{}", boats(56, 300))),
        // Ends.
        "/cut/plain.pdf" => HttpReply::new(200, "application/pdf", [b"%PDF-1.4\n".as_slice(), &[b'x'; 4000]].concat()),
        "/cut/tricky" => HttpReply::html(
            200,
            format!("<html><title>Cut</title><link rel=stylesheet href=/style.css><p>{}<a href='/ne", boats(57, 250)),
        ),
        "/cut/open" => HttpReply::html(
            200,
            format!("<title>Never closed</title><link rel=stylesheet href=/style.css><p>{}", boats(58, 250)),
        ),
        "/cut/trailing.pdf" => HttpReply::new(
            200,
            "application/pdf",
            [b"%PDF-1.4\n".as_slice(), &[b'x'; 900], b"%%EOF\n\0\0\0 more"].concat(),
        ),
        "/media/plain.m3u8" => playlist(&["one", "no-2", "no-3", "no-4"]),
        "/media/whole.m3u8" => playlist(&["one", "two"]),
        "/media/one.ts" | "/media/two.ts" => HttpReply::new(200, "video/mp2t", vec![0x47; 188]),
        "/media/tricky.mp4" => HttpReply { status: 206, ..HttpReply::new(206, "video/mp4", vec![1; 100]) }
            .with("Content-Range", "bytes 0-99/5000"),
        "/media/player" => page("A film", &format!("<p>{}<video src=/media/film.mp4></video>", boats(59, 250))),
        "/media/film.mp4" => HttpReply::new(200, "video/mp4", b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".to_vec()),
        // Letters.
        "/letters/plain" => HttpReply::new(
            200,
            "text/html; charset=utf-8",
            format!("<title>{}</title><p>{}</p>", garbled("Exposição de verão"), garbled(&PORTUGUESE.repeat(2))),
        ),
        "/letters/tricky" => HttpReply::new(
            200,
            "text/html; charset=iso-8859-1",
            format!("<title>Exposição</title><link rel=stylesheet href=/style.css><p>{}</p>", PORTUGUESE.repeat(2)),
        ),
        "/letters/capitals" => HttpReply::new(
            200,
            "text/html; charset=utf-8",
            format!(
                "<title>MANHÃ DE VERÃO</title><link rel=stylesheet href=/style.css><p>{}",
                PORTUGUESE.to_uppercase().repeat(2)
            ),
        ),
        "/letters/about" => HttpReply::new(
            200,
            "text/html; charset=utf-8",
            format!(
                "<title>Broken letters</title><link rel=stylesheet href=/style.css><p>é becomes Ã© and ’ becomes â€™. {}",
                boats(60, 400)
            ),
        ),
        "/type/plain.png" => HttpReply::new(200, "image/png", "<html><title>No hot links</title><p>No.</html>"),
        "/type/tricky.pdf" => framed("", "Report viewer", &format!("<p>{}", boats(61, 250))),
        "/type/source.txt" => HttpReply::new(200, "text/plain", "fn main() { println!(\"boats\") }"),
        "/type/real.pdf" => HttpReply::new(200, "application/pdf", b"%PDF-1.4\nxx\n%%EOF\n".to_vec()),
        // History.
        "/past/plain" if week == 3 => page("Win today", &format!("<p>{}", text_of(62, 300, &CASINO))),
        "/past/plain" => article(62, "The yard of Vila Nova"),
        "/past/tricky" if week == 3 => page("The quay", &format!("<p>{}", boats(63, 24))),
        "/past/tricky" => page("The quay", &format!("<p>{}", boats(63, 300))),
        "/past/paper" => page(
            &format!("The daily sheet {week}"),
            &format!("<p>{}", text_of(64 + week as u64, 300, paper_nouns(week))),
        ),
        "/past/updated" => page("Opening hours", &format!("<p>{}{}", boats(65, 240), boats(66 + week as u64, 40))),
        "/size/plain" => page("A long list", &format!("<p>{}", boats(67, if week == 3 { 130 } else { 620 }))),
        "/size/tricky" => page("A growing list", &format!("<p>{}", boats(68, if week == 3 { 900 } else { 150 }))),
        "/size/shorter" => page("A shorter list", &format!("<p>{}", boats(69, if week == 3 { 220 } else { 300 }))),
        "/size/same" => article(70, "As it was"),
        // What others call it.
        "/anchored/plain" => article(71, "The salt pans"),
        "/anchored/drifted" if week < 3 => {
            page("Violin concerto recordings", &format!("<p>Violin concerto recordings. {}", boats(72, 200)))
        }
        "/anchored/drifted" => page("The salt pans in winter", &format!("<p>{}", boats(72, 200))),
        "/anchored/sound" => article(73, "Boats of the lagoon"),
        "/anchored/generic" => article(74, "A page that all call here"),
        "/language/plain" => page("Ausstellung", &format!("<p>{}", GERMAN.repeat(2))),
        "/language/tricky" => HttpReply::html(
            200,
            format!(
                "<html lang=en><title>Boats</title><link rel=stylesheet href=/style.css><nav>Home Contact News About us</nav><main><p>{}</main>",
                GERMAN.repeat(2)
            ),
        ),
        "/language/short" => page(
            "Gruss",
            "<p>Guten Tag, liebe Freunde. Wir sehen uns am Sonntag wieder auf dem Platz am Hafen, bei Wind und Wetter, mit Musik \
             und Brot und viel Zeit.",
        ),
        "/language/english" => article(75, "Boats in English"),
        "/request/plain" | "/request/tricky" => {
            page("Opening hours", &format!("<p>{}", text_of(76, 200, &CASINO[10..])))
        }
        "/request/met" => page("Regatta of the lagoon", &format!("<p>The moliceiro regatta. {}", boats(77, 250))),
        "/request/other" => article(78, "Something else"),
        // The live web.
        "/leak/plain" => HttpReply::html(
            200,
            "<title>Map</title><p>Loading the map.<script src=http://cdn.outside.example/map.js></script>",
        ),
        "/leak/tricky" => HttpReply::html(
            200,
            format!(
                "<title>Board</title><p>{}<script src=http://a.outside.example/x.js></script><script src=http://b.outside.example/y.js></script>",
                boats(79, 30)
            ),
        ),
        "/leak/counter" => framed(
            "<script src=http://cdn.outside.example/count.js></script>",
            "With a counter",
            &format!("<p>{}", boats(80, 250)),
        ),
        "/leak/own" => HttpReply::html(
            200,
            "<title>Clock</title><p>The time in the harbour is shown by the clock above the gate of the yard, which the keeper sets each morning by the \
             sun and the tide.<script src=/own.js></script>",
        ),
        // Our own rules.
        "/rules/plain" => framed(
            "<link rel=stylesheet href=http://cdn.outside.example/a.css><link rel=stylesheet href=http://cdn.outside.example/b.css>",
            "Styles of another host",
            &format!("<p>{}", boats(81, 250)),
        ),
        "/rules/tricky" => page(
            "A picture of another host",
            &format!("<p>{}<img src=http://cdn.outside.example/p.png width=800 height=600>", boats(82, 250)),
        ),
        "/rules/pixel" => page(
            "A counter of another host",
            &format!("<p>{}<img src=http://cdn.outside.example/c.gif width=1 height=1>", boats(83, 250)),
        ),
        "/rules/link" => {
            page("A link to another host", &format!("<p>{}<a href=http://outside.example/far>far</a>", boats(84, 250)))
        }
        // Seen before.
        "/fades/plain" | "/fades/tricky" | "/fades/stays" => {
            article(85 + path.len() as u64, "A page that may be forgotten")
        }
        "/fades/list" if week < 3 => links_page("Fading", &["/fades/tricky"]),
        "/fades/list" => links_page("Fading", &[]),
        "/fades/gone" if week < 3 => article(99, "Here for now"),
        _ => return None,
    })
}

const NOT_FREE: &str =
    "<script type='application/ld+json'>{\"@type\":\"NewsArticle\",\"isAccessibleForFree\":false}</script>";

/// Nouns of a newspaper, others in each week.
fn paper_nouns(week: usize) -> &'static [&'static str] {
    match week {
        0 => &BOATS[..10],
        1 => &CASINO[..10],
        2 => &BOATS[10..20],
        _ => &CASINO[10..],
    }
}

fn playlist(names: &[&str]) -> HttpReply {
    let lines: String = names.iter().map(|name| format!("#EXTINF:4,\n/media/{name}.ts\n")).collect();
    HttpReply::new(
        200,
        "application/vnd.apple.mpegurl",
        format!("#EXTM3U\n#EXT-X-TARGETDURATION:4\n{lines}#EXT-X-ENDLIST\n"),
    )
}

/// The front page, which links to all.
fn front(week: usize) -> HttpReply {
    let mut links: Vec<String> = ARTICLES.map(|number| format!("/news/{number}")).collect();
    links.extend((1..13).map(|number| format!("/mirror/{number}")));
    links.extend((1..13).map(|number| format!("/print/{number}")));
    links.extend((1..13).map(|number| format!("/list?page={number}")));
    links.extend((1..5).map(|number| format!("/few/{number}")));
    links.extend(PATHS.iter().map(|path| (*path).to_owned()));
    if week < 3 {
        links.push("/fades/plain".to_owned());
    }
    let list: String = links.iter().map(|path| format!("<a href='{path}'>{path}</a> ")).collect();
    let regatta = "<a href=/request/plain>Moliceiro regatta</a> <a href=/request/tricky>All about the moliceiro</a> ";
    page("Vila Nova", &format!("<p>{}{regatta}{list}", boats(999, 120)))
}

/// Addresses of the main host that the front page links to, besides those with numbers.
pub const PATHS: [&str; 92] = [
    "/status/gone",
    "/status/error",
    "/status/about-errors",
    "/status/misset",
    "/partner/a",
    "/partner/b",
    "/partner/c",
    "/partner/x",
    "/directory",
    "/lost/plain",
    "/lost/tricky",
    "/lost/article",
    "/search?q=zeppelin",
    "/news/empty",
    "/news/shell",
    "/gallery",
    "/news/picture",
    "/app/plain",
    "/app/tricky",
    "/app/server",
    "/app/contact",
    "/holes/plain",
    "/holes/tricky",
    "/holes/alternatives",
    "/holes/pixel",
    "/time/plain",
    "/time/tricky",
    "/time/constant",
    "/time/now",
    "/domains/article",
    "/domains/links",
    "/members/plain",
    "/members/tricky",
    "/login",
    "/members/portrait",
    "/consent/plain",
    "/consent/tricky",
    "/consent/article",
    "/consent/cookies",
    "/pay/plain",
    "/pay/tricky",
    "/pay/metered",
    "/pay/newsletter",
    "/guard/plain",
    "/guard/tricky",
    "/guard/form",
    "/guard/history",
    "/busy/plain",
    "/busy/tricky",
    "/busy/boats",
    "/busy/works",
    "/cut/plain.pdf",
    "/cut/tricky",
    "/cut/open",
    "/cut/trailing.pdf",
    "/media/plain.m3u8",
    "/media/whole.m3u8",
    "/media/tricky.mp4",
    "/media/player",
    "/letters/plain",
    "/letters/tricky",
    "/letters/capitals",
    "/letters/about",
    "/type/plain.png",
    "/type/tricky.pdf",
    "/type/source.txt",
    "/type/real.pdf",
    "/past/plain",
    "/past/tricky",
    "/past/paper",
    "/past/updated",
    "/size/plain",
    "/size/tricky",
    "/size/shorter",
    "/size/same",
    "/anchored/plain",
    "/anchored/drifted",
    "/anchored/sound",
    "/anchored/generic",
    "/language/plain",
    "/language/tricky",
    "/language/short",
    "/language/english",
    "/request/met",
    "/request/other",
    "/leak/plain",
    "/leak/tricky",
    "/leak/counter",
    "/leak/own",
    "/rules/plain",
    "/rules/tricky",
    "/rules/pixel",
];

/// Further ones.
pub const MORE_PATHS: [&str; 5] = ["/rules/link", "/fades/list", "/fades/stays", "/fades/gone", "/fades/none"];
