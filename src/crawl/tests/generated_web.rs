//! A web made of a seed: hosts with sections of pages by subject, some of them about one topic.
//!
//! It has what orders of a crawl are tried on: clusters of relevant pages on few hosts, hubs that
//! link to them, tunnels of one to three pages that say nothing, a farm whose links all have the
//! right words and lead to nothing, and a calendar without end. Uses nothing but std, so that
//! benchmarks can have it as well.

/// Words that the request has; the last one is on a third of all pages.
pub const REQUEST: [&str; 6] = ["estaleiro", "casco", "doca", "carpintaria", "calafate", "porto"];
/// Words of other subjects.
const OTHER: [&str; 24] = [
    "mercado",
    "escola",
    "festa",
    "musica",
    "receita",
    "jardim",
    "teatro",
    "futebol",
    "estrada",
    "ponte",
    "livro",
    "igreja",
    "museu",
    "comboio",
    "hospital",
    "camara",
    "junta",
    "biblioteca",
    "cinema",
    "pintura",
    "praia",
    "serra",
    "vinho",
    "pao",
];
/// Hosts of the web: all but the last two are honest.
pub const HOSTS: usize = 20;
/// The farm.
pub const FARM: usize = HOSTS - 2;
/// The calendar without end.
pub const TRAP: usize = HOSTS - 1;
/// Sections of an honest host.
const SECTIONS: usize = 10;

/// A page of the web.
pub struct WebPage {
    /// Its host, by number.
    pub host: usize,
    /// Its path.
    pub path: String,
    /// Its main text.
    pub text: String,
    /// Pages that it links to, with the text of each link.
    pub links: Vec<(usize, String)>,
    /// It is what the request is about.
    pub is_relevant: bool,
}

/// The web, front pages of its hosts first.
pub struct GeneratedWeb {
    pub pages: Vec<WebPage>,
}

/// Numbers without order, the same for one seed (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    fn pick<'w>(&mut self, from: &[&'w str]) -> &'w str {
        from[self.below(from.len())]
    }
}

/// A section of a host.
struct Section {
    subject: usize,
    is_relevant: bool,
    /// Its index page and the pages of it.
    pages: Vec<usize>,
}

impl GeneratedWeb {
    /// Makes a web of about so many pages.
    pub fn new(seed: u64, size: usize) -> Self {
        let mut chance = Chance(seed.wrapping_mul(0xA24B_AED4_963E_E407) ^ 0x5DEE_CE66);
        let mut web = Self { pages: Vec::new() };
        for host in 0..HOSTS {
            web.page(host, "/".to_owned(), false, &mut chance);
        }
        // Three or four hosts have most of what is relevant, each in one or two of its sections.
        let per_section = (size * 85 / 100 / (HOSTS - 2) / SECTIONS).max(4);
        let mut sections: Vec<Vec<Section>> = Vec::new();
        for host in 0..HOSTS - 2 {
            let good = if host % 4 == 1 { 1 + chance.below(2) } else { 0 };
            let first_good = chance.below(SECTIONS - 1);
            let of_host = (0..SECTIONS).map(|number| {
                let is_relevant = (first_good..first_good + good).contains(&number);
                let subject = chance.below(OTHER.len());
                let name = if is_relevant && chance.percent(50) { REQUEST[chance.below(5)] } else { OTHER[subject] };
                let pages = (0..per_section).map(|page| {
                    // A lone page about the topic may be anywhere.
                    let is_about = page > 0 && if is_relevant { chance.percent(70) } else { chance.percent(1) };
                    let path = match page {
                        0 => format!("/{name}-{number}/"),
                        page if is_about && chance.percent(25) => {
                            format!("/{name}-{number}/{}-{page}.html", REQUEST[chance.below(5)])
                        }
                        page => format!("/{name}-{number}/{page}.html"),
                    };
                    web.page(host, path, is_about, &mut chance)
                });
                let pages = pages.collect();
                Section { subject, is_relevant, pages }
            });
            sections.push(of_host.collect());
        }
        web.link_hosts(&sections, &mut chance);
        web.add_tunnels(&sections, &mut chance);
        web.add_farm(size / 10, &mut chance);
        web.add_calendar(size / 20);
        web
    }

    /// Pages that are relevant.
    pub fn relevant(&self) -> usize {
        self.pages.iter().filter(|page| page.is_relevant).count()
    }

    /// The name of a host.
    pub fn host_name(host: usize) -> String {
        format!("h{host}.test")
    }

    fn page(&mut self, host: usize, path: String, is_relevant: bool, chance: &mut Chance) -> usize {
        let mut text = String::new();
        for _ in 0..60 + chance.below(200) {
            text.push_str(chance.pick(&OTHER));
            text.push(' ');
        }
        if chance.percent(33) {
            text.push_str("porto ");
        }
        // Most of what is relevant says so in words of the request; some other pages use them by the way.
        let terms = match is_relevant {
            true if chance.percent(75) => 2 + chance.below(8),
            true => 0,
            false => usize::from(chance.percent(4)),
        };
        for _ in 0..terms {
            text.push_str(REQUEST[chance.below(5)]);
            text.push(' ');
        }
        self.pages.push(WebPage { host, path, text, links: Vec::new(), is_relevant });
        self.pages.len() - 1
    }

    fn link(&mut self, from: usize, to: usize, anchor: String) {
        if from != to {
            self.pages[from].links.push((to, anchor));
        }
    }

    /// The text of a link to a page.
    fn anchor(&self, to: usize, subject: usize, chance: &mut Chance) -> String {
        match self.pages[to].is_relevant {
            _ if chance.percent(20) => "ler mais".to_owned(),
            true if chance.percent(40) => format!("{} {}", REQUEST[chance.below(5)], OTHER[subject]),
            false if chance.percent(2) => format!("{} {}", OTHER[subject], REQUEST[chance.below(6)]),
            _ => format!("{} {}", OTHER[subject], chance.pick(&OTHER)),
        }
    }

    fn link_hosts(&mut self, sections: &[Vec<Section>], chance: &mut Chance) {
        let all: Vec<&Section> = sections.iter().flatten().collect();
        for (host, of_host) in sections.iter().enumerate() {
            for section in of_host {
                let index = section.pages[0];
                let subject = section.subject;
                let anchor = self.anchor(index, subject, chance);
                self.link(host, index, anchor);
                for (at, page) in section.pages.iter().copied().enumerate().skip(1) {
                    // An index has its first pages; the others follow from page to page.
                    if at <= 12 {
                        let anchor = self.anchor(page, subject, chance);
                        self.link(index, page, anchor);
                    }
                    self.link(page, host, "inicio".to_owned());
                    for step in [1, 2, 7, 12] {
                        if let Some(next) = section.pages.get(at + step).copied() {
                            let anchor = self.anchor(next, subject, chance);
                            self.link(page, next, anchor);
                        }
                    }
                    for other in of_host {
                        self.link(page, other.pages[0], OTHER[other.subject].to_owned());
                    }
                    let other = &of_host[chance.below(of_host.len())];
                    let to = other.pages[chance.below(other.pages.len())];
                    let anchor = self.anchor(to, other.subject, chance);
                    self.link(page, to, anchor);
                    // What is about the topic cites its like elsewhere, and others cite anything.
                    if chance.percent(10) {
                        let likes: Vec<&&Section> = all.iter().filter(|other| other.is_relevant).collect();
                        let other = if self.pages[page].is_relevant {
                            likes[chance.below(likes.len())]
                        } else {
                            all[chance.below(all.len())]
                        };
                        let to = other.pages[chance.below(other.pages.len())];
                        let anchor = self.anchor(to, other.subject, chance);
                        self.link(page, to, anchor);
                    }
                }
            }
        }
        for from in 0..HOSTS {
            for to in [from + 1, from + 7] {
                self.link(from, to % HOSTS, "parceiros".to_owned());
            }
        }
    }

    /// Ways of one to three pages that say nothing to pages that are relevant.
    fn add_tunnels(&mut self, sections: &[Vec<Section>], chance: &mut Chance) {
        let count = (self.pages.len() / 500).max(4);
        for number in 0..count {
            let host = chance.below(HOSTS - 2);
            let section = &sections[host][chance.below(SECTIONS)];
            let mut from = section.pages[chance.below(section.pages.len())];
            for step in 0..1 + number % 3 {
                let page = self.page(host, format!("/t{number}/{step}"), false, chance);
                self.link(from, page, "continuar".to_owned());
                from = page;
            }
            for end in 0..3 {
                let page = self.page(host, format!("/t{number}/fim{end}"), true, chance);
                self.link(from, page, "ver".to_owned());
            }
        }
    }

    /// A host whose front page links to its pages with words of the request, which say nothing.
    fn add_farm(&mut self, size: usize, chance: &mut Chance) {
        for number in 0..size {
            let page = self.page(FARM, format!("/p{number}"), false, chance);
            self.link(FARM, page, "estaleiro doca casco".to_owned());
            self.link(page, FARM, "estaleiro doca casco".to_owned());
        }
    }

    /// A host with a page for each day, which leads to the next.
    fn add_calendar(&mut self, size: usize) {
        let mut from = TRAP;
        for number in 0..size {
            let text = "sem eventos neste dia ".repeat(10);
            let path = format!("/calendario?dia={number}");
            self.pages.push(WebPage { host: TRAP, path, text, links: Vec::new(), is_relevant: false });
            let page = self.pages.len() - 1;
            self.link(from, page, "dia seguinte".to_owned());
            self.link(page, TRAP, "calendario".to_owned());
            from = page;
        }
    }
}
