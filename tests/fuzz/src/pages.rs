//! Pages, style sheets and other files that are only read.

use super::Dice;
use fonds::captures::{Body, DocumentReader, LargePagePermit, Place, ReadFrom};
use fonds::links::{
    AnchorBreaks, LinkKinds, MAX_ANCHOR_BYTES, MAX_LINKS_PER_PAGE, MAX_URL_BYTES, PageOptions, read_css, read_page,
};
use fonds::replay::Rewriter;
use fonds::scope::GeoDatabase;
use fonds::text::PageText;
use fonds::uri::parse_web_url;
use fonds::warc::{Headers, Record, RecordHead, RecordType, Span};
use std::net::IpAddr;

/// A page with the charset told in one way or another.
pub fn html(data: &[u8]) {
    let mut dice = Dice::of(data);
    let base = parse_web_url("http://example.pt/a/b?c").unwrap();
    let charset =
        [None, Some("utf-8"), Some("utf-16le"), Some("iso-2022-jp"), Some("gb18030"), Some("?")][dice.below(6)];
    let options = PageOptions {
        image_alt: dice.below(2) == 0,
        max_text_bytes: [0, 100, 1 << 20][dice.below(3)],
        elements: dice.below(2) == 0,
        pdf_text: false,
        xhtml: dice.below(2) == 0,
        kinds: LinkKinds::ALL,
        anchor_breaks: [AnchorBreaks::Nothing, AnchorBreaks::Blank, AnchorBreaks::Marked][dice.below(3)],
    };
    let page = read_page(data, charset, &base, &options);
    assert!(page.text.len() <= options.max_text_bytes, "{} bytes of text", page.text.len());
    assert!(page.links.len() <= MAX_LINKS_PER_PAGE);
    // Main text and boilerplate have every line of the text, each once, and behind them the texts of images.
    let text = PageText::of_page(&page, &base);
    let lines = |text: &str| text.lines().count();
    assert_eq!(lines(&text.main) + lines(&text.rest), lines(&page.text) + lines(&page.image_texts));
    let all: Vec<&str> = [&*page.text, &*page.image_texts].into_iter().filter(|part| !part.is_empty()).collect();
    assert_eq!(text.in_order(), all.join("\n"));
    for (number, link) in page.links.iter().enumerate() {
        assert_eq!(link.position as usize, number);
        assert!(matches!(link.url.scheme(), "http" | "https") && link.url.fragment().is_none());
        assert!(link.anchor.len() <= MAX_ANCHOR_BYTES, "{} bytes of anchor", link.anchor.len());
        assert_eq!(link.anchor, link.anchor.trim());
    }
    // Reading for links alone finds the same links.
    let links = read_page(
        data,
        charset,
        &base,
        &PageOptions {
            image_alt: options.image_alt,
            xhtml: options.xhtml,
            anchor_breaks: options.anchor_breaks,
            ..PageOptions::links_only()
        },
    );
    assert_eq!(links.links, page.links);
    // Rewriting ends, and grows with the page alone.
    let rewriter = Rewriter::new(base.clone(), "20240105093000");
    let rewritten = rewriter.clone().html(data, charset, Some("<script>")).bytes;
    assert!(rewritten.len() <= data.len() * 100 + 1000, "{} bytes of {}", rewritten.len(), data.len());
    rewriter.script(data);
    rewriter.css(data, charset);
    for link in read_css(data, charset, &base).0 {
        assert!(link.url.as_str().len() <= MAX_URL_BYTES);
    }
    listing(data);
}

/// A country database.
pub fn mmdb(data: &[u8]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), data).unwrap();
    let Ok(database) = GeoDatabase::open(file.path()) else { return };
    database.build_date().to_readable();
    let addresses: [IpAddr; 6] = [
        [1, 2, 3, 4].into(),
        [216, 160, 83, 56].into(),
        [255; 4].into(),
        [0; 16].into(),
        [0x20; 16].into(),
        [0xff; 16].into(),
    ];
    for address in addresses {
        let _ = database.lookup(address);
    }
}

/// XML, JSON and lists of lines that lead to files.
fn listing(data: &[u8]) {
    let url = parse_web_url("http://example.pt/a/b.txt?c").unwrap();
    let types = ["text/xml; charset=windows-1251", "image/svg+xml", "application/json", "audio/mpegurl", "text/plain"];
    let kind = types[Dice::of(data).below(types.len())];
    let mut headers = Headers::new();
    headers.push("Content-Type", kind);
    headers.push("Link", String::from_utf8_lossy(&data[..data.len().min(200)]).into_owned());
    let links = Body::new(200, &headers, data.to_vec().into()).links(&url, &mut LargePagePermit::default());
    for link in links.outlinks {
        assert!(matches!(link.url.scheme(), "http" | "https") && link.url.as_str().len() <= MAX_URL_BYTES);
    }
}

/// An envelope of links, as WAT files hold them.
pub fn wat(data: &[u8]) {
    links_of("metadata", data.to_vec());
}

/// A PDF file.
pub fn pdf(data: &[u8]) {
    links_of("response", [b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n", data].concat());
}

fn links_of(kind: &str, block: Vec<u8>) {
    let mut headers = Headers::new();
    headers.push("WARC-Target-URI", "http://example.pt/a/b?c");
    headers.push("WARC-Date", "2024-03-01T09:00:00Z");
    let content_length = block.len() as u64;
    let head =
        RecordHead { version: "WARC/1.1".to_owned(), record_type: RecordType::parse(kind), headers, content_length };
    let record = Record { head, block, omitted: 0, span: Span::default() };
    let mut documents = DocumentReader::new(
        ReadFrom { pages: true, wat: true, metadata: true, pdf: true, pdf_text: true },
        &std::env::temp_dir(),
    );
    let Some(document) = documents.take(record, Place { file: 0, offset: 0 }) else { return };
    let mut count = 0;
    let options = PageOptions { pdf_text: true, ..PageOptions::links_only() };
    document.read_links(&options, |link| {
        count += 1;
        assert!(parse_web_url(link.url.as_str()).is_some_and(|url| url.fragment().is_none()), "{}", link.url.as_str());
        assert!(link.anchor.len() <= MAX_ANCHOR_BYTES && link.url.as_str().len() <= MAX_URL_BYTES);
        assert_eq!(link.anchor, link.anchor.trim());
    });
    assert!(count <= MAX_LINKS_PER_PAGE);
}
