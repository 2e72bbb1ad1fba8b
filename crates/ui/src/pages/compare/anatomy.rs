//! One event, and how each design stores it: its tablet, its key with the fields in colour, and its cells with their bytes.

use std::borrow::Cow;
use std::rc::Rc;

use tabletop_model::{AggregateInput, Mutation, RowMutation, escape};
use tabletop_schema::{Design, DesignFigures, EventsView, Field, LayoutWriter, Record, Template};
use yew::{Callback, Html, KeyboardEvent, MouseEvent, Properties, function_component, html};

use super::strip::picture;
use crate::browser;
use crate::messages::messages;
use crate::messages::numbers::thousands;
use crate::results::key_parts;
use crate::state::StoredKeys;

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
    /// Index of the chosen event among these.
    pub chosen: usize,
    /// The number of all events.
    pub events_total: u32,
    /// The figures of the designs, as far as they are known.
    pub figures: Vec<Option<DesignFigures>>,
    /// For each design, the tablet that has the row of the chosen event.
    pub tablets: Vec<Option<TabletOfEvent>>,
    /// Chooses an event.
    pub on_choose: Callback<usize>,
    /// Points at an event, or at none.
    pub on_point: Callback<Option<usize>>,
}

/// Draws the first events as a list, and the chosen one in the form of each design.
#[function_component]
pub fn Anatomy(props: &AnatomyProps) -> Html {
    let (says, events) = (&messages().compare, &props.events);
    let Some(event) = Event::at(events, props.chosen) else { return html! {} };
    let design = |(at, design): (usize, &Design)| {
        let tablet = props.tablets.get(at).copied().flatten();
        stored(design, &event, tablet, props.figures.get(at).and_then(Option::as_ref))
    };
    html! {
        <section class="anatomy" aria-labelledby="anatomy-title">
            <h3 id="anatomy-title">{says.anatomy}</h3>
            <p class="soft small">{(says.choose_event)(events.events.len(), props.events_total)}</p>
            { event_list(props) }
            <div class="anatomy-designs">{ for props.designs.iter().enumerate().map(design) }</div>
        </section>
    }
}

/// One of the first events.
pub struct Event<'e> {
    record: EventRecord<'e>,
    /// Its index among all events.
    index: u64,
}

struct EventRecord<'e> {
    fields: &'e [Field],
    values: Vec<Option<&'e str>>,
}

/// The tablet that has the row of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabletOfEvent {
    /// Index of the tablet.
    pub at: usize,
    /// The number of tablets.
    pub of: usize,
}

impl<'e> Event<'e> {
    /// Returns the event at an index of the preview, or the last one; `None` if there is none.
    pub fn at(events: &'e EventsView, at: usize) -> Option<Event<'e>> {
        let at = at.min(events.events.len().checked_sub(1)?);
        let values = events.events[at].iter().map(Option::as_deref).collect();
        Some(Event { record: EventRecord { fields: &events.fields, values }, index: u64::from(events.start) + at as u64 })
    }

    /// Returns the row that a design writes for the event, or why it writes none.
    fn row(&self, design: &Design) -> Result<(RowMutation, StoredKeys), String> {
        let record = Record { fields: self.record.fields, values: &self.record.values };
        let (template, problems) = Template::parse(&design.template, record.fields);
        if let Some(problem) = problems.first() {
            return Err(problem.message.clone());
        }
        let writer = LayoutWriter::new(&design.layout, record.fields, &template).with_families(&design.families);
        let row = writer.write(&record, self.index).map_err(|error| error.message)?;
        Ok((row, StoredKeys::new(&template, &design.layout)))
    }

    /// Returns the tablet that has the row of the event.
    pub fn tablet(&self, figures: &DesignFigures) -> Option<TabletOfEvent> {
        let (row, _) = self.row(&figures.design).ok()?;
        let tablets = &figures.table.tablets;
        let at = tablets.iter().position(|tablet| tablet.end.is_empty() || row.key < tablet.end)?;
        Some(TabletOfEvent { at, of: tablets.len() })
    }
}

/// Draws the events, of which one is chosen by a click or by the arrow keys.
fn event_list(props: &AnatomyProps) -> Html {
    let count = props.events.events.len();
    let chosen = props.chosen.min(count - 1);
    let on_key = {
        let on_choose = props.on_choose.clone();
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowUp" => chosen.saturating_sub(1),
                "ArrowDown" => (chosen + 1).min(count - 1),
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            on_choose.emit(to);
            browser::scroll_in_list(&event_id(to));
        })
    };
    let line = |(at, values): (usize, &Vec<Option<String>>)| {
        let is_chosen = at == chosen;
        let number = u64::from(props.events.start) + at as u64 + 1;
        html! {
            <li id={event_id(at)} role="option" aria-selected={is_chosen.to_string()}
                onclick={props.on_choose.reform(move |_: MouseEvent| at)}
                onmouseenter={props.on_point.reform(move |_: MouseEvent| Some(at))}>
                <span class="num soft">{thousands(number)}</span>
                { for values.iter().map(|value| html! { <span class="mono">{value.clone().unwrap_or_default()}</span> }) }
            </li>
        }
    };
    html! {
        <ul class="event-list small" role="listbox" tabindex="0" aria-labelledby="anatomy-title" aria-activedescendant={event_id(chosen)}
            onkeydown={on_key} onmouseleave={props.on_point.reform(|_: MouseEvent| None)}>
            { for props.events.events.iter().enumerate().map(line) }
        </ul>
    }
}

fn event_id(at: usize) -> String {
    format!("event-{at}")
}

/// Draws the row of an event as a design stores it, and its place among the tablets.
fn stored(design: &Design, event: &Event, tablet: Option<TabletOfEvent>, figures: Option<&DesignFigures>) -> Html {
    let says = &messages().compare;
    let body = match event.row(design) {
        Ok((row, keys)) => html! {
            <>
                // The text below says which tablet it is.
                <div class="anatomy-strip" aria-hidden="true">{ for figures.map(|figures| picture(figures, tablet)) }</div>
                { row_of_event(&row, &keys, tablet) }
            </>
        },
        Err(why) => html! { <p class="problem small">{why}</p> },
    };
    html! { <article class="anatomy-design" aria-label={(says.stored_by)(&design.name)}><h4>{design.name.clone()}</h4>{body}</article> }
}

fn row_of_event(row: &RowMutation, keys: &StoredKeys, tablet: Option<TabletOfEvent>) -> Html {
    let says = &messages().compare;
    let cells: Vec<Cell> = row.mutations.iter().filter_map(Cell::of).collect();
    let bytes = row.key.len() + cells.iter().map(Cell::bytes).sum::<usize>();
    html! {
        <>
            <p class="anatomy-key mono">{ key_parts(&keys.view(&row.key), &keys.colors) }</p>
            <p class="soft small">
                {(says.row_of_event)(row.key.len() as u64, cells.len() as u64, bytes as u64)}
                if let Some(tablet) = tablet { {(says.tablet_of_event)(tablet.at as u64 + 1, tablet.of as u64)} }
            </p>
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
    value: Cow<'a, [u8]>,
    /// A family aggregates it.
    is_input: bool,
}

impl Cell<'_> {
    fn of(mutation: &Mutation) -> Option<Cell<'_>> {
        match mutation {
            Mutation::SetCell { family, qualifier, value, .. } => {
                Some(Cell { family, qualifier, value: Cow::Borrowed(value), is_input: false })
            }
            Mutation::AddToCell { family, qualifier, input, .. } => {
                let value = match input {
                    AggregateInput::Int(number) => Cow::Owned(number.to_string().into_bytes()),
                    AggregateInput::Bytes(bytes) => Cow::Borrowed(&bytes[..]),
                };
                Some(Cell { family, qualifier, value, is_input: true })
            }
            _ => None,
        }
    }

    /// Family, column, timestamp (8 bytes) and value, as the logical size of a table counts them.
    fn bytes(&self) -> usize {
        self.family.len() + self.qualifier.len() + 8 + self.value.len()
    }

    fn draw(&self) -> Html {
        let shown = &self.value[..self.value.len().min(VALUE_BYTES_MAX)];
        let added = if self.is_input { "+ " } else { "" };
        let cut = if shown.len() < self.value.len() { "…" } else { "" };
        html! {
            <li>
                <span class="mono anatomy-column">{format!("{}:{}", self.family, escape(self.qualifier))}</span>
                <span class="mono anatomy-value">{format!("{added}{}{cut}", escape(shown))}</span>
                <span class="num soft">{(messages().compare.cell_bytes)(&thousands(self.bytes() as u64))}</span>
            </li>
        }
    }
}
