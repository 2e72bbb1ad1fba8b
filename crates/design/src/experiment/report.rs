//! The figures of an experiment.

use tabletop_model::Result;
use tabletop_protocol::experiment::{
    Compressed, DesignFigures, ExperimentReport, LINE_SIZES_MIN, Line, LineFit, Median, PointFigures, Speedup,
};

use super::{Experiment, Measured, findings};

impl Experiment {
    /// Returns the figures of the runs that are done. File sizes and compression are measured on
    /// the largest tables.
    ///
    /// # Errors
    /// Any error of the engine.
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
            encodings: self.encodings.figures()?,
            findings: Vec::new(),
        };
        report.findings = findings::of(&report);
        Ok(report)
    }

    fn points(&self) -> Vec<PointFigures> {
        let mut places: Vec<(usize, usize, usize)> =
            self.done.iter().map(|run| (run.design, run.size, run.facets)).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| self.point(place)).collect()
    }

    fn point(&self, (design, size, facets): (usize, usize, usize)) -> PointFigures {
        let runs: Vec<&Measured> = self
            .done
            .iter()
            .filter(|run| (run.design, run.size, run.facets) == (design, size, facets))
            .collect();
        // Counts are the same in all rounds.
        let first = runs[0];
        let network_micros =
            self.settings.network.map_or(0.0, |network| network.micros(first.requests, first.bytes_returned));
        let median = |of: &dyn Fn(&Measured) -> f64| Median::of(runs.iter().map(|run| of(run)).collect());
        // The parts come from the middle run, or from the two middle runs. The medians of the
        // single parts may come from different runs, so their sum would not be the median of the
        // total.
        let mut by_total = runs.clone();
        by_total.sort_by_key(|run| run.server_micros + run.client_micros);
        let middle = &by_total[(runs.len() - 1) / 2..=runs.len() / 2];
        let part = |of: &dyn Fn(&Measured) -> f64| {
            let in_middle = middle.iter().map(|run| of(run)).sum::<f64>() / middle.len() as f64;
            Median { median: in_middle, ..median(of) }
        };
        PointFigures {
            design: design as u32,
            events: self.sizes[size].into(),
            facets: facets as u64,
            rows: first.rows,
            cells: first.cells,
            cells_returned: first.cells_returned,
            bytes_read: first.bytes_read,
            bytes_returned: first.bytes_returned,
            requests: first.requests,
            scores: first.scores,
            server_micros: part(&|run| run.server_micros as f64),
            client_micros: part(&|run| run.client_micros as f64),
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
                .filter(|point| point.design as usize == at && point.facets == usual)
                .map(|point| (point.events as f64, point.total_micros.median))
                .collect();
            let line = (by_size.len() >= LINE_SIZES_MIN).then(|| Line::through(&by_size)).flatten();
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
                article_events_seconds: line
                    .filter(|line| line.fit() != LineFit::None)
                    .map(|line| line.at(findings::ARTICLE_EVENTS) / 1e6),
            });
        }
        Ok(figures)
    }

    fn speedups(&self, points: &[PointFigures]) -> Vec<Speedup> {
        let largest: u64 = self.sizes.last().copied().unwrap_or_default().into();
        let mut speedups = Vec::new();
        for point in points.iter().filter(|point| point.design > 0 && point.events == largest) {
            let is_base = |base: &&PointFigures| {
                (base.design, base.events, base.facets) == (0, point.events, point.facets)
            };
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
