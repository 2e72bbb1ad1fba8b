//! One event, and how each design stores it: its tablet, its key with the fields in colour, and its
//! cells with their bytes.

use std::borrow::Cow;
use std::rc::Rc;

use tabletop_advice::DesignFigures;
use tabletop_keys::Field;
use tabletop_model::{AggregateInput, Mutation, RowMutation, escape};
use tabletop_protocol::EventsView;
use tabletop_texts::numbers::thousands;
use tabletop_texts::{Locale, locale, messages};
use tabletop_workspace::Design;
use yew::{Html, Properties, classes, function_component, html};

use super::strip::picture;
use crate::page::state::{ListedEvent, StoredKeys, TabletOfEvent, field_class};
use crate::panes::results::key_parts;

/// The maximum number of cells of an event that are listed before the others are unfolded.
const CELLS_MAX: usize = 8;
/// The maximum number of bytes of a value that are shown.
const VALUE_BYTES_MAX: usize = 60;

/// Properties of [`Anatomy`].
#[derive(Properties, PartialEq)]
pub struct AnatomyProps {
    /// The designs.
    pub designs: Vec<Design>,
    /// The events of the list.
    pub events: Rc<EventsView>,
    /// Index of the chosen event among these.
    pub chosen: usize,
    /// The figures of the designs, where known.
    pub figures: Vec<Option<DesignFigures>>,
    /// For each design, the tablet that contains the row of the chosen event.
    pub tablets: Vec<Option<TabletOfEvent>>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the chosen event in the form of each design.
#[function_component]
pub fn Anatomy(props: &AnatomyProps) -> Html {
    let (says, events) = (&messages().compare, &props.events);
    let Some(event) = ListedEvent::at(events, props.chosen) else { return html! {} };
    let design = |(at, design): (usize, &Design)| {
        let tablet = props.tablets.get(at).copied().flatten();
        stored(design, &event, tablet, props.figures.get(at).and_then(Option::as_ref))
    };
    html! {
        <section class="anatomy" aria-labelledby="anatomy-title">
            <h3 id="anatomy-title">{(says.stored_title)(u64::from(events.start) + props.chosen.min(events.events.len() - 1) as u64 + 1)}</h3>
            <div class="anatomy-designs">{ for props.designs.iter().enumerate().map(design) }</div>
        </section>
    }
}

/// Draws the row of an event as a design stores it, and its position among the tablets.
fn stored(
    design: &Design,
    event: &ListedEvent,
    tablet: Option<TabletOfEvent>,
    figures: Option<&DesignFigures>,
) -> Html {
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
    let fields = keys.template.fields();
    let bytes = row.key.len() + cells.iter().map(Cell::bytes).sum::<usize>();
    html! {
        <>
            <p class="anatomy-key mono">{ key_parts(&keys.view(&row.key), &keys.colors) }</p>
            <p class="soft small">
                {(says.row_of_event)(row.key.len() as u64, cells.len() as u64, bytes as u64)}
                if let Some(tablet) = tablet { {(says.tablet_of_event)(tablet.at as u64 + 1, tablet.of as u64)} }
            </p>
            <ul class="anatomy-cells small">
                { for cells.iter().take(CELLS_MAX).map(|cell| cell.draw(fields)) }
            </ul>
            if cells.len() > CELLS_MAX {
                <details class="anatomy-more small">
                    <summary>{(says.more_cells)((cells.len() - CELLS_MAX) as u64)}</summary>
                    <ul class="anatomy-cells">{ for cells.iter().skip(CELLS_MAX).map(|cell| cell.draw(fields)) }</ul>
                </details>
            }
        </>
    }
}

/// A cell that an event writes.
struct Cell<'a> {
    family: &'a str,
    qualifier: &'a [u8],
    value: Cow<'a, [u8]>,
    /// Whether the cell is in a family that aggregates.
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

    /// Draws it. A column that is named after a field has the field's colour.
    fn draw(&self, fields: &[Field]) -> Html {
        let qualifier = escape(self.qualifier);
        let class = classes!("mono", "anatomy-column", field_class(fields, &qualifier));
        let shown = &self.value[..self.value.len().min(VALUE_BYTES_MAX)];
        let added = if self.is_input { "+ " } else { "" };
        let cut = if shown.len() < self.value.len() { "…" } else { "" };
        html! {
            <li>
                <span {class}>{format!("{}:{qualifier}", self.family)}</span>
                <span class="mono anatomy-value">{format!("{added}{}{cut}", escape(shown))}</span>
                <span class="num soft">{(messages().compare.cell_bytes)(&thousands(self.bytes() as u64))}</span>
            </li>
        }
    }
}
