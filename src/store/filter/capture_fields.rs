//! The fields of captures, in the order of a help page.

use super::{FilterField, Kind, field, yes_no};
use crate::analysis::Judgement;
use crate::store::captures::requisites::{requisite_sql, vetoed_sql};
use crate::store::launches::hop_paths::hop_count_sql;
use crate::store::launches::missing::gone_sql;
use crate::store::review::marks::{
    inherited_sql, override_sql, rejected_before_sql, selected_sql, to_review_sql, unselected_sql,
};

pub(super) const CAPTURE_FIELDS: &[FilterField] = &[
    field("url", "Text in the URL", "url:/news/", Kind::Url("u.url")),
    field("title", "Text in the title", "title:\"annual report\"", Kind::Text("c.title")),
    field("text", "Words of the page: title, main text and all else", "text:\"annual report\"", Kind::Indexed),
    field("main", "Words of the main text, without menus and footers", "main:report", Kind::Indexed),
    field("rest", "Words of menus, footers and the like", "rest:contact", Kind::Indexed),
    field("anchors", "Words of the links to it from other hosts", "anchors:report", Kind::Indexed),
    field("found", "What a search finds", "found:\"budget -football\"", Kind::Indexed),
    field(
        "kind",
        "Kind of site: mediawiki, wordpress, discourse and so on; kind:* is any",
        "kind:mediawiki",
        Kind::Indexed,
    ),
    field(
        "entity",
        "A person, place, organisation or event that the newest analysis found in the text, by any of its names or its URI; \
         entity:* is any",
        "entity:\"Amélia Vaz\"",
        Kind::Indexed,
    ),
    field("published", "When the page says that it was published", "published:2024-03", Kind::IndexedDate),
    field("like", "Pages with a text like that of a capture, by its number", "like:4", Kind::Indexed),
    field("similar", "Near-duplicates of a capture, by its number, and itself", "similar:4", Kind::Indexed),
    field("linked", "Pages that link to a URL", "linked:http://a.pt/x", Kind::Linked),
    field(
        "host",
        "A host and its subdomains; host= is that host alone, host:*.pt what ends so",
        "host:gov.pt",
        Kind::Host,
    ),
    field("domain", "Registrable domain of the host", "domain=example.pt", Kind::Value("domain_of(h.name)")),
    field("tld", "Last label of the host", "tld=pt", Kind::Value("top_level_of(h.name)")),
    field("fqdn", "A host as links count it: with or without www, any port", "fqdn:a.pt", Kind::Fqdn),
    field("key", "A page by its URL or index key", "key:http://a.pt/x", Kind::Key),
    field("re", "A regular expression over the URL", "re:/20[0-9]{2}/", Kind::Pattern),
    field("date", "When it was captured: a year, month, day or range", "date>=2019-05", Kind::Date("c.date_ms")),
    field("status", "HTTP status, or a family of them", "status:4xx", Kind::Number("ifnull(c.status, 0)")),
    field("mime", "Part of the media type", "mime:pdf", Kind::Value("c.mime")),
    field("type", "The same as mime", "type:image/", Kind::Value("c.mime")),
    field("size", "Bytes of the payload", "size>1000000", Kind::Number("ifnull(c.size, 0)")),
    field(
        "media",
        "page, document, image, audio, video, data, code or other",
        "media:document",
        Kind::Value("media_name(c.media)"),
    ),
    field(
        "country",
        "Country of the server, where it was looked up (ISO 3166)",
        "country:PT",
        Kind::Value(
            "ifnull((SELECT country_of(g.fact) FROM host_geo g
                WHERE g.host = without_port(h.name) ORDER BY g.id DESC LIMIT 1), '')",
        ),
    ),
    field("lang", "Language (ISO 639-1)", "lang:pt", Kind::Value("c.language")),
    field("mark", "The last decision on its page version", "mark:approve", Kind::Mark),
    yes_no!(
        "review",
        "To review: the first capture of a page version without a decision",
        to_review_sql!(),
        concat!("NOT ", to_review_sql!())
    ),
    yes_no!(
        "inherited",
        "Its decision was given on another capture of the same page and content",
        inherited_sql!(),
        concat!("NOT ", inherited_sql!())
    ),
    yes_no!(
        "rejected_before",
        "To review as a new version of a URL with an earlier rejection",
        rejected_before_sql!(),
        concat!("NOT ", rejected_before_sql!())
    ),
    field(
        "request",
        "What meets a request, written as a campaign has it",
        "request:\"ria OR place:Alvor\"",
        Kind::Indexed,
    ),
    field(
        "right",
        "Judged right as a result of a search",
        "right:\"budget -football\"",
        Kind::Judged(Judgement::Right),
    ),
    field("wrong", "Judged wrong as a result of a search", "wrong:*", Kind::Judged(Judgement::Wrong)),
    field(
        "unsure",
        "Judged neither right nor wrong as a result of a search",
        "unsure:*",
        Kind::Judged(Judgement::Unsure),
    ),
    field("score", "Score for the campaign, 0 to 1", "score>=0.5", Kind::Number("s.score")),
    // What was not scored is neither.
    yes_no!("selected", "In the selection of the campaign", selected_sql!(), unselected_sql!()),
    yes_no!(
        "byhand",
        "Included or excluded by hand, against the score",
        override_sql!(),
        concat!("NOT ", override_sql!())
    ),
    yes_no!(
        "requisite",
        "Included because a selected capture needs it",
        requisite_sql!(),
        concat!("NOT ", requisite_sql!())
    ),
    yes_no!(
        "vetoed",
        "Needed by a selected capture, and rejected by a person",
        vetoed_sql!(),
        concat!("NOT ", vetoed_sql!())
    ),
    yes_no!(
        "export",
        "Selected, or included because a selected capture needs it",
        concat!("(", selected_sql!(), " OR ", requisite_sql!(), ")"),
        concat!("NOT (", selected_sql!(), " OR ", requisite_sql!(), ")")
    ),
    field("saved", "In a selection of the campaign, by its name", "saved:\"Handover 2026\"", Kind::Saved),
    field("collection", "In a collection, by its name", "collection:Elections", Kind::Collection { is_out: false }),
    field(
        "uncollected",
        "Taken out of a collection by a person",
        "uncollected:Elections",
        Kind::Collection { is_out: true },
    ),
    field("page", "Counts as a captured page: yes or no", "page:yes", Kind::Page),
    yes_no!(
        "revisit",
        "Repeats a payload that was captured before",
        "c.revisit_of_ms IS NOT NULL",
        "c.revisit_of_ms IS NULL"
    ),
    field(
        "versions",
        "Captures of the same page",
        "versions>1",
        Kind::Number("(SELECT count(*) FROM capture x WHERE x.page = c.page)"),
    ),
    field(
        "inlinks",
        "Inlinks, internal and external",
        "inlinks>0",
        Kind::Number("(ifnull(i.internal, 0) + ifnull(i.external, 0))"),
    ),
    field("inlinks.int", "Inlinks from the same host", "inlinks.int<3", Kind::Number("ifnull(i.internal, 0)")),
    field("inlinks.ext", "Inlinks from other hosts", "inlinks.ext>3", Kind::Number("ifnull(i.external, 0)")),
    field("inlinks.hosts", "Hosts that link to it", "inlinks.hosts>=2", Kind::Number("ifnull(i.hosts, 0)")),
    field("anchor", "Text in its most common anchor", "anchor:\"read more\"", Kind::Text("ifnull(i.top_anchor, '')")),
    yes_no!(
        "gone",
        "Its URL answered 2xx before, and not in the last launch of its campaign",
        gone_sql!(),
        concat!("NOT ", gone_sql!())
    ),
    field(
        "since",
        "New, gone, changed or failing in the last launch of its campaign, or between two: since:new@LAUNCH..LAUNCH",
        "since:changed",
        Kind::Since,
    ),
    field("via", "Text in the URL of the page that led to it", "via:/links.html", Kind::Url("ifnull(v.url, '')")),
    field("hops", "Part of the path from the seed", "hops:LL", Kind::Value("c.hops")),
    field("depth", "Hops from the seed", "depth<=2", Kind::Number(hop_count_sql!("c.hops"))),
    field("rule", "Name of the rule that let it in", "rule:GeoLocation", Kind::Value("c.rule_name")),
    field(
        "file_rule",
        "Name of the rule that its file names, of imports",
        "file_rule:GeoLocation",
        Kind::Value("ifnull(f.rule, '')"),
    ),
    field("tag", "Text in the tag of its seed", "tag:elections", Kind::Text("c.source_tag")),
    field("digest", "Part of the payload digest", "digest:sha1:3I42", Kind::Value("c.digest")),
    field("ip", "Part of the server's address", "ip:192.0.2.", Kind::Value("c.ip")),
    field("file", "An archive file by its number or a part of its name", "file:crawl-a", Kind::File),
    field("launch", "A launch by its name", "launch:20240301090000", Kind::Launch),
    field(
        "campaign",
        "A campaign by its number; none: of no campaign",
        "campaign:1",
        Kind::Id(
            "c.launch IN (SELECT id FROM launch WHERE launch.campaign = ?)",
            "campaign",
            "the page Campaigns lists them",
        ),
    ),
    field(
        "import",
        "Captures that an import added",
        "import:3",
        Kind::Id(
            // Of the launches that have such a number, only imports are listed as imports.
            "c.launch = (SELECT id FROM launch WHERE launch.id = ? AND kind = 'import')",
            "import",
            "the page Files lists them",
        ),
    ),
    field(
        "imported",
        "All captures in the files that an import read",
        "imported:3",
        // A file may have grown since and been read again.
        Kind::Id(
            "c.launch <= ? AND c.id IN (SELECT r.capture FROM record r WHERE r.position = 0 AND r.file IN
                (SELECT i.file FROM import_file i
                 WHERE i.launch = ? AND i.outcome IN ('read', 'cut') AND i.file IS NOT NULL
                 UNION SELECT m.id FROM import_file i JOIN warc_file m ON m.package = i.file
                 WHERE i.launch = ? AND i.outcome IN ('read', 'cut')))",
            "import",
            "the page Files lists them",
        ),
    ),
    field(
        "check",
        "What a check of review found on it, but false alarms; check:soft-404/odd is one state of it",
        "check:soft-404",
        Kind::Check,
    ),
    field(
        "finding",
        "Its worst finding: problem, odd or none; unchecked: no check saw it",
        "finding:problem",
        Kind::Finding,
    ),
    field(
        "loss",
        "What a page lost by its findings, 0 to 1",
        "loss>=0.5",
        Kind::Number("ifnull((SELECT p.loss / 10000.0 FROM page_loss p WHERE p.capture = c.id), 0)"),
    ),
    field(
        "cause",
        "What a check found on one host on addresses of one form: check, host and form",
        "cause:\"status/a.pt/news/*\"",
        Kind::Cause,
    ),
    field("breaks", "Pages that lack a resource, by its URL", "breaks:/style.css", Kind::Breaks),
];
