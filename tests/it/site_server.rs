//! Folders on disk served as hosts, with content negotiation as the Apache
//! manual's source tree needs it.

use crate::archive::files_under;
use crate::need::data;
use fonds::serve::{Handler, HttpReply, HttpRequest, NamedHosts, type_by_name};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder served under a host name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Host name.
    pub host: String,
    /// Folder with its files.
    pub folder: PathBuf,
    /// Preferred language of negotiated pages (`en`, `pt-br`).
    pub language: String,
}

/// Folders on disk, answering until dropped.
pub struct SiteServer {
    hosts: NamedHosts,
}

impl SiteServer {
    /// Serves each site under its host name, each on a loopback address of its own.
    pub fn start(sites: Vec<Site>) -> Self {
        let (mut hosts, mut roots) = (Vec::new(), Vec::new());
        for (number, site) in sites.into_iter().enumerate() {
            // 127.0.64.1 and on: apart from the sample web's networks.
            let net = u8::try_from(64 + number).unwrap();
            hosts.push((site.host.clone(), Ipv4Addr::new(127, 0, net, 1)));
            roots.push(Root::of(&site));
        }
        Self { hosts: NamedHosts::start(&hosts, Arc::new(Folders { roots })).unwrap() }
    }

    /// Host, port in URLs and socket address of every host.
    pub fn resolve(&self) -> Vec<(String, u16, SocketAddr)> {
        self.hosts.resolve()
    }

    /// Requests answered so far.
    pub fn request_count(&self) -> u64 {
        self.hosts.request_count()
    }
}

struct Root {
    host: String,
    root: PathBuf,
    language: String,
}

struct Folders {
    roots: Vec<Root>,
}

impl Handler for Folders {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        match self.roots.iter().find(|root| root.host == request.host) {
            Some(root) => root.answer(request),
            None => HttpReply::plain(421, "No such host here"),
        }
    }
}

impl Root {
    fn of(site: &Site) -> Self {
        Self {
            host: site.host.to_ascii_lowercase(),
            root: site.folder.canonicalize().unwrap(),
            language: site.language.clone(),
        }
    }

    fn answer(&self, request: &HttpRequest) -> HttpReply {
        let Some(file) = self.inside(request) else { return not_found() };
        if file.is_dir() {
            if !request.path.ends_with('/') {
                return HttpReply::plain(301, "Moved").with("Location", &format!("{}/", request.path));
            }
            return self.file(&file.join("index.html"));
        }
        self.file(&file)
    }

    /// The path on disk, or none where it would leave the folder.
    fn inside(&self, request: &HttpRequest) -> Option<PathBuf> {
        let file = self.root.join(request.file_path()?);
        // A symbolic link may lead out; what does not exist yet is negotiated by its folder.
        let existing = if file.exists() { file.as_path() } else { file.parent()? };
        existing.canonicalize().ok()?.starts_with(&self.root).then_some(file)
    }

    fn file(&self, file: &Path) -> HttpReply {
        let Some((file, kind)) = self.negotiate(file) else { return not_found() };
        // The variant itself may be a symbolic link.
        if !file.canonicalize().is_ok_and(|real| real.starts_with(&self.root)) {
            return not_found();
        }
        match std::fs::read(&file) {
            Ok(body) => {
                let mut reply = HttpReply::new(200, &kind.content_type, body);
                if let Some(language) = &kind.language {
                    reply = reply.with("Content-Language", language);
                }
                reply
            }
            Err(error) => HttpReply::new(500, "text/plain; charset=utf-8", format!("{}: {error}\n", file.display())),
        }
    }

    /// The file that stands for a name: a variant in the site's language, in
    /// English, in any language; else the file itself.
    ///
    /// In such trees `x.html` itself is a list of the variants (a type map),
    /// so variants go first.
    fn negotiate(&self, file: &Path) -> Option<(PathBuf, Kind)> {
        let name = file.file_name()?.to_str()?.to_owned();
        let mut variants: Vec<(u8, String, Kind)> = Vec::new();
        for entry in file.parent()?.read_dir().ok()?.flatten() {
            let Ok(entry_name) = entry.file_name().into_string() else { continue };
            let Some(suffix) = entry_name.strip_prefix(&name).and_then(|rest| rest.strip_prefix('.')) else { continue };
            let Some(kind) = Kind::of_variant(&name, suffix) else { continue };
            let language = kind.language.as_deref().unwrap_or_default();
            let rank = match language {
                l if l == self.language => 0,
                "en" => 1,
                _ => 2,
            };
            variants.push((rank, entry_name, kind));
        }
        variants.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        if let Some((_, variant, kind)) = variants.into_iter().next() {
            return Some((file.with_file_name(variant), kind));
        }
        file.is_file().then(|| {
            let kind = Kind::of_name(&name);
            (file.to_path_buf(), kind)
        })
    }
}

/// What a file's name says about it.
#[derive(Debug, PartialEq, Eq)]
struct Kind {
    content_type: String,
    language: Option<String>,
}

impl Kind {
    /// Of `en`, `en.utf8`, `ko.euc-kr` after `x.html.`; none where the suffix names no language.
    fn of_variant(name: &str, suffix: &str) -> Option<Self> {
        let (language, charset) = suffix.split_once('.').unwrap_or((suffix, ""));
        let (main, region) = language.split_once('-').unwrap_or((language, ""));
        let letters = |s: &str| s.bytes().all(|b| b.is_ascii_lowercase());
        if main.len() != 2 || !letters(main) || !(region.is_empty() || region.len() == 2 && letters(region)) {
            return None;
        }
        let content_type = match charset {
            "" => type_by_name(name).to_owned(),
            "utf8" => format!("{}; charset=utf-8", type_by_name(name)),
            other => format!("{}; charset={other}", type_by_name(name)),
        };
        Some(Self { content_type, language: Some(language.to_owned()) })
    }

    /// Of a name as it stands on disk, a variant's own name included.
    fn of_name(name: &str) -> Self {
        for (dot, _) in name.match_indices('.') {
            let (base, suffix) = (&name[..dot], &name[dot + 1..]);
            if type_by_name(base) == "text/html"
                && let Some(kind) = Self::of_variant(base, suffix)
            {
                return kind;
            }
        }
        Self { content_type: type_by_name(name).to_owned(), language: None }
    }
}

fn not_found() -> HttpReply {
    HttpReply::new(404, "text/html; charset=utf-8", "<title>Not found</title><p>There is no such page here.</p>\n")
}

fn site(language: &str) -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("site");
    std::fs::create_dir_all(folder.join("howto")).unwrap();
    std::fs::write(dir.path().join("secret.txt"), "secret").unwrap();
    for (name, text) in [
        ("howto/index.html", "type map"),
        ("howto/index.html.en.utf8", "english"),
        ("howto/index.html.pt-br", "portugu\u{ea}s"),
        ("howto/index.html.ko.euc-kr", "korean"),
        ("plain.css", "p{}"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let root = folder.canonicalize().unwrap();
    (dir, Root { host: "m.example".into(), root, language: language.into() })
}

fn check(language: &str, path: &str, status: u16, kind: &str, body: &str) {
    let (_dir, root) = site(language);
    let reply = root.answer(&HttpRequest::get("m.example", path));
    let got = (
        reply.status,
        reply.header("Content-Type").unwrap().to_owned(),
        String::from_utf8(reply.bytes().to_vec()).unwrap(),
    );
    assert_eq!(got.0, status, "{path}: {got:?}");
    if status == 200 {
        assert_eq!((got.1.as_str(), got.2.as_str()), (kind, body), "{path}");
    }
}

#[test]
fn negotiates_by_language() {
    check("en", "/howto/", 200, "text/html; charset=utf-8", "english");
    check("ko", "/howto/index.html", 200, "text/html; charset=euc-kr", "korean");
    check("pt-br", "/howto/index.html", 200, "text/html", "português");
    check("fr", "/howto/index.html", 200, "text/html; charset=utf-8", "english");
    check("en", "/howto/index.html.ko.euc-kr", 200, "text/html; charset=euc-kr", "korean");
    check("en", "/plain.css", 200, "text/css; charset=utf-8", "p{}");
    check("en", "/howto", 301, "", "");
    check("en", "/none.html", 404, "", "");
}

#[test]
fn stays_inside_its_folder() {
    for path in
        ["/../secret.txt", "/%2e%2e/secret.txt", "/howto/../../secret.txt", "/..%2fsecret.txt", "/..%5csecret.txt"]
    {
        check("en", path, 404, "", "");
    }
}

#[test]
fn serves_every_page_of_a_real_manual_in_the_requested_language() {
    let Some(folder) = data("sites/httpd-manual-part") else { return };
    let files = files_under(&folder);
    let mut checked = 0;
    for language in ["en", "fr", "ko", "pt-br"] {
        let root =
            Root { host: "manual.example".into(), root: folder.canonicalize().unwrap(), language: language.into() };
        for page in files.iter().filter(|file| file.extension().is_some_and(|e| e == "html")) {
            let path = format!("/{}", page.strip_prefix(&folder).unwrap().to_str().unwrap());
            let reply = root.answer(&HttpRequest::get("manual.example", &path));
            assert_eq!(reply.status, 200, "{path}");
            let has = files.iter().any(|f| f.to_str().unwrap().starts_with(&format!("{}.{language}", page.display())));
            assert_eq!(reply.header("Content-Language"), Some(if has { language } else { "en" }), "{path}");
            assert!(
                reply.bytes().starts_with(b"<?xml") || reply.bytes().starts_with(b"<!DOCTYPE"),
                "{path}: a type map"
            );
            checked += 1;
        }
    }
    println!("{checked} pages");
    assert_eq!(checked, 4 * 27);
}

#[test]
fn serves_folders_under_their_host_names() {
    use std::io::{Read, Write};
    let Some(folder) = data("sites/heritrix-selftest") else { return };
    let files = files_under(&folder);
    let site = |host: &str| Site { host: host.into(), folder: folder.clone(), language: "en".into() };
    let server = SiteServer::start(vec![site("a.example"), site("b.example")]);
    let resolve = server.resolve();
    assert_ne!(resolve[0].2, resolve[1].2);
    for (host, _, socket) in resolve {
        for file in &files {
            let path = file.strip_prefix(&folder).unwrap().to_str().unwrap().replace(' ', "%20");
            let mut stream = std::net::TcpStream::connect(socket).unwrap();
            write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
            let mut got = Vec::new();
            stream.read_to_end(&mut got).unwrap();
            assert!(got.starts_with(b"HTTP/1.1 200 "), "{path}: {}", String::from_utf8_lossy(&got));
            assert!(got.ends_with(&std::fs::read(file).unwrap()), "{path}");
        }
    }
    assert_eq!(server.request_count(), 2 * files.len() as u64);
}
