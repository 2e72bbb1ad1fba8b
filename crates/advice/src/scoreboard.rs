//! Access patterns on designs: the measured cost of each pattern on each design, a total for each
//! design, and which design wins.
//!
//! A total counts work instead of time, because counts are the same on every machine. It is the
//! number of SSTable blocks that the reads of one second need: the sum of `reads per second ×
//! blocks of one read` over all access patterns. A block is the unit that a read loads, checks and
//! searches, whatever the layout of its rows, and a range needs at least one block in each tablet
//! where it has rows, so both scans and the ranges of a salt are counted. Each read begins with an
//! empty cache.
//!
//! If a design finds no rows of a pattern while another design finds some, the first one does not
//! answer the pattern. A design that returns older rows in addition to the latest does answer it:
//! no row is missing, and the blocks of all its rows count. But the application has to receive and
//! discard the older rows, which the blocks do not show. So this is always reported
//! ([`Scoreboard::notes`]), and decides between designs that need the same number of blocks. If no
//! design has a row for each entity, it is not known how many rows would be enough; then the note
//! says that every row is returned.
//!
//! The criteria decide in this order: a design that loses no event, then the design that answers the
//! most patterns, then one that scans the whole table for no pattern with a rate, because a scan grows
//! with the table, then one whose writes are spread, then the one that violates limits of the fewest
//! patterns, then the one that needs the fewest blocks per second, then the one that returns older
//! rows for the fewest patterns, then the one that examines the fewest cells per second. Values that
//! differ by less than 1% count as equal. If every design loses events, none wins.

mod costs;
mod runner_up;

use alloc::vec::Vec;

use tabletop_keys::{LayoutKind, PlanKind, Query, RowChoice};
use tabletop_model::RowFilter;
use tabletop_workspace::NamedQuery;

use crate::Figure;
pub use costs::{DesignCosts, Measurements, QueryCost, QueryOutcome, TableState};

/// The maximum number of patterns of each kind that the sentence names.
const POINTS_MAX: usize = 2;
/// The maximum number of other designs whose totals the headline names.
const OTHERS_MAX: usize = 3;

/// The work of a design for all access patterns in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    /// Number of blocks needed per second: the figure that decides.
    pub blocks: f64,
    /// Number of rows seen per second.
    pub rows: f64,
    /// Number of rows seen per second by scans of the whole table.
    pub scanned_rows: f64,
    /// Number of cells seen per second.
    pub cells: f64,
    /// Microseconds of one thread per second, on this machine.
    pub micros: f64,
    /// Number of access patterns with a weight.
    pub patterns: u32,
    /// Number of these that the design cannot answer, or for which it finds no rows while another
    /// design finds some.
    pub unanswered: u32,
    /// Number of these for which it returns older rows in addition to the latest.
    pub with_older_rows: u32,
    /// Number of these that scan the whole table.
    pub scans: u32,
    /// Number of access patterns that violate a limit, with or without a weight.
    pub missed: u32,
    /// See [`DesignCosts::is_hot`].
    pub is_hot: bool,
    /// See [`DesignCosts::lost`].
    pub lost: u32,
}

impl Total {
    /// Returns the total of a design; `None` until everything is measured.
    pub fn of(queries: &[NamedQuery], costs: &DesignCosts) -> Option<Total> {
        if costs.state != TableState::Complete || costs.outcomes.len() != queries.len() {
            return None;
        }
        let mut total = Total { is_hot: costs.is_hot, lost: costs.lost, ..Total::default() };
        for (named, outcome) in queries.iter().zip(&costs.outcomes) {
            let (weight, counts) = (named.reads_per_second, u32::from(named.reads_per_second > 0.0));
            total.patterns += counts;
            match outcome {
                QueryOutcome::Waiting => return None,
                QueryOutcome::Refused(_) => total.unanswered += counts,
                QueryOutcome::Answered(cost) => {
                    total.blocks += weight * cost.blocks() as f64;
                    let rows = weight * cost.stats.rows_seen as f64;
                    total.rows += rows;
                    total.cells += weight * cost.stats.cells_seen as f64;
                    total.micros += weight * cost.elapsed_micros as f64;
                    if cost.kind == PlanKind::Scan {
                        total.scans += counts;
                        total.scanned_rows += rows;
                    }
                    total.missed += u32::from(!cost.misses(named).is_empty());
                }
            }
        }
        Some(total)
    }
}

/// A criterion of the ranking, in descending order of importance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// The number of events that have a place of their own.
    Events,
    /// The number of access patterns that are answered.
    Answers,
    /// Whether no access pattern with a rate scans the whole table.
    Scans,
    /// Whether writes are spread over the tablets.
    Writes,
    /// The number of access patterns that meet their limits.
    Limits,
    /// [`Total::blocks`].
    Blocks,
    /// [`Total::with_older_rows`].
    OlderRows,
    /// [`Total::cells`].
    Cells,
}

impl Criterion {
    const ALL: [Criterion; 8] = [
        Criterion::Events,
        Criterion::Answers,
        Criterion::Scans,
        Criterion::Writes,
        Criterion::Limits,
        Criterion::Blocks,
        Criterion::OlderRows,
        Criterion::Cells,
    ];

    /// Returns the value of a design. A lower one is better.
    fn of(self, total: &Total) -> f64 {
        match self {
            Criterion::Events => total.lost.into(),
            Criterion::Answers => total.unanswered.into(),
            Criterion::Scans => f64::from(u8::from(total.scans > 0)),
            Criterion::Writes => f64::from(u8::from(total.is_hot)),
            Criterion::Limits => total.missed.into(),
            Criterion::Blocks => total.blocks,
            Criterion::OlderRows => total.with_older_rows.into(),
            Criterion::Cells => total.cells,
        }
    }

    fn is_same(self, one: &Total, other: &Total) -> bool {
        Figure::are_same(self.of(one), self.of(other))
    }
}

/// Why the rows that a design returns are not exactly the answer to an access pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// The design returns none, while another design returns some: for example, the pattern is a
    /// prefix of other keys.
    NoRow,
    /// The pattern requests the latest cells of a row. Another design has a row per entity, and so
    /// returns only the latest event of each; this one also returns older events, which the
    /// application has to drop.
    OlderRows {
        /// The rows that the other design returns.
        latest: u64,
    },
    /// The pattern requests the latest cells of all rows, but no design has a row per entity. So
    /// the limit drops nothing, and every row of the table is returned.
    EveryRow,
}

/// An access pattern for which two designs need different numbers of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contrast {
    /// Index of the access pattern.
    pub query: usize,
    /// Index of the other design: the one that needs the most blocks if the winner needs fewer,
    /// otherwise the one that needs the fewest.
    pub other: usize,
    /// The difference in blocks per second.
    pub blocks: f64,
}

/// Which design wins.
#[derive(Clone, Debug, PartialEq)]
pub enum Ranking {
    /// No access pattern has a weight.
    NoPatterns,
    /// Not everything has been measured yet.
    Unfinished,
    /// There are fewer than two designs to compare.
    TooFew,
    /// Every design loses events, so none can be chosen.
    AllLoseEvents,
    /// All designs need the same number of blocks.
    Same,
    /// One design wins.
    Best {
        /// Index of the design.
        design: usize,
        /// Indices of the other designs with the same events, answers, scans, writes and limits,
        /// the best one first.
        peers: Vec<usize>,
        /// Indices of the designs that differ in these, the best one first.
        outranked: Vec<usize>,
        /// The first criterion in which it is better than the best of all others.
        because: Criterion,
        /// Access patterns for which it needs fewer blocks, the greatest difference per second
        /// first.
        wins: Vec<Contrast>,
        /// Access patterns for which another design needs fewer blocks, the greatest difference per
        /// second first.
        losses: Vec<Contrast>,
    },
}

/// A reason why the best design wins, or a point in which it loses. Others are indices of other
/// designs.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The best design is better than another in events, answers, scans, writes, limits, older rows or
    /// cells.
    Better {
        /// The criterion.
        in_what: Criterion,
        /// The other design.
        other: usize,
    },
    /// The best design needs fewer blocks than these designs.
    Blocks {
        /// Whether the reason before this one is about another design.
        follows_another: bool,
        /// The other designs.
        others: Vec<usize>,
    },
    /// Another design needs fewer blocks, but is worse in events, answers, scans, writes or limits.
    Cheaper {
        /// The other design.
        other: usize,
        /// The criterion.
        worse_in: Criterion,
    },
    /// Another design is the same by all criteria.
    AsGood {
        /// The other design.
        other: usize,
    },
    /// The next design needs only a few more blocks.
    Close {
        /// The next design.
        other: usize,
        /// The share of blocks that it needs more.
        more: f64,
        /// The access pattern that makes the difference, if no other reason names it.
        contrast: Option<Contrast>,
    },
    /// Access patterns for which it needs fewer blocks.
    Wins(Vec<Contrast>),
    /// The best design scans the whole table for fewer access patterns.
    Scans {
        /// The other design.
        other: usize,
    },
    /// Access patterns for which it needs more blocks.
    Loses(Vec<Contrast>),
    /// The best design has more tables, so it writes and stores more.
    Price {
        /// The other design.
        other: usize,
    },
}

/// What to know about the answers to an access pattern before comparing designs.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// See [`Shortfall::OlderRows`].
    OlderRows {
        /// Index of the design.
        design: usize,
        /// Index of the access pattern.
        query: usize,
        /// The rows that the design returns.
        returned: u64,
        /// The rows that would be enough.
        latest: u64,
    },
    /// See [`Shortfall::EveryRow`].
    EveryRow {
        /// Index of the access pattern.
        query: usize,
        /// Indices of the designs.
        designs: Vec<usize>,
        /// Whether these are all designs.
        is_all: bool,
    },
}

/// Access patterns on designs.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoreboard<'a> {
    queries: &'a [NamedQuery],
    designs: &'a [DesignCosts],
    /// The total of each design; `None` until everything is measured.
    pub totals: Vec<Option<Total>>,
    /// Which design wins.
    pub ranking: Ranking,
}

impl<'a> Scoreboard<'a> {
    /// Adds up the costs and ranks the designs.
    pub fn new(queries: &'a [NamedQuery], designs: &'a [DesignCosts]) -> Scoreboard<'a> {
        let totals: Vec<Option<Total>> = designs.iter().map(|costs| Total::of(queries, costs)).collect();
        let mut board = Scoreboard { queries, designs, totals, ranking: Ranking::NoPatterns };
        for (query, _) in queries.iter().enumerate().filter(|(_, named)| named.reads_per_second > 0.0) {
            for design in 0..designs.len() {
                let shortfall = board.shortfall(design, query);
                let Some(total) = &mut board.totals[design] else { continue };
                match shortfall {
                    Some(Shortfall::NoRow) => total.unanswered += 1,
                    Some(Shortfall::OlderRows { .. } | Shortfall::EveryRow) => total.with_older_rows += 1,
                    None => {}
                }
            }
        }
        board.ranking = board.rank();
        board
    }

    fn rank(&self) -> Ranking {
        if self.queries.iter().all(|named| named.reads_per_second == 0.0) {
            return Ranking::NoPatterns;
        }
        // A design whose template has a problem cannot be chosen, so it is not ranked.
        let mut compared: Ranked = Vec::new();
        for (at, _) in self.designs.iter().enumerate().filter(|(_, costs)| costs.state != TableState::Invalid)
        {
            match self.totals[at] {
                Some(total) => compared.push((at, total)),
                None => return Ranking::Unfinished,
            }
        }
        if compared.len() < 2 {
            return Ranking::TooFew;
        }
        if compared.iter().all(|(_, total)| total.lost > 0) {
            return Ranking::AllLoseEvents;
        }
        let (best, rest) = leading(compared);
        let (Some((design, total)), false) = (best.first().copied(), rest.is_empty()) else {
            return Ranking::Same;
        };
        let mut others: Vec<usize> = Vec::new();
        let (mut next, mut left) = leading(rest);
        let first_other = next[0].1;
        while !next.is_empty() {
            others.extend(next.iter().map(|(at, _)| *at));
            (next, left) = leading(left);
        }
        others.extend(best.iter().skip(1).map(|(at, _)| *at));
        let differs = |criterion: &Criterion| !criterion.is_same(&total, &first_other);
        let because = Criterion::ALL.into_iter().find(differs).unwrap_or(Criterion::Cells);
        let (wins, losses) = self.contrasts(design, &others);
        let is_peer =
            |at: &usize| Criterion::ALL[..5].iter().all(|each| each.is_same(&total, &self.total(*at)));
        let (peers, outranked) = others.into_iter().partition(is_peer);
        Ranking::Best { design, peers, outranked, because, wins, losses }
    }

    /// Returns the access patterns for which the design needs fewer blocks than the worst of the
    /// others, and the access patterns for which the best of the others needs fewer.
    fn contrasts(&self, design: usize, others: &[usize]) -> (Vec<Contrast>, Vec<Contrast>) {
        let (mut wins, mut losses) = (Vec::new(), Vec::new());
        for (query, named) in self.queries.iter().enumerate() {
            let blocks = |at: usize| {
                let cost =
                    self.cost(at, query).filter(|_| self.shortfall(at, query) != Some(Shortfall::NoRow));
                cost.map(|cost| named.reads_per_second * cost.blocks() as f64)
            };
            let Some(own) = blocks(design) else { continue };
            let known = || others.iter().filter_map(|at| Some((*at, blocks(*at)?)));
            let most = known().max_by(|one, other| one.1.total_cmp(&other.1));
            let least = known().min_by(|one, other| one.1.total_cmp(&other.1));
            let (Some(most), Some(least)) = (most, least) else { continue };
            if least.1 < own && !Figure::are_same(own, least.1) {
                losses.push(Contrast { query, other: least.0, blocks: own - least.1 });
            } else if own < most.1 && !Figure::are_same(own, most.1) {
                wins.push(Contrast { query, other: most.0, blocks: most.1 - own });
            }
        }
        let sorted = |all: Vec<Contrast>| {
            tabletop_model::order::sorted(all, |one, other| other.blocks.total_cmp(&one.blocks))
        };
        (sorted(wins), sorted(losses))
    }

    /// Returns why the rows that a design returns are not exactly the answer to a pattern; `None`
    /// if they are, or if this is not known.
    pub fn shortfall(&self, design: usize, query: usize) -> Option<Shortfall> {
        let returned = |at: usize| Some(self.cost(at, query)?.stats.rows_returned);
        let own = returned(design)?;
        let has_entities = |at: usize| self.designs[at].design.layout.kind == LayoutKind::RowPerEntity;
        let found =
            (0..self.designs.len()).filter_map(|at| Some((at, returned(at)?))).filter(|(_, rows)| *rows > 0);
        if own == 0 {
            return (found.count() > 0).then_some(Shortfall::NoRow);
        }
        if has_entities(design) || !self.queries[query].query.filter.as_ref().is_some_and(keeps_latest) {
            return None;
        }
        match found.filter(|(at, _)| has_entities(*at)).map(|(_, rows)| rows).min() {
            Some(latest) => (latest < own).then_some(Shortfall::OlderRows { latest }),
            None => self.returns_every_row(design, query).then_some(Shortfall::EveryRow),
        }
    }

    /// Returns whether a pattern reads all rows and gets all their cells.
    fn returns_every_row(&self, design: usize, query: usize) -> bool {
        let Query { rows, rows_limit, .. } = &self.queries[query].query;
        let is_whole = *rows == RowChoice::All && *rows_limit == 0;
        is_whole
            && self.cost(design, query).is_some_and(|cost| cost.stats.cells_returned == cost.stats.cells_seen)
    }

    /// Returns a note for each design and pattern whose answer contains older rows in addition to
    /// the latest. Designs that return every row share a note.
    pub fn notes(&self) -> Vec<Note> {
        let patterns = || 0..self.queries.len();
        let pairs = (0..self.designs.len()).flat_map(|design| patterns().map(move |query| (design, query)));
        let note = |(design, query)| match self.shortfall(design, query)? {
            Shortfall::OlderRows { latest } => {
                let returned = self.cost(design, query)?.stats.rows_returned;
                Some(Note::OlderRows { design, query, returned, latest })
            }
            Shortfall::NoRow | Shortfall::EveryRow => None,
        };
        let every_row = |query: usize| {
            let is_one = |design: &usize| self.shortfall(*design, query) == Some(Shortfall::EveryRow);
            let designs: Vec<usize> = (0..self.designs.len()).filter(is_one).collect();
            let is_all = designs.len() == self.designs.len();
            (!designs.is_empty()).then_some(Note::EveryRow { query, designs, is_all })
        };
        pairs.filter_map(note).chain(patterns().filter_map(every_row)).collect()
    }

    /// Returns the cost of a pattern on a design; `None` if it has no answer.
    pub fn cost(&self, design: usize, query: usize) -> Option<&QueryCost> {
        match self.designs[design].outcomes.get(query)? {
            QueryOutcome::Answered(cost) => Some(cost),
            QueryOutcome::Waiting | QueryOutcome::Refused(_) => None,
        }
    }

    /// Returns the first of the other designs whose blocks are shown next to those of the best
    /// one; empty if no design is best.
    pub fn rivals(&self) -> Vec<usize> {
        let Ranking::Best { design, peers, outranked, .. } = &self.ranking else { return Vec::new() };
        let own = self.total(*design).blocks;
        // The reasons cover all other designs, and say why the first one that needs fewer blocks
        // does not win.
        let dearer = outranked.iter().filter(|at| self.total(**at).blocks >= own);
        peers.iter().chain(dearer).copied().take(OTHERS_MAX).collect()
    }

    /// Returns why the best design wins, and where it loses; none if no design wins.
    pub fn reasons(&self) -> Vec<Reason> {
        let Ranking::Best { design, peers, outranked, because, wins, losses } = &self.ranking else {
            return Vec::new();
        };
        let others = || peers.iter().chain(outranked).copied();
        let own = self.total(*design);
        // Designs that are as good by this criterion come first, and the reason is not about them.
        let Some(first) = others().find(|at| !because.is_same(&own, &self.total(*at))).or(others().next())
        else {
            return Vec::new();
        };
        let mut reasons: Vec<Reason> = Vec::new();
        if *because != Criterion::Blocks {
            reasons.push(Reason::Better { in_what: *because, other: first });
        }
        if peers.is_empty() {
            let others = outranked.iter().copied().take(OTHERS_MAX).collect();
            reasons.push(Reason::Blocks { follows_another: *because == Criterion::Writes, others });
        } else if let Some(cheap) = outranked.iter().copied().find(|at| self.total(*at).blocks < own.blocks) {
            let total = self.total(cheap);
            let worse_in = if total.lost > own.lost {
                Criterion::Events
            } else if total.unanswered > own.unanswered {
                Criterion::Answers
            } else if own.scans == 0 && total.scans > 0 {
                Criterion::Scans
            } else if total.is_hot && !own.is_hot {
                Criterion::Writes
            } else {
                Criterion::Limits
            };
            reasons.push(Reason::Cheaper { other: cheap, worse_in });
        }
        let named =
            |contrasts: &[Contrast]| contrasts.iter().take(POINTS_MAX).copied().collect::<Vec<Contrast>>();
        reasons.extend(self.close_one(*design, peers, &named(wins)));
        if !wins.is_empty() {
            reasons.push(Reason::Wins(named(wins)));
        }
        let most = others().max_by_key(|at| self.total(*at).scans).unwrap_or(first);
        if self.total(most).scans > own.scans && *because != Criterion::Scans {
            reasons.push(Reason::Scans { other: most });
        }
        if !losses.is_empty() {
            reasons.push(Reason::Loses(named(losses)));
        }
        // Each event is also written to the index tables.
        if self.designs[*design].tables > self.designs[first].tables {
            reasons.push(Reason::Price { other: first });
        }
        reasons
    }

    /// Returns the total of a design that is ranked.
    pub fn total(&self, design: usize) -> Total {
        self.totals[design].unwrap_or_default()
    }

    /// Returns what was measured of a design.
    pub fn design(&self, design: usize) -> &DesignCosts {
        &self.designs[design]
    }

    /// Returns an access pattern.
    pub fn pattern(&self, query: usize) -> &NamedQuery {
        &self.queries[query]
    }
}

/// Returns whether a filter keeps only the latest cells of a row or column.
fn keeps_latest(filter: &RowFilter) -> bool {
    match filter {
        RowFilter::CellsPerRowLimit(_) | RowFilter::CellsPerColumnLimit(_) => true,
        RowFilter::Chain(filters) => filters.iter().any(keeps_latest),
        _ => false,
    }
}

/// Indices of designs with their totals.
type Ranked = Vec<(usize, Total)>;

/// Splits designs into the best ones, which are equal by all criteria, and the others.
fn leading(all: Ranked) -> (Ranked, Ranked) {
    let (mut best, mut rest) = (all, Vec::new());
    // Each criterion only decides among the designs that are equal by all earlier criteria.
    for criterion in Criterion::ALL {
        let least = best.iter().map(|(_, total)| criterion.of(total)).min_by(f64::total_cmp);
        let is_best = |total: &Total| least.is_some_and(|least| Figure::are_same(criterion.of(total), least));
        let (kept, others) = best.into_iter().partition(|(_, total)| is_best(total));
        best = kept;
        rest.extend::<Ranked>(others);
    }
    (best, rest)
}
