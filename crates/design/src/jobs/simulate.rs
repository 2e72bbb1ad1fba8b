//! Runs of simulated traffic.

use std::sync::Arc;

use tabletop_keys::Template;
use tabletop_model::Error;
use tabletop_protocol::{
    Begin, Clock, JobError, Progress, ReadTrace, Run, Simulate, SimulateRequest, SimulationHave, TraceFile,
};
use tabletop_workload::{Events, Population, Trace};
use tabletop_workspace::{REPLAY_KEPT_MAX, Stream, Traffic, tables_of_designs};

use super::{DesignHost, no_design};
use crate::simulation::{Setting, SimulationRun, form_of_log};

/// The approximate number of requests in a slice: some milliseconds of work.
const REQUESTS_PER_SLICE: f64 = 20_000.0;
/// The maximum number of tenths of a second that one slice simulates.
const TENTHS_MAX: f64 = 20.0;

/// A simulation, and the events that it writes and reads.
pub struct OpenSimulation {
    events: Arc<Events>,
    /// The design's own table and its index tables, as pairs of id and revision, in their order.
    of: Vec<(u32, u64)>,
    run: SimulationRun,
    /// Tenths of a second in a slice.
    tenths: u32,
}

impl<H: DesignHost + ?Sized> Begin<H> for OpenSimulation {
    fn begin(
        host: &mut H,
        SimulateRequest { index, traffic }: SimulateRequest,
        _: Clock,
    ) -> Result<OpenSimulation, JobError> {
        let designs = &host.workspace().designs;
        let of = tables_of_designs(designs).into_iter().find(|of| of.start == index as usize);
        let of = of.ok_or_else(|| no_design(index, designs.len()))?;
        host.bring_to_rest(of.clone())?;
        let events = host.events().clone();
        let queries = &host.workspace().queries;
        if let Some(problem) = traffic.problems(events.fields(), queries).first() {
            return Err(JobError::Unfit(Error::invalid(problem.to_string())));
        }
        let population = Arc::new(Population::new(&events, events.len(), &traffic));
        let setting =
            Setting { events: &events, traffic: &traffic, queries, tablets: &host.workspace().cluster };
        let tables: Vec<_> = of.clone().map(|at| host.table_at_rest(at)).collect();
        let run = SimulationRun::new(&tables, &setting, population)?;
        let peak: f64 = traffic.streams.iter().map(Stream::peak_per_second).sum();
        let tenths = (REQUESTS_PER_SLICE / (peak / 10.0).max(1.0)).clamp(1.0, TENTHS_MAX) as u32;
        let of = host.tables()[of].iter().map(|table| (table.id, table.revision())).collect();
        Ok(OpenSimulation { events, of, run, tenths })
    }
}

impl<H: DesignHost + ?Sized> Run<H> for OpenSimulation {
    type Job = Simulate;

    fn next(&mut self, _: &mut H, have: SimulationHave, _: Clock) -> Result<Progress<Simulate>, JobError> {
        self.run.step(&self.events, self.tenths);
        // After its end, a simulation can still be asked for the heatmap of another metric.
        Ok(Progress::More(self.run.chunk(&have)))
    }

    fn is_current(&self, host: &H) -> bool {
        let has = |of: &(u32, u64)| host.tables().iter().any(|table| (table.id, table.revision()) == *of);
        Arc::ptr_eq(&self.events, host.events()) && self.of.iter().all(has)
    }
}

/// Reads a trace file and returns the streams of a traffic, in one slice.
pub struct TraceReader(TraceFile);

impl<H: DesignHost + ?Sized> Begin<H> for TraceReader {
    fn begin(_: &mut H, file: TraceFile, _: Clock) -> Result<TraceReader, JobError> {
        Ok(TraceReader(file))
    }
}

impl<H: DesignHost + ?Sized> Run<H> for TraceReader {
    type Job = ReadTrace;

    fn next(&mut self, host: &mut H, (): (), _: Clock) -> Result<Progress<ReadTrace>, JobError> {
        let (trace, problems) = Trace::read(&self.0.bytes);
        if trace.requests().is_empty() {
            let why = problems.first().map_or("it has no lines".into(), |problem| {
                format!("line {}: {}", problem.line, problem.message)
            });
            return Err(JobError::Unfit(Error::invalid(format!(
                "the file has no requests to replay; {why}"
            ))));
        }
        // Few enough to be saved in a workspace.
        let mut read = trace.streams(&self.0.name, REPLAY_KEPT_MAX, problems);
        let mut traffic = Traffic { streams: read.streams, ..Traffic::default() };
        let (shown, fields) = (self.0.design as usize, host.events().fields());
        let templates: Vec<Template> = host
            .workspace()
            .designs
            .iter()
            .map(|design| Template::parse(&design.template, fields).0.stored(&design.layout))
            .collect();
        let by_interest = templates.get(shown).into_iter().chain(&templates);
        let form = form_of_log(by_interest, &traffic).or_else(|| templates.get(shown)).map(Template::text);
        traffic.change_replays(|replay| replay.keys = form.clone().unwrap_or_default());
        read.streams = traffic.streams;
        Ok(Progress::Last(read))
    }

    fn is_current(&self, _: &H) -> bool {
        true
    }
}
