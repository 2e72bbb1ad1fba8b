//! The figures of the experiment of Algolia's article, as they are sent from the worker to the
//! page.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_keys::{Encoding, LayoutKind, push_csv};

use crate::Job;

/// The maximum number of events that the page's experiment uses: the first ones.
pub const EXPERIMENT_EVENTS_MAX: u32 = 100_000;

/// Runs the experiment of the article with the first events, the strategy of the workspace, the
/// layouts of the article and the designs of the workspace.
pub struct RunExperiment;

impl Job for RunExperiment {
    const NAME: &'static str = "experiment";
    type Request = ExperimentChoice;
    type Order = ();
    type Chunk = ExperimentChunk;
}

/// The user's choices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentChoice {
    /// The number of facets requested at all sizes, 1 or more.
    pub facets: u32,
    /// The number of sizes, 1 to 10.
    pub sizes: u32,
    /// How often each run is repeated, 1 to 50.
    pub rounds: u32,
    /// The model of a network; `None` to measure without one.
    pub network: Option<Network>,
}

/// The progress of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentChunk {
    /// How much is done.
    pub progress: ExperimentProgress,
    /// The figures, once everything is measured.
    pub report: Option<ExperimentReport>,
}

/// How much of an experiment is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExperimentProgress {
    /// Number of events that have been written to tables.
    pub written: u64,
    /// Number of events to write in total.
    pub to_write: u64,
    /// Number of runs that are done.
    pub runs: u64,
    /// Number of runs in total.
    pub runs_total: u64,
}

/// Everything that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentReport {
    /// Number of events in the largest tables.
    pub events: u64,
    /// Number of users with a profile.
    pub users: u64,
    /// The facets, in the order in which they are requested.
    pub facets: Vec<String>,
    /// How many of them are requested at all sizes.
    pub facets_asked: u64,
    /// The number of repetitions of each run.
    pub rounds: u32,
    /// The model of a network; `None` without one.
    pub network: Option<Network>,
    /// The designs, in their order.
    pub designs: Vec<DesignFigures>,
    /// The runs, by design, then size, then facets.
    pub points: Vec<PointFigures>,
    /// How much faster each design is than the first one, by the number of requested facets, on the
    /// largest tables.
    pub speedups: Vec<Speedup>,
    /// The encodings of values, by layout.
    pub encodings: Vec<EncodingFigures>,
    /// The findings, as sentences next to the statements of the article.
    pub findings: Vec<String>,
}

/// The figures of a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DesignFigures {
    /// The design's name.
    pub name: String,
    /// The design's layout.
    pub layout: LayoutKind,
    /// Why the design was left out; `None` if it was measured. A design that is left out does not
    /// have figures.
    pub left_out: Option<String>,
    /// Number of events that the design cannot write.
    pub events_refused: u64,
    /// Bytes of the files of the largest table.
    pub stored_bytes: u64,
    /// How well its cells compress.
    pub compressed: Compressed,
    /// Microseconds against events, from the medians of all sizes; `None` for fewer than
    /// [`LINE_SIZES_MIN`].
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
    /// Number of requested facets.
    pub facets: u64,
    /// Number of rows that were looked at.
    pub rows: u64,
    /// Number of cells that were looked at.
    pub cells: u64,
    /// Number of cells that were returned.
    pub cells_returned: u64,
    /// Bytes of the blocks that were read.
    pub bytes_read: u64,
    /// Bytes of the rows that were returned.
    pub bytes_returned: u64,
    /// Number of requests: one for each slice.
    pub requests: u64,
    /// The sum of all scores of all profiles, the same in all designs.
    pub scores: u64,
    /// Microseconds of reading, filtering and returning, in the run with the median total, so that
    /// the parts add up to the total.
    pub server_micros: Median,
    /// Microseconds of decoding and adding up, in the same run.
    pub client_micros: Median,
    /// Microseconds of the model of a network; 0 without one.
    pub network_micros: f64,
    /// The sum of these times.
    pub total_micros: Median,
}

/// An encoding of the values of a layout, on the first events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodingFigures {
    /// The encoding.
    pub encoding: Encoding,
    /// Narrow: values count facets. Row per entity: values are whole events.
    pub layout: LayoutKind,
    /// Number of events. Each has one value.
    pub events: u64,
    /// Bytes of the table's files.
    pub stored_bytes: u64,
    /// Bytes of the values, and how well they compress.
    pub compressed: Compressed,
    /// Microseconds of encoding all values.
    pub encode_micros: Median,
    /// Microseconds of decoding what profiles need of all values.
    pub decode_micros: Median,
}

/// The median of several figures, and their range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Median {
    /// The middle figure, or the mean of the two middle ones.
    pub median: f64,
    /// The smallest figure.
    pub min: f64,
    /// The largest figure.
    pub max: f64,
}

/// How much faster a design is than the first one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// The index of the design.
    pub design: u32,
    /// Number of requested facets.
    pub facets: u64,
    /// The time of the first design, divided by the time of this one.
    pub times: f64,
    /// The bytes that the first design returns, divided by those of this one.
    pub bytes_times: f64,
}

impl Median {
    /// Returns the median of these numbers; zeros without numbers.
    pub fn of(mut numbers: Vec<f64>) -> Median {
        numbers.sort_by(f64::total_cmp);
        let (Some(min), Some(max)) = (numbers.first().copied(), numbers.last().copied()) else {
            return Median::default();
        };
        let middle = numbers.len() / 2;
        let median = if numbers.len() % 2 == 1 {
            numbers[middle]
        } else {
            (numbers[middle - 1] + numbers[middle]) / 2.0
        };
        Median { median, min, max }
    }
}

/// The minimum number of sizes that show how the time grows: a line through two or three points is
/// close to them whatever they mean.
pub const LINE_SIZES_MIN: usize = 4;
/// The minimum R² at which points count as being on a line.
pub const LINE_R_SQUARED: f64 = 0.99;
/// The minimum R² at which a line can be extrapolated at least roughly.
const ROUGH_R_SQUARED: f64 = 0.9;

/// How close points are to their line, and whether the line can be extrapolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFit {
    /// The points are on a growing line.
    InLine,
    /// The points are not on a line, but an extrapolation is roughly right: other work of the
    /// machine has influenced the times.
    Roughly,
    /// The line cannot be extrapolated: other work influences the times as much as x does, or y
    /// does not grow.
    None,
}

/// The line of least squares: y = intercept + slope x.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The slope: how much y grows per unit of x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
    /// R²: the share of the variance of y that the line explains, up to 1.
    pub r_squared: f64,
}

impl Line {
    /// Returns the line through these points; `None` for fewer than two different x.
    pub fn through(points: &[(f64, f64)]) -> Option<Line> {
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| {
            points.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum::<f64>()
        };
        let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
        if points.len() < 2 || xx <= 0.0 {
            return None;
        }
        let slope = xy / xx;
        // If all y are the same, there is no variance to explain.
        let r_squared = if yy > 0.0 { xy * xy / (xx * yy) } else { 1.0 };
        Some(Line { slope, intercept: mean_y - slope * mean_x, r_squared })
    }

    /// Returns how close the points are to the line.
    pub fn fit(&self) -> LineFit {
        match self.r_squared {
            r_squared if self.slope <= 0.0 || r_squared < ROUGH_R_SQUARED => LineFit::None,
            r_squared if r_squared < LINE_R_SQUARED => LineFit::Roughly,
            _ => LineFit::InLine,
        }
    }

    /// Returns y at x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// A model of a network: each request waits for a round trip, and the returned bytes are sent one
/// after another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Microseconds from a request to its first byte, without the work at both ends.
    pub round_trip_micros: f64,
    /// Bytes per second.
    pub bytes_per_second: f64,
}

impl Network {
    /// Returns the microseconds that a run spends on the network.
    pub fn micros(&self, requests: u64, bytes_returned: u64) -> f64 {
        requests as f64 * self.round_trip_micros + bytes_returned as f64 / self.bytes_per_second * 1e6
    }
}

/// The sizes of cells as a table stores them (key, column, timestamp, value), before and after
/// compression in blocks of 64 KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compressed {
    /// Number of events that were looked at: cells of one row with one timestamp.
    pub events: u64,
    /// Bytes before compression.
    pub plain_bytes: u64,
    /// Bytes after compression.
    pub compressed_bytes: u64,
    /// Bytes of the values only, before compression.
    pub value_bytes: u64,
    /// Bytes of the values only, each compressed separately. Small values become larger.
    pub compressed_value_bytes: u64,
}

impl Compressed {
    /// Returns an estimate of the bytes of this many events in compressed blocks.
    pub fn bytes_of(&self, events: u64) -> f64 {
        self.compressed_bytes as f64 / self.events.max(1) as f64 * events as f64
    }
}

impl ExperimentReport {
    /// Formats the runs as CSV, with times in microseconds.
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
