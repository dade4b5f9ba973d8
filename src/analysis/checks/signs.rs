//! The signs that checks read: of a content version by itself, of a capture among others, of a launch.
//!
//! All of them are numbers and short texts that are kept, so that other thresholds need no text again. Texts are hostile.

use crate::captures::PageEnd;
use serde::{Deserialize, Serialize};

/// Whether a value is the one of nothing, which is not written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Serializable signs without what they do not have.
macro_rules! signs {
    ($(#[$doc:meta])* $signs:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $signs {
            $($(#[$field_doc])* #[serde(skip_serializing_if = "is_default")] pub $field: $type,)*
        }
    };
}

signs! {
    /// Signs of a content version by itself.
    PageSigns {
        /// Its record was read.
        is_read: bool,
        /// It is read as a page of HTML.
        is_page: bool,
        /// Words of its main text.
        words: u64,
        /// Words of all of its text.
        all_words: u64,
        /// Letters of its main text, and characters of all of it.
        letters: u64,
        /// Characters of all of its text.
        chars: u64,
        /// Its title, shortened.
        title: String,
        /// Its first heading, shortened.
        heading: String,
        /// Phrases that it has in places where they count.
        phrases: Vec<FoundPhrase>,
        /// The medium of its first bytes; empty where they show none.
        sniffed: String,
        /// Bytes of the body in the record.
        body_bytes: u64,
        /// The length that its head declares; none without, or where the body is coded.
        declared_bytes: Option<u64>,
        /// Why the crawler cut it.
        truncated: String,
        /// The end of its bytes, of forms that have an end.
        end: Option<PageEnd>,
        /// First byte, last byte and length of the whole, where the head declares a part (`Content-Range`).
        range: Option<[u64; 3]>,
        /// Problems of its body: an end that is missing, among others.
        problems: Vec<String>,
        /// The head says that a guard answered (`cf-mitigated: challenge`).
        is_challenge: bool,
        /// The charset that it declares, and the one that its text was read in.
        charsets: Option<[String; 2]>,
        /// Letters in the place of bytes of no letter.
        replaced: u64,
        /// The same in title and heading.
        replaced_above: u64,
        /// Pairs of letters that come of UTF-8 in the wrong charset.
        pairs: u64,
        /// A line with such pairs, and that line read again as UTF-8; empty where it is not valid so, or has as many then.
        repaired: Option<[String; 2]>,
        /// Language of its main text (ISO 639-1).
        language: String,
        /// The confidence of that, in percent.
        language_percent: u64,
        /// Names of services in its bytes, each as `kind name`.
        markers: Vec<String>,
        /// It says that it needs scripts.
        needs_scripts: bool,
        /// It declares for machines that it is not to be read for free.
        is_not_free: bool,
        /// Forms.
        forms: u32,
        /// Fields for passwords.
        password_fields: u32,
        /// Frames.
        frames: u32,
        /// Sound and moving images.
        media: u32,
        /// Links of it to files of sound and moving images.
        media_links: u32,
        /// Scripts of a file or in the page.
        scripts: u32,
        /// Scripts that are modules.
        modules: u32,
        /// Elements into which scripts draw a page.
        script_roots: u32,
        /// Images, and those with a declared side of 200 pixels or more.
        images: u32,
        /// Images with a declared side of 200 pixels or more.
        large_images: u32,
        /// The address that it gives as its own, where that is another one.
        own_url: String,
        /// The target of its refresh.
        refresh_to: String,
        /// Links to pages: all, to other sites, with parameters that track, and sites that they lead to.
        links: [u32; 4],
        /// What it loads to be shown, those without a weight last.
        requisites: Vec<Requisite>,
    }
}

/// A phrase of a list, where it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundPhrase {
    /// What it speaks of.
    pub kind: super::PhraseKind,
    /// Where: `title`, `heading`, `text`.
    pub place: String,
    /// The phrase, folded.
    pub phrase: String,
}

/// The kind of a requisite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RequisiteKind {
    /// A style sheet.
    Style,
    /// A script.
    Script,
    /// An image.
    #[default]
    Image,
    /// A page in a frame.
    Frame,
    /// Sound or moving images.
    Media,
    /// A part of media that a playlist names.
    Segment,
    /// What is loaded and not seen by itself: icons, manifests, preloads, what a redirect leads to.
    Other,
}

impl RequisiteKind {
    /// Its name in data.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Style => "style",
            Self::Script => "script",
            Self::Image => "image",
            Self::Frame => "frame",
            Self::Media => "media",
            Self::Segment => "segment",
            Self::Other => "other",
        }
    }
}

signs! {
    /// A resource that a page cannot be shown without.
    Requisite {
        /// Its kind.
        kind: RequisiteKind,
        /// Its URL, and others of which one is enough (`srcset`).
        urls: Vec<String>,
        /// What the page loses without it, in tenths; 0 for what is not seen.
        weight: u64,
    }
}

signs! {
    /// A requisite that is not there as it should be.
    LackingRequisite {
        /// Its kind.
        kind: RequisiteKind,
        /// Its URL.
        url: String,
        /// Its weight in tenths.
        weight: u64,
        /// Why, for people.
        why: String,
        /// The rule that refused it; empty where none did.
        rule: String,
        /// Days that its nearest capture is off, where there is one.
        days: Option<u64>,
    }
}

signs! {
    /// The resources of a page, as they were captured.
    RequisiteSigns {
        /// Sum of weights in tenths.
        weight: u64,
        /// Those that are missing.
        missing: Vec<LackingRequisite>,
        /// Those of another time.
        far: Vec<LackingRequisite>,
        /// Hosts of scripts that no capture is of.
        unknown_script_hosts: Vec<String>,
        /// Segments that a playlist names, and those of them that are here.
        segments: Option<[u64; 2]>,
        /// The launch took no resource of any page: nothing can be said of one.
        is_without_resources: bool,
    }
}

signs! {
    /// A redirect.
    RedirectSigns {
        /// Its target.
        to: String,
        /// It leads to another registrable domain.
        is_other_site: bool,
        /// It leads to a front page.
        is_to_front: bool,
        /// URLs of this host, of other paths, that lead to that target.
        sources: u64,
        /// Some of these.
        other_sources: Vec<String>,
        /// Redirects of this host to that domain which keep their path: it is another name of it.
        renamed: u64,
        /// It leads to a page for signing in, with a way back.
        is_to_login: bool,
        /// It leads to a host that asks for consent.
        is_to_consent: bool,
    }
}

signs! {
    /// Texts that are nearly the same on one host.
    RepeatSigns {
        /// URLs of other paths with a text alike by 0.9 or more.
        near: u64,
        /// The same by 0.95 or more.
        same: u64,
        /// Of those, the ones with the same title, too.
        same_title: u64,
        /// One of them.
        example: String,
        /// The host gave this text, or one alike by 0.95, with status 404 or 410.
        is_of_error: bool,
    }
}

signs! {
    /// The pages of a host with addresses of one form.
    HostSigns {
        /// Pages of the host that were captured well.
        pages: u64,
        /// Those of the form.
        of_form: u64,
        /// Median of their words of main text.
        median_words: u64,
        /// Pages of the host with as few words, in percent.
        short_percent: u64,
        /// Answers 429 and 503 of the host in the same minute.
        burst: u64,
    }
}

signs! {
    /// An earlier capture of the page.
    EarlierSigns {
        /// Its number.
        capture: i64,
        /// When, as ISO 8601.
        date: String,
        /// Words of its main text.
        words: u64,
        /// Cosine of the terms of both, from 0 to 1.
        cosine: f64,
        /// It is in another language.
        is_other_language: bool,
    }
}

signs! {
    /// The page in time.
    HistorySigns {
        /// Other captures of it that answered 2xx.
        answered: u64,
        /// When the last of these was.
        last_answer: String,
        /// The first good capture before this one.
        first: Option<EarlierSigns>,
        /// The last good capture before this one.
        last: Option<EarlierSigns>,
        /// Median words of up to five good captures before, and of bytes.
        median_words: u64,
        /// Median bytes of these.
        median_bytes: u64,
        /// Median cosine of good captures that follow each other, where there are three or more.
        usual_cosine: Option<f64>,
    }
}

signs! {
    /// The words of links from other hosts.
    AnchorSigns {
        /// Hosts that link here.
        hosts: u64,
        /// Their anchors as they are written, some of them, shortened.
        texts: Vec<String>,
        /// Their words that describe, some of them.
        anchor_words: Vec<String>,
        /// The page has none of them.
        shares_nothing: bool,
        /// An earlier capture of the page had one of them; none where there is no earlier one.
        was_true_before: Option<bool>,
    }
}

signs! {
    /// Signs of a capture among others.
    ContextSigns {
        /// Its URL.
        url: String,
        /// HTTP status; 0 or less without an answer.
        status: i32,
        /// Declared type.
        mime: String,
        /// Bytes of the payload.
        size: u64,
        /// It came as a part of a page.
        is_embedded: bool,
        /// Times that it was tried.
        tries: u64,
        /// Why there is no answer.
        why: String,
        /// The redirect that it is.
        redirect: Option<RedirectSigns>,
        /// Its text elsewhere on the host.
        repeats: Option<RepeatSigns>,
        /// Its host.
        host: Option<HostSigns>,
        /// Its resources.
        requisites: Option<RequisiteSigns>,
        /// Its earlier captures.
        history: Option<HistorySigns>,
        /// Links from other hosts.
        anchors: Option<AnchorSigns>,
        /// Languages that its campaign wants; empty where it wants any.
        languages: Vec<String>,
        /// It was let in by an anchor that has a term of the request, and meets none itself.
        is_off_request: bool,
        /// Parts of the whole that captures of other ranges add.
        covered_bytes: Option<u64>,
    }
}

/// All signs of a capture.
#[derive(Debug, Clone, Copy)]
pub struct CaptureSigns<'a> {
    /// Of its content.
    pub page: &'a PageSigns,
    /// Of it among others.
    pub of: &'a ContextSigns,
}

signs! {
    /// A seed of a launch.
    SeedSigns {
        /// Its URL.
        url: String,
        /// The last status that it gave; 0 where it was never fetched.
        status: i32,
        /// Why there is no answer.
        why: String,
        /// A capture of it, or of what it leads to, answered 2xx.
        is_captured: bool,
        /// It leads to a URL that the scope refused.
        refused_target: String,
    }
}

signs! {
    /// A host of a launch.
    LaunchHost {
        /// Its name.
        host: String,
        /// URLs that were fetched or failed.
        urls: u64,
        /// Those that failed, or answered 4xx and 5xx.
        failed: u64,
        /// The same of the launch before.
        failed_before: u64,
        /// URLs of the launch before.
        urls_before: u64,
        /// No earlier launch has it.
        is_new: bool,
        /// Its robots.txt refuses all now, and did not in the launch before.
        is_newly_forbidden: bool,
    }
}

signs! {
    /// A launch of a campaign beside the ones before.
    LaunchSigns {
        /// Its seeds.
        seeds: Vec<SeedSigns>,
        /// Its hosts.
        hosts: Vec<LaunchHost>,
        /// URLs and bytes that it captured.
        urls: u64,
        /// Bytes that it captured.
        bytes: u64,
        /// Medians of the last three launches before; none where there is none.
        usual: Option<[u64; 2]>,
        /// Launches before.
        earlier: u64,
        /// URLs that the last three launches all captured, and this one did not see.
        unseen: Vec<String>,
        /// How many there are of those.
        unseen_count: u64,
    }
}
