//! The work that is due at the end of a second: loads, replacements, the autoscaler and the
//! balancer; and how tablets and nodes move and leave.

use alloc::vec::Vec;

use super::{CREDIT_MAX, Cluster, Departure, EventKind, NodeId, Slot};
use crate::balance::{Choice, NodeLoad, TabletLoad, choose};
use crate::queue::Job;
use crate::{Nanos, SECOND};

/// Seconds over which the autoscaler averages.
const CPU_SECONDS: f64 = 60.0;
/// The interval at which the autoscaler runs.
const AUTOSCALE_EVERY: Nanos = 10 * SECOND;

impl Cluster {
    /// Counts the load of the second that has ended, and does the work that is due.
    pub(super) fn end_second(&mut self) {
        let cores = f64::from(self.settings.node.cost.cores);
        let keep = libm::exp(-1.0 / self.settings.balance.window_seconds);
        for slot in self.live().collect::<Vec<_>>() {
            let tablet = &mut self.tablets[slot.0 as usize];
            tablet.cores_last = core::mem::take(&mut tablet.asked) as f64 / SECOND as f64;
            tablet.cores = tablet.cores * keep + tablet.cores_last * (1.0 - keep);
        }
        let mut busy = 0.0;
        for node in self.nodes.iter_mut().filter(|node| node.is_up) {
            node.cpu = node.queue.take_busy() as f64 / SECOND as f64 / cores;
            busy += node.cpu;
        }
        let nodes = self.nodes_up().len() as f64;
        let keep = libm::exp(-1.0 / CPU_SECONDS);
        self.cpu = self.cpu * keep + busy / nodes * (1.0 - keep);
        let (now, due) = (self.now, self.replacements.iter().filter(|at| **at <= self.now).count());
        self.replacements.retain(|at| *at > now);
        for _ in 0..due {
            let id = self.new_node();
            self.note(EventKind::Replaced(id));
        }
        if self.now.is_multiple_of(AUTOSCALE_EVERY) {
            self.autoscale();
        }
        let balance = &self.settings.balance;
        self.credit =
            (self.credit + self.live().count() as f64 * balance.share_per_minute / 60.0).min(CREDIT_MAX);
        if self.now.is_multiple_of(balance.every_nanos.max(SECOND)) {
            self.balance();
        }
    }

    fn autoscale(&mut self) {
        // After a failure, the load is measured again once the number of nodes is what it was.
        let Some(settings) = self.settings.autoscale.as_ref().filter(|_| self.replacements.is_empty()) else {
            return;
        };
        let (nodes, cpu) = (self.nodes_up().len() as u32, self.cpu);
        let wanted = self.autoscaler.wanted(settings, self.now, nodes, cpu);
        if wanted != nodes {
            self.note(EventKind::Resized { from: nodes, to: wanted, cpu });
            self.resize(wanted);
            // The load on the new number of nodes is not known yet.
            self.cpu *= f64::from(nodes) / f64::from(wanted);
        }
    }

    /// Moves the tablets that the balancer chooses, as many as may move.
    fn balance(&mut self) {
        while self.credit >= 1.0 {
            let tablets: Vec<TabletLoad> = self
                .live()
                .map(|slot| TabletLoad {
                    tablet: slot.0,
                    node: self.tablet(slot).node.0,
                    cores: self.tablet(slot).cores,
                })
                .collect();
            let mut nodes: Vec<NodeLoad> =
                self.nodes_up().iter().map(|id| NodeLoad { node: id.0, cores: 0.0 }).collect();
            for tablet in &tablets {
                if let Some(node) = nodes.iter_mut().find(|node| node.node == tablet.node) {
                    node.cores += tablet.cores;
                }
            }
            let load = |id: u32| nodes.iter().find(|node| node.node == id).map_or(0.0, |node| node.cores);
            let Some(choice) = choose(&self.settings.balance, &nodes, &tablets) else { return };
            self.credit -= f64::from(choice.moves());
            match choice {
                Choice::Move { tablet, to } => {
                    let from = load(self.tablets[tablet as usize].node.0);
                    self.install_move(Slot(tablet), NodeId(to), from);
                }
                Choice::Swap { tablet, with } => {
                    let (one, other) = (self.tablets[tablet as usize].node, self.tablets[with as usize].node);
                    let (of_one, of_other) = (load(one.0), load(other.0));
                    self.install_move(Slot(tablet), other, of_one);
                    self.install_move(Slot(with), one, of_other);
                }
            }
        }
    }

    /// Makes another node serve a tablet. `load` is the load of the node that served it.
    pub(super) fn install_move(&mut self, slot: Slot, to: NodeId, load: f64) {
        let available_at = self.now + self.settings.balance.unavailable_nanos;
        let tablet = self.tablet(slot);
        let (from, share) = (tablet.node, if load > 0.0 { tablet.cores / load } else { 0.0 });
        let (table, start, end) = (tablet.table, tablet.start.clone(), tablet.end.clone());
        let jobs = self.nodes[from.0 as usize].queue.take_waiting(slot.0);
        self.serve_from(slot, to, available_at, jobs);
        self.note(EventKind::Moved { table, start, end, from, to, share });
    }

    /// Makes `to` serve a tablet from `available_at` on, with these jobs, and with nothing of it in
    /// the cache.
    fn serve_from(&mut self, slot: Slot, to: NodeId, available_at: Nanos, jobs: Vec<Job>) {
        let tablet = &mut self.tablets[slot.0 as usize];
        (tablet.node, tablet.available_at, tablet.cold_bytes) = (to, available_at, tablet.bytes);
        let queue = &mut self.nodes[to.0 as usize].queue;
        jobs.into_iter().for_each(|job| queue.push(Job { ready: job.ready.max(available_at), ..job }));
    }

    /// Spreads the tablets of a node over the other nodes, the busiest first.
    pub(super) fn remove(&mut self, id: NodeId, departure: Departure) {
        self.nodes[id.0 as usize].is_up = false;
        let jobs = self.nodes[id.0 as usize].queue.take_all();
        let mut loads: Vec<(f64, usize, NodeId)> =
            self.nodes().into_iter().map(|node| (node.cores_asked, node.tablets, node.id)).collect();
        let mut theirs: Vec<Slot> = self.live().filter(|slot| self.tablet(*slot).node == id).collect();
        theirs.sort_by(|a, b| self.tablet(*b).cores.total_cmp(&self.tablet(*a).cores));
        for slot in theirs {
            let least =
                loads.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
            let Some((cores, tablets, to)) = least else { return };
            let tablet = self.tablet(slot);
            (*cores, *tablets) = (*cores + tablet.cores, *tablets + 1);
            let unavailable = match departure {
                Departure::Planned => self.settings.balance.unavailable_nanos,
                Departure::Failure => {
                    let replay = tablet.memtable_bytes as f64 * self.settings.node.replay_byte_nanos;
                    self.settings.node.takeover_nanos + replay as Nanos
                }
            };
            self.serve_from(slot, *to, self.now + unavailable, Vec::new());
        }
        for job in jobs {
            let slot = self.present(Slot(job.tablet));
            let tablet = self.tablet(slot);
            let (to, ready) = (tablet.node, job.ready.max(tablet.available_at).max(self.now));
            self.nodes[to.0 as usize].queue.push(Job { tablet: slot.0, ready, ..job });
        }
    }
}
