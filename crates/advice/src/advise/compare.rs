//! Compares designs: their figures on the same events, and which design is best by them.
//!
//! The flaws of [`Standing`] decide first, as in the ranking by access patterns. Among the designs
//! without a difference in these, the one with the best value in the most [`Figure`]s that count as
//! separate points wins. Values that differ by less than [`SAME`] are the same. A design whose
//! template has a problem has no figures, and one that cannot win is never best.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Problem, TableView, TabletView};
use tabletop_workspace::Design;

use super::{TableLoad, Tone, Verdict};
use crate::{Flaw, Standing};

/// Values whose ratio is below this are the same: 1%, less than the timing of a compaction
/// changes.
const SAME: f64 = 1.01;

/// The figures of one design at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DesignFigures {
    /// The design.
    pub design: Design,
    /// Problems in the template's text. The table is of the last template without problems, if
    /// there was one, so no [`Figure`] is of it.
    pub problems: Vec<Problem>,
    /// Events in the table.
    pub events_built: u32,
    /// The number of these that the layout could not write.
    pub events_refused: u32,
    /// The number of events that have the row or the cells of a different event: see
    /// [`crate::Losses::shared`].
    #[serde(default)]
    pub events_shared: u32,
    /// Events that the table will have.
    pub events_total: u32,
    /// Whether later figures will differ: events arrive, are written or merged, or bytes are still
    /// being counted.
    pub changes: bool,
    /// The verdict on the design and the load of its tablets.
    pub verdict: Verdict,
    /// Bytes of the longest row key.
    pub key_bytes_max: u64,
    /// The bytes that a read of the whole table returns: keys, and for each cell family, qualifier,
    /// timestamp (8) and value. Google's table statistics describe their `logical_data_bytes` in
    /// the same way. `None` until all events are there and all rows are counted.
    pub logical_bytes: Option<u64>,
    /// An estimate of the bytes that a service stores, which compresses blocks: see
    /// [`Figure::CompressedBytes`]. `None` until all rows are counted.
    #[serde(default)]
    pub compressed_bytes: Option<u64>,
    /// The tablets of the design's table.
    pub table: TableView,
    /// The tablets of its index tables, in the figures of a design over all its tables.
    pub indexes: Vec<TableView>,
}

/// A figure of designs that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Rows stored.
    Rows,
    /// Cells stored.
    Cells,
    /// [`DesignFigures::logical_bytes`].
    LogicalBytes,
    /// The stored bytes, estimated for a service that compresses blocks: with DEFLATE, because the
    /// codec of Bigtable is not public.
    CompressedBytes,
    /// Bytes of this engine's memtables and SSTables, which a service does not have.
    StoredBytes,
    /// This engine's stored bytes of an event that was written.
    BytesPerEvent,
    /// Bytes of the longest row key.
    LongestKey,
    /// Splits of tablets.
    Splits,
    /// The share of all writes that the hottest tablet takes, 0 to 1.
    HottestShare,
    /// The ratio of the writes of the hottest tablet to those of the median tablet.
    HottestTimesMedian,
    /// Bytes written to storage for each byte that was written to the table.
    WriteAmplification,
}

impl DesignFigures {
    /// The number of events without a place of their own.
    pub fn lost(&self) -> u32 {
        self.events_refused + self.events_shared
    }

    /// Returns the standing of the design by these figures, and by its access patterns as far as these
    /// are measured.
    pub fn standing(&self, by_patterns: Standing) -> Standing {
        let has_wrong_answer = matches!(self.verdict.finding, super::Finding::WrongAnswer(_));
        Standing {
            lost: by_patterns.lost.max(self.lost()),
            wrong_answers: by_patterns.wrong_answers.max(has_wrong_answer.into()),
            is_hot: by_patterns.is_hot || self.verdict.tone == Tone::Hot,
            ..by_patterns
        }
    }
}

impl Figure {
    /// All figures, in the order of a table.
    pub const ALL: [Figure; 10] = [
        Figure::HottestShare,
        Figure::HottestTimesMedian,
        Figure::Splits,
        Figure::Rows,
        Figure::Cells,
        Figure::LogicalBytes,
        Figure::CompressedBytes,
        Figure::StoredBytes,
        Figure::LongestKey,
        Figure::WriteAmplification,
    ];

    /// The figures that count as points. (The median follows from the share, and a service does not
    /// store this engine's bytes.)
    const POINTS: [Figure; 5] = [
        Figure::HottestShare,
        Figure::CompressedBytes,
        Figure::LogicalBytes,
        Figure::LongestKey,
        Figure::WriteAmplification,
    ];

    /// Returns the value for a design; `None` if it has none, as before the first row or with a
    /// problem in the template.
    pub fn of(self, figures: &DesignFigures) -> Option<f64> {
        if !figures.problems.is_empty() {
            return None;
        }
        let written = figures.events_built.saturating_sub(figures.events_refused);
        match self {
            Figure::LogicalBytes => {
                figures.logical_bytes.map(|bytes| bytes as f64).filter(|_| has_rows(&figures.table))
            }
            Figure::CompressedBytes => {
                figures.compressed_bytes.map(|bytes| bytes as f64).filter(|_| has_rows(&figures.table))
            }
            Figure::LongestKey => Some(figures.key_bytes_max as f64).filter(|_| has_rows(&figures.table)),
            _ => {
                let tables = || core::iter::once(&figures.table).chain(&figures.indexes);
                let values = || tables().map(|table| self.of_table(table, written));
                match self {
                    _ if figures.indexes.is_empty() => self.of_table(&figures.table, written),
                    Figure::HottestShare | Figure::HottestTimesMedian => {
                        values().flatten().max_by(f64::total_cmp)
                    }
                    Figure::WriteAmplification => {
                        let user_bytes: u64 = tables().map(|table| table.work.user_bytes).sum();
                        let written = tables()
                            .map(|table| table.work.write_amplification() * table.work.user_bytes as f64);
                        (user_bytes > 0).then(|| written.sum::<f64>() / user_bytes as f64)
                    }
                    _ => values().sum(),
                }
            }
        }
    }

    /// Returns the value for a table with `written` events; `None` if the table alone does not show
    /// it, or has no rows.
    pub(super) fn of_table(self, table: &TableView, written: u32) -> Option<f64> {
        if !has_rows(table) {
            return None;
        }
        let sum = |of: fn(&TabletView) -> u64| table.tablets.iter().map(of).sum::<u64>() as f64;
        let load = || TableLoad::of(table);
        match self {
            Figure::Rows => Some(sum(|tablet| tablet.rows)),
            Figure::Cells => Some(sum(|tablet| tablet.cells)),
            Figure::LogicalBytes | Figure::CompressedBytes | Figure::LongestKey => None,
            Figure::StoredBytes => Some(sum(|tablet| tablet.bytes)),
            Figure::BytesPerEvent => (written > 0).then(|| sum(|tablet| tablet.bytes) / f64::from(written)),
            Figure::Splits => Some(table.splits as f64),
            Figure::HottestShare => {
                Some(load()).filter(|load| load.hottest().is_some()).map(|load| load.hottest_share())
            }
            Figure::HottestTimesMedian => load().hottest_times_median(),
            Figure::WriteAmplification => {
                (table.work.user_bytes > 0).then(|| table.work.write_amplification())
            }
        }
    }

    /// Whether a lower value is better. Rows, cells and splits are neither good nor bad, and Bigtable
    /// stores other bytes than this engine.
    pub fn is_judged(self) -> bool {
        use Figure::{BytesPerEvent, Cells, Rows, Splits, StoredBytes};
        !matches!(self, Rows | Cells | Splits | StoredBytes | BytesPerEvent)
    }

    /// Whether the value is a count that may be too high until SSTables are merged.
    pub fn is_estimate(self, figures: &DesignFigures) -> bool {
        let mut tables = core::iter::once(&figures.table).chain(&figures.indexes);
        matches!(self, Figure::Rows | Figure::Cells)
            && tables.any(|table| table.tablets.iter().any(|tablet| !tablet.exact))
    }

    /// Returns whether two values count as the same.
    pub fn are_same(one: f64, other: f64) -> bool {
        one.max(other) <= one.min(other) * SAME
    }

    /// Returns the best value of these designs, if it is better than that of another one.
    /// `standings` has one element per design.
    pub fn best(self, designs: &[DesignFigures], standings: &[Standing]) -> Option<f64> {
        // A design that loses events is small because they are missing.
        let sound = || designs.iter().zip(standings).filter(|(_, standing)| standing.can_win());
        let values = || sound().filter_map(|(figures, _)| self.of(figures));
        let (least, most) = (values().min_by(f64::total_cmp)?, values().max_by(f64::total_cmp)?);
        (self.is_judged() && !Figure::are_same(least, most)).then_some(least)
    }

    /// Returns the place of the value of the design at `at`.
    fn rank(self, at: usize, value: f64, designs: &[DesignFigures]) -> Rank {
        let others = designs
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .filter_map(|(_, figures)| self.of(figures));
        match others.min_by(f64::total_cmp) {
            Some(least) if Figure::are_same(value, least) => Rank::AmongLowest,
            Some(least) if least < value => Rank::Other,
            _ => Rank::Lowest,
        }
    }
}

fn has_rows(table: &TableView) -> bool {
    table.tablets.iter().any(|tablet| tablet.rows > 0)
}

/// The rank of a value among the values of all designs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// No other value is as low.
    Lowest,
    /// Another value counts as the same.
    AmongLowest,
    /// Another design has a lower one: one that is not to be chosen, if the value is a reason to
    /// win.
    Other,
}

/// A figure in which one design is better than another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The figure.
    pub figure: Figure,
    /// The value of the design that is best by all figures.
    pub value: f64,
    /// The place among the values of all designs.
    pub rank: Rank,
    /// Index of the design that it is compared with: the worst one if the value is the best, else
    /// the best one.
    pub other: usize,
    /// The value of that design.
    pub other_value: f64,
}

/// Which of several designs is best by their figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// There are fewer than two designs with rows and without a problem in the template.
    TooFew,
    /// Every design loses events, answers wrongly, or has a row that is too large, so none can be
    /// chosen.
    NoneCanWin,
    /// No design is better than the others.
    Same,
    /// One design is best.
    Best {
        /// Index of the design.
        design: usize,
        /// The first reason.
        because: Because,
        /// The figures in which it has the best value.
        wins: Vec<Point>,
        /// The figures in which another design is better, the greatest difference first.
        losses: Vec<Point>,
    },
}

/// The first reason why a design is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// Every other design has more of this flaw.
    Fewest(Flaw),
    /// The best design has the best value of most figures.
    MostPoints,
}

/// Compares designs on the same events. `standings` has one element per design.
pub fn compare(designs: &[DesignFigures], standings: &[Standing]) -> Comparison {
    let has_rows = |at: &usize| Figure::Rows.of(&designs[*at]).is_some();
    let with_rows: Vec<usize> = (0..designs.len()).filter(has_rows).collect();
    if with_rows.len() < 2 {
        return Comparison::TooFew;
    }
    // A design that cannot win is not one to compare with.
    let sound: Vec<usize> = with_rows.iter().copied().filter(|at| standings[*at].can_win()).collect();
    if sound.is_empty() {
        return Comparison::NoneCanWin;
    }
    let mut because = Because::MostPoints;
    let mut candidates = with_rows;
    for flaw in Flaw::ALL {
        let amount = |at: &usize| standings[*at].amount(flaw);
        let least = candidates.iter().map(amount).min();
        let before = candidates.len();
        candidates.retain(|at| Some(amount(at)) == least);
        if before > 1 && candidates.len() == 1 {
            because = Because::Fewest(flaw);
        }
    }
    let candidates = &candidates;
    let points = |at: usize| {
        Figure::POINTS.into_iter().filter(|figure| is_best(*figure, at, candidates, designs)).count()
    };
    let most = candidates.iter().map(|at| points(*at)).max().unwrap_or(0);
    let leading: Vec<usize> = candidates.iter().copied().filter(|at| points(*at) == most).collect();
    let Some(design) = first_of(&leading, designs) else { return Comparison::Same };
    let (mut wins, mut losses) = (Vec::new(), Vec::new());
    for figure in Figure::POINTS {
        let Some(value) = figure.of(&designs[design]) else { continue };
        let others =
            sound.iter().filter(|at| **at != design).filter_map(|at| Some((*at, figure.of(&designs[*at])?)));
        let others: Vec<(usize, f64)> = others.collect();
        let worst = others.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1));
        let best = others.into_iter().min_by(|one, other| one.1.total_cmp(&other.1));
        let (Some(worst), Some(best)) = (worst, best) else { continue };
        let rank = figure.rank(design, value, designs);
        let point = |(other, other_value): (usize, f64)| Point { figure, value, rank, other, other_value };
        if best.1 < value && !Figure::are_same(best.1, value) {
            losses.push(point(best));
        } else if !Figure::are_same(value, worst.1) {
            wins.push(point(worst));
        }
    }
    losses.sort_by(|one, other| (other.value * one.other_value).total_cmp(&(one.value * other.other_value)));
    if wins.is_empty() && because == Because::MostPoints {
        return Comparison::Same;
    }
    Comparison::Best { design, because, wins, losses }
}

/// Returns whether a design has the best value of a figure among these.
fn is_best(figure: Figure, at: usize, among: &[usize], designs: &[DesignFigures]) -> bool {
    let values = among.iter().filter_map(|at| figure.of(&designs[*at]));
    let Some((value, least)) = figure.of(&designs[at]).zip(values.min_by(f64::total_cmp)) else {
        return false;
    };
    Figure::are_same(value, least)
}

/// Returns the one of these designs that spreads its writes best; if they are the same in this, the
/// one that stores least; then the first of them, as of copies. `None` if there is none.
fn first_of(leading: &[usize], designs: &[DesignFigures]) -> Option<usize> {
    let mut left: Vec<usize> = leading.to_vec();
    for figure in [Figure::HottestShare, Figure::CompressedBytes] {
        let best: Vec<usize> =
            left.iter().copied().filter(|at| is_best(figure, *at, &left, designs)).collect();
        if !best.is_empty() {
            left = best;
        }
    }
    left.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::tests::figures;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;

    fn standings(designs: &[DesignFigures]) -> Vec<Standing> {
        designs.iter().map(|figures| figures.standing(Standing::default())).collect()
    }

    fn judged(designs: &[DesignFigures]) -> Comparison {
        compare(designs, &standings(designs))
    }

    /// Writes the best design with the first reason, and its points as the figure, its value and
    /// rank, and the other design.
    fn best(designs: &[DesignFigures]) -> String {
        let Comparison::Best { design, because, wins, losses } = judged(designs) else {
            return "none".into();
        };
        let name = |at: usize| &designs[at].design.name;
        let point = |Point { figure, value, rank, other, other_value }: &Point| {
            format!("{figure:?} {value} {rank:?} ({} {other_value})", name(*other))
        };
        let points = |points: &[Point]| points.iter().map(point).collect::<Vec<String>>().join(", ");
        format!("{} {because:?} [{}] [{}]", name(design), points(&wins), points(&losses))
    }

    #[test]
    fn a_design_that_is_hot_loses_even_if_it_is_smaller() {
        let designs = [figures("A", Tone::Hot, 1.0, 1_000), figures("B", Tone::Good, 0.5, 1_200)];
        assert_eq!(
            best(&designs),
            "B Fewest(Hot) [HottestShare 0.5 Lowest (A 1)] [CompressedBytes 1200 Other (A 1000)]"
        );
    }

    #[test]
    fn among_cool_designs_most_points_win() {
        let mut short = figures("short", Tone::Good, 0.6, 1_000);
        (short.key_bytes_max, short.logical_bytes) = (20, Some(8_000));
        let designs = [figures("long", Tone::Good, 0.5, 1_000), short];
        assert_eq!(
            best(&designs),
            "short MostPoints [LogicalBytes 8000 Lowest (long 10000), LongestKey 20 Lowest (long 40)] [HottestShare 0.6 Other (long 0.5)]"
        );
    }

    #[test]
    fn only_the_lowest_value_is_called_the_lowest() {
        let reasons = |others: &[u64]| {
            let sized = |name: &str, bytes: u64| {
                let mut of = figures(name, Tone::Good, 0.5, 1_000);
                of.logical_bytes = Some(bytes);
                of
            };
            let mut designs = vec![sized("long", 900_000), sized("own", 772_000)];
            designs.extend(others.iter().map(|bytes| sized("near", *bytes)));
            designs[1].key_bytes_max = 20;
            (best(&designs), Figure::LogicalBytes.best(&designs, &standings(&designs)))
        };
        let (alone, _) = reasons(&[]);
        assert!(alone.starts_with("own MostPoints [LogicalBytes 772000 Lowest (long 900000)"), "{alone}");
        // The table marks both as best.
        let (near, least) = reasons(&[767_000]);
        assert!(near.starts_with("own MostPoints [LogicalBytes 772000 AmongLowest (long 900000)"), "{near}");
        assert!(least.is_some_and(|least| Figure::are_same(772_000.0, least)));
        // A design that is not to be chosen stores less.
        let mut lossy = figures("lossy", Tone::Good, 0.5, 500);
        lossy.events_refused = 1;
        let designs = [lossy, figures("A", Tone::Good, 0.5, 1_000), figures("B", Tone::Good, 0.5, 900)];
        assert_eq!(best(&designs), "B MostPoints [CompressedBytes 900 Other (A 1000)] []");
    }

    #[test]
    fn a_full_scan_decides_before_the_writes_and_the_size() {
        let designs = [figures("scans", Tone::Good, 0.5, 500), figures("hot", Tone::Hot, 1.0, 1_000)];
        let mut standings = standings(&designs);
        standings[0].scans = 1;
        let Comparison::Best { design, because, .. } = compare(&designs, &standings) else {
            panic!("one is best")
        };
        assert_eq!((design, because), (1, Because::Fewest(Flaw::Scans)));
        standings[1].has_huge_row = true;
        let Comparison::Best { design, .. } = compare(&designs, &standings) else { panic!("one is best") };
        assert_eq!(design, 0);
        assert_eq!(Figure::CompressedBytes.best(&designs, &standings), None, "only one can win");
    }

    #[test]
    fn equal_designs_are_the_same_and_one_is_too_few() {
        let same = [figures("A", Tone::Good, 0.5, 1_000), figures("B", Tone::Good, 0.5, 1_004)];
        assert_eq!(judged(&same), Comparison::Same);
        assert_eq!(judged(&same[..1]), Comparison::TooFew);
        let copies = [figures("A", Tone::Good, 0.9, 1_000), same[0].clone(), same[0].clone()];
        let Comparison::Best { design, wins, .. } = judged(&copies) else {
            panic!("the copies are better than the first")
        };
        assert_eq!((design, wins.len(), wins[0].other), (1, 1, 0));
        let mut empty = same.clone();
        empty[1].table.tablets.clear();
        assert_eq!(judged(&empty), Comparison::TooFew);
    }

    #[test]
    fn a_design_that_refuses_events_is_not_best() {
        let mut lossy = figures("lossy", Tone::Good, 0.5, 500);
        lossy.events_refused = 1;
        let designs = [lossy, figures("A", Tone::Good, 0.5, 1_000), figures("B", Tone::Good, 0.5, 900)];
        let Comparison::Best { design, wins, losses, .. } = judged(&designs) else { panic!("one is best") };
        assert_eq!((design, wins[0].other, losses.len()), (2, 1, 0), "the first one is not compared");
        assert_eq!(best(&designs[..2]), "A Fewest(LosesEvents) [] []");
    }

    #[test]
    fn designs_that_all_lose_events_have_no_best_one() {
        let mut designs = [figures("A", Tone::Hot, 1.0, 1_000), figures("B", Tone::Good, 0.5, 900)];
        designs[0].events_refused = 1;
        designs[1].events_shared = 1;
        assert_eq!(judged(&designs), Comparison::NoneCanWin);
        assert_eq!(Figure::CompressedBytes.best(&designs, &standings(&designs)), None);
        designs[0].events_refused = 0;
        assert_eq!(best(&designs), "A Fewest(LosesEvents) [] []");
    }

    #[test]
    fn a_design_with_a_problem_in_its_template_does_not_compete() {
        let mut broken = figures("broken", Tone::Good, 0.5, 500);
        broken.problems = tabletop_keys::Template::parse("{unknown}", &[]).1;
        let designs = [figures("A", Tone::Good, 0.6, 1_000), figures("B", Tone::Good, 0.5, 900), broken];
        assert_eq!(
            best(&designs),
            "B MostPoints [HottestShare 0.5 Lowest (A 0.6), CompressedBytes 900 Lowest (A 1000)] []"
        );
        assert_eq!(
            Figure::CompressedBytes.best(&designs, &standings(&designs)),
            Some(900.0),
            "the broken one has none"
        );
        assert_eq!(judged(&designs[1..]), Comparison::TooFew);
    }

    #[test]
    fn the_best_values_are_those_that_differ() {
        let designs = [figures("A", Tone::Good, 0.5, 1_000), figures("B", Tone::Good, 0.75, 1_000)];
        assert_eq!(Figure::HottestShare.best(&designs, &standings(&designs)), Some(0.5));
        assert_eq!(Figure::CompressedBytes.best(&designs, &standings(&designs)), None, "all have the same");
        assert_eq!(
            Figure::Rows.best(&designs, &standings(&designs)),
            None,
            "more rows are neither good nor bad"
        );
    }
}
