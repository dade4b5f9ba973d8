//! A web of newspapers, made of a seed: sections, an archive by day, and stories that go on for weeks.
//!
//! A story is followed by most papers, the more the nearer a day is to its beginning. An article of it links to the
//! one before it in its paper, and now and then to that of another paper; its headline, the text of links to it, has a
//! word of the request as often as not.

use crate::generated_web::{HOSTS, WebPage};
use crate::random::Random;

/// Words of the request.
pub const REQUEST: [&str; 5] = ["cheia", "dique", "barragem", "evacuacao", "caudal"];
/// Words of everything else.
const OTHER: [&str; 20] = [
    "governo",
    "orcamento",
    "liga",
    "golo",
    "festival",
    "concerto",
    "escola",
    "greve",
    "banco",
    "juros",
    "tribunal",
    "sentenca",
    "hospital",
    "vacina",
    "turismo",
    "hotel",
    "comboio",
    "obras",
    "vinho",
    "colheita",
];
/// Sections of a paper.
const SECTIONS: usize = 6;
/// Articles that an index page lists.
const LISTED: usize = 20;
/// Days that the story goes on for.
const STORY_DAYS: usize = 40;

/// An article before it is written.
struct Article {
    page: usize,
    day: usize,
    section: usize,
    is_story: bool,
}

struct Writer {
    random: Random,
    pages: Vec<WebPage>,
}

impl Writer {
    fn percent(&mut self, share: u64) -> bool {
        self.random.below(100) < share
    }

    fn other(&mut self) -> &'static str {
        OTHER[self.random.below(OTHER.len() as u64) as usize]
    }

    fn page(&mut self, host: usize, path: String, is_relevant: bool) -> usize {
        let mut text = String::new();
        for _ in 0..80 + self.random.below(200) {
            text.push_str(self.other());
            text.push(' ');
        }
        let terms = match is_relevant {
            true if self.percent(80) => 1 + self.random.below(6),
            true => 0,
            false => u64::from(self.percent(3)),
        };
        for _ in 0..terms {
            text.push_str(REQUEST[self.random.below(REQUEST.len() as u64) as usize]);
            text.push(' ');
        }
        self.pages.push(WebPage { host, path, text, links: Vec::new(), is_relevant });
        self.pages.len() - 1
    }

    fn headline(&mut self, is_story: bool) -> String {
        let term = REQUEST[self.random.below(REQUEST.len() as u64) as usize];
        match is_story {
            true if self.percent(50) => format!("{} {term} {}", self.other(), self.other()),
            false if self.percent(1) => format!("{} {term}", self.other()),
            _ => format!("{} {} {}", self.other(), self.other(), self.other()),
        }
    }

    fn link(&mut self, from: usize, to: usize, anchor: &str) {
        if from != to {
            self.pages[from].links.push((to, anchor.to_owned()));
        }
    }
}

/// About so many pages, front pages of the papers first.
pub fn newspapers(seed: u64, size: usize) -> Vec<WebPage> {
    let mut of = Writer { random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), pages: Vec::new() };
    for host in 0..HOSTS {
        of.page(host, "/".to_owned(), false);
    }
    // A day of a paper has 8 to 12 articles and a page of the archive.
    let days = (size / HOSTS / 12).max(4);
    let begins = days / 3 + of.random.below((days / 3).max(1) as u64) as usize;
    let mut last_of_story: Vec<usize> = Vec::new();
    for host in 0..HOSTS {
        // One paper of three does not follow the story.
        let share = if host % 3 == 2 { 0 } else { 10 + of.random.below(30) };
        let mut articles: Vec<Article> = Vec::new();
        let mut archive: Vec<usize> = Vec::new();
        for day in 0..days {
            let (year, month, date) = (2023 + day / 360, day / 30 % 12 + 1, day % 30 + 1);
            let page = of.page(host, format!("/arquivo/{year}/{month:02}/{date:02}/"), false);
            archive.push(page);
            for number in 0..8 + of.random.below(5) {
                let age = day.wrapping_sub(begins);
                let left = STORY_DAYS.saturating_sub(age) as u64;
                let is_story = age < STORY_DAYS && of.percent(share * left / STORY_DAYS as u64);
                let section = if is_story { 1 } else { of.random.below(SECTIONS as u64) as usize };
                let path = format!("/{year}/{month:02}/{date:02}/{}-{number}.html", of.other());
                let page = of.page(host, path, is_story);
                articles.push(Article { page, day, section, is_story });
            }
        }
        link_paper(&mut of, host, &articles, &archive, &mut last_of_story);
    }
    for host in 0..HOSTS {
        for step in [1, 6] {
            of.link(host, (host + step) % HOSTS, "outros jornais");
        }
    }
    of.pages
}

fn link_paper(of: &mut Writer, host: usize, articles: &[Article], archive: &[usize], last_of_story: &mut Vec<usize>) {
    // Index pages of sections, newest articles first, each with the next one.
    for (section, name) in OTHER.iter().enumerate().take(SECTIONS) {
        let newest: Vec<&Article> = articles.iter().rev().filter(|article| article.section == section).collect();
        let mut before = host;
        for (number, some) in newest.chunks(LISTED).enumerate() {
            let index = of.page(host, format!("/seccao{section}/?pagina={number}"), false);
            of.link(before, index, if number == 0 { name } else { "mais antigas" });
            for article in some {
                let headline = of.headline(article.is_story);
                of.link(index, article.page, &headline);
            }
            before = index;
        }
    }
    for (day, page) in archive.iter().enumerate() {
        let (before, next) = (archive.get(day.wrapping_sub(1)), archive.get(day + 1));
        for (near, anchor) in [(before, "dia anterior"), (next, "dia seguinte")] {
            if let Some(near) = near {
                of.link(*page, *near, anchor);
            }
        }
        for article in articles.iter().filter(|article| article.day == day) {
            let headline = of.headline(article.is_story);
            of.link(*page, article.page, &headline);
            of.link(article.page, *page, "edicao do dia");
        }
    }
    if let Some(last) = archive.last() {
        of.link(host, *last, "arquivo");
    }
    let mut story: Option<usize> = None;
    for article in articles {
        of.link(article.page, host, "inicio");
        if article.is_story {
            if let Some(before) = story {
                let headline = of.headline(true);
                of.link(article.page, before, &headline);
                of.link(before, article.page, "ler tambem");
            }
            if of.percent(10) && !last_of_story.is_empty() {
                let other = last_of_story[of.random.below(last_of_story.len() as u64) as usize];
                let headline = of.headline(true);
                of.link(article.page, other, &headline);
            }
            story = Some(article.page);
            last_of_story.push(article.page);
        } else {
            let near = articles[of.random.below(articles.len() as u64) as usize].page;
            let headline = of.headline(false);
            of.link(article.page, near, &headline);
        }
    }
}
