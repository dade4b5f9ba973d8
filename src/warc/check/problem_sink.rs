//! Passes problems on as they are found and keeps only their counts.

use super::super::record::ProblemCap;
use super::super::{Problem, ProblemKind};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Problems of a file that are listed; further ones are counted.
const MAX_PROBLEMS: usize = 100_000;

/// Receiver of the problems of one file.
pub(in crate::warc::check) struct ProblemSink<'t> {
    on_problem: &'t mut dyn FnMut(Problem) -> ControlFlow<()>,
    cap: ProblemCap,
    found: BTreeMap<ProblemKind, u64>,
    flow: ControlFlow<()>,
}

impl<'t> ProblemSink<'t> {
    pub(in crate::warc::check) fn new(on_problem: &'t mut dyn FnMut(Problem) -> ControlFlow<()>) -> Self {
        Self { on_problem, cap: ProblemCap::new(MAX_PROBLEMS), found: BTreeMap::new(), flow: ControlFlow::Continue(()) }
    }

    pub(in crate::warc::check) fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        for problem in problems {
            *self.found.entry(problem.kind).or_default() += problem.count;
            if self.flow.is_continue()
                && let Some(problem) = self.cap.admit(problem)
            {
                self.flow = (self.on_problem)(problem);
            }
        }
    }

    /// `Break` once the receiver takes no more problems.
    pub(in crate::warc::check) fn flow(&self) -> ControlFlow<()> {
        self.flow
    }

    /// Reports the counts of those not listed; returns the counts of all by kind.
    pub(in crate::warc::check) fn finish(self, read_to: u64) -> BTreeMap<ProblemKind, u64> {
        if self.flow.is_continue() {
            let _ = self.cap.rest(read_to).try_for_each(self.on_problem);
        }
        self.found
    }
}
