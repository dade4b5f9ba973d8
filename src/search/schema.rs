//! The schema lists the fields of the index.

use super::tokens::{STEMS, StemTokenizer, TERMS, TermTokenizer};
use tantivy::Index;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;

/// The fields of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// Number of the content version.
    pub version: Field,
    /// Title.
    pub title: Field,
    /// Main text.
    pub text: Field,
    /// The text around the main text: menus, footers, the description.
    pub rest: Field,
    /// Stems of the title, each behind its language.
    pub title_stems: Field,
    /// Stems of the main text.
    pub stems: Field,
    /// Texts of links from other sites.
    pub anchors: Field,
    /// Their stamp by [`super::anchor_stamp`].
    pub anchor_stamp: Field,
    /// Words of the URL.
    pub url: Field,
    /// The slot of its page in the file of pages.
    pub page: Field,
    /// Its date of publication, in seconds.
    pub published: Field,
    /// How many times its title counts when hits are ranked.
    pub title_weight: Field,
    /// Words of the main text.
    pub words: Field,
    /// Words of the description, which come before those of `rest`.
    pub description_words: Field,
    /// Whether its record could be read; otherwise it has URL and title alone.
    pub is_read: Field,
    /// Names of the kinds of site that it is of.
    pub site_kind: Field,
}

impl Fields {
    /// The fields that a term of a query searches; none where the index has no such field. Without a
    /// name, all of them.
    pub fn searched(&self, name: Option<&str>) -> Vec<SearchedField> {
        let body = |field, stems| SearchedField { field, stems: Some(stems), weight: 1.0, is_body: true };
        let (title, main) = (body(self.title, self.title_stems), body(self.text, self.stems));
        let plain = |field, weight| SearchedField { field, stems: None, weight, is_body: false };
        let (rest, anchors, url) = (plain(self.rest, 0.02), plain(self.anchors, 2.0), plain(self.url, 1.5));
        match name {
            None => vec![title, main, rest, anchors, url],
            Some("text") => vec![title, main, rest],
            Some("main") => vec![main],
            Some("rest") => vec![rest],
            Some("anchors") => vec![anchors],
            Some(_) => Vec::new(),
        }
    }
}

/// A field that a term is looked for in.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchedField {
    /// Its words.
    pub field: Field,
    /// Their stems, where it has some.
    pub stems: Option<Field>,
    /// The weight of a word in it when hits are ranked.
    pub weight: f32,
    /// It is a part of what the page says: hits in all such parts are those of one text.
    pub is_body: bool,
}

/// The schema with its fields.
pub(super) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = |tokenizer| {
        TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(IndexRecordOption::WithFreqsAndPositions)
    };
    let indexed = || TextOptions::default().set_indexing_options(indexing(TERMS));
    let stems = TextOptions::default().set_indexing_options(
        // Positions: `a NEAR b` finds every form of both.
        indexing(STEMS),
    );
    let fields = Fields {
        version: builder.add_u64_field("version", FAST | INDEXED),
        title: builder.add_text_field("title", indexed()),
        text: builder.add_text_field("text", indexed()),
        rest: builder.add_text_field("rest", indexed()),
        title_stems: builder.add_text_field("title_stems", stems.clone()),
        stems: builder.add_text_field("stems", stems),
        anchors: builder.add_text_field("anchors", indexed().set_stored()),
        anchor_stamp: builder.add_u64_field("anchor_stamp", FAST),
        url: builder.add_text_field("url", indexed()),
        page: builder.add_u64_field("page", FAST),
        published: builder.add_i64_field("published", FAST),
        title_weight: builder.add_u64_field("title_weight", FAST),
        words: builder.add_u64_field("words", FAST),
        description_words: builder.add_u64_field("description_words", FAST),
        is_read: builder.add_bool_field("is_read", FAST),
        site_kind: builder.add_text_field("site_kind", STRING),
    };
    (builder.build(), fields)
}

/// Tells an index what its words are.
pub(super) fn register(index: &Index) {
    let tokenizers = index.tokenizers();
    tokenizers.register(TERMS, TextAnalyzer::builder(TermTokenizer::default()).build());
    tokenizers.register(STEMS, TextAnalyzer::builder(StemTokenizer::default()).build());
}
