//! One event, and how each design stores it: its key with the fields in colour, and its cells with their bytes.

use std::rc::Rc;

use tabletop_model::{Mutation, RowMutation, escape};
use tabletop_schema::{Design, EventsView, LayoutWriter, Record, Template};
use yew::{Callback, Html, Properties, function_component, html, use_state};

use crate::messages::messages;
use crate::messages::numbers::thousands;
use crate::results::key_parts;
use crate::state::StoredKeys;
use crate::widgets::{Icon, tool};

/// The most cells of an event that are listed.
const CELLS_MAX: usize = 8;
/// The most bytes of a value that are shown.
const VALUE_BYTES_MAX: usize = 60;

/// Properties of [`Anatomy`].
#[derive(Properties, PartialEq)]
pub struct AnatomyProps {
    /// The designs.
    pub designs: Vec<Design>,
    /// The first events.
    pub events: Rc<EventsView>,
}

/// Draws one of the first events in the form of each design.
#[function_component]
pub fn Anatomy(props: &AnatomyProps) -> Html {
    let chosen = use_state(|| 0_usize);
    let (says, events) = (&messages().compare, &props.events);
    let count = events.events.len();
    if count == 0 {
        return html! {};
    }
    let at = (*chosen).min(count - 1);
    let step = |to: Option<usize>| {
        let chosen = chosen.clone();
        to.filter(|to| *to < count).map(|to| Callback::from(move |()| chosen.set(to)))
    };
    let values: Vec<Option<&str>> = events.events[at].iter().map(Option::as_deref).collect();
    let record = Record { fields: &events.fields, values: &values };
    let index = u64::from(events.start) + at as u64;
    html! {
        <section class="anatomy" aria-labelledby="anatomy-title">
            <div class="anatomy-head">
                <h3 id="anatomy-title">{says.anatomy}</h3>
                <span class="num" role="status">{(says.event)(index + 1)}</span>
                { tool(says.event_before, Icon::Up, step(at.checked_sub(1))) }
                { tool(says.event_after, Icon::Down, step(Some(at + 1))) }
            </div>
            <div class="anatomy-designs">{ for props.designs.iter().map(|design| stored(design, &record, index)) }</div>
        </section>
    }
}

/// Draws the row of an event as a design stores it.
fn stored(design: &Design, record: &Record, index: u64) -> Html {
    let says = &messages().compare;
    let (template, problems) = Template::parse(&design.template, record.fields);
    let row = match problems.first() {
        Some(problem) => Err(problem.message.clone()),
        None => {
            let writer = LayoutWriter::new(&design.layout, record.fields, &template);
            writer.write(record, index).map_err(|error| error.message)
        }
    };
    let body = match row {
        Ok(row) => row_of_event(&row, &StoredKeys::new(&template, &design.layout)),
        Err(why) => html! { <p class="problem small">{why}</p> },
    };
    html! { <article class="anatomy-design" aria-label={(says.stored_by)(&design.name)}><h4>{design.name.clone()}</h4>{body}</article> }
}

fn row_of_event(row: &RowMutation, keys: &StoredKeys) -> Html {
    let says = &messages().compare;
    let cells: Vec<Cell> = row.mutations.iter().filter_map(Cell::of).collect();
    let bytes = row.key.len() + cells.iter().map(Cell::bytes).sum::<usize>();
    html! {
        <>
            <p class="anatomy-key mono">{ key_parts(&keys.view(&row.key), &keys.colors) }</p>
            <p class="soft small">{(says.row_of_event)(row.key.len() as u64, cells.len() as u64, bytes as u64)}</p>
            <ul class="anatomy-cells small">
                { for cells.iter().take(CELLS_MAX).map(Cell::draw) }
                if cells.len() > CELLS_MAX { <li class="soft">{(says.more_cells)((cells.len() - CELLS_MAX) as u64)}</li> }
            </ul>
        </>
    }
}

/// A cell that an event writes.
struct Cell<'a> {
    family: &'a str,
    qualifier: &'a [u8],
    value: &'a [u8],
}

impl Cell<'_> {
    fn of(mutation: &Mutation) -> Option<Cell<'_>> {
        match mutation {
            Mutation::SetCell { family, qualifier, value, .. } => Some(Cell { family, qualifier, value }),
            _ => None,
        }
    }

    /// Family, column, timestamp (8 bytes) and value, as the logical size of a table counts them.
    fn bytes(&self) -> usize {
        self.family.len() + self.qualifier.len() + 8 + self.value.len()
    }

    fn draw(&self) -> Html {
        let shown = &self.value[..self.value.len().min(VALUE_BYTES_MAX)];
        let cut = if shown.len() < self.value.len() { "…" } else { "" };
        html! {
            <li>
                <span class="mono anatomy-column">{format!("{}:{}", self.family, escape(self.qualifier))}</span>
                <span class="mono anatomy-value">{format!("{}{cut}", escape(shown))}</span>
                <span class="num soft">{(messages().compare.cell_bytes)(&thousands(self.bytes() as u64))}</span>
            </li>
        }
    }
}
