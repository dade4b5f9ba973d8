//! The report lists what is not in an export, and why.

use super::page::{Block, text_row};
use super::{Absent, Reporter};
use crate::campaign::ReportLanguage;
use crate::store::LeftOutCapture;

impl Reporter<'_> {
    /// Adds what is not in the export, and why.
    pub(super) fn left_out(&self, out: &mut Vec<Block>, absent: &Absent) -> anyhow::Result<()> {
        let language = self.language;
        if absent.left_out.all > 0 {
            self.heading(out, ReportLanguage::what_was_left_out);
            let (shown, all) = (absent.left_out.first.len() as u64, absent.left_out.all);
            out.push(Block::Text(match shown < all {
                true => language.left_out_first(&language.number(shown), &language.captures(all)),
                false => language.left_out_all(),
            }));
            let row = |capture: &LeftOutCapture| {
                text_row([capture.url.clone(), language.moment(capture.date), self.why_left_out(capture)])
            };
            let head: [fn(ReportLanguage) -> String; 3] =
                [|language| language.address(), ReportLanguage::captured, ReportLanguage::reason];
            self.table(out, &head, &[], absent.left_out.first.iter().map(row).collect());
            let command = format!("fonds captures WORKSPACE --campaign {} \"NOT export:yes\"", self.facts.id);
            out.push(Block::Text(language.left_out_full_list(&command)));
        }
        let refused = self.workspace.catalogue().refused_by_rule(self.facts.id)?;
        if !refused.is_empty() {
            self.heading(out, ReportLanguage::crawl_refused);
            let rows = refused
                .iter()
                .map(|(rule, urls)| text_row([language.rule_name(rule), language.number(*urls)]))
                .collect();
            self.table(out, &[ReportLanguage::rule, |_| "URL".to_owned()], &[1], rows);
            if self.facts.with_seen {
                out.push(Block::Text(language.seen_full_list()));
            }
        }
        let lacking = self.facts.lacking.borrow();
        if !lacking.is_empty() {
            self.heading(out, ReportLanguage::what_pages_lack);
            let rows = lacking.iter().map(|lacking| {
                text_row([lacking.page.clone(), lacking.url.clone(), lacking.who.clone(), lacking.reason.clone()])
            });
            let head: [fn(ReportLanguage) -> String; 4] = [
                ReportLanguage::page_head,
                ReportLanguage::lacks,
                ReportLanguage::rejected_by_head,
                ReportLanguage::reason,
            ];
            self.table(out, &head, &[], rows.collect());
        }
        let (missing, first) = &absent.missing;
        if *missing > 0 {
            self.heading(out, ReportLanguage::what_is_missing);
            out.push(Block::Text(language.missing_urls(*missing)));
            let rows = first.iter().map(|(url, pages)| text_row([url.clone(), language.number(*pages)])).collect();
            self.table(out, &[|language| language.address(), ReportLanguage::captures_that_need], &[1], rows);
        }
        Ok(())
    }

    fn why_left_out(&self, capture: &LeftOutCapture) -> String {
        let (language, spec) = (self.language, &self.facts.spec);
        match capture.score {
            _ if capture.is_rejected && capture.reason.trim().is_empty() => {
                language.rejected_without_reason(&capture.who)
            }
            _ if capture.is_rejected => language.rejected_by(&capture.who, &capture.reason),
            None => language.not_scored(),
            Some(score) if spec.filter.trim().is_empty() => {
                let score = (score * 1000.0).floor() / 1000.0;
                language.score_below(&language.decimal(score), &language.decimal(spec.threshold))
            }
            Some(_) => language.filter_not_met(),
        }
    }
}
