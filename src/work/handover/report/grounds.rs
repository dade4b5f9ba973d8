//! On what grounds captures were collected, and what persons decided.

use super::page::{Block, ReportCell, text_row};
use super::rules::prefix_as_address;
use super::{ReportFacts, Reporter};
use crate::analysis::Judgement;
use crate::analysis::sampling::SampleFigures;
use crate::campaign::{Criterion, Permission, ReportLanguage};
use crate::work::find::judgements::evaluations_by_judge;
use crate::work::handover::Ground;
use crate::work::handover::decision_counts::DecisionCounts;
use crate::work::models::{CaptureId, ReviewMark};
use std::collections::BTreeMap;

impl Reporter<'_> {
    /// The number of captures on each basis; those with a record together, or left to a table.
    pub(super) fn bases(&self, is_summary: bool) -> anyhow::Result<String> {
        let (language, facts) = (self.language, self.facts);
        let of_law = &facts.campaign.grounds;
        if facts.campaign.permissions.is_empty() && of_law.domains.is_empty() && of_law.countries.is_empty() {
            return Ok(language.no_basis_recorded());
        }
        let counts = self.counts_by_ground()?;
        let count = |ground| counts.get(&ground).copied().unwrap_or_default();
        let mut parts = Vec::new();
        if !facts.campaign.permissions.is_empty() {
            let by_record: u64 = (0..facts.campaign.permissions.len()).map(|at| count(Ground::Record(at))).sum();
            let captures = language.captures(by_record);
            parts.push(match is_summary {
                true => language.count_by_permission(&captures),
                false => language.count_by_records(&captures),
            });
        }
        let countries: Vec<String> = of_law.countries.iter().map(|code| language.name_of(code)).collect();
        for (ground, criterion, of) in
            [(Ground::Domain, Criterion::Domain, &of_law.domains), (Ground::Hosting, Criterion::Hosting, &countries)]
        {
            if !of.is_empty() {
                let basis = format!("{} ({})", language.criterion_of(criterion), of.join(", "));
                parts.push(language.count_by_basis(&language.captures(count(ground)), &basis));
            }
        }
        parts.push(language.count_without_basis(&language.captures(count(Ground::None))));
        Ok(parts.join("; "))
    }

    fn counts_by_ground(&self) -> anyhow::Result<BTreeMap<Ground, u64>> {
        let left_out: Vec<CaptureId> =
            self.written.left_out.iter().filter_map(|at| self.facts.captures.get(*at)).copied().collect();
        self.facts.grounds.counts(&left_out)
    }

    /// On what grounds captures were collected, and what proves that.
    pub(super) fn permissions(&self, out: &mut Vec<Block>) -> anyhow::Result<()> {
        let ReportFacts { campaign, evidence, .. } = self.facts;
        let (language, of_law) = (self.language, &campaign.grounds);
        self.heading(out, ReportLanguage::permissions);
        if campaign.permissions.is_empty() && of_law.domains.is_empty() && of_law.countries.is_empty() {
            out.push(Block::Text(language.no_basis_recorded()));
            return Ok(());
        }
        let counts = self.counts_by_ground()?;
        let row = |(at, record): (usize, &Permission)| {
            let count = counts.get(&Ground::Record(at)).copied().unwrap_or_default();
            let covers = match record.covers.contains('(') {
                true => prefix_as_address(&record.covers),
                false => record.covers.clone(),
            };
            text_row([
                (at + 1).to_string(),
                covers,
                language.permission_state(record.state),
                language.criterion_of(record.criterion),
                record.licence.clone(),
                record.evidence.clone(),
                language.day(&record.date),
                language.number(count),
            ])
        };
        if !campaign.permissions.is_empty() {
            let head: [fn(ReportLanguage) -> String; 8] = [
                ReportLanguage::record,
                ReportLanguage::covers,
                ReportLanguage::state,
                ReportLanguage::criterion,
                ReportLanguage::licence,
                ReportLanguage::evidence,
                ReportLanguage::date_head,
                ReportLanguage::captures_head,
            ];
            self.table(out, &head, &[0, 7], campaign.permissions.iter().enumerate().map(row).collect());
        }
        out.push(Block::Text(language.captures_rest_on(&self.bases(false)?)));
        let files = campaign.permissions.iter().enumerate().flat_map(|(at, record)| {
            evidence.of_record(record).into_iter().map(move |file| {
                let path = file.path.map_or_else(|| ReportCell::Lack(language.file_not_here()), ReportCell::Text);
                vec![(at + 1).to_string().into(), file.name.into(), path, file.sha256.into()]
            })
        });
        let rows: Vec<Vec<ReportCell>> = files.collect();
        if !rows.is_empty() {
            out.push(Block::Text(language.files_prove_them()));
            let head: [fn(ReportLanguage) -> String; 4] =
                [ReportLanguage::record, ReportLanguage::file, ReportLanguage::path_in_folder, |_| {
                    "SHA-256".to_owned()
                }];
            self.table(out, &head, &[0], rows);
        } else if !campaign.permissions.is_empty() {
            out.push(Block::Text(language.no_files_prove_them()));
        }
        Ok(())
    }

    /// Standing decisions: who gave them; and what was decided, why, and where that came from.
    pub(super) fn decisions(&self, out: &mut Vec<Block>, counts: &DecisionCounts) {
        if counts.by_reason.is_empty() {
            return;
        }
        let language = self.language;
        self.heading(out, ReportLanguage::decisions);
        if !counts.by_person.is_empty() {
            let rows = counts.by_person.iter().map(|(who, of)| {
                let [approved, rejected, flagged] =
                    [of.approved, of.rejected, of.flagged].map(|captures| language.number(captures));
                text_row([who.clone(), approved, rejected, flagged, language.date(of.first), language.date(of.last)])
            });
            let head: [fn(ReportLanguage) -> String; 6] = [
                ReportLanguage::person,
                ReportLanguage::approved,
                ReportLanguage::rejected,
                ReportLanguage::flagged,
                ReportLanguage::first_day,
                ReportLanguage::last_day,
            ];
            self.table(out, &head, &[1, 2, 3], rows.collect());
            out.push(Block::Text(language.decisions_by_reason()));
        }
        let name = |mark| match mark {
            ReviewMark::Approve => language.approved(),
            ReviewMark::Reject => language.rejected(),
            ReviewMark::Later => language.after_new_crawl(),
            ReviewMark::Flag | ReviewMark::Clear | ReviewMark::Note => language.flagged(),
        };
        let rows = counts.by_reason.iter().map(|((mark, reason, origin), count)| {
            let (captures, others) = (language.number(count.here + count.not_here), language.number(count.others));
            text_row([name(*mark), reason.clone(), origin.clone().unwrap_or_default(), captures, others])
        });
        let head: [fn(ReportLanguage) -> String; 5] = [
            ReportLanguage::decision,
            ReportLanguage::reason,
            ReportLanguage::origin_head,
            ReportLanguage::captures_head,
            ReportLanguage::other_targets,
        ];
        self.table(out, &head, &[3, 4], rows.collect());
        out.push(Block::Text(language.decisions_full_list()));
    }

    /// Results of searches as persons judged them.
    pub(super) fn judgements(&self, out: &mut Vec<Block>) -> anyhow::Result<()> {
        let language = self.language;
        let figures = evaluations_by_judge(self.workspace.catalogue(), self.facts.id)?;
        if figures.is_empty() {
            return Ok(());
        }
        self.heading(out, ReportLanguage::searches);
        out.push(Block::Text(language.searches_explained()));
        let rows = figures.into_iter().map(|(query, judge, of)| {
            let share = of.first(10).and_then(|at| at.precision).map_or_else(String::new, |share| share.to_string());
            let share = if language == ReportLanguage::En { share } else { share.replace('.', ",") };
            let judge = judge.unwrap_or_else(|| language.judges_together(of.judges.len() as u64));
            let counts = Judgement::ALL.map(|judgement| language.number(of.counts.of(judgement)));
            text_row([query, judge].into_iter().chain(counts).chain([share]))
        });
        let head: [fn(ReportLanguage) -> String; 6] = [
            ReportLanguage::query,
            ReportLanguage::assessed_by,
            ReportLanguage::right,
            ReportLanguage::wrong,
            ReportLanguage::unsure,
            ReportLanguage::right_of_ten,
        ];
        self.table(out, &head, &[2, 3, 4, 5], rows.collect());
        Ok(())
    }

    /// Samples of what was to review, with the share of faulty pages that each tells.
    pub(super) fn samples(&self, out: &mut Vec<Block>) -> anyhow::Result<()> {
        let language = self.language;
        let samples = self.workspace.catalogue().samples(Some(self.facts.id))?;
        if samples.is_empty() {
            return Ok(());
        }
        self.heading(out, ReportLanguage::samples);
        out.push(Block::Text(language.samples_explained()));
        let share_of = |of: &SampleFigures| {
            // By hosts, the share of all pages is no share of those that were judged.
            let share = match &of.stratified {
                Some(by_host) => format!("{:.2} ± {:.2}", by_host.value, by_host.margin),
                None => of.share.map_or_else(String::new, |share| share.to_string()),
            };
            if language == ReportLanguage::En { share } else { share.replace('.', ",") }
        };
        let rows = samples.iter().rev().map(|of| {
            let numbers = [of.population, of.size, of.figures.judged].map(|number| language.number(number));
            let shares = [&of.figures, &of.content, &of.technical].map(share_of);
            text_row([of.name.clone(), of.who.clone(), language.date(of.date)].into_iter().chain(numbers).chain(shares))
        });
        let head: [fn(ReportLanguage) -> String; 9] = [
            ReportLanguage::sample,
            ReportLanguage::drawn_by,
            ReportLanguage::drawn_on,
            ReportLanguage::drawn_from,
            ReportLanguage::pages_head,
            ReportLanguage::judged,
            ReportLanguage::faulty,
            ReportLanguage::faulty_in_content,
            ReportLanguage::faulty_technically,
        ];
        self.table(out, &head, &[3, 4, 5], rows.collect());
        Ok(())
    }
}
