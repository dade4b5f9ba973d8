//! PageRank of a graph.
//!
//! Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, Stanford
//! 1999. Of hosts, a vote goes in equal parts to all that a host links to: how
//! many links there are shows menus and footers rather than esteem. What
//! those have that link to nobody goes to all in equal parts, as in the
//! random surfer's model.

/// Part of its rank that a host passes on; the rest goes to all in equal parts.
pub const DAMPING: f64 = 0.85;

/// Rounds end when all ranks together change by less than this.
pub const TOLERANCE: f64 = 1e-10;

/// Rounds end here in any case. The change shrinks by [`DAMPING`] a round, so
/// [`TOLERANCE`] is reached after some 150.
pub const MAX_ROUNDS: u32 = 250;

/// Ranks of all nodes; they sum to 1. `edges` are (source, target), each once,
/// both below `nodes`; others are passed over. The same edges in the same
/// order give the same bits: one thread, sums in order. `goes_on` is called
/// before each round; `None` where it is false.
pub fn page_rank(nodes: usize, edges: &[(u32, u32)], mut goes_on: impl FnMut() -> bool) -> Option<Vec<f64>> {
    if nodes == 0 {
        return Some(Vec::new());
    }
    let known = |&&(source, target): &&(u32, u32)| (source as usize) < nodes && (target as usize) < nodes;
    let mut votes = vec![0_u32; nodes];
    for (source, _) in edges.iter().filter(known) {
        if let Some(votes) = votes.get_mut(*source as usize) {
            *votes += 1;
        }
    }
    let even = 1.0 / nodes as f64;
    let mut ranks = vec![even; nodes];
    let mut next = vec![0.0; nodes];
    for _ in 0..MAX_ROUNDS {
        if !goes_on() {
            return None;
        }
        let idle: f64 = ranks.iter().zip(&votes).filter(|(_, votes)| **votes == 0).map(|(rank, _)| rank).sum();
        next.fill((1.0 - DAMPING) * even + DAMPING * idle * even);
        for (source, target) in edges.iter().filter(known) {
            let vote = match (ranks.get(*source as usize), votes.get(*source as usize)) {
                (Some(rank), Some(votes)) => DAMPING * rank / f64::from(*votes),
                _ => 0.0,
            };
            if let Some(rank) = next.get_mut(*target as usize) {
                *rank += vote;
            }
        }
        let change: f64 = ranks.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum();
        std::mem::swap(&mut ranks, &mut next);
        if change < TOLERANCE {
            break;
        }
    }
    Some(ranks)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(nodes: usize, edges: &[(u32, u32)], expected: &[f64]) {
        let ranks = page_rank(nodes, edges, || true).unwrap();
        assert_eq!(ranks.len(), expected.len());
        for (rank, expected) in ranks.iter().zip(expected) {
            assert!((rank - expected).abs() < 1e-6, "{ranks:?}");
        }
    }

    #[test]
    fn ranks_are_those_of_the_formula() {
        check(0, &[], &[]);
        check(1, &[], &[1.0]);
        check(2, &[(0, 1), (1, 0)], &[0.5, 0.5]);
        // x = 0.15/2 + 0.85 y/2, y = x + 0.85 x, x + y = 1.
        check(2, &[(0, 1)], &[1.0 / 2.85, 1.85 / 2.85]);
        // What networkx.pagerank answers for the same graph (damping 0.85).
        let edges = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2)];
        check(4, &edges, &[0.372_526_9, 0.195_823_9, 0.394_149_2, 0.0375]);
        check(2, &[(0, 1), (1, 0), (7, 0), (0, 7)], &[0.5, 0.5]);
    }

    #[test]
    fn it_ends_between_two_rounds_where_that_is_wished() {
        let mut rounds = 0;
        let ranks = page_rank(2, &[(0, 1)], || {
            rounds += 1;
            rounds < 3
        });
        assert_eq!((ranks, rounds), (None, 3));
    }

    proptest! {
        #[test]
        fn ranks_sum_to_one(edges in prop::collection::btree_set((0_u32..20, 0_u32..20), 0..80)) {
            let edges: Vec<(u32, u32)> = edges.into_iter().collect();
            let ranks = page_rank(20, &edges, || true).unwrap();
            prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(ranks.iter().all(|rank| *rank >= 0.15 / 20.0 - 1e-12));
        }
    }
}
