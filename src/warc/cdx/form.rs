//! Forms in which an index is written.

use super::IndexLine;
use super::classic::Columns;

/// A form of index files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexForm {
    /// CDXJ as cdxj-indexer writes it and pywb reads it.
    #[default]
    Cdxj,
    /// CDXJ that OutbackCDX takes: only fields that it knows (it refuses a
    /// whole upload for one that it does not), numbers in quotes, the digest
    /// without its algorithm.
    OutbackCdx,
    /// Classic CDX of 9 columns: no lengths.
    Cdx9,
    /// Classic CDX of 11 columns.
    Cdx11,
}

/// Fields beyond those of every line that OutbackCDX knows.
const OUTBACK_FIELDS: [&str; 5] = ["redirect", "robotflags", "originalLength", "originalOffset", "originalFilename"];

impl IndexForm {
    /// The header line, where the form has one.
    pub fn header(self) -> Option<String> {
        self.columns().map(|columns| columns.header())
    }

    /// A line in this form.
    pub fn line(self, line: &IndexLine) -> String {
        match (self, self.columns()) {
            (_, Some(columns)) => columns.line(line),
            (Self::OutbackCdx, _) => {
                let mut known = line.clone();
                known.digest = line.digest.as_deref().and_then(|digest| digest.rsplit(':').next()).map(str::to_owned);
                known.more.retain(|name, value| OUTBACK_FIELDS.contains(&name.as_str()) && value.is_string());
                known.to_string()
            }
            _ => line.to_string(),
        }
    }

    fn columns(self) -> Option<Columns> {
        match self {
            Self::Cdxj | Self::OutbackCdx => None,
            Self::Cdx9 => Some(Columns::nine()),
            Self::Cdx11 => Some(Columns::eleven()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::write_sorted;
    use super::*;

    #[test]
    fn each_form_has_its_header_and_order() {
        let line = |key: &str, more: &str| {
            let text = format!(
                r#"{key} 20240301090000 {{"url": "http://a.pt/", "digest": "sha1:ABC", "length": "4", "offset": "3", "filename": "x"{more}}}"#
            );
            IndexLine::parse(&text).unwrap()
        };
        let lines = [
            line("pt,b)/", ""),
            line("pt,a)/", r#", "redirect": "http://b.pt/", "recordDigest": "sha256:00", "method": "POST""#),
        ];
        let check = |form: IndexForm, expected: &str| {
            let mut out = Vec::new();
            write_sorted(&lines, form, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        };
        check(
            IndexForm::Cdx11,
            " CDX N b a m s k r M S V g\n\
             pt,a)/ 20240301090000 http://a.pt/ - - ABC http://b.pt/ - 4 3 x\n\
             pt,b)/ 20240301090000 http://a.pt/ - - ABC - - 4 3 x\n",
        );
        check(
            IndexForm::Cdx9,
            " CDX N b a m s k r V g\n\
             pt,a)/ 20240301090000 http://a.pt/ - - ABC http://b.pt/ 3 x\n\
             pt,b)/ 20240301090000 http://a.pt/ - - ABC - 3 x\n",
        );
        check(
            IndexForm::OutbackCdx,
            "pt,a)/ 20240301090000 {\"url\": \"http://a.pt/\", \"digest\": \"ABC\", \"length\": \"4\", \"offset\": \"3\", \"filename\": \"x\", \"redirect\": \"http://b.pt/\"}\n\
             pt,b)/ 20240301090000 {\"url\": \"http://a.pt/\", \"digest\": \"ABC\", \"length\": \"4\", \"offset\": \"3\", \"filename\": \"x\"}\n",
        );
        check(IndexForm::Cdxj, &format!("{}\n{}\n", lines[1], lines[0]));
    }
}
