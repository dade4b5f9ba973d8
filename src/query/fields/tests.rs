use super::*;
use proptest::prelude::*;

/// The tree in brackets, so that tests can be read.
fn shape(query: &Query<FieldTerm>) -> String {
    let list = |parts: &[Query<FieldTerm>]| parts.iter().map(shape).collect::<Vec<_>>().join(" ");
    match query {
        Query::And(parts) => format!("and[{}]", list(parts)),
        Query::Or(parts) => format!("or[{}]", list(parts)),
        Query::Not(part) => format!("not[{}]", shape(part)),
        Query::Term(FieldTerm { field: Some(field), .. }) => {
            format!("{}{}<{}>", field.name, field.sign.as_str(), field.value)
        }
        Query::Term(word) => format!("<{}>", word.text),
    }
}

#[track_caller]
fn check(line: &str, expected: &str) {
    assert_eq!(shape(&parse_fields(line).unwrap()), expected, "{line}");
}

#[track_caller]
fn check_error(line: &str, column: usize, expected: &str) {
    let error = parse_fields(line).unwrap_err();
    assert_eq!(error.column, column, "{line}: {error}");
    assert!(error.expected.contains(expected), "{line}: {error}");
}

#[test]
fn operators_and_brackets_make_a_tree() {
    check("", "and[]");
    check("a b", "and[<a> <b>]");
    check("a AND b OR -c d", "or[and[<a> <b>] and[not[<c>] <d>]]");
    check("NOT (host:a.pt OR mime=x) b", "and[not[or[host:<a.pt> mime=<x>]] <b>]");
    check("-(a b)", "not[and[<a> <b>]]");
    check("(a)(b)", "and[<a> <b>]");
    check("a or b and - not", "and[<a> <or> <b> <and> <-> <not>]");
    check("date>=2019 date<2020 Size>3 size<=4", "and[date>=<2019> date<<2020> size><3> size<=<4>]");
    check("orange NOTE ANDES ALL ANY", "and[<orange> <NOTE> <ANDES> <ALL> <ANY>]");
}

#[test]
fn a_field_before_a_bracket_is_that_of_all_in_it() {
    check("title:(a OR b)", "or[title:<a> title:<b>]");
    check("-Title:(a \"c d\") e", "and[not[and[title:<a> title:<c d>]] <e>]");
    check("text:(a OR (b -cd*))", "or[text:<a> and[text:<b> not[text:<cd*>]]]");
    for (line, direct) in [("title:(a OR bc*)", "title:a OR title:bc*"), ("main:(a NEAR/3 b)^2", "(main:a NEAR/3 b)^2")]
    {
        assert_eq!(write_query(&parse_fields(line).unwrap()), write_query(&parse_fields(direct).unwrap()), "{line}");
    }
    check_error("title:(a OR host:b.pt)", 13, "words and phrases in the brackets behind title:");
    check_error("title:()", 8, "a term in the brackets");
    check_error("title:(a", 9, "closing bracket");
}

#[test]
fn what_belongs_to_a_url_is_no_operator() {
    check("https://a.pt/wiki/A_(b)", "<https://a.pt/wiki/A_(b)>");
    check("(x OR /wiki/A_(b))", "or[<x> </wiki/A_(b)>]");
    check("/wiki/A_(b", "</wiki/A_(b>");
    check("a)b", "<a)b>");
    check("url:/wiki/A_(b) re:(a|b)\\)", "and[url:</wiki/A_(b)> re:<(a|b)\\)>]");
    for line in [
        "a.pt/x?id=4",
        "?id=4",
        "a.pt:8080/",
        "/2024:03",
        "=4",
        "inlinks.pt/?a=1",
        "HTTP://a.pt/?x=(1)",
        "dns:a.pt",
        "a,b",
    ] {
        check(line, &format!("<{line}>"));
    }
    check("ftp://a.pt/", "<ftp://a.pt/>");
}

#[test]
fn quotes_make_text_of_anything() {
    check("\"a  b\" -\"c d\"", "and[<a  b> not[<c d>]]");
    check("host=\"a\"\"b.pt\" x", "and[host=<a\"b.pt> <x>]");
    check("\"OR\" \"date:2019\" \"(a\" \"-b\" \"\"", "and[<OR> <date:2019> <(a> <-b> <>]");
    check("anchor:\"uma frase\"", "anchor:<uma frase>");
    check("ti\"tle:x\"", "<title:x>");
}

#[test]
fn errors_name_the_column() {
    check_error("é \"open", 8, "a closing quotation mark");
    check_error("a OR", 5, "a word");
    check_error("a OR OR b", 6, "\"OR\"");
    check_error("AND b", 1, "\"AND\"");
    check_error("(a b", 5, "a closing bracket");
    check_error("a OR b)", 7, "no open bracket");
    check_error("a ) b", 3, "no open bracket");
    check_error("a ()", 4, "a term in the brackets");
    check_error(&"(".repeat(100_000), 51, "50 deep");
}

#[test]
fn columns_are_counted_in_characters() {
    let Query::And(parts) = parse_fields("é (mark:x)").unwrap() else { panic!("no AND") };
    let Query::Term(term) = &parts[1] else { panic!("no term") };
    assert_eq!((term.column, term.field.as_ref().unwrap().value_column), (4, 9));
}

/// The test and weight of a single term.
fn meant(line: &str) -> (TextTest, f32) {
    match parse_fields(line).unwrap() {
        Query::Term(term) => (term.test, term.boost),
        other => panic!("{line}: {other:?}"),
    }
}

#[track_caller]
fn check_test(line: &str, expected: TextTest) {
    assert_eq!(meant(line), (expected, 1.0), "{line}");
}

fn plain(text: &str) -> TextTest {
    TextTest::Word(text.to_owned())
}

fn phrase(text: &str, slop: u32) -> TextTest {
    TextTest::Phrase { text: text.to_owned(), slop }
}

fn pattern(text: &str) -> TextTest {
    TextTest::Pattern(text.to_owned())
}

fn near(left: TextTest, right: TextTest, within: u32) -> TextTest {
    TextTest::Near { left: Box::new(left), right: Box::new(right), within }
}

#[test]
fn a_text_shows_how_it_is_meant() {
    check_test("casa", plain("casa"));
    check_test("*", TextTest::Any);
    check_test("=casa", TextTest::Exact("casa".to_owned()));
    check_test("=4", plain("=4"));
    check_test("~casa", TextTest::Fuzzy("casa".to_owned()));
    check_test("~maria/fotos", plain("~maria/fotos"));
    check_test("\"casa\"", phrase("casa", 0));
    check_test("\"a casa\"~3", phrase("a casa", 3));
    check_test("\"a casa\"x", phrase("a casax", 0));
    check_test("cas*", pattern("cas*"));
    check_test("c*sa", pattern("c*sa"));
    check_test("c?sa", pattern("c?sa"));
    check_test("é\u{301}t*", pattern("é\u{301}t*"));
    check_test("porquê?", plain("porquê?"));
    check_test("?id=4", plain("?id=4"));
    check_test("ex-ministro", plain("ex-ministro"));
    for url in
        ["http://a.pt", "https://a.pt/x?y=1#z", "ftp://a.pt/", "a.pt/", "www.a.pt", "a.pt:8080/x", "a.pt/wiki/A_(b)"]
    {
        check_test(url, TextTest::Url(url.to_owned()));
    }
    for text in ["a.pt", "/a.pt/x", "3.14/2", "e.g.", "a/b.pt", "://x", "dns:a.pt", "a..pt/"] {
        check_test(text, plain(text));
    }
    check_test("porto NEAR ria", near(plain("porto"), plain("ria"), 10));
    check_test("\"o porto\"~1 NEAR/3 ri*", near(phrase("o porto", 1), pattern("ri*"), 3));
    check_test("title:porto NEAR/0 =ria", near(plain("porto"), TextTest::Exact("ria".to_owned()), 0));
}

#[test]
fn values_of_fields_with_text_are_read_as_text() {
    for field in TEXT_FIELDS {
        check_test(&format!("{field}:cas*"), pattern("cas*"));
        check_test(&format!("{field}:\"uma casa\"~2"), phrase("uma casa", 2));
        check_test(&format!("{field}:*"), TextTest::Any);
        check_test(&format!("{field}=cas*"), plain("cas*"));
    }
    check_test("Title:~casa", TextTest::Fuzzy("casa".to_owned()));
    check_test("host:*.pt", pattern("*.pt"));
    check_test("host:\"*.pt\"", phrase("*.pt", 0));
    for line in ["mime:pd*", "re:^a*", "digest:~abc", "lang:p?t", "size:3^2", "rule:a^2"] {
        let value = line.split_once(':').unwrap().1;
        check_test(line, plain(value));
    }
    check_test("score:*", TextTest::Any);
}

#[test]
fn boosts_multiply() {
    assert_eq!(meant("casa^2"), (plain("casa"), 2.0));
    assert_eq!(meant("\"a b\"~2^0.5"), (phrase("a b", 2), 0.5));
    assert_eq!(meant("title:cas*^3"), (pattern("cas*"), 3.0));
    assert_eq!(meant("(casa^2)^3"), (plain("casa"), 6.0));
    assert_eq!(meant("(a NEAR b)^2"), (near(plain("a"), plain("b"), 10), 2.0));
    check_test("a.pt/x?y^2", TextTest::Url("a.pt/x?y^2".to_owned()));
    check_test("\"casa^2\"", phrase("casa^2", 0));
    let Query::Or(parts) = parse_fields("(a b)^2 OR c").unwrap() else { panic!("no OR") };
    let mut boosts = Vec::new();
    parts.iter().for_each(|part| part.for_each_term(&mut |term| boosts.push(term.boost)));
    assert_eq!(boosts, [2.0, 2.0, 1.0]);
}

#[test]
fn values_with_an_order_are_compared() {
    let sides = |line: &str| -> String {
        let Query::Term(FieldTerm { field: Some(field), .. }) = parse_fields(line).unwrap() else { panic!("{line}") };
        let sides = field.comparisons().unwrap();
        sides.iter().map(|side| format!("{}{}", side.sign.as_str(), side.value)).collect::<Vec<_>>().join(" ")
    };
    for (line, expected) in [
        ("size:3", "=3"),
        ("size=3", "=3"),
        ("size:<1m", "<1m"),
        ("size:>=1.5k", ">=1.5k"),
        ("size<1m", "<1m"),
        ("inlinks.ext:3..", ">=3"),
        ("score:0.4..0.6", ">=0.4 <=0.6"),
        ("date:..2024-05", "<=2024-05"),
        ("date:..", ""),
        ("date:2024-03..2024-05", ">=2024-03 <=2024-05"),
        ("anchor:>>", "=>>"),
        ("title:<b>", "=<b>"),
    ] {
        assert_eq!(sides(line), expected, "{line}");
    }
    for (text, expected) in [
        ("3", Some((3.0, 3.0))),
        ("-1.5", Some((-1.5, -1.5))),
        ("1k", Some((1e3, 1e3))),
        ("1.5M", Some((1.5e6, 1.5e6))),
        ("2g", Some((2e9, 2e9))),
        ("4xx", Some((400.0, 499.0))),
        ("0xx", None),
        ("nan", None),
        ("infm", None),
        ("m", None),
        ("", None),
        ("é", None),
        ("1e400", None),
    ] {
        assert_eq!(number_range(text), expected, "{text}");
    }
}

#[test]
fn errors_show_how_it_is_written() {
    check_error("a *asa", 3, "host:*.pt");
    check_error("*.pdf", 1, "re:\\.pdf$");
    check_error("a title:*b", 9, "letters before *");
    check_error("c*", 1, "at least two letters");
    check_error("東*都", 1, "東 NEAR/3 都");
    check_error("東?都", 1, "at the end only");
    check_error("a host:*t", 8, "at least two letters");
    check_error("x anti-corrup*", 3, "write anti corrup*");
    check_error("~ab", 1, "at least three letters");
    check_error("NEAR b", 1, "\"NEAR\"");
    check_error("a NEAR", 7, "behind NEAR");
    check_error("a NEAR (b OR c)", 8, "behind NEAR");
    check_error("(a OR b) NEAR c", 10, "both sides of NEAR");
    check_error("a NEAR/x b", 3, "NEAR/5");
    check_error("a NEAR/101 b", 3, "0 to 100");
    check_error("a NEAR b NEAR c", 10, "a NEAR b AND b NEAR c");
    check_error("host:a NEAR b", 8, "title:porto NEAR/5 ria");
    check_error("a NEAR b:c", 8, "behind NEAR");
    check_error("a \"b c\"~x", 8, "\"ria formosa\"~3");
    check_error("casa^x", 1, "casa^2");
    check_error("(a b)^x", 6, "casa^2");
    check_error("x \"a b", 7, "to the one of column 3");
}

/// A query without the columns, which differ between spellings.
fn without_columns(mut query: Query<FieldTerm>) -> Query<FieldTerm> {
    query.for_each_term_mut(&mut |term| {
        term.column = 0;
        term.text.clear();
        if let Some(field) = &mut term.field {
            field.value_column = 0;
        }
    });
    query
}

#[test]
fn brackets_without_their_other_one_mean_the_same_within_a_group() {
    for (line, written) in [
        ("casa(", "casa()"),
        ("casa(b", "casa(b)"),
        ("b)a", "b()a"),
        (")a", "\")a\""),
        ("http://a.pt/x(", "http://a.pt/x%28"),
        ("http://a.pt/x(1)", "http://a.pt/x(1)"),
    ] {
        let query = parse_fields(line).unwrap();
        assert_eq!(write_query(&query), written, "{line}");
        let in_group = parse_fields(&format!("({written}) y")).unwrap();
        assert_eq!(write_query(&in_group), format!("{written} y"), "{line}");
    }
}

#[test]
fn trees_that_cannot_be_written_mean_the_same() {
    let term = |test| {
        Query::Term(FieldTerm { column: 0, text: String::new(), is_quoted: false, field: None, test, boost: 1.0 })
    };
    assert_eq!(write_query(&Query::And(vec![])), "");
    assert_eq!(write_query(&Query::Or(vec![Query::And(vec![]), Query::Or(vec![])])), "* OR -*");
    assert_eq!(write_query(&Query::And(vec![term(plain("OR"))])), "\"OR\"");
    assert_eq!(write_query(&term(plain("a b"))), "\"a b\"");
}

/// One term of a query as somebody may write it.
fn some_term() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé]{1,6}",
        "[=~]?[a-z0-9.*?^/-]{1,8}",
        "\"[a-z \"\"()*:]{0,8}\"(~[0-9])?(\\^[0-9])?",
        "(title|url|text|host|size|date|mime)(:|=|<|:>=)[a-z0-9.*?]{0,6}",
        "(title:|text:)?(\"a b\"|[a-z]{2,4}|[a-z]{2}\\*) NEAR(/[0-9])? (=?[a-z]{2,3}|\"x y\"~1)",
        ".{1,5}",
    ]
}

fn some_query() -> impl Strategy<Value = String> {
    some_term().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.join(" ")),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.join(" OR ")),
            inner.clone().prop_map(|part| format!("({part})")),
            inner.clone().prop_map(|part| format!("({part})^1.5")),
            inner.clone().prop_map(|part| format!("-({part})")),
            inner.prop_map(|part| format!("NOT {part}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_value_comes_back(value in "[a-zé ()\":<>=\\\\-]{1,12}|.{1,6}") {
        let Query::Or(parts) = parse_fields(&format!("(x OR -host={})", quoted_value(&value))).unwrap() else {
            panic!("no OR");
        };
        prop_assert_eq!(shape(&parts[1]), format!("not[host=<{value}>]"));
    }

    #[test]
    fn what_is_written_reads_back_as_the_same_tree(line in some_query()) {
        if let Ok(query) = parse_fields(&line) {
            let written = write_query(&query);
            let back = parse_fields(&written);
            prop_assert!(back.is_ok(), "{line} was written {written}: {back:?}");
            prop_assert_eq!(without_columns(back.unwrap()), without_columns(query), "{} was written {}", line, written);
        }
    }
}
