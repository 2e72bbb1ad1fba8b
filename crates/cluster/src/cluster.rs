//! Nodes that serve tablets, in virtual time.

mod event;
mod second;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use tabletop_model::{RowKey, TabletId, TabletView};

use crate::autoscale::Autoscaler;
use crate::cost::Work;
use crate::execute::Executed;
use crate::queue::{Ended, Job, Queue};
use crate::settings::Settings;
use crate::{Nanos, SECOND};
pub use event::{Event, EventKind, NodeId};

/// A tablet of a cluster, valid while the tablet exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Slot(u32);

impl Slot {
    /// Returns its number. Tablets of all tables are numbered from 0 in the order in which they
    /// appear.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The part of a request that one tablet answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The tablet.
    pub tablet: Slot,
    /// The CPU time that it takes: see [`Cluster::service_nanos`].
    pub service: Nanos,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All parts were answered.
    Answered,
    /// A part waited longer than the deadline.
    Expired,
}

/// A request that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The caller's tag of the request.
    pub tag: u32,
    /// When the client sent it.
    pub sent: Nanos,
    /// When the client received the answer, or the error.
    pub at: Nanos,
    /// How it ended.
    pub outcome: Outcome,
}

impl Finished {
    /// Returns the time from request to answer, in microseconds.
    pub fn latency_micros(&self) -> u64 {
        (self.at - self.sent) / 1_000
    }
}

/// Requests of a cluster. `arrived = answered + expired + waiting` holds at all times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that were sent.
    pub arrived: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Requests that waited too long.
    pub expired: u64,
}

/// A node at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeView {
    /// The number of the node.
    pub id: NodeId,
    /// The share of its cores that was busy in the last whole second, 0 to 1.
    pub cpu: f64,
    /// The CPU load that the requests for its tablets cause, in cores, averaged: more than the node
    /// has, if it is overloaded.
    pub cores_asked: f64,
    /// The number of parts of requests that wait or are in service.
    pub queue: usize,
    /// The number of tablets that it serves.
    pub tablets: usize,
}

/// A tablet at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct TabletPlace {
    /// The tablet in this cluster.
    pub slot: Slot,
    /// The tablet in its table.
    pub id: TabletId,
    /// The node that serves it.
    pub node: NodeId,
    /// The CPU load that requests cause, in cores, averaged; the balancer uses this.
    pub cores_asked: f64,
    /// The CPU load of the last whole second, in cores.
    pub cores_last: f64,
}

/// Nodes, the tablets that they serve, and the requests in progress.
#[derive(Clone, Debug)]
pub struct Cluster {
    settings: Settings,
    now: Nanos,
    /// Nodes by number; removed nodes stay in the list.
    nodes: Vec<Node>,
    /// Tablets by slot; split and merged tablets stay in the list.
    tablets: Vec<Tablet>,
    /// The tablets of each table, in key order.
    tables: BTreeMap<u32, Vec<Slot>>,
    requests: Vec<Request>,
    /// Free entries of `requests`.
    unused: Vec<u32>,
    ended: Vec<Ended>,
    finished: Vec<Finished>,
    /// The number of parts of requests that wait or are in service.
    parts_waiting: usize,
    counts: Counts,
    events: Vec<Event>,
    /// The number of tablets that may still move, including a fraction.
    credit: f64,
    autoscaler: Autoscaler,
    /// The mean share of cores that was busy, averaged over a minute.
    cpu: f64,
    /// The times at which nodes replace failed ones.
    replacements: Vec<Nanos>,
}

#[derive(Clone, Debug)]
struct Node {
    is_up: bool,
    queue: Queue,
    cpu: f64,
}

#[derive(Clone, Debug)]
struct Tablet {
    table: u32,
    id: TabletId,
    start: RowKey,
    end: RowKey,
    /// Whether it was split or merged.
    is_gone: bool,
    node: NodeId,
    bytes: u64,
    memtable_bytes: u64,
    /// The time from which it can be read and written.
    available_at: Nanos,
    /// Bytes of blocks that were in the cache of the node from which it came.
    cold_bytes: u64,
    /// The CPU time that requests asked for in this second.
    asked: Nanos,
    /// The CPU load of the last whole second, in cores.
    cores_last: f64,
    /// The CPU load in cores, averaged.
    cores: f64,
}

impl Tablet {
    fn new(table: u32, view: &TabletView, node: NodeId, available_at: Nanos) -> Tablet {
        let (start, end) = (view.start.clone(), view.end.clone());
        Tablet {
            table,
            id: view.id,
            start,
            end,
            is_gone: false,
            node,
            bytes: 0,
            memtable_bytes: 0,
            available_at,
            cold_bytes: 0,
            asked: 0,
            cores_last: 0.0,
            cores: 0.0,
        }
    }
}

/// The reason why a node has left.
#[derive(Clone, Copy)]
enum Departure {
    /// The node was removed, and its tablets moved to other nodes first.
    Planned,
    /// The node has failed: its tablets are taken over later, and their logs are replayed.
    Failure,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    tag: u32,
    parts_left: u32,
    sent: Nanos,
    last: Nanos,
    outcome: Outcome,
}

/// The maximum number of parts of requests that wait or are in service, over all nodes.
const PARTS_WAITING_MAX: usize = 4_000_000;
/// No more than this many tablets move at once, even after a long pause.
const CREDIT_MAX: f64 = 2.0;

impl Cluster {
    /// Creates a cluster with this many idle nodes, at least one, and no tablets.
    pub fn new(settings: Settings, nodes: u32) -> Cluster {
        let mut cluster = Cluster {
            settings,
            now: 0,
            nodes: Vec::new(),
            tablets: Vec::new(),
            tables: BTreeMap::new(),
            requests: Vec::new(),
            unused: Vec::new(),
            ended: Vec::new(),
            finished: Vec::new(),
            parts_waiting: 0,
            counts: Counts::default(),
            events: Vec::new(),
            credit: CREDIT_MAX,
            autoscaler: Autoscaler::default(),
            cpu: 0.0,
            replacements: Vec::new(),
        };
        for _ in 0..nodes.max(1) {
            cluster.new_node();
        }
        cluster
    }

    /// Returns the time until which it has run.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Returns the counts of requests.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the number of requests that wait or are in service.
    pub fn waiting(&self) -> u64 {
        (self.requests.len() - self.unused.len()) as u64
    }

    /// Updates the tablets of a table to what they are now, in key order. A new tablet is served by
    /// the node that served its first row. The tablets of a new table are spread over all nodes.
    pub fn place(&mut self, table: u32, tablets: &[TabletView]) {
        let before = self.tables.remove(&table).unwrap_or_default();
        let nodes = self.nodes_up();
        let mut after = Vec::with_capacity(tablets.len());
        for (at, view) in tablets.iter().enumerate() {
            let origin = self.at_or_before(&before, &view.start).map(|at| before[at]);
            let known = origin.filter(|slot| self.tablet(*slot).id == view.id);
            let slot = known.unwrap_or_else(|| {
                let (node, available_at) = origin.map_or((nodes[at % nodes.len()], 0), |slot| {
                    let origin = self.tablet(slot);
                    (origin.node, origin.available_at)
                });
                self.tablets.push(Tablet::new(table, view, node, available_at));
                Slot(self.tablets.len() as u32 - 1)
            });
            let tablet = &mut self.tablets[slot.0 as usize];
            (tablet.bytes, tablet.memtable_bytes) = (view.bytes, view.memtable_bytes);
            after.push(slot);
        }
        if !before.is_empty() && before != after {
            let stay: BTreeSet<Slot> = after.iter().copied().collect();
            let gone: Vec<Slot> = before.iter().filter(|slot| !stay.contains(slot)).copied().collect();
            self.hand_down_loads(&gone, &after);
            self.note_borders(table, &before, &after);
        }
        self.tables.insert(table, after);
    }

    /// Returns the tablet of a row, or `None` if the table is not known.
    pub fn tablet_of(&self, table: u32, key: &RowKey) -> Option<Slot> {
        let tablets = self.tables.get(&table)?;
        self.at_or_before(tablets, key).map(|at| tablets[at])
    }

    /// Returns the tablet that has all rows from `start` up to but not including `end`, which is
    /// empty for the end of the table. Returns `None` if several tablets have them.
    pub fn tablet_of_range(&self, table: u32, start: &RowKey, end: &RowKey) -> Option<Slot> {
        let slot = self.tablet_of(table, start)?;
        let last = &self.tablet(slot).end;
        (last.is_empty() || (!end.is_empty() && end <= last)).then_some(slot)
    }

    /// Returns the tablets of a table in key order.
    pub fn tablets(&self, table: u32) -> impl Iterator<Item = TabletPlace> {
        self.tables.get(&table).into_iter().flatten().map(|&slot| {
            let tablet = self.tablet(slot);
            TabletPlace {
                slot,
                id: tablet.id,
                node: tablet.node,
                cores_asked: tablet.cores,
                cores_last: tablet.cores_last,
            }
        })
    }

    /// Returns the first key of a tablet.
    pub fn start_of(&self, slot: Slot) -> &RowKey {
        &self.tablet(slot).start
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the nodes that are up, by number.
    pub fn nodes(&self) -> Vec<NodeView> {
        let mut views: Vec<NodeView> = self
            .nodes_up()
            .into_iter()
            .map(|id| {
                let node = &self.nodes[id.0 as usize];
                NodeView { id, cpu: node.cpu, cores_asked: 0.0, queue: node.queue.len(), tablets: 0 }
            })
            .collect();
        for slot in self.live() {
            let tablet = self.tablet(slot);
            if let Some(view) = views.iter_mut().find(|view| view.id == tablet.node) {
                view.cores_asked += tablet.cores;
                view.tablets += 1;
            }
        }
        views
    }

    /// Returns the CPU time that a request for a tablet takes on average, if the share
    /// [`NodeSettings::cache_hit_ratio`](crate::NodeSettings::cache_hit_ratio) of its blocks is in
    /// the cache. After a move, none of the blocks of a tablet are. The request stands for `weight`
    /// requests.
    pub fn service_nanos(&mut self, slot: Slot, work: &Work, block_bytes: u64, weight: f64) -> Nanos {
        let (tablet, node) = (&mut self.tablets[slot.0 as usize], &self.settings.node);
        let missed = work.missed(block_bytes);
        let mut ratio = node.cache_hit_ratio;
        if ratio > 0.0 && tablet.cold_bytes > 0 && missed.bytes_read > 0 {
            let read = missed.bytes_read as f64 * weight.max(1.0);
            tablet.cold_bytes = tablet.cold_bytes.saturating_sub(read as u64);
            ratio = 0.0;
        }
        let nanos = |work: &Work| node.cost.service_nanos(work) as f64;
        (ratio * nanos(&work.found(block_bytes)) + (1.0 - ratio) * nanos(&missed)) as Nanos
    }

    /// Divides the work of a request among tablets. The work of a read of several tablets is
    /// divided by their rows.
    pub fn divide(&self, table: u32, executed: &Executed) -> Vec<(Slot, Work)> {
        let tablets = self.tables.get(&table).map_or(&[][..], Vec::as_slice);
        let parts =
            executed.tablet_rows.iter().filter_map(|(index, rows)| Some((*tablets.get(*index)?, *rows)));
        let parts: Vec<(Slot, u64)> = parts.filter(|(_, rows)| *rows > 0).collect();
        let rows = parts.iter().map(|(_, rows)| rows).sum();
        if parts.is_empty() {
            return self
                .tablet_of(table, &executed.first_row)
                .map(|slot| (slot, executed.work))
                .into_iter()
                .collect();
        }
        parts.into_iter().map(|(slot, part)| (slot, executed.work.share(part, rows))).collect()
    }

    /// Returns whether a tablet exists, and was not split or merged.
    pub fn is_live(&self, slot: Slot) -> bool {
        !self.tablet(slot).is_gone
    }

    /// Sends a request at a time that [`Cluster::advance`] has not passed. A request without parts
    /// is ignored. [`Finished`] has its tag. A part for a tablet that was split or merged goes to
    /// the tablet that now has its first row. While 4,000,000 parts are waiting, a request expires
    /// at once, so that a cluster that falls far behind takes some hundred megabytes, not all
    /// memory.
    pub fn send(&mut self, at: Nanos, tag: u32, parts: &[Part]) {
        if parts.is_empty() {
            return;
        }
        let at = at.max(self.now);
        self.counts.arrived += 1;
        if self.parts_waiting + parts.len() > PARTS_WAITING_MAX {
            self.counts.expired += 1;
            self.finished.push(Finished { tag, sent: at, at, outcome: Outcome::Expired });
            return;
        }
        self.parts_waiting += parts.len();
        let request =
            Request { tag, parts_left: parts.len() as u32, sent: at, last: at, outcome: Outcome::Answered };
        let number = self.unused.pop().unwrap_or_else(|| {
            self.requests.push(request);
            self.requests.len() as u32 - 1
        });
        self.requests[number as usize] = request;
        for part in parts {
            let slot = self.present(part.tablet);
            let tablet = &mut self.tablets[slot.0 as usize];
            tablet.asked += part.service;
            let ready = (at + self.settings.node.cost.network_nanos / 2).max(tablet.available_at);
            let job = Job { request: number, tablet: slot.0, sent: at, ready, service: part.service };
            self.nodes[tablet.node.0 as usize].queue.push(job);
        }
    }

    /// Serves requests until a time. Tablets move and nodes are added and replaced at whole
    /// seconds, so send the requests of a second, or of a part of one, before calling this.
    pub fn advance(&mut self, until: Nanos) {
        while self.now < until {
            let next = until.min((self.now / SECOND + 1) * SECOND);
            for node in self.nodes.iter_mut().filter(|node| node.is_up) {
                node.queue.run(next, &mut self.ended);
            }
            self.now = next;
            self.end_jobs();
            if next.is_multiple_of(SECOND) {
                self.end_second();
            }
        }
    }

    /// Returns the requests that have ended since the last call.
    pub fn take_finished(&mut self) -> Vec<Finished> {
        core::mem::take(&mut self.finished)
    }

    /// Returns what has happened to nodes and tablets since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        core::mem::take(&mut self.events)
    }

    /// Adds nodes, which have no tablets until the balancer moves some, or removes the last ones.
    /// At least one node stays. A node that is about to replace a failed one counts.
    pub fn resize(&mut self, nodes: u32) {
        let nodes = nodes.max(1) as usize;
        while self.nodes_up().len() + self.replacements.len() < nodes {
            let id = self.new_node();
            self.note(EventKind::Added(id));
        }
        let expected = self.nodes_up().len() + self.replacements.len();
        self.replacements.truncate(self.replacements.len().saturating_sub(expected.saturating_sub(nodes)));
        while let Some(&last) = self.nodes_up().last().filter(|_| self.nodes_up().len() > nodes) {
            self.remove(last, Departure::Planned);
            self.note(EventKind::Removed(last));
        }
    }

    /// Makes a node fail. Other nodes take over its tablets and replay their logs. Its requests
    /// wait for that, and an empty node replaces it later. The only node of a cluster is replaced
    /// at once. Returns `false`, and nothing happens, if there is no such node now.
    pub fn fail(&mut self, node: NodeId) -> bool {
        if !self.nodes_up().contains(&node) {
            return false;
        }
        if self.nodes_up().len() == 1 {
            let id = self.new_node();
            self.note(EventKind::Replaced(id));
        } else {
            self.replacements.push(self.now + self.settings.node.replacement_nanos);
        }
        self.note(EventKind::Failed(node));
        self.remove(node, Departure::Failure);
        true
    }

    /// Moves a tablet to another node at the user's request. Returns `false`, and nothing happens, if
    /// the tablet or the node does not exist now.
    pub fn move_tablet(&mut self, slot: Slot, to: NodeId) -> bool {
        if !self.nodes_up().contains(&to) || !self.live().any(|live| live == slot) {
            return false;
        }
        if self.tablet(slot).node != to {
            let load: f64 = self
                .live()
                .map(|live| self.tablet(live))
                .filter(|of| of.node == self.tablet(slot).node)
                .map(|of| of.cores)
                .sum();
            self.install_move(slot, to, load);
        }
        true
    }

    fn tablet(&self, slot: Slot) -> &Tablet {
        &self.tablets[slot.0 as usize]
    }

    fn present(&self, slot: Slot) -> Slot {
        let tablet = self.tablet(slot);
        if tablet.is_gone { self.tablet_of(tablet.table, &tablet.start).unwrap_or(slot) } else { slot }
    }

    fn live(&self) -> impl Iterator<Item = Slot> {
        self.tables.values().flatten().copied()
    }

    fn nodes_up(&self) -> Vec<NodeId> {
        (0..self.nodes.len() as u32).map(NodeId).filter(|id| self.nodes[id.0 as usize].is_up).collect()
    }

    fn new_node(&mut self) -> NodeId {
        let node = &self.settings.node;
        let queue = Queue::new(node.cost.cores, node.deadline_nanos, self.now);
        self.nodes.push(Node { is_up: true, queue, cpu: 0.0 });
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn note(&mut self, kind: EventKind) {
        self.events.push(Event { at: self.now, kind });
    }

    /// Returns the index of the last of these tablets that begins at or before a key.
    fn at_or_before(&self, tablets: &[Slot], key: &RowKey) -> Option<usize> {
        tablets.partition_point(|slot| self.tablet(*slot).start <= *key).checked_sub(1)
    }

    /// Passes the load of tablets that were split or merged to those that have their rows now.
    fn hand_down_loads(&mut self, gone: &[Slot], after: &[Slot]) {
        for gone in gone {
            self.tablets[gone.0 as usize].is_gone = true;
            let Tablet { start, end, cores, .. } = self.tablet(*gone).clone();
            let first = self.at_or_before(after, &start).unwrap_or_default();
            let heirs =
                after[first..].iter().take_while(|heir| end.is_empty() || self.tablet(**heir).start < end);
            let heirs: Vec<Slot> = heirs.copied().collect();
            let share = cores / heirs.len().max(1) as f64;
            heirs.into_iter().for_each(|heir| self.tablets[heir.0 as usize].cores += share);
        }
    }

    /// Records the keys at which tablets begin now but did not before, and the reverse.
    fn note_borders(&mut self, table: u32, before: &[Slot], after: &[Slot]) {
        let starts = |slots: &[Slot]| -> BTreeSet<RowKey> {
            slots.iter().map(|slot| self.tablet(*slot).start.clone()).collect()
        };
        let (before, after) = (starts(before), starts(after));
        for at_key in after.difference(&before) {
            self.note(EventKind::Split { table, at_key: at_key.clone() });
        }
        for at_key in before.difference(&after) {
            self.note(EventKind::Merged { table, at_key: at_key.clone() });
        }
    }

    /// Completes requests whose parts have ended.
    fn end_jobs(&mut self) {
        let back = self.settings.node.cost.network_nanos - self.settings.node.cost.network_nanos / 2;
        self.parts_waiting -= self.ended.len();
        for ended in core::mem::take(&mut self.ended) {
            let request = &mut self.requests[ended.job.request as usize];
            request.parts_left -= 1;
            request.last = request.last.max(ended.at);
            if ended.expired {
                request.outcome = Outcome::Expired;
            }
            if request.parts_left > 0 {
                continue;
            }
            let Request { tag, sent, last, outcome, .. } = *request;
            match outcome {
                Outcome::Answered => self.counts.answered += 1,
                Outcome::Expired => self.counts.expired += 1,
            }
            self.unused.push(ended.job.request);
            self.finished.push(Finished { tag, sent, at: last + back, outcome });
        }
    }
}
