//! A simulation as the page has it: merged chunks.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::ops::Deref;

use tabletop_model::RowKey;
use tabletop_protocol::{HeatMetric, SimulationChunk, SimulationHave, TabletPlaced};

use crate::heatmap::HeatMatrix;

/// The part of a simulation that its client has.
pub struct Simulated {
    /// Everything except the heatmap.
    all: SimulationChunk,
    /// Where tablets are, by time.
    pub places: Rc<Vec<TabletPlaced>>,
    /// The heatmap.
    pub heat: Rc<HeatMatrix>,
}

impl Deref for Simulated {
    type Target = SimulationChunk;

    fn deref(&self) -> &SimulationChunk {
        &self.all
    }
}

/// A tablet and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The number of the tablet.
    pub tablet: u32,
    /// The first key.
    pub start: RowKey,
    /// The number of its node.
    pub node: u32,
}

impl Simulated {
    /// Starts with the first chunk.
    pub fn new(mut chunk: SimulationChunk) -> Simulated {
        let heat = HeatMatrix::default().extend(core::mem::take(&mut chunk.heat));
        Simulated { places: Rc::new(core::mem::take(&mut chunk.places)), heat: Rc::new(heat), all: chunk }
    }

    /// Adds a chunk.
    pub fn extend(&mut self, mut chunk: SimulationChunk) {
        let places = core::mem::take(&mut chunk.places);
        if !places.is_empty() {
            Rc::make_mut(&mut self.places).extend(places);
        }
        let matrix = Rc::make_mut(&mut self.heat);
        *matrix = core::mem::take(matrix).extend(core::mem::take(&mut chunk.heat));
        self.all.extend(chunk);
    }

    /// Returns what the page has, to request the columns of this metric with the next seconds.
    pub fn have(&self, metric: HeatMetric) -> SimulationHave {
        let heat = if self.heat.metric() == metric { self.heat.revision() } else { 0 };
        SimulationHave { places: self.places.len() as u32, heat, ..self.all.have(metric) }
    }

    /// Returns the tablets at the end of a second, in key order.
    pub fn tablets(&self, second: u32) -> Vec<Placed> {
        tablets(&self.places, second)
    }
}

/// Returns the tablets at the end of a second, in key order: the last entry of each until then.
pub fn tablets(places: &[TabletPlaced], second: u32) -> Vec<Placed> {
    let mut live = alloc::collections::BTreeMap::new();
    for placed in places.iter().take_while(|placed| placed.second <= second) {
        match placed.node {
            Some(node) => live.insert(placed.tablet, (&placed.start, node)),
            None => live.remove(&placed.tablet),
        };
    }
    let mut tablets: Vec<Placed> = live
        .into_iter()
        .map(|(tablet, (start, node))| Placed { tablet, start: start.clone(), node })
        .collect();
    tablets.sort_by(|a, b| a.start.cmp(&b.start));
    tablets
}

/// The number of node colours; later nodes start again with the first.
pub const NODE_COLOURS: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tablets_are_those_of_the_second() {
        let placed =
            |second, tablet, start: &str, node| TabletPlaced { second, tablet, start: start.into(), node };
        let places = [
            placed(0, 1, "", Some(0)),
            placed(0, 2, "m", Some(1)),
            placed(3, 3, "f", Some(0)),
            placed(5, 2, "m", Some(0)),
            placed(6, 3, "f", None),
        ];
        let at = |second| -> Vec<(u32, u32)> {
            tablets(&places, second).into_iter().map(|placed| (placed.tablet, placed.node)).collect()
        };
        assert_eq!(at(2), [(1, 0), (2, 1)]);
        assert_eq!(at(4), [(1, 0), (3, 0), (2, 1)]);
        assert_eq!(at(9), [(1, 0), (2, 0)]);
    }
}
