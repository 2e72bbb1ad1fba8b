//! The manual writes to a design's table, and their fate when the design changes.
//!
//! A write fits the rows of the design in which it was made: that template made its keys, and that
//! layout defines its cells. A design with another form of rows sets the write aside. When the
//! design has the old form again, for example after Undo, the write is replayed at its moment. A
//! write that the user undoes is set aside as well, until the user redoes it. GC rules and
//! aggregates of families are not part of the form: the table replays the writes under the new
//! rules, and counts the writes that it now refuses.

use std::sync::Arc;

use tabletop_keys::{Field, Layout, Template};
use tabletop_model::{Response, TableRequest};
use tabletop_protocol::{KeptWrite, RowForm};

use crate::event_mapping::EventMapping;

/// A manual write: a change that does not come from an event.
#[derive(Clone)]
pub(crate) struct HandWrite {
    /// Identifies the write in all tables. Later writes have larger numbers. 0 for a write that was
    /// saved in an earlier visit: it is not a step of the undo history, so it cannot be undone.
    number: u32,
    /// The number of events that were written before this write.
    at: u32,
    request: TableRequest,
    /// The form of the table's rows when the write was made; `None` for a table without a template.
    form: Arc<Option<Form>>,
    is_taken_back: bool,
}

/// The form of a design's rows: what decides which key and which cells an event gets.
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

    /// Returns whether rows of both forms are the same. Fields appended at the end of the list do
    /// not affect a table.
    fn fits(&self, other: &Form) -> bool {
        let fields = self.fields.starts_with(&other.fields) || other.fields.starts_with(&self.fields);
        fields && self.template == other.template && self.layout == other.layout
    }
}

impl HandWrite {
    /// Creates a new write. It shares the form of the `last` write if the form of the rows is the
    /// same.
    pub(crate) fn new(
        number: u32,
        at: u32,
        request: TableRequest,
        form: Option<Form>,
        last: Option<&HandWrite>,
    ) -> HandWrite {
        let last = last.map(|last| &last.form).filter(|last| ***last == form);
        let form = last.cloned().unwrap_or_else(|| Arc::new(form));
        HandWrite { number, at, request, form, is_taken_back: false }
    }

    /// Returns the number of events that were written before this write.
    pub(crate) fn at(&self) -> u32 {
        self.at
    }

    /// Returns the moment and the number of the write: the order in which writes are applied.
    pub(crate) fn place(&self) -> (u32, u32) {
        (self.at, self.number)
    }

    /// Returns the request that applies the write.
    pub(crate) fn request(&self) -> &TableRequest {
        &self.request
    }

    /// Marks the write as undone if its number is in `numbers`; otherwise removes that mark.
    pub(crate) fn take_back(&mut self, numbers: &[u32]) {
        self.is_taken_back = numbers.contains(&self.number);
    }

    /// Returns whether the write belongs in a table whose rows have this form.
    pub(crate) fn is_wanted_in(&self, form: Option<&Form>) -> bool {
        let fits = match (&*self.form, form) {
            (Some(made), Some(form)) => made.fits(form),
            (made, form) => made.is_none() && form.is_none(),
        };
        fits && !self.is_taken_back
    }
}

/// Manual writes that are currently not in a table.
#[derive(Default)]
pub struct HandWrites(Vec<HandWrite>);

impl HandWrites {
    /// Returns whether there are no writes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Marks exactly the writes with these numbers as undone.
    pub fn take_back(&mut self, numbers: &[u32]) {
        self.0.iter_mut().for_each(|write| write.take_back(numbers));
    }

    /// Creates writes from saved ones.
    pub fn of_kept(kept: Vec<KeptWrite>) -> HandWrites {
        let write = |KeptWrite { at, request, form }| {
            let form = Arc::new(form.map(Form::of_kept));
            HandWrite { number: 0, at, request, form, is_taken_back: false }
        };
        HandWrites(kept.into_iter().map(write).collect())
    }

    /// Returns how many writes wait for a design with their form.
    pub(crate) fn waiting(&self) -> u32 {
        self.0.iter().filter(|write| !write.is_taken_back).count() as u32
    }

    /// Adds other writes.
    pub(crate) fn append(&mut self, mut others: HandWrites) {
        self.0.append(&mut others.0);
    }

    /// Removes and returns the writes that belong in a table whose rows have this form, in their
    /// order. The others stay.
    pub(crate) fn take_wanted(&mut self, form: Option<&Form>) -> Vec<HandWrite> {
        let all = std::mem::take(&mut self.0).into_iter();
        let (mut wanted, others): (Vec<_>, Vec<_>) = all.partition(|write| write.is_wanted_in(form));
        wanted.sort_by_key(HandWrite::place);
        self.0 = others;
        wanted
    }

    /// Returns all manual writes that the user has not undone, of this list and of `more`, in the
    /// order of their moments.
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

/// Returns the part of a request that the table has accepted; `None` if it has refused everything.
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
