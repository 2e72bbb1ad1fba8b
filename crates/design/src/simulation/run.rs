//! A simulation from beginning to end: the requests of a traffic, and the changes of the cluster
//! during it.

use std::collections::VecDeque;
use std::sync::Arc;

use tabletop_advice::{Advice, Diagnosis, LOAD_TEST};
use tabletop_cluster::{EventKind, Nanos, NodeId, SECOND};
use tabletop_heat::{
    Busiest, COLUMNS_MAX, Evidence, KeyGrowth, Peak, RowId, Thresholds, busiest_peak, diagnose,
};
use tabletop_model::{Result, RowKey, unescape};
use tabletop_protocol::{ClusterEvent, LogKeys, SimulationChunk, SimulationHave, SimulationMoment};
use tabletop_workload::random::Random;
use tabletop_workload::{Arrival, Arrivals, Events, Population};
use tabletop_workspace::{
    ChangeKind, ClusterChange, KeyChoice, LoadTest, Schedule, Stream, StreamKind, Traffic,
};

use super::rows::{RowNumber, Rows};
use super::{SLICE, Setting, Simulation, SimulationReport};
use crate::design_table::DesignTable;

/// The seed of a load test's random numbers, which must differ from those of the traffic.
const LOAD_TEST_SEED: u64 = 0x6c6f_6164;
/// The number of requests of a log that the latest diagnoses are based on, at least.
const JUDGED_REQUESTS: f64 = 600.0;
/// Approximate number of moments at which totals and diagnoses are noted, and the minimum number of
/// seconds between two moments.
const MOMENTS: u32 = 100;
const MOMENT_SECONDS_MIN: u32 = 2;

/// The simulation of a traffic on a design, in steps. The same workspace has the same result with
/// steps of any size, on every machine.
pub struct SimulationRun {
    simulation: Simulation,
    arrivals: Arrivals,
    load_test: Option<RandomReads>,
    /// The changes of the cluster that have not happened yet.
    changes: VecDeque<ClusterChange>,
    /// The changes whose node or tablet did not exist.
    impossible: Vec<ClusterChange>,
    now: Nanos,
    seconds: u32,
    slice: Vec<Arrival>,
    /// The advice about the design, computed from its events.
    advice: Advice,
    /// The row that may be hot, as of the last second.
    busiest: Option<(RowId, Busiest)>,
    /// What was measured and diagnosed at some moments, and the number of seconds between two
    /// moments.
    moments: Vec<SimulationMoment>,
    moment_every: u32,
    /// The share of its cores that a node should use.
    cpu_target: f64,
    /// The thresholds of diagnoses.
    thresholds: Thresholds,
    /// Whether all requests come from a log. Diagnoses are then relative to the log.
    is_replay: bool,
}

impl SimulationRun {
    /// Begins a run on copies of the tables of a design: its own table first, then its index
    /// tables. All their events must be written. `population` must be made from the traffic and all
    /// events.
    ///
    /// # Errors
    /// `FailedPrecondition` for a table that does not exist yet or is not settled
    /// ([`DesignTable::has_rest`]); `NotFound` for an access pattern that does not exist; otherwise
    /// the errors of [`Arrivals::new`].
    pub fn new(
        tables: &[&DesignTable],
        setting: &Setting,
        population: Arc<Population>,
    ) -> Result<SimulationRun> {
        let arrivals = Arrivals::new(setting.traffic, population)?;
        let traffic = with_load_test(setting.traffic);
        let simulation = Simulation::new(tables, &Setting { traffic: &traffic, ..*setting })?;
        let run = &setting.traffic.run;
        let stream = setting.traffic.streams.len() as u16;
        let is_replay = setting.traffic.replays().count() == setting.traffic.streams.len();
        Ok(SimulationRun {
            simulation,
            arrivals,
            load_test: run.load_test.map(|test| RandomReads::new(test, stream, setting.traffic.seed)),
            changes: run.changes.iter().cloned().collect(),
            impossible: Vec::new(),
            now: 0,
            seconds: run.seconds,
            slice: Vec::new(),
            advice: tables[0].advice().clone(),
            busiest: None,
            moments: Vec::new(),
            cpu_target: run.thresholds.cpu_target,
            thresholds: if is_replay { of_log(setting.traffic) } else { Thresholds::NODES },
            is_replay,
            moment_every: run.seconds.div_ceil(MOMENTS).max(MOMENT_SECONDS_MIN),
        })
    }

    /// Simulates at most this many tenths of a second. `events` must be those that the run was
    /// begun with. Returns whether more time remains.
    pub fn step(&mut self, events: &Events, tenths: u32) -> bool {
        for _ in 0..tenths {
            if !self.has_more() {
                break;
            }
            while let Some(change) =
                self.changes.pop_front_if(|change| u64::from(change.at_seconds) * SECOND <= self.now)
            {
                if !self.simulation.change(&change.what) {
                    self.impossible.push(change);
                }
            }
            self.now += SLICE;
            self.slice.clear();
            self.arrivals.tick(self.now, &mut self.slice);
            if let Some(test) = &mut self.load_test {
                test.tick(&self.simulation.rows, self.now, &mut self.slice);
            }
            self.simulation.step(events, &self.slice, self.now);
            if self.now.is_multiple_of(SECOND) {
                self.note_busiest(events);
                if self.seconds().is_multiple_of(self.moment_every) || !self.has_more() {
                    self.note_moment();
                }
            }
        }
        self.has_more()
    }

    /// Changes the rates of the traffic's streams from now on.
    ///
    /// # Errors
    /// The errors of [`Arrivals::change`].
    pub fn change_rates(&mut self, traffic: &Traffic) -> Result<()> {
        self.arrivals.change(traffic)
    }

    fn has_more(&self) -> bool {
        self.now < u64::from(self.seconds) * SECOND
    }

    /// Returns the number of whole seconds that have been simulated.
    pub fn seconds(&self) -> u32 {
        (self.now / SECOND) as u32
    }

    /// Returns what has been measured so far.
    pub fn report(&self) -> SimulationReport {
        self.simulation.report()
    }

    /// Returns how many requests are waiting or being served.
    pub fn waiting(&self) -> u64 {
        self.simulation.cluster.waiting()
    }

    /// Returns the changes that could not happen so far, because the node or tablet did not exist,
    /// and of a complete run also those after its end.
    pub fn impossible_changes(&self) -> impl Iterator<Item = &ClusterChange> {
        let late = (!self.has_more()).then_some(&self.changes);
        self.impossible.iter().chain(late.into_iter().flatten())
    }

    /// Returns what was measured and diagnosed at each moment so far.
    pub fn moments(&self) -> &[SimulationMoment] {
        &self.moments
    }

    /// Returns what the keys of a log are on the design.
    pub fn log_keys(&self) -> Option<LogKeys> {
        self.simulation.operations.log()
    }

    /// Returns the last 20,000 events of nodes and tablets.
    pub fn events(&self) -> Vec<ClusterEvent> {
        let Simulation { designs, history, .. } = &self.simulation;
        history.cluster_events(0, &designs.iter().map(DesignTable::name).collect::<Vec<&str>>())
    }

    /// Returns the part of the run that a client with `have` is missing.
    pub fn chunk(&self, have: &SimulationHave) -> SimulationChunk {
        let Simulation { designs, measured, history, heat, every, .. } = &self.simulation;
        let tables: Vec<&str> = designs.iter().map(DesignTable::name).collect();
        let totals = measured.totals();
        let (history_from, seconds) = history.seconds.since(have.seconds);
        SimulationChunk {
            seconds: self.seconds(),
            seconds_total: self.seconds,
            executed_every: *every,
            streams: totals.iter().skip(1).map(|stream| stream.name.clone()).collect(),
            history_from,
            history: seconds,
            cluster_events: history.cluster_events(have.cluster_events, &tables),
            places: history.places.since(have.places).1,
            moments: self.moments.get(have.moments as usize..).unwrap_or_default().to_vec(),
            heat: heat.columns_since(have.heat, have.metric),
            totals,
            diagnoses: self.diagnoses(),
            refusal: measured.refusal().cloned(),
            log: self.log_keys(),
        }
    }
}

impl SimulationRun {
    /// Stores the key of the row that may be hot when a second has ended, while the events are
    /// available: a row number has a meaning only together with them.
    fn note_busiest(&mut self, events: &Events) {
        let Simulation { designs, rows, heat, .. } = &self.simulation;
        let peaks: Vec<Peak> = heat.peaks().collect();
        let recent = &peaks[peaks.len().saturating_sub(self.thresholds.seconds)..];
        let row = busiest_peak(recent, &self.thresholds).and_then(|peak| peak.row);
        if self.busiest.as_ref().map(|(row, _)| *row) != row {
            let mapping = designs[0].mapping().ok();
            let named = |id| {
                let row = RowNumber::of(id);
                Some((id, Busiest { key: rows.key(mapping?, events, row), events: rows.events_of(row) }))
            };
            self.busiest = row.and_then(named);
        }
    }

    fn note_moment(&mut self) {
        let (second, totals, diagnoses) =
            (self.seconds(), self.simulation.measured.totals(), self.diagnoses());
        self.moments.push(SimulationMoment { second, totals, diagnoses });
    }

    fn diagnoses(&self) -> Vec<Diagnosis> {
        let Simulation { designs, history, heat, growth, rows, .. } = &self.simulation;
        let mapping = designs[0].mapping().ok();
        let peaks: Vec<Peak> = heat.peaks().collect();
        let seconds: Vec<_> = history.seconds.iter().collect();
        let failure = history.events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Failed(node) => Some((node.to_string(), ((self.now - event.at) / SECOND) as u32)),
            _ => None,
        });
        diagnose(&Evidence {
            columns: heat.columns(),
            starts: heat.starts(),
            cores: heat.cores().into(),
            cpu_target: self.cpu_target,
            peaks: &peaks,
            busiest: self.busiest.as_ref().map(|(_, busiest)| busiest),
            seconds: &seconds,
            failure,
            rows: self.is_replay.then_some(rows.len() as f64),
            growth: KeyGrowth::OfParts(growth),
            advice: &self.advice,
            thresholds: self.thresholds,
            template: mapping.map(|mapping| &mapping.written),
        })
    }
}

impl Simulation {
    /// Applies a change of the user to the cluster. Returns `false`, and nothing happens, if the node
    /// or tablet does not exist at this moment.
    fn change(&mut self, change: &ChangeKind) -> bool {
        match change {
            ChangeKind::Nodes(nodes) => {
                self.cluster.resize(*nodes);
                true
            }
            ChangeKind::Fail(node) => node.parse().is_ok_and(|node| self.cluster.fail(node)),
            ChangeKind::Move { row, to } => {
                let tablet = unescape(row).ok().and_then(|key| self.cluster.tablet_of(0, &RowKey::from(key)));
                match (tablet, to.parse::<NodeId>()) {
                    (Some(tablet), Ok(to)) => self.cluster.move_tablet(tablet, to),
                    _ => false,
                }
            }
        }
    }
}

/// Returns the thresholds for a log. What counts is the number of requests in the log, not the number
/// of those for which they stand; of a log with few requests per second, more seconds are judged.
fn of_log(traffic: &Traffic) -> Thresholds {
    let one_of = traffic.replays().map(|replay| replay.one_of).max().unwrap_or(1);
    let Thresholds { writes_min, requests_min, seconds, .. } = Thresholds::TESTS;
    let requests: usize = traffic.replays().map(|replay| replay.requests.len()).sum();
    let per_second = requests as f64 / f64::from(traffic.replay_seconds().unwrap_or(1));
    Thresholds {
        writes_min: writes_min.saturating_mul(one_of),
        requests_min: requests_min * f64::from(one_of),
        seconds: ((JUDGED_REQUESTS / per_second) as usize).clamp(seconds, COLUMNS_MAX),
        hot_row_of_all_seconds: true,
        ..Thresholds::TESTS
    }
}

/// Returns a traffic whose last stream is the load test.
fn with_load_test(traffic: &Traffic) -> Traffic {
    let mut traffic = traffic.clone();
    if let Some(test) = traffic.run.load_test {
        traffic.streams.push(Stream {
            name: LOAD_TEST.into(),
            what: StreamKind::PointReads,
            per_second: test.per_second,
            keys: KeyChoice::AsEvents,
            when: Schedule::Constant,
        });
    }
    traffic
}

/// The requests of a load test, at random moments. Each row is equally likely.
struct RandomReads {
    random: Random,
    stream: u16,
    /// The time of the next request.
    next: f64,
    /// The mean time between two requests.
    gap: f64,
    end: f64,
}

impl RandomReads {
    fn new(test: LoadTest, stream: u16, seed: u64) -> RandomReads {
        let from = f64::from(test.from_seconds) * SECOND as f64;
        let end = from + f64::from(test.for_seconds) * SECOND as f64;
        let mut reads = RandomReads {
            random: Random::new(seed ^ LOAD_TEST_SEED),
            stream,
            next: from,
            gap: SECOND as f64 / test.per_second,
            end,
        };
        reads.wait();
        reads
    }

    fn wait(&mut self) {
        // The argument is never 0, whose logarithm is infinite.
        self.next -= libm::log(1.0 - self.random.unit()) * self.gap;
    }

    /// Adds the load test's requests before `until` to those of the traffic, in the order of their
    /// times.
    fn tick(&mut self, rows: &Rows, until: Nanos, out: &mut Vec<Arrival>) {
        let before = out.len();
        while self.next < self.end.min(until as f64) && rows.len() > 0 {
            let event = rows.event(self.random.below(rows.len() as u64) as usize);
            out.push(Arrival {
                at_nanos: self.next as Nanos,
                event: event.into(),
                event_nanos: 0,
                like: event,
                stream: self.stream,
            });
            self.wait();
        }
        if out.len() > before {
            out.sort_by_key(|arrival| arrival.at_nanos);
        }
    }
}
