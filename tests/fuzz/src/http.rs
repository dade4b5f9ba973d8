//! HTTP messages inside records.

use super::Dice;
use fonds::warc::digest::{BlockDigester, Digests};
use fonds::warc::http::{Dechunker, dechunk, decode_payload, entity_body, parse_request_head, parse_response_head};

/// Payloads are cut here.
const MAX_BYTES: usize = 64 * 1024;

const CODINGS: [&str; 8] = ["gzip", "deflate", "br", "zstd", "x-gzip", "identity", "unknown", "chunked"];

/// The first byte chooses what is declared; the rest is a message, a body and
/// the text of one.
pub fn http(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let mut dice = Dice::of(data);
    if let Some(head) = parse_request_head(data) {
        assert!(head.head_len <= data.len());
    }
    if let Some(head) = parse_response_head(data) {
        let body = &data[head.head_len..];
        let (entity, _) = entity_body(&head, body);
        let payload = decode_payload(&head, body, MAX_BYTES);
        assert!(payload.bytes.len() <= MAX_BYTES);
        let digests = Digests::of_block(data, true);
        assert_eq!(digests.payload_len, entity.len() as u64);
        assert_eq!(digests.payload, fonds::warc::sha1_base32(&entity));
    }
    let mut digester = BlockDigester::new(true);
    pieces(data, &mut dice, |piece| digester.update(piece));
    assert_eq!(digester.finish(), Digests::of_block(data, true));

    // The bytes as a body that is declared in one way or another.
    let (first, second) = (CODINGS[usize::from(choice & 7)], CODINGS[usize::from(choice >> 3 & 7)]);
    let field = ["Content-Encoding", "Transfer-Encoding"][usize::from(choice >> 7)];
    let head = format!("HTTP/1.1 200 OK\r\n{field}: {first}, {second}\r\n\r\n");
    let head = parse_response_head(head.as_bytes()).unwrap();
    let payload = decode_payload(&head, data, MAX_BYTES);
    assert!(payload.bytes.len() <= MAX_BYTES);

    // Taken out of chunks in any split, it is the same.
    let (whole, flaws) = dechunk(data);
    let mut out = Vec::new();
    let mut dechunker = Dechunker::new();
    pieces(data, &mut dice, |piece| dechunker.feed(piece, &mut |bytes: &[u8]| out.extend_from_slice(bytes)));
    assert_eq!(dechunker.finish(&mut |bytes: &[u8]| out.extend_from_slice(bytes)), flaws);
    assert_eq!(out, whole);

    // Put into chunks, it comes out again.
    let mut chunked = Vec::new();
    pieces(data, &mut dice, |piece| {
        chunked.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        chunked.extend_from_slice(piece);
        chunked.extend_from_slice(b"\r\n");
    });
    chunked.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(dechunk(&chunked), (data.to_vec(), Vec::new()));
}

fn pieces(mut data: &[u8], dice: &mut Dice, mut take: impl FnMut(&[u8])) {
    while !data.is_empty() {
        let most = [1, 5, 100, 10_000][dice.below(4)];
        let (piece, rest) = data.split_at((1 + dice.below(most)).min(data.len()));
        take(piece);
        data = rest;
    }
}
