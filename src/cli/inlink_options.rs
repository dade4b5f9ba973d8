//! The rules of the data set as words of the command line.

use crate::links::invert::{AssignOptions, Dedup, Keep, Shape, ShuffleOptions, Uncaptured};
use crate::links::{DatasetOptions, LinkKind, MATCH_WINDOW_DAYS, MAX_INLINKS_PER_SIDE, Notation, ReadFrom};
use crate::uri::InternalPolicy;
use clap::ValueEnum;
use std::path::PathBuf;

/// Longest window that can be asked for, in days; `none` is longer than all.
const MAX_WINDOW_DAYS: u32 = 3650;

/// What a page's links become before they are sorted.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct MapOptions {
    /// Take all rules of a known data set; rules given beside it stay
    #[arg(long, value_enum, value_name = "NAME")]
    preset: Option<Preset>,

    /// How pages are written and told apart: (pt,fct,)/sobre or pt,fct)/sobre [default: dataset]
    #[arg(long, value_enum, value_name = "NAME")]
    notation: Option<NotationWord>,

    /// Links are internal within one host name, second-level domain or registrable domain [default: fqdn]
    #[arg(long, value_enum, value_name = "NAME")]
    internal: Option<InternalWord>,

    /// Anchors are cut after so many UTF-16 code units, as Java counts them [default: not]
    #[arg(long, value_name = "N")]
    anchor_cap: Option<usize>,

    /// Kinds of links that count, parted by commas
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',', default_value = "a")]
    kinds: Vec<KindWord>,

    /// A link without text takes the alternative text of its images
    #[arg(long)]
    image_alt: bool,

    /// Records that links are read from, parted by commas: pages; wat, what others read out of pages; metadata,
    /// what Fonds did (in the place of pages, no HTML is read); pdf, addresses of link annotations
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',', default_value = "pages,wat")]
    from: Vec<FromWord>,
}

/// What sorted links become.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct ReduceOptions {
    /// One object for each capture, those without inlinks too
    #[arg(long)]
    per_capture: bool,

    /// An inlink fits a capture when both are at most so many days apart, 0 to 3650, or none [default: 90]
    #[arg(long, value_name = "N", value_parser = window)]
    window_days: Option<u32>,

    /// When two links count as one [default: exact]
    #[arg(long, value_enum, value_name = "NAME")]
    dedup: Option<DedupWord>,

    /// Links to pages that were never captured [default: keep]
    #[arg(long, value_enum, value_name = "NAME")]
    uncaptured: Option<UncapturedWord>,

    /// Inlinks kept on each side, internal and external [default: 1000]
    #[arg(long, value_name = "N")]
    cap: Option<usize>,

    /// Times end before seconds that are zero (2024-03-01T09:00), as Java writes them
    #[arg(long)]
    java_times: bool,

    #[command(flatten)]
    sort: SortOptions,
}

/// How rows are sorted.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct SortOptions {
    /// Memory for sorting, in MiB
    #[arg(long, value_name = "N", default_value_t = 512)]
    memory_mib: usize,

    /// Folder for sorted runs while the memory does not suffice
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,

    /// Threads; results do not depend on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

impl SortOptions {
    pub(super) fn shuffle(&self, keep: Option<Keep>) -> ShuffleOptions {
        ShuffleOptions {
            memory_bytes: self.memory_mib.saturating_mul(1024 * 1024),
            temp_folder: self.temp.clone(),
            threads: self.threads.map_or(ShuffleOptions::default().threads, usize::from),
            keep,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// As the code of 2024 behind the published inlink files of Arquivo.pt:
    /// --notation dataset --internal sldn --dedup source-target --uncaptured drop
    /// --window-days none --cap 1000 --anchor-cap 100 --java-times. Different
    /// on purpose: links are read as browsers do, also on pages without text;
    /// captureDate is the first capture, not whichever came last; of equal
    /// pairs the earliest stays, then the least anchor; over the cap the first
    /// by date stay, not the first to arrive; inlinks are in order; anchors
    /// are not cut within a character.
    #[value(name = "arquivo-2024")]
    Arquivo2024,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum NotationWord {
    Dataset,
    Cdx,
}

impl NotationWord {
    pub(super) fn notation(self) -> Notation {
        match self {
            Self::Dataset => Notation::Dataset,
            Self::Cdx => Notation::Cdx,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum InternalWord {
    Fqdn,
    Sldn,
    Registrable,
}

impl InternalWord {
    pub(super) fn policy(self) -> InternalPolicy {
        match self {
            Self::Fqdn => InternalPolicy::Fqdn,
            Self::Sldn => InternalPolicy::Sldn,
            Self::Registrable => InternalPolicy::Registrable,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FromWord {
    Pages,
    Wat,
    Metadata,
    Pdf,
}

fn read_from(words: &[FromWord]) -> ReadFrom {
    if words.is_empty() {
        return ReadFrom::default();
    }
    let has = |word| words.contains(&word);
    ReadFrom {
        pages: has(FromWord::Pages),
        wat: has(FromWord::Wat),
        metadata: has(FromWord::Metadata),
        pdf: has(FromWord::Pdf),
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DedupWord {
    Exact,
    SourceTarget,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UncapturedWord {
    Keep,
    Drop,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindWord {
    A,
    Area,
    Frame,
    MetaRefresh,
    Stylesheet,
    Link,
    Image,
    Script,
    Media,
    Form,
    Css,
}

impl KindWord {
    fn kind(self) -> LinkKind {
        match self {
            Self::A => LinkKind::Anchor,
            Self::Area => LinkKind::Area,
            Self::Frame => LinkKind::Frame,
            Self::MetaRefresh => LinkKind::MetaRefresh,
            Self::Stylesheet => LinkKind::Stylesheet,
            Self::Link => LinkKind::LinkElement,
            Self::Image => LinkKind::Image,
            Self::Script => LinkKind::Script,
            Self::Media => LinkKind::Media,
            Self::Form => LinkKind::Form,
            Self::Css => LinkKind::Css,
        }
    }
}

fn window(word: &str) -> Result<u32, String> {
    if word == "none" {
        return Ok(u32::MAX);
    }
    let days = word.parse::<u32>().ok().filter(|&days| days <= MAX_WINDOW_DAYS);
    days.ok_or_else(|| format!("0 to {MAX_WINDOW_DAYS} days, or none"))
}

/// All rules; those that one of the halves does not know stay as usual.
pub(super) fn dataset_options(map: &MapOptions, reduce: &ReduceOptions, keep: Option<Keep>) -> DatasetOptions {
    let arquivo = map.preset == Some(Preset::Arquivo2024);
    DatasetOptions {
        notation: map.notation.map(NotationWord::notation).unwrap_or_default(),
        internal: match map.internal {
            Some(word) => word.policy(),
            None if arquivo => InternalPolicy::Sldn,
            None => InternalPolicy::Fqdn,
        },
        kinds: match map.kinds.as_slice() {
            [] => vec![LinkKind::Anchor],
            words => words.iter().map(|word| word.kind()).collect(),
        },
        anchor_cap: map.anchor_cap.or(arquivo.then_some(100)),
        java_times: reduce.java_times || arquivo,
        assign: AssignOptions {
            window_days: reduce.window_days.unwrap_or(if arquivo { u32::MAX } else { MATCH_WINDOW_DAYS }),
            cap: reduce.cap.unwrap_or(MAX_INLINKS_PER_SIDE),
            dedup: match reduce.dedup {
                Some(DedupWord::Exact) => Dedup::Exact,
                Some(DedupWord::SourceTarget) => Dedup::SourceTarget,
                None if arquivo => Dedup::SourceTarget,
                None => Dedup::Exact,
            },
            uncaptured: match reduce.uncaptured {
                Some(UncapturedWord::Keep) => Uncaptured::Keep,
                Some(UncapturedWord::Drop) => Uncaptured::Drop,
                None if arquivo => Uncaptured::Drop,
                None => Uncaptured::Keep,
            },
            shape: if reduce.per_capture { Shape::PerCapture } else { Shape::PerPage },
        },
        shuffle: reduce.sort.shuffle(keep),
        image_alt: map.image_alt,
        from: read_from(&map.from),
    }
}
