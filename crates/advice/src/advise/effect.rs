//! The effect of an edit: the figures of a design and of the query on the screen, before and after
//! it.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_keys::Query;
use tabletop_model::{ReadStats, TableView};

use super::{DesignFigures, Figure};

/// The figures of a design's table and of a query, at a moment when both are complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    events: u32,
    /// The number of tables.
    tables: usize,
    refused: u32,
    figures: [Option<f64>; FIGURES.len()],
    read: Option<(Query, ReadCost)>,
    /// Whether events were arriving.
    arrives: bool,
}

/// The counts of a complete read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadCost {
    /// Row ranges and keys.
    pub ranges: u32,
    /// Rows and cells that were seen and returned.
    pub stats: ReadStats,
}

/// The figures of a table that an edit can change, the most important first.
const FIGURES: [Figure; 5] =
    [Figure::HottestShare, Figure::StoredBytes, Figure::Rows, Figure::Cells, Figure::Splits];

/// What an edit can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affected {
    /// The number of tables.
    Tables,
    /// A figure of the table.
    Figure(Figure),
    /// The number of events that the layout refuses.
    EventsRefused,
    /// Row ranges and keys of the query on the screen.
    Ranges,
    /// Rows that it sees.
    RowsSeen,
    /// Rows that it returns.
    RowsReturned,
}

/// One value before and after an edit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// What has changed.
    pub of: Affected,
    /// The value before.
    pub before: f64,
    /// The value after.
    pub after: f64,
}

impl Snapshot {
    /// Returns the figures of a complete table of `events`, of which its layout has refused some,
    /// and of the last read.
    pub fn of(table: &TableView, events: u32, refused: u32, read: Option<(&Query, ReadCost)>) -> Snapshot {
        let written = events.saturating_sub(refused);
        Snapshot {
            events,
            tables: 1,
            refused,
            figures: FIGURES.map(|figure| figure.of_table(table, written)),
            read: read.map(|(query, cost)| (query.clone(), cost)),
            arrives: false,
        }
    }

    /// Returns the figures that can be compared while events arrive: the share of the hottest tablet
    /// does not depend on the number of events.
    pub fn while_events_arrive(self) -> Snapshot {
        let [hottest_share, ..] = self.figures;
        Snapshot { figures: [hottest_share, None, None, None, None], read: None, arrives: true, ..self }
    }

    /// Returns the sums of the figures of several tables on the same events. A share has no sum.
    /// `None` while one of them changes.
    pub fn of_all(tables: &[DesignFigures]) -> Option<Snapshot> {
        let sum = |figure: Figure| match figure {
            Figure::HottestShare => None,
            _ => tables
                .iter()
                .map(|of| figure.of_table(&of.table, of.events_built.saturating_sub(of.events_refused)))
                .sum(),
        };
        let events = tables.first()?.events_built;
        let is_complete =
            tables.iter().all(|of| !of.changes && of.problems.is_empty() && of.events_built == events);
        is_complete.then(|| Snapshot {
            events,
            tables: tables.len(),
            refused: tables.iter().map(|of| of.events_refused).sum(),
            figures: FIGURES.map(sum),
            read: None,
            arrives: false,
        })
    }

    /// Returns what is different in a later snapshot, the most important first. `None` if they are
    /// of other events, or if one of them was taken while events arrived and shows no difference.
    pub fn effects(&self, later: &Snapshot) -> Option<Vec<Effect>> {
        let mut all: Vec<(Affected, Option<f64>, Option<f64>)> = Vec::new();
        all.push((Affected::Tables, Some(self.tables as f64), Some(later.tables as f64)));
        let arrives = self.arrives || later.arrives;
        if !arrives {
            all.push((Affected::EventsRefused, Some(self.refused.into()), Some(later.refused.into())));
        }
        for (at, figure) in FIGURES.into_iter().enumerate() {
            all.push((Affected::Figure(figure), self.figures[at], later.figures[at]));
        }
        if let (Some((query, before)), Some((later_query, after))) = (&self.read, &later.read)
            && query == later_query
        {
            let mut push =
                |of, value: fn(&ReadCost) -> f64| all.push((of, Some(value(before)), Some(value(after))));
            push(Affected::Ranges, |cost| cost.ranges.into());
            push(Affected::RowsSeen, |cost| cost.stats.rows_seen as f64);
            push(Affected::RowsReturned, |cost| cost.stats.rows_returned as f64);
        }
        let differs = |(of, before, after): (Affected, Option<f64>, Option<f64>)| {
            let (before, after) = before.zip(after)?;
            (!Figure::are_same(before, after)).then_some(Effect { of, before, after })
        };
        let effects: Vec<Effect> = all.into_iter().filter_map(differs).collect();
        let is_known = if arrives { !effects.is_empty() } else { self.events == later.events };
        is_known.then_some(effects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;
    use tabletop_keys::RowChoice;
    use tabletop_model::{TableView, TabletId, TabletView};

    /// A table of tablets with these writes per second, and its stored bytes.
    fn table(writes: &[f64], stored: u64) -> TableView {
        let tablet = |(at, writes_per_second): (usize, &f64)| TabletView {
            id: TabletId(at as u64),
            parent: None,
            start: Default::default(),
            end: Default::default(),
            rows: 100 / writes.len() as u64,
            cells: 100 / writes.len() as u64,
            exact: true,
            bytes: stored / writes.len() as u64,
            memtable_bytes: 0,
            sstables: 1,
            reads: 0,
            writes: 1,
            reads_per_second: 0.0,
            writes_per_second: *writes_per_second,
        };
        let tablets: Vec<TabletView> = writes.iter().enumerate().map(tablet).collect();
        let splits = tablets.len() as u64 - 1;
        TableView { tablets, splits, ..TableView::default() }
    }

    fn read(ranges: u32, rows_seen: u64) -> (Query, ReadCost) {
        let query =
            Query { rows: RowChoice::Prefix("a".into()), filter: None, rows_limit: 0, reversed: false };
        (query, ReadCost { ranges, stats: ReadStats { rows_seen, rows_returned: 7, ..ReadStats::default() } })
    }

    fn snapshot(table: &TableView, read: &(Query, ReadCost)) -> Snapshot {
        Snapshot::of(table, 100, 0, Some((&read.0, read.1)))
    }

    fn said(before: &Snapshot, after: &Snapshot) -> Vec<String> {
        let effects = before.effects(after).expect("the events are the same");
        effects.iter().map(|Effect { of, before, after }| format!("{of:?} {before} -> {after}")).collect()
    }

    #[test]
    fn an_edit_has_the_effects_that_it_has_changed() {
        let before = snapshot(&table(&[10.0], 1_600_000), &read(1, 7));
        let after = snapshot(&table(&[5.0, 5.0], 1_400_000), &read(8, 20));
        assert_eq!(
            said(&before, &after),
            [
                "Figure(HottestShare) 1 -> 0.5",
                "Figure(StoredBytes) 1600000 -> 1400000",
                "Figure(Splits) 0 -> 1",
                "Ranges 1 -> 8",
                "RowsSeen 7 -> 20"
            ]
        );
        assert!(said(&before, &before).is_empty());
    }

    #[test]
    fn while_events_arrive_the_hottest_share_is_compared() {
        let before = snapshot(&table(&[10.0], 1_000), &read(1, 7)).while_events_arrive();
        let after = Snapshot::of(&table(&[5.0, 5.0], 3_000), 200, 1, None);
        assert_eq!(said(&before, &after), ["Figure(HottestShare) 1 -> 0.5"]);
        assert_eq!(said(&before, &after.clone().while_events_arrive()), ["Figure(HottestShare) 1 -> 0.5"]);
        // What is not known yet is not shown.
        assert_eq!(before.effects(&before), None);
    }

    #[test]
    fn values_of_other_events_or_of_another_query_are_not_compared() {
        let (one, other) = (table(&[10.0], 1_000), table(&[10.0], 2_000));
        let more = Snapshot::of(&other, 200, 0, None);
        assert_eq!(snapshot(&one, &read(1, 7)).effects(&more), None);
        let (mut query, cost) = read(8, 20);
        query.rows_limit = 1;
        assert_eq!(
            said(&snapshot(&one, &read(1, 7)), &snapshot(&other, &(query, cost))),
            ["Figure(StoredBytes) 1000 -> 2000"]
        );
    }

    #[test]
    fn another_number_of_tables_is_shown_with_their_sums() {
        let figures = |stored: u64, changes: bool| DesignFigures {
            design: tabletop_workspace::Workspace::default().designs.swap_remove(0),
            problems: Vec::new(),
            events_built: 100,
            events_refused: 0,
            events_shared: 0,
            events_total: 100,
            changes,
            verdict: Verdict::default(),
            key_bytes_max: 1,
            logical_bytes: None,
            compressed_bytes: None,
            table: table(&[10.0], stored),
            indexes: Vec::new(),
        };
        let one = Snapshot::of_all(&[figures(1_000, false)]).expect("it is complete");
        let two = Snapshot::of_all(&[figures(1_000, false), figures(500, false)]).expect("both are complete");
        assert_eq!(
            said(&one, &two),
            [
                "Tables 1 -> 2",
                "Figure(StoredBytes) 1000 -> 1500",
                "Figure(Rows) 100 -> 200",
                "Figure(Cells) 100 -> 200"
            ]
        );
        assert_eq!(Snapshot::of_all(&[figures(1_000, false), figures(500, true)]), None);
        assert_eq!(Snapshot::of_all(&[]), None);
    }

    #[test]
    fn events_that_a_layout_refuses_come_first() {
        let table = table(&[10.0], 1_000);
        let with = |refused| Snapshot::of(&table, 100, refused, None);
        let said = said(&with(0), &with(3));
        assert_eq!(said, vec!["EventsRefused 0 -> 3"]);
    }
}
