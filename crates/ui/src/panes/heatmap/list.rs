//! The table of the busiest key ranges.

use std::rc::Rc;

use tabletop_model::{RowKey, escape};
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::heatmap::{Busy, HeatMatrix, Served, busiest, tablet_of};
use yew::{Callback, Html, Properties, function_component, html};

use super::tooltip::{served_text, shown_key};
use crate::kit::{ButtonKind, Cell, Column, Row, Table, columns, push};

/// The number of key ranges.
const COUNT: usize = 10;

/// Properties of [`BusiestList`].
#[derive(Properties, PartialEq)]
pub struct BusiestListProps {
    /// The cells.
    pub matrix: Rc<HeatMatrix>,
    /// The present second: later columns do not count.
    pub until: u32,
    /// The tablets at that second.
    pub served: Rc<Vec<Served>>,
    /// Shows the rows from one key up to another.
    pub on_show_rows: Callback<(RowKey, RowKey)>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the table. It is a component, so that a pointer that moves over the picture does not cause
/// a count of all cells.
#[function_component]
pub fn BusiestList(props: &BusiestListProps) -> Html {
    let says = &messages().heatmap.busiest;
    let matrix = &*props.matrix;
    let found = busiest(matrix, props.until.into(), COUNT);
    let value = |value: f32| (messages().heatmap.value)(matrix.metric(), value.into());
    let line = |busy: &Busy| {
        let (start, end) = matrix.keys(busy.bucket..busy.bucket + 1);
        let tablet = tablet_of(&props.served, &start);
        let tip = &messages().heatmap.tooltip;
        let name = (says.show_of)(&shown_key(&start, tip.first_key));
        let show = props.on_show_rows.reform({
            let (start, end) = (start.clone(), end.clone());
            move |()| (start.clone(), end.clone())
        });
        let key = |key: &RowKey, nothing| {
            Cell::from(shown_key(key, nothing)).class("mono heat-key").title(escape(key))
        };
        Row::named(key(&start, tip.first_key))
            .key(busy.bucket)
            .cell(key(&end, tip.last_key))
            .cells([value(busy.mean), (says.at)(&value(busy.largest), busy.second), value(busy.row)])
            .cell(tablet.map(served_text).unwrap_or_default())
            .cell(html! { <span title={name}>{ push(says.show, None, ButtonKind::Quiet, show) }</span> })
    };
    let table = |found: &[Busy]| {
        let metric = (messages().heatmap.metrics)(matrix.metric());
        Table::new(columns(says.columns, 2..5).chain([Column::unnamed()]), found.iter().map(line))
            .class("small")
            .caption("visually-hidden", (says.caption)(metric, props.until))
            .within("heat-busiest-scroll", says.title)
    };
    html! {
        <details class="heat-busiest">
            <summary>{says.title}</summary>
            if found.is_empty() {
                <p class="soft small">{says.none}</p>
            } else {
                { table(&found) }
            }
        </details>
    }
}
