//! Measured figures and their goals.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

/// The names of the columns.
pub const OURS: &str = "Tabletop";
pub const ON_DISK: &str = "with --data";
pub const EMULATOR: &str = "emulator";

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    Load,
    Scan,
    Limit,
    Points,
    Interleave,
    Memory,
    /// The slowest read of a thousand, during other work.
    BusyReads,
    BusyWrites,
}

/// Each work with its name and unit, the emulator's figure on the reference machine, and the factor
/// by which Tabletop must be better.
const WORKS: [(Work, &str, &str, f64, f64); 8] = [
    (Work::Load, "MutateRows, 1,000 rows a batch, random order", "rows/s", 132_000.0, 3.0),
    (Work::Scan, "full scan", "rows/s", 125_000.0, 5.0),
    (Work::Limit, "limit=10 without a range", "ms", 1_200.0, 500.0),
    (Work::Points, "point reads, 16 in flight", "rows/s", 23_000.0, 2.0),
    (Work::Interleave, "interleave of 2 qualifier regexes, 200 columns", "rows/s", 519.0, 50.0),
    (Work::Memory, "memory per 1,000,000 cells", "MB", 1_350.0, 5.0),
    // The emulator does not have figures for these, so the goals are our own.
    (Work::BusyReads, "p99.9 of point reads during writes and compactions", "ms", 20.0, 1.0),
    (Work::BusyWrites, "p99.9 of writes of a row during them", "ms", 20.0, 1.0),
];

/// All figures of a run.
#[derive(Debug)]
pub struct Figures {
    rows: u64,
    values: BTreeMap<(Work, &'static str), f64>,
}

impl Figures {
    /// Creates figures for tables with this number of rows.
    pub fn new(rows: u64) -> Figures {
        Figures { rows, values: BTreeMap::new() }
    }

    /// The rows of a table.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a figure.
    pub fn add(&mut self, column: &'static str, work: Work, value: f64) {
        self.values.insert((work, column), value);
    }

    /// All figures as JSON.
    pub fn json(&self) -> Vec<Value> {
        let lines = WORKS.iter().map(|(work, name, unit, expected, goal)| {
            let value = |column| self.values.get(&(*work, column)).copied();
            json!({
                "work": name, "unit": unit, "rows": self.rows, "tabletop": value(OURS), "tabletop_on_disk": value(ON_DISK),
                "emulator": value(EMULATOR), "emulator_of_the_goals": expected, "goal_ratio": goal,
            })
        });
        lines.collect()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} rows in a table; a client in another process\n", number(self.rows as f64))?;
        writeln!(f, "{:51} {:>12} {:>12} {:>12}  {:>22}", "", OURS, ON_DISK, EMULATOR, "goal")?;
        for (work, name, unit, of_goals, ratio) in WORKS {
            let value = |column| self.values.get(&(work, column)).copied();
            let shown = |column| value(column).map_or("-".to_string(), number);
            let expected = value(EMULATOR).unwrap_or(of_goals);
            let is_less_better = !matches!(work, Work::Load | Work::Scan | Work::Points | Work::Interleave);
            let goal = if is_less_better { expected / ratio } else { expected * ratio };
            let is_reached = value(OURS).map(|ours| if is_less_better { ours <= goal } else { ours >= goal });
            let verdict = is_reached.map_or("", |is_reached| if is_reached { "reached" } else { "MISSED" });
            let goal = format!("{} {unit} {verdict}", number(goal));
            writeln!(
                f,
                "{name:51} {:>12} {:>12} {:>12}  {goal:>22}",
                shown(OURS),
                shown(ON_DISK),
                shown(EMULATOR)
            )?;
        }
        Ok(())
    }
}

/// Formats a number, with three significant digits if it is small, otherwise as a whole number with
/// commas.
pub fn number(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}
