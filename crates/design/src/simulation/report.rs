//! The measurements of a simulation.

use serde::Serialize;
use tabletop_cluster::{Cluster, Event, EventKind, Latencies, NodeId, NodeView};
use tabletop_model::Error;
use tabletop_protocol::{NodeSecond, SimulationSecond, StreamSecond, StreamTotals};
use tabletop_workspace::TrafficCost;

/// Requests of one stream, or of all streams together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamReport {
    /// The name of the stream.
    pub name: String,
    /// Requests that were sent: `arrived = answered + expired + refused + waiting`.
    pub arrived: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Requests that waited longer than the deadline, and expired.
    pub expired: u64,
    /// Requests that the design or the engine refused. A request that was not executed counts as
    /// refused if its sample was.
    pub refused: u64,
    /// The median latency in microseconds; `None` without answers.
    pub latency_micros_p50: Option<u64>,
    /// The 95th percentile of the latency in microseconds; `None` without answers.
    pub latency_micros_p95: Option<u64>,
    /// The 99th percentile of the latency in microseconds; `None` without answers.
    pub latency_micros_p99: Option<u64>,
    /// The longest latency, in microseconds.
    pub latency_micros_max: u64,
}

/// What a simulation has measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SimulationReport {
    /// Whole seconds of virtual time.
    pub seconds: u64,
    /// Number of nodes at the end.
    pub nodes_last: u32,
    /// One in this many requests was executed; the others are assumed to cost the same.
    pub executed_every: u32,
    /// The measurements of each stream.
    pub streams: Vec<StreamReport>,
    /// The measurements of all streams together.
    pub all: StreamReport,
    /// The mean share of their cores that all nodes used, from 0 to 1.
    pub cpu_mean: f64,
    /// The mean share of its cores that the busiest node used, from 0 to 1.
    pub cpu_hottest_node: f64,
    /// The share of all work that fell on the hottest tablet, averaged over the seconds, from 0 to
    /// 1.
    pub hottest_tablet_share: f64,
    /// Number of tablets of all tables at the end.
    pub tablets: u64,
    /// Number of splits.
    pub splits: u64,
    /// Number of moves of a tablet to another node.
    pub moves: u64,
    /// The error of the first request that was refused.
    pub refusal: Option<Error>,
}

impl SimulationReport {
    /// Returns the figures that are compared with limits. Without any answers, the latency is at
    /// least the time that has passed.
    pub fn cost(&self) -> TrafficCost {
        let least = if self.all.arrived > 0 { self.seconds.saturating_mul(1_000_000) } else { 0 };
        TrafficCost {
            latency_micros_p99: self.all.latency_micros_p99.unwrap_or(least),
            requests_expired: self.all.expired,
            cpu_hottest_node: self.cpu_hottest_node,
            hottest_tablet_share: self.hottest_tablet_share,
        }
    }
}

/// The measurements of a simulation in progress.
pub(super) struct Measured {
    streams: Vec<Stream>,
    seconds: u64,
    /// For each node, the sum over the seconds of the share of cores that it used, and the seconds
    /// during which it was up.
    nodes: Vec<(NodeId, f64, u64)>,
    /// The sum over the seconds of the hottest tablet's share, and the number of seconds with any
    /// work.
    hottest: (f64, u64),
    splits: u64,
    moves: u64,
    refusal: Option<Error>,
}

#[derive(Clone, Default)]
struct Stream {
    name: String,
    before: Figures,
    /// The figures of the current second.
    second: Figures,
}

#[derive(Clone, Default)]
struct Figures {
    arrived: u64,
    expired: u64,
    refused: u64,
    latencies: Latencies,
}

impl Measured {
    pub fn new(names: impl Iterator<Item = String>) -> Measured {
        let streams = names.map(|name| Stream { name, ..Stream::default() }).collect();
        Measured {
            streams,
            seconds: 0,
            nodes: Vec::new(),
            hottest: (0.0, 0),
            splits: 0,
            moves: 0,
            refusal: None,
        }
    }

    pub fn arrive(&mut self, stream: u16) {
        self.second(stream).arrived += 1;
    }

    pub fn answer(&mut self, stream: u16, latency_micros: u64) {
        self.second(stream).latencies.count(latency_micros);
    }

    pub fn expire(&mut self, stream: u16) {
        self.second(stream).expired += 1;
    }

    pub fn refuse(&mut self, stream: u16) {
        self.second(stream).refused += 1;
    }

    fn second(&mut self, stream: u16) -> &mut Figures {
        &mut self.streams[usize::from(stream)].second
    }

    pub fn note_refusal(&mut self, error: &Error) {
        self.refusal.get_or_insert_with(|| error.clone());
    }

    pub fn note_events(&mut self, events: &[Event]) {
        let count = |of: fn(&EventKind) -> bool| events.iter().filter(|event| of(&event.kind)).count() as u64;
        self.splits += count(|kind| matches!(kind, EventKind::Split { .. }));
        self.moves += count(|kind| matches!(kind, EventKind::Moved { .. }));
    }

    pub fn refusal(&self) -> Option<&Error> {
        self.refusal.as_ref()
    }

    /// Ends a second: takes the loads of nodes and tablets, and returns the figures of that second.
    pub fn end_second(&mut self, cluster: &Cluster, tables: u32) -> SimulationSecond {
        self.seconds += 1;
        let nodes = cluster.nodes();
        for node in &nodes {
            match self.nodes.iter_mut().find(|(id, ..)| *id == node.id) {
                Some((_, sum, seconds)) => (*sum, *seconds) = (*sum + node.cpu, *seconds + 1),
                None => self.nodes.push((node.id, node.cpu, 1)),
            }
        }
        let asked = (0..tables).flat_map(|table| cluster.tablets(table)).map(|tablet| tablet.cores_last);
        let (sum, most) = asked.fold((0.0, 0.0f64), |(sum, most), cores| (sum + cores, most.max(cores)));
        if sum > 0.0 {
            self.hottest = (self.hottest.0 + most / sum, self.hottest.1 + 1);
        }
        let own = cluster.tablets(0).max_by(|one, other| one.cores_last.total_cmp(&other.cores_last));
        let hottest = own.filter(|tablet| tablet.cores_last > 0.0);
        let mut all = Figures::default();
        let streams = self.streams.iter_mut().map(|stream| {
            let second = std::mem::take(&mut stream.second);
            all.add(&second);
            stream.before.add(&second);
            second.second()
        });
        let streams = streams.collect();
        let node = |node: &NodeView| NodeSecond {
            id: node.id.0,
            cpu: node.cpu as f32,
            queue: node.queue as u32,
            tablets: node.tablets as u32,
        };
        SimulationSecond {
            nodes: nodes.iter().map(node).collect(),
            all: all.second(),
            streams,
            hottest: hottest.map(|tablet| (tablet.slot.number(), (tablet.cores_last / sum) as f32)),
            tablet_cores: most as f32,
        }
    }

    /// Returns the figures of all streams together, and of each stream.
    fn figures(&self) -> (Stream, Vec<Stream>) {
        let streams: Vec<Stream> = self.streams.iter().map(Stream::until_now).collect();
        let mut all = Stream { name: "all".into(), ..Stream::default() };
        streams.iter().for_each(|stream| all.before.add(&stream.before));
        (all, streams)
    }

    /// Returns the totals of all streams together, with an empty name, and of each stream.
    pub fn totals(&self) -> Vec<StreamTotals> {
        let (all, streams) = self.figures();
        let mut totals = vec![StreamTotals { name: String::new(), ..all.totals() }];
        totals.extend(streams.iter().map(Stream::totals));
        totals
    }

    pub fn report(&self, cluster: &Cluster, tables: u32, executed_every: u32) -> SimulationReport {
        let (all, streams) = self.figures();
        let sums = self
            .nodes
            .iter()
            .fold((0.0, 0), |(sum, seconds), (_, of_node, its)| (sum + of_node, seconds + its));
        let mean = |sum: f64, count: u64| if count > 0 { sum / count as f64 } else { 0.0 };
        SimulationReport {
            seconds: self.seconds,
            nodes_last: cluster.nodes().len() as u32,
            executed_every,
            streams: streams.iter().map(Stream::report).collect(),
            all: all.report(),
            cpu_mean: mean(sums.0, sums.1),
            cpu_hottest_node: self
                .nodes
                .iter()
                .map(|(_, sum, seconds)| mean(*sum, *seconds))
                .fold(0.0, f64::max),
            hottest_tablet_share: mean(self.hottest.0, self.hottest.1),
            tablets: (0..tables).map(|table| cluster.tablets(table).count() as u64).sum(),
            splits: self.splits,
            moves: self.moves,
            refusal: self.refusal.clone(),
        }
    }
}

impl Figures {
    fn add(&mut self, other: &Figures) {
        self.arrived += other.arrived;
        self.expired += other.expired;
        self.refused += other.refused;
        self.latencies.add(&other.latencies);
    }

    /// Returns the 50th, 95th and 99th percentile and the maximum of the latencies; 0 without
    /// answers.
    fn latency_micros(&self) -> [u64; 4] {
        let of = |share| self.latencies.quantile(share).unwrap_or_default();
        [of(0.5), of(0.95), of(0.99), self.latencies.max()]
    }

    fn second(&self) -> StreamSecond {
        let fits = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        StreamSecond {
            arrived: fits(self.arrived),
            answered: fits(self.latencies.len()),
            expired: fits(self.expired),
            refused: fits(self.refused),
            latency_micros: self.latency_micros().map(fits),
        }
    }
}

impl Stream {
    /// Returns the figures, including those of the current second.
    fn until_now(&self) -> Stream {
        let mut stream = self.clone();
        stream.before.add(&std::mem::take(&mut stream.second));
        stream
    }

    fn totals(&self) -> StreamTotals {
        let Figures { arrived, expired, refused, latencies } = &self.before;
        StreamTotals {
            name: self.name.clone(),
            arrived: *arrived,
            answered: latencies.len(),
            expired: *expired,
            refused: *refused,
            latency_micros: self.before.latency_micros(),
        }
    }

    fn report(&self) -> StreamReport {
        let Figures { arrived, expired, refused, latencies } = &self.before;
        StreamReport {
            name: self.name.clone(),
            arrived: *arrived,
            answered: latencies.len(),
            expired: *expired,
            refused: *refused,
            latency_micros_p50: latencies.quantile(0.5),
            latency_micros_p95: latencies.quantile(0.95),
            latency_micros_p99: latencies.quantile(0.99),
            latency_micros_max: latencies.max(),
        }
    }
}
