//! The rules of the data set as options of the command line.

use crate::captures::ReadFrom;
use crate::inlinks::invert::{AssignOptions, Dedup, ResumeDir, Shape, ShuffleOptions, Uncaptured};
use crate::inlinks::{DatasetOptions, MATCH_WINDOW_DAYS, MAX_INLINKS_PER_SIDE, Notation};
use crate::jobs::without_path;
use crate::links::LinkKind;
use crate::uri::InternalPolicy;
use clap::ValueEnum;
use std::path::PathBuf;

/// Longest window of a command, in days; `none` is longer than all.
const MAX_WINDOW_DAYS: u32 = 3650;

/// The differences of the preset from the program that it is named after; for the help.
pub(in crate::cli) const ARQUIVO_2024: &str = "\
--preset arquivo-2024 differs from the program that wrote the published files (its code of October 2024):
 Pages
  - a page is a response of status 200 to 299 whose header says text/html or application/xhtml+xml, or whose bytes
    do where it has no type, or a resource record of these; theirs has any status below 300 and some 35 types, recognized
    by content: a link to a PDF file is dropped here, and not there
  - addresses that end in .css, .js or .gif are recognized by their type; theirs passes them over
  - pages without text (frame sets, pages of images) give their links; theirs leaves them out
  - a redirect is no capture; there it is one of both its addresses
  - each capture is a source of its own; there captures of equal content are one document of up to 1001 addresses,
    whose links come from its first one, and are internal if they are for any
  - a revisit is a capture of what it repeats; what theirs makes of it is not known to us
 Links
  - encoding, mark-up, <base> and relative addresses are read as browsers do
  - only http and https are links; theirs leaves out #…, mailto: and javascript:, these in lower case only
  - an anchor is not cut within a character; there half of one may be left
 Keys
  - www. is dropped in any case, and ww2. and ww3. stay; theirs drops www., ww2. and ww3. in lower case only
  - a port is dropped where it is the scheme's own; theirs drops 80 and keeps 443, (pt,fccn,:443)/, whatever the scheme
  - user:password@ is dropped; theirs keeps the name, or takes it for a scheme: user://(pt,fccn,@nullpass)/
  - hosts without a dot keep their port, (localhost,:8080)/x; addresses of IPv6 have brackets, ([::1])/x;
    theirs writes localhost://(null8080,)/x and [::1]/x
  - characters are escaped in addresses as browsers do
 Which links stay
  - captureDate is the first capture; there the one that came last, redirects too
  - of equal pairs the earliest stays, then the one of the least anchor; there the first to arrive
  - over the cap the first by date, source and anchor stay; there the first to arrive
  - lines are in the order of their keys, inlinks by date, source and anchor; there in none";

/// Options for the links of pages before they are sorted.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct MapOptions {
    #[command(flatten)]
    rules: RuleOptions,

    #[command(flatten)]
    keys: KeyOptions,

    #[command(flatten)]
    read: ReadOptions,
}

impl MapOptions {
    /// The options as they are given, for messages.
    pub(in crate::cli) fn command_line(&self) -> String {
        let Self { rules, keys, read } = self;
        let mut options = vec![
            option_texts("preset", rules.preset.as_ref()),
            option_texts("internal", rules.internal.as_ref()),
            rules.anchor_cap.map(|units| format!("--anchor-cap {units}")).unwrap_or_default(),
            option_texts("anchors", rules.anchors.as_ref()),
            option_texts("notation", keys.notation.as_ref()),
            option_texts("kinds", &read.kinds),
            option_texts("from", &read.from),
        ];
        options.extend(read.image_alt.then(|| "--image-alt".to_owned()));
        options.retain(|option| !option.is_empty());
        options.join(" ")
    }
}

/// An option as it is given, with its values parted by commas; nothing where it is not given.
pub(in crate::cli) fn option_texts<'w, W: ValueEnum + 'w>(
    name: &str,
    values: impl IntoIterator<Item = &'w W>,
) -> String {
    let values: Vec<_> = values.into_iter().filter_map(ValueEnum::to_possible_value).collect();
    let values: Vec<_> = values.iter().map(|value| value.get_name()).collect();
    if values.is_empty() { String::new() } else { format!("--{name} {}", values.join(",")) }
}

/// Rules of links, for all that make or take them.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct RuleOptions {
    /// Take all rules of a known data set; rules given beside it stay
    #[arg(long, value_enum, value_name = "NAME")]
    preset: Option<Preset>,

    /// Links are internal within one host name, second-level domain or registrable domain [default: fqdn]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(in crate::cli) internal: Option<InternalArg>,

    /// Anchors are cut after so many UTF-16 code units, as Java counts them [default: not]
    #[arg(long, value_name = "N")]
    anchor_cap: Option<usize>,

    /// Anchors as the text of their elements, or as a browser displays them: blocks and lines parted by a
    /// blank [default: text]
    #[arg(long, value_enum, value_name = "NAME")]
    anchors: Option<AnchorsArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum AnchorsArg {
    Text,
    Display,
}

/// Options of the notation of keys.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct KeyOptions {
    /// How pages are written and told apart: (pt,fct,)/sobre or pt,fct)/sobre [default: dataset]
    #[arg(long, value_enum, value_name = "NAME")]
    notation: Option<NotationArg>,
}

/// Options of the links that are read from archive files.
#[derive(Debug, Clone, Default, clap::Args)]
struct ReadOptions {
    /// Kinds of links that count, parted by commas
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',', default_value = "a")]
    kinds: Vec<KindArg>,

    /// A link without text takes the alternative text of its images
    #[arg(long)]
    image_alt: bool,

    /// Records that links are read from, parted by commas: pages; wat, what others read out of pages; metadata,
    /// what Fonds did (in the place of pages, no HTML is read); pdf, addresses of link annotations;
    /// pdf-text, these and the addresses that are printed as text
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',', default_value = "pages,wat")]
    from: Vec<SourceArg>,
}

/// Options of [`ReadOptions`] where the answer is no: they are not in the help.
#[derive(Debug, Clone, Default, clap::Args)]
struct ReadBefore {
    #[arg(long, hide = true)]
    kinds: Option<String>,

    #[arg(long, hide = true)]
    image_alt: bool,

    #[arg(long, hide = true)]
    from: Option<String>,
}

/// Options for links that are sorted.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct ReduceOptions {
    #[command(flatten)]
    assign: AssignArgs,

    #[command(flatten)]
    sort: SortOptions,
}

/// Options of the assignment of links to captures, and of objects.
#[derive(Debug, Clone, Default, clap::Args)]
struct AssignArgs {
    /// One object for each capture, those without inlinks too; pages that were never captured have none
    #[arg(long)]
    per_capture: bool,

    /// An inlink fits a capture when both are at most so many days apart, 0 to 3650, or none [default: 90]
    #[arg(long, value_name = "N", value_parser = window)]
    window_days: Option<u32>,

    /// When two links count as one [default: exact]
    #[arg(long, value_enum, value_name = "NAME")]
    dedup: Option<DedupArg>,

    /// Links to pages that were never captured [default: keep]
    #[arg(long, value_enum, value_name = "NAME")]
    uncaptured: Option<UncapturedArg>,

    /// Inlinks kept on each side, internal and external [default: 1000]
    #[arg(long, value_name = "N")]
    cap: Option<usize>,

    /// Times end before seconds that are zero (2024-03-01T09:00), as Java writes them
    #[arg(long)]
    java_times: bool,
}

/// Options of a data set made from the links that a workspace has stored.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct StoredOptions {
    #[command(flatten)]
    rules: RuleOptions,

    #[command(flatten)]
    keys: KeyOptions,

    #[command(flatten)]
    assign: AssignArgs,

    #[command(flatten)]
    read: ReadBefore,
}

impl StoredOptions {
    /// The rules, as [`dataset_options`] makes them; without an option of its
    /// own, the window is that of the workspace.
    ///
    /// # Errors
    ///
    /// Options that only archive files can answer.
    pub(in crate::cli) fn dataset_options(&self, window_days: u32) -> anyhow::Result<DatasetOptions> {
        let ReadBefore { kinds, image_alt, from } = &self.read;
        let given = [(kinds.is_some(), "--kinds"), (*image_alt, "--image-alt"), (from.is_some(), "--from")];
        if let Some((_, option)) = given.into_iter().find(|(given, _)| *given) {
            anyhow::bail!(
                "{option} cannot be answered from a workspace: its inlinks are made of <a href> of its pages; \
                 of the archive files below its folder output run: fonds inlinks dataset {option} …"
            );
        }
        let mut assign = self.assign.clone();
        if self.rules.preset.is_none() {
            assign.window_days.get_or_insert(window_days);
        }
        options(&self.rules, &self.keys, &ReadOptions::default(), &assign, ShuffleOptions::default())
    }
}

/// Options of sorting: memory, folder for runs, threads.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct SortOptions {
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
    /// # Errors
    ///
    /// A folder for sorted runs where none can be made: it may be minutes until the first one is.
    pub(in crate::cli) fn shuffle(&self, keep: Option<ResumeDir>) -> anyhow::Result<ShuffleOptions> {
        if let Some(folder) = &self.temp {
            tempfile::tempfile_in(folder).map_err(|error| {
                let (folder, error) = (folder.display(), without_path(error));
                anyhow::anyhow!("--temp {folder}: {error}. Name a folder that is there and can be written to")
            })?;
        }
        Ok(ShuffleOptions {
            memory_bytes: self.memory_mib.saturating_mul(1024 * 1024),
            temp_folder: self.temp.clone(),
            threads: self.threads.map_or(ShuffleOptions::default().threads, usize::from),
            keep,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// As the code of 2024 behind the published inlink files of Arquivo.pt:
    /// --notation dataset --internal sldn --dedup source-target --uncaptured drop
    /// --window-days none --cap 1000 --anchor-cap 100 --java-times. What is
    /// different on purpose is at the end of fonds inlinks dataset --help.
    #[value(name = "arquivo-2024")]
    Arquivo2024,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum NotationArg {
    Dataset,
    Cdx,
}

impl NotationArg {
    pub(in crate::cli) fn notation(self) -> Notation {
        match self {
            Self::Dataset => Notation::Dataset,
            Self::Cdx => Notation::Cdx,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum InternalArg {
    Fqdn,
    Sldn,
    Registrable,
}

impl InternalArg {
    pub(in crate::cli) fn policy(self) -> InternalPolicy {
        match self {
            Self::Fqdn => InternalPolicy::Fqdn,
            Self::Sldn => InternalPolicy::Sldn,
            Self::Registrable => InternalPolicy::Registrable,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SourceArg {
    Pages,
    Wat,
    Metadata,
    Pdf,
    PdfText,
}

fn read_from(sources: &[SourceArg]) -> ReadFrom {
    if sources.is_empty() {
        return ReadFrom::default();
    }
    let has = |source| sources.contains(&source);
    ReadFrom {
        pages: has(SourceArg::Pages),
        wat: has(SourceArg::Wat),
        metadata: has(SourceArg::Metadata),
        pdf: has(SourceArg::Pdf),
        pdf_text: has(SourceArg::PdfText),
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DedupArg {
    Exact,
    SourceTarget,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UncapturedArg {
    Keep,
    Drop,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindArg {
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

impl KindArg {
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

/// Days of a window: a number, or `none` for links of all times.
pub(in crate::cli) fn window(text: &str) -> Result<u32, String> {
    if text == "none" {
        return Ok(u32::MAX);
    }
    let days = text.parse::<u32>().ok().filter(|&days| days <= MAX_WINDOW_DAYS);
    days.ok_or_else(|| format!("0 to {MAX_WINDOW_DAYS} days, or none"))
}

/// The options of a data set; those that one of the halves does not have are the defaults.
///
/// # Errors
///
/// Options that do not go together, and as [`SortOptions::shuffle`].
pub(in crate::cli) fn dataset_options(
    map: &MapOptions,
    reduce: &ReduceOptions,
    keep: Option<ResumeDir>,
) -> anyhow::Result<DatasetOptions> {
    options(&map.rules, &map.keys, &map.read, &reduce.assign, reduce.sort.shuffle(keep)?)
}

/// The rules of the second half alone.
///
/// # Errors
///
/// As [`dataset_options`].
pub(in crate::cli) fn reduce_options(rules: &RuleOptions, reduce: &ReduceOptions) -> anyhow::Result<DatasetOptions> {
    options(rules, &KeyOptions::default(), &ReadOptions::default(), &reduce.assign, reduce.sort.shuffle(None)?)
}

fn options(
    rules: &RuleOptions,
    keys: &KeyOptions,
    read: &ReadOptions,
    assign: &AssignArgs,
    shuffle: ShuffleOptions,
) -> anyhow::Result<DatasetOptions> {
    anyhow::ensure!(
        !assign.per_capture || !matches!(assign.uncaptured, Some(UncapturedArg::Keep)),
        "--uncaptured keep does not go with --per-capture: pages that were never captured have no object there. Leave \
         one of both out"
    );
    let arquivo = rules.preset == Some(Preset::Arquivo2024);
    Ok(DatasetOptions {
        notation: keys.notation.map(NotationArg::notation).unwrap_or_default(),
        internal: match rules.internal {
            Some(arg) => arg.policy(),
            None if arquivo => InternalPolicy::Sldn,
            None => InternalPolicy::Fqdn,
        },
        kinds: match read.kinds.as_slice() {
            [] => vec![LinkKind::Anchor],
            kinds => kinds.iter().map(|kind| kind.kind()).collect(),
        },
        anchor_cap: rules.anchor_cap.or(arquivo.then_some(100)),
        java_times: assign.java_times || arquivo,
        assign: AssignOptions {
            window_days: assign.window_days.unwrap_or(if arquivo { u32::MAX } else { MATCH_WINDOW_DAYS }),
            cap: assign.cap.unwrap_or(MAX_INLINKS_PER_SIDE),
            dedup: match assign.dedup {
                Some(DedupArg::Exact) => Dedup::Exact,
                Some(DedupArg::SourceTarget) => Dedup::SourceTarget,
                None if arquivo => Dedup::SourceTarget,
                None => Dedup::Exact,
            },
            uncaptured: match assign.uncaptured {
                Some(UncapturedArg::Keep) => Uncaptured::Keep,
                Some(UncapturedArg::Drop) => Uncaptured::Drop,
                None if arquivo => Uncaptured::Drop,
                None => Uncaptured::Keep,
            },
            shape: if assign.per_capture { Shape::PerCapture } else { Shape::PerPage },
        },
        shuffle,
        image_alt: read.image_alt,
        anchors_as_shown: rules.anchors == Some(AnchorsArg::Display),
        from: read_from(&read.from),
    })
}
