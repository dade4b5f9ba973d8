//! The campaign that comes with the sample web.

use crate::campaign::{
    Campaign, CrawlOrder, Limits, Politeness, PrivateAddresses, Request, Seed, SeedScope, Term, TermKind,
};
use serde_json::json;

/// The sample geolocation database (MaxMind DB, record `country.iso_code`):
/// it puts each network 127.0.N.0/24 of the sample web in a country.
pub fn geo_database() -> &'static [u8] {
    include_bytes!("../../../assets/sample-geo.mmdb")
}

/// The seeds of the sample campaign.
pub(super) fn seeds() -> Vec<Seed> {
    [
        ("http://biblioteca.vilanova.example/", SeedScope::Root, "biblioteca"),
        ("http://www.festival-da-ria.example/", SeedScope::Root, "festival"),
        ("http://jornal.vilanova.example/", SeedScope::Root, "imprensa"),
        ("http://assembleia.example/", SeedScope::Subdomains, "assembleia"),
        ("http://harborblog.example/", SeedScope::Root, "blogs"),
        ("http://cuaderno.example/", SeedScope::Root, "blogs"),
    ]
    .into_iter()
    .map(|(url, scope, tag)| Seed { url: url.into(), scope, depth: None, source_tag: tag.into() })
    .collect()
}

/// The sample campaign: the festival and the shipyard of an invented town.
pub fn campaign() -> Campaign {
    Campaign {
        name: "Vila Nova da Ria, the festival and the shipyard".into(),
        description: "A town on a lagoon in the year its wooden-boat yard closed and its festival turned thirty: \
                      what the library, the newspaper, the assembly, the festival and the blogs say about it. \
                      The sample web is served by Fonds itself; nothing leaves this machine."
            .into(),
        owner: "Biblioteca Municipal de Vila Nova da Ria".into(),
        // Each crawl of the sample finds its pages by the same ways.
        order: CrawlOrder::RoundRobin,
        comments: String::new(),
        tags: vec!["sample".into()],
        active: true,
        request: request(),
        seeds: seeds(),
        rules: rules(),
        limits: Limits { max_documents: 5000, max_seconds: 600, ..Limits::default() },
        politeness: Politeness {
            user_agent: "Fonds sample crawl (+mailto:archive@biblioteca.vilanova.example)".into(),
            delay_factor: 0.0,
            min_delay_ms: 5,
            max_delay_ms: 20,
            allow_private_addresses: PrivateAddresses::All,
            max_retries: 1,
            retry_delay_seconds: 1,
            ..Politeness::default()
        },
        ..Campaign::default()
    }
}

/// Most hops from a seed: enough for the newspaper's archive, too few for a
/// calendar without end.
const MAX_HOPS: u32 = 8;

fn rules() -> Vec<serde_json::Value> {
    let rule = |comment: &str, mut rule: serde_json::Value| {
        rule["enabled"] = true.into();
        rule["comment"] = comment.into();
        rule
    };
    vec![
        rule("Nothing is in scope unless a rule below accepts it", json!({"rule": "reject_all"})),
        // The last opinion names the verdict: what only transclusion or only
        // geolocation lets in keeps their name, the rest is the seeds'.
        rule(
            "Images, styles and scripts from other hosts",
            json!({"rule": "transclusion", "max_trans_hops": 2, "max_speculative_hops": 1}),
        ),
        rule(
            "Hosts that stand in Portugal whatever their name says",
            json!({"rule": "geolocation", "countries": ["PT"], "decision": "ACCEPT"}),
        ),
        rule("The six sites that the campaign starts from", json!({"rule": "seed_scope"})),
        rule(
            "The festival's calendar has every month there is",
            json!({"rule": "too_many_hops", "max_hops": MAX_HOPS}),
        ),
        rule(
            "Session numbers in the newspaper's links",
            json!({
                "rule": "regex",
                "patterns": [r"(?i).*[?&;](sessionid|phpsessid|jsessionid)=.*"],
                "any": true,
                "decision": "REJECT",
            }),
        ),
        rule("Folders that lie within themselves", json!({"rule": "pathological_path", "max_repetitions": 2})),
        rule("", json!({"rule": "too_many_path_segments", "max_segments": 12})),
        rule("", json!({"rule": "scheme_not_in_set", "schemes": ["http", "https"]})),
        rule("", json!({"rule": "robots"})),
    ]
}

fn term(kind: TermKind, value: &str, weight: f64, aliases: &[&str]) -> Request {
    Request::Term(Term {
        kind,
        value: value.into(),
        weight,
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        uri: None,
        from: None,
        to: None,
    })
}

fn request() -> Request {
    let about = Request::Or(vec![
        Request::Term(Term {
            kind: TermKind::Event,
            value: "Festival da Ria".into(),
            weight: 1.0,
            aliases: vec!["Ria Festival".into(), "Festival de la Ría".into()],
            uri: None,
            from: Some("2024-06-21".into()),
            to: Some("2024-06-24".into()),
        }),
        term(
            TermKind::Organisation,
            "Estaleiro Gaivota",
            1.0,
            &["Gaivota shipyard", "astillero Gaivota", "chantier Gaivota"],
        ),
        term(TermKind::Person, "Leonor Maresia", 0.8, &["Maresia"]),
        term(TermKind::Person, "Joaquim Calafate", 0.8, &["mestre Calafate", "maestro Calafate"]),
        term(TermKind::Person, "Inês Baltar", 0.5, &[]),
        term(TermKind::Organisation, "Banda Maré Alta", 0.5, &["Maré Alta wind band"]),
        term(TermKind::Place, "Cais dos Mercantéis", 0.4, &[]),
        term(TermKind::Phrase, "imóvel de interesse municipal", 0.8, &["building of municipal interest"]),
        term(TermKind::Keyword, "lanternas", 0.4, &["lanterns", "linternas"]),
        term(TermKind::Keyword, "regata", 0.4, &["regatta"]),
    ]);
    let languages = Request::Or(vec![
        term(TermKind::Language, "pt", 0.2, &[]),
        term(TermKind::Language, "en", 0.1, &[]),
        term(TermKind::Language, "es", 0.1, &[]),
        term(TermKind::Language, "fr", 0.1, &[]),
    ]);
    // Speaks against without shutting out: a front page may list a recipe too.
    let penalized = term(TermKind::Keyword, "receita", -0.5, &["recipe", "receta"]);
    Request::And(vec![about, languages, penalized])
}
