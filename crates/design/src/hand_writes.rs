//! The writes that people make by hand into a design's table, and what becomes of them when the design changes.
//!
//! A write fits the rows of the design in which it was made: its keys are made by that template, and its cells are those of that
//! layout. A design of another form sets it aside. It is done again, at its moment, when the design has that form again: Undo brings it
//! back. A write that a person takes back is set aside as well, until the person wants it again. GC rules and aggregates of families are
//! no part of the form: the table does the writes again, and counts those that it refuses now.

use std::sync::Arc;

use tabletop_model::{Response, TableRequest};
use tabletop_schema::{Field, KeptWrite, Layout, RowForm, Template};

use crate::event_mapping::EventMapping;

/// A write that comes from no event.
#[derive(Clone)]
pub(crate) struct HandWrite {
    /// Identifies it in all tables. A later write has a larger number. 0 for one that was kept from an earlier visit: it is no step of the
    /// history, and not taken back.
    number: u32,
    /// The number of events that were written before it.
    at: u32,
    request: TableRequest,
    /// The rows of the table when it was made; `None` for a table without a template.
    form: Arc<Option<Form>>,
    is_taken_back: bool,
}

/// The form of a design's rows.
#[derive(PartialEq)]
pub(crate) struct Form {
    template: Template,
    fields: Vec<Field>,
    layout: Layout,
}

impl Form {
    pub(crate) fn of(mapping: &EventMapping) -> Form {
        let template = mapping.written.clone();
        Form { fields: template.fields().to_vec(), template, layout: mapping.layout.clone() }
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

impl HandWrite {
    /// Creates a write that was just made. It shares its form with the `last` one, if the rows have the same form.
    pub(crate) fn new(number: u32, at: u32, request: TableRequest, form: Option<Form>, last: Option<&HandWrite>) -> HandWrite {
        let last = last.map(|last| &last.form).filter(|last| ***last == form);
        let form = last.cloned().unwrap_or_else(|| Arc::new(form));
        HandWrite { number, at, request, form, is_taken_back: false }
    }

    /// Returns the number of events that were written before it.
    pub(crate) fn at(&self) -> u32 {
        self.at
    }

    /// Returns its moment and its number: the order in which writes are done.
    pub(crate) fn place(&self) -> (u32, u32) {
        (self.at, self.number)
    }

    /// Returns the request that does it.
    pub(crate) fn request(&self) -> &TableRequest {
        &self.request
    }

    /// Takes it back if its number is one of these, and no longer if it is not.
    pub(crate) fn take_back(&mut self, numbers: &[u32]) {
        self.is_taken_back = numbers.contains(&self.number);
    }

    /// Returns whether it belongs in a table whose rows have this form.
    pub(crate) fn is_wanted_in(&self, form: Option<&Form>) -> bool {
        let fits = match (&*self.form, form) {
            (Some(made), Some(form)) => made.fits(form),
            (made, form) => made.is_none() && form.is_none(),
        };
        fits && !self.is_taken_back
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
        self.0.iter_mut().for_each(|write| write.take_back(numbers));
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

    /// Adds other writes.
    pub(crate) fn append(&mut self, mut others: HandWrites) {
        self.0.append(&mut others.0);
    }

    /// Returns the writes that are done in a table whose rows have this form, in their order. The others stay.
    pub(crate) fn take_wanted(&mut self, form: Option<&Form>) -> Vec<HandWrite> {
        let all = std::mem::take(&mut self.0).into_iter();
        let (mut wanted, others): (Vec<_>, Vec<_>) = all.partition(|write| write.is_wanted_in(form));
        wanted.sort_by_key(HandWrite::place);
        self.0 = others;
        wanted
    }

    /// Returns the writes that the user has not taken back, these and some more, in the order of their moments.
    pub(crate) fn kept<'a>(&'a self, more: impl Iterator<Item = &'a HandWrite>) -> Vec<KeptWrite> {
        let mut all: Vec<&HandWrite> = more.chain(&self.0).filter(|write| !write.is_taken_back).collect();
        all.sort_by_key(|write| write.place());
        let kept = |write: &HandWrite| KeptWrite {
            at: write.at,
            request: write.request.clone(),
            form: write.form.as_ref().as_ref().map(Form::kept),
        };
        all.into_iter().map(kept).collect()
    }
}

impl From<Vec<HandWrite>> for HandWrites {
    fn from(writes: Vec<HandWrite>) -> HandWrites {
        HandWrites(writes)
    }
}

/// Returns what the table has accepted of a request; `None` if it has refused all.
#[inline(never)]
pub(crate) fn accepted(request: TableRequest, response: &Response) -> Option<TableRequest> {
    match (request, response) {
        (_, Response::Refused(_)) => None,
        (TableRequest::MutateRows(entries), Response::Mutated(errors)) => {
            let accepted = entries.into_iter().zip(errors).filter(|(_, error)| error.is_none());
            let accepted: Vec<_> = accepted.map(|(entry, _)| entry).collect();
            (!accepted.is_empty()).then_some(TableRequest::MutateRows(accepted))
        }
        (request, _) => Some(request),
    }
}
