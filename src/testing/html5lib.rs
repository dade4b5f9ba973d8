//! Test cases in the format of html5lib.

/// A case of a `.dat` file.
pub(crate) struct DatCase(Vec<(Vec<u8>, Vec<u8>)>);

impl DatCase {
    /// The lines under `#name`, without the last line end.
    pub(crate) fn part(&self, name: &[u8]) -> &[u8] {
        self.0.iter().find(|(part, _)| part == name).map(|(_, lines)| lines.as_slice()).unwrap_or_default()
    }
}

/// The cases of a `.dat` file of html5lib.
pub(crate) fn dat_cases(bytes: &[u8]) -> Vec<DatCase> {
    let mut cases = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line == b"#data\n" {
            cases.push(DatCase(Vec::new()));
        }
        let Some(DatCase(parts)) = cases.last_mut() else { continue };
        let is_name = line.strip_prefix(b"#").is_some_and(|name| {
            [
                b"data\n".as_slice(),
                b"errors\n",
                b"document\n",
                b"encoding\n",
                b"document-fragment\n",
                b"script-off\n",
                b"script-on\n",
            ]
            .contains(&name)
        });
        if is_name {
            parts.push((line.get(1..line.len() - 1).unwrap_or_default().to_vec(), Vec::new()));
        } else if let Some((_, lines)) = parts.last_mut() {
            lines.extend_from_slice(line);
        }
    }
    for DatCase(parts) in &mut cases {
        for (_, lines) in parts {
            if lines.ends_with(b"\n") {
                lines.pop();
            }
        }
    }
    cases
}
