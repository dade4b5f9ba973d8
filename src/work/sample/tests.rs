#![allow(clippy::unwrap_used)]
use super::*;
use crate::serve::URL_PORT;
use std::net::IpAddr;

/// The bytes of `assets/sample-geo.mmdb`, made again from the host table.
fn make_geo_database() -> Vec<u8> {
    use mmdb_writer::{IpVersion, Value, Writer};
    // 2024-06-01T00:00:00Z: a fixed build date keeps the file the same.
    let epoch = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_717_200_000);
    let mut writer = Writer::builder("Fonds-Sample-Country")
        .ip_version(IpVersion::V4)
        .description(&[("en", "Invented countries of the loopback networks of the Fonds sample web")])
        .build_epoch(epoch)
        .build();
    let dead = (hosts::DEAD_HOST_NET, "PT");
    for (net, country) in HOSTS.iter().map(|h| (h.net, h.country)).chain([dead]) {
        let network: ipnet::IpNet = format!("127.0.{net}.0/24").parse().unwrap();
        let record = Value::map([("country", Value::map([("iso_code", Value::from(country))]))]);
        writer.insert_value(network, record).unwrap();
    }
    writer.to_bytes().unwrap()
}

/// With FONDS_WRITE_SAMPLE_GEO=1 this writes the file instead of comparing it.
#[test]
fn geo_database_is_made_from_the_host_table() {
    let bytes = make_geo_database();
    if std::env::var_os("FONDS_WRITE_SAMPLE_GEO").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-geo.mmdb");
        std::fs::write(path, &bytes).unwrap();
        return;
    }
    assert!(bytes == geo_database(), "run once with FONDS_WRITE_SAMPLE_GEO=1");
    let reader = maxminddb::Reader::from_source(geo_database()).unwrap();
    assert_eq!(reader.metadata().database_type, "Fonds-Sample-Country");
    for host in HOSTS {
        let found = reader.lookup(IpAddr::V4(host.address())).unwrap();
        let country: Option<String> = found
            .decode_path(&[maxminddb::PathElement::Key("country"), maxminddb::PathElement::Key("iso_code")])
            .unwrap();
        assert_eq!(country.as_deref(), Some(host.country), "{}", host.name);
    }
    assert!(!reader.lookup("127.0.0.1".parse().unwrap()).unwrap().has_data());
}

/// Links that are meant to lead nowhere, by host and path.
const MEANT_TO_FAIL: &[&str] = &[
    "http://biblioteca.vilanova.example/exposicoes/gaivota.html",
    "http://biblioteca.vilanova.example/acervo/pesquisa/avancada",
    "http://www.festival-da-ria.example/2023/",
    "http://www.festival-da-ria.example/bilhetes.html",
    "http://assembleia.example/documentos/acta-11.pdf",
];

/// Pages taken away by the second launch, still linked.
const GONE_IN_SECOND: &[&str] =
    &["http://www.festival-da-ria.example/en/getting-here.html", "http://estaleiro-gaivota.example/contacto.html"];

fn decode(host: &HostSpec, reply: &HttpReply) -> String {
    let mut body = reply.bytes().to_vec();
    if reply.header("Content-Encoding") == Some("gzip") {
        let mut plain = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(body.as_slice()), &mut plain).unwrap();
        body = plain;
    }
    let encoding = encoding_rs::Encoding::for_label(host.wire.charset().as_bytes()).unwrap();
    let (text, _, bad) = encoding.decode(&body);
    assert!(!bad, "{}", host.name);
    text.into_owned()
}

/// Host and reply of an absolute URL of the sample web.
fn fetch(pages: &SamplePages, url: &crate::uri::Url) -> (&'static HostSpec, HttpReply) {
    let name = url.host_str().unwrap();
    let host = HOSTS.iter().find(|h| h.names().any(|n| n == name)).unwrap_or_else(|| panic!("{url}: unknown host"));
    let target = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    (host, pages.handle(&HttpRequest::get(name, &target)))
}

/// Every link of a page, by a search for attributes that is wide on purpose.
fn links_of(base: &crate::uri::Url, html: &str) -> Vec<crate::uri::Url> {
    let attribute = regex::Regex::new(r#"(?:href|src|action)="([^"]*)""#).unwrap();
    let base = match regex::Regex::new(r#"<base href="([^"]*)""#).unwrap().captures(html) {
        Some(found) => base.join(&found[1]).unwrap(),
        None => base.clone(),
    };
    let without_base = html.replace("<base href=", "<base ");
    let mut links: Vec<_> = attribute
        .captures_iter(&without_base)
        .map(|found| found[1].replace("&amp;", "&"))
        .filter(|href| !["mailto:", "javascript:", "tel:"].iter().any(|scheme| href.starts_with(scheme)))
        .map(|href| base.join(&href).unwrap())
        .collect();
    for link in &mut links {
        link.set_fragment(None);
    }
    links
}

fn check_edition(edition: Edition) {
    let pages = SamplePages::new(edition);
    let listing = pages.listing();
    assert!(listing.len() >= 150, "{} pages", listing.len());
    let mut languages: Vec<_> = listing.iter().map(|(_, _, lang)| lang.as_str()).collect();
    languages.sort_unstable();
    languages.dedup();
    assert_eq!(languages, ["en", "es", "fr", "pt"]);
    assert!(HOSTS.iter().all(|h| listing.iter().any(|(url, _, _)| url.contains(h.name))));

    let mut links = 0;
    for (url, title, lang) in &listing {
        let url = crate::uri::Url::parse(url).unwrap();
        let (host, reply) = fetch(&pages, &url);
        assert_eq!(reply.status, 200, "{url}");
        let html = decode(host, &reply);
        assert!(html.contains(&generated::escape(title)) && html.contains(&format!("lang=\"{lang}\"")), "{url}");
        assert!(!html.contains("{{") && !html.contains('\u{fffd}'), "{url}: {html}");
        for link in links_of(&url, &html) {
            links += 1;
            if link.host_str() == Some(hosts::DEAD_HOST) {
                continue;
            }
            let (_, reply) = fetch(&pages, &link);
            let failed = reply.status >= 400;
            let meant = MEANT_TO_FAIL.contains(&link.as_str())
                || edition == Edition::Second && GONE_IN_SECOND.contains(&link.as_str());
            assert_eq!(failed, meant, "{url} -> {link}: {}", reply.status);
        }
    }
    println!("{edition:?}: {} pages, {links} links", listing.len());
}

#[test]
fn first_edition_is_whole() {
    check_edition(Edition::First);
}

#[test]
fn second_edition_is_whole() {
    check_edition(Edition::Second);
}

/// URLs whose status or payload differs between the editions.
fn changed_pages() -> (Vec<String>, usize) {
    let (first, second) = (SamplePages::new(Edition::First), SamplePages::new(Edition::Second));
    let mut urls: Vec<_> = first.listing().into_iter().chain(second.listing()).map(|(url, _, _)| url).collect();
    urls.sort();
    urls.dedup();
    let all = urls.len();
    urls.retain(|url| {
        let url = crate::uri::Url::parse(url).unwrap();
        let (before, after) = (fetch(&first, &url).1, fetch(&second, &url).1);
        (before.status, before.bytes()) != (after.status, after.bytes())
    });
    (urls, all)
}

#[test]
fn second_edition_differs_where_it_is_meant_to() {
    let (changed, all) = changed_pages();
    println!("{} of {all} pages differ", changed.len());
    assert!(changed.len() * 3 < all, "most pages have to stay the same: {changed:#?}");
    for path in [
        "http://www.festival-da-ria.example/",
        "http://jornal.vilanova.example/",
        "http://jornal.vilanova.example/2024/06/noite-das-lanternas.html",
        "http://roteiro.example/sugerir.html",
        "http://estaleiro-gaivota.example/contacto.html",
    ] {
        assert!(changed.iter().any(|url| url == path), "{path} is the same");
    }
    assert!(!changed.iter().any(|url| url.contains("biblioteca.vilanova.example/acervo/")));
}

fn status_of(target: &str) -> (u16, String) {
    let url = crate::uri::Url::parse(target).unwrap();
    let (_, reply) = fetch(&SamplePages::new(Edition::First), &url);
    let place = reply.header("Location").unwrap_or_default().to_owned();
    (reply.status, place)
}

#[test]
fn traps_are_set() {
    let check = |target: &str, status: u16, location: &str| {
        assert_eq!(status_of(target), (status, location.to_owned()), "{target}");
    };
    check(
        "http://festival-da-ria.example/agenda?mes=2024-06",
        301,
        "http://www.festival-da-ria.example/agenda?mes=2024-06",
    );
    check("http://biblioteca.vilanova.example/antigo/catalogo.html", 301, "/velho/catalogo.html");
    check("http://biblioteca.vilanova.example/acervo", 301, "/acervo/");
    check("http://cuaderno.example/noria/sube.html", 302, "/noria/baja.html");
    check("http://cuaderno.example/noria/baja.html", 302, "/noria/sube.html");
    check("http://www.festival-da-ria.example/2023/", 410, "");
    check("http://www.festival-da-ria.example/bilhetes.html", 500, "");
    check("http://www.festival-da-ria.example/agenda?mes=9999-12", 200, "");
    check("http://www.festival-da-ria.example/labirinto/a/a/a/a/a/a/", 200, "");
    check("http://www.festival-da-ria.example/labirinto/b/", 404, "");
    check("http://assembleia.example/robots.txt", 404, "");
    check("http://jornal.vilanova.example/robots.txt", 200, "");
    check("http://assembleia.example/documentos/regimento%20da%20assembleia.html", 200, "");
}

/// A page as the crawl reads it.
fn read(pages: &SamplePages, url: &str) -> crate::links::Page {
    let url = crate::uri::Url::parse(url).unwrap();
    let request = HttpRequest::get(url.host_str().unwrap(), url.path());
    let reply = pages.handle(&request.with("Accept-Encoding", "identity"));
    let charset = reply.header("Content-Type").unwrap().split_once("charset=").map(|(_, name)| name);
    crate::links::read_page(reply.bytes(), charset, &url, &crate::links::PageOptions::default())
}

#[test]
fn every_host_names_its_charset_its_own_way() {
    use crate::links::CharsetSource::{Bom, Guess, Http, Meta, Utf8};
    let pages = SamplePages::new(Edition::First);
    let check = |url: &str, charset: &str, from: crate::links::CharsetSource, expected: &str| {
        let page = read(&pages, url);
        assert_eq!((page.charset, page.charset_from), (charset, from), "{url}");
        assert!(page.text.contains(expected), "{url}: {}", page.text);
    };
    check("http://biblioteca.vilanova.example/", "UTF-8", Http, "cartas náuticas");
    check("http://www.festival-da-ria.example/", "UTF-8", Meta, "Mercantéis");
    check("http://jornal.vilanova.example/", "windows-1252", Http, "“A notícia chega com a maré” — o semanário");
    check("http://assembleia.example/votacoes/", "windows-1252", Meta, "Votações");
    check("http://harborblog.example/2024/05/fourteen-to-five.html", "UTF-8", Bom, "Inês Baltar");
    check("http://cuaderno.example/sobre-mi.html", "windows-1252", Http, "cartografía histórica");
    check("http://diaspora.example/nouvelles.html", "UTF-8", Utf8, "Départ de l'autocar");
    check("http://roteiro.example/", "windows-1252", Guess, "Ligações úteis, escolhidas à mão");
}

#[test]
fn every_page_reads_in_its_hosts_charset() {
    let pages = SamplePages::new(Edition::Second);
    for (url, title, lang) in pages.listing() {
        let page = read(&pages, &url);
        let host = HOSTS.iter().find(|h| page.base.host_str() == Some(h.name)).unwrap();
        assert_eq!(page.charset, host.wire.charset(), "{url}");
        assert_eq!(page.title.as_deref(), Some(title.as_str()), "{url}");
        assert_eq!(page.language.as_deref(), Some(lang.as_str()), "{url}");
        assert!(page.cut.is_empty(), "{url}");
    }
}

#[test]
fn campaign_separates_its_subject_from_recipes_and_weather() {
    assert_eq!(campaign().problems(), []);
    assert_eq!(campaign().request.to_string().parse(), Ok(campaign().request));
    let pages = SamplePages::new(Edition::First);
    let matcher = crate::analysis::Matcher::compile(&campaign().request);
    let score = |url: &str| {
        let page = read(&pages, url);
        let title = page.title.unwrap_or_default();
        let fields = crate::analysis::TextFields {
            title: &title,
            main: &page.text,
            rest: "",
            url: &crate::analysis::url_text(url),
            language: page.language.as_deref(),
            date: None,
        };
        matcher.read(&fields).score
    };
    for url in [
        "http://jornal.vilanova.example/2024/03/estaleiro-gaivota-fecha.html",
        "http://harborblog.example/2024/05/thirty-festivals.html",
        "http://cuaderno.example/2024/04/maestro-calafate.html",
        "http://assembleia.example/votacoes/2024-05-09-estaleiro.html",
        "http://diaspora.example/memoires/apprenti-1961.html",
    ] {
        assert!(score(url) > 0.4, "{url}: {}", score(url));
    }
    for url in [
        "http://jornal.vilanova.example/meteo.html",
        "http://jornal.vilanova.example/2024/05/receita-caldeirada.html",
        "http://harborblog.example/2023/11/weather-glass.html",
        "http://cuaderno.example/cocina/recetas/pulpo.html",
        "http://biblioteca.vilanova.example/acervo/salinas-1931.html",
        "http://praias.example/litoral.html",
    ] {
        assert!(score(url) < 0.3, "{url}: {}", score(url));
    }
}

#[test]
fn duplicates_have_the_same_payload() {
    let pages = SamplePages::new(Edition::First);
    let body = |host: &str, target: &str| pages.handle(&HttpRequest::get(host, target)).bytes().to_vec();
    let library = "biblioteca.vilanova.example";
    assert_eq!(body(library, "/horario.html"), body(library, "/info/horario.html"));
    let story = "/2024/03/estaleiro-gaivota-fecha.html";
    let paper = "jornal.vilanova.example";
    assert_eq!(body(paper, story), body(paper, &format!("{story}?sessionid=9f2ac81b77d04e55")));
}

#[test]
fn answers_over_the_network_and_switches_editions() {
    use std::io::{Read, Write};
    let web = SampleWeb::start(Edition::First).unwrap();
    let get = |host: &str, target: &str| {
        let (_, _, socket) =
            web.resolve().into_iter().find(|(name, port, _)| name == host && *port == URL_PORT).unwrap();
        let mut stream = std::net::TcpStream::connect(socket).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut got = Vec::new();
        stream.read_to_end(&mut got).unwrap();
        String::from_utf8_lossy(&got).into_owned()
    };
    assert!(get("estaleiro-gaivota.example", "/contacto.html").starts_with("HTTP/1.1 200 "));
    assert!(get("cuaderno.example", "/").contains("Transfer-Encoding: chunked\r\n"));
    assert!(get("harborblog.example", "/").contains("Content-Encoding: gzip\r\n"));
    web.set_edition(Edition::Second);
    assert!(get("estaleiro-gaivota.example", "/contacto.html").starts_with("HTTP/1.1 404 "));
    assert_eq!(web.request_count(), 4);
    let (_, _, dead) = web.resolve().into_iter().find(|(name, _, _)| name == hosts::DEAD_HOST).unwrap();
    assert!(std::net::TcpStream::connect(dead).is_err());
}

/// Decides a link of the sample web as the crawl does: country from the
/// sample database, robots.txt allowing all.
fn check_verdict(url: &str, hops: &str, decision: crate::scope::Decision, rule: &str) {
    use crate::scope::{Candidate, DecideRules, Facts, GeoDatabase, GeoFact, RobotsFact};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sample-geo.mmdb");
    std::fs::write(&file, geo_database()).unwrap();
    let database = GeoDatabase::open(&file).unwrap();
    let rules = DecideRules::compile(&campaign()).unwrap();
    let url = crate::uri::Url::parse(url).unwrap();
    let host = HOSTS.iter().find(|h| Some(h.name) == url.host_str()).unwrap();
    let evidence = database.evidence(&[IpAddr::V4(host.address())], database.build_date()).unwrap();
    let facts = Facts { geo: GeoFact::Known(evidence), robots: RobotsFact::Allowed, ..Facts::default() };
    let candidate = Candidate { hops: hops.into(), ..Candidate::bare(url.clone()) };
    let verdict = rules.decide(&candidate, &facts);
    assert_eq!((verdict.decision, verdict.rule_name.as_str()), (decision, rule), "{url}");
}

#[test]
fn campaign_takes_and_refuses_what_it_is_meant_to() {
    use crate::scope::Decision::{Accept, Reject};
    let geo = "ExternalGeoLocationDecideRule";
    check_verdict("http://diaspora.example/nouvelles.html", "LL", Accept, geo);
    check_verdict("http://estaleiro-gaivota.example/", "L", Accept, geo);
    check_verdict("http://postcards.example/vila-nova.html", "LL", Reject, "RejectDecideRule");
    check_verdict("http://praias.example/", "LL", Reject, "RejectDecideRule");
    check_verdict("http://postcards.example/ria.png", "LE", Accept, "TransclusionDecideRule");
    check_verdict(
        "http://www.festival-da-ria.example/agenda?mes=2031-01",
        "LLLLLLLLL",
        Reject,
        "TooManyHopsDecideRule",
    );
    check_verdict(
        "http://jornal.vilanova.example/2024/03/estaleiro-gaivota-fecha.html?sessionid=9f2ac81b77d04e55",
        "LL",
        Reject,
        "MatchesListRegexDecideRule",
    );
    check_verdict(
        "http://www.festival-da-ria.example/labirinto/a/a/a/a/",
        "LLLLL",
        Reject,
        "PathologicalPathDecideRule",
    );
}
