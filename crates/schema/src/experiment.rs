//! The figures of the experiment of Algolia's article, and how they travel from the worker to the page.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Encoding, Job, LayoutKind, push_csv};

/// The most events that take part in the page: the first ones.
pub const EXPERIMENT_EVENTS_MAX: u32 = 100_000;

/// Runs the experiment of the article with the first events, the strategy of the workspace, the layouts of the article and the
/// designs of the workspace.
pub struct RunExperiment;

impl Job for RunExperiment {
    const NAME: &'static str = "experiment";
    type Request = ExperimentChoice;
    type Order = ();
    type Chunk = ExperimentChunk;
}

/// What the user chooses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentChoice {
    /// The facets that are asked for at all sizes, 1 or more.
    pub facets: u32,
    /// The number of sizes, 1 to 10.
    pub sizes: u32,
    /// How often each run is repeated, 1 to 50.
    pub rounds: u32,
    /// The model of a network that is added, if any.
    pub network: Option<Network>,
}

/// How far an experiment is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentChunk {
    /// How much is done.
    pub progress: ExperimentProgress,
    /// The figures, when all is done.
    pub report: Option<ExperimentReport>,
}

/// How much of an experiment is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExperimentProgress {
    /// Events that are written to tables.
    pub written: u64,
    /// Events that will be.
    pub to_write: u64,
    /// Runs that are done.
    pub runs: u64,
    /// All runs.
    pub runs_total: u64,
}

/// Everything that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentReport {
    /// Events of the largest tables.
    pub events: u64,
    /// Users with a profile.
    pub users: u64,
    /// The facets in the order in which they are asked for.
    pub facets: Vec<String>,
    /// How many of them are asked for at all sizes.
    pub facets_asked: u64,
    /// Repetitions of each run.
    pub rounds: u32,
    /// The model of a network that is added, if any.
    pub network: Option<Network>,
    /// The designs, in their order.
    pub designs: Vec<DesignFigures>,
    /// The runs, by design, then size, then facets.
    pub points: Vec<PointFigures>,
    /// How much faster designs are than the first, by facets asked for, on the largest tables.
    pub speedups: Vec<Speedup>,
    /// The encodings of values, by layout.
    pub encodings: Vec<EncodingFigures>,
    /// What was found, beside what the article says: sentences.
    pub findings: Vec<String>,
}

/// A design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DesignFigures {
    /// Its name.
    pub name: String,
    /// Its layout.
    pub layout: LayoutKind,
    /// Why it takes no part, if it does not. Then there are no figures.
    pub left_out: Option<String>,
    /// Events that it cannot write.
    pub events_refused: u64,
    /// Bytes of the files of the largest table.
    pub stored_bytes: u64,
    /// How well its cells compress.
    pub compressed: Compressed,
    /// Microseconds against events, from the medians of all sizes.
    pub line: Option<Line>,
    /// Seconds for the article's 9.0e9 events by that line, if it [can be continued](Line::fit).
    pub article_events_seconds: Option<f64>,
}

/// The runs of one design on one size with one number of facets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointFigures {
    /// The index of the design.
    pub design: u32,
    /// Events of the table.
    pub events: u64,
    /// Facets asked for.
    pub facets: u64,
    /// Rows that were looked at.
    pub rows: u64,
    /// Cells that were looked at.
    pub cells: u64,
    /// Cells that were returned.
    pub cells_returned: u64,
    /// Bytes of blocks.
    pub bytes_read: u64,
    /// Bytes of rows that were returned.
    pub bytes_returned: u64,
    /// Requests: one for each slice.
    pub requests: u64,
    /// The sum of all scores of all profiles, the same in all designs.
    pub scores: u64,
    /// Microseconds of reading, filtering and returning: of the run that takes the median of all, so that the parts add up to it.
    pub server_micros: Median,
    /// Microseconds of decoding and adding up, of the same run.
    pub client_micros: Median,
    /// Microseconds of the model of a network; 0 without one.
    pub network_micros: f64,
    /// All of these.
    pub total_micros: Median,
}

/// An encoding of the values of a layout, on the first events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodingFigures {
    /// The encoding.
    pub encoding: Encoding,
    /// Narrow: values count facets. Row per entity: they are whole events.
    pub layout: LayoutKind,
    /// Events, each with one value.
    pub events: u64,
    /// Bytes of the table's files.
    pub stored_bytes: u64,
    /// Bytes of the values, and how well they compress.
    pub compressed: Compressed,
    /// Microseconds of encoding all values.
    pub encode_micros: Median,
    /// Microseconds of decoding them, as far as profiles need it.
    pub decode_micros: Median,
}

/// The middle of several figures, and their spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Median {
    /// The middle one, or the mean of the two middle ones.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// How much faster a design is than the first one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// The index of the design.
    pub design: u32,
    /// Facets asked for.
    pub facets: u64,
    /// The time of the first design divided by that of this one.
    pub times: f64,
    /// Bytes returned of the first design divided by those of this one.
    pub bytes_times: f64,
}

impl Median {
    /// The median of these numbers; zeros for none.
    pub fn of(mut numbers: Vec<f64>) -> Median {
        numbers.sort_by(f64::total_cmp);
        let (Some(min), Some(max)) = (numbers.first().copied(), numbers.last().copied()) else { return Median::default() };
        let middle = numbers.len() / 2;
        let median = if numbers.len() % 2 == 1 { numbers[middle] } else { (numbers[middle - 1] + numbers[middle]) / 2.0 };
        Median { median, min, max }
    }
}

/// The least R² of points that are in a line.
pub const LINE_R_SQUARED: f64 = 0.99;
/// The least R² of a line that says at least roughly what follows.
const ROUGH_R_SQUARED: f64 = 0.9;

/// How near points are to their line, and whether it can be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFit {
    /// They are in a line that grows.
    InLine,
    /// Not in a line, but what it leads to is roughly right: other work of the machine has its part in the times.
    Roughly,
    /// Other work decides as much as x, or y does not grow.
    None,
}

/// The line of least squares: y = intercept + slope x.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// y for each x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
    /// R²: the share of the variance of y that the line explains, up to 1.
    pub r_squared: f64,
}

impl Line {
    /// The line through these points; `None` for fewer than two different x.
    pub fn through(points: &[(f64, f64)]) -> Option<Line> {
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum::<f64>();
        let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
        if points.len() < 2 || xx <= 0.0 {
            return None;
        }
        let slope = xy / xx;
        // All y are the same: the line explains all of nothing.
        let r_squared = if yy > 0.0 { xy * xy / (xx * yy) } else { 1.0 };
        Some(Line { slope, intercept: mean_y - slope * mean_x, r_squared })
    }

    /// How near the points are to the line.
    pub fn fit(&self) -> LineFit {
        match self.r_squared {
            r_squared if self.slope <= 0.0 || r_squared < ROUGH_R_SQUARED => LineFit::None,
            r_squared if r_squared < LINE_R_SQUARED => LineFit::Roughly,
            _ => LineFit::InLine,
        }
    }

    /// y at x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// A model of a network: each request waits for a round trip, and the bytes that are returned pass one after another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Microseconds from a request to its first byte, beyond the work of both ends.
    pub round_trip_micros: f64,
    /// Bytes per second.
    pub bytes_per_second: f64,
}

impl Network {
    /// The microseconds that a run spends on the network.
    pub fn micros(&self, requests: u64, bytes_returned: u64) -> f64 {
        requests as f64 * self.round_trip_micros + bytes_returned as f64 / self.bytes_per_second * 1e6
    }
}

/// Cells as a table stores them (key, column, timestamp, value), and the same in compressed blocks of 64 KB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compressed {
    /// Events that were looked at: cells of one row with one timestamp.
    pub events: u64,
    /// Bytes before.
    pub plain_bytes: u64,
    /// Bytes after.
    pub compressed_bytes: u64,
    /// Bytes of values only, before.
    pub value_bytes: u64,
    /// Bytes of values only, each compressed alone: small ones get larger.
    pub compressed_value_bytes: u64,
}

impl ExperimentReport {
    /// Formats the runs as CSV: times in microseconds.
    pub fn csv(&self) -> String {
        let mut out = String::from(
            "design,events,facets,rows,cells,cells_returned,bytes_read,bytes_returned,requests,server_micros,client_micros,network_micros,\
             total_micros,total_micros_min,total_micros_max\n",
        );
        for point in &self.points {
            let mut name = Vec::new();
            push_csv(&mut name, &self.designs[point.design as usize].name);
            out.push_str(&String::from_utf8_lossy(&name));
            let numbers = [
                point.events,
                point.facets,
                point.rows,
                point.cells,
                point.cells_returned,
                point.bytes_read,
                point.bytes_returned,
                point.requests,
            ];
            let times = [
                point.server_micros.median,
                point.client_micros.median,
                point.network_micros,
                point.total_micros.median,
                point.total_micros.min,
                point.total_micros.max,
            ];
            numbers.iter().for_each(|number| out.push_str(&format!(",{number}")));
            times.iter().for_each(|time| out.push_str(&format!(",{time:.1}")));
            out.push('\n');
        }
        out
    }
}
