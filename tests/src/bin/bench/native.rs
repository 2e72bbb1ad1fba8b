//! The same load and the same scans without a browser, for comparison with the worker.

use std::time::Instant;

use tabletop_keys::{Layout, LayoutKind, Query, RowChoice};
use tabletop_model::{RowFilter, Timestamp};
use tabletop_protocol::{
    Answer, Ask, Job, JobAsk, LoadSource, Playback, QueryChunk, QueryOnDesign, ReadQuery, RunId, Slice,
};
use tabletop_tests::browser::Result;
use tabletop_worker::{Next, Session};
use tabletop_workspace::{Source, Workspace};

use crate::figures::Figures;
use crate::page::{EVENTS, SCANS, TEMPLATES};

/// Number of events per step of the session, as in the worker.
const STEP_EVENTS: u32 = 64;

/// Measures a load and scans of its table, with the worker's session compiled natively.
pub fn load_and_scan(figures: &mut Figures) -> Result<()> {
    let start = Instant::now();
    let mut host = Host::of(EVENTS)?;
    let seconds = start.elapsed().as_secs_f64();
    let Answer::View(view) = host.ask(Ask::View { index: 0, first_look: false })? else {
        return Err("there is no view".into());
    };
    let cells: u64 = view.table.tablets.iter().map(|tablet| tablet.cells).sum();
    figures.add("Load, native", "cells a second", cells as f64 / seconds, "cells/s", None);
    for (name, filter, rows_limit) in SCANS {
        let (filter, problems) = RowFilter::parse(filter);
        assert!(problems.is_empty(), "{name}: {problems:?}");
        let query = Query { rows: RowChoice::All, filter, rows_limit: rows_limit.into(), reversed: false };
        let start = Instant::now();
        let chunk = host.read_all(query)?;
        let seconds = start.elapsed().as_secs_f64();
        figures.add("Scan, native", name, chunk.stats.cells_seen as f64 / seconds, "cells/s", None);
    }
    Ok(())
}

/// A session without a browser.
pub struct Host {
    session: Session,
    start: Instant,
}

impl Host {
    /// Begins a workspace with this number of generated events and one design, and builds its
    /// table.
    pub fn of(events: u32) -> Result<Host> {
        let mut workspace = Workspace::default();
        let Source::Generated(settings) = &mut workspace.source else {
            return Err("the first workspace generates its events".into());
        };
        settings.events = events;
        workspace.designs.truncate(1);
        for design in &mut workspace.designs {
            design.template = TEMPLATES[0].into();
            design.layout = Layout::new(LayoutKind::Narrow);
        }
        Host::with(workspace)
    }

    /// Begins a workspace, and builds its tables.
    pub fn with(workspace: Workspace) -> Result<Host> {
        let mut host = Host { session: Session::new(), start: Instant::now() };
        host.ask(Ask::SetWorkspace { workspace, load: LoadSource::Again })?;
        host.ask(Ask::Play(Playback::Finish))?;
        while host.session.advance(host.now(), STEP_EVENTS) != Next::Asked {}
        Ok(host)
    }

    fn now(&self) -> Timestamp {
        self.start.elapsed().as_micros() as Timestamp
    }

    pub fn ask(&mut self, ask: Ask) -> Result<Answer> {
        let start = self.start;
        match self.session.handle(&|| start.elapsed().as_micros() as Timestamp, ask) {
            Answer::Failed(error) => Err(error.to_string()),
            answer => Ok(answer),
        }
    }

    /// Opens a run, and returns its first slice.
    pub fn begin<J: Job>(&mut self, request: &J::Request) -> Result<Slice<J::Chunk>> {
        self.slice::<J>(JobAsk::begin::<J>(request))
    }

    /// Returns the next slice of a run.
    pub fn next<J: Job>(&mut self, run: RunId, order: &J::Order) -> Result<Slice<J::Chunk>> {
        self.slice::<J>(JobAsk::next::<J>(run, order))
    }

    fn slice<J: Job>(&mut self, ask: JobAsk) -> Result<Slice<J::Chunk>> {
        match self.ask(Ask::Job(ask))? {
            Answer::Job(answer) => answer
                .and_then(tabletop_protocol::JobSlice::decode::<J>)
                .map_err(|error| error.into_error().to_string()),
            other => Err(format!("a request about a run was answered with {other:?}")),
        }
    }

    /// Returns the last slice of a read, which has the stats of all slices.
    fn read_all(&mut self, query: Query) -> Result<QueryChunk> {
        let mut slice = self.begin::<ReadQuery>(&QueryOnDesign { index: 0, query })?;
        while let Some(run) = slice.run {
            slice = self.next::<ReadQuery>(run, &())?;
        }
        Ok(slice.chunk)
    }
}
