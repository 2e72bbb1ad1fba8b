//! The user's requests to a design's table, and the manual writes among them.

use tabletop_model::{Response, TableRequest};
use tabletop_schema::{ClusterSettings, KeptWrite};

use super::DesignTable;
use crate::hand_writes::{Form, HandWrite, HandWrites, accepted};
use crate::supply::Supply;

impl DesignTable {
    /// Answers a request that names the table. Its changes belong to this moment of the table, and to the form of its rows. An accepted
    /// write increases `newest`, the number of the newest write by hand, and has that number.
    pub fn ask_for_person(&mut self, request: TableRequest, newest: &mut u32) -> Response {
        let edit = request.edits().then(|| request.clone());
        let response = self.table.ask(request);
        if let Some(request) = edit.and_then(|edit| accepted(edit, &response)) {
            *newest += 1;
            let write = HandWrite::new(*newest, self.table.built(), request, self.form(), self.timeline.writes().last());
            self.timeline.add_write(&self.table, write);
            self.at_rest = None;
            self.table.edited();
            self.revision += 1;
            // The views of the events stay valid.
            self.pictures.carry(self.revision - 1, self.revision);
        }
        response
    }

    /// Takes the writes with these numbers back, and does all others that fit. Goes back for that, if they are in the table.
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

    /// Returns the writes by hand that the person has not taken back, also those that wait for another form, in the order of their moments.
    pub fn kept_writes(&self) -> Vec<KeptWrite> {
        self.writes_aside.kept(self.timeline.writes().iter())
    }

    /// Returns whether there is no write by hand, in the table or aside.
    pub fn has_no_writes(&self) -> bool {
        self.timeline.writes().is_empty() && self.writes_aside.is_empty()
    }

    /// Removes all writes by hand, before the table becomes that of something else.
    pub fn release_writes(&mut self) -> HandWrites {
        let mut writes = std::mem::take(&mut self.writes_aside);
        writes.append(self.timeline.take_writes());
        writes
    }

    /// Takes writes that were released by a table of the same design, and builds the table with them.
    pub fn adopt_writes(&mut self, writes: HandWrites, cluster: &ClusterSettings) {
        self.writes_aside.append(writes);
        self.rebuild(cluster);
    }

    /// Puts each write where it belongs: see [`Timeline::settle_writes`](crate::timeline::Timeline::settle_writes).
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
