//! What the page shows of the timeline.

use std::rc::Rc;

use tabletop_protocol::TimelineView;

use super::look::{Change, Part};

/// The timeline of the table on the screen.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// What has happened to the table, and when; `None` until the page draws it.
    pub view: Option<Rc<TimelineView>>,
    /// The moment that was requested last, in events, until the tables have reached it.
    pub seek: Option<u32>,
}

impl Part for Timeline {
    fn follow(&mut self, change: &Change) {
        if let Change::Picture(view) = change
            && (self.seek == Some(view.events_arrived) || view.playing)
        {
            self.seek = None;
        }
    }
}
