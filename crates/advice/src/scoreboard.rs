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
//! The flaws of [`Standing`] decide first, the worst first. Then the design wins that violates limits
//! of the fewest patterns, then the one that needs the fewest blocks per second at the stated scale,
//! then the one that returns older rows for the fewest patterns, then the one that examines the
//! fewest cells per second. Values that differ by less than 1% count as equal. If no design can be
//! chosen, as where all lose events, none wins. A pattern with rate 0 is a batch: its cost is shown,
//! but does not count, so it may scan the table.

mod costs;
mod criterion;
mod runner_up;
mod scale;

use alloc::vec::Vec;

use tabletop_keys::{LayoutKind, Newest, PlanKind, Query, RowChoice};
use tabletop_workspace::NamedQuery;

use crate::{DesignFigures, Figure, Flaw, Standing};
pub use costs::{DesignCosts, Measurements, QueryCost, QueryOutcome, TableState};
pub use criterion::Criterion;
pub use scale::{LargestRow, Scale};

/// The maximum number of patterns of each kind that the sentence names.
const POINTS_MAX: usize = 2;
/// The maximum number of other designs whose totals the headline names.
const OTHERS_MAX: usize = 3;

/// The work of a design for all access patterns in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    /// Number of blocks needed per second: the figure that decides. A scan needs all blocks of the
    /// table at the stated scale.
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
    /// Number of these for which it returns older rows in addition to the latest.
    pub with_older_rows: u32,
    /// Number of access patterns that violate a limit, with or without a weight.
    pub missed: u32,
    /// What decides before the cost.
    pub standing: Standing,
}

impl Total {
    /// Whether the work may be called the least: less is read where events are missing, and where
    /// patterns are not answered.
    pub fn may_be_least(&self) -> bool {
        self.standing.can_win() && self.standing.unanswered == 0
    }

    /// Returns the total of a design at a scale; `None` until everything is measured.
    pub fn of(queries: &[NamedQuery], costs: &DesignCosts, scale: &Scale) -> Option<Total> {
        if costs.state != TableState::Complete || costs.outcomes.len() != queries.len() {
            return None;
        }
        let standing = Standing {
            lost: costs.lost,
            has_huge_row: costs.largest_row.is_some_and(|row| scale.is_huge(row, costs.events)),
            exceeds_node: costs.is_hot && scale.exceeds_node(costs.heat),
            is_hot: costs.is_hot,
            ..Standing::default()
        };
        let growth = scale.growth(costs.events);
        let mut total = Total { standing, ..Total::default() };
        for (named, outcome) in queries.iter().zip(&costs.outcomes) {
            let (weight, counts) = (named.reads_per_second, u32::from(named.reads_per_second > 0.0));
            total.patterns += counts;
            match outcome {
                QueryOutcome::Waiting => return None,
                QueryOutcome::Refused(_) => total.standing.unanswered += counts,
                QueryOutcome::Answered(cost) => {
                    total.standing.wrong_answers += u32::from(cost.wrong.is_some());
                    let growth = if cost.kind == PlanKind::Scan { growth } else { 1.0 };
                    total.blocks += weight * cost.blocks() as f64 * growth;
                    let rows = weight * cost.stats.rows_seen as f64;
                    total.rows += rows;
                    total.cells += weight * cost.stats.cells_seen as f64;
                    total.micros += weight * cost.elapsed_micros as f64;
                    if cost.kind == PlanKind::Scan {
                        total.standing.scans += counts;
                        total.scanned_rows += rows;
                    }
                    total.missed += u32::from(!cost.misses(named).is_empty());
                }
            }
        }
        Some(total)
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
    /// application has to drop. Or it requests the newest rows, which no limit finds in the order of
    /// this design's keys.
    OlderRows {
        /// The rows that the other design returns, or that the pattern requests.
        latest: u64,
    },
    /// The pattern requests the latest cells of all rows, but no design has a row per entity. So
    /// the limit drops nothing, and every row of the table is returned.
    EveryRow {
        /// The number of entities: that many reads of one row would do. `None` if it is not known.
        entities: Option<u64>,
    },
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
    /// Every design loses events, answers wrongly, or has a row that is too large, so none can be
    /// chosen.
    NoneCanWin,
    /// All designs need the same number of blocks.
    Same,
    /// One design wins.
    Best {
        /// Index of the design.
        design: usize,
        /// Indices of the other designs with the same flaws and limits, the best one first.
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
    /// The best design is better than another in a flaw, limits, older rows or cells.
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
    /// Another design needs fewer blocks, but has more of a flaw, or violates more limits.
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
    /// The answer of a design differs from a plain filter over the events: see
    /// [`QueryCost::wrong`].
    WrongAnswer {
        /// Index of the design.
        design: usize,
        /// Index of the access pattern.
        query: usize,
    },
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
        /// The number of entities, if it is known.
        entities: Option<u64>,
        /// The blocks that one read of the pattern needs on the first of these designs.
        blocks: u64,
    },
    /// A pattern for the newest rows needs a reverse scan.
    ReverseScan {
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
    /// Adds up the costs and ranks the designs, at a scale.
    pub fn new(queries: &'a [NamedQuery], designs: &'a [DesignCosts], scale: &Scale) -> Scoreboard<'a> {
        let totals: Vec<Option<Total>> =
            designs.iter().map(|costs| Total::of(queries, costs, scale)).collect();
        let mut board = Scoreboard { queries, designs, totals, ranking: Ranking::NoPatterns };
        for (query, _) in queries.iter().enumerate().filter(|(_, named)| named.reads_per_second > 0.0) {
            for design in 0..designs.len() {
                let shortfall = board.shortfall(design, query);
                let Some(total) = &mut board.totals[design] else { continue };
                match shortfall {
                    Some(Shortfall::NoRow) => total.standing.unanswered += 1,
                    Some(Shortfall::OlderRows { .. } | Shortfall::EveryRow { .. }) => {
                        total.with_older_rows += 1;
                    }
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
        if !compared.iter().any(|(_, total)| total.standing.can_win()) {
            return Ranking::NoneCanWin;
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
        let is_peer = |at: &usize| {
            Criterion::ALL[..Criterion::SOUNDNESS].iter().all(|each| each.is_same(&total, &self.total(*at)))
        };
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
        let cost = self.cost(design, query)?;
        let newest =
            self.queries[query].query.newest_rows().filter(|_| cost.newest == Some(Newest::Anywhere));
        if let Some(latest) = newest {
            return (latest < own).then_some(Shortfall::OlderRows { latest });
        }
        if has_entities(design) || !self.queries[query].query.keeps_latest() {
            return None;
        }
        match found.filter(|(at, _)| has_entities(*at)).map(|(_, rows)| rows).min() {
            Some(latest) => (latest < own).then_some(Shortfall::OlderRows { latest }),
            None => self
                .returns_every_row(design, query)
                .then_some(Shortfall::EveryRow { entities: cost.entities }),
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
            Shortfall::NoRow | Shortfall::EveryRow { .. } => None,
        };
        let of_designs = |is_one: &dyn Fn(usize) -> bool| {
            let designs: Vec<usize> = (0..self.designs.len()).filter(|design| is_one(*design)).collect();
            let is_all = designs.len() == self.designs.len();
            (!designs.is_empty()).then_some((designs, is_all))
        };
        let every_row = |query: usize| {
            let entities = |design| match self.shortfall(design, query)? {
                Shortfall::EveryRow { entities } => Some(entities),
                _ => None,
            };
            let (designs, is_all) = of_designs(&|design| entities(design).is_some())?;
            let blocks = self.cost(designs[0], query)?.blocks();
            let entities = designs.iter().filter_map(|design| entities(*design)?).min();
            Some(Note::EveryRow { query, designs, is_all, entities, blocks })
        };
        let reverse_scan = |query: usize| {
            let is_reverse =
                |design| self.cost(design, query).is_some_and(|cost| cost.newest == Some(Newest::Last));
            let (designs, is_all) = of_designs(&is_reverse)?;
            Some(Note::ReverseScan { query, designs, is_all })
        };
        let wrong = |(design, query)| {
            self.cost(design, query)?.wrong.as_ref().map(|_| Note::WrongAnswer { design, query })
        };
        let notes = pairs.clone().filter_map(wrong).chain(pairs.filter_map(note));
        let notes = notes.chain(patterns().filter_map(every_row));
        notes.chain(patterns().filter_map(reverse_scan)).collect()
    }

    /// Returns the worst flaw of the best design, which therefore gets no tick; `None` if it has none,
    /// or if no design is best.
    pub fn flaw_of_best(&self) -> Option<Flaw> {
        let Ranking::Best { design, .. } = self.ranking else { return None };
        self.total(design).standing.worst()
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
            let answers = |at: &usize| self.total(*at).standing.unanswered <= own.standing.unanswered;
            let others: Vec<usize> = outranked.iter().copied().filter(answers).take(OTHERS_MAX).collect();
            reasons.push(Reason::Blocks { follows_another: *because == Criterion::Flaw(Flaw::Hot), others });
        } else if let Some(cheap) = outranked.iter().copied().find(|at| self.total(*at).blocks < own.blocks) {
            let total = self.total(cheap);
            let is_worse = |criterion: &Criterion| criterion.of(&total) > criterion.of(&own);
            let worse_in = Criterion::ALL.into_iter().find(is_worse).unwrap_or(Criterion::Limits);
            reasons.push(Reason::Cheaper { other: cheap, worse_in });
        }
        let named =
            |contrasts: &[Contrast]| contrasts.iter().take(POINTS_MAX).copied().collect::<Vec<Contrast>>();
        reasons.extend(self.close_one(*design, peers, &named(wins)));
        if !wins.is_empty() {
            reasons.push(Reason::Wins(named(wins)));
        }
        let most = others().max_by_key(|at| self.total(*at).standing.scans).unwrap_or(first);
        let has_more = self.total(most).standing.scans > own.standing.scans;
        if has_more && *because != Criterion::Flaw(Flaw::Scans) {
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

    /// Returns the standing of the design with these figures, by them and by its access patterns.
    pub fn standing(&self, figures: &DesignFigures) -> Standing {
        let at = self.designs.iter().position(|costs| costs.design.name == figures.design.name);
        let total = at.and_then(|at| self.totals[at]);
        figures.standing(total.map(|total| total.standing).unwrap_or_default())
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
