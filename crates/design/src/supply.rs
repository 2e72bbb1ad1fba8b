//! The events from which the tables of designs are built.

use tabletop_workload::Events;
use tabletop_workspace::{ClusterSettings, GivenRole, NamedQuery};

/// The inputs from which a design's table is built.
#[derive(Clone, Copy)]
pub struct Supply<'a> {
    /// The loaded events.
    pub events: &'a Events,
    /// Number of loaded events that have arrived.
    pub arrived: u32,
    /// Number of all events; `None` while it is not known.
    pub total: Option<u32>,
    /// Whether events arrive at the pace of the cluster settings.
    pub playing: bool,
    /// The settings of the cluster, including the pace.
    pub cluster: &'a ClusterSettings,
    /// The roles that the user has given to fields.
    pub roles: &'a [GivenRole],
    /// The access patterns.
    pub queries: &'a [NamedQuery],
    /// Whether advice is measured. Otherwise it is what the template alone shows.
    pub measures_advice: bool,
}

impl<'a> Supply<'a> {
    /// Returns whether the split threshold of tables follows from the number of all events.
    pub(crate) fn is_scaled(&self) -> bool {
        self.cluster.tablet_bytes_max.is_none()
    }

    /// Supplies all of these events, which have all arrived.
    pub fn all(events: &'a Events, cluster: &'a ClusterSettings) -> Supply<'a> {
        let count = events.len() as u32;
        Supply {
            events,
            arrived: count,
            total: Some(count),
            playing: false,
            cluster,
            roles: &[],
            queries: &[],
            measures_advice: true,
        }
    }
}
