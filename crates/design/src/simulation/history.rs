//! The history of a simulation: per second the load of nodes and streams, the events of the
//! cluster, and the nodes of tablets.

use std::collections::BTreeMap;

use tabletop_cluster::{Cluster, Event, EventKind, SECOND};
use tabletop_heat::Recent;
use tabletop_protocol::{
    ClusterEvent, ClusterEventCause, HISTORY_SECONDS_MAX, SimulationSecond, TabletPlaced,
};

/// Maximum number of seconds that are kept: an hour. The page keeps earlier ones.
const SECONDS_MAX: usize = HISTORY_SECONDS_MAX as usize;
/// Maximum number of cluster events, and of moves of tablets, that are kept.
const CHANGES_MAX: usize = 20_000;

/// The history of a simulation, with bounded memory.
pub(super) struct History {
    pub seconds: Recent<SimulationSecond>,
    pub events: Recent<Event>,
    pub places: Recent<TabletPlaced>,
    /// The node of each tablet of the design's own table, by the tablet's number, according to the
    /// latest moves.
    placed: BTreeMap<u32, u32>,
    /// Number of whole seconds so far.
    ended: u32,
}

impl History {
    /// Creates a history that begins with the tablets of a cluster.
    pub fn new(cluster: &Cluster) -> History {
        let mut history = History {
            seconds: Recent::new(SECONDS_MAX),
            events: Recent::new(CHANGES_MAX),
            places: Recent::new(CHANGES_MAX),
            placed: BTreeMap::new(),
            ended: 0,
        };
        history.note_places(cluster);
        history
    }

    /// Adds the latest events of the cluster.
    pub fn note_events(&mut self, events: Vec<Event>) {
        events.into_iter().for_each(|event| self.events.push(event));
    }

    /// Adds a complete second.
    pub fn end_second(&mut self, cluster: &Cluster, second: SimulationSecond) {
        self.seconds.push(second);
        self.ended += 1;
        self.note_places(cluster);
    }

    fn note_places(&mut self, cluster: &Cluster) {
        let second = self.ended;
        let mut gone = std::mem::take(&mut self.placed);
        for tablet in cluster.tablets(0) {
            let (number, node) = (tablet.slot.number(), tablet.node.0);
            if gone.remove(&number) != Some(node) {
                let start = cluster.start_of(tablet.slot).clone();
                self.places.push(TabletPlaced { second, tablet: number, start, node: Some(node) });
            }
            self.placed.insert(number, node);
        }
        for (tablet, _) in gone {
            self.places.push(TabletPlaced {
                second,
                tablet,
                start: tabletop_model::RowKey::default(),
                node: None,
            });
        }
    }

    /// Returns the events from number `from`, in the form that the page shows. `tables` are the
    /// names of the tables.
    pub fn cluster_events(&self, from: u32, tables: &[&str]) -> Vec<ClusterEvent> {
        self.events.since(from).1.iter().map(|event| shown(event, tables)).collect()
    }
}

/// Returns an event in the form that the page shows.
fn shown(event: &Event, tables: &[&str]) -> ClusterEvent {
    let (table, cause) = match &event.kind {
        EventKind::Moved { table, start, end, from, to, share } => {
            let (start, end) = (start.clone(), end.clone());
            let (from, to) = (from.to_string(), to.to_string());
            (*table, ClusterEventCause::Moved { start, end, from, to, share: *share })
        }
        EventKind::Split { table, at_key } => (*table, ClusterEventCause::Split { at_key: at_key.clone() }),
        EventKind::Merged { table, at_key } => (*table, ClusterEventCause::Merged { at_key: at_key.clone() }),
        EventKind::Added(node) => (0, ClusterEventCause::Added { node: node.to_string() }),
        EventKind::Removed(node) => (0, ClusterEventCause::Removed { node: node.to_string() }),
        EventKind::Failed(node) => (0, ClusterEventCause::Failed { node: node.to_string() }),
        EventKind::Replaced(node) => (0, ClusterEventCause::Replaced { node: node.to_string() }),
        EventKind::Resized { from, to, cpu } => {
            (0, ClusterEventCause::Resized { from: *from, to: *to, cpu: *cpu })
        }
    };
    let table = tables.get(table as usize).filter(|_| table > 0).map(|name| (*name).to_owned());
    ClusterEvent { at_millis: (event.at / (SECOND / 1_000)) as u32, table, cause }
}
