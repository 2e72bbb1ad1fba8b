//! The figures of an experiment.

use serde::Serialize;
use tabletop_model::Result;
use tabletop_schema::LayoutKind;

use super::compress::Compressed;
use super::fit::Line;
use super::{Experiment, Measured, Network, findings};

/// Everything that was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// What was found, beside what the article says: sentences.
    pub findings: Vec<String>,
}

/// A design.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Seconds for the article's 9.0e9 events by that line.
    pub article_events_seconds: Option<f64>,
}

/// The runs of one design on one size with one number of facets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointFigures {
    /// The index of the design.
    pub design: usize,
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
    /// Microseconds of reading, filtering and returning.
    pub server_micros: Median,
    /// Microseconds of decoding and adding up.
    pub client_micros: Median,
    /// Microseconds of the model of a network; 0 without one.
    pub network_micros: f64,
    /// All of these.
    pub total_micros: Median,
}

/// The middle of several figures, and their spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Median {
    /// The middle one, or the mean of the two middle ones.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// How much faster a design is than the first one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Speedup {
    /// The index of the design.
    pub design: usize,
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

impl Experiment {
    /// Returns the figures of the runs that are done. Sizes of files and compression are those of the largest tables.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn report(&mut self) -> Result<ExperimentReport> {
        let points = self.points();
        let designs = self.designs_with_lines(&points)?;
        let mut report = ExperimentReport {
            events: self.sizes.last().copied().unwrap_or_default().into(),
            users: self.done.iter().map(|run| run.users).max().unwrap_or_default(),
            facets: self.facets.clone(),
            facets_asked: self.settings.facets.into(),
            rounds: self.settings.rounds,
            network: self.settings.network,
            designs,
            speedups: self.speedups(&points),
            points,
            findings: Vec::new(),
        };
        report.findings = findings::of(&report);
        Ok(report)
    }

    fn points(&self) -> Vec<PointFigures> {
        let mut places: Vec<(usize, usize, usize)> = self.done.iter().map(|run| (run.design, run.size, run.facets)).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| self.point(place)).collect()
    }

    fn point(&self, (design, size, facets): (usize, usize, usize)) -> PointFigures {
        let runs: Vec<&Measured> =
            self.done.iter().filter(|run| (run.design, run.size, run.facets) == (design, size, facets)).collect();
        // Counts are the same in all rounds.
        let first = runs[0];
        let network_micros = self.settings.network.map_or(0.0, |network| network.micros(first.requests, first.bytes_returned));
        let median = |of: &dyn Fn(&Measured) -> f64| Median::of(runs.iter().map(|run| of(run)).collect());
        PointFigures {
            design,
            events: self.sizes[size].into(),
            facets: facets as u64,
            rows: first.rows,
            cells: first.cells,
            cells_returned: first.cells_returned,
            bytes_read: first.bytes_read,
            bytes_returned: first.bytes_returned,
            requests: first.requests,
            scores: first.scores,
            server_micros: median(&|run| run.server_micros as f64),
            client_micros: median(&|run| run.client_micros as f64),
            network_micros,
            total_micros: median(&|run| (run.server_micros + run.client_micros) as f64 + network_micros),
        }
    }

    fn designs_with_lines(&mut self, points: &[PointFigures]) -> Result<Vec<DesignFigures>> {
        let usual = u64::from(self.settings.facets);
        let mut figures = Vec::new();
        for (at, contender) in self.designs.iter_mut().enumerate() {
            let by_size: Vec<(f64, f64)> = points
                .iter()
                .filter(|point| point.design == at && point.facets == usual)
                .map(|point| (point.events as f64, point.total_micros.median))
                .collect();
            let line = Line::through(&by_size);
            let largest = contender.tables.last_mut().filter(|table| table.is_complete());
            let (events_refused, stored_bytes, compressed) = match largest {
                Some(table) => (table.refused().into(), table.stored_bytes()?, table.compressed()?),
                None => (0, 0, Compressed::default()),
            };
            figures.push(DesignFigures {
                name: contender.name.clone(),
                layout: self.settings.designs[at].layout.kind,
                left_out: contender.keys.as_ref().err().map(|error| error.message.clone()),
                events_refused,
                stored_bytes,
                compressed,
                line,
                article_events_seconds: line.map(|line| line.at(findings::ARTICLE_EVENTS) / 1e6),
            });
        }
        Ok(figures)
    }

    fn speedups(&self, points: &[PointFigures]) -> Vec<Speedup> {
        let largest: u64 = self.sizes.last().copied().unwrap_or_default().into();
        let mut speedups = Vec::new();
        for point in points.iter().filter(|point| point.design > 0 && point.events == largest) {
            let is_base = |base: &&PointFigures| (base.design, base.events, base.facets) == (0, point.events, point.facets);
            let Some(base) = points.iter().find(is_base) else { continue };
            let ratio = |one: f64, other: f64| if other > 0.0 { one / other } else { 1.0 };
            speedups.push(Speedup {
                design: point.design,
                facets: point.facets,
                times: ratio(base.total_micros.median, point.total_micros.median),
                bytes_times: ratio(base.bytes_returned as f64, point.bytes_returned as f64),
            });
        }
        speedups
    }
}
