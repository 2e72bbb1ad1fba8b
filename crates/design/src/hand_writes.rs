//! The writes that people make by hand into a design's table, and what becomes of them when the design changes.
//!
//! A write fits the rows of the design in which it was made: its keys are made by that template, and its cells are those of that
//! layout. A design of another form sets it aside. It is done again, at its moment, when the design has that form again: Undo brings it
//! back. A write that a person takes back is set aside as well, until the person wants it again. GC rules and aggregates of families are
//! no part of the form: the table does the writes again, and counts those that it refuses now.

use std::sync::Arc;

use tabletop_model::{Response, TableRequest};
use tabletop_schema::{ClusterSettings, Design, Field, KeptWrite, Layout, RowForm, Template};

use crate::design_table::{DesignTable, EventTable, Supply, TABLE};
use crate::timeline;

/// A write that comes from no event.
#[derive(Clone)]
pub(crate) struct HandWrite {
    /// Identifies it in all tables. A later write has a larger number. 0 for one that was kept from an earlier visit: it is no step of the
    /// history, and not taken back.
    number: u32,
    /// The number of events that were written before it.
    pub(crate) at: u32,
    pub(crate) request: TableRequest,
    /// The rows of the table when it was made; `None` for a table without a template.
    form: Arc<Option<Form>>,
    is_taken_back: bool,
}

/// The form of a design's rows.
#[derive(PartialEq)]
struct Form {
    template: Template,
    fields: Vec<Field>,
    layout: Layout,
}

impl Form {
    fn of(table: &DesignTable) -> Option<Form> {
        let mapping = table.mapping.as_ref()?;
        let template = mapping.written.clone();
        Some(Form { fields: template.fields().to_vec(), template, layout: mapping.layout.clone() })
    }

    fn of_kept(RowForm { template, fields, layout }: RowForm) -> Form {
        Form { template: Template::parse(&template, &fields).0, fields, layout }
    }

    fn kept(&self) -> RowForm {
        RowForm { template: self.template.text(), fields: self.fields.clone(), layout: self.layout.clone() }
    }

    /// Returns whether rows of both forms are the same. Fields that were found after the others change no table.
    fn fits(&self, other: &Form) -> bool {
        let fields = self.fields.starts_with(&other.fields) || other.fields.starts_with(&self.fields);
        fields && self.template == other.template && self.layout == other.layout
    }
}

/// Writes by hand that are in no table at present.
#[derive(Default)]
pub struct HandWrites(Vec<HandWrite>);

impl HandWrites {
    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the writes with these numbers back, and no others.
    pub fn take_back(&mut self, numbers: &[u32]) {
        self.0.iter_mut().for_each(|write| write.is_taken_back = numbers.contains(&write.number));
    }

    /// Returns writes that were kept.
    pub fn of_kept(kept: Vec<KeptWrite>) -> HandWrites {
        let write = |KeptWrite { at, request, form }| {
            let form = Arc::new(form.map(Form::of_kept));
            HandWrite { number: 0, at, request, form, is_taken_back: false }
        };
        HandWrites(kept.into_iter().map(write).collect())
    }

    /// Returns how many wait for a design of their form.
    pub(crate) fn waiting(&self) -> u32 {
        self.0.iter().filter(|write| !write.is_taken_back).count() as u32
    }
}

impl DesignTable {
    /// Applies a changed design. The table is kept if it would be the same. Writes by hand that do not fit the rows of the design are set
    /// aside.
    pub fn redesign(&mut self, design: &Design, fields: &[Field], cluster: &ClusterSettings) {
        let differs_in_results = self.design.differs_at_most_in_results(design);
        self.design.clone_from(design);
        if differs_in_results {
            return;
        }
        self.parse(fields);
        self.revision += 1;
        if self.reform(fields) {
            self.rebuild(cluster);
        }
    }

    /// Applies changed fields of the events. Fields that were added after the others do not affect the table.
    pub fn refit(&mut self, fields: &[Field], cluster: &ClusterSettings) {
        if self.typed.fields() == fields {
            return;
        }
        let grown = fields.starts_with(self.typed.fields());
        self.parse(fields);
        self.revision += 1;
        let written = self.mapping.take().map(|mapping| mapping.written);
        let reformed = self.reform(fields);
        if !(grown
            && self.table.built > 0
            && reformed
            && self.mapping.as_ref().map(|mapping| &mapping.written) == written.as_ref())
        {
            self.rebuild(cluster);
        }
    }

    /// Rebuilds the table from the first event. Writes that people made by hand are done again after as many events, if they fit.
    #[inline(never)]
    pub fn rebuild(&mut self, cluster: &ClusterSettings) {
        self.revision += 1;
        self.settle_writes();
        self.timeline.forget_tables();
        self.at_rest = None;
        self.table = EventTable::new(cluster, self.revision);
        self.timeline.write(&mut self.table);
    }

    /// Answers a request that names the table. Its changes belong to this moment of the table, and to the form of its rows. An accepted
    /// write increases `newest`, the number of the newest write by hand, and has that number.
    pub fn ask_for_person(&mut self, request: TableRequest, newest: &mut u32) -> Response {
        let edit = request.edits().then(|| request.clone());
        let compacts = matches!(request, TableRequest::Flush(_) | TableRequest::CompactTablet(_) | TableRequest::Compact);
        self.table.has_request |= compacts;
        self.table.is_straight = false;
        let response = self.table.instance.handle(self.table.clock(), request.of(TABLE));
        if let Some(request) = edit.and_then(|edit| timeline::accepted(edit, &response)) {
            *newest += 1;
            let form = Form::of(self);
            let last = self.timeline.writes.last().map(|last| &last.form).filter(|last| ***last == form);
            let form = last.cloned().unwrap_or_else(|| Arc::new(form));
            let write = HandWrite { number: *newest, at: self.table.built, request, form, is_taken_back: false };
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
        let writes = &mut self.timeline.writes;
        writes.iter_mut().for_each(|write| write.is_taken_back = numbers.contains(&write.number));
        self.writes_aside.take_back(numbers);
        if let Some((place, at)) = self.settle_writes() {
            self.timeline.forget_from(place, at);
            self.at_rest = None;
            if self.table.built >= at {
                self.travel(supply);
            }
        }
    }

    /// Returns the writes by hand that the person has not taken back, also those that wait for another form, in the order of their moments.
    pub fn kept_writes(&self) -> Vec<KeptWrite> {
        let all = self.timeline.writes.iter().chain(&self.writes_aside.0).filter(|write| !write.is_taken_back);
        let mut all: Vec<&HandWrite> = all.collect();
        all.sort_by_key(|write| (write.at, write.number));
        let kept = |write: &HandWrite| KeptWrite {
            at: write.at,
            request: write.request.clone(),
            form: write.form.as_ref().as_ref().map(Form::kept),
        };
        all.into_iter().map(kept).collect()
    }

    /// Returns whether there is no write by hand, in the table or aside.
    pub fn has_no_writes(&self) -> bool {
        self.timeline.writes.is_empty() && self.writes_aside.is_empty()
    }

    /// Removes all writes by hand, before the table becomes that of something else.
    pub fn release_writes(&mut self) -> HandWrites {
        let mut writes = std::mem::take(&mut self.writes_aside);
        writes.0.append(&mut self.timeline.writes);
        writes
    }

    /// Takes writes that were released by a table of the same design, and builds the table with them.
    pub fn adopt_writes(&mut self, mut writes: HandWrites, cluster: &ClusterSettings) {
        self.writes_aside.0.append(&mut writes.0);
        self.rebuild(cluster);
    }

    /// Puts each write where it belongs: to those that are done in the table, or aside. Returns the first place in the order of the former
    /// that has another write than before, with its moment.
    fn settle_writes(&mut self) -> Option<(usize, u32)> {
        if self.has_no_writes() {
            return None;
        }
        let form = Form::of(self);
        let fits = |write: &HandWrite| match (&*write.form, &form) {
            (Some(made), Some(form)) => made.fits(form),
            (made, form) => made.is_none() && form.is_none(),
        };
        let before: Vec<(u32, u32)> = self.timeline.writes.iter().map(|write| (write.number, write.at)).collect();
        let all = self.release_writes().0.into_iter();
        let (mut done, aside): (Vec<_>, Vec<_>) = all.partition(|write| !write.is_taken_back && fits(write));
        done.sort_by_key(|write| (write.at, write.number));
        let after = done.iter().map(|write| (write.number, write.at));
        let place = before.iter().copied().zip(after.clone()).take_while(|(before, after)| before == after).count();
        let at = before.get(place).into_iter().copied().chain(after.skip(place).take(1)).map(|(_, at)| at).min();
        (self.timeline.writes, self.writes_aside) = (done, HandWrites(aside));
        at.map(|at| (place, at))
    }
}
