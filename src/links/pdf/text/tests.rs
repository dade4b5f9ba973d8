//! Tests of extracting the text of PDF files.

#![allow(clippy::unwrap_used)]

use super::*;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;
use std::io::Write;

fn found(body: &[u8]) -> Vec<String> {
    let (found, cut) = found_and_cut(body);
    assert_eq!(cut, 0);
    found
}

fn found_and_cut(body: &[u8]) -> (Vec<String>, u64) {
    let mut found = Vec::new();
    let cut = printed_addresses(body, |address| found.push(address.to_owned()));
    (found, cut)
}

fn limits() -> Limits {
    Limits { letters: MAX_LETTERS, text: MAX_TEXT_BYTES_PER_FILE, cut: 0 }
}

fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(data).unwrap();
    let head = format!("<</Filter [/FlateDecode] {dictionary}>> stream\r\n").into_bytes();
    [head, zlib.finish().unwrap(), b"\nendstream".to_vec()].concat()
}

fn file(objects: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut body = b"%PDF-1.5\n".to_vec();
    for (number, object) in objects {
        body.extend(format!("{number} 0 obj\n").into_bytes());
        body.extend_from_slice(object);
        body.extend_from_slice(b"\nendobj\n");
    }
    body
}

/// A page that shows this, in a font without a map.
fn page(content: &str) -> Vec<u8> {
    file(&[
        (1, b"<</Type/Page /Contents 2 0 R /Resources <</Font <</F1 3 0 R>>>>>>".to_vec()),
        (2, stream("", content.as_bytes())),
        (3, b"<</Type/Font /Subtype/Type1 /BaseFont/Times-Roman>>".to_vec()),
    ])
}

#[track_caller]
fn check(content: &str, expected: &[&str]) {
    assert_eq!(found(&page(content)), expected, "{content}");
}

#[test]
fn addresses_are_found_in_what_a_page_shows() {
    check("BT /F1 12 Tf (See http://b.pt/x\\).) Tj ET", &["http://b.pt/x"]);
    check("BT /F1 9 Tf [(ht)5(tp)-20(://b.p)30(t/y)-333(and)-300(www.c.pt,)] TJ ET", &["http://b.pt/y", "www.c.pt"]);
    check("BT (https://b.pt/wiki/A_\\(B\\)) Tj 0 -12 Td (next) Tj ET", &["https://b.pt/wiki/A_(B)"]);
    check(
        "BT (http://b.pt/a) Tj 1 0 0 1 72 600 Tm (b) Tj T* (HTTP://B.pt/c) ' ET",
        &["http://b.pt/a", "HTTP://B.pt/c"],
    );
    check("BI /W 1 ID \x01(http://no.pt/) EI BT (http://b.pt/) Tj ET", &["http://b.pt/"]);
    check(
        "BT (http://b.pt/a//b HTTPS://WWW.b.pt?u=http://c//d www.c.pt/x//y) Tj ET",
        &["http://b.pt/a//b", "HTTPS://WWW.b.pt?u=http://c//d", "www.c.pt/x//y"],
    );
    check("BT (http://no/a.b http://no?x=c.pt) Tj ET", &[]);
    check("BT (xhttp://no.pt/ www. www.x http:// ahttps://no.pt mail@www2.pt) Tj ET", &[]);
}

#[test]
fn letters_are_those_of_the_font() {
    let map = "/CIDInit /ProcSet findresource begin 1 begincodespacerange <0000> <FFFF> endcodespacerange \
               2 beginbfchar <0001> <0068> <0002> <00740074> endbfchar \
               3 beginbfrange <0003> <0004> <0070> <0010> <0011> [<002E> <003A>] <0012> <0012> <002F> endbfrange";
    // `h` `tt` `p` `:` `/` `/` `p` `.` `p` `q`
    let content = "BT /F1 9 Tf <0001000200030011001200120003001000030004> Tj ET";
    let page = b"9 0 <</Type /Page /Contents [2 0 R] /Parent 8 0 R>>".to_vec();
    let tree = b"<</Type /Pages /Resources 7 0 R>>".to_vec();
    let body = file(&[
        (2, stream("", content.as_bytes())),
        (3, b"<</Type/Font /Subtype/Type0 /ToUnicode 4 0 R>>".to_vec()),
        (4, stream("", map.as_bytes())),
        (5, stream("/Type /ObjStm /N 1 /First 4", &page)),
        (7, b"<</Font <</F1 3 0 R>>>>".to_vec()),
        (8, tree),
    ]);
    assert_eq!(found(&body), ["http://p.pq"]);
}

/// A page in a font of two bytes with this map, and objects from 5 on.
fn mapped(map: &[u8], content: &str, more: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let objects = [
        (1, b"<</Type/Page /Contents 2 0 R /Resources <</Font <</F1 3 0 R>>>>>>".to_vec()),
        (2, stream("", content.as_bytes())),
        (3, b"<</Type/Font /Subtype/Type0 /ToUnicode 4 0 R>>".to_vec()),
        (4, stream("", map)),
    ];
    file(&[&objects[..], more].concat())
}

/// Codes of two bytes that are letters plus something.
fn codes(text: &str, plus: u16) -> String {
    text.chars().map(|letter| format!("{:04x}", letter as u16 + plus)).collect()
}

#[test]
fn of_rows_that_lie_over_one_another_the_last_counts_and_the_rest_of_the_others_stays() {
    let map = b"5 beginbfrange <0000> <FFFF> <0000> <0020> <0020> <0041> <0030> <0039> <0061> <0035> <0045> <0100>
        <0000> <0001> <0200> endbfrange";
    let letters = Letters::read(map, &mut limits());
    let of = |code: u32| letters.of(code).map(|(units, more)| units[0] + more).unwrap();
    let expected = [
        (0, 0x200),
        (1, 0x201),
        (2, 2),
        (0x1f, 0x1f),
        (0x20, 0x41),
        (0x21, 0x21),
        (0x2f, 0x2f),
        (0x34, 0x65),
        (0x35, 0x100),
        (0x45, 0x110),
        (0x46, 0x46),
        (0xffff, 0xffff),
    ];
    for (code, letter) in expected {
        assert_eq!(of(code), letter, "{code:x}");
    }
}

#[test]
fn rows_of_codes_may_be_all_there_are() {
    let all = b"1 beginbfrange <0000> <FFFF> <0000> endbfrange 1 beginbfchar <0041> <0062> endbfchar";
    let content = format!("/F1 9 Tf <{}> Tj", codes("http://A.pt/\u{ffff}", 0));
    assert_eq!(found(&mapped(all, &content, &[])), ["http://b.pt/\u{ffff}"]);
    let letters = Letters::read(all, &mut limits());
    assert_eq!(letters.of(0xffff), Some((&[0][..], 0xffff)));
}

#[test]
fn rows_that_repeat_cost_what_they_take() {
    let map = "<0000> <FFFF> <0100>\n".repeat(350_000);
    let content = format!("/F1 9 Tf <{}> Tj", codes("http://b.pt/", 0xff00));
    let (found, cut) = found_and_cut(&mapped(format!("beginbfrange {map}").as_bytes(), &content, &[]));
    assert_eq!((found, cut), (vec!["http://b.pt/".to_owned()], 0));
}

#[test]
fn what_a_code_maps_to_is_bounded() {
    let long = codes(&"x".repeat(MAX_UNITS + 1), 0);
    let map = format!("beginbfchar <0001> <{}> <0002> <{long}> endbfchar", codes("http://b.pt/", 0));
    let (found, cut) = found_and_cut(&mapped(map.as_bytes(), "/F1 9 Tf <0001000200010002> Tj", &[]));
    assert_eq!((found, cut), (vec!["http://b.pt/".to_owned(); 2], 1));
    // And so is what a page shows.
    let map = format!("beginbfrange <0000> <FFFF> <{}> endbfrange", codes(&"\u{4e00}".repeat(MAX_UNITS), 0));
    let content = format!("/F1 9 Tf [{}] TJ (http://b.pt/) Tj", format!("<{}>", "0001".repeat(10_000)).repeat(30));
    let (found, cut) = found_and_cut(&mapped(map.as_bytes(), &content, &[]));
    assert_eq!((found, cut), (Vec::new(), 1));
}

#[test]
fn fonts_share_a_map_and_are_no_other_fonts() {
    // Read for each of them, it would be too much for a file.
    let map = format!("{} beginbfrange <0000> <FFFF> <0000> endbfrange", " ".repeat(1 << 20));
    let font = |number: u32| format!("/F{number} {number} 0 R ");
    let all: String = (10..400).map(font).collect();
    let show = |number: u32| format!("/F{number} 9 Tf <{}> Tj T* ", codes(&format!("www.f{number}.pt"), 0));
    let text: String = (10..400).map(show).collect();
    let mut more: Vec<(u32, Vec<u8>)> =
        (10..400).map(|number| (number, b"<</Subtype/Type0 /ToUnicode 4 0 R>>".to_vec())).collect();
    more.push((5, format!("<</Type/Page /Contents 6 0 R /Resources <</Font <<{all}>>>>>>").into_bytes()));
    more.push((6, stream("", text.as_bytes())));
    let expected: Vec<String> = (10..400).map(|number| format!("www.f{number}.pt")).collect();
    assert_eq!(found(&mapped(map.as_bytes(), "", &more)), expected);
    // Fonts that begin with the same words.
    let font = |map: u32| format!("<</Subtype/Type0 /Name ({}) /ToUnicode {map} 0 R>>", "x".repeat(600));
    let content = format!("/A 9 Tf <{}> Tj T* /B 9 Tf <{}> Tj", codes("http://a.pt/", 0), codes("http://b.pt/", 1));
    let body = file(&[
        (1, b"<</Type/Page /Contents 2 0 R /Resources <</Font <</A 3 0 R /B 4 0 R>>>>>>".to_vec()),
        (2, stream("", content.as_bytes())),
        (3, font(5).into_bytes()),
        (4, font(6).into_bytes()),
        (5, stream("", b"beginbfrange <0000> <00ff> <0000> endbfrange")),
        (6, stream("", b"beginbfrange <0001> <00ff> <0000> endbfrange")),
    ]);
    assert_eq!(found(&body), ["http://a.pt/", "http://b.pt/"]);
}

#[test]
fn all_letters_of_a_file_are_bounded() {
    let map = format!("beginbfchar {}", "<01><41>".repeat(MAX_LETTERS / 4));
    let fonts: Vec<(u32, Vec<u8>)> = (10..13)
        .map(|number| (number, format!("<</Subtype/Type1 /ToUnicode {} 0 R>>", number + 10).into_bytes()))
        .collect();
    let maps: Vec<(u32, Vec<u8>)> = (20..23).map(|number| (number, stream("", map.as_bytes()))).collect();
    let text: String = (10..13).map(|number| format!("/F{number} 9 Tf (http://b.pt/\\001) Tj T* ")).collect();
    let all: String = (10..13).map(|number| format!("/F{number} {number} 0 R ")).collect();
    let page = format!("<</Type/Page /Contents 2 0 R /Resources <</Font <<{all}>>>>>>").into_bytes();
    let body = file(&[&[(1, page), (2, stream("", text.as_bytes()))][..], &fonts, &maps].concat());
    let (found, cut) = found_and_cut(&body);
    let known = found.iter().filter(|address| *address == "http://b.pt/A").count();
    assert_eq!((found.len(), known), (3, 2));
    assert!(cut > 0);
}

#[test]
fn what_many_refer_to_is_read_some_times_only() {
    let blank = " ".repeat(3_000_000);
    // A font behind blanks, shown often.
    let content = "/F1 9 Tf <0001> Tj ".repeat(200_000);
    let body = file(&[
        (1, b"<</Type/Page /Contents 2 0 R /Resources <</Font <</F1 3 0 R>>>>>>".to_vec()),
        (2, stream("", content.as_bytes())),
        (3, format!("{blank}<</Type/Font>>").into_bytes()),
    ]);
    assert_eq!(found(&body), [""; 0]);
    // Parts of a page: packed to nothing, large, without an end, and none at all.
    let large = |object: &str| format!("{object}{blank}").into_bytes();
    let parts = [
        stream("", &[b"%", &vec![b'x'; 4 << 20][..]].concat()),
        large("<<>> stream "),
        large("<</Filter /FlateDecode>> stream x"),
        large("<</Filter /ASCII85Decode>> stream zzzz"),
        large("<<>>"),
        large(""),
    ];
    let page = format!("<</Type/Page /Contents [{}]>>", "2 0 R ".repeat(20_000)).into_bytes();
    for part in parts {
        let (found, cut) = found_and_cut(&file(&[(1, page.clone()), (2, part)]));
        assert_eq!((found, cut > 0), (Vec::new(), true));
    }
    // A list that many pages share, and one that is too long.
    let list = format!("[{}]", format!("9 0 R %{}\n", "x".repeat(90)).repeat(3_000)).into_bytes();
    let pages: Vec<(u32, Vec<u8>)> =
        (10..20_000).map(|number| (number, b"<</Type/Page /Contents 2 0 R>>".to_vec())).collect();
    let (found, cut) = found_and_cut(&file(&[&[(2, list)][..], &pages].concat()));
    assert_eq!((found, cut > 0), (Vec::new(), true));
}

#[test]
fn the_later_of_two_objects_counts_wherever_it_is_packed() {
    let form = |text: &str| stream("/Subtype /Form", format!("({text}) Tj").as_bytes());
    let (old, new) = (form("http://old.pt/"), form("http://new.pt/"));
    let page = |contents: u32| format!("<</Type/Page /Contents {contents} 0 R>>");
    let packed = |contents: u32| stream("/Type /ObjStm /N 1 /First 4", format!("1 0 {}", page(contents)).as_bytes());
    let texts = [(2, stream("", b"(http://old.pt/) Tj")), (3, stream("", b"(http://new.pt/) Tj"))];
    let open = |contents: u32| (1, page(contents).into_bytes());
    // The number of the object stream says nothing.
    for stream in [9, 4] {
        let body = file(&[&texts[..], &[open(2), (stream, packed(3))]].concat());
        assert_eq!(found(&body), ["http://new.pt/"]);
        let body = file(&[&texts[..], &[(stream, packed(2)), open(3)]].concat());
        assert_eq!(found(&body), ["http://new.pt/"]);
        let body = file(&[&texts[..], &[(5, packed(2)), (stream, packed(3))]].concat());
        assert_eq!(found(&body), ["http://new.pt/"]);
    }
    assert_eq!(found(&file(&[(1, old), (1, new)])), ["http://new.pt/"]);
}

#[test]
fn a_stream_may_be_written_in_letters() {
    // `(http://b.pt/x) Tj`, packed with nothing and written as five letters of 85.
    let content = b"<</Subtype/Form /Filter /ASCII85Decode>> stream\n-tm^EE&oX*@P2\nVA06eog<,)~>\nendstream";
    assert_eq!(found(&file(&[(1, content.to_vec())])), ["http://b.pt/x"]);
}

#[test]
fn a_form_is_read_with_its_own_fonts_and_the_last_of_equal_numbers_counts() {
    let form = |text: &str| stream("/Subtype /Form /Resources <<>>", format!("({text}) Tj").as_bytes());
    let body =
        file(&[(1, form("http://old.pt/")), (1, form("http://new.pt/")), (2, stream("", b"(http://no.pt/) Tj"))]);
    assert_eq!(found(&body), ["http://new.pt/"]);
}

proptest! {
    #[test]
    fn nothing_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        content in "[(<\\[][()<>\\[\\]/ a-fTJjdEBI0-9.-]{0,100}( T[jJdm*]| '| EI)?",
        dictionary in "(/(Type|Font|Page|Contents|Resources|Subtype|Form|N|First|ObjStm|Parent|Filter)|<<|>>|\\[|\\]|[0-9] 0 R|[0-9]){0,20}",
    ) {
        printed_addresses(&bytes, |_| ());
        printed_addresses(&page(&content), |_| ());
        printed_addresses(&file(&[(1, format!("<<{dictionary}>>").into_bytes()), (2, stream(&dictionary, content.as_bytes()))]), |_| ());
        Letters::read(content.as_bytes(), &mut limits());
    }
}
