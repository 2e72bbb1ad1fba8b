//! Where the view has the parts that texts point at.

use tabletop_workspace::Place;

use crate::page::state::Pane;
use crate::views::view::Target;

/// Returns where the view has a part.
pub fn place(place: Place) -> Option<Target> {
    let selector = match place {
        Place::Streams => return Some(Target::new(Pane::Query, ".traffic-streams")),
        Place::Diagnoses => ".traffic-diagnoses",
        Place::Nodes => ".traffic-nodes",
        Place::Latency => ".traffic-charts",
        Place::Heatmap => ".heat-plane",
        _ => return None,
    };
    Some(Target::new(Pane::Design, selector))
}
