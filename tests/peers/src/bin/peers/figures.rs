//! The figures: medians, ratios, and the goals of the ratios.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};
use tabletop_keys::thousands;
use tabletop_peers::work::{Figure, names, unit};
use tabletop_peers::{CACHE_BYTES, Result};

use crate::native::{STORES, TABLES};
use crate::profiles::MEMORY_EVENTS;

/// The name of this engine's column.
pub const OURS: &str = "Tabletop";

/// The conditions of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it was measured: "native" or "browser".
    pub place: &'static str,
    /// The table: the name of an event layout, "mixed", "row", "profiles" or "memory".
    pub layout: &'static str,
    /// The store's name.
    pub store: &'static str,
    /// The number of events or keys in the table, or of cells in the row.
    pub events: u64,
}

/// All figures, in the order of the measurements.
#[derive(Debug, Default)]
pub struct Figures {
    series: Vec<Series>,
    /// The checksums of reads. All stores must read the same.
    checksums: BTreeMap<(&'static str, u64, String), u64>,
}

/// The rounds of one figure.
#[derive(Debug)]
struct Series {
    run: Run,
    work: String,
    values: Vec<f64>,
}

/// Goals with 1,000,000 events: place, work, layout, and the ratio to the best peer, or the maximum
/// where less is better.
const GOALS: [(&str, &str, &str, f64); 18] = [
    ("native", names::LOAD_SYNCED, "wide", 5.0),
    ("native", names::LOAD_SYNCED, "narrow", 2.0),
    ("native", names::SCAN, "wide", 3.0),
    ("native", names::SCAN, "narrow", 2.0),
    ("native", names::USER, "wide", 3.0),
    ("native", names::USER, "narrow", 3.0),
    ("native", names::ROW, "wide", 2.0),
    ("native", names::ROW, "narrow", 1.0),
    ("native", names::JOB, "wide", 4.0),
    ("native", names::MEMORY_LOAD, "wide", 300.0),
    ("native", names::MEMORY_READ, "wide", (64 + (CACHE_BYTES >> 20)) as f64),
    ("native", names::DISK, "wide", 150.0),
    ("native", names::DISK, "narrow", 160.0),
    ("browser", names::LOAD, "wide", 10.0),
    ("browser", names::SCAN, "wide", 5.0),
    ("browser", names::FILTER, "wide", 3.0),
    ("browser", names::ROW, "wide", 10.0),
    ("browser", names::JOB, "wide", 10.0),
];

impl Figures {
    /// Adds a figure.
    ///
    /// # Errors
    /// An error if another store has read different data.
    pub fn add(&mut self, run: Run, figure: Figure) -> Result<()> {
        let Figure { work, value, checksum } = figure;
        if checksum != 0 {
            // Profiles are the same in both layouts, and for each way to decode their JSON.
            let (layout, what) = match work.strip_prefix(names::JOBS) {
                Some(_) => ("", work.trim_end_matches(names::TYPED)),
                None => (run.layout, work.as_str()),
            };
            let first = *self.checksums.entry((layout, run.events, what.into())).or_insert(checksum);
            if first != checksum {
                return Err(format!(
                    "{} has read different data than the others in \"{work}\" ({})",
                    run.store, run.layout
                ));
            }
        }
        match self.series.iter_mut().find(|series| series.run == run && series.work == work) {
            Some(series) => series.values.push(value),
            None => self.series.push(Series { run, work, values: vec![value] }),
        }
        Ok(())
    }

    /// Returns all rounds, their medians and the ratios as JSON.
    pub fn json(&self) -> String {
        let figures = self.series.iter().map(|series| {
            let Run { place, layout, store, events } = series.run;
            json!({
                "place": place, "layout": layout, "events": events, "work": series.work, "unit": unit(&series.work).0,
                "store": store, "rounds": series.values, "median": series.median(),
            })
        });
        let ratios: Vec<Value> = self
            .ours()
            .map(|series| {
                let Run { place, layout, events, .. } = series.run;
                json!({ "place": place, "layout": layout, "events": events, "work": series.work, "ratio": self.ratio(series) })
            })
            .collect();
        format!("{:#}\n", json!({ "figures": Vec::from_iter(figures), "ratios": ratios }))
    }

    /// Returns this engine's figures with the full number of events, table by table.
    fn ours(&self) -> impl Iterator<Item = &Series> {
        let is_ours = |series: &&Series| {
            series.run.store == OURS && series.run.events == self.events(series.run.layout)
        };
        let mut ours: Vec<&Series> = self.series.iter().filter(is_ours).collect();
        ours.sort_by_key(|series| {
            (series.run.place == "browser", TABLES.iter().position(|(table, _)| *table == series.run.layout))
        });
        ours.into_iter()
    }

    fn events(&self, layout: &str) -> u64 {
        self.series
            .iter()
            .filter(|series| series.run.layout == layout)
            .map(|series| series.run.events)
            .max()
            .unwrap_or(0)
    }

    /// Returns the figures of other stores for the same work on the same table, in the order of the
    /// stores.
    fn others(&self, ours: &Series) -> impl Iterator<Item = &Series> {
        let is_other = |series: &&Series| {
            series.work == ours.work
                && Run { store: OURS, ..series.run } == ours.run
                && series.run.store != OURS
        };
        let mut others: Vec<&Series> = self.series.iter().filter(is_other).collect();
        others.sort_by_key(|series| STORES.iter().position(|store| *store == series.run.store));
        others.into_iter()
    }

    /// Returns the ratio to the best of the others; above 1 is better, whatever the unit.
    fn ratio(&self, ours: &Series) -> Option<f64> {
        let (_, more_is_better) = unit(&ours.work);
        let quality = |series: &Series| if more_is_better { series.median() } else { 1.0 / series.median() };
        let best = self.others(ours).map(quality).max_by(f64::total_cmp)?;
        Some(quality(ours) / best)
    }

    fn goal(series: &Series) -> Option<f64> {
        let Run { place, layout, .. } = series.run;
        let known =
            GOALS.iter().find(|goal| (goal.0, goal.1, goal.2) == (place, series.work.as_str(), layout));
        known.map(|goal| goal.3)
    }

    fn find(&self, place: &str, layout: &str, work: &str, events: u64) -> Option<&Series> {
        self.series.iter().find(|Series { run, work: known, .. }| {
            run.store == OURS
                && (run.place, run.layout, run.events) == (place, layout, events)
                && known == work
        })
    }

    /// Compares wide with narrow, and the growth of times with the growth of events.
    fn conclusions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.events("wide");
        for (work, goal) in [(names::JOB, 3.0), (names::JOB_ALL, 1.0)] {
            if let (Some(wide), Some(narrow)) =
                (self.find("native", "wide", work, all), self.find("native", "narrow", work, all))
            {
                let ratio = wide.median() / narrow.median();
                writeln!(f, "{work}: wide is {ratio:.2} times as fast as narrow (goal {goal})")?;
            }
        }
        for work in [names::SCAN, names::LOAD_SYNCED, names::JOB] {
            for layout in ["wide", "narrow"] {
                if let (Some(large), Some(small)) =
                    (self.find("native", layout, work, all), self.find("native", layout, work, all / 10))
                {
                    let ratio = small.median() / large.median();
                    writeln!(
                        f,
                        "{work}, {layout}: time per event is {ratio:.2} times that with {} events (goal 1.3)",
                        all / 10
                    )?;
                }
            }
        }
        let memory = |events| self.find("native", "memory", names::MEMORY_BATCH, events).map(Series::median);
        let [few, rest @ ..] = MEMORY_EVENTS;
        for events in rest {
            if let (Some(most), Some(least)) = (memory(events), memory(few)) {
                let (ratio, events, few) = (most / least, thousands(events), thousands(few));
                writeln!(
                    f,
                    "{}, {events} events: {ratio:.2} times that with {few} (goal 1.3)",
                    names::MEMORY_BATCH
                )?;
            }
        }
        for ours in self.ours().filter(|series| series.run.place == "browser" && unit(&series.work).1) {
            if let Some(native) = self.find("native", ours.run.layout, &ours.work, all) {
                let ratio = ours.median() / native.median();
                let goal = if ours.work == names::LOAD_SYNCED { 0.3 } else { 0.6 };
                writeln!(
                    f,
                    "{}, {}: {ratio:.2} of native in the browser (goal {goal})",
                    ours.work, ours.run.layout
                )?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = ("", "");
        for series in self.ours() {
            let Run { place, layout, events, .. } = series.run;
            let others: Vec<&Series> = self.others(series).collect();
            if shown != (place, layout) {
                shown = (place, layout);
                let rounds = series.values.len();
                let what = match layout {
                    "mixed" => "keys",
                    "row" => "cells",
                    _ => "events",
                };
                writeln!(f, "\n{layout}, {place}: {} {what}, medians of {rounds}", thousands(events))?;
                write!(f, "  {:<36} {OURS:>12}", "")?;
                others.iter().try_for_each(|other| write!(f, " {:>12}", other.run.store))?;
                writeln!(f, " {:<10} ours / best (goal)", "")?;
            }
            write!(f, "  {:<36} {:>12}", series.work, shown_value(series.median()))?;
            others.iter().try_for_each(|other| write!(f, " {:>12}", shown_value(other.median())))?;
            write!(f, " {:<10}", unit(&series.work).0)?;
            if let Some(ratio) = self.ratio(series) {
                write!(f, " {ratio:>6.2}")?;
            }
            match Figures::goal(series) {
                Some(goal) if !unit(&series.work).1 => {
                    writeln!(f, " (at most {goal:.0}{})", missed(series.median() > goal))?;
                }
                Some(goal) => writeln!(
                    f,
                    " ({goal:.0}{})",
                    missed(self.ratio(series).is_some_and(|ratio| ratio < goal))
                )?,
                None => writeln!(f)?,
            }
        }
        writeln!(f)?;
        self.conclusions(f)
    }
}

fn missed(is_missed: bool) -> &'static str {
    if is_missed { ", missed" } else { "" }
}

/// Formats a value with three digits or more.
fn shown_value(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => thousands(value.round() as u64),
    }
}

impl Series {
    fn median(&self) -> f64 {
        let mut values = self.values.clone();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }
}
