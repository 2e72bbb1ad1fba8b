//! The user's requests to a design's table, and the manual writes among them.

use tabletop_model::{Response, TableRequest};
use tabletop_protocol::KeptWrite;
use tabletop_workspace::ClusterSettings;

use super::DesignTable;
use crate::hand_writes::{Form, HandWrite, HandWrites, accepted};
use crate::supply::Supply;

impl DesignTable {
    /// Answers a request of the user to the table. The changes of a write belong to the current
    /// moment of the table and to the current form of its rows. An accepted write increases
    /// `newest` and takes that number.
    pub fn ask_for_user(&mut self, request: TableRequest, newest: &mut u32) -> Response {
        let edit = request.edits().then(|| request.clone());
        let response = self.table.ask(request);
        if let Some(request) = edit.and_then(|edit| accepted(edit, &response)) {
            *newest += 1;
            let write = HandWrite::new(
                *newest,
                self.table.built(),
                request,
                self.form(),
                self.timeline.writes().last(),
            );
            self.timeline.add_write(&self.table, write);
            self.at_rest = None;
            self.table.edited();
            self.revision += 1;
            // The views show only events, and a manual write does not change these.
            self.pictures.carry(self.revision - 1, self.revision);
        }
        response
    }

    /// Undoes the writes with these numbers, and replays all others that fit. If the table has a
    /// write that changes, the table goes back to before it.
    pub fn take_back(&mut self, numbers: &[u32], supply: Supply) {
        self.timeline.take_back(numbers);
        self.writes_aside.take_back(numbers);
        if let Some((place, at)) = self.settle_writes() {
            self.timeline.forget_from(place, at);
            self.at_rest = None;
            if self.table.built() >= at {
                self.travel(supply);
            }
        }
    }

    /// Returns the manual writes that the user has not undone, in the order of their moments.
    /// Writes that are set aside until the rows have their form again are included.
    pub fn kept_writes(&self) -> Vec<KeptWrite> {
        self.writes_aside.kept(self.timeline.writes().iter())
    }

    /// Returns whether there are no manual writes, neither in the table nor set aside.
    pub fn has_no_writes(&self) -> bool {
        self.timeline.writes().is_empty() && self.writes_aside.is_empty()
    }

    /// Removes and returns all manual writes, before the table is filled with other events.
    pub fn release_writes(&mut self) -> HandWrites {
        let mut writes = std::mem::take(&mut self.writes_aside);
        writes.append(self.timeline.take_writes());
        writes
    }

    /// Takes over writes that a table of the same design has released, and rebuilds the table with
    /// them.
    pub fn adopt_writes(&mut self, writes: HandWrites, cluster: &ClusterSettings) {
        self.writes_aside.append(writes);
        self.rebuild(cluster);
    }

    /// Sorts the manual writes into the table or sets them aside: see
    /// [`Timeline::settle_writes`](crate::timeline::Timeline::settle_writes).
    pub(super) fn settle_writes(&mut self) -> Option<(usize, u32)> {
        if self.has_no_writes() {
            return None;
        }
        let form = self.form();
        self.timeline.settle_writes(&mut self.writes_aside, form.as_ref())
    }

    /// Returns the form of the rows; `None` for a table without a template.
    fn form(&self) -> Option<Form> {
        self.mapping.as_ref().map(Form::of)
    }
}
